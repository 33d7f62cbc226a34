"""Which inertial parameters torques can tell apart: the base parameters of a robot.

The rank of the regressor over random motions; columns that are pure rounding noise are dropped
before they are scaled, or they would count as extra rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steiner.dynamics import algorithm
from steiner.dynamics.inertial import parameter_names
from steiner.errors import ModelError, need, whole
from steiner.kernels.call import Call
from steiner.model.robot import Robot
from steiner.scalar import Frozen
from steiner.text.names import terminal

NOISE = 1e-8  # of the largest column: below it a column is zero
MOST_SAMPLES = 1_000_000
GAP = 1e-9  # of the largest singular value of the scaled regressor


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Frozen):
    """Base parameters β = π[independent] + grouping @ π[dependent]; τ depends on π through β only."""

    count: int
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    unseen: tuple[str, ...]  # parameters that no torque shows
    grouping: np.ndarray  # (independent, dependent)

    def __repr__(self) -> str:
        named = ", ".join(map(terminal, self.independent[:8])) + (", …" if self.count > 8 else "")
        told = f"{len(self.dependent)} grouped with them, {len(self.unseen)} unseen"
        return f"<{self.count} base parameters{': ' * bool(named)}{named}; {told}>"


def base_parameters(robot: Robot, *, samples: int | None = None, seed: int = 0) -> BaseParameters:
    """Base parameters by the rank of the stacked regressor; their number is what identification can find."""
    need("base_parameters", robot, Robot)
    whole("seed", seed, 0, 2**64 - 1)
    if robot.is_symbolic:
        raise ModelError("base parameters are counted with numbers; substitute values for the symbols first")
    names = parameter_names(robot.tree)
    if not robot.n:
        return BaseParameters(0, (), (), tuple(names), np.zeros((0, 0)))
    Y_of = Call(robot, algorithm("regressor"), backend="numpy")  # one use: no compiling
    usual = 10 * len(names) // max(robot.n, 1) + 20
    draws = usual if samples is None else whole("samples", samples, 1, MOST_SAMPLES)
    q, qd, qdd = np.random.default_rng(seed).uniform(-3, 3, size=(3, draws, robot.n))
    Y = Y_of(q, qd, qdd).reshape(draws * robot.n, -1)
    norms = np.linalg.norm(Y, axis=0)
    seen = np.flatnonzero(norms > NOISE * norms.max(initial=0.0))
    picked, others, grouping = _split(Y[:, seen] / norms[seen], norms[seen])
    return BaseParameters(
        len(picked),
        tuple(names[seen[k]] for k in picked),
        tuple(names[seen[k]] for k in others),
        tuple(name for k, name in enumerate(names) if k not in seen),
        grouping,
    )


def _split(Y: np.ndarray, norms: np.ndarray) -> tuple[list[int], list[int], np.ndarray]:
    """Independent columns (the last links' first), the others, and how these depend on those."""
    rank = int(np.sum(np.linalg.svd(Y, compute_uv=False) > GAP * np.sqrt(Y.shape[1])))
    picked: list[int] = []
    basis = np.zeros((Y.shape[0], 0))
    for k in reversed(range(Y.shape[1])):
        rest = Y[:, k] - basis @ (basis.T @ Y[:, k])
        rest = rest - basis @ (basis.T @ rest)  # twice is enough
        if np.linalg.norm(rest) > 1e-7 and len(picked) < rank:
            picked.append(k)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    picked.reverse()
    others = [k for k in range(Y.shape[1]) if k not in picked]
    solution = np.linalg.lstsq(Y[:, picked], Y[:, others], rcond=None)[0]
    solution[np.abs(solution) < NOISE] = 0.0  # of scaled columns: round-off
    return picked, others, solution * norms[others] / norms[picked][:, None]
