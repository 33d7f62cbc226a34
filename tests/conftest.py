"""What every test shares: a deterministic hypothesis profile, a place for files, bounds that are relative."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


def approx(expected: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> Any:
    """`pytest.approx` that means what it is told: a relative bound is one, also of numbers far below 1.

    The library's own grants 1e-12 beside `rel`, which is everything to a moment of 1e-13 kg m².  Of several numbers the
    bound is relative to the largest.
    """
    if rel is not None and abs is None:
        try:
            values = list(expected.values()) if isinstance(expected, dict) else expected
            abs = rel * float(np.nanmax(np.abs(np.asarray(values, dtype=float)), initial=0.0))
        except (TypeError, ValueError):  # neither a number nor numbers
            abs = None
    return _approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)


_approx, pytest.approx = pytest.approx, approx
