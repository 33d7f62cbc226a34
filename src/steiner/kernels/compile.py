"""`compile`: any function of a robot and arrays as a kernel, with derivatives and run-time numbers.

The function is written once, for any kind of number: `fn(robot, q, qd, …)` with + − × ÷ and the
functions of `steiner.scalar`.  It is traced when it is compiled, so what cannot be traced is said then.
"""

from __future__ import annotations

import dataclasses
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from steiner.backends import ready
from steiner.dynamics import ALGORITHMS, Algorithm, algorithm
from steiner.errors import ArgumentError, TraceError, described, need, several, unknown
from steiner.kernels.arguments import FLOATS, Structure
from steiner.kernels.call import Call, Plan
from steiner.kernels.columns import Columns
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.spatial import Pose, Wrench
from steiner.trace.grad import jacobian

JOINT_VECTORS = ("q", "qd", "qdd", "tau")
EXTRAS = ("external", "exerted_by_robot")
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
KNOWN = "+ - * /, whole powers and steiner.scalar's sin, cos, sqrt, exp, tanh, absolute, sign and select"

READABLE = (*(f.name for f in dataclasses.fields(Tree)), "n", "link_names", "tip")  # what functions may ask a tree for


def compile(
    fn: Callable[..., Any] | str,
    robot: Robot,
    *,
    backend: str | None = None,
    dtype: Any = None,
    threads: int | None = None,
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] | str | None = None,
    shapes: Mapping[str, int] | None = None,
    layout: str = "rows",
) -> Any:
    """A function of a robot and arrays as a native kernel, called as robot methods are: batches, out=, errors.

    `fn(robot, q, qd, …)` is a function of `steiner.dynamics` (or its name) or one of your own.  Arguments named q,
    qd, qdd and tau have one number per joint; `shapes={"target": 3}` gives the lengths of others; what remains
    has a default and selects a kernel.  `parameters=["link2.mass", "payload.mass", "gravity"]` become run-time
    inputs, `parameters={"link2.mass": 2.0}` in a call, single or batched; what a call leaves out keeps the robot's
    number, and a number that the drawing makes of a shared parameter follows it.  `derivatives=("q", "link2.mass")`
    makes the result (value, d/dq, d/dmass), by differentiating the traced operations: (…, *value, *argument) each.
    With `layout="columns"` arguments are columns, (n, count) or n arrays as data frames hold them, and so are results.
    """
    if not isinstance(layout, str) or layout not in ("rows", "columns"):
        raise ArgumentError(f"layout={described(layout)}: expected 'rows' or 'columns'")
    call = Compiled(
        robot,
        algorithm_of(fn, shapes),
        backend=backend,
        dtype=_checked_dtype(dtype),
        threads=_checked_threads(threads),
        parameters=names(parameters),
        derivatives=names(derivatives),
    )
    if layout == "columns":
        return Columns(call)
    call.prepare()
    return call.callable()


def algorithm_of(fn: Callable[..., Any] | str, shapes: Mapping[str, int] | None = None) -> Algorithm:
    """The row of the table for a function of `steiner.dynamics` or its name, or a new one for another function."""
    if isinstance(fn, Algorithm):
        return fn
    if isinstance(fn, str):
        return algorithm(fn)
    for row in ALGORITHMS:
        if fn is row.function:
            return row
    given = _parameters_of(fn)
    lengths = {} if shapes is None else dict(need("shapes", shapes, Mapping, "from argument to length"))
    arrays: dict[str, str | int] = {}
    for parameter in given:
        name = parameter.name
        if name in lengths:
            arrays[name] = _checked_length(name, lengths.pop(name))
        elif name in JOINT_VECTORS:
            arrays[name] = "n"
        elif parameter.default is parameter.empty and name not in EXTRAS:
            raise ArgumentError(
                f"{_name(fn)}: how long is {name!r}? give shapes={{{name!r}: 3}}, or a default if it is an option"
            )
    if lengths:
        raise ArgumentError(unknown("argument", next(iter(lengths)), [p.name for p in given], f"{_name(fn)} (shapes=)"))
    return Algorithm(_identified(fn), arrays)


