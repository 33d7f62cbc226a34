"""An algorithm on a robot as a callable: it chooses, makes and runs kernels.

A numeric call runs a compiled kernel; any SymPy entry, in the arguments or in the robot, runs the
same algorithm text on expressions.  The kernel is made on first use, its code perhaps on the second, and belongs to the
callable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steiner.backends import Kernel, activate, buffers, compile_tape, native_call
from steiner.doors import Method
from steiner.errors import ArgumentError, described, printable
from steiner.kernels.arguments import (
    Structure,
    array_of,
    declaration,
    destination,
    documentation,
    filled,
    flattened,
    floats_of,
    form,
    hint,
    holds_symbols,
    is_plain,
    overlap,
    placed,
    rows_of,
    signature,
    symmetric,
    with_wrenches,
    wrenches,
)  # fmt: skip
from steiner.kernels.memory import kept
from steiner.locks import LOCK
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.records import record
from steiner.spatial import Wrench
from steiner.trace import Tape

if TYPE_CHECKING:  # who finds the plan of a call in the cache needs no text of an algorithm
    from steiner.dynamics import Algorithm
    from steiner.kernels.prepare import Traced

LONG = 40  # joints from which composing beats one kernel
TRUTH, PLAIN = (bool, np.bool_, int), (str, int, float, type(None))  # kinds of options
NOT_OPTIONS = ("external", "exerted_by_robot", "out", "parameters")


def bound(robot: Robot, method: Method) -> Any:
    """The callable of a method of the table, on a robot."""
    return Call(robot, method).callable()


@record
class Plan:
    """A traced variant of an algorithm: its tape and the shape of its result."""

    tape: Tape
    structure: Structure

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the result's arrays for one configuration."""
        return self.tape.shapes


