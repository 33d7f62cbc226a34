"""One rigid body: twists, wrenches, its equation of motion in any frame, and its motion in time (D1-D6).

The body's frame is where its mass properties are given; it need not be at the centre of mass.
F = G V̇ − ad_Vᵀ G V, all in that frame, angular parts first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner.dynamics.collocation import integrated
from steiner.dynamics.composite import solve
from steiner.errors import ArgumentError, GeometryError, SteinerError, need, whole
from steiner.inertia import MassProperties
from steiner.scalar import Frozen, any_symbolic, entries, numbers
from steiner.spatial import IDENTITY, Pose, ad, cross, six
from steiner.spatial.poses import quaternion, rotation_quaternion

MOST_SAMPLES = 1_000_000
Load = Callable[[float, Pose, np.ndarray], Any]


def point_velocity(twist: Any, r: Any) -> np.ndarray:
    """ṗ = v + [ω] r of the body's point r, along the axes of the body's frame."""
    V = six(twist, "twist")
    return V[3:] + cross(V[:3], entries(r, (3,), "r"))


def point_acceleration(twist: Any, acceleration: Any, r: Any) -> np.ndarray:
    """p̈ = v̇ + [ω̇] r + [ω] v + [ω]² r of the body's point r, from the twist (ω, v) and its rate (ω̇, v̇)."""
    V, dV, r = six(twist, "twist"), six(acceleration, "acceleration"), entries(r, (3,), "r")
    w, dw = V[:3], dV[:3]
    return dV[3:] + cross(dw, r) + cross(w, V[3:]) + cross(w, cross(w, r))


