"""The equations on one page: the terms, what the short names mean, and the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from steiner.formulas.system import Equations
from steiner.formulas.terms import TERMS, term, usual
from steiner.formulas.typeset import DIGITS
from steiner.formulas.writing import Atom, Sum
from steiner.text.document import WIDEST, Block, Document, equation
from steiner.text.layout import Box, ident, matrix, number, op, row, sub, vector, width, words

MOST_NAMES = 400  # lines of a sequence that are printed on a page


def summary(eq: Equations, *names: str, proof: bool = True) -> Document:
    """See `Equations.document`."""
    for name in names:
        term(name)
    document = Document(f"Equations of motion of {eq.robot.name}")
    _opening(document, eq)
    if eq.is_closed:
        chosen = tuple(names) or usual(eq.robot)
        for name in chosen:
            document.heading(TERMS[name].title)
            document.formula(*term_boxes(eq, name))
        legend(document, eq, chosen)
        if eq.is_base:
            document.heading("Base parameters")
            for symbol, value in eq.terms.base:
                if symbol in eq.base_parameters:
                    document.equation(eq.typesetter.expression(symbol), eq.typesetter.poly(value))
    else:
        for name in tuple(names) or ("tau",):
            _sequence(document, eq, name)
        if eq.is_base:
            document.heading("Base parameters")
            for symbol, value in eq.base_parameters.items():
                document.equation(eq.typesetter.expression(symbol), eq.typesetter.expression(value))
    if eq.letters:
        document.heading("Letters")
        letter_table(document, eq)
    if proof is True:
        document.text("Proof: " + str(eq.proof) + ".")
    return document


def _opening(document: Document, eq: Equations) -> None:
    sets, robot = eq.typesetter, eq.robot
    parts: list[Any] = ["Coordinates: "]
    for k, joint in enumerate(robot.joint_names):
        parts += [", " if k else "", sets.q(k), f" of {joint}"]
    parts += [
        ". Tensors are about the centres of mass, along the axes of the links; angles in radians, all else in SI "
        "units. Gravity is ",
        row(vector("g"), op("="), sets.array(np.array(eq.terms.lifted.gravity, dtype=object))), ".",
    ]  # fmt: skip
    rounded = f" Numbers are rounded to {DIGITS} digits here; the programs have all." if sets.decimal else ""
    document.text(*parts, rounded)


def letter_table(document: Document, eq: Equations) -> None:
    """What the letters stand for in this robot."""
    sets = eq.typesetter
    rows = [[sets.expression(s), sets.expression(x)] for s, x in eq.letters.items() if s in eq.parameters]
    document.table(["letter", "value, SI units"], rows)


def _sequence(document: Document, eq: Equations, name: str) -> None:
    sequence = eq.sequence(name)
    document.heading(TERMS[name].title)
    counts = ", ".join(f"{v} {k}" for k, v in sequence.counts.items())
    document.text(
        f"{len(sequence.statements[0])} named sub-expressions, {sequence.operations} operations ({counts}); "
        f"without names there would be {sequence.forecast:,}."
    )
    boxes = sequence.boxes()
    document.formula(*boxes[:MOST_NAMES])
    if len(boxes) > MOST_NAMES:
        document.text(f"… and {len(boxes) - MOST_NAMES} more lines; the Python and C programs hold all of them.")


def term_boxes(eq: Equations, name: str) -> list[Box]:
    """A term as a matrix, or entry by entry where that would be too wide."""
    sets = eq.typesetter
    cells: Any = eq.written(name)
    left = ident(TERMS[name].letter)
    if cells.ndim == 0:
        return [equation(left, sets.sum(cells[()].sum))]
    if cells.ndim == 3:
        return _symbols(eq, cells)
    if cells.size == 0:
        return [row(left, op("="), words("(no pairs of joints)"))]
    if name != "tau":
        rows = cells.reshape(len(cells), -1)
        whole = matrix([[sets.sum(c.sum) for c in line] for line in rows])
        box = equation(left, whole)
        if width(box) <= WIDEST:
            return [box]
    small = ident(TERMS[name].entry or TERMS[name].letter)
    boxes = []
    for at in np.ndindex(*cells.shape):
        if name == "M" and at[0] > at[1]:
            continue
        index = ",".join(str(k + 1) for k in at) if eq.robot.n > 9 else "".join(str(k + 1) for k in at)
        head = sub(small, number(index))
        if name == "M" and at[0] < at[1]:
            head = row(head, op("="), sub(small, number(index[::-1])))
        boxes.append(equation(head, sets.sum(cells[at].sum)))
    return boxes


def _symbols(eq: Equations, cells: Any) -> list[Box]:
    boxes = []
    for i, j, k in np.ndindex(*cells.shape):
        if j <= k and cells[i, j, k].sum.terms:
            head = sub(ident("b"), number(f"{i + 1}{j + 1}{k + 1}"))
            if j < k:
                head = row(head, op("="), sub(ident("b"), number(f"{i + 1}{k + 1}{j + 1}")))
            boxes.append(equation(head, eq.typesetter.sum(cells[i, j, k].sum)))
    return boxes or [row(sub(ident("b"), row(ident("i"), ident("j"), ident("k"))), op("="), number("0"))]


def short_names(eq: Equations, sums: Sequence[Sum]) -> list[str]:
    """The short sines and cosines that stand in some formulas, in order."""
    found: set[str] = set()

    def visit(x: Sum) -> None:
        for summand in x.terms:
            for factor, _ in summand.factors:
                if isinstance(factor, Sum):
                    visit(factor)
                elif isinstance(factor, Atom) and factor.trig is not None:
                    short = eq.typesetter.short(factor.trig)
                    if short:
                        found.add(short)

    for x in sums:
        visit(x)
    return sorted(found, key=lambda s: (len(s), s[1:], s[0]))


def legend(document: Document, eq: Equations, names: Sequence[str]) -> None:
    """c₁₂ = cos(θ₁ + θ₂) and the like, for the terms that were printed."""
    used = short_names(eq, [c.sum for name in names for c in eq.written(name).ravel()])
    if used:
        sets = eq.typesetter
        boxes = sets.legend(used)
        if sets.h and {"V", "tau"} & {*names}:
            boxes.append(sets.definition_of_h)
        parts: list[Any] = ["Here "]
        for k, box in enumerate(boxes):
            parts += [", " if k else "", box]
        document.text(*parts, ".")


def legend_before(document: Document, eq: Equations, place: int) -> None:
    """c₁ = cos θ₁, c₂₃ = … for all that stand in the formulas of a document, put in front of them at a place."""
    sets, formulas = eq.typesetter, [block.content for block in document.blocks if block.kind == "formula"]
    used = {short for box in formulas for short in _shorts(box) if not sets.is_taken(short)}
    parts: list[Any] = ["Here "]
    for box in sets.legend(sorted(used, key=lambda s: (len(s), s[1:], s[0]))):
        parts += [", " if len(parts) > 1 else "", box]
    if used:
        document.blocks.insert(place, Block("text", content=(*parts, ".")))


def _shorts(box: Box) -> Iterator[str]:
    """The c₁ and s₂₃ in a formula."""
    if box.kind == "sub" and box.inside[0].text in ("c", "s") and box.inside[1].kind == "num":
        yield box.inside[0].text + box.inside[1].text
    for part in box.inside:
        yield from _shorts(part)
