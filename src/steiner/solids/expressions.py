"""Expressions as they are written: LaTeX, MathML, six digits, factors before matrices; and integrals term by term."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.printing.mathml import MathMLPresentationPrinter

from steiner.text import names
from steiner.text.tables import settled

Expr = Any

_INDEXED = re.compile(r"([A-Za-z]+'?)_([A-Za-z0-9]|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)+)", re.ASCII)  # as `Name` writes them


def tex(expression: Expr) -> str:
    """LaTeX of an expression; a symbol whose name is no part of a formula is set as text."""
    symbols = getattr(expression, "free_symbols", ())
    written = {s: rf"\text{{{names.latex(s.name)}}}" for s in symbols if not names.is_formula(s.name)}
    written |= {s: indexed(found[1], found[2]) for s in symbols if (found := _INDEXED.fullmatch(s.name))}
    return sympy.latex(expression, symbol_names=written)


def indexed(letter: str, index: str) -> str:
    """LaTeX of a letter with an index; words in it are upright."""
    is_word = any(len(piece) > 2 and piece.isalpha() for piece in index.split(","))
    index = rf"\mathrm{{{index}}}" if is_word else index
    is_letter = len(index) == 1 and index.isalpha()
    return sympy.latex(sympy.Symbol(letter)) + (f"_{index}" if is_letter else f"_{{{index}}}" * bool(index))


# a letter right before the name of a function: a sin α, which would read as the function asin
_SQUEEZED = re.compile(r"(<mo>&InvisibleTimes;</mo>)(<mrow><mi>(?:sin|cos|tan)</mi>)")


class _MathML(MathMLPresentationPrinter):
    """SymPy's, but a symbol whose name is no part of a formula is text."""

    def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
        if names.is_formula(sym.name):
            plain = sympy.Symbol(sym.name.replace("\\", "").replace("{", "").replace("}", ""))
            return super()._print_Symbol(plain, style)  # type: ignore[misc]
        text = self.dom.createElement("mtext")
        text.appendChild(self.dom.createTextNode(names.printable(sym.name)))
        return text


def mathml(expression: Expr) -> str:
    """Presentation MathML of an expression."""
    text = str(_MathML()._print(expression).toxml())  # type: ignore[union-attr]
    return _SQUEEZED.sub(r"\1<mspace width='0.17em'/>\2", re.sub("<m([on])>-", r"<m\1>−", text))


def exactly(value: Any) -> Any:
    """A number as an expression: a short decimal as its fraction, which reads better under powers."""
    if isinstance(value, float) and float(fraction := Fraction(value).limit_denominator(10000)) == value:
        return sympy.Rational(fraction.numerator, fraction.denominator)
    return sympy.sympify(value)


def rounded(value: Any) -> Any:
    """An expression with its floats to six digits, whole ones as integers."""
    exact = sympy.sympify(value)
    return exact.xreplace({f: _six_digits(f) for f in exact.atoms(sympy.Float)})


def _six_digits(number: Any) -> Any:
    short = float(f"{float(number):.6g}")
    return sympy.Integer(int(short)) if short.is_integer() and abs(short) < 1e6 else sympy.Float(short, 6)


def as_matrix(value: Any) -> Any:
    """A vector or matrix for people: round-off beside its largest entry is 0."""
    entries = settled(np.asarray(value, dtype=object))
    return sympy.Matrix(len(entries), entries[0].size if entries.ndim > 1 else 1, list(map(rounded, entries.ravel())))


def common_factor(shown: Any) -> tuple[Any, Any]:
    """What all entries of a square matrix have as a factor, if there is a symbol in it, and the rest of them."""
    entries = [e for e in shown if e != 0] if isinstance(shown, sympy.MatrixBase) and shown.is_square else []
    if not entries:
        return sympy.Integer(1), shown
    shared = set.intersection(*(set(sympy.Mul.make_args(e)) for e in entries))
    factor = sympy.Mul(*shared)
    if not factor.free_symbols:
        return sympy.Integer(1), shown
    return factor, shown.applyfunc(lambda e: e / factor)


# ---- integrals -------------------------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def _antiderivative(factor: Expr, variable: Expr) -> Expr:
    return sympy.integrate(factor, variable)


def integrate(expression: Expr, variable: Expr, low: Expr, high: Expr) -> Expr:
    """∫ expression d(variable), term by term; each kind of factor is integrated once."""
    result = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(expression)):
        rest, factor = term.as_independent(variable, as_Add=False)
        primitive = _antiderivative(factor, variable)
        result += rest * (primitive.subs(variable, high) - primitive.subs(variable, low))
    return sympy.expand(result)
