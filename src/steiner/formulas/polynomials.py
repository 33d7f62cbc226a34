"""Polynomials in symbols, sines and cosines with exact coefficients: the numbers that closed forms are made of.

A monomial is one integer, twelve bits for the exponent of every generator, so that monomials multiply
by adding.  Each angle has a pair of generators c, s; s² is always replaced by 1 − c², which makes the
form unique: two formulas are the same exactly if their polynomials are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy

from steiner import scalar, symbolic
from steiner.errors import SteinerError

WIDTH = 12
FIELD = (1 << WIDTH) - 1
LARGEST_POWER = 64  # of a sum that is multiplied out

Terms = dict[int, Any]


class Generator(NamedTuple):
    """What a field of a monomial stands for; `angle` is the number of its angle, −1 if it is none's."""

    expr: sympy.Expr
    kind: str  # "symbol", "cos", "sin", "root" or "opaque"
    angle: int = -1


class Angle(NamedTuple):
    """An angle `scale` × monomial, whose cosine and sine are generators."""

    monomial: int
    scale: Fraction
    cos: int
    sin: int


class Ring:
    """The generators of one set of polynomials, found while an algorithm runs."""

    def __init__(self) -> None:
        self.generators: list[Generator] = []
        self.angles: list[Angle] = []
        self.scales: dict[int, int] = {}  # monomial -> common denominator of its multiples
        self.square = 0  # bit 1 of every field whose square is replaced
        self.decimal = False  # whether a float that is no whole number came in
        self._rules: dict[int, tuple[tuple[int, Any], ...]] = {}
        self._index: dict[Any, int] = {}
        self._lifted: dict[Any, Any] = {}
        self._angle_of: dict[Any, int] = {}

    # ---- generators --------------------------------------------------------------------------

    def generator(self, expr: sympy.Expr, kind: str = "symbol", angle: int = -1) -> int:
        """Index of a generator, new or already there."""
        index = self._index.get(expr)
        if index is None:
            index = self._index[expr] = len(self.generators)
            self.generators.append(Generator(expr, kind, angle))
        return index

    def symbol(self, expr: sympy.Expr, kind: str = "symbol") -> Any:
        """A generator as a polynomial."""
        return Poly(self, {1 << WIDTH * self.generator(expr, kind): 1})

    def squares_to(self, index: int, replacement: Terms) -> None:
        """From now on generator² is the replacement."""
        self.square |= 2 << WIDTH * index
        self._rules[WIDTH * index] = tuple(replacement.items())

    def reduce(self, monomial: int, coefficient: Any, out: Terms) -> None:
        """Adds a term, squares replaced."""
        flagged = monomial & self.square
        if not flagged:
            out[monomial] = out.get(monomial, 0) + coefficient
            return
        shift = (flagged & -flagged).bit_length() - 2
        rest = monomial - (2 << shift)
        for factor, weight in self._rules[shift]:
            self.reduce(rest + factor, coefficient * weight, out)

    # ---- other kinds of number ---------------------------------------------------------------

    def lift(self, x: Any) -> Any:
        """x as an exact number of this ring: an int, or a polynomial."""
        if isinstance(x, Poly | int):
            return x
        if isinstance(x, np.integer):
            return int(x)
        if isinstance(x, float | np.floating):
            return self._decimal(float(x))
        if isinstance(x, Fraction):
            return self.constant(x)
        if not isinstance(x, sympy.Expr):
            raise SteinerError(
                f"{x!r} is a {type(x).__name__}, which no formula can hold; expected a number or a symbol"
            )
        found = self._lifted.get(x)
        if found is None:
            found = self._lifted[x] = self._expression(x)
        return found

    def constant(self, value: Any) -> Any:
        """A rational number."""
        value = Fraction(value)
        return value.numerator if value.denominator == 1 else Poly(self, {0: value})

    def root(self, n: int) -> Any:
        """√n of a natural number, as a generator whose square is n."""
        known = len(self.generators)
        r = self.symbol(sympy.sqrt(n), "root")
        if len(self.generators) > known:
            self.squares_to(known, {0: n})
        return r

    def _decimal(self, x: float) -> Any:
        """A float by its shortest decimals; √2/2 and √3/2, which rotations are full of, exactly."""
        if not math.isfinite(x):
            raise SteinerError(f"{x} is not a finite number; no formula can hold it")
        if x.is_integer():
            return int(x)
        for n in (2, 3):
            if abs(x) == math.sqrt(n / 4):
                return self.root(n) * Fraction(1 if x > 0 else -1, 2)
        self.decimal = self.decimal or x * 8 != int(x * 8)
        return Poly(self, {0: Fraction(repr(x))})

    def _expression(self, x: sympy.Expr) -> Any:
        if x.is_Integer:
            return int(x)
        if x.is_Rational:
            return self.constant(Fraction(int(x.p), int(x.q)))  # pyright: ignore[reportAttributeAccessIssue]
        if x.is_Float:
            return self._decimal(float(x))
        if x.is_Symbol or x is sympy.pi:
            return self.symbol(x)
        if x.is_Add:
            return scalar.total(self.lift(a) for a in x.args)
        if x.is_Mul:
            result: Any = 1
            for a in x.args:
                result = result * self.lift(a)
            return result
        if x.is_Pow:
            return self._power(x)
        if isinstance(x, sympy.cos | sympy.sin):
            c, s = self.turn(self.lift(x.args[0]))
            return c if isinstance(x, sympy.cos) else s
        return self.symbol(x, "opaque")

    def _power(self, x: sympy.Expr) -> Any:
        base, exponent = _arguments(x)
        if exponent.is_Integer and 0 < int(exponent) <= LARGEST_POWER:
            return self.lift(base) ** int(exponent)
        if exponent == sympy.Rational(1, 2) and base.is_Integer and base > 0:
            return self.root(int(base))
        number = self.lift(base)
        if not isinstance(number, Poly) and not base.is_number:  # sin² + cos² under a root
            return self.lift(sympy.Integer(number) ** exponent)
        return self.symbol(x, "opaque")

    # ---- angles ------------------------------------------------------------------------------

    def turn(self, angle: Any) -> tuple[Any, Any]:
        """Cosine and sine of a linear combination of monomials, by the addition theorems."""
        if not isinstance(angle, Poly):
            angle = Poly(self, {0: angle} if angle else {})
        c, s = 1, 0
        for monomial, coefficient in angle.terms.items():
            a, b = self._turn_of(monomial, Fraction(coefficient))
            c, s = c * a - s * b, s * a + c * b
        return c, s

    def _turn_of(self, monomial: int, coefficient: Fraction) -> tuple[Any, Any]:
        expr = self.expression(Poly(self, {monomial: 1}))
        if expr == sympy.pi:
            exact = sympy.Rational(coefficient.numerator, coefficient.denominator) * sympy.pi
            c, s = sympy.cos(exact), sympy.sin(exact)
            if not (c.has(sympy.cos) or s.has(sympy.sin)):
                return self.lift(c), self.lift(s)
        if monomial == 0:  # a plain number: its own angle, never a multiple of a smaller one
            angle = self.angles[self._angle(0, coefficient)]
            return tuple(Poly(self, {1 << WIDTH * k: 1}) for k in (angle.cos, angle.sin))  # pyright: ignore[reportReturnType]
        denominator = math.lcm(self.scales.get(monomial, 1), coefficient.denominator)
        angle = self.angles[self._angle(monomial, Fraction(1, denominator))]
        c, s = (Poly(self, {1 << WIDTH * k: 1}) for k in (angle.cos, angle.sin))
        count = coefficient * denominator
        cc, ss = 1, 0
        for _ in range(abs(int(count))):
            cc, ss = cc * c - ss * s, ss * c + cc * s
        return cc, (ss if count > 0 else -ss)

    def _angle(self, monomial: int, scale: Fraction) -> int:
        number = self._angle_of.get((monomial, scale))
        if number is None:
            number = self._angle_of[monomial, scale] = len(self.angles)
            expr = self.expression(Poly(self, {monomial: scale}))
            c = self.generator(sympy.cos(expr, evaluate=False), "cos", number)
            s = self.generator(sympy.sin(expr, evaluate=False), "sin", number)
            self.squares_to(s, {0: 1, 2 << WIDTH * c: -1})
            self.angles.append(Angle(monomial, scale, c, s))
        return number

    # ---- back to SymPy -----------------------------------------------------------------------

    def factors(self, monomial: int) -> list[tuple[int, int]]:
        """(generator, exponent) pairs of a monomial."""
        found, index = [], 0
        while monomial:
            if monomial & FIELD:
                found.append((index, monomial & FIELD))
            monomial >>= WIDTH
            index += 1
        return found

    def expression(self, x: Any) -> sympy.Expr:
        """x as a SymPy expression, multiplied out."""
        if not isinstance(x, Poly):
            return symbolic.exact(x)
        terms = []
        for monomial, c in x.terms.items():
            powers = [self.generators[k].expr ** e for k, e in self.factors(monomial)]
            terms.append(sympy.Mul(sympy.Rational(Fraction(c).numerator, Fraction(c).denominator), *powers))
        return sympy.Add(*terms)


