"""Feedback laws, linearised equations, tracking and the momentum observer, by their own equations."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import steiner as st
from motion.arms import rough
from steiner.motion import controllers
from steiner.motion.controllers import Sampled

RNG = np.random.default_rng(3)


def closed_loop(robot, law, q0, qd0, t, external=None, rtol=1e-9):
    """q, q̇ (k, n) of robot and law, by SciPy."""
    n = robot.n

    def rates(time, x):
        tau = law(time, x[:n], x[n:])
        return np.concatenate([x[n:], robot.forward_dynamics(x[:n], x[n:], tau, external=external)])

    found = solve_ivp(rates, (t[0], t[-1]), np.concatenate([q0, qd0]), t_eval=t, rtol=rtol, atol=rtol / 100)
    return found.y[:n].T, found.y[n:].T


def test_E7b_computed_torque_makes_every_error_a_damped_oscillator():
    robot = st.load("planar3")
    path = st.trajectory.quintic([0.1, 0.2, 0.3], [1.0, -0.5, 0.8], 1.0)
    t, kp, kd = np.linspace(0, 1, 21), np.array([60.0, 80, 100]), np.array([10.0, 12, 9])
    away = np.array([0.3, -0.2, 0.1])
    law = st.controllers.computed_torque(robot, path, kp=kp, kd=kd)
    q, _ = closed_loop(robot, law, path(0.0)[0] + away, np.zeros(3), t)
    rate = np.sqrt(kp - kd**2 / 4)  # e = a e^(−kd t/2) (cos ωt + kd/2ω sin ωt)
    x = t[:, None]
    exact = away * np.exp(-kd / 2 * x) * (np.cos(rate * x) + kd / (2 * rate) * np.sin(rate * x))
    assert np.abs(q - path(t)[0] - exact).max() < 1e-6


def test_E7b_gravity_compensation_lets_the_arm_float():
    robot = st.load("puma560")
    q = RNG.uniform(-1, 1, (5, 6))
    law = st.controllers.gravity_compensation(robot)
    assert np.abs(robot.forward_dynamics(q, 0 * q, law(0.0, q, 0 * q))).max() < 1e-10
    assert np.allclose(st.controllers.gravity_compensation(robot, kd=2.0)(0, q, q), law(0, q, q) - 2 * q)


def test_E7b_pd_with_gravity_comes_to_rest_at_its_target():
    robot = st.load("rr")
    law = st.controllers.pd(robot, [0.4, -0.7], kp=8, kd=2)
    q, qd = closed_loop(robot, law, np.array([1.5, 0.5]), np.zeros(2), np.linspace(0, 12, 3), rtol=1e-6)
    assert np.abs(q[-1] - [0.4, -0.7]).max() < 1e-3 and np.abs(qd[-1]).max() < 1e-3
    without = st.controllers.pd(robot, [0.4, -0.7], kp=8, kd=2, gravity=False)
    assert np.allclose(law(0, q, qd) - without(0, q, qd), robot.gravity_forces(q))


def test_feed_forward_is_exact_on_the_trajectory_and_pd_around_it():
    robot = st.load("stanford")
    path = st.trajectory.quintic(*RNG.uniform(-1, 1, (2, 6)), 2.0)
    law = st.controllers.feed_forward(robot, path, kp=10, kd=[1, 2, 3, 4, 5, 6])
    q, qd, qdd = path(0.7)
    assert np.allclose(robot.forward_dynamics(q, qd, law(0.7, q, qd)), qdd, atol=1e-8)
    assert np.allclose(law(0.7, q + 0.1, qd) - law(0.7, q, qd), -1.0)
    assert np.allclose(law(0.7, q, qd + 0.1) - law(0.7, q, qd), -0.1 * np.arange(1, 7))


def test_impedance_pushes_as_springs_at_the_tool_do():
    robot = st.load("panda")
    q = np.array([0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5])
    tool = robot.link_names[-1]
    here = robot.forward_kinematics(q, tool)
    K, D = np.array([5.0, 6, 7, 100, 200, 300]), np.array([1.0, 2, 3, 4, 5, 6])
    wanted = st.Pose(here.R, np.array(here.p) + (0.01, -0.02, 0.03))
    law = st.controllers.impedance(robot, wanted, stiffness=K, damping=D)
    J, qd = robot.jacobian(q, tool, "aligned"), RNG.uniform(-1, 1, 7)
    F = np.array([0, 0, 0, 1.0, -4, 9]) - D * (J @ qd)
    assert np.allclose(law(0, q, qd), J.T @ F + robot.gravity_forces(q))
    turned = st.Pose.from_rpy((0, 0, 0), (0, 0, 0.2)).R @ here.R
    law = st.controllers.impedance(robot, st.Pose(turned, here.p), stiffness=K, damping=0)
    assert np.allclose(law(0, q, 0 * q), J.T @ [0, 0, 7 * 2 * np.tan(0.1), 0, 0, 0] + robot.gravity_forces(q))
    assert np.allclose(law(0, np.tile(q, (3, 1)), np.zeros((3, 7)))[2], law(0, q, 0 * q))


def test_force_control_exerts_its_wrench():
    robot = st.load("panda")
    q, tool = np.array([0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5]), robot.link_names[-1]
    law = st.controllers.force(robot, st.Wrench(acting_on=tool, force=(1, 2, -10)), kd=3.0)
    J = robot.jacobian(q, tool, "aligned")
    assert np.allclose(law(0, q, q), J.T @ [0, 0, 0, 1, 2, -10] + robot.gravity_forces(q) - 3 * q)


def test_pid_removes_what_pd_leaves_and_does_not_wind_up():
    robot = st.load("rr")
    law = st.controllers.pid(robot, [0.5, 0.5], kp=30, ki=15, kd=6, period=0.002, gravity=True)
    assert isinstance(law, Sampled) and law.period == 0.002
    q, qd = np.zeros(2), np.zeros(2)
    for k in range(6000):
        tau = law(k * 0.002, q, qd)
        for _ in range(4):
            qd = qd + 0.0005 * robot.forward_dynamics(q, qd, tau)
            q = q + 0.0005 * qd
    assert np.abs(q - 0.5).max() < 1e-3
    fresh = law.restarted()
    there = np.array([0.5, 0.5])
    assert np.allclose(fresh(0, there, np.zeros(2)), robot.gravity_forces(there)) and np.abs(law.total).max() > 1e-9
    tight = st.controllers.pid(robot, [9.0, 9.0], kp=1, ki=50, kd=0, period=0.1, limit=5.0)
    for _ in range(100):
        assert np.array_equal(tight(0, np.zeros(2), np.zeros(2)), [5.0, 5.0])
    assert np.abs(tight.total).max() <= 50  # it would be 4500 by now


def test_a_pid_without_gains_has_three_equal_poles():
    body = st.MassProperties(2.0, (0, 0, 0), (0.1, 0.1, 0.1))
    slider = st.Robot("slider", [st.Link("cart", joint=st.Prismatic(name="x", axis=(1, 0, 0)), body=body)])
    law = st.controllers.pid(slider, [0.3], kp=60.0, period=1e-3)
    t = np.linspace(0, 1, 11)
    motion = st.simulate(slider, [0.0], [0.0], 1.0, tau=law, every=0.1)
    wt = np.sqrt(60.0 / (3 * 2.0)) * t
    assert np.allclose(motion.q[:, 0], 0.3 - 0.3 * np.exp(-wt) * (1 + wt - wt**2), atol=1e-3)
    own = st.controllers.pid(slider, [0.3], period=1e-3)
    assert np.allclose(np.roots([2.0, own.kd[0], own.kp[0], own.ki[0]]), -controllers.PACE, rtol=1e-4)


def test_a_digital_law_is_late_bounded_coarse_and_noisy_as_asked():
    robot = st.load("rr")
    seen = []

    def law(t, q, qd):
        seen.append((q.copy(), qd.copy()))
        return np.array([100.0 * t, 1.0])

    run = st.controllers.sampled(law, robot, period=0.1, delay=0.2, limit=30.0, rate=50.0, resolution=0.25)
    told = [run(0.1 * k, np.array([0.3, 0.6]), np.zeros(2)) for k in range(9)]
    assert np.array_equal(seen[0][0], [0.25, 0.5])
    assert np.allclose([x[0] for x in told], [0, 0, 0, 5, 10, 15, 20, 25, 30])  # 50 N m/s · 0.1 s a step, 2 steps late
    noisy = st.controllers.sampled(law, robot, period=0.1, limit=1e9, noise=(0.1, 0.2), seed=5)
    seen.clear()
    for k in range(2000):
        noisy(0.1 * k, np.zeros(2), np.zeros(2))
    spread = np.std(np.array(seen), axis=0)
    assert np.allclose(spread[0], 0.1, rtol=0.1) and np.allclose(spread[1], 0.2, rtol=0.1)
    coarse = st.controllers.sampled(law, robot, period=0.1, limit=np.inf, resolution=0.25, noise=(0.3, 0), seed=5)
    first = seen[0][0]
    seen.clear()
    for k in range(20):
        coarse(0.1 * k, np.zeros(2), np.zeros(2))
    on_grid = np.array(seen)[:, 0] / 0.25
    assert np.array_equal(on_grid, np.round(on_grid)) and len(np.unique(on_grid)) > 2  # an encoder's noise too
    seen.clear()
    noisy.restarted()(0, np.zeros(2), np.zeros(2))
    assert np.array_equal(seen[0][0], first)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda r: st.controllers.pd(r, [0, 0], kp=-1, kd=1), "kp: -1 is negative"),
        (lambda r: st.controllers.pd(r, [0, 0, 0], kp=1, kd=1), "target: expected 2"),
        (lambda r: st.controllers.pd(r, [0, 0], kp=[1, 2, 3], kd=1), "kp: expected one number, or 2"),
        (lambda r: st.controllers.pd(r, st.trajectory.cubic([0], [1], 1), kp=1, kd=1), "2 joints, the trajectory 1"),
        (lambda r: st.controllers.gravity_compensation("rr"), "robot: expected a Robot"),
        (lambda r: st.controllers.impedance(r, (0, 0, 0), stiffness=1, damping=1), "pose: expected a Pose"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, delay=0.25), "multiple of the period"),
        (lambda r: st.controllers.pid(r, [0, 0], kp=1, ki=1, kd=1, period=0), "period: expected a positive"),
        (lambda r: st.controllers.pid(r, [0, 0], kp=1, ki=1, kd=1, period=1, limit=-4), "limit: .*-4.* is negative"),
        (lambda r: st.controllers.sampled(3, r, period=0.1), "sampled: expected a law"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, rate=-5), "rate: .*-5.* is negative"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, rate=[np.inf, -np.inf]), "rate: expected finite"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, rate=np.nan), "rate: expected finite"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, noise=3), "noise=3: expected two"),
        (lambda r: st.controllers.sampled(print, r, period=0.1, seed="x"), "seed='x': expected a whole number"),
        (lambda r: st.linearise(r, [0, 0, 0]), "q: expected 2 numbers"),
        (lambda r: st.linearise(r, [0, 0]).with_pd([1, 2, 3], 1), "kp: expected one number"),
        (lambda r: st.contact_torques(r, [0, 1], [[0, 0]], [[0, 0]], [[0, 0]], gain=1), r"q: expected \(2, 2\)"),
    ],
)
def test_wrong_arguments_are_told(call, told):
    with pytest.raises(st.SteinerError, match=told):
        call(st.load("rr"))


def pendulum(friction=None) -> st.Robot:
    body = st.MassProperties(2.0, (0.3, 0, 0), (0.01, 0.02, 0.025))
    hinge = st.Revolute(name="hinge", axis=(0, 1, 0), friction=friction)
    return st.Robot("pendulum", [st.Link("rod", None, hinge, body=body)])


UNDAMPED = {"rr": [-np.pi / 2, 0.0], "planar3": [-np.pi / 2, 0.0, 0.0], "pr": [0.0, 0.0]}  # rounding has put poles left


def test_a_pendulum_has_its_textbook_frequency_and_damping():
    at, J = np.array([np.pi / 2]), 0.02 + 2 * 0.09
    hanging = st.linearise(pendulum(st.Viscous(0.1)), at)
    w = np.sqrt(2 * 9.81 * 0.3 / J)
    assert np.isclose(hanging.frequencies[0], w / (2 * np.pi)) and hanging.is_stable and np.allclose(hanging.modes, 1)
    assert np.allclose(np.abs(hanging.poles), w) and np.allclose(hanging.damping, 0.1 / J / (2 * w))
    assert not st.linearise(pendulum(), at).is_stable  # without damping it swings for ever
    assert not any(st.linearise(st.load(f"gallery:{name}"), q).is_stable for name, q in UNDAMPED.items())
    inverted = st.linearise(pendulum(), -at)
    assert not inverted.is_stable and np.isnan(inverted.frequencies[0])
    assert np.allclose(inverted.poles, [w, -w])
    closed = inverted.with_pd(20.0, 1.0)
    assert closed.is_stable and np.allclose(np.poly(closed.poles), [1, 1.0 / J, (20 - 2 * 9.81 * 0.3) / J])


def test_margins_are_where_the_loop_loses_its_stability():
    system = st.linearise(pendulum(), [-np.pi / 2])
    margins = system.margins(20.0, 1.0)
    low = margins.gain[0, 0]
    assert np.isclose(low, 2 * 9.81 * 0.3 / 20, rtol=1e-3) and margins.gain[0, 1] == np.inf
    assert system.with_pd(20 * low * 1.01, low).is_stable and not system.with_pd(20 * low * 0.99, low).is_stable
    J, K, late = system.M[0, 0], system.K[0, 0], margins.delay[0]

    def distance(w: complex) -> complex:  # J s² + K + (20 + s) e^(−s T) at s = iw: zero on the verge
        s = 1j * w
        return J * s**2 + K + (20 + s) * np.exp(-s * late)

    w = np.linspace(0.1, 60, 200_000)
    assert np.abs(distance(w)).min() < 0.02
    assert 0 < margins.phase[0] < 90


def test_linear_equations_are_those_of_the_robot_nearby():
    robot = st.load("puma560")
    q = RNG.uniform(-1, 1, 6)
    system = st.linearise(robot, q, friction=False)
    x, tau = 1e-6 * RNG.uniform(-1, 1, 12), 1e-5 * RNG.uniform(-1, 1, 6)
    exact = robot.forward_dynamics(q + x[:6], x[6:], system.tau + tau, friction=False)
    base = robot.forward_dynamics(q, 0 * q, system.tau, friction=False)
    rates = system.A @ x + system.B @ tau
    assert np.allclose(rates[:6], x[6:]) and np.allclose(rates[6:], exact - base, rtol=1e-4, atol=1e-9)


def test_the_observer_finds_a_contact_and_nothing_else():
    robot = st.load("planar3")
    tool = robot.link_names[-1]
    push = st.Wrench(acting_on=tool, force=(3.0, -4.0, 0))
    law = st.controllers.computed_torque(robot, [0.3, 0.4, -0.2], kp=9, kd=3)
    t = np.linspace(0, 0.8, 801)
    q0 = np.array([0.3, 0.6, 0.1])
    for external, factor in ((None, 0.0), (push, 1.0)):
        q, qd = closed_loop(robot, law, q0, np.zeros(3), t, external)
        tau = law(0, q, qd)
        r = st.contact_torques(robot, t, q, qd, tau, gain=50.0)
        met = factor * np.einsum("kij,i->kj", robot.jacobian(q, tool, "aligned"), [0, 0, 0, 3, -4, 0])
        seen = solve_ivp(lambda x, y, met=met: 50 * ([np.interp(x, t, m) for m in met.T] - y), (0, t[-1]), np.zeros(3),
                         t_eval=t, rtol=1e-8, atol=1e-10)  # fmt: skip
        assert np.abs(r - seen.y.T).max() < 2e-3 and np.abs(r).max() > factor


def test_tracking_figures_of_a_known_error():
    path = st.trajectory.cubic([0.0, 0.0], [1.0, 2.0], 1.0)
    t = np.linspace(0, 1, 1001)
    e = np.stack([np.exp(-10 * t), 0.5 * np.ones_like(t)], axis=1)
    figures = st.tracking(SimpleNamespace(t=t, q=path(t)[0] + e), path, joint_names=("a", "b"))
    assert np.allclose(figures.peak, [1, 0.5]) and np.allclose(figures.final, [np.exp(-10), 0.5])
    assert np.isclose(figures.rms[0], np.sqrt((1 - np.exp(-20)) / 20), rtol=1e-4) and np.isclose(figures.rms[1], 0.5)
    assert np.isclose(figures.settling[0], np.log(50) / 10, atol=2e-3) and np.isnan(figures.settling[1])
    assert "settled" in str(figures) and "–" in str(figures)
    assert figures.units == ("rad or m",) * 2


def test_tracking_tells_the_unit_of_every_joint():
    robot = st.load("gallery:rp")
    path = st.trajectory.cubic([0.1, 0.2], [0.3, 0.25], 0.2)
    figures = st.tracking(st.simulate(robot, [0.1, 0.2], None, 0.2, tau=st.controllers.pd(robot, path)), path)
    assert figures.units == ("rad", "m")
    assert [line.split()[1] for line in str(figures).splitlines()] == ["error", "rad", "m"]


def test_an_error_of_rounding_alone_has_settled_at_once():
    path, t = st.trajectory.cubic([0.0], [1.0], 1.0), np.linspace(0, 1, 11)
    noise = 1e-14 * np.resize([1, -1], (11, 1))
    assert st.tracking(SimpleNamespace(t=t, q=path(t)[0] + noise), path).settling == 0


def laws(robot):
    """Every law that is traced, towards a pose, along one polynomial and along several."""
    n, c = robot.n, st.controllers
    path = st.trajectory.quintic([0.0] * n, [0.5] * n, 0.15)
    knots = np.linspace(0, 0.15, 16)
    winding = st.trajectory.spline(knots, 0.1 * np.sin(np.outer(knots, 10 * np.arange(1, n + 1))))
    waves = st.trajectory.fourier([0.1] * n, [[0.1] * n, [0.02] * n], [[0.03] * n, [-0.1] * n], 3.0, duration=0.17)
    stops = st.trajectory.trapezoid([0.0] * n, np.linspace(0.02, 0.03, n), velocity=0.3, acceleration=6)
    return {
        "gravity": c.gravity_compensation(robot, kd=2),
        "pd": c.pd(robot, [0.3] * n, kp=20, kd=5),
        "waves": c.computed_torque(robot, waves, kp=100, kd=20),
        "winding": c.feed_forward(robot, winding, kp=20, kd=5),
        "springs": c.pd(robot, stops, kp=20, kd=5, gravity=False),
        "computed": c.computed_torque(robot, path, kp=100, kd=20),
        "ahead": c.feed_forward(robot, path, kp=20, kd=5, model=robot.with_payload(st.MassProperties(0.5))),
        "tool on springs": c.impedance(
            robot, robot.forward_kinematics([0.5] * n, robot.link_names[-1]), stiffness=50, damping=3, kd=0.1
        ),
        "pushing tool": c.force(robot, st.Wrench(acting_on="link2", force=(1, 2, 3), at=(0.1, 0, 0)), kd=1),
    }


TRACED = ["gravity", "pd", "waves", "winding", "springs", "computed", "ahead", "tool on springs", "pushing tool"]


@pytest.mark.parametrize("name", TRACED)
def test_a_law_that_is_traced_moves_the_arm_as_the_law_that_is_asked(name):
    robot = st.load("rr")
    law = laws(robot)[name]
    assert law.traced is not None
    q0 = [[0.1, 0.2], [-0.3, 0.4], [0.0, 0.0]]
    fast = st.simulate(robot, q0, None, 0.2, tau=law, t=[0.1, 0.2])
    slow = st.simulate(robot, q0, None, 0.2, tau=lambda t, q, qd: law(t, q, qd), t=[0.1, 0.2])
    assert np.abs(fast.q - slow.q).max() < 1e-9
    assert np.abs(fast.tau - slow.tau).max() < 1e-6
    assert np.abs(st.simulate(robot, q0[0], None, 0.2, tau=law, t=[0.2]).q[-1] - fast.q[-1, 0]).max() < 1e-9


def test_laws_with_other_gains_and_targets_share_their_code_and_laws_with_batches_of_targets_are_asked():
    robot = st.load("rr")
    pd = st.controllers.pd
    first, second = pd(robot, [0.1, 0.2], kp=5, kd=1), pd(robot, [0.3, 0.2], kp=[7, 8], kd=2)
    assert first.traced == second.traced and hash(first.traced) == hash(second.traced)
    assert first.traced != pd(robot, [0.1, 0.2], kp=5, kd=1, gravity=False).traced
    rest = [st.simulate(robot, [0, 0], None, 15.0, tau=law, t=[15.0]).q[-1] for law in (first, second)]
    assert np.abs(rest - np.array([[0.1, 0.2], [0.3, 0.2]])).max() < 1e-3
    tool = robot.link_names[-1]
    pose, other = (robot.forward_kinematics(q, tool) for q in ([0.1, 0.2], [0.5, 0.7]))
    springs = [st.controllers.impedance(robot, x, stiffness=k, damping=1).traced for x, k in ((pose, 1), (other, 2))]
    pushes = [st.controllers.force(robot, st.Wrench(acting_on=tool, force=f)).traced for f in ((1, 0, 0), (0, 0, 2))]
    assert springs[0] == springs[1] != pushes[0] == pushes[1]
    winds = st.controllers.force(robot, st.Wrench(acting_on=tool, force=[[1, 0, 0], [0, 0, 2]]))
    assert winds.traced is None and winds(0.0, np.zeros((2, 2)), np.zeros((2, 2))).shape == (2, 2)
    many = pd(robot, [[0.1, 0.2], [0.3, 0.4]], kp=5, kd=1)
    assert many.traced is None and many(0.0, np.zeros((2, 2)), np.zeros((2, 2))).shape == (2, 2)
    assert pd(robot, lambda t: (np.zeros(2),) * 3, kp=5, kd=1).traced is None
    with pytest.raises(st.SteinerError, match="2 joints, the robot has 3"):
        st.simulate(st.load("planar3"), [0, 0, 0], None, 0.1, tau=first)


@pytest.mark.parametrize("make", [st.controllers.pd, st.controllers.feed_forward, st.controllers.computed_torque])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_gains_left_out_suit_light_arms_and_heavy_ones(make, scale):
    """Masses and inertias all times a factor: torques too, and the motion is the same, without a swing beyond."""
    bare = st.load("gallery:rr")
    links = [replace(k, body=k.body * scale, made_of=None) for k in bare.links]
    arm = bare.replace(links=links)
    path = st.trajectory.quintic([0.0, 0.0], [0.6, -0.4], 0.3)
    law = make(arm, path)
    m = st.simulate(arm, [0.02, 0.0], None, 1.5, tau=law)
    error = np.abs(m.q - path(m.t)[0]).max(axis=1)
    assert error.max() < 0.3
    assert error[-1] < 2e-3
    M = np.diag(arm.mass_matrix([0.0, 0.0]))
    held = np.ones(2) if make is st.controllers.computed_torque else M
    assert law.kp == pytest.approx(100 * held)
    assert law.kd == pytest.approx(20 * held)
    assert make(arm, path, kp=9.0).kd == pytest.approx(2 * np.sqrt(9 * held))


@pytest.mark.parametrize("method", ["rk4", "gauss", "stiff", "rough"])
def test_a_path_of_many_pieces_is_followed_by_every_method_and_through_friction(method, monkeypatch):
    """The pieces change within a run of steps, at times that are none of the steps' own."""
    arm = st.load("rr")
    if method == "rough":
        arm, method = rough(arm, [0.3, 0.1]), "dop853"
    t = np.linspace(0, 0.31, 12)
    path = st.trajectory.spline(t, 0.2 * np.sin(np.outer(t, [9.0, -7.0])))
    law, same = (st.controllers.feed_forward(arm, path) for _ in range(2))
    assert law.traced is not None and len(law.traced.later) == 11
    other = st.simulate(arm, [0.0, 0.0], None, 0.4, tau=law, method=method)
    monkeypatch.setattr(controllers, "PIECES", 99)
    assert same.traced is not None and not same.traced.later
    whole = st.simulate(arm, [0.0, 0.0], None, 0.4, tau=same)
    assert np.abs(other.q - whole.q).max() < 1e-7
    at_the_end = np.isclose(other.t, 0.31)  # there the torque jumps
    assert np.abs(other.tau - whole.tau)[~at_the_end].max() < 1e-4
