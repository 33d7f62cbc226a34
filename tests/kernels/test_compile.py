"""`compile`: functions of one's own, derivatives, run-time parameters, and what is refused."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics, scalar
from steiner.errors import ArgumentError, SteinerError, TraceError
from steiner.inertia import MassProperties
from steiner.kernels.compile import Compiled, algorithm_of, compile
from steiner.model.parameters import parameter, with_parameters
from steiner.robots import build
from steiner.spatial import Pose, Wrench


def reach(robot, q, qd, target, *, weight=2.0):
    """Squared distance of the tool to a target, and a price for speed."""
    miss = dynamics.forward_kinematics(robot, q, robot.link_names[-1]).p - target
    return weight * (miss @ miss) + 0.1 * (qd @ qd)


def reach_by_hand(robot, q, qd, target, weight=2.0):
    miss = robot.forward_kinematics(q, robot.link_names[-1]).p - target
    return weight * (miss * miss).sum(-1) + 0.1 * (qd * qd).sum(-1)


@pytest.fixture(scope="module")
def arm():
    return build("puma560")


@pytest.fixture(scope="module")
def state():
    return np.random.default_rng(5).uniform(-2, 2, (3, 6))


def test_a_function_of_ones_own_runs_on_single_states_and_batches(arm):
    cost = compile(reach, arm, shapes={"target": 3})
    rng = np.random.default_rng(0)
    q, qd, target = rng.normal(size=(4, 1, 6)), rng.normal(size=(5, 6)), rng.normal(size=3)
    assert cost(q[0, 0], qd[0], target).shape == ()
    value = cost(q, qd, target)
    assert value.shape == (4, 5)
    assert np.allclose(value, reach_by_hand(arm, q, qd, target), rtol=1e-13)
    assert np.allclose(cost(q, qd, target, weight=3.0), reach_by_hand(arm, q, qd, target, 3.0), rtol=1e-13)
    out = np.zeros((4, 5))
    assert cost(q, qd, target, out=out) is out and (out == value).all()
    assert (cost(q.tolist(), qd, target=list(target)) == value).all()


def test_functions_of_the_library_are_compiled_by_name_alias_or_themselves(arm, state):
    want = arm.inverse_dynamics(*state)
    for fn in (dynamics.inverse_dynamics, "inverse_dynamics", "rnea"):
        assert (compile(fn, arm)(*state) == want).all()
    inertial = compile(dynamics.inertial_forces, arm)  # no robot method of this name
    assert np.allclose(inertial(state[0], state[2]), arm.mass_matrix(state[0]) @ state[2], rtol=1e-12, atol=1e-12)


def test_external_wrenches_reach_the_compiled_function(arm, state):
    push = Wrench((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), acting_on="link4")
    f = compile("inverse_dynamics", arm)
    assert np.allclose(f(*state, external=push), arm.inverse_dynamics(*state, external=push), rtol=1e-14)


def test_results_keep_their_structure(arm, state):
    def several(robot, q, qd):
        return {"M": dynamics.mass_matrix(robot, q), "pair": (q[0] * qd[0], [qd, 1.5])}

    result = compile(several, arm)(state[0], state[1])
    assert np.allclose(result["M"], arm.mass_matrix(state[0]), rtol=1e-13)
    assert result["pair"][0] == state[0][0] * state[1][0]
    assert (result["pair"][1][0] == state[1]).all() and result["pair"][1][1] == 1.5


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_derivatives_come_with_the_value(arm, backend):
    cost = compile(reach, arm, shapes={"target": 3}, derivatives=("q", "target"), backend=backend)
    rng = np.random.default_rng(1)
    q, qd, target = rng.normal(size=(7, 6)), rng.normal(size=(7, 6)), rng.normal(size=3)
    value, dq, dtarget = cost(q, qd, target)
    assert value.shape == (7,) and dq.shape == (7, 6) and dtarget.shape == (7, 3)
    assert np.allclose(value, reach_by_hand(arm, q, qd, target), rtol=1e-13)
    h = 1e-5
    for k, (x, slope) in enumerate([(q, dq), (target, dtarget)]):
        for j in range(x.shape[-1]):
            moves = (h * np.eye(x.shape[-1])[j], -h * np.eye(x.shape[-1])[j])
            states = [(q + s, qd, target) if k == 0 else (q, qd, target + s) for s in moves]
            high, low = (reach_by_hand(arm, *given) for given in states)
            assert np.allclose(slope[..., j], (high - low) / (2 * h), rtol=1e-7, atol=1e-8)


def test_derivatives_of_inverse_dynamics_agree_with_the_recursion(arm, state):
    f = compile("inverse_dynamics", arm, derivatives=("q", "qd", "qdd"))
    tau, *slopes = f(*state)
    assert np.allclose(tau, arm.inverse_dynamics(*state), rtol=1e-13)
    for a, b in zip(slopes, arm.inverse_dynamics_derivatives(*state), strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12)


def test_derivatives_of_a_pose_are_plain_arrays(arm, state):
    f = compile(dynamics.forward_kinematics, arm, derivatives="q")
    poses, slopes = f(state[0])
    dR, dp = slopes["link6"]
    assert isinstance(poses["link6"], Pose) and dR.shape == (3, 3, 6) and dp.shape == (3, 6)
    assert np.allclose(dp, arm.jacobian(state[0], "link6", frame="aligned")[3:], atol=1e-14)


PATHS = ("link2.mass", "link3.com", "link1.inertia", "link4.xyz", "joint2.armature", "payload.mass", "gravity")


@pytest.fixture(scope="module")
def loaded(arm):
    return arm.with_payload(MassProperties(1.5, (0, 0, 0.05), (0.01, 0.02, 0.03)), pose=Pose(p=(0.01, 0.02, 0.1)))


@pytest.fixture(scope="module")
def adjustable(loaded):
    return compile("inverse_dynamics", loaded, parameters=PATHS)


def test_N20_parameters_default_to_the_robots_own_numbers(loaded, adjustable, state):
    assert np.allclose(adjustable(*state), loaded.inverse_dynamics(*state), rtol=1e-12, atol=1e-12)


def test_N20_a_variant_leaves_the_defaults_as_they_are():
    rubbed = st.Revolute(name="j", friction=st.Viscous(2.0))
    arm = st.Robot("a", [st.Link("l", None, rubbed, body=MassProperties(1, (0.1, 0, 0), (0.1, 0.1, 0.1)))])
    f = Compiled(arm, algorithm_of("inverse_dynamics"))
    key = f.variant()[0]
    assert f.variant({"friction": False})[0] != key
    assert f.variant()[0] == key
    without, rubbing = f([0.3], [1.5], [0.0], friction=False), f([0.3], [1.5], [0.0])
    assert rubbing - without == pytest.approx(3.0)


@pytest.mark.parametrize("path", PATHS)
def test_a_parameter_acts_as_a_robot_with_that_number(loaded, adjustable, state, path):
    rng = np.random.default_rng(2)
    was = np.asarray(parameter(loaded, path), float)
    change = rng.uniform(0.1, 0.5, was.shape)
    now = was + (change + change.T if path.endswith("inertia") else change)
    tau = adjustable(*state, parameters={path: now})
    want = with_parameters(loaded, {path: now}).inverse_dynamics(*state)
    assert np.allclose(tau, want, rtol=1e-12, atol=1e-12)
    assert np.abs(tau - loaded.inverse_dynamics(*state)).max() > 1e-6


def test_batches_of_parameters_broadcast_with_batches_of_states(loaded, adjustable):
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 5, 6))
    mass, gravity = rng.uniform(1, 3, (4, 1)), rng.normal(size=(5, 3))
    tau = adjustable(q, qd, qdd, parameters={"payload.mass": mass, "gravity": gravity})
    assert tau.shape == (4, 5, 6)
    for i in range(4):
        for j in range(5):
            robot = with_parameters(loaded, {"payload.mass": mass[i, 0], "gravity": gravity[j]})
            assert np.allclose(tau[i, j], robot.inverse_dynamics(q[j], qd[j], qdd[j]), rtol=1e-12, atol=1e-12)
    inertias = np.stack([np.eye(3) * k for k in (0.1, 0.2, 0.3)])
    assert adjustable(q[0], qd[0], qdd[0], parameters={"link1.inertia": inertias}).shape == (3, 6)
    assert adjustable(q[0], qd[0], qdd[0], parameters={"gravity": np.zeros((0, 3))}).shape == (0, 6)


def test_parameters_may_be_differentiated_by(loaded, state):
    f = compile("inverse_dynamics", loaded, parameters=PATHS, derivatives=("payload.mass", "gravity", "link1.inertia"))
    tau, dm, dg, dI = f(*state)
    assert dm.shape == (6,) and dg.shape == (6, 3) and dI.shape == (6, 3, 3)
    heavier = f(*state, parameters={"payload.mass": 2.5})[0]
    assert np.allclose(heavier - tau, dm, rtol=1e-11, atol=1e-12)  # linear in the mass: 1.5 to 2.5
    assert np.allclose(f(*state, parameters={"gravity": [1.0, 2.0, 3.0]})[0] - tau,
                       dg @ (np.array([1.0, 2.0, 3.0]) - loaded.gravity), rtol=1e-11, atol=1e-11)  # fmt: skip


def test_forward_dynamics_with_a_payload_of_run_time_mass(loaded, state):
    f = compile("forward_dynamics", loaded, parameters=["payload.mass"])
    tau = compile("inverse_dynamics", loaded, parameters=["payload.mass"])(*state, parameters={"payload.mass": 3.0})
    back = f(state[0], state[1], tau, parameters={"payload.mass": 3.0})
    assert np.allclose(back, state[2], rtol=1e-9, atol=1e-9)


def test_single_precision(arm, state):
    low = state.astype(np.float32)
    assert compile("mass_matrix", arm)(low[0]).dtype == np.float32
    f = compile("mass_matrix", arm, dtype="float32")
    assert f(state[0]).dtype == np.float32
    assert np.allclose(f(state[0]), arm.mass_matrix(state[0]), rtol=1e-4, atol=1e-5)
    adjustable = compile("inverse_dynamics", arm, parameters=["link2.mass"])
    assert adjustable(*low).dtype == np.float32
    assert adjustable(*low, parameters={"link2.mass": 2.0}).dtype == np.float64


def test_lambdas_partials_and_objects_are_functions_too(arm, state):
    class Energy:
        def __call__(self, robot, q, qd):
            return dynamics.kinetic_energy(robot, q, qd)

    q, qd = state[:2]
    want = arm.kinetic_energy(q, qd)
    energies = (Energy(), lambda robot, q, qd: dynamics.kinetic_energy(robot, q, qd),
                functools.partial(dynamics.kinetic_energy, per_link=False))  # fmt: skip
    for fn in energies:
        assert compile(fn, arm)(q, qd) == pytest.approx(want, rel=1e-14)


def test_elementary_functions_take_arrays(arm, state):
    def waves(robot, q, qd):
        return scalar.select(qd, scalar.sin(q) * scalar.exp(-qd * qd), scalar.sqrt(abs(q))) + scalar.sign(q)

    q, qd = state[:2]
    want = np.where(qd > 0, np.sin(q) * np.exp(-qd * qd), np.sqrt(np.abs(q))) + np.sign(q)
    assert np.allclose(compile(waves, arm)(q, qd), want, rtol=1e-14)
    plain = waves(arm, q, qd)  # and with plain numbers, uncompiled
    assert plain.dtype == np.float64 and np.allclose(plain, want, rtol=1e-14)
    mask = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    assert (compile(lambda robot, q: scalar.select(mask, q[0], q), arm)(q)[::2] == q[0]).all()
    x = sp.Symbol("x")
    assert scalar.cos(np.array([x, 0], dtype=object)).tolist() == [sp.cos(x), 1]


def test_the_callable_says_what_it_is(arm):
    f = compile(reach, arm, shapes={"target": 3}, parameters=["link2.mass"])
    assert f.__name__ == "reach" and "Squared distance" in f.__doc__
    assert "parameters=None" in str(f.__text_signature__ if hasattr(f, "__text_signature__") else f.__signature__)


def test_symbols_run_the_same_text(arm):
    f = compile(reach, build("rr"), shapes={"target": 3})
    q1, q2 = sp.symbols("q1 q2")
    formula = f([q1, q2], [0, 0], [0, 0, 0])
    assert sp.lambdify((q1, q2), formula.item() if hasattr(formula, "item") else formula)(0.3, 0.4) == pytest.approx(
        float(f([0.3, 0.4], [0, 0], [0, 0, 0])), rel=1e-12
    )
    with pytest.raises(ArgumentError, match="differentiate the formula"):
        compile(reach, build("rr"), shapes={"target": 3}, derivatives="q")([q1, q2], [0, 0], [0, 0, 0])


def branching(robot, q):
    if q[0] > 0:
        return q
    return -q


def equal(robot, q):
    return q if q[0] == 0 else -q


UNTRACEABLE = {
    "if": (branching, r"branching, line \d+ of .*select"),
    "==": (equal, r"equal, line \d+ of .*select"),
    "math.sin": (lambda robot, q: math.sin(q[0]), "steiner.scalar"),
    "np.sin": (lambda robot, q: np.sin(q), "steiner.scalar"),
    "np.linalg": (lambda robot, q: np.linalg.inv(dynamics.mass_matrix(robot, q)), "steiner.scalar"),
    "root": (lambda robot, q: q[0] ** 0.5, "whole powers"),
    "index": (lambda robot, q: range(9)[q[0]], "Node"),
    "nothing": (lambda robot, q: None, "returned no numbers"),
    "text": (lambda robot, q: [q, {"a"}], "not a number"),
}


@pytest.mark.parametrize("case", UNTRACEABLE)
def test_what_cannot_be_traced_is_explained_when_it_is_compiled(arm, case):
    fn, message = UNTRACEABLE[case]
    with pytest.raises(TraceError, match=message):
        compile(fn, arm)


def test_the_mistakes_of_a_function_pass_through(arm):
    with pytest.raises(ZeroDivisionError):
        compile(lambda robot, q: q * (1 / 0), arm)
    with pytest.raises(TypeError, match="unsupported operand"):
        compile(lambda robot, q: q + (1 + "a"), arm)


def rr(fn="rnea", *args, **kwargs):
    """A function compiled for the gallery's rr; with arguments, called at rest."""
    call = kwargs.pop("call", None)
    f = compile(fn, build("rr"), **kwargs)
    return f if call is None else f(*np.zeros((2 if fn is reach else 3, 2)), *args, **call)


