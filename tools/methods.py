"""Write src/steiner/model/methods.py: the robot's methods with their types, from the table of algorithms."""

from __future__ import annotations

import inspect
import textwrap
import typing
from pathlib import Path

from steiner.dynamics import METHODS, Algorithm
from steiner.kernels.arguments import documentation, signature

TARGET = Path(__file__).parent.parent / "src" / "steiner" / "model" / "methods.py"
HEAD = '''"""The robot's methods, one per row of the table of algorithms; written by `python -m tools.methods`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from steiner.doors import method

if TYPE_CHECKING:  # who loads a robot has not asked it yet
    from steiner.model.answers import (
        BaseMotion,
        Breakdown,
        JointReactions,
        NewtonEuler,
        Numbers,
        Poses,
        VelocityTerms,
    )  # fmt: skip
    from steiner.spatial import Pose, Wrench


class Methods:
    """Dynamics of a robot: numbers run compiled kernels, symbols run the same text; leading dimensions are batch."""
'''
TYPES = {
    "external": "Wrench | Sequence[Wrench] | None",
    "exerted_by_robot": "Wrench | Sequence[Wrench] | None",
    "base": "BaseMotion | Numbers | None",
    "point": "Numbers | None",
    "out": "np.ndarray | tuple[np.ndarray, ...] | None",
}


def _type(row: Algorithm, name: str, declared: str) -> str:
    if name in TYPES:
        return TYPES[name]
    return "Numbers" if name in row.arrays else declared


def _head(row: Algorithm, text: typing.Callable[..., typing.Any]) -> str:
    declared = {k: str(v) for k, v in text.__annotations__.items()}
    arguments, starred = ["self"], False
    own = inspect.signature(text).parameters
    for p in signature(row).parameters.values():
        default = own[p.name].default if p.name in own and p.name not in ("external",) else p.default
        if p.kind is p.KEYWORD_ONLY and not starred:
            arguments.append("*")
            starred = True
        value = "" if default is p.empty else f" = {default!r}".replace("'", '"')
        arguments.append(f"{p.name}: {_type(row, p.name, declared.get(p.name, ''))}{value}")
    head = f"def {row.name}({', '.join(arguments)}) -> {declared['return']}:"
    if len(head) > 115:
        lines = textwrap.wrap(", ".join(arguments) + ",", 108, break_long_words=False)
        head = f"def {row.name}(\n{textwrap.indent(chr(10).join(lines), '    ')}\n) -> {declared['return']}:"
    return head


def _declared(row: Algorithm) -> str:
    parts = [f"@overload\n{_head(row, text)} ..." for text in typing.get_overloads(row.function)]
    summary = textwrap.indent(documentation(row), "    ").strip()
    quotes = '"""'
    arrays = ", ".join(f"{name}={length!r}" for name, length in row.arrays.items()).replace("'", '"')
    parts.append(f"@method({arrays})\n{_head(row, row.function)}\n    {quotes}{summary}\n    {quotes}\n    ...\n")
    parts += [f"{alias} = {row.name}\n" for alias in row.aliases]
    return textwrap.indent("\n".join(parts), "    ")


def text() -> str:
    """The module's text."""
    return "\n".join([HEAD, *map(_declared, METHODS)]).replace("\n    \n", "\n\n")


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
