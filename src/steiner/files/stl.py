"""STL files, binary and ascii: triangles by their corners, read in blocks, in time linear in their size.

A binary file may begin with "solid" like an ascii one: its size tells it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from steiner.errors import FormatError
from steiner.files.words import MARK, tabled

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEAD = 84  # bytes: a comment of 80, and the number of triangles
BLOCK = 1 << 14  # triangles at once
CHUNK = 1 << 22  # bytes of text at once
NAMES = re.compile(rb"^[ \t]*(?:end)?solid\b[^\n]*", re.MULTILINE)
# the words of a facet and the places of its nine coordinates
FACET = b"facet normal x x x outer loop vertex x x x vertex x x x vertex x x x endloop endfacet".split()
WORDS = [k for k, word in enumerate(FACET) if word != b"x"]
NUMBERS = [k for k, word in enumerate(FACET) if word == b"x"][3:]

Progress = Callable[[int], None]


def read_stl(path: Path, progress: Progress) -> np.ndarray:
    """The triangles (n, 3, 3) of a file; `progress` is told of the bytes that were read."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD)
        if not head.strip():
            raise FormatError(f"{path}: the file is empty; expected an STL mesh")
        count = int.from_bytes(head[80:84], "little")
        if len(head) == HEAD and size == HEAD + RECORD.itemsize * count:
            return _binary(path, file, count, progress)
        mark = len(MARK) * head.startswith(MARK)
        if head[mark:].lstrip()[:5].lower() == b"solid" and (size < HEAD or b"\0" not in head):
            file.seek(mark)
            return _ascii(path, file, progress)
    if size < HEAD:
        raise FormatError(
            f"{path}: {size} bytes are no STL mesh; a binary one has at least {HEAD}, an ascii one begins with `solid`"
        )
    whole = (size - HEAD) // RECORD.itemsize
    why = "it was cut short" if whole < count else "more than that follows"
    raise FormatError(
        f"{path}: the header claims {count} triangles ({HEAD + RECORD.itemsize * count} bytes), but the file has "
        f"{size} bytes, room for {whole}; {why}, or it is no STL file: export it again"
    )


def _binary(path: Path, file: BinaryIO, count: int, progress: Progress) -> np.ndarray:
    corners, buffer = np.zeros((count, 3, 3), np.float32), np.zeros(BLOCK, RECORD)
    for start in range(0, count, BLOCK):
        block = buffer[: min(BLOCK, count - start)]
        if file.readinto(block.view(np.uint8)) != block.nbytes:  # type: ignore[attr-defined]
            raise FormatError(f"{path}: the file ended while it was read, after {start} of {count} triangles")
        corners[start : start + len(block)] = block["corners"]
        progress(block.nbytes)
    return corners


def _ascii(path: Path, file: BinaryIO, progress: Progress) -> np.ndarray:
    found: list[np.ndarray] = []
    rest, lines = b"", 0
    while True:
        chunk = file.read(CHUNK)
        progress(len(chunk))
        text = rest + chunk
        end = text.lower().rfind(b"endfacet")
        end = len(text) if not chunk else text.find(b"\n", end) + 1 if end >= 0 else 0
        found.append(_facets(path, text[:end], lines))
        lines, rest = lines + text.count(b"\n", 0, end), text[end:]
        if len(rest) > 2 * CHUNK:
            raise FormatError(f"{path}:{lines + 1}: no `endfacet` in {len(rest)} bytes; this is no ascii STL file")
        if not chunk:
            return np.concatenate(found)


def _facets(path: Path, text: bytes, before: int) -> np.ndarray:
    """The triangles of whole facets; `before` are the lines before them."""
    words = NAMES.sub(b"", text.lower()).split()
    try:
        table = tabled(words).reshape(-1, len(FACET))
        if (table[:, WORDS] == np.array([FACET[k] for k in WORDS])).all():
            corners = table[:, NUMBERS].astype(float).reshape(-1, 3, 3)
            if np.isfinite(corners).all():
                return corners
    except ValueError:
        pass
    line, said = _fault(text.lower())
    raise FormatError(f"{path}:{before + line}: {said}")


def _fault(text: bytes) -> tuple[int, str]:
    """Line and reason of the first word that does not fit."""
    text = NAMES.sub(b"", text)
    for k, found in enumerate(re.finditer(rb"\S+", text)):
        word, wanted = found[0], FACET[k % len(FACET)]
        shown = word[:40].decode(errors="replace")
        said = ""
        if wanted != b"x":
            said = f"expected `{wanted.decode()}`, got {shown!r}" if word != wanted else ""
        else:
            try:
                if not math.isfinite(float(word)) and k % len(FACET) in NUMBERS:
                    said = f"a coordinate is {shown}; expected a finite number"
            except ValueError:
                said = f"expected a coordinate, got {shown!r}"
        if said:
            return text.count(b"\n", 0, found.start()) + 1, said
    return text.count(b"\n") + 1, "the file ends within a facet; it was cut short"
