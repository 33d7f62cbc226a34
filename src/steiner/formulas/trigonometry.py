"""Which way to write a polynomial of sines and cosines: angle sums (c₁₂), or products and powers (c₂², s₁c₂).

Every such polynomial has one Fourier form Σ a_k cos(k·θ) + b_k sin(k·θ).  From it the forms that a teacher
might choose are made — sums of angles, products in the joints' own angles, products in the angles of
links that turn about parallel axes (θ₂, θ₂+θ₃), with s² or with 1 − c² — and the shortest is taken.
Ties go to the first, so the choice never depends on anything but the polynomial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import NamedTuple

Harmonic = tuple[int, ...]  # how often each angle enters
Fourier = dict[Harmonic, tuple[Fraction, Fraction]]  # cosine and sine coefficients
LONGEST_CHAIN = 4  # angles of which all partial sums are tried


class Trig(NamedTuple):
    """cos or sin of a sum of angles."""

    kind: str
    harmonic: Harmonic


class Written(NamedTuple):
    """One term: a number and powers of sines and cosines."""

    coefficient: Fraction
    factors: tuple[tuple[Trig, int], ...]


def _wave(cosines: int, sines: int) -> list[tuple[int, Fraction, Fraction]]:
    """cᵉ sᶠ as Σ (x + i y) zʲ with z = e^{iθ}; f is 0 or 1."""
    half = Fraction(1, 2**cosines)
    wave = {cosines - 2 * r: (comb(cosines, r) * half, Fraction(0)) for r in range(cosines + 1)}
    if sines:  # s = −i/2 z + i/2 z⁻¹
        turned: dict[int, tuple[Fraction, Fraction]] = {}
        for j, (x, y) in wave.items():
            for step, sign in ((1, 1), (-1, -1)):
                a, b = turned.get(j + step, (Fraction(0), Fraction(0)))
                turned[j + step] = (a + sign * y / 2, b - sign * x / 2)
        wave = turned
    return [(j, x, y) for j, (x, y) in wave.items()]


def fourier(terms: Mapping[tuple[tuple[int, int], ...], Fraction]) -> Fourier:
    """The Fourier form of Σ coefficient · Π cᵃ sᵇ, exponents (a, b) given per angle."""
    waves: dict[Harmonic, tuple[Fraction, Fraction]] = {}
    for exponents, coefficient in terms.items():
        partial = {(): (Fraction(coefficient), Fraction(0))}
        for cosines, sines in exponents:
            partial = {
                (*k, j): (x * a - y * b, x * b + y * a)
                for k, (x, y) in partial.items()
                for j, a, b in _wave(cosines, sines)
            }
        for k, (x, y) in partial.items():
            a, b = waves.get(k, (Fraction(0), Fraction(0)))
            waves[k] = (a + x, b + y)
    result: Fourier = {}
    for k, (x, y) in waves.items():
        if not any(k):
            result[k] = (x, Fraction(0))
        elif next(j for j in k if j) > 0 and (x or y):
            result[k] = (2 * x, -2 * y)  # the conjugate partner −k doubles the real part
    return {k: ab for k, ab in result.items() if any(ab)}


def _as_sums(form: Fourier) -> list[Written]:
    terms = []
    for k, (a, b) in form.items():
        if a:
            terms.append(Written(a, ((Trig("cos", k), 1),) if any(k) else ()))
        if b:
            terms.append(Written(b, ((Trig("sin", k), 1),)))
    return terms


Powers = dict[tuple[tuple[int, int], ...], Fraction]  # exponents of (cos, sin) per base angle


def _expanded(k: Harmonic, a: Fraction, b: Fraction, out: Powers) -> None:
    """a cos(k·φ) + b sin(k·φ) in powers of cos φⱼ, sin φⱼ."""
    partial: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {(): (1, 0)}
    for j in k:
        size, sign = abs(j), 1 if j > 0 else -1
        step: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
        for r in range(size + 1):  # (c ± i s)ʲ
            x, y = ((1, 0), (0, sign), (-1, 0), (0, -sign))[r % 4]
            n = comb(size, r)
            for e, (u, v) in partial.items():
                step[(*e, (size - r, r))] = (n * (u * x - v * y), n * (u * y + v * x))
        partial = step
    for e, (u, v) in partial.items():
        value = a * u + b * v
        if value:
            out[e] = out.get(e, Fraction(0)) + value


def _reduced(powers: Powers, keep_sines: Sequence[bool]) -> Powers:
    """Squares of one of the pair replaced by 1 − the other², angle by angle."""
    for j, sines in enumerate(keep_sines):
        out: Powers = {}
        for e, value in powers.items():
            c, s = e[j]
            drop, keep = (c, s) if sines else (s, c)
            for r in range(drop // 2 + 1):
                new = (drop % 2, keep + 2 * r) if sines else (keep + 2 * r, drop % 2)
                key = (*e[:j], new, *e[j + 1 :])
                out[key] = out.get(key, Fraction(0)) + value * comb(drop // 2, r) * (-1) ** r
        powers = {e: v for e, v in out.items() if v}
    return powers


def _bases(size: int, chain: Sequence[int], used: Sequence[int]) -> list[list[Harmonic]]:
    """Angles to write in: each joint's own, or added to the one before it in the chain."""
    links = [j for j in chain if j in used]
    if links:  # joints between used ones may lie in between, with parallel axes
        links = [j for j in chain if links[0] <= j <= links[-1]]
    joins = len(links) - 1
    choices = product((False, True), repeat=joins) if 0 < joins < LONGEST_CHAIN else [(False,) * max(joins, 0)]
    bases = []
    for choice in choices:
        base = [tuple(int(i == j) for i in range(size)) for j in range(size)]
        for joined, before, j in zip(choice, links, links[1:], strict=False):
            if joined:
                base[j] = tuple(x + y for x, y in zip(base[before], base[j], strict=True))
        bases.append(base)
    return bases


