"""Object code as an image: a stretch of memory that runs wherever it lies, so that LLVM need not be there to load it.

LLVM's object code is relocatable: sections, and places in them that wait for the addresses of others.  Where code and
constants stay together, all that it takes are distances, which `linked` fills in once.  What lies elsewhere (libm,
malloc) is reached through a table at the image's end, which each process fills for itself.  Known are the objects that
we make on 64-bit x86 under Linux; any other stays as it is, for LLVM's own loader.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

MAGIC = b"steiner-image-1\n"
HEAD = struct.Struct("<III")  # bytes of the code, functions of ours, functions of others
ENTRY = struct.Struct("<I60s")  # where, and its name
SECTION, SYMBOL, RELOCATION = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), struct.Struct("<QQq")
RELOCATABLE_X86_64 = (b"\x7fELF\x02\x01", 1, 62)
PROGRAM, SYMBOLS, RELOCATIONS = 1, 2, 4  # kinds of sections
WRITABLE, IN_MEMORY, THREAD_LOCAL = 1, 2, 0x400
DISTANCE, CALL, TABLE = 2, 4, (9, 41, 42)  # kinds of relocations: to a place, a function, an entry of the table
JUMP = b"\xff\x25"  # jmp [rip + …]
LINE, WORD = 64, 8


class Unknown(Exception):
    """Something that this module does not place."""


class Section(NamedTuple):
    """A section of an object, as its table tells it."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def linked(code: bytes) -> bytes:
    """The image of object code; the object code itself where it holds what is not known here."""
    try:
        return _linked(code)
    except (Unknown, struct.error):
        return code


def _linked(code: bytes) -> bytes:
    if sys.platform != "linux" or (code[:6], *struct.unpack_from("<HH", code, 16)) != RELOCATABLE_X86_64:
        raise Unknown
    start, = struct.unpack_from("<Q", code, 40)
    size, count, names = struct.unpack_from("<HHH", code, 58)
    sections = [Section(*SECTION.unpack_from(code, start + k * size)) for k in range(count)]
    flat, placed = _placed(code, sections, sections[names])
    (symbols,) = (s for s in sections if s.kind == SYMBOLS)
    found = [SYMBOL.unpack_from(code, at) for at in range(symbols.offset, symbols.offset + symbols.size, SYMBOL.size)]
    text = sections[symbols.link]
    ours = {k: placed[s[3]] + s[4] for k, s in enumerate(found) if s[3] in placed}
    calls, slots = _beyond(flat, [k for k, s in enumerate(found) if k and s[3] == 0])
    for part in (s for s in sections if s.kind == RELOCATIONS and s.info in placed):
        for offset, kind, addend in RELOCATION.iter_unpack(code[part.offset : part.offset + part.size]):
            symbol, where = kind >> 32, placed[part.info] + offset
            target = {DISTANCE: {**calls, **ours}, CALL: {**calls, **ours}}.get(kind & 0xFFFFFFFF)
            target = slots if kind & 0xFFFFFFFF in TABLE else target
            if target is None or symbol not in target:
                raise Unknown
            struct.pack_into("<i", flat, where, target[symbol] + addend - where)
    named = {k: _text(code, text.offset + found[k][0]) for k in (*ours, *slots)}
    functions = {named[k]: at for k, at in ours.items() if found[k][1] >> 4 == 1}
    return _packed(flat, functions, {named[k]: at for k, at in slots.items()})


def _placed(code: bytes, sections: list[Section], names: Section) -> tuple[bytearray, dict[int, int]]:
    """The sections that are memory, one after another, and where each lies; tables for debuggers are left out."""
    flat, placed = bytearray(), {}
    for k, section in enumerate(sections):
        if not section.flags & IN_MEMORY or not section.size or _text(code, names.offset + section.name) == ".eh_frame":
            continue
        if section.kind != PROGRAM or section.flags & (WRITABLE | THREAD_LOCAL) or section.align > mmap.PAGESIZE:
            raise Unknown
        flat += bytes(-len(flat) % max(section.align, LINE))
        placed[k] = len(flat)
        flat += code[section.offset : section.offset + section.size]
    return flat, placed


def _beyond(flat: bytearray, symbols: list[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Room at the end for functions of others: a jump for each, and the address that it reads."""
    flat += bytes(-len(flat) % LINE)
    slots = {k: len(flat) + WORD * j for j, k in enumerate(symbols)}
    flat += bytes(WORD * len(symbols))
    calls = {}
    for k in symbols:
        calls[k] = len(flat)
        flat += JUMP + struct.pack("<i", slots[k] - len(flat) - len(JUMP) - 4) + bytes(2)
    return calls, slots


def _text(code: bytes, at: int) -> str:
    return code[at : code.index(b"\0", at)].decode("ascii")


def _packed(flat: bytearray, ours: Mapping[str, int], others: Mapping[str, int]) -> bytes:
    if any(len(name) > 60 for name in (*ours, *others)):
        raise Unknown
    entries = b"".join(ENTRY.pack(at, name.encode()) for name, at in (*ours.items(), *others.items()))
    return MAGIC + HEAD.pack(len(flat), len(ours), len(others)) + entries + flat


class Image:
    """An image in memory; functions live as long as it does.  Nothing is ever writable and executable at once."""

    def __init__(self, code: bytes, address: Callable[[str], int]) -> None:
        size, ours, others = HEAD.unpack_from(code, len(MAGIC))
        at = len(MAGIC) + HEAD.size
        entries = [ENTRY.unpack_from(code, at + k * ENTRY.size) for k in range(ours + others)]
        flat = bytearray(code[at + len(entries) * ENTRY.size :])
        assert len(flat) == size  # the cache keeps nothing that is not whole
        for place, name in entries[ours:]:
            struct.pack_into("<Q", flat, place, address(name.rstrip(b"\0").decode()))
        self._memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
        self._memory[:] = bytes(flat)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if protect(self._start, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "code cannot be made executable")
        self._places = {name.rstrip(b"\0").decode(): place for place, name in entries[:ours]}

    def address(self, name: str) -> int:
        """Address of a function."""
        return self._start + self._places[name]
