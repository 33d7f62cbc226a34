"""Mended files: one element changes and nothing else, the numbers are those of the theory, the original stays."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import steiner as st
from steiner.review.texts import Inertial, UrdfText

ARM = """<?xml version="1.0"?>
<!-- an arm;   with "odd"   spaces -->
<robot name="arm">
\t<link name='base'/>
  <link name="upper" >
    <inertial>  <!-- measured -->
      <origin   xyz = '0.1 0 0.2'  rpy="0 0 0.3"/>
      <mass value='2.0'   />
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.02" iyz="0.00" izz = "0.05"/>
    </inertial>
  </link>
  <link name="tool"><inertial><mass value="500"/><inertia ixx="1e3" ixy="0" ixz="0" iyy="1.5e3" iyz="0" izz="2e3"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/> <axis xyz="0 1 0"/> <limit lower="-1" upper="1" effort="9" velocity="2"/>
  </joint>
  <joint name="wrist" type="continuous"><parent link="upper"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
</robot>
<!-- Ende: äöü -->
"""  # noqa: E501
INERTIAL = re.compile(r'(<link name="upper" >).*?(</link>)', re.DOTALL)
SLOTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM.replace("\n", "\r\n").encode())
    return path


def quiet(path) -> st.Robot:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", st.ModelWarning)
        return st.load(path)


def tensor(path, link: str = "upper") -> np.ndarray:
    said = UrdfText(str(path), path.read_bytes()).inertial(link)
    assert said is not None
    return said.tensor


def test_nothing_changes_but_the_named_element(arm):
    before = arm.read_bytes()
    done = st.fix(arm, link="upper", nearest_physical=True)
    assert arm.read_bytes() == before and done.path == arm.with_suffix(".fixed.urdf")
    after = done.path.read_bytes()
    outside = [INERTIAL.sub(r"\1\2", text.decode()) for text in (before, after)]
    assert outside[0] == outside[1] and after != before
    changed = [(a, b) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b]
    assert len(changed) == 1 and b"izz = \"" in changed[0][1] and b"<!-- measured -->" in after
    lines = done.diff.splitlines()[2:]  # behind the names of both files
    assert [line[0] for line in lines if line[0] in "+-"] == ["-", "+"]


def test_the_nearest_tensor_is_that_of_the_theory(arm):
    done = st.fix(arm, link="upper", nearest_physical=True)
    near, distance = st.MassProperties(2.0, (0, 0, 0), tensor(arm)).nearest_physical()
    assert distance > 0 and np.allclose(tensor(done.path), near.inertia, rtol=1e-11, atol=1e-15)
    assert "link 'upper'" in done.changes[0]
    body = quiet(done.path).link("upper").body
    assert body.is_physical(1e-9)


def test_without_a_link_all_impossible_ones_are_mended(arm):
    done = st.fix(arm, nearest_physical=True)
    assert len(done.changes) == 1 and "upper" in done.changes[0]
    with pytest.raises(st.SteinerError, match="nothing to mend"):
        st.fix(done.path, nearest_physical=True)


def test_the_effect_is_told_for_M_and_g(arm):
    done = st.fix(arm, link="upper", unit="g")
    (difference,) = done.effect.links
    assert (difference.link, difference.what, difference.amount) == ("upper", "mass", pytest.approx(0.999))
    effects = {e.term: e for e in done.effect.effects}
    robots = quiet(arm), quiet(done.path)
    g = [robot.gravity_forces(effects["g"].q) for robot in robots]
    k = robots[0].joint_names.index(effects["g"].joint)
    assert abs(g[1] - g[0])[k] == pytest.approx(effects["g"].largest, rel=1e-9) and effects["M"].largest > 0


@pytest.mark.parametrize(
    ("swap", "order"),
    [("ixx,izz", (5, 1, 2, 3, 4, 0)), ("ixx,iyy,izz,ixy,ixz,iyz", (0, 3, 4, 1, 5, 2))],
)
def test_slots_are_exchanged(arm, swap, order):
    done = st.fix(arm, link="upper", swap=swap)
    at = np.triu_indices(3)
    assert np.array_equal(tensor(done.path)[at], tensor(arm)[at][list(order)])


def test_product_signs_are_turned(arm):
    done = st.fix(arm, link="upper", swap="signs")
    assert tensor(done.path)[0, 1] == -0.001 and b'iyz="0.00"' in done.path.read_bytes()


def test_units_are_those_of_tensor_mass_or_centre(arm, tmp_path):
    assert tensor(st.fix(arm, tmp_path / "a.urdf", link="tool", unit="kg·mm²").path, "tool")[0, 0] == 1e-3
    light = UrdfText("", st.fix(arm, tmp_path / "b.urdf", link="tool", unit="g").path.read_bytes()).inertial("tool")
    assert light is not None and light.mass == 0.5
    near = UrdfText("", st.fix(arm, tmp_path / "c.urdf", link="upper", unit="mm").path.read_bytes()).inertial("upper")
    assert near is not None and near.xyz == (0.0001, 0, 0.0002)
    assert np.array_equal(near.R, st.Pose.from_rpy((0, 0, 0), (0, 0, 0.3)).R)


def test_a_tensor_about_the_origin_is_moved_in_the_axes_it_is_given_in(arm, tmp_path):
    pose = st.Pose.from_rpy((0.1, 0, 0.2), (0, 0, 0.3))
    body = st.MassProperties(2.0, (0, 0, 0), (0.02, 0.025, 0.03)).moved(pose)
    about_origin = pose.R.T @ body.inertia_about((0, 0, 0)) @ pose.R  # in the axes of the inertial frame
    text = UrdfText("arm.urdf", arm.read_bytes()).with_inertial(
        "upper", Inertial(2.0, (0.1, 0.0, 0.2), pose.R, about_origin)
    )
    wrong = tmp_path / "wrong.urdf"
    wrong.write_bytes(text.data)
    done = st.fix(wrong, link="upper", about_centre=True)
    assert np.allclose(quiet(done.path).link("upper").body.inertia, body.inertia, rtol=1e-11, atol=1e-13)


# ---- from the geometry -------------------------------------------------------------------------------

BOX = st.Box(0.4, 0.05, 0.05).at(xyz=(0.2, 0, 0))


@pytest.fixture
def shaped(monkeypatch):
    """The file's links with the geometry of a box, whoever reads it."""
    import dataclasses

    from steiner.review import fix as room

    read = room.load

    def load(*args, **options):
        robot = read(*args, **options)
        links = [dataclasses.replace(k, shapes=[BOX]) if k.name in ("upper", "base") else k for k in robot.links]
        return robot.replace(links=links)

    monkeypatch.setattr(room, "load", load)


