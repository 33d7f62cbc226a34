"""What there is to see, said once for every painter: bodies with shapes, frames, marks, arrows, paths; over time.

Items are in the frame of their actor; an actor has one pose, or one for each of the scene's times.  Painters
(`scene.strokes` for SVG, PNG and PDF, `scene.page` for pages) read nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from steiner.inertia import MassProperties
from steiner.model.robot import Robot
from steiner.spatial import IDENTITY, Pose

INK, GREY, CAVITY = "#1d2733", "#6b7785", "#c0392b"
AXES = ("#c0392b", "#27864b", "#2c5fa8")  # x, y, z; or the principal axes from the smallest moment to the largest
FORCE, MOMENT, PATH = "#8e44ad", "#b7651a", "#0b7a75"
PALETTE = ("#5b8cc0", "#e1a13a", "#5a9367", "#b5678b", "#8278bd", "#bf7a50", "#55a3b0", "#9a9a52")


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """A closed surface of triangles, outward normals; `ghost` shows its creases only, dashed: what was taken away."""

    vertices: np.ndarray
    faces: np.ndarray
    colour: str = PALETTE[0]
    opacity: float = 1.0
    name: str = ""
    ghost: bool = False
    body: MassProperties | None = None  # of this surface alone, in the actor's frame


@final
@dataclass(frozen=True, eq=False)
class Line:
    """A polyline; `front` draws it over everything."""

    points: np.ndarray
    colour: str = INK
    width: float = 1.2  # pixels
    dashed: bool = False
    opacity: float = 1.0
    name: str = ""
    front: bool = False


@final
@dataclass(frozen=True, eq=False)
class Dot:
    """A mark at a point, over everything; a `centre` of mass is a quartered circle."""

    at: np.ndarray
    colour: str = INK
    radius: float = 4.0  # pixels
    name: str = ""
    label: str = ""
    centre: bool = False


@final
@dataclass(frozen=True, eq=False)
class Arrow:
    """From a point along a vector; a `turning` one (a moment) has two heads."""

    start: np.ndarray
    vector: np.ndarray
    colour: str = FORCE
    width: float = 1.8
    label: str = ""
    name: str = ""
    turning: bool = False


Item = Surface | Line | Dot | Arrow


@final
@dataclass(frozen=True, eq=False)
class Actor:
    """A rigid thing: items in its frame, and where the frame is: a pose, or one for each time (leading dimension).

    Painters that can be asked tell the numbers of its `body`.
    """

    name: str
    items: tuple[Item, ...]
    pose: Pose = IDENTITY
    body: MassProperties | None = None

    def at(self, k: int) -> Pose:
        """The pose at one of the times."""
        still = self.pose.p.ndim == 1
        return self.pose if still else Pose.trusted(self.pose.R[k], self.pose.p[k])


@final
@dataclass(frozen=True, eq=False)
class Moving:
    """The robot that a scene shows, for painters that compute: its state at each time (rows), and how it is drawn."""

    robot: Robot
    q: np.ndarray
    qd: np.ndarray | None
    qdd: np.ndarray | None
    drawn: Callable[[Robot], Scene]


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """Actors under a title; `up` is drawn upwards, `towards` points from the scene to who looks (None: from above)."""

    title: str
    actors: tuple[Actor, ...]
    notes: tuple[str, ...] = ()
    times: np.ndarray = field(default_factory=lambda: np.zeros(1))
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    towards: tuple[float, float, float] | None = None
    moving: Moving | None = None

    def placed(self, k: int = 0) -> Iterator[Item]:
        """Every item in the world, at one of the times."""
        for actor in self.actors:
            pose = actor.at(k)
            yield from (moved(item, pose) for item in actor.items)

    def with_actors(self, actors: Sequence[Actor]) -> Scene:
        """The scene with more to see."""
        return replace(self, actors=(*self.actors, *actors))

    def with_surfaces(self, made: Callable[[Surface], Surface]) -> Scene:
        """The scene with every surface made another."""
        return replace(self, actors=tuple(
            replace(actor, items=tuple(made(item) if isinstance(item, Surface) else item for item in actor.items))
            for actor in self.actors
        ))  # fmt: skip

    @property
    def size(self) -> float:
        """The longest side of the box around everything, at all times."""
        seen = [points_of(item) for k in range(len(self.times)) for item in self.placed(k)]
        points = np.vstack([np.zeros((0, 3)), *seen])
        return float(np.ptp(points, axis=0).max()) or 1.0 if len(points) else 1.0


def moved(item: Item, pose: Pose) -> Item:
    """An item seen from the frame in which its own has this pose."""
    if pose is IDENTITY:
        return item
    match item:
        case Surface():
            return replace(item, vertices=pose.apply(item.vertices))
        case Line():
            return replace(item, points=pose.apply(item.points))
        case Dot():
            return replace(item, at=pose.apply(item.at))
        case Arrow():
            return replace(item, start=pose.apply(item.start), vector=pose.R @ item.vector)


def points_of(item: Item) -> np.ndarray:
    """What the box around an item must hold."""
    match item:
        case Surface():
            return item.vertices
        case Line():
            return item.points
        case Dot():
            return item.at[None]
        case Arrow():
            return np.stack([item.start, item.start + item.vector])


def triad(pose: Pose, size: float, label: str = "", *, letters: bool = False) -> list[Item]:
    """A frame: its axes red, green and blue."""
    tips = [f"{axis}{label}" if letters else "" for axis in "xyz"]
    arrows: list[Item] = [Arrow(pose.p, size * pose.R[:, k], AXES[k], 1.6, label=tips[k]) for k in range(3)]
    return arrows if letters or not label else [*arrows, Dot(pose.p, INK, 1.5, label=label)]
