"""Faces of a mesh that pass through each other, also where that happens exactly in an edge or a corner.

Whether surfaces cross or only touch cannot be seen in an edge or a corner.  So every corner is moved inward by a hair,
then outward: bodies that touch part in one of the two, what passes through each other does so in both.
"""

from __future__ import annotations

import numpy as np

from steiner.solids.mesh_topology import normals

MOST_PAIRS = 20_000_000  # of boxes that overlap along x
CHUNK = 1 << 17
HAIR = 1e-7  # of its size
ASKEW = 0.1  # of a hair: corners are moved a little sideways too, so that what is symmetric does not stay so
ALIGNED = 1e-10  # one less the cosine between faces in one plane


def crossings(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray | None:
    """Pairs (k, 2) of faces that cross, or look the same way from one place; None if there is too much to look at."""
    if not len(faces):
        return np.zeros((0, 2), np.int64)
    vertices = vertices - vertices[faces[:, 0]].mean(axis=0)
    hair = HAIR * float(np.ptp(vertices[faces], axis=(0, 1)).max())
    corners = vertices[faces]
    pairs = near(np.stack([corners.min(axis=1) - hair, corners.max(axis=1) + hair], axis=1))
    if pairs is None:
        return None
    unit = normals(vertices, faces)
    length = np.linalg.norm(unit, axis=1, keepdims=True)
    unit /= np.where(length == 0, 1, length)
    out, chance = _outward(unit, faces, len(vertices)), np.random.default_rng(1)
    moved = [vertices + hair * (way * out + chance.uniform(-ASKEW, ASKEW, out.shape)) for way in (-1, 1)]
    found: list[list[np.ndarray]] = [[], [], []]
    for start in range(0, len(pairs), CHUNK):
        some = pairs[start : start + CHUNK]
        some = some[_may_meet(corners, faces, unit, some[:, 0], some[:, 1], 3 * hair)]
        for kept, placed in zip(found, moved, strict=False):
            kept.append(some[_through(placed, faces, some[:, 0], some[:, 1])])
        found[2].append(some[_flush(corners, unit, some[:, 0], some[:, 1], hair)])
    within, without, flush = (np.concatenate(kept) if kept else pairs for kept in found)
    seen = np.isin(_meetings(faces, within, len(vertices)), _meetings(faces, without, len(vertices)))
    return np.unique(np.concatenate([within[seen.any(axis=1)], flush]), axis=0)


def _may_meet(
    corners: np.ndarray, faces: np.ndarray, unit: np.ndarray, i: np.ndarray, j: np.ndarray, hair: float
) -> np.ndarray:
    """Faces neither of which lies on one side of the other, but for a corner that they share; no side is shared."""
    may = np.ones(len(i), bool)
    for one, other in ((i, j), (j, i)):
        shared = (faces[other][:, :, None] == faces[one][:, None, :]).any(axis=2)
        height = np.einsum("pkx,px->pk", corners[other] - corners[one][:, :1], unit[one])
        above, below = np.where(shared, np.inf, height).min(axis=1), np.where(shared, -np.inf, height).max(axis=1)
        may &= (above < hair) & (below > -hair) & (shared.sum(axis=1) < 2)
    return may


def _outward(unit: np.ndarray, faces: np.ndarray, count: int) -> np.ndarray:
    """The mean direction of the faces around each vertex."""
    sums = [np.bincount(faces.ravel(), np.repeat(unit[:, k], 3), count) for k in range(3)]
    mean = np.stack(sums, axis=1)
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return mean / np.where(length == 0, 1, length)


def _meetings(faces: np.ndarray, pairs: np.ndarray, count: int) -> np.ndarray:
    """Numbers (k, 9) for the corners of one face and those of the other: neighbours of a pair share one of them."""
    one, other = faces[pairs[:, 0]][:, :, None], faces[pairs[:, 1]][:, None, :]
    return (np.minimum(one, other).astype(np.int64) * count + np.maximum(one, other)).reshape(-1, 9)


def _through(vertices: np.ndarray, faces: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Whether an edge of one face passes through the other; an edge from a corner that they share does not count."""
    hit = np.zeros(len(i), bool)
    for one, other in ((i, j), (j, i)):
        shared = (faces[one][:, :, None] == faces[other][:, None, :]).any(axis=2)
        for k in range(3):
            asked = np.flatnonzero(~hit & ~shared[:, k] & ~shared[:, (k + 1) % 3])
            start, end = (vertices[faces[one[asked], corner]] for corner in (k, (k + 1) % 3))
            hit[asked] = _pierces(start, end, vertices[faces[other[asked]]])
    return hit


def _flush(corners: np.ndarray, unit: np.ndarray, i: np.ndarray, j: np.ndarray, hair: float) -> np.ndarray:
    """Whether faces lie in one plane, look the same way and overlap: what is behind them is inside twice."""
    hit = (unit[i] * unit[j]).sum(axis=1) > 1 - ALIGNED
    chosen = np.flatnonzero(hit)
    i, j = i[chosen], j[chosen]
    apart = np.abs(np.einsum("pkx,px->pk", corners[j] - corners[i][:, :1], unit[i])).max(axis=1) > hair / 10
    for one, other in ((i, j), (j, i)):
        for k in range(3):
            start, along = corners[one, k], corners[one, (k + 1) % 3] - corners[one, k]
            away = np.cross(along, unit[one])  # out of the face, in its plane
            reach = np.einsum("pkx,px->pk", corners[other] - start[:, None], away).min(axis=1)
            apart |= reach >= -hair * np.linalg.norm(along, axis=1)
    hit[chosen[apart]] = False
    return hit


def near(corners: np.ndarray) -> np.ndarray | None:
    """Pairs of triangles (n, 3, 3), or of boxes (n, 2, 3), that may meet; None if there are too many.

    Their boxes are sorted along the axis where they are spread most, then swept.
    """
    if not len(corners):
        return np.zeros((0, 2), np.int64)
    low, high = corners.min(axis=1), corners.max(axis=1)
    axis = int(((high - low).mean(axis=0) / np.maximum(np.ptp(low, axis=0), 1e-300)).argmin())
    order = np.argsort(low[:, axis])
    low, high = low[order], high[order]
    ends = np.searchsorted(low[:, axis], high[:, axis], side="right")
    counts = ends - np.arange(len(ends)) - 1
    if counts.sum() > MOST_PAIRS:
        return None
    kept = []
    step = max(1, CHUNK * len(counts) // max(int(counts.sum()), 1))
    for start in range(0, len(counts), step):
        part = counts[start : start + step]
        i = np.repeat(np.arange(start, start + len(part)), part)
        j = i + 1 + np.arange(len(i)) - np.repeat(np.cumsum(part) - part, part)
        both = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
        kept.append(np.stack([order[i[both]], order[j[both]]], axis=1))
    return np.concatenate(kept)


def _pierces(start: np.ndarray, end: np.ndarray, through: np.ndarray) -> np.ndarray:
    """Whether edges pass through the inside of triangles (Möller & Trumbore 1997)."""
    a, u, v = through[:, 0], through[:, 1] - through[:, 0], through[:, 2] - through[:, 0]
    along, away = end - start, start - a
    across, turned = np.cross(along, v), np.cross(away, u)
    det = (u * across).sum(axis=1)
    safe = np.where(det == 0, 1.0, det)
    s, t, w = ((x * y).sum(axis=1) / safe for x, y in ((away, across), (along, turned), (v, turned)))
    small = 1e-12 * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1) * np.linalg.norm(along, axis=1)
    return (np.abs(det) > small) & (s > 0) & (t > 0) & (s + t < 1) & (w > 0) & (w < 1)
