"""What goes into a simulation and comes out of it, whatever the method."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steiner as st
from motion.arms import FALL, double_pendulum, pendulum, slider
from steiner.errors import ArgumentError
from steiner.model.motion import MotionError

START, RATES = np.array([0.3, 0.5]), np.array([1.0, -1.0])
FIXED = ("rk4", "euler", "gauss")


@pytest.fixture(scope="module")
def arm():
    return double_pendulum()


def test_torques_may_be_an_array_samples_a_function_or_a_law(arm):
    tau = np.array([2.0, -1.0])
    motions = [
        st.simulate(arm, START, RATES, 0.5, tau=given, t=[0.25, 0.5])
        for given in (tau, np.tile(tau, (8, 1)), lambda t, q, qd: tau, lambda robot, t, q, qd: tau)
    ]
    for m in motions[1:]:
        assert np.abs(m.q - motions[0].q).max() < 1e-9
        assert np.abs(m.tau - tau).max() == 0
    assert motions[0].work[-1, 0] == pytest.approx(motions[0].energy[-1] - motions[0].initial, abs=1e-8)


@pytest.mark.parametrize("method", ["dop853", "rk4", "euler"])
def test_samples_of_torque_are_held_one_after_another(method):
    options = {} if method == "dop853" else {"step": 0.0125}
    samples = np.array([[1.0], [-2.0], [3.0], [0.5]])
    m = st.simulate(slider(), [0.0], [0.0], 1.0, tau=samples, t=[0.0, 0.25, 0.5, 0.75, 1.0], method=method, **options)
    speeds = np.concatenate([[0.0], np.cumsum(samples[:, 0]) * 0.25])
    assert m.qd[:, 0] == pytest.approx(speeds, abs=1e-12)
    assert m.tau[:, 0].tolist() == [1.0, -2.0, 3.0, 0.5, 0.5]


def test_samples_of_torque_may_change_between_the_steps():
    samples = np.array([[1.0], [-2.0], [3.0]])
    m = st.simulate(slider(), [0.0], [0.0], 1.0, tau=samples, t=[1.0], method="rk4", step=0.1)
    assert m.qd[-1, 0] == pytest.approx(2 / 3, abs=1e-12)


def test_a_state_moves_with_the_same_bits_alone_and_in_a_batch(arm):
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 3, 4, 2))
    for method in ("dop853", "rk4"):
        batch = st.simulate(arm, q, qd, 0.2, t=[0.1, 0.2], method=method)
        alone = st.simulate(arm, q[1, 2], qd[1, 2], 0.2, t=[0.1, 0.2], method=method)
        assert batch.q.shape == (2, 3, 4, 2)
        assert (batch.q[:, 1, 2] == alone.q).all()
        assert (batch[:, 1, 2].energy == alone.energy).all()


def test_samples_between_steps_lie_on_the_path(arm):
    """Asking for other times changes nothing at those asked for before."""
    few = st.simulate(arm, START, RATES, 1.0, t=[0.37, 1.0])
    many = st.simulate(arm, START, RATES, 1.0, t=np.sort(np.append(np.linspace(0.01, 1.0, 333), 0.37)))
    assert (many[np.isin(many.t, few.t)].q == few.q).all()
    exact = st.simulate(arm, START, RATES, 0.37, t=[0.37], rtol=1e-13)
    assert np.abs(few.q[0] - exact.q[-1]).max() < 1e-9


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("gauss", 4), ("euler", 1)])
def test_fixed_steps_converge_with_their_order(arm, method, order):
    exact = st.simulate(arm, START, RATES, 0.4, t=[0.4], rtol=1e-13).q[-1]
    errors = [
        np.abs(st.simulate(arm, START, RATES, 0.4, t=[0.4], method=method, step=h).q[-1] - exact).max()
        for h in (0.01, 0.005)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_times_off_the_grid_of_steps_are_reached_by_a_shorter_one(arm):
    m = st.simulate(arm, START, RATES, 0.105, t=[0.033, 0.105], method="rk4", step=0.01)
    exact = st.simulate(arm, START, RATES, 0.105, t=[0.033, 0.105])
    assert np.abs(m.q - exact.q).max() < 1e-6


def test_symplectic_steps_keep_the_energy_where_others_lose_it(arm):
    gauss, rk4 = (st.simulate(arm, START, RATES, 400.0, method=x, step=0.02) for x in ("gauss", "rk4"))
    early, late = np.abs(gauss.drift[:100]).max(), np.abs(gauss.drift[100:]).max()
    assert late < 3 * early
    assert np.abs(rk4.drift).max() > 100 * np.abs(gauss.drift).max()


def test_wrenches_push_in_time_and_their_work_is_counted():
    arm = slider(mass=2.0)
    push = st.Wrench(force=(3.0, 0, 0), acting_on="block")
    m = st.simulate(arm, [0.0], [0.0], 1.0, external=push)
    assert m.q[-1, 0] == pytest.approx(0.75, abs=1e-12)
    assert m.work[-1] == pytest.approx([0, 0, 3 * 0.75, 0], abs=1e-12)
    grown = st.simulate(arm, [0.0], [0.0], 1.0, external=lambda t: st.Wrench(force=(6.0 * t, 0, 0), acting_on="block"))
    assert grown.q[-1, 0] == pytest.approx(0.5, abs=1e-10)
    assert np.abs(grown.drift).max() < 1e-10


def test_the_rows_of_a_motion_hold_together(arm):
    m = st.simulate(arm, START, RATES, 1.0, tau=[0.3, 0.1])
    assert np.allclose(arm.inverse_dynamics(m.q, m.qd, m.qdd), m.tau, atol=1e-12)
    assert np.allclose(m.power[:, 0], np.sum(m.tau * m.qd, axis=1))
    assert m.energy == pytest.approx(arm.kinetic_energy(m.q, m.qd) + arm.potential_energy(m.q))
    assert len(m[10:20]) == 10
    assert (m[m.t > 0.5].t > 0.5).all()
    assert "drift" in repr(m)
    with pytest.raises(ValueError, match="read-only"):
        m.q[0] = 0


def test_a_motion_is_resampled_by_quintics(arm):
    m = st.simulate(arm, START, RATES, 1.0, every=0.01)
    exact = st.simulate(arm, START, RATES, 1.0, t=[0.123456, 0.777])
    between = m.resampled([0.123456, 0.777])
    assert np.abs(between.q - exact.q).max() < 1e-9
    assert np.abs(between.qd - exact.qd).max() < 1e-7
    with pytest.raises(ArgumentError, match="known from 0 to 1 s"):
        m.resampled([1.5])


def test_a_motion_is_saved_as_the_file_that_torques_reads(arm, tmp_path):
    m = st.simulate(arm, START, RATES, 0.1)
    head, *lines = m.save(tmp_path / "motion.csv").read_text().splitlines()
    assert head == "t,one.q,two.q,one.qd,two.qd,one.qdd,two.qdd,one.tau,two.tau,energy"
    assert np.array_equal(np.array([x.split(",") for x in lines], float)[:, 1:3], m.q)
    with pytest.raises(st.SteinerError, match="exists"):
        m.save(tmp_path / "motion.csv")
    with pytest.raises(ArgumentError, match="neither"):
        m.save(tmp_path / "motion.txt")


def test_a_law_that_fails_is_told_with_its_time_and_nothing_is_lost(arm):
    def torque(t, q, qd):
        if t > 0.3:
            raise RuntimeError("the bus is silent")
        return [0.0, 0.0]

    with pytest.raises(MotionError, match=r"tau fails at t = 0\.3.* the bus is silent") as failed:
        st.simulate(arm, START, RATES, 1.0, tau=torque)
    motion = failed.value.motion
    assert motion is not None
    assert 0.2 < motion.t[-1] <= 0.31
    assert motion.ended == "failed"
    assert np.isfinite(motion.q).all()


def test_a_torque_that_is_not_finite_is_told(arm):
    with pytest.raises(MotionError, match=r"tau at t = 0\.\d+ s is not finite"):
        st.simulate(arm, START, RATES, 1.0, tau=lambda t, q, qd: [np.nan if t > 0.5 else 0.0, 0.0])


def test_a_state_that_is_not_finite_is_told_with_the_time():
    def pushes(robot, t, q, qd):
        return 1e3 * qd * qd * qd + 1

    with pytest.raises(MotionError, match=r"not finite after t = \d") as failed:
        st.simulate(pendulum(), [0.1], [0.0], 100.0, tau=pushes, method="rk4", step=0.01)
    assert failed.value.motion is not None
    assert np.isfinite(failed.value.motion.q).all()


def test_a_run_that_is_interrupted_returns_what_there_is(arm):
    def torque(t, q, qd):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0, 0.0]

    m = st.simulate(arm, START, RATES, 1.0, tau=torque)
    assert m.ended == "interrupted"
    assert 0.3 < m.t[-1] <= 0.51


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"q0": [0.0]}, "one number per joint"),
        ({"q0": [0.0, np.nan]}, "not finite"),
        ({"tau": [1.0, 2.0, 3.0]}, "tau: expected"),
        ({"tau": [np.inf, 0.0]}, "not finite"),
        ({"external": lambda t: 1 / 0}, "external fails at t = 0 s"),
        ({"external": "push"}, "external= takes a Wrench"),
        ({"friction": "no"}, "expected True or False"),
        ({"method": "magic"}, "no method named 'magic'"),
        ({"step": 0.1}, "chooses its steps"),
        ({"method": "rk4", "step": -1}, "expected seconds > 0"),
        ({"duration": 0}, "duration > 0"),
        ({"t": [0.5, 0.1]}, "rising times"),
        ({"t": [0.5], "every": 0.1}, "not both"),
        ({"every": 7.0}, "every=7.0"),
        ({"limits": "bounce"}, "way to meet limits"),
        ({"events": [3]}, "events: a time"),
        ({"events": ["soon"]}, "events: expected"),
        ({"tau": lambda robot, t, q, qd: [1.0]}, "expected 2 efforts"),
        ({"tau": lambda robot, t, q, qd: math.sin(t) * q}, "is traced, and that fails"),
    ],
)
def test_bad_input_is_told(arm, options, told):
    given = {"q0": START, "qd0": RATES, "duration": 1.0} | options
    with pytest.raises(st.SteinerError, match=told):
        st.simulate(arm, **given)


def test_a_robot_with_symbols_is_refused():
    import sympy

    with pytest.raises(ArgumentError, match="symbols"):
        pendulum(mass=sympy.Symbol("m")).simulate([0.0])


def test_the_evaluator_of_numpy_gives_the_same_motion(arm, monkeypatch):
    native = st.simulate(arm, START, RATES, 0.05, t=[0.05], method="rk4", step=0.01)
    monkeypatch.setenv("STEINER_BACKEND", "numpy")
    plain = st.simulate(double_pendulum(), START, RATES, 0.05, t=[0.05], method="rk4", step=0.01)
    assert np.abs(native.q - plain.q).max() < 1e-13


def test_a_free_fall_has_no_drift():
    m = st.simulate(slider(slope=math.pi / 2), [0.0], [0.0], 1.0)
    assert m.q[-1, 0] == pytest.approx(-FALL / 2, abs=1e-12)
    assert m.relative_drift < 1e-13


def test_a_digital_law_is_asked_once_per_period_and_its_torque_is_held():
    asked = []

    class Law:
        period = 0.25

        def __call__(self, t, q, qd):
            asked.append(t)
            return [len(asked) * 1.0]

    for method, options in (("dop853", {}), ("rk4", {"step": 0.1})):
        asked.clear()
        m = st.simulate(slider(), [0.0], [0.0], 1.0, tau=Law(), method=method, t=[0.0, 0.3, 0.5, 1.0], **options)
        assert asked == [0.0, 0.25, 0.5, 0.75]
        assert m.qd[-1, 0] == pytest.approx(2.5, abs=1e-12)
        assert m.tau[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_digital_law_holds_a_joint_that_sticks():
    class Law:
        period = 0.1

        def __call__(self, t, q, qd):
            return [6.0 if t > 0.45 else 4.0]

    m = st.simulate(slider(friction=st.Coulomb(5.0)), [0.0], [0.0], 1.0, tau=Law())
    assert not m.q[m.t <= 0.5].any()
    assert m.q[-1, 0] == pytest.approx(0.5 * 0.5**2, abs=1e-12)


def test_a_long_run_shows_how_far_it_is_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("steiner.text.progress.PATIENCE", 0.0)
    monkeypatch.setattr("steiner.text.progress.PAUSE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    st.simulate(slider(), [0.0], [1.0], 1.0, method="rk4", step=1e-6, t=[1.0])
    assert "of 1 s" in capsys.readouterr().err


def test_a_part_of_a_batch_has_its_own_events_and_its_own_end():
    rows = st.simulate(slider(limits=(-9, 0.5)), [[0.0], [0.0], [0.0]], [[1.0], [0.1], [2.0]], 1.0, limits="stop")
    assert rows.ended == "row (0,): 's' reaches its upper limit at t = 0.5 s; 1 more rows end early"
    first, second, third = (rows[:, k] for k in range(3))
    assert [e.row for e in rows[:, 1:].events] == [(1,)]
    assert not second.events
    assert not second.ended
    assert len(second) == 201
    assert third.t[-1] == pytest.approx(0.245)
    assert third.ended == "s at its upper limit at t = 0.25 s"
    assert np.isfinite(first.q).all()
    assert [e.row for e in first.events] == [()]
    assert not first[first.t < 0.4].events


def test_a_time_that_is_not_there_is_no_motion():
    m = st.simulate(slider(), [0.0], [1.0], 1.0, every=0.25)
    assert m[-1].t == 1.0
    assert len(list(m)) == 5
    with pytest.raises(IndexError):
        m[5]


def test_no_motions_at_all_are_a_batch_too():
    m = st.simulate(slider(), np.zeros((0, 1)), None, 1.0)
    assert m.q.shape == (201, 0, 1)
    assert m.relative_drift == 0


def test_what_functions_of_others_say_is_told_with_its_time():
    arm = slider()

    def wrong(t, q, qd):
        return arm.gravity_forces(q[:0]) if t > 0.5 else [0.0]

    def lost(t):
        return st.Wrench(acting_on="block", force=(math.nan if t > 0.5 else 0.0, 0, 0))

    for options in ({"tau": wrong}, {"external": lost}):
        with pytest.raises(MotionError, match=r"fails at t = 0\.50\d* s: ") as failed:
            st.simulate(arm, [0.0], [1.0], 1.0, **options)
        assert failed.value.motion is not None
        assert failed.value.motion.t[-1] == pytest.approx(0.5, abs=0.02)
    with pytest.raises(MotionError, match=r"tau at t = 0 s: expected \(1,\) efforts, got \[1, 2\]"):
        st.simulate(arm, [0.0], [1.0], 1.0, tau=lambda t, q, qd: [1, 2])


@pytest.mark.parametrize("options", [{"every": 1e-12}, {"every": 1e-6, "q0": np.zeros((100, 1))}])
def test_more_samples_than_can_be_kept_are_refused(options):
    with pytest.raises(ArgumentError, match="fewer"):
        st.simulate(slider(), **{"q0": [0.0], "duration": 1.0, **options})
