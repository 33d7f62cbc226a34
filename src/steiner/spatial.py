"""Rigid-body algebra: poses, twists, wrenches, Ad, ad, exp and log, for any kind of number.

6-vectors are angular first: a twist is (ω, v), a wrench (moment, force).  `T_a_b` takes
coordinates in frame b to coordinates in frame a.  Poses may carry leading batch dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steiner.errors import GeometryError, SteinerError, described, unknown
from steiner.scalar import array, brief, frozen, is_number, is_zero, sin, sqrt, total
from steiner.vectors import (
    ROUND_OFF,
    Vector,
    cross,
    dot,
    length_of,
    rotation_rpy,
    rotation_to,
    rotation_x,
    rotation_y,
    rotation_z,
    skew,
    snapped,
    unit,
    vee,
    warn_of_degrees,
)

__all__ = [
    "ROUND_OFF", "Vector", "cross", "dot", "length_of", "rotation_rpy", "rotation_to", "rotation_x",
    "rotation_y", "rotation_z", "skew", "snapped", "unit", "vee", "warn_of_degrees", "ZERO",
    "IDENTITY", "Pose", "Frame", "Twist", "Wrench", "total_wrench", "six", "Ad", "ad", "twist_to_parent",
    "twist_to_child", "wrench_to_parent", "wrench_to_child", "exp", "log", "ROTATION",
]  # fmt: skip

ROTATION = 1e-6  # how far R Rᵀ of a given matrix may be from 1


def _orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation nearest to a matrix that is nearly one: R (RᵀR)^−½, by Newton's iteration."""
    for _ in range(3):
        R = R @ (3 * np.eye(3) - np.swapaxes(R, -1, -2) @ R) / 2
    return R


@dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """Pose of a child frame in a parent: p_parent = R p_child + p.

    A matrix that is a rotation to 1e-6 only, as printed decimals are, becomes the nearest rotation.
    """

    R: np.ndarray
    p: np.ndarray

    def __init__(self, R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> None:
        rotation = np.eye(3) if R is None else array(R, (3, 3), "rotation", batch=True)
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
        object.__setattr__(self, "p", array(p, (3,), "position", batch=True))

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
        return cls.trusted(rotation_rpy(angles), array(xyz, (3,), "xyz"))

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
        x, y, z, w = array(quat_xyzw if quat_wxyz is None else [*quat_wxyz[1:], quat_wxyz[0]], (4,), "quaternion")
        norm = x * x + y * y + z * z + w * w
        if is_number(norm) and abs(norm - 1) > 1e-6:
            raise GeometryError(f"quaternion of length {math.sqrt(norm):.6g}; expected a unit quaternion")
        R = [
            [1 - 2 * (y * y + z * z) / norm, 2 * (x * y - z * w) / norm, 2 * (x * z + y * w) / norm],
            [2 * (x * y + z * w) / norm, 1 - 2 * (x * x + z * z) / norm, 2 * (y * z - x * w) / norm],
            [2 * (x * z - y * w) / norm, 2 * (y * z + x * w) / norm, 1 - 2 * (x * x + y * y) / norm],
        ]
        return cls.trusted(array(R), array(p, (3,), "position", batch=True))

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
        object.__setattr__(self, "angular", array(angular, (3,), "angular velocity", batch=True))
        object.__setattr__(self, "linear", array(linear, (3,), "linear velocity", batch=True))

    @property
    def vector(self) -> np.ndarray:
        """(ω, v) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.angular, self.linear), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(v, ω), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.linear, self.angular), axis=-1)


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame with a name, {h}: it stands at `pose` in the frame `of`, or is where others are told from."""

    name: str
    pose: Pose = IDENTITY
    of: Frame | None = None

    @property
    def chain(self) -> Iterator[Frame]:
        """This frame, the one that it is told in, and so on."""
        yield self
        if self.of is not None:
            yield from self.of.chain

    def pose_of(self, other: Frame) -> Pose:
        """T_self_other: where the other frame stands in this one."""
        (here, T_root_self), (there, T_root_other) = self._rooted, other._rooted
        if here != there:
            raise SteinerError(
                f"nothing says where {other} is in {self}: one is told from {{{there}}}, the other from {{{here}}}; "
                f"give Frame({other.name!r}, pose, of=...) its place"
            )
        return T_root_self.inverse() @ T_root_other

    @property
    def _rooted(self) -> tuple[str, Pose]:
        if self.of is None:
            return self.name, self.pose
        root, T = self.of._rooted
        return root, T @ self.pose

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        (here, T), (there, S) = self._rooted, other._rooted
        return self is other or (
            (self.name, here) == (other.name, there) and np.array_equal(T.matrix, S.matrix)
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"{{{self.name}}}"


@dataclass(frozen=True, eq=False)
class Wrench:
    """Moment and force exerted by the environment on a link, or on one body in a frame with a name.

    `at` is the point of application in the link's frame (its origin by default); moment and force
    are along the axes of the world or of the link.  With `frame`, a `Frame` or just its name, they are along that
    frame's axes and `at` is in it.  Values may carry leading batch dimensions.
    """

    moment: np.ndarray
    force: np.ndarray
    acting_on: str | None
    at: np.ndarray
    axes: str
    frame: Frame | None

    def __init__(
        self,
        moment: Any = (0.0, 0.0, 0.0),
        force: Any = (0.0, 0.0, 0.0),
        *,
        acting_on: str | None = None,
        at: Any = (0.0, 0.0, 0.0),
        axes: str = "world",
        frame: Frame | str | None = None,
    ) -> None:
        if axes not in ("world", "link"):
            raise SteinerError(f"axes={axes!r}: a wrench is along the axes of the 'world' or of the 'link'")
        object.__setattr__(self, "moment", array(moment, (3,), "moment", batch=True))
        object.__setattr__(self, "force", array(force, (3,), "force", batch=True))
        object.__setattr__(self, "acting_on", acting_on)
        object.__setattr__(self, "at", array(at, (3,), "at", batch=True))
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "frame", Frame(frame) if isinstance(frame, str) else frame)

    @property
    def vector(self) -> np.ndarray:
        """(moment, force) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.moment, self.force), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(force, moment), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.force, self.moment), axis=-1)

    def at_origin(self) -> Wrench:
        """The same load with its moment about the origin of its frame."""
        if not np.any(self.at):
            return self
        if self.frame is None and self.axes == "world":
            raise SteinerError(
                "this wrench acts at a point of a link but is along the world's axes, so its moment about the link's "
                "origin depends on the pose; give it with axes='link'"
            )
        return replace(self, moment=self.moment + cross(self.at, self.force), at=ZERO)

    def in_frame(self, frame: Frame | str, pose: Pose | None = None) -> Wrench:
        """The same load in another frame {b}: F_b = [Ad_T_ab]ᵀ F_a.

        `pose` is T_ab, where {b} stands in this wrench's own frame {a}; frames that are connected know it themselves.
        """
        target = Frame(frame) if isinstance(frame, str) else frame
        if pose is None:
            if self.frame is None:
                raise SteinerError(f"this wrench is in no named frame: say where {target} stands in its own, pose=")
            pose = self.frame.pose_of(target)
        here = self.at_origin()
        moment = (here.moment - cross(pose.p, here.force)) @ pose.R  # rows: x @ R is Rᵀ x
        return replace(here, moment=moment, force=here.force @ pose.R, frame=target)

    def __add__(self, other: Wrench) -> Wrench:
        if not isinstance(other, Wrench):
            return NotImplemented
        where = [(w.frame, w.acting_on, w.axes) for w in (self, other)]
        if where[0] != where[1] or not np.array_equal(self.at, other.at):
            raise SteinerError(
                f"a wrench {self._place()} and one {other._place()} do not add up as they are; bring them to one frame "
                "first: w.in_frame(frame), or total_wrench([...], frame=...)"
            )
        return replace(self, moment=self.moment + other.moment, force=self.force + other.force)

    def __neg__(self) -> Wrench:
        return replace(self, moment=-self.moment, force=-self.force)

    def _place(self) -> str:
        frame = f"in {self.frame}" if self.frame is not None else f"along the axes of the {self.axes}"
        link = f" on {self.acting_on}" if self.acting_on else ""
        return f"{frame}{link}" + (f" at {described(self.at.tolist())}" if np.any(self.at) else "")

    def __str__(self) -> str:
        """As one writes it: (0, 0, -0.75 N m, 0, -6 N, 0)."""
        if self.vector.ndim > 1:
            return repr(self)
        parts = [f"{brief(x)} {unit}" for unit, v in (("N m", self.moment), ("N", self.force)) for x in v]
        return f"({', '.join('0' if is_zero(x) else text for x, text in zip(self.vector, parts, strict=True))})"


def total_wrench(wrenches: Iterable[Wrench], *, frame: Frame | str | None = None) -> Wrench:
    """The sum of wrenches on one body, in a frame chosen by name: F_f = [Ad_T_hf]ᵀ F_h + [Ad_T_af]ᵀ F_a + … (D6).

    Without `frame` they are in one frame already; points of application are carried to its origin.
    """
    given = list(wrenches)
    if isinstance(frame, str):
        known = {f.name: f for w in given if w.frame is not None for f in w.frame.chain}
        if frame not in known:
            raise SteinerError(unknown("frame", frame, known, "these wrenches"))
        frame = known[frame]
    if not given:
        return Wrench(frame=frame)
    return total(w.at_origin() if frame is None else w.in_frame(frame) for w in given)


def six(x: Any, what: str = "6-vector") -> np.ndarray:
    """A twist, a wrench or six numbers as one 6-vector, angular first."""
    return x.vector if isinstance(x, Twist | Wrench) else array(x, (6,), what, batch=True)


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


def _quaternion(R: np.ndarray) -> tuple[np.ndarray, float]:
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


def log(T: Pose) -> np.ndarray:
    """The 6-vector S θ with exp(S θ) = T, rotation angle in [0, π] (numbers only)."""
    R, p = T.R.astype(float), T.p.astype(float)
    (x, y, z), cosine = _quaternion(R)  # of half the angle: neither 0 nor π is a special case
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2 * math.atan2(sine, cosine)
    w = np.array([x, y, z]) * (angle / sine if sine else 2.0)
    W, t2 = skew(w), float(w @ w)
    if t2 < 1e-4:
        k = 1 / 12 + t2 / 720 + t2 * t2 / 30240
    else:
        t = math.sqrt(t2)
        k = (1 - t / 2 / math.tan(t / 2)) / t2
    return np.concatenate([w, (np.eye(3) - W / 2 + k * W @ W) @ p])
