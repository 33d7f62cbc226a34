"""Section A of the mission: mass properties, with the errata X3-X6, X17-X20 of the decks."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

from steiner.assembly.tree import Assembly, Part
from steiner.errors import SteinerError
from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term
from steiner.solids.charts import quadrature
from steiner.solids.shapes import (
    Box,
    Cone,
    Cylinder,
    Disk,
    Particles,
    Plate,
    Rod,
    Sphere,
    Tube,
    Wedge,
)
from steiner.spatial import Pose, rotation_rpy, rotation_x
from tests.comparing import close

m, w, l, h, r, a, L, d, rho, alpha = sp.symbols("m w l h r a L d rho alpha", positive=True)


def same(found, expected):
    """Symbolic identity, entry by entry."""
    found, expected = np.asarray(found, dtype=object), np.asarray(expected, dtype=object)
    gaps = [sp.simplify(sp.sympify(x) - sp.sympify(y)) for x, y in zip(found.ravel(), expected.ravel(), strict=True)]
    return found.shape == expected.shape and all(g == 0 for g in gaps)


def random_body(seed):
    rng = np.random.default_rng(seed)
    return Particles(rng.uniform(0.1, 2, 6), rng.normal(size=(6, 3))).mass_properties


# ---- A1, A2 ------------------------------------------------------------------------------------------


def test_A1_moment_about_an_axis_of_one_particle_of_many_and_of_a_solid():
    one = Particles([m], [(r, 0, l)])
    assert same(one.moment_about((0, 0, 1)), m * r**2)
    rng = np.random.default_rng(1)
    masses, points = rng.uniform(0.1, 1, 9), rng.normal(size=(9, 3))
    many = Particles(masses, points)
    assert many.moment_about((0, 0, 1)) == pytest.approx(sum(masses * (points[:, 0] ** 2 + points[:, 1] ** 2)))
    solid = Cylinder(r, h).with_mass(m)
    assert same(solid.moment_about((0, 0, 1)), m * r**2 / 2)
    axis, through = np.array([1, 2, 3]), np.array([0.1, -0.2, 0.3])  # an axis that misses the origin
    arms = np.cross(points - through, axis / np.sqrt(14))
    expected = masses @ (arms**2).sum(axis=1)
    assert many.moment_about(axis, through=through) == pytest.approx(expected, rel=1e-13)
    assert many.mass_properties.moment_about(axis, through=through) == pytest.approx(expected, rel=1e-13)


def test_A2_moment_about_an_arbitrary_axis_is_the_quadratic_form():
    body = random_body(2)
    axis = np.array([1.0, -2.0, 0.5])
    x, y, z = axis / np.linalg.norm(axis)
    I = body.inertia_about((0, 0, 0))
    Ixy, Iyz, Izx = -I[0, 1], -I[1, 2], -I[2, 0]  # products: +∫xy dm
    written = I[0, 0] * x**2 + I[1, 1] * y**2 + I[2, 2] * z**2 - 2 * (Ixy * x * y + Iyz * y * z + Izx * z * x)
    assert body.moment_about(axis) == pytest.approx(written, rel=1e-13)
    assert body.moment_about(7 * axis) == pytest.approx(written, rel=1e-13)
    wrong = written + 4 * Ixy * x * y  # the sign of a product matters
    assert abs(body.moment_about(axis) - wrong) > 1e-3 * abs(written)


def test_A3_off_diagonal_entries_are_minus_the_products():
    body = Wedge(0.3, 0.2, 0.1).at(xyz=(0.1, 0.2, 0.3)).with_density(1000)
    volume, first, second = quadrature(Wedge(0.3, 0.2, 0.1).charts)
    shift = np.array([0.1, 0.2, 0.3])
    moved = second + np.outer(shift, first) + np.outer(first, shift) + volume * np.outer(shift, shift)
    I = body.inertia_about((0, 0, 0))
    for i in range(3):
        for j in range(3):
            if i != j:
                assert I[i, j] == pytest.approx(-1000 * moved[i, j], rel=1e-12)
    assert I[0, 0] == pytest.approx(1000 * (moved[1, 1] + moved[2, 2]), rel=1e-12)
    assert I[0, 1] < 0 < moved[0, 1]


def test_A3_conventions_of_other_programs_are_named():
    tensor = [[3, -0.5, 0.1], [-0.5, 2, 0.2], [0.1, 0.2, 4]]
    printed = [[3, 0.5, -0.1], [0.5, 2, -0.2], [-0.1, -0.2, 4]]  # products, as some CAD programs print them
    assert close(MassProperties(1, inertia=printed, products="integral").inertia, tensor, 1e-13)
    with pytest.raises(SteinerError, match="products"):
        MassProperties(1, inertia=tensor, products="minus")


# ---- A4, A5 ------------------------------------------------------------------------------------------


def test_A4_angular_momentum_is_parallel_for_plane_bodies_only_and_spreads_over_inertia():
    plane = Plate(0.3, 0.2).with_mass(2.0).moved(Pose.from_rpy(rpy=(0, 0, 0.7)))
    H = plane.angular_momentum((0, 0, 3.0))
    assert not np.cross(H, (0, 0, 1)).any() and H[2] > 0
    solid = Box(0.3, 0.2, 0.1).with_mass(2.0)
    tilted = solid.angular_momentum((1, 1, 0))
    assert np.linalg.norm(np.cross(tilted, (1, 1, 0))) > 1e-3  # in general not parallel
    near, far = (Particles([1, 1], [(x, 0, 0), (-x, 0, 0)]).mass_properties for x in (0.5, 1.0))
    momentum = near.angular_momentum((0, 0, 2.0))
    slower = momentum[2] / far.inertia[2, 2]  # the skater who stretches out her arms
    assert slower == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_A5_principal_axes_are_right_handed_and_products_vanish(seed):
    body = random_body(seed)
    moments, R = body.principal()
    assert np.linalg.det(R) == pytest.approx(1, abs=1e-12)
    assert close(R.T @ body.inertia @ R, np.diag(moments), 1e-12)
    assert list(moments) == sorted(moments)


def test_A5_repeated_moments():
    for body in (Sphere(0.1).with_mass(1), Box(0.1, 0.1, 0.3).with_mass(1), Box(0.2, 0.2, 0.2).with_mass(3)):
        turned = body.moved(Pose.from_rpy(rpy=(0.3, 0.4, 0.5)))
        moments, R = turned.principal()
        assert close(np.sort(np.diag(body.inertia)), moments, 1e-12)
        assert np.linalg.det(R) == pytest.approx(1, abs=1e-12)


# ---- A6 ----------------------------------------------------------------------------------------------


CORNER = [
    [m * (l**2 + h**2) / 3, -m * w * l / 4, -m * h * w / 4],
    [-m * w * l / 4, m * (w**2 + h**2) / 3, -m * h * l / 4],
    [-m * h * w / 4, -m * h * l / 4, m * (l**2 + w**2) / 3],
]
CENTRE = [[m * (l**2 + h**2) / 12, 0, 0], [0, m * (w**2 + h**2) / 12, 0], [0, 0, m * (l**2 + w**2) / 12]]


def test_A6_box_about_corner_and_centre():
    centred = Box(w, l, h).with_mass(m)
    assert same(centred.inertia, CENTRE)
    corner = Box(w, l, h).at(xyz=(w / 2, l / 2, h / 2)).with_mass(m)
    assert same(corner.inertia_about((0, 0, 0)), CORNER)
    assert same(centred.inertia_about((-w / 2, -l / 2, -h / 2)), CORNER)


def test_A6_the_derivation_reads_as_the_decks_do():
    derivation = Box(0.3, 0.2, 0.1).derivation()
    text = derivation.markdown()
    for step in (
        r"I_{xx} = \int_{0}^{h}\int_{0}^{l}\int_{0}^{w} \rho \left(y^{2} + z^{2}\right)\,dx\,dy\,dz",
        r"\int_{0}^{h}\int_{0}^{l} \rho w \left(y^{2} + z^{2}\right)\,dy\,dz",
        r"\rho \left(\frac{h^{3} l w}{3} + \frac{h l^{3} w}{3}\right)",
        r"I_{xx} = \frac{m \left(h^{2} + l^{2}\right)}{3}",
        r"I_{xy} = \frac{l m w}{4}",
        r"P_c = \left[\begin{matrix}\frac{w}{2}\\\frac{l}{2}\\\frac{h}{2}\end{matrix}\right]",
    ):
        assert step in text, step
    assert same(derivation.result.inertia, CENTRE)
    order = [text.index(part) for part in ("**Mass.**", "**Moments", "**Products", "**Huygens")]
    assert order == sorted(order)


def test_X3_the_third_entry_of_the_box_is_l2_plus_w2():
    printed = m * (l**2 + h**2) / 12
    found = Box(w, l, h).with_mass(m).inertia[2, 2]
    assert not same(found, printed)
    assert same(found, m * (l**2 + w**2) / 12)


# ---- A7, A8 ------------------------------------------------------------------------------------------


def test_A7_parallel_axis_in_one_dimension_componentwise_and_as_tensor():
    assert same(Rod(L).with_mass(m).inertia_about((0, 0, -L / 2))[0, 0], m * L**2 / 3)
    body = random_body(3)
    x, y, z = body.com
    A, C, M = body.inertia_about((0, 0, 0)), body.inertia, body.mass
    assert A[0, 0] == pytest.approx(C[0, 0] + M * (y**2 + z**2), rel=1e-13)
    assert A[1, 1] == pytest.approx(C[1, 1] + M * (x**2 + z**2), rel=1e-13)
    assert A[2, 2] == pytest.approx(C[2, 2] + M * (x**2 + y**2), rel=1e-13)
    assert A[0, 1] == pytest.approx(C[0, 1] - M * x * y, rel=1e-12)
    assert A[0, 2] == pytest.approx(C[0, 2] - M * x * z, rel=1e-12)
    assert A[1, 2] == pytest.approx(C[1, 2] - M * y * z, rel=1e-12)
    P = body.com
    assert close(A, C + M * (P @ P * np.eye(3) - np.outer(P, P)), 1e-13)


def test_A7_both_directions_and_never_past_the_centre():
    body = random_body(4)
    point = np.array([0.4, -0.7, 1.1])
    about = body.inertia_about(point)
    back = MassProperties(body.mass, body.com, about, about=point)  # towards the centre of mass
    assert close(back.inertia, body.inertia, 1e-12)
    other = np.array([-0.3, 0.2, 0.5])
    directly = about + steiner_term(body.mass, other - point)  # wrong: neither frame is at the centre
    assert not close(directly, body.inertia_about(other), 1e-3)
    assert close(back.inertia_about(other), body.inertia_about(other), 1e-12)


def test_X5_X6_signs_and_entry_31_of_the_parallel_axis_matrix():
    body = MassProperties(2.0, (0.1, 0.2, 0.4), np.diag([1.0, 2.0, 2.5]))
    x, y, z = body.com
    entry = body.inertia_about((0, 0, 0))
    assert entry[0, 1] == pytest.approx(-2 * x * y)  # the entry; the product is +∫xy dm
    products = 2 * np.outer(body.com, body.com)
    np.fill_diagonal(products, np.diag(entry))
    again = MassProperties(2.0, body.com, products, about="origin", products="integral")
    assert close(again.inertia, body.inertia)
    assert entry[2, 0] == pytest.approx(-2 * x * z)
    assert entry[2, 0] != pytest.approx(-2 * x * y)  # as printed in 001


def test_A8_rotation_of_the_tensor_both_ways():
    body = random_body(5)
    R = rotation_rpy((0.3, -0.4, 1.2))
    turned = body.moved(Pose(R))
    assert close(turned.inertia, R @ body.inertia @ R.T, 1e-13)
    assert close(R.T @ turned.inertia @ R, body.inertia, 1e-12)
    assert not close(turned.inertia, R.T @ body.inertia @ R, 1e-2)
    omega = np.array([0.2, 0.5, -0.3])
    assert close(turned.angular_momentum(R @ omega), R @ body.angular_momentum(omega), 1e-12)


# ---- A9 ----------------------------------------------------------------------------------------------


def test_A9_the_table_of_shapes_with_x_as_symmetry_axis():
    b, c = sp.symbols("b c", positive=True)
    table = {
        "rod": (Rod(L, axis="x"), (0, m * L**2 / 12, m * L**2 / 12)),
        # thin plate b × c in yz; the cyclic permutation puts its first edge along y
        "plate": (Plate(b, c, axis="x"), (m * (b**2 + c**2) / 12, m * c**2 / 12, m * b**2 / 12)),
        "prism": (Box(a, b, c), (m * (b**2 + c**2) / 12, m * (c**2 + a**2) / 12, m * (a**2 + b**2) / 12)),
        "disk": (Disk(r, axis="x"), (m * r**2 / 2, m * r**2 / 4, m * r**2 / 4)),
        "cylinder": (Cylinder(a, L, axis="x"), (m * a**2 / 2, m * (3 * a**2 + L**2) / 12, m * (3 * a**2 + L**2) / 12)),
        "sphere": (Sphere(a), (2 * m * a**2 / 5,) * 3),
    }
    for name, (solid, moments) in table.items():
        assert same(solid.with_mass(m).inertia, np.diag(moments)), name
    tube = Tube(sp.Symbol("r_o", positive=True), sp.Symbol("r_i", positive=True), h).with_mass(m)
    assert same(
        tube.moment_about((0, 0, 1)),
        m * (sp.Symbol("r_o", positive=True) ** 2 + sp.Symbol("r_i", positive=True) ** 2) / 2,
    )


def test_A9_cone_about_its_centre_and_its_apex():
    cone = Cone(a, h, axis="x").with_mass(m)
    assert same(cone.com, (h / 4, 0, 0))  # 3h/4 from the apex
    assert same(cone.inertia[0, 0], 3 * m * a**2 / 10)
    assert same(cone.inertia[1, 1], sp.Rational(3, 80) * m * (4 * a**2 + h**2))
    apex = cone.inertia_about((h, 0, 0))
    assert same(apex[1, 1], sp.Rational(3, 5) * m * (a**2 / 4 + h**2))
    assert same(apex[2, 2], apex[1, 1])


def test_X4_the_printed_cones_belong_to_other_points():
    cone = Cone(a, h, axis="x").with_mass(m)
    printed = [sp.Rational(*f) * m * (a**2 / 4 + h**2) for f in ((3, 8), (3, 80), (3, 5))]
    assert not any(same(cone.inertia[1, 1], p) for p in printed)
    assert [same(cone.inertia_about((h, 0, 0))[1, 1], p) for p in printed] == [False, False, True]


# ---- A10 ---------------------------------------------------------------------------------------------


def composed_link(w, l, h, r_hole, r_bar, length, d, alpha, rho_a, rho_b, rho_c):
    """Body A = box − hole at −d; body B = cylinder along x; body C = box − hole, turned, at +d."""

    def drilled(density):
        return [
            Part("box", Box(w, l, h), density=density),
            Part("hole", Cylinder(r_hole, h), density=density, cavity=True),
        ]

    return Assembly(
        "link",
        [
            Assembly("A", drilled(rho_a), pose=Pose.from_rpy((-d, 0, 0))),
            Part("B", Cylinder(r_bar, length, axis="x"), density=rho_b),
            Assembly("C", drilled(rho_c), pose=Pose.from_rpy((d, 0, 0), (-alpha, 0, 0))),
        ],
    )


def steps_of_the_decks(w, l, h, r_hole, r_bar, length, d, alpha, rho_a, rho_b, rho_c, pi):
    """The decks' three steps, each body with its own ρV (X19)."""

    def drilled(density):
        box, hole = density * w * l * h, density * pi * r_hole**2 * h
        across = hole * (3 * r_hole**2 + h**2) / 12
        tensor = np.diag(
            [
                box * (l**2 + h**2) / 12 - across,
                box * (w**2 + h**2) / 12 - across,
                box * (l**2 + w**2) / 12 - hole * r_hole**2 / 2,
            ]
        )
        return box - hole, tensor

    mass_a, tensor_a = drilled(rho_a)
    mass_c, tensor_c = drilled(rho_c)
    mass_b = rho_b * pi * r_bar**2 * length
    thick = mass_b * (3 * r_bar**2 + length**2) / 12
    tensor_b = np.diag([mass_b * r_bar**2 / 2, thick, thick])
    R = rotation_x(-alpha)
    mass = mass_a + mass_b + mass_c
    centre = (mass_c - mass_a) * d / mass
    tensor = (
        tensor_a
        + steiner_term(mass_a, np.array([-d - centre, 0, 0]))
        + tensor_b
        + steiner_term(mass_b, np.array([-centre, 0, 0]))
        + R @ tensor_c @ R.T
        + steiner_term(mass_c, np.array([d - centre, 0, 0]))
    )
    return mass, centre, tensor


