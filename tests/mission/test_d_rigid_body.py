"""D: one rigid body, twists and wrenches, statics."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.dynamics.rigid_body import RigidBody, point_acceleration, point_velocity
from steiner.errors import GeometryError
from steiner.robots import build
from steiner.solids.shapes import Particles
from steiner.spatial import Ad, Pose, ad, exp, log, skew, twist_to_parent, wrench_to_child
from tests.comparing import close, floats
from tests.random_robots import random_body, random_pose, random_robot, random_state

RNG = np.random.default_rng(0)


def test_D1_acceleration_of_a_point_from_the_twist():
    """p̈ = v̇ + [ω̇] r + [ω] v + [ω]² r, against the second derivative of where the point is."""
    V, dV = RNG.normal(size=(2, 6))
    r = RNG.normal(size=3)
    w, v, dw, dv = V[:3], V[3:], dV[:3], dV[3:]
    formula = dv + skew(dw) @ r + skew(w) @ v + skew(w) @ skew(w) @ r
    assert close(point_acceleration(V, dV, r), formula)
    assert close(RigidBody(random_body(RNG)).point_acceleration(V, dV, r), formula)

    def where(t: float) -> np.ndarray:
        """Pose after a short time with body twist V + dV t: fourth-order Magnus expansion."""
        step = V * t + dV * t * t / 2 - ad(V) @ dV * t**3 / 12
        return exp(step).apply(r)

    h = 1e-3
    second = (-where(2 * h) + 16 * where(h) - 30 * where(0) + 16 * where(-h) - where(-2 * h)) / (12 * h * h)
    assert close(second, formula, 1e-7)
    first = (where(-2 * h) - 8 * where(-h) + 8 * where(h) - where(2 * h)) / (12 * h)
    assert close(first, point_velocity(V, r), 1e-9)


def test_D2_newton_and_euler_at_the_centre_of_mass():
    body = RigidBody(st.MassProperties(2.0, (0, 0, 0), random_body(RNG).inertia))
    V, dV = RNG.normal(size=(2, 6))
    w, v = V[:3], V[3:]
    F = body.inverse(V, dV)
    I = body.body.inertia
    assert close(F[3:], 2.0 * (dV[3:] + skew(w) @ v))
    assert close(F[:3], I @ dV[:3] + skew(w) @ I @ w)
    assert body.kinetic_energy([*w, 0, 0, 0]) == pytest.approx(w @ I @ w / 2)


def test_D2_K6_the_tensor_is_minus_the_sum_of_squares():
    """I = −Σ mᵢ[rᵢ]², and what follows for K and the moment, from the particles by numpy's cross product alone."""
    masses, points = RNG.uniform(0.1, 1, 7), RNG.normal(size=(7, 3))
    arms = points - masses @ points / masses.sum()
    brackets = [np.cross(np.eye(3), r) for r in arms]  # [r], or [r]ᵀ: its square is the same
    I = -sum(m * b @ b for m, b in zip(masses, brackets, strict=True))
    cloud = Particles(masses, points)
    assert close(cloud.mass_properties.inertia, I)
    body = RigidBody(cloud.mass_properties.moved(Pose(p=-cloud.com)))  # {b} at the centre of mass
    assert close(body.G[:3, :3], I) and close(body.G[3:, 3:], masses.sum() * np.eye(3))
    assert not np.abs(body.G[:3, 3:]).max() > 1e-15
    w, dw = RNG.normal(size=(2, 3))
    velocities, still = np.cross(w, arms), (0, 0, 0)
    assert body.kinetic_energy([*w, *still]) == pytest.approx(masses @ (velocities**2).sum(axis=1) / 2)
    accelerations = np.cross(dw, arms) + np.cross(w, velocities)
    moment = np.cross(arms, masses[:, None] * accelerations).sum(axis=0)
    assert close(body.inverse([*w, *still], [*dw, *still])[:3], moment)
    assert close([skew(r) @ w for r in arms], np.cross(arms, w), 1e-14)


def test_D3_spatial_inertia_momentum_and_bracket():
    V, W, dV = RNG.normal(size=(3, 6))
    assert close(ad(V) @ W, -ad(W) @ V)
    body = RigidBody(random_body(RNG))
    G = body.G
    assert close(body.inverse(V, dV), G @ dV - ad(V).T @ G @ V)
    assert body.kinetic_energy(V) == pytest.approx(V @ G @ V / 2)
    assert close(body.momentum(V), G @ V)
    assert body.kinetic_energy(V) == pytest.approx(body.body.kinetic_energy(V))