@pytest.mark.usefixtures("shaped")
@pytest.mark.parametrize(
    ("asked", "mass"), [({"mass": 3.0}, 3.0), ({"density": 2700.0}, 2.7), ({"material": "steel"}, None)]
)
def test_a_body_is_computed_of_the_geometry(arm, asked, mass):
    done = st.fix(arm, link="upper", **asked)
    expected = BOX.of("steel") if mass is None else BOX.with_mass(mass)
    body = quiet(done.path).link("upper").body
    for name in ("mass", "com", "inertia"):
        assert np.allclose(getattr(body, name), getattr(expected, name), rtol=1e-11, atol=1e-16), name


@pytest.mark.usefixtures("shaped")
def test_a_link_without_an_inertial_gets_one(arm):
    done = st.fix(arm, link="base", mass=3.0)
    text = done.path.read_text()
    assert "\t<link name='base'>\n\t  <inertial>\n\t    <origin " in text.replace("\r", "") and "\t</link>" in text
    assert quiet(done.path).link("base").body.mass == 3.0
    assert ARM.partition("<link")[0] == text.replace("\r", "").partition("<link")[0]


def test_a_link_without_geometry_says_so(arm):
    with pytest.raises(st.SteinerError, match="'upper' has no geometry"):
        st.fix(arm, link="upper", mass=3.0)
    assert not arm.with_suffix(".fixed.urdf").exists()


