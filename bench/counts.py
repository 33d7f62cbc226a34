"""What a kernel's code consists of, read from its assembly: what a processor does for a vector of samples."""

from __future__ import annotations

import re

import numpy as np

from steiner.backends.llvm import engine, module, source
from steiner.trace import Tape

HOT = re.compile(r"^kernel_(unit|segment\d+):", re.MULTILINE)
LABEL = re.compile(r"^\S+:(?:\s*# %(\w+))?", re.MULTILINE)
COLD = re.compile(r"\w*slow")  # angles that are too far
ARITHMETIC = re.compile(r"vfn?m(add|sub)|v(add|sub|mul|div|sqrt)p")
MEMORY = re.compile(r"\(%r")


def counts(tape: Tape) -> dict[str, int]:
    """Arithmetic, loads, stores and all instructions per vector, bytes of code and of waiting values; of x86 only."""
    if not engine.is_x86():
        return {}
    kind = np.dtype(np.float64)
    lanes = engine.lanes(kind)
    text, made = source(tape, kind, lanes), module(tape, kind, lanes)
    level = engine.effort(made.length)
    found = counted(engine.assembly(text, level), made.times)
    sizes = {"code_bytes": len(engine.object_code(text, level)), "waiting_bytes": made.scratch}
    return found | {"lanes": lanes} | sizes


def counted(assembly: str, times: dict[str, float]) -> dict[str, int]:
    """Instructions that run for every block, without those for far angles only; `times`: how often a function runs."""
    found: dict[str, float] = dict.fromkeys(("arithmetic", "loads", "stores", "instructions"), 0)
    parts = HOT.split(assembly)[1:]
    for unit, function in zip(parts[::2], parts[1::2], strict=True):
        body, cold, often = function.split(".Lfunc_end")[0], False, times.get(unit, 1)
        for line in body.splitlines():
            if label := LABEL.match(line):
                cold = bool(COLD.fullmatch(label[1] or ""))
            name, _, operands = line.partition("#")[0].strip().partition("\t")
            name, _, rest = name.partition(" ")  # as written here: one blank
            operands = operands or rest
            if cold or not name or label or name.startswith("."):
                continue
            found["instructions"] += often
            found["arithmetic"] += often * bool(ARITHMETIC.match(name))
            if name.startswith("v") and MEMORY.search(operands):
                stored = MEMORY.search(operands.rpartition(", ")[2]) and operands.startswith("%")
                found["stores" if stored else "loads"] += often
    return {name: round(number) for name, number in found.items()}
