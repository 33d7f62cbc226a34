"""Numbers of a robot by name, so that kernels can take them as run-time inputs and designs can change them.

A path is "gravity"; the name of a shared parameter of the drawing, "L"; the name of a link, payload or joint and one
of its numbers: "link2.mass", "link2.com", "link2.inertia" (central, 3×3), "link2.xyz" (where its joint sits in the
parent), "link2.mount.x", "payload.mass", "joint1.armature", "wrist.rx.armature" (of one coordinate); or a part of a
link's drawing and one of its numbers: "upper/beam.x" (a dimension of its solid), "upper/beam.density",
"upper/motor.mass", "upper/motor.xyz".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.errors import ArgumentError, described, need, several, unknown
from steiner.inertia import MassProperties
from steiner.model.joint_types import Composite
from steiner.model.link import Link, Payload
from steiner.model.robot import Robot
from steiner.scalar import is_number
from steiner.spatial import Pose

BODY = ("mass", "com", "inertia")
MOUNT = ("mount.x", "mount.y", "mount.z")
NOT_NEGATIVE = ("armature", "stiffness")
NUDGE = 1e-9  # shows which numbers hang on a shared parameter


def parameter(robot: Robot, path: str) -> np.ndarray:
    """The number or array that a path names."""
    need("path", path, str)
    if path == "gravity":
        return robot.gravity
    if path in robot.parameters:
        return np.asarray(robot.parameters[path])
    owner, attribute = _owner(robot, path)
    if isinstance(owner, _Piece):
        return np.asarray(_numbers(owner.part)[attribute])
    if isinstance(owner, _Screw):
        return np.asarray(getattr(robot.joint(owner.name), attribute))
    if attribute in BODY:
        return np.asarray(getattr(owner.body, attribute))
    if attribute in MOUNT:
        return np.asarray(owner.mount.p[MOUNT.index(attribute)])
    if attribute == "xyz":
        return (owner.mount if isinstance(owner, Link) else owner.pose).p
    return np.asarray(getattr(owner.joint, attribute))


def with_parameters(robot: Robot, values: Mapping[str, Any]) -> Robot:
    """The robot with other numbers at the given paths; those that a drawing shares come first."""
    if not isinstance(values, Mapping):
        raise ArgumentError(f"parameters: expected {{path: value}}, got {described(values)}")
    shared = {path: _plain(value) for path, value in values.items() if path in robot.parameters}
    if shared and robot.design is not None:
        robot = robot.design.robot(robot, shared)
    for path, value in values.items():
        if path not in shared:
            robot = _with_parameter(robot, path, value)
    return robot


def independent(robot: Robot, paths: Sequence[str]) -> dict[str, np.ndarray]:
    """The numbers at paths that may change one without the other; one that the drawing makes of another is refused."""
    paths = several("parameters", paths, "paths")
    now = {path: np.asarray(parameter(robot, path)) for path in paths}
    for name in (path for path in paths if path in robot.parameters):
        nudged = with_parameters(robot, {name: robot.parameters[name] * (1 + NUDGE) + NUDGE})
        for path in paths:
            if path not in robot.parameters and np.any(parameter(nudged, path) != now[path]):
                raise ArgumentError(
                    f"parameters: {path!r} is made of {name!r} in the drawing of {robot.name}, so both cannot be "
                    f"inputs of one kernel; leave out one of them (without {path!r} it follows {name!r})"
                )
    return now


def _with_parameter(robot: Robot, path: str, value: Any) -> Robot:
    if path == "gravity":
        return robot.replace(gravity=value)
    owner, attribute = _owner(robot, path)
    if attribute in NOT_NEGATIVE and is_number(plain := _plain(value)) and plain < 0:
        raise ArgumentError(f"parameter {path!r}: {plain} is negative; expected 0 or more")
    if isinstance(owner, _Piece):
        link, drawing = owner.link, _redrawn(owner, attribute, value)
        owner, owner_new = link, dataclasses.replace(link, made_of=drawing, body=None)  # type: ignore[arg-type]
    elif isinstance(owner, _Screw):
        link = owner.link
        joint = link.joint.with_screw(owner.name, **{attribute: _plain(value)})
        owner, owner_new = link, dataclasses.replace(link, joint=joint)
    elif attribute in BODY:
        numbers = {name: getattr(owner.body, name) for name in BODY} | {attribute: _plain(value)}
        owner_new = dataclasses.replace(owner, body=MassProperties.trusted(**numbers))
    elif attribute in MOUNT:
        place = [*owner.mount.p]
        place[MOUNT.index(attribute)] = _plain(value)
        owner_new = dataclasses.replace(owner, mount=Pose.trusted(owner.mount.R, np.array(place)))
    elif attribute == "xyz":
        place = "mount" if isinstance(owner, Link) else "pose"
        owner_new = dataclasses.replace(owner, **{place: Pose.trusted(getattr(owner, place).R, np.asarray(value))})
    else:
        owner_new = dataclasses.replace(owner, joint=owner.joint.with_numbers(**{attribute: _plain(value)}))
    field = "links" if isinstance(owner, Link) else "payloads"
    return robot.replace(**{field: tuple(owner_new if x is owner else x for x in getattr(robot, field))})


class _Screw(NamedTuple):
    """One of the screws of a joint of several degrees."""

    link: Link
    name: str


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array


# ---- parts of drawings -----------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """A node of a link's drawing, by its path."""

    link: Link
    path: str
    part: Part | Assembly


