"""Pictures of assemblies: parts, centre of mass, principal axes, equivalent inertia ellipsoid.

Needs the extra `report` (matplotlib); imported when first used.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import SteinerError
from steiner.text.names import picture
from steiner.text.written import replacing

__all__ = ["draw", "inertia_ellipsoid"]

COLOURS = ("#4878a8", "#e1a13a", "#5a9367", "#a85a7a", "#7a6fb0", "#b0663d", "#4f9aa8", "#8a8a4a")
CAVITY = "#c0392b"
AXES = ("#c0392b", "#27864b", "#2c5fa8")


def inertia_ellipsoid(body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Semi-axes [m] and axes (columns) of the homogeneous ellipsoid with the same mass and tensor.

    a² = 5 (I₂ + I₃ − I₁) / (2 m): what a solid ellipsoid of that mass must measure.  A body that no
    mass can make has no such ellipsoid; its impossible semi-axis is drawn as zero.
    """
    if not body.is_numeric or body.mass <= 0:
        raise SteinerError("an inertia ellipsoid needs a body with numbers and a mass > 0")
    moments, axes = body.principal()
    squares = 5 * (moments.sum() - 2 * moments) / (2 * float(body.mass))
    return np.sqrt(np.maximum(squares, 0)), axes


def draw(
    assembly: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    resolution: int = 24,
    view: tuple[float, float] = (22, -58),
    size: tuple[float, float] = (8, 6),
) -> Any:
    """A figure of an assembly; written to `path` (.svg, .png, .pdf) if one is given.

    Parts are translucent, cavities red outlines, measured bodies without a shape a dot at their
    centre.  The black dot is the centre of mass, the arrows are the principal axes (x red, y green, z
    blue: from the smallest moment to the largest), the grey wire is the equivalent inertia ellipsoid.
    """
    figure_class, poly = _matplotlib()
    figure = figure_class(figsize=size)
    ax: Any = figure.add_subplot(projection="3d", elev=view[0], azim=view[1])
    points = [_draw_part(ax, poly, node, k, resolution) for k, node in enumerate(_leaves(assembly))]
    body = assembly.mass_properties
    ellipsoid = _draw_body(ax, body)
    _frame(ax, np.vstack([*points, ellipsoid]))
    figure.text(0.02, 0.97, _title(assembly.name, body), fontsize=9, va="top")
    ax.set_position([0.03, 0.0, 0.78, 0.92])
    ax.legend(
        loc="upper left", bbox_to_anchor=(0.81, 0.97), bbox_transform=figure.transFigure, fontsize=7, frameon=False
    )
    if path is not None:
        target = Path(path) if Path(path).suffix else Path(path).with_suffix(".png")
        with replacing(target, force=True, binary=True) as file:
            figure.savefig(file, format=target.suffix[1:].lower(), dpi=160, metadata=_undated(target))
    return figure


def _matplotlib() -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    except ImportError:
        raise SteinerError("pictures need matplotlib; install steiner[report]") from None

    def figure(**options: Any) -> Any:
        made = Figure(**options)
        FigureCanvasAgg(made)
        return made

    return figure, Poly3DCollection


def _undated(path: str | os.PathLike[str]) -> dict[str, Any]:
    """No date in the file: the same assembly gives the same bytes."""
    ending = os.fspath(path).lower()
    if ending.endswith(".svg"):
        return {"Date": None}
    return {"CreationDate": None} if ending.endswith(".pdf") else {}


def _leaves(assembly: Any) -> list[Any]:
    found = [node for node in assembly.nodes() if not hasattr(node.part, "children")]
    if not all(node.part.mass_properties.is_numeric and node.pose.p.dtype == float for node in found):
        raise SteinerError(f"{assembly.name}: a picture needs numbers; substitute values with .subs({{symbol: value}})")
    return found


