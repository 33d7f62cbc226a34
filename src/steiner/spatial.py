"""Rigid-body algebra: poses, twists, wrenches, Ad, ad, exp and log, for any kind of number.

6-vectors are angular first: a twist is (ω, v), a wrench (moment, force).  `T_a_b` takes
coordinates in frame b to coordinates in frame a.  Poses may carry leading batch dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner.errors import GeometryError, SteinerError
from steiner.scalar import array, cos, is_number, is_zero, sin, sqrt

Vector = Sequence[Any] | np.ndarray

# cosines of the angles that drawings use; see `snapped`
_EXACT = (0.0, 0.5, math.sqrt(0.5), math.sqrt(0.75), 1.0)
ROUND_OFF = 1e-15


def cross(a: Any, b: Any) -> np.ndarray:
    """a × b; the last axis holds the components."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == b.ndim == 1:  # the common case, and the only one inside an algorithm
        (ax, ay, az), (bx, by, bz) = a, b
        return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    return np.cross(a, b)


def dot(a: Any, b: Any) -> Any:
    """a · b of two 3-vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def skew(w: Any) -> np.ndarray:
    """[w] with [w] r = w × r."""
    x, y, z = w
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def vee(W: Any) -> np.ndarray:
    """The vector w of a skew-symmetric matrix [w]."""
    return np.array([W[2][1], W[0][2], W[1][0]])


def snapped(R: np.ndarray, tolerance: float) -> np.ndarray:
    """R with entries that lie within tolerance of 0, ±1/2, ±√2/2, ±√3/2, ±1 set to them."""
    if R.dtype == object:
        return R
    exact = R.copy()
    for value in _EXACT:
        near = np.abs(np.abs(R) - value) <= tolerance
        exact[near] = np.copysign(value, R[near]) if value else 0.0
    return exact


def rotation_x(angle: Any) -> np.ndarray:
    """Rotation by an angle about x."""
    c, s = cos(angle), sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle: Any) -> np.ndarray:
    """Rotation by an angle about y."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotation_z(angle: Any) -> np.ndarray:
    """Rotation by an angle about z."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rotation_rpy(rpy: Vector) -> np.ndarray:
    """R = Rz(yaw) Ry(pitch) Rx(roll): roll, pitch, yaw about the *fixed* axes x, y, z.

    Eq. 17 of Szumiński & Kapitaniak (γ, α, δ), and URDF's rpy.
    """
    roll, pitch, yaw = rpy
    R = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
    return snapped(array(R), ROUND_OFF)


def rotation_to(axis: Vector) -> np.ndarray:
    """A rotation whose third column is the unit axis; exact and sparse along ±x, ±y, ±z."""
    x, y, z = axis
    if is_zero(x) and is_zero(y):
        return np.diag([1, 1, 1] if z > 0 else [1, -1, -1])
    if is_zero(x) and is_zero(z):  # z → ±y, about x
        return np.array([[1, 0, 0], [0, 0, y], [0, -y, 0]])
    if is_zero(y) and is_zero(z):  # z → ±x, about y
        return np.array([[0, 0, x], [0, 1, 0], [-x, 0, 0]])
    across = sqrt(x * x + y * y)  # first column horizontal: one zero kept
    return np.array(
        [[-y / across, -x * z / across, x], [x / across, -y * z / across, y], [0 * x, across, z]]
    )


def unit(axis: Vector, what: str = "axis") -> np.ndarray:
    """The axis divided by its length; exact if the length is."""
    v = array(axis, (3,), what)
    square = dot(v, v)
    if is_zero(square):
        raise GeometryError(f"{what}: {list(axis)} has no direction; give a non-zero vector")
    if is_number(square) and square == 1:
        return v
    return v / sqrt(square)


@dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """Pose of a child frame in a parent: p_parent = R p_child + p."""

    R: np.ndarray
    p: np.ndarray

    def __init__(self, R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> None:
        rotation = np.eye(3) if R is None else array(R, (3, 3), "rotation")
        if R is not None and rotation.dtype == np.float64:
            off = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(initial=0.0)
            if off > 1e-6 or np.any(np.linalg.det(rotation) < 0):
                raise GeometryError(
                    f"R is not a rotation: R Rᵀ differs from 1 by {off:.2g}"
                    f"{', and it mirrors' if np.any(np.linalg.det(rotation) < 0) else ''}; "
                    "give a right-handed orthonormal matrix"
                )
        object.__setattr__(self, "R", rotation)
        object.__setattr__(self, "p", array(p, (3,), "position"))

    @classmethod
    def trusted(cls, R: np.ndarray, p: np.ndarray) -> Pose:
        """A pose from parts that are already known to be one: no checks, no copies."""
        self = object.__new__(cls)
        object.__setattr__(self, "R", R)
        object.__setattr__(self, "p", p)
        return self

    @classmethod
    def identity(cls) -> Pose:
        """The pose that changes nothing."""
        return IDENTITY

    @classmethod
    def from_rpy(cls, xyz: Vector = (0, 0, 0), rpy: Vector = (0, 0, 0)) -> Pose:
        """From a position and roll, pitch, yaw about fixed axes (URDF's convention)."""
        return cls.trusted(rotation_rpy(array(rpy, (3,), "rpy")), array(xyz, (3,), "xyz"))

    @classmethod
    def from_matrix(cls, T: Any) -> Pose:
        """From a homogeneous 4×4 matrix (with leading batch dimensions, if any)."""
        T = array(T, (4, 4), "homogeneous matrix")
        last = T[..., 3, :]
        if T.dtype == np.float64 and not np.array_equal(last, np.broadcast_to([0, 0, 0, 1], last.shape)):
            raise GeometryError(f"the last row of a homogeneous matrix is (0, 0, 0, 1), got {last.tolist()}")
        return cls(T[..., :3, :3], T[..., :3, 3])

    @classmethod
    def from_quaternion(
        cls, p: Vector = (0, 0, 0), *, quat_xyzw: Vector | None = None, quat_wxyz: Vector | None = None
    ) -> Pose:
        """From a unit quaternion, its order spelled out by name."""
        if (quat_xyzw is None) == (quat_wxyz is None):
            raise SteinerError("give exactly one of quat_xyzw= and quat_wxyz=")
        x, y, z, w = array(quat_xyzw if quat_wxyz is None else [*quat_wxyz[1:], quat_wxyz[0]], (4,), "quaternion")
        norm = x * x + y * y + z * z + w * w
        if is_number(norm) and abs(norm - 1) > 1e-6:
            raise GeometryError(f"quaternion of length {math.sqrt(norm):.6g}; expected a unit quaternion")
        R = [
            [1 - 2 * (y * y + z * z) / norm, 2 * (x * y - z * w) / norm, 2 * (x * z + y * w) / norm],
            [2 * (x * y + z * w) / norm, 1 - 2 * (x * x + z * z) / norm, 2 * (y * z - x * w) / norm],
            [2 * (x * z - y * w) / norm, 2 * (y * z + x * w) / norm, 1 - 2 * (x * x + y * y) / norm],
        ]
        return cls.trusted(array(R), array(p, (3,), "position"))

    def __matmul__(self, other: Pose) -> Pose:
        """T_a_b @ T_b_c = T_a_c."""
        if not isinstance(other, Pose):
            return NotImplemented
        if self is IDENTITY or other is IDENTITY:  # keeps exact numbers exact
            return other if self is IDENTITY else self
        return Pose.trusted(self.R @ other.R, self.apply(other.p))

    def apply(self, points: Any) -> np.ndarray:
        """Coordinates of points (…, 3) in the parent frame."""
        points = np.asarray(points)
        if self.R.ndim == 2 and points.ndim == 1:
            return self.R @ points + self.p
        if self.R.ndim == 2:
            return points @ self.R.T + self.p
        return (self.R @ points[..., None])[..., 0] + self.p

    def inverse(self) -> Pose:
        """T_b_a of T_a_b."""
        Rt = np.swapaxes(self.R, -1, -2)
        return Pose.trusted(Rt, -(Rt @ self.p[..., None])[..., 0])

    @property
    def matrix(self) -> np.ndarray:
        """The homogeneous 4×4 matrix, with the batch dimensions of the pose."""
        batch = self.R.shape[:-2]
        T = np.zeros((*batch, 4, 4), dtype=np.result_type(self.R.dtype, self.p.dtype))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = self.R, self.p, 1
        return T

    @property
    def rpy(self) -> np.ndarray:
        """Roll, pitch, yaw about fixed axes (numbers only); pitch in [−π/2, π/2]."""
        R = self.R.astype(float)
        across = np.hypot(R[..., 0, 0], R[..., 1, 0])
        pitch = np.arctan2(-R[..., 2, 0], across)
        locked = across < 1e-12  # gimbal lock: roll carries all
        roll = np.where(locked, np.arctan2(-R[..., 1, 2], R[..., 1, 1]), np.arctan2(R[..., 2, 1], R[..., 2, 2]))
        yaw = np.where(locked, 0.0, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
        return np.stack([roll, pitch, yaw], axis=-1)

    @property
    def is_identity(self) -> bool:
        """Whether this pose changes nothing, exactly."""
        return self is IDENTITY or (
            self.R.dtype == self.p.dtype == np.float64
            and bool((self.R == np.eye(3)).all() and (self.p == 0).all())
        )

    def __getitem__(self, index: Any) -> Pose:
        """One pose of a batch."""
        if self.R.ndim == 2:
            raise IndexError("this is a single pose, not a batch")
        return Pose.trusted(self.R[index], self.p[index])

    def __repr__(self) -> str:
        if self.R.ndim > 2:
            return f"Pose(batch {self.R.shape[:-2]})"
        return f"Pose(R={self.R.tolist()}, p={self.p.tolist()})"


IDENTITY = Pose.trusted(np.eye(3), np.zeros(3))
ZERO = np.zeros(3, dtype=int)  # exact, so that no stray 0.0 enters a formula


@dataclass(frozen=True, eq=False)
class Twist:
    """Velocity of a body: (ω, v), v of the point at the frame's origin."""

    angular: np.ndarray
    linear: np.ndarray

    def __init__(self, angular: Any, linear: Any = (0.0, 0.0, 0.0)) -> None:
        object.__setattr__(self, "angular", array(angular, (3,), "angular velocity"))
        object.__setattr__(self, "linear", array(linear, (3,), "linear velocity"))

    @property
    def vector(self) -> np.ndarray:
        """(ω, v) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.angular, self.linear), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(v, ω), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.linear, self.angular), axis=-1)


@dataclass(frozen=True, eq=False)
class Wrench:
    """Moment and force exerted by the environment on a link.

    `at` is the point of application in the link's frame (its origin by default); moment and force
    are along the axes of the world or of the link.  Values may carry leading batch dimensions.
    """

    moment: np.ndarray
    force: np.ndarray
    acting_on: str | None
    at: np.ndarray
    axes: str

    def __init__(
        self,
        moment: Any = (0.0, 0.0, 0.0),
        force: Any = (0.0, 0.0, 0.0),
        *,
        acting_on: str | None = None,
        at: Any = (0.0, 0.0, 0.0),
        axes: str = "world",
    ) -> None:
        if axes not in ("world", "link"):
            raise SteinerError(f"axes={axes!r}: a wrench is along the axes of the 'world' or of the 'link'")
        object.__setattr__(self, "moment", array(moment, (3,), "moment"))
        object.__setattr__(self, "force", array(force, (3,), "force"))
        object.__setattr__(self, "acting_on", acting_on)
        object.__setattr__(self, "at", array(at, (3,), "at"))
        object.__setattr__(self, "axes", axes)

    @property
    def vector(self) -> np.ndarray:
        """(moment, force) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.moment, self.force), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(force, moment), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.force, self.moment), axis=-1)


