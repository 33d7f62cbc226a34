"""Mass properties in other forms: principal moments, ten parameters, 6×6, and the words of other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from steiner.errors import GeometryError, SteinerError
from steiner.scalar import array, is_symbolic, is_zero, sqrt
from steiner.spatial import Pose, Vector, skew


class Conventions:
    """Views of `MassProperties`, and conversions to what other programs read and write, and back."""

    if TYPE_CHECKING:  # what the body itself gives
        mass: Any
        com: np.ndarray
        inertia: np.ndarray

        @property
        def is_numeric(self) -> bool: ...  # noqa: D102
        def __init__(self, mass: Any, com: Any = ..., inertia: Any = ..., *, about: Any = ...) -> None: ...
        def inertia_about(self, point: Vector) -> np.ndarray: ...  # noqa: D102
        def moved(self, pose: Pose) -> Self: ...  # noqa: D102
        def _floats(self, what: str) -> np.ndarray: ...

    @classmethod
    def from_parameters(cls, parameters: Any) -> Self:
        """From the ten (m, m c, I about the origin as xx xy yy xz yz zz)."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = array(parameters, (10,), "parameters")
        tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if is_zero(m):
            if not (is_zero(hx) and is_zero(hy) and is_zero(hz)):
                raise GeometryError("parameters: a first moment without mass has no centre")
            return cls(m, (0, 0, 0), tensor)
        return cls(m, array([hx / m, hy / m, hz / m]), tensor, about="origin")

    @property
    def spatial(self) -> np.ndarray:
        """6×6 spatial inertia about the frame's origin, angular first: F = G V̇ − adᵀ G V."""
        h = self.mass * self.com
        G = np.zeros((6, 6), dtype=np.result_type(self.inertia, h))
        G[:3, :3] = self.inertia_about((0, 0, 0))
        G[:3, 3:], G[3:, :3] = skew(h), -skew(h)
        G[3, 3] = G[4, 4] = G[5, 5] = self.mass
        return G

    @property
    def parameters(self) -> np.ndarray:
        """The ten (m, m c, I about the origin as xx xy yy xz yz zz): Pinocchio's order."""
        I = self.inertia_about((0, 0, 0))
        h = self.mass * self.com
        return array([self.mass, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])

    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments, ascending, and the right-handed rotation whose columns are the axes.

        Of symbols where they are plain to see: a diagonal tensor, or one with a single product.  They are not sorted
        then, for which is larger is not known.
        """
        if not self.is_numeric:
            return self._plain_principal()
        moments, R = np.linalg.eigh(self._floats("principal axes need"))
        if np.linalg.det(R) < 0:
            R[:, 0] = -R[:, 0]
        return moments, R

    def _plain_principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Moments of symbols: a block of two axes is turned about the third by φ, tan 2φ = 2 Iij / (Iii − Ijj)."""
        I = self.inertia
        pairs = [(i, j) for i, j in ((0, 1), (1, 2), (2, 0)) if not (is_zero(I[i, j]) or _vanishes(I[i, j]))]
        moments, R = np.array([I[k, k] for k in range(3)], dtype=object), np.eye(3, dtype=int).astype(object)
        if len(pairs) > 1:
            raise GeometryError(
                "principal moments of a tensor of symbols are plain to see if it is diagonal or has one product; "
                f"this one has {len(pairs)}: substitute values, or turn it with moved(pose) first"
            )
        for i, j in pairs:
            mean, half, product = (I[i, i] + I[j, j]) / 2, (I[i, i] - I[j, j]) / 2, I[i, j]
            root = sqrt(half * half + product * product)
            moments[i], moments[j] = mean + root, mean - root
            # (product, root − half) lies along the axis of the larger moment
            length = sqrt(2 * root * (root - half))
            R[i, i], R[j, i] = product / length, (root - half) / length
            R[i, j], R[j, j] = -R[j, i], R[i, i]
        return moments, R

    def to_urdf(self) -> dict[str, Any]:
        """URDF's <inertial>: mass, xyz of the centre, rpy = 0, tensor about the centre."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia.tolist()
        tensor = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        return {"mass": self.mass, "xyz": self.com.tolist(), "rpy": [0.0, 0.0, 0.0], **tensor}

    @classmethod
    def from_urdf(cls, mass: Any, xyz: Vector, rpy: Vector = (0, 0, 0), **tensor: Any) -> Self:
        """From URDF's <inertial>: ixx … izz about the centre, along axes turned by rpy."""
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        if sorted(tensor) != sorted(names):
            raise SteinerError(f"from_urdf: expected {', '.join(names)}, got {', '.join(tensor) or 'none of them'}")
        I = [[tensor[f"i{min(a, b)}{max(a, b)}"] for b in "xyz"] for a in "xyz"]
        return cls(mass, (0, 0, 0), I).moved(Pose.from_rpy(xyz, rpy))

    def to_mjcf(self) -> dict[str, Any]:
        """MJCF's <inertial>: mass, pos, fullinertia = (xx, yy, zz, xy, xz, yz) about the centre."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia.tolist()
        return {"mass": self.mass, "pos": self.com.tolist(), "fullinertia": [xx, yy, zz, xy, xz, yz]}

    @classmethod
    def from_mjcf(
        cls, mass: Any, pos: Vector, fullinertia: Any = None, diaginertia: Any = None, quat: Vector = (1, 0, 0, 0)
    ) -> Self:
        """From MJCF's <inertial>; quat is (w, x, y, z), the frame of diaginertia."""
        if (fullinertia is None) == (diaginertia is None):
            raise SteinerError("give exactly one of fullinertia= and diaginertia=")
        if fullinertia is None:
            return cls(mass, (0, 0, 0), diaginertia).moved(Pose.from_quaternion(pos, quat_wxyz=quat))
        xx, yy, zz, xy, xz, yz = array(fullinertia, (6,), "fullinertia")
        return cls(mass, pos, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def to_matlab(self) -> dict[str, Any]:
        """MATLAB's rigidBody: Inertia = (xx, yy, zz, yz, xz, xy), entries of the tensor *about the origin*."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia_about((0, 0, 0)).tolist()
        return {"Mass": self.mass, "CenterOfMass": self.com.tolist(), "Inertia": [xx, yy, zz, yz, xz, xy]}

    @classmethod
    def from_matlab(cls, Mass: Any, CenterOfMass: Vector, Inertia: Any) -> Self:
        """From MATLAB's rigidBody properties."""
        xx, yy, zz, yz, xz, xy = array(Inertia, (6,), "Inertia")
        return cls(Mass, CenterOfMass, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], about="origin")

    def to_pinocchio(self) -> np.ndarray:
        """Pinocchio's dynamic parameters: (m, m c, I about the origin as xx xy yy xz yz zz)."""
        return self.parameters

    @classmethod
    def from_pinocchio(cls, parameters: Any) -> Self:
        """From Pinocchio's `toDynamicParameters()`."""
        return cls.from_parameters(parameters)

    def to_sympybotics(self) -> np.ndarray:
        """SymPyBotics' order: (L about the origin as xx xy xz yy yz zz, l = m c, m)."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = self.parameters
        return array([xx, xy, xz, yy, yz, zz, hx, hy, hz, m])

    @classmethod
    def from_sympybotics(cls, parameters: Any) -> Self:
        """From SymPyBotics' ten parameters of one link."""
        xx, xy, xz, yy, yz, zz, hx, hy, hz, m = array(parameters, (10,), "parameters")
        return cls.from_parameters([m, hx, hy, hz, xx, xy, yy, xz, yz, zz])


def _vanishes(x: Any) -> bool:
    """Whether an expression is zero although it does not look so."""
    return is_symbolic(x) and x.equals(0) is True
