"""Robots from products of exponentials: Modern Robotics' Mlist, Glist and Slist."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.errors import ModelError, several
from steiner.inertia import MassProperties
from steiner.model.joints import Helical, Joint, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import EARTH, Robot
from steiner.scalar import array, is_zero
from steiner.spatial import Pose, cross, dot, length_of, unit


def from_poe(Mlist: Any, Glist: Any, Slist: Any, *, name: str = "robot", gravity: Any = EARTH) -> Robot:
    """Robot of home poses M_{i−1,i} of the links' centre-of-mass frames, spatial inertias, space screws.

    Shapes and meanings are the book's: n or n+1 poses (the last one places the tool), n 6×6 inertias,
    a 6×n array of screws (ω, v).  Screws keep their length: one of |ω| = √2 turns √2 rad per unit.
    """
    screws = array(Slist, what="Slist")
    if screws.ndim != 2 or screws.shape[0] != 6:
        raise ModelError(f"Slist: expected 6×n screws as columns (angular first), got shape {screws.shape}")
    n = screws.shape[1]
    homes = [array(M, (4, 4), "Mlist entry") for M in several("Mlist", Mlist, "4×4 poses")]
    Glist = several("Glist", Glist, "6×6 inertias")
    if len(homes) not in (n, n + 1) or len(Glist) != n:
        raise ModelError(
            f"{n} screws need {n} or {n + 1} home poses and {n} inertias, got {len(homes)} and {len(Glist)}"
        )
    links: list[Link] = []
    home = Pose.identity()
    for i in range(n):
        before, home = home, home @ Pose.from_matrix(homes[i])
        joint, point = _screw(screws[:, i], f"joint{i + 1}")
        at = Pose(None, point)  # the joint's frame, on its axis, along the space axes
        links.append(
            Link(
                f"link{i + 1}", links[-1].name if links else None, joint,
                before.inverse() @ at, _body(array(Glist[i], (6, 6), "Glist entry"), i + 1), at.inverse() @ home,
            )
        )  # fmt: skip
    if len(homes) == n + 1:
        links.append(Link("tool", links[-1].name, mount=Pose.from_matrix(homes[n])))
    return Robot(name, tuple(links), gravity)


def _screw(S: np.ndarray, name: str) -> tuple[Joint, np.ndarray]:
    """The joint of a space screw and a point on its axis."""
    w, v = S[:3], S[3:]
    if all(is_zero(x) for x in w):
        if all(is_zero(x) for x in v):
            raise ModelError(f"{name}: the screw is zero")
        return Prismatic(name=name, axis=unit(v), multiplier=length_of(v)), np.zeros(3)
    rate, axis = length_of(w), unit(w)
    pitch, point = dot(axis, v) / rate, cross(axis, v) / rate
    if is_zero(pitch):
        return Revolute(name=name, axis=axis, multiplier=rate), point
    return Helical(name=name, axis=axis, multiplier=rate, pitch=pitch), point


def _body(G: np.ndarray, i: int) -> MassProperties:
    """Mass properties of a 6×6 spatial inertia, in its own frame (about any origin)."""
    mass, lever = G[3, 3], G[:3, 3:]  # [m c] up to sign
    if is_zero(mass):
        return MassProperties(0.0, (0, 0, 0), G[:3, :3])
    return MassProperties(mass, np.array([lever[2, 1], lever[0, 2], lever[1, 0]]) / mass, G[:3, :3], about="origin")
