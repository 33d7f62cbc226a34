"""A first sample that is walked over instead of compiled: the bits of the kernel, for every algorithm and value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steiner as st
from steiner import scalar
from steiner.dynamics import ALGORITHMS
from steiner.errors import ArgumentError
from steiner.kernels import memory
from steiner.kernels.compile import Compiled
from steiner.trace import Op, trace
from tests.hurried import at_once
from tests.random_robots import EVERY, random_robot
from tests.random_tapes import random_tape

engine = pytest.importorskip("steiner.backends.llvm.engine")
from steiner.backends import llvm  # noqa: E402
from steiner.backends.llvm import fastcall, walk  # noqa: E402
from steiner.backends.llvm.elementary import SINCOS_RANGE  # noqa: E402

pytestmark = pytest.mark.skipif(walk.numbers() is None, reason="nothing is walked over here")
DOUBLE, FAR = np.dtype(np.float64), SINCOS_RANGE[True]
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.1, -3.0, math.pi / 2, -math.pi, 1e-8, -1e-160, 5e-324, -2.2e-308, 1e160, -1.7e308,
    FAR, -FAR, np.nextafter(FAR, np.inf), FAR + 1.6, -1e9, 1e22, 709.7, -745.1, 711.0, 22.1, np.inf, -np.inf, np.nan,
)  # fmt: skip


def rows(tape, count, seed):
    """Moderate states, and states with some of the numbers at which arithmetic is special."""
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(count, size)) * rng.choice([1, 30], size=(count, 1)) for _name, size in tape.inputs]
    for x in inputs:
        odd = rng.random(x.shape) < 0.25
        odd[: count // 2] = False
        x[odd] = rng.choice(SPECIAL, odd.sum())
    return inputs


def bits(outputs):
    """Of all numbers, of which NaN is one."""
    return np.concatenate([np.where(np.isnan(y), np.nan, y).ravel() for y in outputs]).view(np.int64)


def of_code(tape, inputs):
    """Results of the code for single samples, a row each."""
    kernel, found = llvm.LlvmKernel(tape, DOUBLE, 1, lanes=1), []
    for k in range(len(inputs[0])):
        outputs = [np.zeros((1, o.size)) for o in tape.outputs]
        kernel([x[k : k + 1] for x in inputs], outputs, 1)
        found.append(bits(outputs))
    return np.array(found)


def of_walk(tape, inputs):
    """The same, walked over; nothing warns."""
    found = []
    for k in range(len(inputs[0])):
        outputs = [np.full((1, o.size), 77.0) for o in tape.outputs]
        walk.walk(tape, walk.numbers(), [x[k : k + 1] for x in inputs], outputs)
        found.append(bits(outputs))
    return np.array(found)


ROBOTS = {
    "panda": lambda: st.load("gallery:panda"),
    "branching, with friction and springs": lambda: random_robot(5, 4, friction=True, springs=True),
    "joints of every kind": lambda: random_robot(8, 3, kinds=EVERY, friction=True),
}


LONG = ("lagrange_dynamics", "christoffel_by_jacobians")  # by the letter: LLVM takes seconds for seven joints


def cases():
    for row in ALGORITHMS:
        for robot in ROBOTS:
            long = row.name in LONG and robot == "panda"
            yield pytest.param(row, robot, id=f"{row.name}, {robot}", marks=[pytest.mark.heavy] * long)


@pytest.mark.parametrize(("row", "robot"), [*cases()])
def test_every_algorithm_has_the_bits_of_its_code(row, robot):
    tape = Compiled(ROBOTS[robot](), row).variant()[1].tape
    if tape.inputs:
        given = rows(tape, 20, len(row.name))
        np.testing.assert_array_equal(of_walk(tape, given), of_code(tape, given))


def every_operation(x):
    a, b, c = x
    return [
        np.array([a + b, a - b, a * b, a / b, a * b + c, a * b - c, c - a * b, scalar.sqrt(a), scalar.sin(a),
                  scalar.cos(a), scalar.exp(a), scalar.tanh(a), abs(a), scalar.sign(a), scalar.select(a, b, c),
                  scalar.exp(-a), scalar.sqrt(-a), scalar.select(-a, -b, 2.5), -a, -1.5 * a + c])
    ]  # fmt: skip


EVERYTHING = trace(every_operation, [("x", 3)])


def special_triples():
    rng = np.random.default_rng(0)
    angles = np.outer(2.0 ** np.arange(0, 28, 3), [1, -1]).ravel() * math.pi / 2
    every = np.array([*SPECIAL, *angles, *10 ** rng.uniform(-320, 308, 60), *rng.uniform(-750, 750, 100)])
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1).T
    first = np.concatenate([pairs[:, 0], every])
    second = np.concatenate([pairs[:, 1], rng.permutation(every)])
    return np.stack([first, second, rng.choice(every, len(first))], axis=1)


def test_every_operation_has_its_bits_at_special_values():
    assert {row[0] for row in EVERYTHING.rows} == set(Op)
    given = [special_triples()]
    walked = of_walk(EVERYTHING, given)
    np.testing.assert_array_equal(walked, of_code(EVERYTHING, given))
    assert len(np.unique(walked)) > 3000


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_have_the_bits_of_their_code(seed):
    tape = random_tape(seed, 40 + 20 * seed, everything=True)
    given = rows(tape, 40, seed)
    np.testing.assert_array_equal(of_walk(tape, given), of_code(tape, given))


FAULTS = {
    "products rounded before they are added": ("fma", lambda v, a, b, c: a * b + c),
    "far angles by the fast path": ("int_compare", lambda v, predicate, a, b: False),
    "another sine for far angles": ("sin", lambda v, x: math.nan if math.isinf(x) else math.sin(math.fmod(x, 7))),
    "integers without an end": ("int_op", lambda v, op, a, b: walk_int(v, op, a, b) % 2**63),
    "the sign of zero lost": ("constant", lambda v, x: x + 0.0 if x else 1e-30),
    "NaN below zero": ("compare", lambda v, predicate, a, b: walk_compare(v, predicate, a, b) or a != a),
    "the sign of tanh lost": ("copysign", lambda v, a, b: abs(a)),
    "roots of what is negative": ("intrinsic", lambda v, name, a: math.sqrt(abs(a)) if name == "sqrt" else abs(a)),
}
walk_int, walk_compare = walk.Numbers.int_op, walk.Numbers.compare


@pytest.mark.parametrize("fault", FAULTS)
def test_a_walk_with_a_fault_would_be_caught(fault, monkeypatch):
    """Negative control of the comparison above."""
    name, wrong = FAULTS[fault]
    monkeypatch.setattr(walk.numbers(), name, lambda *x: wrong(walk.numbers(), *x), raising=False)
    given = [special_triples()]
    try:
        walked = of_walk(EVERYTHING, given)
    except (ValueError, OverflowError, ZeroDivisionError):
        return
    assert not np.array_equal(walked, of_code(EVERYTHING, given))


def test_integers_are_those_of_64_bits():
    rng = np.random.default_rng(1)
    numbers = np.concatenate([rng.integers(0, 2**64, 50, np.uint64), np.array([0, 1, 2**63, 2**64 - 1], np.uint64)])
    native = {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "xor": np.bitwise_xor, "shl": np.left_shift,
              "ashr": np.right_shift}  # fmt: skip
    assert native.keys() == walk.INTEGER.keys()
    for op, function in native.items():
        other = rng.integers(0, 64, 54, np.uint64) if op in ("shl", "ashr") else rng.permutation(numbers)
        kind = np.int64 if op == "ashr" else np.uint64
        want = function(numbers.view(kind), other.view(kind)).view(np.uint64).tolist()
        found = [walk.numbers().int_op(op, a, b) for a, b in zip(numbers.tolist(), other.tolist(), strict=True)]
        assert found == want, op


# ---- who walks -----------------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A cache of its own; the lanes of the code that is made."""
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    engine.host.cache_clear()  # so that what LLVM says of this machine is kept there too
    made, real = [], llvm.module
    monkeypatch.setattr(llvm, "module", lambda *args: made.append(args[2]) or real(*args))
    return made


