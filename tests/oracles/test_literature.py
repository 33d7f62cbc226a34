"""Published numbers: each with its source, as many digits as were printed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import steiner as st
from steiner.errors import ModelWarning
from steiner.files import load
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.robots import build

QN = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
ZERO, ONE = np.zeros(6), np.ones(6)
RATES = np.array([1.0, 2, 3, 1, 2, 3])


# ---- Robotics Toolbox for Python, tests/test_DHRobot.py: Corke's Puma 560 (four decimals) ---------


def test_corke_force_at_the_tool():
    """fext is exerted by the robot, in the frame of link 6."""
    W = st.Wrench(moment=(1, 2, 3), force=(1, 2, 3), acting_on="link6", axes="link")
    tau = build("puma560").static_torque(QN, exerted_by_robot=W)
    np.testing.assert_allclose(tau, [0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3], atol=6e-5, rtol=1e-5)


def test_corke_coriolis_matrix_is_the_one_of_the_christoffel_symbols():
    expected = [
        [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001],
        [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
        [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0],
        [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
        [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0],
        [0.0001, 0, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(build("puma560").coriolis_matrix(QN, RATES), expected, atol=6e-5)


def test_corke_inertial_torque_and_acceleration():
    robot = build("puma560")
    inertial = robot.torque_breakdown(QN, ZERO, RATES)
    expected = [3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823]
    np.testing.assert_allclose(inertial["inertial"] + inertial["rotor"], expected, atol=6e-5)
    qdd = robot.forward_dynamics(QN, [0.1, 0.2, 0.8, 0.2, 0.5, 1], [1, 3.2, 1.8, 0.1, 0.7, 4.6])
    np.testing.assert_allclose(qdd, [-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228], atol=6e-5)


def test_corke_inertia_and_manipulability_at_the_tool():
    at = st.structure(build("puma560"), QN)
    expected = np.array(
        [
            [17.2954, -2.7542, -9.6233, 0, 0.2795, 0],
            [-2.7542, 12.1909, 1.2459, -0.3254, -0.0703, -0.9652],
            [-9.6233, 1.2459, 13.3348, 0, 0.2767, 0],
            [0, -0.3254, 0, 0.1941, 0, 0.1941],
            [0.2795, -0.0703, 0.2767, 0, 0.1713, 0],
            [0, -0.9652, 0, 0.1941, 0, 0.5791],
        ]
    )  # linear first there
    order = [3, 4, 5, 0, 1, 2]
    np.testing.assert_allclose(at.inertia[np.ix_(order, order)], expected, atol=6e-5)
    measured = [at.manipulability(), at.manipulability("linear"), at.manipulability("angular")]
    np.testing.assert_allclose(measured, [0.0786, 0.111181, 2.44949], atol=6e-5)
    asada = [at.isotropy(), at.isotropy("linear"), at.isotropy("angular")]
    np.testing.assert_allclose(asada, [0.0044, 0.2094, 0.1716], atol=6e-5)


def test_spong_two_links():
    """Robotics Toolbox for Python, tests/test_ERobot.py: l = 1, l_c = ½, m = 1, I = 0, axes along y, z up."""
    body = st.MassProperties(1.0, (0.5, 0, 0), np.zeros(3))
    first = Link("a", None, st.Revolute(axis=(0, 1, 0)), body=body)
    robot = Robot("spong", (first, Link("b", "a", st.Revolute(axis=(0, 1, 0)), st.Pose(p=(1, 0, 0)), body)))
    for q, expected in (((0, 0), (-2, -0.5)), ((0, -np.pi / 2), (-1.5, 0)), ((-np.pi / 2, np.pi / 2), (-0.5, -0.5))):
        np.testing.assert_allclose(robot.gravity_forces(q) / 9.81, expected, atol=1e-14)
    for q2 in (0.3, -1.1):
        h, c = -0.5 * np.sin(q2), np.cos(q2)
        M = [[1.5 + c, 0.25 + 0.5 * c], [0.25 + 0.5 * c, 0.25]]
        np.testing.assert_allclose(robot.mass_matrix([0.7, q2]), M, atol=1e-14)
        for qd, v in (((1, 0), (0, -1)), ((0, 1), (1, 0)), ((1, 1), (3, -1))):
            np.testing.assert_allclose(robot.velocity_forces([0.7, q2], qd), np.array(v) * h, atol=1e-14)


# ---- Armstrong, Khatib and Burdick 1986: the explicit model of the Puma 560 -----------------------

I = [None, 1.43, 1.75, 1.38, 0.690, 0.372, 0.333, 0.298, -0.134, 0.0238, -0.0213, -0.0142, -0.0110, -0.00379, 0.00164,
     0.00125, 0.00124, 0.000642, 0.000431, 0.000300, -0.000202, -0.000100, -0.0000580, 0.0000400]  # fmt: skip
IM = [None, 1.14, 4.71, 0.827, 0.200, 0.179, 0.193]
G = [None, -37.2, -8.44, 1.02, 0.249, -0.0282]


def test_armstrong_constants_that_follow_from_the_table():
    """a12 … a33 and the gravity terms; a11 does not follow from the printed table (I3 would be 1.60, not 1.38)."""
    robot = build("puma560akb")
    q = np.random.default_rng(0).uniform(-3, 3, (200, 6))
    M, g = robot.mass_matrix(q), robot.gravity_forces(q)
    _, q2, q3, q4, q5, _ = q.T
    S2, C2, S3, C3, S4, C4, S5, C5 = (f(x) for x in (q2, q3, q4, q5) for f in (np.sin, np.cos))
    S23, C23 = np.sin(q2 + q3), np.cos(q2 + q3)
    shared = I[8] * C23 + I[13] * S23 - I[15] * C23 * S4 * S5 + I[18] * (S23 * C4 * S5 - C23 * C5)
    shared += I[19] * S23 * S4 * C4 + I[20] * S4 * (S23 * C4 * C5**2 + C23 * S5 * C5) + I[22] * S23 * S4 * S5
    bend = I[20] * S4**2 * S5**2 + I[21] * S4**2
    elbow = I[5] * S3 + I[12] * C3 + I[16] * (S3 * C5 + C3 * C4 * S5)
    wrist = I[15] * C5 + I[22] * C4 * S5
    entries = {
        (0, 1): I[4] * S2 + I[9] * C2 + I[16] * S2 * S4 * S5 + shared,
        (0, 2): shared,
        (1, 1): IM[2] + I[2] + I[6] + bend + 2 * (elbow + wrist),
        (1, 2): elbow + I[6] + bend + 2 * wrist,
        (2, 2): IM[3] + I[6] + bend + 2 * wrist,
    }
    for (i, j), printed in entries.items():
        assert np.abs(M[:, i, j] - printed).max() < 2e-3, (i, j)
    tip = G[5] * (S23 * C5 + C23 * C4 * S5)
    assert np.abs(g[:, 1] - (G[1] * C2 + G[2] * S23 + G[3] * S2 + G[4] * C23 + tip)).max() < 0.002 * 37.2
    assert np.abs(g[:, 2] - (G[2] * S23 + G[4] * C23 + tip)).max() < 0.02
    assert np.abs(g[:, 4] - G[5] * (C23 * S5 + S23 * C4 * C5)).max() < 2e-4


# ---- Lynch and Park, Modern Robotics: the code's docstrings ---------------------------------------


def pose(*rows):
    return np.array([*rows, [0, 0, 0, 1]], dtype=float)


def shift(x, y, z):
    return pose([1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z])


def inertia(a, b, c, m):
    return np.diag([a, b, c, m, m, m])


MLIST = [
    shift(0, 0, 0.089159),
    pose([0, 0, 1, 0.28], [0, 1, 0, 0.13585], [-1, 0, 0, 0]),
    shift(0, -0.1197, 0.395),
    shift(0, 0, 0.14225),
]
GLIST = [
    inertia(0.010267, 0.010267, 0.00666, 3.7),
    inertia(0.22689, 0.22689, 0.0151074, 8.393),
    inertia(0.0494433, 0.0494433, 0.004095, 2.275),
]
SLIST = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]], dtype=float).T
THETA, DTHETA, DDTHETA = np.array([0.1, 0.1, 0.1]), np.array([0.1, 0.2, 0.3]), np.array([2, 1.5, 1])
TIP = st.Wrench(moment=(1, 1, 1), force=(1, 1, 1), acting_on="tool", axes="link")  # Ftip acts by the robot


def modern(slist=SLIST) -> Robot:
    return Robot.from_poe(MLIST, GLIST, slist, gravity=(0, 0, -9.8))


def with_tip(robot: Robot, q, qd, qdd):
    push = robot.static_torque(q, exerted_by_robot=TIP, gravity=False)
    return robot.inverse_dynamics(q, qd, qdd) + push


def test_modern_robotics_example_with_its_unnormalised_screw():
    """|ω₁| = √2: the screw keeps its length."""
    robot = modern()
    tau = with_tip(robot, THETA, DTHETA, DDTHETA)
    np.testing.assert_allclose(tau, [74.69616155, -33.06766016, -3.23057314], atol=1e-8)
    M = [
        [2.25433380e01, -3.07146754e-01, -7.18426391e-03],
        [-3.07146754e-01, 1.96850717, 4.32157368e-01],
        [-7.18426391e-03, 4.32157368e-01, 1.91630858e-01],
    ]
    np.testing.assert_allclose(robot.mass_matrix(THETA), M, rtol=1e-8)
    np.testing.assert_allclose(robot.velocity_forces(THETA, DTHETA), [0.26453118, -0.05505157, -0.00689132], atol=1e-8)
    np.testing.assert_allclose(robot.gravity_forces(THETA), [28.40331262, -37.64094817, -5.4415892], atol=1e-8)
    tip = robot.static_torque(THETA, exerted_by_robot=TIP, gravity=False)
    np.testing.assert_allclose(tip, [1.40954608, 1.85771497, 1.392409], atol=1e-8)
    back = st.Wrench(-TIP.moment, -TIP.force, acting_on="tool", axes="link")
    qdd = robot.forward_dynamics(THETA, DTHETA, [0.5, 0.6, 0.7], external=back)
    np.testing.assert_allclose(qdd, [-0.97392907, 25.58466784, -32.91499212], atol=1e-7)


def test_modern_robotics_example_with_a_proper_first_screw():
    slist = SLIST.copy()
    slist[:, 0] = [0, 0, 1, 0, 0, 0]
    robot = modern(slist)
    tau = with_tip(robot, THETA, DTHETA, DDTHETA)
    np.testing.assert_allclose(tau, [3.87363963, -32.49794676, -3.22563643], atol=1e-8)
    assert robot.mass_matrix(THETA)[0, 0] == pytest.approx(2.1010396, abs=1e-7)


def test_modern_robotics_torques_along_a_quintic():
    """0 → π/2 in 3 s, 1000 samples; rates by backward differences, as the book's program takes them."""
    s = np.linspace(0, 1, 1000)
    dt = 3 / 999
    q = np.outer(10 * s**3 - 15 * s**4 + 6 * s**5, np.full(3, np.pi / 2))
    qd = np.diff(q, axis=0, prepend=q[:1]) / dt
    qdd = np.diff(qd, axis=0, prepend=qd[:1]) / dt
    tau = with_tip(modern(), q, qd, qdd)[[0, 500, 999]]
    expected = [
        [13.22970794, -36.262108, -4.181341],
        [115.53462945, -21.99557906, 1.02492104],
        [81.12700926, -23.20753925, 2.48432708],
    ]
    np.testing.assert_allclose(tau, expected, atol=1e-7)


