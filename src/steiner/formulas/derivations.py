"""Which derivations of the equations of motion there are: one row per method."""

from __future__ import annotations

from collections.abc import Callable

from steiner.errors import SteinerError, unknown
from steiner.formulas.derivation import lagrange
from steiner.formulas.recursion import newton_euler_document
from steiner.formulas.system import SMALL, Equations
from steiner.text.document import Document

METHODS: dict[str, Callable[[Equations], Document]] = {
    "lagrange": lagrange,
    "newton-euler": newton_euler_document,
}


def derive(eq: Equations, method: str = "lagrange") -> Document:
    """See `Equations.derivation`."""
    if method not in METHODS:
        raise SteinerError(unknown("method", method, METHODS))
    if not eq.is_closed:
        raise SteinerError(
            f"{eq.robot.name} has {eq.robot.n} joints; derivations are written for up to {SMALL}. "
            "Lock the others: robot.locked({joint: value})"
        )
    if eq.is_base:
        raise SteinerError("a derivation starts from the links; ask without base_parameters=True")
    return METHODS[method](eq)
