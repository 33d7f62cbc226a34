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

FUNCTIONS = (sympy.sin, sympy.cos, sympy.tan)
_INDEXED = re.compile(r"([A-Za-z]+'?)_([A-Za-z0-9]|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)+)", re.ASCII)  # as `Name` writes them


def tex(expression: Expr) -> str:
    """LaTeX of an expression; a symbol whose name is no part of a formula is set as text."""
    symbols = getattr(expression, "free_symbols", ())
    written = {s: rf"\text{{{names.latex(s.name)}}}" for s in symbols if not names.is_formula(s.name)}
    written |= {s: indexed(found[1], found[2]) for s in symbols if (found := _INDEXED.fullmatch(s.name))}
    return sympy.latex(expression, symbol_names=written)


def indexed(letter: str, index: str) -> str:
    """LaTeX of a letter with an index; words in it are upright."""
    if index in names.GREEK:
        return f"{sympy.latex(sympy.Symbol(letter))}_{{{sympy.latex(sympy.Symbol(index))}}}"
    is_word = any(len(piece) > 2 and piece.isalpha() for piece in index.split(","))
    index = rf"\mathrm{{{index}}}" if is_word else index
    is_letter = len(index) == 1 and index.isalpha()
    return sympy.latex(sympy.Symbol(letter)) + (f"_{index}" if is_letter else f"_{{{index}}}" * bool(index))


TALL = frozenset(("mfrac", "mtable", "msqrt", "munder", "munderover"))  # what brackets grow with
INFIX = '<mo form="infix">{}</mo>'  # a sign that begins a piece of a line is no prefix
_THIN = "0.17em"
# a letter right before the name of a function: a sin α, which would read as the function asin
_SQUEEZED = re.compile(r"(<mo>&InvisibleTimes;</mo>)(<mrow>(?:<msup>)?<mi>(?:sin|cos|tan)</mi>)")


class _MathML(MathMLPresentationPrinter):
    """SymPy's, but sin² α as it is written by hand, primes beside their letter, and strange names as text."""

    def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
        if not names.is_formula(sym.name):
            text = self.dom.createElement("mtext")
            text.appendChild(self.dom.createTextNode(names.printable(sym.name)))
            return text
        plain = sym.name.replace("\\var", "").replace("\\", "").replace("{", "").replace("}", "")
        letter, _, index = plain.partition("_")
        if not letter.endswith("'"):
            return super()._print_Symbol(sympy.Symbol(plain), style)  # type: ignore[misc]
        primed = self._element("mrow", self._print(sympy.Symbol(letter[:-1])), self._sign("′"))
        return self._element("msub", primed, self._word(index)) if index else primed

    def _print_Pow(self, e: Any) -> Any:
        if e.base.func in FUNCTIONS and e.exp.is_Integer and e.exp > 0:
            return self._function(e.base, self._print(e.exp))
        return super()._print_Pow(e)  # type: ignore[misc]

    def _print_sin(self, e: Any) -> Any:
        return self._function(e)

    _print_cos = _print_tan = _print_sin

    def _function(self, e: Any, power: Any = None) -> Any:
        """sin α, sin² α, sin(2α)."""
        name, inside = self._word(e.func.__name__), self._print(e.args[0])
        name = name if power is None else self._element("msup", name, power)
        if e.args[0].is_Symbol:
            return self._element("mrow", name, self._gap(), inside)
        return self._element("mrow", name, self._sign("("), inside, self._sign(")"))

    def _element(self, tag: str, *inside: Any) -> Any:
        made = self.dom.createElement(tag)
        for child in inside:
            made.appendChild(child)
        return made

    def _word(self, text: str) -> Any:
        return self._element("mi", self.dom.createTextNode(text))

    def _sign(self, sign: str) -> Any:
        made = self._element("mo", self.dom.createTextNode(sign))
        for side in ("lspace", "rspace"):
            made.setAttribute(side, "0")
        return made

    def _gap(self) -> Any:
        made = self.dom.createElement("mspace")
        made.setAttribute("width", _THIN)
        return made


def mathml(expression: Expr) -> str:
    """Presentation MathML of an expression."""
    root = _MathML()._print(expression)
    _mend(root)
    text = re.sub("<m([on])>-", r"<m\1>−", str(root.toxml()))  # type: ignore[union-attr]
    return _SQUEEZED.sub(rf"\1<mspace width='{_THIN}'/>\2", text)


def summands(expression: Expr) -> list[str]:
    """MathML of the terms of a sum, each but the first with its sign before it."""
    if not isinstance(expression, sympy.Add):
        return [mathml(expression)]
    terms: list[Any] = list(expression.as_ordered_terms())
    negative = [term.could_extract_minus_sign() for term in terms]
    rest = zip(terms[1:], negative[1:], strict=True)
    return [mathml(terms[0]), *(INFIX.format("−" if n else "+") + mathml(-t if n else t) for t, n in rest)]


def script(text: str) -> str:
    """A letter is slanted, as in the expressions beside it; words and numbers are not."""
    text = names.GREEK.get(text, text)
    return f"<mi>{text}</mi>" if len(text) == 1 and text.isalpha() else f"<mtext>{text}</mtext>"


def _mend(element: Any) -> None:
    """Brackets grow only with what is tall (grown ones stand apart); a power stands above an index."""
    for child in list(element.childNodes):
        _mend(child)
    if element.nodeName == "msup" and element.firstChild.nodeName == "msub":
        below, power = element.childNodes
        element.tagName = element.nodeName = "msubsup"
        element.replaceChild(below.firstChild, below)
        element.insertBefore(below.lastChild, power)
    elif element.nodeName == "mrow" and len(element.childNodes) > 2 and not _is_tall(element):
        for sign in element.childNodes:
            if sign.nodeName == "mo" and sign.firstChild.data in "()":
                sign.setAttribute("stretchy", "false")


def _is_tall(element: Any) -> bool:
    return element.nodeName in TALL or any(map(_is_tall, element.childNodes))


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
