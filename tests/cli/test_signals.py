"""What ends the program from outside: no traceback, no temporary file, the exit code of the shell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
ROWS = "q1,q2,qd1,qd2,qdd1,qdd2\n" + "0.1,0.2,0.3,0.4,0.5,0.6\n" * 400_000


def ended(words: list[str], folder: Path, number: signal.Signals, ready) -> tuple[int, str]:
    command = [sys.executable, "-m", "steiner", *words]
    program = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not ready() and program.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    program.send_signal(number)
    _, told = program.communicate(timeout=30)
    return program.returncode, told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_R9_a_program_that_is_stopped_leaves_no_file_behind(tmp_path, number):
    (tmp_path / "motion.csv").write_text(ROWS)
    words = ["torques", "rr", "motion.csv", "-o", "out.csv"]
    code, told = ended(words, tmp_path, number, lambda: len(list(tmp_path.iterdir())) > 1)
    assert (code, told.strip().splitlines()[-1]) == (128 + number, f"stopped by {number.name}")
    assert "Traceback" not in told
    assert [file.name for file in tmp_path.iterdir()] == ["motion.csv"]


@pytest.mark.parametrize("delay", [0.25, 0.4])
def test_R7_ctrl_c_while_it_starts_is_no_traceback(tmp_path, delay):
    start = time.monotonic()
    code, told = ended(["gallery"], tmp_path, signal.SIGINT, lambda: time.monotonic() - start > delay)
    assert "steiner/cli" not in told and "steiner/text" not in told, told  # before that it is Python that starts
    assert code in (0, 128 + signal.SIGINT, -signal.SIGINT, 1)


@pytest.mark.parametrize("delay", [0.3, 0.6, 1.0])
def test_R9_a_repair_that_is_stopped_is_whole_or_not_there(tmp_path, delay):
    """`fix` over a file that exists: it is the old one or the new one, and nothing lies beside it."""
    bad = '<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/>'
    arm = f'<robot name="r"><link name="a"><inertial><mass value="1"/>{bad}</inertial></link></robot>'
    (tmp_path / "arm.urdf").write_text(arm)
    (tmp_path / "new.urdf").write_text("old")
    words = ["fix", "arm.urdf", "-o", "new.urdf", "--link", "a", "--nearest-physical", "--force"]
    start = time.monotonic()
    code, told = ended(words, tmp_path, signal.SIGINT, lambda: time.monotonic() - start > delay)
    found = (tmp_path / "new.urdf").read_text()
    assert (found == "old" or found.endswith("</robot>")) and "steiner/cli" not in told
    assert code in (0, 128 + signal.SIGINT, -signal.SIGINT, 1) and (code != 0 or found != "old")
    assert {file.name for file in tmp_path.iterdir()} == {"arm.urdf", "new.urdf"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_R9_a_full_disk_is_told():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "steiner", "gallery"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.strip() == "error: output: No space left on device"
