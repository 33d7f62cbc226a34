"""Code on disk: keyed by tape, CPU and versions; a file that is not whole is ignored and rewritten.

What is read here is run, so folder and files must belong to this user and be writable by nobody else; what is not
so is not used, and that is said once.  Files hold a header, the key, a checksum and code — never
anything that is unpickled.  They are written beside their place and renamed, so concurrent processes are safe.  Those
used least recently go when they take too much room.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from steiner.errors import ArgumentError, CacheWarning, described
from steiner.locks import LOCK
from steiner.trace.tape import sha256

MAGIC = b"steiner-object-1\n"
MEGABYTES = 256  # that are kept, unless STEINER_CACHE_SIZE says otherwise
LARGEST = 2**28  # bytes of one object: more is not written, and not read
DAY = 86400.0  # seconds after which what a process began to write is what a killed one left
OBJECT, PART = r"[0-9a-f]{64}\.bin", r"[0-9a-f]{64}\..+\.part"  # compiled when a folder is looked through
OWNERS = hasattr(os, "geteuid")  # on Windows the folder of an account is private, and modes say nothing
# a link is not followed, and a pipe that nobody writes to does not block
OPENING = sum(getattr(os, f"O_{name}", 0) for name in ("RDONLY", "NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY"))
ANYBODY = "so what is in it may be anybody's"

_free: dict[Path, int] = {}  # bytes that this process may add to a folder before it looks through it again
_said: list[str] = []  # why the cache is not used: one sentence for a process


def folder() -> Path | None:
    """The platform's cache folder; `STEINER_CACHE` overrides it, empty means no cache."""
    chosen = os.environ.get("STEINER_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "steiner"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "steiner" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "steiner"


@cache
def generator() -> str:
    """A hash of the programs that make code from a tape: when they change, old files are foreign.

    It is kept too, by the sizes and times of these programs, as Python knows its own modules again.
    """
    with os.scandir(Path(__file__).parent) as entries:
        texts = sorted((e for e in entries if e.name.endswith((".py", ".ll", ".s"))), key=lambda e: e.name)
    seen = [(e.path, e.stat().st_size, e.stat().st_mtime_ns) for e in texts]
    return _kept(f"generator|{seen}", lambda: _digest([e.path for e in texts])).decode()


def _digest(paths: list[str]) -> bytes:
    digest = sha256()
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest().encode()


def most_bytes() -> int:
    """How much is kept: `STEINER_CACHE_SIZE` in megabytes, 256 if it is not set."""
    chosen = os.environ.get("STEINER_CACHE_SIZE") or str(MEGABYTES)
    if not (chosen.isascii() and chosen.isdigit() and len(chosen) <= 9):
        raise ArgumentError(f"STEINER_CACHE_SIZE={described(chosen)}: expected a whole number of megabytes")
    return int(chosen) << 20


def cached_object(key: str, make: Callable[[], bytes]) -> bytes:
    """What belongs to a key, from disk if it is there, whole and ours, else made and stored."""
    return _kept(f"{generator()}|{key}", make)


def holds(key: str) -> bool:
    """Whether something lies under a key; who reads it sees whether it is whole and ours."""
    place = folder()
    return place is not None and os.access(place / f"{_name(f'{generator()}|{key}')}.bin", os.R_OK)


def _name(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _kept(key: str, make: Callable[[], bytes]) -> bytes:
    name = _name(key)
    place = folder()
    path = place / f"{name}.bin" if place and _is_ours(place) else None
    if path is None:
        return make()
    most = most_bytes()
    code = _read(path, name)
    if code is None:
        code = make()
        _write(path, name, code, most)
    return code


# ---- whose it is ---------------------------------------------------------------------------------


def _foreign(status: os.stat_result) -> str:
    """Why a file or folder may hold what another user put there, or nothing."""
    if OWNERS and status.st_uid != os.geteuid():
        return f"belongs to another user, {ANYBODY}"
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return f"can be written to by other users (`chmod go-w` ends that), {ANYBODY}" if OWNERS and others else ""


def _is_ours(place: Path) -> bool:
    """Whether a folder, if it exists, is ours alone, and nobody may put another one in its place."""
    real = Path(os.path.realpath(place))
    try:
        for parent in reversed(real.parents) if OWNERS else ():
            mode = parent.stat().st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                return _say(place, f"lies in {parent}, where every user may replace it, {ANYBODY}")
        status = real.stat()
        reason = _foreign(status) if stat.S_ISDIR(status.st_mode) else "is no folder"
    except FileNotFoundError:
        return True  # what is not there will be made
    except OSError as error:  # a loop of links, a file on the way
        reason = f"cannot be reached ({error.strerror})"
    return _say(place, reason) if reason else True


def _say(what: Path, reason: str) -> bool:
    """Warn once that something is not used."""
    if not _said:
        _said.append(reason)
        warnings.warn(
            f"compiled code is not kept: {what} {reason}; set STEINER_CACHE to a folder of your own (a new one is made "
            "for you alone), or to nothing for no cache",
            CacheWarning,
            stacklevel=2,
        )
    return False


# ---- reading and writing -------------------------------------------------------------------------


def _read(path: Path, name: str) -> bytes | None:
    try:
        with os.fdopen(os.open(path, OPENING), "rb") as file:
            status = os.fstat(file.fileno())
            reason = _foreign(status) if stat.S_ISREG(status.st_mode) else "is no file"
            if reason:
                _say(path, reason)
                return None
            if status.st_size > LARGEST:
                return None
            data = file.read()
    except OSError:
        return None
    head = MAGIC + name.encode() + b"\n"
    body = data[len(head) + 32 :]
    if not data.startswith(head) or data[len(head) : len(head) + 32] != sha256(body).digest():
        return None
    with suppress(OSError):
        os.utime(path)  # its last use, by which it is kept
    return body


def _write(path: Path, name: str, code: bytes, most: int) -> None:
    part, data = None, MAGIC + name.encode() + b"\n" + sha256(code).digest() + code
    if len(data) > min(LARGEST, most - most // 16):
        return
    try:
        _make(path.parent)
        with LOCK:
            from tempfile import NamedTemporaryFile

        with NamedTemporaryFile(dir=path.parent, prefix=f"{name}.", suffix=".part", delete=False) as file:
            part = Path(file.name)
            file.write(data)
        part.replace(path)
        _sweep(path.parent, len(data), most)
    except OSError:  # a read-only or full disk costs speed, not correctness
        if part is not None:
            with suppress(OSError):
                part.unlink()


def _make(place: Path) -> None:
    """The folder and what it lies in, each for this user alone if it is new."""
    if not place.is_dir():
        _make(place.parent)
        place.mkdir(mode=0o700, exist_ok=True)


# ---- what goes -----------------------------------------------------------------------------------


def _sweep(place: Path, added: int, most: int) -> None:
    """Remove what killed processes began, and the files used least recently until a sixteenth is free again.

    A process looks through the folder when it first adds to it, and when it has added that sixteenth.
    """
    _free[place] = min(_free.get(place, 0), most // 16) - added
    if _free[place] >= 0:
        return
    _free[place] = most // 16
    objects = []
    for path, status in _files(place):
        if re.fullmatch(OBJECT, path.name):
            objects.append((status.st_mtime, status.st_size, path))
        elif status.st_mtime < time.time() - DAY:
            with suppress(OSError):
                path.unlink()
    size = sum(bytes_ for _used, bytes_, _path in objects)
    for _used, bytes_, path in sorted(objects):
        if size <= most - most // 16:
            return
        with suppress(OSError):  # another process may have removed it, or be reading it on Windows
            path.unlink()
        size -= bytes_


def _files(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files in a folder that have names like ours; nothing else in it is touched."""
    with os.scandir(place) as entries:
        for entry in entries:
            if re.fullmatch(OBJECT, entry.name) or re.fullmatch(PART, entry.name):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield Path(entry.path), status
