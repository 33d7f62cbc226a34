"""Lines of a derivation as expressions: what is printed is what is evaluated.

A `Line` is a chain of equal sides.  A side is a tree of `Term`s: values, names, sums, products, integrals; it prints
itself as LaTeX and MathML and, given what is `known` of the names in it, evaluates to a number, a vector or a matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from steiner.solids.expressions import INFIX
from steiner.solids.terms import Known, Term, Value


@final
@dataclass(frozen=True, eq=False)
class Line:
    """Sides that are equal."""

    sides: tuple[Term, ...]

    def latex(self) -> str:
        """side = side = …"""
        return " = ".join(side.latex() for side in self.sides)

    def mathml(self) -> str:
        """side = side = …"""
        return "<mo>=</mo>".join(f"<mrow>{side.mathml()}</mrow>" for side in self.sides)

    def pieces(self) -> list[str]:
        """MathML between which the line may be broken: before each sign of equality and between its long terms."""
        first, *rest = self.sides
        found = [first.mathml()]
        for side in rest:
            start, *others = side.pieces()
            found += [INFIX.format("=") + start, *others]
        return [found[0] + found[1], *found[2:]] if rest else found

    def values(self, known: Known) -> list[Any]:
        """What each side comes to: they are the same."""
        return [side.value(known) for side in self.sides]


def line(*sides: Any) -> Line:
    """A line of terms; what is no term is a value.  Sides that would read alike are written once."""
    terms: list[Term] = []
    for side in sides:
        term = side if isinstance(side, Term) else Value(side)
        if not terms or term.latex() != terms[-1].latex():
            terms.append(term)
    return Line(tuple(terms))
