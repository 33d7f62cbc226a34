"""The numbers of an arm's formulas follow its dimensions, its load and gravity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.errors import SteinerError
from steiner.formulas.coefficients import coefficients

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


def test_a_term_that_is_not_written_is_missed():
    desk = st.load(DESK)
    _, miss = numbers(coefficients(desk), desk.replace(gravity=np.array([3.0, 0, -9.81])))
    assert miss > 0.01
    _, miss = numbers(coefficients(desk), desk.with_payload(st.MassProperties(1.0, (0, 0.1, 0))))
    assert miss > 0.001


def test_large_arms_have_none():
    with pytest.raises(SteinerError, match="more than three joints"):
        coefficients(st.load("gallery:ur5"))
