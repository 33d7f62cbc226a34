"""The derivation by Newton and Euler: outward for motion, inward for forces, link by link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import (
    BodyState,
    body_force,
    inward,
    motion_of_base,
    outward,
    projected,
    rotor_efforts,
)  # fmt: skip
from steiner.formulas.naming import Results
from steiner.formulas.summary import legend_before, letter_table, term_boxes
from steiner.formulas.system import Equations
from steiner.formulas.terms import beyond
from steiner.model.tree import GROUND, Body, Tree
from steiner.scalar import is_zero
from steiner.spatial import Pose, cross
from steiner.text.document import Document
from steiner.text.layout import Box, dotted, fenced, ident, joined, number, op, row, sub, sup, words

Wrench6 = tuple[np.ndarray, np.ndarray]  # moment and force

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


def newton_euler_document(eq: Equations) -> Document:
    """The whole derivation; of long arms the entries of vectors go by their names."""
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
    if eq.letters:
        letter_table(document, eq)
    place = len(document.blocks)
    document.heading("2. Outward")
    document.text("The base does not turn; its acceleration is")
    document.equation(_at(dotted(v, 1), "0"), sets.array(-np.array(arm.gravity, dtype=object)))
    results = Results(eq, document)
    if results.names:
        example = row(_at(w, "2"), op("="), fenced(joined([_part(w, 2, axis) for axis in "xyz"], ",")))
        document.text(
            "Each vector is written down once. In what follows its entries go by its name, ", example, ", unless they "
            "are as short as a name themselves.",
        )  # fmt: skip
    joints = screws(arm, terms.at, terms.rate, terms.acceleration)
    T = poses_in_parent(arm, joints)
    motions, loads = [], []
    for i, body in enumerate(arm.bodies):
        document.heading(f"Link {i + 1}: {body.name}", 3)
        if body.parent != i - 1:
            where = "the base" if body.parent == GROUND else f"link {body.parent + 1}"
            document.text(f"It is carried by {where}.")
        up = motion_of_base(arm) if body.parent == GROUND else motions[body.parent]
        motion, load = _outward(results, i, body, T[i], next(outward(_alone(arm, i), [T[i]], [joints[i]], up)))
        motions.append(motion)
        loads.append(load)
    document.heading("3. Inward")
    carried = loads
    for i in reversed(range(len(arm.bodies))):
        document.heading(f"Link {i + 1}: {arm.bodies[i].name}", 3)
        family = [i, *(k for k, body in enumerate(arm.bodies) if body.parent == i)]
        poses, turns, wrenches = [T[k] for k in family], [joints[k] for k in family], [carried[k] for k in family]
        moment, force = inward(_alone(arm, *family), poses, turns, wrenches)[0]
        force = results.vector(_at(f, str(i + 1)), force)
        carried[i] = (results.vector(_at(n, str(i + 1)), moment), force)
    _efforts(document, eq, results, carried)
    legend_before(document, eq, place)
    return document


def _part(letter: Box, k: int, axis: str) -> Box:
    return sub(letter, row(number(str(k)), ident(axis)))


def _alone(arm: Tree, i: int, *children: int) -> Tree:
    """A body on the ground with those that it carries: one step of the recursion is the recursion on these."""
    bodies = [replace(arm.bodies[i], parent=GROUND), *(replace(arm.bodies[k], parent=0) for k in children)]
    return arm.replace(bodies=tuple(bodies))


def _outward(results: Results, i: int, body: Body, pose: Pose, motion: BodyState) -> tuple[BodyState, Wrench6]:
    """Writes the motion of a link and what gives it, and gives both by their names."""
    k, document, sets = str(i + 1), results.document, results.sets
    m, h, _ = body.moments
    centre = np.zeros(3, dtype=int) if is_zero(m) else h / m
    at_centre = row(ident("C"), number(k))
    document.equation(_at(ident("R"), k), sets.array(pose.R))
    document.equation(_at(p, k), sets.array(pose.p))
    document.equation(sub(r, at_centre), sets.array(centre))
    turning = results.vector(_at(w, k), motion.w), results.vector(_at(dotted(w, 1), k), motion.dw)
    motion = BodyState(*turning, results.vector(_at(dotted(v, 1), k), motion.dv))
    slung = results.vector(sub(dotted(v, 1), at_centre), motion.dv + motion.U @ centre)
    moment, force = body_force(body.moments, motion)
    moment = moment - cross(centre, force)
    force = results.vector(_at(ident("F"), k), m * slung if results.names else force)
    moment = results.vector(_at(ident("N"), k), moment)
    return motion, (moment + cross(centre, force), force)


def _efforts(document: Document, eq: Equations, results: Results, carried: list[Wrench6]) -> None:
    document.heading("4. Equations of motion")
    arm, terms = eq.terms.lifted, eq.terms
    rotors = any(not is_zero(b.joint.armature) for b in arm.bodies)
    more = beyond(eq.robot)
    extra = [x for x, there in (("rotors", rotors), ("springs", "S" in more), ("friction", "F" in more)) if there]
    document.text(
        "The parts about and along the axes are the efforts"
        + (f", with {' and '.join(filter(None, (', '.join(extra[:-1]), extra[-1])))} added:" if extra else ":")
    )
    if results.names:
        parts = projected(arm, carried), rotor_efforts(arm, terms.acceleration), terms.S, terms.F
        for k, efforts in enumerate(zip(*parts, strict=True), 1):
            results.sum(_at(ident("tau"), str(k)), *efforts)
    else:
        document.formula(*term_boxes(eq, "tau"))
        if eq.typesetter.h:
            document.text("with ", eq.typesetter.definition_of_h, ".")
    document.text("Check: " + str(eq.proof) + ".")
