"""Laws of mechanics, each as a function of a seed that asserts it on a random robot.

They run on the text of the algorithms with plain floats.  `test_laws.py` draws the seeds;
`test_mutations.py` breaks the text on purpose and sees the named law fail.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

import steiner as st
from steiner import dynamics as dy
from steiner.dynamics.inertial import inertial_parameters
from steiner.dynamics.newton_euler import rotor_efforts
from steiner.kernels.prepare import regrouped, risen_frames, slid_frames, sparse_frames
from steiner.model.answers import BaseMotion
from steiner.model.joints import Fixed, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.spatial import Ad, Pose, Wrench
from tests import random_robots
from tests.comparing import close, five_point, floats
from tests.random_robots import EVERY, SINGLE, random_body, random_pose, random_state

random_robot = partial(random_robots.random_robot, kinds=EVERY, springs=True)


def tau(robot, q, qd, qdd, **options):
    return floats(dy.inverse_dynamics(robot, q, qd, qdd, **options))


def rate(f, q, qd, qdd):
    """d/dt of f(q, q̇) along the motion with accelerations q̈."""
    return five_point(lambda t: f(q + qd * t[0] + qdd * t[0] ** 2 / 2, qd + qdd * t[0]), np.zeros(1))[..., 0]


def power_of_the_torques_is_the_rate_of_energy(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, qdd = random_state(robot, seed)

    def energy(q, qd):
        return float(dy.kinetic_energy(robot, q, qd)) + float(dy.potential_energy(robot, q))

    assert close(qd @ tau(robot, q, qd, qdd), rate(energy, q, qd, qdd), 1e-9)


def friction_only_takes_energy(seed: int) -> None:
    robot = random_robot(seed, friction=True)
    q, qd, _ = random_state(robot, seed)
    lost = qd @ floats(dy.friction_forces(robot, q, qd))
    assert lost > 0
    coast = floats(dy.forward_dynamics(robot, q, qd, np.zeros(robot.n)))

    def energy(q, qd):
        return float(dy.kinetic_energy(robot, q, qd)) + float(dy.potential_energy(robot, q))

    assert close(rate(energy, q, qd, coast), -lost, 1e-8)


def mass_matrix_is_symmetric_and_positive(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, _ = random_state(robot, seed)
    M = floats(dy.mass_matrix(robot, q))
    assert close(M, M.T, 1e-15)
    assert np.linalg.eigvalsh(M)[0] > 0
    assert close(M, dy.mass_matrix_by_jacobians(robot, q))
    assert close(qd @ M @ qd / 2, dy.kinetic_energy(robot, q, qd))
    assert close(sum(dy.kinetic_energy(robot, q, qd, per_link=True).values()), dy.kinetic_energy(robot, q, qd))


def mdot_minus_2c_is_skew(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, _ = random_state(robot, seed)
    slopes = floats(dy.lagrange.mass_matrix_slopes(robot.tree, q))
    C = floats(dy.coriolis_matrix(robot, q, qd))
    X = slopes @ qd - 2 * C
    M = floats(dy.mass_matrix(robot, q))
    scale = np.abs(M).max() + np.abs(slopes).max() * np.abs(qd).max()  # M may be constant
    assert np.abs(X + X.T).max() <= 1e-12 * scale
    by_time = rate(lambda q, qd: floats(dy.mass_matrix(robot, q)), q, qd, 0 * q)
    assert np.abs(slopes @ qd - by_time).max() <= 1e-9 * scale


def velocity_terms_agree_in_all_their_forms(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, _ = random_state(robot, seed)
    V = floats(dy.velocity_forces(robot, q, qd))
    b = floats(dy.christoffel(robot, q))
    terms = dy.centrifugal_coriolis(robot, q)
    pairs = np.array([qd[j] * qd[k] for j in range(robot.n) for k in range(j + 1, robot.n)])
    scale = max(np.abs(b).max(), np.abs(floats(dy.mass_matrix(robot, q))).max()) * np.abs(qd).max() ** 2
    for other in (
        floats(dy.coriolis_matrix(robot, q, qd)) @ qd,
        np.einsum("ijk,j,k->i", b, qd, qd),
        floats(terms.C) @ qd**2 + floats(terms.B) @ pairs,
        floats(dy.velocity_forces(robot, q, 3 * qd)) / 9,
    ):
        assert np.abs(other - V).max() <= 1e-12 * scale
    assert np.abs(b - floats(dy.christoffel_by_jacobians(robot, q))).max() * np.abs(qd).max() ** 2 <= 1e-12 * scale
    assert np.abs(floats(dy.velocity_forces(robot, q, 0 * qd))).max() == 0


def torque_is_the_sum_of_its_terms(seed: int) -> None:
    """RNEA = M q̈ + C q̇ + g + springs + friction − JᵀF, every term by an algorithm of its own."""
    robot = random_robot(seed, friction=True)
    q, qd, qdd = random_state(robot, seed)
    link = robot.link_names[1 + seed % (len(robot.links) - 1)]
    F = Wrench(moment=(1, -2, 3), force=(4, 5, -6), acting_on=link)
    J = floats(dy.jacobian(robot, q, link, "aligned"))
    terms = (
        floats(dy.mass_matrix_by_jacobians(robot, q)) @ qdd,
        floats(dy.coriolis_matrix(robot, q, qd)) @ qd,
        floats(dy.gravity_by_jacobians(robot, q)),
        floats(dy.spring_forces(robot, q)),
        floats(dy.friction_forces(robot, q, qd)),
        -J.T @ F.vector,
    )
    assert close(tau(robot, q, qd, qdd, external=[F]), sum(terms))


def forward_dynamics_inverts_inverse_dynamics(seed: int) -> None:
    robot = random_robot(seed, friction=True)
    q, qd, qdd = random_state(robot, seed)
    F = Wrench(moment=(1, -2, 3), force=(4, 5, -6), acting_on=robot.link_names[-1], at=(0.1, 0.2, 0.3), axes="link")
    efforts = tau(robot, q, qd, qdd, external=[F])
    guard = 1e-13 * np.linalg.cond(floats(dy.mass_matrix(robot, q)))
    for forward in (dy.forward_dynamics, dy.forward_dynamics_by_mass_matrix):
        assert close(forward(robot, q, qd, efforts, external=[F]), qdd, guard)


def gravity_is_the_gradient_of_potential_energy(seed: int) -> None:
    robot = random_robot(seed)
    q, _, _ = random_state(robot, seed)
    robot, wound = robot.tree.springless(), robot
    assert not np.any(floats(dy.spring_forces(robot, q)))
    g = floats(dy.gravity_forces(robot, q))
    assert close(g, dy.gravity_by_jacobians(robot, q))
    assert np.array_equal(g, floats(dy.gravity_forces(wound, q)))
    assert close(five_point(lambda x: float(dy.potential_energy(robot, x)), q), g, 1e-9)
    height = -wound.total_mass * robot.gravity @ floats(dy.center_of_mass(robot, q))
    assert close(height, dy.potential_energy(robot, q))
    assert close(sum(dy.potential_energy(robot, q, per_link=True).values()), height)


def springs_pull_to_their_rest(seed: int) -> None:
    """Their energy ½ k (x − rest)² is what potential energy has beside that of gravity, their effort its slope.

    Nothing else of the equations knows them: M, C q̇, g, and a wrench at the tool.
    """
    robot = random_robot(seed, coupled=seed % 2 == 1, kinds=(EVERY, SINGLE)[seed % 2])
    q, qd, qdd = random_state(robot, seed)
    slack = robot.tree.springless()
    value = {body.joint.name: body.joint.multiplier * q[body.index] + body.joint.offset for body in robot.bodies}
    screws = [screw for link in robot.links for screw in link.joint.screws()]
    held = sum(screw.stiffness * (value[screw.name] - screw.rest) ** 2 / 2 for screw in screws)
    scale = max(abs(float(dy.potential_energy(robot, q))), held)
    for P in (dy.potential_energy, lambda tree, q: sum(dy.potential_energy(tree, q, per_link=True).values())):
        assert abs(float(P(robot, q)) - float(P(slack, q)) - held) <= 1e-13 * scale
    pull = floats(dy.spring_forces(robot, q))
    slope = five_point(lambda x: float(dy.potential_energy(robot, x)) - float(dy.potential_energy(slack, x)), q)
    assert close(slope, pull, 1e-9)
    assert close(tau(robot, q, qd, qdd) - pull, tau(slack, q, qd, qdd))
    for f, state in ((dy.mass_matrix, (q,)), (dy.bias_forces, (q, qd)), (dy.velocity_forces, (q, qd)),
                     (dy.inertial_forces, (q, qdd)), (dy.kinetic_energy, (q, qd))):  # fmt: skip
        assert np.array_equal(floats(f(robot, *state)), floats(f(slack, *state)))
    push = {"external": [Wrench(force=(1, 2, 3), acting_on=robot.link_names[-1])]}
    alone = floats(dy.external_forces(slack, q, **push))
    assert np.array_equal(floats(dy.static_torque(robot, q, gravity=False, **push)), alone)
    held_still = floats(dy.gravity_forces(slack, q)) + pull + alone
    assert close(dy.static_torque(robot, q, **push), held_still)


def lagrange_is_newton_euler(seed: int) -> None:
    robot = random_robot(seed, friction=True)
    q, qd, qdd = random_state(robot, seed)
    assert close(dy.lagrange_dynamics(robot, q, qd, qdd), tau(robot, q, qd, qdd))


def turning_and_shifting_the_world_changes_nothing(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, qdd = random_state(robot, seed)
    T = random_pose(np.random.default_rng(seed), 2.0)
    links = tuple(dataclasses.replace(k, mount=T @ k.mount) if k.parent is None else k for k in robot.links)
    moved = robot.replace(links=links, gravity=T.R @ robot.gravity)
    assert close(tau(moved, q, qd, qdd), tau(robot, q, qd, qdd))
    assert close(dy.mass_matrix(moved, q), dy.mass_matrix(robot, q))
    last = robot.link_names[-1]
    J, J_moved = (floats(dy.jacobian(r, q, last)) for r in (robot, moved))
    assert close(J_moved, Ad(T) @ J)


def another_link_frame_changes_nothing(seed: int) -> None:
    """A link's own frame is a name for where its body and children are, no more."""
    robot = random_robot(seed, payloads=0)
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    shift = {k.name: random_pose(rng) for k in robot.links}
    links = []
    for k in robot.links:
        T = shift[k.name]
        mount = k.mount if k.parent is None else shift[k.parent].inverse() @ k.mount
        links.append(dataclasses.replace(k, mount=mount, origin=k.origin @ T, body=k.body.moved(T.inverse())))
    other = robot.replace(links=tuple(links))
    assert close(tau(other, q, qd, qdd), tau(robot, q, qd, qdd))
    assert close(dy.potential_energy(other, q), dy.potential_energy(robot, q), 1e-11)


