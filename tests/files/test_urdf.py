"""URDF to robots and back: every fault named with file, line and element; nothing guessed."""

from __future__ import annotations

import gc
import pickle
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import steiner as st
from steiner.errors import FormatError, ModelError, ModelWarning
from steiner.files import load, loads, save
from steiner.model.joints import Fixed, Helical, JointLimits, Prismatic, Revolute
from steiner.model.link import Link, Shape, Sketch
from steiner.model.robot import Robot
from steiner.spatial import Pose, rotation_rpy

GOOD_INERTIA = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
LINK = f'<link name="l1"><inertial><mass value="1"/>{GOOD_INERTIA}</inertial></link>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'
JOINT = f'<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/>{LIMIT}</joint>'


def urdf(link: str = LINK, joint: str = JOINT, rest: str = "", base: str = '<link name="base"/>') -> str:
    """Line 1 the robot, 2 the base, 3 the link, 4 the joint, 5 the rest."""
    return f'<robot name="arm">\n{base}\n{link}\n{joint}\n{rest}\n</robot>'


def inertial(mass: str = '<mass value="1"/>', inertia: str = GOOD_INERTIA, origin: str = "") -> str:
    return f'<link name="l1"><inertial>{origin}{mass}{inertia}</inertial></link>'


def read(text: str, **options) -> Robot:
    return loads(text, format="urdf", **options)


def test_a_small_file_is_read_in_full():
    joint = f"""<joint name="j1" type="prismatic"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="base"/>
      <child link="l1"/><axis xyz="0 3 4"/>{LIMIT}<dynamics damping="0.5" friction="0.25"/></joint>"""
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    tensor = '<inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05"/>'
    robot = read(urdf(inertial('<mass value="2.5"/>', tensor, origin), joint))
    assert (robot.name, robot.joint_names, robot.link_names) == ("arm", ("j1",), ("base", "l1"))
    link = robot.link("l1")
    assert isinstance(link.joint, Prismatic)
    np.testing.assert_allclose(link.joint.axis, [0, 0.6, 0.8], rtol=1e-15)
    assert link.joint.limits == JointLimits(-1.0, 1.0, 2.0, 10.0)
    assert link.joint.friction.effort(2.0) == 0.5 * 2 + 0.25
    np.testing.assert_array_equal(link.mount.p, [1, 2, 3])
    np.testing.assert_allclose(link.mount.R, rotation_rpy([0.1, 0.2, 0.3]), atol=1e-15)
    R = rotation_rpy([0.4, 0.5, 0.6])
    own = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, 0.003], [0.002, 0.003, 0.05]])
    assert link.body.mass == 2.5
    np.testing.assert_allclose(link.body.com, [0.1, 0.2, 0.3], rtol=1e-15)
    np.testing.assert_allclose(link.body.inertia, R @ own @ R.T, rtol=1e-14, atol=1e-17)


def test_defaults_are_those_of_urdf():
    robot = read(urdf())
    np.testing.assert_array_equal(robot.link("l1").joint.axis, [1, 0, 0])
    assert robot.link("l1").mount.is_identity
    assert robot.link("l1").joint.friction is None
    np.testing.assert_array_equal(robot.gravity, [0, 0, -9.81])


def test_joint_vectors_are_in_the_order_of_the_file():
    names = ["zeta", "alpha", "mid"]
    links = "".join(inertial().replace("l1", n) for n in names)
    joints = "".join(JOINT.replace("j1", f"j_{n}").replace('"l1"', f'"{n}"') for n in names)
    assert read(urdf(links, joints)).joint_names == ("j_zeta", "j_alpha", "j_mid")


def child(name: str, parent: str, kind: str = "revolute", extra: str = LIMIT) -> str:
    return f'<joint name="j_{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>{extra}</joint>'


