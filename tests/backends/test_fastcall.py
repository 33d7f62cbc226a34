"""The native call: a result is given again only when nobody can see it any more; out= takes tuples."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from functools import partial

import numpy as np
import pytest

import steiner as st
from steiner.backends.llvm import fastcall
from tests.hurried import at_once
from tools.trampoline import TARGET
from tools.trampoline import text as trampoline_text

pytestmark = pytest.mark.skipif(not fastcall.layout_is_known(), reason="calls stay in Python here")
A, B = np.full((2, 3), 0.3), np.full((2, 3), 0.7)


@pytest.fixture
def call():
    """Inverse dynamics of a robot of its own, its fast path open."""
    function = st.load("gallery:planar3").replace(gravity=(0, -5.0, 0)).inverse_dynamics
    for _ in range(3):
        function(A[0], A[0], A[0])
    return function


def expected(q: np.ndarray) -> np.ndarray:
    return st.load("gallery:planar3").replace(gravity=(0, -5.0, 0)).inverse_dynamics(q[None], q[None], q[None])[0]


def address(x: np.ndarray) -> int:
    return x.__array_interface__["data"][0]


def test_a_result_that_nobody_holds_is_given_again(call):
    places = {address(call(A[0], A[0], A[0])) for _ in range(50)}
    assert len(places) == 1


def test_a_name_that_is_bound_again_and_again_needs_two(call):
    places, tau = set(), None
    for k in range(50):
        q = np.full(3, 0.1 * k)
        tau = call(q, q, q)
        places.add(address(tau))
        np.testing.assert_array_equal(tau, expected(q))
    assert len(places) == 2


HOLDERS = {
    "a name": lambda x: x,
    "a list": lambda x: [x],
    "a view": lambda x: x[1:],
    "a view of a view": lambda x: x[1:].reshape(-1, 1)[::-1],
    "a memoryview": memoryview,
    "its data": lambda x: x.data,
    "an iterator": iter,
    "a flat iterator": lambda x: x.flat,
    "ctypes": lambda x: x.ctypes,
    "a pointer": lambda x: x.ctypes.data_as(fastcall.ctypes.c_void_p),
    "a buffer": lambda x: np.frombuffer(x),
    "dlpack": lambda x: x.__dlpack__(),
    "array struct": lambda x: x.__array_struct__,
    "a closure": lambda x: lambda: x,
}


@pytest.mark.parametrize("case", HOLDERS)
def test_what_somebody_holds_never_changes(call, case):
    tau = call(A[0], A[0], A[0])
    where, before = address(tau), tau.tobytes()
    holder = HOLDERS[case](tau)
    del tau
    others = [call(B[0], B[0], B[0]) for _ in range(5)]
    assert where not in map(address, others)
    assert fastcall.ctypes.string_at(where, len(before)) == before
    del holder


def test_what_is_watched_never_changes(call):
    tau = call(A[0], A[0], A[0])
    watch, before = weakref.ref(tau), tau.tobytes()
    del tau
    call(B[0], B[0], B[0])
    assert watch() is None or watch().tobytes() == before
    for _ in range(3):
        others = [call(B[0], B[0], B[0]) for _ in range(3)]
        assert all(np.array_equal(x, others[0]) for x in others)
    assert watch() is None, "it goes when others have come"


def shaped(x):
    x.shape = (3, 1)


CHANGES = {
    "another shape": lambda x: shaped(x),
    "read-only": lambda x: x.setflags(write=False),
    "smaller": lambda x: x.resize((2,), refcheck=False),
    "another type": lambda x: setattr(x, "dtype", np.int64),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("case", CHANGES)
def test_a_result_that_was_changed_is_not_given_again(call, case):
    for _ in range(4):
        tau = call(A[0], A[0], A[0])
        CHANGES[case](tau)
        del tau
        again = call(B[0], B[0], B[0])
        assert again.shape == (3,) and again.dtype == np.float64 and again.flags.writeable
        np.testing.assert_array_equal(again, expected(B[0]))


def test_a_result_as_the_next_input_is_no_result(call):
    tau = call(A[0], A[0], A[0])
    for _ in range(5):
        want = expected_of(tau)
        tau = call(tau, tau, tau)
        np.testing.assert_array_equal(tau, want)


def expected_of(x: np.ndarray) -> np.ndarray:
    return expected(np.array(x))


def test_threads_do_not_share_results(call):
    wrong = []

    def work(value: float) -> None:
        q = np.full(3, value)
        want = expected(q)
        for _ in range(3000):
            tau = call(q, q, q)
            if not np.array_equal(tau, want):
                wrong.append(value)

    at_once([partial(work, 0.1 * k) for k in range(4)])
    assert not wrong


def test_R3_many_rows_are_computed_without_the_interpreter_s_lock(monkeypatch):
    """Another thread that waits for the lock, which nobody takes from the first, gets it during such a call only."""
    monkeypatch.setenv("STEINER_THREADS", "1")
    robot, gate, seen = st.load("gallery:planar3").replace(gravity=(0, -4.5, 0)), threading.Lock(), []
    call, few, many = robot.inverse_dynamics, np.full((16, 3), 0.3), np.full((80_000, 3), 0.3)
    out = np.zeros((80_000, 3))
    for _ in range(3):
        call(few, few, few), call(many, many, many, out=out)
    gate.acquire()
    thread = threading.Thread(target=lambda: gate.acquire() and seen.append(1))
    thread.start()
    old = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        gate.release()
        for _ in range(3000):
            call(few, few, few)
        before = list(seen)
        for _ in range(300):
            call(many, many, many, out=out)
            if seen:
                break
    finally:
        sys.setswitchinterval(old)
    assert (before, seen) == ([], [1])
    thread.join()


def test_kept_results_go_with_their_robot():
    robot = st.load("gallery:planar3").replace(gravity=(0, -4.0, 0))
    for _ in range(3):
        tau = robot.inverse_dynamics(A[0], A[0], A[0])
    held = sys.getrefcount(tau)
    del robot
    gc.collect()
    assert sys.getrefcount(tau) == held - 1


# ---- out= ---------------------------------------------------------------------------------------


@pytest.fixture
def slopes():
    """Three results, the fast path open."""
    function = st.load("gallery:planar3").inverse_dynamics_derivatives
    for x in (A[0], A):
        function(x, x, x)
        function(x, x, x)
    return function


@pytest.mark.parametrize("x", [A[0], A], ids=["one", "batch"])
def test_several_results_go_where_they_are_told(slopes, x, monkeypatch):
    want = slopes(x, x, x)
    out = tuple(np.zeros_like(w) for w in want)
    counts = [sys.getrefcount(o) for o in out]
    monkeypatch.setattr(type(slopes.__self__.owner.slow), "__call__", None)  # the Python path is not asked
    got = slopes(x, x, x, out=out)
    assert all(g is o for g, o in zip(got, out, strict=True))
    for o, w in zip(out, want, strict=True):
        np.testing.assert_array_equal(o, w)
    del got, o, w
    assert [sys.getrefcount(o) for o in out] == counts


def test_several_results_that_do_not_fit_are_told(slopes):
    whole = np.zeros((3, 3, 3))
    with pytest.raises(st.SteinerError, match="overlaps"):
        slopes(A[0], A[0], A[0], out=(whole[0], whole[0], whole[1]))
    with pytest.raises(st.SteinerError, match="overlaps"):
        slopes(whole[0, 0], A[0], A[0], out=(whole[0], whole[1], whole[2]))
    with pytest.raises(st.SteinerError, match="expected"):
        slopes(A[0], A[0], A[0], out=(whole[0], whole[1]))
    with pytest.raises(st.SteinerError, match="expected"):
        slopes(A[0], A[0], A[0], out=(whole[0], whole[1], whole[2, :2]))
    with pytest.raises(st.SteinerError, match="expected"):
        slopes(A, A, A, out=tuple(whole))
    want = slopes(A[0], A[0], A[0])
    slopes(A[0], A[0], A[0], out=list(whole))
    np.testing.assert_array_equal(whole, want)


ON_LINUX = pytest.mark.skipif(
    sys.platform != "linux" or tuple.__basicsize__ != 24, reason="instructions are kept for 64-bit CPython under Linux"
)


@ON_LINUX
def test_the_kept_instructions_are_those_of_the_text():
    """`python -m tools.trampoline` writes them."""
    kept = TARGET.read_text(encoding="utf-8")
    assert kept.partition("\n")[0].endswith(fastcall.identity(fastcall.trampoline()))
    made = trampoline_text()
    if kept.partition(" of ")[0] == made.partition(" of ")[0]:  # the same LLVM
        assert kept == made, "run `python -m tools.trampoline`"


@ON_LINUX
def test_where_the_text_is_another_the_instructions_are_made_of_it(monkeypatch):
    assembled = fastcall.assembled()
    assert assembled.startswith("module asm") == fastcall.engine.host()[0].startswith("x86_64")
    text = fastcall.trampoline().replace("entry:", "entry: ; another", 1)
    monkeypatch.setattr(fastcall, "trampoline", lambda: text)
    assert fastcall.assembled() == text
