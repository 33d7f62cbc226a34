"""Equations on paper and as programs: LaTeX and MathML are well formed, Python and C give the numbers."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics
from steiner.formulas import equations, equations_text
from steiner.formulas.derivations import METHODS as DERIVATIONS
from steiner.formulas.examples import EXAMPLES, bar, full_body, rr, spatial3r
from steiner.formulas.letters import with_symbols
from steiner.formulas.terms import TERMS, symbols_of
from steiner.robots import build

# bars of the sheet of paper turn about z only: with numbers, no body is like that
pytestmark = pytest.mark.filterwarnings("ignore:link .* no body has:steiner.errors.ModelWarning")

g = sp.Symbol("g")


def rubbing():
    """Friction of every kind, a rotor, and names that programs reserve."""
    lam, c1 = sp.symbols("lambda c1")
    friction = st.Viscous(lam) + st.Coulomb(c1, width=sp.Rational(1, 10)) + st.Stribeck(*sp.symbols("fs fk vs"))
    first = st.Link(
        "a",
        None,
        st.Revolute(name="j1", armature=sp.Symbol("double"), friction=friction),
        body=bar(*sp.symbols("q p I")),
    )
    second = st.Link(
        "b", "a", st.Prismatic(name="j2", axis=(0, 1, 0), friction=st.Coulomb(1)), body=bar(*sp.symbols("pi_ out l"))
    )
    return st.Robot('odd "name" */', (first, second), (g, 0, 0))


PROGRAMS = {
    **{name: EXAMPLES[name] for name in ("pendulum", "rp", "pr", "planar3", "spatial3r")},
    "rubbing": rubbing,
    "desk": lambda: build("desk"),
    "puma560": lambda: build("puma560"),
    "puma560 symbolic": lambda: with_symbols(build("puma560")),
    "panda": lambda: build("panda"),
    "stanford": lambda: build("stanford"),
}
METHODS = {
    "M": "mass_matrix",
    "V": "velocity_forces",
    "G": "gravity_forces",
    "F": "friction_forces",
    "tau": "inverse_dynamics",
}


def case(name):
    """Equations, the numeric robot, values of the parameters in order, a state."""
    robot = PROGRAMS[name]()
    eq = equations(robot)
    values = dict(
        zip(eq.parameters, np.random.default_rng(3).uniform(0.4, 1.6, len(eq.parameters)).tolist(), strict=True)
    )
    arm = robot.mapped(lambda v: float(sp.sympify(v).subs(values))) if symbols_of(robot) else robot
    return eq, arm, values, np.random.default_rng(4).uniform(-1.2, 1.2, (3, robot.n))


def wanted(arm, term, state):
    return np.asarray(getattr(arm, METHODS[term])(*state[: len(TERMS[term].arrays)]), dtype=float)


def close(found, true):
    scale = np.abs(true).max() or 1.0
    return np.abs(np.asarray(found) - true).max() <= 1e-14 * scale


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_python_program_gives_the_numbers(name):
    eq, arm, values, state = case(name)
    space: dict = {}
    exec(compile(eq.python(), name, "exec"), space)
    called = 0
    for term, method in METHODS.items():
        function = space.get(method)
        if function is not None:
            parameters = (
                dict(zip(re.findall(r"\*, (.*?)\):", eq.python())[0].split(", "), values.values(), strict=True))
                if values
                else {}
            )
            found = function(*state[: len(TERMS[term].arrays)].tolist(), **parameters)
            assert close(found, wanted(arm, term, state)), term
            called += 1
    assert called >= 4


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_c_program_gives_the_numbers(name, tmp_path):
    eq, arm, values, state = case(name)
    source, library = tmp_path / "arm.c", tmp_path / "arm.so"
    source.write_text(eq.c())
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    done = subprocess.run(["gcc", *flags, source, "-o", library, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = ctypes.CDLL(str(library))
    names = dict(
        re.findall(
            r"void (\w+?_(mass_matrix|velocity_forces|gravity_forces|friction_forces|inverse_dynamics))\(", eq.c()
        )
    )
    assert len(names) >= 4
    for full, method in names.items():
        term = next(t for t, m in METHODS.items() if m == method)
        true = wanted(arm, term, state)
        out = (ctypes.c_double * true.size)()
        arguments = [(ctypes.c_double * arm.n)(*row) for row in state[: len(TERMS[term].arrays)]]
        arguments += [(ctypes.c_double * len(values))(*values.values())] if values else []
        getattr(loaded, full)(*arguments, out)
        assert close(np.array(out).reshape(true.shape), true), term


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", ["planar3", "stanford"])
def test_every_term_is_a_function_of_the_programs(name, tmp_path):
    eq, arm, values, state = case(name)
    terms = {
        "K": "kinetic_energy",
        "P": "potential_energy",
        "christoffel": "christoffel",
        "coriolis_matrix": "coriolis_matrix",
    }
    space: dict = {}
    exec(eq.python(*terms), space)
    source, library = tmp_path / "arm.c", tmp_path / "arm.so"
    source.write_text(eq.c(*terms))
    subprocess.run(["gcc", "-Werror", "-Wall", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    for term, method in terms.items():
        inputs = state[: len(TERMS[term].arrays)]
        true = np.asarray(getattr(arm, method)(*inputs), dtype=float)
        scale = np.abs(true).max()
        found = space[TERMS[term].name](*inputs.tolist(), **{s.name: v for s, v in values.items()})
        assert np.abs(np.asarray(found) - true).max() <= 1e-13 * scale, term
        out = (ctypes.c_double * max(true.size, 1))()
        arguments = [(ctypes.c_double * arm.n)(*row) for row in inputs]
        arguments += [(ctypes.c_double * len(values))(*values.values())] if values else []
        getattr(loaded, f"{eq.robot.name.lower()}_{TERMS[term].name}")(*arguments, out)
        assert np.abs(np.array(out).reshape(true.shape) - true).max() <= 1e-13 * scale, term


def test_a_named_term_is_a_formula_and_nothing_else():
    assert equations(rr()).latex("V").startswith(r"\[ V=\begin{bmatrix}") and "Coordinates" not in equations(
        rr()
    ).latex("V")


# ---- paper ---------------------------------------------------------------------------------------


def tree():
    """Two arms on one base, a fixed tool with mass, a payload, and a joint that follows another at half its angle."""
    h, a = sp.symbols("h a")
    follower = st.Revolute(name="j3", follows="j1", multiplier=sp.Rational(1, 2))
    right = bar(*sp.symbols("m2 u2 I2"))
    links = (
        st.Link("base", body=full_body(9)),
        st.Link("left", "base", st.Revolute(name="j1", axis=(0, 1, 0)), body=full_body(1)),
        st.Link("right", "base", st.Prismatic(name="j2", axis=(1, 0, 0)), st.Pose(p=(0, a, 0)), right),
        st.Link("tool", "left", mount=st.Pose(p=(0, 0, h)), body=bar(*sp.symbols("m3 u3 I3"))),
        st.Link("finger", "tool", follower, body=bar(*sp.symbols("m4 u4 I4"))),
    )
    return st.Robot("tree", links, (0, 0, -g)).with_payload(st.MassProperties(sp.Symbol("mp")), link="right")


def askew():
    """A joint about an axis that lies along none of its frame."""
    beta = sp.Symbol("beta")
    joint = st.Revolute(name="j1", axis=(sp.sin(beta), 0, sp.cos(beta)))
    return st.Robot("askew", (st.Link("a", None, joint, body=bar(*sp.symbols("m u I"))),), (0, -g, 0))


PAPERS = {**EXAMPLES, "rubbing": rubbing, "desk": lambda: build("desk"), "tree": tree, "askew": askew}
KNOWN = {
    "cos",
    "sin",
    "exp",
    "tanh",
    "operatorname",
    "surd",
    "bigl",
    "bigr",
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "theta",
    "lambda",
    "mu",
    "omega",
    "tau",
    "rho",
    "phi",
    "pi",
    "left",
    "right",
    "frac",
    "dot",
    "ddot",
    "vec",
    "mathrm",
    "text",
    "cdot",
    "times",
    "begin",
    "end",
    "quad",
    "partial",
    "sum",
    "dots",
    "documentclass",
    "usepackage",
    "setcounter",
    "allowdisplaybreaks",
    "section",
    "subsection",
    "subsubsection",
    "hline",
    "textbackslash",
    "to",
    "le",
}


def check_latex(text: str) -> None:
    """Braces, environments, \\left-\\right and dollars pair up; every command is one of LaTeX or amsmath."""
    bare = re.sub(r"\\[\\{}$&%#_ ]", "", text)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    assert text.count(r"\left") == text.count(r"\right")
    assert text.count(r"\[") == text.count(r"\]") and bare.count("$") % 2 == 0
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= KNOWN
    assert not re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_", text)  # no double powers, no double indices
    math = "".join(re.findall(r"\\\[(.*?)\\\]", text, re.DOTALL))
    assert math.isascii()


@pytest.mark.parametrize("method", DERIVATIONS)
@pytest.mark.parametrize("name", PAPERS)
def test_derivations_are_well_formed_in_latex_and_html(name, method):
    eq = equations(PAPERS[name]())
    document = eq.derivation(method)
    check_latex(document.latex())
    page = ElementTree.fromstring(document.html().replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', ""))
    assert len(page.findall(".//math")) > 15
    assert eq.proof.holds
    assert "agree: " in document.markdown()


@pytest.mark.parametrize("name", PAPERS)
def test_summaries_are_well_formed(name):
    eq = equations(PAPERS[name]())
    check_latex(eq.latex(standalone=True))
    ElementTree.fromstring(f"<div>{eq._repr_html_()}</div>")
    assert eq._repr_latex_().startswith("$$") and "tau" in eq._repr_latex_()
    assert eq.markdown().count("$$") % 2 == 0


def test_a_large_arm_on_paper_is_a_sequence_with_its_counts():
    eq = equations(build("puma560"))
    text = eq.latex(standalone=True)
    check_latex(text)
    assert "409 operations" in text and "without names" in text
    check_latex(eq.tau.latex())
    ElementTree.fromstring(f"<div>{eq._repr_html_()}</div>")


def test_the_derivation_by_lagrange_has_every_step_in_order():
    text = equations(rr()).derivation().markdown()
    steps = [
        "The arm",
        "Frames",
        "Centres of mass",
        "Kinetic energy",
        "Centrifugal and Coriolis",
        "Potential energy",
        "Equations of motion",
    ]
    places = [text.index(step) for step in steps]
    assert places == sorted(places)
    for formula in (
        r"\begin{bmatrix} l_{1} c_{1}+l_{c 2} c_{12} \\ l_{1} s_{1}+l_{c 2} s_{12} \\ 0 \end{bmatrix}",  # p_C2
        r"-l_{1} s_{1}-l_{c 2} s_{12} & -l_{c 2} s_{12}",  # J_v2
        r"\frac{\partial m_{11}}{\partial \theta_{2}}=-2 m_{2} l_{1} l_{c 2} s_{2}",
        r"b_{211}=m_{2} l_{1} l_{c 2} s_{2}",
        r"P=m_{1} g l_{c 1} s_{1}+m_{2} g\left(l_{1} s_{1}+l_{c 2} s_{12}\right)",
    ):
        assert formula in text


def test_the_derivation_by_newton_and_euler_goes_out_and_in():
    text = equations(rr()).derivation("newton-euler").markdown()
    assert text.index("## 2. Outward") < text.index("Link 1") < text.index("Link 2") < text.index("## 3. Inward")
    assert r"\omega_{2}=\begin{bmatrix} 0 \\ 0 \\ \dot{\theta}_{1}+\dot{\theta}_{2} \end{bmatrix}" in text


def test_the_recursion_on_the_page_holds_for_the_vectors_on_the_page():
    """ω, ω̇, v̇ and f, n of every link of an arm whose DH frames lie off the joints' axes, by the printed rules."""
    from steiner.dynamics.kinematics import poses_in_parent, screws
    from steiner.dynamics.newton_euler import body_force, inward, motion_of_base, outward
    from steiner.formulas.terms import Terms
    from steiner.spatial import cross

    terms = Terms(spatial3r())
    arm = terms.lifted
    joints = screws(arm, terms.at, terms.rate, terms.acceleration)
    poses = poses_in_parent(arm, joints)
    motions = list(outward(arm, poses, joints, motion_of_base(arm)))
    loads = [body_force(b.moments, m) for b, m in zip(arm.bodies, motions, strict=True)]
    carried = inward(arm, poses, joints, loads)
    z = np.array([0, 0, 1])
    for i in (1, 2):
        (R, p), up, own = (poses[i].R, poses[i].p), motions[i - 1], motions[i]
        qd, qdd = terms.rate[i], terms.acceleration[i]
        assert all(own.w == R.T @ up.w + qd * z)
        assert all(own.dw == R.T @ up.dw + cross(R.T @ up.w, qd * z) + qdd * z)
        assert all(own.dv == R.T @ (up.dv + cross(up.dw, p) + cross(up.w, cross(up.w, p))))
    m, h, _ = arm.bodies[1].moments
    (n1, f1), (n2, f2) = carried[1], carried[2]
    R, p = poses[2].R, poses[2].p
    own = motions[1]
    F = m * own.dv + cross(own.dw, h) + cross(own.w, cross(own.w, h))
    assert all(f1 == F + R @ f2)
    assert all(n1 == body_force(arm.bodies[1].moments, own)[0] + R @ n2 + cross(p, R @ f2))
    assert n1[2] == terms.run(dynamics.inverse_dynamics, terms.at, terms.rate, terms.acceleration)[1]


