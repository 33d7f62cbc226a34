"""Robots to URDF files, with the shortest decimals that read back to the same numbers.

URDF has no helical joint and no rotor inertia: the first is refused, what else is lost is warned
about.  Frames of all links are kept; where a link's frame is not its joint's (standard DH), an extra
massless link carries the joint.  A joint of several degrees is a chain of joints on massless links.
"""

from __future__ import annotations

import warnings
from xml.sax.saxutils import quoteattr

import numpy as np

from steiner.errors import FormatError, ModelWarning
from steiner.files.urdf import UNLIMITED
from steiner.files.xml_write import Names, linear_friction
from steiner.files.xml_write import attributes as _attributes
from steiner.files.xml_write import text as _text
from steiner.files.xml_write import vector as _vector
from steiner.inertia import MassProperties
from steiner.model.joints import Fixed, Helical, Joint, Prismatic
from steiner.model.link import Link
from steiner.model.robot import EARTH, Robot
from steiner.spatial import IDENTITY, Pose


def write(robot: Robot) -> str:
    """The URDF text of a robot; payloads become fixed links."""
    names = Names(robot, "URDF")
    lost = losses(robot)
    if lost:
        warnings.warn(f"URDF cannot hold, and the file lacks: {'; '.join(lost)}", ModelWarning, stacklevel=3)
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
    lost = [loss for link in robot.links for loss in _losses(link.joint)]
    return lost if np.array_equal(robot.gravity, EARTH) else [*lost, f"gravity {robot.gravity.tolist()}"]


def _ground(robot: Robot, names: Names) -> str | None:
    """Name of an extra root, unless the robot has one link that already is URDF's root."""
    roots = [link for link in robot.links if link.parent is None]
    first = roots[0]
    if len(roots) == 1 and not first.joint.moves and (first.mount @ first.origin).is_identity:
        return None
    return names.new("world")


def _link(link: Link, parent: str | None, names: Names) -> list[str]:
    if parent is None:
        return _body(link.name, link.body)
    joint = link.joint
    fixed_name = joint.name or names.new(f"{link.name}_joint")
    if not joint.moves:
        return _body(link.name, link.body) + _joint(Fixed(name=fixed_name), parent, link.name, link.mount @ link.origin)
    *carried, last = joint.screws()
    lines: list[str] = []
    mount = link.mount
    if not link.origin.is_identity:
        carried, last = [*carried, last], Fixed(name=names.new(f"{link.name}_axis_joint"))
    for screw in carried:
        carrier = names.new(f"{link.name}_axis")
        lines += [*_body(carrier, MassProperties.zero()), *_joint(screw, parent, carrier, mount)]
        parent, mount = carrier, IDENTITY
    return [*lines, *_body(link.name, link.body), *_joint(last, parent, link.name, mount @ link.origin)]


def _body(name: str, body: MassProperties) -> list[str]:
    if body.mass == 0 and not np.any(body.inertia):
        return [f"<link name={quoteattr(name)}/>"]
    return [f"<link name={quoteattr(name)}>", *(f"  {line}" for line in inertial(body).splitlines()), "</link>"]


def inertial(body: MassProperties) -> str:
    """The element of a body: its centre, its mass and its tensor about the centre."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    moments = (("ixx", xx), ("ixy", xy), ("ixz", xz), ("iyy", yy), ("iyz", yz), ("izz", zz))
    lines = [
        "<inertial>",
        *(f"  {line}" for line in _origin(Pose.trusted(np.eye(3), body.com))),
        f'  <mass value="{_text(body.mass)}"/>',
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
            lines.append(f'<axis xyz="{_vector(joint.axis)}"/>')
        lines += _limits(joint)
        damping, coulomb, _ = linear_friction(joint.friction)
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


def _losses(joint: Joint) -> list[str]:
    screws = joint.screws()
    lost = [f"that the joints of {joint.name!r} are one, without links in between"] if len(screws) > 1 else []
    for screw in screws:
        if screw.armature != 0:
            lost.append(f"the rotor inertia of joint {screw.name!r}")
        if not linear_friction(screw.friction)[2]:
            lost.append(f"the friction of joint {screw.name!r} beyond damping and a symmetric Coulomb effort")
    return lost


def _origin(pose: Pose) -> list[str]:
    if pose is IDENTITY or pose.is_identity:
        return []
    turned = not np.array_equal(pose.R, np.eye(3))
    rpy = f' rpy="{_vector(pose.rpy)}"' if turned else ""
    return [f'<origin xyz="{_vector(pose.p)}"{rpy}/>']
