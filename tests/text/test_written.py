"""Files appear whole or not at all, under their own name, and never in the place of something else."""

from __future__ import annotations

import errno
import os
import resource
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import steiner as st
from steiner.errors import FormatError, SteinerError
from steiner.kernels.export import export
from steiner.text import written as module
from steiner.text.written import replacing, written


@pytest.fixture
def place(tmp_path):
    """A folder in which nothing may be left that was not asked for."""
    yield tmp_path
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(target: Path, text: str = "new", force: bool = True) -> None:
    with replacing(target, force=force) as file:
        file.write(text)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_there_when_it_is_whole(place):
    target = place / "a.csv"
    with replacing(target, force=False) as file:
        file.write("τ\r\n")
        assert not target.exists()
    assert target.read_bytes() == "τ\r\n".encode()
    with replacing(target, force=True, binary=True) as file:
        file.write(b"\x00\xff")
    assert target.read_bytes() == b"\x00\xff"


def test_an_existing_file_is_kept_unless_forced(place):
    target = place / "a"
    write(target, "old")
    with pytest.raises(FormatError, match=r"a exists; choose another name, or replace it .--force"):
        write(target, force=False)
    assert target.read_text() == "old"
    write(target)
    assert target.read_text() == "new"


def test_a_file_that_appears_meanwhile_is_kept_too(place):
    target = place / "a"
    with pytest.raises(FormatError, match="exists"), replacing(target, force=False) as file:
        file.write("mine")
        target.write_text("theirs")
    assert target.read_text() == "theirs"


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("kind", ["a folder", "a device", "a named pipe", "a socket"])
def test_R5_what_is_no_file_is_refused(kind, force, place, monkeypatch):
    target = place / "x"
    if kind == "a folder":
        target.mkdir()
    elif kind == "a device":  # one in name only: a writer that is wrong must not meet a real one
        target.touch()
        device, lstat = os.stat_result([stat.S_IFCHR | 0o666, *target.stat()[1:]]), os.lstat
        monkeypatch.setattr(module.os, "lstat", lambda path: device if path == target else lstat(path))
    elif kind == "a named pipe":
        os.mkfifo(target)
    else:
        monkeypatch.chdir(place)
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("x")
    before = target.stat()
    with pytest.raises(FormatError, match=f"is {kind} and is not replaced"):
        write(target, force=force)
    assert target.stat()[:4] == before[:4]


def test_R5_a_link_is_followed_and_stays(place):
    (place / "folder").mkdir()
    target, link, second = place / "folder" / "a", place / "link", place / "second"
    target.write_text("old")
    link.symlink_to("folder/a")
    second.symlink_to("link")
    with pytest.raises(FormatError, match="link exists"):
        write(link, force=False)
    write(second)
    assert link.is_symlink() and second.is_symlink() and target.read_text() == "new"
    assert inside(place / "folder") == ["a"]


@pytest.mark.parametrize(("leads", "where"), [("nobody", "nowhere"), ("link", "in a circle"), ("pipe", "a named pipe")])
def test_R5_a_link_that_leads_nowhere_is_refused(leads, where, place):
    (place / "link").symlink_to(leads)
    os.mkfifo(place / "pipe")
    with pytest.raises(FormatError, match=where):
        write(place / "link")
    assert str((place / "link").readlink()) == leads


def test_a_folder_that_is_missing_is_told(place):
    for target in (place / "no" / "a", place / "file" / "a"):
        (place / "file").write_text("")
        with pytest.raises(FormatError, match="there is no folder"):
            write(target)


def test_R9_names_as_long_as_names_can_be(place):
    for name in ("x" * 255, "ü" * 127):
        write(place / name)
        assert (place / name).read_text() == "new"
    for name in ("x" * 256, "a\0b", "\ud800"):
        with pytest.raises(FormatError, match="cannot be written"):
            write(place / name)


def test_permissions_follow_the_umask_or_the_old_file(place):
    before = os.umask(0o027)
    try:
        write(place / "a")
        assert stat.S_IMODE((place / "a").stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o444):
            (place / "a").chmod(mode)
            with replacing(place / "a", force=True):
                (part,) = (p for p in place.iterdir() if p.name.startswith("."))
                assert stat.S_IMODE(part.stat().st_mode) == mode  # not more, not even while it is written
            assert stat.S_IMODE((place / "a").stat().st_mode) == mode
    finally:
        os.umask(before)


def test_R12_the_umask_of_the_process_is_never_touched(place, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("os.umask is for the whole process"))
    write(place / "a")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, ValueError, MemoryError])
def test_whatever_stops_it_leaves_the_old_file_alone(stop, place):
    (place / "a").write_text("old")
    for target in (place / "a", place / "b"):
        with pytest.raises(stop), replacing(target, force=True) as file:
            file.write("x" * 100_000)
            raise stop
    assert (place / "a").read_text() == "old" and not (place / "b").exists()


