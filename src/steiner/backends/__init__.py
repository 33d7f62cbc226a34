"""Backends turn a tape into something that runs; `BACKENDS` names them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from steiner.backends import installed
from steiner.errors import ArgumentError, unknown
from steiner.locks import LOCK
from steiner.trace import Tape


def _llvm() -> Any:
    with LOCK:
        from steiner.backends import llvm

    return llvm


def _numpy() -> Any:
    from steiner.backends import reference

    return reference


# name -> who fetches the module with `compile(tape, dtype, threads) -> kernel(inputs, outputs, count)`
BACKENDS: dict[str, Callable[[], Any]] = {"llvm": _llvm, "numpy": _numpy}

# kernel(inputs, outputs, count): 2-D arrays of rows; an input of one row serves every row
Kernel = Callable[[list[np.ndarray], list[np.ndarray], int], None]


def default_backend() -> str:
    """The fastest backend here: `STEINER_BACKEND` if set, else llvm where llvmlite is installed."""
    chosen = os.environ.get("STEINER_BACKEND")
    if chosen:
        return chosen
    return "llvm" if installed.llvmlite() else "numpy"


def compile_tape(
    tape: Tape, *, backend: str | None = None, dtype: Any = np.float64, threads: int | None = None,
    columns: bool = False, later: bool = False,
) -> Kernel:
    """A kernel for a tape; with `columns` every element of its inputs and outputs is an array (count, 1) of its own.

    With `later` it may answer a first row without code, with the same bits.
    """
    name = default_backend() if backend is None else backend
    if not isinstance(name, str) or name not in BACKENDS:
        raise ArgumentError(unknown("backend", name, BACKENDS))
    made = BACKENDS[name]()
    how = "compile_columns" if columns else "compile_later" if later else "compile"
    return getattr(made, how, made.compile)(tape.by_columns() if columns else tape, np.dtype(dtype), threads)


def remembered(key: str, make: Callable[[], bytes]) -> bytes:
    """What was found out before, kept beside the code of kernels under the same rules; else found out now."""
    if default_backend() != "llvm":
        return make()
    with LOCK:
        from steiner.backends.llvm.cache import cached_object

    return cached_object(key, make)


def ready(kernel: Kernel) -> Kernel:
    """The kernel, its code made now rather than when it is first called."""
    load = getattr(kernel, "load", None)
    if load is not None:
        load()
    return kernel


def native_call(
    backend: str | None, name: str, signature: str, doc: str, slow: Callable[..., Any], owner: str = ""
) -> Any:
    """A native function in front of a Python one, if the backend can make one; it prints as a kernel for its owner."""
    if (default_backend() if backend is None else backend) != "llvm":
        return None
    return _llvm().native_call(name, signature, doc, slow, owner)


def activate(native: Any, tape: Tape, batch: Kernel) -> None:
    """Open a native function's fast path to the kernels of a tape."""
    _llvm().activate(native, tape, batch)


def repeat(
    kernel: Kernel, state: list[np.ndarray], others: list[np.ndarray], count: int,
    every: int = 1, log: list[np.ndarray] | None = None,
) -> None:
    """Apply a kernel `count` times to its own results, which take the place of the state, arrays (rows, size).

    `others` are what else it reads: (rows or 1, size), or one such array per step: (count, rows or 1, size).  After
    each `every` steps the state goes into `log`, arrays (count // every, rows, size).  Arrays have no gaps.
    """
    native = getattr(kernel, "repeat", None)
    if not count or not len(state[0]):
        return
    if native is not None:
        native(state, others, count, every, log)
        return
    new = [np.zeros_like(x) for x in state]
    for k in range(count):
        kernel([*state, *(x[k] if x.ndim == 3 else x for x in others)], new, len(state[0]))
        for j, x in enumerate(new):
            state[j][...] = x
            if log and (k + 1) % every == 0:
                log[j][k // every] = x
