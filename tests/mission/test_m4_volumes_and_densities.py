"""M4: parts known by mass and density (eqs 4, 5), and a density that varies, ∭ r² ρ dV (decks 000, 004)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import steiner as st
from tests.evaluating import wrong

x, y, z = sp.symbols("x y z", real=True)
w, l, h, r, rho, k, m1, m2 = sp.symbols("w l h r rho k m_1 m_2", positive=True)
BODY = st.MassProperties(2.7, (0.1, 0, 0), (0.01, 0.02, 0.02))


def same(one, other):
    pairs = zip(np.ravel(one), np.ravel(other), strict=True)
    return all(sp.simplify(sp.sympify(a) - sp.sympify(b)) == 0 for a, b in pairs)


def test_M4_the_volume_of_a_part_is_its_mass_over_its_density():
    assert st.Part("housing", body=BODY, density=2700.0).volume == pytest.approx(1e-3, rel=1e-15)
    steel = st.Part("housing", body=BODY, material="steel")
    assert steel.volume == pytest.approx(2.7 / st.Box(1, 1, 1).of("steel").mass, rel=1e-15)
    assert steel.mass_properties is BODY


def test_M4_the_volume_of_a_link_is_the_sum_of_masses_over_densities():
    """Eq. 5, in symbols: parts of elements r and l."""
    d1, d2 = sp.symbols("rho_1 rho_2", positive=True)
    known = {"q1": (m1, d1), "q2": (m2, d2)}
    parts = [st.Part(name, body=st.MassProperties(m), density=d) for name, (m, d) in known.items()]
    box = st.Part("box", st.Box(w, l, h), density=rho)
    link = st.Assembly("link", [st.Assembly("r", parts), st.Assembly("l", [box])])
    assert same(link.volume, m1 / d1 + m2 / d2 + w * l * h)


def test_M4_an_unknown_volume_is_never_zero():
    part = st.Part("motor", body=BODY)
    assert part.volume is None
    with pytest.raises(st.SteinerError, match="link/motor is not known"):
        _ = st.Assembly("link", [part, st.Part("box", st.Box(1, 1, 1), mass=1000)]).volume
    with pytest.raises(st.SteinerError, match="not known"):
        _ = st.Assembly("link", [], body=BODY).volume
    rows = st.Assembly("link", [part]).budget().rows
    assert [row.volume for row in rows] == [None, None]
    with pytest.raises(st.SteinerError, match="not known"):
        st.Part("motor", body=BODY, density=0)
    with pytest.raises(st.SteinerError, match="already has its mass"):
        st.Part("motor", body=BODY, mass=1.0)


def test_M4_a_density_that_varies_in_numbers():
    """A bar whose density grows along it: m = ρ₀ V (1 + k L/2 …), by hand."""
    bar = st.Box(2.0, 0.1, 0.2).at(xyz=(1.0, 0, 0))
    body = bar.with_density(lambda x, y, z: 1000 * (1 + 3 * x**2))
    V = 2 * 0.1 * 0.2
    assert body.mass == pytest.approx(1000 * V * (1 + 4), rel=1e-12)
    assert body.com[0] == pytest.approx((2 + 12) / (2 + 8), rel=1e-12)
    along = 1000 * 0.02 * (8 / 3 + 3 * 32 / 5)  # ∫ x² dm
    assert body.inertia_about((0, 0, 0))[2, 2] == pytest.approx(along + body.mass * 0.1**2 / 12, rel=1e-12)


@pytest.mark.parametrize(
    "solid",
    [st.Sphere(0.3), st.Cylinder(0.1, 0.4, axis="x"), st.Cone(0.2, 0.3), st.Torus(0.3, 0.1), st.Wedge(0.3, 0.2, 0.1),
     st.Prism.example(), st.ConvexHull.example(), st.Box(1, 1, 1) - st.Cylinder(0.1, 1), st.Limits.example()],
    ids=lambda s: type(s).__name__,
)  # fmt: skip
def test_M4_a_constant_function_is_a_constant_density(solid):
    moved = solid.at(xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    by_function, by_number = moved.with_density(lambda x, y, z: 2700.0), moved.with_density(2700.0)
    assert by_function.mass == pytest.approx(by_number.mass, rel=1e-11)
    np.testing.assert_allclose(by_function.com, by_number.com, atol=1e-10)
    np.testing.assert_allclose(by_function.inertia, by_number.inertia, atol=1e-10 * np.abs(by_number.inertia).max())


def test_M4_a_smooth_density_is_good_to_ten_digits():
    ball = st.Sphere(1.0).with_density(lambda x, y, z: math.exp(-(x * x + y * y + z * z)))
    mass = math.pi * (math.sqrt(math.pi) * math.erf(1) - 2 / math.e)
    fourth = 3 / 8 * math.sqrt(math.pi) * math.erf(1) - 5 / (4 * math.e)  # ∫₀¹ r⁴ e^(−r²) dr
    assert ball.mass == pytest.approx(mass, rel=1e-10)
    np.testing.assert_allclose(ball.inertia, np.eye(3) * 8 * math.pi / 3 * fourth, atol=1e-10)


def test_M4_the_density_is_in_the_frame_of_the_solid_that_is_asked():
    left, right = st.Box(1, 1, 1).at(xyz=(-0.5, 0, 0)), st.Box(1, 1, 1).at(xyz=(0.5, 0, 0), rpy=(0, 0, math.pi))
    grows = lambda x, y, z: 2 + x  # noqa: E731
    both = (left + right).with_density(grows)
    assert both.mass == pytest.approx(4.0, rel=1e-12)
    assert both.com[0] == pytest.approx(st.Box(2, 1, 1).with_density(grows).com[0], rel=1e-11)


def test_M4_a_density_in_symbols_is_exact():
    body = st.Box(w, l, h).with_density(rho * (1 + k * x**2))
    mass = rho * w * l * h * (1 + k * w**2 / 12)
    assert same(body.mass, mass) and same(body.com, (0, 0, 0))
    inertia = rho * l * h * (w**3 / 12 + k * w**5 / 80) + rho * w * l * h * (1 + k * w**2 / 12) * h**2 / 12
    assert same(body.inertia[1, 1], inertia)
    ball = st.Sphere(r).with_density(lambda x, y, z: rho * (x**2 + y**2 + z**2))
    assert same(ball.mass, 4 * sp.pi * rho * r**5 / 5) and same(ball.inertia[0, 0], 8 * sp.pi * rho * r**7 / 21)
    graded = st.Limits(("z", 0, h), ("y", 0, l), ("x", 0, w)).with_density(rho * x / w)
    assert same(graded.com, (2 * w / 3, l / 2, h / 2)) and same(graded.mass, rho * w * l * h / 2)


def test_M4_an_expression_of_numbers_gives_numbers_and_symbols_of_the_solid_are_no_coordinates():
    body = st.Cylinder(0.1, 0.4, axis="x").with_density(1000 * (1 + x**2))
    again = st.Cylinder(0.1, 0.4, axis="x").with_density(lambda x, y, z: 1000 * (1 + x**2))
    assert body.is_numeric and body.mass == pytest.approx(again.mass, rel=1e-12)
    np.testing.assert_allclose(body.inertia, again.inertia, rtol=1e-10, atol=1e-12)
    named = st.Box(x, 1, 1).with_density(x)  # x is the width of this box
    assert same(named.mass, x**2)


@pytest.mark.parametrize(
    ("density", "why"),
    [
        (lambda x, y, z: 1.0 if x > 0.123 else 2.0, "agree to .* only"),
        (lambda x, y, z: -1.0, "expected ≥ 0"),
        (lambda x, y, z: float("nan"), "expected ≥ 0"),
        (lambda x, y, z: "heavy", "fails inside"),
        (lambda x: 1.0, "takes"),
    ],
)
def test_M4_a_density_that_cannot_be_integrated_is_told(density, why):
    with pytest.raises(st.SteinerError, match=why):
        st.Box(1, 1, 1).with_density(density)


@pytest.mark.parametrize("density", [lambda x, y, z: 1000 + 2000 * x, 1000 + 2000 * sp.Symbol("x")], ids=["f", "x"])
def test_M4_a_part_takes_a_density_that_varies(density, tmp_path):
    """Its budget, its derivation and its file speak of the body that comes out."""
    solid = st.Box(0.1, 0.1, 0.1).at(xyz=(0.2, 0, 0))
    part = st.Part("graded", solid, density=density)
    link = st.Assembly("link", [part, st.Part("plain", st.Box(0.1, 0.1, 0.1), density=500)])
    assert part.mass_properties.com[0] == pytest.approx(solid.with_density(density).com[0], rel=1e-15)
    assert part.mass_properties.mass == pytest.approx(1.4, rel=1e-12) and "varies" in str(link.budget())
    assert not wrong(link.derivation())
    st.save(link, tmp_path / "link.yaml")
    again = st.load(tmp_path / "link.yaml").mass_properties
    assert again.com == pytest.approx(link.mass_properties.com, rel=1e-15, abs=1e-18)
    assert again.inertia == pytest.approx(link.mass_properties.inertia, rel=1e-14, abs=1e-17)
    with pytest.raises(st.SteinerError, match="a cavity that YAML cannot draw"):
        st.save(st.Assembly("link", [st.Part("hole", solid, density=density, cavity=True)]), tmp_path / "hole.yaml")
    assert not (tmp_path / "hole.yaml").exists()
