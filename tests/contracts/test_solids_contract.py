"""Every solid of the table keeps the same promises; a new line in SOLIDS gets these tests."""

from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from steiner.errors import SteinerError
from steiner.inertia.properties import tensor_of
from steiner.solids.base import Solid
from steiner.solids.charts import quadrature
from steiner.solids.derive import twin
from steiner.solids.mesh_integrals import moments as tetrahedra
from steiner.solids.shapes import SOLIDS, ConvexHull, Limits, Mesh
from steiner.spatial import Pose

FAR = Pose.from_rpy((1000.0, -700.0, 300.0), (0.3, -0.8, 1.9))
ALL = [pytest.param(cls, id=cls.__name__) for cls in SOLIDS]
LONG = ("Torus", "Frustum", "Capsule")  # integrals that take SymPy seconds
WORKED = [
    pytest.param(cls, id=cls.__name__, marks=[pytest.mark.heavy] if cls.__name__ in LONG else []) for cls in SOLIDS
]
VOLUMES = [pytest.param(cls, id=cls.__name__) for cls in SOLIDS if cls.dimension == 3]
SCALARS = [
    pytest.param(cls, id=cls.__name__)
    for cls in SOLIDS
    if cls not in (ConvexHull, Mesh, Limits) and cls.__name__ not in ("Prism", "Revolution")
]


def relative(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a - b).max() / np.abs(b).max())


def scaled(solid: Solid, s: float) -> Solid:
    """The same shape, s times as large."""
    if isinstance(solid, Limits):
        (region,) = solid.regions

        def limit(f):
            return (lambda *o: s * f(*(v / s for v in o))) if callable(f) else s * f

        return Limits(*(("xyz"[b.coordinate], limit(b.low), limit(b.high)) for b in region))

    def times(value):
        return [times(v) for v in value] if isinstance(value, tuple | list | np.ndarray) else s * value

    given = {f.name: getattr(solid, f.name) for f in fields(solid)}
    return type(solid)(**{k: v if k in ("angle", "axis", "faces") else times(v) for k, v in given.items()})


@pytest.mark.parametrize("cls", ALL)
def test_the_closed_form_is_the_integral_of_the_definition(cls):
    solid = cls.example()
    measure, first, second = quadrature(solid.charts, 16 if solid.dimension == 3 else 30)
    centre = first / measure
    size = math.sqrt(np.trace(solid.gyration))
    assert solid.measure == pytest.approx(measure, rel=1e-12)
    assert np.abs(solid.centroid - centre).max() < 1e-12 * size
    assert relative(second / measure - np.outer(centre, centre), solid.gyration) < 1e-12


@pytest.mark.parametrize("cls", VOLUMES)
def test_a_solid_agrees_with_its_own_mesh_to_second_order(cls):
    solid = cls.example()

    def error(resolution):
        vertices, faces = solid.mesh(resolution)
        volume, _, second = tetrahedra(vertices, faces, solid.centroid)
        return max(abs(volume / solid.volume - 1), relative(second / solid.volume, solid.gyration))

    coarse, fine = error(32), error(64)
    assert fine < 1e-12 or coarse / fine == pytest.approx(4, rel=0.12)


