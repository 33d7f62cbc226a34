"""The painter: a scene seen from one side becomes flat strokes, those behind first.

Parallel projection.  Of two things that a plane parts, the one on the viewer's side of it comes later; things that no
face of theirs parts (they touch or pierce each other) are cut into pieces, which are sorted by depth.  Faces that
look away are left out.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np

from steiner.errors import ArgumentError, clipped
from steiner.scene.scene import CAVITY, INK, Arrow, Dot, Item, Line, Scene, Surface, points_of
from steiner.text.tables import shown

ELEVATION, AZIMUTH = 22.0, -58.0  # degrees: where one looks from if nothing is said
PIECES = 24  # what is cut is cut until it is at most this part of the picture
TOUCH = 0.02  # pixels: how far things on two sides of a plane may reach through it
CREASE = math.cos(math.radians(30))  # surfaces that bend by more have a line there
LIGHT = np.array([-0.35, 0.55, 0.76])  # in the picture's axes: right, up, towards


@final
@dataclass(frozen=True, eq=False)
class Stroke:
    """A flat thing to paint: polygons, a line, a disk or a text, in pixels, y down."""

    points: np.ndarray  # (…, corners, 2): leading dimensions are polygons that are filled as one
    fill: str = "none"
    line: str = "none"
    width: float = 0.0
    opacity: float = 1.0
    dashed: bool = False
    closed: bool = False
    radius: float = 0.0  # a disk
    text: str = ""
    size: float = 11.0
    anchor: str = "start"


@final
@dataclass(frozen=True)
class View:
    """Where one looks from, degrees above the horizon and around `up`, and how many pixels there are."""

    elevation: float | None = None
    azimuth: float | None = None
    width: int = 800
    height: int = 600

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 50 <= value <= 20000:
                raise ArgumentError(f"view: {name} is {value!r} pixels; expected 50 … 20000")
        for name in ("elevation", "azimuth"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise ArgumentError(f"view: {name} is {value!r}; expected degrees")

    def axes(self, scene: Scene) -> np.ndarray:
        """Rows: the picture's right, up and towards, in the world."""
        up = np.asarray(scene.up, dtype=float)
        if scene.towards is not None and self.elevation is None and self.azimuth is None:
            towards = np.asarray(scene.towards, dtype=float)
        else:
            elevation, azimuth = (
                math.radians(default if given is None else given)
                for given, default in ((self.elevation, ELEVATION), (self.azimuth, AZIMUTH))
            )
            elevation = min(max(elevation, -math.pi / 2 + 1e-6), math.pi / 2 - 1e-6)
            level = np.array([1.0, 0, 0]) if abs(up[0]) < 0.9 else np.array([0, 1.0, 0])
            east = level - (level @ up) * up
            east /= np.linalg.norm(east)
            round_ = math.cos(azimuth) * east + math.sin(azimuth) * np.cross(up, east)
            towards = math.cos(elevation) * round_ + math.sin(elevation) * up
        right = np.cross(up, towards)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(towards, right), towards])


LEGEND, TITLE, MARGIN = 0.22, 56.0, 26.0  # share of the width, pixels, pixels


def strokes(scene: Scene, view: View, k: int = 0) -> list[Stroke]:
    """All strokes of a picture of the scene at one of its times, those behind first; then scale, title and legend."""
    axes = view.axes(scene)
    items = list(scene.placed(k))
    flat = np.vstack([points_of(item) @ axes.T for item in items] or [np.zeros((1, 3))])
    low, high = flat.min(axis=0), flat.max(axis=0)
    named = _legend(items)
    room = np.array([view.width * (1 - (LEGEND if named else 0)) - 2 * MARGIN, view.height - TITLE - 2 * MARGIN])
    span = np.maximum((high - low)[:2], 1e-12)
    scale = float((room / span).min())
    middle = (low + high)[:2] / 2
    centre = np.array([MARGIN + room[0] / 2, TITLE + MARGIN / 2 + room[1] / 2])

    def project(points: np.ndarray) -> np.ndarray:
        """Pixels to the right, pixels down, and depth towards the viewer in pixels."""
        seen = points @ axes.T
        return np.concatenate([centre + (seen[..., :2] - middle) * (scale, -scale), seen[..., 2:] * scale], axis=-1)

    things = [_thing(item, project) for item in items]
    groups = _ordered([thing for thing in things if not thing.front])
    painted = [stroke for group in groups for stroke in _painted(group, max(room))]
    above = [stroke for thing in things if thing.front for stroke in thing.strokes()]
    above.sort(key=lambda stroke: bool(stroke.text))
    return [*painted, *above, *_scale_bar(scale, view), *_title(scene, view), *_listed(named, view)]


# ---- what hides what -------------------------------------------------------------------------------------


