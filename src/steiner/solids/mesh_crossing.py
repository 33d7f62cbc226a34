"""Faces of a mesh that pass through each other."""

from __future__ import annotations

import numpy as np

MOST_PAIRS = 20_000_000  # of boxes that overlap along x
CHUNK = 1 << 18


def crossings(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray | None:
    """Pairs (k, 2) of faces of which one's edge passes through the other; None if there is too much to look at.

    Faces that share a corner are neighbours, and left out; so are faces in one plane.
    """
    pairs = near(vertices[faces])
    if pairs is None:
        return None
    found = []
    for start in range(0, len(pairs), CHUNK):
        i, j = pairs[start : start + CHUNK].T
        apart = ~(faces[i][:, :, None] == faces[j][:, None, :]).any(axis=(1, 2))
        i, j = i[apart], j[apart]
        hit = _pierces(vertices[faces[i]], vertices[faces[j]]) | _pierces(vertices[faces[j]], vertices[faces[i]])
        found.append(np.stack([i[hit], j[hit]], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)


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


def _pierces(edges_of: np.ndarray, through: np.ndarray) -> np.ndarray:
    """Whether an edge of the first triangle passes through the inside of the second (Möller & Trumbore 1997)."""
    a, u, v = through[:, 0], through[:, 1] - through[:, 0], through[:, 2] - through[:, 0]
    hit = np.zeros(len(a), bool)
    for k in range(3):
        start, along = edges_of[:, k], edges_of[:, (k + 1) % 3] - edges_of[:, k]
        across = np.cross(along, v)
        det = (u * across).sum(axis=1)
        safe = np.where(det == 0, 1.0, det)
        away = start - a
        s = (away * across).sum(axis=1) / safe
        turned = np.cross(away, u)
        t, w = (along * turned).sum(axis=1) / safe, (v * turned).sum(axis=1) / safe
        small = 1e-12 * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1) * np.linalg.norm(along, axis=1)
        hit |= (np.abs(det) > small) & (s > 0) & (t > 0) & (s + t < 1) & (w > 0) & (w < 1)
    return hit
