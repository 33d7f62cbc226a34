"""A MATLAB script that builds the robot as a `rigidBodyTree` (Robotics System Toolbox).

There, the tensor is about the origin of the body's frame, [Ixx Iyy Izz Iyz Ixz Ixy]; a body weighs 1 kg unless told,
and its frame is its joint's: a link whose frame is elsewhere is fixed to a massless body that carries the joint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from steiner.errors import FormatError
from steiner.files.writing import (
    Names,
    check_writable,
    decimal,
    lost_all_shapes,
    lost_drawing,
    lost_payloads,
    lost_rotors,
    lost_springs,
    moving,
)
from steiner.inertia import MassProperties
from steiner.model.joints import Fixed, Joint, Prismatic, Revolute
from steiner.model.robot import Robot
from steiner.spatial import Pose

UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


def write(robot: Robot) -> str:
    """The script."""
    check_writable(robot, "MATLAB")
    names = Names(robot)
    lines = [
        f"% {_line(robot.name)}: {robot.n} joints, {decimal(robot.total_mass)} kg",
        "% tau = inverseDynamics(robot, q, qd, qdd), M = massMatrix(robot, q)",
        "robot = rigidBodyTree('DataFormat', 'column');",
        f"robot.Gravity = {_row(robot.gravity)};",
    ]
    for link in robot.links:
        parent = "robot.BaseName" if link.parent is None else _quoted(link.parent)
        joint = link.joint
        if joint.moves and not link.origin.is_identity:
            carrier = names.new(f"{link.name}_axis")
            lines += _body(carrier, MassProperties.zero(), joint, link.mount, parent)
            held = Fixed(name=names.new(f"{carrier}_joint"))
            lines += _body(link.name, link.body, held, link.origin, _quoted(carrier))
        else:
            if not joint.name:
                joint = Fixed(name=names.new(f"{link.name}_joint"))
            lines += _body(link.name, link.body, joint, link.mount @ link.origin, parent)
    for load in robot.payloads:
        name = names.new(load.name)
        lines += _body(name, load.body, Fixed(name=names.new(f"{name}_joint")), load.pose, _quoted(load.link))
    return "\n".join([*lines, ""])


def losses(robot: Robot) -> list[str]:
    """What a robot has and a rigidBodyTree has not."""
    rubbing = [f"the friction of joint {joint.name!r}" for joint in moving(robot) if joint.friction is not None]
    limited = [
        f"speed and effort limits of joint {joint.name!r}"
        for joint in moving(robot)
        if joint.limits is not None and joint.limits[2:] != (None, None)
    ]
    kinds = (lost_rotors, lost_springs, lost_payloads, lost_drawing, lost_all_shapes)
    return [*rubbing, *limited, *(loss for kind in kinds for loss in kind(robot))]


def _body(name: str, body: MassProperties, joint: Joint, mount: Pose, parent: str) -> list[str]:
    xx, yy, zz, yz, xz, xy = (body.inertia_about((0.0, 0.0, 0.0))[i, k] for i, k in
                              ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)))  # fmt: skip
    lines = [
        "",
        f"body = rigidBody({_quoted(name)});",
        f"body.Mass = {decimal(body.mass)};",
        f"body.CenterOfMass = {_row(body.com)};",
        f"body.Inertia = {_row((xx, yy, zz, yz, xz, xy))};",
        f"joint = rigidBodyJoint({_quoted(joint.name)}, '{_kind(joint)}');",
        f"setFixedTransform(joint, {_matrix(mount)});",
    ]
    if joint.moves:
        lines.append(f"joint.JointAxis = {_row(joint.axis)};")
        low, high = joint.limits[:2] if joint.limits is not None else (None, None)
        stated = ["-Inf" if low is None else decimal(low), "Inf" if high is None else decimal(high)]
        lines.append(f"joint.PositionLimits = [{' '.join(stated)}];")
    return [*lines, "body.Joint = joint;", f"addBody(robot, body, {parent});"]


def _kind(joint: Joint) -> str:
    if joint.moves and (joint.follows is not None or joint.multiplier != 1 or joint.offset != 0):
        raise FormatError(f"joint {joint.name!r} follows another or scales its coordinate; a rigidBodyTree cannot")
    for kind, name in ((Fixed, "fixed"), (Revolute, "revolute"), (Prismatic, "prismatic")):
        if isinstance(joint, kind):
            return name
    raise FormatError(f"joint {joint.name!r} is a {type(joint).__name__}; no rigidBodyTree has one: save as SDF")


def _quoted(name: str) -> str:
    if UNPRINTABLE.search(name):
        raise FormatError(f"the name {name!r} cannot stand in a MATLAB script; rename it")
    doubled = name.replace("'", "''")
    return f"'{doubled}'"


def _line(text: str) -> str:
    return UNPRINTABLE.sub(" ", text)


def _row(values: Iterable[float]) -> str:
    return f"[{' '.join(decimal(x) for x in values)}]"


def _matrix(pose: Pose) -> str:
    return "[" + "; ".join(" ".join(decimal(x) for x in row) for row in np.asarray(pose.matrix, dtype=float)) + "]"
