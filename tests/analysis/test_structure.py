"""What a tool feels, for two point masses on two rods: every number by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steiner as st
from steiner.analysis.structure import QUANTITIES, structure, structure_map
from steiner.model.joints import JointLimits
from tests.comparing import close

M1, M2, L1, L2 = 2.0, 0.5, 0.7, 0.4  # masses at the ends of the rods
TOOL = (L2, 0, 0)


def pendulum(**limits) -> st.Robot:
    """Two rods about z; the second mass is the tool, a point of the last link."""
    rods = [
        st.Link("one", None, st.Revolute(name="a", **limits), body=st.MassProperties(M1, (L1, 0, 0), np.zeros(3))),
        st.Link(
            "two", "one", st.Revolute(name="b"), st.Pose(p=(L1, 0, 0)), st.MassProperties(M2, TOOL, np.zeros(3))
        ),
    ]
    return st.Robot("pendulum", rods)


def at(q1: float, q2: float):
    return structure(pendulum(), [q1, q2], point=TOOL)


def by_hand(q2: float) -> np.ndarray:
    m12 = M2 * L2 * (L2 + L1 * math.cos(q2))
    m11 = (M1 + M2) * L1**2 + M2 * L2**2 + 2 * M2 * L1 * L2 * math.cos(q2)
    return np.array([[m11, m12], [m12, M2 * L2**2]])


@pytest.mark.parametrize(("q1", "q2"), [(0.3, 1.2), (-1.0, 2.5), (2.0, -0.6)])
def test_a_push_along_the_last_rod_reaches_the_first_mass_and_one_across_it_does_not(q1, q2):
    """Across: the rod turns freely, m₂.  Along: m₁ can only go across its own rod, so m₂ + m₁ / sin² q₂."""
    found = at(q1, q2)
    along = np.array([math.cos(q1 + q2), math.sin(q1 + q2), 0])
    across = np.array([-along[1], along[0], 0])
    heavy = M2 + M1 / math.sin(q2) ** 2
    assert found.reflected_inertia(along) == pytest.approx(heavy, rel=1e-12)
    assert found.reflected_inertia(3 * across) == pytest.approx(M2, rel=1e-12)
    both = (along + across) / math.sqrt(2)
    assert found.reflected_inertia(both) == pytest.approx(2 / (1 / M2 + 1 / heavy), rel=1e-12)
    assert found.reflected_inertia((0, 0, 1)) == np.inf
    values, axes = found.ellipsoid("linear")
    assert close(values, [0, 1 / heavy, 1 / M2])
    assert abs(axes[:, 2] @ across) == pytest.approx(1) and abs(axes[:, 1] @ along) == pytest.approx(1)
    assert close(found.ellipsoid().felt[1:], [heavy, M2]) and found.ellipsoid().felt[0] == np.inf


@pytest.mark.parametrize("q2", [1.2, 2.5, -0.6])
def test_K2_a_twist_of_the_tool_feels_both_masses(q2):
    """[1 1] M⁻¹ [1 1]ᵀ = (m₁ + m₂) / (m₂ l₂² (m₁ + m₂ sin² q₂)), about z only."""
    felt = M2 * L2**2 * (M1 + M2 * math.sin(q2) ** 2) / (M1 + M2)
    found = at(0.3, q2)
    values, axes = found.ellipsoid("angular")
    assert close(values, [0, 0, 1 / felt]) and close(np.abs(axes[:, 2]), [0, 0, 1])
    assert found.reflected_inertia((0, 0, 2), "angular") == pytest.approx(felt, rel=1e-12)
    assert found.reflected_inertia((1, 0, 0), "angular") == np.inf


def test_manipulability_and_condition_are_those_of_the_matrices():
    q1, q2 = 0.3, 1.2
    found = at(q1, q2)
    tip = L1 * np.exp(1j * q1) + L2 * np.exp(1j * (q1 + q2))
    assert close(found.position, [tip.real, tip.imag, 0])
    assert found.manipulability("linear") == pytest.approx(L1 * L2 * abs(math.sin(q2)), rel=1e-12)
    assert found.manipulability("angular") == pytest.approx(0, abs=1e-15)
    reach2 = L1**2 + L2**2 + 2 * L1 * L2 * math.cos(q2)  # JᵀJ of all rows: lengths, and 1 for every turn
    corner = L2**2 + L1 * L2 * math.cos(q2) + 1
    assert found.manipulability() == pytest.approx(math.sqrt((reach2 + 1) * (L2**2 + 1) - corner**2), rel=1e-12)
    M = by_hand(q2)
    assert close(found.mass_matrix, M)
    mean, gap = np.trace(M) / 2, math.hypot((M[0, 0] - M[1, 1]) / 2, M[0, 1])
    assert found.condition == pytest.approx((mean + gap) / (mean - gap), rel=1e-12)


def test_isotropy_of_sliders_and_turntables_is_the_ratio_of_their_inertias():
    """Three sliders and a ball joint of rings: the tool's inertia is diagonal, entry by entry the parts beyond."""
    x, y, z = np.eye(3)
    masses, moments = (1.0, 2.0, 4.0), (0.3, 0.2, 0.1)
    links: list[st.Link] = []
    for k, (mass, axis) in enumerate(zip(masses, (x, y, z), strict=True)):
        body = st.MassProperties(mass, (0, 0, 0), np.zeros(3))
        parent = links[-1].name if links else None
        links.append(st.Link(f"s{k}", parent, st.Prismatic(name=f"s{k}", axis=axis), body=body))
    for k, (moment, axis) in enumerate(zip(moments, (x, y, z), strict=True)):
        body = st.MassProperties(0.5, (0, 0, 0), moment * axis)  # a ring that only turns: no body, but a known answer
        source = st.Source(publication="by hand")
        links.append(st.Link(f"r{k}", links[-1].name, st.Revolute(name=f"r{k}", axis=axis), body=body, source=source))
    found = structure(st.Robot("stage", links), np.zeros(6))
    felt = [0.3, 0.2, 0.1, 1 + 2 + 4 + 1.5, 2 + 4 + 1.5, 4 + 1.5]  # a slider carries what is further out
    assert close(found.inertia, np.diag(felt)) and close(found.mobility, np.diag(1 / np.array(felt)))
    assert found.isotropy("angular") == pytest.approx(0.1 / 0.3)
    assert found.isotropy("linear") == pytest.approx(5.5 / 8.5)
    assert found.isotropy() == pytest.approx(0.1 / 8.5)
    assert found.manipulability() == pytest.approx(1) == found.manipulability("angular")