def test_D3_identities_hold_for_symbols():
    V, W = sp.symbols("v1:7"), sp.symbols("w1:7")
    assert all(sp.expand(x) == 0 for x in ad(np.array(V)) @ np.array(W) + ad(np.array(W)) @ np.array(V))


def test_D4_all_of_it_in_other_frames():
    body, T_ab = RigidBody(random_body(RNG)), random_pose(RNG)
    V_b, dV_b = RNG.normal(size=(2, 6))
    A = Ad(T_ab.inverse())  # Ad(T_ba)
    there = body.moved(T_ab)
    assert close(there.G, A.T @ body.G @ A)
    V_a, dV_a = twist_to_parent(T_ab, V_b), twist_to_parent(T_ab, dV_b)
    F_b, F_a = body.inverse(V_b, dV_b), there.inverse(V_a, dV_a)
    assert close(F_b, Ad(T_ab).T @ F_a)
    assert close(F_b, wrench_to_child(T_ab, F_a))
    assert F_a @ V_a == pytest.approx(F_b @ V_b)  # power
    assert there.kinetic_energy(V_a) == pytest.approx(body.kinetic_energy(V_b))


def test_D4_exp_and_log_invert_each_other():
    for scale in (1e-9, 1e-3, 1.0, 3.0):
        S = RNG.normal(size=6)
        S = S / np.linalg.norm(S[:3]) * scale
        assert close(log(exp(S)), S, 1e-9 if scale < 1e-6 else 1e-12)
    assert close(exp([0, 0, 0, 1, 2, 3], 2).p, [2, 4, 6])


def test_D5_forward_inverts_inverse():
    for _ in range(20):
        body = RigidBody(random_body(RNG))
        V, dV = RNG.normal(size=(2, 6))
        assert close(body.forward(V, body.inverse(V, dV)), dV, 1e-11)


def test_D5_a_free_asymmetric_body_keeps_energy_and_momentum_for_100_turns():
    body = RigidBody(st.MassProperties(2.0, (0.1, -0.05, 0.2), np.diag([0.1, 0.2, 0.25])))
    w = 6.0
    motion = body.simulate((0.1, w, 0.2, 0.3, 0.1, -0.2), 100 * 2 * np.pi / w, samples=26, rtol=1e-8)
    assert np.ptp(motion.energy) / motion.energy[0] < 1e-9
    assert np.abs(motion.momentum - motion.momentum[0]).max() / np.abs(motion.momentum[0]).max() < 1e-9
    assert np.ptp(motion.twist[:, 1]) > 1.9 * w  # it tumbles about its middle axis: not a steady spin


def test_D5_a_symmetric_top_precesses_as_euler_says():
    """A = B: ω₃ constant, the transverse rate turns with Ω = ω₃ (C − A)/A."""
    A, C, w3 = 0.2, 0.3, 5.0
    body = RigidBody(st.MassProperties(1.0, (0, 0, 0), (A, A, C)))
    motion = body.simulate((0.4, 0, w3, 0, 0, 0), 3.0, samples=31)
    rate = w3 * (C - A) / A
    expected = np.stack([0.4 * np.cos(rate * motion.t), 0.4 * np.sin(rate * motion.t), w3 + 0 * motion.t], axis=1)
    assert np.abs(motion.twist[:, :3] - expected).max() < 1e-9


def test_D5_a_thrown_body_falls_on_a_parabola():
    body = RigidBody(st.MassProperties(3.0, (0, 0, 0), (0.1, 0.2, 0.25)))

    def weight(t, pose, V):
        return [0, 0, 0, *(pose.R.T @ [0, 0, -3.0 * 9.81])]

    motion = body.simulate((1, 2, 3, 4, 0, 5), 1.0, wrench=weight, samples=6)
    assert np.abs(motion.pose.p[-1] - [4, 0, 5 - 9.81 / 2]).max() < 1e-9
    work = -3.0 * 9.81 * motion.pose.p[:, 2]
    assert np.ptp(motion.energy - work) < 1e-9 * motion.energy[0]


def test_D5_an_unphysical_body_is_refused():
    with pytest.raises(GeometryError, match="no distribution of mass"):
        RigidBody(st.MassProperties(1.0, (0, 0, 0), (1, 1, 5)))


