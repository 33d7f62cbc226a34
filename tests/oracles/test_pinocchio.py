"""The same numbers as Pinocchio, on arms that exist and on trees that hide no term."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from pinocchio_bridge import assert_close, from_links, from_urdf, pin, robots

import steiner as st
from steiner.errors import ModelWarning
from steiner.io import load
from steiner.joints import Fixed, Helical, Prismatic, Revolute
from steiner.model import Link, Robot
from steiner.spatial import Pose

ARMS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "talos arm": "talos_data/robots/talos_left_arm.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}


def states(n: int, count: int, seed: int = 0) -> np.ndarray:
    """q, qd, qdd (or tau) for some samples."""
    return np.random.default_rng(seed).uniform(-2, 2, (3, count, n))


def agree(robot: Robot, oracle, count: int = 8, external=(), loads=()) -> None:
    q, qd, qdd = states(robot.n, count)
    options = {"friction": False} | ({"external": external} if external else {})
    tau = robot.inverse_dynamics(q, qd, qdd, **options)
    assert_close(tau, np.array([oracle.inverse(*s, loads) for s in zip(q, qd, qdd, strict=True)]))
    assert_close(robot.mass_matrix(q), np.array([oracle.mass(x) for x in q]))
    forward = robot.forward_dynamics(q, qd, tau, **options)
    assert_close(forward, np.array([oracle.forward(*s, loads) for s in zip(q, qd, tau, strict=True)]))


@pytest.mark.parametrize("arm", ARMS)
def test_real_arms_agree(arm):
    path = robots() / ARMS[arm]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(path, snap=False)
    agree(robot, from_urdf(path, robot.joint_names))


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
    from pinocchio_bridge import Oracle

    agree(robot, Oracle(pin.buildReducedModel(full, ids, held), robot.joint_names))


def random_tree(seed: int, n: int = 9, *, rotors: bool = True) -> Robot:
    """Branches, all joint types, oblique axes, full tensors, mass on fixed links, frames off their joints, rotors."""
    rng = np.random.default_rng(seed)

    def pose(size: float = 0.3) -> Pose:
        return Pose.from_rpy(rng.normal(size=3) * size, rng.uniform(-3, 3, 3))

    def body() -> st.MassProperties:
        second = rng.normal(size=(3, 3)) * 0.1
        second = second @ second.T
        tensor = np.eye(3) * np.trace(second) - second
        return st.MassProperties(rng.uniform(0.5, 3), rng.normal(size=3) * 0.1, tensor)

    links = [Link("base", body=body())]
    for i in range(n):
        kind = (Revolute, Prismatic, Helical, Fixed)[i % 4]
        more = {"pitch": rng.uniform(-0.2, 0.2)} if kind is Helical else {}
        rotor = rng.uniform(0, 0.5) if rotors and kind is not Fixed else 0.0
        joint = kind(name=f"j{i}", axis=rng.normal(size=3), armature=rotor, **more)
        parent = links[rng.integers(max(0, len(links) - 3), len(links))].name
        links.append(Link(f"k{i}", parent, joint, pose(), body(), pose(0.1)))
    return Robot(f"tree{seed}", tuple(links), gravity=rng.normal(size=3) * 5)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_agree(seed):
    robot = random_tree(seed)
    agree(robot, from_links(robot)[0], count=4)


def test_a_fixed_link_carries_its_mass():
    robot = random_tree(3)
    fixed = next(link for link in robot.links if link.parent and not link.joint.moves)
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
    robot = random_tree(5)
    oracle, seat = from_links(robot)
    rng = np.random.default_rng(0)
    wrenches, loads = [], []
    for name in ("k1", "k3", "k8"):  # k3 is fixed
        moment, force, at = rng.normal(size=(3, 3))
        wrenches.append(st.Wrench(moment, force, acting_on=name, at=at, axes=axes))
        loads.append((*seat[name], moment, force, at, axes))
    agree(robot, oracle, count=3, external=wrenches, loads=loads)


def test_payloads_on_moving_and_on_fixed_links_agree():
    robot = random_tree(7)
    tensor = [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    box = st.MassProperties(1.7, (0.02, -0.03, 0.05), tensor)
    loaded = robot.with_payload(box, link="k2", pose=Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
    loaded = loaded.with_payload(box, link="k7", name="second")
    agree(loaded, from_links(loaded)[0], count=3)
    agree(loaded.without_payload(), from_links(robot)[0], count=2)


def test_dh_arms_agree():
    for name in ("puma560", "puma560akb", "stanford", "desk", "scara", "nm7mar", "iiwa"):
        robot = load(f"gallery:{name}")
        agree(robot, from_links(robot)[0], count=4)
