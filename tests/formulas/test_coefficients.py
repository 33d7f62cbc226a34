"""The numbers of an arm's formulas follow its dimensions, its load and gravity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy

import steiner as st
from steiner.errors import SteinerError
from steiner.formulas.coefficients import coefficients
from steiner.formulas.writing import sympy_of

DESK = Path(__file__).parent.parent.parent / "examples" / "desk_arm.yaml"


def numbers(found, robot):
    """The numbers for another robot, and the share of M and G that the formulas miss."""
    got = found.of(robot.tree)
    miss, whole = np.array(got["miss"], dtype=float)
    return np.array(got["numbers"], dtype=float), np.sqrt(miss / whole)


@pytest.mark.parametrize("name", ["rr", "rp", "pr", "pp", "planar3", "nm7mar", "desk"])
def test_they_are_those_that_are_written(name):
    robot = st.load(f"gallery:{name}")
    found = coefficients(robot)
    got, miss = numbers(found, robot)
    assert np.abs(got - found.values).max() < 1e-12 * np.abs(found.values).max() and miss < 1e-12
    assert found.equations.latex("tau") == st.equations(robot).latex("tau")


def test_they_follow_a_length_a_wall_a_load_and_gravity():
    desk = st.load(DESK)
    found = coefficients(desk)
    other = desk.with_parameters({"reach": 0.31, "wall": 0.003}).with_payload(st.MassProperties(0.4))
    other = other.replace(gravity=np.array([0, 0, -1.62]))
    got, miss = numbers(found, other)
    np.testing.assert_allclose(got, coefficients(other).values, rtol=1e-11)
    assert miss < 1e-12 and not np.allclose(got, found.values, rtol=1e-2)


def askew(seed):
    """Three joints at odd angles: more than five hundred numbers."""
    rng = np.random.default_rng(seed)
    return st.Robot("askew", [
        st.Link(
            f"l{k}", f"l{k - 1}" if k else None, st.Revolute(name=f"j{k}"),
            st.Pose.from_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-2, 2, 3)),
            st.MassProperties(1 + rng.uniform(), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.01, 0.02, 3)),
        )
        for k in range(3)
    ])  # fmt: skip


def panda():
    """With four joints locked: M and G do not determine all numbers, for some terms say the same."""
    whole = st.load("gallery:panda")
    return whole.locked({joint: 0.3 * k for k, joint in enumerate(whole.joint_names) if k > 2})


@pytest.mark.heavy
@pytest.mark.parametrize("make", [lambda: askew(0), panda], ids=["askew", "panda"])
def test_long_formulas_follow_too(make):
    """Every written number is put back into the formulas: they are the torques of the other arm."""
    robot = make()
    found = coefficients(robot)
    assert len(found.values) > 300
    got, miss = numbers(found, robot)
    assert np.abs(got - found.values).max() < 1e-9 * np.abs(found.values).max() and miss < 1e-12
    other = robot.with_payload(st.MassProperties(0.4))
    got, miss = numbers(found, other)
    assert miss < 1e-11
    eq, state = found.equations, np.random.default_rng(1).uniform(-2, 2, (3, 3))
    tau = sympy.Matrix([sympy_of(cell.sum) for cell in eq.written("tau")])
    live = [s for s in tau.free_symbols if isinstance(s, sympy.Dummy)]
    assert len(live) > 100
    written = sympy.lambdify([live, [*eq.q, *eq.qd, *eq.qdd]], list(tau), "math")
    torques = written([got[int(s.name[1:])] for s in live], state.ravel())
    np.testing.assert_allclose(torques, other.inverse_dynamics(*state), rtol=1e-9)


def test_a_term_that_is_not_written_is_missed():
    desk = st.load(DESK)
    _, miss = numbers(coefficients(desk), desk.replace(gravity=np.array([3.0, 0, -9.81])))
    assert miss > 0.01
    _, miss = numbers(coefficients(desk), desk.with_payload(st.MassProperties(1.0, (0, 0.1, 0))))
    assert miss > 0.001


def test_large_arms_have_none():
    with pytest.raises(SteinerError, match="more than three joints"):
        coefficients(st.load("gallery:ur5"))
