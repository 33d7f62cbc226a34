"""`equations(robot)`: every term of the equations of motion, each computed when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Several
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from steiner import dynamics
from steiner.doors import door
from steiner.errors import SteinerError, is_one_of, need, several, unknown
from steiner.formulas.code import LANGUAGES, Names, Routine, ordered
from steiner.formulas.letters import lettered
from steiner.formulas.proof import Proof, at_points, base_parameters_in_use, by_identity
from steiner.formulas.sequence import Sequence
from steiner.formulas.terms import TERMS, UP_TO_A_CONSTANT, Terms, symbols_of, term, usual
from steiner.formulas.typeset import Typesetter
from steiner.formulas.writing import Atom, Sum, operations, sympy_of
from steiner.model.robot import Robot
from steiner.scalar import array
from steiner.text.document import Document
from steiner.text.names import terminal

SMALL = 3  # joints up to which formulas are written out
FORMATS = ("latex", "markdown", "html", "python", "c")


class Equations:
    """The equations of motion τ = M(q) q̈ + V(q, q̇) + G(q) + S(q) + F(q̇) of a robot, as formulas.

    Of arms with up to three joints the terms are SymPy objects, simplified as one would write them by hand; of
    larger ones they are `Sequence`s of named sub-expressions.  Coordinates are q1…qn, rates qd1…, accelerations qdd1….
    """

    def __init__(
        self,
        robot: Robot,
        *,
        q: Several[sympy.Symbol] | None = None,
        base_parameters: bool = False,
        symbols: bool = False,
        letters: Mapping[sympy.Symbol, Any] | None = None,
    ) -> None:
        if not isinstance(robot, Robot):
            raise SteinerError(f"equations: expected a Robot, got a {type(robot).__name__}")
        if robot.n == 0:
            raise SteinerError(f"{robot.name} has no moving joint, so it has no equations of motion")
        if symbols is not False:
            need("equations: symbols", symbols, bool)
        self.letters, self._as_in_the_decks = dict(letters or {}), symbols
        if symbols:
            twin = lettered(robot)
            robot, self.letters = twin.robot, twin.values
        self.robot, self.is_base = robot, base_parameters
        self.terms = Terms(robot, q, base=base_parameters)
        self.q, self.qd, self.qdd = self.terms.q, self.terms.qd, self.terms.qdd
        self._written: dict[str, np.ndarray] = {}
        self._sympy: dict[str, Any] = {}
        self._sequences: dict[str, Sequence] = {}

    @property
    def is_closed(self) -> bool:
        """Whether the terms are written out."""
        return self.robot.n <= SMALL

    @property
    def parameters(self) -> list[sympy.Symbol]:
        """The symbols that are neither coordinates nor rates, in the order of the links."""
        if self.is_base and not self.is_closed:
            return self._base_symbols()
        free = symbols_of(self.robot) if not self.is_base else set(self._base_symbols())
        return ordered(free, self.terms.ranks)

    def _base_symbols(self) -> list[Any]:
        if not self.is_closed:
            return self.sequence("tau").parameters
        used = {s for name in ("M", "G", "S", "F") for s in sympy.Array(self._sympy_term(name)).free_symbols}
        return [s for s in used if s not in self.q and s not in self.qd]

    @cached_property
    def base_parameters(self) -> dict[sympy.Symbol, sympy.Expr]:
        """What the names of the base-parameter form stand for: those that the equations hold."""
        if not self.is_base:
            raise SteinerError(
                "these equations are in the robot's own parameters; ask for equations(robot, base_parameters=True)"
            )
        used = set(self._base_symbols())
        decimal, write = self.terms.ring.decimal, self.terms.writer.sum
        return {s: sympy_of(write(value), decimal) for s, value in self.terms.base if s in used}

    # ---- terms -------------------------------------------------------------------------------

    M = property(lambda self: self._term("M"), doc="Mass matrix.")
    V = property(lambda self: self._term("V"), doc="Centrifugal and Coriolis efforts.")
    G = property(lambda self: self._term("G"), doc="Efforts against gravity.")
    S = property(lambda self: self._term("S"), doc="Efforts against springs.")
    F = property(lambda self: self._term("F"), doc="Efforts against friction.")
    tau = property(lambda self: self._term("tau"), doc="Joint efforts M q̈ + V + G + S + F.")
    christoffel = property(lambda self: self._term("christoffel"), doc="Christoffel symbols b_ijk.")
    centrifugal = property(lambda self: self._term("centrifugal"), doc="C(q), which multiplies q̇ⱼ².")
    coriolis = property(lambda self: self._term("coriolis"), doc="B(q), which multiplies q̇ⱼq̇ₖ, j < k.")
    coriolis_matrix = property(lambda self: self._term("coriolis_matrix"), doc="𝒞(q, q̇): Ṁ − 2𝒞 is skew-symmetric.")
    K = property(lambda self: self._term("K"), doc="Kinetic energy.")
    P = property(lambda self: self._term("P"), doc="Potential energy, that of gravity zero at the world's origin.")

    def _term(self, name: str) -> Any:
        return self._sympy_term(name) if self.is_closed else self.sequence(name)

    def sequence(self, name: str = "tau") -> Sequence:
        """A term as named sub-expressions from the tape, for arms of any size."""
        term(name)
        if name not in self._sequences:
            base = self._base_used if self.is_base else ()
            if self.is_base and name == "P":
                raise SteinerError(UP_TO_A_CONSTANT)
            rows = [self.q, self.qd, self.qdd]
            self._sequences[name] = Sequence(name, self.robot, rows, self.terms.ranks, base)
        return self._sequences[name]

    @cached_property
    def _base_used(self) -> list[sympy.Symbol]:
        """The base parameters that the efforts depend on."""
        used = base_parameters_in_use(self.robot)
        return [s for s, _ in self.terms.base if used is None or s in used]

    def expanded(self, name: str, *, anyway: bool = False) -> Any:
        """A term of a large arm written out; without anyway=True this only says how large it would be."""
        term(name)
        if not self.is_closed and not anyway:
            size = self.sequence(name)
            raise SteinerError(
                f"{name} of {self.robot.name} has {size.operations:,} operations with names and {size.forecast:,} "
                f"without; to have it written out nevertheless call expanded({name!r}, anyway=True)"
            )
        return self._sympy_term(name)

    def jacobian(self, link: str | None = None, frame: str = "space", point: Any = None) -> sympy.ImmutableMatrix:
        """6×n Jacobian of a link, angular rows first; frame and point as in `robot.jacobian`."""
        extra = {}
        if point is not None:
            lifted = [self.terms.ring.lift(x) for x in array(point, (3,), "point")]
            extra["point"] = np.array(lifted, dtype=object)
        J = self.terms.run(dynamics.jacobian, self.terms.at, link=link, frame=frame, **extra)
        return self._matrix(np.vectorize(self.terms.writer.sum, otypes=[object])(J))

    @cached_property
    def jacobians(self) -> dict[str, tuple[sympy.ImmutableMatrix, sympy.ImmutableMatrix]]:
        """(Jω, Jv) of every moving link's centre of mass, along the world's axes (E2)."""
        result = {}
        for link in self.robot.links:
            if self.robot.places[link.name].body >= 0:
                J = self.jacobian(link.name, "aligned", link.body.com)
                result[link.name] = (J[:3, :], J[3:, :])
        return result

    def written(self, name: str) -> np.ndarray:
        """The formulas of a term in the order of writing."""
        term(name)
        if name not in self._written:
            w, t = self.terms.writer, self.terms
            if name == "tau":
                w.beside([*t.M.ravel(), *t.G])
                inertial = t.M @ t.acceleration
                moving = zip(inertial, t.V, strict=True)
                others = zip(t.G, t.S, t.F, strict=True)
                sums = [
                    (*(x for part in a for x in w.by_rates(part).terms), *(x for part in b for x in w.sum(part).terms))
                    for a, b in zip(moving, others, strict=True)
                ]
                array = np.zeros(len(sums), dtype=object)
                array[:] = [_wrap(Sum(s)) for s in sums]
            else:
                write = w.by_rates if TERMS[name].by_rates else w.sum
                values = np.asarray(getattr(t, name), dtype=object)
                w.beside(values.ravel())
                array = np.zeros(values.shape, dtype=object)
                for at in np.ndindex(*values.shape):
                    array[at] = _wrap(write(values[at]))
            self._written[name] = array
        return self._written[name]

    def _sympy_term(self, name: str) -> Any:
        if name not in self._sympy:
            self._sympy[name] = self._matrix(np.vectorize(lambda c: c.sum, otypes=[object])(self.written(name)))
        return self._sympy[name]

    def _matrix(self, sums: np.ndarray) -> Any:
        values = [sympy_of(s, self.terms.ring.decimal) for s in sums.ravel()]
        if sums.ndim == 0:
            return values[0]
        if sums.ndim > 2:
            return sympy.ImmutableDenseNDimArray(values, sums.shape)
        return sympy.ImmutableMatrix(len(sums), sums.shape[1] if sums.ndim == 2 else 1, values)

    @cached_property
    def proof(self) -> Proof:
        """Newton-Euler = Lagrange = M q̈ + V + G (+ S): an identity for small arms, exact points for large ones."""
        return by_identity(Terms(self.robot, self.q)) if self.is_closed else at_points(self.robot)

    @property
    def operations(self) -> dict[str, int]:
        """Operations of M, V, G and tau as written, or of their sequences."""
        if not self.is_closed:
            return {name: self.sequence(name).operations for name in ("M", "V", "G", "tau")}
        return {name: sum(operations(c.sum) for c in self.written(name).ravel()) for name in ("M", "V", "G", "tau")}

    # ---- on paper ----------------------------------------------------------------------------

    @cached_property
    def typesetter(self) -> Typesetter:
        """Makes boxes of formulas."""
        return Typesetter(self.terms, as_in_the_decks=self._as_in_the_decks)

    @door
    def document(self, *names: str, proof: bool = True) -> Document:
        """The terms as a document; the usual ones if none is named."""
        ...

    def latex(self, *names: str, standalone: bool = False) -> str:
        """The terms as LaTeX (needs amsmath): formulas alone if terms are named, with words if not.

        standalone=True gives a document that compiles.
        """
        document = self.document(*names, proof=standalone)
        if names and not standalone:
            return "\n".join(rf"\[ {formula} \]" for formula in document.formulas())
        return document.latex(standalone=standalone)

    def markdown(self, *names: str) -> str:
        """The terms as Markdown with LaTeX formulas."""
        return self.document(*names).markdown()

    def html(self, *names: str) -> str:
        """The terms as a page of HTML with MathML."""
        return self.document(*names).html()

    @door
    def sketch(self, coordinates: Several[str] | None = None) -> str:
        """A sketch of the arm, its frames and coordinates (SVG), as it stands on top of its derivations."""
        ...

    @door
    def derivation(self, method: str = "lagrange") -> Document:
        """The derivation step by step, by Lagrange or by Newton and Euler; to print as .html(), .latex(), …"""
        ...

    def _repr_latex_(self) -> str:
        return "\n".join(f"$${formula}$$" for formula in self.document(proof=False).formulas())

    def _repr_html_(self) -> str:
        return self.document().fragment()

    # ---- as programs -------------------------------------------------------------------------

    def python(self, *names: str) -> str:
        """A Python module with one function per term; it needs nothing but the standard library."""
        return self.program("python", names)

    def c(self, *names: str) -> str:
        """C with one function per term; it needs math.h only."""
        return self.program("c", names)

    def program(self, language: str, names: Several[str] = ()) -> str:
        """The terms as a program in a language of the table."""
        if not is_one_of(language, LANGUAGES):
            raise SteinerError(unknown("language", language, LANGUAGES))
        chosen = several("names", names, "terms") or usual(self.robot)
        routines = [
            self._routine(name, language) if self.is_closed else self.sequence(name).routine(LANGUAGES[language])
            for name in chosen
        ]
        known = Names()
        return LANGUAGES[language].program(
            self.robot.name, self.robot.n, [known.of(s, s.name) for s in self.parameters], routines
        )

    def _routine(self, name: str, language: str) -> Routine:
        speak, names, sets = LANGUAGES[language], Names(), self.typesetter
        known: dict[Any, str] = {s: names.of(s, s.name) for s in self.parameters}
        for vector, row in zip(("q", "qd", "qdd"), (self.q, self.qd, self.qdd), strict=True):
            known |= {s: f"{vector}[{k}]" for k, s in enumerate(row)}
        rename = {s: sympy.Symbol(text) for s, text in known.items()}
        statements: dict[str, str] = {}

        def atom(a: Atom) -> str:
            if a.expr in known:
                return known[a.expr]
            renamed: Any = a.expr.xreplace(rename)
            text = speak.expression(renamed)
            short = sets.short(a.trig) if a.trig is not None else None
            if short is None:
                return text if a.expr.is_Function or (a.expr.is_number and a.expr.is_Atom) else f"({text})"
            local = names.of(a.expr, short)
            statements.setdefault(local, text)
            return local

        cells: Any = self.written(name)
        results = np.zeros(cells.shape, dtype=object)
        for at in np.ndindex(*cells.shape):
            results[at] = speak.sum(cells[at].sum, atom)
        return Routine(name, tuple(statements.items()), results)

    def text(self, format: str = "markdown", *, derivation: bool = False, method: str = "lagrange") -> str:
        """What `steiner equations` prints."""
        if not is_one_of(format, FORMATS):
            raise SteinerError(unknown("format", format, FORMATS))
        if format in LANGUAGES:
            if derivation:
                raise SteinerError(
                    f"a derivation is a text, not a program; use --format latex, markdown or html, not {format}"
                )
            return self.program(format)
        asked = derivation is not False and need("derivation", derivation, bool)
        document = self.derivation(method) if asked else self.document()
        return getattr(document, format)()

    def __repr__(self) -> str:
        kind = "written out" if self.is_closed else "as sequences"
        about = f"{self.robot.n} joints, {len(self.parameters)} parameters, {kind}"
        return terminal(f"<Equations of {self.robot.name}: {about}>")


class Cell:
    """One formula in an array (NumPy would unpack a tuple)."""

    __slots__ = ("sum",)

    def __init__(self, sum: Sum) -> None:
        self.sum = sum


def _wrap(x: Sum) -> Cell:
    return Cell(x)


def equations(
    robot: Robot,
    *,
    q: Several[sympy.Symbol] | None = None,
    base_parameters: bool = False,
    symbols: bool = False,
) -> Equations:
    """The equations of motion of a robot, as formulas; see `Equations`.

    Any length, mass, tensor entry, gravity, payload or joint constant may be a SymPy symbol or expression.  `q` gives
    the coordinates other names than q1, q2, …; with `base_parameters` the inertias are regrouped to the fewest that
    matter; with `symbols` the robot's numbers get letters (l1, lc1, Izz1, … of an arm in a plane), and `.letters` says
    what they stand for.
    """
    return Equations(robot, q=q, base_parameters=base_parameters, symbols=symbols)


def equations_text(
    robot: Robot,
    format: str = "markdown",
    derivation: bool = False,
    symbols: bool = False,
    method: str = "lagrange",
) -> str:
    """The equations, or their derivation, as a text in one of `FORMATS`."""
    return Equations(robot, symbols=symbols).text(format, derivation=derivation, method=method)