@pytest.mark.parametrize("cls", VOLUMES)
def test_the_mesh_is_closed_and_points_outward(cls):
    vertices, faces = cls.example().mesh(16)
    edges = [tuple(e) for face in faces.tolist() for e in zip(face, face[1:] + face[:1], strict=True)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    assert tetrahedra(vertices, faces, vertices.mean(axis=0))[0] > 0


@pytest.mark.parametrize("cls", ALL)
def test_a_kilometre_away_nothing_is_lost(cls):
    solid = cls.example()
    here, there = solid.with_mass(2.0), solid.at(FAR).with_mass(2.0)
    assert relative(FAR.R.T @ there.inertia @ FAR.R, here.inertia) < 1e-12
    back = there.moved(FAR.inverse())
    assert relative(back.inertia, here.inertia) < 1e-12
    assert np.abs(back.com - here.com).max() < 1e-12 * 1000
    assert solid.at(FAR).volume == solid.volume


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("s", [1e-3, 100.0])
def test_scaling_gives_the_third_and_fifth_power(cls, s):
    solid = cls.example()
    large = scaled(solid, s)
    assert large.measure == pytest.approx(solid.measure * s**solid.dimension, rel=1e-12)
    assert relative(large.gyration, solid.gyration * s**2) < 1e-11
    if solid.dimension == 3:
        assert relative(large.with_density(7.0).inertia, solid.with_density(7.0).inertia * s**5) < 1e-11


@pytest.mark.parametrize("cls", ALL)
def test_moves_compose(cls):
    solid = cls.example()
    a, b = Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), Pose.from_rpy((-0.3, 0, 1), (1, -1, 2))
    assert solid.at(a).at(b) == solid.at(b @ a)
    assert solid.at(a) != solid.at(b)
    twice = solid.at(a).at(b).with_mass(3.0)
    assert relative(twice.inertia, solid.with_mass(3.0).moved(a).moved(b).inertia) < 1e-12


@pytest.mark.parametrize("cls", ALL)
def test_mass_density_and_material_are_one_thing(cls):
    solid = cls.example()
    by_mass = solid.with_mass(1.5)
    assert by_mass.mass == 1.5
    assert relative(by_mass.inertia, 1.5 * tensor_of(solid.gyration)) < 1e-15
    if solid.dimension == 3:
        assert solid.of("steel").mass == pytest.approx(7850 * solid.volume, rel=1e-14)
        by_density = solid.with_density(1.5 / solid.volume)
        assert relative(by_density.inertia, by_mass.inertia) < 1e-12
    else:
        with pytest.raises(SteinerError, match="idealised"):
            solid.with_density(1000)
    assert by_mass.is_physical()


@pytest.mark.parametrize("cls", VOLUMES)
def test_bounds_depth_and_mesh_agree_about_the_surface(cls):
    solid = cls.example()
    vertices, faces = solid.mesh(64)
    size = np.ptp(vertices, axis=0).max()
    assert np.abs(solid.depth(vertices)).max() < 1e-12 * size
    assert (solid.bounds[0] <= vertices.min(axis=0) + 1e-12).all()
    assert (solid.bounds[1] >= vertices.max(axis=0) - 1e-12).all()
    assert np.abs(solid.bounds - [vertices.min(axis=0), vertices.max(axis=0)]).max() < 2e-3 * size
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    some = np.nonzero(length > 1e-6 * length.max())[0][::7]
    nudge = 0.004 * size * normal[some] / length[some, None]
    middle = corners[some].mean(axis=1)
    assert (solid.depth(middle + nudge) < 0).all()
    assert (solid.depth(middle - nudge) > 0).mean() > 0.97  # beside a sharp edge the nudge may leave again


@pytest.mark.parametrize("cls", [p for p in ALL if "axis" in {f.name for f in fields(p.values[0])}])
def test_the_axis_permutes_cyclically(cls):
    base = cls.example()
    given = {f.name: getattr(base, f.name) for f in fields(base)}
    turns = {
        "x": np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]),  # z → x, x → y, y → z
        "y": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    }
    for axis, R in turns.items():
        turned = cls(**(given | {"axis": axis}))
        expected = base.at(Pose(R))
        assert np.array_equal(turned.centroid, expected.centroid)
        assert relative(turned.gyration, expected.gyration) < 1e-15
        assert np.allclose(turned.bounds, expected.bounds, atol=1e-15)
        points = np.random.default_rng(0).normal(size=(50, 3)) * 0.1
        assert np.allclose(turned.depth(points), expected.depth(points), atol=1e-15)


