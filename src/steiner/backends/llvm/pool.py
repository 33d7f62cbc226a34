"""Threads over ranges of a batch; kernels run without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_pool: tuple[int, ThreadPoolExecutor, int] | None = None  # process, pool, size


def thread_count() -> int:
    """`STEINER_THREADS`, or all cores that this process may use."""
    chosen = os.environ.get("STEINER_THREADS")
    if chosen:
        return max(int(chosen), 1)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(count: int, grain: int, lanes: int, threads: int | None) -> list[tuple[int, int]]:
    """Ranges of whole blocks, one per thread, none smaller than the grain."""
    parts = min(count // grain, threads or thread_count()) if count >= 2 * grain else 1
    if parts <= 1:
        return [(0, count)]
    step = -(-count // parts // lanes) * lanes
    return [(lo, min(lo + step, count)) for lo in range(0, count, step)]


def run(work: Callable[[int, int], None], parts: list[tuple[int, int]]) -> None:
    """Do all parts, the first one on this thread."""
    if len(parts) == 1:
        work(*parts[0])
        return
    futures = [_executor(len(parts) - 1).submit(work, *part) for part in parts[1:]]
    work(*parts[0])
    for future in futures:
        future.result()


def _executor(size: int) -> ThreadPoolExecutor:
    """A pool of at least this size; a forked child makes its own, for its parent's threads are not there."""
    global _pool
    process = os.getpid()
    if _pool is None or _pool[0] != process or _pool[2] < size:
        _pool = (process, ThreadPoolExecutor(size, "steiner"), size)
    return _pool[1]
