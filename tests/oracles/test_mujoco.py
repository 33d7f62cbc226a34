"""The same numbers as MuJoCo, a third program with its own conventions; the arm goes there as a URDF text."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from pinocchio_bridge import assert_close, robots
from test_pinocchio import ARMS, random_tree, states

from steiner.errors import ModelWarning
from steiner.io import load
from steiner.io.urdf_write import write
from steiner.joints import Helical, Revolute
from steiner.model import Robot
from steiner.spatial import Pose

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install steiner[oracles]")

# fixed links stay bodies, nothing is balanced or merged, and no contact or limit acts
COMPILER = '<mujoco><compiler fusestatic="false" balanceinertia="false" boundmass="0" boundinertia="0"/></mujoco>'


class Oracle:
    """A MuJoCo model of the same robot; joints in our order."""

    def __init__(self, robot: Robot) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # rotors and gravity are handed over below
            text = write(robot).replace("</robot>", f"{COMPILER}</robot>")
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        flags = mujoco.mjtDisableBit
        self.model.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT
        self.model.opt.gravity[:] = robot.gravity
        joints = [self.model.joint(name) for name in robot.joint_names]
        assert self.model.nv == len(joints)
        self.q = np.array([int(j.qposadr[0]) for j in joints])
        self.v = np.array([int(j.dofadr[0]) for j in joints])
        self.model.dof_damping[:] = 0
        self.model.dof_frictionloss[:] = 0
        self.model.dof_armature[self.v] = [robot.joint(name).armature for name in robot.joint_names]
        mujoco.mj_setConst(self.model, self.data)

    def inverse(self, q, qd, qdd):
        self.data.qpos[self.q], self.data.qvel[self.v], self.data.qacc[self.v] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse[self.v].copy()

    def mass(self, q):
        self.data.qpos[self.q] = q
        mujoco.mj_forward(self.model, self.data)
        full = np.zeros((self.model.nv, self.model.nv))
        try:
            mujoco.mj_fullM(self.model, self.data, full)
        except TypeError:  # before MuJoCo 4
            mujoco.mj_fullM(self.model, full, self.data.qM)
        return full[np.ix_(self.v, self.v)]


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
    tree = random_tree(seed)
    links = []
    for link in tree.links:
        joint = link.joint
        if isinstance(joint, Helical):
            joint = Revolute(name=joint.name, axis=joint.axis, armature=joint.armature)
        links.append(dataclasses.replace(link, joint=joint, origin=Pose.identity()))
    agree(tree.replace(links=tuple(links)))
