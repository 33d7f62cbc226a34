"""The section about the equations: formulas of a small arm, structure of a large one, the derivation."""

from __future__ import annotations

from collections.abc import Iterator

from steiner.analysis.base_parameters import base_parameters
from steiner.reports.blocks import Column, Grid, folded, formulas, heading, lack, number, sentence, text
from steiner.reports.subject import Subject

LARGEST_DERIVATION = 7  # joints
SHORT = ("M", "V", "G", "tau")
WORDS = {"M": "mass matrix M", "V": "speed terms V", "G": "gravity G", "tau": "efforts τ"}


def closed(subject: Subject) -> Iterator[str]:
    """The formulas of a small arm, in numbers and in letters; of a large one what they take."""
    eq = subject.equations
    if eq.is_closed:
        yield formulas(eq.document(proof=False))
    else:
        yield text(
            f"Of {eq.robot.n} joints the formulas are too long to be written out: they are sequences of named "
            "sub-expressions, below and as programs of steiner equations."
        )


def letters(subject: Subject) -> Iterator[str]:
    """The same with letters, and what they stand for."""
    if not subject.equations.is_closed:
        return
    eq = subject.lettered
    rows = [(str(s), [eq.typesetter.expression(s), float(x)]) for s, x in eq.letters.items() if s in eq.parameters]
    columns = [Column("name", "letter"), Column("symbol", "as written"), Column("value", "value", "SI")]
    document = eq.document("M", "V", "G", "F") if any(x != 0 for x in eq.F) else eq.document("M", "V", "G")
    document.blocks = [b for b in document.blocks if not (b.kind == "table" or b.content == "Letters")]
    body = formulas(document) + Grid("letters", columns, rows).html()
    yield folded("The same in letters, with their values", body, id="lettered")


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
    yield sentence(
        f"Torques depend on {number(base.count, '', 'base parameters')} combinations of the "
        f"{number(bodies, '', 'parameters')} inertial parameters; {number(len(base.unseen), '', 'unseen parameters')} of "
        "them no torque shows."
    )


def sequence(subject: Subject) -> Iterator[str]:
    """The efforts of a large arm as a sequence."""
    if not subject.equations.is_closed:
        yield folded(
            "Efforts as a sequence of named sub-expressions", formulas(subject.equations.document(proof=False))
        )


def derivation(subject: Subject) -> Iterator[str]:
    """Step by step, folded."""
    eq = subject.lettered if subject.equations.is_closed else subject.equations
    if eq.robot.n > LARGEST_DERIVATION:
        yield lack(f"Derivations are written here for up to {LARGEST_DERIVATION} joints.")
        return
    document = eq.derivation()
    body = f'<figure class="paper sketch">{document.picture}</figure>' + formulas(document)
    yield folded("Derivation by Lagrange, step by step", body, id="derivation")
