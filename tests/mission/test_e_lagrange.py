"""E: Lagrangian dynamics, and what the equations are for.  E6's formulas belong to the equations' tests."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics as dy
from steiner.analysis.structure import structure, structure_map
from steiner.dynamics.lagrange import columns, mass_matrix_slopes, solids
from steiner.formulas.lagrange import energies, lagrange_equations
from steiner.model.dh import DH
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.robots import build
from steiner.spatial import Pose
from tests.comparing import close, five_point, floats
from tests.random_robots import random_robot, random_state

g, m1, m2, l1, lc1, lc2, I1, I2 = sp.symbols("g m1 m2 l1 l_c1 l_c2 I1 I2", positive=True)
DOWN = (0, -g, 0)


def body(m, x, I):
    return st.MassProperties(m, (x, 0, 0), [[0, 0, 0], [0, 0, 0], [0, 0, I]])


def rr() -> Robot:
    rows = [DH(a=l1, body=body(m1, lc1 - l1, I1)), DH(body=body(m2, lc2, I2))]
    return Robot.from_dh(rows, gravity=DOWN)


def rp() -> Robot:
    """The slider's axis is x of the turning link; l1 is the first centre, d₂ the second."""
    first = Link("one", None, st.Revolute(name="joint1"), body=body(m1, l1, I1))
    second = Link("two", "one", st.Prismatic(axis=(1, 0, 0), name="joint2"), body=body(m2, 0, I2))
    return Robot("rp", (first, second), gravity=DOWN)


def pr() -> Robot:
    first = Link("one", None, st.Prismatic(axis=(1, 0, 0), name="joint1"), body=body(m1, 0, I1))
    second = Link("two", "one", st.Revolute(name="joint2"), body=body(m2, lc2, I2))
    return Robot("pr", (first, second), gravity=DOWN)


def spatial() -> Robot:
    """Three joints in space with an oblique mount and a full tensor, all in symbols where it stays small."""
    a, b = sp.symbols("a b", positive=True)
    tensor = [[3, sp.Rational(1, 5), 0], [sp.Rational(1, 5), 4, sp.Rational(1, 3)], [0, sp.Rational(1, 3), 5]]
    rows = [
        DH(d=a, alpha=sp.pi / 2, body=st.MassProperties(m1, (0, lc1, 0), tensor)),
        DH(a=b, joint="revolute", body=st.MassProperties(m2, (lc2, 0, 0), tensor)),
        DH(joint="prismatic", alpha=sp.pi / 2, body=st.MassProperties(1, (0, 0, 0), tensor)),
    ]
    return Robot.from_dh(rows, gravity=(0, 0, -g))


def symbols(n):
    return sp.symbols(f"q1:{n + 1}"), sp.symbols(f"v1:{n + 1}"), sp.symbols(f"a1:{n + 1}")


@pytest.mark.parametrize("make", [rr, rp, pr, spatial])
def test_E1_lagrange_is_newton_euler_as_an_identity(make):
    robot = make()
    q, qd, qdd = symbols(robot.n)
    by_energy = lagrange_equations(robot, q, qd, qdd)
    by_force = robot.inverse_dynamics(q, qd, qdd)
    for a, b in zip(by_energy, by_force, strict=True):
        assert sp.simplify(sp.expand_trig(sp.expand(a - b))) == 0


def test_E1_exact_numbers_stay_exact():
    """Zero means zero: rational numbers through a helical joint, a rotor and a branch."""
    one, screw = sp.Integer(1), sp.Rational(1, 3)
    links = (
        Link("a", None, st.Revolute(name="j1", armature=sp.Rational(1, 7)), body=body(2 * one, 3 * one, 5 * one)),
        Link("b", "a", st.Helical(name="j2", axis=(1, 0, 0), pitch=screw), Pose(p=(1, 2, 3)), body(3 * one, one, one)),
        Link("c", "a", st.Prismatic(name="j3", axis=(0, 1, 0)), Pose(p=(0, 1, 0)), body(one, one, one)),
    )
    robot = Robot("branch", links, gravity=(1, 2, -10))
    q, qd, qdd = symbols(3)
    difference = lagrange_equations(robot, q, qd, qdd) - robot.inverse_dynamics(q, qd, qdd)
    assert not any(x.atoms(sp.Float) for x in difference)
    assert all(sp.simplify(x) == 0 for x in difference)


