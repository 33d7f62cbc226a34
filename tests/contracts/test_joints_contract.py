"""Every joint of the table keeps the same promises; a new line in JOINTS gets these tests."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import warnings

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics as dy
from steiner.backends import BACKENDS
from steiner.errors import ModelWarning, SteinerError
from steiner.kernels.arguments import flattened
from steiner.kernels.call import Call
from steiner.model.joint_types import JOINTS
from steiner.model.joints import Joint
from tests.comparing import close, five_point, floats
from tests.random_robots import random_body, random_pose, random_state

ALL = pytest.mark.parametrize("kind", JOINTS)
MOVING = pytest.mark.parametrize("kind", [kind for kind, cls in JOINTS.items() if cls(name="j").moves])
SINGLE = pytest.mark.parametrize("kind", [kind for kind, cls in JOINTS.items() if len(cls(name="j").screws()) == 1])


def made(kind: str, **numbers) -> Joint:
    """A joint about an oblique axis; numbers of the type's own are neither 0 nor 1."""
    cls = JOINTS[kind]
    own = {name: 0.07 + 0.02 * k for k, name in enumerate(cls.NUMERIC) if name not in Joint.NUMERIC}
    return cls(name="wrist", axis=(0.3, -0.5, 0.8), **(own | numbers))


def robot(kind: str, *, plain: bool = False, **numbers) -> st.Robot:
    """Two moving links with full tensors, frames turned and off the axes; unless plain, all that a joint can have."""
    rng = np.random.default_rng(7)
    if not plain:
        spring = {"stiffness": 1.7, "rest": -0.4}
        numbers = {"multiplier": -1.4, "offset": 0.3, "armature": 0.2, "friction": st.Viscous(0.6)} | spring | numbers
    first = st.Revolute(name="shoulder", axis=(0.2, 0.9, -0.3))
    seat = st.Pose.identity() if plain else random_pose(rng, 0.1)
    return st.Robot(
        f"on_{kind}",
        (
            st.Link("base", body=random_body(rng)),
            st.Link("upper", "base", first, random_pose(rng), random_body(rng)),
            st.Link("hand", "upper", made(kind, **numbers), random_pose(rng), random_body(rng), seat),
        ),
        gravity=(1.0, -2.0, -9.0),
    )


@ALL
def test_coordinates_are_named_after_the_joint(kind):
    joint, arm = made(kind), robot(kind)
    names = [screw.name for screw in joint.screws()]
    assert names == ["wrist"] if len(names) == 1 else all(name.startswith("wrist.") for name in names)
    assert arm.joint_names == ("shoulder", *names) and arm.n == 1 + len(names)
    assert all(arm.joint(name).screw() == screw.screw() for name, screw in zip(names, joint.screws(), strict=True))
    assert arm.joint("wrist").moves == bool(names)


@SINGLE
def test_the_pose_moves_along_the_unit_twist(kind):
    joint = made(kind)
    T = joint.pose(0.4)
    turn = five_point(lambda x: joint.pose(x[0]).R, np.array([0.4]))[..., 0] @ T.R.T
    v = five_point(lambda x: joint.pose(x[0]).p, np.array([0.4]))[..., 0]
    twist = np.array([turn[2, 1], turn[0, 2], turn[1, 0], *v])
    assert close(twist, joint.S, 1e-9) and np.abs(twist).max() > 0.05
    assert close(joint.pose(0).matrix, np.eye(4), 1e-15)
    # turning and sliding along one axis go in any order: values add
    assert close((joint.pose(0.4) @ joint.pose(0.3)).matrix, joint.pose(0.7).matrix, 1e-14)


@ALL
def test_torque_is_the_sum_of_its_terms(kind):
    arm = robot(kind)
    q, qd, qdd = random_state(arm, 3)
    terms = (
        arm.mass_matrix(q) @ qdd, arm.coriolis_matrix(q, qd) @ qd, arm.gravity_forces(q), arm.spring_forces(q),
        arm.friction_forces(q, qd),
    )  # fmt: skip
    assert close(arm.inverse_dynamics(q, qd, qdd), sum(terms), 1e-12)
    assert close(arm.forward_dynamics(q, qd, sum(terms)), qdd, 1e-10)
    assert close(arm.velocity_forces(q, qd), terms[1], 1e-11)