LINK2 = LINK.replace("l1", "l2")
REFUSED = {
    # what is wrong: (text, line, what the message must name)
    "nan mass": (urdf(inertial('<mass value="nan"/>')), 3, ["'l1'", "mass", "nan", "finite"]),
    "mass overflows": (urdf(inertial('<mass value="1e999"/>')), 3, ["'l1'", "mass", "finite"]),
    "mass with a unit": (urdf(inertial('<mass value="1.5kg"/>')), 3, ["'l1'", "1.5kg", "unit"]),
    "mass in words": (urdf(inertial('<mass value="1.5 kg"/>')), 3, ["'l1'", "1.5 kg"]),
    "decimal comma": (urdf(inertial('<mass value="1,5"/>')), 3, ["'l1'", "1,5", "write 1.5"]),
    "underscore": (urdf(inertial('<mass value="1_0"/>')), 3, ["1_0"]),
    "arabic digits": (urdf(inertial('<mass value="١"/>')), 3, ["mass"]),
    "empty mass": (urdf(inertial('<mass value=""/>')), 3, ["'l1'", "mass", "empty"]),
    "no mass": (urdf(inertial("")), 3, ["'l1'", "<mass>"]),
    "negative mass": (urdf(inertial('<mass value="-1"/>')), 3, ["'l1'", "negative"]),
    "no inertia": (urdf(inertial(inertia="")), 3, ["'l1'", "<inertia>"]),
    "iyy missing": (urdf(inertial(inertia=GOOD_INERTIA.replace('iyy="0.01"', ""))), 3, ["'l1'", "iyy"]),
    "mass outside": (urdf('<link name="l1"><mass value="1"/></link>'), 3, ["'l1'", "outside <inertial>"]),
    "two inertials": (urdf(LINK.replace("</link>", "<inertial/></link>")), 3, ["'l1'", "second <inertial>"]),
    "nan axis": (urdf(joint=JOINT.replace(LIMIT, '<axis xyz="nan 0 1"/>')), 4, ["'j1'", "axis", "nan"]),
    "zero axis": (urdf(joint=JOINT.replace(LIMIT, '<axis xyz="0 0 0"/>')), 4, ["'j1'", "axis", "direction"]),
    "short axis": (urdf(joint=JOINT.replace(LIMIT, '<axis xyz="0 1"/>')), 4, ["'j1'", "axis", "2 numbers"]),
    "quaternion": (urdf(joint=JOINT.replace(LIMIT, '<origin quat="0 0 0 1"/>')), 4, ["'j1'", "quat"]),
    "infinite origin": (urdf(joint=JOINT.replace(LIMIT, '<origin xyz="inf 0 0"/>')), 4, ["'j1'", "xyz", "inf"]),
    "helical": (urdf(joint=JOINT.replace("revolute", "helical")), 4, ["'j1'", "helical", "prismatic"]),
    "floating": (urdf(joint=JOINT.replace("revolute", "floating")), 4, ["'j1'", "floating", "not supported"]),
    "planar": (urdf(joint=JOINT.replace("revolute", "planar")), 4, ["'j1'", "planar", '<axis xyz="0 0 1"/>']),
    "template": (urdf(inertial(origin='<origin xyz="$(arg x) 0 0"/>')), 3, ["'l1'", "$(arg", "xacro"]),
    "no type": (urdf(joint=JOINT.replace(' type="revolute"', "")), 4, ["'j1'", "type"]),
    "unknown parent": (urdf(joint=JOINT.replace('"base"', '"bass"')), 4, ["'j1'", "bass", "did you mean 'base'"]),
    "unknown child": (urdf(joint=JOINT.replace('"l1"', '"l7"')), 4, ["'j1'", "l7"]),
    "no parent": (urdf(joint=JOINT.replace('<parent link="base"/>', "")), 4, ["'j1'", "<parent>"]),
    "two links of a name": (urdf(rest=LINK), 5, ["'l1'", "line 3"]),
    "two joints of a name": (urdf(rest=JOINT), 5, ["'j1'", "line 4"]),
    "diamond": (urdf(rest=JOINT.replace("j1", "j2")), 5, ["'j2'", "'l1'", "'j1'", "line 4"]),
    "two roots": (urdf(rest='<link name="stray"/>'), 5, ["'stray'", "'base'", "one root"]),
    "cycle beside a root": (
        urdf(base='<link name="base"/><link name="l2"/>', joint=child("l1", "l2"), rest=child("l2", "l1")),
        5,
        ["cycle", "'l1'", "'l2'"],
    ),
    "no root": (urdf(base='<link name="base"/>', rest=child("base", "l1")), 1, ["no root", "cycle"]),
    "link without name": (urdf(link="<link/>"), 3, ["name"]),
    "no links": ('<robot name="arm">\n</robot>', 1, ["<link>"]),
    "mimic of nobody": (
        urdf(joint=JOINT.replace(LIMIT, LIMIT + '<mimic joint="nope"/>')),
        4,
        ["'j1'", "nope"],
    ),
    "mimic cycle": (
        urdf(
            LINK + LINK2,
            child("l1", "base", extra=LIMIT + '<mimic joint="j_l2"/>'),
            child("l2", "l1", extra=LIMIT + '<mimic joint="j_l1"/>'),
        ),
        4,
        ["cycle", "j_l1", "j_l2"],
    ),
    "negative damping": (
        urdf(joint=JOINT.replace(LIMIT, LIMIT + '<dynamics damping="-1"/>')),
        4,
        ["'j1'", "damping", "negative"],
    ),
    "xacro value": (urdf(inertial('<mass value="${m}"/>')), 3, ["'l1'", "${m}", "xacro"]),
    "xacro element": (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n<xacro:macro name="m"/><link name="${m}"/></robot>',
        2,
        ["macro 'm'", "xacro", "${m}"],
    ),
    "mjcf": ("<mujoco/>", 1, ["MJCF", "<robot>"]),
    "not a robot": ("<html/>", 1, ["<html>", "<robot>"]),
    "doctype": ('<!DOCTYPE r [<!ENTITY a "1">]>\n<robot name="&a;"/>', 1, ["DOCTYPE"]),
    "not closed": ('<robot name="a">\n<link name="l">\n', 3, ["well-formed"]),
    "two documents": (urdf() + "\n<robot/>", 7, ["junk"]),
    "empty": ("", 1, ["no element found"]),
    "nested without end": ("<robot>" + "<a>" * 20_000, 1, ["nested"]),
}


