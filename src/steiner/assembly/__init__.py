"""Parts and assemblies: the tree, its mass budget, and how to put its centre where it should be."""

from __future__ import annotations

from steiner.assembly.budget import Budget, Row
from steiner.assembly.tree import PROVENANCES, Assembly, Part, combined

__all__ = ["PROVENANCES", "Assembly", "Budget", "Part", "Row", "combined"]
