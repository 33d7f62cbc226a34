"""Pictures of assemblies: written, deterministic, and showing what they should."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.files.link_yaml import load_assembly

pytest.importorskip("matplotlib")
from steiner.scene.drawing import draw, inertia_ellipsoid

ROOT = Path(__file__).parent.parent.parent


def test_a_picture_is_written_and_is_the_same_twice(tmp_path):
    link = load_assembly(ROOT / "examples" / "decks_link.yaml")
    figure = draw(link, tmp_path / "a.png", resolution=12)
    draw(link, tmp_path / "b.png", resolution=12)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    labels = [t.get_text() for t in figure.axes[0].get_legend().get_texts()]
    assert labels == ["A/box", "− A/hole", "B", "C/box", "− C/hole", "inertia ellipsoid", "centre of mass"]
    title = figure.texts[0].get_text()
    assert "7.797 kg" in title and "kg m²" in title
    draw(link, tmp_path / "a.svg", resolution=8)
    assert (tmp_path / "a.svg").read_text().count("<path") > 50


def test_all_kinds_of_parts_can_be_drawn():
    parts = [
        st.Part("rod", st.Rod(0.3), mass=1.0),
        st.Part("motor", body=st.MassProperties(1.0, (0.1, 0, 0), [1e-3] * 3)),
        st.Part("plate", st.Plate(0.2, 0.1), mass=1.0),
        st.Part("bend", st.Torus(0.1, 0.02, 2.0), density=1000),
    ]
    figure = draw(st.Assembly("mix", parts), resolution=8)
    labels = [t.get_text() for t in figure.axes[0].get_legend().get_texts()]
    assert "motor (no shape)" in labels and "rod" in labels


def test_the_ellipsoid_has_the_mass_and_tensor_of_the_body():
    body = st.Box(0.3, 0.2, 0.1).with_mass(2.0).moved(st.Pose.from_rpy((1, 2, 3), (0.3, 0.4, 0.5)))
    semi, axes = inertia_ellipsoid(body)
    same = st.Ellipsoid(*semi).with_mass(2.0).moved(st.Pose(axes, body.com))
    assert np.allclose(same.inertia, body.inertia, rtol=1e-12)
    assert math.isclose(inertia_ellipsoid(st.Sphere(0.1).with_mass(1.0))[0][0], 0.1)


def test_symbols_cannot_be_drawn():
    w = sp.Symbol("w", positive=True)
    with pytest.raises(st.SteinerError, match="needs numbers"):
        draw(st.Assembly("a", [st.Part("p", st.Box(w, w, w), mass=1.0)]))


@pytest.mark.parametrize("name", ["decks_link", "nm7mar_links"])
def test_the_examples_run(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "kg m²" in printed and "balance of link" in printed
