"""Strokes on paper: SVG written here, PNG and PDF by matplotlib (extra `report`)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from steiner.errors import SteinerError
from steiner.scene.view import Stroke, View
from steiner.text import names

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
DASHES = (4.0, 2.5)
DPI = 100


def svg(strokes: Sequence[Stroke], view: View) -> str:
    """An SVG document that stands alone, or inside of an HTML page; the same strokes give the same bytes."""
    size = f'width="{view.width}" height="{view.height}" viewBox="0 0 {view.width} {view.height}"'
    look = f'font-family="{FONT}" stroke-linecap="round" stroke-linejoin="round"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}>', *_elements(strokes), "</svg>", ""])


def _elements(strokes: Iterable[Stroke]) -> Iterable[str]:
    style, paths = "", []
    for stroke in strokes:
        mine = "" if stroke.text or stroke.radius else _style(stroke)
        if paths and (mine != style or stroke.opacity < 1):  # translucent ones would melt into one
            yield f'<path {style} d="{"".join(paths)}"/>'
            paths = []
        style = mine
        x, y = (_number(v) for v in stroke.points.reshape(-1, 2)[0])
        if stroke.text:
            fill = f'fill="{stroke.fill}" font-size="{_number(stroke.size)}" text-anchor="{stroke.anchor}"'
            halo = 'paint-order="stroke" stroke="#ffffff" stroke-opacity="0.75" stroke-width="2.5"'
            yield f'<text x="{x}" y="{y}" {fill} {halo}>{names.html(stroke.text)}</text>'
        elif stroke.radius:
            yield f'<circle cx="{x}" cy="{y}" r="{_number(stroke.radius)}" {_style(stroke)}/>'
        else:
            for ring in stroke.points.reshape(-1, *stroke.points.shape[-2:]):
                paths.append("M" + "L".join(f"{_number(a)} {_number(b)}" for a, b in ring) + "Z" * stroke.closed)
    if paths:
        yield f'<path {style} d="{"".join(paths)}"/>'


def _style(stroke: Stroke) -> str:
    said = [f'fill="{stroke.fill}"']
    if stroke.line != "none":
        said.append(f'stroke="{stroke.line}" stroke-width="{_number(stroke.width)}"')
    if stroke.opacity < 1:
        said.append(f'opacity="{_number(stroke.opacity)}"')
    if stroke.dashed:
        said.append(f'stroke-dasharray="{DASHES[0]:g} {DASHES[1]:g}"')
    return " ".join(said)


def _number(x: Any) -> str:
    text = f"{x:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def printed(strokes: Sequence[Stroke], view: View, kind: str) -> bytes:
    """The picture as PNG or PDF."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise SteinerError(f"a picture as .{kind} needs matplotlib (install steiner[report]); .svg does not") from None
    figure = Figure(figsize=(view.width / DPI, view.height / DPI))
    FigureCanvasAgg(figure)
    axes: Any = figure.add_axes((0, 0, 1, 1), xlim=(0, view.width), ylim=(view.height, 0))
    axes.axis("off")
    for order, (kind_of, run) in enumerate(groupby(strokes, _kind)):
        _PRINTERS[kind_of](axes, list(run), order)
    file = io.BytesIO()
    undated = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    figure.savefig(file, format=kind, dpi=2 * DPI, metadata=undated)
    return file.getvalue()


PIXEL = 72 / DPI  # in points


def _kind(stroke: Stroke) -> str:
    return "text" if stroke.text else "disk" if stroke.radius else "area" if stroke.closed else "line"


def _texts(axes: Any, run: list[Stroke], order: int) -> None:
    sides = {"start": "left", "middle": "center", "end": "right"}
    for stroke in run:
        axes.text(
            *stroke.points[0], names.picture(stroke.text), color=stroke.fill, fontsize=stroke.size * PIXEL,
            ha=sides[stroke.anchor], va="baseline", zorder=order,
        )  # fmt: skip


def _disks(axes: Any, run: list[Stroke], order: int) -> None:
    from matplotlib.patches import Circle

    for stroke in run:
        look = {"facecolor": stroke.fill, "edgecolor": stroke.line, "linewidth": stroke.width * PIXEL}
        axes.add_patch(Circle(stroke.points[0], stroke.radius, zorder=order, **look))


def _areas(axes: Any, run: list[Stroke], order: int) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    def rings(stroke: Stroke) -> Any:
        corners = stroke.points.reshape(-1, *stroke.points.shape[-2:])
        return Path.make_compound_path(*(Path(np.vstack([ring, ring[:1]]), closed=True) for ring in corners))

    shapes = PathCollection(
        [rings(s) for s in run], facecolors=[_rgba(s.fill, s) for s in run], edgecolors=[_rgba(s.line, s) for s in run],
        linewidths=[s.width * PIXEL for s in run], zorder=order,
    )  # fmt: skip
    axes.add_collection(shapes, autolim=False)


def _lines(axes: Any, run: list[Stroke], order: int) -> None:
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        [s.points for s in run], colors=[_rgba(s.line, s) for s in run], linewidths=[s.width * PIXEL for s in run],
        linestyles=[(0, DASHES if s.dashed else ()) for s in run], capstyle="round", zorder=order,
    )  # fmt: skip
    axes.add_collection(lines, autolim=False)


def _rgba(colour: str, stroke: Stroke) -> tuple[float, ...]:
    if colour == "none":
        return (0.0, 0.0, 0.0, 0.0)
    return (*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)), stroke.opacity)


_PRINTERS = {"text": _texts, "disk": _disks, "area": _areas, "line": _lines}
