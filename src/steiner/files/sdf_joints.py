"""What a <joint> of SDF says in numbers: its ends, its pitch, its rotor and its limits."""

from __future__ import annotations

import math

from steiner.files.reading import UNLIMITED
from steiner.files.xml import Element
from steiner.model.joints import JointLimits

DRAKE = "{drake.mit.edu}"


def end_of(joint: Element, end: str) -> str:
    """The link at the "parent" or "child" end."""
    return joint.need(end, f"a joint needs <{end}>link</{end}>").inner_text()


def number_of(owner: Element, tag: str, default: float) -> float:
    """The number in an element that may be left out."""
    found = owner.one(tag)
    return default if found is None else found.inner_numbers(1)[0]


def pitch_of(joint: Element) -> float:
    """Travel per radian.  <screw_thread_pitch> is metres per turn; the old <thread_pitch> is radians per metre, with
    the sign of a left-handed thread.
    """
    new, old = joint.one("screw_thread_pitch"), joint.one("thread_pitch")
    if new is None and old is None:
        joint.fail("a screw needs <screw_thread_pitch>, in metres per turn")
    if new is not None:
        return new.inner_numbers(1)[0] / (2 * math.pi)
    assert old is not None
    (pitch,) = old.inner_numbers(1)
    if pitch == 0:
        old.fail("thread_pitch 0 radians per metre has no travel; give <screw_thread_pitch> in metres per turn")
    return -1 / pitch


def rotor_of(joint: Element) -> float:
    """Reflected rotor inertia, in the words of Drake: <drake:rotor_inertia>, <drake:gear_ratio>."""
    inertia = number_of(joint, f"{DRAKE}rotor_inertia", 0.0)
    return inertia * number_of(joint, f"{DRAKE}gear_ratio", 1.0) ** 2


def limits_of(axis: Element, kind: str) -> JointLimits | None:
    """Limits; infinite ones, and those of a continuous joint's position, are none."""
    limit = axis.one("limit")
    if limit is None:
        return None
    stated: dict[str, float] = {}
    for key in JointLimits._fields:
        found = limit.one(key)
        if found is None or (kind == "continuous" and key in ("lower", "upper")):
            continue
        if found.inner_text().lower().lstrip("+-") in ("inf", "infinity"):
            continue
        (value,) = found.inner_numbers(1)
        none = key in ("velocity", "effort") and value < 0  # so said SDF before 1.9
        if abs(value) < UNLIMITED and not none:
            stated[key] = value
    return JointLimits(**stated) if stated else None
