"""Calls with whatever users pass: every outcome is numbers or a sentence that names the argument."""

from __future__ import annotations

import inspect
import random
import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from wrong_values import ANYTHING, NUMBERS, STRANGE, Lying, Pretending, Raising, anything, masked, unaligned

import steiner as st
from steiner import dynamics
from steiner.backends import BACKENDS
from steiner.dynamics import ALGORITHMS, METHODS
from steiner.errors import ArgumentError, SteinerError, TraceError
from steiner.kernels.compile import READABLE, compile
from steiner.robots import build

FINITE = [name for name in NUMBERS if name not in ("not a number", "infinite", "huge")]


@pytest.fixture(scope="module")
def arm():
    """Three joints, as many numbers as the strange values have."""
    return build("planar3")


def good(name="q"):
    return np.array([0.1, 0.2, 0.3]) + len(name)


def needed(row):
    """The arrays that a method cannot do without."""
    own = inspect.signature(row.function).parameters
    return [name for name in row.arrays if own[name].default is inspect.Parameter.empty]


# ---- what is no number ---------------------------------------------------------------------------


@pytest.mark.parametrize("strange", STRANGE)
def test_N10_what_is_no_number_is_refused_by_the_name_of_its_argument(arm, strange):
    for row in METHODS:
        method, names = getattr(arm, row.name), needed(row)
        method(*map(good, names))  # the fast path is open
        for wrong in names:
            arguments = {name: STRANGE[strange]() if name == wrong else good(name) for name in names}
            for call in (lambda a: method(*a.values()), lambda a: method(**a)):  # noqa: B023
                with pytest.raises(SteinerError, match=rf"\b{wrong}\b") as refused:
                    call(arguments)
                assert len(str(refused.value)) < 500
                if "masked" in strange:
                    assert "fill or drop masked entries" in str(refused.value)


@pytest.mark.parametrize("strange", STRANGE)
def test_N10_what_is_no_number_is_no_parameter_either(arm, strange):
    paths = {"gravity": "gravity", "mass": "link1.mass", "tensor": "link2.inertia", "place": "link3.xyz"}
    f = compile("gravity_forces", arm, parameters=list(paths.values()))
    for path in paths.values():
        if path == "link1.mass" and strange in ("number", "whole number", "zero-d", "empty", "too short", "too long"):
            continue  # a mass is a number
        if path == "link1.mass" and strange in ("column", "no rows of nothing"):
            continue  # and rows of them are masses of a batch
        with pytest.raises(SteinerError, match=re.escape(path)):
            f(good(), parameters={path: STRANGE[strange]()})


@pytest.mark.parametrize("strange", STRANGE)
def test_N10_what_is_no_number_is_no_part_of_a_wrench(strange):
    for part in ("force", "moment", "at"):
        with pytest.raises(SteinerError, match=rf"\b{part}\b"):
            st.Wrench(**{part: STRANGE[strange]()})


@pytest.mark.parametrize("kind", FINITE)
def test_numbers_of_every_kind_are_the_floats_that_they_are(arm, kind):
    q = NUMBERS[kind]()
    plain = np.array(np.asarray(q), dtype=np.float64)
    expected = arm.gravity_forces(plain)
    found = arm.gravity_forces(NUMBERS[kind]())
    tolerance = 1e-6 if found.dtype == np.float32 else 1e-12
    assert type(found) is np.ndarray and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_fractions_are_floats_among_numbers_and_exact_among_symbols(arm):
    thirds = [Fraction(1, 3)] * 3
    np.testing.assert_array_equal(arm.mass_matrix(thirds), arm.mass_matrix(np.full(3, 1 / 3)))
    momentum = arm.momentum(sp.symbols("a b c"), thirds)
    assert not any(x.has(sp.Float(1 / 3)) for x in momentum.ravel())
    mass = compile("gravity_forces", arm, parameters=["link1.mass"])
    np.testing.assert_array_equal(
        mass(thirds, parameters={"link1.mass": Fraction(7, 2)}), mass(thirds, parameters={"link1.mass": 3.5})
    )