def test_E1_energies_are_those_of_the_textbook():
    q, qd, _ = symbols(2)
    K, P = energies(pr(), q, qd)
    v = (m1 + m2) * qd[0] ** 2 / 2 - m2 * lc2 * sp.sin(q[1]) * qd[0] * qd[1] + (I2 + m2 * lc2**2) * qd[1] ** 2 / 2
    assert sp.simplify(K - v) == 0
    assert sp.simplify(P - m2 * g * lc2 * sp.sin(q[1])) == 0


@pytest.mark.parametrize("name", ["rr", "scara", "stanford", "puma560", "nm7mar"])
def test_E2_the_mass_matrix_is_the_sum_of_jacobians(name):
    robot = build(name)
    q = np.random.default_rng(0).uniform(-1, 1, robot.n)
    assert close(robot.mass_matrix(q), dy.mass_matrix_by_jacobians(robot, q))


def test_E2_jacobians_of_the_centres_of_mass_are_public_and_right():
    """Jv = ∂p_C/∂q, Jω = [ε̄ z]: by differences of the positions, and column by column from robot.jacobian."""
    robot = build("stanford")
    q = np.random.default_rng(1).uniform(-1, 1, 6)
    M = np.diag([b.joint.armature for b in robot.bodies])
    for i, link in enumerate(robot.links):
        J = robot.jacobian(q, link.name, "aligned", link.body.com)
        at = lambda x, link=link: robot.forward_kinematics(x, link.name).apply(link.body.com)  # noqa: E731
        assert np.abs(five_point(at, q) - J[3:]).max() < 1e-9
        assert np.all(J[:, i + 1 :] == 0)  # columns after link i are zero
        for k, b in enumerate(robot.bodies[: i + 1]):
            z = robot.forward_kinematics(q, b.name).R @ b.frame.R.T @ [0, 0, 1]
            assert np.allclose(J[:3, k], z if b.joint.turn else 0, atol=1e-14)  # ε̄ = 1 revolute, 0 prismatic
        R = robot.forward_kinematics(q, link.name).R
        M = M + link.body.mass * J[3:].T @ J[3:] + J[:3].T @ R @ link.body.inertia @ R.T @ J[:3]
    assert close(robot.mass_matrix(q), M)


def test_E2_the_internal_jacobians_are_those_of_the_method():
    robot = random_robot(6, payloads=0, fixed=0)
    q, _, _ = random_state(robot)
    moving = [k for k in robot.links if robot.place(k.name).body >= 0]
    for link, solid in zip(moving, solids(robot.tree, q), strict=True):
        J = np.zeros((6, robot.n))
        for ray, (w, v) in zip(solid.rays, columns(solid), strict=True):
            J[:, ray.column] = floats(np.concatenate([w, v]))
        assert close(J, robot.jacobian(q, link.name, "aligned", link.body.com), 1e-11)


