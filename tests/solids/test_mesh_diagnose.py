"""Every diagnostic has a mesh that triggers it, and a sentence worth reading."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from meshes import AWAY, box, joined, polytope, torus, turned
from steiner.errors import GeometryError, ModelWarning
from steiner.solids import mesh_topology
from steiner.solids.mesh_policy import made
from steiner.solids.mesh_topology import Edges, paired
from steiner.solids.shapes import Box, Mesh

BOX = box()


def diagnosis(mesh, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return Mesh(*mesh).diagnose(**options)


def crossed():
    """Two boxes that cross like a plus: no corner of one lies in the other."""
    return joined(box((3.0, 0.5, 0.5), AWAY), box((0.5, 3.0, 0.4), AWAY + [1.2, -1.2, 0.05]))


FOUND = {
    "inside-out": (turned(BOX), "all 12 faces point inward"),
    "several-bodies": (joined(BOX, box(at=AWAY + 5)), "2 separate bodies count as one rigid body"),
    "cavities": (joined(BOX, turned(box((0.2, 0.2, 0.2), AWAY + 0.1))), "1 closed surface inside of bodies"),
    "overlapping-bodies": (joined(BOX, box(at=AWAY + 0.2)), "what they share is counted twice"),
    "degenerate-faces": ((BOX[0], np.vstack([BOX[1], [[0, 0, 1]]])), "1 face with a corner twice"),
    "non-manifold-edges": (joined(BOX, box(at=AWAY + [1.0, 0.7, 0.0])), "where more than two faces meet"),
    "small-in-its-hull": (
        joined(box((1, 0.01, 0.01)), box((0.01, 1, 0.01), AWAY - 0.5), box((0.01, 0.01, 1), AWAY + 1)),
        "of that of its convex hull",
    ),
    "scale": (box((1000.0, 500.0, 300.0)), "a wrong unit?"),
    "far-away": (box((0.001, 0.001, 0.002), at=(5.0, 5.0, 5.0)), "times its size"),
}  # fmt: skip


@pytest.mark.parametrize("code", FOUND)
def test_what_is_odd_about_a_mesh_is_found_and_said(code):
    mesh, says = FOUND[code]
    if code == "non-manifold-edges":  # boxes that share an edge share its vertices
        corners, index = np.unique(mesh[0].round(12), axis=0, return_inverse=True)
        mesh = corners, index.ravel()[mesh[1]]
    found = diagnosis(mesh)
    assert says in next(f.text for f in found.findings if f.code == code)
    assert code in str(found)
    assert not any(f.code == code for f in diagnosis(BOX).findings)


def test_a_good_mesh_has_nothing_to_say_and_grade_a():
    found = diagnosis(BOX)
    assert found.ok and found.grade == "A" and "nothing to say" in str(found)
    assert found.numbers["bodies"] == "1" and found.numbers["volume / hull"] == "1.000"
    assert diagnosis(turned(BOX)).grade == "B"


def test_faces_without_area_are_told():
    vertices, faces = BOX
    a, b = faces[0][0], faces[0][1]
    middle = len(vertices)
    other = next(f for f in faces.tolist() if {a, b} <= set(f) and f != faces[0].tolist())
    rest = np.array([f for f in faces.tolist() if f != faces[0].tolist()])
    third = faces[0][2]
    split = [[a, middle, third], [middle, b, third], [a, b, middle]]  # the last is a line
    mesh = np.vstack([vertices, (vertices[a] + vertices[b]) / 2]), np.vstack([rest, split])
    assert other and any(f.code == "flat-faces" for f in diagnosis(mesh).findings)
    assert Mesh(*mesh).volume == pytest.approx(0.28, rel=1e-14)


def test_surfaces_that_cross_without_a_corner_inside_are_found_on_request():
    assert not any(f.code == "self-intersection" for f in diagnosis(crossed()).findings)
    found = diagnosis(crossed(), self_intersection=True)
    assert any(f.code == "self-intersection" for f in found.findings) and found.grade == "B"
    for sound in (BOX, polytope(4), torus(24, 12)):
        assert not any(f.code == "self-intersection" for f in diagnosis(sound, self_intersection=True).findings)


@pytest.mark.parametrize(
    ("mesh", "says"),
    [
        ((BOX[0], BOX[1][:-1]), r"3 open edges near \(3, -2, 1.9\) m: the surface has a hole"),
        ((BOX[0], np.vstack([BOX[1][:1, ::-1], BOX[1][1:]])), "3 edges run through twice in the same sense"),
        ((BOX[0], np.vstack([BOX[1], BOX[1]])), "12 faces are listed twice"),
        ((BOX[0] * [1, 1, 0] + [0, 0, 2], BOX[1]), "12 faces enclose no volume"),
    ],
    ids=["open", "flipped", "twice", "flat"],
)
def test_what_encloses_no_volume_is_refused_with_a_place(mesh, says):
    with pytest.raises(GeometryError, match=says):
        Mesh(*mesh)
    with pytest.raises(GeometryError, match=says):
        made(*mesh, "exact", "part.stl")


@pytest.mark.parametrize("missing", range(0, 2 * 40 * 30, 331))
def test_one_missing_face_of_many_is_refused(missing):
    vertices, faces = torus(40, 30)
    with pytest.raises(GeometryError, match="3 open edges"):
        made(vertices, np.delete(faces, missing, axis=0), "exact", "part.stl")


def test_pieces_that_touch_in_a_vertex_are_oriented_each_for_itself():
    """What hangs together by a vertex only is two surfaces: one that is inside out is turned, not subtracted."""
    first, second = box((1.0, 1.0, 1.0)), turned(box((1.0, 1.0, 1.0), AWAY + 1))
    vertices, faces = joined(first, second)
    corners, index = np.unique(vertices, axis=0, return_inverse=True)
    with pytest.warns(ModelWarning, match="1 of its 2 closed surfaces"):
        assert Mesh(corners, index.ravel()[faces]).volume == pytest.approx(2, rel=1e-12)


def test_pairs_of_faces_are_found_with_narrow_and_with_wide_keys():
    _, faces = torus(20, 10)
    pairs = np.sort(np.stack(paired(faces, 200), axis=1), axis=1)
    wide = np.sort(np.stack(paired(faces, 1 << 31), axis=1), axis=1)
    assert np.array_equal(np.unique(pairs, axis=0), np.unique(wide, axis=0)) and len(pairs) == 600
    assert paired(faces[1:], 200) is None and paired(np.vstack([faces, faces]), 200) is None
    assert (Edges.of(faces).times == 2).all() and not Edges.of(faces).uneven.any()
    assert mesh_topology.Edges.of(faces[1:]).uneven.sum() == 3


# ---- policies --------------------------------------------------------------------------------------


def test_a_policy_allows_what_stands_before_it():
    assert made(*BOX, "box", "part").method == "exact"
    holed = torus(40, 30)[0], torus(40, 30)[1][1:]
    mesh = made(*holed, "hull", "part")
    assert (mesh.method, mesh.grade) == ("repair", "C")
    assert mesh.volume == pytest.approx(Mesh(*torus(40, 30)).volume, rel=1e-4)
    assert any(f.code == "closed-holes" for f in mesh.findings) and any(f.code == "open-edges" for f in mesh.findings)


def test_repair_turns_joins_and_drops():
    vertices, faces = torus(40, 30)
    flipped = faces.copy()
    flipped[100:200] = flipped[100:200, ::-1]
    soup = vertices[np.vstack([flipped, flipped[:5]])].reshape(-1, 3)
    near = soup + np.random.default_rng(0).normal(size=soup.shape) * 1e-9  # corners that nearly meet
    mesh = made(near, np.arange(len(near)).reshape(-1, 3), "repair", "part")
    assert mesh.volume == pytest.approx(Mesh(vertices, faces).volume, rel=1e-6)
    assert {"joined-corners", "removed-copies", "turned-faces"} <= {f.code for f in mesh.findings}


def test_a_flat_hole_is_closed_exactly():
    vertices, faces = torus(40, 30)
    cut = joined((vertices, faces), (box((0.1, 0.1, 0.1), AWAY + 5)[0], box()[1][2:]))  # a small box without its floor
    mesh = made(*cut, "repair", "part")
    assert mesh.volume == pytest.approx(Mesh(vertices, faces).volume + 1e-3, rel=1e-12)


@pytest.mark.parametrize("missing", [[0, 1, 2], [0, 24, 25, 49, 50], [7, 8, 9, 31, 32, 33]])
def test_holes_that_meet_in_a_corner_are_closed_one_by_one(missing):
    vertices, faces = torus(48, 24)
    whole = Mesh(vertices, faces).volume
    mesh = made(vertices, np.delete(faces, missing, axis=0), "repair", "ring")
    assert (mesh.method, mesh.grade) == ("repair", "C") and mesh.volume == pytest.approx(whole, rel=1e-3)
    assert paired(mesh.faces, len(mesh.vertices)) is not None


def test_what_cannot_be_mended_says_why():
    with pytest.raises(GeometryError, match=r"could not be repaired: its holes are .* of the surface"):
        made(BOX[0], BOX[1][2:], "repair", "part")
    strip = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4], [4, 5, 1], [5, 0, 1]])  # five faces of a Möbius band
    points = np.array([[np.cos(t), np.sin(t), 0.3 * (-1) ** k] for k, t in enumerate(np.arange(6))]) + AWAY
    with pytest.raises(GeometryError, match="repaired"):
        made(points, strip, "repair", "part")


def test_hull_and_box_stand_in_and_say_so():
    open_box = BOX[0], BOX[1][2:]
    hull = made(*open_box, "hull", "part")
    assert (hull.method, hull.grade) == ("hull", "D") and hull.volume == pytest.approx(0.28, rel=1e-12)
    assert any(f.code == "taken-as-hull" for f in hull.findings)
    flat = BOX[0] * [1, 1, 0] + [0, 0, 2], BOX[1]
    with pytest.raises(GeometryError, match="no volume"):
        made(*flat, "box", "part")
    assert made(*open_box, "box", "part").method == "hull"


# ---- walls -----------------------------------------------------------------------------------------


def test_a_wall_in_a_box_of_triangles_is_that_of_the_box():
    hollow = Mesh(*BOX).hollow(0.05)
    exact = Box(1.0, 0.7, 0.4).hollow(0.05)
    assert hollow.volume == pytest.approx(exact.volume, rel=1e-12)
    np.testing.assert_allclose(hollow.gyration, exact.gyration, rtol=1e-11, atol=1e-14)
    assert "wall is 0.05 m thick to 0.0%" in hollow.inside.findings[0].text


def test_a_wall_in_a_round_mesh_is_near_that_of_the_shape():
    vertices, faces = torus(120, 60)
    area = sum(np.linalg.norm(np.cross(*(vertices[f[1:]] - vertices[f[0]]))) / 2 for f in faces)
    thin = Mesh(vertices, faces).hollow(1e-4)
    assert thin.volume == pytest.approx(1e-4 * area, rel=2e-3)


def test_a_wall_thicker_than_the_part_is_refused():
    with pytest.raises(GeometryError, match="too thin for it"):
        Mesh(*BOX).hollow(0.25)


def test_bars_that_cross_off_their_middles_are_told_at_once():
    with pytest.warns(ModelWarning, match="two of its 2 closed surfaces overlap"):
        mesh = Mesh(*crossed())
    assert mesh.grade == "B"


def test_overlaps_are_found_among_many_bodies_and_touching_ones_are_none():
    row = [box((0.1, 0.1, 0.1), AWAY + [0.1 * k, 0, 0]) for k in range(80)]
    assert Mesh(*joined(*row)).grade == "A"
    with pytest.warns(ModelWarning, match="two of its 81 closed surfaces overlap"):
        Mesh(*joined(*row, box((0.1, 0.1, 0.1), AWAY + [7.95, 0.05, 0.05])))


def test_bodies_that_were_not_looked_at_are_told(monkeypatch):
    monkeypatch.setattr("steiner.solids.mesh_shells.MOST_WORK", 100)
    found = Mesh(*joined(BOX, box(at=AWAY + 0.2))).findings
    assert [(f.code, f.severity) for f in found] == [("not-looked", "note")]
