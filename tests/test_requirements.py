"""The page that maps requirements to code and tests tells the truth."""

from __future__ import annotations

import pytest

from requirements import PAGE, REQUIREMENTS, ROOT, page, proofs

LATER = {"E7b"}  # motion has a room of its own


@pytest.mark.parametrize("key", [k for k in REQUIREMENTS if k not in LATER])
def test_a_requirement_has_a_test_of_its_name(key):
    assert proofs().get(key), f"no test is named test_{key}_…"


def test_tests_are_named_after_requirements_that_exist():
    assert set(proofs()) <= set(REQUIREMENTS)


@pytest.mark.parametrize("key", [k for k in REQUIREMENTS if k not in LATER])
def test_the_code_of_a_requirement_exists(key):
    for name in REQUIREMENTS[key][1].split(", "):
        assert (ROOT / "src" / "steiner" / name.partition(" ")[0]).exists(), name


def test_the_page_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/requirements.py`"
