"""Manipulator dynamics, one text per algorithm, for any kind of number.

`ALGORITHMS` is the table: an algorithm is a function of a robot and joint vectors and one line here,
from which it gets its method on `Robot`, its kernels, its symbolic form and its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steiner.dynamics.articulated import forward_dynamics, forward_dynamics_after_bias
from steiner.dynamics.breakdown import torque_breakdown
from steiner.dynamics.composite import forward_dynamics_by_mass_matrix, mass_matrix
from steiner.dynamics.coriolis import centrifugal_coriolis, christoffel, coriolis_matrix
from steiner.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from steiner.dynamics.energy import center_of_mass, kinetic_energy, momentum, potential_energy
from steiner.dynamics.inertial import inertial_parameters, regressor
from steiner.dynamics.kinematics import forward_kinematics, jacobian
from steiner.dynamics.lagrange import (
    christoffel_by_jacobians,
    gravity_by_jacobians,
    lagrange_dynamics,
    mass_matrix_by_jacobians,
)  # fmt: skip
from steiner.dynamics.newton_euler import friction_forces, inverse_dynamics
from steiner.dynamics.statics import static_torque
from steiner.dynamics.table import joint_reactions, newton_euler
from steiner.dynamics.terms import bias_forces, external_forces, gravity_forces, inertial_forces, velocity_forces


@dataclass(frozen=True)
class Algorithm:
    """A function of a robot and of arrays; `arrays` are their names and lengths ("n": one per joint).

    Arguments that are not arrays select a kernel.  With `base_parameters` the result depends on the
    inertias only through their identifiable combinations, so they may be regrouped for speed.  Of the
    function and its `alternatives`, which give the same result, kernels take the cheapest on the robot.
    """

    function: Callable[..., Any]
    arrays: Mapping[str, str | int]
    aliases: tuple[str, ...] = ()
    base_parameters: bool = False
    alternatives: tuple[Callable[..., Any], ...] = ()
    short_alternatives: tuple[Callable[..., Any], ...] = ()  # whose cost grows too fast to try on long chains

    @property
    def name(self) -> str:
        """The function's name, which is the method's."""
        return self.function.__name__


_Lengths = dict[str, str | int]
Q, QD, QDD, TAU = (_Lengths({name: "n"}) for name in ("q", "qd", "qdd", "tau"))
BASE, POINT = _Lengths(base=9), _Lengths(point=3)

ALGORITHMS = (
    Algorithm(inverse_dynamics, Q | QD | QDD, ("rnea",), base_parameters=True),
    Algorithm(
        forward_dynamics, Q | QD | TAU, ("aba",), base_parameters=True, alternatives=(forward_dynamics_after_bias,),
        short_alternatives=(forward_dynamics_by_mass_matrix,),
    ),
    Algorithm(mass_matrix, Q, ("crba",), base_parameters=True),
    Algorithm(coriolis_matrix, Q | QD, base_parameters=True),
    Algorithm(velocity_forces, Q | QD, base_parameters=True),
    Algorithm(gravity_forces, Q, base_parameters=True),
    Algorithm(bias_forces, Q | QD, base_parameters=True),
    Algorithm(friction_forces, Q | QD),
    Algorithm(christoffel, Q, base_parameters=True),
    Algorithm(centrifugal_coriolis, Q, base_parameters=True),
    Algorithm(torque_breakdown, Q | QD | QDD),
    Algorithm(newton_euler, Q | QD | QDD | BASE),
    Algorithm(forward_kinematics, Q),
    Algorithm(jacobian, Q | POINT),
    Algorithm(kinetic_energy, Q | QD),
    Algorithm(potential_energy, Q),
    Algorithm(center_of_mass, Q),
    Algorithm(momentum, Q | QD),
    Algorithm(joint_reactions, Q | QD | QDD),
    Algorithm(static_torque, Q, base_parameters=True),
    Algorithm(inverse_dynamics_derivatives, Q | QD | QDD, base_parameters=True),
    Algorithm(forward_dynamics_derivatives, Q | QD | TAU, base_parameters=True),
    Algorithm(regressor, Q | QD | QDD),
)

__all__ = [
    "ALGORITHMS", "Algorithm", "bias_forces", "center_of_mass", "centrifugal_coriolis", "christoffel",
    "christoffel_by_jacobians", "coriolis_matrix", "external_forces", "forward_dynamics",
    "forward_dynamics_after_bias", "forward_dynamics_by_mass_matrix", "forward_dynamics_derivatives",
    "forward_kinematics", "friction_forces",
    "gravity_by_jacobians", "gravity_forces", "inertial_forces", "inertial_parameters", "inverse_dynamics",
    "inverse_dynamics_derivatives", "jacobian", "joint_reactions", "kinetic_energy", "lagrange_dynamics",
    "mass_matrix", "mass_matrix_by_jacobians", "momentum", "newton_euler", "potential_energy", "regressor",
    "static_torque", "torque_breakdown", "velocity_forces",
]  # fmt: skip