def test_expressions_made_on_the_fly_are_expressions(arm):
    """Functions of time have classes without a module; own symbols have classes of elsewhere."""

    class Angle(sp.Symbol):
        pass

    t = sp.Symbol("t")
    q = [sp.Function("q1")(t), Angle("q2"), 0]
    tau = arm.gravity_forces(q)
    assert tau.dtype == object and {q[0], q[1]} <= tau[0].atoms(sp.Function, sp.Symbol)


# ---- wrong shapes --------------------------------------------------------------------------------


def test_R7_batches_that_do_not_fit_are_refused_also_with_symbols_and_wrenches(arm):
    x = sp.Symbol("x")
    two = np.array([[x, 0, 0]] * 2)
    with pytest.raises(ArgumentError, match=r"do not broadcast: q \(2, 3\), qd \(4, 3\)"):
        arm.velocity_forces(two, np.zeros((4, 3)))
    push = st.Wrench(acting_on="link3", force=np.ones((5, 3)))
    with pytest.raises(ArgumentError, match=r"do not broadcast: q \(2, 3\), wrench0 \(5, 6\)"):
        arm.static_torque(two, external=push)
    with pytest.raises(ArgumentError, match=r"do not broadcast: q \(2, 3\), wrench0 \(5, 6\)"):
        arm.static_torque(np.zeros((2, 3)), external=push)
    with pytest.raises(ArgumentError, match=r"parts of a Wrench do not broadcast: moment \(4, 3\), force \(5, 3\)"):
        arm.static_torque(good(), external=st.Wrench(np.ones((4, 3)), np.ones((5, 3)), acting_on="link3"))


def test_batches_of_symbols_take_batches_of_wrenches_and_may_be_empty(arm):
    x = sp.Symbol("x")
    push = np.random.default_rng(1).normal(size=(4, 3))
    load = st.Wrench(acting_on="link3", force=push, at=(0.1, 0.2, 0.3))
    found = arm.static_torque([x, 0.2, 0.3], external=load)
    assert found.shape == (4, 3)
    numbers = np.array([[float(e.subs(x, 0.1)) for e in row] for row in found])
    np.testing.assert_allclose(numbers, arm.static_torque([0.1, 0.2, 0.3], external=load), rtol=1e-9, atol=1e-9)
    symbolic = arm.replace(gravity=(0, -sp.Symbol("g"), 0))
    for row in METHODS:
        result = getattr(symbolic, row.name)(*(np.zeros((0, 3)) for _ in needed(row)))
        plain = getattr(arm, row.name)(*(np.zeros((0, 3)) for _ in needed(row)))
        assert [np.shape(x) for x in leaves(result)] == [np.shape(x) for x in leaves(plain)], row.name


def test_a_batch_of_a_parameter_beside_symbols_is_refused(arm):
    f = compile("gravity_forces", arm, parameters=["link1.mass"])
    with pytest.raises(ArgumentError, match=r"'link1.mass'.*one value"):
        f([sp.Symbol("x"), 0, 0], parameters={"link1.mass": [1.0, 2.0]})


# ---- options, wrenches, parameters ---------------------------------------------------------------

OPTIONS = [(row, p.name) for row in METHODS for p in inspect.signature(row.function).parameters.values()
           if p.default is not p.empty and p.name not in (*row.arrays, "external", "exerted_by_robot")]  # fmt: skip
TRUTHS = [(row, name) for row, name in OPTIONS if name in ("friction", "gravity", "per_link")]


@pytest.mark.parametrize(("row", "option"), OPTIONS, ids=lambda x: getattr(x, "name", x))
def test_an_option_is_a_plain_value_and_nothing_is_taken_for_one(arm, row, option):
    for symbol in (False, True):
        q = [sp.Symbol("x") if symbol else 0.1, 0.2, 0.3]
        for name in (*STRANGE, "fractions", "symbols"):
            if name in ("number", "whole number"):
                continue
            with pytest.raises(SteinerError):
                getattr(arm, row.name)(*[q] * len(needed(row)), **{option: ANYTHING[name]()})


