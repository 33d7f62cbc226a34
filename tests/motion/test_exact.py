"""Motions whose answer is known otherwise: closed forms, elliptic functions, series of high order."""

from __future__ import annotations

from math import exp, pi, sin, sqrt

import mpmath
import numpy as np
import pytest

import steiner as st
from motion.arms import FALL, double_pendulum, pendulum, slider
from steiner.dynamics import gravity_forces
from steiner.motion.equations import kinetic_slope

METHODS = [("dop853", {}), ("rk4", {"step": 2e-4}), ("gauss", {"step": 1e-3}), ("stiff", {"rtol": 1e-9})]


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_E7b_a_pendulum_swings_as_elliptic_functions_say(method, options):
    arm, start = pendulum(length=0.7), 2.0
    m = st.simulate(arm, [start], [0.0], 3.0, method=method, t=np.linspace(0, 3, 7), **options)
    k, rate = sin(start / 2), sqrt(FALL / 0.7)
    quarter = mpmath.ellipk(k * k)
    exact = [2 * float(mpmath.asin(k * mpmath.ellipfun("sn", quarter - rate * t, m=k * k))) for t in m.t]
    assert np.abs(m.q[:, 0] - exact).max() < 2e-9
    assert m.relative_drift < 1e-8


def series(q, v, h, order, length=1.0, mass=1.0):
    """One step of the double pendulum of equal rods without mass, by its Taylor series (Jorba and Zou 2005)."""
    mp = mpmath.mpf
    a, b, u, w = [mp(q[0])], [mp(q[0] + q[1])], [mp(v[0])], [mp(v[0] + v[1])]  # absolute angles from the vertical
    d, sd, cd, sa, ca, sb, cb = [a[0] - b[0]], [], [], [], [], [], []

    def product(x, y, k):
        return sum(x[j] * y[k - j] for j in range(k + 1))

    def sine_cosine(x, s, c, k):
        if k == 0:
            s.append(mpmath.sin(x[0]))
            c.append(mpmath.cos(x[0]))
            return
        s.append(sum(j * x[j] * c[k - j] for j in range(1, k + 1)) / k)
        c.append(-sum(j * x[j] * s[k - j] for j in range(1, k + 1)) / k)

    g = mp(FALL) / length
    uu, ww, f1, f2, det, n1, n2, au, aw = ([] for _ in range(9))
    for k in range(order):
        for x, s, c in ((d, sd, cd), (a, sa, ca), (b, sb, cb)):
            sine_cosine(x, s, c, k)
        uu.append(product(u, u, k))
        ww.append(product(w, w, k))
        # 2 a" + c b" = −w² s − 2 g sin a;  c a" + b" = u² s − g sin b
        f1.append(-product(ww, sd, k) - 2 * g * sa[k])
        f2.append(product(uu, sd, k) - g * sb[k])
        det.append((2 if k == 0 else 0) - product(cd, cd, k))
        n1.append(f1[k] - product(cd, f2, k))
        n2.append(2 * f2[k] - product(cd, f1, k))
        for top, quotient in ((n1, au), (n2, aw)):
            quotient.append((top[k] - sum(quotient[j] * det[k - j] for j in range(k))) / det[0])
        a.append(u[k] / (k + 1))
        b.append(w[k] / (k + 1))
        u.append(au[k] / (k + 1))
        w.append(aw[k] / (k + 1))
        d.append(a[k + 1] - b[k + 1])
    a, b, u, w = (mpmath.polyval(x[::-1], h) for x in (a, b, u, w))
    return (a, b - a), (u, w - u)


def test_E7b_a_double_pendulum_follows_its_taylor_series():
    with mpmath.workdps(30):
        q, v = (mpmath.mpf(2), mpmath.mpf("-0.5")), (mpmath.mpf(0), mpmath.mpf(1))
        for _ in range(100):
            q, v = series(q, v, mpmath.mpf(1) / 50, 24)
    m = st.simulate(double_pendulum(), [2.0, -0.5], [0.0, 1.0], 2.0, t=[2.0])
    assert np.abs(m.q[-1] - [float(x) for x in q]).max() < 2e-9
    assert np.abs(m.qd[-1] - [float(x) for x in v]).max() < 1e-8


