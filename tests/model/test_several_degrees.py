"""Joints of several degrees: numbers by coordinate, files, formulas, and the chain of joints that they stand for."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.errors import ModelWarning, SteinerError
from steiner.files.urdf_write import losses
from steiner.model.joint_types import JOINTS, Several
from tests.comparing import close
from tests.random_robots import random_body, random_pose, random_robot, random_state

KINDS = [kind for kind in JOINTS.values() if issubclass(kind, Several)]
EACH = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def arm(joint: st.Revolute | Several | st.Composite) -> st.Robot:
    rng = np.random.default_rng(3)
    upper = st.Link("upper", None, st.Revolute(name="shoulder", axis=(1, 1, 0)), random_pose(rng), random_body(rng))
    hand = st.Link("hand", "upper", joint, random_pose(rng), random_body(rng), random_pose(rng, 0.1))
    return st.Robot("arm", [upper, hand])


def full(kind: type[Several]) -> Several:
    """Every number of every coordinate its own."""
    first, *others = kind.DEGREES
    return kind(
        name="wrist", axis=(0.2, -0.5, 0.7), friction={first: st.Viscous(0.3) + st.Coulomb(0.2)},
        armature={degree: 0.1 * (k + 1) for k, degree in enumerate(kind.DEGREES)},
        limits={first: (-1, 1.5, 3, 20), others[-1]: (-0.5, 0.5)}, multiplier={first: -1.3}, offset={others[0]: 0.4},
    )  # fmt: skip


def test_the_degrees_are_those_of_the_names():
    """At rest axes are those of the joint's frame; turns are about carried axes, in the order of the names."""
    c, s = math.cos(0.3), math.sin(0.3)
    body = st.MassProperties(1.0)
    for kind, at, expected in [
        (st.Universal, (0.3, math.pi / 2), [[0, 0, 1], [s, c, 0], [-c, s, 0]]),
        (st.Cylindrical, (0.7, 0.3), [[c, -s, 0], [s, c, 0], [0, 0, 1]]),
        (st.Planar, (0.7, 0.2, 0.3), [[c, -s, 0], [s, c, 0], [0, 0, 1]]),
        (st.Spherical, (0.3, math.pi / 2, 0), [[0, 0, 1], [s, c, 0], [-c, s, 0]]),
    ]:
        T = st.Robot("one", [st.Link("it", None, kind(name="j"), body=body)]).forward_kinematics(at, "it")
        assert np.allclose(T.R, expected, atol=1e-15)
    T = st.Robot("one", [st.Link("it", None, st.Planar(name="j"), body=body)]).forward_kinematics((0.7, 0.2, 0.3), "it")
    assert np.allclose(T.p, (0.7, 0.2, 0))
    rx, ry, rz = 0.3, -0.4, 0.9
    ball = st.Robot("one", [st.Link("it", None, st.Spherical(name="j"), body=body)])
    R = ball.forward_kinematics((rx, ry, rz), "it").R
    about = [st.Pose.from_rpy((0, 0, 0), rpy).R for rpy in ((rx, 0, 0), (0, ry, 0), (0, 0, rz))]
    assert np.allclose(R, about[0] @ about[1] @ about[2], atol=1e-15)


@EACH
def test_every_coordinate_has_its_own_numbers(kind):
    robot, first = arm(full(kind)), kind.DEGREES[0]
    assert robot.joint_names == ("shoulder", *(f"wrist.{degree}" for degree in kind.DEGREES))
    assert [robot.joint(name).armature for name in robot.joint_names[1:]] == pytest.approx(
        [0.1 * (k + 1) for k in range(len(kind.DEGREES))]
    )
    screw = robot.joint(f"wrist.{first}")
    assert screw.limits == (-1, 1.5, 3, 20) and screw.multiplier == -1.3 and screw.friction is not None
    assert robot.joint(f"wrist.{kind.DEGREES[-1]}").friction is None
    path = f"wrist.{first}.armature"
    q, qd, qdd = state = random_state(robot, 1)
    f = st.compile("inverse_dynamics", robot, parameters=[path])
    more = f(*state, parameters={path: 0.6}) - robot.inverse_dynamics(q, qd, qdd)
    assert close(more[1], 0.5 * 1.3**2 * qdd[1], 1e-12) and np.abs(np.delete(more, 1)).max() < 1e-12
    assert close(robot.with_parameters({path: 0.6}).inverse_dynamics(*state), f(*state, parameters={path: 0.6}), 1e-12)
    doubled = robot.mapped(lambda x: 2 * x)
    assert doubled.joint(f"wrist.{first}").armature == 0.2 and doubled.joint(f"wrist.{first}").multiplier == -2.6