@pytest.mark.parametrize(("row", "option"), TRUTHS, ids=lambda x: getattr(x, "name", x))
def test_true_and_false_may_be_written_in_their_ways(arm, row, option):
    call, q = getattr(arm, row.name), [good()] * len(needed(row))
    for value in (True, np.True_, 1):
        for a, b in zip(leaves(call(*q, **{option: value})), leaves(call(*q, **{option: True})), strict=True):
            np.testing.assert_array_equal(a, b)
    for value in ("no", "True", 2, -1, 0.0, None, [True], np.array([True])):
        with pytest.raises(ArgumentError, match=f"{option}=.*True or False"):
            call(*q, **{option: value})


@pytest.mark.parametrize("name", ["external", "exerted_by_robot"])
@pytest.mark.parametrize("strange", ANYTHING)
def test_what_is_no_wrench_is_refused(arm, name, strange):
    value = ANYTHING[strange]()
    if value is None or isinstance(value, st.Wrench) or (isinstance(value, list) and not value):
        return
    with pytest.raises(SteinerError, match="Wrench"):
        arm.static_torque(good(), **{name: value})


@pytest.mark.parametrize("link", [5, ["link1"], ("link1",), {}, 1.5, b"link1", True, "nobody"])
def test_a_wrench_acts_on_a_link_by_name(arm, link):
    with pytest.raises(SteinerError, match="link"):
        arm.static_torque(good(), external=st.Wrench(force=(1, 0, 0), acting_on=link))


@pytest.mark.parametrize("given", [5, "gravity", [("gravity", 1)], {"gravity": None}, {5: 1}, {None: 1}, {1, 2}])
def test_parameters_are_values_by_name(arm, given):
    f = compile("gravity_forces", arm, parameters=["gravity"])
    with pytest.raises(ArgumentError, match=r"parameter|run-time"):
        f(good(), parameters=given)


@pytest.fixture(scope="module")
def spatial():
    """Efforts of an arm that feels all six numbers of a tensor."""
    return compile("inverse_dynamics", build("puma560"), parameters=["link2.inertia"])


@pytest.mark.parametrize("seed", range(40))
def test_N14_a_tensor_of_inertia_given_at_run_time_is_symmetric(spatial, seed):
    draw, f = np.random.default_rng(seed), spatial
    state = [draw.normal(size=6) for _ in range(3)]
    half = draw.normal(size=(3, 3)) * 10.0 ** draw.integers(-6, 6)
    tensor = half + half.T
    expected = f(*state, parameters={"link2.inertia": tensor})
    i, j = draw.permutation(3)[:2]
    for size in (1e-15, 1e-12, 1e-8):  # round-off: the two triangles are one
        nearly = tensor.copy()
        nearly[i, j] += size * np.abs(tensor).max()
        turned = f(*state, parameters={"link2.inertia": nearly.T})
        np.testing.assert_array_equal(f(*state, parameters={"link2.inertia": nearly}), turned)
        np.testing.assert_allclose(turned, expected, rtol=1e-6, atol=1e-6 * np.abs(tensor).max())
    for size in (1e-5, 1e-3, 1.0, 100.0):
        wrong = tensor.copy()
        wrong[i, j] += size * np.abs(tensor).max()
        batch = np.array([tensor, tensor, wrong])
        exact = np.array([[Fraction(x) for x in row] for row in wrong])
        symbols = exact.copy()
        symbols[0, 0] = sp.Symbol("I")
        for value in (wrong, wrong.tolist(), batch, exact, symbols, 1e9 * batch):
            with pytest.raises(ArgumentError, match=r"'link2.inertia'.*symmetric"):
                f(*state, parameters={"link2.inertia": value})


def test_N14_a_symbolic_tensor_may_be_equal_in_other_words(arm):
    f = compile("kinetic_energy", arm, parameters=["link2.inertia"])
    a, b = sp.symbols("a b")
    tensor = np.array([[a, (a + b) ** 2, 0], [a**2 + 2 * a * b + b**2, b, 0], [0, 0, a]], dtype=object)
    assert f(good(), good(), parameters={"link2.inertia": tensor}).free_symbols == {a}
    tensor[1, 0] = a
    with pytest.raises(ArgumentError, match="symmetric"):
        f(good(), good(), parameters={"link2.inertia": tensor})
    nan = np.full((3, 3), np.nan)
    assert np.isnan(f(good(), good(), parameters={"link2.inertia": nan}))