@pytest.mark.parametrize("defect", REFUSED)
def test_a_bad_file_is_refused_with_file_line_and_element(defect):
    text, line, words = REFUSED[defect]
    with pytest.raises(FormatError) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith(f"<text>:{line}: "), message
    for word in words:
        assert word in message


WARNED = {
    "no mass": (urdf('<link name="l1"/>'), ["<text>:3", "'l1'", "no mass"]),
    "no limit": (urdf(joint=JOINT.replace(LIMIT, "")), ["<text>:4", "'j1'", "without limits"]),
    "limits swapped": (urdf(joint=JOINT.replace('lower="-1"', 'lower="2"')), ["<text>:4", "'j1'", "exceeds"]),
    "absurd mass": (urdf(inertial('<mass value="1e8"/>')), ["<text>:3", "'l1'", "units"]),
    "indefinite": (
        urdf(inertial(inertia=GOOD_INERTIA.replace('ixy="0"', 'ixy="5"'))),
        ["<text>:3", "'l1'", "inertia", "negative"],
    ),
    "triangle": (
        urdf(inertial(inertia=GOOD_INERTIA.replace('izz="0.01"', 'izz="0.05"'))),
        ["<text>:3", "'l1'", "exceeds the sum"],
    ),
    "nothing moves": (urdf(joint=JOINT.replace("revolute", "fixed")), ["no moving joint"]),
    "mimic": (
        urdf(LINK + LINK2, JOINT, child("l2", "l1", extra=LIMIT + '<mimic joint="j1" multiplier="-2" offset="0.5"/>')),
        ["j_l2", "free", 'mimic="coupled"'],
    ),
}


@pytest.mark.parametrize("oddity", WARNED)
def test_an_odd_file_loads_with_a_warning(oddity):
    text, words = WARNED[oddity]
    with pytest.warns(ModelWarning) as caught:
        read(text)
    message = "\n".join(str(w.message) for w in caught)
    for word in words:
        assert word in message
    assert caught[0].filename == __file__


