"""What happens on the way: joints that stick, limits, events, payloads."""

from __future__ import annotations

from math import asin, pi

import numpy as np
import pytest

import steiner as st
from motion.arms import FALL, rough, slider
from steiner import scalar
from steiner.model.motion import MotionError
from steiner.motion import hybrid


def test_a_joint_sticks_until_it_is_pushed_enough_whatever_the_law_is_made_of():
    arm = slider(mass=2.0, friction=st.Coulomb(5.0))
    traced = st.simulate(arm, [0.0], [0.0], 2.0, tau=lambda robot, t, q, qd: [10 * scalar.sin(2 * t)])
    plain = st.simulate(arm, [0.0], [0.0], 2.0, tau=lambda t, q, qd: [10 * np.sin(2 * t)])
    for m in (traced, plain):
        assert [e.what for e in m.events] == ["s slides", "s turns round"]  # it is pulled back hard enough by then
        assert m.events[0].t == pytest.approx(asin(0.5) / 2, abs=1e-10)
        before = m[m.t < m.events[0].t]
        assert not before.q.any()
        assert not before.qdd.any()
        assert (m.qd[m.t > m.events[1].t] < 0).all()
    assert np.abs(traced.q - plain.q).max() < 1e-9
    assert traced.relative_drift < 1e-8


def test_forward_and_backward_friction_hold_differently():
    arm = slider(mass=1.0, friction=st.Coulomb(5.0, 2.0))
    pushed = st.simulate(arm, [0.0], [0.0], 0.5, tau=[3.0])
    pulled = st.simulate(arm, [0.0], [0.0], 0.5, tau=[-3.0])
    assert not pushed.q.any()
    assert pulled.q[-1, 0] == pytest.approx(-0.125, abs=1e-12)


def test_breakaway_is_more_than_sliding():
    arm = slider(mass=1.0, friction=st.Stribeck(static=4.0, coulomb=2.0, speed=0.01))
    held = st.simulate(arm, [0.0], [0.0], 0.5, tau=[3.9])
    moved = st.simulate(arm, [0.0], [0.0], 0.5, tau=[4.1])
    assert not held.q.any()
    assert moved.q[-1, 0] > 0.8 * (4.1 - 2.0) / 2 * 0.25


@pytest.mark.heavy
def test_an_arm_whose_friction_holds_it_comes_to_rest_joint_by_joint():
    arm = st.load("gallery:puma560")
    assert any(arm.joint(name).friction for name in arm.joint_names)
    m = st.simulate(arm.replace(gravity=(0, 0, 0)), np.zeros(6), np.full(6, 0.5), 3.0)
    stopped = {e.what.split()[0] for e in m.events if e.what.endswith("stops")}
    assert stopped == set(arm.joint_names)
    assert not m.qd[-1].any()
    assert m.relative_drift < 1e-8
    assert m.work[-1, 1] == pytest.approx(-m.initial + m.potential[-1], rel=1e-8)


def test_the_joint_that_one_pushes_may_drag_another_that_holds():
    """Two blocks in a row: pushing the first makes the second one slip only if inertia overcomes its friction."""
    body = st.MassProperties(1.0, (0, 0, 0), (1e-3,) * 3)
    joints = (st.Prismatic(name=x, axis=(1, 0, 0), friction=f) for x, f in (("x", None), ("y", st.Coulomb(1.0))))
    links = (st.Link(name, up, joint, body=body) for name, up, joint in zip("ab", (None, "a"), joints, strict=True))
    arm = st.Robot("pair", list(links))
    gently = st.simulate(arm, [0.0, 0.0], None, 1.0, tau=[1.9, 0.0])
    hard = st.simulate(arm, [0.0, 0.0], None, 1.0, tau=[4.0, 0.0])
    assert not gently.q[:, 1].any()
    assert gently.q[-1, 0] == pytest.approx(1.9 / 4, abs=1e-12)
    assert hard.qdd[-1] == pytest.approx([3.0, -2.0], abs=1e-12)  # a: 4 − 1 on 1 kg; b: 1 N on 1 kg


