"""Maps of a quantity over the workspace; needs the extra `report` (matplotlib)."""

from __future__ import annotations

from typing import Any

from steiner.analysis.structure import StructureMap


def plot(found: StructureMap, axes: Any = None, plane: str = "xz") -> Any:
    """See `StructureMap.plot`."""
    from matplotlib import pyplot

    axes = axes if axes is not None else pyplot.figure().add_subplot()
    i, j = ("xyz".index(letter) for letter in plane)
    picture = axes.scatter(found.position[..., i].ravel(), found.position[..., j].ravel(), c=found.values.ravel(), s=8)
    axes.figure.colorbar(picture, ax=axes, label=found.quantity)
    axes.set_xlabel(f"{plane[0]} / m")
    axes.set_ylabel(f"{plane[1]} / m")
    axes.set_aspect("equal")
    return axes
