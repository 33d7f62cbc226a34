"""JAX: a tape as a Python module of its operations, which `jit`, `vmap` and `grad` transform.

The live function is that module, run.  Numbers are float64 unless asked otherwise, and JAX rounds
to float32 until it is told not to, so the function checks before it computes.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

import numpy as np

from steiner.backends.text import Dialect, atom, distinct, free_name, shape_text, statements
from steiner.errors import ArgumentError
from steiner.text.names import comment
from steiner.trace import Op, Tape

RESERVED = frozenset([*keyword.kwlist, *keyword.softkwlist, "jax", "jnp", "batch", "DTYPE"])

TEMPLATES = {
    Op.ADD: "{0} + {1}", Op.SUB: "{0} - {1}", Op.MUL: "{0} * {1}", Op.DIV: "{0} / {1}",
    Op.SQRT: "jnp.sqrt({0})", Op.SIN: "jnp.sin({0})", Op.COS: "jnp.cos({0})", Op.EXP: "jnp.exp({0})",
    Op.TANH: "jnp.tanh({0})", Op.ABS: "jnp.abs({0})", Op.SIGN: "jnp.sign({0})",
    Op.SELECT: "jnp.where({0} > 0, {1}, jnp.where({0} <= 0, {2}, {0}))",
}  # fmt: skip

SUPPORT = '''
def _arrays(**given):
    """The arguments as arrays (..., size) of one float type, and the shape of their batch."""
    if DTYPE == jnp.float64 and not jax.config.jax_enable_x64:
        raise ValueError(
            "JAX rounds to float32 now; call jax.config.update('jax_enable_x64', True) first, "
            "or export with dtype='float32'"
        )
    arrays = []
    for name, (value, size) in given.items():
        value = jnp.asarray(value, DTYPE)
        if value.ndim == 0 or value.shape[-1] != size:
            raise ValueError(f"{name}: expected {size} numbers along the last axis, got shape {value.shape}")
        arrays.append(value)
    return arrays, jnp.broadcast_shapes(*(x.shape[:-1] for x in arrays))


def _stacked(batch, shape, *elements):
    """Numbers as one array (*batch, *shape)."""
    if not elements:
        return jnp.zeros((*batch, *shape), DTYPE)
    columns = [jnp.broadcast_to(jnp.asarray(x, DTYPE), batch) for x in elements]
    return jnp.stack(columns, axis=-1).reshape(*batch, *shape)
'''


def load() -> Any:
    """The library, or what to install."""
    try:
        import jax
    except ImportError:
        raise ArgumentError("this export needs JAX; install it with: pip install 'steiner[jax]'") from None
    return jax


def _literal(x: float) -> str:
    return repr(x) if np.isfinite(x) else f"jnp.{x!r}".replace("jnp.-", "-jnp.")


def module(
    tape: Tape, name: str, outputs: Sequence[str], *, dtype: np.dtype | str = "float64", notes: Sequence[str] = ()
) -> str:
    """A Python module with one function; it needs JAX and nothing else."""
    kind = np.dtype(dtype)
    if kind not in (np.float64, np.float32):
        raise ArgumentError(f"dtype={kind}: JAX functions are written for float64 or float32")
    function = function_name(name)
    names = distinct([n for n, _ in tape.inputs], RESERVED | {function})
    dialect = Dialect(TEMPLATES, _literal, "{0}[..., {1}]")
    sizes = [size for _, size in tape.inputs]
    about = [*notes, *(f"{n} (..., {size})" for n, size in zip(names, sizes, strict=True))]
    about += [f"result {comment(n)}: {shape_text(o)}" for n, o in zip(outputs, tape.outputs, strict=True)]
    lines = [f'"""{function}', "", *map(comment, about), '"""', "", "import jax", "import jax.numpy as jnp", ""]
    lines += [f"DTYPE = jnp.{kind.name}", "", SUPPORT, "", f"def {function}({', '.join(names)}):"]
    lines += ['    """' + comment(notes[0] if notes else function) + '"""']
    given = ", ".join(f"{n}=({n}, {size})" for n, size in zip(names, sizes, strict=True))
    lines += [f"    ({', '.join(names)}{',' if names else ''}), batch = _arrays({given})"]
    lines += [f"    {row} = {text}" for row, text in statements(tape, dialect, names)]
    results = [
        f"_stacked(batch, {output.shape!r}, {', '.join(atom(tape, dialect, x) for x in output.elements)})"
        for output in tape.outputs
    ]
    lines += ["    return " + (results[0] if len(results) == 1 else f"({', '.join(results)},)")]
    return "\n".join([*lines, ""])


def function_name(name: str) -> str:
    """The name of the function that a module defines."""
    return free_name(name, RESERVED)


def function(tape: Tape, name: str, outputs: Sequence[str], **options: Any) -> Any:
    """The tape as a function of JAX arrays (…, size); leading dimensions are batch."""
    load()
    text = module(tape, name, outputs, **options)
    space: dict[str, Any] = {"__name__": f"steiner_{function_name(name)}"}
    exec(compile(text, f"<{function_name(name)} for JAX>", "exec"), space)
    return space[function_name(name)]
