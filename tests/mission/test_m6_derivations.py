"""M6: derivations of arms of up to seven joints; both sides of every printed line are evaluated.

The left side is what the algorithm gives on floats, the right side what stands on the page, read with the numbers of
the names before it.
"""

from __future__ import annotations

import re
from functools import cache
from unittest.mock import patch
from xml.etree import ElementTree

import numpy as np
import pytest

import printed
import steiner as st
from steiner import dynamics
from steiner.dynamics.kinematics import poses_in_parent, poses_in_world, screws
from steiner.dynamics.lagrange import columns, solids
from steiner.dynamics.newton_euler import body_force, inward, motion_of_base, outward
from steiner.formulas.letters import lumped
from steiner.formulas.system import Equations
from steiner.formulas.typeset import Typesetter, name_box
from steiner.spatial import cross
from steiner.text.layout import latex

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
    for k, row in enumerate(zip(*state(robot.n), strict=True)):
        known.update({latex(sets.q(k, dots)).strip(): float(x) for dots, x in enumerate(row)})
    legend = next(b for b in document.blocks if b.kind == "text" and b.content[0] == "Here ")
    for box in legend.content[2::2]:
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
    for k, (body, motion, (n, f)) in enumerate(zip(tree.bodies, motions, inward(tree, T, loads), strict=True), 1):
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
