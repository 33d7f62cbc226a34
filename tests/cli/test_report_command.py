"""`steiner report`."""

from __future__ import annotations

from pathlib import Path

import pytest

import steiner as st
from steiner.reports import report as room


def test_an_existing_page_and_a_file_that_is_read_are_left_alone(steiner):
    Path("out.html").write_text("old")
    code, _, err = steiner("report", "rr", "-o", "out.html")
    assert code == 2 and err.startswith("error: out.html exists") and Path("out.html").read_text() == "old"
    Path("motion.csv").write_text("t\n0\n")
    code, _, err = steiner("report", "rr", "--trajectory", "motion.csv", "-o", "motion.csv", "--force")
    assert code == 2 and "is read and would be overwritten" in err and Path("motion.csv").read_text() == "t\n0\n"


def test_options_reach_the_page(steiner, monkeypatch):
    monkeypatch.setattr(room, "SECTIONS", room.SECTIONS[1:2])
    st.trajectory.quintic([0, 0], [1, 1], 1.0)
    Path("motion.csv").write_text("t,q1,q2\n0,0,0\n1,30,60\n2,0,0\n")
    words = ("--payload", "1.5@tool", "--trajectory", "motion.csv", "--units", "deg", "-o", "out.html")
    code, out, err = steiner("report", "rr", *words)
    assert (code, out) == (0, "") and err.startswith("out.html written: ") and err.count("\n") == 1
    assert 'data-row="tool/payload"' in Path("out.html").read_text()
    code, _, err = steiner("report", "rr", "--units", "turns", "--trajectory", "motion.csv")
    assert code == 2 and "expected 'rad' or 'deg'" in err and not Path("report.html").exists()


@pytest.mark.heavy
def test_the_whole_page(steiner):
    assert steiner("report", "rr")[0] == 0
    assert Path("report.html").read_text().count("<section") == 6
