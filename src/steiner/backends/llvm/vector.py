"""LLVM text for vectors: each value is W samples, one per lane.

Rows of a batch are loaded four columns at a time and transposed in registers, so arrays stay in
their natural row-major layout; there are no gathers and no masks.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import count

import numpy as np


class Vector:
    """Emits instructions on vectors of W lanes of float64 or float32; W = 1 is scalar code."""

    def __init__(self, dtype: np.dtype, lanes: int, halves: bool = False) -> None:
        self.dtype, self.lanes = dtype, lanes
        self.halves = halves and lanes == 4 and dtype == np.float64  # of rows are loaded, which lie within lines
        self.double = dtype == np.float64
        self.bytes = dtype.itemsize
        self.element = "double" if self.double else "float"
        self.integer = "i64" if self.double else "i32"
        self.type = self._wide(self.element)
        self.int_type = self._wide(self.integer)
        self.bool_type = self._wide("i1")
        self.suffix = ("" if lanes == 1 else f"v{lanes}") + ("f64" if self.double else "f32")
        self.lines: list[str] = []
        self.head: list[str] = []  # what comes before them, once
        self._numbers = count(1)

    def _wide(self, element: str) -> str:
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    def widened(self, lanes: int) -> Vector:
        """An emitter of vectors of so many lanes into the same code."""
        other = Vector(self.dtype, lanes)
        other.lines, other._numbers = self.lines, self._numbers
        return other

    # ---- one instruction at a time -----------------------------------------------------------

    def emit(self, text: str) -> str:
        """An instruction; returns the name of its value."""
        name = f"%t{next(self._numbers)}"
        self.lines.append(f"{name} = {text}")
        return name

    def entry(self, table: str, index: int, kind: str = "ptr") -> str:
        """An entry of a table, read before everything else."""
        name, where = f"{table}{index}", f"{table}{index}at"
        found = f"{name} = load {kind}, ptr {where}"
        if found not in self.head:
            self.head += [f"{where} = getelementptr {kind}, ptr {table}, i64 {index}", found]
        return name

    def do(self, *texts: str) -> None:
        """Instructions without a value."""
        self.lines += texts

    def constant(self, value: float) -> str:
        """A number in every lane."""
        if not self.double:
            value = float(np.float32(value))
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return bits if self.lanes == 1 else f"splat ({self.element} {bits})"

    def int_constant(self, value: int) -> str:
        """An integer in every lane."""
        return str(value) if self.lanes == 1 else f"splat ({self.integer} {value})"

    def arithmetic(self, op: str, a: str, b: str) -> str:
        """fadd, fsub, fmul or fdiv, rounded each: what is fused is decided in fuse.py, so widths give equal bits."""
        return self.emit(f"{op} {self.type} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once."""
        T = self.type
        return self.emit(f"call {T} @llvm.fma.{self.suffix}({T} {a}, {T} {b}, {T} {c})")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once where the processor can."""
        T = self.type
        return self.emit(f"call {T} @llvm.fmuladd.{self.suffix}({T} {a}, {T} {b}, {T} {c})")

    def intrinsic(self, name: str, a: str) -> str:
        """A one-argument intrinsic such as sqrt or fabs."""
        return self.emit(f"call {self.type} @llvm.{name}.{self.suffix}({self.type} {a})")

    def negated(self, a: str) -> str:
        """−a."""
        return self.emit(f"fneg {self.type} {a}")

    def copysign(self, a: str, b: str) -> str:
        """|a| with the sign of b."""
        T = self.type
        return self.emit(f"call {T} @llvm.copysign.{self.suffix}({T} {a}, {T} {b})")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A lane-wise comparison."""
        return self.emit(f"fcmp {predicate} {self.type} {a}, {b}")

    def int_compare(self, predicate: str, a: str, b: str) -> str:
        """A lane-wise comparison of integers."""
        return self.emit(f"icmp {predicate} {self.int_type} {a}, {b}")

    def chosen(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, else b."""
        return self.emit(f"select {self.bool_type} {condition}, {self.type} {a}, {self.type} {b}")

    def bits(self, a: str) -> str:
        """The bit pattern of a."""
        return self.emit(f"bitcast {self.type} {a} to {self.int_type}")

    def from_bits(self, a: str) -> str:
        """The number with this bit pattern."""
        return self.emit(f"bitcast {self.int_type} {a} to {self.type}")

    def odd(self, a: str) -> str:
        """Whether an integer's last bit is set."""
        return self.emit(f"trunc {self.int_type} {a} to {self.bool_type}")

    def int_op(self, op: str, a: str, b: str) -> str:
        """An integer operation."""
        return self.emit(f"{op} {self.int_type} {a}, {b}")

    def any(self, condition: str) -> str:
        """Whether the condition holds in any lane."""
        if self.lanes == 1:
            return condition
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({self.bool_type} {condition})")

    def offset(self, pointer: str, count: int | str) -> str:
        """Pointer to the element `count` places on."""
        return pointer if count == 0 else self.emit(f"getelementptr {self.element}, ptr {pointer}, i64 {count}")

    def byte_offset(self, pointer: str, count: int | str) -> str:
        """Pointer `count` bytes on."""
        return pointer if count == 0 else self.emit(f"getelementptr i8, ptr {pointer}, i64 {count}")

    def load(self, pointer: str, align: int | None = None) -> str:
        """All lanes from adjacent memory."""
        return self.emit(f"load {self.type}, ptr {pointer}, align {align or self.bytes}")

    def store(self, value: str, pointer: str, align: int | None = None) -> None:
        """All lanes to adjacent memory."""
        self.do(f"store {self.type} {value}, ptr {pointer}, align {align or self.bytes}")

    def fetch(self, pointer: str) -> None:
        """The line of memory that a pointer points into, for later; one that nobody has does no harm."""
        self.do(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    # ---- rows to lanes and back --------------------------------------------------------------

    def _shuffled(self, a: str, b: str, order: Sequence[int], lanes: int | None = None) -> str:
        n = lanes or self.lanes
        T = f"<{n} x {self.element}>"
        mask = ", ".join(f"i32 {k}" for k in order)
        return self.emit(f"shufflevector {T} {a}, {T} {b}, <{len(order)} x i32> <{mask}>")

    def _transposed(self, t: Sequence[str]) -> list[str]:
        """4×4 blocks of the four vectors, transposed."""
        W = self.lanes

        def pattern(four: Sequence[int]) -> list[int]:
            return [(k if k < 4 else k - 4 + W) + base for base in range(0, W, 4) for k in four]

        if self.double:
            even, odd = pattern([0, 4, 2, 6]), pattern([1, 5, 3, 7])
            low, high = pattern([0, 1, 4, 5]), pattern([2, 3, 6, 7])
            a, b = self._shuffled(t[0], t[1], even), self._shuffled(t[0], t[1], odd)
            c, d = self._shuffled(t[2], t[3], even), self._shuffled(t[2], t[3], odd)
            return [
                self._shuffled(a, c, low), self._shuffled(b, d, low),
                self._shuffled(a, c, high), self._shuffled(b, d, high),
            ]  # fmt: skip
        first, second = pattern([0, 4, 1, 5]), pattern([2, 6, 3, 7])
        low, high = pattern([0, 1, 4, 5]), pattern([2, 3, 6, 7])
        a, b = self._shuffled(t[0], t[1], first), self._shuffled(t[0], t[1], second)
        c, d = self._shuffled(t[2], t[3], first), self._shuffled(t[2], t[3], second)
        return [
            self._shuffled(a, c, low), self._shuffled(a, c, high),
            self._shuffled(b, d, low), self._shuffled(b, d, high),
        ]  # fmt: skip

    def load_group(self, pointer: str, stride: str, size: int, start: int) -> dict[int, str]:
        """Up to four columns from `start` on, of W rows of `size` elements that are `stride` bytes apart."""
        rows = [pointer]
        for _ in range(1, self.lanes):
            rows.append(self.byte_offset(rows[-1], stride))
        columns = range(start, min(start + 4, size))
        if self.lanes < 4 or size < 4:
            return {j: self._gathered(rows, j) for j in columns}
        if self.halves:
            return dict(zip(columns, self._turned_while_loaded(rows, start), strict=True))
        four = []
        for i in range(4):
            parts = [
                self.emit(f"load <4 x {self.element}>, ptr {self.offset(rows[k], start)}, align {self.bytes}")
                for k in range(i, self.lanes, 4)
            ]
            width = 4
            while len(parts) > 1:
                joined = list(range(2 * width))
                parts = [self._shuffled(*parts[k : k + 2], joined, width) for k in range(0, len(parts), 2)]
                width *= 2
            four.append(parts[0])
        return dict(zip(columns, self._transposed(four), strict=True))

    def _turned_while_loaded(self, rows: Sequence[str], start: int) -> list[str]:
        """Four columns of four rows: halves of rows are put together where they are loaded, not by shuffles."""

        def half(row: int, at: int) -> str:
            return self.emit(f"load <2 x {self.element}>, ptr {self.offset(rows[row], at)}, align {self.bytes}")

        result = []
        for at in (start, start + 2):
            even, odd = (self._shuffled(half(i, at), half(i + 2, at), range(4), 2) for i in (0, 1))
            result += [self._shuffled(even, odd, [0, 4, 2, 6]), self._shuffled(even, odd, [1, 5, 3, 7])]
        return result

    def _gathered(self, rows: Sequence[str], column: int) -> str:
        values = [self.emit(f"load {self.element}, ptr {self.offset(r, column)}, align {self.bytes}") for r in rows]
        return self.packed(values)

    def packed(self, values: Sequence[str]) -> str:
        """A vector of single values, one per lane."""
        if self.lanes == 1:
            return values[0]
        result = "poison"
        for k, value in enumerate(values):
            result = self.emit(f"insertelement {self.type} {result}, {self.element} {value}, i32 {k}")
        return result

    def spread(self, pointer: str) -> str:
        """A single number of memory in every lane."""
        one = self.emit(f"load {self.element}, ptr {pointer}, align {self.bytes}")
        first = self.emit(f"insertelement {self.type} poison, {self.element} {one}, i32 0")
        return self._shuffled(first, first, [0] * self.lanes)

    def lane(self, value: str, k: int) -> str:
        """The single value in a lane."""
        return value if self.lanes == 1 else self.emit(f"extractelement {self.type} {value}, i32 {k}")

    def store_columns(self, pointer: str, columns: Sequence[str]) -> None:
        """W adjacent rows from their columns."""
        size = len(columns)
        for start in group_starts(size):
            self.store_group(pointer, size, start, columns[start : start + 4])

    def store_group(self, pointer: str, size: int, start: int, columns: Sequence[str]) -> None:
        """Up to four columns of W adjacent rows of `size` elements."""
        if size == 1:
            self.store(columns[0], pointer)
        elif self.lanes < 4 or len(columns) < 4:
            for j, column in enumerate(columns, start):
                for k in range(self.lanes):
                    where = self.offset(pointer, k * size + j)
                    self.do(f"store {self.element} {self.lane(column, k)}, ptr {where}, align {self.bytes}")
        else:
            for i, row in enumerate(self._transposed(columns)):
                for part in range(self.lanes // 4):
                    piece = row
                    if self.lanes > 4:
                        piece = self._shuffled(row, row, range(4 * part, 4 * part + 4))
                    where = self.offset(pointer, (i + 4 * part) * size + start)
                    self.do(f"store <4 x {self.element}> {piece}, ptr {where}, align {self.bytes}")


def group_starts(size: int) -> list[int]:
    """First columns of groups of four; the last overlaps; fewer than four columns are one group."""
    if size < 4:
        return [0] if size else []
    return [*range(0, size - 3, 4), *([size - 4] if size % 4 else [])]