def _in_base(k: Harmonic, base: list[Harmonic]) -> Harmonic:
    """Coordinates of a harmonic in a base that is triangular with ones on its diagonal."""
    rest, result = list(k), [0] * len(k)
    for j in reversed(range(len(k))):
        result[j] = rest[j]
        rest = [x - result[j] * y for x, y in zip(rest, base[j], strict=True)]
    return tuple(result)


def _as_products(form: Fourier, base: list[Harmonic]) -> list[list[Written]]:
    powers: Powers = {}
    size = len(base)
    for k, (a, b) in form.items():
        _expanded(_in_base(k, base), a, b, powers)
    squared = [any(max(e[j]) > 1 for e in powers) for j in range(size)]
    found = []
    for choice in product(*((False, True) if q else (False,) for q in squared)):
        terms = []
        for e, value in _reduced(powers, choice).items():
            factors = []
            for j, (c, s) in enumerate(e):
                factors += [(Trig("sin", base[j]), s)] if s else []
                factors += [(Trig("cos", base[j]), c)] if c else []
            terms.append(Written(value, tuple(factors)))
        found.append(terms)
    return found


def _cost(terms: list[Written]) -> tuple[int, int]:
    size = 0
    for coefficient, factors in terms:
        size += abs(coefficient) != 1
        for (_, k), power in factors:
            size += power + (3 if any(j not in (0, 1) for j in k) else 0)  # cos 2θ, cos(θ₁ − θ₂): not plain sums
    return len(terms), size


def shortest(form: Fourier, chain: Sequence[int]) -> list[Written]:
    """The shortest of the forms that a person would consider; `chain` lists the joints' angles in order."""
    best = _as_sums(form)
    if len(best) <= 1 and _cost(best)[1] <= 1:
        return best
    size = len(next(iter(form)))
    used = [j for j in range(size) if any(k[j] for k in form)]
    for base in _bases(size, chain, used):
        for candidate in _as_products(form, base):
            if _cost(candidate) < _cost(best):
                best = candidate
    return best
