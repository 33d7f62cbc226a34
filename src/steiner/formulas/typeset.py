"""From formulas to boxes: names of symbols, joints as θ or d with dots, c₁₂ for cos(θ₁ + θ₂)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from steiner.formulas.terms import Terms
from steiner.formulas.trigonometry import Trig
from steiner.formulas.writing import Atom, Sum, Term
from steiner.scalar import is_zero
from steiner.text.layout import (
    Box,
    dotted,
    fenced,
    frac,
    func,
    ident,
    joined,
    matrix,
    number,
    op,
    row,
    sub,
    sup,
    words,
)
from steiner.text.names import GREEK, plain_letters

DIGITS = 6  # of decimals on the page; generated code has all
LONG_PRODUCT = 4  # factors of a product that deserves a letter
_NAME = re.compile(r"([A-Za-z]+)_?(.*)", re.DOTALL)


def name_box(name: str) -> Box:
    """A symbol's name: lc2 as l with index c2, Izz1 as I with zz1, theta1 as θ with 1, others upright."""
    name = plain_letters(name)
    match = _NAME.fullmatch(name)
    if match is None:
        return ident(name)
    letters, rest = match.groups()
    greek = next((g for g in sorted(GREEK, key=len, reverse=True) if letters.startswith(g)), None)
    if greek and (len(letters) == len(greek) or len(letters) - len(greek) <= 2):
        base, rest = greek, letters[len(greek) :] + rest
    elif len(letters) <= 3:
        base, rest = letters[0], letters[1:] + rest
    else:
        base = letters
    return sub(ident(base), _index(rest)) if rest else ident(base)


def _index(text: str) -> Box:
    parts = re.findall(r"[A-Za-z]+|\d+|[^A-Za-z\d_]+", text)
    boxes = [number(p) if p.isdigit() else (p in GREEK and ident(p)) or row(*(ident(c) for c in p)) for p in parts]
    return boxes[0] if len(boxes) == 1 else row(*boxes)


