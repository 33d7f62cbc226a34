"""Links and robots as YAML, in metres: the shortest decimals that read back to the same numbers, or formulas."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.errors import FormatError, ModelWarning
from steiner.files.shapes import SHAPES
from steiner.inertia import MassProperties
from steiner.materials import MATERIALS, Material
from steiner.model.friction import FRICTIONS, Combined, Friction
from steiner.model.joint_types import JOINTS, Composite, Several
from steiner.model.joints import Fixed, Joint
from steiner.model.link import Link, Shape
from steiner.model.robot import Robot
from steiner.scalar import is_number, is_symbolic
from steiner.solids.base import Solid
from steiner.solids.compound import Placed
from steiner.solids.hollow import Hollow
from steiner.spatial import IDENTITY, Pose
from steiner.symbolic import tidy
from steiner.text import names

SHAPE_OF = {shape.solid: shape for shape in SHAPES.values()}
TYPE_OF = {kind: name for name, kind in reversed(JOINTS.items())}
MODEL_OF = {model: name for name, model in FRICTIONS.items()}
PLAIN = re.compile(r"[A-Za-z_][\w -]*\w|[A-Za-z]", re.ASCII)  # a text that YAML takes for nothing else
WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
MOST_ANGLES = 7  # of three formulas and their opposites
WIDEST = 100  # characters of a mapping that stands on one line


def write_robot(robot: Robot) -> str:
    """A robot; with shared parameters, its numbers are written as formulas of them."""
    design = robot.design
    links = robot.links if design is None else design.links
    payloads = {p.name: p for p in (design.payloads if design else ())}
    tree: dict[str, Any] = {"unit": "m"}
    if design is not None:
        tree["parameters"] = dict(design.values)
    if found := _materials(link.made_of for link in links if link.made_of is not None):
        tree["materials"] = found
    body: dict[str, Any] = {"name": robot.name, "gravity": [*robot.gravity]}
    body["links"] = [_link(link) for link in links]
    if robot.payloads:
        body["payloads"] = [_payload(payloads.get(p.name, p)) for p in robot.payloads]
    return _text({**tree, "robot": body})


def write_link(assembly: Assembly) -> str:
    """A link."""
    found = _materials([assembly])
    return _text({"unit": "m", **({"materials": found} if found else {}), "link": _assembly(assembly)})


# ---- what is written ---------------------------------------------------------------------------------------


def _materials(drawings: Any) -> dict[str, Any]:
    """The materials of drawings that the library does not have as they are."""
    found: dict[str, Any] = {}
    for drawing in drawings:
        for node in drawing.nodes():
            material = getattr(node.part, "material", None)
            if isinstance(material, Material) and MATERIALS.get(material.name) != material:
                found[material.name] = {"density": material.density, "source": material.source}
    return found


def _link(link: Link) -> dict[str, Any]:
    result: dict[str, Any] = {"name": link.name}
    if link.parent is not None:
        result["parent"] = link.parent
    joint = _joint(link.joint, link.mount)
    if joint:
        result["joint"] = joint
    if link.origin is not IDENTITY and (place := _place(link.origin)):
        result["frame"] = place
    if link.made_of is not None:
        drawn = _assembly(link.made_of)
        result |= {key: drawn[key] for key in ("parts", "body", "provenance", "weighed") if key in drawn}
    elif not (is_number(link.body.mass) and link.body.mass == 0 and not np.any(link.body.inertia)):
        result["body"] = _body(link.body)
    if link.shapes:
        result["shapes"] = [_shape(shape) for shape in link.shapes]
    return result


def _joint(joint: Joint, mount: Pose) -> dict[str, Any]:
    place = _place(mount)
    if isinstance(joint, Fixed):
        return {**({"name": joint.name} if joint.name else {}), "type": "fixed", **place} if place or joint.name else {}
    result: dict[str, Any] = {"name": joint.name, "type": TYPE_OF[type(joint)], "axis": [*joint.axis], **place}
    if isinstance(joint, Composite):
        return result | {"joints": [_joint(inner, IDENTITY) for inner in joint.joints]}
    if isinstance(joint, Several) and joint.own:
        screws = {degree: _coordinate(screw) for degree, screw in zip(joint.DEGREES, joint.screws(), strict=True)}
        keys = dict.fromkeys(key for own in screws.values() for key in own)
        return result | {key: {degree: own[key] for degree, own in screws.items() if key in own} for key in keys}
    return result | _coordinate(joint)


def _coordinate(joint: Joint) -> dict[str, Any]:
    """What belongs to a joint's coordinate, or to all of them."""
    result: dict[str, Any] = {}
    for name in joint.NUMERIC:
        default = 1 if name == "multiplier" else 0
        value = getattr(joint, name)
        slack = name == "rest" and is_number(joint.stiffness) and joint.stiffness == 0
        told = slack or (joint.follows and name in ("multiplier", "offset"))
        if not (is_number(value) and value == default) and not told:
            result[name] = value
    if joint.limits is not None:
        result["limits"] = {k: v for k, v in joint.limits._asdict().items() if v is not None}
    if joint.friction is not None:
        result["friction"] = _friction(joint.friction)
    if joint.follows is not None:
        result["mimic"] = {"joint": joint.follows, "multiplier": joint.multiplier, "offset": joint.offset}
    return result


