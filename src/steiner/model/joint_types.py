"""Joints of several degrees of freedom, and THE table of joint types.

One of several degrees of freedom says its DEGREES, or makes its `screws` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, final

from steiner.errors import ModelError, described, need, several, unknown
from steiner.model.joints import Fixed, Helical, Joint, Prismatic, Revolute
from steiner.records import field, record
from steiner.spatial import rotation_to

PER_COORDINATE = ("armature", "stiffness", "rest", "friction", "limits", "multiplier", "offset", "follows")


@record(eq=False, kw_only=True)
class Several(Joint):
    """Several degrees of freedom, one screw after the other about the axes of one frame, whose z is `axis`.

    `DEGREES` names them: "rx" turns about x, "x" slides along it.  What a joint has beside its name and axis holds for
    all its coordinates, or is given by coordinate: limits={"rx": (-1, 1)}, armature={"rx": 0.1, "ry": 0.2}.
    """

    DEGREES: ClassVar[tuple[str, ...]] = ()

    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by coordinate, where it is not the joint's

    def __post_init__(self) -> None:
        what = f"{type(self).__name__} {described(self.name)}"
        if not isinstance(self.own, Mapping) or not all(isinstance(x, Mapping) for x in self.own.values()):
            raise ModelError(f"{what}: own: expected {{coordinate: {{name: value}}}}, got {described(self.own)}")
        given = {degree: dict(values) for degree, values in self.own.items()}
        for name in PER_COORDINATE:
            stated = getattr(self, name)
            if isinstance(stated, Mapping):
                object.__setattr__(self, name, type(self).__dataclass_fields__[name].default)
                for degree, value in stated.items():
                    given.setdefault(degree, {})[name] = value
        super().__post_init__()
        for degree, values in given.items():
            if degree not in self.DEGREES:
                raise ModelError(f"{what}: " + unknown("coordinate", degree, self.DEGREES))
            checked = _kind(degree)(name=f"{self.name}.{degree}", **values)
            given[degree] = {name: getattr(checked, name) for name in values}
        object.__setattr__(self, "own", given)

    def screws(self) -> tuple[Joint, ...]:
        """One for each degree, named after the joint and what it does."""
        frame = rotation_to(self.axis)
        shared = {name: getattr(self, name) for name in PER_COORDINATE}
        return tuple(
            _kind(degree)(name=f"{self.name}.{degree}").with_numbers(
                axis=frame[:, "xyz".index(degree[-1])], **{**shared, **self.own.get(degree, {})}
            )
            for degree in self.DEGREES
        )

    def with_screw(self, name: str, **numbers: Any) -> Self:
        """A copy with other numbers of one coordinate."""
        degree = need("name", name, str).removeprefix(f"{self.name}.")
        return self.with_numbers(own={**self.own, degree: {**self.own.get(degree, {}), **numbers}})

    def mapped(self, of: Callable[[Any], Any]) -> Joint:
        """The joint with every number x replaced by of(x), those of single coordinates too."""

        def new(name: str, value: Any) -> Any:
            if name in self.NUMERIC:
                return of(value)
            return value.mapped(of) if name == "friction" and value else value

        own = {degree: {k: new(k, v) for k, v in values.items()} for degree, values in self.own.items()}
        return super().mapped(of).with_numbers(own=own)


def _kind(degree: str) -> type[Joint]:
    return Revolute if degree.startswith("r") else Prismatic


@final
@record(eq=False, kw_only=True)
class Universal(Several):
    """Turns about x, then about the y that this turn carries: `joint.rx`, `joint.ry`."""

    DEGREES = ("rx", "ry")


@final
@record(eq=False, kw_only=True)
class Cylindrical(Several):
    """Slides along its axis and turns about it: `joint.z`, `joint.rz`."""

    DEGREES = ("z", "rz")


@final
@record(eq=False, kw_only=True)
class Planar(Several):
    """Slides along x and y and turns about its axis, the normal of the plane: `joint.x`, `joint.y`, `joint.rz`."""

    DEGREES = ("x", "y", "rz")


@final
@record(eq=False, kw_only=True)
class Spherical(Several):
    """Turns in every way, by three angles about carried axes: R = Rx(`joint.rx`) Ry(`joint.ry`) Rz(`joint.rz`).

    At ry = ±π/2 the first and the last axis coincide, and M is singular without rotors.
    """

    DEGREES = ("rx", "ry", "rz")


@final
@record(eq=False, kw_only=True)
class Composite(Joint):
    """Joints in a row between two links, each carried by those before, with axes through one point.

    Each has its own name, axis and numbers, as the joints of one body in MJCF have.
    """

    joints: Sequence[Joint] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        joints = several(f"joint {self.name!r}: joints", self.joints, "joints", ModelError)
        for joint in joints:
            if not isinstance(joint, Joint) or not joint.name:
                raise ModelError(f"joint {self.name!r}: joints: expected joints with names, got {described(joint)}")
        for name in PER_COORDINATE if joints else ():
            if getattr(self, name) != type(self).__dataclass_fields__[name].default:
                raise ModelError(f"joint {self.name!r}: {name} belongs to one of its joints")
        object.__setattr__(self, "joints", joints)

    def screws(self) -> tuple[Joint, ...]:
        """Those of its joints."""
        return tuple(screw for joint in self.joints for screw in joint.screws())

    def with_screw(self, name: str, **numbers: Any) -> Self:
        """A copy with other numbers of one screw of its joints."""
        need("name", name, str)
        mine = (any(screw.name == name for screw in joint.screws()) for joint in self.joints)
        changed = (j.with_screw(name, **numbers) if has else j for j, has in zip(self.joints, mine, strict=True))
        return self.with_numbers(joints=tuple(changed))

    def mapped(self, of: Callable[[Any], Any]) -> Joint:
        """The row with every number x of its joints replaced by of(x)."""
        return super().mapped(of).with_numbers(joints=tuple(joint.mapped(of) for joint in self.joints))


JOINTS: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "helical": Helical,
    "universal": Universal,
    "cylindrical": Cylindrical,
    "planar": Planar,
    "spherical": Spherical,
    "composite": Composite,
    "fixed": Fixed,
}