def other_units_scale_as_they_must(seed: int) -> None:
    """Lengths × a, masses × b, times × c: efforts of turning joints × b a²/c², of sliding ones × b a/c²."""
    robot = random_robot(seed, kinds=(Revolute, Prismatic), rotors=False, springs=False)
    q, qd, qdd = random_state(robot, seed)
    a, b, c = 1000.0, 0.002, 60.0

    def scaled(T):
        return Pose.trusted(T.R, a * T.p)

    def body(m):
        return st.MassProperties(b * m.mass, a * m.com, a * a * b * m.inertia)

    links = tuple(
        dataclasses.replace(k, mount=scaled(k.mount), origin=scaled(k.origin), body=body(k.body)) for k in robot.links
    )
    loads = tuple(dataclasses.replace(p, body=body(p.body), pose=scaled(p.pose)) for p in robot.payloads)
    other = robot.replace(links=links, payloads=loads, gravity=robot.gravity * a / c**2)
    slides = np.array([not body.joint.turn for body in robot.bodies])
    length = np.where(slides, a, 1.0)
    expected = tau(robot, q, qd, qdd) * b * np.where(slides, a, a * a) / c**2
    ours = tau(other, q * length, qd * length / c, qdd * length / c**2)
    assert np.all(np.abs(ours / expected - 1) < 1e-9)


