"""What goes into a call and comes out: numbers and shapes checked, wrenches taken apart, results placed.

Numbers are Python's ints and floats, Fractions, NumPy's, and SymPy's expressions, in arrays or nested lists.  NaN and
infinity are numbers here and pass through to their row.  True, None, text, dates, complex numbers and Decimals are not;
what is no number is refused with the name of its argument.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steiner.backends import buffers
from steiner.doors import Method
from steiner.errors import ArgumentError, described
from steiner.records import record
from steiner.scalar import any_symbolic, disguised, has_mask, is_any_number, is_number
from steiner.spatial import Pose, Wrench
from steiner.trace import Node

if TYPE_CHECKING:
    from steiner.dynamics import Algorithm

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def array_of(what: str, value: Any) -> np.ndarray:
    """The numbers of an argument: an array of floats or ints, or of objects if some are Fractions or symbols."""
    if type(value) is np.ndarray and value.dtype in FLOATS:
        return value
    if type(value).__module__.partition(".")[0] == "torch":
        raise ArgumentError(
            f"{what} is a torch tensor; pass x.numpy(), or export the robot to JAX (`steiner export --jax`) "
            "for arrays on other devices"
        )
    try:
        reason = disguised(value)
        array = np.asarray(None if reason else value)
    except (ValueError, RecursionError):
        raise ArgumentError(f"{what}: expected numbers in rows of equal length, got {described(value)}") from None
    except Exception as error:  # whatever an object's own conversion raises
        raise ArgumentError(f"{what}: expected numbers, got {described(value)}: {described(error)}") from error
    if not reason and array.dtype == object:
        reason = next(filter(None, map(_unfit, array.ravel().tolist())), "")
    elif not reason and array.dtype.kind not in "iuf":
        reason = _no_number(array.ravel()[0] if array.size else array)
    if reason:
        raise ArgumentError(f"{what}: expected numbers, got {reason}")
    return array


def holds_symbols(array: np.ndarray) -> bool:
    """Whether some of an argument's numbers are expressions."""
    return array.dtype == object and any_symbolic(array)


def floats_of(what: str, array: np.ndarray, dtype: Any) -> np.ndarray:
    """An argument's numbers as floats of one type; one too large for float32 is infinite there."""
    if array.dtype == dtype:
        return array
    try:
        with np.errstate(all="ignore"):
            return np.asarray(array, dtype=dtype)
    except OverflowError:
        raise ArgumentError(f"{what}: {described(array.tolist())} holds a number too large for a float") from None
    except TypeError:
        raise ArgumentError(f"{what}: {described(array.tolist())} holds symbols; expected numbers") from None


def _unfit(x: Any) -> str:
    """What is wrong with an entry of an array of objects."""
    return "" if is_any_number(x) and not isinstance(x, Node) else _no_number(x)


def _no_number(x: Any) -> str:
    """An entry that is no number, and what to do about it."""
    text = disguised(x) or f"{described(x)} ({type(x).__name__})"
    return "; ".join([text, *(advice for kinds, advice in _advice() if isinstance(x, kinds))])


def _advice() -> tuple[tuple[Any, str], ...]:
    from decimal import Decimal

    return (
        (Decimal, "pass float(x) or Fraction(x)"),
        (complex | np.complexfloating, "take the real part: x.real"),
        (dict, "robot.vector(…) makes a joint vector of values by name"),
        (
            Node,
            "a traced number: a compiled function calls those of steiner.dynamics, as dynamics.mass_matrix(robot, q)",
        ),
    )


ROUND_OFF = 1e-6  # of the largest element, as in `MassProperties`


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
    loads = () if external is None else external if isinstance(external, tuple | list) else (external,)
    for w in loads:
        if not isinstance(w, Wrench):
            raise ArgumentError(f"external= takes a Wrench or several, got {described(w)}")
        if not isinstance(w.acting_on, str | None):
            raise ArgumentError(f"external=: a Wrench acts on a link by name, got {described(w.acting_on)}")
        try:
            np.broadcast_shapes(w.moment.shape, w.force.shape, w.at.shape)
        except ValueError:
            shapes = f"moment {w.moment.shape}, force {w.force.shape}, at {w.at.shape}"
            raise ArgumentError(f"external=: the parts of a Wrench do not broadcast: {shapes}") from None
    return tuple(loads)


def symmetric(path: str, tensor: np.ndarray) -> np.ndarray:
    """Tensors of inertia given at run time, freed of their round-off; refused if they are not symmetric."""
    turned = np.swapaxes(tensor, -1, -2)
    if holds_symbols(tensor):
        size = max([abs(x) for x in tensor.ravel() if is_number(x)], default=0)
        gaps = (tensor - turned).ravel().tolist()
        fits = all(abs(gap) <= ROUND_OFF * size if is_number(gap) else gap.equals(0) for gap in gaps)
    else:
        plain = floats_of(path, tensor, np.float64)
        with np.errstate(invalid="ignore"):  # what is not finite passes through
            gaps = np.abs(plain - np.swapaxes(plain, -1, -2))
        fits = not (gaps > ROUND_OFF * np.abs(plain).max((-1, -2), keepdims=True, initial=0.0)).any()
    if not fits:
        raise ArgumentError(f"parameter {path!r}: a tensor of inertia is symmetric, got {described(tensor.tolist())}")
    return (tensor + turned) / 2


