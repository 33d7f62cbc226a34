"""3MF files: archives of models, read as a stream; what they build, in metres.

Models may lie in several parts of the archive (the production extension, as slicers write it); nothing else is opened.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from steiner.errors import FormatError
from steiner.files.scenes import Piece, Walk, merged
from steiner.files.stl import Progress
from steiner.files.words import values
from steiner.files.xml import MAX_DEPTH

LARGEST = 2_000_000_000  # bytes that an archive may unpack to; reading takes about twice what is unpacked
PACKED = 50  # times its size, at most: meshes are packed to a fourth or a tenth
SMALL = 1_000_000  # bytes that are always unpacked
LONGEST = 1_000_000  # bytes without an element
MOST_THINGS, MOST_KINDS = 100_000, 1000
ROOT = "3D/3dmodel.model"
PATH = "{http://schemas.microsoft.com/3dmanufacturing/production/2015/06}path"
UNITS = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1.0}


@dataclass
class Placed:
    """An object by its part of the archive and its id, and where it is put."""

    part: str
    name: str | None
    matrix: np.ndarray


@dataclass
class Body:
    """An object: its triangles, and what else it consists of."""

    points: array[float] = field(default_factory=lambda: array("d"))
    corners: array[int] = field(default_factory=lambda: array("i"))
    components: list[Placed] = field(default_factory=list)

    def mesh(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and faces."""
        return np.frombuffer(self.points).reshape(-1, 3), np.frombuffer(self.corners, np.int32).reshape(-1, 3)


@dataclass
class Model:
    """One part of the archive."""

    unit: str = "millimeter"
    bodies: dict[str | None, Body] = field(default_factory=dict)
    items: list[Placed] = field(default_factory=list)


