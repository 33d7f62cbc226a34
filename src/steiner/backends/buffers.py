"""Memory for large results, used again once nobody holds the result or a view of it.

Fresh pages cost more to touch than most kernels take to fill them.  A lent array keeps its lease alive
through its base; when the last view goes, the memory returns to a small store.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LARGE = 1 << 18  # bytes from which recycling pays
STORED = 1 << 29  # most bytes kept for reuse
_ALIGNMENT = 64

# by id; changed by single steps of the interpreter only, without a lock: the garbage collector returns memory whenever
# it likes, also while this thread takes some or holds a lock that another needs
_store: dict[int, np.ndarray] = {}


class _Lease:
    """Holds memory while an array made from it lives."""

    def __init__(self, memory: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.memory = memory
        address = -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (address, False), "version": 3}

    def __del__(self) -> None:
        _returned(self.memory)


def _returned(memory: np.ndarray) -> None:
    if memory.nbytes > STORED:
        return
    _store[id(memory)] = memory
    waiting = list(_store.items())
    excess = sum(m.nbytes for _, m in waiting) - STORED
    for key, m in waiting:  # what has waited longest goes first
        if excess <= 0:
            break
        if _store.pop(key, None) is not None:  # else another thread took it
            excess -= m.nbytes


def array(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array to be filled completely: zeros if small, recycled memory if large."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.zeros(shape, dtype)
    need = size + _ALIGNMENT
    fits = [m for m in list(_store.values()) if need <= m.nbytes <= 2 * need]
    for memory in sorted(fits, key=lambda m: m.nbytes):
        if _store.pop(id(memory), None) is not None:  # else another thread was first
            break
    else:
        memory = np.zeros(need, np.uint8)
    return np.asarray(_Lease(memory, shape, dtype))


def clear() -> None:
    """Give the stored memory back to the system."""
    _store.clear()
