"""Torques into files, column by column: CSV, or Parquet by the ending of the name."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from steiner.errors import SteinerError
from steiner.files.motion import Block, MotionFile, polars_or_none
from steiner.files.parquet import ParquetMotion, ParquetWriter
from steiner.text.names import csv as safe_cell


class Writer(Protocol):
    """Writes rows; `state()` is what another one, on the file as it is then, goes on from."""

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Some rows, one array per column."""
        ...

    def state(self) -> Any:
        """All rows so far in the file, and what is to be known of them."""
        ...

    def finish(self, notes: Mapping[str, str]) -> None:
        """The end of the file, with notes for who reads it if the format has a place for them."""
        ...


class CsvWriter:
    """Rows in the shortest decimals that read back to the same numbers."""

    def __init__(self, file: BinaryIO, names: Sequence[str], state: Any = None) -> None:
        self.file = file
        if state is None:
            self._write([map(safe_cell, names)])

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Some rows."""
        polars = polars_or_none()
        if polars is None:
            self._write([repr(x) for x in row] for row in np.stack(columns, axis=-1).tolist())
        else:
            polars.DataFrame({str(k): x for k, x in enumerate(columns)}).write_csv(self.file, include_header=False)

    def _write(self, rows: Any) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self.file.write(text.getvalue().encode())

    def state(self) -> Any:
        """Nothing beside the file."""
        return ()

    def finish(self, notes: Mapping[str, str]) -> None:
        """Nothing more: a line that is no row would not be read by others."""


READERS: dict[str, type[MotionFile]] = {".parquet": ParquetMotion}
WRITERS: dict[str, type[CsvWriter] | type[ParquetWriter]] = {".parquet": ParquetWriter}


def motion_file(path: Path, *args: Any, **options: Any) -> MotionFile:
    """A motion of a file, by its ending; CSV if it has none that is known."""
    return READERS.get(path.suffix.lower(), MotionFile)(path, *args, **options)


def efforts_file(path: Path, file: BinaryIO, names: Sequence[str], state: Any = None) -> Writer:
    """What writes the columns of these names, by the ending of the path."""
    return WRITERS.get(path.suffix.lower(), CsvWriter)(file, names, state)


def finite(motion: MotionFile, block: Block, efforts: np.ndarray) -> np.ndarray:
    """The efforts (joints, rows), all of them finite; else the first row that is not is told."""
    with np.errstate(all="ignore"):
        if np.isfinite(efforts.sum()):
            return efforts
    lost = np.flatnonzero(~np.isfinite(efforts).all(axis=0))
    if len(lost):
        raise SteinerError(
            f"{motion.place(int(block.lines[lost[0]]))}: the torques of this row are no finite numbers: positions, "
            "velocities or accelerations are so large that they overflow"
        )
    return efforts
