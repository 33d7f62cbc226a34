"""Derivations of what is composed: solids placed, joined and cut, elements of parts, links of elements.

The decks' steps 1 to 3 and the paper's eqs 38-46: of each body the formula of the table (or its integrals), turned
by I′ = R I Rᵀ, shifted by Huygens and Steiner, summed.  Letters come first, then the numbers in them; an
expression that grows long is known by its name from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy

from steiner.errors import GeometryError
from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.scalar import is_symbolic
from steiner.solids.base import Solid
from steiner.solids.bodies import (
    MEASURES,
    UNITS,
    Body,
    Derive,
    Ledger,
    Piece,
    inlined,
    is_nothing,
    symbols_of,
    tidy,
    titled,
    work_given,
    work_shape,
)  # fmt: skip
from steiner.solids.compound import Compound, Placed
from steiner.solids.exactness import exact, exact_pose
from steiner.solids.terms import Inner, Name, Outer, Product, Quotient, Sum, Term, Transposed, Value
from steiner.solids.working import line
from steiner.spatial import IDENTITY, Pose
from steiner.text.steps import Derivation


def work(ledger: Ledger, piece: Piece) -> Body:
    """Mass, centre and central tensor of a piece in its own frame, each line of the way written."""
    if isinstance(piece.what, MassProperties):
        return work_given(ledger, piece, piece.what)
    if isinstance(piece.what, Compound):
        pieces = pieces_of(piece.what, piece.label, piece.density, piece.mass)
        return work_sum(ledger, piece._replace(what=pieces))
    if isinstance(piece.what, Solid):
        return work_shape(ledger, piece, piece.what)
    return work_sum(ledger, piece)


# ---- several bodies ----------------------------------------------------------------------------------------


class Moved(NamedTuple):
    """A body carried into the frame of the whole."""

    piece: Piece
    mass: Any
    m: Name
    centre: Any  # s, in the frame of the whole
    s: Name
    inertia: Any  # I′, along the axes of the whole
    I: Name
    seen: Term  # R c, or c where nothing is turned
    is_centred: bool  # c = 0


def work_sum(ledger: Ledger, whole: Piece) -> Body:
    """All pieces of a composition as one body."""
    pieces: Sequence[Piece] = whole.what  # type: ignore[assignment]
    moved = [_turned(ledger, piece, work(ledger, piece), whole.name) for piece in pieces]
    m, c, I = (ledger.name(letter, whole.label) for letter in "mcI")
    mass, centre = _merged(ledger, whole, moved)
    result = Body(mass, centre, _summed(ledger, whole, moved, centre), m, c, I)
    if whole.mass is not None:
        result = _weighed(ledger, whole, result)
    if whole.is_element:
        _about_its_frame(ledger, whole, result)
    return result


def _turned(ledger: Ledger, piece: Piece, body: Body, whole: str) -> Moved:
    """Step 2: into the axes of the whole, I′ = R I Rᵀ."""
    pose = exact_pose(piece.pose) if _has_symbols(body, piece.pose) else piece.pose
    c, I, s = body.c, body.I, ledger.name("s", piece.label)
    at_rest = is_nothing(pose.R - np.eye(3, dtype=int))
    R, p = ledger.name("R", piece.label), ledger.name("p", piece.label)
    seen: Term = c
    inertia, centre = body.inertia, body.com
    if not at_rest:
        ledger.known[R.key] = pose.R
        turned = ledger.name("I'", piece.label)
        inertia = tidy(pose.R @ body.inertia @ pose.R.T)
        lines = [
            line(R, pose.R),
            line(turned, Product((R, I, Transposed(R))),
                 Product((Value(pose.R), Value(body.inertia), Transposed(Value(pose.R))))),
            line(turned, inertia),
        ]  # fmt: skip
        heading = f"**{titled(piece)}, step 2**: rotation into the axes of {whole}, still about its own centre."
        ledger.step(heading, lines)
        inertia, I = ledger.define(turned, inertia), turned
        seen, centre = Product((R, c)), tidy(pose.R @ body.com)
    ledger.known[p.key] = pose.p
    centre = tidy(centre + pose.p)
    ledger.known[s.key] = centre
    return Moved(piece, body.mass, body.m, centre, s, inertia, I, seen, is_nothing(body.com))


def _has_symbols(body: Body, pose: Pose) -> bool:
    return any(is_symbolic(v) for a in (body.com, body.inertia, pose.R, pose.p) for v in np.ravel(a))


def _merged(ledger: Ledger, whole: Piece, moved: Sequence[Moved]) -> tuple[Any, Any]:
    """The masses and the centre of the whole (eqs 3 and 5)."""
    m, c = ledger.name("m", whole.label), ledger.name("c", whole.label)
    lines = []
    is_centred = all(is_nothing(b.centre) for b in moved)
    for b in () if is_centred else moved:
        p = ledger.name("p", b.piece.label)
        terms = [] if b.is_centred else [b.seen]
        if not is_nothing(b.piece.pose.p):
            lines += [] if b.is_centred else [line(p, b.piece.pose.p)]
            terms.append(p)
        lines.append(line(b.s, _sum([1] * len(terms), terms) if terms else b.seen, b.centre))
    signs = [b.piece.sign for b in moved]
    mass = tidy(_total(signs, [b.mass for b in moved]))
    lines.append(line(m, _sum(signs, [b.m for b in moved]), _sum(signs, [Value(b.mass) for b in moved]), mass))
    brief = ledger.define(m, mass)
    if is_nothing(mass):
        raise GeometryError(f"the derivation of {whole.name}: its mass is 0, so it has no centre")
    centre = tidy(_total(signs, [b.mass * b.centre for b in moved]) / (brief if is_symbolic(mass) else mass))
    weighted = [] if is_centred else [Quotient(_sum(signs, [b.m * b.s for b in moved]), m)]
    lines.append(line(c, *weighted, centre))
    told = "; every centre is at the origin" if is_centred else ", in its own frame"
    ledger.step(f"**{titled(whole)}**: mass and centre{told}.", lines)
    return brief, ledger.define(c, centre)


def _summed(ledger: Ledger, whole: Piece, moved: Sequence[Moved], centre: Any) -> Any:
    """Steps 2 and 3: each body shifted to the common centre (eq. 43), and the sum (eqs 44-46)."""
    I = ledger.name("I", whole.label)
    signs = [b.piece.sign for b in moved]
    shifted: list[Term] = []
    values = []
    for b in moved:
        apart = tidy(b.centre - centre)
        if is_nothing(apart, b.centre):
            shifted.append(b.I)
            values.append(b.inertia)
            continue
        name, value = _shifted(ledger, whole, b, centre, apart)
        shifted.append(name)
        values.append(value)
    inertia = tidy(_total(signs, values))
    lines = [line(I, _sum(signs, shifted))]
    if len(moved) <= 3 and len(moved) > 1:
        lines.append(line(I, _sum(signs, [Value(v) for v in values])))
    lines.append(line(I, inertia))
    heading = f"**{titled(whole)}**: central tensor, the sum."
    if len(moved) > 1 and shifted == [b.I for b in moved]:
        heading = f"**{titled(whole)}**: central tensor, the sum; all centres coincide, so nothing is shifted."
    if len(lines) > 1 and lines[0].latex() == lines[-1].latex():
        lines = lines[:1]
    ledger.step(heading, lines)
    return ledger.define(I, inertia)


def _shifted(ledger: Ledger, whole: Piece, b: Moved, centre: Any, apart: Any) -> tuple[Name, Any]:
    """Huygens-Steiner: from the body's own centre to the common one."""
    label = b.piece.label
    d, T, I, c = (ledger.name(*n) for n in (("d", label), ("T", label), ("J", label), ("c", whole.label)))
    lines = []
    if b.piece.is_element and not b.is_centred:  # r_op = 0_p − S and d = R r_cp + r_op, eqs 40-43
        r = ledger.name("r", label)
        offset = tidy(b.piece.pose.p - centre)
        ledger.known[r.key] = offset
        lines += [line(r, ledger.name("p", label) - c, offset), line(d, b.seen + r, apart)]
    else:
        lines.append(line(d, b.s - c, apart))
    short = ledger.define(d, apart)
    term = tidy(steiner_term(b.mass, short))
    lines.append(line(T, b.m * (Inner(d) - Outer(d)), term))
    term = ledger.define(T, term)
    value = tidy(b.inertia + term)
    lines.append(line(I, b.I + T, value))
    heading = f"**{titled(b.piece)}, step 3**: shift to the centre of {whole.name} (Huygens-Steiner)."
    ledger.step(heading, lines)
    return I, ledger.define(I, value)


