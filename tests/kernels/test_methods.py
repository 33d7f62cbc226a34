"""Robot methods as callables: kernels, shapes, errors, lifetime — the same on every backend."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import pickle
import resource
import sys
import threading
import weakref

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.backends import BACKENDS, reference
from steiner.dynamics import METHODS
from steiner.dynamics import inverse_dynamics as text
from steiner.kernels.call import Call
from steiner.kernels.compile import Compiled, compile

ID = next(a for a in METHODS if a.name == "inverse_dynamics")


@pytest.fixture(scope="module")
def puma():
    return st.load("gallery:puma560")


@pytest.fixture
def compiled(monkeypatch):
    """The tapes that the backend "watched" was given."""
    tapes = []

    class Watched:
        @staticmethod
        def compile(tape, dtype, threads):
            tapes.append(tape)
            return reference.compile(tape, dtype, threads)

    monkeypatch.setitem(BACKENDS, "watched", lambda: Watched)
    return tapes


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(5).normal(size=(3, 40, 6))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_batch_is_its_rows(puma, states, backend):
    call = Call(puma, ID, backend=backend)
    batch = call(*states)
    for k in range(40):
        np.testing.assert_allclose(call(*states[:, k]), batch[k], rtol=0, atol=1e-13 * np.abs(batch).max())
    np.testing.assert_allclose(call(*states.reshape(3, 4, 10, 6)).reshape(40, 6), batch, rtol=1e-14)


def test_the_native_call_equals_the_algorithm_text(puma, states):
    q, qd, qdd = states[:, 0]
    expected = text(puma, q, qd, qdd).astype(float)
    for _ in range(3):  # the first may walk, the second makes the code, the third runs it natively
        np.testing.assert_allclose(puma.inverse_dynamics(q, qd, qdd), expected, rtol=1e-13)


def test_batch_sizes_from_none_to_many(puma):
    f = puma.inverse_dynamics
    rng = np.random.default_rng(1)
    for count in (*range(131), 600, 20_000):
        q, qd, qdd = rng.normal(size=(3, count, 6))
        tau = f(q, qd, qdd)
        assert tau.shape == (count, 6)
        if count:
            k = count - 1
            np.testing.assert_array_equal(tau[k], f(q[k], qd[k], qdd[k]))


def test_leading_dimensions_broadcast(puma, states):
    q, qd, qdd = states
    full = puma.inverse_dynamics(q, np.broadcast_to(qd[0], q.shape).copy(), qdd)
    np.testing.assert_array_equal(puma.inverse_dynamics(q, qd[0], qdd), full)
    grid = puma.mass_matrix(q[:6].reshape(2, 3, 6))
    assert grid.shape == (2, 3, 6, 6)
    outer = puma.inverse_dynamics(q[:3, None], qd[None, :4], qdd[0])
    assert outer.shape == (3, 4, 6)
    np.testing.assert_allclose(outer[2, 1], puma.inverse_dynamics(q[2], qd[1], qdd[0]), rtol=1e-13, atol=1e-13)


def test_unusual_arrays_give_the_same_numbers(puma, states):
    q, qd, qdd = states
    expected = puma.inverse_dynamics(q, qd, qdd)
    glued = np.concatenate([q, qd, qdd], axis=1)
    for variant in (
        (np.asfortranarray(q), qd, qdd),
        (glued[:, :6], glued[:, 6:12], glued[:, 12:]),
        (q.tolist(), qd.tolist(), qdd.tolist()),
        (q[::-1][::-1], qd, qdd),
        (q.astype(">f8"), qd, qdd),
    ):
        np.testing.assert_allclose(puma.inverse_dynamics(*variant), expected, rtol=1e-14, atol=1e-14)
    backwards = puma.inverse_dynamics(q[::-2], qd[::-2], qdd[::-2])
    np.testing.assert_allclose(backwards, expected[::-2], rtol=1e-13, atol=1e-13)
    whole = puma.inverse_dynamics([0, 1, 0, 0, 0, 0], [0] * 6, [0] * 6)
    np.testing.assert_array_equal(whole, puma.inverse_dynamics([0.0, 1, 0, 0, 0, 0], np.zeros(6), np.zeros(6)))


def test_float32_in_gives_float32_out_and_anything_else_float64(puma, states):
    low = states.astype(np.float32)
    tau = puma.inverse_dynamics(*low)
    assert tau.dtype == np.float32
    exact = puma.inverse_dynamics(*low.astype(np.float64))
    np.testing.assert_allclose(tau, exact, rtol=0, atol=3e-6 * np.abs(exact).max())
    assert puma.inverse_dynamics(low[0], states[1], states[2]).dtype == np.float64


def test_nan_and_infinity_stay_in_their_row(puma, states):
    q, qd, qdd = states.copy()
    clean = puma.inverse_dynamics(q, qd, qdd)
    q[7, 2], qd[9, 0], qdd[11, 5] = np.nan, np.inf, np.nan
    tau = puma.inverse_dynamics(q, qd, qdd)
    touched = {7, 9, 11}
    for k in range(40):
        if k in touched:
            assert not np.isfinite(tau[k]).all()
        else:
            np.testing.assert_allclose(tau[k], clean[k], rtol=1e-13, atol=1e-13)
    assert np.isfinite(puma.inverse_dynamics(q[12:], qd[12:], qdd[12:])).all()


def test_a_number_without_axes_is_refused_before_and_after_the_first_batch(puma, states):
    for _ in range(2):
        with pytest.raises(st.SteinerError, match="wrap a single number in a list"):
            puma.gravity_forces(np.array(1.0))
        puma.gravity_forces(states[0])


def test_what_is_no_array_and_no_option_is_refused_in_a_sentence(puma, states):
    with pytest.raises(st.SteinerError, match="mass_matrix: q is None"):
        puma.mass_matrix(None)
    with pytest.raises(st.SteinerError, match=r"jacobian: link=\['link1'\] is no option"):
        puma.jacobian(states[0], ["link1"])


# ---- out= ----------------------------------------------------------------------------------------


def test_out_takes_the_result(puma, states):
    q, qd, qdd = states
    expected = puma.inverse_dynamics(q, qd, qdd)
    out = np.zeros((40, 6))
    assert puma.inverse_dynamics(q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, expected)
    strided = np.zeros((40, 12))[:, ::2]
    assert puma.inverse_dynamics(q, qd, qdd, out=strided) is strided
    np.testing.assert_array_equal(strided, expected)
    one = np.zeros(6)
    assert puma.inverse_dynamics(q[0], qd[0], qdd[0], out=one) is one
    several = tuple(np.zeros((40, 6, 6)) for _ in range(3))
    returned = puma.inverse_dynamics_derivatives(q, qd, qdd, out=several)
    assert all(a is b for a, b in zip(returned, several, strict=True))


@pytest.mark.parametrize("single", [True, False])
def test_an_unfit_out_is_refused(puma, states, single):
    q, qd, qdd = (x[0] if single else x for x in states)
    good = np.zeros_like(q)
    puma.inverse_dynamics(q, qd, qdd)
    with pytest.raises(st.SteinerError, match="overlaps"):
        puma.inverse_dynamics(q, qd, qdd, out=q)
    with pytest.raises(st.SteinerError, match=r"expected .*float64, got"):
        puma.inverse_dynamics(q, qd, qdd, out=good.astype(np.float32))
    with pytest.raises(st.SteinerError, match="expected"):
        puma.inverse_dynamics(q, qd, qdd, out=np.zeros(5))
    with pytest.raises(st.SteinerError, match="got 5"):
        puma.inverse_dynamics(q, qd, qdd, out=5)
    good.flags.writeable = False
    with pytest.raises(st.SteinerError, match="read-only"):
        puma.inverse_dynamics(q, qd, qdd, out=good)


# ---- errors --------------------------------------------------------------------------------------


def test_a_wrong_length_names_the_joints(puma):
    with pytest.raises(st.SteinerError, match=r"qd has one number per joint of .*joint1, joint2.*got shape \(5,\)"):
        puma.inverse_dynamics(np.zeros(6), np.zeros(5), np.zeros(6))
    with pytest.raises(st.SteinerError, match=r"drop the last axis"):
        puma.mass_matrix(np.zeros((6, 1)))
    with pytest.raises(st.SteinerError, match=r"wrap a single number"):
        puma.mass_matrix(0.3)
    with pytest.raises(st.SteinerError, match=r"samples are rows"):
        puma.mass_matrix(np.zeros((6, 40)))
    with pytest.raises(st.SteinerError, match=r"do not broadcast: q \(3, 6\), qd \(4, 6\)"):
        puma.velocity_forces(np.zeros((3, 6)), np.zeros((4, 6)))


def test_a_wrong_call_shows_the_signature(puma):
    with pytest.raises(st.SteinerError, match=r"inverse_dynamics\(q, qd, qdd, \*, .*missing"):
        puma.inverse_dynamics(np.zeros(6))
    with pytest.raises(st.SteinerError, match="frction"):
        puma.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6), frction=True)
    with pytest.raises(st.SteinerError, match="expected numbers"):
        puma.mass_matrix(["a"] * 6)
    with pytest.raises(st.SteinerError, match=r"no link named 'link9'.*did you mean 'link"):
        puma.inverse_dynamics(*np.zeros((3, 6)), external=st.Wrench(acting_on="link9", force=(1, 0, 0)))


def test_torch_tensors_are_refused_with_a_way_out(puma):
    class Tensor:
        __module__ = "torch"

    with pytest.raises(st.SteinerError, match="JAX"):
        puma.mass_matrix(Tensor())


# ---- options select kernels ----------------------------------------------------------------------


def test_wrench_values_are_inputs_of_one_kernel(puma, states, compiled):
    q, qd, qdd = states
    call = Call(puma, ID, backend="watched")
    push = np.random.default_rng(0).normal(size=(40, 3))
    loads = call(q, qd, qdd, external=st.Wrench(acting_on="link6", force=push))
    for k in (0, 17, 39):
        one = call(q[k], qd[k], qdd[k], external=st.Wrench(acting_on="link6", force=push[k]))
        np.testing.assert_allclose(loads[k], one, rtol=1e-12, atol=1e-12)
    assert len(compiled) == 1, "another force is not another kernel"
    call(q, qd, qdd, friction=False)
    assert len(compiled) == 2


def test_parameters_are_run_time_inputs(puma, states):
    q, qd, qdd = states
    call = Call(puma, ID, parameters=["link3.mass", "gravity"])
    np.testing.assert_allclose(call(q, qd, qdd), puma.inverse_dynamics(q, qd, qdd), rtol=1e-11, atol=1e-12)
    moon = puma.replace(gravity=(0, 0, -1.62))
    lighter = call(q, qd, qdd, parameters={"gravity": (0, 0, -1.62)})
    np.testing.assert_allclose(lighter, moon.inverse_dynamics(q, qd, qdd), rtol=1e-11, atol=1e-12)
    masses = np.linspace(1, 2, 40)
    heavy = call(q, qd, qdd, parameters={"link3.mass": masses})
    links = list(puma.links)
    body = links[2].body
    links[2] = dataclasses.replace(links[2], body=st.MassProperties(masses[11], body.com, body.inertia))
    one = puma.replace(links=tuple(links)).inverse_dynamics(q[11], qd[11], qdd[11])
    np.testing.assert_allclose(heavy[11], one, rtol=1e-11, atol=1e-12)
    with pytest.raises(st.SteinerError, match=r"compiled with parameters=.*link3"):
        call(q, qd, qdd, parameters={"link4.mass": 1.0})
    with pytest.raises(st.SteinerError, match=r"no owner named 'link33'.*did you mean 'link3'"):
        Call(puma, ID, parameters=["link33.mass"])


def test_symbols_anywhere_give_expressions():
    robot = st.load("gallery:rr")
    a, b = sp.symbols("a b")
    M = robot.mass_matrix([a, b])
    assert M.dtype == object and M[0, 0].free_symbols == {b}
    assert float(M[0, 1].subs({b: 0.3})) == pytest.approx(robot.mass_matrix([0.0, 0.3])[0, 1], rel=1e-13)
    m = sp.Symbol("m")
    heavy = robot.with_payload(st.MassProperties(m, (0, 0, 0)))
    tau = heavy.inverse_dynamics([0.1, 0.2], [0, 0], [0, 0])
    assert m in tau[0].free_symbols
    with pytest.raises(st.SteinerError, match="out="):
        robot.mass_matrix([a, b], out=np.zeros((2, 2)))
    batch = robot.mass_matrix(np.array([[a, b], [b, a]]))
    assert batch.shape == (2, 2, 2) and sp.simplify(batch[1, 0, 0] - M[0, 0].subs(b, a)) == 0


# ---- lifetime ------------------------------------------------------------------------------------


def test_a_callable_owns_its_code():
    robot = st.load("gallery:rr")
    q = np.array([0.1, 0.2])
    f = robot.rnea
    expected = f(q, q, q)
    del robot
    gc.collect()
    np.testing.assert_array_equal(f(q, q, q), expected)
    assert f(q, q, q) is not f(q, q, q)


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_a_robot_and_its_kernels_go_when_nobody_holds_them(backend, monkeypatch):
    monkeypatch.setenv("STEINER_BACKEND", backend)
    q = np.array([0.1, 0.2])
    gone = []
    for _ in range(3):
        robot = st.load("gallery:rr")
        robot.mass_matrix(q)  # opens the fast path
        robot.rnea(q, q, q)
        gone.append(weakref.ref(robot))
        gone.append(weakref.ref(compile("mass_matrix", robot)))
        del robot
    gc.collect()
    assert [ref() for ref in gone] == [None] * 6


def test_robots_pickle_and_copy_without_kernels(puma):
    puma.mass_matrix(np.zeros(6))
    for twin in (pickle.loads(pickle.dumps(puma)), copy.copy(puma), copy.deepcopy(puma)):
        assert "mass_matrix" not in twin.__dict__
        np.testing.assert_array_equal(twin.mass_matrix(np.ones(6)), puma.mass_matrix(np.ones(6)))


def test_methods_are_there_on_the_class_too(puma):
    q = np.full(6, 0.2)
    np.testing.assert_array_equal(st.Robot.mass_matrix(puma, q), puma.mass_matrix(q))
    assert list(inspect.signature(st.Robot.mass_matrix).parameters) == ["self", "q", "out"]


def test_help_works(puma):
    text = inspect.getdoc(puma.inverse_dynamics)
    assert "Joint efforts" in text
    assert list(inspect.signature(puma.aba).parameters) == ["q", "qd", "tau", "external", "friction", "out"]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("backend", list(BACKENDS))
def test_short_arms_work(n, backend):
    rows = [st.DH(a=0.3, alpha=0.4, body=st.MassProperties(1.0, (0.1, 0.2, 0.3), (1, 1.2, 0.9)))] * n
    robot = st.Robot.from_dh(rows)
    q = np.random.default_rng(0).normal(size=(9, n))
    for algorithm in METHODS[:3]:
        call = Call(robot, algorithm, backend=backend)
        args = [q, q * 2, q * 3][: len(algorithm.arrays)]
        np.testing.assert_allclose(call(*args)[4], call(*(a[4] for a in args)), rtol=1e-12)


@pytest.mark.skipif(sys.platform == "win32", reason="reads ru_maxrss")
def test_many_mixed_calls_leave_memory_flat(puma):
    f = puma.inverse_dynamics
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(3, count, 6)) for count in (1, 3, 64, 700)]
    singles = rng.normal(size=(3, 6))

    def work(times):
        for k in range(times):
            q, qd, qdd = batches[k % 4]
            f(q, qd, qdd)
            f(*singles)
            f(q, qd, qdd, out=np.zeros_like(q))
            if k % 50 == 0:
                f(q, qd, qdd, friction=False)
                with pytest.raises(st.SteinerError):
                    f(q, qd, qd[:, :2])

    def both(times):
        threads = [threading.Thread(target=work, args=(times,)) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    both(300)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    both(3400)  # three calls and more a turn: 2 × 10⁴
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 << 10  # kB


# ---- long chains ---------------------------------------------------------------------------------


def chain(n):
    rng = np.random.default_rng(n)
    links = []
    for k in range(n):
        A = rng.normal(size=(3, 3)) * 0.1
        body = st.MassProperties(1.0, rng.normal(size=3) * 0.1, np.trace(A @ A.T) * np.eye(3) - A @ A.T)
        mount = st.Pose.from_rpy((0, 0, 0.1), (np.pi / 2 * (-1) ** k, 0, 0))
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, st.Revolute(armature=0.01), mount, body))
    return st.Robot(f"chain{n}", tuple(links))


def test_composed_results_equal_those_of_one_kernel(monkeypatch):
    from steiner.kernels import call as methods

    robot, rng = chain(6), np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, 4, 6))
    names = {"christoffel": (q,), "centrifugal_coriolis": (q,), "forward_dynamics_derivatives": (q, qd, tau)}
    whole = {name: getattr(robot, name)(*args) for name, args in names.items()}
    monkeypatch.setattr(methods, "LONG", 1)
    for name, args in names.items():
        composed = getattr(robot.replace(), name)(*args)
        pairs = zip(composed, whole[name], strict=True) if isinstance(composed, tuple) else [(composed, whole[name])]
        for a, b in pairs:
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
            else:
                assert a == b


def test_composed_results_take_out_derivatives_and_leave_other_functions_alone(monkeypatch, compiled):
    from steiner.kernels import call as methods

    robot = chain(4)
    q = np.random.default_rng(0).normal(size=(3, 4))
    whole = compile("christoffel", robot, derivatives="q")(q)
    monkeypatch.setattr(methods, "LONG", 1)
    for dtype in (np.float64, np.float32):
        given, out = q.astype(dtype), np.zeros((3, 4, 4, 4), dtype)
        assert robot.christoffel(given, out=out) is out
        np.testing.assert_array_equal(out, robot.christoffel(given))
    memory = np.zeros((4, 4, 4))
    with pytest.raises(st.SteinerError, match="overlaps"):
        robot.christoffel(memory[0, 0], out=memory)
    for a, b in zip(compile("christoffel", robot, derivatives="q")(q), whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)

    def christoffel(robot, q):
        return q * 2.0

    np.testing.assert_array_equal(compile(christoffel, robot)(q), 2 * q)
    Compiled(robot, next(a for a in METHODS if a.name == "christoffel"), backend="watched").prepare()
    assert not compiled, "nothing long is made ahead"


@pytest.mark.heavy
def test_every_method_works_on_a_hundred_joints():
    robot, q = chain(100), np.random.default_rng(0).normal(size=(2, 100)) * 0.3
    M, h = robot.mass_matrix(q), robot.inverse_dynamics(q, q, 0 * q)
    tau = robot.inverse_dynamics(q, q, q)
    np.testing.assert_allclose((M @ q[..., None])[..., 0] + h, tau, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(robot.forward_dynamics(q, q, tau), q, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        (robot.coriolis_matrix(q, q) @ q[..., None])[..., 0], robot.velocity_forces(q, q), rtol=1e-9, atol=1e-8
    )
    for algorithm in METHODS:
        arrays = [q[0]] * len([a for a in algorithm.arrays if a not in ("base", "point")])
        options = {"link": "l99"} if algorithm.name == "jacobian" else {}
        result = getattr(robot, algorithm.name)(*arrays, **options)
        assert result is not None


def test_several_results_come_natively_as_a_tuple(puma, states):
    q, qd, qdd = states
    f = puma.inverse_dynamics_derivatives
    by_python = [a.copy() for a in Call(puma, next(a for a in METHODS if a.name == f.__name__))(q, qd, qdd)]
    for _ in range(2):
        natively = f(q, qd, qdd)
        assert type(natively) is tuple and len(natively) == 3
        for a, b in zip(natively, by_python, strict=True):
            np.testing.assert_array_equal(a, b)
    single = f(q[3], qd[3], qdd[3])
    assert [a.shape for a in single] == [(6, 6)] * 3
    np.testing.assert_allclose(single[1], by_python[1][3], rtol=1e-12, atol=1e-12)
    assert [sys.getrefcount(x) for x in f(q, qd, qdd)] == [sys.getrefcount(x) for x in (q.copy(), q.copy(), q.copy())]
