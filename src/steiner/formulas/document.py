"""Documents of text and formulas, printed as HTML (with MathML), LaTeX or Markdown."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steiner.formulas.layout import Box, escaped, latex, lines, mathml, op, row, width

WIDEST = 88.0  # letters of a formula on one line

Inline = str | Box

STYLE = (
    "body{max-width:56em;margin:2em auto;padding:0 1em;font-family:Georgia,serif;line-height:1.5;color:#222}"
    "h1,h2,h3{font-family:Helvetica,Arial,sans-serif;line-height:1.2}h2{margin-top:2em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse}"
    "td,th{padding:0.2em 0.8em;text-align:left}"
    "th{border-bottom:1px solid #888}math{font-size:1.05em}"
)
FORMULA = "overflow-x:auto;overflow-y:hidden;padding:0.4em 0"  # with the formula: pages of others have their own styles
PREAMBLE = (
    "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\usepackage[margin=20mm]{geometry}\n"
    "\\setcounter{MaxMatrixCols}{20}\n\\allowdisplaybreaks\n\\begin{document}\n"
)


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, a formula or a table."""

    kind: str
    level: int = 0
    content: Any = None


def equation(left: Box, right: Box) -> Box:
    """left = right, over several lines if it is too wide for one."""
    if width(left) + width(right) <= WIDEST or right.kind != "row":
        return row(left, op("="), right)
    pieces: list[list[Box]] = [[]]
    for term in (piece for whole in right.inside for piece in _pieces(whole)):
        if pieces[-1] and width(row(*pieces[-1], term)) > WIDEST - 10:
            pieces.append([])
        pieces[-1].append(term)
    return lines(left, [row(*p) for p in pieces])


def _pieces(term: Box) -> list[Box]:
    """A term, or if it is too wide for a line the terms in its widest bracket, opened and closed by hand."""
    brackets = [k for k, b in enumerate(term.inside) if b.kind == "fenced" and b.inside[0].kind == "row"]
    if width(term) <= WIDEST - 10 or not brackets:
        return [term]
    k = max(brackets, key=lambda k: width(term.inside[k]))
    first, *rest = (piece for part in term.inside[k].inside[0].inside for piece in _pieces(part))
    if not rest:
        return [term]
    last = row(rest[-1], op(")"), *term.inside[k + 1 :])
    return [row(*term.inside[:k], op("("), first), *rest[:-1], last]


@dataclass
class Document:
    """Blocks in order; `title` is the first heading."""

    title: str
    blocks: list[Block] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        """A heading."""
        self.blocks.append(Block("heading", level, text))

    def text(self, *parts: Inline) -> None:
        """A paragraph of text and inline formulas."""
        self.blocks.append(Block("text", content=parts))

    def formula(self, *boxes: Box) -> None:
        """Formulas on lines of their own."""
        for box in boxes:
            self.blocks.append(Block("formula", content=box))

    def equation(self, left: Box, right: Box) -> None:
        """left = right."""
        self.formula(equation(left, right))

    def table(self, head: Sequence[Inline], rows: Sequence[Sequence[Inline]]) -> None:
        """A table with a head."""
        self.blocks.append(Block("table", content=(list(head), [list(r) for r in rows])))

    def formulas(self) -> list[str]:
        """The formulas alone, as LaTeX."""
        return [latex(b.content) for b in self.blocks if b.kind == "formula"]

    # ---- HTML --------------------------------------------------------------------------------

    def html(self) -> str:
        """A page that stands alone; browsers show its MathML without scripts."""
        title = html.escape(self.title)
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n{self.fragment()}\n</body></html>\n"
        )

    def fragment(self) -> str:
        """The blocks as HTML, for a notebook or another page."""
        return "\n".join(_HTML[b.kind](b) for b in self.blocks)

    def _repr_html_(self) -> str:
        return f"<h1>{html.escape(self.title)}</h1>\n{self.fragment()}"

    # ---- LaTeX and Markdown ------------------------------------------------------------------

    def latex(self, *, standalone: bool = True) -> str:
        """A document that compiles, or only its body."""
        body = "\n\n".join(_LATEX[b.kind](b) for b in self.blocks)
        if not standalone:
            return body
        return f"{PREAMBLE}\\section*{{{_tex(self.title)}}}\n\n{body}\n\\end{{document}}\n"

    def markdown(self, *, math: str = "latex") -> str:
        """Markdown with formulas as $LaTeX$, or as MathML for programs that show no LaTeX."""
        return f"# {self.title}\n\n" + "\n\n".join(_markdown(b, math) for b in self.blocks) + "\n"

    __str__ = markdown


