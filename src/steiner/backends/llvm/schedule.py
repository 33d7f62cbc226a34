"""The order in which a tape is computed, and its cut into segments.

Angles that need no other sine are evaluated together: their polynomials overlap and one branch guards
them.  Tapes are cut into short segments, each a loop over a few blocks of samples: a processor that looks some
hundred instructions ahead then works on several blocks at once while each waits for its own chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from steiner.backends.llvm.vector import group_starts
from steiner.records import record
from steiner.trace import Op, Tape, operand_rows, row_of

STRAIGHT = 150  # operations up to which one stretch of code is best
SEGMENT = 70  # shorter ones only move values, longer ones hide the next block
SLACK = 0.4  # segments may be this much longer or shorter to be cut at a better place
SINCOS_WEIGHT = 30
ANGLES_TOGETHER = 8

TRIG = (Op.SIN, Op.COS)


@record
class Step:
    """One operation, the sines and cosines of several angles (rows), or a load of a group of columns."""

    rows: tuple[int, ...]
    angles: tuple[int, ...] = ()
    load: tuple[int, int] | None = None  # input array, first column of the group

    @property
    def weight(self) -> int:
        """Rough cost in operations."""
        return SINCOS_WEIGHT * len(self.angles) or (6 if self.load else 1)


@dataclass
class Segment:
    """Steps computed together."""

    steps: list[Step] = field(default_factory=list)

    @property
    def defines(self) -> Iterator[int]:
        """Rows computed here."""
        return (row for step in self.steps for row in step.rows)


class Scheduler:
    """Puts a tape in order: inputs are loaded and angles evaluated first, or `late`: when they are needed."""

    def __init__(self, tape: Tape, together: int, late: bool = False) -> None:
        self.tape, self.result, self.late = tape, list[Step](), late
        self.done = {k for k, row in enumerate(tape.rows) if row[0] == Op.CONSTANT}
        self.trig_of: dict[int, list[int]] = {}
        above = [False] * len(tape.rows)
        for k, row in enumerate(tape.rows):
            above[k] = row[0] in TRIG or any(above[j] for j in operand_rows(row))
            if row[0] in TRIG:
                self.trig_of.setdefault(row_of(row[1]), []).append(k)
        early = [a for a in self.trig_of if not above[a]]
        groups = [tuple(early[i : i + together]) for i in range(0, len(early), together)]
        self.group_of = {a: g for g in groups for a in g} | {a: (a,) for a in self.trig_of if above[a]}
        self.columns = _column_groups(tape)

    def run(self) -> list[Step]:
        """All operations in order."""
        waiting = (Op.INPUT, *TRIG) if self.late else ()
        for k, row in enumerate(self.tape.rows):
            if row[0] not in waiting:
                self.need(k)
        for k in range(len(self.tape.rows)):  # what is a result as it is
            self.need(k)
        return self.result

    def need(self, k: int) -> None:
        """Emit a row and what it depends on (operands come earlier in the tape, so this goes one deep)."""
        if k in self.done:
            return
        row = self.tape.rows[k]
        if row[0] == Op.INPUT:
            rows, load = self.columns[k]
            self._emit(Step(rows, load=load))
        elif row[0] in TRIG:
            angles = self.group_of[row_of(row[1])]
            for a in angles:
                self._cone(a)
            self._emit(Step(tuple(x for a in angles for x in self.trig_of[a]), angles))
        else:
            for j in operand_rows(row):
                self.need(j)
            self._emit(Step((k,)))

    def _cone(self, k: int) -> None:
        stack = [k]
        while stack:
            missing = [j for j in operand_rows(self.tape.rows[stack[-1]]) if j not in self.done]
            if missing:
                stack += missing
            else:
                self.need(stack.pop())

    def _emit(self, step: Step) -> None:
        self.result.append(step)
        self.done.update(step.rows)


def _column_groups(tape: Tape) -> dict[int, tuple[tuple[int, ...], tuple[int, int]]]:
    """For every INPUT row: the rows loaded with it, and the group of columns they come from."""
    members: dict[tuple[int, int], list[int]] = {}
    for k, row in enumerate(tape.rows):
        if row[0] == Op.INPUT:
            starts = group_starts(tape.inputs[row[1]][1])
            start = next(s for s in starts if s <= row[2] < s + 4)
            members.setdefault((row[1], start), []).append(k)
    return {k: (tuple(rows), load) for load, rows in members.items() for k in rows}


def segments(tape: Tape, straight: int = STRAIGHT, size: int = SEGMENT, late: bool = False) -> list[Segment]:
    """One segment for a short tape, several for a long one, cut where few values are alive."""
    whole = Scheduler(tape, max(len(tape.rows), 1)).run()
    if sum(s.weight for s in whole) <= straight:
        return [Segment(whole)]
    order = Scheduler(tape, ANGLES_TOGETHER, late).run()
    return cut(order, alive_after(tape, order), size)


def cut(order: list[Step], alive: list[int], size: int = SEGMENT) -> list[Segment]:
    """Segments of about one size; `alive` has the number of values that wait after each step."""
    result, start = [], 0
    while start < len(order):
        load, stop, best = 0, start, start
        while stop < len(order) and load < size * (1 + SLACK):
            load += order[stop].weight
            if load <= size * (1 - SLACK) or alive[stop] <= alive[best]:
                best = stop
            stop += 1
        end = stop if stop == len(order) and load < size * (1 + SLACK) else best + 1
        result.append(Segment(order[start:end]))
        start = end
    return result


def alive_after(tape: Tape, order: list[Step]) -> list[int]:
    """How many values wait after each step for a later one."""
    last = stored_at(tape, order)
    for i, step in enumerate(order):
        for row in step.rows:
            for operand in operand_rows(tape.rows[row]):
                last[operand] = max(last.get(operand, 0), i)
    change = [0] * (len(order) + 1)
    for i, step in enumerate(order):
        for row in step.rows:
            if last.get(row, i) > i:
                change[i] += 1
                change[last[row]] -= 1
    return list(accumulate(change))[: len(order)]


def stored_at(tape: Tape, order: list[Step]) -> dict[int, int]:
    """The step after which each output's row can be stored: when its group of columns is complete."""
    home = {row: i for i, step in enumerate(order) for row in step.rows}
    result: dict[int, int] = {}
    for output in tape.outputs:
        for start in group_starts(output.size):
            rows = [row_of(x) for x in output.elements[start : start + 4] if isinstance(x, int)]
            rows = [row for row in rows if row in home]
            when = max((home[row] for row in rows), default=0)
            for row in rows:
                result[row] = max(result.get(row, 0), when)
    return result


