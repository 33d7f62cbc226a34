"""Section C of the mission: links from elements from parts (Szumiński & Kapitaniak 2006), errata X7-X13."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy as sp

import steiner
from steiner.assembly.balancing import balance
from steiner.assembly.tree import Assembly, Part
from steiner.errors import ModelError
from steiner.inertia import MassProperties
from steiner.inertia.properties import tensor_of
from steiner.solids.shapes import Box, Cylinder, Limits, Particles, Wedge
from steiner.spatial import Pose, Twist, cross, rotation_rpy, rotation_x, rotation_y, rotation_z
from tests.comparing import close, floats

L, rho, a, alpha, m_p, w_p = sp.symbols("L rho a alpha m_p w_p", positive=True)
g, al, de = sp.symbols("gamma alpha delta", real=True)
V = dict(zip("rkl", sp.symbols("V_r V_k V_l", positive=True), strict=True))
RHO = dict(zip("rkl", sp.symbols("rho_r rho_k rho_l", positive=True), strict=True))
C = {p: sp.symbols(f"c_{p}x c_{p}y c_{p}z", real=True) for p in "rkl"}
SIZE = {p: sp.symbols(f"a_{p} b_{p} h_{p}", positive=True) for p in "rkl"}


def same(found, expected):
    found, expected = np.asarray(found, dtype=object), np.asarray(expected, dtype=object)
    gaps = [sp.simplify(sp.sympify(x) - sp.sympify(y)) for x, y in zip(found.ravel(), expected.ravel(), strict=True)]
    return found.shape == expected.shape and all(g == 0 for g in gaps)


def offset(p, along="x"):
    """Origins of the elements r, k, l: at 0, −L/2, −L along the link."""
    place = {"r": 0, "k": -L / 2, "l": -L}[p]
    return tuple(place if axis == along else 0 for axis in "xyz")


def element(p, along="x", density=None):
    """An element of the paper: a cuboid a × b × h whose centre lies at r_cp in the element's frame."""
    density = RHO[p] if density is None else density
    cuboid = Part("cuboid", Box(*SIZE[p]), density=density, pose=Pose.from_rpy(C[p]))
    return Assembly(p, [cuboid], pose=Pose.from_rpy(offset(p, along)))


def blob(p, along="x", density=None):
    """An element known by its volume and centre only."""
    density = rho if density is None else density
    return Assembly(p, [Part("parts", body=MassProperties(density * V[p], C[p]))], pose=Pose.from_rpy(offset(p, along)))


def of(elements, name="link"):
    return Assembly(name, elements)


# ---- C1, C2 ------------------------------------------------------------------------------------------


def test_C1_link_elements_parts_with_their_own_frames_densities_and_volumes():
    q1 = Part("housing", Box(0.1, 0.1, 0.1), density=2700.0, pose=Pose.from_rpy((0.01, 0, 0)))
    q2 = Part("bearing", Box(0.02, 0.02, 0.02), mass=0.05)
    q3 = Part("body", Box(0.3, 0.05, 0.05), density=1200.0)
    link = of([Assembly("r", [q1, q2]), Assembly("k", [q3], pose=Pose.from_rpy((-0.2, 0, 0)))])
    masses = [2700 * 1e-3, 0.05, 1200 * 0.3 * 0.0025]
    assert link.mass == pytest.approx(sum(masses), rel=1e-14)
    densities = [2700, 0.05 / 8e-6, 1200]
    assert link.volume == pytest.approx(sum(m / d for m, d in zip(masses, densities, strict=True)), rel=1e-14)  # eq. 4
    assert [n.path for n in link.nodes()] == [
        "link",
        "link/r",
        "link/r/housing",
        "link/r/bearing",
        "link/k",
        "link/k/body",
    ]
    centre = (masses[0] * 0.01 + masses[2] * -0.2) / sum(masses)  # eq. 3
    assert link.com()[0] == pytest.approx(centre, rel=1e-13)


def test_C2_centre_of_gravity_is_eq_12_in_the_frame_of_the_reference_element():
    link = of([blob(p) for p in "rkl"])
    whole = sum(V.values())
    eq12 = [
        (V["r"] * C["r"][0] + V["k"] * (C["k"][0] - L / 2) + V["l"] * (C["l"][0] - L)) / whole,
        sum(V[p] * C[p][1] for p in "rkl") / whole,
        sum(V[p] * C[p][2] for p in "rkl") / whole,
    ]
    assert same(link.com(), eq12)
    assert same(link.com(frame="r"), eq12)