def _weighed(ledger: Ledger, whole: Piece, body: Body) -> Body:
    """The scale wins: mass and tensor times what it said over what was summed."""
    k, m, I = ledger.name("k", whole.label), replace(body.m, mark="w"), replace(body.I, mark="w")
    factor = tidy(whole.mass / body.mass)
    inertia = tidy(factor * body.inertia)
    ledger.known |= {k.key: factor, m.key: whole.mass}
    lines = (line(m, whole.mass), line(k, Quotient(m, body.m), factor), line(I, k * body.I, inertia))
    ledger.step(f"**{titled(whole)}** on the scale: the centre is kept, the tensor rescaled.", lines)
    return Body(whole.mass, body.com, ledger.define(I, inertia), m, body.c, I)


def _about_its_frame(ledger: Ledger, whole: Piece, body: Body) -> None:
    """The tensor of an element about the origin of its own frame, eq. 38."""
    m, c, I = body.m, body.c, body.I
    if is_nothing(body.com):
        return
    about = replace(I, about="0")
    value = tidy(body.inertia + steiner_term(body.mass, body.com))
    ledger.known[about.key] = value
    sides = line(about, I + m * (Inner(c) - Outer(c)), value)
    ledger.step(f"**{titled(whole)}**: tensor about the origin of its own frame.", (sides,))


