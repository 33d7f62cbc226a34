"""Motion with springs: energy, batches, sticking, laws that hold them, vibrations."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import steiner as st
from motion.arms import slider
from tests.comparing import close
from tests.random_robots import EVERY, random_robot, random_state

SPRINGS = {"joint1.stiffness": 30.0, "joint1.rest": 0.4, "joint2.stiffness": 12.0, "joint2.rest": -0.3}


def wound(name="rr"):
    return st.load(name).with_parameters(SPRINGS)


@pytest.mark.parametrize(("method", "options", "drift"), [
    ("dop853", {}, 1e-9), ("gauss", {"step": 1e-3}, 1e-8), ("rk4", {"step": 5e-4}, 1e-8), ("stiff", {}, 1e-6),
])  # fmt: skip
def test_springs_keep_what_they_take(method, options, drift):
    robot = wound()
    m = st.simulate(robot, [1.0, -0.5], [0.5, 1.0], 2.0, method=method, t=np.linspace(0, 2, 41), **options)
    energy = robot.kinetic_energy(m.q, m.qd) + robot.potential_energy(m.q)
    assert close(m.energy, energy, 1e-12)
    assert m.relative_drift < drift
    assert np.ptp(m.potential) > 1  # it swings
    assert close(m.qdd, robot.forward_dynamics(m.q, m.qd, m.tau), 1e-6)


@pytest.mark.parametrize("seed", [1, 4])
def test_random_trees_on_springs_keep_their_energy(seed):
    robot = random_robot(seed, 3, kinds=EVERY, springs=True, coupled=seed == 4)
    q, qd, _ = random_state(robot, seed)
    m = st.simulate(robot, 0.3 * q, 0.3 * qd, 0.5)
    assert m.relative_drift < 1e-9


def test_a_batch_of_stiffnesses_is_a_batch_of_oscillators():
    k, m = np.array([9.0, 25.0, 100.0]), 2.0
    arm = slider(mass=m, stiffness=1.0, rest=0.1)
    times = np.linspace(0, 1.5, 16)
    for method, options, close_to in (("dop853", {}, 1e-9), ("rk4", {"step": 1e-3}, 1e-8)):
        many = st.simulate(arm, np.full((3, 1), 0.3), None, 1.5, t=times, parameters={"s.stiffness": k},
                           method=method, **options)  # fmt: skip
        exact = 0.1 + 0.2 * np.cos(np.sqrt(k / m) * times[:, None])
        assert np.abs(many.q[..., 0] - exact).max() < close_to
        assert np.abs(many.energy - k * 0.2**2 / 2).max() < 1e-7
        one = arm.with_parameters({"s.stiffness": 25.0})
        alone = st.simulate(one, [0.3], None, 1.5, t=times, method=method, **options)
        assert np.abs(many.q[:, 1] - alone.q).max() < 1e-12


def test_a_spring_pushes_a_sticking_joint_loose_and_leaves_it_where_it_holds():
    """Dry friction takes 2 F / k from the amplitude of each half swing, until the spring cannot push any more."""
    spring, hold = 50.0, 2.0
    arm = slider(mass=2.0, stiffness=spring, friction=st.Coulomb(hold))
    band = hold / spring
    m = st.simulate(arm, [0.3], [0.0], 3.0)
    turns = [0.3]
    while abs(turns[-1]) > band:
        turns.append(-np.sign(turns[-1]) * (abs(turns[-1]) - 2 * band))
    stops = [e for e in m.events if e.what == "s stops"]
    half = np.pi * np.sqrt(2.0 / spring)
    assert m.q[-1, 0] == pytest.approx(turns[-1], abs=1e-9)
    assert stops[-1].t == pytest.approx(half * (len(turns) - 1), abs=1e-8)
    rest = m.t > stops[-1].t
    assert rest.any() and (m.q[rest] == m.q[-1]).all() and not m.qd[rest].any()
    held = st.simulate(arm, [0.99 * band], [0.0], 0.5)
    assert (held.q == 0.99 * band).all()
    assert st.simulate(arm, [1.01 * band], [0.0], 0.5).q[-1, 0] < band


@pytest.mark.parametrize("law", ["pd", "gravity", "computed", "ahead", "pid", "impedance"])
def test_laws_that_know_the_arm_hold_its_springs(law):
    """At the target, or wherever it floats, nothing is left to be done: the error does not depend on the springs."""
    robot, target = wound(), np.array([0.9, 0.5])
    c = st.controllers
    laws = {
        "pd": lambda: c.pd(robot, target, kp=20, kd=5), "gravity": lambda: c.gravity_compensation(robot, kd=1.0),
        "computed": lambda: c.computed_torque(robot, target), "ahead": lambda: c.feed_forward(robot, target),
        "pid": lambda: c.pid(robot, target, kp=20, ki=1, kd=5, period=1e-3, gravity=True, limit=1e3),
        "impedance": lambda: c.impedance(
            robot, robot.forward_kinematics(target, "link2"), link="link2", stiffness=50, damping=5
        ),
    }  # fmt: skip
    tau = laws[law]()
    still = np.asarray(tau(0.0, target, np.zeros(2)), dtype=float)
    assert close(still, robot.static_torque(target), 1e-12)
    assert np.abs(still - robot.gravity_forces(target)).max() > 1  # what the springs ask for
    moved = st.simulate(robot, target, None, 0.3, tau=laws[law](), t=[0.3])
    assert np.abs(moved.q[-1] - target).max() < 1e-6
    if law != "pid":
        asked = st.simulate(robot, target + 0.1, None, 0.3, tau=lambda t, q, qd: tau(t, q, qd), t=[0.3])
        native = st.simulate(robot, target + 0.1, None, 0.3, tau=tau, t=[0.3])
        assert np.abs(asked.q - native.q).max() < 1e-8


def test_no_contact_is_seen_where_only_springs_push():
    robot = wound()
    m = st.simulate(robot, [1.0, -0.5], None, 1.0, t=np.linspace(0, 1, 2001))
    assert np.abs(st.contact_torques(robot, m.t, m.q, m.qd, m.tau, gain=50.0)).max() < 1e-3
    blind = dataclasses.replace(robot, links=st.load("rr").links)
    assert np.abs(st.contact_torques(blind, m.t, m.q, m.qd, m.tau, gain=50.0)).max() > 1


def test_natural_frequencies():
    """√(k/m) of one mass; of two on two springs √((3 ± √5) k / 2 m) (masses and springs in a row)."""
    one = st.linearise(slider(mass=2.0, stiffness=50.0, rest=0.2), [0.2])
    assert 2 * np.pi * one.frequencies == pytest.approx([5.0], rel=1e-14)
    assert one.tau == pytest.approx([0.0], abs=1e-15)
    body = st.MassProperties(2.0, (0, 0, 0), (1e-3,) * 3)
    joints = [st.Prismatic(name=name, axis=(1, 0, 0), stiffness=50.0) for name in ("s", "t")]
    row = [st.Link("m", None, joints[0], body=body), st.Link("n", "m", joints[1], body=body)]
    two = st.linearise(st.Robot("row", row, gravity=(0, 0, 0)), [0.0, 0.0])
    expected = [np.sqrt((3 + sign * np.sqrt(5)) / 2 * 25) for sign in (-1, 1)]
    assert 2 * np.pi * two.frequencies == pytest.approx(expected, rel=1e-12)
    held = st.linearise(wound(), [0.3, 0.4])
    assert held.tau == pytest.approx(wound().static_torque([0.3, 0.4]))
