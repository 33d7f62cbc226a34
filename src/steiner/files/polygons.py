"""Faces by the numbers of their corners, as files list them: polygons become fans of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from steiner.errors import FormatError, clipped
from steiner.files.words import values, whole

MOST_AROUND = 10  # triangles for each vertex; Euler: a closed surface has two, and four more for each handle
FEW = 1000  # triangles that are always looked at

Faces = tuple[np.ndarray, np.ndarray]


def fans(path: Path, polygons: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Triangles (n, 3) from the first corner of each polygon; `count` vertices are there."""
    sizes = np.array([len(p) for p in polygons], np.int64)
    return fanned(path, np.concatenate(polygons) if len(polygons) else np.zeros(0, np.int64), sizes, count)


def fanned(path: Path, corners: np.ndarray, sizes: np.ndarray, count: int) -> np.ndarray:
    """The same for the corners of all polygons, one after another."""
    triangles = np.maximum(sizes - 2, 0)
    plausible(path, int(triangles.sum()), count)
    if (sizes == 3).all():
        return corners.reshape(-1, 3)
    first = np.repeat(np.cumsum(sizes) - sizes, triangles)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([corners[first], corners[second], corners[second + 1]], axis=1)


def plausible(path: Path, triangles: int, vertices: int) -> None:
    """A few bytes can list a face, and each takes a hundred to look at: what no surface has is refused before."""
    if triangles > MOST_AROUND * vertices + FEW:
        raise FormatError(
            f"{path}: {triangles} triangles between {vertices} vertices, where a closed surface has about two for each "
            f"(at most {MOST_AROUND} are read): faces are listed over and over, or it is damaged"
        )


def floats(path: Path, text: bytes) -> np.ndarray:
    """The numbers of a text."""
    try:
        return values(text)
    except ValueError as error:
        raise FormatError(f"{path}: expected numbers ({clipped(str(error), 120)})") from None


def indices(path: Path, numbers: np.ndarray) -> np.ndarray:
    """Numbers of vertices, as whole ones."""
    try:
        return whole(numbers)
    except ValueError as error:
        raise FormatError(f"{path}: numbers of vertices: {error}") from None


def checked(path: Path, mesh: Faces) -> Faces:
    """A mesh whose corners exist and are finite; `path` names it."""
    vertices, faces = mesh
    if len(faces) == 0:
        raise FormatError(f"{path}: no face in this file; expected a mesh")
    plausible(path, len(faces), len(vertices))
    if len(outside := np.flatnonzero(((faces < 0) | (faces >= len(vertices))).any(axis=1))):
        raise FormatError(
            f"{path}: face {outside[0] + 1} uses a vertex that is missing ({faces[outside[0]].tolist()}); the vertices "
            f"are 0 … {len(vertices) - 1}"
        )
    return finite(path, mesh)


def finite(path: Path, mesh: Faces) -> Faces:
    """A mesh without corners at infinity or nowhere."""
    vertices, faces = mesh
    sound = np.isfinite(vertices).all(axis=1)
    if not sound.all():
        lost = np.flatnonzero(~sound)
        bad, face = int(lost[0]), np.flatnonzero(np.isin(faces, lost).any(axis=1))
        which = f"face {face[0] + 1} has a corner" if len(face) else f"vertex {bad + 1} is a point"
        raise FormatError(f"{path}: {which} that is not finite ({vertices[bad].tolist()}); export it again")
    return mesh
