"""Equations of large arms: a sequence of named sub-expressions from the tape, never multiplied out unasked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from steiner.errors import SteinerError
from steiner.formulas.base import hollow, with_base_parameters
from steiner.formulas.code import LANGUAGES, Language, Names, Routine, ordered
from steiner.formulas.polynomials import LARGEST_POWER
from steiner.formulas.terms import TERMS, symbols_of
from steiner.formulas.typeset import name_box
from steiner.kernels.prepare import cheapest
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.scalar import absolute, cos, exp, sign, sin, sqrt, tanh, total
from steiner.text.layout import Box, dotted, fenced, frac, func, ident, joined, latex, number, op, row, sub
from steiner.text.names import terminal
from steiner.trace import Op, Tape, is_negated, operand_rows, operands, row_of

INLINE = 8  # operations that may stand together in one line
_KINDS = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/", Op.SQRT: "sqrt", Op.SIN: "sin", Op.COS: "cos", Op.EXP: "exp",
    Op.TANH: "tanh", Op.ABS: "abs", Op.SIGN: "sign", Op.SELECT: "select",
}  # fmt: skip
_FUNCTIONS = {sympy.sin: sin, sympy.cos: cos, sympy.exp: exp, sympy.tanh: tanh, sympy.Abs: absolute, sympy.sign: sign}
Expression = Any  # (operator, operands…), a name or a number


def _arguments(x: Any) -> tuple[Any, ...]:
    return x.args


def evaluated(x: Any, values: Mapping[sympy.Symbol, Any]) -> Any:
    """A SymPy expression computed with other numbers in place of its symbols."""
    if not isinstance(x, sympy.Expr):
        return x
    if x.is_number:
        return float(x)
    if x in values:
        return values[x]  # pyright: ignore[reportArgumentType]
    if x.is_Add:
        return total(evaluated(a, values) for a in x.args)
    if x.is_Mul:
        result: Any = 1
        for a in x.args:
            result = result * evaluated(a, values)
        return result
    if x.is_Pow:
        base, exponent = _arguments(x)
        if exponent.is_Integer and abs(int(exponent)) <= LARGEST_POWER:
            return evaluated(base, values) ** int(exponent)
        if exponent.is_Rational and exponent.q == 2:
            return sqrt(evaluated(base, values)) ** int(exponent.p)
    if x.func in _FUNCTIONS:
        return _FUNCTIONS[x.func](evaluated(x.args[0], values))
    raise SteinerError(
        f"{x} is a {type(x).__name__}, which no sequence of + − × ÷ √ sin cos exp tanh can compute; "
        "give it a name of its own (a symbol) and compute it outside"
    )


def traced(robot: Robot, term: str, parameters: list[sympy.Symbol], base: Collection[sympy.Symbol] = ()) -> Tape:
    """The tape of a term, the robot's symbols (and its base parameters) being inputs beside q, q̇ and q̈."""
    function, inputs = TERMS[term].algorithm, [(name, robot.n) for name in TERMS[term].arrays]
    inputs.append(("parameters", len(parameters)))

    def tree(*nodes: np.ndarray) -> Tree:
        values = dict(zip(parameters, nodes[-1], strict=True))
        return robot.mapped(lambda x: evaluated(x, values)).tree

    def run(tree: Tree, *nodes: np.ndarray) -> tuple[list[np.ndarray], None]:
        if base:
            values = dict(zip(parameters, nodes[-1], strict=True))
            tree, _ = with_base_parameters(tree, values.__getitem__, 0.5, base)
        return [np.asarray(function(tree, *nodes[:-1]), dtype=object)], None

    return cheapest(run, tree if parameters else robot.tree, inputs, n=robot.n).tape


