"""M1: derivations of what is composed; every printed line is evaluated against the solid it speaks of."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import printed
import steiner as st
from steiner.solids.expressions import mathml
from tests.evaluating import letters, sides, wrong

w, l, h, r, L, d, rho = sp.symbols("w l h r L d rho", positive=True)
alpha = sp.Symbol("alpha", real=True)
DENSITY = 2700.0
LONG = (st.Tube, st.Ellipsoid, st.Cone, st.Revolution, st.Limits, st.Torus, st.Mesh)
PLACED = [st.Box, st.Plate, st.Rod, st.Prism, *(pytest.param(cls, marks=pytest.mark.heavy) for cls in LONG)]
HEAVY = [pytest.param(seed, marks=pytest.mark.heavy) for seed in range(2, 6)]


def drilled(symbols=True):
    return st.Box(w, l, h) - st.Cylinder(r, h) if symbols else st.Box(0.3, 0.2, 0.1) - st.Cylinder(0.03, 0.1)


def at_random(seed):
    draw = random.Random(seed)
    return st.Pose.from_rpy([draw.uniform(-1, 1) for _ in range(3)], [draw.uniform(-3, 3) for _ in range(3)])


def composed(seed):
    """A solid made of a few shapes, some turned, some cut out of others."""
    draw = random.Random(seed)
    kinds = [st.Cylinder(0.1, 0.4, axis="x"), st.Cone(0.2, 0.3), st.Tube(0.2, 0.1, 0.5), st.Sphere(0.3)]
    bore = st.Cylinder(0.2, 0.3)
    solid = st.Box(2, 1.5, 1.2) - (bore.at(at_random(seed)) if seed % 2 else bore.at(xyz=(0.1, 0, 0)))
    for k in range(2):
        solid = solid + draw.choice(kinds).at(at_random(10 * seed + k))
    return solid.at(at_random(seed + 7)) + st.Box(1, 2, 3) if seed % 3 == 0 else solid


@pytest.mark.parametrize("seed", [0, 1, *HEAVY])
def test_M1_every_line_of_a_composed_solid_evaluates_and_the_last_is_its_tensor(seed):
    solid = composed(seed)
    derivation = solid.derivation()
    assert len(derivation.lines()) > 20 and wrong(derivation) == []
    body, known = solid.with_density(1), derivation.known
    numbers = {"m": body.mass, "c": body.com, "I": body.inertia}
    for name, value in numbers.items():
        found = np.ravel(np.asarray(known[name], dtype=object))
        floats = np.array([float(sp.sympify(x).subs(sp.Symbol("rho", positive=True), 1)) for x in found])
        np.testing.assert_allclose(floats, np.ravel(value), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("cls", PLACED)
def test_M1_a_placed_shape_shows_its_integrals_its_rotation_and_its_shift(cls):
    solid = cls.example().at(xyz=(1, -2, 0.5), rpy=(0.3, 0.2, -0.4))
    derivation = solid.derivation()
    assert wrong(derivation) == []
    m = sp.Symbol("m", positive=True)
    about = [[float(sp.sympify(x).subs(m, 2)) for x in row] for row in derivation.known["0:I"]]
    np.testing.assert_allclose(about, solid.with_mass(2.0).inertia_about((0, 0, 0)), rtol=1e-10, atol=1e-12)
    own = cls.example().derivation().markdown()
    assert own.split("\n", 2)[2].strip() in derivation.markdown()  # the integrals of the shape itself
    assert r"I' = R\, I\, R^{T}" in derivation.markdown()


def decks(numbers=False):
    """The composed link of the decks, bodies A, B, C."""
    values = {w: 0.12, l: 0.1, h: 0.06, r: 0.02, L: 0.28, d: 0.2, alpha: 0.5, rho: DENSITY}
    R = sp.Symbol("R", positive=True)
    box = [st.Part("box", st.Box(w, l, h), density=rho), st.Part("hole", st.Cylinder(r, h), density=rho, cavity=True)]
    link = st.Assembly("link", [
        st.Assembly("A", box, pose=st.Pose.from_rpy((-d, 0, 0))),
        st.Part("B", st.Cylinder(R, L, axis="x"), density=rho),
        st.Assembly("C", box, pose=st.Pose.from_rpy((d, 0, 0), (-alpha, 0, 0))),
    ])  # fmt: skip
    return link.subs(values | {R: 0.025}) if numbers else link


@pytest.mark.parametrize("numbers", [False, True])
def test_M1_the_link_of_the_decks_in_their_steps(numbers):
    link = decks(numbers)
    derivation = link.derivation()
    assert wrong(derivation) == []
    text = derivation.markdown()
    steps = ["**A/box, step 1**", "**A**: central tensor", "**C, step 2**", "**link**: mass and centre"]
    steps += ["**A, step 3**", "**C, step 3**", "**link**: central tensor"]
    assert sorted(steps, key=text.index) == steps
    for formula in (
        r"I_A = I_{\mathrm{A,box}} - I_{\mathrm{A,hole}}",
        r"I'_C = R_C\, I_C\, R_C^{T}",
        r"T_C = m_C\, \left[(d_C \cdot d_C)\,1 - d_C \otimes d_C\right]",
        "I = J_A + I_B + J_C" if numbers else "I = J_A + J_B + J_C",  # equal A and C: B is where the centre is
    ):
        assert formula in text
    if not numbers:
        assert r"I_{C,yy} \cos^{2}{\left(\alpha \right)} + I_{C,zz} \sin^{2}{\left(\alpha \right)}" in text
        assert r"\frac{m_{\mathrm{A,box}}}{12} \left[\begin{matrix}h^{2} + l^{2}" in text
    else:
        last = sides(derivation)[-1][1][0]
        np.testing.assert_allclose(last, link.mass_properties.inertia.ravel(), rtol=1e-12, atol=1e-15)


def nested(seed):
    """Links of elements of parts: turned, cut, weighed, measured, of meshes, prisms and limits."""
    measured = st.MassProperties(0.4, (0.01, 0.02, 0.03), np.diag([1e-3, 2e-3, 2.5e-3]))
    parts = [
        st.Part("plate", st.Box(0.3, 0.2, 0.02), "steel", pose=at_random(seed)),
        st.Part("bolt", st.Cylinder(0.01, 0.05).at(xyz=(0.1, 0, 0)), mass=0.05, pose=at_random(seed + 1)),
        st.Part("rod", st.Rod(0.4), linear_density=0.3, pose=at_random(seed + 2)),
        st.Part("motor", body=measured, pose=at_random(seed + 3)),
        st.Part("angle", st.Prism.example(), density=1200.0, pose=at_random(seed + 4)),
        st.Part("flange", drilled(False), density=DENSITY, pose=at_random(seed + 5)),
        st.Part("bore", st.Cylinder(0.02, 0.02), "steel", cavity=True),
    ]
    draw = random.Random(seed)
    draw.shuffle(parts)
    inner = st.Assembly("an inner element", parts[:3], pose=at_random(seed + 6))
    scale = abs(inner.signed.mass) * 1.1
    ball = st.Part("b", st.Sphere(0.1), mass=3)
    inner = inner.weighed(scale) if seed % 2 else replace(inner, children=(*inner.children, ball))
    return st.Assembly("arm", [inner, *parts[3:], st.Part("ballast", st.Sphere(0.1), "steel")])


@pytest.mark.parametrize("seed", [0, 1, *HEAVY])
def test_M1_every_line_of_a_nested_link_evaluates_and_the_last_is_its_tensor(seed):
    link = nested(seed)
    derivation = link.derivation()
    assert wrong(derivation) == []
    body = link.signed
    for name, value in {"m": body.mass, "c": body.com, "I": body.inertia}.items():
        np.testing.assert_allclose(np.array(derivation.known[name], dtype=float), value, rtol=1e-11, atol=1e-13)


def test_M1_elements_about_their_frame_their_centre_and_the_centre_of_the_link():
    """Eqs 38-46: the budget's tensors about three points are lines of the derivation."""
    part = st.Part("q", st.Box(0.3, 0.2, 0.1), density=DENSITY, pose=st.Pose(p=(0.05, 0.02, 0.01)))
    element = st.Assembly("p", [part], pose=st.Pose.from_rpy((0.4, 0, 0), (0.2, -0.3, 0.5)))
    link = st.Assembly("link", [element, st.Part("k", st.Box(0.5, 0.1, 0.1), density=DENSITY)])
    derivation = link.derivation()
    assert wrong(derivation) == []
    known = derivation.known
    R = link.find("p").pose.R
    lines = {"own": known["I'_p"], "frame": R @ known["0:I_p"] @ R.T, "link": known["J_p"]}
    for about, value in lines.items():
        row = next(row for row in link.budget(about=about).rows if row.path == "link/p")
        np.testing.assert_allclose(np.array(value, dtype=float), row.inertia, rtol=1e-12, atol=1e-14)
    masses, apart = [known["m_p"], known["m_k"]], [known["d_p"], known["d_k"]]
    np.testing.assert_allclose(np.array(masses[0] * apart[0] + masses[1] * apart[1], dtype=float), 0, atol=1e-13)
    np.testing.assert_allclose(np.array(known["r_p"] + R @ known["c_p"] - known["d_p"], dtype=float), 0, atol=1e-15)


