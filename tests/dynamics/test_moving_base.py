"""A base that turns, speeds up its turning and is thrown: point masses by hand, whole trees by Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.model.answers import BaseMotion
from tests.comparing import close
from tests.random_robots import random_robot, random_state

W, DW, A = np.array([0.7, -1.1, 0.4]), np.array([-0.3, 0.8, 1.9]), np.array([1.0, -2.0, 0.5])


def test_K4_a_spinning_up_base_drags_its_bead_along():
    """A bead at x on a guide along x of a base with ω̇₀ about z: the guide pushes m ω̇₀ x sideways."""
    bead = st.MassProperties(2.0, (0, 0, 0), np.zeros(3))
    slider = st.Robot("slider", [st.Link("bead", None, st.Prismatic(axis=(1, 0, 0)), body=bead)], gravity=(0, 0, 0))
    table = slider.newton_euler([0.7], [0.0], [0.0], base=BaseMotion(angular_acceleration=(0, 0, 3.0)))
    assert close(table.joint_force[0], [0, 2.0 * 3.0 * 0.7, 0])
    assert close(table.angular_acceleration[0], [0, 0, 3.0])


def test_K4_a_rotor_resists_the_angular_acceleration_of_its_base():
    wheel = st.MassProperties(1.0, (0, 0, 0), (0.1, 0.2, 0.25))
    robot = st.Robot("wheel", [st.Link("wheel", None, st.Revolute(axis=(0, 0, 1)), body=wheel)], gravity=(0, 0, 0))
    table = robot.newton_euler([0.0], [0.0], [2.0], base=BaseMotion(angular_acceleration=(4.0, 5.0, 6.0)))
    assert close(table.moment[0], [0.1 * 4, 0.2 * 5, 0.25 * (6 + 2)])
    assert table.tau[0] == pytest.approx(0.25 * 8)


@pytest.mark.parametrize("q", [0.0, 0.6, -2.1])
def test_a_pendulum_on_a_base_that_moves_in_every_way(q):
    """τ = ẑ · l × m (v̇₀ + ω̇₀×r + ω₀×(ω₀×r) − g), r from the base to the mass, the joint held still."""
    m, g, pivot, l = 1.5, np.array([0.3, -0.2, -9.81]), np.array([0.2, -0.4, 0.3]), 0.6
    bob = st.MassProperties(m, (l, 0, 0), np.zeros(3))
    robot = st.Robot("bob", [st.Link("bob", None, st.Revolute(), st.Pose(p=pivot), bob)], gravity=g)
    arm = l * np.array([np.cos(q), np.sin(q), 0])
    r = pivot + arm
    pull = m * (A + np.cross(DW, r) + np.cross(W, np.cross(W, r)) - g)
    table = robot.newton_euler([q], [0.0], [0.0], base=BaseMotion(W, DW, A))
    assert table.tau[0] == pytest.approx(np.cross(arm, pull)[2], rel=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_with_a_floating_base_agrees(seed):
    """Its base is a free-flyer at the origin."""
    bridge = pytest.importorskip("tests.oracles.pinocchio_bridge", reason="Pinocchio is not installed")
    pin = bridge.pin
    robot = random_robot(seed, payloads=1, friction=False)
    q, qd, qdd = random_state(robot)
    arm = bridge.from_links(robot)[0].model
    flyer = pin.Model()
    base = flyer.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    frame = flyer.addFrame(pin.Frame("base", base, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    whole = pin.appendModel(flyer, arm, frame, pin.SE3.Identity())
    whole.gravity = arm.gravity
    whole.armature[:] = 0  # newton_euler is without rotors
    joints = [whole.getJointId(name) for name in robot.joint_names]
    at = [whole.idx_vs[k] for k in joints]
    full, rate, acceleration = pin.neutral(whole), np.zeros(whole.nv), np.zeros(whole.nv)
    full[[whole.idx_qs[k] for k in joints]] = q
    rate[at], acceleration[at] = qd, qdd
    rate[3:6] = W  # v₀ = 0, so that the derivative of its twist is the classical acceleration
    acceleration[:6] = [*A, *DW]
    tau = pin.rnea(whole, whole.createData(), full, rate, acceleration)[at]
    assert close(robot.newton_euler(q, qd, qdd, base=BaseMotion(W, DW, A)).tau, tau)