def test_C2_in_the_link_frame_through_the_rotation_of_the_reference_element():
    angles = (0.3, -0.7, 1.1)
    inner = [
        Assembly(
            p, [Part("q", Box(0.1, 0.2, 0.3), density=1000.0 + 500 * k, pose=Pose.from_rpy((0.01 * k, 0.02, 0.03)))]
        )
        for k, p in enumerate("rkl")
    ]
    elements = Assembly("elements", inner)
    turned = of([elements.at(rpy=angles)])
    A = rotation_rpy(angles)
    assert close(turned.com(), A @ elements.com())  # eq. 13
    assert close(turned.com(frame="elements"), elements.com())
    assert close(turned.com(frame="elements/r"), elements.com(frame="r"))


def test_X8_one_density_and_equal_volumes_are_masses_in_general_and_link_3_is_permuted():
    mixed = of([blob(p, density=RHO[p]) for p in "rkl"])
    eq12 = sum(V[p] * C[p][1] for p in "rkl") / sum(V.values())
    assert not same(mixed.com()[1], eq12)
    by_mass = sum(RHO[p] * V[p] * C[p][1] for p in "rkl") / sum(RHO[p] * V[p] for p in "rkl")
    assert same(mixed.com()[1], by_mass)
    third = of([blob(p, along="z") for p in "rkl"])
    permuted = (V["r"] * C["r"][2] + V["k"] * (C["k"][2] - L / 2) + V["l"] * (C["l"][2] - L)) / sum(V.values())
    assert same(third.com()[2], permuted)
    assert not same(
        third.com()[0], (V["r"] * C["r"][0] + V["k"] * (C["k"][0] - L / 2) + V["l"] * (C["l"][0] - L)) / sum(V.values())
    )


# ---- C3, C4 ------------------------------------------------------------------------------------------


EQ17 = [
    [
        sp.cos(al) * sp.cos(de),
        sp.sin(al) * sp.sin(g) * sp.cos(de) - sp.sin(de) * sp.cos(g),
        sp.sin(al) * sp.cos(de) * sp.cos(g) + sp.sin(de) * sp.sin(g),
    ],
    [
        sp.sin(de) * sp.cos(al),
        sp.sin(al) * sp.sin(de) * sp.sin(g) + sp.cos(de) * sp.cos(g),
        sp.sin(al) * sp.sin(de) * sp.cos(g) - sp.sin(g) * sp.cos(de),
    ],
    [-sp.sin(al), sp.sin(g) * sp.cos(al), sp.cos(al) * sp.cos(g)],
]


def test_C3_rotation_about_fixed_axes_is_eq_17():
    A = rotation_rpy((g, al, de))
    assert same(A, EQ17)
    assert same(A, rotation_z(de) @ rotation_y(al) @ rotation_x(g))
    assert not same(A, rotation_x(g) @ rotation_y(al) @ rotation_z(de))  # intrinsic γ, α, δ
    assert same(Pose.from_rpy(rpy=(g, al, de)).apply((1, 0, 0)), [row[0] for row in EQ17])


def test_C3_homogeneous_transformations_everywhere():
    A, B = Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), Pose.from_rpy((1, 0, -1), (-0.3, 0.2, 2))
    point = np.array([0.3, -0.2, 0.7])
    homogeneous = A.matrix @ B.matrix @ np.append(point, 1)
    assert close((A @ B).apply(point), homogeneous[:3]) and homogeneous[3] == 1


def test_C4_a_part_is_integrated_in_its_own_frame_and_carried_to_the_links_axes():
    angles = (0.7, -0.4, 1.3)
    wedge = Wedge(0.3, 0.2, 0.1)
    carried = Part("q", wedge, density=1000.0, pose=Pose.from_rpy(rpy=angles))
    body = of([carried]).mass_properties
    A = rotation_rpy(angles)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    second = np.zeros((3, 3))
    for (u, wu), (v, wv), (t, wt) in itertools.product(zip(nodes, weights, strict=True), repeat=3):
        x = 0.3 * (1 + u) / 2
        y = 0.2 * (1 - x / 0.3) * (1 + v) / 2
        weight = wu * wv * wt * 0.15 * 0.1 * (1 - x / 0.3) * 0.05 * 1000
        r_m = A @ np.array([x, y, 0.05 * t]) - body.com  # eqs 23, 24
        second += weight * np.outer(r_m, r_m)
    assert close(body.inertia, tensor_of(second), 1e-12)  # eqs 22, 25