NUMBERS = {"w": 0.12, "l": 0.1, "h": 0.06, "r_hole": 0.02, "r_bar": 0.025, "length": 0.28, "d": 0.2, "alpha": 0.5}


@pytest.mark.parametrize("densities", [(2700, 7850, 2700), (2700, 1200, 7850)])
def test_A10_composed_link_in_numbers(densities):
    link = composed_link(**NUMBERS, **dict(zip(("rho_a", "rho_b", "rho_c"), densities, strict=True)))
    mass, centre, tensor = steps_of_the_decks(
        **NUMBERS, **dict(zip(("rho_a", "rho_b", "rho_c"), densities, strict=True)), pi=math.pi
    )
    body = link.mass_properties
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert close(body.com, [centre, 0, 0], 1e-12) or abs(centre) < 1e-15
    assert close(body.inertia, tensor, 1e-12)
    assert abs(body.inertia[1, 2]) > 1e-5  # the turned body leaves a product
    assert link.check() == []


def test_A10_composed_link_in_symbols():
    rs, rb, ra_, rb_, rc_ = sp.symbols("r_h r_b rho_a rho_b rho_c", positive=True)
    given = {"w": w, "l": l, "h": h, "r_hole": rs, "r_bar": rb, "length": L, "d": d, "alpha": alpha}
    given |= {"rho_a": ra_, "rho_b": rb_, "rho_c": rc_}
    body = composed_link(**given).mass_properties
    mass, centre, tensor = steps_of_the_decks(**given, pi=sp.pi)
    assert same(body.mass, mass)
    assert same(body.com, [centre, 0, 0])
    assert same(body.inertia, tensor)


