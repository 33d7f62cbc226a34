"""Parts and assemblies: the tree, its mass budget, and how to put its centre where it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steiner.assembly.budget import Budget, Row
from steiner.assembly.sums import Difference, combined
from steiner.assembly.tree import PROVENANCES, Assembly, Part

if TYPE_CHECKING:
    from steiner.assembly.balancing import Balance, balance

__all__ = ["PROVENANCES", "Assembly", "Balance", "Budget", "Difference", "Part", "Row", "balance", "combined"]


def __getattr__(name: str) -> Any:
    """The solver speaks SymPy, so it is imported when first asked for."""
    if name in ("Balance", "balance"):
        from steiner.assembly import balancing

        return getattr(balancing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