class Call:
    """An algorithm bound to a robot."""

    derivatives: tuple[str, ...] = ()

    def __init__(
        self,
        robot: Robot,
        algorithm: Algorithm | Method,
        *,
        backend: str | None = None,
        dtype: Any = None,
        threads: int | None = None,
        parameters: Sequence[str] = (),
    ) -> None:
        self.robot, self._asked, self.arrays = robot, algorithm, algorithm.arrays
        self._options = {"backend": backend, "dtype": dtype, "threads": threads, "parameters": tuple(parameters)}
        self.backend, self.dtype, self.threads = backend, dtype, threads
        self.parameters = robot.independent(parameters) if parameters else {}
        self.__name__ = self.__qualname__ = algorithm.name
        if isinstance(algorithm, Method):
            self.__signature__, self.__doc__ = declaration(algorithm)
        else:
            self.__signature__, self.__doc__ = signature(algorithm, bool(parameters)), documentation(algorithm)
        self._plans: dict[Any, Plan] = {}
        self._kernels: dict[Any, Kernel] = {}
        self._native: Any = None
        self._plain: Any = None  # plan and kernel of a call with default options, once there was one

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the algorithm: numbers through a kernel, symbols through its text."""
        if self._plain is not None and kwargs.keys() <= {"out"}:
            result = self._batch(args, kwargs.get("out"))
            if result is not None:
                return result
        bound = self._bind(args, kwargs)
        out = bound.pop("out", None)
        external = wrenches(bound.pop("external", None))
        external += tuple(-w for w in wrenches(bound.pop("exerted_by_robot", None)))
        parameters = self._parameters(bound.pop("parameters", None))
        given = {name: bound.pop(name) for name in self.arrays if bound.get(name) is not None}
        for name in self.arrays:
            if name in bound and name in self._grammar[2]:
                raise ArgumentError(f"{self.__name__}: {name} is None; expected numbers")
            bound.pop(name, None)
        arrays = {name: self._checked(name, value) for name, value in given.items()}
        values = [*arrays.values(), *(x for w in external for x in (w.moment, w.force, w.at)), *parameters.values()]
        self._check(bound)
        if self.robot.is_symbolic or any(holds_symbols(x) for x in values):
            return self._symbolic(arrays, external, parameters, bound, out)
        inputs = self._inputs(arrays, external, parameters)
        if self._composed:
            return placed(self._composed(self.robot, *inputs, **bound), out, inputs)
        key = self._key(arrays, external, bound)
        result = self._numeric(key, inputs, list(arrays), external, bound, out)
        if self._plain is None and not external and not self.parameters and bound == self._defaults:
            self._open_fast_path(key, inputs)
        return result

    @property
    def _composed(self) -> Any:
        """What puts the result together from smaller kernels, where that is better than one."""
        plain = self.robot.n > LONG and not self.parameters and not self.derivatives
        return self.algorithm.composed if plain else None

    def _batch(self, args: Any, out: Any) -> Any:
        """A plain batch: rows of float64 without gaps, default options; None if it is anything else."""
        plan, kernel = self._plain
        sizes = [size for _name, size in plan.tape.inputs]
        if len(args) != len(sizes) or not isinstance(args[0], np.ndarray) or args[0].ndim != 2 or args[0].size == 0:
            return None
        count = len(args[0])
        if not all(is_plain(x, (count, size)) for x, size in zip(args, sizes, strict=True)):
            return None
        shapes = [(count, *shape) for shape in plan.shapes]
        if out is None:
            results = [buffers.array(shape, np.float64) for shape in shapes]
        else:
            results = list(out) if isinstance(out, tuple) else [out]
            fits = len(results) == len(shapes) and all(is_plain(o, s) for o, s in zip(results, shapes, strict=True))
            if not fits or overlap(results, args) or not all(o.flags.writeable for o in results):
                return None
        kernel(list(args), [r.reshape(count, -1) for r in results], count)
        return plan.structure.rebuilt(results, (count,))

    def _key(self, arrays: Iterable[str], external: Sequence[Wrench], options: dict[str, Any]) -> Any:
        """What decides which variant of the algorithm a call needs."""
        return (*arrays, *(form(w) for w in external), *sorted(options.items()))

    def _check(self, options: dict[str, Any]) -> None:
        """Options are truths, names and numbers; nothing else is taken for one of these."""
        for name, value in options.items():
            if isinstance(self._defaults[name], bool):
                if not isinstance(value, TRUTH) or value not in (0, 1):
                    raise ArgumentError(f"{self.__name__}: {name}={described(value)}: expected True or False")
            elif not isinstance(value, PLAIN):
                raise ArgumentError(f"{self.__name__}: {name}={described(value)} is no option: one plain value")

    def _open_fast_path(self, key: Any, inputs: list[np.ndarray]) -> None:
        """Plain calls with the default options need not come this way again."""
        plan, native = self._plans[key], self._native
        plain = plan.structure.plain and inputs and len(inputs) == len(self._grammar[2] & self.arrays.keys())
        if plain and inputs[0].dtype == np.float64:
            self._plain = plan, self._kernels[key, inputs[0].dtype]
            if native is not None:
                self._native = None
                activate(native, plan.tape, self._plain[1])

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        """The options of a plain call."""
        given = {p.name: p.default for p in self.__signature__.parameters.values()}
        return {k: v for k, v in given.items() if k not in (*self.arrays, *NOT_OPTIONS)}

    def callable(self) -> Any:
        """What users call: a native function with this call behind it, or this call itself."""
        if self.robot.is_symbolic or self.dtype not in (None, np.float64):
            return self
        text = str(self.__signature__)
        native = native_call(self.backend, self.__name__, text, self.__doc__ or "", self, self.robot.name)
        if native is None:
            return self
        self._native = native
        return native.function

    @cached_property
    def _grammar(self) -> tuple[list[str], dict[str, Any], set[str]]:
        """Positional names, defaults, and names that must be given."""
        own = list(self.__signature__.parameters.values())
        positional = [p.name for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
        optional = {p.name: p.default for p in own if p.default is not p.empty}
        return positional, optional, {p.name for p in own} - optional.keys()

    def _bind(self, args: Any, kwargs: Any) -> dict[str, Any]:
        positional, optional, required = self._grammar
        given = dict(zip(positional, args, strict=False))
        if len(args) <= len(positional) and given.keys().isdisjoint(kwargs):  # what `bind` does, ten times as fast
            given.update(kwargs)
            if required <= given.keys() <= required | optional.keys():
                return {**optional, **given}
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}{self.__signature__}: {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    # ---- numbers -----------------------------------------------------------------------------

    def plan(self, key: Any, arrays: Sequence[str], external: Sequence[Wrench], options: dict[str, Any]) -> Plan:
        """The tape of a variant, traced once."""
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._traced(arrays, external, options)
        return plan

    def _traced(self, arrays: Sequence[str], external: Sequence[Wrench], options: dict[str, Any]) -> Plan:
        names = [(name, self._length(name)) for name in arrays]
        names += [(f"wrench{k}", 9 if np.any(w.at) else 6) for k, w in enumerate(external)]
        names += [(path, value.size) for path, value in self.parameters.items()]

        def given(nodes: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
            return dict(zip((name for name, _ in names), nodes, strict=True))

        def tree(*nodes: np.ndarray) -> Tree:
            values = given(nodes)
            chosen = {path: values[path].reshape(own.shape) for path, own in self.parameters.items()}
            return (self.robot.with_parameters(chosen) if chosen else self.robot).tree

        def run(tree: Tree, *nodes: np.ndarray) -> tuple[list[np.ndarray], Structure]:
            values = given(nodes)
            loads = [filled(w, values[f"wrench{k}"]) for k, w in enumerate(external)]
            return flattened(_run(self.algorithm, tree, [values[name] for name in arrays], arrays, loads, options))

        known = ""  # of a user's function, whose options may be anything
        if self.is_of_the_table:
            known = f"{self.__name__}|{[form(w) for w in external]}|{sorted(options.items())}"
        own = tree if self.parameters else self.robot.tree

        def again() -> Traced:
            with LOCK:
                from steiner.kernels.prepare import cheapest

            return cheapest(run, own, names, n=self.robot.n, known=known)

        return Plan(*(kept(known, own, names, again) if known and not external and isinstance(own, Tree) else again()))

    @property
    def is_of_the_table(self) -> bool:
        """Whether others know the algorithm by its name."""
        return isinstance(self._asked, Method) or self.algorithm in _table().METHODS

    @cached_property
    def algorithm(self) -> Algorithm:
        """The row of the table, or what a user made one of."""
        return _table().algorithm(self._asked.name) if isinstance(self._asked, Method) else self._asked

    def _length(self, name: str) -> int:
        length = self.arrays[name]
        return self.robot.n if length == "n" else int(length)

    def _inputs(
        self, arrays: dict[str, np.ndarray], external: Sequence[Wrench], parameters: dict[str, np.ndarray]
    ) -> list[np.ndarray]:
        """Arrays of one float type, last axis the elements of a kernel input."""
        inputs = with_wrenches(arrays, external)
        given = list(inputs.values())
        for path, value in parameters.items():
            own = self.parameters[path]
            inputs[path] = value.reshape(*value.shape[: value.ndim - own.ndim], own.size)
            given += [value] if value is not own else []
        single = bool(given) and all(x.dtype == np.float32 for x in given)
        wanted = self.dtype or (np.float32 if single else np.float64)
        return [floats_of(f"{self.__name__}: {name}", x, wanted) for name, x in inputs.items()]

    def _checked(self, name: str, value: Any) -> np.ndarray:
        """An argument's numbers or symbols, of the right length."""
        length, array = self._length(name), array_of(f"{self.__name__}: {name}", value)
        if array.ndim == 0 or array.shape[-1] != length:
            expected = self._expected(name, length)
            raise ArgumentError(f"{self.__name__}: {expected}, got shape {array.shape}{hint(array, length)}")
        return array

    def _expected(self, name: str, length: int) -> str:
        if self.arrays[name] != "n":
            return f"{name} has {length} numbers along its last axis"
        joints = self.robot.joint_names
        shown = ", ".join(joints[:30]) + (", …" if len(joints) > 30 else "")
        return f"{name} has one number per joint of {self.robot.name} along its last axis: {length} ({shown})"

    def _compiled(self, plan: Plan, dtype: np.dtype) -> Kernel:
        return compile_tape(plan.tape, backend=self.backend, dtype=dtype, threads=self.threads, later=True)

    def _numeric(
        self, key: Any, inputs: list[np.ndarray], arrays: list[str], external: Sequence[Wrench], options: Any, out: Any
    ) -> Any:
        plan = self.plan(key, arrays, external, options)
        dtype = inputs[0].dtype if inputs else np.dtype(np.float64)
        kernel = self._kernels.get((key, dtype))
        if kernel is None:
            kernel = self._kernels[key, dtype] = self._compiled(plan, dtype)
        batch = inputs[0].shape[:-1] if inputs else ()
        if any(x.shape[:-1] != batch for x in inputs):
            batch = self._together({name: x for (name, _), x in zip(plan.tape.inputs, inputs, strict=True)})
        count = math.prod(batch)
        rows = [rows_of(x, batch, count) for x in inputs]
        results, finish = destination([(*batch, *shape) for shape in plan.shapes], dtype, out, inputs)
        if count:
            kernel(rows, [r.reshape(count, -1) for r in results], count)
        return plan.structure.rebuilt(finish(results), batch)

    def _together(self, arrays: Mapping[str, np.ndarray]) -> tuple[int, ...]:
        """The batch of several arrays whose last axis is one configuration's."""
        try:
            return np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
            raise ArgumentError(f"{self.__name__}: batch shapes do not broadcast: {shapes}") from None

    # ---- formulas ----------------------------------------------------------------------------

    def _symbolic(self, arrays: Any, external: Any, parameters: Any, options: Any, out: Any) -> Any:
        if out is not None:
            raise ArgumentError("out= takes numbers; a call with symbols returns a new array of expressions")
        from steiner.symbolic import exact

        several = [path for path, value in parameters.items() if value.shape != self.parameters[path].shape]
        if several:
            raise ArgumentError(f"parameter {several[0]!r}: a call with symbols takes one value, not a batch")
        robot = self.robot.with_parameters(parameters) if parameters else self.robot
        tree = robot.mapped(exact).tree
        inputs = with_wrenches(arrays, external)
        batch = self._together(inputs)
        rows = {name: np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for name, x in inputs.items()}

        def one(k: int) -> Any:
            row = {name: np.array([exact(v) for v in x[k].tolist()], dtype=object) for name, x in rows.items()}
            loads = [filled(w, row[f"wrench{j}"]) for j, w in enumerate(external)]
            with np.errstate(all="ignore"):  # NumPy looks at flags that SymPy's own arithmetic leaves
                return _run(self.algorithm, tree, [row[name] for name in arrays], list(arrays), loads, options)

        if not batch:
            return one(0)
        count = math.prod(batch)
        if not count:  # of the rows that are not there, one of zeros tells the shape
            rows = {name: np.zeros((1, x.shape[-1])) for name, x in inputs.items()}
        results = [flattened(one(k)) for k in range(max(count, 1))]
        stacked = [
            np.array([leaves[j] for leaves, _ in results[:count]], dtype=object).reshape(*batch, *np.shape(leaf))
            for j, leaf in enumerate(results[0][0])
        ]
        return results[0][1].rebuilt(stacked, batch)

    def _parameters(self, given: Any) -> dict[str, np.ndarray]:
        result = dict(self.parameters)
        if given is None:
            return result
        if not isinstance(given, Mapping):
            raise ArgumentError(f"parameters= takes values by name, {{'gravity': (0, 0, -1)}}, got {described(given)}")
        for path, value in given.items():
            if path not in result:
                raise ArgumentError(
                    f"{path!r} is not a run-time input of this kernel; compiled with parameters={list(result)}"
                )
            array, shape = array_of(f"parameter {path!r}", value), result[path].shape
            if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
                raise ArgumentError(f"parameter {path!r}: expected shape {shape}, got {array.shape}")
            result[path] = symmetric(path, array) if path.endswith(".inertia") else array
        return result

    def __reduce__(self) -> Any:
        """Calls are sent without their kernels, which are made again (from the cache on disk)."""
        return _again, (type(self), self.robot, self.algorithm, self._options)

    def __repr__(self) -> str:
        return printable(f"<{self.__name__}{self.__signature__} of {self.robot.name}>")


def _table() -> Any:
    """The table of algorithms."""
    with LOCK:
        from steiner.dynamics import algorithms

    return algorithms


def _run(algorithm: Algorithm, tree: Tree, values: Any, names: Any, loads: Any, options: Any) -> Any:
    extra = {"external": loads} if loads else {}
    return algorithm(tree, **dict(zip(names, values, strict=True)), **extra, **options)


def _again(kind: type[Call], robot: Robot, algorithm: Algorithm, options: dict[str, Any]) -> Call:
    return kind(robot, algorithm, **options)