def test_mimic_joints_follow_when_asked_and_chains_resolve():
    second = child("l2", "l1", extra=LIMIT + '<mimic joint="j1" multiplier="-2" offset="0.5"/>')
    third = child("l3", "l2", extra=LIMIT + '<mimic joint="j_l2" multiplier="3" offset="0.1"/>')
    text = urdf(LINK + LINK2 + LINK.replace("l1", "l3"), JOINT, second + third)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = read(text, mimic="coupled")
    assert robot.joint_names == ("j1",)
    last = robot.joint("j_l3")
    assert (last.follows, last.multiplier, last.offset) == ("j1", -6.0, 3 * 0.5 + 0.1)
    with pytest.warns(ModelWarning):
        assert read(text).n == 3
    with pytest.raises(FormatError, match="coupled"):
        read(text, mimic="maybe")


def test_truncated_right_angles_are_snapped_and_reported():
    turned = JOINT.replace(LIMIT, LIMIT + '<origin rpy="1.57079632679 0 0"/>')
    robot = read(urdf(joint=turned))
    np.testing.assert_array_equal(robot.link("l1").mount.R, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    (remark,) = robot.provenance["snapped"]
    assert "1.57079632679" in remark and "'j1'" in remark
    raw = read(urdf(joint=turned), snap=False)
    assert raw.link("l1").mount.R[1, 1] == pytest.approx(4.9e-12, rel=0.01)
    assert "snapped" not in raw.provenance


@pytest.mark.parametrize("rpy", ["1.5708 0 0", "0 1.57079 0", "0 3.14158 0", "0.1 1.5707 -2"])
def test_coarsely_rounded_angles_are_kept_whole(rpy):
    """Their cosines and sines differ from exact ones by different orders; snapping only some leaves no rotation."""
    robot = read(urdf(joint=JOINT.replace(LIMIT, LIMIT + f'<origin rpy="{rpy}"/>')))
    np.testing.assert_array_equal(robot.link("l1").mount.R, rotation_rpy([float(x) for x in rpy.split()]))
    assert "snapped" not in robot.provenance


@pytest.mark.parametrize("rpy", ["1.57079632679 0 0.3", "0.785398163397 0 0", "0 1.0471975512 3.14159265359"])
def test_what_is_snapped_is_still_a_rotation(rpy):
    R = read(urdf(joint=JOINT.replace(LIMIT, LIMIT + f'<origin rpy="{rpy}"/>'))).link("l1").mount.R
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.abs(R - rotation_rpy([float(x) for x in rpy.split()])).max() > 0


def test_a_long_axis_is_normalised_with_a_note():
    robot = read(urdf(joint=JOINT.replace(LIMIT, LIMIT + '<axis xyz="0 0 2"/>')))
    np.testing.assert_array_equal(robot.link("l1").joint.axis, [0, 0, 1])
    assert "length 2" in robot.provenance["normalised"][0]


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1e-20, 1e20, 1e160, 1e300])
def test_N11_an_axis_of_any_length_is_read(size):
    axis = " ".join(repr(size * x) for x in (1.0, 2.0, -2.0))
    robot = read(urdf(joint=JOINT.replace(LIMIT, f'{LIMIT}<axis xyz="{axis}"/>')))
    np.testing.assert_allclose(robot.link("l1").joint.axis, np.array([1, 2, -2]) / 3, rtol=1e-15)


def chain(n: int) -> str:
    links = "".join(LINK.replace("l1", f"l{i}") for i in range(n + 1))
    joints = [child(f"l{i + 1}", f"l{i}") for i in range(n)]
    return f'<robot name="chain">{links}{"".join(reversed(joints))}</robot>'


def test_R4_the_time_to_read_grows_with_the_length_of_a_chain_not_with_its_square():
    def seconds(n: int) -> float:
        text = chain(n)
        gc.collect()
        gc.disable()  # it looks at all objects again and again
        try:
            start = time.process_time()
            read(text)
            return time.process_time() - start
        finally:
            gc.enable()

    seconds(50)
    short, long = (min(seconds(n) for _ in range(3)) for n in (300, 3000))
    assert long < 20 * short