@EACH
def test_yaml_keeps_it(kind, tmp_path):
    robot = arm(full(kind))
    st.save(robot, tmp_path / "arm.yaml")
    again = st.load(tmp_path / "arm.yaml")
    state = random_state(robot, 2)
    assert again.joint_names == robot.joint_names and type(again.joint("wrist")) is kind
    assert np.array_equal(again.inverse_dynamics(*state), robot.inverse_dynamics(*state))
    assert all(again.joint(n).limits == robot.joint(n).limits for n in robot.joint_names)
    st.save(again, tmp_path / "again.yaml")
    assert (tmp_path / "again.yaml").read_bytes() == (tmp_path / "arm.yaml").read_bytes()


def test_yaml_reads_units_by_coordinate():
    text = """
unit: mm
robot:
  name: plate
  links:
    - name: plate
      joint: {name: j, type: planar, limits: {x: {lower: -100, upper: 100}, rz: {lower: -90 deg, upper: 90 deg}},
              friction: {viscous: 0.5}, rotor: {rz: {inertia: 1e-5, ratio: 10}}}
      body: {mass: 1, com: [0, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
"""
    robot = st.loads(text, format="robot_yaml")
    assert robot.joint("j.x").limits[:2] == (-0.1, 0.1) and robot.joint("j.y").limits is None
    assert robot.joint("j.rz").limits[1] == pytest.approx(math.pi / 2)
    assert robot.joint("j.rz").armature == pytest.approx(1e-3) and robot.joint("j.x").armature == 0
    assert robot.joint("j.y").friction == robot.joint("j.rz").friction == st.Viscous(0.5)
    with pytest.raises(SteinerError, match=r"<text>:7: .*joint.limits.rw"):
        st.loads(text.replace("rz: {lower", "rw: {lower"), format="robot_yaml")


@EACH
def test_urdf_is_a_chain_that_moves_alike(kind, tmp_path):
    joint = kind(name="wrist", friction={kind.DEGREES[0]: st.Viscous(0.3)}, limits=(-1, 1))
    robot = arm(joint)
    st.save(robot, tmp_path / "arm.urdf")
    assert any("that the joints of 'wrist' are one" in loss for loss in losses(robot))
    with pytest.warns(ModelWarning, match="moves but has no mass"):
        again = st.load(tmp_path / "arm.urdf")
    state = random_state(robot, 3)
    assert again.joint_names == robot.joint_names
    assert close(again.inverse_dynamics(*state), robot.inverse_dynamics(*state), 1e-12)
    assert again.joint(f"wrist.{kind.DEGREES[0]}").limits[:2] == (-1, 1)


@EACH
def test_equations_say_what_the_numbers_say(kind):
    body = st.MassProperties(2.0, (0.1, 0, 0.3), (0.02, 0.03, 0.04))
    joint = kind(name="wrist", armature={kind.DEGREES[0]: 0.3})
    robot = st.Robot("pendulum", [st.Link("bob", None, joint, body=body)])
    state = random_state(robot, 4)
    for eq in (st.equations(robot), st.equations(robot, symbols=True)):
        assert eq.proof.holds
        known = dict(zip((*eq.q, *eq.qd, *eq.qdd), np.ravel(state), strict=True)) | eq.letters
        assert close([float(e.subs(known)) for e in eq.tau], robot.inverse_dynamics(*state), 1e-11)
    for method in ("lagrange", "newton-euler"):
        page = st.equations(robot).derivation(method).markdown()
        assert "wrist." in page


def test_the_universal_pendulum_is_the_one_of_the_books():
    """M = diag(I + m l² cos² q₂ …): a point mass at depth l below two crossed axes."""
    m, l, g = sp.symbols("m l g", positive=True)
    bob = st.MassProperties(m, (0, 0, -l), sp.zeros(3).tolist())
    robot = st.Robot("pendulum", [st.Link("bob", None, st.Universal(name="u"), body=bob)], gravity=(0, 0, -g))
    eq = st.equations(robot)
    q1, q2 = eq.q
    assert sp.simplify(eq.M - sp.diag(m * l**2 * sp.cos(q2) ** 2, m * l**2)) == sp.zeros(2)
    expected = sp.Matrix([m * g * l * sp.sin(q1) * sp.cos(q2), m * g * l * sp.cos(q1) * sp.sin(q2)])
    assert sp.simplify(eq.G - expected) == sp.zeros(2, 1)


