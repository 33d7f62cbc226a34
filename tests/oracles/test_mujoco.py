"""The same numbers as MuJoCo, a third program with its own conventions; the arm goes there as a URDF text."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from steiner.errors import ModelWarning
from steiner.files import load
from steiner.model.joints import Prismatic, Revolute
from steiner.model.robot import Robot
from tests.oracles.mujoco_bridge import Oracle, on_joints
from tests.oracles.pinocchio_bridge import ARMS, assert_close, robots, states
from tests.random_robots import random_robot


def agree(robot: Robot, tolerance: float = 1e-12) -> None:
    oracle = Oracle(robot)
    q, qd, qdd = states(robot.n, 4)
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)
    assert_close(tau, np.array([oracle.inverse(*s) for s in zip(q, qd, qdd, strict=True)]), tolerance)
    assert_close(robot.mass_matrix(q), np.array([oracle.mass(x) for x in q]), tolerance)


@pytest.mark.parametrize("arm", ["panda", "ur3", "ur5", "ur10", "kinova", "xarm7", "z1", "so100"])
def test_real_arms_agree(arm):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        agree(load(robots() / ARMS[arm]))


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_agree(seed):
    """Without helical joints and with frames on the joints, which is what URDF can say."""
    agree(on_joints(random_robot(seed, 7, payloads=0, kinds=(Revolute, Prismatic))))
