"""The cache of compiled code: what is kept, whose it must be to be run, and what goes."""

from __future__ import annotations

import itertools
import os
import random
import socket
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import pytest

from steiner.errors import ArgumentError, CacheWarning

engine = pytest.importorskip("steiner.backends.llvm.engine")
from steiner.backends.llvm import cache  # noqa: E402

owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")


@pytest.fixture(autouse=True)
def nothing_said_or_swept_yet(monkeypatch):
    monkeypatch.setattr(cache, "_said", [])
    monkeypatch.setattr(cache, "_free", {})
    monkeypatch.delenv("STEINER_CACHE_SIZE", raising=False)


# ---- what is kept --------------------------------------------------------------------------------


def test_a_cached_object_is_read_again_and_a_corrupt_one_is_rewritten(tmp_path, monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    made = []

    def make():
        made.append(1)
        return b"object code"

    assert cache.cached_object("k", make) == cache.cached_object("k", make) == b"object code"
    assert len(made) == 1
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for damaged in (b"", whole[:-1], whole[:30], b"x" * len(whole), whole[:-1] + b"!", whole + b"tail"):
        path.write_bytes(damaged)
        assert cache.cached_object("k", make) == b"object code"
        assert path.read_bytes() == whole
    assert len(made) == 7


def test_a_file_of_another_key_or_machine_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    cache.cached_object("one", lambda: b"one")
    (path,) = tmp_path.iterdir()
    cache.cached_object("two", lambda: b"two")
    other = next(p for p in tmp_path.iterdir() if p != path)
    other.write_bytes(path.read_bytes())
    assert cache.cached_object("two", lambda: b"two again") == b"two again"
    engine.kept("one", lambda: b"code")
    monkeypatch.setattr(engine, "identity", lambda: "another machine")
    assert engine.kept("one", lambda: b"other code") == b"other code"


def test_a_disk_that_cannot_be_written_costs_nothing_but_time(tmp_path, monkeypatch):
    def read_only(place):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(cache, "_make", read_only)
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path / "cache"))
    assert cache.cached_object("k", lambda: b"code") == b"code"
    monkeypatch.setenv("STEINER_CACHE", "")
    assert cache.folder() is None
    assert cache.cached_object("k", lambda: b"code") == b"code"


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("STEINER_CACHE", raising=False)
    monkeypatch.setattr(cache.Path, "home", homeless)
    assert cache.folder() is None


def test_a_full_disk_is_not_filled_with_pieces(tmp_path, monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    real = cache.Path.replace

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.Path, "replace", full)
    assert cache.cached_object("k", lambda: b"code") == b"code"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(cache.Path, "replace", real)
    cache.cached_object("k", lambda: b"code")
    assert len(list(tmp_path.iterdir())) == 1


PROGRAM = textwrap.dedent("""
    import numpy as np, steiner as st
    r = st.load("gallery:rr")
    q = np.linspace(0, 1, 24).reshape(-1, 2)
    print(float(r.inverse_dynamics(q, q, q).sum()), *(float(r.mass_matrix(q[0]).sum()) for _ in range(2)))
""")


def test_concurrent_and_killed_processes_never_corrupt_the_cache(tmp_path):
    environment = {**os.environ, "STEINER_CACHE": str(tmp_path)}
    several = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    several[0].kill()
    answers = {p.communicate()[0] for p in several[1:]}
    several[0].communicate()
    written = {path: path.read_bytes() for path in tmp_path.glob("*.bin")}
    again = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert answers == {again.stdout}
    assert written and written == {path: path.read_bytes() for path in tmp_path.glob("*.bin")}, "none was made again"


# ---- whose it must be ----------------------------------------------------------------------------


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A folder with a whole object in it, as this user or another would have written it."""
    place = tmp_path / "cache"
    monkeypatch.setenv("STEINER_CACHE", str(place))
    cache.cached_object("k", lambda: b"planted")
    (path,) = place.iterdir()
    return path


def answer():
    """What the cache gives for the planted key, and what it says."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        code = cache.cached_object("k", lambda: b"made here")
    assert all(w.category is CacheWarning for w in said)
    return code, [str(w.message) for w in said]


