"""Polynomials in x, y, z with coefficients of any kind: what nested limits of integration are made of."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import prod
from typing import Any

from steiner.errors import SteinerError
from steiner.scalar import is_number, is_zero, total

Powers = tuple[int, ...]

MONOMIALS: list[Powers] = [(0, 0, 0), *((int(k == 0), int(k == 1), int(k == 2)) for k in range(3))]
MONOMIALS += [tuple((k == i) + (k == j) for k in range(3)) for i, j in combinations_with_replacement(range(3), 2)]


class Polynomial:
    """A polynomial in x, y, z whose coefficients are any kind of number: {(i, j, k): coefficient}."""

    def __init__(self, terms: dict[Powers, Any]) -> None:
        self.terms = {powers: c for powers, c in terms.items() if not is_zero(c)}

    @classmethod
    def coordinate(cls, k: int) -> Polynomial:
        """x, y or z."""
        return cls({(int(k == 0), int(k == 1), int(k == 2)): 1})

    @classmethod
    def of(cls, value: Any) -> Polynomial:
        """A constant, or the polynomial itself."""
        return value if isinstance(value, Polynomial) else cls({(0, 0, 0): value})

    def __add__(self, other: Any) -> Polynomial:
        terms = dict(self.terms)
        for powers, c in Polynomial.of(other).terms.items():
            terms[powers] = terms[powers] + c if powers in terms else c
        return Polynomial(terms)

    def __mul__(self, other: Any) -> Polynomial:
        product = Polynomial({})
        for (a, b, c), u in self.terms.items():
            product += Polynomial({(a + d, b + e, c + f): u * v for (d, e, f), v in Polynomial.of(other).terms.items()})
        return product

    def __pow__(self, power: int) -> Polynomial:
        if not isinstance(power, int) or power < 0:
            raise NotPolynomial(f"the power {power!r}")
        result = Polynomial({(0, 0, 0): 1})
        for _ in range(power):
            result = result * self
        return result

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Any) -> Polynomial:
        return self + Polynomial.of(other) * -1

    def __rsub__(self, other: Any) -> Polynomial:
        return Polynomial.of(other) + self * -1

    def __truediv__(self, other: Any) -> Polynomial:
        if isinstance(other, Polynomial):
            raise NotPolynomial("a quotient of coordinates")
        return Polynomial({powers: c / other for powers, c in self.terms.items()})

    def __rtruediv__(self, other: Any) -> Polynomial:
        raise NotPolynomial("a quotient of coordinates")

    def integrated(self, k: int, low: Polynomial, high: Polynomial) -> Polynomial:
        """∫ self d(coordinate k) between two polynomials in the other coordinates."""
        result = Polynomial({})
        for powers, c in self.terms.items():
            rest = tuple(0 if i == k else p for i, p in enumerate(powers))
            n = powers[k] + 1
            # hⁿ − lⁿ = (h − l)(hⁿ⁻¹ + … + lⁿ⁻¹): a thin region keeps its digits
            mean = total(high**i * low ** (n - 1 - i) for i in range(n))
            result += (high - low) * mean * Polynomial({rest: c}) / n
        return result

    def seen_from(self, origin: tuple[float, ...]) -> Polynomial:
        """The same polynomial in coordinates that start at a point."""
        moved = [Polynomial.coordinate(k) + start for k, start in enumerate(origin)]
        result = Polynomial({})
        for powers, c in self.terms.items():
            result += prod((moved[k] ** p for k, p in enumerate(powers)), start=Polynomial.of(c))
        return result

    def at(self, place: tuple[float, ...]) -> Any:
        """The value at a place (x, y, z)."""
        x, y, z = place
        return total(c * x**i * y**j * z**k for (i, j, k), c in self.terms.items())

    def size_at(self, place: tuple[float, ...]) -> Any:
        """The sum of the sizes of its terms at a place: what round-off there is measured by."""
        x, y, z = place
        return total(abs(c * x**i * y**j * z**k) for (i, j, k), c in self.terms.items())

    def __bool__(self) -> bool:
        raise NotPolynomial("a coordinate used as a truth value")

    def __eq__(self, other: object) -> bool:
        raise NotPolynomial("a comparison of coordinates")

    __hash__ = None  # type: ignore[assignment]

    @property
    def constant(self) -> Any:
        """The value of a polynomial in no coordinate."""
        return self.terms.get((0, 0, 0), 0.0 if all(is_number(c) for c in self.terms.values()) else 0)


class NotPolynomial(SteinerError):
    """A limit that is not a polynomial in the outer coordinates: another route is taken."""
