"""`steiner bench`: how fast a robot's algorithms are on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from steiner.cli.common import RobotArgument, find, terminal_width
from steiner.errors import SteinerError

ALGORITHMS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
TURN, TURNS = 0.02, 7  # seconds that a measurement lasts at least, and how many there are: the least counts


def bench(
    robot: RobotArgument,
    batch: Annotated[list[int] | None, typer.Option(metavar="N", help="States in a call; may be repeated.")] = None,
    algorithm: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A method of robots; may be repeated.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: nanoseconds with all digits.")] = False,
) -> None:
    """Nanoseconds per state of a robot's algorithms, alone and in batches, on this machine.

    The states are random; the first call, which compiles, is told apart. Times are the least of several; a busy
    machine makes them longer. How many threads large batches use is up to STEINER_THREADS.

    Example: `steiner bench panda`, or `STEINER_THREADS=1 steiner bench arm.urdf --batch 100000`
    """
    import numpy as np

    arm = find(robot)
    sizes = batch or [1, 1000, 100_000]
    if min(sizes) < 1 or max(sizes) > 10_000_000:
        raise SteinerError(f"--batch {min(sizes) if min(sizes) < 1 else max(sizes)}: expected 1 to 10000000")
    if arm.n == 0 or arm.is_symbolic:
        raise SteinerError(f"{robot}: nothing to measure: expected joints that move, and numbers only")
    rng, rows = np.random.default_rng(0), []
    for name in algorithm or ALGORITHMS:
        inputs = _inputs(arm, name)
        method, first = getattr(arm, name), rng.uniform(-1, 1, (inputs, 2, arm.n))
        start = time.perf_counter()
        method(*first)
        rows.append({"algorithm": name, "first_call_ms": 1e3 * (time.perf_counter() - start)})
        for size in sizes:
            states = rng.uniform(-1, 1, (inputs, size, arm.n))
            given = [x[0] for x in states] if size == 1 else list(states)
            rows[-1][str(size)] = 1e9 * _least(lambda call=method, given=given: call(*given)) / size
    typer.echo(_told(arm, sizes, rows, json))


def _inputs(arm: Any, name: str) -> int:
    """How many joint vectors a method takes, which must be all that it needs."""
    from steiner.dynamics import METHODS
    from steiner.errors import unknown

    found = next((a for a in METHODS if a.name == name), None)
    if found is None:
        raise SteinerError(unknown("--algorithm", name, [a.name for a in METHODS]))
    vectors = [a for a in found.arrays if a not in ("base", "point")]
    if name in ("jacobian", "forward_kinematics"):
        raise SteinerError(f"--algorithm {name}: it asks for a link; measure one that takes joints only")
    return len(vectors)


def _least(work: Callable[[], object]) -> float:
    """Seconds of a call: the least of several turns."""
    count, best = 1, float("inf")
    while best * count < TURN:
        start = time.perf_counter()
        for _ in range(count):
            work()
        best = min(best, (time.perf_counter() - start) / count)
        count *= 2
    for _ in range(TURNS):
        start = time.perf_counter()
        for _ in range(count):
            work()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def _told(arm: Any, sizes: list[int], rows: list[dict[str, Any]], json: bool) -> str:
    from steiner.backends import default_backend
    from steiner.backends.pool import thread_count
    from steiner.text import names
    from steiner.text.tables import Table

    about = {"robot": arm.name, "joints": arm.n, "backend": default_backend(), "threads": thread_count()}
    if json:
        return names.json(about | {"unit": "ns per state", "rows": rows})
    head = ["algorithm", "first call, ms", *("alone, ns" if size == 1 else f"batch of {size}, ns" for size in sizes)]
    cells = [[r["algorithm"], f"{r['first_call_ms']:.0f}", *(f"{r[str(k)]:.1f}" for k in sizes)] for r in rows]
    caption = f"{arm.name}, {arm.n} joints: nanoseconds per state ({about['backend']}, {about['threads']} threads)"
    return Table(head, cells, caption=caption, align="l" + "r" * (len(head) - 1)).text(terminal_width())
