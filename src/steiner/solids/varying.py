"""A density that varies from place to place: ∭ ρ(x, y, z) (…) dV over the integrals that define a solid (M4).

A function of numbers is integrated by Gauss rules of rising order until two of them agree; an expression (or a
function of symbols) is integrated exactly, for solids of numbers and of symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from steiner.errors import GeometryError
from steiner.inertia import MassProperties
from steiner.inertia.moments import Moments
from steiner.inertia.properties import tensor_of
from steiner.scalar import any_symbolic, is_symbolic
from steiner.solids.base import AXES, Solid
from steiner.solids.charts import samples
from steiner.solids.compound import Compound, Placed
from steiner.solids.derive import region_of
from steiner.solids.exactness import exact, exact_pose, moved
from steiner.solids.expressions import integrate
from steiner.solids.limits import Limits
from steiner.spatial import Pose

ORDERS = (5, 8, 11, 16, 23, 32, 45)
AGREED = 1e-11  # of mass, mass × size and mass × size²: then the finer rule is good to 1e-10 and better
MOST_SAMPLES = 2_000_000

Density = Callable[[Any, Any, Any], Any]


def with_varying_density(solid: Solid, density: Any) -> MassProperties:
    """See `Solid.with_varying_density`."""
    if solid.dimension != 3:
        kind = type(solid).__name__
        raise GeometryError(f"{kind} is idealised and has no volume, so a density ρ(x, y, z) gives no mass")
    given = _function(density)
    if isinstance(solid, Compound):
        first, second = (with_varying_density(piece, density) for piece in (solid.first, solid.second))
        return first + second if solid.sign > 0 else first - second
    if isinstance(solid, Placed):
        pose = solid.pose
        return moved(with_varying_density(solid.solid, lambda *r: given(*_carried(pose, r))), pose)
    if _is_exact(solid, given):
        return _exactly(solid, given)
    return _by_quadrature(solid, given)


def _carried(pose: Pose, point: Iterable[Any]) -> Any:
    r = np.array(list(point))
    return (exact_pose(pose).apply(exact(r)) if r.dtype == object else pose.apply(r)).tolist()


def _function(density: Any) -> Density:
    """The density as a function of the coordinates; symbols named x, y, z are the coordinates of an expression."""
    if not is_symbolic(density):
        return density
    named = {s.name: s for s in density.free_symbols}

    def at(*point: Any) -> Any:
        return density.xreplace({named[n]: sympy.sympify(v) for n, v in zip("xyz", point, strict=True) if n in named})

    return at


def _is_exact(solid: Solid, given: Density) -> bool:
    """Whether the integrals are done with symbols: the solid has some, or the density at a point is an expression."""
    if any_symbolic(solid.measure, solid.centroid):
        return True
    try:
        return is_symbolic(given(*(float(v) for v in solid.centroid)))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise GeometryError(f"with_density: the density f(x, y, z) fails inside the solid: {error}") from None


# ---- exact -----------------------------------------------------------------------------------------------


def _exactly(solid: Solid, given: Density) -> MassProperties:
    charts = solid.symbolic_charts() if isinstance(solid, Limits) else solid.charts
    order = AXES[solid.axis]
    moments = dict.fromkeys([(), *((i,) for i in range(3)), *((i, j) for i in range(3) for j in range(i, 3))], 0)
    for region in map(region_of, charts):
        point = [region.point[k] for k in order]
        try:
            density = sympy.sympify(given(*point)) * region.jacobian
        except TypeError as error:
            raise GeometryError(
                f"with_density: the density does not take symbols ({error}); write it with SymPy's functions"
            ) from None
        for factors in moments:
            value = sympy.expand(density * sympy.prod(point[k] for k in factors))
            for k in reversed(range(len(region.variables))):
                value = integrate(value, region.variables[k], *region.limits[k])
            moments[factors] += value
    if any(sympy.sympify(v).has(sympy.Integral, sympy.nan, sympy.zoo) for v in moments.values()):
        raise GeometryError("with_density: no closed form was found for this density; substitute numbers")
    short: dict[tuple[int, ...], Any] = {factors: sympy.factor(sympy.sympify(v)) for factors, v in moments.items()}
    mass = short[()]
    if mass == 0:
        raise GeometryError("with_density: the density integrates to no mass, so there is no centre")
    com = np.array([sympy.factor(short[(k,)] / mass) for k in range(3)], dtype=object)
    second = np.array([[short[(min(i, j), max(i, j))] for j in range(3)] for i in range(3)], dtype=object)
    first = np.array([short[(k,)] for k in range(3)], dtype=object)
    each: Any = np.frompyfunc(sympy.factor, 1, 1)
    central = each(tensor_of(second - np.outer(first, com)))
    if any(getattr(v, "free_symbols", ()) for v in (mass, *central.ravel())):
        return MassProperties.trusted(mass, com, central, Moments(mass, first, second))
    if not all(sympy.sympify(v).is_real for v in (mass, *com, *central.ravel())):
        raise GeometryError("with_density: the density is not real everywhere in the solid")
    return MassProperties(float(mass), com.astype(float), central.astype(float))


# ---- numbers ---------------------------------------------------------------------------------------------


def _by_quadrature(solid: Solid, given: Density) -> MassProperties:
    """Rules of rising order, until two agree."""
    centre = solid.centroid.astype(float)
    size = math.sqrt(float(np.trace(solid.gyration.astype(float))))
    found: list[MassProperties] = []
    for rule in (n for n in ORDERS if len(solid.charts) * n**3 <= MOST_SAMPLES):
        found.append(_gauss(solid, given, centre, rule))
        if len(found) > 1 and _difference(found[-2], found[-1], size) <= AGREED:
            return found[-1]
    reached = min((_difference(a, b, size) for a, b in pairwise(found)), default=1.0)
    raise GeometryError(
        f"with_density: rules of integration agree to {reached:.1g} only, {AGREED:g} is asked for; is the density "
        "smooth? Cut the solid where it jumps or bends, and add the pieces"
    )


def _gauss(solid: Solid, given: Density, centre: np.ndarray, rule: int) -> MassProperties:
    nodes, weights = np.polynomial.legendre.leggauss(rule)
    order = list(AXES[solid.axis])
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for chart in solid.charts:
        points, shares = [], []
        for values, weight in samples(chart, nodes, weights):
            points.append(chart.point(*values))
            shares.append(weight * chart.sign * chart.jacobian(*values))
        r = np.array(points, dtype=float)[:, order]
        dm = np.array(shares, dtype=float) * _densities(given, r)
        d = r - centre
        mass, first, second = mass + dm.sum(), first + dm @ d, second + d.T @ (dm[:, None] * d)
    if mass <= 0:
        raise GeometryError(f"with_density: the density integrates to {mass:g} kg; expected a mass > 0")
    com = first / mass
    return MassProperties.trusted(float(mass), centre + com, tensor_of(second - mass * np.outer(com, com)))


def _densities(given: Density, points: np.ndarray) -> np.ndarray:
    try:
        values = np.array([float(given(*p)) for p in points.tolist()])
    except (TypeError, ValueError, ArithmeticError) as error:
        raise GeometryError(f"with_density: the density f(x, y, z) fails inside the solid: {error}") from None
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        where = ", ".join(f"{v:g}" for v in points[bad][0])
        raise GeometryError(f"with_density: the density at ({where}) m is {values[bad][0]:g} kg/m³; expected ≥ 0")
    return values


def _difference(a: MassProperties, b: MassProperties, size: float) -> float:
    """The largest difference, beside the mass and the size of the solid."""
    centre, tensor = np.abs(a.com - b.com).max() * b.mass / size, np.abs(a.inertia - b.inertia).max() / size**2
    return max(abs(a.mass - b.mass), centre, tensor) / b.mass
