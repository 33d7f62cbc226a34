"""Robots to SDF files, with the shortest decimals that read back to the same numbers.

A joint is given in its parent link and a link in its joint, so that every frame of the robot stands in the file as it
is.  What stands on the ground is fixed to the world.  Rotors are written in Drake's words.  A joint of several degrees
is universal, or a chain of joints on massless links.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from steiner.errors import FormatError
from steiner.files.sdf_frames import MODEL, WORLD
from steiner.files.sdf_shapes import GEOMETRIES
from steiner.files.writing import (
    Minor,
    check_writable,
    decimal,
    lost_drawing,
    lost_friction,
    lost_payloads,
    lost_shapes,
    moving,
    plain_friction,
    unplaced,
    vector,
)
from steiner.inertia import MassProperties
from steiner.model.joints import Helical, Joint, Prismatic, Revolute
from steiner.model.link import Link, Shape
from steiner.model.robot import EARTH, Robot
from steiner.spatial import Pose

VERSION = "1.11"  # the first with <mimic>
SOLIDS = {geometry.solid: tag for tag, geometry in GEOMETRIES.items()}


def write(robot: Robot) -> str:
    """The SDF text of a robot; payloads become fixed links, gravity stands in a world around the model."""
    check_writable(robot, "SDF", between_tags=True)
    names = _names(robot)
    links, taken = names.links, names.taken
    model: list[str] = []
    for link in robot.links:
        if _is_ground(link):
            continue
        parent = WORLD if link.parent is None else links[link.parent]
        mount, (*carried, last) = link.mount, names.joints[link.name]
        for name, screws in carried:
            place = _Place(name, parent, _new("", f"{link.name}_axis", taken), mount, Pose.identity())
            model += _link(place, MassProperties.zero(), ()) + _joint(screws, place, names)
            parent, mount = place.link, Pose.identity()
        place = _Place(last.name, parent, links[link.name], mount, link.origin)
        model += _link(place, link.body, link.shapes) + _joint(last.screws, place, names)
    for load in robot.payloads:
        name = _new(load.name, f"{load.name}_link", taken)
        place = _Place(_new("", f"{name}_joint", taken), links[load.link], name, load.pose, Pose.identity())
        model += _link(place, load.body, ()) + _moved(place, "fixed", [])
    lines = _within(f"model name={quoteattr(robot.name)}", model)
    if not np.array_equal(robot.gravity, EARTH):
        lines = _within('world name="default"', [f"<gravity>{vector(robot.gravity)}</gravity>", *lines])
    space = ' xmlns:drake="drake.mit.edu"' if any(screw.armature != 0 for screw in moving(robot)) else ""
    return "\n".join(['<?xml version="1.0"?>', *_within(f'sdf version="{VERSION}"{space}', lines), ""])


def losses(robot: Robot) -> list[str]:
    """What a robot has and SDF has no words for."""
    names = _names(robot)
    written = [(link.joint, names.joints[link.name]) for link in robot.links]
    chains = [joint.name for joint, row in written if len(row) > 1]
    joined = [Minor(f"that the joints of {name!r} are one, without links in between") for name in chains]
    called = [(row[0].name, joint.name) for joint, row in written if len(row) == 1 and joint.name]
    pairs = [*names.links.items(), *((old, new) for new, old in called), *names.coordinates.items()]
    pairs = list(dict.fromkeys(pairs))
    renamed = [
        Minor(f"the name {old!r}, which SDF keeps for itself: it becomes {new!r}") for old, new in pairs if old != new
    ]
    kinds = (lost_friction, lost_payloads, lost_drawing)
    return [*joined, *renamed, *(loss for kind in kinds for loss in kind(robot)), *lost_shapes(robot, tuple(SOLIDS))]


# ---- names ---------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A joint of the file: its name and its axes, none if it is fixed."""

    name: str
    screws: tuple[Joint, ...]


