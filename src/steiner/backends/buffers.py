"""Memory for large results, used again once nobody holds the result or a view of it.

Fresh pages cost more to touch than most kernels take to fill them.  A lent array keeps its lease alive
through its base; when the last view goes, the memory returns to a small store.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

LARGE = 1 << 20  # bytes from which recycling pays
STORED = 1 << 29  # most bytes kept for reuse
_ALIGNMENT = 64

_lock = threading.RLock()  # the garbage collector may return memory while this thread takes some
_store: list[np.ndarray] = []


class _Lease:
    """Holds memory while an array made from it lives."""

    def __init__(self, memory: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.memory = memory
        address = -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (address, False), "version": 3}

    def __del__(self) -> None:
        _returned(self.memory)


def _returned(memory: np.ndarray) -> None:
    with _lock:
        if sum(m.nbytes for m in _store) + memory.nbytes <= STORED:
            _store.append(memory)


def array(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array to be filled completely: zeros if small, recycled memory if large."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    if size < LARGE:
        return np.zeros(shape, dtype)
    need = size + _ALIGNMENT
    with _lock:
        fits = [m for m in _store if need <= m.nbytes <= 2 * need]
        memory = min(fits, key=lambda m: m.nbytes) if fits else None
        if memory is not None:
            _store[:] = [m for m in _store if m is not memory]
    return np.asarray(_Lease(np.zeros(need, np.uint8) if memory is None else memory, shape, dtype))


def clear() -> None:
    """Give the stored memory back to the system."""
    with _lock:
        _store.clear()
