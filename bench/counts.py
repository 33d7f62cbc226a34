"""What a kernel's code consists of, read from its assembly: what a processor does for a vector of samples."""

from __future__ import annotations

import re

import numpy as np

from steiner.backends.llvm import engine, module, source
from steiner.trace import Tape

HOT = re.compile(r"^kernel_(?:unit|segment\d+):", re.MULTILINE)
LABEL = re.compile(r"^\S+:(?:\s*# %(\w+))?", re.MULTILINE)
COLD = re.compile(r"\w*slow")  # angles that are too far
ARITHMETIC = re.compile(r"vfn?m(add|sub)|v(add|sub|mul|div|sqrt)p")
MEMORY = re.compile(r"\(%r")


def counts(tape: Tape) -> dict[str, int]:
    """Arithmetic, loads, stores and all instructions per vector, bytes of code and of waiting values; of x86 only."""
    if not engine.is_x86():
        return {}
    kind, level = np.dtype(np.float64), engine.effort(len(tape.rows))
    lanes = engine.lanes(kind)
    text = source(tape, kind, lanes)
    found = counted(engine.assembly(text, level))
    sizes = {"code_bytes": len(engine.object_code(text, level)), "waiting_bytes": module(tape, kind, lanes).scratch}
    return found | {"lanes": lanes} | sizes


def counted(assembly: str) -> dict[str, int]:
    """Instructions of the functions that run for every block, without the blocks that run for far angles only."""
    found: dict[str, int] = dict.fromkeys(("arithmetic", "loads", "stores", "instructions"), 0)
    for function in HOT.split(assembly)[1:]:
        body, cold = function.split(".Lfunc_end")[0], False
        for line in body.splitlines():
            if label := LABEL.match(line):
                cold = bool(COLD.fullmatch(label[1] or ""))
            name, _, operands = line.partition("#")[0].strip().partition("\t")
            name, _, rest = name.partition(" ")  # as written here: one blank
            operands = operands or rest
            if cold or not name or label or name.startswith("."):
                continue
            found["instructions"] += 1
            found["arithmetic"] += bool(ARITHMETIC.match(name))
            if name.startswith("v") and MEMORY.search(operands):
                stored = MEMORY.search(operands.rpartition(", ")[2]) and operands.startswith("%")
                found["stores" if stored else "loads"] += 1
    return found
