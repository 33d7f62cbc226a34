"""Two hundred random trees against Pinocchio and MuJoCo: all joint types, oblique axes, full tensors, branches.

Mass on fixed links, rotors, payloads, wrenches on every link, frames off their joints.  The text of the
algorithms runs on floats here; a sample of the trees runs through kernels as well.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import steiner as st
from steiner import dynamics as dy
from steiner.kernels.arguments import flattened
from steiner.kernels.call import Call
from steiner.model.joints import Prismatic, Revolute
from steiner.model.robot import Robot
from tests.comparing import floats
from tests.oracles.pinocchio_bridge import Oracle, assert_close, from_links, pin
from tests.random_robots import EVERY, random_robot, random_state

TREES = 200
BATCH = 20  # trees per test


def tree(seed: int) -> Robot:
    return random_robot(seed, n=2 + seed % 7, fixed=seed % 3, payloads=seed % 3, kinds=EVERY)


def wrenches(robot: Robot, seat, seed: int):
    """A wrench on every link, and the same for the oracle."""
    rng = np.random.default_rng(seed)
    ours, theirs = [], []
    for k, name in enumerate(robot.link_names):
        moment, force, at = rng.normal(size=(3, 3))
        axes = ("world", "link")[k % 2]
        ours.append(st.Wrench(moment, force, acting_on=name, at=at, axes=axes))
        if seat[name][0]:
            theirs.append((*seat[name], moment, force, at, axes))
    return ours, theirs


def pick(oracle: Oracle, matrix) -> np.ndarray:
    return np.array(matrix)[np.ix_(oracle.v, oracle.v)]


@pytest.mark.parametrize("first", range(0, TREES, BATCH))
def test_pinocchio_dynamics(first):
    for seed in range(first, first + BATCH):
        robot = tree(seed)
        oracle, seat = from_links(robot)
        q, qd, qdd = random_state(robot, seed)
        ours, theirs = wrenches(robot, seat, seed)
        tau = floats(dy.inverse_dynamics(robot, q, qd, qdd, external=ours))
        assert_close(tau, oracle.inverse(q, qd, qdd, theirs))
        M = floats(dy.mass_matrix(robot, q))
        assert_close(M, oracle.mass(q))
        guard = 1e-14 * np.linalg.cond(M) + 1e-13
        forward = floats(dy.forward_dynamics(robot, q, qd, tau, external=ours))
        assert_close(forward, oracle.forward(q, qd, tau, theirs), guard)
        V = oracle.inverse(q, qd, 0 * q) - oracle.inverse(q, 0 * q, 0 * q)
        scale = np.abs(M).max() * np.abs(qd).max() ** 2
        assert np.abs(floats(dy.coriolis_matrix(robot, q, qd)) @ qd - V).max() <= 1e-12 * scale
        assert_close(dy.gravity_forces(robot, q), oracle.inverse(q, 0 * q, 0 * q))


@pytest.mark.parametrize("first", range(0, TREES, BATCH))
def test_pinocchio_derivatives(first):
    for seed in range(first, first + BATCH):
        robot = tree(seed)
        oracle, _ = from_links(robot)
        q, qd, qdd = random_state(robot, seed)
        state = oracle.q(q), oracle.dot(qd), oracle.dot(qdd)
        dq, dqd, _ = pin.computeRNEADerivatives(oracle.model, oracle.data, *state)
        ours = [floats(x) for x in dy.inverse_dynamics_derivatives(robot, q, qd, qdd)]
        size = np.abs(oracle.inverse(q, qd, qdd)).max()
        for mine, other in zip(ours, (dq, dqd), strict=False):
            other = pick(oracle, other)
            assert np.abs(mine - other).max() <= 1e-9 * max(np.abs(other).max(), 1e-3 * size)
        forward = pin.computeABADerivatives(oracle.model, oracle.data, *state)
        mine = [floats(x) for x in dy.forward_dynamics_derivatives(robot, q, qd, qdd)]
        for a, b in zip(mine, forward, strict=True):
            b = pick(oracle, np.triu(b) + np.triu(b, 1).T if b is forward[2] else b)
            assert np.abs(a - b).max() <= 1e-9 * max(np.abs(b).max(), 1.0)


@pytest.mark.parametrize("first", range(0, TREES, BATCH))
def test_pinocchio_kinematics(first):
    for seed in range(first, first + BATCH):
        robot = tree(seed)
        oracle, seat = from_links(robot)
        q, qd, _ = random_state(robot, seed)
        pin.forwardKinematics(oracle.model, oracle.data, oracle.q(q), oracle.dot(qd))
        pin.computeJointJacobians(oracle.model, oracle.data, oracle.q(q))
        poses = dy.forward_kinematics(robot, q)
        for name, (joint, placement) in seat.items():
            there = (oracle.data.oMi[joint] * placement).homogeneous
            assert_close(poses[name].matrix.astype(float), there)
            if joint:
                J = np.array(pin.getJointJacobian(oracle.model, oracle.data, joint, pin.WORLD))[:, oracle.v]
                assert_close(dy.jacobian(robot, q, name), J[[3, 4, 5, 0, 1, 2]], 1e-11)
        pin.computeCentroidalMomentum(oracle.model, oracle.data, oracle.q(q), oracle.dot(qd))
        h = oracle.data.hg
        moving = robot.replace(links=tuple(
            dataclasses.replace(k, body=st.MassProperties.zero()) if robot.place(k.name).body < 0 else k
            for k in robot.links
        )).replace(payloads=tuple(p for p in robot.payloads if robot.place(p.link).body >= 0))  # fmt: skip
        ours = floats(dy.momentum(moving, q, qd, "com"))
        assert_close(ours, np.concatenate([h.angular, h.linear]), 1e-11)


@pytest.mark.parametrize("seed", range(0, TREES, 25))
def test_kernels_run_the_same_text(seed):
    """Tapes, with bodies regrouped to base parameters, on every algorithm of the table."""
    robot = tree(seed)
    q, qd, qdd = random_state(robot, seed)
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    oracle, _ = from_links(robot)
    for algorithm in dy.METHODS:
        arguments = [values[name] for name in algorithm.arrays if name in values]
        kernel = Call(robot, algorithm, backend="numpy")(*arguments)
        text = algorithm(robot, *arguments)
        for a, b in zip(flattened(kernel)[0], flattened(text)[0], strict=True):
            size = max(np.abs(floats(b)).max(initial=0), 1.0)
            assert np.abs(floats(a) - floats(b)).max(initial=0) <= 1e-9 * size, algorithm.name
    tau = Call(robot, dy.METHODS[0], backend="numpy")(q, qd, qdd)
    assert_close(tau, oracle.inverse(q, qd, qdd))


@pytest.mark.parametrize("first", range(0, TREES, BATCH))
def test_mujoco_dynamics(first):
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install steiner[oracles]")
    from tests.oracles.mujoco_bridge import Oracle as Mujoco
    from tests.oracles.mujoco_bridge import on_joints

    for seed in range(first, first + BATCH):
        robot = on_joints(
            random_robot(seed, n=2 + seed % 7, fixed=seed % 3, payloads=0, kinds=(Revolute, Prismatic))
        )
        oracle = Mujoco(robot)
        q, qd, qdd = random_state(robot, seed)
        tau = floats(dy.inverse_dynamics(robot, q, qd, qdd))
        assert_close(tau, oracle.inverse(q, qd, qdd))
        assert_close(dy.mass_matrix(robot, q), oracle.mass(q))
