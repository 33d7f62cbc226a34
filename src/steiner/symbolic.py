"""SymPy at the edge: the only module that imports it.

Importing this module teaches `steiner.scalar` what the elementary functions of a SymPy
expression are, so symbols flow through the same algorithm text as floats.
"""

from __future__ import annotations

import functools
import math
import numbers
import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from steiner import scalar
from steiner.errors import SteinerError

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


def symbol(name: str, value: float) -> sympy.Symbol:
    """A symbol for a number of which one value is known: formulas may use that it is positive if that is."""
    return sympy.Symbol(name, real=True, positive=True if value > 0 else None)


def tidy(expression: Any) -> sympy.Expr:
    """An expression whose whole floats are integers: no 1.0 before a symbol."""
    return expression.xreplace({x: exact(float(x)) for x in expression.atoms(sympy.Float) if float(x).is_integer()})


def evaluated(expression: Any, values: Mapping[Any, Any]) -> Any:
    """An expression with values for its symbols, by symbol or by name; a traced number makes it traced."""
    named = {s: values[key] for s in expression.free_symbols for key in (s, str(s)) if key in values}
    if all(isinstance(v, numbers.Number | sympy.Expr) for v in named.values()):
        result = expression.subs(named)
        return float(result) if result.is_number else result
    return _worked(expression, named)


def _worked(x: Any, values: Mapping[Any, Any]) -> Any:
    """The operations of an expression done on whatever kind of number its symbols stand for."""
    if x in values:
        return values[x]
    if x.is_number:
        return Fraction(int(x.p), int(x.q)) if isinstance(x, sympy.Rational) else float(x)
    inside = [_worked(argument, values) for argument in x.args]
    if x.is_Add or x.is_Mul:
        return functools.reduce(operator.add if x.is_Add else operator.mul, inside)
    if x.is_Pow and x.args[1] == sympy.Rational(1, 2):
        return scalar.sqrt(inside[0])
    if x.is_Pow and x.args[1].is_Integer:
        power = math.prod([inside[0]] * abs(int(x.args[1])))
        return power if x.args[1] > 0 else 1 / power
    function = _TRACED.get(x.func)
    if function is None:
        known = ", ".join(map(str, _TRACED))
        raise SteinerError(f"{x}: cannot be a run-time number; known are + - * /, whole powers, sqrt, {known}")
    return function(*inside)


_TRACED = {
    sympy.sin: scalar.sin, sympy.cos: scalar.cos, sympy.exp: scalar.exp, sympy.tanh: scalar.tanh,
    sympy.Abs: scalar.absolute,
}  # fmt: skip
