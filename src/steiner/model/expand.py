"""From the declaration to the tree: joints expanded into screws, fixed links and payloads lumped into bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steiner.inertia.moments import NO_MOMENTS
from steiner.model.joints import Joint
from steiner.model.link import Link, Payload
from steiner.model.tree import GROUND, Body, Load, Place, Tree, lumped
from steiner.spatial import IDENTITY, ZERO, Pose, rotation_to


def coordinates(joints: Sequence[Joint]) -> tuple[str, ...]:
    """Names of the coordinates: the screws of all joints that follow no other, in order."""
    return tuple(screw.name for joint in joints for screw in joint.screws() if screw.follows is None)


def expanded(name: str, links: Sequence[Link], payloads: Sequence[Payload], gravity: np.ndarray) -> Tree:
    """The tree of a robot.

    A joint gives one body per screw, each on the one before; the link is fixed to the last of them.
    """
    names = coordinates([link.joint for link in links])
    index = {joint: k for k, joint in enumerate(names)}
    places: dict[str, Place] = {}
    bodies: list[Body] = []
    for link in links:
        parent, seat = places[link.parent] if link.parent is not None else Place(GROUND, IDENTITY)
        seat = seat @ link.mount
        for screw in link.joint.screws():
            axis = rotation_to(screw.axis)
            mount, seat = seat @ Pose.trusted(axis, ZERO), Pose.trusted(axis.T, ZERO)
            coordinate = index[screw.follows or screw.name]
            bodies.append(Body(screw.name, parent, mount, screw, coordinate, NO_MOMENTS, seat, between=True))
            parent = len(bodies) - 1
        places[link.name] = Place(parent, seat @ link.origin)
        if link.joint.moves:
            bodies[-1] = replace(bodies[-1], name=link.name, frame=places[link.name].pose, between=False)
    loads = (
        *(Load(link.name, link.body, made_of=link.made_of) for link in links),
        *(Load(payload.link, payload.body, payload.pose, payload.name) for payload in payloads),
    )
    moments = lumped(places, loads)
    lumps = tuple(replace(body, moments=moments.get(i, NO_MOMENTS)) for i, body in enumerate(bodies))
    return Tree(name, names, lumps, places, loads, gravity)
