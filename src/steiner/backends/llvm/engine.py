"""LLVM itself: target, object code, loading; the only module that imports llvmlite."""

from __future__ import annotations

import ctypes
import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from steiner.locks import LOCK, held_by_forks

_ITS_OWN = getattr(llvm.ffi.lib, "_lock", None)  # llvmlite's, which the garbage collector takes without ours
if _ITS_OWN is not None:
    held_by_forks(_ITS_OWN.__enter__, _ITS_OWN.__exit__)


@cache
def _ready() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()


@cache
def _elementary() -> dict[str, int]:
    """Addresses of libm's functions: for arguments that are rare, and processors without multiply-adds."""
    names = [name + suffix for name in ("sin", "cos", "exp", "tanh") for suffix in ("", "f")]
    libm = ctypes.CDLL(None)  # what the interpreter itself computes with
    if not hasattr(libm, "tanhf"):
        from ctypes.util import find_library  # asks other programs, which takes a while

        libm = ctypes.CDLL(find_library("m") or None)
    return {f"steiner_{name}": ctypes.cast(getattr(libm, name), ctypes.c_void_p).value or 0 for name in names}


@cache
def host() -> tuple[str, str, str]:
    """Target triple, CPU name and features of this machine."""
    _ready()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


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
        text = Path("/sys/devices/system/cpu/cpu0/cache/index2/size").read_text(encoding="ascii").strip()
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
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small", jit=True
    )


def identity() -> str:
    """What object code depends on besides its source: this CPU and these versions."""
    chosen = str(second_cache()), os.environ.get("STEINER_ASM", "")
    text = "|".join((*host(), *chosen, llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info))))
    return hashlib.sha256(text.encode()).hexdigest()


def object_code(ir: str, level: int = 2) -> bytes:
    """Relocatable object code of a module, free of addresses of this process."""
    return _emitted(ir, level, "emit_object")


def assembly(ir: str, level: int = 2) -> str:
    """The same code as text, for people and programs that count its instructions."""
    return _emitted(ir, level, "emit_assembly")


def _emitted(ir: str, level: int, how: str) -> Any:
    with LOCK:  # LLVM's contexts are not for several threads at once
        _ready()
        module = llvm.parse_assembly(ir)
        module.verify()
        return getattr(_machine(level), how)(module)


class Library:
    """Loaded object code; functions live as long as it does.

    JITLink keeps code and constants in one stretch of memory.  The older loader places them apart, and where a process
    holds so much memory that they come to lie 2 GB apart, the small code model aborts it.
    """

    def __init__(self, code: bytes, *names: str) -> None:
        with LOCK:
            _ready()
            builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
            for name, address in _elementary().items():
                builder.import_symbol(name, address)
            for name in names:
                builder.export_symbol(name)
            self._linker = llvm.create_lljit_compiler(_machine(), use_jit_link=True)
            self._code = builder.link(self._linker, "steiner")

    def address(self, name: str) -> int:
        """Address of a function."""
        return self._code[name]
