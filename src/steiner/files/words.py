"""Numbers in text, by the million: in blocks, so that the words of a file never stand in memory all at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

WIDE = 32  # characters of a word that a table holds; longer ones are kept as they are
BLOCK = 1 << 16  # bytes of text at once
MARK = b"\xef\xbb\xbf"  # of a text in UTF-8, which some editors put before it
SPACE = re.compile(rb"\s")


def tabled(words: Sequence[bytes]) -> np.ndarray:
    """Words as an array; one that is too wide stays an object, for a lost exponent would be another number."""
    table = np.array(words, dtype=f"S{WIDE}")
    cut = table.size and table.view(np.uint8).reshape(-1, WIDE)[:, -1].any()
    return np.array(words, object) if cut else table


def values(text: bytes) -> np.ndarray:
    """All numbers of a text, with white space between them; a ValueError names a word that is none."""
    found = [tabled(block.split()).astype(float) for block in blocks(text)]
    return np.concatenate(found) if found else np.zeros(0)


def whole(numbers: np.ndarray) -> np.ndarray:
    """Floats that are whole numbers, as such; a ValueError names one that is none."""
    odd = numbers[~(np.abs(numbers) < 2**53) | (numbers != np.floor(numbers))]
    if len(odd):
        raise ValueError(f"expected a whole number, got {odd[0]:g}")
    return numbers.astype(np.int64)


def blocks(text: bytes, start: int = 0) -> Iterator[bytes]:
    """Pieces of a text from a place on, each of whole words."""
    while start < len(text):
        space = SPACE.search(text, start + BLOCK)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end
