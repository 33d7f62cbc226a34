"""MJCF: what is read, what is told as left out, what is refused by name; what a written file keeps."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import steiner as st
from steiner.errors import FormatError, ModelWarning, SteinerError
from steiner.files.mjcf_write import losses, write
from tests.comparing import close
from tests.random_robots import random_body, random_pose, random_state


def model(worldbody: str, before: str = "", after: str = "") -> str:
    return f"<mujoco>\n{before}\n<worldbody>{worldbody}</worldbody>\n{after}\n</mujoco>"


def read(text: str, **options) -> st.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return st.loads(text, format="mjcf", **options)


# ---- what is read ----------------------------------------------------------------------------------


def test_angles_are_degrees_unless_they_are_radians():
    body = '<body name="b" euler="90 0 0"><joint name="j" range="-90 90"/><geom size=".1"/></body>'
    robot = read(model(body))
    assert np.array_equal(robot.link("b").mount.R, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert robot.joint("j").limits[:2] == (-math.pi / 2, math.pi / 2)
    assert robot.total_mass == pytest.approx(1000 * 4 / 3 * math.pi * 1e-3)
    slide = model(body.replace("<joint", '<joint type="slide"'), '<compiler angle="radian"/>')
    assert read(slide).joint("j").limits[:2] == (-90, 90)


def test_numbers_of_joints():
    robot = read(
        model(
            '<body name="b"><joint name="j" armature=".1" damping=".2" frictionloss=".3" range="0 10"'
            ' actuatorfrcrange="-5 5" ref="20" axis="0 0 3"/><geom size=".1"/></body>',
            '<option gravity="1 2 3"/>',
        )
    )
    joint = robot.joint("j")
    assert joint.armature == 0.1 and joint.friction == st.Viscous(0.2) + st.Coulomb(0.3)
    assert joint.limits == (0, math.radians(10), None, 5)
    assert joint.offset == -math.radians(20) and np.array_equal(robot.gravity, (1, 2, 3))
    assert robot.joint("j").axis.tolist() == [0, 0, 1] and "length 3" in str(robot.source.normalised)


def test_springs_of_joints():
    """Slack where the coordinate is springref; the joint's value is counted from the file's pose, at ref."""
    body = """<body name="b"><joint name="j" class="soft" ref="20" {}/><geom size=".1"/>
<body name="c"><joint name="k" type="slide" stiffness="7" springref=".2" ref=".5"/><geom size=".1"/></body></body>"""
    classes = '<default><default class="soft"><joint stiffness="3" springref="50"/></default></default>'
    robot = read(model(body.format(""), classes))
    hinge, slide = robot.joint("j"), robot.joint("k")
    assert (hinge.stiffness, hinge.rest) == (3, math.radians(50) - math.radians(20))
    assert (slide.stiffness, slide.rest) == (7, 0.2 - 0.5)
    q = np.array([0.4, 0.9])
    assert robot.spring_forces(q) == pytest.approx([3 * (0.4 - math.radians(50)), 7 * (0.9 - 0.2)], rel=1e-14)
    assert read(model(body.format('stiffness="0"'), classes)).joint("j").stiffness == 0
    for flag in ("spring", "passive"):
        still = read(model(body.format('damping="1"'), classes + f'<option><flag {flag}="disable"/></option>'))
        assert not np.any(still.spring_forces(q))
        assert (still.joint("j").friction is None) == (flag == "passive")


def test_a_time_constant_and_a_damping_ratio_are_a_spring_and_a_damper():
    """By the inertia that a joint feels where the file has the arm: k = I / (T ζ)², b = 2 I / T."""
    body = '<body name="b"><joint name="j" {}/><inertial mass="2" pos=".5 0 0" diaginertia=".1 .1 .1"/></body>'
    joint = read(model(body.format('springdamper=".2 .5" frictionloss=".3" springref="90" ref="30"'))).joint("j")
    inertia = 2 * 0.5**2 + 0.1
    assert joint.stiffness == pytest.approx(inertia / (0.2 * 0.5) ** 2, rel=1e-14)
    assert joint.rest == pytest.approx(math.radians(60), rel=1e-14)
    viscous, coulomb = joint.friction.terms
    assert viscous.coefficient == pytest.approx(2 * inertia / 0.2, rel=1e-14) and coulomb == st.Coulomb(0.3)
    assert read(model(body.format('springdamper="0 0" stiffness="4"'))).joint("j").stiffness == 4
    bare = body.replace('mass="2" pos=".5 0 0" diaginertia=".1 .1 .1"', 'mass="0" pos="0 0 0" diaginertia="0 0 0"')
    with pytest.raises(SteinerError, match="springdamper of joint 'j': no inertia decides"):
        read(model(bare.format('springdamper=".2 .5"')))


def test_springs_of_coupled_joints_are_slack_at_their_own_coordinate():
    """A follower's springref is of its own coordinate, and an inertia for springdamper that of joints left free."""
    links = """<body name="b"><joint name="a" stiffness="2" springref="10"/><geom size=".1" pos=".2 0 0"/></body>
<body name="c"><joint name="f" ref="30" springref="40" {}/><geom size=".1" pos=".3 0 0"/></body>"""
    tie = '<equality><joint joint1="f" joint2="a" polycoef=".1 -2 0 0 0"/></equality>'
    robot = read(model(links.format('stiffness="5"'), after=tie), mimic="coupled")
    q, ref = 0.4, math.radians(30)
    follower = ref + 0.1 - 2 * q  # y − y₀ = a₀ + a₁ (x − x₀)
    pull = 2 * (q - math.radians(10)) - 2 * 5 * (follower - math.radians(40))
    assert robot.spring_forces([q]) == pytest.approx([pull], rel=1e-13)
    loose, tied = (read(model(links.format('springdamper=".1 1"'), after=x), mimic="coupled") for x in ("", tie))
    assert loose.joint("f").stiffness == pytest.approx(tied.joint("f").stiffness, rel=1e-14)


