"""The tracer: folding, signs, one row per operation, dead code, fingerprints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steiner import scalar
from steiner.errors import TraceError
from steiner.trace import Op, Trace, is_negated, moved, operand_rows, operands, referred, row_of, signed, trace
from tests.random_tapes import random_tape

X = [("x", 3)]


def rows(function, inputs=X):
    return trace(function, inputs).rows


def elements(function, inputs=X):
    (output,) = trace(function, inputs).outputs
    return output.elements


def test_zeros_and_ones_leave_no_operation():
    assert elements(lambda x: [x[0] * 0 + 0 * x[1]]) == (0.0,)
    assert [r[0] for r in rows(lambda x: [1 * x[0] * 1.0 + 0.0])] == [Op.INPUT]
    assert elements(lambda x: [x[0] * -1]) == (signed(0, True),)
    assert elements(lambda x: [x[0] - x[0]]) == (0.0,)
    assert elements(lambda x: [x[0] / x[0]]) == (1.0,)
    assert elements(lambda x: [x[0] / -x[0]]) == (-1.0,)
    assert elements(lambda x: [0 / x[0]]) == (0.0,)
    assert elements(lambda x: [x[0] ** 0]) == (1.0,)


def test_division_by_a_constant_is_a_multiplication():
    assert [r[0] for r in rows(lambda x: [x[0] / 4])] == [Op.INPUT, Op.CONSTANT, Op.MUL]
    with pytest.raises(TraceError, match="by zero"):
        rows(lambda x: [x[0] / 0])


def test_the_same_expression_is_one_row_whatever_its_sign_or_order():
    tape = trace(lambda x: [x[0] * x[1] + x[1] * x[0], -(x[0] * -x[1]), x[1] * x[0]], X)
    assert tape.counts["mul"] == 1
    tape = trace(lambda x: [np.array([x[0] - x[1], x[1] - x[0], -x[0] + x[1], -(x[1] - x[0])])], X)
    assert tape.counts["sub"] == 1
    assert len(set(tape.outputs[0].elements)) == 2


def test_signs_are_pulled_out_of_odd_and_dropped_in_even_functions():
    for function in (scalar.sin, scalar.tanh, scalar.sign):
        a, b = trace(lambda x, f=function: [f(x[0]), f(-x[0])], X).outputs
        (plus,), (minus,) = a.elements, b.elements
        assert row_of(plus) == row_of(minus) and not is_negated(plus) and is_negated(minus)
    for function in (scalar.cos, scalar.absolute):
        a, b = trace(lambda x, f=function: [f(x[0]), f(-x[0])], X).outputs
        assert a.elements == b.elements
    a, b = trace(lambda x: [scalar.exp(x[0]), scalar.exp(-x[0])], X).outputs
    assert a.elements != b.elements


def test_powers_are_products():
    assert trace(lambda x: [x[0] ** 3], X).counts == {"input": 1, "mul": 2}
    assert trace(lambda x: [x[0] ** -1], X).counts == {"input": 1, "constant": 1, "div": 1}
    with pytest.raises(TypeError):
        trace(lambda x: [x[0] ** 0.5], X)


def test_select_with_one_answer_is_that_answer():
    assert [r[0] for r in rows(lambda x: [scalar.select(x[0], x[1], x[1])])] == [Op.INPUT]
    tape = trace(lambda x: [scalar.select(x[0], -x[1], 2.0)], X)
    assert tape.rows[-1][0] == Op.SELECT


def test_what_no_output_needs_is_not_on_the_tape():
    def wasteful(x):
        _ = scalar.exp(x[0]) * x[1] + scalar.sqrt(x[2])
        return [x[2] * x[2]]

    tape = trace(wasteful, X)
    assert tape.rows == ((Op.INPUT, 0, 2), (Op.MUL, 0, 0))
    assert tape.inputs == (("x", 3),)


def test_a_reference_is_a_row_and_a_sign():
    values = [2.0, 3.0, 5.0]
    for row in range(3):
        for negated in (False, True):
            x = signed(row, negated)
            assert (row_of(x), is_negated(x)) == (row, negated)
            assert referred(values, x) == (-values[row] if negated else values[row])
            assert moved(x, {row: 7}) == signed(7, negated)
    tape = trace(lambda x: [scalar.exp(-x[0]) + scalar.select(x[0], -x[1], 2.0)], X)
    for row in tape.rows:
        assert tuple(map(row_of, operands(row))) == operand_rows(row)
        assert row[0] > Op.DIV or not any(map(is_negated, operands(row)))
    (exp,) = (row for row in tape.rows if row[0] == Op.EXP)
    assert list(map(is_negated, operands(exp))) == [True]


@pytest.mark.parametrize("seed", range(20))
def test_operands_come_before_their_operation_and_rows_are_unique(seed):
    tape = random_tape(seed)
    assert len(set(tape.rows)) == len(tape.rows)
    for k, row in enumerate(tape.rows):
        assert all(0 <= j < k for j in operand_rows(row))
    used = {j for row in tape.rows for j in operand_rows(row)}
    used |= {row_of(x) for output in tape.outputs for x in output.elements if isinstance(x, int)}
    assert used == set(range(len(tape.rows)))


def test_the_fingerprint_is_stable_and_sees_every_change():
    def variants():
        yield lambda x: [x[0] + x[1]]
        yield lambda x: [x[0] - x[1]]
        yield lambda x: [x[1] - x[0]]
        yield lambda x: [x[0] + x[2]]
        yield lambda x: [x[0] + 2.0]
        yield lambda x: [x[0] + math.nextafter(2.0, 3.0)]
        yield lambda x: [x[0] + x[1], 0.0]
        yield lambda x: [x[0] + x[1], 2.0]
        yield lambda x: [np.array([x[0] + x[1], 2.0])]
        yield lambda x: [scalar.sin(x[0])]
        yield lambda x: [scalar.cos(x[0])]

    prints = [trace(f, X).fingerprint for f in variants()]
    assert len(set(prints)) == len(prints)
    assert prints == [trace(f, X).fingerprint for f in variants()]
    assert trace(lambda x: [x[0]], X).fingerprint != trace(lambda x: [x[0]], [("x", 4)]).fingerprint
    assert trace(lambda x: [x[0]], X).fingerprint == trace(lambda y: [y[0]], [("y", 3)]).fingerprint


def test_a_traced_number_refuses_to_be_branched_on():
    x = Trace().input(0, 0)
    for question in (lambda: bool(x), lambda: x > 0, lambda: 1 <= x, lambda: math.sin(x), lambda: int(x),
                     lambda: x == 0, lambda: x != 1, lambda: 0 in [x]):  # fmt: skip
        with pytest.raises(TraceError, match="select"):
            question()


def test_numbers_of_two_traces_do_not_mix():
    foreign = Trace().input(0, 0)
    with pytest.raises(TraceError, match="another trace"):
        trace(lambda x: [x[0] + 1.0, foreign], X)
    with pytest.raises(TraceError, match="not a number"):
        trace(lambda x: ["seven"], X)