@pytest.fixture
def walked(monkeypatch):
    """The tapes that are walked over."""
    walked, real = [], walk.walk
    monkeypatch.setattr(walk, "walk", lambda tape, *args: walked.append(tape) or real(tape, *args))
    return walked


def arm():
    return st.load("gallery:planar3").replace(gravity=(0, -3.0, 0))


Q = np.array([0.3, -0.2, 0.7])


def test_the_first_sample_is_walked_over_and_code_made_for_the_second(made, walked):
    robot = arm()
    found = [robot.inverse_dynamics(Q, Q, Q) for _ in range(4)]
    assert len(walked) == 1 and made == [1]
    found += list(robot.inverse_dynamics(np.stack([Q] * 9), Q, Q))
    assert len(walked) == 1 and made == [1, W]
    assert {x.tobytes() for x in found} == {found[0].tobytes()}


def test_code_that_is_kept_is_loaded(made, walked):
    for _ in range(2):
        arm().inverse_dynamics(Q, Q, Q)
    assert len(walked) == 2 and made == [], "plans are not remembered under pytest: every robot is new"
    robot = arm()
    for _ in range(2):
        robot.inverse_dynamics(Q, Q, Q)
    assert (len(walked), made) == (3, [1])
    arm().inverse_dynamics(Q, Q, Q)
    assert (len(walked), made) == (3, [1])