def _total(signs: Sequence[int], values: Sequence[Any]) -> Any:
    result = signs[0] * values[0]
    for sign, value in zip(signs[1:], values[1:], strict=True):
        result = result + sign * value
    return result


def _sum(signs: Sequence[int], terms: Sequence[Term]) -> Term:
    if len(terms) == 1 and signs[0] > 0:
        return terms[0]
    return Sum(tuple(zip(signs, terms, strict=True)))


# ---- solids ----------------------------------------------------------------------------------------------


def pieces_of(solid: Compound, label: str, density: Any, mass: Any = None) -> list[Piece]:
    """The pieces of a joined or cut solid, numbered."""
    found = []
    if mass is not None:
        density = mass / solid.measure
    for k, (sign, piece) in enumerate(solid.pieces()):
        inner, pose = (piece.solid, piece.pose) if isinstance(piece, Placed) else (piece, IDENTITY)
        index = f"{label},{k + 1}".lstrip(",")
        name = f"piece {index}" + ", cut out" * (sign < 0)
        found.append(Piece(inner, index, name, pose, sign, density))
    return found


def derive_compound(solid: Any, derive: Derive) -> Derivation:
    """Joined and cut solids: each piece, its rotation, its shift, the sum."""
    rho = sympy.Symbol(MEASURES[solid.dimension][1].replace("lamda", "lambda"), positive=True)
    ledger = Ledger(derive, symbols_of(solid))
    ledger.steps.append((f"{UNITS} Homogeneous, density ${sympy.latex(rho)}$; what is cut out counts negative.", ()))
    work_sum(ledger, Piece(pieces_of(solid, "", rho), "", "the whole"))
    return ledger.finished("Composed solid: inertia tensor", _of_density(solid, rho))


def _of_density(solid: Solid, rho: Any) -> MassProperties:
    return solid.with_density(rho) if solid.dimension == 3 else solid.with_mass(rho * solid.measure)


def derive_placed(solid: Any, derive: Derive) -> Derivation:
    """A solid somewhere else: its own derivation, then its rotation and its shift."""
    own = derive(solid.solid)
    ledger = Ledger(derive, symbols_of(solid))
    ledger.steps += inlined(own)
    m = sympy.Symbol("m", positive=True)
    inner = Piece(solid.solid, "", "The solid", solid.pose, mass=m)
    if isinstance(solid.solid, Compound):
        body = solid.solid.with_mass(m)
        inner = inner._replace(what=MassProperties.trusted(m, exact(body.com), body.inertia))
    moved = _turned(ledger, inner, work(ledger, inner), "the frame it is placed in")
    _about_the_origin(ledger, inner, moved)
    return ledger.finished(f"{own.title}, placed", solid.with_mass(m))


def _about_the_origin(ledger: Ledger, piece: Piece, b: Moved) -> None:
    """Where the centre comes to lie, and the tensor about the origin there."""
    p, s = ledger.name("p"), b.s
    about = Name("I", about="0")
    moved = b.seen if is_nothing(piece.pose.p) else b.seen + p
    lines = [line(p, piece.pose.p), line(s, moved, b.centre)]
    if not is_nothing(b.centre):
        short = ledger.define(s, b.centre)
        value = tidy(b.inertia + steiner_term(b.mass, short))
        ledger.known[about.key] = value
        lines += [line(about, b.I + b.m * (Inner(s) - Outer(s))), line(about, value)]
    heading = "**Step 3**: where its centre comes to lie, and the tensor about the origin there (Huygens-Steiner)."
    ledger.step(heading, lines)
