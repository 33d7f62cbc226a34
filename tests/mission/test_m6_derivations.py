"""M6: derivations of arms of up to seven joints; both sides of every printed line are evaluated.

The left side is what the algorithm gives on floats, the right side what stands on the page, read with the numbers of
the names before it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from unittest.mock import patch
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import printed
import steiner as st
from steiner import dynamics
from steiner.dynamics.kinematics import poses_in_parent, poses_in_world, screws
from steiner.dynamics.lagrange import columns, solids
from steiner.dynamics.newton_euler import body_force, inward, motion_of_base, outward
from steiner.formulas.examples import EXAMPLES
from steiner.formulas.letters import lumped
from steiner.formulas.system import Equations
from steiner.formulas.terms import symbols_of
from steiner.formulas.typeset import Typesetter, name_box
from steiner.spatial import cross
from steiner.text.layout import frac, ident, latex, number, op, row, sub

ARMS = ["puma560", "stanford", "ur5", "panda", "scara"]
METHODS = ["lagrange", "newton-euler"]
AXES = "xyz"


@cache
def derived(arm, method):
    with patch.object(Equations, "proof", "not asked for"):  # it takes longer than the rest
        return st.equations(st.load(f"gallery:{arm}")).derivation(method)


class Numbers(dict):
    """Numbers by what stands for them on the page; entries of vectors and matrices too."""

    def vector(self, name, values):
        base, index = re.fullmatch(r"(.*)_\{(.*)\}", name).groups()
        values = np.asarray(values, dtype=float)
        self[name] = values
        self.update({f"{base}_{{{index} {axis}}}": x for axis, x in zip(AXES, values, strict=True)})

    def matrix(self, name, small, values):
        base, index = re.fullmatch(r"(.*)_\{(.*)\}", small).groups()
        values = np.asarray(values, dtype=float)
        self[name] = values
        self.update({f"{base}_{{{index}, {i + 1}{j + 1}}}": values[i, j] for i, j in np.ndindex(*values.shape)})


@cache
def state(n):
    return np.random.default_rng(6).uniform(-1, 1, (3, n))


def given(robot, twin, values, document):
    """Letters, coordinates, rates, and the sines and cosines of the legend."""
    known = Numbers({latex(name_box(s.name)).strip(): float(x) for s, x in values.items()})
    sets = Typesetter(st.equations(twin).terms)
    for k, moving in enumerate(zip(*state(robot.n), strict=True)):
        known.update({latex(sets.q(k, dots)).strip(): float(x) for dots, x in enumerate(moving)})
    told = [b.content for b in document.blocks if b.kind == "text"]
    legends = [box for words in told if words[0] == "Here " for box in words[2::2]]
    for box in [*legends, *(sets.definition_of_h for words in told if sets.h and sets.definition_of_h in words)]:
        left, right = box.inside[0], list(box.inside[2:])
        known[latex(left).strip()] = printed.value([t for part in right for t in printed.tokens(part)], known)
    return known


def by_newton_and_euler(robot, tree, known):
    """ω, ω̇, v̇, v̇_C, F, N, f, n of every link by the recursion on floats."""
    q, qd, qdd = state(robot.n)
    joints = screws(tree, q, qd, qdd)
    T = poses_in_parent(tree, joints)
    motions = list(outward(tree, T, joints, motion_of_base(tree)))
    loads = [body_force(b.moments, m) for b, m in zip(tree.bodies, motions, strict=True)]
    known.vector(r"\dot{v}_{0}", -np.asarray(tree.gravity))
    carried = inward(tree, T, joints, loads)
    for k, (body, motion, (n, f)) in enumerate(zip(tree.bodies, motions, carried, strict=True), 1):
        m, h, _ = body.moments
        c = np.zeros(3) if m == 0 else np.asarray(h, dtype=float) / m
        moment, force = body_force(body.moments, motion)
        known.matrix(f"R_{{{k}}}", f"R_{{{k}}}", T[k - 1].R)
        known.vector(f"p_{{{k}}}", T[k - 1].p)
        known.vector(f"r_{{C {k}}}", c)
        for name, x in ((r"\omega", motion.w), (r"\dot{\omega}", motion.dw), (r"\dot{v}", motion.dv)):
            known.vector(f"{name}_{{{k}}}", x)
        known.vector(rf"\dot{{v}}_{{C {k}}}", motion.dv + motion.U @ c)
        known.vector(f"F_{{{k}}}", force)
        known.vector(f"N_{{{k}}}", moment - cross(c, force))
        known.vector(f"f_{{{k}}}", f)
        known.vector(f"n_{{{k}}}", n)


def by_lagrange(robot, tree, known):
    """Frames, centres, tensors and Jacobians on floats; M, V, G and what turns and slips by other algorithms."""
    q, qd, _ = state(robot.n)
    joints = screws(tree, q)
    T = poses_in_parent(tree, joints)
    world = poses_in_world(tree, T)
    still = np.zeros(robot.n)
    drifting = dynamics.newton_euler(tree.weightless(), q, qd, still)
    for k, (body, inside, pose) in enumerate(zip(tree.bodies, T, world, strict=True), 1):
        if body.parent >= 0:
            before = rf"{{{{\text{{}}}}^{{{body.parent + 1}}}}}_{{}}"
            known[f"{before}R_{{{k}}}"], known[f"{before}p_{{{k}}}"] = inside.R.astype(float), inside.p.astype(float)
        known.matrix(f"R_{{{k}}}", f"r_{{{k}}}", pose.R)
        known.vector(f"p_{{{k}}}", pose.p)
        known.vector(f"z_{{{k}}}", pose.R[:, 2])
        turned = pose.R.astype(float) @ body.frame.R.astype(float)
        known.vector(rf"\omega_{{{k}}}", turned @ drifting.angular_velocity[k - 1])
        known.vector(rf"\alpha_{{{k}}}", turned @ drifting.angular_acceleration[k - 1])
        known.vector(rf"\gamma_{{{k}}}", turned @ drifting.com_acceleration[k - 1])
        known.vector(f"N_{{{k}}}", turned @ drifting.moment[k - 1])
    for k, solid in enumerate(solids(tree, q), 1):
        known.vector(f"p_{{C {k}}}", solid.c)
        known.matrix(f"I_{{C {k}}}", f"I_{{C {k}}}", solid.I)
        for ray, (_, v) in zip(solid.rays, columns(solid), strict=True):
            known.vector(f"J_{{v {k}, {ray.column + 1}}}", v)
    M, V, G = robot.mass_matrix(q), robot.velocity_forces(q, qd), robot.gravity_forces(q)
    known.update({f"m_{{{i + 1}{j + 1}}}": M[i, j] for i, j in np.ndindex(*M.shape)})
    known.update({f"V_{{{i}}}": x for i, x in enumerate(V, 1)} | {f"G_{{{i}}}": x for i, x in enumerate(G, 1)})


BY = {"lagrange": by_lagrange, "newton-euler": by_newton_and_euler}
GENERAL = re.compile(r"(_\{[^}]*\b[ik]\b)|^[LKMP]|\\vec")  # rules for any link, told before they are applied


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("arm", ARMS)
def test_M6_both_sides_of_every_printed_line_are_equal(arm, method):
    robot = st.load(f"gallery:{arm}")
    twin = lumped(robot)
    tree = twin.robot.mapped(lambda x: float(x.xreplace(twin.values)) if hasattr(x, "xreplace") else x).tree
    document = derived(arm, method)
    known = given(robot, twin.robot, twin.values, document)
    BY[method](robot, tree, known)
    known.update({rf"\tau_{{{k}}}": x for k, x in enumerate(robot.inverse_dynamics(*state(robot.n)), 1)})
    compared = defined = 0
    seen = set()
    for left, *rights in printed.sides(document):
        name = printed.written(left)
        if GENERAL.search(name) or (rights and any(GENERAL.search(printed.written(r)) for r in rights)):
            continue
        assert name not in seen, f"{name} is defined twice"
        seen.add(name)
        wanted = known[name]
        for right in rights:
            found = printed.value(right, known)
            scale = max(1.0, np.abs(wanted).max())
            assert np.shape(found) == np.shape(wanted) or not np.any(found), name
            digits = 2e-5 if "tau" in name else 1e-9  # coefficients of friction are printed with six
            assert np.abs(found - wanted).max() < digits * scale, f"{name}: {found} is not {wanted}"
            compared += 1
        defined += 1
    lines = {"newton-euler": 9 + 2, "lagrange": 9}[method] * robot.n + robot.n
    assert compared >= lines, "lines are missing"
    assert all(rf"\tau_{{{k + 1}}}" in seen for k in range(robot.n))


@pytest.mark.parametrize("method", METHODS)
def test_M6_names_are_known_before_they_are_used(method):
    """A line that is read with nothing but the lines above it."""
    robot = st.load("gallery:puma560")
    twin = lumped(robot)
    document = derived("puma560", method)
    known = given(robot, twin.robot, twin.values, document)
    for left, *rights in printed.sides(document):
        name = printed.written(left)
        if GENERAL.search(name) or any(GENERAL.search(printed.written(r)) for r in rights):
            continue
        found = printed.value(rights[-1], known)
        small = name.replace("R_", "r_") if method == "lagrange" else name
        if np.ndim(found) == 1:
            known.vector(name, found)
        elif np.ndim(found) == 2:
            known.matrix(name, small, found)
        else:
            known[name] = found
            i, j = (re.match(r"I_\{C (\d), (\d)(\d)\}", name) or re.match(r"(.)(.)(.)", "   ")).groups()[1:]
            if i.strip():
                known[name.replace(f"{i}{j}}}", f"{j}{i}}}")] = found
    tau = [known[rf"\tau_{{{k + 1}}}"] for k in range(robot.n)]
    assert tau == pytest.approx(robot.inverse_dynamics(*state(robot.n)), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_M6_three_joints_are_still_written_out(method):
    document = st.equations(st.load("gallery:planar3"), symbols=True).derivation(method)
    assert "symbolic identity" in document.markdown() and "c_{123}" in document.markdown()


def test_M6_a_book_is_refused():
    rows = [st.DH(a=0.3, alpha=0.4, body=st.MassProperties(1.0, (0.1, 0.2, 0.3), (1, 1.2, 0.9)))] * 10
    with pytest.raises(st.SteinerError, match=r"10 joints.*locked"):
        st.equations(st.Robot.from_dh(rows)).derivation()


@pytest.mark.parametrize("method", METHODS)
def test_M6_long_derivations_are_well_formed(method):
    document = derived("panda", method)
    page = ElementTree.fromstring(document.html().replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', ""))
    assert len(page.findall(".//math")) > 100
    text = document.latex()
    assert not re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_", text)  # no double powers, no double indices
    assert text.count("{") == text.count("}")


# ---- short arms, written out -------------------------------------------------------------------------------


RULES = {  # told in general before they are applied; those that are applied under the same name are evaluated there
    "lagrange": {"L", "K_{i}", "K", "b_{i j k}", "V", "P", "G_{i}", r"\tau"},
    "newton-euler": {*(f"{x}_{{i}}" for x in (r"\omega", r"\dot{\omega}", r"\dot{v}", "F", "N", "f", "n", r"\tau")),
                     r"\dot{v}_{C i}"},
}  # fmt: skip


def with_motors():
    """The decks' RR with rotors and friction."""
    J, beta, kappa = sp.symbols("J beta kappa")
    first, second = EXAMPLES["rr"]().links
    motor = {"armature": J, "friction": st.Viscous(beta) + st.Coulomb(kappa)}
    links = [replace(first, joint=replace(first.joint, **motor)), replace(second, joint=replace(second.joint, **motor))]
    return EXAMPLES["rr"]().replace(links=links)


