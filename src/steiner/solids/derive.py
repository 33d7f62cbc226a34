"""The integrals of a solid worked step by step, as Markdown and LaTeX.

The steps come from the same charts that quadrature and meshes use: innermost integral first, every line
an equation, then the centre, then the theorem of Huygens and Steiner.  A box is integrated from its
corner, as the lecture decks do, and carried to its centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy

from steiner.inertia import MassProperties
from steiner.scalar import is_number
from steiner.solids.base import Solid
from steiner.solids.charts import Chart, cartesian
from steiner.solids.sweeps import is_full
from steiner.text import names
from steiner.text.steps import Derivation

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


@lru_cache(maxsize=2048)
def _antiderivative(factor: Expr, variable: Expr) -> Expr:
    return sympy.integrate(factor, variable)


def integrate(expression: Expr, variable: Expr, low: Expr, high: Expr) -> Expr:
    """∫ expression d(variable), term by term; each kind of factor is integrated once."""
    result = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(expression)):
        rest, factor = term.as_independent(variable, as_Add=False)
        primitive = _antiderivative(factor, variable)
        result += rest * (primitive.subs(variable, high) - primitive.subs(variable, low))
    return sympy.expand(result)


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


def _region(chart: Chart) -> Region:
    variables = tuple(sympy.Symbol(NAMES.get(n, n), real=True) for n in chart.names)
    limits = tuple(
        tuple(
            sympy.nsimplify(v) if isinstance(v, float) else sympy.sympify(v) for v in chart.bounds_of(k, variables[:k])
        )
        for k in range(len(variables))
    )
    point = tuple(sympy.sympify(v) for v in chart.point(*variables))
    return Region(variables, limits, point, chart.sign * sympy.sympify(chart.jacobian(*variables)))  # type: ignore[arg-type]


def _integral_latex(region: Region, depth: int, integrand: Expr) -> str:
    """The outermost `depth` integrals that are still to do, around an integrand."""
    signs = "".join(rf"\int_{{{tex(low)}}}^{{{tex(high)}}}" for low, high in region.limits[:depth])
    inner = tex(integrand)
    body = rf"\left({inner}\right)" if isinstance(integrand, sympy.Add) and depth else inner
    differentials = "".join(rf"\,d{tex(v)}" for v in reversed(region.variables[:depth]))
    return f"{signs} {body}{differentials}" if depth else body


def tex(expression: Expr) -> str:
    """LaTeX of an expression; a symbol whose name is no part of a formula is set as text."""
    symbols = getattr(expression, "free_symbols", ())
    odd = {s: rf"\text{{{names.latex(s.name)}}}" for s in symbols if not names.is_formula(s.name)}
    return sympy.latex(expression, symbol_names=odd)


def worked(regions: Sequence[Region], label: str, integrand: Any, rho: Expr) -> tuple[list[str], Expr]:
    """Equations from the definition to the value, one region after the other."""
    total = sympy.Integer(0)
    chains = []
    for region in regions:
        value = _shorter(sympy.expand(integrand(*region.point))) * region.jacobian
        chain = [_integral_latex(region, len(region.variables), rho * value)]
        for k in reversed(range(len(region.variables))):
            value = integrate(value, region.variables[k], *region.limits[k])
            shown = sympy.factor(value) if k else value
            chain.append(_integral_latex(region, k, rho * shown))
            if value == 0:
                chain[-1] = "0"
                break
        total += value
        chains.append(chain)
    if len(chains) == 1:
        return [f"{label} = " + " = ".join(chains[0])], total
    lines = [f"{label}^{{({k + 1})}} = " + " = ".join(chain) for k, chain in enumerate(chains)]
    lines.append(
        f"{label} = "
        + " + ".join(f"{label}^{{({k + 1})}}" for k in range(len(chains)))
        + f" = {tex(rho * _tidy(total))}"
    )
    return lines, total


def _shorter(expression: Expr) -> Expr:
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
    symbols = {n: sympy.Symbol(_greek(n), positive=True) for n in values}
    return type(solid)(**symbols), {_greek(n): v for n, v in values.items()}


def _greek(name: str) -> str:
    return {"radius": "r", "height": "h", "outer": "R", "inner": "r", "major": "R", "minor": "r", "length": "L"}.get(
        name, name
    )


def _derive(
    kind: str, frame: str, charts: Sequence[Chart], values: dict[str, Any], dimension: int, axis: str = "z"
) -> Derivation:
    rho, m = sympy.symbols("rho m", positive=True)
    regions = [_region(c) for c in charts]
    density = {3: "density ρ", 2: "mass per area ρ", 1: "mass per length ρ"}[dimension]
    turned = f" The axis lies along {axis}: permute x, y, z cyclically at the end." if axis != "z" else ""
    steps: list[tuple[str, tuple[str, ...]]] = [(f"Homogeneous, {density}. Frame: {frame}.{turned}", ())]

    lines, volume = worked(regions, "m", lambda x, y, z: sympy.Integer(1), rho)
    steps.append(("**Mass.**", tuple(lines)))
    centre = []
    lines = []
    for k, name in enumerate("xyz"):
        chain, value = worked(regions, f"m\\,{name}_c", lambda x, y, z, k=k: (x, y, z)[k], rho)
        mean = sympy.simplify(sympy.cancel(sympy.expand(value) / sympy.expand(volume)))
        centre.append(mean)
        lines += [*chain, f"{name}_c = {tex(mean)}"] if mean != 0 else [f"{chain[-1]}"]
    steps.append(("**Centre of mass.**", tuple(lines)))

    about: dict[str, Expr] = {}
    for title, table, meaning in (
        ("Moments of inertia about the axes of the frame", MOMENTS, ""),
        ("Products of inertia", PRODUCTS, " The tensor holds them with a minus sign."),
    ):
        lines = []
        for entry, integrand in table.items():
            chain, value = worked(regions, f"I_{{{entry}}}", integrand, rho)
            about[entry] = _per_mass(value, volume, m)
            lines += [*chain, f"I_{{{entry}}} = {tex(about[entry])}"]
        steps.append((f"**{title}.**{meaning}", tuple(lines)))
    tensor = _matrix(about)
    steps.append(("**Tensor about the origin of the frame.**", (f"{{}}^A I = {tex(tensor)}",)))
    central = _central(tensor, centre, m, steps)
    steps += _numbers(values)
    result = MassProperties.trusted(m, _array(sympy.Matrix(centre)).reshape(3), _array(central))
    return Derivation(f"{kind}: inertia tensor", tuple(steps), result)


def _central(tensor: Expr, centre: Sequence[Expr], m: Expr, steps: list[tuple[str, tuple[str, ...]]]) -> Expr:
    p = sympy.Matrix(centre)
    if p.is_zero_matrix:
        steps.append(("The origin is the centre of mass: ${}^C I = {}^A I$.", ()))
        return tensor
    shift = m * ((p.T * p)[0] * sympy.eye(3) - p * p.T)
    central = (tensor - shift).applyfunc(sympy.simplify)
    steps.append(
        (
            "**Huygens-Steiner, to the centre of mass.**",
            (
                f"P_c = {tex(p)}",
                r"{}^C I = {}^A I - m\left[(P_c \cdot P_c)\,1 - P_c \otimes P_c\right]",
                f"{{}}^C I = {tex(tensor)} - {tex(shift.applyfunc(sympy.simplify))}",
                f"{{}}^C I = {tex(central.applyfunc(sympy.factor))}",
            ),
        )
    )
    return central


def _matrix(entries: dict[str, Expr]) -> Expr:
    def at(i: int, j: int) -> Expr:
        name = "xyz"[min(i, j)] + "xyz"[max(i, j)]
        return entries[name] if i == j else -entries[name]

    return sympy.Matrix(3, 3, at)


def _array(matrix: Expr) -> Any:
    import numpy as np

    return np.array(matrix.tolist(), dtype=object)


def _numbers(values: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    known = {n: v for n, v in values.items() if is_number(v)}
    if not known:
        return []
    listed = ", ".join(f"${n} = {float(v):g}$ {'rad' if n == 'angle' else 'm'}" for n, v in known.items())
    return [(f"Here {listed}.", ())]


# ---- composed solids ----------------------------------------------------------------------------------


def short(value: Any, expression: bool = False) -> Any:
    """A value with its floats to six digits, as LaTeX or as an expression."""
    exact = sympy.sympify(value)
    rounded = exact.xreplace({f: sympy.Float(float(f), 6) for f in exact.atoms(sympy.Float)})
    return rounded if expression else tex(rounded)


def derive_compound(solid: Any) -> Derivation:
    """Joined and cut solids: what each piece brings, then the sum about the merged centroid."""
    lines = []
    for k, (sign, piece) in enumerate(solid.pieces()):
        name = type(getattr(piece, "solid", piece)).__name__
        centre = tex(sympy.Matrix([short(v, True) for v in piece.centroid]))
        lines.append(
            rf"V_{{{k + 1}}} = {short(sign * piece.volume)} \;(\text{{{name}}}), \quad c_{{{k + 1}}} = {centre}"
        )
    steps = (
        ("Pieces; what is cut out counts negative.", tuple(lines)),
        (
            "**Sum about the common centroid (Huygens-Steiner).**",
            (
                r"V = \sum V_k, \quad c = \tfrac{1}{V} \sum V_k c_k, \quad "
                r"I = \sum \rho\left(I_k + V_k\left[(d_k \cdot d_k)\,1 - d_k \otimes d_k\right]\right), \; "
                r"d_k = c_k - c",
                f"V = {short(solid.volume)}",
                f"c = {tex(sympy.Matrix([short(v, True) for v in solid.centroid]))}",
                rf"I = \rho {tex(sympy.Matrix(3, 3, [short(v, True) for v in solid.with_density(1).inertia.ravel()]))}",
            ),
        ),
    )
    return Derivation("Composed solid: inertia tensor", steps, solid.with_density(sympy.Symbol("rho", positive=True)))
