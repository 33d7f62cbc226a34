"""The gallery: robots to try things on, each with the source of its numbers.

A new robot is one function and one line in `GALLERY`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from steiner.errors import ModelError, unknown
from steiner.model.robot import Robot
from steiner.robots import built, industrial, literature
from steiner.robots.desk import desk


class Exhibit(NamedTuple):
    """One robot of the gallery."""

    title: str
    source: str
    build: Callable[[], Robot]


_CORKE = (
    "P. Corke and B. Armstrong-Hélouvry, A search for consensus among model parameters reported for the PUMA 560 "
    "robot, ICRA 1994; table of the Robotics Toolbox (standard DH)"
)
_ARMSTRONG = (
    "B. Armstrong, O. Khatib and J. Burdick, The explicit dynamic model and inertial parameters of the PUMA 560 arm, "
    "ICRA 1986 (modified DH); link 3 with Izz 0.086, which the paper's own constants need"
)
_STANFORD = (
    "R. Paul, Robot Manipulators, 1981, as tabulated in the Robotics Toolbox for MATLAB (stanford.m); the centres of "
    "mass of links 2, 3 and 6 lie far outside the arm there and are kept as printed"
)

_OURS = "built from parts; dimensions are illustrative"
_PAPER = (
    "P. Szumiński and T. Kapitaniak, inertia tensors of manipulator links, 2006; the structure is the paper's, which "
    "prints no dimensions: ours are illustrative, and the joint types (two turning, one sliding) are assumed"
)
_PANDA = "franka_description of franka_ros (Apache-2.0), as packaged in example-robot-data 6.0.0"
_UR5 = "ur_description of ROS-Industrial universal_robot (BSD-3-Clause), as packaged in example-robot-data 6.0.0"
_IIWA = (
    "lbr_iiwa by R. Krug and T. Stoyanov, Örebro University (BSD-2-Clause), as packaged in pybullet_data 3.2.7; the "
    "base weighs 5 kg as in the original"
)

GALLERY: dict[str, Exhibit] = {
    "rp": Exhibit("a turning bar with a sled that slides along it", _OURS, built.rp),
    "pr": Exhibit("a sled on a rail with a bar that swings from it", _OURS, built.pr),
    "pp": Exhibit("a lift that carries a slide", _OURS, built.pp),
    "rr": Exhibit("two hollow bars in a vertical plane", _OURS, built.rr),
    "planar3": Exhibit("three hollow bars in a vertical plane", _OURS, built.planar3),
    "scara": Exhibit("SCARA with a quill that slides and turns", _OURS, built.scara),
    "nm7mar": Exhibit("NM7MAR manipulator, three links of three cuboids", _PAPER, built.nm7mar),
    "desk": Exhibit("desk arm of three links, with motors and friction", _OURS, desk),
    "puma560": Exhibit("Unimation Puma 560, with motors and friction", _CORKE, literature.puma560),
    "puma560akb": Exhibit("Unimation Puma 560, as measured part by part", _ARMSTRONG, literature.puma560akb),
    "ur5": Exhibit("Universal Robots UR5", _UR5, industrial.ur5),
    "panda": Exhibit("Franka Emika Panda with its hand, fingers held", _PANDA, industrial.panda),
    "iiwa": Exhibit("KUKA LBR iiwa 14", _IIWA, industrial.iiwa),
    "stanford": Exhibit("Stanford arm, one sliding joint", _STANFORD, literature.stanford),
}


def gallery() -> dict[str, str]:
    """The robots that `load("gallery:NAME")` knows, by name, with what they are."""
    return {name: exhibit.title for name, exhibit in GALLERY.items()}


def build(name: str) -> Robot:
    """The robot of that name; its provenance says where its numbers come from."""
    if name not in GALLERY:
        raise ModelError(unknown("gallery robot", name, GALLERY))
    robot = GALLERY[name].build()
    source = replace(robot.source, file=f"gallery:{name}", publication=GALLERY[name].source)
    return robot.replace(source=source)
