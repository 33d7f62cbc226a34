"""The native backend: a tape becomes vector code over the batch, through LLVM.

vector.py and elementary.py write instructions, fuse.py and schedule.py shape a tape and cut it into segments,
code.py writes a block, stretches.py and x86.py those parts of it that LLVM would write worse, driver.py the walk over a
batch, stepping.py a kernel fed with its own results, engine.py speaks to LLVM, cache.py keeps object code on disk.
walk.py computes a single sample without code, for those who ask once.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from steiner.backends.llvm import engine, fastcall
from steiner.backends.pool import ranges, run, thread_count
from steiner.locks import LOCK
from steiner.trace import Remembered, Tape

HEAP_BYTES = 2 << 20  # of results: beyond, malloc gives their pages back, and they are recycled
STREAM_BYTES = 32 << 20  # outputs larger than caches, and than the inputs, are written past them
LONGEST = 120_000  # rows that LLVM takes some ten seconds for
THREAD_WORK = 250_000  # operations on vectors that are worth a thread of their own: some 50 µs

_PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 3)


def module(tape: Tape, dtype: np.dtype, lanes: int, columns: bool = False) -> Any:
    """The text of a tape in parts: with the vectors of AVX2 and AVX-512, what repeats in a long one is written once."""
    from steiner.backends.llvm.code import WIDE, Module
    from steiner.backends.llvm.fuse import LONG

    found, size = None, lanes * dtype.itemsize
    if tape.length > LONG and lanes > 1 and not columns and (size >= WIDE or engine.writes_instructions(size)):
        from steiner.backends.llvm.alike import repeated

        found = repeated(tape, dtype, lanes)
    return found or Module(tape, dtype, lanes, columns=columns)


def source(tape: Tape, dtype: np.dtype, lanes: int, columns: bool = False) -> str:
    """The LLVM text of a kernel."""
    return _text(module(tape, dtype, lanes, columns=columns))


def _text(m: Any) -> str:
    from steiner.backends.llvm.code import declarations  # who finds the code in the cache needs no text
    from steiner.backends.llvm.driver import driver, support

    return "\n".join([*declarations(m), *support(engine.is_x86()), *m.unit(), *driver(m), engine.attributes()])


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]  # a third of the time of array.ctypes.data


class LlvmKernel:
    """A kernel, and one for single rows beside it; the code of each is made when it is first needed.

    With `walks` none is made for the very first row, if it comes alone.
    """

    def __init__(
        self, tape: Tape, dtype: np.dtype, threads: int | None, lanes: int | None = None, columns: bool = False,
        walks: bool = False,
    ) -> None:  # fmt: skip
        self._loaded: tuple[Any, int, Any] | None = None  # library, address, function
        self._listeners: list[Callable[[int], None]] = []
        self.threads, self._tape, self._dtype, self._columns, self._walks = threads, tape, dtype, columns, walks
        if lanes:
            self.lanes = lanes
        # of a long tape the code for several rows does
        alone = lanes != 1 and not columns and tape.length <= engine.ONE_SAMPLE[0]
        self.for_one_row = LlvmKernel(tape, dtype, 1, lanes=1, walks=walks) if alone else self

    @cached_property
    def lanes(self) -> int:
        """Samples per vector, which LLVM may have to be asked for."""
        return engine.lanes(self._dtype)

    @cached_property
    def grain(self) -> int:
        """Rows that are worth a thread."""
        return max(self.lanes * 4, self.lanes * THREAD_WORK // max(self._tape.length, 1))

    @property
    def rows_for_one_thread(self) -> int:
        """The most of a native call: it ends where a second thread gains, or where results had better be recycled."""
        written = self._dtype.itemsize * sum(map(math.prod, self._tape.shapes))
        alone = (self.threads or thread_count()) == 1
        return min(HEAP_BYTES // max(written, 1), sys.maxsize if alone else 2 * self.grain - 1)

    def load(self) -> tuple[Any, int, Any]:
        """Library, address and function, made now if they are not there yet."""
        if self._loaded is None:
            with LOCK:
                if self._loaded is None:
                    self._walks = self.for_one_row._walks = False
                    library = engine.Library(self._object_code(), "kernel")
                    address = library.address("kernel")
                    self._loaded = library, address, _PROTOTYPE(address)
                    for tell in self._listeners:
                        tell(address)
        return self._loaded

    def _object_code(self) -> bytes:
        tape, dtype, lanes, columns = self._tape, self._dtype, self.lanes, self._columns

        def made() -> bytes:
            m = module(tape, dtype, lanes, columns)
            return engine.object_code(_text(m), engine.effort(m.length))

        return engine.kept(self._key(), made)

    def _key(self) -> str:
        return f"{self._tape.fingerprint}-{self._dtype.name}-{self.lanes}" + "-columns" * self._columns

    def _walked(self, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> bool:
        """Whether a row could be computed without code, which is done once: who asks again gets code."""
        once, self._walks = self._walks, False
        if not once:
            return False
        with LOCK:
            from steiner.backends.llvm import walk

        numbers = walk.numbers()
        if numbers is None or engine.is_kept(self._key()):
            return False
        walk.walk(self._tape, numbers, inputs, outputs)
        return True

    def announce(self, tell: Callable[[int], None]) -> None:
        """Tell the address, as soon as there is one."""
        with LOCK:
            self._listeners.append(tell)
            if self._loaded is not None:
                tell(self._loaded[1])

    def __call__(self, inputs: list[np.ndarray], outputs: list[np.ndarray], count: int) -> None:
        """Fill the outputs (count, size) from the inputs (count or 1, size), on several threads if it pays."""
        kernel = self.for_one_row if count == 1 else self
        if count == 1 and kernel._walked(inputs, outputs):
            return
        _library, _place, function = kernel.load()
        ins = (ctypes.c_void_p * max(len(inputs), 1))(*map(_address, inputs))
        steps = (0 if len(x) == 1 else x.strides[0] for x in inputs)
        strides = (ctypes.c_int64 * max(len(inputs), 1))(*steps)
        outs = (ctypes.c_void_p * max(len(outputs), 1))(*map(_address, outputs))
        written, read = sum(x.nbytes for x in outputs), sum(x.nbytes for x in inputs)
        stream = int(written > max(STREAM_BYTES, read))
        threads = self.threads or thread_count()
        parts = ranges(count, self.grain, self.lanes, threads)

        def part(lo: int, hi: int, _alive: Any = (self, inputs, outputs)) -> None:  # a thread keeps what it runs
            function(ins, strides, outs, lo, hi, stream)

        run(part, parts, threads)

    def repeat(
        self, state: list[np.ndarray], others: list[np.ndarray], count: int, every: int, log: list[np.ndarray] | None
    ) -> None:
        """`backends.repeat`, the state of a block of rows in the nearest cache."""
        from steiner.backends.llvm import stepping

        rows = len(state[0])
        _library, address, _function = (self.for_one_row if rows == 1 else self).load()
        table: list[int] = []
        for k, x in enumerate(state):
            table += [_address(x), _address(log[k]) if log else 0]
        for x in others:
            table += [_address(x), 0 if x.shape[-2] == 1 else x.strides[-2], x.strides[0] if x.ndim == 3 else 0]
        fields = (ctypes.c_int64 * (len(table) + 1))(*table, rows)
        steps = stepping.loop([x.shape[1] * x.itemsize for x in state], len(others))
        threads = self.threads or thread_count()
        parts = ranges(rows, max(stepping.ROWS, self.grain // max(count, 1)), stepping.ROWS, threads)

        def part(lo: int, hi: int, _alive: Any = (self, state, others, log)) -> None:
            steps(address, fields, lo, hi, count, every)

        run(part, parts, threads)


def compile(tape: Tape, dtype: np.dtype, threads: int | None = None) -> Any:
    """A native kernel for a tape; one too long to compile in seconds is interpreted."""
    return _interpreted(tape, dtype, threads) or LlvmKernel(tape, dtype, threads)


def compile_later(tape: Tape, dtype: np.dtype, threads: int | None = None) -> Any:
    """The same for those who may ask once: a first row alone is walked over (walk.py), and code made for the second.

    A tape that is remembered was met before, by a process that perhaps walked: it will be met again, and gets code.
    """
    walks = dtype == np.float64 and not isinstance(tape, Remembered)
    return _interpreted(tape, dtype, threads) or LlvmKernel(tape, dtype, threads, walks=walks)


def compile_columns(tape: Tape, dtype: np.dtype, threads: int | None = None) -> Any:
    """A native kernel for a tape of columns, which have no gaps."""
    return _interpreted(tape, dtype, threads) or LlvmKernel(tape, dtype, threads, columns=True)


def _interpreted(tape: Tape, dtype: np.dtype, threads: int | None) -> Any:
    """A kernel that walks over a tape of very many rows; none of others."""
    if tape.length <= LONGEST:
        return None
    from steiner.backends import reference

    return reference.compile(tape, dtype, threads)


def native_call(name: str, signature: str, doc: str, slow: Any, owner: str) -> Any:
    """A native function in front of a Python one, or None where objects are laid out otherwise."""
    return fastcall.NativeCall(name, signature, doc, slow, owner) if fastcall.layout_is_known() else None


def activate(native: Any, tape: Tape, batch: Any) -> None:
    """Let a native function call the kernels of a tape."""
    if not isinstance(batch, LlvmKernel):
        return
    native.activate([size for _name, size in tape.inputs], tape.shapes, batch.for_one_row, batch)
