"""Which derivations of the equations of motion there are: one row per method."""

from __future__ import annotations

from collections.abc import Callable

from steiner.errors import SteinerError, is_one_of, unknown
from steiner.formulas.derivation import lagrange
from steiner.formulas.letters import lumped
from steiner.formulas.recursion import newton_euler_document
from steiner.formulas.system import Equations
from steiner.text.document import Document

MOST = 9  # joints: more would fill a book
METHODS: dict[str, Callable[[Equations], Document]] = {
    "lagrange": lagrange,
    "newton-euler": newton_euler_document,
}


def derive(eq: Equations, method: str = "lagrange") -> Document:
    """See `Equations.derivation`."""
    if not is_one_of(method, METHODS):
        raise SteinerError(unknown("method", method, METHODS))
    if eq.robot.n > MOST:
        raise SteinerError(
            f"{eq.robot.name} has {eq.robot.n} joints; derivations are written for up to {MOST}. "
            "Lock the others: robot.locked({joint: value})"
        )
    if eq.is_base:
        raise SteinerError("a derivation starts from the links; ask without base_parameters=True")
    shown = eq
    if not (eq.is_closed or eq.robot.is_symbolic):
        twin = lumped(eq.robot)  # numbers would bury the names
        shown = Equations(twin.robot, q=eq.q, letters=twin.values)
    document = METHODS[method](shown)
    document.picture = eq.sketch(shown.typesetter.coordinates)
    return document
