"""Kernels on columns: one array per joint, as data frames keep them, samples along the last axis of every result."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.backends import compile_tape
from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of, destination, floats_of
from steiner.text.names import terminal


class Columns:
    """A compiled function whose arguments are columns: nothing is turned around between them and the kernel.

    `call` is what `compile` has made.  An argument is an array (n, count), or n columns of equal length: arrays, polars
    or Arrow columns, a frame of them.
    """

    def __init__(self, call: Any) -> None:
        self._call = call
        self.__name__ = self.__qualname__ = call.__name__
        self.__doc__ = f"On columns, samples along the last axis.\n\n{call.__doc__}"
        if call.parameters or call.robot.is_symbolic:
            raise ArgumentError(f"{self.__name__}: layout='columns' takes a robot of numbers, without parameters=")
        _key, self._plan = call.variant()
        self._dtype = np.dtype(call.dtype or np.float64)
        self._kernel = compile_tape(
            self._plan.tape, backend=call.backend, dtype=self._dtype, threads=call.threads, columns=True
        )

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides the results: equal for equal robots."""
        return self._plan.tape.fingerprint

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """The results, each (*shape, count)."""
        inputs = self._plan.tape.inputs
        names = [name for name, _size in inputs]
        given = dict(zip(names, arguments, strict=False)) | named
        if len(arguments) + len(named) != len(names) or given.keys() != set(names):
            raise ArgumentError(f"{self.__name__}: expected the columns of {', '.join(names)}")
        columns = [column for name, size in inputs for column in self._columns(name, size, given[name])]
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            found = " and ".join(map(str, sorted(lengths)))
            raise ArgumentError(f"{self.__name__}: columns of {found} rows; expected equally many")
        count = lengths.pop()
        shapes = [(*shape, count) for shape in self._plan.shapes]
        results, finish = destination(shapes, self._dtype, out, columns)
        if count:
            written = [column[:, None] for result in results for column in result.reshape(-1, count)]
            self._kernel([column[:, None] for column in columns], written, count)
        return self._plan.structure.rebuilt(finish(results), ())

    def _columns(self, name: str, size: int, given: Any) -> list[np.ndarray]:
        what = f"{self.__name__}: {name}"
        if isinstance(given, np.ndarray) and given.ndim != 2:
            raise ArgumentError(f"{what}: expected {size} columns, got shape {given.shape}")
        try:
            several = list(given)
        except TypeError:
            raise ArgumentError(f"{what}: expected {size} columns, got {described(given)}") from None
        if len(several) != size:
            hint = "; samples are along the last axis" if np.shape(given)[-1:] == (size,) else ""
            raise ArgumentError(f"{what}: expected {size} columns, got {len(several)}{hint}")
        return [self._column(f"{what}[{k}]", column) for k, column in enumerate(several)]

    def _column(self, what: str, column: Any) -> np.ndarray:
        array = floats_of(what, array_of(what, column), self._dtype)
        if array.ndim != 1:
            raise ArgumentError(f"{what}: expected one column of numbers, got shape {array.shape}")
        return array if array.flags.c_contiguous and array.flags.aligned else np.array(array)

    def __reduce__(self) -> Any:
        """Sent without its kernel, which is made again."""
        return Columns, (self._call,)

    def __repr__(self) -> str:
        return terminal(f"<{self.__name__} of {self._call.robot.name} on columns>")