def test_several_joints_on_a_body_are_one_link_where_their_axes_meet():
    inner = '<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="s" type="slide"/>'
    robot = read(model(f'<body name="b">{inner}<geom size=".1"/></body>'))
    assert robot.link_names == ("b",) and robot.joint_names == ("x", "y", "s")
    apart = inner.replace('name="y"', 'name="y" pos="0 0 .2"')
    assert read(model(f'<body name="b">{apart}<geom size=".1"/></body>')).link_names == ("b_x", "b")


def test_classes_reach_where_they_should():
    defaults = """<default><joint damping="1"/><default class="a"><joint damping="2"/>
<default class="b"><joint armature="3"/></default></default></default>"""
    robot = read(
        model(
            '<body name="p"><joint name="plain"/><geom size=".1"/><body name="q" childclass="a"><joint name="around"/>'
            '<joint name="own" class="b" axis="1 0 0"/><geom size=".1"/></body></body>',
            defaults,
        )
    )
    assert [robot.joint(n).friction.coefficient for n in ("plain", "around", "own")] == [1, 2, 2]
    assert [robot.joint(n).armature for n in ("plain", "around", "own")] == [0, 0, 3]


def test_bodies_weigh_what_the_compiler_is_told():
    stated = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    inner = f'<body name="b"><joint/>{stated}<geom size=".1" mass="3"/></body>'
    for stated, mass in (("auto", 2), ("false", 2), ("true", 3)):
        assert read(model(inner, f'<compiler inertiafromgeom="{stated}"/>')).total_mass == mass
    assert read(model(inner, '<compiler settotalmass="5"/>')).total_mass == pytest.approx(5)
    bad = inner.replace('diaginertia="1 1 1"', 'diaginertia="1 1 4"')
    assert np.allclose(np.diag(read(model(bad, '<compiler balanceinertia="true"/>')).link("b").body.inertia), 2)
    least = read(model(inner, '<compiler boundmass="4" boundinertia="1.5"/>')).link("b").body
    assert least.mass == 4 and np.allclose(np.diag(least.inertia), 1.5)


def test_shapes_come_along():
    geoms = '<geom name="g" size=".1" rgba="1 0 0 1" contype="0" conaffinity="0"/>'
    geoms += '<geom type="box" size="1 2 3" mass="1"/>'
    look, box = read(model(f'<body name="b">{geoms}</body>')).link("b").shapes
    assert (look.role, look.colour, look.name, box.role) == ("visual", (1, 0, 0, 1), "g", "collision")
    assert isinstance(box.solid, st.Box) and box.solid.z == 6


def test_inline_meshes_are_bodies():
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="2 2 2"/></asset>'
    robot = read(model('<body name="b"><joint/><geom type="mesh" mesh="m" density="6"/></body>', mesh))
    assert robot.total_mass == pytest.approx(8)


