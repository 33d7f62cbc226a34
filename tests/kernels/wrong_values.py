"""Values that are no arguments, and some that are, for fuzzing calls; every one is made anew."""

from __future__ import annotations

import array
import collections
import datetime
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import sympy as sp

import steiner as st


class Lying(np.ndarray):
    """An array that says it is another."""

    shape = property(lambda self: (4, 3))
    dtype = property(lambda self: np.dtype(np.float64))
    flags = property(lambda self: Pretending.flags)


class Pretending:
    """An object with all that an array has but memory."""

    class flags:
        writeable = c_contiguous = aligned = carray = True

    dtype, ndim, size, strides = np.dtype(np.float64), 2, 12, (24, 8)
    __array_interface__ = {"shape": (4, 3), "typestr": "<f8", "data": (8, False), "version": 3}  # noqa: RUF012

    def __init__(self, shape):
        self.shape = shape

    def reshape(self, *shape):
        return self


class Raising:
    """Conversion, description and everything else fail."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")

    def __iter__(self):
        raise RuntimeError("no")

    def __len__(self):
        raise RuntimeError("no")


class Tensor:
    __module__ = "torch"


def within_itself():
    x = [1.0, 2.0]
    x.append(x)
    return x


def holding(kind):
    """Three entries, the second of them strange."""
    x = np.empty(3, dtype=object)
    x[:] = [0.1, None, 0.3]
    x[1] = kind
    return x


def masked(mask=(0, 1, 0)):
    return np.ma.array([0.1, 0.2, 0.3], mask=mask)


def unaligned(shape, dtype=np.float64):
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.zeros(size + 1, np.uint8)[1:].view(dtype).reshape(shape)


# what stands for a number; never one that gives a number, whatever the argument
STRANGE = {
    "None": lambda: holding(None),
    "text": lambda: holding("0.2"),
    "truth": lambda: holding(True),
    "complex": lambda: holding(1j),
    "decimal": lambda: holding(Decimal("0.1")),
    "date": lambda: holding(datetime.date(2020, 1, 1)),
    "list": lambda: holding([1.0]),
    "object": lambda: holding(object()),
    "nothing masked": lambda: holding(np.ma.masked),
    "boolean expression": lambda: holding(sp.Symbol("x") > 1),
    "matrix expression": lambda: holding(sp.ImmutableMatrix([[1]])),
    "function": lambda: holding(sp.Function("f")),
    "too large": lambda: holding(10**400),
    "masked": masked,
    "masked whole": lambda: masked((1, 1, 1)),
    "list of masked": lambda: [masked(), masked()],
    "masked in list": lambda: [0.1, np.ma.masked, 0.3],
    "truths": lambda: [True, False, True],
    "a truth": lambda: [0.1, True, 0.3],
    "NumPy's truth": lambda: [0.1, np.True_, 0.3],
    "array of truths": lambda: np.array([True, False, True]),
    "truth in rows": lambda: [[0.1, 0.2, 0.3], [0.1, 0.2, False]],
    "texts": lambda: ["0.1", "0.2", "0.3"],
    "array of texts": lambda: np.array(["0.1", "0.2", "0.3"]),
    "bytes": lambda: np.array([b"1", b"2", b"3"]),
    "dates": lambda: np.array(["2020-01-01"] * 3, "M8[D]"),
    "durations": lambda: np.array([1, 2, 3], "m8[s]"),
    "date among numbers": lambda: [0.1, np.datetime64("2020-01-01"), 0.3],
    "complexes": lambda: np.array([0.1, 0.2, 0.3 + 0j]),
    "complex in list": lambda: [0.1, 0.2, 0.3 + 0j],
    "fields": lambda: np.zeros(3, [("x", "f8"), ("y", "f8")]),
    "record": lambda: np.zeros(3, [("x", "f8")]).view(np.recarray),
    "ragged": lambda: [[0.1, 0.2, 0.3], [0.1, 0.2]],
    "ragged deeply": lambda: [[[0.1, 0.2, 0.3]], [0.1, 0.2, 0.3]],
    "ragged with symbols": lambda: [[sp.Symbol("x"), 0.2, 0.3], [0.1]],
    "None in list": lambda: [0.1, None, 0.3],
    "decimals": lambda: [Decimal(1), Decimal(2), Decimal(3)],
    "word": lambda: "abc",
    "octets": lambda: b"abc",
    "mapping": lambda: {"joint1": 0.1, "joint2": 0.2, "joint3": 0.3},
    "set": lambda: {0.1, 0.2, 0.3},
    "generator": lambda: (x for x in (0.1, 0.2, 0.3)),
    "function object": lambda: math.sin,
    "class": lambda: float,
    "itself": within_itself,
    "deep": lambda: __import__("functools").reduce(lambda x, _: [x], range(200), 0.1),
    "raising": Raising,
    "torch": Tensor,
    "pose": lambda: st.Pose(),
    "wrench": lambda: st.Wrench(),
    "ellipsis": lambda: ...,
    "number": lambda: 0.5,
    "whole number": lambda: 3,
    "zero-d": lambda: np.array(0.5),
    "column": lambda: np.zeros((3, 1)),
    "too short": lambda: np.zeros(2),
    "too long": lambda: np.zeros(4),
    "empty": list,
    "no rows of nothing": lambda: np.zeros((0, 0)),
}

# numbers all the same: refused or computed, by shape
NUMBERS = {
    "fractions": lambda: [Fraction(1, 3), Fraction(2, 7), 0],
    "array of fractions": lambda: np.array([Fraction(1, 3)] * 3, dtype=object),
    "ints": lambda: [1, 2, 3],
    "large ints": lambda: [10**25, 0, 1],
    "halves": lambda: np.array([0.1, 0.2, 0.3], np.float16),
    "long": lambda: np.array([0.1, 0.2, 0.3], np.longdouble),
    "single": lambda: np.array([0.1, 0.2, 0.3], np.float32),
    "small ints": lambda: np.array([1, 2, 3], np.int8),
    "swapped": lambda: np.array([0.1, 0.2, 0.3], ">f8"),
    "unaligned": lambda: unaligned((4, 3)),
    "unmasked": lambda: masked((0, 0, 0)),
    "matrix": lambda: np.array([[0.1, 0.2, 0.3]]).view(np.matrix),
    "lying": lambda: np.zeros(3).view(Lying),
    "backwards": lambda: np.arange(6.0)[::-2],
    "fortran": lambda: np.zeros((4, 3), order="F"),
    "rows": lambda: np.zeros((4, 3)),
    "other rows": lambda: np.zeros((5, 3)),
    "no rows": lambda: np.zeros((0, 3)),
    "many axes": lambda: np.zeros((1, 2, 1, 2, 3)),
    "range": lambda: range(3),
    "deque": lambda: collections.deque([0.1, 0.2, 0.3]),
    "buffer": lambda: memoryview(array.array("d", [0.1, 0.2, 0.3])),
    "array of the library": lambda: array.array("d", [0.1, 0.2, 0.3]),
    "read-only": lambda: np.broadcast_to(0.5, (4, 3)),
    "zero-d in list": lambda: [np.array(0.1), 0.2, np.float32(0.3)],
    "not a number": lambda: [0.1, math.nan, 0.3],
    "infinite": lambda: np.array([np.inf, -np.inf, 0.3]),
    "huge": lambda: np.full(3, 1e300),
    "tiny": lambda: np.full(3, 5e-324),
}

SYMBOLS = {
    "symbols": lambda: sp.symbols("a b c"),
    "functions of time": lambda: [sp.Function(k)(sp.Symbol("t")) for k in "abc"],
    "exact": lambda: [sp.pi, sp.Rational(1, 3), 0],
    "among numbers": lambda: np.array([0.1, sp.Symbol("a"), Fraction(1, 3)], dtype=object),
    "row": lambda: sp.Matrix([[0.1, 0.2, sp.Symbol("a")]]),
    "no number": lambda: [sp.nan, sp.oo, sp.I],
}

ANYTHING = {**STRANGE, **NUMBERS, **SYMBOLS, "none at all": lambda: None}


def anything(pick: random.Random):
    """A value of any kind, and its name."""
    name = pick.choice(list(NUMBERS if pick.random() < 0.3 else ANYTHING))
    return name, ANYTHING[name]()
