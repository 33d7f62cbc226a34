"""Runs in which something happens: joints stick and slide, limits are met, events of one's own.

What is watched is a margin, positive until it happens.  Margins are looked at along the steps taken; where one has
become negative the time is found on the step that crosses, the state there is kept, and the run goes on from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from steiner.analysis.ranges import ranges
from steiner.errors import ArgumentError, described
from steiner.model.motion import Happened, MotionError, quintic
from steiner.model.robot import Robot
from steiner.motion.asked import asked
from steiner.motion.equations import Equations
from steiner.motion.flow import Flow, State
from steiner.motion.run import Run

LOOKS = np.array([1e-3, *np.arange(1, 8) / 8, 1 - 1e-3, 1.0])  # at margins, as shares of a step
PARTS = 9  # into which a search cuts the time left
ALIKE = 1e-4  # of a step between two looks
ROUNDS = 16  # of a search for the bottom of a dip
TOLERANCE = 1e-13  # seconds, or of the time itself if that is more than one
NEAREST = 1e-9  # seconds (or share of the time) between two events of the same kind
MOST_EVENTS, CROWDED = 1000, 1e-3  # so many within so many seconds are too many
STRETCH = 16  # steps until margins are looked at
RESTLESS = 7  # joints whose sticking and sliding is tried in all ways



@dataclass(frozen=True)
class Event:
    """A function of (t, q, qd) whose zeros are found, or a time, and what happens then."""

    margin: Callable[..., Any] | float
    then: Any = None

    @property
    def name(self) -> str:
        """What it is called in a motion's list of events."""
        return getattr(self.margin, "__name__", "event") if callable(self.margin) else "time"

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> float:
        """The function's value."""
        assert callable(self.margin)
        value = asked(f"event {self.name!r}", t, lambda: float(self.margin(t, q.copy(), qd.copy())))  # pyright: ignore[reportCallIssue]
        if value != value:
            raise ArgumentError(f"event {self.name!r} at t = {t:.6g} s is not a number")
        return value


def events_of(given: Any, robot: Robot, duration: float) -> list[Event]:
    """The events of events=: functions, times, and pairs of one of these and what happens then."""
    found = []
    for item in given if isinstance(given, list | tuple) and not _is_pair(given) else [given]:
        margin, then = item if isinstance(item, tuple | list) and len(item) == 2 else (item, None)
        if isinstance(margin, int | float) and not isinstance(margin, bool):
            if not 0 < margin <= duration:
                raise ArgumentError(f"events: a time between 0 and {duration:g} s was expected, got {margin!r}")
            margin = float(margin)
        elif not callable(margin):
            wanted = "functions (t, q, qd), times, or (one of these, then)"
            raise ArgumentError(f"events: expected {wanted}, got {described(item)}")
        if not (then is None or then == "stop" or callable(then) or isinstance(then, Robot)):
            raise ArgumentError(f"events: then is 'stop', a robot or a function (t, q, qd), got {described(then)}")
        found.append(Event(margin, _checked(then, robot)))
    return found


def _is_pair(given: Any) -> bool:
    return len(given) == 2 and (given[1] == "stop" or isinstance(given[1], Robot) or given[1] is None)


def _checked(then: Any, robot: Robot) -> Any:
    if isinstance(then, Robot) and then.joint_names != robot.joint_names:
        raise ArgumentError(f"events: {then.name} has other joints than {robot.name}; the motion cannot go on with it")
    return then


