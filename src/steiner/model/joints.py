"""Joints.  Every one is a screw about its axis: it turns by `turn`·x and slides by `slide`·x.

A new type is one class that says its `screw` and which fields of its own are NUMERIC, and one line in the table of
`steiner.model.joint_types`; algorithms never ask for the type.  A joint's own value is x = multiplier · q[k] + offset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Self, final

import numpy as np

from steiner.errors import ModelError, described
from steiner.model.friction import Friction
from steiner.records import record, twin
from steiner.scalar import Frozen, are_floats, brief, is_number, is_symbolic, is_zero, numbers
from steiner.spatial import Pose, rotation_to, rotation_z, unit, warn_of_degrees


class JointLimits(NamedTuple):
    """What a joint may do: position range, speed and effort (rad or m, N m or N); None if not stated."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


def checked_limits(limits: Any, what: str) -> JointLimits | None:
    """Limits, or (lower, upper), (lower, upper, velocity, effort) as limits; what cannot be is refused."""
    if limits is None:
        return None
    try:
        lower, upper, *rest = limits
        found = JointLimits(lower, upper, *rest)
    except Exception:  # no limits, or something that raises when it is read
        raise ModelError(
            f"{what}: limits are {described(limits)}; expected JointLimits(lower, upper, velocity, effort) or a pair"
        ) from None
    for name, value in zip(found._fields, found, strict=True):
        if value is not None and not is_symbolic(value):
            (value,) = numbers(f"{what}: {name} limit", value)
            if name in ("velocity", "effort") and value < 0:
                raise ModelError(f"{what}: {name} limit {brief(value)} is negative; expected its size")
    if is_number(found.lower) and is_number(found.upper) and found.lower > found.upper:  # type: ignore[operator]
        raise ModelError(f"{what}: lower limit {brief(found.lower)} exceeds the upper one {brief(found.upper)}")
    return found


