"""Joint types.  Every joint is a screw about its axis: it turns by `turn`·x and slides by `slide`·x.

A new type is one class that says its `screw`, and one line in `JOINTS`; algorithms never
ask for the type.  The joint's own value is x = multiplier · q[k] + offset.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, final

import numpy as np

from steiner.errors import ModelError
from steiner.friction import Friction
from steiner.scalar import is_number, is_zero, numbers
from steiner.spatial import Pose, rotation_to, rotation_z, unit

# the fields of a joint that may be any kind of number
NUMERIC = ("armature", "multiplier", "offset", "pitch")


class Limits(NamedTuple):
    """What a joint may do: position range, speed and effort (rad or m, N m or N); None if not stated."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint(ABC):
    """A joint on the z axis of nothing but its own: `axis` is in the joint's frame, which lies on it.

    `armature` is the reflected rotor inertia G²J_m.  A joint that `follows` another shares that
    joint's coordinate (a coupled mimic joint).
    """

    name: str = ""
    axis: Any = (0.0, 0.0, 1.0)
    armature: Any = 0.0
    friction: Friction | None = None
    limits: Limits | None = None
    multiplier: Any = 1.0
    offset: Any = 0.0
    follows: str | None = None

    def __post_init__(self) -> None:
        what = f"joint {self.name!r}" if self.name else "joint"
        object.__setattr__(self, "axis", unit(self.axis, f"{what}: axis"))
        for attribute in ("armature", "multiplier", "offset"):
            (value,) = numbers(f"{what}: {attribute}", getattr(self, attribute))
            object.__setattr__(self, attribute, value)
        if is_number(self.armature) and self.armature < 0:
            raise ModelError(f"{what}: armature {self.armature} is negative; it is the reflected rotor inertia G²J")
        if is_zero(self.multiplier):
            raise ModelError(f"{what}: multiplier 0 never moves; use a fixed joint")

    @abstractmethod
    def screw(self) -> tuple[Any, Any]:
        """Angle (rad) and travel along the axis (m) per unit of the joint's value."""

    @property
    def turn(self) -> Any:
        """Angle per unit of the joint's value."""
        return self.screw()[0]

    @property
    def slide(self) -> Any:
        """Travel along the axis per unit of the joint's value, metres."""
        return self.screw()[1]

    @property
    def moves(self) -> bool:
        """Whether the joint has a coordinate."""
        return True

    @property
    def S(self) -> np.ndarray:
        """Unit twist (ω, v) in the joint's frame."""
        return np.concatenate([self.axis * self.turn, self.axis * self.slide])

    def mapped(self, of: Callable[[Any], Any]) -> Joint:
        """The joint with every number x replaced by of(x)."""
        numeric = {f.name: of(getattr(self, f.name)) for f in fields(self) if f.name in NUMERIC}
        friction = self.friction.mapped(of) if self.friction else None
        twin = replace(self, friction=friction)
        for name, value in ({"axis": np.frompyfunc(of, 1, 1)(self.axis)} | numeric).items():
            object.__setattr__(twin, name, value)  # already checked; symbols need no second look
        return twin

    def pose(self, value: Any) -> Pose:
        """Pose of the moved frame in the rest frame at the joint's own value x."""
        A = rotation_to(self.axis)
        return Pose.trusted(A @ rotation_z(self.turn * value) @ A.T, self.axis * (self.slide * value))


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Revolute(Joint):
    """Turns about its axis (URDF's revolute and continuous)."""

    def screw(self) -> tuple[Any, Any]:
        """Turns only."""
        return 1, 0


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Prismatic(Joint):
    """Slides along its axis."""

    def screw(self) -> tuple[Any, Any]:
        """Slides only."""
        return 0, 1


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Helical(Joint):
    """Turns about its axis and advances `pitch` metres per radian (lead / 2π)."""

    pitch: Any = field(default=0.0)

    def screw(self) -> tuple[Any, Any]:
        """Turns, and slides by its pitch."""
        return 1, self.pitch


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Fixed(Joint):
    """Holds the link rigidly; it has no coordinate."""

    def screw(self) -> tuple[Any, Any]:
        """Neither turns nor slides."""
        return 0, 0

    @property
    def moves(self) -> bool:
        """Never."""
        return False


JOINTS: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "helical": Helical,
    "fixed": Fixed,
}