def read_3mf(path: Path, progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    """What a 3MF file builds; its unit is the file's, millimetres if it says none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _built(_Archive(path, archive, progress))
    except FormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError, ValueError, OverflowError) as error:
        raise FormatError(f"{path}: cannot be unpacked as 3MF: {error}") from None


def _built(archive: _Archive) -> tuple[np.ndarray, np.ndarray]:
    root = archive.root
    items, walk = archive.model(root).items, Walk(archive.path)
    walk.step(0, len(items))
    waiting = [(item, np.eye(4), 0) for item in items]
    pieces: list[Piece] = []
    meshes: dict[tuple[str, str | None], tuple[np.ndarray, np.ndarray]] = {}
    while waiting:
        placed, above, depth = waiting.pop()
        body = archive.model(placed.part).bodies.get(placed.name)
        if body is None:
            raise FormatError(f"{archive.path}: object {placed.name!r} is not in {placed.part}")
        matrix = above @ placed.matrix
        walk.step(depth + 1 if body.components else depth, len(body.components))
        waiting += [(component, matrix, depth + 1) for component in body.components]
        if body.corners:
            key = placed.part, placed.name
            if key not in meshes:
                meshes[key] = body.mesh()
            pieces.append(Piece(*meshes[key], matrix))
    return merged(archive.path, pieces, UNITS[archive.model(root).unit])


class _Counted:
    """A stream that ends with a sentence where a single tag, text or comment does not end."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self.file, self.waiting = path, file, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        self.waiting += size
        if self.waiting > LONGEST:
            raise FormatError(f"{self.path}: {LONGEST} bytes without the end of an element; this is no mesh")
        return self.file.read(size)


class _Archive:
    """The models of an archive, each read once."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, progress: Progress) -> None:
        self.path, self.archive, self.progress = path, archive, progress
        self.models: dict[str, Model] = {}
        self.parts = {i.filename.lstrip("/"): i for i in archive.infolist() if i.filename.lower().endswith(".model")}
        if not self.parts:
            raise FormatError(f"{path}: no .model in this 3MF archive")
        self.root = min(self.parts, key=lambda name: (name != ROOT, len(name)))
        unpacked = sum(info.file_size for info in self.parts.values())
        packed = path.stat().st_size
        if unpacked > min(LARGEST, PACKED * packed + SMALL):
            raise FormatError(
                f"{path}: its models unpack from {packed} to {unpacked} bytes, too much for a mesh (at most {PACKED} "
                f"times the file, and {LARGEST / 1e9:.0f} GB)"
            )

    def model(self, part: str) -> Model:
        """The model of a part."""
        if part not in self.parts:
            raise FormatError(f"{self.path}: {part!r} is no part of this archive")
        if part not in self.models:
            self.models[part] = self._read(part)
            if self.models[part].unit != self.models[self.root].unit:
                raise FormatError(f"{self.path}: {part} has another unit than {self.root}")
        return self.models[part]

    def _read(self, part: str) -> Model:
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import ParseError, iterparse

        model, body, above, things = Model(), Body(), [], 0
        kinds: set[tuple[str, ...]] = set()  # names are kept by the parser
        info = self.parts[part]
        self.progress(info.compress_size)
        try:
            with self.archive.open(info) as opened:
                file = _Counted(self.path, opened)
                for event, element in iterparse(file, ("start", "end"), forbid_dtd=True):
                    file.waiting = 0
                    if event == "end":
                        above.pop()
                        if above:
                            above[-1].clear()  # what was read is let go: there are millions
                        continue
                    tag = element.tag.rpartition("}")[2]
                    if not above:
                        self._begin(model, tag, element, part)
                    above.append(element)
                    things += tag in ("object", "component", "item")
                    kinds.add((tag, *element.keys()))
                    if len(above) > MAX_DEPTH or things > MOST_THINGS or len(kinds) > MOST_KINDS:
                        raise FormatError(
                            f"{self.path}: {part}: elements deeper than {MAX_DEPTH}, more than {MOST_KINDS} kinds of "
                            f"them, or more than {MOST_THINGS} objects, components and items; this is no mesh"
                        )
                    if tag == "vertex":
                        body.points.extend(self._three(element, "xyz", float))
                    elif tag == "triangle":
                        body.corners.extend(self._three(element, ("v1", "v2", "v3"), int))
                    elif tag == "object":
                        body = model.bodies[element.get("id")] = Body()
                    elif tag == "component":
                        body.components.append(self._placed(element, part))
                    elif tag == "item":
                        model.items.append(self._placed(element, part))
                    elif tag == "beamlattice":
                        raise FormatError(f"{self.path}: {part} has a lattice of beams; export it as triangles")
        except DefusedXmlException:
            raise FormatError(f"{self.path}: {part}: a document type declaration (<!DOCTYPE …>) is refused") from None
        except (ParseError, LookupError) as error:
            raise FormatError(f"{self.path}: {part} is not well-formed XML: {error}") from None
        return model

    def _begin(self, model: Model, tag: str, element: Any, part: str) -> None:
        if tag != "model":
            raise FormatError(f"{self.path}: {part} is a <{tag}>; expected <model>")
        model.unit = element.get("unit", "millimeter")
        if model.unit not in UNITS:
            raise FormatError(f"{self.path}: the unit {model.unit!r} is none of {', '.join(UNITS)}")

    def _three(self, element: Any, names: Any, kind: Any) -> list[Any]:
        try:
            found = [kind(element.get(name)) for name in names]
            if kind is float or max(map(abs, found)) < 2**31:
                return found
        except (TypeError, ValueError):
            pass
        shown = " ".join(f"{key}={value[:20]!r}" for key, value in list(element.items())[:6])
        raise FormatError(f"{self.path}: expected three numbers {', '.join(names)}, got {shown or 'nothing'}")

    def _placed(self, element: Any, part: str) -> Placed:
        """Where an element puts an object: four rows of three numbers, the last of them the shift."""
        matrix, text = np.eye(4), element.get("transform")
        if text is not None:
            try:
                rows = values(text.encode()).reshape(4, 3)
            except ValueError:
                raise FormatError(f"{self.path}: transform={text[:60]!r}: expected 12 numbers") from None
            matrix[:3, :3], matrix[:3, 3] = rows[:3].T, rows[3]
        return Placed(element.get(PATH, part).lstrip("/"), element.get("objectid"), matrix)
