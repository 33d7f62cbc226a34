"""OBJ, OFF and PLY files: vertices, and faces by the numbers of their corners.  Only what bounds a body is read.

Polygons become fans of triangles; materials, textures and whatever else a file refers to are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from steiner.errors import FormatError
from steiner.files.stl import Progress

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
         "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
         "float32": "f4", "float64": "f8"}  # fmt: skip
LONGEST_HEAD = 1 << 16

Faces = tuple[np.ndarray, np.ndarray]


def fans(polygons: Sequence[Sequence[int]]) -> np.ndarray:
    """Triangles (n, 3) from the first corner of each polygon."""
    if all(len(p) == 3 for p in polygons):
        return np.array(polygons, np.int64).reshape(-1, 3)
    return np.array([(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)], np.int64).reshape(-1, 3)


# ---- OBJ ------------------------------------------------------------------------------------------


def read_obj(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of an OBJ file; numbers of corners begin at 1, negative ones count from the last vertex."""
    vertices: list[tuple[float, ...]] = []
    polygons: list[list[int]] = []
    with path.open("rb") as file:
        begun: list[bytes] = []  # words of a line that ends in \\ and goes on in the next
        for line, text in enumerate(file, 1):
            progress(len(text))
            words = [*begun, *text.split()]
            begun = words[:-1] if words and words[-1] == b"\\" else []
            if not words or begun:
                continue
            if words[0] == b"v":
                vertices.append(_point(path, line, words[1:4]))
            elif words[0] == b"f":
                polygons.append(_corners(path, line, words[1:], len(vertices)))
    if not vertices:
        raise FormatError(f"{path}: no vertex (`v x y z`) in this file; expected an OBJ mesh")
    return np.array(vertices), fans(polygons)


def _point(path: Path, line: int, words: Sequence[bytes]) -> tuple[float, ...]:
    try:
        point = tuple(map(float, words))
    except ValueError:
        point = ()
    if len(point) != 3 or not np.isfinite(point).all():
        shown = b" ".join(words)[:60].decode(errors="replace")
        raise FormatError(f"{path}:{line}: expected three finite coordinates, got {shown!r}")
    return point


def _corners(path: Path, line: int, words: Sequence[bytes], count: int) -> list[int]:
    try:
        given = [int(word.partition(b"/")[0]) for word in words]
    except ValueError:
        shown = b" ".join(words)[:60].decode(errors="replace")
        raise FormatError(f"{path}:{line}: expected numbers of vertices, got {shown!r}") from None
    if len(given) < 3:
        raise FormatError(f"{path}:{line}: a face needs at least 3 corners, got {len(given)}")
    for number in given:
        if not 1 <= number <= count and not -count <= number <= -1:
            raise FormatError(
                f"{path}:{line}: the face uses vertex {number}, but {count} vertices are listed before it"
            )
    return [number - 1 if number > 0 else count + number for number in given]


# ---- OFF ------------------------------------------------------------------------------------------


