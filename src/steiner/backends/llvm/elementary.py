"""Elementary functions on vectors, without calls: sine with cosine, exp, tanh, sign, select.

Sine and cosine share a three-term Cody-Waite reduction by FMA and minimax polynomials (the classic
fdlibm coefficients).  The reduction is exact for |x| ≤ `SINCOS_RANGE`; beyond it, and for
infinities, every lane goes through libm.  exp and tanh reduce by multiples of ln 2 and sum the series.
All of it lives on fused multiply-adds: on a processor without them, libm does the work, lane by lane.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # who computes at once (walk.py) writes no text
    from steiner.backends.llvm.vector import Vector

_TURNS = {True: 1 << 26, False: 1 << 14}  # quarter turns up to which the reduction is exact
SINCOS_RANGE = {kind: (turns - 1) * math.pi / 2 for kind, turns in _TURNS.items()}

_HALF_PI = {
    True: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    False: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
}
_SINE = {
    True: (
        -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
    ),
    False: (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}  # fmt: skip
_COSINE = {
    True: (
        4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
    ),
    False: (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
}  # fmt: skip
# adding this rounds to an integer, and leaves all but the low bits alone as long as |n| < _TURNS
_ROUND = {kind: 1.5 * 2.0**digits + _TURNS[kind] for kind, digits in ((True, 52), (False, 23))}


def _polynomial(v: Any, coefficients: Sequence[float], z: Any) -> Any:
    p = v.constant(coefficients[-1])
    for k in reversed(coefficients[:-1]):
        p = v.fma(p, z, v.constant(k))
    return p


def _quarter_turns(v: Any, x: Any) -> tuple[Any, Any]:
    """The angle in quarter turns, rounded, its low two bits last; and bits that say whether it is too far."""
    shifted = v.fma(x, v.constant(2 / math.pi), v.constant(_ROUND[v.double]))
    return shifted, v.int_op("xor", v.bits(shifted), v.bits(v.constant(_ROUND[v.double])))


def fast_sincos(v: Any, x: Any) -> tuple[Any, Any, Any]:
    """Sine, cosine, and the bits that say whether the angle is too far."""
    kind, c = v.double, v.constant
    shifted, far = _quarter_turns(v, x)
    n = v.arithmetic("fsub", shifted, c(_ROUND[kind]))
    r = x
    for part in _HALF_PI[kind]:
        r = v.fma(n, c(-part), r)
    z = v.arithmetic("fmul", r, r)
    sine = v.fma(_polynomial(v, _SINE[kind], z), v.arithmetic("fmul", r, z), r)
    zz = v.arithmetic("fmul", z, z)
    cosine = v.fma(_polynomial(v, _COSINE[kind], z), zz, v.fma(z, c(-0.5), c(1.0)))
    quadrant = v.bits(shifted)  # its low two bits are n mod 4
    odd = v.odd(quadrant)
    top = 62 if kind else 30
    mask = v.int_constant(-(1 << (top + 1)))
    results = []
    for a, b, turn in ((sine, cosine, quadrant), (cosine, sine, v.int_op("add", quadrant, v.int_constant(1)))):
        value = v.bits(v.chosen(odd, b, a))
        flip = v.int_op("and", v.int_op("shl", turn, v.int_constant(top)), mask)
        results.append(v.from_bits(v.int_op("xor", value, flip)))
    return results[0], results[1], far


# angles of a single sample that share a vector; 512 bits would close a port to the scalar code around them
ABREAST = 4


def is_far(v: Any, bits: Any) -> Any:
    """In which lanes an angle is too far for the fast path."""
    return v.int_compare("uge", bits, v.int_constant(2 * _TURNS[v.double]))


def repair(v: Vector, anywhere: str, places: Sequence[tuple[str, Sequence[tuple[str, str]]]], label: str) -> None:
    """Where any angle was too far, put the exact sines and cosines in the places of those that the fast path found.

    For each angle: where it is, and where its "sin" and "cos" are.
    """
    v.do(f"br i1 {v.any(is_far(v, anywhere))}, label %{label}slow, label %{label}go", f"{label}slow:")
    for place, found in places:
        x = v.load(place)
        far = is_far(v, _quarter_turns(v, x)[1])
        for name, where in found:
            v.store(v.chosen(far, by_lanes(v, name, x), v.load(where)), where)
    v.do(f"br label %{label}go", f"{label}go:")


def sincos(v: Vector, angles: Sequence[str], label: str) -> list[tuple[str, str]]:
    """Sine and cosine of several angles; one branch leaves the fast path if any is out of range."""
    if v.lanes == 1 and len(angles) > 1:
        return _abreast(v, angles, label)
    fast = [fast_sincos(v, x) for x in angles]
    anywhere = fast[0][2]
    for one in fast[1:]:
        anywhere = v.int_op("or", anywhere, one[2])
    v.do(f"br i1 {v.any(is_far(v, anywhere))}, label %{label}slow, label %{label}fast")
    v.do(f"{label}fast:")
    v.do(f"br label %{label}go")
    v.do(f"{label}slow:")
    exact = []
    for x, (*quick, bits) in zip(angles, fast, strict=True):  # lane by lane: a far angle leaves its neighbours alone
        far = is_far(v, bits)
        exact.append(
            [v.chosen(far, by_lanes(v, name, x), near) for name, near in zip(("sin", "cos"), quick, strict=True)]
        )
    v.do(f"br label %{label}go")
    v.do(f"{label}go:")
    pairs = []
    for (*quick, _), slow in zip(fast, exact, strict=True):
        sine, cosine = (
            v.emit(f"phi {v.type} [{a}, %{label}fast], [{b}, %{label}slow]") for a, b in zip(quick, slow, strict=True)
        )
        pairs.append((sine, cosine))
    return pairs


def _abreast(v: Vector, angles: Sequence[str], label: str) -> list[tuple[str, str]]:
    """Sines and cosines of a single sample's angles, by vectors of angles."""
    w = v.widened(ABREAST)
    groups = [angles[k : k + ABREAST] for k in range(0, len(angles), ABREAST)]
    full = [w.packed([*group, *[group[-1]] * (ABREAST - len(group))]) for group in groups]
    found = sincos(w, full, label)
    return [
        (w.lane(sine, k), w.lane(cosine, k))
        for group, (sine, cosine) in zip(groups, found, strict=True)
        for k in range(len(group))
    ]


