"""Robots to URDF files, with the shortest decimals that read back to the same numbers.

URDF has no helical joint and no rotor inertia: the first is refused, what else is lost is warned
about.  Frames of all links are kept; where a link's frame is not its joint's (standard DH), an extra
massless link carries the joint.  A joint of several degrees is a chain of joints on massless links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from steiner.errors import FormatError
from steiner.files.reading import UNLIMITED
from steiner.files.writing import (
    Minor,
    Names,
    check_writable,
    decimal,
    lost_drawing,
    lost_friction,
    lost_gravity,
    lost_payloads,
    lost_rotors,
    lost_shapes,
    lost_springs,
    plain_friction,
    unplaced,
    vector,
)
from steiner.inertia import MassProperties
from steiner.model.joints import Fixed, Helical, Joint, Prismatic
from steiner.model.link import Link, Shape
from steiner.model.robot import Robot
from steiner.solids.shapes import Box, Cylinder, Sphere
from steiner.spatial import IDENTITY, Pose


def write(robot: Robot) -> str:
    """The URDF text of a robot; payloads become fixed links."""
    check_writable(robot, "URDF")
    names = Names(robot)
    lines: list[str] = []
    ground = _ground(robot, names)
    if ground:
        lines += _body(ground, MassProperties.zero())
    for link in robot.links:
        lines += _link(link, link.parent or ground, names)
    for payload in robot.payloads:
        name = names.new(payload.name)
        lines += _body(name, payload.body)
        lines += _joint(Fixed(name=names.new(f"{name}_joint")), payload.link, name, payload.pose)
    head = ['<?xml version="1.0"?>', f"<robot name={quoteattr(robot.name)}>"]
    return "\n".join([*head, *(f"  {line}" for line in lines), "</robot>", ""])


def losses(robot: Robot) -> list[str]:
    """What a robot has and URDF has no words for."""
    several = [link.joint.name for link in robot.links if len(link.joint.screws()) > 1]
    joined = [Minor(f"that the joints of {name!r} are one, without links in between") for name in several]
    shapes = lost_shapes(robot, (Box, Cylinder, Sphere))
    kinds = (lost_rotors, lost_springs, lost_friction, lost_gravity, lost_payloads, lost_drawing)
    return [*joined, *(loss for kind in kinds for loss in kind(robot)), *shapes]


def _ground(robot: Robot, names: Names) -> str | None:
    """Name of an extra root, unless the robot has one link that already is URDF's root."""
    roots = [link for link in robot.links if link.parent is None]
    first = roots[0]
    if len(roots) == 1 and not first.joint.moves and (first.mount @ first.origin).is_identity:
        return None
    return names.new("world")


def _link(link: Link, parent: str | None, names: Names) -> list[str]:
    if parent is None:
        return _body(link.name, link.body, link.shapes)
    joint, own = link.joint, _body(link.name, link.body, link.shapes)
    fixed_name = joint.name or names.new(f"{link.name}_joint")
    if not joint.moves:
        return own + _joint(Fixed(name=fixed_name), parent, link.name, link.mount @ link.origin)
    *carried, last = joint.screws()
    lines: list[str] = []
    mount = link.mount
    if not link.origin.is_identity:
        carried, last = [*carried, last], Fixed(name=names.new(f"{link.name}_axis_joint"))
    for screw in carried:
        carrier = names.new(f"{link.name}_axis")
        lines += [*_body(carrier, MassProperties.zero()), *_joint(screw, parent, carrier, mount)]
        parent, mount = carrier, IDENTITY
    return [*lines, *own, *_joint(last, parent, link.name, mount @ link.origin)]


def _body(name: str, body: MassProperties, shapes: Sequence[Shape] = ()) -> list[str]:
    lines = [] if body.mass == 0 and not np.any(body.inertia) else inertial(body).splitlines()
    for shape in shapes:
        lines += _shape(shape)
    if not lines:
        return [f"<link name={quoteattr(name)}/>"]
    return [f"<link name={quoteattr(name)}>", *(f"  {line}" for line in lines), "</link>"]