class Typesetter:
    """Boxes for the formulas of one robot."""

    def __init__(self, terms: Terms, *, as_in_the_decks: bool = False) -> None:
        self.terms, robot, self._decks = terms, terms.robot, as_in_the_decks
        joints = {b.index: b.joint for b in robot.bodies if b.joint.follows is None}
        self.letters = ["d" if is_zero(joints[k].turn) else "theta" for k in range(robot.n)]
        default = all(s.name == f"q{k + 1}" for k, s in enumerate(terms.q))
        names = {s.name for s in terms.ranks if isinstance(s, sympy.Symbol)}
        self._taken = {name.replace("_", "") for name in names}
        taken = any(n in names for k, c in enumerate(self.letters) for n in (f"{c}{k + 1}", f"{c}_{k + 1}"))
        if taken or (as_in_the_decks and (len(set(self.letters)) == 1 or "d" in names)):  # θ and d only side by side
            self.letters = ["q"] * robot.n
        self._joint: dict[Any, Box] = {}
        for dots, symbols in enumerate((terms.q, terms.qd, terms.qdd)):
            for k, s in enumerate(symbols):
                base = ident(self.letters[k]) if default else name_box(terms.q[k].name)
                if default:
                    self._joint[s] = sub(dotted(base, dots), number(str(k + 1)))
                else:
                    indexed = base.kind == "sub"
                    self._joint[s] = (
                        sub(dotted(base.inside[0], dots), base.inside[1]) if indexed else dotted(base, dots)
                    )

    def call(self, symbol: sympy.Symbol, box: Box) -> None:
        """Write a symbol so: the name of an intermediate result."""
        self._joint[symbol] = box

    @property
    def decimal(self) -> bool:
        """Whether numbers are written as decimals: known when the robot's numbers have been read."""
        return self.terms.ring.decimal

    # ---- pieces ------------------------------------------------------------------------------

    def q(self, k: int, dots: int = 0) -> Box:
        """The coordinate of joint k, or its rate or acceleration."""
        return self._joint[(self.terms.q, self.terms.qd, self.terms.qdd)[dots][k]]

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates for a picture: θ₁, d₂."""
        if all(s.name == f"q{k + 1}" for k, s in enumerate(self.terms.q)):
            small = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
            return [GREEK.get(c, c) + str(k).translate(small) for k, c in enumerate(self.letters, 1)]
        return [s.name for s in self.terms.q]

    def number(self, value: Fraction) -> Box:
        """A positive number."""
        if self.decimal:
            return self.decimals(value)
        if value.denominator == 1:
            return number(str(value.numerator))
        return frac(number(str(value.numerator)), number(str(value.denominator)))

    def decimals(self, value: Fraction) -> Box:
        """A positive number, rounded."""
        return number(f"{float(value):.{DIGITS}g}")

    def atom(self, atom: Atom) -> Box:
        """A symbol or a sine or cosine."""
        if atom.trig is not None:
            return self._trig(atom.trig)
        return self.expression(atom.expr)

    def short(self, trig: Trig) -> str | None:
        """c12 for cos(q1 + q2): the letter and the joints' numbers, if the angle is such a sum."""
        joints = []
        for angle, j in zip(self.terms.ring.angles, trig.harmonic, strict=True):
            if j not in (0, 1):
                return None
            if j:
                expr: Any = self.terms.ring.generators[angle.cos].expr.args[0]
                if expr not in self.terms.q:
                    return None
                joints.append(self.terms.q.index(expr) + 1)
        between = "_" if self.terms.robot.n > 9 else ""
        short = trig.kind[0] + between.join(map(str, sorted(joints)))
        return None if self.is_taken(short) else short

    def is_taken(self, short: str) -> bool:
        """Whether c1 is a letter of the robot itself."""
        return short.replace("_", "") in self._taken

    def _trig(self, trig: Trig) -> Box:
        short = self.short(trig)
        if short is not None:
            return sub(ident(short[0]), number(short[1:].replace("_", ",")))
        return self.function(trig.kind, self.terms.writer._trig_atom(trig).expr.args[0])

    def function(self, name: str, argument: Any) -> Box:
        """A function of an expression."""
        inner = self.expression(argument)
        simple = inner.kind in ("id", "sub", "num")
        return row(func(name), inner if simple else fenced(inner))

    def expression(self, value: Any) -> Box:
        """Any SymPy expression, in SymPy's own order."""
        x: Any = sympy.sympify(value)
        if x in self._joint:
            return self._joint[x]
        if x.is_Symbol:
            return name_box(x.name)
        if x is sympy.pi:
            return ident("pi")
        if x.is_Rational or x.is_Float:
            size = Fraction(int(x.p), int(x.q)) if x.is_Rational else Fraction(repr(float(x)))
            text = self.number(abs(size)) if x.is_Rational else number(f"{abs(float(x)):.{DIGITS}g}")
            return row(op("negative"), text) if size < 0 else text
        if x.is_Add:
            return self.sum(Sum(tuple(_split(a) for a in x.as_ordered_terms())))
        if x.is_Mul or x.is_Pow:
            return self._quotient(x)
        if isinstance(x, sympy.Piecewise):
            first, condition = x.args[0].args
            other = self.expression(x.args[-1].args[0])
            return row(self.expression(first), words(" if "), words(str(condition)), words(" else "), other)
        if x.is_Function:
            name = {"sign": "sgn", "Abs": "abs"}.get(type(x).__name__, type(x).__name__)
            return self.function(name, x.args[0])
        return words(str(x))

    def _quotient(self, x: Any) -> Box:
        if x.is_Pow and x.exp == sympy.Rational(1, 2):
            return row(words("√"), fenced(self.expression(x.base)) if x.base.is_Add else self.expression(x.base))
        top, bottom = x.as_numer_denom()
        if bottom != 1:
            return frac(self.expression(top), self.expression(bottom))
        if x.is_Pow:
            base = self.expression(x.base)
            base = base if base.kind in ("id", "sub", "num") else fenced(base)
            return sup(base, self.expression(x.exp))
        return self.term(_split(x), first=True)

    # ---- formulas ----------------------------------------------------------------------------

    def sum(self, x: Sum) -> Box:
        """A sum with its signs."""
        if not x.terms:
            return number("0")
        return row(*(self.term(t, first=k == 0) for k, t in enumerate(x.terms)))

    def term(self, t: Term, *, first: bool) -> Box:
        """A term with its sign in front."""
        sign = [op("negative" if first else "-")] if t.coefficient < 0 else [] if first else [op("+")]
        size = abs(t.coefficient)
        parts = [self.number(size)] if size != 1 or not t.factors else []
        for factor, power in self._shortened(t.factors):
            if isinstance(factor, Sum):
                box = self.sum(factor) if len(t.factors) == 1 and size == 1 and not sign else fenced(self.sum(factor))
            else:
                box = self.atom(factor) if isinstance(factor, Atom) else self.expression(factor)
                box = fenced(box) if box.kind == "row" and getattr(factor, "is_Add", False) else box
            parts.append(_raised(box, power))
        return row(*sign, *parts)

    @cached_property
    def h(self) -> tuple[tuple[Atom, int], ...]:
        """h = m₂ l₁ l_c2 s₂ of the decks: the product of which all Christoffel symbols of two joints are made."""
        if not self._decks or self.terms.robot.n != 2:
            return ()
        found = {t.factors for x in self.terms.christoffel.ravel() for t in self.terms.writer.terms(x)}
        return found.pop() if len(found) == 1 and len(next(iter(found))) >= LONG_PRODUCT else ()

    @property
    def definition_of_h(self) -> Box:
        """h = m₂ l₁ l_c2 s₂."""
        return row(ident("h"), op("="), *(self.atom(a) for a, _ in self.h))

    def _shortened(self, factors: Sequence[tuple[Any, int]]) -> Sequence[tuple[Any, int]]:
        """The factors of a term with h in place of what it stands for."""
        if not self.h or not set(self.h) <= set(factors):
            return factors
        return [(sympy.Symbol("h"), 1), *(f for f in factors if f not in self.h)]

    def poly(self, x: Any, rates: bool = False) -> Box:
        """A polynomial of this robot."""
        writer = self.terms.writer
        return self.sum(writer.by_rates(x) if rates else writer.sum(x))

    def array(self, a: Any, rates: bool = False) -> Box:
        """A matrix, or a vector as a column."""
        a = np.asarray(a, dtype=object)
        rows: Sequence[Any] = a.reshape(-1, 1) if a.ndim == 1 else a
        return matrix([[self.poly(x, rates) for x in line] for line in rows])

    def legend(self, used: Sequence[str]) -> list[Box]:
        """What the short names c12, s3 mean."""
        boxes = []
        for short in used:
            joints = [int(j) - 1 for j in (short[1:].split("_") if "_" in short else short[1:])]
            angle = joined([self.q(k) for k in joints], "+")
            cosine = row(func({"c": "cos", "s": "sin"}[short[0]]), fenced(angle) if len(joints) > 1 else angle)
            boxes.append(row(sub(ident(short[0]), number(short[1:].replace("_", ","))), op("="), cosine))
        return boxes


def _raised(box: Box, power: int) -> Box:
    if power == 1:
        return box
    return sup(box if box.kind in ("id", "sub", "num", "fenced", "dot") else fenced(box), number(str(power)))


def _split(x: Any) -> Term:
    """A SymPy product as a term; powers keep to themselves."""
    c, rest = x.as_coeff_Mul()
    if not c.is_Rational:
        c, rest = sympy.Integer(1), x
    factors = () if rest == 1 else tuple((f, 1) for f in (rest.as_ordered_factors() if rest.is_Mul else [rest]))
    return Term(Fraction(int(c.p), int(c.q)), factors)
