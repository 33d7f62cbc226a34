"""The native backend: elementary functions, segments, threads, native functions."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from steiner import scalar
from steiner.backends import buffers, compile_tape, reference
from steiner.errors import ArgumentError
from steiner.trace import Op, operand_rows, referred, trace

engine = pytest.importorskip("steiner.backends.llvm.engine")
import steiner as st  # noqa: E402
from steiner.backends import llvm, pool  # noqa: E402
from steiner.backends.llvm import fastcall, fuse, schedule  # noqa: E402
from steiner.backends.llvm.code import Module  # noqa: E402
from steiner.backends.llvm.driver import lines_in_page  # noqa: E402
from steiner.backends.llvm.elementary import SINCOS_RANGE  # noqa: E402
from steiner.backends.llvm.vector import group_starts  # noqa: E402


def column(kernel, x, dtype=np.float64, outputs=1):
    out = np.zeros((len(x), outputs), dtype)
    kernel([np.asarray(x, dtype).reshape(-1, 1)], [out], len(x))
    return out


def sincos_kernel(dtype=np.float64):
    tape = trace(lambda x: [np.array([scalar.sin(x[0]), scalar.cos(x[0])])], [("x", 1)])
    return compile_tape(tape, backend="llvm", dtype=dtype, threads=1)


def ulps(found, exact_values, dtype):
    """Distance in units of the last place of the exact value."""
    with mpmath.workprec(200):
        result = []
        for a, e in zip(found, exact_values, strict=True):
            unit = mpmath.mpf(float(np.spacing(np.abs(dtype(float(e))) or np.finfo(dtype).tiny)))
            result.append(float(abs(mpmath.mpf(float(a)) - e) / unit))
    return max(result)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sine_and_cosine_are_within_two_ulp_in_their_range(dtype):
    rng = np.random.default_rng(3)
    limit = SINCOS_RANGE[dtype is np.float64]
    near = np.round(10 ** rng.uniform(0, np.log10(limit / 1.6), 400)) * (np.pi / 2)  # where reduction cancels most
    x = np.concatenate([rng.uniform(-10, 10, 400), 10 ** rng.uniform(-9, np.log10(limit), 400), near, [0.0, -0.0]])
    x = x.astype(dtype)
    out = column(sincos_kernel(dtype), x, dtype, 2)
    with mpmath.workprec(200):
        exact = [mpmath.sin(mpmath.mpf(float(v))) for v in x], [mpmath.cos(mpmath.mpf(float(v))) for v in x]
    assert ulps(out[:, 0], exact[0], dtype) <= 2
    assert ulps(out[:, 1], exact[1], dtype) <= 2


def test_angles_beyond_the_range_take_the_exact_route():
    edge = 2**26 * np.pi / 2  # where the fast path ends, to the last bit, on both sides of zero
    close = np.array([s * np.nextafter(edge + d, e) for s in (-1, 1) for d in (-1, 0, 1) for e in (0, 2 * edge)])
    x = np.array([1e9, -3e15, 1e22, 1e300, 5.0, 1e8, *close])
    out = column(sincos_kernel(), x, outputs=2)
    np.testing.assert_allclose(out[:, 0], np.sin(x), rtol=4e-16, atol=0)
    np.testing.assert_allclose(out[:, 1], np.cos(x), rtol=4e-16, atol=0)
    bad = column(sincos_kernel(), np.array([np.inf, np.nan, 1.0]), outputs=2)
    assert np.isnan(bad[:2]).all()
    assert bad[2, 0] == pytest.approx(np.sin(1.0), rel=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["exp", "tanh"])
def test_exp_and_tanh_are_within_three_ulp(name, dtype):
    rng = np.random.default_rng(4)
    top = 700 if dtype is np.float64 else 85
    x = np.concatenate([rng.uniform(-3, 3, 500), rng.uniform(-top, top, 300), 10 ** rng.uniform(-9, 0, 300), [0.0]])
    x = np.concatenate([x, -x]).astype(dtype)
    tape = trace(lambda x: [np.array([getattr(scalar, name)(x[0])])], [("x", 1)])
    kernel = compile_tape(tape, backend="llvm", dtype=dtype, threads=1)
    with mpmath.workprec(200):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(v))) for v in x]
    assert ulps(column(kernel, x, dtype)[:, 0], exact, dtype) <= 3
    edge = np.array([np.inf, -np.inf, np.nan, 1e4, -1e4, 0.0], dtype)
    border = np.array([709.7, 709.9, -744.0, -746.0, -708.5])
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_array_equal(column(kernel, edge, dtype)[:, 0], getattr(np, name)(edge))
        if name == "exp" and dtype is np.float64:
            np.testing.assert_allclose(column(kernel, border)[:, 0], np.exp(border), rtol=1e-15, atol=1e-323)


def long_tape():
    """A tape long enough to be cut into segments, with values that live through many of them."""

    def work(x):
        values = list(x)
        for k in range(1500):
            a, b = values[k % 7], values[-1 - (k * 5) % min(len(values), 60)]
            values.append(scalar.sin(a) * b + values[k] * 0.25 if k % 50 == 0 else (a - b) * 0.5 + values[-1] * 0.3)
        return [np.array(values[-20:]), np.array(values[600]), np.array(values[-3:]).reshape(3, 1)]

    return trace(work, [("x", 7)])


def test_a_segmented_kernel_equals_the_reference():
    tape = long_tape()
    assert len(schedule.segments(tape)) > 3
    rng = np.random.default_rng(0)
    for count in (1, 7, 8, 9, 31, 32, 33, 64, 100):
        x = rng.normal(size=(count, 7))
        shapes = [(count, o.size) for o in tape.outputs]
        mine, other = [np.full(s, 7.0) for s in shapes], [np.zeros(s) for s in shapes]
        compile_tape(tape, backend="llvm", threads=1)([x], mine, count)
        reference.evaluate(tape, [x], other, count)
        for a, b in zip(mine, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("late", [False, True])
def test_every_row_is_computed_once_and_after_what_it_needs(late):
    """Also inputs and sines that nothing needs but the result; late, each is made no sooner than it is needed."""

    def work(x):
        values = [x[k] * 2.0 + scalar.cos(x[k]) for k in range(40)]
        for k in range(40):
            values.append(values[k] * values[-1] + 0.5)
        return [np.array([values[-1], x[40], scalar.sin(x[40])])]

    tape = trace(work, [("x", 41)])
    order = schedule.Scheduler(tape, 4, late).run()
    made = [row for step in order for row in step.rows]
    assert sorted(made) == [k for k, row in enumerate(tape.rows) if row[0] != Op.CONSTANT]
    place = {row: k for k, row in enumerate(made)}
    for row in made:
        needed = [j for j in operand_rows(tape.rows[row]) if j in place]
        assert all(place[j] < place[row] for j in needed)
    loads = [k for k, step in enumerate(order) if step.load]
    assert (loads[:-1] == [*range(len(loads) - 1)]) != late


def exactly(tape, x):
    """The outputs of a tape of sums, products and quotients, in exact arithmetic."""
    values = []

    def signed(reference):
        return referred(values, reference)

    work = {
        Op.CONSTANT: Fraction, Op.INPUT: lambda k, j: x[k][j],
        Op.ADD: lambda a, b: values[a] + values[b], Op.SUB: lambda a, b: values[a] - values[b],
        Op.MUL: lambda a, b: values[a] * values[b], Op.DIV: lambda a, b: values[a] / values[b],
        fuse.FMA: lambda a, b, c: signed(a) * signed(b) + signed(c),
    }  # fmt: skip
    for op, *operands in tape.rows:
        values.append(work[op](*operands))
    return [signed(e) if isinstance(e, int) else e for o in tape.outputs for e in o.elements]


def sums_and_products(seed):
    """A random tape of sums, products and quotients in which products meet, repeat and leave as outputs."""
    rng = np.random.default_rng(seed)

    def work(x):
        pool = list(x)
        for _ in range(40):
            a, b = (pool[k] for k in rng.integers(0, len(pool), 2))
            pool.append([a + b, a - b, a * b, b * a * 0.5, a / 3.0, a * b - a * a][rng.integers(0, 6)])
        return [np.array(pool[-12:])]

    return trace(work, [("x", 4)])


@pytest.mark.parametrize("seed", range(30))
def test_fusing_changes_no_value(seed):
    tape = sums_and_products(seed)
    x = [[Fraction(int(k), 7) for k in np.random.default_rng(seed).integers(1, 50, 4)]]
    assert exactly(fuse.fused(tape), x) == exactly(tape, x)


def test_a_shared_product_goes_into_its_sums_unless_something_else_needs_it():
    def counted(function):
        rows = fuse.fused(trace(function, [("x", 4)])).rows
        return [sum(row[0] == op for row in rows) for op in (Op.MUL, fuse.FMA, Op.ADD, Op.SUB)]

    assert counted(lambda x: [np.array([x[0] * x[1] + x[2], x[3] - x[0] * x[1]])]) == [0, 2, 0, 0]
    assert counted(lambda x: [np.array([x[0] * x[1] + x[2], x[0] * x[1]])]) == [1, 0, 1, 0]
    assert counted(lambda x: [np.array([x[0] * x[1] + x[2], x[0] * x[1] / x[3]])]) == [1, 0, 1, 0]
    assert counted(lambda x: [np.array([x[0] * x[1] - x[2] * x[3]])]) == [1, 1, 0, 0]


def test_the_shares_of_all_segments_are_the_rows_of_the_next_unit():
    module = Module(long_tape(), np.dtype(np.float64), 8)
    shares = [module.share(k) for k in range(len(module.parts))]
    sizes = [size for _name, size in module.tape.inputs] + [o.size for o in module.tape.outputs]
    for array, size in enumerate(sizes):
        firsts = [first for share in shares for a, first in share if a == array]
        lines = [first + 64 * block for first in firsts for block in range(module.blocks)]
        assert lines == list(range(0, 64 * len(lines), 64))
        assert 0 <= 64 * len(lines) - 8 * size * 8 * module.blocks < 64 * module.blocks
    assert max(map(len, shares)) <= 1 + min(map(len, shares)), "spread over the segments"


@pytest.mark.parametrize("count", [1, 5, 8, 13, 40])
def test_a_block_never_leaves_the_batch(count):
    tape = trace(lambda x: [x * 2.0, np.array([x[0] + 1.0])], [("x", 5)])
    kernel = compile_tape(tape, backend="llvm", threads=1)
    guard = np.full((count + 16, 5), -9.0)
    single = np.full((count + 16, 1), -9.0)
    x = np.random.default_rng(1).normal(size=(count, 5))
    kernel([x], [guard[8 : 8 + count], single[8 : 8 + count]], count)
    assert (guard[:8] == -9).all() and (guard[8 + count :] == -9).all()
    assert (single[:8] == -9).all() and (single[8 + count :] == -9).all()
    np.testing.assert_array_equal(guard[8 : 8 + count], 2 * x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 8, 77, 200])
def test_results_written_past_the_caches_are_the_same_and_touch_nothing_else(count, dtype, monkeypatch):
    """They go there line by line, from wherever in a line the array starts; a thread starts within another's line."""
    monkeypatch.setattr(llvm, "STREAM_BYTES", 0)
    monkeypatch.setattr(llvm, "THREAD_WORK", 300)
    tape = trace(lambda x: [x * 2.0, x[:3] - 1.0, np.array([x[0] + 1.0])], [("x", 9)])
    kernels = [compile_tape(tape, backend="llvm", dtype=dtype, threads=k) for k in (1, 3)]
    x = np.random.default_rng(1).normal(size=(count, 9)).astype(dtype)
    wanted = [2 * x, x[:, :3] - dtype(1), x[:, :1] + dtype(1)]
    for offset in range(0, 64, dtype().itemsize):
        for kernel in kernels:
            memory, found = [], []
            for expected in wanted:
                memory.append(np.full(expected.nbytes + 256, 77, np.uint8))
                start = -memory[-1].ctypes.data % 64 + 64 + offset
                found.append(np.ndarray(expected.shape, dtype, memory[-1], start))
            kernel([x], found, count)
            for expected, given, whole in zip(wanted, found, memory, strict=True):
                np.testing.assert_array_equal(given, expected)
                given[:] = 0
                given.view(np.uint8)[:] = 77
                assert (whole == 77).all()


