"""How every solid of the table SOLIDS is written in a file: its keys and their units."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

from steiner.files.yaml import Mapping
from steiner.scalar import is_number
from steiner.solids.shapes import SOLIDS, Limits, Solid

SPECIAL = {"angle": "angle", "polygon": "points2", "profile": "points2", "holes": "loops", "points": "points3"}
SPECIAL |= {"vertices": "points3", "faces": "faces", "axis": "axis"}
DIAMETERS = {"diameter": "radius", "outer_diameter": "outer", "inner_diameter": "inner"}
SIZES = {"box": ("x", "y", "z"), "plate": ("x", "y")}


@dataclass(frozen=True)
class Shape:
    """A shape of a file: its class, and what each key holds."""

    solid: type[Solid]
    kinds: dict[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that may be given."""
        return (*self.kinds, *(("size",) if self.name in SIZES else ()), *self.diameters)

    @property
    def diameters(self) -> dict[str, str]:
        """Keys that give twice a radius -> the key of the radius."""
        return {key: radius for key, radius in DIAMETERS.items() if radius in self.kinds}

    @property
    def name(self) -> str:
        """Name in a file, such as spherical_shell."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.solid.__name__).lower()

    @property
    def required(self) -> tuple[str, ...]:
        """Keys without a default."""
        return tuple(k for k in self.kinds if k not in ("axis", "angle", "holes"))


def _shapes() -> dict[str, Shape]:
    found = {}
    for cls in SOLIDS:
        if cls is Limits:  # limits are formulas, not data
            continue
        kinds = {f.name: SPECIAL.get(f.name, "length") for f in fields(cls)}  # type: ignore[arg-type]
        shape = Shape(cls, kinds)
        found[shape.name] = shape
    return found


SHAPES = _shapes()


def solid_from(node: Mapping, unit: str | None = None) -> Solid:
    """The solid that a mapping with `shape` describes."""
    shape = SHAPES[node["shape"]]
    given: dict[str, Any] = {}
    if "size" in node and shape.name in SIZES:
        names = SIZES[shape.name]
        given = dict(zip(names, node.values("size", "length", len(names), unit), strict=True))
        for name in names:
            if name in node:
                raise node.error(f"`size` and `{name}` are both given", name)
            if is_number(given[name]) and given[name] <= 0:
                raise node.error(f"{given[name]:g} m is no length of an edge; expected lengths > 0", "size")
    for key, kind in shape.kinds.items():
        if key in node:
            given[key] = _value(node, key, kind, unit)
    for key, radius in shape.diameters.items():
        if key in node and radius in node:
            raise node.error(f"`{key}` and `{radius}` are both given", key)
        if key in node:
            given[radius] = node.value(key, "length", unit) / 2
    missing = [k for k in shape.required if k not in given]
    if missing:
        hint = f" (or size: [{', '.join(SIZES[shape.name])}])" if shape.name in SIZES else ""
        raise node.error(f"a {shape.name} needs {', '.join(missing)}{hint}", "shape")
    made = node.guarded(lambda: shape.solid(**given), "shape")
    return (
        made
        if "hollow" not in node
        else node.guarded(lambda: made.hollow(node.value("hollow", "length", unit)), "hollow")
    )


def _value(node: Mapping, key: str, kind: str, unit: str | None) -> Any:
    if kind == "axis":
        if node[key] not in ("x", "y", "z"):
            raise node.error(f"expected x, y or z, got {node[key]!r}", key)
        return str(node[key])
    if kind == "angle":
        return node.value(key, "angle")
    if kind in ("points2", "points3"):
        return node.points(key, int(kind[-1]), unit)
    if kind == "loops":
        loops = node[key]
        if not isinstance(loops, list):
            raise node.error("expected a list of loops, each a list of points", key)
        return [_loop(node, key, loop, unit) for loop in loops]
    if kind == "faces":
        faces = node[key]
        if not isinstance(faces, list) or not all(
            isinstance(f, list) and len(f) == 3 and all(isinstance(k, int) for k in f) for f in faces
        ):
            raise node.error("expected a list of faces, each three numbers of vertices", key)
        return [[int(k) for k in f] for f in faces]
    return node.value(key, "length", unit)


def _loop(node: Mapping, key: str, loop: Any, unit: str | None) -> list[list[float]]:
    if not isinstance(loop, list) or not all(isinstance(p, list) and len(p) == 2 for p in loop):
        raise node.error("expected a list of loops, each a list of points (x, y)", key)
    return [[node._quantity(v, key, "length", unit) for v in point] for point in loop]
