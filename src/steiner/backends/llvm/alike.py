"""Joints alike in a long tape: cut where they repeat and laid out alike, so that one text of code serves them all.

Code that exceeds its cache is read again for every block of samples, and blocks enough to pay for that leave the first
cache of data with what waits in them.  Where a tape repeats, its segments are one period each, and name what they read
and write by the distance from a few pointers: to values for the next segment (`near`, which that one calls `last`),
to values that wait longer (`far`, one for each leg of the way: out, back, and perhaps out again), to numbers (`own`)
and to columns (`in`, `out`).  Segments that then read the same are written once; one behind the other they are turns of
a loop in which the pointers move on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from steiner.backends.llvm.code import LINE, PARAMETERS, Module, Values
from steiner.backends.llvm.fuse import FMA, SUMS, fused
from steiner.backends.llvm.periods import WORTH, repeats, runs
from steiner.backends.llvm.schedule import Scheduler, Segment, Slots, Step, alive_after, cut, stored_at, uses
from steiner.backends.llvm.stretches import Places
from steiner.backends.llvm.vector import Vector
from steiner.backends.llvm.x86 import bits
from steiner.trace import Op, Tape, is_negated, operand_rows, row_of

COLUMNS = 4  # that are loaded, and stored, at once
NEAR, LAST, FAR, OWN = "%near", "%last", "%far", "%own"
# on with every turn, beside what is far: the last counts those that load rows
MOVING = {OWN: "ptr", "%in": "i64", "%out": "i64", "%loads": "i64"}
SAVED = 0.8  # of a tape needs no code of its own, or the rest, which is run for two blocks only, costs what is gained
POINTERS = 12  # that instructions may use at once, of 16 registers
# LLVM must not see how columns move: it would move a pointer to every row of every array, in memory
HIDDEN = '%column = call i64 asm sideeffect "", "=r,0"(i64 %in)'


@dataclass
class Turn(Segment):
    """A segment that should read like the one of that number."""

    like: int = 0


def repeating(tape: Tape) -> list[Segment]:
    """Segments of a tape that repeats for the most part; none if it does not."""
    order = Scheduler(tape, COLUMNS, late=True).run()
    found = [(_first(start, period, tape, order), stop, period) for start, stop, period in runs(kinds(tape, order))]
    spans = [(first, (stop - first) // period, period) for first, stop, period in found]
    if sum(max(times - 1, 0) * period for _, times, period in spans) <= WORTH * len(order):
        return []
    alive, result, at = alive_after(tape, order), list[Segment](), 0
    size = max(sum(step.weight for step in order[first : first + period]) for first, _, period in spans)
    for first, times, period in spans:
        result += cut(order[at:first], alive[at:first], size)
        at = first + times * period
        result += [Turn(_loads_first(order[k : k + period]), len(result) + 1) for k in range(first, at, period)]
    return [*result, *cut(order[at:], alive[at:], size)]


def _first(start: int, period: int, tape: Tape, order: list[Step]) -> int:
    """Where to begin with a run: there fewest values are needed by the next turn."""
    needed = _needed_within(period, tape, order)[start + period : start + 2 * period]
    return start + 1 + needed.index(min(needed))


def _needed_within(period: int, tape: Tape, order: list[Step]) -> list[int]:
    """How many values that are there after each step are used within so many more."""
    stored, uses = stored_at(tape, order), dict[int, list[int]]()
    for i, step in enumerate(order):
        for row in step.rows:
            uses[row] = [i]
            for operand in operand_rows(tape.rows[row]):
                uses.setdefault(operand, []).append(i)
    change = [0] * (len(order) + 1)
    for row, found in uses.items():
        for before, now in pairwise(sorted([*found, stored.get(row, found[-1])])):
            change[max(before, now - period)] += 1
            change[now] -= 1
    return list(accumulate(change))


def _loads_first(steps: list[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: not step.load)


def kinds(tape: Tape, order: list[Step]) -> np.ndarray:
    """A number for what each step does, whatever numbers and values it does it with."""
    column = {row_of(x): k % COLUMNS for o in tape.outputs for k, x in enumerate(o.elements) if isinstance(x, int)}

    def kind(step: Step) -> tuple:
        if step.load or step.angles:
            return bool(step.load), len(step.rows)
        op, *operands = tape.rows[step.rows[0]]
        signed = op not in SUMS and op != Op.MUL and op != Op.DIV
        numbers = [tape.rows[row_of(x) if signed else x][0] == Op.CONSTANT for x in operands]
        signs = [signed and not c and is_negated(x) for x, c in zip(operands, numbers, strict=True)]
        if op == FMA:
            signs = [signs[0] != signs[1], signs[2]]
        return op, *numbers, *signs, column.get(step.rows[0])

    known: dict[tuple, int] = {}
    return np.array([known.setdefault(kind(step), len(known)) for step in order])


@dataclass
class Layout(Slots):
    """Slots for segments that may be alike: in the order of their rows, and seen from pointers."""

    next: dict[int, int]  # by row: places of values that only the next segment uses
    home: dict[int, int]
    touched: list[list[int]]  # by segment: the rows that wait for others and that it reads or writes
    legs: list[int]  # by segment: the run that it belongs to
    width: int  # places for the next segment

    @property
    def pointers(self) -> list[str]:
        """To values that wait longer, by where they were made: on the way back they pass in reverse, others do not."""
        return [f"{FAR}{leg}" for leg in range(self.legs[-1] + 1)]

    def first(self, index: int) -> list[int]:
        """The first slot that a segment reads or writes of each leg."""
        slots = [(self.legs[self.home[row]], self.of[row]) for row in self.touched[index] if row in self.of]
        return [min((slot for k, slot in slots if k == leg), default=0) for leg in range(self.legs[-1] + 1)]

    def places(self, index: int, size: int) -> dict[int, tuple[str, int]]:
        """Pointers and bytes from there on, as a segment sees them."""
        first = self.first(index)

        def place(row: int) -> tuple[str, int]:
            if row in self.next:
                return NEAR if self.home[row] == index else LAST, self.next[row] * size
            leg = self.legs[self.home[row]]
            return f"{FAR}{leg}", (self.of[row] - first[leg]) * size

        return {row: place(row) for row in self.touched[index]}


def laid_out(tape: Tape, parts: list[Segment]) -> Layout:
    """Places of what waits: two sets in turn for the next segment, and one for each value that waits longer."""
    home, last, stores = uses(tape, parts)
    of: dict[int, int] = {}
    near: dict[int, int] = {}
    width = 0
    for k, part in enumerate(parts):
        soon, model = 0, part.like if isinstance(part, Turn) else k
        for row, other in zip(part.defines, parts[model].defines, strict=True):
            if last.get(row, -1) == k + 1 and last.get(other, -1) <= model + 1:
                near[row] = soon
                soon += 1
            elif last.get(row, -1) > k:
                of[row] = len(of)
        width = max(width, soon)
    touched = []
    for part, groups in zip(parts, stores, strict=True):
        rows = {x for row in part.defines for x in (row, *operand_rows(tape.rows[row]))}
        for k, start in groups:
            rows |= {row_of(x) for x in tape.outputs[k].elements[start : start + COLUMNS] if isinstance(x, int)}
        touched.append([row for row in rows if row in of or row in near])
    starts = {part.like for part in parts if isinstance(part, Turn)}
    legs = [max(0, sum(start <= k + 1 for start in starts) - 1) for k in range(len(parts))]
    return Layout(of, 2 * width + len(of), stores, near, home, touched, legs, width)


def repeated(tape: Tape, dtype: np.dtype, lanes: int) -> Repeating | None:
    """The module of a tape that repeats itself, if most of its text is the same again and again."""
    operations = fused(tape)
    parts = repeating(operations) if repeats(operations) else []
    found = Repeating(operations, dtype, lanes, parts) if parts else None
    return found if found and found.saves else None


class Numbered(Values):
    """Values of a segment that LLVM writes: numbers stand in a table, so that texts do not differ in them."""

    def __init__(self, tape: Tape, v: Vector, fetch: Any, name: str, numbers: dict[str, int]) -> None:
        super().__init__(tape, v, fetch, name)
        self.numbers, self.read = numbers, dict[str, str]()

    def number(self, value: float) -> str:
        """See `Values`: read once."""
        key = bits(value, self.v.double)
        if key not in self.read:
            place = self.numbers.setdefault(key, len(self.numbers))
            self.read[key] = self.v.spread(self.v.byte_offset(OWN, place * self.v.bytes))
        return self.read[key]


class Repeating(Module):
    """A module whose segments are seen from pointers, each a loop over its turns.

    A turn computes two blocks, one behind the other: numbers are read once for both, and where a turn is short and
    waits for the one before, the processor works on the other block.
    """

    slots: Layout

    def __init__(self, tape: Tape, dtype: np.dtype, lanes: int, parts: list[Segment]) -> None:
        super().__init__(tape, dtype, lanes, parts=parts)
        self.own: list[str] = []  # numbers of all segments, one behind the other
        self.local = self.pointers = 0  # vectors that a segment has for itself, and pointers that it needs
        self.text, self.stretches = list[str](), dict[Any, Any]()
        self.loading = [any(step.load for step in part.steps) for part in parts]
        self.moving = dict.fromkeys(self.slots.pointers, "ptr") | MOVING
        self.parameters = ", ".join([
            PARAMETERS, "i64 %turns", "ptr %local", f"ptr {NEAR}_", f"ptr {LAST}_",
            *(f"{kind} {name}_" for name, kind in self.moving.items()), *(f"i64 {name}step" for name in self.moving),
        ])  # fmt: skip
        self.turns = self._turns()
        self.scratch = (self.slots.count * self.blocks + self.local) * self.align

    @property
    def saves(self) -> bool:
        """Whether enough segments do read the same, and all have registers for their pointers."""
        return self.length <= (1 - SAVED) * sum(len(p.steps) for p in self.parts) and self.pointers <= POINTERS

    @property
    def length(self) -> int:
        """See `Module`."""
        return sum(len(self.parts[k].steps) for k in {call.index for call in self.turns})

    def _turns(self) -> list[Turns]:
        """Calls of segments in order; those that read the same are one, and written once."""
        known, calls = dict[tuple[str, ...], int](), list[Turns]()
        for k, part in enumerate(self.parts):
            self.column_in = min((step.load[1] for step in part.steps if step.load), default=0)
            self.column_out = min((start for _, start in self.slots.stores[k]), default=0)
            first = len(self.own)
            define, *lines = self.segment(k, part)
            index = known.setdefault(tuple(lines), k)
            if index == k:
                self.text += [define, *lines]
            columns = (column * self.dtype.itemsize for column in (self.column_in, self.column_out))
            far = (slot * self.blocks * self.align for slot in self.slots.first(k))
            own = first * (self.align if self.here else self.dtype.itemsize)
            moving = np.array([*far, own, *columns, sum(self.loading[:k])])
            if not (calls and calls[-1].followed(index, moving)):
                calls.append(Turns(index, k % 2, moving))
        return calls

    def allocated(self) -> Slots:
        """See `Module`."""
        return laid_out(self.tape, self.parts)

    def _blocks(self) -> int:
        return 2  # a block that is alone is computed twice

    def vector(self) -> Vector:
        """See `Module`."""
        return Vector(self.dtype, self.lanes, halves=True)

    def values(self, v: Vector, places: Places) -> Values:
        """See `Module`."""
        given = super().values(v, places)
        return given if self.here else Numbered(self.tape, v, given.fetch, places.name, places.numbers[OWN])

    def segment(self, index: int, part: Segment) -> list[str]:
        """See `Module`: the blocks one after the other, in every turn."""
        v, numbers = self.vector(), dict[str, int]()
        tables = {OWN: numbers, f"@{self.prefix}_numbers": self.numbers}
        slots = self.slots.places(index, self.blocks * self.align)
        pointers = sorted({pointer for pointer, _ in slots.values()})
        for block in range(self.blocks):
            self.row = f"%row{block}"
            if block and self.loading[index]:
                self._fetch(v)
            here = {row: (pointer, at + block * self.align) for row, (pointer, at) in slots.items()}
            places = Places(v, here, pointers, tables, f"block{block}_", self.stretches)
            self.body(v, index, part, places)
            self.local, self.pointers = max(self.local, places.count), max(self.pointers, len(places.pointers))
        self.own += numbers
        return self._loop(index, v)

    @property
    def lines(self) -> list[int]:
        """The share of each turn that loads rows in those of the next unit, by array; shorter turns have no time."""
        turns = sum(self.loading)
        return [-(-size * self.blocks * self.lanes // (LINE * turns)) for size in self.row_bytes]

    def _fetch(self, v: Vector) -> None:
        for array, lines in enumerate(self.lines):
            first = v.byte_offset(v.entry("%coming", array), v.emit(f"mul i64 %loads, {lines * LINE}"))
            for k in range(lines):
                v.fetch(v.byte_offset(first, k * LINE))

    def rows_of(self, v: Vector, index: int) -> tuple[str, str]:
        """See `Module`."""
        pointer, stride = v.byte_offset(v.entry("%ins", index), "%column"), v.entry("%strides", index, "i64")
        return v.byte_offset(pointer, v.emit(f"mul i64 {stride}, {self.row}")), stride

    def results_of(self, v: Vector, index: int) -> str:
        """See `Module`."""
        rows = v.emit(f"mul i64 {self.row}, {self.tape.outputs[index].size}")
        return v.byte_offset(v.offset(v.entry("%outs", index), rows), "%out")

    def _loop(self, index: int, v: Vector) -> list[str]:
        """A function that takes turns: `near` and `last` change places, other pointers move on."""
        moved = {"ptr": "getelementptr i8, ptr {0}, i64 {0}", "i64": "add i64 {0}, {0}"}
        return [
            self.define(f"segment{index}", self.parameters), "entry:", *v.head, "%row0 = add i64 0, 0",
            "%two = icmp eq i64 %nb, 2", f"%row1 = select i1 %two, i64 {self.lanes}, i64 0",
            "br label %loop", "loop:", "%turn = phi i64 [0, %entry], [%turn2, %next]",
            *(f"{a} = phi ptr [{a}_, %entry], [{b}, %next]" for a, b in ((NEAR, LAST), (LAST, NEAR))),
            *(f"{a} = phi {kind} [{a}_, %entry], [{a}2, %next]" for a, kind in self.moving.items()),
            HIDDEN, *v.lines, "br label %next", "next:",
            *(f"{a}2 = {moved[kind].format(a)}step" for a, kind in self.moving.items()),
            "%turn2 = add i64 %turn, 1", "%more = icmp slt i64 %turn2, %turns",
            "br i1 %more, label %loop, label %done", "done:", "ret void", "}",
        ]  # fmt: skip

    def written(self) -> tuple[list[str], list[str]]:
        """See `Module`."""
        return self.text, [line for k, call in enumerate(self.turns) for line in self._call(k, call)]

    @property
    def times(self) -> dict[str, float]:
        """See `Module`: all blocks are in one text."""
        found = dict.fromkeys((f"segment{call.index}" for call in self.turns), 0.0)
        for call in self.turns:
            found[f"segment{call.index}"] += call.times / self.blocks
        return found

    def _call(self, k: int, call: Turns) -> list[str]:
        near, local = self.slots.width * self.blocks * self.align, self.local * self.align
        legs = len(self.slots.pointers)
        far, own, columns = call.first[:legs], call.first[legs], call.first[legs + 1 :]
        given = [
            ("%S", 2 * near), ("%S", call.phase * near), ("%S", (1 - call.phase) * near),
            *(("%S", 2 * near + local + at) for at in far), (f"@{self.prefix}_own", own),
        ]  # fmt: skip
        pointers = ", ".join(f"ptr %p{k}_{i}" for i in range(len(given)))
        numbers = ", ".join(f"i64 {x}" for x in (*columns, *call.step))
        return [
            *(f"%p{k}_{i} = getelementptr i8, ptr {base}, i64 {at}" for i, (base, at) in enumerate(given)),
            f"call void @{self.prefix}_segment{call.index}"
            f"({PARAMETERS}, i64 {call.times}, {pointers}, {numbers})",
        ]

    def tables(self) -> list[str]:
        """See `Module`."""
        return [*super().tables(), self.table("own", self.own)]


@dataclass
class Turns:
    """Calls of one segment, one behind the other, with pointers that move on by equal steps."""

    index: int
    phase: int  # which of the two places for the next segment is `near`
    first: np.ndarray
    step: np.ndarray = field(init=False)
    times: int = 1

    def __post_init__(self) -> None:
        self.step = np.zeros_like(self.first)

    def followed(self, index: int, moving: np.ndarray) -> bool:
        """Whether a segment is one more turn; then it is counted."""
        step = moving - self.first if self.times == 1 else self.step
        same = index == self.index and np.array_equal(moving, self.first + self.times * step)
        if same:
            self.step, self.times = step, self.times + 1
        return same