@pytest.mark.parametrize("cls", SCALARS)
def test_symbols_stay_exact_and_agree_with_numbers(cls):
    example = cls.example()
    symbols = {n: sp.Symbol(n, positive=True) for n in example.parameters}
    solid = cls(**symbols)
    m = sp.Symbol("m", positive=True)
    body = solid.with_mass(m)
    entries = [solid.measure, *body.com.ravel(), *body.inertia.ravel()]
    assert not any(sp.sympify(e).atoms(sp.Float) - {sp.Float(0)} for e in entries)
    values = {symbols[n]: v for n, v in example.parameters.items()} | {m: 2.0}
    numeric = example.with_mass(2.0)
    inertia = np.array([[float(sp.sympify(e).subs(values)) for e in row] for row in body.inertia])
    assert relative(inertia, numeric.inertia) < 1e-12
    assert float(sp.sympify(solid.measure).subs(values)) == pytest.approx(example.measure, rel=1e-12)


@pytest.mark.parametrize("cls", SCALARS)
def test_fractions_stay_fractions_where_no_pi_enters(cls):
    example = cls.example()
    exact = {n: Fraction(v).limit_denominator(1000) for n, v in example.parameters.items()}
    exact.pop("angle", None)  # a full turn: sines of others are no fractions
    if cls.__name__ == "HalfCylinder":
        return  # nor is π
    gyration = cls(**exact).gyration
    assert all(isinstance(x, Fraction | int) for x in gyration.ravel())


@pytest.mark.parametrize("cls", SCALARS)
def test_a_bad_dimension_is_refused_by_name(cls):
    given = cls.example().parameters
    for name in cls.POSITIVE + cls.NONNEGATIVE:
        for bad in (-0.1, math.nan, math.inf, 1e200, 1e-200, "5", None, [1.0], 1j):
            with pytest.raises(SteinerError, match=name):
                cls(**(given | {name: bad}))
        for bad in (Fraction(-1, 10), sp.Rational(-1, 10), -sp.Symbol("a", positive=True), sp.nan, sp.oo, sp.I):
            with pytest.raises(SteinerError, match=name):
                cls(**(given | {name: bad}))
    for name in cls.POSITIVE:
        with pytest.raises(SteinerError, match=f"{cls.__name__}: {name} is 0"):
            cls(**(given | {name: 0}))


@pytest.mark.parametrize("cls", SCALARS)
def test_where_a_symbolic_surface_is_cannot_be_told(cls):
    given = cls.example().parameters
    solid = cls(**(given | dict.fromkeys(cls.POSITIVE, sp.Symbol("a", positive=True))))
    for ask in (lambda: solid.bounds, lambda: solid.mesh(), lambda: solid.support([[1, 0, 0]])):
        with pytest.raises(SteinerError, match="needs numbers"):
            ask()


@pytest.mark.parametrize("cls", WORKED)
def test_the_derivation_ends_at_the_closed_form(cls):
    example = cls.example()
    derivation = example.derivation()
    text = derivation.markdown()
    assert "$$" in text and text.startswith("## ")
    assert derivation.latex().count(r"\begin{gather*}") == derivation.latex().count(r"\end{gather*}") > 0
    m = sp.Symbol("m", positive=True)
    if cls.__name__ == "Box":
        names = dict(zip(sp.symbols("w l h", positive=True), (example.x, example.y, example.z), strict=True))
    elif cls in (Mesh, ConvexHull, Limits) or cls.__name__ in ("Prism", "Revolution"):
        names = {}
    else:
        names = {sp.Symbol(n, positive=True): v for n, v in twin(example)[1].items()}
    worked = [[float(sp.sympify(e).subs(names | {m: 2})) for e in row] for row in derivation.result.inertia]
    assert relative(worked, example.with_mass(2.0).inertia) < 1e-12


@pytest.mark.parametrize("cls", ALL)
def test_a_solid_says_what_it_is(cls):
    assert cls.__doc__ and cls.frame
    assert cls.__name__ in repr(cls.example())
