"""Threads, forks and signals: nothing hangs, and nothing is written to after a call has ended."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

from steiner.backends import buffers
from steiner.trace import trace

llvm = pytest.importorskip("steiner.backends.llvm")
from steiner.backends import pool  # noqa: E402

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")


def ran(program, *arguments, timeout=120, **environment):
    """What a program of its own prints: libraries that other tests load do not like forks and signals."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, *map(str, arguments)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


# ---- forks ---------------------------------------------------------------------------------------

CHILDREN = textwrap.dedent("""
    import os, signal, time

    def children(count, work, pause=0.01):
        \"\"\"How many forked children end well; one that hangs is ended by its alarm.\"\"\"
        started = []
        for k in range(count):
            time.sleep(pause)
            child = os.fork()
            if child == 0:
                signal.alarm(100)
                code = 3
                try:
                    code = 0 if work(k) else 4
                finally:
                    os._exit(code)
            started.append(child)
        return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in started].count(0)
""")

COMPILING = CHILDREN + textwrap.dedent("""
    import sys, threading, numpy as np
    import steiner as st

    q, known, ended = np.full(3, 0.3), [], threading.Event()

    def compile_for_ever(k):
        names = ["planar3", "rr", "scara", "rp", "puma560"]
        while not ended.is_set():
            k += 1
            other = st.load(f"gallery:{names[k % 5]}")
            for name in ("gravity_forces", "mass_matrix", "potential_energy", "center_of_mass") * 2:
                getattr(other, name)(np.zeros(other.n))  # who asks twice gets code

    def right(k):
        \"\"\"Kernels of the parent, if there are any, and new ones.\"\"\"
        same = all(np.array_equal(robot.inverse_dynamics(q, q, q), torque) for robot, torque in known)
        fresh = st.load("gallery:planar3").replace(gravity=(0, -1.0 - k, 0))
        text = np.array(st.dynamics.inverse_dynamics(fresh, list(q), list(q), list(q)), float)
        found = [fresh.inverse_dynamics(q, q, q) for _ in range(2)]
        return same and "llvmlite" in sys.modules and np.allclose(found, [text] * 2, rtol=1e-12, atol=1e-12)

    if "nothing imported" not in sys.argv:
        robot = st.load("gallery:planar3")
        known += [(robot, robot.inverse_dynamics(q, q, q)) for _ in range(2)]
    threads = [threading.Thread(target=compile_for_ever, args=(k,), daemon=True) for k in range(3)]
    for thread in threads: thread.start()
    print(children(25, right))
    ended.set()
    for thread in threads: thread.join()
""")


@forks
@pytest.mark.parametrize("case", ["kernels made before", "nothing imported"])
def test_R3_children_forked_while_threads_compile_compute(case):
    assert ran(COMPILING, case, STEINER_CACHE="") == "25\n"


BATCHES = CHILDREN + textwrap.dedent("""
    import threading, numpy as np
    import steiner as st

    robot = st.load("gallery:puma560")
    q = np.random.default_rng(1).normal(size=(60_000, 6))
    expected = robot.inverse_dynamics(q, q, q)
    ended = threading.Event()

    def batches():
        while not ended.is_set():
            assert np.array_equal(robot.inverse_dynamics(q, q, q), expected)

    threads = [threading.Thread(target=batches, daemon=True) for _ in range(2)]
    for thread in threads: thread.start()
    print(children(25, lambda k: np.array_equal(robot.inverse_dynamics(q, q, q), expected)))
    ended.set()
    for thread in threads: thread.join()
""")


@forks
def test_R3_children_forked_while_the_pool_works_compute():
    assert ran(BATCHES, STEINER_THREADS="3") == "25\n"


SENT = textwrap.dedent("""
    import multiprocessing, threading, numpy as np
    import steiner as st

    def torque(task):
        robot, k = task
        q = np.full((20_000, robot.n), 0.1 * k)
        return float(robot.inverse_dynamics(q, q, q).sum()), float(robot.gravity_forces(q[0]).sum())

    if __name__ == "__main__":
        robot = st.load("gallery:puma560")
        expected = [torque((robot, k)) for k in range(6)]
        busy = threading.Thread(target=lambda: [st.load("gallery:ur5").regressor(np.zeros((3, 6))) for _ in range(3)])
        busy.start()
        with multiprocessing.get_context("fork").Pool(3) as workers:
            print(workers.map(torque, [(robot, k) for k in range(6)]) == expected)
        busy.join()
""")