# ---- several joints in a row -----------------------------------------------------------------------


def test_joints_in_a_row_are_a_chain_on_massless_links(tmp_path):
    parts = (
        st.Revolute(name="a", axis=(1, 2, 0), armature=0.2, friction=st.Viscous(0.4)),
        st.Prismatic(name="b", axis=(0, 1, 1), limits=(-0.1, 0.2), offset=0.3),
        st.Universal(name="c", armature={"ry": 0.1}, multiplier=1.4),
    )
    robot = arm(st.Composite(joints=parts))
    assert robot.joint_names == ("shoulder", "a", "b", "c.rx", "c.ry") and robot.joint("joint_hand").moves
    hand = robot.link("hand")
    between = [st.Link(f"m{k}", "upper" if not k else f"m{k - 1}", part) for k, part in enumerate(parts[:-1])]
    between[0] = dataclasses.replace(between[0], mount=hand.mount)
    last = dataclasses.replace(hand, parent="m1", joint=parts[-1], mount=st.Pose.identity())
    chain = st.Robot("chain", [robot.links[0], *between, last])
    state = random_state(robot, 5)
    assert close(robot.inverse_dynamics(*state), chain.inverse_dynamics(*state), 1e-13)
    assert close(robot.mass_matrix(state[0]), chain.mass_matrix(state[0]), 1e-13)
    st.save(robot, tmp_path / "arm.yaml")
    again = st.load(tmp_path / "arm.yaml")
    assert np.array_equal(again.inverse_dynamics(*state), robot.inverse_dynamics(*state))
    assert again.joint("b").limits[:2] == (-0.1, 0.2)
    for path in ("a.armature", "c.ry.armature", "b.offset"):
        f = st.compile("inverse_dynamics", robot, parameters=[path], backend="numpy")
        assert close(f(*state), robot.inverse_dynamics(*state), 1e-12)
        other = robot.with_parameters({path: 0.9})
        assert close(f(*state, parameters={path: 0.9}), other.inverse_dynamics(*state), 1e-12)
        assert not close(other.inverse_dynamics(*state), robot.inverse_dynamics(*state), 1e-3)
    with pytest.raises(SteinerError, match="no owner named 'joint_hand'"):
        robot.with_parameters({"joint_hand.armature": 0.1})


def test_the_rotors_of_all_screws_count():
    robot = random_robot(12, kinds=(st.Spherical, st.Composite), fixed=1)
    q, qd, _ = random_state(robot, 6)
    shares = robot.kinetic_energy(q, qd, per_link=True)
    assert close(sum(shares.values()), robot.kinetic_energy(q, qd), 1e-13)
    assert all(a >= 0 for a in shares.values())


# ---- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: st.Universal(name="w", armature={"rz": 1}), r"Universal 'w'.*no coordinate named 'rz'.*rx, ry"),
        (lambda: st.Universal(name="w", armature={"rx": -1}), r"joint 'w\.rx': armature -1"),
        (lambda: st.Planar(name="w", limits={"x": (2, 1)}), r"joint 'w\.x': lower limit 2 exceeds"),
        (lambda: st.Composite(name="w", joints=[3]), "expected joints with names, got 3"),
        (lambda: st.Composite(name="w", joints=[st.Revolute()]), "expected joints with names"),
        (lambda: st.Composite(name="w", joints=[st.Revolute(name="a")], armature=0.1), "belongs to one of its joints"),
        (lambda: arm(st.Composite(name="w", joints=[st.Revolute(name="shoulder")])), "two joints are named 'shoulder'"),
        (lambda: arm(st.Universal(name="w", follows={"rx": "w.ry"})).joint("w.rz"), "no joint named 'w.rz'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make, says):
    with pytest.raises(SteinerError, match=says):
        make()


def test_a_coordinate_follows_another():
    robot = arm(st.Universal(name="w", follows={"rx": "shoulder"}, multiplier={"rx": 0.5}))
    free = arm(st.Universal(name="w"))
    assert robot.joint_names == ("shoulder", "w.ry")
    G = np.array([[1, 0], [0.5, 0], [0, 1]])
    state = random_state(robot, 7)
    assert close(robot.inverse_dynamics(*state), G.T @ free.inverse_dynamics(*(G @ x for x in state)), 1e-12)


def test_kinds_differ_in_what_they_do():
    assert all(a.DEGREES != b.DEGREES for a, b in pairwise(KINDS))
