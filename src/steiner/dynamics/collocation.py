"""Gauss collocation: an implicit integrator of order 12 that keeps quadratic invariants to round-off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np

from steiner.errors import SteinerError

STAGES = 6
MOST_STEPS = 1 << 20
ITERATIONS = 60


@cache
def _tableau() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Nodes c, weights b and matrix A of Gauss-Legendre collocation on [0, 1]; slopes carried on to the next step."""
    x, b = np.polynomial.legendre.leggauss(STAGES)
    c, b = (x + 1) / 2, b / 2
    powers = np.arange(1, STAGES + 1)
    vandermonde = c[:, None] ** (powers - 1)  # A integrates every monomial exactly from 0 to c
    inverse = np.linalg.inv(vandermonde)
    A = (c[:, None] ** powers / powers) @ inverse
    return c, b, A, ((1 + c)[:, None] ** (powers - 1)) @ inverse


def integrated(
    rate: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray, t: np.ndarray, *, scale: float, rtol: float
) -> np.ndarray:
    """States at the times t; rate(t, y) takes all stages at once.  `scale` is a typical rate in 1/s.

    The number of steps doubles until two runs agree to rtol of the largest value of each state.
    """
    longest = float(np.max(np.diff(t), initial=0.0))
    steps = max(1, int(np.ceil(scale * longest / 0.6)))
    coarse = _run(rate, start, t, steps)
    while steps * (len(t) - 1) <= MOST_STEPS:
        steps *= 2
        fine = _run(rate, start, t, steps)
        size = np.maximum(np.abs(fine).max(axis=0), 1e-300)
        if np.all(np.abs(fine - coarse).max(axis=0) <= rtol * np.maximum(size, size.max() * 1e-3)):
            return fine
        coarse = fine
    raise SteinerError(f"the motion does not settle to rtol={rtol}; the load may be stiff or not smooth")


def _run(rate: Callable[..., np.ndarray], start: np.ndarray, t: np.ndarray, steps: int) -> np.ndarray:
    states, y = [start], start
    for a, b in pairwise(t):
        h, slopes = (b - a) / steps, None
        for k in range(steps):
            y, slopes = _step(rate, a + k * h, y, h, slopes)
        states.append(y)
    return np.array(states)


def _step(
    rate: Callable[..., np.ndarray], t: float, y: np.ndarray, h: float, guess: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """One step; the stage equations are solved by fixed-point iteration to round-off."""
    c, b, A, onward = _tableau()
    times = t + c * h
    slopes = rate(times, np.broadcast_to(y, (STAGES, len(y)))) if guess is None else onward @ guess
    for _ in range(ITERATIONS):
        new = rate(times, y + h * (A @ slopes))
        change, slopes = float(np.abs(new - slopes).max()), new
        if change <= 2e-15 * float(np.abs(new).max()):
            break
    return y + h * (b @ slopes), slopes
