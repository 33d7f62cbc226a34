"""Springs in formulas: by letters and numbers, in programs, in both derivations, of short and of long arms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import steiner as st
from steiner.formulas.coefficients import coefficients
from steiner.formulas.lagrange import lagrange_equations
from tests.comparing import close, floats
from tests.random_robots import random_state

SPRINGS = {"joint1.stiffness": 3.0, "joint1.rest": 0.25, "joint2.stiffness": 1.5, "joint2.rest": -0.5}


def wound(name):
    return st.load(name).with_parameters(SPRINGS)


@pytest.mark.parametrize("name", ["rr", "rp", "planar3"])
def test_the_formulas_of_a_small_arm_hold_its_springs(name):
    robot = wound(name)
    q, qd, qdd = random_state(robot, 1)
    eq = st.equations(robot)
    at = dict(zip([*eq.q, *eq.qd, *eq.qdd], [*q, *qd, *qdd], strict=True))
    assert close([float(x.subs(at)) for x in eq.S], robot.spring_forces(q))
    assert close([float(x.subs(at)) for x in eq.G], robot.gravity_forces(q))
    assert close(float(eq.P.subs(at)), robot.potential_energy(q))
    assert close([float(x.subs(at)) for x in eq.tau], robot.inverse_dynamics(q, qd, qdd))
    assert eq.proof.holds
    assert str(eq.proof).startswith("Newton-Euler, Lagrange and M q̈ + V + G + S agree")


def test_springs_have_letters():
    eq = st.equations(wound("rr"), symbols=True)
    k1, x1, k2, x2 = sympy.symbols("k1 x1 k2 x2")
    assert eq.S == sympy.ImmutableMatrix([k1 * (eq.q[0] - x1), k2 * (eq.q[1] - x2)])
    assert {str(s): float(v) for s, v in eq.letters.items() if str(s)[0] in "kx"} == {
        "k1": 3.0, "x1": 0.25, "k2": 1.5, "x2": -0.5,
    }  # fmt: skip
    assert r"k_{1}\left(q_{1}-x_{1}\right)" in eq.latex("S")
    assert "the identity of" not in str(eq.proof)
    assert eq.proof.holds
    assert "S" not in st.equations(st.load("rr"), symbols=True).document().markdown().split("## Letters")[0].split()


def test_lagrange_by_sympy_alone_finds_the_springs():
    robot = wound("rr")
    eq = st.equations(robot)
    slow = lagrange_equations(robot, eq.q, eq.qd, eq.qdd)
    at = dict(zip([*eq.q, *eq.qd, *eq.qdd], np.linspace(-1, 1, 6), strict=True))
    assert close([float(x.subs(at)) for x in slow], [float(x.subs(at)) for x in eq.tau])


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("name", ["rr", "panda"])
def test_programs_hold_the_springs(name, base):
    robot = st.load(name)
    first, second = robot.joint_names[:2]
    numbers = {path.replace("joint1", first).replace("joint2", second): x for path, x in SPRINGS.items()}
    robot = robot.with_parameters(numbers)
    q, qd, qdd = random_state(robot, 3)
    eq = st.equations(robot, base_parameters=base)
    room: dict = {}
    exec(eq.python("S", "tau"), room)  # our own text
    given = {s.name: float(eq.base_parameters[s]) for s in eq.parameters} if base else {}
    assert close(room["spring_forces"](list(q), **given), robot.spring_forces(q))
    assert close(room["inverse_dynamics"](list(q), list(qd), list(qdd), **given), robot.inverse_dynamics(q, qd, qdd))


def test_derivations_tell_of_springs():
    eq = st.equations(wound("rr"), symbols=True)
    lagrange, newton = eq.derivation().markdown(), eq.derivation("newton-euler").markdown()
    assert "6. Potential energy, gravity and springs" in lagrange
    assert r"P_{\text{joint1}}=\frac{1}{2} k_{1}\left(q_{1}^{2}-2 q_{1} x_{1}+x_{1}^{2}\right)" in lagrange
    assert r"G_{i}+S_{i}=\frac{\partial P}{\partial q_{i}}" in lagrange
    assert r"\tau =M\ddot{q}+V+G+S" in lagrange
    assert "with springs added" in newton
    plain = st.equations(st.load("rr"), symbols=True).derivation().markdown()
    assert "6. Potential energy and gravity" in plain
    assert "spring" not in plain
    assert "+S" not in plain


@pytest.mark.parametrize("method", ["lagrange", "newton-euler"])
def test_derivations_of_long_arms_add_their_springs(method):
    robot = st.load("planar3")
    links = [*robot.links, st.Link("more", robot.links[-1].name, st.Revolute(name="joint4"), st.Pose(p=(0.3, 0, 0)),
                                   st.MassProperties(1.0, (0.1, 0, 0), np.eye(3) * 0.01))]  # fmt: skip
    longer = robot.replace(links=links).with_parameters({"joint4.stiffness": 7.25, "joint4.rest": 0.5})
    eq = st.equations(longer)
    assert not eq.is_closed
    assert eq.proof.holds
    assert "G + S agree" in str(eq.proof)
    text = eq.derivation(method).markdown()
    assert r"k_{4}\left(\theta_{4}-x_{4}\right)" in text.rpartition(r"\tau_{4}")[2]
    assert "spring" in text


def test_live_formulas_keep_the_springs_as_they_are():
    robot = wound("rr")
    found = coefficients(robot)
    assert np.allclose(floats(found.of(robot)["numbers"]), found.values)
    text = found.equations.document("tau", proof=False).html()
    assert "0.75" in text
