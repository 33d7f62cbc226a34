"""States carried through time: the steps of a method on the equations of a robot.

Where everything is traced, a kernel is fed with its own results in native code.  Where Python functions have to be
asked, and for robots whose step would take long to compile, the same step runs on arrays.  A state between two steps
is that of a shorter step from the first: as exact as the steps, and all of them are one call of the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steiner.backends import compile_tape, repeat
from steiner.errors import SteinerError
from steiner.motion import steps
from steiner.motion.equations import SOURCES, Equations
from steiner.motion.steps import Method
from steiner.trace import trace

LONGEST = 40_000  # rows of a step's tape: some ten seconds of compiling
FIRST_STEP = 1e-3
LOOSE = 1e100  # a tolerance under which every step is taken


@dataclass(frozen=True)
class State:
    """Rows of states, each at its time; h is what an adaptive method tries next."""

    t: np.ndarray  # (…, rows)
    q: np.ndarray
    qd: np.ndarray
    work: np.ndarray
    h: np.ndarray

    def __getitem__(self, key: Any) -> State:
        return State(*(getattr(self, name)[key] for name in self.__dataclass_fields__))

    def then(self, *others: State) -> State:
        """This and later states in one, along the first axis."""
        parts = (self, *others)
        return State(*(np.concatenate([getattr(p, name) for p in parts]) for name in self.__dataclass_fields__))


class _Traced:
    """What a step asks of the equations while it is traced."""

    def __init__(self, equations: Equations, acting: Sequence[Any]) -> None:
        self.equations, self.acting = equations, acting

    def __call__(self, t: Any, q: Any, qd: Any) -> tuple[Any, Any]:
        qdd, _, power, _ = self.equations.tape.on(t, q, qd, *self.acting)
        return qdd, power

    def momentum(self, t: Any, q: Any, qd: Any) -> Any:
        return self.equations.momentum.tape.on(t, q, qd, *self.acting)

    def velocity(self, q: Any, p: Any) -> Any:
        return self.equations.velocity.tape.on(q, p, *self.acting[len(self.acting) - len(self.equations.tail) :])[0]


class _Asked:
    """The same on arrays, all rows at one time."""

    def __init__(self, equations: Equations, rows: np.ndarray, modes: Any) -> None:
        self.equations, self.rows, self.modes = equations, rows, modes

    def __call__(self, t: Any, q: Any, qd: Any) -> tuple[Any, Any]:
        qdd, _, power, _ = self.equations.evaluate(self._times(t, q), self.rows, q, qd, self.modes)
        return qdd, power

    def momentum(self, t: Any, q: Any, qd: Any) -> Any:
        at = self._times(t, q)
        return self.equations.momentum(at[:, None], q, qd, *self.equations.acting(at, self.rows, q, qd, self.modes))

    def velocity(self, q: Any, p: Any) -> Any:
        return self.equations.velocity(q, p, *self.equations.last(self.rows, self.modes))[0]

    def _times(self, t: Any, q: Any) -> np.ndarray:
        return np.full(len(q), float(np.ravel(t)[0]))


class Flow:
    """The steps of one method."""

    def __init__(
        self, equations: Equations, method: Method, *, step: float | None, rtol: float, atol: float, longest: float
    ) -> None:
        self.equations, self.method, self.length, self.rtol, self.atol = equations, method, step, rtol, atol
        self.longest = longest
        self._failed: BaseException | None = None

    def start(self, q: np.ndarray, qd: np.ndarray, t: float = 0.0) -> State:
        """The first state; rows of q and q̇."""
        rows = len(q)
        first = np.full(rows, self.length or min(FIRST_STEP, self.longest))
        return State(np.full(rows, t), q, qd, np.zeros((rows, len(SOURCES))), first)

    @property
    def is_native(self) -> bool:
        """Whether steps are a kernel's."""
        return not self.equations.is_asked and self.method.stages * len(self.equations.tape.rows) <= LONGEST

    @property
    def asks(self) -> bool:
        """Whether a state between two steps costs as much as a step."""
        return not self.is_native

    @property
    def kernel(self) -> Any:
        """A whole step; kept with the equations."""
        made = self.equations.code.steps
        if self.method.title not in made:
            made[self.method.title] = self._made()
        return made[self.method.title]

    def _made(self) -> Any:
        n = self.equations.robot.n

        def step(q: Any, qd: Any, work: Any, clock: Any, control: Any, *acting: Any) -> Any:
            return self._text(_Traced(self.equations, acting), q, qd, work, clock, control)

        clock, control = (2, 4) if self.method.step is None else (1, 2)
        names = [("q", n), ("qd", n), ("work", len(SOURCES)), ("clock", clock), ("control", control)]
        return compile_tape(trace(step, [*names, *self.equations.inputs]))

    def _text(self, rate: Any, *state: Any, **options: Any) -> Any:
        step = self.method.step
        return steps.adaptive(rate, *state, **options) if step is None else steps.fixed(step, rate, *state)

    # ---- forward -------------------------------------------------------------------------------

    def advance(self, state: State, rows: np.ndarray, end: float, most: int, modes: Any, every: int = 1) -> State:
        """States after each (each `every`-th) of up to `most` steps, none beyond the end: (count, rows)."""
        if self.length is None:
            clock = np.stack([state.t, state.h], axis=1)
            control = np.array([[end, self.rtol, self.atol, self.longest]])
            log = self._stepped(state, rows, clock, control, most, every, modes)
            q, qd, work, clock = log
            return State(clock[..., 0], q, qd, work, clock[..., 1])
        t = float(state.t[0])
        whole = min(int((end - t) / self.length * (1 + 1e-12) + 1e-9), most)
        every = every if whole >= every else 1
        if whole == 0:
            last = self.between(state, rows, np.full(len(rows), end), modes)
            return replace(last, t=np.full(len(rows), end))[None]
        clock, control = np.zeros((len(rows), 1)), np.array([[t, self.length]])
        log = self._stepped(state, rows, clock, control, whole // every * every, every, modes)
        count = len(log[0])
        times = t + self.length * every * np.arange(1, count + 1)
        times[-1] = end if abs(times[-1] - end) < 1e-9 * self.length else times[-1]
        q, qd, work, _ = log
        return State(np.repeat(times[:, None], len(rows), 1), q, qd, work, np.full((count, len(rows)), self.length))

    def _stepped(
        self, state: State, rows: np.ndarray, clock: Any, control: Any, count: int, every: int, modes: Any
    ) -> list[np.ndarray]:
        if self._failed is not None:
            raise self._failed
        if not self.is_native:
            return self._in_python(state, rows, clock, control, count, every, modes)
        current = [np.ascontiguousarray(x).copy() for x in (state.q, state.qd, state.work, clock)]
        log = [np.zeros((count // every, *x.shape)) for x in current]
        acting = self.equations.acting(state.t, rows, None, None, modes)
        samples = self.equations.torques.samples
        if samples is not None and len(samples) > 1 and self.length is not None:  # one per step
            picked = self.equations.torques.index(state.t[0] + self.length * np.arange(count))
            in_turn = samples[picked[0] : picked[-1] + 1] if picked[-1] - picked[0] == count - 1 else samples[picked]
            acting[0] = in_turn if samples.shape[1] in (1, len(rows)) else np.ascontiguousarray(in_turn[:, rows])
        repeat(self.kernel, current, [control, *acting], count, every, log)
        return log

    def _in_python(
        self, state: State, rows: np.ndarray, clock: Any, control: Any, count: int, every: int, modes: Any
    ) -> list[np.ndarray]:
        """The step on arrays, all rows at one time."""
        current: Sequence[Any] = (state.q, state.qd, state.work, clock[:1])
        kept: list[Any] = []
        for k in range(count):
            try:
                with np.errstate(all="ignore"):
                    current = self._text(_Asked(self.equations, rows, modes), *current, control[0], **self._worst())
            except (SteinerError, KeyboardInterrupt) as error:
                if not kept:
                    raise
                self._failed = error  # told when the steps taken before are safe
                break
            finite = np.isfinite(current[0]).all() and np.isfinite(current[1]).all()
            if (k + 1) % every == 0 or not finite:
                kept.append(current)
            if not finite or (self.length is None and current[3][0, 0] >= control[0, 0]):
                break
        columns = [np.stack([np.asarray(x[j], dtype=float) for x in kept]) for j in range(4)]
        columns[3] = np.repeat(columns[3], len(rows), 1)
        return columns

    def _worst(self) -> dict[str, Any]:
        return {"worst": lambda error: error.max(axis=0, keepdims=True)} if self.length is None else {}

    # ---- between steps ---------------------------------------------------------------------------

    def between(self, state: State, rows: np.ndarray, t: np.ndarray, modes: Any) -> State:
        """States at times t ≥ those of the states, by one shorter step from each."""
        if not len(t):
            return state
        if not self.is_native and (np.ptp(t) or np.ptp(state.t)):
            parts = []
            for pair in dict.fromkeys(zip(state.t, t, strict=True)):
                chosen = (state.t == pair[0]) & (t == pair[1])
                part = self.between(state[chosen], rows[chosen], t[chosen], [m[chosen] for m in modes])
                parts.append((np.flatnonzero(chosen), part))
            order = np.argsort(np.concatenate([index for index, _ in parts]))
            return parts[0][1].then(*(part for _, part in parts[1:]))[order]
        rest = (t - state.t)[:, None]
        if self.length is None:
            clock = np.concatenate([state.t[:, None], rest], axis=1)
            control = np.concatenate([t[:, None], np.full((len(t), 3), LOOSE)], axis=1)
        else:
            clock, control = np.zeros((len(t), 1)), np.concatenate([state.t[:, None], rest], axis=1)
        if not self.is_native:
            log = self._in_python(state, rows, clock, control, 1, 1, modes)
            return State(t, log[0][0], log[1][0], log[2][0], state.h)
        current = [np.ascontiguousarray(x) for x in (state.q, state.qd, state.work, clock)]
        results = [np.zeros_like(x) for x in current]
        acting = self.equations.acting(state.t, rows, None, None, modes)
        self.kernel([*current, np.ascontiguousarray(control), *acting], results, len(t))
        q, qd, work, _ = results
        return State(t, q, qd, work, state.h)
