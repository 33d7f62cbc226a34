"""Products that are only ever added or subtracted are computed where they are added.

A fused multiply-add costs what an addition costs, so a product with k sums needs k instructions instead of
k + 1, also when it is shared: computing it afresh in each sum is free.
"""

from __future__ import annotations

from typing import Any

from steiner.trace import Op, Output, Tape, moved, operand_rows, row_of, signed

FMA = max(Op) + 1  # an operation of this backend's own tapes
SUMS = (Op.ADD, Op.SUB)


def fused(tape: Tape) -> Tape:
    """The tape with FMA rows (signed references a, b, c: a·b + c) for sums, without the products inside them."""
    inside = _absorbed(tape)
    place: dict[int, int] = {}
    rows: list[tuple[Any, ...]] = []
    for k, row in enumerate(tape.rows):
        if k not in inside:
            place[k] = len(rows)
            rows.append(_rewritten(tape, row, inside, place))
    outputs = tuple(
        Output(o.shape, tuple(moved(x, place) if isinstance(x, int) else x for x in o.elements)) for o in tape.outputs
    )
    return Tape(tape.inputs, tuple(rows), outputs)


def _absorbed(tape: Tape) -> set[int]:
    """Products that all their sums can take; a sum takes one, products with few sums go first."""
    sums: dict[int, list[int]] = {k: [] for k, row in enumerate(tape.rows) if row[0] == Op.MUL}
    kept = {row_of(x) for output in tape.outputs for x in output.elements if isinstance(x, int)}
    for k, row in enumerate(tape.rows):
        for x in sums.keys() & operand_rows(row):
            sums[x].append(k)
            if row[0] not in SUMS or row[1] == row[2]:
                kept.add(x)
    taken: set[int] = set()
    result: set[int] = set()
    for x in sorted(sums.keys() - kept, key=lambda x: (len(sums[x]), x)):
        if taken.isdisjoint(sums[x]):
            taken.update(sums[x])
            result.add(x)
    return result


def _rewritten(tape: Tape, row: tuple[Any, ...], inside: set[int], place: dict[int, int]) -> tuple[Any, ...]:
    op, *operands = row
    if op <= Op.INPUT:
        return row
    if op > Op.DIV:
        return (op, *(moved(x, place) for x in operands))
    product = next((x for x in operands if x in inside), None)
    if product is None:
        return (op, *(place[x] for x in operands))
    left, right = operands
    first = product == left
    a, b = tape.rows[product][1:]
    c, minus = right if first else left, op == Op.SUB
    return (FMA, signed(place[a], minus and not first), signed(place[b]), signed(place[c], minus and first))
