"""The gallery: every robot has a source and obeys the laws; published ones give the published numbers."""

from __future__ import annotations

import numpy as np
import pytest

from steiner.errors import SteinerError
from steiner.files import load
from steiner.model.joints import Prismatic
from steiner.robots import GALLERY, build, gallery
from tests.comparing import close

QZ = np.zeros(6)
QR = np.array([0, np.pi / 2, -np.pi / 2, 0, 0, 0])
QS = np.array([0, 0, -np.pi / 2, 0, 0, 0])
QN = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
REST, ONES = np.zeros(6), np.ones(6)


@pytest.mark.parametrize("name", GALLERY)
def test_every_robot_has_a_source_and_a_positive_definite_mass_matrix(name):
    robot = load(f"gallery:{name}")
    assert robot.name == name
    assert robot.provenance["data"] == GALLERY[name].source and len(GALLERY[name].source) > 20
    assert robot.provenance["source"] == f"gallery:{name}"
    q = np.random.default_rng(1).uniform(-1, 1, (5, robot.n))
    M = robot.mass_matrix(q)
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2), atol=1e-12)
    assert np.linalg.eigvalsh(M).min() > 0
    for joint in robot.joint_names:
        limits = robot.joint(joint).limits
        assert limits is None or limits.lower is None or limits.lower < limits.upper


@pytest.mark.parametrize("name", GALLERY)
def test_links_built_from_parts_weigh_what_their_parts_weigh(name):
    robot = build(name)
    for link, assembly in robot.provenance.get("assemblies", {}).items():
        rows = assembly.budget().rows
        leaves = [r for r in rows if r.kind in ("part", "cavity")]
        assert robot.link(link).body.mass == pytest.approx(sum(r.mass for r in leaves), rel=1e-13)
        assert not assembly.check(), "parts of the gallery do not overlap"


def test_the_gallery_lists_its_robots():
    assert list(gallery()) == list(GALLERY)
    promised = {"rp", "pr", "pp", "rr", "planar3", "scara", "nm7mar", "puma560", "stanford", "ur5", "panda", "iiwa"}
    assert promised <= set(gallery())
    with pytest.raises(SteinerError, match="did you mean 'stanford'"):
        build("stanfort")


# Robotics Toolbox for Python, tests/test_DHRobot.py (four decimals), and g, M at more poses recomputed
CORKE = [
    (QN, REST, REST, [0, 31.6399, 6.0351, 0, 0.0283, 0]),
    (QN, REST, ONES, [3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133]),
    (QN, ONES, ONES, [32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781]),
    (QN, ONES, REST, [29.1421, 56.5044, 16.3528, 1.26448, 1.12392, 0.519648]),
    (QZ, REST, REST, [0, 37.48366665, 0.24892875, 0, 0, 0]),
    (QR, REST, REST, [0, -0.77523525, 0.24892875, 0, 0, 0]),
    (QS, REST, REST, [0, 46.006938, 8.7722001, 0, 0.0282528, 0]),
]


@pytest.mark.parametrize(("q", "qd", "qdd", "tau"), CORKE)
def test_the_puma_has_corkes_torques(q, qd, qdd, tau):
    np.testing.assert_allclose(build("puma560").inverse_dynamics(q, qd, qdd), tau, atol=6e-5, rtol=1e-5)


def test_the_puma_has_corkes_torques_without_gravity():
    weightless = build("puma560").replace(gravity=(0, 0, 0))
    tau = [32.4952, 29.2271, 11.7085, 1.45452, 1.27086, 0.713781]
    np.testing.assert_allclose(weightless.inverse_dynamics(QN, ONES, ONES), tau, atol=6e-5, rtol=1e-5)