def six(x: Any, what: str = "6-vector") -> np.ndarray:
    """A twist, a wrench or six numbers as one 6-vector, angular first."""
    return x.vector if isinstance(x, Twist | Wrench) else array(x, (6,), what)


def Ad(T: Pose) -> np.ndarray:
    """[Ad_T]: carries a twist from the child frame to the parent frame."""
    out = np.zeros((6, 6), dtype=np.result_type(T.R.dtype, T.p.dtype))
    out[:3, :3] = out[3:, 3:] = T.R
    out[3:, :3] = skew(T.p) @ T.R
    return out


def ad(V: Any) -> np.ndarray:
    """[ad_V], the Lie bracket: ad_V W = [V, W]."""
    V = six(V)
    out = np.zeros((6, 6), dtype=V.dtype)
    out[:3, :3] = out[3:, 3:] = skew(V[:3])
    out[3:, :3] = skew(V[3:])
    return out


def twist_to_parent(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the parent frame: V_a = [Ad_T] V_b."""
    V = six(V)
    angular = T.R @ V[:3]
    return np.concatenate([angular, T.R @ V[3:] + cross(T.p, angular)])


def twist_to_child(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the child frame."""
    V = six(V)
    return np.concatenate([T.R.T @ V[:3], T.R.T @ (V[3:] - cross(T.p, V[:3]))])


def wrench_to_parent(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the parent frame (power does not change)."""
    F = six(F)
    force = T.R @ F[3:]
    return np.concatenate([T.R @ F[:3] + cross(T.p, force), force])


def wrench_to_child(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the child frame: F_b = [Ad_T]ᵀ F_a."""
    F = six(F)
    return np.concatenate([T.R.T @ (F[:3] - cross(T.p, F[3:])), T.R.T @ F[3:]])


def exp(S: Any, angle: Any = 1) -> Pose:
    """exp([S] θ): the pose after moving along the screw S = (ω, v) by θ; ω need not be a unit vector."""
    S = six(S)
    w, v = S[:3], S[3:]
    square = dot(w, w)
    if is_zero(square):
        return Pose.trusted(np.eye(3), v * angle)
    rate = sqrt(square)
    turn = rate * angle
    half = sin(turn / 2)
    a, b = sin(turn) / rate, 2 * half * half / square
    c = _turn_minus_sine(turn) / (square * rate)
    W = skew(w)
    W2 = W @ W
    eye = np.eye(3, dtype=int)
    return Pose.trusted(eye + a * W + b * W2, (eye * angle + b * W + c * W2) @ v)


def _turn_minus_sine(x: Any) -> Any:
    """x − sin x, without cancellation for small numbers."""
    if is_number(x) and abs(x) < 0.1:
        x2 = x * x
        return x * x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72)))
    return x - sin(x)