def _may_dip(times: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Of margins at three looks in a row, the middle one least, whether one that is convex may be negative between."""
    middle, slopes = margins[1:-1], np.diff(margins, axis=0) / np.diff(times)[:, None]
    before, after = np.diff(times)[:-1, None], np.diff(times)[1:, None]
    least = (slopes[:-1] < 0) & (slopes[1:] >= 0)
    return least & (middle <= np.maximum(slopes[1:] * before, -slopes[:-1] * after))


class Ended(Exception):
    """The run is over before its time."""


class HybridRun(Run):
    """One row, step by step, with all that happens to it."""

    def __init__(
        self, *args: Any, row: int, events: Sequence[Event], limits: str, again: Callable[[Robot], Flow]
    ) -> None:
        super().__init__(*args)
        self.rows, self.row, self.again = np.array([row]), row, again
        self.jumps = np.zeros(row + 1)
        self.every = 1
        self.watched = [e for e in events if callable(e.margin)]
        self.timed = sorted((e for e in events if not callable(e.margin)), key=lambda e: float(e.margin))  # pyright: ignore[reportArgumentType]
        self.limits = limits
        self.lower, self.upper, *_ = ranges(self.equations.robot)
        self.sides, self.last = np.zeros(len(self.watched)), np.full(len(self.watched), -np.inf)
        self._check_limits()
        self.equations.torques.restart()

    @property
    def equations(self) -> Equations:
        """Those of the robot that moves now."""
        return self.flow.equations

    def go(self) -> None:
        """To the last break, or to where it ends."""
        ends = sorted({*self.breaks, *(float(e.margin) for e in self.timed)})  # pyright: ignore[reportArgumentType]
        try:
            for end in ends:
                self.equations.decide(float(self.state.t[0]), self.state.q, self.state.qd)
                self.modes = self._settled(self.state)  # efforts may have jumped
                self._until(end, closed=end == ends[-1])
                for event in [e for e in self.timed if e.margin == end]:
                    self._react(event) if end < ends[-1] else self._tell(event.name)
        except Ended as reason:
            self.ended = str(reason)
            self.record.close(float(self.state.t[0]), self.row)
            self._take(self.state[None], closed=True)

    def _until(self, end: float, closed: bool) -> None:
        while self.state.t[0] < end:
            path = self.stretch(end, self.modes, STRETCH)
            tried = path.h[-1]
            path = path[np.append(True, np.diff(path.t[:, 0]) > 0)]  # steps refused are no steps
            found = self._first(path)
            if found is None:
                self._take(path, closed)
                self.state = replace(path[-1], h=tried)
            else:
                step, state, fired = found
                self._take(path[: step + 1].then(state[None]), closed=False)
                self.state = state
                self._happen(fired)
            self.progress.show(float(self.state.t[0]))
        self._take(self.state[None], closed)

    def _take(self, path: State, closed: bool) -> None:
        self.record.take(self.flow, path, self.rows, self.modes, self.jumps, closed)

    # ---- margins ---------------------------------------------------------------------------------

    def _margins(self, state: State) -> np.ndarray:
        """All margins at states (m,), one column each; those of watched functions are signed by where they began."""
        q, qd, columns = state.q, state.qd, []
        for k, event in enumerate(self.watched):
            values = np.array([event(float(t), a, b) for t, a, b in zip(state.t, q, qd, strict=True)])
            if not self.sides[k]:  # of what has just happened the side is that of the first value that is not zero
                self.sides[k] = next((np.sign(v) for v in values if v), 0.0)
            columns.append(values * self.sides[k])
        if self.limits != "ignore":
            columns += [*(q - self.lower).T, *(self.upper - q).T]
        if self.equations.holds is not None:
            modes = [np.repeat(m, len(q), 0) for m in self.modes]
            way, free = modes
            drag = self.equations.evaluate(state.t, np.full(len(q), self.row), q, qd, modes)[3]
            back, forth = self.equations.holds
            slides = np.where(self.equations.sticky, way * qd, np.inf)
            columns += [*np.where(free > 0, slides, np.minimum(forth - drag, drag + back)).T]
        return np.array(columns).T.reshape(len(q), -1)

    def _first(self, path: State) -> tuple[int, State, list[int]] | None:
        """Where on the path a margin first becomes negative: the step, the state there, and which margins."""
        if not (self.watched or self.limits != "ignore" or self.equations.holds is not None) or len(path.t) < 2:
            return None
        ends = path.t[:, 0]
        times = self._looks(ends)
        for look in (self._roughly, self._at) if self.flow.asks else (self._at,):
            margins = self._margins(look(path, times))
            negative = np.flatnonzero((margins < 0).any(axis=1))
            seen = int(negative[0]) + 1 if len(negative) else len(times)
            bracket = self._dip(partial(look, path), times[:seen], margins[:seen])
            if bracket is None and not len(negative):
                return None
            low, high = bracket or (times[max(seen - 2, 0)] if seen > 1 else ends[0], times[seen - 1])
            step = int(np.searchsorted(ends, high)) - 1
            found = self._located(path, step, max(float(low), float(ends[step])), float(high))
            if found is not None:
                return found
        return None

    def _looks(self, ends: np.ndarray) -> np.ndarray:
        """Times at which margins are looked at along steps: within each, and at the samples that are kept."""
        within = np.where(LOOKS == 1, ends[1:, None], ends[:-1, None] + np.diff(ends)[:, None] * LOOKS).ravel()
        kept = self.record.times[np.searchsorted(within, self.record.times) % len(within) > 0]
        gap = np.abs(kept[:, None] - within[np.searchsorted(within, kept)[:, None] + [-1, 0]]).min(axis=1)
        return np.sort(np.append(within, kept[gap > ALIKE * np.diff(ends).min()]))

    def _dip(self, look: Any, times: np.ndarray, margins: np.ndarray) -> tuple[float, float] | None:
        """Two times between which a margin becomes negative though it is not at the looks around: a short visit."""
        finite = np.flatnonzero(np.isfinite(margins).all(axis=0))
        for k, column in np.argwhere(_may_dip(times, margins[:, finite])):
            low, high = times[k], times[k + 2]
            for _ in range(ROUNDS):
                finer = np.linspace(low, high, PARTS + 1)
                if not np.diff(finer).all():
                    break  # no numbers are between
                m = self._margins(look(finer))[:, finite[column]]
                if (m < 0).any():
                    j = int(np.argmax(m < 0))
                    return (float(finer[j - 1]), float(finer[j])) if j else (float(low), float(finer[1]))
                j = int(np.clip(np.argmin(m), 1, PARTS - 1))
                if not _may_dip(finer[j - 1 : j + 2], m[j - 1 : j + 2, None]).any():
                    break
                low, high = finer[j - 1], finer[j + 1]
        return None

    def _roughly(self, path: State, times: np.ndarray) -> State:
        """States on quintics through the steps' ends: of functions that are asked in Python, each call counts."""
        ends = path[:, 0]
        steps = np.maximum(np.searchsorted(ends.t, times) - 1, 0)
        modes = [np.repeat(m, len(ends.t), 0) for m in self.modes]
        qdd = self.equations.evaluate(ends.t, np.full(len(ends.t), self.row), ends.q, ends.qd, modes)[0]
        h = np.diff(ends.t)[steps][:, None]
        share = (times - ends.t[steps])[:, None] / h
        around = [x[k] for k in (steps, steps + 1) for x in (ends.q, ends.qd, qdd)]
        q, qd, _ = quintic(around, share, h)
        return replace(ends[steps], t=times, q=q, qd=qd)

    def _at(self, path: State, times: np.ndarray) -> State:
        start = path[np.maximum(np.searchsorted(path.t[:, 0], times) - 1, 0), 0]
        modes = [np.repeat(m, len(times), 0) for m in self.modes]
        return self.flow.between(start, np.full(len(times), self.row), times, modes)

    def _located(self, path: State, step: int, low: float, high: float) -> tuple[int, State, list[int]] | None:
        while True:
            times = np.linspace(low, high, PARTS + 1)[1:]
            states = self._at(path, times)
            margins = self._margins(states)
            if not (margins < 0).any():
                return None
            k = int(np.argmax((margins < 0).any(axis=1)))
            low, high = (low if k == 0 else float(times[k - 1])), float(times[k])
            if high - low <= TOLERANCE * max(1.0, high):
                state = replace(states[k : k + 1], h=path.h[step])
                return step, state, np.flatnonzero(margins[k] < 0).tolist()

    # ---- reactions -------------------------------------------------------------------------------

    def _happen(self, fired: list[int]) -> None:
        n, robot = self.equations.robot.n, self.equations.robot
        own = len(self.watched)
        bounds = 2 * n if self.limits != "ignore" else 0
        stopped = [k - own - bounds for k in fired if k >= own + bounds]
        if stopped:
            qd = self.state.qd.copy()
            qd[0, stopped] = 0.0
            self._jump(replace(self.state, qd=qd))
        for k in fired:
            if own <= k < own + bounds:
                joint, side = robot.joint_names[(k - own) % n], "upper" if k - own >= n else "lower"
                self._tell(f"{joint} at its {side} limit")
                text = f"{joint!r} reaches its {side} limit at t = {self.state.t[0]:.6g} s"
                raise Ended(text) if self.limits == "stop" else MotionError(f"{text}; limits='stop' ends it there")
        own_fired, before = [k for k in fired if k < own], self.state
        for k in own_fired:
            self._close_together(k)
            self._react(self.watched[k])
        if self.state.q is before.q and self.state.qd is before.qd:
            for k in own_fired:  # it is beyond by less than can be told from zero a little later
                self.sides[k] = np.sign(self.watched[k](float(before.t[0]), before.q[0], before.qd[0]))
        slid = self.modes[1][0] if self.modes else ()
        self.modes = self._settled(self.state)
        for k in stopped:
            now = "stops" if not self.modes[1][0, k] else "turns round" if slid[k] else "slides"
            self._tell(f"{robot.joint_names[k]} {now}")

    def _close_together(self, k: int) -> None:
        """An event's side is asked afresh, and the next step is no longer than the time since it happened last."""
        t, last = float(self.state.t[0]), self.last[k]
        if t - last < NEAREST * max(1.0, t):
            name = self.watched[k].name
            raise MotionError(f"event {name!r} comes ever faster at t = {t:.9g} s; let it 'stop' the motion")
        self.sides[k], self.last[k] = 0.0, t
        self.state = replace(self.state, h=np.minimum(self.state.h / 2, (t - last) / 2))

    def _tell(self, what: str) -> None:
        self.happened.append(Happened(float(self.state.t[0]), what))
        t, latest = float(self.state.t[0]), self.happened[-MOST_EVENTS:]
        if len(latest) == MOST_EVENTS and t - latest[0].t < CROWDED:
            text = f"{MOST_EVENTS} events within {t - latest[0].t:.1e} s until t = {t:.9g} s, the last {what!r}"
            raise MotionError(f"{text}: torques or events rattle; let an event 'stop' it, or sample the torques")

    def _react(self, event: Event) -> None:
        self._tell(event.name)
        t, q, qd = float(self.state.t[0]), self.state.q[0], self.state.qd[0]
        then: Any = event.then
        if callable(then) and not isinstance(then, Robot):
            then = asked(f"event {event.name!r}: what follows", t, then, t, q.copy(), qd.copy())
        if then is None:
            return
        if isinstance(then, str) and then == "stop":
            raise Ended(f"{event.name} at t = {t:.6g} s")
        if isinstance(then, Robot):
            before = self._energy()
            self.flow = self.again(_checked(then, self.equations.robot))
            self.lower, self.upper, *_ = ranges(then)
            self.jumps[self.row] += self._energy() - before
            return
        try:
            new = [np.array(x, dtype=float).reshape(1, len(q)) for x in then]
            if len(new) != 2 or not all(np.isfinite(x).all() for x in new):
                raise ValueError
        except (TypeError, ValueError):
            wanted = f"None, 'stop', a robot or a new state (q, qd) at t = {t:.6g} s"
            raise ArgumentError(f"event {event.name!r}: expected {wanted}, got {described(then)}") from None
        self._jump(replace(self.state, q=new[0], qd=new[1]))

    def _jump(self, state: State) -> None:
        before, self.state = self._energy(), state
        self.jumps[self.row] += self._energy() - before

    def _energy(self) -> float:
        return float(self.equations.energies(self.rows, self.state.q, self.state.qd).sum())

    # ---- friction that holds -------------------------------------------------------------------------

    def _settled(self, state: State) -> list[np.ndarray]:
        """Ways and freedoms of the joints: those at rest stick, unless what they would have to hold is too much.

        The set-valued law with a positive definite M has one answer; it is found by letting go the joint that holds
        the most too much, and holding again one that then goes the wrong way.  Where torques depend on who slides
        (friction that falls once a joint moves, or is compensated) that may go round in circles: then all is tried.
        """
        if self.equations.holds is None:
            return []
        rest = (state.qd[0] == 0) & self.equations.sticky
        way = np.where(rest, 0.0, np.sign(state.qd[0]))
        tried: list[np.ndarray] = []
        while not any(np.array_equal(way, old) for old in tried):
            tried.append(way.copy())
            excess, wrong, push = self._strain(state, way, rest)
            if max(excess.max(initial=0.0), wrong.max(initial=0.0)) <= 0:
                return self._modes(way, rest)
            k = int(np.argmax(excess if excess.max() > 0 else wrong))
            way[k] = push[k] if excess.max() > 0 else 0.0
        restless = np.flatnonzero(np.ptp(tried, axis=0))[:RESTLESS]
        for ways in sorted(product((0.0, 1.0, -1.0), repeat=len(restless)), key=np.count_nonzero):
            way[restless] = ways
            excess, wrong, _ = self._strain(state, way, rest)
            if max(excess.max(), wrong.max()) <= 0:
                return self._modes(way, rest)
        names = " and ".join(repr(self.equations.robot.joint_names[k]) for k in restless)
        raise MotionError(
            f"torques chatter at t = {state.t[0]:.9g} s: at rest they push {names} on, in motion back to rest; "
            "give them a width in q̇, or a period (controllers.sampled)"
        )

    def _strain(self, state: State, way: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By how much joints at rest hold too much, or are accelerated against the ways given; where they push."""
        back, forth = self.equations.holds  # pyright: ignore[reportGeneralTypeIssues]
        modes = self._modes(way, rest)
        qdd, _, _, drag = (x[0] for x in self.equations.evaluate(state.t, self.rows, state.q, state.qd, modes))
        excess = np.where(rest & (way == 0), np.maximum(drag - forth, -back - drag), -np.inf)
        return excess, np.where(rest & (way != 0), -way * qdd, -np.inf), np.sign(drag)

    def _modes(self, way: np.ndarray, rest: np.ndarray) -> list[np.ndarray]:
        return [way[None].copy(), np.where(rest & (way == 0), 0.0, 1.0)[None]]

    def _check_limits(self) -> None:
        if self.limits == "ignore":
            return
        q = self.state.q[0]
        outside = np.flatnonzero((q < self.lower) | (q > self.upper))
        if len(outside):
            k = outside[0]
            name = self.equations.robot.joint_names[k]
            raise ArgumentError(f"q0: {name!r} = {q[k]:g} is outside its limits {self.lower[k]:g} … {self.upper[k]:g}")
