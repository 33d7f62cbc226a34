"""Where a link's centre of gravity lies, and what puts it where it should be (paper §2, §5; C8).

The criterion for a coordinate is Σ mᵢ (cᵢ − target) = 0: masses and offsets, no division.  Its
special cases are eqs 7, 9 and 11 of Szumiński & Kapitaniak; the same solver sizes a counterweight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import sympy

from steiner.assembly.criteria import Case, cases, derive, six_digits
from steiner.assembly.tree import Assembly, Part
from steiner.errors import ModelError, SteinerError, described, is_one_of, need, several, whole
from steiner.scalar import is_number, numbers
from steiner.spatial import Pose
from steiner.text.names import terminal
from steiner.text.steps import Derivation
from steiner.text.tables import shown

__all__ = ["Balance", "Case", "balance"]

Unknown = Any  # a SymPy symbol of the assembly, or ("part name", "mass" | "density" | "x" | "y" | "z")
HANDLES = ("mass", "density", "x", "y", "z")
UNITS = {"mass": "kg", "density": "kg/m³", "x": "m", "y": "m", "z": "m"}
TINY = 1e-9


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """Conditions for the centre, and the solutions for the unknowns; `str()` tells it in words."""

    assembly: Assembly  # with a symbol for every unknown
    unknowns: Mapping[Any, str]  # symbol -> what it is
    conditions: Mapping[str, Any]  # coordinate -> expression that must vanish, in kg m
    solutions: tuple[dict[Any, Any], ...]
    rejected: tuple[tuple[dict[Any, Any], str], ...]
    note: str = ""
    targets: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The criteria as cases, eqs 7, 9, 11: each is equivalent or sufficient, and says what fulfils it."""
        return cases(self.assembly, self.targets)

    def derivation(self) -> Derivation:
        """The centre of the elements and every case, as formulas: HTML, LaTeX, Markdown."""
        return derive(self.assembly, self.targets, self.cases)

    @property
    def solved(self) -> bool:
        """Whether at least one solution was found."""
        return bool(self.solutions)

    def holds(self, values: Mapping[Any, Any]) -> bool:
        """Whether all conditions vanish identically under these substitutions."""
        given = {_key(k): numbers(f"holds: {_key(k)}", v)[0] for k, v in need("holds", values, Mapping).items()}
        return all(sympy.simplify(c.subs(given)) == 0 for c in self.conditions.values())

    def value(self, unknown_: Unknown, solution: int = 0) -> Any:
        """The value of an unknown in one of the solutions."""
        symbol = _key(unknown_)
        return self._solution(solution).get(symbol, symbol)

    def applied(self, solution: int = 0) -> Assembly:
        """The assembly with a solution put in."""
        return self.assembly.subs(self._solution(solution))

    def _solution(self, number: int) -> dict[Any, Any]:
        if not self.solutions:
            raise ModelError(f"balance of {self.assembly.name}: {'; '.join(self._told())}")
        return self.solutions[whole("solution", number, 0, len(self.solutions) - 1)]

    def __str__(self) -> str:
        return "\n".join([terminal(f"balance of {self.assembly.name}:"), *(f"  {terminal(x)}" for x in self._told())])

    def _told(self) -> list[str]:
        lines = [f"{name}: {six_digits(expression)} = 0" for name, expression in self.conditions.items()]
        for k, found in enumerate(self.solutions):
            listed = ", ".join(f"{self.unknowns.get(s, s)} = {_shown(v)}" for s, v in found.items())
            lines.append(f"solution {k + 1}: {listed or 'already balanced, whatever the unknowns'}")
        for found, why in self.rejected:
            listed = ", ".join(f"{self.unknowns.get(s, s)} = {_shown(v)}" for s, v in found.items())
            lines.append(f"not usable: {listed} ({why})")
        if any(not is_number(child.signed.mass) for child in self.assembly.children):
            lines += [f"case {case}" for case in self.cases]
        if not self.solutions:
            lines.append(f"no solution{': ' + self.note if self.note else ''}")
        return lines


