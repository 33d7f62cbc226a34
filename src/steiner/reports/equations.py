"""The section about the equations: formulas of a small arm, structure of a large one, the derivation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steiner.analysis.base_parameters import base_parameters
from steiner.backends import js
from steiner.errors import SteinerError
from steiner.formulas.coefficients import coefficients
from steiner.formulas.terms import beyond
from steiner.model.robot import Robot
from steiner.reports.blocks import Column, Grid, Quantity, folded, formulas, heading, lack, note, number, sentence, text
from steiner.reports.subject import Subject
from steiner.scene.live import traced, with_load

LARGEST_DERIVATION, LONGEST_DERIVATION = 7, 900_000  # joints, characters
UNITS = {"m": "kg", "I": "kg m²", "J": "kg m²", "g": "m/s²", "k": "N m/rad, N/m", "x": "rad, m"}  # by the first letter
UNITS |= dict.fromkeys("lcadr", "m")
ODD = "The axes stand at odd angles to one another: "
SHORT = ("M", "V", "G", "tau")
WORDS = {"M": "mass matrix M", "V": "speed terms V", "G": "gravity G", "tau": "efforts τ"}


def closed(subject: Subject) -> Iterator[str]:
    """The formulas of a small arm, in numbers and in letters; of a large one what they take."""
    eq = subject.equations
    if eq.is_closed:
        yield from _living(subject)
    else:
        yield text(
            f"Of {eq.robot.n} joints the formulas are too long to be written out: they are sequences of named "
            "sub-expressions, below and as programs of steiner equations."
        )


def _living(subject: Subject) -> Iterator[str]:
    """The formulas in numbers, with the kernel that writes the numbers anew."""
    try:
        found = coefficients(subject.robot)
    except SteinerError as error:
        yield formulas(subject.equations.document(proof=False))
        yield lack(f"The numbers do not follow what is set in section 1. {error}.")
        return
    plan = traced(with_load(subject.robot), lambda robot: found.of(robot))
    kernel = "\n".join(js.function(plan.tape, "coefficients", ["numbers", "miss"]))
    yield note("The numbers follow what is set here and in section 1.", kind="note tools")
    yield '<div id="live"></div>'
    yield formulas(found.equations.document(proof=False))
    yield f"<script>window.steinerCoefficients = (() => {{\n{kernel}\nreturn coefficients;\n}})();</script>"


def letters(subject: Subject) -> Iterator[str]:
    """The same with letters, and what they stand for."""
    if not subject.equations.is_closed:
        return
    if not is_upright(subject.robot):
        yield lack(f"{ODD}in letters, which name every entry of every rotation, the formulas would fill a book.")
        return
    eq = subject.lettered
    used = {str(s): (s, float(x)) for s, x in eq.letters.items() if s in eq.parameters}
    rows = [
        (name, [eq.typesetter.expression(s), Quantity(x, UNITS.get(name[0], "SI"))]) for name, (s, x) in used.items()
    ]
    columns = [Column("name", "letter"), Column("symbol", "as written"), Column("value", "value")]
    document = eq.document("M", "V", "G", *beyond(eq.robot))
    document.blocks = [b for b in document.blocks if not (b.kind == "table" or b.content == "Letters")]
    body = formulas(document) + Grid("letters", columns, rows).html()
    if len(body) > LONGEST_DERIVATION:
        yield lack("In letters they are too long for this page: steiner equations ROBOT --symbols --format html")
        return
    yield folded("The same in letters, with their values in the file", body, id="lettered")


def operations(subject: Subject) -> Iterator[str]:
    """What the formulas take, and how many parameters they hold."""
    eq, robot = subject.equations, subject.robot
    yield heading("Structure")
    rows = [
        (name, [eq.sequence(name).operations, len(eq.sequence(name).statements[0]), int(eq.sequence(name).forecast)])
        for name in SHORT
    ]
    columns = [Column("term", "term"), Column("operations", "operations, with names"),
               Column("names", "named sub-expressions"), Column("forecast", "operations without names")]  # fmt: skip
    yield Grid("operations", columns, rows, labels=[WORDS[name] for name in SHORT]).html()
    base = base_parameters(robot)
    bodies = 10 * len([b for b in robot.bodies if not b.between])
    known, all_, unseen = (
        number(x, "", key)
        for x, key in ((base.count, "base parameters"), (bodies, "parameters"), (len(base.unseen), "unseen parameters"))
    )
    yield sentence(f"Torques depend on {known} combinations of {all_} inertial parameters; {unseen} have no effect.")


def sequence(subject: Subject) -> Iterator[str]:
    """The efforts of a large arm as a sequence."""
    if not subject.equations.is_closed:
        body = formulas(subject.equations.document(proof=False))
        yield folded("Efforts as a sequence of named sub-expressions", body, id="sequence", printed=False)


def derivation(subject: Subject) -> Iterator[str]:
    """Step by step, folded."""
    upright, eq = is_upright(subject.robot), subject.equations
    if eq.robot.n > LARGEST_DERIVATION or not (upright or eq.is_closed):
        why = f"written here for up to {LARGEST_DERIVATION} joints whose axes are parallel or square to one another"
        yield lack(f"Derivations are {why}.")
        return
    document = (subject.lettered if eq.is_closed and upright else eq).derivation()
    body = formulas(document)
    if len(body) > LONGEST_DERIVATION:
        yield lack("The derivation is too long for this page: steiner equations ROBOT --derivation --format html")
        return
    sketch = f'<figure class="sketch">{document.picture}</figure>'
    yield folded("Derivation by Lagrange, step by step", sketch + body, id="derivation", printed=False)


def is_upright(robot: Robot) -> bool:
    """Whether every joint's frame is turned by quarter turns against the one before."""
    return all(np.abs(np.abs(b.mount.R.astype(float)) % 1).max() < 1e-9 for b in robot.bodies)
