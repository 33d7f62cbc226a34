"""Velocities and accelerations from positions alone, by cubics fitted to the rows around each row.

Savitzky and Golay's filter for times that need not be equally far apart: the least-squares cubic through the 2 m + 1
rows around a row (fewer at both ends of the file), differentiated there.  It passes slow motions and takes away fast
ones with the noise; `bandwidth` says where.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steiner.errors import FormatError
from steiner.files.motion import Block, MotionFile

DEGREE = 3
WINDOW = 15  # rows of a fit
ROWS = 4096  # fitted at a time: what they need stays in the cache


@dataclass
class LocalCubics:
    """Blocks of positions become blocks with rates, in the order in which they come."""

    motion: MotionFile
    window: int = WINDOW
    after: Mapping[str, Any] | None = None
    step: float = math.nan  # seconds between rows, the median of the first block
    _t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    _done: int = 0  # rows kept that are finished, and serve as neighbours

    def __post_init__(self) -> None:
        self._half = self.window // 2
        self._q, self._lines = np.zeros((0, self.motion.robot.n)), np.zeros(0, dtype=int)
        if self.after is not None:
            kept = self.after["cubics"]
            self.step, self._done = kept["step"], kept["done"]
            self._t, self._lines = np.array(kept["t"], dtype=float), np.array(kept["lines"], dtype=int)
            self._q = np.array(kept["q"], dtype=float).reshape(len(self._t), self.motion.robot.n)

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """All rows of the blocks, each as soon as its neighbours are known."""
        position, state = 0, dict(self.after or {})
        for block in blocks:
            self._take(block)
            position, state = block.position, block.state
            if len(self._t) > self._half + self._done:
                yield self._finished(len(self._t) - self._half, position, state)
        if len(self._t) > self._done:
            yield self._finished(len(self._t), position, state)

    def said(self) -> str:
        """What was done, with its bandwidth."""
        first, second = (f"{f / self.step:.3g} Hz" for f in bandwidth(self._half))
        return (
            f"velocities and accelerations are derived from the positions, by cubics fitted to {self.window} rows: "
            f"at {1 / self.step:.6g} rows a second they pass velocities up to {first}, "
            f"accelerations up to {second} (-3 dB)"
        )

    def _take(self, block: Block) -> None:
        assert block.time is not None
        if math.isnan(self.step) and len(block.time) > 1:
            self.step = float(np.median(np.diff(block.time)))
        self._t = np.concatenate([self._t, block.time])
        self._q = np.concatenate([self._q, block.q])
        self._lines = np.concatenate([self._lines, block.lines])
        late = np.flatnonzero(np.diff(self._t) <= 0)
        if len(late):
            k = int(late[0]) + 1
            now, then = self._t[k].item(), self._t[k - 1].item()
            told = f"time {now!r} after {then!r}; expected rising times, for rates are derived from them"
            raise FormatError(f"{self.motion.place(self._lines[k])}: {told}")

    def _finished(self, end: int, position: int, state: Mapping[str, Any]) -> Block:
        """The rows up to `end` that are not done yet; rows that no window needs any more are dropped."""
        if len(self._t) <= DEGREE:
            raise FormatError(f"{self.motion.path}: {len(self._t)} rows; rates need {DEGREE + 1} rows at least")
        qd, qdd = rates(self._t, self._q, self._done, end, self._half)
        rows = slice(self._done, end)
        result = Block(self._t[rows], self._q[rows], qd, qdd, self._lines[rows], position)
        drop = max(end - self._half, 0)
        self._t, self._q, self._lines = self._t[drop:], self._q[drop:], self._lines[drop:]
        self._done = end - drop
        kept = {"step": self.step, "done": self._done, "t": self._t.tolist(), "q": self._q.tolist()}
        result.state = {**state, "cubics": {**kept, "lines": self._lines.tolist()}}
        return result


def rates(t: np.ndarray, q: np.ndarray, start: int, end: int, half: int) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives at the rows from start to end, by the rows around each.

    With u = (t − tᵢ)/h the moments Σ uᵖ and Σ uᵖ (q − qᵢ) give the normal equations of the cubic.
    """
    parts = [_rates(t, q, np.arange(lo, min(lo + ROWS, end)), half) for lo in range(start, end, ROWS)]
    return np.concatenate([first for first, _ in parts]), np.concatenate([second for _, second in parts])


def _rates(t: np.ndarray, q: np.ndarray, rows: np.ndarray, half: int) -> tuple[np.ndarray, np.ndarray]:
    before, behind = np.maximum(rows - half, 0), np.minimum(rows + half, len(t) - 1)
    h = np.maximum(t[behind] - t[rows], t[rows] - t[before])
    moments = np.zeros((2 * DEGREE + 1, len(rows)))
    sides = np.zeros((DEGREE + 1, q.shape[1], len(rows)))
    for shift in range(-half, half + 1):
        there = rows + shift
        power = ((there >= before) & (there <= behind)).astype(float)
        there = np.clip(there, 0, len(t) - 1)
        u, change = (t[there] - t[rows]) / h, (q[there] - q[rows]).T
        for p in range(2 * DEGREE + 1):
            moments[p] += power
            if p <= DEGREE:
                sides[p] += power * change
            power = power * u
    normal = moments[np.add.outer(np.arange(DEGREE + 1), np.arange(DEGREE + 1))]
    c = np.linalg.solve(np.moveaxis(normal, -1, 0), np.moveaxis(sides, -1, 0))
    return c[:, 1] / h[:, None], 2 * c[:, 2] / h[:, None] ** 2


def bandwidth(half: int) -> tuple[float, float]:
    """Frequencies, in cycles per row, from which on velocities and accelerations lose more than 3 dB."""
    angles = np.linspace(1e-3, math.pi, 20_000)
    k = np.arange(-half, half + 1.0)
    unit = np.eye(2 * half + 1)
    first, second = (weights[0] for weights in rates(k, unit, half, half + 1, half))
    gains = (np.sin(angles[:, None] * k) @ first / angles, -(np.cos(angles[:, None] * k) - 1) @ second / angles**2)
    lost = [int(np.argmax(gain < math.sqrt(0.5))) for gain in gains]
    return float(angles[lost[0]] / (2 * math.pi)), float(angles[lost[1]] / (2 * math.pi))
