"""Generated C, compiled strictly and called."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

GCC = shutil.which("gcc") or shutil.which("cc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-shared"]

needs_gcc = pytest.mark.skipif(GCC is None, reason="no C compiler on this machine")


def library(files: dict[str, str], folder):
    """The one function of generated files, compiled strictly."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="ascii")
    (source,) = [name for name in files if name.endswith(".c")]
    binary = folder / "library.so"
    done = subprocess.run([GCC, *FLAGS, source, "-o", binary, "-lm"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return getattr(ctypes.CDLL(str(binary)), source.removesuffix(".c"))


def call(function, inputs, shapes, dtype=np.float64):
    """Results of a C function on arrays; a guard behind every output must stay untouched."""
    inputs = [np.ascontiguousarray(x, dtype) for x in inputs]
    outputs = [np.full(int(np.prod(shape)) + 1, 77.0, dtype) for shape in shapes]
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
    assert all(x[-1] == 77.0 for x in outputs)
    return [x[:-1].reshape(shape) for x, shape in zip(outputs, shapes, strict=True)]
