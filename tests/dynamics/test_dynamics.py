"""The methods of a robot: their names and shapes, what they refuse, what they cost, how they show."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics as dy
from steiner.dynamics.newton_euler import rotor_efforts
from steiner.errors import ArgumentError, GeometryError, ModelError
from steiner.kernels.arguments import flattened
from steiner.kernels.call import Call
from steiner.kernels.compile import Compiled
from steiner.model.conversions import to_dh, to_poe
from steiner.model.link import Link
from steiner.model.parameters import with_parameters
from steiner.model.robot import Robot
from steiner.robots import build
from tests.comparing import close, floats
from tests.random_robots import random_body, random_pose, random_robot, random_state

BY_NAME = {a.name: a for a in dy.METHODS}

# the contract: arguments by position, then options by name
SIGNATURES = {
    "inverse_dynamics": (("q", "qd", "qdd"), {"external", "friction"}),
    "forward_dynamics": (("q", "qd", "tau"), {"external", "friction"}),
    "mass_matrix": (("q",), set()),
    "coriolis_matrix": (("q", "qd"), set()),
    "velocity_forces": (("q", "qd"), set()),
    "gravity_forces": (("q",), set()),
    "bias_forces": (("q", "qd"), set()),
    "friction_forces": (("q", "qd"), set()),
    "christoffel": (("q",), set()),
    "centrifugal_coriolis": (("q",), set()),
    "torque_breakdown": (("q", "qd", "qdd"), {"external", "friction"}),
    "newton_euler": (("q", "qd", "qdd"), {"external", "base"}),
    "forward_kinematics": (("q", "link"), set()),
    "jacobian": (("q", "link", "frame", "point"), set()),
    "kinetic_energy": (("q", "qd", "per_link"), set()),
    "potential_energy": (("q",), set()),
    "center_of_mass": (("q",), set()),
    "momentum": (("q", "qd"), set()),
    "joint_reactions": (("q", "qd", "qdd"), {"external"}),
    "static_torque": (("q",), {"exerted_by_robot", "external", "gravity"}),
    "inverse_dynamics_derivatives": (("q", "qd", "qdd"), {"friction"}),
    "forward_dynamics_derivatives": (("q", "qd", "tau"), {"friction"}),
    "regressor": (("q", "qd", "qdd"), set()),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_methods_are_called_as_promised(name):
    positional, options = SIGNATURES[name]
    (_, *given) = inspect.signature(getattr(Robot, name)).parameters.values()
    kinds = {p.name: p.kind for p in given}
    order = [n for n, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert tuple(order[: len(positional)]) == positional
    assert {*options, "out"} <= {n for n, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY}
    assert name in dy.__all__ and len(inspect.getdoc(getattr(dy, name)) or "") > 20
    for alias, of in (("rnea", "inverse_dynamics"), ("aba", "forward_dynamics"), ("crba", "mass_matrix")):
        assert getattr(Robot, alias).__name__ == of


SHAPES = {
    "coriolis_matrix": [(3, 3)],
    "christoffel": [(3, 3, 3)],
    "centrifugal_coriolis": [(3, 3), (3, 3)],
    "center_of_mass": [(3,)],
    "momentum": [(6,)],
    "kinetic_energy": [()],
    "potential_energy": [()],
    "jacobian": [(6, 3)],
    "regressor": [(3, 30)],
    "inverse_dynamics_derivatives": [(3, 3)] * 3,
    "forward_dynamics_derivatives": [(3, 3)] * 3,
}


@pytest.mark.parametrize("name", SHAPES)
def test_batches_come_first(name):
    robot = random_robot(1, n=3)
    algorithm = BY_NAME[name]
    call = Call(robot, algorithm, backend="numpy")
    arrays = [a for a in algorithm.arrays if a not in ("base", "point")]
    rng = np.random.default_rng(0)
    batch = [rng.uniform(-1, 1, (4, 5, 3)) for _ in arrays]
    result = call(*batch)
    several = [result] if isinstance(result, np.ndarray) else [x for x in result if isinstance(x, np.ndarray)]
    assert [x.shape for x in several] == [(4, 5, *shape) for shape in SHAPES[name]]
    one = call(*(x[1, 2] for x in batch))
    singles = [one] if isinstance(one, np.ndarray) else [x for x in one if isinstance(x, np.ndarray)]
    for a, b in zip(several, singles, strict=True):
        assert np.array_equal(a[1, 2], b)


def test_poses_of_all_links_or_of_one():
    robot = build("puma560")
    q = np.random.default_rng(0).uniform(-1, 1, (7, 6))
    every = robot.forward_kinematics(q)
    assert tuple(every) == robot.link_names and every.matrix.shape == (7, 6, 4, 4)
    one = robot.forward_kinematics(q, "link6")
    assert isinstance(one, st.Pose) and one.matrix.shape == (7, 4, 4)
    assert close(one.matrix, every["link6"].matrix, 1e-15)


# ---- bad input -----------------------------------------------------------------------------------


def test_a_wrong_length_names_the_joints():
    with pytest.raises(ArgumentError, match=r"joint1, joint2, joint3, joint4, joint5, joint6"):
        build("puma560").mass_matrix(np.zeros(5))


def test_an_unknown_link_is_told_the_nearest():
    robot = build("puma560")
    with pytest.raises(ArgumentError, match=r"did you mean 'link6'\?.*link1, link2"):
        robot.forward_kinematics(np.zeros(6), "lnk6")
    with pytest.raises(ArgumentError, match="did you mean 'link3'"):
        robot.jacobian(np.zeros(6), "linc3")
    with pytest.raises(ArgumentError, match="no link named 'hand'"):
        robot.inverse_dynamics(*np.zeros((3, 6)), external=st.Wrench(force=(1, 0, 0), acting_on="hand"))


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda r, q: r.jacobian(q, frame="world"), "frames: space, body, aligned"),
        (lambda r, q: r.momentum(q, q, about="centre"), "points: origin, com"),
        (lambda r, q: r.torque_breakdown(q, q, q, by="lynk"), "did you mean 'link'"),
        (lambda r, q: st.structure(r, q).ellipsoid("lineal"), "did you mean 'linear'"),
        (lambda r, q: st.structure_map(r, q, ("joint1", "joint9")), "did you mean 'joint1'|joints: joint1"),
        (lambda r, q: r.newton_euler(q, q, q, base=(1, 2, 3)), "base has 9 numbers"),
        (lambda r, q: r.without_payload("apple"), "no payload named 'apple'"),
    ],
)
def test_unknown_options_are_told_what_there_is(call, hint):
    with pytest.raises(ArgumentError, match=hint):
        call(build("puma560"), np.zeros(6))


def massless_leaf() -> Robot:
    arm = Link("arm", None, st.Revolute(name="shoulder"), body=st.MassProperties(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1)))
    return Robot("tip", (arm, Link("tip", "arm", st.Revolute(name="wrist"), st.Pose(p=(1, 0, 0)))))


def test_a_massless_leaf_has_torques_but_no_acceleration():
    robot = massless_leaf()
    tau = robot.inverse_dynamics([0.1, 0.2], [1, 2], [3, 4])
    assert np.isfinite(tau).all() and tau[1] == 0
    for method in (robot.forward_dynamics, robot.forward_dynamics_derivatives):
        with pytest.raises(ModelError, match="joint 'wrist' moves no mass"):
            method([0.1, 0.2], [1, 2], [3, 4])
    with pytest.raises(ModelError, match="has no mass"):
        Robot("air", (Link("air", None, st.Revolute()),)).center_of_mass([0.0])


def test_a_massless_link_between_others_is_no_problem():
    arm = st.MassProperties(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1))
    links = (
        Link("a", None, st.Revolute(name="j1")),
        Link("b", "a", st.Revolute(axis=(1, 0, 0), name="j2"), st.Pose(p=(0.1, 0.2, 0.3)), arm),
    )
    robot = Robot("cardan", links)
    q, qd, qdd = np.array([[0.1, 0.2], [1, 2], [3, 4]])
    assert close(robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd)), qdd, 1e-12)


def test_an_unphysical_body_is_told_apart():
    table = st.MassProperties(0.0, (0, 0, 0), (0, 0.35, 0))  # Corke's link 1: published, so it loads
    assert not table.is_physical()
    with pytest.raises(GeometryError, match="no distribution of mass has these properties"):
        st.RigidBody(table)


# ---- payload -------------------------------------------------------------------------------------


def test_payloads_are_named_stacked_and_removed():
    robot = build("puma560")
    box = st.MassProperties(1.5, (0.01, 0.02, 0.05), (0.01, 0.02, 0.02))
    one = robot.with_payload(box)
    two = one.with_payload(2 * box, link="link3", pose=st.Pose.from_rpy((0.1, 0, 0), (0.1, 0.2, 0.3)))
    assert [p.name for p in two.payloads] == ["payload", "payload2"]
    assert two.total_mass == pytest.approx(robot.total_mass + 4.5)
    with pytest.raises(ArgumentError, match="already carries"):
        two.with_payload(box, name="payload")
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    back = two.without_payload("payload2").without_payload("payload")
    assert np.array_equal(back.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
    assert two.without_payload().payloads == ()
    assert robot.payloads == ()  # nothing mutates
    nothing = robot.with_payload(st.MassProperties(0.0, (1, 2, 3), np.zeros(3)))
    assert np.array_equal(nothing.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))


# ---- the same arm in every form ------------------------------------------------------------------


def serial(seed: int) -> Robot:
    return random_robot(seed, n=6, kinds=(st.Revolute, st.Prismatic), chain=True, fixed=2, payloads=1)


@pytest.mark.parametrize("make", [lambda: build("puma560"), lambda: build("stanford"), lambda: build("panda"),
                                  lambda: serial(1), lambda: serial(2)])  # fmt: skip
@pytest.mark.filterwarnings("ignore:link .* no body has:steiner.errors.ModelWarning")  # the Puma's link 1, as published
def test_dh_screws_and_tree_are_the_same_arm(make):
    robot = make()
    q, qd, _ = random_state(robot)
    forms = [Robot.from_poe(*to_poe(robot), gravity=robot.gravity)]
    for convention in ("standard", "modified"):
        table = to_dh(robot, convention)
        forms.append(Robot.from_dh(table.rows, convention=convention, base=table.base, gravity=robot.gravity))
        tool = dy.forward_kinematics(forms[-1], q, forms[-1].link_names[-1]) @ table.tool
        assert close(tool.matrix, dy.forward_kinematics(robot, q, robot.link_names[-1]).matrix, 1e-12)
    rotors = np.diag(floats(rotor_efforts(robot, np.ones(robot.n))))
    for form in forms:
        own = np.diag(floats(rotor_efforts(form, np.ones(robot.n))))
        M = floats(dy.mass_matrix(robot, q)) - rotors
        assert np.abs(floats(dy.mass_matrix(form, q)) - own - M).max() <= 1e-12 * np.abs(M).max()
        for function in (dy.velocity_forces, dy.bias_forces):
            assert close(function(form, q, qd), function(robot, q, qd), 1e-12)
        assert close(dy.coriolis_matrix(form, q, qd), dy.coriolis_matrix(robot, q, qd), 1e-12)


def test_only_a_serial_arm_of_plain_joints_is_a_dh_table():
    with pytest.raises(ModelError, match="branches"):
        to_poe(random_robot(3, n=6))
    lead = Link("a", None, st.Helical(pitch=0.1, name="lead"), body=random_body(np.random.default_rng(0)))
    helix = Robot("helix", (lead,))
    with pytest.raises(ModelError, match="joint 'lead' is not a plain"):
        helix.to_dh()
    screws = helix.to_poe()
    again = Robot.from_poe(*screws)
    assert close(again.inverse_dynamics([0.3], [1], [2]), helix.inverse_dynamics([0.3], [1], [2]))


# ---- cost ----------------------------------------------------------------------------------------

# additions, multiplications, divisions and roots of the kernels of the Panda, fingers locked
FLOPS = {
    "inverse_dynamics": 610,
    "forward_dynamics": 1150,
    "mass_matrix": 325,
    "coriolis_matrix": 1300,
    "gravity_forces": 105,
    "christoffel": 1310,
    "inverse_dynamics_derivatives": 2620,
    "forward_dynamics_derivatives": 4650,
    "jacobian": 160,
}


@pytest.mark.parametrize("name", FLOPS)
def test_kernels_stay_small(name):
    _, plan = Compiled(build("panda"), BY_NAME[name]).variant()
    assert plan.tape.flops <= FLOPS[name]


# ---- display -------------------------------------------------------------------------------------


def test_robots_and_results_show_themselves():
    robot = build("desk").with_payload(random_body(np.random.default_rng(0)), name="apple <b>")
    page = robot._repr_html_()
    assert page.startswith("<table>") and "apple &lt;b&gt;" in page and "<b>" not in page
    assert all(name in page for name in robot.link_names)
    q = np.zeros(robot.n)
    for shown in (robot.newton_euler(q, q, q), robot.torque_breakdown(q, q, q), st.structure(robot, q + 0.3)):
        assert shown._repr_html_().startswith("<table>") and shown.table()
    assert random_body(np.random.default_rng(0))._repr_html_()


def test_reactions_name_their_frame():
    robot = build("puma560")
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 4, 6))
    found = robot.joint_reactions(q, qd, qdd)
    assert found.wrench.shape == (4, 6, 6) and "axes of the moving link" in found.frame
    assert list(found.named()) == list(robot.joint_names)


def test_a_pose_moves_what_it_should():
    rng = np.random.default_rng(0)
    robot = random_robot(9, payloads=0)
    q, qd, qdd = random_state(robot)
    body, pose = random_body(rng), random_pose(rng)
    link = robot.link_names[-1]
    moved = robot.with_payload(body.moved(pose), link=link)
    posed = robot.with_payload(body, link=link, pose=pose)
    assert close(dy.inverse_dynamics(moved, q, qd, qdd), dy.inverse_dynamics(posed, q, qd, qdd))


# ---- over the table ------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", dy.METHODS, ids=lambda a: a.name)
def test_symbols_flow_through_every_algorithm(algorithm):
    """Exact symbols in, no float out, and the same value as the numbers."""
    m1, m2, l, c, I, g = sp.symbols("m1 m2 l c I g", positive=True)
    flat = [[0, 0, 0], [0, I, 0], [0, 0, I]]
    rows = [
        st.DH(a=l, alpha=sp.pi / 2, body=st.MassProperties(m1, (-c, 0, 0), flat)),
        st.DH(joint="prismatic", body=st.MassProperties(m2, (0, 0, c), flat)),
    ]
    robot = Robot.from_dh(rows, gravity=(0, 0, -g))
    names = [a for a in algorithm.arrays if a not in ("base", "point")]
    symbols = {name: sp.symbols(f"{name}1:3") for name in names}
    result, _ = flattened(getattr(robot, algorithm.name)(*symbols.values()))
    assert not any(isinstance(x, float) or sp.sympify(x).atoms(sp.Float) for a in result for x in a.ravel())

    numbers = {m1: 1.5, m2: 0.7, l: 0.4, c: 0.1, I: 0.02, g: 9.81}
    state = {name: np.random.default_rng(k).uniform(-1, 1, 2) for k, name in enumerate(names)}
    point = {**numbers, **{s: v for name in names for s, v in zip(symbols[name], state[name], strict=True)}}
    plain = robot.mapped(lambda x: float(sp.sympify(x).subs(numbers)))
    expected, _ = flattened(Call(plain, algorithm, backend="numpy")(*state.values()))
    for ours, theirs in zip(result, expected, strict=True):
        values = np.array([float(sp.sympify(x).subs(point)) for x in ours.ravel()])
        assert np.allclose(values, theirs.astype(float).ravel(), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("algorithm", dy.METHODS, ids=lambda a: a.name)
def test_run_time_numbers_reach_every_algorithm(algorithm):
    robot = build("desk").with_payload(st.MassProperties(0.3, (0, 0, 0.02), np.full(3, 1e-4)))
    values = {"payload.mass": np.array(0.7), "upper.com": np.array([0.1, 0.02, 0.03])}
    values["gravity"] = np.array([1.0, 2, -3])
    state = dict(zip(("q", "qd", "qdd", "tau"), np.random.default_rng(0).uniform(-1, 1, (4, robot.n)), strict=True))
    arguments = [state[name] for name in algorithm.arrays if name in state]
    ours = Call(robot, algorithm, backend="numpy", parameters=list(values))(*arguments, parameters=values)
    theirs = Call(with_parameters(robot, values), algorithm, backend="numpy")(*arguments)
    for a, b in zip(flattened(ours)[0], flattened(theirs)[0], strict=True):
        assert close(a, b, 1e-12)


def test_what_the_scale_adds_to_the_parts_is_unaccounted():
    robot = build("desk")
    heavy = robot.provenance["assemblies"]["upper"].weighed(robot.link("upper").body.mass * 1.1)
    links = tuple(
        dataclasses.replace(k, body=None, made_of=heavy) if k.name == "upper" else k for k in robot.links
    )
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, robot.n))
    before = robot.torque_breakdown(q, qd, qdd, by="part")
    weighed = robot.replace(links=links)
    after = weighed.torque_breakdown(q, qd, qdd, by="part")
    assert "upper/unaccounted" not in before
    upper = sum(share for path, share in before.items() if path.startswith("upper/"))
    assert close(after["upper/unaccounted"], upper * 0.1, 1e-10)
    assert close(after.total, weighed.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize("by", ["link", "element", "part", "payload"])
def test_shares_of_links_and_payloads_with_the_names_of_other_shares_are_all_there(by):
    body = st.MassProperties(1.0, (0.1, 0, 0.05), (1e-2,) * 3)
    rub = st.Viscous(0.3)
    first = st.Link("friction", None, st.Revolute(name="a", axis=(0, 1, 0), friction=rub, armature=0.1), body=body)
    second = st.Link("external", "friction", st.Revolute(name="b", axis=(0, 1, 0)), body=body)
    arm = st.Robot("odd names", [first, second])
    for name in ("rest", "rotor", "friction", "link friction"):
        arm = arm.with_payload(body, name=name, link="external")
    q, qd, qdd = np.array([[0.1, 0.2], [1.0, 2.0], [2.0, -1.0]])
    shares = arm.torque_breakdown(q, qd, qdd, by=by)
    assert shares.total == pytest.approx(arm.inverse_dynamics(q, qd, qdd), rel=1e-13)
    assert shares["friction"] == pytest.approx([0.3, 0.0])
    assert shares["rotor"] == pytest.approx([0.2, 0.0])
    named = {"link": {"link friction", "link external"}, "payload": {"payload rest", "payload rotor", "rest"}}
    assert named.get(by, {"link friction", "link external", "payload rotor", "rest"}) <= set(shares)
    if by == "payload":
        assert shares["rest"] == pytest.approx(
            arm.replace(payloads=()).inverse_dynamics(q, qd, qdd) - shares["friction"] - shares["rotor"], rel=1e-13
        )
