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

Bare numbers are SI (metres, kg, radians) unless `unit: mm` says otherwise for lengths.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steiner.assembly import Assembly, Part
from steiner.assembly.budget import shown
from steiner.errors import ArgumentError, FormatError, SteinerError, unknown
from steiner.inertia import MassProperties
from steiner.io.quantity import LENGTH
from steiner.io.shapes import SHAPES, solid_from
from steiner.io.yaml import Document, Mapping, parse
from steiner.materials import MATERIALS, Material, material
from steiner.spatial import Pose

__all__ = ["Matter", "inertia_text", "load_assembly", "load_materials", "loads_assembly"]

LARGEST = 50_000_000  # bytes
PLACE = ("name", "xyz", "rpy")
MATTER = {"density": "density", "mass": "mass", "linear_density": "linear density", "area_density": "area density"}
PART_KEYS = (*PLACE, "shape", "material", *MATTER, "cavity", "op", "body", "provenance")
LINK_KEYS = (*PLACE, "parts", "body", "provenance", "weighed")
TOP_KEYS = ("unit", "materials", "link", "part")


@dataclass(frozen=True)
class Matter:
    """What parts are made of where the file does not say it: one of density, material and mass."""

    density: Any = None
    material: str | None = None
    mass: Any = None

    def __post_init__(self) -> None:
        given = [n for n in ("density", "material", "mass") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ArgumentError(f"{' and '.join(given)} are both given; one of them decides the mass")
        for name in ("density", "mass"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} {value}: expected a positive number")


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
    matter = Matter(density, material, mass)
    file = Path(path)
    if not file.is_file():
        raise FormatError(f"{os.fspath(path)}: no such file")
    if file.stat().st_size > LARGEST:
        raise FormatError(
            f"{os.fspath(path)}: {file.stat().st_size / 1e6:.0f} MB is too large for a link (at most 50 MB)"
        )
    return loads_assembly(file.read_bytes(), os.fspath(path), unit=unit, matter=matter)


def inertia_text(path: str | os.PathLike[str], *, as_json: bool = False, about: str = "link", **options: Any) -> str:
    """What `steiner inertia FILE` prints: the budget, the tensor of the whole, and findings about overlaps."""
    link = load_assembly(path, **options)
    table = link.budget(about)
    findings = link.check()
    if as_json:
        listed = [{"code": f.code, "parts": f.parts, "depth_m": f.depth, "text": f.text} for f in findings]
        return json.dumps(json.loads(table.json()) | {"findings": listed}, indent=2, ensure_ascii=False)
    body = link.mass_properties
    rows = ["  ".join(shown(x).rjust(12) for x in row) for row in body.inertia.tolist()]
    tensor = "\n".join(["", f"inertia of {link.name} about its centre of mass, kg m²:", *rows])
    return "\n".join([table.text(), tensor, *(["", *map(str, findings)] if findings else [])])


def loads_assembly(
    text: str | bytes, name: str = "<text>", *, unit: str | None = None, matter: Matter | None = None
) -> Assembly:
    """The link described by a YAML text."""
    document = parse(text, name)
    top = document.mapping()
    top.only(TOP_KEYS)
    made = _read(document, top, unit, matter or Matter())
    return made if matter is None or matter.mass is None else made.weighed(matter.mass)


def _read(document: Document, top: Mapping, unit: str | None, matter: Matter) -> Assembly:
    name = document.file
    reader = _Reader(document, _unit(top, unit), _materials(top), matter)
    if matter.material is not None and matter.material not in reader.materials:
        material(matter.material)  # a misspelt name is told, also where every part states its own
    if ("link" in top) == ("part" in top):
        raise document.error("expected one of the keys `link` (with parts) and `part`", top)
    if "link" in top:
        node = top.child("link")
        made = reader.assembly(node, Path(name).stem or "link")
        node.guarded(lambda: made.mass_properties, "parts")
        return made
    node = top.child("part")
    single = reader.part(node, "part")
    made = Assembly(single.name, [single])
    node.guarded(lambda: made.mass_properties, "shape")
    return made


def load_materials(path: str | os.PathLike[str]) -> dict[str, Material]:
    """The materials of a YAML file, by name."""
    file = Path(path)
    if not file.is_file():
        raise FormatError(f"{os.fspath(path)}: no such file")
    top = parse(file.read_bytes(), os.fspath(path)).mapping()
    top.only(TOP_KEYS)
    return _materials(top)


def _unit(top: Mapping, given: str | None) -> str | None:
    for unit, key in ((given, None), (top.get("unit"), "unit")):
        if unit is not None and (not isinstance(unit, str) or unit not in LENGTH):
            raise top.error(f"{unit!r} is no unit of length; expected one of {', '.join(LENGTH)}", key)
    return top.get("unit") or given


def _materials(top: Mapping) -> dict[str, Material]:
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


class _Reader:
    """Turns mappings into parts; carries what the file says for all of them."""

    def __init__(self, document: Document, unit: str | None, materials: dict[str, Material], matter: Matter) -> None:
        self.document, self.unit, self.materials, self.matter = document, unit, materials, matter

    def assembly(self, node: Mapping, default: str) -> Assembly:
        """A link or an element."""
        node.only(LINK_KEYS)
        name = self._name(node, default)
        children: list[Part | Assembly] = []
        counts: dict[str, int] = {}
        for child in node.children("parts") if "parts" in node else []:
            kind = str(child.get("shape", "element" if "parts" in child else "part"))
            counts[kind] = counts.get(kind, 0) + 1
            fallback = f"{kind}{counts[kind]}"
            children.append(self.assembly(child, fallback) if "parts" in child else self.part(child, fallback))
        body = self.body(node.child("body")) if "body" in node else None
        made = node.guarded(
            lambda: Assembly(name, children, pose=self.pose(node), body=body, provenance=node.get("provenance")),
            "parts",
        )
        if "weighed" in node:
            made = node.guarded(lambda: made.weighed(node.value("weighed", "mass")), "weighed")
        return made

    def part(self, node: Mapping, default: str) -> Part:
        """One part: a shape with matter, or a measured body."""
        if "shape" not in node and "body" not in node:
            raise node.error("expected `shape` (with its dimensions), `body` (measured) or `parts`")
        shape = node.get("shape")
        if shape is not None and (not isinstance(shape, str) or shape not in SHAPES):
            raise node.error(unknown("shape", shape, SHAPES), "shape")
        node.only((*PART_KEYS, *(SHAPES[shape].keys if shape else ())))
        stated: dict[str, Any] = {key: node.value(key, kind) for key, kind in MATTER.items() if key in node}
        if "material" in node:
            stated["material"] = self.material(node)
        provenance = node.get("provenance")
        if not stated and shape and "body" not in node:
            stated = self._default_matter()
            provenance = provenance or ("default" if stated else None)
        made = node.guarded(
            lambda: Part(
                self._name(node, default),
                solid_from(node, self.unit) if shape else None,
                pose=self.pose(node),
                cavity=self._cavity(node),
                body=self.body(node.child("body")) if "body" in node else None,
                provenance=provenance,
                **stated,
            )
        )
        node.guarded(lambda: made.mass_properties, "shape")
        return made

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
        rpy = node.values("rpy", "angle", 3) if "rpy" in node else (0, 0, 0)
        return Pose.from_rpy(xyz, rpy)

    def body(self, node: Mapping) -> MassProperties:
        """Mass, centre and tensor as measured or exported; conventions by name."""
        node.only(("mass", "com", "inertia", "about", "products"))
        com = node.values("com", "length", 3, self.unit) if "com" in node else (0, 0, 0)
        tensor = node.tensor("inertia") if "inertia" in node else None
        about = node.get("about", "com")
        made = node.guarded(
            lambda: MassProperties(
                node.value("mass", "mass"),
                com,
                tensor,
                about=about if isinstance(about, str) else node.values("about", "length", 3, self.unit),
                products=node.get("products", "tensor"),
            ),
            "inertia",
        )
        if not made.is_physical():
            node.warn(f"no body has this tensor ({made._fault()}); it is used as given")
        return made

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
    def _name(node: Mapping, default: str) -> str:
        name = node.get("name", default)
        if not isinstance(name, str):
            raise node.error(f"expected a name in words, got {name!r}", "name")
        return name
