"""A tape as lines of a program: what the writers of C and of Python share.

Names come from strangers' files: whatever reaches generated code goes through `names.identifier`, whatever
reaches a comment through `names.comment`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from steiner.text.names import identifier
from steiner.trace import Op, Output, Tape, is_negated, operands, row_of


def distinct(names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Identifiers for several names, none of them equal to another or to one that is taken."""
    used, result = set(taken), []
    for name in map(identifier, names):
        if re.fullmatch(r"v[0-9]+", name):  # the names of rows
            name = f"{name}_array"
        free, k = name, 2
        while free in used:
            free, k = f"{name}_{k}", k + 1
        used.add(free)
        result.append(free)
    return result


def free_name(name: str, taken: Collection[str]) -> str:
    """An identifier for a function that is no word of the language."""
    found = identifier(name, "robot")
    return f"{found}_of_robot" if found in taken else found


@dataclass(frozen=True)
class Dialect:
    """How operations and numbers are written; templates take operands, which are names or numbers."""

    templates: Mapping[Op, str]
    literal: Callable[[float], str]
    input: str  # of the array's name and the element


def statements(tape: Tape, dialect: Dialect, inputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, expression) of every row that is not a constant, in order; row k is named v{k}."""
    for k, row in enumerate(tape.rows):
        if row[0] == Op.INPUT:
            yield f"v{k}", dialect.input.format(inputs[row[1]], row[2])
        elif row[0] != Op.CONSTANT:
            yield f"v{k}", dialect.templates[row[0]].format(*(atom(tape, dialect, x) for x in operands(row)))


def atom(tape: Tape, dialect: Dialect, element: int | float) -> str:
    """A number of the tape where it is used: a name, perhaps negated, or a literal."""
    if isinstance(element, float):
        return dialect.literal(element)
    k, negated = row_of(element), is_negated(element)
    if tape.rows[k][0] == Op.CONSTANT:
        return dialect.literal(-tape.rows[k][1] if negated else tape.rows[k][1])
    return f"-v{k}" if negated else f"v{k}"


def used_inputs(tape: Tape) -> set[int]:
    """Which input arrays a tape reads."""
    return {row[1] for row in tape.rows if row[0] == Op.INPUT}


def shape_text(output: Output) -> str:
    """The shape of an output for a comment."""
    return " x ".join(map(str, output.shape)) or "one number"
