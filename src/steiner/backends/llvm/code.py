"""From a tape to LLVM text: the block, its segments, and the driver that walks over a batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from steiner.backends.llvm import elementary, engine
from steiner.backends.llvm.fuse import FMA, fused
from steiner.backends.llvm.schedule import TRIG, Segment, Slots, Step, allocate, segments
from steiner.backends.llvm.stretches import ANGLES, OTHER, PLAIN, Places, stretches
from steiner.backends.llvm.vector import Vector
from steiner.trace import Op, Tape, is_negated, row_of

# blocks of W samples that a segmented kernel keeps in flight, and the bytes of their waiting values and results: with
# AVX-512 well within the first-level cache; with 16 registers more waits, and code that exceeds its own cache is read
# for every turn of the loop over blocks: in half of the second-level one, and not a power of two, which few lines share
WIDE, BLOCKS, CACHE_BYTES = 64, {True: 4, False: 7}, 24 << 10
LINE = 64  # bytes
BLOCKS_WRITING = 4  # of a kernel that writes more than it reads, and needs the first-level cache for what it writes
ARITHMETIC = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
PARAMETERS = "ptr %ins, ptr %strides, ptr %outs, ptr %S, i64 %nb, ptr %coming"


class Values:
    """The values of one stretch of code: computed here, or loaded from where they wait."""

    def __init__(self, tape: Tape, v: Vector, fetch: Any, name: str = "") -> None:
        self.tape, self.v, self.fetch, self.name = tape, v, fetch, name
        self.known: dict[int, str] = {}
        self._negated: dict[int, str] = {}
        self._branches = 0

    def row(self, k: int) -> str:
        """The value of a row."""
        op, *values = self.tape.rows[k]
        if op == Op.CONSTANT:
            return self.number(values[0])
        if k not in self.known:
            self.known[k] = self.fetch(k)
        return self.known[k]

    def number(self, value: float) -> str:
        """A constant."""
        return self.v.constant(value)

    def reference(self, x: int) -> str:
        """The value of a signed reference."""
        k = row_of(x)
        if not is_negated(x):
            return self.row(k)
        row = self.tape.rows[k]
        if row[0] == Op.CONSTANT:
            return self.number(-row[1])
        if k not in self._negated:
            self._negated[k] = self.v.negated(self.row(k))
        return self._negated[k]

    def forget(self) -> None:
        """What is used from here on is read from memory."""
        self.known.clear()
        self._negated.clear()

    def element(self, x: int | float) -> str:
        """The value of an output's element."""
        return self.v.constant(x) if isinstance(x, float) else self.reference(x)

    def compute(self, step: Step) -> None:
        """Emit one step."""
        if step.angles:
            self._branches += 1
            angles = [self.row(a) for a in step.angles]
            if engine.fuses():
                pairs = elementary.sincos(self.v, angles, f"{self.name}trig{self._branches}_")
            else:
                pairs = [tuple(elementary.by_lanes(self.v, name, x) for name in ("sin", "cos")) for x in angles]
            both = dict(zip(step.angles, pairs, strict=True))
            for k in step.rows:
                op, angle = self.tape.rows[k]
                self.known[k] = both[row_of(angle)][op == Op.COS]
            return
        (k,) = step.rows
        self.known[k] = self._operation(*self.tape.rows[k])

    def _operation(self, op: Op, *operands: int) -> str:
        v = self.v
        if op in ARITHMETIC:
            return v.arithmetic(ARITHMETIC[op], self.row(operands[0]), self.row(operands[1]))
        values = [self.reference(x) for x in operands]
        if op == FMA:
            return v.multiply_add(*values)
        if op == Op.SQRT:
            return v.intrinsic("sqrt", values[0])
        if op == Op.ABS:
            return v.intrinsic("fabs", values[0])
        if op == Op.SIGN:
            return elementary.sign(v, values[0])
        if op == Op.SELECT:
            return elementary.select(v, values[0], values[1], values[2])
        if not engine.fuses():
            return elementary.by_lanes(v, "exp" if op == Op.EXP else "tanh", values[0])
        return elementary.exp(v, values[0]) if op == Op.EXP else elementary.tanh(v, values[0])


