"""Generated JavaScript: equal to the reference, and safe whatever names it is given.  Node runs it here, pages too."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from steiner.backends import js, reference
from steiner.errors import ArgumentError
from steiner.kernels.export import export
from steiner.robots import build
from steiner.text.names import JS_WORDS
from steiner.trace import trace
from tests.hostile import NASTY, hostile
from tests.hostile_names import HOSTILE
from tests.js_programs import NODE, needs_node, run
from tests.random_tapes import random_inputs, random_tape


@needs_node
@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_in_javascript(seed):
    """Every operation, unused inputs, constant and repeated outputs, NaN and infinity."""
    tape = random_tape(seed, operations=60, everything=True)
    inputs = random_inputs(tape, 6, seed)
    inputs[0][1, :], inputs[0][2, :], inputs[0][3, :] = np.nan, np.inf, 0.0
    want = [np.zeros((6, o.size)) for o in tape.outputs]
    reference.evaluate(tape, inputs, want, 6)
    text = js.module(tape, f"graph_{seed}", [f"out{k}" for k in range(len(tape.outputs))])
    found = run(text, f"graph_{seed}", list(zip(*inputs, strict=True)), [(o.size,) for o in tape.outputs])
    for k, row in enumerate(found):
        for a, b in zip(row, want, strict=True):
            assert np.allclose(a, b[k], rtol=1e-12, atol=1e-12, equal_nan=True)


@needs_node
def test_constants_that_are_no_numbers():
    tape = trace(lambda x: [np.array([x[1], -x[0], float("inf"), float("nan"), -float("inf"), -0.0])], [("x", 2)])
    ((found,),) = run(js.module(tape, "odd", ["y"]), "odd", [[[1.0, 2.0]]], [(6,)])
    assert found[:3].tolist() == [2.0, -1.0, np.inf] and np.isnan(found[3]) and found[4] == -np.inf
    assert np.signbit(found[5])


@needs_node
@pytest.mark.parametrize("name", ["scara", "panda"])
def test_robots_in_javascript(name):
    robot = build(name)
    n, state = robot.n, np.random.default_rng(3).uniform(-2, 2, (5, 3, robot.n))
    link = robot.link_names[-1]
    files = export(robot, "inverse_dynamics", "js", parameters=[f"{link}.mass", "gravity"])
    ((file, text),) = files.items()
    given = np.random.default_rng(4).uniform(1, 9, (5, 4))
    rows = [[*s, g[:1], g[1:]] for s, g in zip(state, given, strict=True)]
    for s, g, (tau,) in zip(state, given, run(text, file.removesuffix(".mjs"), rows, [(n,)]), strict=True):
        want = robot.with_parameters({f"{link}.mass": g[0], "gravity": g[1:]}).inverse_dynamics(*s)
        assert np.abs(tau - want).max() <= 1e-12 * np.abs(want).max()


def test_javascript_is_float64():
    with pytest.raises(ArgumentError, match="JavaScript computes in float64"):
        export(build("rr"), to="js", dtype="float32")


HARMLESS = re.compile(
    r"(// [A-Za-z0-9 _.,:;()\[\]=+-]*|export function \w+\([\w, ]*\) \{|"
    r"  const v\d+ = [\w .,()+*/\[\]-]*;|  \w+\[\d+\] = [\w.+-]*;|\}|const chosen = .*|)"
)


@pytest.mark.parametrize("name", (*NASTY, *HOSTILE, "eval", "arguments", "v1", "Math", "chosen"))
def test_names_cannot_inject_code(name):
    robot = hostile(name, name)
    path = f"{robot.links[0].name}.mass"
    ((file, text),) = export(robot, to="js", name=name or None, parameters=[path]).items()
    assert text.isascii() and all(HARMLESS.fullmatch(line) for line in text.split("\n"))
    head = re.search(r"export function (\w+)\(([\w, ]*)\)", text)
    assert head is not None and head[1] == file.removesuffix(".mjs")
    words = [head[1], *head[2].split(", ")]
    assert len(set(words)) == len(words) and not JS_WORDS & set(words)


@needs_node
def test_what_hostile_names_leave_is_a_module():
    texts = []
    for k, name in enumerate((*NASTY, *HOSTILE, *sorted(JS_WORDS))):
        tape = trace(lambda x: [x], [(name, 1)])
        texts += [f"{{\n{js.module(tape, name, [name]).replace('export function', 'function')}\n}} // {k}"]
    assert NODE is not None
    done = subprocess.run([NODE, "--input-type=module"], input="\n".join(texts), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
