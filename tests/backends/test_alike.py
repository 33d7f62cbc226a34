"""Long tapes that repeat themselves: one text for like joints, with the bits that code of their own would give."""

from __future__ import annotations

import re

import numpy as np
import pytest

import steiner as st
from steiner import scalar
from steiner.kernels.compile import compile as compiled
from steiner.trace import Op, is_negated, operand_rows, row_of, trace
from tests.random_robots import random_robot
from tests.random_tapes import random_tape
from tests.widths import WIDTHS, written_here

engine = pytest.importorskip("steiner.backends.llvm.engine")
from steiner.backends import llvm  # noqa: E402
from steiner.backends.llvm import alike, code, fuse, periods, walk  # noqa: E402
from steiner.backends.llvm.fuse import FMA, settled  # noqa: E402

WIDE = [(np.float64, 8), (np.float32, 16)]  # which LLVM writes
COUNTS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 53)  # blocks, pairs of blocks, and what is left over


def chain(n, link=lambda k, rng: None, seed=0):
    """Joints at right angles; `link` may give joint, mount or body of one."""
    rng, links = np.random.default_rng(seed), []
    for k in range(n):
        root = rng.normal(size=(3, 3)) * 0.1
        body = st.MassProperties(1.0, rng.normal(size=3) * 0.1, np.trace(root @ root.T) * np.eye(3) - root @ root.T)
        mount = st.Pose.from_rpy((0, 0, 0.1), (np.pi / 2 * (-1) ** k, 0, 0))
        own = {"joint": st.Revolute(name=f"j{k}"), "mount": mount, "body": body} | (link(k, rng) or {})
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, own["joint"], own["mount"], own["body"]))
    return st.Robot(f"chain{n}", tuple(links))


def sliding(k, rng):
    return {"joint": st.Prismatic(name=f"j{k}")} if k % 2 else None


def equal(k, rng):
    return {"body": st.MassProperties(1.3, (0.1, -0.2, 0.05), (0.3, 0.4, 0.5))}


def odd_one(k, rng):
    return {"body": st.MassProperties(2.0, (0, 0, 0), (0.1, 0.1, 0.1))} if k == 29 else None


def rough(k, rng):
    return {"joint": st.Revolute(name=f"j{k}", friction=st.Coulomb(0.1 + rng.random(), 0.0, 0.05))}


ROBOTS = {
    "right angles": chain(40), "41 joints": chain(41), "42 joints": chain(42), "sliding": chain(48, sliding),
    "equal links": chain(40, equal), "one is another": chain(64, odd_one), "other numbers": chain(43, seed=5),
    "friction": chain(40, rough),
}  # fmt: skip


def tape_of(robot, key="inverse_dynamics"):
    return compiled(key, robot, backend="numpy").variant()[1].tape


@pytest.fixture
def soon(monkeypatch):
    """Tapes count as long, and as alike, soon, so that tests need not be."""
    monkeypatch.setattr(fuse, "LONG", 1000)
    monkeypatch.setattr(alike, "SAVED", 0.5)
    monkeypatch.setenv("STEINER_CACHE", "")


def bits(tape, dtype, lanes, counts=COUNTS):
    """Results of batches of several lengths as integers; still, far and impossible angles are among the states."""
    rng, found = np.random.default_rng(5), []
    inputs = [rng.uniform(-3, 3, (max(counts), size)).astype(dtype) for _name, size in tape.inputs]
    inputs[0][2], inputs[0][3, -1], inputs[0][6, 1], inputs[0][8, 5] = 0, 1e9, np.nan, np.inf
    for x in inputs[1:]:
        x[2] = 0
    kernel = llvm.LlvmKernel(tape, np.dtype(dtype), 1, lanes=lanes)
    for count in counts:
        outputs = [np.full((count + 1, o.size), 7, dtype) for o in tape.outputs]
        run = [x[:count].copy() for x in inputs]
        if lanes == 1:
            for k in range(count):
                kernel([x[k : k + 1] for x in run], [o[k : k + 1] for o in outputs], 1)
        else:
            kernel(run, [o[:count] for o in outputs], count)
        assert all((o[count] == 7).all() for o in outputs), "wrote beyond its rows"
        found += [np.where(np.isnan(o), 0, o).view(f"i{o.itemsize}") for o in outputs]
    return found


@written_here
@pytest.mark.parametrize(("dtype", "lanes"), [*WIDTHS, *WIDE])
@pytest.mark.parametrize("name", ROBOTS)
def test_bits_are_those_of_single_rows(name, dtype, lanes, soon):
    tape = tape_of(ROBOTS[name])
    assert isinstance(llvm.module(tape, np.dtype(dtype), lanes), alike.Repeating)
    for mine, other in zip(bits(tape, dtype, lanes), bits(tape, dtype, 1), strict=True):
        np.testing.assert_array_equal(mine, other)


