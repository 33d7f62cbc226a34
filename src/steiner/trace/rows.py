"""Rows of a tape: their operations, and the signed references that name them.

A row is (op, a, b, c).  A CONSTANT holds its (positive) value in `a`; an INPUT its array and element in `a`, `b`; ADD,
SUB, MUL and DIV name rows; SQRT and the functions after it name signed references, as outputs do.  A reference is
2·row, plus 1 if the number meant is the negative of the row's; only the functions here know that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any


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
