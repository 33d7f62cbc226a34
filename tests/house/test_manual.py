"""The pages and pictures that the manual makes while it is built."""

from __future__ import annotations

import inspect
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from tests.evaluating import letters, wrong
from tools import lessons, manual

ROOT = Path(__file__).parent.parent.parent


def test_the_reference_names_every_public_name_and_no_address_of_memory():
    page = manual.reference()
    assert all(f"## st.{name}\n" in page for name in st.__all__ if name != "__version__")
    assert " object at 0x" not in page
    for name in ("controllers.pd", "trajectory.quintic", "spatial.Ad"):
        assert f"\n### st.{name}\n" in page


def test_calls_are_written_as_they_are_typed():
    def sample(a: st.Robot, /, b: int = 1, *, c: str = "x", d: object = object()) -> dict[str, int]: ...

    short = "f(a: st.Robot, /, b: int = 1, *, c: str = 'x', d: object = …) -> dict[str, int]"
    assert manual.called("f", inspect.signature(sample)) == short
    long = manual.called("f" * 60, inspect.signature(sample)).splitlines()
    assert long[1:4] == ["    a: st.Robot,", "    /,", "    b: int = 1,"] and long[-1] == ") -> dict[str, int]"
    calls = re.findall(r"```python\n(.*?)```", manual.reference(), re.DOTALL)
    assert len(calls) > 70 and max(len(line) for call in calls for line in call.splitlines()) <= 120


def test_every_robot_of_the_gallery_has_its_place_and_source():
    page = manual.gallery()
    assert all(f"\n## {name}\n" in page and f"gallery_{name}.png" in page for name in st.gallery())
    assert page.count("Source: ") == len(st.gallery())


@pytest.mark.parametrize("name", manual.README_PICTURES)
def test_pictures_of_the_readme_are_small_and_there(name):
    pytest.importorskip("matplotlib")
    from PIL import Image

    stored = (ROOT / "docs" / manual.FOLDER / name).read_bytes()
    made = manual.PICTURES[name]()
    assert len(stored) < 60_000 and name in (ROOT / "README.md").read_text(encoding="utf-8")
    old, new = (np.array(Image.open(io.BytesIO(x)).convert("L").resize((60, 30)), float) for x in (stored, made))
    assert np.abs(old - new).mean() < 4, "python -m tools.manual writes them anew"


def test_benchmarks_are_those_that_were_measured():
    page = manual.benchmarks()
    assert "| panda | inverse dynamics | 1 000 |" in page and "×" in page
    found = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))
    loaded = next(row["ratio"] for row in found["start"] if row["case"] == "Panda loaded")
    assert f"| Panda loaded | {loaded:.2f} × import numpy" in page and "| torques, csv |" in page


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_every_line_of_a_lesson_is_evaluated(name):
    lesson = lessons.LESSONS[name]()
    assert wrong(lesson) == [] and len(lesson.lines()) > 4
    assert all("".join(map(letters, line.pieces())) == letters(line.mathml()) for line in lesson.lines())
    assert "<code>" not in lesson.html()


def test_goals_come_with_their_bounds_and_with_what_was_counted():
    counts = {"arithmetic": 1, "loads": 2, "stores": 3, "instructions": 4, "lanes": 8}
    counts |= {"code_bytes": 5120, "waiting_bytes": 6144}
    goal = {"row": "panda, 1000", "measured": 35.0, "must": 36, "reach": 43, "verdict": "short by 3 %"}
    goal |= {"bound": "51 by memory"}
    cases = [{"robot": "panda", "case": "mass_matrix", "counts": counts}, {"robot": "other", "case": "mass_matrix"}]
    lines = manual.goals_of({"machine": {"vector": "avx2 fma"}, "goals": [goal], "limits": {"cases": cases}})
    assert "| panda, 1000 | 35.00 | 36.00 | 43.00 | short&nbsp;by&nbsp;3&nbsp;% | 51 by memory |" in lines
    assert lines[-1] == "| panda | mass matrix | 1 | 2 | 3 | 4 | 5 | 6 |" and "a vector of 8 samples" in "".join(lines)
