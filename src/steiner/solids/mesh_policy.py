"""What becomes of triangles that do not bound a body: refused, mended, or replaced by their hull or their box."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np

from steiner.errors import ArgumentError, GeometryError, is_one_of, unknown
from steiner.findings import Finding
from steiner.solids.hull import ConvexHull
from steiner.solids.mesh import Mesh, Policy
from steiner.solids.mesh_examine import Examined, examined, odd_size
from steiner.solids.mesh_integrals import Moments
from steiner.solids.mesh_repair import repaired
from steiner.solids.primitives import Box

POLICIES: tuple[Policy, ...] = get_args(Policy)  # each allows what stands before it


def made(
    vertices: np.ndarray,
    faces: np.ndarray,
    policy: Policy,
    what: str,
    moments: Moments | None = None,
    before: tuple[Finding, ...] = (),
) -> Mesh:
    """The mesh that a policy makes of triangles, whose corners are welded; `what` names them in messages.

    `moments` are those of the faces as they stand, if they are known.  What was found `before` and on the way is in its
    `findings`.
    """
    if not is_one_of(policy, POLICIES):
        raise ArgumentError(unknown("policy", policy, POLICIES))
    found = examined(vertices, faces, moments)
    before = (*before, *odd_size(vertices))
    if not found.faults:
        return Mesh.trusted(found, findings=before)
    faults = "; ".join(f.text for f in found.faults)
    reached = POLICIES.index(policy)
    if reached == 0:
        raise GeometryError(f"{what}: {faults}. {_hint(found)}")
    told = [f for f in found.findings if f.code != "non-manifold-edges"]  # (nothing is exact here)
    before = (*before, *(replace(f, severity="note") if f.severity == "error" else f for f in told))
    mended, done = repaired(found)
    if mended is not None:
        return Mesh.trusted(mended, "repair", (*before, *done))
    why = "; ".join(f.text for f in done if f.severity == "error")
    if reached == 1:
        raise GeometryError(f'{what}: {faults}. It could not be repaired: {why}; policy="hull" takes its convex hull')
    for method in POLICIES[2 : reached + 1]:
        try:
            return _replaced(method, vertices, before)
        except GeometryError as error:
            why = str(error)
    raise GeometryError(f"{what}: {faults}. {why}")


def _hint(found: Examined) -> str:
    fixes = [f.fix for f in found.faults if f.fix]
    return fixes[0][:1].upper() + fixes[0][1:] if fixes else ""


def _replaced(method: Policy, vertices: np.ndarray, before: tuple[Finding, ...]) -> Mesh:
    """The hull or the box of all vertices."""
    if method == "hull":
        body, text = (
            ConvexHull(vertices).mesh(),
            "its convex hull stands for it: too heavy wherever it is hollow or bent",
        )
    else:
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        if flat := [axis for axis, size in zip("xyz", high - low, strict=True) if not size > 0]:
            raise GeometryError(f"the box around it is flat along {', '.join(flat)}; give the part a thickness")
        body, text = Box(*(high - low)).at(xyz=(low + high) / 2).mesh(), "the box around it stands for it: too heavy"
    replaced = Finding(f"taken-as-{method}", text, cause="the surface encloses no volume", fix="close the surface")
    return Mesh.trusted(examined(*body), method, (*before, replaced))
