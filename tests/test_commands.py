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
