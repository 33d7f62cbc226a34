"""A kernel applied to its own results: many steps per block of rows, the state in the nearest cache.

Its first arrays are the state, which it also gives; what else it reads stays, or has an array for every step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

from steiner.backends.llvm import engine
from steiner.backends.llvm.driver import Text
from steiner.locks import LOCK

ROWS = 32  # of a block: a few vectors, and their state in the first-level cache

# steps(kernel, table, lo, hi, count, every): rows lo … hi−1, `count` steps, the state kept after each `every` of them.
# The table holds, eight bytes each: per array of the state its place and that of what is kept (0: nothing);
# per other array its place, the bytes to its next row and to its next step; the number of rows.
PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 4)


class _Text(Text):
    def field(self, index: int, kind: str = "ptr") -> str:
        return self.emit(f"load {kind}, ptr {self.emit(f'getelementptr i64, ptr %table, i64 {index}')}")

    def at(self, base: str, offset: str) -> str:
        return self.emit(f"getelementptr i8, ptr {base}, i64 {offset}")

    def times(self, a: str, b: Any) -> str:
        return self.emit(f"mul i64 {a}, {b}")

    def put(self, value: str, where: str, index: int, kind: str = "ptr") -> None:
        self.do(f"store {kind} {value}, ptr {self.emit(f'getelementptr i64, ptr {where}, i64 {index}')}")

    def copy(self, to: str, origin: str, length: str) -> None:
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {origin}, i64 {length}, i1 0)")


def source(widths: Sequence[int], others: int) -> str:
    """LLVM text of the loop for a state of arrays with rows of so many bytes, and so many other arrays."""
    t, states = _Text(), len(widths)
    arrays, places, size = states + others, [], 0
    for _ in range(2):  # what is read and what is written take turns
        for width in widths:
            places.append(size)
            size += -(-width * ROWS // 64) * 64
    t.do(
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)", "declare ptr @malloc(i64)", "declare void @free(ptr)",
        "define void @steps(ptr %kernel, ptr %table, i64 %lo, i64 %hi, i64 %count, i64 %every) nounwind {", "entry:",
        f"%ins = alloca [{arrays} x i64]", f"%strides = alloca [{arrays} x i64]", f"%outs = alloca [{states} x i64]",
        f"%raw = call ptr @malloc(i64 {size + 64})", "%number = ptrtoint ptr %raw to i64", "%up = add i64 %number, 63",
        "%aligned = and i64 %up, -64", "%S = inttoptr i64 %aligned to ptr",
    )  # fmt: skip
    rows = t.field(2 * states + 3 * others, "i64")
    for k, width in enumerate(widths):
        t.put(str(width), "%strides", k, "i64")
    for j in range(others):
        t.put(t.field(2 * states + 3 * j + 1, "i64"), "%strides", states + j, "i64")
    t.do(
        "br label %blocks", "blocks:", "%i = phi i64 [%lo, %entry], [%i2, %after]", "%left = sub i64 %hi, %i",
        f"%whole = icmp slt i64 %left, {ROWS}", f"%r = select i1 %whole, i64 %left, i64 {ROWS}",
    )  # fmt: skip
    for k, width in enumerate(widths):
        t.copy(t.at("%S", str(places[k])), t.at(t.field(2 * k), t.times("%i", width)), t.times("%r", width))
    t.do("br label %step", "step:", "%k = phi i64 [0, %blocks], [%k2, %stepped]", "%odd = and i64 %k, 1")
    flip = t.times("%odd", places[states])
    unflip = t.emit(f"sub i64 {places[states]}, {flip}")
    for k in range(states):
        t.put(t.at("%S", t.emit(f"add i64 {flip}, {places[k]}")), "%ins", k)
        t.put(t.at("%S", t.emit(f"add i64 {unflip}, {places[k]}")), "%outs", k)
    for j in range(others):
        first = 2 * states + 3 * j
        place = t.at(t.field(first), t.times("%i", t.field(first + 1, "i64")))
        t.put(t.at(place, t.times("%k", t.field(first + 2, "i64"))), "%ins", states + j)
    t.do(
        "call void %kernel(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %r, i64 0)", "%k2 = add i64 %k, 1",
        "%rest = urem i64 %k2, %every", "%keeps = icmp eq i64 %rest, 0", "br i1 %keeps, label %keep, label %stepped",
        "keep:", "%past = udiv i64 %k, %every",
    )  # fmt: skip
    first_row = t.emit(f"add i64 {t.times('%past', rows)}, %i")
    for k, width in enumerate(widths):
        log = t.field(2 * k + 1)
        t.do(f"%some{k} = icmp ne ptr {log}, null", f"br i1 %some{k}, label %log{k}, label %logged{k}", f"log{k}:")
        origin = t.at("%S", t.emit(f"add i64 {unflip}, {places[k]}"))
        t.copy(t.at(log, t.times(first_row, width)), origin, t.times("%r", width))
        t.do(f"br label %logged{k}", f"logged{k}:")
    t.do(
        "br label %stepped", "stepped:", "%more = icmp slt i64 %k2, %count", "br i1 %more, label %step, label %after",
        "after:",
    )  # fmt: skip
    for k, width in enumerate(widths):
        origin = t.at("%S", t.emit(f"add i64 {unflip}, {places[k]}"))
        t.copy(t.at(t.field(2 * k), t.times("%i", width)), origin, t.times("%r", width))
    t.do(
        "%i2 = add i64 %i, %r", "%again = icmp slt i64 %i2, %hi", "br i1 %again, label %blocks, label %out",
        "out:", "call void @free(ptr %raw)", "ret void", "}",
    )  # fmt: skip
    return "\n".join(t.lines)


def loop(widths: Sequence[int], others: int) -> Any:
    """The loop, loaded."""
    with LOCK:
        return _loaded(tuple(widths), others)[1]


@cache
def _loaded(widths: tuple[int, ...], others: int) -> tuple[Any, Any]:
    key = f"steps-{'-'.join(map(str, widths))}-{others}"
    library = engine.Library(engine.kept(key, lambda: engine.object_code(source(widths, others))), "steps")
    return library, PROTOTYPE(library.address("steps"))
