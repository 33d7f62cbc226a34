"""What MJCF bodies weigh and look like: `<inertial>`, or the sum of their geoms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import GeometryError, SteinerError, unknown
from steiner.files.mesh import mesh_from
from steiner.files.mjcf_settings import Classes, Settings, known
from steiner.files.reading import Notes, told
from steiner.files.xml import Element, shown
from steiner.inertia import MassProperties
from steiner.model.link import Shape
from steiner.solids.balls import Capsule, Ellipsoid, Sphere
from steiner.solids.base import Solid
from steiner.solids.hull import ConvexHull
from steiner.solids.mesh import Mesh
from steiner.solids.primitives import Box, Cylinder
from steiner.spatial import Pose

DENSITY = 1000.0  # MuJoCo's, kg/m³
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
BARE = ("plane", "hfield")  # allowed on what cannot move, without a mass
WAY_OUT = "state the body's <inertial>, or load with via=\"mujoco\""
CONVEX = 1e-9  # relative: so near, a mesh and the sum of |tetrahedra| have the same volume


@dataclass
class Geom:
    """A geom: what it adds to its body, and what it looks like.

    Whatever needs a file, or has no volume, says so `later`: when its mass is asked for.
    """

    element: Element
    pose: Pose
    solid: Solid | None = None
    later: Callable[[], Solid | str] = lambda: ""
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def body(self, missing: Callable[[str], None] | None = None) -> MassProperties:
        """Mass, or density times volume, in the frame of the body; what has no volume here is refused or `missing`."""
        e = self.element
        mass = e.number("mass") if "mass" in e.attributes else None
        density = e.number("density", DENSITY)
        for name, value in (("mass", mass), ("density", density)):
            if value is not None and value < 0:
                e.fail(f"{name} {value!r} is negative")
        if mass == 0 or (mass is None and density == 0):
            return MassProperties.zero()
        if e.word("shellinertia", ("true", "false"), "false") == "true":
            e.fail(f'shellinertia="true" is not read; {WAY_OUT}')
        solid = self.solid or self.later()
        if isinstance(solid, str):
            if missing is None:
                e.fail(solid)
            missing(solid)
            return MassProperties.zero()
        try:
            own = solid.with_density(density) if mass is None else solid.with_mass(mass)
        except SteinerError as error:
            e.fail(str(error))
        return own.moved(self.pose)

    def shape(self) -> Shape | None:
        """Its look, if it has one."""
        e = self.element
        if self.solid is None and not self.file:
            return None
        seen = e.number("contype", 1.0) == 0 and e.number("conaffinity", 1.0) == 0
        colour = tuple(e.numbers("rgba", 4)) if "rgba" in e.attributes else None
        role = "visual" if seen else "collision"
        return Shape(self.solid, self.file, self.pose, role, colour, self.scale, e.attributes.get("name", ""))  # type: ignore[arg-type]


class Geoms:
    """Makes geoms of elements; knows the meshes of the file."""

    def __init__(self, settings: Settings, classes: Classes, folder: Path | None) -> None:
        self.settings, self.classes, self.folder = settings, classes, folder
        self.meshes: dict[str, Element] = {}
        self._solids: dict[str, Solid | str] = {}

    def add(self, mesh: Element) -> None:
        """A `<mesh>` of the assets; its name is that of its file unless it has one."""
        full = self.classes.full(mesh, "main")
        name = full.attributes.get("name") or Path(full.attributes.get("file", "")).stem
        if not name:
            mesh.fail("a mesh needs a name or a file")
        if name in self.meshes:
            first = self.meshes[name].line
            mesh.fail(f"a second mesh named {name!r}; the first is in line {first}", "duplicate-name")
        self.meshes[name] = full

    def geom(self, element: Element, around: Pose, kind_of_class: str) -> Geom:
        """A geom at its place in the frame of the body."""
        e = self.classes.full(element, kind_of_class)
        kind = e.attributes.get("type", "sphere")
        pose = around @ Pose.trusted(self.settings.rotation(e), e.point("pos"))
        if kind in BARE:
            return Geom(e, pose, later=lambda: f"a {kind} has no mass; expected it on the world")
        if kind == "mesh":
            return self._mesh_geom(e, pose)
        if kind not in SIZES:
            known_types = ", ".join((*SIZES, "mesh", *BARE))
            e.fail(f'type="{shown(kind)}" is not read; expected {known_types}')
        if "mesh" in e.attributes:
            return Geom(e, pose, later=lambda: f"a {kind} fitted to a mesh is not read; {WAY_OUT}")
        if "fromto" in e.attributes:
            return self._spanned(e, kind, around)
        return Geom(e, pose, _primitive(e, kind, e.numbers("size", SIZES[kind], 3)))

    def _spanned(self, e: Element, kind: str, around: Pose) -> Geom:
        """A geom between two points."""
        if kind == "sphere":
            e.fail("a sphere has no ends; expected pos instead of fromto")
        ends = np.array(e.numbers("fromto", 6))
        along = ends[3:] - ends[:3]
        length = math.hypot(*along)
        if not 0 < length < math.inf:
            e.fail(f"the ends of fromto are {length!r} m apart")
        radius = e.numbers("size", 1, 3)[0]
        sizes = [radius, length / 2] if SIZES[kind] == 2 else [radius, radius, length / 2]
        axis = Element("geom", {"zaxis": " ".join(map(repr, (along / length).tolist()))}, e.file, e.line, e.parent)
        pose = around @ Pose.trusted(self.settings.rotation(axis), (ends[:3] + ends[3:]) / 2)
        return Geom(e, pose, _primitive(e, kind, sizes))

    # ---- meshes ------------------------------------------------------------------------------

    def _mesh_geom(self, e: Element, pose: Pose) -> Geom:
        name = e.text("mesh")
        if name not in self.meshes:
            e.fail(unknown("mesh", name, self.meshes))
        mesh = self.meshes[name]
        scale = tuple(mesh.numbers("scale", 3)) if "scale" in mesh.attributes else (1.0, 1.0, 1.0)
        file = self._file(mesh)
        if {"refpos", "refquat"} & mesh.attributes.keys():
            return Geom(e, pose, later=lambda: f"a mesh with refpos or refquat is not read; {WAY_OUT}")

        def solid() -> Solid | str:
            if name not in self._solids:
                self._solids[name] = self._solid(mesh, scale)
            return self._solids[name]

        return Geom(e, pose, None, solid, file, scale)  # type: ignore[arg-type]

    def _file(self, mesh: Element) -> str:
        name = mesh.attributes.get("file", "")
        if self.settings.strip:
            name = name.replace("\\", "/").rpartition("/")[2]
        return str(Path(self.settings.mesh_folder) / name) if name else ""

    def _solid(self, mesh: Element, scale: Any) -> Solid | str:
        """The solid of a mesh, or why there is none."""
        inertia = mesh.word("inertia", ("legacy", "exact", "convex", "shell"), "legacy")
        try:
            if "vertex" in mesh.attributes:
                count = len(mesh.attributes["vertex"].split())
                points = np.array(mesh.numbers("vertex", count)).reshape(-1, 3) * scale
                if "face" not in mesh.attributes or inertia == "convex":
                    return ConvexHull(points)
                count = len(mesh.attributes["face"].split())
                solid: Any = Mesh(points, np.array(mesh.numbers("face", count)).astype(int).reshape(-1, 3))
            else:
                path = self._inside(mesh)
                solid = told(Notes(str(path)).judged(mesh_from(path, unit="m", scale=scale)))
                solid = ConvexHull(solid.vertices) if inertia == "convex" else solid
        except (SteinerError, ValueError) as error:
            return f"{error}; {WAY_OUT}"
        if inertia == "shell":
            return f"the inertia of a shell is not read; {WAY_OUT}"
        if inertia == "legacy" and isinstance(solid, Mesh) and not _bulges(solid):
            return f'a mesh with dents, which MuJoCo fills unless <mesh> says inertia="exact"; say so, or {WAY_OUT}'
        return solid

    def _inside(self, mesh: Element) -> Path:
        """The file of a mesh, which lies in the folder of the model or below."""
        name = self._file(mesh)
        if self.folder is None:
            raise GeometryError(f"{name}: a text has no folder to look for it")
        return inside(self.folder, name)


def inside(folder: Path, name: str) -> Path:
    """A file of a folder by its relative name; never one outside."""
    try:
        path = (folder / name).resolve()
        fits = path.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        raise GeometryError(f"{shown(name)} is no path of a file") from None
    if not fits:
        raise GeometryError(f"{shown(name)} lies outside the folder of the model, which is not read")
    if not path.is_file():
        raise GeometryError(f"{shown(name)}: no such file beside the model")
    return path


def _bulges(mesh: Mesh) -> bool:
    """Whether the tetrahedra over all faces, seen from the middle of the surface, fill the mesh and nothing else."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    middle = (areas[:, None] * (a + b + c)).sum(axis=0) / (3 * areas.sum())
    signed = ((a - middle) * np.cross(b - middle, c - middle)).sum(axis=1)
    return abs(np.abs(signed).sum() / abs(signed.sum()) - 1) < CONVEX


