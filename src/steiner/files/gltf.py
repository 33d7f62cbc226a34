"""glTF files (.glb, .gltf): positions and triangles of a scene; glTF is in metres.

The only other files that are opened are the buffers of a .gltf, in its folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import FormatError, SteinerError
from steiner.files.patterns import beside
from steiner.files.reading import counted, regular
from steiner.files.scenes import Piece, Walk, merged
from steiner.files.stl import Progress
from steiner.files.xml import shown

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
OVERLAPPING, SMALL = 4, 10_000_000  # times the bytes of a file that its accessors may claim, and that they always may
UNIT = 1e-3  # how far the length of a quaternion may be from 1


def read_gltf(path: Path, progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    """The scene of a .glb or .gltf file."""
    data = path.read_bytes()
    progress(len(data))
    try:
        return merged(path, list(_Gltf(path, data).pieces()))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, SteinerError):
            raise
        raise FormatError(f"{path}: the glTF is damaged ({type(error).__name__}: {error})") from None


class _Gltf:
    """A glTF document and its buffers."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.binary = path, memoryview(b"")
        text = data
        if data[:4] == b"glTF":
            if int.from_bytes(data[8:12], "little") != len(data):
                raise FormatError(
                    f"{path}: the header claims {int.from_bytes(data[8:12], 'little')} bytes, but the file "
                    f"has {len(data)}; it was cut short"
                )
            size = int.from_bytes(data[12:16], "little")
            text, rest = data[20 : 20 + size], memoryview(data)[20 + size :]
            self.binary = rest[8 : 8 + int.from_bytes(rest[:4], "little")]
        self.document = json.loads(counted(text, str(path)))
        for needed in self.document.get("extensionsRequired", ()):
            if needed not in ("KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization"):
                raise FormatError(f"{path}: its triangles are packed by {needed!r}; export it without that")
        self._buffers: dict[int, Any] = {}
        self._entries: dict[tuple[int, str], np.ndarray] = {}
        self._meshes: dict[tuple[int, int | None], tuple[np.ndarray, np.ndarray]] = {}
        self._claimed = 0

    def pieces(self) -> Iterator[Piece]:
        nodes, scenes = self.document.get("nodes", []), self.document.get("scenes", [])
        roots = scenes[self.document.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
        walk = Walk(self.path)
        walk.step(0, len(roots))
        waiting = [(k, np.eye(4), 0) for k in roots]
        while waiting:
            k, above, depth = waiting.pop()
            node = _at(nodes, k)
            matrix = above @ _placed(node)
            if "skin" in node:
                raise FormatError(f"{self.path}: node {k} is bent by a skin; export it at rest, without that")
            if "mesh" in node:
                primitives = _at(self.document["meshes"], node["mesh"])["primitives"]
                walk.step(depth, len(primitives) - 1)
                for primitive in primitives:
                    key = primitive["attributes"]["POSITION"], primitive.get("indices")
                    if key not in self._meshes:
                        self._meshes[key] = self._primitive(primitive, *key)
                    yield Piece(*self._meshes[key], matrix)
            children = node.get("children", ())
            walk.step(depth + 1 if children else depth, len(children))
            waiting += [(child, matrix, depth + 1) for child in children]

    def _primitive(
        self, primitive: Mapping[str, Any], points: int, corners: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        if primitive.get("mode", 4) != 4:
            raise FormatError(f"{self.path}: a mesh of lines or strips (mode {primitive['mode']}); expected triangles")
        vertices = self._accessor(points, "VEC3")
        index = np.arange(len(vertices)) if corners is None else self._accessor(corners, "SCALAR").ravel()
        if index.dtype.kind not in "iu":
            raise FormatError(f"{self.path}: numbers of vertices are no whole numbers ({index.dtype})")
        if len(index) % 3:
            raise FormatError(f"{self.path}: {len(index)} corners are no whole number of triangles")
        return vertices, index.reshape(-1, 3)

    def _accessor(self, k: int, kind: str) -> np.ndarray:
        if (k, kind) not in self._entries:
            self._entries[k, kind] = self._listed(k, kind)
        return self._entries[k, kind]

    def _listed(self, k: int, kind: str) -> np.ndarray:
        accessor = _at(self.document["accessors"], k)
        if "sparse" in accessor or "bufferView" not in accessor:
            raise FormatError(f"{self.path}: accessor {k} is sparse; export it without that")
        if accessor.get("type") != kind:
            raise FormatError(f"{self.path}: accessor {k} is of type {accessor.get('type')!r}; expected {kind}")
        view, width = _at(self.document["bufferViews"], accessor["bufferView"]), WIDTHS[kind]
        dtype = np.dtype(COMPONENTS[accessor["componentType"]])
        step = view.get("byteStride", 0) or width * dtype.itemsize
        start, count, data = accessor.get("byteOffset", 0), accessor["count"], self._buffer(view.get("buffer", 0))
        first, length = view.get("byteOffset", 0), view.get("byteLength", -1)
        if min(first, length) < 0 or first + length > len(data):
            raise FormatError(
                f"{self.path}: bufferView {accessor['bufferView']} claims {length} bytes from {first}, more than its "
                f"buffer of {len(data)} bytes has room for"
            )
        end = start + (count - 1) * step + width * dtype.itemsize
        if min(count, start) < 0 or end > length or step < width * dtype.itemsize:
            raise FormatError(
                f"{self.path}: accessor {k} claims {count} entries, more than its bufferView of {length} bytes has "
                "room for"
            )
        found = np.ndarray((count, width), dtype, data, first + start, (step, dtype.itemsize))
        self._claimed += found.nbytes
        if self._claimed > OVERLAPPING * sum(map(len, self._buffers.values())) + SMALL:
            raise FormatError(
                f"{self.path}: its accessors claim {self._claimed} bytes, more than {OVERLAPPING} times what is there"
            )
        if kind == "VEC3" and dtype.kind in "iu":  # KHR_mesh_quantization: whole numbers, perhaps parts of the largest
            if "KHR_mesh_quantization" not in self.document.get("extensionsUsed", ()):
                raise FormatError(f"{self.path}: accessor {k}: positions are whole numbers; expected floats")
            return np.maximum(found / np.iinfo(dtype).max, -1.0) if accessor.get("normalized") else found
        return found

    def _buffer(self, k: int) -> Any:
        if k not in self._buffers:
            uri = _at(self.document["buffers"], k).get("uri")
            if uri is None:
                self._buffers[k] = self.binary
            elif uri.startswith("data:"):
                try:
                    self._buffers[k] = base64.b64decode(uri.partition(",")[2], validate=True)
                except binascii.Error:
                    raise FormatError(f"{self.path}: buffer {k} is no base64 text") from None
            elif re.match("[A-Za-z][A-Za-z0-9+.-]+:", uri):
                raise FormatError(f"{self.path}: buffer {k} lies at {shown(uri)!r}: nothing is fetched; put it beside")
            else:
                try:
                    self._buffers[k] = regular(beside(str(self.path), uri)).read_bytes()
                except SteinerError as error:
                    raise FormatError(f"{self.path}: buffer {k}: {error}") from None
        return self._buffers[k]


def _at(entries: Sequence[Any], k: Any) -> Any:
    """An entry by its number, which begins at 0 and never counts from the end."""
    if not isinstance(k, int) or not 0 <= k < len(entries):
        raise LookupError(f"no entry {k!r} among {len(entries)}")
    return entries[k]


def _placed(node: Mapping[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    matrix = np.eye(4)
    turn = node.get("rotation", (0, 0, 0, 1))
    if abs(math.hypot(*turn) - 1) > UNIT:
        raise ValueError(f"the rotation {turn} is no unit quaternion")
    x, y, z, w = np.array(turn) / math.hypot(*turn)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= node.get("scale", (1, 1, 1))
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix
