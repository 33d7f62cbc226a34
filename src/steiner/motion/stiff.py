"""Steps for stiff motions: Radau's implicit method of order five, SciPy's, with derivatives of the equations."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from steiner.backends import compile_tape
from steiner.model.motion import MotionError
from steiner.motion.equations import SOURCES
from steiner.motion.flow import Flow, State
from steiner.trace.grad import jacobian

PIECES = 256  # steps whose insides are kept


class StiffFlow(Flow):
    """One row through time by implicit steps; between steps their own polynomials are read."""

    is_native = False  # pyright: ignore[reportAssignmentType,reportIncompatibleMethodOverride]

    asks = False  # pyright: ignore[reportAssignmentType,reportIncompatibleMethodOverride]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._solver: Any = None
        self._pieces: dict[float, Any] = {}

    def advance(self, state: State, rows: np.ndarray, end: float, most: int, modes: Any, every: int = 1) -> State:
        """See `Flow.advance`."""
        self._set_off(state, rows, end, modes)
        kept = []
        for _ in range(most):
            begun, failed = self._solver.t, self._solver.step()
            if self._solver.status == "failed":
                raise MotionError(f"the implicit step from t = {begun:.6g} s failed: {failed}")
            self._pieces[begun] = self._solver.dense_output()
            kept.append(self._state(np.array([self._solver.t]), self._solver.y[None], state, modes))
            if self._solver.status == "finished":
                break
        while len(self._pieces) > PIECES:
            self._pieces.pop(next(iter(self._pieces)))
        return kept[0][None].then(*(s[None] for s in kept[1:]))

    def between(self, state: State, rows: np.ndarray, t: np.ndarray, modes: Any) -> State:
        """See `Flow.between`."""
        y = [self._pieces[a](b) if b > a else _flat(state, k) for k, (a, b) in enumerate(zip(state.t, t, strict=True))]
        return self._state(t, np.array(y).reshape(len(t), -1), state, modes)

    def _set_off(self, state: State, rows: np.ndarray, end: float, modes: Any) -> None:
        from scipy.integrate import Radau

        y, t, solver = _flat(state, 0), float(state.t[0]), self._solver
        if solver is not None and solver.status == "running" and np.array_equal([t, end, *y], _where(solver)):
            return

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            q, qd = self._split(y)
            qdd, _, power, _ = self.equations.evaluate(np.array([t]), rows, q, qd, modes)
            return np.concatenate([qd[0], qdd[0], power[0]])

        slope = None if self.equations.is_asked else lambda t, y: self._slope(t, y, rows, modes)
        options: dict[str, Any] = {"rtol": max(self.rtol, 1e-13), "atol": self.atol, "max_step": self.longest}
        self._solver = Radau(rate, t, y, end, jac=slope, **options)

    def _split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.equations.robot.n
        return y[None, :n], y[None, n : 2 * n]

    def _state(self, t: np.ndarray, y: np.ndarray, origin: State, modes: Any) -> State:
        n = self.equations.robot.n
        q, qd, work = y[:, :n].copy(), y[:, n : 2 * n].copy(), y[:, 2 * n :].copy()
        if self.equations.holds is not None:  # what sticks is where it was, to the last bit
            stuck = np.broadcast_to(modes[1] == 0, q.shape)
            q, qd = np.where(stuck, origin.q, q), np.where(stuck, 0.0, qd)
        return State(t, q, qd, work, np.broadcast_to(origin.h, t.shape))

    @cached_property
    def _derivatives(self) -> tuple[Any, Any]:
        tape = jacobian(self.equations.tape, ("q", "qd"))
        return tape, compile_tape(tape)

    def _slope(self, t: float, y: np.ndarray, rows: np.ndarray, modes: Any) -> np.ndarray:
        n, (tape, kernel) = self.equations.robot.n, self._derivatives
        q, qd = self._split(y)
        at = np.array([t])
        inputs = [np.ascontiguousarray(x) for x in (at[:, None], q, qd, *self.equations.acting(at, rows, q, qd, modes))]
        results = [np.zeros((1, o.size)) for o in tape.outputs]
        kernel(inputs, results, 1)
        parts = [r.reshape(o.shape) for r, o in zip(results, tape.outputs, strict=True)]
        per = len(parts) // 2
        rates = [np.concatenate([parts[k], parts[per + k]], axis=-1) for k in (0, 2)]  # of q̈ and of the powers
        whole = np.zeros((2 * n + len(SOURCES), 2 * n + len(SOURCES)))
        whole[:n, n : 2 * n] = np.eye(n)
        whole[n : 2 * n, : 2 * n], whole[2 * n :, : 2 * n] = rates
        return whole


def _flat(state: State, row: int) -> np.ndarray:
    return np.concatenate([state.q[row], state.qd[row], state.work[row]])


def _where(solver: Any) -> np.ndarray:
    return np.array([solver.t, solver.t_bound, *solver.y])
