"""The driver: walks a kernel's unit over a range of rows, with a tail that never leaves the batch."""

from __future__ import annotations

import numpy as np

from steiner.backends.llvm.code import LINE, Module
from steiner.backends.llvm.vector import group_starts

PAGE = 4096  # bytes
SIGNATURE = "ptr %ins, ptr %strides, ptr %outs, i64 %lo, i64 %hi, i64 %stream"


class Text:
    """Lines of a function that grows; values are %v1, %v2, …"""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def emit(self, text: str) -> str:
        """A line that makes a value, and the value's name."""
        self._count += 1
        self.lines.append(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def do(self, *texts: str) -> None:
        """Lines that make no value."""
        self.lines += texts


def driver(m: Module) -> list[str]:
    """`prefix`(ins, strides, outs, lo, hi, stream): rows lo … hi−1 of a batch.

    Outputs are rows without gaps.  With `stream` they are computed in a small buffer and written past
    the caches.  While a unit computes, the rows of the next one are fetched.  The last rows, which do not fill
    a block, are computed on copies, padded with a real row.
    """
    t = Text()
    item, W = m.dtype.itemsize, m.lanes
    sizes_in = [size for _name, size in m.tape.inputs]
    sizes_out = [output.size for output in m.tape.outputs]
    rows = m.blocks * W
    t.do(f"define void @{m.prefix}({SIGNATURE}) nounwind #0 {{", "entry:")
    if W == 1:
        return [*t.lines, *_single(m)]
    raw, S, buffers = _memory(t, m, sizes_in, sizes_out)
    t.do(
        f"%cur_ins = alloca [{max(len(sizes_in), 1)} x ptr]", f"%cur_outs = alloca [{max(len(sizes_out), 1)} x ptr]",
        f"%own = alloca [{max(len(sizes_in), 1)} x i64]",
        f"%next_rows = alloca [{len(sizes_in) + len(sizes_out)} x ptr]",
        "%streams = icmp ne i64 %stream, 0", "br label %head",
        "head:", "%i = phi i64 [%lo, %entry], [%i2, %next]", "%left = sub i64 %hi, %i",
        f"%whole = sdiv i64 %left, {W}", f"%few = icmp slt i64 %whole, {m.blocks}",
        f"%nb = select i1 %few, i64 %whole, i64 {m.blocks}", "%any = icmp sgt i64 %nb, 0",
        "br i1 %any, label %body, label %tail", "body:",
        f"%further = icmp sgt i64 %left, {rows}",
    )  # fmt: skip
    streamed = [k for k, size in enumerate(sizes_out) if size * W * item >= LINE]  # by whole lines
    targets = _point(t, m, sizes_in, sizes_out, {k: buffers["out", k] for k in streamed})
    t.do(f"call void @{m.prefix}_unit(ptr %cur_ins, ptr %strides, ptr %cur_outs, ptr {S}, i64 %nb, ptr %next_rows)")
    t.do("br i1 %streams, label %flush, label %next", "flush:", "%first = icmp eq i64 %i, %lo")
    for k in streamed:
        length = t.emit(f"mul i64 %nb, {W * sizes_out[k] * item}")
        arguments = f"ptr {targets[k]}, ptr {buffers['out', k]}, ptr @{m.prefix}_pages{k}, i64 {length}, i1 %first"
        t.do(f"call void @stream({arguments})")
    t.do("br label %next", "next:", f"%done_rows = mul i64 %nb, {W}", "%i2 = add i64 %i, %done_rows", "br label %head")
    t.do(
        "tail:", "%begun = icmp ne i64 %i, %lo", "%waits = and i1 %begun, %streams",
        "br i1 %waits, label %last_lines, label %few_rows", "last_lines:",
    )  # fmt: skip
    for k in streamed:
        base = t.emit(f"load ptr, ptr {_at(t, '%outs', k)}")
        end = t.emit(f"getelementptr i8, ptr {base}, i64 {t.emit(f'mul i64 %i, {sizes_out[k] * item}')}")
        t.do(f"call void @stream_end(ptr {end}, ptr {buffers['out', k]}, ptr @{m.prefix}_pages{k})")
    t.do("br label %few_rows", "few_rows:")
    _tail(t, m, sizes_in, sizes_out, buffers, S)
    t.do("br label %out", "out:", f"call void @free(ptr {raw})", "call void @stream_done()", "ret void", "}")
    for k in streamed:
        numbers = ", ".join(f"i64 {at}" for at in lines_in_page(sizes_out[k], rows, item))
        t.do(f"@{m.prefix}_pages{k} = internal constant [{LINE} x i64] [{numbers}]")
    return t.lines


def _memory(t: Text, m: Module, sizes_in: list[int], sizes_out: list[int]) -> tuple[str, str, dict]:
    """What is to be freed, the places of waiting values, and buffers: of inputs for a block, of outputs for a unit."""
    item, total, places = m.dtype.itemsize, m.scratch, {}
    for name, sizes, count in (("in", sizes_in, m.lanes), ("out", sizes_out, m.blocks * m.lanes)):
        for k, size in enumerate(sizes):
            total = -(-total // PAGE) * PAGE if name == "out" else -(-total // LINE) * LINE
            places[name, k] = total
            total += size * count * item + (PAGE + LINE) * (name == "out")  # to shift by, and a line that waits
    raw = t.emit(f"call ptr @malloc(i64 {total + PAGE})")
    address = t.emit(f"ptrtoint ptr {raw} to i64")
    aligned = t.emit(f"and i64 {t.emit(f'add i64 {address}, {PAGE - 1}')}, -{PAGE}")
    S = t.emit(f"inttoptr i64 {aligned} to ptr")
    return raw, S, {key: t.emit(f"getelementptr i8, ptr {S}, i64 {at}") for key, at in places.items()}


def lines_in_page(size: int, rows: int, item: int) -> list[int]:
    """By the place of a first row within its line: the line of a page from which fewest stores straddle two pages."""
    stores = np.add.outer(size * np.arange(rows), group_starts(size)).ravel() * item
    there = np.bincount(stores % PAGE, minlength=PAGE)
    starts, stored = np.arange(PAGE).reshape(-1, LINE), (4 if size >= 4 else 1) * item
    straddling = sum(there[(-begun - starts) % PAGE] for begun in range(1, stored))
    return [LINE * int(k) for k in np.argmin(straddling, axis=0)]


def _single(m: Module) -> list[str]:
    """The driver of scalar code: one row, no tail."""
    call = f"call void @{m.prefix}_unit(ptr %ins, ptr %strides, ptr %outs, ptr %S, i64 1, ptr null)"
    if m.scratch == 0:
        return [call.replace("%S", "null"), "ret void", "}"]
    return [f"%S = call ptr @malloc(i64 {m.scratch})", call, "call void @free(ptr %S)", "ret void", "}"]


def _point(t: Text, m: Module, sizes_in: list[int], sizes_out: list[int], buffers: dict) -> list[str]:
    """Aim the unit at row i; returns where the outputs' rows belong."""
    for k in range(len(sizes_in)):
        base = t.emit(f"load ptr, ptr {_at(t, '%ins', k)}")
        stride = t.emit(f"load i64, ptr {_at(t, '%strides', k, 'i64')}")
        row = t.emit(f"getelementptr i8, ptr {base}, i64 {t.emit(f'mul i64 %i, {stride}')}")
        t.do(f"store ptr {row}, ptr {_at(t, '%cur_ins', k)}")
        after = t.emit(f"getelementptr i8, ptr {row}, i64 {t.emit(f'mul i64 {m.blocks * m.lanes}, {stride}')}")
        t.do(f"store ptr {t.emit(f'select i1 %further, ptr {after}, ptr {row}')}, ptr {_at(t, '%next_rows', k)}")
    targets = []
    for k, size in enumerate(sizes_out):
        base = t.emit(f"load ptr, ptr {_at(t, '%outs', k)}")
        offset = t.emit(f"mul i64 %i, {size * m.dtype.itemsize}")
        targets.append(t.emit(f"getelementptr i8, ptr {base}, i64 {offset}"))
        chosen, step = targets[k], str(m.blocks * m.lanes * size * m.dtype.itemsize)
        if k in buffers:
            shifted = t.emit(f"call ptr @stream_place(ptr {buffers[k]}, ptr @{m.prefix}_pages{k}, ptr {chosen})")
            chosen = t.emit(f"select i1 %streams, ptr {shifted}, ptr {chosen}")
            step = t.emit(f"select i1 %streams, i64 0, i64 {step}")
        t.do(f"store ptr {chosen}, ptr {_at(t, '%cur_outs', k)}")
        after = t.emit(f"getelementptr i8, ptr {chosen}, i64 {t.emit(f'select i1 %further, i64 {step}, i64 0')}")
        t.do(f"store ptr {after}, ptr {_at(t, '%next_rows', len(sizes_in) + k)}")
    return targets


def _at(t: Text, table: str, index: int, kind: str = "ptr") -> str:
    return t.emit(f"getelementptr {kind}, ptr {table}, i64 {index}")


def _tail(t: Text, m: Module, sizes_in: list[int], sizes_out: list[int], buffers: dict, S: str) -> None:
    item = m.dtype.itemsize
    t.do("%rest = icmp sgt i64 %left, 0", "br i1 %rest, label %copy, label %out", "copy:")
    t.do("%last = sub i64 %left, 1")
    for k, size in enumerate(sizes_in):
        base = t.emit(f"load ptr, ptr {_at(t, '%ins', k)}")
        stride = t.emit(f"load i64, ptr {_at(t, '%strides', k, 'i64')}")
        for r in range(m.lanes):  # lanes past the end repeat the last row: a real state raises no flags
            inside = t.emit(f"icmp slt i64 {r}, %left")
            row = t.emit(f"add i64 %i, {t.emit(f'select i1 {inside}, i64 {r}, i64 %last')}")
            source = t.emit(f"getelementptr i8, ptr {base}, i64 {t.emit(f'mul i64 {row}, {stride}')}")
            target = t.emit(f"getelementptr i8, ptr {buffers['in', k]}, i64 {r * size * item}")
            t.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size * item}, i1 0)")
        t.do(f"store ptr {buffers['in', k]}, ptr {_at(t, '%cur_ins', k)}")
        t.do(f"store i64 {size * item}, ptr {_at(t, '%own', k, 'i64')}")
    for k in range(len(sizes_out)):
        t.do(f"store ptr {buffers['out', k]}, ptr {_at(t, '%cur_outs', k)}")
    for k in range(len(sizes_in) + len(sizes_out)):  # nothing comes
        t.do(f"store ptr {S}, ptr {_at(t, '%next_rows', k)}")
    t.do(f"call void @{m.prefix}_unit(ptr %cur_ins, ptr %own, ptr %cur_outs, ptr {S}, i64 1, ptr %next_rows)")
    for k, size in enumerate(sizes_out):
        base = t.emit(f"load ptr, ptr {_at(t, '%outs', k)}")
        target = t.emit(f"getelementptr i8, ptr {base}, i64 {t.emit(f'mul i64 %i, {size * item}')}")
        length = t.emit(f"mul i64 %left, {size * item}")
        t.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {buffers['out', k]}, i64 {length}, i1 0)")