def test_names_of_a_stranger_do_not_break_out():
    eq = equations(rubbing())
    assert "*/ " not in eq.c().splitlines()[0][:-3] and '""" */' not in eq.python()
    assert "<script" not in equations(rr().replace(name="<script>")).html()
    check_latex(equations(rr().replace(name=r"a_b$\x{")).latex(standalone=True))


def test_short_names_are_explained():
    text = equations(spatial3r()).markdown("G")
    assert r"c_{23}=\cos \left(\theta_{2}+\theta_{3}\right)" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
@pytest.mark.parametrize("name", ["rr", "anthropomorphic", "rubbing", "strange"])
def test_latex_compiles(name, tmp_path):
    robot = (
        PAPERS[name]() if name != "strange" else rr().replace(name="a_b$\\x{ ü 机 θ", gravity=(0, -sp.Symbol("γ₁"), 0))
    )
    eq = equations(robot)
    for k, text in enumerate(
        [eq.latex(standalone=True), eq.derivation().latex(), eq.derivation("newton-euler").latex()]
    ):
        (tmp_path / f"{k}.tex").write_text(text, encoding="utf-8")
        command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", f"{k}.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-800:]


def test_greek_letters_have_their_names_in_latex_and_in_programs():
    eq = equations(rr().replace(gravity=(0, -sp.Symbol("γ₁"), 0)))
    assert r"\gamma_{1}" in eq.latex("G") and "gamma1" in eq.python("G") and eq.c("G").isascii()