@written_here
@pytest.mark.parametrize(("dtype", "lanes"), [*WIDTHS, *WIDE])
@pytest.mark.parametrize("name", ["right angles", "41 joints", "42 joints", "one is another", "friction"])
def test_bits_of_accelerations_are_those_of_single_rows(name, dtype, lanes, soon):
    """Three runs: outward, inward, and outward again with what waits from both."""
    tape = tape_of(ROBOTS[name], "forward_dynamics")
    module = llvm.module(tape, np.dtype(dtype), lanes)
    assert isinstance(module, alike.Repeating)
    assert len(module.slots.pointers) == (5 if name == "one is another" else 3)
    for mine, other in zip(bits(tape, dtype, lanes), bits(tape, dtype, 1), strict=True):
        np.testing.assert_array_equal(mine, other)


@written_here
def test_what_needs_more_pointers_than_there_are_registers_is_written_in_full(soon, monkeypatch):
    tape = tape_of(ROBOTS["right angles"], "forward_dynamics")
    needed = llvm.module(tape, np.dtype(float), 4).pointers
    monkeypatch.setattr(alike, "POINTERS", needed)
    assert isinstance(llvm.module(tape, np.dtype(float), 4), alike.Repeating)
    monkeypatch.setattr(alike, "POINTERS", needed - 1)
    assert type(llvm.module(tape, np.dtype(float), 4)) is code.Module


@written_here
def test_like_joints_are_turns_of_one_loop(soon):
    """Four joints are a turn; outward and inward are a loop each, beside a few segments of their own."""
    module = llvm.module(tape_of(ROBOTS["other numbers"]), np.dtype(float), 4)
    assert isinstance(module, alike.Repeating)
    assert sorted(call.times for call in module.turns)[-2:] >= [8, 8]
    assert len({call.index for call in module.turns}) <= 8 < len(module.parts) // 2
    steps = {f"segment{k}": len(part.steps) for k, part in enumerate(module.parts)}
    run = sum(2 * times * steps[name] for name, times in module.times.items())
    assert run == sum(steps.values()), "both blocks are in one text"
    text = "\n".join(module.unit())
    assert text.count("define internal void @kernel_segment") == len({call.index for call in module.turns})


@written_here
@pytest.mark.parametrize("name", ["right angles", "42 joints", "friction"])
def test_turns_that_load_rows_fetch_those_of_the_next_unit(name, soon):
    module = llvm.module(tape_of(ROBOTS[name]), np.dtype(float), 4)
    assert isinstance(module, alike.Repeating)
    place, fetched = list(module.moving).index("%loads"), []
    for call in module.turns:
        assert len({*module.loading[call.index : call.index + call.times]}) == 1
        turns = (int(call.first[place] + k * call.step[place]) for k in range(call.times))
        fetched += [turn for turn in turns if module.loading[call.index]]
    assert fetched == list(range(sum(module.loading)))
    for size, lines in zip(module.row_bytes, module.lines, strict=True):
        assert 0 <= 64 * lines * len(fetched) - size * 8 < 64 * len(fetched), "two blocks of four rows"
    texts = "\n".join(module.unit()).split("define internal void ")
    for k in {call.index for call in module.turns}:
        (text,) = (text for text in texts if text.startswith(f"@kernel_segment{k}("))
        assert text.count("@llvm.prefetch") == sum(module.lines) * module.loading[k]


