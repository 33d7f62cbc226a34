"""Scenes of meshes: every instance where its scene puts it, all of them as one mesh in metres.

Scenes can name a mesh many times and nodes within nodes, so what they unfold to is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steiner.errors import FormatError
from steiner.files.polygons import plausible
from steiner.findings import Finding

DEEPEST = 100  # nodes within nodes
MOST_NODES = 10_000  # that are visited
MOST_MORE = 1_000_000  # triangles that instances may add to those of the file: a hundred megabytes


class Piece(NamedTuple):
    """A mesh, and the matrix (4, 4) that puts it into its scene."""

    vertices: np.ndarray
    faces: np.ndarray
    matrix: np.ndarray


class Scene(NamedTuple):
    """All of a scene as one mesh, and what there is to tell about its file."""

    vertices: np.ndarray
    faces: np.ndarray
    findings: tuple[Finding, ...] = ()


class Walk:
    """Counts the nodes that wait to be visited: nodes that name each other twice unfold without end."""

    def __init__(self, path: Path) -> None:
        self.path, self.seen = path, 0

    def step(self, depth: int, count: int = 1) -> None:
        """Some nodes more, so deep below the root."""
        self.seen += count
        if depth > DEEPEST or self.seen > MOST_NODES:
            raise FormatError(
                f"{self.path}: nodes within nodes without end (at most {MOST_NODES}, {DEEPEST} deep, are read)"
            )


def _unfolded(path: Path, kind: str, column: Sequence[np.ndarray]) -> int:
    """How many the pieces have together; those that share an array have it stored once."""
    stored, shown = (sum(map(len, rows)) for rows in ({id(rows): rows for rows in column}.values(), column))
    if shown > stored + MOST_MORE:
        raise FormatError(
            f"{path}: {stored} {kind} become {shown} by instances; at most {MOST_MORE} more than are stored are read"
        )
    return shown


def merged(path: Path, pieces: Sequence[Piece], scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """All pieces as one mesh; a mirrored one is turned, so that its faces look outward again."""
    if not pieces:
        raise FormatError(f"{path}: no triangle in the scene of this file; expected a mesh")
    shown, count = (
        _unfolded(path, kind, column)
        for kind, column in (("triangles", [p.faces for p in pieces]), ("vertices", [p.vertices for p in pieces]))
    )
    vertices, faces = np.zeros((count, 3)), np.zeros((shown, 3), np.int32 if count < 2**31 else np.int64)
    at, row = 0, 0
    for points, triangles, matrix in pieces:
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(points)):
            bad = triangles.min() if triangles.min() < 0 else triangles.max()
            raise FormatError(f"{path}: a face uses vertex {bad}, but the vertices are 0 … {len(points) - 1}")
        if not np.isfinite(matrix).all():
            raise FormatError(f"{path}: a mesh is placed by numbers that are not finite")
        plausible(path, len(triangles), len(points))
        placed = vertices[at : at + len(points)]
        np.matmul(points, matrix[:3, :3].T, out=placed)
        placed += matrix[:3, 3]
        placed *= scale
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        np.add(
            triangles[:, ::-1] if mirrored else triangles, at, out=faces[row : row + len(triangles)], casting="unsafe"
        )
        at, row = at + len(points), row + len(triangles)
    return vertices, faces
