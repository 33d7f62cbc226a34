"""Derivatives, Coriolis matrices and kinematics of arms that exist, against Pinocchio's own reading of their files."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

from steiner.dynamics import METHODS
from steiner.errors import ModelWarning
from steiner.files import load
from steiner.kernels.call import Call
from tests.oracles.pinocchio_bridge import ARMS, assert_close, from_urdf, pin, robots, states

BY_NAME = {a.name: a for a in METHODS}


@cache
def arm(name: str):
    path = robots() / ARMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(path, snap=False)
    return robot, from_urdf(path, robot.joint_names)


def call(robot, name: str, *arguments, **options):
    return Call(robot, BY_NAME[name], backend="numpy")(*arguments, **options)


@pytest.mark.parametrize("name", ARMS)
def test_derivatives(name):
    robot, oracle = arm(name)
    q, qd, qdd = states(robot.n, 4)
    ours = call(robot, "inverse_dynamics_derivatives", q, qd, qdd, friction=False)
    tau = call(robot, "inverse_dynamics", q, qd, qdd, friction=False)
    back = call(robot, "forward_dynamics_derivatives", q, qd, tau, friction=False)
    pick = np.ix_(oracle.v, oracle.v)
    for k in range(4):
        state = oracle.q(q[k]), oracle.dot(qd[k])
        theirs = pin.computeRNEADerivatives(oracle.model, oracle.data, *state, oracle.dot(qdd[k]))
        for mine, other in zip(ours[:2], theirs, strict=False):
            assert_close(mine[k], other[pick], 1e-9)
        assert_close(ours[2][k], oracle.mass(q[k]), 1e-12)
        forward = pin.computeABADerivatives(oracle.model, oracle.data, *state, oracle.dot(tau[k]))
        guard = max(1e-9, 1e-13 * np.linalg.cond(ours[2][k]))
        for mine, other in zip(back[:2], forward, strict=False):
            assert_close(mine[k], other[pick], guard)


@pytest.mark.parametrize("name", ARMS)
def test_coriolis_matrix_entry_by_entry(name):
    robot, oracle = arm(name)
    q, qd, _ = states(robot.n, 4)
    C = call(robot, "coriolis_matrix", q, qd)
    b = call(robot, "christoffel", q)
    assert_close(np.einsum("sijk,sk->sij", b, qd), C, 1e-12)
    for k in range(4):
        theirs = pin.computeCoriolisMatrix(oracle.model, oracle.data, oracle.q(q[k]), oracle.dot(qd[k]))
        assert_close(C[k], theirs[np.ix_(oracle.v, oracle.v)], 1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_poses_jacobians_and_energies(name):
    robot, oracle = arm(name)
    q, qd, _ = states(robot.n, 3)
    poses = call(robot, "forward_kinematics", q)
    K = call(robot, "kinetic_energy", q, qd)
    P = call(robot, "potential_energy", q)
    frames = {f.name: i for i, f in enumerate(oracle.model.frames) if f.type == pin.FrameType.BODY}
    spread = []
    for k in range(3):
        at = oracle.q(q[k])
        pin.framesForwardKinematics(oracle.model, oracle.data, at)
        for link in robot.link_names:
            if link in frames:
                there = oracle.data.oMf[frames[link]].homogeneous
                assert_close(poses[link][k].matrix, there, 1e-12)
        last = next(x for x in reversed(robot.link_names) if x in frames)
        J = pin.computeFrameJacobian(oracle.model, oracle.data, at, frames[last], pin.LOCAL_WORLD_ALIGNED)
        assert_close(call(robot, "jacobian", q[k], last, "aligned"), J[[3, 4, 5, 0, 1, 2]][:, oracle.v], 1e-11)
        assert_close(K[k], np.array(pin.computeKineticEnergy(oracle.model, oracle.data, at, oracle.dot(qd[k]))), 1e-12)
        spread.append(P[k] - pin.computePotentialEnergy(oracle.model, oracle.data, at))
    assert np.ptp(spread) <= 1e-11 * max(np.abs(P).max(), 1.0)  # Pinocchio leaves out the fixed base