def test_modern_robotics_ur5():
    """The book's UR5: G4 and G5 are implausible, but published."""
    turn = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    Mlist = [
        shift(0, 0, 0.089159),
        pose([*turn[0], 0.28], [*turn[1], 0.13585], [*turn[2], 0]),
        shift(0, -0.1197, 0.395),
        pose([*turn[0], 0], [*turn[1], 0], [*turn[2], 0.14225]),
        shift(0, 0.093, 0),
        shift(0, 0, 0.09465),
        pose([1, 0, 0, 0], [0, 0, 1, 0.0823], [0, -1, 0, 0]),
    ]
    rows = [
        (0.010267495893, 0.00666, 3.7), (0.22689067591, 0.0151074, 8.393), (0.049443313556, 0.004095, 2.275),
        (0.111172755531, 0.21942, 1.219), (0.111172755531, 0.21942, 1.219), (0.0171364731454, 0.033822, 0.1879),
    ]  # fmt: skip
    slist = np.array(
        [
            [0, 0, 0, 0, 0, 0],
            [0, 1, 1, 1, 0, 1],
            [1, 0, 0, 0, -1, 0],
            [0, -0.089159, -0.089159, -0.089159, -0.10915, 0.005491],
            [0, 0, 0, 0, 0.81725, 0],
            [0, 0, 0.425, 0.81725, 0, 0.81725],
        ]
    )
    robot = Robot.from_poe(Mlist, [inertia(a, a, c, m) for a, c, m in rows], slist)
    q = np.array([0, np.pi / 6, np.pi / 4, np.pi / 3, np.pi / 2, 2 * np.pi / 3])
    tip = st.Wrench(moment=[0.1] * 3, force=[0.1] * 3, acting_on="tool", axes="link")
    tau = robot.inverse_dynamics(q, 0.2 * ONE, 0.1 * ONE) + robot.static_torque(q, exerted_by_robot=tip, gravity=False)
    expected = [0.0127670527, -41.1476981090, -3.7809338157, 0.0323099099, 0.0369529049, 0.1033674587]
    np.testing.assert_allclose(tau, expected, atol=1e-9)
    np.testing.assert_allclose(robot.gravity_forces(q), [0, -41.596726, -3.935906, 0.123368, 0, 0], atol=1e-6)


