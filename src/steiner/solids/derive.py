"""The integrals of a solid worked step by step.

The steps come from the same charts that quadrature and meshes use: innermost integral first, every line
an equation, then the centre, then the theorem of Huygens and Steiner.  A box is integrated from its
corner, as the lecture decks do, and carried to its centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.scalar import is_number
from steiner.solids.base import Solid
from steiner.solids.charts import Chart, cartesian
from steiner.solids.expressions import exactly, integrate
from steiner.solids.sweeps import is_full
from steiner.solids.terms import Inner, Integral, Name, Outer, Product, Sum, Term, Value
from steiner.solids.working import Line, line
from steiner.text.steps import Derivation, Step

Expr = Any

MOMENTS = {
    "xx": lambda x, y, z: y**2 + z**2,
    "yy": lambda x, y, z: x**2 + z**2,
    "zz": lambda x, y, z: x**2 + y**2,
}
PRODUCTS = {
    "xy": lambda x, y, z: x * y,
    "xz": lambda x, y, z: x * z,
    "yz": lambda x, y, z: y * z,
}
NAMES = {"phi": r"\varphi", "theta": r"\theta", "r": "s"}  # r is often the radius of the shape itself


# ---- integrals ---------------------------------------------------------------------------------------


def _tidy(expression: Expr) -> Expr:
    return (
        sympy.factor(sympy.trigsimp(expression)) if expression.has(sympy.sin, sympy.cos) else sympy.factor(expression)
    )


@dataclass(frozen=True)
class Region:
    """A chart written with symbols."""

    variables: tuple[Expr, ...]
    limits: tuple[tuple[Expr, Expr], ...]
    point: tuple[Expr, Expr, Expr]
    jacobian: Expr


def region_of(chart: Chart) -> Region:
    """A chart with symbols for its variables."""
    variables = tuple(sympy.Symbol(NAMES.get(n, n), real=True) for n in chart.names)
    limits = tuple(
        tuple(exactly(v) for v in chart.bounds_of(k, variables[:k])) for k in range(len(variables))
    )
    point = tuple(sympy.sympify(v) for v in chart.point(*variables))
    return Region(variables, limits, point, chart.sign * sympy.sympify(chart.jacobian(*variables)))  # type: ignore[arg-type]


def _nested(region: Region, depth: int, integrand: Expr) -> Term:
    """The outermost `depth` integrals that are still to do, around an integrand."""
    if not depth:
        return Value(integrand)
    bounds = zip(region.variables[:depth], region.limits[:depth], strict=True)
    return Integral(integrand, tuple((v, low, high) for v, (low, high) in bounds))


Worked = tuple[list[Line], Expr, dict[str, Expr]]  # lines, value without ρ, what they make known


def worked(regions: Sequence[Region], label: Any, integrand: Any, rho: Expr, by: Name | None = None) -> Worked:
    """Equations from the definition to the value, one region after the other.

    With `by` the integral is by · label, as m x_c is.
    """
    total, chains = sympy.Integer(0), []
    for region in regions:
        value = shorter(sympy.expand(integrand(*region.point))) * region.jacobian
        chain = [_nested(region, len(region.variables), rho * value)]
        for k in reversed(range(len(region.variables))):
            value = integrate(value, region.variables[k], *region.limits[k])
            chain.append(_nested(region, k, rho * (sympy.factor(value) if k else value)))
            if value == 0:
                chain[-1] = Value(value)
                break
        total += value
        chains.append((chain, value))
    left = label if by is None else Product((by, label))
    if len(chains) == 1:
        return [line(left, *chains[0][0])], total, {}
    parts = [replace(label, mark=f"({k + 1})") for k in range(len(chains))]
    lines = [line(part if by is None else Product((by, part)), *chain)
             for part, (chain, _) in zip(parts, chains, strict=True)]  # fmt: skip
    summed = Sum(tuple((1, part if by is None else Product((by, part))) for part in parts))
    lines.append(line(left, summed, rho * _tidy(total)))
    mass = 1 if by is None else sympy.Symbol(by.key, positive=True)
    known = {part.key: rho * value / mass for part, (_, value) in zip(parts, chains, strict=True)}
    return lines, total, known


def shorter(expression: Expr) -> Expr:
    """cos² + sin² = 1 where it helps; products of angles are left alone."""
    merged = sympy.trigsimp(expression)
    return merged if merged.count_ops() < expression.count_ops() else expression


def _per_mass(value: Expr, volume: Expr, m: Expr) -> Expr:
    if value == 0:
        return value
    ratio = sympy.simplify(_tidy(sympy.cancel(sympy.expand(value) / sympy.expand(volume))))
    return _tidy(m * ratio)


# ---- the derivation ----------------------------------------------------------------------------------


def derive_box(solid: Any) -> Derivation:
    """A box from its corner, as the lecture decks do."""
    w, l, h = sympy.symbols("w l h", positive=True)
    charts = [cartesian((0, w), (0, l), (0, h))]
    frame = "a corner at the origin, edges w, l, h along x, y, z"
    return _derive("Box", frame, charts, {"w": solid.x, "l": solid.y, "h": solid.z}, 3)


def derive_limits(solid: Any) -> Derivation:
    """Limits of integration as they are given."""
    return _derive(type(solid).__name__, solid.frame, solid.symbolic_charts(), {}, 3)


def derive_charts(solid: Solid) -> Derivation:
    """Any shape that states its integral, with a symbol for every dimension."""
    symbolic, values = twin(solid)
    return _derive(type(solid).__name__, solid.frame, symbolic.charts, values, solid.dimension, solid.axis)


def twin(solid: Solid) -> tuple[Solid, dict[str, Any]]:
    """The same kind of solid with a symbol for every dimension; a full turn stays one."""
    values = {n: v for n, v in solid.parameters.items() if not (n == "angle" and is_full(v))}
    symbols = {n: sympy.Symbol(LETTERS.get(n, n), positive=True) for n in values}
    return type(solid)(**symbols), {LETTERS.get(n, n): v for n, v in values.items()}


LETTERS = {"radius": "r", "height": "h", "outer": "R", "inner": "r", "major": "R", "minor": "r", "length": "L"}
LETTERS |= {"x": "w", "y": "l", "z": "h"}  # edges: the decks' letters, for x, y, z are the coordinates


def _derive(
    kind: str, frame: str, charts: Sequence[Chart], values: dict[str, Any], dimension: int, axis: str = "z"
) -> Derivation:
    rho, m = sympy.symbols("rho m", positive=True)
    regions = [region_of(c) for c in charts]
    known: dict[str, Any] = {n: exactly(v) for n, v in values.items() if is_number(v)}
    density = {3: "density ρ", 2: "mass per area ρ", 1: "mass per length ρ"}[dimension]
    turned = f" The axis lies along {axis}: permute x, y, z cyclically at the end." if axis != "z" else ""
    steps: list[Step] = [(f"Homogeneous, {density}. Frame: {frame}.{turned}", ())]

    lines, volume, more = worked(regions, Name("m"), lambda x, y, z: sympy.Integer(1), rho)
    known |= {"m": rho * volume} | more
    steps.append(("**Mass.**", lines))
    centre, lines = [], []
    for k, name in enumerate("xyz"):
        label = Name(name, "c")
        chain, value, more = worked(regions, label, lambda x, y, z, k=k: (x, y, z)[k], rho, Name("m"))
        mean = sympy.simplify(sympy.cancel(sympy.expand(value) / sympy.expand(volume)))
        centre.append(mean)
        known |= {label.key: mean} | more
        lines += [*chain, line(label, mean)] if mean != 0 else chain[-1:]
    steps.append(("**Centre of mass.**", lines))

    about: dict[str, Expr] = {}
    for title, table, meaning in (
        ("Moments of inertia about the axes of the frame", MOMENTS, ""),
        ("Products of inertia", PRODUCTS, " The tensor holds them with a minus sign."),
    ):
        lines = []
        for entry, integrand in table.items():
            chain, value, more = worked(regions, Name("I", entry), integrand, rho)
            about[entry] = _per_mass(value, volume, m)
            known |= {f"I_{entry}": about[entry]} | more
            lines += [*chain, line(Name("I", entry), about[entry])]
        steps.append((f"**{title}.**{meaning}", lines))
    tensor = _array(matrix_of(about))
    known |= {"A:I": tensor}
    steps.append(("**Tensor about the origin of the frame.**", (line(Name("I", about="A"), tensor),)))
    central = _central(tensor, centre, m, steps, known)
    steps += _numbers(values)
    result = MassProperties.trusted(m, _array(sympy.Matrix(centre)).reshape(3), central)
    return Derivation(f"{kind}: inertia tensor", tuple(steps), result, known)


def _central(tensor: Any, centre: Sequence[Expr], m: Expr, steps: list[Step], known: dict[str, Any]) -> Any:
    p = np.array(centre, dtype=object)
    if not any(centre):
        steps.append(("The origin is the centre of mass: ${}^C I = {}^A I$.", ()))
        return tensor
    about, at, P = Name("I", about="A"), Name("I", about="C"), Name("P", "c")
    simple: Any = np.frompyfunc(sympy.simplify, 1, 1)
    shift: Any = simple(steiner_term(m, p))
    central: Any = np.frompyfunc(sympy.factor, 1, 1)(simple(tensor - shift))
    known |= {"P_c": p, "C:I": central}
    steps.append((
        "**Huygens-Steiner, to the centre of mass.**",
        (
            line(P, p),
            line(at, about - Name("m") * (Inner(P) - Outer(P))),
            line(at, Value(tensor) - Value(shift)),
            line(at, central),
        ),
    ))  # fmt: skip
    return central


def matrix_of(entries: dict[str, Expr]) -> Expr:
    """The tensor of moments and products."""
    def at(i: int, j: int) -> Expr:
        name = "xyz"[min(i, j)] + "xyz"[max(i, j)]
        return entries[name] if i == j else -entries[name]

    return sympy.Matrix(3, 3, at)


def _array(matrix: Expr) -> Any:
    return np.array(matrix.tolist(), dtype=object)


def _numbers(values: dict[str, Any]) -> list[Step]:
    known = {n: v for n, v in values.items() if is_number(v)}
    if not known:
        return []
    listed = ", ".join(f"${n} = {float(v):g}$ {'rad' if n == 'angle' else 'm'}" for n, v in known.items())
    return [(f"Here {listed}.", ())]
