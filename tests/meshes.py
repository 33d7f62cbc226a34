"""Meshes for tests; none of them sits at the origin, where a missing face can hide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.spatial import ConvexHull as QHull

AWAY = np.array([3.0, -2.0, 1.5])


def box(size=(1.0, 0.7, 0.4), at=AWAY):
    """Vertices and faces of a box."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) * size + at
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    return corners, np.array(faces)


def polytope(seed: int, count: int = 12, at=AWAY):
    """Vertices (multiples of 2⁻²⁰, so that they are exact) and outward faces of a random convex body."""
    points = np.round(np.random.default_rng(seed).normal(size=(count, 3)) * 2**18) / 2**20 + at
    hull = QHull(points)
    used, faces = np.unique(hull.simplices, return_inverse=True)
    corners, faces = points[used], faces.reshape(-1, 3)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * (a - corners.mean(axis=0))).sum(axis=1) < 0
    return corners, np.where(inward[:, None], faces[:, ::-1], faces)


def joined(*meshes):
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(v) for v, _ in meshes)])
    return np.vstack([v for v, _ in meshes]), np.vstack([f + s for (_, f), s in zip(meshes, starts, strict=False)])


def turned(mesh):
    """A mesh inside out."""
    vertices, faces = mesh
    return vertices, faces[:, ::-1]


def torus(n: int, m: int, at=AWAY):
    """A closed surface of 2 n m triangles, wavy and off the origin."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 0.3 + 0.02 * np.sin(7 * u) * np.cos(5 * v)
    points = np.stack([(1 + r * np.cos(v)) * np.cos(u), (1 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], axis=-1) + at
    k = np.arange(n * m).reshape(n, m)
    a, b, c, d = k, np.roll(k, -1, 0), np.roll(np.roll(k, -1, 0), -1, 1), np.roll(k, -1, 1)
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return points.reshape(-1, 3), faces


def exact_moments(vertices, faces):
    """Volume, centre and gyration in exact arithmetic, by the divergence theorem from the origin."""
    points = [[Fraction(float(x)) for x in p] for p in vertices]
    volume, first, second = Fraction(0), [Fraction(0)] * 3, [[Fraction(0)] * 3 for _ in range(3)]
    for face in faces:
        a, b, c = (points[k] for k in face)
        det = (
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        volume += det / 6
        s = [a[i] + b[i] + c[i] for i in range(3)]
        first = [first[i] + det * s[i] / 24 for i in range(3)]
        for i in range(3):
            for j in range(3):
                second[i][j] += det * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) / 120
    centre = [x / volume for x in first]
    gyration = [[second[i][j] / volume - centre[i] * centre[j] for j in range(3)] for i in range(3)]
    return float(volume), np.array([float(x) for x in centre]), np.array([[float(x) for x in row] for row in gyration])


def binary_stl(vertices, faces) -> bytes:
    """A binary STL file."""
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    rows = np.zeros(len(faces), record)
    rows["corners"] = np.asarray(vertices)[faces]
    return b"solid of no sort".ljust(80) + np.uint32(len(faces)).tobytes() + rows.tobytes()


def ascii_stl(vertices, faces) -> str:
    """An ascii STL file."""
    facets = []
    for face in faces:
        corners = "".join(f"vertex {x!r} {y!r} {z!r}\n" for x, y, z in np.asarray(vertices)[face].tolist())
        facets.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
    return f"solid part of facets\n{''.join(facets)}endsolid part\n"
