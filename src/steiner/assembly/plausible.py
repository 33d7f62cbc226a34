"""Bodies that are not of this world: densities and sizes that tell of a wrong unit rather than of a machine."""

from __future__ import annotations

import math
import warnings
import weakref
from typing import Any

import numpy as np

from steiner.errors import ModelWarning, SteinerError
from steiner.inertia import MassProperties
from steiner.scalar import is_number
from steiner.solids.base import Solid

THINNEST, DENSEST = 5.0, 30_000.0  # kg/m³: below every foam, above osmium
SMALLEST, LARGEST = 10e-6, 100.0  # m
ROUND_OFF = 1e-9


def odd_density(mass: Any, volume: Any) -> str:
    """What is odd about so much mass in a volume; nothing if there is such matter, or if either is a symbol or zero."""
    if not is_number(mass) or not is_number(volume) or not mass > 0 or not volume > 0:
        return ""
    density = float(mass) / float(volume)
    if _within(density, THINNEST, DENSEST):
        return ""
    return (
        f"{float(mass):.4g} kg in {float(volume):.4g} m³ is {density:.3g} kg/m³; expected {THINNEST:g} to {DENSEST:g}; "
        "other units?"
    )


def odd_matter(mass: Any, volume: Any) -> str:
    """The same of a part, which has to weigh something."""
    if is_number(mass) and is_number(volume) and mass == 0 and volume > 0:
        return f"{float(volume):.4g} m³ that weigh nothing; expected {THINNEST:g} to {DENSEST:g} kg/m³, or no such part"
    return odd_density(mass, volume)


def odd_size(solid: Solid) -> str:
    """What is odd about the size of a solid; its gyration tells whether its bounds are worth finding."""
    if not is_number(solid.spread) or not is_number(solid.measure):
        return ""
    radius = math.sqrt(max(solid.spread, 0))  # lengths are 2 to 10 times that
    if SMALLEST < radius < LARGEST / 20:
        return ""
    try:
        size = float(np.ptp(solid.bounds, axis=0).max())
    except SteinerError:  # a solid of which only the integrals are known
        size = radius
    if _within(size, SMALLEST, LARGEST):
        return ""
    return f"a size of {size:.4g} m; expected 10 µm to 100 m; other units?"


def is_sound(solid: Solid, density: Any) -> bool:
    """Whether floats tell at a glance that a solid of a density is of this world; if not, the long way may."""
    if type(density) is not float or not THINNEST <= density <= DENSEST or id(solid) in _TOLD:
        return False
    volume, spread = solid.volume, solid.spread
    if not isinstance(volume, float) or not isinstance(spread, float):
        return False
    return 0 < volume < LARGEST**3 and SMALLEST**2 < spread < (LARGEST / 20) ** 2


def _within(x: float, least: float, most: float) -> bool:
    return least * (1 - ROUND_OFF) <= x <= most * (1 + ROUND_OFF)


_TOLD: dict[int, set[float | None]] = {}  # id of a solid -> masses it was said to have; None: the next is not told


def _told(solid: Solid) -> set[float | None]:
    """By identity: an equal solid is another one, with a place of its own."""
    if id(solid) not in _TOLD:
        weakref.finalize(solid, _TOLD.pop, id(solid), None)
    return _TOLD.setdefault(id(solid), set())


def warn_once(what: str, solid: Solid, body: MassProperties) -> None:
    """Say what is odd, once for a solid and a mass."""
    if not is_number(body.mass):
        return
    told = _TOLD.get(id(solid), set())
    if None in told:  # left to rules, this time
        told.discard(None)
        told.add(float(body.mass))
    if float(body.mass) in told:
        return
    odds = list(filter(None, (odd_matter(body.mass, solid.volume), odd_size(solid))))
    if odds:
        _told(solid).add(float(body.mass))
    for odd in odds:
        warnings.warn(f"{what}: {odd}", ModelWarning, stacklevel=4)


def left_to_rules(solid: Solid) -> Solid:
    """The solid of a file: rules judge it there, by its place."""
    _told(solid).add(None)
    return solid
