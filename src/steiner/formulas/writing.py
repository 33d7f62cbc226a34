"""Formulas as a person writes them: terms in the order of the links, grouped by masses and by rates.

A polynomial becomes a `Sum` of `Term`s; a factor of a term is an `Atom` or again a `Sum`.  The tree keeps the
order of writing, which SymPy's expressions do not; `sympy_of` gives those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

import sympy

from steiner.formulas.polynomials import FIELD, WIDTH, Poly, Ring
from steiner.formulas.trigonometry import Harmonic, Trig, Written, fourier, shortest

# the order of factors in a product: m g l d cos q̇ q̈
MASS, GRAVITY, LENGTH, COORDINATE, TRIG, OPAQUE, RATE, ACCELERATION = range(8)
LARGEST_UNIT = 12  # of the whole numbers that a bracket of rates may begin with
NEGLIGIBLE = Fraction(1, 10**13)  # of the largest, where the robot's numbers are decimals


class Atom(NamedTuple):
    """A symbol, or cos or sin of a sum of angles (then with its harmonic)."""

    rank: tuple[int, ...]
    expr: sympy.Expr
    trig: Trig | None = None


class Term(NamedTuple):
    """coefficient · Π factorᵖᵒʷᵉʳ."""

    coefficient: Fraction
    factors: tuple[tuple[Any, int], ...] = ()


class Sum(NamedTuple):
    """Terms in the order of writing; none is zero."""

    terms: tuple[Term, ...] = ()


def sympy_of(x: Sum | Term | Atom, decimal: bool = False) -> sympy.Expr:
    """The same as a SymPy expression; decimal numbers as floats."""
    if isinstance(x, Atom):
        return x.expr
    if isinstance(x, Sum):
        return sympy.Add(*(sympy_of(t, decimal) for t in x.terms))
    c = x.coefficient
    number = sympy.Float(float(c)) if decimal and c.denominator != 1 else sympy.Rational(c.numerator, c.denominator)
    return sympy.Mul(number, *(sympy_of(factor, decimal) ** power for factor, power in x.factors))


def operations(x: Sum | Term) -> int:
    """Additions and multiplications of a formula as written; sines and cosines count as known."""
    if isinstance(x, Sum):
        return sum(map(operations, x.terms)) + max(len(x.terms) - 1, 0)
    inner = sum(operations(f) for f, _ in x.factors if isinstance(f, Sum))
    return inner + max(sum(power for _, power in x.factors) - 1, 0) + (bool(x.factors) and abs(x.coefficient) != 1)


def _nested(x: Sum | Term) -> bool:
    terms = x.terms if isinstance(x, Sum) else (x,)
    return any(isinstance(factor, Sum) for term in terms for factor, _ in term.factors)


class Writer:
    """Writes the polynomials of one ring; `ranks` tell the role and order of every symbol."""

    def __init__(self, ring: Ring, ranks: Mapping[sympy.Expr, tuple[int, int]], chain: Sequence[sympy.Symbol]) -> None:
        self.ring, self.ranks, self._chain = ring, ranks, chain
        self._forms: dict[Any, list[Written]] = {}
        self.least = Fraction(0)  # what counts as zero beside the other entries of a matrix of decimals

    # ---- flat terms --------------------------------------------------------------------------

    def terms(self, x: Any) -> list[Term]:
        """All terms, multiplied out, each coefficient of sines and cosines in its shortest form."""
        if not isinstance(x, Poly):
            return [Term(Fraction(self.ring.lift(x)))] if x else []
        groups: dict[int, dict[tuple[tuple[int, int], ...], Fraction]] = {}
        angles = self.ring.angles
        mask = sum(FIELD << WIDTH * k for angle in angles for k in (angle.cos, angle.sin))
        for monomial, c in x.terms.items():
            wave = tuple((monomial >> WIDTH * a.cos & FIELD, monomial >> WIDTH * a.sin & FIELD) for a in angles)
            groups.setdefault(monomial & ~mask, {})[wave] = Fraction(c)
        found = []
        for monomial, waves in groups.items():
            plain = [(self.atom(k), e) for k, e in self.ring.factors(monomial)]
            for coefficient, factors in self._form(waves):
                parts = plain + [(self._trig_atom(trig), power) for trig, power in factors]
                found.append(Term(coefficient, tuple(sorted(parts, key=lambda f: f[0].rank))))
        if self.ring.decimal and found:
            least = max(self.least, max(abs(t.coefficient) for t in found) * NEGLIGIBLE)
            found = [t for t in found if abs(t.coefficient) > least]
        return sorted(found, key=self._order)

    def beside(self, values: Any) -> None:
        """Round-off in the formulas that follow is judged beside these values."""
        sizes = [abs(Fraction(c)) for x in values if isinstance(x, Poly) for c in x.terms.values()]
        self.least = max(sizes) * NEGLIGIBLE if self.ring.decimal and sizes else Fraction(0)

    def _form(self, waves: dict[tuple[tuple[int, int], ...], Fraction]) -> list[Written]:
        key = tuple(sorted(waves.items()))
        form = self._forms.get(key)
        if form is None:
            order = {id(a): i for i, a in enumerate(self.ring.angles)}
            chain = [order[id(a)] for q in self._chain for a in self.ring.angles if self._is_of(a.monomial, q)]
            form = self._forms[key] = (
                shortest(fourier(waves), chain)
                if any(any(map(any, w)) for w in waves)
                else [Written(waves[key[0][0]], ())]
            )
        return form

    def _is_of(self, monomial: int, q: sympy.Symbol) -> bool:
        return monomial == 1 << WIDTH * self.ring.generator(q)

    def atom(self, generator: int) -> Atom:
        """A generator as something to write."""
        g = self.ring.generators[generator]
        role, order = self.ranks.get(g.expr, (OPAQUE if g.kind == "opaque" else LENGTH, 10_000 + generator))
        return Atom((role, order), g.expr)

    def _trig_atom(self, trig: Trig) -> Atom:
        ring = self.ring
        parts = [
            ring.expression(Poly(ring, {a.monomial: a.scale * j}))
            for a, j in zip(ring.angles, trig.harmonic, strict=True)
            if j
        ]
        function = sympy.cos if trig.kind == "cos" else sympy.sin
        weight = sum(map(abs, trig.harmonic))
        return Atom((TRIG, weight, *(-j for j in trig.harmonic), trig.kind == "cos"), function(sympy.Add(*parts)), trig)

    def _order(self, term: Term) -> Any:
        """By the link whose mass it is, then plain before turning, then by the symbols in their order."""
        plain = [(a.rank, e) for a, e in term.factors if a.trig is None]
        owner = next((rank[1] for rank, _ in plain if rank[0] == MASS), 10_000)
        turning = sum(sum(map(abs, a.trig.harmonic)) * e for a, e in term.factors if a.trig)
        spelled = [rank for rank, e in plain for _ in range(e)]
        return owner, turning, spelled, [(a.rank, e) for a, e in term.factors if a.trig]

    # ---- grouping ----------------------------------------------------------------------------

    def sum(self, x: Any) -> Sum:
        """Grouped by masses; a factor that all terms share stands in front."""
        return self.grouped(self.terms(x))

    def grouped(self, terms: list[Term]) -> Sum:
        """One level of brackets: around what a common factor or a mass multiplies."""
        if len(terms) <= 1:
            return Sum(tuple(terms))
        coefficient, common = self._common(terms)
        rest = [_divided(t, coefficient, common) for t in terms]
        inner = self._by_mass(rest)
        if not common or _nested(inner):
            return self._by_mass(terms)
        return Sum((Term(coefficient, (*common, (inner, 1))),))

    def _by_mass(self, terms: list[Term]) -> Sum:
        groups: dict[Any, list[Term]] = {}
        for k, term in enumerate(terms):
            owners = [a for a, e in term.factors if a.rank[0] == MASS and e == 1]
            groups.setdefault(owners[0].expr if owners else k, []).append(term)
        result = []
        for owner, group in groups.items():
            coefficient, common = self._common(group)
            if len(group) == 1 or not isinstance(owner, sympy.Expr) or not common:
                result += group
            else:
                inner = Sum(tuple(_divided(t, coefficient, common) for t in group))
                result.append(Term(coefficient, (*common, (inner, 1))))
        return Sum(tuple(result))

    def _common(self, terms: list[Term]) -> tuple[Fraction, tuple[tuple[Atom, int], ...]]:
        """Number and factors that all terms share; a length that is squared somewhere stays inside: m(l² + l a c)."""
        shared = dict(terms[0].factors)
        for term in terms[1:]:
            powers = dict(term.factors)
            shared = {a: min(e, powers[a]) for a, e in shared.items() if a in powers}
        for term in terms:
            for a, e in term.factors:
                if a.rank[0] == LENGTH and a in shared and e > shared[a]:
                    del shared[a]
        return self._content(terms), tuple(shared.items())

    def _content(self, terms: list[Term]) -> Fraction:
        sign = -1 if terms[0].coefficient < 0 else 1
        values = [abs(t.coefficient) for t in terms]
        if self.ring.decimal:
            return Fraction(sign)
        return Fraction(sign * gcd(*(v.numerator for v in values)), lcm(*(v.denominator for v in values)))

    # ---- rates -------------------------------------------------------------------------------

    def by_rates(self, x: Any) -> Sum:
        """Grouped by products of rates; those with the same coefficient share a bracket."""
        if not isinstance(x, Poly):
            return self.sum(x)
        coefficients: dict[int, dict[int, Any]] = {}
        mask = self._rate_mask()
        for monomial, c in x.terms.items():
            coefficients.setdefault(monomial & mask, {})[monomial & ~mask] = c
        groups: dict[Any, list[tuple[int, Fraction]]] = {}
        for rates, terms in coefficients.items():
            lead = Fraction(terms[min(terms)])
            key = tuple(sorted((m, Fraction(c) / lead) for m, c in terms.items()))
            groups.setdefault(key, []).append((rates, lead))
        written = []
        for key, members in groups.items():
            rates = sorted((self._rates(m, c) for m, c in members), key=lambda t: t[1])
            content = _unit([t.coefficient for t, _ in rates])
            polynomial = Poly(self.ring, {m: c * content for m, c in key})
            moving = [Term(t.coefficient / content, t.factors) for t, _ in rates]
            written.append((rates[0][1], self._product(self.sum(polynomial), moving)))
        return Sum(tuple(t for _, terms in sorted(written, key=lambda w: w[0]) for t in terms))

    def _rate_mask(self) -> int:
        moving = (
            k for k, g in enumerate(self.ring.generators) if self.ranks.get(g.expr, (0,))[0] in (RATE, ACCELERATION)
        )
        return sum(FIELD << WIDTH * k for k in moving)

    def _rates(self, monomial: int, coefficient: Fraction) -> tuple[Term, Any]:
        factors = sorted(((self.atom(k), e) for k, e in self.ring.factors(monomial)), key=lambda f: f[0].rank)
        order = [a.rank for a, e in factors for _ in range(e)]
        return Term(coefficient, tuple(factors)), ([-r for r, _ in order], order)

    def _product(self, coefficient: Sum, moving: list[Term]) -> Iterable[Term]:
        rates = moving[0].factors if len(moving) == 1 else ((Sum(tuple(moving)), 1),)
        if not rates or not coefficient.terms:  # nothing moves, or it was round-off
            return coefficient.terms
        if len(coefficient.terms) == 1:
            term = coefficient.terms[0]
            return (Term(term.coefficient, (*term.factors, *rates)),)
        content = self._content(list(coefficient.terms))
        turned = Sum(tuple(Term(t.coefficient / content, t.factors) for t in coefficient.terms))
        return (Term(content, ((turned, 1), *rates)),)


def _unit(coefficients: list[Fraction]) -> Fraction:
    """The number of which all are whole multiples, the first a positive one; if there is none worth it, the first."""
    ratios = [c / coefficients[0] for c in coefficients]
    common = lcm(*(r.denominator for r in ratios))
    return coefficients[0] / (common if common <= LARGEST_UNIT else 1)


def _divided(term: Term, coefficient: Fraction, common: tuple[tuple[Atom, int], ...]) -> Term:
    taken = dict(common)
    factors = ((a, e - taken.get(a, 0)) for a, e in term.factors)
    return Term(term.coefficient / coefficient, tuple((a, e) for a, e in factors if e))


__all__ = ["Atom", "Harmonic", "Sum", "Term", "Writer", "operations", "sympy_of"]
