"""What pulls and rubs at the joints of an MJCF file: springs, dampers, dry friction.

A spring of `stiffness` is slack where the joint's coordinate is `springref`.  `springdamper` states a time constant and
a damping ratio instead; MuJoCo's compiler makes stiffness and damping of them from the inertia that the joint feels
where the file has the arm: 1 / (M⁻¹)ᵢᵢ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from steiner import dynamics
from steiner.files.reading import Notes
from steiner.files.xml import Element, shown
from steiner.model.friction import Coulomb, Friction, Viscous
from steiner.model.robot import Robot
from steiner.model.source import element

SWITCHES = {"stiffness": ("spring", "passive"), "damping": ("damper", "passive"), "frictionloss": ("frictionloss",)}
KINDS = {"stiffness": "a linear spring", "damping": "linear damping", "frictionloss": "dry friction"}


class Passive(NamedTuple):
    """What a joint has beside its rotor; `damper` is springdamper: its time constant and damping ratio."""

    stiffness: float
    damping: float
    coulomb: float
    damper: tuple[float, float] | None = None

    @property
    def friction(self) -> Friction | None:
        """Viscous and dry friction, if there is any."""
        if self.damping and self.coulomb:
            return Viscous(self.damping) + Coulomb(self.coulomb)
        return Viscous(self.damping) if self.damping else Coulomb(self.coulomb) if self.coulomb else None


def switched_off(root: Element) -> frozenset[str]:
    """Which of them the flags of `<option>` disable."""
    flags = [flag for option in root.all("option") for flag in option.all("flag")]
    told = {key for flag in flags for key, state in flag.attributes.items() if state == "disable"}
    return frozenset(key for key, names in SWITCHES.items() if told.intersection(names))


def passive(e: Element, off: frozenset[str]) -> Passive:
    """Spring and friction of a joint; more than linear ones are refused."""
    found = {}
    for key, kind in KINDS.items():
        values = e.numbers(key, 1, 3) if key in e.attributes else [0.0]
        if min(values) < 0:
            why = "it would push away from its rest" if key == "stiffness" else "it would drive the joint"
            e.fail(f'{key}="{shown(e.attributes[key])}" is negative: {why}')
        if any(values[1:]):
            e.fail(f'{key}="{shown(e.attributes[key])}": only the first number, of {kind}, is read')
        found[key] = 0.0 if key in off else values[0]
    time, ratio = e.numbers("springdamper", 2) if "springdamper" in e.attributes else (0.0, 0.0)
    if (time, ratio) != (0.0, 0.0) and not (time > 0 and ratio > 0):
        wrong = f'springdamper="{shown(e.attributes["springdamper"])}"'
        e.fail(f"{wrong}: expected a time constant (s) and a damping ratio, both positive")
    stiffness, damping, coulomb = found.values()
    return Passive(stiffness, damping, coulomb, (time, ratio) if time else None)


def damped(robot: Robot, dampers: Mapping[str, tuple[Element, Passive]], off: frozenset[str]) -> Robot:
    """The robot with the springs and dampers that time constants and damping ratios state."""
    if not dampers:
        return robot
    loose = {"follows": None, "multiplier": 1.0, "offset": 0.0}  # M knows no couplings; value 0 is the file's pose
    free = _with(robot, {body.joint.name: loose for body in robot.bodies})
    M = dynamics.mass_matrix(free, np.zeros(free.n)).astype(float)
    known = np.isfinite(M).all() and np.linalg.matrix_rank(M) == len(M)
    felt = 1 / np.diag(np.linalg.inv(M)) if known else np.zeros(len(M))
    made = {}
    for name, (e, stated) in dampers.items():
        assert stated.damper is not None
        (time, ratio), inertia = stated.damper, float(felt[free.joint_names.index(name)])
        if not inertia > 0:
            e.fail(f"springdamper of joint {shown(name)!r}: no inertia decides its stiffness; state stiffness, damping")
        found = {"stiffness": inertia / (time * ratio) ** 2, "damping": 2 * inertia / time}
        new = stated._replace(**{key: 0.0 if key in off else value for key, value in found.items()})
        made[name] = {"stiffness": new.stiffness, "friction": new.friction}
    return _with(robot, made)


def _with(robot: Robot, numbers: Mapping[str, Mapping[str, Any]]) -> Robot:
    """The robot with other numbers of some screws, by their names."""
    links = []
    for link in robot.links:
        joint = link.joint
        for screw in joint.screws():
            joint = joint.with_screw(screw.name, **numbers.get(screw.name, {}))
        links.append(dataclasses.replace(link, joint=joint))
    return robot.replace(links=tuple(links))


def tell_tendons(root: Element, notes: Notes) -> None:
    """Springs and friction of tendons, which are left out."""
    sections = [*root.all("tendon"), *(e for e in root.below() if e.tag == "default")]
    for section in sections:
        for e in section.children:
            if section.tag == "default" and e.tag != "tendon":
                continue
            pulls = [key for key in KINDS if key in e.attributes and any(e.numbers(key, 1, 3))]
            if pulls:
                what = element("tendon", e.attributes.get("name", shown(e.tag)), pulls[0])
                notes.warnings[what] = f"{' and '.join(pulls)} of tendons: left out, for only joints have springs here"
                notes.lines[what] = e.line
