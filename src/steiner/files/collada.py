"""COLLADA files (.dae): the meshes of their visual scene; `<unit meter=…>` says what their lengths are in.

Nothing that a file refers to is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import FormatError, clipped
from steiner.files.polygons import fanned, fans
from steiner.files.scenes import Piece, Scene, Walk, merged
from steiner.files.stl import Progress
from steiner.files.words import values, whole
from steiner.files.xml import MAX_DEPTH, shown
from steiner.findings import Finding

MOST_TAGS, LEAST_OF_A_TAG = 200_000, 40  # each of them takes some 300 bytes, and so does each attribute
PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def read_dae(path: Path, progress: Progress) -> Scene:
    """The visual scene of a COLLADA file; `<unit meter=…>` is the unit, the axes are the file's own."""
    data = path.read_bytes()
    progress(len(data))
    root = _xml(path, data)
    del data
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
    points: dict[str, np.ndarray] = {}  # those of each source, read once
    pieces: list[Piece] = []
    waiting, walk = [(top, np.eye(4), 0)] if top is not None else [], Walk(path)
    while waiting:
        node, above, depth = waiting.pop()
        matrix = above
        for child in node:
            matrix = matrix @ _step(path, child)
        for child in node:
            if child.tag in ("node", "instance_node"):
                walk.step(depth + 1)
                waiting.append((child if child.tag == "node" else _named(path, child, ids), matrix, depth + 1))
            elif child.tag == "instance_controller":
                raise FormatError(f"{path}: a mesh is bent by a skin (<instance_controller>); export it at rest")
            elif child.tag == "instance_geometry":
                geometry = _named(path, child, ids)
                name = geometry.get("id")
                if name not in geometries:
                    geometries[name] = list(_primitives(path, geometry, ids, points))
                walk.step(depth, len(geometries[name]))
                pieces += [Piece(*mesh, matrix) for mesh in geometries[name]]
    return Scene(*merged(path, pieces, scale), tuple(_up(root.find("asset/up_axis"))))


def _named(path: Path, instance: Any, ids: dict[str, Any]) -> Any:
    """What an instance stands for: an element of the same file."""
    url = instance.get("url", "")
    if not url.startswith("#"):
        raise FormatError(f"{path}: <{instance.tag} url={url!r}> leads to another file, and none is opened")
    if url[1:] not in ids:
        raise FormatError(f"{path}: <{instance.tag} url={url!r}> names nothing in this file")
    return ids[url[1:]]


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
    if element.tag in ("lookat", "skew"):
        raise FormatError(f"{path}: a node is placed by <{element.tag}>; export it with <matrix>")
    if element.tag not in ("matrix", "translate", "scale", "rotate"):
        return matrix
    values = _numbers(path, element.text)
    if len(values) != {"matrix": 16, "translate": 3, "scale": 3, "rotate": 4}[element.tag]:
        raise FormatError(f"{path}: <{element.tag}> has {len(values)} numbers")
    if not np.isfinite(values).all():
        raise FormatError(f"{path}: <{element.tag}> has numbers that are not finite")
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


