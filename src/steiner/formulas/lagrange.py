"""Lagrange's equations from the energies alone (E1): K and P differentiated by SymPy.

Nothing of Newton-Euler is used but the positions of the links: a route of its own, to hold the
recursions against.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from steiner.dynamics import kinetic_energy, potential_energy
from steiner.errors import ArgumentError
from steiner.model.robot import Robot
from steiner.symbolic import exact


def lagrange_equations(robot: Robot, q: Any, qd: Any, qdd: Any) -> np.ndarray:
    """τ_i = d/dt ∂L/∂q̇_i − ∂L/∂q_i with L = K − P, as expressions in the symbols q, q̇, q̈ (no friction).

    q, qd and qdd are sequences of distinct symbols, one per joint.
    """
    for name, symbols in (("q", q), ("qd", qd), ("qdd", qdd)):
        if len(symbols) != robot.n or not all(isinstance(s, sympy.Symbol) for s in symbols):
            raise ArgumentError(f"{name}: expected {robot.n} symbols, one per joint ({', '.join(robot.joint_names)})")
    K, P = energies(robot, q, qd)
    L = K - P
    tau = []
    for i in range(robot.n):
        momentum = sympy.diff(L, qd[i])
        rate = sum(
            (sympy.diff(momentum, q[k]) * qd[k] + sympy.diff(momentum, qd[k]) * qdd[k] for k in range(robot.n)),
            start=sympy.Integer(0),
        )
        tau.append(rate - sympy.diff(L, q[i]))
    return np.array(tau)


def energies(robot: Robot, q: Any, qd: Any) -> tuple[Any, Any]:
    """K(q, q̇) and P(q) as expressions."""
    twin = robot.mapped(exact)
    q, qd = np.array(list(q)), np.array(list(qd))
    return sympy.sympify(kinetic_energy(twin, q, qd)), sympy.sympify(potential_energy(twin, q))
