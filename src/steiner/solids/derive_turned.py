"""The derivation of limits of integration that were turned: corners, limits, and both ways to the tensor (paper §6).

Eqs 22-26: the old limits with the coordinates of the new frame in the integrand; eqs 55-57: the new limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from steiner.solids.derive import MOMENTS, PRODUCTS, Region, matrix_of, region_of, shorter
from steiner.solids.exactness import exact_pose
from steiner.solids.limits import Limits
from steiner.solids.terms import Integral, Name, Product, Sum, Term, Value
from steiner.solids.turned import corners_of, in_sines_and_cosines
from steiner.solids.working import Line, line
from steiner.text.steps import Derivation, Step

FEW = 4  # pieces that are written out in every integral


def derive_turned(limits: Any) -> Derivation:
    """See `Limits.turned`."""
    before, pose = limits.before
    frame = exact_pose(pose)
    rho = sympy.Symbol("rho", positive=True)
    known: dict[str, Any] = {"A": frame.R, "p": frame.p}
    old = [region_of(c) for c in before.symbolic_charts()]
    new = [_primed(region_of(c)) for c in limits.symbolic_charts()]
    own = np.array(sympy.symbols("x y z", real=True), dtype=object)
    carried = frame.apply(own)
    known["r_m"] = carried
    shift = any(v != 0 for v in frame.p)

    def applied(point: Any) -> Term:
        turned = Product((Name("A"), Value(point)))
        return turned + Name("p") if shift else turned

    steps: list[Step] = [
        (
            "The region in its own frame, and in the frame that it is carried to. Rotation $A$, and the coordinates "
            "$x', y', z'$ of a point there by those of its own frame:",
            [line(Name("A"), frame.R), *([line(Name("p"), frame.p)] if shift else []),
             line(Name("r", "m"), applied(own), carried)],
        ),
        ("**Corners**, carried along:", _corners(before, frame, applied, known)),
    ]  # fmt: skip
    volume = _tidy(_over(old, lambda *r: sympy.Integer(1), sympy.Integer(1)))
    known["V"] = volume
    steps.append(("**Volume**, in the old limits:", [_line(Name("V"), old, lambda *r: sympy.Integer(1), 1, volume)]))
    count = "one piece" if len(new) == 1 else f"{len(new)} pieces"
    steps.append((
        f"**Volume, in the new limits**: {count}; integrals are signed, limits that run backwards count negative.",
        _pieces(new, known),
    ))  # fmt: skip
    steps += _tensor(old, new, carried, own, rho, known)
    m = sympy.Symbol("m", positive=True)
    return Derivation("Limits of integration in a turned frame", tuple(steps), limits.with_mass(m), known)


def _primed(region: Region) -> Region:
    """The region with x′, y′, z′ for its variables: those of the new frame."""
    primed = {v: sympy.Symbol(f"{v}'", real=True) for v in region.variables}

    def put(value: Any) -> Any:
        return sympy.sympify(value).xreplace(primed)

    limits = tuple((put(low), put(high)) for low, high in region.limits)
    x, y, z = map(put, region.point)
    return Region(tuple(primed.values()), limits, (x, y, z), put(region.jacobian))


def _tidy(value: Any) -> Any:
    exact = sympy.sympify(value)
    return sympy.expand(exact) if exact.atoms(sympy.Float) else in_sines_and_cosines(exact)


def _corners(before: Limits, frame: Any, applied: Any, known: dict[str, Any]) -> list[Line]:
    lines = []
    for k, corner in enumerate(corners_of(before)):
        name = Name("P", str(k + 1))
        known[name.key] = np.frompyfunc(_tidy, 1, 1)(frame.apply(corner))
        lines.append(line(name, applied(corner), known[name.key]))
    return lines


def _terms(regions: Sequence[Region], integrand: Any, rho: Any) -> list[Integral]:
    """One triple integral for each region."""
    found = []
    for region in regions:
        bounds = zip(region.variables, region.limits, strict=True)
        found.append(Integral(rho * integrand(*region.point) * region.jacobian,
                              tuple((v, low, high) for v, (low, high) in bounds)))  # fmt: skip
    return found


def _over(regions: Sequence[Region], integrand: Any, rho: Any) -> Any:
    return sum(term.value({}) for term in _terms(regions, integrand, rho))


def _line(label: Name, regions: Sequence[Region], integrand: Any, rho: Any, value: Any) -> Line:
    terms = _terms(regions, integrand, rho)
    return line(label, terms[0] if len(terms) == 1 else Sum(tuple((1, t) for t in terms)), value)


def _pieces(new: Sequence[Region], known: dict[str, Any]) -> list[Line]:
    lines, names = [], []
    for k, region in enumerate(new):
        name = Name("V", str(k + 1))
        known[name.key] = _tidy(_over([region], lambda *r: sympy.Integer(1), sympy.Integer(1)))
        lines.append(_line(name, [region], lambda *r: sympy.Integer(1), 1, known[name.key]))
        names.append(name)
    return [*lines, line(Name("V"), Sum(tuple((1, n) for n in names)), known["V"])]


def _tensor(old: Any, new: Any, carried: Any, own: Any, rho: Any, known: dict[str, Any]) -> list[Step]:
    """Both ways to each moment and product about the origin of the new frame."""
    by_old, by_new, entries = [], [], {}
    for entry, integrand in (MOMENTS | PRODUCTS).items():
        def seen(*point: Any, of: Any = integrand) -> Any:
            at = dict(zip(own, point, strict=True))
            return shorter(sympy.expand(of(*(sympy.sympify(v).xreplace(at) for v in carried))))

        label = Name("I", entry)
        entries[entry] = known[label.key] = _tidy(_over(old, seen, rho))
        by_old.append(_line(label, old, seen, rho, entries[entry]))
        if len(new) <= FEW:
            by_new.append(_line(label, new, integrand, rho, entries[entry]))
    known["A:I"] = np.array(matrix_of(entries).tolist(), dtype=object)
    steps: list[Step] = [(
        "**Moments and products about the new axes, in the old limits**: the integrand has the coordinates of the new "
        "frame, written with those of the old (eqs 22-26).", by_old,
    )]  # fmt: skip
    if by_new:
        steps.append(("**The same in the new limits**, with the integrand as it is (eqs 55-57).", by_new))
    written = np.array(matrix_of({entry: sympy.Symbol(f"I_{entry}") for entry in entries}).tolist(), dtype=object)
    tensor = [line(Name("I", about="A"), written), line(Name("I", about="A"), known["A:I"])]
    steps.append(("**Tensor about the origin of the new frame.**", tensor))
    return steps