def _friction(friction: Friction) -> dict[str, Any]:
    terms = friction.terms if isinstance(friction, Combined) else (friction,)
    return {MODEL_OF[type(term)]: {k: v for k, v in vars(term).items() if v is not None} for term in terms}


def _payload(payload: Any) -> dict[str, Any]:
    return {"name": payload.name, "link": payload.link, **_place(payload.pose), **_body(payload.body)}


def _body(body: MassProperties) -> dict[str, Any]:
    return {"mass": body.mass, "com": [*body.com], "inertia": [[*row] for row in body.inertia]}


def _shape(shape: Shape) -> dict[str, Any]:
    result: dict[str, Any] = {"name": shape.name} if shape.name else {}
    if shape.solid is None:
        result |= {"file": shape.file, **({"scale": [*shape.scale]} if shape.scale != (1.0, 1.0, 1.0) else {})}
        result |= _place(shape.pose)
    else:
        solid, pose = _unplaced(shape.solid, shape.pose)
        result |= {**_solid(solid), **_place(pose)}
    return {**result, "role": shape.role, **({"colour": [*shape.colour]} if shape.colour else {})}


def _assembly(assembly: Assembly) -> dict[str, Any]:
    result: dict[str, Any] = {"name": assembly.name, **_place(assembly.pose)}
    if assembly.children:
        result["parts"] = [_assembly(c) if isinstance(c, Assembly) else _part(c) for c in assembly.children]
    if assembly.body is not None:
        result["body"] = _body(assembly.body)
    if assembly.provenance is not None:
        result["provenance"] = assembly.provenance
    if assembly.scale is not None:
        result["weighed"] = assembly.scale
    return result


