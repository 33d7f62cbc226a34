"""What every reader shares: bytes from a file, notes beside the model, and how findings are told."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from steiner.checks.rules import RULES, judged
from steiner.errors import FormatError, ModelWarning
from steiner.findings import Finding
from steiner.model.robot import Robot
from steiner.model.source import Source

CAD_ENDINGS = (".step", ".stp")
MESH_ENDINGS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".dae", ".3mf")
LARGEST = 50_000_000  # bytes; the largest arm descriptions are below 1 MB
UNLIMITED = 1e9  # limits of joints this large say "none", in the files that steiner writes too


@dataclass
class Notes:
    """What a reader knows beside the model: where things stand, what it changed and what it left out.

    Things are named by `steiner.model.source.element`.
    """

    file: str
    snapped: dict[str, str] = field(default_factory=dict)
    normalised: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    mimic: dict[str, str] = field(default_factory=dict)
    package_dirs: tuple[str, ...] = ()
    lines: dict[str, int] = field(default_factory=dict)

    def judged(self, model: Any, format: str = "") -> tuple[Any, list[Finding]]:
        """The model with its source, and what the rules say about it."""
        own = getattr(model, "findings", None)
        if own is not None:  # a mesh was examined while it was read
            return model, [replace(f, file=self.file) for f in own]
        source = Source(format=format, **vars(self))
        if isinstance(model, Robot):
            model = model.replace(source=source)
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


def contents(path: str | os.PathLike[str], kind: str) -> bytes:
    """The bytes of a file; `kind` says in messages what it should be."""
    file = regular(path)
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise FormatError(f"{file}: {size / 1e6:.0f} MB is too large for {kind} (at most {LARGEST / 1e6:.0f} MB)")
        return file.read_bytes()
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


def unreadable(path: Path, error: OSError) -> FormatError:
    """The sentence for what the operating system refuses."""
    name = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}…"
    return FormatError(f"{name}: cannot be read: {error.strerror or error}")


def _nearby(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent}"
    like = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:6] if path.suffix else []
    return f"; in that folder: {', '.join(like)}" if like else ""
