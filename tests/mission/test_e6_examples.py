"""E6: the worked examples of the deck on Lagrange come out exactly as printed, errata X15 and X16 corrected.

Each form is compared twice: as an identity, and letter by letter as it is written on the page.
"""

from __future__ import annotations

import pytest
import sympy as sp

from steiner.formulas import equations
from steiner.formulas.examples import one_p, one_r, pp, pr, rp, rr
from steiner.text.layout import latex

g, m, m1, m2, l1, lc, lc1, lc2, d = sp.symbols("g m m1 m2 l1 lc lc1 lc2 d")
Izz, I1, I2 = sp.symbols("Izz Izz1 Izz2")
q1, q2, w1, w2, a1, a2 = sp.symbols("q1 q2 qd1 qd2 qdd1 qdd2")
c1, s1, c2, s2, c12 = sp.cos(q1), sp.sin(q1), sp.cos(q2), sp.sin(q2), sp.cos(q1 + q2)
h = m2 * l1 * lc2 * s2


def column(*entries):
    return sp.Matrix(entries)


FORMS = {
    "1R": (one_r, {"M": [[m * lc**2 + Izz]], "V": column(0), "G": column(m * g * lc * c1), "centrifugal": [[0]]}),
    "1P": (one_p, {"M": [[m]], "V": column(0), "G": column(0)}),
    "RP": (
        rp,
        {
            "M": [[m1 * l1**2 + I1 + m2 * q2**2 + I2, 0], [0, m2]],
            "coriolis": column(2 * m2 * q2, 0),
            "centrifugal": [[0, 0], [-m2 * q2, 0]],
            "V": column(2 * m2 * q2 * w1 * w2, -m2 * q2 * w1**2),
            "G": column((m1 * l1 + m2 * q2) * g * c1, m2 * g * s1),
        },
    ),
    "PR": (
        pr,
        {
            "M": [[m1 + m2, -m2 * d * s2], [-m2 * d * s2, I2 + m2 * d**2]],
            "coriolis": column(0, 0),
            "centrifugal": [[0, -m2 * d * c2], [0, 0]],
            "V": column(-m2 * d * c2 * w2**2, 0),
            "G": column(0, m2 * g * d * c2),
        },
    ),
    "PP": (
        pp,
        {"M": [[m1 + m2, 0], [0, m2]], "V": column(0, 0), "G": column((m1 + m2) * g, 0), "coriolis": column(0, 0)},
    ),
    "RR": (
        rr,
        {
            "M": [
                [m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2) + I2, m2 * (lc2**2 + l1 * lc2 * c2) + I2],
                [m2 * (lc2**2 + l1 * lc2 * c2) + I2, m2 * lc2**2 + I2],
            ],
            "coriolis": column(-2 * h, 0),
            "centrifugal": [[0, -h], [h, 0]],
            "V": column(-h * (2 * w1 * w2 + w2**2), h * w1**2),
            "G": column(m1 * g * lc1 * c1 + m2 * g * (l1 * c1 + lc2 * c12), m2 * g * lc2 * c12),
        },
    ),
}


@pytest.mark.parametrize(("name", "term"), [(name, term) for name, (_, forms) in FORMS.items() for term in forms])
def test_E6_the_closed_form_is_that_of_the_deck(name, term):
    build, forms = FORMS[name]
    found, printed = getattr(equations(build()), term), sp.Matrix(forms[term])
    assert found == printed  # the same expression, not only the same value
    assert (found - printed).expand() == sp.zeros(*printed.shape)


@pytest.mark.parametrize("name", FORMS)
def test_E6_the_equations_of_motion_are_M_times_acceleration_plus_V_plus_G(name):
    build, forms = FORMS[name]
    eq = equations(build())
    M, V, G = (sp.Matrix(forms[k]) for k in "MVG")
    assert (eq.tau - M * sp.Matrix([a1, a2][: eq.robot.n]) - V - G).expand() == sp.zeros(eq.robot.n, 1)


@pytest.mark.parametrize("name", FORMS)
def test_E6_the_proof_is_an_identity(name):
    proof = equations(FORMS[name][0]()).proof
    assert proof.holds and proof.residual == 0
    assert "symbolic identity" in str(proof)


def page(eq, term):
    return [latex(eq.typesetter.sum(c.sum)) for c in eq.written(term).ravel()]


def test_E6_RR_reads_as_a_teacher_writes_it():
    eq = equations(rr())
    lengths = r"l_{1}^{2}+l_{c 2}^{2}+2 l_{1} l_{c 2} c_{2}"
    assert page(eq, "M")[0] == rf"m_{{1}} l_{{c 1}}^{{2}}+I_{{z z 1}}+m_{{2}}\left({lengths}\right)+I_{{z z 2}}"
    rates = r"\left(2\dot{\theta}_{1}\dot{\theta}_{2}+\dot{\theta}_{2}^{2}\right)"
    assert page(eq, "V") == [
        rf"-m_{{2}} l_{{1}} l_{{c 2}} s_{{2}}{rates}",
        r"m_{2} l_{1} l_{c 2} s_{2}\dot{\theta}_{1}^{2}",
    ]
    assert page(eq, "G")[0] == r"m_{1} g l_{c 1} c_{1}+m_{2} g\left(l_{1} c_{1}+l_{c 2} c_{12}\right)"


def test_E6_RP_writes_theta_for_turning_and_d_for_sliding_joints():
    eq = equations(rp())
    assert page(eq, "V") == [r"2 m_{2} d_{2}\dot{\theta}_{1}\dot{d}_{2}", r"-m_{2} d_{2}\dot{\theta}_{1}^{2}"]
    assert page(eq, "G") == [r"g c_{1}\left(m_{1} l_{1}+m_{2} d_{2}\right)", r"m_{2} g s_{1}"]


def test_E6_RR_velocity_terms_peak_at_a_right_angle_and_vanish_when_stretched():
    V = equations(rr()).V
    numbers = {m2: 1, l1: 1, lc2: 1, w1: 1, w2: 1}
    size = sp.lambdify(q2, V.subs(numbers)[0])
    assert size(0.0) == 0 and abs(size(float(sp.pi))) < 1e-12
    assert all(abs(size(float(sp.pi / 2))) >= abs(size(x / 10)) for x in range(32))


def test_X15_the_printed_m11_lacks_the_tensor_of_the_second_link():
    found = equations(rr()).M[0, 0]
    printed = m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2)
    assert sp.expand(found - printed) == I2
    stretched = {m1: sp.Rational(1, 100), lc1: 1, I1: 0, m2: 1, l1: 1, lc2: 1, I2: 10, q2: sp.pi}
    M = equations(rr()).M
    assert M.subs(stretched).det() > 0
    assert sp.Matrix([[printed, M[0, 1]], [M[1, 0], M[1, 1]]]).subs(stretched).det() < 0  # not a mass matrix


def test_X16_the_printed_gravity_lets_a_length_stand_beside_a_moment():
    found = equations(rr()).G[0]
    printed = m1 * g * lc1 * c1 + g * m2 * (lc2 * c12) + l1 * c1
    assert sp.expand(found - (m1 * g * lc1 * c1 + g * m2 * (lc2 * c12 + l1 * c1))) == 0
    assert sp.expand(found - printed) != 0
