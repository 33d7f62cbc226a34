"""Bodies that are not of this world are told where they enter, and a glance never lets one pass."""

from __future__ import annotations

import math
import warnings

import pytest

from steiner.assembly.plausible import is_sound, odd_density, odd_size
from steiner.assembly.tree import Part
from steiner.errors import GeometryError, ModelWarning
from steiner.inertia import MassProperties
from steiner.solids.shapes import SOLIDS, Box, Rod

DENSITIES = (1e-300, 4.9, 5.1, 2700.0, 29_000.0, 31_000.0, 1e300, math.nan)


@pytest.mark.parametrize("cls", SOLIDS, ids=lambda cls: cls.__name__)
def test_what_is_sound_at_a_glance_is_sound(cls):
    """And of a usual size and density every shape with a volume is."""
    shape, seen = cls.example(), 0
    for scale in (1e-7, 1e-4, 1.0, 1e2, 1e4):
        lengths = {n: getattr(shape, n) * scale for n in (*cls.POSITIVE, *cls.NONNEGATIVE)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solid = shape.resized(**lengths) if lengths else shape
        for density in DENSITIES:
            if is_sound(solid, density):
                seen += 1
                assert not odd_density(density * solid.volume, solid.volume)
                assert not odd_size(solid)
                assert solid.with_density(density).is_physical()
    assert seen or shape.dimension != 3


def test_odd_bodies_are_told_at_the_door():
    with pytest.warns(ModelWarning, match="other units"):
        Part("millimetres", Box(100.0, 200.0, 300.0), "steel")
    with pytest.warns(ModelWarning, match="other units"):
        Part("grams per cubic centimetre", Box(0.1, 0.2, 0.3), density=2.7)
    with pytest.warns(ModelWarning, match="other units"):  # the body counts, not the density beside it
        Part("heavy", Box(0.1, 0.2, 0.3), density=2700.0, body=MassProperties(1e6, (0, 0, 0), (1.0, 1.0, 1.0)))
    for weightless in ({"density": 0.0}, {"mass": 0.0}):
        with pytest.warns(ModelWarning, match="0.006 m³ that weigh nothing"):
            Part("forgotten", Box(0.1, 0.2, 0.3), **weightless)
    with pytest.raises(GeometryError, match="no volume"):
        Part("thin", Rod(1.0), density=2700.0)