class Module:
    """The LLVM module of a tape for vectors of W lanes; `prefix` keeps several apart.

    With `columns` every input is one column without gaps, of as many rows as the batch.  A tape given in `parts` is a
    fused one.
    """

    parameters = PARAMETERS  # of segments

    def __init__(
        self, tape: Tape, dtype: np.dtype, lanes: int, prefix: str = "kernel", columns: bool = False,
        parts: Sequence[Segment] = (),
    ) -> None:  # fmt: skip
        self.tape = tape if parts else fused(tape)
        self.dtype, self.lanes, self.prefix, self.columns = dtype, lanes, prefix, columns
        written = engine.writes_instructions(lanes * dtype.itemsize)
        # instructions written here read memory as cheaply as registers, and a load among them would part a stretch
        late = lanes > 1 and not written
        self.parts = list(parts) or segments(self.tape, *(engine.ONE_SAMPLE if lanes == 1 else ()), late=late)
        self.segmented = len(self.parts) > 1
        self.slots = self.allocated() if self.segmented else Slots({}, 0, [])
        self.blocks = self._blocks() if self.segmented and lanes > 1 else 1
        self.here = self.segmented and written
        self.numbers: dict[str, int] = {}
        self.column_in = self.column_out = 0  # from which a segment counts those that it loads and stores
        self.scratch = self.slots.count * self.blocks * self.lanes * dtype.itemsize

    def allocated(self) -> Slots:
        """Where values wait from segment to segment."""
        return allocate(self.tape, self.parts)

    def _blocks(self) -> int:
        """As many blocks as fit; two at least, to have work while one waits, but lines half written must not leave."""
        read = sum(size for _name, size in self.tape.inputs)
        written = sum(output.size for output in self.tape.outputs)
        wide = self.align >= WIDE
        most = CACHE_BYTES if wide or written > read else engine.second_cache() // 2
        room = most // max((self.slots.count + written) * self.align, 1)
        if written > read:
            return min(BLOCKS_WRITING, max(room, 1))
        return min(BLOCKS[wide], max(room, 2))

    def vector(self) -> Vector:
        """A fresh emitter."""
        return Vector(self.dtype, self.lanes)

    # ---- the block ---------------------------------------------------------------------------

    def straight(self) -> list[str]:
        """One block of W samples: load, compute, store."""
        v = self.vector()
        values = Values(self.tape, v, self._absent)
        self._compute(v, values, self.parts[0])
        for index, output in enumerate(self.tape.outputs):
            if output.size:
                pointer = v.entry("%outs", index)
                v.store_columns(pointer, [values.element(x) for x in output.elements])
        return [self.define("unit", PARAMETERS), "entry:", *v.head, *v.lines, "ret void", "}"]

    def define(self, name: str, parameters: str) -> str:
        """The head of a function."""
        # values that registers cannot hold do not straddle cache lines, and code starts at one wherever it is loaded
        aligned = f"alignstack({max(self.align, 16)}) #0 align 64"
        return f"define internal void @{self.prefix}_{name}({parameters}) noinline nounwind {aligned} {{"

    def _absent(self, k: int) -> str:
        raise AssertionError(f"row {k} is used before it is computed")

    def _compute(self, v: Vector, values: Values, part: Segment) -> None:
        for step in part.steps:
            if step.load:
                index, start = step.load
                pointer, stride = self.rows_of(v, index)
                size = self.tape.inputs[index][1]
                first = self.column_in
                columns = {0: v.load(pointer)} if self.columns else v.load_group(pointer, stride, size, start - first)
                values.known.update((k, columns[self.tape.rows[k][2] - first]) for k in step.rows)
            else:
                values.compute(step)

    def rows_of(self, v: Vector, index: int) -> tuple[str, str]:
        """Pointer to the first row of this block of an input, and the bytes to the next row."""
        pointer, stride = v.entry("%ins", index), v.entry("%strides", index, "i64")
        if self.segmented:
            step = v.emit(f"mul i64 {stride}, {self.lanes}")
            pointer = v.byte_offset(pointer, v.emit(f"mul i64 {step}, %b"))
        return pointer, stride

    @property
    def align(self) -> int:
        """Bytes of one vector, which is the alignment of scratch memory."""
        return self.lanes * self.dtype.itemsize

    def segment(self, index: int, part: Segment) -> list[str]:
        """Segmented kernels: compute some steps for all blocks, store the outputs that are complete."""
        v = self.vector()
        places = self.places(v, index)
        self.body(v, index, part, places)
        for array, first in self.share(index):
            line = v.emit(f"mul i64 %b, {LINE}")
            place = v.byte_offset(v.entry("%coming", array), v.emit(f"add i64 {line}, {first}"))
            v.fetch(place)
        return self.loop(index, v, places)

    def body(self, v: Vector, index: int, part: Segment, places: Places) -> None:
        """What a segment does for one block."""
        values = self.values(v, places)
        leaving = {
            row_of(x) for k, start in self.slots.stores[index]
            for x in self.tape.outputs[k].elements[start : start + 4] if isinstance(x, int)
        }  # fmt: skip
        for kind, steps in stretches(self.tape, part, leaving, places) if self.here else [(OTHER, part.steps)]:
            if kind == PLAIN:
                places.arithmetic(self.tape, steps)
            elif kind == ANGLES:
                places.sines(self.tape, steps[0])
            else:
                self._stretch(v, values, steps, places)
        for k, start in self.slots.stores[index]:
            self._store_group(v, values, k, start)

    def values(self, v: Vector, places: Places) -> Values:
        """The values of a segment and block."""
        return Values(self.tape, v, lambda k: v.load(places.pointer(k), self.align), places.name)

    def places(self, v: Vector, index: int) -> Places:
        """Where a segment finds what waits, and its numbers."""
        slots = self.slots.places(index, self.blocks * self.align)
        return Places(v, slots, ("%Sb",), {f"@{self.prefix}_numbers": self.numbers})

    def _stretch(self, v: Vector, values: Values, steps: list[Step], places: Places) -> None:
        for step in steps:
            self._compute(v, values, Segment([step]))
            for row in step.rows:  # at once: at the end it would have been spilled, and be loaded only to be stored
                if places.has(row):
                    v.store(values.row(row), places.pointer(row), self.align)
        if self.here:
            values.forget()

    def _store_group(self, v: Vector, values: Values, index: int, start: int) -> None:
        columns = [values.element(x) for x in self.tape.outputs[index].elements[start : start + 4]]
        v.store_group(self.results_of(v, index), self.tape.outputs[index].size, start - self.column_out, columns)

    def results_of(self, v: Vector, index: int) -> str:
        """Pointer to the first row of this block of an output."""
        return v.offset(v.entry("%outs", index), v.emit(f"mul i64 %b, {self.lanes * self.tape.outputs[index].size}"))

    def loop(self, index: int, v: Vector, places: Places) -> list[str]:
        """The function of a segment: its code for the blocks 0 … nb−1."""
        local, where = places.count, self.align
        return [
            self.define(f"segment{index}", self.parameters),
            "entry:", *([f"%local = alloca [{local} x {v.type}], align {where}"] if local else []),
            *v.head, "br label %loop", "loop:", "%b = phi i64 [0, %entry], [%b2, %next]",
            f"%at = mul i64 %b, {where}", "%Sb = getelementptr i8, ptr %S, i64 %at",
            *v.lines,
            "br label %next", "next:", "%b2 = add i64 %b, 1", "%more = icmp slt i64 %b2, %nb",
            "br i1 %more, label %loop, label %done", "done:", "ret void", "}",
        ]  # fmt: skip

    def unit(self) -> list[str]:
        """The code for up to `blocks` blocks."""
        if not self.segmented:
            return self.straight()
        segments, calls = self.written()
        return [*segments, self.define("unit", PARAMETERS), *calls, "ret void", "}", *self.tables()]

    def written(self) -> tuple[list[str], list[str]]:
        """The segments, and their calls."""
        text = [line for index, part in enumerate(self.parts) for line in self.segment(index, part)]
        return text, [f"call void @{self.prefix}_segment{k}({PARAMETERS})" for k in range(len(self.parts))]

    @property
    def length(self) -> int:
        """Rows that are written."""
        return self.tape.length

    @property
    def times(self) -> dict[str, float]:
        """How often functions run for a block, where not once."""
        return {}

    def tables(self) -> list[str]:
        """The constants that instructions written here read."""
        return [self.table("numbers", self.numbers)] if self.here else []

    def table(self, name: str, numbers: Collection[str]) -> str:
        """Constants by their bits; one at least, for the table's address is given in any case."""
        v, some = self.vector(), numbers or ["0"]
        kind = v.int_type if self.here else v.integer  # LLVM reads a single number into every lane
        items = ", ".join(f"{kind} splat ({v.integer} {bits})" if self.here else f"{kind} {bits}" for bits in some)
        return f"@{self.prefix}_{name} = internal constant [{len(some)} x {kind}] [{items}], align 64"

    @property
    def row_bytes(self) -> list[int]:
        """Bytes of a row of every input and output."""
        sizes = [size for _name, size in self.tape.inputs] + [output.size for output in self.tape.outputs]
        return [size * self.dtype.itemsize for size in sizes]

    def share(self, k: int) -> list[tuple[int, int]]:
        """What segment k fetches for the next unit, a line with every block: array, and byte of the first line."""
        if self.lanes == 1:
            return []
        runs = [
            (a, first)
            for a, size in enumerate(self.row_bytes)
            for first in range(0, size * self.blocks * self.lanes, self.blocks * LINE)
        ]
        lo, hi = (len(runs) * j // len(self.parts) for j in (k, k + 1))
        return runs[lo:hi]


def declarations(module: Module) -> list[str]:
    """What the code calls: intrinsics, and libm functions that are bound when it is loaded."""
    ops = {row[0] for row in module.tape.rows}
    names = ["sin", "cos"] if ops & {*TRIG} else []
    names += [Op(op).name.lower() for op in (Op.EXP, Op.TANH) if op in ops and not engine.fuses()]
    text = elementary.libm_functions(module.vector(), names)
    for lanes in (module.lanes, elementary.ABREAST)[: 2 if module.lanes == 1 else 1]:
        v = Vector(module.dtype, lanes)
        T = v.type
        text += [f"declare {T} @llvm.{name}.{v.suffix}({T}, {T}, {T})" for name in ("fma", "fmuladd")]
        text += [f"declare {T} @llvm.{name}.{v.suffix}({T})" for name in ("sqrt", "fabs")]
        text.append(f"declare {T} @llvm.copysign.{v.suffix}({T}, {T})")
        if lanes > 1:
            text.append(f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)")
            text += elementary.lane_functions(v, names)
    return text