def eq26(x, y, z, gamma, delta, corrected):
    """The entries b, d, e of eq. 26 (α = 0), as printed or with the right signs."""
    s, c, sg, cg = sp.sin(delta), sp.cos(delta), sp.sin(gamma), sp.cos(gamma)
    sign = -1 if corrected else 1
    b = -s * c * (x**2 - (sg * z - cg * y) ** 2) + sign * x * (s**2 - c**2) * (sg * z - cg * y)
    d = -s * (sg * cg * (z**2 - y**2) + y * z * (sg**2 - cg**2)) + sign * c * (sg * y + cg * z) * x
    e = -c * (sg * cg * (y**2 - z**2) + y * z * (cg**2 - sg**2)) + sign * s * (sg * y + cg * z) * x
    return b, d, e


def test_X7_three_entries_of_eq_26_have_a_wrong_sign():
    x, y, z = sp.symbols("x y z", real=True)
    moved = rotation_rpy((g, 0, de)) @ np.array([x, y, z])
    tensor = tensor_of(np.outer(moved, moved))
    true = (tensor[0, 1], tensor[0, 2], tensor[1, 2])
    printed, right = eq26(x, y, z, g, de, False), eq26(x, y, z, g, de, True)
    assert all(same(t, r) for t, r in zip(true, right, strict=True))
    assert not any(same(t, p) for t, p in zip(true, printed, strict=True))
    symmetric = [[t.expand().coeff(x, 1), p.expand().coeff(x, 1)] for t, p in zip(true, printed, strict=True)]
    assert all(s != p for s, p in symmetric)  # the whole fault is in the terms linear in x
    skew = Particles([1.0], [(0.3, 0.2, 0.5)])  # a body with ∫xy, ∫xz ≠ 0 shows it
    body = skew.mass_properties.moved(Pose.from_rpy(rpy=(0.4, 0, 0.9))).inertia_about((0, 0, 0))
    values = {x: 0.3, y: 0.2, z: 0.5, g: 0.4, de: 0.9}
    assert body[0, 1] == pytest.approx(float(right[0].subs(values)), rel=1e-12)
    assert abs(body[0, 1] - float(printed[0].subs(values))) > 1e-3


# ---- C5 ----------------------------------------------------------------------------------------------


def test_C5_tensors_about_the_three_reference_points_and_their_sum():
    link = of([element(p) for p in "rkl"])
    about_frame, about_own, about_link = (link.budget(about=x) for x in ("frame", "own", "link"))
    S = link.com()
    total = np.zeros((3, 3), dtype=object)
    first = np.zeros(3, dtype=object)
    for p in "rkl":
        A_, B_, H_ = SIZE[p]
        mass = RHO[p] * A_ * B_ * H_
        central = np.diag([mass * (B_**2 + H_**2) / 12, mass * (A_**2 + H_**2) / 12, mass * (A_**2 + B_**2) / 12])
        cx, cy, cz = C[p]
        eq38 = central + mass * np.array(
            [
                [cy**2 + cz**2, -cx * cy, -cx * cz],
                [-cx * cy, cx**2 + cz**2, -cy * cz],
                [-cx * cz, -cy * cz, cx**2 + cy**2],
            ]
        )
        x, y, z = np.array(C[p], dtype=object) + np.array(offset(p), dtype=object) - S  # r_cp + r_op
        eq43 = central + mass * np.array(
            [[y**2 + z**2, -x * y, -x * z], [-x * y, x**2 + z**2, -y * z], [-x * z, -y * z, x**2 + y**2]]
        )
        assert same(about_own.row(p).inertia, central)  # eq. 39
        assert same(about_frame.row(p).inertia, eq38)
        found = about_link.row(p).inertia
        values = numbers()
        assert close(_value(found, values), _value(eq43, values), 1e-12)
        assert _vanishes(found - eq43)
        total, first = total + eq43, first + mass * np.array([x, y, z], dtype=object)
    assert all(sp.simplify(v) == 0 for v in first)  # Σ m_p (r_cp + r_op) = 0
    assert _vanishes(link.mass_properties.inertia - total)  # eqs 44-46


def _vanishes(matrix):
    return all(sp.cancel(sp.together(sp.sympify(v))) == 0 for v in matrix.ravel())


