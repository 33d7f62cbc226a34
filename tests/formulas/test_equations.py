"""Equations as formulas: any symbol, every term alone, identities, base parameters, swell, errors."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

import steiner as st
from random_robots import random_body, random_pose
from steiner.formulas import Sequence, equations
from steiner.formulas.examples import EXAMPLES, anthropomorphic, bar, full_body, planar3, rr, spatial3r
from steiner.formulas.letters import with_symbols
from steiner.formulas.proof import at_points, by_identity
from steiner.formulas.residues import PRIME, Residue
from steiner.formulas.terms import TERMS, Terms
from steiner.robots import build
from steiner.scalar import cos, sin

# bars of the sheet of paper turn about z only: with numbers, no body is like that
pytestmark = pytest.mark.filterwarnings("ignore:link .* no body has:steiner.errors.ModelWarning")
g, l2, mp, x = sp.symbols("g l2 mp x")


def state(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.3, 1.3, (3, n))


def numeric(robot, seed=1):
    """The robot with numbers for its symbols, and these numbers."""
    from steiner.formulas.terms import symbols_of

    names = sorted(symbols_of(robot), key=str)
    values = dict(zip(names, np.random.default_rng(seed).uniform(0.3, 1.5, len(names)).tolist(), strict=True))
    return robot.mapped(lambda v: float(sp.sympify(v).subs(values))), values


def at(expression, eq, values, q, qd, qdd):
    joints = {
        **dict(zip(eq.q, q, strict=True)),
        **dict(zip(eq.qd, qd, strict=True)),
        **dict(zip(eq.qdd, qdd, strict=True)),
    }
    found = expression.subs(values | joints)
    return np.array(found.tolist() if hasattr(found, "tolist") else found, dtype=float)


@cache
def example(name):
    """Equations of an example, the arm with numbers, and these numbers."""
    robot = EXAMPLES[name]()
    return equations(robot), *numeric(robot)


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_term_has_the_values_of_the_numeric_methods(name, term):
    eq, arm, values = example(name)
    s = state(arm.n)
    found = at(getattr(eq, term), eq, values, *s)
    wanted = np.asarray(TERMS[term].algorithm(arm, *s[: len(TERMS[term].arrays)]), dtype=float)
    assert found == pytest.approx(wanted.reshape(found.shape), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", EXAMPLES)
def test_newton_euler_lagrange_and_the_sum_are_one_identity(name):
    proof = equations(EXAMPLES[name]()).proof
    assert proof.holds and proof.residual == 0 and proof.compared > 0


def test_a_wrong_sign_fails_the_proof(monkeypatch):
    from steiner import dynamics

    true = dynamics.inverse_dynamics

    def wrong(robot, q, qd, qdd, **options):
        return true(robot, q, [-rate for rate in qd[:1]] + list(qd[1:]), qdd, **options)

    monkeypatch.setattr("steiner.dynamics.inverse_dynamics", wrong)
    assert not by_identity(Terms(rr())).holds
    assert not at_points(rr()).holds
    assert "DISAGREE" in str(by_identity(Terms(rr())))
    assert not at_points(long_arm(13)).holds
    assert not at_points(long_arm(13, askew=True)).holds


def long_arm(joints: int, *, askew: bool = False) -> st.Robot:
    """Turning and sliding joints along all axes, full tensors, a spring, turned frames; `askew` tilts one axis."""
    rng = np.random.default_rng(joints)
    links = []
    for k in range(joints):
        axis = (0.6, 0, 0.8) if askew and k == 2 else tuple(np.eye(3)[k % 3])
        turning = st.Revolute(axis=axis, stiffness=8.0) if k == 3 else st.Revolute(axis=axis)
        joint = st.Prismatic(axis=axis) if k % 4 == 1 else turning
        place = {"parent": f"link{k - 1}" if k else None, "mount": random_pose(rng), "body": random_body(rng)}
        links.append(st.Link(f"link{k}", joint=joint, **place))
    return st.Robot("long", links)


def test_long_arms_are_proved_modulo_a_prime_and_askew_ones_at_several_points():
    proof = at_points(long_arm(13))
    assert proof.holds and proof.residual == 0 and proof.compared == 26
    assert "V + G + S agree: exactly, modulo the prime 2⁶¹ − 1, at a random point" in str(proof)
    proof = at_points(long_arm(13, askew=True))
    assert proof.holds and 0 < proof.residual < 1e-13 and "at 3 random points (78 efforts), to " in str(proof)


def test_residues_are_a_field_with_points_of_the_circle():
    rng = np.random.default_rng(0)
    a, b = (Residue(int(x)) for x in rng.integers(1, PRIME, 2))
    assert (a + b) * (a - b) == a * a - b * b and a / b * b == a and 1 / a * a == 1
    assert -a + a == 0 and 2 - a == -(a - 2)
    assert Residue.of(Fraction(1, 3)) * 3 == 1 and Residue.of(0.1) * 10 == 1 and a**3 == a * a * a and a != b
    assert cos(a) ** 2 + sin(a) ** 2 == 1 and cos(Residue(0)) == 1 and sin(Residue(0)) == 0


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5", "scara"])
def test_large_arms_are_proved_in_exact_arithmetic(name):
    proof = equations(build(name)).proof
    assert proof.holds and proof.residual == 0
    assert "rational" in str(proof)


def test_only_what_is_asked_for_is_computed():
    eq = equations(spatial3r())
    assert eq.G is eq.G
    assert "M" not in eq.terms.__dict__ and "christoffel" not in eq.terms.__dict__


def test_the_output_is_the_same_every_time():
    code = (
        "from steiner.formulas import equations; from steiner.formulas.examples import spatial3r; "
        "eq = equations(spatial3r()); print(eq.latex(), eq.python(), eq.c())"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1 and len(texts.pop()) > 10_000


def test_mass_matrix_rate_minus_twice_the_coriolis_matrix_is_skew():
    eq = equations(anthropomorphic())
    rate = sum((eq.M.diff(q) * qd for q, qd in zip(eq.q, eq.qd, strict=True)), start=sp.zeros(3, 3))
    skew = rate - 2 * eq.coriolis_matrix
    assert sp.expand_trig(skew + skew.T).applyfunc(lambda e: sp.simplify(sp.expand(e))) == sp.zeros(3, 3)


def test_jacobians_give_the_mass_matrix():
    eq = equations(rr())
    total = sp.zeros(2, 2)
    for link in eq.robot.links:
        Jw, Jv = eq.jacobians[link.name]
        total += link.body.mass * Jv.T * Jv + Jw.T * sp.Matrix(link.body.inertia.tolist()) * Jw
    assert (total - eq.M).applyfunc(sp.simplify) == sp.zeros(2, 2)
    assert eq.jacobian("link2", "body").shape == (6, 2)


# ---- symbols anywhere ----------------------------------------------------------------------------


def test_a_symbolic_payload_and_symbolic_gravity_work():
    load = st.MassProperties(mp, (x, 0, 0), (0, 0, sp.Symbol("Ip")))
    carried = rr().with_payload(load, link="link2", pose=st.Pose(p=(l2, 0, 0)))
    eq, bare = equations(carried), equations(rr())
    assert eq.proof.holds and eq.proof.residual == 0
    assert sp.expand((eq.G - bare.G)[1] - mp * g * (l2 + x) * sp.cos(sum(eq.q))) == 0
    assert (eq.M.subs({mp: 0, sp.Symbol("Ip"): 0}) - bare.M).expand() == sp.zeros(2, 2)


def test_gravity_may_be_any_vector_of_symbols():
    gx, gy, gz = sp.symbols("gx gy gz")
    eq = equations(rr().replace(gravity=(gx, gy, gz)))
    P = eq.P
    assert (eq.G - sp.Matrix([P.diff(q) for q in eq.q])).applyfunc(sp.expand_trig).expand() == sp.zeros(2, 1)
    assert eq.G.has(gx) and eq.G.has(gy) and not eq.G.has(gz)


def test_joint_constants_may_be_symbols():
    J, b, f, h, k, delta = sp.symbols("J b f h k delta")
    joint = st.Helical(
        name="j", pitch=h, armature=J, multiplier=k, offset=delta, friction=st.Viscous(b) + st.Coulomb(f)
    )
    m, c, I = sp.symbols("m c I")
    eq = equations(st.Robot("screw", (st.Link("a", None, joint, body=bar(m, c, I)),), (0, -g, 0)))
    q, w = eq.q[0], eq.qd[0]
    assert sp.expand(eq.M[0] - k**2 * (I + m * (c**2 + h**2) + J)) == 0
    assert sp.expand(sp.expand_trig(eq.G[0] - k * m * g * c * sp.cos(k * q + delta))) == 0
    assert sp.expand(eq.F[0] - k * (b * k * w + f * sp.sign(k * w))).subs({k: 2, w: 3}) == 0


def test_a_coupled_joint_that_turns_half_as_fast_needs_half_angles():
    first = st.Link("a", None, st.Revolute(name="j1"), body=bar(*sp.symbols("m1 c1 I1")))
    half = st.Revolute(name="j2", follows="j1", multiplier=sp.Rational(1, 2))
    arm = st.Robot(
        "finger", (first, st.Link("b", "a", half, st.Pose(p=(l2, 0, 0)), bar(*sp.symbols("m2 c2 I2")))), (0, -g, 0)
    )
    eq = equations(arm)
    assert eq.proof.holds and eq.proof.residual == 0
    assert eq.M[0].has(sp.cos(eq.q[0] / 2))


def test_exact_angles_stay_exact():
    rows = [st.DH(alpha=sp.pi / 6, a=1, body=full_body(1)), st.DH(a=sp.sqrt(2), body=full_body(2))]
    eq = equations(st.Robot.from_dh(rows, gravity=(0, 0, -g)))
    assert eq.proof.holds and eq.proof.residual == 0
    assert not eq.tau.has(sp.Float)


def test_decimals_stay_decimals_and_round_off_is_not_printed():
    eq = equations(build("desk"))
    assert eq.M[0, 2] == 0  # 1e-18 of round-off beside 0.01
    assert eq.proof.holds
    q, qd, qdd = state(3)
    qd = np.abs(qd)
    assert at(eq.tau, eq, {}, q, qd, qdd)[:, 0] == pytest.approx(eq.robot.inverse_dynamics(q, qd, qdd), rel=1e-12)


# ---- other forms ---------------------------------------------------------------------------------


def test_the_base_parameter_form_of_rr_has_four_parameters():
    eq = equations(rr(), base_parameters=True)
    assert {s.name for s in eq.base_parameters} == {"Jzz1", "Jzz2", "hx1", "hx2"}
    back = eq.tau.subs(eq.base_parameters)
    assert (back - equations(rr()).tau).expand() == sp.zeros(2, 1)


def test_the_base_parameter_form_of_a_full_arm_gives_back_its_efforts():
    eq, plain = equations(spatial3r(), base_parameters=True), equations(spatial3r())
    assert len(eq.base_parameters) == 15
    _arm, values = numeric(spatial3r())
    s = state(3)
    named = {k: float(v.subs(values)) for k, v in eq.base_parameters.items()}
    assert at(eq.tau, eq, values | named, *s) == pytest.approx(at(plain.tau, plain, values, *s), rel=1e-10)
    with pytest.raises(st.SteinerError, match="constant"):
        _ = eq.P


@pytest.mark.parametrize("symbols", [False, True])
def test_the_base_parameter_form_of_a_large_arm_gives_back_its_efforts(symbols):
    robot = build("stanford")
    arm, values = numeric(with_symbols(robot)) if symbols else (robot, {})
    eq = equations(with_symbols(robot) if symbols else robot, base_parameters=True)
    named = {k.name: float(v.subs(values)) for k, v in eq.base_parameters.items()}
    space: dict = {}
    exec(eq.python("tau"), space)
    lengths = {s.name: values[s] for s in eq.parameters if s.name not in named}
    s = state(6)
    found = space["inverse_dynamics"](*s.tolist(), **named, **lengths)
    assert found == pytest.approx(arm.inverse_dynamics(*s), rel=1e-10)
    assert not any(x.name.startswith(("m", "I")) for x in eq.parameters if x.name[:2] != "mu")
    with pytest.raises(st.SteinerError, match="constant"):
        _ = eq.P


def test_a_panda_has_43_base_parameters():
    """Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca, RA-L 2019: 43 dynamic coefficients."""
    assert len(equations(build("panda"), base_parameters=True).base_parameters) == 43


def test_a_parameter_named_like_a_base_parameter_is_named():
    clash = rr().replace(gravity=(0, -sp.Symbol("hx1"), 0))
    with pytest.raises(st.SteinerError, match="parameter named hx1"):
        _ = equations(clash, base_parameters=True).M


def test_coordinates_may_have_other_names():
    theta = sp.symbols("theta1 theta2")
    eq = equations(rr(), q=theta)
    assert eq.M[0, 0].has(sp.cos(theta[1])) and eq.qd[0].name == "thetad1"
    assert r"\ddot{\theta}_{1}" in eq.latex()


# ---- size and speed ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "most"),
    [("rr", 63), ("planar3", 240), ("anthropomorphic", 140), ("spatial3r", 620)],
)
def test_expression_swell_is_bounded(name, most):
    assert equations(EXAMPLES[name]()).operations["tau"] <= most


@pytest.mark.parametrize(("name", "most"), [("puma560", 420), ("panda", 640)])
def test_sequences_of_large_arms_stay_short(name, most):
    eq = equations(build(name))
    tau = eq.tau
    assert isinstance(tau, Sequence)
    assert tau.operations <= most < tau.forecast
    assert sum(tau.counts.values()) == tau.operations and tau.counts["sin"] == tau.counts["cos"]


def test_small_arms_take_a_fraction_of_a_second_and_large_ones_milliseconds():
    equations(rr()).tau  # imports  # noqa: B018
    start = time.process_time()
    _ = equations(planar3()).tau
    closed = time.process_time()
    _ = equations(build("puma560")).tau.statements
    assert closed - start < 2 and time.process_time() - closed < 0.5


def test_expansion_first_says_how_large_it_will_be():
    eq = equations(build("scara"))
    with pytest.raises(st.SteinerError, match=r"operations with names and [\d,]+ without.*anyway=True"):
        eq.expanded("M")
    M = eq.expanded("M", anyway=True)
    q = state(4)[0]
    assert at(M, eq, {}, q, q, q) == pytest.approx(eq.robot.mass_matrix(q), rel=1e-12)


def test_definitions_of_a_sequence_unfold_to_its_value():
    eq = equations(with_symbols(build("scara")))
    sequence = eq.G
    arm, values = numeric(eq.robot)
    q = state(4)[0]
    known = dict(values) | dict(zip(eq.q, q, strict=True))
    for name, expression in sequence.definitions:
        known[name] = float(expression.subs(known))
    found = np.array(sequence.result.subs(known).tolist(), dtype=float)[:, 0]
    assert found == pytest.approx(arm.gravity_forces(q), rel=1e-12, abs=1e-12)


# ---- errors --------------------------------------------------------------------------------------


def test_a_parameter_named_like_a_coordinate_is_named():
    clash = rr().replace(gravity=(0, -sp.Symbol("q1"), 0))
    with pytest.raises(st.SteinerError, match=r"parameter named q1.*q=\["):
        equations(clash)
    assert equations(clash, q=sp.symbols("a1 a2")).G.has(sp.Symbol("q1"))
    with pytest.raises(st.SteinerError, match="parameter named qd2"):
        equations(rr().replace(gravity=(0, -sp.Symbol("qd2", positive=True), 0)))


def test_what_cannot_be_symbolic_is_named():
    with pytest.raises(st.SteinerError, match="zoo"):
        equations(rr().replace(gravity=(0, sp.zoo, 0)))
    f = sp.Function("f")(sp.Symbol("a"))
    with pytest.raises(st.SteinerError, match=r"f\(a\).*no sequence"):
        equations(with_symbols(build("scara")).replace(gravity=(0, 0, -f))).sequence("G").definitions  # noqa: B018


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: equations("rr"), "expected a Robot, got a str"),
        (lambda: equations(st.Robot("stone", (st.Link("a"),))), "no moving joint"),
        (lambda: equations(rr(), q=sp.symbols("a b c")), "expected 2 SymPy symbols"),
        (lambda: equations(rr()).latex("N"), "no term named 'N'"),
        (lambda: equations(rr()).derivation("kane"), "no method named 'kane'"),
        (lambda: equations(rr()).text("pdf"), "no format named 'pdf'"),
        (lambda: equations(rr()).text("c", derivation=True), "not a program"),
        (lambda: equations(rr()).base_parameters, "base_parameters=True"),
    ],
)
def test_errors_say_what_to_do(call, text):
    with pytest.raises(st.SteinerError, match=text):
        call()


def test_importing_steiner_does_not_import_sympy():
    code = "import sys, steiner; assert 'sympy' not in sys.modules and 'steiner.formulas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_equations_say_what_they_are():
    assert repr(equations(rr())) == "<Equations of RR: 2 joints, 8 parameters, written out>"
    assert "as sequences" in repr(equations(build("puma560")))
