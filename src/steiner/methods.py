"""Robot methods from the table of algorithms: calls that choose, make and run kernels.

A numeric call runs a compiled kernel; any SymPy entry, in the arguments or in the robot, runs the
same algorithm text on expressions.  The kernel is made on first use and belongs to the callable.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steiner.arguments import (
    destination,
    documentation,
    filled,
    form,
    hint,
    holds_symbols,
    is_plain,
    overlap,
    placed,
    rows_of,
    signature,
    wrenches,
)  # fmt: skip
from steiner.backends import Kernel, activate, buffers, compile_tape, native_call
from steiner.dynamics import ALGORITHMS, Algorithm
from steiner.dynamics.statics import reversed_wrenches
from steiner.errors import ArgumentError
from steiner.frames import slid_frames, sparse_frames
from steiner.long_chains import COMPOSED, LONG
from steiner.model import Robot
from steiner.parameters import parameter, with_parameters
from steiner.regroup import regrouped
from steiner.results import Structure, flattened
from steiner.scalar import any_symbolic
from steiner.spatial import Wrench
from steiner.trace import Tape, trace

SHORT_CHAIN = 16  # joints up to which an alternative route may be the cheaper one
NOT_OPTIONS = ("external", "exerted_by_robot", "out", "parameters")
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass(frozen=True)
class Plan:
    """A traced variant of an algorithm: its tape and the shape of its result."""

    tape: Tape
    structure: Structure

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the result's arrays for one configuration."""
        return [output.shape for output in self.tape.outputs]