def _part(part: Part) -> dict[str, Any]:
    solid, pose = _unplaced(part.solid, part.pose) if part.solid is not None else (None, part.pose)
    result: dict[str, Any] = {"name": part.name, **_place(pose)}
    written = solid is not None and type(_outside(solid)) in SHAPE_OF
    if solid is not None and not written:
        warnings.warn(
            f"part {part.name!r}: a {type(solid).__name__} has no form in YAML; mass, centre and tensor are written",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
    if written:
        result |= _solid(solid)
        if isinstance(part.material, Material):
            result["material"] = part.material.name
        for name in ("density", "mass", "linear_density", "area_density"):
            if getattr(part, name) is not None and not part.varies:
                result[name] = getattr(part, name)
    if part.body is not None or part.varies or not written:
        body = part.mass_properties
        if isinstance(part.solid, Placed):  # the file knows one frame for both
            body = body.moved(part.solid.pose.inverse())
        result["body"] = _body(body)
    if part.cavity and "body" in result:
        raise FormatError(
            f"part {part.name!r}: a cavity that YAML cannot draw (a {type(solid).__name__}, or a density that varies) "
            "cannot be written; cut it out of its solid, or give the remainder as a body"
        )
    if part.cavity:
        result["cavity"] = True
    for name in ("provenance", "tolerance") if written else ("provenance",):
        if getattr(part, name) is not None:
            result[name] = getattr(part, name)
    return result


def _unplaced(solid: Solid, pose: Pose) -> tuple[Solid, Pose]:
    """A moved solid is written by the place of its part."""
    return (solid.solid, pose @ solid.pose) if isinstance(solid, Placed) else (solid, pose)


def _outside(solid: Any) -> Solid:
    return solid.solid if isinstance(solid, Hollow) else solid


def _solid(solid: Any) -> dict[str, Any]:
    outside = _outside(solid)
    shape = SHAPE_OF[type(outside)]
    fields = {key: getattr(outside, key) for key in shape.kinds}
    own = {k: v for k, v in fields.items() if not (k == "axis" and v == "z") and not (k == "holes" and not len(v))}
    return {"shape": shape.name, **own, **({"hollow": solid.wall} if isinstance(solid, Hollow) else {})}


def _place(pose: Pose) -> dict[str, Any]:
    """xyz, and roll, pitch, yaw if they give the very same matrix; else the matrix."""
    result: dict[str, Any] = {}
    if any(not (is_number(x) and x == 0) for x in pose.p):
        result["xyz"] = [*pose.p]
    if pose.R.dtype == object:
        rpy = _angles(pose.R)
        result |= {"rpy": [*rpy]} if rpy else {"matrix": [[*row] for row in pose.R]}
    elif not np.array_equal(pose.R, np.eye(3)):
        rpy = np.asarray(pose.rpy) + 0.0  # not −0
        same = np.array_equal(Pose.from_rpy((0, 0, 0), rpy).R, pose.R)
        result |= {"rpy": [*rpy]} if same else {"matrix": [[*row] for row in pose.R]}
    return result


def _angles(R: np.ndarray) -> tuple[Any, ...] | None:
    """Roll, pitch and yaw of a matrix of formulas, if they are among the angles in it."""
    waves = [f for x in R.ravel() if is_symbolic(x) for f in x.find(lambda e: type(e).__name__ in ("sin", "cos"))]
    angles = [0, *dict.fromkeys(sign * wave.args[0] for wave in waves for sign in (1, -1))]
    for rpy in product(angles, repeat=3) if len(angles) <= MOST_ANGLES else ():
        if all(map(_alike, Pose.from_rpy((0, 0, 0), rpy).R.ravel(), R.ravel())):
            return rpy
    return None


def _alike(a: Any, b: Any) -> bool:
    return (tidy(a) if is_symbolic(a) else a) == (tidy(b) if is_symbolic(b) else b)


# ---- as text -----------------------------------------------------------------------------------------------


def _text(tree: Mapping[str, Any]) -> str:
    return "\n".join(_lines(tree)) + "\n"


def _lines(tree: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in tree.items():
        flow = _flow(value)
        if not _structured(value) and (len(indent) + len(flow) < WIDEST or not isinstance(value, Mapping)):
            yield f"{indent}{_key(key)}: {flow}"
        elif isinstance(value, Mapping):
            yield f"{indent}{_key(key)}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{_key(key)}:"
            for item in value:
                short = len(_flow(item)) < WIDEST and not _structured(item)
                first, *rest = [_flow(item)] if short else _lines(item)
                yield f"{indent}  - {first}"
                yield from (f"{indent}    {line}" for line in rest)


def _structured(value: Any) -> bool:
    """Whether a value holds a list of mappings, which is spread over lines."""
    if isinstance(value, Mapping):
        return any(map(_structured, value.values()))
    return isinstance(value, list) and any(isinstance(item, Mapping) for item in value)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | np.floating | np.integer | Fraction):
        text = repr(float(value))
        return text if text == "-0.0" else text.removesuffix(".0")
    if is_symbolic(value):
        formula = tidy(value)
        return _scalar(float(formula)) if formula.is_number else f'"{formula}"'.replace("**", "^")
    text = str(value)
    plain = PLAIN.fullmatch(text) is not None and text.lower() not in WORDS
    return text if plain else names.yaml(text)


def _key(key: Any) -> str:
    text = str(key)
    return text if text.isidentifier() else names.yaml(text)
