"""`steiner simulate`: a file of the motion, and sentences for what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import steiner as st
from steiner.cli import app
from steiner.errors import SteinerError


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


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
    assert CliRunner().invoke(app, arguments).exit_code == 0
    table = np.genfromtxt(tmp_path / "tau.csv", delimiter=",", names=True)
    assert table["joint1tau"] == pytest.approx(np.ones(11), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--q0", "1"], "1 numbers, expected 2"),
        (["--q0", "1,two"], "expected numbers with commas"),
        (["--units", "grad"], "expected rad or deg"),
        (["--method", "magic"], "no method named 'magic'"),
        (["--duration", "-1"], "duration"),
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
