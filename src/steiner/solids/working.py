"""Lines of a derivation as expressions: what is printed is what is evaluated.

A `Line` is a chain of equal sides.  A side is a tree of `Term`s: values, names, sums, products, integrals; it prints
itself as LaTeX and MathML and, given what is `known` of the names in it, evaluates to a number, a vector or a matrix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
import sympy
from sympy.printing.mathml import MathMLPresentationPrinter

from steiner.scalar import is_symbolic
from steiner.text import names
from steiner.text.tables import settled

Expr = Any
Known = Mapping[str, Any]  # what a name stands for: a number, an expression, a vector or a matrix

_INDEXED = re.compile(r"([A-Za-z]+'?)_([A-Za-z0-9]|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)+)", re.ASCII)  # as `Name` writes them

# ---- expressions, written ------------------------------------------------------------------------------


def tex(expression: Expr) -> str:
    """LaTeX of an expression; a symbol whose name is no part of a formula is set as text."""
    symbols = getattr(expression, "free_symbols", ())
    written = {s: rf"\text{{{names.latex(s.name)}}}" for s in symbols if not names.is_formula(s.name)}
    written |= {s: Name(found[1], found[2]).latex() for s in symbols if (found := _INDEXED.fullmatch(s.name))}
    return sympy.latex(expression, symbol_names=written)


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
    return _MathML()._print(expression).toxml()


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


# ---- terms -----------------------------------------------------------------------------------------------


class Term:
    """One side of an equation, or a piece of it."""

    loose = False  # a sum needs brackets beside a factor

    def latex(self) -> str:
        """For math mode."""
        raise NotImplementedError

    def mathml(self) -> str:
        """Inside <math>."""
        raise NotImplementedError

    def value(self, known: Known) -> Any:
        """What it comes to; names that are not known stay symbols."""
        raise NotImplementedError

    def factor(self) -> tuple[str, str]:
        """LaTeX and MathML beside another factor."""
        if not self.loose:
            return self.latex(), self.mathml()
        return rf"\left[{self.latex()}\right]", f"<mrow><mo>[</mo>{self.mathml()}<mo>]</mo></mrow>"

    def __add__(self, other: Term) -> Sum:
        return Sum(((1, self), (1, other)))

    def __sub__(self, other: Term) -> Sum:
        return Sum(((1, self), (-1, other)))

    def __mul__(self, other: Term) -> Product:
        return Product((self, other))


@final
@dataclass(frozen=True, eq=False)
class Value(Term):
    """A number, an expression, a vector or a matrix as it is."""

    of: Any

    @property
    def loose(self) -> bool:  # type: ignore[override]
        """A sum, or a number with a sign."""
        return not np.ndim(self.of) and (isinstance(self._shown, sympy.Add) or self._shown.could_extract_minus_sign())

    @property
    def _shown(self) -> Any:
        return as_matrix(self.of) if np.ndim(self.of) else rounded(self.of)

    def latex(self) -> str:
        factor, rest = common_factor(self._shown)
        return f"{tex(factor)} {tex(rest)}" if factor != 1 else tex(rest)

    def mathml(self) -> str:
        factor, rest = common_factor(self._shown)
        return f"<mrow>{mathml(factor)}{mathml(rest)}</mrow>" if factor != 1 else mathml(rest)

    def factor(self) -> tuple[str, str]:
        if not self.loose:
            return self.latex(), self.mathml()
        return rf"\left({self.latex()}\right)", f"<mrow><mo>(</mo>{self.mathml()}<mo>)</mo></mrow>"

    def value(self, known: Known) -> Any:
        return resolved(self.of, known)


@final
@dataclass(frozen=True, eq=False)
class Name(Term):
    """A letter with an index that stands for something known: I_A, I_xx^(2), ᴬI."""

    letter: str
    index: str = ""
    mark: str = ""  # above, at the right
    about: str = ""  # above, at the left: the frame

    @property
    def key(self) -> str:
        """What `known` calls it; also the name of its symbol, if it is a number."""
        return "".join([
            f"{self.about}:" * bool(self.about), self.letter, f"_{self.index}" * bool(self.index),
            f"^{self.mark}" * bool(self.mark),
        ])  # fmt: skip

    def latex(self) -> str:
        index = rf"\mathrm{{{self.index}}}" if _is_word(self.index) else self.index
        index = f"_{index}" if len(index) == 1 else f"_{{{index}}}" * bool(index)
        frame = f"{{}}^{self.about} " * bool(self.about)
        return frame + tex(sympy.Symbol(self.letter)) + index + f"^{{{self.mark}}}" * bool(self.mark)

    def mathml(self) -> str:
        letter, nothing = mathml(sympy.Symbol(self.letter)), "<mrow></mrow>"
        index, mark, about = (f"<mtext>{t}</mtext>" if t else nothing for t in (self.index, self.mark, self.about))
        if self.about:
            return f"<mmultiscripts>{letter}{index}{mark}<mprescripts/>{nothing}{about}</mmultiscripts>"
        return f"<msubsup>{letter}{index}{mark}</msubsup>" if self.index or self.mark else letter

    def value(self, known: Known) -> Any:
        return resolved(known.get(self.key, sympy.Symbol(self.key)), known)


def _is_word(index: str) -> bool:
    return any(len(piece) > 2 and piece.isalpha() for piece in index.split(","))


@final
@dataclass(frozen=True, eq=False)
class Written(Term):
    """What is known under a sign of its own, such as ∫ x² dV."""

    key: str
    as_latex: str
    as_mathml: str

    def latex(self) -> str:
        return self.as_latex

    def mathml(self) -> str:
        return self.as_mathml

    def value(self, known: Known) -> Any:
        return resolved(known[self.key], known)


@final
@dataclass(frozen=True, eq=False)
class Sum(Term):
    """Terms with their signs, in the order given."""

    terms: tuple[tuple[int, Term], ...]
    loose = True

    def _written(self, texts: list[str], minus: str, plus: str) -> str:
        result = ""
        for k, ((sign, _), text) in enumerate(zip(self.terms, texts, strict=True)):
            result += (minus if sign < 0 else plus if k else "") + text
        return result

    def latex(self) -> str:
        return self._written([t.factor()[0] if s < 0 or _is_signed(t) else t.latex() for s, t in self.terms],
                             " - ", " + ")  # fmt: skip

    def mathml(self) -> str:
        texts = [t.factor()[1] if s < 0 or _is_signed(t) else t.mathml() for s, t in self.terms]
        return f"<mrow>{self._written(texts, '<mo>−</mo>', '<mo>+</mo>')}</mrow>"

    def value(self, known: Known) -> Any:
        (sign, first), *rest = self.terms
        result = sign * first.value(known)
        for sign, term in rest:
            result = result + sign * term.value(known)
        return result


def _is_signed(term: Term) -> bool:
    return isinstance(term, Value) and term.loose


@final
@dataclass(frozen=True, eq=False)
class Product(Term):
    """Factors side by side; of vectors and matrices the matrix product."""

    factors: tuple[Term, ...]

    def latex(self) -> str:
        pieces = [f.factor()[0] for f in self.factors]
        text = pieces[0]
        for before, piece in zip(self.factors, pieces[1:], strict=False):
            sign = r" \cdot " if piece[0].isdigit() and isinstance(before, Value) else r"\, "
            text += sign + piece
        return text

    def mathml(self) -> str:
        return "<mrow>" + "<mo>⁢</mo>".join(f.factor()[1] for f in self.factors) + "</mrow>"

    def value(self, known: Known) -> Any:
        result = self.factors[0].value(known)
        for factor in self.factors[1:]:
            other = factor.value(known)
            result = result @ other if np.ndim(result) and np.ndim(other) else result * other
        return result


@final
@dataclass(frozen=True, eq=False)
class Quotient(Term):
    """A fraction."""

    top: Term
    bottom: Term

    def latex(self) -> str:
        return rf"\frac{{{self.top.latex()}}}{{{self.bottom.latex()}}}"

    def mathml(self) -> str:
        return f"<mfrac><mrow>{self.top.mathml()}</mrow><mrow>{self.bottom.mathml()}</mrow></mfrac>"

    def value(self, known: Known) -> Any:
        return self.top.value(known) / self.bottom.value(known)


@final
@dataclass(frozen=True, eq=False)
class Transposed(Term):
    """A matrix with its rows as columns."""

    of: Term

    def latex(self) -> str:
        return f"{self.of.latex()}^{{T}}"

    def mathml(self) -> str:
        return f"<msup>{self.of.mathml()}<mi>T</mi></msup>"

    def value(self, known: Known) -> Any:
        return self.of.value(known).T


@final
@dataclass(frozen=True, eq=False)
class Inner(Term):
    """(P·P) 1, times the unit matrix."""

    of: Term

    def latex(self) -> str:
        return rf"({self.of.latex()} \cdot {self.of.latex()})\,1"

    def mathml(self) -> str:
        return f"<mrow><mo>(</mo>{self.of.mathml()}<mo>·</mo>{self.of.mathml()}<mo>)</mo><mn>1</mn></mrow>"

    def value(self, known: Known) -> Any:
        p = self.of.value(known)
        return np.eye(3, dtype=int) * (p @ p)


@final
@dataclass(frozen=True, eq=False)
class Outer(Term):
    """P ⊗ P."""

    of: Term

    def latex(self) -> str:
        return rf"{self.of.latex()} \otimes {self.of.latex()}"

    def mathml(self) -> str:
        return f"<mrow>{self.of.mathml()}<mo>⊗</mo>{self.of.mathml()}</mrow>"

    def value(self, known: Known) -> Any:
        p = self.of.value(known)
        return np.outer(p, p)


@final
@dataclass(frozen=True, eq=False)
class Integral(Term):
    """Nested integrals, outermost first: (variable, from, to) around an integrand."""

    integrand: Expr
    limits: tuple[tuple[Expr, Expr, Expr], ...]

    def latex(self) -> str:
        signs = "".join(rf"\int_{{{tex(low)}}}^{{{tex(high)}}}" for _, low, high in self.limits)
        body = rf"\left({tex(self.integrand)}\right)" if isinstance(self.integrand, sympy.Add) else tex(self.integrand)
        body = "" if self.integrand == 1 else body
        return f"{signs} {body}" + "".join(rf"\,d{tex(v)}" for v, _, _ in reversed(self.limits))

    def mathml(self) -> str:
        signs = "".join(
            f"<msubsup><mo>∫</mo><mrow>{mathml(low)}</mrow><mrow>{mathml(high)}</mrow></msubsup>"
            for _, low, high in self.limits
        )
        body = mathml(self.integrand)
        body = f"<mrow><mo>(</mo>{body}<mo>)</mo></mrow>" if isinstance(self.integrand, sympy.Add) else body
        body = "" if self.integrand == 1 else body
        ends = "".join(f'<mspace width="0.17em"/><mi>d</mi>{mathml(v)}' for v, _, _ in reversed(self.limits))
        return f"<mrow>{signs}{body}{ends}</mrow>"

    def value(self, known: Known) -> Any:
        inside = {str(v) for v, _, _ in self.limits}
        outside = {k: v for k, v in known.items() if k not in inside}
        result = self.integrand
        for variable, low, high in reversed(self.limits):
            result = integrate(result, variable, low, high)
        return resolved(result, outside)


def resolved(value: Any, known: Known) -> Any:
    """A value with what is known of the symbols in it put in, and of the symbols in those."""
    if np.ndim(value):
        entries = [resolved(v, known) for v in np.asarray(value, dtype=object).ravel()]
        result = np.array([None] * len(entries), dtype=object)
        result[:] = entries
        return result.reshape(np.shape(value))
    for _ in known:
        if not is_symbolic(value):
            break
        found = {s: sympy.sympify(known[s.name]) for s in value.free_symbols if s.name in known and known[s.name] != s}
        if not found:
            break
        value = value.xreplace(found)
    return value


# ---- lines -----------------------------------------------------------------------------------------------


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
