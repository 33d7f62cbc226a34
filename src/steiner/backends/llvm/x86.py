"""Arithmetic as x86 instructions, where 16 registers make LLVM move values more often than it computes with them.

LLVM does not know that a value waits in memory anyway, nor that a number may be read where it is used.  Here operations
are put in an order that keeps few values alive, the value that is needed last leaves its register first (Belady), and
what is in memory is an operand of the instruction that uses it.  The result is the text of one `asm` call among LLVM's
own instructions: loops, arrays, elementary functions and calling conventions stay LLVM's.  Every operation is rounded
as LLVM rounds it, so the bits are the same.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from steiner.backends.llvm.fuse import FMA
from steiner.records import record
from steiner.trace import Op, is_negated, row_of

PLAIN = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.DIV: "div"}
EXCHANGED = ("add", "mul", "xor", "and", "or")  # operands may change places
PRODUCT = 4  # cycles until a result can be used
LATENCY = {"div": 13, "add": 3, "sub": 3, "xor": 1, "and": 1, "or": 1, "blendv": 1}
REGISTERS = 16
SPARE = 3  # registers that the order of operations leaves for operands on their way
WINDOW, WINDOW_OF_SINES = 48, 100  # operations that may be drawn ahead of the oldest one that waits
SOON = 16  # operations within which a value's next use pays for a register
IN_MEMORY = 12  # operations that a value is kept shorter if giving it up needs no store

Value = int | str  # a row, or the bits of a constant


@record
class Operation:
    """A result made of one, two or three operands; the name is the instruction's without what depends on the type."""

    name: str
    result: int
    operands: tuple[Value, ...]


def writes(op: int) -> bool:
    """Whether an operation of a tape is written here."""
    return op in PLAIN or op == FMA


def operation(row: Sequence[int], result: int, number: Callable[[int, bool], Value]) -> Operation:
    """The operation of a row; `number` gives a row's value, or a constant's perhaps negated."""
    op, *operands = row
    if op in PLAIN:
        return Operation(PLAIN[Op(op)], result, tuple(number(k, False) for k in operands))
    assert op == FMA
    a, b, c = operands
    given = [number(row_of(x), is_negated(x)) for x in operands]
    minus, less = ((is_negated(x) and isinstance(v, int)) for x, v in ((a, given[0]), (c, given[2])))
    minus ^= is_negated(b) and isinstance(given[1], int)
    return Operation(("fn" if minus else "f") + ("msub" if less else "madd"), result, tuple(given))


def ordered(operations: Sequence[Operation], window: int = WINDOW) -> list[Operation]:
    """The operations such that few values are alive and long chains come first."""
    count = len(operations)
    place = {o.result: k for k, o in enumerate(operations)}
    users: dict[Value, set[int]] = {}
    before = [{place[x] for x in o.operands if x in place} for o in operations]
    for k, o in enumerate(operations):
        for x in o.operands:
            users.setdefault(x, set()).add(k)
    height = [0] * count
    for k in reversed(range(count)):
        after = max((height[j] for j in users.get(operations[k].result, ())), default=0)
        height[k] = after + LATENCY.get(operations[k].name, PRODUCT)
    left = {x: len(found) for x, found in users.items()}
    alive: set[Value] = set()
    usable = [0.0] * count  # when operands are there, two operations a cycle
    ready = {k for k in range(count) if not before[k]}
    result: list[Operation] = []

    def growth(k: int) -> int:
        o = operations[k]
        return (left.get(o.result, 0) > 0) - sum(x in alive and left[x] == 1 for x in set(o.operands))

    while ready:
        now = len(result) / 2
        near = [k for k in ready if k <= min(ready) + window]
        if len(alive) >= REGISTERS - SPARE:
            k = min(near, key=lambda k: (growth(k), k))
        else:
            k = min([k for k in near if usable[k] <= now] or near, key=lambda k: (growth(k), -height[k], k))
        ready.remove(k)
        o = operations[k]
        result.append(o)
        for x in set(o.operands):
            left[x] -= 1
            if not left[x]:
                alive.discard(x)
        if left.get(o.result):
            alive.add(o.result)
        for j in users.get(o.result, ()):
            usable[j] = max(usable[j], now + LATENCY.get(o.name, PRODUCT))
            before[j].discard(k)
            if not before[j]:
                ready.add(j)
    return result


