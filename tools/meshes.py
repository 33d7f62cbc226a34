"""The table of docs/meshes.md: mass properties of shapes of known moments, by everybody, with the error of each.

`python -m tools.meshes` writes it; a test measures our column again.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import steiner as st
from steiner.solids.base import Solid
from steiner.solids.shapes import Mesh

PAGE = Path(__file__).parent.parent / "docs" / "meshes.md"
MARKS = "<!-- table -->", "<!-- end of table -->"
FINE = 64  # segments per turn

# name -> solid; what is round is compared with exact sums over its own triangles
SHAPES: dict[str, Callable[[], Solid]] = {
    "box": lambda: st.Box(0.3, 0.2, 0.1).at(xyz=(1, 2, 3)),
    "box turned": lambda: st.Box(0.3, 0.2, 0.1).at(xyz=(1, 2, 3), rpy=(0.3, -0.7, 1.1)),
    "box 100 m away": lambda: st.Box(0.3, 0.2, 0.1).at(xyz=(100, -100, 100)),
    "31 mm box 1 km away": lambda: st.Box(0.031, 0.031, 0.031).at(xyz=(1000, 0, 0)),
    "needle 1 m × 0.1 mm": lambda: st.Box(1.0, 1e-4, 1e-4).at(xyz=(2, 3, 4)),
    "plate 10 µm": lambda: st.Box(0.5, 0.3, 1e-5).at(xyz=(2, 3, 4)),
    "wedge": lambda: st.Wedge(0.2, 0.3, 0.4).at(xyz=(1, 2, 3)),
    "cylinder": lambda: st.Cylinder(0.1, 0.4).at(xyz=(1, 2, 3)),
    "tube": lambda: st.Tube(0.1, 0.09, 0.4).at(xyz=(1, 2, 3)),
    "cone": lambda: st.Cone(0.1, 0.3).at(xyz=(1, 2, 3)),
    "sphere": lambda: st.Sphere(0.1).at(xyz=(1, 2, 3)),
    "sphere 100 m away": lambda: st.Sphere(0.1).at(xyz=(100, 0, 0)),
    "ellipsoid": lambda: st.Ellipsoid(0.1, 0.2, 0.3).at(xyz=(1, 2, 3)),
    "torus": lambda: st.Torus(0.3, 0.1).at(xyz=(1, 2, 3)),
    "bend": lambda: st.Torus(0.3, 0.1, 2.0).at(xyz=(1, 2, 3)),
    "capsule": lambda: st.Capsule(0.1, 0.3).at(xyz=(1, 2, 3)),
    "L-profile": lambda: st.Prism([(0, 0), (0.2, 0), (0.2, 0.02), (0.02, 0.02), (0.02, 0.3), (0, 0.3)], 0.5).at(
        xyz=(1, 2, 3)
    ),
    "hollow box": lambda: st.Box(0.3, 0.2, 0.1).hollow(0.002).at(xyz=(1, 2, 3)),
    "hull of 40 points": lambda: st.ConvexHull(np.random.default_rng(1).normal(size=(40, 3)) + [1, 2, 3]),
    "two boxes": lambda: st.Box(0.1, 0.1, 0.1).at(xyz=(1, 2, 3)) + st.Box(0.2, 0.1, 0.1).at(xyz=(1.5, 2, 3)),
}


def reference(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and tensor about it per unit density, in exact fractions."""
    from fractions import Fraction

    exact = np.array([[Fraction(float(x)) for x in p] for p in vertices], dtype=object)
    mesh = Mesh(exact, faces)
    volume, gyration = mesh.volume, mesh.gyration
    tensor = (gyration.trace() * np.eye(3, dtype=int) - gyration) * volume
    return float(volume), mesh.centroid.astype(float), tensor.astype(float)


def ours(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """By this package."""
    body = Mesh(vertices, faces).with_density(1.0)
    return float(body.mass), body.com, body.inertia


def by_trimesh(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """By trimesh."""
    import trimesh

    found: Any = trimesh.Trimesh(vertices, faces, process=False).mass_properties
    return float(found["volume"]), np.array(found["center_mass"]), np.array(found["inertia"])


def by_mujoco(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """By MuJoCo: the compiled body of a mesh geom with exact inertia; MuJoCo keeps vertices in float32."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.add_mesh(name="m", uservert=vertices.ravel().tolist(), userface=faces.ravel().tolist(),
                  inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT)  # fmt: skip
    body = spec.worldbody.add_body(name="b")
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", density=1.0)
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    model = spec.compile()
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    turn = turn.reshape(3, 3)
    return float(model.body_mass[1]), model.body_ipos[1].copy(), turn @ np.diag(model.body_inertia[1]) @ turn.T


def by_ocp(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """By Open CASCADE: the triangulation of a face, measured as it stands."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepGProp import BRepGProp
    from OCP.gp import gp_Pnt
    from OCP.GProp import GProp_GProps
    from OCP.Poly import Poly_Triangle, Poly_Triangulation
    from OCP.TopoDS import TopoDS_Face

    triangles = Poly_Triangulation(len(vertices), len(faces), False)
    for k, point in enumerate(vertices.tolist(), 1):
        triangles.SetNode(k, gp_Pnt(*point))
    for k, corners in enumerate((faces + 1).tolist(), 1):
        triangles.SetTriangle(k, Poly_Triangle(*corners))
    face, found = TopoDS_Face(), GProp_GProps()
    BRep_Builder().MakeFace(face, triangles)
    BRepGProp.VolumeProperties_s(face, found, False, False, True)
    centre, matrix = found.CentreOfMass(), found.MatrixOfInertia()  # about the centre
    tensor = np.array([[matrix.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    return float(found.Mass()), np.array([centre.X(), centre.Y(), centre.Z()]), tensor


PEERS = {"steiner": ours, "trimesh": by_trimesh, "MuJoCo": by_mujoco, "OCP": by_ocp}


@functools.cache
def _known(name: str) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """The triangles of a shape, their volume and tensor."""
    vertices, faces = SHAPES[name]().mesh(FINE)
    volume, _, tensor = reference(vertices, faces)
    return vertices, faces, volume, tensor


def errors(name: str, peer: Callable[..., Any]) -> tuple[float, float]:
    """Relative errors of the volume and of the tensor about the centre."""
    vertices, faces, volume, tensor = _known(name)
    found, _, inertia = peer(vertices, faces)
    return abs(found / volume - 1), float(np.abs(inertia - tensor).max() / np.abs(tensor).max())


def cells(name: str) -> Iterator[str]:
    """The row of a shape."""
    yield name
    yield str(len(SHAPES[name]().mesh(FINE)[1]))
    for peer in PEERS.values():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield " · ".join(_brief(x) for x in errors(name, peer))
        except Exception as error:  # whatever a peer raises is its result
            yield f"refused ({re.sub(r'[^A-Za-z ]+', ' ', str(error)).strip()[:40]})"


def _brief(x: float) -> str:
    return "0" if x < 1e-16 else f"{100 * x:.0f} %" if x > 0.005 else f"{x:.0e}"


def table() -> str:
    """The table in Markdown."""
    head = ["shape", "triangles", *PEERS]
    rows = [head, ["---"] * len(head), *(list(cells(name)) for name in SHAPES)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    """Write the table into its page."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    PAGE.write_text(f"{text[:start]}\n{table()}\n{text[end:]}", encoding="utf-8")


if __name__ == "__main__":
    main()