@record(eq=False, kw_only=True)
class Joint(Frozen):
    """A joint on the z axis of nothing but its own: `axis` is in the joint's frame, which lies on it.

    `armature` is the reflected rotor inertia G²J_m.  A spring of `stiffness` k (N m/rad, N/m) pulls the joint's value x
    to `rest` with k (x − rest).  A joint that `follows` another shares that joint's coordinate (a coupled mimic joint).
    """

    NUMERIC: ClassVar[tuple[str, ...]] = ("armature", "stiffness", "rest", "multiplier", "offset")  # of any kind

    name: str = ""
    axis: Any = (0.0, 0.0, 1.0)
    armature: Any = 0.0
    stiffness: Any = 0.0
    rest: Any = 0.0
    friction: Friction | None = None
    limits: JointLimits | None = None
    multiplier: Any = 1.0
    offset: Any = 0.0
    follows: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ModelError(f"a joint's name is a word, got {described(self.name)}")
        what = f"joint {self.name!r}" if self.name else "joint"
        if self.follows is not None and not isinstance(self.follows, str):
            raise ModelError(f"{what}: follows is the name of a joint, got {described(self.follows)}")
        object.__setattr__(self, "axis", unit(self.axis, f"{what}: axis"))
        given = [getattr(self, attribute) for attribute in self.NUMERIC]
        for attribute, x in () if are_floats(given) else zip(self.NUMERIC, given, strict=True):
            (value,) = numbers(f"{what}: {attribute}", x)
            object.__setattr__(self, attribute, value)
        if self.friction is not None and not isinstance(self.friction, Friction):
            raise ModelError(f"{what}: friction is {described(self.friction)}; expected a model such as Viscous(0.1)")
        object.__setattr__(self, "limits", checked_limits(self.limits, what))
        if is_number(self.armature) and self.armature < 0:
            raise ModelError(f"{what}: armature {self.armature} is negative; it is the reflected rotor inertia G²J")
        if is_number(self.stiffness) and self.stiffness < 0:
            raise ModelError(f"{what}: stiffness {self.stiffness} is negative; a spring pulls back")
        if is_zero(self.multiplier):
            raise ModelError(f"{what}: multiplier 0 never moves; use a fixed joint")

    def screw(self) -> tuple[Any, Any]:
        """Angle (rad) and travel along the axis (m) per unit of the joint's value; of a joint with one coordinate."""
        kind = f"{type(self).__name__} {self.name!r}"
        if type(self).screws is Joint.screws:
            raise TypeError(f"{kind} states neither its screw nor its screws")
        names = ", ".join(screw.name for screw in self.screws())
        raise ModelError(f"{kind} has several degrees of freedom; ask one of its screws: {names}")

    @property
    def turn(self) -> Any:
        """Angle per unit of the joint's value."""
        return self.screw()[0]

    @property
    def slide(self) -> Any:
        """Travel along the axis per unit of the joint's value, metres."""
        return self.screw()[1]

    def screws(self) -> tuple[Joint, ...]:
        """The joint as screws in a row, each with one coordinate: itself, unless it has several degrees of freedom.

        All turn about (slide along) axes through one frame; one of several is named after the joint and what it
        does: `wrist.rx`.
        """
        return (self,)

    @property
    def moves(self) -> bool:
        """Whether the joint has a coordinate."""
        return bool(self.screws())

    @property
    def S(self) -> np.ndarray:
        """Unit twist (ω, v) in the joint's frame."""
        return np.concatenate([self.axis * self.turn, self.axis * self.slide])

    def mapped(self, of: Callable[[Any], Any]) -> Joint:
        """The joint with every number x replaced by of(x)."""
        numeric = {name: of(getattr(self, name)) for name in self.NUMERIC}
        friction = self.friction.mapped(of) if self.friction else None
        return self.with_numbers(axis=np.frompyfunc(of, 1, 1)(self.axis), friction=friction, **numeric)

    def with_numbers(self, **numbers: Any) -> Self:
        """A copy with other numbers, of any kind, that need no check."""
        return twin(self, **numbers)

    def with_screw(self, name: str, **numbers: Any) -> Self:
        """A copy one of whose screws has other numbers, of any kind, that need no check."""
        return self.with_numbers(**numbers)

    def pose(self, value: Any) -> Pose:
        """Pose of the moved frame in the rest frame at the joint's own value x."""
        A = rotation_to(self.axis)
        return Pose.trusted(A @ rotation_z(self.turn * value) @ A.T, self.axis * (self.slide * value))


@final
@record(eq=False, kw_only=True)
class Revolute(Joint):
    """Turns about its axis (URDF's revolute and continuous)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"joint {self.name!r}" if self.name else "joint"
        warn_of_degrees(f"{what}: offset", self.offset)
        warn_of_degrees(f"{what}: rest", self.rest)
        warn_of_degrees(f"{what}: limits", *(self.limits or ())[:2])

    def screw(self) -> tuple[Any, Any]:
        """Turns only."""
        return 1, 0


@final
@record(eq=False, kw_only=True)
class Prismatic(Joint):
    """Slides along its axis."""

    def screw(self) -> tuple[Any, Any]:
        """Slides only."""
        return 0, 1


@final
@record(eq=False, kw_only=True)
class Helical(Joint):
    """Turns about its axis and advances `pitch` metres per radian (lead / 2π)."""

    NUMERIC = (*Joint.NUMERIC, "pitch")

    pitch: Any = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        (pitch,) = numbers(f"joint {self.name!r}: pitch", self.pitch)
        object.__setattr__(self, "pitch", pitch)

    def screw(self) -> tuple[Any, Any]:
        """Turns, and slides by its pitch."""
        return 1, self.pitch


@final
@record(eq=False, kw_only=True)
class Fixed(Joint):
    """Holds the link rigidly; it has no coordinate."""

    def screw(self) -> tuple[Any, Any]:
        """Neither turns nor slides."""
        return 0, 0

    def screws(self) -> tuple[Joint, ...]:
        """None."""
        return ()


def coordinates(joints: Sequence[Joint]) -> tuple[str, ...]:
    """Names of the coordinates: the screws of all joints that follow no other, in order."""
    return tuple(screw.name for joint in joints for screw in joint.screws() if screw.follows is None)
