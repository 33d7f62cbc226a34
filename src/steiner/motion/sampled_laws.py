"""Laws that act at their own pace and may remember something: PID, and any law as a machine runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from steiner.model.robot import Robot

Law = Callable[[Any, Any, Any], Any]


class Sampled(ABC):
    """A law that acts every `period` seconds and holds its torque in between; it may remember what it saw."""

    period: float

    @abstractmethod
    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The torque to hold from now on; called once per period, in order."""

    @abstractmethod
    def restarted(self) -> Sampled:
        """The same law, remembering nothing."""


@final
@dataclass
class Pid(Sampled):
    """See `pid`."""

    robot: Robot
    wanted: Callable[[Any], Any]
    kp: np.ndarray
    ki: np.ndarray
    kd: np.ndarray
    period: float
    limit: np.ndarray
    gravity: bool
    total: Any = 0.0

    def restarted(self) -> Pid:
        """With its integral at zero."""
        return replace(self, total=0.0)

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The torque to hold."""
        at, rate, _ = self.wanted(t)
        e = at - q
        total = self.total + self.ki * e * self.period
        effort = self.kp * e + self.kd * (rate - qd) + total
        effort = effort + self.robot.static_torque(q) if self.gravity else effort
        held = np.clip(effort, -self.limit, self.limit)
        winding = (held != effort) & (np.sign(e) == np.sign(effort))  # the integral would only push further
        self.total = np.where(winding, self.total, total)
        return held


@final
@dataclass
class Digital(Sampled):
    """See `sampled`."""

    law: Law
    period: float
    delay: int
    limit: np.ndarray
    rate: np.ndarray
    resolution: np.ndarray
    noise: tuple[Any, Any]
    seed: int
    waiting: deque[np.ndarray] = field(default_factory=deque)
    last: Any = None
    random: Any = None

    def restarted(self) -> Digital:
        """With empty hands, and the same noise again."""
        law = self.law.restarted() if isinstance(self.law, Sampled) else self.law
        return Digital(law, self.period, self.delay, self.limit, self.rate, self.resolution, self.noise, self.seed)

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The torque to hold."""
        if self.random is None:
            self.random = np.random.default_rng(self.seed)
        step = np.where(self.resolution > 0, self.resolution, 1.0)
        rough = q + self.noise[0] * self.random.standard_normal(q.shape)
        seen = np.where(self.resolution > 0, np.round(rough / step) * step, rough)  # an encoder has a grid
        speed = qd + self.noise[1] * self.random.standard_normal(q.shape)
        self.waiting.append(np.clip(self.law(t, seen, speed), -self.limit, self.limit))
        effort = self.waiting.popleft() if len(self.waiting) > self.delay else self.waiting[0] * 0
        if self.last is not None:
            reach = self.rate * self.period
            effort = np.clip(effort, self.last - reach, self.last + reach)
        self.last = effort
        return effort
