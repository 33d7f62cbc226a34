"""Random expression graphs: every operation, signed references, constants, repeated and constant outputs."""

from __future__ import annotations

import numpy as np

from steiner import scalar
from steiner.trace import Tape, trace

UNARY = (scalar.sqrt, scalar.sin, scalar.cos, scalar.exp, scalar.tanh, scalar.absolute, scalar.sign)
SMOOTH = (scalar.sin, scalar.cos, scalar.exp, scalar.tanh)


def random_tape(seed: int, operations: int = 40, smooth: bool = False, everything: bool = False) -> Tape:
    """A tape of inputs of 1 to 9 elements (some unused) and outputs of several shapes; values stay moderate.

    With `everything` one more output keeps all parts of the graph alive.
    """
    rng = np.random.default_rng(seed)
    inputs = [(f"x{k}", int(rng.integers(1, 10))) for k in range(rng.integers(1, 4))]

    def function(*arrays):
        pool = [x for a in arrays for x in a if rng.random() < 0.8] or [arrays[0][0]]
        for _ in range(operations):
            pool.append(_grown(rng, pool, smooth))
        return [*_outputs(rng, pool), *([np.array(pool[::7], dtype=object)] if everything else [])]

    return trace(function, inputs)


def _grown(rng, pool, smooth):
    """One more number made of those in the pool, squashed so that nothing overflows."""
    a, b, c = (pool[k] * (1 if rng.random() < 0.7 else -1) for k in rng.integers(0, len(pool), 3))
    kind = rng.integers(0, 8)
    if kind == 0:
        return a + b
    if kind == 1:
        return a - (b if rng.random() < 0.8 else float(rng.normal()))
    if kind == 2:
        return a * (b if rng.random() < 0.8 else float(rng.normal()))
    if kind == 3:
        return a / (2.0 + b * b)
    if kind == 4:
        return float(rng.normal()) * scalar.tanh(a)
    if kind == 5 and not smooth:
        return scalar.select(a, b, c if rng.random() < 0.7 else 0.5)
    function = (SMOOTH if smooth else UNARY)[rng.integers(0, 4 if smooth else len(UNARY))]
    if function is scalar.sqrt:
        return scalar.sqrt(0.5 + a * a)
    return function(scalar.sin(a) if function is scalar.exp else a)


def _outputs(rng, pool):
    """Arrays of shapes (), (n,) and (m, n); some elements repeat, some are constants."""
    results = []
    for _ in range(rng.integers(1, 4)):
        shapes = [(), (int(rng.integers(1, 12)),), (int(rng.integers(1, 4)), int(rng.integers(1, 6)))]
        shape = shapes[rng.integers(0, 3)]
        picked = np.zeros(int(np.prod(shape)), dtype=object)
        for k in range(picked.size):
            x = pool[-1 - int(rng.integers(0, min(len(pool), 12)))]
            picked[k] = x if rng.random() < 0.85 else -x if rng.random() < 0.5 else float(rng.normal())
        results.append(picked.reshape(shape))
    return results


def random_inputs(tape: Tape, count: int, seed: int = 0, dtype=np.float64) -> list[np.ndarray]:
    """Rows of numbers for every input of a tape."""
    rng = np.random.default_rng([seed, count])
    return [rng.normal(size=(count, size)).astype(dtype) for _, size in tape.inputs]