def test_the_puma_has_corkes_mass_matrix():
    M = build("puma560").mass_matrix(np.array([QN, QZ, QR, QS]))
    expected = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ]
    np.testing.assert_allclose(M[0], expected, atol=6e-5)
    diagonal = [3.9611261, 4.4566221, 0.93865273, 0.19243063, 0.17134845, 0.19410451]
    np.testing.assert_allclose(np.diag(M[1]), diagonal, atol=6e-8)
    off = [-0.16266481, -0.13891381, 0.00164, -0.00043214, 4e-5, 0.37273632, 0.00188574, 0.00188574, 4e-5]
    rows, columns = [0, 0, 0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 4, 5, 2, 4, 4, 5]
    np.testing.assert_allclose(M[1][rows, columns], off, atol=6e-9)
    ready = [2.33735105, -0.82930515, -0.13891381, 5.206948, 0.74789928, 0.00312933]
    np.testing.assert_allclose(M[2][[0, 0, 0, 1, 1, 1], [0, 1, 2, 1, 2, 4]], ready, atol=6e-9)
    np.testing.assert_allclose(M[3][[0, 0, 0], [0, 1, 2]], [5.03796118, -0.01994348, 0.00380752], atol=6e-9)


def armstrong(q):
    """Entries of M and g as printed by Armstrong, Khatib and Burdick (1986): a12 a13 a22 a23 a33, G2 G3 G5."""
    I2, I4, I5, I6, I8, I9 = 1.75, 0.690, 0.372, 0.333, -0.134, 0.0238
    I12, I13, I15, I16, I18, I19 = -0.0110, -0.00379, 0.00125, 0.00124, 0.000431, 0.000300
    I20, I21, I22 = -0.000202, -0.000100, -0.0000580
    m2, m3 = 4.71, 0.827
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 0.249, -0.0282
    s, c = np.sin(q), np.cos(q)
    s23, c23 = np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
    s2, c2, s3, c3, s4, c4, s5, c5 = s[1], c[1], s[2], c[2], s[3], c[3], s[4], c[4]
    both = (
        I8 * c23 + I13 * s23 - I15 * c23 * s4 * s5 + I18 * (s23 * c4 * s5 - c23 * c5) + I19 * s23 * s4 * c4
        + I20 * s4 * (s23 * c4 * c5**2 + c23 * s5 * c5) + I22 * s23 * s4 * s5
    )  # fmt: skip
    a12 = both + I4 * s2 + I9 * c2 + I16 * s2 * s4 * s5
    wrist = I20 * s4**2 * s5**2 + I21 * s4**2
    bend = I5 * s3 + I12 * c3 + I16 * (s3 * c5 + c3 * c4 * s5)
    hand = I15 * c5 + I22 * c4 * s5
    a22, a23, a33 = m2 + I2 + I6 + wrist + 2 * (bend + hand), bend + I6 + wrist + 2 * hand, m3 + I6 + wrist + 2 * hand
    fall = g5 * (s23 * c5 + c23 * c4 * s5)
    G2 = g1 * c2 + g2 * s23 + g3 * s2 + g4 * c23 + fall
    return [a12, both, a22, a23, a33], [G2, g2 * s23 + g4 * c23 + fall, g5 * (c23 * s5 + s23 * c4 * c5)]


def test_the_measured_puma_has_the_printed_model_of_armstrong_khatib_and_burdick():
    """a11 is left out: it does not follow from the paper's own table (I3 = 1.60, printed 1.38)."""
    robot = build("puma560akb")
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (50, 6))
    M = robot.mass_matrix(q)
    g = robot.inverse_dynamics(q, 0 * q, 0 * q)
    printed = [armstrong(x) for x in q]
    entries = M[:, [0, 0, 1, 1, 2], [1, 2, 1, 2, 2]]
    np.testing.assert_allclose(entries, [p[0] for p in printed], atol=2e-3)
    np.testing.assert_allclose(g[:, [1, 2, 4]], [p[1] for p in printed], atol=0.05)


def test_the_nm7mar_links_balance_at_half_their_length():
    robot = build("nm7mar")
    for name, centre in {"link1": (-0.225, 0, 0), "link2": (-0.175, 0, 0), "link3": (0, 0, -0.15)}.items():
        np.testing.assert_allclose(robot.link(name).body.com, centre, atol=1e-15)
        assert len(robot.provenance["assemblies"][name].children) == 3


