"""OBJ, OFF and PLY files: vertices, and faces by the numbers of their corners.  Only what bounds a body is read.

Polygons become fans of triangles; materials, textures and whatever else a file refers to are left alone.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from steiner.errors import FormatError
from steiner.files.stl import Progress
from steiner.files.words import MARK, values, whole

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
         "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
         "float32": "f4", "float64": "f8"}  # fmt: skip
LONGEST_HEAD = 1 << 16
OFFS = (b"OFF", b"COFF", b"NOFF", b"CNOFF")

Faces = tuple[np.ndarray, np.ndarray]


def fans(polygons: Sequence[Sequence[int]]) -> np.ndarray:
    """Triangles (n, 3) from the first corner of each polygon."""
    sizes = np.array([len(p) for p in polygons], np.int64)
    return fanned(np.fromiter(chain.from_iterable(polygons), np.int64, int(sizes.sum())), sizes)


def fanned(corners: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The same for the corners of all polygons, one after another."""
    if (sizes == 3).all():
        return corners.reshape(-1, 3)
    triangles = np.maximum(sizes - 2, 0)
    first = np.repeat(np.cumsum(sizes) - sizes, triangles)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([corners[first], corners[second], corners[second + 1]], axis=1)


# ---- OBJ ------------------------------------------------------------------------------------------