def test_an_axis_askew_gives_the_moment_about_it():
    m, u, I, beta = sp.symbols("m u I beta")
    moment = equations(askew()).M[0]
    assert sp.simplify(moment - (I + m * u**2) * sp.cos(beta) ** 2) == 0


def test_decimals_are_written_as_decimals():
    text = equations(build("rr")).latex()
    assert r"0.326091+0.118195 c_{2}" in text and r"-9.81 \\" in text and "frac" not in text
    assert r"-0.0590976 s_{2}\left(2\dot{\theta}_{1}\dot{\theta}_{2}+\dot{\theta}_{2}^{2}\right)" in text


def test_a_parameter_that_looks_like_a_coordinate_makes_the_page_say_q():
    d2 = sp.Symbol("d2")
    robot = st.Robot("RP", (st.Link("a", None, st.Revolute(name="j1"), body=bar(d2, 1, 1)),
                            st.Link("b", "a", st.Prismatic(name="j2"), body=bar(1, 1, 1))))  # fmt: skip
    assert r"\dot{d}" not in equations(robot).latex() and "d_{2}" in equations(robot).latex()


@pytest.mark.parametrize("form", ["latex", "markdown", "html", "python", "c"])
def test_equations_text_speaks_every_format(form):
    text = equations_text(build("rr"), form)
    marks = {
        "latex": r"\end{document}",
        "markdown": "# Equations",
        "html": "</html>",
        "python": "def mass_matrix",
        "c": "void rr_",
    }
    assert marks[form] in text
    if form in ("latex", "markdown", "html"):
        assert "Potential energy" in equations_text(build("rr"), form, derivation=True)