@pytest.mark.parametrize("name", ["rr", "scara", "stanford", "puma560", "iiwa"])
def test_E3_structure_of_the_mass_matrix(name):
    robot = build(name)
    rng = np.random.default_rng(2)
    q = rng.uniform(-1, 1, robot.n)
    M = robot.mass_matrix(q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0
    slopes = floats(mass_matrix_slopes(robot.tree, q))
    assert np.abs(slopes[:, :, 0]).max() < 1e-12  # independent of q₁
    for i in range(robot.n):  # m_ii depends on q_{i+1..n} only, m_nn on nothing
        assert np.abs(slopes[i, i, : i + 1]).max() < 1e-12
    other = robot.mass_matrix(rng.uniform(-1, 1, robot.n))
    assert M[-1, -1] == pytest.approx(other[-1, -1], rel=1e-13)


def test_E4_symbols_are_derivatives_of_the_mass_matrix():
    robot = rr()
    q, qd, _ = symbols(2)
    M, b = robot.mass_matrix(q), robot.christoffel(q)
    for i in range(2):
        for j in range(2):
            for k in range(2):
                slope = sp.diff(M[i, j], q[k]) + sp.diff(M[i, k], q[j]) - sp.diff(M[j, k], q[i])
                assert sp.simplify(b[i, j, k] - slope / 2) == 0
    V = robot.velocity_forces(q, qd)
    rate = sp.Matrix(M).applyfunc(lambda x: sum(sp.diff(x, q[k]) * qd[k] for k in range(2)))
    v = sp.Matrix(qd)
    quadratic = sp.Matrix([(v.T * sp.Matrix(M).diff(q[i]) * v)[0] for i in range(2)])
    assert sp.simplify(sp.Matrix(V) - (rate * v - quadratic / 2)) == sp.zeros(2, 1)
    C = sp.Matrix(robot.coriolis_matrix(q, qd))
    X = rate - 2 * C
    assert sp.simplify(X + X.T) == sp.zeros(2, 2)


@pytest.mark.parametrize("name", ["rp", "pr", "pp", "rr", "scara", "stanford", "puma560", "panda"])
def test_E4_all_three_forms_agree(name):
    robot = build(name)
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-1, 1, (2, robot.n))
    V, terms = robot.velocity_forces(q, qd), robot.centrifugal_coriolis(q)
    pairs = [qd[j] * qd[k] for j in range(robot.n) for k in range(j + 1, robot.n)]
    names = robot.joint_names
    assert terms.pairs == tuple(f"{names[j]}*{names[k]}" for j in range(robot.n) for k in range(j + 1, robot.n))
    scale = max(np.abs(robot.christoffel(q)).max(), 1e-300)
    assert np.abs(terms.C @ qd**2 + terms.B @ pairs - V).max() <= 1e-13 * scale * robot.n**2
    assert np.abs(robot.coriolis_matrix(q, qd) @ qd - V).max() <= 1e-13 * scale * robot.n**2
    X = floats(mass_matrix_slopes(robot.tree, q)) @ qd - 2 * robot.coriolis_matrix(q, qd)
    assert np.abs(X + X.T).max() <= 1e-12 * scale
    assert not robot.velocity_forces(q, 0 * qd).any()  # q̇ = 0


def test_E4_a_constant_mass_matrix_has_no_velocity_forces():
    robot = build("pp")
    q, qd = np.random.default_rng(4).uniform(-1, 1, (2, 2))
    assert not robot.velocity_forces(q, qd).any()
    assert not robot.christoffel(q).any()


@pytest.mark.parametrize("name", ["rp", "pr", "pp", "rr", "stanford", "puma560", "panda"])
def test_E5_gravity_both_ways(name):
    robot = build(name)
    q = np.random.default_rng(5).uniform(-1, 1, robot.n)
    G = robot.gravity_forces(q)
    assert close(G, dy.gravity_by_jacobians(robot, q))
    assert np.abs(five_point(robot.potential_energy, q) - G).max() < 1e-9 * np.abs(G).max()


def test_E5_gravity_is_the_gradient_as_an_identity():
    robot = rr()
    q, _, _ = symbols(2)
    P = robot.potential_energy(q)
    assert all(sp.simplify(x - sp.diff(P, s)) == 0 for x, s in zip(robot.gravity_forces(q), q, strict=True))


def test_E7a_inertia_ellipsoid_of_a_pendulum_tool():
    """Two point masses on rr's links: what the tool feels along the last link is infinite when stretched."""
    robot = build("rr")
    straight = structure(robot, [0.3, 0.0], "tool")
    away = (np.cos(0.3), np.sin(0.3), 0)
    assert straight.reflected_inertia(away) == np.inf
    assert straight.manipulability("linear") == pytest.approx(0, abs=1e-12)
    bent = structure(robot, [0.3, 1.2], "tool")
    ellipsoid = bent.ellipsoid()
    for value, axis in zip(ellipsoid.felt, ellipsoid.axes.T, strict=True):
        felt = bent.reflected_inertia(axis)
        assert felt == pytest.approx(value) if np.isfinite(value) else felt == np.inf
    f = 7.0 * ellipsoid.axes[:, -1]  # a push along a principal axis accelerates the tool along it
    qdd = np.linalg.solve(bent.mass_matrix, bent.jacobian[3:].T @ f)
    assert close(bent.jacobian[3:] @ qdd, f / ellipsoid.felt[-1], 1e-10)


def test_E7a_conditioning_over_the_workspace():
    robot = build("rr")
    surface = structure_map(robot, [0, 0], ("joint1", "joint2"), link="tool", samples=21, ranges=[(-3, 3), (-3, 3)])
    assert surface.values.shape == (21, 21) and surface.position.shape == (21, 21, 3)
    assert np.ptp(surface.values, axis=0).max() < 1e-9 * surface.values.max()  # independent of q₁
    assert np.ptp(surface.values[0]) > 1  # but not of q₂
    i, j = 4, 7
    M = robot.mass_matrix([surface.grid[0][i], surface.grid[1][j]])
    assert surface.values[i, j] == pytest.approx(np.linalg.cond(M))


