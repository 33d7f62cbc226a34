"""What is swept along an axis: prisms over any polygon, with holes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from steiner.solids import polygon as plane
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart, triangle_points
from steiner.solids.primitives import lifted


@final
@dataclass(frozen=True)
class Prism(Solid):
    """Any simple polygon in xy, with holes, swept along z: |z| ≤ height/2."""

    polygon: Any
    height: Any
    holes: Any = ()
    axis: str = "z"
    convex = False
    frame = "polygon in the xy plane as given, centred in z"
    POSITIVE = ("height",)

    def __post_init__(self) -> None:
        super().__post_init__()
        loops = plane.checked("Prism", self.polygon, self.holes)
        loops, height = plane.exact_beside(loops, self.height)
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "polygon", loops[0])
        object.__setattr__(self, "holes", loops[1:])
        object.__setattr__(self, "convex", plane.is_convex(loops))

    @property
    def loops(self) -> tuple[plane.Loop, ...]:
        """Outer loop and holes."""
        return (self.polygon, *self.holes)

    @classmethod
    def example(cls) -> Self:
        """An L with a square hole."""
        outer = [(0, 0), (0.12, 0), (0.12, 0.04), (0.05, 0.04), (0.05, 0.1), (0, 0.1)]
        return cls(outer, 0.03, [[(0.01, 0.01), (0.03, 0.01), (0.03, 0.03), (0.01, 0.03)]])

    def _measure(self) -> Any:
        x, y = plane.reference(self.loops)
        return plane.moment(plane.shifted(self.loops, x, y), 0, 0) * self.height

    def _xy(self) -> tuple[Any, Any]:
        x, y = plane.reference(self.loops)
        loops = plane.shifted(self.loops, x, y)
        area = plane.moment(loops, 0, 0)
        return x + plane.moment(loops, 1, 0) / area, y + plane.moment(loops, 0, 1) / area

    def _centre(self) -> Any:
        return [*self._xy(), 0]

    def _gyration(self) -> Any:
        loops = plane.shifted(self.loops, *self._xy())
        area = plane.moment(loops, 0, 0)
        xx, xy, yy = (plane.moment(loops, p, q) / area for p, q in ((2, 0), (1, 1), (0, 2)))
        return [[xx, xy, 0], [xy, yy, 0], [0, 0, self.height**2 / 12]]

    def _charts(self) -> list[Chart]:
        h, corner = self.height, self.polygon[0]
        charts = []
        for loop in self.loops:
            for k in range(len(loop)):
                point, twice = triangle_points((corner, loop[k], loop[(k + 1) % len(loop)]))
                charts.append(
                    Chart(
                        ("z", "s", "t"),
                        ((-h / 2, h / 2), (0, 1), (0, 1)),
                        lambda z, s, t, point=point: (*point(s, t), z),
                        lambda z, s, t, twice=twice: twice * s,
                    )
                )
        return charts

    def _support(self, directions: np.ndarray) -> np.ndarray:
        corners = np.array([(x, y, 0) for x, y in self.polygon], dtype=float)
        best = corners[(directions @ corners.T).argmax(axis=1)]
        return lifted(best, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        wall = plane.inside(self.loops, points[:, :2])
        return np.minimum(wall, float(self.height) / 2 - np.abs(points[:, 2]))

    def _mesh(self, resolution: int) -> Triangles:
        """Caps and walls; exact, whatever the resolution."""
        flat = np.array([p for loop in self.loops for p in loop], dtype=float)
        n, half = len(flat), float(self.height) / 2
        vertices = np.vstack([np.column_stack([flat, np.full(n, z)]) for z in (-half, half)])
        caps = plane.triangulated(self.loops)
        ahead = np.array(plane.ahead(self.loops))
        k = np.arange(n)
        walls = np.vstack([np.stack([k, ahead, ahead + n], 1), np.stack([k, ahead + n, k + n], 1)])
        return self._outward(vertices), np.vstack([caps[:, ::-1], caps + n, walls])
