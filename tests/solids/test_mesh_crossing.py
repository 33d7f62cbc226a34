"""What passes through itself is found wherever it does so, and what only touches is none."""

from __future__ import annotations

import numpy as np
import pytest

from meshes import AWAY, box, joined, turned
from steiner.solids.mesh_crossing import crossings

UNIT = box((1, 1, 1))


def beside(size, shift):
    return joined(UNIT, box(size, AWAY + shift))


def pin(tip):
    """A box below a tetrahedron that stands on its tip."""
    corners = np.array([tip, [0.3, 0.3, 2], [0.8, 0.3, 2], [0.5, 0.8, 2]]) + AWAY
    return joined(UNIT, (corners, np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])))


CROSS = {
    "sides in one plane": beside((1, 1, 1), (0.5, 0, 0)),
    "corner to corner": beside((1, 1, 1), (0.5, 0.5, 0.5)),  # edges meet the diagonals of faces
    "a bar through a face": beside((0.5, 0.5, 3), (0.25, 0.25, -1)),
    "a bar through an edge": beside((1, 0.5, 3), (0.5, 0.5, -1)),
    "level bars": joined(box((3, 0.5, 0.5)), box((0.5, 3, 0.5), AWAY + [1.2, -1.2, 0])),
    "edges on edges": joined(box((3, 0.5, 0.5)), box((0.5, 3, 0.5), AWAY + [1.2, -1.2, 0.25])),
    "sunk level with the top": beside((0.5, 0.5, 0.5), (0.25, 0.25, 0.5)),
    "from one corner": beside((2, 2, 2), (0, 0, 0)),
    "a tip in a face": pin((0.5, 0.4, 0.75)),
    "a tip below a corner": pin((1, 1, 0.75)),
    "a tip below an edge": pin((1, 0.5, 0.75)),
}
TOUCH = {
    "stacked": beside((1, 1, 1), (0, 0, 1)),
    "standing on it": beside((0.3, 0.3, 1), (0.2, 0.2, 1)),
    "shifted": beside((1, 1, 1), (0.5, 0, 1)),
    "an edge": beside((1, 1, 1), (1, 0, 1)),
    "a corner": beside((1, 1, 1), (1, 1, 1)),
    "a cavity up to the wall": joined(UNIT, turned(box((0.5, 0.5, 0.5), AWAY + [0.25, 0.25, 0.5]))),
    "a tip on a face": pin((0.5, 0.4, 1)),
    "a tip on a diagonal": pin((0.5, 0.5, 1)),
    "a tip on a corner": pin((1, 1, 1)),
    "a tip on an edge": pin((1, 0.5, 1)),
    "apart": beside((1, 1, 1), (5, 0, 0)),
}


def seen(vertices, faces):
    """The mesh as it stands, welded, rounded, turned, small and far away."""
    spin = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    spin *= np.sign(np.linalg.det(spin))
    places, index = np.unique(vertices, axis=0, return_inverse=True)
    welded = index.ravel()[faces]
    return {
        "as it stands": (vertices, faces), "welded": (places, welded), "turned": (places @ spin.T, welded),
        "rounded": (places.astype(np.float32).astype(float), welded), "small": (vertices * 1e-4, faces),
        "far away": (vertices + 1000, faces),
    }  # fmt: skip


@pytest.mark.parametrize("name", CROSS)
def test_what_passes_through_itself_is_found_also_in_edges_and_corners(name):
    assert [way for way, mesh in seen(*CROSS[name]).items() if not len(crossings(*mesh))] == []


@pytest.mark.parametrize("name", TOUCH)
def test_what_touches_is_not_taken_for_a_crossing(name):
    assert [way for way, mesh in seen(*TOUCH[name]).items() if len(crossings(*mesh))] == []


def test_boxes_on_a_grid_cross_where_their_edges_say_so():
    chance, counts = np.random.default_rng(0), [0, 0]
    for _ in range(150):
        size, other = chance.integers(1, 4, (2, 3))
        shift = chance.integers(-2, 3, 3)
        shared = np.minimum(size, shift + other) - np.maximum(0, shift)
        nested = ((shift > 0) & (shift + other < size)).all() or ((shift < 0) & (shift + other > size)).all()
        cross = bool((shared > 0).all() and not nested)
        assert bool(len(crossings(*joined(box(size), box(other, AWAY + shift))))) == cross, (size, other, shift)
        counts[cross] += 1
    assert min(counts) > 30


def test_a_face_that_leaves_its_corner_through_another_is_found():
    """Two faces that share a corner, one's far edge through the other."""
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1.5, 1.0]])
    assert crossings(corners, np.array([[0, 1, 2], [0, 3, 4]])).tolist() in ([[0, 1]], [[1, 0]])
    corners[4, 2] = -0.5
    assert crossings(corners, np.array([[0, 1, 2], [0, 3, 4]])).tolist() == []
