"""Parquet: motions read through polars, and a writer of float64 columns that needs nothing and can go on later.

The writer follows the format's specification (github.com/apache/parquet-format, `parquet.thrift`): row groups of one
plain, uncompressed page per column, then the footer in Thrift's compact protocol.  Torques hardly compress.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from steiner.errors import FormatError
from steiner.files.motion import MotionFile, polars_or_none
from steiner.files.xml import shown

SLAB_BYTES = 40 << 20  # of numbers read at a time; half if row groups are large: polars holds all it asks for of one
MOST_ROWS = 1 << 18  # of a slab: as many as many writers put into a row group, which is unpacked anew for each slab
BLOCK = 1 << 15  # rows given away at a time
TOGETHER = 4  # columns read at a time, half as many of a large row group
MOST_FOOTER = 1 << 20  # bytes of a footer that are looked through; row groups of a longer one count as large
FEWEST = 1 << 16  # rows of a group, but for the last
MAGIC = b"PAR1"
DOUBLE, REQUIRED, PLAIN, RLE, UNCOMPRESSED = 5, 0, 0, 3, 0


@dataclass
class ParquetMotion(MotionFile):
    """A Parquet file of joint motions; what is said of lines in a CSV file is said of rows here, from 1 on."""

    def _names(self) -> list[str]:
        self._polars = polars_or_none()
        if self._polars is None:
            raise FormatError(f"{self.path}: a .parquet file needs polars: pip install 'steiner[data]'")
        with self._told():
            name = self.path.resolve()
            self._footer = footer(name)
            if wrong := misplaced(self._footer, name.stat().st_size):
                self._fail(f"cannot be read as Parquet: {wrong}")
            self._frame = self._polars.scan_parquet(name, glob=False, hive_partitioning=False)
            self._schema = self._frame.collect_schema()
            self.size = int(self._frame.select(self._polars.len()).collect().item())
        return list(self._schema)

    def _header(self, names: list[str]) -> dict[Any, Any]:
        columns = super()._header([name.strip() for name in names])
        used = sorted({k for k in columns.values() if isinstance(k, int)})
        for k in used:
            if not self._schema[names[k]].is_numeric():
                self._fail(f"column {names[k]!r} holds {self._schema[names[k]]}; expected numbers")
        self._chosen = [self._polars.col(names[k]).cast(self._polars.Float64) for k in used]
        self.names, self.width = [self.names[k] for k in used], len(used)
        place = {k: new for new, k in enumerate(used)}
        return {key: [place[k] for k in v] if isinstance(v, list) else place[v] for key, v in columns.items()}

    def _tables(self, before: Mapping[str, Any]) -> Iterator[tuple[Sequence[np.ndarray], np.ndarray, int, dict]]:
        share = 1 if self.size <= MOST_ROWS or largest_group(self._footer) <= MOST_ROWS else 2
        start, step = before.get("row", 0), min(max(SLAB_BYTES // share // (8 * max(self.width, 1)), 1), MOST_ROWS)
        while start < self.size:
            slab = self._slab(start, step, TOGETHER // share)
            for lo in range(0, len(slab[0]), BLOCK):
                end = start + min(lo + BLOCK, len(slab[0]))
                columns, rows = self._finite([x[lo : lo + BLOCK] for x in slab], np.arange(start + lo, end) + 1)
                yield columns, rows, end, {"row": end, **self._skips()}
                columns = []
            start += step
            slab = []  # before the next one is read

    def _slab(self, start: int, rows: int, together: int) -> list[np.ndarray]:
        columns: list[np.ndarray] = []
        for k in range(0, self.width, together):
            with self._told():
                frame = self._frame.slice(start, rows).select(self._chosen[k : k + together]).collect()
            columns += [column.to_numpy() for column in frame]
        return columns

    def _finite(self, columns: list[np.ndarray], rows: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        with np.errstate(all="ignore"):
            if all(np.isfinite(column.sum()) for column in columns):
                return columns, rows
        fits = np.isfinite(columns)
        for k in np.flatnonzero(~fits.all(axis=0)).tolist():
            index = int(np.flatnonzero(~fits[:, k])[0])
            self._bad(f"column {shown(self.names[index])!r}: is empty or no finite number", int(rows[k]))
        good = fits.all(axis=0)
        return [column[good] for column in columns], rows[good]

    def place(self, line: int) -> str:
        """A row of the file, for messages."""
        return f"{self.path}: row {line}"

    def _fail(self, message: str, line: int = 0) -> Any:
        raise FormatError(f"{self.place(line) if line else self.path}: {message}")

    def _told(self) -> Any:
        return _Told(self)


class _Told:
    """Errors of polars in our words."""

    def __init__(self, motion: ParquetMotion) -> None:
        self.motion = motion

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        from polars.exceptions import PanicException, PolarsError

        if isinstance(error, PolarsError | PanicException | OSError):
            first = str(error).strip().partition("\n")[0][:200]
            if isinstance(error, PanicException):  # its threads have said on stderr what they met
                first = "it is damaged, and polars broke off"
            raise FormatError(f"{self.motion.path}: cannot be read as Parquet: {first}") from None


def footer(path: Path) -> dict[int, Any]:
    """What stands at the end of a file, field by field; nothing where that is long or cannot be read: polars tells."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size <= 8:  # nothing is waited for that has no end
            return {}
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little")
        if not 0 < length <= min(size - 8, MOST_FOOTER):
            return {}
        file.seek(-8 - length, os.SEEK_END)
        data = iter(file.read(length))
    try:
        return _fields(data)
    except (TypeError, ValueError, OverflowError, StopIteration, RecursionError):
        return {}


