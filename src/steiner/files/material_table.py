"""Tables of what parts are made of: by name or by colour, in YAML, CSV or Python."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steiner.errors import ArgumentError, FormatError, SteinerError, described
from steiner.files.reading import contents
from steiner.files.yaml import parse
from steiner.materials import Material
from steiner.materials import material as find_material

LARGEST = 10_000_000  # bytes
COLOUR = re.compile("#[0-9a-f]{6}")


def table(materials: Any) -> dict[str, Any]:
    """{name or colour: material or density}, from a mapping or from a .csv or .yaml file."""
    if materials is None:
        return {}
    if isinstance(materials, Mapping):
        return dict(_entry("materials", str(key), value) for key, value in materials.items())
    if not isinstance(materials, str | os.PathLike):
        raise ArgumentError(f"materials: expected {{part: material}} or the name of a file, got {described(materials)}")
    file = Path(materials)
    try:
        text = contents(file, "a table of materials", LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{file}: no text in UTF-8 (byte {error.start}); save the table as CSV UTF-8") from None
    return _of_yaml(file, text) if file.suffix.lower() in (".yaml", ".yml") else _of_csv(file, text)


def _entry(where: str, name: str, value: Any) -> tuple[str, Any]:
    """A part or a colour, and what it is made of."""
    key = name.strip()
    if key.startswith("#"):
        key = key.lower()
        if not COLOUR.fullmatch(key):
            raise FormatError(f"{where}: {described(name)} is no colour; expected #rrggbb, such as #ff8000")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Material):
        raise ArgumentError(f"{where}: {key!r}: expected a material or kg/m³, got {described(value)}")
    if isinstance(value, int | float) and not 0 < value < math.inf:
        raise FormatError(f"{where}: {key!r}: a density of {value:g} kg/m³; expected more than 0")
    return key, value


def _of_yaml(file: Path, text: str) -> dict[str, Any]:
    top = parse(text, str(file)).mapping()
    return dict(_entry(str(file), str(key), top[key]) for key in top)


def _of_csv(file: Path, text: str) -> dict[str, Any]:
    """Rows `part,material` or `part,kg/m3`; a first row that names the columns is left out."""
    found: dict[str, Any] = {}
    rows = csv.reader(text.splitlines(keepends=True), strict=True, skipinitialspace=True)
    try:
        for row in rows:
            where = f"{file}:{rows.line_num}"
            cells = [cell.strip() for cell in row]
            if not any(cells) or (not found and _names_columns(cells)):
                continue
            if len(cells) == 1 and (";" in cells[0] or "\t" in cells[0]):
                raise FormatError(f"{where}: columns are parted by commas here, not by semicolons or tabs")
            if len(cells) != 2 or not all(cells):
                raise FormatError(f"{where}: expected `part,material` or `part,kg/m3`, got {described(','.join(row))}")
            key, value = _entry(where, cells[0], _number(cells[1]))
            if key in found:
                raise FormatError(f"{where}: {key!r} is listed twice, as {found[key]} and as {value}; one row for each")
            if isinstance(value, str):
                _known(where, value)
            found[key] = value
    except csv.Error as error:
        raise FormatError(f"{file}:{rows.line_num}: no CSV: {error}") from None
    return found


def _names_columns(cells: list[str]) -> bool:
    """Whether a row is a heading: a part may be called "part", but then it has a material."""
    if cells[0].lower() not in ("part", "name", "colour", "color") or len(cells) != 2:
        return False
    try:
        find_material(cells[1])
    except SteinerError:
        return isinstance(_number(cells[1]), str)
    return False


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def _known(where: str, name: str) -> None:
    try:
        find_material(name)
    except SteinerError as error:
        raise FormatError(f"{where}: {error}") from None
