"""Kernels on columns: the same bits as on rows, whatever holds the columns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import steiner as st
from steiner.backends import compile_tape
from steiner.trace import trace


def samples(n: int, count: int) -> np.ndarray:
    return np.random.default_rng(count).normal(size=(3, count, n)) * 3


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 33, 4099])
@pytest.mark.parametrize("name", ["rr", "ur5", "panda"])
def test_columns_give_the_bits_of_rows(name, count):
    arm = st.load(f"gallery:{name}")
    q, qd, qdd = samples(arm.n, count)
    tau = st.compile("inverse_dynamics", arm, layout="columns")(q.T, qd.T.copy(), qdd=list(qdd.T))
    assert tau.shape == (arm.n, count) and tau.flags.c_contiguous
    np.testing.assert_array_equal(tau.T, arm.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_result_has_its_samples_last(backend, dtype):
    arm = st.load("gallery:ur5")
    q = samples(6, 100)[0].astype(dtype)
    M = st.compile("mass_matrix", arm, layout="columns", backend=backend, dtype=dtype)(q.T)
    assert M.shape == (6, 6, 100) and M.dtype == dtype
    np.testing.assert_allclose(np.moveaxis(M, -1, 0), arm.mass_matrix(q), atol=1e-12 if dtype == np.float64 else 1e-4)


def test_frames_and_series_are_columns():
    polars = pytest.importorskip("polars")
    arm = st.load("gallery:rr")
    q, qd, qdd = samples(2, 50)
    frame = polars.DataFrame({f"q{k}": q[:, k] for k in range(2)})
    tau = st.compile("inverse_dynamics", arm, layout="columns")(frame, [polars.Series(x) for x in qd.T], qdd.T)
    np.testing.assert_array_equal(tau.T, arm.inverse_dynamics(q, qd, qdd))


def test_out_takes_the_columns():
    arm = st.load("gallery:rr")
    q, qd, qdd = samples(2, 50)
    kernel, out = st.compile("inverse_dynamics", arm, layout="columns"), np.zeros((2, 50))
    assert kernel(q.T, qd.T, qdd.T, out=out) is out
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(q.T, qd.T, qdd.T), out)
    with pytest.raises(st.SteinerError, match="overlaps"):
        kernel(out, qd.T, qdd.T, out=out)


WRONG = {
    "rows": (lambda k, x: k(x, x, x), "q: expected 2 columns, got 5; samples are along the last axis"),
    "one array": (lambda k, x: k(x[0], x.T, x.T), r"q: expected 2 columns, got shape \(2,\)"),
    "a number": (lambda k, x: k(1.0, x.T, x.T), "q: expected 2 columns, got 1.0"),
    "lengths": (lambda k, x: k(x.T, x.T, x[:3].T), "columns of 3 and 5 rows"),
    "two": (lambda k, x: k(x.T, x.T), "expected the columns of q, qd, qdd"),
    "words": (lambda k, x: k(["a", "b"], x.T, x.T), r"q\[0\]"),
    "matrices": (lambda k, x: k([x, x], x.T, x.T), r"q\[0\]: expected one column of numbers"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_column_is_told(case):
    call, says = WRONG[case]
    with pytest.raises(st.SteinerError, match=says):
        call(st.compile("inverse_dynamics", st.load("gallery:rr"), layout="columns"), np.zeros((5, 2)))


def test_a_layout_is_one_of_two():
    arm = st.load("gallery:rr")
    with pytest.raises(st.SteinerError, match="'rows' or 'columns'"):
        st.compile("inverse_dynamics", arm, layout="soa")
    with pytest.raises(st.SteinerError, match="without parameters"):
        st.compile("inverse_dynamics", arm, layout="columns", parameters=["gravity"])


def test_a_tape_by_columns_is_the_same_function():
    tape = trace(lambda x, y: [np.array([x[0] * y[1], 2.0, -x[1]]), np.array(y[0] + x[0])], [("x", 2), ("y", 2)])
    split = tape.by_columns()
    assert [size for _name, size in split.inputs] == [1] * 4 and [o.shape for o in split.outputs] == [()] * 4
    values = np.arange(20.0).reshape(4, 5)
    outputs = [np.zeros((5, 1)) for _ in range(4)]
    compile_tape(tape, columns=True)([x[:, None] for x in values], outputs, 5)
    x0, x1, y0, y1 = values
    np.testing.assert_array_equal(np.hstack(outputs).T, [x0 * y1, np.full(5, 2.0), -x1, y0 + x0])
