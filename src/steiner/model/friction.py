"""Friction models: the effort that resists a joint's rate, for any kind of number.

`exact` models use the sign of the rate (0 at rest); with a `width` the sign is smoothed to
tanh(rate / width).  Models add up with +.  A new model is one frozen dataclass of coefficients and one line in
`FRICTIONS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

from steiner.errors import ModelError
from steiner.records import record
from steiner.scalar import exp, is_number, is_zero, numbers, sign, tanh, total


class Friction(ABC):
    """A model of joint friction, a dataclass of its coefficients."""

    def __post_init__(self) -> None:
        """Coefficients are finite numbers, none negative."""
        kind = type(self).__name__
        for (name, _), value in zip(vars(self).items(), numbers(kind, *self.coefficients), strict=True):
            if is_number(value) and value < 0:
                raise ModelError(f"{kind}({name}={value}): friction coefficients are not negative")
            object.__setattr__(self, name, value)

    @abstractmethod
    def effort(self, rate: Any) -> Any:
        """The effort that the motor spends against friction at this joint rate."""

    @abstractmethod
    def slope(self, rate: Any) -> Any:
        """Derivative of the effort by the rate; of an exact sign, the one away from rest: 0."""

    def sliding(self, rate: Any, way: Any) -> Any:
        """The effort while a joint slides one way (±1), continued smoothly through rest, where an exact sign jumps.

        At rest, the two ways are the ends of what a sticking joint can hold.
        """
        return self.effort(rate)

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """The numbers of the model."""
        return tuple(vars(self).values())

    def mapped(self, of: Callable[[Any], Any]) -> Friction:
        """The model with every number x replaced by of(x)."""
        return type(self)(*map(of, self.coefficients))

    def __add__(self, other: Friction) -> Friction:
        """Both at once."""
        if not isinstance(other, Friction):
            return NotImplemented
        return Combined((*_terms(self), *_terms(other)))


def direction(rate: Any, width: Any) -> Any:
    """The sign of a rate, exact or smoothed."""
    return sign(rate) if is_zero(width) else tanh(rate / width)


def direction_slope(rate: Any, width: Any) -> Any:
    """Derivative of the smoothed sign; of the exact one, that away from rest."""
    if is_zero(width):
        return 0
    d = tanh(rate / width)
    return (1 - d * d) / width


@final
@record
class Viscous(Friction):
    """b·q̇, b in N m s/rad or N s/m."""

    coefficient: Any

    def effort(self, rate: Any) -> Any:
        """b·q̇."""
        return self.coefficient * rate

    def slope(self, rate: Any) -> Any:
        """b."""
        return self.coefficient


@final
@record
class Coulomb(Friction):
    """A constant effort against the motion: `forward` for q̇ > 0, `backward` (the same unless given) for q̇ < 0."""

    forward: Any
    backward: Any = None
    width: Any = 0

    def __post_init__(self) -> None:
        if self.backward is None:
            object.__setattr__(self, "backward", self.forward)
        super().__post_init__()

    def effort(self, rate: Any) -> Any:
        """f₊ for q̇ > 0, −f₋ for q̇ < 0, 0 at rest."""
        return self._against(direction(rate, self.width))

    def sliding(self, rate: Any, way: Any) -> Any:
        """f₊ or −f₋, also at rest."""
        return self._against(way if is_zero(self.width) else direction(rate, self.width))

    def _against(self, d: Any) -> Any:
        mean, bias = (self.forward + self.backward) / 2, (self.forward - self.backward) / 2
        return mean * d + bias * (d * d)

    def slope(self, rate: Any) -> Any:
        """That of the smoothed sign d: (mean + 2 bias d) d′."""
        d, steep = direction(rate, self.width), direction_slope(rate, self.width)
        mean, bias = (self.forward + self.backward) / 2, (self.forward - self.backward) / 2
        return (mean + 2 * bias * d) * steep


@final
@record
class Stribeck(Friction):
    """Breakaway effort that falls to the Coulomb effort with speed: (f_c + (f_s − f_c) e^{−(q̇/v_s)²}) sgn q̇."""

    static: Any
    coulomb: Any
    speed: Any
    width: Any = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if is_zero(self.speed):
            raise ModelError("Stribeck(speed=0): the Stribeck speed must be positive")

    def effort(self, rate: Any) -> Any:
        """(f_c + (f_s − f_c) e^{−(q̇/v_s)²}) sgn q̇."""
        return self._against(rate, direction(rate, self.width))

    def sliding(self, rate: Any, way: Any) -> Any:
        """The same with the sign given."""
        return self._against(rate, way if is_zero(self.width) else direction(rate, self.width))

    def _against(self, rate: Any, d: Any) -> Any:
        ratio = rate / self.speed
        return (self.coulomb + (self.static - self.coulomb) * exp(-ratio * ratio)) * d

    def slope(self, rate: Any) -> Any:
        """−2 (q̇/v_s²)(f_s − f_c) e^{−(q̇/v_s)²} sgn q̇, and that of the smoothed sign."""
        ratio = rate / self.speed
        extra = (self.static - self.coulomb) * exp(-ratio * ratio)
        falling = -2 * ratio / self.speed * extra * direction(rate, self.width)
        return falling + (self.coulomb + extra) * direction_slope(rate, self.width)


@final
@record
class Combined(Friction):
    """The sum of several models."""

    terms: tuple[Friction, ...]

    def __post_init__(self) -> None:
        """Its terms have looked at their coefficients."""

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """The numbers of all terms."""
        return tuple(x for term in self.terms for x in term.coefficients)

    def mapped(self, of: Callable[[Any], Any]) -> Friction:
        """Every term with its numbers replaced."""
        return Combined(tuple(term.mapped(of) for term in self.terms))

    def effort(self, rate: Any) -> Any:
        """Sum of the terms' efforts."""
        return total(term.effort(rate) for term in self.terms)

    def sliding(self, rate: Any, way: Any) -> Any:
        """Sum of the terms' efforts while they slide."""
        return total(term.sliding(rate, way) for term in self.terms)

    def slope(self, rate: Any) -> Any:
        """Sum of the terms' slopes."""
        return total(term.slope(rate) for term in self.terms)


def _terms(friction: Friction) -> tuple[Friction, ...]:
    return friction.terms if isinstance(friction, Combined) else (friction,)


FRICTIONS = {"viscous": Viscous, "coulomb": Coulomb, "stribeck": Stribeck}