MODES = [special | bits for special in (0, 0o1000, 0o2000) for bits in range(0o700, 0o1000)]


@owners
@pytest.mark.parametrize("shared", ["folder", "file"])
def test_R2_what_others_may_write_to_is_never_run(planted, shared):
    """All modes with the owner's rights, with and without the sticky and the group bit."""
    place = planted.parent
    for mode in MODES if shared == "folder" else range(0o400, 0o1000):
        cache._said.clear()
        place.chmod(0o700)
        planted.write_bytes(planted.read_bytes())
        (place if shared == "folder" else planted).chmod(mode)
        code, said = answer()
        if mode & 0o022:
            assert code == b"made here", oct(mode)
            assert len(said) == 1 and "chmod go-w" in said[0] and "STEINER_CACHE" in said[0], oct(mode)
            if shared == "file":  # in our folder it is replaced by one of ours
                assert answer() == (b"made here", [])
                assert planted.stat().st_mode & 0o777 == 0o600
        else:
            assert said == [], oct(mode)
        place.chmod(0o700)
        planted.unlink()
        cache.cached_object("k", lambda: b"planted")


@owners
@pytest.mark.parametrize("whose", ["folder and file", "file"])
def test_R2_what_belongs_to_another_user_is_never_run(planted, whose, monkeypatch):
    me = os.geteuid()
    if whose == "file":
        real = os.fstat

        def fstat(number):
            return os.stat_result((*real(number)[:4], me + 1, *real(number)[5:]))

        monkeypatch.setattr(os, "fstat", fstat)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    code, said = answer()
    assert code == b"made here"
    assert len(said) == 1 and "belongs to another user" in said[0]
    assert answer()[1] == [], "once is enough"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_R2_a_planted_object_in_a_shared_folder_is_not_run(planted):
    """/tmp/shared, mode 1777, as on a cluster: one user's file, another user's program."""
    place = planted.parent
    place.chmod(0o1777)
    for user in (place, planted):
        os.chown(user, 4321, 4321)
    before = planted.read_bytes()
    code, said = answer()
    assert code == b"made here" and "belongs to another user" in said[0]
    assert planted.read_bytes() == before and len(list(place.iterdir())) == 1, "nothing is written either"


def fifo(place):
    os.mkfifo(place)


def loop(place):
    place.symlink_to(place.with_name("other"))
    place.with_name("other").symlink_to(place)


WRONG = {"fifo": fifo, "file": lambda place: place.write_text("mine"), "loop": loop, "device": lambda place: None,
         "link to a file": lambda place: (place.with_name("f").write_text(""), place.symlink_to(place.with_name("f"))),
         "behind a file": lambda place: place.parent.write_text("mine")}  # fmt: skip


@owners
@pytest.mark.parametrize("kind", WRONG)
def test_R2_what_is_no_folder_is_told_once(tmp_path, monkeypatch, kind):
    place = {"device": Path("/dev/null"), "behind a file": tmp_path / "file" / "cache"}.get(kind, tmp_path / "cache")
    WRONG[kind](place)
    monkeypatch.setenv("STEINER_CACHE", str(place))
    code, said = answer()
    assert code == b"made here" and len(said) == 1 and str(place) in said[0] and "STEINER_CACHE" in said[0]
    assert ("is no folder" in said[0]) or "cannot be reached" in said[0] or kind == "device"
    assert answer() == (b"made here", [])


