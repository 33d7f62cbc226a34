"""OBJ files: vertices, and faces by the numbers of their corners.

Materials, textures and whatever else a file refers to are left alone.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from steiner.errors import FormatError
from steiner.files.polygons import Faces, fanned
from steiner.files.stl import Progress
from steiner.files.words import MARK, blocks


def read_obj(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of an OBJ file; numbers of corners begin at 1, negative ones count from the last vertex."""
    points, corners, sizes = array("d"), array("q"), array("q")
    for line, text in _statements(path, progress):
        if text[:2] in (b"v ", b"v\t"):
            points.extend(_point(path, line, text[2:]))
        elif text[:2] in (b"f ", b"f\t"):
            before = len(corners)
            for block in blocks(text, 2):
                corners.extend(_corners(path, line, block.split(), len(points) // 3))
            sizes.append(len(corners) - before)
            if sizes[-1] < 3:
                raise FormatError(f"{path}:{line}: a face needs at least 3 corners, got {sizes[-1]}")
    if not points:
        raise FormatError(f"{path}: no vertex (`v x y z`) in this file; expected an OBJ mesh")
    vertices = np.frombuffer(points).reshape(-1, 3)
    listed, lengths = (np.frombuffer(numbers, np.int64) for numbers in (corners, sizes))
    return vertices, fanned(path, listed, lengths, len(vertices))


def _statements(path: Path, progress: Progress) -> Iterator[tuple[int, bytes]]:
    r"""Lines by their number; one that ends in \ goes on in the next."""
    begun, line = bytearray(), 0
    with path.open("rb") as file:
        for line, text in enumerate(file, 1):
            progress(len(text))
            text = (text if line > 1 else text.removeprefix(MARK)).strip()
            if text.endswith(b"\\"):
                begun += text[:-1] + b" "
            elif begun:
                yield line, bytes(begun + text).lstrip()
                begun.clear()
            else:
                yield line, text
    if begun:
        yield line, bytes(begun).lstrip()


def _point(path: Path, line: int, text: bytes) -> tuple[float, ...]:
    words = text.split(maxsplit=3)[:3]
    try:
        point = tuple(map(float, words))
    except ValueError:
        point = ()
    if len(point) != 3 or not all(map(math.isfinite, point)):
        shown = b" ".join(words)[:60].decode(errors="replace")
        raise FormatError(f"{path}:{line}: expected three finite coordinates, got {shown!r}")
    return point


def _corners(path: Path, line: int, words: list[bytes], count: int) -> list[int]:
    try:
        given = [int(word.partition(b"/")[0]) for word in words]
    except ValueError:
        shown = b" ".join(words)[:60].decode(errors="replace")
        raise FormatError(f"{path}:{line}: expected numbers of vertices, got {shown!r}") from None
    for number in given:
        if not 1 <= number <= count and not -count <= number <= -1:
            raise FormatError(
                f"{path}:{line}: the face uses vertex {number}, but {count} vertices are listed before it"
            )
    return [number - 1 if number > 0 else count + number for number in given]
