"""Robots to MJCF files, with decimals that read back to the same numbers.

Every link is a body with its `<inertial>` along its principal axes, so that MuJoCo has nothing to work out; a joint of
several degrees is several joints of the body, a payload a body fixed to its link.  Helical joints and joints that
scale their coordinate are refused; `losses` says what else MJCF has no words for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
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
    lost_payloads,
    moving,
    plain_friction,
    vector,
)
from steiner.inertia import MassProperties
from steiner.model.joints import Joint
from steiner.model.link import Link, Shape
from steiner.model.robot import Robot
from steiner.scalar import is_zero
from steiner.solids.balls import Capsule, Ellipsoid, Sphere
from steiner.solids.base import AXES, Solid
from steiner.solids.compound import Placed
from steiner.solids.primitives import Box, Cylinder
from steiner.spatial import IDENTITY, Pose

HEAD = '<compiler angle="radian" autolimits="true" inertiafromgeom="false"/>'  # the default angle is the degree
TRIANGLE = 1e-12  # relative: MuJoCo refuses a plate whose moments break A + B ≥ C by round-off


def write(robot: Robot) -> str:
    """The MJCF text of a robot."""
    check_writable(robot, "MJCF")
    names, screws = Names(robot), list(moving(robot))
    for screw in screws:
        _check(screw)
    lines = [f"<mujoco model={quoteattr(robot.name)}>", f"  {HEAD}", f'  <option gravity="{vector(robot.gravity)}"/>']
    lines += ["  <worldbody>", *_bodies(robot, names), "  </worldbody>"]
    couplings = [_coupling(screw, robot) for screw in screws if screw.follows is not None]
    if couplings:
        lines += ["  <equality>", *(f"    {line}" for line in couplings), "  </equality>"]
    return "\n".join([*lines, "</mujoco>", ""])


def losses(robot: Robot) -> list[str]:
    """What a robot has and MJCF has no words for, or MuJoCo no use."""
    lost = [*lost_friction(robot), *lost_payloads(robot), *lost_drawing(robot)]
    for link in robot.links:
        for screw in link.joint.screws():
            lower, upper, velocity, effort = screw.limits or (None,) * 4
            if velocity is not None:
                lost.append(Minor(f"the velocity limit of joint {screw.name!r}"))
            if lower is not None and upper is not None and lower >= upper:
                lost.append(Minor(f"the range of joint {screw.name!r}: its upper end must be above the lower"))
            if effort is not None and not effort > 0:
                lost.append(Minor(f"the effort limit {decimal(effort)} of joint {screw.name!r}"))
        unseen = [shape for shape in link.shapes if _geom(shape, ()) is None]
        if unseen:
            what = ", ".join(shape.file or type(shape.solid).__name__ for shape in unseen)
            lost.append(Minor(f"looks of link {link.name!r}: {what}"))
    return lost


def _check(joint: Joint) -> None:
    if not is_zero(joint.turn) and not is_zero(joint.slide):
        raise FormatError(f"joint {joint.name!r} is helical; MJCF has no such joint: save in another format")
    if joint.turn + joint.slide != 1 or (joint.follows is None and joint.multiplier != 1):
        raise FormatError(f"joint {joint.name!r} scales its coordinate; MJCF can do so only by an equality of joints")


# ---- bodies ----------------------------------------------------------------------------------------


def _bodies(robot: Robot, names: Names) -> Iterator[str]:
    """The links, each inside its parent; no recursion, for arms may be long."""
    below: dict[str | None, list[Link]] = {}
    for link in robot.links:
        below.setdefault(link.parent, []).append(link)
    called = Counter(shape.name for link in robot.links for shape in link.shapes)
    unique = {name for name, count in called.items() if name and count == 1}  # MuJoCo takes no name twice
    waiting: list[tuple[Link | str, int]] = [(link, 2) for link in reversed(below[None])]
    while waiting:
        link, depth = waiting.pop()
        indent = "  " * depth
        if isinstance(link, str):
            yield indent + link
            continue
        looks = (_geom(shape, unique) for shape in link.shapes)
        inner = [*_inertial(link.body), *_joints(link), *filter(None, looks)]
        for payload in robot.payloads:
            if payload.link == link.name:
                head = f"<body name={quoteattr(names.new(payload.name))}{_pose(payload.pose)}>"
                inner += [head, *(f"  {line}" for line in _inertial(payload.body)), "</body>"]
        children = below.get(link.name, [])
        head = f"<body name={quoteattr(link.name)}{_pose(link.mount @ link.origin)}"
        if not inner and not children:
            yield f"{indent}{head}/>"
            continue
        yield f"{indent}{head}>"
        yield from (f"{indent}  {line}" for line in inner)
        waiting.append(("</body>", depth))
        waiting += [(child, depth + 1) for child in reversed(children)]


def _pose(pose: Pose) -> str:
    """Place and orientation; two columns of the matrix keep all its digits."""
    if pose is IDENTITY or pose.is_identity:
        return ""
    place = f' pos="{vector(pose.p)}"' if np.any(pose.p) else ""
    turned = not np.array_equal(pose.R, np.eye(3))
    return place + (f' xyaxes="{vector([*pose.R[:, 0], *pose.R[:, 1]])}"' if turned else "")


def _inertial(body: MassProperties) -> list[str]:
    if body.mass == 0 and not np.any(body.inertia):
        return []
    if np.array_equal(body.inertia, np.diag(np.diag(body.inertia))):
        moments, R = np.diag(body.inertia).astype(float), np.eye(3)
    else:
        moments, R = body.principal()
    largest = int(np.argmax(moments))
    others = moments.sum() - moments[largest]
    if others < moments[largest] <= others * (1 + TRIANGLE):
        moments = np.where(np.arange(3) == largest, others, moments)
    turned = _pose(Pose.trusted(R, np.zeros(3)))
    return [f'<inertial pos="{vector(body.com)}"{turned} mass="{decimal(body.mass)}" diaginertia="{vector(moments)}"/>']


def _joints(link: Link) -> Iterator[str]:
    """The screws of a link's joint, whose axes MJCF states in the body's own frame."""
    back = link.origin.inverse()
    for screw in link.joint.screws():
        slides = bool(is_zero(screw.turn))
        line = f'<joint name={quoteattr(screw.name)}{" type=" + quoteattr("slide") if slides else ""}'
        if np.any(back.p) and not slides:
            line += f' pos="{vector(back.p)}"'
        line += f' axis="{vector(back.R @ screw.axis)}"'
        if screw.follows is None and screw.offset != 0:
            line += f' ref="{decimal(-screw.offset)}"'
        damping, coulomb, _ = plain_friction(screw.friction)
        spring = (("stiffness", screw.stiffness), ("springref", _springref(screw) if screw.stiffness else 0.0))
        numbers = (("armature", screw.armature), *spring, ("damping", damping), ("frictionloss", coulomb))
        stated = " ".join(f'{key}="{decimal(value)}"' for key, value in numbers if value != 0)
        yield f"{line}{' ' + stated if stated else ''}{_limits(screw)}/>"


def _springref(joint: Joint) -> float:
    """The coordinate at which the spring is slack; that of a follower is counted from the file's pose."""
    return joint.rest - joint.offset if joint.follows is None else joint.rest


