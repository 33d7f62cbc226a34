"""Scenes of meshes: every instance where its scene puts it, all of them as one mesh in metres.

Scenes can name a mesh many times and nodes within nodes, so what they unfold to is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steiner.errors import FormatError
from steiner.findings import Finding

DEEPEST = 100  # nodes within nodes
MOST_NODES = 10_000  # that are visited
MOST_TRIANGLES = 5_000_000  # that instances may make of fewer


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
    """Counts the nodes that are visited: nodes that name each other twice unfold without end."""

    def __init__(self, path: Path) -> None:
        self.path, self.seen = path, 0

    def step(self, depth: int) -> None:
        """One node more, so deep below the root."""
        self.seen += 1
        if depth > DEEPEST or self.seen > MOST_NODES:
            raise FormatError(
                f"{self.path}: nodes within nodes without end (at most {MOST_NODES}, {DEEPEST} deep, are read)"
            )


def merged(path: Path, pieces: Sequence[Piece], scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """All pieces as one mesh; a mirrored one is turned, so that its faces look outward again."""
    if not pieces:
        raise FormatError(f"{path}: no triangle in the scene of this file; expected a mesh")
    stored = sum(len(faces) for faces in {id(p.faces): p.faces for p in pieces}.values())
    shown = sum(len(p.faces) for p in pieces)
    if shown > max(stored, MOST_TRIANGLES):
        raise FormatError(f"{path}: {stored} triangles become {shown} by instances; at most {MOST_TRIANGLES} are read")
    vertices, faces, count = [], [], 0
    for points, triangles, matrix in pieces:
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(points)):
            bad = triangles.min() if triangles.min() < 0 else triangles.max()
            raise FormatError(f"{path}: a face uses vertex {bad}, but the vertices are 0 … {len(points) - 1}")
        if not np.isfinite(matrix).all():
            raise FormatError(f"{path}: a mesh is placed by numbers that are not finite")
        vertices.append(scale * (points @ matrix[:3, :3].T + matrix[:3, 3]))
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        faces.append(count + (triangles[:, ::-1] if mirrored else triangles))
        count += len(points)
    return np.concatenate(vertices), np.concatenate(faces)
