"""Materials, parts and links in YAML; every message names file, line and key.

    materials:
      casting: {density: 2.65 g/cm^3, source: data sheet}
    link:
      name: forearm
      parts:
        - {name: tube, shape: tube, outer: 30 mm, inner: 26 mm, height: 0.4 m, axis: x, material: casting}
        - {name: bore, shape: cylinder, radius: 5 mm, height: 30 mm, material: casting, cavity: true}
        - {name: motor, body: {mass: 1.2 kg, com: [0, 0, 10 mm], inertia: [1e-3, 1e-3, 8e-4]}, provenance: measured}
        - name: wrist            # an element: parts within parts, at any depth
          xyz: [0.4 m, 0, 0]
          rpy: [0, 90 deg, 0]
          parts: [...]

Bare lengths need the unit that `unit: mm` at the top (or `unit=`) says; other bare numbers are SI (kg, radians).
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from steiner.assembly.plausible import left_to_rules
from steiner.assembly.tree import Assembly, Part
from steiner.errors import ModelWarning, SteinerError, unknown
from steiner.files.expressions import FUNCTIONS, NAME, Parameter
from steiner.files.matter import Matter
from steiner.files.patterns import beside, copies, filled, templates
from steiner.files.quantity import LENGTH, kind_of
from steiner.files.reading import CAD_ENDINGS, MESH_ENDINGS, Notes, contents, doubtful, told
from steiner.files.shapes import SHAPES, solid_from
from steiner.files.yaml import Mapping, parse
from steiner.inertia import MassProperties, judged
from steiner.materials import MATERIALS, Material, material
from steiner.model.source import element
from steiner.scalar import is_number
from steiner.solids.base import Solid
from steiner.spatial import IDENTITY, Pose

__all__ = ["Matter", "load_assembly", "load_materials", "loads_assembly", "read"]

PLACE = ("name", "xyz", "rpy", "matrix")
MATTER = {"density": "density", "mass": "mass", "linear_density": "linear density", "area_density": "area density"}
REPEATED = ("pattern", "like")
PART_KEYS = (*PLACE, *REPEATED, "shape", "hollow", "infill", "material", *MATTER, "cavity", "op", "body", "provenance")
PART_KEYS += ("tolerance",)
MESH_KEYS = ("file", "unit", "policy")
CAD_KEYS = ("materials", "material", "density")
LINK_KEYS = (*PLACE, *REPEATED, "parts", "file", "body", "provenance", "weighed")
TOP_KEYS = ("unit", "parameters", "materials", "link", "part")


def load_assembly(
    path: str | os.PathLike[str],
    *,
    unit: str | None = None,
    density: Any = None,
    material: str | None = None,
    mass: Any = None,
) -> Assembly:
    """The link of a YAML file.

    Args:
        path: the file.
        unit: that of bare lengths, unless the file says it.
        density: for parts that state neither mass nor material [kg/m³].
        material: the same, by name.
        mass: what the whole weighs [kg]: the scale wins, as with `Assembly.weighed`.
    """
    notes = Notes(os.fspath(path))
    matter = Matter(density, material, mass)
    return told(notes.judged(read(contents(path, "a link"), notes, unit=unit, matter=matter)))


def loads_assembly(
    text: str | bytes, name: str = "<text>", *, unit: str | None = None, matter: Matter | None = None
) -> Assembly:
    """The link described by a YAML text."""
    notes = Notes(name)
    return told(notes.judged(read(text, notes, unit=unit, matter=matter)))


def read(
    text: str | bytes,
    notes: Notes,
    *,
    unit: str | None = None,
    matter: Matter | None = None,
    within: tuple[Path, ...] = (),
) -> Assembly:
    """The link of a YAML document; `within` are the files that ask for it."""
    top = parse(text, notes.file).mapping()
    if "robot" in top:
        raise top.error("expected a link, and this is a robot: name one of its links (--link)", "robot")
    top.only(TOP_KEYS)
    length = length_unit(top, unit)
    top.document.parameters = parameters(top, length) if "parameters" in top else None
    reader = Reader(length, materials(top), matter or Matter(), notes, templates(top.data), within=within)
    made = _read(reader, top)
    return made if matter is None or matter.mass is None else made.weighed(matter.mass)


def _read(reader: Reader, top: Mapping) -> Assembly:
    if reader.matter.material is not None and reader.matter.material not in reader.materials:
        material(reader.matter.material)  # a misspelt name is told, also where every part states its own
    if ("link" in top) == ("part" in top):
        raise top.error("expected one of the keys `link` (with parts) and `part`")
    if "link" in top:
        node = top.child("link")
        made = reader.assembly(node, Path(top.file).stem or "link")
        node.guarded(lambda: made.mass_properties, "parts")
        return made
    node = top.child("part")
    name = reader.name(node, "part")
    made = Assembly(name, [reader.part(node, name, within=f"{name}/")])
    node.guarded(lambda: made.mass_properties, "shape")
    return made


def load_materials(path: str | os.PathLike[str]) -> dict[str, Material]:
    """The materials of a YAML file, by name."""
    top = parse(contents(path, "a table of materials"), os.fspath(path)).mapping()
    top.only(TOP_KEYS)
    return materials(top)


def length_unit(top: Mapping, given: str | None) -> str | None:
    for unit, key in ((given, None), (top.get("unit"), "unit")):
        if unit is not None and (not isinstance(unit, str) or unit not in LENGTH):
            raise top.error(f"{unit!r} is no unit of length; expected one of {', '.join(LENGTH)}", key)
    return top.get("unit") or given


def materials(top: Mapping) -> dict[str, Material]:
    if "materials" not in top:
        return {}
    table = top.child("materials")
    found = {}
    for name in table:
        entry = table[name]
        if isinstance(entry, dict):
            inner = table.child(name)
            inner.only(("density", "source"))
            density, source = inner.value("density", "density"), str(inner.get("source", f"{top.file}"))
        else:
            density, source = table.value(name, "density"), top.file
        found[str(name)] = table.guarded(lambda n=name, d=density, s=source: Material(str(n), d, s), name)
    return found


def parameters(top: Mapping, unit: str | None) -> dict[str, Parameter]:
    """The named numbers of a file: bare ones are lengths, others say what they are by their unit."""
    table, found = top.child("parameters"), {}
    for name in table:
        if not isinstance(name, str) or NAME.fullmatch(name) is None or name in FUNCTIONS:
            raise table.error("a parameter's name has letters, digits and _, and is no function", name)
        kind = kind_of(str(table[name]))
        found[str(name)] = Parameter(kind, table.value(name, kind, unit))
    return found


def _is_mesh(node: Mapping) -> bool:
    """Whether a node names a mesh file."""
    return isinstance(node.get("file"), str) and Path(node["file"]).suffix.lower() in MESH_ENDINGS


class Reader:
    """Turns mappings into parts; carries what the file says for all of them, and notes where bodies stand."""

    def __init__(
        self,
        unit: str | None,
        materials: dict[str, Material],
        matter: Matter,
        notes: Notes,
        templates: dict[str, Any] | None = None,
        *,
        measured: bool = True,
        within: tuple[Path, ...] = (),
    ) -> None:
        self.unit, self.materials, self.matter, self.notes = unit, materials, matter, notes
        self.templates, self.measured = templates or {}, measured  # a drawing in symbols is not measured at once
        self.within = within or (Path(notes.file).resolve(),)

    def assembly(self, node: Mapping, default: str, within: str = "") -> Assembly:
        """A link or an element; `within` begins the paths of what it holds."""
        node.only(LINK_KEYS)
        name = self.name(node, default)
        children = self.children(node, f"{within}{name}/")
        body = self.body(node.child("body"), f"{within}{name}") if "body" in node else None
        made = node.guarded(
            lambda: Assembly(name, children, pose=self.pose(node), body=body, provenance=self.provenance(node)),
            "parts",
        )
        if "weighed" in node:
            made = node.guarded(lambda: made.weighed(node.value("weighed", "mass")), "weighed")
        return made

    def children(self, node: Mapping, within: str) -> list[Part | Assembly]:
        """The parts and elements of a link or an element, patterns of them written out."""
        children: list[Part | Assembly] = []
        counts: dict[str, int] = {}
        for child in node.children("parts") if "parts" in node else []:
            child = filled(child, self.templates)
            kind = str(child.get("shape", "part" if "body" in child else "mesh" if _is_mesh(child) else "element"))
            counts[kind] = counts.get(kind, 0) + 1
            made = self.node(child, f"{kind}{counts[kind]}", within)
            children += copies(made, child.child("pattern"), self.unit) if "pattern" in child else [made]
        return children

    def node(self, child: Mapping, default: str, within: str) -> Part | Assembly:
        """A part, an element, or a mesh or a link of another file."""
        if "file" in child and not _is_mesh(child):
            return self.included(child, default)
        if "parts" in child:
            return self.assembly(child, default, within)
        return self.printed(child, default, within) if "infill" in child else self.part(child, default, within)

    def included(self, node: Mapping, default: str) -> Assembly:
        """The link of another file in the same folder or below it: YAML, or STEP with its materials."""
        cad = isinstance(node["file"], str) and Path(node["file"]).suffix.lower() in CAD_ENDINGS
        node.only((*PLACE, *REPEATED, "file", *(CAD_KEYS if cad else ())))
        path = node.guarded(lambda: beside(node.file, node["file"]), "file")
        if cad:
            return replace(self.cad(node, path), name=self.name(node, default), pose=self.pose(node))
        if path in self.within:
            raise node.error(f"{node['file']!r} holds this link itself", "file")
        notes = Notes(str(path))
        made = node.guarded(lambda: read(contents(path, "a link"), notes, within=(*self.within, path)), "file")
        return replace(made, name=self.name(node, default), pose=self.pose(node))

    def cad(self, node: Mapping, path: Path) -> Assembly:
        """The assembly of a STEP file; `materials` is a table by part name or colour, or a file beside this one."""
        from steiner.files.step import assembly_from

        stated: dict[str, Any] = self._default_matter()
        if "density" in node:
            stated = {"density": node.value("density", "density")}
        if "material" in node:
            stated = {"material": self.material(node)}
        named = node.get("materials")
        if isinstance(named, str):
            named = node.guarded(lambda: beside(node.file, node["materials"]), "materials")
        elif named is not None:
            table = node.child("materials")
            named = {key: self.materials.get(str(table[key]), table[key]) for key in table}
        return node.guarded(lambda: assembly_from(path, Notes(str(path)), materials=named, **stated), "file")

    def printed(self, node: Mapping, default: str, within: str) -> Assembly:
        """A part with a wall and infill: two parts of one element."""
        share, name = node.value("infill", "share"), self.name(node, default)
        if "hollow" not in node:
            raise node.error("infill fills what a wall leaves; give the wall: `hollow: 1.2 mm`", "infill")
        if is_number(share) and not 0 <= share <= 1:
            raise node.error(f"{share:g} is no share; expected 0 % … 100 %", "infill")
        shell = self.part(node, default, within)
        density = shell.material.density if isinstance(shell.material, Material) else shell.density
        if density is None or shell.cavity:
            raise node.error("infill needs a material or a density", "infill")
        room = shell.solid.inside  # type: ignore[union-attr]
        parts = [replace(shell, name="shell", pose=IDENTITY), Part("infill", room, density=share * density)]
        return Assembly(name, parts, pose=shell.pose)

    def part(self, node: Mapping, default: str, within: str) -> Part:
        """One part: a shape or a mesh with matter, or a measured body."""
        meshed = "file" in node
        if not meshed and "shape" not in node and "body" not in node:
            raise node.error("expected `shape` (with its dimensions), `file` (a mesh), `body` (measured) or `parts`")
        shape = node.get("shape")
        if shape is not None and (not isinstance(shape, str) or shape not in SHAPES):
            raise node.error(unknown("shape", shape, SHAPES), "shape")
        node.only((*PART_KEYS, *(MESH_KEYS if meshed else ()), *(SHAPES[shape].keys if shape else ())))
        if meshed and shape:
            raise node.error("`file` and `shape` are both given; a part has one of them", "file")
        stated: dict[str, Any] = {key: node.value(key, kind) for key, kind in MATTER.items() if key in node}
        if "material" in node:
            stated["material"] = self.material(node)
        provenance = self.provenance(node)
        if not stated and (shape or meshed) and "body" not in node:
            stated = self._default_matter()
            provenance = provenance or ("default" if stated else None)
        name = self.name(node, default)
        self.notes.lines[element("part", f"{within}{name}")] = node.line()
        made = node.guarded(
            lambda: Part(
                name,
                left_to_rules(self.mesh(node) if meshed else solid_from(node, self.unit)) if shape or meshed else None,
                pose=self.pose(node),
                cavity=self._cavity(node),
                body=judged(self.body(node.child("body"), f"{within}{name}")) if "body" in node else None,
                provenance=provenance,
                tolerance=node.value("tolerance", "length", self.unit) if "tolerance" in node else None,
                **stated,
            )
        )
        if self.measured:
            node.guarded(lambda: made.mass_properties, "shape")
        return made

    def mesh(self, node: Mapping) -> Solid:
        """The mesh of a file in the same folder or below it, with a wall if one is asked for."""
        from steiner.files.mesh import mesh_from

        path = beside(node.file, node["file"])
        try:
            found = mesh_from(path, unit=node.get("unit", self.unit), policy=node.get("policy", "exact"))
        except SteinerError as error:
            raise node.error(str(error), "file") from None
        made = told(Notes(str(path)).judged(found))
        if "hollow" not in node:
            return made
        return node.guarded(lambda: made.hollow(node.value("hollow", "length", self.unit)), "hollow")

    def _default_matter(self) -> dict[str, Any]:
        if self.matter.density is not None:
            return {"density": self.matter.density}
        if self.matter.material is not None:
            return {"material": self.materials.get(self.matter.material, self.matter.material)}
        return {"density": 1000.0} if self.matter.mass is not None else {}  # rescaled to the mass at the end

    def material(self, node: Mapping) -> Material:
        """A material of the file, or of the library."""
        name = str(node["material"])
        if name in self.materials:
            return self.materials[name]
        try:
            return material(name)
        except SteinerError:
            raise node.error(unknown("material", name, [*self.materials, *MATERIALS]), "material") from None

    def pose(self, node: Mapping) -> Pose:
        """xyz and rpy of a node in its parent."""
        xyz = node.values("xyz", "length", 3, self.unit) if "xyz" in node else (0, 0, 0)
        if "matrix" in node:
            if "rpy" in node:
                raise node.error("`rpy` and `matrix` are both given", "matrix")
            return node.guarded(lambda: Pose(node.rows("matrix", "number", 3), xyz), "matrix")
        rpy = node.values("rpy", "angle", 3) if "rpy" in node else (0, 0, 0)
        if "rpy" in node and all(map(is_number, rpy)):
            what = f"{node.path}.rpy"
            self.notes.lines[what] = node.line("rpy")
            doubtful(list(map(float, rpy)), what, self.notes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # which has no place in the file
            return node.guarded(lambda: Pose.from_rpy(xyz, rpy))

    def body(self, node: Mapping, path: str) -> MassProperties:
        """Mass, centre and tensor as measured or exported, of the part at a path; conventions by name."""
        self.notes.lines[element("part", path, "body")] = node.line()
        node.only(("mass", "com", "inertia", "about", "products", "provenance"))
        com = node.values("com", "length", 3, self.unit) if "com" in node else (0, 0, 0)
        tensor = node.tensor("inertia") if "inertia" in node else None
        about = node.get("about", "com")
        return node.guarded(
            lambda: MassProperties(
                node.value("mass", "mass"),
                com,
                tensor,
                about=about if isinstance(about, str) else node.values("about", "length", 3, self.unit),
                products=node.get("products", "tensor"),
            ),
            "inertia",
        )

    @staticmethod
    def provenance(node: Mapping) -> Any:
        """Where the numbers of a node come from: said of it, or of its body."""
        inside = node.child("body").get("provenance") if "body" in node else None
        return node.get("provenance", inside)

    @staticmethod
    def _cavity(node: Mapping) -> bool:
        op = node.get("op", "add")
        if op not in ("add", "subtract"):
            raise node.error(f"op: {op!r}; expected add or subtract", "op")
        cavity = node.get("cavity", op == "subtract")
        if not isinstance(cavity, bool):
            raise node.error(f"expected true or false, got {cavity!r}", "cavity")
        return cavity

    @staticmethod
    def name(node: Mapping, default: str) -> str:
        """The name that a node states, or the default."""
        name = node.get("name", default)
        if not isinstance(name, str):
            raise node.error(f"expected a name in words, got {name!r}", "name")
        return name
