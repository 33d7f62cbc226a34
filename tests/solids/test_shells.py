"""Meshes of several closed surfaces: bodies, cavities, bodies in cavities, whichever way their faces look."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from steiner.errors import GeometryError
from steiner.solids.charts import welded
from steiner.solids.shapes import Box, ConvexHull, Ellipsoid, EllipticCylinder, Mesh, Sphere
from steiner.spatial import Pose
from tests.comparing import close

VERTICES, FACES = ConvexHull([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]).mesh()
OUT, IN = 1, -1


def cubes(*parts):
    """Vertices and faces of cubes (edge, corner, OUT or IN)."""
    vertices = np.vstack([edge * VERTICES + corner for edge, corner, _ in parts])
    faces = [(FACES if way == OUT else FACES[:, ::-1]) + 8 * k for k, (_, _, way) in enumerate(parts)]
    return vertices, np.vstack(faces)


def told(*mesh):
    """The mesh and what it warned of."""
    with warnings.catch_warnings(record=True) as told_:
        warnings.simplefilter("always")
        solid = Mesh(*mesh)
    return solid, " ".join(str(w.message) for w in told_)


NEST = [(1.0, 0.0), (0.5, 0.25), (0.25, 0.375), (0.125, 0.4375)]  # each in the one before


@pytest.mark.parametrize("corner", [5.0, 1.5, 1.0])
def test_N5_a_separate_inside_out_body_is_turned(corner):
    solid, says = told(*cubes((1, 0, OUT), (0.5, corner, IN)))
    assert solid.volume == pytest.approx(1.125, rel=1e-14)
    assert says == "Mesh: 1 of its 2 closed surfaces (12 of 24 faces) are inside out; they were turned outward"
    body = solid.with_density(1.0)
    assert np.linalg.eigvalsh(body.inertia).min() > 0
    both = Box(1, 1, 1).at(xyz=(0.5,) * 3) + Box(0.5, 0.5, 0.5).at(xyz=(corner + 0.25,) * 3)
    assert close(solid.gyration, both.gyration, 1e-13)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_N5_what_lies_in_what_decides(depth, seed):
    rng = np.random.default_rng(seed)
    ways = [OUT if k % 2 == 0 else IN for k in range(depth)]
    volume = sum(way * edge**3 for way, (edge, _) in zip(ways, NEST, strict=False))
    nest = [(*cube, way) for cube, way in zip(NEST, ways, strict=False)]
    order = rng.permutation(depth)
    solid, says = told(*cubes(*(nest[k] for k in order)))
    assert solid.volume == pytest.approx(volume, rel=1e-13) and not says
    solid, says = told(*cubes(*((edge, corner, -way) for edge, corner, way in (nest[k] for k in order))))
    assert solid.volume == pytest.approx(volume, rel=1e-13) and f"all {12 * depth} faces point inward" in says
    beside = [(edge, corner + 10, -way) for edge, corner, way in nest]  # one nest right, another inside out
    solid, says = told(*cubes(*nest, *beside))
    assert solid.volume == pytest.approx(2 * volume, rel=1e-13)
    assert f"{depth} of its {2 * depth} closed surfaces ({12 * depth} of {24 * depth} faces)" in says


def test_N5_a_cavity_that_touches_the_wall_and_one_in_a_cavity():
    assert told(*cubes((1, 0, OUT), (0.5, 0, IN)))[0].volume == pytest.approx(0.875)
    solid, says = told(*cubes((1, 0, OUT), (0.5, 0.25, IN), (0.25, 0.375, IN)))  # a body in the cavity, inside out
    assert solid.volume == pytest.approx(1 - 0.125 + 0.25**3) and "1 of its 3" in says
    solid, says = told(*cubes((1, 0, OUT), (0.5, 0.25, OUT)))
    assert solid.volume == pytest.approx(1.125) and "counted twice" in says  # told, not changed


@pytest.mark.parametrize("way", [OUT, IN])
def test_N5_W10_bodies_that_share_an_edge_or_a_corner(way):
    for shift in ([1, 1, 0], [1, 1, 1]):
        vertices = np.vstack([VERTICES, VERTICES + shift])
        vertices, faces = welded(vertices, np.vstack([FACES, FACES + 8]))
        assert len(vertices) == 16 - 4 // 2 * (shift[2] == 0) - (shift[2] == 1)
        faces = np.vstack([faces[:12], faces[12:][:, ::way]])
        solid, says = told(vertices, faces)
        assert solid.volume == pytest.approx(2, rel=1e-14) and ("1 of its 2" in says) == (way == IN)


@pytest.mark.parametrize("edges", [(1, 1e-6, 1e-6), (1, 1, 1e-9), (1e-6, 1e3, 1e-6), (1e-9,) * 3, (1e6,) * 3])
def test_N5_W10_thin_small_and_large_bodies(edges):
    solid, says = told(VERTICES * edges, FACES)
    assert not says and solid.volume == pytest.approx(np.prod(edges), rel=1e-14, abs=0)
    assert np.diag(solid.gyration) == pytest.approx(np.square(edges) / 12, rel=1e-13, abs=0)
    turn = Pose.from_rpy((0, 0, 0), (0.3, 0.5, -0.7))
    slim = max(edges) / min(edges)
    turned = Mesh(turn.apply(VERTICES * edges), FACES)
    assert turned.volume == pytest.approx(np.prod(edges), rel=1e-15 * slim + 1e-14, abs=0)


@pytest.mark.parametrize("edges", [(1, 1e-9, 1e-9), (1, 1, 1e-12), (1e-12, 1, 1e-12), (1e3, 1e-6, 1e-6)])
def test_W10_needles_and_foils_have_a_surface(edges):
    for solid in (Box(*edges), EllipticCylinder(*edges), Ellipsoid(*edges)):
        surface = Mesh(*solid.mesh(8))
        assert 0.6 < surface.volume / solid.volume < 1 + 1e-9


@pytest.mark.parametrize("away", [1e3, 1e6])
def test_N5_far_away_meshes_keep_their_digits(away):
    vertices, faces = Sphere(0.5).mesh(12)
    vertices = np.round(vertices * 2**20) / 2**20  # floats also far away
    near, far = Mesh(vertices, faces), Mesh(vertices + [away, -away, away], faces)
    assert far.volume == pytest.approx(near.volume, rel=1e-12)
    assert close(far.gyration, near.gyration, 1e-12)


def test_N5_surfaces_that_are_none_are_still_refused():
    turn = Pose.from_rpy((3, 2, 1), (0.3, 0.5, -0.7))
    for flat in (VERTICES * [1, 1, 0], turn.apply(VERTICES * [1, 1, 0])):
        with pytest.raises(GeometryError, match="enclose no volume"):
            Mesh(flat, FACES)
    with pytest.raises(GeometryError, match="12 faces are listed twice"):
        Mesh(VERTICES, np.vstack([FACES, FACES]))
    with pytest.raises(GeometryError, match="3 open edges"):
        Mesh(VERTICES, FACES[:-1])


@pytest.mark.parametrize("apart", [1.9, 1.3, 1.0])
def test_round_bodies_whose_boxes_share_a_corner_where_neither_has_a_face(apart):
    """Boxes of two balls overlap long before the balls do."""
    vertices, faces = Sphere(1.0).mesh(24)
    pair = np.vstack([vertices + 3.0, vertices + 3.0 + apart]), np.vstack([faces, faces + len(vertices)])
    solid, says = told(*pair)
    assert ("overlap" in says) == (apart * 3**0.5 < 2)
    close(solid.volume, 2 * told(vertices, faces)[0].volume)
