"""Widths at which arithmetic is written as x86 instructions."""

from __future__ import annotations

import numpy as np
import pytest

engine = pytest.importorskip("steiner.backends.llvm.engine")

WIDTHS = [(np.float64, 2), (np.float64, 4), (np.float32, 4), (np.float32, 8)]
written_here = pytest.mark.skipif(
    not all(engine.writes_instructions(lanes * dtype().itemsize) for dtype, lanes in WIDTHS), reason="no AVX2 here"
)