@written_here
def test_no_pointer_is_moved_in_memory(soon):
    """As one to every row of every array would be, if LLVM saw how columns move."""
    tape = tape_of(ROBOTS["right angles"])
    assembly = engine.assembly(llvm.source(tape, np.dtype(float), 4))
    (unit,) = re.findall(r"^kernel_segment1:.*?\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL)
    assert "prefetcht0" in unit
    assert not re.findall(r"addq\s+%r\w+, -?\d*\(%r[bs]p\)", unit)


def test_a_first_state_is_walked_to_the_same_bits(soon):
    v = walk.numbers()
    if v is None:
        pytest.skip("no multiply-adds here")
    tape, state = tape_of(ROBOTS["other numbers"]), np.random.default_rng(3).uniform(-2, 2, (3, 1, 43))
    walked, computed = np.zeros((1, 43)), np.zeros((1, 43))
    walk.walk(tape, v, list(state), [walked])
    llvm.LlvmKernel(tape, np.dtype(float), 1, lanes=1)(list(state), [computed], 1)
    np.testing.assert_array_equal(walked.view("i8"), computed.view("i8"))


def test_turns_move_on_by_equal_steps():
    turns = alike.Turns(3, 0, np.array([0, 0, 0, 5]))
    assert turns.followed(3, np.array([8, 4, 0, 3]))
    assert turns.followed(3, np.array([16, 8, 0, 1]))
    assert not turns.followed(3, np.array([24, 13, 0, -1]))  # another step
    assert not turns.followed(2, np.array([24, 12, 0, -1]))  # another text
    assert (turns.times, turns.step.tolist()) == (3, [8, 4, 0, -2])


@written_here
def test_torques_of_a_hundred_joints_are_those_of_the_text(monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", "")
    robot = chain(100)
    states = np.random.default_rng(1).uniform(-2, 2, (3, 9, 100))
    tape = tape_of(robot)
    assert isinstance(llvm.module(tape, np.dtype(float), 4), alike.Repeating)
    found = np.zeros((9, 100))
    llvm.LlvmKernel(tape, np.dtype(float), 1, lanes=4)(list(states), [found], 9)
    expected = compiled("inverse_dynamics", robot, backend="numpy")(*states)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13 * np.abs(expected).max())


@written_here
def test_what_llvm_writes_with_numbers_of_its_own_is_not_alike(soon):
    """Selections are LLVM's, with their numbers in the text: each turn would have a text of its own."""
    numbers = np.random.default_rng(2).uniform(1, 2, 400)

    def work(x):
        found = [x[0]]
        for k, number in enumerate(numbers):
            found.append(scalar.select(x[k % 6], number, found[-1] * x[(k + 1) % 6] + x[(k + 2) % 6] * x[k % 6]))
        return [np.array(found[-1:], dtype=object)]

    tape = trace(work, [("x", 6)])
    assert alike.repeating(fuse.fused(tape))
    assert type(llvm.module(tape, np.dtype(float), 4)) is code.Module
    for mine, other in zip(bits(tape, np.float64, 4), bits(tape, np.float64, 1), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_tape_without_joints_alike_is_left_alone(soon):
    tape = random_tape(3, 2000, everything=True)
    assert fuse.fused(tape).length > fuse.LONG
    assert not periods.repeats(fuse.fused(tape))
    assert not alike.repeating(fuse.fused(tape))


@pytest.mark.parametrize("period", [1, 7, 30])
def test_runs_are_found_with_their_period(period):
    rng = np.random.default_rng(period)
    pattern = rng.permutation(1000)[:period]
    kinds = np.concatenate([2000 + np.arange(20), np.tile(pattern, 12), 3000 + np.arange(15)])
    assert periods.runs(kinds) == [(20, 20 + 12 * period, period)]
    kinds[20 + 6 * period] = 5000  # broken in the middle
    assert all(stop <= 20 + 6 * period or start > 20 + 6 * period for start, stop, _ in periods.runs(kinds))


# ---- signs ---------------------------------------------------------------------------------------


def values(tape, inputs):
    """The outputs of a fused tape, every operation by floats: a change of sign leaves all digits."""
    import math

    found = [row[1] if row[0] == Op.CONSTANT else 0.0 for row in tape.rows]

    def signed(x):
        return -found[row_of(x)] if is_negated(x) else found[row_of(x)]

    plain = {
        Op.ADD: lambda a, b: a + b, Op.SUB: lambda a, b: a - b, Op.MUL: lambda a, b: a * b, Op.DIV: lambda a, b: a / b
    }  # fmt: skip
    functions = {
        FMA: lambda a, b, c: a * b + c, Op.SIN: math.sin, Op.COS: math.cos, Op.SQRT: math.sqrt, Op.ABS: abs,
        Op.SIGN: lambda a: float((a > 0) - (a < 0)), Op.EXP: math.exp, Op.TANH: math.tanh,
        Op.SELECT: lambda a, b, c: b if a > 0 else c,
    }  # fmt: skip
    for k, (op, *operands) in enumerate(tape.rows):
        if op == Op.INPUT:
            found[k] = inputs[operands[0]][operands[1]]
        elif op in plain:
            found[k] = plain[op](*(found[x] for x in operands))
        elif op != Op.CONSTANT:
            found[k] = functions[op](*map(signed, operands))
    return [x if isinstance(x, float) else signed(x) for o in tape.outputs for x in o.elements]


TAPES = {
    **{f"graph {k}": lambda k=k: random_tape(k, 300, everything=True) for k in range(12)},
    **{f"robot {k}": lambda k=k: tape_of(random_robot(k, 6, friction=True, springs=True)) for k in range(4)},
    "forward": lambda: tape_of(random_robot(5, 6), "forward_dynamics"),
    "chain": lambda: tape_of(ROBOTS["sliding"]),
}


@pytest.mark.parametrize("name", TAPES)
def test_settled_signs_change_no_value(name):
    tape = fuse.fused(TAPES[name]())
    rng = np.random.default_rng(7)
    inputs = [rng.uniform(-1.5, 1.5, size).tolist() for _name, size in tape.inputs]
    new = settled(tape)
    assert values(new, inputs) == values(tape, inputs)
    for k, row in enumerate(new.rows):
        assert all(x < k for x in operand_rows(row)), "operands come before what is made of them"


def test_signs_of_numbers_are_the_only_difference_between_like_joints():
    """The numbers of a chain change their signs: the rows stay what they are."""

    def work(a, b, c):
        def function(x):
            total = x[0]
            for k in range(4):
                total = a[k] * x[k] - (b[k] * x[k + 1] + c[k] * x[k + 2]) + (total * x[5] - a[k] * total)
            return [np.array([total])]

        return settled(fuse.fused(trace(function, [("x", 6)])))

    rng = np.random.default_rng(0)
    size = rng.uniform(1, 2, (3, 4))
    kinds = set()
    for _ in range(20):
        tape = work(*(size * rng.choice([-1, 1], (3, 4))))
        kinds.add(tuple(alike.kinds(tape, alike.Scheduler(tape, 4, late=True).run()).tolist()))
    assert len(kinds) <= 2, "but for the last, which leaves"