def balance(
    assembly: Assembly,
    unknowns: Sequence[Unknown],
    targets: Mapping[str, Any],
    *,
    bounds: Mapping[Unknown, tuple[Any, Any]] | None = None,
) -> Balance:
    """What the unknowns must be for the centre of mass to lie at the targets.

    Args:
        assembly: a link with numbers or symbols.
        unknowns: symbols that occur in the assembly (lengths, volumes, densities, offsets), or pairs
            (part, quantity) with quantity "mass", "density", "x", "y" or "z" (its place in its parent).
        targets: coordinates of the centre in the assembly's frame, such as {"x": 0, "y": 0} [m].
        bounds: allowed range of an unknown, such as {("counterweight", "mass"): (0, 2)}.
    """
    unknowns = several("balance: unknowns", unknowns, 'symbols or pairs such as ("weight", "mass")', ModelError)
    _check(assembly, unknowns, targets)
    names: dict[Any, str] = {}
    for item in unknowns:
        if isinstance(item, tuple):
            assembly = _freed(assembly, item)
            names[_symbol_of(item)] = f"{item[1]} of {item[0]} [{UNITS[item[1]]}]"
        else:
            names[item] = str(item)
    body = assembly.signed
    conditions = {}
    for axis, target in targets.items():
        expression = sympy.sympify(body.mass * (body.com["xyz".index(axis)] - target))
        conditions[axis] = sympy.factor_terms(sympy.cancel(sympy.together(expression)))
    equations = [c for c in conditions.values() if c != 0 and not _negligible(c, body)]
    found, note = _solved(equations, list(names), names)
    given = {} if bounds is None else need("balance: bounds", bounds, Mapping, "from unknown to (least, most)")
    limits = {_key(k): several(f"balance: bounds of {_key(k)}", v, "two numbers") for k, v in given.items()}
    for symbol in limits:
        if symbol not in names:
            raise ModelError(f"balance: bounds of {symbol}, but the unknowns are {', '.join(map(str, names))}")
    good, bad = [], []
    for solution in found:
        why = _objection(solution, names, limits) or _impossible(assembly, solution)
        (bad.append((solution, why)) if why else good.append(solution))
    if not good and not note:
        note = "every candidate is out of range" if bad else "no value of the unknowns fulfils the conditions"
    return Balance(assembly, names, conditions, tuple(good), tuple(bad), note, dict(targets))


def _check(assembly: Assembly, unknowns: Sequence[Unknown], targets: Mapping[str, Any]) -> None:
    if not isinstance(assembly, Assembly):
        raise ModelError(f"balance: expected an Assembly, got {described(assembly)}")
    need("balance: targets", targets, Mapping, 'such as {"x": 0}', ModelError)
    if not unknowns:
        raise ModelError('balance: no unknowns; give symbols of the assembly, or pairs such as ("weight", "mass")')
    for axis, target in targets.items():
        if not is_one_of(axis, ("x", "y", "z")):
            raise ModelError(f"balance: target {described(axis)}; expected x, y or z")
        numbers(f"balance: target {axis}", target)
    if not targets:
        raise ModelError('balance: no targets; say where the centre should be, such as {"x": 0}')
    for item in unknowns:
        if isinstance(item, tuple):
            if len(item) != 2 or not isinstance(item[0], str) or not is_one_of(item[1], HANDLES):
                known = ", ".join(HANDLES)
                raise ModelError(f"balance: unknown {described(item)}; expected (part name, one of {known})")
        elif not isinstance(item, sympy.Symbol):
            raise ModelError(f"balance: unknown {described(item)}; expected a symbol or (part name, quantity)")


def _key(item: Any) -> Any:
    """The symbol of an unknown."""
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and is_one_of(item[1], HANDLES):
        return _symbol_of(item)
    return need("balance", item, sympy.Symbol, "or (part name, quantity)")