def _arguments(x: Any) -> tuple[Any, ...]:
    return x.args


class Poly:
    """A polynomial: coefficients (int or Fraction) by monomial; the empty one is the int 0."""

    __slots__ = ("ring", "terms")

    def __init__(self, ring: Ring, terms: Terms) -> None:
        self.ring, self.terms = ring, terms

    def _made(self, terms: Terms) -> Any:
        kept = {m: c for m, c in terms.items() if c}
        if not kept:
            return 0
        if len(kept) == 1 and 0 in kept and kept[0] == int(kept[0]):
            return int(kept[0])
        return Poly(self.ring, kept)

    def _coerced(self, other: Any) -> Any:
        lifted = self.ring.lift(other)
        return lifted.terms if isinstance(lifted, Poly) else {0: lifted} if lifted else {}

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not Poly and not isinstance(other, scalar.NUMBERS):
            return NotImplemented
        b = other.terms if isinstance(other, Poly) else self._coerced(other)
        out = dict(self.terms)
        for m, c in b.items():
            out[m] = out.get(m, 0) + c
        return self._made(out)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return Poly(self.ring, {m: -c for m, c in self.terms.items()})

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is not Poly and not isinstance(other, scalar.NUMBERS):
            return NotImplemented
        a, b = self.terms, other.terms if isinstance(other, Poly) else self._coerced(other)
        out: Terms = {}
        square, reduce = self.ring.square, self.ring.reduce
        for ma, ca in a.items():
            for mb, cb in b.items():
                m = ma + mb
                if m & square:
                    reduce(m, ca * cb, out)
                else:
                    out[m] = out.get(m, 0) + ca * cb
        return self._made(out)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        divisor = self.ring.lift(other)
        if not isinstance(divisor, Poly):
            return self * Fraction(1, divisor)
        if len(divisor.terms) == 1:
            ((monomial, weight),) = divisor.terms.items()
            if all(_divides(monomial, m) for m in self.terms):
                return self._made({m - monomial: Fraction(c) / weight for m, c in self.terms.items()})
        return self * self.ring.lift(1 / self.ring.expression(divisor))

    def __rtruediv__(self, other: Any) -> Any:
        return self.ring.lift(other) * self.ring.lift(1 / self.ring.expression(self))

    def __pow__(self, exponent: int) -> Any:
        result: Any = 1
        for _ in range(exponent):
            result = self * result
        return result

    def __eq__(self, other: object) -> bool:
        return self is other or (not isinstance(self - other, Poly) and not self - other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"Poly({self.ring.expression(self)})"


def _divides(a: int, b: int) -> bool:
    while a:
        if a & FIELD > b & FIELD:
            return False
        a, b = a >> WIDTH, b >> WIDTH
    return True


def derivative(x: Any, coordinate: sympy.Symbol) -> Any:
    """∂x/∂(coordinate), sines and cosines included."""
    if not isinstance(x, Poly):
        return 0
    ring, own = x.ring, WIDTH * x.ring.generator(coordinate)
    slopes: dict[int, Any] = {own: 1}
    for angle in ring.angles:
        if angle.monomial >> own & FIELD:
            inner = Poly(ring, {angle.monomial - (1 << own): angle.scale * (angle.monomial >> own & FIELD)})
            slopes[WIDTH * angle.cos] = -inner * Poly(ring, {1 << WIDTH * angle.sin: 1})
            slopes[WIDTH * angle.sin] = inner * Poly(ring, {1 << WIDTH * angle.cos: 1})
    total: Any = 0
    for shift, slope in slopes.items():
        part = {m - (1 << shift): c * e for m, c in x.terms.items() if (e := m >> shift & FIELD)}
        total = total + (Poly(ring, part) * slope if part else 0)
    for k, g in enumerate(ring.generators):
        if g.kind == "opaque" and g.expr.has(coordinate) and any(m >> WIDTH * k & FIELD for m in x.terms):
            raise SteinerError(f"{g.expr} depends on {coordinate} in a way that this derivation cannot differentiate")
    return total


def _function(f: Callable[[Any], Any]) -> Callable[[Poly], Any]:
    return lambda x: x.ring.lift(f(x.ring.expression(x)))


scalar.cos.register(Poly, lambda x: x.ring.turn(x)[0])
scalar.sin.register(Poly, lambda x: x.ring.turn(x)[1])
scalar.sqrt.register(Poly, _function(lambda e: sympy.sqrt(sympy.factor(e))))
scalar.exp.register(Poly, _function(sympy.exp))
scalar.tanh.register(Poly, _function(sympy.tanh))
scalar.absolute.register(Poly, _function(sympy.Abs))
scalar.sign.register(Poly, _function(sympy.sign))


@scalar.select.register(Poly)
def _(condition: Poly, positive: Any, otherwise: Any) -> Any:
    ring = condition.ring
    a, b, c = (ring.expression(ring.lift(x)) for x in (positive, otherwise, condition))
    return ring.symbol(sympy.Piecewise((a, c > 0), (b, True)), "opaque")


@scalar.pi_beside.register(Poly)
def _(x: Poly) -> Any:
    return x.ring.lift(sympy.pi)