def test_D6_the_hand_with_the_apple():
    F_h, F_a = (0, 0, 0, 0, -5, 0), (0, 0, 0, 0, 0, 1)
    T_hf = Pose(np.eye(3), (-0.1, 0, 0))
    T_af = Pose([[1, 0, 0], [0, 0, 1], [0, -1, 0]], (-0.25, 0, 0))
    F_f = Ad(T_hf).T @ F_h + Ad(T_af).T @ F_a
    assert np.allclose(F_f, [0, 0, -0.75, 0, -6, 0], atol=1e-15)
    hand, apple = st.Wrench(F_h[:3], F_h[3:]).in_frame("f", T_hf), st.Wrench(F_a[:3], F_a[3:]).in_frame("f", T_af)
    assert np.allclose((hand + apple).vector, F_f, atol=1e-15)


def test_D6_the_same_from_a_robot_that_holds_the_apple():
    """The sensor is a joint: hand and apple hang on it, gravity along −y."""
    hand, apple = st.MassProperties(0.5, (0.1, 0, 0), np.zeros(3)), st.MassProperties(0.1, (0.25, 0, 0), np.zeros(3))
    robot = st.Robot("hand", (st.Link("hand", None, st.Revolute(name="sensor"), body=hand),), (0, -10, 0))
    wrench = robot.with_payload(apple).joint_reactions([0.0], [0.0], [0.0]).named()["sensor"]
    assert np.allclose(-wrench, [0, 0, -0.75, 0, -6, 0], atol=1e-15)  # what the hand exerts on the sensor


@pytest.mark.parametrize("frame", ["body", "space"])
def test_D7_torque_of_a_wrench_that_the_robot_exerts(frame):
    robot = build("puma560")
    q = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.6])
    F = RNG.normal(size=6)
    T = robot.forward_kinematics(q, "link6")
    if frame == "body":
        W = st.Wrench(F[:3], F[3:], acting_on="link6", axes="link")
    else:  # about the world's origin, moved to the link's
        W = st.Wrench(F[:3] - np.cross(T.p, F[3:]), F[3:], acting_on="link6")
    J = robot.jacobian(q, "link6", frame)
    assert close(robot.static_torque(q, exerted_by_robot=W, gravity=False), J.T @ F)
    assert close(robot.static_torque(q, external=W, gravity=False), -J.T @ F)
    alone = st.dynamics.static_torque(robot, q, exerted_by_robot=W, gravity=False)  # the text, without a kernel
    assert close(floats(alone), J.T @ F)
    assert close(robot.static_torque(q, exerted_by_robot=W), J.T @ F + robot.gravity_forces(q))


def test_D7_equilibrium_under_the_opposite_wrench():
    """An external wrench −F and the torques JᵀF + g: the arm stays where it is."""
    robot = build("puma560")
    q = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.6])
    F = st.Wrench((1, 2, 3), (4, 5, 6), acting_on="link6")
    back = st.Wrench((-1, -2, -3), (-4, -5, -6), acting_on="link6")
    tau = robot.static_torque(q, exerted_by_robot=F)
    assert np.abs(robot.forward_dynamics(q, 0 * q, tau, external=back)).max() < 1e-11


def test_D7_power_at_the_joints_moves_the_robot_and_the_end_effector():
    robot = random_robot(2, friction=False)
    q, qd, qdd = random_state(robot)
    link = robot.link_names[-1]
    F = np.array([1.0, 2, 3, 4, 5, 6])
    W = st.Wrench(-F[:3], -F[3:], acting_on=link, axes="link")  # the environment's answer
    V = robot.jacobian(q, link, "body") @ qd
    moving = qd @ robot.inverse_dynamics(q, qd, qdd)
    assert qd @ robot.inverse_dynamics(q, qd, qdd, external=W) == pytest.approx(moving + F @ V)


def test_X14_the_twist_wrench_step_needs_a_minus_sign():
    body = RigidBody(st.MassProperties(2.0, (0, 0, 0), random_body(RNG).inertia))
    V, dV = RNG.normal(size=(2, 6))
    w, I = V[:3], body.body.inertia
    true = np.concatenate([I @ dV[:3] + skew(w) @ I @ w, 2.0 * (dV[3:] + skew(w) @ V[3:])])
    assert close(body.G @ dV - ad(V).T @ body.G @ V, true)
    assert not close(body.G @ dV + ad(V).T @ body.G @ V, true, 1e-2)  # as printed
    assert close(floats(body.inverse(V, dV)), true)


def test_a_wrench_that_fails_is_told_with_its_time():
    body = st.RigidBody(st.Box(0.1, 0.2, 0.3).with_mass(1.0))
    with pytest.raises(st.SteinerError, match=r"the wrench fails at t = [\d.e-]+ s: division by zero"):
        body.simulate((1, 0, 0, 0, 0, 0), 1.0, wrench=lambda t, pose, V: (0, 0, 0, 1 / 0, 0, 0))