def test_R4_a_loop_beside_a_long_chain_is_found():
    loop = child("a", "b") + child("b", "a")
    text = chain(500).replace("</robot>", LINK.replace("l1", "a") + LINK.replace("l1", "b") + loop + "</robot>")
    with pytest.raises(FormatError, match=r"cycle: 'a' ← 'b' ← 'a'"):
        read(text)


@pytest.mark.parametrize("text", ["1" * 100_000, "1" * 100_000 + "x", "1." + "1" * 100_000, "1e" + "1" * 100_000])
def test_R1_numbers_without_end_are_refused_at_once(text):
    start = time.process_time()
    with pytest.raises(FormatError, match=r"'l1' <inertial> <mass>: value=.* has 10000\d characters") as caught:
        read(urdf(inertial(f'<mass value="{text}"/>')))
    assert time.process_time() - start < 1
    assert len(str(caught.value)) < 300


def test_R8_a_file_of_nothing_but_elements_is_refused_early():
    with pytest.raises(FormatError, match="more than 100000 elements"):
        read("<robot>" + "<a/>" * 300_001 + "</robot>")


def test_R8_attributes_are_as_many_and_as_long_as_those_of_a_robot():
    for text, says in (
        ("<robot" + "".join(f" a{k}=''" for k in range(200_001)) + "/>", "more than 200000 attributes"),
        (f"<robot name='{'a' * 1_000_001}'/>", "an attribute of more than 1000000 characters"),
    ):
        for data in (text, text.encode(), text.encode("utf-16")):
            with pytest.raises(FormatError, match=says):
                loads(data, format="urdf")


def test_names_of_strangers_are_printed_escaped():
    evil = "l\u202e1"
    with pytest.raises(FormatError) as caught:
        read(urdf(link=LINK.replace("l1", evil).replace('"1"', '"x"')))
    assert "\u202e" not in str(caught.value) and r"\u202e" in str(caught.value)


# ---- writing ---------------------------------------------------------------------------------


def random_robot(seed: int) -> Robot:
    """A branching tree with full tensors, oblique axes, sliding joints, fixed links and offset frames."""
    rng = np.random.default_rng(seed)

    def pose() -> Pose:
        return Pose.from_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))

    def body() -> st.MassProperties:
        A = rng.normal(size=(3, 3))
        return st.MassProperties(rng.uniform(0.1, 5), rng.normal(size=3), np.eye(3) * np.trace(A @ A.T) - A @ A.T)

    links = [Link("base", body=body())]
    for i in range(7):
        kind = (Revolute, Prismatic, Revolute, Fixed)[i % 4]
        friction = st.Viscous(0.1 * i) + st.Coulomb(0.2) if i % 2 else None
        limits = JointLimits(-1.0, 2.0, 3.0, 4.0) if i % 3 else None
        joint = kind(name=f"j{i}", axis=rng.normal(size=3), friction=friction, limits=limits)
        parent = links[rng.integers(len(links))].name
        origin = pose() if i in (2, 3) else Pose.identity()
        links.append(Link(f"k{i}", parent, joint, pose(), body(), origin))
    return Robot("tree", tuple(links))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_saved_loads_as_the_same_robot(seed, tmp_path):
    robot = random_robot(seed)
    again = load(save(robot, tmp_path / "tree.urdf"), snap=False)
    assert again.joint_names == robot.joint_names
    assert set(robot.link_names) <= set(again.link_names)
    assert again.total_mass == robot.total_mass
    for name in robot.joint_names:
        a, b = robot.joint(name), again.joint(name)
        assert a.limits == b.limits
        assert (a.friction is None) == (b.friction is None)
        assert a.friction is None or a.friction.effort(0.7) == b.friction.effort(0.7)
    for name in robot.link_names:
        body, other = robot.place(name), again.place(name)
        assert body.body == other.body
        np.testing.assert_allclose(other.pose.matrix, body.pose.matrix, atol=1e-14)
    for one, two in zip(robot.bodies, again.bodies, strict=True):
        np.testing.assert_allclose(two.mount.matrix, one.mount.matrix, atol=1e-14)
        for x, y in zip(one.moments, two.moments, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-13, atol=1e-13)


