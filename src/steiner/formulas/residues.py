"""Numbers modulo a prime: exact like fractions, and never longer than a word.

Rational functions that agree there at a random point are the same but with a chance of their degree to the prime
(Schwartz 1980, Zippel 1979).  An angle is the tangent of its half, so that cosine and sine are rational.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from steiner import scalar

PRIME = 2**61 - 1  # −1 has no root modulo it: no cosine has a zero below


def _operation(of: Callable[[int, int], int]) -> Callable[[Residue, Any], Any]:
    def operation(self: Residue, other: Any) -> Any:
        if not isinstance(other, Residue) and not isinstance(other, scalar.NUMBERS):
            return NotImplemented
        return Residue(of(self.value, Residue.of(other).value))

    return operation


class Residue:
    """A number modulo the prime."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value % PRIME

    @classmethod
    def of(cls, x: Any) -> Residue:
        """A rational number; a float by its shortest decimals."""
        if isinstance(x, Residue):
            return x
        exact = Fraction(x if isinstance(x, int | Fraction) else repr(float(x)))
        return cls(exact.numerator * pow(exact.denominator, -1, PRIME))

    __add__ = __radd__ = _operation(lambda a, b: a + b)
    __mul__ = __rmul__ = _operation(lambda a, b: a * b)
    __sub__ = _operation(lambda a, b: a - b)
    __rsub__ = _operation(lambda a, b: b - a)
    __truediv__ = _operation(lambda a, b: a * pow(b, -1, PRIME))
    __rtruediv__ = _operation(lambda a, b: b * pow(a, -1, PRIME))

    def __neg__(self) -> Residue:
        return Residue(-self.value)

    def __pow__(self, exponent: int) -> Residue:
        return Residue(pow(self.value, exponent, PRIME))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Residue | Fraction | int) and self.value == Residue.of(other).value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


scalar.cos.register(Residue, lambda t: (1 - t * t) / (1 + t * t))
scalar.sin.register(Residue, lambda t: 2 * t / (1 + t * t))
