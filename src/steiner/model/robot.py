"""The robot as declared: links, payloads, gravity, and edits that give new robots.

Links are kept as declared, root and fixed ones included.  Algorithms read `robot.tree`: one body per moving screw,
everything rigidly fixed to it lumped in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steiner.doors import door
from steiner.errors import ArgumentError, ModelError, ModelWarning, described, is_one_of, several, unknown
from steiner.inertia import MassProperties
from steiner.model.joints import Fixed, Joint, coordinates
from steiner.model.link import Link, Payload
from steiner.model.methods import Methods
from steiner.model.source import Source
from steiner.records import field, names_of, record, replace
from steiner.scalar import Frozen, array, is_number, is_zero, numbers, total
from steiner.spatial import IDENTITY, Pose, warn_of_degrees
from steiner.spatial.poses import LARGEST

if TYPE_CHECKING:  # a drawing with parameters brings all shapes with it, and pages are laid out only when asked for
    from steiner.model.answers import Reach
    from steiner.model.design import Design
    from steiner.model.motion import Motion
    from steiner.model.tree import Body, Place, Tree
    from steiner.text.shown import Shown

EARTH = (0.0, 0.0, -9.81)
STRONGEST = 1000.0  # m/s²; beyond that a unit is wrong
NO_SOURCE = Source()


@record(eq=False, repr=False)
class Robot(Methods, Frozen):
    """A manipulator: links, gravity and payloads.  Nothing mutates; changing a robot gives a new one.

    The dynamics methods (`inverse_dynamics`, `mass_matrix`, …) come from the table of algorithms in
    `steiner.dynamics`; joint vectors are in the order of `joint_names`.
    """

    name: str
    links: tuple[Link, ...]
    gravity: np.ndarray = field(default_factory=lambda: np.array(EARTH))
    payloads: tuple[Payload, ...] = ()
    source: Source = NO_SOURCE
    design: Design | None = None  # the drawing with its shared parameters, if it has any

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a robot needs a name, got {described(self.name)}")
        for field_, kind in (("links", Link), ("payloads", Payload)):
            given = getattr(self, field_)
            if type(given) is not tuple:
                given = several(f"robot {self.name!r}: {field_}", given, field_, ModelError)
            wrong = next((x for x in given if not isinstance(x, kind)), None)
            if wrong is not None:
                raise ModelError(f"robot {self.name!r}: expected {field_}, got a {type(wrong).__name__}")
            object.__setattr__(self, field_, given)
        if not isinstance(self.source, Source):
            raise ModelError(f"robot {self.name!r}: source is {described(self.source)}, expected a Source")
        links = _parents_first(self.name, tuple(_with_named_joint(k) for k in self.links))
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "gravity", _gravity(self.gravity))
        _check_joints(self)
        for payload in self.payloads:
            self.link(payload.link)

    @staticmethod
    @door
    def from_dh(rows: Sequence[Any], **options: Any) -> Robot:
        """Robot of a Denavit-Hartenberg table; see `steiner.model.dh.from_dh`."""
        ...

    @staticmethod
    @door
    def from_poe(Mlist: Any, Glist: Any, Slist: Any, **options: Any) -> Robot:
        """Robot of Modern Robotics' lists; see `steiner.model.poe.from_poe`."""
        ...

    @door
    def to_poe(self) -> Any:
        """Modern Robotics' Mlist, Glist and Slist of a serial arm; see `steiner.model.conversions.to_poe`."""
        ...

    @door
    def to_dh(self, convention: str = "standard") -> Any:
        """Denavit-Hartenberg table of a serial arm; see `steiner.model.conversions.to_dh`."""
        ...

    @door
    def simulate(self, q0: Any, qd0: Any = None, duration: Any = 1.0, **options: Any) -> Motion[Robot]:
        """The motion from a state over so many seconds; see `steiner.motion.simulate.simulate`."""
        ...

    # ---- names and numbers -------------------------------------------------------------------

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """All links, parents before children."""
        return tuple(link.name for link in self.links)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates of the moving joints that follow no other, in the order of joint vectors."""
        return coordinates([link.joint for link in self.links])

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.joint_names)

    @cached_property
    def _link_of(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, name: str) -> Link:
        """The link of that name."""
        found = self._link_of.get(name) if isinstance(name, str) else None
        if found is None:
            raise ArgumentError(unknown("link", name, self.link_names, self.name))
        return found

    def joint(self, name: str) -> Joint:
        """The joint of that name, fixed and following ones included, or one screw of it ("wrist.rx")."""
        found = self._joint_of.get(name) if isinstance(name, str) else None
        if found is None:
            raise ArgumentError(unknown("joint", name, filter(None, self._joint_of), self.name))
        return found

    @cached_property
    def _joint_of(self) -> dict[str, Joint]:
        screws = {screw.name: screw for link in self.links for screw in link.joint.screws()}
        return screws | {link.joint.name: link.joint for link in self.links if link.joint.name}

    @property
    def total_mass(self) -> Any:
        """Mass of all links, the fixed base included, and of the payloads; kg."""
        return total([*(k.body.mass for k in self.links), *(p.body.mass for p in self.payloads)])

    def vector(self, values: Mapping[str, Any]) -> np.ndarray:
        """Joint vector from values by joint name; all joints are needed."""
        _need_mapping("vector", values)
        for name in values:
            if name not in self.joint_names:
                raise ArgumentError(unknown("joint", name, self.joint_names, self.name))
        missing = [name for name in self.joint_names if name not in values]
        if missing:
            raise ArgumentError(f"{self.name}: no value for {', '.join(missing)}")
        return np.stack(np.broadcast_arrays(*(array(values[k], what=k) for k in self.joint_names)), axis=-1)

    def named(self, q: Any) -> dict[str, Any]:
        """Values by joint name from a joint vector (batches keep their leading dimensions)."""
        q = array(q, what=f"{self.name}: joint values", finite=False)
        if q.ndim == 0 or q.shape[-1] != self.n:
            raise ArgumentError(f"{self.name} has {self.n} joints ({', '.join(self.joint_names)}), got shape {q.shape}")
        values = q.tolist() if q.ndim == 1 else np.moveaxis(q, -1, 0)  # plain numbers, which print as such
        return dict(zip(self.joint_names, values, strict=True))

    # ---- derived -----------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """What algorithms read."""
        from steiner.model.tree import expanded  # who loads a robot has not asked it yet

        return expanded(self.name, self.links, self.payloads, self.gravity)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """One per moving screw, parents before children, fixed links and payloads lumped in."""
        return self.tree.bodies

    @property
    def places(self) -> Mapping[str, Place]:
        """Body and pose of every link."""
        return self.tree.places

    def place(self, link: str) -> Place:
        """Body and pose of a link, by name."""
        return self.tree.place(link)

    @property
    def is_symbolic(self) -> bool:
        """Whether any number of the robot is a symbol."""
        return self.tree.is_symbolic

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from, as a view of `source` and of the links' drawings, by name."""
        drawn = {link.name: link.made_of for link in self.links if link.made_of is not None}
        return self.source.view() | ({"assemblies": drawn} if drawn else {})

    # ---- new robots --------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Robot:
        """A copy with other fields, such as gravity=."""
        known = names_of(self)
        for name in changes:
            if name not in known:
                raise ArgumentError("replace: " + unknown("field", name, known, self.name))
        if "links" in changes and "design" not in changes:
            changes["design"] = None  # links of another robot: the drawing is not theirs
        return replace(self, **changes)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Shared parameters of the drawing and their values (SI); run-time inputs of kernels by these names."""
        return {} if self.design is None else dict(self.design.values)

    @door
    def parameter(self, path: str) -> np.ndarray:
        """The number or array that a path names: "L", "upper/beam.x", "link2.mass", "gravity"."""
        ...

    @door
    def independent(self, paths: Sequence[str]) -> dict[str, np.ndarray]:
        """The numbers at paths, none of which the drawing makes of another."""
        ...

    @door
    def inverse_kinematics(
        self, pose: Any, *, link: str | None = None, q0: Any = None, restarts: int = 20, tolerance: float = 1e-10,
        steps: int = 200, seed: int = 0,
    ) -> Reach:  # fmt: skip
        """Joint values at which a link (the last by default) has a pose: `.q`, `.error`, `.reached`.

        `pose` is a Pose, a point (3,), or a batch of either; see `steiner.motion.reach.inverse_kinematics`.
        """
        ...

    @door
    def show(self, q: Any = None, *, times: Any = None, qd: Any = None, qdd: Any = None, path: Any = None) -> Shown:
        """The robot at q in a page that moves it and tells its efforts: inline in a notebook, else in the browser.

        With a row of q (and of `qd`, `qdd`) for each of the `times` it plays.  `path` writes the page there instead.
        """
        ...

    @door
    def with_parameters(self, values: Mapping[str, Any]) -> Robot:
        """The robot with other numbers, by path: {"L": 0.4, "upper/beam.x": 0.3, "link2.mass": 2.0}."""
        ...

    def mapped(self, of: Callable[[Any], Any]) -> Robot:
        """The robot with every number x replaced by of(x)."""
        each = np.frompyfunc(of, 1, 1)

        def pose(T: Pose) -> Pose:
            return Pose.trusted(each(T.R), each(T.p))

        links = tuple(link.mapped(of) for link in self.links)
        loads = tuple(replace(p, body=p.body.mapped(of), pose=pose(p.pose)) for p in self.payloads)
        return self.replace(links=links, payloads=loads, gravity=each(self.gravity))

    def locked(self, values: Mapping[str, Any]) -> Robot:
        """The robot with some joints held at the given coordinates; their links become fixed."""
        _need_mapping("locked", values)
        for name, value in values.items():
            numbers(f"locked: {name}", value)
        for name in values:
            if name not in self.joint_names:
                raise ArgumentError(unknown("joint", name, self.joint_names, self.name))
        return self.replace(links=tuple(_held(link, values) for link in self.links))

    def with_payload(
        self, body: MassProperties, *, link: str | None = None, pose: Pose = IDENTITY, name: str | None = None
    ) -> Robot:
        """The robot carrying a body, given in a frame at `pose` in the link (the last link by default)."""
        carrier = self.link(link).name if link is not None else self.links[-1].name
        taken = {p.name for p in self.payloads}
        if name is None:
            name = next(k for k in ("payload", *(f"payload{i}" for i in range(2, len(taken) + 3))) if k not in taken)
        if is_one_of(name, taken):
            raise ArgumentError(f"{self.name} already carries a payload named {name!r}; remove it or name this one")
        return self.replace(payloads=(*self.payloads, Payload(name, body, carrier, pose)))

    def without_payload(self, name: str | None = None) -> Robot:
        """The robot without its payload of that name, or without any."""
        names = [p.name for p in self.payloads]
        if name is not None and not is_one_of(name, names):
            raise ArgumentError(unknown("payload", name, names, self.name))
        return self.replace(payloads=tuple(p for p in self.payloads if name is not None and p.name != name))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names_of(self)}

    def __repr__(self) -> str:
        from steiner.text.names import terminal

        weight = f"{self.total_mass:.6g} kg" if is_number(self.total_mass) else f"{self.total_mass} kg"
        return terminal(f"<Robot {self.name}: {self.n} joints, {len(self.links)} links, {weight}>")

    def _repr_html_(self) -> str:
        from steiner.text.tables import Table, shown

        rows = [
            [k.name, k.parent or "", k.joint.name, type(k.joint).__name__.lower(), k.body.mass, k.body.com]
            for k in self.links
        ]
        rows += [[p.name, p.link, "", "payload", p.body.mass, p.body.com] for p in self.payloads]
        head = ["link", "parent", "joint", "type", "mass, kg", "centre of mass, m"]
        return Table(head, rows, caption=f"{self.name}: {self.n} joints, {shown(self.total_mass)} kg").html()


def _need_mapping(method: str, values: Any) -> None:
    if not isinstance(values, Mapping):
        raise ArgumentError(f"{method}: expected values by joint name, {{'joint1': 0.5}}, got {described(values)}")


def _with_named_joint(link: Link) -> Link:
    if link.joint.moves and not link.joint.name:
        return replace(link, joint=replace(link.joint, name=f"joint_{link.name}"))
    return link


_TOLD: set[tuple[float, ...]] = set()  # fields of gravity that are not of this world, each told of once


def _gravity(given: Any) -> np.ndarray:
    """A field that is one: on the sun it is 274 m/s², and what overflows is told here."""
    field_ = array(given, (3,), "gravity")
    if field_.dtype == np.float64 and np.abs(field_).max() > STRONGEST:
        largest = float(np.abs(field_).max())
        if largest > LARGEST:
            raise ModelError(f"gravity: {largest:g} m/s² is too large; expected at most {LARGEST:g}")
        if (values := tuple(field_.tolist())) not in _TOLD:
            _TOLD.add(values)
            text = f"gravity: {largest:g} m/s² is not of this world (9.81 on the earth, 274 on the sun); other units?"
            warnings.warn(text, ModelWarning, stacklevel=4)
    return field_


def _held(link: Link, values: Mapping[str, Any]) -> Link:
    """The link with its joint fixed where its coordinates are given."""
    screws = link.joint.screws()
    free = [s.name for s in screws if (s.follows or s.name) not in values]
    if len(free) == len(screws):
        return link
    if free:
        raise ArgumentError(f"joint {link.joint.name!r} is held as a whole: give {', '.join(free)} too")
    pose = link.mount
    for screw in screws:
        value = values[screw.follows or screw.name]
        if is_zero(screw.slide):
            warn_of_degrees(f"locked: {screw.name}", value)
        pose = pose @ screw.pose(screw.multiplier * value + screw.offset)
    return replace(link, joint=Fixed(name=link.joint.name), mount=pose @ link.origin, origin=IDENTITY)


def _parents_first(name: str, links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Links in declared order, but each after its parent."""
    known: dict[str, Link] = {}
    for link in links:
        if link.name in known:
            raise ModelError(f"robot {name!r}: two links are named {link.name!r}").under("duplicate-name")
        known[link.name] = link
    placed: dict[str, Link] = {}
    for link in links:
        chain: list[Link] = []
        seen: set[str] = set()
        while link.name not in placed:
            if link.name in seen:
                named = ", ".join(k.name for k in chain)
                raise ModelError(f"robot {name!r}: links {named} form a closed loop").under("cycle")
            seen.add(link.name)
            chain.append(link)
            if link.parent is None:
                break
            if link.parent not in known:
                wrong = unknown("link", link.parent, known, name)
                raise ModelError(f"link {link.name!r}: parent: {wrong}").under("missing-link")
            link = known[link.parent]
        placed.update((k.name, k) for k in reversed(chain))
    if not placed:
        raise ModelError(f"robot {name!r} has no links")
    return tuple(placed.values())


def _check_joints(robot: Robot) -> None:
    joints: dict[str, Joint] = {}
    for link in robot.links:
        names = {link.joint.name} | {screw.name for screw in link.joint.screws()}
        for name in filter(None, names):
            if name in joints:
                raise ModelError(f"robot {robot.name!r}: two joints are named {name!r}").under("duplicate-name")
            joints[name] = link.joint
    free = set(robot.joint_names)
    for link in robot.links:
        for screw in link.joint.screws():
            if screw.follows is not None and screw.follows not in free:
                wrong = unknown("free joint", screw.follows, robot.joint_names, robot.name)
                raise ModelError(f"joint {screw.name!r} follows: {wrong}").under("missing-link")