def form(w: Wrench) -> tuple[Any, ...]:
    """What of a wrench selects a kernel; its values are inputs."""
    return (w.acting_on, w.axes, bool(np.any(w.at)))


def filled(w: Wrench, nodes: np.ndarray) -> Wrench:
    """A wrench of the same form with traced values."""
    at = nodes[6:9] if len(nodes) == 9 else (0, 0, 0)
    return Wrench(nodes[:3], nodes[3:6], acting_on=w.acting_on, at=at, axes=w.axes, frame=w.frame)


def with_wrenches(arrays: Mapping[str, np.ndarray], external: Sequence[Wrench]) -> dict[str, np.ndarray]:
    """Arrays by name, and those of the wrenches: moment, force and, if it is not zero, the point."""
    result = dict(arrays)
    for k, w in enumerate(external):
        parts = [w.moment, w.force, w.at] if np.any(w.at) else [w.moment, w.force]
        result[f"wrench{k}"] = np.concatenate(np.broadcast_arrays(*parts), axis=-1)
    return result


def rows_of(x: np.ndarray, batch: tuple[int, ...], count: int) -> np.ndarray:
    """x as (count or 1, size) rows whose elements are adjacent."""
    size = x.shape[-1]
    if not x.flags.aligned:
        x = x.copy()
    if x.ndim == 1 or x.size == size:
        return np.ascontiguousarray(x.reshape(1, size))
    rows = x if x.shape[:-1] == batch else np.broadcast_to(x, (*batch, size))
    rows = rows.reshape(count, size)
    return rows if rows.strides[-1] == rows.itemsize or size == 1 else np.ascontiguousarray(rows)


def destination(
    shapes: list[tuple[int, ...]], dtype: np.dtype, out: Any, inputs: list[np.ndarray]
) -> tuple[list[np.ndarray], Callable[[list[np.ndarray]], list[np.ndarray]]]:
    """Arrays to compute into, and what to do with them afterwards (copy to an unusual `out`).

    Only real arrays are written to, through their own memory: what an object or a subclass says of itself is not asked.
    """
    if out is None:
        return [buffers.array(shape, dtype) for shape in shapes], lambda results: results
    given = list(out) if isinstance(out, tuple | list) else [out]
    targets = [np.ndarray.view(o, np.ndarray) for o in given if isinstance(o, np.ndarray)]
    others = [f"{described(o)} ({type(o).__name__})" for o in given if not isinstance(o, np.ndarray)]
    if others or [o.shape for o in targets] != shapes or any(o.dtype != dtype for o in targets):
        wanted = ", ".join(f"{shape} {dtype}" for shape in shapes)
        found = ", ".join(others or [f"{o.shape} {o.dtype}" for o in targets]) or "nothing"
        raise ArgumentError(f"out=: expected {wanted}, got {found}")
    if any(map(has_mask, given)):
        raise ArgumentError("out= is a masked array, whose mask would stay as it is; give its data: x.data")
    if not all(o.flags.writeable for o in targets):
        raise ArgumentError("out= is read-only")
    if overlap(targets, inputs) or any(map(_overlaps_itself, targets)):
        raise ArgumentError("out= overlaps an input, another output or itself; give it memory of its own")
    fits = all(o.flags.carray for o in targets)

    def finished(results: list[np.ndarray]) -> list[Any]:
        for target, result in zip(() if fits else targets, () if fits else results, strict=True):
            target[...] = result
        return given

    return targets if fits else [np.zeros(shape, dtype) for shape in shapes], finished


def _overlaps_itself(x: np.ndarray) -> bool:
    """Whether a view may show one number twice: its axes are no nested ones, as those of slices and transposes are."""
    reach = x.itemsize
    for stride, length in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (length - 1)
    return False


def is_plain(x: Any, shape: tuple[int, ...]) -> bool:
    """Whether x is a float64 array of this shape without gaps."""
    if type(x) is not np.ndarray or x.dtype != np.float64 or x.shape != shape:
        return False
    return x.flags.c_contiguous and x.flags.aligned


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
    return f"{text}\n\nArrays: {n}; leading dimensions are batch and broadcast.\nout= takes the result(s)."


def declaration(method: Method) -> tuple[inspect.Signature, str]:
    """Signature and docstring of a method as it is declared, which are those of its algorithm."""
    declared: Any = method.__wrapped__  # type: ignore[attr-defined]
    own = list(inspect.signature(declared).parameters.values())[1:]
    return inspect.Signature([p.replace(annotation=p.empty) for p in own]), inspect.getdoc(declared) or ""


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
