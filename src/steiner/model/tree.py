"""What algorithms read of a robot: bodies on screws, where the links are in them, what they carry, and gravity.

A tree is frozen.  Its bodies are one per moving screw, everything rigidly fixed to it lumped in; a body's frame lies
on its joint's axis, z along it, so each joint is a screw about z.  Preparation (`steiner.kernels.prepare`) makes
equivalent trees of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steiner.errors import ArgumentError, is_one_of, unknown
from steiner.inertia import MassProperties
from steiner.inertia.moments import NO_MOMENTS, Moments
from steiner.model.joints import Joint, coordinates
from steiner.model.link import Link, Payload
from steiner.records import record, replace
from steiner.scalar import Frozen, any_symbolic, is_zero
from steiner.spatial import IDENTITY, ZERO, Pose, rotation_to

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly

GROUND = -1


class Place(NamedTuple):
    """Where a link is: the index of its body (GROUND if it cannot move) and its pose in it."""

    body: int
    pose: Pose


@record(eq=False)
class Body(Frozen):
    """A moving body: its joint is a screw about z of the frame that `mount` places in the parent body."""

    name: str
    parent: int
    mount: Pose
    joint: Joint
    index: int  # of its coordinate
    moments: Moments
    frame: Pose  # of the moving link, in the body
    between: bool = False  # one of several screws of a joint that no link is fixed to
    rise: Any = 0  # along the axis, from the mount to where the body is when the screw's own slide is 0


@record(eq=False)
class Load:
    """What a link carries: its own body, with the drawing if there is one, or a payload."""

    link: str
    body: MassProperties
    pose: Pose = IDENTITY  # in the link
    payload: str | None = None
    made_of: Assembly | None = None


@record(eq=False)
class Tree(Frozen):
    """Bodies on screws, places of links, loads and gravity."""

    name: str
    joint_names: tuple[str, ...]
    bodies: tuple[Body, ...]
    places: Mapping[str, Place]
    loads: tuple[Load, ...]
    gravity: np.ndarray

    @property
    def tree(self) -> Tree:
        """Itself: what takes a robot takes its tree too."""
        return self

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.joint_names)

    @property
    def link_names(self) -> tuple[str, ...]:
        """All links, parents before children."""
        return tuple(self.places)

    @property
    def tip(self) -> str:
        """The last link."""
        return self.link_names[-1]

    @property
    def is_coupled(self) -> bool:
        """Whether some joints share a coordinate."""
        return len(self.bodies) > self.n

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether any number is a symbol."""
        values: list[Any] = [self.gravity]
        for body in self.bodies:
            joint = body.joint
            values += [body.mount.R, body.mount.p, *body.moments, body.frame.R, body.frame.p]
            values += [getattr(joint, name) for name in (*joint.NUMERIC, "turn", "slide")]
            values += [*joint.friction.coefficients] if joint.friction else []
        return any_symbolic(*values)

    def place(self, link: str) -> Place:
        """Body and pose of a link, by name."""
        if not is_one_of(link, self.places):
            raise ArgumentError(unknown("link", link, self.places, self.name))
        return self.places[link]

    def moments(self, loads: Iterable[Load]) -> dict[int, Moments]:
        """Moments of some loads per body, about its frame's origin (key GROUND: what cannot move)."""
        return lumped(self.places, loads)

    def replace(self, **changes: Any) -> Tree:
        """The same tree with other bodies, places, loads or gravity."""
        return replace(self, **changes)

    def weightless(self) -> Tree:
        """The same tree where nothing falls and no spring pulls."""
        return self.springless().replace(gravity=ZERO)  # exact: 0.0 would enter formulas

    def springless(self) -> Tree:
        """The same tree where no spring pulls."""
        if all(is_zero(body.joint.stiffness) for body in self.bodies):
            return self
        slack = (replace(body, joint=body.joint.with_numbers(stiffness=0)) for body in self.bodies)
        return self.replace(bodies=tuple(slack))

    def carrying(self, moments: Mapping[int, Moments]) -> Tree:
        """The same joints moving other masses: those given per body, nothing elsewhere; no rotors, no springs."""
        bare = (body.joint.with_numbers(armature=0, stiffness=0) for body in self.bodies)
        bodies = (
            replace(body, joint=joint, moments=moments.get(i, NO_MOMENTS))
            for i, (body, joint) in enumerate(zip(self.bodies, bare, strict=True))
        )
        return self.replace(bodies=tuple(bodies))

    def text_of(self, algorithm: Any) -> tuple[Callable[..., Any], Tree]:
        """Which text of an algorithm to run on which tree: a prepared tree knows cheaper ones."""
        return algorithm.function, self


def lumped(places: Mapping[str, Place], loads: Iterable[Load]) -> dict[int, Moments]:
    """Moments of some loads per body, about its frame's origin (key GROUND: what cannot move)."""
    result = {place.body: NO_MOMENTS for place in places.values()} | {GROUND: NO_MOMENTS}
    for load in loads:
        if not all(is_zero(x) for x in (load.body.mass, *np.ravel(load.body.inertia))):
            body, pose = places[load.link]
            result[body] = result[body] + load.body.moments.moved(pose @ load.pose)
    return result


# ---- from the declaration: joints expanded into screws, fixed links and payloads lumped into bodies ------


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
