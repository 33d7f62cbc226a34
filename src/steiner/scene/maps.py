"""Maps of a quantity over the workspace, torques over speeds; needs the extra `report` (matplotlib)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from steiner.analysis.capacity import WORKSPACE, Capacity
from steiner.analysis.sizing import Sizing
from steiner.analysis.structure import StructureMap
from steiner.errors import ArgumentError, SteinerError, clipped, described, is_one_of
from steiner.text.names import picture as safe
from steiner.text.written import replacing

KINDS = ("svg", "png", "pdf")
PLANES = ("xy", "xz", "yx", "yz", "zx", "zy")
CELLS = 60  # of a map, along its longer side
FLAT = 1e-6  # of the reach: less is no extent
CLOUD, LIMIT, PEAK = "#1f5f8b", "#b3261e", "#e08a00"


def plot(found: StructureMap, axes: Any = None, plane: str = "xz") -> Any:
    """See `StructureMap.plot`."""
    if not is_one_of(plane, PLANES):
        raise ArgumentError(f"plane={described(plane)}: expected two axes of the world, such as 'xz'")
    axes = _axes(axes)
    i, j = ("xyz".index(letter) for letter in plane)
    picture = axes.scatter(found.position[..., i].ravel(), found.position[..., j].ravel(), c=found.values.ravel(), s=8)
    axes.figure.colorbar(picture, ax=axes, label=found.quantity)
    _label(axes, plane)
    return axes


def _axes(axes: Any) -> Any:
    from matplotlib import pyplot

    if axes is not None and not callable(getattr(axes, "scatter", None)):
        raise ArgumentError(f"axes: expected those of a matplotlib figure, got {described(axes)}")
    return axes if axes is not None else pyplot.figure().add_subplot()


def _label(axes: Any, plane: str) -> None:
    axes.set_xlabel(f"{plane[0]} / m")
    axes.set_ylabel(f"{plane[1]} / m")
    axes.set_aspect("equal")


# ---- payload -------------------------------------------------------------------------------------------


def plot_capacity(found: Capacity, axes: Any = None, plane: str | None = None) -> Any:
    """See `Capacity.plot`: over a workspace the least of all poses in each cell of the map, else every pose."""
    if plane is not None and not is_one_of(plane, (*PLANES, "rz")):
        raise ArgumentError(f"plane={described(plane)}: expected two axes of the world, such as 'xz', or 'rz'")
    axes = _axes(axes)
    plane = plane or best_plane(found.positions, around=found.kind == WORKSPACE)
    a, b = (_coordinate(found.positions, letter) for letter in plane)
    cells, extent = _cells(a, b, found.masses)
    values = cells if found.kind == WORKSPACE else found.masses
    finite = values[np.isfinite(values)]
    most = float(np.quantile(finite, 0.95)) if finite.size else 1.0  # a few huge ones would hide all others
    values = np.where(np.isposinf(values), most, values)
    colours = {"vmin": 0.0, "vmax": most or 1.0, "cmap": "viridis"}
    if found.kind == WORKSPACE:
        picture = axes.imshow(np.ma.masked_invalid(values), origin="lower", extent=extent, **colours)
    else:
        picture = axes.scatter(a, b, c=values, s=14, **colours)
    axes.figure.colorbar(picture, ax=axes, extend="max", label="payload / kg", fraction=0.046, pad=0.03)
    _mark(axes, found, plane)
    _label(axes, plane)
    axes.set_xlabel("distance from the z axis / m" if plane[0] == "r" else f"{plane[0]} / m")
    return axes


def _mark(axes: Any, found: Capacity, plane: str) -> None:
    at = [_coordinate(found.position[None], letter)[0] for letter in plane]
    by = f", {found.joint}" if found.joint else ""
    amount = f"{found.mass:.3g} kg" if math.isfinite(found.mass) else "no limit"
    axes.plot(*at, "o", ms=8, mfc="none", mec=LIMIT, mew=2)
    axes.plot(0, 0, "k+", ms=9, mew=1.5)
    axes.use_sticky_edges = False
    axes.margins(0.05)
    who = safe(clipped(f"{found.robot.name}: payload at {found.link}", 50))
    axes.set_title(f"{who}\n{safe(clipped(f'least (circle): {amount}{by}', 50))}", fontsize=10)


def best_plane(positions: np.ndarray, *, around: bool = True) -> str:
    """The plane in which positions lie, or extend most; of those all around, distance from the z axis and height."""
    extent = np.ptp(positions, axis=0)
    least = int(extent[::-1].argmin())  # of z, y, x: the first
    flat = extent[2 - least] <= FLAT * extent.max()
    return "rz" if around and not flat else ("xy", "xz", "yz")[least]


def _coordinate(positions: np.ndarray, letter: str) -> np.ndarray:
    return np.hypot(*positions[:, :2].T) if letter == "r" else positions[:, "xyz".index(letter)]


def _cells(a: np.ndarray, b: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """The least value in each square cell, NaN where there is none, and where the cells begin and end."""
    count = max(4, min(CELLS, round(math.sqrt(len(a) / 4))))  # about four poses or more in a cell
    side = max(float(np.ptp(a)), float(np.ptp(b))) / count or 1.0
    i, j = (np.floor((x - x.min()) / side).astype(int) for x in (a, b))
    least = np.full((j.max() + 1, i.max() + 1), np.inf)
    np.minimum.at(least, (j, i), values)
    seen = np.zeros(least.shape, bool)
    seen[j, i] = True
    extent = (a.min(), a.min() + side * least.shape[1], b.min(), b.min() + side * least.shape[0])
    return np.where(seen, least, np.nan), tuple(map(float, extent))  # type: ignore[return-value]


# ---- torque over speed ---------------------------------------------------------------------------------


def plot_sizing(found: Sizing, figure: Any = None) -> Any:
    """See `Sizing.plot`: a panel for each joint, speeds across, torques up, the limits as a box."""
    if figure is not None and not callable(getattr(figure, "subplots", None)):
        raise ArgumentError(f"figure: expected one of matplotlib, got {described(figure)}")
    n = len(found.joint_names)
    across = min(n, 4) if n != 5 and n != 6 else 3
    down = math.ceil(n / across)
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure()
    figure.set_size_inches(3.2 * across, 2.7 * down + 0.5)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for k, axes in enumerate(panels):
        if k < n:
            _panel(axes, found, k)
        else:
            axes.set_visible(False)
    figure.suptitle(safe(f"{found.robot.name}: torque over speed (dots: peaks, dashed: limits)"), fontsize=11)
    figure.tight_layout()
    return figure


def _panel(axes: Any, found: Sizing, k: int) -> None:
    turns = found.units[k] == "N m"
    speed, torque = found.qd[:, k], found.tau[:, k]
    axes.axhline(0, color="0.8", lw=0.8)
    axes.axvline(0, color="0.8", lw=0.8)
    axes.plot(speed, torque, color=CLOUD, lw=1.3)
    at = int(np.abs(torque).argmax())
    axes.plot(speed[at], torque[at], "o", color=PEAK, ms=5)
    wide, high = (max(float(np.abs(x).max()), 1e-12) * 1.15 for x in (speed, torque))
    for limit, line in ((found.limits.velocity[k], axes.axvline), (found.limits.effort[k], axes.axhline)):
        for sign in (-1, 1) if math.isfinite(limit) else ():
            line(sign * limit, color=LIMIT, lw=1.2, ls="--")
    # limits far away would shrink the cloud to a point: they are shown where they are near
    wide = max(wide, min(1.1 * found.limits.velocity[k], 3 * wide)) if math.isfinite(found.limits.velocity[k]) else wide
    high = max(high, min(1.1 * found.limits.effort[k], 3 * high)) if math.isfinite(found.limits.effort[k]) else high
    axes.set_xlim(-wide, wide)
    axes.set_ylim(-high, high)
    margin = float(found.effort_margin[k])
    told = f"limit / peak = {margin:.3g}" if math.isfinite(margin) else "no effort limit"
    name = safe(clipped(found.joint_names[k], 30))
    axes.set_title(f"{name}\n{told}", fontsize=8.5, color="k" if margin >= 1 else LIMIT)
    axes.set_xlabel("rad/s" if turns else "m/s", fontsize=8)
    axes.set_ylabel(found.units[k], fontsize=8)
    axes.tick_params(labelsize=8)


# ---- files ---------------------------------------------------------------------------------------------


def save(found: Capacity | Sizing, path: Path, *, force: bool = False) -> Path:
    """The picture of a map or of torques in a file: .svg, .png or .pdf."""
    kind = path.suffix[1:].lower()
    if kind not in KINDS:
        raise ArgumentError(f"{path.name}: a picture is written as {', '.join('.' + k for k in KINDS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise SteinerError("this picture needs matplotlib: pip install 'steiner[report]'") from None
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with replacing(path, force=force, binary=True) as file:
        figure = Figure()
        FigureCanvasAgg(figure)
        if isinstance(found, Sizing):
            plot_sizing(found, figure)
        else:
            plot_capacity(found, figure.add_subplot())
        with rc_context({"svg.hashsalt": "steiner"}):  # the same picture is the same file
            figure.savefig(file, format=kind, dpi=150, bbox_inches="tight", metadata=undated)
    return path
