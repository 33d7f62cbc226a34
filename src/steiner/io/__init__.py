"""Robots from files and back.  A new format is one module and one line in `FORMATS`."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from steiner.errors import FormatError, unknown
from steiner.io import urdf, urdf_write
from steiner.io.urdf import Options
from steiner.model import Robot
from steiner.robots import GALLERY, build

LARGEST = 50_000_000  # bytes; the largest arm descriptions are below 1 MB
PREFIX = "gallery:"


@dataclass(frozen=True)
class Format:
    """A file format: how its files end, and how text becomes a robot and a robot text."""

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str | bytes, str, Options], Robot]
    write: Callable[[Robot], str]


FORMATS = {
    "urdf": Format("URDF, the robot description of ROS", (".urdf",), urdf.read, urdf_write.write),
}


def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: str = "free",
    snap: bool = True,
) -> Robot:
    """The robot of a file, or of the gallery ("gallery:puma560").

    Args:
        source: path of the file, or "gallery:NAME".
        format: a key of `FORMATS`; by default the ending of the file says it.
        package_dirs: where `package://` paths of meshes start; kept in `robot.provenance` for those
            who draw the robot, dynamics does not need them.
        mimic: "free" reads mimic joints as free ones and warns; "coupled" makes them follow.
        snap: make angles such as 1.57079632679 exact (entries of rotations within 1e-10).
    """
    text = os.fspath(source)
    if text.startswith(PREFIX):
        return build(text.removeprefix(PREFIX))
    path = Path(text)
    if not path.suffix and not path.exists():
        raise FormatError(f"{text}: no such file, and {unknown('gallery robot', text, GALLERY)}")
    kind = _format(format, path.suffix.lower(), f"{text}: ")
    robot = FORMATS[kind].read(_bytes(path), text, _options(mimic, snap))
    if package_dirs:
        return robot.replace(provenance={**robot.provenance, "package_dirs": tuple(os.fspath(d) for d in package_dirs)})
    return robot


def loads(text: str, *, format: str, mimic: str = "free", snap: bool = True) -> Robot:
    """The robot described by a text, such as a ROS parameter: loads(text, format="urdf")."""
    return FORMATS[_format(format)].read(text, "<text>", _options(mimic, snap))


def save(robot: Robot, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> Path:
    """Write a robot to a file, with the shortest decimals that read back to the same numbers.

    An existing file is kept unless `force` is set; what the format cannot hold is warned about.
    """
    target = Path(path)
    kind = _format(format, target.suffix.lower(), f"{os.fspath(path)}: ")
    text = FORMATS[kind].write(robot)
    with replacing(target, force=force) as file:
        file.write(text)
    return target


@contextlib.contextmanager
def replacing(target: Path, *, force: bool) -> Iterator[TextIO]:
    """A file that appears under its name only when all of it is written; never over another unless forced."""
    if not force and target.exists():
        raise FormatError(f"{target} exists; choose another name, or force it to be replaced")
    if not target.parent.is_dir():
        raise FormatError(f"{target}: there is no folder {target.parent}; make it first")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        os.close(handle)
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            yield file
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _options(mimic: str, snap: bool) -> Options:
    if mimic not in ("free", "coupled"):
        raise FormatError(f"mimic={mimic!r}: expected 'free' (own coordinates) or 'coupled' (they follow)")
    return Options(mimic, bool(snap))


def _format(name: str | None, suffix: str = "", where: str = "") -> str:
    if name is not None:
        if name not in FORMATS:
            raise FormatError(unknown("format", name, FORMATS))
        return name
    for key, form in FORMATS.items():
        if suffix in form.suffixes:
            return key
    endings = ", ".join(f"{s} ({form.title})" for form in FORMATS.values() for s in form.suffixes)
    raise FormatError(
        f"{where}a file that ends in {suffix or 'nothing'!r} has no known format; expected {endings}, or pass format="
    )


def _bytes(path: Path) -> bytes:
    if not path.exists():
        raise FormatError(f"{path}: no such file" + _nearby(path))
    if not path.is_file():
        raise FormatError(f"{path} is not a regular file")
    size = path.stat().st_size
    if size > LARGEST:
        raise FormatError(f"{path}: {size / 1e6:.0f} MB is too large for a robot description (at most 50 MB)")
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None


def _nearby(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent}"
    like: list[Any] = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:6]
    return f"; in that folder: {', '.join(like)}" if like else ""