# ---- out= ----------------------------------------------------------------------------------------


class Honest(np.ndarray):
    """A subclass that adds nothing."""


def without(*missing):
    """An object that has of an array all but these."""
    have = {"shape": (4, 3), "dtype": np.dtype(np.float64), "flags": np.zeros(1).flags, "strides": (24, 8)}
    return type("Bare", (), {k: v for k, v in have.items() if k not in missing})()


def overlapping(shape, strides):
    return np.lib.stride_tricks.as_strided(np.zeros(100), shape, strides)


def read_only():
    x = np.zeros((4, 3))
    x.flags.writeable = False
    return x


UNFIT = {
    "pretending": lambda q: Pretending((4, 3)),
    "pretending one row": lambda q: Pretending((3,)),
    "interface only": lambda q: type("I", (), {"__array_interface__": Pretending.__array_interface__})(),
    "bare": lambda q: without(),
    "without flags": lambda q: without("flags"),
    "without dtype": lambda q: without("dtype"),
    "without shape": lambda q: without("shape"),
    "lying about three": lambda q: np.zeros(3).view(Lying),
    "raising": lambda q: Raising(),
    "list of lists": lambda q: np.zeros((4, 3)).tolist(),
    "list of rows": lambda q: list(np.zeros((4, 3))),
    "no array": lambda q: (),
    "two arrays": lambda q: (np.zeros((4, 3)), np.zeros((4, 3))),
    "nothing in a tuple": lambda q: (None,),
    "class": lambda q: np.ndarray,
    "number": lambda q: 5,
    "text": lambda q: "out",
    "scalar": lambda q: np.float64(0),
    "zero-d": lambda q: np.zeros(()),
    "transposed": lambda q: np.zeros((3, 4)),
    "one row": lambda q: np.zeros(3),
    "more axes": lambda q: np.zeros((1, 4, 3)),
    "single": lambda q: np.zeros((4, 3), np.float32),
    "ints": lambda q: np.zeros((4, 3), np.int64),
    "complex": lambda q: np.zeros((4, 3), complex),
    "objects": lambda q: np.zeros((4, 3), object),
    "fields": lambda q: np.zeros((4, 3), [("x", "f8")]),
    "swapped": lambda q: np.zeros((4, 3), ">f8"),
    "buffer": lambda q: memoryview(bytearray(96)).cast("d", (4, 3)),
    "read-only": lambda q: read_only(),
    "broadcast": lambda q: np.broadcast_to(np.zeros(3), (4, 3)),
    "masked": lambda q: np.ma.zeros((4, 3)),
    "an input": lambda q: q,
    "a view of an input": lambda q: q[:],
    "an input backwards": lambda q: q[::-1],
    "a row for all": lambda q: overlapping((4, 3), (0, 8)),
    "one number": lambda q: overlapping((4, 3), (0, 0)),
    "rows that overlap": lambda q: overlapping((4, 3), (8, 8)),
    "columns that overlap": lambda q: overlapping((4, 3), (16, 16)),
    "backwards over itself": lambda q: overlapping((4, 3), (8, 16))[::-1],
}


@pytest.mark.parametrize("backend", list(BACKENDS))
@pytest.mark.parametrize("unfit", UNFIT)
def test_R10_only_real_memory_of_the_right_kind_is_written_to(arm, backend, unfit):
    f = compile("gravity_forces", arm, backend=backend)
    q = np.zeros((4, 3))
    f(q)
    for given in (q, q.tolist(), [q[0]] * 4):
        if "input" in unfit and given is not q:
            continue
        with pytest.raises(ArgumentError, match="out="):
            f(given, out=UNFIT[unfit](q))
    several = compile("inverse_dynamics_derivatives", arm, backend=backend)
    assert len(several(q, q, q)) == 3
    outs = [np.zeros((4, 3, 3)) for _ in range(3)]
    for place in range(3):
        wrong = [*outs]
        wrong[place] = UNFIT[unfit](q)
        for kind in (tuple, list):
            with pytest.raises(ArgumentError, match="out="):
                several(q, q, q, out=kind(wrong))
    with pytest.raises(ArgumentError, match="overlaps"):
        several(q, q, q, out=(outs[0], outs[0], outs[2]))


