"""OFF files, as Geomview defines them: vertices, and faces by the numbers of their corners, in text.

Lines matter only where a colour may follow: that of a face ends with its line.  The word OFF may be missing or stand
right before the counts, as in a well-known collection of drawings; normals, colours and textures are left alone.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np

from steiner.errors import FormatError
from steiner.files.polygons import Faces, fanned, floats, indices, plausible
from steiner.files.stl import Progress
from steiner.files.words import MARK, blocks

KIND = re.compile(rb"(?i:(st)?(c)?)((?-i:N))?(4)?(n)?(?i:off)(?=[\s\d]|$)")
COUNTS = "the numbers of vertices, faces and edges"
MOST_LINES, LEAST_OF_A_LINE = 1_000_000, 6  # each takes some 60 bytes
COLOUR = 4  # numbers, at most


def read_off(path: Path, progress: Progress) -> Faces:
    """Vertices and faces of an OFF file."""
    progress(path.stat().st_size)
    with path.open("rb") as file:
        stated = (line.partition(b"#")[0].removeprefix(MARK).strip() for line in file)
        most = MOST_LINES + path.stat().st_size // LEAST_OF_A_LINE
        lines = list(itertools.islice(filter(None, stated), most + 1))
    if len(lines) > most:
        raise FormatError(
            f"{path}: more than {MOST_LINES} lines, and one for {LEAST_OF_A_LINE} bytes, are too many for a mesh"
        )
    widths = _widths(path, lines)
    vertices, faces = _counts(path, lines)
    plausible(path, faces, vertices)
    if 0 < faces <= len(lines):
        amounts = np.array([_amount(line) for line in lines], np.int64)
        before, of_faces = amounts[:-faces], amounts[-faces:]
        width = int(before.sum()) // max(vertices, 1)
        own_lines = len(before) == vertices and (before == width).all()
        if before.sum() == width * vertices and (width == widths[-1] or (width in widths and own_lines)):
            points = floats(path, b"\n".join(lines[:-faces])).reshape(vertices, width)
            return points[:, :3], _by_lines(path, lines[-faces:], of_faces, vertices)
    return _by_words(path, lines, vertices, faces, widths[-1])


def _widths(path: Path, lines: list[bytes]) -> list[int]:
    """How many numbers a vertex may have, the defined one last; takes the word OFF away."""
    kind = KIND.match(lines[0]) if lines else None
    if kind is None and not (lines and re.match(rb"\d+(\s|$)", lines[0])):
        raise FormatError(f"{path}:1: expected the word OFF at the start of the file (or COFF, NOFF, STOFF …)")
    if kind is None:
        return [3]
    textured, coloured, normal, four, many = kind.groups()  # (n: a count of dimensions follows; N: normals)
    lines[0] = lines[0][kind.end() :].strip()
    if four or many or lines[0].upper().startswith(b"BINARY"):
        what = "whose points have another number of coordinates than three" if four or many else "in binary"
        raise FormatError(f"{path}:1: an OFF file {what} is not read; export it as plain OFF, or as PLY")
    if not lines[0]:
        del lines[0]
    width = 3 + (3 if normal else 0) + (2 if textured else 0)
    return [width + 3, width + 4] if coloured else [6, 7, width] if width == 3 else [width]


def _counts(path: Path, lines: list[bytes]) -> tuple[int, int]:
    """How many vertices and faces there are; takes the numbers away.  Some programs leave out that of the edges."""
    given = lines[0].split() if lines else []
    if len(given) == 2:
        del lines[0]
    else:
        *given, rest = [*b"\n".join(lines[:3]).split(maxsplit=3), b"", b""][:4]
        lines[:3] = rest.splitlines()
    try:
        vertices, faces = (int(word) for word in given[:2])
    except ValueError:
        shown = b" ".join(given)[:60].decode(errors="replace")
        raise FormatError(f"{path}: expected {COUNTS}, got {shown!r}; the file was cut short or is damaged") from None
    if min(vertices, faces) < 0:
        raise FormatError(f"{path}: expected {COUNTS}, got {vertices} and {faces}")
    return vertices, faces


def _amount(line: bytes) -> int:
    return sum(len(block.split()) for block in blocks(line))


def _by_lines(path: Path, lines: list[bytes], amounts: np.ndarray, vertices: int) -> np.ndarray:
    """Triangles of faces, each with its line: how many corners, which ones, and perhaps a colour."""
    table = floats(path, b"\n".join(lines))
    start = np.cumsum(amounts) - amounts
    sizes = indices(path, table[start])
    wrong = np.flatnonzero((sizes < 3) | (sizes > amounts - 1) | (amounts - 1 > sizes + COLOUR))
    if len(wrong):
        shown = lines[wrong[0]][:60].decode(errors="replace")
        raise FormatError(f"{path}: expected a face, the number of its corners and these, got {shown!r}")
    if (amounts == 4).all():
        return indices(path, table.reshape(-1, 4)[:, 1:])
    plausible(path, int((sizes - 2).sum()), vertices)
    ends = np.zeros(len(table) + 1, np.int8)  # a corner is what stands between a size and a colour
    np.add.at(ends, start + 1, 1)
    np.add.at(ends, start + 1 + sizes, -1)
    return fanned(path, indices(path, table[np.cumsum(ends[:-1], dtype=np.int8) > 0]), sizes, vertices)


def _by_words(path: Path, lines: list[bytes], vertices: int, faces: int, width: int) -> Faces:
    """The same without lines: numbers one after another, faces without colours."""
    text = b"\n".join(lines)
    lines.clear()  # each takes six times its text
    numbers = floats(path, text)
    if width * vertices > len(numbers):
        raise FormatError(
            f"{path}: the header claims {vertices} vertices, but only {len(numbers)} numbers follow, not {width} each"
        )
    points, table = numbers[: width * vertices].reshape(vertices, width), numbers[width * vertices :]
    if 4 * faces > len(table):
        raise FormatError(
            f"{path}: the header claims {faces} faces, but only {len(table)} numbers follow the {vertices} vertices"
        )
    sizes, corners, at = np.zeros(faces, np.int64), np.ones(len(table), bool), 0
    for k in range(faces):
        size, left = table[at] if at < len(table) else 0, len(table) - at - 1
        if not 3 <= size <= left or size != int(size):
            raise FormatError(
                f"{path}: face {k + 1} of {faces} begins with {size:g}, and {max(left, 0)} numbers follow; expected "
                "the number of its corners and these (if faces have colours, each face on its line)"
            )
        sizes[k], corners[at] = size, False
        at += int(size) + 1
    if at < len(table):
        raise FormatError(f"{path}: {len(table) - at} numbers follow the {faces} faces that it claims")
    return points[:, :3], fanned(path, indices(path, table[corners]), sizes, vertices)