# ---- numbers of base inertial parameters ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [("rr", 6), ("puma560", 36), ("puma560akb", 36), ("ur5", 36), ("stanford", 33), ("iiwa", 43), ("panda", 43)],
)
def test_base_parameters_of_the_gallery(name, count):
    assert st.base_parameters(build(name)).count == count


def test_base_parameters_of_a_planar_arm_with_gravity_normal_to_it():
    assert st.base_parameters(build("rr").replace(gravity=(0, 0, -9.81))).count == 4


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("panda_description/urdf/panda.urdf", 51),
        ("ur_description/urdf/ur10_robot.urdf", 36),
        ("kinova_description/robots/kinova.urdf", 36),
        ("z1_description/urdf/z1.urdf", 43),
        ("xarm_description/urdf/xarm7.urdf", 43),
        ("so_arm_description/urdf/so100.urdf", 38),
        ("talos_data/robots/talos_left_arm.urdf", 45),
        ("double_pendulum_description/urdf/double_pendulum.urdf", 6),
    ],
)
def test_base_parameters_of_real_arms(path, count):
    from tests.oracles.pinocchio_bridge import robots

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(robots() / path)
    assert st.base_parameters(robot).count == count


def test_base_parameters_tell_the_whole_torque():
    """τ from the independent columns and the grouped parameters alone."""
    from steiner.dynamics.inertial import inertial_parameters, parameter_names

    robot = build("puma560")
    found = st.base_parameters(robot)
    names = list(parameter_names(robot))
    pi = inertial_parameters(robot).astype(float)
    q, qd, qdd = np.random.default_rng(5).uniform(-2, 2, (3, 6))
    Y = robot.regressor(q, qd, qdd)
    picked, others = ([names.index(n) for n in group] for group in (found.independent, found.dependent))
    beta = pi[picked] + found.grouping @ pi[others]
    np.testing.assert_allclose(Y[:, picked] @ beta, Y @ pi, atol=1e-9 * np.abs(Y @ pi).max())
    assert len(found.unseen) + len(picked) + len(others) == 60