def read_off(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of an ascii OFF file."""
    data = path.read_bytes()
    progress(len(data))
    words = re.sub(rb"#[^\n]*", b"", data).split()
    if not words or words[0][-3:].upper() != b"OFF" or len(words[0]) > 5:
        raise FormatError(f"{path}:1: expected the word OFF at the start of the file")
    rest = words[1:]
    counts, rest = _whole(path, rest[:3], "the numbers of vertices, faces and edges", 3), rest[3:]
    if 3 * counts[0] > len(rest) or counts[0] < 0:
        raise FormatError(f"{path}: the header claims {counts[0]} vertices, but only {len(rest) // 3} points follow")
    vertices = _floats(path, rest[: 3 * counts[0]]).reshape(-1, 3)
    rest = rest[3 * counts[0] :]
    if 4 * counts[1] > len(rest) or counts[1] < 0:
        raise FormatError(f"{path}: the header claims {counts[1]} faces, but only {len(rest)} numbers follow")
    uniform = len(rest) == 4 * counts[1]
    if uniform:
        table = np.array(_whole(path, rest, "numbers of vertices", len(rest)), np.int64).reshape(-1, 4)
        if (table[:, 0] == 3).all():
            return vertices, table[:, 1:]
    return vertices, fans(_polygons(path, rest, counts[1]))


def _polygons(path: Path, words: Sequence[bytes], count: int) -> list[list[int]]:
    polygons, at = [], 0
    for _ in range(count):
        (size,) = _whole(path, words[at : at + 1], "the number of corners", 1)
        polygons.append(_whole(path, words[at + 1 : at + 1 + max(size, 0)], "numbers of vertices", max(size, 3)))
        at += 1 + size
    return polygons


def _whole(path: Path, words: Sequence[bytes], what: str, count: int) -> list[int]:
    try:
        found = [int(word) for word in words]
    except ValueError:
        found = []
    if len(found) != count:
        shown = b" ".join(words[:8])[:60].decode(errors="replace")
        raise FormatError(f"{path}: expected {what}, got {shown!r}; the file was cut short or is damaged")
    return found


def _floats(path: Path, words: Sequence[bytes]) -> np.ndarray:
    try:
        return np.array(words, dtype="S40").astype(float)
    except ValueError as error:
        raise FormatError(f"{path}: a coordinate is no number ({error})") from None


# ---- PLY ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Element:
    """What a PLY header says of one kind of thing: how many, and their properties.

    A property is its name, its type and, of a list, the type of its length.
    """

    name: str
    count: int
    properties: list[tuple[str, str, str]]

    @property
    def least(self) -> int:
        """Bytes that each of them has at least in a binary file."""
        return sum(np.dtype(length or kind).itemsize for _name, kind, length in self.properties)


def read_ply(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of a PLY file, ascii or binary."""
    data = path.read_bytes()
    progress(len(data))
    order, elements, start = _header(path, data)
    body = _Words(path, data[start:].split()) if order == "" else _Bytes(path, data, start, order)
    found: dict[str, Any] = {}
    for element in elements:
        if element.count * (element.least if order else len(element.properties)) > body.left:
            _cut(path, f"the header claims {element.count} of {element.name!r}")
        found[element.name] = body.rows(element)
    if "vertex" not in found or "face" not in found:
        raise FormatError(f"{path}: expected the elements `vertex` and `face`, got {', '.join(found) or 'none'}")
    names = [name for name, _kind, _length in next(e.properties for e in elements if e.name == "vertex")]
    if not {"x", "y", "z"} <= set(names):
        raise FormatError(f"{path}: a vertex has no x, y and z; its properties are {', '.join(names)}")
    lists = found["face"].get("vertex_indices", found["face"].get("vertex_index"))
    if lists is None:
        raise FormatError(f"{path}: a face has no vertex_indices")
    vertices = np.stack([np.asarray(found["vertex"][axis], float) for axis in "xyz"], axis=1)
    return vertices, lists if isinstance(lists, np.ndarray) and lists.ndim == 2 else fans(list(lists))


def _header(path: Path, data: bytes) -> tuple[Literal["", "<", ">"], list[Element], int]:
    end = data.find(b"end_header", 0, LONGEST_HEAD)
    start = data.find(b"\n", end) + 1
    if data[:3] != b"ply" or end < 0 or not start:
        raise FormatError(f"{path}:1: expected a PLY header, from `ply` to `end_header`")
    orders: dict[str, Literal["", "<", ">"]] = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
    order, elements = None, []
    for line, text in enumerate(data[:end].decode("latin-1").splitlines(), 1):
        words = text.split()
        try:
            if words[:1] == ["format"]:
                order = orders[words[1]]
            elif words[:1] == ["element"]:
                elements.append(Element(words[1], int(words[2]), []))
                if elements[-1].count < 0:
                    raise ValueError
            elif words[:2] == ["property", "list"]:
                elements[-1].properties.append((words[4], TYPES[words[3]], TYPES[words[2]]))
            elif words[:1] == ["property"]:
                elements[-1].properties.append((words[2], TYPES[words[1]], ""))
        except (LookupError, ValueError):
            raise FormatError(f"{path}:{line}: {text[:60]!r} is no line of a PLY header") from None
    if order is None:
        raise FormatError(f"{path}: the header has no format")
    return order, elements, start


def _cut(path: Path, what: str) -> NoReturn:
    raise FormatError(f"{path}: {what}, more than the file has room for; it was cut short or is damaged")


class _Words:
    """The body of an ascii PLY file."""

    def __init__(self, path: Path, words: list[bytes]) -> None:
        self.path, self.words, self.at = path, words, 0

    @property
    def left(self) -> int:
        return len(self.words) - self.at

    def take(self, count: int) -> list[bytes]:
        if not 0 <= count <= self.left:
            _cut(self.path, f"{count} numbers are expected")
        self.at += count
        return self.words[self.at - count : self.at]

    def rows(self, element: Element) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {name: [] for name, _kind, _length in element.properties}
        if not any(length for *_rest, length in element.properties):
            table = _floats(self.path, self.take(element.count * len(columns))).reshape(element.count, -1)
            return dict(zip(columns, table.T, strict=True))
        for _ in range(element.count):
            for name, _kind, length in element.properties:
                if length:
                    (size,) = _whole(self.path, self.take(1), "the length of a list", 1)
                    columns[name].append(_whole(self.path, self.take(size), "numbers of vertices", size))
                else:
                    columns[name].append(self.take(1)[0])
        return columns


class _Bytes:
    """The body of a binary PLY file."""

    def __init__(self, path: Path, data: bytes, at: int, order: Literal["<", ">"]) -> None:
        self.path, self.data, self.at = path, data, at
        self.order: Literal["<", ">"] = order

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, kind: Any, count: int) -> np.ndarray:
        dtype = np.dtype(kind).newbyteorder(self.order)
        if not 0 <= count * dtype.itemsize <= self.left:
            _cut(self.path, f"{count} values are expected")
        self.at += count * dtype.itemsize
        return np.frombuffer(self.data, dtype, count, self.at - count * dtype.itemsize)

    def rows(self, element: Element) -> dict[str, Any]:
        lists = [length for *_rest, length in element.properties if length]
        if not lists:
            table = self.take([(name, kind) for name, kind, _length in element.properties], element.count)
            return {name: table[name] for name, *_rest in element.properties}
        if len(lists) == 1 and (table := self._triangles(element)) is not None:
            return table
        columns: dict[str, list[Any]] = {name: [] for name, _kind, _length in element.properties}
        for _ in range(element.count):
            for name, kind, length in element.properties:
                size = int(self.take(length, 1)[0]) if length else 1
                columns[name].append(self.take(kind, size).tolist())
        return columns

    def _triangles(self, element: Element) -> dict[str, Any] | None:
        """The rows, if every list has three entries."""
        fields: list[Any] = []
        for name, kind, length in element.properties:
            fields += [(f"{name} length", length), (name, kind, 3)] if length else [(name, kind)]
        dtype = np.dtype(fields)
        if element.count * dtype.itemsize > self.left:
            return None
        start = self.at
        table = self.take(dtype, element.count)
        if all((table[f"{name} length"] == 3).all() for name, _kind, length in element.properties if length):
            return {
                name: table[name].astype(np.int64) if length else table[name]
                for name, _kind, length in element.properties
            }
        self.at = start
        return None


def checked(path: Path, mesh: Faces) -> Faces:
    """A mesh whose corners exist and are finite; `path` names it."""
    vertices, faces = mesh
    if len(faces) == 0:
        raise FormatError(f"{path}: no face in this file; expected a mesh")
    if len(outside := np.flatnonzero(((faces < 0) | (faces >= len(vertices))).any(axis=1))):
        raise FormatError(
            f"{path}: face {outside[0] + 1} uses a vertex that is missing ({faces[outside[0]].tolist()}); the vertices "
            f"are 0 … {len(vertices) - 1}"
        )
    return finite(path, mesh)


def finite(path: Path, mesh: Faces) -> Faces:
    """A mesh without corners at infinity or nowhere."""
    vertices, faces = mesh
    sound = np.isfinite(vertices).all(axis=1)
    if not sound.all():
        lost = np.flatnonzero(~sound)
        bad, face = int(lost[0]), np.flatnonzero(np.isin(faces, lost).any(axis=1))
        which = f"face {face[0] + 1} has a corner" if len(face) else f"vertex {bad + 1} is a point"
        raise FormatError(f"{path}: {which} that is not finite ({vertices[bad].tolist()}); export it again")
    return mesh