def read_obj(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of an OBJ file; numbers of corners begin at 1, negative ones count from the last vertex."""
    points, corners, sizes = array("d"), array("q"), array("q")
    with path.open("rb") as file:
        begun: list[bytes] = []  # words of a line that ends in \\ and goes on in the next
        for line, text in enumerate(file, 1):
            progress(len(text))
            words = [*begun, *(text if line > 1 else text.removeprefix(MARK)).split()]
            begun = words[:-1] if words and words[-1] == b"\\" else []
            if not words or begun:
                continue
            if words[0] == b"v":
                points.extend(_point(path, line, words[1:4]))
            elif words[0] == b"f":
                given = _corners(path, line, words[1:], len(points) // 3)
                corners.extend(given)
                sizes.append(len(given))
    if not points:
        raise FormatError(f"{path}: no vertex (`v x y z`) in this file; expected an OBJ mesh")
    return np.array(points).reshape(-1, 3), fanned(np.array(corners, np.int64), np.array(sizes, np.int64))


def _point(path: Path, line: int, words: Sequence[bytes]) -> tuple[float, ...]:
    try:
        point = tuple(map(float, words))
    except ValueError:
        point = ()
    if len(point) != 3 or not all(map(math.isfinite, point)):
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
    """Vertices and faces of an ascii OFF file, a line for each; colours and normals after them are left alone."""
    progress(path.stat().st_size)
    with path.open("rb") as file:
        stated = (line.partition(b"#")[0].removeprefix(MARK).strip() for line in file)
        lines = [line for line in stated if line]
    kind, *counts = lines[0].split() if lines else [b""]
    if kind.upper() not in OFFS:
        raise FormatError(f"{path}:1: expected the word OFF at the start of the file (or {_listed(OFFS[1:])})")
    if not counts and len(lines) > 1:
        counts = lines.pop(1).split()
    vertices, faces, *_edges = (*_whole(path, counts, "the numbers of vertices, faces and edges"), 0)
    lines = lines[1:]
    if not 0 <= vertices <= len(lines):
        raise FormatError(f"{path}: the header claims {vertices} vertices, but only {len(lines)} lines follow")
    if not 0 <= faces <= len(lines) - vertices:
        raise FormatError(f"{path}: the header claims {faces} faces, but only {len(lines) - vertices} lines follow")
    if len(lines) > vertices + faces:
        raise FormatError(f"{path}: {len(lines) - vertices - faces} lines follow the {faces} faces that it claims")
    points = _floats(path, b"\n".join(lines[:vertices]))
    width = len(points) // max(vertices, 1)
    if len(points) != width * vertices or width < 3 or (width > 3 and kind.upper() == b"OFF"):
        raise FormatError(f"{path}: {len(points)} coordinates of {vertices} vertices; expected three for each")
    del lines[:vertices]
    table = _floats(path, b"\n".join(lines))
    if len(table) == 4 * faces and (table[::4] == 3).all():
        return points.reshape(-1, width)[:, :3], _indices(path, table.reshape(-1, 4)[:, 1:])
    return points.reshape(-1, width)[:, :3], fans([_polygon(path, line.split()) for line in lines])


def _polygon(path: Path, words: Sequence[bytes]) -> list[int]:
    """The corners of a face: how many, which ones, and a colour of up to four numbers, which says nothing here."""
    (size,) = _whole(path, words[:1], "the number of corners")
    if size < 3 or not 0 <= len(words) - 1 - size <= 4:
        shown = b" ".join(words)[:60].decode(errors="replace")
        raise FormatError(f"{path}: expected a face, the number of its corners and these, got {shown!r}")
    return _whole(path, words[1 : 1 + size], "numbers of vertices")


def _listed(kinds: Sequence[bytes]) -> str:
    return ", ".join(kind.decode() for kind in kinds)


def _whole(path: Path, words: Sequence[bytes], what: str) -> list[int]:
    try:
        found = [int(word) for word in words]
    except ValueError:
        found = []
    if not found:
        shown = b" ".join(words[:8])[:60].decode(errors="replace")
        raise FormatError(f"{path}: expected {what}, got {shown!r}; the file was cut short or is damaged")
    return found


def _floats(path: Path, text: bytes) -> np.ndarray:
    try:
        return values(text)
    except ValueError as error:
        raise FormatError(f"{path}: expected numbers ({error})") from None


def _indices(path: Path, numbers: np.ndarray) -> np.ndarray:
    try:
        return whole(numbers)
    except ValueError as error:
        raise FormatError(f"{path}: numbers of vertices: {error}") from None


# ---- PLY ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Element:
    """What a PLY header says of one kind of thing: how many, and their properties.

    A property is its name, its type and, of a list, the type of its length.
    """

    name: str
    count: int
    properties: list[tuple[str, str, str]]

    def add(self, name: str, kind: str, length: str) -> None:
        """One more property, if it is not there yet."""
        if name in [known for known, *_rest in self.properties]:
            raise ValueError
        self.properties.append((name, kind, length))

    @property
    def least(self) -> int:
        """Bytes that each of them has at least in a binary file."""
        return sum(np.dtype(length or kind).itemsize for _name, kind, length in self.properties)


def read_ply(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of a PLY file, ascii or binary."""
    data = path.read_bytes()
    progress(len(data))
    order, elements, start = _header(path, data)
    body = _Numbers(path, _floats(path, data[start:])) if order == "" else _Bytes(path, data, start, order)
    found: dict[str, Any] = {}
    for element in elements:
        if element.count * (element.least if order else len(element.properties)) > body.left:
            _cut(path, f"the header claims {element.count} of {element.name!r}")
        found[element.name] = body.rows(element)
    if body.left:
        raise FormatError(f"{path}: {body.left} {body.what} follow what the header claims; it is damaged")
    if "vertex" not in found or "face" not in found:
        raise FormatError(f"{path}: expected the elements `vertex` and `face`, got {', '.join(found) or 'none'}")
    names = list(found["vertex"])
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
                if elements[-1].count < 0 or words[1] in [e.name for e in elements[:-1]]:
                    raise ValueError
            elif words[:2] == ["property", "list"]:
                kind, length = TYPES[words[3]], TYPES[words[2]]
                if length[0] == "f" or (kind[0] == "f" and words[4] in ("vertex_indices", "vertex_index")):
                    raise ValueError
                elements[-1].add(words[4], kind, length)
            elif words[:1] == ["property"]:
                elements[-1].add(words[2], TYPES[words[1]], "")
        except (LookupError, ValueError):
            raise FormatError(f"{path}:{line}: {text[:60]!r} is no line of a PLY header") from None
    if order is None:
        raise FormatError(f"{path}: the header has no format")
    return order, elements, start


def _cut(path: Path, what: str) -> NoReturn:
    raise FormatError(f"{path}: {what}, more than the file has room for; it was cut short or is damaged")


class _Numbers:
    """The body of an ascii PLY file."""

    what = "numbers"

    def __init__(self, path: Path, numbers: np.ndarray) -> None:
        self.path, self.numbers, self.at = path, numbers, 0

    @property
    def left(self) -> int:
        return len(self.numbers) - self.at

    def take(self, count: int) -> np.ndarray:
        if not 0 <= count <= self.left:
            _cut(self.path, f"{count} numbers are expected")
        self.at += count
        return self.numbers[self.at - count : self.at]

    def rows(self, element: Element) -> dict[str, Any]:
        names = [name for name, *_rest in element.properties]
        if not any(length for *_rest, length in element.properties):
            table = self.take(element.count * len(names)).reshape(element.count, len(names))
            return dict(zip(names, table.T, strict=True))
        if len(names) == 1 and 4 * element.count <= self.left:  # triangles, if they are all that it has
            table = self.numbers[self.at : self.at + 4 * element.count].reshape(-1, 4)
            if (table[:, 0] == 3).all():
                self.take(table.size)
                return {names[0]: _indices(self.path, table[:, 1:])}
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for _ in range(element.count):
            for name, _kind, length in element.properties:
                size = int(_indices(self.path, self.take(1))[0]) if length else 1
                columns[name].append(_indices(self.path, self.take(size)).tolist() if length else self.take(1)[0])
        return columns


class _Bytes:
    """The body of a binary PLY file."""

    what = "bytes"

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
