"""The mass budget of an assembly: one row per node, computed about a named point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from steiner.assembly.table import ABOUT, UNACCOUNTED, Budget, Row, ratio
from steiner.assembly.tree import Assembly, Node, Part
from steiner.errors import ModelError, described, is_one_of
from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.scalar import frozen, is_zero
from steiner.solids.exactness import moved
from steiner.text.tables import shown

__all__ = ["ABOUT", "Budget", "Row", "budget"]


def budget(assembly: Assembly, about: str = "link") -> Budget:
    """The budget of an assembly; see `Assembly.budget`."""
    if not is_one_of(about, ABOUT):
        raise ModelError(f"about={described(about)}: expected {', '.join(map(repr, ABOUT))}")
    whole = assembly.mass_properties
    rows: list[Row] = []
    nodes = list(assembly.nodes())
    bodies = _bodies(nodes)
    points = [_point(about, node, body, whole) for node, body in zip(nodes, bodies, strict=True)]
    for node, body, point, tensor in zip(nodes, bodies, points, _tensors(bodies, points), strict=True):
        part = node.part
        kind = "assembly" if isinstance(part, Assembly) else "cavity" if part.cavity else "part"
        volume = part.volume if isinstance(part, Part) else None
        share = ratio(body.mass, whole.mass)
        rows.append(
            Row(
                part.name, node.path, node.depth, kind, body.mass, share, body.com, tensor, volume, _material(part),
                part.origins,
            )
        )  # fmt: skip
        if isinstance(part, Assembly) and part.difference is not None:
            rows.append(_unaccounted(node, part, rows[-1], point, whole))
    return Budget(assembly.name, about, tuple(rows), whole)


class _Body(NamedTuple):
    """Mass, centre and tensor about it, along the axes of the assembly."""

    mass: Any
    com: np.ndarray
    inertia: np.ndarray


def _bodies(nodes: list[Node]) -> list[_Body]:
    """What each node adds; those of numbers all at once."""
    own, poses = [node.part.signed for node in nodes], [node.pose for node in nodes]
    R, p = np.array([pose.R for pose in poses]), np.array([pose.p for pose in poses])
    mass, com, inertia = (np.array([getattr(body, name) for body in own]) for name in _Body._fields)
    if R.dtype == p.dtype == mass.dtype == com.dtype == inertia.dtype == np.float64:
        centres, tensors = (R @ com[:, :, None])[:, :, 0] + p, R @ inertia @ R.transpose(0, 2, 1)
        return list(map(_Body, mass.tolist(), frozen(centres), tensors))
    turned = (moved(body, pose) for body, pose in zip(own, poses, strict=True))
    return [_Body(body.mass, body.com, body.inertia) for body in turned]


def _tensors(bodies: list[_Body], points: list[np.ndarray]) -> Iterable[np.ndarray]:
    """Of each body about its point; those of numbers all at once."""
    offsets = np.array([body.com for body in bodies]) - np.array(points)
    masses, tensors = np.array([body.mass for body in bodies]), np.array([body.inertia for body in bodies])
    if offsets.dtype == masses.dtype == tensors.dtype == np.float64:
        return frozen(tensors + np.moveaxis(steiner_term(masses, tuple(offsets.T)), -1, 0))
    return [body.inertia + steiner_term(body.mass, body.com - p) for body, p in zip(bodies, points, strict=True)]


def _point(about: str, node: Node, body: _Body, whole: MassProperties) -> np.ndarray:
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
