"""A batch of robots: payloads, gravities and states that differ from row to row."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from motion.arms import rough, slider
from steiner.model.motion import MotionError

LOAD = st.MassProperties(1.0, (0.05, 0, 0.02), (1e-3, 2e-3, 2e-3))


def _loaded(name="planar3"):
    return st.load(f"gallery:{name}").with_payload(LOAD)


@pytest.mark.parametrize("method", ["dop853", "rk4", "euler", "gauss", "stiff"])
def test_a_batch_of_payloads_moves_as_each_of_them_alone(method):
    arm, masses = _loaded(), np.array([0.2, 0.5, 3.0])
    q0 = np.array([0.3, -0.4, 0.5])
    options = {"tau": [5.0, 1.0, 0.2], "method": method}
    m = st.simulate(arm, q0, None, 0.3, parameters={"payload.mass": masses}, **options)
    assert m.q.shape == (201, 3, 3)
    for k, mass in enumerate(masses):
        alone = st.simulate(arm.with_parameters({"payload.mass": mass}), q0, None, 0.3, **options)
        for name in ("q", "qd", "qdd", "tau", "kinetic", "potential", "work"):
            got, want = getattr(m, name)[:, k], getattr(alone, name)
            assert np.abs(got - want).max() <= 1e-9 * (1 + np.abs(want).max()), name
    assert np.abs(m.q[-1, 0] - m.q[-1, 2]).max() > 1e-3
    if method != "euler":
        assert m.relative_drift < 1e-6


def test_states_gravities_and_torques_make_one_batch():
    arm = _loaded("rr")
    q0 = np.array([[0.1, 0.2], [0.3, 0.4]])
    gravity = np.array([[[0, 0, -9.81]], [[0, 0, -1.62]], [[0, 0, 0]]])
    m = st.simulate(arm, q0, None, 0.2, parameters={"gravity": gravity}, t=[0.2], tau=np.ones(2))
    assert m.q.shape == (1, 3, 2, 2)
    moon = st.simulate(arm.replace(gravity=(0, 0, -1.62)), q0[1], None, 0.2, t=[0.2], tau=np.ones(2))
    assert np.abs(m.q[0, 1, 1] - moon.q[0]).max() < 1e-12


def test_rows_that_stick_and_slide_have_their_own_payload():
    arm = rough(_loaded(), [20.0, 5.0, 0.5])
    m = st.simulate(arm, np.zeros(3), None, 0.3, parameters={"payload.mass": [0.1, 4.0]})
    for k, mass in enumerate((0.1, 4.0)):
        alone = st.simulate(arm.with_parameters({"payload.mass": mass}), np.zeros(3), None, 0.3)
        assert np.abs(m.q[:, k] - alone.q).max() < 1e-9
        assert [e.what for e in m.events if e.row == (k,)] == [e.what for e in alone.events]
    assert m.events


def test_controllers_steer_what_they_believe_in():
    arm = _loaded("rr")
    law = st.controllers.pd(arm, [0.5, 0.5], kp=200, kd=40)
    m = st.simulate(arm, np.zeros(2), None, 2.0, tau=law, t=[2.0], parameters={"payload.mass": [1.0, 5.0]})
    assert np.abs(m.q[0, 0] - 0.5).max() < 1e-2 < np.abs(m.q[0, 1] - 0.5).max()


def test_a_payload_is_taken_in_fields_that_differ_by_row():
    fields = {"gravity": [[0, 0, 0], [1.0, 0, 0]]}
    m = st.simulate(slider(), [0.0], [0.0], 2.0, tau=[1.0], events=[(1.0, slider(mass=9.0))], parameters=fields)
    assert m.qdd[-1, :, 0] == pytest.approx([1 / 9, 1 / 9 + 1])
    assert np.abs(m.drift).max() < 1e-11


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ([1.0], "by name"),
        ({"paylod.mass": [1.0]}, "paylod"),
        ({"payload.mass": [1.0, np.nan]}, "not finite"),
        ({"gravity": [1.0, 2.0]}, "expected shape"),
        ({"payload.mass": [1.0, 2.0, 3.0]}, "do not go together"),
        ({"payload.mass": "heavy"}, "payload.mass"),
    ],
)  # fmt: skip
def test_parameters_that_do_not_fit_are_told(parameters, said):
    with pytest.raises(st.SteinerError, match=said):
        st.simulate(_loaded("rr"), np.zeros((2, 2)), None, 0.1, parameters=parameters)


def test_a_mass_that_makes_the_state_burst_names_its_row():
    with pytest.raises(MotionError, match="row 1 of the batch"):
        st.simulate(slider(), [0.0], [0.0], 1.0, tau=[1e300], method="rk4", parameters={"block.mass": [1.0, 1e-300]})
