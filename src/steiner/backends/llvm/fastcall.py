"""A Python function whose fast path is native: plain float64 arrays never meet the interpreter.

One trampoline serves every kernel.  It checks type, dtype, shape and layout of its arguments and of
`out=`, takes a result that nobody holds any more or allocates one through NumPy, and calls the kernel; whatever is
unusual goes to a Python function with the same arguments.  Its code holds no addresses: those of this process are in
a context, reached through the function's `__self__`, so the code may be cached on disk.  It is made or loaded when the
first kernel is: until then the interpreter calls the context, which passes all on to the Python function.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from steiner.backends.llvm import engine
from steiner.locks import LOCK
from steiner.trace.tape import sha256

MOST_ARRAYS = 8
MOST_OUTPUTS = 4
MOST_DIMENSIONS = 4

# fields of the context, eight bytes each
FIELDS = (
    "ready", "slow", "arrays", "outputs", "single", "batch", "most_rows", "quick_rows", "kept", "spare",
    "ndarray", "float64", "new_array", "out_name", "vectorcall", "incref", "decref", "tuple_new", "tuple_set",
    "tuple_type", "save", "restore",
)  # fmt: skip
AT = {name: 8 * k for k, name in enumerate(FIELDS)}
SIZES = 8 * len(FIELDS)
SHAPE = SIZES + 8 * MOST_ARRAYS  # per output: number of dimensions, dimensions
OUTPUT_BYTES = 8 * (1 + MOST_DIMENSIONS)
CONTEXT_BYTES = SHAPE + OUTPUT_BYTES * MOST_OUTPUTS

# offsets in CPython's and NumPy's objects; `layout_is_known` checks them before they are used
OB_TYPE, DATA, NDIM, SHAPE_AT, BASE, DESCR, FLAGS, WEAK = 8, 16, 24, 32, 48, 56, 64, 72
CONTIGUOUS_ALIGNED, AND_WRITEABLE = 0x101, 0x501
METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
NPY_DOUBLE, PYARRAY_NEW = 12, 93


def trampoline() -> str:
    """The text of trampoline.ll with this interpreter's offsets."""
    from string import Template

    fields = "\n".join(
        f"  %p_{n} = getelementptr i8, ptr %ctx, i64 {AT[n]}\n  %{n} = load {_kind(n)}, ptr %p_{n}" for n in FIELDS
    )
    template = Path(__file__).with_name("trampoline.ll").read_text(encoding="utf-8")
    return Template(template).substitute(
        FIELDS=fields, MOST_ARRAYS=MOST_ARRAYS, MOST_DIMENSIONS_AND_ONE=MOST_DIMENSIONS + 1, SIZES=SIZES, SHAPE=SHAPE,
        TUPLE_ITEMS=tuple.__basicsize__, OB_TYPE=OB_TYPE, DATA=DATA, NDIM=NDIM, SHAPE_AT=SHAPE_AT, DESCR=DESCR,
        MOST_OUTPUTS=MOST_OUTPUTS, OUTPUT_BYTES=OUTPUT_BYTES, DIMENSION_BYTES=8 * MOST_DIMENSIONS,
        BASE=BASE, WEAK=WEAK, FLAGS=FLAGS, CONTIGUOUS_ALIGNED=CONTIGUOUS_ALIGNED, AND_WRITEABLE=AND_WRITEABLE,
        NPY_DOUBLE=NPY_DOUBLE,
    )  # fmt: skip


def assembled() -> str:
    """The trampoline as LLVM takes it quickest: the instructions that it made of the text before, where they hold.

    `trampoline.s` is for 64-bit x86 under Linux and says of which text it was made; elsewhere LLVM makes its own.
    """
    text = trampoline()
    made = Path(__file__).with_name("trampoline.s").read_text(encoding="utf-8")
    head, _, instructions = made.partition("\n")
    if not engine.host()[0].startswith("x86_64") or sys.platform != "linux" or not head.endswith(identity(text)):
        return text
    return "\n".join(f'module asm "{line}"' for line in instructions.splitlines())


def identity(text: str) -> str:
    """What tells a text from others."""
    return sha256(text.encode()).hexdigest()


def _kind(name: str) -> str:
    return "i64" if name in ("ready", "arrays", "outputs", "most_rows", "quick_rows") else "ptr"


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


