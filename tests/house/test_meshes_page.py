"""The table of the page on meshes: every shape is there, and our errors are what it says at most."""

from __future__ import annotations

import numpy as np
import pytest

from tools import meshes

PLAIN = [name for name, make in meshes.SHAPES.items() if len(make().mesh(meshes.FINE)[1]) < 300]


@pytest.mark.parametrize("name", PLAIN)
def test_our_errors_are_those_of_rounding(name):
    assert max(meshes.errors(name, meshes.ours)) < 1e-13


def test_the_page_has_a_row_for_every_shape():
    text = meshes.PAGE.read_text(encoding="utf-8")
    rows = text.split(meshes.MARKS[0])[1].splitlines()[3:-1]
    assert [row.split("|")[1].strip() for row in rows] == [*meshes.SHAPES] and len(rows) == 20


@pytest.mark.parametrize("name", meshes.SHAPES)
def test_no_shape_sits_at_the_origin(name):
    assert np.linalg.norm(meshes.SHAPES[name]().centroid) > 1


def test_a_wrong_tensor_would_show():
    wrong = lambda v, f: (meshes.ours(v, f)[0], np.zeros(3), 1.001 * meshes.ours(v, f)[2])  # noqa: E731
    assert max(meshes.errors("box", wrong)) == pytest.approx(1e-3, rel=1e-6)
