"""The equations of motion near a pose: M δq̈ + D δq̇ + K δq = δτ, with poles, modes and margins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, need
from steiner.model.robot import Robot
from steiner.motion.trajectories import finite
from steiner.scalar import Frozen, frozen

ROUNDING = 1e-12  # of the fastest pole: what does not decay faster is not known to decay


@dataclass(frozen=True, eq=False)
class Linear(Frozen):
    """M δq̈ + D δq̇ + K δq = δτ about a pose that `tau` holds; state x = (δq, δq̇)."""

    q: np.ndarray
    tau: np.ndarray
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray

    @property
    def A(self) -> np.ndarray:
        """State matrix (2n, 2n): ẋ = A x + B δτ."""
        n = len(self.q)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-self._per_mass(self.K), -self._per_mass(self.D)]])

    @property
    def B(self) -> np.ndarray:
        """Input matrix (2n, n)."""
        n = len(self.q)
        return np.vstack([np.zeros((n, n)), self._per_mass(np.eye(n))])

    @cached_property
    def poles(self) -> np.ndarray:
        """Eigenvalues of A, 1/s, the least stable first."""
        found: Any = np.linalg.eigvals(self.A)
        return frozen(found[np.lexsort((-found.imag, -found.real))])

    @property
    def is_stable(self) -> bool:
        """Whether every small disturbance dies out."""
        return bool(np.real(self.poles).max() < -ROUNDING * np.abs(self.poles).max())

    @cached_property
    def _undamped(self) -> tuple[np.ndarray, np.ndarray]:
        from scipy.linalg import eigh

        squares, shapes = eigh((self.K + self.K.T) / 2, self.M)
        return squares, shapes

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies without damping, Hz, ascending; NaN for a direction that falls away."""
        squares = self._undamped[0]
        floor = 1e-12 * max(np.abs(squares).max(), 1e-300)
        return np.where(squares >= -floor, np.sqrt(np.maximum(squares, 0)), np.nan) / (2 * np.pi)

    @property
    def modes(self) -> np.ndarray:
        """Shapes of the natural vibrations, a column each, of largest entry 1."""
        shapes = self._undamped[1]
        peak = np.argmax(np.abs(shapes), axis=0)
        return shapes / shapes[peak, np.arange(shapes.shape[1])]

    @property
    def damping(self) -> np.ndarray:
        """Damping ratio of each pole: 1 is critical, 0 rings for ever, negative grows."""
        size = np.abs(self.poles)
        return np.where(size > 0, -np.real(self.poles) / np.where(size > 0, size, 1), 1.0)

    def with_pd(self, kp: Any, kd: Any) -> Linear:
        """With τ = −kp δq − kd δq̇ closed around it; gains as one number, one per joint, or matrices."""
        n = len(self.q)
        P, V = (_matrix(x, n, name) for x, name in ((kp, "kp"), (kd, "kd")))
        return Linear(self.q, self.tau, self.M, self.D + V, self.K + P)

    def margins(self, kp: Any, kd: Any) -> Margins:
        """How far the PD loop of each joint, the others closed, is from instability."""
        return _margins(self, _matrix(kp, len(self.q), "kp"), _matrix(kd, len(self.q), "kd"))

    def _per_mass(self, X: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.M, X)


@dataclass(frozen=True)
class Margins(Frozen):
    """Per joint: by what the gain may fall or rise, degrees of phase and seconds of delay that the loop can bear."""

    gain: np.ndarray  # (n, 2): factors below and above 1; 0 and infinity where there is no bound
    phase: np.ndarray  # degrees
    delay: np.ndarray  # seconds


def linearise(robot: Robot, q: Any, *, friction: bool = True) -> Linear:
    """The equations of motion near the pose q, at rest and held by static_torque(q)."""
    need("robot", robot, Robot)
    at = finite(q, "q")
    if at.shape != (robot.n,):
        raise ArgumentError(f"q: expected {robot.n} numbers, got shape {at.shape}")
    rest = np.zeros(robot.n)
    K, D, M = robot.inverse_dynamics_derivatives(at, rest, rest, friction=friction)
    return Linear(at, robot.static_torque(at), M, D, K)


def _matrix(value: Any, n: int, what: str) -> np.ndarray:
    found = finite(value, what)
    if found.shape == (n, n):
        return found
    if found.shape in ((), (n,)):
        return np.diag(np.broadcast_to(found, (n,)))
    raise ArgumentError(f"{what}: expected one number, {n} or a {n}×{n} matrix, got shape {found.shape}")


def _margins(system: Linear, P: np.ndarray, V: np.ndarray) -> Margins:
    n = len(system.q)
    scale = np.abs(system.with_pd(P, V).poles)
    w = np.geomspace(1e-4 * max(scale[scale > 0].min(), 1e-9), 1e4 * scale.max(), 20_000)
    w[0] = 0  # where a gain too small lets the arm fall
    s = 1j * w
    gain, phase, delay = np.tile([0.0, np.inf], (n, 1)), np.full(n, np.inf), np.full(n, np.inf)
    for k in range(n):
        others = np.ones(n)
        others[k] = 0
        closed = system.with_pd(P * others[:, None], V * others[:, None])
        Z = closed.M * (s**2)[:, None, None] + closed.D * s[:, None, None] + closed.K
        row = P[k] + V[k] * s[:, None]
        L = np.einsum("wj,wj->w", row, np.linalg.solve(Z, np.eye(n)[k][None, :, None])[:, :, 0])
        gain[k] = _gain_margin(L)
        phase[k], delay[k] = _phase_margin(L, w)
    return Margins(gain, phase, delay)


def _gain_margin(L: Any) -> tuple[float, float]:
    """Factors at which the locus passes −1."""
    turn = np.flatnonzero(np.sign(L.imag[2:]) != np.sign(L.imag[1:-1])) + 2
    real = L.real[np.append(turn, 0)]
    factors = -1 / real[real < 0]
    below, above = factors[factors < 1], factors[factors > 1]
    return (float(below.max()) if len(below) else 0.0), (float(above.min()) if len(above) else np.inf)


def _phase_margin(L: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """Degrees, and seconds of delay, at which the locus passes −1."""
    size = np.abs(L)
    cross = np.flatnonzero((size[1:] < 1) != (size[:-1] < 1)) + 1
    if not len(cross):
        return np.inf, np.inf
    angle = np.mod(np.angle(L[cross]) + np.pi, 2 * np.pi)  # what may still be lost before −180°
    return float(np.degrees(np.minimum(angle, 2 * np.pi - angle).min())), float((angle / w[cross]).min())
