"""Results as flat arrays and back: arrays, tuples, named tuples, dicts and poses, nested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steiner.records import record
from steiner.spatial import Pose


@record
class Structure:
    """How a result is put together from its arrays."""

    build: Callable[[list[Any]], Any]
    plain: bool  # a bare array, or a tuple of nothing but arrays

    def rebuilt(self, arrays: Sequence[Any], batch: tuple[int, ...]) -> Any:
        """The result from its arrays, which carry the batch dimensions in front."""
        return self.build(list(arrays))


def flattened(result: Any) -> tuple[list[np.ndarray], Structure]:
    """The arrays of a result, in order, and its structure."""
    leaves: list[np.ndarray] = []
    build = _walk(result, leaves)
    parts = result if type(result) is tuple else (result,)
    plain = not any(isinstance(part, tuple | list | dict | Pose | str) for part in parts)
    return leaves, Structure(build, plain and len(leaves) == len(parts) > (type(result) is tuple))


def _walk(x: Any, leaves: list[np.ndarray]) -> Callable[[list[Any]], Any]:
    if isinstance(x, Pose):
        R, p = _walk(x.R, leaves), _walk(x.p, leaves)
        return lambda arrays: Pose.trusted(R(arrays), p(arrays))
    if isinstance(x, dict):
        parts, kind = {key: _walk(value, leaves) for key, value in x.items()}, type(x)
        return lambda arrays: kind({key: part(arrays) for key, part in parts.items()})
    if isinstance(x, tuple | list):
        if all(isinstance(item, str) for item in x) and len(x):
            return lambda arrays: x  # names
        items = [_walk(item, leaves) for item in x]
        make: Any = type(x)
        if hasattr(x, "_fields"):
            return lambda arrays: make(*(item(arrays) for item in items))
        return lambda arrays: make(item(arrays) for item in items)
    if isinstance(x, str) or x is None:
        return lambda arrays: x
    k = len(leaves)
    leaves.append(np.asarray(x, dtype=object))
    return lambda arrays: arrays[k]
