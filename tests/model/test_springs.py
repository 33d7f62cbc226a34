"""Springs on joints: what may be said of them, and that every route through the library knows them."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import sympy

import steiner as st
from steiner import dynamics as dy
from steiner.errors import SteinerError
from steiner.kernels.prepare import operation_counts
from steiner.model.conversions import to_dh
from tests.comparing import close, five_point, floats
from tests.random_robots import EVERY, random_robot, random_state

SEEDS = range(3)


def wound(seed, **options):
    return random_robot(seed, 4, kinds=EVERY, springs=True, friction=True, **options)


BAD = [
    ({"stiffness": -1.0}, "stiffness -1.0 is negative"),
    ({"stiffness": np.nan}, "stiffness: nan is not a finite number"),
    ({"stiffness": np.inf}, "stiffness: inf is not a finite number"),
    ({"rest": np.inf}, "rest: inf is not a finite number"),
    ({"stiffness": "stiff"}, "stiffness: expected a number"),
    ({"stiffness": [1.0, 2.0]}, "stiffness"),
]


@pytest.mark.parametrize(("given", "told"), BAD)
def test_what_is_no_spring_is_refused_by_name(given, told):
    with pytest.raises(SteinerError, match=f"joint 'elbow': {told}"):
        st.Revolute(name="elbow", **given)
    with pytest.raises(SteinerError, match=r"elbow\.rx"):
        st.Universal(name="elbow", **{name: {"rx": value} for name, value in given.items()})


def test_a_rest_in_degrees_is_pointed_out():
    with pytest.warns(st.ModelWarning, match=r"rest: 90 rad are 14\.3 turns; degrees\?"):
        st.Revolute(name="elbow", stiffness=1.0, rest=90)


def test_one_spring_holds_for_all_coordinates_or_each_has_its_own():
    joint = st.Planar(name="table", stiffness={"x": 2.0, "rz": 3.0}, rest=0.1)
    assert [(s.stiffness, s.rest) for s in joint.screws()] == [(2.0, 0.1), (0.0, 0.1), (3.0, 0.1)]
    assert {s.stiffness for s in st.Spherical(name="ball", stiffness=4.0).screws()} == {4.0}
    with pytest.raises(SteinerError, match="stiffness belongs to one of its joints"):
        st.Composite(name="row", joints=(st.Revolute(name="a"),), stiffness=1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_kernels_say_what_the_text_says(seed):
    robot = wound(seed)
    q, qd, x = random_state(robot, seed)
    calls = {
        "inverse_dynamics": (q, qd, x), "forward_dynamics": (q, qd, x), "spring_forces": (q,), "gravity_forces": (q,),
        "bias_forces": (q, qd), "static_torque": (q,), "potential_energy": (q,),
        "inverse_dynamics_derivatives": (q, qd, x), "forward_dynamics_derivatives": (q, qd, x),
    }  # fmt: skip
    for name, given in calls.items():
        ours, text = getattr(robot, name)(*given), getattr(dy, name)(robot, *given)
        for a, b in zip(ours, text, strict=True) if isinstance(ours, tuple) else [(ours, text)]:
            assert close(a, b, 1e-11), name
    parts = robot.torque_breakdown(q, qd, x)
    assert close(parts["spring"], robot.spring_forces(q))
    assert close(parts.total, robot.inverse_dynamics(q, qd, x))


def test_a_spring_costs_three_operations_and_none_costs_none():
    robot = st.load("puma560")
    resting = robot.replace(links=[_with(k, rest=0.3) for k in robot.links])
    sprung = robot.with_parameters({"joint3.stiffness": 2.0, "joint3.rest": 0.3})
    for name in ("inverse_dynamics", "forward_dynamics"):
        bare, same, more = (operation_counts(r, name)[-1] for r in (robot, resting, sprung))
        assert bare == same
        assert (more.multiplications - bare.multiplications, more.additions - bare.additions) == (1, 2)


def _with(link, **numbers):
    return dataclasses.replace(link, joint=link.joint.with_numbers(**numbers))


def test_stiffness_and_rest_are_run_time_inputs():
    robot = st.load("rr")
    q, qd, qdd = random_state(robot, 1)
    paths = ["joint1.stiffness", "joint2.rest"]
    assert [float(robot.parameter(path)) for path in paths] == [0.0, 0.0]
    robot = robot.with_parameters({"joint2.stiffness": 4.0})
    kernel = st.compile("inverse_dynamics", robot, parameters=paths)
    values = {"joint1.stiffness": np.array([0.0, 2.0, 5.0]), "joint2.rest": np.array([0.0, -0.3, 1.0])}
    batch = kernel(q, qd, qdd, parameters=values)
    for k, tau in enumerate(batch):
        other = robot.with_parameters({path: x[k] for path, x in values.items()})
        assert close(tau, other.inverse_dynamics(q, qd, qdd))
    assert close(batch[2] - batch[0], [5.0 * q[0], -4.0])
    wrist = wound(1)
    name = next(s.name for k in wrist.links for s in k.joint.screws() if "." in s.name)
    changed = wrist.with_parameters({f"{name}.stiffness": 7.0, f"{name}.rest": 0.25})
    assert (changed.joint(name).stiffness, changed.joint(name).rest) == (7.0, 0.25)


def test_springs_may_be_symbols():
    k, rest, q = sympy.symbols("k rest q", real=True)
    body = st.MassProperties(1.0, (0.5, 0, 0), np.zeros((3, 3)))
    arm = st.Robot("arm", [st.Link("bar", None, st.Revolute(stiffness=k, rest=rest), body=body)], gravity=(0, 0, 0))
    assert arm.is_symbolic
    assert sympy.simplify(arm.static_torque([q])[0] - k * (q - rest)) == 0
    assert sympy.simplify(arm.potential_energy([q]) - k * (q - rest) ** 2 / 2) == 0


def test_no_parameter_makes_a_spring_push():
    robot = st.load("rr")
    for path in ("joint1.stiffness", "joint2.armature"):
        with pytest.raises(SteinerError, match=rf"{path}.*-2(\.0)? is negative"):
            robot.with_parameters({path: -2.0})
        with pytest.raises(SteinerError, match=rf"{path}.*-2(\.0)? is negative"):
            st.simulate(robot, [0.1, 0.2], None, 0.1, parameters={path: np.array([1.0, -2.0])})


@pytest.mark.parametrize("seed", SEEDS)
def test_robots_keep_their_springs(seed):
    robot = wound(seed)
    q, _, _ = random_state(robot, seed)
    held = robot.spring_forces(q)
    body = st.MassProperties(1.0)
    for twin in (
        pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot), robot.with_payload(body), robot.without_payload(),
        robot.replace(gravity=(0, 0, 1.0)), robot.tree,
    ):  # fmt: skip
        assert np.array_equal(floats(dy.spring_forces(twin, q)), held)
    assert np.any(held)


def test_a_dh_table_keeps_the_spring_where_it_is_slack():
    robot = random_robot(4, 5, kinds=(st.Revolute, st.Prismatic), springs=True, chain=True, fixed=0, payloads=0)
    links = [_with(k, offset=0.4) if k.joint.moves else k for k in robot.links]
    robot = robot.replace(links=links)
    table = to_dh(robot)
    again = st.Robot.from_dh(table.rows, base=table.base)
    q, _, _ = random_state(robot, 4)
    assert np.any(robot.spring_forces(q))
    assert close(again.spring_forces(q), robot.spring_forces(q))
    assert close(dy.static_torque(again.replace(gravity=robot.gravity), q), dy.static_torque(robot, q), 1e-9)


def test_a_coupled_finger_feels_both_springs():
    """½ k (m q + o − rest)² of the follower is a potential of the leader's coordinate."""
    finger = st.MassProperties(0.1, (0.05, 0, 0), np.eye(3) * 1e-5)
    leader = st.Link("left", None, st.Revolute(name="a", axis=(0, 0, 1), stiffness=2.0), body=finger)
    joint = st.Revolute(name="b", axis=(0, 0, 1), stiffness=3.0, rest=0.2, follows="a", multiplier=-0.5, offset=0.7)
    hand = st.Robot("hand", [leader, st.Link("right", "left", joint, body=finger)], gravity=(0, 0, 0))
    x = -0.5 * 0.4 + 0.7 - 0.2
    assert hand.potential_energy([0.4]) == pytest.approx(2.0 * 0.4**2 / 2 + 3.0 * x**2 / 2, rel=1e-14)
    assert hand.static_torque([0.4]) == pytest.approx(2.0 * 0.4 - 0.5 * 3.0 * x, rel=1e-14)
    dq = hand.inverse_dynamics_derivatives([0.4], [0.0], [0.0])[0]
    assert dq[0, 0] == pytest.approx(2.0 + 3.0 / 4, rel=1e-14)


def test_slopes_by_the_compiler_and_by_the_recursion_are_one():
    robot = wound(5, coupled=False)
    q, qd, qdd = random_state(robot, 5)
    kernel = st.compile("inverse_dynamics", robot, derivatives=("q",))
    assert close(kernel(q, qd, qdd)[1], robot.inverse_dynamics_derivatives(q, qd, qdd)[0], 1e-11)
    assert close(five_point(lambda x: floats(dy.spring_forces(robot, x)), q), np.diag(_stiffness(robot)), 1e-9)


def _stiffness(robot):
    return [body.joint.stiffness * body.joint.multiplier**2 for body in robot.bodies]
