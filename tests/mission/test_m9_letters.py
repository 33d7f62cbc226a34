"""M9: formulas in the letters of the decks, from arms that were drawn or loaded."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics
from steiner.formulas.letters import lettered, plane_of

rng = np.random.default_rng(9)

RR = {
    "M": r"M=\begin{bmatrix} m_{1} l_{c 1}^{2}+I_{z z 1}+m_{2}\left(l_{1}^{2}+l_{c 2}^{2}+2 l_{1} l_{c 2} c_{2}\right)"
         r"+I_{z z 2} & m_{2}\left(l_{c 2}^{2}+l_{1} l_{c 2} c_{2}\right)+I_{z z 2} \\ "
         r"m_{2}\left(l_{c 2}^{2}+l_{1} l_{c 2} c_{2}\right)+I_{z z 2} & m_{2} l_{c 2}^{2}+I_{z z 2} \end{bmatrix}",
    "coriolis": r"B=\begin{bmatrix} -2 h \\ 0 \end{bmatrix}",
    "centrifugal": r"C=\begin{bmatrix} 0 & -h \\ h & 0 \end{bmatrix}",
    "V": r"V=\begin{bmatrix} -h\left(2\dot{q}_{1}\dot{q}_{2}+\dot{q}_{2}^{2}\right) \\ h\dot{q}_{1}^{2} \end{bmatrix}",
    "G": r"G=\begin{bmatrix} m_{1} g l_{c 1} c_{1}+m_{2} g\left(l_{1} c_{1}+l_{c 2} c_{12}\right) \\ "
         r"m_{2} g l_{c 2} c_{12} \end{bmatrix}",
}  # fmt: skip
RP = {
    "M": r"M=\begin{bmatrix} m_{1} l_{1}^{2}+I_{z z 1}+m_{2} d_{2}^{2}+I_{z z 2} & 0 \\ 0 & m_{2} \end{bmatrix}",
    "coriolis": r"B=\begin{bmatrix} 2 m_{2} d_{2} \\ 0 \end{bmatrix}",
    "centrifugal": r"C=\begin{bmatrix} 0 & 0 \\ -m_{2} d_{2} & 0 \end{bmatrix}",
    "V": r"V=\begin{bmatrix} 2 m_{2} d_{2}\dot{\theta}_{1}\dot{d}_{2} \\ "
         r"-m_{2} d_{2}\dot{\theta}_{1}^{2} \end{bmatrix}",
    "G": r"G=\begin{bmatrix} g c_{1}\left(m_{1} l_{1}+m_{2} d_{2}\right) \\ m_{2} g s_{1} \end{bmatrix}",
}  # fmt: skip
PR = {
    "M": r"M=\begin{bmatrix} m_{1}+m_{2} & -m_{2} d s_{2} \\ -m_{2} d s_{2} & m_{2} d^{2}+I_{z z 2} \end{bmatrix}",
    "coriolis": r"B=\begin{bmatrix} 0 \\ 0 \end{bmatrix}",
    "centrifugal": r"C=\begin{bmatrix} 0 & -m_{2} d c_{2} \\ 0 & 0 \end{bmatrix}",
    "V": r"V=\begin{bmatrix} -m_{2} d c_{2}\dot{q}_{2}^{2} \\ 0 \end{bmatrix}",
    "G": r"G=\begin{bmatrix} 0 \\ m_{2} g d c_{2} \end{bmatrix}",
}
PP = {
    "M": r"M=\begin{bmatrix} m_{1}+m_{2} & 0 \\ 0 & m_{2} \end{bmatrix}",
    "V": r"V=\begin{bmatrix} 0 \\ 0 \end{bmatrix}",
    "G": r"G=\begin{bmatrix} g\left(m_{1}+m_{2}\right) \\ 0 \end{bmatrix}",
}
SLIDES = {"rr": RR, "rp": RP, "pr": PR, "pp": PP}


def turned_rr():
    """RR as programs load it: a base, axes along −y, links shifted across the plane, a fixed tool."""
    link = st.MassProperties(1.2, (0, 0.03, 0.21), (0.02, 0.021, 0.001))
    tool = st.MassProperties(0.3, (0, 0, 0.1), (1e-3, 1e-3, 1e-4))
    links = [
        st.Link("base", None, body=st.MassProperties(5.0, (0, 0, 0), (1, 1, 1))),
        st.Link("upper", "base", st.Revolute(name="a", axis=(0, -1, 0)), st.Pose.from_rpy((0, 0.1, 0)), link),
        st.Link("lower", "upper", st.Revolute(name="b", axis=(0, -1, 0)), st.Pose.from_rpy((0, 0.05, 0.4)), link),
        st.Link("tool", "lower", st.Fixed(), st.Pose.from_rpy((0, 0, 0.4), (0.2, 0, 0)), tool),
    ]
    return st.Robot("loaded", links, (0, 0, -9.81))


def dh_rr():
    """RR by standard DH rows: bodies are told in the frames at the far ends of the links."""
    rows = [st.DH(a=0.5, body=st.MassProperties(2.0, (-0.3, 0, 0), (0.1, 0.2, 0.25)))] * 2
    return st.Robot.from_dh(rows, gravity=(0, -9.81, 0))


def back(named):
    """The robot of numbers that letters stand for."""
    return named.robot.mapped(lambda x: float(x.xreplace(named.values)) if isinstance(x, sp.Expr) else x)


def efforts(arm, state):
    """By the text itself: no kernel is needed for one state."""
    return dynamics.inverse_dynamics(arm, *state).astype(float)


@pytest.mark.parametrize("name", SLIDES)
def test_M9_the_four_examples_print_as_the_slides(name):
    eq = st.equations(st.load(f"gallery:{name}"), symbols=True)
    for term, formula in SLIDES[name].items():
        assert eq.latex(term) == rf"\[ {formula} \]"


def test_M9_so_does_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "steiner", "equations", "rr", "--symbols"], capture_output=True, text=True, check=True
    )
    for term in ("M", "V", "G"):
        assert RR[term] in done.stdout
    assert r"$h=m_{2} l_{1} l_{c 2} s_{2}$" in done.stdout
    assert "| $l_{c 1}$ | $0.25$ |" in done.stdout


@pytest.mark.parametrize("arm", [turned_rr, dh_rr])
def test_M9_loaded_arms_have_the_same_letters(arm):
    eq = st.equations(arm(), symbols=True)
    assert {s.name for s in eq.parameters} <= {"m1", "m2", "l1", "lc1", "lc2", "Izz1", "Izz2", "g", "lcy2"}
    assert r"V=\begin{bmatrix} -h\left(2\dot{q}_{1}\dot{q}_{2}+\dot{q}_{2}^{2}\right)" in eq.latex("V")
    lengths = {s.name: float(x) for s, x in eq.letters.items() if s.name[0] == "l"}
    assert lengths["l1"] == pytest.approx(0.4 if arm is turned_rr else 0.5)
    assert eq.proof.holds


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_M9_one_joint_needs_no_index(kind):
    row = st.DH(joint=kind, body=st.MassProperties(2.0, (0.3, 0, 0), (0.1, 0.2, 0.25)))
    eq = st.equations(st.Robot.from_dh([row], gravity=(0, -9.81, 0)), symbols=True)
    m, lc, Izz = sp.symbols("m lc Izz")
    assert eq.M[0, 0] == (m * lc**2 + Izz if kind == "revolute" else m)


@pytest.mark.parametrize("name", [*sorted(st.gallery()), turned_rr, dh_rr])
def test_M9_the_letters_stand_for_the_numbers_of_the_robot(name):
    arm = name() if callable(name) else st.load(f"gallery:{name}")
    named = lettered(arm)
    found, wanted = efforts(back(named), q := rng.uniform(-1, 1, (3, arm.n))), efforts(arm, q)
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_M9_a_payload_has_letters_too():
    arm = st.load("gallery:rr").with_payload(st.MassProperties(0.5, (0.05, 0, 0), (0.01,) * 3))
    eq = st.equations(arm, symbols=True)
    m2, lc2, Izz2, mp, lcp, Izzp = sp.symbols("m2 lc2 Izz2 mp lcp Izzp")
    assert sp.expand(eq.M[1, 1] - (m2 * lc2**2 + Izz2 + mp * lcp**2 + Izzp)) == 0


def test_M9_an_arm_in_space_has_the_letters_of_denavit_and_hartenberg():
    arm = st.load("gallery:puma560")
    assert plane_of(arm.tree) is None
    names = {s.name: x for s, x in lettered(arm).values.items()}
    assert {"a2", "a3", "d3", "d4", "m2", "cx2", "Ixx2", "g"} <= names.keys()
    assert names["a2"] == pytest.approx(0.4318) and names["d3"] == pytest.approx(0.15005)


@pytest.mark.parametrize("slant", [0.3, 1.2])
def test_M9_a_plane_may_stand_anywhere(slant):
    """RR on a slanted wall: the same M and V, gravity by its parts."""
    arm = st.load("gallery:rr")
    base = st.Pose.from_rpy((0.1, 0.2, 0.3), (slant, 0.4, 0.0))
    first = arm.links[0]
    turned = arm.replace(links=(dataclasses.replace(first, mount=base @ first.mount), *arm.links[1:]))
    normal = plane_of(turned.tree)
    assert normal is not None and np.allclose(np.abs(normal), np.abs(base.R[:, 2]))
    named = lettered(turned)
    q = rng.uniform(-1, 1, (3, 2))
    assert np.allclose(efforts(back(named), q), efforts(turned, q), rtol=1e-10)
