"""Vectors, rotations and poses in space, for any kind of number.

A pose is where a frame stands in another; poses may carry leading batch dimensions.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from steiner.errors import GeometryError, ModelWarning, SteinerError, described
from steiner.records import record
from steiner.scalar import Frozen, array, cos, entries, frozen, is_number, is_zero, numbers, sin, sqrt

Vector = Sequence[Any] | np.ndarray

# cosines of the angles that drawings use; see `snapped`
_EXACT_ONES = (0.0, 0.5, math.sqrt(0.5), math.sqrt(0.75), 1.0)
_EXACT = np.array(_EXACT_ONES)
ROUND_OFF = 1e-15
LARGEST = 1e50  # [m] the fifth power of a length, and of its inverse, is still a float
ONE = 4 * sys.float_info.epsilon  # how far the square of a unit vector is from 1


def position(values: Any, what: str, *, batch: bool = False) -> np.ndarray:
    """Coordinates of a point, read-only; refused where moments about the origin would overflow."""
    p = array(values, (3,), what, batch=batch)
    if p.dtype == np.float64 and (max(map(abs, p.tolist())) if p.ndim == 1 else np.abs(p).max(initial=0.0)) > LARGEST:
        raise GeometryError(f"{what}: {described(p.tolist())} is too far away; expected at most {LARGEST:g} m")
    return p


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
    w = entries(w, (3,), "skew")
    x, y, z = w if w.ndim == 1 else array(w, (3,), "skew")
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def vee(W: Any) -> np.ndarray:
    """The vector w of a skew-symmetric matrix [w], or of a batch of them."""
    W = np.asarray(W)
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def snapped(R: np.ndarray, tolerance: float) -> np.ndarray:
    """R with entries that lie within tolerance of 0, ±1/2, ±√2/2, ±√3/2, ±1 set to them."""
    if R.dtype == object:
        return R
    if R.shape == (3, 3):
        return np.array([[_snapped(x, tolerance) for x in row] for row in R.tolist()])
    near = np.abs(np.abs(R)[..., None] - _EXACT) <= tolerance
    if not near.any():
        return R.copy()
    nearest = np.copysign(_EXACT[near.argmax(axis=-1)], R) + 0.0  # no zero is negative
    return np.where(near.any(axis=-1), nearest, R)


def _snapped(x: float, tolerance: float) -> float:
    size = abs(x)
    for exact in _EXACT_ONES:
        if -tolerance <= size - exact <= tolerance:
            return math.copysign(exact, x) + 0.0  # no zero is negative
    return x


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
    (cr, cp, cy), (sr, sp, sy) = map(cos, rpy), map(sin, rpy)
    R = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return snapped(array(R, (3, 3)), ROUND_OFF)


def distortion(R: np.ndarray) -> float:
    """How far a matrix is from one that turns: the largest entry of |R Rᵀ − 1|."""
    x, y, z = R.tolist()
    off = [dot(x, x) - 1, dot(y, y) - 1, dot(z, z) - 1, dot(x, y), dot(y, z), dot(z, x)]
    return max(map(abs, off))


def warn_of_degrees(what: str, *angles: Any) -> None:
    """Say so if an angle of a model is beyond two turns."""
    for angle in angles:
        if is_number(angle) and abs(angle) > 4 * math.pi:
            turns = abs(angle) / math.tau
            warnings.warn(f"{what}: {float(angle):g} rad are {turns:.3g} turns; degrees?", ModelWarning, stacklevel=4)
            return


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


def quaternion(R: np.ndarray) -> tuple[np.ndarray, float]:
    """Vector and scalar part (≥ 0) of a rotation's unit quaternion, by its largest component (Shepperd)."""
    trace = float(np.trace(R))
    k = int(np.argmax(np.diag(R)))
    if trace >= R[k, k]:
        w = math.sqrt(1 + trace) / 2
        return vee(R - R.T) / (4 * w), w
    i, j = (k + 1) % 3, (k + 2) % 3
    v = np.zeros(3)
    v[k] = math.sqrt(1 + 2 * R[k, k] - trace) / 2
    v[i], v[j] = (R[k, i] + R[i, k]) / (4 * v[k]), (R[k, j] + R[j, k]) / (4 * v[k])
    w = (R[j, i] - R[i, j]) / (4 * v[k])
    return (v, w) if w >= 0 else (-v, -w)


def rotation_quaternion(w: Any, x: Any, y: Any, z: Any) -> np.ndarray:
    """The rotation of a quaternion of any length but 0; arrays of components give (3, 3, …)."""
    n = w * w + x * x + y * y + z * z
    return np.array(
        [
            [1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n],
            [2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n],
            [2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n],
        ]
    )


def length_of(v: np.ndarray) -> Any:
    """|v|, of very long and very short vectors too: their squares over- or underflow."""
    if v.dtype != np.float64:
        return sqrt(dot(v, v))
    w, power = _scaled(v)
    with np.errstate(over="ignore"):
        return float(np.ldexp(math.sqrt(float(w @ w)), power))


def _scaled(v: np.ndarray) -> tuple[np.ndarray, int]:
    """The vector divided by a power of two, which is exact, so that its largest entry is about one; and the power."""
    power = math.frexp(float(np.abs(v).max()))[1]
    return np.ldexp(v, -power), power


def box(points: np.ndarray) -> np.ndarray:
    """Lowest and highest corner (2, k) around points (n, k), by columns: along the rows NumPy takes far longer."""
    columns = points.T
    return np.array([[column.min() for column in columns], [column.max() for column in columns]])


