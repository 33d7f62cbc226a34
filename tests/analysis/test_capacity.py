"""`st.capacity` against bisection with `with_payload` and inverse dynamics."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp

import steiner as st
from random_robots import random_body, random_robot


@pytest.fixture(scope="module")
def ur5():
    return st.load("gallery:ur5")


def holds(robot, effort, states, mass, link, com):
    """Whether no joint exceeds its effort with this payload."""
    laden = robot.with_payload(st.MassProperties(mass, com), link=link, name="bisected")
    return bool(np.all(np.abs(st.dynamics.inverse_dynamics(laden, *states).astype(float)) <= effort))


def by_bisection(robot, effort, states, link, com):
    if not holds(robot, effort, states, 0.0, link, com):
        return 0.0
    low, high = 0.0, 1.0
    while holds(robot, effort, states, high, link, com):
        high *= 2
        if high > 1e6:
            return np.inf
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(robot, effort, states, middle, link, com) else (low, middle)
    return low


@pytest.mark.parametrize("seed", range(3))
def test_the_capacity_is_that_of_bisection(seed):
    robot = random_robot(seed, 3, friction=True, springs=True)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1, 1, (3, robot.n))
    effort = np.abs(robot.inverse_dynamics(q, qd, qdd)) * rng.uniform(1, 3, robot.n) + 1.0
    link, com = robot.link_names[-2], rng.normal(size=3) * 0.2
    motion = type("Motion", (), {"t": [0, 1], "q": [q, q], "qd": [qd, qd], "qdd": [qdd, qdd]})
    still = st.capacity(robot, q, link=link, com=com, effort=effort)
    moving = st.capacity(robot, motion, link=link, com=com, effort=effort)
    assert still.mass == pytest.approx(by_bisection(robot, effort, (q, 0 * q, 0 * q), link, com), rel=1e-9)
    assert moving.mass == pytest.approx(by_bisection(robot, effort, (q, qd, qdd), link, com), rel=1e-9)
    assert moving.kind == "motion" and still.kind == "pose" and moving.time == 0


def test_at_the_capacity_the_limiting_joint_is_at_its_limit(ur5):
    found = st.capacity(ur5, samples=40, seed=3)
    effort = np.array([ur5.joint(name).limits.effort for name in ur5.joint_names])
    for row in range(40):
        laden = ur5.with_payload(st.MassProperties(found.masses[row]))
        used = np.abs(st.dynamics.gravity_forces(laden, found.poses[row]).astype(float)) / effort
        assert used.max() == pytest.approx(1, abs=1e-9)
        assert ur5.joint_names[used.argmax()] == found.joint_at(row)
    assert found.mass == found.masses.min() and found.joint == found.joint_at(int(found.masses.argmin()))
    place = ur5.forward_kinematics(found.q, ur5.link_names[-1]).p
    assert np.allclose(found.position, place) and found.time is None
    beside = st.capacity(ur5, found.q, com=(0.1, 0.2, 0.3))
    assert np.allclose(beside.position, ur5.forward_kinematics(found.q, ur5.link_names[-1]).apply((0.1, 0.2, 0.3)))


def test_a_body_keeps_its_shape():
    robot = random_robot(5, 3, payloads=2)
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    body = random_body(np.random.default_rng(6))
    effort = np.abs(robot.inverse_dynamics(q, qd, qdd)) + 5
    motion = type("Motion", (), {"t": [0, 1], "q": [q, q], "qd": [qd, qd], "qdd": [qdd, qdd]})
    found = st.capacity(robot, motion, body=body, effort=effort)
    laden = robot.with_payload(body * (found.mass / body.mass), name="most")
    used = np.abs(laden.inverse_dynamics(q, qd, qdd)) / effort
    assert used.max() == pytest.approx(1, rel=1e-9)
    assert robot.joint_names[used.argmax()] == found.joint


def test_along_a_motion_the_least_of_all_times_counts(ur5):
    motion = st.trajectory.quintic(np.zeros(6), [1.0, -1, 1, 0, 1, 0], 1.2)
    found = st.capacity(ur5, motion, dt=0.02)
    t, q, qd, qdd = motion.sample(0.02)
    effort = np.array([ur5.joint(name).limits.effort for name in ur5.joint_names])
    laden = ur5.with_payload(st.MassProperties(found.mass))
    used = np.abs(laden.inverse_dynamics(q, qd, qdd)) / effort
    row, joint = np.unravel_index(used.argmax(), used.shape)
    assert used.max() == pytest.approx(1, rel=1e-9)
    assert found.time == t[row] and found.joint == ur5.joint_names[joint]
    assert found.mass < st.capacity(ur5, q).mass  # accelerations cost payload


def test_a_margin_divides_the_limits(ur5):
    q = [0.1, -0.3, 0.4, 0.2, 0.5, 0.6]
    effort = np.array([ur5.joint(name).limits.effort for name in ur5.joint_names])
    assert st.capacity(ur5, q, margin=1.5).mass == pytest.approx(st.capacity(ur5, q, effort=effort / 1.5).mass)


def test_an_arm_that_cannot_hold_itself_carries_nothing(ur5):
    g = np.abs(ur5.gravity_forces(np.zeros(6)))
    found = st.capacity(ur5, np.zeros((2, 6)), effort=[150, g[1] * 0.9, g[2] * 0.8, g[3] * 0.95, 28, 28])
    assert found.mass == 0 and found.overloaded.all()
    assert found.joint == "elbow_joint"  # of three that are overloaded the one that is most
    assert "without any payload" in str(found)


def test_where_no_joint_feels_the_load_nothing_limits():
    arm = st.load("gallery:rr").replace(gravity=(0, 0, 0))
    found = st.capacity(arm, [0.3, 0.4], effort=[1, 1])
    assert found.mass == np.inf and found.joint is None
    assert json.loads(found.json())["mass"] is None and "no limit" in str(found)


def test_joints_without_limits_are_told(ur5):
    found = st.capacity(ur5, np.zeros(6), effort=[np.inf, 150, np.inf, 28, 28, 28])
    assert found.unlimited == ("shoulder_pan_joint", "elbow_joint") and "shoulder_pan_joint, elbow_joint" in str(found)
    with pytest.raises(st.SteinerError, match="no joint of rr states an effort limit"):
        st.capacity(st.load("gallery:rr"), [0, 0])


def test_poses_lie_within_the_ranges_and_come_again(ur5):
    panda = st.load("gallery:panda")
    a, b, c = (st.capacity(panda, samples=50, seed=s) for s in (1, 1, 2))
    assert np.array_equal(a.poses, b.poses) and not np.array_equal(a.poses, c.poses)
    limits = [panda.joint(name).limits for name in panda.joint_names]
    assert all(x.lower <= v <= x.upper for q in a.poses for v, x in zip(q, limits, strict=True))
    assert sum(a.limited_by.values()) == pytest.approx(1)
    with pytest.raises(st.SteinerError, match="row=50: expected a whole number from 0 to 49"):
        a.joint_at(50)
    with pytest.raises(ValueError, match="read-only"):
        a.masses[0] = 1


@pytest.mark.parametrize(
    ("where", "options", "told"),
    [
        (np.zeros(5), {}, "ur5 has 6 joints"),
        (np.full(6, np.nan), {}, "not finite"),
        ("workspaces", {}, "expected poses, a motion or 'workspace'"),
        (None, {}, "q: expected numbers"),
        (np.zeros((0, 6)), {}, "expected poses"),
        ("workspace", {"samples": 0}, "samples=0"),
        ("workspace", {"seed": -1}, "seed=-1"),
        (np.zeros(6), {"margin": 0}, "margin=0"),
        (np.zeros(6), {"com": (sp.Symbol("x"), 0, 0)}, "com: expected three numbers"),
        (np.zeros(6), {"effort": [1, 2]}, "effort: expected 6 numbers"),
        (np.zeros(6), {"effort": [-1] * 6}, "effort: expected 6 numbers"),
        (np.zeros(6), {"link": "tool9"}, "no link named 'tool9'"),
        (np.zeros(6), {"body": st.MassProperties(0.0)}, "expected kilograms above 0"),
        (np.zeros(6), {"body": 3.0}, "expected a MassProperties"),
        (np.zeros(6), {"body": st.MassProperties(1.0), "com": (1, 0, 0)}, "not both"),
    ],
)
def test_what_cannot_be_is_refused(ur5, where, options, told):
    with pytest.raises(st.SteinerError, match=told):
        st.capacity(ur5, where, **options)


def test_a_slider_without_a_range_has_no_workspace():
    lift = st.Robot("lift", [st.Link("nut", None, st.Prismatic(name="z"), body=st.MassProperties(0.5))])
    with pytest.raises(st.SteinerError, match="'z' slides and states no range"):
        st.capacity(lift, effort=[20.0])
    assert st.capacity(lift, [0.0], effort=[20.0]).mass == pytest.approx(20 / 9.81 - 0.5)
