"""Motions from CSV files, in blocks of rows: every bad cell named by file, line and column.

The first line names the columns: `NAME.q`, `NAME.qd`, `NAME.qdd` for the position, rate and
acceleration of joint NAME, or `q1`, `qd1`, `qdd1`, … in the order of `robot.joint_names`; a column
`t` (or `time`) is carried through, with a warning where it stands still or runs backwards.  All joints need all three,
and there are no other columns.

A piece of whole lines is read by polars, where it is installed, if nothing in it is unusual; by the careful
reader otherwise, which knows what to say.  The next piece is read while the caller works on this one.
"""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import numpy as np

from steiner.errors import FormatError, ModelWarning, unknown
from steiner.files.pace import Block, Pace
from steiner.files.quantity import DECIMAL
from steiner.files.reading import LONGEST, regular, unreadable
from steiner.files.xml import shown
from steiner.model.robot import Robot
from steiner.text.names import csv as safe_cell

PIECE = 2 << 20  # bytes of text at a time
LONGEST_ROW = 1 << 20  # bytes
LONGEST_LINE = 4 << 20  # bytes; a longer one is taken as it comes
TOLD = 5  # skipped rows that are named
QUANTITIES = {"q": "positions", "qd": "velocities", "qdd": "accelerations"}
TIMES = ("t", "time")
LONGEST_HEADER = 100_000  # characters


T = TypeVar("T")