def test_X19_one_m_for_all_bodies_is_wrong_and_B_is_at_the_centre_only_if_A_and_C_are_equal():
    equal = composed_link(**NUMBERS, rho_a=2700, rho_b=7850, rho_c=2700).mass_properties
    unequal = composed_link(**NUMBERS, rho_a=2700, rho_b=7850, rho_c=1200).mass_properties
    assert abs(equal.com[0]) < 1e-15 < 1e-3 < abs(unequal.com[0])
    # one m for box, hole and body: the central tensor of body A as the decks print it
    box, hole = Box(0.12, 0.1, 0.06).volume, Cylinder(0.02, 0.06).volume
    right = (Box(0.12, 0.1, 0.06) - Cylinder(0.02, 0.06)).with_density(2700)
    one = 2700 * (box - hole)
    printed = Box(0.12, 0.1, 0.06).with_mass(one).inertia - Cylinder(0.02, 0.06).with_mass(one).inertia
    assert not close(printed, right.inertia, 1e-2)
    assert close(
        2700 * (Box(0.12, 0.1, 0.06).with_density(1).inertia - Cylinder(0.02, 0.06).with_density(1).inertia),
        right.inertia,
        1e-12,
    )
    # turning about the centre of C keeps its centre: R ᶜI Rᵀ is still about C's centre
    turned = right.moved(Pose.from_rpy(rpy=(-0.5, 0, 0)))
    assert np.array_equal(turned.com, right.com)
    assert close(turned.inertia, rotation_x(-0.5) @ right.inertia @ rotation_x(-0.5).T, 1e-13)