def on_a_spring(t, mass, spring, damper, x0, v0):
    """x, ẋ and ẍ of m ẍ + b ẋ + k x = 0, by the roots of its characteristic polynomial."""
    decay = damper / (2 * mass)
    rate = mpmath.sqrt(mpmath.mpf(spring) / mass - decay**2)  # imaginary when overdamped
    s, c = (t, 1) if rate == 0 else (mpmath.sin(rate * t) / rate, mpmath.cos(rate * t))
    x = mpmath.exp(-decay * t) * (x0 * c + (v0 + decay * x0) * s)
    v = mpmath.exp(-decay * t) * (v0 * c - (decay * v0 + mpmath.mpf(spring) / mass * x0) * s)
    return [float(mpmath.re(y)) for y in (x, v, -(spring * x + damper * v) / mass)]


DAMPED = {"under": 0.05, "critical": 1.0, "just over": 1 + 1e-12, "over": 1.5}


@pytest.mark.parametrize("damping", DAMPED)
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_E7b_a_mass_on_a_spring_with_a_damper_does_as_its_closed_form(method, options, damping):
    mass, spring = 2.0, 50.0
    damper = 2 * DAMPED[damping] * sqrt(spring * mass)
    arm = slider(mass=mass, friction=st.Viscous(damper), stiffness=spring, rest=0.3)
    m = st.simulate(arm, [0.4], [-1.0], 2.0, method=method, t=np.linspace(0, 2, 9), **options)
    exact = np.array([on_a_spring(t, mass, spring, damper, 0.1, -1.0) for t in m.t])
    for ours, theirs, size in zip((m.q - 0.3, m.qd, m.qdd), exact.T, (1, 5, 25), strict=True):
        assert np.abs(ours[:, 0] - theirs).max() < 2e-9 * size
    assert m.potential == pytest.approx(spring * exact[:, 0] ** 2 / 2, abs=1e-8)
    assert m.relative_drift < 1e-8
    work = dict(zip(m.SOURCES, m.work[-1], strict=True))
    assert work["friction"] == pytest.approx(m.energy[-1] - m.energy[0], abs=1e-8)
    assert work["friction"] < 0 == work["motors"]


def test_E7b_a_mass_on_a_spring_has_the_numbers_that_drake_publishes():
    """`MassDamperSpringAnalyticalSolution`: m 1, k 9, x0 0, v0 3, zeta 1.5, t 0.25."""
    published = 0.2730433627750083, 0.1082082477370706, -3.43126449460871
    assert on_a_spring(0.25, 1, 9, 9, 0, 3) == pytest.approx(published, rel=4e-15)
    m = st.simulate(slider(mass=1.0, friction=st.Viscous(9.0), stiffness=9.0), [0.0], [3.0], 0.25, t=[0.25])
    assert (m.q[0, 0], m.qd[0, 0], m.qdd[0, 0]) == pytest.approx(published, rel=1e-10)


def test_E7b_a_block_on_a_slope_slides_until_it_stops_and_then_rests():
    hold, slope, mass = 12.0, pi / 6, 2.0
    arm = slider(mass=mass, friction=st.Coulomb(hold), slope=slope)
    m = st.simulate(arm, [0.0], [1.0], 1.0)
    slowing = hold / mass + FALL * sin(slope)
    stop = 1 / slowing
    assert [e.what for e in m.events] == ["s stops"]
    assert m.events[0].t == pytest.approx(stop, abs=1e-11)
    resting = m[m.t > stop]
    assert (resting.q == resting.q[0]).all()  # to the last bit
    assert not resting.qd.any()
    assert not resting.qdd.any()
    assert resting.q[0, 0] == pytest.approx(stop / 2, abs=1e-12)
    assert m.work[-1, 1] == pytest.approx(-hold * stop / 2, rel=1e-9)


def test_E7b_a_block_on_a_steep_slope_slides_from_rest():
    hold, slope, mass = 2.0, pi / 6, 2.0
    m = st.simulate(slider(mass=mass, friction=st.Coulomb(hold), slope=slope), [0.0], [0.0], 1.0)
    gain = FALL * sin(slope) - hold / mass
    assert np.abs(m.q[:, 0] + gain * m.t**2 / 2).max() < 1e-12