@final
@dataclass(eq=False)
class _Thing:
    """An item in the picture: corners in pixels (right, down, towards the viewer), faces if it has a surface."""

    item: Item
    corners: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    front: bool = False

    def __post_init__(self) -> None:
        self.low, self.high = self.corners.min(axis=0), self.corners.max(axis=0)
        self.offsets = (self.normals * self.corners[self.faces[:, 0]]).sum(axis=1) if len(self.faces) else np.zeros(0)
        over = self.normals @ self.corners.T - self.offsets[:, None]
        self.supports = over.max(axis=1, initial=-np.inf) < TOUCH if len(self.faces) else np.zeros(0, dtype=bool)

    @property
    def convex(self) -> bool:
        return bool(self.supports.all())

    def side(self, other: _Thing) -> int | None:
        """1 if the other is nearer to the viewer, −1 if behind, 0 if none hides the other, None if unparted."""
        over = self.normals @ other.corners.T - self.offsets[:, None]
        parting = self.supports & (over.min(axis=1, initial=np.inf) > -TOUCH) if len(self.faces) else np.zeros(0, bool)
        if not parting.any():
            return None
        best = self.normals[parting, 2]
        steepest = best[np.abs(best).argmax()]
        return 0 if abs(steepest) < 1e-9 else 1 if steepest > 0 else -1

    def strokes(self) -> Iterator[Stroke]:
        match self.item:
            case Dot():
                yield from _dot(self.corners[0], self.item)
            case Arrow():
                yield from _arrow(self.corners[0], self.corners[1], self.item)
            case Line():
                yield Stroke(
                    self.corners[:, :2], line=self.item.colour, width=self.item.width, opacity=self.item.opacity,
                    dashed=self.item.dashed,
                )  # fmt: skip
            case Surface(ghost=True):
                for edge in _creases(self.faces, self.normals, hidden=True):
                    yield Stroke(self.corners[list(edge), :2], line=CAVITY, width=0.9, dashed=True)
            case Surface():
                yield from _faces(self)


NONE = np.zeros((0, 3), dtype=int)


def _thing(item: Item, project: Any) -> _Thing:
    corners = project(points_of(item))
    if isinstance(item, Surface) and len(item.faces):
        return _Thing(item, corners, item.faces, _normals(corners[item.faces]), item.ghost)
    if isinstance(item, Surface):  # a rod
        item = Line(item.vertices, item.colour, 3.0, name=item.name)
    front = isinstance(item, Dot | Arrow) or item.front
    return _Thing(item, corners, NONE, NONE.astype(float), front)


def _ordered(things: list[_Thing]) -> list[list[_Thing]]:
    """Groups from the back to the front; things in one group pierce each other."""
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
                old, new = group[i], group[j]
                group = [new if g == old else g for g in group]
            elif side:
                behind.add((i, j) if side > 0 else (j, i))
    members = {g: [k for k, mine in enumerate(group) if mine == g] for g in dict.fromkeys(group)}
    before = {g: {group[a] for a, b in behind if group[b] == g != group[a]} for g in members}
    depth = {g: min(things[k].low[2] + things[k].high[2] for k in ks) for g, ks in members.items()}
    result = []
    while members:
        free = [g for g in members if not before[g] & members.keys()] or list(members)  # a ring of them has no order
        first = min(free, key=depth.__getitem__)
        result.append([things[k] for k in members.pop(first)])
    return result


def _painted(group: list[_Thing], size: float) -> Iterator[Stroke]:
    if len(group) == 1 and (group[0].convex or not len(group[0].faces)):
        yield from group[0].strokes()
        return
    pieces = [piece for thing in group for piece in _pieces(thing, size / PIECES)]
    pieces.sort(key=lambda piece: piece[0])
    yield from (stroke for _, stroke in pieces)


def _faces(thing: _Thing) -> Iterator[Stroke]:
    """The faces of a convex thing that look at the viewer, those of one tone at once; then its lines."""
    item, seen = thing.item, thing.normals[:, 2] > 0
    assert isinstance(item, Surface)
    corners, tones = thing.corners[thing.faces[seen]], _tones(thing.normals[seen])
    for tone in dict.fromkeys(tones):
        yield _area(corners[tones == tone, :, :2], item, tone)
    look = {"line": _darker(item.colour), "width": 0.8, "opacity": max(item.opacity, 0.6)}
    for edge in _creases(thing.faces, thing.normals, hidden=False):
        yield Stroke(thing.corners[list(edge), :2], **look)


def _area(corners: np.ndarray, item: Surface, tone: float) -> Stroke:
    """Triangles of one tone; those of an opaque surface have a thin rim, so that no gap shows between neighbours."""
    fill = _toned(item.colour, tone)
    return Stroke(corners, fill, fill if item.opacity == 1 else "none", 0.9, item.opacity, closed=True)


def _tones(normals: np.ndarray) -> np.ndarray:
    """How bright faces are, in steps that the eye does not see; pixels run down."""
    return np.round(0.66 + 0.34 * np.clip((normals * (1, -1, 1)) @ LIGHT, 0, 1), 2)


