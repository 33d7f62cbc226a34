"""Robots leave the house: an algorithm on a robot as C files, for CasADi, for JAX, for JavaScript."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steiner.backends import c, casadi, jax, js
from steiner.errors import ArgumentError, FormatError, described, is_one_of, need, unknown
from steiner.kernels.arguments import wrenches
from steiner.kernels.call import Plan
from steiner.kernels.compile import Compiled, algorithm_of, names
from steiner.model.robot import Robot
from steiner.spatial import Pose, Wrench
from steiner.text.names import identifier
from steiner.text.written import written


@dataclass(frozen=True)
class Job:
    """What an export is made of."""

    plan: Plan
    name: str
    outputs: tuple[str, ...]
    dtype: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """A place to export to: what is returned, and what is written into a folder."""

    title: str
    live: Callable[[Job], Any]
    files: Callable[[Job], Mapping[str, str]]


def _c_files(job: Job) -> dict[str, str]:
    return c.files(job.plan.tape, job.name, job.outputs, dtype=job.dtype, notes=job.notes)


def _casadi(job: Job) -> Any:
    if job.dtype != "float64":
        raise ArgumentError(f"dtype={job.dtype!r}: CasADi computes in float64")
    return casadi.function(job.plan.tape, job.name, job.outputs)


def _casadi_files(job: Job) -> dict[str, str]:
    function = _casadi(job)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "function"
        function.save(str(path))
        return {f"{function.name()}.casadi": path.read_text(encoding="ascii")}


def _jax(job: Job) -> Any:
    return jax.function(job.plan.tape, job.name, job.outputs, dtype=job.dtype, notes=job.notes)


def _jax_files(job: Job) -> dict[str, str]:
    text = jax.module(job.plan.tape, job.name, job.outputs, dtype=job.dtype, notes=job.notes)
    return {f"{jax.function_name(job.name)}.py": text}


def _js_files(job: Job) -> dict[str, str]:
    if job.dtype != "float64":
        raise ArgumentError(f"dtype={job.dtype!r}: JavaScript computes in float64")
    text = js.module(job.plan.tape, job.name, job.outputs, notes=job.notes)
    return {f"{js.function_name(job.name)}.mjs": text}


TARGETS = {
    "c": Target("one C99 file and its header", _c_files, _c_files),
    "casadi": Target("a casadi.Function", _casadi, _casadi_files),
    "jax": Target("a function of JAX arrays", _jax, _jax_files),
    "js": Target("one ES module on typed arrays", _js_files, _js_files),
}


def export(
    robot: Robot,
    algorithm: Callable[..., Any] | str = "inverse_dynamics",
    to: str = "c",
    *,
    folder: str | Path | None = None,
    name: str | None = None,
    dtype: str = "float64",
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] = (),
    shapes: Mapping[str, int] | None = None,
    external: Any = None,
    force: bool = False,
    **options: Any,
) -> Any:
    """An algorithm on a robot, for other programs: to="c", "casadi", "jax" or "js".

    C and JavaScript give texts by file name (a header and a source; an ES module); CasADi and JAX give a live
    function.  With a `folder` files are written there instead (a serialized .casadi function, a Python module) and
    their paths returned.  `algorithm` is a name of `steiner.dynamics`, or a function as `compile` takes it, with its
    `parameters`, `derivatives`, `shapes` and options; `external` wrenches become inputs of (moment, force).
    """
    if not is_one_of(to, TARGETS):
        raise ArgumentError("export: " + unknown("target", to, TARGETS))
    kind = str(np.dtype(dtype)) if isinstance(dtype, type | np.dtype) else str(dtype)
    if kind not in ("float32", "float64"):
        raise ArgumentError(f"dtype={described(dtype)}: expected 'float64' or 'float32'")
    need("robot", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"{robot.name} has symbols in it; put numbers in their place before exporting")
    if name is not None:
        need("name", name, str)
    row = algorithm_of(algorithm, shapes)
    call = Compiled(robot, row, parameters=names(parameters), derivatives=names(derivatives))
    loads = wrenches(external)
    _, plan = call.variant(options, loads)
    title = name or f"{robot.name}_{call.__name__}"
    outputs = output_names(plan, row.results, call.derivatives)
    job = Job(plan, title, outputs, kind, notes(robot, call.__name__, plan, loads))
    if folder is None:
        return TARGETS[to].live(job)
    return _written(Path(folder), TARGETS[to].files(job), force)


def _written(folder: Path, texts: Mapping[str, str], force: bool) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"{folder}: cannot be made a folder: {error.strerror}") from error
    taken = [folder / name for name in texts if (folder / name).exists()]
    if taken and not force:
        raise ArgumentError(f"{taken[0]} exists; choose another folder, or replace it (--force, force=True)")
    return written({folder / name: text for name, text in texts.items()}, force=force)


def output_names(plan: Plan, values: tuple[str, ...] = (), derivatives: Sequence[str] = ()) -> tuple[str, ...]:
    """A name for every array of a result, from the algorithm's row or from where it is in the result."""
    count = len(plan.tape.outputs)
    if derivatives:
        count //= len(derivatives) + 1
    if len(values) != count:
        skeleton = plan.structure.build([_Leaf(k) for k in range(len(plan.tape.outputs))])
        values = tuple(_paths(skeleton[0] if derivatives else skeleton, "result"))
    slopes = [f"d{value}_d{identifier(x)}" for x in derivatives for value in values]
    return (*values, *slopes)


@dataclass(frozen=True)
class _Leaf:
    index: int


def _paths(x: Any, path: str) -> list[str]:
    """Names of the leaves of a result, in order."""
    if isinstance(x, _Leaf):
        return [path]
    if isinstance(x, Pose):
        return [f"{path}_R", f"{path}_p"]
    if isinstance(x, dict):
        return [name for key, value in x.items() for name in _paths(value, f"{path}_{key}")]
    if isinstance(x, tuple | list):
        keys = getattr(x, "_fields", range(len(x)))
        return [name for key, value in zip(keys, x, strict=True) for name in _paths(value, f"{path}_{key}")]
    return []


MEANINGS = {
    "q": "joint positions, rad or m",
    "qd": "joint velocities, rad/s or m/s",
    "qdd": "joint accelerations",
    "tau": "joint efforts, N m or N",
}


def notes(robot: Robot, algorithm: str, plan: Plan, external: Sequence[Wrench] = ()) -> tuple[str, ...]:
    """What a reader of generated code needs: robot, joints, units, conventions."""
    listed = [f"{name} ({'turns' if robot.joint(name).turn else 'slides'})" for name in robot.joint_names]
    inputs = [name for name, _ in plan.tape.inputs]
    lines = [
        f"{algorithm} of the robot {robot.name}, written by steiner",
        f"joints in order: {', '.join(listed)}",
        "units: SI and radians; efforts in N m (joints that turn) or N (joints that slide)",
        "6-vectors: angular part first; matrices row by row; poses map link to world coordinates",
    ]
    if "gravity" not in inputs:
        lines.append(f"gravity: ({', '.join(f'{float(g):.9g}' for g in robot.gravity)}) m s-2")
    lines += [f"{name}: {MEANINGS[name].replace('/', ' per ')}" for name in inputs if name in MEANINGS]
    for k, w in enumerate(external):
        where = f"on {w.acting_on or robot.tree.tip}, axes of the {w.axes}"
        point = ", and the point where it acts" if np.any(w.at) else ""
        lines.append(f"wrench{k}: moment and force of the environment {where}{point}")
    return tuple(lines)
