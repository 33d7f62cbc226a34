"""`simulate`: the motion of a robot that its torques, its weight and its surroundings bring about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described, is_one_of, need, unknown
from steiner.kernels.arguments import array_of, floats_of
from steiner.model.motion import Motion, MotionError
from steiner.model.robot import Robot
from steiner.motion.equations import Equations
from steiner.motion.flow import Flow
from steiner.motion.hybrid import HybridRun, events_of
from steiner.motion.run import Record, Run
from steiner.motion.steps import METHODS
from steiner.motion.stiff import StiffFlow
from steiner.motion.torques import Torques
from steiner.motion.trajectories import MOST_SAMPLES
from steiner.motion.varied import Varied
from steiner.scalar import numbers
from steiner.text.progress import Progress

SAMPLES = 201  # kept if neither t nor every is given
STEP = 1e-3
LIMITS = ("ignore", "stop", "error")
LEAST_STEPS = 100  # of a run in which something depends on time: what is not looked at is not seen
ABSOLUTE = 1e-2  # of rtol: the tolerance of what is about zero, rad, m, rad/s or m/s


def simulate(
    robot: Robot, q0: Any, qd0: Any = None, duration: Any = 1.0, *, tau: Any = None, t: Any = None, every: Any = None,
    friction: bool = True, method: str = "dop853", step: Any = None, rtol: float = 1e-10, events: Any = (),
    limits: str = "ignore", external: Any = None, parameters: Any = None,
) -> Motion[Robot]:
    """The motion from (q0, q̇0) over `duration` seconds; a batch of states runs as a batch: m.q is (times, …, n).

    tau: efforts of the motors: none, constant, samples each held equally long (one axis more, in front), f(t, q, qd),
    or f(robot, t, q, qd) written as for `compile`, which is traced and runs in native code.
    t, every: the times kept, or the seconds between them.
    method: "dop853" and "stiff" (implicit) choose their steps by rtol; "rk4", "euler" (semi-implicit) and "gauss"
    (symplectic, for long runs) take steps of `step` seconds.
    friction: that of the joints.  Where it jumps at rest, joints stick: they do not move at all until pushed enough.
    external: wrenches of the environment, or a function of t that gives them.
    events: functions (t, q, qd) whose zeros are found, or times; (event, then) with then "stop", a robot to go on with
    (a payload taken or dropped), or a function (t, q, qd) that gives one of these, a new state (q, qd) or None.  A
    zero at the start is no event.
    parameters: numbers of the robot by path as for `compile`, {"payload.mass": masses, "gravity": …}; a batch of them
    runs a batch, together with that of the states.
    limits: of the joints' positions, "ignore", "stop" (the motion ends there) or "error".

    A run that fails raises an error with `.motion`, what was computed until then; so does Ctrl-C return it.
    """
    need("simulate", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"simulate: {robot.name} holds symbols; a motion needs numbers: robot.with_parameters")
    if not isinstance(friction, bool):
        raise ArgumentError(f"simulate: friction={described(friction)}: expected True or False")
    if not is_one_of(method, METHODS):
        raise ArgumentError("simulate: " + unknown("method", method, METHODS))
    varied = Varied.of(robot, parameters)
    q, qd, batch = _states(robot, q0, qd0, varied)
    duration, rtol = numbers("duration and rtol", duration, rtol)
    if not (0 < duration < np.inf and 0 < rtol < 1):
        raise ArgumentError(f"simulate: expected a duration > 0 s and 0 < rtol < 1, got {duration} and {rtol}")
    length = _step(METHODS[method].step is not None, step, duration, method)
    times = _times(t, every, duration, q.size)
    torques = Torques(tau, robot, batch, duration)
    watched = events_of(events, robot, duration)
    depends_on_time = watched or torques.law or torques.function or callable(external)
    options = {"step": length, "rtol": rtol, "atol": rtol * ABSOLUTE}
    options["longest"] = duration / LEAST_STEPS if depends_on_time else np.inf

    def flow_of(arm: Robot) -> Flow:
        equations = Equations(arm, torques, external, friction, batch, varied)
        return (StiffFlow if METHODS[method].is_stiff else Flow)(equations, METHODS[method], **options)

    flow = flow_of(robot)
    if not is_one_of(limits, LIMITS):
        raise ArgumentError("simulate: " + unknown("way to meet limits", limits, LIMITS))
    initial = flow.equations.energies(np.arange(len(q)), q, qd).sum(axis=-1)
    record, progress = Record(times, initial, robot.n), Progress("simulating", duration, "s")
    if not len(q):
        return record.motion(flow, batch, (), "", complete=True)
    start, breaks = flow.start(q, qd), _breaks(torques, length, duration)
    if not (watched or limits != "ignore" or flow.equations.holds is not None or METHODS[method].is_stiff):
        return _motion([Run(flow, record, start, breaks, progress)], flow, record, batch)
    hybrid = {"events": watched, "limits": limits, "again": flow_of}
    runs = (HybridRun(flow, record, start[k : k + 1], breaks, progress, row=k, **hybrid) for k in range(len(q)))
    return _motion(runs, flow, record, batch)


def _motion(runs: Iterable[Run], flow: Flow, record: Record, batch: tuple[int, ...]) -> Motion[Robot]:
    """The motion of all runs; one that fails carries what there is."""
    ends, happened, run = [], [], None

    def so_far(why: str, complete: bool) -> Motion[Robot]:
        return record.motion(flow, batch, happened, why, complete)

    try:
        for run in runs:
            try:
                run.go()
            finally:
                index = () if not batch else tuple(map(int, np.unravel_index(run.rows[0], batch)))
                happened += [e._replace(row=index) for e in run.happened]
            ends += [f"row {index}: {run.ended}" if batch else run.ended] if run.ended else []
    except KeyboardInterrupt:
        return so_far("interrupted", False)
    except ArgumentError as error:
        raise _carrying(MotionError(str(error)), so_far("failed", False)) from error
    except MotionError as error:
        raise _carrying(error, so_far("failed", False)) from None
    finally:
        if run is not None:
            run.progress.done()
    return so_far("; ".join([*ends[:1], *([f"{len(ends) - 1} more rows end early"] if ends[1:] else [])]), True)


def _carrying(error: MotionError, motion: Motion) -> MotionError:
    error.motion = motion
    if len(motion.t):
        error.add_note(f"what was computed until t = {motion.t[-1]:g} s is in .motion of this error")
    return error


def _states(robot: Robot, q0: Any, qd0: Any, varied: Varied) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    q = _vector(robot, "q0", q0)
    qd = np.zeros(robot.n) if qd0 is None else _vector(robot, "qd0", qd0)
    try:
        batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], *varied.batches)
    except ValueError:
        besides = "".join(f", {path} {x.shape}" for path, x in varied.values.items())
        raise ArgumentError(f"simulate: q0 {q.shape}, qd0 {qd.shape}{besides} do not go together") from None
    rows = (np.ascontiguousarray(np.broadcast_to(x, (*batch, robot.n)).reshape(-1, robot.n)) for x in (q, qd))
    return *rows, batch  # pyright: ignore[reportReturnType]


def _vector(robot: Robot, name: str, value: Any) -> np.ndarray:
    found = floats_of(f"simulate: {name}", array_of(f"simulate: {name}", value), np.float64)
    if found.ndim == 0 or found.shape[-1] != robot.n or not robot.n:
        joints = ", ".join(robot.joint_names)
        wanted = f"{name} has one number per joint of {robot.name}, {robot.n} ({joints})"
        raise ArgumentError(f"simulate: {wanted}, got shape {found.shape}")
    if not np.isfinite(found).all():
        raise ArgumentError(f"simulate: {name} holds numbers that are not finite: {described(found.tolist())}")
    return found


def _step(is_fixed: bool, step: Any, duration: float, method: str) -> float | None:
    if not is_fixed:
        if step is not None:
            raise ArgumentError(f"simulate: {method!r} chooses its steps by rtol; step= is for 'rk4', 'euler', 'gauss'")
        return None
    (length,) = numbers("step", STEP if step is None else step)
    if not 0 < length < np.inf:
        raise ArgumentError(f"simulate: step={described(step)}: expected seconds > 0")
    return min(float(length), float(duration))


def _times(t: Any, every: Any, duration: float, numbers_each: int) -> np.ndarray:
    times = _asked_times(t, every, duration)
    if len(times) * numbers_each > MOST_SAMPLES:
        kept = f"{len(times)} times of {numbers_each} joint values"
        raise ArgumentError(f"simulate: {kept} are too many to keep; ask for fewer, t=[{duration:g}] for the end alone")
    return times


def _asked_times(t: Any, every: Any, duration: float) -> np.ndarray:
    if t is not None and every is not None:
        raise ArgumentError("simulate: t= or every=, not both")
    if t is not None:
        times = np.atleast_1d(floats_of("simulate: t", array_of("simulate: t", t), np.float64))
        inside = ((times >= 0) & (times <= duration)).all()
        if times.ndim != 1 or not times.size or not inside or (np.diff(times) <= 0).any():
            raise ArgumentError(f"simulate: t= holds rising times from 0 to {duration:g} s, got {described(t)}")
        return times
    if every is None:
        return np.linspace(0.0, duration, SAMPLES)
    (pause,) = numbers("every", every)
    if not 0 < pause <= duration:
        raise ArgumentError(f"simulate: every={described(every)}: expected seconds from 0 to the duration {duration:g}")
    count = int(duration / pause * (1 + 1e-12) + 1e-9) + 1
    if count > MOST_SAMPLES:
        raise ArgumentError(f"simulate: every={pause:g} s of {duration:g} s are {count} times; expected fewer")
    return np.minimum(pause * np.arange(count), duration)


def _breaks(torques: Torques, length: float | None, duration: float) -> list[float]:
    """When steps have to end: where a sample of torques takes over, unless it does so on the grid of the steps."""
    if length is not None and torques.digital is None and not torques.later:
        held = torques.hold / length
        if abs(held - round(held)) < 1e-9 * held and round(held):
            return [duration]
    return [*torques.breaks.tolist(), duration]