@owners
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o755, 0o700, 0o707, 0o1707, 0o3777])
@pytest.mark.parametrize("up", [1, 2])
def test_R2_a_folder_that_anybody_may_replace_is_not_used(tmp_path, monkeypatch, mode, up):
    place = tmp_path / "a" / "b" / "cache"
    monkeypatch.setenv("STEINER_CACHE", str(place))
    cache.cached_object("k", lambda: b"planted")
    parent = place.parents[up - 1]
    parent.chmod(mode)
    code, said = answer()
    if mode & 0o002 and not mode & 0o1000:
        assert code == b"made here" and len(said) == 1 and f"lies in {parent}" in said[0]
    else:
        assert (code, said) == (b"planted", [])


@owners
def test_R2_every_new_folder_is_for_this_user_alone(tmp_path, monkeypatch):
    place = tmp_path / "a" / "b" / "cache"
    monkeypatch.setenv("STEINER_CACHE", str(place))
    before = os.umask(0)
    try:
        cache.cached_object("k", lambda: b"planted")
    finally:
        os.umask(before)
    assert {p.stat().st_mode & 0o777 for p in (place, *place.parents[:2])} == {0o700}
    assert [p.stat().st_mode & 0o777 for p in place.iterdir()] == [0o600]
    assert answer() == (b"planted", [])


def _fifo(path, _whole):
    os.mkfifo(path)


def _socket(path, _whole):
    with socket.socket(socket.AF_UNIX) as s:
        here = Path.cwd()
        os.chdir(path.parent)  # the names of sockets are short
        try:
            s.bind("s")
        finally:
            os.chdir(here)
        (path.parent / "s").rename(path)


def _link(path, whole):
    beside = path.with_name("elsewhere")
    beside.write_bytes(whole)
    beside.chmod(0o600)
    path.symlink_to(beside)


ODD = {
    "pipe": _fifo,
    "socket": _socket,
    "link": _link,
    "link to nowhere": lambda path, _whole: path.symlink_to(path.with_name("nowhere")),
    "link to itself": lambda path, _whole: path.symlink_to(path),
    "device": lambda path, _whole: path.symlink_to("/dev/zero"),
    "folder": lambda path, _whole: path.mkdir(),
    "a file without end": lambda path, _whole: endless(path),
}


def endless(path):
    """A file with a hole of 100 GB, which takes no room on the disk."""
    with path.open("wb") as file:
        file.truncate(10**11)
    path.chmod(0o600)


@owners
@pytest.mark.parametrize("odd", ODD)
def test_R2_only_a_regular_file_is_read(planted, odd):
    """In a program of its own, for a pipe would hang it."""
    whole = planted.read_bytes()
    planted.unlink()
    ODD[odd](planted, whole)
    program = "from steiner.backends.llvm import cache; print(cache.cached_object('k', lambda: b'made here'))"
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "b'made here'\n", ran.stderr
    if odd != "folder":  # there nothing can be kept under this name
        assert planted.is_file() and not planted.is_symlink()
        assert answer() == (b"made here", [])


# ---- what goes -----------------------------------------------------------------------------------


def kept(place):
    return {p.name for p in place.iterdir()}


def size(place):
    return sum(p.stat().st_size for p in place.iterdir())