@pytest.mark.parametrize(("size", "rows"), [(49, 16), (49, 8), (7, 24), (36, 32), (3, 40), (1, 64)])
def test_what_waits_to_be_written_past_the_caches_straddles_no_page(size, rows):
    """Wherever in a line an array of doubles may start; rows of whole vectors cannot help it from some places."""
    lines = lines_in_page(size, rows, 8)
    for shift in range(0, 64, 8):
        assert lines[shift] % 64 == 0 <= lines[shift] < 4096
        stores = [lines[shift] + shift + 8 * (size * row + c) for row in range(rows) for c in group_starts(size)]
        straddling = sum(at // 4096 != (at + 8 * (4 if size > 3 else 1) - 1) // 4096 for at in stores)
        assert straddling == 0 or (size % 4 == 0 and shift % 32)


def test_long_results_written_past_the_caches_are_the_same(monkeypatch):
    tape, x = long_tape(), np.random.default_rng(1).normal(size=(1003, 7))
    results = []
    for most in (1 << 30, 0):
        monkeypatch.setattr(llvm, "STREAM_BYTES", most)
        results.append([np.zeros((1003, o.size)) for o in tape.outputs])
        compile_tape(tape, backend="llvm", threads=1)([x], results[-1], 1003)
    for usual, past in zip(*results, strict=True):
        np.testing.assert_array_equal(past, usual)


def test_an_output_of_no_elements_is_left_alone_when_written_past_the_caches(monkeypatch):
    monkeypatch.setattr(llvm, "STREAM_BYTES", 0)
    tape = trace(lambda x: [x * 2.0, np.zeros((3, 0), dtype=object), x - 1.0], [("x", 9)])
    x = np.random.default_rng(1).normal(size=(77, 9))
    memory = np.full(256, 77, np.uint8)
    for offset in (0, 16):
        empty = np.ndarray((77, 0), np.float64, memory, -memory.ctypes.data % 64 + offset)
        first, second = np.zeros((77, 9)), np.zeros((77, 9))
        compile_tape(tape, backend="llvm", threads=1)([x], [first, empty, second], 77)
        assert (memory == 77).all()
        np.testing.assert_array_equal(second, x - 1)


def test_threads_give_the_same_bits(monkeypatch):
    tape = long_tape()
    monkeypatch.setattr(llvm, "THREAD_WORK", 1000)
    x = np.random.default_rng(1).normal(size=(5001, 7))
    results = []
    for threads in (1, 2, 5):
        out = [np.zeros((5001, o.size)) for o in tape.outputs]
        compile_tape(tape, backend="llvm", threads=threads)([x], out, 5001)
        results.append(out)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_number_of_threads_that_is_none_is_said(monkeypatch):
    monkeypatch.setenv("STEINER_THREADS", "many")
    with pytest.raises(ArgumentError, match="STEINER_THREADS='many'"):
        pool.thread_count()


# ---- recycled memory -----------------------------------------------------------------------------


def test_recycled_memory_is_never_memory_that_somebody_holds():
    buffers.clear()
    shape = (buffers.LARGE // 8, 2)
    a = buffers.array(shape, np.float64)
    a[:] = 1.0
    view = a[5:, :1]
    del a
    b = buffers.array(shape, np.float64)
    assert not np.shares_memory(view, b)
    b[:] = 2.0
    assert (view == 1.0).all()
    address = b.ctypes.data
    del b, view
    c, d = buffers.array(shape, np.float64), buffers.array(shape, np.float64)
    assert address in (c.ctypes.data, d.ctypes.data), "memory that nobody holds is used again"
    assert not np.shares_memory(c, d)
    assert c.ctypes.data % 64 == d.ctypes.data % 64 == 0


FIRST_USE = textwrap.dedent("""
    import threading, time
    from steiner.backends.llvm import engine, fastcall
    made, real = [], engine.Library
    def slow(code, *names):
        time.sleep(0.2)
        made.append(real(code, *names))
        return made[-1]
    engine.Library = slow
    class Kernel:
        rows_for_one_thread = grain = 9
        def announce(self, tell): tell(1)
    def first_call():
        fastcall.NativeCall("f", "(x)", "", print).activate([1], [(1,)], Kernel(), Kernel())
    threads = [threading.Thread(target=first_call) for _ in range(3)]
    for t in threads: t.start()
    for t in threads: t.join()
    print(len(made))
""")


def test_threads_that_meet_at_the_first_call_share_its_code():
    """A second copy would be freed while functions still point into it."""
    ran = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True)
    assert ran.stdout == "1\n", ran.stderr


def test_the_fast_path_opens_once():
    """Threads that meet at it may already run the kernels of the first."""
    tape = trace(lambda x: [x * 2.0], [("x", 3)])
    native = fastcall.NativeCall("double", "(x)", "Twice x.", lambda x: None)
    late = trace(lambda x: [x * 3.0], [("x", 3)])
    kernels = [llvm.LlvmKernel(t, np.dtype(np.float64), 1) for t in (tape, late)]
    for t, kernel in zip((tape, late), kernels, strict=True):
        llvm.activate(native, t, kernel)
    assert native.function(np.ones(3)) is None, "no code is made before it is needed"
    for kernel in kernels:
        kernel.for_one_row.load()
    np.testing.assert_array_equal(native.function(np.ones(3)), np.full(3, 2.0))
    assert native.function(np.ones((2, 3))) is None
    kernels[0].load()
    np.testing.assert_array_equal(native.function(np.ones((2, 3))), np.full((2, 3), 2.0))


def test_a_call_makes_the_code_that_it_needs(monkeypatch):
    made, real = [], llvm.module
    monkeypatch.setenv("STEINER_CACHE", "")
    monkeypatch.setattr(llvm, "module", lambda tape, dtype, lanes, _: made.append(lanes) or real(tape, dtype, lanes))
    for first, second in ((np.ones(2), np.ones((5, 2))), (np.ones((5, 2)), np.ones(2))):
        robot, wide = st.load("gallery:rr").replace(gravity=(0, -2.0, 0)), llvm.engine.lanes(np.dtype(np.float64))
        made.clear()
        for x in (first, first, second, second):
            robot.gravity_forces(x)
        assert made == ([1, wide] if first.ndim == 1 else [wide, 1])


@pytest.mark.parametrize("owner", ["panda", "", "a b", "\x1b[31mred\n", "n\x00l", "\ud800", "é", "x" * 500])
def test_W12_a_native_function_says_whose_kernel_it_is(owner):
    """`repr` of a built-in function shows the class of its self, and no control character of a name from a file."""
    native = fastcall.NativeCall("double", "(x)", "Twice x.", lambda x: None, owner)
    shown = repr(native.function)
    wanted = f"steiner kernel for {owner!r}".replace("'", "")[:100] if owner else "steiner kernel"
    assert shown.startswith(f"<built-in method double of {wanted}") and shown.isprintable()
    assert str(inspect.signature(native.function)) == "(x)" and native.function.__doc__ == "Twice x."


def test_the_layout_of_objects_is_checked_before_it_is_relied_on():
    assert fastcall.layout_is_known() is (sys.implementation.name == "cpython")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_every_vector_width_gives_the_same_numbers(lanes, dtype):
    """SSE2 and NEON have two lanes of float64, AVX2 four, AVX-512 eight; twice as many of float32."""

    def work(x):
        turned = [scalar.sin(v) * x[0] + scalar.tanh(v) for v in x]
        return [np.array(turned), scalar.select(x[1], x[2], turned[0]) + scalar.exp(-x[1] * x[1])]

    count = 1 if lanes == 1 else 3 * lanes + lanes - 1  # one lane is for single calls
    x = np.random.default_rng(lanes).normal(size=(count, 5)).astype(dtype)
    for tape in (trace(work, [("x", 5)]), long_tape()):
        given = x if tape.inputs[0][1] == 5 else np.concatenate([x, x[:, :2]], axis=1)
        kernel = llvm.LlvmKernel(tape, np.dtype(dtype), 1, lanes=lanes)
        mine, other = ([np.zeros((count, o.size), dtype) for o in tape.outputs] for _ in range(2))
        kernel([np.ascontiguousarray(given)], mine, count)
        reference.evaluate(tape, [given], other, count)
        alone = llvm.LlvmKernel(tape, np.dtype(dtype), 1, lanes=1)
        row = [np.zeros((1, o.size), dtype) for o in tape.outputs]
        alone([np.ascontiguousarray(given[-1:])], row, 1)
        for a, b, last in zip(mine, other, row, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e3 * np.finfo(dtype).eps, atol=2e3 * np.finfo(dtype).eps)
            np.testing.assert_array_equal(a[-1:], last)


@pytest.mark.parametrize(("cpu", "features", "lanes"), [("haswell", "+avx,+avx2,+fma", 4), ("x86-64", "+sse2", 2)])
def test_lesser_processors_get_their_own_code(cpu, features, lanes, monkeypatch):
    """AVX2 with multiply-adds, and SSE2 without: there libm does what lives on multiply-adds."""
    if not engine.is_x86():
        pytest.skip("code of other processors does not run here")
    triple = engine.host()[0]
    monkeypatch.setattr(engine, "host", lambda: (triple, cpu, features))
    monkeypatch.setattr(engine, "kept", lambda _key, make: engine.image.linked(make()))
    for cached in (engine.vector_bytes, engine.fuses):
        monkeypatch.setattr(engine, cached.__name__, cached.__wrapped__)
    assert engine.lanes(np.dtype(np.float64)) == lanes and engine.fuses() is (lanes == 4)

    def work(x):
        return [np.array([scalar.sin(v) * scalar.exp(-v * v) + scalar.tanh(v) * scalar.cos(x[0]) for v in x])]

    x = np.random.default_rng(1).normal(size=(21, 5))
    for tape in (trace(work, [("x", 5)]), long_tape()):
        given = x if tape.inputs[0][1] == 5 else np.concatenate([x, x[:, :2]], axis=1)
        text = llvm.source(tape, np.dtype(np.float64), lanes)
        assert ("call <2 x double> @llvm.fma." in text) is False and "<8 x double>" not in text
        mine, other = ([np.zeros((21, o.size)) for o in tape.outputs] for _ in range(2))
        llvm.LlvmKernel(tape, np.dtype(np.float64), 1)([given], mine, 21)
        reference.evaluate(tape, [given], other, 21)
        single = [np.zeros((1, o.size)) for o in tape.outputs]
        llvm.LlvmKernel(tape, np.dtype(np.float64), 1, lanes=1)([given[20:].copy()], single, 1)
        for a, b, c in zip(mine, other, single, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
            np.testing.assert_array_equal(a[20:], c)


CROWDED = """
import ctypes
import numpy as np, steiner as st
from steiner.backends import reference
from steiner.backends.llvm import LlvmKernel
from steiner.trace import trace

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE_ANONYMOUS_NORESERVE = 0x4022
room = lambda size: libc.mmap(None, size, 0, PRIVATE_ANONYMOUS_NORESERVE, -1, 0)

def work(x):
    for k in range(6_000):
        x = np.array([0.5 * x[1] + 1 / (k + 7), x[2] - x[0] / (k + 3), 0.9 * x[0] - x[1] * x[1] / (2 * k + 90)])
    return [x]

x = np.random.default_rng(0).normal(size=(9, 3))
tape = trace(work, [("x", 3)])
LlvmKernel(tape, np.dtype(np.float64), 1)  # what compiling needs, is free before the places are taken
for _ in range(50_000):
    room(64 << 10)  # fills what is free, and 3 GB below it
holes = [room(16 << 10) for _ in range(2_000)][::2]
for hole in holes:
    libc.munmap(hole, 16 << 10)  # constants fit here, code only beyond the 3 GB
mine, other = np.zeros((9, 3)), np.zeros((9, 3))
LlvmKernel(tape, np.dtype(np.float64), 1)([x], [mine], 9)
reference.evaluate(tape, [x], [other], 9)
np.testing.assert_allclose(mine, other, rtol=1e-12)
assert np.all(np.isfinite(mine)) and np.ptp(mine) > 0
print("the same")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="places memory by Linux's rule, the highest gap that fits")
def test_code_and_constants_stay_together_in_a_crowded_process(tmp_path):
    """More than 2 GB apart, code cannot reach its constants: the process would be aborted."""
    script = tmp_path / "crowded.py"
    script.write_text(CROWDED)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert run.stdout == "the same\n", run.stderr[:2000]
