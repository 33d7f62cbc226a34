"""`export`: the command line, CasADi and JAX (those two are heavy), and what is said when an extra is missing."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from steiner import scalar
from steiner.backends import casadi as to_casadi
from steiner.backends import jax as to_jax
from steiner.backends import reference
from steiner.errors import ArgumentError
from steiner.kernels.compile import compile
from steiner.kernels.export import export
from steiner.robots import build
from tests import c_programs, js_programs
from tests.hostile import NASTY, hostile
from tests.random_tapes import random_inputs, random_tape

ROBOTS = ("rr", "scara", "puma560", "panda")


def steiner(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "steiner", *arguments], capture_output=True, text=True, cwd=cwd)


def test_the_command_writes_what_export_returns(tmp_path):
    done = steiner("export", "rr", "--c", "--jax", "-o", "out", "--algorithm", "mass_matrix", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "rr_mass_matrix.c", "rr_mass_matrix.h", "rr_mass_matrix.py",
    ]  # fmt: skip
    assert (tmp_path / "out" / "rr_mass_matrix.c").read_text() == export(build("rr"), "mass_matrix")["rr_mass_matrix.c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rr", "-o", "out"], "--c, --casadi, --jax or --js"),
        (["nobody", "--c", "-o", "out"], "nobody"),
        (["rr", "--c", "-o", "out", "--algorithm", "mass_matrx"], "did you mean 'mass_matrix'"),
        (["rr", "--c", "-o", "out", "--dtype", "int8"], "'float64' or 'float32'"),
        (["rr", "--c", "-o", "out", "--parameter", "x.mass"], "parameter 'x.mass'"),
    ],
)
def test_the_command_refuses_in_one_sentence(arguments, message, tmp_path):
    done = steiner("export", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("target", "library"), [("casadi", "casadi"), ("jax", "jax")])
def test_a_missing_extra_is_named(target, library, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == library:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ArgumentError, match=rf"pip install 'steiner\[{target}\]'"):
        export(build("rr"), to=target)


def test_a_jax_module_is_written_without_jax_and_names_cannot_inject_code(tmp_path):
    for name in NASTY:
        robot = hostile(name, name)
        (path,) = export(robot, to="jax", folder=tmp_path, name=name or None, force=True,
                         parameters=[f"{robot.links[0].name}.mass"])  # fmt: skip
        text = path.read_text(encoding="ascii")
        tree = ast.parse(text)
        assert [type(node).__name__ for node in tree.body] == [
            "Expr", "Import", "Import", "Assign", "FunctionDef", "FunctionDef", "FunctionDef",
        ]  # fmt: skip
        assert tree.body[-1].name == path.stem


def sprung():
    return build("rr").with_parameters({"joint1.stiffness": 3.0, "joint1.rest": 0.4, "joint2.stiffness": 5.0})


@c_programs.needs_gcc
def test_springs_in_c_with_a_stiffness_of_run_time(tmp_path):
    robot, state = sprung(), np.random.default_rng(3).uniform(-2, 2, (3, 2))
    for algorithm in ("inverse_dynamics", "forward_dynamics"):
        (folder := tmp_path / algorithm).mkdir()
        function = c_programs.library(export(robot, algorithm, parameters=["joint1.stiffness"]), folder)
        (found,) = c_programs.call(function, [*state, [7.5]], [(2,)])
        other = robot.with_parameters({"joint1.stiffness": 7.5})
        assert close(found, getattr(other, algorithm)(*state), 1e-12)


@js_programs.needs_node
def test_springs_in_javascript():
    robot, state = sprung(), np.random.default_rng(3).uniform(-2, 2, (3, 2))
    ((name, text),) = export(robot, "inverse_dynamics", "js").items()
    ((found,),) = js_programs.run(text, name.removesuffix(".mjs"), [state], [(2,)])
    assert close(found, robot.inverse_dynamics(*state), 1e-13)


# ---- heavy: the libraries themselves ---------------------------------------------------------

needs_casadi = pytest.mark.skipif(importlib.util.find_spec("casadi") is None, reason="CasADi is not installed")
needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")


def close(found, expected, tolerance=1e-13):
    found, expected = np.asarray(found), np.asarray(expected)
    slack = tolerance * max(1, np.abs(expected).max())
    return found.shape == expected.shape and np.abs(found - expected).max() <= slack


@pytest.fixture
def x64():
    import jax

    was = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", was)


@pytest.mark.heavy
@needs_casadi
@pytest.mark.parametrize("name", [*ROBOTS, "sprung"])
def test_casadi_functions_equal_the_library(name):
    robot = sprung() if name == "sprung" else build(name)
    state = np.random.default_rng(0).uniform(-2, 2, (3, robot.n))
    for algorithm, count in (("inverse_dynamics", 3), ("forward_dynamics", 3), ("mass_matrix", 1)):
        function = export(robot, algorithm, "casadi")
        want = compile(algorithm, robot, backend="numpy")(*state[:count])
        assert close(np.array(function(*state[:count])).reshape(want.shape), want)


@pytest.mark.heavy
@needs_casadi
def test_jacobians_of_casadi_equal_ours(tmp_path):
    import casadi

    robot = build("puma560")
    function = export(robot, "inverse_dynamics", "casadi")
    q, qd, qdd = (casadi.SX.sym(name, 6) for name in ("q", "qd", "qdd"))
    slopes = casadi.Function("slopes", [q, qd, qdd], [casadi.jacobian(function(q, qd, qdd), x) for x in (q, qd, qdd)])
    state = np.random.default_rng(1).uniform(-2, 2, (3, 6))
    ours = compile("inverse_dynamics", robot, derivatives=("q", "qd", "qdd"))(*state)[1:]
    analytic = robot.inverse_dynamics_derivatives(*state)
    for theirs, a, b in zip(slopes(*state), ours, analytic, strict=True):
        assert close(theirs, a, 1e-12) and close(theirs, b, 1e-12)
    (path,) = export(robot, "inverse_dynamics", "casadi", folder=tmp_path)
    assert path.name == "puma560_inverse_dynamics.casadi"
    again = casadi.Function.load(str(path))
    assert again.name_in() == ["q", "qd", "qdd"] and again.name_out() == ["tau"]
    assert (np.array(again(*state)) == np.array(function(*state))).all()


@pytest.mark.heavy
@needs_casadi
@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_in_casadi(seed):
    tape = random_tape(seed, operations=60)
    names = [f"out{k}" for k in range(len(tape.outputs))]
    function = to_casadi.function(tape, "graph", names)
    inputs = random_inputs(tape, 4, seed)
    inputs[0][1, 0], inputs[0][2, :], inputs[0][3, 0] = np.nan, 0.0, np.inf
    want = [np.zeros((4, o.size)) for o in tape.outputs]
    reference.evaluate(tape, inputs, want, 4)
    for k in range(4):
        found = function.call([x[k] for x in inputs])
        for a, b, output in zip(found, want, tape.outputs, strict=True):
            shape = (output.shape + (1, 1))[:2] if output.shape else (1, 1)
            assert np.allclose(np.array(a), b[k].reshape(shape), rtol=1e-12, atol=1e-13, equal_nan=True)


@pytest.mark.heavy
@needs_casadi
@pytest.mark.parametrize("name", NASTY)
def test_casadi_takes_every_name(name):
    robot = hostile(name, name)
    function = export(robot, to="casadi", name=name or None, parameters=[f"{robot.links[0].name}.mass"])
    found = function([0.3], [0.0], [0.5], robot.links[0].body.mass)
    assert float(found) == pytest.approx(float(robot.inverse_dynamics([0.3], [0.0], [0.5])[0]), rel=1e-13)


@pytest.mark.heavy
@needs_jax
@pytest.mark.parametrize("name", [*ROBOTS, "sprung"])
def test_jax_functions_equal_the_library_plain_jitted_and_mapped(name, x64):
    robot = sprung() if name == "sprung" else build(name)
    state = np.random.default_rng(0).uniform(-2, 2, (3, 20, robot.n))
    for algorithm, count in (("inverse_dynamics", 3), ("forward_dynamics", 3), ("mass_matrix", 1)):
        function = export(robot, algorithm, "jax")
        want = compile(algorithm, robot, backend="numpy")(*state[:count])
        assert close(function(*state[:count, 0]), want[0])
        assert close(function(*state[:count]), want)  # leading dimensions are batch
        assert close(x64.jit(x64.vmap(function))(*state[:count]), want)


@pytest.mark.heavy
@needs_jax
def test_jax_differentiates_and_agrees_with_us(x64):
    robot = build("scara")
    state = np.random.default_rng(1).uniform(-2, 2, (3, robot.n))
    function = export(robot, "inverse_dynamics", "jax")
    want = robot.inverse_dynamics_derivatives(*state)
    for transform in (x64.jacfwd, x64.jacrev):
        slopes = x64.jit(transform(function, argnums=(0, 1, 2)))(*state)
        assert all(close(a, b, 1e-12) for a, b in zip(slopes, want, strict=True))
    energy = export(robot, "kinetic_energy", "jax")
    q, qd = state[:2]
    assert close(x64.grad(energy, argnums=1)(q, qd), robot.mass_matrix(q) @ qd, 1e-12)
    assert close(x64.hessian(energy, argnums=1)(q, qd), robot.mass_matrix(q), 1e-12)
    several = export(robot, "inverse_dynamics_derivatives", "jax")
    assert all(close(a, b, 1e-12) for a, b in zip(x64.jit(several)(*state), want, strict=True))


@pytest.mark.heavy
@needs_jax
@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_in_jax(seed, x64):
    tape = random_tape(seed, operations=60)
    function = to_jax.function(tape, "graph", [f"out{k}" for k in range(len(tape.outputs))])
    inputs = random_inputs(tape, 5, seed)
    inputs[0][1, 0], inputs[0][2, :], inputs[0][3, 0] = np.nan, 0.0, np.inf
    want = [np.zeros((5, o.size)) for o in tape.outputs]
    reference.evaluate(tape, inputs, want, 5)
    found = x64.jit(function)(*inputs)
    for a, b, output in zip(found if len(want) > 1 else (found,), want, tape.outputs, strict=True):
        assert np.allclose(a, b.reshape(5, *output.shape), rtol=1e-12, atol=1e-13, equal_nan=True)


@pytest.mark.heavy
@needs_jax
def test_the_written_module_stands_alone(tmp_path, x64):
    def cost(robot, q, target):
        return scalar.select(q[0], scalar.sqrt(abs(q[0] * target[1])), scalar.exp(-q[1])) * scalar.sign(target[0])

    robot = build("rr")
    (path,) = export(robot, cost, "jax", shapes={"target": 2}, folder=tmp_path)
    code = (
        "import jax; jax.config.update('jax_enable_x64', True); import sys\n"
        "from rr_cost import rr_cost\n"
        "assert 'steiner' not in sys.modules\n"
        "print(float(rr_cost([0.5, 0.2], [-1.0, 3.0])), float(jax.jit(rr_cost)([-0.5, 0.2], [1.0, 3.0])))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    want = [float(compile(cost, robot, shapes={"target": 2})(*x)) for x in
            (([0.5, 0.2], [-1.0, 3.0]), ([-0.5, 0.2], [1.0, 3.0]))]  # fmt: skip
    assert [float(v) for v in done.stdout.split()] == pytest.approx(want, rel=1e-14)


@pytest.mark.heavy
@needs_jax
def test_jax_says_when_it_would_round(x64):
    robot = build("rr")
    double, single = (export(robot, to="jax", dtype=dtype) for dtype in ("float64", "float32"))
    x64.config.update("jax_enable_x64", False)
    with pytest.raises(ValueError, match="jax_enable_x64"):
        double([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
    found = single([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
    assert found.dtype == np.float32
    assert np.allclose(found, robot.inverse_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 0.0]), rtol=1e-5)
    with pytest.raises(ValueError, match="expected 2 numbers along the last axis"):
        single([0.1], [0.0, 0.0], [0.0, 0.0])


@pytest.mark.heavy
@needs_casadi
@needs_jax
def test_the_examples_of_the_page_that_need_extras_run(tmp_path, monkeypatch, x64):
    """docs/export.md marks them `py`; the others are run with the manual."""
    page = Path(__file__).parent.parent.parent / "docs" / "export.md"
    found = re.findall(r"^```(python|py)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert [language for language, _ in found].count("py") == 2
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"}
    for _, text in found:
        exec(text, space)
    assert space["pull"](np.ones(6)).shape == (6,)