def _draw_part(ax: Any, poly: Any, node: Any, index: int, resolution: int) -> np.ndarray:
    part, colour = node.part, COLOURS[index % len(COLOURS)]
    label = picture(node.path.partition("/")[2])
    if part.solid is None:
        centre = node.pose.apply(part.mass_properties.com)[None]
        ax.scatter(*centre.T, color=colour, marker="s", s=28, label=f"{label} (no shape)")
        return centre
    vertices, faces = part.solid.at(node.pose).mesh(resolution)
    if len(faces) == 0:
        ax.plot(*vertices.T, color=colour, linewidth=2.5, label=label)
        return vertices
    if part.cavity:
        for line in _creases(vertices, faces):
            ax.plot(*line.T, color=CAVITY, linewidth=0.9, linestyle=(0, (3, 2)))
        ax.plot([], [], [], color=CAVITY, linewidth=0.9, linestyle=(0, (3, 2)), label=f"− {label}")
        return vertices
    shape = poly(vertices[faces], facecolors=_shaded(colour, vertices, faces), alpha=0.32, edgecolor="none")
    ax.add_collection3d(shape)
    for line in _creases(vertices, faces):
        ax.plot(*line.T, color=colour, linewidth=0.8)
    ax.plot([], [], [], color=colour, linewidth=4, alpha=0.6, label=label)
    return vertices


def _shaded(colour: str, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """The colour, darker where a face turns away from the light."""
    base = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = 0.68 + 0.32 * (normal @ np.array([0.4, -0.5, 0.77]))
    return np.clip(base * light[:, None], 0, 1)


def _creases(vertices: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Edges where the surface bends by more than 30°: the lines of a drawing."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    sides: dict[tuple[int, int], list[int]] = {}
    for k, face in enumerate(faces.tolist()):
        for u, v in zip(face, face[1:] + face[:1], strict=True):
            sides.setdefault((min(u, v), max(u, v)), []).append(k)
    sharp = [e for e, ks in sides.items() if len(ks) != 2 or normal[ks[0]] @ normal[ks[1]] < 0.866]
    return [vertices[list(e)] for e in sharp]


def _draw_body(ax: Any, body: Any) -> np.ndarray:
    centre = np.asarray(body.com, dtype=float)
    semi, axes = inertia_ellipsoid(body)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    shell = centre + (ball * semi) @ axes.T
    ax.plot_wireframe(shell[..., 0], shell[..., 1], shell[..., 2], color="#555555", linewidth=0.35, alpha=0.7)
    ax.plot([], [], [], color="#555555", linewidth=0.7, label="inertia ellipsoid")
    reach = max(semi.max(), 1e-12)
    for k, name in enumerate(("I₁", "I₂", "I₃")):
        tip = axes[:, k] * (semi[k] + 0.25 * reach)
        ax.plot(*np.stack([centre, centre + tip]).T, color=AXES[k], linewidth=1.6)
        ax.text(*(centre + 1.06 * tip), name, color=AXES[k], fontsize=8)
    ax.scatter(*centre[:, None], color="black", s=26, depthshade=False, zorder=10, label="centre of mass")
    return np.vstack([shell.reshape(-1, 3), *(centre + axes[:, k] * (semi[k] + 0.25 * reach) for k in range(3))])


def _frame(ax: Any, points: np.ndarray) -> None:
    """The same scale along all axes, and units on them."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 0.08 * (high - low).max())
    middle = (low + high) / 2
    for k, axis in enumerate("xyz"):
        getattr(ax, f"set_{axis}lim")(middle[k] - 0.52 * span[k], middle[k] + 0.52 * span[k])
        getattr(ax, f"set_{axis}label")(f"{axis} [m]", fontsize=8, labelpad=7)
        getattr(ax, f"{axis}axis").set_major_locator(_ticks(5 if span[k] > 0.4 * span.max() else 2))
    ax.set_box_aspect(span, zoom=1.06)
    ax.tick_params(labelsize=6)


def _ticks(count: int) -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(count)


def _title(name: str, body: Any) -> str:
    moments, _ = body.principal()
    size = np.sqrt(moments.max() / float(body.mass)) or 1.0
    x, y, z = (0.0 if abs(v) < 1e-12 * size else float(v) for v in body.com)
    listed = ", ".join(f"{m:.4g}" for m in moments)
    centre = f"centre ({x:.4g}, {y:.4g}, {z:.4g}) m"
    return f"{picture(name)}: {float(body.mass):.4g} kg, {centre}\nprincipal moments {listed} kg m²"