@pytest.mark.parametrize("at", ["write", "fsync", "replace", "open"])
def test_R9_a_full_disk_is_told_with_the_name_of_the_file(at, place, monkeypatch):
    (place / "a").write_text("old")
    if at == "fsync":
        monkeypatch.setattr(module.os, "fsync", full)
    elif at == "replace":
        monkeypatch.setattr(Path, "replace", full)
    elif at == "open":
        monkeypatch.setattr(module.os, "open", full)
    with pytest.raises(FormatError, match=r"a: cannot be written: No space left on device; nothing was changed"):  # noqa: SIM117
        with replacing(place / "a", force=True) as file:
            file.write("new")
            if at == "write":
                full()
    assert (place / "a").read_text() == "old"


def test_R12_the_disk_is_told_before_the_name_is_given(place, monkeypatch):
    order = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(module.os, "fsync", lambda handle: (order.append("fsync"), fsync(handle)))
    monkeypatch.setattr(Path, "replace", lambda a, b: (order.append("replace"), replace(a, b)))
    write(place / "a")
    assert order == ["fsync", "replace"]


def test_errors_about_another_file_keep_its_name(place):
    with pytest.raises(FileNotFoundError, match="other"), replacing(place / "a", force=True):
        (place / "other").read_text()
    assert not (place / "a").exists()


def test_letters_that_no_file_can_hold(place):
    with pytest.raises(FormatError, match=r"a: cannot be written: '\\ud800' has no place in UTF-8"):
        write(place / "a", "\ud800")


LIMITED = """
import resource, sys
from pathlib import Path
from steiner.errors import SteinerError
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from steiner.text.written import replacing, written
try:
    if sys.argv[1] == "one":
        with replacing(Path("a"), force=True) as file:
            for _ in range(10_000):
                file.write("0123456789")
    else:
        written({Path("a"): "short", Path("b"): "0123456789" * 10_000}, force=True)
except SteinerError as error:
    print(error)
"""


@pytest.mark.parametrize("count", ["one", "two"])
def test_a_limit_of_the_system(count, place):
    (place / "a").write_text("old")
    done = subprocess.run([sys.executable, "-c", LIMITED, count], cwd=place, capture_output=True, text=True, check=True)
    named = "a" if count == "one" else "b"
    assert done.stdout.startswith(f"{named}: cannot be written: File too large") and not done.stderr
    assert inside(place) == ["a"] and (place / "a").read_text() == "old"
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20_000


# ---- files that belong together ------------------------------------------------------------------------


def test_several_files_at_once(place):
    targets = written({place / "a.h": "1", place / "a.c": b"2"}, force=False)
    assert targets == [place / "a.h", place / "a.c"] and [p.read_text() for p in targets] == ["1", "2"]
    with pytest.raises(FormatError, match="exists"):
        written({place / "b": "", place / "a.c": ""}, force=False)
    assert not (place / "b").exists()
    written({place / "a.h": "3", place / "a.c": "4"}, force=True)
    assert [p.read_text() for p in targets] == ["3", "4"]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), KeyboardInterrupt()])
@pytest.mark.parametrize("last", [1, 2, 3])
def test_all_are_written_or_none(last, error, place, monkeypatch):
    """The old files come back, and new ones go, when one of the renamings fails."""
    (place / "a").write_text("old a")
    (place / "c").write_text("old c")
    replace, calls = Path.replace, []

    def failing(path: Path, target: Path) -> Path:
        if path.suffix == ".part":
            calls.append(path)
            if len(calls) == last:
                raise error
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises((FormatError, KeyboardInterrupt)):
        written({place / "a": "1", place / "b": "2", place / "c": "3"}, force=True)
    assert inside(place) == ["a", "c"]
    assert (place / "a").read_text() == "old a" and (place / "c").read_text() == "old c"


def test_what_cannot_be_put_back_is_not_lost(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old a")
    replace = Path.replace

    def failing(path: Path, target: Path) -> Path:
        return full() if target.name == "b" or path.suffix == ".old" else replace(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(FormatError, match="b: cannot be written"):
        written({tmp_path / "a": "1", tmp_path / "b": "2"}, force=True)
    assert "old a" in [path.read_text() for path in tmp_path.iterdir()]


def test_a_disk_without_hard_links(place, monkeypatch):
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "no links")))
    write(place / "a", "1", force=False)
    written({place / "a": "2", place / "b": "3"}, force=True)
    assert (place / "a").read_text() == "2" and (place / "b").read_text() == "3"


def test_R9_an_export_on_a_full_disk_leaves_no_header_without_its_source(place, monkeypatch):
    robot, calls, fsync = st.load("gallery:rr"), [], os.fsync

    def second_fails(handle: int) -> None:
        calls.append(handle)
        full() if len(calls) == 2 else fsync(handle)

    monkeypatch.setattr(module.os, "fsync", second_fails)
    with pytest.raises(SteinerError, match=r"rr_mass_matrix\.c: cannot be written: No space left"):
        export(robot, "mass_matrix", folder=place)
    assert not inside(place)
    (place / "file").write_text("")
    with pytest.raises(SteinerError, match="file: cannot be made a folder"):
        export(robot, "mass_matrix", folder=place / "file")


def test_two_writers_do_not_meet(place):
    """Without force exactly one of many wins."""
    won: list[int] = []

    def attempt(k: int) -> None:
        try:
            write(place / "a", str(k), force=False)
        except FormatError:
            return
        won.append(k)

    threads = [threading.Thread(target=attempt, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and (place / "a").read_text() == str(won[0])
