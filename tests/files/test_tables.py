"""Arms as DH tables and tables of screws, CSV and YAML; the lists of Modern Robotics; MATLAB scripts."""

from __future__ import annotations

import ast
import json
import re
from textwrap import dedent

import numpy as np
import pytest

import steiner as st
from steiner.errors import FormatError
from steiner.files import load, loads, save
from steiner.files.load import rendered
from steiner.model.joints import Fixed, Helical, JointLimits, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from tests.comparing import apart
from tests.random_robots import random_robot

TABLES = ("dh_csv", "dh_yaml", "poe_csv", "poe_yaml", "modern_robotics")
PLAIN = (Revolute, Prismatic)

RR = """\
# A planar arm of two links: x along the links, y up
# name: planar arm
# convention: standard
# gravity: 0 -9.81 0
joint,type,theta [deg],d [mm],a [mm],alpha [deg],mass [kg],cx [mm],izz [kg cm^2],lower [deg],upper [deg]
shoulder,revolute,0,0,300,0,2,-150,150,-90,90
elbow,revolute,90,0,200,0,1,-100,33,,
"""


def planar() -> Robot:
    bodies = [st.MassProperties(m, (c, 0, 0), np.diag([0, 0, i])) for m, c, i in ((2, -0.15, 0.015), (1, -0.1, 0.0033))]
    rows = [st.DH(a=0.3, body=bodies[0]), st.DH(theta=np.pi / 2, a=0.2, body=bodies[1])]
    return Robot.from_dh(rows, gravity=(0, -9.81, 0))


@pytest.mark.filterwarnings("ignore:.*no body has")
def test_a_dh_table_reads_as_it_is_printed(tmp_path):
    (tmp_path / "rr.csv").write_text(RR)
    arm = load(tmp_path / "rr.csv")
    assert (arm.name, arm.joint_names, arm.link_names) == ("planar arm", ("shoulder", "elbow"), ("link1", "link2"))
    assert arm.joint("shoulder").limits == pytest.approx(JointLimits(-np.pi / 2, np.pi / 2, None, None))
    assert arm.joint("elbow").limits is None
    assert apart(planar(), arm) < 1e-15
    text = """
    unit: mm
    angle: deg
    dh:
      name: planar arm
      convention: standard
      gravity: [0, -9.81, 0]
      rows:
        - {joint: shoulder, a: 300, mass: 2, cx: -150, izz: 150 kg cm^2}
        - {joint: elbow, theta: 90, a: 0.2 m, mass: 1000 g, cx: -10 cm, izz: 33 kg cm^2}
    """
    assert apart(planar(), loads(dedent(text), format="yaml")) < 1e-15


@pytest.mark.filterwarnings("ignore:.*no body has")
def test_a_table_of_screws_reads_as_it_is_printed():
    text = """\
# name: planar arm
# gravity: 0 -9.81 0
joint,wx,wy,wz,vx [m],vy [m],vz [m],x [mm],y [mm],z [mm],roll,pitch,yaw [deg],mass,cx [mm],izz [kg cm^2]
shoulder,0,0,1,0,0,0,300,0,0,0,0,0,2,-150,150
elbow,0,0,1,0,-0.3,0,300,200,0,0,0,90,1,-100,33
"""
    arm = loads(text, format="csv")
    assert arm.joint_names == ("shoulder", "elbow") and apart(planar(), arm) < 1e-15


@pytest.mark.parametrize("key", TABLES)
@pytest.mark.parametrize("seed", [0, 3])
def test_random_arms_come_back_as_they_were(key, seed):
    kinds = PLAIN if key.startswith("dh") else (Revolute, Prismatic, Helical)
    drives = key != "modern_robotics"
    robot = random_robot(seed, 4, kinds=kinds, chain=True, rotors=drives, springs=drives)
    again = loads(rendered(robot, key).text, format=key)
    assert again.joint_names == robot.joint_names and again.gravity.tolist() == robot.gravity.tolist()
    assert apart(robot, again, seed) < (1e-12 if key.startswith("dh") else 1e-14)  # DH frames may lie far off
    tips = [np.array(arm.forward_kinematics(np.full(4, 0.3), arm.links[-1].name).matrix) for arm in (robot, again)]
    np.testing.assert_allclose(*tips, atol=1e-13)