class _Names(NamedTuple):
    """By link: its name in the file and the joints above it; by coordinate of a joint of one axis: that joint; and all
    that are taken: links and joints share one space of names.
    """

    links: dict[str, str]
    joints: dict[str, list[_Row]]
    coordinates: dict[str, str]
    taken: set[str]


def _names(robot: Robot) -> _Names:
    taken: set[str] = set()
    links = {
        link.name: WORLD if _is_ground(link) else _new(link.name, f"{link.name}_link", taken) for link in robot.links
    }
    leaders = {screw.follows for screw in moving(robot)}
    joints: dict[str, list[_Row]] = {}
    for link in robot.links:
        screws = link.joint.screws() if link.joint.moves else ()
        rows = [(screw.name, (screw,)) for screw in screws]
        if len(screws) < 2 or _is_universal(link.joint, leaders):
            rows = [(link.joint.name, tuple(screws))]
        joints[link.name] = [_Row(_new(name, f"{name or link.name}_joint", taken), row) for name, row in rows]
    single = [row for rows in joints.values() for row in rows if len(row.screws) == 1]
    return _Names(links, joints, {row.screws[0].name: row.name for row in single}, taken)


def _is_universal(joint: Joint, leaders: Container[str | None]) -> bool:
    """Whether SDF's universal joint is this one: two turns called rx and ry, without rotors and relations."""
    screws = joint.screws()
    return [(type(screw), screw.name) for screw in screws] == [
        (Revolute, f"{joint.name}.{coordinate}") for coordinate in ("rx", "ry")
    ] and not any(
        screw.armature or screw.follows or screw.multiplier != 1 or screw.offset or screw.name in leaders
        for screw in screws
    )


def _is_ground(link: Link) -> bool:
    """Whether a link is what SDF calls the world: URDF files have such a root."""
    bare = link.body.mass == 0 and not np.any(link.body.inertia) and not link.shapes
    still = link.parent is None and not link.joint.moves and (link.mount @ link.origin).is_identity
    return link.name == WORLD and bare and still


def _new(wish: str, otherwise: str, taken: set[str]) -> str:
    name, count = wish, 1
    while not name.strip() or name in taken or name == WORLD or "::" in name or name.startswith("__"):
        name = otherwise.replace("::", "_").lstrip("_") + (str(count) if count > 1 else "")
        count += 1
    taken.add(name)
    return name


class _Place(NamedTuple):
    """How a link hangs in the file: names of its joint, its parent and its own, joint in parent, link in joint."""

    joint: str
    parent: str
    link: str
    mount: Pose
    origin: Pose


# ---- elements ------------------------------------------------------------------------------------------------


def _within(tag: str, lines: Iterable[str]) -> list[str]:
    return [f"<{tag}>", *(f"  {line}" for line in lines), f"</{tag.partition(' ')[0]}>"]


def _pose(pose: Pose, relative: str = "") -> list[str]:
    within = f" relative_to={quoteattr(relative)}" if relative else ""
    if pose.is_identity:
        return [f"<pose{within}>0 0 0 0 0 0</pose>"] if relative else []
    return [f"<pose{within}>{vector([*pose.p, *pose.rpy])}</pose>"]


def _link(place: _Place, body: MassProperties, shapes: Sequence[Shape]) -> list[str]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    tensor = "".join(f"<{key}>{decimal(value)}</{key}>" for key, value in moments.items())
    centre = _pose(Pose.trusted(np.eye(3), body.com))
    inertial = [*centre, f"<mass>{decimal(body.mass)}</mass>", f"<inertia>{tensor}</inertia>"]
    lines = [*_pose(place.origin, place.joint), *_within("inertial", inertial)]
    used: set[str] = set()
    for shape in shapes:
        lines += _shape(shape, used)
    return _within(f"link name={quoteattr(place.link)}", lines)


