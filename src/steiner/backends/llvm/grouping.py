"""The native half of `steiner.backends.grouping`: two loops over integers that NumPy does not have."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from steiner.backends.llvm import engine
from steiner.locks import LOCK

_NUMBER = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * 2,
    *[ctypes.c_void_p] * 3,
)  # fmt: skip
_JOIN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)


@cache
def _loaded() -> tuple[Any, Any, Any]:
    text = Path(__file__).with_name("grouping.ll").read_text(encoding="utf-8")
    library = engine.Library(engine.kept("grouping", lambda: engine.object_code(text)), "number", "join")
    return _NUMBER(library.address("number")), _JOIN(library.address("join")), library


def _functions() -> tuple[Any, Any, Any]:
    with LOCK:
        return _loaded()


def numbered(words: np.ndarray, expected: int) -> tuple[np.ndarray, np.ndarray]:
    """See `steiner.backends.grouping.numbered`; words are uint32 (n, k)."""
    number = _functions()[0]
    count, width = words.shape
    index, first, unique = np.empty(count, np.int32), np.empty(count, np.int32), np.empty_like(words)
    bits = max((2 * expected).bit_length(), 4)
    while True:  # where there are more distinct rows than expected, the table grows
        table = np.full(1 << bits, -1, np.int32)
        distinct = number(
            words.ctypes.data, count, width, table.ctypes.data, len(table) - 1, len(table) * 5 // 8,
            index.ctypes.data, first.ctypes.data, unique.ctypes.data,
        )  # fmt: skip
        if distinct >= 0:
            return index, first[:distinct].copy()
        bits += 2


def joined(left: np.ndarray, right: np.ndarray, items: int) -> np.ndarray:
    """See `steiner.backends.grouping.joined`; the pairs are int32."""
    parent = np.arange(items, dtype=np.int32)
    _functions()[1](left.ctypes.data, right.ctypes.data, len(left), parent.ctypes.data, items)
    return parent