def _primitives(
    path: Path, geometry: Any, ids: dict[str, Any], known: dict[str, np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    name = geometry.get("id")
    for primitive in [e for e in geometry.iter() if e.tag in PRIMITIVES]:
        try:
            inputs = [(e.get("semantic"), int(e.get("offset", 0)), e.get("source", "")[1:])
                      for e in primitive.iter("input")]  # fmt: skip
        except ValueError as error:
            raise FormatError(f"{path}: geometry {name!r}: an offset of its inputs: {error}") from None
        if any(offset < 0 for _name, offset, _source in inputs) or next(primitive.iter("ph"), None) is not None:
            raise FormatError(f"{path}: geometry {name!r} has faces with holes, or damaged ones; export triangles")
        width = 1 + max((offset for _name, offset, _source in inputs), default=0)
        offset, source = next(((o, s) for name, o, s in inputs if name == "VERTEX"), (0, ""))
        positions = next((e.get("source", "")[1:] for e in ids[source].iter("input")
                          if e.get("semantic") == "POSITION"), "") if source in ids else ""  # fmt: skip
        floats = next(ids[positions].iter("float_array"), None) if positions in ids else None
        if floats is None:
            raise FormatError(f"{path}: geometry {name!r} has no positions")
        spread = next(ids[positions].iter("accessor"), None)
        if spread is not None and (spread.get("stride", "3"), spread.get("offset", "0")) != ("3", "0"):
            raise FormatError(f"{path}: geometry {name!r}: its positions are not three numbers each, one after another")
        if positions not in known:
            numbers = _numbers(path, floats.text)
            if len(numbers) % 3:
                raise FormatError(f"{path}: {len(numbers)} coordinates are no whole number of points")
            _as_many(path, f"geometry {name!r}: <float_array", floats, len(numbers))
            known[positions] = numbers.reshape(-1, 3)
        points = known[positions]
        lists = [_whole(path, p.text) for p in primitive.iter("p")]
        if any(len(p) % width for p in lists):
            raise FormatError(f"{path}: geometry {name!r}: the corners of its faces are cut short")
        corners = [p.reshape(-1, width)[:, offset] for p in lists]
        if primitive.tag == "triangles":
            _as_many(path, f"geometry {name!r}: <triangles", primitive, sum(map(len, corners)) // 3)
        yield points, _faces(path, primitive, corners, len(points))


def _as_many(path: Path, what: str, element: Any, found: int) -> None:
    """A count that is stated must be kept."""
    stated = element.get("count")
    if stated is not None and stated.strip() != str(found):
        raise FormatError(f"{path}: {what} count={shown(stated)!r}> holds {found}; it was cut short or is damaged")


def _faces(path: Path, primitive: Any, corners: list[np.ndarray], count: int) -> np.ndarray:
    joined = np.concatenate(corners) if corners else np.zeros(0, np.int64)
    if primitive.tag == "triangles":
        if len(joined) % 3:
            raise FormatError(f"{path}: {len(joined)} corners are no whole number of triangles")
        return joined.reshape(-1, 3)
    if primitive.tag in ("polygons", "trifans"):
        return fans(path, corners, count)
    if primitive.tag == "tristrips":  # every second triangle of a strip runs the other way round
        return np.concatenate([np.zeros((0, 3), np.int64), *map(_strip, corners)])
    counts = _whole(path, primitive.findtext("vcount"))
    if counts.sum() != len(joined) or (counts < 0).any():
        raise FormatError(f"{path}: <vcount> asks for {counts.sum()} corners, but there are {len(joined)}")
    return fanned(path, joined, counts, count)


def _strip(corners: np.ndarray) -> np.ndarray:
    found = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1) if len(corners) > 2 else np.zeros((0, 3), int)
    found[1::2, 1:] = found[1::2, :0:-1].copy()
    return found


def _xml(path: Path, data: bytes) -> Any:
    """The root of a document; its tags lose their namespaces."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    for kind, many in (("tags", data.count(b"<")), ("attributes", data.count(b"="))):
        if many > MOST_TAGS + len(data) // LEAST_OF_A_TAG:
            raise FormatError(
                f"{path}: {many} {kind} in {len(data)} bytes are too many for a mesh (at most {MOST_TAGS}, and one for "
                f"{LEAST_OF_A_TAG} bytes); export its faces as <triangles>"
            )
    try:
        root = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise FormatError(f"{path}: a document type declaration (<!DOCTYPE …>) is refused; delete it") from None
    except (ParseError, ValueError, LookupError) as error:
        raise FormatError(f"{path}: not well-formed XML: {error}") from None
    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise FormatError(f"{path}: elements are nested deeper than {MAX_DEPTH}; this is no mesh")
        element.tag = element.tag.rpartition("}")[2]
        waiting += [(child, depth + 1) for child in element]
    return root


def _numbers(path: Path, text: str | None) -> np.ndarray:
    try:
        return values((text or "").encode())
    except ValueError as error:
        raise FormatError(f"{path}: expected numbers ({clipped(str(error), 120)})") from None


def _whole(path: Path, text: str | None) -> np.ndarray:
    try:
        return whole(_numbers(path, text))
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from None
