"""The derivation by Newton and Euler: outward for motion, inward for forces, link by link."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import BodyState, body_force, inward, motion_of_base, outward
from steiner.formulas.closed import Terms
from steiner.formulas.summary import legend, term_boxes
from steiner.formulas.system import Equations
from steiner.model.tree import GROUND
from steiner.scalar import is_zero
from steiner.spatial import Pose, cross
from steiner.text.document import WIDEST, Document
from steiner.text.layout import Box, dotted, fenced, ident, number, op, row, sub, sup, width, words

w, v, f, n, z, p, r = (ident(x) for x in ("omega", "v", "f", "n", "z", "p", "r"))


def _at(letter: Box, index: str) -> Box:
    return sub(letter, ident(index) if index.isalpha() else number(index))


def _up(letter: Box) -> Box:
    return sub(letter, row(ident("i"), op("-"), number("1")))


def _here(letter: Box) -> Box:
    return sub(letter, ident("i"))


def _rules(document: Document, slides: bool) -> None:
    """The recursion in general, before it is applied."""
    R = sup(_here(ident("R")), ident("T"))
    rate, acceleration = _here(dotted(ident("q"), 1)), _here(dotted(ident("q"), 2))
    dw, dv = dotted(w, 1), dotted(v, 1)
    x = op("×")
    up, push = _up(w), fenced(row(_up(w), x, _here(p)))
    carried = fenced(row(_up(dv), op("+"), _up(dw), x, _here(p), op("+"), up, x, push))
    document.text(
        "A joint that turns adds its rate about its axis; with R and p the pose of a link in the one before it,"
    )
    document.equation(_here(w), row(R, up, op("+"), rate, _here(z)))
    document.equation(_here(dw), row(R, _up(dw), op("+"), R, up, x, rate, _here(z), op("+"), acceleration, _here(z)))
    document.equation(_here(dv), row(R, carried))
    if slides:
        document.text("A joint that slides does not turn the link, but adds to the acceleration of its origin")
        document.formula(row(number("2"), _here(w), x, rate, _here(z), op("+"), acceleration, _here(z)))
    centre = sub(r, row(ident("C"), ident("i")))
    at_centre = sub(dv, row(ident("C"), ident("i")))
    I = sub(ident("I"), row(ident("C"), ident("i")))
    document.text("The centre of mass, Newton's force and Euler's moment:")
    whirl = fenced(row(_here(w), x, centre))
    document.equation(at_centre, row(_here(dv), op("+"), _here(dw), x, centre, op("+"), _here(w), x, whirl))
    document.equation(_here(ident("F")), row(_here(ident("m")), at_centre))
    document.equation(_here(ident("N")), row(I, _here(dw), op("+"), _here(w), x, I, _here(w)))
    document.text(
        "Inward, each joint carries its own link and what the next joint hands on; the motor supplies the part about "
        "its axis if the joint turns, along it if it slides:"
    )
    nxt = row(ident("i"), op("+"), number("1"))
    Rn = sub(ident("R"), nxt)
    document.equation(_here(f), row(_here(ident("F")), op("+"), Rn, sub(f, nxt)))
    moved = row(Rn, sub(n, nxt), op("+"), sub(p, nxt), x, Rn, sub(f, nxt))
    document.equation(_here(n), row(_here(ident("N")), op("+"), centre, x, _here(ident("F")), op("+"), moved))
    t = ident("T")
    tau = _here(ident("tau"))
    turning = row(tau, op("="), sup(_here(n), t), _here(z))
    document.formula(row(turning, words(" or "), tau, op("="), sup(_here(f), t), _here(z)))


class Bodies(NamedTuple):
    """All of the recursion, vectors of each body along the axes of the frame on its joint's axis."""

    poses: list[Pose]
    motions: list[BodyState]
    carried: list[tuple[Any, Any]]


def _recursion(terms: Terms) -> Bodies:
    arm = terms.lifted
    joints = screws(arm, terms.at, terms.rate, terms.acceleration)
    T = poses_in_parent(arm, joints)
    motions = list(outward(arm, T, joints, motion_of_base(arm)))
    loads = [body_force(body.moments, motion) for body, motion in zip(arm.bodies, motions, strict=True)]
    return Bodies(T, motions, inward(arm, T, loads))


