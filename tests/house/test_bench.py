"""The benchmark measures only what agrees, and its tables hang together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bench.cases import CASES
from bench.measure import Row, check, loops_for, measured
from steiner import Robot


class Fake:
    """A peer that returns a constant."""

    def __init__(self, name: str, value: float) -> None:
        self.name, self.value = name, value

    def loops(self, case):
        return True

    def one(self, case, arrays):
        return (lambda _: tuple(np.full(shape, self.value) for shape in case.shapes(2)), None)

    def many(self, case, arrays):
        return lambda: tuple(np.full((len(arrays[0]), *shape), self.value) for shape in case.shapes(2))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.key)
def test_every_case_is_a_method_of_robots(case):
    assert callable(getattr(Robot, case.key).__get__) and case.title and case.tolerance <= 1e-12


@pytest.mark.parametrize("batch", [1, 16])
def test_what_disagrees_is_not_measured(batch):
    robot = SimpleNamespace(name="two", n=2)
    good = measured(CASES[0], batch, [Fake("steiner", 1.0), Fake("peer", 1.0)], robot, repeats=1, at_least=1e-5)
    assert set(good.ns) == {"steiner", "peer"} and good.ratio["peer"] > 0
    assert good.python_loop == (["steiner", "peer"] if batch > 1 else []), "loops are marked as such"
    with pytest.raises(SystemExit, match="peer differs"):
        measured(CASES[0], batch, [Fake("steiner", 1.0), Fake("peer", 1.0 + 1e-9)], robot, repeats=1, at_least=1e-5)


def test_a_peer_that_gives_nan_is_not_measured():
    works = {"steiner": lambda: np.ones(2), "peer": lambda: np.array([1.0, np.nan])}
    with pytest.raises(SystemExit):
        check(CASES[0], Row("", 2, "", "", 1), works, 2)


def test_quick_work_is_repeated_until_the_clock_can_see_it():
    assert loops_for(lambda: None, 0.001) > 1000


def test_the_machine_tells_its_limits():
    from bench.extremes import limits

    found = limits(repeats=3, numbers=1 << 16)
    assert 0 < found["ns_per_operation"] <= found["ns_per_multiply_add"] < 10 and found["bytes_per_ns"] > 0


def test_a_call_with_friction_is_held_against_one_without():
    pytest.importorskip("pinocchio")
    from bench.extremes import call_with_friction

    assert call_with_friction(at_least=1e-5, repeats=1).error["pinocchio"] < 1e-12


def test_what_starts_ends_and_takes_time():
    from bench.start import CASES, cpu_time, part_times

    assert all(cpu_time(program, "") > 0 for name, (program, _) in CASES.items() if name in ("numpy", "steiner --help"))
    assert min(part_times(repeats=1).values()) > 0


def test_the_table_in_the_readme_is_the_one_that_was_measured():
    from tools import speed

    readme = speed.README.read_text(encoding="utf-8")
    assert speed.written(readme) == readme, "run `python -m tools.speed`"
    assert speed.START in readme and "| panda | inverse dynamics |" in readme


def test_goals_are_judged_by_the_machine_and_the_worse_run_counts():
    from bench.goals import GOALS, verdicts, worse

    def row(robot, case, batch, ns, peer):
        found = Row(robot, 7, case, case, batch)
        found.ns, found.error = {"steiner": ns, "pinocchio": peer}, {}
        return found

    slow, fast = (row("panda", "inverse_dynamics", 1_000, ns, 1000.0) for ns in (25.0, 20.0))
    assert worse([fast], [slow]) == worse([slow], [fast]) == [slow]
    cases = (("avx2 fma", 37.0, "must is met"), ("avx2 fma", 44.0, "met"), ("avx512f", 44.0, "short by 27 %"))
    for vector, ratio, said in cases:
        measured = row("panda", "inverse_dynamics", 1_000, 1.0, ratio)
        rows = [vars(measured) | {"ratio": measured.ratio}]
        (goal,) = verdicts({"rows": rows, "machine": {"vector": vector}})
        assert goal["verdict"] == said and goal["measured"] == ratio
    assert all(goal.must <= goal.reach for goal in GOALS)
    with_threads = verdicts({"rows": [], "machine": {}, "speed_up_by_a_second_thread": {"inverse_dynamics": 1.5}})
    assert with_threads[0]["verdict"] == "short by 17 %"


def test_starts_parts_and_files_are_judged_too():
    from bench.goals import speeds, starts, told

    numpy = {"case": "numpy", "seconds": 0.1, "ratio": 1.0, "goal": 1.0}
    rows = [numpy, *(numpy | {"case": str(ratio), "ratio": ratio, "goal": 1.2} for ratio in (1.2, 1.26))]
    assert [row[-1] for row in starts(rows, {"made": 15.0, "summed": 23.1})] == [
        "met", "short by 5 %", "met", "short by 5 %",
    ]  # fmt: skip
    slow = {"case": "torques, csv", "rate": 1e5, "goal": 2e5}
    assert told(speeds([slow])) == "torques, csv: 0.10 M rows/s of six joints (goal 0.2: short by 50 %)"


CODE = """\
kernel_segment0:                        # @kernel_segment0
	pushq	%rbp
.LBB0_1:                                # %loop
	vmovapd	64(%rcx), %ymm0
	#APP
	vmulpd 32(%rdx), %ymm0, %ymm1
	vfmadd231pd (%rcx), %ymm1, %ymm0
	vmovapd %ymm0, 128(%rcx)
	#NO_APP
	jne	.LBB0_3
.LBB0_2:                                # %far1_slow
	vmulpd	%ymm0, %ymm0, %ymm0
	callq	steiner_sin
.LBB0_3:                                # %far1_go
	vaddpd	%ymm0, %ymm0, %ymm0
	retq
.Lfunc_end0:
other:
	vaddpd	%ymm0, %ymm0, %ymm0
"""


def test_instructions_of_every_block_are_counted_and_no_others():
    from bench.counts import counted

    assert counted(CODE, {}) == {"arithmetic": 3, "loads": 3, "stores": 1, "instructions": 8}
    assert counted(CODE, {"segment0": 2.5, "unit": 7})["instructions"] == 20


def test_a_kernel_has_an_instruction_for_each_operation():
    import steiner as st
    from bench.counts import counts
    from bench.extremes import instructions
    from steiner.backends.llvm import engine
    from steiner.kernels.compile import compile as compiled

    _, plan = compiled("inverse_dynamics", st.load("gallery:puma560"), backend="numpy").variant()
    found = counts(plan.tape)
    if not engine.is_x86():
        pytest.skip("only code for x86 is counted")
    both, products = instructions(plan.tape)
    assert 0.8 < found["arithmetic"] / both < 1.2 and both / 2 < products < both
    assert found["instructions"] > found["arithmetic"] + found["stores"] and found["code_bytes"] > 5000


def test_costs_per_joint_are_bound_by_the_operations_of_a_joint():
    from bench.goals import bound_per_joint

    counted = ((7, 700), (100, 11_500))
    cases = [{"robot": f"chain{n}", "case": "inverse_dynamics", "instructions": k} for n, k in counted]
    assert bound_per_joint({"limits": {"cases": cases}}, "inverse_dynamics") == "1.15 by arithmetic"
    assert bound_per_joint({}, "inverse_dynamics") == ""