def test_E7b_a_ball_bounces_at_the_times_of_the_school_book():
    arm, keep = slider(mass=1.0, slope=pi / 2), 0.8

    def ground(t, q, qd):
        return q[0]

    m = st.simulate(arm, [1.0], [0.0], 2.0, events=[(ground, lambda t, q, qd: (q, -keep * qd))])
    fall = sqrt(2 / FALL)
    exact = [fall, fall * (1 + 2 * keep), fall * (1 + 2 * keep + 2 * keep**2)]
    assert [e.what for e in m.events] == ["ground"] * 3
    assert [e.t for e in m.events] == pytest.approx(exact, abs=1e-11)
    assert np.abs(m.drift).max() < 1e-10
    assert m.work[-1, 3] == pytest.approx(FALL * (keep**6 - 1), rel=1e-9)  # what the bounces took


def test_a_joint_that_viscous_friction_stops_decays_and_never_sticks():
    m = st.simulate(slider(mass=2.0, friction=st.Viscous(4.0)), [0.0], [1.0], 1.0)
    assert m.qd[-1, 0] == pytest.approx(exp(-2), abs=1e-11)
    assert not m.events


def test_gravity_held_by_a_law_that_is_traced_leaves_the_arm_at_rest():
    arm = st.load("gallery:rr")
    q = np.array([0.1, -0.8])
    m = st.simulate(arm, q, None, 1.0, tau=lambda robot, t, q, qd: gravity_forces(robot, q), friction=False)
    assert np.abs(m.q - q).max() < 1e-12


def test_E7b_a_top_without_torque_turns_as_a_rigid_body_does():
    """Three axes through one point carry it; the same body is integrated with quaternions elsewhere."""
    body = st.MassProperties(1.0, (0, 0, 0), (0.02, 0.03, 0.045))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    links = [
        st.Link(name, up, st.Revolute(name=f"turn {name}", axis=axis), body=body if name == "c" else None)
        for name, up, axis in zip("abc", (None, "a", "b"), axes, strict=True)
    ]
    top = st.Robot("top", links)
    q, qd = np.array([0.2, 0.4, -0.3]), np.array([1.0, 0.5, 6.0])
    m = st.simulate(top, q, qd, 1.0, t=[0.0, 0.5, 1.0])
    pose = top.forward_kinematics(q, link="c")
    spin = pose.R.T @ (top.jacobian(q, link="c") @ qd)[:3]
    free = st.RigidBody(body).simulate([*spin, 0, 0, 0], 1.0, pose=pose, samples=3, rtol=1e-11)
    for k in range(3):
        assert np.abs(top.forward_kinematics(m.q[k], link="c").R - free.pose.R[k]).max() < 1e-8
    momenta = top.momentum(m.q, m.qd)[:, :3]
    assert np.abs(momenta - momenta[0]).max() < 1e-10


def test_the_tables_of_methods_are_those_published():
    """Orders by trees: Σb = 1, Σbc = 1/2 … and the peer's own numbers."""
    from scipy.integrate import DOP853

    from steiner.motion import tableaus

    for table, order in ((tableaus.RK4, 4), (tableaus.GAUSS, 4), (tableaus.DOP853, 8)):
        b, c = np.array(table.b), np.array(table.c)
        for k in range(order):
            assert b @ c**k == pytest.approx(1 / (k + 1), abs=1e-14)
        assert [sum(row) for row in table.a] == pytest.approx(c, abs=1e-14)
    assert tuple(DOP853.B) == tableaus.DOP853.b
    for row, wanted in zip(tableaus.DOP853.a, DOP853.A, strict=True):
        assert row == tuple(wanted[: len(row)])


@pytest.mark.parametrize("name", ["stanford", "puma560", "rp"])
def test_the_slope_of_the_kinetic_energy_is_that_of_the_christoffel_symbols(name):
    """∂K/∂q = Cᵀ q̇, of arms that turn and slide in space."""
    arm = st.load(f"gallery:{name}")
    q, qd = np.random.default_rng(0).normal(size=(2, arm.n))
    wanted = arm.coriolis_matrix(q, qd).T @ qd
    assert kinetic_slope(arm.tree, q, qd).astype(float) == pytest.approx(wanted, abs=1e-11)
