"""Inverse kinematics and tool paths."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.analysis.ranges import ranges

Q = np.array([0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5])


def states(robot: st.Robot, count: int, seed: int = 0) -> np.ndarray:
    low, high, *_ = ranges(robot)
    low, high = np.where(np.isfinite(low), low, -2.5), np.where(np.isfinite(high), high, 2.5)
    return np.random.default_rng(seed).uniform(low, high, (count, robot.n))


@pytest.mark.parametrize("name", ["panda", "ur5", "puma560", "stanford"])
def test_poses_that_the_arm_can_take_are_found(name):
    robot = st.load(name)
    tool = robot.link_names[-1]
    target = robot.forward_kinematics(states(robot, 50), tool).matrix
    found = robot.inverse_kinematics(target, q0=states(robot, 50, 1))
    assert found.q.shape == (50, robot.n) and found.reached.mean() >= 0.96
    have = robot.forward_kinematics(found.q, tool).matrix
    assert np.abs(have - target)[found.reached].max() < 1e-9
    low, high, *_ = ranges(robot)
    assert np.all(found.q >= low) and np.all(found.q <= high)
    assert np.all(found.error[found.reached] < 1e-9) and np.all(found.error[~found.reached] > 1e-10)


@pytest.mark.parametrize("name", ["rr", "planar3", "scara"])
def test_points_are_reached_with_the_orientation_free(name):
    robot = st.load(name)
    tool = robot.link_names[-1]
    target = robot.forward_kinematics(states(robot, 30), tool).matrix[:, :3, 3]
    found = robot.inverse_kinematics(target)
    assert found.reached.all()
    assert np.abs(robot.forward_kinematics(found.q, tool).matrix[:, :3, 3] - target).max() < 1e-9


def test_a_pose_given_as_a_pose_and_near_the_start_stays_near():
    robot = st.load("panda")
    wanted = robot.forward_kinematics(Q, "link7" if "link7" in robot.link_names else robot.link_names[-1])
    link = "link7" if "link7" in robot.link_names else robot.link_names[-1]
    found = robot.inverse_kinematics(wanted, link=link, q0=Q + 0.01)
    assert found.reached and found.q.shape == (7,) and np.abs(found.q - Q).max() < 0.05


def test_what_is_out_of_reach_is_said_and_the_nearest_given():
    robot = st.load("rr")
    found = robot.inverse_kinematics((9.0, 0.0, 0.0), restarts=3)
    assert not found.reached and found.distance > 5
    tool = robot.forward_kinematics(found.q, robot.link_names[-1])
    assert np.isclose(np.linalg.norm(tool.p), 9 - found.distance, atol=1e-6)


@pytest.mark.parametrize(
    ("pose", "options", "told"),
    [
        ((1, 2), {}, r"expected a Pose, matrices"),
        (np.full((4, 4), 2.0), {}, "no rotation"),
        ((np.nan, 0, 0), {}, "finite"),
        ((0.1, 0, 0), {"link": "elbow"}, "no link named 'elbow'"),
        ((0.1, 0, 0), {"q0": [1, 2, 3]}, "expected 2 numbers"),
        ((0.1, 0, 0), {"steps": 0}, "steps"),
    ],
)
def test_wrong_questions_are_told(pose, options, told):
    with pytest.raises(st.SteinerError, match=told):
        st.load("rr").inverse_kinematics(pose, **options)


def tool_at(robot: st.Robot, path: st.trajectory.Trajectory, t: np.ndarray) -> np.ndarray:
    return robot.forward_kinematics(path(t)[0], robot.link_names[-1]).matrix


def test_a_line_is_straight_and_its_velocities_are_those_of_the_tool():
    robot = st.load("panda")
    start = robot.forward_kinematics(Q, robot.link_names[-1])
    end = st.Pose.from_rpy(np.array(start.p) + (0.1, -0.2, -0.1), (3.0, 0.2, 0.5))
    path = st.trajectory.line(robot, Q, end, 2.0)
    t = np.linspace(0, 2, 301)
    T = tool_at(robot, path, t)
    s = np.array(st.trajectory.quintic([0.0], [1.0], 2.0)(t)[0])
    assert np.abs(T[:, :3, 3] - (start.p + s * (end.p - start.p))).max() < 1e-7
    assert np.abs(T[-1, :3, :3] - end.R).max() < 1e-7
    q, qd, _ = path(t)
    V = np.einsum("kij,kj->ki", robot.jacobian(q, robot.link_names[-1], "aligned"), qd)
    speed = np.array(st.trajectory.quintic([0.0], [1.0], 2.0)(t)[1])
    assert np.abs(V[:, 3:] - speed * (end.p - start.p)).max() < 1e-5
    axis = np.cross(V[:, :3], V[150, :3])
    assert np.abs(axis).max() < 1e-5  # it turns about one axis all the way


@pytest.mark.parametrize("orientation", ["keep", "follow", "free"])
def test_a_circle_closes_at_one_distance_from_its_axis(orientation):
    robot = st.load("panda")
    start = robot.forward_kinematics(Q, robot.link_names[-1])
    centre = np.array(start.p) + (0, 0.08, 0.02)
    angle = 1.2 if orientation == "follow" else 2 * np.pi
    path = st.trajectory.circle(robot, Q, centre, (0, 0, 2.0), angle, duration=3.0, orientation=orientation)
    T = tool_at(robot, path, np.linspace(0, 3, 200))
    assert np.abs(np.linalg.norm(T[:, :2, 3] - centre[:2], axis=1) - 0.08).max() < 1e-7
    assert np.abs(T[:, 2, 3] - start.p[2]).max() < 1e-7
    assert orientation == "follow" or np.abs(T[-1, :3, 3] - start.p).max() < 1e-7
    if orientation == "keep":
        assert np.abs(T[:, :3, :3] - start.R).max() < 1e-7
    if orientation == "follow":
        assert np.abs(T[:, 2, :3] - start.R[2]).max() < 1e-7  # what points along the axis stays


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda r: st.trajectory.line(r, Q, (3, 0, 0), 1.0), r"at 0\.\d+ s the tool does not get to"),
        (lambda r: st.trajectory.line(r, Q, (0.4, 0, 0.5)), "give a duration, or velocity"),
        (lambda r: st.trajectory.line(r, Q[:3], (0.4, 0, 0.5), 1.0), "q0: expected 7 numbers"),
        (lambda r: st.trajectory.line(r, Q, (0.4, 0), 1.0), "to: expected 3 numbers"),
        (lambda r: st.trajectory.circle(r, Q, (0, 0, 0), (0, 0, 0), duration=1.0), "axis is zero"),
        (lambda r: st.trajectory.circle(r, Q, (0, 0, 0), (0, 0, 1), orientation="up"), "'keep', 'follow' or 'free'"),
    ],
)
def test_paths_that_cannot_be_are_told(call, told):
    with pytest.raises(st.SteinerError, match=told):
        call(st.load("panda"))


def test_a_line_through_a_singular_pose_is_told():
    robot = st.load("planar3")
    start = robot.forward_kinematics([0.5, 0.0, 0.0], robot.link_names[-1])
    with pytest.raises(st.SteinerError, match="singular"):
        st.trajectory.line(robot, [0.5, 0.0, 0.0], np.array(start.p) * (0.9, 0.9, 1), 1.0)
