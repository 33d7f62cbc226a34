"""M2: limits of integration carried to a turned frame (paper §6, eqs 50-57, tables 1-3)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import steiner as st
from tests.evaluating import sides, wrong

a, rho, w_p = sp.symbols("a rho w_p", positive=True)
alpha = sp.Symbol("alpha", real=True)
ANGLES = [0.2, 0.7, 0.9, 1.3, 2.0, 2.9, -0.4, 4.0]


def quarter(a=a):
    """Eq. 57."""
    return st.Limits(("z", -a / 2, a / 2), ("y", 0, a / 2), ("x", 0, a / 2))


def sloping():
    """Four sides that are no right angles, one limit run by two coordinates."""
    last = ("x", lambda z, y: 0.1 * z, lambda z, y: 0.3 - y / 2 - z / 2)
    return st.Limits(("z", -0.1, 0.15), ("y", lambda z: z / 3, 0.2), last)


def same_body(one, other, rtol=1e-11):
    assert one.mass == pytest.approx(other.mass, rel=rtol)
    np.testing.assert_allclose(one.com, other.com, atol=1e-12)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-9, atol=rtol * np.abs(other.inertia).max())


def test_M2_the_limits_of_eq_56_come_out_in_formulas():
    """Rotation about z by −α (X13): three strips in y′, each between the lines of eq. 52."""
    turned = quarter().turned(rpy=(0, 0, -alpha))
    s, c, y = sp.sin(alpha), sp.cos(alpha), sp.Symbol("y", real=True)
    right, top, bottom, left = a / (2 * c) + y * s / c, a / (2 * s) - y * c / s, -y * c / s, y * s / c
    corner = a * (c - s) / 2
    expected = [(-a * s / 2, 0, bottom, right), (0, corner, left, right), (corner, a * c / 2, left, top)]
    found = [(r[1].low, r[1].high, r[2].low, r[2].high) for r in turned.regions]
    assert len(found) == 3
    for ours, printed in zip(found, expected, strict=True):
        assert all(sp.simplify(x - e) == 0 for x, e in zip(ours, printed, strict=True))
    assert all((r[0].low, r[0].high) == (-a / 2, a / 2) for r in turned.regions)


def test_M2_volume_and_tensor_are_those_before_as_formulas():
    turned = quarter().turned(rpy=(0, 0, -alpha)).with_density(rho)
    own = quarter().at(rpy=(0, 0, -alpha)).with_density(rho)
    assert sp.simplify(turned.mass - own.mass) == 0 and turned.mass == rho * a**3 / 4
    difference = turned.inertia_about((0, 0, 0)) - own.inertia_about((0, 0, 0))
    assert all(sp.simplify(x) == 0 for x in difference.ravel())
    assert sp.simplify(turned.inertia_about((0, 0, 0))[2, 2] - rho * a**5 / 24) == 0


@pytest.mark.parametrize("angle", ANGLES)
def test_M2_one_formula_holds_for_every_angle_signed(angle):
    """Beyond π/4 some limits run backwards and count negative: no absolute values, no refusal."""
    turned = quarter().turned(rpy=(0, 0, -alpha))
    at = turned.subs(lambda v: sp.sympify(v).subs({alpha: angle, a: 1.0}))
    assert float(at.volume) == pytest.approx(0.25, rel=1e-12)
    assert float(at.with_density(1).inertia_about((0, 0, 0))[2, 2]) == pytest.approx(1 / 24, rel=1e-11)
    if angle == 0.9:
        strips = [st.Limits(*((b.symbol, b.low, b.high) for b in region)) for region in at.regions]
        assert any(float(strip.volume) < 0 for strip in strips)


@pytest.mark.parametrize("angle", ANGLES)
def test_M2_in_numbers_the_quarter_gives_a_twenty_fourth(angle):
    turned = quarter(1.0).turned(rpy=(0, 0, -angle))
    assert turned.with_density(1.0).inertia_about((0, 0, 0))[2, 2] == pytest.approx(1 / 24, rel=1e-12)
    same_body(turned.with_density(2.0), quarter(1.0).at(rpy=(0, 0, -angle)).with_density(2.0))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in (1, 2))])
def test_M2_any_region_between_planes_turns_by_any_pose(seed):
    draw = np.random.default_rng(seed)
    pose = st.Pose.from_rpy(draw.uniform(-1, 1, 3), draw.uniform(-3, 3, 3))
    for region in (sloping(), st.Limits(("y", 0, 0.3), ("x", 0, lambda y: 0.4 - y), ("z", -0.1, 0.1)), quarter(1.0)):
        turned = region.turned(pose)
        same_body(turned.with_density(7.0), region.at(pose).with_density(7.0))
        assert [b.coordinate for b in turned.regions[0]] == [b.coordinate for b in region.regions[0]]
        inside = region.at(pose)
        points = draw.uniform(*inside.bounds, (10, 3))
        assert np.array_equal(turned.depth(points) > 0, inside.depth(points) > 0)


def test_M2_regions_that_count_negative_stay_so_and_several_turn_together():
    hole = [("z", 1, 0), ("y", 0.2, 0.4), ("x", 0.2, 0.4)]
    both = st.Limits([("z", 0, 1), ("y", 0, 1), ("x", 0, 1)], hole)
    turned = both.turned(rpy=(0.3, 0.2, 0.1), xyz=(1, 2, 3))
    assert turned.volume == pytest.approx(0.96, rel=1e-12)
    same_body(turned.with_density(1.0), both.at(xyz=(1, 2, 3), rpy=(0.3, 0.2, 0.1)).with_density(1.0))


def test_M2_the_cube_of_tables_1_to_3():
    half = w_p / 2
    cube = st.Limits(("y", -half, half), ("z", -half, half), ("x", -half, half))
    turned = cube.turned(rpy=(0, alpha, 0))  # eqs 50, 51
    z, s, c = sp.Symbol("z", real=True), sp.sin(alpha), sp.cos(alpha)
    faces = {sp.simplify(v) for region in turned.regions for v in (region[2].low, region[2].high)}
    lines = {sign * line for sign in (1, -1) for line in (w_p / (2 * c), w_p / (2 * s))}
    lines = {v + z * s / c if v.has(c) else v - z * c / s for v in lines}
    assert all(any(sp.simplify(f - e) == 0 for e in lines) for f in faces) and len(faces) == 4  # eq. 52
    ends = {sp.simplify(v) for region in turned.regions for v in (region[1].low, region[1].high)}
    table = [half * (c - s), half * (s + c), -half * (s + c), half * (s - c)]  # z of table 2
    assert all(any(sp.simplify(e - t) == 0 for t in table) for e in ends) and len(ends) == 4
    assert sorted(float(e.subs({alpha: sp.pi / 4, w_p: 1})) for e in ends) == pytest.approx(
        [-math.sqrt(2) / 2, 0, 0, math.sqrt(2) / 2])  # table 3  # fmt: skip
    tensor = turned.with_density(rho).inertia
    assert all(sp.simplify(x - rho * w_p**5 / 6 * int(i == j)) == 0 for (i, j), x in np.ndenumerate(tensor))


def test_M2_the_derivation_shows_both_ways_to_the_tensor():
    derivation = quarter().turned(rpy=(0, 0, -alpha)).derivation()
    assert wrong(derivation) == []
    text = derivation.markdown()
    for part in ("**Corners**", "old limits", "new limits", "eqs 22-26", "eqs 55-57", r"\frac{a^{5} \rho}{24}"):
        assert part in text
    # X7: the integrand of eq. 26 with its signs right; the quarter has ∫xy ≠ 0
    assert r"- x y \sin{\left(2 \alpha \right)} + y^{2} \cos^{2}{\left(\alpha \right)}" in text


@pytest.mark.heavy
def test_M2_the_derivation_of_many_pieces():
    numeric = sloping().turned(rpy=(0.3, -0.2, 0.5), xyz=(0.1, 0, 0)).derivation()
    assert wrong(numeric) == [] and "pieces" in numeric.markdown()
    last = sides(numeric)[-1][1][0].reshape(3, 3)
    body = sloping().at(rpy=(0.3, -0.2, 0.5), xyz=(0.1, 0, 0)).with_density(1.0)
    unit = last / last[0, 0] * body.inertia_about((0, 0, 0))[0, 0]
    np.testing.assert_allclose(unit, body.inertia_about((0, 0, 0)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ((("z", 0, 1), ("y", 0, 1), ("x", 0, lambda z, y: 1 + z * y)), "no plane"),
        ((("z", -1, 1), ("y", 0, 1), ("x", 0, lambda z, y: math.sqrt(1 - z * z / 2))), "no plane"),
        ((("z", -1, 1), ("y", 0, lambda z: z), ("x", 0, 1)), "cross"),
    ],
)
def test_M2_what_cannot_be_turned_is_told(bounds, why):
    with pytest.raises(st.SteinerError, match=why):
        st.Limits(*bounds).turned(rpy=(0, 0, 0.3))
