"""Derivatives of a tape as another tape: forward, reverse, and products with vectors.

Source to source: the table of the tape is taken over as it is and derivatives are written behind it
with traced scalars, so 0, ±1 and repeated expressions fold and values already computed are used
again.  Only tangents that are not zero by structure are carried (forward), and only rows that depend on
the chosen inputs get an adjoint (reverse).  At a kink — of abs, sign, select — the derivative is that
of the branch taken: d|x| = sign(x) dx, d sign(x) = 0.  A reverse sweep multiplies the zero adjoint of a
branch not taken by the slopes in it, and 0·∞ is no number: where a `select` guards a root, a quotient or
an exponential, forward is taken unless reverse is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, TraceError, unknown
from steiner.scalar import select
from steiner.trace.node import Node, Op, Trace, is_negated, operand_rows, row_of
from steiner.trace.tape import Output, Tape, assemble

MODES = ("forward", "reverse")
SINGULAR = (Op.DIV, Op.SQRT, Op.EXP)  # functions whose slope can be infinite
BOTH_WAYS = 250_000  # rows times columns: a second or two for both, less than LLVM takes for the result

# derivative by column (forward) or by row (reverse); what is missing is zero
Sparse = dict[int, Any]


def jacobian(tape: Tape, wrt: Sequence[str] | str, *, mode: str | None = None, values: bool = False) -> Tape:
    """The tape of d out/d in for every output and every input named in `wrt`.

    Its outputs are, for each input in turn, the derivatives of all outputs, of shape (*output, size of the
    input); with `values` the outputs themselves come first.  Without a `mode`, a short tape is written both
    ways and the cheaper one kept; for a long one fewer outputs than inputs mean reverse.
    """
    if mode not in (None, *MODES):
        raise ArgumentError(unknown("mode", mode, MODES))
    if mode is None:
        table, elements = Table(tape, wrt), sum(output.size for output in tape.outputs)
        columns = table.columns
        if table.guards_singularities():
            return jacobian(tape, wrt, mode="forward", values=values)
        if len(tape.rows) * max(len(columns), elements) <= BOTH_WAYS and min(len(columns), elements) > 1:
            return min((jacobian(tape, wrt, mode=m, values=values) for m in MODES), key=lambda t: t.cost)
        mode = "reverse" if elements < len(columns) else "forward"
    table = Table(tape, wrt)
    rows = table.by_forward() if mode == "forward" else table.by_reverse()
    results = [table.element_array(output) for output in tape.outputs] if values else []
    for start, size in table.ranges:
        at = 0
        for output in tape.outputs:
            results.append(_block(rows[at : at + output.size], start, size).reshape(*output.shape, size))
            at += output.size
    return assemble(table, tape.inputs, results)


def gradient(tape: Tape, wrt: Sequence[str] | str, *, values: bool = False) -> Tape:
    """The tape of the gradients of scalar outputs, by one reverse sweep for each of them if that is safe."""
    large = [output.shape for output in tape.outputs if output.size != 1]
    if large:
        raise ArgumentError(f"gradient takes scalar outputs, one has shape {large[0]}; use jacobian")
    return jacobian(tape, wrt, mode=None if Table(tape, wrt).guards_singularities() else "reverse", values=values)


class Table(Trace):
    """The table of a tape, ready to take up its derivatives by some of the inputs."""

    def __init__(self, tape: Tape, wrt: Sequence[str] | str) -> None:
        super().__init__()
        self.tape = tape
        self.rows = list(tape.rows)
        self._row_of = {row: k for k, row in enumerate(tape.rows)}
        self.names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        known = [name for name, _ in tape.inputs]
        for name in self.names:
            if name not in known:
                raise ArgumentError(unknown("input", name, known, "this tape"))
        first, starts = 0, {}
        self.ranges: list[tuple[int, int]] = []  # first column and number of columns of every input
        for name in self.names:
            size = tape.inputs[known.index(name)][1]
            self.ranges.append((first, size))
            starts[known.index(name)] = first
            first += size
        self.columns = {  # row of an input element -> its column
            k: starts[row[1]] + row[2]
            for k, row in enumerate(tape.rows)
            if row[0] == Op.INPUT and row[1] in starts
        }
        self.active = self._active()

    def _active(self) -> list[bool]:
        """Which rows depend on the chosen inputs."""
        active = [False] * len(self.tape.rows)
        for k, row in enumerate(self.tape.rows):
            active[k] = k in self.columns or (
                row[0] != Op.SIGN and any(active[j] for j in operand_rows(row))
            )
        return active

    def guards_singularities(self) -> bool:
        """Whether a `select` has a branch whose slope may be infinite where the other one is taken."""
        seen = set[int]()
        stack = [row_of(x) for row in self.tape.rows if row[0] == Op.SELECT for x in row[2:]]
        while stack:
            k = stack.pop()
            if k in seen or not self.active[k]:
                continue
            if self.rows[k][0] in SINGULAR:
                return True
            seen.add(k)
            stack.extend(operand_rows(self.rows[k]))
        return False

    def value(self, row: int) -> Any:
        """The number of a row: a float if it is a constant."""
        content = self.rows[row]
        return content[1] if content[0] == Op.CONSTANT else Node(self, row, False)

    def referred(self, reference: int) -> Any:
        """The number of a signed reference."""
        value = self.value(row_of(reference))
        return -value if is_negated(reference) else value

    def element_array(self, output: Output) -> np.ndarray:
        """An output as traced scalars."""
        return _array([x if isinstance(x, float) else self.referred(x) for x in output.elements], output.shape)

    def partials(self, k: int) -> Iterator[tuple[int, Any]]:
        """(row, derivative of row k by it) for the rows that an operation other than SELECT reads."""
        op, *operands = self.rows[k]
        if op <= Op.DIV:
            a, b = operands
            if op == Op.MUL:
                yield from ((a, self.value(b)), (b, self.value(a)))
            elif op == Op.DIV:
                inverse = 1.0 / self.value(b)
                yield from ((a, inverse), (b, -(self.value(k) * inverse)))
            else:
                yield from ((a, 1.0), (b, 1.0 if op == Op.ADD else -1.0))
            return
        slope = self._slope(op, k, operands[0])
        yield row_of(operands[0]), -slope if is_negated(operands[0]) else slope

    def _slope(self, op: Op, k: int, operand: int) -> Any:
        """f′ of an elementary function at its operand; the function's value is row k."""
        f, x = Node(self, k, False), self.referred(operand)
        if not isinstance(x, Node):
            x = self.lift(x)
        if op == Op.SQRT:
            return 0.5 / f
        if op == Op.SIN:
            return x.apply(Op.COS)
        if op == Op.COS:
            return -x.apply(Op.SIN)
        if op == Op.EXP:
            return f
        if op == Op.TANH:
            return 1.0 - f * f
        if op == Op.ABS:
            return x.apply(Op.SIGN)
        raise TraceError(f"no derivative of {Op(op).name.lower()} is known")

    # ---- forward -----------------------------------------------------------------------------

    def by_forward(self) -> list[Sparse]:
        """Derivatives of every output element by column, all columns carried along together."""
        tangents = self.tangents({row: {column: 1.0} for row, column in self.columns.items()})
        return [self.signed(tangents, x) for output in self.tape.outputs for x in output.elements]

    def tangents(self, seeds: dict[int, Sparse]) -> list[Sparse]:
        """What every row of the tape changes by, from what input rows change by."""
        tangents: list[Sparse] = []
        for k in range(len(self.tape.rows)):
            if not self.active[k] or k in seeds:
                tangents.append(seeds.get(k, {}))
            elif self.rows[k][0] == Op.SELECT:
                tangents.append(self._selected(tangents, *self.rows[k][1:]))
            else:
                result: Sparse = {}
                for row, slope in self.partials(k):
                    for column, tangent in tangents[row].items():
                        accumulate(result, column, slope * tangent)
                tangents.append(result)
        return tangents

    def _selected(self, tangents: list[Sparse], condition: int, positive: int, otherwise: int) -> Sparse:
        a, b = self.signed(tangents, positive), self.signed(tangents, otherwise)
        choice = self.referred(condition)
        return {column: _either(choice, a.get(column, 0.0), b.get(column, 0.0)) for column in {**a, **b}}

    def signed(self, tangents: list[Sparse], element: int | float) -> Sparse:
        """The tangent of a signed reference; nothing for a constant."""
        if isinstance(element, float):
            return {}
        row = tangents[row_of(element)]
        return {column: -x for column, x in row.items()} if is_negated(element) else row

    # ---- reverse -----------------------------------------------------------------------------

    def by_reverse(self) -> list[Sparse]:
        """Derivatives of every output element by column, one sweep back for each element."""
        result, known = [], dict[int, Sparse]()
        for output in self.tape.outputs:
            for x in output.elements:
                if isinstance(x, float) or not self.active[row_of(x)]:
                    result.append({})
                    continue
                if row_of(x) not in known:
                    known[row_of(x)] = self.swept_back({row_of(x): 1.0})
                row = known[row_of(x)]
                result.append({column: -v for column, v in row.items()} if is_negated(x) else row)
        return result

    def swept_back(self, adjoints: Sparse) -> Sparse:
        """Derivatives by column, from the adjoints of some rows."""
        for k in range(max(adjoints, default=-1), -1, -1):
            adjoint = adjoints.get(k)
            if adjoint is None or k in self.columns:
                continue
            op, *operands = self.rows[k]
            if op == Op.SELECT:
                choice = self.referred(operands[0])
                shares = ((operands[1], _either(choice, adjoint, 0.0)), (operands[2], _either(choice, 0.0, adjoint)))
                pairs = [(row_of(x), -share if is_negated(x) else share) for x, share in shares]
            else:
                pairs = [(row, slope * adjoint) for row, slope in self.partials(k) if self.active[row]]
            for row, share in pairs:
                if self.active[row]:
                    accumulate(adjoints, row, share)
        return {column: adjoints[row] for row, column in self.columns.items() if row in adjoints}


def accumulate(sums: Sparse, key: int, term: Any) -> None:
    """Add a term; a sum that is zero by structure is forgotten."""
    result = sums[key] + term if key in sums else term
    if isinstance(result, float) and result == 0:
        sums.pop(key, None)
    else:
        sums[key] = result


def _block(rows: Sequence[Sparse], start: int, size: int) -> np.ndarray:
    """Some columns of sparse rows, dense."""
    entries = np.zeros((len(rows), size), dtype=object)
    for i, row in enumerate(rows):
        for column, value in row.items():
            if start <= column < start + size:
                entries[i, column - start] = value
    return entries


def _either(choice: Any, positive: Any, otherwise: Any) -> Any:
    """`select` of derivatives; equal constants need no choice."""
    same = isinstance(positive, float) and isinstance(otherwise, float) and positive == otherwise
    return positive if same else select(choice, positive, otherwise)


def _array(entries: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    result = np.zeros(len(entries), dtype=object)
    result[:] = entries
    return result.reshape(shape)
