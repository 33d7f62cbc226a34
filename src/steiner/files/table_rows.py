"""Tables with one row per joint, as CSV or YAML: the same columns, every length and angle with its unit said.

CSV: lines `# key: value` first, then the names of the columns with units in brackets, `d [mm]`.  YAML: `unit:` and
`angle:` at the top, and a list of rows.  A cell may carry its own unit, `120 mm`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from steiner.errors import FormatError, SteinerError, unknown
from steiner.files import yaml
from steiner.files.quantity import DECIMAL, KINDS, quantity, written_unit
from steiner.files.reading import decoded
from steiner.files.writing import decimal
from steiner.text.names import csv as safe_cell
from steiner.text.names import terminal

T = TypeVar("T")
MUST_SAY = ("length", "angle")  # what no table may leave without a unit
MOST_ROWS = 1000
COLUMN = re.compile(r"([^\[\]]*?)\s*(?:\[([^\[\]]*)\])?")
META = re.compile(r"#\s*([a-z]+)\s*:\s*(.*)")


@dataclass
class Row:
    """Cells by column, where they stand, and units of bare numbers by column."""

    place: str
    cells: Mapping[str, Any]
    units: Mapping[str, str]
    example: str = "d [mm]"

    def fail(self, text: str) -> FormatError:
        """An error that says where."""
        return FormatError(f"{self.place}: {text}")

    def guarded(self, make: Callable[[], T]) -> T:
        """The result of `make`; its errors are given file and line."""
        try:
            return make()
        except FormatError:
            raise
        except SteinerError as error:
            raise self.fail(str(error)) from None

    def has(self, column: str) -> bool:
        """Whether something stands there."""
        value = self.cells.get(column)
        return value is not None and str(value).strip() != ""

    def word(self, column: str, default: str = "") -> str:
        """A text."""
        return str(self.cells[column]).strip() if self.has(column) else default

    def number(self, column: str, kind: str, default: float | None = 0.0) -> float:
        """A number in SI units; lengths and angles need a unit unless they are 0."""
        if not self.has(column):
            if default is None:
                raise self.fail(f"`{column}` is missing")
            return default
        value, unit = self.cells[column], self.units.get(column) or self.units.get(kind)
        if unit is not None and unit not in KINDS[kind][0]:
            unit = None  # the unit of a column of angles says nothing about a joint that slides
        text = str(value).strip()
        number = DECIMAL.fullmatch(text)
        if kind in MUST_SAY and unit is None and number and float(text) != 0:
            own = KINDS[kind][2].split()[1]
            raise self.fail(f"{column}: {text} has no unit; say it: {self.example}, or here: {text} {own}")
        try:
            return quantity(value if not isinstance(value, str) else text, kind, unit)
        except FormatError as error:
            raise self.fail(f"{column}: {error}") from None


@dataclass
class TableText:
    """What a table says: about the whole, and row by row."""

    place: str
    about: dict[str, str]
    rows: list[Row] = field(default_factory=list)

    def fail(self, text: str) -> FormatError:
        """An error that says where."""
        return FormatError(f"{self.place}: {text}")

    def numbers(self, key: str, count: int) -> list[float] | None:
        """Numbers with spaces or commas between them, in SI units."""
        if key not in self.about:
            return None
        words = self.about[key].replace(",", " ").split()
        if len(words) != count:
            raise self.fail(f"{key}: {terminal(self.about[key])} has {len(words)} numbers; expected {count}")
        try:
            return [quantity(word, "number") for word in words]
        except FormatError as error:
            raise self.fail(f"{key}: {error}") from None


def from_csv(text: str | bytes, file: str, columns: Sequence[str], keys: Sequence[str]) -> TableText:
    """The table of a CSV text."""
    text = decoded(text, file)
    table, head, units = TableText(f"{file}:1", {}), [], {}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise FormatError(f"{file}:{reader.line_num}: is not CSV: {error}") from None
        if cells is None:
            break
        place = f"{file}:{reader.line_num}"
        if len(table.rows) > MOST_ROWS:
            raise FormatError(f"{place}: more than {MOST_ROWS} rows; this is no robot")
        if not any(cell.strip() for cell in cells):
            continue
        if cells[0].lstrip().startswith("#"):
            if (found := META.fullmatch(",".join(cells).strip())) and found[1] in keys:
                table.about[found[1]] = found[2].strip()
            continue
        if not head:
            head, units = _head(cells, place, columns)
            continue
        if len(cells) != len(head):
            raise FormatError(f"{place}: {len(cells)} cells; the first line names {len(head)} columns")
        table.rows.append(Row(place, dict(zip(head, cells, strict=True)), units))
    return table


def _head(cells: Sequence[str], place: str, columns: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Names of columns, and their units."""
    head, units = [], {}
    for cell in cells:
        found = COLUMN.fullmatch(cell.strip())
        name = found[1].strip() if found else cell.strip()
        if name not in columns:
            raise FormatError(f"{place}: {unknown('column', name, columns)}")
        if name in head:
            raise FormatError(f"{place}: a second column {name!r}")
        head.append(name)
        if found and found[2]:
            units[name] = written_unit(found[2].strip())
            if not any(units[name] in known for known, _, _ in KINDS.values()):
                raise FormatError(f"{place}: {name}: {terminal(found[2])!r} is no unit")
    return head, units