def _pieces(thing: _Thing, longest: float) -> Iterator[tuple[float, Stroke]]:
    item = thing.item
    if isinstance(item, Line):
        yield from _line(thing.corners, item, longest)
    elif isinstance(item, Surface):
        for edge in _creases(thing.faces, thing.normals, hidden=False):
            look = Line(item.vertices, _darker(item.colour), 0.8, opacity=max(item.opacity, 0.6))
            yield from _line(thing.corners[list(edge)], look, longest, bias=1.5)
        seen = thing.normals[:, 2] > 0
        triangles, normals = _cut(thing.corners[thing.faces[seen]], thing.normals[seen], longest)
        for triangle, tone in zip(triangles, _tones(normals), strict=True):
            yield triangle[:, 2].mean(), _area(triangle[:, :2], item, tone)


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


def _cut(triangles: np.ndarray, normals: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """Triangles halved across their longest side until no side is longer."""
    for _ in range(12):
        sides = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        long = sides.max(axis=1) > longest
        if not long.any():
            break
        which = sides[long].argmax(axis=1)
        rows = np.arange(len(which))
        a, b, c = (triangles[long][rows, (which + k) % 3] for k in range(3))
        middle = (a + b) / 2
        halves = np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
        triangles = np.concatenate([triangles[~long], halves])
        normals = np.concatenate([normals[~long], normals[long], normals[long]])
    return triangles, normals


def _line(points: np.ndarray, item: Line, longest: float, bias: float = 0.0) -> Iterator[tuple[float, Stroke]]:
    look = {"line": item.colour, "width": item.width, "opacity": item.opacity, "dashed": item.dashed}
    for a, b in pairwise(points):
        count = 1 if item.dashed else max(1, math.ceil(np.linalg.norm(b - a) / longest))
        ends = a + (b - a) * (np.arange(count + 1) / count)[:, None]
        for u, v in pairwise(ends):
            yield (u[2] + v[2]) / 2 + bias + item.width / 2, Stroke(np.stack([u, v])[:, :2], **look)


def _dot(at: np.ndarray, item: Dot) -> Iterator[Stroke]:
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


# ---- around the picture --------------------------------------------------------------------------------


def _scale_bar(scale: float, view: View) -> Iterator[Stroke]:
    wanted = 0.16 * view.width / scale
    power = 10.0 ** math.floor(math.log10(wanted))
    length = max(step * power for step in (1, 2, 5) if step * power <= wanted)
    x, y, pixels = MARGIN, view.height - 16.0, length * scale
    for points in ([(x, y), (x + pixels, y)], [(x, y - 4), (x, y + 4)], [(x + pixels, y - 4), (x + pixels, y + 4)]):
        yield Stroke(np.array(points), line=INK, width=1.2)
    text = f"{shown(length)} m" if length >= 1 else f"{shown(length * 1000)} mm"
    yield Stroke(np.array([[x + pixels / 2, y - 7]]), INK, text=text, size=10, anchor="middle")


def _title(scene: Scene, view: View) -> Iterator[Stroke]:
    yield Stroke(np.array([[14.0, 22.0]]), INK, text=clipped(scene.title, int(view.width / 8)), size=14)
    for k, note in enumerate(scene.notes):
        text = clipped(note, int(view.width * (1 - LEGEND) / 5.6))
        yield Stroke(np.array([[14.0, 38.0 + 14 * k]]), "#4a5663", text=text, size=10.5)


def _legend(items: list[Item]) -> dict[str, tuple[str, str]]:
    """Name -> colour and kind of mark, each once."""
    found: dict[str, tuple[str, str]] = {}
    for item in items:
        if item.name:
            kind = type(item).__name__
            if (isinstance(item, Surface) and item.ghost) or (isinstance(item, Line) and item.dashed):
                found.setdefault(item.name, (item.colour, "dashed"))
            elif isinstance(item, Dot) and item.centre:
                found.setdefault(item.name, (item.colour, "centre"))
            else:
                found.setdefault(item.name, (item.colour, kind))
    return found


def _listed(named: dict[str, tuple[str, str]], view: View) -> Iterator[Stroke]:
    x, y, step = view.width * (1 - LEGEND) + 8, TITLE, 17.0
    most = int((view.height - TITLE - 24) / step)
    rows = list(named.items())
    hidden = len(rows) - most if len(rows) > most else 0
    for k, (name, (colour, kind)) in enumerate(rows[: most - bool(hidden)]):
        at = np.array([[x, y + step * k]])
        if kind == "centre":
            yield from _dot(np.array([x + 6, y + step * k]), Dot(at[0], colour, centre=True))
        elif kind == "Surface":
            yield Stroke(at + [[0, -5], [12, -5], [12, 5], [0, 5]], colour, _darker(colour), 0.8, closed=True)
        else:
            line = at + [[0, 0], [13, 0]]
            yield Stroke(line, line=colour, width=1.8, dashed=kind == "dashed")
        room = int(view.width * LEGEND / 6.2) - 4
        yield Stroke(at + (20, 4), INK, text=clipped(name, room), size=11)
    if hidden:
        yield Stroke(np.array([[x, y + step * (most - 1) + 4]]), INK, text=f"… and {hidden + 1} more", size=11)


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255


@functools.cache
def _toned(colour: str, tone: float) -> str:
    return "#" + "".join(f"{round(255 * min(max(x * tone * 1.08, 0), 1)):02x}" for x in _rgb(colour))


def _darker(colour: str) -> str:
    return _toned(colour, 0.5)
