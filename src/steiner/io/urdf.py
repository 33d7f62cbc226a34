"""URDF files to robots.  Every message names the file, the line and the element.

Read are the tree, the inertias, limits, damping, friction and mimic relations; meshes and colours do
not matter to dynamics.  Nothing is repaired silently: what is odd but usable warns, what has no
clear meaning is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steiner.errors import ModelWarning, unknown
from steiner.friction import Coulomb, Friction, Viscous
from steiner.inertia import MassProperties, second_of
from steiner.io.xml import Element, parse, shown
from steiner.joints import JOINTS, Joint, Limits
from steiner.model import Link, Robot
from steiner.spatial import IDENTITY, Pose, snapped

SNAP = 1e-10
TYPES = ("revolute", "continuous", "prismatic", "fixed")
LATER = ("floating", "planar")
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
LIGHTEST, HEAVIEST = 1e-9, 1e6  # kg; beyond these a unit is wrong
UNLIMITED = 1e9  # limits this large say "none", also in the files that steiner writes
OTHER_ROOTS = {"mujoco": "an MJCF model", "sdf": "an SDF model", "COLLADA": "a mesh"}


@dataclass(frozen=True)
class Options:
    """How a file is read: `mimic` is "free" or "coupled", `snap` makes truncated right angles exact."""

    mimic: str = "free"
    snap: bool = True


@dataclass
class Notes:
    """What was changed on the way in, for `robot.provenance`, and what the author should look at."""

    snapped: list[str] = field(default_factory=list)
    normalised: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read(text: str | bytes, file: str, options: Options) -> Robot:
    """The robot of a URDF document; `file` names it in messages."""
    root = parse(text, file)
    _check_root(root)
    notes = Notes()
    links = _by_name(root, "link")
    joints = _by_name(root, "joint")
    if not links:
        root.fail("no <link> in this robot; expected at least one")
    above = _parents(root, links, joints)
    leaders = _leaders(joints, notes)
    if leaders and options.mimic == "free":
        notes.warnings.append(
            f"{file}: joints {', '.join(leaders)} mimic others and are read as free joints with their own "
            'coordinates; pass mimic="coupled" to couple them'
        )
    couplings = leaders if options.mimic == "coupled" else {}
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below, with its line
        order = _ordered(links, joints, above)
        built = [_link(links[name], above.get(name), couplings, options, notes) for name in order]
    provenance: dict[str, Any] = {"source": file, "format": "urdf"}
    for what, remarks in vars(notes).items():
        if remarks and what != "warnings":
            provenance[what] = tuple(remarks)
    if leaders:
        provenance["mimic"] = f"{', '.join(leaders)}: {options.mimic}"
    robot = Robot(root.attributes.get("name", "").strip() or "robot", tuple(built), provenance=provenance)
    notes.warnings += _massless(robot, links)
    for message in notes.warnings:
        warnings.warn(message, ModelWarning, stacklevel=3)
    return robot


# ---- the tree --------------------------------------------------------------------------------


def _check_root(root: Element) -> None:
    if root.tag == "robot":
        template = next((child for child in root.children if "xacro" in child.tag), None)
        if template is not None:
            inserts = [v for e in root.below() for v in e.attributes.values() if "${" in v]
            named = f" (it holds {shown(inserts[0])!r})" if inserts else ""
            template.fail(f"this file is a xacro template{named}; run xacro on it first and load what it writes")
        return
    kind = OTHER_ROOTS.get(root.tag.rpartition("}")[2])
    root.fail(f"the document is {kind or f'<{shown(root.tag)}>'}; expected <robot>, the root of a URDF file")


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = element.text("name")
        if name in found:
            element.fail(f"a second {tag} named {name!r}; the first is in line {found[name].line}. Rename one")
        found[name] = element
    return found


def _parents(root: Element, links: dict[str, Element], joints: dict[str, Element]) -> dict[str, Element]:
    """The joint above each link that has one; the rest is exactly one root, and all links hang from it."""
    above: dict[str, Element] = {}
    for joint in joints.values():
        for end in ("parent", "child"):
            reference = joint.need(end, f'a joint needs <{end} link="…"/>')
            name = reference.text("link")
            if name not in links:
                reference.fail(unknown("link", name, links))
        child = _end(joint, "child")
        if child in above:
            joint.fail(
                f"link {child!r} already hangs from joint {above[child].attributes['name']!r} (line "
                f"{above[child].line}); closed loops are not a tree: cut the loop"
            )
        above[child] = joint
    roots = [name for name in links if name not in above]
    if not roots:
        root.fail(f"no root link: every link is the child of a joint, so the links form a cycle: {_cycle(above)}")
    if len(roots) > 1:
        lines = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:8])
        links[roots[1]].fail(f"{len(roots)} links have no parent joint: {lines}; expected one root")
    for name in links:
        seen = {name}
        while name in above:
            name = _end(above[name], "parent")
            if name in seen:
                above[name].fail(f"the links form a cycle: {_cycle({k: above[k] for k in seen})}")
            seen.add(name)
    return above


def _end(joint: Element, end: str) -> str:
    return joint.need(end, "").attributes["link"]


def _cycle(above: dict[str, Element]) -> str:
    name, seen = next(iter(above)), []
    while name not in seen:
        seen.append(name)
        name = _end(above[name], "parent")
    loop = [*seen[seen.index(name) :], name]
    return " ← ".join(repr(k) for k in loop[:12]) + (" …" if len(loop) > 12 else "")


def _ordered(links: dict[str, Element], joints: dict[str, Element], above: dict[str, Element]) -> list[str]:
    """The root, then links in the order of their joints in the file."""
    (root,) = (name for name in links if name not in above)
    return [root, *(_end(joint, "child") for joint in joints.values())]


# ---- one link and its joint ------------------------------------------------------------------


def _link(
    link: Element, joint: Element | None, couplings: dict[str, tuple[str, float, float]], options: Options, notes: Notes
) -> Link:
    name = link.attributes["name"]
    body = _body(link, options, notes)
    if joint is None:
        return Link(name, None, body=body)
    mount = _origin(joint, options, notes)
    return Link(name, _end(joint, "parent"), _joint(joint, couplings, notes), mount, body)


def _origin(owner: Element, options: Options, notes: Notes) -> Pose:
    origin = owner.one("origin")
    if origin is None:
        return IDENTITY
    for stray in set(origin.attributes) - {"xyz", "rpy"}:
        origin.fail(f"attribute {shown(stray)!r} has no meaning here; an origin has xyz and rpy (radians)")
    zero = (0.0, 0.0, 0.0)
    pose = Pose.from_rpy(origin.vector("xyz", zero), origin.vector("rpy", zero))
    if not options.snap:
        return pose
    exact = snapped(pose.R, SNAP)
    shift = float(np.abs(exact - pose.R).max())
    # near 1 the cosine of a coarse angle (1.5708) snaps and its sine does not: then nothing is snapped
    if shift == 0 or np.abs(exact @ exact.T - np.eye(3)).max() > 1e-14:
        return pose
    notes.snapped.append(f'{origin.place}: rpy="{origin.attributes["rpy"]}" read as exact angles (by {shift:.1g})')
    return Pose.trusted(exact, pose.p)


def _body(link: Element, options: Options, notes: Notes) -> MassProperties:
    for child in link.children:
        if child.tag in ("mass", "inertia", "origin"):
            child.fail(f"<{child.tag}> stands outside <inertial> and would be ignored; move it into <inertial>")
    inertial = link.one("inertial")
    if inertial is None:
        return MassProperties.zero()
    mass_element = inertial.need("mass", 'expected <mass value="…"/> in kg')
    mass = mass_element.number("value")
    if mass < 0:
        mass_element.fail(f"mass {mass!r} kg is negative")
    if mass and not LIGHTEST < mass < HEAVIEST:
        notes.warnings.append(f"{mass_element.place}: {mass!r} kg is odd for a link; is the file in other units?")
    element = inertial.need("inertia", "expected <inertia ixx= ixy= ixz= iyy= iyz= izz=/> in kg m²")
    xx, xy, xz, yy, yz, zz = (element.number(key) for key in INERTIA)
    pose = _origin(inertial, options, notes)
    body = MassProperties(mass, (0.0, 0.0, 0.0), [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.isfinite(second_of(body.inertia)).all():
        element.fail("moments so large that their sums overflow; check the units")
    if not body.is_physical(1e-6):
        notes.warnings.append(f"{element.place}: no body has {mass!r} kg with {_moments(body)}")
    return body if pose.is_identity else body.moved(pose)


def _moments(body: MassProperties) -> str:
    moments = np.linalg.eigvalsh(body.inertia)
    listed = ", ".join(f"{m:.6g}" for m in moments)
    if moments[0] < 0:
        fault = "one is negative"
    elif moments[2] > moments[0] + moments[1]:
        fault = "the largest exceeds the sum of the others"
    else:
        fault = "inertia without mass"
    return f"principal moments {listed} kg m² ({fault})"


def _joint(joint: Element, couplings: dict[str, tuple[str, float, float]], notes: Notes) -> Joint:
    name, kind = joint.attributes["name"], joint.text("type")
    if kind in LATER:
        joint.fail(f"type {kind!r} is not supported: every joint has one coordinate; supported: {', '.join(TYPES)}")
    if kind not in TYPES:
        joint.fail(f"unknown type {kind!r}; supported: {', '.join(TYPES)}")
    if kind == "fixed":
        return JOINTS[kind](name=name)
    follows, multiplier, offset = couplings.get(name, (None, 1.0, 0.0))
    return JOINTS[kind](
        name=name, axis=_axis(joint, notes), friction=_friction(joint), limits=_limits(joint, kind, notes),
        follows=follows, multiplier=multiplier, offset=offset,
    )  # fmt: skip


def _axis(joint: Element, notes: Notes) -> list[float]:
    element = joint.one("axis")
    if element is None:
        return [1.0, 0.0, 0.0]
    axis = element.vector("xyz")
    length = float(np.linalg.norm(axis))
    if length == 0:
        element.fail('axis "0 0 0" has no direction; expected a vector such as "0 0 1"')
    if abs(length - 1) > 1e-6:
        notes.normalised.append(f"{element.place}: axis of length {length:.6g} made a unit vector")
    return axis


def _friction(joint: Element) -> Friction | None:
    dynamics = joint.one("dynamics")
    if dynamics is None:
        return None
    damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
    for key, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            dynamics.fail(f'{key}="{dynamics.attributes[key]}" is negative: it would drive the joint')
    terms = [Viscous(damping)] * (damping > 0) + [Coulomb(friction)] * (friction > 0)
    return terms[0] + terms[1] if len(terms) == 2 else (terms[0] if terms else None)


def _limits(joint: Element, kind: str, notes: Notes) -> Limits | None:
    limit = joint.one("limit")
    if limit is None:
        if kind != "continuous":
            notes.warnings.append(f"{joint.place}: a {kind} joint without <limit>; read as unlimited")
        return None
    lower = upper = None
    if kind != "continuous" and ("lower" in limit.attributes or "upper" in limit.attributes):
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lower > upper:
            notes.warnings.append(f"{limit.place}: lower {lower!r} exceeds upper {upper!r}; both are ignored")
            lower = upper = None
    speed, effort = (limit.number(k) if k in limit.attributes else None for k in ("velocity", "effort"))
    return Limits(*(None if x is None or abs(x) >= UNLIMITED else x for x in (lower, upper, speed, effort)))


# ---- mimic -----------------------------------------------------------------------------------


def _leaders(joints: dict[str, Element], notes: Notes) -> dict[str, tuple[str, float, float]]:
    """For each mimicking joint the free joint at the end of its chain, multiplier and offset."""
    direct: dict[str, tuple[str, float, float]] = {}
    for name, joint in joints.items():
        mimic = joint.one("mimic")
        if mimic is None:
            continue
        leader = mimic.text("joint")
        if leader not in joints:
            mimic.fail(unknown("joint", leader, joints))
        if joint.text("type") == "fixed":
            notes.warnings.append(f"{mimic.place}: a fixed joint follows nothing; <mimic> is ignored")
            continue
        if joints[leader].text("type") == "fixed":
            mimic.fail(f"{name!r} mimics {leader!r}, which is fixed and never moves; make {name!r} fixed too")
        direct[name] = (leader, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
        if direct[name][1] == 0:
            mimic.fail(f"multiplier 0: {name!r} would never move; make it a fixed joint")
    resolved = {}
    for name in direct:
        leader, multiplier, offset = direct[name]
        seen = {name}
        while leader in direct:
            if leader in seen:
                joints[name].fail(f"joints mimic each other in a cycle: {', '.join(sorted(seen))}")
            seen.add(leader)
            leader, factor, shift = direct[leader]
            multiplier, offset = multiplier * factor, multiplier * shift + offset
        resolved[name] = (leader, multiplier, offset)
    return resolved


# ---- warnings about the whole ----------------------------------------------------------------


def _massless(robot: Robot, links: dict[str, Element]) -> Iterator[str]:
    """Moving bodies without any mass: inverse dynamics works, forward dynamics may not."""
    with np.errstate(over="ignore", invalid="ignore"):
        lumped = robot.lumped()
    moving = [link.name for link in robot.links if link.joint.moves]
    for index, name in enumerate(moving):
        mass, first, second = lumped[index]
        if not (np.isfinite(mass) and np.isfinite(first).all() and np.isfinite(second).all()):
            links[name].fail("masses and distances here are so large that their moments overflow; check the units")
        if mass == 0 and not np.any(second):
            yield (
                f"{links[name].place}: moves but has no mass (no <inertial> here or in what is fixed to it); "
                "read with zero inertia"
            )
    if not moving:
        yield f"{robot.provenance['source']}: robot {robot.name!r} has no moving joint"
