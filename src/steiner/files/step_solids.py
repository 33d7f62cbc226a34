"""A solid of the CAD kernel, measured: its integrals on exact surfaces, held against those of its mesh.

The kernel's integrals (tolerance 1e-12, which steers its volume) are held against those of a fine mesh of the same
solid; where they disagree, that is said.
"""

# pyright: reportAttributeAccessIssue=false
# (the bindings of the CAD kernel state no types)

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from steiner.errors import FormatError, ModelWarning
from steiner.files.reading import Notes
from steiner.inertia.properties import second_of
from steiner.solids.cad import Cad
from steiner.solids.mesh_integrals import Indexed, central_moments

TOLERANCE = 1e-12
FINE = 1e-3  # of a part's size: how far its mesh may be from its surface
APART = 0.03  # relative difference of volumes that a mesh so fine can explain


def warn(notes: Notes, text: str) -> None:
    """What a user should know about a file that was read."""
    warnings.warn(f"{notes.file}: {text}", ModelWarning, stacklevel=2)


# ---- the file ----------------------------------------------------------------------------------------


def explored(shape: Any) -> Iterator[Any]:
    """The solids of a shape."""
    from OCP.TopAbs import TopAbs_ShapeEnum
    from OCP.TopExp import TopExp_Explorer

    walk = TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_SOLID)
    while walk.More():
        yield walk.Current()
        walk.Next()


def measured(shape: Any, notes: Notes, name: str, colour: tuple[float, float, float] | None = None) -> Cad:
    """Volume, centre and gyration of a solid by the kernel, held against its mesh."""
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    found = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, found, TOLERANCE)
    volume = found.Mass()
    if volume < 0:
        shape = shape.Reversed()
        found = GProp_GProps()
        BRepGProp.VolumeProperties_s(shape, found, TOLERANCE)
        volume = found.Mass()
        warn(notes, f"part {name!r} is inside out; it was turned")
    if not volume > 0:
        raise FormatError(f"{notes.file}: part {name!r} encloses no volume ({volume:g} m³)")
    c, m = found.CentreOfMass(), found.MatrixOfInertia()
    inertia = np.array([[m.Value(i, j) for j in range(1, 4)] for i in range(1, 4)])
    second = second_of(inertia) / volume
    vertices, faces, roughness = tessellated(shape)
    other, _, gyration = central_moments(Indexed(vertices, faces))
    if abs(other - volume) > APART * volume:
        warn(notes, f"part {name!r}: the CAD kernel says {volume:.6g} m³, its mesh {other:.6g}: is it closed?")
    elif np.abs(gyration - second).max() > APART * np.trace(second):  # kernels have got a tensor wrong, not the volume
        warn(notes, f"part {name!r}: the CAD kernel and its mesh disagree about its inertia by more than {APART:.0%}")
    return Cad(volume, np.array([c.X(), c.Y(), c.Z()]), second, vertices, faces, colour, roughness)


def tessellated(shape: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Vertices and faces of a solid's surface, to 1/1000 of its size, and how far they are from it [m]."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRep import BRep_Tool
    from OCP.BRepBndLib import BRepBndLib
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS

    box = Bnd_Box()
    BRepBndLib.Add_s(shape, box)
    size = float(np.sqrt(box.SquareExtent()))
    BRepMesh_IncrementalMesh(shape, FINE * size, False, 0.3, False)
    points: list[np.ndarray] = []
    corners: list[np.ndarray] = []
    start, roughness = 0, 0.0
    walk = TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_FACE)
    face_of = getattr(TopoDS, "Face_s", None) or TopoDS.Face
    while walk.More():
        face, location = face_of(walk.Current()), TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(face, location)
        if mesh is not None:
            roughness = max(roughness, float(mesh.Deflection()))
            move = location.Transformation()
            nodes = [mesh.Node(k).Transformed(move) for k in range(1, mesh.NbNodes() + 1)]
            points.append(np.array([[p.X(), p.Y(), p.Z()] for p in nodes]))
            found = np.array([mesh.Triangle(k).Get() for k in range(1, mesh.NbTriangles() + 1)]) - 1 + start
            corners.append(found[:, ::-1] if face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED else found)
            start += len(nodes)
        walk.Next()
    return np.vstack(points), np.vstack(corners).astype(np.int64), roughness
