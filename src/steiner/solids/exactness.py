"""Exact numbers beside symbols: 1.0 is 1 there, so that no float enters a formula."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from steiner.inertia import MassProperties
from steiner.scalar import is_number, is_symbolic
from steiner.spatial import Pose


def _exact(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def exact(values: np.ndarray) -> np.ndarray:
    """Whole floats as ints in an array of objects, so that no 1.0 enters a formula."""
    flat = [_exact(v) for v in values.ravel().tolist()]
    result = np.array([None] * len(flat), dtype=object)
    result[:] = flat
    return result.reshape(values.shape)


def exact_pose(pose: Pose) -> Pose:
    """The same pose without stray floats, to be used beside symbols."""
    return Pose.trusted(exact(pose.R), exact(pose.p))


def joined_poses(outer: Pose, inner: Pose) -> Pose:
    """`outer @ inner`, kept free of stray floats if anything is symbolic."""
    is_exact = object in (outer.R.dtype, outer.p.dtype, inner.R.dtype, inner.p.dtype)
    return exact_pose(outer) @ exact_pose(inner) if is_exact else outer @ inner


def moved(body: MassProperties, pose: Pose) -> MassProperties:
    """`body.moved(pose)`, kept free of stray floats if anything is symbolic."""
    if body.com.dtype == body.inertia.dtype == pose.R.dtype == pose.p.dtype == np.float64 and is_number(body.mass):
        return body.moved(pose)
    return body.mapped(_exact).moved(exact_pose(pose))


def whole(value: Any) -> Any:
    """A whole number as an exact one; others as they are."""
    return Fraction(value) if isinstance(value, int | float) and float(value).is_integer() else value


def has_value(x: Any) -> bool:
    """Whether x is a number, also one of a foreign algebra, such as SymPy's √2."""
    return is_number(x) or (is_symbolic(x) and x.is_number)
