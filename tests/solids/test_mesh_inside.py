"""How deep points lie in a mesh: against closed forms of flat-sided bodies, and where a line grazes an edge."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.solids.mesh_inside import ASKEW, mesh_depth

BOX = st.Box(0.3, 0.2, 0.1)
FAR = np.array([40.0, -30.0, 20.0])


def box_depth(points: np.ndarray) -> np.ndarray:
    """Signed distance to the surface of the box."""
    over = np.abs(points) - np.array([0.3, 0.2, 0.1]) / 2
    outside = np.linalg.norm(np.maximum(over, 0), axis=1)
    return np.where(outside > 0, -outside, -over.max(axis=1))


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(3).uniform(-0.25, 0.25, (1600, 3))


def test_depths_in_a_mesh_are_distances_to_its_surface(points):
    vertices, faces = BOX.mesh()
    assert np.allclose(mesh_depth(vertices, faces, points), box_depth(points), rtol=0, atol=1e-15)
    assert np.allclose(mesh_depth(vertices + FAR, faces, points + FAR), box_depth(points), rtol=0, atol=1e-13)
    assert mesh_depth(vertices, faces, points[:0]).shape == (0,)


def test_a_hollow_is_outside(points):
    outer, faces = BOX.mesh()
    inner = 0.5 * outer
    vertices, both = np.vstack([outer, inner]), np.vstack([faces, faces[:, ::-1] + len(outer)])
    wanted = np.minimum(box_depth(points), -0.5 * box_depth(2 * points))
    found = mesh_depth(vertices, both, points)
    assert (np.sign(found) == np.sign(wanted)).all() and (found > 0).sum() > 50
    inside = found > 0
    assert np.allclose(found[inside], wanted[inside], rtol=0, atol=1e-15)


def test_lines_through_corners_and_edges_do_not_deceive():
    """Points from which the line of the crossings meets a corner, an edge or a seam between two triangles."""
    vertices, faces = BOX.mesh()
    corners = vertices[faces]
    edges = ((corners + np.roll(corners, 1, axis=1)) / 2).reshape(-1, 3)
    seams = np.vstack([vertices, edges, corners.mean(axis=1)])
    points = np.vstack([seams + t * ASKEW[:, 2] for t in (-0.31, -0.11, -0.02, 0.02, 0.11, 0.31)])
    assert np.allclose(mesh_depth(vertices, faces, points), box_depth(points), rtol=0, atol=1e-15)


def test_bodies_that_share_their_inside_are_inside_once():
    """Two closed surfaces through each other: what the line leaves twice is inside, as what it leaves once."""
    vertices, faces = BOX.mesh()
    shift = np.array([0.1, 0.05, 0.02])
    both, twice = np.vstack([vertices, vertices + shift]), np.vstack([faces, faces + len(vertices)])
    points = np.random.default_rng(4).uniform(-0.2, 0.2, (500, 3))
    wanted = np.maximum(box_depth(points), box_depth(points - shift)) > 0
    assert ((mesh_depth(both, twice, points) > 0) == wanted).all() and 50 < wanted.sum() < 450


def test_a_leak_is_no_disaster():
    """A surface with a hole winds around most of its inside still; crossings alone would tell the wrong side there."""
    vertices, faces = st.Sphere(0.1).mesh(24)
    centre = vertices[faces].mean(axis=1)
    leaky = faces[(centre @ ASKEW[:, 2]) < 0.097]
    assert 0 < len(faces) - len(leaky) < 40
    points = np.random.default_rng(5).normal(size=(300, 3))
    points *= np.random.default_rng(6).uniform(0, 0.06, (300, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    assert (mesh_depth(vertices, leaky, points) > 0).all()
