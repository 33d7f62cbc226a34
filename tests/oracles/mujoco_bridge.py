"""MuJoCo as an oracle: the arm goes there as a URDF text, answers come in our order of joints."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

from steiner.errors import ModelWarning
from steiner.files.urdf_write import write
from steiner.model.robot import Robot
from steiner.spatial import Pose

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install steiner[oracles]")

# fixed links stay bodies, nothing is balanced or merged, and no contact or limit acts
COMPILER = '<mujoco><compiler fusestatic="false" balanceinertia="false" boundmass="0" boundinertia="0"/></mujoco>'


class Oracle:
    """A MuJoCo model of the same robot; joints in our order."""

    def __init__(self, robot: Robot) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # rotors and gravity are handed over below
            plain = robot.replace(links=tuple(dataclasses.replace(link, shapes=()) for link in robot.links))
            text = write(plain).replace("</robot>", f"{COMPILER}</robot>")
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


def on_joints(robot: Robot) -> Robot:
    """Frames on the joints, as MuJoCo's URDF reader wants them; bodies stay where they are."""
    links = tuple(dataclasses.replace(k, origin=Pose.identity()) for k in robot.links)
    return robot.replace(links=links)