COUPLED = """<equality>
<joint joint1="b" joint2="a" polycoef="0.1 2"/><joint joint1="c" joint2="b" polycoef="0 3"/></equality>"""


def test_equalities_couple_joints():
    bodies = "".join(
        f'<body name="k{n}"><joint name="{n}" type="slide" ref="{ref}"/><geom size=".1" mass="1"/></body>'
        for n, ref in (("a", 0.5), ("b", 0.25), ("c", 0))
    )
    text = model(bodies, after=COUPLED)
    with pytest.warns(ModelWarning, match="joints b, c mimic others"):
        assert st.loads(text, format="mjcf").n == 3
    robot = st.loads(text, format="mjcf", mimic="coupled")
    assert robot.joint_names == ("a",)
    T = robot.forward_kinematics([0.7])
    # b − 0.25 = 0.1 + 2 (a − 0.5); c = 3 (b − 0.25); a body stands at its value minus its ref
    assert [T[f"k{n}"].p[2] for n in "abc"] == pytest.approx([0.2, 0.5, 1.5])
    for wrong, says in [
        (COUPLED.replace("0 3", "0 3 1"), "bends joint 'c'"),
        (COUPLED.replace('joint2="b" ', ""), "holds joint 'c'"),
        (COUPLED.replace('joint1="c"', 'joint1="b"'), "follows twice"),
        (COUPLED.replace('joint2="a"', 'joint2="c"'), "in a cycle: b, c"),
        (COUPLED.replace('joint2="a"', 'joint2="z"'), "no joint named 'z'"),
    ]:
        with pytest.raises(FormatError, match=f"<text>:.*{says}"):
            st.loads(model(bodies, after=wrong), format="mjcf", mimic="coupled")


def test_includes_stay_in_the_folder(tmp_path):
    (tmp_path / "sub").mkdir()
    part = '<mujocoinclude>\n<body name="b"><joint/><geom size=".1"/></body></mujocoinclude>'
    (tmp_path / "sub/arm.xml").write_text(part)
    main = tmp_path / "main.xml"
    main.write_text(model('<include file="sub/arm.xml"/>'))
    assert st.load(main).link_names == ("b",)
    (tmp_path / "sub/arm.xml").write_text('<mujocoinclude>\n<body name="b"><joint axis="x"/></body></mujocoinclude>')
    with pytest.raises(FormatError, match=r"sub/arm\.xml:2: joint 'joint1': axis"):
        st.load(main)
    for name, says in [
        ("../other.xml", "outside the folder"), ("/etc/passwd", "outside the folder"), ("none.xml", "no such file"),
        ("main.xml", "includes itself"),
    ]:  # fmt: skip
        main.write_text(model(f'<include file="{name}"/>'))
        with pytest.raises(FormatError, match=rf"main\.xml:3: .*{says}"):
            st.load(main)
    (tmp_path / "link.xml").symlink_to("/etc/hostname")
    main.write_text(model('<include file="link.xml"/>'))
    with pytest.raises(FormatError, match="outside the folder"):
        st.load(main)


