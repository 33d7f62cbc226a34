"""Object code as an image: the same bits as through LLVM's own loader, and no LLVM where the cache has the code."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import steiner as st
from steiner.backends.llvm import LlvmKernel, engine, image, source
from steiner.kernels.call import Call

placed_here = pytest.mark.skipif(
    sys.platform != "linux" or not engine.host()[0].startswith("x86_64"), reason="images are of x86-64 under Linux"
)
DOUBLE = np.dtype(np.float64)


def tapes():
    """Straight and segmented code."""
    puma = st.load("gallery:puma560")
    for name in ("inverse_dynamics", "inverse_dynamics_derivatives"):
        yield Call(puma, st.dynamics.algorithm(name)).plan("", ("q", "qd", "qdd"), (), {}).tape


@placed_here
def test_an_image_computes_the_same_bits_as_llvm_does(monkeypatch):
    """At angles beyond those that vector code reduces itself too, where libm is called."""
    for tape in tapes():
        for lanes in (1, engine.lanes(DOUBLE)):
            code = engine.object_code(source(tape, DOUBLE, lanes))
            made = image.linked(code)
            assert made.startswith(image.MAGIC)
            count = 1 if lanes == 1 else 37
            x = np.random.default_rng(3).normal(size=(3, count, 6))
            x[0, :, 2] = 1e9
            found = []
            for given in (made, code):
                monkeypatch.setattr(engine, "kept", lambda _key, make, given=given: given)
                results = [np.zeros((count, o.size)) for o in tape.outputs]
                LlvmKernel(tape, DOUBLE, 1, lanes=lanes)(list(x), results, count)
                found.append(np.concatenate(results, axis=1))
            np.testing.assert_array_equal(found[0], found[1])
            assert np.isfinite(found[0]).all() and found[0].any()


@placed_here
def test_what_is_not_known_stays_object_code():
    text = "define double @f(double %x) {\nret double %x\n}"
    code = engine.object_code(text)
    assert image.linked(code).startswith(image.MAGIC)
    writable = "@g = global double 1.0\n" + text.replace("ret double %x", "store double %x, ptr @g\nret double %x")
    pointer = "@p = internal constant ptr @f\n@h = constant ptr @p\n" + text
    for other in (engine.object_code(writable), engine.object_code(pointer)):
        assert image.linked(other) == other
    foreign = bytearray(code)
    struct.pack_into("<H", foreign, 18, 183)  # aarch64
    for damaged in (bytes(foreign), b"", code[:40], b"MZ" + code[2:]):
        assert image.linked(damaged) == damaged
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    for given in (code, image.linked(code)):
        library = engine.Library(given, "f")
        assert run(library.address("f"))(2.5) == 2.5


@placed_here
def test_memory_of_code_is_never_writable_and_executable():
    library = engine.Library(image.linked(engine.object_code("define void @f() {\nret void\n}")), "f")
    at = library.address("f")
    with open("/proc/self/maps", encoding="ascii") as file:  # noqa: PTH123
        spans = [line.split()[:2] for line in file]
    (mode,) = [mode for span, mode in spans if int(span.partition("-")[0], 16) <= at < int(span.partition("-")[2], 16)]
    assert mode == "r-xp"


PROGRAM = """
import sys, numpy as np, steiner as st
puma = st.load("gallery:puma560")
q = np.linspace(0.1, 0.6, 6)
alone = [puma.inverse_dynamics(q, q, q).tolist() for _ in range(2)]  # who asks twice gets code
print(alone, puma.mass_matrix(np.stack([q] * 100)).sum(), "llvmlite" in sys.modules)
"""


@placed_here
def test_code_from_the_cache_needs_no_llvm(tmp_path):
    told = [
        subprocess.check_output(
            [sys.executable, "-c", PROGRAM], env=os.environ | {"STEINER_CACHE": str(tmp_path)}, text=True
        ).rpartition(" ")
        for _ in range(2)
    ]
    assert told[0][0] == told[1][0]
    assert [loaded.strip() for _, _, loaded in told] == ["True", "False"]