def from_yaml(text: str | bytes, file: str, top: str, columns: Sequence[str], keys: Sequence[str],
              unit: str | None) -> TableText:  # fmt: skip
    """The table of a YAML text, under the key `top`."""
    document = yaml.parse(text, file).mapping()
    document.only(("unit", "angle", top))
    units = {}
    for key, kind, given in (("unit", "length", unit), ("angle", "angle", None)):
        if (stated := document.get(key) or given) is not None:
            if stated not in KINDS[kind][0]:
                raise document.error(unknown(f"unit of {kind}", stated, KINDS[kind][0]), key)
            units[kind] = stated
    if top not in document:
        raise document.error(f"expected the key `{top}` (with its rows)")
    node = document.child(top)
    node.only((*keys, "rows"))
    if "rows" not in node:
        raise node.error("expected `rows`, a list with one entry per joint")
    about = {key: _plain(node[key]) for key in keys if key in node}
    table = TableText(f"{file}:{node.line()}", about)
    for child in node.children("rows"):
        child.only(columns)
        table.rows.append(Row(f"{file}:{child.line()}", dict(child.data), units, "unit: mm and angle: deg at the top"))
    return table


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- written ---------------------------------------------------------------------------------------------


def as_csv(about: Mapping[str, str], head: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A table as CSV; `head` gives units by column."""
    out = io.StringIO()
    for key, value in about.items():
        out.write(f"# {key}: {_text(value, value)}\n")
    used = _used(head, rows)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f"{name} [{head[name]}]" if head[name] else name for name in used])
    for row in rows:
        for name in filter(None, (row.get("joint"), row.get("link"))):
            _text(name, safe_cell(name).replace("\\x3b", ";"))
        writer.writerow([_cell(row.get(name)) for name in used])
    return out.getvalue()


def _text(value: str, shown: str) -> str:
    """A name as it stands in CSV, if it is read back as it is, and by spreadsheets as a name."""
    if terminal(shown) != value or value.strip() != value:
        raise FormatError(f"the name {value!r} cannot stand in a table of CSV; rename it")
    return value


def as_yaml(top: str, about: Mapping[str, str], head: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A table as YAML, in metres and radians."""
    from steiner.text.names import json

    lines = ["unit: m", "angle: rad", f"{top}:"]
    lines += [f"  {key}: {json(value, indent=None)}" for key, value in about.items()]
    lines.append("  rows:")
    for row in rows:
        cells = [f"{name}: {_flow(row[name])}" for name in _used(head, rows) if row.get(name) is not None]
        lines.append(f"    - {{{', '.join(cells)}}}")
    return "\n".join([*lines, ""])


def _flow(value: Any) -> str:
    from steiner.text.names import json

    return json(value, indent=None) if isinstance(value, str) else decimal(value)


def _used(head: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [name for name in head if any(row.get(name) is not None for row in rows)]


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else decimal(value)