@dataclass
class Slots:
    """Where values that outlive their segment wait, and which outputs each segment can store."""

    of: dict[int, int]
    count: int
    stores: list[list[tuple[int, int]]]  # per segment: (output, first column of a group)

    def places(self, _index: int, size: int) -> dict[int, tuple[str, int]]:
        """Pointers and bytes from there on, as a segment sees them."""
        return {row: ("%Sb", slot * size) for row, slot in self.of.items()}


def allocate(tape: Tape, parts: list[Segment]) -> Slots:
    """Slots for values used in a later segment than their own; freed after their last use."""
    home, last, stores = uses(tape, parts)
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

    for k, part in enumerate(parts):
        for row in part.defines:
            if last.get(row, -1) > k:
                give(row)
        free.extend(slot[row] for row in expiring.get(k, ()) if row in slot and home[row] < k)
    return Slots(slot, top, stores)


def uses(tape: Tape, parts: list[Segment]) -> tuple[dict[int, int], dict[int, int], list[list[tuple[int, int]]]]:
    """The segment that computes each row, the last that uses it, and the outputs that each can store."""
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
    return home, last, _stores(tape, home, len(parts), use)


def _stores(tape: Tape, home: dict[int, int], count: int, use: Any) -> list[list[tuple[int, int]]]:
    """Outputs are stored in groups of four columns, each as soon as its last column is known."""
    stores: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for index, output in enumerate(tape.outputs):
        for start in group_starts(output.size):
            rows = [row_of(x) for x in output.elements[start : start + 4] if isinstance(x, int)]
            when = max((home.get(row, 0) for row in rows), default=0)
            stores[when].append((index, start))
            for row in rows:
                use(row, when)
    return stores
