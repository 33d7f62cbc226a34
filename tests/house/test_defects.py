"""Every fault that once was there has a test of its name."""

from __future__ import annotations

from tests.defects import DEFECTS, ids, proofs
from tests.requirements import REQUIREMENTS


def test_every_defect_has_a_test_of_its_name_and_no_test_a_name_of_none():
    proved = proofs()
    faults = [f"{key}: no test is named test_{key}_…" for key in DEFECTS.keys() - proved.keys()]
    faults += [f"{key}: {tests} are named after it, but it is in no table" for key, tests in proved.items()
               if key not in DEFECTS]  # fmt: skip
    assert not faults, "\n".join(sorted(faults))


def test_no_defect_has_the_id_of_a_requirement():
    assert not DEFECTS.keys() & REQUIREMENTS.keys()


def test_a_test_may_stand_for_several():
    assert ids("test_N5_W10_thin_bodies") == ["N5", "W10"] and ids("test_D2_K6_x") == ["K6"]
    assert not ids("test_E6_RP_writes") and not ids("test_a_N1_b")
