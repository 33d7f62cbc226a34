"""What every node of a drawing is asked at the door: its name, its place, where its numbers came from."""

from __future__ import annotations

from typing import Any

from steiner.errors import GeometryError, ModelError, described, is_one_of
from steiner.scalar import brief, is_negative, numbers
from steiner.spatial import IDENTITY, Pose

# where a number came from; "given" is a number of the user without a stated origin
PROVENANCES = ("measured", "cad", "mesh", "formula", "default", "given")


def check_name(kind: str, name: object) -> None:
    """A word without a slash, which separates the names of a path."""
    if not isinstance(name, str) or not name.strip() or "/" in name:
        raise ModelError(f"{kind}: expected a name that is a word without '/', got {described(name)}")


def check_provenance(owner: str, provenance: str | None) -> None:
    """One of the known origins, or none."""
    if provenance is not None and not is_one_of(provenance, PROVENANCES):
        raise ModelError(f"{owner}: provenance={described(provenance)}; expected one of {', '.join(PROVENANCES)}")


def check_pose(owner: str, pose: Any) -> Pose:
    """The pose, by default none at all."""
    if pose is None:
        return IDENTITY
    if not isinstance(pose, Pose):
        raise ModelError(f"{owner}: expected pose=Pose(...) or Pose.from_rpy(xyz, rpy), got {described(pose)}")
    return pose


def check_tolerance(owner: str, tolerance: Any) -> Any:
    """A length that is not negative, or none."""
    if tolerance is None:
        return None
    (tolerance,) = numbers(f"{owner}: tolerance", tolerance)
    if is_negative(tolerance):
        raise GeometryError(f"{owner}: tolerance is {brief(tolerance)} m; expected 0 or more")
    return tolerance