@pytest.mark.parametrize("method", ["dop853", "rk4", "gauss", "stiff"])
def test_every_method_stops_at_the_same_time(method):
    options = {"step": 0.013} if method in ("rk4", "gauss") else {"rtol": 1e-9}
    m = st.simulate(slider(mass=2.0, friction=st.Coulomb(5.0)), [0.0], [1.0], 1.0, method=method, **options)
    assert m.events[0].t == pytest.approx(0.4, abs=1e-9)
    assert (m.q[m.t > 0.41] == m.q[-1]).all()
    assert m.q[-1, 0] == pytest.approx(0.2, abs=1e-9)


def test_limits_stop_a_motion_or_are_an_error():
    arm = slider(limits=(-1, 0.5))
    m = st.simulate(arm, [0.0], [1.0], 1.0, limits="stop")
    assert m.t[-1] == pytest.approx(0.5, abs=1e-12)
    assert m.q[-1, 0] == pytest.approx(0.5, abs=1e-12)
    assert "upper limit" in m.ended
    assert st.simulate(arm, [0.0], [1.0], 1.0).q[-1, 0] == pytest.approx(1.0)
    with pytest.raises(MotionError, match=r"'s' reaches its upper limit at t = 0\.5 s") as failed:
        st.simulate(arm, [0.0], [1.0], 1.0, limits="error")
    assert failed.value.motion is not None
    assert failed.value.motion.t[-1] == pytest.approx(0.5, abs=0.01)
    with pytest.raises(st.SteinerError, match="outside its limits"):
        st.simulate(arm, [2.0], [1.0], 1.0, limits="stop")


def test_a_payload_is_taken_at_a_time_and_dropped_at_an_event():
    light = slider(mass=1.0)
    heavy = slider(mass=4.0)

    def halfway(t, q, qd):
        return q[0] - 1.0

    m = st.simulate(light, [0.0], [0.0], 3.0, tau=[1.0], events=[(1.0, heavy), (halfway, light)])
    assert [e.what for e in m.events] == ["time", "halfway"]
    assert m.qdd[m.t < 0.99, 0] == pytest.approx(1.0)
    assert m.qdd[(m.t > 1.01) & (m.t < m.events[1].t), 0] == pytest.approx(0.25)
    assert m.qdd[-1, 0] == pytest.approx(1.0)
    assert np.abs(m.drift).max() < 1e-12


def test_an_event_may_stop_the_motion_and_one_that_is_only_watched_is_listed():
    def low(t, q, qd):
        return q[0] + 1

    def lower(t, q, qd):
        return q[0] + 2

    m = st.simulate(slider(slope=pi / 2), [0.0], [0.0], 5.0, events=[low, (lower, "stop")])
    assert [e.what for e in m.events] == ["low", "lower"]
    assert m.t[-1] == pytest.approx(np.sqrt(4 / FALL), abs=1e-11)
    assert m.ended.startswith("lower at t = 0.63")


def test_a_short_visit_beyond_an_event_is_seen():
    """Within one long step: up and down again."""

    def high(t, q, qd):
        return q[0] - 0.99

    m = st.simulate(slider(slope=pi / 2), [0.0], [np.sqrt(2 * FALL)], 0.8, events=[high])
    assert len(m.events) == 2


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_a_graze_is_seen_and_so_is_its_end(depth):
    """The ball is beyond for 2 √(2 depth / g): 30 ms to 30 µs, within one interval between two looks."""

    def high(t, q, qd):
        return q[0] - (1 - depth)

    ball, top = slider(slope=pi / 2, limits=(-9, 1 - depth)), np.sqrt(2 / FALL)
    half = np.sqrt(2 * depth / FALL)
    for times in (None, [0.8]):
        m = st.simulate(ball, [0.0], [np.sqrt(2 * FALL)], 0.8, events=[high], t=times)
        assert [e.t for e in m.events] == pytest.approx([top - half, top + half], abs=1e-9)
    stopped = st.simulate(ball, [0.0], [np.sqrt(2 * FALL)], 0.8, limits="stop")
    assert stopped.t[-1] == pytest.approx(top - half, abs=1e-9)


