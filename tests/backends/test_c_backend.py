"""Generated C: compiled without a warning, equal to the library, and safe whatever names it is given."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from steiner import dynamics, scalar
from steiner.backends import c, reference
from steiner.backends.text import distinct
from steiner.errors import ArgumentError, SteinerError
from steiner.kernels.compile import compile
from steiner.kernels.export import export
from steiner.robots import GALLERY, build
from steiner.spatial import Wrench
from steiner.text.names import comment, identifier
from steiner.trace import trace
from tests.c_programs import call, library, needs_gcc
from tests.hostile import NASTY, hostile
from tests.random_tapes import random_inputs, random_tape


def close(found, expected, tolerance=1e-14):
    return np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


@needs_gcc
@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_generated_c_equals_the_library_on_every_robot_of_the_gallery(name, algorithm, tmp_path):
    robot = build(name)
    f = library(export(robot, algorithm), tmp_path)
    method = compile(algorithm, robot, backend="numpy")  # the same operations, in NumPy
    n = robot.n
    count = {"mass_matrix": 1}.get(algorithm, 3)
    rng = np.random.default_rng(1)
    for state in rng.uniform(-2, 2, (100, count, n)):
        want = method(*state)
        (found,) = call(f, state, [want.shape])
        assert close(found, want)
        assert np.allclose(found, getattr(robot, algorithm)(*state), rtol=1e-9, atol=1e-9)


@needs_gcc
def test_derivatives_in_c(tmp_path):
    robot = build("puma560")
    f = library(export(robot, "inverse_dynamics_derivatives"), tmp_path)
    state = np.random.default_rng(2).uniform(-2, 2, (3, 6))
    want = compile("inverse_dynamics_derivatives", robot, backend="numpy")(*state)
    for found, expected in zip(call(f, state, [(6, 6)] * 3), want, strict=True):
        assert close(found, expected)


@needs_gcc
def test_derivatives_of_the_tape_parameters_and_wrenches_in_c(tmp_path):
    robot = build("rr")
    push = Wrench((0, 0, 0), (1, 0, 0), acting_on=robot.link_names[-1])
    path = f"{robot.link_names[-1]}.mass"
    options = {"parameters": [path], "external": push, "derivatives": ["q", path]}
    files = export(robot, "inverse_dynamics", **options, friction=False)
    header = files["rr_inverse_dynamics.h"]
    assert "wrench0[6]" in header and re.search(r"double dtau_dq\[4\], double dtau_d\w+_mass\[2\]", header)
    f = library(files, tmp_path)
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-2, 2, (3, 2))
    wrench = Wrench((0, 0, 0.5), (1.0, 2.0, 3.0), acting_on=robot.link_names[-1])
    g = compile("inverse_dynamics", robot, parameters=[path], derivatives=["q", path])
    want = g(q, qd, qdd, external=wrench, friction=False, parameters={path: 3.0})
    found = call(f, [q, qd, qdd, wrench.vector, [3.0]], [(2,), (2, 2), (2,)])
    for a, b in zip(found, want, strict=True):
        assert close(a, b, 1e-13)


@needs_gcc
def test_single_precision_c(tmp_path):
    robot = build("desk")
    files = export(robot, "inverse_dynamics", dtype="float32")
    text = files["desk_inverse_dynamics.c"]
    assert "double" not in text and "sinf(" in text
    state = np.random.default_rng(4).uniform(-2, 2, (3, robot.n)).astype(np.float32)
    (found,) = call(library(files, tmp_path), state, [(robot.n,)], np.float32)
    assert np.allclose(found, robot.inverse_dynamics(*state.astype(float)), rtol=1e-4, atol=1e-5)


@needs_gcc
@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_in_c(seed, tmp_path):
    """Every operation, unused inputs, constant and repeated outputs, NaN and infinity."""
    tape = random_tape(seed, operations=60)
    f = library(c.files(tape, f"graph_{seed}", [f"out{k}" for k in range(len(tape.outputs))]), tmp_path)
    inputs = random_inputs(tape, 6, seed)
    inputs[0][1, :], inputs[0][2, :], inputs[0][3, :] = np.nan, np.inf, 0.0
    want = [np.zeros((6, o.size)) for o in tape.outputs]
    reference.evaluate(tape, inputs, want, 6)
    for k in range(6):
        found = call(f, [x[k] for x in inputs], [(o.size,) for o in tape.outputs])
        for a, b in zip(found, want, strict=True):
            assert np.allclose(a, b[k], rtol=1e-13, atol=1e-14, equal_nan=True)


@needs_gcc
def test_constants_that_are_no_numbers_and_inputs_that_overlap_outputs(tmp_path):
    tape = trace(lambda x: [np.array([x[1], x[0], float("inf"), float("nan"), -float("inf"), -0.0])], [("x", 6)])
    f = library(c.files(tape, "swap_two", ["y"]), tmp_path)
    x = np.arange(6.0)
    f(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(x.ctypes.data))
    assert x[:3].tolist() == [1.0, 0.0, np.inf] and np.isnan(x[3]) and x[4] == -np.inf and np.signbit(x[5])


@needs_gcc
@pytest.mark.parametrize("name", NASTY)
def test_names_cannot_inject_code(name, tmp_path):
    robot = hostile(name, name)
    files = export(robot, "inverse_dynamics", name=name or None, parameters=[f"{robot.links[0].name}.mass"])
    for file, text in files.items():
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*\.[ch]", file)
        assert text.isascii()
        assert text.count("/*") == text.count("*/")
        assert not re.search(r"[?\\%'`\"]", re.sub(r'(?m)^#include ".*"$|"C"', "", text))
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        function = file[:-2]
        assert set(re.findall(r"(\w+)\s*\(", code)) <= {function, "sin", "cos"}
        directives = {f'include "{function}.h"', "include <math.h>", "ifdef __cplusplus", "endif"}
        directives |= {f"{word} {function.upper()}_H" for word in ("ifndef", "define")}
        assert {line[1:] for line in code.splitlines() if line.startswith("#")} <= directives
    f = library(files, tmp_path)
    mass = robot.links[0].body.mass
    (found,) = call(f, [[0.3], [0.0], [0.5], [mass]], [(1,)])
    assert close(found, robot.inverse_dynamics([0.3], [0.0], [0.5]))


@needs_gcc
def test_arguments_with_names_of_the_language(tmp_path):
    def odd(robot, q, double, sin, v1, register):
        return double + sin * scalar.sin(v1[0]) + register * q[0]

    lengths = {"double": 1, "sin": 1, "v1": 1, "register": 1}
    robot = build("rr")
    f = library(export(robot, odd, shapes=lengths), tmp_path)
    (found,) = call(f, [[2.0, 0.0], [1.0], [2.0], [3.0], [4.0]], [(1,)])
    assert found[0] == pytest.approx(1 + 2 * np.sin(3) + 8, rel=1e-15)


@pytest.mark.parametrize("name", NASTY)
def test_identifiers_are_plain_words(name):
    assert re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", identifier(name))
    assert re.fullmatch(r"[A-Za-z0-9 _.,:;()\[\]=+-]*", comment(name))


def test_different_names_stay_different():
    names = distinct(["link-1.mass", "link_1.mass", "link 1 mass", "v3", "q"], {"q"})
    assert len(set(names)) == 5 and "q" not in names and "v3" not in names
    assert names[0] == "link_1_mass"


def test_the_header_says_what_an_engineer_must_know():
    header = export(build("scara"), "forward_dynamics")["scara_forward_dynamics.h"]
    for text in ("robot scara", "slides", "turns", "SI and radians", "(0, 0, -9.81)", "no allocation", "qdd[4]"):
        assert text in header
    assert max(map(len, header.splitlines())) <= 120


def test_files_are_written_into_a_folder_and_never_over_others(tmp_path):
    robot = build("rr")
    paths = export(robot, "mass_matrix", folder=tmp_path / "new")
    assert [p.name for p in paths] == ["rr_mass_matrix.h", "rr_mass_matrix.c"]
    assert {p.name: p.read_text() for p in paths} == export(robot, "mass_matrix")
    paths[0].unlink()
    with pytest.raises(SteinerError, match="exists"):
        export(robot, "mass_matrix", folder=tmp_path / "new")
    assert not paths[0].exists()  # nothing is written unless everything may be
    assert export(robot, "mass_matrix", folder=tmp_path / "new", force=True) == paths


def test_results_of_many_parts_are_named_by_their_place():
    header = export(build("rr"), "forward_kinematics")["rr_forward_kinematics.h"]
    last = identifier(build("rr").link_names[-1])
    assert f"result_{last}_R[9]" in header and f"result_{last}_p[3]" in header


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "fortran"}, "no target named 'fortran'"),
        ({"dtype": "float16"}, "'float64' or 'float32'"),
        ({"algorithm": "rneaa"}, "no algorithm named 'rneaa'"),
        ({"frictoin": False}, "no option named 'frictoin'"),
        ({"to": "casadi", "dtype": "float32"}, "CasADi computes in float64"),
        ({"parameters": ["a.b"]}, "parameter 'a.b'"),
    ],
)
def test_what_cannot_be_exported_is_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        export(build("rr"), **options)


def test_a_robot_with_symbols_is_refused():
    import sympy as sp

    robot = build("rr").replace(gravity=(0, 0, -sp.Symbol("g")))
    with pytest.raises(ArgumentError, match="symbols"):
        export(robot)
    assert "gravity[3]" in export(build("rr"), dynamics.gravity_forces, parameters=["gravity"])["rr_gravity_forces.h"]
