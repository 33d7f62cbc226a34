"""Formulas as programs: Python and C that stand alone.

A `Routine` is one function: statements that name what is used again, and results.  A new language is one
entry in `LANGUAGES`.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter

from steiner.formulas.terms import term
from steiner.formulas.writing import Atom, Sum, Term
from steiner.text.names import C_WORDS, comment, identifier

TAKEN = C_WORDS.union(keyword.kwlist, ("q", "qd", "qdd", "p", "out", "pi"))


class Names:
    """Identifiers: valid in Python and C, each given once."""

    def __init__(self) -> None:
        self._given: dict[Any, str] = {}
        self._taken = {*TAKEN, *_PYTHON_HELPERS}

    def of(self, key: Any, wish: str) -> str:
        """The identifier of a thing, near to the wish."""
        if key not in self._given:
            name = identifier(wish)
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._given[key] = name
        return self._given[key]


@dataclass(frozen=True)
class Routine:
    """One function of a program."""

    term: str
    statements: tuple[tuple[str, str], ...]
    results: np.ndarray  # of texts


@dataclass(frozen=True)
class Language:
    """How a language writes powers and calls, and how it puts routines together."""

    name: str
    power: Callable[[str, int], str]
    expression: Callable[[sympy.Expr], str]
    calls: dict[str, str]
    program: Callable[[str, int, Sequence[str], Sequence[Routine]], str]

    def number(self, x: Fraction | float) -> str:
        """A positive number with all its digits."""
        if isinstance(x, Fraction) and x.denominator == 1 and x < 10**6:
            return str(x.numerator)
        return repr(float(x))

    def sum(self, x: Sum, atom: Callable[[Atom], str]) -> str:
        """A sum as text."""
        if not x.terms:
            return "0"
        texts = [self._term(t, atom) for t in x.terms]
        signs = ["-" if t.coefficient < 0 else "+" for t in x.terms]
        first = f"-{texts[0]}" if signs[0] == "-" else texts[0]
        return first + "".join(f" {s} {t}" for s, t in zip(signs[1:], texts[1:], strict=True))

    def _term(self, t: Term, atom: Callable[[Atom], str]) -> str:
        size = abs(t.coefficient)
        parts = [] if size == 1 and t.factors else [self.number(size)]
        for factor, power in t.factors:
            text = f"({self.sum(factor, atom)})" if isinstance(factor, Sum) else atom(factor)
            parts.append(text if power == 1 else self.power(text, power))
        return "*".join(parts)


def nested(results: Any) -> str:
    """An array of texts as nested lists."""
    return results if isinstance(results, str) else "[" + ", ".join(map(nested, results)) + "]"


_MATH = ("acos", "asin", "atan", "copysign", "cos", "exp", "pi", "sin", "sqrt", "tan", "tanh")


def _python(robot: str, n: int, parameters: Sequence[str], routines: Sequence[Routine]) -> str:
    body = []
    for r in routines:
        name, arrays, what = (own := term(r.term)).name, own.arrays, own.meaning
        arguments = ", ".join([*arrays, *(["*"] + list(parameters) if parameters else [])])
        body += ["", "", f"def {name}({arguments}):", f'    """{what}."""']
        body += [f"    {left} = {right}" for left, right in r.statements]
        if r.results.ndim:
            rows = ",\n        ".join(nested(x) for x in r.results)
            body += [f"    return [\n        {rows},\n    ]"]
        else:
            body += [f"    return {r.results[()]}"]
    text = "\n".join(body)
    text = "".join(f"\n\n{helper}\n" for helper in _helpers(_PYTHON_HELPERS, text)) + text
    used = [f for f in _MATH if re.search(rf"(?<![\w.]){f}\b", text)]
    first = f'"""Equations of motion of {comment(robot)}: {_joints(n)}, SI units, radians."""\n'
    return first + (f"\nfrom math import {', '.join(used)}\n" if used else "") + text + "\n"


def _joints(n: int) -> str:
    return f"{n} joint{'s' if n > 1 else ''}"


def _c(robot: str, n: int, parameters: Sequence[str], routines: Sequence[Routine]) -> str:
    prefix = identifier(robot, "robot").lower()
    lines = [f"/* Equations of motion of {comment(robot)}: {_joints(n)}, SI units, radians; matrices row by row. */"]
    lines += ["#include <math.h>", ""]
    everything = " ".join(str(x) for r in routines for x in (*(right for _, right in r.statements), *r.results.ravel()))
    lines += [f"{helper}\n" for helper in _helpers(_C_HELPERS, everything)]
    if parameters:
        lines += ["typedef struct {", *(f"    double {p};" for p in parameters), f"}} {prefix}_parameters;", ""]
    for r in routines:
        name, arrays, what = (own := term(r.term)).name, own.arrays, own.meaning
        arguments = [f"const double {a}[{n}]" for a in arrays]
        arguments += [f"const {prefix}_parameters *p"] if parameters else []
        arguments += [f"double out[{r.results.size}]"]
        lines += [f"/* {what}. */", f"void {prefix}_{name}({', '.join(arguments)})", "{"]
        own = " ".join([*(right for _, right in r.statements), *r.results.ravel()])
        used = set(re.findall(r"\w+", own))
        lines += [f"    const double {p} = p->{p};" for p in parameters if p in used]
        lines += ["    (void)p;"] if parameters else []
        lines += [f"    (void){a};" for a in arrays if a not in used]
        lines += [f"    const double {left} = {right};" for left, right in r.statements]
        lines += [f"    out[{k}] = {text};" for k, text in enumerate(r.results.ravel())]
        lines += ["}", ""]
    return "\n".join(lines)


# what neither language has, and comparisons would hide NaN in; written before the functions that use it
_PYTHON_HELPERS = {
    "sign_of": "def sign_of(x):\n    return x if x != x else float((x > 0) - (x < 0))",
    "chosen": "def chosen(x, positive, otherwise):\n    return x if x != x else positive if x > 0 else otherwise",
}
_C_HELPERS = {
    "sign_of": "static double sign_of(double x) { return x != x ? x : (double)((x > 0) - (x < 0)); }",
    "chosen": "static double chosen(double x, double positive, double otherwise)\n"
    "{\n    return x != x ? x : x > 0 ? positive : otherwise;\n}",
}


def _helpers(known: dict[str, str], text: str) -> list[str]:
    return [body for name, body in known.items() if re.search(rf"\b{name}\(", text)]


def _arguments(e: Any) -> Any:
    return e.args


class _Printing:
    """sign(x) and a choice by x > 0 that keep NaN."""

    def _print_sign(self, e: Any) -> str:
        return f"sign_of({self._print(e.args[0])})"  # type: ignore[attr-defined]

    def _print_Piecewise(self, e: Any) -> str:
        (positive, condition), *rest = e.args
        if len(rest) == 1 and rest[0][1] == sympy.true and isinstance(condition, sympy.StrictGreaterThan):
            low, high = _arguments(condition)
            parts = (low - high, positive, rest[0][0])
            return f"chosen({', '.join(self._print(p) for p in parts)})"  # type: ignore[attr-defined]
        return super()._print_Piecewise(e)  # type: ignore[misc]


class _Python(_Printing, PythonCodePrinter):  # pyright: ignore[reportIncompatibleMethodOverride]
    pass


class _C(_Printing, C99CodePrinter):  # pyright: ignore[reportIncompatibleMethodOverride]
    pass


def _python_expression(e: sympy.Expr) -> str:
    return str(_Python({"fully_qualified_modules": False}).doprint(e))


def _c_expression(e: sympy.Expr) -> str:
    return str(_C().doprint(e))


def _python_power(text: str, power: int) -> str:
    return f"{text}**{power}"


def _c_power(text: str, power: int) -> str:
    return "*".join([text] * power)


LANGUAGES = {
    "python": Language(
        "python", _python_power, _python_expression,
        {"sqrt": "sqrt({0})", "sin": "sin({0})", "cos": "cos({0})", "exp": "exp({0})", "tanh": "tanh({0})",
         "abs": "abs({0})", "sign": "sign_of({0})", "select": "chosen({0}, {1}, {2})"},
        _python,
    ),
    "c": Language(
        "c", _c_power, _c_expression,
        {"sqrt": "sqrt({0})", "sin": "sin({0})", "cos": "cos({0})", "exp": "exp({0})", "tanh": "tanh({0})",
         "abs": "fabs({0})", "sign": "sign_of({0})", "select": "chosen({0}, {1}, {2})"},
        _c,
    ),
}  # fmt: skip


def ordered(names: Iterable[sympy.Symbol], ranks: dict[Any, tuple[int, int]]) -> list[sympy.Symbol]:
    """Parameters in the order of the links."""
    return sorted(names, key=lambda s: (ranks.get(s, (9, 0))[1], s.name))
