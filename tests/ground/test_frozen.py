"""Values are frozen for real: no array of the caller's is kept, and none that is kept can be written to."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import steiner as st
from steiner.model.answers import BaseMotion
from tests.bad_input import public_calls


def cube() -> tuple[np.ndarray, np.ndarray]:
    return st.Box(1, 2, 3).mesh()


# every constructor that takes arrays: its name, the arrays, what is made of them
DOORS = {
    "MassProperties": (lambda: [np.array([1.0, 2, 3]), np.diag([2.0, 3, 4])], lambda c, I: st.MassProperties(1, c, I)),
    "MassProperties, principal": (lambda: [np.array([2.0, 3, 4])], lambda I: st.MassProperties(1, inertia=I)),
    "MassProperties, about": (
        lambda: [np.array([1.0, 2, 3])], lambda p: st.MassProperties(1, inertia=(9, 9, 9), about=p)
    ),
    "Pose": (lambda: [np.eye(3), np.array([1.0, 2, 3])], lambda R, p: st.Pose(R, p)),
    "Pose.from_rpy": (lambda: [np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3])], st.Pose.from_rpy),
    "Pose.from_matrix": (lambda: [np.eye(4)], st.Pose.from_matrix),
    "Twist": (lambda: [np.ones(3), np.ones(3)], st.Twist),
    "Wrench": (lambda: [np.ones(3), np.ones(3), np.ones(3)], lambda n, f, p: st.Wrench(n, f, at=p)),
    "BaseMotion": (lambda: [np.ones(3)] * 3, BaseMotion),
    "Revolute": (lambda: [np.array([0.0, 0, 1])], lambda axis: st.Revolute(axis=axis)),
    "Robot": (lambda: [np.array([0.0, 0, -9.81])], lambda g: st.Robot("r", [st.Link("l")], gravity=g)),
    "ConvexHull": (lambda: [cube()[0]], st.ConvexHull),
    "Mesh": (lambda: list(cube()), st.Mesh),
    "Cad": (
        lambda: [np.array([0.1, 0.2, 0.3]), np.eye(3), *cube()], lambda c, s, v, f: st.Cad(6.0, c, s, v, f)
    ),
    "Prism": (lambda: [np.array([[0.0, 0], [1, 0], [0, 1]])], lambda p: st.Prism(p, 1)),
    "Revolution": (lambda: [np.array([[0.1, 0], [1, 0], [0.5, 1]])], st.Revolution),
    "Particles": (lambda: [np.array([1.0, 2]), np.array([[0.0, 0, 1], [1, 2, 3]])], st.Particles),
}  # fmt: skip


def arrays_of(value: object) -> dict[str, np.ndarray]:
    fields = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(vars(value))
    return {name: a for name in fields if isinstance(a := getattr(value, name), np.ndarray)}


@pytest.mark.parametrize("name", DOORS)
def test_N3_a_value_keeps_nothing_that_the_caller_can_change(name):
    make, build = DOORS[name]
    given = make()
    value = build(*given)
    before = {key: a.copy() for key, a in arrays_of(value).items()}
    for array in given:
        array *= 10
    for key, a in arrays_of(value).items():
        np.testing.assert_array_equal(a, before[key], err_msg=key)


@pytest.mark.parametrize("name", DOORS)
def test_N3_what_a_value_keeps_cannot_be_written_to(name):
    make, build = DOORS[name]
    for key, a in arrays_of(build(*make())).items():
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0
            pytest.fail(f"{name}.{key} can be written to")


@pytest.mark.parametrize(
    "body",
    [
        st.Box(1, 2, 3).of("steel"),
        st.Box(1, 2, 3).of("steel").moved(st.Pose(p=(1, 2, 3))),
        st.Box(1, 2, 3).of("steel") + st.Sphere(1).of("steel"),
        st.Assembly("a", [st.Part("p", st.Box(1, 1, 1), "steel")]).mass_properties,
        2 * st.MassProperties(1, (1, 2, 3), (1, 1, 1)),
        st.load("gallery:panda").links[2].body,
    ],
)
def test_N3_derived_bodies_are_frozen_too(body):
    for array in (body.com, body.inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 99


def test_N3_poses_that_a_robot_answers_with_are_frozen():
    arm = st.load("gallery:rr")
    for pose in (arm.forward_kinematics([0.1, 0.2], "tool"), arm.forward_kinematics(np.zeros((5, 2)), "tool")):
        with pytest.raises(ValueError, match="read-only"):
            pose.p[..., 0] = 1
    R, p = np.zeros((3, 3)), np.zeros(3)
    for _ in range(2):  # the caller's own memory stays the caller's
        arm.forward_kinematics([0.1, 0.2], "tool", out=(R, p))
    R[0, 0] = 7


def test_N3_gravity_of_kernels_and_texts_stays_one():
    g = np.array([0.0, -9.81, 0.0])
    arm = st.load("gallery:rr").replace(gravity=g)
    q = np.array([0.3, -0.4])
    before = arm.gravity_forces(q).copy()
    g[1] = 0
    with pytest.raises(ValueError, match="read-only"):
        arm.gravity[:] = 0
    np.testing.assert_array_equal(arm.gravity_forces(q), before)
    low, high = (float(arm.potential_energy(q + [h, 0])) for h in (-1e-4, 1e-4))
    assert (high - low) / 2e-4 == pytest.approx(before[0], rel=1e-6)


def test_N3_an_array_that_is_read_only_is_copied_too():
    centre = np.array([0.1, 0.2, 0.3])
    before = centre[:]  # a view from the time when it could be written to
    centre.flags.writeable = False
    body, pose = st.MassProperties(1, centre, (1, 1, 1)), st.Pose(p=centre)
    before *= 10
    assert body.com.tolist() == pose.p.tolist() == [0.1, 0.2, 0.3]


def kept(value: object, name: str, depth: int, seen: set[int]) -> list[str]:
    """Names of the arrays that a value, or one that it keeps, gives away twice and lets be written to."""
    found = []
    for key in dir(value) if id(value) not in seen and depth else ():
        seen.add(id(value))
        try:
            first, again = (None, None) if key.startswith("_") else (getattr(value, key), getattr(value, key))
        except (AttributeError, TypeError, st.SteinerError):
            continue
        several = isinstance(first, tuple)
        for a, b in zip(first, again, strict=True) if several else ((first, again),):  # type: ignore[arg-type]
            if isinstance(a, np.ndarray):
                found += [f"{name}.{key}"] if a.flags.writeable and np.shares_memory(a, b) else []
            elif type(a).__module__.startswith("steiner") and not callable(a) and a is b:
                found += kept(a, f"{name}.{key}", depth - 1, seen)
    return found


@pytest.mark.filterwarnings("ignore::steiner.ModelWarning")
def test_N3_nothing_that_a_value_keeps_can_be_written_to():
    classes = [name for name in st.__all__ if isinstance(getattr(st, name), type)]
    values = {name: public_calls.specimen(name) for name in classes if not issubclass(getattr(st, name), BaseException)}
    values |= {name: public_calls.RESULTS[name] for name in ("Compound", "Placed", "Budget", "Structure")}
    values["panda"] = lambda: st.load("gallery:panda")
    assert len(values) > 50
    assert not [each for name, make in values.items() for each in kept(make(), name, 4, set())]


def arrays_in(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array that a value keeps, and those of the values that it keeps."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, x in value.items():
            yield from arrays_in(x, f"{path}[{key!r}]")
    elif isinstance(value, tuple | list):
        for k, x in enumerate(value):
            yield from arrays_in(x, f"{path}[{k}]")
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("steiner."):
        for key, x in vars(value).items():
            yield from arrays_in(x, f"{path}.{key}")


def desk_at_work() -> dict[str, Any]:
    """Values of every room, with what they have computed and keep."""
    desk = st.load("gallery:desk")
    q, link = np.full(desk.n, 0.1), desk.links[-1].name
    drawing = next(k.made_of for k in desk.links if k.made_of)
    body = st.RigidBody(drawing.mass_properties).simulate(st.Twist((0, 0, 1)), duration=0.1)
    law = st.controllers.pd(desk, q)
    motion = st.simulate(desk, q, 0 * q, 0.1, tau=law)
    course = st.trajectory.quintic(q, 2 * q, 1.0)
    solids: dict[str, Any] = {"hull": st.ConvexHull(cube()[0])}
    if find_spec("manifold3d"):
        solids["cut"] = st.difference(st.Box(1, 1, 1), st.Sphere(0.4), tolerance=0.1)
    linear, sizing = st.linearise(desk, q), st.sizing(desk, course)
    points = st.Particles([1, 2], [(0, 0, 0), (1, 0, 0)])
    for asked in (*(solid.with_mass(1) for solid in solids.values()), linear.poles, sizing.load_inertia, points.com):
        assert asked is not None
    return {
        "robot": desk, "tree": desk.tree, "drawing": drawing, "budget": drawing.budget(),
        "body in motion": body, "law": law, "motion": motion, "trajectory": course, "linear": linear, "sizing": sizing,
        "waves": st.trajectory.fourier(q, [q], [q], 1.0), "points": points, "structure": st.structure(desk, q, link),
        "capacity": st.capacity(desk, q, link=link), "base parameters": st.base_parameters(desk),
        "tracking": st.tracking(motion, course),
        "reach": desk.inverse_kinematics(desk.forward_kinematics(q, link), link=link, q0=q),
    } | solids | {name: build(*make()) for name, (make, build) in DOORS.items()}  # fmt: skip


def test_N3_nothing_that_a_value_keeps_can_be_written_to_nor_in_a_copy_or_a_pickle_of_it():
    """A robot whose body is changed behind its back would go on computing with the tree that it keeps."""
    open_to_all = []
    for name, value in desk_at_work().items():
        assert dict(arrays_in(value)) or name in ("Prism", "Revolution"), name  # which keep tuples
        twins = {"": value, "copy of ": copy.deepcopy(value)}
        if name != "law":  # holds a function of its target
            twins["pickle of "] = pickle.loads(pickle.dumps(value))
        for which, twin in twins.items():
            open_to_all += [f"{which}{name}{path}" for path, a in arrays_in(twin) if a.flags.writeable]
    assert not open_to_all, open_to_all


def test_a_law_keeps_its_target():
    """The law as Python runs it and its code, which is made later, hold the arm at the same place."""
    arm, target = st.load("gallery:rr"), np.zeros(2)
    law = st.controllers.pd(arm, target)
    target += 1
    assert law.traced(arm, 0.0, np.zeros(2), np.zeros(2)) == pytest.approx(law(0.0, np.zeros(2), np.zeros(2)))
