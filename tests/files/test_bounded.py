"""Every reader is bounded: memory of ten times its file and 100 MB, time like its size, whatever is in the file."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from steiner.files.efforts import READERS
from steiner.files.load import FORMATS
from steiner.files.mesh import MESHES
from tests.readers import NEEDS, SAMPLES

ROOT = Path(__file__).parent.parent.parent
PATHS = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / place) for place in ("", "src", "tests"))}
LARGE = 5_000_000  # bytes
PARTS = 4


@pytest.mark.filterwarnings("ignore::steiner.errors.ModelWarning")
def test_every_reader_has_a_sample_that_is_read(tmp_path):
    readable = {key for key, form in FORMATS.items() if form.read} - {"mesh"}
    assert readable | set(MESHES) | set(READERS) <= set(SAMPLES)
    for name, sample in SAMPLES.items():
        if name != "step" and find_spec(NEEDS.get(name, "steiner")):
            path = tmp_path / f"a{sample.suffix}"
            path.write_bytes(sample.packed(sample.text))
            sample.read(path)


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and forks")
@pytest.mark.parametrize("part", range(PARTS))
def test_R8_memory_and_time_are_those_of_the_file(part, tmp_path):
    for needed in NEEDS.values():
        pytest.importorskip(needed)
    names = [name for k, name in enumerate(SAMPLES) if k % PARTS == part]
    command = [sys.executable, "-m", "tests.readers", str(tmp_path), str(LARGE), *names]
    done = subprocess.run(command, cwd=ROOT, env=PATHS, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not done.stdout.strip(), done.stdout


WAITING = """
import sys
from pathlib import Path
from steiner.errors import SteinerError
from tests.readers import SAMPLES
for name in sys.argv[2:]:
    path = Path(sys.argv[1]) / f"{name}{SAMPLES[name].suffix}"
    path.symlink_to("/proc/kmsg")
    try:
        SAMPLES[name].read(path)
    except SteinerError as error:
        assert str(path) in str(error)
"""


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="no /proc/kmsg")
def test_R7_what_has_bytes_but_no_end_is_not_waited_for(tmp_path):
    """The kernel's log is a regular file of no size, which blocks who reads it; others may not open it at all."""
    names = [name for name in SAMPLES if name != "step" and find_spec(NEEDS.get(name, "steiner"))]
    command = [sys.executable, "-c", WAITING, str(tmp_path), *names]
    done = subprocess.run(command, cwd=ROOT, env=PATHS, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