def _parameters_of(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    """The arguments after the robot."""
    if not callable(fn):
        raise ArgumentError(f"compile takes a function fn(robot, q, …), got {described(fn)}")
    try:
        given = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        raise ArgumentError(f"{described(fn)} has no signature to read; write def f(robot, q, …) around it") from None
    if not given or given[0].name in JOINT_VECTORS or given[0].kind == inspect.Parameter.KEYWORD_ONLY:
        raise ArgumentError(f"{_name(fn)}: the first argument is the robot: def {_name(fn)}(robot, q, …)")
    starred = [p.name for p in given if p.kind in VARIADIC]
    if starred:
        raise ArgumentError(f"{_name(fn)}: name every argument; *{starred[0]} has no length")
    reserved = [p.name for p in given if p.name in ("out", "parameters")]
    if reserved:
        raise ArgumentError(f"{_name(fn)}: an argument named {reserved[0]!r} is added to every kernel; rename yours")
    return given[1:]


def _name(fn: Any) -> str:
    name = getattr(fn, "__name__", "")
    return name if name.isidentifier() else "function"


def _identified(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself if it has a proper name, else (lambda, partial, object) a function around it."""
    if getattr(fn, "__name__", "").isidentifier() and not hasattr(fn, "__self__"):
        return fn

    def function(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    function.__name__ = function.__qualname__ = _name(fn)
    function.__doc__ = inspect.getdoc(fn) if getattr(fn, "__name__", None) else f"Compiled {type(fn).__name__}."
    function.__signature__ = inspect.signature(fn)  # pyright: ignore[reportFunctionMemberAccess]
    function.__wrapped__ = fn  # pyright: ignore[reportFunctionMemberAccess]
    return function


def names(given: Sequence[str] | str | None) -> tuple[str, ...]:
    """One name or several, none of them twice."""
    result = () if given is None else (given,) if isinstance(given, str) else several("names", given, "names")
    for name in result:
        need("names", name, str)
    twice = [name for k, name in enumerate(result) if name in result[:k]]
    if twice:
        raise ArgumentError(f"{twice[0]!r} is named twice")
    return result


def _checked_length(name: str, length: Any) -> int:
    if not isinstance(length, int | np.integer) or isinstance(length, bool) or length < 1:
        raise ArgumentError(f"shapes: {name!r} needs a length of 1 or more, got {described(length)}; flatten matrices")
    return int(length)


def _checked_dtype(dtype: Any) -> Any:
    if dtype is None:
        return None
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind not in FLOATS:
        raise ArgumentError(f"dtype={described(dtype)}: expected float64 or float32")
    return kind


def _checked_threads(threads: Any) -> int | None:
    if threads is None or (isinstance(threads, int) and not isinstance(threads, bool) and threads >= 1):
        return threads
    raise ArgumentError(f"threads={described(threads)}: expected a whole number from 1 on, or None for all cores")


class Compiled(Call):
    """A call of any function, perhaps with its derivatives; what cannot be traced is explained."""

    def __init__(self, robot: Robot, algorithm: Algorithm, *, derivatives: Sequence[str] = (), **options: Any) -> None:
        if not isinstance(robot, Robot):
            raise ArgumentError(f"expected a robot, got {described(robot)}")
        super().__init__(robot, algorithm, **options)
        self.derivatives = tuple(derivatives)
        self._options["derivatives"] = self.derivatives
        known = [*algorithm.arrays, *self.parameters]
        for name in self.derivatives:
            if name not in known:
                raise ArgumentError("derivatives: " + unknown("argument", name, known, self.__name__))
        if self.derivatives:
            self.__doc__ = f"(value, {', '.join(f'd/d {x}' for x in self.derivatives)}) of: {self.__doc__}"

    def prepare(self) -> None:
        """Trace the plain call now, and make its kernel, unless an option has to be chosen or kernels are composed."""
        open_options = any(v is inspect.Parameter.empty for v in self._defaults.values())
        if self.robot.is_symbolic or self._composed or open_options:
            return
        key, plan = self.variant()
        dtype = np.dtype(self.dtype or np.float64)
        self._kernels[key, dtype] = ready(self._compiled(plan, dtype))

    def variant(
        self, options: Mapping[str, Any] | None = None, external: Sequence[Wrench] = ()
    ) -> tuple[Any, Plan]:
        """The key and the plan of a call with all its necessary arrays and these options."""
        chosen = dict(self._defaults)
        for name, value in (options or {}).items():
            if name not in chosen:
                raise ArgumentError(unknown("option", name, chosen, self.__name__))
            chosen[name] = value
        missing = [name for name, value in chosen.items() if value is inspect.Parameter.empty]
        if missing:
            raise ArgumentError(f"{self.__name__}: the option {missing[0]!r} has no default; give it")
        arrays = [name for name in self.arrays if self._is_needed(name)]
        self._check(chosen)
        key = self._key(arrays, external, chosen)
        return key, self.plan(key, arrays, external, chosen)

    def _is_needed(self, name: str) -> bool:
        return name in self.derivatives or self.__signature__.parameters[name].default is inspect.Parameter.empty

    def _check(self, options: dict[str, Any]) -> None:
        """The options of a function of one's own are whatever can be kept a kernel for."""
        if self.algorithm in ALGORITHMS:
            return super()._check(options)
        for name, value in options.items():
            try:
                hash(value)
            except Exception:
                raise ArgumentError(
                    f"{self.__name__}: {name}={described(value)} selects a kernel, so it must be hashable; "
                    f"compile with shapes={{{name!r}: length}} to make it an array"
                ) from None
        return None

    def _traced(self, arrays: Sequence[str], external: Sequence[Wrench], options: dict[str, Any]) -> Plan:
        try:
            plan = super()._traced(arrays, external, options)
        except TraceError as error:
            raise TraceError(f"{self._place(error)}: {error}") from error
        except (TypeError, AttributeError, IndexError) as error:
            self._check_what_was_asked(error)
            text = str(error)
            if not any(mark in text for mark in ("Node", "ufunc", "dtype('O')", "object arrays")):
                raise
            raise TraceError(f"{self._place(error)}: {text}; a traced number knows {KNOWN}") from error
        if not plan.tape.outputs:
            raise TraceError(f"{self.__name__} returned no numbers; return an array, or a tuple or dict of arrays")
        return self._differentiated(plan) if self.derivatives else plan

    def _check_what_was_asked(self, error: BaseException) -> None:
        """Say what a compiled function may use instead, if the error is about something that only robots have."""
        if not isinstance(error, AttributeError) or not isinstance(error.obj, Tree) or not error.name:
            return
        name, place = error.name, self._place(error)
        first = next(iter(inspect.signature(self.algorithm.function).parameters), "robot")
        for row in ALGORITHMS:
            if name in row.names:
                needed = [p.name for p in inspect.signature(row.function).parameters.values() if p.default is p.empty]
                advice = f"call dynamics.{row.name}({', '.join([first, *needed[1:]])}), a function of steiner.dynamics"
                raise TraceError(f"{place}: {first}.{name} is a kernel of its own; {advice}") from error
        advice = f"it may use its {', '.join(READABLE)} and the functions of steiner.dynamics"
        if hasattr(Robot, name) or name in [f.name for f in dataclasses.fields(Robot)]:
            advice += f"; read {name} of the robot before, outside of the function"
        lack = f"a compiled function gets the robot's tree, which has no {name!r}"
        raise TraceError(f"{place}: {lack}; {advice}") from error

    def _place(self, error: BaseException) -> str:
        """The function's name, and the line in its file that an error came from."""
        fn = inspect.unwrap(self.algorithm.function)
        file = getattr(getattr(fn, "__code__", None), "co_filename", None)
        frames = [f for f in _frames(error.__traceback__) if f.filename == file]
        return f"{self.__name__}, line {frames[-1].lineno} of {frames[-1].filename}" if frames else self.__name__

    def _differentiated(self, plan: Plan) -> Plan:
        """(value, derivatives): each derivative is put together as the value is, poses as (dR, dp)."""
        absent = [name for name in self.derivatives if name not in [n for n, _ in plan.tape.inputs]]
        if absent:
            raise ArgumentError(f"{self.__name__}: no {absent[0]!r} was given to differentiate by")
        tape = jacobian(plan.tape, self.derivatives, values=True)
        count, outputs = len(plan.tape.outputs), list(tape.outputs)
        for k, name in enumerate(self.derivatives, 1):
            if name in self.parameters:  # (…, size) in the shape of the parameter
                for j in range(k * count, (k + 1) * count):
                    shape = plan.tape.outputs[j - k * count].shape + self.parameters[name].shape
                    outputs[j] = dataclasses.replace(outputs[j], shape=shape)
        value = plan.structure.build

        def build(leaves: list[Any]) -> Any:
            parts = [leaves[k * count : (k + 1) * count] for k in range(len(self.derivatives) + 1)]
            return (value(parts[0]), *(_plain(value(part)) for part in parts[1:]))

        return Plan(dataclasses.replace(tape, outputs=tuple(outputs)), Structure(build, plain=False))

    def _symbolic(self, arrays: Any, external: Any, parameters: Any, options: Any, out: Any) -> Any:
        if self.derivatives:
            raise ArgumentError(
                f"{self.__name__}: derivatives= takes numbers; compile without it and differentiate the formula"
            )
        try:
            return super()._symbolic(arrays, external, parameters, options, out)
        except AttributeError as error:
            self._check_what_was_asked(error)
            raise


def _frames(trace: TracebackType | None) -> traceback.StackSummary:
    return traceback.extract_tb(trace)


def _plain(x: Any) -> Any:
    """A derivative that is no pose any more: (dR, dp)."""
    if isinstance(x, Pose):
        return x.R, x.p
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(_plain, x))
    return type(x)(map(_plain, x)) if isinstance(x, tuple | list) else x