def _primitive(e: Element, kind: str, sizes: list[float]) -> Solid:
    x, y, z = (*sizes, 0.0, 0.0, 0.0)[:3]
    try:
        match kind:
            case "sphere":
                return Sphere(x)
            case "capsule":
                return Capsule(x, 2 * y)
            case "cylinder":
                return Cylinder(x, 2 * y)
            case "ellipsoid":
                return Ellipsoid(x, y, z)
            case _:
                return Box(2 * x, 2 * y, 2 * z)
    except SteinerError as error:
        e.fail(str(error))


# ---- bodies ----------------------------------------------------------------------------------------


def body_of(
    inertial: Element | None, geoms: list[Geom], settings: Settings, missing: Callable[[str], None] | None = None
) -> MassProperties:
    """What a body weighs: what `<inertial>` says, or its geoms, as the compiler is told."""
    first, last = settings.groups
    chosen = [geom for geom in geoms if first <= geom.element.number("group", 0.0) <= last]
    if chosen and (settings.from_geom == "true" or (settings.from_geom == "auto" and inertial is None)):
        total = MassProperties.zero()
        for geom in chosen:
            total = total + geom.body(missing)
    elif inertial is not None:
        total = _stated(known(inertial), settings)
    else:
        total = MassProperties.zero()
    return _adjusted(total, settings)


