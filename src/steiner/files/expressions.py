"""Numbers as formulas of named parameters: "L/2", "2*wall + 5 mm", "rho*L^2".

A small grammar of its own, worked out while it is read, on whatever kind of number the parameters are: floats when a
model is made, SymPy symbols when it is to be remembered how its numbers hang together.  Nothing is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steiner.errors import FormatError, unknown
from steiner.files.quantity import DECIMAL, KINDS, written_unit
from steiner.files.reading import LONGEST
from steiner.scalar import absolute, cos, is_number, sin, sqrt

DEEPEST = 30
FUNCTIONS = {"sqrt": sqrt, "sin": sin, "cos": cos, "abs": absolute}
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+", re.ASCII)
UNSIGNED = DECIMAL.pattern.removeprefix("[+-]?")
TOKEN = re.compile(rf"\s*+(?:(?P<number>{UNSIGNED})|(?P<name>{NAME.pattern})|(?P<sign>\*\*|[-+*/^()]))", re.ASCII)
UNIT = re.compile(r"\s*+(?P<unit>[A-Za-zµ°][A-Za-z0-9µ°]*+(?:\^[0-9])?)(?!\s*+\()")


@dataclass(frozen=True)
class Parameter:
    """A named number of a file: what it measures, and its value in SI units."""

    kind: str
    value: Any


def is_formula(text: str) -> bool:
    """Whether a text is more than a number, or a number with its unit."""
    found = DECIMAL.match(text.strip())
    unit = "" if found is None else text.strip()[found.end() :].strip()
    return found is None or bool(unit and not any(written_unit(unit) in units for units, _, _ in KINDS.values()))


def expression(text: str, kind: str, unit: str | None, parameters: Mapping[str, Parameter]) -> Any:
    """The value of a formula, SI.

    In a length, bare numbers and parameters that are lengths count in `unit` ("L + 10" is 10 mm more, if mm is the
    unit); elsewhere every parameter counts in SI units.
    """
    if len(text) > LONGEST:
        raise FormatError(f"a formula of {len(text)} characters; at most {LONGEST}")
    per_metre = 1 / Fraction(str(KINDS["length"][0][unit or "m"])) if kind == "length" else Fraction(1)
    reader = _Reader(text, kind, per_metre, parameters)
    value = reader.sum(0)
    if reader.next() is not None:
        raise FormatError(f"{text!r}: {reader.rest()!r} is not expected there")
    value = value if per_metre == 1 else value / per_metre
    return float(value) if is_number(value) else value


class _Reader:
    """A recursive descent: sums of products of powers."""

    def __init__(self, text: str, kind: str, per_metre: Fraction, parameters: Mapping[str, Parameter]) -> None:
        self.text, self.kind, self.per_metre, self.parameters = text, kind, per_metre, parameters
        self.at = 0

    def rest(self) -> str:
        return self.text[self.at :].strip()[:20]

    def next(self) -> re.Match[str] | None:
        if not self.text[self.at :].strip():
            return None
        found = TOKEN.match(self.text, self.at)
        if found is None:
            raise FormatError(f"{self.text!r}: {self.rest()!r} is no part of a formula of + - * / ^ ( ) and parameters")
        return found

    def take(self, *signs: str) -> str | None:
        """The sign that comes next, if it is one of these."""
        found = self.next()
        if found is None or found["sign"] not in signs:
            return None
        self.at = found.end()
        return found["sign"]

    def sum(self, depth: int) -> Any:
        value = self.product(depth)
        while sign := self.take("+", "-"):
            other = self.product(depth)
            value = value + other if sign == "+" else value - other
        return value

    def product(self, depth: int) -> Any:
        value = self.signed(depth)
        while sign := self.take("*", "/"):
            other = self.signed(depth)
            if sign == "/" and is_number(other) and other == 0:
                raise FormatError(f"{self.text!r}: divides by zero")
            value = value * other if sign == "*" else value / other
        return value

    def signed(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise FormatError(f"{self.text[:40]!r}…: more than {DEEPEST} brackets within each other")
        if sign := self.take("+", "-"):
            value = self.signed(depth + 1)
            return -value if sign == "-" else value
        value = self.atom(depth)
        if self.take("^", "**"):
            found = self.next()
            if found is None or not (found["number"] or "").isdigit() or int(found["number"]) > 9:
                raise FormatError(f"{self.text!r}: a power is a whole number from 0 to 9")
            self.at = found.end()
            value = value ** int(found["number"])
        return value

    def atom(self, depth: int) -> Any:
        found = self.next()
        if found is None:
            raise FormatError(f"{self.text!r}: ends where a number or a parameter is expected")
        self.at = found.end()
        if found["number"]:
            return self.number(float(found["number"]))
        if found["sign"] == "(":
            return self.closed(self.sum(depth + 1))
        if found["sign"]:
            raise FormatError(f"{self.text!r}: {found['sign']!r} is not expected there")
        return self.named(found["name"], depth)

    def closed(self, value: Any) -> Any:
        if not self.take(")"):
            raise FormatError(f"{self.text!r}: a bracket is not closed")
        return value

    def number(self, value: float) -> Any:
        """A literal; with a unit of its own it is brought to the unit of the formula."""
        found = UNIT.match(self.text, self.at)
        if found is None:
            return int(value) if value.is_integer() and abs(value) < 1e15 else value
        for kind, (units, _, _) in KINDS.items():
            if written_unit(found["unit"]) in units:
                self.at = found.end()
                value = value * units[written_unit(found["unit"])]
                return value * self.per_metre if kind == "length" else value
        raise FormatError(f"{self.text!r}: {found['unit']!r} is no unit")

    def named(self, name: str, depth: int) -> Any:
        if name in FUNCTIONS and self.take("("):
            return FUNCTIONS[name](self.closed(self.sum(depth + 1)))
        if name not in self.parameters:
            raise FormatError(f"{self.text!r}: " + unknown("parameter", name, self.parameters))
        parameter = self.parameters[name]
        in_unit = parameter.kind == "length" and self.per_metre != 1
        return parameter.value * self.per_metre if in_unit else parameter.value
