"""What the machine could do at best, threads, and a billion samples."""

from __future__ import annotations

import ctypes
import time
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
from steiner.backends.llvm.fuse import fused
from steiner.backends.llvm.schedule import TRIG
from steiner.kernels.compile import compile as compiled
from steiner.trace import Op, Tape

STREAMS = 12  # independent chains of multiply-adds: more than two a cycle times the latency of four


def best(work: Any, repeats: int) -> float:
    """Seconds of the quickest call."""
    return min(timed(work, 1) for _ in range(repeats))


def limits(repeats: int = 3000, numbers: int = 1 << 26) -> dict[str, float]:
    """Nanoseconds per fused multiply-add and sample, and bytes per nanosecond from and to memory, one thread."""
    lanes, turns = engine.lanes(np.dtype(np.float64)), 10_000
    library = engine.Library(engine.object_code(multiply_adds(lanes)), "peak")
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)(library.address("peak"))
    spent = best(lambda: run(0.5, turns), repeats)  # the limit is the best that was ever seen
    a, b = np.ones(numbers), np.zeros(numbers)
    return {
        "ns_per_multiply_add": 1e9 * spent / turns / STREAMS / lanes,
        "bytes_per_ns": 2 * a.nbytes / (1e9 * best(lambda: np.copyto(b, a), 8)),
    }


def multiply_adds(lanes: int) -> str:
    """LLVM text of a loop of nothing but independent multiply-adds."""
    T, f = f"<{lanes} x double>", f"@llvm.fma.v{lanes}f64"
    chains = range(STREAMS)
    return "\n".join([
        f"declare {T} {f}({T}, {T}, {T})", "define double @peak(double %x, i64 %n) #0 {", "entry:",
        f"%one = insertelement {T} poison, double %x, i32 0",
        f"%v = shufflevector {T} %one, {T} poison, <{lanes} x i32> zeroinitializer", "br label %loop", "loop:",
        "%i = phi i64 [0, %entry], [%j, %loop]",
        *(f"%a{k} = phi {T} [%v, %entry], [%b{k}, %loop]" for k in chains),
        *(f"%b{k} = call {T} {f}({T} %a{k}, {T} %v, {T} %v)" for k in chains),
        "%j = add i64 %i, 1", "%more = icmp slt i64 %j, %n", "br i1 %more, label %loop, label %done", "done:",
        *(f"%s{k} = fadd {T} %{f's{k - 1}' if k else 'v'}, %b{k}" for k in chains),
        f"%r = extractelement {T} %s{STREAMS - 1}, i32 0", "ret double %r", "}", engine.attributes(),
    ])  # fmt: skip


def instructions(tape: Tape) -> int:
    """Floating-point instructions of a kernel without its loads, stores and transpositions; 30 for sine and cosine."""
    plain = sum(row[0] > Op.INPUT and row[0] not in TRIG for row in fused(tape).rows)
    return plain + 30 * max(tape.counts["sin"], tape.counts["cos"])


def distances(rows: list[Row]) -> dict[str, Any]:
    """What the machine could do at best, and how far from it the kernels are that goals ask for."""
    bound = limits()
    robots = {r.name: r for r in (panda(), chain(30), general(30), chain(7), chain(100))}
    wanted = dict.fromkeys((goal.robot, goal.case) for goal in GOALS if goal.robot in robots)
    wanted |= {(name, case.key): None for name in (SHORT, LONG) for case in BOTH}
    result = []
    for name, key in wanted:
        _, plan = compiled(key, robots[name], backend="numpy").variant()
        size = 8 * (sum(n for _, n in plan.tape.inputs) + sum(o.size for o in plan.tape.outputs))
        result.append({
            "robot": name, "case": key, "instructions": instructions(plan.tape), "bytes": size,
            "processor_limit_ns": instructions(plan.tape) * bound["ns_per_multiply_add"],
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
