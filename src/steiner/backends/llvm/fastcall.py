"""A Python function whose fast path is native: plain float64 arrays never meet the interpreter.

One trampoline serves every kernel.  It checks type, dtype, shape and layout of its arguments and of
`out=`, allocates the result through NumPy, and calls the kernel; whatever is unusual goes to a
Python function with the same arguments.  Its code holds no addresses: those of this process are in
a context, reached through the function's `__self__`, so the code may be cached on disk.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from steiner.backends.llvm import engine
from steiner.backends.llvm.cache import cached_object

MOST_ARRAYS = 8
MOST_DIMENSIONS = 4

# fields of the context, eight bytes each
FIELDS = (
    "ready", "slow", "arrays", "dimensions", "single", "batch", "row_bytes", "most_rows",
    "ndarray", "float64", "new_array", "out_name", "vectorcall", "incref",
)  # fmt: skip
AT = {name: 8 * k for k, name in enumerate(FIELDS)}
SIZES = 8 * len(FIELDS)
SHAPE = SIZES + 8 * MOST_ARRAYS
CONTEXT_BYTES = SHAPE + 8 * MOST_DIMENSIONS

# offsets in CPython's and NumPy's objects; `layout_is_known` checks them before they are used
OB_TYPE, DATA, NDIM, SHAPE_AT, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
CONTIGUOUS_ALIGNED, AND_WRITEABLE = 0x101, 0x501
METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
NPY_DOUBLE, PYARRAY_NEW = 12, 93


def _trampoline() -> str:
    items = tuple.__basicsize__  # ob_item[] starts here
    get = "\n".join(
        f"%p_{n} = getelementptr i8, ptr %ctx, i64 {AT[n]}\n%{n} = load {_kind(n)}, ptr %p_{n}" for n in FIELDS
    )
    new = f"ptr %ndarray, i32 %ndr, ptr %dim_ptr, i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null"
    return f"""