def _limits(joint: Joint) -> str:
    lower, upper, _, effort = joint.limits or (None,) * 4
    ends = (-UNLIMITED if lower is None else lower, UNLIMITED if upper is None else upper)
    stated = joint.limits is not None and (lower, upper) != (None, None) and ends[0] < ends[1]
    return (f' range="{vector(ends)}"' if stated else "") + (
        f' actuatorfrcrange="{vector((-effort, effort))}"' if effort is not None and effort > 0 else ""
    )


def _coupling(joint: Joint, robot: Robot) -> str:
    """y = a₀ + a₁ (x − x₀), where the leader's value is zero at its coordinate x₀."""
    leader = robot.joint(str(joint.follows))
    rest = -leader.offset
    relation = vector((joint.offset + joint.multiplier * rest, joint.multiplier, 0, 0, 0))
    return f'<joint joint1={quoteattr(joint.name)} joint2={quoteattr(leader.name)} polycoef="{relation}"/>'


# ---- looks -----------------------------------------------------------------------------------------


def _geom(shape: Shape, unique: Container[str]) -> str | None:
    """A shape that MJCF knows, as a geom without a say in masses, by its name if it is unique; None of others."""
    if shape.solid is None:
        return None
    solid, pose = (shape.solid.solid, shape.pose @ shape.solid.pose) if isinstance(shape.solid, Placed) else (
        shape.solid, shape.pose,
    )  # fmt: skip
    known = _size(solid)
    if known is None:
        return None
    kind, size = known
    if solid.axis != "z":  # of the shape, whose z is that of MJCF
        pose = pose @ Pose.trusted(np.eye(3)[list(AXES[solid.axis])], np.zeros(3))
    name = f" name={quoteattr(shape.name)}" if shape.name in unique else ""
    bare = ' contype="0" conaffinity="0"' if shape.role == "visual" else ""
    colour = f' rgba="{vector(shape.colour)}"' if shape.colour else ""
    return f'<geom{name} type="{kind}" size="{vector(size)}"{_pose(pose)}{bare}{colour}/>'


def _size(solid: Solid) -> tuple[str, Any] | None:
    match solid:
        case Sphere():
            return "sphere", (solid.radius,)
        case Capsule():
            return "capsule", (solid.radius, solid.height / 2)
        case Cylinder():
            return "cylinder", (solid.radius, solid.height / 2)
        case Ellipsoid():
            return "ellipsoid", (solid.a, solid.b, solid.c)
        case Box():
            return "box", (solid.x / 2, solid.y / 2, solid.z / 2)
        case _:
            return None
