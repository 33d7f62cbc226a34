"""Limits of integration that are Python functions: right to the stated digits, or an error that says where not."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
import sympy as sp

from steiner.errors import GeometryError, SteinerError
from steiner.solids.features import spots
from steiner.solids.quadrature import GAUSS, POINTS, WEIGHTS, integrated, narrow, steep
from steiner.solids.shapes import Cylinder, Limits, Sphere
from tests.comparing import close

RNG = np.random.default_rng(11)
HEAVY = pytest.mark.heavy


def under(height, low=-1.0, high=1.0, **options):
    """The region 0 ≤ x ≤ height(z, y), low ≤ z ≤ high, 0 ≤ y ≤ 1."""
    return Limits(("z", low, high), ("y", 0, 1), ("x", 0, height), **options)


def over_z(powers):
    """Volume, centroid and gyration under a height h(z) from ∫ hⁿ zᵏ dz = powers(n, k)."""
    volume = powers(1, 0)
    z, x = powers(1, 1) / volume, powers(2, 0) / (2 * volume)
    xx, zz = powers(3, 0) / (3 * volume) - x**2, powers(1, 2) / volume - z**2
    xz = powers(2, 1) / (2 * volume) - x * z
    return volume, np.array([x, 0.5, z]), np.array([[xx, 0, xz], [0, 1 / 12, 0], [xz, 0, zz]])


def agrees(solid, expected, rel=1e-12):
    volume, centroid, gyration = expected
    size = np.sqrt(np.diag(gyration))
    assert solid.volume == pytest.approx(volume, rel=rel)
    assert np.abs((solid.centroid - centroid) / size).max() < rel
    assert np.abs((solid.gyration - gyration) / np.outer(size, size)).max() < 4 * rel


def pieces(*parts):
    """∫ hⁿ zᵏ dz of a height that is c·(z − z0)^e between a and b, whole e, for each (a, b, c, z0, e)."""

    def powers(n, k):
        found = 0
        for a, b, c, z0, e in parts:
            for j in range(k + 1):  # z = (z − z0) + z0
                m = n * e + j + 1
                found += c**n * math.comb(k, j) * z0 ** (k - j) * ((b - z0) ** m - (a - z0) ** m) / m
        return found

    return powers


def test_N1_the_rules_are_those_of_gauss_and_kronrod():
    for n in range(23):
        assert (n + 1) * WEIGHTS @ POINTS**n == pytest.approx(1, rel=1e-14)
    assert all((n + 1) * GAUSS @ POINTS[1::2] ** n == pytest.approx(1, rel=1e-14) for n in range(14))


@pytest.mark.parametrize("at", [0.3, RNG.uniform(-0.95, 0.95)])
def test_N1_kinks_and_steps_at_any_place(at):
    agrees(under(lambda z, y: abs(z - at)), over_z(pieces((-1, at, -1, at, 1), (at, 1, 1, at, 1))))
    agrees(under(lambda z, y: 0.5 if z < at else 1.0), over_z(pieces((-1, at, 0.5, 0, 0), (at, 1, 1, 0, 0))))
    half = under(lambda z, y: max(0.0, z - at))
    agrees(half, over_z(pieces((at, 1, 1, at, 1))))


@pytest.mark.parametrize(("at", "width"), [(0.3, 0.02), *zip(RNG.uniform(-0.9, 0.9, 2), (1e-2, 1e-3), strict=True)])
def test_N1_narrow_peaks_at_odd_places(at, width):
    def antiderivative(t):
        return width * math.atan(t / width)

    lorentz = under(lambda z, y: 1 / (1 + ((z - at) / width) ** 2))
    assert lorentz.volume == pytest.approx(antiderivative(1 - at) - antiderivative(-1 - at), rel=1e-12)
    bell = under(lambda z, y: math.exp(-(((z - at) / width) ** 2) / 2))
    if 1 - abs(at) > 9 * width:
        assert bell.volume == pytest.approx(width * math.sqrt(math.tau), rel=1e-12)
        assert bell.centroid[2] == pytest.approx(at, abs=1e-12 * width)
        assert bell.gyration[2, 2] == pytest.approx(width**2, rel=1e-11)


@pytest.mark.parametrize("end", [1.0, 100.0, pytest.param(400.0, marks=pytest.mark.heavy)])
def test_N1_oscillation_over_long_intervals(end):
    def powers(n, k):
        c, s = math.cos(end), math.sin(end)
        return {
            (1, 0): 2 * end + 1 - c,
            (1, 1): end**2 + s - end * c,
            (1, 2): 2 * end**3 / 3 + 2 * end * s + (2 - end**2) * c - 2,
        }[n, k]

    solid = under(lambda z, y: 2 + math.sin(z), 0, end)
    volume = powers(1, 0)
    assert solid.volume == pytest.approx(volume, rel=1e-13)
    z = powers(1, 1) / volume
    assert solid.centroid[2] == pytest.approx(z, rel=1e-12)
    assert solid.gyration[2, 2] == pytest.approx(powers(1, 2) / volume - z**2, rel=2e-12)


@pytest.mark.parametrize(
    ("root", "r"), [(math.sqrt, 1.0), (np.sqrt, 0.3), (lambda v: v**0.5, 7e-7), (cmath.sqrt, 0.7)]
)
def test_N1_W9_balls_by_any_square_root(root, r):
    ball = Limits(
        ("z", -r, r),
        ("y", lambda z: -root(r * r - z * z), lambda z: root(r * r - z * z)),
        ("x", lambda z, y: -root(r * r - z * z - y * y), lambda z, y: root(r * r - z * z - y * y)),
    )
    assert ball.volume == pytest.approx(Sphere(r).volume, rel=1e-12)
    assert close(ball.gyration, Sphere(r).gyration, 1e-12)


def test_N1_rims_inside_the_limits():
    def annulus(z, radius):
        return math.sqrt(max(0.0, radius**2 - z * z))

    half = Limits(("z", -1, 1), ("y", lambda z: annulus(z, 0.5), lambda z: annulus(z, 1)), ("x", 0, 2))
    assert half.volume == pytest.approx(0.75 * math.pi, rel=1e-12)
    y = 2 / 3 * (1 - 0.125) / (0.375 * math.pi)
    assert half.centroid == pytest.approx([1, y, 0], abs=1e-12)
    assert half.gyration[2, 2] == pytest.approx((1 + 0.25) / 4, rel=1e-12)
    assert half.gyration[1, 1] == pytest.approx((1 + 0.25) / 4 - y**2, rel=1e-11)


@pytest.mark.heavy
def test_N1_breaks_along_curves():
    disk = Limits(("z", -1, 1), ("y", -1, 1), ("x", 0, lambda z, y: 1.0 if z * z + y * y < 0.25 else 0.0))
    assert disk.volume == pytest.approx(math.pi / 4, rel=1e-12)
    assert close(disk.gyration, Cylinder(0.5, 1, axis="x").gyration, 1e-12)
    slope = under(lambda z, y: abs(z - 0.3 - 0.7 * y))
    assert slope.volume == pytest.approx(439 / 300, rel=1e-12)


@pytest.mark.heavy
def test_N1_a_tolerance_that_is_stated_is_kept():
    disk = Limits(("z", -1, 1), ("y", -1, 1), ("x", 0, lambda z, y: max(0.0, 1 - z * z - y * y) ** 0.5), tolerance=1e-6)
    assert disk.volume == pytest.approx(2 * math.pi / 3, rel=1e-6)
    assert disk.subs(lambda v: v).tolerance == 1e-6


def test_N1_a_tolerance_is_a_small_number():
    for bad in (0, -1, 1, 1e-20, math.nan, "1e-6", None):
        with pytest.raises(SteinerError, match="tolerance"):
            under(lambda z, y: 1.0, tolerance=bad)


@pytest.mark.parametrize(
    ("height", "says"),
    [
        (lambda z, y: math.nan, "upper limit of x at .* is nan"),
        (lambda z, y: math.nan if z < 0 else 1.0, "upper limit of x at .* is nan"),
        (lambda z, y: math.inf, "upper limit of x at .* is inf"),
        (lambda z, y: math.sqrt(z - 0.3), "upper limit of x at .* math domain error"),
        (lambda z, y: (z - 0.3) ** 0.5, "upper limit of x at .* is complex"),
        (lambda z, y: None, "upper limit of x at .* expected a number, got None"),
        (lambda z, y: "1", "upper limit of x at .* expected a number, got '1'"),
        (lambda z, y: z > 0, "upper limit of x at .* expected a number, got (True|False)"),
        (lambda z, y: np.array([z, y]), "upper limit of x at .* expected a number, got array"),
        (lambda z, y: {}[z], "upper limit of x at .* fails: KeyError"),
        (lambda z, y: next(iter(())), "upper limit of x at .* fails: StopIteration"),
        (lambda z: 1.0, "upper limit of x at .* fails: TypeError"),
        (lambda z, y: 10**400, "upper limit of x at .* is inf"),
        pytest.param(
            lambda z, y: 1 / abs(z), "over z is not found .* near z = .* a limit of x", marks=pytest.mark.heavy
        ),
        pytest.param(
            lambda z, y: 1 / (y - 0.4) ** 2, "over y is not found .* near z = .*, y = .* of x", marks=pytest.mark.heavy
        ),
    ],
)
def test_N1_functions_without_an_integral_are_told(height, says):
    with pytest.raises(GeometryError, match=says):
        _ = under(height).volume


@pytest.mark.parametrize("seed", [5])
@pytest.mark.heavy
def test_N1_noise_is_no_limit(seed):
    rng = np.random.default_rng(seed)
    with pytest.raises(GeometryError, match=r"values were not enough.*split the region there"):
        _ = under(lambda z, y: float(rng.random())).volume


def test_N1_a_function_that_tells_numbers_from_others_is_asked_with_numbers():
    assert under(lambda z, y: 2.0 if isinstance(z, float) else z).volume == pytest.approx(4)
    assert under(lambda z, y: z + 2 if z != 0.25 else 9.0).volume == pytest.approx(4)
    assert under(lambda z, y: 1 + (z and 1)).volume == pytest.approx(4)
    assert under(lambda z, y: sp.sqrt(1 - z**2)).volume == pytest.approx(math.pi / 2, rel=1e-12)  # no SymPy per value


@pytest.mark.parametrize("wall", [1e-3, 1e-9])
def test_N1_thin_regions_keep_their_digits(wall):
    def bowl(z, y, r):
        return math.sqrt(r * r - z * z - y * y)

    outer = 1.0 + wall
    lid = Limits(("z", -0.5, 0.5), ("y", -0.5, 0.5), ("x", lambda z, y: bowl(z, y, 1), lambda z, y: bowl(z, y, outer)))
    across, weights = np.polynomial.legendre.leggauss(60)  # √(r² − s) as a difference without cancellation
    z, y = np.meshgrid(across / 2, across / 2)
    rise = np.sqrt(outer**2 - z**2 - y**2) + np.sqrt(1 - z**2 - y**2)
    expected = weights @ ((outer - 1) * (outer + 1) / rise) @ weights / 4
    assert lid.volume == pytest.approx(expected, rel=1e-15 / wall + 1e-12)
    plate = Limits(("z", 0, 1), ("y", 0, 1), ("x", lambda z, y: y, lambda z, y: y + wall))
    assert plate.volume == pytest.approx((1.0 + wall) - 1.0, rel=2e-16 / wall + 1e-13)


def test_N1_many_integrals_at_once_tell_their_own_errors():
    def function(owner, t):
        values = np.where(owner == 0, t**3, np.where(t < 0.7, 1.0, 3.0))
        return values[:, None], 0 * t, 0 * t

    for search in (False, True):
        found = integrated(function, 2, np.linspace(0, 1, 3), 1e-14, search=search)
        assert found.values[:, 0] == pytest.approx([0.25, 1.6], rel=1e-14) and found.errors.max() < 1e-13


@pytest.mark.parametrize("search", [False, True])
def test_N1_steps_close_to_the_end_of_a_piece_are_seen(search):
    near = [0.5 + np.array([-1e-3, 1e-3, 1e-6, -1e-9]), 0.25 - 1e-4 * RNG.random(20)]
    steps = np.concatenate([*near, 0.01 + 0.98 * RNG.random(200)])

    def function(owner, t):
        return np.where(t < steps[owner], 1.0, 3.0)[:, None], 0 * t, 0 * t

    found = integrated(function, len(steps), np.linspace(0, 1, 3), 1e-15, search=search)
    assert np.abs(found.values[:, 0] - (3 - 2 * steps)).max() < 1e-13


def right_or_told(height, volume, rel=1e-11):
    try:
        assert under(height).volume == pytest.approx(volume, rel=rel)
    except GeometryError as error:
        assert "limit of x" in str(error)


@pytest.mark.parametrize("width", [1e-3, 1e-4])  # of the range, which is 2
def test_N1_needles_between_the_first_points_are_found(width):
    w, at = 2 * width, -0.77
    bell = under(lambda z, y: 0.1 + math.exp(-(((z - at) / w) ** 2)))
    assert bell.volume == pytest.approx(0.2 + w * math.sqrt(math.pi), rel=1e-12)
    right_or_told(lambda z, y: 0.1 + (abs(z - at) < w / 2), 0.2 + w)


def test_N1_ridges_and_bumps_between_the_first_points_are_found():
    ridge = under(lambda z, y: 0.1 + math.exp(-(((y - 0.6131) / 1e-4) ** 2)))
    assert ridge.volume == pytest.approx(0.2 + 2e-4 * math.sqrt(math.pi), rel=1e-12)
    middle = Limits(("z", -1, 1), ("y", 0, lambda z: 0.1 + math.exp(-(((z - 0.4321) / 1e-4) ** 2))), ("x", 0, 1))
    assert middle.volume == pytest.approx(0.2 + 1e-4 * math.sqrt(math.pi), rel=1e-12)


@pytest.mark.parametrize("width", [pytest.param(1e-2, marks=pytest.mark.heavy), 3e-3])
def test_N1_a_bump_apart_is_found(width):
    bump = under(lambda z, y: 0.1 + math.exp(-((z - 0.37) ** 2 + (y - 0.61) ** 2) / width**2))
    assert bump.volume == pytest.approx(0.2 + math.pi * width**2, rel=1e-12)


@pytest.mark.parametrize("far", [1e-7, *(pytest.param(far, marks=HEAVY) for far in (1e-5, 1e-9, 1e-11, 1e-12))])
def test_N1_steps_close_to_the_ends_of_the_limits_are_seen(far):
    high = 0.5 / far
    rel = 1e-11 + 1e-16 / far  # the place of the step is rounded
    right_or_told(lambda z, y: 1.0 if z < 1 - far else high, 2 + far * (high - 1), rel)
    right_or_told(lambda z, y: 1.0 if z > -1 + far else high, 2 + far * (high - 1), rel)
    right_or_told(lambda z, y: 1.0 if y < 1 - far else high, 2 + 2 * far * (high - 1), rel)


z, y = sp.symbols("z y", real=True)
PLACES = [(sp.Rational(37, 100), 1e-4), (sp.Rational(-123, 457), 1e-6), (sp.Rational(8, 11), 1e-9)]
FORMS = {  # of a coordinate about a place, in widths: the height, and its integral over the whole line
    "bell": (lambda d: sp.exp(-(d**2)), math.sqrt(math.pi)),
    "expanded": (lambda d: 1 / sp.expand(1 + d**2) ** 2, math.pi / 2),
    "box": (lambda d: sp.Piecewise((1, sp.Abs(d) < sp.Rational(1, 2)), (0, True)), 1.0),
    "tent": (lambda d: sp.Max(0, 1 - sp.Abs(d)), 1.0),
}


@pytest.mark.parametrize(
    ("form", "place"),
    [("bell", 1), ("expanded", 0), *(pytest.param(f, k, marks=HEAVY) for f in ("bell", "box", "tent") for k in (0, 2))],
)
def test_N1_what_is_narrow_in_a_formula_is_found_by_its_text(form, place):
    """Or told: also if it lies between all points of every grid."""
    (shape, area), (at, width) = FORMS[form], PLACES[place]
    right_or_told(0.1 + shape((z - at) / width), 0.2 + area * width, rel=1e-13)
    right_or_told(0.1 + shape((y - (at + 1) / 2) / width), 0.2 + 2 * area * width, rel=1e-13)


def test_N1_spots_are_zeros_and_extrema_of_what_stands_in_a_formula():
    ranges = [(-1.0, 1.0), (0.0, 1.0)]
    found = spots(sp.exp(sp.expand(-3 * (z - sp.Rational(37, 100)) ** 2)), [z, y], ranges)
    assert any(v is None and abs(u - 0.37) < 1e-12 for u, v in found if u is not None)
    found = spots(sp.Max(0, y - sp.Rational(1, 3)), [z, y], ranges)
    assert any(u is None and abs(v - 1 / 3) < 1e-12 for u, v in found if v is not None)


@pytest.mark.parametrize("sign", [1, -1])
def test_N1_a_number_that_is_no_float_is_told(sign):
    parabola = sp.expand(((z - sp.Rational(37, 100)) / 1e-4) ** 2)
    height = sp.exp(-sign * parabola)
    assert any(atom.is_Float and float(atom) in (0, math.inf) for atom in height.atoms())  # SymPy: 3e-5945492 exp(…)
    with pytest.raises(GeometryError, match="is no float"):
        _ = under(0.1 + height).volume


@pytest.mark.parametrize(("place", "tilt"), [(0, 0), *(pytest.param(k, 1, marks=HEAVY) for k in (0, 1))])
def test_N1_bumps_of_a_formula_are_found_by_its_text(place, tilt):
    at, width = PLACES[place]
    dz, dy = (z - at) / width, (y - sp.Rational(61, 100)) / width
    bump = under(sp.Rational(1, 10) + sp.exp(-(dz**2) - dy**2 - tilt * dz * dy))
    assert bump.volume == pytest.approx(0.2 + math.tau / math.sqrt(4 - tilt**2) * width**2, rel=1e-13)
    assert bump.volume > 0.2 + width**2


@pytest.mark.heavy
def test_N1_slanting_ridges_of_a_formula_are_found_or_told():
    bell = sp.exp(-(((y - sp.Rational(31, 100) - z / 5) / 1e-6) ** 2))
    right_or_told(sp.Rational(1, 10) + bell, 0.2 + 2e-6 * math.sqrt(math.pi), rel=1e-12)


def test_N1_edges_beside_what_is_steep_and_none_beside_what_is_not():
    for smooth in (np.sin, np.cos, lambda t: 1 / (2 + t), lambda t: np.sqrt(t + 1e-3)):
        assert not [t for t in steep(lambda t, f=smooth: f(t)[:, None], 0.0) if t < 1e-3]
    for far in 10.0 ** -RNG.uniform(3, 12, 20):
        edges = steep(lambda t, far=far: (np.where(t < 0.4 + far, 1.0, 2.0) + t / 3)[:, None], 0.4)
        beyond = (edges - 0.4) / far
        assert ((beyond > 0.45) & (beyond <= 1)).any() and ((beyond > 1) & (beyond < 2.1)).any()


@pytest.mark.parametrize(
    ("height", "volume"),
    [
        (sp.Heaviside(z - sp.Rational(3, 10)), 0.7),
        (1 + sp.floor(3 * z) / 9, 2 + (-3 - 2 - 1 + 1 + 2) / 27),
        (1 + sp.Mod(z, 1), 3),
        (2 + sp.sign(z - sp.Rational(1, 3)), 4 - 2 / 3),
        (sp.sin(z**2) + sp.exp(sp.cos(z)), 5.303686286872869),
    ],
)
def test_W8_formulas_that_sympy_does_not_integrate_are_integrated(height, volume):
    assert float(under(height).volume) == pytest.approx(volume, rel=1e-12)


@pytest.mark.heavy
def test_N1_poles_that_can_be_integrated_are_right_or_told():
    """A search for breaks that comes to neighbouring floats ends there."""
    right_or_told(lambda z, y: -math.log(abs(z - 0.3)), 2 - 1.3 * math.log(1.3) - 0.7 * math.log(0.7))


def test_N1_places_between_equal_steps():
    t = np.arange(1, 4096) / 4096
    smooth = np.stack([np.sin(20 * t), t**3], axis=1)[None]
    assert all(len(found) == 0 for found in narrow(smooth))
    bumpy = smooth.copy()
    bumpy[0, 1000, 1] += 1e-3
    (line,), (first,), (last,) = narrow(bumpy)
    assert line == 0 and first < 1000 < last and last - first <= 8
    noise = smooth + 1e-3 * RNG.standard_normal(smooth.shape)
    assert all(len(found) == 0 for found in narrow(noise))