def boxes(*sizes_and_places):
    """Mass and tensor about the common centre of aluminium cuboids, and that centre along a line: by hand."""
    masses = [2700 * a * b * c for (a, b, c), _ in sizes_and_places]
    places = [place for _, place in sizes_and_places]
    mass = sum(masses)
    centre = sum(m * x for m, x in zip(masses, places, strict=True)) / mass
    along = sum(m * (b * b + c * c) / 12 for m, ((_, b, c), _) in zip(masses, sizes_and_places, strict=True))
    across = sum(
        m * ((a * a + b * b) / 12 + (x - centre) ** 2)
        for m, ((a, b, _), x) in zip(masses, sizes_and_places, strict=True)
    )
    return mass, centre, along, across


@pytest.mark.parametrize(("name", "axis", "length"), [("link1", 0, 0.45), ("link2", 0, 0.35), ("link3", 2, 0.30)])
def test_K3_the_nm7mar_has_the_masses_and_tensors_of_its_cuboids(name, axis, length):
    """A middle of 3L/5 × 60 mm × 60 mm, ends of 80 mm × 80 mm and the same volume that touch it, all of aluminium."""
    extent = 3 * length / 5 * 0.06**2 / 0.08**2
    end, middle = (extent, 0.08, 0.08), (3 * length / 5, 0.06, 0.06)
    reach = 0.3 * length + extent / 2
    mass, centre, along, across = boxes(
        (end, -0.5 * length - reach), (middle, -0.5 * length), (end, -0.5 * length + reach)
    )
    body = build("nm7mar").link(name).body
    moments = [across] * 3
    moments[axis] = along
    assert body.mass == pytest.approx(mass, rel=1e-13)
    assert body.com[axis] == pytest.approx(centre, rel=1e-13)
    np.testing.assert_allclose(body.inertia, np.diag(moments), rtol=1e-13, atol=1e-17)


def test_the_nm7mar_reaches_as_far_as_its_links():
    robot = build("nm7mar")
    np.testing.assert_allclose(robot.forward_kinematics([0, 0, 0], "link3").p, [0.8, 0, 0.6], atol=1e-15)
    np.testing.assert_allclose(robot.forward_kinematics([0, np.pi / 2, -0.2], "link3").p, [0.45, 0.35, 0.4], atol=1e-15)


