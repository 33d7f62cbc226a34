"""The page that maps requirements to code and tests tells the truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.requirements import PAGE, REQUIREMENTS, ROOT, page, proofs

LATER: set[str] = set()  # asked, and not yet there


def test_every_requirement_has_code_and_a_test_of_its_name():
    proved, faults = proofs(), []
    for key in REQUIREMENTS.keys() - LATER:
        if not proved.get(key):
            faults.append(f"{key}: no test is named test_{key}_…")
        for place in REQUIREMENTS[key][1].split(", "):
            file, _, function = place.partition(":")
            path = ROOT / "src" / "steiner" / file
            if not path.exists() or f"def {function.rpartition('.')[2]}(" not in path.read_text(encoding="utf-8"):
                faults.append(f"{key}: {place} does not exist")
    faults += [f"{key}: tests are named after it, but nobody asks it" for key in proved.keys() - REQUIREMENTS.keys()]
    faults += [] if PAGE.read_text(encoding="utf-8") == page() else ["stale: run `python tests/requirements.py`"]
    assert not faults, "\n".join(sorted(faults))


@pytest.mark.heavy
def test_K8_the_tests_of_a_requirement_enter_the_code_that_is_named_for_it(tmp_path):
    """A name on the page is a claim: some test of that id must have called the function."""
    files = sorted({file for proved in proofs().values() for file in proved})
    note = tmp_path / "entered.json"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.entered", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = {**os.environ, "PYTHONPATH": paths, "ENTERED": str(note)}
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:]
    entered = json.loads(note.read_text(encoding="utf-8"))
    claims = {key: code.split(", ") for key, (_, code) in REQUIREMENTS.items() if key not in LATER}
    untrue = [f"{key}: {place}" for key, places in claims.items() for place in places if place not in entered[key]]
    assert not untrue, "\n".join(untrue)
