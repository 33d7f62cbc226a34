"""Every backend of the table computes what the reference computes; a new line in BACKENDS gets these tests."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from steiner import scalar
from steiner.backends import BACKENDS, compile_tape, reference
from steiner.dynamics import inverse_dynamics, mass_matrix
from steiner.kernels.compile import compile
from steiner.robots import build
from steiner.trace import Op, row_of, signed, trace
from tests.random_tapes import random_inputs, random_tape

ALL = pytest.mark.parametrize("backend", BACKENDS)
FLOATS = pytest.mark.parametrize("dtype", [np.float64, np.float32])
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e9, -3e8, 5e-324)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", "")


def run(kernel, tape, inputs, count, dtype=np.float64):
    """A kernel's outputs; rows behind the batch are guarded."""
    guarded = [np.full((count + 3, o.size), 77, dtype) for o in tape.outputs]
    kernel(inputs, [g[:count] for g in guarded], count)
    assert all((g[count:] == 77).all() for g in guarded)
    return [g[:count] for g in guarded]


def expected(tape, inputs, count, dtype):
    outputs = [np.zeros((count, o.size), dtype) for o in tape.outputs]
    reference.evaluate(tape, inputs, outputs, count)
    return outputs


def assert_as_exact_as(tape, found, inputs, count, dtype):
    """As near to the result in long double as the reference evaluator is, give or take."""
    exact = expected(tape, [x.astype(np.longdouble) for x in inputs], count, np.longdouble)
    plain = expected(tape, inputs, count, dtype)
    unit = 500 * np.finfo(dtype).eps
    for a, e, p in zip(found, exact, plain, strict=True):
        e = e.astype(dtype)
        assert (np.isnan(a) == np.isnan(p)).all()
        good = np.isfinite(e) & np.isfinite(p)
        assert (a[~good & ~np.isnan(p)] == p[~good & ~np.isnan(p)]).all()
        slack = unit * np.maximum(1, np.abs(e[good])) + 100 * np.abs(p[good] - e[good])
        assert (np.abs(a[good] - e[good]) <= slack).all()


@ALL
@FLOATS
@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(backend, dtype, seed):
    tape = random_tape(seed, operations=20 + 5 * seed)
    kernel = compile_tape(tape, backend=backend, dtype=dtype, threads=1)
    inputs = random_inputs(tape, 37, seed, dtype)
    assert_as_exact_as(tape, run(kernel, tape, inputs, 37, dtype), inputs, 37, dtype)


