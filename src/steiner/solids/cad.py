"""Solids of CAD files: integrated by the CAD kernel on the exact surfaces; a fine mesh stands for them in pictures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, described
from steiner.scalar import array, frozen, numbers
from steiner.solids.mesh_integrals import Moments
from steiner.solids.primitives import Box
from steiner.solids.triangulated import Triangulated, checked_faces


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cad(Triangulated):
    """A solid of a CAD file, in metres: its volume, centre and gyration, and the triangles that it is drawn with."""

    size: float  # volume, m³
    centre: Any
    second: Any  # second moments per volume about the centre
    vertices: np.ndarray
    faces: np.ndarray
    colour: tuple[float, float, float] | None = None  # red, green, blue: 0 … 1
    roughness: float = 0.0  # m: how far the triangles may lie from the surface
    provenance = "CAD"
    frame = "that of the part in its file"

    def __post_init__(self) -> None:
        (size,) = numbers("Cad: volume", self.size)
        if not size > 0:
            raise GeometryError(f"Cad: volume {described(self.size)} m³; expected a closed solid")
        object.__setattr__(self, "centre", array(self.centre, (3,), "Cad: centre"))
        object.__setattr__(self, "second", array(self.second, (3, 3), "Cad: gyration"))
        vertices = array(self.vertices, what="Cad: vertices")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", frozen(checked_faces("Cad", self.faces, vertices).copy()))

    @classmethod
    def example(cls) -> Self:
        """A box of 2 × 3 × 4 cm with a corner at (10, 20, 30) cm."""
        box = Box(0.02, 0.03, 0.04).at(xyz=(0.11, 0.215, 0.32))
        return cls(float(box.volume), box.centroid, box.gyration, *box.mesh(3))

    @staticmethod
    @door
    def load(
        path: str | os.PathLike[str],
        *,
        materials: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        material: Any = None,
        density: Any = None,
    ) -> Any:
        """The assembly of a STEP file: names, placements, and a material for every solid.

        Args:
            path: a .step or .stp file; its units are its own.
            materials: {part name or "#rrggbb" colour: material name, or density in kg/m³}, or a .csv or .yaml file
                with such a table.  Parts that it does not name keep the material of the STEP file.
            material: of all parts that are named nowhere.
            density: the same, as a number [kg/m³].
        """
        ...

    @cached_property
    def _moments(self) -> Moments:
        return self.size, self.centre, self.second

    def __repr__(self) -> str:
        return f"<Cad: {self.size:.6g} m³>"
