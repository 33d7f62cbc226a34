"""What a number is: elementary functions by kind of number, exact constants, arrays of any kind.

Algorithms use only + − × ÷ and the functions below, so floats, `Fraction`s, SymPy expressions and
traced scalars run the same text.  Other kinds of number register themselves with the functions
(`steiner.trace` does); those of a foreign library are looked up in `KINDS` when first met, so
nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from steiner.errors import SteinerError

# top-level package of a foreign number -> the module of ours that teaches it to this one
KINDS = {"sympy": "steiner.symbolic"}

NUMBERS = (int, float, Fraction, np.integer, np.floating)


def _foreign(function: Any, x: Any, *rest: Any) -> Any:
    home = KINDS.get(type(x).__module__.partition(".")[0])
    if home is None:
        raise SteinerError(
            f"{x!r} is a {type(x).__name__}, not a number; expected a float, an int, a Fraction, "
            "a SymPy expression or an array of them"
        )
    importlib.import_module(home)
    return function(x, *rest)


def _elementary(name: str, numeric: Any) -> Any:
    def of(x: Any) -> Any:
        if isinstance(x, NUMBERS):
            return numeric(x)
        return _foreign(dispatched, x)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"{name}(x) for any kind of number, and for each element of an array."
    dispatched = singledispatch(of)
    dispatched.register(np.ndarray, lambda x: _each(dispatched, x))
    return dispatched


def _each(function: Any, *arrays: Any) -> Any:
    """A function of every element of arrays: floats of floats, else whatever it gives."""
    values = np.frompyfunc(function, len(arrays), 1)(*arrays)
    floats = all(np.asarray(a).dtype.kind in "iuf" for a in arrays)
    return np.asarray(values, np.float64) if floats else values


def _sqrt(x: Any) -> Any:
    """Exact for perfect squares of exact numbers, so rational geometry stays rational."""
    if isinstance(x, int | Fraction) and x >= 0:
        x = Fraction(x)
        top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return Fraction(top, bottom)
    return math.sqrt(x)


def _cos(x: Any) -> Any:
    return 1 if isinstance(x, int | Fraction) and x == 0 else math.cos(x)  # exact at zero, beside symbols


def _sin(x: Any) -> Any:
    return 0 if isinstance(x, int | Fraction) and x == 0 else math.sin(x)


def _sign(x: Any) -> Any:
    return x if x != x else int(x > 0) - int(x < 0)


sin = _elementary("sin", _sin)
cos = _elementary("cos", _cos)
sqrt = _elementary("sqrt", _sqrt)
exp = _elementary("exp", math.exp)
tanh = _elementary("tanh", math.tanh)
absolute = _elementary("absolute", abs)
sign = _elementary("sign", _sign)


@singledispatch
def select(condition: Any, positive: Any, otherwise: Any) -> Any:
    """`positive` where condition > 0, `otherwise` where it is ≤ 0; NaN stays NaN."""
    if isinstance(condition, NUMBERS):
        if condition != condition:
            return condition
        return positive if condition > 0 else otherwise
    return _foreign(select, condition, positive, otherwise)


select.register(np.ndarray, lambda condition, positive, otherwise: _each(select, condition, positive, otherwise))


@singledispatch
def pi_beside(x: Any) -> Any:
    """π of the same kind as x: a float beside numbers, SymPy's exact π beside expressions."""
    return math.pi if isinstance(x, NUMBERS) else _foreign(pi_beside, x)


def pi_for(*values: Any) -> Any:
    """π that stays exact if any of the values is symbolic."""
    foreign = [v for v in values if not isinstance(v, NUMBERS)]
    return pi_beside(foreign[0]) if foreign else math.pi


def is_number(x: Any) -> bool:
    """Whether x has a value that can be compared (not a symbol, not a traced scalar)."""
    return isinstance(x, NUMBERS)


def is_symbolic(x: Any) -> bool:
    """Whether x belongs to a foreign algebra such as SymPy's."""
    return type(x).__module__.partition(".")[0] in KINDS


def is_zero(x: Any) -> bool:
    """Whether x is zero by structure: never true for a symbol or a traced scalar."""
    return bool(x == 0) if is_number(x) or is_symbolic(x) else False


def is_negative(x: Any) -> bool:
    """Whether x is known to be below zero: a number, or an expression whose sign its algebra can tell."""
    return bool(x < 0) if is_number(x) else is_symbolic(x) and x.is_negative is True


def brief(x: Any) -> str:
    """x in a message: a number of any kind to six digits, an expression as it is."""
    return f"{float(x):g}" if is_number(x) else str(x)


def any_symbolic(*arrays: Any) -> bool:
    """Whether any entry of any array (or scalar) is symbolic."""
    return any(is_symbolic(x) for a in arrays for x in np.asarray(a, dtype=object).ravel())


def numbers(what: str, *values: Any) -> tuple[Any, ...]:
    """The values as one kind of number: floats, unless a Fraction or a symbol asks for exactness.

    Ints become floats among floats and stay exact beside Fractions and symbols; NaN and infinity
    are refused, `what` names them in the message.
    """
    plain = all(isinstance(v, int | float | np.integer | np.floating) for v in values)
    result = tuple(float(v) if plain else v for v in values)
    for v in result:
        if isinstance(v, NUMBERS):
            if not math.isfinite(v):
                raise SteinerError(f"{what}: {v} is not a finite number")
        elif isinstance(v, str | bool | None | list | tuple | dict | complex | np.ndarray):
            raise SteinerError(f"{what}: expected a number, got {v!r}")
        elif is_symbolic(v) and v.is_number and (v.is_finite is False or not v.is_comparable):
            raise SteinerError(f"{what}: {v} is not a finite real number")
    return result


def array(values: Any, shape: tuple[int, ...] | None = None, what: str = "array") -> np.ndarray:
    """An array of any kind of number: float64 if all are plain numbers, else dtype object.

    Checks the trailing shape and that numbers are finite; `what` names it in the message.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        result = values
    else:
        try:
            result = np.array(values)
        except ValueError as error:
            raise SteinerError(f"{what}: rows of unequal length in {values!r}") from error
        if result.dtype.kind in "fiu":
            result = result.astype(np.float64)
        elif result.dtype.kind == "O":
            flat = result.ravel().tolist()
            if all(isinstance(x, int | float) for x in flat):
                result = result.astype(np.float64)
        else:
            raise SteinerError(f"{what}: expected numbers, got {values!r}")
    if shape is not None and result.shape[result.ndim - len(shape) :] != shape:
        raise SteinerError(f"{what}: expected shape {shape}, got {result.shape}")
    if result.dtype == np.float64 and not np.isfinite(result).all():
        raise SteinerError(f"{what}: {result.tolist()} is not finite")
    return result


def total(terms: Iterable[Any]) -> Any:
    """Sum that starts with the first term, so no stray 0 enters a formula or a tape."""
    result: Any = 0
    for term in terms:
        result = term if isinstance(result, int) and result == 0 else result + term
    return result
