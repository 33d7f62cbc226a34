"""`steiner inertia` from outside."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def steiner(*arguments):
    return subprocess.run([sys.executable, "-m", "steiner", *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def link(root):
    return root / "examples" / "decks_link.yaml"


def test_inertia_prints_the_budget(link):
    done = steiner("inertia", link)
    assert done.returncode == 0
    assert "mass kg" in done.stdout and "aluminium" in done.stdout and "kg m²" in done.stdout


def test_inertia_for_programs(link):
    records = json.loads(steiner("inertia", link, "--json").stdout)
    assert json.dumps(records).count("mass") >= 3
    weighed = json.loads(steiner("inertia", link, "--json", "--mass", "9.0").stdout)
    assert weighed != records


def test_what_the_file_leaves_open_is_filled_in_and_overlaps_are_told(tmp_path):
    file = tmp_path / "block.yaml"
    file.write_text(
        "link: {parts: [{shape: box, size: [10, 20, 30]}, {shape: box, size: [10, 20, 30], xyz: [5, 0, 0]}]}"
    )
    text = steiner("inertia", file, "--unit", "mm", "--material", "steel").stdout
    assert "inertia of block about its centre of mass, kg m²" in text and "overlap: block/box1 and block/box2" in text
    table = json.loads(steiner("inertia", file, "--unit", "mm", "--density", 1000, "--json").stdout)
    assert table["mass_kg"] == pytest.approx(0.012)
    (found,) = table["findings"]
    assert found["code"] == "overlap" and found["parts"] == ["block/box1", "block/box2"] and found["depth_m"] > 0


def test_bad_input_is_one_message_and_exit_code_2(link, tmp_path):
    broken = tmp_path / "link.yaml"
    broken.write_text(link.read_text().replace("aluminium", "unobtainium", 1))
    for arguments, word in (
        (("inertia", tmp_path / "absent.yaml"), "no such file"),
        (("inertia", broken), "unobtainium"),
        (("inertia", link, "--density", "nan"), "nan"),
        (("inertia", link, "--about", "moon"), "moon"),
    ):
        done = steiner(*arguments)
        assert done.returncode == 2, done
        assert word in done.stderr and "Traceback" not in done.stderr
        assert done.stdout == ""