def _shape(shape: Shape) -> list[str]:
    solid, pose = unplaced(shape)
    if solid is None:
        scale = "" if shape.scale == (1.0, 1.0, 1.0) else f' scale="{vector(shape.scale)}"'
        form = f"mesh filename={quoteattr(shape.file)}{scale}"
    elif isinstance(solid, Box):
        form = f'box size="{vector((solid.x, solid.y, solid.z))}"'
    elif isinstance(solid, Sphere):
        form = f'sphere radius="{decimal(solid.radius)}"'
    elif isinstance(solid, Cylinder):
        form = f'cylinder radius="{decimal(solid.radius)}" length="{decimal(solid.height)}"'
    else:
        return []
    name = f" name={quoteattr(shape.name)}" if shape.name else ""
    lines = [*_origin(pose), f"<geometry><{form}/></geometry>"]
    if shape.colour is not None and shape.role == "visual":
        lines.append(f'<material name=""><color rgba="{vector(shape.colour)}"/></material>')
    return [f"<{shape.role}{name}>", *(f"  {line}" for line in lines), f"</{shape.role}>"]


def inertial(body: MassProperties) -> str:
    """The element of a body: its centre, its mass and its tensor about the centre."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    moments = (("ixx", xx), ("ixy", xy), ("ixz", xz), ("iyy", yy), ("iyz", yz), ("izz", zz))
    lines = [
        "<inertial>",
        *(f"  {line}" for line in _origin(Pose.trusted(np.eye(3), body.com))),
        f'  <mass value="{decimal(body.mass)}"/>',
        f"  <inertia {_attributes(moments)}/>",
        "</inertial>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _joint(joint: Joint, parent: str, child: str, mount: Pose) -> list[str]:
    lines = [
        *_origin(mount),
        f"<parent link={quoteattr(parent)}/>",
        f"<child link={quoteattr(child)}/>",
    ]
    if joint.moves:
        if not np.array_equal(joint.axis, (1.0, 0.0, 0.0)):
            lines.append(f'<axis xyz="{vector(joint.axis)}"/>')
        lines += _limits(joint)
        damping, coulomb, _ = plain_friction(joint.friction)
        if damping or coulomb:
            lines.append(f"<dynamics {_attributes((('damping', damping), ('friction', coulomb)))}/>")
        if joint.follows is not None:
            relation = _attributes((("multiplier", joint.multiplier), ("offset", joint.offset)))
            lines.append(f"<mimic joint={quoteattr(joint.follows)} {relation}/>")
    return [
        f'<joint name={quoteattr(joint.name)} type="{_type(joint)}">',
        *(f"  {line}" for line in lines),
        "</joint>",
    ]


def _type(joint: Joint) -> str:
    if isinstance(joint, Helical):
        raise FormatError(f"joint {joint.name!r} is helical; URDF has no such joint: save in another format")
    if joint.follows is None and (joint.multiplier != 1 or joint.offset != 0):
        raise FormatError(f"joint {joint.name!r} scales or shifts its coordinate; URDF can do so only by mimic")
    if not joint.moves:
        return "fixed"
    if isinstance(joint, Prismatic):
        return "prismatic"
    return "revolute" if joint.limits is not None and joint.limits[:2] != (None, None) else "continuous"


def _limits(joint: Joint) -> list[str]:
    stated = joint.limits._asdict() if joint.limits is not None else {}
    needs = ("lower", "upper", "effort", "velocity") if _type(joint) != "continuous" else ("effort", "velocity")
    if _type(joint) == "continuous" and stated.get("effort") is None and stated.get("velocity") is None:
        return []
    unlimited = {"lower": -UNLIMITED, "upper": UNLIMITED, "effort": UNLIMITED, "velocity": UNLIMITED}
    values = [(key, unlimited[key] if stated.get(key) is None else stated[key]) for key in needs]
    return [f"<limit {_attributes(values)}/>"]


def _origin(pose: Pose) -> list[str]:
    if pose is IDENTITY or pose.is_identity:
        return []
    turned = not np.array_equal(pose.R, np.eye(3))
    rpy = f' rpy="{vector(pose.rpy)}"' if turned else ""
    return [f'<origin xyz="{vector(pose.p)}"{rpy}/>']


def _attributes(pairs: Any) -> str:
    return " ".join(f'{key}="{decimal(value)}"' for key, value in pairs)
