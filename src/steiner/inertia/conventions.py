"""Mass properties in the words of other programs: which order, which sign, about which point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from steiner.errors import SteinerError
from steiner.scalar import array
from steiner.spatial import Pose, Vector


class Conventions:
    """Conversions of `MassProperties` to what other programs read and write, and back."""

    if TYPE_CHECKING:  # what the body itself gives
        mass: Any
        com: np.ndarray
        inertia: np.ndarray
        parameters: Any

        def __init__(self, mass: Any, com: Any = ..., inertia: Any = ..., *, about: Any = ...) -> None: ...
        def inertia_about(self, point: Vector) -> np.ndarray: ...  # noqa: D102
        def moved(self, pose: Pose) -> Self: ...  # noqa: D102
        @classmethod
        def from_parameters(cls, parameters: Any) -> Self: ...  # noqa: D102

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
