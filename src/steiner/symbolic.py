"""SymPy at the edge: the only module that imports it.

Importing this module teaches `steiner.scalar` what the elementary functions of a SymPy
expression are, so symbols flow through the same algorithm text as floats.
"""

from __future__ import annotations

from typing import Any

import sympy

from steiner import scalar

scalar.sin.register(sympy.Expr, sympy.sin)
scalar.cos.register(sympy.Expr, sympy.cos)
scalar.sqrt.register(sympy.Expr, sympy.sqrt)
scalar.exp.register(sympy.Expr, sympy.exp)
scalar.tanh.register(sympy.Expr, sympy.tanh)
scalar.absolute.register(sympy.Expr, sympy.Abs)
scalar.sign.register(sympy.Expr, sympy.sign)


@scalar.select.register(sympy.Expr)
def _(condition: sympy.Expr, positive: object, otherwise: object) -> sympy.Expr:
    return sympy.Piecewise((positive, condition > 0), (otherwise, True))


@scalar.pi_beside.register(sympy.Expr)
def _(x: sympy.Expr) -> sympy.Expr:
    return sympy.pi


def exact(x: Any) -> sympy.Expr:
    """x as a SymPy number: whole floats as integers, so that no 1.0 or 0.0 enters a formula."""
    if isinstance(x, float) and x.is_integer() and abs(x) < 1e15:
        return sympy.Integer(int(x))
    return sympy.sympify(x)
