"""Every fault that once was there has a test of its name."""

from __future__ import annotations

import re

from tests.defects import BEFORE, DEFECTS, TESTS, ids, proofs
from tests.requirements import REQUIREMENTS


def test_every_defect_has_a_test_of_its_name_and_no_test_a_name_of_none():
    proved = proofs()
    faults = [f"{key}: no test is named test_{key}_…" for key in DEFECTS.keys() - proved.keys()]
    faults += [f"{key}: {tests} are named after it, but it is in no table" for key, tests in proved.items()
               if key not in DEFECTS]  # fmt: skip
    assert not faults, "\n".join(sorted(faults))


def test_every_defect_and_every_gap_says_what_its_test_met_before():
    gaps = {key for key in REQUIREMENTS if key.startswith("M")}
    assert BEFORE.keys() == DEFECTS.keys() | gaps
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    there = {test for text in texts for test in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    for key, (test, met) in BEFORE.items():
        assert test in there and key in test.split("_") and met, key


def test_no_defect_has_the_id_of_a_requirement():
    assert not DEFECTS.keys() & REQUIREMENTS.keys()


def test_a_test_may_stand_for_several():
    assert ids("test_N5_W10_thin_bodies") == ["N5", "W10"] and ids("test_D2_K6_x") == ["K6"]
    assert not ids("test_E6_RP_writes") and not ids("test_a_N1_b")