def splitting_a_link_changes_nothing(seed: int) -> None:
    """A link cut in two, the halves held by a fixed joint, is the same link."""
    robot = random_robot(seed, payloads=0)
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    links = []
    for k in robot.links:
        half, at = random_body(rng), random_pose(rng)
        rest = k.body + half.moved(at)
        links.append(dataclasses.replace(k, body=k.body))
        links.append(Link(f"{k.name}_half", k.name, Fixed(), at, half))
        assert rest.mass > k.body.mass
    split = robot.replace(links=tuple(links))
    rng = np.random.default_rng(seed)
    whole = []
    for k in robot.links:
        half, at = random_body(rng), random_pose(rng)
        whole.append(dataclasses.replace(k, body=k.body + half.moved(at)))
    one = robot.replace(links=tuple(whole))
    assert close(tau(split, q, qd, qdd), tau(one, q, qd, qdd))
    assert close(dy.mass_matrix(split, q), dy.mass_matrix(one, q))
    assert close(split.total_mass, one.total_mass)


def a_payload_comes_and_goes(seed: int) -> None:
    robot = random_robot(seed, payloads=0)
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    link, body, pose = robot.link_names[-1], random_body(rng), random_pose(rng)
    loaded = robot.with_payload(body, link=link, pose=pose, name="apple").with_payload(body, name="pear")
    welded = tuple(
        dataclasses.replace(k, body=k.body + body.moved(pose) + body) if k.name == link else k for k in robot.links
    )
    assert close(tau(loaded, q, qd, qdd), tau(robot.replace(links=welded), q, qd, qdd))
    back = loaded.without_payload("apple").without_payload("pear")
    assert np.array_equal(tau(back, q, qd, qdd), tau(robot, q, qd, qdd))
    nothing = robot.with_payload(st.MassProperties(0.0, (0.3, 0.2, 0.1), np.zeros((3, 3))), link=link, pose=pose)
    assert np.array_equal(tau(nothing, q, qd, qdd), tau(robot, q, qd, qdd))


