"""Meshes in scenes: glTF (.glb, .gltf), COLLADA (.dae) and 3MF; every instance where its scene puts it, in metres.

Only positions and triangles are read; the only other files that are opened are the buffers of a .gltf, in its folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steiner.errors import FormatError, SteinerError
from steiner.files.patterns import beside
from steiner.files.polygons import fans
from steiner.files.reading import regular
from steiner.files.stl import Progress
from steiner.findings import Finding

DEEPEST = 100  # nodes within nodes
MOST_INSTANCES = 10_000
LARGEST = 2_000_000_000  # bytes that a packed file may unpack to
PACKED = 200  # times its size, at most
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
MICRO = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1.0}


class Piece(NamedTuple):
    """A mesh, and the matrix (4, 4) that puts it into its scene."""

    vertices: np.ndarray
    faces: np.ndarray
    matrix: np.ndarray


class Scene(NamedTuple):
    """All of a scene as one mesh, and what there is to tell about its file."""

    vertices: np.ndarray
    faces: np.ndarray
    findings: tuple[Finding, ...] = ()


def merged(path: Path, pieces: Sequence[Piece], scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """All pieces as one mesh; a mirrored one is turned, so that its faces look outward again."""
    if not pieces:
        raise FormatError(f"{path}: no triangle in the scene of this file; expected a mesh")
    vertices, faces, count = [], [], 0
    for points, triangles, matrix in pieces:
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(points)):
            raise FormatError(
                f"{path}: a face uses vertex {triangles.max()}, but the vertices are 0 … {len(points) - 1}"
            )
        vertices.append(scale * (points @ matrix[:3, :3].T + matrix[:3, 3]))
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        faces.append(count + (triangles[:, ::-1] if mirrored else triangles))
        count += len(points)
    return np.concatenate(vertices), np.concatenate(faces)


# ---- glTF -----------------------------------------------------------------------------------------


def read_gltf(path: Path, progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    """The scene of a .glb or .gltf file."""
    data = path.read_bytes()
    progress(len(data))
    try:
        return merged(path, list(_Gltf(path, data).pieces()))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SteinerError):
            raise
        raise FormatError(f"{path}: the glTF is damaged ({type(error).__name__}: {error})") from None


class _Gltf:
    """A glTF document and its buffers."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.binary = path, b""
        text = data
        if data[:4] == b"glTF":
            if int.from_bytes(data[8:12], "little") != len(data):
                raise FormatError(
                    f"{path}: the header claims {int.from_bytes(data[8:12], 'little')} bytes, but the file "
                    f"has {len(data)}; it was cut short"
                )
            size = int.from_bytes(data[12:16], "little")
            text, rest = data[20 : 20 + size], data[20 + size :]
            self.binary = rest[8 : 8 + int.from_bytes(rest[:4], "little")]
        self.document = json.loads(text)
        for needed in self.document.get("extensionsRequired", ()):
            if needed not in ("KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization"):
                raise FormatError(f"{path}: its triangles are packed by {needed!r}; export it without that")
        self._buffers: dict[int, bytes] = {}

    def pieces(self) -> Iterator[Piece]:
        nodes, scenes = self.document.get("nodes", []), self.document.get("scenes", [])
        roots = scenes[self.document.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
        waiting = [(k, np.eye(4), 0) for k in roots]
        seen = 0
        while waiting:
            k, above, depth = waiting.pop()
            seen += 1
            if depth > DEEPEST or seen > MOST_INSTANCES:
                raise FormatError(f"{self.path}: nodes within nodes without end")
            node = nodes[k]
            matrix = above @ _placed(node)
            if "mesh" in node:
                for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                    yield self._primitive(primitive, matrix)
            waiting += [(child, matrix, depth + 1) for child in node.get("children", ())]

    def _primitive(self, primitive: Mapping[str, Any], matrix: np.ndarray) -> Piece:
        if primitive.get("mode", 4) != 4:
            raise FormatError(f"{self.path}: a mesh of lines or strips (mode {primitive['mode']}); expected triangles")
        vertices = self._accessor(primitive["attributes"]["POSITION"], 3).astype(float)
        if "indices" in primitive:
            index = self._accessor(primitive["indices"], 1).ravel().astype(np.int64)
        else:
            index = np.arange(len(vertices))
        if len(index) % 3:
            raise FormatError(f"{self.path}: {len(index)} corners are no whole number of triangles")
        return Piece(vertices, index.reshape(-1, 3), matrix)

    def _accessor(self, k: int, width: int) -> np.ndarray:
        accessor = self.document["accessors"][k]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise FormatError(f"{self.path}: accessor {k} is sparse; export it without that")
        view = self.document["bufferViews"][accessor["bufferView"]]
        dtype = np.dtype(COMPONENTS[accessor["componentType"]])
        step = view.get("byteStride", 0) or width * dtype.itemsize
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        count, data = accessor["count"], self._buffer(view.get("buffer", 0))
        if min(count, start) < 0 or start + (count - 1) * step + width * dtype.itemsize > len(data):
            raise FormatError(
                f"{self.path}: accessor {k} claims {count} entries, more than its buffer of {len(data)} bytes "
                "has room for"
            )
        return np.ndarray((count, width), dtype, data, start, (step, dtype.itemsize))

    def _buffer(self, k: int) -> bytes:
        if k not in self._buffers:
            uri = self.document["buffers"][k].get("uri")
            if uri is None:
                self._buffers[k] = self.binary
            elif uri.startswith("data:"):
                try:
                    self._buffers[k] = base64.b64decode(uri.partition(",")[2], validate=True)
                except binascii.Error:
                    raise FormatError(f"{self.path}: buffer {k} is no base64 text") from None
            else:
                try:
                    self._buffers[k] = regular(beside(str(self.path), uri)).read_bytes()
                except SteinerError as error:
                    raise FormatError(f"{self.path}: buffer {k}: {error}") from None
        return self._buffers[k]


def _placed(node: Mapping[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    matrix = np.eye(4)
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= node.get("scale", (1, 1, 1))
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


# ---- XML ------------------------------------------------------------------------------------------


def _xml(path: Path, data: bytes) -> Any:
    """The root of a document; its tags lose their namespaces."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise FormatError(f"{path}: a document type declaration (<!DOCTYPE …>) is refused; delete it") from None
    except (ParseError, ValueError, LookupError) as error:
        raise FormatError(f"{path}: not well-formed XML: {error}") from None
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return root


def _numbers(path: Path, text: str | None, kind: type = float) -> np.ndarray:
    try:
        return np.array((text or "").split(), dtype="U40").astype(kind)
    except ValueError as error:
        raise FormatError(f"{path}: expected numbers ({error})") from None


# ---- COLLADA --------------------------------------------------------------------------------------


def read_dae(path: Path, progress: Progress) -> Scene:
    """The visual scene of a COLLADA file; `<unit meter=…>` is the unit, the axes are the file's own."""
    data = path.read_bytes()
    progress(len(data))
    root = _xml(path, data)
    if root.tag != "COLLADA":
        raise FormatError(f"{path}: the document is <{root.tag}>; expected <COLLADA>")
    unit = root.find("asset/unit")
    try:
        scale = float(unit.get("meter", 1)) if unit is not None else 1.0
    except ValueError:
        scale = math.nan
    if not 0 < scale < math.inf:
        raise FormatError(f"{path}: <unit meter=…> is no length")
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    scene = next(iter(root.iter("instance_visual_scene")), None)
    top = ids.get(scene.get("url", "")[1:]) if scene is not None else None
    geometries: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    pieces: list[Piece] = []
    waiting = [(top, np.eye(4), 0)] if top is not None else []
    while waiting:
        node, above, depth = waiting.pop()
        if depth > DEEPEST or len(pieces) > MOST_INSTANCES:
            raise FormatError(f"{path}: nodes within nodes without end")
        matrix = above
        for child in node:
            matrix = matrix @ _step(path, child)
        for child in node:
            name = child.get("url", "")[1:]
            if child.tag == "node":
                waiting.append((child, matrix, depth + 1))
            elif child.tag == "instance_node" and name in ids:
                waiting.append((ids[name], matrix, depth + 1))
            elif child.tag in ("instance_geometry", "instance_controller") and name in ids:
                if name not in geometries:
                    geometries[name] = list(_primitives(path, ids[name], ids))
                pieces += [Piece(*mesh, matrix) for mesh in geometries[name]]
    return Scene(*merged(path, pieces, scale), tuple(_up(root.find("asset/up_axis"))))


def _up(stated: Any) -> Iterator[Finding]:
    """What `<up_axis>` asks for and robots do without.

    RViz, Gazebo and MoveIt take the numbers as they stand, so that robots' meshes are drawn to fit that way, whatever
    the element says; viewers such as three.js, and Assimp by itself, turn the mesh.
    """
    up = (stated.text or "").strip() if stated is not None else ""
    if up in ("X_UP", "Y_UP"):
        text = f"<up_axis> is {up}; the mesh is taken as its numbers stand, as RViz, Gazebo and MoveIt do"
        cause = "drawn in a program whose axes are others: viewers may turn it"
        yield Finding("up-axis", text, "note", cause=cause, fix="turn it by the <origin> of the shape if it lies wrong")


def _step(path: Path, element: Any) -> np.ndarray:
    """The matrix of one transformation of a COLLADA node."""
    matrix = np.eye(4)
    if element.tag not in ("matrix", "translate", "scale", "rotate"):
        return matrix
    values = _numbers(path, element.text)
    if len(values) != {"matrix": 16, "translate": 3, "scale": 3, "rotate": 4}[element.tag]:
        raise FormatError(f"{path}: <{element.tag}> has {len(values)} numbers")
    if element.tag == "matrix":
        return values.reshape(4, 4)
    if element.tag == "translate":
        matrix[:3, 3] = values
    elif element.tag == "scale":
        matrix[:3, :3] = np.diag(values)
    elif (length := float(np.linalg.norm(values[:3]))) > 0:
        x, y, z = values[:3] / length
        skew, angle = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), math.radians(values[3])
        matrix[:3, :3] += math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew
    return matrix


def _primitives(path: Path, geometry: Any, ids: dict[str, Any]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for primitive in [e for e in geometry.iter() if e.tag in ("triangles", "polylist", "polygons")]:
        inputs = [
            (e.get("semantic"), int(e.get("offset", 0)), e.get("source", "")[1:]) for e in primitive.iter("input")
        ]
        width = 1 + max((offset for _name, offset, _source in inputs), default=0)
        offset, source = next(((o, s) for name, o, s in inputs if name == "VERTEX"), (0, ""))
        positions = next((e.get("source", "")[1:] for e in ids[source].iter("input")
                          if e.get("semantic") == "POSITION"), "") if source in ids else ""  # fmt: skip
        floats = next(ids[positions].iter("float_array"), None) if positions in ids else None
        if floats is None:
            raise FormatError(f"{path}: geometry {geometry.get('id')!r} has no positions")
        points = _numbers(path, floats.text)
        if len(points) % 3:
            raise FormatError(f"{path}: {len(points)} coordinates are no whole number of points")
        lists = [_numbers(path, p.text, int) for p in primitive.iter("p")]
        if any(len(p) % width for p in lists):
            raise FormatError(f"{path}: geometry {geometry.get('id')!r}: the corners of its faces are cut short")
        corners = [p.reshape(-1, width)[:, offset] for p in lists]
        yield points.reshape(-1, 3), _faces(path, primitive, corners)


def _faces(path: Path, primitive: Any, corners: list[np.ndarray]) -> np.ndarray:
    joined = np.concatenate(corners) if corners else np.zeros(0, np.int64)
    if primitive.tag == "triangles":
        if len(joined) % 3:
            raise FormatError(f"{path}: {len(joined)} corners are no whole number of triangles")
        return joined.reshape(-1, 3)
    if primitive.tag == "polygons":
        return fans([p.tolist() for p in corners])
    counts = _numbers(path, primitive.findtext("vcount"), int)
    if counts.sum() != len(joined) or (counts < 0).any():
        raise FormatError(f"{path}: <vcount> asks for {counts.sum()} corners, but there are {len(joined)}")
    return fans([part.tolist() for part in np.split(joined, np.cumsum(counts)[:-1])])


# ---- 3MF ------------------------------------------------------------------------------------------


def read_3mf(path: Path, progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    """What a 3MF file builds; its unit is the file's, millimetres if it says none."""
    progress(path.stat().st_size)
    root = _xml(path, _model(path))
    if root.tag != "model":
        raise FormatError(f"{path}: the document is <{root.tag}>; expected <model>")
    if root.get("unit", "millimeter") not in MICRO:
        raise FormatError(f"{path}: the unit {root.get('unit')!r} is none of {', '.join(MICRO)}")
    objects = {e.get("id"): e for e in root.iter("object")}
    waiting = [(e, np.eye(4), 0) for e in root.findall("build/item")]
    pieces: list[Piece] = []
    while waiting:
        element, above, depth = waiting.pop()
        if depth > DEEPEST or len(pieces) + len(waiting) > MOST_INSTANCES:
            raise FormatError(f"{path}: objects within objects without end")
        target = objects.get(element.get("objectid"))
        if target is None:
            raise FormatError(f"{path}: object {element.get('objectid')!r} is not in this file")
        matrix = above @ _affine(path, element.get("transform"))
        waiting += [(e, matrix, depth + 1) for e in target.findall("components/component")]
        if (mesh := target.find("mesh")) is not None:
            rows = [[e.get(axis) for axis in "xyz"] for e in mesh.iter("vertex")]
            index = [[e.get(f"v{k}") for k in (1, 2, 3)] for e in mesh.iter("triangle")]
            pieces.append(Piece(_table(path, rows, float), _table(path, index, int), matrix))
    return merged(path, pieces, MICRO[root.get("unit", "millimeter")])


def _model(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            models = [info for info in archive.infolist() if info.filename.lower().endswith(".model")]
            if not models:
                raise FormatError(f"{path}: no .model in this 3MF archive")
            info = min(models, key=lambda i: (i.filename != "3D/3dmodel.model", len(i.filename)))
            if info.file_size > min(LARGEST, PACKED * max(info.compress_size, 1)):
                raise FormatError(f"{path}: {info.filename} unpacks to {info.file_size} bytes, too much to be a mesh")
            with archive.open(info) as file:
                return file.read(info.file_size + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise FormatError(f"{path}: cannot be unpacked as 3MF: {error}") from None


def _affine(path: Path, text: str | None) -> np.ndarray:
    """A 3MF transform: four rows of three numbers, the last of them the shift."""
    matrix = np.eye(4)
    if text is not None:
        values = _numbers(path, text)
        if len(values) != 12:
            raise FormatError(f"{path}: a transform has {len(values)} numbers; expected 12")
        rows = values.reshape(4, 3)
        matrix[:3, :3], matrix[:3, 3] = rows[:3].T, rows[3]
    return matrix


def _table(path: Path, rows: list[list[Any]], kind: type) -> np.ndarray:
    try:
        return np.array(rows, dtype="U40").astype(kind).reshape(-1, 3)
    except ValueError as error:
        raise FormatError(f"{path}: expected three numbers ({error})") from None
