"""What hides what: triangles and segments from the back to the front, cut where they pierce each other.

The plane of a face parts the picture: what lies behind it comes first, then the face, then what lies on the viewer's
side, and so on in both halves (Fuchs, Kedem & Naylor 1980).  Corners are in pixels: right, down, towards the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

FLAT = 1e-4  # pixels: how far from a plane is still in it
TRIED = 8  # planes, of which the one that cuts least is taken
MOST = 30_000  # pieces; a picture of more is sorted by depth


@final
@dataclass(frozen=True, eq=False)
class Pieces:
    """Triangles (n, 3, 3) with the number of their face, segments (m, 2, 3) with that of their line."""

    triangles: np.ndarray
    faces: np.ndarray
    segments: np.ndarray
    lines: np.ndarray

    def __len__(self) -> int:
        return len(self.triangles) + len(self.segments)

    def kept(self, triangles: np.ndarray, segments: np.ndarray) -> Pieces:
        """Some of them."""
        return Pieces(self.triangles[triangles], self.faces[triangles], self.segments[segments], self.lines[segments])

    def and_(self, other: Pieces) -> Pieces:
        """Both."""
        names = ("triangles", "faces", "segments", "lines")
        return Pieces(*(np.concatenate([getattr(self, n), getattr(other, n)]) for n in names))


def back_to_front(pieces: Pieces, owner: np.ndarray, drawn: np.ndarray, convex: np.ndarray) -> list[Pieces]:
    """Groups of pieces: of one group, triangles do not hide each other and come before segments.

    `owner` is the body of each face, `drawn` that of each line; faces of a `convex` body that look at the viewer never
    hide each other.  Where more than `MOST` pieces are needed, depth alone orders them.
    """
    done: list[Pieces] = []
    left, count = [(pieces, False)], len(pieces)
    while left:
        some, ready = left.pop()
        bodies = np.unique(np.concatenate([owner[some.faces], drawn[some.lines]]))
        if ready or not len(some.triangles) or (len(bodies) == 1 and convex[bodies[0]]):
            done.append(some)
            continue
        behind, within, before = _parted(some, *_plane(some))
        count += len(behind) + len(within) + len(before) - len(some)
        if count > MOST:
            return _by_depth(pieces)
        left += [(before, False), (within, True), (behind, False)]  # the last is next
    return [some for some in done if len(some)]


def _by_depth(pieces: Pieces) -> list[Pieces]:
    """Each alone, by its middle."""
    depth = np.concatenate([pieces.triangles[:, :, 2].mean(axis=1), pieces.segments[:, :, 2].mean(axis=1)])
    none, count = np.zeros(0, int), len(pieces.triangles)
    order = [np.array([k]) for k in np.argsort(depth, kind="stable")]
    return [pieces.kept(k, none) if k < count else pieces.kept(none, k - count) for k in order]


def _plane(pieces: Pieces) -> tuple[np.ndarray, float]:
    """Of some of the faces, the plane that cuts fewest triangles and leaves the sides balanced."""
    tried = np.unique(np.linspace(0, len(pieces.triangles) - 1, TRIED).astype(int))
    normals, offsets = _planes(pieces.triangles[tried])
    height = pieces.triangles @ normals.T - offsets
    before, behind = (height > FLAT).any(axis=1), (height < -FLAT).any(axis=1)
    cost = 4 * (before & behind).sum(axis=0) + np.abs(before.sum(axis=0) - behind.sum(axis=0))
    best = int(cost.argmin())
    return normals[best], float(offsets[best])


def _planes(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals towards the viewer, and how far along them the planes lie."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    normals = np.cross(c - a, b - a)
    normals *= np.where(normals[:, 2:] < 0, -1, 1) / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return normals, (normals * a).sum(axis=1)


def _parted(pieces: Pieces, normal: np.ndarray, offset: float) -> tuple[Pieces, Pieces, Pieces]:
    """What lies behind a plane, within it and before it; what it cuts is on both sides."""
    high, far = pieces.triangles @ normal - offset, pieces.segments @ normal - offset
    above, below, over, under = (
        np.asarray(found.any(axis=1)) for found in (high > FLAT, high < -FLAT, far > FLAT, far < -FLAT)
    )
    none = np.zeros(len(pieces.segments), bool)
    cut = pieces.kept(above & below, over & under)
    cut_behind, cut_before = _cut(cut, high[above & below], far[over & under])
    behind = pieces.kept(below & ~above, under & ~over).and_(cut_behind)
    before = pieces.kept(above & ~below, ~under).and_(cut_before)  # a segment in the plane is drawn upon it
    return behind, pieces.kept(~above & ~below, none), before


def _cut(pieces: Pieces, high: np.ndarray, far: np.ndarray) -> tuple[Pieces, Pieces]:
    """The two sides of triangles and segments whose corners are that high over a plane, some below and some above."""
    alone = np.where((high > 0).sum(axis=1) == 1, (high > 0).argmax(axis=1), (high <= 0).argmax(axis=1))
    rows, turn = np.arange(len(alone))[:, None], (alone[:, None] + np.arange(3)) % 3
    (a, b, c), (ha, hb, hc) = np.moveaxis(pieces.triangles[rows, turn], 1, 0), high[rows, turn].T
    p, q = (a + (ha / (ha - h))[:, None] * (corner - a) for corner, h in ((b, hb), (c, hc)))
    tips, trunks = np.stack([a, p, q], 1), np.concatenate([np.stack([p, b, c], 1), np.stack([p, c, q], 1)])
    up, twice = ha > 0, np.concatenate([pieces.faces, pieces.faces])
    s, e = np.moveaxis(pieces.segments, 1, 0)
    middle = s + (far[:, 0] / (far[:, 0] - far[:, 1]))[:, None] * (e - s)
    halves, rising = np.stack([np.stack([s, middle], 1), np.stack([middle, e], 1)]), far[:, 1] > 0
    found = []
    for side in (False, True):
        mine, theirs = up == side, np.tile(up != side, 2)
        half = np.where((rising == side)[:, None, None], halves[1], halves[0])
        triangles = np.concatenate([tips[mine], trunks[theirs]])
        faces = np.concatenate([pieces.faces[mine], twice[theirs]])
        real = _areas(triangles) > FLAT**2
        found.append(Pieces(triangles[real], faces[real], half, pieces.lines))
    return found[0], found[1]


def _areas(triangles: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