def largest_group(footer: Mapping[int, Any]) -> float:
    """Rows of the largest row group; where they are not known, more than any."""
    try:
        return float(max((group[3] for group in footer[4]), default=0))
    except (LookupError, TypeError, ValueError, OverflowError):
        return np.inf


def misplaced(footer: Mapping[int, Any], size: int) -> str:
    """What a footer says of rows and places that a file of this size cannot hold: threads of polars panic over it."""
    try:
        rows, groups = footer[3], footer[4]
        counted = sum(group[3] for group in groups)
        if counted != rows or min((group[3] for group in groups), default=0) < 0:
            return f"it says {rows} rows, its row groups say {counted}"
        for place in (chunk[3] for group in groups for chunk in group[1]):
            start, length = place.get(11, place[9]), place[7]  # of the dictionary, if there is one
            if not 0 <= start <= start + length <= size:
                return f"bytes {start} to {start + length} are said to be a column, of a file of {size} bytes"
    except (LookupError, TypeError, AttributeError):  # polars tells
        return ""
    return ""


# ---- writing -----------------------------------------------------------------------------------


class ParquetWriter:
    """Columns of float64 into a file, group by group; `state` is what another one goes on from."""

    def __init__(self, file: BinaryIO, names: Sequence[str], state: Any = None) -> None:
        self.file, self.names = file, list(names)
        self.groups: list[tuple[int, int]] = [tuple(group) for group in state or ()]  # first byte, rows
        self._waiting: list[Sequence[np.ndarray]] = []
        self._rows = 0
        if state is None:
            file.write(MAGIC)

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Some rows."""
        self._waiting.append(columns)
        self._rows += len(columns[0])
        if self._rows >= FEWEST:
            self._write_group()

    def state(self) -> list[tuple[int, int]]:
        """All rows so far in the file, and where."""
        self._write_group()
        return self.groups

    def finish(self, notes: Mapping[str, str]) -> None:
        """The footer, with notes for who reads it."""
        self._write_group()
        footer = _struct({
            1: 2,
            2: [
                _struct({4: "schema", 5: len(self.names)}),
                *(_struct({1: DOUBLE, 3: REQUIRED, 4: name}) for name in self.names),
            ],
            3: _Long(sum(rows for _, rows in self.groups)),
            4: [self._group(start, rows) for start, rows in self.groups],
            5: [_struct({1: key, 2: value}) for key, value in notes.items()],
            6: "steiner",
        })  # fmt: skip
        self.file.write(footer + len(footer).to_bytes(4, "little") + MAGIC)

    def _write_group(self) -> None:
        if self._rows == 0:
            return
        self.groups.append((self.file.tell(), self._rows))
        head = _page_head(self._rows)
        for k in range(len(self.names)):
            self.file.write(head)
            for columns in self._waiting:
                self.file.write(np.ascontiguousarray(columns[k], dtype="<f8").data)
        self._waiting, self._rows = [], 0

    def _group(self, start: int, rows: int) -> bytes:
        size = len(_page_head(rows)) + 8 * rows
        chunks = []
        for k, name in enumerate(self.names):
            at = _Long(start + k * size)
            kind = {1: DOUBLE, 2: [PLAIN], 3: [name], 4: UNCOMPRESSED, 5: _Long(rows), 6: _Long(size), 7: _Long(size)}
            chunks.append(_struct({2: at, 3: _struct({**kind, 9: at})}))
        return _struct({1: chunks, 2: _Long(size * len(self.names)), 3: _Long(rows)})


def _page_head(rows: int) -> bytes:
    return _struct({1: 0, 2: 8 * rows, 3: 8 * rows, 5: _struct({1: rows, 2: PLAIN, 3: RLE, 4: RLE})})


class _Long(int):
    """A whole number of 64 bits; others have 32."""


def _varint(x: int) -> bytes:
    result = bytearray()
    while x > 127:
        result.append(x & 127 | 128)
        x >>= 7
    return bytes([*result, x])


def _struct(fields: Mapping[int, Any]) -> bytes:
    """Thrift's compact protocol: numbers are zigzag varints, fields tell their distance to the one before."""
    result, last = bytearray(), 0
    for field, value in fields.items():
        kind, text = _value(value)
        result += bytes([(field - last) << 4 | kind]) + text
        last = field
    return bytes(result) + b"\0"


