"""What a number is: elementary functions by kind of number, exact constants, arrays of any kind.

Algorithms use only + − × ÷ and the functions below, so floats, `Fraction`s, SymPy expressions and
traced scalars run the same text.  Other kinds of number register themselves with the functions
(`steiner.trace` does); those of a foreign library are looked up in `KINDS` when first met, so
nothing heavy is imported before it is used.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache, singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from steiner.doors import DOORS, opened
from steiner.errors import SteinerError, described

# top-level package of a foreign number -> the door to what teaches it to this module
KINDS = {key.removeprefix("number."): row for key, row in DOORS.items() if key.startswith("number.")}


class _Fractions(type):
    """Who has a fraction has imported `fractions`; who has none does not wait for it."""

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, getattr(sys.modules.get("fractions"), "Fraction", ()))


if TYPE_CHECKING:
    from fractions import Fraction as AnyFraction
else:

    class AnyFraction(metaclass=_Fractions):
        """Stands for `Fraction` where it is asked what a number is."""


EXACT = (int, AnyFraction)
NUMBERS = (int, float, np.integer, np.floating, AnyFraction)
LARGEST_FLOAT = int(sys.float_info.max)
_PLAIN = {float, int, np.float64}
_INEXACT = {float, int}
_HOLDERS = (np.ndarray, tuple)  # what has, or may hold, an array


@lru_cache(maxsize=4096)
def _home(kind: type) -> str | None:
    """The door to what teaches a class of numbers to this module: that of its package, or of a base's package."""
    packages = ((base.__module__ or "").partition(".")[0] for base in kind.__mro__)
    return next((KINDS[package] for package in packages if package in KINDS), None)


def _foreign(function: Any, x: Any, *rest: Any) -> Any:
    home = _home(type(x))
    if home is None or not is_any_number(x):
        raise SteinerError(
            f"{described(x)} is a {type(x).__name__}, not a number; expected a float, an int, a Fraction, "
            "a SymPy expression or an array of them"
        )
    opened(home)
    return function(x, *rest)


def _elementary(name: str, numeric: Any, at_once: Any = None) -> Any:
    def of(x: Any) -> Any:
        if isinstance(x, NUMBERS):
            return numeric(x)
        return _foreign(dispatched, x)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"{name}(x) for any kind of number, and for each element of an array."
    dispatched = singledispatch(of)
    dispatched.register(np.ndarray, lambda x: at_once(x) if at_once and _are_sound(x) else _each(dispatched, x))
    return dispatched


def _are_sound(x: np.ndarray) -> bool:
    """Whether NumPy has the same answer as one call for each: floats, none of which is refused."""
    return x.dtype == np.float64 and bool(np.isfinite(x).all())


def _each(function: Any, *arrays: Any) -> Any:
    """A function of every element of arrays: floats of floats, else whatever it gives."""
    values = np.frompyfunc(function, len(arrays), 1)(*arrays)
    floats = all(np.asarray(a).dtype.kind in "iuf" for a in arrays)
    return np.asarray(values, np.float64) if floats else values


def _sqrt(x: Any) -> Any:
    """Exact for perfect squares of exact numbers, so rational geometry stays rational."""
    if isinstance(x, EXACT) and x >= 0:
        from fractions import Fraction

        x = Fraction(x)
        top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return Fraction(top, bottom)
    return math.sqrt(x)


def _cos(x: Any) -> Any:
    return 1 if isinstance(x, EXACT) and x == 0 else math.cos(x)  # exact at zero, beside symbols


def _sin(x: Any) -> Any:
    return 0 if isinstance(x, EXACT) and x == 0 else math.sin(x)


def _sign(x: Any) -> Any:
    return x if x != x else int(x > 0) - int(x < 0)


sin = _elementary("sin", _sin, np.sin)
cos = _elementary("cos", _cos, np.cos)
sqrt = _elementary("sqrt", _sqrt)
exp = _elementary("exp", math.exp)
tanh = _elementary("tanh", math.tanh)
absolute = _elementary("absolute", abs, np.abs)
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
    return _home(type(x)) is not None


def is_any_number(x: Any) -> bool:
    """Whether x is a number of any kind: plain, traced, or an expression (but no truth, matrix, relation or class)."""
    if is_symbolic(x):
        return getattr(x, "is_scalar", False) is True and not isinstance(x, type)
    known = isinstance(x, NUMBERS) or sin.dispatch(type(x)) is not sin.dispatch(object)
    return known and not isinstance(x, bool | np.ndarray)


