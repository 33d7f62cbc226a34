"""Tables as text and as HTML, for terminals and notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from steiner.scalar import is_number


def shown(x: Any) -> str:
    """A number or a vector for people: six digits, symbols as they are."""
    if isinstance(x, np.ndarray) and x.ndim:
        return "(" + ", ".join(shown(v) for v in x) + ")"
    if isinstance(x, np.ndarray):
        x = x[()]
    return f"{float(x):.6g}" if is_number(x) else str(x)


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest entry, two blanks between them."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """The same as an HTML table; every text is escaped."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    body = "".join(line(row, "td") for row in rows)
    return f"<table>{top}<thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"