def newton_euler_document(eq: Equations) -> Document:
    """The whole derivation."""
    terms, sets = eq.terms, eq.typesetter
    arm = terms.lifted
    document = Document(f"{eq.robot.name}: equations of motion by Newton and Euler")
    document.text(
        "Outward from the base come velocities and accelerations of every link, inward from the tip the forces and "
        "moments that cause them. Each link has a frame on the axis of the joint that moves it, z along the axis; its "
        "vectors are along the axes of that frame. Gravity is a base that accelerates upwards."
    )
    document.heading("1. The recursion")
    _rules(document, any(not is_zero(b.joint.slide) for b in arm.bodies))
    found = _recursion(terms)
    document.heading("2. Outward")
    document.text("The base does not turn; its acceleration is")
    document.equation(_at(dotted(v, 1), "0"), sets.array(-np.array(arm.gravity, dtype=object)))
    for i, body in enumerate(arm.bodies):
        document.heading(f"Link {i + 1}: {body.name}", 3)
        if body.parent != i - 1:
            where = "the base" if body.parent == GROUND else f"link {body.parent + 1}"
            document.text(f"It is carried by {where}.")
        _outward(document, sets, i, body, found)
    document.heading("3. Inward")
    for i in reversed(range(len(arm.bodies))):
        document.heading(f"Link {i + 1}: {arm.bodies[i].name}", 3)
        moment, force = found.carried[i]
        _vector(document, sets, _at(f, str(i + 1)), force)
        _vector(document, sets, _at(n, str(i + 1)), moment)
    _efforts(document, eq)
    return document


def _vector(document: Document, sets: Any, left: Box, values: np.ndarray) -> None:
    """A vector, or its components that are not zero if it is too wide."""
    whole = sets.array(values, rates=True)
    if width(left) + width(whole) <= WIDEST:
        document.equation(left, whole)
        return
    base, index = left.inside
    for axis, value in zip("xyz", values, strict=True):
        if not is_zero(value):
            document.equation(sub(base, row(index, ident(axis))), sets.poly(value, rates=True))
    rest = [axis for axis, value in zip("xyz", values, strict=True) if is_zero(value)]
    if rest:
        document.text(f"The {' and '.join(rest)} component{'s vanish' if len(rest) > 1 else ' vanishes'}.")


def _outward(document: Document, sets: Any, i: int, body: Any, found: Bodies) -> None:
    k, pose, motion = str(i + 1), found.poses[i], found.motions[i]
    m, h, _ = body.moments
    centre = np.zeros(3, dtype=int) if is_zero(m) else h / m
    moment, force = body_force(body.moments, motion)
    at_centre = row(ident("C"), number(k))
    document.equation(_at(ident("R"), k), sets.array(pose.R))
    document.equation(_at(p, k), sets.array(pose.p))
    document.equation(sub(r, at_centre), sets.array(centre))
    for left, values in (
        (_at(w, k), motion.w),
        (_at(dotted(w, 1), k), motion.dw),
        (_at(dotted(v, 1), k), motion.dv),
        (sub(dotted(v, 1), at_centre), motion.dv + motion.U @ centre),
        (_at(ident("F"), k), force),
        (_at(ident("N"), k), moment - cross(centre, force)),
    ):
        _vector(document, sets, left, values)


def _efforts(document: Document, eq: Equations) -> None:
    document.heading("4. Equations of motion")
    rotors = any(not is_zero(b.joint.armature) for b in eq.terms.lifted.bodies)
    friction = any(b.joint.friction for b in eq.robot.bodies)
    extra = [x for x, there in (("rotors", rotors), ("friction", friction)) if there]
    document.text(
        "The parts about and along the axes are the efforts"
        + (f", with {' and '.join(extra)} added:" if extra else ":")
    )
    document.formula(*term_boxes(eq, "tau"))
    legend(document, eq, ("tau",))
    document.text("Check: " + str(eq.proof) + ".")
