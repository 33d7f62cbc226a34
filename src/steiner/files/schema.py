"""JSON Schema of our YAML, for editors that complete and check while one types: `python -m steiner.files.schema`."""

from __future__ import annotations

import json
import sys
from typing import Any

from steiner.files.quantity import KINDS, LENGTH
from steiner.files.reading import MESH_ENDINGS
from steiner.files.shapes import SHAPES, SIZES, Shape
from steiner.model.friction import FRICTIONS
from steiner.model.joint_types import JOINTS, Several
from steiner.model.link import ROLES


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a file with materials, a part, a link or a robot."""
    definitions: dict[str, Any] = {
        kind.replace(" ", "_"): {
            "description": f"{kind}: a number in {si}, or text with a unit such as {example!r}",
            "anyOf": [
                {"type": "number"},
                {
                    "type": "string",
                    "pattern": r"^[\w\s.+*/^()%°µ²³·-]{1,400}$",
                },  # with a unit, or a formula of parameters
            ],
        }
        for kind, (_, si, example) in KINDS.items()
    }
    definitions["body"] = _body()
    place = {"xyz": _list("length", 3), "rpy": _list("angle", 3), "matrix": _rows("number", 3)}
    placed = place
    place = {"name": {"type": "string"}, **placed, "pattern": _pattern(), "like": {"type": "string"}}
    shapes = (_shape_schema(s, place) for s in SHAPES.values())
    definitions["part"] = {"oneOf": [*shapes, _mesh_schema(place), _body_schema(place)]}
    definitions["link"] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **place,
            **_drawn(),
        },
    }
    definitions["copy"] = {"type": "object", "required": ["like"], "properties": {"like": {"type": "string"}}}
    definitions |= {
        "robot": _robot(),
        "robot_link": _robot_link(),
        "joint": _joint(placed),
        "payload": _payload(placed),
    }
    definitions["shape"] = _look(placed)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "steiner: materials, parts, links and robots",
        "type": "object",
        "additionalProperties": False,
        "properties": _top(),
        "oneOf": [
            {"required": ["link"]},
            {"required": ["part"]},
            {"required": ["robot"]},
            {"required": ["materials"], "properties": {"link": False, "part": False, "robot": False}},
        ],
        "$defs": definitions,
    }


def _top() -> dict[str, Any]:
    """The keys of a file."""
    material = {"type": "object", "properties": {"density": _ref("density"), "source": {"type": "string"}}}
    return {
        "unit": {"type": "string", "description": "unit of lengths that are bare numbers"},
        "materials": {"type": "object", "additionalProperties": {"anyOf": [_ref("density"), material]}},
        "parameters": {
            "type": "object",
            "description": "names for numbers: bare ones are lengths",
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z_0-9]*$"},
            "additionalProperties": {"type": ["number", "string"]},
        },
        "link": _ref("link"),
        "part": _ref("part"),
        "robot": _ref("robot"),
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
            "provenance": {"type": "string"},
        },
    }


def _drawn() -> dict[str, Any]:
    """What a link is made of."""
    return {
        "parts": {"type": "array", "items": {"anyOf": [_ref("part"), _ref("link"), _ref("copy")]}},
        "file": {"type": "string", "description": "a link in another file of this folder"},
        "body": _ref("body"),
        "provenance": {"type": "string"},
        "weighed": _ref("mass"),
    }


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


def _pattern() -> dict[str, Any]:
    count = {"type": "integer", "minimum": 1}
    circle = {"circle": count, "radius": _ref("length"), "diameter": _ref("length"), "axis": {"enum": ["x", "y", "z"]}}
    circle |= {"start": _ref("angle"), "angle": _ref("angle")}
    row = {"row": count, "step": _list("length", 3)}
    grid = {"grid": {"type": "array", "items": count, "minItems": 2, "maxItems": 2}, "step": _list("length", 2)}
    return {"oneOf": [_object(circle, "circle"), _object(row, "row", "step"), _object(grid, "grid", "step")]}


def _robot() -> dict[str, Any]:
    properties = {"name": {"type": "string"}, "gravity": _list("acceleration", 3)}
    properties["links"] = {"type": "array", "items": _ref("robot_link")}
    properties["payloads"] = {"type": "array", "items": _ref("payload")}
    return _object(properties, "links")


def _robot_link() -> dict[str, Any]:
    word = {"type": "string"}
    properties = {"name": word, "parent": word, "joint": _ref("joint"), **_drawn(), "frame": {"type": "object"}}
    return _object({**properties, "shapes": {"type": "array", "items": _ref("shape")}}, "name")


def _joint(place: dict[str, Any]) -> dict[str, Any]:
    any_number = {"type": ["number", "string"]}
    degrees = {degree for kind in JOINTS.values() if issubclass(kind, Several) for degree in kind.DEGREES}

    def each(one: dict[str, Any]) -> dict[str, Any]:
        """For all coordinates of a joint, or for each of several."""
        return {"anyOf": [one, _object(dict.fromkeys(sorted(degrees), one))]}

    limits = each(_object(dict.fromkeys(("lower", "upper", "velocity", "effort"), any_number)))
    friction = each(_object({name: {"type": ["number", "string", "object"]} for name in FRICTIONS}))
    properties = {"name": {"type": "string"}, "type": {"enum": list(JOINTS)}, "axis": _list("number", 3), **place}
    properties |= {"limits": limits, "friction": friction}
    properties["rotor"] = each(_object({"inertia": _ref("inertia"), "ratio": _ref("number")}, "inertia"))
    properties["mimic"] = each(
        _object({"joint": {"type": "string"}, "multiplier": any_number, "offset": any_number}, "joint")
    )
    properties |= dict.fromkeys(("armature", "stiffness", "rest", "multiplier", "offset"), each(any_number))
    return _object({**properties, "pitch": any_number, "joints": {"type": "array", "items": _ref("joint")}})


def _payload(place: dict[str, Any]) -> dict[str, Any]:
    word = {"type": "string"}
    return _object({"name": word, "link": word, **place, **_body()["properties"], "parts": _drawn()["parts"]})


def _look(place: dict[str, Any]) -> dict[str, Any]:
    word = {"type": "string"}
    properties = {"name": word, "role": {"enum": list(ROLES)}, "colour": _list("number", 4), **place}
    properties |= {"file": word, "scale": _list("number", 3), "shape": {"enum": list(SHAPES)}, "hollow": _ref("length")}
    return {"type": "object", "anyOf": [{"required": ["file"]}, {"required": ["shape"]}], "properties": properties}


def _rows(kind: str, count: int) -> dict[str, Any]:
    return {"type": "array", "items": _list(kind, count), "minItems": count, "maxItems": count}


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
    own |= dict.fromkeys((*shape.diameters, "hollow", "tolerance"), _ref("length")) | {"infill": _ref("share")}
    matter = _matter() | {"linear_density": _ref("linear_density"), "area_density": _ref("area_density")}
    return {
        "type": "object",
        "title": shape.name,
        "description": f"{(shape.solid.__doc__ or '').strip().splitlines()[0]} Frame: {shape.solid.frame}.",
        "additionalProperties": False,
        "required": [
            "shape",
            *(k for k in shape.required if shape.name not in SIZES and k not in shape.diameters.values()),
        ],
        "properties": {"shape": {"const": shape.name}, **own, **place, **matter, **FLAGS, "body": _ref("body")},
    }


FLAGS: dict[str, Any] = {
    "cavity": {"type": "boolean"}, "op": {"enum": ["add", "subtract"]}, "provenance": {"type": "string"},
}  # fmt: skip


def _matter() -> dict[str, Any]:
    return {"material": {"type": "string"}, "density": _ref("density"), "mass": _ref("mass")}


def _mesh_schema(place: dict[str, Any]) -> dict[str, Any]:
    endings = "|".join(ending[1:] for ending in MESH_ENDINGS)
    own = {"file": {"type": "string", "pattern": rf"\.({endings})$"}, "unit": {"enum": [*LENGTH]}}
    own |= {"hollow": _ref("length"), "policy": {"enum": ["exact", "repair", "hull", "box"]}}
    return {
        "type": "object",
        "title": "mesh",
        "description": "A mesh file in the folder of this file or below it; `unit` is that of its lengths.",
        "additionalProperties": False,
        "required": ["file"],
        "properties": {**own, **place, **_matter(), **FLAGS},
    }


def _body_schema(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "title": "measured body",
        "additionalProperties": False,
        "required": ["body"],
        "properties": {
            **place, "body": _ref("body"), "provenance": {"type": "string"},
            "material": {"type": "string"}, "density": _ref("density"),
        },
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n")
