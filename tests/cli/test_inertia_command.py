"""`steiner inertia` from outside."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import steiner as st


def steiner(*arguments):
    return subprocess.run([sys.executable, "-m", "steiner", *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def link(root):
    return root / "examples" / "decks_link.yaml"


def test_inertia_prints_the_budget(link):
    done = steiner("inertia", link)
    assert done.returncode == 0
    assert "mass g" in done.stdout and "aluminium" in done.stdout and "kg m²" in done.stdout
    assert "7796.6" in done.stdout and "-200.0, 0.0, 0.0" in done.stdout and "1740, 1757" in done.stdout


def test_W13_the_table_fits_the_terminal(link, monkeypatch):
    for columns in (72, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, steiner("inertia", link).stdout.splitlines())) <= columns


def test_tensors_about_the_joint(tmp_path):
    """A ball of 1 kg and r = 0.1 m, one metre from the joint: 2/5 m r² + m d²."""
    file = tmp_path / "ball.yaml"
    ball = "{name: ball, shape: sphere, radius: 0.1, mass: 1, xyz: [1, 0, 0]}"
    file.write_text(f"unit: m\nlink: {{name: l, parts: [{ball}]}}")
    text = steiner("inertia", file, "--about", "joint").stdout
    whole = [line.split() for line in text.splitlines()[-3:]]
    assert "about the origin of its frame" in text and [whole[k][k] for k in range(3)] == ["0.004", "1.004", "1.004"]
    table = json.loads(steiner("inertia", file, "--about", "joint", "--json").stdout)
    moments = [table["rows"][1]["inertia_kg_m2"][k][k] for k in range(3)]
    assert moments == pytest.approx([0.004, 1.004, 1.004], rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*no moving joint")
def test_the_element_of_a_urdf_reads_back(link):
    text = steiner("inertia", link, "--urdf").stdout
    robot = st.loads(f'<robot name="r"><link name="l">{text}</link></robot>', format="urdf")
    body = st.load(link).mass_properties
    assert np.allclose(robot.links[0].body.inertia, body.inertia, rtol=1e-15, atol=1e-17)
    assert robot.links[0].body.mass == body.mass


@pytest.mark.heavy
def test_picture_and_derivation_are_written_and_nothing_is_replaced(link, tmp_path):
    picture, page = tmp_path / "link.svg", tmp_path / "link.html"
    done = steiner("inertia", link, "--picture", picture, "--derivation", page)
    assert done.returncode == 0 and picture.read_text().startswith("<svg") and "<math" in page.read_text()
    again = steiner("inertia", link, "--picture", picture)
    assert again.returncode == 2 and "exists" in again.stderr
    assert steiner("inertia", link, "--derivation", tmp_path / "x.doc").returncode == 2


def test_inertia_for_programs(link):
    records = json.loads(steiner("inertia", link, "--json").stdout)
    assert json.dumps(records).count("mass") >= 3
    weighed = json.loads(steiner("inertia", link, "--json", "--mass", "9.0").stdout)
    assert weighed != records


def test_what_the_file_leaves_open_is_filled_in_and_overlaps_are_told(tmp_path):
    file = tmp_path / "block.yaml"
    file.write_text(
        "link: {parts: [{shape: box, size: [10, 20, 30]}, {shape: box, size: [10, 20, 30], xyz: [5, 0, 0]}]}"
    )
    text = steiner("inertia", file, "--unit", "mm", "--material", "steel").stdout
    assert "inertia of block about its centre of mass, kg m²" in text and "overlap: block/box1 and block/box2" in text
    table = json.loads(steiner("inertia", file, "--unit", "mm", "--density", 1000, "--json").stdout)
    assert table["mass_kg"] == pytest.approx(0.012)
    (found,) = table["findings"]
    assert found["code"] == "overlap" and found["parts"] == ["block/box1", "block/box2"] and found["depth_m"] > 0


def test_bad_input_is_one_message_and_exit_code_2(link, tmp_path):
    broken = tmp_path / "link.yaml"
    broken.write_text(link.read_text().replace("aluminium", "unobtainium", 1))
    for arguments, word in (
        (("inertia", tmp_path / "absent.yaml"), "no such file"),
        (("inertia", broken), "unobtainium"),
        (("inertia", link, "--density", "nan"), "nan"),
        (("inertia", link, "--about", "moon"), "moon"),
    ):
        done = steiner(*arguments)
        assert done.returncode == 2, done
        assert word in done.stderr and "Traceback" not in done.stderr
        assert done.stdout == ""


def test_a_link_of_a_robot_is_chosen_by_name(root):
    arm = root / "examples" / "desk_arm.yaml"
    done = steiner("inertia", arm, "--link", "fore", "--json")
    body = st.load(arm).link("fore").body
    assert done.returncode == 0 and json.loads(done.stdout)["rows"][0]["mass_kg"] == pytest.approx(body.mass, rel=1e-12)
    refused = {
        "--urdf is for one link": ("--urdf",),
        "name one of its links": ("--material", "steel"),
        "no link named 'wrist'": ("--link", "wrist"),
        "--density is for parts that state none": ("--link", "fore", "--density", "7850"),
    }
    for told, options in refused.items():
        done = steiner("inertia", arm, *options)
        assert done.returncode == 2 and told in done.stderr and not done.stdout
    assert "holds no robot" in steiner("inertia", root / "examples" / "decks_link.yaml", "--link", "fore").stderr


def test_a_robot_is_a_table_of_its_links_each_in_its_own_frame(root, monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    file = root / "examples" / "desk_arm.yaml"
    arm = st.load(file)
    text = steiner("inertia", file).stdout
    assert "share %" in text and f"{arm.total_mass:.6g} kg" in text and max(map(len, text.splitlines())) <= 90
    for about in ("link", "joint"):
        rows = json.loads(steiner("inertia", file, "--about", about, "--json").stdout)["links"]
        assert [row["name"] for row in rows] == list(arm.link_names)
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        for row, link in zip(rows, arm.links, strict=True):
            tensor = link.body.inertia if about == "link" else link.body.inertia_about((0, 0, 0))
            np.testing.assert_allclose(row["inertia_kg_m2"], tensor, rtol=1e-12, atol=1e-15)
            np.testing.assert_allclose(row["com_m"], link.body.com, rtol=1e-12, atol=1e-15)
    assert "forearm_link" in steiner("inertia", "ur5").stdout
