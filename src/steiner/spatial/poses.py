"""Poses: where a frame stands in another; they may carry leading batch dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steiner.errors import GeometryError, SteinerError
from steiner.records import record
from steiner.scalar import Frozen, array, entries, frozen, is_number, numbers
from steiner.spatial.vectors import (
    ROUND_OFF,
    Vector,
    position,
    rotation_quaternion,
    rotation_rpy,
    rotation_z,
    snapped,
    warn_of_degrees,
)  # fmt: skip

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


IDENTITY = Pose.trusted(UNTURNED, np.zeros(3))
ZERO = np.zeros(3, dtype=int)  # exact, so that no stray 0.0 enters a formula
