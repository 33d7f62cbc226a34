"""Volume, first and second moments of what triangles enclose: sums over tetrahedra from one point to every face.

The point is near the middle, and the sums are done again from the centroid where it was not near enough: a part 1 km
from the origin keeps its digits.  The text of one tetrahedron is traced into a kernel for meshes of floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from steiner.backends import Kernel, compile_tape, default_backend
from steiner.backends.pool import ranges, run, thread_count
from steiner.scalar import select
from steiner.trace import trace

BLOCK = 1 << 13  # triangles whose moments stay in the cache, and are few enough for a plain sum
NATIVE = 20_000  # triangles from which on native code pays for its loading
SAMPLE = 4096  # corners that tell about where the middle is
ROUNDS = 3  # of coming nearer to the centroid
NEAR = 1 / 16  # of the squared gyration radius: so near to the centroid, nothing is lost by moving there

Moments = tuple[Any, np.ndarray, np.ndarray]
Progress = Callable[[int], None]


class Indexed(NamedTuple):
    """Triangles by the numbers of their corners."""

    vertices: np.ndarray
    faces: np.ndarray

    def __len__(self) -> int:
        return len(self.faces)

    def taken(self, rows: slice) -> np.ndarray:
        """Some of the triangles, as (k, 9)."""
        return self.vertices[self.faces[rows]].reshape(-1, 9)


class Soup(NamedTuple):
    """Triangles (n, 3, 3) by their corners."""

    corners: np.ndarray

    def __len__(self) -> int:
        return len(self.corners)

    def taken(self, rows: slice) -> np.ndarray:
        """Some of the triangles, as (k, 9)."""
        return self.corners[rows].reshape(-1, 9)


Triangles = Indexed | Soup


def tetrahedron(a: Any, b: Any, c: Any, *, sliver: bool = False) -> list[Any]:
    """6 V, 24 ∫ r dV and 120 ∫ r rᵀ dV (xx xy xz yy yz zz) of the tetrahedron (0, a, b, c); its corners are (x, y, z).

    With s = a + b + c: ∫ r rᵀ dV = det/120 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ).  `sliver` takes the cross product of the two
    shorter edges, so that a thin triangle keeps its digits.
    """
    if sliver:
        a, b, c = _opposite_the_longest(a, b, c)
    u, v = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c))
    det = a[0] * (u[1] * v[2] - u[2] * v[1]) + a[1] * (u[2] * v[0] - u[0] * v[2]) + a[2] * (u[0] * v[1] - u[1] * v[0])
    s = [p + q + r for p, q, r in zip(a, b, c, strict=True)]
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    second = [det * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) for i, j in pairs]
    return [det, *(det * x for x in s), *second]


def _opposite_the_longest(a: Any, b: Any, c: Any) -> Any:
    """The corners in the same turn, the first of them the one opposite the longest edge."""
    la, lb, lc = (sum((q - p) ** 2 for p, q in zip(*ends, strict=True)) for ends in ((b, c), (c, a), (a, b)))
    from_b, from_c = lb - la, lc - select(lb - la, lb, la)
    return [
        [select(from_c, z, select(from_b, y, x)) for x, y, z in zip(*turn, strict=True)]
        for turn in ((a, b, c), (b, c, a), (c, a, b))
    ]  # fmt: skip


def moments(vertices: np.ndarray, faces: np.ndarray, apex: np.ndarray) -> Moments:
    """Volume, ∫ r dV and ∫ r rᵀ dV over a closed mesh, r from the apex; any kind of number."""
    if vertices.dtype != object:
        return _scaled(_summed(Indexed(vertices, faces), apex))
    a, b, c = ((vertices[faces[:, k]] - apex).T for k in range(3))
    return _scaled([column.sum() for column in tetrahedron(a, b, c)])


def central_moments(triangles: Triangles, progress: Progress | None = None) -> Moments:
    """Volume, centroid and second moments per volume about it, of closed triangles of floats."""
    few = triangles.taken(slice(None, None, max(1, len(triangles) // SAMPLE)))
    apex = few.astype(float).reshape(-1, 3).mean(axis=0)
    volume, shift, gyration = _about(triangles, apex, progress)
    for _ in range(ROUNDS):  # what does not settle encloses next to nothing
        if not np.isfinite(gyration).all() or shift @ shift <= NEAR * abs(np.trace(gyration)):
            break
        apex = apex + shift
        volume, shift, gyration = _about(triangles, apex, progress)
    return volume, apex + shift, gyration


def _about(triangles: Triangles, apex: np.ndarray, progress: Progress | None) -> Moments:
    """Volume, the centroid from the apex, and second moments per volume about the centroid."""
    volume, first, second = _scaled(_summed(triangles, apex, progress))
    if not volume:
        return volume, np.zeros(3), second
    shift = first / volume
    return volume, shift, second / volume - np.outer(shift, shift)


def _scaled(sums: Any) -> Moments:
    volume, x, y, z, xx, xy, xz, yy, yz, zz = (Fraction(v) if isinstance(v, int) else v for v in sums)
    return volume / 6, np.array([x, y, z]) / 24, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) / 120


@cache
def _kernel(backend: str) -> Kernel:
    def text(corners: Any, apex: Any) -> Any:
        a, b, c = ([corners[3 * k + i] - apex[i] for i in range(3)] for k in range(3))
        return [np.array(tetrahedron(a, b, c, sliver=True))]

    return compile_tape(trace(text, [("corners", 9), ("apex", 3)]), backend=backend, threads=1)


def _blocks(triangles: Triangles, apex: np.ndarray, use: Callable[[int, np.ndarray], None]) -> None:
    """`use(start, moments (k, 10))` for blocks of triangles, on several threads if it pays."""
    chosen = default_backend()
    kernel = _kernel("numpy" if chosen == "llvm" and len(triangles) < NATIVE else chosen)
    start = np.array(apex, float).reshape(1, 3)

    def part(lo: int, hi: int) -> None:
        out, floats = np.zeros((BLOCK, 10)), np.zeros((BLOCK, 9))
        for k in range(lo, hi, BLOCK):
            count = min(BLOCK, hi - k)
            floats[:count] = triangles.taken(slice(k, k + count))
            kernel([floats[:count], start], [out[:count]], count)
            use(k, out[:count])

    threads = thread_count()
    run(part, ranges(len(triangles), 4 * BLOCK, BLOCK, threads), threads)


def _summed(triangles: Triangles, apex: np.ndarray, progress: Progress | None = None) -> list[float]:
    """The ten moments of all triangles: plain sums in a block, exact ones of the blocks."""
    sums: list[np.ndarray] = []

    def add(start: int, block: np.ndarray) -> None:
        sums.append(np.ones(len(block)) @ block)
        if progress is not None:
            progress(len(block))

    _blocks(triangles, apex, add)
    return [math.fsum(column) for column in np.array(sums).reshape(-1, 10).T]


def signed_volumes(triangles: Triangles, apex: np.ndarray) -> np.ndarray:
    """The volume of the tetrahedron over each triangle."""
    out = np.zeros(len(triangles))

    def keep(start: int, block: np.ndarray) -> None:
        out[start : start + len(block)] = block[:, 0]

    _blocks(triangles, apex, keep)
    return out / 6
