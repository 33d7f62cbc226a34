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
from sympy.printing.c import ccode
from sympy.printing.pycode import pycode

from steiner.formulas.layout import plain_letters
from steiner.formulas.writing import Atom, Sum, Term

C_WORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "y0",
        "y1",
        "yn",
        "j0",
        "j1",
        "jn",
        "gamma",
    ]
)
TAKEN = frozenset(keyword.kwlist) | C_WORDS | {"q", "qd", "qdd", "p", "out", "cos", "sin", "pi", "exp", "tanh", "sqrt"}

# name of a term -> function, argument arrays, what it is
FUNCTIONS = {
    "M": ("mass_matrix", ("q",), "Mass matrix M(q)"),
    "V": ("velocity_forces", ("q", "qd"), "Centrifugal and Coriolis efforts V(q, qd)"),
    "G": ("gravity_forces", ("q",), "Efforts against gravity G(q)"),
    "F": ("friction_forces", ("q", "qd"), "Efforts against friction F(qd)"),
    "tau": ("inverse_dynamics", ("q", "qd", "qdd"), "Joint efforts tau = M qdd + V + G + F"),
    "K": ("kinetic_energy", ("q", "qd"), "Kinetic energy"),
    "P": ("potential_energy", ("q",), "Potential energy"),
    "christoffel": ("christoffel", ("q",), "Christoffel symbols b[i][j][k]"),
    "centrifugal": ("centrifugal", ("q",), "C(q), which multiplies the squares of the rates"),
    "coriolis": ("coriolis", ("q",), "B(q), which multiplies the products of two rates"),
    "coriolis_matrix": ("coriolis_matrix", ("q", "qd"), "Coriolis matrix of the Christoffel symbols"),
}


class Names:
    """Identifiers: valid in Python and C, each given once."""

    def __init__(self) -> None:
        self._given: dict[Any, str] = {}
        self._taken = set(TAKEN)

    def of(self, key: Any, wish: str) -> str:
        """The identifier of a thing, near to the wish."""
        if key not in self._given:
            name = re.sub(r"\W", "_", plain_letters(wish), flags=re.ASCII)
            name = f"_{name}" if not name or name[0].isdigit() else name
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
        name, arrays, what = FUNCTIONS[r.term]
        arguments = ", ".join([*arrays, *(["*"] + list(parameters) if parameters else [])])
        body += ["", "", f"def {name}({arguments}):", f'    """{what}."""']
        body += [f"    {left} = {right}" for left, right in r.statements]
        if r.results.ndim:
            rows = ",\n        ".join(nested(x) for x in r.results)
            body += [f"    return [\n        {rows},\n    ]"]
        else:
            body += [f"    return {r.results[()]}"]
    text = "\n".join(body)
    used = [f for f in _MATH if re.search(rf"(?<![\w.]){f}\b", text)]
    first = f'"""Equations of motion of {_plain(robot)}: {_joints(n)}, SI units, radians."""\n'
    return first + (f"\nfrom math import {', '.join(used)}\n" if used else "") + text + "\n"


def _joints(n: int) -> str:
    return f"{n} joint{'s' if n > 1 else ''}"


def _plain(name: str) -> str:
    """A robot's name inside a comment: no quotes, no comment ends, no line breaks."""
    return re.sub(r"[^\w .,+-]", "_", name)


def _c(robot: str, n: int, parameters: Sequence[str], routines: Sequence[Routine]) -> str:
    prefix = re.sub(r"\W", "_", robot, flags=re.ASCII).lower()
    prefix = f"_{prefix}" if prefix[:1].isdigit() else prefix or "robot"
    lines = [f"/* Equations of motion of {_plain(robot)}: {_joints(n)}, SI units, radians; matrices row by row. */"]
    lines += ["#include <math.h>", ""]
    if parameters:
        lines += ["typedef struct {", *(f"    double {p};" for p in parameters), f"}} {prefix}_parameters;", ""]
    for r in routines:
        name, arrays, what = FUNCTIONS[r.term]
        arguments = [f"const double {a}[{n}]" for a in arrays]
        arguments += [f"const {prefix}_parameters *p"] if parameters else []
        arguments += [f"double out[{r.results.size}]"]
        lines += [f"/* {what}. */", f"void {prefix}_{name}({', '.join(arguments)})", "{"]
        everything = " ".join([*(right for _, right in r.statements), *r.results.ravel()])
        used = set(re.findall(r"\w+", everything))
        lines += [f"    const double {p} = p->{p};" for p in parameters if p in used]
        lines += ["    (void)p;"] if parameters else []
        lines += [f"    (void){a};" for a in arrays if a not in used]
        lines += [f"    const double {left} = {right};" for left, right in r.statements]
        lines += [f"    out[{k}] = {text};" for k, text in enumerate(r.results.ravel())]
        lines += ["}", ""]
    return "\n".join(lines)


def _python_power(text: str, power: int) -> str:
    return f"{text}**{power}"


def _c_power(text: str, power: int) -> str:
    return "*".join([text] * power)


LANGUAGES = {
    "python": Language(
        "python", _python_power, lambda e: str(pycode(e, fully_qualified_modules=False)),
        {"sqrt": "sqrt({0})", "sin": "sin({0})", "cos": "cos({0})", "exp": "exp({0})", "tanh": "tanh({0})",
         "abs": "abs({0})", "sign": "(float({0} > 0) - float({0} < 0))", "select": "({1} if {0} > 0 else {2})"},
        _python,
    ),
    "c": Language(
        "c", _c_power, ccode,
        {"sqrt": "sqrt({0})", "sin": "sin({0})", "cos": "cos({0})", "exp": "exp({0})", "tanh": "tanh({0})",
         "abs": "fabs({0})", "sign": "(({0} > 0) - ({0} < 0))", "select": "({0} > 0 ? {1} : {2})"},
        _c,
    ),
}  # fmt: skip


def ordered(names: Iterable[sympy.Symbol], ranks: dict[Any, tuple[int, int]]) -> list[sympy.Symbol]:
    """Parameters in the order of the links."""
    return sorted(names, key=lambda s: (ranks.get(s, (9, 0))[1], s.name))