class Call:
    """An algorithm bound to a robot."""

    derivatives: tuple[str, ...] = ()

    def __init__(
        self,
        robot: Robot,
        algorithm: Algorithm,
        *,
        backend: str | None = None,
        dtype: Any = None,
        threads: int | None = None,
        parameters: Sequence[str] = (),
    ) -> None:
        self.robot, self.algorithm = robot, algorithm
        self.backend, self.dtype, self.threads = backend, dtype, threads
        self.parameters = {path: np.asarray(parameter(robot, path)) for path in parameters}
        self.__name__ = self.__qualname__ = algorithm.name
        self.__doc__ = documentation(algorithm)
        self.__signature__ = signature(algorithm, bool(parameters))
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
        external = wrenches(bound.pop("external", None)) + reversed_wrenches(bound.pop("exerted_by_robot", None))
        parameters = self._parameters(bound.pop("parameters", None))
        arrays = {name: bound.pop(name) for name in self.algorithm.arrays if bound.get(name) is not None}
        for name in self.algorithm.arrays:
            if name in bound and name in self._grammar[2]:
                raise ArgumentError(f"{self.__name__}: {name} is None; expected numbers")
            bound.pop(name, None)
        values = [*arrays.values(), *(x for w in external for x in (w.vector, w.at)), *parameters.values()]
        if self.robot.is_symbolic or any(holds_symbols(x) for x in values):
            return self._symbolic(arrays, external, parameters, bound, out)
        inputs = self._inputs(arrays, external, parameters)
        if self._composed:
            return placed(COMPOSED[self.__name__](self.robot, *inputs, **bound), out, inputs)
        key = self._key(arrays, external, bound)
        result = self._numeric(key, inputs, list(arrays), external, bound, out)
        if self._plain is None and not external and not self.parameters and bound == self._defaults:
            self._open_fast_path(key, inputs)
        return result

    @cached_property
    def _composed(self) -> bool:
        """Whether the result is put together from smaller kernels."""
        own = self.__name__ in COMPOSED and self.algorithm in ALGORITHMS  # not somebody's function of the same name
        return own and self.robot.n > LONG and not self.parameters and not self.derivatives

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
        for name, value in options.items():
            try:
                hash(value)
            except TypeError:
                raise ArgumentError(f"{self.__name__}: {name}={value!r} is no option: one plain value") from None
        return (*arrays, *(form(w) for w in external), *sorted(options.items()))

    def _open_fast_path(self, key: Any, inputs: list[np.ndarray]) -> None:
        """Plain calls with the default options need not come this way again."""
        plan, native = self._plans[key], self._native
        plain = plan.structure.plain and inputs and len(inputs) == len(self.algorithm.arrays)
        if plain and inputs[0].dtype == np.float64:
            self._plain = plan, self._kernels[key, inputs[0].dtype]
            if native is not None:
                self._native = None
                activate(native, plan.tape, self._plain[1])

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        """The options of a plain call."""
        given = {p.name: p.default for p in self.__signature__.parameters.values()}
        return {k: v for k, v in given.items() if k not in (*self.algorithm.arrays, *NOT_OPTIONS)}

    def callable(self) -> Any:
        """What users call: a native function with this call behind it, or this call itself."""
        if self.robot.is_symbolic or self.dtype not in (None, np.float64):
            return self
        native = native_call(self.backend, self.__name__, str(self.__signature__), self.__doc__ or "", self)
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
        row = self.algorithm
        routes = (row.function, *row.alternatives, *(row.short_alternatives if self.robot.n <= SHORT_CHAIN else ()))
        robots = [self.robot]
        if self.algorithm.base_parameters and not self.parameters:
            robots = list({id(arm): arm for arm in (self.robot, slid_frames(sparse_frames(self.robot)))}.values())
        plans = [
            self._traced_route(route, robot, names, arrays, external, options) for route in routes for robot in robots
        ]
        return min(plans, key=lambda plan: plan.tape.cost)

    def _traced_route(
        self, route: Callable[..., Any], robot: Robot, names: Any, arrays: Sequence[str], external: Sequence[Wrench],
        options: Any,
    ) -> Plan:
        structures: list[Structure] = []

        def flat(*nodes: np.ndarray) -> list[np.ndarray]:
            given = dict(zip((name for name, _ in names), nodes, strict=True))
            arm = with_parameters(robot, {p: given[p].reshape(v.shape) for p, v in self.parameters.items()})
            if self.algorithm.base_parameters:
                arm = regrouped(arm)
            loads = [filled(w, given[f"wrench{k}"]) for k, w in enumerate(external)]
            result = _run(route, arm, [given[name] for name in arrays], arrays, loads, options)
            leaves, structure = flattened(result)
            structures.append(structure)
            return leaves

        tape = trace(flat, names)
        return Plan(tape, structures[0])

    def _length(self, name: str) -> int:
        length = self.algorithm.arrays[name]
        return self.robot.n if length == "n" else int(length)

    def _inputs(
        self, arrays: dict[str, Any], external: Sequence[Wrench], parameters: dict[str, np.ndarray]
    ) -> list[np.ndarray]:
        """Arrays of one float type, last axis the elements of a kernel input."""
        inputs = [self._checked(name, value) for name, value in arrays.items()]
        for w in external:
            parts = [w.moment, w.force, w.at] if np.any(w.at) else [w.moment, w.force]
            inputs.append(np.concatenate(np.broadcast_arrays(*parts), axis=-1))
        given = list(inputs)
        for path, value in parameters.items():
            own = self.parameters[path]
            inputs.append(value.reshape(*value.shape[: value.ndim - own.ndim], own.size))
            given += [value] if value is not own else []
        single = bool(given) and all(x.dtype == np.float32 for x in given)
        wanted = self.dtype or (np.float32 if single else np.float64)
        return [np.asarray(x, dtype=wanted) for x in inputs]

    def _checked(self, name: str, value: Any) -> np.ndarray:
        length = self._length(name)
        package = type(value).__module__.partition(".")[0]
        if package == "torch":
            raise ArgumentError(
                f"{name} is a torch tensor; pass x.numpy(), or export the robot to JAX (`steiner export --jax`) "
                "for arrays on other devices"
            )
        array = np.asarray(value)
        if array.dtype not in FLOATS:
            if array.dtype.kind not in "iufb" and array.dtype != object:
                raise ArgumentError(f"{name}: expected numbers, got {array.dtype} ({value!r})")
            try:
                array = array.astype(np.float64)
            except (TypeError, ValueError):
                raise ArgumentError(f"{name}: expected numbers, got {value!r}") from None
        if array.ndim == 0 or array.shape[-1] != length:
            expected = self._expected(name, length)
            raise ArgumentError(f"{self.__name__}: {expected}, got shape {array.shape}{hint(array, length)}")
        return array

    def _expected(self, name: str, length: int) -> str:
        if self.algorithm.arrays[name] != "n":
            return f"{name} has {length} numbers along its last axis"
        joints = self.robot.joint_names
        shown = ", ".join(joints[:30]) + (", …" if len(joints) > 30 else "")
        return f"{name} has one number per joint of {self.robot.name} along its last axis: {length} ({shown})"

    def _compiled(self, plan: Plan, dtype: np.dtype) -> Kernel:
        return compile_tape(plan.tape, backend=self.backend, dtype=dtype, threads=self.threads)

    def _numeric(
        self, key: Any, inputs: list[np.ndarray], arrays: list[str], external: Sequence[Wrench], options: Any, out: Any
    ) -> Any:
        plan = self.plan(key, arrays, external, options)
        dtype = inputs[0].dtype if inputs else np.dtype(np.float64)
        kernel = self._kernels.get((key, dtype))
        if kernel is None:
            kernel = self._kernels[key, dtype] = self._compiled(plan, dtype)
        batch = inputs[0].shape[:-1] if inputs else ()
        try:
            if any(x.shape[:-1] != batch for x in inputs):
                batch = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for (name, _), x in zip(plan.tape.inputs, inputs, strict=True))
            raise ArgumentError(f"{self.__name__}: batch shapes do not broadcast: {shapes}") from None
        count = math.prod(batch)
        rows = [rows_of(x, batch, count) for x in inputs]
        results, finish = destination([(*batch, *shape) for shape in plan.shapes], dtype, out, inputs)
        if count:
            kernel(rows, [r.reshape(count, -1) for r in results], count)
        return plan.structure.rebuilt(finish(results), batch)

    # ---- formulas ----------------------------------------------------------------------------

    def _symbolic(self, arrays: Any, external: Any, parameters: Any, options: Any, out: Any) -> Any:
        if out is not None:
            raise ArgumentError("out= takes numbers; a call with symbols returns a new array of expressions")
        from steiner.symbolic import exact

        robot = with_parameters(self.robot, parameters).mapped(exact)
        values = {name: np.asarray(value, dtype=object) for name, value in arrays.items()}
        for name, value in values.items():
            length = self._length(name)
            if value.ndim == 0 or value.shape[-1] != length:
                raise ArgumentError(f"{self.__name__}: {self._expected(name, length)}, got shape {value.shape}")
        batch = np.broadcast_shapes(*(v.shape[:-1] for v in values.values()))
        each = np.frompyfunc(exact, 1, 1)
        spread = [np.broadcast_to(v, (*batch, v.shape[-1])) for v in values.values()]

        def one(index: tuple[int, ...]) -> Any:
            row = [each(v[index]) for v in spread]
            return _run(self.algorithm.function, robot, row, list(values), external, options)

        if not batch:
            return one(())
        results = []
        for index in np.ndindex(*batch):
            leaves, structure = flattened(one(index))
            results.append(leaves)
        stacked = [
            np.array([r[k] for r in results], dtype=object).reshape(*batch, *np.shape(results[0][k]))
            for k in range(len(results[0]))
        ]
        return structure.rebuilt(stacked, batch)  # pyright: ignore[reportPossiblyUnboundVariable]

    def _parameters(self, given: Any) -> dict[str, np.ndarray]:
        result = dict(self.parameters)
        for path, value in (given or {}).items():
            if path not in result:
                raise ArgumentError(
                    f"{path!r} is not a run-time input of this kernel; compiled with parameters={list(result)}"
                )
            array, shape = np.asarray(value), result[path].shape
            if array.dtype.kind not in "iufbO" or (array.dtype == object and not any_symbolic(array)):
                raise ArgumentError(f"parameter {path!r}: expected numbers, got {value!r}")
            if array.shape[array.ndim - len(shape) :] != shape:
                raise ArgumentError(f"parameter {path!r}: expected shape {shape}, got {array.shape}")
            result[path] = array
        return result

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__} of {self.robot.name}>"


