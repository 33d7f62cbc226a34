"""The arms that are measured: without friction, which not every peer knows; right angles exact for all."""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import steiner as st
from steiner.files import load, save
from steiner.model.joints import JointLimits

ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
CHAINS = (2, 7, 14, 30, 60, 100)


def bare(robot: st.Robot) -> st.Robot:
    """The robot without friction and looks."""
    links = (dataclasses.replace(k, joint=dataclasses.replace(k.joint, friction=None), shapes=()) for k in robot.links)
    return robot.replace(links=tuple(links))


def from_file(path: str) -> st.Robot:
    """An arm of example-robot-data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(str(distribution("example-robot-data").locate_file(f"{ROBOTS}/{path}")))


def panda() -> st.Robot:
    """Franka's Panda with its hand, fingers locked: seven joints."""
    robot = from_file("panda_description/urdf/panda.urdf")
    return bare(robot.locked({"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0}))


def panda_with_friction() -> st.Robot:
    """The Panda as its file says, with friction."""
    held = {"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0}
    robot = from_file("panda_description/urdf/panda.urdf").locked(held)
    return robot.replace(name="panda with friction")


def ur5() -> st.Robot:
    """Universal Robots UR5."""
    return bare(from_file("ur_description/urdf/ur5_robot.urdf"))


def puma560() -> st.Robot:
    """Unimation Puma 560 with its rotors; link 1, which the published table leaves without mass, gets one."""
    robot = bare(st.load("gallery:puma560"))
    first = dataclasses.replace(robot.links[0], body=st.MassProperties(1.0, (0, 0, 0), (0.35, 0.35, 0.35)))
    return robot.replace(links=(first, *robot.links[1:]))


def chain(n: int) -> st.Robot:
    """A serial chain of n revolute joints at right angles, links with full tensors."""
    rng = np.random.default_rng(n)
    links = []
    for k in range(n):
        A = rng.normal(size=(3, 3)) * 0.1
        body = st.MassProperties(1.0, rng.normal(size=3) * 0.1, np.trace(A @ A.T) * np.eye(3) - A @ A.T)
        joint = st.Revolute(name=f"j{k}", limits=JointLimits(-3.0, 3.0, 9.0, 99.0))
        mount = st.Pose.from_rpy((0, 0, 0.1), (np.pi / 2 * (-1) ** k, 0, 0))
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, joint, mount, body))
    return st.Robot(f"chain{n}", tuple(links))


def general(n: int) -> st.Robot:
    """A serial chain of n revolute joints with every mount turned and shifted at random: no frame holds a zero."""
    rng = np.random.default_rng(1000 + n)
    links = []
    for k, link in enumerate(chain(n).links):
        mount = st.Pose.from_rpy(tuple(rng.normal(size=3) * 0.15), tuple(rng.uniform(-3, 3, 3)))
        axis = rng.normal(size=3)
        joint = dataclasses.replace(link.joint, axis=tuple(axis / np.linalg.norm(axis)))
        links.append(dataclasses.replace(link, mount=mount, joint=joint, parent=f"l{k - 1}" if k else None))
    return st.Robot(f"general{n}", tuple(links))


def as_urdf(robot: st.Robot) -> str:
    """A URDF file of the robot, for programs that read only that."""
    path = Path(tempfile.mkdtemp()) / "robot.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(robot, path)
    return str(path)
