"""Trajectories: exact derivatives, ends and limits kept, rest outside, clear refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest

import steiner as st

RNG = np.random.default_rng(7)
Q0, Q1 = RNG.uniform(-2, 2, (2, 4))
TIMES = np.array([0.2, 0.5, 0.55, 1.3, 2.0, 2.2])
POINTS = RNG.uniform(-1, 1, (6, 4))
PATHS = {
    "cubic": lambda: st.trajectory.cubic(Q0, Q1, 1.7, qd0=0.3, qd1=[0.1, -0.2, 0.3, 0.4]),
    "quintic": lambda: st.trajectory.quintic(Q0, Q1, 1.7, qd0=0.3, qd1=-0.1, qdd0=0.5, qdd1=[1, 2, 3, 4]),
    "trapezoid": lambda: st.trajectory.trapezoid(Q0, Q1, velocity=[1, 0.5, 2, 9], acceleration=[1, 2, 3, 4]),
    "slow trapezoid": lambda: st.trajectory.trapezoid(Q0, Q1, velocity=3, acceleration=4, duration=9),
    "spline": lambda: st.trajectory.spline(TIMES, POINTS),
    "spline of degree 5": lambda: st.trajectory.spline(TIMES, POINTS, degree=5, ends="natural"),
    "fourier": lambda: st.trajectory.fourier(Q0, *RNG.uniform(-1, 1, (2, 3, 4)), 0.4),
    "one after another": lambda: st.trajectory.quintic(Q0, Q1, 1.0).then(st.trajectory.cubic(Q1, Q0, 2.0)),
}


@pytest.mark.parametrize("name", PATHS)
def test_velocity_and_acceleration_are_the_derivatives(name):
    path = PATHS[name]()
    t, h = RNG.uniform(0, path.duration, 300), 1e-6 * path.duration
    jumps = np.append(getattr(path, "knots", [0, 1.0]), path.duration)
    t = t[np.abs(t[:, None] - jumps).min(axis=1) > 2 * h]
    before, now, after = path(t - h), path(t), path(t + h)
    for k in (0, 1):
        slope = (after[k] - before[k]) / (2 * h)
        assert np.abs(slope - now[k + 1]).max() <= 1e-6 * np.abs(now[k + 1]).max()


@pytest.mark.parametrize("name", [n for n in PATHS if n != "fourier"])
def test_positions_and_velocities_are_continuous_and_rest_outside(name):
    path = PATHS[name]()
    knots = np.asarray(getattr(path, "knots", [0, 1.0, path.duration]))[1:-1]
    for k, (left, right) in enumerate(zip(path(knots - 1e-10), path(knots + 1e-10), strict=True)):
        assert k == 2 or np.all(np.abs(left - right) < 1e-7)
    for t, end in ((-1.0, 0.0), (path.duration + 1, path.duration)):
        q, qd, qdd = path(t)
        assert np.array_equal(q, path(end)[0]) and not qd.any() and not qdd.any()


def test_ends_are_what_was_asked():
    path = PATHS["quintic"]()
    for t, asked in ((0.0, (Q0, 0.3, 0.5)), (1.7, (Q1, -0.1, [1, 2, 3, 4]))):
        assert all(np.allclose(a, b, atol=1e-12) for a, b in zip(path(t), asked, strict=True))
    path = PATHS["cubic"]()
    assert np.allclose(path(1.7)[0], Q1) and np.allclose(path(1.7)[1], [0.1, -0.2, 0.3, 0.4])
    path = PATHS["spline"]()
    assert np.allclose(path(TIMES - TIMES[0])[0], POINTS, atol=1e-12)
    assert not np.round(path(0.0)[1], 12).any() and not np.round(path(path.duration)[1], 12).any()


@pytest.mark.parametrize("name", ["trapezoid", "slow trapezoid"])
def test_a_trapezoid_comes_to_rest_where_it_should(name):
    path = PATHS[name]()
    for t, q in ((0, Q0), (path.duration, Q1)):
        at, rate, _ = path(t)
        np.testing.assert_allclose(at, q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(rate, 0, atol=1e-13)


def test_a_trapezoid_is_as_quick_as_its_slowest_joint():
    v, a = np.array([1, 0.5, 2, 9]), np.array([1, 2, 3, 4])
    path = PATHS["trapezoid"]()
    _, qd, qdd = path(np.linspace(0, path.duration, 5001))
    assert np.all(np.abs(qd) <= v * (1 + 1e-12)) and np.all(np.abs(qdd) <= a * (1 + 1e-12))
    alone = [st.trajectory.trapezoid([x], [y], velocity=v[k], acceleration=a[k]).duration
             for k, (x, y) in enumerate(zip(Q0, Q1, strict=True))]  # fmt: skip
    assert path.duration == max(alone)
    D, k = np.abs(Q1 - Q0), int(np.argmax(alone))
    assert np.isclose(alone[k], D[k] / v[k] + v[k] / a[k] if D[k] > v[k] ** 2 / a[k] else 2 * np.sqrt(D[k] / a[k]))


def test_a_jerk_limited_motion_keeps_its_limits():
    pytest.importorskip("ruckig", reason="jerk-limited motions need ruckig")
    path = st.trajectory.jerk_limited(Q0, Q1, velocity=1.0, acceleration=2.0, jerk=10.0, qd0=0.2)
    q, qd, qdd = path(np.linspace(0, path.duration, 4001))
    assert np.abs(qd).max() <= 1 + 1e-9 and np.abs(qdd).max() <= 2 + 1e-9
    assert np.abs(path.coefficients[:, 3] * 6).max() <= 10 * (1 + 1e-6)
    assert np.allclose(q[0], Q0) and np.allclose(q[-1], Q1) and np.allclose(qd[0], 0.2) and np.allclose(qd[-1], 0)


def test_samples_go_into_inverse_dynamics_as_they_are():
    robot = st.load("planar3")
    samples = st.trajectory.quintic([0, 0, 0], [1, -1, 0.5], 1.0).sample(0.03)
    assert samples.t[-1] == 1.0 and np.all(np.diff(samples.t) > 0) and len(samples.t) == 35
    assert robot.inverse_dynamics(*samples[1:]).shape == samples.q.shape


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: st.trajectory.quintic([0, 1], [1], 1.0), "q1: expected 2 numbers"),
        (lambda: st.trajectory.quintic([0, np.nan], [1, 2], 1.0), "q0: expected finite numbers"),
        (lambda: st.trajectory.cubic([0], [1], 0), "duration: expected a positive number"),
        (lambda: st.trajectory.cubic("here", [1], 1), "q0: expected numbers"),
        (lambda: st.trajectory.trapezoid([0], [1], velocity=1, acceleration=-1), "acceleration -1; expected positive"),
        (lambda: st.trajectory.jerk_limited([0], [1], velocity=1, acceleration=1, jerk=0), "jerk 0; expected positive"),
        (lambda: st.trajectory.trapezoid([0], [1], velocity=1, acceleration=1, duration=1), "too short.* need 2 s"),
        (lambda: st.trajectory.trapezoid([1], [1], velocity=1, acceleration=1), "nothing moves"),
        (lambda: st.trajectory.spline([0, 1, 1], [[0], [1], [2]]), r"stands still.*t\[1\] = 1 s"),
        (lambda: st.trajectory.spline([0, 1], [0, 1]), r"expected t \(k,\) and q \(k, n\)"),
        (lambda: st.trajectory.spline([0, 1], [[0], [1]], degree=4), "expected 3 or 5"),
        (lambda: st.trajectory.fourier([0], [1], [1], 1), "sines and cosines"),
        (lambda: st.trajectory.cubic([0], [1], 1)(np.inf), "t: expected finite"),
        (lambda: st.trajectory.cubic([0], [1], 1).sample(1e-12), "take a longer step"),
        (lambda: st.trajectory.cubic([0], [1], 1).then(st.trajectory.cubic([0], [1], 1)), "begins 1 from"),
    ],
)
def test_what_cannot_be_is_told(call, told):
    with pytest.raises(st.SteinerError, match=told):
        call()


@pytest.mark.heavy
def test_the_quickest_timing_uses_its_limits_and_keeps_them():
    pytest.importorskip("toppra", reason="timing under torque limits needs toppra")
    robot = st.load("puma560")
    points = RNG.uniform(-0.5, 0.5, (4, 6))
    limit = 1.3 * np.abs(robot.gravity_forces(RNG.uniform(-0.6, 0.6, (2000, 6)))).max(axis=0) + 20
    path = st.trajectory.quickest(robot, points, effort=limit, velocity=3.0)
    _, q, qd, qdd = path.sample(0.002)
    share = np.abs(robot.inverse_dynamics(q, qd, qdd, friction=False)) / limit
    fast = np.abs(qd) / 3.0
    assert share.max() <= 1.01 and fast.max() <= 1.01 and max(share.max(), fast.max()) > 0.98
    assert np.allclose(q[0], points[0]) and np.allclose(q[-1], points[-1], atol=1e-6)
    assert np.all(np.maximum(share.max(axis=1), fast.max(axis=1))[5:-5] > 0.5)  # something always limits


def test_a_trajectory_that_is_traced_has_the_same_numbers():
    from steiner.motion.trajectories import traced_polynomials

    stops = st.trajectory.trapezoid([0.0, 1.0], [0.5, 0.2], velocity=1, acceleration=4)
    for t in (-0.1, 0.0, *stops.knots, 0.07, 0.4, stops.duration + 0.1):
        assert np.array_equal(traced_polynomials(t, stops.knots, stops.coefficients), stops(t))


def test_a_motion_of_a_file_is_a_trajectory(tmp_path):
    arm = st.load("gallery:rr")
    motion = st.simulate(arm, [0.3, 0.5], [1.0, 0.0], 0.5, every=0.01)
    motion.save(tmp_path / "fall.csv")
    path = st.trajectory.from_csv(tmp_path / "fall.csv", arm)
    assert np.abs(np.array(path(motion.t)) - [motion.q, motion.qd, motion.qdd]).max() < 1e-9
    t = np.linspace(0, 0.5, 33)
    assert np.abs(path(t)[0] - motion.resampled(t).q).max() < 1e-12
    rows = "\n".join(f"{5 + x},{np.degrees(x**2)},{x}" for x in (0, 0.5, 1, 2))
    (tmp_path / "points.csv").write_text(f"t,q1,joint2.q\n{rows}\n")
    points = st.trajectory.from_csv(tmp_path / "points.csv", arm, units="deg")
    assert points.duration == 2
    assert np.allclose(points([0, 0.5, 1, 2])[0], np.c_[[0, 0.25, 1, 4], np.radians([0, 0.5, 1, 2])])
    assert np.allclose(points([0, 2])[1], 0)  # from rest to rest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1,q2\n0,0\n1,1\n", "x.csv:1: no column t"),
        ("t,q1,q2\n0,0,0\n", "fewer than two rows"),
        ("t,q1,q2\n0,0,0\n1,1,1\n1,2,2\n", "x.csv:4: time 1 s after 1 s"),
        ("t,q1\n0,0\n1,1\n", "x.csv:1: no column for the positions of joint2"),
        ("t,q1,q2,qd1\n0,0,0,0\n1,1,1,0\n", "x.csv:1: no column for the velocities of joint2"),
        ("t,q1,q2\n0,0,0\n1,one,1\n", "x.csv:3: column 'q1'"),
    ],
)
@pytest.mark.filterwarnings("ignore::steiner.ModelWarning")
def test_a_file_that_is_no_motion_is_told(tmp_path, text, told):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(st.SteinerError, match=re.escape(told)):
        st.trajectory.from_csv(tmp_path / "x.csv", st.load("gallery:rr"))
