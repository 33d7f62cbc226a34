"""JavaScript: a tape as an ES module on typed arrays, for pages and for Node.

No dependencies, no allocation, no state.  All inputs are read before the first output is written, so arrays may
overlap.  Numbers are float64, as JavaScript's are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from steiner.backends.text import Dialect, atom, distinct, free_name, shape_text, statements
from steiner.text.names import JS_WORDS, comment
from steiner.trace import Op, Tape

RESERVED = JS_WORDS | {"chosen"}  # the helper below
CHOSEN = "const chosen = (c, a, b) => c > 0 ? a : c <= 0 ? b : c;"  # NaN stays NaN

TEMPLATES = {
    Op.ADD: "{0} + {1}", Op.SUB: "{0} - {1}", Op.MUL: "{0} * {1}", Op.DIV: "{0} / {1}",
    Op.SQRT: "Math.sqrt({0})", Op.SIN: "Math.sin({0})", Op.COS: "Math.cos({0})", Op.EXP: "Math.exp({0})",
    Op.TANH: "Math.tanh({0})", Op.ABS: "Math.abs({0})", Op.SIGN: "Math.sign({0})", Op.SELECT: "chosen({0}, {1}, {2})",
}  # fmt: skip


def literal(x: float) -> str:
    """A number as JavaScript writes it."""
    return repr(x) if math.isfinite(x) else "NaN" if math.isnan(x) else f"{'-' * (x < 0)}Infinity"


DIALECT = Dialect(TEMPLATES, literal, "{0}[{1}]")


def module(tape: Tape, name: str, outputs: Sequence[str], *, notes: Sequence[str] = ()) -> str:
    """An ES module that exports one function of Float64Arrays: inputs, then the outputs it fills."""
    names = _arrays(tape, name, outputs)
    lines = [f"// {comment(line)}" for line in (function_name(name), *notes)]
    for array, (given, size) in zip(names, tape.inputs, strict=False):
        lines.append(f"// in: {array}[{size}]" + (f", {comment(given)}" if given != array else ""))
    for array, output in zip(names[len(tape.inputs) :], tape.outputs, strict=True):
        order = ", row by row" if len(output.shape) > 1 else ""
        lines.append(f"// out: {array}[{output.size}], {shape_text(output)}{order}")
    return "\n".join([*lines, *function(tape, name, outputs, export=True), ""])


def function(tape: Tape, name: str, outputs: Sequence[str], *, export: bool = False) -> list[str]:
    """The lines of the function, and before them those of what it needs."""
    names = _arrays(tape, name, outputs)
    ins, outs = names[: len(tape.inputs)], names[len(tape.inputs) :]
    lines = [CHOSEN] if any(row[0] == Op.SELECT for row in tape.rows) else []
    lines += [f"{'export ' * export}function {function_name(name)}({', '.join(names)}) {{"]
    lines += [f"  const {row} = {text};" for row, text in statements(tape, DIALECT, ins)]
    for array, output in zip(outs, tape.outputs, strict=True):
        lines += [f"  {array}[{k}] = {atom(tape, DIALECT, x)};" for k, x in enumerate(output.elements)]
    return [*lines, "}"]


def function_name(name: str) -> str:
    """The name of the function that a module exports."""
    return free_name(name, RESERVED)


def _arrays(tape: Tape, name: str, outputs: Sequence[str]) -> list[str]:
    return distinct([*(n for n, _ in tape.inputs), *outputs], RESERVED | {function_name(name)})