def test_a_robot_that_was_met_before_gets_code(made, walked, monkeypatch):
    monkeypatch.setattr(memory, "program", lambda: "this one")
    first, second = (arm().inverse_dynamics(Q, Q, Q) for _ in range(2))
    assert len(walked) == 1 and made == [1] and first.tobytes() == second.tobytes()


W = engine.lanes(DOUBLE)


@pytest.mark.parametrize(("call", "code"), [
    (lambda: arm().inverse_dynamics(*[Q.astype(np.float32)] * 3), [1]),
    (lambda: st.compile("inverse_dynamics", arm()), [W]),
    (lambda: st.compile("inverse_dynamics", arm())(Q, Q, Q), [W, 1]),
    (lambda: arm().inverse_dynamics(np.stack([Q] * 2), Q, Q), [W]),
], ids=["single precision", "compiled", "compiled and called", "batch"])  # fmt: skip
def test_others_get_code_at_once(call, code, made, walked):
    call()
    assert made == code and not walked


def test_other_variants_walk_too(made, walked):
    robot, load = arm(), st.Wrench(acting_on=arm().link_names[-1], force=(1, 2, 3))
    found = [robot.inverse_dynamics(Q, Q, Q, external=[load]) for _ in range(2)]
    assert len(walked) == 1 and made == [1] and found[0].tobytes() == found[1].tobytes()
    free = [robot.forward_dynamics(Q, Q, Q, friction=False, out=np.zeros(3)) for _ in range(2)]
    assert len(walked) == 2 and made == [1, 1] and free[0].tobytes() == free[1].tobytes()


@pytest.mark.parametrize("lacking", ["multiply-adds", "a library", "a function"])
def test_where_multiply_adds_are_not_sure_code_is_made_at_once(lacking, made, walked, monkeypatch):
    if lacking == "multiply-adds":
        monkeypatch.setattr(walk, "FUSING", ("NONE",))
    else:
        error = OSError("no library") if lacking == "a library" else AttributeError("no fma")
        monkeypatch.setattr(walk, "_function", lambda *_: (_ for _ in ()).throw(error))
    monkeypatch.setattr(walk, "numbers", walk.numbers.__wrapped__)
    assert walk.numbers() is None
    arm().inverse_dynamics(Q, Q, Q)
    assert made == [1] and not walked


def test_what_numpy_says_of_the_processor_is_what_llvm_says():
    assert engine.fuses()


# ---- the function before its code ----------------------------------------------------------------


@pytest.mark.skipif(not fastcall.layout_is_known(), reason="calls stay in Python here")
def test_a_function_without_code_takes_and_raises_what_it_does_with_it(made, walked):
    def told(function):
        wrong = []
        for args, options in (((Q, Q), {}), ((Q, Q, Q[:2]), {}), ((Q, Q, "a"), {}), ((Q, Q, Q), {"bad": 1})):
            with pytest.raises(ArgumentError) as error:
                function(*args, **options)
            wrong.append(str(error.value))
        out = np.zeros(3)
        assert function(q=Q, qd=Q, qdd=Q, out=out) is out
        return wrong, out.tobytes(), function(Q.tolist(), Q, Q).tobytes()

    robot = arm()
    function = robot.inverse_dynamics
    assert type(function) is type(print)
    first = told(function)
    assert len(walked) == 1 and made == [1]
    function(Q, Q, Q)
    assert told(function) == first and made == [1]


def test_threads_that_meet_at_the_first_calls_get_the_same_bits(made):
    want, wrong = arm().inverse_dynamics(np.stack([Q] * 2), Q, Q)[0].tobytes(), []
    for _ in range(3):
        torque = arm().inverse_dynamics
        at_once([lambda call=torque: wrong.extend(k for k in range(9) if call(Q, Q, Q).tobytes() != want)] * 6)
    assert not wrong