def numbers():
    values = {L: 0.5}
    for k, p in enumerate("rkl"):
        values |= dict(zip(SIZE[p], (0.1 + 0.02 * k, 0.08, 0.06 + 0.01 * k), strict=True))
        values |= dict(zip(C[p], (0.01 * k, -0.02 + 0.01 * k, 0.015 - 0.01 * k**2), strict=True))
        values |= {RHO[p]: 2700 + 300 * k}
    return values


def _value(matrix, values):
    return np.array([[float(sp.sympify(v).subs(values)) for v in row] for row in matrix])


def test_C5_the_table_of_contributions_adds_up_level_by_level():
    link = of([element(p) for p in "rkl"]).subs(numbers())
    budget = link.budget()
    body = link.mass_properties
    assert close(sum(budget.row(p).inertia for p in "rkl"), body.inertia)
    assert close(sum(budget.row(f"{p}/cuboid").inertia for p in "rkl"), body.inertia)
    assert close(sum(budget.contribution(p) for p in "rkl"), np.ones((3, 3)), 1e-9)
    assert sum(budget.row(p).share for p in "rkl") == pytest.approx(1, rel=1e-14)
    parents = link.budget(about="parent")
    assert close(parents.row("r/cuboid").inertia, link.budget(about="own").row("r").inertia)


def test_X11_K7_the_misprints_of_eqs_20_21_and_43():
    # eq. 20: r_si = A r_siʳ + r_r with r_siʳ the centre in the frame of element r, a column; no row, no transpose
    turn, shift = (0.3, -0.7, 1.1), np.array([0.2, -0.1, 0.4])
    inner = of([element(p) for p in "rkl"], "r").subs(numbers())
    own = inner.com()
    link = of([inner.at(xyz=shift, rpy=turn)])
    A = floats(sp.lambdify((g, al, de), sp.Matrix(EQ17))(*turn))
    assert close(link.com(frame="r"), own) and close(link.com(), A @ own + shift)
    assert not close(link.com(), own @ A + shift, 1e-2)
    # eq. 43, entry (1, 3): −m (x_c + x_o)(z_c + z_o), nothing else in it; all three factors differ from zero here
    row = inner.budget().row("l")
    mass, (x, _, z) = row.mass, row.com - own
    assert abs(mass * x * z) > 1e-4 and row.inertia[0, 2] == pytest.approx(-mass * x * z, rel=1e-12)
    assert row.inertia[2, 0] == row.inertia[0, 2]
    # eq. 21: B_x = ∫(y² + z²) dm is about an axis; a moment about a plane would be ∫x² dm
    box, (m, a_, b_, c_) = Box(0.3, 0.2, 0.1).with_mass(6.0), (6.0, 0.3, 0.2, 0.1)
    assert box.moment_about((1, 0, 0)) == pytest.approx(m * (b_**2 + c_**2) / 12)
    assert box.moment_about((1, 0, 0), through=(0, 1, 0)) == pytest.approx(m * (b_**2 + c_**2) / 12 + m)
    planes = np.diag(box.moments.second)
    assert close(planes, [m * a_**2 / 12, m * b_**2 / 12, m * c_**2 / 12])
    assert abs(box.moment_about((1, 0, 0)) - planes[0]) > 1e-3


# ---- C6 ----------------------------------------------------------------------------------------------


def test_C6_manipulated_object_along_the_axes_of_the_last_link():
    cube = Box(w_p, w_p, w_p).with_mass(m_p)
    assert same(cube.inertia, np.diag([m_p * w_p**2 / 6] * 3))  # eq. 34
    for turned in (cube.moved(Pose.from_rpy(rpy=(0, al, 0))), cube.moved(Pose.from_rpy(rpy=(g, al, de)))):
        assert same(turned.inertia, cube.inertia)  # however it is turned
    x_p, z_p = sp.symbols("x_p z_p")
    moved = Pose.from_rpy(rpy=(0, al, 0)).apply((x_p, 0, z_p))
    assert same(moved, [x_p * sp.cos(al) + z_p * sp.sin(al), 0, z_p * sp.cos(al) - x_p * sp.sin(al)])  # eq. 32
    half = w_p / 2
    point3 = Pose.from_rpy(rpy=(0, al, 0)).apply((half, 0, half))  # eq. 33 with a = b = w_p/2
    assert same(point3, [half * sp.cos(al) + half * sp.sin(al), 0, half * sp.cos(al) - half * sp.sin(al)])


