"""How triangles hang together: their edges, the closed surfaces ("shells") they form, and where these do not close."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steiner.backends.grouping import joined, numbered
from steiner.solids.mesh_integrals import Soup, signed_volumes
from steiner.spatial.poses import box

FEW = 60_000  # sides that are sorted as fast by comparing


def welded(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of points (…, 3), each once, and the number of each point's place."""
    rows = points.reshape(-1, 3) + points.dtype.type(0)  # −0 and 0 are the same place
    index, first = numbered(rows.view(np.uint32))
    return rows[first], index.reshape(points.shape[:-1])


def paired(faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The faces on both sides of each edge, if all edges have exactly two and are run through both ways; else None.

    For most files that is all there is to ask.  Sides are sorted by their vertices, which are small numbers.
    """
    start, end = (np.ascontiguousarray(side, np.int32).ravel() for side in (faces, np.roll(faces, -1, axis=1)))
    order = _ordered(np.maximum(start, end), count)
    low = np.minimum(start, end)[order]
    order = order[_ordered(low, count)]
    del low
    start, end = start[order], end[order]
    low, high, along = np.minimum(start, end), np.maximum(start, end), start < end
    del start, end
    even = len(order) % 2 == 0 and all((v[0::2] == v[1::2]).all() for v in (low, high))
    if not even or (along[0::2] == along[1::2]).any():
        return None
    twice = (low[2::2] == low[:-2:2]) & (high[2::2] == high[:-2:2])
    return None if twice.any() else (order[0::2] // 3, order[1::2] // 3)


def _ordered(keys: np.ndarray, count: int) -> np.ndarray:
    """The order that sorts whole numbers below `count` and keeps equal ones as they stand."""
    if len(keys) < FEW:
        return np.argsort(keys, kind="stable").astype(np.int32)
    from scipy.sparse import csr_array  # its transposition counts instead of comparing: linear, several times faster

    rows = np.arange(len(keys) + 1, dtype=np.int32)
    return csr_array((np.zeros(len(keys), np.int8), keys, rows), shape=(len(keys), count)).tocsc().indices


@dataclass(frozen=True, eq=False)
class Edges:
    """The sides of all faces, three each: which undirected edge each is, and how often faces run along it.

    Side 3 f + k runs from corner k of face f to the next.
    """

    faces: np.ndarray
    along: np.ndarray  # of each side: whether it runs from the lower vertex to the higher
    index: np.ndarray  # of each side: its edge
    first: np.ndarray  # of each edge: a side that lies on it

    @classmethod
    def of(cls, faces: np.ndarray) -> Edges:
        """The edges of faces (n, 3)."""
        start = np.ascontiguousarray(faces, np.int32).ravel()
        end = np.ascontiguousarray(np.roll(faces, -1, axis=1), np.int32).ravel()
        rows = np.zeros((len(start), 2), np.int32)
        np.minimum(start, end, out=rows[:, 0])
        np.maximum(start, end, out=rows[:, 1])
        return cls(faces, start < end, *numbered(rows, expected=len(rows) // 2))

    @cached_property
    def times(self) -> np.ndarray:
        """How many faces have each edge."""
        return np.bincount(self.index, minlength=len(self.first))

    @cached_property
    def uneven(self) -> np.ndarray:
        """Edges that are run through more often one way than the other: there the surface has a rim or a twist."""
        return 2 * np.bincount(self.index[self.along], minlength=len(self.first)) != self.times

    @property
    def ends(self) -> np.ndarray:
        """The two vertices (m, 2) of each edge."""
        face, k = np.divmod(self.first, 3)
        return np.stack([self.faces[face, k], self.faces[face, (k + 1) % 3]], axis=1)

    def sides_on(self, chosen: np.ndarray) -> np.ndarray:
        """The sides that lie on chosen edges."""
        return np.flatnonzero(chosen[self.index])

    def surfaces(self) -> np.ndarray:
        """For each face a label of its surface; where more than two faces meet in an edge, surfaces only touch."""
        plain = self.times == 2
        label = self._across(plain)
        if plain.all():
            return label
        pairs, side = np.unique(
            label[np.arange(len(self.index)) // 3] * np.int64(len(plain)) + self.index, return_inverse=True
        )
        rims = pairs[np.bincount(side, weights=np.where(self.along, 1, -1)) != 0] % len(plain)
        if len(rims):  # what does not close by itself is one with what it meets there
            plain[rims] = True
            label = self._across(plain)
        return label

    def _across(self, joining: np.ndarray) -> np.ndarray:
        """The surface of each face, if they hang together across these edges."""
        later = np.ones(len(self.index), bool)
        later[self.first] = False
        if not joining.all():
            later &= joining[self.index]
        sides = np.flatnonzero(later).astype(np.int32)
        return joined(sides // 3, self.first[self.index[sides]] // 3, len(self.faces))


@dataclass(frozen=True, eq=False)
class Shells:
    """The closed surfaces of a mesh, from the largest enclosed volume to the smallest."""

    vertices: np.ndarray
    faces: np.ndarray
    rows: list[np.ndarray]  # of each shell: its faces
    volumes: np.ndarray  # signed: negative if its faces look inward
    boxes: np.ndarray  # (k, 2, 3)

    @classmethod
    def of(cls, vertices: np.ndarray, faces: np.ndarray, label: np.ndarray, volume: float) -> Shells:
        """The shells of faces that have such labels, which enclose that volume in all."""
        if not label.any():  # one surface: a label is the surface's first face
            return cls(vertices, faces, [np.arange(len(faces))], np.array([volume]), box(vertices)[None])
        order = np.argsort(label, kind="stable")
        starts = np.flatnonzero(np.diff(label[order], prepend=-1))
        corners = vertices[faces[order]]
        low, high = (f.reduceat(f.reduce(corners, axis=1), starts, axis=0) for f in (np.minimum, np.maximum))
        corners -= np.repeat((low + high) / 2, np.diff(starts, append=len(order)), axis=0)[:, None]
        volumes = np.add.reduceat(signed_volumes(Soup(corners), np.zeros(3)), starts)
        largest = np.argsort(-np.abs(volumes), kind="stable")
        rows = np.split(order, starts[1:])
        boxes = np.stack([low, high], axis=1)[largest]
        return cls(vertices, faces, [rows[k] for k in largest], volumes[largest], boxes)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sizes(self) -> np.ndarray:
        """The longest edge of each shell's box."""
        return (self.boxes[:, 1] - self.boxes[:, 0]).max(axis=1)

    def corners(self, k: int) -> np.ndarray:
        """The vertices of a shell."""
        return self.vertices[np.unique(self.faces[self.rows[k]])]


def normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Out of each face, twice as long as its area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)
