"""The mass budget of an assembly: one row per node, computed about a named point."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.assembly.table import ABOUT, UNACCOUNTED, Budget, Row, ratio
from steiner.assembly.tree import Assembly, Node, Part
from steiner.errors import ModelError, described, is_one_of
from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.scalar import is_zero
from steiner.solids.base import moved
from steiner.text.tables import shown

__all__ = ["ABOUT", "Budget", "Row", "budget"]


def budget(assembly: Assembly, about: str = "link") -> Budget:
    """The budget of an assembly; see `Assembly.budget`."""
    if not is_one_of(about, ABOUT):
        raise ModelError(f"about={described(about)}: expected {', '.join(map(repr, ABOUT))}")
    whole = assembly.mass_properties
    rows: list[Row] = []
    for node in assembly.nodes():
        part = node.part
        body = moved(part.signed, node.pose)
        cavity = isinstance(part, Part) and part.cavity
        point = _point(about, node, body, whole)
        rows.append(
            Row(
                name=part.name,
                path=node.path,
                depth=node.depth,
                kind="assembly" if isinstance(part, Assembly) else "cavity" if cavity else "part",
                mass=body.mass,
                share=ratio(body.mass, whole.mass),
                com=body.com,
                inertia=body.inertia + steiner_term(body.mass, body.com - point),
                volume=part.volume if isinstance(part, Part) else None,
                material=_material(part),
                provenance=part.origins,
            )
        )
        if isinstance(part, Assembly) and part.difference is not None:
            rows.append(_unaccounted(node, part, rows[-1], point, whole))
    return Budget(assembly.name, about, tuple(rows), whole)


def _point(about: str, node: Node, body: MassProperties, whole: MassProperties) -> np.ndarray:
    if about == "own":
        return body.com
    if about == "frame":
        return node.pose.p
    if about == "joint":
        return np.zeros(3)
    if about == "link" or node.parent is None:
        return whole.com
    return node.parent.pose.apply(node.parent.part.signed.com)


def _unaccounted(node: Node, part: Assembly, row: Row, point: np.ndarray, whole: MassProperties) -> Row:
    """What was measured or weighed minus the sum of the parts, about the same point."""
    summed = moved(part.computed, node.pose)
    inertia = row.inertia - summed.inertia - steiner_term(summed.mass, summed.com - point)
    mass = row.mass - summed.mass
    first = row.mass * row.com - summed.mass * summed.com
    com = row.com if is_zero(mass) else first / mass
    return Row(
        name=UNACCOUNTED,
        path=f"{node.path}/{UNACCOUNTED}",
        depth=node.depth + 1,
        kind="unaccounted",
        mass=mass,
        share=ratio(mass, whole.mass),
        com=com,
        inertia=inertia,
        volume=None,
        material="",
        provenance=part.origins,
    )


def _material(part: Any) -> str:
    found = getattr(part, "material", None)
    if found is not None:
        return f"{found.name}"
    if getattr(part, "varies", False):
        return "varies"
    density = getattr(part, "density", None)
    return f"{shown(density)} kg/m³" if density is not None else ""
