"""Intermediate results by name: of long arms each quantity is written down once and stands by its name afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from steiner.formulas.polynomials import Poly
from steiner.formulas.system import Equations
from steiner.formulas.writing import ACCELERATION, LENGTH, Sum
from steiner.scalar import is_zero
from steiner.text.document import WIDEST, Document
from steiner.text.layout import Box, ident, number, op, row, sub, width

AXES = "xyz"
AFTER_THE_ROBOT = 10_000  # in the order of factors, names come after the symbols of the robot


class Results:
    """Writes results into a document; of long arms it gives their entries names, with which the algorithm goes on."""

    def __init__(self, eq: Equations, document: Document) -> None:
        self.sets, self.document, self._terms = eq.typesetter, document, eq.terms
        self.names = not eq.is_closed

    def vector(self, left: Box, values: np.ndarray, *, moves: bool = True) -> np.ndarray:
        """A vector, or its components that are not zero if it is too wide."""
        whole = self.sets.array(values, rates=moves)
        base, index = left.inside
        entries = [sub(base, row(index, ident(axis))) for axis in AXES]
        if width(left) + width(whole) <= WIDEST:
            self.document.equation(left, whole)
        else:
            for entry, value in zip(entries, values, strict=True):
                if not is_zero(value):
                    self.document.equation(entry, self.sets.poly(value, rates=moves))
            rest = [axis for axis, value in zip(AXES, values, strict=True) if is_zero(value)]
            if rest:
                several = len(rest) > 1
                self.document.text(
                    f"The {' and '.join(rest)} component{'s vanish' if several else ' vanishes'}."
                )
        return self._called(entries, values, moves)

    def matrix(self, left: Box, small: Box, values: np.ndarray) -> np.ndarray:
        """A matrix, or its entries that are not zero if it is too wide; `small` is the letter of an entry, indexed."""
        base, index = small.inside
        n, m = values.shape
        symmetric = n == m and all(is_zero(values[i, j] - values[j, i]) for i in range(n) for j in range(i))
        entries = [[sub(base, row(index, op(","), number(f"{i + 1}{j + 1}"))) for j in range(m)] for i in range(n)]
        whole = self.sets.array(values)
        if width(left) + width(whole) <= WIDEST:
            self.document.equation(left, whole)
        else:
            for i, j in np.ndindex(n, m):
                if not is_zero(values[i, j]) and not (symmetric and i > j):
                    self.document.equation(entries[i][j], self.sets.poly(values[i, j]))
            self.document.text(
                "are the entries of ", left, ", which is symmetric; others vanish." if symmetric else "; others vanish."
            )
        flat = [b for line in entries for b in line]
        result = self._called(flat, values.ravel(), False).reshape(n, m)
        if symmetric:
            for i, j in np.ndindex(n, m):
                result[i, j] = result[min(i, j), max(i, j)]
        return result

    def scalar(self, left: Box, value: Any, *, moves: bool = False) -> Any:
        """A number."""
        self.document.equation(left, self.sets.poly(value, rates=moves))
        return self._called([left], np.array([value], dtype=object), moves)[0]

    def sum(self, left: Box, *parts: Any) -> None:
        """A sum in the order of its parts."""
        terms = [term for part in parts for term in self._terms.writer.by_rates(part).terms]
        self.document.equation(left, self.sets.sum(Sum(tuple(terms))))

    def _called(self, boxes: list[Box], values: np.ndarray, moves: bool) -> np.ndarray:
        if not self.names:
            return values
        return np.array([self._call(b, x, moves) for b, x in zip(boxes, values, strict=True)], dtype=object)

    def _call(self, box: Box, value: Any, moves: bool) -> Any:
        """The name of a result, or the result itself if it is as short as a name."""
        if not isinstance(value, Poly) or _is_short(value):
            return value
        symbol = sympy.Dummy()
        self._terms.ranks[symbol] = (ACCELERATION if moves else LENGTH, len(self._terms.ranks) + AFTER_THE_ROBOT)
        self.sets.call(symbol, box)
        return self._terms.ring.lift(symbol)


def _is_short(value: Poly) -> bool:
    """Whether this is a number, a name or a name with a minus sign."""
    if len(value.terms) > 1:
        return False
    (monomial, coefficient), *_ = value.terms.items()
    powers = [e for _, e in value.ring.factors(monomial)]
    return not powers or (powers == [1] and abs(coefficient) == 1)
