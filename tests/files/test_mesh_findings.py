"""Every finding about a mesh has a file that triggers it, and a sentence that says what, where and what to do."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from mesh_files import dae, off
from meshes import AWAY, box, joined, torus, turned
from steiner.errors import ModelWarning
from steiner.solids import mesh_shells

SOURCE = Path(st.__file__).parent
BOX = box()
V, F = BOX
LID = np.vstack([V, V[[2, 3, 6, 7]] + 1e-7])  # the corners of one side again, a hair off
FINE = torus(48, 24)


def moebius(n=12):
    """A strip with one side, as thick as paper: none."""
    angles = np.arange(n) * 2 * np.pi / n
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1)
    half = 0.3 * (np.cos(angles / 2)[:, None] * ring + np.sin(angles / 2)[:, None] * [0, 0, 1])
    k = np.arange(n)
    a, b = k, k + n
    c, d = np.where(k + 1 < n, k + 1, n), np.where(k + 1 < n, k + 1 + n, 0)
    return np.vstack([ring - half, ring + half]) + AWAY, np.vstack([np.stack([a, c, d], 1), np.stack([a, d, b], 1)])


def split_edge():
    """A box with a corner in the middle of an edge: one face is a line."""
    a, b, c = F[0]
    faces = np.vstack([F[1:], [[a, 8, c], [8, b, c], [a, b, 8]]])
    return np.vstack([V, (V[a] + V[b]) / 2]), faces


def shared_edge():
    vertices, faces = joined(BOX, box(at=AWAY + [1.0, 0.7, 0.0]))
    places, index = np.unique(vertices.round(12), axis=0, return_inverse=True)
    return places, index.ravel()[faces]


ROD = joined(box((1, 0.01, 0.01)), box((0.01, 1, 0.01), AWAY - 0.5), box((0.01, 0.01, 1), AWAY + 1))
BARS = joined(box((3.0, 0.5, 0.5)), box((0.5, 3.0, 0.4), AWAY + [1.2, -1.2, 0.05]))
# code: triangles, what is allowed, a piece of the sentence
FILES = {
    "open-edges": ((V, F[:-1]), "exact", r"3 open edges near \(3, -2, 1.9\) m: the surface has a hole"),
    "inconsistent-winding": ((V, np.vstack([F[:1, ::-1], F[1:]])), "exact", "neighbouring faces disagree about"),
    "duplicate-faces": ((V, np.vstack([F, F[:2]])), "exact", "2 faces are listed twice"),
    "no-volume": ((V * [1, 1, 0] + [0, 0, 2], F), "exact", "enclose no volume; expected a solid body"),
    "degenerate-faces": ((V, np.vstack([F, [[0, 0, 1]]])), "exact", "1 face with a corner twice, so without"),
    "flat-faces": (split_edge(), "exact", r"1 face without area near \(3, -2, 1.5\) m"),
    "inside-out": (turned(BOX), "exact", "all 12 faces point inward"),
    "several-bodies": (joined(BOX, box(at=AWAY + 5)), "exact", "2 separate bodies count as one rigid body"),
    "cavities": (joined(BOX, turned(box((0.2, 0.2, 0.2), AWAY + 0.1))), "exact", "1 closed surface inside of bodies"),
    "overlapping-bodies": (joined(BOX, box(at=AWAY + 0.2)), "exact", r"overlap near \(3.2, -1.8, 1.7\) m"),
    "self-intersection": (BARS, "exact", "20 pairs of faces that pass through each other near"),
    "non-manifold-edges": (shared_edge(), "exact", "1 edge where more than two faces meet, near .* touch"),
    "small-in-its-hull": (ROD, "exact", r"its volume is 0\.0\d+ % of that of its convex hull"),
    "scale": (box((1000.0, 500.0, 300.0)), "exact", "it is 1000 m long: a wrong unit"),
    "far-away": (box((0.001, 0.001, 0.002), at=(5.0, 5.0, 5.0)), "exact", r"it lies 8\.66\d* m from its origin"),
    "not-looked": (joined(*(box(at=AWAY + [2 * k, 0, 0]) for k in range(3))), "exact", "3 bodies are too many"),
    "up-axis": (BOX, "exact", "<up_axis> is Y_UP; the mesh is taken as its numbers stand"),
    "joined-corners": ((LID, np.vstack([F[:6], [[8, 9, 11], [8, 11, 10]], F[8:]])), "repair",
                       "4 corners within .* joined to them"),
    "removed-copies": ((V, np.vstack([F, F[:2]])), "repair", "2 faces listed more than once, kept once"),
    "turned-faces": ((V, np.vstack([F[:1, ::-1], F[1:]])), "repair", "1 face turned to agree"),
    "closed-holes": ((FINE[0], FINE[1][:-1]), "repair", r"1 hole \(3 open edges, .* of the surface\)"),
    "wide-holes": ((V, F[:-2]), "repair", r"its holes are \d+% of the surface, more than a patch may guess"),
    "one-sided": (moebius(), "repair", "only one side, like a Möbius strip"),
    "crossing-rims": ((np.vstack([V, V[:1] - 1]), np.vstack([F, [[0, 1, 8]]])), "repair", "more than two faces meet"),
    "taken-as-hull": ((V, F[:-2]), "hull", "its convex hull stands for it: too heavy wherever"),
    "taken-as-box": ((V * [1, 1, 0] + V[:, :1] * [0, 0, 1], F), "box", "the box around it stands for it"),
}  # fmt: skip
ELSEWHERE = {"wall": "tests/solids/test_mesh_diagnose.py"}  # of `hollow`, not of a file


def said(path, policy):
    """All sentences about a file: why it was refused, or what was found on the way and by a diagnosis."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ModelWarning)
        try:
            mesh = st.Mesh.load(path, unit=None if path.suffix == ".dae" else "m", policy=policy)
        except st.SteinerError as error:
            return [("", str(error))], []
    found = mesh.diagnose(self_intersection=True)
    return [(f.code, str(f)) for f in found.findings], [str(w.message) for w in told]


@pytest.mark.parametrize("code", FILES)
def test_a_file_that_triggers_it(code, tmp_path, monkeypatch):
    mesh, policy, sentence = FILES[code]
    path = tmp_path / ("part.dae" if code == "up-axis" else "part.off")
    text = dae(*mesh).replace(b"Z_UP", b"Y_UP") if code == "up-axis" else off(*mesh)
    path.write_bytes(text)
    if code == "not-looked":
        monkeypatch.setattr(mesh_shells, "MOST_WORK", -1)
        monkeypatch.setattr(mesh_shells, "near", lambda boxes: None)
    findings, warned = said(path, policy)
    texts = [text for given, text in findings if given in (code, "")]
    assert any(re.search(sentence, text) for text in texts), findings
    if code == "scale":
        assert any(re.search(sentence, text) for text in warned)
    path.write_bytes(dae(*BOX) if code == "up-axis" else off(*BOX))
    monkeypatch.undo()
    assert said(path, policy) == ([], [])


def test_no_finding_is_without_its_file():
    codes = set()
    for module in [*sorted((SOURCE / "solids").glob("mesh*.py")), SOURCE / "files/collada.py"]:
        text = module.read_text(encoding="utf-8")
        codes |= {found[1] for found in re.finditer(r'(?:Finding|_done)\(\s*"([a-z-]+)"', text)}
    assert codes | {"taken-as-hull", "taken-as-box"} == set(FILES) | set(ELSEWHERE)