# Bytes that go past the caches wait in a buffer, as far from the start of a line as where they go, in that line of a
# page from which no store straddles two pages: such a store takes long, and what reads it waits.  `stream` writes n of
# them in whole lines.  The line that they end in stays, for those that follow to fill it, or for `stream_end`; a line
# that the first bytes share with others is written as usual.
_STREAM = (
    "define internal ptr @stream_place(ptr %buffer, ptr %places, ptr %to) alwaysinline nounwind {",
    "%a = ptrtoint ptr %to to i64", "%shift = and i64 %a, 63", "%chosen = getelementptr i64, ptr %places, i64 %shift",
    "%line = load i64, ptr %chosen", "%far = add i64 %line, %shift", "%at = getelementptr i8, ptr %buffer, i64 %far",
    "ret ptr %at", "}",
    "define internal ptr @stream_line(ptr %byte) alwaysinline nounwind {",
    "%a = ptrtoint ptr %byte to i64", "%n = and i64 %a, 63", "%back = sub i64 0, %n",
    "%line = getelementptr i8, ptr %byte, i64 %back", "ret ptr %line", "}",
    "define internal void @stream(ptr noalias %to, ptr %buffer, ptr %places, i64 %n, i1 %first) noinline nounwind #0 {",
    "entry:", "%a = ptrtoint ptr %to to i64", "%shift = and i64 %a, 63", "%some = icmp ne i64 %shift, 0",
    "%cut = and i1 %some, %first", "%skipped = select i1 %cut, i64 64, i64 0", "%all = add i64 %shift, %n",
    "%whole = and i64 %all, -64", "%line0 = call ptr @stream_line(ptr %to)",
    "%start = call ptr @stream_place(ptr %buffer, ptr %places, ptr %to)", "%from = call ptr @stream_line(ptr %start)",
    "br i1 %cut, label %head, label %lines",
    "head:", "%length = sub i64 64, %shift",
    "call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %start, i64 %length, i1 0)", "br label %lines",
    "lines:", "%i = phi i64 [%skipped, %entry], [%skipped, %head], [%j, %line]",
    "%more = icmp slt i64 %i, %whole", "br i1 %more, label %line, label %rest",
    "line:", "%p = getelementptr i8, ptr %from, i64 %i", "%q = getelementptr i8, ptr %line0, i64 %i",
    "%x = load <8 x i64>, ptr %p, align 64", "store <8 x i64> %x, ptr %q, align 64, !nontemporal !0",
    "%j = add i64 %i, 64", "br label %lines",
    "rest:", "%r = getelementptr i8, ptr %from, i64 %whole", "%y = load <8 x i64>, ptr %r, align 64",
    "%after = getelementptr i8, ptr %to, i64 %n",
    "%behind = call ptr @stream_place(ptr %buffer, ptr %places, ptr %after)",
    "%next = call ptr @stream_line(ptr %behind)",
    "store <8 x i64> %y, ptr %next, align 64", "ret void", "}",
    "define internal void @stream_end(ptr %end, ptr %buffer, ptr %places) noinline nounwind {",
    "%to = call ptr @stream_line(ptr %end)", "%e = ptrtoint ptr %end to i64", "%n = and i64 %e, 63",
    "%behind = call ptr @stream_place(ptr %buffer, ptr %places, ptr %end)",
    "%from = call ptr @stream_line(ptr %behind)",
    "call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 0)", "ret void", "}",
)  # fmt: skip


def support(x86: bool) -> list[str]:
    """What every driver needs: memory, fetching ahead, and copies that bypass the caches."""
    fence = ["call void @llvm.x86.sse.sfence()"] if x86 else []
    return [
        "declare ptr @malloc(i64)", "declare void @free(ptr)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        *(["declare void @llvm.x86.sse.sfence()"] if x86 else []),
        "define internal void @stream_done() nounwind {", *fence, "ret void", "}",
        *_STREAM,
        "!0 = !{i32 1}",
    ]  # fmt: skip