define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {{
entry:
  %ins = alloca [{MOST_ARRAYS} x ptr]
  %strides = alloca [{MOST_ARRAYS} x i64]
  %outs = alloca [1 x ptr]
  %dims = alloca [{MOST_DIMENSIONS + 1} x i64]
  %cp = getelementptr i8, ptr %self, i64 {DATA}
  %ctx = load ptr, ptr %cp
{get}
  %is_ready = icmp ne i64 %ready, 0
  %fits = icmp eq i64 %nargs, %arrays
  %plain = and i1 %is_ready, %fits
  br i1 %plain, label %keywords, label %slowly
keywords:
  %none = icmp eq ptr %names, null
  br i1 %none, label %head, label %named
named:
  %np = getelementptr i8, ptr %names, i64 16
  %nn = load i64, ptr %np
  %one = icmp eq i64 %nn, 1
  br i1 %one, label %named1, label %slowly
named1:
  %kp = getelementptr i8, ptr %names, i64 {items}
  %key = load ptr, ptr %kp
  %is_out = icmp eq ptr %key, %out_name
  %op = getelementptr ptr, ptr %args, i64 %nargs
  %given = load ptr, ptr %op
  br i1 %is_out, label %head, label %slowly
head:
  %out = phi ptr [null, %keywords], [%given, %named1]
  br label %next
next:
  %j = phi i64 [0, %head], [%j2, %accepted]
  %rows = phi i64 [-1, %head], [%rows2, %accepted]
  %ap = getelementptr ptr, ptr %args, i64 %j
  %a = load ptr, ptr %ap
  %ok = call i1 @is_array(ptr %a, ptr %ndarray, ptr %float64, i32 {CONTIGUOUS_ALIGNED})
  br i1 %ok, label %shape, label %slowly
shape:
  %ndp = getelementptr i8, ptr %a, i64 {NDIM}
  %nd = load i32, ptr %ndp
  %nd1 = icmp eq i32 %nd, 1
  %nd2 = icmp eq i32 %nd, 2
  %few = or i1 %nd1, %nd2
  br i1 %few, label %lengths, label %slowly
lengths:
  %shp = getelementptr i8, ptr %a, i64 {SHAPE_AT}
  %sh = load ptr, ptr %shp
  %first = load i64, ptr %sh
  %last_at = select i1 %nd1, i64 0, i64 1
  %lp = getelementptr i64, ptr %sh, i64 %last_at
  %last = load i64, ptr %lp
  %szo = mul i64 %j, 8
  %szo2 = add i64 %szo, {SIZES}
  %szp = getelementptr i8, ptr %ctx, i64 %szo2
  %size = load i64, ptr %szp
  %long = icmp eq i64 %last, %size
  %same = icmp eq i64 %first, %rows
  %unset = icmp slt i64 %rows, 0
  %r1 = or i1 %same, %unset
  %r2 = or i1 %r1, %nd1
  %good = and i1 %long, %r2
  br i1 %good, label %accepted, label %slowly
accepted:
  %rows2 = select i1 %nd1, i64 %rows, i64 %first
  %dp = getelementptr i8, ptr %a, i64 {DATA}
  %data = load ptr, ptr %dp
  %ip = getelementptr ptr, ptr %ins, i64 %j
  store ptr %data, ptr %ip
  %wide = mul i64 %size, 8
  %stride = select i1 %nd1, i64 0, i64 %wide
  %sp = getelementptr i64, ptr %strides, i64 %j
  store i64 %stride, ptr %sp
  %j2 = add i64 %j, 1
  %more = icmp slt i64 %j2, %arrays
  br i1 %more, label %next, label %ready_args
ready_args:
  %is_single = icmp slt i64 %rows2, 0
  %count = select i1 %is_single, i64 1, i64 %rows2
  %b1 = icmp sge i64 %count, 1
  %b2 = icmp sle i64 %count, %most_rows
  %b3 = and i1 %b1, %b2
  br i1 %b3, label %result, label %slowly
result:
  store i64 %count, ptr %dims
  %d1 = getelementptr i64, ptr %dims, i64 1
  %shape_at = getelementptr i8, ptr %ctx, i64 {SHAPE}
  %nb = mul i64 %dimensions, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %d1, ptr %shape_at, i64 %nb, i1 0)
  %dim_ptr = select i1 %is_single, ptr %d1, ptr %dims
  %extra = select i1 %is_single, i64 0, i64 1
  %ndr64 = add i64 %dimensions, %extra
  %ndr = trunc i64 %ndr64 to i32
  %is_new = icmp eq ptr %out, null
  br i1 %is_new, label %fresh, label %check_out
fresh:
  %made = call ptr %new_array({new})
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %fail, label %compute
fail:
  ret ptr null
check_out:
  %ok_out = call i1 @is_array(ptr %out, ptr %ndarray, ptr %float64, i32 {AND_WRITEABLE})
  br i1 %ok_out, label %out_shape, label %slowly
out_shape:
  %ondp = getelementptr i8, ptr %out, i64 {NDIM}
  %ond = load i32, ptr %ondp
  %nd_ok = icmp eq i32 %ond, %ndr
  %oshp = getelementptr i8, ptr %out, i64 {SHAPE_AT}
  %osh = load ptr, ptr %oshp
  %odp = getelementptr i8, ptr %out, i64 {DATA}
  %od = load ptr, ptr %odp
  %olo = ptrtoint ptr %od to i64
  %olen = mul i64 %row_bytes, %count
  %ohi = add i64 %olo, %olen
  br i1 %nd_ok, label %dim, label %slowly
dim:
  %k = phi i64 [0, %out_shape], [%k2, %dim_ok]
  %at_end = icmp sge i64 %k, %ndr64
  br i1 %at_end, label %overlap, label %dim_check
dim_check:
  %dka = getelementptr i64, ptr %osh, i64 %k
  %dk = load i64, ptr %dka
  %wka = getelementptr i64, ptr %dim_ptr, i64 %k
  %wk = load i64, ptr %wka
  %dim_same = icmp eq i64 %dk, %wk
  br i1 %dim_same, label %dim_ok, label %slowly
dim_ok:
  %k2 = add i64 %k, 1
  br label %dim
overlap:
  %m = phi i64 [0, %dim], [%m2, %apart]
  %mip = getelementptr ptr, ptr %ins, i64 %m
  %mi = load ptr, ptr %mip
  %mlo = ptrtoint ptr %mi to i64
  %mso = mul i64 %m, 8
  %mso2 = add i64 %mso, {SIZES}
  %msp = getelementptr i8, ptr %ctx, i64 %mso2
  %ms = load i64, ptr %msp
  %mb = mul i64 %ms, 8
  %mlen = mul i64 %mb, %count
  %mhi = add i64 %mlo, %mlen
  %before = icmp ule i64 %mhi, %olo
  %after = icmp uge i64 %mlo, %ohi
  %clear = or i1 %before, %after
  br i1 %clear, label %apart, label %slowly
apart:
  %m2 = add i64 %m, 1
  %mmore = icmp slt i64 %m2, %arrays
  br i1 %mmore, label %overlap, label %take_out
take_out:
  call void %incref(ptr %out)
  br label %compute
compute:
  %result_object = phi ptr [%made, %fresh], [%out, %take_out]
  %rdp = getelementptr i8, ptr %result_object, i64 {DATA}
  %rd = load ptr, ptr %rdp
  store ptr %rd, ptr %outs
  %kernel = select i1 %is_single, ptr %single, ptr %batch
  call void %kernel(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %count, i64 0)
  ret ptr %result_object
slowly:
  %answer = call ptr %vectorcall(ptr %slow, ptr %args, i64 %nargs, ptr %names)
  ret ptr %answer
}}
define internal i1 @is_array(ptr %a, ptr %ndarray, ptr %float64, i32 %wanted) nounwind alwaysinline {{
  %tp = getelementptr i8, ptr %a, i64 {OB_TYPE}
  %t = load ptr, ptr %tp
  %is = icmp eq ptr %t, %ndarray
  br i1 %is, label %array, label %no
array:
  %dp = getelementptr i8, ptr %a, i64 {DESCR}
  %d = load ptr, ptr %dp
  %f64 = icmp eq ptr %d, %float64
  %fp = getelementptr i8, ptr %a, i64 {FLAGS}
  %f = load i32, ptr %fp
  %set = and i32 %f, %wanted
  %all = icmp eq i32 %set, %wanted
  %ok = and i1 %f64, %all
  ret i1 %ok
no:
  ret i1 false
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def _kind(name: str) -> str:
    return "i64" if name in ("ready", "arrays", "dimensions", "row_bytes", "most_rows") else "ptr"


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


@cache
def layout_is_known() -> bool:
    """Whether objects are laid out as the trampoline believes; if not, calls stay in Python."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize < 2**32:
        return False
    probe = np.zeros((3, 5))

    def field(offset: int, kind: Any) -> int:
        return kind.from_address(id(probe) + offset).value

    u64, i32 = ctypes.c_uint64, ctypes.c_int32
    shape = field(SHAPE_AT, u64)
    return (
        field(OB_TYPE, u64) == id(np.ndarray)
        and field(DATA, u64) == probe.ctypes.data
        and field(NDIM, i32) == 2
        and field(DESCR, u64) == id(np.dtype(np.float64))
        and field(FLAGS, i32) & AND_WRITEABLE == AND_WRITEABLE
        and ctypes.c_int64.from_address(shape).value == 3
    )


@cache
def _shared() -> tuple[Any, dict[str, int]]:
    """The trampoline's library and the addresses of this process."""
    key = f"trampoline-{tuple.__basicsize__}"
    library = engine.Library(cached_object(key, lambda: engine.object_code(_trampoline())))
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))

    def address(function: Any) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    return library, {
        "ndarray": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "new_array": table[PYARRAY_NEW] or 0,
        "out_name": id(sys.intern("out")),
        "vectorcall": address(api.PyObject_Vectorcall),
        "incref": address(api.Py_IncRef),
    }