def _shape(shape: Shape, used: set[str]) -> list[str]:
    solid, pose = unplaced(shape)
    if solid is None:
        scale = "" if shape.scale == (1.0, 1.0, 1.0) else f"<scale>{vector(shape.scale)}</scale>"
        form = f"<mesh><uri>{escape(shape.file)}</uri>{scale}</mesh>"
    elif type(solid) in SOLIDS:
        tag = SOLIDS[type(solid)]
        numbers = iter([getattr(solid, name) for name in solid.__dataclass_fields__ if name != "axis"])
        sizes = GEOMETRIES[tag].elements.items()
        parts = [f"<{key}>{vector([next(numbers) for _ in range(count)])}</{key}>" for key, count in sizes]
        form = f"<{tag}>{''.join(parts)}</{tag}>"
    else:
        return []
    name, count = shape.name or shape.role, 2
    while f"{shape.role} {name}" in used:
        name, count = f"{shape.name or shape.role}{count}", count + 1
    used.add(f"{shape.role} {name}")
    lines = [*_pose(pose), f"<geometry>{form}</geometry>"]
    if shape.colour is not None and shape.role == "visual":
        lines.append(f"<material><diffuse>{vector(shape.colour)}</diffuse></material>")
    return _within(f"{shape.role} name={quoteattr(name)}", lines)


def _moved(place: _Place, kind: str, lines: Iterable[str]) -> list[str]:
    within = MODEL if place.parent == WORLD else place.parent
    ends = [f"<parent>{escape(place.parent)}</parent>", f"<child>{escape(place.link)}</child>"]
    return _within(
        f'joint name={quoteattr(place.joint)} type="{kind}"', [*_pose(place.mount, within), *ends, *lines]
    )


def _joint(screws: Sequence[Joint], place: _Place, names: _Names) -> list[str]:
    if len(screws) != 1:
        tags = zip(("axis", "axis2"), screws, strict=False)
        axes = [line for tag, screw in tags for line in _axis(tag, screw, names)]
        return _moved(place, "universal" if screws else "fixed", axes)
    (joint,) = screws
    if joint.follows is None and (joint.multiplier != 1 or joint.offset != 0):
        raise FormatError(f"joint {joint.name!r} scales or shifts its coordinate; SDF can do so only by mimic")
    rest = _axis("axis", joint, names)
    if isinstance(joint, Helical):
        rest.append(f"<screw_thread_pitch>{decimal(joint.pitch * (2 * math.pi))}</screw_thread_pitch>")
    if joint.armature != 0:
        rest.append(f"<drake:rotor_inertia>{decimal(joint.armature)}</drake:rotor_inertia>")
    return _moved(place, _kind(joint), rest)


def _axis(tag: str, joint: Joint, names: _Names) -> list[str]:
    lines = [f"<xyz>{vector(joint.axis)}</xyz>"]
    if joint.limits is not None:
        stated = {key: value for key, value in joint.limits._asdict().items() if value is not None}
        lines.append(f"<limit>{''.join(f'<{key}>{decimal(value)}</{key}>' for key, value in stated.items())}</limit>")
    damping, coulomb, _ = plain_friction(joint.friction)
    spring = (("spring_reference", joint.rest), ("spring_stiffness", joint.stiffness)) if joint.stiffness else ()
    passive = [*((key, x) for key, x in (("damping", damping), ("friction", coulomb)) if x), *spring]
    if passive:
        lines.append(f"<dynamics>{''.join(f'<{key}>{decimal(x)}</{key}>' for key, x in passive)}</dynamics>")
    if joint.follows is not None:
        numbers = (("multiplier", joint.multiplier), ("offset", joint.offset), ("reference", 0.0))
        relation = "".join(f"<{key}>{decimal(x)}</{key}>" for key, x in numbers)
        lines.append(f'<mimic joint={quoteattr(names.coordinates[joint.follows])} axis="axis">{relation}</mimic>')
    return _within(tag, lines)


def _kind(joint: Joint) -> str:
    if isinstance(joint, Helical | Prismatic):
        return "screw" if isinstance(joint, Helical) else "prismatic"
    return "revolute" if joint.limits is not None and joint.limits[:2] != (None, None) else "continuous"
