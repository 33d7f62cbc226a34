"""What every test shares: a deterministic hypothesis profile and a place for files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