def unit(axis: Vector, what: str = "axis") -> np.ndarray:
    """The axis divided by its length; exact if the length is."""
    v = array(axis, (3,), what)
    parts = v.tolist()
    if all(map(is_zero, parts)):
        raise GeometryError(f"{what}: {list(axis)} has no direction; give a non-zero vector").under("zero-axis")
    if v.dtype == np.float64:
        if 0.5 < max(map(abs, parts)) < 2 and abs(dot(parts, parts) - 1) <= ONE:
            return v  # one already: dividing again would move its last digit
        v, _ = _scaled(v)
    length = length_of(v)
    return frozen(v if is_number(length) and length == 1 else v / length)


ROTATION = 1e-6  # how far R Rᵀ of a given matrix may be from 1


def _orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation nearest to a matrix that is nearly one: R (RᵀR)^−½, by Newton's iteration."""
    for _ in range(3):
        R = R @ (3 * np.eye(3) - np.swapaxes(R, -1, -2) @ R) / 2
    return R


UNTURNED = array(np.eye(3).tolist(), (3, 3))


@record(eq=False, repr=False)
class Pose(Frozen):
    """Pose of a child frame in a parent: p_parent = R p_child + p.

    A matrix that is a rotation to 1e-6 only, as printed decimals are, becomes the nearest rotation.
    """

    R: np.ndarray
    p: np.ndarray

    def __init__(self, R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> None:
        rotation = UNTURNED if R is None else array(R, (3, 3), "rotation", batch=True)
        if R is not None and rotation.dtype == np.float64:
            with np.errstate(over="ignore", invalid="ignore"):
                off = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(initial=0.0)
                mirrors = bool(np.any(np.linalg.det(rotation) < 0))
            if not off <= ROTATION or mirrors:
                raise GeometryError(
                    f"R is not a rotation: R Rᵀ differs from 1 by {off:.2g}"
                    f"{', and it mirrors' if mirrors else ''}; give a right-handed orthonormal matrix"
                )
            if off > ROUND_OFF:
                rotation = _orthonormal(rotation)
        object.__setattr__(self, "R", frozen(rotation))
        object.__setattr__(self, "p", position(p, "position", batch=True))

    @classmethod
    def trusted(cls, R: np.ndarray, p: np.ndarray) -> Pose:
        """A pose from parts that are already known to be one: no checks, no copies."""
        self = object.__new__(cls)
        object.__setattr__(self, "R", frozen(R))
        object.__setattr__(self, "p", frozen(p))
        return self

    @classmethod
    def identity(cls) -> Pose:
        """The pose that changes nothing."""
        return IDENTITY

    @classmethod
    def from_rpy(cls, xyz: Vector = (0, 0, 0), rpy: Vector = (0, 0, 0)) -> Pose:
        """From a position and roll, pitch, yaw about fixed axes (URDF's convention)."""
        angles = array(rpy, (3,), "rpy")
        warn_of_degrees("rpy", *angles)
        return cls.trusted(rotation_rpy(angles), position(xyz, "xyz"))

    @classmethod
    def about_z(cls, angle: Any, travel: Any = 0) -> Pose:
        """Turned about z and moved along it, as a joint does."""
        numbers("about z", angle, travel)
        return cls.trusted(snapped(array(rotation_z(angle)), ROUND_OFF), array([0, 0, travel]))

    @classmethod
    def from_matrix(cls, T: Any) -> Pose:
        """From a homogeneous 4×4 matrix (with leading batch dimensions, if any)."""
        T = array(T, (4, 4), "homogeneous matrix", batch=True)
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
        given = array(quat_xyzw if quat_wxyz is None else quat_wxyz, (4,), "quaternion")
        x, y, z, w = given if quat_wxyz is None else np.roll(given, -1)
        norm = x * x + y * y + z * z + w * w
        if is_number(norm) and abs(norm - 1) > 1e-6:
            raise GeometryError(f"quaternion of length {math.sqrt(norm):.6g}; expected a unit quaternion")
        return cls.trusted(array(rotation_quaternion(w, x, y, z)), position(p, "position", batch=True))

    def __matmul__(self, other: Pose) -> Pose:
        """T_a_b @ T_b_c = T_a_c."""
        if not isinstance(other, Pose):
            return NotImplemented
        if self is IDENTITY or other is IDENTITY:  # keeps exact numbers exact
            return other if self is IDENTITY else self
        return Pose.trusted(self.R @ other.R, self.apply(other.p))

    def apply(self, points: Any) -> np.ndarray:
        """Coordinates of points (…, 3) in the parent frame."""
        points = entries(points, (3,), "points")
        if self.R.ndim == 2 and points.ndim == 1:
            return (points if self.R is UNTURNED else self.R @ points) + self.p
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
        yaw = np.arctan2(R[..., 1, 0], R[..., 0, 0])  # any angle will do at gimbal lock; roll makes up for it
        c, s = np.cos(yaw), np.sin(yaw)
        pitch = np.arctan2(-R[..., 2, 0], c * R[..., 0, 0] + s * R[..., 1, 0])
        roll = np.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])  # of Rz(−yaw) R
        return np.stack([roll, pitch, yaw], axis=-1)

    @property
    def is_identity(self) -> bool:
        """Whether this pose changes nothing, exactly."""
        return self is IDENTITY or (
            self.R.dtype == self.p.dtype == np.float64
            and (self.R is UNTURNED or bool((self.R == UNTURNED).all()))
            and not self.p.any()
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


IDENTITY = Pose.trusted(UNTURNED, np.zeros(3))
ZERO = np.zeros(3, dtype=int)  # exact, so that no stray 0.0 enters a formula