@ALL
def test_the_mass_matrix_is_that_of_the_jacobians(kind):
    arm = robot(kind)
    q, _, _ = random_state(arm, 4)
    expected = np.zeros((arm.n, arm.n))
    for link in arm.links:
        J = arm.jacobian(q, link.name, "body")
        expected += J.T @ link.body.spatial @ J
    for body in arm.bodies:
        expected[body.index, body.index] += body.joint.armature * body.joint.multiplier**2
    assert close(arm.mass_matrix(q), expected, 1e-12)


@ALL
def test_jacobians_are_rates_of_poses(kind):
    arm = robot(kind)
    q, qd, _ = random_state(arm, 5)

    def pose(t):
        return arm.forward_kinematics(q + qd * t[0], "hand")

    turn = five_point(lambda t: pose(t).R, np.zeros(1))[..., 0] @ pose([0.0]).R.T
    v = five_point(lambda t: pose(t).p, np.zeros(1))[..., 0]
    aligned = arm.jacobian(q, "hand", "aligned") @ qd
    assert close(aligned, np.array([turn[2, 1], turn[0, 2], turn[1, 0], *v]), 1e-8)


@ALL
def test_the_power_of_the_torques_is_the_rate_of_energy(kind):
    arm = robot(kind)
    q, qd, qdd = random_state(arm, 6)

    def energy(t):
        now, rate = q + qd * t[0] + qdd * t[0] ** 2 / 2, qd + qdd * t[0]
        return arm.kinetic_energy(now, rate) + arm.potential_energy(now)

    power = qd @ arm.inverse_dynamics(q, qd, qdd, friction=False)
    assert close(power, five_point(energy, np.zeros(1))[0], 1e-9)
    assert close(arm.static_torque(q), five_point(arm.potential_energy, q), 1e-9)


@ALL
@pytest.mark.parametrize("backend", BACKENDS)
def test_kernels_give_what_the_text_gives(kind, backend):
    arm = robot(kind).with_payload(random_body(np.random.default_rng(1)), pose=random_pose(np.random.default_rng(2)))
    q, qd, qdd = random_state(arm, 8)
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    rows = dy.METHODS if backend == "numpy" else [dy.algorithm(n) for n in ("rnea", "aba", "crba", "regressor")]
    for row in rows:
        arguments = [values[name] for name in row.arrays if name in values]
        found, text = (flattened(x)[0] for x in (Call(arm, row, backend=backend)(*arguments), row(arm, *arguments)))
        scale = max(1.0, *(np.abs(floats(b)).max(initial=0) for b in text))
        for a, b in zip(found, text, strict=True):
            assert np.abs(floats(a) - floats(b)).max(initial=0) <= 1e-10 * scale, row.name


LONG = ("spherical", "planar")  # expressions of three angles take SymPy seconds


@pytest.mark.parametrize("kind", [pytest.param(k, marks=[pytest.mark.heavy] if k in LONG else []) for k in JOINTS])
def test_symbols_give_what_numbers_give(kind):
    """Symbols for the state, and for the numbers of the joint."""
    arm = robot(kind)
    q, qd, qdd = state = random_state(arm, 9)
    expected = arm.inverse_dynamics(q, qd, qdd)
    symbols = [sp.symbols(f"{name}:{arm.n}") for name in ("q", "v", "a")]
    f = sp.lambdify(symbols, list(arm.inverse_dynamics(*symbols)), "math")
    assert close(f(*state), expected, 1e-11)
    numbers = {n: sp.Symbol(n, positive=True) for n in JOINTS[kind].NUMERIC if n not in Joint.NUMERIC}
    numbers |= {"armature": sp.Symbol("armature", positive=True), "offset": sp.Symbol("offset")}
    of = {s: getattr(robot(kind).joint("wrist"), n) for n, s in numbers.items()}
    lettered = robot(kind, **numbers)
    assert lettered.is_symbolic or not lettered.joint("wrist").moves
    f = sp.lambdify(list(of), list(lettered.inverse_dynamics(q, qd, qdd)), "math")
    assert close(f(*of.values()), expected, 1e-11)