def _numbers(part: Part | Assembly) -> dict[str, Any]:
    """The numbers of a node by name: dimensions of its solid, what its mass comes from, where it sits."""
    found: dict[str, Any] = {"xyz": part.pose.p}
    if isinstance(part, Assembly):
        return found
    if part.solid is not None:
        found |= part.solid.dimensions
    for name in ("density", "mass", "linear_density", "area_density"):
        if getattr(part, name) is not None and not part.varies:
            found[name] = getattr(part, name)
    if part.material is not None:
        found["density"] = part.material.density  # type: ignore[union-attr]
    return found


def _redrawn(piece: _Piece, attribute: str, value: Any) -> Assembly:
    part, drawing = piece.part, piece.link.made_of
    assert drawing is not None
    if attribute == "xyz":
        changes: dict[str, Any] = {"pose": Pose.trusted(part.pose.R, np.asarray(value))}
    elif attribute in ("density", "mass", "linear_density", "area_density"):
        changes = {attribute: _plain(value), **({"material": None} if attribute == "density" else {})}
    else:
        changes = {"solid": part.solid.resized(**{attribute: _plain(value)})}  # type: ignore[union-attr]
    return drawing.replaced(piece.path, **changes)


def _piece(robot: Robot, name: str) -> _Piece | None:
    """The node that "link/element/part" names, if the link has a drawing."""
    link_name, slash, path = name.partition("/")
    link = next((link for link in robot.links if link.name == link_name), None)
    if not slash or link is None:
        return None
    if link.made_of is None:
        drawn = [link.name for link in robot.links if link.made_of is not None]
        told = f"links with a drawing: {', '.join(drawn)}" if drawn else "no link of this robot has one"
        raise ArgumentError(f"parameter {name!r}: link {link_name!r} has no drawing (made_of=); {told}")
    node = link.made_of.find(path)
    return _Piece(link, node.path.partition("/")[2], node.part)


def _owner(robot: Robot, path: str) -> tuple[Any, str]:
    """What a path names; a link comes before a payload of its name, and neither hides a joint."""
    if not isinstance(path, str):
        raise ArgumentError(f"parameter {described(path)}: expected a path such as 'link2.mass'")
    name, dot, attribute = path.rpartition(".")
    if name.endswith(".mount"):
        name, attribute = name.removesuffix(".mount"), f"mount.{attribute}"
    owners: dict[str, dict[str, Link | Payload | _Screw]] = {}
    for link in robot.links:
        joint = link.joint
        for screw in joint.screws():
            owners.setdefault(screw.name, {}).update(dict.fromkeys(screw.NUMERIC, _Screw(link, screw.name)))
        if joint.moves and not isinstance(joint, Composite):
            owners.setdefault(joint.name, {}).update(dict.fromkeys(joint.NUMERIC, link))
    for payload in robot.payloads:
        owners.setdefault(payload.name, {}).update(dict.fromkeys((*BODY, "xyz"), payload))
    for link in robot.links:
        owners.setdefault(link.name, {}).update(dict.fromkeys((*BODY, "xyz", *MOUNT), link))
    if path in owners:
        raise ArgumentError(f"parameter {path!r}: which number of it? {', '.join(f'{path}.{k}' for k in owners[path])}")
    piece = None if name in owners else _piece(robot, name or path)
    if piece is not None:
        known = _numbers(piece.part)
        if not dot or attribute not in known:
            raise ArgumentError(f"parameter {path!r}: " + unknown("number", attribute, known, name or path))
        return piece, attribute
    if name == "gravity" or name in robot.parameters:
        raise ArgumentError(f"parameter {path!r}: {name} is a parameter as a whole; expected {name!r}")
    if not dot or name not in owners:
        known = ["gravity", *robot.parameters, *owners]
        raise ArgumentError(f"parameter {path!r}: " + unknown("owner", name or path, known, robot.name))
    if attribute not in owners[name]:
        raise ArgumentError(f"parameter {path!r}: " + unknown("number", attribute, owners[name], name))
    return owners[name][attribute], attribute
