"""Code for processors that are not here: compiled for them, and its assembly read.

Code for plain x86-64 and for AVX2 is run in test_llvm.py.  Code for AArch64 and for Windows is only read: no machine
here runs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as binding
import numpy as np
import pytest

import steiner as st
from steiner.backends.llvm import engine, fastcall, source
from steiner.dynamics import algorithm
from steiner.kernels.call import Call
from steiner.trace import Tape

KINDS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True)
class Processor:
    """A target, the bytes of its vectors, what its arithmetic looks like and what must not be there."""

    triple: str
    cpu: str
    features: str
    bytes: int
    vectors: str  # multiplications of whole vectors of doubles
    fused: str  # multiply-adds of them, nothing where there are none
    never: str


FUSED_X86 = r"\bvfn?m(add|sub)\d+pd\b.*%{}"
PROCESSORS = {
    "SSE2": Processor(
        "x86_64-unknown-linux-gnu", "x86-64", "", 16, r"\bmulpd\b", "", r"\bv[a-z]+pd\b|%[yz]mm|\bfmaf?\b"
    ),
    "AVX2": Processor(
        "x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma", 32, r"\bvmulpd\b.*%ymm", FUSED_X86.format("ymm"), "%zmm"
    ),
    "AVX-512": Processor(
        "x86_64-unknown-linux-gnu", "skylake-avx512", "+avx2,+fma,+avx512f", 64, r"\bvmulpd\b.*%zmm",
        FUSED_X86.format("zmm"), r"\bcall\w*\s+fmaf?\b",
    ),
    "Windows": Processor(
        "x86_64-pc-windows-msvc", "haswell", "+avx2,+fma", 32, r"\bvmulpd\b.*%ymm", FUSED_X86.format("ymm"), "%zmm"
    ),
    "NEON": Processor(
        "aarch64-unknown-linux-gnu", "generic", "+neon", 16, r"\bfmul\s+v\d+\.2d", r"\bfml[as]\s+v\d+\.2d",
        r"\bbl\s+fmaf?\b|%[xyz]mm",
    ),
    "Apple": Processor(
        "arm64-apple-darwin", "apple-m1", "+neon", 16, r"\bfmul(\.2d|\s+v\d+\.2d)", r"\bfml[as](\.2d|\s+v\d+\.2d)",
        r"\bbl\s+_fmaf?\b",
    ),
}  # fmt: skip
CALLED = re.compile(r"^\s*(?:callq?|bl)\s+_?([\w.]+)", re.MULTILINE)
KNOWN = re.compile(r"malloc|free|memcpy|stream\w*|kernel\w*|steiner_\w+|\w*chkstk\w*")


@pytest.fixture
def on(monkeypatch):
    """Let code be made for another processor."""

    def arrange(processor: Processor) -> None:
        if not engine.is_x86():
            monkeypatch.setenv("STEINER_ASM", "0")  # LLVM reads instructions of its own processor only
        monkeypatch.setattr(engine, "host", lambda: (processor.triple, processor.cpu, processor.features))
        for name in ("vector_bytes", "fuses"):
            monkeypatch.setattr(engine, name, getattr(engine, name).__wrapped__)

    return arrange


@cache
def _all_targets() -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    binding.initialize_native_asmparser()


def assembly(text: str, processor: Processor) -> str:
    _all_targets()
    try:
        target = binding.Target.from_triple(processor.triple)
    except RuntimeError:
        pytest.skip(f"this llvmlite makes no code for {processor.triple}")
    machine = target.create_target_machine(
        cpu=processor.cpu, features=processor.features, opt=2, reloc="pic", codemodel="small"
    )
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = processor.triple, str(machine.target_data)
    module.verify()
    return machine.emit_assembly(module)


@cache
def tape(kind: str) -> Tape:
    call = Call(st.load("gallery:ur5"), algorithm(kind))
    needed = [name for name in algorithm(kind).arrays if call.__signature__.parameters[name].default is not None]
    return call.plan("", needed, (), {}).tape


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROCESSORS)
def test_kernels_are_vector_code_of_every_processor(on, name, kind):
    processor = PROCESSORS[name]
    on(processor)
    assert engine.lanes(DOUBLE) == processor.bytes // 8 and engine.fuses() == bool(processor.fused)
    text = assembly(source(tape(kind), DOUBLE, engine.lanes(DOUBLE)), processor)
    products = len(re.findall(processor.vectors, text))
    fused = len(re.findall(processor.fused, text)) if processor.fused else 0
    assert products + fused >= 0.9 * tape(kind).counts["mul"], "products are of whole vectors; doubling is an addition"
    assert fused > tape(kind).counts["add"] / 2 or not processor.fused
    found = re.search(processor.never, text)
    assert not found, found
    strangers = {called for called in CALLED.findall(text) if not KNOWN.fullmatch(called)}
    assert not strangers, strangers


@pytest.mark.parametrize("name", PROCESSORS)
def test_the_trampoline_is_code_of_every_processor(on, name):
    on(PROCESSORS[name])
    assert "call" in assembly(fastcall.trampoline(), PROCESSORS[name])


@pytest.mark.skipif(not engine.is_x86(), reason="LLVM reads instructions of its own processor only")
def test_windows_gets_the_registers_back_that_instructions_use(on):
    """xmm6 to xmm15 belong to the caller there."""
    processor = next(p for p in PROCESSORS.values() if "windows" in p.triple)
    on(processor)
    text = assembly(source(tape("inverse_dynamics"), DOUBLE, 4), processor)
    parts = [part for part in re.split(r"^kernel_segment\d+:", text, flags=re.MULTILINE)[1:] if "#APP" in part]
    assert parts and all(re.search(rf"movaps\s+%xmm{k}, -?\d*\(%r[sb]p\)", p) for p in parts for k in range(6, 16))