@ALL
def test_a_held_joint_is_part_of_the_arm(kind):
    arm = robot(kind, armature=0.0)
    q, qd, qdd = random_state(arm, 10)
    held = arm.locked(dict(zip(arm.joint_names[1:], q[1:], strict=True)))
    assert held.joint_names == ("shoulder",) and not held.joint("wrist").moves
    for link in arm.link_names:
        ours, theirs = held.forward_kinematics(q[:1], link), arm.forward_kinematics(q, link)
        assert close(ours.matrix, theirs.matrix, 1e-13)
    qd[1:] = qdd[1:] = 0
    assert close(held.inverse_dynamics(q[:1], qd[:1], qdd[:1]), arm.inverse_dynamics(q, qd, qdd)[:1], 1e-12)


@MOVING
def test_one_coordinate_of_several_is_not_held_alone(kind):
    names = robot(kind).joint_names[1:]
    if len(names) > 1:
        with pytest.raises(SteinerError, match="held as a whole"):
            robot(kind).locked({names[0]: 0.1})
    with pytest.raises(SteinerError, match=r"no joint named 'wrist\.none'"):
        robot(kind).locked({"wrist.none": 0.1})


@ALL
def test_copies_and_pickles_move_alike(kind):
    arm = robot(kind)
    state = random_state(arm, 11)
    expected = arm.inverse_dynamics(*state)
    for twin in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm), copy.copy(arm), arm.replace(name="twin")):
        assert np.array_equal(twin.inverse_dynamics(*state), expected)
        assert twin.joint_names == arm.joint_names


@ALL
def test_a_urdf_gives_the_joint_back_or_is_refused_by_name(kind, tmp_path):
    arm = robot(kind, plain=True)
    path = tmp_path / "arm.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # gravity is not in a URDF
        try:
            st.save(arm, path)
        except SteinerError as refusal:
            assert "wrist" in str(refusal) and not path.exists()
            return
        again = st.load(path).replace(gravity=arm.gravity)
    state = random_state(arm, 12)
    assert again.joint_names == arm.joint_names
    assert close(again.inverse_dynamics(*state), arm.inverse_dynamics(*state), 1e-12)


@ALL
def test_mapping_reaches_every_number(kind):
    stated = {f.name for f in dataclasses.fields(JOINTS[kind]) if isinstance(f.default, int | float)}
    assert stated == set(JOINTS[kind].NUMERIC)
    joint = made(kind, multiplier=2.0, offset=0.3, armature=0.4, stiffness=5.0, rest=0.7, friction=st.Viscous(0.6))
    twice = joint.mapped(lambda x: 2 * x)
    assert type(twice) is type(joint) and twice.name == "wrist"
    for name in joint.NUMERIC:
        assert getattr(twice, name) == 2 * getattr(joint, name) != 0
    assert np.array_equal(twice.axis, 2 * joint.axis)
    assert twice.friction == st.Viscous(1.2)


@ALL
def test_what_is_no_number_is_refused_by_name(kind):
    for name in JOINTS[kind].NUMERIC:
        for bad in (math.nan, math.inf, "5", None, [1.0], 1j):
            with pytest.raises(SteinerError, match=rf"joint 'wrist': {name}"):
                made(kind, **{name: bad})
    with pytest.raises(SteinerError, match=r"armature -1\.0 is negative"):
        made(kind, armature=-1.0)
    with pytest.raises(SteinerError, match="multiplier 0 never moves"):
        made(kind, multiplier=0)
    with pytest.raises(SteinerError, match="axis"):
        JOINTS[kind](name="wrist", axis=(0, 0, 0))


@MOVING
def test_every_number_may_be_a_run_time_input(kind):
    arm = robot(kind)
    state = random_state(arm, 13)
    for name in JOINTS[kind].NUMERIC:
        path, value = f"wrist.{name}", 0.57
        f = st.compile("inverse_dynamics", arm, parameters=[path], backend="numpy")
        now = robot(kind, **{name: value}).inverse_dynamics(*state)
        assert close(f(*state, parameters={path: value}), now, 1e-11), name
        assert not close(f(*state), now, 1e-6), name