def mapped(path):
    return np.memmap(path, np.float64, "w+", shape=(4, 3))


FIT = {
    "plain": lambda path: np.zeros((4, 3)),
    "one in a tuple": lambda path: (np.zeros((4, 3)),),
    "one in a list": lambda path: [np.zeros((4, 3))],
    "fortran": lambda path: np.zeros((4, 3), order="F"),
    "strided": lambda path: np.zeros((8, 9))[::2, 1::3],
    "backwards": lambda path: np.zeros((4, 3))[::-1, ::-1],
    "turned": lambda path: np.zeros((3, 4)).T,
    "part": lambda path: np.zeros((6, 5))[1:5, 1:4],
    "unaligned": lambda path: unaligned((4, 3)),
    "subclass": lambda path: np.zeros((4, 3)).view(Honest),
    "strided subclass": lambda path: np.zeros((4, 6)).view(Honest)[:, ::2],
    "liar that is right": lambda path: np.zeros((4, 3)).view(Lying),
    "matrix": lambda path: np.zeros((4, 3)).view(np.matrix),
    "file": mapped,
}


@pytest.mark.parametrize("backend", list(BACKENDS))
@pytest.mark.parametrize("fit", FIT)
def test_R10_every_real_array_takes_the_result(arm, backend, fit, tmp_path):
    f = compile("gravity_forces", arm, backend=backend)
    q = np.random.default_rng(1).normal(size=(4, 3))
    expected = f(q)
    for given in (q, q.tolist()):
        out = FIT[fit](tmp_path / "numbers")
        target = out[0] if isinstance(out, tuple | list) else out
        assert f(given, out=out) is target
        np.testing.assert_array_equal(np.asarray(target), expected)
        whole = target.base if isinstance(target.base, np.ndarray) and target.dtype == target.base.dtype else target
        assert np.count_nonzero(np.asarray(whole)) == np.count_nonzero(expected), "nothing beside it is written"


# ---- functions of one's own ----------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for row in ALGORITHMS for name in row.names])
@pytest.mark.parametrize("symbolic", [False, True])
def test_W7_a_method_inside_a_compiled_function_is_told_its_function(arm, name, symbolic):
    robot = arm.replace(gravity=(0, -sp.Symbol("g"), 0)) if symbolic else arm
    row = dynamics.algorithm(name)

    def own(machine, q):
        return getattr(machine, name)(*[q] * len(needed(row)))

    arguments = ", ".join(["machine", *needed(row)])
    with pytest.raises(TraceError, match=re.escape(f"call dynamics.{row.name}({arguments})")) as said:
        compile(own, robot)(good())
    assert "own, line" in str(said.value)
    assert callable(getattr(dynamics, row.name)), "the advice can be followed"


LACKING = sorted(
    {name for name in {*dir(st.Robot), "links", "payloads", "source", "colour"} if not name.startswith("_")}
    - {name for row in ALGORITHMS for name in row.names}
    - set(dir(build("rr").tree))
)


@pytest.mark.parametrize("name", LACKING)
@pytest.mark.parametrize("symbolic", [False, True])
def test_W7_what_only_a_robot_has_is_told_with_what_there_is(arm, name, symbolic):
    robot = arm.replace(gravity=(0, -sp.Symbol("g"), 0)) if symbolic else arm
    with pytest.raises(TraceError, match=f"no '{name}'; it may use its name, .*gravity.*steiner.dynamics") as said:
        compile(lambda robot, q: getattr(robot, name), robot)(good())
    assert (f"read {name} of the robot before" in str(said.value)) == (name != "colour")
    assert all(hasattr(arm.tree, known) for known in READABLE)


def test_W7_a_robot_of_outside_called_with_traced_numbers_says_what_to_call(arm):
    with pytest.raises(SteinerError, match=r"traced number.*steiner\.dynamics"):
        compile(lambda robot, q: arm.mass_matrix(q), arm)


