"""`steiner inertia` on mesh files and folders of them."""

from __future__ import annotations

import json
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

import steiner as st
from mesh_files import glb
from meshes import binary_stl, box, torus, turned


class Result(NamedTuple):
    """What the program gave."""

    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(steiner):
    return lambda *words: Result(*steiner(*words))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a_box.stl").write_bytes(binary_stl(*box((100.0, 70.0, 40.0))))
    (tmp_path / "b_torus.stl").write_bytes(binary_stl(*turned(torus(20, 10))))
    return tmp_path


def test_a_mesh_has_a_budget_a_method_and_a_grade(folder, run):
    result = run("inertia", str(folder / "a_box.stl"), "--unit", "mm", "--density", "1000")
    assert result.exit_code == 0 and "0.28 kg" in result.stdout
    assert "mesh: 12 triangles, 0.00028 m³, method exact, grade A" in result.stdout
    data = json.loads(run("inertia", str(folder / "a_box.stl"), "--unit", "mm", "--mass", "2", "--json").stdout)
    assert data["mesh"]["grade"] == "A" and data["mesh"]["triangles"] == 12


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--density", "1000"], "carries no unit"),
        (["--unit", "mm"], "give --density, --material or --mass"),
        (["--unit", "furlong", "--density", "1"], "no unit of length"),
        (["--unit", "mm", "--density", "1", "--policy", "guess"], "policy"),
        (["--unit", "mm", "--density", "1", "--mass", "1"], "both given"),
    ],
)
def test_what_is_missing_is_said(folder, run, options, says):
    result = run("inertia", str(folder / "a_box.stl"), *options)
    assert result.exit_code == 2 and says in result.stderr


def test_a_folder_of_meshes_is_a_table_and_a_refused_one_shows(folder, run):
    result = run("inertia", str(folder), "--unit", "mm", "--material", "steel")
    assert result.exit_code == 0 and "a_box.stl" in result.stdout and "all 400 faces point inward" in result.stderr
    (folder / "c_cut.stl").write_bytes(binary_stl(*box())[:-20])
    result = run("inertia", str(folder), "--unit", "mm", "--material", "steel")
    assert result.exit_code == 1 and "refused" in result.stdout and "cut short" in result.stdout
    rows = json.loads(run("inertia", str(folder), "--unit", "mm", "--material", "steel", "--json").stdout)["parts"]
    assert [("error" in row) for row in rows] == [False, False, True]


def test_a_centre_at_the_origin_is_read_as_zero_and_kept_for_programs(tmp_path, run):
    (tmp_path / "ball.stl").write_bytes(binary_stl(*st.Sphere(500).mesh(64)))
    matter = ["--unit", "mm", "--material", "steel"]
    (row,) = json.loads(run("inertia", str(tmp_path), *matter, "--json").stdout)["parts"]
    assert any(row["com_m"]) and max(map(abs, row["com_m"])) < 1e-14  # what summing 4000 faces leaves
    for path in (tmp_path, tmp_path / "ball.stl"):
        assert "(0, 0, 0)" in run("inertia", str(path), *matter).stdout


def test_pictures_and_urdf_come_from_meshes_too(folder, run):
    assert "<inertial>" in run("inertia", str(folder / "a_box.stl"), "--unit", "mm", "--mass", "1", "--urdf").stdout
    picture = folder / "box.svg"
    result = run("inertia", str(folder / "a_box.stl"), "--unit", "mm", "--mass", "1", "--picture", str(picture))
    assert result.exit_code == 0 and picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("file", "options", "says"),
    [
        ("a_box.stl", ["--unit", "mm", "--density", "1", "--json", "--urdf"], "one of them at a time"),
        ("a_box.stl", ["--unit", "mm", "--density", "1", "--link", "arm"], "--link does not fit here"),
        ("a_box.stl", ["--unit", "mm", "--density", "1", "--materials", "m.csv"], "--materials does not fit here"),
        ("a_box.stl", ["--unit", "mm", "--density", "1", "--derivation", "a.html"], "--derivation does not fit here"),
        ("a.step", ["--unit", "mm", "--density", "1"], "a STEP file says its own"),
        ("a.step", ["--policy", "hull", "--density", "1"], "--policy does not fit here: it is for meshes"),
        (".", ["--unit", "mm", "--density", "1", "--picture", "a.png"], "--picture does not fit here"),
        (".", ["--unit", "mm", "--density", "1", "--about", "joint"], "--about does not fit here"),
    ],
)
def test_options_that_would_be_left_aside_are_told(folder, run, file, options, says):
    result = run("inertia", str(folder / file), *options)
    assert result.exit_code == 2 and says in result.stderr and not result.stdout


def test_a_folder_is_links_of_a_urdf(folder, run):
    (folder / "c_cut.stl").write_bytes(binary_stl(*box())[:-20])
    result = run("inertia", str(folder), "--unit", "mm", "--density", "1000", "--urdf")
    assert result.exit_code == 1 and "c_cut.stl" in result.stderr and "c_cut" not in result.stdout
    root = ElementTree.fromstring(f"<robot>{result.stdout}</robot>")
    masses = {link.get("name"): float(link.find("inertial/mass").get("value")) for link in root.iter("link")}
    assert masses == {"a_box": pytest.approx(0.28), "b_torus": pytest.approx(masses["b_torus"])}


def test_a_unit_that_changes_nothing_is_told(folder, run):
    (folder / "a.glb").write_bytes(glb(*box()))
    result = run("inertia", str(folder / "a.glb"), "--unit", "mm", "--density", "1000")
    assert result.exit_code == 0 and "glTF is in metres, so unit='mm' changes nothing" in result.stderr
    assert "changes nothing" not in run("inertia", str(folder / "a.glb"), "--density", "1000").stderr
