"""Statics of open chains: the efforts that hold the arm against wrenches and gravity (D7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steiner.dynamics.newton_euler import Wrenches, inverse_dynamics
from steiner.model.tree import Tree
from steiner.spatial import Wrench


def reversed_wrenches(wrenches: Wrench | Sequence[Wrench] | None) -> tuple[Wrench, ...]:
    """What the other side exerts: the same wrenches with opposite sign."""
    given = () if wrenches is None else (wrenches,) if isinstance(wrenches, Wrench) else tuple(wrenches)
    return tuple(-w for w in given)


def static_torque(
    tree: Tree, q: Any, *, exerted_by_robot: Any = None, external: Wrenches = (), gravity: bool = True
) -> np.ndarray:
    """Efforts in equilibrium: JᵀF for a wrench that the robot exerts, −JᵀF for an external one, plus g(q).

    The springs of the joints count with g(q).  Power at the joints is power at the end effector: τᵀ q̇ = Fᵀ V.
    """
    loads = (*(external or ()), *reversed_wrenches(exerted_by_robot))
    rest = [0] * tree.n
    held = tree if gravity else tree.weightless()
    return inverse_dynamics(held, q, rest, rest, external=loads, friction=False)