def test_C6_kinetic_energy_of_the_object_from_the_motion_of_the_last_link():
    r_p, omega, v_n = np.array([0.1, -0.05, 0.2]), np.array([0.4, -1.2, 0.7]), np.array([0.3, 0.1, -0.5])
    body = Box(0.1, 0.06, 0.04).with_mass(0.8).moved(Pose.from_rpy(r_p, (0.3, 0.4, 0.5)))
    speed = v_n + cross(omega, r_p)
    expected = 0.8 * speed @ speed / 2 + omega @ body.inertia @ omega / 2
    assert body.kinetic_energy(Twist(omega, v_n)) == pytest.approx(expected, rel=1e-13)


def test_C6_the_effect_of_the_object_on_the_dynamics_of_the_arm():
    arm = steiner.load("gallery:nm7mar")
    q, qd, qdd = np.array([0.3, 0.5, -0.1]), np.array([0.4, -0.7, 0.2]), np.array([1.0, -0.5, 0.3])
    r_p = np.array([0.1, -0.05, 0.2])
    body = Box(0.1, 0.06, 0.04).with_mass(0.8).moved(Pose.from_rpy(r_p, (0.3, 0.4, 0.5)))
    loaded = arm.with_payload(body, link="link3")
    J = arm.jacobian(q, "link3", frame="body")
    omega, v_n = (J @ qd)[:3], (J @ qd)[3:]
    speed = v_n + cross(omega, r_p)
    energy = 0.8 * speed @ speed / 2 + omega @ body.inertia @ omega / 2
    assert loaded.kinetic_energy(q, qd) - arm.kinetic_energy(q, qd) == pytest.approx(energy, rel=1e-12)
    assert close(loaded.mass_matrix(q) - arm.mass_matrix(q), J.T @ body.spatial @ J, 1e-11)
    assert not close(loaded.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd), 1e-2)
    empty = arm.with_payload(MassProperties(0.0), link="link3")
    assert close(empty.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd), 1e-14)


def test_X10_the_homogeneous_hexagon_is_a_cube():
    hexagon = [(math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)) for k in range(6)]
    from steiner.solids.shapes import Prism

    prism = Prism(hexagon, 1.0).with_mass(1.0)
    assert not np.allclose(np.diag(prism.inertia), 1 / 6)
    assert np.allclose(np.diag(Box(1, 1, 1).with_mass(1.0).inertia), 1 / 6)


# ---- C7 ----------------------------------------------------------------------------------------------


def nm7mar_link(i):
    """Link i of the NM7MAR: three cuboids; links 1, 2 along x, link 3 along z (eqs 35, 47, 48)."""
    along = "z" if i == 3 else "x"
    edge, cross_ = sp.symbols("a_i b_i", positive=True)
    y, z = sp.symbols("y z", real=True)
    centres = {"r": (0, y, z), "k": (0, -2 * y, z), "l": (0, y, -2 * z)}  # eq. 48: they sum to zero
    parts = []
    for p in "rkl":
        cuboid = Part("cuboid", Box(edge, cross_, cross_), density=rho, pose=Pose.from_rpy(centres[p]))
        parts.append(Assembly(p, [cuboid], pose=Pose.from_rpy(offset(p, along))))
    return of(parts, f"link{i}")


@pytest.mark.parametrize("i", [1, 2, 3])
def test_C7_nm7mar_centres_lie_at_half_length(i):
    expected = (0, 0, -L / 2) if i == 3 else (-L / 2, 0, 0)  # eq. 49
    assert same(nm7mar_link(i).com(), expected)


