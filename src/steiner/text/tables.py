"""Tables, written once for every medium: terminal, Markdown, HTML, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, final

import numpy as np

from steiner.errors import printable, whole
from steiner.records import record
from steiner.scalar import is_number
from steiner.text import names
from steiner.text.layout import Box, latex, mathml, number

GAP = "  "  # between the columns of a text, and the indentation of a row in it
ROUND_OFF = 1e-14
NO_LENGTH = 1e-12  # of the size of a body: in a metre, a hundredth of an atom

Cell = Any  # a text; a number, a vector or a symbol; a formula (`Box`); or a tuple of texts and formulas


def shown(x: Any) -> str:
    """A number or a vector for people: six digits, symbols as they are."""
    if isinstance(x, str):
        return x
    if isinstance(x, float):
        return f"{x:.6g}" if x else "0"
    if isinstance(x, np.ndarray) and x.ndim:
        return "(" + ", ".join(shown(v) for v in x) + ")"
    if isinstance(x, np.ndarray):
        x = x[()]
    if is_number(x):
        return f"{float(x):.6g}" if x != 0 else "0"
    return str(x)


def settled(values: Any, beside: Any = (), least: float = ROUND_OFF) -> Any:
    """The values with 0 for each that is round-off beside the largest of them (and of others of their kind)."""
    array = np.asarray(values)
    if array.dtype == np.float64 and np.asarray(beside).dtype == np.float64:
        sizes = np.abs(np.concatenate([array.ravel(), np.ravel(beside)]))
        return np.where(np.abs(array) < least * sizes[np.isfinite(sizes)].max(initial=0.0), 0.0, array)
    numbers = [abs(float(x)) for a in (array, np.asarray(beside)) for x in a.ravel() if is_number(x)]
    size = max((x for x in numbers if np.isfinite(x)), default=0.0)
    result = array.copy()
    for at in np.ndindex(array.shape):
        if is_number(array[at]) and abs(array[at]) < least * size:
            result[at] = 0
    return result


def settled_centres(centres: Any, *bodies: Any) -> Any:
    """Centres, or the way between them, with 0 for what is no length beside the places and sizes of these bodies.

    They are quotients of sums over all faces of a mesh, which leave more than the round-off of one number.
    """
    return settled(centres, [x for body in bodies for x in (*body.com, _size(body))], NO_LENGTH)


def _size(body: Any) -> float:
    """The largest radius of gyration about an axis [m]; 0 where it is not known."""
    moments = [abs(float(x)) for x in body.inertia.ravel() if is_number(x)]
    return math.sqrt(max(moments, default=0.0) / abs(float(body.mass))) if is_number(body.mass) and body.mass else 0.0


@final
@record
class Table:
    """Head and rows of cells; names in them are made safe where they are written.

    A caption frames the table: it stands above the text, which then has a rule under its head.
    """

    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    align: str = ""  # "l" or "r" for each column; all to the left if nothing is said
    notes: Sequence[str] = ()  # sentences below
    depths: Sequence[int] = ()  # how far the first cell of each row is indented

    # ---- terminal and spreadsheet ------------------------------------------------------------

    def text(self, width: int | None = None) -> str:
        """Columns padded to their widest entry, two blanks between them.

        With a `width` no line is longer: columns that have no room follow in further blocks below, which begin with
        the first column again, and what is too long for a line ends in an ellipsis.
        """
        width = None if width is None else whole("width", width, 1, 1_000_000)
        grid = self._grid(printable, latex, GAP)
        columns = list(zip(*grid, strict=True))
        rulers = [_ruler(column) for column in columns]
        natural = [max(map(ruler, column)) for ruler, column in zip(rulers, columns, strict=True)]
        blocks, widths = _blocks(natural, width)
        lines = _wrapped(self.caption, width)
        for block in blocks:
            lines += [""] * (block is not blocks[0])
            padded = [self._padded(k, columns[k], widths[k], rulers[k]) for k in block]
            texts = [GAP.join(cells).rstrip() for cells in zip(*padded, strict=True)]
            if self.caption:
                texts.insert(bool(self.head), "-" * (sum(widths[k] for k in block) + len(GAP) * (len(block) - 1)))
            lines += texts
        return "\n".join([*lines, *(line for note in self.notes for line in _wrapped(note, width))])

    def _padded(self, k: int, cells: Sequence[str], width: int, ruler: Callable[[str], int]) -> list[str]:
        """A column, each cell cut or filled up to its width."""
        fill = str.rjust if self.align[k : k + 1] == "r" else str.ljust
        cut = [_cut(cell, width) for cell in cells] if max(map(ruler, cells)) > width else cells
        return [fill(cell, width if ruler is len else width + len(cell) - ruler(cell)) for cell in cut]

    def csv(self) -> str:
        """Comma-separated values: head and rows, numbers with all their digits; see `names.csv` for texts."""

        def written(cell: Cell) -> str:
            return repr(float(cell)) if is_number(cell) else names.csv(spans(cell, str, latex))

        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([written(cell) for cell in row] for row in ([self.head] if self.head else []) + [*self.rows])
        return file.getvalue()

    # ---- pages -------------------------------------------------------------------------------

    def markdown(self) -> str:
        """A table of GitHub's Markdown, formulas as $LaTeX$."""
        grid = self._grid(names.markdown, lambda b: f"${latex(b).strip()}$".replace("|", r"\vert "), "&nbsp;&nbsp;")
        head, body = (grid[0], grid[1:]) if self.head else ([""] * self._columns, grid)
        marks = ["---:" if self.align[k : k + 1] == "r" else "---" for k in range(self._columns)]
        lines = [f"| {' | '.join(row)} |" for row in (head, marks, *body)]
        above = [names.markdown_line(names.markdown(self.caption)), ""] if self.caption else []
        return "\n".join([*above, *lines, *(f"\n{names.markdown_line(names.markdown(n))}" for n in self.notes)])

    def html(self) -> str:
        """An HTML table, formulas as MathML."""
        grid = self._grid(names.html, mathml, "&nbsp;&nbsp;")
        plain = [""] * self._columns
        sides = [f' style="text-align:{"right" if side == "r" else "left"}"' for side in self.align] or plain
        head = f"<thead>{_row(grid[0], plain, 'th')}</thead>" if self.head else ""
        body = "".join(_row(row, sides, "td") for row in grid[bool(self.head) :])
        title = f"<caption>{names.html(self.caption)}</caption>" if self.caption else ""
        notes = "".join(f"<p>{names.html(n)}</p>" for n in self.notes)
        return f"<table>{title}{head}<tbody>{body}</tbody></table>{notes}"

    def latex(self) -> str:
        """A tabular that needs no package, numbers and symbols as formulas; the caption is left to the page."""
        grid = self._grid(names.latex, lambda b: f"${latex(b)}$", "~~", _formula)
        lines = [rf"{' & '.join(row)} \\" for row in grid]
        lines.insert(bool(self.head), r"\hline")
        lines = [r"\hline", *lines, r"\hline"] if self.caption else lines
        columns = self.align or "l" * self._columns
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()

    @property
    def _columns(self) -> int:
        return len(self.head or next(iter(self.rows), ()))

    def _grid(
        self,
        text: Callable[[str], str],
        formula: Callable[[Box], str],
        indent: str,
        value: Callable[[Any], str | None] | None = None,
    ) -> list[list[str]]:
        """Every cell as text, the head first; `value` writes numbers and symbols if the medium has a way of its own."""
        if value is None:
            grid = [[spans(c, text, formula) for c in row] for row in self.rows]
        else:
            grid = [[value(c) or spans(c, text, formula) for c in row] for row in self.rows]
        for row, depth in zip(grid, self.depths, strict=False):
            row[0] = indent * depth + row[0]
        return ([[spans(c, text, formula) for c in self.head]] if self.head else []) + grid


