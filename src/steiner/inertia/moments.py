"""Moments of mass, which are linear in it, and what makes a tensor of them: the theorem of Huygens and Steiner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.scalar import frozen, is_number, select
from steiner.spatial import Pose
from steiner.trace.node import Node


class Moments(NamedTuple):
    """The zeroth, first and second moments of mass about a frame's origin: linear in the mass."""

    mass: Any
    first: np.ndarray  # ∫ r dm = m c
    second: np.ndarray  # ∫ r rᵀ dm

    def moved(self, pose: Pose) -> Moments:
        """The moments about the parent frame's origin: P ↦ T P Tᵀ of the pseudo-inertia."""
        R, p = pose.R, pose.p
        h = R @ self.first
        second = R @ self.second @ R.T + np.outer(p, h) + np.outer(h, p) + self.mass * np.outer(p, p)
        return Moments(self.mass, h + self.mass * p, second)

    def __add__(self, other: Moments) -> Moments:  # type: ignore[override]
        """Moments of both together."""
        return Moments(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def kept(self) -> Moments:
        """The same, read-only: what a value keeps."""
        return Moments(self.mass, frozen(self.first), frozen(self.second))

    def times(self, factor: Any) -> Moments:
        """Moments of the same shape, `factor` times as dense."""
        return Moments(factor * self.mass, factor * self.first, factor * self.second)


NO_MOMENTS = Moments(0, np.zeros(3, dtype=int), np.zeros((3, 3), dtype=int)).kept()  # exact: adds no 0.0 to a formula


def tensor_of(second: Any) -> np.ndarray:
    """Inertia tensor tr(Σ) 1 − Σ of a second-moment matrix Σ = ∫ r rᵀ dm.

    Sums of two, never the trace minus one: the moment of a needle about its own axis is small.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = second.tolist() if isinstance(second, np.ndarray) else second
    return np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def second_of(tensor: Any) -> np.ndarray:
    """Second-moment matrix ½ tr(I) 1 − I of an inertia tensor.

    Of two large moments the difference comes first, which is exact: a needle's small moments keep their digits.
    """
    xx, yy, zz = tensor[0, 0], tensor[1, 1], tensor[2, 2]
    halves = (_excess(yy, zz, xx) / 2, _excess(xx, zz, yy) / 2, _excess(xx, yy, zz) / 2)
    return np.array([[halves[i] if i == j else -tensor[i, j] for j in range(3)] for i in range(3)])


def _excess(a: Any, b: Any, c: Any) -> Any:
    """a + b − c; of numbers, traced ones too, the larger of a and b is the one that c is taken from."""
    if all(is_number(x) or isinstance(x, Node) for x in (a, b, c)):
        return select(a - b, (a - c) + b, (b - c) + a)
    return a + b - c


def steiner_term(mass: Any, offset: Any) -> np.ndarray:
    """m [(d·d) 1 − d dᵀ]: what a parallel shift by d adds to the central tensor."""
    x, y, z = offset.tolist() if isinstance(offset, np.ndarray) else offset
    return mass * tensor_of([[x * x, x * y, x * z], [y * x, y * y, y * z], [z * x, z * y, z * z]])
