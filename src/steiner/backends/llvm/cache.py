"""Object code on disk: keyed by tape, CPU and versions; a file that is not whole is ignored and rewritten.

Files hold a header, the key, a checksum and relocatable object code — never anything that is
unpickled.  They are written beside their place and renamed, so concurrent processes are safe.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from steiner.backends.llvm import engine

MAGIC = b"steiner-object-1\n"


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
    """A hash of the programs that make code from a tape: when they change, old files are foreign."""
    digest = hashlib.sha256()
    for path in sorted(p for p in Path(__file__).parent.iterdir() if p.suffix in (".py", ".ll")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cached_object(key: str, make: Callable[[], bytes]) -> bytes:
    """Object code for a key, from disk if it is there and whole, else made and stored."""
    name = hashlib.sha256(f"{generator()}|{key}|{engine.identity()}".encode()).hexdigest()
    place = folder()
    path = place / f"{name}.bin" if place else None
    if path is not None and (code := _read(path, name)) is not None:
        return code
    code = make()
    if path is not None:
        _write(path, name, code)
    return code


def _read(path: Path, name: str) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head = MAGIC + name.encode() + b"\n"
    body = data[len(head) + 32 :]
    if not data.startswith(head) or data[len(head) : len(head) + 32] != hashlib.sha256(body).digest():
        return None
    return body


def _write(path: Path, name: str, code: bytes) -> None:
    part = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(MAGIC + name.encode() + b"\n" + hashlib.sha256(code).digest() + code)
        part.replace(path)
    except OSError:  # a read-only or full disk costs speed, not correctness
        if part is not None:
            with suppress(OSError):
                part.unlink()
