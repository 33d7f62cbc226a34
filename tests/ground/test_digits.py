"""Digits kept: near gimbal lock, near half turns, of axes too long or too short, of printed rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import steiner as st
from steiner import spatial

small = some.floats(0, 16).map(lambda k: 10.0**-k)
angles = some.floats(-3.1, 3.1)
vectors = some.tuples(*[some.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


@given(angles, small, some.sampled_from([-1, 1]), angles, some.tuples(angles, angles, angles))
def test_N8_rpy_gives_the_rotation_back_near_gimbal_lock(roll, gap, side, yaw, other):
    T = st.Pose.from_rpy((0, 0, 0), (roll, side * (np.pi / 2 - gap), yaw))
    A = st.Pose.from_rpy((0, 0, 0), other)
    for near in (T, A.inverse() @ (A @ T)):  # the second with entries that are rounded
        assert np.abs(st.Pose.from_rpy((0, 0, 0), near.rpy).R - near.R).max() < 4e-15


def test_N8_rpy_of_batches_is_that_of_each():
    rng = np.random.default_rng(0)
    R = np.array([st.Pose.from_rpy((0, 0, 0), (a, np.pi / 2 - d, b)).R for a, d, b in rng.uniform(0, 1e-9, (5, 3))])
    poses = st.Pose(R, np.zeros((5, 3)))
    np.testing.assert_array_equal(poses.rpy, [st.Pose(r).rpy for r in R])


@given(vectors, small, some.booleans(), vectors)
def test_N9_log_of_every_angle_is_the_screw(axis, gap, is_half_turn, shift):
    angle = np.pi - gap if is_half_turn else gap
    S = np.concatenate([np.array(axis) / np.linalg.norm(axis) * angle, shift])
    T = spatial.exp(S)
    found = spatial.log(T)
    again = spatial.exp(found)
    assert np.abs(again.R - T.R).max() < 1e-14 and np.abs(again.p - T.p).max() < 1e-14
    assert abs(np.linalg.norm(found[:3]) - angle) < 1e-14
    if angle < 3:
        assert np.abs(found - S).max() < 1e-14


@given(vectors, some.integers(-300, 300))
def test_N11_an_axis_of_any_length_keeps_its_direction(axis, power):
    expected = np.array(axis) / np.linalg.norm(axis)
    with np.errstate(all="raise", under="ignore"):
        scaled = np.array(axis) * 10.0**power
        np.testing.assert_allclose(spatial.unit(scaled), expected, atol=1e-15)
        np.testing.assert_allclose(st.Revolute(axis=scaled).axis, expected, atol=1e-15)


@pytest.mark.parametrize("power", [-200, -160, 0, 150])
def test_N11_screws_of_any_length_are_screws(power):
    S = np.array([[0, 0.6, 0.8, 1, -0.8, 0.6]]).T * 10.0**power
    robot = st.Robot.from_poe([np.eye(4)], [np.eye(6)], S)
    joint = robot.links[0].joint
    np.testing.assert_allclose(joint.axis, [0, 0.6, 0.8], atol=1e-15)
    assert joint.multiplier == pytest.approx(10.0**power, rel=1e-15)


@given(angles, angles, angles, some.integers(7, 15))
def test_N16_a_rotation_in_printed_decimals_becomes_a_rotation(roll, pitch, yaw, digits):
    exact = st.Pose.from_rpy((0, 0, 0), (roll, pitch, yaw)).R
    printed = np.round(exact, digits)
    R = st.Pose(printed).R
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15 * 3
    assert np.abs(R - printed).max() <= 1.5 * 10.0**-digits


def test_N16_torque_is_the_sum_of_its_terms_with_printed_rotations():
    rng = np.random.default_rng(3)
    links = []
    for k in range(4):
        R = np.round(st.Pose.from_rpy((0, 0, 0), rng.normal(size=3)).R, 7)
        body = st.MassProperties(1, rng.normal(size=3), (1, 1.2, 1.5))
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, st.Revolute(), st.Pose(R, rng.normal(size=3)), body))
    arm = st.Robot("printed", links)
    q, qd, qdd = rng.normal(size=(3, 4))
    summed = arm.mass_matrix(q) @ qdd + arm.coriolis_matrix(q, qd) @ qd + arm.gravity_forces(q)
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), summed, rtol=0, atol=1e-13 * np.abs(summed).max())


@pytest.mark.parametrize("R", [np.eye(3) * 1.001, np.diag([1, 1, -1.0]), np.zeros((3, 3)), np.full((3, 3), 1e200)])
def test_N16_what_is_no_rotation_is_refused(R):
    with pytest.raises(st.SteinerError, match="not a rotation"):
        st.Pose(R)