@pytest.mark.parametrize(
    ("name", "link", "length", "width", "height", "wall"),
    [
        ("rr", "link1", 0.5, 0.06, 0.04, 0.004),
        ("rr", "link2", 0.4, 0.04, 0.03, 0.003),
        ("planar3", "link3", 0.2, 0.03, 0.02, 0.002),
        ("rp", "link1", 0.6, 0.06, 0.04, 0.004),
        ("pr", "link2", 0.4, 0.04, 0.03, 0.003),
    ],
)
def test_bars_are_hollow_aluminium_with_solid_ends(name, link, length, width, height, wall):
    """A box less a box that ends one width before each of its ends, its walls all alike."""
    outer, inner = (length, width, height), (length - 2 * width, width - 2 * wall, height - 2 * wall)
    (m, *_), (k, *_) = boxes((outer, 0)), boxes((inner, 0))
    tensor = [
        (m * (outer[i] ** 2 + outer[j] ** 2) - k * (inner[i] ** 2 + inner[j] ** 2)) / 12
        for i, j in ((1, 2), (0, 2), (0, 1))
    ]
    body = build(name).link(link).body
    assert body.mass == pytest.approx(m - k, rel=1e-13)
    np.testing.assert_allclose(body.com, [length / 2, 0, 0], rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(body.inertia, np.diag(tensor), rtol=1e-12, atol=1e-17)


def test_gravity_and_tools_of_the_arms_on_a_sheet_of_paper():
    for name, tool in {"rr": 0.9, "planar3": 1.1, "pr": 0.4}.items():
        robot = build(name)
        np.testing.assert_allclose(robot.forward_kinematics(np.zeros(robot.n), "tool").p, [tool, 0, 0], atol=1e-15)
        np.testing.assert_array_equal(robot.gravity, [0, -9.81, 0])
    np.testing.assert_allclose(build("pp").gravity_forces([0, 0]), [3.5 * 9.81, 0], atol=1e-12)
    bar = 2700 * (0.6 * 0.06 * 0.04 - 0.48 * 0.052 * 0.032)
    tau = build("rp").inverse_dynamics([0, 0.2], [0, 0], [0, 1.0])
    np.testing.assert_allclose(tau, [(bar * 0.3 + 1.5 * 0.2) * 9.81, 1.5], rtol=1e-13)


def test_the_scara_hangs_its_quill_from_the_outer_arm():
    robot = build("scara")
    tip = robot.forward_kinematics(np.zeros(4), "tool").p
    np.testing.assert_allclose(tip, [0.3 + 0.25, 0, 0.33 - 0.06 - 0.15 - 0.012], atol=1e-15)
    np.testing.assert_allclose(robot.forward_kinematics([0, 0, 0.1, 0], "tool").p, [0.55, 0, 0.008], atol=1e-15)
    rod, disc = 7850 * np.pi * 0.01**2 * 0.3, 2700 * np.pi * 0.025**2 * 0.012
    np.testing.assert_allclose(robot.gravity_forces(np.zeros(4)), [0, 0, -(rod + disc) * 9.81, 0], atol=1e-12)
    assert robot.link("base").body.mass == pytest.approx(2700 * np.pi * (0.07**2 - 0.06**2) * 0.3)


def test_the_desk_arm_lifts_with_a_positive_angle():
    robot = build("desk")
    zero = np.zeros(3)
    np.testing.assert_allclose(robot.forward_kinematics(zero, "tool").p, [0.525, 0, 0.17], atol=1e-15)
    np.testing.assert_allclose(robot.forward_kinematics([0, np.pi / 2, 0], "tool").p, [0, 0, 0.695], atol=1e-15)
    np.testing.assert_allclose(robot.friction_forces(zero, [1.0, -1.0, 2.0]), [0.2, -0.24, 0.12], rtol=1e-13)
    assert [robot.joint(name).armature for name in robot.joint_names] == [0.012, 0.015, 0.005]
    assert robot.gravity_forces(zero)[1] > 0 < robot.gravity_forces(zero)[2]
    tube = 1600 * np.pi * (0.0125**2 - 0.0105**2) * 0.17
    assert robot.link("fore").made_of.find("tube").part.mass_properties.mass == pytest.approx(tube)


def test_the_iiwa_balances_like_its_table():
    """Upright, the axes of links 1, 3, 5, 7 are z, those of 2, 4, 6 are y: heights above joint 2, and what spins."""
    robot = build("iiwa")
    assert robot.forward_kinematics(np.zeros(7), "lbr_iiwa_link_7").p[2] == pytest.approx(0.36 + 0.42 + 0.4 + 0.081)
    heights = [0.059, 0.2045 + 0.13, 0.42 + 0.067, 0.6045 + 0.076, 0.82 + 0.0006, 0.901 + 0.02]
    masses = [4, 3, 2.7, 1.7, 1.8, 0.3]
    level = robot.gravity_forces([0, np.pi / 2, 0, 0, 0, 0, 0])
    assert abs(level[1]) == pytest.approx(9.81 * sum(m * h for m, h in zip(masses, heights, strict=True)), rel=1e-12)
    spins = [0.02, 0.018, 0.01, 0.01, 0.005, 0.0036, 0.001]
    aside = [0.03**2, 0.0003**2 + 0.042**2, 0.03**2, 0.034**2, 0.0001**2 + 0.021**2, 0.0004**2, 0]
    about_z = sum(spins) + sum(m * d for m, d in zip([4, *masses], aside, strict=True))
    assert robot.mass_matrix(np.zeros(7))[0, 0] == pytest.approx(about_z, rel=1e-12)
    assert close(robot.friction_forces(np.zeros(7), np.ones(7)), np.full(7, 0.5))


def test_the_stanford_arm_stands_as_paul_drew_it():
    """Where the product of Paul's matrices A₁ … A₆ puts the last frame, and what its slider lifts."""
    robot = build("stanford")
    assert isinstance(robot.joint("joint3"), Prismatic)
    np.testing.assert_allclose(robot.forward_kinematics(np.zeros(6), "link6").p, [0, 0.154 - 0.0203, 0.412], atol=1e-12)
    np.testing.assert_allclose(
        robot.forward_kinematics([0, 0, 0.5, 0, 0, 0], "link6").p, [0, 0.154 - 0.0203, 0.412 + 0.5], atol=1e-12
    )
    assert robot.joint("joint3").limits[:2] == pytest.approx((12 * 0.0254, 50 * 0.0254))
    assert robot.total_mass == pytest.approx(9.29 + 5.01 + 4.25 + 1.08 + 0.630 + 0.51)
    slide = robot.inverse_dynamics(np.zeros(6), np.zeros(6), [0, 0, 1.0, 0, 0, 0])[2]
    assert slide == pytest.approx((4.25 + 1.08 + 0.630 + 0.51) * (9.81 + 1) + 0.782)


PAUL = [  # θ, d, a, α, mass, centre, moments about it, rotor: the rows of stanford.m; the third joint slides
    (0, 0.412, 0, -np.pi / 2, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071), 0.953),
    (0, 0.154, 0, np.pi / 2, 5.01, (0, -1.054, 0), (0.108, 0.018, 0.100), 2.193),
    (-np.pi / 2, 0, 0.0203, 0, 4.25, (0, 0, -6.447), (2.51, 2.51, 0.006), 0.782),
    (0, 0, 0, -np.pi / 2, 1.08, (0, 0.092, -0.054), (0.002, 0.001, 0.001), 0.106),
    (0, 0, 0, np.pi / 2, 0.630, (0, 0, 0.566), (0.003, 0.003, 0.0004), 0.097),
    (0, 0, 0, 0, 0.51, (0, 0, 1.554), (0.013, 0.013, 0.0003), 0.020),
]


