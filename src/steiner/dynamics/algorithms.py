"""The table of algorithms: each is a text (a function of a tree and joint vectors) and one row here.

From its row an algorithm gets its method on `Robot`, its kernels, its symbolic form, the names of its exported
results and its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import cached_property
from typing import Any

from steiner.dynamics import composed
from steiner.dynamics.articulated import forward_dynamics
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
    velocity_forces_by_jacobians,
)  # fmt: skip
from steiner.dynamics.newton_euler import friction_forces, inverse_dynamics, spring_forces, static_torque
from steiner.dynamics.reactions import joint_reactions, newton_euler
from steiner.dynamics.terms import bias_forces, external_forces, gravity_forces, inertial_forces, velocity_forces
from steiner.errors import ArgumentError, unknown
from steiner.model.tree import Tree
from steiner.records import record


@record(eq=False)
class Algorithm:
    """A function of a tree and of arrays; `arrays` are their names and lengths ("n": one per joint).

    Arguments that are not arrays select a kernel.  With `base_parameters` the result depends on the
    inertias only through their identifiable combinations, so they may be regrouped for speed.  Of the
    function and its `alternatives`, which give the same result, kernels take the cheapest on the robot.
    On long chains a `composed` function puts the result together from other methods of the robot.
    """

    function: Callable[..., Any]
    arrays: Mapping[str, str | int]
    results: tuple[str, ...] = ()  # names of the arrays of the result, for programs elsewhere
    aliases: tuple[str, ...] = ()
    base_parameters: bool = False
    alternatives: tuple[Callable[..., Any], ...] = ()  # not tried on long chains, where their cost grows too fast
    composed: Callable[..., Any] | None = None
    method: bool = True  # whether robots have it as a method

    def __post_init__(self) -> None:
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            object.__setattr__(self, name, getattr(self.function, name))
        object.__setattr__(self, "__wrapped__", self.function)  # whose signature it has

    @property
    def name(self) -> str:
        """The function's name, which is the method's."""
        return self.function.__name__

    @property
    def names(self) -> tuple[str, ...]:
        """Name and aliases."""
        return (self.name, *self.aliases)

    def __call__(self, robot: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the text on a robot or its tree, on whatever numbers come in; a prepared tree chooses the route."""
        tree = getattr(robot, "tree", None)
        if tree is None:
            raise ArgumentError(f"{self.name}: expected a robot first, got a {type(robot).__name__}")
        text, seen = tree.text_of(self)
        return text(seen, *args, **kwargs)

    def __reduce__(self) -> Any:
        """A row of the table is sent by its name."""
        if _ROW_OF.get(self.name) is self:
            return algorithm, (self.name,)
        return Algorithm, tuple(getattr(self, f.name) for f in fields(self))


@record(eq=False)
class Prepared(Tree):
    """A tree that is being traced: algorithms that depend on base parameters only see its lean twin."""

    step: Callable[[Tree], Tree] = lambda tree: tree
    routes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    asked: dict[str, Algorithm] = field(default_factory=dict)  # which algorithms the traced function called

    @cached_property
    def lean(self) -> Tree:
        """An equivalent tree of fewer numbers."""
        return self.step(Tree(**{f.name: getattr(self, f.name) for f in fields(Tree)}))

    def text_of(self, algorithm: Algorithm) -> tuple[Callable[..., Any], Tree]:
        """The chosen route, on the lean tree if the result is the same."""
        self.asked[algorithm.name] = algorithm
        text = self.routes.get(algorithm.name, algorithm.function)
        return text, self.lean if algorithm.base_parameters else self


_Lengths = dict[str, str | int]
Q, QD, QDD, TAU = (_Lengths({name: "n"}) for name in ("q", "qd", "qdd", "tau"))
BASE, POINT, NOTHING = _Lengths(base=9), _Lengths(point=3), _Lengths()

ALGORITHMS = (
    Algorithm(inverse_dynamics, Q | QD | QDD | BASE, ("tau",), ("rnea",), base_parameters=True),
    Algorithm(
        forward_dynamics, Q | QD | TAU, ("qdd",), ("aba",), base_parameters=True,
        alternatives=(forward_dynamics_by_mass_matrix,),
    ),
    Algorithm(mass_matrix, Q, ("M",), ("crba",), base_parameters=True),
    Algorithm(coriolis_matrix, Q | QD, ("C",), base_parameters=True),
    Algorithm(velocity_forces, Q | QD, ("tau",), base_parameters=True),
    Algorithm(gravity_forces, Q, ("tau",), base_parameters=True),
    Algorithm(bias_forces, Q | QD, ("tau",), base_parameters=True),
    Algorithm(spring_forces, Q, ("tau",)),
    Algorithm(friction_forces, Q | QD, ("tau",)),
    Algorithm(christoffel, Q, base_parameters=True, composed=composed.christoffel),
    Algorithm(centrifugal_coriolis, Q, base_parameters=True, composed=composed.centrifugal_coriolis),
    Algorithm(torque_breakdown, Q | QD | QDD | BASE),
    Algorithm(newton_euler, Q | QD | QDD | BASE),
    Algorithm(forward_kinematics, Q),
    Algorithm(jacobian, Q | POINT, ("J",)),
    Algorithm(kinetic_energy, Q | QD, ("energy",)),
    Algorithm(potential_energy, Q, ("energy",)),
    Algorithm(center_of_mass, Q, ("com",)),
    Algorithm(momentum, Q | QD, ("momentum",)),
    Algorithm(joint_reactions, Q | QD | QDD | BASE),
    Algorithm(static_torque, Q, ("tau",), base_parameters=True),
    Algorithm(
        inverse_dynamics_derivatives, Q | QD | QDD, ("dtau_dq", "dtau_dqd", "M"), base_parameters=True,
    ),
    Algorithm(
        forward_dynamics_derivatives, Q | QD | TAU, ("dqdd_dq", "dqdd_dqd", "Minv"), base_parameters=True,
        composed=composed.forward_dynamics_derivatives,
    ),
    Algorithm(regressor, Q | QD | QDD | BASE, ("Y",)),
    # other routes and single terms: functions of `steiner.dynamics` without a method
    Algorithm(inertial_forces, Q | QDD, ("tau",), base_parameters=True, method=False),
    Algorithm(external_forces, Q, ("tau",), base_parameters=True, method=False),
    Algorithm(inertial_parameters, NOTHING, method=False),
    Algorithm(forward_dynamics_by_mass_matrix, Q | QD | TAU, ("qdd",), base_parameters=True, method=False),
    Algorithm(lagrange_dynamics, Q | QD | QDD, ("tau",), method=False),
    Algorithm(mass_matrix_by_jacobians, Q, ("M",), method=False),
    Algorithm(christoffel_by_jacobians, Q, method=False),
    Algorithm(gravity_by_jacobians, Q, ("tau",), method=False),
    Algorithm(velocity_forces_by_jacobians, Q | QD, ("tau",), method=False),
)  # fmt: skip
METHODS = tuple(row for row in ALGORITHMS if row.method)
_ROW_OF = {name: row for row in ALGORITHMS for name in row.names}


def algorithm(name: str) -> Algorithm:
    """The row of that name or alias."""
    if name not in _ROW_OF:
        raise ArgumentError(unknown("algorithm", name, [row.name for row in METHODS]))
    return _ROW_OF[name]