@forks
def test_robots_are_sent_to_forked_processes():
    assert ran(SENT, STEINER_CACHE="", STEINER_THREADS="2") == "True\n"


FORKS = textwrap.dedent("""
    import os, numpy as np
    from steiner.backends import compile_tape, llvm
    from steiner.backends import pool
    from steiner.trace import trace

    llvm.THREAD_WORK = 10
    tape, x = trace(lambda x: [x * x + x], [("x", 7)]), np.random.default_rng(1).normal(size=(5001, 7))

    def work():
        out = np.zeros((5001, 7))
        compile_tape(tape, backend="llvm", threads=2)([x], [out], 5001)
        return out

    here = work()
    assert pool._pool[0] == os.getpid(), "this process has a pool"
    child = os.fork()
    if child == 0:
        os._exit(0 if (work() == here).all() and pool._pool[0] == os.getpid() else 3)
    print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")


@forks
def test_thread_pools_survive_a_fork():
    assert ran(FORKS) == "child 0\n"


LOCKS = textwrap.dedent("""
    import functools, gc, os, sys, threading, numpy as np
    import steiner as st
    from steiner.locks import LOCK
    import llvmlite.binding as llvm

    robot, q = st.load("gallery:rr"), np.ones(2)
    torque = [robot.rnea(q, q, q) for _ in range(2)][1]  # who asks twice gets code
    kinds = [k for k in gc.get_objects() if isinstance(k, type) and k.__module__.startswith("steiner")]
    cached = [a for k in kinds for a in vars(k).values() if isinstance(a, functools.cached_property)]
    assert len(cached) > 10
    held = [a.lock for a in cached if hasattr(a, "lock")]  # Python 3.11

    def hold(locks, ready, ended):
        for lock in locks: lock.acquire()
        ready.set()
        ended.wait()
        for lock in reversed(locks): lock.release()

    def child():
        child = os.fork()
        if child == 0:
            import signal
            signal.alarm(20)
            other = st.load("gallery:planar3")
            fine = np.isfinite([other.mass_matrix(np.ones(3)) for _ in range(2)]).all()
            fine = fine and (robot.rnea(q, q, q) == torque).all()
            os._exit(0 if fine else 3)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    ready, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold, args=(held, ready, ended))
    thread.start(); ready.wait()
    print(child())
    ended.set(); thread.join()
    for lock in (LOCK, llvm.ffi.lib._lock._lock):  # a fork waits for these
        ready, ended = threading.Event(), threading.Event()
        thread = threading.Thread(target=hold, args=([lock], ready, ended))
        thread.start(); ready.wait()
        threading.Timer(0.2, ended.set).start()
        print(child())
        assert ended.is_set()
        thread.join()
    with LOCK:  # who forks may hold it
        print(child())
    print(LOCK.acquire(timeout=1))
""")


@forks
def test_R3_no_lock_is_left_locked_in_a_child():
    assert ran(LOCKS, STEINER_CACHE="") == "0\n0\n0\n0\nTrue\n"


# ---- signals -------------------------------------------------------------------------------------


def test_an_interrupted_call_waits_for_its_threads():
    """Else they would write into memory that the caller gives back."""
    begun, ended = [], []

    def work(lo, hi):
        if threading.current_thread() is threading.main_thread():
            while not begun:
                time.sleep(0.001)
            raise KeyboardInterrupt
        begun.append(lo)
        time.sleep(0.1)
        ended.append(lo)

    with pytest.raises(KeyboardInterrupt):
        pool.run(work, [(k, k + 1) for k in range(50)], 3)
    assert begun and sorted(begun) == sorted(ended)
    assert len(begun) <= 4, "nothing more is begun"


LAST_WORDS = textwrap.dedent("""
    import atexit, numpy as np, steiner as st
    robot, q = st.load("gallery:puma560"), np.ones((50_000, 6))
    first = robot.inverse_dynamics(q, q, q)
    atexit.register(lambda: print((robot.inverse_dynamics(q, q, q) == first).all()))
