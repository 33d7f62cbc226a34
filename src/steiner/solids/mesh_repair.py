"""Mending a mesh: corners that nearly meet are joined, copies left out, faces turned alike, holes closed.

Nothing is mended that was not asked for, and everything that was done is told.
"""

from __future__ import annotations

import numpy as np

from steiner.backends.grouping import joined
from steiner.findings import Finding
from steiner.solids.mesh_examine import Examined, closed, counted, examined
from steiner.solids.mesh_topology import Edges, normals

NEAR = 1e-5  # of its size: corners of a rim so near are one
WIDEST = 0.05  # of the surface: what holes may take


def repaired(found: Examined) -> tuple[Examined | None, list[Finding]]:
    """A sound mesh, if mending gives one, and what was done or what forbids it."""
    vertices, faces, done = found.vertices, found.faces, []
    for step in (_joined_rims, _without_copies, _turned_alike, _without_holes):
        vertices, faces, told = step(vertices, faces)
        done += told
        if any(f.severity == "error" for f in told):
            return None, done
    again = examined(vertices, faces)
    return (None, [*done, *again.faults]) if again.faults else (again, done)


def _done(code: str, text: str) -> Finding:
    return Finding(code, text, "warning", cause="repair was asked for", fix="mend the drawing")


Step = tuple[np.ndarray, np.ndarray, list[Finding]]


def _joined_rims(vertices: np.ndarray, faces: np.ndarray) -> Step:
    """Vertices of open edges that nearly fall together, as one."""
    from scipy.spatial import KDTree

    edges = Edges.of(faces)
    rim = np.unique(edges.ends[edges.times % 2 == 1])
    size = float(np.ptp(vertices, axis=0).max())
    pairs = (
        KDTree(vertices[rim]).query_pairs(NEAR * size, output_type="ndarray") if len(rim) else np.zeros((0, 2), int)
    )
    if not len(pairs):
        return vertices, faces, []
    place = joined(rim[pairs[:, 0]], rim[pairs[:, 1]], len(vertices))
    faces = place[faces]
    a, b, c = faces.T
    kept = faces[(a != b) & (b != c) & (c != a)]
    count = int((place != np.arange(len(place))).sum())
    return (
        vertices,
        kept,
        [_done("joined-corners", f"{counted(count, 'corner')} within {NEAR * size:.2g} m of others joined to them")],
    )


def _without_copies(vertices: np.ndarray, faces: np.ndarray) -> Step:
    """Each set of three corners once; two faces back to back enclose nothing and both go."""
    same = np.sort(faces, axis=1)
    _, first, times = np.unique(same, axis=0, return_index=True, return_counts=True)
    if (times == 1).all():
        return vertices, faces, []
    count = int((times > 1).sum())
    return (
        vertices,
        faces[np.sort(first)],
        [_done("removed-copies", f"{counted(count, 'face')} listed more than once, kept once")],
    )


def _turned_alike(vertices: np.ndarray, faces: np.ndarray) -> Step:
    """Faces of one surface run the same way round: each is kept or turned, so that neighbours agree."""
    edges = Edges.of(faces)
    n, plain = len(faces), edges.times == 2
    sides = edges.sides_on(plain)
    sides = sides[np.argsort(edges.index[sides], kind="stable")].reshape(-1, 2)
    along = edges.along[sides]
    left, right = (sides // 3).T
    other = np.where(along[:, 0] != along[:, 1], 0, n)  # item f: face f kept; item f + n: face f turned
    label = joined(np.concatenate([left, left + n]), np.concatenate([right + other, right + n - other]), 2 * n)
    kept, turned = label[:n], label[n:]
    if (kept == turned).any():
        return vertices, faces, [Finding("one-sided", "the surface has only one side, like a Möbius strip", "error")]
    first = np.minimum(kept, turned)  # of each surface; the fewer of its faces are turned
    most = np.bincount(first, np.where(kept > turned, 1, -1), n) > 0
    flip = (kept > turned) != most[first]
    if not flip.any():
        return vertices, faces, []
    faces = np.where(flip[:, None], faces[:, ::-1], faces)
    told = f"{counted(int(flip.sum()), 'face')} turned to agree with what is beside"
    return vertices, faces, [_done("turned-faces", told)]


def _without_holes(vertices: np.ndarray, faces: np.ndarray) -> Step:
    """Every rim closed by a fan from its middle, if holes are small and rims do not cross."""
    edges = Edges.of(faces)
    if not closed(vertices, edges) or not edges.uneven.any():
        return vertices, faces, []
    sides = edges.sides_on(edges.uneven & (edges.times == 1))
    starts, ends = faces[sides // 3, (sides % 3 + 1) % 3], faces[sides // 3, sides % 3]  # the way a patch runs along
    if len(sides) != edges.uneven.sum() or (np.sort(starts) != np.sort(ends)).any():
        text = "more than two faces meet at its rims, so no patch fits"
        return vertices, faces, [Finding("crossing-rims", text, "error")]
    patches, middles = _fans(vertices, starts, ends, _loops(starts.tolist(), ends.tolist()))
    area = _area(np.vstack([vertices, middles]), patches)
    share = area / max(area + _area(vertices, faces), 1e-300)
    if share > WIDEST:
        return (
            vertices,
            faces,
            [
                Finding(
                    "wide-holes",
                    f"its holes are {share:.0%} of the surface, more than a patch may guess ({WIDEST:.0%})",
                    "error",
                )
            ],
        )
    told = _done(
        "closed-holes",
        f"{counted(len(middles), 'hole')} ({len(starts)} open edges, {area:.3g} m², {share:.2%} of the surface) "
        "closed with flat patches",
    )
    return np.vstack([vertices, middles]), np.vstack([faces, patches]), [told]


def _loops(starts: list[int], ends: list[int]) -> np.ndarray:
    """The number of each side's loop; a loop comes by no vertex twice, though holes may meet in one."""
    leaving: dict[int, list[int]] = {}
    for side, start in enumerate(starts):
        leaving.setdefault(start, []).append(side)
    label, count = np.zeros(len(starts), np.int64), 0
    for first in list(leaving):
        path: list[int] = []
        passed = {first: 0}  # of each vertex of the path: how many sides lead there
        here = first
        while leaving[here]:
            path.append(leaving[here].pop())
            here = ends[path[-1]]
            if here in passed:
                loop = path[passed[here] :]
                label[loop], count = count, count + 1
                del path[passed[here] :]
                for side in loop[1:]:
                    del passed[starts[side]]
            else:
                passed[here] = len(path)
    return label


def _fans(
    vertices: np.ndarray, starts: np.ndarray, ends: np.ndarray, which: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Triangles over closed rims of sides start → end, and the middle of each rim, a new vertex."""
    count = np.bincount(which)[:, None]
    middles = np.stack([np.bincount(which, weights=vertices[starts][:, k]) for k in range(3)], axis=1) / count
    return np.stack([starts, ends, len(vertices) + which], axis=1), middles


def _area(vertices: np.ndarray, faces: np.ndarray) -> float:
    return float(np.linalg.norm(normals(vertices, faces), axis=1).sum()) / 2
