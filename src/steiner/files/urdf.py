"""URDF files to robots.  Every message names the file, the line and the element.

Read are the tree, the inertias, limits, damping, friction and mimic relations, and what links look like; meshes are
named, for they do not matter to dynamics.  What has no clear meaning is refused; what is odd is for the rules of
`steiner.checks` to say.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import numpy as np

from steiner.doors import opened
from steiner.errors import FormatError, is_one_of, unknown
from steiner.files.reading import UNLIMITED, Coupling, Notes, doubtful, exact, followed
from steiner.files.urdf_shapes import shapes
from steiner.files.xml import Element, is_template, late_declaration, parse, shown
from steiner.inertia import MassProperties
from steiner.model.friction import Coulomb, Friction, Viscous
from steiner.model.joints import Fixed, Joint, JointLimits, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.model.source import Source, element
from steiner.records import record
from steiner.spatial import IDENTITY, Pose, rotation_rpy
from steiner.spatial.poses import UNTURNED

TYPES = {
    "revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic,
    "planar": "model.joint_types:Planar", "fixed": Fixed,
}  # fmt: skip
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
OTHER_ROOTS = {"mujoco": "an MJCF model", "sdf": "an SDF model", "COLLADA": "a mesh"}


@record
class Reader:
    """Elements to links; carries how the file is read and what there is to note."""

    notes: Notes
    snap: bool
    couplings: dict[str, Coupling]
    source: Source  # of every link: who reads a file lets its rules judge the bodies


def read(
    text: str | bytes,
    notes: Notes,
    *,
    mimic: str = "free",
    snap: bool = True,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
) -> Robot:
    """The robot of a URDF document."""
    if not is_one_of(mimic, ("free", "coupled")):
        raise FormatError(f"mimic={mimic!r}: expected 'free' (own coordinates) or 'coupled' (they follow)")
    root = parse(text, notes.file, content=False)
    if line := late_declaration(text):
        notes.lines["<?xml?>"] = line
        notes.warnings["<?xml?>"] = "blanks stand before it; they are passed over, here as in Pinocchio and MuJoCo"
    _check_root(root)
    links = _by_name(root, "link")
    joints = _by_name(root, "joint")
    if not links:
        root.fail("no <link> in this robot; expected at least one")
    _note_places(links, joints, notes)
    above = _parents(root, links, joints)
    leaders = _leaders(joints, notes)
    if mimic == "free":
        notes.mimic = {name: coupling.follows for name, coupling in leaders.items()}
    notes.package_dirs = tuple(os.fspath(folder) for folder in package_dirs)
    source = Source(notes.file, "urdf", package_dirs=notes.package_dirs)
    reader = Reader(notes, snap, leaders if mimic == "coupled" else {}, source)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is judged afterwards
        built = [_link(links[name], above.get(name), reader) for name in _ordered(links, joints, above)]
    name = root.attributes.get("name", "")
    return Robot(name if name.strip() else "robot", tuple(built))


# ---- the tree --------------------------------------------------------------------------------


def _check_root(root: Element) -> None:
    if root.tag == "robot":
        template = next((child for child in root.children if "xacro" in child.tag), None)
        if template is not None:
            inserts = [v for e in root.below() for v in e.attributes.values() if is_template(v)]
            named = f" (it holds {shown(inserts[0])!r})" if inserts else ""
            template.fail(f"this file is a xacro template{named}; {_expanded(root.file)}", "xacro")
        return
    kind = OTHER_ROOTS.get(root.tag.rpartition("}")[2])
    root.fail(f"the document is {kind or f'<{shown(root.tag)}>'}; expected <robot>, the root of a URDF file")


def _expanded(file: str) -> str:
    stem = file.removesuffix(".xacro").removesuffix(".urdf")
    return f"expand it first and load what comes out: xacro {file} -o {stem}.expanded.urdf"


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for one in root.all(tag):
        name = one.text("name")
        if name in found:
            first = f"the first is in line {found[name].line}"
            one.fail(f"a second {tag} named {name!r}; {first}. Rename one", "duplicate-name")
        found[name] = one
    return found


def _note_places(links: dict[str, Element], joints: dict[str, Element], notes: Notes) -> None:
    """The lines of links and joints, and of what is judged about them."""
    for named in (links, joints):
        for name, owner in named.items():
            parts = [e for child in owner.all("inertial") for e in child.children] if named is links else owner.children
            notes.lines[element(owner.tag, name)] = owner.line
            notes.lines |= {element(owner.tag, name, part.tag): part.line for part in parts}


def _parents(root: Element, links: dict[str, Element], joints: dict[str, Element]) -> dict[str, Element]:
    """The joint above each link that has one; the rest is exactly one root, and all links hang from it."""
    above: dict[str, Element] = {}
    for joint in joints.values():
        for end in ("parent", "child"):
            reference = joint.need(end, f'a joint needs <{end} link="…"/>', "missing-link")
            name = reference.text("link")
            if name not in links:
                reference.fail(unknown("link", name, links), "missing-link")
        child = _end(joint, "child")
        if child in above:
            joint.fail(
                f"link {child!r} already hangs from joint {above[child].attributes['name']!r} (line "
                f"{above[child].line}); closed loops are not a tree: cut the loop",
                "cycle",
            )
        above[child] = joint
    roots = [name for name in links if name not in above]
    if not roots:
        loop = _cycle(above)
        root.fail(f"no root link: every link is the child of a joint, so the links form a cycle: {loop}", "cycle")
    if len(roots) > 1:
        lines = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:8])
        links[roots[1]].fail(f"{len(roots)} links have no parent joint: {lines}; expected one root", "several-roots")
    hung = set(roots)
    for name in links:
        chain: dict[str, Element] = {}
        while name not in hung:
            if name in chain:
                above[name].fail(f"the links form a cycle: {_cycle(chain)}", "cycle")
            chain[name] = above[name]
            name = _end(above[name], "parent")
        hung |= chain.keys()
    return above


def _end(joint: Element, end: str) -> str:
    return joint.need(end, "").attributes["link"]


def _cycle(above: dict[str, Element]) -> str:
    name = next(iter(above))
    seen: dict[str, int] = {}
    while name not in seen:
        seen[name] = len(seen)
        name = _end(above[name], "parent")
    loop = [*list(seen)[seen[name] :], name]
    return " ← ".join(repr(k) for k in loop[:12]) + (" …" if len(loop) > 12 else "")


def _ordered(links: dict[str, Element], joints: dict[str, Element], above: dict[str, Element]) -> list[str]:
    """The root, then links in the order of their joints in the file."""
    (root,) = (name for name in links if name not in above)
    return [root, *(_end(joint, "child") for joint in joints.values())]


# ---- one link and its joint ------------------------------------------------------------------


def _link(link: Element, joint: Element | None, reader: Reader) -> Link:
    name = link.attributes["name"]
    body = _body(link, reader)
    looks = tuple(shapes(link, reader.notes, lambda owner, what: _origin(owner, what, reader)))
    if joint is None:
        return Link(name, None, body=body, shapes=looks, source=reader.source)
    mount = _origin(joint, element("joint", joint.attributes["name"], "origin"), reader)
    return Link(name, _end(joint, "parent"), _joint(joint, reader), mount, body, shapes=looks, source=reader.source)


def _origin(owner: Element, what: str, reader: Reader) -> Pose:
    origin = owner.one("origin")
    if origin is None:
        return IDENTITY
    for stray in set(origin.attributes) - {"xyz", "rpy"}:
        origin.fail(f"attribute {shown(stray)!r} has no meaning here; an origin has xyz and rpy (radians)")
    rpy = origin.vector("rpy", (0.0, 0.0, 0.0))
    point = origin.point("xyz")
    if not any(rpy):
        return Pose.trusted(UNTURNED, point)
    doubtful(rpy, what, reader.notes)
    pose = Pose.trusted(rotation_rpy(rpy), point + 0.0)  # no zero is negative
    return exact(pose, what, f'rpy="{origin.attributes.get("rpy", "")}"', reader.notes) if reader.snap else pose


def _body(link: Element, reader: Reader) -> MassProperties:
    for child in link.children:
        if child.tag == "origin":  # Pinocchio and MuJoCo pass over it alike
            what = element("link", link.attributes["name"], "<origin>")
            reader.notes.lines[what] = child.line
            reader.notes.warnings[what] = (
                "it stands outside <inertial> and is ignored, here as in Pinocchio and MuJoCo"
            )
        elif child.tag in ("mass", "inertia"):
            child.fail(f"<{child.tag}> stands outside <inertial> and would be ignored; move it into <inertial>")
    inertial = link.one("inertial")
    if inertial is None:
        return MassProperties.zero()
    mass_element = inertial.need("mass", 'expected <mass value="…"/> in kg')
    mass = mass_element.number("value")
    if mass < 0:
        mass_element.fail(f"mass {mass!r} kg is negative", "negative-mass")
    tensor = inertial.need("inertia", "expected <inertia ixx= ixy= ixz= iyy= iyz= izz=/> in kg m²")
    xx, xy, xz, yy, yz, zz = (tensor.number(key) for key in INERTIA)
    pose = _origin(inertial, element("link", link.attributes["name"], "origin"), reader)
    body = MassProperties.trusted(mass, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return body if pose.is_identity else body.moved(pose)


def _joint(joint: Element, reader: Reader) -> Joint:
    name, kind = joint.attributes["name"], joint.text("type")
    if kind == "floating":
        joint.fail('type "floating": a free joint (a quaternion) is not supported; hold it: type="fixed"')
    if kind not in TYPES:
        joint.fail(f"unknown type {kind!r}; supported: {', '.join(TYPES)}")
    if kind == "fixed":
        return Fixed(name=name)
    if kind == "planar":
        return _planar(joint, reader.notes)
    coupling = vars(reader.couplings[name]) if name in reader.couplings else {}
    made = opened(TYPES[kind])(name=name, axis=_axis(joint, reader.notes), friction=_friction(joint), **coupling)
    return made.with_numbers(limits=_limits(joint, kind))  # as they stand: rules judge them


def _planar(joint: Element, notes: Notes) -> Joint:
    """A joint in the plane z = 0 of its frame; others have a normal of their own in MuJoCo, and z in Pinocchio."""
    axis, name = _axis(joint, notes), joint.attributes["name"]
    if axis[0] or axis[1] or axis[2] < 0:
        joint.fail(
            'a planar joint whose axis is not "0 0 1" means one plane to MuJoCo and another to Pinocchio; '
            'write <axis xyz="0 0 1"/> and turn the joint by the rpy of its <origin>'
        )
    for tag in ("limit", "dynamics", "mimic"):
        stated = joint.one(tag)
        if stated is not None:
            what = element("joint", name, tag)
            notes.warnings[what] = "one number for two slides and a turn; it is left out"
    return opened(TYPES["planar"])(name=name, axis=axis)


def _axis(joint: Element, notes: Notes) -> list[float]:
    stated = joint.one("axis")
    if stated is None:
        return [1.0, 0.0, 0.0]
    axis = stated.vector("xyz")
    length = math.hypot(*axis)
    if length == 0:
        stated.fail('axis "0 0 0" has no direction; expected a vector such as "0 0 1"', "zero-axis")
    if abs(length - 1) > 1e-6:
        what = element("joint", joint.attributes["name"], "axis")
        notes.normalised[what] = f"axis of length {length:.6g} made a unit vector"
    return axis


def _friction(joint: Element) -> Friction | None:
    dynamics = joint.one("dynamics")
    if dynamics is None:
        return None
    damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
    for key, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            dynamics.fail(f'{key}="{dynamics.attributes[key]}" is negative: it would drive the joint')
    terms = [kind(value) for kind, value in ((Viscous, damping), (Coulomb, friction)) if value > 0]
    return terms[0] + terms[1] if len(terms) == 2 else (terms[0] if terms else None)


def _limits(joint: Element, kind: str) -> JointLimits | None:
    """The limits; where the type calls for some and none are stated, empty ones."""
    limit = joint.one("limit")
    if limit is None or not limit.attributes:
        return None if kind == "continuous" else JointLimits()
    lower = upper = None
    if kind != "continuous" and ("lower" in limit.attributes or "upper" in limit.attributes):
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
    speed, effort = (limit.number(k) if k in limit.attributes else None for k in ("velocity", "effort"))
    stated = JointLimits(*(None if x is None or abs(x) >= UNLIMITED else x for x in (lower, upper, speed, effort)))
    return stated if any(x is not None for x in stated) else None


# ---- mimic -----------------------------------------------------------------------------------


def _leaders(joints: dict[str, Element], notes: Notes) -> dict[str, Coupling]:
    """For each mimicking joint the free joint at the end of its chain, multiplier and offset."""
    direct: dict[str, Coupling] = {}
    for name, joint in joints.items():
        mimic = joint.one("mimic")
        if mimic is None:
            continue
        leader = mimic.text("joint")
        if leader not in joints:
            mimic.fail(unknown("joint", leader, joints), "missing-link")
        if joint.text("type") == "fixed":
            notes.warnings[element("joint", name, "mimic")] = "a fixed joint follows nothing; this is ignored"
            continue
        if joints[name].text("type") == "planar":
            continue
        if joints[leader].text("type") == "planar":
            mimic.fail(f"{name!r} mimics {leader!r}, a planar joint of three coordinates; expected a joint of one")
        if joints[leader].text("type") == "fixed":
            mimic.fail(f"{name!r} mimics {leader!r}, which is fixed and never moves; make {name!r} fixed too")
        direct[name] = Coupling(leader, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
        if direct[name].multiplier == 0:
            mimic.fail(f"multiplier 0: {name!r} would never move; make it a fixed joint")
    return followed(
        direct, lambda name, cycle: joints[name].fail(f"joints mimic each other in a cycle: {cycle}", "mimic-cycle")
    )
