"""Segments in stretches: arithmetic and the fast path of sines written here, as instructions, and the rest by LLVM.

From stretch to stretch values go through memory, where instructions read them as cheaply as in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from steiner.backends.llvm import elementary, x86
from steiner.backends.llvm.schedule import Segment, Step
from steiner.backends.llvm.vector import Vector
from steiner.trace import Op, Tape, operand_rows, row_of

# who writes a stretch: sums, products and quotients x86.py; sines x86.py, with LLVM for far angles; anything else LLVM
PLAIN, ANGLES, OTHER = "plain", "angles", "other"
FAR = -1  # beside the rows of a tape: the bits that say whether any angle is too far for the fast path


class Places:
    """Where the values of a segment wait in memory: in slots, or, if no other segment needs them, on the stack.

    Writes instructions that read and fill these places.  `slots` has a pointer and the bytes from there on by row;
    `numbers` collects constants by their bits, of arithmetic and of sines, by the table where they will stand; `name`
    keeps labels apart, `written` has the texts of stretches that may come again.
    """

    def __init__(
        self, v: Vector, slots: dict[int, tuple[str, int]], pointers: Sequence[str],
        numbers: dict[str, dict[str, int]], name: str = "", written: dict[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        self.v, self.slots, self.numbers, self.name = v, slots, numbers, name
        self.written = {} if written is None else written
        self.pointers = [*dict.fromkeys((*pointers, *numbers)), "%local"]
        self.size = v.lanes * v.bytes
        self.local: dict[int, int] = {}
        self.count = 0  # vectors on the stack
        self._repairs = 0

    def add(self, row: int) -> None:
        """A place for a row that has none."""
        if not self.has(row):
            self.local[row] = self.count
            self.count += 1

    def has(self, row: int) -> bool:
        """Whether a value waits in memory."""
        return row in self.slots or row in self.local

    def pointer(self, row: int) -> str:
        """Its place, for LLVM."""
        if row in self.local:
            return self.v.byte_offset("%local", self.local[row] * self.size)
        return self.v.byte_offset(*self.slots[row])

    def _address(self, x: int | str, table: str) -> str | None:
        """Its place, for an instruction."""
        if isinstance(x, str):
            numbers = self.numbers[table]
            return self._from(table, numbers.setdefault(x, len(numbers)) * self.size)
        if x in self.local:
            return self._from("%local", self.local[x] * self.size)
        return self._from(*self.slots[x]) if x in self.slots else None

    def _from(self, pointer: str, distance: int) -> str:
        return f"{distance}(${self.pointers.index(pointer)})"

    def arithmetic(self, tape: Tape, steps: list[Step]) -> None:
        """A stretch of sums, products and quotients."""

        def number(k: int, negated: bool) -> int | str:
            op, *values = tape.rows[k]
            return x86.bits(-values[0] if negated else values[0], self.v.double) if op == Op.CONSTANT else k

        operations = [x86.operation(tape.rows[k], k, number) for step in steps for k in step.rows]
        self._write(operations, next(iter(self.numbers)), x86.WINDOW)

    def sines(self, tape: Tape, step: Step) -> None:
        """Sines and cosines of several angles: the fast path, and a branch that mends what it cannot."""
        r = x86.Recorder(self.v.double, len(tape.rows))
        found = {a: elementary.fast_sincos(r, a) for a in step.angles}
        far = [bits for *_, bits in found.values()]
        while len(far) > 1:
            far.append(r.int_op("or", far.pop(0), far.pop(0)))
        names, mended = {far[0]: FAR}, {a: list[tuple[str, str]]() for a in step.angles}
        self.add(FAR)
        for k in step.rows:
            op, angle = tape.rows[k]
            if self.has(k):
                names[found[row_of(angle)][op == Op.COS]] = k
                mended[row_of(angle)].append((Op(op).name.lower(), self.pointer(k)))
        named = [replace(o, result=names.get(o.result, o.result)) for o in r.operations]
        self._write(x86.useful(named, {*names.values()}), next(reversed(self.numbers)), x86.WINDOW_OF_SINES)
        self._repairs += 1
        places = [(self.pointer(a), mended[a]) for a in step.angles]
        label = f"{self.name}far{self._repairs}_"
        elementary.repair(self.v, self.v.bits(self.v.load(self.pointer(FAR))), places, label)

    def _write(self, operations: list[x86.Operation], table: str, window: int) -> None:
        values: dict[int | str, int] = {}  # in the order in which they are named: all that a text depends on
        shape = tuple(
            (o.name, *(values.setdefault(x, len(values)) for x in (o.result, *o.operands))) for o in operations
        )
        numbers = self.numbers[table]
        known = len(numbers)
        places = tuple(numbers.get(x) if isinstance(x, str) else self._address(x, table) for x in values)
        key = shape, places, window, self.count, known, len(self.pointers)
        if key in self.written:
            text, spills, new = self.written[key]
            named = list(values)
            for k in new:
                numbers[str(named[k])] = len(numbers)
        else:
            text, spills = self._text(operations, table, window)
            self.written[key] = text, spills, [values[x] for x in [*numbers][known:]]
        self.count += spills
        operands = ", ".join(f"ptr {p if p != '%local' or self.count else 'null'}" for p in self.pointers)
        self.v.do(f"call void asm sideeffect {text}({operands})")

    def _text(self, operations: list[x86.Operation], table: str, window: int) -> tuple[str, int]:
        first, width = self.count, "y" if self.size == 32 else "x"
        writer = x86.Writer(
            x86.ordered(operations, window), width, self.v.double,
            lambda x: self._address(x, table), lambda k: self._from("%local", (first + k) * self.size),
        )  # fmt: skip
        text, given = "\\0A".join(writer.run()), "r," * len(self.pointers)
        return f'"{text}", "{given}{writer.clobbered},~{{memory}}"', writer.spills


def stretches(tape: Tape, part: Segment, leaving: set[int], places: Places) -> list[tuple[str, list[Step]]]:
    """A segment in stretches; what one needs of another, or leaves after the last, gets its place."""

    def kind(step: Step) -> tuple[str, tuple[int, ...]]:
        if step.angles:
            return ANGLES, step.angles  # each of its own
        return (OTHER if step.load or not x86.writes(tape.rows[step.rows[0]][0]) else PLAIN), ()

    result = [(key, list(steps)) for (key, _), steps in groupby(part.steps, kind)]
    home = {row: k for k, (_, steps) in enumerate(result) for step in steps for row in step.rows}
    for k, (_, steps) in enumerate(result):
        for step in steps:
            for row in step.rows:
                for operand in operand_rows(tape.rows[row]):
                    if home.get(operand, k) != k:
                        places.add(operand)
    for row in sorted(home.keys() & leaving):
        places.add(row)
    return result
