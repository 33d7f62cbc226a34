"""Decimal numbers as files write them: digits, one point, one exponent, nothing else."""

from __future__ import annotations

LONGEST = 400  # characters of a number: the widest float written out has 326 digits
_CHARACTERS = frozenset("0123456789+-.eE")  # of these alone, `float` takes exactly what a decimal number is


def decimal(word: str) -> float | None:
    """The value of a decimal number, infinite if it is too large for a float; None if the word is none."""
    if len(word) > LONGEST or not _CHARACTERS.issuperset(word):
        return None
    try:
        return float(word)
    except ValueError:
        return None