def rounds(x: Any) -> bool:
    """Whether x is, or stands for, a number of finite digits: a kind of number whose class says so does."""
    return isinstance(x, NUMBERS) or getattr(type(x), "rounds", False)


def is_zero(x: Any) -> bool:
    """Whether x is zero by structure: never true for a symbol or a traced scalar."""
    return bool(x == 0) if is_number(x) or is_symbolic(x) else False


def is_negative(x: Any) -> bool:
    """Whether x is known to be below zero: a number, or an expression whose sign its algebra can tell."""
    if is_number(x) or not is_symbolic(x):
        return bool(is_number(x) and x < 0)
    if x.is_negative is None and x.is_Add and len(x.args) <= 8:  # of 2a³ − πa³ the common a³ leaves a number
        x = x.factor()
    return x.is_negative is True


def brief(x: Any) -> str:
    """x in a message: a number of any kind to six digits, an expression as it is."""
    return f"{float(x):g}" if is_number(x) else str(x)


def any_symbolic(*arrays: Any) -> bool:
    """Whether any entry of any array (or scalar) is symbolic."""
    return any(is_symbolic(x) for a in arrays for x in np.asarray(a, dtype=object).ravel())


def are_floats(values: Sequence[Any]) -> bool:
    """Whether these are floats, and clearly finite ones: nothing else is to be asked of most numbers."""
    return set(map(type, values)) == {float} and math.isfinite(sum(values))


def numbers(what: str, *values: Any) -> tuple[Any, ...]:
    """The values as one kind of number: floats, unless a Fraction or a symbol asks for exactness.

    Ints become floats among floats and stay exact beside Fractions and symbols; NaN and infinity
    are refused, `what` names them in the message.
    """
    if are_floats(values):
        return values
    for v in values:
        if not is_any_number(v) and not is_symbolic(v):
            raise SteinerError(f"{what}: expected a number, got {described(v)}")
        if isinstance(v, EXACT) and abs(v) > LARGEST_FLOAT:
            raise SteinerError(f"{what}: {described(v)} is too large for a float")
        if isinstance(v, NUMBERS) and not math.isfinite(v):
            raise SteinerError(f"{what}: {v} is not a finite number")
        if is_symbolic(v) and not (is_any_number(v) and _is_real(v)):
            raise SteinerError(f"{what}: {described(v)} is not a finite real number")
    plain = all(isinstance(v, int | float | np.integer | np.floating) for v in values)
    return tuple(float(v) if plain else v for v in values)


def has_mask(x: Any) -> bool:
    """Whether x is a masked array; NumPy imports those on first use, and who has none should not wait for it."""
    home = sys.modules.get("numpy.ma")
    return isinstance(x, getattr(home, "MaskedArray", ()))


def disguised(values: Any) -> str:
    """What NumPy would silently make numbers of, masked entries and truths; an empty text if there is none."""
    if isinstance(values, np.ndarray):
        if has_mask(values) and np.any(values.mask):  # pyright: ignore[reportAttributeAccessIssue]
            return "masked entries; fill or drop masked entries first: x.filled(0.0), x.compressed()"
        return "True or False; write 1.0 and 0.0" if values.dtype.kind == "b" else ""
    if isinstance(values, bool | np.bool_):
        return f"{values}; write 1.0 and 0.0"
    if not isinstance(values, list | tuple) or set(map(type, values)) <= _PLAIN:
        return ""
    return next(filter(None, map(disguised, values)), "")


