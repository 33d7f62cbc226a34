"""The terms of the equations of motion: ONE table, for formulas, programs, pages and sequences alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from steiner import dynamics
from steiner.errors import SteinerError, is_one_of, unknown
from steiner.scalar import is_zero


@dataclass(frozen=True)
class Term:
    """One term: what it is called on a page and in a program, what it depends on, which algorithm gives it."""

    title: str  # heading of a page
    meaning: str  # comment of a program
    letter: str
    arrays: tuple[str, ...]
    algorithm: Callable[..., Any]
    function: str = ""  # in a program; by default the algorithm's name
    entry: str = ""  # letter of a single entry
    by_rates: bool = False  # formulas are grouped by rates

    @property
    def name(self) -> str:
        """The function of a program."""
        return self.function or self.algorithm.__name__


def _centrifugal(robot: Any, q: Any) -> Any:
    return dynamics.centrifugal_coriolis(robot, q).C


def _coriolis(robot: Any, q: Any) -> Any:
    return dynamics.centrifugal_coriolis(robot, q).B


Q, QD, QDD = ("q",), ("q", "qd"), ("q", "qd", "qdd")
TERMS = {
    "M": Term("Mass matrix", "Mass matrix M(q)", "M", Q, dynamics.mass_matrix, entry="m"),
    "V": Term(
        "Centrifugal and Coriolis efforts", "Centrifugal and Coriolis efforts V(q, qd)", "V", QD,
        dynamics.velocity_forces, by_rates=True,
    ),
    "G": Term("Efforts against gravity", "Efforts against gravity G(q)", "G", Q, dynamics.gravity_forces),
    "S": Term("Efforts against springs", "Efforts against springs S(q)", "S", Q, dynamics.spring_forces),
    "F": Term("Efforts against friction", "Efforts against friction F(qd)", "F", QD, dynamics.friction_forces),
    "tau": Term(
        "Equations of motion", "Joint efforts tau = M qdd + V + G + S + F", "tau", QDD, dynamics.inverse_dynamics,
    ),
    "K": Term("Kinetic energy", "Kinetic energy", "K", QD, dynamics.kinetic_energy, by_rates=True),
    "P": Term("Potential energy", "Potential energy", "P", Q, dynamics.potential_energy),
    "christoffel": Term("Christoffel symbols", "Christoffel symbols b[i][j][k]", "b", Q, dynamics.christoffel),
    "centrifugal": Term(
        "Centrifugal matrix, which multiplies the squares of the rates",
        "C(q), which multiplies the squares of the rates", "C", Q, _centrifugal, "centrifugal",
    ),
    "coriolis": Term(
        "Coriolis matrix, which multiplies the products of two rates",
        "B(q), which multiplies the products of two rates", "B", Q, _coriolis, "coriolis",
    ),
    "coriolis_matrix": Term(
        "Coriolis matrix of the Christoffel symbols", "Coriolis matrix of the Christoffel symbols", "C", QD,
        dynamics.coriolis_matrix, by_rates=True,
    ),
}  # fmt: skip


def term(name: str) -> Term:
    """The term of that name."""
    if not is_one_of(name, TERMS):
        raise SteinerError(unknown("term", name, TERMS))
    return TERMS[name]


def usual(robot: Any) -> tuple[str, ...]:
    """The terms that are shown of a robot."""
    return ("M", "V", "G", *beyond(robot), "tau")


def beyond(robot: Any) -> tuple[str, ...]:
    """What a robot's joints have beside M, V and G: springs, friction."""
    springs = any(not is_zero(body.joint.stiffness) for body in robot.bodies)
    friction = any(body.joint.friction for body in robot.bodies)
    return (*(["S"] if springs else []), *(["F"] if friction else []))
