"""Items as they are seen: faces, lines and marks become strokes, those behind first.

Of two things that a plane parts, the one on the viewer's side of it comes later; things that no face of theirs parts
(they touch or pierce each other) are cut along the planes of their faces, and of faces in one plane the later thing's
wins.  Faces that look away are left out.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from steiner.scene.hiding import Pieces, back_to_front
from steiner.scene.scene import CAVITY, INK, Arrow, Dot, Item, Line, Surface, points_of
from steiner.scene.view import Stroke

TOUCH = 0.02  # pixels: how far things on two sides of a plane may reach through it
HAIR = 0.02  # pixels: each thing that touches another is nearer by so much than the one before
EDGEWISE = 1e-6  # cosine to the view below which a face shows its edge only
CHUNK = 1 << 20  # corner × face pairs at once
CREASE = math.cos(math.radians(30))  # surfaces that bend by more have a line there
LIGHT = np.array([-0.35, 0.55, 0.76])  # in the picture's axes: right, up, towards


@final
@dataclass(eq=False)
class Thing:
    """An item in the picture: corners in pixels (right, down, towards the viewer), faces if it has a surface."""

    item: Item
    corners: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    front: bool = False

    def __post_init__(self) -> None:
        self.low, self.high = self.corners.min(axis=0), self.corners.max(axis=0)
        self.offsets = (self.normals * self.corners[self.faces[:, 0]]).sum(axis=1) if len(self.faces) else np.zeros(0)
        self.supports = self._below(self.corners, -1) < TOUCH
        self.seen = np.flatnonzero(self.normals[:, 2] > EDGEWISE)

    def _below(self, corners: np.ndarray, sign: int = 1) -> np.ndarray:
        """How far the corners reach below the plane of each face, or (−1) above it."""
        step = max(1, CHUNK // max(len(corners), 1))
        parts = [slice(k, k + step) for k in range(0, len(self.faces), step)]
        found = [(-sign * (self.normals[s] @ corners.T - self.offsets[s, None])).max(axis=1) for s in parts]
        return np.concatenate([np.zeros(0), *found])

    @property
    def convex(self) -> bool:
        """Whether no face of it that looks at the viewer hides another."""
        return bool(self.supports.all())

    def side(self, other: Thing) -> int | None:
        """1 if the other is nearer to the viewer, −1 if behind, 0 if none hides the other, None if unparted."""
        parting = self.supports & (self._below(other.corners) < TOUCH)
        if not parting.any():
            return None
        best = self.normals[parting, 2]
        steepest = best[np.abs(best).argmax()]
        return 0 if abs(steepest) < 1e-9 else 1 if steepest > 0 else -1

    def lines(self) -> Iterator[tuple[np.ndarray, Line]]:
        """What is drawn with a pen, and how it looks: the line itself, or the creases of a surface."""
        if isinstance(self.item, Line):
            yield self.corners, self.item
        elif isinstance(self.item, Surface):
            ghost, points = self.item.ghost, self.item.vertices
            pen = Line(points, darker(self.item.colour), 0.8, opacity=max(self.item.opacity, 0.6))
            pen = Line(points, CAVITY, 0.9, dashed=True) if ghost else pen
            for edge in _creases(self.faces, self.normals, hidden=ghost):
                yield self.corners[list(edge)], pen

    def strokes(self) -> Iterator[Stroke]:
        """Of a thing that hides nothing of itself."""
        match self.item:
            case Dot():
                yield from dot(self.corners[0], self.item)
            case Arrow():
                yield from _arrow(self.corners[0], self.corners[1], self.item)
            case Surface(ghost=False):
                yield from _faces(self)
            case _:
                yield from (_drawn(points, look) for points, look in self.lines())


NONE = np.zeros((0, 3), dtype=int)


def thing(item: Item, project: Any) -> Thing:
    """An item of the world in the picture."""
    corners = project(points_of(item))
    if isinstance(item, Surface) and len(item.faces):
        return Thing(item, corners, item.faces, _normals(corners[item.faces]), item.ghost)
    if isinstance(item, Surface):  # a rod
        item = Line(item.vertices, item.colour, 3.0, name=item.name)
    front = isinstance(item, Dot | Arrow) or item.front
    return Thing(item, corners, NONE, NONE.astype(float), front)


def ordered(things: list[Thing]) -> list[list[Thing]]:
    """Groups from the back to the front; things in one group pierce each other, or hide each other in a ring."""
    group, behind = list(range(len(things))), set()
    for i, a in enumerate(things):
        for j, b in enumerate(things[:i]):
            if (a.low[:2] > b.high[:2]).any() or (b.low[:2] > a.high[:2]).any():
                continue
            side = a.side(b)
            if side is None:
                back = b.side(a)
                side = None if back is None else -back
            if side is None and (len(a.faces) or len(b.faces)):
                group = _joined(group, [group[i], group[j]])
            elif side:
                behind.add((i, j) if side > 0 else (j, i))
    result, left = [], set(group)
    while left:
        before = {g: {group[a] for a, b in behind if group[b] == g != group[a]} & left for g in left}
        free = [g for g in left if not before[g]]
        if free:
            first = min(free, key=lambda g: (_depth(things, group, g), g))
            result.append([thing for thing, mine in zip(things, group, strict=True) if mine == first])
            left.remove(first)
        else:
            group = _joined(group, _ring(before))
            left &= set(group)
    return result


def _joined(group: list[int], some: list[int]) -> list[int]:
    return [min(some) if g in some else g for g in group]


def _ring(before: dict[int, set[int]]) -> list[int]:
    """Groups each of which is behind the one named before it, round and round."""
    walk = [min(before)]
    while walk[-1] not in walk[:-1]:
        walk.append(min(before[walk[-1]]))
    return walk[walk.index(walk[-1]) + 1 :]


def _depth(things: list[Thing], group: list[int], which: int) -> float:
    return min(thing.low[2] + thing.high[2] for thing, g in zip(things, group, strict=True) if g == which)


def painted(group: list[Thing]) -> Iterator[Stroke]:
    """The strokes of things that only a cut can order, or of one alone."""
    if len(group) == 1 and (group[0].convex or not len(group[0].faces)):
        yield from group[0].strokes()
        return
    triangles, owners, tones, segments, looks = [], [], [], [], []
    for k, thing in enumerate(group):
        corners = thing.corners + (0, 0, k * HAIR)
        seen = thing.seen
        triangles.append(corners[thing.faces[seen]].reshape(-1, 3, 3))
        owners.append(np.full(len(seen), k))
        tones.append(_tones(thing.normals[seen]))
        for points, line in thing.lines():
            lifted = points + (0, 0, k * HAIR + (HAIR / 2 if len(seen) else line.width / 2))
            segments.append(np.stack([lifted[:-1], lifted[1:]], axis=1))
            looks += [(k, line)] * (len(lifted) - 1)
    drawn = np.array([k for k, _ in looks], dtype=int)
    pieces = Pieces(
        np.concatenate(triangles), np.arange(sum(map(len, owners))),
        np.concatenate(segments) if segments else np.zeros((0, 2, 3)), np.arange(len(looks)),
    )  # fmt: skip
    owner, tone = np.concatenate(owners), np.concatenate(tones)
    for some in back_to_front(pieces, owner, drawn, np.array([thing.convex for thing in group])):
        kinds = np.column_stack([owner[some.faces], tone[some.faces]])
        for kind in np.unique(kinds, axis=0):
            item = group[int(kind[0])].item
            assert isinstance(item, Surface)
            yield _area(some.triangles[(kinds == kind).all(axis=1), :, :2], item, kind[1])
        for k in np.argsort(some.segments[:, :, 2].mean(axis=1), kind="stable"):
            yield _drawn(some.segments[k], looks[some.lines[k]][1])


def _faces(thing: Thing) -> Iterator[Stroke]:
    """The faces of a convex thing that look at the viewer, those of one tone at once; then its lines."""
    assert isinstance(thing.item, Surface)
    corners, tones = thing.corners[thing.faces[thing.seen]], _tones(thing.normals[thing.seen])
    for tone in dict.fromkeys(tones):
        yield _area(corners[tones == tone, :, :2], thing.item, tone)
    yield from (_drawn(points, look) for points, look in thing.lines())


def _drawn(points: np.ndarray, look: Line) -> Stroke:
    return Stroke(points[:, :2], line=look.colour, width=look.width, opacity=look.opacity, dashed=look.dashed)


def _area(corners: np.ndarray, item: Surface, tone: float) -> Stroke:
    """Triangles of one tone; those of an opaque surface have a thin rim, so that no gap shows between neighbours."""
    fill = _toned(item.colour, tone)
    return Stroke(corners, fill, fill if item.opacity == 1 else "none", 0.9, item.opacity, closed=True)


def _tones(normals: np.ndarray) -> np.ndarray:
    """How bright faces are, in steps that the eye does not see; pixels run down."""
    return np.round(0.66 + 0.34 * np.clip((normals * (1, -1, 1)) @ LIGHT, 0, 1), 2)


def _normals(triangles: np.ndarray) -> np.ndarray:
    a, b, c = (triangles[:, k] for k in range(3))
    normal = np.cross(c - a, b - a)  # pixels run down: the picture's axes are left-handed
    return normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)


def _creases(faces: np.ndarray, normals: np.ndarray, *, hidden: bool) -> Iterable[tuple[int, int]]:
    """Edges where the surface bends, and the outline of what is seen: the lines of a drawing."""
    sides: dict[tuple[int, int], list[int]] = {}
    for k, face in enumerate(faces.tolist()):
        for u, v in zip(face, face[1:] + face[:1], strict=True):
            sides.setdefault((min(u, v), max(u, v)), []).append(k)
    for edge, both in sides.items():
        facing = normals[both, 2] > 0
        sharp = len(both) != 2 or normals[both[0]] @ normals[both[1]] < CREASE
        if (sharp and (hidden or facing.any())) or (not hidden and facing.any() and not facing.all()):
            yield edge


def dot(at: np.ndarray, item: Dot) -> Iterator[Stroke]:
    """A disk, or the sign of a centre of mass; and its label."""
    xy = at[None, :2]
    if item.centre:
        yield Stroke(xy, "#ffffff", item.colour, 1.2, radius=item.radius)
        for first in (0.0, math.pi):
            turn = first + np.linspace(0, math.pi / 2, 7)
            quarter = np.vstack([xy, xy + item.radius * np.stack([np.cos(turn), -np.sin(turn)], 1)])
            yield Stroke(quarter, item.colour, closed=True)
    else:
        yield Stroke(xy, item.colour, radius=item.radius)
    if item.label:
        yield Stroke(xy + (item.radius + 3, -item.radius - 2), INK, text=item.label, size=10)


def _arrow(start: np.ndarray, end: np.ndarray, item: Arrow) -> Iterator[Stroke]:
    a, b = start[:2], end[:2]
    length = float(np.linalg.norm(b - a))
    if length > 1e-6:
        along = (b - a) / length
        across = np.array([-along[1], along[0]])
        head = min(4.0 * item.width + 2, 0.6 * length)
        yield Stroke(np.stack([a, b - 0.8 * head * along]), line=item.colour, width=item.width)
        for back in (0.0, 0.8 * head) if item.turning else (0.0,):
            tip = b - back * along
            wings = [tip, tip - head * along + 0.38 * head * across, tip - head * along - 0.38 * head * across]
            yield Stroke(np.stack(wings), item.colour, closed=True)
        label = b + 9 * along + (0, 4)
    else:  # seen from its tip or its tail
        yield Stroke(a[None], "#ffffff", item.colour, 1.2, radius=4.0)
        if end[2] > start[2]:
            yield Stroke(a[None], item.colour, radius=1.6)
        label = a + (-12, 13)
    if item.label:
        yield Stroke(label[None], item.colour, text=item.label, size=10, anchor="middle")


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255


@functools.cache
def _toned(colour: str, tone: float) -> str:
    return "#" + "".join(f"{round(255 * min(max(x * tone * 1.08, 0), 1)):02x}" for x in _rgb(colour))


def darker(colour: str) -> str:
    """For the outlines of what has that colour."""
    return _toned(colour, 0.5)
