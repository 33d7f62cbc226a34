"""Where points lie relative to a closed mesh.

Two matrix products tell which faces can be nearest to a point, two more which of them a line through it can cross;
only those are looked at closely.
"""

from __future__ import annotations

import numpy as np

CHUNK = 1 << 20  # point × face pairs at once
SLACK = 1e-6  # of the size: more than the products lose
ASKEW = np.linalg.qr(np.array([[0.31, 0.59, 0.83], [0.71, -0.43, 0.17], [-0.29, 0.67, 0.97]]))[0]  # along no edge


def mesh_depth(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance to the nearest face, > 0 inside: where the surface winds around the point."""
    corners = vertices[faces]
    middle = (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
    corners, moved = (corners - middle) @ ASKEW, (points - middle) @ ASKEW  # the line is now the third axis
    step = max(1, CHUNK // max(len(faces), 1))
    parts = [_signed(corners, moved[k : k + step]) for k in range(0, len(points), step)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _signed(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    distance, (up, down) = _distance(corners, points), _crossings(corners, points)
    inside = up > 0
    grazed = up != down  # the line met an edge, or the surface has a hole: ask the solid angles
    inside[grazed] = _turns(corners, points[grazed]) > 0.5
    return np.where(inside, distance, -distance)


def _distance(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """To the nearest face: no further than any face's middle, no nearer than its plane, nor than the ball around it."""
    centres = corners.mean(axis=1)
    radii = np.sqrt(((corners - centres[:, None]) ** 2).sum(axis=2).max(axis=1))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    apart = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * points @ centres.T
    apart = np.sqrt(np.maximum(apart, 0))
    furthest = apart.min(axis=1, keepdims=True) + SLACK * (np.abs(corners).max() + np.abs(points).max(initial=0))
    may = (apart <= furthest + radii) & (np.abs(points @ normals.T - (normals * centres).sum(axis=1)) <= furthest)
    which, face = np.nonzero(may)
    squares = _distance2(*np.moveaxis(corners[face] - points[which, None], 1, 0))
    return np.sqrt(np.minimum.reduceat(squares, np.searchsorted(which, np.arange(len(points)))))


def _crossings(corners: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How often the surface is left on the way up from each point, less how often it is entered; the same downwards."""
    flat = np.column_stack([points[:, :2], np.ones(len(points))])
    left = [flat @ _side(corners[:, k], corners[:, (k + 1) % 3]).T > 0 for k in range(3)]
    which, face = np.nonzero((left[0] == left[1]) & (left[1] == left[2]))
    a, b, c = np.moveaxis(corners[face] - points[which, None], 1, 0)
    outward = left[0][which, face]  # counterclockwise seen from above: the outside is above
    leaving, above = np.where(outward, 1, -1), ((np.cross(b - a, c - a) * a).sum(axis=1) > 0) == outward
    up, down = (np.bincount(which[s], leaving[s], len(points)) for s in (above, ~above))
    return up, -down


def _side(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(x, y, 1) · this > 0 to the left of the line from start to end, seen from above."""
    dx, dy = (end - start)[:, :2].T
    return np.column_stack([-dy, dx, dy * start[:, 0] - dx * start[:, 1]])


def _turns(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The winding number: solid angles of all faces (van Oosterom & Strackee 1983)."""
    a, b, c = np.moveaxis(corners - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    det = (a * np.cross(b, c)).sum(axis=2)
    dots = (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
    return 2 * np.arctan2(det, la * lb * lc + dots).sum(axis=1) / (4 * np.pi)


def _distance2(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Squared distance from the origin to triangles."""
    normal = np.cross(b - a, c - a)
    area = (normal * normal).sum(axis=1)
    above = [(np.cross(v - u, -u) * normal).sum(axis=1) >= 0 for u, v in ((a, b), (b, c), (c, a))]
    height = (a * normal).sum(axis=1) ** 2 / np.where(area == 0, 1, area)
    edges = []
    for u, v in ((a, b), (b, c), (c, a)):
        d = v - u
        square = (d * d).sum(axis=1)
        t = np.clip(-(u * d).sum(axis=1) / np.where(square == 0, 1, square), 0, 1)
        edges.append(((u + t[:, None] * d) ** 2).sum(axis=1))
    rim = np.minimum(np.minimum(edges[0], edges[1]), edges[2])
    return np.where(above[0] & above[1] & above[2] & (area > 0), height, rim)