def test_E7a_a_map_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install steiner[report]")
    matplotlib.use("Agg")
    robot = build("puma560")
    drawn = structure_map(robot, np.zeros(6), ("joint2", "joint3"), quantity="linear manipulability", samples=9).plot()
    assert drawn.get_xlabel() == "x / m" and len(drawn.collections[0].get_offsets()) == 81


def test_C6_a_manipulated_object_moves_with_the_last_link():
    """K gains ½ m |v_n + ω × r_p|² + ½ ωᵀ I_p ω; torques and M change by those of the object alone."""
    robot = build("nm7mar")
    object_ = st.MassProperties(1.3, (0, 0, 0), (0.02, 0.03, 0.04))
    pose = Pose.from_rpy((0.1, 0.02, 0.3), (0.3, 0.2, 0.1))
    last = robot.link_names[-1]
    loaded = robot.with_payload(object_, link=last, pose=pose)
    q, qd, qdd = np.random.default_rng(8).uniform(-1, 1, (3, robot.n))
    V = robot.jacobian(q, last, "body") @ qd
    w, v = V[:3], V[3:] + np.cross(V[:3], pose.p)
    I = pose.R @ object_.inertia @ pose.R.T
    gain = object_.mass * v @ v / 2 + w @ I @ w / 2
    assert loaded.kinetic_energy(q, qd) - robot.kinetic_energy(q, qd) == pytest.approx(gain)
    J = robot.jacobian(q, last, "body", pose.p)
    assert close(loaded.mass_matrix(q) - robot.mass_matrix(q), 1.3 * J[3:].T @ J[3:] + J[:3].T @ I @ J[:3], 1e-11)
    share = loaded.torque_breakdown(q, qd, qdd)["payload"]
    assert close(share, loaded.rnea(q, qd, qdd) - robot.rnea(q, qd, qdd), 1e-11)
    cube = st.MassProperties(1.0, (0, 0, 0), np.full(3, 0.2**2 / 6))  # m w²/6 however it is turned
    turned = cube.moved(Pose.from_rpy((0, 0, 0), (1, 2, 3)))
    assert close(turned.inertia, np.eye(3) * 0.2**2 / 6, 1e-14)


# ---- errors in the deck --------------------------------------------------------------------------


def test_X15_the_first_entry_of_RR_holds_both_moments_of_inertia():
    M = sp.Matrix(rr().mass_matrix(symbols(2)[0]))
    q2 = symbols(2)[0][1]
    printed = m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * sp.cos(q2))
    assert sp.simplify(M[0, 0] - printed) == I2
    wrong = M.copy()
    wrong[0, 0] = printed
    numbers = {m1: 1, m2: 1, l1: sp.Rational(1, 10), lc1: 0, lc2: 0, I1: sp.Rational(1, 100), I2: 5, q2: 1}
    assert sp.det(wrong.subs(numbers)) < 0 < sp.det(M.subs(numbers))  # as printed, M can be indefinite


def test_X16_gravity_of_RR_has_its_bracket_around_both_terms():
    q1, q2 = symbols(2)[0]
    G = rr().gravity_forces((q1, q2))
    right = g * m2 * (lc2 * sp.cos(q1 + q2) + l1 * sp.cos(q1)) + g * m1 * lc1 * sp.cos(q1)
    printed = g * m2 * (lc2 * sp.cos(q1 + q2)) + l1 * sp.cos(q1) + g * m1 * lc1 * sp.cos(q1)
    assert sp.simplify(sp.expand_trig(G[0] - right)) == 0
    assert sp.simplify(sp.expand_trig(G[0] - printed)) != 0


def test_X17_axes_at_the_centre_of_mass_do_not_make_the_tensor_diagonal():
    box = st.MassProperties(1.0, (0, 0, 0), (1.0, 2.0, 2.5)).moved(Pose.from_rpy((0, 0, 0), (0.3, 0.4, 0.5)))
    off = box.inertia - np.diag(np.diag(box.inertia))
    assert np.abs(off).max() > 0.1
    moments, R = box.principal()
    assert close(R.T @ box.inertia @ R, np.diag(moments), 1e-14)
