"""Mass properties: laws of the algebra, views, judgement, and other programs' conventions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from steiner.errors import GeometryError, SteinerError
from steiner.inertia import NOTHING, MassProperties
from steiner.inertia.properties import second_of, tensor_of
from steiner.solids.shapes import Box, Cylinder, Disk, Plate, Rod
from steiner.spatial import Ad, Pose, Twist

finite = st.floats(-2, 2)


@st.composite
def bodies(draw):
    """A body of general shape: second moments A Aᵀ, so that no term can hide."""
    A = np.array(draw(st.lists(finite, min_size=9, max_size=9))).reshape(3, 3) + 0.1 * np.eye(3)
    mass = draw(st.floats(0.01, 50))
    return MassProperties(mass, draw(st.lists(finite, min_size=3, max_size=3)), mass * tensor_of(A @ A.T))


@st.composite
def poses(draw):
    return Pose.from_rpy(draw(st.lists(finite, min_size=3, max_size=3)), draw(st.lists(finite, min_size=3, max_size=3)))


def alike(a, b, rel=1e-11):
    size = np.abs(a.inertia).max() + a.mass * (1 + np.abs(a.com).max()) ** 2
    return (
        abs(a.mass - b.mass) <= rel * abs(a.mass)
        and np.abs(a.com - b.com).max() <= rel * 10
        and np.abs(a.inertia - b.inertia).max() <= rel * size
    )


@given(bodies(), bodies(), bodies())
def test_adding_is_associative_and_commutative(a, b, c):
    assert alike((a + b) + c, a + (b + c))
    assert alike(a + b, b + a)
    assert a + NOTHING is a and NOTHING + a is a and a - NOTHING is a


@given(bodies(), bodies())
def test_cutting_out_what_was_added_leaves_the_rest(a, b):
    rest = (a + b) - b
    assert alike(rest, a, 1e-8 * (1 + b.mass / a.mass))


@given(bodies(), bodies(), poses())
def test_moving_is_linear_and_undone_by_the_inverse(a, b, T):
    assert alike((a + b).moved(T), a.moved(T) + b.moved(T))
    assert alike(a.moved(T).moved(T.inverse()), a)
    assert alike((3 * a).moved(T), 3 * a.moved(T))


@given(bodies(), poses())
def test_the_views_describe_the_same_body(a, T):
    assert alike(MassProperties.from_pseudo(a.pseudo), a, 1e-9)
    assert alike(MassProperties.from_parameters(a.parameters), a, 1e-9)
    assert alike(MassProperties.from_moments(a.moments.moved(T)), a.moved(T), 1e-9)
    assert np.allclose(second_of(tensor_of(a.inertia)), a.inertia)
    V = np.array([0.3, -0.5, 0.2, 1.0, 0.4, -0.7])
    assert a.kinetic_energy(Twist(V[:3], V[3:])) == pytest.approx(V @ a.spatial @ V / 2, rel=1e-9)
    inverse = Ad(T.inverse())
    assert np.allclose(
        a.moved(T).spatial, inverse.T @ a.spatial @ inverse, rtol=1e-9, atol=1e-9 * np.abs(a.spatial).max()
    )


@given(bodies())
def test_real_bodies_are_physical_and_need_no_repair(a):
    assert a.is_physical()
    same, distance = a.nearest_physical()
    assert same is a and distance == 0


def test_what_a_body_needs():
    for make, says in (
        (lambda: MassProperties(-1), "negative"),
        (lambda: MassProperties(math.nan), "not a finite"),
        (lambda: MassProperties("3"), "expected a number"),
        (lambda: MassProperties(1, (0, 0)), "shape"),
        (lambda: MassProperties(1, (0, 0, math.inf)), "not finite"),
        (lambda: MassProperties(1, inertia=[[1, 2], [3, 4]]), "3×3"),
        (lambda: MassProperties(1, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (lambda: MassProperties(1, inertia=[1, 1, 1], about="centre"), "about"),
        (lambda: MassProperties(1) - MassProperties(2), "cannot cut"),
        (lambda: Box(1, 1, 1).with_mass(1) - Box(0.1, 0.1, 5).with_mass(0.9), "impossible body"),
        (lambda: MassProperties.from_parameters([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), "no centre"),
    ):
        with pytest.raises(SteinerError, match=says):
            make()


def test_published_tables_with_impossible_bodies_load_and_are_told():
    puma_link_1 = MassProperties(0, (0, 0, 0), [0, 0.35, 0])  # Corke's Puma 560: m = 0, Iyy = 0.35
    assert not puma_link_1.is_physical()
    repaired, distance = puma_link_1.nearest_physical()
    assert distance == 1.0 and not repaired.inertia.any()


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3])
def test_thin_bodies_are_physical_at_any_size_and_impossible_ones_are_not(size):
    for solid in (Rod(size), Plate(size, 2 * size), Disk(size)):
        body = solid.with_mass(1e-6).moved(Pose.from_rpy((size, 0, 0), (0.3, 0.4, 0.5)))
        assert body.is_physical() and body.nearest_physical()[1] == 0
    bad = MassProperties(1.0, (0, 0, 0), np.array([1.0, 1.0, 2.5]) * size**2)
    assert not bad.is_physical()
    near, distance = bad.nearest_physical()
    assert near.is_physical() and near.mass == bad.mass
    assert distance == pytest.approx(0.25 / np.linalg.norm([1.25, 1.25, -0.25]), rel=1e-9)
    assert near.nearest_physical()[1] == 0


def test_the_repair_is_the_nearest():
    bad = MassProperties(1.0, (0.1, 0.2, 0.3), [[1, 0.1, 0], [0.1, 1.2, 0.2], [0, 0.2, 2.8]])
    near, _ = bad.nearest_physical()
    gap = np.linalg.norm(second_of(near.inertia) - second_of(bad.inertia))
    rng = np.random.default_rng(0)
    for _ in range(300):
        nudge = rng.normal(size=(3, 3)) * 0.02
        other = second_of(near.inertia) + nudge + nudge.T
        if np.linalg.eigvalsh(other)[0] >= 0:
            assert np.linalg.norm(other - second_of(bad.inertia)) >= gap
    with pytest.raises(GeometryError, match="needs numbers"):
        MassProperties(sp.Symbol("m")).nearest_physical()


BODY = Box(0.1, 0.2, 0.3).with_mass(2.0).moved(Pose.from_rpy((0.1, -0.2, 0.3), (0.3, 0.4, 0.5)))


def test_conversions_come_back_to_the_same_body():
    for there, back in (
        (BODY.to_urdf(), MassProperties.from_urdf),
        (BODY.to_mjcf(), MassProperties.from_mjcf),
        (BODY.to_matlab(), MassProperties.from_matlab),
    ):
        assert alike(back(**there), BODY, 1e-14)
    assert alike(MassProperties.from_pinocchio(BODY.to_pinocchio()), BODY, 1e-13)
    assert alike(MassProperties.from_sympybotics(BODY.to_sympybotics()), BODY, 1e-13)


def test_conventions_are_those_of_the_other_programs():
    I, about = BODY.inertia, BODY.inertia_about((0, 0, 0))
    urdf = BODY.to_urdf()
    assert urdf["ixy"] == I[0, 1] and urdf["iyz"] == I[1, 2]  # tensor entries about the centre
    assert BODY.to_mjcf()["fullinertia"] == [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    assert BODY.to_matlab()["Inertia"] == [about[0, 0], about[1, 1], about[2, 2], about[1, 2], about[0, 2], about[0, 1]]
    assert BODY.to_pinocchio()[5] == about[0, 1] and BODY.to_pinocchio()[6] == about[1, 1]
    assert BODY.to_sympybotics()[9] == 2.0 and BODY.to_sympybotics()[2] == about[0, 2]
    turned = MassProperties.from_urdf(2.0, (0, 0, 0), (0, 0, math.pi / 2), ixx=1, ixy=0, ixz=0, iyy=2, iyz=0, izz=2.5)
    assert np.allclose(np.diag(turned.inertia), [2, 1, 2.5])
    quarter = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))
    diagonal = MassProperties.from_mjcf(2.0, (0, 0, 0), diaginertia=(1, 2, 2.5), quat=quarter)
    assert np.allclose(np.diag(diagonal.inertia), [2, 1, 2.5])
    with pytest.raises(SteinerError, match="exactly one"):
        MassProperties.from_mjcf(1, (0, 0, 0))


def test_pinocchio_agrees_where_it_is_installed():
    pin = pytest.importorskip("pinocchio")
    theirs = pin.Inertia(BODY.mass, BODY.com, BODY.inertia)
    assert np.allclose(theirs.toDynamicParameters(), BODY.to_pinocchio(), rtol=1e-13)


def test_exact_numbers_stay_exact():
    third = Fraction(1, 3)
    a = (
        Box(third, third, third)
        .with_mass(Fraction(2))
        .moved(Pose.trusted(np.eye(3, dtype=int), np.array([third, 0, 0], dtype=object)))
    )
    b = Box(third, third, 1).with_mass(Fraction(4))
    both = a + b
    assert both.mass == 6 and both.com[0] == Fraction(1, 9) and isinstance(both.inertia[1, 1], Fraction)


def test_a_notebook_shows_units():
    page = Cylinder(0.1, 0.2).with_mass(1.0)._repr_html_()
    assert "kg m²" in page and page.count("<tr>") == 3


def test_fractions_have_principal_axes_and_can_be_judged():
    body = Box(Fraction(1, 10), Fraction(2, 10), 1).with_mass(Fraction(12))
    moments, _ = body.principal()
    assert np.allclose(moments, [0.05, 1.01, 1.04], rtol=1e-14) and body.is_physical()
    symbolic = Box(*sp.symbols("a b c", positive=True)).with_mass(1)
    for ask in (symbolic.is_physical, symbolic.nearest_physical):
        with pytest.raises(GeometryError, match="substitute values"):
            ask()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MassProperties.from_urdf(1, (0, 0, 0), ixx=1, iyy=1), "from_urdf: expected ixx, .* got ixx, iyy"),
        (lambda: MassProperties.from_mjcf(1, (0, 0, 0), fullinertia=[1, 2, 3]), "fullinertia: expected shape"),
        (lambda: MassProperties.from_matlab(1, (0, 0, 0), [1, 2, 3]), "Inertia: expected shape"),
        (lambda: MassProperties.from_pseudo(np.zeros((4, 4))), "mass, is 0 kg"),
        (lambda: MassProperties.from_pseudo(-np.eye(4)), "mass, is -1 kg"),
        (lambda: math.nan * BODY, "not a finite number"),
        (lambda: "two" * BODY, "expected a number"),
        (lambda: MassProperties(sp.Integer(-1)), "negative"),
        (lambda: MassProperties(Fraction(1)) - MassProperties(Fraction(5, 2)), "2.5 kg out of 1 kg"),
    ],
)
def test_what_cannot_be_converted_or_scaled_is_refused_in_words(make, says):
    with pytest.raises(SteinerError, match=says):
        make()
