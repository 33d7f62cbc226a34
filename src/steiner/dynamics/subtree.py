"""Everything outboard of a joint as one body, and how its mass moves about the body that carries it.

With r from the body's origin and r° its rate relative to the body's axes, the moments of mass
m, h = ∫r dm, Σ = ∫r rᵀ dm have the rates p = ∫r° dm, Σ° = d/dt Σ and L = ∫r × r° dm.  Rates relative
to the body's own axes leave out what turns with it, so a rigid body adds nothing to them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.composite import along, rotated, shifted, symmetric_sum, turned, turned_symmetric
from steiner.dynamics.kinematics import Screw
from steiner.inertia.moments import Moments
from steiner.model.tree import GROUND, Tree
from steiner.spatial import ZERO, Pose, cross

NO_SECOND = np.zeros((3, 3), dtype=int)


class Rates(NamedTuple):
    """Rates of the moments of a subtree relative to its body's axes."""

    first: np.ndarray  # p = ∫ r° dm
    second: np.ndarray  # Σ° = ∫ (r° rᵀ + r r°ᵀ) dm
    spin: np.ndarray  # L = ∫ r × r° dm

    @property
    def is_zero(self) -> bool:
        """Whether nothing in the subtree moves relative to its body, by structure."""
        return self is AT_REST


AT_REST = Rates(ZERO, NO_SECOND, ZERO)


class Subtree(NamedTuple):
    """Moments of everything outboard of a joint about the body's origin, and their rates."""

    moments: Moments
    rates: Rates


def swept(moments: Moments, rates: Rates, turn_rate: Any) -> Rates:
    """Rates relative to axes that turn backwards about z at `turn_rate`: the joint's own motion added."""
    _, (hx, hy, _), S = moments
    a, b, c = turn_rate * S[0, 2], turn_rate * S[1, 2], turn_rate * S[0, 1]
    twice, across = c + c, turn_rate * (S[0, 0] - S[1, 1])
    second = np.array([[-twice, across, -b], [across, twice, a], [-b, a, 0]])
    return Rates(
        rates.first + [-turn_rate * hy, turn_rate * hx, 0],
        rates.second + second,
        rates.spin + [-a, -b, turn_rate * (S[0, 0] + S[1, 1])],
    )


def carried_rates(mount: Pose, T: Pose, joint: Screw, moments: Moments, rates: Rates) -> Rates:
    """Rates of a child's subtree about the parent's origin, relative to and along the parent's axes.

    `moments` are the child's, already turned and along the parent's axes but about its own origin.
    """
    R, d, (m, h, _) = mount.R, T.p, moments
    c, s = joint.c, joint.s
    _, (px, py, pz), second = turned(Moments(0, rates.first, rates.second), joint)
    lx, ly, lz = rates.spin
    p = R @ np.array([px, py, pz])
    L = R @ np.array([c * lx - s * ly, s * lx + c * ly, lz])
    slip = R[:, 2] * (joint.slide * joint.rate)  # of the child's origin
    second = rotated(second, R, turned_symmetric) + symmetric_sum(d, p + m * slip) + symmetric_sum(slip, h)
    return Rates(p + m * slip, second, L + cross(d, p + m * slip) + cross(h, slip))


def subtrees(tree: Tree, T: list[Pose], joints: list[Screw]) -> list[Subtree]:
    """Moments and rates of everything outboard of every joint, along the axes of its body."""
    bodies = tree.bodies
    moments = [body.moments for body in bodies]
    rates = [AT_REST] * len(bodies)
    for i in reversed(range(len(bodies))):
        body, j = bodies[i], joints[i]
        if body.parent == GROUND:
            continue
        motion = swept(moments[i], rates[i], j.turn * j.rate)
        about_own = along(turned(moments[i], j), body.mount.R)
        up = carried_rates(body.mount, T[i], j, about_own, motion)
        old = rates[body.parent]
        moments[body.parent] = moments[body.parent] + shifted(about_own, T[i].p)
        rates[body.parent] = Rates(old.first + up.first, old.second + up.second, old.spin + up.spin)
    return [Subtree(m, r) for m, r in zip(moments, rates, strict=True)]