def _run(function: Callable[..., Any], robot: Robot, values: Any, names: Any, loads: Any, options: Any) -> Any:
    extra = {"external": loads} if loads else {}
    return function(robot, **dict(zip(names, values, strict=True)), **extra, **options)


class Method:
    """An algorithm as a method of `Robot`: the callable is made on first use and kept by the robot."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self.__doc__ = documentation(algorithm)
        self.__name__ = algorithm.name
        own = signature(algorithm)
        robot = inspect.Parameter("robot", inspect.Parameter.POSITIONAL_ONLY)
        self.__signature__ = own.replace(parameters=[robot, *own.parameters.values()])

    def __call__(self, robot: Robot, /, *args: Any, **kwargs: Any) -> Any:
        """`Robot.inverse_dynamics(robot, q, …)`, as with any method."""
        return getattr(robot, self.algorithm.name)(*args, **kwargs)

    def __get__(self, robot: Robot | None, owner: type | None = None) -> Any:
        if robot is None:
            return self
        call = Call(robot, self.algorithm).callable()
        for name in (self.algorithm.name, *self.algorithm.aliases):
            robot.__dict__[name] = call
        return call


for _algorithm in ALGORITHMS:
    for _name in (_algorithm.name, *_algorithm.aliases):
        setattr(Robot, _name, Method(_algorithm))