def _symbol_of(item: tuple[str, str]) -> Any:
    part, quantity = item
    name = f"{quantity}_{part}".replace("/", "_").replace(" ", "_")
    return sympy.Symbol(name, real=True)  # a negative mass is shown as unusable, not hidden


def _freed(assembly: Assembly, item: tuple[str, str]) -> Assembly:
    """The assembly with a symbol for one quantity of one node."""
    path = assembly.find(item[0]).path.split("/")[1:]
    if not path:
        raise ModelError(f"balance: {item[0]!r} is the whole assembly; name one of its parts")
    return _changed(assembly, path, item)


def _changed(node: Any, path: list[str], item: tuple[str, str]) -> Any:
    if path:
        children = [_changed(c, path[1:], item) if c.name == path[0] else c for c in node.children]
        return replace(node, children=tuple(children))
    symbol, quantity = _symbol_of(item), item[1]
    if quantity in "xyz":
        p = np.array(node.pose.p.tolist(), dtype=object)
        p["xyz".index(quantity)] = symbol
        return replace(node, pose=Pose.trusted(node.pose.R, p))
    if not isinstance(node, Part):
        raise ModelError(f"balance: {item[0]!r} is an assembly; its {quantity} is that of its parts, name one of them")
    if node.solid is None:
        if quantity == "density":
            raise ModelError(f"balance: {item[0]!r} has no shape, so no density; use its mass")
        old = node.mass_properties
        if old.mass == 0:
            raise ModelError(f"balance: {item[0]!r} has no mass to rescale; give it a shape")
        return replace(node, body=(symbol / old.mass) * old)
    stated = dict.fromkeys(("material", "density", "mass", "body", "linear_density", "area_density"))
    return replace(node, **(stated | {quantity: symbol}))


def _negligible(expression: Any, body: Any) -> bool:
    """A number that is round-off beside mass × size: the coordinate is already at its target."""
    if not expression.is_number:
        return False
    known = [abs(float(c)) for c in body.com if sympy.sympify(c).is_number]
    mass = sympy.sympify(body.mass)
    scale = (abs(float(mass)) if mass.is_number else 1.0) * (1e-3 + max(known, default=0.0))
    return abs(float(expression)) <= 1e-12 * scale


def _solved(equations: list[Any], symbols: list[Any], names: dict[Any, str]) -> tuple[list[dict[Any, Any]], str]:
    if not equations:
        return [{}], ""
    present = set().union(*(e.free_symbols for e in equations))
    idle = [names[s] for s in symbols if s not in present]
    if len(idle) == len(symbols):
        return [], f"the conditions do not depend on {', '.join(idle)}"
    try:
        return sympy.solve(equations, symbols, dict=True), ""
    except NotImplementedError:
        return [], "no closed form was found; give fewer unknowns, or numbers for more symbols"


def _objection(solution: dict[Any, Any], names: dict[Any, str], bounds: Mapping[Any, Any]) -> str:
    for symbol, value in solution.items():
        if not value.is_number:
            continue
        if not value.is_real:
            return f"{names.get(symbol, symbol)} is not real"
        number = float(value)
        never_negative = symbol.is_nonnegative or names.get(symbol, "").startswith(("mass of", "density of"))
        if never_negative and number < -TINY:
            return f"{names.get(symbol, symbol)} is negative"
        low, high = bounds.get(symbol, (-np.inf, np.inf))
        if not low <= number <= high:
            return f"{names.get(symbol, symbol)} is outside {low:g} … {high:g}"
    return ""


def _impossible(assembly: Assembly, solution: dict[Any, Any]) -> str:
    """Why no such assembly can be made: a length that is negative, for example."""
    try:
        assembly.subs(solution)
    except SteinerError as error:
        return str(error)
    return ""


def _shown(value: Any) -> str:
    return shown(float(value)) if value.is_number else str(value)
