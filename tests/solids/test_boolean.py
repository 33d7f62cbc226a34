"""Union, difference and intersection: closed forms of what is shared, errors that hold, laws, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st

pytest.importorskip("manifold3d", reason="booleans need manifold3d (extra mesh)")
pytestmark = pytest.mark.heavy

R, D = 0.05, 0.04
BALL, OTHER = st.Sphere(R).at(xyz=(0.3, 0.2, 0.1)), st.Sphere(R).at(xyz=(0.3 + D, 0.2, 0.1))
LENS = np.pi * (4 * R + D) * (2 * R - D) ** 2 / 12


@pytest.mark.parametrize(
    ("made", "exact"),
    [
        (st.intersection, LENS),
        (st.union, 8 / 3 * np.pi * R**3 - LENS),
        (st.difference, 4 / 3 * np.pi * R**3 - LENS),
    ],
)
def test_two_balls_share_a_lens(made, exact):
    found = made(BALL, OTHER, tolerance=2e-5)
    assert abs(found.volume / exact - 1) <= found.error <= 2e-5
    assert np.allclose(found.centroid[1:], (0.2, 0.1), atol=1e-8)


def test_steinmetz_and_his_two_cylinders():
    r = 0.03
    found = st.intersection(st.Cylinder(r, 0.2), st.Cylinder(r, 0.2, axis="x"), tolerance=1e-6)
    assert abs(found.volume / (16 / 3 * r**3) - 1) <= found.error <= 1e-6


def test_polyhedra_are_exact_far_away_too():
    for far in (0.0, 1000.0):
        a, b = (st.Box(0.1, 0.2, 0.3).at(xyz=(far + x, 2 * x, 3 * x)) for x in (0.0, 0.05))
        found = st.difference(a, b)
        assert np.isclose(found.volume, 0.006 - 0.05 * 0.1 * 0.15, rtol=1e-9 if far else 1e-13)
        assert found.error <= 2e-11


@pytest.mark.parametrize("gap", [0, 1e-16, 1e-14, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6])
@pytest.mark.parametrize("thick", [0.1, 1e-5])
def test_faces_that_nearly_coincide_err_by_no_more_than_is_stated(gap, thick):
    plate = st.Box(0.1, 0.1, thick)
    for shift, exact in ((thick - gap, thick + (thick - gap)), (thick + gap, 2 * thick)):
        found = st.union(plate, plate.at(xyz=(0, 0, shift)))
        assert abs(found.volume / (0.01 * exact) - 1) <= found.error < 1e-6
    sunk = st.difference(plate, st.Box(0.05, 0.05, thick).at(xyz=(0, 0, thick / 2 + gap)))
    assert abs(sunk.volume / (0.01 * thick - 0.0025 * (thick / 2 - gap)) - 1) <= sunk.error < 1e-6


SHAPES = {  # what is left of a ball of 0.1 m
    "cap": lambda x: (st.intersection, st.Box(1, 1, 1).at(xyz=(0, 0, 0.4 + x)), (0.2 - x) ** 2 * (0.1 + x) / 3),
    "lens": lambda x: (st.intersection, st.Sphere(0.1).at(xyz=(0.6 * x, 0.8 * x, 0)), (0.4 + x) * (0.2 - x) ** 2 / 12),
    "napkin ring": lambda x: (st.difference, st.Cylinder(x / 2, 1), 4 / 3 * (0.01 - x * x / 4) ** 1.5),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
def test_stated_errors_hold_for_balls_that_are_cut_anywhere(shape, tolerance):
    for x in np.random.default_rng(7).uniform(0.02, 0.17, 6):
        cut, other, exact = SHAPES[shape](x)
        found = cut(st.Sphere(0.1), other, tolerance=tolerance)
        assert abs(found.volume / (np.pi * exact) - 1) <= found.error <= tolerance, x


def test_a_hole_is_that_of_the_closed_form():
    cut = st.difference(st.Box(0.1, 0.12, 0.1), st.Cylinder(0.02, 0.3), tolerance=1e-7)
    exact = st.Box(0.1, 0.12, 0.1) - st.Cylinder(0.02, 0.1)
    assert abs(cut.volume / exact.volume - 1) <= 1e-7
    assert np.abs(cut.gyration - exact.gyration).max() <= 1e-7 * exact.gyration.max()
    body = cut.of("steel")
    assert np.isclose(body.mass, exact.of("steel").mass, rtol=1e-7)


def test_parts_and_wholes_add_up():
    a, b = st.Cone(0.05, 0.1).at(xyz=(1, 2, 3), rpy=(0.3, 0.2, 0.1)), st.Box(0.08, 0.05, 0.07).at(xyz=(1.01, 2, 3.03))
    both, shared, left = (f(a, b, tolerance=1e-5) for f in (st.union, st.intersection, st.difference))
    total = a.volume + b.volume
    assert np.isclose(both.volume + shared.volume, total, rtol=1e-5)
    assert np.isclose(left.volume + shared.volume, a.volume, rtol=1e-5)
    sums = [x.volume * x.centroid for x in (left, shared)]
    assert np.allclose(sum(sums), a.volume * a.centroid, rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: st.union(BALL, 3), "expected two solids"),
        (lambda: st.union(BALL, st.Disk(0.1)), "Disk has no volume"),
        (lambda: st.intersection(BALL, st.Sphere(0.01)), "nothing is left"),
        (lambda: st.union(BALL, OTHER, tolerance=0), "expected a relative error"),
        (lambda: st.union(BALL, OTHER, tolerance=1e-12), "ask for tolerance=1e-0"),
    ],
)
def test_what_cannot_be_is_told(call, told):
    with pytest.raises(st.SteinerError, match=told):
        call()
