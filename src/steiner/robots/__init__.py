"""The gallery: robots to try things on, each with the source of its numbers.

A new robot is one function and one line in `GALLERY`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from steiner.errors import ModelError, unknown
from steiner.model import Robot
from steiner.robots import literature


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

GALLERY: dict[str, Exhibit] = {
    "puma560": Exhibit("Unimation Puma 560, with motors and friction", _CORKE, literature.puma560),
    "puma560akb": Exhibit("Unimation Puma 560, as measured part by part", _ARMSTRONG, literature.puma560akb),
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
    return robot.replace(provenance={**robot.provenance, "source": f"gallery:{name}", "data": GALLERY[name].source})
