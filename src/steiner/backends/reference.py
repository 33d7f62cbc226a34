"""The NumPy backend: every operation of the tape as one array operation over the batch.

This is the reference that the other backends are held against.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.trace import Op, Tape, operands, referred


def _select(condition: Any, positive: Any, otherwise: Any) -> Any:
    return np.where(condition > 0, positive, np.where(condition <= 0, otherwise, condition))


FUNCTIONS = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.SQRT: np.sqrt,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.EXP: np.exp,
    Op.TANH: np.tanh,
    Op.ABS: np.abs,
    Op.SIGN: np.sign,
    Op.SELECT: _select,
}


MEMORY = 256 << 20  # bytes that the values of one block of rows may take


def evaluate(tape: Tape, inputs: list[np.ndarray], outputs: list[np.ndarray], count: int) -> None:
    """Fill the outputs (count, size) from the inputs (count or 1, size), some rows at a time."""
    step = max(MEMORY // (8 * max(len(tape.rows), 1)), 1)
    for lo in range(0, count, step):
        hi = min(lo + step, count)
        block = [x if len(x) == 1 else x[lo:hi] for x in inputs]
        _evaluate(tape, block, [y[lo:hi] for y in outputs])


def _evaluate(tape: Tape, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
    dtype = outputs[0].dtype if outputs else np.dtype(np.float64)
    values: list[Any] = []

    with np.errstate(all="ignore"):
        for row in tape.rows:
            if row[0] == Op.CONSTANT:
                values.append(dtype.type(row[1]))
            elif row[0] == Op.INPUT:
                values.append(inputs[row[1]][:, row[2]])
            elif row[0] <= Op.DIV:
                values.append(FUNCTIONS[row[0]](values[row[1]], values[row[2]]))
            else:
                values.append(FUNCTIONS[row[0]](*(referred(values, x) for x in operands(row))))
        results = [
            [x if isinstance(x, float) else referred(values, x) for x in output.elements] for output in tape.outputs
        ]
    for array, columns in zip(outputs, results, strict=True):
        for j, column in enumerate(columns):
            array[:, j] = column


def compile(tape: Tape, dtype: np.dtype, threads: int | None = None) -> Any:
    """A kernel that interprets the tape with NumPy."""

    def kernel(inputs: list[np.ndarray], outputs: list[np.ndarray], count: int) -> None:
        evaluate(tape, inputs, outputs, count)

    return kernel
