"""Small arms whose motion is known."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin

import steiner as st

FALL = 9.81


def pendulum(length=1.0, mass=1.0, **joint):
    """A point mass on a rod without mass; q = 0 hangs down, gravity along −z."""
    body = st.MassProperties(mass, (0, 0, -length), (0, 0, 0))
    return st.Robot("pendulum", [_link("rod", None, st.Revolute(name="swing", axis=(0, 1, 0), **joint), body)])


def double_pendulum(length=1.0, mass=1.0):
    """Two point masses on rods without mass, both angles 0 hanging down."""
    body = st.MassProperties(mass, (0, 0, -length), (0, 0, 0))
    first = _link("upper", None, st.Revolute(name="one", axis=(0, 1, 0)), body)
    place = st.Pose(p=(0, 0, -length))
    second = st.Link("lower", "upper", st.Revolute(name="two", axis=(0, 1, 0)), place, body=body)
    return st.Robot("double pendulum", [first, second])


def slider(mass=1.0, slope=0.0, **joint):
    """A block on a slope, s uphill."""
    body = st.MassProperties(mass, (0, 0, 0), (1e-3,) * 3)
    link = _link("block", None, st.Prismatic(name="s", axis=(1, 0, 0), **joint), body)
    return st.Robot("block", [link], gravity=(-FALL * sin(slope), 0, -FALL * cos(slope)))


def rough(bare, hold):
    """The arm with Coulomb friction, one number per joint."""
    efforts = iter(hold)
    links = [
        replace(link, joint=link.joint.with_numbers(friction=st.Coulomb(next(efforts)))) if link.joint.moves else link
        for link in bare.links
    ]
    return bare.replace(links=links)


def _link(name, parent, joint, body):
    return st.Link(name, parent, joint, body=body)