_LN2 = {True: (0.6931471805599453, 2.3190468138462996e-17), False: (0.6931471824645996, -1.9046542121259336e-09)}
_TERMS = {True: 13, False: 7}
_EXP_CLAMP = {True: (-746.0, 710.0), False: (-104.0, 89.0)}
_TANH_CLAMP = {True: 22.0, False: 10.0}  # beyond it tanh is ±1


def _reduced(v: Any, x: Any) -> tuple[Any, Any]:
    """n and e^r − 1 with x = n ln 2 + r, |r| ≤ ln 2 / 2."""
    c, magic = v.constant, v.constant(_ROUND[v.double])
    shifted = v.fma(x, c(1 / math.log(2)), magic)
    n = v.arithmetic("fsub", shifted, magic)
    r = x
    for part in _LN2[v.double]:
        r = v.fma(n, c(-part), r)
    tail = _polynomial(v, [1 / math.factorial(k) for k in range(2, _TERMS[v.double] + 1)], r)
    small = v.fma(v.arithmetic("fmul", r, r), tail, r)
    return v.int_op("sub", v.bits(shifted), v.bits(magic)), small


def _power_of_two(v: Any, n: Any) -> Any:
    bias, shift = (1023, 52) if v.double else (127, 23)
    return v.from_bits(v.int_op("shl", v.int_op("add", n, v.int_constant(bias)), v.int_constant(shift)))


def exp(v: Any, x: Any) -> Any:
    """e^x; overflows to infinity, underflows to zero, NaN stays NaN."""
    low, high = (v.constant(limit) for limit in _EXP_CLAMP[v.double])
    x = v.chosen(v.compare("ogt", x, high), high, x)
    x = v.chosen(v.compare("olt", x, low), low, x)
    n, small = _reduced(v, x)
    half = v.int_op("ashr", n, v.int_constant(1))  # two steps: 2^n itself may not be a number
    grown = v.arithmetic("fadd", small, v.constant(1.0))
    for part in (half, v.int_op("sub", n, half)):
        grown = v.arithmetic("fmul", grown, _power_of_two(v, part))
    return grown


def tanh(v: Any, x: Any) -> Any:
    """tanh x = (e^{2|x|} − 1) / (e^{2|x|} + 1) · sgn x, without cancellation near zero."""
    limit = v.constant(_TANH_CLAMP[v.double])
    size = v.intrinsic("fabs", x)
    size = v.chosen(v.compare("ogt", size, limit), limit, size)
    n, small = _reduced(v, v.arithmetic("fadd", size, size))
    power = _power_of_two(v, n)
    grown = v.fma(power, small, v.arithmetic("fsub", power, v.constant(1.0)))
    ratio = v.arithmetic("fdiv", grown, v.arithmetic("fadd", grown, v.constant(2.0)))
    return v.copysign(ratio, x)


def by_lanes(v: Vector, name: str, x: str) -> str:
    """A libm function, lane by lane."""
    function = _libm(v, name) + ("" if v.lanes == 1 else f"_v{v.lanes}")
    return v.emit(f"call {v.type} {function}({v.type} {x})")


def _libm(v: Vector, name: str) -> str:
    return f"@steiner_{name}" + ("" if v.double else "f")


def libm_functions(v: Vector, names: Sequence[str]) -> list[str]:
    """Declarations of libm functions."""
    return [f"declare {v.element} {_libm(v, name)}({v.element}) nounwind" for name in names]


def lane_functions(v: Vector, names: Sequence[str]) -> list[str]:
    """Out-of-line loops over lanes for libm functions, so that kernels stay straight."""
    text = []
    for name in names:
        w, call = v.widened(v.lanes), f"call {v.element} {_libm(v, name)}({v.element}"
        w.lines = []
        result = w.packed([w.emit(f"{call} {w.lane('%x', k)})") for k in range(v.lanes)])
        head = f"define internal {v.type} {_libm(v, name)}_v{v.lanes}({v.type} %x) noinline nounwind #0 {{"
        text += [head, *w.lines, f"ret {v.type} {result}", "}"]
    return text


def sign(v: Any, x: Any) -> Any:
    """1, −1, 0, or NaN."""
    zero = v.constant(0.0)
    negative = v.chosen(v.compare("olt", x, zero), v.constant(-1.0), x)
    return v.chosen(v.compare("ogt", x, zero), v.constant(1.0), negative)


def select(v: Any, condition: Any, positive: Any, otherwise: Any) -> Any:
    """`positive` where condition > 0, `otherwise` where ≤ 0, NaN where it is NaN."""
    zero = v.constant(0.0)
    rest = v.chosen(v.compare("ole", condition, zero), otherwise, condition)
    return v.chosen(v.compare("ogt", condition, zero), positive, rest)