class _Context(ctypes.c_int64 * (CONTEXT_BYTES // 8)):
    """A function's __self__: its memory is where an array's would be, and the garbage collector sees its owner."""

    owner: NativeCall

    __call__ = property(attrgetter("owner.slow"))  # what the function does without a trampoline

    def __del__(self) -> None:
        for name in ("kept", "spare"):
            held, self[AT[name] // 8] = self[AT[name] // 8], 0
            if held:
                ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(held))

    def __reduce__(self) -> Any:
        """A function is sent as the call behind it: pickle asks `__self__` for the attribute of its name."""
        return _again, (self.owner.slow, self.owner.function.__name__)


@lru_cache(maxsize=256)
def _contexts(owner: str) -> type[_Context]:
    """The class of contexts that say whose kernel it is: of a built-in function `repr` shows its self's class."""
    title, kind = "steiner kernel" + (f" for {owner}" if owner else ""), cast(Any, type(_Context))
    return kind(repr(title)[1:-1], (_Context,), {"__module__": "steiner"})


def _again(slow: Any, name: str) -> SimpleNamespace:
    """What a sent function is fetched from."""
    return SimpleNamespace(**{name: slow.callable()})


@cache
def layout_is_known() -> bool:
    """Whether objects are laid out as the trampoline believes; if not, calls stay in Python."""
    if sys.implementation.name != "cpython" or "free-threading" in sys.version or sys.maxsize < 2**32:
        return False
    probe, context = np.zeros((3, 5)), _Context()
    view, watch = probe[:2], weakref.ref(probe)

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
        and i32.from_address(id(probe)).value == sys.getrefcount(probe) - 1
        and (field(BASE, u64), u64.from_address(id(view) + BASE).value) == (0, id(probe))
        and (field(WEAK, u64), u64.from_address(id(view) + WEAK).value) == (id(watch), 0)
        and u64.from_address(id(context) + DATA).value == ctypes.addressof(context)
    )


@cache
def _loaded() -> Any:
    """The trampoline's library, made once, for functions hold it by address; who calls holds the lock."""
    key = f"trampoline-{tuple.__basicsize__}"
    return engine.Library(engine.kept(key, lambda: engine.object_code(assembled())), "call")


@cache
def _addresses() -> dict[str, int]:
    """What the trampoline needs of this process."""
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    from numpy._core import _multiarray_umath  # pyright: ignore[reportAttributeAccessIssue]

    capsule: Any = _multiarray_umath._ARRAY_API
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))

    def address(function: Any) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    return {
        "ndarray": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "new_array": table[PYARRAY_NEW] or 0,
        "out_name": id(sys.intern("out")),
        "vectorcall": address(api.PyObject_Vectorcall),
        "incref": address(api.Py_IncRef),
        "decref": address(api.Py_DecRef),
        "tuple_new": address(api.PyTuple_New),
        "tuple_set": address(api.PyTuple_SetItem),
        "tuple_type": id(tuple),
        "save": address(api.PyEval_SaveThread),
        "restore": address(api.PyEval_RestoreThread),
    }


@cache
def _definition(name: str, text: str) -> _MethodDef:
    """What a function is made from; never freed, for functions read it even while they are destroyed.

    The interpreter reads the address in it at every call.  PyObject_Vectorcall takes what the trampoline takes, and
    calls its first argument, the context.
    """
    first = _addresses()["vectorcall"]
    definition = _MethodDef(name.encode(), first, METH_FASTCALL_KEYWORDS, text.encode())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
    return definition


class NativeCall:
    """Owns the context of one native function; `function` is what users call."""

    def __init__(self, name: str, signature: str, doc: str, slow: Callable[..., Any], owner: str = "") -> None:
        self._context = _contexts(owner)()
        self._context.owner = self  # so the function owns its code
        self.slow, self._kernels = slow, ()
        for key, value in (_addresses() | {"slow": id(slow)}).items():
            self._context[AT[key] // 8] = value
        new = ctypes.pythonapi.PyCMethod_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object, ctypes.c_void_p]
        self._definition = _definition(name, f"{name}{signature}\n--\n\n{doc}")
        self.function = new(ctypes.addressof(self._definition), self._context, "steiner", None)

    def activate(self, sizes: Sequence[int], shapes: Sequence[tuple[int, ...]], single: Any, batch: Any) -> None:
        """Open the fast path: inputs of these sizes, outputs of these shapes, two kernels, each once it is loaded.

        One output is returned as an array and may be given as `out=`, several are returned, and given, as a tuple.
        """
        dimensions = max((len(shape) for shape in shapes), default=0)
        if not (1 <= len(sizes) <= MOST_ARRAYS and 1 <= len(shapes) <= MOST_OUTPUTS and dimensions <= MOST_DIMENSIONS):
            return
        with LOCK:
            if self._context[0]:  # another thread was first, and its kernels may be running
                return
            self._kernels = (single, batch)
            c = self._context
            c[AT["arrays"] // 8], c[AT["outputs"] // 8] = len(sizes), len(shapes)
            c[SIZES // 8 : SIZES // 8 + len(sizes)] = sizes
            for k, shape in enumerate(shapes):
                at = (SHAPE + k * OUTPUT_BYTES) // 8
                c[at], c[at + 1 : at + 1 + len(shape)] = len(shape), shape
            single.announce(partial(self._open, "single", batch))
            batch.announce(partial(self._open, "batch", batch))
            c[0] = 1

    def _open(self, name: str, batch: Any, address: int) -> None:
        """One of the kernels is there; who calls holds the lock."""
        c = self._context
        c[AT["most_rows"] // 8], c[AT["quick_rows"] // 8] = batch.rows_for_one_thread, batch.grain
        c[AT[name] // 8] = address
        self._definition.function = _loaded().address("call")