def test_X20_ixx_equals_iyy_for_the_cylinder_not_for_the_box():
    cylinder, box = Cylinder(r, h).with_mass(m).inertia, Box(w, l, h).with_mass(m).inertia
    assert same(cylinder[0, 0], cylinder[1, 1])
    assert not same(box[0, 0], box[1, 1])
    assert same(box[0, 0].subs(l, w), box[1, 1].subs(l, w))


# ---- A11, A12 ----------------------------------------------------------------------------------------


def test_A11_centres_of_particles_solids_and_compositions():
    cloud = Particles([1.0, 2.0, 3.0], [(0, 0, 0), (1, 0, 0), (0, 2, 1)])
    assert close(cloud.com, [2 / 6, 6 / 6, 3 / 6], 1e-13)
    both = Box(0.2, 0.1, 0.1).at(xyz=(0.1, 0, 0)) + Box(0.2, 0.1, 0.3).at(xyz=(0.3, 0, 0.1))
    assert close(both.centroid, (np.array([0.1, 0, 0]) * 1 + np.array([0.3, 0, 0.1]) * 3) / 4, 1e-13)
    bodies = [random_body(k) for k in range(4)]
    whole = sum(bodies[1:], bodies[0])
    assert close(whole.com, sum(b.mass * b.com for b in bodies) / sum(b.mass for b in bodies), 1e-13)