# ---- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"link": "upper"}, "expected one repair"),
        ({"link": "upper", "mass": 1.0, "density": 2.0}, "got mass, density"),
        ({"link": "uper", "unit": "g"}, "did you mean 'upper'"),
        ({"unit": "g"}, "which link"),
        ({"link": "upper", "unit": "furlong"}, "no unit named 'furlong'"),
        ({"link": "upper", "swap": "ixx,ixx"}, "expected two of"),
        ({"link": "upper", "swap": "ixx,wxx"}, "expected two of"),
        ({"link": "upper", "material": "unobtainium"}, "unobtainium"),
        ({"link": "tool", "density": -1.0}, "has no geometry|expected a number > 0"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_no_file(arm, options, words):
    with pytest.raises(st.SteinerError, match=words):
        st.fix(arm, **options)
    assert [path.name for path in arm.parent.iterdir()] == ["arm.urdf"]


def test_a_file_is_never_its_own_successor(arm, tmp_path):
    with pytest.raises(st.SteinerError, match="is the file itself"):
        st.fix(arm, tmp_path / "." / "arm.urdf", link="upper", unit="g", force=True)
    st.fix(arm, link="upper", unit="g")
    with pytest.raises(st.SteinerError, match="exists"):
        st.fix(arm, link="upper", unit="g")
    with pytest.raises(st.SteinerError, match="URDF, SDF and MJCF files are mended"):
        st.fix(tmp_path / "arm.yaml", link="upper", unit="g")


def test_from_the_command_line(arm, monkeypatch, capsys, tmp_path):
    import sys

    from steiner.cli import main

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["steiner", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), "".join(capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    code, out = run("fix", "arm.urdf", "-o", "new.urdf", "--link", "tool", "--unit", "kg*mm^2")
    assert code == 0 and '+  <link name="tool">' in out and "what that does" in out and "written to new.urdf" in out
    code, out = run("fix", "arm.urdf", "-o", "more.urdf", "--link", "tool", "--unit", "g", "--json")
    assert code == 0 and json.loads(out)["effect"]["links"][0]["what"] == "mass"
    assert run("fix", "arm.urdf", "-o", "arm.urdf", "--link", "tool", "--unit", "g")[0] == 2
    code, out = run("compare", "arm.urdf", "new.urdf")
    assert code == 1 and "tensor" in out and "mass matrix" in out
    assert run("compare", "arm.urdf", "arm.urdf")[0] == 0
    assert run("compare", "arm.urdf")[0] == 2


# ---- every format --------------------------------------------------------------------------------------

SDF = """<?xml version="1.0"?>
<sdf version="1.10"><model name="arm">  <!-- odd   spaces -->
  <link name="base"/>
  <link name='upper'>
    <inertial>
      <pose rotation_format="euler_rpy" degrees="true">0.1 0  <!-- x, y --> 0.2 0 0 17</pose>
      <mass> 2.0 <!-- kg --></mass>
      <inertia><ixx>0.02</ixx> <ixy>0.001</ixy><!-- no ixz --><iyy>0.02</iyy><iyz>0</iyz><izz>0.05</izz></inertia>
    </inertial>
    <collision name="c"><pose>0.2 0 0 0 0 0</pose><geometry><box><size>0.4 0.05 0.05</size></box></geometry></collision>
  </link>
  <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="shoulder" type="revolute">
    <parent>base</parent><child>upper</child><axis><xyz>0 1 0</xyz></axis>
  </joint>
</model></sdf>
"""
MJCF = """<mujoco model="arm"> <compiler angle='degree'/>
  <worldbody>
    <body name="base">
      <body name="upper"  >  <!-- odd   spaces -->
        <joint name="shoulder" axis="0 1 0"/>
        <inertial   pos='0.1 0 0.2' euler="0 0 17" mass = "2.0"
                    diaginertia="0.019 0.021 0.05"/>
        <geom type="box" pos="0.2 0 0" size="0.2 0.025 0.025"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
OTHERS = {"arm.sdf": SDF, "arm.xml": MJCF}


@pytest.fixture(params=OTHERS)
def other(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(OTHERS[request.param].replace("\n", "\r\n").encode())
    return path


def inertial(path):
    from steiner.review.texts import text_of

    return text_of(str(path), path.read_bytes()).inertial("upper")


def around(path) -> list[bytes]:
    """The bytes of a file outside of its inertials."""
    return re.split(rb"<inertial\b.*?(?:</inertial>|(?<=\")/>)", path.read_bytes(), flags=re.DOTALL)


def same_body(a, b) -> bool:
    return all(np.allclose(getattr(a, k), getattr(b, k), rtol=1e-11, atol=2e-13) for k in ("mass", "com", "inertia"))


@pytest.mark.filterwarnings("ignore::steiner.ModelWarning")
def test_what_the_text_says_is_what_the_reader_reads(other):
    said, read = inertial(other), quiet(other).link("upper").body
    assert same_body(said.central.moved(st.Pose(said.R, said.xyz)), read) and said.R[0, 1] < -0.2


@pytest.mark.parametrize("what", ["nearest", "mass", "centre", "tensor", "about centre", "signs"])
def test_repairs_mean_the_same_in_every_format(other, what):
    old, body = inertial(other), quiet(other).link("upper").body
    pose = st.Pose(old.R, old.xyz)
    if what == "nearest":
        done = st.fix(other, nearest_physical=True)
        expected = st.MassProperties(2.0, (0, 0, 0), old.tensor).nearest_physical()[0].moved(pose)
        assert done.effect.links[0].what == "tensor"
    elif what == "mass":
        done = st.fix(other, link="upper", unit="g")
        expected = st.MassProperties.trusted(2e-3, body.com, body.inertia)
    elif what == "centre":
        done = st.fix(other, link="upper", unit="mm")
        expected = st.MassProperties.trusted(2.0, body.com * 1e-3, body.inertia)
    elif what == "tensor":
        done = st.fix(other, link="upper", unit="kg*mm^2")
        expected = st.MassProperties.trusted(2.0, body.com, body.inertia * 1e-6)
    elif what == "about centre":
        done = st.fix(other, link="upper", about_centre=True)
        expected = st.MassProperties.trusted(2.0, body.com, 2 * body.inertia - body.inertia_about((0, 0, 0)))
    else:
        done = st.fix(other, link="upper", swap="signs")
        turned = 2 * np.diag(np.diag(old.tensor)) - old.tensor
        expected = st.MassProperties.trusted(2.0, (0, 0, 0), turned).moved(pose)
    assert done.path.name == f"arm.fixed{other.suffix}" and same_body(quiet(done.path).link("upper").body, expected)
    text = done.path.read_text()
    assert all(comment in text for comment in re.findall("<!--.*?-->", other.read_text()))
    assert around(done.path) == around(other) and len(around(other)) == 2


@pytest.mark.parametrize("name", ["upper", "base"])
def test_geometry_weighs_in_every_format(other, name):
    if name == "base":  # it says nothing about its mass, and has the geometry only here
        box = SDF[SDF.index("<collision") : SDF.index("</collision>")] + "</collision>"
        geom = '<geom type="box" pos="0.2 0 0" size="0.2 0.025 0.025"/>'
        text = other.read_text().replace('<link name="base"/>', f'<link name="base">{box}</link>')
        other.write_text(text.replace('<body name="base">', f'<body name="base">{geom}'))
    done = st.fix(other, link=name, mass=3.0)
    assert same_body(quiet(done.path).link(name).body, BOX.with_mass(3.0))
    again = quiet(st.fix(done.path, other.parent / f"again{other.suffix}", link=name, density=2700.0).path)
    assert same_body(again.link(name).body, BOX.with_density(2700.0))


def test_mujoco_reads_the_mended_file_as_we_do(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace('"0.019 0.021 0.05"', '"0.3 0.31 0.35"'))
    done = st.fix(path, link="upper", about_centre=True)
    model, body = mujoco.MjModel.from_xml_path(str(done.path)), quiet(done.path).link("upper").body
    k = model.body("upper").id
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, model.body_iquat[k])
    R = turned.reshape(3, 3)
    assert np.allclose(R @ np.diag(model.body_inertia[k]) @ R.T, body.inertia, rtol=1e-9, atol=1e-12)
    assert np.allclose(model.body_ipos[k], body.com) and abs(body.inertia[0, 2]) > 1e-3


def test_an_mjcf_body_that_is_not_weighed_by_its_inertial_says_so(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace("angle='degree'", "angle='degree' inertiafromgeom='true'"))
    with pytest.raises(st.SteinerError, match=r"arm\.xml:4: body 'upper'.*inertiafromgeom"):
        st.fix(path, link="upper", unit="g")
    bodies = MJCF[MJCF.index("<body") : MJCF.index("</world")]
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{bodies}</mujocoinclude>")
    path.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    with pytest.raises(st.SteinerError, match=r"stands in a file that .*arm\.xml includes"):
        st.fix(path, link="upper", unit="g")
    path.write_text(MJCF.replace('<body name="upper"', "<body"))
    with pytest.raises(st.SteinerError, match=r"no body named 'body1'.* must get one first"):
        st.fix(path, link="body1", unit="g")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["arm.xml", "part.xml"]