class Sequence:
    """One term of the equations of a large arm: `definitions` in order, then `result`.

    `counts` are the operations; `forecast` is how many there would be if every name were replaced by
    what it stands for.
    """

    def __init__(
        self,
        term: str,
        robot: Robot,
        q: list[list[sympy.Symbol]],
        ranks: dict[Any, tuple[int, int]],
        base: Iterable[sympy.Symbol] = (),
    ) -> None:
        self.term, self.robot, self.base = term, robot, list(base)
        arm = hollow(robot) if self.base else robot
        self.parameters = [*ordered(symbols_of(arm), ranks), *self.base]
        self.tape = traced(arm, term, self.parameters, self.base)
        self._rows = dict(zip(("q", "qd", "qdd"), q, strict=True))

    @property
    def counts(self) -> dict[str, int]:
        """How often each operation occurs."""
        kinds = self.tape.counts
        return {k: v for k, v in sorted(kinds.items()) if k not in ("input", "constant")}

    @property
    def operations(self) -> int:
        """All operations, sines and cosines included."""
        return sum(self.counts.values())

    @cached_property
    def forecast(self) -> int:
        """Operations of the same formulas without any names: what unfolding would cost."""
        sizes: list[int] = []
        for entry in self.tape.rows:
            sizes.append(0 if entry[0] <= Op.INPUT else 1 + sum(sizes[k] for k in operand_rows(entry)))
        return sum(sizes[row_of(x)] for out in self.tape.outputs for x in out.elements if isinstance(x, int))

    @cached_property
    def statements(self) -> tuple[list[tuple[str, Expression]], np.ndarray]:
        """(name, expression) in order, and the results; sub-expressions used once stand where they are used."""
        rows, uses = self.tape.rows, [0] * len(self.tape.rows)
        for entry in rows:
            for x in operand_rows(entry):
                uses[x] += 1
        names, texts, sizes = Names(), [], []
        symbols = {s: names.of(s, s.name) for s in self.parameters}
        lines: list[tuple[str, Expression]] = []
        for k, entry in enumerate(rows):
            expression, size = self._expression(entry, texts, sizes, symbols)
            if entry[0] > Op.INPUT and (uses[k] > 1 or size > INLINE):
                name = names.of(k, self._wish(entry) or f"x{len(lines) + 1}")
                lines.append((name, expression))
                expression, size = name, 0
            texts.append(expression)
            sizes.append(size)
        out = self.tape.outputs[0]
        results = np.zeros(out.shape, dtype=object)
        for at, x in zip(np.ndindex(*out.shape), out.elements, strict=True):
            results[at] = x if isinstance(x, float) else _referred(texts, x)
        return lines, results

    def _wish(self, entry: tuple[Any, ...]) -> str | None:
        if entry[0] not in (Op.SIN, Op.COS):
            return None
        (angle,) = operand_rows(entry)
        kind, *where = self.tape.rows[angle]
        return f"{'s' if entry[0] == Op.SIN else 'c'}{where[1] + 1}" if kind == Op.INPUT and where[0] == 0 else None

    def _expression(self, entry: tuple[Any, ...], texts: Any, sizes: Any, symbols: Any) -> tuple[Expression, int]:
        if entry[0] == Op.CONSTANT:
            return float(entry[1]), 0
        if entry[0] == Op.INPUT:
            array, k = self.tape.inputs[entry[1]][0], entry[2]
            return (symbols[self.parameters[k]] if array == "parameters" else f"{array}[{k}]"), 0
        rows = operand_rows(entry)
        size = 1 + sum([sizes[k] for k in rows])
        if entry[0] <= Op.DIV:  # without signs
            return (_KINDS[entry[0]], *[texts[k] for k in rows]), size
        return (_KINDS[entry[0]], *(_referred(texts, x) for x in operands(entry))), size

    # ---- as SymPy, LaTeX, code ---------------------------------------------------------------

    @cached_property
    def _symbols(self) -> dict[str, sympy.Symbol]:
        known = {f"{array}[{k}]": s for array, row_ in self._rows.items() for k, s in enumerate(row_)}
        return known | {s.name: s for s in self.parameters}

    @cached_property
    def definitions(self) -> list[tuple[sympy.Symbol, sympy.Expr]]:
        """The named sub-expressions as SymPy, in order."""
        return [(sympy.Symbol(name), self._sympy(e)) for name, e in self.statements[0]]

    @cached_property
    def result(self) -> Any:
        """The term in those names, as SymPy."""
        results = self.statements[1]
        values = [self._sympy(x) for x in results.ravel()]
        if results.ndim == 0:
            return values[0]
        if results.ndim > 2:
            return sympy.ImmutableDenseNDimArray(values, results.shape)
        return sympy.ImmutableMatrix(len(results), results.size // len(results), values)

    def _sympy(self, e: Expression) -> sympy.Expr:
        if isinstance(e, str):
            return self._symbols.get(e) or sympy.Symbol(e)
        if isinstance(e, float):
            return sympy.Integer(int(e)) if e.is_integer() else sympy.Float(e)
        kind, *rest = e
        parts = [self._sympy(x) for x in rest]
        if kind == "select":
            return sympy.Piecewise((parts[1], parts[0] > 0), (parts[2], True))
        return _TO_SYMPY[kind](*parts)

    def routine(self, language: Language) -> Routine:
        """This term as a function of a program."""
        lines, results = self.statements
        texts = tuple((name, _text(e, language)) for name, e in lines)
        return Routine(
            self.term,
            texts,
            np.array([_text(x, language) for x in results.ravel()], dtype=object).reshape(results.shape),
        )

    def program(self, language: str) -> str:
        """A program with this one function."""
        names = [self.routine(LANGUAGES[language])]
        known = Names()
        return LANGUAGES[language].program(
            self.robot.name, self.robot.n, [known.of(s, s.name) for s in self.parameters], names
        )

    def python(self) -> str:
        """Python that computes it."""
        return self.program("python")

    def c(self) -> str:
        """C that computes it."""
        return self.program("c")

    def boxes(self) -> list[Box]:
        """One line per name, then the results."""
        lines, results = self.statements
        left = {"tau": ident("tau")}.get(self.term, ident(self.term))
        found = [row(name_box(name), op("="), self._box(e, 0)) for name, e in lines]
        for at in np.ndindex(*results.shape):
            head = sub(left, number(",".join(str(k + 1) for k in at))) if at else left
            found.append(row(head, op("="), self._box(results[at], 0)))
        return found

    def latex(self) -> str:
        """The sequence as LaTeX, one line per name."""
        body = " \\\\\n".join(latex(b).replace("=", "&=", 1) for b in self.boxes())
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _box(self, e: Expression, tight: int) -> Box:
        if isinstance(e, str):
            array, bracket, index = e.partition("[")
            if bracket:
                return sub(dotted(ident("q"), len(array) - 1), number(str(int(index[:-1]) + 1)))
            return name_box(e)
        if isinstance(e, float):
            return number(f"{e:.6g}")
        kind, *rest = e
        if kind == "/":
            return frac(self._box(rest[0], 0), self._box(rest[1], 0))
        if kind in _PRECEDENCE:
            own = _PRECEDENCE[kind]
            if kind == "neg":
                inner = row(op("-"), self._box(rest[0], 2))
            else:
                sign_ = [] if kind == "*" else [op(kind)]
                if kind == "*" and isinstance(rest[1], float):
                    rest = rest[::-1]
                inner = row(self._box(rest[0], own), *sign_, self._box(rest[1], own + (kind == "-")))
            return fenced(inner) if own < tight or (kind == "neg" and tight) else inner
        return row(func(kind), fenced(joined([self._box(x, 0) for x in rest], ",")))

    def __repr__(self) -> str:
        return terminal(
            f"<{self.term} of {self.robot.name}: {len(self.statements[0])} named sub-expressions, "
            f"{self.operations} operations; {self.forecast:,} without names>"
        )


_PRECEDENCE = {"+": 1, "-": 1, "neg": 1, "*": 2, "/": 2}
_TO_SYMPY: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "neg": lambda a: -a, "sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "exp": sympy.exp,
    "tanh": sympy.tanh, "abs": sympy.Abs, "sign": sympy.sign,
}  # fmt: skip


def _referred(texts: list[Expression], reference: int) -> Expression:
    e = texts[row_of(reference)]
    if not is_negated(reference):
        return e
    return -e if isinstance(e, float) else ("neg", e)


def _text(e: Expression, language: Language, tight: int = 0) -> str:
    if isinstance(e, str):
        return e
    if isinstance(e, float):
        text = language.number(abs(e)) if not e.is_integer() or abs(e) > 1e6 else f"{abs(e):.1f}"
        return f"({'-'}{text})" if e < 0 and tight else f"-{text}" if e < 0 else text
    kind, *rest = e
    if kind in language.calls:
        return language.calls[kind].format(*(_text(x, language) for x in rest))
    own = _PRECEDENCE[kind]
    if kind == "neg":
        text = f"-{_text(rest[0], language, 2)}"
        return f"({text})" if tight else text
    a, b = _text(rest[0], language, own), _text(rest[1], language, own + (kind in "-/"))
    text = f"{a} {kind} {b}" if own == 1 else f"{a}{kind}{b}"
    return f"({text})" if own < tight else text


__all__ = ["Sequence", "evaluated", "traced"]
