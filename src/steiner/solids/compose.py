"""Derivations of what is composed: solids placed, joined and cut, elements of parts, links of elements.

The decks' steps 1 to 3 and the paper's eqs 38-46: of each body the formula of the table (or its integrals), turned
by I′ = R I Rᵀ, shifted by Huygens and Steiner, summed.  Letters come first, then the numbers in them; an
expression that grows long is known by its name from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
import sympy

from steiner.errors import GeometryError
from steiner.inertia import MassProperties, steiner_term
from steiner.scalar import is_number, is_symbolic
from steiner.solids.base import Solid, exact, exact_pose
from steiner.solids.compound import Compound, Placed
from steiner.solids.derive import LETTERS
from steiner.solids.sweeps import is_full
from steiner.solids.working import (
    Inner, Line, Name, Outer, Product, Quotient, Sum, Term, Transposed, Value, line, resolved,
)  # fmt: skip
from steiner.spatial import IDENTITY, Pose
from steiner.text.steps import Derivation, Equation, Step, quoted
from steiner.text.tables import settled, shown

Derive = Callable[[Solid], Derivation]
LONG = 6  # operations that are still written out in an entry
UNITS = "Lengths in m, masses in kg, tensors in kg m²."
RESERVED = frozenset("VAmcIRpsdTJk")  # letters of what is derived; a dimension of that letter gets an index
MEASURES = {3: ("V", "rho", "m³", "kg/m³"), 2: ("A", "sigma", "m²", "kg/m²"), 1: ("l", "lamda", "m", "kg/m")}


class Piece(NamedTuple):
    """One body of a composition: what it is, where it is and how it counts."""

    what: Solid | MassProperties | Sequence[Piece]
    label: str  # index of its letters
    name: str  # in headings
    pose: Pose = IDENTITY
    sign: int = 1  # −1: cut out
    density: Any = None  # per volume, area or length of the solid
    mass: Any = None  # stated; of several pieces: what the scale said
    is_element: bool = False  # has a frame of its own that is spoken of (eq. 38)


class Body(NamedTuple):
    """What is known of a body in its own frame, as the next lines write it."""

    mass: Any
    com: np.ndarray
    inertia: np.ndarray
    m: Name
    c: Name
    I: Name


@final
@dataclass(frozen=True, eq=False)
class Scoped:
    """A line of another derivation: its names mean what they mean there."""

    line: Equation
    known: Mapping[str, Any]

    def latex(self) -> str:
        """As there."""
        return self.line.latex()

    def mathml(self) -> str:
        """As there."""
        return self.line.mathml()

    def values(self, known: Mapping[str, Any]) -> list[Any]:
        """With what is known there."""
        return self.line.values(self.known)


def inlined(derivation: Derivation) -> list[Step]:
    """The steps of another derivation, to stand in this one."""
    return [
        (heading, [e if isinstance(e, str) else Scoped(e, derivation.known) for e in equations])
        for heading, equations in derivation.steps
    ]


# ---- what is known so far ------------------------------------------------------------------------------


@dataclass(eq=False)
class Ledger:
    """Steps so far, and what their names stand for."""

    derive: Derive
    taken: frozenset[str]  # names of the user's own symbols
    steps: list[Step] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)

    def name(self, letter: str, label: str = "") -> Name:
        """A name that no symbol of the user has."""
        found = Name(letter, label)
        while found.key in self.taken:
            found = replace(found, index=f"{found.index},o".lstrip(","))
        return found

    def define(self, name: Name, value: Any) -> Any:
        """What the next lines write for it: its value, or its name where the value is long (a mass: no mere number)."""
        self.known[name.key] = value
        if not np.ndim(value):
            return self._brief(name.key, value, 0)
        matrix = np.ndim(value) == 2
        result = np.array(value, dtype=object)
        for at in np.ndindex(result.shape):
            i, j = min(at), max(at)  # tensors are symmetric: one name for both
            index = ("xyz"[i] + "xyz"[j]) if matrix else "xyz"[i]
            result[at] = self._brief(f"{name.key}{',' if name.index else '_'}{index}", result[at])
        return result

    def _brief(self, key: str, value: Any, longest: int = LONG) -> Any:
        if not is_symbolic(value) or value.count_ops() <= longest or value.as_coeff_Mul()[1].is_Atom:
            return value
        self.known[key] = value
        return sympy.Symbol(key, real=True)

    def step(self, heading: str, lines: Iterable[Line]) -> None:
        """One more."""
        self.steps.append((heading, tuple(lines)))

    def finished(self, title: str, result: Any) -> Derivation:
        """All of it."""
        return Derivation(title, tuple(self.steps), result, self.known)


def tidy(values: Any) -> Any:
    """Expressions simplified while they are short; numbers as they are."""
    return np.frompyfunc(_tidy, 1, 1)(values) if np.ndim(values) else _tidy(values)


def _tidy(value: Any) -> Any:
    if not is_symbolic(value):
        return value
    if value.atoms(sympy.Float):
        return sympy.expand(value)
    return _shortest(value)


@lru_cache(maxsize=1024)
def _shortest(value: Any) -> Any:
    if value.count_ops() > 100:
        return sympy.factor_terms(value)
    found = (value, sympy.simplify(value) if value.has(sympy.sin, sympy.cos) else sympy.factor(value))
    return min(found, key=lambda e: e.count_ops())


def _is_nothing(values: Any, beside: Any = 1.0) -> bool:
    """Whether all entries are zero, round-off beside others aside."""
    return not any(v != 0 for v in settled(np.asarray(values, dtype=object), beside).ravel())


def symbols_of(*values: Any) -> frozenset[str]:
    """Names of all symbols in numbers, arrays, poses, bodies, solids and pieces."""
    found: set[str] = set()
    stack: list[Any] = list(values)
    while stack:
        value = stack.pop()
        if is_symbolic(value):
            found |= {s.name for s in value.free_symbols}
        elif isinstance(value, np.ndarray):
            stack += value.ravel().tolist() if value.dtype == object else []
        elif isinstance(value, Pose):
            stack += [value.R, value.p]
        elif isinstance(value, MassProperties):
            stack += [value.mass, value.com, value.inertia]
        elif isinstance(value, Compound):
            stack += [value.first, value.second]
        elif isinstance(value, Solid):
            stack += [getattr(value, f.name) for f in fields(value)]  # type: ignore[arg-type]
        elif isinstance(value, tuple | list):
            stack += value
    return frozenset(found)


# ---- one body --------------------------------------------------------------------------------------------


def work(ledger: Ledger, piece: Piece) -> Body:
    """Mass, centre and central tensor of a piece in its own frame, each line of the way written."""
    if isinstance(piece.what, MassProperties):
        return _given(ledger, piece, piece.what)
    if isinstance(piece.what, Compound):
        pieces = pieces_of(piece.what, piece.label, piece.density, piece.mass)
        return work_sum(ledger, piece._replace(what=pieces))
    if isinstance(piece.what, Solid):
        return _shape(ledger, piece, piece.what)
    return work_sum(ledger, piece)


def _given(ledger: Ledger, piece: Piece, body: MassProperties) -> Body:
    m, c, I = (ledger.name(letter, piece.label) for letter in "mcI")
    lines = (line(m, body.mass), line(c, body.com), line(I, body.inertia))
    ledger.step(f"**{_titled(piece)}, step 1**: its mass, centre and central tensor as given.", lines)
    values = ledger.define(m, body.mass), ledger.define(c, body.com), ledger.define(I, body.inertia)
    return Body(*values, m, c, I)


def _shape(ledger: Ledger, piece: Piece, solid: Solid) -> Body:
    """A shape: the formula of the table in letters, and the numbers in it; or its integrals, if it has no formula."""
    kind, numbers = type(solid).__name__, {n: v for n, v in solid.parameters.items() if is_number(v)}
    numbers = {n: v for n, v in numbers.items() if not (n == "angle" and is_full(v))}
    is_table = all(is_number(v) or is_symbolic(v) for v in solid.parameters.values())
    letters: dict[str, Any] = {}
    listed = []
    for n, v in numbers.items() if is_table else ():
        letter = LETTERS.get(n, n)
        name = ledger.name(letter, f"{piece.label},o".lstrip(",") if letter in RESERVED else piece.label)
        letters[n] = sympy.Symbol(name.key, positive=True)
        ledger.known[name.key] = v
        listed.append(f"${name.latex()} = {shown(v)}$ {'rad' if n == 'angle' else 'm'}")
    told = f"**{_titled(piece)}, step 1**: {_article(kind)}" + (f" with {', '.join(listed)}" if listed else "")
    if not is_table:
        ledger.steps.append((f"{told}. Its integrals:", ()))
        ledger.steps += inlined(ledger.derive(solid))
    in_letters = replace(solid, **letters) if letters else solid  # type: ignore[type-var]
    lines, mass, unit = _matter(ledger, piece, solid, in_letters)
    m, c, I = (ledger.name(letter, piece.label) for letter in "mcI")
    body = solid.with_mass(mass)
    lines.append(line(c, in_letters.centroid, body.com))
    written = in_letters.with_mass(sympy.Symbol(m.key, positive=True)) if is_table else body
    own = body.inertia if letters or not is_table else tidy(written.inertia)
    lines.append(line(I, tidy(written.inertia), own))
    told = f"{told}{unit}. The table of shapes:" if is_table else f"From these{unit}:"
    ledger.step(told, lines)
    return Body(mass, ledger.define(c, body.com), ledger.define(I, own), m, c, I)


def _matter(ledger: Ledger, piece: Piece, solid: Solid, in_letters: Solid) -> tuple[list[Line], Any, str]:
    """How heavy a shape is: by its density and size, or as stated."""
    m = ledger.name("m", piece.label)
    if piece.mass is not None:
        lines = [] if is_symbolic(piece.mass) and str(piece.mass) == m.key else [line(m, piece.mass)]
        return lines, ledger.define(m, piece.mass), "; its mass is stated"
    size, rho, _, unit = MEASURES[solid.dimension]
    V, density = ledger.name(size, piece.label), ledger.name(rho, piece.label)
    measure = tidy(solid.measure)
    lines = [line(V, tidy(in_letters.measure), measure)]
    ledger.known[V.key] = measure
    mass = tidy(piece.density * measure)
    if is_number(piece.density):
        ledger.known[density.key] = piece.density
        lines.append(line(m, density * V, Value(piece.density) * Value(measure), mass))
        told = f"; ${density.latex()} = {shown(piece.density)}$ {unit}"
    else:
        lines.append(line(m, Value(piece.density) * V, mass))
        told = ""
    return lines, ledger.define(m, mass), told


def _titled(piece: Piece) -> str:
    return piece.name[0].upper() + piece.name[1:] if piece.name.startswith("piece ") else piece.name


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


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
    at_rest = _is_nothing(pose.R - np.eye(3, dtype=int))
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
        ledger.step(f"**{_titled(piece)}, step 2**: rotation into the axes of {whole}, still about its own centre.", lines)
        inertia, I = ledger.define(turned, inertia), turned
        seen, centre = Product((R, c)), tidy(pose.R @ body.com)
    ledger.known[p.key] = pose.p
    centre = tidy(centre + pose.p)
    ledger.known[s.key] = centre
    return Moved(piece, body.mass, body.m, centre, s, inertia, I, seen, _is_nothing(body.com))


def _has_symbols(body: Body, pose: Pose) -> bool:
    return any(is_symbolic(v) for a in (body.com, body.inertia, pose.R, pose.p) for v in np.ravel(a))


def _merged(ledger: Ledger, whole: Piece, moved: Sequence[Moved]) -> tuple[Any, Any]:
    """The masses and the centre of the whole (eqs 3 and 5)."""
    m, c = ledger.name("m", whole.label), ledger.name("c", whole.label)
    lines = []
    is_centred = all(_is_nothing(b.centre) for b in moved)
    for b in () if is_centred else moved:
        p = ledger.name("p", b.piece.label)
        terms = [] if b.is_centred else [b.seen]
        if not _is_nothing(b.piece.pose.p):
            lines += [] if b.is_centred else [line(p, b.piece.pose.p)]
            terms.append(p)
        lines.append(line(b.s, _sum([1] * len(terms), terms) if terms else b.seen, b.centre))
    signs = [b.piece.sign for b in moved]
    mass = tidy(_total(signs, [b.mass for b in moved]))
    lines.append(line(m, _sum(signs, [b.m for b in moved]), _sum(signs, [Value(b.mass) for b in moved]), mass))
    brief = ledger.define(m, mass)
    if _is_nothing(mass):
        raise GeometryError(f"the derivation of {whole.name}: its mass is 0, so it has no centre")
    centre = tidy(_total(signs, [b.mass * b.centre for b in moved]) / (brief if is_symbolic(mass) else mass))
    weighted = [] if is_centred else [Quotient(_sum(signs, [b.m * b.s for b in moved]), m)]
    lines.append(line(c, *weighted, centre))
    told = "; every centre is at the origin" if is_centred else ", in its own frame"
    ledger.step(f"**{_titled(whole)}**: mass and centre{told}.", lines)
    return brief, ledger.define(c, centre)


def _summed(ledger: Ledger, whole: Piece, moved: Sequence[Moved], centre: Any) -> Any:
    """Steps 2 and 3: each body shifted to the common centre (eq. 43), and the sum (eqs 44-46)."""
    I = ledger.name("I", whole.label)
    signs = [b.piece.sign for b in moved]
    shifted: list[Term] = []
    values = []
    for b in moved:
        apart = tidy(b.centre - centre)
        if _is_nothing(apart, b.centre):
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
    heading = f"**{_titled(whole)}**: central tensor, the sum."
    if len(moved) > 1 and shifted == [b.I for b in moved]:
        heading = f"**{_titled(whole)}**: central tensor, the sum; all centres coincide, so nothing is shifted."
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
    heading = f"**{_titled(b.piece)}, step 3**: shift to the centre of {whole.name} (Huygens-Steiner)."
    ledger.step(heading, lines)
    return I, ledger.define(I, value)


def _weighed(ledger: Ledger, whole: Piece, body: Body) -> Body:
    """The scale wins: mass and tensor times what it said over what was summed."""
    k, m, I = ledger.name("k", whole.label), replace(body.m, mark="w"), replace(body.I, mark="w")
    factor = tidy(whole.mass / body.mass)
    inertia = tidy(factor * body.inertia)
    ledger.known |= {k.key: factor, m.key: whole.mass}
    lines = (line(m, whole.mass), line(k, Quotient(m, body.m), factor), line(I, k * body.I, inertia))
    ledger.step(f"**{_titled(whole)}** on the scale: the centre is kept, the tensor rescaled.", lines)
    return Body(whole.mass, body.com, ledger.define(I, inertia), m, body.c, I)


def _about_its_frame(ledger: Ledger, whole: Piece, body: Body) -> None:
    """The tensor of an element about the origin of its own frame, eq. 38."""
    m, c, I = body.m, body.c, body.I
    if _is_nothing(body.com):
        return
    about = replace(I, about="0")
    value = tidy(body.inertia + steiner_term(body.mass, body.com))
    ledger.known[about.key] = value
    sides = line(about, I + m * (Inner(c) - Outer(c)), value)
    ledger.step(f"**{_titled(whole)}**: tensor about the origin of its own frame.", (sides,))


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
    moved = b.seen if _is_nothing(piece.pose.p) else b.seen + p
    lines = [line(p, piece.pose.p), line(s, moved, b.centre)]
    if not _is_nothing(b.centre):
        short = ledger.define(s, b.centre)
        value = tidy(b.inertia + steiner_term(b.mass, short))
        ledger.known[about.key] = value
        lines += [line(about, b.I + b.m * (Inner(s) - Outer(s))), line(about, value)]
    ledger.step("**Step 3**: where its centre comes to lie, and the tensor about the origin there (Huygens-Steiner).", lines)
