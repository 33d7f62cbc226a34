"""A tape as lines of a program: what the writers of C and of Python share.

Names come from strangers' files: whatever reaches generated code goes through `identifier`, whatever
reaches a comment through `comment`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from steiner.trace import Op, Output, Tape

LONGEST_NAME = 60
LETTERS = {"α": "alpha", "β": "beta", "γ": "gamma", "τ": "tau", "ω": "omega", "θ": "theta", "φ": "phi", "ü": "ue",
           "ö": "oe", "ä": "ae", "Ü": "Ue", "Ö": "Oe", "Ä": "Ae", "ß": "ss"}  # fmt: skip


def identifier(text: str, fallback: str = "x") -> str:
    """A name for C, Python and CasADi: ASCII letters, digits and single underscores, a letter first."""
    spelled = "".join(LETTERS.get(c, c) for c in text)
    name = re.sub(r"[^A-Za-z0-9]+", "_", spelled).strip("_")[:LONGEST_NAME].strip("_")
    if not name:
        return fallback
    return name if name[0].isalpha() else f"{fallback}_{name}"


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


def comment(text: str) -> str:
    """Text that is harmless in any comment or docstring: printable ASCII without its special characters."""
    spelled = "".join(LETTERS.get(c, c) for c in text)
    return re.sub(r"[^A-Za-z0-9 _.,:;()\[\]=+-]", "_", " ".join(spelled.split()))


@dataclass(frozen=True)
class Dialect:
    """How operations and numbers are written; templates take operands, which are names or numbers."""

    templates: Mapping[Op, str]
    literal: Callable[[float], str]
    input: str  # of the array's name and the element


def statements(tape: Tape, dialect: Dialect, inputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, expression) of every row that is not a constant, in order; row k is named v{k}."""
    for k, (op, *operands) in enumerate(tape.rows):
        if op == Op.INPUT:
            yield f"v{k}", dialect.input.format(inputs[operands[0]], operands[1])
        elif op != Op.CONSTANT:
            references = [2 * x for x in operands] if op <= Op.DIV else operands
            yield f"v{k}", dialect.templates[op].format(*(atom(tape, dialect, x) for x in references))


def atom(tape: Tape, dialect: Dialect, element: int | float) -> str:
    """A number of the tape where it is used: a name, perhaps negated, or a literal."""
    if isinstance(element, float):
        return dialect.literal(element)
    row, negative = tape.rows[element >> 1], element & 1
    if row[0] == Op.CONSTANT:
        return dialect.literal(-row[1] if negative else row[1])
    return f"-v{element >> 1}" if negative else f"v{element >> 1}"


def used_inputs(tape: Tape) -> set[int]:
    """Which input arrays a tape reads."""
    return {row[1] for row in tape.rows if row[0] == Op.INPUT}


def shape_text(output: Output) -> str:
    """The shape of an output for a comment."""
    return " x ".join(map(str, output.shape)) or "one number"
