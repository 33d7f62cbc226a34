"""What the motors do: efforts as they are given to a simulation."""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of, floats_of
from steiner.model.robot import Robot
from steiner.scalar import numbers


class Torques:
    """The efforts of the motors: none, constant, samples held in turn, a traced law or a Python function.

    A traced law with `numbers` reads them as one more argument: laws that are equal but for these share their code.
    A function with a `period` is digital: it is asked once per period, in order, and its efforts are held.
    """

    _given: Any = None

    def __init__(self, tau: Any, robot: Robot, batch: tuple[int, ...], duration: float) -> None:
        self.law: Callable[..., Any] | None = None
        self.function: Callable[..., Any] | None = None
        self.numbers: np.ndarray | None = None  # of the law
        self.later: tuple[tuple[float, np.ndarray], ...] = ()  # those that follow, and from when on
        self.samples: np.ndarray | None = None  # (count, rows or 1, n), each held equally long
        self.digital: Callable[..., Any] | None = None
        self.hold, self.duration = duration, duration
        if tau is None:
            return
        if callable(tau) and hasattr(tau, "period"):
            (self.hold,) = numbers("tau: period", getattr(tau, "period", None))
            if not self.hold > 0:
                raise ArgumentError(f"tau: the period of {described(tau)} is {self.hold}; expected seconds > 0")
            self._given, self.samples = tau, np.zeros((1, 1, robot.n))
            self.restart()
            return
        if callable(tau):
            self.law = getattr(tau, "traced", None) or (tau if _takes_a_robot(tau) else None)
            self.function = None if self.law else tau
            self.numbers = getattr(self.law, "numbers", None)
            self.later = getattr(self.law, "later", ())
            return
        self.samples = _samples(tau, robot, batch)
        self.hold = duration / len(self.samples)

    def at(self, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sampled efforts at times, of rows of the batch."""
        assert self.samples is not None
        if len(self.samples) == 1:
            return self.samples[0] if self.samples.shape[1] == 1 else np.take(self.samples[0], rows, axis=0)
        return self.samples[self.index(t), rows if self.samples.shape[1] > 1 else 0]

    def index(self, t: Any) -> np.ndarray:
        """Which sample holds at these times."""
        count = 1 if self.samples is None else len(self.samples)
        return np.minimum((np.asarray(t) / self.hold * (1 + 1e-12) + 1e-9).astype(int), count - 1)

    @property
    def breaks(self) -> np.ndarray:
        """When the next sample takes over."""
        if self.digital is not None:
            times = self.hold * np.arange(1, int(np.ceil(self.duration / self.hold)) + 1)
            return times[times < self.duration * (1 - 1e-12)]
        if self.later:
            return np.array([t for t, _ in self.later if t < self.duration * (1 - 1e-12)])
        count = 1 if self.samples is None else len(self.samples)
        return self.hold * np.arange(1, count)

    def begin(self, t: float) -> None:
        """From this break on."""
        if self.later:
            past = bisect_right(self.later, t, key=itemgetter(0))
            self.numbers = self.later[past - 1][1] if past else getattr(self.law, "numbers", None)

    def restart(self) -> None:
        """A digital law forgets what it has seen."""
        if self._given is not None:
            self.digital = getattr(self._given, "restarted", lambda: self._given)()


def _takes_a_robot(function: Callable[..., Any]) -> bool:
    """Whether it is written as functions for `compile` are: f(robot, t, q, qd)."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len([p for p in given if p.default is p.empty and p.kind in positional]) == 4


def _samples(tau: Any, robot: Robot, batch: tuple[int, ...]) -> np.ndarray:
    given = floats_of("tau", array_of("tau", tau), np.float64)
    if given.ndim == 0 or given.shape[-1] != robot.n or given.ndim > len(batch) + 2:
        wanted = f"(…, {robot.n}), with the batch {batch} of q0, and one axis more in front for samples in time"
        raise ArgumentError(f"tau: expected {wanted}, got shape {given.shape}")
    if not np.isfinite(given).all():
        raise ArgumentError("tau holds numbers that are not finite")
    if given.ndim < len(batch) + 2:
        given = np.broadcast_to(given, (*batch, robot.n))[None] if given.ndim > 1 else given.reshape(1, 1, robot.n)
    count = len(given)
    try:
        spread = given if given.ndim == 3 and given.shape[1] == 1 else np.broadcast_to(given, (count, *batch, robot.n))
    except ValueError:
        raise ArgumentError(f"tau of shape {given.shape} does not fit the batch {batch} of q0") from None
    if not count:
        raise ArgumentError("tau holds no sample")
    return np.ascontiguousarray(spread.reshape(count, -1, robot.n))
