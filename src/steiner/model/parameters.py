"""Numbers of a robot by name, so that kernels can take them as run-time inputs.

A path is "gravity", or the name of a link, payload or joint and one of its numbers:
"link2.mass", "link2.com", "link2.inertia" (central, 3×3), "link2.xyz" (where its joint sits in the
parent), "payload.mass", "joint1.armature".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described, unknown
from steiner.inertia import MassProperties
from steiner.model.link import Link, Payload
from steiner.model.robot import Robot
from steiner.spatial import Pose

BODY = ("mass", "com", "inertia")


def parameter(robot: Robot, path: str) -> np.ndarray:
    """The number or array that a path names."""
    if path == "gravity":
        return robot.gravity
    owner, attribute = _owner(robot, path)
    if attribute in BODY:
        return np.asarray(getattr(owner.body, attribute))
    if attribute == "xyz":
        return (owner.mount if isinstance(owner, Link) else owner.pose).p
    return np.asarray(getattr(owner.joint, attribute))


def with_parameters(robot: Robot, values: Mapping[str, Any]) -> Robot:
    """The robot with other numbers at the given paths."""
    for path, value in values.items():
        robot = _with_parameter(robot, path, value)
    return robot


def _with_parameter(robot: Robot, path: str, value: Any) -> Robot:
    if path == "gravity":
        return robot.replace(gravity=value)
    owner, attribute = _owner(robot, path)
    if attribute in BODY:
        numbers = {name: getattr(owner.body, name) for name in BODY} | {attribute: _plain(value)}
        owner_new = dataclasses.replace(owner, body=MassProperties.trusted(**numbers))
    elif attribute == "xyz":
        place = "mount" if isinstance(owner, Link) else "pose"
        owner_new = dataclasses.replace(owner, **{place: Pose.trusted(getattr(owner, place).R, np.asarray(value))})
    else:
        owner_new = dataclasses.replace(owner, joint=owner.joint.with_numbers(**{attribute: _plain(value)}))
    field = "links" if isinstance(owner, Link) else "payloads"
    return robot.replace(**{field: tuple(owner_new if x is owner else x for x in getattr(robot, field))})


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array


def _owner(robot: Robot, path: str) -> tuple[Any, str]:
    """What a path names; a link comes before a payload of its name, and neither hides a joint."""
    if not isinstance(path, str):
        raise ArgumentError(f"parameter {described(path)}: expected a path such as 'link2.mass'")
    name, dot, attribute = path.rpartition(".")
    owners: dict[str, dict[str, Link | Payload]] = {}
    for link in robot.links:
        if link.joint.moves:
            owners.setdefault(link.joint.name, {}).update(dict.fromkeys(link.joint.NUMERIC, link))
    for thing in (*robot.payloads, *robot.links):
        owners.setdefault(thing.name, {}).update(dict.fromkeys((*BODY, "xyz"), thing))
    if path in owners:
        raise ArgumentError(f"parameter {path!r}: which number of it? {', '.join(f'{path}.{k}' for k in owners[path])}")
    if not dot or name not in owners:
        raise ArgumentError(f"parameter {path!r}: " + unknown("owner", name or path, ["gravity", *owners], robot.name))
    if attribute not in owners[name]:
        raise ArgumentError(f"parameter {path!r}: " + unknown("number", attribute, owners[name], name))
    return owners[name][attribute], attribute
