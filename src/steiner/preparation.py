"""What is done to a robot before an algorithm is traced on it, step by step, and what each step saves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steiner.dynamics import inverse_dynamics
from steiner.frames import slid_frames, sparse_frames
from steiner.model import Robot
from steiner.regroup import regrouped
from steiner.tables import html_table, text_table
from steiner.trace import trace


class Count(NamedTuple):
    """Operations of one traced algorithm after a step."""

    step: str
    multiplications: int
    additions: int
    divisions: int
    sines_and_cosines: int


class Preparation(tuple[Count, ...]):
    """The counts after each step, printable as a table."""

    HEAD = ("step", "×", "±", "÷", "sin, cos")

    def __str__(self) -> str:
        return text_table(self.HEAD, [[str(x) for x in row] for row in self])

    def _repr_html_(self) -> str:
        return html_table(self.HEAD, [[str(x) for x in row] for row in self])


STEPS: tuple[tuple[str, Callable[[Robot], Robot]], ...] = (
    ("as given", lambda robot: robot),
    ("sparse frames", lambda robot: slid_frames(sparse_frames(robot))),
    ("base parameters", regrouped),
)


def operation_counts(
    robot: Robot, algorithm: Callable[..., np.ndarray] = inverse_dynamics, arrays: int = 3
) -> Preparation:
    """Operations of an algorithm of joint vectors on this robot, after each step of its preparation."""
    result = []
    for name, step in STEPS:
        robot = step(robot)
        tape = trace(lambda *q, robot=robot: [algorithm(robot, *q)], [(f"x{k}", robot.n) for k in range(arrays)])
        c = tape.counts
        result.append(Count(name, c["mul"], c["add"] + c["sub"], c["div"], c["sin"] + c["cos"]))
    return Preparation(result)
