"""The one door for files: what is chosen by ending, content and name; options; and what cannot be read or written."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.doors import opened
from steiner.errors import FormatError, ModelWarning, SteinerError
from steiner.files import FORMATS, load, loads, save
from steiner.files.load import HOLDS, Format, keys
from steiner.robots import GALLERY

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# what a format can read, in its own words; a new format adds its line
EXAMPLE = {
    "mjcf": '<mujoco model="arm"><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>',
    "urdf": '<robot name="arm"><link name="base"/></robot>',
    "sdf": '<sdf version="1.9"><model name="arm"><static>true</static><link name="base">'
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link></model></sdf>",
    "robot_yaml": "unit: mm\nrobot: {name: arm, links: [{name: base, parts: [{shape: sphere, radius: 50, mass: 1}]}]}",
    "link_yaml": "unit: mm\nlink: {name: arm, parts: [{shape: sphere, radius: 50, density: 1000}]}",
    "dh_csv": f"# name: arm\n# convention: standard\na [m],alpha [rad],mass,{','.join(TENSOR)}\n1,0,2,1,0,0,1,0,1\n",
    "poe_csv": f"# name: arm\nwx,wy,wz,vx [m],mass,{','.join(TENSOR)}\n0,0,1,0,2,1,0,0,1,0,1\n",
    "dh_yaml": "dh:\n  name: arm\n  convention: modified\n  rows: [{a: 1 m, mass: 2, ixx: 1, iyy: 1, izz: 1}]\n",
    "poe_yaml": "poe:\n  name: arm\n  rows: [{wz: 1, mass: 2, ixx: 1, iyy: 1, izz: 1}]\n",
    "modern_robotics": f'{{"name": "arm", "Mlist": [{np.eye(4).tolist()}], "Glist": [{np.eye(6).tolist()}], '
    '"Slist": [[0], [0], [1], [0], [0], [0]]}',
    "matlab": None,  # only written
}
BODY = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))


@pytest.mark.parametrize("key", [key for key, form in FORMATS.items() if not form.by_path])
@pytest.mark.filterwarnings("ignore:.*has no moving joint")
def test_every_format_says_what_it_is_and_reads_what_it_holds(key, tmp_path):
    form = FORMATS[key]
    assert form.title and all(re.fullmatch(r"\.[a-z0-9]+", s) for s in form.suffixes)
    if EXAMPLE[key] is None:
        assert form.read is None and form.write
        return
    assert form.sniff(EXAMPLE[key].encode())
    for suffix in form.suffixes:
        (tmp_path / f"arm{suffix}").write_text(EXAMPLE[key])
        model = load(tmp_path / f"arm{suffix}")
        assert isinstance(model, opened(HOLDS[form.holds])) and model.name == "arm"
    assert isinstance(loads(EXAMPLE[key], format=key), opened(HOLDS[form.holds]))
    assert isinstance(loads(EXAMPLE[key], format=form.suffixes[0][1:]), opened(HOLDS[form.holds]))


@pytest.mark.parametrize(
    "key", [key for key, form in FORMATS.items() if form.read and form.write and form.holds == "robot"]
)
def test_every_format_that_writes_robots_reads_them_back(key):
    arm = st.load("gallery:ur5")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # MJCF has no limits of speed
        again = loads(opened(FORMATS[key].write)(arm), format=key)
    assert again.joint_names == arm.joint_names
    state = np.random.default_rng(1).normal(size=(3, 6))
    np.testing.assert_allclose(again.inverse_dynamics(*state), arm.inverse_dynamics(*state), rtol=1e-12)


def test_rows_lead_into_the_room_and_nothing_is_imported_before_it_is_used():
    for form in FORMATS.values():
        doors = filter(None, (form.read, form.write, form.losses))
        assert all(door.startswith("files.") for door in doors)


def test_content_decides_between_formats_of_one_ending(monkeypatch, tmp_path):
    """What `link: upper` says further in must not make a link of a robot."""
    robot = Format("YAML of a robot", (".yaml",), "robot", "files.urdf:read", sniff=keys("robot"))
    monkeypatch.setitem(FORMATS, "robot_yaml", robot)
    for text in ("unit: mm\nrobot:\n  payloads:\n    - name: tool\n      link: upper\n", '{\n  "robot": {}}'):
        with pytest.raises(FormatError, match="not well-formed XML"):
            loads(text, format="yaml")
    assert loads(EXAMPLE["link_yaml"], format="yaml").name == "arm"
    monkeypatch.undo()
    with pytest.raises(FormatError, match="expected keys such as"):
        loads("", format="yaml")


# ---- names -----------------------------------------------------------------------------------


def test_W4_a_bare_name_of_the_gallery_will_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load("panda").provenance["source"] == "gallery:panda"
    Path("panda").mkdir()  # a folder of that name is no file
    assert load("panda").n == load("gallery:panda").n
    Path("rr").write_text("not a robot")
    with pytest.raises(FormatError, match="rr: a file that ends in 'nothing' has no known format"):
        load("rr")
    assert load("gallery:rr").n == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.urdf", ["missing.urdf", "no such file", "in that folder: loop.urdf, other.urdf"]),
        ("nowhere/arm.urdf", ["no such file", "there is no folder nowhere"]),
        ("pumma560", ["pumma560: no such file", "did you mean 'puma560'"]),
        (".", ["format"]),
        ("arm.docx", [".docx", ".urdf", ".yaml"]),
        ("gallery:pumma560", ["did you mean 'puma560'"]),
        ("loop.urdf", ["loop.urdf is a symbolic link that leads nowhere, or to itself"]),
        ("zero.urdf", ["not a regular file"]),
        ("a" * 5000 + ".urdf", ["cannot be read", "too long"]),
        (3, ["expected the path of a file", "3"]),
        (None, ["expected the path of a file"]),
    ],
)
@pytest.mark.parametrize("read", [load, st.check])
def test_R7_a_source_that_is_none_says_so(read, name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("other.urdf").write_text("")
    Path("loop.urdf").symlink_to("loop.urdf")
    Path("zero.urdf").symlink_to("/dev/zero")
    if read is st.check and not isinstance(name, str):
        words = ["expected a file"]
    with pytest.raises(SteinerError) as caught:
        read(name)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 1000


# ---- options ---------------------------------------------------------------------------------


def test_a_unit_is_taken_where_it_has_a_meaning(tmp_path):
    file = tmp_path / "ball.yaml"
    file.write_text("part: {shape: sphere, radius: 50, mass: 1}")
    assert load(file, unit="mm").volume == pytest.approx(4 / 3 * np.pi * 0.05**3)
    with pytest.raises(FormatError, match=r"unit='mm' has no meaning for URDF.*; it takes package_dirs=, mimic"):
        loads(EXAMPLE["urdf"], format="urdf", unit="mm")
    with pytest.raises(FormatError, match="mimic='coupled' has no meaning for YAML of a link"):
        load(file, mimic="coupled")
    with pytest.raises(FormatError, match="no format named 'urdff'; did you mean 'urdf'"):
        loads("", format="urdff")
    with pytest.raises(SteinerError, match="expected a text, got a PosixPath; a file is for load"):
        loads(file, format="yaml")


@pytest.mark.filterwarnings("ignore:.*has no moving joint")
def test_folders_of_meshes_are_kept(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(EXAMPLE["urdf"])
    assert load(file, package_dirs=[tmp_path]).provenance["package_dirs"] == (str(tmp_path),)
    assert load(file).provenance == {"source": str(file), "format": "urdf"}


# ---- saving ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "name", "says"),
    [
        (BODY, "a.urdf", r"MassProperties cannot be written as URDF.*; no format holds that; what can be saved: .xml"),
        (st.Box(1, 1, 1), "a.yaml", "Box cannot be written as YAML of a robot.* or YAML of a link"),
        (None, "a.urdf", "NoneType cannot be written"),
        (st.Assembly("arm", [st.Part("p", body=BODY)]), "a.urdf", "Assembly cannot be written as URDF"),
        ("rr", "a.stl", "Robot cannot be written as a triangle mesh"),
        ("rr", "a.docx", "'.docx' has no known format"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_with_those_that_can(model, name, says, tmp_path):
    thing = load(model) if isinstance(model, str) and model in GALLERY else model
    with pytest.raises(FormatError, match=says):
        save(thing, tmp_path / name)
    assert not list(tmp_path.iterdir())
