"""Solids bounded by triangles, integrated exactly.

An open mesh is an error, and a mesh whose faces disagree about the outside is refused.  Each closed surface ("shell")
that is inside out is turned with a warning, unless it lies in a body, whose cavity it then is.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, final

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, ModelWarning
from steiner.findings import Finding
from steiner.scalar import array
from steiner.solids.charts import Chart
from steiner.solids.mesh_examine import Examined, examined
from steiner.solids.mesh_integrals import Moments, moments
from steiner.solids.polygon import check_reach
from steiner.solids.triangulated import Triangulated, checked_faces

if TYPE_CHECKING:
    from steiner.solids.mesh_report import Diagnosis

Policy = Literal["exact", "repair", "hull", "box"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Triangulated):
    """Closed triangle mesh: vertices (n, 3) in metres and faces (k, 3), counterclockwise from outside.

    `method` says how it came about ("exact": as given; "repair", "hull", "box": what a policy allowed), `grade` how far
    its numbers can be trusted, from A to E, and `findings` what was found on the way.
    """

    vertices: Any
    faces: Any
    provenance = "mesh"
    frame = "the coordinates of the vertices"
    method = "exact"
    grade = "A"
    findings = ()

    def __post_init__(self) -> None:
        vertices = array(self.vertices, what="Mesh: vertices")
        faces = checked_faces("Mesh", self.faces, vertices)
        check_reach("Mesh: vertices", vertices)
        found = examined(vertices, faces)
        for fault in found.faults:
            raise GeometryError(f"Mesh: {fault.text}" + (f"; to do: {fault.fix}" if fault.fix else ""))
        for finding in found.findings:
            if finding.severity == "warning":
                warnings.warn(f"Mesh: {finding.text}", ModelWarning, stacklevel=4)
        self._keep(found, "exact")

    @classmethod
    def trusted(cls, found: Examined, method: Policy = "exact", findings: tuple[Finding, ...] = ()) -> Self:
        """The mesh that an examination found sound; findings are those on the way to it."""
        mesh = cls.__new__(cls)
        mesh._keep(found, method, findings)
        return mesh

    def _keep(self, found: Examined, method: Policy, before: tuple[Finding, ...] = ()) -> None:
        doubtful = any(f.severity == "warning" for f in (*before, *found.findings))
        grade = {"exact": "B" if doubtful else "A", "repair": "C", "hull": "D", "box": "E"}[method]
        values = {
            "vertices": np.asarray(found.vertices), "faces": np.array(found.faces, np.int64),
            "method": method, "grade": grade, "findings": (*before, *found.findings),
        }  # fmt: skip
        if found.moments is not None:
            values["_moments"] = found.moments
        self.__setstate__(values)

    @classmethod
    @door
    def load(
        cls, path: str | os.PathLike[str], *, unit: str | None = None, policy: Policy = "exact"
    ) -> Mesh:
        """The mesh of a file (.stl .obj .ply .off .glb .gltf .dae .3mf).

        Args:
            path: the file.
            unit: that of its lengths, such as "mm"; needed where the format does not say it (.stl .obj .ply .off).
            policy: what is allowed if the mesh is not sound: "exact" refuses it, "repair" closes small holes, turns
                faces and joins corners, "hull" takes the convex hull where that fails, "box" the box around it where
                even that fails.  `method` and `grade` of the result say what was done.
        """
        ...

    @door
    def diagnose(self, *, self_intersection: bool = False) -> Diagnosis:
        """What there is to know before its numbers are trusted: a table, and a sentence for each finding."""
        ...

    @classmethod
    def example(cls) -> Self:
        """A skew tetrahedron away from the origin."""
        corners = [[0.1, 0.2, 0.3], [0.3, 0.21, 0.28], [0.12, 0.35, 0.31], [0.15, 0.22, 0.5]]
        return cls(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])

    @cached_property
    def _moments(self) -> Moments:
        """Volume, centre and gyration, of numbers that are no floats."""
        start = self.vertices[0]
        volume, first, _ = moments(self.vertices, self.faces, start)
        centre = start + first / volume
        volume, _, second = moments(self.vertices, self.faces, centre)
        return volume, centre, second / volume

    def _charts(self) -> list[Chart]:
        return [_tetrahedron(self.vertices[0], *self.vertices[face]) for face in self.faces]

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


def _tetrahedron(apex: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Chart:
    """The signed tetrahedron over one face, 0 ≤ s, t, u ≤ 1."""
    det = np.dot(a - apex, np.cross(b - apex, c - apex))
    return Chart(
        ("s", "t", "u"),
        ((0, 1), (0, 1), (0, 1)),
        lambda s, t, u: tuple(apex + s * ((a - apex) + t * ((b - a) + u * (c - b)))),  # type: ignore[return-value]
        lambda s, t, u: det * s**2 * t,
    )