def test_M1_symbols_of_the_user_never_mean_two_things():
    m, c, I, s, V1 = sp.symbols("m c I s V_1", positive=True)
    solid = st.Box(m, c, I).at(xyz=(s, 0, 0)) + st.Sphere(V1)
    assert wrong(solid.derivation()) == []
    assert wrong(st.Box(m, c, V1).at(xyz=(s, 0, 0), rpy=(0, 0, I)).derivation()) == []
    assert wrong(st.Assembly("m", [st.Part("c", st.Box(m, c, I), density=s)]).derivation()) == []


def test_M1_a_derivation_is_a_page_a_document_and_markdown():
    derivation = decks().derivation()
    page, latex = derivation.html(), derivation.latex()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<math") == sum(len(line.pieces()) for line in derivation.lines())
    assert latex.count(r"\begin{gather*}") == latex.count(r"\end{gather*}") > 5
    for tag in ("mrow", "msubsup", "mtext", "mtable"):
        assert page.count(f"<{tag}>") == page.count(f"</{tag}>") or tag == "mtable"
    assert "<code>" not in page


@pytest.mark.parametrize("numbers", [False, True])
def test_M1_a_line_that_may_be_broken_says_what_the_whole_line_says(numbers):
    broken = 0
    for line in decks(numbers=numbers).derivation().lines():
        assert "".join(map(letters, line.pieces())) == letters(line.mathml())
        broken += len(line.pieces()) > 1
    assert broken > 10