@pytest.mark.parametrize(("i", "length"), [(1, 0.45), (2, 0.35), (3, 0.30)])
def test_C7_the_links_of_the_gallery_are_three_cuboids_that_balance_at_half_length(i, length):
    """Eq. 35: between housings of lengths α and β the body has L − α − β; eqs 47-49 follow for the whole link."""
    robot = steiner.load("gallery:nm7mar")
    link, axis = robot.link(f"link{i}"), 2 if i == 3 else 0
    elements = {p: link.made_of.find(p) for p in "rkl"}
    boxes = {p: node.part.solid if isinstance(node.part, Part) else node.part.children[0].solid
             for p, node in elements.items()}  # fmt: skip
    extent = {p: (box.x, box.y, box.z)[axis] for p, box in boxes.items()}
    alpha = beta = length / 5
    assert extent["k"] == pytest.approx(length - alpha - beta, rel=1e-14)
    centres = {p: link.made_of.budget("own").row(p).com for p in "rkl"}
    masses = {p: 2700 * boxes[p].volume for p in "rkl"}
    whole = sum(masses.values())
    moment = sum(masses[p] * (centres[p][axis] + length / 2) for p in "rkl")
    assert moment == pytest.approx(0, abs=1e-15 * whole)  # the criterion of eq. 7 for masses
    expected = np.zeros(3)
    expected[axis] = -length / 2  # eq. 49
    assert close(link.body.com, expected, 1e-14) and link.body.mass == pytest.approx(whole, rel=1e-14)
    ends = [abs(centres[p][axis] + length / 2) - extent[p] / 2 for p in "rl"]
    assert ends == pytest.approx([extent["k"] / 2] * 2)  # the housings begin where the body ends
    assert robot.provenance["notes"] == ("dimensions are illustrative",)


def test_C7_the_links_of_the_gallery_follow_one_another():
    """Links 1 and 2 reach back along −x to their joints, link 3 slides along z."""
    robot = steiner.load("gallery:nm7mar")
    poses = robot.forward_kinematics([0.3, 0.5, -0.1])
    step = {name: poses[name].R @ np.array(back) for name, back in (("link1", (-0.45, 0, 0)), ("link2", (-0.35, 0, 0)))}
    assert close(poses["link1"].p + step["link1"], (0, 0, 0.6))
    assert close(poses["link2"].p + step["link2"], poses["link1"].p)
    assert close(poses["link3"].p, poses["link2"].p - [0, 0, 0.1])


# ---- C8 ----------------------------------------------------------------------------------------------


def test_C8_the_criterion_comes_out_of_the_solver_and_eq_7_is_a_special_case():
    link = of([blob(p) for p in "rkl"])
    found = balance(link, [V["k"]], {"x": -L / 2})
    criterion = V["r"] * (C["r"][0] + L / 2) + V["k"] * C["k"][0] + V["l"] * (C["l"][0] - L / 2)
    assert sp.simplify(found.conditions["x"] / rho - criterion) == 0
    assert found.holds({V["k"]: V["r"], V["l"]: V["r"], C["l"][0]: -C["r"][0] - C["k"][0]})  # eq. 7
    assert not found.holds({V["k"]: V["r"], V["l"]: V["r"]})
    assert found.solved


def test_X9_eq_7_is_sufficient_not_necessary():
    found = balance(of([blob(p) for p in "rkl"]), [V["k"]], {"x": -L / 2})
    other = {C["r"][0]: 0, C["k"][0]: 0, C["l"][0]: 0, V["l"]: V["r"]}  # any V_k
    assert found.holds(other) and V["k"] not in other


@pytest.mark.parametrize(("axis", "k"), [("y", 1), ("z", 2)])
def test_C8_eqs_9_and_11_are_special_cases(axis, k):
    found = balance(of([blob(p) for p in "rkl"]), [V["k"]], {axis: 0})
    c = {p: C[p][k] for p in "rkl"}
    assert found.holds(dict.fromkeys(c.values(), 0))
    assert found.holds({V["k"]: V["r"], V["l"]: V["r"], c["l"]: -c["r"] - c["k"]})
    for zero, (p, q) in {"r": ("k", "l"), "k": ("r", "l"), "l": ("r", "k")}.items():
        assert found.holds({c[zero]: 0, V[p]: -V[q] * c[q] / c[p]})
    solution = found.value(V["k"])
    assert same(solution, -(V["r"] * c["r"] + V["l"] * c["l"]) / c["k"])


def test_C8_the_same_solver_sizes_a_counterweight():
    arm = of(
        [
            Part("bar", Box(0.4, 0.05, 0.05), material="aluminium", pose=Pose.from_rpy((0.2, 0, 0))),
            Part("weight", Box(0.05, 0.1, 0.1), material="steel", pose=Pose.from_rpy((-0.1, 0, 0))),
        ],
        "arm",
    )
    sized = balance(arm, [("weight", "mass")], {"x": 0, "y": 0})
    assert sized.value(("weight", "mass")) == pytest.approx(2.7 * 0.2 / 0.1)
    assert abs(sized.applied().com()[0]) < 1e-15
    placed = balance(arm, [("weight", "x")], {"x": 0})
    assert abs(placed.applied().com()[0]) < 1e-15
    r = sp.Symbol("r", positive=True)
    from steiner.solids.shapes import Sphere

    ball = of([arm.children[0], Part("ball", Sphere(r), material="lead", pose=Pose.from_rpy((-0.1, 0, 0)))])
    assert abs(balance(ball, [r], {"x": 0}).applied().com()[0]) < 1e-14


