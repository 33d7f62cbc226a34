"""What writers of robot files share: decimals, names, and the words for what a format cannot hold."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from steiner.errors import FormatError
from steiner.model.friction import Combined, Coulomb, Friction, Viscous
from steiner.model.joints import Joint
from steiner.model.link import Shape
from steiner.model.robot import EARTH, Robot
from steiner.solids.base import AXES
from steiner.solids.compound import Placed
from steiner.spatial import Pose

FOREIGN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # no characters of XML 1.0


def decimal(value: Any) -> str:
    """The shortest decimal that reads back to the same float."""
    return repr(float(value) + 0.0).removesuffix(".0")


def vector(values: Iterable[Any]) -> str:
    """Decimals with spaces between them."""
    return " ".join(decimal(x) for x in values)


def check_writable(robot: Robot, title: str, *, between_tags: bool = False) -> None:
    """Refuse symbols, and names that XML cannot hold; between tags spaces around a name are none of it."""
    if robot.is_symbolic:
        raise FormatError(f"robot {robot.name!r} holds symbols and {title} holds numbers; substitute values first")
    for name in (robot.name, *Names(robot).taken, *(payload.name for payload in robot.payloads)):
        if name and (FOREIGN.search(name) or not name.strip() or (between_tags and name != name.strip())):
            raise FormatError(f"the name {name!r} cannot stand in a file of {title}; rename it")


class Names:
    """Names for what a format needs and the robot does not have, different from all of the robot's."""

    def __init__(self, robot: Robot) -> None:
        self.taken = {*robot.link_names, *(link.joint.name for link in robot.links), *robot.joint_names}

    def new(self, wish: str) -> str:
        """The wish, or that with a number behind it."""
        name, count = wish, 2
        while name in self.taken:
            name, count = f"{wish}{count}", count + 1
        self.taken.add(name)
        return name


def plain_friction(friction: Friction | None) -> tuple[float, float, bool]:
    """Viscous and Coulomb coefficients, and whether these are all of it."""
    damping, coulomb, whole = 0.0, 0.0, True
    terms = friction.terms if isinstance(friction, Combined) else (friction,) if friction else ()
    for term in terms:
        if isinstance(term, Viscous):
            damping += term.coefficient
        elif isinstance(term, Coulomb) and term.forward == term.backward and term.width == 0:
            coulomb += term.forward
        else:
            whole = False
    return damping, coulomb, whole


def unplaced(shape: Shape) -> tuple[Any, Pose]:
    """The solid of a shape, its axis along z, and its pose in the link; no solid for a mesh file."""
    solid, pose = shape.solid, shape.pose
    if isinstance(solid, Placed):
        solid, pose = solid.solid, pose @ solid.pose
    if solid is not None and solid.axis != "z":
        turn = np.eye(3)[list(AXES[solid.axis])]
        solid, pose = dataclasses.replace(solid, axis="z"), pose @ Pose(turn)  # type: ignore[type-var]
    return solid, pose


# ---- what is lost ------------------------------------------------------------------------------------------


class Minor(str):
    """A loss of words or looks: every torque stays as it was.  `convert` tells it, `save` does not warn of it."""


def moving(robot: Robot) -> Iterator[Joint]:
    """Every screw of every joint."""
    return (screw for link in robot.links for screw in link.joint.screws())


def lost_rotors(robot: Robot) -> list[str]:
    """Rotor inertias."""
    return [f"the rotor inertia of joint {screw.name!r}" for screw in moving(robot) if screw.armature != 0]


def lost_springs(robot: Robot) -> list[str]:
    """Springs of joints."""
    return [f"the spring of joint {screw.name!r}" for screw in moving(robot) if screw.stiffness != 0]


def lost_friction(robot: Robot) -> list[str]:
    """Friction that is more than damping and one Coulomb effort."""
    rich = [screw.name for screw in moving(robot) if not plain_friction(screw.friction)[2]]
    return [f"the friction of joint {name!r} beyond damping and a symmetric Coulomb effort" for name in rich]


def lost_gravity(robot: Robot) -> list[str]:
    """Gravity other than the usual one."""
    return [] if np.array_equal(robot.gravity, EARTH) else [f"gravity {robot.gravity.tolist()}"]


def lost_drawing(robot: Robot) -> list[str]:
    """Parts, materials, shared parameters: what is more than bodies."""
    drawn = [link.name for link in robot.links if link.made_of is not None]
    kept = "mass, centre and tensor are kept"
    lost = [Minor(f"the drawing (parts and materials) of {_some(drawn)}: {kept}")] if drawn else []
    if robot.parameters:
        lost.append(Minor(f"the shared parameters {_some(robot.parameters)}: their values are kept"))
    return [*lost]


def lost_payloads(robot: Robot) -> list[str]:
    """Payloads that become links."""
    return [Minor(f"that {load.name!r} is a payload: it becomes a fixed link") for load in robot.payloads]


def lost_shapes(robot: Robot, solids: Collection[type], meshes: bool = True) -> list[str]:
    """Solids that have no element."""
    lost: list[str] = []
    for link in robot.links:
        for shape in link.shapes:
            solid, _ = unplaced(shape)
            if solid is None and not meshes:
                lost.append(Minor(f"a shape of link {link.name!r}: the mesh {shape.file!r}"))
            elif solid is not None and type(solid) not in solids:
                lost.append(Minor(f"a shape of link {link.name!r}: a {type(solid).__name__}"))
    return lost


def lost_all_shapes(robot: Robot) -> list[str]:
    """All looks, where a format has none."""
    seen = [link.name for link in robot.links if link.shapes]
    return [Minor(f"the shapes of {_some(seen)}")] if seen else []


def _some(names: Iterable[str]) -> str:
    listed = [repr(name) for name in names]
    return ", ".join(listed[:4]) + (f" and {len(listed) - 4} others" if len(listed) > 4 else "")
