"""Physics on random robots: every law of `laws.py`, on seeds that hypothesis draws."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.laws import laws


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@settings(max_examples=30)
@given(seed=some.integers(0, 10**6))
def test_law(law, seed):
    law(seed)


def test_the_list_of_laws_is_complete():
    assert len(laws.LAWS) >= 20
