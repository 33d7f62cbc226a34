"""Worked derivations: titled steps of equations, as Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, final

from steiner.text import names
from steiner.text.document import FORMULA, SCROLLED, page
from steiner.text.inline import mathml_of
from steiner.text.tables import Table

_SPAN = re.compile(r"\\([\\$*])|\$((?:[^$\\]|\\.)*)\$|\*\*(.*?)\*\*|(.)")  # a quoted sign, a formula, bold, a letter


def quoted(name: str) -> str:
    """A stranger's name in a heading of a step, where $ would begin a formula and ** bold words."""
    return re.sub(r"[\\$*]", r"\\\g<0>", name)


class Equation(Protocol):
    """A line that prints itself and can be evaluated."""

    def latex(self) -> str:
        """For math mode."""
        ...

    def mathml(self) -> str:
        """Inside <math>."""
        ...

    def pieces(self) -> list[str]:
        """The same in pieces, between which the line may be broken."""
        ...

    def values(self, known: Mapping[str, Any]) -> list[Any]:
        """What its sides come to: they are the same."""
        ...


Written = str | Equation  # LaTeX, or a line that can be evaluated
Step = tuple[str, Sequence[Written]]  # heading, equations


@final
@dataclass(frozen=True)
class Derivation:
    """A worked derivation: titled steps of equations, and the symbolic result.

    A heading is text with **bold** words and $formulas$ of LaTeX in it; names of strangers go into it `quoted`.
    Lines are evaluated with what is `known`: `[line.values(d.known) for line in d.lines()]`.
    """

    title: str
    steps: tuple[Step, ...]
    result: Any = None  # symbolic mass properties, in the frame of what is derived
    known: Mapping[str, Any] = field(default_factory=dict)  # name in a line -> what it stands for
    summary: Table | None = None  # of what came out, at the end

    def lines(self) -> list[Equation]:
        """The equations that can be evaluated, in order."""
        return [e for _, equations in self.steps for e in equations if not isinstance(e, str)]

    def markdown(self) -> str:
        """Markdown with LaTeX equations in $$."""
        lines = [f"## {names.markdown(self.title)}"]
        for heading, equations in self.steps:
            words = names.markdown_line(_written(heading, names.markdown, "**{}**"))
            lines += ["", words, *(f"\n$${_latex(e)}$$" for e in equations)]
        lines += ["", self.summary.markdown()] if self.summary else []
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """LaTeX: one paragraph and one gather* per step."""
        blocks = [rf"\section*{{{names.latex(self.title)}}}"]
        for heading, equations in self.steps:
            body = " \\\\\n".join(map(_latex, equations))
            words = _written(heading, names.latex, r"\textbf{{{}}}")
            blocks.append(words + (f"\n\\begin{{gather*}}\n{body}\n\\end{{gather*}}" if equations else ""))
        blocks += [self.summary.latex()] if self.summary else []
        return "\n\n".join(blocks) + "\n"

    def html(self) -> str:
        """A page that stands alone; browsers show its MathML without scripts."""
        return page(self.title, f"<h1>{names.html(self.title)}</h1>\n{self.fragment()}")

    def fragment(self) -> str:
        """The steps as HTML, for a notebook or another page."""
        blocks = []
        for heading, equations in self.steps:
            blocks.append(f"<p>{_written(heading, names.html, '<b>{}</b>', mathml_of)}</p>")
            blocks += [f'<div style="{FORMULA}">{_html(e)}</div>' for e in equations]
        blocks += [f'<div style="{SCROLLED}">{self.summary.html()}</div>'] if self.summary else []
        return "\n".join(blocks)

    def __str__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def _latex(equation: Written) -> str:
    return equation if isinstance(equation, str) else equation.latex()


def _html(equation: Written) -> str:
    if isinstance(equation, str):
        return f"<code>{names.html(equation)}</code>"
    style = 'displaystyle="true" style="margin:0.2em 0"'
    pieces = "<wbr>".join(f"<math {style}><mrow>{piece}</mrow></math>" for piece in equation.pieces())
    return f'<div style="text-align:center">{pieces}</div>'


def _written(
    heading: str,
    text: Callable[[str], str],
    bold: str,
    formula_of: Callable[[str], str] = "${}$".format,
) -> str:
    """A heading with its text made safe, its bold words set so and its formulas written."""
    result, run = "", ""
    for sign, formula, strong, letter in _SPAN.findall(names.terminal(heading)):
        if sign or letter:
            run += sign or letter
            continue
        result += text(run) + (
            bold.format(_written(strong, text, "{}", formula_of)) if strong else formula_of(formula)
        )
        run = ""
    return result + text(run)