def test_M1_functions_primes_and_powers_are_set_as_by_hand():
    """sin² α, not sin ( α )²; I′ slanted with its prime; a power above the index."""
    primed, indexed = sp.Symbol("I'_C,yy"), sp.Symbol("h_box")
    squared = mathml(sp.sin(alpha) ** 2)
    assert letters(squared) == "sin2α" and "<msup><mi>sin</mi><mn>2</mn></msup>" in squared
    assert "<mi>I</mi>" in mathml(primed) and "I'" not in mathml(primed) and "′" in mathml(primed)
    assert mathml(indexed**2) == "<msubsup><mi>h</mi><mi>box</mi><mn>2</mn></msubsup>"
    assert "stretchy" in mathml(alpha * (primed + 1)) and "stretchy" not in mathml(alpha * (primed / 2 + 1))


def test_M1_names_of_strangers_do_no_harm_in_a_derivation():
    name = "<script>$x$**\\input"
    link = st.Assembly(name, [st.Part(name, st.Box(1, 1, 1), mass=10)])
    page, latex = link.derivation().html(), link.derivation().latex()
    assert "<script>" not in page and not re.search(r"(?<!textbackslash\{\})\\input", latex)


def test_M1_a_line_that_is_wrong_is_found():
    derivation = decks(numbers=True).derivation()
    broken = replace(derivation, known={**derivation.known, "m_B": 1.0})
    assert wrong(broken)


def test_M1_round_off_of_a_centre_is_not_printed():
    half = st.Part("half", st.Box(0.1, 0.1, 0.1), density=2700, pose=st.Pose(p=(0.1, 0, 0)))
    link = st.Assembly("link", [half, replace(half, name="other", pose=st.Pose(p=(-0.1 - 1e-17, 3e-19, 0)))])
    centre = link.derivation().summary.rows[0][2]
    assert [cell.text for cell in centre.inside] == ["0", "0", "0"]


def test_M1_a_link_of_numbers_ends_in_a_table_of_what_came_out():
    """The tensors about the centre of the whole add up to the first row, as printed."""
    beam = st.Part("beam", st.Box(0.3, 0.04, 0.02), density=2700, pose=st.Pose.from_rpy((0.1, 0.02, 0), (0, 0, 0.3)))
    flange = st.Assembly("flange", [st.Part("disk", st.Cylinder(0.05, 0.01), material="steel")])
    link = st.Assembly("link", [beam, flange])
    table = link.derivation().summary
    assert [row[0] for row in table.rows] == ["link", "beam", "flange", "disk"]
    whole, beam_row, flange_row, disk_row = (
        np.concatenate([np.ravel(printed.value([cell], {})) for cell in row[1:]]) for row in table.rows
    )
    body = link.mass_properties
    upper = np.triu_indices(3, 1)
    assert whole == pytest.approx(
        [body.mass, *body.com, *(2 * [*np.diag(body.inertia), *body.inertia[upper]])], rel=1e-5, abs=1e-12
    )
    assert beam_row[-6:] + flange_row[-6:] == pytest.approx(whole[-6:], rel=1e-5, abs=1e-9)
    assert flange_row == pytest.approx(disk_row)
    for text in (link.derivation().markdown(), link.derivation().latex(), link.derivation().html()):
        assert text.count("flange") > 2 and "Ixy, Ixz, Iyz" in text
    length = sp.Symbol("L", positive=True)
    assert st.Assembly("link", [st.Part("rod", st.Box(length, 1, 1), mass=1)]).derivation().summary is None


def test_M1_walls_are_a_solid_minus_the_room_inside():
    """Pieces of the part, with names of their own, by density and by mass."""
    shell, tray = st.Sphere(0.1).hollow(0.01), st.Box(0.1, 0.2, 0.3).hollow(0.01).at(xyz=(0.5, 0, 0), rpy=(0.3, 0, 0))
    link = st.Assembly("link", [st.Part("s", shell, density=1000), st.Part("t", tray, mass=2)])
    derivation = link.derivation()
    assert not wrong(derivation) and "Hollow" not in derivation.markdown()
    assert derivation.known["V_s,1"] == pytest.approx(st.Sphere(0.1).volume, rel=1e-12)
