"""Screws by hand; Denavit-Hartenberg rows of arms whose axes are nearly parallel: right, or refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.dynamics import inverse_dynamics
from steiner.inertia.properties import tensor_of
from tests.comparing import floats


def tilted(tilt: float, seed: int, apart: bool = True) -> st.Robot:
    """Five joints, two pairs of them parallel but for a tilt, at a distance or through one point."""
    rng = np.random.default_rng(seed)
    links = []
    for k in range(5):
        A = rng.normal(size=(3, 3))
        body = st.MassProperties(1 + rng.random(), 0.1 * rng.normal(size=3), tensor_of(0.01 * A @ A.T))
        rpy = (tilt * rng.normal(), tilt * rng.normal(), rng.normal()) if k in (1, 3) else rng.normal(size=3)
        joint = st.Prismatic(name=f"j{k}") if k == 2 else st.Revolute(name=f"j{k}")
        mount = st.Pose.from_rpy(apart * 0.3 * rng.normal(size=3), rpy)
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, joint, mount, body))
    return st.Robot("tilted", links)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("tilt", [0, 1e-15, 1e-13, 1e-11, 3e-10, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1])
def test_N4_rows_give_the_torques_back_or_are_refused(tilt, convention):
    refused = 0
    for seed in range(5):
        for apart in (True, False):
            arm = tilted(tilt, seed, apart)
            try:
                table = arm.to_dh(convention)
            except st.SteinerError as error:
                assert "common normal" in str(error) and "to_poe" in str(error) and tilt
                refused += 1
                continue
            twin = st.Robot.from_dh(table.rows, convention=convention, base=table.base)
            q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 5))
            expected, found = (floats(inverse_dynamics(robot, q, qd, qdd)) for robot in (arm, twin))  # no kernels
            bound = 1e-12 if tilt > 1e-9 else max(1e-14, 30 * tilt)  # less than 1e-10 counts as parallel
            assert np.abs(found - expected).max() <= bound * np.abs(expected).max()
    assert refused < 10 and (refused == 0 or 1e-10 < tilt < 1e-1)


def test_screws_of_scaled_and_shifted_joints():
    """q turns the first link by 2 q + 0.3 about an axis through (1, 0, 0), and slides the second by 0.5 q + 0.1."""
    body = st.MassProperties(1.5, (0.2, -0.1, 0.3), (0.1, 0.2, 0.25))
    turning = st.Revolute(name="a", multiplier=2.0, offset=0.3)
    sliding = st.Prismatic(name="b", axis=(1, 0, 0), multiplier=0.5, offset=0.1)
    links = [
        st.Link("one", None, turning, st.Pose(p=(1, 0, 0)), body),
        st.Link("two", "one", sliding, st.Pose(p=(0, 1, 0)), body),
    ]
    robot = st.Robot("scaled", links)
    homes, inertias, screws = robot.to_poe()
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(screws.T, [[0, 0, 2, 0, -2, 0], [0, 0, 0, c / 2, s / 2, 0]], atol=1e-15)  # v = −ω × p
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(homes[0][:3, 3], [1, 0, 0] + turn @ body.com, atol=1e-15)
    last = homes[0] @ homes[1] @ homes[2]
    np.testing.assert_allclose(last[:3, 3], [1, 0, 0] + turn @ [0.1, 1, 0], atol=1e-15)
    np.testing.assert_allclose(last[:3, :3], turn, atol=1e-15)
    for G in inertias:  # about the centres of mass: no coupling
        np.testing.assert_allclose(G[3:, 3:], 1.5 * np.eye(3), atol=1e-15)
        np.testing.assert_allclose(G[:3, 3:], np.zeros((3, 3)), atol=1e-15)
        np.testing.assert_allclose(np.linalg.eigvalsh(G[:3, :3]), [0.1, 0.2, 0.25], rtol=1e-14)
    again = st.Robot.from_poe(homes, inertias, screws)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    expected, found = (floats(inverse_dynamics(arm, q, qd, qdd)) for arm in (robot, again))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_pitched_screw_and_a_body_beside_its_frame():
    """(ω, v) = (0, 0, 2, 0, 0, 0.5) turns 2 rad and climbs half a metre per unit; G tells the centre by its levers."""
    body = st.MassProperties(1.5, (0.2, -0.1, 0.3), (0.1, 0.2, 0.25))
    c, h = body.com, 1.5
    levers = h * np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])  # m [c]
    G = np.block([[body.inertia_about((0, 0, 0)), levers], [levers.T, h * np.eye(3)]])
    robot = st.Robot.from_poe([np.eye(4)], [G], np.array([[0, 0, 2.0, 0, 0, 0.5]]).T)
    np.testing.assert_allclose(robot.link("link1").body.com, c, rtol=1e-14)
    np.testing.assert_allclose(robot.link("link1").body.inertia, body.inertia, rtol=1e-12, atol=1e-16)
    pose = robot.forward_kinematics([0.3], "link1")
    np.testing.assert_allclose(pose.p, [0, 0, 0.15], rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(pose.R[:2, 0], [np.cos(0.6), np.sin(0.6)], rtol=1e-14)
    felt = 4 * body.inertia_about((0, 0, 0))[2, 2] + h * 0.25
    np.testing.assert_allclose(robot.mass_matrix([0.3]), [[felt]], rtol=1e-13)
