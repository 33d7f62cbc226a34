"""Derivations step by step, as one writes them: by Lagrange from the energies, by Newton and Euler link by link."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner import dynamics
from steiner.dynamics.lagrange import Solid, columns, solids
from steiner.formulas.chains import by_names, stretched_springs
from steiner.formulas.summary import legend_before, letter_table, term_boxes
from steiner.formulas.system import Equations
from steiner.formulas.terms import beyond
from steiner.model.tree import GROUND
from steiner.scalar import is_zero
from steiner.text.document import Document, equation
from steiner.text.layout import (
    Box,
    dotted,
    fenced,
    frac,
    ident,
    matrix,
    number,
    op,
    row,
    sub,
    sup,
    vector,
    width,
    words,
)


class Carried(NamedTuple):
    """A link or payload that moves and has mass."""

    number: int
    name: str
    body: Any  # lifted mass properties
    solid: Solid


def _bodies(eq: Equations) -> list[Carried]:
    arm = eq.terms.lifted
    moving = [(k.payload or k.link, k.body) for k in arm.loads if arm.places[k.link].body != GROUND]
    found = []
    for (name, body), solid in zip(moving, solids(arm, eq.terms.at), strict=True):
        if not is_zero(body.mass) or any(not is_zero(x) for x in body.inertia.ravel()):
            found.append(Carried(len(found) + 1, name, body, solid))
    return found


def _indexed(letters: str, index: int | str) -> Box:
    return sub(ident(letters), ident(index) if isinstance(index, str) else number(str(index)))


def _centre(i: int) -> Box:
    return sub(ident("p"), row(ident("C"), number(str(i))))


def _linear(i: int) -> Box:
    return sub(ident("J"), row(ident("v"), number(str(i))))


def _turning(i: int) -> Box:
    return sub(ident("J"), row(ident("omega"), number(str(i))))


def lagrange(eq: Equations) -> Document:
    """Frames, centres, Jacobians, kinetic energy, M, Christoffel symbols, V, potential energy, G, the equations."""
    document = Document(f"{eq.robot.name}: equations of motion by Lagrange")
    document.text(
        "The Lagrangian is the kinetic minus the potential energy; each coordinate gives one equation. Links are taken "
        "one by one, their centres of mass differentiated, and the energies collected into a mass matrix."
    )
    L = row(ident("L"), op("="), ident("K"), op("-"), ident("P"))
    slope = row(frac(ident("d"), row(ident("d"), ident("t"))), frac(_d("L"), _d(dotted(ident("q"), 1), "i")))
    document.formula(
        row(L, op(","), op("quad"), slope, op("-"), frac(_d("L"), _d(ident("q"), "i")), op("="), _indexed("tau", "i"))
    )
    bodies = _bodies(eq)
    _the_arm(document, eq, bodies)
    if eq.letters:
        letter_table(document, eq)
    place = len(document.blocks)
    if not eq.is_closed:
        by_names(document, eq)
    else:
        _frames(document, eq)
        _centres(document, eq, bodies)
        _kinetic(document, eq, bodies)
        _velocity(document, eq)
        _potential(document, eq, bodies)
        _motion(document, eq)
    legend_before(document, eq, place)
    return document


def _d(x: Box | str, index: str = "") -> Box:
    box = ident(x) if isinstance(x, str) else x
    return row(op("∂"), sub(box, ident(index)) if index else box)


def _the_arm(document: Document, eq: Equations, bodies: list[Carried]) -> None:
    sets = eq.typesetter
    document.heading("1. The arm")
    kinds = {1: "turns", 0: "slides"}
    rows = []
    for body in eq.robot.bodies:
        kind = (
            kinds[0] if is_zero(body.joint.turn) else "turns and slides" if not is_zero(body.joint.slide) else kinds[1]
        )
        axis = eq.terms.exact.joint(body.joint.name).axis
        rows.append([body.joint.name, kind, sets.array(np.array([axis])), sets.q(body.index), body.name])
    document.table(["joint", "kind", "axis, in the joint's frame", "coordinate", "moves"], rows)
    document.text("The bodies: mass, centre of mass and tensor about it, along the axes of each link's own frame.")
    rows = []
    for k, name, body, _ in bodies:
        tensor = sets.array(body.inertia)
        if all(is_zero(body.inertia[i, j]) for i in range(3) for j in range(3) if i != j):
            tensor = row(words("diag"), fenced(_listed([sets.poly(body.inertia[i, i]) for i in range(3)])))
        rows.append([number(str(k)), name, sets.poly(body.mass), sets.array(body.com), tensor])
    document.table(["i", "body", "mass", "centre of mass", "tensor"], rows)
    gravity = sets.array(np.array(eq.terms.lifted.gravity, dtype=object))
    document.text(
        "Gravity accelerates everything that falls by ",
        row(vector("g"), op("="), gravity),
        ", along the axes of the base.",
    )


def _listed(boxes: list[Box]) -> Box:
    parts: list[Box] = []
    for k, box in enumerate(boxes):
        parts += [op(","), box] if k else [box]
    return row(*parts)


def _frames(document: Document, eq: Equations) -> None:
    terms, sets = eq.terms, eq.typesetter
    arm = terms.exact
    document.heading("2. Frames")
    document.text(
        "Each joint moves the frame of its link. The homogeneous matrices from each frame to the one before it:"
    )
    moving = [link for link in arm.links if link.joint.moves]
    values = {b.joint.name: b.joint.multiplier * terms.at[b.index] + b.joint.offset for b in arm.bodies}
    seats: dict[str, Any] = {}
    for link in arm.links:
        up = seats.get(link.parent or "")
        pose = link.mount
        for screw in link.joint.screws():
            pose = pose @ screw.pose(values[screw.name])
        pose = pose @ link.origin
        seats[link.name] = pose if up is None or arm.link(link.parent or "").joint.moves else up @ pose
    order = {link.name: arm.places[link.name].body + 1 for link in moving}
    for link in moving:
        before = link.parent
        while before is not None and before not in order:
            before = arm.link(before).parent
        left = sub(sup(row(words("")), number(str(order.get(before or "", 0)))), row())
        head = row(left, sub(ident("T"), number(str(order[link.name]))))
        document.equation(head, sets.array(seats[link.name].matrix))
    if len(moving) > 1:
        document.text("Multiplied, they give the frames in the base:")
        world = dynamics.forward_kinematics(arm, terms.at)
        for link in moving[1:]:
            left = sub(sup(row(words("")), number("0")), row())
            pose: Any = world[link.name]  # pyright: ignore[reportIndexIssue]
            document.equation(row(left, sub(ident("T"), number(str(order[link.name])))), sets.array(pose.matrix))


def _centres(document: Document, eq: Equations, bodies: list[Carried]) -> None:
    sets, n = eq.typesetter, eq.robot.n
    document.heading("3. Centres of mass and their Jacobians")
    document.text("The centres of mass, in the base:")
    for b in bodies:
        document.equation(_centre(b.number), sets.array(b.solid.c))
    document.text(
        "How they move with the coordinates: ", sub(ident("J"), row(ident("v"), ident("i"))),
        " by differentiation. How the links turn: ",
        sub(ident("J"), row(ident("omega"), ident("i"))),
        " has one column per joint that carries the link, its axis if it turns, zero if it slides.",
    )  # fmt: skip
    for b in bodies:
        Jw, Jv = _jacobians(b, n)
        document.equation(row(_linear(b.number), op("="), frac(_d(_centre(b.number)), _d("q"))), sets.array(Jv))
        document.equation(_turning(b.number), sets.array(Jw))


def _jacobians(b: Carried, n: int) -> tuple[np.ndarray, np.ndarray]:
    Jw, Jv = np.zeros((3, n), dtype=object), np.zeros((3, n), dtype=object)
    for ray, (w, v) in zip(b.solid.rays, columns(b.solid), strict=True):
        Jw[:, ray.column], Jv[:, ray.column] = Jw[:, ray.column] + w, Jv[:, ray.column] + v
    return Jw, Jv


def _kinetic(document: Document, eq: Equations, bodies: list[Carried]) -> None:
    sets, n = eq.typesetter, eq.robot.n
    document.heading("4. Kinetic energy and mass matrix")
    half, i = frac(number("1"), number("2")), ident("i")
    m, v, w = sub(ident("m"), i), sub(ident("v"), row(ident("C"), i)), sub(ident("omega"), i)
    inertia = sub(ident("I"), row(ident("C"), i))
    document.text(
        "Each body has the energy of its centre's motion and of its turning; with the Jacobians that is a quadratic "
        "form of the rates:"
    )
    document.equation(
        sub(ident("K"), i),
        row(half, m, sup(v, ident("T")), v, op("+"), half, sup(w, ident("T")), inertia, w),
    )
    Jv, Jw = sub(ident("J"), row(ident("v"), i)), sub(ident("J"), row(ident("omega"), i))
    rate = dotted(ident("q"), 1)
    document.formula(
        row(ident("K"), op("="), half, sup(rate, ident("T")), ident("M"), rate, op(","), op("quad"),
            ident("M"), op("="), sub(op("Σ"), i),
            fenced(row(m, sup(Jv, ident("T")), Jv, op("+"), sup(Jw, ident("T")), inertia, Jw)))
    )  # fmt: skip
    document.text("What each body adds:")
    for b in bodies:
        turning, moving = _jacobians(b, n)
        k = number(str(b.number))
        left = row(sub(ident("m"), k), sup(_linear(b.number), ident("T")), _linear(b.number))
        _product(document, eq, left, b.solid.m * (moving.T @ moving))
        left = row(sup(_turning(b.number), ident("T")), sub(ident("I"), row(ident("C"), k)), _turning(b.number))
        _product(document, eq, left, turning.T @ b.solid.I @ turning)
    rotors = [x for x in eq.terms.lifted.bodies if not is_zero(x.joint.armature)]
    if rotors:
        document.text(
            "The reflected inertias of the rotors add to the diagonal: ",
            _listed([sets.poly(x.joint.armature) for x in rotors]),
            ".",
        )
    document.text("The sum is the mass matrix:")
    document.formula(*term_boxes(eq, "M"))
    document.text("and the kinetic energy:")
    document.formula(*term_boxes(eq, "K"))


def _product(document: Document, eq: Equations, left: Box, values: np.ndarray) -> None:
    """An n×n contribution: as a matrix, or entry by entry if that is too wide."""
    sets = eq.typesetter
    if all(is_zero(x) for x in values.ravel()):
        document.equation(left, number("0"))
        return
    whole = equation(left, sets.array(values))
    if width(whole) <= 110:
        document.formula(whole)
        return
    document.text("The entries of ", left, ":")
    n = len(values)
    for i in range(n):
        for j in range(i, n):
            document.equation(sub(fenced(left), number(f"{i + 1}{j + 1}")), sets.poly(values[i, j]))


def _velocity(document: Document, eq: Equations) -> None:
    terms, sets, n = eq.terms, eq.typesetter, eq.robot.n
    document.heading("5. Centrifugal and Coriolis efforts")
    ijk = row(ident("i"), ident("j"), ident("k"))
    document.text("How M changes with the coordinates", *([", with ", sets.definition_of_h] if sets.h else []), ":")
    found = 0
    for i in range(n):
        for j in range(i, n):
            for k in range(n):
                if not is_zero(terms.slopes[i, j, k]):
                    found += 1
                    left = frac(row(op("∂"), sub(ident("m"), number(f"{i + 1}{j + 1}"))), row(op("∂"), sets.q(k)))
                    document.equation(left, sets.poly(terms.slopes[i, j, k]))
    if not found:
        document.text("Not at all: M is constant, so all velocity terms vanish, V = 0.")
        document.formula(*term_boxes(eq, "V"))
        return
    document.text("All others vanish." if found else "")
    half = frac(number("1"), number("2"))

    def slope(a: str, b: str) -> Box:
        return frac(row(op("∂"), sub(ident("m"), row(*(ident(x) for x in a)))), _d("q", b))

    document.text("From these the Christoffel symbols,")
    bracket = fenced(row(slope("ij", "k"), op("+"), slope("ik", "j"), op("-"), slope("jk", "i")))
    document.equation(sub(ident("b"), ijk), row(half, bracket))
    document.formula(*term_boxes(eq, "christoffel"))
    document.text(
        "Those with equal rates make the centrifugal matrix C, those with two different ones, taken twice, the "
        "Coriolis matrix B:"
    )
    document.formula(*term_boxes(eq, "centrifugal"))
    if n > 1:
        document.formula(*term_boxes(eq, "coriolis"))
    qd = dotted(ident("q"), 1)
    squares, pairs = sup(sub(qd, ident("j")), number("2")), row(sub(qd, ident("j")), sub(qd, ident("k")))
    document.text("so that the velocity terms are")
    document.formula(row(ident("V"), op("="), ident("C"), matrix([[squares]]), op("+"), ident("B"), matrix([[pairs]])))
    document.formula(*term_boxes(eq, "V"))


def _potential(document: Document, eq: Equations, bodies: list[Carried]) -> None:
    sets = eq.typesetter
    springs = "S" in beyond(eq.robot)
    document.heading("6. Potential energy, gravity and springs" if springs else "6. Potential energy and gravity")
    i = ident("i")
    document.text("Heights are measured from the base; gravity pulls at each centre of mass:")
    weight = [sub(ident("m"), i), sup(vector("g"), ident("T")), sub(ident("p"), row(ident("C"), i))]
    if springs:
        document.equation(_indexed("P", "i"), row(op("-"), *weight))
    else:
        document.equation(ident("P"), row(op("-"), sub(op("Σ"), i), *weight))
    for b in bodies:
        share = -b.solid.m * (np.array(eq.terms.lifted.gravity, dtype=object) @ b.solid.c)
        document.equation(_indexed("P", b.number), sets.poly(share))
    if springs:
        stretched_springs(document, eq)
    document.formula(*term_boxes(eq, "P"))
    held = row(sub(ident("G"), i), op("+"), sub(ident("S"), i)) if springs else sub(ident("G"), i)
    document.text("Its slopes are the efforts that hold the arm" + (":" if springs else " up:"))
    document.equation(held, frac(_d("P"), _d("q", "i")))
    document.formula(*term_boxes(eq, "G"))
    if springs:
        document.formula(*term_boxes(eq, "S"))


def _motion(document: Document, eq: Equations) -> None:
    document.heading("7. Equations of motion")
    qdd, more = dotted(ident("q"), 2), beyond(eq.robot)
    parts = [ident("tau"), op("="), ident("M"), qdd, op("+"), ident("V"), op("+"), ident("G")]
    document.formula(row(*parts, *(x for letter in more for x in (op("+"), ident(letter)))))
    if "F" in more:
        document.text("with the friction of the joints")
        document.formula(*term_boxes(eq, "F"))
    document.formula(*term_boxes(eq, "tau"))
    document.text("Check: " + str(eq.proof) + ".")
