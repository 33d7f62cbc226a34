"""CasADi: a tape as a `casadi.Function` of SX expressions, one per operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steiner.backends.text import distinct
from steiner.errors import ArgumentError
from steiner.text.names import identifier
from steiner.trace import Op, Tape, operands, referred

REFUSED = ("null", "jac", "hess")  # names that CasADi keeps for itself


def load() -> Any:
    """The library, or what to install."""
    try:
        import casadi
    except ImportError:
        raise ArgumentError("this export needs CasADi; install it with: pip install 'steiner[casadi]'") from None
    return casadi


def function(tape: Tape, name: str, outputs: Sequence[str]) -> Any:
    """The tape as a `casadi.Function`: vectors are columns, a matrix keeps its shape.

    CasADi knows two dimensions: what has more is (first, all others).
    """
    ca = load()
    names = distinct([*(n for n, _ in tape.inputs), *outputs], REFUSED)
    count = len(tape.inputs)
    arguments = [ca.SX.sym(n, size) for n, (_, size) in zip(names, tape.inputs, strict=False)]
    values: list[Any] = []

    def number(element: int | float) -> Any:
        return ca.SX(element) if isinstance(element, float) else referred(values, element)

    operations = _operations(ca)
    for row in tape.rows:
        if row[0] == Op.CONSTANT:
            values.append(ca.SX(row[1]))
        elif row[0] == Op.INPUT:
            values.append(arguments[row[1]][row[2]])
        else:
            values.append(operations[row[0]](*map(number, operands(row))))
    results = []
    for output in tape.outputs:
        rows, columns = output.shape[0] if output.shape else 1, 1
        if output.size:
            columns = output.size // rows
        column = ca.vertcat(*map(number, output.elements)) if output.size else ca.SX(0, 1)
        results.append(ca.reshape(column, columns, rows).T)
    return ca.Function(identifier(name, "robot"), arguments, results, names[:count], names[count:])


def _operations(ca: Any) -> dict[Op, Any]:
    return {
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.DIV: lambda a, b: a / b,
        Op.SQRT: ca.sqrt,
        Op.SIN: ca.sin,
        Op.COS: ca.cos,
        Op.EXP: ca.exp,
        Op.TANH: ca.tanh,
        Op.ABS: ca.fabs,
        Op.SIGN: ca.sign,
        Op.SELECT: lambda c, a, b: ca.if_else(c > 0, a, ca.if_else(c <= 0, b, c)),
    }