@pytest.mark.parametrize("method", ["dop853", "stiff"])
@pytest.mark.parametrize("law", ["traced", "asked"])
def test_a_short_push_is_felt_by_what_rests_and_by_what_sticks(method, law):
    """Nothing else would keep the steps short: ten seconds of rest, and 20 ms of force in the middle."""
    laws = {
        "traced": lambda robot, t, q, qd: [10 * scalar.exp(-(((t - 2.0) / 0.02) ** 2))],
        "asked": lambda t, q, qd: [10 * np.exp(-(((t - 2.0) / 0.02) ** 2))],
    }
    options = {"tau": laws[law], "method": method, "rtol": 1e-9}
    free = st.simulate(slider(), [0.0], None, 10.0, **options)
    assert free.qd[-1, 0] == pytest.approx(0.2 * np.sqrt(pi), rel=1e-7)
    stuck = st.simulate(slider(friction=st.Coulomb(5.0)), [0.0], None, 10.0, **options)
    assert [e.what for e in stuck.events] == ["s slides", "s stops"]
    assert stuck.events[0].t == pytest.approx(2 - 0.02 * np.sqrt(np.log(2)), abs=1e-10)


def test_a_kept_sample_never_shows_a_joint_that_holds_more_than_it_can():
    """A needle of force, shorter than any step, at a time that is asked for."""
    needle = lambda robot, t, q, qd: [10 * scalar.exp(-(((t - 0.5003) / 1e-5) ** 2))]  # noqa: E731
    m = st.simulate(slider(friction=st.Coulomb(5.0)), [0.0], None, 1.0, tau=needle, t=[0.25, 0.5003, 1.0])
    assert [e.what for e in m.events] == ["s slides", "s stops"]
    assert m.qdd[1, 0] == pytest.approx(5.0)


def test_a_time_that_is_the_end_is_listed():
    m = st.simulate(slider(), [0.0], [1.0], 1.0, events=[(1.0, "stop"), (1.0, slider(mass=3.0))])
    assert [(e.t, e.what) for e in m.events] == [(1.0, "time")] * 2
    assert m.t[-1] == 1.0
    assert len(m) == 201


def test_events_that_come_ever_faster_are_told():
    def ground(t, q, qd):
        return q[0]

    with pytest.raises(MotionError, match="ever faster"):
        st.simulate(slider(slope=pi / 2), [1.0], [0.0], 9.0, events=[(ground, lambda t, q, qd: (q, -0.5 * qd))])


def test_rows_of_a_batch_have_their_own_events():
    m = st.simulate(slider(mass=2.0, friction=st.Coulomb(5.0)), [[0.0], [0.1]], [[1.0], [2.0]], 1.0)
    assert m.q[-1, :, 0] == pytest.approx([0.2, 0.9], abs=1e-12)
    assert [e.row for e in m.events] == [(0,), (1,)]


def test_an_event_that_fails_is_told_with_its_time():
    with pytest.raises(MotionError, match=r"event 'broken' fails at t = .*ZeroDivisionError"):

        def broken(t, q, qd):
            return 1 / 0

        st.simulate(slider(), [0.0], [1.0], 1.0, events=[broken])


def test_which_joints_stick_is_the_one_answer_of_the_set_valued_law():
    """From rest: friction is at most what it can hold, and all of it against what moves."""
    bare, hold = st.load("gallery:planar3"), np.array([2.0, 1.0, 0.5])
    arm = rough(bare, hold)
    rng = np.random.default_rng(0)
    q = rng.uniform(-2, 2, (150, 3))
    tau = arm.gravity_forces(q) + rng.uniform(-3, 3, (150, 3)) * hold
    qdd = st.simulate(arm, q, None, 1e-6, tau=tau, t=[0.0]).qdd[0]
    drag = tau - arm.inverse_dynamics(q, np.zeros(3), qdd, friction=False)
    assert (np.abs(drag) <= hold * (1 + 1e-9)).all()
    moving = qdd != 0
    assert np.abs(drag - np.sign(qdd) * hold)[moving].max() < 1e-9
    assert len({tuple(row) for row in moving}) == 8  # every set of joints that stick came up


def _asked(law):
    return lambda t, q, qd: law(t, q, qd)


