"""Curves as SVG, coloured by the style of the page, so that they are right in the dark and on paper too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from steiner.text.names import html, terminal

WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 20, 32
POINTS, NUMBERS = 241, 10_000  # of a curve that are looked at; of a figure that are told
STRAIGHT = 0.15  # pixels that a drawn curve may be beside the true one
COLOURS = 8
FAR = 3.0  # times the curve: a limit farther away is told but not drawn


class Curve(NamedTuple):
    """A line of the chart; `colour` is its place in the page's palette, -1 the ink."""

    name: str
    x: np.ndarray
    y: np.ndarray
    colour: int = 0


class Level(NamedTuple):
    """A limit: a dashed line across ("y") or upright ("x")."""

    axis: str
    at: float


def chart(title: str, curves: Sequence[Curve], x: str, y: str, levels: Sequence[Level] = ()) -> str:
    """Curves over an axis, with the units of both."""
    spans = [_span([getattr(c, axis) for c in curves], [at for a, at in levels if a == axis], axis) for axis in "xy"]
    (x0, x1), (y0, y1) = spans

    def place(a: Any, b: Any) -> tuple[Any, Any]:
        return LEFT + (a - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - (b - y0) / (y1 - y0) * (
            HEIGHT - TOP - BOTTOM
        )

    parts = [_grid(x0, x1, y0, y1, place)]
    for axis, at in levels:
        low, high = spans[axis == "y"]
        if low <= at <= high:
            ends = [place(at, y0), place(at, y1)] if axis == "x" else [place(x0, at), place(x1, at)]
            parts.append(f'<path class="limit" d="{_path(*np.transpose(ends))}"/>')
    for c in reversed(curves):
        some = thinned(len(c.x))
        points = np.stack(place(c.x[some], c.y[some]), axis=1)
        line = _path(*points[_corners(points)].T)
        parts.append(f'<path class="curve c{c.colour}" d="{line}"><title>{html(c.name)}</title></path>')
    words = [
        f'<text class="title" x="{LEFT}" y="13">{html(terminal(title, 48))}</text>',
        f'<text class="axis" x="{WIDTH - RIGHT}" y="{HEIGHT - 3}" text-anchor="end">{html(x)}</text>',
        f'<text class="axis" x="{WIDTH - RIGHT}" y="13" text-anchor="end">{html(y)}</text>',
    ]
    label = html(f"{title}: {y} over {x}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts + words)}</svg>'


def figure(
    id: str, charts: Sequence[str], legend: Sequence[tuple[str, int]], data: Mapping[str, Any], caption: str
) -> str:
    """Charts side by side with one legend, and the numbers that they show."""
    keys = "".join(f'<span class="key c{colour}"><i></i>{html(name)}</span>' for name, colour in legend)
    most = min(POINTS, NUMBERS // max(len(data), 1))
    rows = {terminal(name): np.asarray(x, dtype=float)[thinned(len(x), most)].tolist() for name, x in data.items()}
    numbers = json.dumps(rows, allow_nan=False).replace("<", "\\u003c")
    data_of = f'<script type="application/json">{numbers}</script>' if rows else ""
    return (
        f'<figure id="{html(id)}"><figcaption>{html(caption)} {keys}</figcaption>'
        f'<div class="charts">{"".join(charts)}</div>{data_of}</figure>'
    )


def _span(values: Sequence[np.ndarray], limits: Sequence[float], axis: str) -> tuple[float, float]:
    low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
    reach = max(abs(low), abs(high))
    near = [at for at in limits if abs(at) <= FAR * reach]
    low, high = min([low, *near]), max([high, *near])
    if axis == "x" and not limits:
        return (low, high) if high > low else (low - 1, high + 1)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def _grid(x0: float, x1: float, y0: float, y1: float, place: Any) -> str:
    parts = [
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"/>'
    ]
    for at in _ticks(y0, y1, 5):
        a, b = place(x0, at)
        kind = "zero" if at == 0 else "rule"
        parts.append(f'<path class="{kind}" d="M{a:.1f} {b:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 4}" y="{b + 3.5:.1f}" text-anchor="end">{_told(at)}</text>')
    for at in _ticks(x0, x1, 6):
        a, b = place(at, y0)
        kind = "zero" if at == 0 else "rule"
        parts.append(f'<path class="{kind}" d="M{a:.1f} {TOP}V{b:.1f}"/>')
        parts.append(f'<text class="tick" x="{a:.1f}" y="{b + 12:.1f}" text-anchor="middle">{_told(at)}</text>')
    return "".join(parts)


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers: 1, 2 or 5 times a power of ten apart."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((s * power for s in (1, 2, 5) if s * power >= rough), 10 * power)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _told(x: float) -> str:
    return f"{x:.4g}".replace("-", "−")


def thinned(count: int, most: int = POINTS) -> np.ndarray:
    """The rows of so many that a page shows."""
    return np.unique(np.linspace(0, count - 1, most).astype(int))


def _corners(points: np.ndarray) -> np.ndarray:
    """Where a line of points has to bend: the rows that remain (Douglas and Peucker)."""
    keep, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        a, b = spans.pop()
        along, beside = points[b] - points[a], points[a + 1 : b] - points[a]
        length = float(np.hypot(*along))
        off = np.abs(along[0] * beside[:, 1] - along[1] * beside[:, 0]) / length if length else np.hypot(*beside.T)
        if len(off) and off.max() > STRAIGHT:
            k = a + 1 + int(off.argmax())
            keep.add(k)
            spans += [(a, k), (k, b)]
    return np.array(sorted(keep))


def _path(xs: Any, ys: Any) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(xs, ys, strict=True))
