"""Arithmetic that is written as x86 instructions: bit for bit what LLVM makes of the same tape, at every width."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steiner import scalar
from steiner.trace import signed, trace
from tests.random_tapes import random_tape
from tests.widths import WIDTHS, written_here

engine = pytest.importorskip("steiner.backends.llvm.engine")
from steiner.backends import llvm  # noqa: E402
from steiner.backends.llvm import x86  # noqa: E402
from steiner.backends.llvm.fuse import FMA  # noqa: E402


def crowded(seed):
    """Sums and products of values of long ago, more than registers hold, and sines, a few of them of far angles."""
    rng = np.random.default_rng(seed)

    def work(x):
        pool = list(x)
        for _ in range(600):
            reach = min(len(pool), rng.choice([5, 40, 200]))
            a, b, c = (pool[-1 - k] for k in rng.integers(0, reach, 3))
            if rng.random() < 0.05:
                pool.append(scalar.sin(a * (1e9 if rng.random() < 0.3 else 1.0)))
            else:
                some = (a + b, a - b, a * b + c, c - a * b, -a * b - c, a / (2.0 + b * b), a * a - 0.7, c * c + c)
                pool.append(some[rng.integers(0, len(some))] * 0.5)
        return [np.array(pool[::17])]

    return trace(work, [("x", 7)])


def results(tape, dtype, lanes, count=53):
    rng = np.random.default_rng(5)
    inputs = [rng.uniform(-1.5, 1.5, (count, size)).astype(dtype) for _name, size in tape.inputs]
    inputs[0][7, 0], inputs[0][11, 0] = np.nan, np.inf
    outputs = [np.zeros((count, o.size), dtype) for o in tape.outputs]
    llvm.LlvmKernel(tape, np.dtype(dtype), 1, lanes=lanes)(inputs, outputs, count)
    return outputs


@written_here
@pytest.mark.parametrize(("dtype", "lanes"), WIDTHS)
@pytest.mark.parametrize("tape", [crowded(0), crowded(1), random_tape(3, 400, everything=True)], ids="abc")
def test_instructions_give_the_bits_that_llvm_gives(tape, dtype, lanes, monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", "")
    assert "asm sideeffect" in llvm.source(tape, np.dtype(dtype), lanes)
    mine = results(tape, dtype, lanes)
    monkeypatch.setenv("STEINER_ASM", "0")
    assert "asm sideeffect" not in llvm.source(tape, np.dtype(dtype), lanes)
    for a, b in zip(mine, results(tape, dtype, lanes), strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.isfinite(a[:7]).all()


@written_here
def test_a_tape_without_numbers(monkeypatch):
    """Its instructions are given the address of a table of none."""
    monkeypatch.setenv("STEINER_CACHE", "")

    def work(x):
        found = [*x]
        for k in range(300):
            found.append(found[-1] * found[k % 5] - found[-3])
        return [np.array(found[-4:])]

    tape = trace(work, [("x", 5)])
    rng = np.random.default_rng(0)
    x, out = rng.uniform(-0.5, 0.5, (9, 5)), np.zeros((9, 4))
    llvm.LlvmKernel(tape, np.dtype(float), 1, lanes=4)([x], [out], 9)
    np.testing.assert_allclose(out, np.array([[float(v) for v in tape.on(row)[0]] for row in x]), rtol=1e-13)


@written_here
def test_code_of_either_kind_has_its_own_place_in_the_cache(monkeypatch):
    names = set()
    for choice in ("0", "1"):
        monkeypatch.setenv("STEINER_ASM", choice)
        names.add(engine.identity())
    assert len(names) == 2


ROUNDED = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "fmadd": lambda a, b, c: a * b + c, "fmsub": lambda a, b, c: a * b - c,
    "fnmadd": lambda a, b, c: c - a * b, "fnmsub": lambda a, b, c: -a * b - c,
}  # fmt: skip


def executed(lines, memory):
    """What a processor does with such instructions (operands in AT&T's order: the last is the target)."""
    registers = {}

    def value(x):
        return registers[x] if x.startswith("%") else memory[x]

    for line in lines:
        name, *operands = line.replace(",", "").split()
        target = operands[-1]
        if name == "vmovapd":
            (registers if target.startswith("%") else memory)[target] = value(operands[0])
        elif name.startswith("vf"):
            third, second, first = map(value, operands)
            order = {"132": (first, third, second), "213": (second, first, third), "231": (second, third, first)}
            registers[target] = ROUNDED[name[1:-5]](*order[name[-5:-2]])
        else:
            second, first, _ = operands
            registers[target] = ROUNDED[name[1:-2]](value(first), value(second))
        assert sum(x.startswith("%") for x in operands) >= len(operands) - 1, "one operand at most is in memory"
    return memory


def random_operations(rng, count):
    """Operations on numbers in memory, constants and results; some results leave, others only go into later ones."""
    operations = []
    for k in range(count):
        known = [*range(-5, 0), "7", "11", *range(max(0, k - int(rng.choice([4, 20, 60]))), k)]
        name = rng.choice([*ROUNDED])
        picked = tuple(known[j] for j in rng.integers(0, len(known), 3 if name.startswith("f") else 2))
        operations.append(x86.Operation(str(name), k, picked))
    return operations


@pytest.mark.parametrize("seed", range(60))
def test_instructions_compute_what_operations_say(seed):
    """In whole numbers, modulo a prime, so that nothing is rounded."""
    rng = np.random.default_rng(seed)
    operations = random_operations(rng, int(rng.integers(1, 150)))
    prime = 2**61 - 1
    values = {k: int(rng.integers(1, 2**60)) for k in range(-5, 0)} | {"7": 7, "11": 11}
    leaving = [o.result for o in operations if rng.random() < 0.4]
    places = {x: f"{x}(memory)" for x in values} | {x: f"{x}(out)" for x in leaving}
    memory = {places[x]: value for x, value in values.items()}
    for o in operations:
        values[o.result] = ROUNDED[o.name](*(values[x] for x in o.operands)) % prime
    for order in (operations, x86.ordered(operations)):
        writer = x86.Writer(order, "y", True, places.get, lambda k: f"{k}(spilled)")
        left = executed(writer.run(), dict(memory))
        for o in operations:
            assert o.result not in places or left[places[o.result]] % prime == values[o.result]


@pytest.mark.parametrize("signs", [*product([False, True], repeat=3)])
@pytest.mark.parametrize("constant", [None, 0, 1, 2])
def test_signs_of_references_are_the_instruction_s_and_those_of_constants_their_own(signs, constant):
    numbers = [3, 5, 7]

    def number(k, negated):
        return str(-numbers[k] if negated else numbers[k]) if k == constant else k

    made = x86.operation((FMA, *(signed(k, minus) for k, minus in enumerate(signs))), 9, number)
    a, b, c = (int(x) if isinstance(x, str) else numbers[x] for x in made.operands)
    expected = [-n if minus else n for n, minus in zip(numbers, signs, strict=True)]
    assert ROUNDED[made.name](a, b, c) == expected[0] * expected[1] + expected[2]


def test_what_is_needed_last_leaves_its_register_first():
    """Twenty values for sixteen registers: each is computed once, and a few wait in memory."""
    first = [x86.Operation("mul", k, (100, 101)) for k in range(20)]
    later = [x86.Operation("add", 20 + k, (k, k)) for k in range(20)]
    places = {100: "(in)", 101: "32(in)"} | {20 + k: f"{32 * k}(out)" for k in range(20)}
    writer = x86.Writer([*first, *later], "y", True, lambda x: places.get(int(x)), lambda k: f"{32 * k}(spilled)")
    lines = writer.run()
    assert sum(line.startswith("vmul") for line in lines) == sum(line.startswith("vadd") for line in lines) == 20
    assert writer.spills == sum(line.endswith("(spilled)") for line in lines) <= 6


def test_the_order_keeps_few_values_alive():
    """Twenty products that are added up one by one: not all of them first."""
    products = [x86.Operation("mul", k, (100 + k, 101 + k)) for k in range(20)]
    sums = [x86.Operation("add", 20 + k, (k, 19 + k if k > 1 else 0)) for k in range(1, 20)]
    order: list[int | str] = [o.result for o in x86.ordered([*products, *sums])]
    assert set(order) == {o.result for o in [*products, *sums]} and len(order) == 39
    assert all(order.index(x) < order.index(o.result) for o in sums for x in o.operands)
    assert order.index(21) < order.index(19)
