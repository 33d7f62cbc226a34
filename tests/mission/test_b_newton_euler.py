"""B: Newton-Euler dynamics, as the decks ask for it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import steiner as st
from steiner import dynamics as dy
from steiner.dynamics.newton_euler import BodyState
from steiner.model.answers import BaseMotion
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.robots import build
from tests.comparing import close, floats
from tests.random_robots import random_robot, random_state

ARMS = ("rp", "pr", "rr", "scara", "puma560", "stanford", "panda")


@pytest.mark.parametrize("name", ARMS)
def test_B1_inverse_and_forward_invert_each_other(name):
    robot = build(name)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 20, robot.n))
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(robot.forward_dynamics(q, qd, tau) - qdd).max() < 1e-10
    assert np.abs(robot.inverse_dynamics(q, qd, robot.forward_dynamics(q, qd, qdd)) - qdd).max() < 1e-9


@pytest.mark.parametrize("name", ARMS)
def test_B1_torque_is_M_V_G_and_F(name):
    robot = build(name)
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, robot.n))
    V, G, F = robot.velocity_forces(q, qd), robot.gravity_forces(q), robot.friction_forces(q, qd)
    assert close(robot.inverse_dynamics(q, qd, qdd), robot.mass_matrix(q) @ qdd + V + G + F)
    assert close(robot.bias_forces(q, qd), robot.velocity_forces(q, qd) + robot.gravity_forces(q))


def test_B2_at_rest_every_link_is_pushed_up_with_its_weight():
    robot = build("puma560").replace(gravity=(0.0, 0.0, -9.81))
    q = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.6])
    table = robot.newton_euler(q, 0 * q, 0 * q)
    poses = robot.forward_kinematics(q)
    for i, name in enumerate(table.links):
        up = poses[name].R @ table.force[i]
        assert np.allclose(up, [0, 0, robot.link(name).body.mass * 9.81], atol=1e-12)  # F = m g upwards
        assert np.allclose(table.moment[i], 0, atol=1e-12)


def test_B2_every_intermediate_quantity_obeys_newton_and_euler():
    robot = random_robot(4, payloads=0, fixed=0)
    q, qd, qdd = random_state(robot)
    table = robot.newton_euler(q, qd, qdd)
    for i, name in enumerate(table.links):
        body, w, dw = robot.link(name).body, table.angular_velocity[i], table.angular_acceleration[i]
        at_com = table.acceleration[i] + np.cross(dw, body.com) + np.cross(w, np.cross(w, body.com))
        assert close(table.com_acceleration[i], at_com)
        assert close(table.force[i], body.mass * table.com_acceleration[i])
        assert np.allclose(table.moment[i], body.inertia @ dw + np.cross(w, body.inertia @ w), rtol=1e-12, atol=1e-14)
    assert np.abs(table.moment).max() > 0.1
    assert close(table.tau, robot.inverse_dynamics(q, qd, qdd) - [b.joint.armature for b in robot.bodies] * qdd)


def test_B2_the_table_can_be_read_and_shown():
    robot = build("rr")
    table = robot.newton_euler([0.1, 0.2], [1, 2], [0, 0])
    text, page = table.table(), table._repr_html_()
    assert text.splitlines()[0].split() == ["link", "ω", "ω̇", "v̇", "v̇_C", "F", "N", "f", "n"]
    assert all(name in text and name in page for name in table.links)
    assert page.startswith("<table>")
    batch = robot.newton_euler(np.zeros((4, 2)), np.zeros(2), np.zeros(2))
    assert batch.force.shape == (4, 2, 3)
    assert "batch" in batch.table()


def test_B2_a_base_that_accelerates_upwards_feels_like_more_gravity():
    robot = build("puma560")
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    lifted = robot.newton_euler(q, qd, qdd, base=BaseMotion(acceleration=(0, 0, 2.0)))
    heavier = robot.replace(gravity=(0, 0, -11.81)).newton_euler(q, qd, qdd)
    assert close(lifted.tau, heavier.tau)
    assert close(lifted.joint_moment, heavier.joint_moment)


def test_B2_a_base_that_turns_throws_outwards():
    """A point mass on a slide along x, on a base that turns with ω about z: f = −m ω² x + 2 m … along the slide."""
    bead = st.MassProperties(2.0, (0, 0, 0), np.zeros(3))
    slider = Robot("slider", (Link("bead", None, st.Prismatic(axis=(1, 0, 0)), body=bead),))
    x, v, a, w = 0.7, 0.3, 0.2, 3.0
    table = slider.newton_euler([x], [v], [a], base=BaseMotion(angular_velocity=(0, 0, w)))
    assert table.tau[0] == pytest.approx(2.0 * (a - w * w * x))
    assert table.joint_force[0][1] == pytest.approx(2.0 * 2 * w * v)  # Coriolis, carried by the guide


def test_B3_revolute_joints_project_the_moment_and_prismatic_ones_the_force():
    for name in ("rp", "pr", "stanford"):
        robot = build(name)
        q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, robot.n))
        wrench = robot.joint_reactions(q, qd, qdd).wrench
        for i, body in enumerate(robot.bodies):
            axis = body.frame.R.T @ [0, 0, 1]
            effort = axis @ (wrench[i, :3] if body.joint.turn else wrench[i, 3:])
            rest = robot.inverse_dynamics(q, qd, qdd, friction=False)[i] - body.joint.armature * qdd[i]
            assert effort == pytest.approx(rest, rel=1e-12, abs=1e-12)


def test_B3_a_mass_on_a_turning_rod_feels_coriolis_and_centrifugal_forces():
    """RP with q̈ = 0, no gravity: τ₁ = 2 m d θ̇ ḋ (2ω×ḋẑ) and f₂ = −m d θ̇²."""
    m, d, dth, dd = 1.7, 0.6, 1.1, 0.4
    robot = Robot(
        "rp",
        (
            Link("rod", None, st.Revolute()),
            Link("bead", "rod", st.Prismatic(axis=(1, 0, 0)), body=st.MassProperties(m, (0, 0, 0), np.zeros(3))),
        ),
        gravity=(0, 0, 0),
    )
    assert close(robot.inverse_dynamics([0.3, d], [dth, dd], [0, 0]), [2 * m * d * dth * dd, -m * d * dth**2])


@pytest.mark.parametrize("axes", ["world", "link"])
@pytest.mark.parametrize("link", ["k0", "k3", "k6"])
def test_B4_a_wrench_on_any_link_costs_minus_JT_F(link, axes):
    robot = random_robot(11)
    q, qd, qdd = random_state(robot)
    at = np.array([0.2, -0.1, 0.3])
    F = st.Wrench(moment=(1, 2, 3), force=(-4, 5, 6), acting_on=link, at=at, axes=axes)
    J = robot.jacobian(q, link, "aligned" if axes == "world" else "body", at)
    change = robot.inverse_dynamics(q, qd, qdd, external=F) - robot.inverse_dynamics(q, qd, qdd)
    assert close(change, -J.T @ F.vector, 1e-10)
    twice = robot.inverse_dynamics(q, qd, qdd, external=[F, F]) - robot.inverse_dynamics(q, qd, qdd)
    assert close(twice, 2 * change, 1e-10)


def test_B4_the_last_joint_carries_what_the_environment_pushes_back():
    """The inward pass starts with f = −F_env: a weightless arm at rest passes the wrench on unchanged."""
    robot = build("puma560").replace(gravity=(0, 0, 0))
    q = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.6])
    F = st.Wrench(force=(1, 2, 3), acting_on="link6", axes="link")
    wrench = robot.joint_reactions(q, 0 * q, 0 * q, external=F).named()["joint6"]
    assert close(wrench[3:], [-1, -2, -3])


def test_B5_friction_models():
    viscous, coulomb = st.Viscous(2.0), st.Coulomb(3.0, 1.0)
    stribeck = st.Stribeck(5.0, 3.0, 0.1)
    assert [viscous.effort(v) for v in (-1.5, 0, 1.5)] == [-3, 0, 3]
    assert [coulomb.effort(v) for v in (-1.5, 0, 1.5)] == [-1, 0, 3]
    assert stribeck.effort(1e-9) == pytest.approx(5) and stribeck.effort(10) == pytest.approx(3)
    assert stribeck.effort(0) == 0 and stribeck.effort(-10) == pytest.approx(-3)
    smooth = st.Coulomb(3.0, 1.0, width=0.01)
    assert smooth.effort(1.0) == pytest.approx(3) and smooth.effort(-1.0) == pytest.approx(-1)
    assert abs(smooth.effort(1e-6)) < 1e-3


@pytest.mark.parametrize(
    "model",
    [
        st.Viscous(2.0),
        st.Coulomb(3.0, 1.0, 0.3),
        st.Stribeck(5.0, 3.0, 0.4, 0.2),
        st.Viscous(1.0) + st.Coulomb(2.0, 1.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("rate", [-1.3, -0.2, 0.15, 0.9])
def test_B5_slopes_are_those_of_the_efforts(model, rate):
    h = 1e-5
    assert model.slope(rate) == pytest.approx((model.effort(rate + h) - model.effort(rate - h)) / (2 * h), abs=1e-8)


def test_B5_friction_acts_in_both_directions_of_the_dynamics():
    robot = build("puma560")
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, 6))
    F = robot.friction_forces(q, qd)
    assert np.abs(F).min() > 0
    assert close(robot.inverse_dynamics(q, qd, qdd) - robot.inverse_dynamics(q, qd, qdd, friction=False), F, 1e-11)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(robot.forward_dynamics(q, qd, tau) - qdd).max() < 1e-10
    assert np.abs(robot.forward_dynamics(q, qd, tau, friction=False) - qdd).max() > 0.1


def test_B6_the_parts_sum_to_the_torque():
    robot = build("puma560").with_payload(st.MassProperties(2.5, (0, 0, 0.1), np.full(3, 0.01)))
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 50, 6))
    F = st.Wrench(force=(1, 2, 3), acting_on="link6")
    shares = robot.torque_breakdown(q, qd, qdd, external=F)
    assert list(shares) == [
        "inertial", "centrifugal", "coriolis", "gravity", "friction", "rotor", "payload", "external",
    ]  # fmt: skip
    assert all(np.abs(share).max() > 1e-3 for share in shares.values())
    assert np.abs(shares.total - robot.inverse_dynamics(q, qd, qdd, external=F)).max() < 1e-12


def test_B6_centrifugal_and_coriolis_are_those_of_the_symbols():
    robot = build("rr")
    q, qd = np.array([0.4, 0.9]), np.array([1.5, -0.7])
    shares = robot.torque_breakdown(q, qd, [0, 0])
    terms = robot.centrifugal_coriolis(q)
    assert close(shares["centrifugal"], terms.C @ qd**2)
    assert close(shares["coriolis"], terms.B @ [qd[0] * qd[1]])


def test_B6_every_part_has_its_share():
    robot = build("desk")
    q, qd, qdd = np.random.default_rng(6).uniform(-1, 1, (3, robot.n))
    parts = robot.torque_breakdown(q, qd, qdd, by="part")
    links = robot.torque_breakdown(q, qd, qdd, by="link")
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert close(parts.total, tau) and close(links.total, tau)
    upper = sum(share for path, share in parts.items() if path.startswith("upper/"))
    assert close(upper, links["upper"], 1e-11)
    hollow = parts["upper/beam/hollow"]
    assert hollow[1] * parts["upper/beam/profile"][1] < 0  # a cavity gives back
    assert "<table>" in parts._repr_html_() and "total" in parts.table()


# ---- errors in the decks -------------------------------------------------------------------------


def _state():
    robot = build("puma560akb")
    q, qd, qdd = np.random.default_rng(7).uniform(-1, 1, (3, 6))
    return robot, q, qd, qdd


def test_X1_the_acceleration_of_the_origin_goes_inside_the_rotation(monkeypatch):
    robot, q, qd, qdd = _state()
    reference = floats(dy.lagrange_dynamics(robot, q, qd, qdd))
    assert close(robot.inverse_dynamics(q, qd, qdd), reference)

    def printed(robot, T, joints, base):  # v̇ᵢ₊₁ = R(ω̇×P + ω×(ω×P)) + v̇ᵢ
        motions: list[BodyState] = []
        for i, body in enumerate(robot.bodies):
            up = base if body.parent < 0 else motions[body.parent]
            j, Rt = joints[i], T[i].R.T
            w = Rt @ up.w + [0, 0, j.rate]
            dw = Rt @ up.dw + np.cross(floats(Rt @ up.w), [0, 0, j.rate]) + [0, 0, j.acceleration]
            motions.append(BodyState(w, dw, Rt @ (up.U @ T[i].p) + up.dv))
        return motions

    monkeypatch.setattr(sys.modules["steiner.dynamics.newton_euler"], "outward", printed)
    assert not close(dy.inverse_dynamics(robot, q, qd, qdd), reference, 1e-2)


def test_X2_the_effort_is_that_of_the_joints_own_moment():
    robot, q, qd, qdd = _state()
    table = robot.newton_euler(q, qd, qdd)
    own = np.array([n[2] for n in table.joint_moment])  # modified DH: z is the axis
    assert close(own, table.tau)
    outer = np.array([*own[1:], 0.0])  # τᵢ = nᵢ₊₁ᵀẑᵢ, as printed
    assert not close(outer, table.tau, 1e-2)
