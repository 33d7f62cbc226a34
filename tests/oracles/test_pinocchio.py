"""The same numbers as Pinocchio, on arms that exist and on trees that hide no term."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

import steiner as st
from steiner.errors import ModelWarning
from steiner.files import load
from steiner.model.robot import Robot
from steiner.spatial import Pose
from tests.oracles.pinocchio_bridge import ARMS, Oracle, assert_close, from_links, from_urdf, pin, robots, states
from tests.random_robots import random_robot


def agree(robot: Robot, oracle, count: int = 8, external=(), loads=(), tolerance: float = 1e-12) -> None:
    q, qd, qdd = states(robot.n, count)
    options = {"friction": False} | ({"external": external} if external else {})
    tau = robot.inverse_dynamics(q, qd, qdd, **options)
    assert_close(tau, np.array([oracle.inverse(*s, loads) for s in zip(q, qd, qdd, strict=True)]), tolerance)
    assert_close(robot.mass_matrix(q), np.array([oracle.mass(x) for x in q]), tolerance)
    forward = robot.forward_dynamics(q, qd, tau, **options)
    assert_close(forward, np.array([oracle.forward(*s, loads) for s in zip(q, qd, tau, strict=True)]), tolerance)


@pytest.mark.parametrize("arm", ARMS)
def test_real_arms_agree(arm):
    path = robots() / ARMS[arm]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(path, snap=False)
    agree(robot, from_urdf(path, robot.joint_names))


@pytest.mark.parametrize("arm", ["panda", "ur5"])
def test_the_gallery_has_the_numbers_of_the_files_it_names(arm):
    full = pin.buildModelFromUrdf(str(robots() / ARMS[arm]))
    held = [full.getJointId(name) for name in full.names if "finger" in name]
    robot, oracle = load(f"gallery:{arm}"), pin.buildReducedModel(full, held, pin.neutral(full))
    agree(robot, Oracle(oracle, robot.joint_names), tolerance=1e-9)  # π/2 is cut off in the file
    with warnings.catch_warnings():  # a centre on the first axis is felt by no joint: body by body
        warnings.simplefilter("ignore", ModelWarning)
        file = load(robots() / ARMS[arm])
    for link in robot.links:
        body, theirs = link.body, file.link(link.name).body
        for quantity in ("mass", "com", "inertia"):
            np.testing.assert_allclose(getattr(body, quantity), getattr(theirs, quantity), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("arm", ["panda", "ur5", "kinova"])
def test_snapping_truncated_angles_moves_numbers_by_less_than_1e_10(arm):
    path = robots() / ARMS[arm]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(path)
    oracle = from_urdf(path, robot.joint_names)
    q, qd, qdd = states(robot.n, 8)
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)
    assert_close(tau, np.array([oracle.inverse(*s) for s in zip(q, qd, qdd, strict=True)]), 1e-10)


def test_locked_fingers_are_pinocchios_reduced_model():
    path = robots() / ARMS["panda"]
    with pytest.warns(ModelWarning, match="mimic"):
        robot = load(path, snap=False).locked({"panda_finger_joint1": 0.02, "panda_finger_joint2": 0.01})
    full = pin.buildModelFromUrdf(str(path))
    held = pin.neutral(full)
    ids = [full.getJointId("panda_finger_joint1"), full.getJointId("panda_finger_joint2")]
    for i, value in zip(ids, (0.02, 0.01), strict=True):
        held[full.idx_qs[i]] = value
    agree(robot, Oracle(pin.buildReducedModel(full, ids, held), robot.joint_names))


def tree(seed: int) -> Robot:
    """Seven moving links and two fixed ones."""
    return random_robot(seed, 7, fixed=2, payloads=0)


def of_each_kind(robot: Robot) -> tuple[str, str]:
    """A moving link, and one that is fixed to a moving one."""
    links = [link for link in robot.links if robot.place(link.name).body >= 0]
    return next(k.name for k in links if k.joint.moves), next(k.name for k in links if not k.joint.moves)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_agree(seed):
    robot = tree(seed)
    agree(robot, from_links(robot)[0], count=4)


def test_a_fixed_link_carries_its_mass():
    robot = tree(3)
    fixed = robot.link(of_each_kind(robot)[1])
    bare = robot.replace(
        links=tuple(
            dataclasses.replace(k, body=st.MassProperties.zero()) if k is fixed else k for k in robot.links
        )
    )
    agree(bare, from_links(bare)[0], count=2)
    q, qd, qdd = states(robot.n, 1)
    assert np.abs(robot.inverse_dynamics(q, qd, qdd) - bare.inverse_dynamics(q, qd, qdd)).max() > 1e-3


@pytest.mark.parametrize("axes", ["world", "link"])
def test_external_wrenches_on_moving_and_on_fixed_links_agree(axes):
    robot = tree(5)
    oracle, seat = from_links(robot)
    rng = np.random.default_rng(0)
    wrenches, loads = [], []
    for name in (*of_each_kind(robot), robot.link_names[-1]):
        moment, force, at = rng.normal(size=(3, 3))
        wrenches.append(st.Wrench(moment, force, acting_on=name, at=at, axes=axes))
        loads.append((*seat[name], moment, force, at, axes))
    agree(robot, oracle, count=3, external=wrenches, loads=loads)


def test_payloads_on_moving_and_on_fixed_links_agree():
    robot = tree(8)
    moving, fixed = of_each_kind(robot)
    tensor = [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    box = st.MassProperties(1.7, (0.02, -0.03, 0.05), tensor)
    loaded = robot.with_payload(box, link=moving, pose=Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
    loaded = loaded.with_payload(box, link=fixed, name="second")
    agree(loaded, from_links(loaded)[0], count=3)
    agree(loaded.without_payload(), from_links(robot)[0], count=2)


def test_dh_arms_agree():
    for name in ("puma560", "puma560akb", "stanford", "desk", "scara", "nm7mar", "iiwa"):
        robot = load(f"gallery:{name}")
        agree(robot, from_links(robot)[0], count=4)