@dataclass(frozen=True, eq=False)
class BodyMotion(Frozen):
    """A body's motion in time: poses in space, body twists, kinetic energy and spatial momentum (world axes)."""

    t: np.ndarray
    pose: Pose
    twist: np.ndarray
    energy: np.ndarray
    momentum: np.ndarray


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body whose mass properties are in the frame in which its twists and wrenches are given."""

    body: MassProperties

    def __post_init__(self) -> None:
        if not isinstance(self.body, MassProperties):
            raise ArgumentError(f"RigidBody takes MassProperties, got a {type(self.body).__name__}")
        if self.body.is_numeric and not self.body.is_physical():
            raise GeometryError(
                f"no distribution of mass has these properties: {self.body!r}; "
                "see is_physical() and nearest_physical()"
            )

    @property
    def G(self) -> np.ndarray:
        """6×6 spatial inertia in the body's frame."""
        return self.body.spatial

    def momentum(self, twist: Any) -> np.ndarray:
        """Spatial momentum P = G V in the body's frame."""
        return self.G @ six(twist, "twist")

    def kinetic_energy(self, twist: Any) -> Any:
        """K = ½ Vᵀ G V, the same in every frame."""
        V = six(twist, "twist")
        return V @ self.momentum(V) / 2

    def inverse(self, twist: Any, acceleration: Any) -> np.ndarray:
        """Wrench F = G V̇ − ad_Vᵀ G V that gives the twist its rate (X14: with the minus sign)."""
        V = six(twist, "twist")
        return self.G @ six(acceleration, "acceleration") - ad(V).T @ self.momentum(V)

    def forward(self, twist: Any, wrench: Any) -> np.ndarray:
        """Rate of the twist V̇ = G⁻¹ (F + ad_Vᵀ G V) under a wrench."""
        V = six(twist, "twist")
        names = tuple(f"axis {k + 1} of the body" for k in range(6))
        return solve(self.G, six(wrench, "wrench") + ad(V).T @ self.momentum(V), names)

    def point_velocity(self, twist: Any, r: Any) -> np.ndarray:
        """ṗ = v + [ω] r."""
        return point_velocity(twist, r)

    def point_acceleration(self, twist: Any, acceleration: Any, r: Any) -> np.ndarray:
        """p̈ = v̇ + [ω̇] r + [ω] v + [ω]² r."""
        return point_acceleration(twist, acceleration, r)

    def moved(self, pose: Pose) -> RigidBody:
        """The same body seen from the frame in which this one stands at `pose`: G_a = Ad(T_ba)ᵀ G_b Ad(T_ba)."""
        return RigidBody(self.body.moved(pose))

    def simulate(
        self,
        twist: Any,
        duration: float,
        *,
        pose: Pose = IDENTITY,
        wrench: Load | Any = None,
        samples: int = 101,
        rtol: float = 1e-9,
    ) -> BodyMotion:
        """Motion from a pose and a body twist; `wrench` is six numbers or f(t, pose, twist), in the body's frame.

        Gauss collocation of order 12, steps halved until two runs agree to rtol.
        """
        V0 = _floats(six(twist, "twist"), "twist")
        need("pose", pose, Pose)
        (duration, rtol) = numbers("duration and rtol", duration, rtol)
        whole("samples", samples, 1, MOST_SAMPLES)
        if not self.body.is_numeric or not self.body.mass or not (0 < duration < math.inf and 0 < rtol < 1):
            raise ArgumentError("simulate: expected a body with a mass in numbers, a duration > 0 s and 0 < rtol < 1")
        inverse = np.linalg.inv(self.G.astype(float))
        load = _load(wrench)
        G = self.G.astype(float)

        def rate(t: np.ndarray, y: np.ndarray) -> np.ndarray:
            q, V = y[:, :4], y[:, 7:]
            R = _rotations(q)
            w, v, P = V[:, :3], V[:, 3:], V @ G
            n, f = P[:, :3], P[:, 3:]
            push = np.concatenate([-_crossed(w, n) - _crossed(v, f), -_crossed(w, f)], axis=1)
            if load is not None:
                push = push + [load(a, Pose.trusted(b, c), d) for a, b, c, d in zip(t, R, y[:, 4:7], V, strict=True)]
            turn = np.stack([-np.sum(q[:, 1:] * w, axis=1), *_quaternion_rate(q, w)], axis=1) / 2
            return np.concatenate([turn, np.einsum("nij,nj->ni", R, v), push @ inverse.T], axis=1)

        vector, scalar = quaternion(pose.R.astype(float))
        start = np.concatenate([[scalar], vector, pose.p.astype(float), V0])
        t = np.linspace(0.0, duration, samples)
        y = integrated(rate, start, t, scale=float(np.linalg.norm(V0[:3])), rtol=rtol)
        return self._motion(t, y)

    def _motion(self, t: np.ndarray, y: np.ndarray) -> BodyMotion:
        R, p, V = _rotations(y[:, :4]), y[:, 4:7], y[:, 7:]
        P = V @ self.G.astype(float)
        force = np.einsum("nij,nj->ni", R, P[:, 3:])
        moment = np.einsum("nij,nj->ni", R, P[:, :3]) + _crossed(p, force)
        energy = np.sum(V * P, axis=1) / 2
        return BodyMotion(t, Pose.trusted(R, p), V, energy, np.concatenate([moment, force], axis=1))


def _floats(values: np.ndarray, what: str) -> np.ndarray:
    if any_symbolic(values):
        raise ArgumentError(f"simulate: {what} has symbols; a motion in time needs numbers")
    return values.astype(float)


def _load(wrench: Any) -> Load | None:
    if wrench is None:
        return None
    if callable(wrench):

        def asked(t: Any, pose: Pose, V: np.ndarray) -> np.ndarray:
            try:
                found = wrench(t, pose, V)
            except SteinerError:
                raise
            except Exception as error:  # whatever a stranger's function raises
                raise ArgumentError(f"simulate: the wrench fails at t = {float(t):g} s: {error}") from None
            return six(found, "wrench")

        return asked
    constant = _floats(six(wrench, "wrench"), "wrench")
    return lambda t, pose, V: constant


def _crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Row by row a × b; np.cross costs ten times as much on a few rows."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]).T


def _quaternion_rate(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Vector part of q ∘ (0, ω), components first."""
    return (q[:, :1] * w + _crossed(q[:, 1:], w)).T


def _rotations(q: np.ndarray) -> np.ndarray:
    """Rotations of quaternions (w, x, y, z), which need not be of length one."""
    return np.moveaxis(rotation_quaternion(*q.T), -1, 0)
