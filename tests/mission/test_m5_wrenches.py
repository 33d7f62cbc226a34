"""M5: wrenches summed in a frame chosen by name, and a base that moves in every inverse dynamics."""

from __future__ import annotations

import dataclasses
import runpy
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics
from steiner.errors import SteinerError
from steiner.kernels.compile import Compiled
from steiner.spatial import rotation_rpy

ROOT = Path(__file__).parents[2]
rng = np.random.default_rng(5)


@pytest.fixture(scope="module")
def slide():
    return runpy.run_path(str(ROOT / "examples" / "hand_and_apple.py"))


def test_M5_the_hand_with_the_apple_line_by_line(slide):
    f, T_hf, T_af = slide["f"], slide["T_hf"], slide["T_af"]
    assert str(slide["F_h"]) == "(0, 0, 0, 0, -5 N, 0)"
    assert str(slide["F_a"]) == "(0, 0, 0, 0, 0, 1 N)"
    assert np.array_equal(T_hf.matrix, [[1, 0, 0, -0.1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert np.array_equal(T_af.matrix, [[1, 0, 0, -0.25], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    assert str(slide["F_h"].in_frame(f)) == "(0, 0, -0.5 N m, 0, -5 N, 0)"
    assert str(slide["F_a"].in_frame(f)) == "(0, 0, -0.25 N m, 0, -1 N, 0)"
    assert str(slide["F_f"]) == "(0, 0, -0.75 N m, 0, -6 N, 0)"


def test_M5_the_frame_of_the_sum_is_chosen_by_name(slide):
    loads = [slide["F_h"], slide["F_a"]]
    F_f = st.total_wrench(loads, frame="f")
    assert str(F_f.frame) == "{f}"
    assert np.allclose(F_f.vector, [0, 0, -0.75, 0, -6, 0], atol=1e-15)
    at_apple = st.total_wrench(loads, frame="a")
    assert np.allclose(at_apple.in_frame(slide["f"]).vector, F_f.vector, atol=1e-15)
    with pytest.raises(SteinerError, match=r"no frame named 'g'.*h, f, a"):
        st.total_wrench(loads, frame="g")


def test_M5_power_does_not_depend_on_the_frame():
    T = st.Pose(rotation_rpy(rng.uniform(-1, 1, 3)), rng.uniform(-1, 1, 3))
    b = st.Frame("b")
    a = st.Frame("a", T, of=b)
    w = st.Wrench(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), frame=a)
    twist_b = rng.uniform(-1, 1, 6)
    twist_a = st.spatial.twist_to_child(T, twist_b)
    assert w.in_frame(b).vector @ twist_b == pytest.approx(w.vector @ twist_a, rel=1e-13)
    assert np.allclose(w.in_frame(b).in_frame(a).vector, w.vector, atol=1e-15)


def test_M5_wrenches_of_one_frame_add_up_and_others_say_what_to_do():
    w = st.Wrench((1, 2, 3), (4, 5, 6), frame="h")
    assert np.array_equal((w + w).vector, 2 * w.vector)
    assert np.array_equal((-w).vector, -w.vector)
    for other in (
        st.Wrench(force=(1, 0, 0), frame="a"),
        st.Wrench(force=(1, 0, 0), acting_on="tool"),
        st.Wrench(force=(1, 0, 0), frame="h", at=(1, 0, 0)),
    ):
        with pytest.raises(SteinerError, match="in_frame"):
            w + other
    with pytest.raises(SteinerError, match="nothing says where"):
        w.in_frame("a")
    with pytest.raises(TypeError):
        w + 1


def test_M5_two_frames_of_one_name_are_one_only_if_they_stand_at_one_place():
    f = st.Frame("f")
    here, there = (st.Frame("h", st.Pose(p=(x, 0, 0)), of=f) for x in (0.1, 0.2))
    with pytest.raises(SteinerError, match="in_frame"):
        st.Wrench(frame=here) + st.Wrench(frame=there)
    assert here == st.Frame("h", st.Pose(p=(0.1, 0, 0)), of=f)


def test_M5_points_of_application_are_carried_to_the_origin():
    arm = st.load("gallery:puma560")
    q = rng.uniform(-1, 1, 6)
    at, force = rng.uniform(-1, 1, (4, 3)), rng.uniform(-1, 1, (4, 3))
    loads = [
        st.Wrench(force=f, at=p, acting_on="link6", axes="link") for p, f in zip(at, force, strict=True)
    ]
    one = st.total_wrench(loads)
    assert np.allclose(
        arm.static_torque(q, external=one), arm.static_torque(q, external=loads), rtol=1e-12, atol=1e-12
    )
    with pytest.raises(SteinerError, match="axes='link'"):
        st.total_wrench([st.Wrench(force=(1, 0, 0), at=(1, 0, 0), acting_on="link6")])


def test_M5_batches_and_symbols_change_frames_too():
    x, F = sp.symbols("x F")
    f = st.Frame("f")
    h = st.Frame("h", st.Pose(p=(x, 0, 0)), of=f)
    moved = st.Wrench(force=(0, F, 0), frame=h).in_frame(f).vector
    assert [sp.nsimplify(v) for v in moved] == [0, 0, x * F, 0, F, 0]
    T = st.Pose(rotation_rpy(rng.uniform(-1, 1, 3)), rng.uniform(-1, 1, 3))
    m, force = rng.uniform(-1, 1, (2, 7, 3))
    many = st.Wrench(m, force).in_frame("b", T).vector
    single = [st.spatial.wrench_to_child(T, [*a, *b]) for a, b in zip(m, force, strict=True)]
    assert np.allclose(many, single, atol=1e-15)


def test_M5_a_wrench_in_a_frame_that_the_robot_does_not_know_is_refused():
    arm = st.load("gallery:rr")
    with pytest.raises(SteinerError, match=r"\{a\}.*acting_on"):
        arm.inverse_dynamics([0.0, 0], [0.0, 0], [0.0, 0], external=st.Wrench(force=(1, 0, 0), frame="a"))


# ---- a base that moves -----------------------------------------------------------------------


def on_a_carrier(arm):
    """The same arm on three sliding and three turning joints that carry its base, massless."""
    axes = np.eye(3)
    joints = [st.Prismatic(name=f"s{k}", axis=axes[k]) for k in range(3)]
    joints += [st.Revolute(name=f"t{k}", axis=axes[k]) for k in range(3)]
    links, parent = [], None
    for joint in joints:
        links.append(st.Link(joint.name, parent, joint))
        parent = joint.name
    own = [dataclasses.replace(x, parent=x.parent or parent) for x in arm.links]
    return st.Robot("carried", [*links, *own], arm.gravity)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_M5_a_moving_base_is_an_arm_on_a_carrier(name):
    """At zero angles the carrier's rates are ω₀ and v, its accelerations ω̇₀ and v̇₀ up to the products of rates."""
    arm = st.load(f"gallery:{name}")
    q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
    rates, accelerations = rng.uniform(-1, 1, (2, 6))
    w = rates[3:]
    turn = accelerations[3:] + [  # x, then y, then z: ω̇ = Σ q̈ẑ + Σ ω×q̇ẑ
        w[1] * w[2], -w[0] * w[2], w[0] * w[1]
    ]  # fmt: skip
    base = st.BaseMotion(w, turn, accelerations[:3])
    carrier = on_a_carrier(arm)
    state = [np.concatenate(x) for x in ((np.zeros(6), q), (rates, qd), (accelerations, qdd))]
    wanted = carrier.inverse_dynamics(*state, friction=False)[6:]
    found = arm.inverse_dynamics(q, qd, qdd, friction=False, base=base)
    rotors = arm.inverse_dynamics(q, qd, qdd, friction=False) - arm.newton_euler(q, qd, qdd).tau
    assert np.allclose(found, wanted, rtol=1e-11, atol=1e-11)
    assert np.allclose(found - rotors, arm.newton_euler(q, qd, qdd, base=base).tau, rtol=1e-11, atol=1e-11)
    assert not np.allclose(found, arm.inverse_dynamics(q, qd, qdd, friction=False))


def test_M5_the_base_moves_in_every_inverse_dynamics_numbers_batches_and_kernels():
    arm = st.load("gallery:panda")
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, 7))
    base = rng.uniform(-1, 1, (5, 9))
    tau = arm.inverse_dynamics(q, qd, qdd, base=base)
    alone = [arm.inverse_dynamics(*x, base=b) for *x, b in zip(q, qd, qdd, base, strict=True)]
    assert np.array_equal(tau, alone)
    text = dynamics.inverse_dynamics(arm, q[0], qd[0], qdd[0], base=st.BaseMotion(*base[0].reshape(3, 3)))
    assert np.allclose(text.astype(float), tau[0], rtol=1e-12)
    compiled = st.compile("inverse_dynamics", arm)
    assert np.allclose(compiled(q, qd, qdd, base=base), tau, rtol=1e-14)
    for by in ("source", "link"):
        shares = arm.torque_breakdown(q, qd, qdd, base=base, by=by)
        assert np.allclose(shares.total, tau, rtol=1e-11, atol=1e-11)
    bare = arm.newton_euler(q, qd, qdd, base=base).tau
    Y = arm.regressor(q, qd, qdd, base=base)
    assert np.allclose(Y @ dynamics.inertial_parameters(arm).astype(float), bare, rtol=1e-11, atol=1e-11)
    carried = arm.joint_reactions(q, qd, qdd, base=base)
    assert np.allclose(carried[1][..., 2], bare, rtol=1e-11, atol=1e-11)


def test_M5_a_base_at_rest_costs_nothing():
    arm = st.load("gallery:puma560")
    plain = Compiled(arm, dynamics.inverse_dynamics)
    _, plan = plain.variant()
    assert [name for name, _ in plan.tape.inputs] == ["q", "qd", "qdd"]
    q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
    still = arm.inverse_dynamics(q, qd, qdd, base=np.zeros(9))
    assert np.allclose(still, arm.inverse_dynamics(q, qd, qdd), rtol=1e-13, atol=1e-13)


def test_M5_a_lift_that_falls_freely_carries_a_weightless_arm():
    arm = st.load("gallery:puma560")
    q = rng.uniform(-1, 1, 6)
    zero = np.zeros(6)
    tau = arm.inverse_dynamics(q, zero, zero, base=st.BaseMotion(acceleration=arm.gravity))
    assert np.abs(tau).max() < 1e-13
