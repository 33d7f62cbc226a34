"""Meshes too fine for a picture: corners of one cell of a grid become one."""

from __future__ import annotations

import numpy as np

MOST_FACES = 12_000  # that a picture shows; finer ones are smaller than a line is wide
FINEST, COARSEST = 96, 8  # cells along the longest side


def coarsened(
    vertices: np.ndarray, faces: np.ndarray, *, most: int = MOST_FACES
) -> tuple[np.ndarray, np.ndarray]:
    """The same shape with few enough faces; each kept corner is the middle of those in its cell."""
    cells = FINEST
    points, kept = vertices, faces
    while len(kept) > most and cells >= COARSEST:
        points, kept = _clustered(vertices, faces, cells)
        cells = cells * 3 // 4
    return points, kept


def _clustered(vertices: np.ndarray, faces: np.ndarray, cells: int) -> tuple[np.ndarray, np.ndarray]:
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    x, y, z = ((vertices - low) / size * (cells - 1e-9)).astype(np.int64).T
    _, which = np.unique((x * (cells + 1) + y) * (cells + 1) + z, return_inverse=True)
    which = which.ravel()
    count = np.bincount(which)[:, None]
    points = np.stack([np.bincount(which, weights=vertices[:, k]) for k in range(3)], axis=1) / count
    moved = which[faces]
    same_side = (_normals(points[moved]) * _normals(vertices[faces])).sum(axis=1) > 0  # folds and vanished faces go
    whole = moved[same_side]
    lowest = whole.argmin(axis=1)[:, None]
    return points, np.unique(np.take_along_axis(whole, (lowest + np.arange(3)) % 3, axis=1), axis=0)


def _normals(corners: np.ndarray) -> np.ndarray:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
