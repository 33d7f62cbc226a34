"""What goes into a call and comes out: shapes checked, wrenches taken apart, results placed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steiner.backends import buffers
from steiner.dynamics import Algorithm
from steiner.errors import ArgumentError
from steiner.results import flattened
from steiner.scalar import KINDS, any_symbolic
from steiner.spatial import Wrench


def holds_symbols(x: Any) -> bool:
    """Whether an argument holds a symbol."""
    if isinstance(x, np.ndarray) and x.dtype != object:
        return False
    if type(x).__module__.partition(".")[0] in KINDS:
        return True
    return not isinstance(x, int | float) and any_symbolic(x)


def hint(array: np.ndarray, length: int) -> str:
    """What may have been meant by an array of the wrong shape."""
    if array.ndim == 0:
        return "; wrap a single number in a list"
    if array.ndim >= 2 and array.shape[-2:] == (length, 1):
        return "; drop the last axis: x[..., 0]"
    if array.ndim >= 2 and array.shape[-2] == length:
        return "; transpose it: samples are rows"
    return ""


def wrenches(external: Any) -> tuple[Wrench, ...]:
    """The wrenches of external=, which takes none, one or several."""
    loads = () if external is None else (external,) if isinstance(external, Wrench) else tuple(external)
    for w in loads:
        if not isinstance(w, Wrench):
            raise ArgumentError(f"external= takes a Wrench or several, got {w!r}")
    return loads


def form(w: Wrench) -> tuple[Any, ...]:
    """What of a wrench selects a kernel; its values are inputs."""
    return (w.acting_on, w.axes, bool(np.any(w.at)))


def filled(w: Wrench, nodes: np.ndarray) -> Wrench:
    """A wrench of the same form with traced values."""
    at = nodes[6:9] if len(nodes) == 9 else (0, 0, 0)
    return Wrench(nodes[:3], nodes[3:6], acting_on=w.acting_on, at=at, axes=w.axes)


def rows_of(x: np.ndarray, batch: tuple[int, ...], count: int) -> np.ndarray:
    """x as (count or 1, size) rows whose elements are adjacent."""
    size = x.shape[-1]
    if x.ndim == 1 or x.size == size:
        return np.ascontiguousarray(x.reshape(1, size))
    rows = x if x.shape[:-1] == batch else np.broadcast_to(x, (*batch, size))
    rows = rows.reshape(count, size)
    return rows if rows.strides[-1] == rows.itemsize or size == 1 else np.ascontiguousarray(rows)


def destination(
    shapes: list[tuple[int, ...]], dtype: np.dtype, out: Any, inputs: list[np.ndarray]
) -> tuple[list[np.ndarray], Callable[[list[np.ndarray]], list[np.ndarray]]]:
    """Arrays to compute into, and what to do with them afterwards (copy to an unusual `out`)."""
    if out is None:
        return [buffers.array(shape, dtype) for shape in shapes], lambda results: results
    given = list(out) if isinstance(out, tuple | list) else [out]
    if [getattr(o, "shape", None) for o in given] != shapes or any(o.dtype != dtype for o in given):
        wanted = ", ".join(f"{shape} {dtype}" for shape in shapes)
        found = ", ".join(f"{getattr(o, 'shape', o)} {getattr(o, 'dtype', '')}" for o in given)
        raise ArgumentError(f"out=: expected {wanted}, got {found}")
    for o in given:
        if not o.flags.writeable:
            raise ArgumentError("out= is read-only")
    if overlap(given, inputs):
        raise ArgumentError("out= overlaps an input or another output; give it memory of its own")
    if all(o.flags.c_contiguous for o in given):
        return given, lambda results: results

    def copied(results: list[np.ndarray]) -> list[np.ndarray]:
        for target, result in zip(given, results, strict=True):
            target[...] = result
        return given

    return [np.zeros(shape, dtype) for shape in shapes], copied


def is_plain(x: Any, shape: tuple[int, ...]) -> bool:
    """Whether x is a float64 array of this shape without gaps."""
    return type(x) is np.ndarray and x.dtype == np.float64 and x.shape == shape and x.flags.c_contiguous


def overlap(results: Sequence[np.ndarray], inputs: Sequence[np.ndarray]) -> bool:
    """Whether a result shares memory with an input or with another result."""
    return any(
        np.may_share_memory(o, x) for k, o in enumerate(results) for x in (*inputs, *results[:k])
    )


def placed(result: Any, out: Any, inputs: list[np.ndarray]) -> Any:
    """A finished result, copied into `out` if one is given."""
    if out is None:
        return result
    arrays, structure = flattened(result)
    results = [np.asarray(a, dtype=inputs[0].dtype) for a in arrays]
    targets, finish = destination([r.shape for r in results], results[0].dtype, out, inputs)
    for target, r in zip(targets, results, strict=True):
        target[...] = r
    return structure.rebuilt(finish(targets), ())


def signature(algorithm: Algorithm, parameters: bool = False) -> inspect.Signature:
    """The signature of a method: the function's without the robot, with out=."""
    own = list(inspect.signature(algorithm.function).parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p.replace(annotation=p.empty, default=None if p.name == "external" else p.default) for p in own]
    if parameters:
        own.append(inspect.Parameter("parameters", keyword, default=None))
    own.append(inspect.Parameter("out", keyword, default=None))
    return inspect.Signature(own)


def documentation(algorithm: Algorithm) -> str:
    """The docstring of a method: the function's, and how arrays go in."""
    n = ", ".join(f"{name} (…, {length})" for name, length in algorithm.arrays.items())
    text = inspect.getdoc(algorithm.function) or ""
    return f"{text}\n\nArrays: {n}; leading dimensions are batch and broadcast.  out= takes the result(s)."
