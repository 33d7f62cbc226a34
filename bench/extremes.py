"""What the machine could do at best, threads, and a billion samples."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import steiner as st
from bench.measure import timed
from steiner.backends import compile_tape
from steiner.compiling import compile as compiled
from steiner.trace import Tape, trace

CHAINS, STEPS = 16, 40  # independent chains of multiply-adds, enough to fill the pipes


def best(work: Any, repeats: int) -> float:
    """Seconds of the quickest call."""
    return min(timed(work, 1) for _ in range(repeats))


def limits() -> dict[str, float]:
    """Nanoseconds per fused multiply-add and sample, and bytes per nanosecond from and to memory, one thread."""

    def work(x: np.ndarray) -> list[np.ndarray]:
        values = [x[0] * (1 + k / 64) for k in range(CHAINS)]
        for step in range(STEPS):
            values = [v * (0.5 + step / 97) + (k + 1) / 7 for k, v in enumerate(values)]
        return [np.array([sum(values[1:], values[0])])]

    tape = trace(work, [("x", 1)])
    kernel, count = compile_tape(tape, backend="llvm", threads=1), 4096
    x, y = np.ones((count, 1)), np.zeros((count, 1))
    spent = best(lambda: kernel([x], [y], count), 5000)  # the limit is the best that was ever seen
    a, b = np.ones(1 << 26), np.zeros(1 << 26)
    return {
        "ns_per_multiply_add": 1e9 * spent / count / (CHAINS * STEPS),
        "bytes_per_ns": 2 * a.nbytes / (1e9 * best(lambda: np.copyto(b, a), 8)),
    }


def instructions(tape: Tape) -> int:
    """Floating-point instructions at best: every product that is added once fused, 30 for a sine with its cosine."""
    uses: dict[int, int] = {}
    for op, *operands in tape.rows:
        for x in operands if 2 <= op <= 5 else [x >> 1 for x in operands if op > 5]:
            uses[x] = uses.get(x, 0) + 1
    fused = set()
    for op, *operands in tape.rows:
        if op in (2, 3):
            for x in operands:
                if tape.rows[x][0] == 4 and uses[x] == 1 and x not in fused:
                    fused.add(x)
                    break
    return tape.flops - len(fused) + 30 * max(tape.counts["sin"], tape.counts["cos"])


def distances(robot: st.Robot, rows: list) -> list[dict[str, Any]]:
    """How far the kernels are from the processor's and the memory's limit, at 1k and 100k samples."""
    bound = limits()
    result = []
    for key in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives"):
        call = compiled(key, robot, backend="numpy")
        state = [np.zeros(robot.n)] * len(call.algorithm.arrays)
        call(*state)
        (plan,) = call._plans.values()
        size = 8 * (sum(n for _, n in plan.tape.inputs) + sum(o.size for o in plan.tape.outputs))
        found = {row.batch: row.ns["steiner"] for row in rows if row.case == key and row.robot == robot.name}
        result.append({
            "case": key, "instructions": instructions(plan.tape), "bytes": size,
            "processor_limit_ns": instructions(plan.tape) * bound["ns_per_multiply_add"],
            "memory_limit_ns": size / bound["bytes_per_ns"],
            "ns_1k": found.get(1_000), "ns_100k": found.get(100_000),
        })  # fmt: skip
    return [bound, *result]


def two_threads(robot: st.Robot, count: int = 1_000_000) -> dict[str, float]:
    """Speed-up by a second thread on a million samples."""
    state = list(np.random.default_rng(0).uniform(-1.5, 1.5, (3, count, robot.n)))
    out, result = np.zeros((count, robot.n)), {}
    for key in ("inverse_dynamics", "forward_dynamics"):
        calls = [compiled(key, robot, threads=k) for k in (1, 2)]
        spent = [float("inf")] * 2
        for _ in range(8):
            for k, call in enumerate(calls):
                spent[k] = min(spent[k], timed(lambda call=call: call(*state, out=out), 1))
        result[key] = spent[0] / spent[1]
    return result


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