@pytest.mark.parametrize("seed", range(5))
def test_R2_the_files_used_least_recently_go_and_the_rest_stays_small(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    monkeypatch.setenv("STEINER_CACHE_SIZE", "1")
    pick = random.Random(seed)
    clock = itertools.count(1_000_000)
    monkeypatch.setattr(os, "utime", lambda path, real=os.utime: real(path, (next(clock),) * 2))
    order = []  # keys by last use
    for _ in range(60):
        key, made = pick.choice("abcdefghijklmnopqrst"), []
        cache.cached_object(key, lambda: made.append(1) or bytes(pick.randrange(20_000, 300_000)))  # noqa: B023
        path = cache.folder() / f"{_name(key)}.bin"
        if made:  # else reading it has said so
            os.utime(path)
        assert bool(made) == (key not in order), "what is kept is not made again"
        order = [k for k in order if k != key and (tmp_path / f"{_name(k)}.bin").exists()] + [key]
        gone = {_name(k) + ".bin" for k in order} - kept(tmp_path)
        assert not gone and size(tmp_path) <= 1 << 20
        stamps = [(tmp_path / f"{_name(k)}.bin").stat().st_mtime for k in order]
        assert stamps == sorted(stamps)
    assert 3 <= len(order) < 20


def _name(key):
    return cache.sha256(f"{cache.generator()}|{key}".encode()).hexdigest()


def test_nothing_but_our_own_files_is_removed(tmp_path, monkeypatch):
    """A cache may have been put where other things are."""
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    monkeypatch.setenv("STEINER_CACHE_SIZE", "1")
    name = "ab" * 32
    others = ["thesis.txt", "data.bin", f"{name}.txt", f"x{name}.bin", f"{name.upper()}.bin", "a.part", f"{name}.part"]
    for other in others:
        (tmp_path / other).write_bytes(bytes(1 << 20))
    (tmp_path / f"{name}.dir.part").mkdir()
    (tmp_path / f"{name}.link.part").symlink_to(tmp_path / "thesis.txt")
    began = [tmp_path / f"{name}.{k}.part" for k in range(4)]
    for path in began:
        path.write_bytes(b"half")
    for path in (*tmp_path.iterdir(), *began):
        os.utime(path, (time.time() - 3 * cache.DAY,) * 2)
    os.utime(began[0])  # somebody is still writing this one
    for k in range(8):
        cache.cached_object(f"k{k}", lambda: bytes(400_000))
    left = kept(tmp_path)
    assert {*others, f"{name}.dir.part", f"{name}.link.part", began[0].name} <= left
    assert not {p.name for p in began[1:]} & left
    assert sum(p.stat().st_size for p in tmp_path.glob("*.bin") if p.name not in others) <= 1 << 20


@pytest.mark.parametrize("chosen", ["0", "1", "1000"])
def test_the_size_is_chosen_by_the_environment(tmp_path, monkeypatch, chosen):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    monkeypatch.setenv("STEINER_CACHE_SIZE", chosen)
    for k in range(5):
        assert cache.cached_object(f"k{k}", lambda: bytes(500_000)) == bytes(500_000)
    assert len(kept(tmp_path)) == {"0": 0, "1": 1, "1000": 5}[chosen]


@pytest.mark.parametrize("wrong", ["many", "-1", "1.5", "1e3", "٣", "9" * 5000, " 1", "0x10"])
def test_a_size_that_is_none_is_said(tmp_path, monkeypatch, wrong):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    monkeypatch.setenv("STEINER_CACHE_SIZE", wrong)
    with pytest.raises(ArgumentError, match=r"STEINER_CACHE_SIZE=.*megabytes"):
        cache.cached_object("k", lambda: b"code")


CROWD = textwrap.dedent("""
    import random, sys
    from steiner.backends.llvm import cache
    pick = random.Random(int(sys.argv[1]))
    for _ in range(150):
        k = pick.randrange(40)
        code = bytes([k]) * (30_000 + 1000 * k)
        assert cache.cached_object(f"k{k}", lambda: code) == code
""")


def test_processes_that_remove_files_do_not_disturb_each_other(tmp_path, monkeypatch):
    environment = {**os.environ, "STEINER_CACHE": str(tmp_path), "STEINER_CACHE_SIZE": "1"}
    several = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", CROWD, str(k)], env=environment, stderr=subprocess.PIPE)
        for k in range(4)
    ]
    assert [(p.communicate()[1], p.returncode) for p in several] == [(b"", 0)] * 4
    assert size(tmp_path) <= (1 << 20) * (1 + 4 / 16)
    kept = len(list(tmp_path.iterdir()))
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    found = [cache.cached_object(f"k{k}", lambda: b"") for k in range(40)]
    assert sum(bool(code) for code in found) == kept > 0, "every file is whole"
    assert all(not code or code == bytes([k]) * len(code) for k, code in enumerate(found))