""")


def test_large_batches_work_while_the_interpreter_shuts_down():
    assert ran(LAST_WORDS, STEINER_THREADS="2") == "True\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_pressing_again_changes_nothing():
    """An impatient user presses Ctrl-C while an interrupted call waits for its threads."""
    begun, ended, pressed = threading.Event(), [], []

    def work(lo, hi):
        if threading.current_thread() is threading.main_thread():
            begun.wait(10)
            raise KeyboardInterrupt
        begun.set()
        for _ in range(5):
            time.sleep(0.05)
            pressed.append(signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
        ended.append(lo)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            pool.run(work, [(k, k + 1) for k in range(50)], 2)
        assert len(pressed) == 5 and len(ended) == 1
    finally:
        signal.signal(signal.SIGINT, before)


STORM = textwrap.dedent("""
    import os, random, signal, threading, time, numpy as np
    import steiner as st

    robot, pick, armed, stopped = st.load("gallery:puma560"), random.Random(1), [], 0
    q = np.random.default_rng(1).normal(size=(100_000, 6))
    expected = robot.inverse_dynamics_derivatives(q, q, q)

    def pressed(_signal, frame):
        if armed and frame.f_code.co_filename != "<string>":  # inside the call, not in what looks at it
            raise KeyboardInterrupt

    def press(delay, times):
        time.sleep(delay)
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.0005)

    signal.signal(signal.SIGINT, pressed)
    for _ in range(40):
        out = tuple(np.full_like(x, np.nan) for x in expected) if pick.random() < 0.7 else None
        thread = threading.Thread(target=press, args=(pick.random() * 0.03, pick.randrange(1, 4)))
        thread.start()
        try:
            armed.append(True)
            result = robot.inverse_dynamics_derivatives(q, q, q, out=out)
            armed.clear()
            assert all(np.array_equal(a, b) for a, b in zip(result, expected))
        except KeyboardInterrupt:
            armed.clear()
            stopped += 1
            seen = [x.copy() for x in out or ()]
            time.sleep(0.02)
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(seen, out or ())), "somebody still writes"
        thread.join()
    result = robot.inverse_dynamics_derivatives(q, q, q)
    print(all(np.array_equal(a, b) for a, b in zip(result, expected)), stopped > 3)
""")


def test_a_thread_keeps_what_it_writes_to(monkeypatch):
    """Even if its caller is gone: arrays and code are not freed under it."""
    works = []
    monkeypatch.setattr(llvm, "run", lambda work, parts, threads: works.append(work))
    x = np.ones((5, 3))
    out = np.zeros((5, 3))
    kernel = llvm.LlvmKernel(trace(lambda x: [x + x], [("x", 3)]), np.dtype(np.float64), 1)
    kernel([x], [out], 5)
    held = [weakref.ref(thing) for thing in (x, out, kernel)]
    del x, out, kernel
    gc.collect()
    works[0](0, 5)
    assert all(ref() is not None for ref in held) and (held[1]() == 2).all()
    works.clear()
    gc.collect()
    assert [ref() for ref in held] == [None] * 3


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_calls_that_are_interrupted_write_no_more():
    assert ran(STORM, STEINER_THREADS="3") == "True True\n"


TERM = textwrap.dedent("""
    import signal, numpy as np
    before = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)]
    import steiner as st
    robot, q = st.load("gallery:puma560"), np.ones((200_000, 6))
    robot.regressor(q, q, q)
    assert [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)] == before
    print("working", flush=True)
    while True:
        robot.regressor(q, q, q)
""")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_a_signal_to_end_ends_a_batch_at_once():
    environment = {**os.environ, "STEINER_THREADS": "3"}
    program = subprocess.Popen([sys.executable, "-c", TERM], env=environment, stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "working\n"
    time.sleep(0.2)
    program.terminate()
    began = time.monotonic()
    program.communicate(timeout=30)
    assert program.returncode == -signal.SIGTERM and time.monotonic() - began < 10


# ---- recycled memory -----------------------------------------------------------------------------


def test_memory_may_be_returned_and_taken_by_threads_at_once():
    """The garbage collector returns it whenever it likes; no two hold the same."""
    buffers.clear()
    wrong = []

    def work(mark):
        for _ in range(300):
            a = buffers.array((buffers.LARGE // 8 + mark % 3,), np.float64)
            a[:] = mark
            time.sleep(0)
            if not (a == mark).all():
                wrong.append(mark)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sum(m.nbytes for m in buffers._store.values()) <= buffers.STORED
