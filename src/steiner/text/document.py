"""Documents of text and formulas, printed as HTML (with MathML), LaTeX or Markdown."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from steiner.errors import need
from steiner.text import names
from steiner.text.layout import Box, latex, lines, mathml, op, row, width
from steiner.text.tables import Table, spans

WIDEST = 76.0  # letters of a formula on one line: a page of text beside its lists of contents

Inline = str | Box

FONT = Path(__file__).with_name("steiner-math.woff2")  # glyphs of Latin Modern Math; made by `tools.mathfont`
MATH_FONTS = '"Steiner Math","Latin Modern Math","STIX Two Math","Cambria Math",math'
MATH_STYLE = f"math{{font-family:{MATH_FONTS};font-size:1.05em}}"
STYLE = (
    "body{max-width:56em;margin:2em auto;padding:0 1em;font-family:Georgia,serif;line-height:1.5;color:#222}"
    "h1,h2,h3{font-family:Helvetica,Arial,sans-serif;line-height:1.2}h2{margin-top:2em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse;display:block;overflow-x:auto;margin:1em 0}"
    "td,th{padding:0.2em 0.8em;text-align:left}"
    "th{border-bottom:1px solid #888}"
    + MATH_STYLE
    + "figure{margin:1em 0}figure svg{max-width:100%;height:auto}"
)
# with the formula: pages of others have their own styles; what is too wide scrolls in a box of its own
SCROLLED = "overflow-x:auto;overflow-y:hidden;max-width:100%"
FORMULA = f"{SCROLLED};padding:0.4em 0"
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


@cache
def font_face() -> str:
    """The mathematical font as CSS: a page with formulas brings it along."""
    data = b64encode(FONT.read_bytes()).decode()
    return f'@font-face{{font-family:"Steiner Math";src:url(data:font/woff2;base64,{data}) format("woff2")}}'


def page(title: str, body: str) -> str:
    """A page of HTML that stands alone; one with formulas holds their font."""
    font = font_face() if "<math" in body else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{names.html(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />'
        f"<style>{font}{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


@dataclass
class Document:
    """Blocks in order; `title` is the first heading, `picture` (SVG that is safe to show) stands below it on a page."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    picture: str = ""

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
        self.blocks.append(Block("table", content=Table(list(head), [list(r) for r in rows])))

    def formulas(self) -> list[str]:
        """The formulas alone, as LaTeX."""
        return [latex(b.content) for b in self.blocks if b.kind == "formula"]

    # ---- HTML --------------------------------------------------------------------------------

    def html(self) -> str:
        """A page that stands alone; browsers show its MathML without scripts."""
        return page(self.title, self._repr_html_())

    def fragment(self) -> str:
        """The blocks as HTML, for a notebook or another page."""
        return "\n".join(_HTML[b.kind](b) for b in self.blocks)

    def _repr_html_(self) -> str:
        figure = f"<figure>{self.picture}</figure>\n" if self.picture else ""
        return f"<h1>{names.html(self.title)}</h1>\n{figure}{self.fragment()}"

    # ---- LaTeX and Markdown ------------------------------------------------------------------

    def latex(self, *, standalone: bool = True) -> str:
        """A document that compiles, or only its body."""
        body = "\n\n".join(_LATEX[b.kind](b) for b in self.blocks)
        if standalone is False or not need("standalone", standalone, bool):
            return body
        return f"{PREAMBLE}\\section*{{{names.latex(self.title)}}}\n\n{body}\n\\end{{document}}\n"

    def markdown(self, *, math: str = "latex") -> str:
        """Markdown with formulas as $LaTeX$, or as MathML for programs that show no LaTeX."""
        written = _MARKDOWN if math == "latex" else _MATHML_IN_MARKDOWN
        return f"# {names.markdown(self.title)}\n\n" + "\n\n".join(written[b.kind](b) for b in self.blocks) + "\n"

    __str__ = markdown


_HTML: dict[str, Callable[[Block], str]] = {
    "heading": lambda b: f"<h{b.level}>{names.html(b.content)}</h{b.level}>",
    "text": lambda b: f"<p>{spans(b.content, names.html, mathml)}</p>",
    "formula": lambda b: f'<div style="{FORMULA}">{mathml(b.content, block=True)}</div>',
    "table": lambda b: f'<div style="{SCROLLED}">{b.content.html()}</div>',
}

_LATEX: dict[str, Callable[[Block], str]] = {
    "heading": lambda b: f"\\{'sub' * (b.level - 1)}section*{{{names.latex(b.content)}}}",
    "text": lambda b: spans(b.content, names.latex, lambda box: f"${latex(box)}$"),
    "formula": lambda b: f"\\[ {latex(b.content)} \\]",
    "table": lambda b: b.content.latex(),
}

_MARKDOWN: dict[str, Callable[[Block], str]] = {
    "heading": lambda b: f"{'#' * b.level} {names.markdown(b.content)}",
    "text": lambda b: names.markdown_line(spans(b.content, names.markdown, lambda box: f"${latex(box).strip()}$")),
    "formula": lambda b: f"$$\n{latex(b.content)}\n$$",
    "table": lambda b: b.content.markdown(),
}


def _inert(page: str) -> str:
    """HTML that Markdown leaves alone: its signs of emphasis, links and code as numbers."""
    return re.sub(r">[^<]+<", lambda text: re.sub(r"[\\`*_\[\]|$~]", lambda c: f"&#{ord(c[0])};", text[0]), page)


_MATHML_IN_MARKDOWN = _MARKDOWN | {
    "text": lambda b: names.markdown_line(spans(b.content, names.markdown, lambda box: _inert(mathml(box)))),
    "formula": lambda b: _inert(_HTML["formula"](b)),
    "table": lambda b: _inert(_HTML["table"](b)),
}
