"""What every reader shares: bytes from a file, notes beside the model, and how findings are told."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from steiner.checks.rules import RULES, judged
from steiner.errors import FormatError, ModelWarning, clipped, printable
from steiner.findings import Finding
from steiner.model.robot import Robot
from steiner.model.source import Source
from steiner.records import record, replace, twin
from steiner.spatial import Pose, snapped
from steiner.spatial.poses import distortion

CAD_ENDINGS = (".step", ".stp")
MESH_ENDINGS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".dae", ".3mf")
LARGEST = 50_000_000  # bytes; the largest arm descriptions are below 1 MB
MOST_VALUES, LEAST_OF_A_VALUE = 500_000, 10
LONGEST = 400  # characters of a number: the widest float written out has 326 digits
DIGITS = frozenset("0123456789+-.eE")  # of these alone, `float` takes exactly what a decimal number is
UNLIMITED = 1e9  # limits of joints this large say "none", in the files that steiner writes too


class Notes:
    """What a reader knows beside the model: where things stand, what it changed and what it left out.

    Things are named by `steiner.model.source.element`, in whose words these notes become the model's source.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.snapped: dict[str, str] = {}
        self.normalised: dict[str, str] = {}
        self.warnings: dict[str, str] = {}
        self.turns: dict[str, str] = {}
        self.mimic: dict[str, str] = {}
        self.package_dirs: tuple[str, ...] = ()
        self.lines: dict[str, int] = {}

    def judged(self, model: Any, format: str = "") -> tuple[Any, list[Finding]]:
        """The model with its source, and what the rules say about it."""
        own = getattr(model, "findings", None)
        if own is not None:  # a mesh was examined while it was read
            return model, [replace(f, file=self.file) for f in own]
        source = Source(format=format, **vars(self))
        if isinstance(model, Robot):
            model = twin(model, source=source)
            return model, judged(model, source)
        noted: Any = SimpleNamespace(source=source)  # a drawing keeps none
        return model, [*judged(model, source), *RULES["angle-in-degrees"](noted, source)]


def told(judgement: tuple[Any, list[Finding]], *, stacklevel: int = 3) -> Any:
    """The model; a fatal finding is raised, errors and warnings are warned about at the caller's caller."""
    model, findings = judgement
    for finding in findings:
        if finding.severity == "fatal":
            raise FormatError(finding.message).under(finding.rule)
    for finding in findings:
        if finding.severity in ("error", "warning"):
            warnings.warn(finding.message, ModelWarning, stacklevel=stacklevel)
    return model


def regular(path: str | os.PathLike[str]) -> Path:
    """The path, if it leads to a file that can be read from beginning to end."""
    file = Path(path)
    try:
        if file.is_file():
            return file
        missing = not file.exists()
        if missing and file.is_symlink():
            raise FormatError(f"{file} is a symbolic link that leads nowhere, or to itself")
    except OSError as error:
        raise unreadable(file, error) from None
    raise FormatError(f"{file}: no such file{_nearby(file)}" if missing else f"{file} is not a regular file")


def contents(path: str | os.PathLike[str], kind: str, most: int = LARGEST) -> bytes:
    """The bytes of a file; `kind` says in messages what it should be."""
    file = regular(path)
    try:
        size = file.stat().st_size
        if size > most:
            raise FormatError(f"{file}: {size / 1e6:.0f} MB is too large for {kind} (at most {most / 1e6:.0f} MB)")
        return file.read_bytes() if size else b""  # what has no size but bytes, as some of /proc, may never end
    except OSError as error:
        raise unreadable(file, error) from None


def decoded(text: str | bytes, file: str) -> str:
    """The text of a file's bytes, which are UTF-8."""
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{file}:{line}: is not UTF-8 text (byte {error.start})") from None


def counted(text: Any, where: str) -> Any:
    """A JSON text, if it has not too many values: each takes some 80 bytes before anybody can look at it."""
    values = sum(text.count(mark if isinstance(text, str) else mark.encode()) for mark in ",[{")
    if values > MOST_VALUES + len(text) // LEAST_OF_A_VALUE:
        raise FormatError(
            f"{where}: {values} values in {len(text)} bytes of JSON are too many (at most {MOST_VALUES}, and one for "
            f"{LEAST_OF_A_VALUE} bytes)"
        )
    return text


def unreadable(path: Path, error: OSError) -> FormatError:
    """The sentence for what the operating system refuses."""
    name = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}…"
    return FormatError(f"{name}: cannot be read: {error.strerror or error}")


def _nearby(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent}"
    like = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:6] if path.suffix else []
    return f"; in that folder: {', '.join(like)}" if like else ""


def shown(text: str, limit: int = 60) -> str:
    """Text of a stranger, fit to be printed: one line, control characters escaped, not too long."""
    return clipped(printable(text), limit)


def decimal(word: str) -> float | None:
    """The value of a decimal number, infinite if it is too large for a float; None if the word is none."""
    if len(word) > LONGEST or not DIGITS.issuperset(word):
        return None
    try:
        return float(word)
    except ValueError:
        return None


@record
class Coupling:
    """A joint's value as multiplier · (value of the joint that it follows) + offset."""

    follows: str
    multiplier: float
    offset: float


def followed(direct: Mapping[str, Coupling], cycle: Callable[[str, str], NoReturn]) -> dict[str, Coupling]:
    """For each follower the free joint at the end of its chain; `cycle(joint, names)` refuses a chain without one."""
    resolved: dict[str, Coupling] = {}
    for name in direct:
        chain: dict[str, Coupling] = {}
        while name in direct and name not in resolved:
            if name in chain:
                cycle(name, ", ".join(sorted(chain)[:12]))
            chain[name] = direct[name]
            name = direct[name].follows
        for follower, step in reversed(chain.items()):
            rest = resolved.get(step.follows, Coupling(step.follows, 1.0, 0.0))
            offset = step.multiplier * rest.offset + step.offset
            resolved[follower] = Coupling(rest.follows, step.multiplier * rest.multiplier, offset)
    return {name: resolved[name] for name in direct}


SNAP = 1e-10  # how far an entry of a rotation may be from an exact one to be taken for it


def doubtful(rpy: Sequence[float], what: str, notes: Notes) -> None:
    """Note angles of many turns."""
    if max(map(abs, rpy)) > 4 * math.pi:
        far = max(rpy, key=abs)
        notes.turns[what] = f"{far!r} rad are many turns; degrees? {far:g}° are {math.radians(far):.9g} rad"


def exact_angles(R: np.ndarray) -> tuple[np.ndarray, float]:
    """A rotation with the entries of truncated decimals (1.57079632679) made exact, and how far they moved."""
    exact = snapped(R, SNAP)
    # near 1 the cosine of a coarse angle (1.5708) snaps and its sine does not: then nothing is snapped
    if (exact == R).all() or distortion(exact) > 1e-14:
        return R, 0.0
    return exact, float(np.abs(exact - R).max())


def exact(pose: Pose, what: str, written: str, notes: Notes) -> Pose:
    """The pose with exact angles, noted with what was written."""
    R, shift = exact_angles(pose.R)
    if shift == 0:
        return pose
    notes.snapped[what] = f"{shown(written)} read as exact angles (by {shift:.1g})"
    return Pose.trusted(R, pose.p)
