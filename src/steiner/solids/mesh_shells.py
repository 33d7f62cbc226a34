"""Which way the closed surfaces of a mesh should look: bodies outward, cavities inward, bodies in cavities outward."""

from __future__ import annotations

import numpy as np

from steiner.findings import Finding
from steiner.solids.mesh_crossing import crossings, near
from steiner.solids.mesh_inside import mesh_depth
from steiner.solids.mesh_topology import Shells

MOST_WORK = 1 << 27  # points × faces that are looked at for overlaps in all
MOST_POINTS = 32  # of a shell, to tell in which others it lies
MOST_PAIRS = 1 << 25  # points × faces that are looked at for one pair of shells
TOUCH = 1e-9  # of its size: so near, surfaces touch


def oriented(shells: Shells) -> tuple[np.ndarray, list[int], list[Finding]]:
    """The faces with every shell the right way round, +1 for each body and −1 for each cavity, and findings."""
    parents = _parents(shells)
    signs: list[int] = []
    for volume, parent in zip(shells.volumes, parents, strict=True):
        if parent is None:
            signs.append(1)
        else:  # a cavity in a body, a body in a cavity; a body in a body stays: overlaps are told, not changed
            doubled = volume >= 0 and signs[parent] > 0 and shells.volumes[parent] > 0
            signs.append(1 if doubled else -signs[parent])
    faces, findings = shells.faces, []
    turned = np.flatnonzero(np.array(signs) * shells.volumes < 0)
    if len(turned):
        rows = np.concatenate([shells.rows[k] for k in turned])
        what = f"{len(turned)} of its {len(shells)} closed surfaces ({len(rows)} of {len(faces)} faces) are inside out"
        if len(turned) == len(shells):
            what = f"all {len(rows)} faces point inward (volume {shells.volumes.sum():.6g} m³)"
        findings.append(Finding(
            "inside-out", f"{what}; they were turned outward", cause="the corners of these faces run clockwise",
            fix="turn the normals in the program that wrote the file",
        ))  # fmt: skip
        faces = faces.copy()
        faces[rows] = faces[rows][:, ::-1]
    if len(shells) > 1:
        findings += _overlaps(shells, signs, parents)
    return faces, signs, findings


def _parents(shells: Shells) -> list[int | None]:
    """For each shell, from the largest to the smallest, the smallest one around it, where that matters.

    Among surfaces that all look outward nothing is to be decided, nor for one away from all inside-out ones.
    """
    inward = np.flatnonzero(shells.volumes < 0)
    if not len(inward) or len(shells) == 1:
        return [None] * len(shells)
    boxes, slack = shells.boxes, TOUCH * shells.sizes[:, None]
    reach_low, reach_high = boxes[inward, 0].min(axis=0), boxes[inward, 1].max(axis=0)
    apart = ((boxes[:, 1] < reach_low) | (boxes[:, 0] > reach_high)).any(axis=1)
    parents: list[int | None] = []
    for k in range(len(shells)):
        if apart[k]:
            parents.append(None)
            continue
        around = (boxes[:k, 0] - slack[:k] <= boxes[k, 0]) & (boxes[k, 1] <= boxes[:k, 1] + slack[:k])
        smallest_first = np.flatnonzero(around.all(axis=1))[::-1]
        parents.append(next((int(j) for j in smallest_first if _holds(shells, int(j), k)), None))
    return parents


def _depth(shells: Shells, k: int, points: np.ndarray) -> np.ndarray:
    """How deep points lie in a shell, whichever way its faces look; of many points only some are asked."""
    faces = shells.faces[shells.rows[k]]
    most = max(4, MOST_PAIRS // len(faces))
    outward = faces if shells.volumes[k] > 0 else faces[:, ::-1]
    return mesh_depth(shells.vertices, outward, points[:: -(-len(points) // most)])


def _some_points(shells: Shells, k: int) -> np.ndarray:
    """A few corners and middles of faces."""
    faces = shells.faces[shells.rows[k]]
    few = faces[:: -(-len(faces) // MOST_POINTS)]
    points = np.vstack([shells.vertices[few[:, 0]], shells.vertices[few].mean(axis=1)])
    return points[:: -(-len(points) // MOST_POINTS)]


def _holds(shells: Shells, outer: int, inner: int) -> bool:
    """Whether a shell within another one's box lies in it: the point that is furthest from the surface says it."""
    depth = _depth(shells, outer, _some_points(shells, inner))
    return bool(depth[np.abs(depth).argmax()] > TOUCH * shells.sizes[outer])


def _overlaps(shells: Shells, signs: list[int], parents: list[int | None]) -> list[Finding]:
    """Several bodies in one mesh that share space: what they share is counted twice (cavities are not)."""
    bodies = np.flatnonzero(np.array(signs) > 0)
    hosted = {k for k, parent in enumerate(parents) if parent is not None and signs[parent] < 0}
    pairs = near(shells.boxes[bodies])
    work = MOST_WORK if pairs is not None else -1
    for i, j in np.sort(bodies[pairs], axis=1).tolist() if pairs is not None else ():
        if j in hosted and parents[j] != parents[i]:
            continue
        low, high = np.maximum(*shells.boxes[[i, j], 0]), np.minimum(*shells.boxes[[i, j], 1])
        if not (low < high).all():
            continue
        work -= min(MOST_PAIRS, len(shells.rows[i]) * len(shells.rows[j]))
        if work < 0:
            break
        if _share(shells, i, j, low, high):
            x, y, z = low
            return [Finding(
                "overlapping-bodies", f"two of its {len(shells)} closed surfaces overlap near ({x:g}, {y:g}, {z:g}) m: "
                "what they share is counted twice", cause="bodies of a drawing were exported without joining them",
                fix="join them in the drawing, or take their union",
            )]  # fmt: skip
    if work < 0:
        text = f"its {len(bodies)} bodies are too many or too fine to look for overlaps of all of them"
        return [Finding("not-looked", text, "note", fix="look with diagnose(self_intersection=True)")]
    return []


def _share(shells: Shells, i: int, j: int, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a corner, or the middle, of one lies in the other, or an edge of one passes through the other."""
    slack = TOUCH * shells.sizes[i]
    for one, other in ((i, j), (j, i)):
        corners = shells.corners(one)
        points = np.vstack([corners.mean(axis=0), corners[((corners >= low) & (corners <= high)).all(axis=1)]])
        if _depth(shells, other, points).max() > slack:
            return True
    return _cross(shells, i, j, low, high)


def _cross(shells: Shells, i: int, j: int, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether faces of two shells pass through each other, like bars that cross: neither has a corner in the other."""
    chosen = []
    for k in (i, j):
        faces = shells.faces[shells.rows[k]]
        corners = shells.vertices[faces]
        chosen.append(faces[((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)])
    pairs = crossings(shells.vertices, np.vstack(chosen))
    return pairs is not None and bool(((pairs < len(chosen[0])).sum(axis=1) == 1).any())