class NativeCall:
    """Owns the context of one native function; `function` is what users call."""

    def __init__(self, name: str, signature: str, doc: str, slow: Callable[..., Any]) -> None:
        library, addresses = _shared()
        self._context = np.zeros(CONTEXT_BYTES // 8, dtype=np.int64)
        self._slow, self._kernels = slow, ()
        for key, value in (addresses | {"slow": id(slow)}).items():
            self._context[AT[key] // 8] = value
        self._definition = _MethodDef(
            name.encode(), library.address("call"), METH_FASTCALL_KEYWORDS, f"{name}{signature}\n--\n\n{doc}".encode()
        )
        new = ctypes.pythonapi.PyCMethod_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object, ctypes.c_void_p]
        # the array is the function's __self__, this object is the array's base: the function owns its code
        self.function = new(ctypes.addressof(self._definition), np.asarray(_Holder(self)), "steiner", None)

    def activate(self, sizes: Sequence[int], shape: tuple[int, ...], single: Any, batch: Any) -> None:
        """Open the fast path: inputs of these sizes, one output of this shape, two loaded kernels."""
        if not 1 <= len(sizes) <= MOST_ARRAYS or len(shape) > MOST_DIMENSIONS:
            return
        self._kernels = (single, batch)
        c = self._context
        c[AT["arrays"] // 8], c[AT["dimensions"] // 8] = len(sizes), len(shape)
        c[AT["single"] // 8], c[AT["batch"] // 8] = single.address, batch.address
        c[AT["row_bytes"] // 8] = 8 * int(np.prod(shape))
        c[AT["most_rows"] // 8] = batch.rows_for_one_thread
        c[SIZES // 8 : SIZES // 8 + len(sizes)] = sizes
        c[SHAPE // 8 : SHAPE // 8 + len(shape)] = shape
        c[0] = 1


class _Holder:
    """Lends a context to NumPy, so that an array keeps it alive."""

    def __init__(self, owner: NativeCall) -> None:
        self.owner = owner
        self.__array_interface__ = owner._context.__array_interface__
