"""Manipulator dynamics, one text per algorithm, for any kind of number.

`ALGORITHMS` is the table: an algorithm is a function of a robot and joint vectors and one line here,
from which it gets its method on `Robot`, its kernels, its symbolic form and its documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from steiner.dynamics.articulated import forward_dynamics
from steiner.dynamics.composite import forward_dynamics_by_mass_matrix, mass_matrix
from steiner.dynamics.newton_euler import friction_forces, inverse_dynamics


@dataclass(frozen=True)
class Algorithm:
    """A function of a robot and of arrays; `arrays` are their names and lengths ("n": one per joint).

    Arguments that are not arrays select a kernel.  With `base_parameters` the result depends on the
    inertias only through their identifiable combinations, so they may be regrouped for speed.  Of the
    function and its `alternatives`, which give the same result, kernels take the cheapest on the robot.
    """

    function: Callable[..., Any]
    arrays: dict[str, str | int]
    aliases: tuple[str, ...] = ()
    base_parameters: bool = False
    alternatives: tuple[Callable[..., Any], ...] = ()

    @property
    def name(self) -> str:
        """The function's name, which is the method's."""
        return self.function.__name__


Q, QD, QDD, TAU = ({name: "n"} for name in ("q", "qd", "qdd", "tau"))

ALGORITHMS = (
    Algorithm(inverse_dynamics, Q | QD | QDD, ("rnea",), base_parameters=True),
    Algorithm(
        forward_dynamics, Q | QD | TAU, ("aba",), base_parameters=True, alternatives=(forward_dynamics_by_mass_matrix,)
    ),
    Algorithm(mass_matrix, Q, ("crba",), base_parameters=True),
    Algorithm(friction_forces, Q | QD),
)

__all__ = ["ALGORITHMS", "Algorithm", "forward_dynamics", "friction_forces", "inverse_dynamics", "mass_matrix"]