def test_maps_span_the_ranges_of_their_joints_in_order():
    arm = pendulum(limits=JointLimits(-0.5, 1.0))
    found = structure_map(arm, [9.0, 9.0], ("a", "b"), samples=5)
    assert close(found.grid[0], [-0.5, -0.125, 0.25, 0.625, 1.0])
    assert close(found.grid[1], np.array([-2, -1, 0, 1, 2]) * np.pi / 2)  # a joint without limits
    turned = structure_map(arm, [9.0, 9.0], ("b", "a"), samples=5)
    assert close(turned.values.T, found.values) and turned.joints == ("b", "a")
    assert close(found.position[1, 3], [L1 * math.cos(-0.125), L1 * math.sin(-0.125), 0])  # the last link's origin
    for quantity, of in (("largest mass", np.max), ("smallest mass", np.min)):
        one = structure_map(arm, [0, 0], ("a", "b"), quantity=quantity, samples=3, ranges=[(0.3, 0.4), (1.2, 1.3)])
        assert one.values[0, 0] == of(structure(arm, [0.3, 1.2]).ellipsoid().felt)
    singular = structure_map(arm, [0, 0], ("a", "b"), quantity="linear manipulability", samples=2, ranges=[(0, 1)] * 2)
    assert close(singular.values, np.zeros((2, 2)), 1e-300)  # the last origin turns about one axis
    assert set(QUANTITIES) == {
        "condition", "manipulability", "linear manipulability", "isotropy", "largest mass", "smallest mass",
    }  # fmt: skip
