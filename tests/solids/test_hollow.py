"""Walls of constant thickness: every point of the room inside is a wall away from the nearest surface."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.solids.hollow import INSETS, Hollow

HEXAGON = [(math.cos(k * math.pi / 3) * 0.1, math.sin(k * math.pi / 3) * 0.08) for k in range(6)]
POINTED = [st.Box(0.2, 0.15, 0.1), st.Wedge(0.2, 0.15, 0.1), st.Prism(HEXAGON, 0.12)]
ROUND = [
    st.Cylinder(0.1, 0.3, axis="x"), st.Cone(0.1, 0.2, axis="y"), st.Frustum(0.1, 0.06, 0.2),
    st.Frustum(0.05, 0.1, 0.2), st.Sphere(0.1), st.Capsule(0.05, 0.2),
]  # fmt: skip


@pytest.mark.parametrize("solid", [*POINTED, *ROUND], ids=lambda s: type(s).__name__)
def test_the_room_inside_is_one_wall_away_from_every_face(solid):
    """Of a convex solid: the least distance to its planes of support, in many directions and along its faces."""
    wall = 0.01
    placed = solid.at(xyz=(0.3, -0.2, 0.5), rpy=(0.4, 0.5, 0.6))
    vertices, faces = placed.mesh(8)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    turns = np.arange(3000) + 0.5
    height, around = 1 - 2 * turns / 3000, turns * math.pi * (1 + math.sqrt(5))
    ball = np.stack([np.sqrt(1 - height**2) * np.cos(around), np.sqrt(1 - height**2) * np.sin(around), height], 1)
    normals = np.vstack([ball, np.cross(b - a, c - a)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    planes = (placed.support(normals) * normals).sum(axis=1)
    inner, _ = placed.hollow(wall).inside.mesh(12)
    distances = (planes[None] - inner @ normals.T).min(axis=1)
    assert np.allclose(distances, wall, rtol=0, atol=1e-13 if solid in POINTED else 3e-4)


def test_walls_with_known_volumes():
    t = 0.002
    cases = {
        st.Tube(0.05, 0.03, 0.2): math.pi * ((0.05**2 - 0.03**2) * 0.2 - (0.048**2 - 0.032**2) * 0.196),
        st.SphericalShell(0.05, 0.03): 4 / 3 * math.pi * (0.05**3 - 0.03**3 - 0.048**3 + 0.032**3),
        st.Torus(0.2, 0.03): 2 * math.pi**2 * 0.2 * (0.03**2 - 0.028**2),
        st.Box(0.1, 0.2, 0.3): 0.1 * 0.2 * 0.3 - 0.096 * 0.196 * 0.296,
    }
    for solid, volume in cases.items():
        assert math.isclose(solid.hollow(t).volume, volume, rel_tol=1e-13)


def test_a_hole_of_a_prism_has_a_wall_too():
    square, hole = [(0, 0), (10, 0), (10, 10), (0, 10)], [(4, 4), (6, 4), (6, 6), (4, 6)]
    found = st.Prism(square, 10, [hole]).hollow(1)
    assert math.isclose(float(found.volume), (100 - 4) * 10 - (64 - 16) * 8, rel_tol=1e-14)


def test_a_wall_in_symbols_and_fractions():
    a, t = sp.symbols("a t", positive=True)
    body = st.Box(a, a, a).hollow(t).with_density(1)
    assert sp.simplify(body.mass - (a**3 - (a - 2 * t) ** 3)) == 0
    assert sp.simplify(body.inertia[0, 0] - (a**5 - (a - 2 * t) ** 5) / 6) == 0
    assert st.Box(3, 3, 3).hollow(Fraction(1, 2)).volume == 19


def test_dimensions_of_the_outside_can_be_changed():
    found = st.Box(0.1, 0.2, 0.3).hollow(0.01).resized(x=0.2, wall=0.02)
    assert isinstance(found, Hollow) and found.volume == st.Box(0.2, 0.2, 0.3).hollow(0.02).volume
    assert found.dimensions == {"x": 0.2, "y": 0.2, "z": 0.3, "wall": 0.02}


@pytest.mark.parametrize("solid", [st.Box(0.1, 0.2, 0.3), st.Cylinder(0.1, 0.3), st.Prism(HEXAGON, 0.1)])
@pytest.mark.parametrize("wall", [0.2, 0.0, -0.01, math.nan, "3", None])
def test_walls_that_cannot_be_are_refused(solid, wall):
    with pytest.raises(st.SteinerError, match="hollow"):
        solid.hollow(wall)


def test_shapes_without_a_formula_say_so():
    for solid in (st.Ellipsoid(0.1, 0.2, 0.3), st.Hemisphere(0.1), st.Torus(0.2, 0.03, 1.0), st.Rod(1.0)):
        with pytest.raises(st.SteinerError, match="hollow"):
            solid.hollow(0.01)
    assert all(hasattr(kind, "example") for kind in INSETS)


THIN = [(st.Box, (0.13, 0.27, 0.41)), (st.Cylinder, (0.13, 0.41)), (st.Sphere, (0.13,)), (st.Tube, (0.23, 0.1, 0.41))]


@pytest.mark.parametrize(("shape", "sizes"), THIN)
@pytest.mark.parametrize("ratio", [1e-3, 1e-6])
def test_a_thin_wall_keeps_the_digits_that_are_told(shape, sizes, ratio):
    """Against fractions: two decimals that nearly agree, no more is lost."""
    wall = ratio * sizes[0]
    found = shape(*sizes).hollow(wall).with_density(1000.0)
    right = shape(*map(exactly, sizes)).hollow(exactly(wall)).with_density(1000)
    pairs = zip([found.mass, *np.diag(found.inertia)], [right.mass, *np.diag(right.inertia)], strict=True)
    assert all(abs(exactly(a) / sp.N(b, 40) - 1) < 1e-15 / ratio for a, b in pairs)


def exactly(x: float) -> sp.Rational:
    """A float as the fraction that it is."""
    return sp.Rational(*x.as_integer_ratio())