def derivatives_are_those_of_the_functions(seed: int) -> None:
    robot = random_robot(seed, friction=True, coupled=seed % 2 == 1)
    q, qd, qdd = random_state(robot, seed)
    dq, dqd, M = (floats(x) for x in dy.inverse_dynamics_derivatives(robot, q, qd, qdd))
    scale = np.abs(tau(robot, q, qd, qdd)).max()  # slopes may all vanish
    for f, x, slope in ((lambda x: tau(robot, x, qd, qdd), q, dq), (lambda x: tau(robot, q, x, qdd), qd, dqd)):
        assert np.abs(five_point(f, x) - slope).max() <= 1e-8 * max(np.abs(slope).max(), scale)
    assert close(M, dy.mass_matrix(robot, q))
    frictionless = floats(dy.inverse_dynamics_derivatives(robot, q, qd, qdd, friction=False)[1])
    assert close(frictionless, 2 * floats(dy.coriolis_matrix(robot, q, qd)))


def forward_derivatives_are_those_of_the_functions(seed: int) -> None:
    robot = random_robot(seed, n=4, friction=True)
    q, qd, efforts = random_state(robot, seed)
    dq, dqd, inverse = (floats(x) for x in dy.forward_dynamics_derivatives(robot, q, qd, efforts))
    qdd = floats(dy.forward_dynamics(robot, q, qd, efforts))
    for f, x, slope in (
        (lambda x: dy.forward_dynamics(robot, x, qd, efforts), q, dq),
        (lambda x: dy.forward_dynamics(robot, q, x, efforts), qd, dqd),
    ):
        assert np.abs(five_point(f, x) - slope).max() <= 1e-8 * max(np.abs(slope).max(), np.abs(qdd).max())
    assert close(inverse @ floats(dy.mass_matrix(robot, q)), np.eye(robot.n), 1e-10)