def test_A12_measured_values_replace_computed_ones_and_the_difference_is_shown():
    solid = Box(0.1, 0.1, 0.2)
    measured = MassProperties(5.6, (0, 0, 0.003), [0.024, 0.0241, 0.0095])
    part = Part("motor", solid, density=2700, body=measured, provenance="measured")
    assert part.mass_properties is measured
    assert part.difference.mass == pytest.approx(5.6 - 5.4)
    assert close(part.difference.com, (0, 0, 0.003))
    assert close(part.difference.inertia, measured.inertia - solid.with_density(2700).inertia, 1e-13)
    link = Assembly("link", [part, Part("arm", Rod(1.0), mass=1.0)])
    assert link.mass == pytest.approx(6.6)
    assert link.budget().row("motor").provenance == {"mass": "measured", "com": "measured", "inertia": "measured"}
    assert link.budget().row("arm").provenance["inertia"] == "formula"
    whole = link.measured(MassProperties(7.0, (0, 0, 0), [1, 1, 0.1]))
    assert whole.mass == 7.0 and whole.origins["inertia"] == "measured"
    assert whole.difference.mass == pytest.approx(0.4) and whole.unaccounted == pytest.approx(0.4)
    assert "unaccounted" in whole.budget().text()


# ---- X17, X18 ----------------------------------------------------------------------------------------


