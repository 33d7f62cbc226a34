"""What the machine could do at best, threads, and a billion samples."""

from __future__ import annotations

import ctypes
import time
from collections import Counter
from typing import Any

import numpy as np

import steiner as st
from bench.cases import BOTH, CASES
from bench.counts import counts
from bench.goals import GOALS, LONG, SHORT
from bench.measure import Row, Single, interleaved, states, timed
from bench.peers import Pinocchio, Steiner
from bench.robots import chain, general, panda, panda_with_friction
from steiner.backends.llvm import engine
from steiner.backends.llvm.fuse import FMA, fused
from steiner.backends.llvm.schedule import TRIG
from steiner.kernels.compile import compile as compiled
from steiner.trace import Op, Tape

STREAMS = 12, 0  # independent chains of multiply-adds, and of additions: more than two a cycle times their latency
BOTH_STREAMS = 8, 6  # as many as 16 registers hold


def best(work: Any, repeats: int) -> float:
    """Seconds of the quickest call."""
    return min(timed(work, 1) for _ in range(repeats))


def limits(repeats: int = 3000, numbers: int = 1 << 26) -> dict[str, float]:
    """Nanoseconds per sample and fused multiply-add, or operation where others are additions; bytes per nanosecond.

    Some processors add beside their multiply-adds, others instead of them.
    """
    lanes, turns, spent = engine.lanes(np.dtype(np.float64)), 10_000, []
    for streams in (STREAMS, BOTH_STREAMS):
        library = engine.Library(engine.object_code(operations(lanes, *streams)), "peak")
        run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)(library.address("peak"))
        seconds = best(lambda run=run: run(0.5, turns), repeats)  # the limit is the best that was ever seen
        spent.append(1e9 * seconds / turns / sum(streams) / lanes)
    a, b = np.ones(numbers), np.zeros(numbers)
    return {
        "ns_per_multiply_add": spent[0],
        "ns_per_operation": min(spent),
        "bytes_per_ns": 2 * a.nbytes / (1e9 * best(lambda: np.copyto(b, a), 8)),
    }


def operations(lanes: int, multiply_adds: int, additions: int) -> str:
    """LLVM text of a loop of nothing but independent multiply-adds and additions."""
    T, f = f"<{lanes} x double>", f"@llvm.fma.v{lanes}f64"
    chains = range(multiply_adds + additions)
    kinds = sorted(chains, key=lambda k: k / multiply_adds if k < multiply_adds else (k - multiply_adds) / additions)
    return "\n".join([
        f"declare {T} {f}({T}, {T}, {T})", "define double @peak(double %x, i64 %n) #0 {", "entry:",
        f"%one = insertelement {T} poison, double %x, i32 0",
        f"%v = shufflevector {T} %one, {T} poison, <{lanes} x i32> zeroinitializer", "br label %loop", "loop:",
        "%i = phi i64 [0, %entry], [%j, %loop]",
        *(f"%a{k} = phi {T} [%v, %entry], [%b{k}, %loop]" for k in chains),
        *(
            f"%b{k} = call {T} {f}({T} %a{k}, {T} %v, {T} %v)" if k < multiply_adds else f"%b{k} = fadd {T} %a{k}, %v"
            for k in kinds
        ),
        "%j = add i64 %i, 1", "%more = icmp slt i64 %j, %n", "br i1 %more, label %loop, label %done", "done:",
        *(f"%s{k} = fadd {T} %{f's{k - 1}' if k else 'v'}, %b{k}" for k in chains),
        f"%r = extractelement {T} %s{chains[-1]}, i32 0", "ret double %r", "}", engine.attributes(),
    ])  # fmt: skip


def instructions(tape: Tape) -> tuple[int, int]:
    """Floating-point instructions of a kernel without its loads, stores and transpositions, and those that multiply.

    Sine and cosine of an angle are 30 of them, of which 20 multiply.
    """
    counted = Counter(row[0] for row in fused(tape).rows)
    angles = max(tape.counts["sin"], tape.counts["cos"])
    plain = sum(count for op, count in counted.items() if op > Op.INPUT and op not in TRIG)
    return plain + 30 * angles, counted[Op.MUL] + counted[FMA] + 20 * angles


def distances(rows: list[Row]) -> dict[str, Any]:
    """What the machine could do at best, and how far from it the kernels are that goals ask for."""
    bound = limits()
    robots = {r.name: r for r in (panda(), chain(30), general(30), chain(7), chain(100))}
    wanted = dict.fromkeys((goal.robot, goal.case) for goal in GOALS if goal.robot in robots)
    wanted |= {(name, case.key): None for name in (SHORT, LONG) for case in BOTH}
    result = []
    for name, key in wanted:
        _, plan = compiled(key, robots[name], backend="numpy").variant()
        all_of_them, products = instructions(plan.tape)
        size = 8 * (sum(n for _, n in plan.tape.inputs) + sum(o.size for o in plan.tape.outputs))
        result.append({
            "robot": name, "case": key, "instructions": all_of_them, "products": products, "bytes": size,
            "processor_limit_ns": max(
                products * bound["ns_per_multiply_add"], all_of_them * bound["ns_per_operation"]
            ),
            "memory_limit_ns": size / bound["bytes_per_ns"], "counts": counts(plan.tape),
            "ns": {row.batch: row.ns["steiner"] for row in rows if (row.robot, row.case) == (name, key)},
        })  # fmt: skip
    return bound | {"cases": result}


def two_threads(robot: st.Robot, count: int = 1_000_000) -> dict[str, float]:
    """Speed-up by a second thread on a million samples."""
    state = list(np.random.default_rng(0).uniform(-1.5, 1.5, (3, count, robot.n)))
    out, result = np.zeros((count, robot.n)), {}
    for key in ("inverse_dynamics", "forward_dynamics"):
        calls = [compiled(key, robot, threads=k) for k in (1, 2)]
        spent = [float("inf")] * 2
        for _ in range(20):
            for k, call in enumerate(calls):
                spent[k] = min(spent[k], timed(lambda call=call: call(*state, out=out), 1))
        result[key] = spent[0] / spent[1]
    return result


def call_with_friction(at_least: float = 0.1, repeats: int = 15) -> Row:
    """One call on the Panda with the friction of its file, beside Pinocchio, which leaves friction out."""
    robot, case = panda_with_friction(), CASES[0]
    arrays = [a[0] for a in states(case, 1, robot.n)]
    works = {peer.name: Single(*(peer.one(case, arrays) or ())) for peer in (Steiner(robot), Pinocchio(robot))}
    friction = robot.friction_forces(*arrays[:2])
    ours, theirs = (np.array(work()) for work in works.values())
    error = float(np.abs(ours - friction - theirs).max() / np.abs(theirs).max())
    if not error <= case.tolerance or not friction.any():
        raise SystemExit(f"with friction: {error:.2e} beside Pinocchio without it; not measured")
    best_ns = interleaved(works, at_least, repeats)
    return Row(robot.name, robot.n, case.key, case.title, 1, best_ns, dict.fromkeys(works, error))


def a_billion(robot: st.Robot, total: int = 1_000_000_000, block: int = 200_000) -> float:
    """Seconds for a billion inverse dynamics, streamed in blocks through two threads."""
    call = compiled("inverse_dynamics", robot, threads=2)
    state = list(np.random.default_rng(0).uniform(-1.5, 1.5, (3, block, robot.n)))
    out = np.zeros((block, robot.n))
    call(*state, out=out)
    start = time.perf_counter()
    for _ in range(total // block):
        call(*state, out=out)
    return time.perf_counter() - start
