"""Whether LLVM is there, without importing it, which takes longer than to find code that it made before."""

from __future__ import annotations

from functools import cache
from importlib.machinery import ModuleSpec, PathFinder


@cache
def llvmlite() -> ModuleSpec | None:
    """Where llvmlite is, if it is there."""
    return PathFinder.find_spec("llvmlite")
