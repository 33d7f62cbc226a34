"""LLVM itself: target, object code, loading; the only module that imports llvmlite, and not before code is made.

Code that is in the cache needs no LLVM: it is an image (image.py), and what LLVM says of this processor is kept too.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from steiner.backends import installed
from steiner.backends.llvm import image
from steiner.backends.llvm.cache import cached_object, holds
from steiner.locks import LOCK, held_by_forks
from steiner.trace.tape import sha256

_ITS_OWN: list[Any] = []  # llvmlite's lock, once it is there, which the garbage collector takes without ours
held_by_forks(lambda: [lock.__enter__() for lock in _ITS_OWN], lambda: [lock.__exit__() for lock in _ITS_OWN])


@cache
def _llvm() -> Any:
    """LLVM, ready to be asked; who calls holds the lock."""
    import llvmlite.binding as llvm

    its_own = getattr(llvm.ffi.lib, "_lock", None)
    _ITS_OWN.extend([its_own] if its_own is not None else [])
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    return llvm


# rows of a tape up to which a single row has code of its own, and rows of its segments: scalar code has no blocks to
# overlap, segments only spare the compiler
ONE_SAMPLE = (3000, 1000)


@cache
def libm() -> ctypes.CDLL:
    """The C library's mathematics: what the interpreter itself computes with."""
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    if hasattr(library, "tanhf"):
        return library
    from ctypes.util import find_library  # asks other programs, which takes a while

    return ctypes.CDLL(find_library("m") or None)


@cache
def _elementary() -> dict[str, int]:
    """Addresses of libm's functions: for arguments that are rare, and processors without multiply-adds."""
    names = [name + suffix for name in ("sin", "cos", "exp", "tanh") for suffix in ("", "f")]
    return {f"steiner_{name}": ctypes.cast(getattr(libm(), name), ctypes.c_void_p).value or 0 for name in names}


@cache
def host() -> tuple[str, str, str]:
    """Target triple, CPU name and features of this machine; what Linux tells of it is the key to what LLVM said."""
    told = _told_by_linux()
    text = cached_object(_host_key(told), _asked) if told else _asked()
    triple, cpu, features = text.decode().split("\n")
    return triple, cpu, features


def _host_key(told: str) -> str:
    return f"host|{told}|{version()}"


def _asked() -> bytes:
    with LOCK:
        llvm = _llvm()
        known = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return "\n".join(known).encode()


TOLD = ("vendor_id", "cpu family", "model", "stepping", "flags")


def _told_by_linux() -> str:
    """Vendor, family, model and every flag of the first processor under Linux; elsewhere nothing."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            first = file.read(8192).partition("\n\n")[0]
    except OSError:
        return ""
    pairs = (line.partition(": ") for line in first.split("\n"))
    rows = {name: value for key, _, value in pairs if (name := key.strip()) in TOLD}
    return "|".join(rows.values()) if len(rows) == len(TOLD) else ""


@cache
def version() -> str:
    """Which llvmlite this is: what its own file says, and when the library beside it was written."""
    spec = installed.llvmlite()
    if spec is None or not spec.submodule_search_locations:
        import llvmlite

        return llvmlite.__version__
    home = Path(spec.submodule_search_locations[0])
    written = (home / "binding").stat().st_mtime_ns
    return f"{(home / '_version.py').read_text(encoding='utf-8')}|{written}"


@cache
def vector_bytes() -> int:
    """Bytes of the widest vectors that pay: AVX-512, AVX2 with FMA, else SSE2 or NEON."""
    features = host()[2].split(",")
    if "+avx512f" in features:
        return 64
    return 32 if "+avx2" in features and "+fma" in features else 16


def lanes(dtype: np.dtype) -> int:
    """Samples per vector."""
    return vector_bytes() // dtype.itemsize


@cache
def second_cache() -> int:
    """Bytes of a core's second-level cache, or the least that processors with vectors have."""
    try:
        text = Path("/sys/devices/system/cpu/cpu0/cache/index2/size").read_text(encoding="utf-8").strip()
        return int(text.removesuffix("K")) << 10
    except (OSError, ValueError):
        return 256 << 10


