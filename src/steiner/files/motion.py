"""Motions from CSV files, in blocks of rows: every bad cell named by file, line and column.

The first line names the columns: `NAME.q`, `NAME.qd`, `NAME.qdd` for the position, rate and
acceleration of joint NAME, or `q1`, `qd1`, `qdd1`, … in the order of `robot.joint_names`; a column
`t` (or `time`) is carried through, with a warning where it stands still or runs backwards.  All joints need all three,
and there are no other columns.
"""

from __future__ import annotations

import csv
import math
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np

from steiner.errors import FormatError, ModelWarning, SteinerError, unknown
from steiner.files.quantity import DECIMAL, LONGEST
from steiner.files.reading import regular, unreadable
from steiner.files.xml import shown
from steiner.model.robot import Robot
from steiner.text.names import csv as safe_cell

BLOCK = 16_384  # rows at a time
QUANTITIES = {"q": "positions", "qd": "velocities", "qdd": "accelerations"}
TIMES = ("t", "time")
LONGEST_HEADER = 100_000  # characters


@dataclass
class Block:
    """Some rows of a motion, in SI units; time is None if the file has none."""

    time: np.ndarray | None
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    lines: np.ndarray  # of the file, per row
    position: int  # bytes of the file read so far


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
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.size = regular(self.path).stat().st_size
        with self._open() as file:
            self.columns = self._header(file)

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

    # ---- header ------------------------------------------------------------------------------

    def _header(self, file: TextIO) -> dict[Any, Any]:
        """Column index of the time ("t") and of each joint for q, qd, qdd."""
        names = self._names(file)
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
        self.width = len(names)
        return columns

    def _names(self, file: TextIO) -> list[str]:
        try:
            first = file.readline(LONGEST_HEADER)
        except UnicodeDecodeError:
            self._fail("is not UTF-8 text; expected a CSV file")
        if not first.strip():
            self._fail(f"is empty; expected a header such as {','.join(self._plain()[:3])}")
        if len(first) == LONGEST_HEADER:
            self._fail(f"the first line is longer than {LONGEST_HEADER} characters; expected a header")
        names = [name.strip() for name in next(csv.reader([first]))]
        if ";" in first or "\t" in first:
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
            text += f". The {plural} are not derived from positions: add the columns (zeros for an arm at rest)"
        return text

    # ---- rows --------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Block]:
        pace = Pace(self.path)
        rows: list[list[float]] = []
        lines: list[int] = []
        read = 0
        for line, cells in self._rows():
            read += sum(map(len, cells)) + len(cells)
            row = self._row(cells, line)
            if row is None:
                continue
            rows.append(row)
            lines.append(line)
            if len(rows) == BLOCK:
                yield pace.kept(self._block(rows, lines, read))
                rows, lines = [], []
        if rows:
            yield pace.kept(self._block(rows, lines, read))
        for remark in pace.remarks():
            warnings.warn(remark, ModelWarning, stacklevel=2)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line and cells of each row that is not blank."""
        with self._open() as file:
            file.readline()
            reader = csv.reader(file, strict=True)
            try:
                for cells in reader:
                    if cells:
                        yield reader.line_num + 1, cells
            except (csv.Error, UnicodeDecodeError) as error:
                self._fail(f"cannot be read as CSV: {error}", reader.line_num + 1)

    def _row(self, cells: list[str], line: int) -> list[float] | None:
        if len(cells) != self.width:
            return self._bad(f"has {len(cells)} cells, the header has {self.width}", line)
        text = "".join(cells)
        if len(text) > LONGEST:
            for index, cell in enumerate(cells):
                if len(cell) > LONGEST:
                    what = f"a text of {len(cell)} characters; expected a decimal number"
                    return self._bad(f"column {shown(self._name(index))!r}: {what}", line)
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
                return self._bad(f"column {shown(self._name(index))!r}: {what}", line)
        return [float(cell.strip(" \t\r")) for cell in cells]  # finite cells whose sum overflows

    def _name(self, index: int) -> str:
        for key, value in self.columns.items():
            if value == index:
                return key if isinstance(key, str) else f"{key[1]}.{key[0]}"
        return str(index + 1)

    def _bad(self, message: str, line: int) -> None:
        if not self.skip_bad:
            others = "" if self.positions_do else ", or leave such rows out with --skip-bad"
            self._fail(f"{message}; mend the row{others}", line)
        self.skipped.append(f"{self.path}:{line}: {message}")

    def _block(self, rows: list[list[float]], lines: list[int], read: int) -> Block:
        table = np.array(rows)
        scale = np.ones(self.robot.n)
        if self.degrees:
            scale[[self.robot.joint(name).turn != 0 for name in self.robot.joint_names]] = math.pi / 180
        none = np.full((len(rows), self.robot.n), np.nan)
        q, qd, qdd = (table[:, self.columns[x]] * scale if x in self.columns else none for x in QUANTITIES)
        time = table[:, self.columns["t"]] if self.has_time else None
        return Block(time, q, qd, qdd, np.array(lines), read)

    def _fail(self, message: str, line: int = 1) -> NoReturn:
        raise FormatError(f"{self.path}:{line}: {message}")


@dataclass
class Pace:
    """Whether time goes on from row to row, and whether there are several rows at all."""

    path: Path
    rows: int = 0
    last: float = -math.inf
    first_late: str = ""
    late: int = 0

    def kept(self, block: Block) -> Block:
        """The same block, looked at."""
        self.rows += len(block.lines)
        if block.time is not None:
            before = np.concatenate([[self.last], block.time[:-1]])
            late = np.flatnonzero(block.time <= before)
            if len(late) and not self.late:
                now, then = block.time[late[0]].item(), before[late[0]].item()
                what = "repeats" if now == then else "runs backwards"
                self.first_late = f"{self.path}:{block.lines[late[0]]}: time {what}: {now!r} after {then!r}"
            self.late += len(late)
            self.last = float(block.time[-1])
        return block

    def remarks(self) -> Iterator[str]:
        """What there is to say at the end."""
        if self.late:
            yield self.first_late + (f"; so do {self.late - 1} rows more" if self.late > 1 else "")
        if self.rows == 1:
            yield f"{self.path}: a single row: a state, not a motion; nothing can be derived from it"


def write_efforts(file: TextIO, motion: MotionFile, block: Block, efforts: np.ndarray, *, header: bool) -> None:
    """Rows `t, NAME.tau, …` (N m or N), with the shortest decimals that read back to the same numbers."""
    lost = np.flatnonzero(~np.isfinite(efforts).all(axis=1))
    if len(lost):
        raise SteinerError(
            f"{motion.path}:{block.lines[lost[0]]}: the torques of this row are no finite numbers: positions, "
            "velocities or accelerations are so large that they overflow"
        )
    writer = csv.writer(file, lineterminator="\n")
    if header:
        writer.writerow([*["t"] * motion.has_time, *(safe_cell(f"{name}.tau") for name in motion.robot.joint_names)])
    table = efforts if block.time is None else np.column_stack([block.time, efforts])
    writer.writerows([map(repr, row) for row in table.tolist()])