def test_the_stanford_arm_has_the_mass_matrix_of_its_matrices():
    """M = Σ m JᵀJ + JωᵀIJω + rotors and G = Σ m g ∂z/∂q, with Paul's A-matrices multiplied out in NumPy."""
    q = np.array([0.3, -0.8, 0.4, 0.5, 1.1, -0.7])
    T, frames = np.eye(4), [np.eye(4)]
    for k, (theta, d, a, alpha, *_) in enumerate(PAUL):
        t, d = (theta, d + q[k]) if k == 2 else (theta + q[k], d)
        c, s, ca, sa = np.cos(t), np.sin(t), np.cos(alpha), np.sin(alpha)
        T = T @ [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
        frames.append(T)
    M, G = np.diag([row[7] for row in PAUL]), np.zeros(6)
    for i, (_, _, _, _, mass, centre, moments, _) in enumerate(PAUL):
        R, at = frames[i + 1][:3, :3], frames[i + 1][:3, :3] @ centre + frames[i + 1][:3, 3]
        Jv, Jw = np.zeros((3, 6)), np.zeros((3, 6))
        for k in range(i + 1):
            z = frames[k][:3, 2]
            Jv[:, k], Jw[:, k] = (z, 0) if k == 2 else (np.cross(z, at - frames[k][:3, 3]), z)
        M = M + mass * Jv.T @ Jv + Jw.T @ R @ np.diag(moments) @ R.T @ Jw
        G = G + mass * 9.81 * Jv[2]
    robot = build("stanford")
    assert close(robot.mass_matrix(q), M) and close(robot.gravity_forces(q), G)


def test_masses_of_the_arms_of_today():
    assert build("panda").total_mass == pytest.approx(17.451901, abs=1e-9)
    assert build("ur5").total_mass == pytest.approx(20.9939, abs=1e-9)
    assert build("iiwa").total_mass == pytest.approx(22.5, abs=1e-9)
