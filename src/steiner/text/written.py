"""Files that appear under their name only when all of them is written.

A file is written under a name of its own in the folder of its target, brought to the disk, and then takes the
target's place in one step.  Whatever happens before (a full disk, an error, Ctrl-C) leaves the old file as it was
and nothing beside it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO, Literal, Self, TextIO, overload

from steiner.errors import FormatError, SteinerError, need

KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}  # fmt: skip


@overload
def replacing(target: Path, *, force: bool, binary: Literal[False] = False) -> AbstractContextManager[TextIO]: ...
@overload
def replacing(target: Path, *, force: bool, binary: Literal[True]) -> AbstractContextManager[BinaryIO]: ...
def replacing(target: Path, *, force: bool, binary: bool = False) -> AbstractContextManager[Any]:
    """A file that appears under its name only when all of it is written; never over another unless forced.

    A symbolic link stays: the file that it leads to is replaced, and one that leads nowhere is refused.  So is,
    forced or not, whatever is no regular file.  A file that is replaced keeps its permissions.  Text is UTF-8
    with the line ends that are written; `binary` takes bytes.
    """
    return _replacing(target, force, binary)


@contextlib.contextmanager
def _replacing(target: Path, force: bool, binary: bool) -> Iterator[IO[Any]]:
    with _Draft(target, force, binary) as draft:
        yield draft.file
        draft.finish()
        draft.place()


def written(contents: Mapping[Path, str | bytes], *, force: bool) -> list[Path]:
    """Files that belong together: all of them are written, each as `replacing` does, or none is."""
    with contextlib.ExitStack() as stack:
        drafts = []
        for target, content in contents.items():
            drafts.append(draft := stack.enter_context(_Draft(target, force, isinstance(content, bytes))))
            with draft.told():
                draft.file.write(content)
            draft.finish()
        with contextlib.ExitStack() as undo:
            for draft in drafts:
                draft.keep()
                undo.callback(draft.restore)
                draft.place()
            undo.pop_all()
    return list(contents)


@contextlib.contextmanager
def resumable(target: Path, *, force: bool, identity: str) -> Iterator[Resumable]:
    """As `replacing` with bytes, but what is done by the last `checkpoint` outlives an interruption.

    The draft and its note are found again under a name made of `identity`, which tells all that the content depends
    on; who is the first to write them keeps others away.
    """
    with Resumable(target, force, identity) as draft:
        yield draft
        draft.finish()
        draft.place()


class _Draft:
    """A file in the folder of its target, gone at the end of the block unless it took the target's place."""

    def __init__(self, target: Path, force: bool, binary: bool) -> None:
        self.name, self.force, self.binary = target, force, binary
        self.placed = False

    def __enter__(self) -> Self:
        with self.told():
            self.target, mode = _place(self.name, self.force)
            own = f".{os.urandom(8).hex()}"  # the target's own name may be as long as a name can be
            self.path, self.old = (self.target.with_name(f"{own}.{kind}") for kind in ("part", "old"))
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            try:
                handle = os.open(self.path, flags, 0o666 if mode is None else mode)  # less what the umask forbids
                self.file: IO[Any] = (
                    os.fdopen(handle, "wb") if self.binary else os.fdopen(handle, "w", encoding="utf-8", newline="")
                )
                if mode is not None:
                    self.path.chmod(mode)
            except BaseException:
                self.path.unlink(missing_ok=True)
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            with contextlib.suppress(OSError) if error is not None else self.told():
                self.file.close()
        finally:
            for path in (self.path, self.old):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
        if isinstance(error, OSError | UnicodeEncodeError):
            with self.told():
                raise error

    def finish(self) -> None:
        """All of it on the disk."""
        with self.told():
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def place(self) -> None:
        """Take the target's place, in one step."""
        with self.told():
            if not self.force:
                try:
                    os.link(self.path, self.target)  # unlike a renaming it fails if somebody was quicker
                except FileExistsError:
                    raise _exists(self.name) from None
                except OSError:  # a disk without hard links
                    self.path.replace(self.target)
            else:
                self.path.replace(self.target)
        self.placed = True

    def keep(self) -> None:
        """Hold what the target is now, for `restore`."""
        with self.told():
            if self.target.exists():
                try:
                    os.link(self.target, self.old)
                except OSError:
                    self.target.rename(self.old)

    def restore(self) -> None:
        """Put back what was kept; if even that fails, it stays under its other name."""
        try:
            if self.old.exists():
                self.old.replace(self.target)
            elif self.placed:
                self.target.unlink()
        except OSError:
            self.old = self.path

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Errors of the disk in words, with the name of the file; those about another file stay as they are."""
        try:
            yield
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            raise FormatError(f"{self.name}: cannot be written: {letter!r} has no place in UTF-8 text") from None
        except ValueError as error:
            if isinstance(error, FormatError) or "null" not in str(error):
                raise
            raise FormatError(f"{self.name}: cannot be written: no file has a name with a null in it") from None
        except OSError as error:
            own = [getattr(self, name, self.name) for name in ("name", "target", "path", "old")]
            if error.filename is not None and Path(os.fsdecode(error.filename)) not in own:
                raise
            why = error.strerror or error
            raise FormatError(f"{self.name}: cannot be written: {why}; nothing was changed") from error


class Resumable(_Draft):
    """A draft with a note of how far it is; both stay when the program ends before the draft is done."""

    def __init__(self, target: Path, force: bool, identity: str) -> None:
        super().__init__(target, force, binary=True)
        self.identity = identity

    def __enter__(self) -> Self:
        with self.told():
            self.target, _ = _place(self.name, self.force)
            from hashlib import sha256  # OpenSSL, which takes a while to start

            own = sha256(f"{self.identity}|{self.target.name}".encode()).hexdigest()[:16]
            self.path, self.note = (self.target.with_name(f".steiner-{own}.{kind}") for kind in ("part", "note"))
            self.old = self.path
            flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            self.file = os.fdopen(os.open(self.path, flags, 0o666), "r+b")
            try:
                _locked(self.file, self.name)
                self.kept = self._kept()
                self.file.seek(self.kept["bytes"] if self.kept else 0)
                self.file.truncate()
            except BaseException:
                self.file.close()
                raise
        return self

    def _kept(self) -> dict[str, Any] | None:
        """The note of an earlier run, if it and the draft are whole."""
        try:
            note = json.loads(self.note.read_text(encoding="utf-8"))
            return note if os.fstat(self.file.fileno()).st_size >= note["bytes"] else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def checkpoint(self, state: Mapping[str, Any]) -> None:
        """All that is written so far is on the disk, and `state` with it."""
        with self.told():
            self.file.flush()
            os.fsync(self.file.fileno())
            note = {**state, "bytes": self.file.tell()}
            new = self.note.with_suffix(".new")
            new.write_text(json.dumps(note), encoding="utf-8")
            new.replace(self.note)

    def place(self) -> None:
        """Take the target's place; nothing is left to go on from."""
        super().place()
        with contextlib.suppress(OSError):
            self.note.unlink(missing_ok=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        lost = isinstance(error, SteinerError) and not isinstance(error.__cause__, OSError)  # its input will change
        if self.placed or lost or not self.note.exists():
            with contextlib.suppress(OSError):
                self.note.unlink(missing_ok=True)
            super().__exit__(kind, error, _)
            return
        with contextlib.suppress(OSError):
            self.file.close()
        if isinstance(error, OSError):
            with self.told():
                raise error


def _locked(file: IO[Any], name: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows does not let two programs replace an open file
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FormatError(f"{name} is being written by another program; wait for it, or choose another name") from None


def _place(target: Path, force: bool) -> tuple[Path, int | None]:
    """Where a file will be, links followed, and the permissions of the one that is there."""
    name = target
    need("force", force, bool)
    try:
        found = os.lstat(target)
        if stat.S_ISLNK(found.st_mode):
            target, found = _followed(target)
    except (FileNotFoundError, NotADirectoryError):
        found = None
    if found is not None and not stat.S_ISREG(found.st_mode):
        kind = KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")
        raise FormatError(f"{name} is {kind} and is not replaced; choose the name of a file")
    if found is not None and not force:
        raise _exists(name)
    if not target.parent.is_dir():
        raise FormatError(f"{name}: there is no folder {target.parent}; make it first")
    return target, None if found is None else stat.S_IMODE(found.st_mode) & 0o777


def _followed(link: Path) -> tuple[Path, os.stat_result]:
    try:
        target = Path(os.path.realpath(link, strict=True))
        return target, target.stat()
    except OSError as error:
        where = "in a circle" if error.errno == errno.ELOOP else "nowhere"
        raise FormatError(f"{link} is a link that leads {where}; mend or remove it, or choose another name") from None


def _exists(target: Path) -> FormatError:
    return FormatError(f"{target} exists; choose another name, or replace it (--force, force=True)")