MUTATIONS = {
    "subtraction the wrong way round": lambda op, a, *rest: (op, *rest, a) if op == Op.SUB else (op, a, *rest),
    "division the wrong way round": lambda op, a, *rest: (op, *rest, a) if op == Op.DIV else (op, a, *rest),
    "addition for subtraction": lambda op, *x: (Op.ADD, *x) if op == Op.SUB else (op, *x),
    "cosine for sine": lambda op, *x: (Op.COS, *x) if op == Op.SIN else (op, *x),
    "sine for tanh": lambda op, *x: (Op.SIN, *x) if op == Op.TANH else (op, *x),
    "abs forgotten": lambda op, *x: (Op.SELECT, x[0], x[0], x[0]) if op == Op.ABS else (op, *x),
    "branches exchanged": lambda op, *x: (op, x[0], x[2], x[1]) if op == Op.SELECT else (op, *x),
    "signs of references lost": lambda op, *x: (op, *(signed(row_of(v)) for v in x)) if op > Op.DIV else (op, *x),
    "constants in single precision": lambda op, *x: (op, float(np.float32(x[0]))) if op == Op.CONSTANT else (op, *x),
    "the first element for all": lambda op, *x: (op, x[0], 0) if op == Op.INPUT else (op, *x),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_backend_with_a_fault_would_be_caught(mutation):
    """Negative control: the comparison above fails for a reference that reads a faulty tape."""
    caught = 0
    for seed in range(30):
        tape = random_tape(seed, operations=20 + 5 * seed)
        faulty = dataclasses.replace(tape, rows=tuple(MUTATIONS[mutation](*row) for row in tape.rows))
        inputs = random_inputs(tape, 37, seed)
        found = run(compile_tape(faulty, backend="numpy"), tape, inputs, 37)
        try:
            assert_as_exact_as(tape, found, inputs, 37, np.float64)
        except AssertionError:
            caught += 1
    assert caught >= 5


@ALL
def test_long_graphs(backend):
    """Past the length where code is cut into segments."""
    tape = random_tape(99, operations=1500, smooth=True, everything=True)
    assert tape.cost > 2000
    kernel = compile_tape(tape, backend=backend, threads=1)
    inputs = random_inputs(tape, 45)
    assert_as_exact_as(tape, run(kernel, tape, inputs, 45), inputs, 45, np.float64)


@ALL
@FLOATS
@pytest.mark.parametrize("seed", range(6))
def test_nan_infinity_and_far_angles_stay_in_their_row(backend, dtype, seed):
    tape = random_tape(seed + 200, operations=50)
    kernel = compile_tape(tape, backend=backend, dtype=dtype, threads=1)
    inputs = random_inputs(tape, 40, seed, dtype)
    clean = run(kernel, tape, inputs, 40, dtype)
    rows = list(range(3, 3 + 4 * len(SPECIAL), 4))
    spoilt = [x.copy() for x in inputs]
    with np.errstate(all="ignore"):
        for row, value in zip(rows, SPECIAL, strict=True):
            spoilt[row % len(spoilt)][row, row % spoilt[row % len(spoilt)].shape[1]] = value
    found = run(kernel, tape, spoilt, 40, dtype)
    others = np.setdiff1d(np.arange(40), rows)
    for a, b in zip(found, clean, strict=True):
        assert np.isfinite(b[others]).all()
        np.testing.assert_array_equal(a[others], b[others])
    assert_as_exact_as(tape, found, spoilt, 40, dtype)


EDGES = {
    "every operation": lambda x, y: [
        np.array([x[0] + y[0], x[0] - y[0], x[0] * y[0], x[0] / y[0], scalar.sqrt(abs(x[0])), scalar.sin(x[0]),
                  scalar.cos(x[0]), scalar.exp(-x[0]), scalar.tanh(-x[0]), abs(-x[0]), scalar.sign(-x[0]),
                  scalar.select(-x[0], -y[0], x[1]), scalar.exp(x[0]), scalar.select(x[0], -1.5, y[0])])
    ],
    "inputs and negated inputs are outputs": lambda x, y: [np.array([x[0], -x[0], x[2], x[0]]), y, -y],
    "constants only": lambda x, y: [np.array([1.5, -2.0, 0.0]), 7.0],
    "unused inputs": lambda x, y: [y[0] * 2],
    "repeated outputs": lambda x, y: [np.array([x[0] * y[0]] * 9), x[0] * y[0]],
    "an output of no elements": lambda x, y: [np.zeros((3, 0), dtype=object), x[0] + 1],
    "many columns": lambda x, y: [np.array([[x[0] * k + y[0] for k in range(7)] for _ in range(5)])],
    "negative constants": lambda x, y: [scalar.select(x[0], -2.5, 2.5) + scalar.exp(-(x[1] * -0.5)), -0.0 - x[1]],
}  # fmt: skip


@ALL
@FLOATS
@pytest.mark.parametrize("case", EDGES)
def test_edges(backend, dtype, case):
    tape = trace(EDGES[case], [("x", 3), ("y", 1)])
    kernel = compile_tape(tape, backend=backend, dtype=dtype, threads=1)
    for count in (0, 1, 2, 9, 33):
        inputs = random_inputs(tape, count, 1, dtype)
        assert_as_exact_as(tape, run(kernel, tape, inputs, count, dtype), inputs, count, dtype)


def test_the_edges_cover_every_operation():
    tape = trace(EDGES["every operation"], [("x", 3), ("y", 1)])
    assert {row[0] for row in tape.rows} == set(Op)


@ALL
def test_a_tape_without_inputs(backend):
    tape = trace(lambda: [np.array([2.0, 3.0])], [])
    (out,) = run(compile_tape(tape, backend=backend, threads=1), tape, [], 5)
    assert (out == [2.0, 3.0]).all()


def _dynamics(name, function, arrays):
    robot = build(name)
    return trace(lambda *x: [function(robot, *x)], [(a, robot.n) for a in arrays])


TAPES = {
    "graph of inputs 1 to 9": lambda: random_tape(7, operations=60),
    "another": lambda: random_tape(11, operations=120),
    "two joints": lambda: _dynamics("rr", inverse_dynamics, ("q", "qd", "qdd")),
    "seven joints": lambda: _dynamics("panda", inverse_dynamics, ("q", "qd", "qdd")),
    "a matrix": lambda: _dynamics("ur5", mass_matrix, ("q",)),
    "in segments": lambda: random_tape(99, operations=1500, smooth=True, everything=True),
}


@ALL
@FLOATS
@pytest.mark.parametrize("case", TAPES)
def test_batches_of_0_to_130_equal_single_calls(backend, dtype, case):
    tape = TAPES[case]()
    kernel = compile_tape(tape, backend=backend, dtype=dtype, threads=1)
    inputs = random_inputs(tape, 130, 3, dtype)
    single = [run(kernel, tape, [x[k : k + 1] for x in inputs], 1, dtype) for k in range(130)]
    want = [np.concatenate([s[j] for s in single]) for j in range(len(tape.outputs))]
    for count in range(131):
        for a, b in zip(run(kernel, tape, [x[:count] for x in inputs], count, dtype), want, strict=True):
            assert (a == b[:count]).all()


@ALL
def test_rows_may_be_anywhere(backend):
    """Row strides of any size and sign; one row serves all."""
    tape = random_tape(5, operations=60)
    assert len(tape.inputs) > 1
    kernel = compile_tape(tape, backend=backend, threads=1)
    plain = random_inputs(tape, 50)
    want = run(kernel, tape, plain, 50)
    for rows in (slice(None, None, 2), slice(None, None, -1), slice(40, 3, -3)):
        count = len(range(50)[rows])
        for a, b in zip(run(kernel, tape, [x[rows] for x in plain], count), want, strict=True):
            assert (a == b[rows]).all()
    wide = [np.concatenate([np.full((50, 3), np.nan), x, np.full((50, 2), np.nan)], axis=1) for x in plain]
    found = run(kernel, tape, [w[:, 3:-2] for w in wide], 50)
    assert all((a == b).all() for a, b in zip(found, want, strict=True))
    first = [plain[0][:1], *plain[1:]]
    spread = [np.repeat(plain[0][:1], 50, axis=0), *plain[1:]]
    for a, b in zip(run(kernel, tape, first, 50), run(kernel, tape, spread, 50), strict=True):
        assert (a == b).all()


@pytest.fixture(scope="module")
def arm():
    return build("puma560")


@ALL
def test_calls_take_arrays_of_any_layout(backend, arm):
    f = compile("inverse_dynamics", arm, backend=backend)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 24, 6))
    want = f(q, qd, qdd)
    frozen = q.copy()
    frozen.flags.writeable = False
    layouts = {
        "fortran": np.asfortranarray(q),
        "strided rows": np.repeat(q, 3, axis=0)[::3],
        "strided columns": np.repeat(q, 2, axis=1)[:, ::2],
        "both reversed": q[::-1, ::-1].copy()[::-1, ::-1],
        "transposed": q.T.copy().T,
        "read-only": frozen,
        "other byte order": q.astype(">f8"),
        "lists": q.tolist(),
        "unaligned": np.frombuffer(b"x" + q.tobytes(), np.uint8)[1:].view(np.float64).reshape(24, 6),
    }
    for name, x in layouts.items():
        assert (f(x, qd, qdd) == want).all(), name
    assert (f(q.reshape(4, 6, 6), qd.reshape(4, 6, 6), qdd.reshape(4, 6, 6)) == want.reshape(4, 6, 6)).all()
    assert (f(q[0], qd, qdd) == f(np.broadcast_to(q[0], (24, 6)), qd, qdd)).all()
    assert (f(q[:, None], qd[None, :5], qdd[0]) == f(*np.broadcast_arrays(q[:, None], qd[None, :5], qdd[0]))).all()
    assert f(q[:0], qd[:0], qdd[:0]).shape == (0, 6)
    assert f(np.zeros((3, 0, 6)), qd[0], qdd[0]).shape == (3, 0, 6)


