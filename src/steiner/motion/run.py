"""A run: steps until the end, samples at the times asked for, and what happens on the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steiner.model.motion import Happened, Motion, MotionError
from steiner.motion.flow import Flow, State
from steiner.text.progress import Progress

NUMBERS = 4_000_000  # that a stretch of steps keeps
ROW_STEPS = 1_000_000  # of a stretch: some tenths of a second
SHORTEST = 1e-15  # of the time, and of a second: a step below it is none
ADAPTIVE = 64  # steps of a stretch, if the method chooses them


class Record:
    """Samples at the times asked for, filled as the run goes; each row of the batch has come to its own time."""

    def __init__(self, times: np.ndarray, initial: np.ndarray, n: int) -> None:
        rows = len(initial)
        self.times, self.initial = times, initial
        self.reached = np.zeros(rows, dtype=int)
        self.columns = {
            name: np.full((len(times), rows, size), np.nan)
            for name, size in (("q", n), ("qd", n), ("qdd", n), ("tau", n), ("power", 3), ("work", 4), ("energies", 2))
        }

    def take(self, flow: Flow, path: State, rows: np.ndarray, modes: Any, jumps: np.ndarray, closed: bool) -> None:
        """Samples along a stretch of steps, (steps + 1, rows), of these rows; the last time too if closed."""
        which: list[np.ndarray] = []
        steps: list[np.ndarray] = []
        members: list[np.ndarray] = []
        together = len(rows) > 1 and not np.ptp(path.t, axis=1).any()
        for k in range(1 if together else len(rows)):
            index = np.searchsorted(self.times, path.t[-1, k], "right" if closed else "left")
            found = np.arange(int(self.reached[rows[k]]), int(index))
            if len(found):
                at = np.maximum(np.searchsorted(path.t[:, k], self.times[found], "right") - 1, 0)
                which.append(np.tile(found, len(rows)) if together else found)
                steps.append(np.tile(at, len(rows)) if together else at)
                members.append(np.repeat(np.arange(len(rows)) if together else np.array([k]), len(found)))
        if not which:
            return
        chosen, step, member = (np.concatenate(x) for x in (which, steps, members))
        own = [m[member] for m in modes]
        start, t = path[step, member], self.times[chosen]
        later = t > start.t
        if later.any():
            moved = flow.between(start[later], rows[member[later]], t[later], [m[later] for m in own])
            for name in ("q", "qd", "work"):
                getattr(start, name)[later] = getattr(moved, name)
        self._fill(flow, chosen, rows[member], replace(start, t=t), own, jumps[rows[member]])
        np.maximum.at(self.reached, rows[member], chosen + 1)

    def close(self, t: float, row: int) -> None:
        """No more times are to come; of a single motion the last is then t."""
        if len(self.reached) > 1:
            self.reached[row] = len(self.times)
            return
        count = int(self.reached[0])
        self.times = np.append(self.times[:count], t)
        for name, x in self.columns.items():
            self.columns[name] = np.concatenate([x[:count], np.full((1, *x.shape[1:]), np.nan)])

    def _fill(self, flow: Flow, chosen: Any, rows: Any, state: State, modes: Any, jumps: np.ndarray) -> None:
        qdd, tau, power, _ = flow.equations.evaluate(state.t, rows, state.q, state.qd, modes)
        energies = flow.equations.energies(rows, state.q, state.qd)
        work = np.concatenate([state.work, jumps[:, None]], axis=1)
        values = {"q": state.q, "qd": state.qd, "qdd": qdd, "tau": tau, "power": power, "work": work}
        for name, x in (values | {"energies": energies}).items():
            self.columns[name][chosen, rows] = x

    def motion(
        self, flow: Flow, batch: tuple[int, ...], events: Sequence[Any], ended: str, complete: bool
    ) -> Motion[Any]:
        """What there is: of a batch that was cut short, the times that every row has reached."""
        count = len(self.times) if complete else int(self.reached.min(initial=len(self.times)))
        c = {name: x[:count].reshape(count, *batch, x.shape[-1]) for name, x in self.columns.items()}
        energies = c.pop("energies")
        return Motion(
            flow.equations.robot, self.times[:count], **c, kinetic=energies[..., 0], potential=energies[..., 1],
            initial=self.initial.reshape(batch), events=tuple(events), ended=ended,
        )


class Run:
    """Rows of a batch on their way through time; nothing happens but at given breaks."""

    def __init__(self, flow: Flow, record: Record, state: State, breaks: Sequence[float], progress: Progress) -> None:
        self.flow, self.record, self.state, self.breaks, self.progress = flow, record, state, breaks, progress
        self.rows = np.arange(len(state.t))
        self.jumps = np.zeros(len(state.t))
        self.every = self._every()
        self.modes: list[np.ndarray] = []
        self.happened: list[Happened] = []
        self.ended = ""

    def _every(self) -> int:
        """Of steps on a grid on which all times asked for lie, only those between them are kept."""
        h = self.flow.length
        if h is None or not len(self.record.times):
            return 1
        steps = np.append(self.record.times, self.breaks) / h
        if np.abs(steps - np.round(steps)).max() > 1e-9 * max(steps.max(), 1):
            return 1
        return max(math.gcd(*map(int, np.round(steps))), 1)


    def go(self) -> None:
        """To the last break."""
        for k, end in enumerate(self.breaks):
            self.flow.equations.decide(float(self.state.t[0]), self.state.q, self.state.qd)
            self._to(end, closed=k == len(self.breaks) - 1)

    def _to(self, end: float, closed: bool) -> None:
        while (self.state.t < end).any():
            path = self.stretch(end)
            self.record.take(self.flow, path, self.rows, (), self.jumps, closed)
            self.state = path[-1]
            self.progress.show(float(self.state.t.min()))
        self.record.take(self.flow, self.state[None], self.rows, (), self.jumps, closed)

    def stretch(self, end: float, modes: Any = (), most: int = ADAPTIVE) -> State:
        """Some steps, from the state on."""
        rows, size = len(self.rows), 2 * self.flow.equations.robot.n + 5
        kept = max(NUMBERS // (rows * size), 4)
        if self.flow.length is not None:
            count = max(min(kept * self.every, max(ROW_STEPS // rows, self.every)), 1)
        else:
            needed = np.max((end - self.state.t) / np.maximum(self.state.h, SHORTEST))
            count = int(min(most, kept, 1.3 * needed + 2))
        log = self.flow.advance(self.state, self.rows, end, count, modes, self.every)
        return self._sound(self.state[None].then(log))

    def _sound(self, path: State) -> State:
        """The path, if all of it is finite and time goes on."""
        bad = np.asarray(~(np.isfinite(path.q).all(-1) & np.isfinite(path.qd).all(-1)))
        if not bad.any():
            if (path.h[-1] < SHORTEST * np.maximum(path.t[-1], SHORTEST)).any() and self.flow.length is None:
                t = float(path.t[-1].min())
                step = path.h[-1].min()
                raise MotionError(f"the step fell to {step:.1e} s at t = {t:.6g} s; is it stiff? try method='stiff'")
            return path
        k = int(np.argmax(bad.any(axis=1)))
        row = int(np.argmax(bad[k]))
        whole = path[:k]
        self.record.take(self.flow, whole, self.rows, self.modes, self.jumps, closed=True)
        last = whole[-1]
        joint = self.flow.equations.robot.joint_names[int(np.argmax(np.abs(last.qd[row])))]
        where = f", row {row} of the batch" if len(self.rows) > 1 else ""
        raise MotionError(
            f"the state is not finite after t = {last.t[row]:.6g} s{where}; the fastest joint there is {joint!r} at "
            f"{np.abs(last.qd[row]).max():.3g}; a shorter step, or smaller efforts, may help"
        )
