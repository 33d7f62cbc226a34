"""What must hold before a mesh's numbers can be trusted: closed, faces that agree about the outside, a volume.

Errors stop a mesh, warnings say what was changed or is counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steiner.backends.grouping import joined, numbered
from steiner.findings import Finding
from steiner.solids.mesh_integrals import Indexed, Moments, central_moments
from steiner.solids.mesh_shells import oriented
from steiner.solids.mesh_topology import Edges, Shells, normals, paired
from steiner.spatial.poses import box
from steiner.text.tables import shown

ROUNDING = 1e-15  # a body thinner than this part of its coordinates is none
NAMED = 3  # places that a sentence names
SMALLEST, LARGEST = 1e-5, 100.0  # m: beyond that a unit is likely wrong


@dataclass(frozen=True, eq=False)
class Examined:
    """A mesh as it was found, with its faces turned outward if it is sound."""

    vertices: np.ndarray
    faces: np.ndarray
    findings: tuple[Finding, ...]
    signs: tuple[int, ...] = ()  # +1 for each body, −1 for each cavity
    moments: Moments | None = None  # of a sound mesh of floats

    @property
    def faults(self) -> list[Finding]:
        """What forbids to integrate it."""
        return [f for f in self.findings if f.severity == "error"]


def examined(vertices: np.ndarray, faces: np.ndarray, moments: Moments | None = None) -> Examined:
    """Look at a mesh of any kind of number; only floats can tell which way its faces look.

    `moments` are those of its faces as they stand, about their centroid, if they are known.
    """
    faces, findings = _distinct_corners(faces)
    if not len(faces):
        nothing = Finding("no-volume", "no face has an area; expected a solid body", "error")
        return Examined(vertices, faces, (*findings, nothing))
    pairs = paired(faces, len(vertices))
    edges = Edges.of(faces) if pairs is None else None
    findings += closed(vertices, edges) if edges else []
    if vertices.dtype == object or any(f.severity == "error" for f in findings):
        return Examined(vertices, faces, tuple(findings))
    label = edges.surfaces() if edges else joined(*pairs, len(faces))  # type: ignore[misc]
    moments = moments or central_moments(Indexed(vertices, faces))
    shells = Shells.of(vertices, faces, label, moments[0])
    if abs(shells.volumes[0]) <= ROUNDING * float(np.abs(shells.boxes).max()) * _area(vertices, faces):
        findings.append(Finding(
            "no-volume", f"{len(faces)} faces enclose no volume; expected a solid body", "error",
            cause="the surface is flat, or folded onto itself", fix="give the part a thickness",
        ))  # fmt: skip
        return Examined(vertices, faces, tuple(findings))
    turned, signs, told = oriented(shells)
    if turned is not faces:
        moments = central_moments(Indexed(vertices, turned))
    return Examined(vertices, turned, (*findings, *told), tuple(signs), moments)


def _distinct_corners(faces: np.ndarray) -> tuple[np.ndarray, list[Finding]]:
    """Faces with three different corners; the others have no area and no say."""
    a, b, c = faces.T
    flat = (a == b) | (b == c) | (c == a)
    if not flat.any():
        return faces, []
    count = int(flat.sum())
    found = Finding(
        "degenerate-faces",
        f"{counted(count, 'face')} with a corner twice, so without area, left out",
        "note",
        cause="corners fell together when coordinates were rounded",
        fix="nothing: they add nothing",
    )
    return faces[~flat], [found]


def closed(vertices: np.ndarray, edges: Edges) -> list[Finding]:
    """Whether a surface has no rim: each edge is run through as often one way as the other, also where bodies touch."""
    uneven = edges.uneven
    several = edges.times > 2
    if not uneven.any() and not several.any():
        return []
    copies = _copies(edges.faces)
    if copies:
        return [
            Finding(
                "duplicate-faces",
                f"{counted(copies, 'face')} {'is' if copies == 1 else 'are'} listed twice",
                "error",
                cause="a part was exported twice",
                fix='remove the copies, or load with policy="repair"',
            )
        ]
    twisted = uneven & (edges.times % 2 == 0)
    if twisted.any():
        return [Finding(
            "inconsistent-winding", f"{counted(int(twisted.sum()), 'edge')} run through twice in the same sense"
            f"{where(vertices, edges.ends[twisted][:, 0])}: neighbouring faces disagree about which side is outside",
            "error", cause="some faces are flipped",
            fix='recompute the normals, or load with policy="repair"',
        )]  # fmt: skip
    if uneven.any():
        return [Finding(
            "open-edges", f"{counted(int(uneven.sum()), 'open edge')}{where(vertices, edges.ends[uneven][:, 0])}: the "
            "surface has a hole, so it encloses no volume", "error",
            cause="faces are missing, or corners that should meet differ",
            fix='close it, load with policy="repair" or "hull", or take ConvexHull(vertices) if a convex body is meant',
        )]  # fmt: skip
    return [Finding(
        "non-manifold-edges", f"{counted(int(several.sum()), 'edge')} where more than two faces meet,"
        f"{where(vertices, edges.ends[several][:, 0])}: bodies touch there; the volume is still exact", "note",
        cause="bodies share an edge", fix="nothing, if they are meant to touch",
    )]  # fmt: skip


def odd_size(vertices: np.ndarray) -> list[Finding]:
    """Whether a part is larger or smaller than parts are: where its numbers enter, a unit may be wrong."""
    size = float(np.ptp(box(vertices), axis=0).max()) if vertices.dtype != object else LARGEST
    if SMALLEST <= size <= LARGEST:
        return []
    return [Finding(
        "scale", f"it is {shown(size)} m long: a wrong unit? A factor of 1000 in length is 1e9 in mass", "warning",
        cause="the file has another unit than was said", fix="check unit= (--unit), or the scale of the robot's file",
    )]  # fmt: skip


def _copies(faces: np.ndarray) -> int:
    """How many faces are listed again, the same way round."""
    lowest = faces.argmin(axis=1)[:, None]
    turned = np.take_along_axis(faces, (lowest + np.arange(3)) % 3, axis=1)
    return len(faces) - len(numbered(turned.astype(np.int32), expected=len(faces))[1])


def counted(count: int, what: str) -> str:
    """A number and a noun that agree."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def where(vertices: np.ndarray, which: Sequence[int] | np.ndarray) -> str:
    """Where vertices are: the first of them and, if they lie apart, how far they reach."""
    if vertices.dtype == object:
        return f" at vertex {which[0]}"
    points = vertices[np.asarray(which)]
    x, y, z = points[0]
    spread = np.ptp(points, axis=0).max()
    reach = f" and up to {spread:.3g} m around it" if len(points) > NAMED else ""
    return f" near ({x:g}, {y:g}, {z:g}) m{reach}"


def _area(vertices: np.ndarray, faces: np.ndarray) -> float:
    """About the area of the surface; of very many faces some stand for all."""
    few = faces[:: max(1, len(faces) // 100_000)]
    return float(np.linalg.norm(normals(vertices, few), axis=1).mean()) / 2 * len(faces)
