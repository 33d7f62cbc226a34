"""A tape: the operations of one function in order, and where its inputs and outputs are."""

from __future__ import annotations

import operator
import struct
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from steiner import scalar
from steiner.errors import TraceError
from steiner.records import record
from steiner.scalar import NUMBERS
from steiner.trace.node import Node, Op, Trace, moved, operand_rows, operands, referred, signed

if TYPE_CHECKING:
    from hashlib import sha256
else:  # as `random` does: hashlib starts OpenSSL, which takes longer than to load the code whose key this makes
    try:
        if sys.version_info < (3, 12):
            from _sha256 import sha256
        else:
            from _sha2 import sha256
    except ImportError:
        from hashlib import sha256

WEIGHTS = {Op.DIV: 8, Op.SQRT: 8, Op.SIN: 15, Op.COS: 15, Op.EXP: 30, Op.TANH: 30}
FLOPS = (Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT)
OPERATIONS: dict[Op, Callable[..., Any]] = {
    Op.ADD: operator.add, Op.SUB: operator.sub, Op.MUL: operator.mul, Op.DIV: operator.truediv, Op.SQRT: scalar.sqrt,
    Op.SIN: scalar.sin, Op.COS: scalar.cos, Op.EXP: scalar.exp, Op.TANH: scalar.tanh, Op.ABS: scalar.absolute,
    Op.SIGN: scalar.sign, Op.SELECT: scalar.select,
}  # fmt: skip


@record
class Output:
    """One output array: its shape, and per element a signed reference or a plain constant."""

    shape: tuple[int, ...]
    elements: tuple[int | float, ...]  # int: reference, float: constant

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.elements)