class Recorder:
    """Writes down operations where `Vector` writes text: a function may be given either.  Values are numbered."""

    def __init__(self, double: bool, first: int) -> None:
        self.double, self.next = double, first
        self.operations: list[Operation] = []
        self.digits = 64 if double else 32

    def _add(self, name: str, *operands: Value) -> int:
        self.operations.append(Operation(name, self.next, operands))
        self.next += 1
        return self.next - 1

    def constant(self, value: float) -> str:
        """The bits of a number."""
        return bits(value, self.double)

    def int_constant(self, value: int) -> str:
        """The bits of an integer."""
        return str(value % 2**self.digits)

    def bits(self, a: Value) -> Value:
        """A register holds either."""
        return a

    from_bits = bits

    def fma(self, a: Value, b: Value, c: Value) -> int:
        """a·b + c, rounded once."""
        return self._add("fmadd", a, b, c)

    def arithmetic(self, op: str, a: Value, b: Value) -> int:
        """fadd, fsub, fmul or fdiv."""
        return self._add(op[1:], a, b)

    def int_op(self, op: str, a: Value, b: Value) -> int:
        """An integer operation."""
        if op == "shl":
            return self._add(f"vpsll{'q' if self.double else 'd'} $${b},", a)
        return self._add(f"vpadd{'q' if self.double else 'd'}" if op == "add" else op, a, b)

    def odd(self, a: Value) -> int:
        """The last bit, where `chosen` looks for it."""
        return self.int_op("shl", a, str(self.digits - 1))

    def chosen(self, condition: Value, a: Value, b: Value) -> int:
        """a where the first bit of the condition is set, else b."""
        return self._add("blendv", b, a, condition)


def bits(value: float, double: bool) -> str:
    """The bits of a number."""
    code, integer = ("d", "Q") if double else ("f", "I")
    return str(struct.unpack(f"<{integer}", struct.pack(f"<{code}", value))[0])


def useful(operations: Sequence[Operation], results: set[int]) -> list[Operation]:
    """The operations that lead to results."""
    needed: set[Value] = {*results}
    for o in reversed(operations):
        if o.result in needed:
            needed.update(o.operands)
    return [o for o in operations if o.result in needed]


