"""What a caller gives, as arrays of numbers; what is no number is refused with the name of its argument.

Numbers are Python's ints and floats, Fractions, NumPy's, and SymPy's expressions, in arrays or nested lists.  NaN and
infinity are numbers here and pass through to their row.  True, None, text, dates, complex numbers and Decimals are not.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described
from steiner.scalar import any_symbolic, disguised, is_any_number
from steiner.trace import Node

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
    return "; ".join([text, *(advice for kinds, advice in _ADVICE if isinstance(x, kinds))])


_ADVICE: tuple[tuple[Any, str], ...] = (
    (Decimal, "pass float(x) or Fraction(x)"),
    (complex | np.complexfloating, "take the real part: x.real"),
    (dict, "robot.vector(…) makes a joint vector of values by name"),
    (Node, "a traced number: a compiled function calls those of steiner.dynamics, as dynamics.mass_matrix(robot, q)"),
)
