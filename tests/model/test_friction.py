"""Friction models against numbers worked out by hand: the contract holds for any smooth odd law, these for one."""

from __future__ import annotations

import math

import pytest
import sympy as sp

import steiner as st

E = math.e
T1 = 0.76159415595576488812  # tanh 1


def test_K1_stribeck_falls_by_a_factor_e_at_its_speed():
    """f_c + (f_s − f_c) e^{−|v/v_s|^δ} with δ = 2, as Armstrong-Hélouvry, Dupont and Canudas de Wit (1994) write it."""
    law = st.Stribeck(5.0, 3.0, 0.1)
    assert law.effort(0.1) == pytest.approx(3 + 2 / E, rel=1e-15)
    assert law.effort(-0.2) == pytest.approx(-3 - 2 / E**4, rel=1e-15)
    assert law.effort(0.1 * math.sqrt(math.log(2))) == pytest.approx(4.0, rel=1e-15)  # half of the way
    assert law.slope(0.1) == pytest.approx(-2 * 2 / E / 0.1, rel=1e-14)
    assert law.slope(-0.1) == pytest.approx(-2 * 2 / E / 0.1, rel=1e-14)


def test_stribeck_smoothed():
    law = st.Stribeck(5.0, 3.0, 0.1, 0.2)
    assert law.effort(0.2) == pytest.approx((3 + 2 / E**4) * T1, rel=1e-15)
    falling, steep = -4 / 0.1 * 2 / E**4 * T1, (3 + 2 / E**4) * (1 - T1**2) / 0.2
    assert law.slope(0.2) == pytest.approx(falling + steep, rel=1e-14)


def test_coulomb_tells_forward_from_backward():
    law = st.Coulomb(3.0, 1.0)
    assert [law.effort(v) for v in (-9.0, -1e-9, 0.0, 1e-9, 9.0)] == [-1, -1, 0, 3, 3]
    smooth = st.Coulomb(3.0, 1.0, 0.5)
    assert smooth.effort(0.5) == pytest.approx(2 * T1 + T1**2, rel=1e-15)  # mean and bias of 3 and −1
    assert smooth.effort(-0.5) == pytest.approx(-2 * T1 + T1**2, rel=1e-15)
    assert smooth.slope(0.5) == pytest.approx((2 + 2 * T1) * (1 - T1**2) / 0.5, rel=1e-14)
    assert smooth.slope(0.0) == 2 / 0.5


def test_one_coulomb_effort_counts_both_ways_and_viscous_efforts_grow_with_speed():
    assert st.Coulomb(3.0).effort(-2.0) == -3.0
    both = st.Viscous(0.25) + st.Coulomb(3.0, 1.0)
    assert both.effort(2.0) == 3.5 and both.effort(-2.0) == -1.5
    assert both.slope(2.0) == 0.25 == st.Viscous(0.25).slope(-7.0)


def test_the_laws_in_letters():
    v, f_s, f_c, v_s, w = sp.symbols("v f_s f_c v_s w", positive=True)
    assert st.Stribeck(f_s, f_c, v_s).effort(v) - (f_c + (f_s - f_c) * sp.exp(-((v / v_s) ** 2))) == 0
    assert st.Coulomb(f_s, f_c, w).effort(v).expand() == (
        (f_s + f_c) / 2 * sp.tanh(v / w) + (f_s - f_c) / 2 * sp.tanh(v / w) ** 2
    ).expand()