def test_xml_is_mjcf_or_urdf_by_its_root(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text('<?xml version="1.0"?><!-- <mujoco> -->\n<robot name="r"><link name="l"/></robot>')
    with pytest.warns(ModelWarning, match="no moving joint"):
        assert st.load(path).source.format == "urdf"
    path.write_text("<!-- a <robot> --> " + model('<body name="b"><joint/><geom size=".1"/></body>'))
    assert st.load(path).source.format == "mjcf"
    path.write_text("<sdf/>")
    with pytest.raises(FormatError, match=r"<sdf>; expected <mujoco>"):
        st.load(path)


# ---- what is told ----------------------------------------------------------------------------------

FULL = 'pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"'
MESH = '<asset><mesh name="m" file="m.stl"/></asset>'
BODY = '<body name="b"><joint name="j"/><geom size=".1"/></body>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (model(BODY, after='<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>'),
         "tendon 't' stiffness: stiffness of tendons: left out"),
        (model(BODY, '<default><default class="x"><tendon frictionloss="3" damping="1"/></default></default>'),
         "tendon 'tendon' damping: damping and frictionloss of tendons: left out"),
        (model(BODY.replace('name="b"', 'name="b" gravcomp="1"')), "link 'b' gravcomp: .*left out"),
        (model(BODY, '<option viscosity="1"/>'), "option viscosity"),
        (model(BODY, after='<equality><connect body1="b" anchor="0 0 0"/></equality>'), "<connect> ties b; the loop"),
        (model(BODY, after='<equality><joint joint1="j"/></equality>'), "an equality that holds it is left out"),
        (model(BODY + '<body name="c"><geom type="mesh" mesh="m"/></body>', MESH), "link 'c' mass: stands still"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_told(text, says):
    with pytest.warns(ModelWarning, match=f"<text>.*{says}"):
        st.loads(text, format="mjcf")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<mujoco/>", "no <body> in this model"),
        ("<mujocoinclude/>", "a part for <include>"),
        (model(BODY.replace("<joint", "<freejoint").replace('name="j"', "")), "body 'b' <freejoint>: a floating base"),
        (model(BODY.replace('name="j"', 'name="j" type="ball"')), "three hinges on the body"),
        (model(BODY.replace('name="j"', 'name="j" type="free"')), "a floating base"),
        (model(BODY.replace('name="j"', 'name="j" class="nope"')), "no default named 'nope'"),
        (model(BODY.replace('name="j"', 'name="j" colour="red"')), "no attribute named 'colour'"),
        (model(BODY.replace('name="j"', 'name="j" axis="0 0 0"')), 'axis="0 0 0" has no direction'),
        (model(BODY.replace('name="j"', 'name="j" armature="-1"')), "armature -1.0 is negative"),
        (model(BODY.replace('name="j"', 'name="j" damping="1 2"')), "only the first number, of linear damping"),
        (model(BODY.replace('name="j"', 'name="j" stiffness="3 2"')), "only the first number, of a linear spring"),
        (model(BODY.replace('name="j"', 'name="j" stiffness="-3"')), "it would push away from its rest"),
        (model(BODY.replace('name="j"', 'name="j" springdamper=".1 -1"')), "both positive"),
        (model(BODY.replace('name="j"', 'name="j" springdamper=".1"')), "springdamper"),
        (model(BODY.replace('name="j"', 'name="j" range="0 1"'), '<compiler autolimits="false"/>'), 'limited="true"'),
        (model(BODY.replace('name="b"', 'name="b" quat="1 0 0 0" euler="0 0 0"')), "two orientations, quat and euler"),
        (model(BODY.replace('name="b"', 'name="b" quat="0 0 0 0"')), "has no direction"),
        (model(BODY.replace('name="b"', 'name="b" mocap="true"')), "mocap"),
        (model(BODY + BODY), "a second body named 'b'; the first is in line 3"),
        (model(BODY.replace('size=".1"', 'size=".1" type="sdf"')), 'type="sdf" is not read'),
        (model(BODY.replace('size=".1"', 'size="-.1"')), "geom.*[Ss]phere"),
        (model(BODY.replace('size=".1"', 'size=".1" mass="-1"')), "mass -1.0 is negative"),
        (model(BODY.replace('size=".1"', 'size=".1" shellinertia="true"')), "shellinertia"),
        (model(BODY.replace('size=".1"', 'type="mesh" mesh="m"')), "no mesh named 'm'"),
        (model(BODY.replace("<geom", '<composite type="cable"/><geom')), "<composite> is not read.*via="),
        (model(BODY, after="<deformable/>"), "<deformable> is not read"),
        (model(BODY, after='<actuator><motor joint="j" armature="1"/></actuator>'), "give it to the joint"),
        (model(BODY, '<compiler coordinate="global"/>'), "global coordinates"),
        (model(BODY, '<compiler eulerseq="xy"/>'), "eulerseq"),
        (model(BODY, '<compiler angle="grad"/>'), "expected degree, radian"),
        (model(BODY, '<include file="a.xml"/>'), "a text includes no files"),
        (model("<joint/>" + BODY), "the world has neither joints nor mass"),
        (model(BODY.replace("<joint", f'<inertial {FULL} quat="0 1 0 0"/><joint')), "no orientation of its own"),
        (model(BODY.replace("<joint", '<inertial pos="0 0 0" mass="nan"/><joint')), "not a finite number"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_here_is_refused_by_name(text, says):
    with pytest.raises(FormatError, match=rf"<text>:\d.*{says}"):
        st.loads(text, format="mjcf")


def test_a_mesh_file_that_matters_is_asked_for(tmp_path):
    asset = '<asset><mesh name="m" file="../m.stl"/></asset>'
    path = tmp_path / "arm.xml"
    path.write_text(model(BODY.replace('size=".1"', 'type="mesh" mesh="m"'), asset))
    with pytest.raises(FormatError, match=r"outside the folder.*<inertial>"):
        st.load(path)
    stated = BODY.replace('size=".1"', 'type="mesh" mesh="m"')
    stated = stated.replace("<joint", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint')
    path.write_text(model(stated, asset))
    assert st.load(path).link("b").shapes[0].file == "../m.stl"


# ---- what is written -------------------------------------------------------------------------------


def test_a_written_file_says_what_the_robot_says(tmp_path):
    rng = np.random.default_rng(2)
    lead = st.Prismatic(name="lead", offset=0.3, limits=(-0.1, 0.2, None, 9), armature=0.1)
    links = [
        st.Link("base & co", body=random_body(rng)),
        st.Link("a", "base & co", lead, random_pose(rng), random_body(rng), random_pose(rng)),
        st.Link("b", "a", st.Spherical(name="ball", friction=st.Coulomb(0.2)), random_pose(rng), random_body(rng)),
        st.Link("c", "b", st.Revolute(name="f", follows="lead", multiplier=2.0, offset=0.4), body=random_body(rng)),
    ]
    robot = st.Robot("arm", links, gravity=(0, 1, -9)).with_payload(random_body(rng), link="b", name="a")
    st.save(robot, tmp_path / "arm.xml")
    again = st.load(tmp_path / "arm.xml", mimic="coupled")
    state = random_state(robot, 3)
    assert again.joint_names == robot.joint_names == ("lead", "ball.rx", "ball.ry", "ball.rz")
    assert close(again.inverse_dynamics(*state), robot.inverse_dynamics(*state), 1e-14)
    assert again.joint("lead").limits == lead.limits and again.joint("ball.ry").friction == st.Coulomb(0.2)
    assert np.array_equal(again.gravity, robot.gravity) and again.total_mass == pytest.approx(robot.total_mass)
    st.save(again, tmp_path / "again.xml")
    third = st.load(tmp_path / "again.xml", mimic="coupled")
    assert close(third.inverse_dynamics(*state), robot.inverse_dynamics(*state), 1e-14)


def test_what_is_lost_is_one_list(tmp_path):
    limits = st.JointLimits(1.0, 1.0, velocity=2.0, effort=0.0)
    joint = st.Revolute(name="j", friction=st.Stribeck(2, 1, 0.1), limits=limits)
    body = st.Box(0.1, 0.1, 0.1).of("steel")
    shapes = (st.Shape(file="arm.stl"), st.Torus(0.2, 0.1))
    robot = st.Robot("arm", [st.Link("b", None, joint, body=body, shapes=shapes)])
    lost = losses(robot)
    for word in ("friction", "velocity", "range", "effort", "arm.stl, Torus"):
        assert any(word in loss for loss in lost), word
    with pytest.warns(ModelWarning, match="arm.xml cannot hold, and lacks: the friction of joint 'j'"):
        st.save(robot, tmp_path / "arm.xml")


@pytest.mark.parametrize(
    ("joint", "says"),
    [(st.Helical(name="h", pitch=0.1), "'h' is helical"), (st.Revolute(name="j", multiplier=2.0), "'j' scales")],
)
def test_what_cannot_be_written_is_refused_by_name(joint, says, tmp_path):
    robot = st.Robot("arm", [st.Link("b", None, joint, body=st.MassProperties(1.0))])
    with pytest.raises(SteinerError, match=says):
        st.save(robot, tmp_path / "arm.xml")
    assert not (tmp_path / "arm.xml").exists()


def test_long_arms_are_written():
    links = [st.Link(f"k{i}", f"k{i - 1}" if i else None, st.Revolute(name=f"j{i}")) for i in range(2000)]
    assert write(st.Robot("snake", links)).count("<joint") == 2000


def test_drawings_and_payloads_are_told_as_lost():
    link = st.Assembly("arm", [st.Part("bar", st.Box(0.1, 0.1, 0.1), density=1000)])
    robot = st.Robot("one", [st.Link("arm", joint=st.Revolute(name="j"), made_of=link)])
    told = losses(robot.with_payload(st.MassProperties(1.0), name="cup"))
    assert any("'cup' is a payload" in loss for loss in told) and any("the drawing" in loss for loss in told)
