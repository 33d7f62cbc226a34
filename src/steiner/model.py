"""The robot: a tree of links, and the bodies that algorithms see.

Links are kept as declared, root and fixed ones included.  Algorithms run on derived bodies: one per
moving joint, everything rigidly fixed to it lumped in.  A body's frame lies on its joint's axis,
z along it, so each joint is a screw about z.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steiner.errors import ArgumentError, ModelError, unknown
from steiner.inertia import NO_MOMENTS, MassProperties, Moments
from steiner.joints import Fixed, Joint
from steiner.scalar import any_symbolic, array, is_number, is_zero, total
from steiner.spatial import IDENTITY, ZERO, Pose, rotation_to
from steiner.tables import html_table, shown

if TYPE_CHECKING:
    from steiner.signatures import Signatures
else:
    Signatures = object  # methods come from the table of algorithms, see steiner.methods

EARTH = (0.0, 0.0, -9.81)
GROUND = -1


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link: `mount` is the pose of its joint's frame in the parent link.

    The body is in the link's own frame, which is `origin` in the joint's moving frame (identity for
    URDF and modified DH; standard DH and products of exponentials put it elsewhere).  A link without
    a parent stands on the ground.
    """

    name: str
    parent: str | None = None
    joint: Joint = field(default_factory=Fixed)
    mount: Pose = IDENTITY
    body: MassProperties = field(default_factory=MassProperties.zero)
    origin: Pose = IDENTITY

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a link needs a name, got {self.name!r}")
        for attribute, kind in (("joint", Joint), ("mount", Pose), ("body", MassProperties), ("origin", Pose)):
            if not isinstance(getattr(self, attribute), kind):
                raise ModelError(
                    f"link {self.name!r}: {attribute} is a {type(getattr(self, attribute)).__name__}, "
                    f"expected a {kind.__name__}"
                )


@dataclass(frozen=True, eq=False)
class Payload:
    """A body carried by a link: its pose is in that link's frame."""

    name: str
    body: MassProperties
    link: str
    pose: Pose = IDENTITY


class Place(NamedTuple):
    """Where a link is: the index of its body (GROUND if it cannot move) and its pose in it."""

    body: int
    pose: Pose


