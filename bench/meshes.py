"""Meshes from file to mass properties: ours and trimesh's, on a closed surface of a million triangles."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import GeometryError
from steiner.files.mesh import mesh_from
from steiner.files.stl import RECORD, read_stl
from steiner.solids.mesh_integrals import Soup, central_moments

SIDES = (1000, 500)  # quads around and along the torus: two triangles each
REPEATS = 5


@dataclass(frozen=True)
class MeshRow:
    """One way from file to numbers: seconds here and there."""

    case: str
    triangles: int
    seconds: float
    peer: str
    peer_seconds: float

    @property
    def ratio(self) -> float:
        """How many times longer the other takes."""
        return self.peer_seconds / self.seconds


def torus(n: int, m: int) -> np.ndarray:
    """Corners (2 n m, 3, 3) of a wavy torus away from the origin."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 0.3 + 0.02 * np.sin(7 * u) * np.cos(5 * v)
    points = np.stack([(1 + r * np.cos(v)) * np.cos(u), (1 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], axis=-1)
    a = (points + [3.0, -2.0, 1.5]).astype(np.float32)
    b, d = np.roll(a, -1, 0), np.roll(a, -1, 1)
    c = np.roll(b, -1, 1)
    return np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)


def write(path: Path, corners: np.ndarray) -> Path:
    """A binary STL file."""
    rows = np.zeros(len(corners), RECORD)
    rows["corners"] = corners
    path.write_bytes(b"bench".ljust(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())
    return path


def mesh_rows(quick: bool = False) -> list[MeshRow]:
    """Reading and integrating; and from file to diagnosed mass properties.  Nothing if trimesh is missing."""
    try:
        import trimesh
    except ImportError:
        return []
    corners = torus(*(side // 4 for side in SIDES) if quick else SIDES)
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "torus.stl", corners)
        _refuses(write(Path(folder) / "holed.stl", corners[1:]))

        def theirs(diagnosed: bool) -> float:
            mesh: Any = trimesh.load_mesh(path)
            if diagnosed and not mesh.is_watertight:
                raise SystemExit("trimesh finds the torus open")
            return float(mesh.mass_properties["volume"])

        plain = lambda: central_moments(Soup(read_stl(path, lambda count: None)))[0]  # noqa: E731
        sound = lambda: mesh_from(path, unit="m").volume  # noqa: E731
        for ours in (plain(), sound()):
            if not np.isclose(ours, theirs(False), rtol=1e-9):
                raise SystemExit(f"trimesh differs: {ours} and {theirs(False)} m³")
        cases: tuple[tuple[str, Callable[[], Any], bool], ...] = (
            ("STL read and integrated", plain, False), ("STL to diagnosed mass properties", sound, True),
        )  # fmt: skip
        return [
            MeshRow(title, len(corners), _best(ours, REPEATS), "trimesh", _best(lambda d=diagnosed: theirs(d), 2))
            for title, ours, diagnosed in cases
        ]


def _refuses(path: Path) -> None:
    try:
        mesh_from(path, unit="m")
    except GeometryError:
        return
    raise SystemExit("a mesh without one of its faces was not refused")


def _best(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
