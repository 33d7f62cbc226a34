"""Catalogues of motors from CSV files: one motor a row, every bad cell named by file, line and column.

The first line names the columns, each with its unit in brackets or in SI: `name`, `rated_torque [N m]`,
`peak_torque [mNm]`, `rated_speed [rpm]`, `max_speed [rpm]`, `rotor_inertia [g cm^2]`, `ratios`, `efficiency [%]`,
`mass [g]`.  Several gear ratios stand in one cell with blanks, semicolons or slashes between them.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from pathlib import Path

from steiner.analysis.motors import FIELDS, Motor
from steiner.errors import FormatError, SteinerError, unknown
from steiner.files.quantity import KINDS, quantity, written_unit
from steiner.files.reading import contents
from steiner.files.xml import shown

MEASURES = {
    "rated_torque": "torque", "peak_torque": "torque", "rated_speed": "speed", "max_speed": "speed",
    "rotor_inertia": "inertia", "efficiency": "share", "mass": "mass",
}  # fmt: skip
SPELLED = {"ratio": "ratios"}
HEADING = re.compile(r"([^\[\(]*+)(?:[\[\(]([^\]\)]*+)[\]\)])?")
BETWEEN = re.compile(r"[;/\s]+")


def read(path: str | os.PathLike[str]) -> tuple[Motor, ...]:
    """The motors of a CSV file."""
    file = Path(path)
    try:
        lines = contents(file, "a catalogue of motors").decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FormatError(f"{file} is not UTF-8 text; expected a CSV file of motors") from None
    reader = csv.reader(lines, strict=True)
    try:
        heads = next(reader, [])
        columns = _columns(file, heads)
        motors = []
        for cells in reader:
            if any(cell.strip() for cell in cells):
                motors.append(_motor(f"{file}:{reader.line_num}", columns, cells))
    except csv.Error as error:
        raise FormatError(f"{file}:{reader.line_num}: cannot be read as CSV: {error}") from None
    if not motors:
        raise FormatError(f"{file}: no motor in it; expected a row below the names of the columns")
    return tuple(motors)


def _columns(file: Path, heads: list[str]) -> list[tuple[str, str]]:
    """Field and unit ("" for SI) of every column."""
    found = []
    for head in heads:
        match = HEADING.fullmatch(head.strip())
        plain = (match[1] if match else head).strip().lower().replace(" ", "_")
        name = SPELLED.get(plain, plain)
        unit = written_unit("*".join((match[2] or "").split())) if match else ""
        if name not in FIELDS:
            raise FormatError(f"{file}:1: {unknown('column', shown(head), FIELDS)}")
        units = KINDS[MEASURES[name]][0] if name in MEASURES else {}
        if unit and unit not in units:
            allowed = f"expected one of {', '.join(units)}" if units else "expected none"
            raise FormatError(f"{file}:1: column {shown(head)!r}: {unit!r} is no unit of it; {allowed}")
        found.append((name, unit))
    double = [name for name, count in Counter(name for name, _ in found).items() if count > 1]
    missing = [name for name in FIELDS[:5] if name not in dict(found)]
    if double or missing:
        told = f"column {double[0]!r} twice" if double else f"no column {', '.join(missing)}"
        raise FormatError(f"{file}:1: {told}; expected {', '.join(FIELDS)}, with units as in peak_torque [mNm]")
    return found


def _motor(where: str, columns: list[tuple[str, str]], cells: list[str]) -> Motor:
    if len(cells) != len(columns):
        raise FormatError(f"{where}: {len(cells)} cells, the first line has {len(columns)}")
    values = {}
    for (name, unit), cell in zip(columns, cells, strict=True):
        text = cell.strip()
        try:
            if name == "name":
                values[name] = text
            elif name == "ratios":
                values[name] = tuple(quantity(word, "number") for word in BETWEEN.split(text) if word)
            elif text or name in FIELDS[:5]:
                values[name] = quantity(text, MEASURES[name], unit or None)
        except SteinerError as error:
            raise FormatError(f"{where}: column {name!r}: {error}") from None
    if not values.get("ratios", True):
        del values["ratios"]
    try:
        return Motor(**values)
    except SteinerError as error:
        raise FormatError(f"{where}: {error}") from None