def _spans(parts: Sequence[Inline], text: Callable[[str], str], formula: Callable[[Box], str]) -> str:
    return "".join(text(p) if isinstance(p, str) else formula(p) for p in parts)


def _html_spans(parts: Sequence[Inline]) -> str:
    return _spans(parts, html.escape, mathml)


def _html_table(block: Block) -> str:
    head, rows = block.content

    def line(cells: Sequence[Inline], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_html_spans([c])}</{tag}>" for c in cells) + "</tr>"

    return f"<table><thead>{line(head, 'th')}</thead><tbody>{''.join(line(r, 'td') for r in rows)}</tbody></table>"


_HTML: dict[str, Callable[[Block], str]] = {
    "heading": lambda b: f"<h{b.level}>{html.escape(b.content)}</h{b.level}>",
    "text": lambda b: f"<p>{_html_spans(b.content)}</p>",
    "formula": lambda b: f'<div style="{FORMULA}">{mathml(b.content, block=True)}</div>',
    "table": _html_table,
}

_TEX_TEXT = {
    "−": "$-$", "½": "$\\frac12$", "·": "$\\cdot$", "×": "$\\times$", "²": "$^2$", "θ": "$\\theta$", "τ": "$\\tau$",
    "ω": "$\\omega$", "∂": "$\\partial$", "Σ": "$\\sum$", "→": "$\\to$", "≤": "$\\le$", "q̈": "$\\ddot q$",
    "q̇": "$\\dot q$", "…": "\\dots ",
}  # fmt: skip


def _tex(text: str) -> str:
    result = escaped(text)
    for character, command in _TEX_TEXT.items():
        result = result.replace(character, command)
    return result


def _tex_spans(parts: Sequence[Inline]) -> str:
    return _spans(parts, _tex, lambda b: f"${latex(b)}$")


def _tex_table(block: Block) -> str:
    head, rows = block.content
    lines_ = [" & ".join(_tex_spans([c]) for c in line) + r" \\" for line in [head, *rows]]
    lines_.insert(1, r"\hline")
    return f"\\begin{{tabular}}{{{'l' * len(head)}}}\n" + "\n".join(lines_) + "\n\\end{tabular}"


_LATEX: dict[str, Callable[[Block], str]] = {
    "heading": lambda b: f"\\{'sub' * (b.level - 1)}section*{{{_tex(b.content)}}}",
    "text": lambda b: _tex_spans(b.content),
    "formula": lambda b: f"\\[ {latex(b.content)} \\]",
    "table": _tex_table,
}


def _markdown(block: Block, math: str) -> str:
    def formula(box: Box) -> str:
        return f"${latex(box).strip()}$" if math == "latex" else mathml(box)

    def text(words: str) -> str:
        return words.replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")

    if block.kind == "heading":
        return "#" * block.level + " " + block.content
    if block.kind == "text":
        return _spans(block.content, text, formula)
    if block.kind == "formula":
        return f"$$\n{latex(block.content)}\n$$" if math == "latex" else _HTML["formula"](block)
    if math != "latex":
        return _html_table(block)
    head, rows = block.content
    table = ["| " + " | ".join(_spans([c], text, formula) for c in line) + " |" for line in [head, *rows]]
    table.insert(1, "|" + "---|" * len(head))
    return "\n".join(table)
