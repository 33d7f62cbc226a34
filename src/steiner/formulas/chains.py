"""Lagrange's equations of long arms: the same texts as of short ones, run on the names of what came before."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.energy import spring_energies
from steiner.dynamics.kinematics import chain, poses_in_parent, screws
from steiner.dynamics.lagrange import (
    Column,
    Ray,
    Solid,
    columns,
    drift,
    gravity_of,
    mass_matrix_of,
    rays_at,
    solids_at,
    velocity_forces_of,
    whirled,
)  # fmt: skip
from steiner.formulas.naming import Results
from steiner.formulas.system import Equations
from steiner.formulas.terms import beyond
from steiner.model.tree import GROUND
from steiner.scalar import is_zero, total
from steiner.spatial import ZERO, Pose
from steiner.text.document import Document
from steiner.text.layout import Box, dotted, fenced, frac, ident, number, op, row, sub, sup, vector, words

i, k, T = ident("i"), ident("k"), ident("T")
w, z, q = ident("omega"), ident("z"), ident("q")
qd, qdd = dotted(q, 1), dotted(q, 2)
J = ident("J")
moving, turning = sub(J, row(ident("v"), i)), sub(J, row(ident("omega"), i))
tensor = sub(ident("I"), row(ident("C"), i))


class Moved(NamedTuple):
    """A link or payload that moves: its number on the page, its body, where it is."""

    number: int
    body: int
    solid: Solid


def _at(letter: Box, *index: Any) -> Box:
    parts = [number(str(x)) if isinstance(x, int) else x if isinstance(x, Box) else ident(x) for x in index]
    return sub(letter, row(*parts))


def by_names(document: Document, eq: Equations) -> None:
    """Frames, centres, Jacobians, M, V, G and τ, each entry defined once."""
    arm, results = eq.terms.lifted, Results(eq, document)
    rays, moved = _places(results, eq)
    jacobians = _jacobians(results, moved)
    document.heading("4. Kinetic energy and mass matrix")
    half, m = frac(number("1"), number("2")), sub(ident("m"), i)
    document.text("Each body has the energy of its centre's motion and of its turning:")
    document.formula(
        row(ident("K"), op("="), half, sup(qd, T), ident("M"), qd, op(","), op("quad"), ident("M"), op("="),
            sub(op("Σ"), i),
            fenced(row(m, sup(moving, T), moving, op("+"), sup(turning, T), tensor, turning)))
    )  # fmt: skip
    found = [x.solid for x in moved]
    M = mass_matrix_of(arm, found, jacobians)
    for a, b in np.ndindex(*M.shape):
        if a <= b:
            M[a, b] = M[b, a] = results.scalar(_at(ident("m"), number(f"{a + 1}{b + 1}")), M[a, b])
    document.text("and M is symmetric.")
    V = _velocity(results, eq, rays, moved, jacobians)
    G = _gravity(results, eq, found, jacobians)
    document.heading("7. Equations of motion")
    for a, parts in enumerate(zip(M @ eq.terms.acceleration, V, G, eq.terms.S, eq.terms.F, strict=True), 1):
        results.sum(_at(ident("tau"), a), *parts)
    document.text("Check: " + str(eq.proof) + ".")


def _places(results: Results, eq: Equations) -> tuple[list[Ray], list[Moved]]:
    arm, document, sets = eq.terms.lifted, results.document, results.sets
    document.heading("2. Frames")
    document.text(
        "Each link has a frame on the axis of its joint, z along the axis. Rotation and origin of each in the one that "
        "carries it, and in the base; from here on the entries of what is written down go by its name."
    )
    joints = screws(arm, eq.terms.at)
    world: list[Pose] = []
    for n, (body, pose) in enumerate(zip(arm.bodies, poses_in_parent(arm, joints), strict=True), 1):
        if body.parent != GROUND:
            inside = sub(sup(words(""), number(str(body.parent + 1))), row())
            document.equation(row(inside, _at(ident("R"), n)), sets.array(pose.R))
            document.equation(row(inside, _at(ident("p"), n)), sets.array(pose.p))
        seen = pose if body.parent == GROUND else world[body.parent] @ pose
        R = results.matrix(_at(ident("R"), n), _at(ident("r"), n), seen.R)
        world.append(Pose.trusted(R, results.vector(_at(ident("p"), n), seen.p, moves=False)))
        results.vector(_at(z, n), R[:, 2], moves=False)
    document.heading("3. Centres of mass and their Jacobians")
    document.text("Centres of mass and tensors about them, in the base:")
    rays, moved = rays_at(arm, world, joints), list[Moved]()
    loads = [load for load in arm.loads if arm.places[load.link].body != GROUND]
    for load, solid in zip(loads, solids_at(arm, world, rays), strict=True):
        if not is_zero(load.body.mass) or any(not is_zero(x) for x in load.body.inertia.ravel()):
            n = len(moved) + 1
            c = results.vector(_at(ident("p"), "C", n), solid.c, moves=False)
            I = results.matrix(_at(ident("I"), "C", n), _at(ident("I"), "C", n), solid.I)
            moved.append(Moved(n, arm.places[load.link].body, solid._replace(c=c, I=I)))
    return rays, moved


def _jacobians(results: Results, moved: list[Moved]) -> list[list[Column]]:
    document = results.document
    arm = fenced(row(sub(ident("p"), row(ident("C"), i)), op("-"), sub(ident("p"), k)))
    document.text(
        "How they move with the coordinates: column k of ", turning, " is ", sub(z, k), " if joint k turns and zero if "
        "it slides; column k of ", moving, " is ", row(sub(z, k), op("×"), arm), " or ", sub(z, k), ".",
    )  # fmt: skip
    result = []
    for n, _, solid in moved:
        found = []
        for ray, (about, along) in zip(solid.rays, columns(solid), strict=True):
            left = _at(J, "v", n, op(","), ray.column + 1)
            found.append((about, results.vector(left, along, moves=False)))
        result.append(found)
    return result


def _velocity(
    results: Results, eq: Equations, rays: list[Ray], moved: list[Moved], jacobians: list[list[Column]]
) -> np.ndarray:
    arm, document, rate = eq.terms.lifted, results.document, eq.terms.rate
    document.heading("5. Centrifugal and Coriolis efforts")
    _rules(document)
    spin: dict[int, tuple[np.ndarray, np.ndarray]] = {GROUND: (ZERO, ZERO)}
    for n, (body, ray) in enumerate(zip(arm.bodies, rays, strict=True)):
        before, drifted = spin[body.parent]
        behind, share, _ = drift(before, (ray.turn * ray.z, ZERO), rate[ray.column])
        behind = results.vector(_at(w, n + 1), behind)
        spin[n] = behind, results.vector(_at(ident("alpha"), n + 1), drifted + share)
    costs = []
    for (n, body, solid), found in zip(moved, jacobians, strict=True):
        steps = zip(chain(arm, body), solid.rays, found, strict=True)
        slips = [drift(spin[arm.bodies[j].parent][0], column, rate[ray.column])[2] for j, ray, column in steps]
        slip = results.vector(_at(ident("gamma"), n), total(slips))
        costs.append((results.vector(_at(ident("N"), n), whirled(solid, *spin[body])), slip))
    V = velocity_forces_of(arm, [x.solid for x in moved], jacobians, costs)
    document.text("Together:")
    return np.array([results.scalar(_at(ident("V"), a), x, moves=True) for a, x in enumerate(V, 1)], dtype=object)


def _rules(document: Document) -> None:
    """Lagrange's equation of one coordinate, body by body, before it is applied."""
    slip, spin = sub(ident("gamma"), i), sub(ident("alpha"), i)
    left = row(
        frac(ident("d"), row(ident("d"), ident("t"))), frac(row(op("∂"), ident("K")), row(op("∂"), sub(qd, k))),
        op("-"), frac(row(op("∂"), ident("K")), row(op("∂"), sub(q, k))),
    )  # fmt: skip
    m, about = sub(ident("m"), i), sub(w, i)
    column, axis = sub(J, row(ident("v"), i, op(","), k)), sub(J, row(ident("omega"), i, op(","), k))
    pushed = fenced(row(moving, qdd, op("+"), slip))
    turned = fenced(
        row(tensor, fenced(row(turning, qdd, op("+"), spin)), op("+"), about, op("×"), tensor, about)
    )
    document.text(
        "A column of the Jacobians is the slope of a velocity by a rate, and its own rate is the slope of that "
        "velocity by the coordinate. So Lagrange's left side is, body by body,"
    )
    document.formula(
        row(left, op("="), sub(op("Σ"), i), fenced(row(m, sup(column, T), pushed, op("+"), sup(axis, T), turned)))
    )
    one = row(k, op("-"), number("1"))
    document.text("What remains without accelerations are the velocity terms. With the links' angular velocities,")
    document.equation(sub(w, k), row(sub(w, one), op("+"), sub(z, k), sub(qd, k)))
    document.text("(no second term if joint k slides), the columns change at the rates")
    before, both = sub(w, one), fenced(row(sub(w, one), op("+"), sub(w, k)))
    sums = sub(op("Σ"), k)
    for left, letter, carrier, changed in ((spin, "omega", before, axis), (slip, "v", both, column)):
        rate = row(sub(dotted(J, 1), row(ident(letter), i)), qd)
        document.formula(row(left, op("="), rate, op("="), sums, carrier, op("×"), changed, sub(qd, k)))
    document.text("and turning costs the moment")
    document.equation(sub(ident("N"), i), row(tensor, spin, op("+"), about, op("×"), tensor, about))


