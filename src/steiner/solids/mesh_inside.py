"""Where points lie relative to a closed mesh."""

from __future__ import annotations

import numpy as np

CHUNK = 1 << 20  # point × face pairs at once


def mesh_depth(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance to the nearest face, signed by the winding number (van Oosterom & Strackee 1983)."""
    out = np.zeros(len(points))
    step = max(1, CHUNK // max(len(faces), 1))
    for start in range(0, len(points), step):
        p = points[start : start + step, None, :]
        a, b, c = (vertices[faces[:, k]][None] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        det = (a * np.cross(b, c)).sum(axis=2)
        dots = ((a * b).sum(2) * lc, (b * c).sum(2) * la, (c * a).sum(2) * lb)
        solid_angle = 2 * np.arctan2(det, la * lb * lc + dots[0] + dots[1] + dots[2])
        turns = solid_angle.sum(axis=1) / (4 * np.pi)
        near = np.sqrt(_distance2(a, b, c).min(axis=1))
        out[start : start + step] = np.where(turns > 0.5, near, -near)
    return out


def _distance2(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Squared distance from the origin to triangles."""
    normal = np.cross(b - a, c - a)
    area = (normal * normal).sum(axis=2)
    above = [(np.cross(v - u, -u) * normal).sum(axis=2) >= 0 for u, v in ((a, b), (b, c), (c, a))]
    height = (a * normal).sum(axis=2) ** 2 / np.where(area == 0, 1, area)
    edges = []
    for u, v in ((a, b), (b, c), (c, a)):
        d = v - u
        t = np.clip(-(u * d).sum(axis=2) / np.where((d * d).sum(axis=2) == 0, 1, (d * d).sum(axis=2)), 0, 1)
        edges.append(((u + t[..., None] * d) ** 2).sum(axis=2))
    rim = np.minimum(np.minimum(edges[0], edges[1]), edges[2])
    return np.where(above[0] & above[1] & above[2] & (area > 0), height, rim)
