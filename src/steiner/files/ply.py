"""PLY files, ascii and binary: vertices, and faces by the numbers of their corners."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from steiner.errors import FormatError
from steiner.files.polygons import Faces, fans, floats, indices
from steiner.files.stl import Progress

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
         "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
         "float32": "f4", "float64": "f8"}  # fmt: skip
LONGEST_HEAD = 1 << 16


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
    body = _Numbers(path, floats(path, data[start:])) if order == "" else _Bytes(path, data, start, order)
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
    return vertices, lists if isinstance(lists, np.ndarray) else fans(path, lists, len(vertices))


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
                return {names[0]: indices(self.path, table[:, 1:])}
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for _ in range(element.count):
            for name, _kind, length in element.properties:
                size = int(indices(self.path, self.take(1))[0]) if length else 1
                columns[name].append(indices(self.path, self.take(size)) if length else self.take(1)[0])
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
                columns[name].append(self.take(kind, size))
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