def test_a_dh_robot_gets_a_root_and_keeps_its_frames(tmp_path):
    puma = load("gallery:puma560")
    with pytest.warns(ModelWarning, match="rotor inertia of joint 'joint1'"):
        path = save(puma, tmp_path / "puma.urdf")
    with pytest.warns(ModelWarning) as caught:  # Corke's link 1 has inertia but no mass, link 3 breaks the triangle
        again = load(path)
    assert ["'link1'" in str(caught[0].message), "'link3'" in str(caught[1].message)] == [True, True]
    assert again.joint_names == puma.joint_names
    assert again.link_names[0] == "world"
    np.testing.assert_allclose(again.place("link6").pose.matrix, puma.place("link6").pose.matrix, atol=1e-15)


def test_payloads_are_saved_as_fixed_links(tmp_path):
    box, pose = st.MassProperties(2.0, (0, 0, 0.1), (0.1, 0.1, 0.1)), Pose.from_rpy((0.3, -0.2, 0.1), (0.4, 0.5, -0.6))
    robot = random_robot(1).with_payload(box, link="k0", name="box", pose=pose)
    again = load(save(robot, tmp_path / "a.urdf"), snap=False)
    assert again.link("box").parent == "k0" and again.link("box").body.mass == 2.0
    np.testing.assert_allclose(again.link("box").mount.matrix, pose.matrix, atol=1e-15)


def test_helical_joints_and_symbols_are_refused_by_urdf(tmp_path):
    screw = Robot("screw", (Link("base"), Link("nut", "base", Helical(name="h", pitch=0.01))))
    with pytest.raises(FormatError, match="'h' is helical"):
        save(screw, tmp_path / "a.urdf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\0", "\ufffe", "\ud800", " "])
def test_R11_names_that_could_not_be_read_back_are_refused(name, tmp_path):
    for robot in (Robot(name, (Link("base"),)), Robot("arm", (Link(name),))):
        with pytest.raises(FormatError, match="cannot stand in a file of URDF"):
            save(robot, tmp_path / "arm.urdf")


@pytest.mark.parametrize("joint", [Revolute, Prismatic])
@pytest.mark.parametrize("ending", ["urdf", "yaml"])
@pytest.mark.parametrize("limits", [
    None, JointLimits(None, 1.0), JointLimits(-0.5, None, 2.0), JointLimits(None, None, 1.0, 2.0),
    JointLimits(0.0), JointLimits(None, 0.0), JointLimits(-1.0, None, None, 3.0), JointLimits(-1.0, 1.0, 0.0, 0.0),
])  # fmt: skip
def test_N15_limits_survive_also_if_only_some_are_stated(joint, limits, ending, tmp_path):
    body = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    arm = Robot("arm", (Link("base"), Link("k", "base", joint(name="j", limits=limits), body=body)))
    assert load(save(arm, tmp_path / f"arm.{ending}")).joint("j").limits == limits


@pytest.mark.parametrize("joint", [Revolute, Prismatic])
@pytest.mark.parametrize("ending", ["urdf", "yaml", "xml", "sdf"])
@pytest.mark.parametrize("ends", [(None, 1.0), (-0.5, None), (0.0, None), (None, 0.0), (-1.0, 2.0)])
def test_N15_a_range_with_one_end_survives_in_every_format(joint, ends, ending, tmp_path):
    body = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    arm = Robot("arm", (Link("base"), Link("k", "base", joint(name="j", limits=JointLimits(*ends)), body=body)))
    limits = load(save(arm, tmp_path / f"arm.{ending}")).joint("j").limits
    assert limits is not None and limits[:2] == ends


@pytest.mark.filterwarnings("ignore:.*moves but has no mass")
@pytest.mark.parametrize("name", ["a\nb\tc", "<&\"'>", "é \U0001f9be", "a b", " a ", "yes", "1.5", "- a", "a: b #c"])
@pytest.mark.parametrize("ending", ["urdf", "yaml"])
def test_R11_odd_names_are_read_back(name, ending, tmp_path):
    links = (Link("base"), Link(name, "base", Revolute(name=f"j {name}")))
    again = load(save(Robot(name, links), tmp_path / f"arm.{ending}"))
    assert again.link_names == ("base", name) and again.joint_names == (f"j {name}",) and again.name == name


