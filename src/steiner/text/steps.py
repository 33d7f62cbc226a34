"""Worked derivations: titled steps of equations, as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from steiner.text import names

_SPAN = re.compile(r"\\([\\$*])|\$((?:[^$\\]|\\.)*)\$|\*\*(.*?)\*\*|(.)")  # a quoted sign, a formula, bold, a letter


def quoted(name: str) -> str:
    """A stranger's name in a heading of a step, where $ would begin a formula and ** bold words."""
    return re.sub(r"[\\$*]", r"\\\g<0>", name)


@final
@dataclass(frozen=True)
class Derivation:
    """A worked derivation: titled steps of LaTeX equations, and the symbolic result.

    A heading is text with **bold** words and $formulas$ of LaTeX in it; names of strangers go into it `quoted`.
    """

    title: str
    steps: tuple[tuple[str, tuple[str, ...]], ...]  # (heading, equations)
    result: Any = None  # symbolic mass properties, in the frame of what is derived

    def markdown(self) -> str:
        """Markdown with LaTeX equations in $$."""
        lines = [f"## {names.markdown(self.title)}"]
        for heading, equations in self.steps:
            words = names.markdown_line(_written(heading, names.markdown, "**{}**"))
            lines += ["", words, *(f"\n$${e}$$" for e in equations)]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """LaTeX: one paragraph and one gather* per step."""
        blocks = [rf"\section*{{{names.latex(self.title)}}}"]
        for heading, equations in self.steps:
            body = " \\\\\n".join(equations)
            words = _written(heading, names.latex, r"\textbf{{{}}}")
            blocks.append(words + (f"\n\\begin{{gather*}}\n{body}\n\\end{{gather*}}" if equations else ""))
        return "\n\n".join(blocks) + "\n"

    def __str__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def _written(heading: str, text: Callable[[str], str], bold: str) -> str:
    """A heading with its text made safe, its bold words set so and its formulas as they are."""
    result, run = "", ""
    for sign, formula, strong, letter in _SPAN.findall(names.terminal(heading)):
        if sign or letter:
            run += sign or letter
            continue
        result += text(run) + (bold.format(_written(strong, text, "{}")) if strong else f"${formula}$")
        run = ""
    return result + text(run)
