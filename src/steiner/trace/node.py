"""Traced scalars: numbers that write down what is done with them.

One table per trace holds every operation once (hash-consing).  A reference to an entry carries
a sign, so negation is free; 0, ±1 and constants fold while the algorithm runs.

A row is (op, a, b, c).  A CONSTANT holds its (positive) value in `a`; an INPUT its array and element in `a`, `b`; ADD,
SUB, MUL and DIV name rows; SQRT and the functions after it name signed references, as outputs do.  A reference is
2·row, plus 1 if the number meant is the negative of the row's; only the functions here know that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NoReturn

import numpy as np

from steiner import scalar
from steiner.errors import TraceError
from steiner.scalar import NUMBERS


class Op(IntEnum):
    """The operations of a tape."""

    CONSTANT = 0
    INPUT = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    SQRT = 6
    SIN = 7
    COS = 8
    EXP = 9
    TANH = 10
    ABS = 11
    SIGN = 12
    SELECT = 13


def signed(row: int, negated: bool = False) -> int:
    """The reference to a row, or to its negative."""
    return 2 * row + negated


def row_of(reference: int) -> int:
    """The row of a reference."""
    return reference >> 1


def is_negated(reference: int) -> bool:
    """Whether a reference means the negative of its row."""
    return reference & 1 == 1


def referred(values: Sequence[Any], reference: int) -> Any:
    """What a reference means, given the values of the rows."""
    value = values[reference >> 1]
    return -value if reference & 1 else value


def moved(reference: int, place: Mapping[int, int]) -> int:
    """The same reference after rows went to other places."""
    return 2 * place[reference >> 1] + (reference & 1)


def operands(row: Sequence[Any]) -> tuple[int, ...]:
    """The references that an operation reads."""
    if row[0] <= Op.INPUT:
        return ()
    return tuple([2 * x for x in row[1:]]) if row[0] <= Op.DIV else tuple(row[1:])


def operand_rows(row: Sequence[Any]) -> tuple[int, ...]:
    """The rows that an operation reads."""
    if row[0] <= Op.INPUT:
        return ()
    return tuple(row[1:]) if row[0] <= Op.DIV else tuple([x >> 1 for x in row[1:]])


# f(−x) = −f(x), f(−x) = f(x); the others need their operand's sign
ODD = frozenset({Op.SIN, Op.TANH, Op.SIGN})
EVEN = frozenset({Op.COS, Op.ABS})


class Trace:
    """The table of one trace, one row per operation."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._row_of: dict[tuple[Any, ...], int] = {}

    def row(self, *key: Any) -> int:
        """The row of an operation, new or already there."""
        index = self._row_of.get(key)
        if index is None:
            index = self._row_of[key] = len(self.rows)
            self.rows.append(key)
        return index

    def input(self, array: int, element: int) -> Node:
        """The traced scalar for one element of an input array."""
        return Node(self, self.row(Op.INPUT, array, element), False)

    def lift(self, value: Any) -> Node:
        """A plain number as a traced scalar."""
        value = float(value)
        return Node(self, self.row(Op.CONSTANT, abs(value)), value < 0)


class Node:
    """A traced scalar: a signed reference into the table of its trace."""

    __slots__ = ("negative", "row", "trace")
    rounds = True  # it stands for a float

    def __init__(self, trace: Trace, row: int, negative: bool) -> None:
        self.trace = trace
        self.row = row
        self.negative = negative

    @property
    def reference(self) -> int:
        """The signed reference that a tape holds."""
        return signed(self.row, self.negative)

    def __neg__(self) -> Node:
        return Node(self.trace, self.row, not self.negative)

    def __pos__(self) -> Node:
        return self

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not Node:
            if not isinstance(other, NUMBERS):
                return NotImplemented
            if other == 0:
                return self
            other = self.trace.lift(other)
        trace, a, b = self.trace, self.row, other.row
        if self.negative == other.negative:
            return Node(trace, trace.row(Op.ADD, *((a, b) if a <= b else (b, a))), self.negative)
        if a == b:
            return 0.0
        if a < b:
            return Node(trace, trace.row(Op.SUB, a, b), self.negative)
        return Node(trace, trace.row(Op.SUB, b, a), other.negative)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is not Node:
            if not isinstance(other, NUMBERS):
                return NotImplemented
            if other == 0:
                return 0.0
            if other == 1:
                return self
            if other == -1:
                return -self
            other = self.trace.lift(other)
        trace, a, b = self.trace, self.row, other.row
        return Node(
            trace, trace.row(Op.MUL, *((a, b) if a <= b else (b, a))), self.negative != other.negative
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if other.__class__ is not Node:
            if not isinstance(other, NUMBERS):
                return NotImplemented
            if other == 0:
                raise TraceError("division of a traced number by zero")
            return self * (1.0 / float(other))
        if other.row == self.row:
            return -1.0 if self.negative != other.negative else 1.0
        return Node(
            self.trace, self.trace.row(Op.DIV, self.row, other.row), self.negative != other.negative
        )

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return 0.0 if other == 0 else self.trace.lift(other) / self

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, int) and exponent >= 0:
            result: Any = 1.0
            for _ in range(exponent):
                result = self * result
            return result
        if isinstance(exponent, int):
            return 1.0 / self ** (-exponent)
        return NotImplemented

    def __abs__(self) -> Node:
        return self.apply(Op.ABS)

    def apply(self, op: Op) -> Node:
        """An elementary function of this number, its sign pulled out where it can be."""
        trace = self.trace
        if op in ODD:
            return Node(trace, trace.row(op, signed(self.row)), self.negative)
        operand = signed(self.row) if op in EVEN else self.reference
        return Node(trace, trace.row(op, operand), False)

    def _no_value(self, *_: Any) -> NoReturn:
        raise TraceError(
            "a traced number has no value to branch on; write select(condition, positive, otherwise) "
            "instead of `if`, and use steiner.scalar's functions instead of math's"
        )

    __bool__ = __float__ = __int__ = __lt__ = __le__ = __gt__ = __ge__ = _no_value
    __eq__ = __ne__ = _no_value  # pyright: ignore[reportAssignmentType]
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        op = self.trace.rows[self.row][0].name.lower()
        return f"{'-' if self.negative else ''}{op}#{self.row}"


def _register() -> None:
    for function, op in (
        (scalar.sin, Op.SIN),
        (scalar.cos, Op.COS),
        (scalar.sqrt, Op.SQRT),
        (scalar.exp, Op.EXP),
        (scalar.tanh, Op.TANH),
        (scalar.absolute, Op.ABS),
        (scalar.sign, Op.SIGN),
    ):
        function.register(Node, lambda x, op=op: x.apply(op))


_register()


@scalar.select.register(Node)
def _(condition: Node, positive: Any, otherwise: Any) -> Any:
    trace = condition.trace
    a, b = (x if isinstance(x, Node) else trace.lift(x) for x in (positive, otherwise))
    if a.reference == b.reference:
        return a
    return Node(trace, trace.row(Op.SELECT, condition.reference, a.reference, b.reference), False)


@scalar.pi_beside.register(Node)
def _(x: Node) -> float:
    return float(np.pi)
