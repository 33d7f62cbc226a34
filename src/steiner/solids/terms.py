"""Terms of worked lines: trees of values, names, sums, products and integrals, which print and evaluate themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import sympy

from steiner.scalar import is_symbolic
from steiner.solids.expressions import (
    INFIX,
    as_matrix,
    common_factor,
    indexed,
    integrate,
    mathml,
    rounded,
    script,
    summands,
    tex,
)

Expr = Any
Known = Mapping[str, Any]  # what a name stands for: a number, an expression, a vector or a matrix


class Term(ABC):
    """One side of an equation, or a piece of it."""

    loose = False  # a sum needs brackets beside a factor
    brackets = "[]"

    @abstractmethod
    def _latex(self) -> str: ...

    @abstractmethod
    def _mathml(self) -> str: ...

    @abstractmethod
    def _value(self, known: Known) -> Any: ...

    def latex(self) -> str:
        """For math mode."""
        return self._latex()

    def mathml(self) -> str:
        """Inside <math>."""
        return self._mathml()

    def pieces(self) -> list[str]:
        """MathML between which a line may be broken."""
        return [self.mathml()]

    def value(self, known: Known) -> Any:
        """What it comes to; names that are not known stay symbols."""
        return self._value(known)

    def factor(self) -> tuple[str, str]:
        """LaTeX and MathML beside another factor."""
        if not self.loose:
            return self.latex(), self.mathml()
        left, right = self.brackets
        mathml = self.mathml()
        grows = "" if "<mfrac>" in mathml or "<mtable>" in mathml else ' stretchy="false"'
        inside = f"<mo{grows}>{left}</mo>{mathml}<mo{grows}>{right}</mo>"
        return rf"\left{left}{self.latex()}\right{right}", f"<mrow>{inside}</mrow>"

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
    brackets = "()"

    @property
    def loose(self) -> bool:  # type: ignore[override]
        """A sum, or a number with a sign."""
        return not np.ndim(self.of) and (isinstance(self._shown, sympy.Add) or self._shown.could_extract_minus_sign())

    @property
    def _shown(self) -> Any:
        return as_matrix(self.of) if np.ndim(self.of) else rounded(self.of)

    def _latex(self) -> str:
        factor, rest = common_factor(self._shown)
        return f"{tex(factor)} {tex(rest)}" if factor != 1 else tex(rest)

    def _mathml(self) -> str:
        factor, rest = common_factor(self._shown)
        return f"<mrow>{mathml(factor)}{mathml(rest)}</mrow>" if factor != 1 else mathml(rest)

    def pieces(self) -> list[str]:
        """One for each term of a sum, its sign before it."""
        return [self.mathml()] if np.ndim(self.of) else summands(self._shown)

    def _value(self, known: Known) -> Any:
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

    def _latex(self) -> str:
        frame = f"{{}}^{self.about} " * bool(self.about)
        return frame + indexed(self.letter, self.index) + f"^{{{self.mark}}}" * bool(self.mark)

    def _mathml(self) -> str:
        letter, nothing = mathml(sympy.Symbol(self.letter.rstrip("'"))), "<mrow></mrow>"
        if self.letter.endswith("'"):
            letter = f'<mrow>{letter}<mo lspace="0" rspace="0">′</mo></mrow>'
        index, mark, about = (script(t) if t else nothing for t in (self.index, self.mark, self.about))
        if self.about:
            return f"<mmultiscripts>{letter}{index}{mark}<mprescripts/>{nothing}{about}</mmultiscripts>"
        return f"<msubsup>{letter}{index}{mark}</msubsup>" if self.index or self.mark else letter

    def _value(self, known: Known) -> Any:
        return resolved(known.get(self.key, sympy.Symbol(self.key)), known)


@final
@dataclass(frozen=True, eq=False)
class Written(Term):
    """What is known under a sign of its own, such as ∫ x² dV."""

    key: str
    as_latex: str
    as_mathml: str

    def _latex(self) -> str:
        return self.as_latex

    def _mathml(self) -> str:
        return self.as_mathml

    def _value(self, known: Known) -> Any:
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

    def _latex(self) -> str:
        return self._written([t.factor()[0] if s < 0 or _is_signed(t) else t.latex() for s, t in self.terms],
                             " - ", " + ")  # fmt: skip

    def _mathml(self) -> str:
        texts = [t.factor()[1] if s < 0 or _is_signed(t) else t.mathml() for s, t in self.terms]
        return f"<mrow>{self._written(texts, '<mo>−</mo>', '<mo>+</mo>')}</mrow>"

    def pieces(self) -> list[str]:
        """One for each term, its sign before it."""
        if self.terms[0][0] < 0:
            return [self.mathml()]
        signs = ["", *(INFIX.format("−" if sign < 0 else "+") for sign, _ in self.terms[1:])]
        return [sign + Sum(((1, term),)).mathml() for sign, (_, term) in zip(signs, self.terms, strict=True)]

    def _value(self, known: Known) -> Any:
        (sign, first), *rest = self.terms
        result = sign * first.value(known)
        for sign, term in rest:
            result = result + sign * term.value(known)
        return result


def _is_matrix(term: Term) -> bool:
    term = term.of if isinstance(term, Transposed) else term
    return isinstance(term, Value) and np.ndim(term.of) == 2


def _is_signed(term: Term) -> bool:
    return isinstance(term, Value) and term.loose


@final
@dataclass(frozen=True, eq=False)
class Product(Term):
    """Factors side by side; of vectors and matrices the matrix product."""

    factors: tuple[Term, ...]

    def _joined(self, pieces: list[str], dot: str, nothing: str) -> str:
        """Factors side by side; two numbers have a dot between them."""
        written = [f.factor()[0] for f in self.factors]
        text = pieces[0]
        for before, piece, after in zip(self.factors, pieces[1:], written[1:], strict=False):
            text += (dot if after[0].isdigit() and isinstance(before, Value) else nothing) + piece
        return text

    def _latex(self) -> str:
        return self._joined([f.factor()[0] for f in self.factors], r" \cdot ", r"\, ")

    def _mathml(self) -> str:
        inside = self._joined([f.factor()[1] for f in self.factors], "<mo>·</mo>", "<mo>\u2062</mo>")
        return f"<mrow>{inside}</mrow>"

    def pieces(self) -> list[str]:
        """Matrices that are multiplied may stand on several lines."""
        return [f.factor()[1] for f in self.factors] if all(map(_is_matrix, self.factors)) else [self.mathml()]

    def _value(self, known: Known) -> Any:
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

    def _latex(self) -> str:
        return rf"\frac{{{self.top.latex()}}}{{{self.bottom.latex()}}}"

    def _mathml(self) -> str:
        return f"<mfrac><mrow>{self.top.mathml()}</mrow><mrow>{self.bottom.mathml()}</mrow></mfrac>"

    def _value(self, known: Known) -> Any:
        return self.top.value(known) / self.bottom.value(known)


@final
@dataclass(frozen=True, eq=False)
class Transposed(Term):
    """A matrix with its rows as columns."""

    of: Term

    def _latex(self) -> str:
        return f"{self.of.latex()}^{{T}}"

    def _mathml(self) -> str:
        if isinstance(self.of, Name) and not self.of.mark:
            return replace(self.of, mark="T").mathml()
        return f"<msup>{self.of.mathml()}<mi>T</mi></msup>"

    def _value(self, known: Known) -> Any:
        return self.of.value(known).T


@final
@dataclass(frozen=True, eq=False)
class Inner(Term):
    """(P·P) 1, times the unit matrix."""

    of: Term

    def _latex(self) -> str:
        return rf"({self.of.latex()} \cdot {self.of.latex()})\,1"

    def _mathml(self) -> str:
        inside = f"{self.of.mathml()}<mo>·</mo>{self.of.mathml()}"
        return f'<mrow><mo stretchy="false">(</mo>{inside}<mo stretchy="false">)</mo><mn>1</mn></mrow>'

    def _value(self, known: Known) -> Any:
        p = self.of.value(known)
        return np.eye(3, dtype=int) * (p @ p)


@final
@dataclass(frozen=True, eq=False)
class Outer(Term):
    """P ⊗ P."""

    of: Term

    def _latex(self) -> str:
        return rf"{self.of.latex()} \otimes {self.of.latex()}"

    def _mathml(self) -> str:
        return f"<mrow>{self.of.mathml()}<mo>⊗</mo>{self.of.mathml()}</mrow>"

    def _value(self, known: Known) -> Any:
        p = self.of.value(known)
        return np.outer(p, p)


@final
@dataclass(frozen=True, eq=False)
class Integral(Term):
    """Nested integrals, outermost first: (variable, from, to) around an integrand."""

    integrand: Expr
    limits: tuple[tuple[Expr, Expr, Expr], ...]

    def _latex(self) -> str:
        signs = "".join(rf"\int_{{{tex(low)}}}^{{{tex(high)}}}" for _, low, high in self.limits)
        body = rf"\left({tex(self.integrand)}\right)" if isinstance(self.integrand, sympy.Add) else tex(self.integrand)
        body = "" if self.integrand == 1 else body
        return f"{signs} {body}" + "".join(rf"\,d{tex(v)}" for v, _, _ in reversed(self.limits))

    def _mathml(self) -> str:
        signs = "".join(
            f"<msubsup><mo>∫</mo><mrow>{mathml(low)}</mrow><mrow>{mathml(high)}</mrow></msubsup>"
            for _, low, high in self.limits
        )
        body = mathml(self.integrand)
        body = f"<mrow><mo>(</mo>{body}<mo>)</mo></mrow>" if isinstance(self.integrand, sympy.Add) else body
        body = "" if self.integrand == 1 else body
        ends = "".join(f'<mspace width="0.17em"/><mi>d</mi>{mathml(v)}' for v, _, _ in reversed(self.limits))
        return f"<mrow>{signs}{body}{ends}</mrow>"

    def _value(self, known: Known) -> Any:
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
