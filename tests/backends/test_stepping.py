"""A kernel fed with its own results: the native loop does what a loop in Python does, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from steiner import scalar
from steiner.backends import buffers, compile_tape, repeat
from steiner.trace import trace


def rotor(x, count, push):
    """A state of five numbers and a counter; sines keep it bounded."""
    turned = np.array([scalar.sin(x[k] + x[(k + 1) % 5] * push[0]) + push[k % 2] for k in range(5)])
    return [turned, count + 1]


@pytest.fixture(scope="module")
def tape():
    return trace(rotor, [("x", 5), ("count", 1), ("push", 2)])


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 31, 32, 33, 100])
@pytest.mark.parametrize(("count", "every"), [(1, 1), (6, 2), (7, 3), (5, 9)])
def test_many_steps_are_one_after_another(tape, rows, count, every):
    rng = np.random.default_rng(rows)
    start, kernel = [rng.normal(size=(rows, 5)), np.zeros((rows, 1))], compile_tape(tape)
    for shape in ((1, 2), (rows, 2), (count, rows, 2), (count, 1, 2)):
        push = rng.normal(size=shape)
        results = []
        for one in (kernel, lambda *given: kernel(*given)):  # a function has no native loop
            state = [x.copy() for x in start]
            log = [np.zeros((count // every, *x.shape)) for x in start]
            repeat(one, state, [push], count, every, log)
            results.append([*state, *log])
        assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
        assert (results[0][1] == count).all()


def test_rows_on_several_threads_are_the_same_rows(tape):
    rng = np.random.default_rng(0)
    start, push = rng.normal(size=(5000, 5)), rng.normal(size=(1, 2))
    found = []
    for threads in (1, 2):
        state = [start.copy(), np.zeros((5000, 1))]
        repeat(compile_tape(tape, threads=threads), state, [push], 200)
        found.append(state[0])
    assert (found[0] == found[1]).all()


def test_a_tape_says_itself_again_on_any_numbers(tape):
    x, push = np.arange(5.0), np.array([0.3, -0.2])
    (again, count) = tape.on(x, [4], push)
    assert count[0] == 5
    assert again.astype(float) == pytest.approx(rotor(x, np.array([4]), push)[0].astype(float), rel=1e-15)
    retraced = trace(tape.on, tape.inputs)
    assert retraced.fingerprint == tape.fingerprint


def test_the_store_of_results_drops_what_has_waited_longest(monkeypatch):
    buffers.clear()
    monkeypatch.setattr(buffers, "STORED", 3 * buffers.LARGE + 1000)
    size = buffers.LARGE // 8
    for factor in (1.0, 1.5, 2.9):
        last = buffers.array((int(factor * size),), np.float64)
        place = last.ctypes.data
        del last
    assert buffers.array((int(2.9 * size),), np.float64).ctypes.data == place
    buffers.clear()