@ALL
def test_out_may_have_any_layout_but_no_memory_of_the_inputs(backend, arm):
    f = compile("mass_matrix", arm, backend=backend)
    q = np.random.default_rng(1).normal(size=(10, 6))
    want = f(q)
    whole = np.zeros((10, 6, 6))
    for out in (whole, np.zeros((20, 6, 6))[::2], np.zeros((10, 6, 6), order="F"), np.zeros((10, 6, 6))[::-1]):
        assert f(q, out=out) is out
        assert (out == want).all()
    memory = np.zeros((10, 6, 6))
    with pytest.raises(ValueError, match="overlaps"):
        f(memory[:, 0, :], out=memory)
    for wrong in (np.zeros((10, 6)), np.zeros((10, 6, 6), np.float32), np.zeros((9, 6, 6))):
        with pytest.raises(ValueError, match=r"out=: expected \(10, 6, 6\) float64"):
            f(q, out=wrong)


@ALL
def test_single_calls_equal_rows_of_a_batch(backend, arm):
    """The way of one state (a native call of its own) and the way of many give the same numbers."""
    for algorithm, count in (("inverse_dynamics", 3), ("forward_dynamics", 3), ("mass_matrix", 1)):
        f = compile(algorithm, arm, backend=backend)
        state = np.random.default_rng(2).uniform(-2, 2, (count, 130, 6))
        batch = f(*state)
        for k in range(130):
            one = f(*state[:, k])
            assert np.abs(one - batch[k]).max() <= 1e-15 * np.abs(batch[k]).max(), algorithm
            assert backend != "llvm" or (one == batch[k]).all(), algorithm


@ALL
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_a_bit(backend, threads, arm):
    state = np.random.default_rng(3).uniform(-2, 2, (3, 5000, 6))
    alone = compile("inverse_dynamics", arm, backend=backend, threads=1)(*state)
    assert (compile("inverse_dynamics", arm, backend=backend, threads=threads)(*state) == alone).all()