def test_X17_axes_at_the_centre_of_mass_do_not_make_the_tensor_diagonal():
    turned = Box(0.3, 0.2, 0.1).with_mass(1).moved(Pose.from_rpy(rpy=(0, 0, 0.4)))
    assert not turned.com.any()
    assert abs(turned.inertia[0, 1]) > 1e-4
    _, R = turned.principal()
    assert abs((R.T @ turned.inertia @ R)[0, 1]) < 1e-15


def test_X18_momentum_needs_r_perpendicular_to_omega_distance_is_a_length_and_rods_have_a_zero():
    cloud = Particles([1.0, 1.0], [(0.3, 0, 0.4), (-0.3, 0, -0.4)])
    omega = np.array([0, 0, 2.0])
    H = cloud.angular_momentum(omega)
    printed = sum(1.0 * (p @ p) * omega for p in ((np.array([0.3, 0, 0.4])), np.array([-0.3, 0, -0.4])))
    assert not close(H, printed, 1e-2)
    right = sum((p @ p) * omega - (p @ omega) * p for p in (np.array([0.3, 0, 0.4]), np.array([-0.3, 0, -0.4])))
    assert close(H, right, 1e-13) and close(H, cloud.mass_properties.angular_momentum(omega), 1e-13)
    axis, point = np.array([0, 0, 1.0]), np.array([0.3, 0.1, 0.4])
    assert np.linalg.norm(np.cross(axis, point)) ** 2 == pytest.approx(Particles([1.0], [point]).moment_about(axis))
    assert Rod(1.0).with_mass(1).moment_about((0, 0, 1)) == 0
    assert Rod(1.0).with_mass(1).is_physical()