@pytest.mark.parametrize("key", TABLES[:4])
def test_drives_and_limits_are_kept(key):
    body = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    turning = Revolute(name="a", limits=JointLimits(-1.0, 2.0, 3.0, 4.0), friction=st.Viscous(0.5), armature=0.25)
    sliding = Prismatic(name="b", limits=JointLimits(0.0, 0.5), friction=st.Viscous(0.5) + st.Coulomb(2.0))
    arm = Robot("arm", (Link("k", joint=turning, body=body),
                        Link("l, m", "k", sliding, st.Pose.from_rpy((1, 0, 0), (0, 1, 0)), body)))  # fmt: skip
    again = loads(rendered(arm, key).text, format=key)
    assert again.link_names[:2] == ("k", "l, m")
    for name in ("a", "b"):
        old, new = arm.joint(name), again.joint(name)
        assert (new.limits, new.friction, new.armature) == (old.limits, old.friction, old.armature)


REFUSED = {
    "no convention": (RR.replace("# convention: standard\n", ""), "convention: not stated; say `convention: standard`"),
    "no unit": (RR.replace("a [mm]", "a"), "rr.csv:6: a: 300 has no unit; say it: d \\[mm\\], or here: 300 mm"),
    "no angle unit": (RR.replace("theta [deg]", "theta"), "rr.csv:7: theta: 90 has no unit"),
    "odd unit": (RR.replace("a [mm]", "a [furlong]"), "rr.csv:5: a: 'furlong' is no unit"),
    "odd column": (RR.replace(",mass", ",weight"), "no column named 'weight'"),
    "twice": (RR.replace(",mass", ",type"), "a second column 'type'"),
    "short row": (RR.replace(",33,,", ""), "rr.csv:7: 8 cells; the first line names 11 columns"),
    "nan": (RR.replace("300,0,2", "300,0,nan"), "rr.csv:6: mass"),
    "negative": (RR.replace("300,0,2", "300,0,-2"), "rr.csv:6: mass -2.0 kg is negative"),
    "type": (RR.replace("elbow,revolute", "elbow,hinge"), "rr.csv:7: type: 'hinge'"),
    "no rows": (RR.partition("shoulder")[0], "no rows"),
    "gravity": (RR.replace("0 -9.81 0", "0 -9.81"), "gravity: 0 -9.81 has 2 numbers; expected 3"),
    "same names": (RR.replace("elbow", "shoulder"), "two joints are named 'shoulder'"),
    "limits": (RR.replace("-90,90", "90,-90"), "lower limit"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_table_cannot_mean_is_refused_with_its_line(case, tmp_path):
    text, words = REFUSED[case]
    (tmp_path / "rr.csv").write_text(text)
    with pytest.raises(FormatError, match=words):
        load(tmp_path / "rr.csv")


def test_trees_helices_and_followers_are_refused_and_losses_said():
    with pytest.raises(st.SteinerError, match="branches"):
        rendered(random_robot(0, 6), "dh_csv")
    with pytest.raises(st.SteinerError, match="not a plain revolute"):
        rendered(random_robot(0, 3, kinds=(Helical,), chain=True), "dh_yaml")
    arm = random_robot(1, 3, chain=True, friction=True)
    said = " · ".join(rendered(arm, "modern_robotics").losses)
    for words in ("rotor inertia", "friction of joint", "as a link of its own", "'load0' is a payload"):
        assert words in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ":1: is not JSON"),
        ("[]", "expected an object with Mlist"),
        ('{"Mlist": [], "Glist": [], "Slist": [[NaN]]}', "not a finite number"),
        ('{"Mlist": [], "Glist": [], "Slist": [["a"]]}', "Slist: expected lists of numbers"),
        ('{"Mlist": [], "Glist": [], "Slist": [], "more": 1}', "no key named 'more'"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ('{"Mlist": [], "Glist": [], "Slist": [[0], [0], [1], [0], [0], [0]]}', "1 screws need"),
    ],
)
def test_lists_that_are_none_are_refused(text, words):
    with pytest.raises(FormatError, match=words):
        loads(text, format="modern_robotics")