WRITTEN_OUT = {name: make for name, make in EXAMPLES.items() if name != "spatial3r"}
WRITTEN_OUT |= {"with motors": with_motors, "its own c1": lambda: EXAMPLES["rr"]().mapped(with_own_letters)}


def with_own_letters(x):
    """Letters that look like a cosine and a sine of the first joint."""
    return x.subs({"lc1": sp.Symbol("c1"), "lc2": sp.Symbol("s_12")}) if hasattr(x, "subs") else x


def with_numbers(robot):
    """A robot of letters and one of numbers: each letter has one number, whatever it stands for."""
    free = sorted(symbols_of(robot), key=str)
    values = dict(zip(free, np.random.default_rng(12).uniform(0.5, 1.5, len(free)), strict=True))
    return values, robot.mapped(lambda x: float(x.subs(values)) if hasattr(x, "subs") else x)


def by_lagrange_written_out(robot, sets, known):
    """Everything that the derivation of a short arm names, on floats and by algorithms of another kind."""
    n, tree = robot.n, robot.tree
    q, qd, qdd = state(n)
    M = robot.mass_matrix
    world = [robot.forward_kinematics(q, link=link.name).matrix for link in robot.links if link.joint.moves]
    for k, T in enumerate(world, 1):
        known[rf"{{{{\text{{}}}}^{{0}}}}_{{}}T_{{{k}}}"] = T
        if k > 1:
            known[rf"{{{{\text{{}}}}^{{{k - 1}}}}}_{{}}T_{{{k}}}"] = np.linalg.inv(world[k - 2]) @ T
    for k, solid in enumerate(solids(tree, q), 1):
        known.vector(f"p_{{C {k}}}", solid.c)
        body = robot.bodies[k - 1]
        Jw, Jv = np.split(robot.jacobian(q, body.name, frame="aligned", point=robot.link(body.name).body.com), 2)
        whole = latex(frac(row(op("∂"), sub(ident("p"), row(ident("C"), number(str(k))))), row(op("∂"), ident("q"))))
        known[f"J_{{v {k}}}"] = known[whole.strip()] = Jv
        known[rf"J_{{\omega {k}}}"] = Jw
        for head, product in (
            (f"m_{{{k}}} J_{{v {k}}}^{{T}} J_{{v {k}}}", solid.m * Jv.T @ Jv),
            (rf"J_{{\omega {k}}}^{{T}} I_{{C {k}}} J_{{\omega {k}}}", Jw.T @ solid.I.astype(float) @ Jw),
        ):
            known[head.replace(" J", "J").replace(" I", "I")] = product
            known.update({rf"\left({head}\right)_{{{i + 1}{j + 1}}}": product[i, j] for i, j in np.ndindex(n, n)})
        known[f"P_{{{k}}}"] = -solid.m * np.asarray(tree.gravity, dtype=float) @ np.asarray(solid.c, dtype=float)
    for k in range(n):
        step = np.eye(n)[k] * 1e-6
        slope = (M(q + step) - M(q - step)) / 2e-6
        for i, j in np.ndindex(n, n):
            left = frac(row(op("∂"), sub(ident("m"), number(f"{i + 1}{j + 1}"))), row(op("∂"), sets.q(k)))
            known[latex(left).strip()] = slope[i, j]
    centrifugal, coriolis = robot.centrifugal_coriolis(q)[:2]
    letters = {
        "M": M(q), "b": robot.christoffel(q), "C": centrifugal, "B": coriolis, "V": robot.velocity_forces(q, qd),
        "G": robot.gravity_forces(q), "F": robot.friction_forces(q, qd), r"\tau": robot.inverse_dynamics(q, qd, qdd),
    }  # fmt: skip
    for letter, value in letters.items():
        known[letter] = value
        small = letter.lower() if letter == "M" else letter
        known.update({f"{small}_{{{''.join(str(i + 1) for i in at)}}}": value[at] for at in np.ndindex(*value.shape)})
    known["K"], known["P"] = robot.kinetic_energy(q, qd), robot.potential_energy(q)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("arm", WRITTEN_OUT)
