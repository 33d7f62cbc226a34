"""Times that can be believed: interleaved, minimum over repeats, agreement checked before."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.cases import Case, Setup


@dataclass
class Row:
    """One case at one batch size: nanoseconds per sample and error by peer."""

    robot: str
    joints: int
    case: str
    title: str
    batch: int
    ns: dict[str, float] = field(default_factory=dict)
    error: dict[str, float] = field(default_factory=dict)
    python_loop: list[str] = field(default_factory=list)  # peers that have no batch of their own here

    @property
    def ratio(self) -> dict[str, float]:
        """How many times longer the others take."""
        ours = self.ns["steiner"]
        return {name: value / ours for name, value in self.ns.items() if name != "steiner"}


def loops_for(work: Callable[[], object], at_least: float) -> int:
    """How often to repeat so that one measurement lasts long enough for the clock."""
    count = 1
    while (spent := timed(work, count)) < at_least / 2:
        count = max(2 * count, min(100 * count, int(count * at_least / max(spent, 1e-9))))
    return count


class Single:
    """A call of one state, written out with its arguments: unpacking them would cost as much as the work."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.function, self.arguments = function, arguments
        names = ", ".join(f"a{k}" for k in range(len(arguments)))
        space: dict[str, Any] = {}
        exec(f"def loop(f, count, {names}):\n    for _ in range(count):\n        f({names})", space)
        self.loop = space["loop"]

    def __call__(self) -> object:
        return self.function(*self.arguments)


def timed(work: Callable[[], object], count: int) -> float:
    """Seconds for so many calls."""
    if isinstance(work, Single):
        start = time.perf_counter()
        work.loop(work.function, count, *work.arguments)
        return time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(count):
        work()
    return time.perf_counter() - start


def states(case: Case, batch: int, n: int, seed: int = 0) -> list[np.ndarray]:
    """Joint vectors, the same for everybody."""
    every = np.random.default_rng(seed).uniform(-1.5, 1.5, (case.inputs, batch, n))
    return [np.ascontiguousarray(x) for x in every]


def measured(case: Case, batch: int, peers: list, robot: Any, repeats: int, at_least: float) -> Row:
    """Every peer on the same data, taking turns."""
    n = robot.n
    row = Row(robot.name, n, case.key, case.title, batch)
    arrays = states(case, batch, n)
    single = [a[0] for a in arrays]
    works = {}
    for peer in peers:
        work = peer.one(case, single) if batch == 1 else peer.many(case, arrays)
        if work is not None:
            works[peer.name] = Single(*work) if batch == 1 else work
            if batch > 1 and peer.loops(case):
                row.python_loop.append(peer.name)
    check(case, row, works, n)
    row.ns = {name: ns / batch for name, ns in interleaved(works, at_least, repeats).items()}
    return row


def interleaved(works: dict[str, Any], at_least: float, repeats: int) -> dict[str, float]:
    """Nanoseconds of the quickest call of each, taking turns."""
    loops = {name: loops_for(work, at_least) for name, work in works.items()}
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], timed(work, loops[name]) / loops[name])
    return {name: 1e9 * seconds for name, seconds in best.items()}


def several(results: object) -> tuple:
    """One result or a tuple of them, as a tuple."""
    return results if isinstance(results, tuple) else (results,)


def check(case: Case, row: Row, works: dict, n: int) -> None:
    """All agree with the first, to the case's tolerance, or nothing is measured."""
    ours = [np.array(x) for x in several(works["steiner"]())]
    for name, work in works.items():
        errors = []
        for mine, theirs, shape in zip(ours, several(work()), case.shapes(n), strict=True):
            a, b = mine.reshape(-1, *shape), np.array(theirs).reshape(-1, *shape)
            errors.append(float(np.abs(a - b).max() / np.abs(b).max()))
        row.error[name] = float(np.max(errors))
        if not row.error[name] <= case.tolerance:
            raise SystemExit(f"{case.title}: {name} differs by {row.error[name]:.2e} and is not measured")


def rows_of(setup: Setup, kinds: list, *, repeats: int, at_least: float, cases: set[str]) -> list[Row]:
    """Every case of a setup at every batch size, by the peers that are installed."""
    robot = setup.robot()
    peers = [kind(robot) for kind in (kinds if setup.everybody else kinds[:2])]
    chosen = [case for case in setup.cases if not cases or case.key in cases]
    return [
        measured(case, batch, peers, robot, min(repeats, 8) if batch > 200_000 else repeats, at_least)
        for case in chosen
        for batch in setup.batches
    ]
