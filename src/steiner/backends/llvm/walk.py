"""A single sample computed row by row, for those who ask once: to make code takes longer than all else before it.

The rows are those of the kernel, its fused multiply-adds among them, and each is rounded as there.  Sines, exp and tanh
run their one text (elementary.py) on numbers, where `Vector` writes it as instructions, and far angles go to the same
functions of libm, so the bits are those of the kernel.  What a processor without multiply-adds would compute is left
to its code.
"""

from __future__ import annotations

import ctypes
import math
import operator
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from steiner.backends.llvm import elementary, engine
from steiner.backends.llvm.fuse import FMA, fused
from steiner.trace import Op, Tape, referred

WORD = 2**64
FUSING = ("FMA3", "ASIMD")  # what NumPy calls multiply-adds of x86, and the vectors of 64-bit ARM, which have them


def _quotient(a: float, b: float) -> float:
    return a / b if b else a * math.copysign(math.inf, b)


ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul, "fdiv": _quotient,
}  # fmt: skip
INTEGER: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "and": operator.and_, "xor": operator.xor, "shl": operator.lshift,
    "ashr": lambda a, b: (a - (a >> 63) * WORD) >> b,
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "ogt": operator.gt, "olt": operator.lt, "ole": operator.le, "uge": operator.ge,
}  # fmt: skip


class Numbers:
    """Computes where `Vector` writes text: a function may be given either.  Integers are those of 64 bits, unsigned."""

    double = True

    def __init__(self) -> None:
        self.fma, self.sin, self.cos = (_function(*of) for of in (("fma", 3), ("sin", 1), ("cos", 1)))

    def constant(self, value: float) -> float:
        """A number."""
        return value

    def int_constant(self, value: int) -> int:
        """An integer."""
        return value % WORD

    def bits(self, a: float) -> int:
        """The bit pattern of a."""
        return struct.unpack("<Q", struct.pack("<d", a))[0]

    def from_bits(self, a: int) -> float:
        """The number with this bit pattern."""
        return struct.unpack("<d", struct.pack("<Q", a))[0]

    def arithmetic(self, op: str, a: float, b: float) -> float:
        """fadd, fsub, fmul or fdiv, as processors do it: nothing raises."""
        return ARITHMETIC[op](a, b)

    def int_op(self, op: str, a: int, b: int) -> int:
        """An integer operation."""
        return INTEGER[op](a, b) % WORD

    def odd(self, a: int) -> bool:
        """Whether an integer's last bit is set."""
        return a & 1 == 1

    def compare(self, predicate: str, a: Any, b: Any) -> bool:
        """A comparison; of NaN none holds."""
        return COMPARED[predicate](a, b)

    int_compare = compare

    def chosen(self, condition: bool, a: float, b: float) -> float:
        """a if the condition holds, else b."""
        return a if condition else b

    def copysign(self, a: float, b: float) -> float:
        """|a| with the sign of b."""
        return math.copysign(a, b)

    def intrinsic(self, name: str, a: float) -> float:
        """sqrt, of what is less than zero NaN; fabs."""
        return abs(a) if name == "fabs" else math.sqrt(a) if a >= 0 else math.nan

    def sincos(self, x: float) -> tuple[float, float]:
        """Sine and cosine; far angles by libm."""
        *near, far = elementary.fast_sincos(self, x)
        return (self.sin(x), self.cos(x)) if elementary.is_far(self, far) else (near[0], near[1])


def _function(name: str, arguments: int) -> Callable[..., float]:
    return ctypes.PYFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * arguments)((name, engine.libm()))


@cache
def numbers() -> Numbers | None:
    """Numbers that are computed with as kernels do; None where there are none, or LLVM would have to be asked."""
    from numpy._core import _multiarray_umath  # pyright: ignore[reportAttributeAccessIssue]

    features = getattr(_multiarray_umath, "__cpu_features__", {})
    if sys.maxsize < 2**32 or not any(features.get(name) for name in FUSING):  # 32 bits may round to 80 first
        return None
    try:
        return Numbers()
    except (AttributeError, OSError, TypeError):  # no such function, no such library
        return None


# of rows: of their operands, or of a signed reference to each
PLAIN = dict(zip((Op.ADD, Op.SUB, Op.MUL, Op.DIV), ARITHMETIC.values(), strict=True))
FUNCTIONS: dict[int, Callable[..., float]] = {
    FMA: lambda v, a, b, c: v.fma(a, b, c),
    Op.SQRT: lambda v, x: v.intrinsic("sqrt", x),
    Op.SIN: lambda v, x: v.sincos(x)[0],
    Op.COS: lambda v, x: v.sincos(x)[1],
    Op.EXP: elementary.exp,
    Op.TANH: elementary.tanh,
    Op.ABS: lambda v, x: v.intrinsic("fabs", x),
    Op.SIGN: elementary.sign,
    Op.SELECT: elementary.select,
}


def walk(tape: Tape, v: Numbers, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
    """Fill the outputs (1, size) from the inputs (1, size), as the kernel of a tape does."""
    tape, given, values = fused(tape), [x[0].tolist() for x in inputs], list[float]()
    for op, *operands in tape.rows:
        if op == Op.CONSTANT:
            values.append(operands[0])
        elif op == Op.INPUT:
            values.append(given[operands[0]][operands[1]])
        elif op in PLAIN:
            values.append(PLAIN[op](values[operands[0]], values[operands[1]]))
        else:
            values.append(FUNCTIONS[op](v, *[referred(values, x) for x in operands]))
    for array, output in zip(outputs, tape.outputs, strict=True):
        array[0] = [x if isinstance(x, float) else referred(values, x) for x in output.elements]