def stretched_springs(document: Document, eq: Equations) -> None:
    """What the springs of the joints store, one by one."""
    sets, half = eq.typesetter, frac(number("1"), number("2"))
    away = sup(fenced(row(ident("x"), op("-"), sub(ident("x"), number("0")))), number("2"))
    document.text("The springs of the joints store ", row(half, ident("k"), away), " each, x being the joint's value:")
    energies = zip(eq.terms.lifted.bodies, spring_energies(eq.terms.lifted, eq.terms.at), strict=True)
    for body, energy in energies:
        if not is_zero(body.joint.stiffness):
            document.equation(sub(ident("P"), words(body.joint.name)), sets.poly(energy))


def _gravity(results: Results, eq: Equations, found: list[Solid], jacobians: list[list[Column]]) -> np.ndarray:
    arm, document = eq.terms.lifted, results.document
    document.heading("6. Potential energy and gravity")
    m, c, g = sub(ident("m"), i), sub(ident("p"), row(ident("C"), i)), vector("g")
    column = sub(J, row(ident("v"), i, op(","), k))
    document.text("Gravity pulls at each centre of mass, and a Jacobian is the slope of a centre:")
    document.formula(
        row(ident("P"), op("="), op("-"), sub(op("Σ"), i), m, sup(g, T), c, op(","), op("quad"), sub(ident("G"), k),
            op("="), frac(row(op("∂"), ident("P")), row(op("∂"), sub(q, k))), op("="), op("-"), sub(op("Σ"), i), m,
            sup(g, T), column)
    )  # fmt: skip
    if "S" in beyond(eq.robot):
        stretched_springs(document, eq)
        document.text("whose slopes S are added below.")
    G = gravity_of(arm, found, jacobians)
    return np.array([results.scalar(_at(ident("G"), a), x) for a, x in enumerate(G, 1)], dtype=object)