@record
class Tape:
    """Operations in execution order: live ones only, each row after its operands.

    What a row holds, and what a signed reference is, is said in `steiner.trace.node`.
    """

    inputs: tuple[tuple[str, int], ...]  # name and number of elements
    rows: tuple[tuple[Any, ...], ...]
    outputs: tuple[Output, ...]

    @cached_property
    def length(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs."""
        return [output.shape for output in self.outputs]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each operation occurs."""
        return Counter(Op(row[0]).name.lower() for row in self.rows)

    @property
    def flops(self) -> int:
        """Additions, multiplications, divisions and square roots."""
        return sum(1 for row in self.rows if row[0] in FLOPS)

    @property
    def cost(self) -> int:
        """Operations, weighted by what they take on a processor."""
        return sum(WEIGHTS.get(row[0], 1) for row in self.rows if row[0] > Op.INPUT)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the code made from this tape."""
        digest = sha256()
        for _name, size in self.inputs:
            digest.update(struct.pack("<q", size))
        for op, *values in self.rows:
            digest.update(struct.pack("<b", op))
            digest.update(struct.pack("<d", *values) if op == Op.CONSTANT else struct.pack(f"<{len(values)}q", *values))
        for output in self.outputs:
            digest.update(struct.pack("<q", output.size))
            for x in output.elements:
                digest.update(struct.pack("<bd", 1, x) if isinstance(x, float) else struct.pack("<bq", 0, x))
        return digest.hexdigest()

    def by_columns(self) -> Tape:
        """The same operations on columns: every element of an input or output is an array of its own."""
        first = list(accumulate((size for _name, size in self.inputs), initial=0))
        rows = tuple((row[0], first[row[1]] + row[2], 0) if row[0] == Op.INPUT else row for row in self.rows)
        inputs = tuple((f"{name}[{k}]", 1) for name, size in self.inputs for k in range(size))
        return Tape(inputs, rows, tuple(Output((), (x,)) for output in self.outputs for x in output.elements))

    def on(self, *arguments: Any) -> list[np.ndarray]:
        """The function itself, on numbers of any kind: traced ones write its operations into their own trace."""
        values: list[Any] = []
        for row in self.rows:
            if row[0] == Op.CONSTANT:
                values.append(row[1])
            elif row[0] == Op.INPUT:
                values.append(arguments[row[1]][row[2]])
            else:
                values.append(OPERATIONS[row[0]](*(referred(values, x) for x in operands(row))))
        results = []
        for output in self.outputs:
            result = np.zeros(output.size, dtype=object)
            result[:] = [x if isinstance(x, float) else referred(values, x) for x in output.elements]
            results.append(result.reshape(output.shape))
        return results


class Remembered(Tape):
    """A tape of which somebody knows all that it takes to find its code; traced when its rows are asked for."""

    def __init__(
        self, inputs: tuple[tuple[str, int], ...], shapes: list[tuple[int, ...]], length: int, fingerprint: str,
        again: Callable[[], Tape],
    ) -> None:  # fmt: skip
        vars(self).update(inputs=inputs, shapes=shapes, length=length, fingerprint=fingerprint, _again=again)

    def __getattr__(self, name: str) -> Any:
        if name not in ("rows", "outputs"):
            raise AttributeError(f"a tape has no {name!r}")
        tape = vars(self)["_again"]()
        if tape.fingerprint != self.fingerprint:
            raise TraceError("a remembered tape is not the one that is traced; empty the cache (STEINER_CACHE)")
        vars(self).update(rows=tape.rows, outputs=tape.outputs)
        return vars(self)[name]

    def __reduce__(self) -> Any:
        """Sent as what it stands for."""
        return Tape, (self.inputs, self.rows, self.outputs)


def trace(function: Callable[..., Any], inputs: Sequence[tuple[str, int]]) -> Tape:
    """Run a function on traced arrays, one 1-D object array per input; it returns arrays."""
    table = Trace()
    arguments = []
    for k, (_name, size) in enumerate(inputs):
        argument = np.zeros(size, dtype=object)
        argument[:] = [table.input(k, j) for j in range(size)]
        arguments.append(argument)
    results = function(*arguments)
    return assemble(table, tuple(inputs), results)


def assemble(table: Trace, inputs: tuple[tuple[str, int], ...], results: Sequence[Any]) -> Tape:
    """The live part of a table, renumbered, with the results as outputs."""
    arrays = [np.asarray(r, dtype=object) for r in results]
    nodes = [x for a in arrays for x in a.ravel() if isinstance(x, Node)]
    if any(x.trace is not table for x in nodes):
        raise TraceError("a number of another trace got into this one; trace the function afresh")
    live = _live(table.rows, [x.row for x in nodes])
    place = {old: new for new, old in enumerate(live)}
    leaf, binary = Op.INPUT, Op.DIV

    def renumbered(row: tuple[Any, ...]) -> tuple[Any, ...]:
        op = row[0]
        if op <= leaf:
            return row
        if op <= binary:
            return op, place[row[1]], place[row[2]]
        return (op, *[moved(x, place) for x in row[1:]])

    def element(x: Any) -> int | float:
        if isinstance(x, Node):
            return signed(place[x.row], x.negative)
        if isinstance(x, NUMBERS):
            return float(x)
        raise TraceError(f"a traced function returned {x!r}, which is not a number")

    outputs = tuple(Output(a.shape, tuple(element(x) for x in a.ravel())) for a in arrays)
    return Tape(inputs, tuple(renumbered(table.rows[k]) for k in live), outputs)


def _live(rows: Sequence[tuple[Any, ...]], roots: Sequence[int]) -> list[int]:
    """The rows that roots are made of, in order: a row stands after its operands, so one sweep finds them."""
    seen = bytearray(len(rows))
    for k in roots:
        seen[k] = 1
    leaf, binary = Op.INPUT, Op.DIV
    for k in reversed(range(len(rows))):
        row = rows[k]
        if not seen[k] or row[0] <= leaf:
            continue
        for x in row[1:] if row[0] <= binary else operand_rows(row):
            seen[x] = 1
    return [k for k in range(len(rows)) if seen[k]]
