"""C99: a tape as one self-contained file and its header.

No allocation, no state, nothing but <math.h>: what goes onto a controller.  All inputs are read before
the first output is written, so arrays may overlap.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import numpy as np

from steiner.backends.text import Dialect, atom, distinct, shape_text, statements, used_inputs
from steiner.errors import ArgumentError
from steiner.text.names import C_WORDS, comment, identifier
from steiner.trace import Op, Tape

RESERVED = C_WORDS | {"sign_of", "chosen"}  # the helpers below
WIDTH = 100  # of comments
TYPES = {np.dtype(np.float64): ("double", ""), np.dtype(np.float32): ("float", "f")}

HELPERS = {
    Op.SIGN: (
        "/* 1, -1 or 0; NaN stays NaN */",
        "static {real} sign_of({real} x)",
        "{{",
        "    return x > 0 ? 1 : x < 0 ? -1 : x;",
        "}}",
    ),
    Op.SELECT: (
        "/* a where c > 0, b where c <= 0; NaN stays NaN */",
        "static {real} chosen({real} c, {real} a, {real} b)",
        "{{",
        "    return c > 0 ? a : c <= 0 ? b : c;",
        "}}",
    ),
}


def dialect(dtype: np.dtype) -> Dialect:
    """How C writes operations of this precision."""
    suffix = TYPES[dtype][1]
    templates = {Op.ADD: "{0} + {1}", Op.SUB: "{0} - {1}", Op.MUL: "{0} * {1}", Op.DIV: "{0} / {1}"}
    templates |= {op: f"{Op(op).name.lower()}{suffix}({{0}})" for op in (Op.SQRT, Op.SIN, Op.COS, Op.EXP, Op.TANH)}
    templates |= {Op.ABS: f"fabs{suffix}({{0}})", Op.SIGN: "sign_of({0})", Op.SELECT: "chosen({0}, {1}, {2})"}

    def literal(x: float) -> str:
        with np.errstate(over="ignore"):
            x = float(dtype.type(x))
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "-INFINITY"
        return f"{x!r}{suffix}"

    return Dialect(templates, literal, "{0}[{1}]")


def files(
    tape: Tape, name: str, outputs: Sequence[str], *, dtype: np.dtype | str = "float64", notes: Sequence[str] = ()
) -> dict[str, str]:
    """Header and source of a tape, by file name; the notes become the function's comment."""
    kind = np.dtype(dtype)
    if kind not in TYPES:
        raise ArgumentError(f"dtype={kind}: C is written for float64 or float32")
    function = function_name(name)
    arrays = distinct([*(n for n, _ in tape.inputs), *outputs], RESERVED | {function})
    ins, outs = arrays[: len(tape.inputs)], arrays[len(tape.inputs) :]
    real = TYPES[kind][0]
    parts = [f"const {real} {a}[{size}]" for a, (_, size) in zip(ins, tape.inputs, strict=True)]
    parts += [f"{real} {a}[{o.size}]" for a, o in zip(outs, tape.outputs, strict=True)]
    prototype = f"void {function}({', '.join(parts) or 'void'})"
    about = [*notes, *_sizes(tape, ins, outs)]
    header = _header(function, prototype, about)
    return {f"{function}.h": header, f"{function}.c": _source(tape, function, prototype, ins, outs, kind)}


def function_name(name: str) -> str:
    """The name of the C function; a single word gets a prefix, so that it cannot be one of the C library's."""
    function = identifier(name, "robot")
    return function if "_" in function else f"robot_{function}"


def _sizes(tape: Tape, ins: Sequence[str], outs: Sequence[str]) -> list[str]:
    lines = []
    for a, (name, size) in zip(ins, tape.inputs, strict=True):
        lines.append(f"in: {a}[{size}]" + (f", {name}" if name != a else ""))
    for a, output in zip(outs, tape.outputs, strict=True):
        order = ", row by row" if len(output.shape) > 1 else ""
        lines.append(f"out: {a}[{output.size}], {shape_text(output)}{order}")
    cost = f"{tape.flops} additions, multiplications, divisions and roots"
    return [*lines, f"{cost}; no allocation, no state, libm only; arrays may overlap"]


def _header(function: str, prototype: str, about: Sequence[str]) -> str:
    guard = f"{function.upper()}_H"
    wrapped = [part for line in about for part in textwrap.wrap(comment(line), WIDTH, subsequent_indent="    ")]
    text = "\n".join(f" * {line}" for line in wrapped)
    return f"""/*
 * {function}
 *
{text}
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

{prototype};

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(
    tape: Tape, function: str, prototype: str, ins: Sequence[str], outs: Sequence[str], dtype: np.dtype
) -> str:
    real, c = TYPES[dtype][0], dialect(dtype)
    lines = [f"/* {function}: see {function}.h */", f'#include "{function}.h"', "", "#include <math.h>", ""]
    for op, helper in HELPERS.items():
        if any(row[0] == op for row in tape.rows):
            lines += [*(line.format(real=real) for line in helper), ""]
    lines += [prototype, "{"]
    lines += [f"    const {real} {name} = {text};" for name, text in statements(tape, c, ins)]
    used = used_inputs(tape)
    lines += [f"    (void){a};" for k, a in enumerate(ins) if k not in used]
    for a, output in zip(outs, tape.outputs, strict=True):
        lines += [f"    {a}[{k}] = {atom(tape, c, x)};" for k, x in enumerate(output.elements)]
    return "\n".join([*lines, "}", ""])
