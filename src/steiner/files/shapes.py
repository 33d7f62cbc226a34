"""How every solid of the table SOLIDS is written in a file: its keys and their units; JSON Schema."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, fields
from typing import Any

from steiner.files.quantity import KINDS
from steiner.files.yaml import Mapping
from steiner.solids.shapes import SOLIDS, Limits, Solid

__all__ = ["SHAPES", "schema", "solid_from"]

SPECIAL = {"angle": "angle", "polygon": "points2", "profile": "points2", "holes": "loops", "points": "points3"}
SPECIAL |= {"vertices": "points3", "faces": "faces", "axis": "axis"}
SIZES = {"box": ("x", "y", "z"), "plate": ("x", "y")}


@dataclass(frozen=True)
class Shape:
    """A shape of a file: its class, and what each key holds."""

    solid: type[Solid]
    kinds: dict[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that may be given."""
        return (*self.kinds, *(("size",) if self.name in SIZES else ()))

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
            if given[name] <= 0:
                raise node.error(f"{given[name]:g} m is no length of an edge; expected lengths > 0", "size")
    for key, kind in shape.kinds.items():
        if key in node:
            given[key] = _value(node, key, kind, unit)
    missing = [k for k in shape.required if k not in given]
    if missing:
        hint = f" (or size: [{', '.join(SIZES[shape.name])}])" if shape.name in SIZES else ""
        raise node.error(f"a {shape.name} needs {', '.join(missing)}{hint}", "shape")
    return node.guarded(lambda: shape.solid(**given), "shape")


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


# ---- JSON Schema -------------------------------------------------------------------------------------


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a file with materials, a part or a link."""
    definitions: dict[str, Any] = {
        kind.replace(" ", "_"): {
            "description": f"{kind}: a number in {si}, or text with a unit such as {example!r}",
            "anyOf": [
                {"type": "number"},
                {"type": "string", "pattern": r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*\S*$"},
            ],
        }
        for kind, (_, si, example) in KINDS.items()
    }
    definitions["body"] = _body()
    place = {"name": {"type": "string"}, "xyz": _list("length", 3), "rpy": _list("angle", 3)}
    definitions["part"] = {"oneOf": [*(_shape_schema(s, place) for s in SHAPES.values()), _body_schema(place)]}
    definitions["link"] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **place,
            "parts": {"type": "array", "items": {"anyOf": [_ref("part"), _ref("link")]}},
            "body": _ref("body"),
            "provenance": {"type": "string"},
            "weighed": _ref("mass"),
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "steiner: materials, parts and links",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "unit": {"type": "string", "description": "unit of lengths that are bare numbers"},
            "materials": {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        _ref("density"),
                        {"type": "object", "properties": {"density": _ref("density"), "source": {"type": "string"}}},
                    ]
                },
            },
            "link": _ref("link"),
            "part": _ref("part"),
        },
        "oneOf": [
            {"required": ["link"]},
            {"required": ["part"]},
            {"required": ["materials"], "properties": {"link": False, "part": False}},
        ],
        "$defs": definitions,
    }


def _body() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["mass"],
        "properties": {
            "mass": _ref("mass"),
            "com": _list("length", 3),
            "inertia": {
                "anyOf": [
                    _list("inertia", 3),
                    {"type": "array", "items": _list("inertia", 3), "minItems": 3, "maxItems": 3},
                ]
            },
            "about": {"anyOf": [{"enum": ["com", "origin"]}, _list("length", 3)]},
            "products": {"enum": ["tensor", "integral"]},
        },
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _list(kind: str, count: int) -> dict[str, Any]:
    return {"type": "array", "items": _ref(kind), "minItems": count, "maxItems": count}


def _shape_schema(shape: Shape, place: dict[str, Any]) -> dict[str, Any]:
    point = {k: {"type": "array", "items": _list("length", k)} for k in (2, 3)}
    of_kind = {
        "axis": {"enum": ["x", "y", "z"]},
        "angle": _ref("angle"),
        "points2": point[2],
        "points3": point[3],
        "loops": {"type": "array", "items": point[2]},
        "faces": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
        },
        "length": _ref("length"),
    }
    own = {key: of_kind[kind] for key, kind in shape.kinds.items()}
    if shape.name in SIZES:
        own["size"] = _list("length", len(SIZES[shape.name]))
    matter = {"material": {"type": "string"}, "density": _ref("density"), "mass": _ref("mass")}
    matter |= {"linear_density": _ref("linear_density"), "area_density": _ref("area_density")}
    flags = {"cavity": {"type": "boolean"}, "op": {"enum": ["add", "subtract"]}, "provenance": {"type": "string"}}
    return {
        "type": "object",
        "title": shape.name,
        "description": f"{(shape.solid.__doc__ or '').strip().splitlines()[0]} Frame: {shape.solid.frame}.",
        "additionalProperties": False,
        "required": ["shape"] if shape.name in SIZES else ["shape", *shape.required],
        "properties": {"shape": {"const": shape.name}, **own, **place, **matter, **flags, "body": _ref("body")},
    }


def _body_schema(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "title": "measured body",
        "additionalProperties": False,
        "required": ["body"],
        "properties": {**place, "body": _ref("body"), "provenance": {"type": "string"}},
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n")
