"""What is computed.  A new row is one line in `CASES`; peers that know its key take part."""

from __future__ import annotations

from dataclasses import dataclass

BATCHES = (1, 16, 1_000, 100_000)


@dataclass(frozen=True)
class Case:
    """A function of joint vectors: the robot's method, its inputs, the shape of a result, the agreement asked for."""

    key: str
    title: str
    inputs: int  # joint vectors
    matrix: bool = False  # an n × n result, else a joint vector
    tolerance: float = 1e-12  # relative to the largest entry

    def shape(self, n: int) -> tuple[int, ...]:
        return (n, n) if self.matrix else (n,)


CASES = (
    Case("inverse_dynamics", "inverse dynamics", 3),
    Case("forward_dynamics", "forward dynamics", 3),
    Case("mass_matrix", "mass matrix, all entries", 1, matrix=True),
)
