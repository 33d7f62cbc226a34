"""What a report is made of, as HTML: tables whose numbers can be read back, sentences, formulas, folded blocks.

Every number of a table stands in a cell with `data-value` (all its digits), `data-column` and, at the row, `data-row`;
its unit is in the head of the column or in the cell.  Round-off beside the other numbers of that unit reads
as 0; the value keeps it.  Names come from strangers: they pass `names.html`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

from steiner.scalar import is_number
from steiner.text.document import Document
from steiner.text.layout import Box, mathml
from steiner.text.names import html
from steiner.text.steps import Derivation
from steiner.text.tables import ROUND_OFF

DIGITS = 5
PERCENT = 3  # digits of shares
LONG = 36  # letters of a cell from which on it may take several lines


class Quantity(NamedTuple):
    """A number with a unit of its own, where a column has several."""

    value: Any
    unit: str


class Column(NamedTuple):
    """A column: the key that programs find it by, and its head."""

    key: str
    title: str
    unit: str = ""


@final
@dataclass(frozen=True)
class Grid:
    """A table: rows are (label, cells); a cell is a number, a `Quantity`, a text, a formula, or None for nothing."""

    id: str
    columns: Sequence[Column]  # the first is that of the labels
    rows: Sequence[tuple[str, Sequence[Any]]]
    caption: str = ""
    notes: Sequence[str] = ()
    depths: Sequence[int] = ()
    labels: Sequence[str] = ()  # what is shown in place of the rows' names
    settled: bool = True  # whether round-off reads as 0

    def html(self) -> str:
        """The table in a box of its own that scrolls if it is too wide."""
        head = "".join(f"<th{_side(self, k)}>{_head(column)}</th>" for k, column in enumerate(self.columns))
        body = "".join(self._row(k, name, cells) for k, (name, cells) in enumerate(self.rows))
        caption = f"<caption>{html(self.caption)}</caption>" if self.caption else ""
        inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        table = f'<div class="wide"><table class="grid" id="{html(self.id)}">{inside}</table></div>'
        return table + "".join(map(note, self.notes))

    @cached_property
    def _least(self) -> dict[str, float]:
        """By unit: what is round-off beside the largest number of that unit."""
        largest: dict[str, float] = {}
        for _, cells in self.rows if self.settled else ():
            for column, cell in zip(self.columns[1:], cells, strict=True):
                value, unit = cell if isinstance(cell, Quantity) else (cell, column.unit)
                if unit and is_number(value) and math.isfinite(value):
                    largest[unit] = max(largest.get(unit, 0.0), ROUND_OFF * abs(float(value)))
        return largest

    def _row(self, k: int, name: str, cells: Sequence[Any]) -> str:
        depth = self.depths[k] if self.depths else 0
        label = html(self.labels[k] if self.labels else name)
        indent = f' style="padding-left:{0.4 + 1.1 * depth:.1f}em"' if depth else ""
        inside = "".join(_cell(column, cell, self._least) for column, cell in zip(self.columns[1:], cells, strict=True))
        return f'<tr data-row="{html(name)}"><th scope="row"{indent}>{label}</th>{inside}</tr>'


def _head(column: Column) -> str:
    unit = f' <span class="unit">{html(column.unit)}</span>' if column.unit else ""
    return html(column.title) + unit


def _side(grid: Grid, k: int) -> str:
    numbers = k and any(_is_numeric(cells[k - 1]) for _, cells in grid.rows)
    return ' class="number"' if numbers else ""


def _is_numeric(cell: Any) -> bool:
    return isinstance(cell, Quantity) or is_number(cell)


def _cell(column: Column, cell: Any, least: Mapping[str, float]) -> str:
    key = f' data-column="{html(column.key)}"'
    if cell is None:
        return f'<td{key} class="number">–</td>'
    if isinstance(cell, Box):
        return f"<td{key}>{mathml(cell)}</td>"
    if not _is_numeric(cell):
        long = ' class="long"' if len(str(cell)) > LONG else ""
        return f"<td{key}{long}>{html(str(cell))}</td>"
    value, unit = cell if isinstance(cell, Quantity) else (cell, column.unit)
    if value is None or not math.isfinite(value):
        return f'<td{key} class="number">–</td>'
    beside = f' <span class="unit">{html(unit)}</span>' if isinstance(cell, Quantity) else ""
    said = f' data-unit="{html(unit)}"' if unit else ""
    seen = value if abs(value) >= least.get(unit, 0.0) else 0
    bar = f' style="--part:{min(max(float(value), 0), 100):.4g}%"' if unit == "%" else ""
    figures = digits(seen, PERCENT if unit == "%" else DIGITS)
    return f'<td{key} class="number" data-value="{plain(value)}"{said}{bar}>{figures}{beside}</td>'


def plain(value: Any) -> str:
    """All digits of a number, for programs."""
    return str(int(value)) if isinstance(value, int) else repr(float(value))


def digits(value: Any, count: int = DIGITS) -> str:
    """A few digits of a number, for people."""
    if isinstance(value, int):
        return f"{value}".replace("-", "−")
    text = f"{float(value):.{count}g}"
    mantissa, _, power = text.partition("e")
    return (mantissa + (f"e{int(power)}" if power else "")).replace("-", "−") if float(text) else "0"


def number(value: Any, unit: str, key: str, count: int = DIGITS) -> str:
    """A number in a sentence, to be read back by its key."""
    if value is None or not math.isfinite(value):
        return "–"
    said = f'data-key="{html(key)}" data-value="{plain(value)}" data-unit="{html(unit)}"'
    return f"<b {said}>{digits(value, count)}</b>{' ' + html(unit) if unit else ''}"


def sentence(*parts: str) -> str:
    """A paragraph of HTML that is safe already."""
    return f"<p>{''.join(parts)}</p>"


def text(words: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{html(words)}</p>"


def note(words: str, kind: str = "note") -> str:
    """A remark below a table or a picture."""
    return f'<p class="{kind}">{html(words)}</p>'


_LACK = '<p class="lack">'


def lack(words: str) -> str:
    """Why something is not here."""
    return f'{_LACK}{html(words)}</p>'


def is_lack(block: str) -> bool:
    """Whether a block says no more than why something is not here."""
    return block.startswith(_LACK)


def heading(words: str, level: int = 3) -> str:
    """A heading inside of a section."""
    return f"<h{level}>{html(words)}</h{level}>"


def folded(title: str, body: str, *, id: str = "", printed: bool = True) -> str:
    """What opens on a click, and on paper unless it is long."""
    named = (f' id="{html(id)}"' if id else "") + (" data-printed" if printed else "")
    return f'<details class="folded"{named}><summary>{html(title)}</summary>{body}</details>'


def formulas(document: Document | Derivation) -> str:
    """A document with its formulas as MathML, and as LaTeX behind a button."""
    source = document.latex(standalone=False) if isinstance(document, Document) else document.latex()
    return f'<div class="formulas">{document.fragment()}{latex(source)}</div>'


def latex(source: str) -> str:
    """LaTeX behind a button."""
    return f'<details class="latex"><summary>LaTeX</summary><pre>{html_lines(source)}</pre></details>'


def html_lines(source: str) -> str:
    """Lines of text that stay lines."""
    return "\n".join(map(html, source.splitlines()))


def joined(blocks: Iterable[str]) -> str:
    """Blocks one below the other."""
    return "\n".join(blocks)
