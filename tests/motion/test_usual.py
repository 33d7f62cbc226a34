"""The motion that is taken where none is given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import steiner as st
from steiner.analysis.ranges import ranges
from steiner.motion.usual import EFFORT, SPEED, there_and_back


@pytest.mark.parametrize("name", ["desk", "panda", "ur5", "rr", "scara"])
def test_it_rests_at_its_ends_and_stays_within_the_limits(name):
    robot = st.load(name)
    path = there_and_back(robot)
    t, q, qd, qdd = path.sample(path.duration / 400)
    lower, upper, velocity, effort = ranges(robot)
    assert np.all(q >= lower) and np.all(q <= upper) and np.all(np.abs(qd) <= SPEED * velocity * (1 + 1e-9))
    assert np.abs(robot.inverse_dynamics(q, qd, qdd)).max(axis=0).tolist() <= (EFFORT * effort * (1 + 1e-3)).tolist()
    for k in (0, 200, 400):
        assert np.allclose([qd[k], qdd[k]], 0, atol=1e-9)
    assert np.allclose(q[0], q[-1]) and np.all(np.ptp(q, axis=0) > 0.05) and len(t) == 401


def test_weak_motors_get_more_time_unless_weight_alone_is_too_much():
    arm = st.load("rr")

    def limited(effort: float) -> st.Robot:
        return arm.replace(links=tuple(
            replace(k, joint=replace(k.joint, limits=(-1, 1, 9, effort))) if k.joint.moves else k for k in arm.links
        ))  # fmt: skip

    still = limited(1e6).replace(gravity=(0, 0, 0))
    quick = there_and_back(still).duration
    assert there_and_back(limited(0.5).replace(gravity=(0, 0, 0))).duration > 1.2 * quick
    assert there_and_back(limited(1e-3)).duration == quick


def test_a_robot_without_joints_has_no_motion():
    with pytest.raises(st.SteinerError, match="no moving joint"):
        there_and_back(st.Robot("post", [st.Link("a")]))