class Writer:
    """Writes operations in order, choosing registers.

    `address` says where in memory a value or constant is, or a result has to go; None if nowhere.  What finds no
    register waits in the places that `spilled` has.
    """

    def __init__(
        self, operations: Sequence[Operation], width: str, double: bool, address: Callable[[Value], str | None],
        spilled: Callable[[int], str],
    ) -> None:  # fmt: skip
        self.operations, self.width, self.address, self.spilled = operations, width, address, spilled
        self.lines: list[str] = []
        self.where: dict[Value, int] = {}
        self.free = list(reversed(range(REGISTERS)))
        self.memory: dict[Value, str] = {}
        self.defined = {o.result for o in operations}
        self.uses: dict[Value, list[int]] = {}
        for k, o in reversed(list(enumerate(operations))):
            for x in o.operands:
                self.uses.setdefault(x, []).append(k)
        self.spare: list[int] = []
        self.left: list[int] = []  # places that the present instruction still reads
        self.own: dict[Value, int] = {}
        self.spills = 0
        self.suffix = "pd" if double else "ps"

    def run(self) -> list[str]:
        """The instructions."""
        for k, o in enumerate(self.operations):
            self.spare += self.left
            self.left.clear()
            for x in o.operands:
                again = len(self.uses[x]) > 1 and self.uses[x][-2] - k <= SOON
                if again and x not in self.where and len(self.free) > 1:  # one for the result
                    self._fetched(x, o.operands)
            if o.name == "blendv":
                self._blend(k, o)
            elif len(o.operands) == 3:
                self._multiply_add(k, o)
            elif len(o.operands) == 2:
                self._binary(k, o)
            else:
                self._unary(k, o)
        return self.lines

    @property
    def clobbered(self) -> str:
        """All registers, as LLVM wants to hear it."""
        return ",".join(f"~{{{self.width}mm{k}}}" for k in range(REGISTERS))

    # ---- operands ----------------------------------------------------------------------------

    def _name(self, r: int) -> str:
        return f"%{self.width}mm{r}"

    def _put(self, name: str, *operands: str) -> None:
        self.lines.append(f"{name} {', '.join(operands)}")

    def _home(self, x: Value) -> str | None:
        """Where a value is in memory by now."""
        if x in self.memory:
            return self.memory[x]
        return None if x in self.defined else self.address(x)

    def _operand(self, x: Value) -> str:
        """A value as the last operand of an instruction: its register, or its place in memory."""
        if x in self.where:
            return self._name(self.where[x])
        home = self._home(x)
        assert home is not None
        return home

    def _take(self, kept: Sequence[Value]) -> int:
        """A register; the value in it that is needed last gives it up."""
        if self.free:
            return self.free.pop()

        def distance(x: Value) -> int:
            return self.uses[x][-1] + (IN_MEMORY if self._home(x) else 0)

        last = max((x for x in self.where if x not in kept), key=distance)
        if self._home(last) is None:
            if not self.spare:
                self.spare.append(self.spills)
                self.spills += 1
            self.own[last] = self.spare.pop()
            self.memory[last] = self.spilled(self.own[last])
            self._put(f"vmova{self.suffix}", self._name(self.where[last]), self.memory[last])
        return self.where.pop(last)

    def _fetched(self, x: Value, kept: Sequence[Value]) -> str:
        """A value in a register."""
        if x not in self.where:
            r = self._take(kept)
            self._put(f"vmova{self.suffix}", self._operand(x), self._name(r))
            self.where[x] = r
        return self._name(self.where[x])

    def _used(self, k: int, o: Operation) -> None:
        """Operands that nobody needs any more leave."""
        for x in dict.fromkeys(o.operands):
            while self.uses[x] and self.uses[x][-1] <= k:
                self.uses[x].pop()
            if not self.uses[x]:
                if x in self.where:
                    self.free.append(self.where.pop(x))
                if x in self.own:
                    self.left.append(self.own.pop(x))
                    del self.memory[x]

    def _define(self, o: Operation, r: int) -> None:
        home = self.address(o.result)
        if home is not None:
            self._put(f"vmova{self.suffix}", self._name(r), home)
            self.memory[o.result] = home
        if self.uses.get(o.result):
            self.where[o.result] = r
        else:
            self.free.append(r)

    # ---- operations --------------------------------------------------------------------------

    def _binary(self, k: int, o: Operation) -> None:
        a, b = o.operands
        if o.name in EXCHANGED and a not in self.where and (b in self.where or len(self.uses[a]) < len(self.uses[b])):
            a, b = b, a
        first, second = self._fetched(a, o.operands), self._operand(b)
        self._used(k, o)
        r = self._take(())
        name = o.name if o.name.startswith("vp") else f"v{o.name}{self.suffix}"
        self._put(name, second, first, self._name(r))
        self._define(o, r)

    def _unary(self, k: int, o: Operation) -> None:
        a = self._fetched(o.operands[0], o.operands)
        self._used(k, o)
        r = self._take(())
        self._put(o.name, a, self._name(r))
        self._define(o, r)

    def _blend(self, k: int, o: Operation) -> None:
        a, b, mask = (self._fetched(x, o.operands) for x in o.operands)
        self._used(k, o)
        r = self._take(())
        self._put(f"vblendv{self.suffix}", mask, b, a, self._name(r))
        self._define(o, r)

    def _multiply_add(self, k: int, o: Operation) -> None:
        """One factor or the summand may stay in memory; the result takes the register of an operand that is done."""
        a, b, c = o.operands
        absent = [x for x in dict.fromkeys(o.operands) if x not in self.where]
        absent.sort(key=lambda x: (o.operands.count(x) > 1, len(self.uses[x])))
        left = absent[0] if absent and o.operands.count(absent[0]) == 1 else None
        for x in absent:
            if x != left:
                self._fetched(x, o.operands)
        x, y = (b, a) if a == left else (a, b)  # y may stay in memory

        def done(value: Value) -> bool:
            return value in self.where and self.uses[value][0] <= k

        if done(c):
            form, target, rest = "231", c, (y, x)
        elif done(x):
            form, target, rest = ("132", x, (y, c)) if y == left else ("213", x, (c, y))
        elif done(y):
            form, target, rest = "213", y, (c, x)
        else:  # nobody gives a register up
            form, target, rest = "231", None, (y, x)
        if target is None:
            r = self._take(o.operands)
            self._put(f"vmova{self.suffix}", self._operand(c), self._name(r))
        else:
            r = self.where[target]
        self._put(f"v{o.name}{form}{self.suffix}", *map(self._operand, rest), self._name(r))
        self._used(k, o)
        if target is not None:
            self.free.remove(r)
        self._define(o, r)

