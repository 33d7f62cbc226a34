"""Every algorithm of the table can be compiled, differentiated, parametrised and written as C."""

from __future__ import annotations

import numpy as np
import pytest

from steiner.dynamics import METHODS
from steiner.inertia import MassProperties
from steiner.kernels.arguments import flattened
from steiner.kernels.compile import compile
from steiner.kernels.export import export
from steiner.model.joints import Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.robots import build
from steiner.spatial import Pose
from tests.c_programs import call, library, needs_gcc

ALL = pytest.mark.parametrize("algorithm", METHODS, ids=lambda a: a.name)


def loaded() -> Robot:
    """Turning and sliding joints, and a payload."""
    return build("scara").with_payload(MassProperties(1.0, (0, 0, 0.1), (0.01, 0.02, 0.015)))


@pytest.fixture(scope="module")
def robot():
    return loaded()


def leaves(result):
    return [np.asarray(a, float) for a in flattened(result)[0]]


def state(algorithm, robot):
    rng = np.random.default_rng(4)
    return {name: rng.uniform(-1, 1, robot.n) for name, length in algorithm.arrays.items() if length == "n"}


@ALL
def test_derivatives_are_those_of_differences(algorithm, robot):
    x = state(algorithm, robot)
    f = compile(algorithm.function, robot, derivatives=tuple(x), backend="numpy")
    plain = compile(algorithm.function, robot, backend="numpy")
    value, *slopes = f(**x)
    for a, b in zip(leaves(value), leaves(plain(**x)), strict=True):
        assert np.allclose(a, b, rtol=1e-13, atol=1e-13)
    h = 1e-5
    for name, slope in zip(x, slopes, strict=True):
        moved = x[name] + h * np.concatenate([np.eye(robot.n), -np.eye(robot.n)])
        values = leaves(plain(**{**x, name: moved}))
        for found, v in zip(leaves(slope), values, strict=True):
            quotient = np.moveaxis((v[: robot.n] - v[robot.n :]) / (2 * h), 0, -1)
            assert found.shape == quotient.shape
            assert np.allclose(found, quotient, rtol=1e-7, atol=1e-7)


@ALL
def test_payload_and_gravity_may_be_run_time_inputs(algorithm, robot):
    x = state(algorithm, robot)
    f = compile(algorithm.function, robot, parameters=["payload.mass", "gravity"], backend="numpy")
    now = {"payload.mass": 2.5, "gravity": np.array([0.4, -0.3, -3.7])}
    other = build("scara").with_payload(MassProperties(2.5, (0, 0, 0.1), (0.01, 0.02, 0.015)))
    want = compile(algorithm.function, other.replace(gravity=now["gravity"]), backend="numpy")(**x)
    for a, b in zip(leaves(f(**x, parameters=now)), leaves(want), strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12)


@needs_gcc
@ALL
def test_c_equals_the_kernel(algorithm, robot, tmp_path):
    x = state(algorithm, robot)
    want = leaves(compile(algorithm.function, robot, backend="numpy")(**x))
    found = call(library(export(robot, algorithm.function), tmp_path), list(x.values()), [w.shape for w in want])
    for a, b in zip(found, want, strict=True):
        assert np.allclose(a, b, rtol=1e-14, atol=1e-14)


def arm(length=0.4, mass=2.0, com=0.1, inertia=0.03, armature=0.2, offset=0.1, multiplier=1.5):
    sled = MassProperties(1.0, (0, 0, 0.1), (1, 1, 1))
    body = MassProperties(mass, (com, 0.02, 0.01), np.diag([0.01, 0.02, inertia]))
    elbow = Revolute(name="elbow", axis=(0, 1, 0), armature=armature, offset=offset, multiplier=multiplier)
    return Robot(
        "arm",
        [
            Link("upper", None, Revolute(name="shoulder"), body=MassProperties(3.0, (0.2, 0, 0), (0.1, 0.2, 0.3))),
            Link("fore", "upper", elbow, Pose.from_rpy((length, 0.1, 0.0), (0.3, 0.2, 0.1)), body),
            Link("slide", "fore", Prismatic(name="slider"), Pose(p=(0.1, 0, 0)), sled),
        ],
    )


@pytest.mark.parametrize(
    ("path", "given", "value"),
    [
        ("fore.xyz", {"length": 0.7}, [0.7, 0.1, 0.0]),
        ("fore.mass", {"mass": 5.0}, 5.0),
        ("fore.com", {"com": 0.3}, [0.3, 0.02, 0.01]),
        ("fore.inertia", {"inertia": 0.025}, np.diag([0.01, 0.02, 0.025])),
        ("elbow.armature", {"armature": 0.5}, 0.5),
        ("elbow.offset", {"offset": -0.4}, -0.4),
        ("elbow.multiplier", {"multiplier": 2.5}, 2.5),
    ],
)
def test_a_parameter_is_the_number_in_the_constructor(path, given, value):
    """Against a robot built anew by hand."""
    x = np.random.default_rng(6).uniform(-1, 1, (3, 3))
    for name in ("inverse_dynamics", "forward_dynamics"):
        f = compile(name, arm(), parameters=[path])
        assert np.allclose(f(*x, parameters={path: value}), getattr(arm(**given), name)(*x), rtol=1e-12, atol=1e-12)
        assert np.abs(f(*x) - getattr(arm(**given), name)(*x)).max() > 1e-6
