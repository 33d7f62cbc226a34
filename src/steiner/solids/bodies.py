"""Bodies of a composition, one by one: what is known of them and how their lines are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
import sympy

from steiner.inertia import MassProperties
from steiner.scalar import is_number, is_symbolic
from steiner.solids.base import Solid
from steiner.solids.compound import Compound
from steiner.solids.derive import LETTERS
from steiner.solids.sweeps import is_full
from steiner.solids.terms import Name, Value
from steiner.solids.working import Line, line
from steiner.spatial import IDENTITY, Pose
from steiner.text.steps import Derivation, Equation, Step
from steiner.text.tables import Table, settled, shown

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

    def pieces(self) -> list[str]:
        """As there."""
        return self.line.pieces()

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

    def finished(self, title: str, result: Any, summary: Table | None = None) -> Derivation:
        """All of it."""
        return Derivation(title, tuple(self.steps), result, self.known, summary)


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


def is_nothing(values: Any, beside: Any = 1.0) -> bool:
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


def work_given(ledger: Ledger, piece: Piece, body: MassProperties) -> Body:
    """A body that is known."""
    m, c, I = (ledger.name(letter, piece.label) for letter in "mcI")
    lines = (line(m, body.mass), line(c, body.com), line(I, body.inertia))
    ledger.step(f"**{titled(piece)}, step 1**: its mass, centre and central tensor as given.", lines)
    values = ledger.define(m, body.mass), ledger.define(c, body.com), ledger.define(I, body.inertia)
    return Body(*values, m, c, I)


def work_shape(ledger: Ledger, piece: Piece, solid: Solid) -> Body:
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
    told = f"**{titled(piece)}, step 1**: {_article(kind)}" + (f" with {', '.join(listed)}" if listed else "")
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


def titled(piece: Piece) -> str:
    """Its name as a heading begins."""
    return piece.name[0].upper() + piece.name[1:] if piece.name.startswith("piece ") else piece.name


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
