"""Maps of a quantity over the workspace; needs the extra `report` (matplotlib)."""

from __future__ import annotations

from typing import Any

from steiner.analysis.structure import StructureMap
from steiner.errors import ArgumentError, described, is_one_of


def plot(found: StructureMap, axes: Any = None, plane: str = "xz") -> Any:
    """See `StructureMap.plot`."""
    from matplotlib import pyplot

    if not is_one_of(plane, ("xy", "xz", "yx", "yz", "zx", "zy")):
        raise ArgumentError(f"plane={described(plane)}: expected two axes of the world, such as 'xz'")
    if axes is not None and not callable(getattr(axes, "scatter", None)):
        raise ArgumentError(f"axes: expected those of a matplotlib figure, got {described(axes)}")
    axes = axes if axes is not None else pyplot.figure().add_subplot()
    i, j = ("xyz".index(letter) for letter in plane)
    picture = axes.scatter(found.position[..., i].ravel(), found.position[..., j].ravel(), c=found.values.ravel(), s=8)
    axes.figure.colorbar(picture, ax=axes, label=found.quantity)
    axes.set_xlabel(f"{plane[0]} / m")
    axes.set_ylabel(f"{plane[1]} / m")
    axes.set_aspect("equal")
    return axes
