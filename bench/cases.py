"""What is computed.  A new row is one line in `CASES`; peers that know its key take part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import steiner as st
from bench.robots import CHAINS, chain, general, panda, puma560, ur5

VECTOR, MATRIX = 1, 2  # axes of a result: one number per joint, or per pair of joints


@dataclass(frozen=True)
class Case:
    """A robot's method: its inputs are joint vectors, its results vectors or matrices over the joints."""

    key: str
    title: str
    inputs: int
    results: tuple[int, ...] = (VECTOR,)
    tolerance: float = 1e-12  # relative to the largest entry

    def shapes(self, n: int) -> list[tuple[int, ...]]:
        """Shapes of the results for one sample."""
        return [(n,) * axes for axes in self.results]


CASES = (
    Case("inverse_dynamics", "inverse dynamics", 3),
    Case("forward_dynamics", "forward dynamics", 3),
    Case("mass_matrix", "mass matrix", 1, (MATRIX,)),
    Case("inverse_dynamics_derivatives", "dτ/dq, dτ/dq̇, M", 3, (MATRIX, MATRIX, MATRIX)),
)
BOTH = CASES[:2]


@dataclass(frozen=True)
class Setup:
    """A robot with the cases and batch sizes that are measured on it; `everybody`: all peers, else Pinocchio."""

    robot: Callable[[], st.Robot]
    cases: tuple[Case, ...]
    batches: tuple[int, ...]
    everybody: bool = False


SETUPS = (
    Setup(panda, CASES, (1, 16, 1_000, 100_000), everybody=True),
    Setup(panda, BOTH, (1_000_000,)),
    Setup(ur5, BOTH, (1, 100_000)),
    Setup(puma560, BOTH, (1, 100_000)),
    *(Setup(lambda n=n: chain(n), BOTH, (1_000,)) for n in CHAINS),
    *(Setup(lambda n=n: general(n), BOTH, (1_000,)) for n in (7, 30)),
)
