"""Backends turn a tape into something that runs; `BACKENDS` names them."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, unknown
from steiner.trace import Tape

# name -> module with `compile(tape, dtype, threads) -> kernel(inputs, outputs, count)`
BACKENDS = {"llvm": "steiner.backends.llvm", "numpy": "steiner.backends.reference"}

# kernel(inputs, outputs, count): 2-D arrays of rows; an input of one row serves every row
Kernel = Callable[[list[np.ndarray], list[np.ndarray], int], None]


def default_backend() -> str:
    """The fastest backend here: `STEINER_BACKEND` if set, else llvm where llvmlite is installed."""
    chosen = os.environ.get("STEINER_BACKEND")
    if chosen:
        return chosen
    return "llvm" if importlib.util.find_spec("llvmlite") else "numpy"


def compile_tape(
    tape: Tape, *, backend: str | None = None, dtype: Any = np.float64, threads: int | None = None
) -> Kernel:
    """A kernel for a tape."""
    name = backend or default_backend()
    if name not in BACKENDS:
        raise ArgumentError(unknown("backend", name, BACKENDS))
    return importlib.import_module(BACKENDS[name]).compile(tape, np.dtype(dtype), threads)


def native_call(backend: str | None, name: str, signature: str, doc: str, slow: Callable[..., Any]) -> Any:
    """A native function in front of a Python one, if the backend can make one."""
    if (backend or default_backend()) != "llvm":
        return None
    return importlib.import_module(BACKENDS["llvm"]).native_call(name, signature, doc, slow)


def activate(native: Any, tape: Tape, batch: Kernel) -> None:
    """Open a native function's fast path to the kernels of a tape."""
    importlib.import_module(BACKENDS["llvm"]).activate(native, tape, batch)