def _stated(e: Element, settings: Settings) -> MassProperties:
    mass = e.number("mass")
    if mass < 0:
        e.fail(f"mass {mass!r} kg is negative", "negative-mass")
    R = settings.rotation(e)
    if "fullinertia" in e.attributes:
        if "diaginertia" in e.attributes:
            e.fail("diaginertia and fullinertia are both given; expected one")
        if not np.array_equal(R, np.eye(3)):
            e.fail("fullinertia is along the axes of the body; it has no orientation of its own")
        xx, yy, zz, xy, xz, yz = e.numbers("fullinertia", 6)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        tensor = np.diag(e.vector("diaginertia", (0.0, 0.0, 0.0)))
    if not np.array_equal(R, np.eye(3)):
        tensor = R @ tensor @ R.T
    return MassProperties.trusted(mass, e.point("pos", None), (tensor + tensor.T) / 2)


def _adjusted(body: MassProperties, settings: Settings) -> MassProperties:
    """What `boundmass`, `boundinertia` and `balanceinertia` make of a body."""
    if settings.least_mass <= 0 and settings.least_inertia <= 0 and not settings.balance:
        return body
    moments, R = body.principal()
    new = np.maximum(moments, settings.least_inertia)
    if settings.balance and new[0] + new[1] < new[2]:
        new = np.full(3, new.mean())
    if np.array_equal(new, moments) and body.mass >= settings.least_mass:
        return body
    tensor = body.inertia if np.array_equal(new, moments) else R @ np.diag(new) @ R.T
    return MassProperties.trusted(max(float(body.mass), settings.least_mass), body.com, tensor)


def placed(e: Element, settings: Settings) -> Pose:
    """Where a body or a frame stands in what holds it."""
    return Pose.trusted(settings.rotation(e), e.point("pos"))

