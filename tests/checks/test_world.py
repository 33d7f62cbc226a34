"""The page of what is wrong with the robot files of the world: how it is written, and that its rules exist."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from steiner.checks.rules import RULES
from tools.world import TARGET, page, robots

FILES = Path(__file__).parent / "files"


def test_robots_are_listed_and_objects_counted(tmp_path):
    folder = tmp_path / "demo_wheel-1.0-py3-none-any" / "robots"
    folder.mkdir(parents=True)
    for name in ("triangle_bad.urdf", "triangle_good.urdf", "immobile_bad.urdf", "zero_axis_bad.urdf"):
        shutil.copy(FILES / name, folder)
    text = page(robots(tmp_path))
    assert "demo-wheel-1.0. 3 files hold a robot, 1 more an" in text
    assert "1 cannot be read, 1 hold a body" in text and "1 have nothing worse than a note" in text
    assert "| ST104 | triangle | error | 1 | 1 |" in text and r"robots/triangle\_bad.urdf | 1 | 2 | triangle |" in text
    assert "immobile" not in text and "**ST104 triangle** — triangle\\_bad.urdf:8" in text


def test_the_page_in_the_manual_speaks_of_rules_that_exist():
    codes = re.findall(r"^\| (ST\d+) \| ([\w-]+) \| (\w+) \|", TARGET.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(codes) > 15
    for code, name, severity in codes:
        assert (RULES[name].code, RULES[name].severity) == (code, severity)
