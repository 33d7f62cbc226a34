"""Three journeys through the house are no longer than the manual says, and none turns back."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import steiner as st
from tools.journeys import Journey, traced

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"


def test_journeys_are_as_short_as_the_manual_says():
    """In a process of their own, where nothing was made before."""
    text = PAGE.read_text(encoding="utf-8")
    shown = {name: numbers for name, *numbers in re.findall(r"^\| ([^|`]+) \| (\d+) \| (\d+) \| (\d+) \|", text, re.M)}
    told = subprocess.check_output([sys.executable, "-m", "tools.journeys"], cwd=ROOT, text=True)
    seen = {line.partition(": ")[0]: re.findall(r"\d+", line) for line in told.splitlines()}
    assert shown.keys() == seen.keys()
    for name, (*lengths, returns) in seen.items():
        pairs = zip(map(int, lengths), map(int, shown[name]), strict=True)
        assert all(new <= said <= new + 2 for new, said in pairs), f"{name}: {told}"
        assert returns == "0", told


def test_a_journey_is_told_as_it_is():
    Pose = st.Pose
    pose = traced(lambda: Pose(p=(1, 2, 3)))
    assert pose.modules == {"spatial.poses", "scalar"}
    assert pose.steps == {("spatial", "scalar")}
    assert Journey(frozenset(), frozenset([("a", "b"), ("b", "a"), ("b", "c")])).returns == [("a", "b")]


def test_what_is_handed_down_is_no_step():
    """Nor is the arithmetic of symbols or of traced numbers."""
    body = st.MassProperties(1.0, (0, 0, 0), (1, 1, 1))
    sqrt = st.scalar.sqrt
    assert traced(lambda: body.mapped(sqrt)).steps <= {("inertia", "scalar")}
    assert not traced(lambda: body + body).modules