@dataclass(frozen=True, eq=False)
class Body:
    """A moving body: its joint is a screw about z of the frame that `mount` places in the parent body."""

    name: str
    parent: int
    mount: Pose
    joint: Joint
    index: int
    moments: Moments
    frame: Pose  # of the moving link, in the body


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Signatures):
    """A manipulator: links, gravity and payloads.  Nothing mutates; changing a robot gives a new one.

    The dynamics methods (`inverse_dynamics`, `mass_matrix`, …) come from the table of algorithms in
    `steiner.dynamics`; joint vectors are in the order of `joint_names`.
    """

    name: str
    links: tuple[Link, ...]
    gravity: np.ndarray = field(default_factory=lambda: np.array(EARTH))
    payloads: tuple[Payload, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        links = _parents_first(self.name, tuple(_with_named_joint(k) for k in self.links))
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "gravity", array(self.gravity, (3,), "gravity"))
        object.__setattr__(self, "payloads", tuple(self.payloads))
        _check_joints(self)
        for payload in self.payloads:
            self.link(payload.link)

    @staticmethod
    def from_dh(rows: Sequence[Any], **options: Any) -> Robot:
        """Robot of a Denavit-Hartenberg table; see `steiner.dh.from_dh`."""
        from steiner.dh import from_dh

        return from_dh(rows, **options)

    @staticmethod
    def from_poe(Mlist: Any, Glist: Any, Slist: Any, **options: Any) -> Robot:
        """Robot of Modern Robotics' lists; see `steiner.poe.from_poe`."""
        from steiner.poe import from_poe

        return from_poe(Mlist, Glist, Slist, **options)

    def to_poe(self) -> Any:
        """Modern Robotics' Mlist, Glist and Slist of a serial arm; see `steiner.conversions.to_poe`."""
        from steiner.conversions import to_poe

        return to_poe(self)

    def to_dh(self, convention: str = "standard") -> Any:
        """Denavit-Hartenberg table of a serial arm; see `steiner.conversions.to_dh`."""
        from steiner.conversions import to_dh

        return to_dh(self, convention)

    # ---- names and numbers -------------------------------------------------------------------

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """All links, parents before children."""
        return tuple(link.name for link in self.links)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The moving joints that have a coordinate of their own, in the order of joint vectors."""
        return tuple(k.joint.name for k in self.links if k.joint.moves and k.joint.follows is None)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.joint_names)

    @cached_property
    def _link_of(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, name: str) -> Link:
        """The link of that name."""
        found = self._link_of.get(name)
        if found is None:
            raise ArgumentError(unknown("link", name, self.link_names, self.name))
        return found

    def joint(self, name: str) -> Joint:
        """The joint of that name, fixed and following ones included."""
        for link in self.links:
            if link.joint.name == name:
                return link.joint
        raise ArgumentError(unknown("joint", name, (k.joint.name for k in self.links if k.joint.name), self.name))

    @property
    def total_mass(self) -> Any:
        """Mass of all links, the fixed base included, and of the payloads; kg."""
        return total([*(k.body.mass for k in self.links), *(p.body.mass for p in self.payloads)])

    def vector(self, values: Mapping[str, Any]) -> np.ndarray:
        """Joint vector from values by joint name; all joints are needed."""
        for name in values:
            if name not in self.joint_names:
                raise ArgumentError(unknown("joint", name, self.joint_names, self.name))
        missing = [name for name in self.joint_names if name not in values]
        if missing:
            raise ArgumentError(f"{self.name}: no value for {', '.join(missing)}")
        return np.stack(np.broadcast_arrays(*(array(values[k], what=k) for k in self.joint_names)), axis=-1)

    def named(self, q: Any) -> dict[str, Any]:
        """Values by joint name from a joint vector (batches keep their leading dimensions)."""
        q = np.asarray(q)
        if q.ndim == 0 or q.shape[-1] != self.n:
            raise ArgumentError(f"{self.name} has {self.n} joints ({', '.join(self.joint_names)}), got shape {q.shape}")
        return {name: q[..., k] for k, name in enumerate(self.joint_names)}

    # ---- derived -----------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[str, Place]:
        """Body and pose of every link."""
        places: dict[str, Place] = {}
        count = 0
        for link in self.links:
            parent = places[link.parent] if link.parent is not None else Place(GROUND, IDENTITY)
            if link.joint.moves:
                turned = Pose.trusted(rotation_to(link.joint.axis).T, ZERO)
                places[link.name] = Place(count, turned @ link.origin)
                count += 1
            else:
                places[link.name] = Place(parent.body, parent.pose @ link.mount @ link.origin)
        return places

    def place(self, link: str) -> Place:
        """Body and pose of a link, by name."""
        self.link(link)
        return self.places[link]

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """One per moving joint, parents before children, fixed links and payloads lumped in."""
        moments = self.lumped(p.name for p in self.payloads)
        bodies: list[Body] = []
        for link in self.links:
            if not link.joint.moves:
                continue
            up = self.places[link.parent] if link.parent is not None else Place(GROUND, IDENTITY)
            axis = Pose.trusted(rotation_to(link.joint.axis), ZERO)
            index = self.joint_names.index(link.joint.follows or link.joint.name)
            bodies.append(
                Body(
                    link.name, up.body, up.pose @ link.mount @ axis, link.joint, index,
                    moments[len(bodies)], self.places[link.name].pose,
                )
            )  # fmt: skip
        return tuple(bodies)

    def lumped(self, payloads: Iterable[str] = ()) -> dict[int, Moments]:
        """Moments per body about its frame's origin (key GROUND: what cannot move)."""
        carried = set(payloads)
        result = {place.body: NO_MOMENTS for place in self.places.values()} | {GROUND: NO_MOMENTS}
        loads = [(k.body, self.places[k.name]) for k in self.links]
        for p in self.payloads:
            if p.name in carried:
                body, pose = self.places[p.link]
                loads.append((p.body, Place(body, pose @ p.pose)))
        for load, (body, pose) in loads:
            if not all(is_zero(x) for x in (load.mass, *np.ravel(load.inertia))):
                result[body] = result[body] + load.moments.moved(pose)
        return result

    @cached_property
    def is_coupled(self) -> bool:
        """Whether some joints share a coordinate."""
        return any(link.joint.follows for link in self.links)

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether any number of the robot is a symbol."""
        values = [self.gravity]
        for body in self.bodies:
            joint = body.joint
            values += [body.mount.R, body.mount.p, *body.moments, body.frame.R, body.frame.p]
            values += [joint.armature, joint.multiplier, joint.offset, joint.slide]
            values += [*joint.friction.coefficients] if joint.friction else []
        return any_symbolic(*values)

    # ---- new robots --------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Robot:
        """A copy with other fields, such as gravity=."""
        return dataclasses.replace(self, **changes)

    def mapped(self, of: Callable[[Any], Any]) -> Robot:
        """The robot with every number x replaced by of(x)."""
        each = np.frompyfunc(of, 1, 1)

        def pose(T: Pose) -> Pose:
            return Pose.trusted(each(T.R), each(T.p))

        def body(b: MassProperties) -> MassProperties:
            return MassProperties.trusted(of(b.mass), each(b.com), each(b.inertia))

        links = tuple(
            dataclasses.replace(
                k, joint=k.joint.mapped(of), mount=pose(k.mount), body=body(k.body), origin=pose(k.origin)
            )
            for k in self.links
        )
        loads = tuple(dataclasses.replace(p, body=body(p.body), pose=pose(p.pose)) for p in self.payloads)
        return self.replace(links=links, payloads=loads, gravity=each(self.gravity))

    def with_bodies(self, bodies: Iterable[Body], places: Mapping[str, Place] | None = None) -> Robot:
        """The same robot for algorithms that should see other, equivalent bodies (and links placed in them)."""
        twin = dataclasses.replace(self)
        twin.__dict__["places"] = self.places if places is None else dict(places)
        twin.__dict__["bodies"] = tuple(bodies)
        return twin

    def weightless(self) -> Robot:
        """The same robot, with the bodies it shows to algorithms, where nothing falls."""
        twin = self.with_bodies(self.bodies, self.places)
        twin.__dict__["gravity"] = np.zeros(3, dtype=int)
        return twin

    def locked(self, values: Mapping[str, Any]) -> Robot:
        """The robot with some joints held at the given coordinates; their links become fixed."""
        for name in values:
            if name not in self.joint_names:
                raise ArgumentError(unknown("joint", name, self.joint_names, self.name))
        links = []
        for link in self.links:
            joint = link.joint
            key = joint.follows or joint.name
            if joint.moves and key in values:
                held = link.mount @ joint.pose(joint.multiplier * values[key] + joint.offset) @ link.origin
                link = dataclasses.replace(link, joint=Fixed(name=joint.name), mount=held, origin=IDENTITY)
            links.append(link)
        return self.replace(links=tuple(links))

    def with_payload(
        self, body: MassProperties, *, link: str | None = None, pose: Pose = IDENTITY, name: str | None = None
    ) -> Robot:
        """The robot carrying a body, given in a frame at `pose` in the link (the last link by default)."""
        carrier = self.link(link).name if link is not None else self.links[-1].name
        taken = {p.name for p in self.payloads}
        if name is None:
            name = next(k for k in ("payload", *(f"payload{i}" for i in range(2, len(taken) + 3))) if k not in taken)
        if name in taken:
            raise ArgumentError(f"{self.name} already carries a payload named {name!r}; remove it or name this one")
        return self.replace(payloads=(*self.payloads, Payload(name, body, carrier, pose)))

    def without_payload(self, name: str | None = None) -> Robot:
        """The robot without its payload of that name, or without any."""
        names = [p.name for p in self.payloads]
        if name is not None and name not in names:
            raise ArgumentError(unknown("payload", name, names, self.name))
        return self.replace(payloads=tuple(p for p in self.payloads if name is not None and p.name != name))

    def __getattr__(self, name: str) -> Any:
        """Methods of the table of algorithms, attached when first asked for."""
        if "inverse_dynamics" not in Robot.__dict__ and not name.startswith("__"):
            from steiner import methods  # noqa: F401  gives Robot its methods

            return getattr(self, name)
        raise AttributeError(f"a robot has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        weight = f"{self.total_mass:.6g} kg" if is_number(self.total_mass) else f"{self.total_mass} kg"
        return f"<Robot {self.name}: {self.n} joints, {len(self.links)} links, {weight}>"

    def _repr_html_(self) -> str:
        rows = [
            [k.name, k.parent or "", k.joint.name, type(k.joint).__name__.lower()]
            + [shown(k.body.mass), shown(k.body.com)]
            for k in self.links
        ]
        rows += [[p.name, p.link, "", "payload", shown(p.body.mass), shown(p.body.com)] for p in self.payloads]
        head = ["link", "parent", "joint", "type", "mass, kg", "centre of mass, m"]
        return html_table(head, rows, caption=f"{self.name}: {self.n} joints, {shown(self.total_mass)} kg")


def _with_named_joint(link: Any) -> Any:
    if isinstance(link, Link) and link.joint.moves and not link.joint.name:
        return dataclasses.replace(link, joint=dataclasses.replace(link.joint, name=f"joint_{link.name}"))
    return link


def _parents_first(name: str, links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Links in declared order, but each after its parent."""
    known: dict[str, Link] = {}
    for link in links:
        if not isinstance(link, Link):
            raise ModelError(f"robot {name!r}: expected links, got a {type(link).__name__}")
        if link.name in known:
            raise ModelError(f"robot {name!r}: two links are named {link.name!r}")
        known[link.name] = link
    placed: dict[str, Link] = {}
    for link in links:
        chain: list[Link] = []
        seen: set[str] = set()
        while link.name not in placed:
            if link.name in seen:
                raise ModelError(f"robot {name!r}: links {', '.join(k.name for k in chain)} form a closed loop")
            seen.add(link.name)
            chain.append(link)
            if link.parent is None:
                break
            if link.parent not in known:
                raise ModelError(f"link {link.name!r}: parent: " + unknown("link", link.parent, known, name))
            link = known[link.parent]
        placed.update((k.name, k) for k in reversed(chain))
    if not placed:
        raise ModelError(f"robot {name!r} has no links")
    return tuple(placed.values())


def _check_joints(robot: Robot) -> None:
    joints: dict[str, Joint] = {}
    for link in robot.links:
        joint = link.joint
        if joint.name:
            if joint.name in joints:
                raise ModelError(f"robot {robot.name!r}: two joints are named {joint.name!r}")
            joints[joint.name] = joint
    for name, joint in joints.items():
        if joint.follows is not None:
            leader = joints.get(joint.follows)
            if leader is None or not leader.moves or leader.follows is not None:
                free = [k for k, j in joints.items() if j.moves and j.follows is None]
                raise ModelError(f"joint {name!r} follows: " + unknown("free joint", joint.follows, free, robot.name))