def renumbering_joints_renumbers_torques(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, qdd = random_state(robot, seed)
    order = np.random.default_rng(seed).permutation(len(robot.links))
    other = robot.replace(links=tuple(robot.links[k] for k in order))
    at = [robot.joint_names.index(name) for name in other.joint_names]
    assert close(tau(other, q[at], qd[at], qdd[at]), tau(robot, q, qd, qdd)[at])


def torque_is_linear_in_the_inertial_parameters(seed: int) -> None:
    robot = random_robot(seed, friction=True)
    q, qd, qdd = random_state(robot, seed)
    Y = floats(dy.regressor(robot, q, qd, qdd))
    joints = floats(rotor_efforts(robot, qdd)) + floats(dy.spring_forces(robot, q))
    assert Y.shape == (robot.n, 10 * sum(not body.between for body in robot.bodies))
    assert close(Y @ floats(inertial_parameters(robot)) + joints, tau(robot, q, qd, qdd, friction=False))


def reactions_at_the_base_change_the_momentum(seed: int) -> None:
    """d/dt of the spatial momentum is the wrench at the ground plus weight plus external wrenches."""
    robot = random_robot(seed, kinds=SINGLE)
    q, qd, qdd = random_state(robot, seed)
    link = robot.link_names[-1]
    F = Wrench(moment=(1, -2, 3), force=(4, 5, -6), acting_on=link, at=(0.1, 0, 0.2))
    poses = dy.forward_kinematics(robot, q)
    moving = robot.place(link).body >= 0
    total = np.zeros(6)
    if moving:
        total[:3] = F.moment + np.cross(floats(poses[link].apply(F.at)), F.force)
        total[3:] = F.force
    reactions = dy.joint_reactions(robot, q, qd, qdd, external=[F])
    for body, wrench in zip(robot.bodies, floats(reactions.wrench), strict=True):
        pose = poses[body.name]
        weight = body.moments.mass * robot.gravity
        centre = body.frame.inverse().apply(body.moments.first / body.moments.mass)
        total += np.concatenate([np.cross(floats(pose.apply(centre)), weight), weight])
        if body.parent < 0:
            at = floats(pose.apply(body.frame.inverse().p))  # the joint's origin
            n, f = pose.R @ wrench[:3], pose.R @ wrench[3:]
            total += floats(np.concatenate([n + np.cross(at, f), f]))
    assert close(rate(lambda q, qd: dy.momentum(robot, q, qd), q, qd, qdd), total, 1e-9)


def jacobians_are_rates_of_poses(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, _ = random_state(robot, seed)
    link = robot.link_names[1 + seed % (len(robot.links) - 1)]
    point = np.array([0.3, -0.2, 0.5])
    T = dy.forward_kinematics(robot, q, link)
    assert isinstance(T, Pose)
    turn = rate(lambda q, qd: dy.forward_kinematics(robot, q, link).R, q, qd, 0 * q) @ floats(T.R).T
    w = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
    v = rate(lambda q, qd: dy.forward_kinematics(robot, q, link).apply(point), q, qd, 0 * q)
    aligned = floats(dy.jacobian(robot, q, link, "aligned", point)) @ qd
    assert np.abs(aligned - np.concatenate([w, v])).max() <= 1e-8 * max(1, np.abs(aligned).max())
    body = floats(dy.jacobian(robot, q, link, "body", point)) @ qd
    assert close(body, np.concatenate([floats(T.R).T @ aligned[:3], floats(T.R).T @ aligned[3:]]), 1e-11)
    space = floats(dy.jacobian(robot, q, link)) @ qd
    at = floats(T.apply(point))
    assert close(space, np.concatenate([aligned[:3], aligned[3:] + np.cross(at, aligned[:3])]), 1e-11)


def shares_sum_to_the_torque(seed: int) -> None:
    robot = random_robot(seed, friction=True, payloads=2)
    q, qd, qdd = random_state(robot, seed)
    F = [Wrench(moment=(1, -2, 3), force=(4, 5, -6), acting_on=robot.link_names[-1])]
    for by in ("source", "link", "part", "payload"):
        shares = dy.torque_breakdown(robot, q, qd, qdd, external=F, by=by)
        assert close(shares.total, tau(robot, q, qd, qdd, external=F), 1e-12)
    parts = dy.torque_breakdown(robot, q, qd, qdd)
    empty = robot.without_payload()
    assert close(parts["payload"], tau(robot, q, qd, qdd) - tau(empty, q, qd, qdd), 1e-10)
    b = floats(dy.christoffel(empty, q))
    assert np.abs(floats(parts["centrifugal"]) - np.einsum("ijj,j->i", b, qd**2)).max() <= 1e-11 * np.abs(b).max() * 4
    assert close(parts["gravity"], dy.gravity_by_jacobians(empty, q))
    assert np.array_equal(floats(parts["spring"]), floats(dy.spring_forces(robot, q)))


def a_moving_base_is_a_carrier_with_joints(seed: int) -> None:
    """The robot on a slide and a turntable feels what it feels on a base of that motion."""
    robot = random_robot(seed, payloads=0)
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    x, dx, ddx = rng.normal(size=(3, 2))
    stage = [
        Link("slide", None, Prismatic(name="s", axis=rng.normal(size=3)), random_pose(rng)),
        Link("table", "slide", Revolute(name="t", axis=rng.normal(size=3)), random_pose(rng)),
    ]
    links = [*stage, *(dataclasses.replace(k, parent="table") if k.parent is None else k for k in robot.links)]
    carried = Robot("carried", tuple(links), robot.gravity)
    at = [carried.joint_names.index(name) for name in robot.joint_names]
    full = [np.zeros(carried.n) for _ in range(3)]
    for target, own, outer in zip(full, (q, qd, qdd), (x, dx, ddx), strict=True):
        target[at] = own
        target[:2] = outer
    T = dy.forward_kinematics(carried, full[0], "table")
    table = dy.newton_euler(carried, *full)
    R = floats(T.R)
    w, dw, a = (R @ floats(v[1]) for v in (table.angular_velocity, table.angular_acceleration, table.acceleration))
    base = BaseMotion(w, dw, a + robot.gravity)
    # the robot stands where the table is at this moment, its base moves as the table does
    turn = Pose(R, (0, 0, 0))
    here = tuple(dataclasses.replace(k, mount=turn @ k.mount) if k.parent is None else k for k in robot.links)
    moved = dy.newton_euler(robot.replace(links=here), q, qd, qdd, base=np.asarray(base))
    assert close(moved.tau, floats(table.tau)[at], 1e-11)
    rows = [table.links.index(name) for name in moved.links]
    for ours, theirs in zip(moved[1:9], table[1:9], strict=True):
        assert close(ours, floats(theirs)[rows], 1e-10)


def coupled_joints_fold(seed: int) -> None:
    """With q_all = G q + offset: τ = Gᵀ τ_all, M = Gᵀ M_all G, C = Gᵀ C_all G; the derivatives too."""
    robot = random_robot(seed, kinds=SINGLE, coupled=True, friction=True)
    follower = next(k for k in robot.links if k.joint.follows)
    free_joint = dataclasses.replace(follower.joint, follows=None, multiplier=1.0, offset=0.0)
    free = robot.replace(
        links=tuple(dataclasses.replace(k, joint=free_joint) if k is follower else k for k in robot.links)
    )
    q, qd, qdd = random_state(robot, seed)
    G = np.zeros((free.n, robot.n))
    for k, name in enumerate(free.joint_names):
        joint = robot.joint(name)
        G[k, robot.joint_names.index(joint.follows or name)] = joint.multiplier
    offset = np.array([robot.joint(name).offset for name in free.joint_names])
    state = (G @ q + offset, G @ qd, G @ qdd)
    assert close(tau(robot, q, qd, qdd), G.T @ tau(free, *state))
    assert close(dy.mass_matrix(robot, q), G.T @ floats(dy.mass_matrix(free, state[0])) @ G)
    assert close(
        dy.coriolis_matrix(robot, q, qd), G.T @ floats(dy.coriolis_matrix(free, *state[:2])) @ G, 1e-11
    )
    b = np.einsum("abc,ai,bj,ck->ijk", floats(dy.christoffel(free, state[0])), G, G, G)
    assert close(dy.christoffel(robot, q), b, 1e-11)
    efforts = tau(robot, q, qd, qdd)
    guard = 1e-12 * np.linalg.cond(floats(dy.mass_matrix(robot, q)))
    assert close(dy.forward_dynamics(robot, q, qd, efforts), qdd, guard)


def holding_joints_still_is_locking_them(seed: int) -> None:
    robot = random_robot(seed, rotors=False)
    q, qd, qdd = random_state(robot, seed)
    whole = [[robot.joint_names.index(s.name) for s in link.joint.screws()] for link in robot.links]
    held = [k for bit, joint in enumerate(whole) for k in joint if (seed >> bit) % 2 == 0]
    free = [k for k in range(robot.n) if k not in held]
    qd[held] = qdd[held] = 0
    locked = robot.locked({robot.joint_names[k]: q[k] for k in held})
    ours, theirs = dy.forward_kinematics(locked, q[free]), dy.forward_kinematics(robot, q)
    for link in robot.link_names:
        assert close(ours[link].matrix, theirs[link].matrix, 1e-12)
    if free:
        assert close(tau(locked, q[free], qd[free], qdd[free]), tau(robot, q, qd, qdd)[free], 1e-11)


def base_parameters_give_the_same_motion(seed: int) -> None:
    """Regrouped bodies in other frames, which kernels are traced from: no effort tells them from the real ones."""
    robot = random_robot(seed, friction=True, coupled=seed % 2 == 0)
    q, qd, qdd = random_state(robot, seed)
    sparse = sparse_frames(robot.tree)
    twins = [regrouped(frames(sparse)) for frames in (slid_frames, risen_frames)]
    F = [Wrench(moment=(1, -2, 3), force=(4, 5, -6), acting_on=robot.link_names[-1], at=(0.1, 0.2, 0.3))]
    for twin in twins:
        assert close(tau(twin, q, qd, qdd, external=F), tau(robot, q, qd, qdd, external=F))
        for function, state in (
            (dy.mass_matrix, (q,)), (dy.coriolis_matrix, (q, qd)), (dy.gravity_forces, (q,)), (dy.christoffel, (q,)),
            (dy.kinetic_energy, (q, qd)),
        ):  # fmt: skip
            scale = np.abs(floats(dy.mass_matrix(robot, q))).max() * 10
            assert np.abs(floats(function(twin, *state)) - floats(function(robot, *state))).max() <= 1e-12 * scale
        slopes = [dy.inverse_dynamics_derivatives(r, q, qd, qdd) for r in (twin, robot)]
        for ours, real in zip(*slopes, strict=True):
            assert close(ours, real, 1e-11)
        efforts = tau(robot, q, qd, qdd, external=F)
        assert close(dy.forward_dynamics(twin, q, qd, efforts, external=F), qdd, 1e-7)


LAWS = [
    value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and "_" in name and name not in ("rate",)
]
