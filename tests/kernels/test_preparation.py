"""Preparation of robots for kernels: each step changes no number and does what it says."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.dynamics import ALGORITHMS, forward_dynamics, inverse_dynamics, mass_matrix
from steiner.kernels import prepare
from steiner.kernels.prepare import (
    density,
    lean_frames,
    operation_counts,
    regrouped,
    risen_frames,
    slid_frames,
    sparse_frames,
)

# Luh, Walker and Paul's recursion for six joints: 150 n − 48 multiplications, 131 n − 48 additions
PUBLISHED = (852, 738)


def oblique(seed, n=6, kinds=(st.Revolute, st.Prismatic, st.Helical)):
    rng = np.random.default_rng(seed)
    links = []
    for k in range(n):
        A = rng.normal(size=(3, 3))
        body = st.MassProperties(rng.uniform(0.5, 2), rng.normal(size=3), np.trace(A @ A.T) * np.eye(3) - A @ A.T)
        kind = kinds[rng.integers(len(kinds))]
        options = {"pitch": 0.2} if kind is st.Helical else {}
        spring = {"stiffness": 3.0, "rest": 0.2 * k}
        joint = kind(axis=rng.normal(size=3), armature=0.1, offset=0.1 * k, multiplier=1.5, **spring, **options)
        parent = f"l{rng.integers(max(0, k - 2), k)}" if k else None
        links.append(st.Link(f"l{k}", parent, joint, st.Pose.from_rpy(rng.normal(size=3), rng.normal(size=3)), body))
    return st.Robot("oblique", tuple(links))


STEPS = [
    sparse_frames, slid_frames, risen_frames, regrouped, lambda r: regrouped(slid_frames(sparse_frames(r))),
    lambda r: regrouped(risen_frames(sparse_frames(r))),
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("seed", range(6))
def test_a_step_changes_no_effort(step, seed):
    robot = oblique(seed)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, robot.n))
    twin = step(robot.tree)
    load = [st.Wrench(acting_on="l5", force=(1, 2, 3), moment=(3, 2, 1), at=(0.1, 0.2, 0.3))]
    tau = inverse_dynamics(robot, q, qd, qdd, external=load).astype(float)
    np.testing.assert_allclose(
        inverse_dynamics(twin, q, qd, qdd, external=load).astype(float), tau, rtol=0, atol=1e-12 * np.abs(tau).max()
    )
    M = mass_matrix(robot, q).astype(float)
    np.testing.assert_allclose(mass_matrix(twin, q).astype(float), M, rtol=0, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(forward_dynamics(twin, q, qd, tau, external=load).astype(float), qdd, atol=1e-9)


def test_oblique_mounts_become_sparse_and_cheaper():
    robot = oblique(1, kinds=(st.Revolute,))
    sparse = sparse_frames(robot.tree)
    assert density(sparse.bodies) < 0.75 * density(robot.bodies)
    given, framed, base = operation_counts(robot)
    assert framed.multiplications < given.multiplications
    assert base.multiplications < framed.multiplications


@pytest.mark.parametrize("name", ["panda", "ur5", "puma560", "scara", "iiwa"])
def test_arms_that_are_sparse_already_are_left_alone(name):
    robot = st.load(f"gallery:{name}")
    assert sparse_frames(robot.tree) is robot.tree


def test_origins_slide_until_offsets_are_perpendicular_to_their_axes():
    """The Panda's shoulder becomes one point, its wrist's offset moves outboard; every kernel gets cheaper."""
    robot = st.load("gallery:panda")
    slid = slid_frames(robot.tree)
    for body in slid.bodies[1:]:
        assert abs(body.mount.p @ body.mount.R[:, 2]) < 1e-15
    assert not slid.bodies[1].mount.p.any() and not slid.bodies[2].mount.p.any()
    assert density(slid.bodies) <= density(robot.bodies)
    assert slid_frames(slid) is slid


def test_origins_on_the_common_normals_leave_two_lengths_per_joint():
    """As Denavit and Hartenberg: along the normal, and along the axis; nearly parallel axes are left alone."""
    robot = oblique(2, n=12, kinds=(st.Revolute,))
    first = {k.parent: i for i, k in reversed(list(enumerate(robot.bodies)))}
    risen, chosen = (step(sparse_frames(robot.tree)) for step in (risen_frames, lean_frames))
    along = [np.count_nonzero(risen.bodies[i].mount.p) for parent, i in first.items() if parent >= 0]
    assert along.count(1) > len(along) / 2 and density(chosen.bodies) == density(risen.bodies)
    assert density(risen.bodies) < density(slid_frames(sparse_frames(robot.tree)).bodies)
    farthest = max(np.abs(body.mount.p).max() for body in sparse_frames(robot.tree).bodies)
    assert all(abs(body.rise) < 3 * prepare.NEAR * farthest for body in risen.bodies)


def test_nearly_parallel_axes_keep_their_digits():
    """Their common normal is a thousand kilometres away."""
    links, body = [], st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4))
    for k in range(4):
        mount = st.Pose.from_rpy((0.3, 0.1, 0.2), (1e-7 * (k + 1), 2e-7, 0.4))
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, st.Revolute(name=f"j{k}"), mount, body))
    robot = st.Robot("nearly planar", tuple(links))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 4))
    tau = inverse_dynamics(robot, q, qd, qdd).astype(float)
    assert np.abs(robot.inverse_dynamics(q, qd, qdd) - tau).max() < 1e-14 * np.abs(tau).max()


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_customised_recursions_need_less_than_half_of_the_published_counts(name):
    robot = st.load(f"gallery:{name}")
    given, _, base = operation_counts(robot)
    assert given.multiplications <= PUBLISHED[0] and given.additions <= PUBLISHED[1]
    assert base.multiplications <= PUBLISHED[0] / 2 and base.additions <= PUBLISHED[1] / 2
    assert "base parameters" in str(operation_counts(robot))


@pytest.mark.parametrize("algorithm", [a for a in ALGORITHMS if a.alternatives], ids=lambda a: a.name)
@pytest.mark.parametrize("seed", range(4))
def test_alternative_routes_give_the_same_result(algorithm, seed):
    robot = oblique(seed + 50)
    q, qd, tau = np.random.default_rng(seed).normal(size=(3, robot.n))
    load = [st.Wrench(acting_on="l4", force=(1, -2, 3), moment=(0.5, 2, 1), at=(0.1, 0.2, 0.3))]
    whole = algorithm(robot, q, qd, tau, external=load).astype(float)
    for route in algorithm.alternatives:
        for arm in (robot.tree, regrouped(sparse_frames(robot.tree))):
            found = route(arm, q, qd, tau, external=load).astype(float)
            np.testing.assert_allclose(found, whole, rtol=1e-9, atol=1e-10)


def test_the_winning_route_is_remembered_and_a_wrong_memory_costs_time_only(tmp_path, monkeypatch):
    """A second robot of the same numbers is traced once; what memory says is never more than a choice of routes."""
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    traced, real = [], prepare.trace
    monkeypatch.setattr(prepare, "trace", lambda *args: traced.append(1) or real(*args))
    state = np.random.default_rng(1).normal(size=(3, 6))
    found, counts = [], []
    for label in (None, None, b"0 forward_dynamics forward_dynamics_by_mass_matrix", b"7", b"", b"1 nobody nothing"):
        if label is not None:
            monkeypatch.setattr(prepare, "remembered", lambda key, make, label=label: label)
        traced.clear()
        found.append(oblique(3).forward_dynamics(*state))
        counts.append(len(traced))
    assert counts[0] > 3 and counts[1:3] == [1, 1]
    assert counts[3:] == [counts[0]] * 3, "what no route is called is looked for again"
    assert np.array_equal(found[0], found[1])
    for other in found[2:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-9)


def test_another_robot_is_not_taken_for_one_that_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    asked = []
    monkeypatch.setattr(prepare, "remembered", lambda key, make: asked.append(key) or make())
    robot, state = oblique(3), np.zeros((3, 6))
    heavier = robot.with_payload(st.MassProperties(1.0))
    for one in (robot, heavier, robot.replace(gravity=(0, 0, -1.62))):
        one.forward_dynamics(*state)
    robot.forward_dynamics(*state, friction=False)
    robot.replace(name="twin").forward_dynamics(*state)
    assert len(set(asked)) == 4 and asked[0] == asked[-1]