def log(T: Pose) -> np.ndarray:
    """The 6-vector S θ with exp(S θ) = T, rotation angle in [0, π] (numbers only)."""
    R, p = T.R.astype(float), T.p.astype(float)
    axial = vee(R - R.T) / 2  # sin θ · ω̂
    sine, cosine = float(np.linalg.norm(axial)), (float(np.trace(R)) - 1) / 2
    angle = math.atan2(sine, cosine)
    if sine > 1e-6:
        w = axial * (angle / sine)
    elif cosine > 0:  # θ / sin θ = 1 + sin²θ/6 + …
        w = axial * (1 + sine * sine / 6)
    else:  # near π the axis is in the symmetric part
        A = (R + np.eye(3)) / 2
        k = int(np.argmax(np.diag(A)))
        axis = A[k] / math.sqrt(A[k, k])
        if axial @ axis < 0:
            axis = -axis
        w = angle * axis / np.linalg.norm(axis)
    W, t2 = skew(w), float(w @ w)
    if t2 < 1e-4:
        k = 1 / 12 + t2 / 720
    else:
        t = math.sqrt(t2)
        k = (1 - t / 2 / math.tan(t / 2)) / t2
    return np.concatenate([w, (np.eye(3) - W / 2 + k * W @ W) @ p])
