"""The painter: a scene seen from one side becomes flat strokes, those behind first; then scale, title and legend.

Parallel projection.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from steiner.errors import clipped
from steiner.scene.scene import INK, Dot, Item, Line, Scene, Surface, points_of
from steiner.scene.things import darker, dot, ordered, painted, thing
from steiner.scene.view import Stroke, View
from steiner.text.tables import shown

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

    things = [thing(item, project) for item in items]
    groups = ordered([thing for thing in things if not thing.front])
    below = [stroke for group in groups for stroke in painted(group)]
    above = [stroke for thing in things if thing.front for stroke in thing.strokes()]
    above.sort(key=lambda stroke: bool(stroke.text))
    return [*below, *above, *_scale_bar(scale, view), *_title(scene, view), *_listed(named, view)]


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
            yield from dot(np.array([x + 6, y + step * k]), Dot(at[0], colour, centre=True))
        elif kind == "Surface":
            yield Stroke(at + [[0, -5], [12, -5], [12, 5], [0, 5]], colour, darker(colour), 0.8, closed=True)
        else:
            line = at + [[0, 0], [13, 0]]
            yield Stroke(line, line=colour, width=1.8, dashed=kind == "dashed")
        room = int((view.width * LEGEND - 28) / 5.6)
        yield Stroke(at + (20, 4), INK, text=clipped(name, room), size=11)
    if hidden:
        yield Stroke(np.array([[x, y + step * (most - 1) + 4]]), INK, text=f"… and {hidden + 1} more", size=11)
