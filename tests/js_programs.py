"""Generated JavaScript run by Node, where there is one, or by whatever evaluates a text."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no Node on this machine")

# numbers travel as bits, so that NaN, infinities and the sign of zero arrive
CALLS = """(f, rows, sizes) => rows.map(row => {
    const floats = bits => new Float64Array(new BigUint64Array(bits.map(BigInt)).buffer);
    const outputs = sizes.map(size => new Float64Array(size));
    f(...row.map(floats), ...outputs);
    return outputs.map(x => [...new BigUint64Array(x.buffer)].map(String));
})"""


def bits(x: Any) -> list[str]:
    return [str(k) for k in np.ascontiguousarray(x, dtype=float).ravel().view(np.uint64)]


def in_node(text: str, name: str, arguments: list[Any]) -> Any:
    """What Node makes of a module's function."""
    text += f"\nprocess.stdout.write(JSON.stringify(({CALLS})({name}, ...{json.dumps(arguments)})));"
    assert NODE is not None
    done = subprocess.run([NODE, "--input-type=module"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def in_browser(opened: Callable[..., Any]) -> Callable[[str, str, list[Any]], Any]:
    """The same, in a page whose one script is the module."""

    def evaluated(text: str, name: str, arguments: list[Any]) -> Any:
        page = opened(f"<!DOCTYPE html><script type='module'>{text}\nwindow.found = {name};</script>")
        return page.evaluate(f"given => ({CALLS})(window.found, ...given)", arguments)

    return evaluated


def run(
    text: str, name: str, rows: Sequence[Any], shapes: Sequence[tuple[int, ...]], evaluate: Any = in_node
) -> list[list[np.ndarray]]:
    """The outputs of an exported function for rows of inputs."""
    arguments = [[[bits(x) for x in row] for row in rows], [math.prod(shape) for shape in shapes]]

    def floats(bits: list[str], shape: tuple[int, ...]) -> np.ndarray:
        return np.array([int(b) for b in bits], dtype=np.uint64).view(float).reshape(shape)

    return [[floats(*x) for x in zip(row, shapes, strict=True)] for row in evaluate(text, name, arguments)]
