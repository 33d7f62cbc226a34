"""`st.sizing` against sums written out here, against the energy that the robot has, and against brute force."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest

import steiner as st
from random_robots import random_robot
from steiner.analysis.motors import Motor

MOTORS = [
    Motor(
        name=f"M{k}", rated_torque=0.05 * 2**k, peak_torque=0.15 * 2**k, rated_speed=300.0, max_speed=300.0 + 60 * k,
        rotor_inertia=1e-6 * 4**k, ratios=(20.0, 50.0, 120.0), efficiency=0.75, mass=0.2 * 1.7**k,
    )
    for k in range(6)
]  # fmt: skip


def wave(robot, seed=0, harmonics=2):
    """A motion that begins and ends at the same place."""
    sines, cosines = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, harmonics, robot.n))
    return st.trajectory.fourier(np.zeros(robot.n), sines, cosines, 0.4)


def path(robot, seed=0):
    a, b = np.random.default_rng(seed).uniform(-1, 1, (2, robot.n))
    return st.trajectory.quintic(a, b, 1.3)


@pytest.fixture(scope="module")
def arm():
    return random_robot(3, 4, friction=True, springs=True)


@pytest.fixture(scope="module")
def ur5():
    return st.load("gallery:ur5")


def test_the_numbers_of_a_joint_are_those_of_inverse_dynamics(arm):
    found = st.sizing(arm, path(arm), dt=0.001)
    t, q, qd, qdd = path(arm).sample(0.001)
    tau = arm.inverse_dynamics(q, qd, qdd)
    mean = lambda x: (np.diff(t) @ ((x[1:] + x[:-1]) / 2)) / t[-1]  # noqa: E731
    for k in range(arm.n):
        P = tau[:, k] * qd[:, k]
        row = np.argmax(np.abs(tau[:, k]))
        assert found.peak_torque[k] == abs(tau[row, k]) and found.peak_time[k] == t[row]
        assert found.rms_torque[k] == pytest.approx(np.sqrt(mean(tau[:, k] ** 2)), rel=1e-12)
        assert found.peak_speed[k] == np.abs(qd[:, k]).max()
        assert found.peak_power[k] == pytest.approx(np.abs(P).max(), rel=1e-12)
        assert found.mean_power[k] == pytest.approx(mean(P), rel=1e-10, abs=1e-12)
        assert found.energy_drawn[k] == pytest.approx(mean(P.clip(0)) * t[-1], rel=1e-12)
        assert found.energy_braked[k] == pytest.approx(mean((-P).clip(0)) * t[-1], rel=1e-12)
    assert np.array_equal(found.tau, tau) and np.array_equal(found.qd, qd)


@pytest.mark.parametrize("seed", range(4))
def test_work_is_the_gain_of_energy_and_the_heat_of_friction(seed):
    """∫ τ·q̇ dt = ΔE + ∫ friction·q̇ dt; what is left is the error of the trapezoidal rule, of second order."""
    robot = random_robot(seed, 4, friction=True, springs=True)
    motion = path(robot, seed)
    errors = []
    for dt in (0.01, 0.005):
        found = st.sizing(robot, motion, dt=dt)
        E = [robot.kinetic_energy(found.q[i], found.qd[i]) + robot.potential_energy(found.q[i]) for i in (0, -1)]
        heat = np.trapezoid((robot.friction_forces(found.q, found.qd) * found.qd).sum(axis=1), found.t)
        errors.append(abs((found.energy_drawn - found.energy_braked).sum() - (E[1] - E[0]) - heat))
    scale = found.energy_drawn.sum() + found.energy_braked.sum()
    assert errors[1] < 1e-4 * scale
    assert errors[1] < 1e-9 * scale or errors[0] / errors[1] == pytest.approx(4, rel=0.2)


def test_a_joint_that_only_lifts_draws_the_weight_times_the_height():
    lift = st.Robot("lift", [st.Link("carriage", None, st.Prismatic(name="z"), body=st.MassProperties(2.0))])
    up = st.sizing(lift, st.trajectory.quintic([0.0], [0.5], 1.0), dt=1e-3)
    down = st.sizing(lift, st.trajectory.quintic([0.5], [0.0], 1.0), dt=1e-3)
    assert up.energy_drawn[0] - up.energy_braked[0] == pytest.approx(2 * 9.81 * 0.5, rel=1e-6)
    assert down.energy_braked[0] - down.energy_drawn[0] == pytest.approx(2 * 9.81 * 0.5, rel=1e-6)
    assert up.units == ("N",) and "N and m/s: z" in str(up)


def test_a_simulated_motion_is_sized_too():
    arm = st.load("gallery:rr")
    fall = st.simulate(arm, [0.2, 0.3], [0.0, 0.0], 0.3, every=0.01)
    found = st.sizing(arm, fall)
    assert np.abs(found.tau).max() < 1e-6 and len(found.t) == len(fall.t)  # nothing drives it
    assert np.allclose(found.peak_speed, np.abs(fall.qd).max(axis=0))


def test_margins_and_the_joint_that_limits(ur5):
    found = st.sizing(ur5, path(ur5, 2))
    effort = np.array([ur5.joint(name).limits.effort for name in ur5.joint_names])
    velocity = np.array([ur5.joint(name).limits.velocity for name in ur5.joint_names])
    assert np.allclose(found.effort_margin, effort / np.abs(found.tau).max(axis=0), rtol=1e-12)
    assert np.allclose(found.speed_margin, velocity / np.abs(found.qd).max(axis=0), rtol=1e-12)
    worst = found.limiting
    assert worst.margin == min(found.effort_margin.min(), found.speed_margin.min())
    k, row = ur5.joint_names.index(worst.joint), np.argmin(np.abs(found.t - worst.time))
    used = np.abs(found.tau[row, k]) / effort[k] if worst.what == "effort" else np.abs(found.qd[row, k]) / velocity[k]
    assert 1 / used == pytest.approx(worst.margin, rel=1e-12)
    assert worst.joint in str(found) and "limiting" in str(found)


def test_limits_that_nobody_states_are_told(arm):
    found = st.sizing(arm, path(arm))
    assert found.limiting is None and np.isinf(found.effort_margin).all()
    assert "no effort limit stated: " in str(found)
    assert json.loads(found.json())["joints"][0]["effort_margin"] is None


def test_a_pause_lets_the_motor_cool_but_holding_heats_it(ur5):
    motion = path(ur5, 1)
    rest, short = st.sizing(ur5, motion, pause=10.0), st.sizing(ur5, motion)
    assert np.array_equal(short.thermal_torque, short.rms_torque)
    g = ur5.gravity_forces(motion(motion.duration)[0])
    T = motion.duration
    assert np.allclose(rest.thermal_torque, np.sqrt((short.rms_torque**2 * T + g**2 * 10) / (T + 10)), rtol=1e-12)


def test_inertia_ratios_are_those_of_the_mass_matrix(arm):
    found = st.sizing(arm, path(arm), dt=0.1)
    M = np.array([np.diag(arm.mass_matrix(q)) for q in found.q])
    rotor = np.array([arm.joint(name).armature * arm.joint(name).multiplier ** 2 for name in arm.joint_names])
    assert np.allclose(found.armature, rotor)
    assert np.allclose(found.inertia_ratio, [(M.min(axis=0) - rotor) / rotor, (M.max(axis=0) - rotor) / rotor])


@pytest.mark.parametrize("by", ["source", "link", "part"])
def test_the_shares_sum_to_the_peaks(arm, by):
    found = st.sizing(arm, path(arm), dt=0.05)
    rows = np.abs(found.tau).argmax(axis=0)
    total = sum(found.shares(by).values())
    assert np.allclose(total, [found.tau[row, k] for k, row in enumerate(rows)], rtol=1e-10)
    k = 1
    split = arm.torque_breakdown(found.q[rows[k]], found.qd[rows[k]], found.qdd[rows[k]], by=by)
    assert all(np.isclose(found.shares(by)[name][k], share[k], atol=1e-12) for name, share in split.items())


def test_without_friction_nothing_of_it_is_in_the_torques_nor_in_the_shares(arm):
    found = st.sizing(arm, path(arm), dt=0.05, friction=False)
    assert np.allclose(found.tau, arm.inverse_dynamics(found.q, found.qd, found.qdd, friction=False))
    assert not found.shares()["friction"].any()


# ---- motors ------------------------------------------------------------------------------------


def asked(t, load, qd, qdd, motor, ratio):
    """Margins of a motor, sample by sample: peak, thermal, speed."""
    torque, least = [], np.inf
    for tau, rate, acc in zip(load, qd, qdd, strict=True):
        out = tau / ratio * (motor.efficiency if tau * rate < 0 else 1 / motor.efficiency)
        torque.append(motor.rotor_inertia * ratio * acc + out)
        w = abs(rate) * ratio
        if w <= motor.rated_speed:
            can = motor.peak_torque
        elif w >= motor.max_speed:
            can = 0.0
        else:
            can = max(0.0, motor.peak_torque * (motor.max_speed - w) / (motor.max_speed - motor.rated_speed))
        least = min(least, can / abs(torque[-1]))
    heat = np.sqrt(np.trapezoid(np.square(torque), t) / (t[-1] - t[0]))
    return least, motor.rated_torque / heat, motor.max_speed / (np.abs(qd).max() * ratio)


@pytest.mark.parametrize("margin", [1.0, 1.3, 2.5])
def test_the_choice_is_the_lightest_of_all_that_do(ur5, margin):
    motion = wave(ur5)
    found = st.sizing(ur5, motion, MOTORS, margin=margin, dt=0.02)
    for k, choice in enumerate(found.choices):
        margins = {
            (m.mass, G): min(asked(found.t, found.tau[:, k], found.qd[:, k], found.qdd[:, k], m, G))
            for m, G in itertools.product(MOTORS, MOTORS[0].ratios)
        }
        good = [pair for pair, value in margins.items() if value >= margin]
        best = min(good) if good else max(margins, key=lambda pair: margins[pair])
        assert (choice.motor.mass, choice.ratio) == best
        assert choice.fits == bool(good) and choice.margin == pytest.approx(margins[best], rel=1e-9)
    assert len({choice.motor.name for choice in found.choices}) > 1


def test_a_motor_gives_the_same_in_both_directions():
    motor = Motor(name="a", rated_torque=1, peak_torque=3, rated_speed=300, max_speed=400)
    given = motor.available(np.array([0, 300, 325, 400, 500]))
    assert np.allclose(given, [3, 3, 2.25, 0, 0]) and np.allclose(motor.available(-np.array([300, 325])), [3, 2.25])


@pytest.mark.parametrize("robot", [
    random_robot(2, 4, coupled=True, friction=True),
    st.Robot("gimbal", [
        st.Link("fork", None, st.Revolute(name="pan"), body=st.MassProperties(1.0, (0.1, 0, 0), (0.01,) * 3)),
        st.Link("camera", "fork", st.Universal(name="head"), st.Pose(np.eye(3), (0.2, 0, 0)),
                body=st.MassProperties(0.5, (0, 0, 0.1), (0.01,) * 3)),
    ]),
], ids=lambda robot: robot.name)  # fmt: skip
def test_joints_that_share_a_coordinate_or_have_several(robot):
    found = st.sizing(robot, path(robot), MOTORS, dt=0.05, masses=True)
    assert [choice.joint for choice in found.choices] == list(robot.joint_names)
    assert np.allclose(found.tau, robot.inverse_dynamics(found.q, found.qd, found.qdd))
    assert json.loads(found.json())["joints"][0]["peak_torque"] == found.peak_torque[0]


def test_the_robot_with_the_chosen_rotors_needs_what_was_said(ur5):
    """A second route: the rotor as armature of the joint, at efficiency 1."""
    motors = [Motor(name=m.name, rated_torque=m.rated_torque, peak_torque=m.peak_torque, rated_speed=m.rated_speed,
                    max_speed=m.max_speed, rotor_inertia=m.rotor_inertia, ratios=m.ratios, mass=m.mass) for m in MOTORS]
    found = st.sizing(ur5, wave(ur5), motors, dt=0.02)
    links = [st.Link(x.name, x.parent, x.joint, x.mount, x.body, x.origin) for x in ur5.links]
    for choice in found.choices:
        i = next(i for i, x in enumerate(links) if x.joint.name == choice.joint)
        joint = links[i].joint
        armature = choice.ratio**2 * choice.motor.rotor_inertia
        with_rotor = st.Revolute(name=joint.name, axis=joint.axis, armature=armature)
        links[i] = st.Link(links[i].name, links[i].parent, with_rotor, links[i].mount, links[i].body, links[i].origin)
    tau = st.Robot("geared", links).inverse_dynamics(found.q, found.qd, found.qdd)
    for k, choice in enumerate(found.choices):
        assert choice.peak_torque == pytest.approx(np.abs(tau[:, k]).max() / choice.ratio, rel=1e-9)


def test_a_rotor_that_the_robot_states_is_replaced(arm):
    """The choice does not depend on the armature of the robot."""
    bare = random_robot(3, 4, friction=True, springs=True)
    links = [
        st.Link(x.name, x.parent, x.joint.with_numbers(armature=0.0), x.mount, x.body, x.origin) for x in bare.links
    ]
    motion = path(arm)
    a = st.sizing(arm, motion, MOTORS, dt=0.02)
    b = st.sizing(bare.replace(links=tuple(links)), motion, MOTORS, dt=0.02)
    for x, y in zip(a.choices, b.choices, strict=True):
        assert (x.motor, x.ratio) == (y.motor, y.ratio) and x.peak_torque == pytest.approx(y.peak_torque, rel=1e-9)


def test_motors_weigh_on_the_links_before_their_joints(ur5):
    found = st.sizing(ur5, wave(ur5), MOTORS, dt=0.05, masses=True, pause=1.0)
    laden = ur5
    for choice in found.choices:
        link = next(x for x in ur5.links if x.joint.name == choice.joint)
        place = st.Pose(np.eye(3), link.mount.p)
        motor = st.MassProperties(choice.motor.mass)
        laden = laden.with_payload(motor, link=link.parent, pose=place, name=choice.joint)
    again = st.sizing(laden, wave(ur5), MOTORS, dt=0.05, pause=1.0)
    for a, b in zip(found.choices, again.choices, strict=True):
        assert (a.motor, a.ratio) == (b.motor, b.ratio)
        assert a.peak_torque == pytest.approx(b.peak_torque, rel=1e-9)
        assert a.thermal_torque == pytest.approx(b.thermal_torque, rel=1e-9)
    light = st.sizing(ur5, wave(ur5), MOTORS, dt=0.05)
    assert any(a.peak_torque > b.peak_torque * 1.001 for a, b in zip(found.choices, light.choices, strict=True))


def test_a_motor_that_does_not_do_is_told(ur5):
    found = st.sizing(ur5, path(ur5), MOTORS[:1])
    assert not all(choice.fits for choice in found.choices)
    assert "does not do; the nearest" in str(found)
    assert [c["fits"] for c in json.loads(found.json())["motors"]] == [c.fits for c in found.choices]


# ---- bad input ---------------------------------------------------------------------------------


def rows(n=6, k=4, **changes):
    found = {"t": np.arange(k) * 0.1, "q": np.zeros((k, n)), "qd": np.zeros((k, n)), "qdd": np.zeros((k, n))}
    return SimpleNamespace(**(found | changes))


def lost(where):
    x = np.zeros((4, 6))
    x[2, 1] = where
    return x


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        (rows(5), "ur5 has 6 joints"),
        (rows(qd=lost(np.nan)), "at t = 0.2 s the velocity of 'shoulder_lift_joint' is nan"),
        (rows(qd=lost(1e200)), "at t = 0.2 s the torque of"),
        (rows(t=np.array([0, 0.1, 0.1, 0.2])), "time repeats"),
        (rows(t=np.array([0, 0.2, 0.1, 0.3])), "runs backwards"),
        (rows(t=np.array([0, 0.2, np.inf, 0.3])), r"t\[2\] is inf"),
        (rows(k=1), "at least two times"),
        (np.zeros((4, 6)), "expected a trajectory or a motion"),
        (rows(q=[["a"] * 6] * 4), "q"),
        (None, "expected a trajectory or a motion"),
    ],
)
def test_a_motion_that_is_none_of_this_robot_is_refused(ur5, motion, told):
    with pytest.raises(st.SteinerError, match=told):
        st.sizing(ur5, motion)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"margin": -1}, "margin=-1: expected a positive number"),
        ({"margin": float("nan")}, "margin"),
        ({"pause": -1}, "pause=-1"),
        ({"pause": 10**400}, "expected a number from 0 on"),
        ({"dt": 0.1}, "dt=0.1 is for trajectories"),
        ({"catalogue": []}, "catalogue: it is empty"),
        ({"catalogue": 3}, "catalogue: expected a list"),
        ({"catalogue": [3]}, "expected motors or mappings"),
        ({"catalogue": [{"name": "a"}]}, "rated_torque, peak_torque, rated_speed, max_speed missing"),
        ({"catalogue": [{"name": "a", "torque": 1}]}, "no field named 'torque'"),
        ({"catalogue": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_options_that_cannot_be_are_refused(ur5, options, told):
    with pytest.raises(st.SteinerError, match=told):
        st.sizing(ur5, rows(), **options)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rated_torque": 9.0}, "rated_torque 9 exceeds peak_torque"),
        ({"max_speed": 1.0}, "rated_speed 300 exceeds max_speed 1"),
        ({"efficiency": 75}, "efficiency is 75; expected a number above 0 to 1"),
        ({"mass": -1}, "mass is -1"),
        ({"ratios": ()}, "no gear ratio"),
        ({"ratios": (10, 0)}, "ratio is 0"),
        ({"peak_torque": np.inf}, "peak_torque is inf"),
        ({"name": ""}, "needs a name"),
    ],
)
def test_a_motor_that_cannot_be_is_refused(change, told):
    good = {"name": "a", "rated_torque": 1.0, "peak_torque": 2.0, "rated_speed": 300.0, "max_speed": 400.0}
    with pytest.raises(st.SteinerError, match=told):
        Motor(**(good | change))