@pytest.mark.filterwarnings("ignore:.*moves but has no mass")
@settings(max_examples=60)
@given(some.text(some.characters(codec=None), min_size=1, max_size=8), some.sampled_from(["urdf", "yaml"]))
def test_R11_any_name_is_read_back_or_refused(tmp_path_factory, name, ending):
    path = tmp_path_factory.mktemp("names") / f"arm.{ending}"
    try:
        save(Robot(name, (Link("base"), Link(f"l{name}", "base", Revolute(name=f"{name}j")))), path)
    except st.SteinerError:
        assert not path.exists()
    else:
        again = load(path)
        assert (again.name, again.link_names[1], again.joint_names) == (name, f"l{name}", (f"{name}j",))


def test_coupled_joints_are_saved_as_mimic_joints(tmp_path):
    body = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    follower = Prismatic(name="b", follows="a", multiplier=-0.5, offset=0.25, limits=JointLimits(0.0, 1.0))
    robot = Robot("hand", (Link("k0", joint=Revolute(name="a"), body=body), Link("k1", "k0", follower, body=body)))
    path = save(robot, tmp_path / "hand.urdf")
    again = load(path, mimic="coupled")
    assert again.joint_names == ("a",)
    state = [[0.3], [0.4], [0.5]]
    np.testing.assert_allclose(again.inverse_dynamics(*state), robot.inverse_dynamics(*state), rtol=1e-14)
    scaled = Robot("odd", (Link("k0", joint=Revolute(name="a", multiplier=2.0), body=body),))
    with pytest.raises(FormatError, match="'a' scales or shifts"):
        save(scaled, tmp_path / "odd.urdf")


def test_nothing_is_overwritten_unless_forced_and_no_half_file_is_left(tmp_path, monkeypatch):
    path = tmp_path / "a.urdf"
    path.write_text("mine")
    robot = random_robot(0)
    with pytest.raises(FormatError, match="exists"):
        save(robot, path)
    assert path.read_text() == "mine"
    save(robot, path, force=True)
    assert path.read_text().startswith("<?xml")
    assert [p.name for p in tmp_path.iterdir()] == ["a.urdf"]
    with pytest.raises(FormatError, match="no folder"):
        save(robot, tmp_path / "nowhere" / "a.urdf")


SHAPED = """<robot name="r"><link name="a"><visual name="v"><geometry>{form}</geometry></visual>
<collision><geometry><mesh filename="a.stl"/></geometry></collision></link></robot>"""


@pytest.mark.parametrize(
    ("form", "solid"),
    [
        ('<box size="0.1 0.2 0.3"/>', st.Box(0.1, 0.2, 0.3)),
        ('<cylinder radius="0.05" length="0.3"/>', st.Cylinder(0.05, 0.3)),
        ('<sphere radius="0.04"/>', st.Sphere(0.04)),
        ('<sphere radius="40"/>', st.Sphere(40.0)),
        ('<capsule radius="0.04" length="0.0001"/>', st.Capsule(0.04, 0.0001)),
    ],
)
def test_a_shape_has_its_solid_whether_it_was_looked_at_or_not(form, solid, tmp_path):
    usual = "40" not in form and "0.0001" not in form
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = loads(SHAPED.format(form=form), format="urdf")
    shape, _ = robot.links[0].shapes
    sent = pickle.loads(pickle.dumps(shape))
    assert isinstance(sent.sketch, Sketch) == usual
    for one in (shape, sent, replace(shape, name="w")):
        assert one.solid == solid and one.solid is one.solid and not isinstance(one.sketch, Sketch)
    assert Shape.solid is None, "the default"


def test_a_shape_that_is_no_solid_is_refused_as_before():
    for wrong in (3, "ball", Pose):
        with pytest.raises(ModelError, match="expected a solid"):
            Shape(wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="give a solid"):
        Shape()
