"""The arm that is measured: the Panda of example-robot-data, fingers locked, no friction."""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from importlib.metadata import distribution
from pathlib import Path

from steiner.io import load, save
from steiner.model import Robot

PANDA = "cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf"


def panda() -> Robot:
    """Seven joints; right angles exact, and handed to the others so."""
    path = str(distribution("example-robot-data").locate_file(PANDA))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = load(path).locked({"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0})
    links = (dataclasses.replace(k, joint=dataclasses.replace(k.joint, friction=None)) for k in robot.links)
    return robot.replace(links=tuple(links))


def as_urdf(robot: Robot) -> str:
    """A URDF file of the robot, for programs that read only that."""
    path = Path(tempfile.mkdtemp()) / f"{robot.name}.urdf"
    save(robot, path)
    return str(path)
