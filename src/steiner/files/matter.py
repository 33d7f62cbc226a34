"""What things are made of where their file does not say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steiner.errors import ArgumentError


@dataclass(frozen=True)
class Matter:
    """What parts are made of where the file does not say it: one of density, material and mass."""

    density: Any = None
    material: str | None = None
    mass: Any = None

    def __post_init__(self) -> None:
        given = [n for n in ("density", "material", "mass") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ArgumentError(f"{' and '.join(given)} are both given; one of them decides the mass")
        for name in ("density", "mass"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} {value}: expected a positive number")