def array(
    values: Any, shape: tuple[int, ...] | None = None, what: str = "array", *, batch: bool = False, finite: bool = True
) -> np.ndarray:
    """A read-only array of any kind of number, the caller's copied: float64 if all are plain, else dtype object.

    Checks the shape (with `batch` the trailing one) and that numbers are finite, unless these may pass through;
    `what` names it in the message.
    """
    if (plain := _plain(values)) is not None and plain.shape == shape:
        return plain
    try:
        reason = disguised(values)
    except RecursionError:  # a list that holds itself
        reason = described(values)
    if reason:
        raise SteinerError(f"{what}: expected numbers, got {reason}")
    if isinstance(values, np.ndarray):
        values = np.asarray(values)  # a subclass may say of itself what it likes
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        result = np.array(values)  # read-only arrays too: views made before they were locked still write to them
    else:
        result = _numbers(values, what)
    known = result.shape[max(result.ndim - len(shape), 0) :] if shape is not None and batch else result.shape
    if shape is not None and known != shape:
        raise SteinerError(f"{what}: expected shape {shape}, got {result.shape}")
    if finite and result.dtype == np.float64 and not np.isfinite(result).all():
        raise SteinerError(f"{what}: {described(result.tolist())} is not finite")
    result.flags.writeable = False
    return result


def _plain(values: Any) -> np.ndarray | None:
    """Floats in a list or in rows of equal length, which are most of what comes: finite, read-only, checked at once."""
    if type(values) not in (list, tuple) or not values:
        return None
    rows = values if type(values[0]) in (list, tuple) else (values,)
    try:
        for row in rows:
            if type(row) not in (list, tuple) or len(row) != len(rows[0]) or not _INEXACT.issuperset(map(type, row)):
                return None
            if not math.isfinite(sum(row)):
                return None
        result = np.array(values, dtype=np.float64)
    except OverflowError:  # a large int: the long way tells
        return None
    result.flags.writeable = False
    return result


def entries(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Numbers of any kind for a calculation: an array of them is taken as it is, NaN and infinity pass through."""
    fits = type(values) is np.ndarray and values.shape[-len(shape) :] == shape
    if fits and values.dtype == np.float64:
        return values
    if fits and values.dtype == object and all(map(_is_calculable, values.ravel().tolist())):
        return values
    return array(values, shape, what, batch=True, finite=False)


def _is_calculable(x: Any) -> bool:
    return is_any_number(x) and not (isinstance(x, EXACT) and abs(x) > LARGEST_FLOAT)


def _numbers(values: Any, what: str) -> np.ndarray:
    """Anything that holds numbers as an array of its own, float64 if it can be."""
    try:
        result = np.array(values)
    except Exception as error:  # whatever NumPy or an object's own conversion raises
        raise SteinerError(f"{what}: rows of unequal length or no numbers in {described(values)}") from error
    if result.dtype.kind in "fiu":
        with np.errstate(over="ignore"):
            return result.astype(np.float64)
    if result.dtype.kind != "O":
        raise SteinerError(f"{what}: expected numbers, got {described(values)}")
    flat = result.ravel().tolist()
    strange = [x for x in flat if not is_any_number(x) or (is_symbolic(x) and not _is_real(x))]
    if strange:
        raise SteinerError(f"{what}: expected numbers, got {described(strange[0])} in {described(values)}")
    if not all(isinstance(x, int | float) for x in flat):
        return result
    try:
        return result.astype(np.float64)
    except OverflowError:
        raise SteinerError(f"{what}: {described(values)} holds a number too large for a float") from None


def _is_real(x: Any) -> bool:
    """Whether an expression may stand for a finite real number."""
    return not (x.is_number and (x.is_finite is False or not x.is_comparable))


def frozen(values: np.ndarray) -> np.ndarray:
    """A view that cannot be written to; who keeps an array in a value keeps it so."""
    if not isinstance(values, np.ndarray) or not values.flags.writeable:
        return values
    view = values.view()
    view.flags.writeable = False
    return view


class Frozen:
    """Base of values that keep arrays: nobody can write to them, in a copy or a pickle of the value neither."""

    def __post_init__(self) -> None:
        own = self.__dict__
        for name, x in own.items():
            if isinstance(x, _HOLDERS):
                own[name] = _kept(x)

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = self.__dict__
        for name, x in state.items():
            own[name] = _kept(x) if isinstance(x, _HOLDERS) else x


def _kept(x: Any) -> Any:
    """What a value keeps: its arrays frozen, those in tuples too."""
    if not isinstance(x, tuple):
        return frozen(x)
    return type(x)(*map(_kept, x)) if hasattr(x, "_fields") else tuple(map(_kept, x))


def total(terms: Iterable[Any]) -> Any:
    """Sum that starts with the first term, so no stray 0 enters a formula or a tape."""
    result: Any = 0
    for term in terms:
        result = term if isinstance(result, int) and result == 0 else result + term
    return result
