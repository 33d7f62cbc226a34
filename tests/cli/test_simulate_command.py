"""`steiner simulate`: a file of the motion, and sentences for what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import steiner as st
from steiner.cli import program
from steiner.errors import SteinerError


def run(*arguments):
    return CliRunner().invoke(program(), ["simulate", *map(str, arguments)])


def test_an_arm_is_let_go(tmp_path):
    out = tmp_path / "fall.csv"
    assert run("rr", "--q0", "0.3,-0.5", "--duration", 0.5, "--every", 0.1, "-o", out).exit_code == 0
    table = np.genfromtxt(out, delimiter=",", names=True)
    m = st.simulate(st.load("gallery:rr"), [0.3, -0.5], None, 0.5, every=0.1)
    assert table["t"].tolist() == m.t.tolist()
    assert table["joint2q"].tolist() == m.q[:, 1].tolist()


def test_torques_reads_the_motion_back(tmp_path):
    assert run("rr", "--tau", "1,0", "--duration", 0.1, "-o", tmp_path / "push.csv").exit_code == 0
    arguments = ["torques", "rr", str(tmp_path / "push.csv"), "-o", str(tmp_path / "tau.csv")]
    assert CliRunner().invoke(program(), arguments).exit_code == 0
    table = np.genfromtxt(tmp_path / "tau.csv", delimiter=",", names=True)
    assert table["joint1tau"] == pytest.approx(np.ones(11), abs=1e-9)


def test_steps_that_are_too_long_are_told_with_the_time(tmp_path):
    options = ["--qd0", "20,20", "--method", "rk4", "--duration", 0.5]
    coarse = run("rr", *options, "--step", 0.05, "-o", tmp_path / "coarse.csv")
    assert coarse.exit_code == 0
    assert "warning: from 0." in coarse.stderr
    assert "steps are too long" in coarse.stderr
    assert "warning" not in run("rr", *options, "--step", 0.001, "-o", tmp_path / "fine.csv").stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--q0", "1"], "1 numbers, expected 2"),
        (["--q0", "1,two"], "expected numbers with commas"),
        (["--units", "grad"], "expected rad or deg"),
        (["--method", "magic"], "no method named 'magic'"),
        (["--duration", "-1"], "duration"),
        (["--controller", "lqr"], "no controller named 'lqr'"),
        (["--controller", "pd"], "needs --to Q,Q,… or --trajectory FILE"),
        (["--controller", "pd", "--to", "1,2,3"], "3 numbers, expected 2"),
        (["--controller", "pd", "--to", "1,2", "--kp", "1,2,3"], "kp: expected one number, or 2"),
        (["--controller", "pd", "--to", "1,2", "--kp", "stiff"], "--kp stiff"),
        (["--controller", "pd", "--to", "1,2", "--kd", "-3"], "kd"),
        (["--controller", "pd", "--to", "1,2", "--move-time", "0"], "--move-time 0: expected seconds > 0"),
        (["--controller", "pd", "--to", "1,2", "--period", "0"], "period"),
        (["--controller", "pd", "--to", "1,2", "--tau", "1,2"], "--tau and --controller: expected one of them"),
        (["--controller", "pd", "--to", "1,2", "--trajectory", "m.csv"], "expected one of them"),
        (["--controller", "pd", "--trajectory", "missing.csv"], "missing.csv"),
        (["--controller", "gravity", "--to", "1,2"], "follows nothing"),
        (["--to", "1,2"], "--to: needs --controller, one of pd, pid, computed-torque"),
        (["--ki", "1"], "--ki: needs --controller"),
        (["--controller", "pd", "--to", "1,2", "--ki", "1"], "--ki: --controller pd has no such gain"),
        (["--controller", "pid", "--to", "1,2", "--ki", "-1"], "ki"),
        (["--controller", "pid", "--to", "1,2", "--period", "0"], "period"),
        (["-o", "motion.txt"], "ends in .csv, .parquet, .html"),
    ],
)
def test_what_cannot_be_is_told_and_no_file_is_written(tmp_path, arguments, told):
    result = run("rr", "-o", tmp_path / "x.csv", *arguments)
    assert isinstance(result.exception, SteinerError)
    assert told in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_what_was_computed_until_a_limit_is_kept(tmp_path):
    from motion.arms import slider

    st.save(slider(limits=(-1, 0.05)), tmp_path / "arm.urdf")
    result = run(tmp_path / "arm.urdf", "--qd0", "1", "--limits", "error", "-o", tmp_path / "x.csv")
    assert "holds what was computed until then" in str(result.exception)
    assert len((tmp_path / "x.csv").read_text().splitlines()) > 3


def test_a_controller_brings_the_arm_where_it_is_told_and_another_follows_the_motion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = run("rr", "--controller", "computed-torque", "--to", "57.3,-30", "--units", "deg", "--move-time", 0.4,
                "-o", "move.csv")  # fmt: skip
    assert moved.exit_code == 0 and "settled after" in moved.stdout
    table = np.genfromtxt("move.csv", delimiter=",", names=True)
    assert table["t"][-1] == 0.4
    assert table["joint2q"][-1] == pytest.approx(np.radians(-30), abs=1e-9)
    followed = run("rr", "--controller", "feed-forward",
                   "--kp", "5,2", "--kd", "0.3", "--period", 0.005, "--trajectory",
                   "move.csv", "-o", "follow.html")  # fmt: skip
    assert followed.exit_code == 0
    figures = {line.split()[0]: float(line.split()[2]) for line in followed.stdout.splitlines()[1:]}
    assert 1e-6 < figures["joint1"] < 0.05  # sampled: not exact, and not far
    assert "<html" in (tmp_path / "follow.html").read_text()[:500]
    again = run("rr", "--controller", "pd", "--trajectory", "move.csv", "-o", "move.csv", "--force")
    assert "is read and would be overwritten" in str(again.exception)


def test_a_pid_holds_the_weight_that_it_does_not_know(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ["rr", "--controller", "pid", "--to", "0.5,-0.2", "--move-time", 0.5, "--duration", 4]
    assert run(*asked, "-o", "held.csv").exit_code == 0
    assert run(*asked, "--ki", 0, "--period", 0.002, "-o", "sagged.csv").exit_code == 0
    held, sagged = (np.genfromtxt(name, delimiter=",", names=True) for name in ("held.csv", "sagged.csv"))
    assert abs(held["joint1q"][-1] - 0.5) < 1e-6 and 1e-3 < abs(sagged["joint1q"][-1] - 0.5) < 0.2


def test_an_arm_that_floats_stays(tmp_path):
    out = tmp_path / "float.csv"
    assert run("rr", "--controller", "gravity", "--q0", "0.3,-0.5", "-o", out).exit_code == 0
    table = np.genfromtxt(out, delimiter=",", names=True)
    assert np.abs(table["joint2q"] + 0.5).max() < 1e-9