def spans(cell: Cell, text: Callable[[str], str], formula: Callable[[Box], str]) -> str:
    """Texts and formulas side by side, each written in its way; digits are safe in all of them."""
    if type(cell) is str:
        return text(cell)
    if isinstance(cell, float):
        return f"{cell:.6g}" if cell else "0"
    if not isinstance(cell, (tuple, Box)):
        return text(shown(cell))
    parts = cell if isinstance(cell, tuple) else (cell,)
    return "".join(formula(p) if isinstance(p, Box) else text(shown(p)) for p in parts)


def _row(cells: Sequence[str], sides: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}{s}>{c}</{tag}>" for c, s in zip(cells, sides, strict=True)) + "</tr>"


def _formula(cell: Cell) -> str | None:
    """A number or a symbol as a formula of LaTeX; None for what is text, or has names that are no words."""
    if is_number(cell) or (isinstance(cell, str) and names.DECIMAL.fullmatch(cell)):
        return f"${latex(number(cell if isinstance(cell, str) else shown(cell)))}$"
    printer = getattr(cell, "_repr_latex_", None)
    if printer is None or not all(names.is_formula(str(s)) for s in getattr(cell, "free_symbols", ())):
        return None
    return printer().replace(r"\displaystyle ", "")


# ---- the width of a text -------------------------------------------------------------------------------


def _width(text: str) -> int:
    """Columns of a terminal: marks above a letter take none, letters of East Asia two."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _ruler(cells: Sequence[str]) -> Callable[[str], int]:
    """What measures these: `len` if every letter takes one column."""
    return len if all(_width(letter) == 1 for letter in set("".join(cells))) else _width


def _cut(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    taken = accumulate(map(_width, text))
    return text[: sum(w < width for w in taken)] + "…"


def _wrapped(text: str, width: int | None) -> list[str]:
    if not text:
        return []
    return textwrap.wrap(names.terminal(text), width) if width else [names.terminal(text)]


def _blocks(widths: list[int], width: int | None) -> tuple[list[list[int]], list[int]]:
    """Which columns stand side by side, and how wide each is; every block begins with the first column."""
    if width is None or sum(widths) + len(GAP) * (len(widths) - 1) <= width:
        return [list(range(len(widths)))], widths
    first = min(widths[0], width if len(widths) == 1 else max(width // 2, 1))
    room = max(width - first - len(GAP), 1)
    widths = [first, *(min(w, room) for w in widths[1:])]
    return [[0, *block] for block in _filled(widths, room)] or [[0]], widths


def _filled(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    block: list[int] = []
    for k in range(1, len(widths)):
        if block and sum(widths[j] + len(GAP) for j in (*block, k)) - len(GAP) > room:
            yield block
            block = []
        block.append(k)
    if block:
        yield block