@pytest.mark.filterwarnings("ignore:.*no body has")
def test_the_lists_are_those_of_the_book():
    data = json.loads(rendered(planar(), "modern_robotics").text)
    assert np.array(data["Slist"])[:, 1].tolist() == [0, 0, 1, 0, -0.3, 0]
    np.testing.assert_allclose(np.array(data["Mlist"][0])[:3, 3], (0.15, 0, 0), atol=1e-15)
    np.testing.assert_allclose(np.diag(data["Glist"][0]), (0, 0, 0.015, 2, 2, 2), atol=1e-15)


# ---- MATLAB ----------------------------------------------------------------------------------------------


def matrix(text: str) -> np.ndarray:
    """A MATLAB matrix: rows by ; and numbers by spaces."""
    rows = [[float(word) for word in row.split()] for row in text.strip("[]").split(";")]
    return np.array(rows) if len(rows) > 1 else np.array(rows[0])


def run(script: str) -> Robot:
    """What the script builds, by the toolbox's own meanings: tensors about the body's origin, [xx yy zz yz xz xy]."""
    links, body, joint, gravity = [], {}, {}, None
    string = r"('(?:[^']|'')*')"

    def plain(quoted: str) -> str:
        return ast.literal_eval(quoted.replace("\\", "\\\\").replace("''", "\\'"))

    for line in filter(None, script.splitlines()):
        if found := re.fullmatch(r"robot\.Gravity = (.*);", line):
            gravity = matrix(found[1])
        elif found := re.fullmatch(rf"body = rigidBody\({string}\);", line):
            body = {"name": plain(found[1]), "Mass": 1.0, "CenterOfMass": np.zeros(3), "Inertia": np.ones(6)}
        elif found := re.fullmatch(r"body\.(Mass|CenterOfMass|Inertia) = (.*);", line):
            body[found[1]] = matrix(found[2]) if "[" in found[2] else float(found[2])
        elif found := re.fullmatch(rf"joint = rigidBodyJoint\({string}, '(\w+)'\);", line):
            joint = {"name": plain(found[1]), "kind": found[2], "axis": (0, 0, 1)}
        elif found := re.fullmatch(r"setFixedTransform\(joint, (\[.*\])\);", line):
            joint["T"] = st.Pose.from_matrix(matrix(found[1]))
        elif found := re.fullmatch(r"joint\.JointAxis = (.*);", line):
            joint["axis"] = matrix(found[1])
        elif found := re.fullmatch(rf"addBody\(robot, body, (robot\.BaseName|{string})\);", line):
            parent = None if found[1] == "robot.BaseName" else plain(found[1])
            xx, yy, zz, yz, xz, xy = body["Inertia"]
            tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            about = {"about": "origin"} if body["Mass"] else {}
            kind = {"fixed": Fixed, "revolute": Revolute, "prismatic": Prismatic}[joint["kind"]]
            made = kind(name=joint["name"], axis=joint["axis"])
            mass = st.MassProperties(body["Mass"], body["CenterOfMass"], tensor, **about)
            links.append(Link(body["name"], parent, made, joint["T"], mass))
        else:
            assert line.startswith(("%", "robot = rigidBodyTree", "joint.PositionLimits", "body.Joint = joint;")), line
    return Robot("read", tuple(links), gravity)


@pytest.mark.parametrize("seed", range(3))
def test_a_matlab_script_builds_the_same_robot(seed):
    robot = random_robot(seed, 4, kinds=PLAIN, rotors=False)
    again = run(rendered(robot, "matlab").text)
    assert again.joint_names == robot.joint_names and apart(robot, again, seed) < 1e-13


def test_names_and_limits_in_a_matlab_script(tmp_path):
    body = st.MassProperties(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    arm = Robot("a\n'b", (Link("it's", joint=Revolute(name="j'k", limits=JointLimits(None, 1.0)), body=body),))
    text = save(arm, tmp_path / "arm.m").read_text()
    assert "rigidBody('it''s')" in text and "joint.PositionLimits = [-Inf 1];" in text
    assert run(text).joint_names == ("j'k",)
    with pytest.raises(FormatError, match="is written and not read"):
        load(tmp_path / "arm.m")
    for joint, words in ((Helical(name="h", pitch=0.1), "is a Helical"), (Revolute(name="m", offset=1.0), "scales")):
        with pytest.raises(FormatError, match=words):
            rendered(Robot("arm", (Link("k", joint=joint, body=body),)), "matlab")