LAWS = {
    "computed torque": lambda arm, path, M: st.controllers.computed_torque(arm, path, kp=100, kd=20),
    "towards a pose": lambda arm, path, M: st.controllers.computed_torque(arm, path(9.0)[0], kp=100, kd=20),
    "asked": lambda arm, path, M: _asked(st.controllers.computed_torque(arm, path(9.0)[0], kp=100, kd=20)),
    "feed-forward": lambda arm, path, M: st.controllers.feed_forward(arm, path, kp=100 * M, kd=20 * M),
    "springs": lambda arm, path, M: st.controllers.pd(arm, path, kp=100 * M, kd=20 * M),
    "sampled": lambda arm, path, M: st.controllers.sampled(
        st.controllers.computed_torque(arm, path, kp=100, kd=20), arm, period=0.02, limit=1e4
    ),
}


@pytest.mark.parametrize("name", ["planar3", pytest.param("puma560", marks=pytest.mark.heavy)])
@pytest.mark.parametrize("law", LAWS)
def test_a_law_that_compensates_friction_starts_from_rest_and_stops_without_rattling(name, law):
    """Such a law jumps where friction does; what sticks does not move by one bit, and friction never gives."""
    arm = st.load(f"gallery:{name}")
    if name != "puma560":
        arm = rough(arm, 0.02 * np.diag(arm.mass_matrix(np.ones(arm.n))) * np.arange(1, arm.n + 1))
    path = st.trajectory.quintic(np.zeros(arm.n), np.resize([0.4, -0.3, 0.5], arm.n), 0.5)
    M = np.diag(arm.mass_matrix(np.zeros(arm.n)))
    m = st.simulate(arm, np.zeros(arm.n), None, 0.75, tau=LAWS[law](arm, path, M), t=np.linspace(0, 0.75, 301))
    assert len(m.events) < 12 * arm.n
    assert np.abs(m.q[-1] - path(0.5)[0]).max() < 0.2
    assert m.relative_drift < 1e-9
    assert np.diff(m.work[:, 1]).max() <= 0
    assert m.power[:, 1].max() <= 0
    still = (m.qd[1:] == 0) & (m.qd[:-1] == 0)
    moved = [e.t for e in m.events if not e.what.endswith("stops")]
    between = ~np.any([(m.t[:-1] <= t) & (t <= m.t[1:]) for t in moved], axis=0)
    assert (m.q[1:] == m.q[:-1])[still & np.reshape(between, (-1, 1))].all()


def test_torques_that_push_at_rest_and_brake_in_motion_are_told_with_the_time():
    def bang(t, q, qd):
        return np.array([0.0 if t < 0.1 else 5 - 20 * np.sign(qd[0])])

    with pytest.raises(MotionError, match=r"chatter at t = 0\.1.*'s'"):
        st.simulate(slider(friction=st.Coulomb(1.0)), [0.0], None, 1.0, tau=bang)


def test_a_joint_without_friction_beside_one_with_turns_round_unnoticed():
    body = st.MassProperties(1.0, (0, 0, 0), (1e-3,) * 3)
    joints = (st.Prismatic(name=x, axis=(1, 0, 0), friction=f) for x, f in (("x", None), ("y", st.Coulomb(50.0))))
    links = (st.Link(name, up, joint, body=body) for name, up, joint in zip("ab", (None, "a"), joints, strict=True))
    m = st.simulate(st.Robot("pair", list(links)), [0.0, 0.0], [1.0, 0.0], 2.0, tau=[-2.0, 0.0])
    assert not m.events
    assert m.q[-1, 0] == pytest.approx(2.0 - 2.0, abs=1e-11)


def test_torques_that_rattle_are_told_and_long_stick_slip_is_not(monkeypatch):
    monkeypatch.setattr(hybrid, "MOST_EVENTS", 40)
    block = slider(friction=st.Coulomb(1.0))
    with pytest.raises(MotionError, match=r"40 events within .* until t = .*'s"):
        st.simulate(block, [0.0], None, 1.0, tau=lambda robot, t, q, qd: [3 * scalar.sin(2e6 * t)])
    m = st.simulate(block, [0.0], None, 0.4, tau=lambda robot, t, q, qd: [1.5 * scalar.sin(4e2 * t)], t=[0.4])
    assert len(m.events) > 50
    assert m.work[-1, 1] < 0