TARGET = {"target": 3}
REFUSED = {
    "no length": (lambda: rr(reach), r"how long is 'target'\? give shapes"),
    "bad length": (lambda: rr(reach, shapes={"target": 0}), "length of 1 or more, got 0"),
    "wrong shapes": (lambda: rr(reach, shapes={"target": 3, "tool": 3}), "no argument named 'tool'"),
    "no function": (lambda: rr(7), "got 7"),
    "unknown name": (lambda: rr("inverse_dynamic"), "did you mean 'inverse_dynamics'"),
    "bound method": (lambda: rr(build("rr").rnea), "the first argument is the robot"),
    "starred": (lambda: rr(lambda robot, *q: q), "name every argument"),
    "reserved": (lambda: rr(lambda robot, q, out: q), "rename yours"),
    "no robot": (lambda: compile("rnea", "rr"), "expected a robot, got 'rr'"),
    "dtype": (lambda: rr(dtype=int), "float64 or float32"),
    "threads": (lambda: rr(threads=0), "from 1 on"),
    "backend": (lambda: rr(backend="fortran"), "no backend named 'fortran'"),
    "parameter": (lambda: rr(parameters=["link1.weight"]), "parameter 'link1.weight': no"),
    "twice": (lambda: rr(parameters=["gravity", "gravity"]), "twice"),
    "derivative": (lambda: rr(derivatives="tau"), "no argument named 'tau'"),
    "call shape": (lambda: rr(reach, [1, 2], shapes=TARGET, call={}), r"target has 3"),
    "call option": (lambda: rr(reach, [1, 2, 3], shapes=TARGET, call={"weight": [1]}), "hashable"),
    "parameter shape": (lambda: rr(parameters=["gravity"], call={"parameters": {"gravity": 9.81}}), r"shape \(3,\)"),
    "parameter text": (lambda: rr(parameters=["gravity"], call={"parameters": {"gravity": "g"}}), "expected numbers"),
    "unknown at run time": (lambda: rr(parameters=["gravity"], call={"parameters": {"g": 1}}), "not a run-time input"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_arguments_are_refused_with_what_to_do(case):
    call, message = REFUSED[case]
    with pytest.raises(SteinerError, match=message):
        call()


def test_nan_stays_in_its_row_and_select_chooses(arm):
    def guarded(robot, q):
        return scalar.select(q[0], scalar.sqrt(q[0]), 0.0) + q[1]

    f = compile(guarded, arm, derivatives="q")
    q = np.zeros((3, 6))
    q[:, 0] = [4.0, -1.0, np.nan]
    value, slope = f(q)
    assert value[:2].tolist() == [2.0, 0.0] and np.isnan(value[2])
    assert slope[:2, 0].tolist() == [0.25, 0.0] and (slope[:, 1] == 1).all()
