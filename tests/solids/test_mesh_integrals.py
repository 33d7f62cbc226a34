"""Integrals over meshes against exact arithmetic, in all places and on all backends."""

from __future__ import annotations

import numpy as np
import pytest

from meshes import box, exact_moments, polytope, torus
from steiner.solids import mesh_integrals
from steiner.solids.mesh_integrals import Indexed, Soup, central_moments
from steiner.solids.shapes import Mesh

KILOMETRE = np.array([1000.0, -1000.0, 1000.0])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("at", [np.array([0.5, 0.25, -0.75]), KILOMETRE], ids=["near", "1 km away"])
def test_random_polytopes_agree_with_exact_fractions_to_1e_12(seed, at):
    vertices, faces = polytope(seed, 8 + 3 * seed, at)
    volume, centre, gyration = exact_moments(vertices, faces)
    mesh = Mesh(vertices, faces)
    assert mesh.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(mesh.centroid, centre, rtol=1e-15, atol=1e-13)
    np.testing.assert_allclose(mesh.gyration, gyration, rtol=1e-12, atol=1e-13 * gyration.max())


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("native", [0, 1 << 60], ids=["native", "interpreted"])
def test_every_backend_gives_the_same_sums(backend, native, monkeypatch):
    monkeypatch.setenv("STEINER_BACKEND", backend)
    monkeypatch.setattr(mesh_integrals, "NATIVE", native)
    monkeypatch.setattr(mesh_integrals, "BLOCK", 64)  # several blocks, the last of them short
    vertices, faces = torus(37, 11)
    volume, centre, gyration = central_moments(Indexed(vertices, faces))
    exact = exact_moments(vertices, faces)
    assert volume == pytest.approx(exact[0], rel=1e-13)
    np.testing.assert_allclose(centre, exact[1], rtol=1e-13)
    np.testing.assert_allclose(gyration, exact[2], rtol=1e-12, atol=1e-15)
    soup = central_moments(Soup(vertices[faces]))
    assert soup[0] == volume and np.array_equal(soup[2], gyration)


def test_a_needle_keeps_its_digits():
    vertices, faces = box((1.0, 1e-6, 1e-6), at=(5.0, 6.0, 7.0))
    mesh = Mesh(vertices, faces)
    assert mesh.volume == pytest.approx(exact_moments(vertices, faces)[0], rel=1e-12)


def test_a_middle_that_was_guessed_badly_is_guessed_again():
    """A dense tip far from a large body pulls the mean of the corners away from the centroid."""
    big, fine = box((10.0, 10.0, 10.0)), torus(60, 30, at=(500.0, 0.0, 0.0))
    vertices = np.vstack([big[0], fine[0]])
    faces = np.vstack([big[1], fine[1] + 8])
    volume, centre, gyration = central_moments(Indexed(vertices, faces))
    exact = exact_moments(vertices, faces)
    assert volume == pytest.approx(exact[0], rel=1e-13)
    np.testing.assert_allclose(centre, exact[1], rtol=1e-13)
    np.testing.assert_allclose(gyration, exact[2], rtol=1e-12, atol=1e-12 * exact[2].max())
