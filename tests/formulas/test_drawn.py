"""Formulas of drawn arms: as short as if the moments had been typed, and in the drawing's own symbols."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import steiner as st

L, w, h, r, d, rho, g, m = sp.symbols("L w h r d rho g m", positive=True)


def drawn() -> st.Assembly:
    return st.Assembly(
        "bar",
        [
            st.Part("beam", st.Box(L, w, h), density=rho, pose=st.Pose(p=(L / 2, 0, 0))),
            st.Part("hole", st.Cylinder(r, h), density=rho, pose=st.Pose(p=(d, 0, 0)), cavity=True),
            st.Part("motor", st.Cylinder(r, w), mass=m, pose=st.Pose(p=(L, 0, 0))),
        ],
    )


def pendulum(body: st.Assembly) -> st.Robot:
    return st.Robot("drawn", [st.Link("bar", None, st.Revolute(name="pivot"), made_of=body)], gravity=(0, -g, 0))


def test_M10_the_mass_of_a_drawn_pendulum_is_the_sum_over_its_parts():
    eq = st.equations(pendulum(drawn()))
    disc = sp.pi * r**2 * h * rho
    typed = (
        rho * L * w * h * ((L**2 + w**2) / 12 + L**2 / 4) - disc * (r**2 / 2 + d**2) + m * (r**2 / 2 + L**2)
    )
    assert sp.expand(eq.M[0, 0] - typed) == 0
    assert eq.operations["M"] <= 36  # 329 if centre and tensor were merged first
    assert not eq.M[0, 0].has(sp.Pow(rho, -1)) and sp.fraction(sp.together(eq.M[0, 0]))[1].is_number


def test_M10_two_drawn_links_stay_short_and_are_proven():
    two = st.Robot(
        "two",
        [
            st.Link("a", None, st.Revolute(name="ja"), made_of=drawn()),
            st.Link("b", "a", st.Revolute(name="jb"), st.Pose(p=(L, 0, 0)), made_of=drawn()),
        ],
        gravity=(0, -g, 0),
    )
    eq = st.equations(two)
    assert eq.operations["M"] <= 220 and eq.operations["tau"] <= 350
    assert eq.proof


@pytest.mark.parametrize("change", ["as it is", "weighed", "moved", "in an element"])
def test_symbols_with_values_are_the_numbers(change):
    asm = drawn()
    if change == "weighed":
        asm = asm.weighed(sp.Symbol("scale", positive=True))
    if change == "moved":
        asm = st.Assembly("outer", [asm.at(xyz=(d, 0, h), rpy=(0, 0, sp.pi / 6))])
    if change == "in an element":
        ball = st.Part("p", st.Sphere(2 * r), mass=m)
        asm = st.Assembly("outer", [st.Assembly("inner", [asm.at(xyz=(0, d, 0))]), ball])
    values = {L: 0.4, w: 0.04, h: 0.03, r: 0.012, d: 0.3, rho: 2700.0, g: 9.81, m: 0.25}
    values[sp.Symbol("scale", positive=True)] = 2.5
    numeric = pendulum(asm.subs(values)).replace(gravity=(0, -9.81, 0))
    eq = st.equations(pendulum(asm))
    M = float(eq.M[0, 0].subs(values))
    assert M == pytest.approx(numeric.mass_matrix([0.2])[0, 0], rel=1e-12)
    G = float(eq.G[0].subs(values).subs(eq.q[0], 0.2))
    assert G == pytest.approx(numeric.gravity_forces([0.2])[0], rel=1e-12)


def test_cuts_and_sums_of_bodies_keep_their_moments():
    a, b = st.Box(L, w, h).with_density(rho), st.Cylinder(r, h).with_density(rho).moved(st.Pose(p=(d, 0, 0)))
    for whole, sign in ((a + b, 1), (a - b, -1)):
        for found, x, y in zip(whole.moments, a.moments, b.moments, strict=True):
            assert not any(sp.expand(v) for v in np.ravel(found - (x + sign * y)))
