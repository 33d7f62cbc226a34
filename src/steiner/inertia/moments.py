"""Moments of mass about a frame's origin, which are linear in the mass: what algorithms read of a body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.scalar import frozen
from steiner.spatial import Pose


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
