"""Point masses: what a body is made of, before any integral (A1, A11)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError
from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.scalar import Frozen, array, brief, frozen, is_negative, is_zero, total
from steiner.spatial import Vector, cross, dot, unit
from steiner.spatial.poses import position

if TYPE_CHECKING:  # pages are laid out only when asked for
    from steiner.text.shown import Shown


@final
@dataclass(frozen=True, eq=False)
class Particles(Frozen):
    """Masses (n) [kg] at positions (n, 3) [m]; one particle is fine."""

    masses: Any
    positions: Any

    def __post_init__(self) -> None:
        masses = np.atleast_1d(array(self.masses, what="Particles: masses"))
        positions = np.atleast_2d(position(self.positions, "Particles: positions", batch=True))
        if masses.ndim != 1 or positions.ndim != 2 or len(masses) != len(positions):
            raise GeometryError(
                f"Particles: masses of shape {masses.shape}, positions of shape {positions.shape}; expected n, n × 3"
            )
        for m in masses:
            if is_negative(m):
                raise GeometryError(f"Particles: a mass is negative ({brief(m)} kg)")
        if is_zero(total(masses)):
            raise GeometryError("Particles: the total mass is 0 kg, so there is no centre of mass")
        object.__setattr__(self, "masses", masses)
        object.__setattr__(self, "positions", positions)

    @property
    def mass(self) -> Any:
        """Σ mᵢ [kg]."""
        return total(self.masses.tolist())

    @cached_property
    def com(self) -> np.ndarray:
        """Σ mᵢ rᵢ / M [m]."""
        start = self.positions[0]
        shift = total(m * (r - start) for m, r in zip(self.masses, self.positions, strict=True)) / self.mass
        return frozen(start + shift)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The particles as one rigid body."""
        pairs = zip(self.masses, self.positions, strict=True)
        return MassProperties.trusted(self.mass, self.com, total(steiner_term(m, r - self.com) for m, r in pairs))

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def moment_about(self, axis: Vector, through: Vector = (0, 0, 0)) -> Any:
        """Σ mᵢ pᵢ² with pᵢ = |λ × rᵢ| the distance to the axis λ through a point."""
        direction, start = unit(axis), array(through, (3,), "point")
        arms = [cross(direction, r - start) for r in self.positions]
        return total(m * dot(p, p) for m, p in zip(self.masses, arms, strict=True))

    def angular_momentum(self, angular_velocity: Vector) -> np.ndarray:
        """H = Σ mᵢ rᵢ × (ω × rᵢ) about the centre of mass; not Σ mᵢ rᵢ² ω unless r ⊥ ω."""
        w = array(angular_velocity, (3,), "angular velocity")
        arms = [r - self.com for r in self.positions]
        return total(m * cross(r, cross(w, r)) for m, r in zip(self.masses, arms, strict=True))