@dataclass
class MotionFile:
    """A CSV file of joint motions, read in blocks by iterating.

    With `degrees` the angles of turning joints are in degrees (rates and accelerations too); sliding
    joints stay in metres.  With `skip_bad` rows that cannot be read are left out and listed in
    `skipped`; otherwise the first one is an error.  With `positions_do` there need be no velocities and accelerations
    (`has_rates`); they are NaN then.
    """

    path: Path
    robot: Robot
    degrees: bool = False
    skip_bad: bool = False
    positions_do: bool = False
    advice: str = ""  # what else the user may do about a row that cannot be read
    after: Mapping[str, Any] | None = None  # `Block.state` to go on from
    skipped: list[str] = field(default_factory=list)  # the first ones
    skips: int = 0

    def __post_init__(self) -> None:
        self.size = regular(self.path).stat().st_size
        self.columns = self._header(self._names())

    def _open(self) -> TextIO:
        try:
            return self.path.open(encoding="utf-8-sig", newline="")
        except OSError as error:
            raise unreadable(self.path, error) from None

    @property
    def has_time(self) -> bool:
        """Whether the file has a column of times."""
        return "t" in self.columns

    @property
    def has_rates(self) -> bool:
        """Whether the file has velocities and accelerations."""
        return "qd" in self.columns and "qdd" in self.columns

    @property
    def has_some_rates(self) -> bool:
        """Whether the file has velocities or accelerations, but not both."""
        return ("qd" in self.columns) != ("qdd" in self.columns)

    # ---- header ------------------------------------------------------------------------------

    def _header(self, names: list[str]) -> dict[Any, Any]:
        """Column index of the time ("t") and of each joint for q, qd, qdd."""
        double = [name for name, count in Counter(names).items() if count > 1]
        if double:
            self._fail(f"column {shown(double[0])!r} appears {names.count(double[0])} times; each column once")
        wanted = self._wanted()
        columns: dict[Any, Any] = {}
        for index, name in enumerate(names):
            if name.lower() in TIMES:
                columns["t"] = index
                continue
            if name in self._results():
                continue
            key = wanted.get(name)
            if key is None:
                self._fail(f"{unknown('column', name, self._plain())}; found {', '.join(map(shown, names))}")
            if key in columns:
                self._fail(f"column {shown(name)!r} and another both give {key[0]} of joint {key[1]!r}; keep one")
            columns[key] = index
        for quantity, plural in QUANTITIES.items():
            missing = [joint for joint in self.robot.joint_names if (quantity, joint) not in columns]
            if self.positions_do and quantity != "q" and len(missing) == self.robot.n:
                continue
            if missing:
                self._fail(self._missing(quantity, plural, missing, names))
            columns[quantity] = [columns[quantity, joint] for joint in self.robot.joint_names]
        self.names, self.width = names, len(names)  # as the file has them
        return columns

    def _names(self) -> list[str]:
        try:
            with self._open() as file:
                first = file.readline(LONGEST_HEADER) if self.size else ""
        except UnicodeDecodeError:
            self._fail("is not UTF-8 text; expected a CSV file")
        self._start = len(first.encode())
        if not first.strip():
            self._fail(f"is empty; expected a header such as {','.join(self._plain()[:3])}")
        if len(first) == LONGEST_HEADER:
            self._fail(f"the first line is longer than {LONGEST_HEADER} characters; expected a header")
        names = [name.strip() for name in next(csv.reader([first]))]
        if ";" in first or "\t" in first or ("," not in first and re.search(r"[\w.][ |:]+[\w.]", first)):
            self._fail("columns are separated by something else than commas; expected commas and decimal points")
        if all(DECIMAL.fullmatch(name) for name in names):
            self._fail(f"has numbers where the header should be; expected {', '.join(self._plain())}")
        return names

    def _wanted(self) -> dict[str, tuple[str, str]]:
        joints = self.robot.joint_names
        numbered = {f"{quantity}{k}": (quantity, joint) for quantity in QUANTITIES for k, joint in enumerate(joints, 1)}
        named = {f"{joint}.{quantity}": (quantity, joint) for joint in joints for quantity in QUANTITIES}
        return numbered | named | {safe_cell(name).strip(): key for name, key in named.items()}

    def _results(self) -> set[str]:
        """What a simulated motion has besides: it is not read."""
        return {safe_cell(f"{joint}.tau").strip() for joint in self.robot.joint_names} | {"energy"}

    def _plain(self) -> list[str]:
        return [f"{joint}.{quantity}" for quantity in QUANTITIES for joint in self.robot.joint_names]

    def _missing(self, quantity: str, plural: str, missing: list[str], names: list[str]) -> str:
        text = (
            f"no column for the {plural} of {', '.join(missing)}; expected {', '.join(self._plain())} "
            f"(or q1, qd1, qdd1, …), found {', '.join(map(shown, names))}"
        )
        if quantity != "q" and len(missing) == self.robot.n:
            text += f". The {plural} are not derived here: add the columns (zeros for an arm at rest)"
        return text

    # ---- rows --------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Block]:
        before = dict(self.after or {})
        turning = [k for k, name in enumerate(self.robot.joint_names) if self.robot.joint(name).turn != 0]
        pace = Pace(self.path, () if self.degrees else turning, **before.get("pace", {}))
        self.skipped, self.skips = list(before.get("skipped", [])), before.get("skips", 0)
        for block in ahead(self._blocks(before)):
            pace.keep(block)
            block.state["pace"] = pace.state
            yield block
        for remark in pace.remarks():
            warnings.warn(remark, ModelWarning, stacklevel=2)

    def _blocks(self, before: Mapping[str, Any]) -> Iterator[Block]:
        for columns, lines, position, state in self._tables(before):
            block = self._block(columns, lines, position, state)
            del columns  # views of what is read at once: gone before more is
            if len(lines):
                yield block

    def _tables(self, before: Mapping[str, Any]) -> Iterator[tuple[Sequence[np.ndarray], np.ndarray, int, dict]]:
        """Columns, the line of each row, and how far it is."""
        line = before.get("line", 2)
        for text, position in self._pieces(before.get("offset", 0)):
            if len(text) > LONGEST_ROW and not text.count(b"\n", 0, LONGEST_ROW) + text.count(b"\r", 0, LONGEST_ROW):
                self._fail("a row of more than a megabyte; expected a number for each column", line)
            columns, lines = self._quickly(text, line) or self._carefully(text, line)
            line += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
            yield columns, lines, position, {"offset": position, "line": line, **self._skips()}

    def _skips(self) -> dict[str, Any]:
        return {"skipped": self.skipped[:TOLD], "skips": self.skips}

    def _pieces(self, offset: int) -> Iterator[tuple[bytes, int]]:
        """Whole lines, about a megabyte at a time, and the bytes read by their end."""
        try:
            with self.path.open("rb") as file:
                marked = file.read(3) == b"\xef\xbb\xbf"
                file.seek(offset or self._start + 3 * marked)
                rest = b""
                while more := file.read(PIECE):
                    text = rest + more
                    end = text.rfind(b"\n") + 1 or text.rfind(b"\r", 0, -1) + 1
                    if text.count(b'"', 0, end) % 2:  # a cell that goes on
                        end = 0
                    if not end and len(text) > LONGEST_LINE:
                        end = len(text)
                    rest = text[end:]
                    if end:
                        yield text[:end], file.tell() - len(rest)
                if rest:
                    yield rest, file.tell()
        except OSError as error:
            raise unreadable(self.path, error) from None

    def _quickly(self, text: bytes, line: int) -> tuple[Sequence[np.ndarray], np.ndarray] | None:
        """All rows at once, if all are finite decimal numbers and each line is a row; None if not."""
        polars = polars_or_none()
        if polars is None or b'"' in text or text.count(b"\n") > len(text) // (2 * self.width) + 1:  # empty lines
            return None
        try:
            schema = {str(k): polars.Float64 for k in range(self.width)}
            frame = polars.read_csv(text, has_header=False, schema=schema)
        except (polars.exceptions.PolarsError, polars.exceptions.PanicException):
            return None
        columns = [column.to_numpy() for column in frame]
        whole = frame.height == text.count(b"\n") + (not text.endswith(b"\n"))
        with np.errstate(all="ignore"):
            if not whole or not all(math.isfinite(column.sum()) for column in columns):
                return None
        return columns, np.arange(line, line + frame.height)

    def _carefully(self, text: bytes, line: int) -> tuple[Sequence[np.ndarray], np.ndarray]:
        """Row by row: what is wrong is told with its line and column."""
        rows: list[list[float]] = []
        lines: list[int] = []
        for at, cells in self._rows(text, line):
            row = self._row(cells, at)
            if row is not None:
                rows.append(row)
                lines.append(at)
        return list(np.array(rows).reshape(len(rows), self.width).T), np.array(lines)

    def _rows(self, text: bytes, line: int) -> Iterator[tuple[int, list[str]]]:
        """Line and cells of each row that is not blank."""
        try:
            words = io.StringIO(text.decode(), newline="")
        except UnicodeDecodeError as error:
            self._fail(f"cannot be read as CSV: {error}", line + text.count(b"\n", 0, error.start))
        reader = csv.reader(words, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield line + reader.line_num - 1, cells
        except csv.Error as error:
            self._fail(f"cannot be read as CSV: {error}", line + reader.line_num - 1)

    def _row(self, cells: list[str], line: int) -> list[float] | None:
        if len(cells) != self.width:
            return self._bad(f"has {len(cells)} cells, the header has {self.width}", line)
        text = "".join(cells)
        if len(text) > LONGEST:
            for index, cell in enumerate(cells):
                if len(cell) > LONGEST:
                    what = f"a text of {len(cell)} characters; expected a decimal number"
                    return self._bad(f"column {shown(self.names[index])!r}: {what}", line)
        try:
            row = list(map(float, cells))
        except ValueError:
            row = []
        if row and math.isfinite(sum(row)) and "_" not in text and text.isascii():
            return row
        for index, cell in enumerate(cells):
            number = cell.strip(" \t\r")
            if not DECIMAL.fullmatch(number) or not math.isfinite(float(number)):
                what = "is empty" if not number else f"{shown(cell)!r} is not a finite decimal number"
                return self._bad(f"column {shown(self.names[index])!r}: {what}", line)
        return [float(cell.strip(" \t\r")) for cell in cells]  # finite cells whose sum overflows

    def _bad(self, message: str, line: int) -> None:
        if not self.skip_bad:
            self._fail(f"{message}; mend the row{self.advice}", line)
        self.skips += 1
        if len(self.skipped) < TOLD:
            self.skipped.append(f"{self.place(line)}: {message}")

    def _block(
        self, columns: Sequence[np.ndarray], lines: np.ndarray, position: int, state: dict[str, Any]
    ) -> Block:
        turns = [self.degrees and self.robot.joint(name).turn != 0 for name in self.robot.joint_names]

        def joints(quantity: str) -> np.ndarray:
            if quantity not in self.columns:
                return np.full((self.robot.n, len(lines)), np.nan).T
            table = np.stack([columns[k] for k in self.columns[quantity]])
            table[turns] *= math.pi / 180
            return table.T

        time = np.array(columns[self.columns["t"]]) if self.has_time else None
        return Block(time, joints("q"), joints("qd"), joints("qdd"), lines, position, state)

    def place(self, line: int) -> str:
        """A line of the file, for messages."""
        return f"{self.path}:{line}"

    def _fail(self, message: str, line: int = 1) -> NoReturn:
        raise FormatError(f"{self.place(line)}: {message}")


def polars_or_none() -> Any:
    """The library of data frames, if it is installed."""
    try:
        import polars
    except ImportError:
        return None
    return polars


def ahead(source: Iterator[T]) -> Iterator[T]:
    """The same, each made by a thread of its own while the caller works on the one before."""
    end = object()
    with ThreadPoolExecutor(1, "steiner-ahead") as pool:
        coming = pool.submit(next, source, end)
        while (found := coming.result()) is not end:
            coming = pool.submit(next, source, end)
            yield found  # type: ignore[misc]