@cache
def fuses() -> bool:
    """Whether a multiply-add is one instruction; elsewhere `llvm.fma` is a slow call."""
    return not is_x86() or "+fma" in host()[2].split(",")


def is_x86() -> bool:
    """Whether non-temporal stores need a fence at the end."""
    return host()[0].startswith(("x86_64", "i686", "amd64"))


def writes_instructions(size: int) -> bool:
    """Whether arithmetic on vectors of so many bytes is written by x86.py and not by LLVM; `STEINER_ASM=0` says no.

    It pays where a processor has 16 registers; with the 32 of AVX-512 LLVM does as well.
    """
    known = host()[0].startswith(("x86_64", "amd64")) and fuses() and size in (16, 32)
    return known and size <= vector_bytes() and os.environ.get("STEINER_ASM") != "0"


def attributes() -> str:
    """Function attributes: without both, LLVM splits 512-bit vectors."""
    width = 8 * vector_bytes()
    widths = f'"prefer-vector-width"="{width}" "min-legal-vector-width"="{width}"'
    return f'attributes #0 = {{ {widths} "no-builtins" "stackrealign" }}'


def effort(rows: int) -> int:
    """How hard LLVM tries: very long code is bound by memory, and takes seconds to compile."""
    return 2 if rows <= 20_000 else 1 if rows <= 40_000 else 0


def _machine(level: int = 2) -> Any:
    triple, cpu, features = host()
    # small code model: the large one of JITs costs up to 17 % in calls and constants
    return _llvm().Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small", jit=True
    )


def identity() -> str:
    """What object code depends on besides its source: this CPU and these versions."""
    chosen = str(second_cache()), os.environ.get("STEINER_ASM", "")
    return sha256("|".join((*host(), *chosen, version())).encode()).hexdigest()


def kept(key: str, make: Callable[[], bytes]) -> bytes:
    """Code for a key on this machine, from the cache if it is there, else made, linked and stored."""
    return cached_object(f"{key}|{identity()}", lambda: image.linked(make()))


def is_kept(key: str) -> bool:
    """Whether there is code for a key, as far as can be told without LLVM, whose word on this machine is kept first."""
    told = _told_by_linux()
    return bool(told) and holds(_host_key(told)) and holds(f"{key}|{identity()}")


def object_code(ir: str, level: int = 2) -> bytes:
    """Relocatable object code of a module, free of addresses of this process."""
    return _emitted(ir, level, "emit_object")


def assembly(ir: str, level: int = 2) -> str:
    """The same code as text, for people and programs that count its instructions."""
    return _emitted(ir, level, "emit_assembly")


def _emitted(ir: str, level: int, how: str) -> Any:
    with LOCK:  # LLVM's contexts are not for several threads at once
        module = _llvm().parse_assembly(ir)
        module.verify()
        return getattr(_machine(level), how)(module)


class Library:
    """Loaded code, an image or object code; functions live as long as it does.

    Object code that is no image goes through LLVM: JITLink keeps code and constants in one stretch of memory.  The
    older loader places them apart, and where a process holds so much memory that they come to lie 2 GB apart, the small
    code model aborts it.
    """

    def __init__(self, code: bytes, *names: str) -> None:
        if code.startswith(image.MAGIC):
            self._code: Any = image.Image(code, _address_of)
            self.address = self._code.address
            return
        with LOCK:
            llvm = _llvm()
            builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
            for name, address in _elementary().items():
                builder.import_symbol(name, address)
            for name in names:
                builder.export_symbol(name)
            self._linker = llvm.create_lljit_compiler(_machine(), use_jit_link=True)
            self._code = builder.link(self._linker, "steiner")
        self.address: Callable[[str], int] = self._code.__getitem__


def _address_of(name: str) -> int:
    """Of a function of libm or of the interpreter's process."""
    own = _elementary().get(name)
    return own if own is not None else ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0
