"""A robot drawn in YAML: links of parts, joints with friction, rotors, springs and limits, payloads.

    unit: mm
    parameters: {L: 400, wall: 3}          # usable in any number; run-time inputs of kernels
    robot:
      name: desk
      links:
        - name: base
          parts: [{name: plate, shape: box, size: [L, 300, 10], material: steel}]
        - name: upper
          parent: base
          joint: {name: shoulder, type: revolute, axis: [0, -1, 0], xyz: [0, 0, 80], friction: {viscous: 0.05}}
          parts: [{name: beam, shape: box, size: [L, 40, 30], hollow: wall, material: aluminium, xyz: [L/2, 0, 0]}]

A file with parameters is read twice: with their values, which gives the robot, and with symbols, which tells how its
numbers hang on them (`Robot.design`).  What a joint of several degrees has is given for all its coordinates, or by
coordinate: `limits: {rx: {lower: -30 deg, upper: 30 deg}}`; a composite one lists its `joints`.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly
from steiner.errors import unknown
from steiner.files.expressions import Parameter
from steiner.files.link_yaml import Matter, Reader, length_unit, materials, parameters
from steiner.files.patterns import templates
from steiner.files.quantity import LENGTH
from steiner.files.reading import Notes
from steiner.files.shapes import SHAPES, solid_from
from steiner.files.yaml import Mapping, parse
from steiner.inertia import MassProperties
from steiner.model.design import Design
from steiner.model.friction import FRICTIONS, Friction
from steiner.model.joint_types import JOINTS
from steiner.model.joints import Fixed, Joint, JointLimits
from steiner.model.link import ROLES, Link, Payload, Shape
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source, element
from steiner.scalar import is_zero
from steiner.spatial import IDENTITY, Pose
from steiner.symbolic import symbol

TOP_KEYS = ("unit", "parameters", "materials", "robot")
ROBOT_KEYS = ("name", "gravity", "links", "payloads")
PLACE = ("xyz", "rpy", "matrix")
LINK_KEYS = ("name", "parent", "joint", "parts", "file", "weighed", "body", "provenance", "shapes", "frame")
JOINT_KEYS = (
    "name", "type", "axis", *PLACE, "limits", "friction", "rotor", "armature", "stiffness", "rest", "mimic",
    "multiplier", "offset", "pitch", "joints",
)  # fmt: skip
PAYLOAD_KEYS = ("name", "link", *PLACE, "mass", "com", "inertia", "about", "products", "parts")

# what a joint's numbers measure if it turns, and if it slides
TURNING = {"lower": "angle", "upper": "angle", "velocity": "speed", "effort": "torque"}
SLIDING = {"lower": "length", "upper": "length", "velocity": "velocity", "effort": "force"}
SPRING = {"stiffness": ("stiffness", "linear stiffness"), "rest": ("angle", "length")}
RATE = ("speed", "velocity")
COEFFICIENTS = {"coefficient": ("damping", "linear damping"), "speed": RATE, "width": RATE}  # all others: efforts


def read(text: str | bytes, notes: Notes, *, unit: str | None = None) -> Robot:
    """The robot of a YAML document."""
    top = parse(text, notes.file).mapping()
    top.only(TOP_KEYS)
    if "robot" not in top:
        raise top.error("expected the key `robot` (with its links)")
    length = length_unit(top, unit)
    values = parameters(top, length) if "parameters" in top else {}
    top.document.parameters = values
    known, shared = materials(top), templates(top.data)
    robot = _Drawing(Reader(length, known, Matter(), notes, shared), notes).robot(top.child("robot"))
    if not values:
        return robot
    symbols = {name: Parameter(p.kind, symbol(name, p.value)) for name, p in values.items()}
    top.document.parameters = symbols
    reader = Reader(length, known, Matter(), Notes(notes.file), shared, measured=False)
    drawn = _Drawing(reader, Notes(notes.file))
    node = top.child("robot")
    design = Design({name: p.value for name, p in values.items()}, *drawn.declared(node, robot))
    return robot.replace(design=design)


class _Drawing:
    """Makes links, joints and payloads of mappings."""

    def __init__(self, reader: Reader, notes: Notes) -> None:
        self.reader, self.notes, self.unit = reader, notes, reader.unit

    def robot(self, node: Mapping) -> Robot:
        """The robot with numbers."""
        node.only(ROBOT_KEYS)
        name = self.reader.name(node, "robot")
        gravity = np.array(node.values("gravity", "acceleration", 3) if "gravity" in node else EARTH)
        links, payloads = self.declared(node)
        return node.guarded(lambda: Robot(name, links, gravity, payloads), "links")

    def declared(self, node: Mapping, robot: Robot | None = None) -> tuple[tuple[Link, ...], tuple[Payload, ...]]:
        """Links and payloads as the file declares them; in the order of a robot, if one is given."""
        if "links" not in node:
            raise node.error("expected `links`, a list")
        links = tuple(self.link(child) for child in node.children("links"))
        payloads = node.children("payloads") if "payloads" in node else []
        loads = tuple(self.payload(child, k, links[-1].name if links else "") for k, child in enumerate(payloads))
        if robot is not None:
            by_name = {link.name: link for link in links}
            links = tuple(by_name[name] for name in robot.link_names)
        return links, loads

    # ---- links -----------------------------------------------------------------------------------

    def link(self, node: Mapping) -> Link:
        """A link: its place in the tree, its joint, its parts or body, its looks."""
        node.only(LINK_KEYS)
        if "name" not in node:
            raise node.error("a link needs a `name`")
        name = self.reader.name(node, "")
        self.notes.lines[element("link", name)] = node.line()
        parent = node.get("parent")
        if parent is not None and not isinstance(parent, str):
            raise node.error(f"expected the name of a link, got {parent!r}", "parent")
        joint, mount = self.joint(node.child("joint"), name) if "joint" in node else (Fixed(), IDENTITY)
        drawing = self.drawing(node, name)
        return node.guarded(
            lambda: Link(
                name, parent, joint, mount, self.body(node, drawing, name),
                self.reader.pose(node.child("frame")) if "frame" in node else IDENTITY,
                made_of=drawing,
                shapes=[self.shape(child) for child in node.children("shapes")] if "shapes" in node else (),
                source=Source(self.notes.file, "robot_yaml"),
            )
        )  # fmt: skip

    def drawing(self, node: Mapping, name: str) -> Assembly | None:
        """The assembly of a link's parts, as in the file of a link."""
        if "file" in node:
            inner = Mapping(node.document, type(node.data)(file=node["file"], name=name), node.path)
            inner.data._yaml_line_col = node.data.lc
            return self.reader.included(inner, name)
        provenance = self.reader.provenance(node)
        if "parts" not in node and ("body" not in node or provenance is None):
            return None
        if "parts" not in node:
            body = self.reader.body(node.child("body"), name)
            return node.guarded(lambda: Assembly(name, [], body=body, provenance=provenance), "body")
        parts = self.reader.children(node, f"{name}/")
        made = node.guarded(lambda: Assembly(name, parts), "parts")
        if "body" in node:
            body = self.reader.body(node.child("body"), name)
            made = node.guarded(lambda: made.measured(body, provenance or "measured"), "body")
        if "weighed" in node:
            made = node.guarded(lambda: made.weighed(node.value("weighed", "mass")), "weighed")
        if self.reader.measured:
            node.guarded(lambda: made.mass_properties, "parts")
        return made

    def body(self, node: Mapping, drawing: Assembly | None, name: str) -> Any:
        """What the link weighs if it is not what it is drawn of; of a drawing in symbols it is not asked."""
        if drawing is not None:
            return None if self.reader.measured else MassProperties.zero()
        return self.reader.body(node.child("body"), name) if "body" in node else None

    def shape(self, node: Mapping) -> Shape:
        """A look without a say in dynamics: a solid or a file."""
        kind, role = node.get("shape"), node.get("role", "visual")
        if role not in ROLES:
            raise node.error(unknown("role", role, ROLES), "role")
        common = ("role", "colour", "name", *PLACE)
        colour = tuple(node.values("colour", "number", 4)) if "colour" in node else None
        pose, name = self.reader.pose(node), str(node.get("name", ""))
        if "file" in node:
            node.only((*common, "file", "scale"))
            scale = tuple(node.values("scale", "number", 3)) if "scale" in node else (self._metres(node),) * 3
            return node.guarded(lambda: Shape(None, str(node["file"]), pose, role, colour, scale, name))  # type: ignore[arg-type]
        if not isinstance(kind, str) or kind not in SHAPES:
            raise node.error("expected `file`, or `shape`: " + unknown("shape", kind, SHAPES), "shape")
        node.only((*common, "shape", "hollow", *SHAPES[kind].keys))
        solid = solid_from(node, self.unit)
        return node.guarded(lambda: Shape(solid, "", pose, role, colour, name=name))  # type: ignore[arg-type]

    def _metres(self, node: Mapping) -> float:
        """What a length of a shape's file is: meshes that say no unit have that of the drawing."""
        from steiner.files.mesh import MESHES

        form = MESHES.get(Path(str(node["file"])).suffix.lower())
        if form is None or form.says_unit:
            return 1.0
        if self.unit is None:
            raise node.error(f"{form.title} carries no unit; say `unit: mm` at the top of the file, or a scale", "file")
        return LENGTH[self.unit]

    # ---- joints ----------------------------------------------------------------------------------

    def joint(self, node: Mapping, link: str) -> tuple[Joint, Pose]:
        """A joint and where it sits in the parent link."""
        node.only(JOINT_KEYS)
        kind = node.get("type", "revolute")
        if not isinstance(kind, str) or kind not in JOINTS:
            raise node.error(unknown("type of joint", kind, JOINTS), "type")
        name = self.reader.name(node, f"{link}_joint")
        self.notes.lines[element("joint", name)] = node.line()
        mount = self.reader.pose(node)
        if JOINTS[kind] is Fixed:
            return Fixed(name=name if "name" in node else ""), mount
        return self.moving(node, name, kind), mount

    def moving(self, node: Mapping, name: str, kind: str) -> Joint:
        """A joint that moves, of one degree or several."""
        given: dict[str, Any] = {"name": name}
        screws = JOINTS[kind](name=name).screws()
        degrees = {screw.name.removeprefix(f"{name}."): is_zero(screw.turn) for screw in screws}
        slides = degrees.get(name, False)
        if "axis" in node:
            given["axis"] = node.values("axis", "number", 3)
        if "pitch" in node:
            given["pitch"] = node.value("pitch", "length", self.unit)
        if "joints" in node:
            given["joints"] = [self.inner(child) for child in node.children("joints")]
        if len(degrees) == 1:
            given |= self.coordinate(node, slides)
        for degree, along in degrees.items() if len(degrees) > 1 else ():
            for key, value in self.coordinate(_of_coordinate(node, degree, degrees), along).items():
                given.setdefault(key, {})[degree] = value
        try:
            return node.guarded(lambda: JOINTS[kind](**given))
        except TypeError:
            stray = "joints" if "joints" in node else "pitch"
            raise node.error(f"a joint of type {kind} has no {stray}", stray) from None

    def inner(self, node: Mapping) -> Joint:
        """One of several joints in a row; they sit where the row sits."""
        if placed := [key for key in PLACE if key in node]:
            raise node.error("the joints of a row have one place; give it to the row", placed[0])
        if "name" not in node:
            raise node.error("a joint of a row needs a `name`")
        return self.joint(node, "")[0]

    def coordinate(self, node: Mapping, slides: bool) -> dict[str, Any]:
        """What belongs to one coordinate: its rotor, spring, limits and friction, what it follows."""
        given: dict[str, Any] = {
            key: node.value(key, "number") for key in ("multiplier", "offset", "armature") if key in node
        }
        if "rotor" in node:
            given["armature"] = self.rotor(node.child("rotor"), node)
        given |= {key: node.value(key, kind[slides], self.unit) for key, kind in SPRING.items() if key in node}
        if "limits" in node:
            given["limits"] = self.limits(node.child("limits"), slides)
        if "friction" in node:
            given["friction"] = self.friction(node.child("friction"), slides)
        return given | (self.mimic(node.child("mimic")) if "mimic" in node else {})

    @staticmethod
    def rotor(node: Mapping, joint: Mapping) -> Any:
        """The reflected inertia G²J of a motor behind a gear."""
        node.only(("inertia", "ratio"))
        if "armature" in joint:
            raise joint.error("`rotor` and `armature` are both given; armature is G²J", "rotor")
        ratio = node.value("ratio", "number") if "ratio" in node else 1.0
        return node.value("inertia", "inertia") * ratio**2

    def limits(self, node: Mapping, slides: bool) -> JointLimits:
        """Range, speed and effort; what is not stated has no limit."""
        kinds = SLIDING if slides else TURNING
        node.only(tuple(kinds))
        return JointLimits(**{key: node.value(key, kind, self.unit) for key, kind in kinds.items() if key in node})

    def friction(self, node: Mapping, slides: bool) -> Friction:
        """One model or several, each a number or its coefficients by name."""
        node.only(tuple(FRICTIONS))
        if not len(node.data):
            raise node.error(f"expected one of {', '.join(FRICTIONS)}")
        terms = []
        for name in node:
            model = FRICTIONS[name]
            names = list(model.__dataclass_fields__)
            if isinstance(node[name], dict):
                inner = node.child(name)
                inner.only(tuple(names))
                given = {key: inner.value(key, _coefficient(key, slides), self.unit) for key in inner}
            else:
                given = {names[0]: node.value(name, _coefficient(names[0], slides), self.unit)}
            try:
                terms.append(node.guarded(lambda m=model, g=given: m(**g), name))
            except TypeError:
                raise node.error(f"needs {', '.join(names)}", name) from None
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def mimic(self, node: Mapping) -> dict[str, Any]:
        """The joint that leads, and how this one follows."""
        node.only(("joint", "multiplier", "offset"))
        numbers = {key: node.value(key, "number") for key in ("multiplier", "offset") if key in node}
        return {"follows": str(node.get("joint", "")), **numbers}

    # ---- payloads --------------------------------------------------------------------------------

    def payload(self, node: Mapping, index: int, tip: str) -> Payload:
        """A body that a link carries: its mass (a point unless a tensor is given), or parts."""
        node.only(PAYLOAD_KEYS)
        name, link = self.reader.name(node, f"payload{index + 1}" if index else "payload"), node.get("link", tip)
        self.notes.lines[element("payload", name)] = node.line()
        if "parts" in node:
            parts = Assembly(name, self.reader.children(node, f"{name}/"))
            body = parts.mass_properties
        else:
            keys = ("mass", "com", "inertia", "about", "products")
            inner = type(node.data)((key, node[key]) for key in keys if key in node)
            inner._yaml_line_col = node.data.lc
            body = self.reader.body(Mapping(node.document, inner, node.path), name)
        return node.guarded(lambda: Payload(name, body, link, self.reader.pose(node)))


def _of_coordinate(node: Mapping, degree: str, degrees: Container[str]) -> Mapping:
    """A joint as one of its coordinates sees it: what is given by coordinate is that coordinate's."""
    own = type(node.data)()
    for key, value in node.data.items():
        by_coordinate = isinstance(value, dict) and any(inner in degrees for inner in value)
        if by_coordinate:
            node.child(key).only(tuple(degrees))  # type: ignore[arg-type]
        if not by_coordinate or degree in value:
            own[key] = value[degree] if by_coordinate else value
    own._yaml_line_col = node.data.lc
    return Mapping(node.document, own, node.path)


def _coefficient(name: str, slides: bool) -> str:
    turning, sliding = COEFFICIENTS.get(name, ("torque", "force"))
    return sliding if slides else turning