def test_M6_every_line_of_a_short_arm_is_evaluated(arm, method):
    letters = WRITTEN_OUT[arm]()
    eq = st.equations(letters)
    document = eq.derivation(method)
    values, robot = with_numbers(letters)
    known = given(robot, letters, values, document)
    if method == "lagrange":
        by_lagrange_written_out(robot, eq.typesetter, known)
    else:
        by_newton_and_euler(robot, robot.tree, known)
        known.update({rf"\tau_{{{k}}}": x for k, x in enumerate(robot.inverse_dynamics(*state(robot.n)), 1)})
    told, compared = set(), set()
    for left, *rights in printed.sides(document):
        name = printed.written(left)
        try:
            found = [printed.value(right, known) for right in rights]
        except printed.Unknown:
            assert name in RULES[method] - told - compared, name
            told.add(name)
            continue
        for value in found:
            wanted = np.asarray(known[name], dtype=float)
            value = np.zeros(wanted.shape) if np.ndim(value) == 0 and value == 0 else np.reshape(value, wanted.shape)
            near = 1e-8 * max(1.0, np.abs(wanted).max())
            assert np.abs(value - wanted).max() < near, f"{name}: {value}, not {wanted}"
        compared.add(name)
    assert {rf"\tau_{{{k + 1}}}" for k in range(robot.n)} <= compared
    assert method == "newton-euler" or {"K", "P", "p_{C 1}"} <= compared
