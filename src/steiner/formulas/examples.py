"""The worked examples of manipulator dynamics with symbols in place of numbers: one joint, RP, PR, PP, RR, 3R.

The sheet of paper is the x-y plane, gravity pulls along −y; lc is from a joint to the centre of mass, l from joint to
joint.  `formulas.letters` gives any robot such names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from steiner.inertia import MassProperties
from steiner.model.dh import DH
from steiner.model.joints import Joint, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.spatial import Pose

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
g = sp.Symbol("g")
DOWN_Y = np.array([0, -g, 0], dtype=object)
m1, m2, m3, l1, l2, lc1, lc2, lc3, d, lc, m = sp.symbols("m1 m2 m3 l1 l2 lc1 lc2 lc3 d lc m")
I1, I2, I3, Izz = sp.symbols("Izz1 Izz2 Izz3 Izz")


def bar(mass: Any, centre: Any, moment: Any) -> MassProperties:
    """A body whose centre lies on x, and that turns about z only."""
    return MassProperties(mass, (centre, 0, 0), (0, 0, moment))


def link(k: int, joint: Joint, body: MassProperties, at: Any = 0) -> Link:
    """Link k, its joint at a distance along x of the one before."""
    parent = f"link{k - 1}" if k > 1 else None
    return Link(f"link{k}", parent, joint, Pose(p=(at, 0, 0)), body)


def turning(k: int) -> Revolute:
    """Joint k, about z."""
    return Revolute(name=f"joint{k}")


def sliding(k: int, axis: Any) -> Prismatic:
    """Joint k, along an axis."""
    return Prismatic(name=f"joint{k}", axis=axis)


def one_r() -> Robot:
    """A pendulum: one joint that turns."""
    return Robot("pendulum", (link(1, turning(1), bar(m, lc, Izz)),), DOWN_Y)


def one_p() -> Robot:
    """One joint that slides."""
    return Robot("slider", (link(1, sliding(1, X), bar(m, 0, Izz)),), DOWN_Y)


def rp() -> Robot:
    """A turning bar with a sled that slides along it."""
    return Robot("RP", (link(1, turning(1), bar(m1, l1, I1)), link(2, sliding(2, X), bar(m2, 0, I2))), DOWN_Y)


def pr() -> Robot:
    """A sled on a horizontal rail with a bar that swings from it."""
    return Robot("PR", (link(1, sliding(1, X), bar(m1, 0, I1)), link(2, turning(2), bar(m2, d, I2))), DOWN_Y)


def pp() -> Robot:
    """A lift that carries a slide."""
    return Robot("PP", (link(1, sliding(1, Y), bar(m1, 0, I1)), link(2, sliding(2, X), bar(m2, 0, I2))), DOWN_Y)


def rr() -> Robot:
    """Two bars in a vertical plane."""
    return Robot("RR", (link(1, turning(1), bar(m1, lc1, I1)), link(2, turning(2), bar(m2, lc2, I2), l1)), DOWN_Y)


def planar3() -> Robot:
    """Three bars in a vertical plane."""
    return Robot("planar3", (*rr().links, link(3, turning(3), bar(m3, lc3, I3), l2)), DOWN_Y)


def full_body(k: int) -> MassProperties:
    """Ten symbols: mass, centre, tensor."""
    xx, xy, xz, yy, yz, zz = sp.symbols(" ".join(f"I{e}{k}" for e in ("xx", "xy", "xz", "yy", "yz", "zz")))
    tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return MassProperties(sp.Symbol(f"m{k}"), sp.symbols(f"x{k} y{k} z{k}"), tensor)


def spatial3r() -> Robot:
    """Shoulder, elbow and wrist of an arm on a turning base, every link with a full tensor."""
    rows = [
        DH(alpha=sp.pi / 2, d=sp.Symbol("d1"), body=full_body(1)),
        DH(a=sp.Symbol("a2"), body=full_body(2)),
        DH(a=sp.Symbol("a3"), body=full_body(3)),
    ]
    return Robot.from_dh(rows, gravity=(0, 0, -g), name="3R")


def _point(k: int) -> MassProperties:
    return MassProperties(sp.Symbol(f"m{k}"))


def anthropomorphic() -> Robot:
    """The same with point masses at the ends of the links: short enough for a page."""
    a2, a3 = sp.symbols("a2 a3")
    rows = [
        DH(alpha=sp.pi / 2, body=MassProperties(0, (0, 0, 0), (0, sp.Symbol("Iyy1"), 0))),
        DH(a=a2, body=_point(2)),
        DH(a=a3, body=_point(3)),
    ]
    return Robot.from_dh(rows, gravity=(0, 0, -g), name="3R")


EXAMPLES: dict[str, Callable[[], Robot]] = {
    "pendulum": one_r, "slider": one_p, "rp": rp, "pr": pr, "pp": pp, "rr": rr, "planar3": planar3,
    "anthropomorphic": anthropomorphic, "spatial3r": spatial3r,
}  # fmt: skip