def _value(value: Any) -> tuple[int, bytes]:
    """Type and bytes; bytes are a structure already made."""
    if isinstance(value, int):
        return 6 if isinstance(value, _Long) else 5, _varint(value << 1)
    if isinstance(value, str):
        text = value.encode()
        return 8, _varint(len(text)) + text
    if isinstance(value, bytes):
        return 12, value
    parts = [_value(x) for x in value]
    kind = parts[0][0] if parts else 12
    head = bytes([len(parts) << 4 | kind]) if len(parts) < 15 else bytes([0xF0 | kind]) + _varint(len(parts))
    return 9, head + b"".join(text for _, text in parts)


def _fields(data: Iterator[int]) -> dict[int, Any]:
    """The structure that begins there, field by field: `_struct` read back, and the types that others write."""
    found, field = {}, 0
    while head := next(data):
        field = field + (head >> 4) if head >> 4 else _zigzag(data)
        found[field] = _read(head & 15, data) if head & 15 > 2 else head & 15 == 1  # a field's flag is in its type
    return found


def _read(kind: int, data: Iterator[int]) -> Any:
    if kind in (4, 5, 6):
        return _zigzag(data)
    if kind in (1, 2, 3, 7):
        return [next(data) for _ in range(8 if kind == 7 else 1)]
    if kind == 8:
        return bytes(itertools.islice(data, _unsigned(data)))
    if kind in (9, 10):
        head = next(data)
        return [_read(head & 15, data) for _ in range(head >> 4 if head >> 4 < 15 else _unsigned(data))]
    if kind == 11:
        count = _unsigned(data)
        kinds = next(data) if count else 0
        return [(_read(kinds >> 4, data), _read(kinds & 15, data)) for _ in range(count)]
    if kind == 12:
        return _fields(data)
    raise TypeError(kind)


def _unsigned(data: Iterator[int]) -> int:
    result, shift, byte = 0, 0, 128
    while byte & 128:
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
        byte = next(data)
        result, shift = result | (byte & 127) << shift, shift + 7
    return result


def _zigzag(data: Iterator[int]) -> int:
    x = _unsigned(data)
    return x >> 1 ^ -(x & 1)
