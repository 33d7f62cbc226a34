"""The order in which a tape is computed, and its cut into segments.

Angles that need no other sine come first, all together: their polynomials overlap and one branch
guards them.  Long tapes are cut into segments, each a loop over a few blocks of samples, because
straight code beyond some hundred operations only moves registers to the stack and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from steiner.backends.llvm.vector import group_starts
from steiner.trace import Op, Tape
from steiner.trace.tape import operand_rows

STRAIGHT = 900  # operations up to which one stretch of code is best
SEGMENT = 260
SINCOS_WEIGHT = 30
ANGLES_TOGETHER = 8

TRIG = (Op.SIN, Op.COS)


@dataclass(frozen=True)
class Step:
    """One operation, or the sines and cosines of several angles (rows)."""

    rows: tuple[int, ...]
    angles: tuple[int, ...] = ()

    @property
    def weight(self) -> int:
        """Rough cost in operations."""
        return SINCOS_WEIGHT * len(self.angles) or 1


@dataclass
class Segment:
    """Steps computed together; `defines` are the rows that exist after it."""

    steps: list[Step] = field(default_factory=list)

    @property
    def defines(self) -> Iterator[int]:
        """Rows computed here."""
        return (row for step in self.steps for row in step.rows)


def _cones(tape: Tape, angles: list[int]) -> set[int]:
    """Everything the angles depend on."""
    seen: set[int] = set()
    stack = list(angles)
    while stack:
        k = stack.pop()
        if k not in seen:
            seen.add(k)
            stack.extend(operand_rows(tape.rows[k]))
    return seen


def steps(tape: Tape, together: int | None = None) -> list[Step]:
    """All operations in order (constants and inputs are not steps)."""
    rows = tape.rows
    trig_above = [False] * len(rows)
    trig_of: dict[int, list[int]] = {}
    for k, row in enumerate(rows):
        trig_above[k] = row[0] in TRIG or any(trig_above[j] for j in operand_rows(row))
        if row[0] in TRIG:
            trig_of.setdefault(row[1] >> 1, []).append(k)
    early = [a for a in trig_of if not trig_above[a]]
    first = _cones(tape, early)
    result = [Step((k,)) for k in sorted(first) if rows[k][0] > Op.INPUT]
    size = together or max(len(early), 1)
    for start in range(0, len(early), size):
        group = tuple(early[start : start + size])
        result.append(Step(tuple(k for a in group for k in trig_of[a]), group))
    done = first | {k for a in early for k in trig_of[a]}
    for k, row in enumerate(rows):
        if k in done or row[0] <= Op.INPUT:
            continue
        if row[0] in TRIG:
            angle = row[1] >> 1
            result.append(Step(tuple(trig_of[angle]), (angle,)))
            done.update(trig_of[angle])
        else:
            result.append(Step((k,)))
            done.add(k)
    return result


def segments(tape: Tape) -> list[Segment]:
    """One segment for a short tape, several for a long one."""
    weight = sum(s.weight for s in steps(tape))
    if weight <= STRAIGHT:
        return [Segment(steps(tape))]
    result = [Segment()]
    load = 0
    for step in steps(tape, ANGLES_TOGETHER):
        if load + step.weight > SEGMENT and result[-1].steps:
            result.append(Segment())
            load = 0
        result[-1].steps.append(step)
        load += step.weight
    return result


@dataclass
class Slots:
    """Where values that outlive their segment wait, and which outputs each segment can store."""

    of: dict[int, int]
    count: int
    stores: list[list[tuple[int, int]]]  # per segment: (output, first column of a group)


def allocate(tape: Tape, parts: list[Segment]) -> Slots:
    """Slots for values used in a later segment than their own; freed after their last use."""
    home = {row: k for k, part in enumerate(parts) for row in part.defines}
    last: dict[int, int] = {}

    def use(row: int, k: int) -> None:
        if tape.rows[row][0] != Op.CONSTANT:
            last[row] = max(last.get(row, -1), k)

    for k, part in enumerate(parts):
        for step in part.steps:
            for row in step.rows:
                for operand in operand_rows(tape.rows[row]):
                    use(operand, k)
    stores = _stores(tape, home, len(parts), use)
    slot: dict[int, int] = {}
    free: list[int] = []
    top = 0
    expiring: dict[int, list[int]] = {}
    for row, k in last.items():
        expiring.setdefault(k, []).append(row)

    def give(row: int) -> None:
        nonlocal top
        if free:
            slot[row] = free.pop()
        else:
            slot[row] = top
            top += 1

    for row in last:
        if tape.rows[row][0] == Op.INPUT:
            give(row)
    for k, part in enumerate(parts):
        for row in part.defines:
            if last.get(row, -1) > k:
                give(row)
        free.extend(slot[row] for row in expiring.get(k, ()) if row in slot and home.get(row, -1) < k)
    return Slots(slot, top, stores)


def _stores(tape: Tape, home: dict[int, int], count: int, use: Any) -> list[list[tuple[int, int]]]:
    """Outputs are stored in groups of four columns, each as soon as its last column is known."""
    stores: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for index, output in enumerate(tape.outputs):
        for start in group_starts(output.size):
            rows = [x >> 1 for x in output.elements[start : start + 4] if isinstance(x, int)]
            when = max((home.get(row, 0) for row in rows), default=0)
            stores[when].append((index, start))
            for row in rows:
                use(row, when)
    return stores