def test_W2_other_attribute_errors_of_a_function_pass_through(arm):
    with pytest.raises(AttributeError, match="colour"):
        compile(lambda robot, q: (1).colour, arm)


# ---- at random -----------------------------------------------------------------------------------


def leaves(x):
    if isinstance(x, st.Pose):
        return [x.R, x.p]
    if isinstance(x, dict):
        return [leaf for value in x.values() for leaf in leaves(value)]
    if isinstance(x, tuple | list):
        return [leaf for value in x for leaf in leaves(value)]
    return [] if isinstance(x, str) or x is None else [x]


@pytest.fixture(scope="module")
def targets(arm):
    """All methods of a robot of numbers and of one of symbols, and functions compiled in all ways."""
    symbolic = build("planar3").replace(gravity=(0, -sp.Symbol("g"), 0))
    found = {f"{row.name} of numbers": getattr(arm, row.name) for row in METHODS}
    found |= {f"{row.name} of symbols": getattr(symbolic, row.name) for row in METHODS if len(row.arrays) < 2}

    def own(robot, q, target, scale=1.0):
        return {"reach": dynamics.mass_matrix(robot, q) @ target * (scale if isinstance(scale, float) else 2.0)}

    return found | {
        "parameters": compile("rnea", arm, parameters=["gravity", "link1.inertia", "link2.mass"]),
        "own": compile(own, arm, shapes={"target": 3}),
        "derivatives": compile("mass_matrix", arm, derivatives="q"),
        "float32": compile("forward_dynamics", arm, dtype="float32"),
        "numpy": compile("inverse_dynamics_derivatives", arm, backend="numpy"),
        "one thread": compile("mass_matrix", arm, threads=1),
    }


def given(pick, name):
    """A value for an argument: anything, or the right thing made of anything."""
    what, value = anything(pick)
    if name in ("external", "exerted_by_robot") and pick.random() < 0.6:
        try:
            value = st.Wrench(acting_on=pick.choice(["link1", None, 5]), **{pick.choice(["force", "at"]): value})
        except SteinerError:
            value = [st.Wrench(force=np.ones((4, 3)), acting_on="link2")]
    elif name == "parameters" and pick.random() < 0.8:
        value = {pick.choice(["gravity", "link1.inertia", "link2.mass"]): value}
    elif name == "out" and pick.random() < 0.6:
        value = (UNFIT | FIT)[pick.choice([*UNFIT, *(k for k in FIT if k != "file")])](np.zeros((4, 3)))
    return what, value


def fuzz(targets, seed, count):
    pick = random.Random(seed)
    outcomes = {"numbers": 0, "refused": 0}
    for k in range(count):
        name = pick.choice(list(targets))
        signature = inspect.signature(targets[name])
        arguments = {p.name: good() for p in signature.parameters.values() if p.default is p.empty}
        wrong = {}
        for argument in pick.sample(list(signature.parameters), pick.randrange(1, 3)):
            wrong[argument], arguments[argument] = given(pick, argument)
        try:
            result = targets[name](**arguments)
        except SteinerError as error:
            outcomes["refused"] += 1
            assert len(str(error)) < 1500 and "\n" not in str(error)
        except BaseException as error:
            raise AssertionError(f"case {k} of seed {seed}: {name} with {wrong}: {error!r}") from error
        else:
            outcomes["numbers"] += 1
            for leaf in leaves(result):
                ok = np.asarray(leaf).dtype in (np.float64, np.float32, object)
                assert ok, f"case {k} of seed {seed}: {name} with {wrong}: {leaf!r}"
    return outcomes


@pytest.mark.parametrize("seed", range(10))
def test_every_outcome_is_numbers_or_a_sentence(targets, seed):
    outcomes = fuzz(targets, seed, 120)
    assert min(outcomes.values()) > 10


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(100, 130))
def test_every_outcome_of_many_is_numbers_or_a_sentence(targets, seed):
    fuzz(targets, seed, 400)


def test_N10_masked_arrays_without_masked_entries_are_arrays(arm):
    np.testing.assert_array_equal(arm.mass_matrix(masked((0, 0, 0))), arm.mass_matrix([0.1, 0.2, 0.3]))
