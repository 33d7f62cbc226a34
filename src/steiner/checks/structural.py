"""How a robot hangs together: joints, limits, angles, and what the reader of its file did about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from steiner.checks.rule import Remark, about_joint, limited
from steiner.model.joints import Joint, JointLimits
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.model.source import element
from steiner.scalar import brief, is_negative, is_number, is_zero
from steiner.spatial import Pose, snapped
from steiner.spatial.poses import UNTURNED, distortion

MOST_TURNS = 2  # of a turning joint; limits beyond that look like degrees
LONGEST_SLIDE = 100.0  # m
COARSE = 1e-5  # entries of a rotation this near to those of an exact angle are not meant otherwise


def massless(robot: Robot) -> Iterator[Remark]:
    """Moving bodies without any mass: inverse dynamics works, forward dynamics may not."""
    if all(isinstance(m := link.body.mass, float) and m > 0 for link in robot.links if link.joint.moves):
        return  # what is fixed to them only adds to it
    for body in robot.bodies:
        mass, _, second = body.moments
        if not body.between and is_zero(mass) and all(is_zero(x) for x in np.ravel(second)):
            text = "moves but has no mass, nor has what is fixed to it; its inertia counts as zero"
            yield Remark(element("link", body.name), text, body.name, body.joint.name)


def immobile(robot: Robot) -> Iterator[Remark]:
    """A robot that cannot move."""
    if not any(link.joint.moves for link in robot.links):
        yield Remark("", f"robot {robot.name!r} has no moving joint")


def limits_missing(robot: Robot) -> Iterator[Remark]:
    """Joints that ought to have limits by their kind: the reader found none and left them open."""
    for link, joint, limits in limited(robot):
        if limits == JointLimits():
            text = f"a {type(joint).__name__.lower()} joint without limits; read as unlimited"
            yield about_joint(link, joint, text)


def limits_swapped(robot: Robot) -> Iterator[Remark]:
    """Ranges without any position in them."""
    for link, joint, (lower, upper, *_) in limited(robot):
        if is_number(lower) and is_number(upper) and lower > upper:
            text = f"lower {float(lower)!r} exceeds upper {float(upper)!r}; no position is within them"
            fix = f'lower="{float(upper)!r}" upper="{float(lower)!r}"'
            yield about_joint(link, joint, text, "limit", fix=fix)


def limits_in_degrees(robot: Robot) -> Iterator[Remark]:
    """Ranges of a turning joint over many turns."""
    most = MOST_TURNS * 2 * math.pi * (1 + 1e-6)
    for link, joint, limits in limited(robot):
        far = [float(x) for x in limits[:2] if is_number(x) and abs(x) > most]
        if far and not is_zero(joint.turn):
            text = f"a limit of {far[0]!r} rad is {abs(far[0]) / (2 * math.pi):.3g} turns; is it in degrees?"
            fix = f"{far[0]:g}° are {math.radians(far[0]):.9g} rad"
            yield about_joint(link, joint, text, "limit", fix=fix)


def limits_in_millimetres(robot: Robot) -> Iterator[Remark]:
    """Ranges of a sliding joint longer than any machine."""
    for link, joint, limits in limited(robot):
        far = [float(x) for x in limits[:2] if is_number(x) and abs(x) > LONGEST_SLIDE]
        if far and is_zero(joint.turn):
            text = f"a limit of {far[0]!r} m; is it in millimetres?"
            yield about_joint(link, joint, text, "limit", fix=f"{far[0]:g} mm are {far[0] / 1000:.9g} m")


def effort_missing(robot: Robot) -> Iterator[Remark]:
    """Joints with a range but without an effort or a speed, so that no motor can be judged."""
    groups: dict[str, list[tuple[Link, Joint]]] = {}
    for link, joint, limits in limited(robot):
        values = {name: getattr(limits, name) for name in ("effort", "velocity")}
        absent = {name: x for name, x in values.items() if x is None or is_zero(x) or is_negative(x)}
        if limits != JointLimits() and absent:
            text = "; ".join(f"{k} limit {'not stated' if x is None else f'of {brief(x)}'}" for k, x in absent.items())
            groups.setdefault(text, []).append((link, joint))
    for text, joints in groups.items():
        named = ", ".join(repr(joint.name) for _, joint in joints[1:7]) + (", …" if len(joints) > 7 else "")
        also = f"; so it is for {len(joints) - 1} more: {named}" if len(joints) > 1 else ""
        yield about_joint(*joints[0], text + also, "limit")


# ---- angles ----------------------------------------------------------------------------------


def coarse_angle(robot: Robot) -> Iterator[Remark]:
    """Angles such as 1.5708: near an exact one, but further off than what is snapped."""
    for link in robot.links:
        for aspect, pose in (("origin", link.mount), ("frame", link.origin)):
            if off := _rounded(pose):
                text = f"{off:.1g} away from an exact angle, as if rounded; a right angle is 1.5707963267948966"
                kind, name = ("joint", link.joint.name) if link.joint.name else ("link", link.name)
                yield Remark(element(kind, name, aspect), text, link.name, link.joint.name)


def _rounded(pose: Pose) -> float:
    if pose.R is UNTURNED or pose.R.dtype != np.float64:
        return 0.0
    exact = snapped(pose.R, COARSE)
    if (exact == pose.R).all() or distortion(exact) > 1e-14:  # some entries near, some not: an angle of its own
        return 0.0
    off = float(np.abs(exact - pose.R).max())
    return off if off > 1e-10 else 0.0


# ---- what the reader did ---------------------------------------------------------------------


def mimic_free(robot: Robot) -> Iterator[Remark]:
    """Joints that follow others in the file and not in the model."""
    if robot.source.mimic:
        names = ", ".join(robot.source.mimic)
        yield Remark(
            "",
            f"joints {names} mimic others and are read as free joints with their own coordinates; "
            'pass mimic="coupled" to couple them',
        )


def _noted(book: str, what: str) -> Callable[[Robot], Iterator[Remark]]:
    def judge(robot: Robot) -> Iterator[Remark]:
        return (Remark(name, text) for name, text in getattr(robot.source, book).items())

    judge.__doc__ = what
    return judge


left_out = _noted("warnings", "Things of the file that the model lacks.")
normalised = _noted("normalised", "Axes that were made unit vectors.")
angle_snapped = _noted("snapped", "Angles that were made exact.")
angle_in_degrees = _noted("turns", "Angles of many turns, as if in degrees.")
