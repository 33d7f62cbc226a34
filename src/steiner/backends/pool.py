"""Threads over ranges of a batch; kernels run without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from steiner.errors import ArgumentError
from steiner.locks import LOCK

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

PARTS = 8

_pool: tuple[int, ThreadPoolExecutor, int] | None = None  # process, pool, size


def thread_count() -> int:
    """`STEINER_THREADS`, or all cores that this process may use."""
    chosen = os.environ.get("STEINER_THREADS")
    if chosen:
        try:
            return max(int(chosen), 1)
        except ValueError:
            raise ArgumentError(f"STEINER_THREADS={chosen!r}: expected a whole number") from None
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(count: int, grain: int, lanes: int, threads: int) -> list[tuple[int, int]]:
    """Ranges of whole blocks, none smaller than the grain: several per thread, for cores are not equally free."""
    parts = min(count // grain, threads * PARTS) if threads > 1 else 1
    step = -(-count // max(parts, 1) // lanes) * lanes
    return [(lo, min(lo + step, count)) for lo in range(0, count, step or 1)]


def run(work: Callable[[int, int], None], parts: list[tuple[int, int]], threads: int) -> None:
    """Do all parts on so many threads, this one included; who is done takes the next."""
    left = iter(parts)

    def take() -> None:
        for part in left:
            work(*part)

    futures: list[Future[None]] = []
    try:
        _ask(take, min(threads, len(parts)) - 1, futures)
        take()
        for future in futures:
            future.result()
    except BaseException:  # who interrupts a call may use its arrays at once: not before others have ceased to write
        _settled(left, futures)
        raise


def _settled(left: Iterable[object], futures: list[Future[None]]) -> None:
    """Begin no more parts and wait for those begun, however often somebody presses Ctrl-C meanwhile."""
    with LOCK:
        from concurrent.futures import wait  # brings logging: who needs one thread does not wait for it

    while True:
        try:
            for _part in left:
                pass
            wait(futures)
            return
        except KeyboardInterrupt:
            continue


def _ask(take: Callable[[], None], others: int, futures: list[Future[None]]) -> None:
    """Let so many other threads help, if the interpreter still starts work on others."""
    try:
        for _ in range(others):
            futures.append(_executor(others).submit(take))
    except RuntimeError:  # it is shutting down: this thread does what is left
        return


def _executor(size: int) -> ThreadPoolExecutor:
    """A pool of at least this size; a forked child makes its own, for its parent's threads are not there."""
    global _pool
    with LOCK:
        from concurrent.futures import ThreadPoolExecutor

    process = os.getpid()
    if _pool is None or _pool[0] != process or _pool[2] < size:
        _pool = (process, ThreadPoolExecutor(size, "steiner"), size)
    return _pool[1]