CUBE = Box(0.1, 0.1, 0.1)


def test_C8_several_solutions_are_listed_and_none_is_said_clearly():
    r = sp.Symbol("r", real=True)
    two = of([Part("a", CUBE, mass=1.0, pose=Pose.from_rpy((r**2, 0, 0))), Part("b", CUBE, mass=1.0)])
    assert sorted(float(s[r]) for s in balance(two, [r], {"x": 2.0}).solutions) == pytest.approx([-2, 2])
    arm = of(
        [Part("bar", CUBE, mass=2.0), Part("weight", CUBE, mass=1.0, pose=Pose.from_rpy((1, 0, 0)))]
    )
    none = balance(arm, [("weight", "mass")], {"x": -1.0})
    assert not none.solved and "no solution" in str(none) and "negative" in str(none)
    h = sp.Symbol("h")  # of unknown sign: the quadratic has a negative root, and no cylinder has a negative height
    tail = Part("tail", Cylinder(0.05, h, axis="x"), density=7850, pose=Pose.from_rpy((-0.3 - h / 2, 0, 0)))
    bar = Part("bar", Box(1, 0.1, 0.1), mass=10.0, pose=Pose.from_rpy((0.5, 0, 0)))
    grown = balance(of([bar, tail]), [h], {"x": 0})
    assert [float(s[h]) for s in grown.solutions] == pytest.approx([math.sqrt(0.09 + 10 / (19.625 * math.pi)) - 0.3])
    assert len(grown.rejected) == 1 and "expected a length > 0" in str(grown)
    with pytest.raises(ModelError, match="but the unknowns are mass_weight"):
        balance(arm, [("weight", "mass")], {"x": 0}, bounds={("weight", "x"): (0, 1)})
    aside = balance(arm, [("weight", "mass")], {"y": 0.5})
    assert not aside.solved and "no solution" in str(aside)


# ---- C9 ----------------------------------------------------------------------------------------------


def quarter(a, alpha):
    """Eq. 57: the quarter cube in its own axes."""
    return Limits(("z", -a / 2, a / 2), ("y", 0, a / 2), ("x", 0, a / 2))


def eq56(a, alpha, sin=sp.sin, cos=sp.cos):
    """The same quarter seen from axes turned by α: three strips in y′."""
    s, c = sin(alpha), cos(alpha)
    z = ("z", -a / 2, a / 2)

    def right(_, y):
        return a / (2 * c) + y * s / c

    return Limits(
        [z, ("y", -a * s / 2, 0), ("x", lambda _, y: -y * c / s, right)],
        [z, ("y", 0, a * (c - s) / 2), ("x", lambda _, y: y * s / c, right)],
        [z, ("y", a * (c - s) / 2, a * c / 2), ("x", lambda _, y: y * s / c, lambda _, y: a / (2 * s) - y * c / s)],
    )


def eq55(a, alpha, sin=sp.sin, cos=sp.cos):
    """As printed: the region x′, y′ ≥ 0 of the turned cube."""
    s, c = sin(alpha), cos(alpha)
    z = ("z", -a / 2, a / 2)
    return Limits(
        [z, ("y", 0, a * (c - s) / 2), ("x", 0, lambda _, y: a / (2 * c) + y * s / c)],
        [z, ("y", a * (c - s) / 2, a / (2 * c)), ("x", 0, lambda _, y: a / (2 * s) - y * c / s)],
    )


@pytest.mark.parametrize(
    "region", [quarter, pytest.param(eq56, marks=pytest.mark.heavy), eq55], ids=["eq57", "eq56", "eq55"]
)
def test_C9_the_quarter_cube_gives_rho_a5_over_24_for_every_angle(region):
    moment = region(a, alpha).with_density(rho).inertia_about((0, 0, 0))[2, 2]
    assert same(moment, rho * a**5 / 24)
    assert same(region(a, alpha).volume, a**3 / 4)


