"""What one shape or one module of `solids` promises beyond the contract of the table."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from steiner.errors import GeometryError, SteinerError
from steiner.solids.derive_sums import PIECES
from steiner.solids.overlap import overlap, penetration, protrusion
from steiner.solids.polygon import moment, triangulated
from steiner.solids.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Disk,
    Ellipsoid,
    Frustum,
    HalfCylinder,
    Hemisphere,
    Limits,
    Mesh,
    Particles,
    Prism,
    Revolution,
    Rod,
    Sphere,
    SphericalShell,
    Torus,
    Tube,
    Wedge,
)
from steiner.spatial import Pose
from tests.comparing import close

SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
HOLE = [(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)]
CUBE = ConvexHull([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]).mesh()


def alike(a, b, rel=1e-12):
    return (
        float(a.volume) == pytest.approx(float(b.volume), rel=rel)
        and np.abs(a.centroid - b.centroid).max() < rel * math.sqrt(np.trace(b.gyration.astype(float)))
        and close(a.gyration, b.gyration, rel)
    )


# ---- shapes that are each other's limits and sums ----------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Tube(0.2, 0, 0.3), Cylinder(0.2, 0.3)),
        (SphericalShell(0.2, 0), Sphere(0.2)),
        (Ellipsoid(0.2, 0.2, 0.2), Sphere(0.2)),
        (Frustum(0.2, 0.2, 0.3).at(xyz=(0, 0, -0.15)), Cylinder(0.2, 0.3)),
        (Frustum(0.2, 0, 0.3), Cone(0.2, 0.3)),
        (Capsule(0.2, 0), Sphere(0.2)),
        (Torus(0.3, 0.1), Torus(0.3, 0.1, math.pi) + Torus(0.3, 0.1, math.pi).at(rpy=(0, 0, math.pi))),
        (Sphere(0.2), Hemisphere(0.2) + Hemisphere(0.2).at(rpy=(math.pi, 0, 0))),
        (Cylinder(0.2, 0.3), HalfCylinder(0.2, 0.3) + HalfCylinder(0.2, 0.3).at(rpy=(0, 0, math.pi))),
        (
            Box(0.4, 0.2, 0.3),
            Wedge(0.4, 0.2, 0.3).at(xyz=(-0.2, -0.1, 0))
            + Wedge(0.4, 0.2, 0.3).at(xyz=(0.2, 0.1, 0), rpy=(0, 0, math.pi)),
        ),
        (Tube(0.2, 0.1, 0.3), Cylinder(0.2, 0.3) - Cylinder(0.1, 0.3)),
        (SphericalShell(0.2, 0.1), Sphere(0.2) - Sphere(0.1)),
        (
            Capsule(0.2, 0.3),
            Cylinder(0.2, 0.3)
            + Hemisphere(0.2).at(xyz=(0, 0, 0.15))
            + Hemisphere(0.2).at(xyz=(0, 0, -0.15), rpy=(math.pi, 0, 0)),
        ),
        (Revolution([(0.1, -0.15), (0.2, -0.15), (0.2, 0.15), (0.1, 0.15)]), Tube(0.2, 0.1, 0.3)),
        (Revolution([(0, 0), (0.2, 0), (0, 0.3)]), Cone(0.2, 0.3)),
        (Revolution([(0, -0.15), (0.2, -0.15), (0.2, 0.15), (0, 0.15)], math.pi), HalfCylinder(0.2, 0.3)),
        (Prism([(0, 0), (0.4, 0), (0, 0.2)], 0.3), Wedge(0.4, 0.2, 0.3)),
        (Limits(("z", -0.15, 0.15), ("y", -0.1, 0.1), ("x", -0.2, 0.2)), Box(0.4, 0.2, 0.3)),
        (ConvexHull([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]), Box(2, 2, 2)),
        (Mesh(*CUBE), Box(1, 1, 1).at(xyz=(0.5, 0.5, 0.5))),
    ],
    ids=lambda s: type(s).__name__,
)
def test_equal_bodies_written_differently_agree(a, b):
    assert alike(a, b)


def test_a_needle_keeps_the_small_moment_about_its_own_axis():
    wire = Cylinder(1e-5, 10.0).with_mass(1.0)
    assert wire.inertia[2, 2] == pytest.approx(0.5e-10, rel=1e-14)
    exact = Box(Fraction(1, 10**6), Fraction(1, 10**6), 10).with_mass(Fraction(1))
    assert exact.inertia[2, 2] == Fraction(1, 6) / 10**12


def test_a_turned_solid_has_its_moments_along_its_own_axes():
    """∫xy of a box turned by φ about z is (a² − b²)/12 · sin φ cos φ, and its long edge points to (cos φ, sin φ)."""
    turned = Box(0.3, 0.2, 0.1).at(xyz=(1, 2, 3), rpy=(0, 0, 0.4))
    assert turned.gyration[0, 1] == pytest.approx(0.05 / 12 * math.sin(0.4) * math.cos(0.4), rel=1e-13)
    assert turned.gyration[0, 0] == pytest.approx((0.09 * math.cos(0.4) ** 2 + 0.04 * math.sin(0.4) ** 2) / 12)
    assert turned.depth(np.array([1 + 0.14 * math.cos(0.4), 2 + 0.14 * math.sin(0.4), 3.0])) > 0
    assert turned.depth(np.array([1 + 0.14 * math.cos(0.4), 2 - 0.14 * math.sin(0.4), 3.0])) < 0


def test_thin_shells_keep_their_digits():
    shell = SphericalShell(1.0, 1.0 - 1e-9)
    assert shell.gyration[0, 0] == pytest.approx(1 / 3, rel=1e-8)
    assert shell.volume == pytest.approx(4 * math.pi * 1e-9, rel=1e-6)


def test_symbolic_forms_read_as_in_books():
    m, r, h = sp.symbols("m r h", positive=True)
    assert str(Box(r, 2, 1).with_mass(m).inertia[0, 0]) == "5*m/12"
    assert str(Box(r, r, r).of("steel").mass) == "7850*r**3"
    assert str(Cylinder(r, h).with_mass(m).inertia[2, 2]) == "m*r**2/2"
    assert str(Sphere(r).volume) == "4*pi*r**3/3"
    assert str(Cylinder(r, h).volume) == "pi*h*r**2"
    assert Torus(sp.Symbol("R", positive=True), r).with_mass(m).inertia[2, 2].expand() == (
        m * sp.Symbol("R", positive=True) ** 2 + sp.Rational(3, 4) * m * r**2
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Tube(0.1, 0.2, 1), "inner < outer"),
        (lambda: SphericalShell(0.1, 0.2), "inner < outer"),
        (lambda: Frustum(0, 0, 1), "at least one radius"),
        (lambda: Torus(0.1, 0.2), "minor ≤ major"),
        (lambda: Torus(0.2, 0.1, 7), "0 < angle ≤ 2π"),
        (lambda: Torus(0.2, 0.1, 0), "0 < angle ≤ 2π"),
        (lambda: Revolution([(-1, 0), (1, 0), (1, 1)]), "r < 0"),
        (lambda: Cylinder(1, 1, axis="w"), "axis='w'"),
        (lambda: Box(1, 1, 1).at((1, 2, 3)), "expected a Pose"),
        (lambda: Box(1, 1, 1).at(Pose.identity(), xyz=(1, 0, 0)), "both given"),
        (lambda: Box(1, 1, 1).mesh(2), "at least 3 segments"),
        (lambda: Box(1, 1, 1).with_mass(-1), "negative"),
        (lambda: Box(1, 1, 1).with_density(-1), "negative"),
        (lambda: Box(1, 1, 1) + Rod(1), "idealised"),
        (lambda: Box(1, 1, 1) - Box(2, 1, 1), "cannot cut Box out of Box"),
        (lambda: Box(1, 1, 1) - Box(1, 1, 1), "nothing is left"),
        (lambda: Box(1, 1, 1) - Box(0.1, 0.1, 0.1).at(xyz=(90, 0, 0)), "does not lie inside"),
        (lambda: Prism([(0, 0), (1, 0)], 1), "at least 3"),
        (lambda: Prism([(0, 0), (1, 1), (2, 2)], 1), "has no area"),
        (lambda: Prism([(0, 0), (2, 2), (2, 0), (0, 1)], 1), "cross"),
        (lambda: Prism([(0, 0, 0), (1, 1, 1)], 1), r"points \(x, y\)"),
        (lambda: Prism([(0, 0), (1, 0), (0, 1)], 1, [[(5, 5), (6, 5), (5, 6)]]), "outside the polygon"),
        (lambda: Prism([(0, 0), (1, 0), (0, math.nan)], 1), "not finite"),
        (lambda: Prism(SQUARE, 1, [HOLE, [(0.4, 0.4), (0.5, 0.4), (0.5, 0.5)]]), "a hole lies in another hole"),
        (lambda: Prism(SQUARE, 1, [HOLE, HOLE]), "runs over itself"),
        (lambda: Prism(SQUARE, 1, [SQUARE]), "runs over itself"),
        (lambda: Prism(SQUARE * 2, 1), "runs over itself"),
        (lambda: Prism([(0, 0), (1, 1), (3, 3), (3, 0), (1, 1), (0, 2)], 1), "runs over itself"),
        (lambda: Prism([(0, 0), (2, 0), (4, 0), (2, 0), (2, 2), (0, 2)], 1), "runs over itself"),
        (lambda: Prism([(Fraction(0), 0), (3, 1), (2, 0), (0, 2)], 1), "cross"),
        (lambda: Revolution([(Fraction(-1, 2), 0), (1, 0), (1, 1)]), r"\(-0.5, 0\) has r < 0"),
        (lambda: Tube(Fraction(1, 2), Fraction(3, 4), 1), "inner is 0.75 and outer 0.5"),
        (lambda: Tube(sp.Rational(1, 2), sp.Rational(3, 4), 1), "inner is 3/4 and outer 1/2"),
        (lambda: Torus(Fraction(1, 2), Fraction(3, 4)), "minor ≤ major"),
        (lambda: Torus(1, sp.Rational(1, 2), 3 * sp.pi), "expected 0 < angle ≤ 2π"),
        (lambda: Box(1, 1, 1).with_mass(Fraction(-1, 2)), "negative"),
        (lambda: Box(1, 1, 1).with_density(sp.Integer(-1)), "negative"),
        (lambda: Particles([Fraction(-1), 2], [[0, 0, 0], [1, 0, 0]]), r"negative \(-1 kg\)"),
        (lambda: Disk(1).mesh(2), "at least 3 segments"),
        (lambda: Revolution([(1, 0), (2, 0), (2, 1)]).mesh(2), "at least 3 segments"),
        (lambda: Limits(("z", 0, 1), ("y", 0, sp.Symbol("x")), ("x", 0, 1)).volume, "integrated further inside"),
        (lambda: Limits(), "three limits"),
        (lambda: Limits(("x", 0, 1), ("y", 0, 1)), "each of x, y, z"),
        (lambda: Limits(("x", 0, 1), ("y", 0, 1), ("x", 0, 1)), "each of x, y, z"),
        (lambda: Limits(("w", 0, 1), ("y", 0, 1), ("x", 0, 1)), "x, y or z"),
        (lambda: Limits(("z", 0, math.inf), ("y", 0, 1), ("x", 0, 1)), "not a finite"),
        (lambda: Limits(("z", 0, 0), ("y", 0, 1), ("x", 0, 1)).centroid, "signed volume is 0"),
        (lambda: Limits(("z", 1, 0), ("y", 0, 1), ("x", 0, 1)).with_density(1), "run backwards"),
        (lambda: ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), "lie in a plane"),
        (lambda: ConvexHull([[0, 0, 0], [1, 0, 0]]), "at least 4 points"),
        (lambda: Mesh(CUBE[0], CUBE[1][:-1]), "open edges"),
        (lambda: Mesh(CUBE[0], CUBE[1] + 1), "uses vertex 8"),
        (lambda: Mesh(CUBE[0], CUBE[1][:2]), "at least 4"),
        (lambda: Mesh(CUBE[0][:, :2], CUBE[1]), r"vertices \(n, 3\)"),
        (lambda: Mesh(CUBE[0], np.vstack([CUBE[1][:1, ::-1], CUBE[1][1:]])), "disagree"),
        (lambda: Mesh(CUBE[0] * [1, 1, 0], CUBE[1]), "enclose no volume"),
        (lambda: Mesh(CUBE[0], CUBE[1] + 0.5), "whole numbers"),
        (lambda: Cylinder(*sp.symbols("r h")).mesh(), "needs numbers"),
    ],
)
def test_impossible_shapes_are_refused_in_words(make, says):
    with pytest.raises(SteinerError, match=says):
        make()


# ---- polygons ----------------------------------------------------------------------------------------


def test_prisms_of_non_convex_polygons_with_holes_are_exact():
    comb = [(0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
    slow = Prism(comb, 1.0)
    boxes = (
        Box(5, 1, 1).at(xyz=(2.5, 0.5, 0))
        + Box(1, 2, 1).at(xyz=(0.5, 2, 0))
        + Box(1, 2, 1).at(xyz=(2.5, 2, 0))
        + Box(1, 2, 1).at(xyz=(4.5, 2, 0))
    )
    assert alike(slow, boxes)
    assert alike(Prism(comb[::-1], 1.0), boxes)  # clockwise is put right
    framed = Prism(
        [(0, 0), (4, 0), (4, 3), (0, 3)], 2.0, [[(1, 1), (2, 1), (2, 2), (1, 2)], [(3, 1), (3.5, 1), (3.5, 2)]]
    )
    cut = Box(4, 3, 2).at(xyz=(2, 1.5, 0)) - Box(1, 1, 2).at(xyz=(1.5, 1.5, 0)) - Prism([(3, 1), (3.5, 1), (3.5, 2)], 2)
    assert alike(framed, cut)
    exact = Prism([(Fraction(x), Fraction(y)) for x, y in comb], Fraction(1))
    assert exact.volume == 11 and isinstance(exact.gyration[0, 1], Fraction)


def test_polygons_with_symbols():
    b, h, t = sp.symbols("b h t", positive=True)
    triangle = Prism([(0, 0), (b, 0), (0, h)], t)
    wedge = Wedge(b, h, t)
    assert sp.simplify(triangle.volume - wedge.volume) == 0
    assert all(sp.simplify(x) == 0 for x in (triangle.gyration - wedge.gyration).ravel())
    R, r = sp.symbols("R r", positive=True)
    ring = Revolution([(r, 0), (R, 0), (R, h), (r, h)])
    assert sp.simplify(ring.volume - Tube(R, r, h).volume) == 0
    assert sp.simplify(ring.gyration[0, 0] - (R**2 + r**2) / 4) == 0


def test_loops_with_symbols_may_run_either_way():
    a, b, h = sp.symbols("a b h", positive=True)
    outer = [(0, 0), (a, 0), (a, b), (0, b)]
    hole = [(a / 4, b / 4), (3 * a / 4, b / 4), (3 * a / 4, 3 * b / 4), (a / 4, 3 * b / 4)]
    for loop in (outer, outer[::-1]):
        for cut in (hole, hole[::-1]):
            frame = Prism(loop, h, [cut])
            assert sp.simplify(frame.volume - 3 * a * b * h / 4) == 0
            assert sp.simplify(frame.gyration[0, 0] - 5 * a**2 / 48) == 0
        assert sp.simplify(Revolution(loop).volume - sp.pi * a**2 * b) == 0
    s, t = sp.symbols("s t")  # of unknown sign: beside the outer loop it is still known which way a hole runs
    square = [(0, 0), (s, 0), (s, s), (0, s)]
    assert sp.simplify(Prism(square, h, [[(x / 2, y / 2) for x, y in square]]).volume - 3 * s**2 * h / 4) == 0
    with pytest.raises(GeometryError, match="depends on the values of the symbols"):
        Prism([(0, 0), (a, 0), (a, a), (0, a)], h, [[(0, 0), (s, 0), (s, t)]])


def test_whole_numbers_stay_exact_beside_fractions_and_symbols():
    a, m = sp.symbols("a m", positive=True)
    assert Prism([(0, 0), (a, 0), (a, 3)], 2).volume == 3 * a
    assert Prism([(0, 0), (2, 0), (2, 3)], a).volume == 3 * a
    third = Prism([(Fraction(0), 0), (1, 0), (0, Fraction(2, 3))], 1).volume
    assert third == Fraction(1, 3) and isinstance(third, Fraction)
    assert Cylinder(1, 2).with_mass(m).inertia[2, 2] == m / 2  # not 0.5 m
    assert Box(1, 2, 3).with_density(m).inertia[0, 0] == 13 * m / 2


def test_polygons_may_touch_themselves_in_a_corner():
    corners = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)]
    assert Prism(corners, 1).volume == 2
    comb = [(0, 0), *((2 * k + dx, y) for k in range(9) for dx, y in ((1, 0), (1, -1), (2, -1), (2, 0)))]
    comb += [(19, 0), (19, 1), (0, 1)]
    for turned in (comb, [(-y, x) for x, y in comb], [(0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y) for x, y in comb]):
        assert Prism(turned, 1).volume == pytest.approx(28)


def test_triangulation_covers_the_polygon_exactly():
    rng = np.random.default_rng(3)
    for n in (3, 5, 12, 40):
        angle = np.sort(rng.uniform(0, 2 * math.pi, n))
        radius = rng.uniform(0.5, 2, n)
        outer = tuple(zip(radius * np.cos(angle), radius * np.sin(angle), strict=True))
        try:
            prism = Prism(outer, 1.0)
        except GeometryError:  # a star may have its centre outside
            continue
        points = np.array(prism.polygon)
        a, b, c = (points[triangulated(prism.loops)[:, k]] for k in range(3))
        areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
        assert (areas >= 0).all() and areas.sum() == pytest.approx(prism.volume, rel=1e-12)


def test_a_polygon_with_a_collinear_vertex_has_a_closed_mesh():
    prism = Prism([(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)], 1.0)
    assert Mesh(*prism.mesh()).volume == pytest.approx(2)


# ---- meshes ------------------------------------------------------------------------------------------


def test_an_inside_out_mesh_is_turned_with_a_warning():
    vertices, faces = CUBE
    with pytest.warns(UserWarning, match="turned outward"):
        turned = Mesh(vertices + 3, faces[:, ::-1])
    assert turned.volume == pytest.approx(1)
    assert close(turned.with_mass(6).inertia, np.eye(3))


def test_bodies_of_one_mesh_that_overlap_are_told_and_cavities_are_fine():
    vertices, faces = CUBE
    two = np.vstack([vertices, vertices + 0.5])
    with pytest.warns(UserWarning, match="counted twice"):
        assert Mesh(two, np.vstack([faces, faces + 8])).volume == pytest.approx(2)  # numbers are not changed
    hollow = Mesh(np.vstack([vertices, 0.5 * vertices + 0.25]), np.vstack([faces, faces[:, ::-1] + 8]))
    assert hollow.volume == pytest.approx(1 - 0.125)
    apart = Mesh(np.vstack([vertices, vertices + [1.0, 0, 0]]), np.vstack([faces, faces + 8]))
    assert apart.volume == pytest.approx(2)


def test_a_mesh_a_kilometre_away_keeps_ten_digits():
    vertices, faces = Sphere(0.01).mesh(24)
    near, far = Mesh(vertices, faces), Mesh(vertices + [1000.0, 0, 0], faces)
    assert close(far.gyration, near.gyration, 1e-9)
    assert far.volume == pytest.approx(near.volume, rel=1e-9)


def test_a_mesh_may_have_symbols():
    b = sp.Symbol("b", positive=True)
    tetrahedron = Mesh([[0, 0, 0], [b, 0, 0], [0, b, 0], [0, 0, b]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    assert tetrahedron.volume == b**3 / 6
    assert sp.simplify(tetrahedron.gyration[0, 0] - 3 * b**2 / 80) == 0


def test_what_lies_inside_a_mesh():
    vertices, faces = CUBE
    depth = Mesh(vertices, faces).depth([[0.5, 0.5, 0.5], [0.9, 0.5, 0.5], [1.2, 0.5, 0.5], [2, 2, 2]])
    assert depth[0] == pytest.approx(0.5) and depth[1] == pytest.approx(0.1)
    assert depth[2] == pytest.approx(-0.2) and depth[3] == pytest.approx(-math.sqrt(3))


# ---- limits ------------------------------------------------------------------------------------------


def test_limits_that_are_no_polynomials_are_integrated_by_quadrature_or_by_sympy():
    def half(z, y=0.0):
        return math.sqrt(max(0.0, 1 - z * z - y * y))

    ball = Limits(
        ("z", -1, 1),
        ("y", lambda z: -half(z), lambda z: half(z)),
        ("x", lambda z, y: -half(z, y), lambda z, y: half(z, y)),
    )
    assert ball.volume == pytest.approx(Sphere(1).volume, rel=1e-12)
    assert close(ball.gyration, Sphere(1).gyration, 1e-12)
    x, y, z = sp.symbols("x y z", real=True)
    r, h = sp.symbols("r h", positive=True)
    rod = Limits((z, 0, h), (y, -r, r), (x, 0, sp.sqrt(r**2 - y**2)))
    assert sp.simplify(rod.volume - sp.pi * r**2 * h / 2) == 0
    assert sp.simplify(rod.centroid[0] - 4 * r / (3 * sp.pi)) == 0


def test_limits_far_from_the_origin_keep_their_digits():
    def corner(x0, y0, z0):
        slope = lambda z, y: x0 + 0.3 - (y - y0) - (z - z0) / 2  # noqa: E731
        return Limits(("z", z0 - 0.1, z0 + 0.15), ("y", y0, y0 + 0.2), ("x", lambda z, y: x0 + 0 * y, slope))

    near, far = corner(0, 0, 0), corner(1024, -2048, 512)
    assert close(far.gyration, near.gyration, 1e-11)
    assert close(far.centroid - [1024, -2048, 512], near.centroid, 1e-11)
    cube = Limits(("z", 1024, 1025), ("y", 1024, 1025), ("x", 1024, 1025))
    assert close(cube.gyration, Box(1, 1, 1).gyration, 1e-14)


@pytest.mark.parametrize("limit", [lambda: 3, lambda z: math.sqrt(z - 2)])
def test_limits_that_fail_are_told(limit):
    with pytest.raises(GeometryError, match="Limits: "):
        _ = Limits(("z", 0, 1), ("y", 0, limit), ("x", 0, 1)).volume


def test_limits_know_where_their_region_is():
    corner = Limits.example()
    assert corner.depth([[0.05, 0.05, 0.0]])[0] > 0 > corner.depth([[0.4, 0.0, 0.0]])[0]
    x, y, z, a = sp.symbols("x y z a", positive=True)
    with pytest.raises(GeometryError, match="integrated further inside"):
        _ = Limits((z, 0, x), (y, 0, 1), (x, 0, 1)).volume
    assert Limits((z, 0, a), (y, 0, z), (x, 0, y)).volume == a**3 / 6


# ---- joined and cut ----------------------------------------------------------------------------------


def test_joined_and_cut_solids_add_their_moments():
    plate = Box(0.2, 0.1, 0.02)
    bores = [Cylinder(0.01, 0.02).at(xyz=(x, 0, 0)) for x in (-0.07, 0.07)]
    flange = plate - bores[0] - bores[1]
    by_mass = plate.with_density(7850) - bores[0].with_density(7850) - bores[1].with_density(7850)
    body = flange.with_density(7850)
    assert body.mass == pytest.approx(by_mass.mass, rel=1e-14) and close(body.inertia, by_mass.inertia)
    assert [sign for sign, _ in flange.pieces()] == [1, -1, -1]
    assert flange.depth([[0.07, 0, 0], [0, 0, 0]]) == pytest.approx([-0.01, 0.01])
    assert np.allclose(flange.bounds, plate.bounds)
    assert isinstance(flange, Compound) and "− Placed(" in repr(flange)
    assert "Composed solid" in flange.derivation().markdown()


def test_a_thousand_solids_join_in_linear_time_and_depth():
    row = Box(1, 1, 1)
    for k in range(1, 1000):
        row = row + Box(1, 1, 1).at(xyz=(k, 0, 0))
    assert alike(row, Box(1000, 1, 1).at(xyz=(499.5, 0, 0)), 1e-10)
    assert len(row.pieces()) == 1000 and row.bounds[1, 0] == 999.5


def test_far_compounds_keep_their_tensor():
    near = Box(0.1, 0.08, 0.05) - Cylinder(0.01, 0.05).at(xyz=(0.02, 0.01, 0))
    far = Box(0.1, 0.08, 0.05).at(xyz=(1000, 0, 0)) - Cylinder(0.01, 0.05).at(xyz=(1000.02, 0.01, 0))
    assert close(far.gyration, near.gyration, 1e-11)


# ---- overlaps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (Box(1, 1, 1), Box(1, 1, 1).at(xyz=(1, 0, 0)), 0),
        (Box(1, 1, 1), Box(1, 1, 1).at(xyz=(0.75, 0.2, 0)), 0.25),
        (Sphere(1), Sphere(1).at(xyz=(1.2, 1.2, 0)), 2 - 1.2 * math.sqrt(2)),
        (Sphere(1), Sphere(1).at(xyz=(1.42, 1.42, 0)), 0),
        (Sphere(1), Box(1, 1, 1).at(xyz=(1.4, 0, 0)), 0.1),
        (Cylinder(1, 2), Cylinder(1, 2).at(xyz=(2, 0, 0)), 0),
        (Cylinder(1, 2), Cylinder(1, 2, axis="x").at(xyz=(0, 0, 1.9)), 0.1),
        (Cone(1, 1), Cone(1, 1).at(rpy=(math.pi, 0, 0), xyz=(0, 0, 2)), 0),  # tip on tip
        (Cone(1, 1), Box(2, 2, 2).at(xyz=(0, 0, 1.9)), 0.1),
        (Capsule(0.5, 1), Hemisphere(0.5).at(xyz=(0, 0, 0.9)), 0.1),
        (Ellipsoid(1, 0.5, 0.5), Ellipsoid(1, 0.5, 0.5).at(xyz=(1.9, 0, 0)), 0.1),
        (ConvexHull(CUBE[0]), Sphere(0.5).at(xyz=(1.4, 0.5, 0.5)), 0.1),
        (Prism([(0, 0), (1, 0), (0, 1)], 1), Sphere(0.5).at(xyz=(-0.4, 0.3, 0)), 0.1),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, int | float) else f"{v:.3f}",
)
def test_convex_pairs_are_decided_exactly(a, b, depth):
    assert overlap(a, b) == pytest.approx(depth, rel=0.02, abs=1e-6)
    assert overlap(b, a) == pytest.approx(depth, rel=0.02, abs=1e-6)
    turn = Pose.from_rpy((0.3, -2, 1), (0.5, 0.4, 0.3))
    assert penetration(a.at(turn), b.at(turn), 1e-7) == pytest.approx(depth, rel=0.02, abs=2e-6)


def test_other_pairs_are_found_through_their_surfaces():
    pipe = Tube(1, 0.5, 2)
    assert overlap(pipe, Cylinder(0.5, 2)) == 0  # a pin that fits
    assert overlap(pipe, Cylinder(0.55, 2)) > 0.02
    assert overlap(Torus(1, 0.2), Sphere(0.79)) == 0
    assert overlap(Torus(1, 0.2), Sphere(0.85)) > 0.01
    assert overlap(Rod(1), Box(1, 1, 1)) == 0  # lines share no volume
    half = Torus(1, 0.2, math.pi)
    assert overlap(half, Sphere(0.2).at(xyz=(0, -1, 0))) == 0
    assert overlap(half, Sphere(0.2).at(xyz=(0, 1, 0))) > 0.1


def test_cuts_that_stick_out_are_measured():
    assert protrusion(Cylinder(0.1, 1), [Box(1, 1, 1)]) == pytest.approx(0, abs=1e-12)
    assert protrusion(Cylinder(0.1, 1.2), [Box(1, 1, 1)]) == pytest.approx(0.1, rel=1e-9)
    both = [Box(1, 1, 1), Box(1, 1, 1).at(xyz=(0, 0, 1))]
    assert protrusion(Cylinder(0.1, 1.8).at(xyz=(0, 0, 0.5)), both) == pytest.approx(0, abs=1e-12)


def test_joined_and_cut_solids_tell_where_their_pieces_overlap():
    plate, pin = Box(1, 1, 1), Cylinder(0.1, 1)
    for fine in (plate, plate - pin, (plate - pin) + pin, pin + (plate - pin)):
        assert fine.check() == []
    (doubled,) = (plate + pin).check()
    assert doubled.code == "overlap" and doubled.parts == ("Box 1", "Cylinder 2")
    (outside,) = (plate - pin.at(xyz=(0.5, 0, 0))).at(xyz=(3, 0, 0), rpy=(0, 1, 0)).check()
    assert outside.code == "cavity-outside" and outside.depth == pytest.approx(0.1) and "Cylinder 2" in outside.text
    (open_,) = (Box(sp.Symbol("a", positive=True), 1, 1) - pin).check()
    assert open_.code == "unchecked" and "symbols" in open_.text
    assert (plate + pin).volume == plate.volume + pin.volume  # told, never changed


def test_a_pin_in_the_bore_of_a_plate_is_inside_whichever_is_named_first():
    plate, pin = Box(1, 1, 1), Cylinder(0.1, 1)
    for joined in ((plate - pin) + pin, pin + (plate - pin)):
        assert np.allclose(joined.depth([[0, 0, 0], [0.3, 0, 0], [2, 0, 0]]), [0.1, 0.2, -1.5])


def test_faces_that_touch_do_not_hide_an_overlap_elsewhere():
    angle = Prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1)
    assert overlap(angle, Box(1, 1, 1).at(xyz=(1.5, 1.5, 0))) == 0
    assert overlap(angle, Box(1.001, 1, 1).at(xyz=(1.5, 1.5, 0))) == pytest.approx(2.5e-4, rel=0.02)


@pytest.mark.parametrize("kind", [Prism, Revolution, Mesh, ConvexHull])
def test_solids_that_are_sums_work_the_integrals_of_one_piece_and_add_them(kind):
    solid = kind.example()
    text = solid.derivation().markdown()
    marks = ["One piece", r"\int_{0}^{1}", "All pieces", "Centre of mass", "about the origin", "Huygens-Steiner"]
    assert sorted(marks, key=text.index) == marks
    pieces = PIECES[kind.__name__].terms(solid)
    if kind in (Mesh, ConvexHull):
        assert sum(pieces) / 6 == pytest.approx(solid.volume, rel=1e-12)
    else:
        assert sum(pieces) / 2 == pytest.approx(moment(solid.loops, 0, 0), rel=1e-12)
    assert f"d_{{{len(pieces)}}} = " in text


def test_limits_that_cannot_be_derived_or_are_no_numbers_are_told():
    def half(x):
        return math.sqrt(1 - x * x)

    with pytest.raises(SteinerError, match="derivation needs limits that take symbols"):
        Limits(("x", -1, 1), ("y", lambda x: -half(x), half), ("z", 0, 1)).derivation()
    with pytest.raises(SteinerError, match="expected a number, got 'a'"):
        _ = Limits(("x", -1, 1), ("y", lambda x: "a", 1), ("z", 0, 1)).volume


@pytest.mark.heavy
def test_balls_and_cylinders_by_symbolic_limits():
    x, y, z = sp.symbols("x y z", real=True)
    r, h, m = sp.symbols("r h m", positive=True)
    near, far = sp.sqrt(r**2 - z**2), sp.sqrt(r**2 - y**2 - z**2)
    ball = Limits((z, -r, r), (y, -near, near), (x, -far, far))
    assert sp.simplify(ball.volume - 4 * sp.pi * r**3 / 3) == 0
    assert all(sp.simplify(d) == 0 for d in (ball.with_mass(m).inertia - Sphere(r).with_mass(m).inertia).ravel())
    round_ = sp.sqrt(r**2 - y**2)
    can = Limits((z, -h / 2, h / 2), (y, -r, r), (x, -round_, round_))
    assert all(sp.simplify(d) == 0 for d in (can.with_mass(m).inertia - Cylinder(r, h).with_mass(m).inertia).ravel())
    quarter = Limits((z, 0, r), (y, -near, near), (x, 0, far))
    assert [sp.simplify(c - 3 * r / 8) for c in quarter.centroid[[0, 2]]] == [0, 0] and quarter.centroid[1] == 0


Y = sp.Symbol("y")


@pytest.mark.parametrize("slope", [2.001 - 0.5 * Y, sp.sqrt(2) - Y / 2, 2 - Y / 2], ids=str)
def test_limits_of_numbers_give_floats(slope):
    """Whatever they are written with: no SymPy number is left in a drawing without letters."""
    solid = Limits(("z", 0, 1), ("y", 0, 1), ("x", 0, slope))
    top, bottom = (float(slope.subs("y", y)) for y in (0, 1))
    body = solid.with_density(1000.0)
    assert type(solid.volume) is type(body.mass) is float and body.is_numeric and body.inertia.dtype == np.float64
    wedge = Box(bottom, 1, 1).at(xyz=(bottom / 2, 0.5, 0.5)) + Wedge(top - bottom, 1, 1).at(xyz=(bottom, 0, 0.5))
    assert body.com == pytest.approx(wedge.with_density(1000.0).com, rel=1e-12)
    assert body.inertia == pytest.approx(wedge.with_density(1000.0).inertia, rel=1e-12, abs=1e-9)