@pytest.mark.parametrize("angle", [0.2, 0.7, 0.9, 1.3, 2.0, 2.9])
def test_C9_signed_limits_that_run_backwards_are_kept(angle):
    """For α > π/4 the second strip runs backwards: no absolute value, no refusal."""
    found = eq56(1.0, angle, math.sin, math.cos)
    assert found.volume == pytest.approx(0.25, rel=1e-12)
    assert found.with_density(1.0).inertia_about((0, 0, 0))[2, 2] == pytest.approx(1 / 24, rel=1e-12)
    if angle == 0.9:
        strip = Limits(*(("xyz"[b.coordinate], b.low, b.high) for b in found.regions[1]))
        assert strip.volume < 0


def test_X12_eq_55_is_another_region_with_the_same_volume_and_polar_moment():
    same_quarter = eq56(1.0, 0.5, math.sin, math.cos).with_density(1.0)
    printed = eq55(1.0, 0.5, math.sin, math.cos).with_density(1.0)
    own = quarter(1.0, 0).with_density(1.0)
    turned = own.moved(Pose.from_rpy(rpy=(0, 0, -0.5)))
    assert close(same_quarter.inertia_about((0, 0, 0)), turned.inertia_about((0, 0, 0)))  # 56 ↔ 57, full tensors
    assert close(same_quarter.com, turned.com)
    assert printed.mass == pytest.approx(own.mass)
    assert not close(printed.inertia_about((0, 0, 0)), turned.inertia_about((0, 0, 0)), 1e-2)
    assert not close(printed.com, turned.com, 1e-2)


def test_X13_cotangent_not_arc_tangent_and_a_rotation_about_z_by_minus_alpha():
    angle = 0.5
    s, c = math.sin(angle), math.cos(angle)
    z = ("z", -0.5, 0.5)
    printed = Limits(
        [z, ("y", -s / 2, 0), ("x", lambda _, y: -math.atan(angle) * y, lambda _, y: 1 / (2 * c) + y * s / c)],
        [z, ("y", 0, (c - s) / 2), ("x", lambda _, y: y * s / c, lambda _, y: 1 / (2 * c) + y * s / c)],
        [z, ("y", (c - s) / 2, c / 2), ("x", lambda _, y: y * s / c, lambda _, y: 1 / (2 * s) - y * math.atan(angle))],
    )
    assert abs(printed.with_density(1.0).inertia_about((0, 0, 0))[2, 2] - 1 / 24) > 1e-3
    about_y = quarter(1.0, 0).with_density(1.0).moved(Pose.from_rpy(rpy=(0, angle, 0)))  # eq. 50
    about_z = quarter(1.0, 0).with_density(1.0).moved(Pose.from_rpy(rpy=(0, 0, -angle)))
    found = eq56(1.0, angle, math.sin, math.cos).with_density(1.0)
    assert close(found.com, about_z.com) and not close(found.com, about_y.com, 1e-2)
    with pytest.raises(steiner.SteinerError, match="division by zero"):
        _ = eq56(1.0, 0.0, math.sin, math.cos).volume  # sin α ≠ 0 is needed too


def test_C9_tables_1_to_3_and_the_lines_of_eq_52():
    half = w_p / 2
    table1 = {1: (half, 0, half), 2: (-half, 0, half), 3: (half, 0, -half), 4: (-half, 0, -half)}
    s, c = sp.sin(al), sp.cos(al)
    table2 = {
        1: (half * s + half * c, 0, -half * s + half * c),
        2: (half * s - half * c, 0, half * s + half * c),
        3: (-half * s + half * c, 0, -half * s - half * c),
        4: (-half * s - half * c, 0, half * s - half * c),
    }
    root = sp.sqrt(2) / 2 * w_p
    table3 = {1: (root, 0, 0), 2: (0, 0, root), 3: (0, 0, -root), 4: (-root, 0, 0)}
    turn = Pose.from_rpy(rpy=(0, al, 0))  # eqs 50, 51
    moved = {k: turn.apply(point) for k, point in table1.items()}
    for k, point in moved.items():
        assert same(point, table2[k])
        assert same([v.subs(al, sp.pi / 4) for v in sp.sympify(list(point))], table3[k])
    x, _, z = moved[1]
    assert same(x, w_p / (2 * c) + z * sp.tan(al))  # eq. 52: point 1 lies on both lines
    assert same(z, w_p / (2 * c) - x * sp.tan(al))
    assert same((x, z), (w_p / 2 * (s + c), w_p / 2 * (c - s)))  # eq. 54
