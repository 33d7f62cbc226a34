"""SDF: frames, poses, axes, bodies and shapes by the standard's meaning; what is refused; exact round trips."""
# ruff: noqa: E501  (a table of documents reads better on long lines)

from __future__ import annotations

import math

import numpy as np
import pytest

import steiner as st
from steiner.errors import FormatError, ModelWarning
from steiner.files import load, loads, save
from steiner.files.sdf_write import losses, write
from steiner.model.joints import Fixed, Helical, JointLimits, Prismatic, Revolute
from steiner.model.link import Link, Shape
from steiner.model.robot import Robot
from tests.comparing import apart
from tests.random_robots import random_robot, random_state

INERTIAL = "<inertial><mass>{}</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial>"
FIXED = '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'
AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def body(mass: float = 1.0) -> str:
    return INERTIAL.format(mass)


def links(pose: str = "", inertial: str = "") -> str:
    return f'<link name="a">{body()}</link><link name="b">{pose}{inertial or body(2.0)}</link>'


def joint(inside: str = AXIS, kind: str = "revolute", parent: str = "a") -> str:
    return f'<joint name="j" type="{kind}"><parent>{parent}</parent><child>b</child>{inside}</joint>'


def model(inside: str, version: str = "1.9", attributes: str = "") -> str:
    return f'<sdf version="{version}"><model name="arm" {attributes}>{inside}</model></sdf>'


def read(inside: str, **options: str) -> Robot:
    return loads(model(inside, **options), format="sdf")


def tip(robot: Robot, q: float = 0.0, link: str = "b") -> np.ndarray:
    return robot.forward_kinematics(np.full(robot.n, q), link).matrix


# ---- frames ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pose",
    [
        "<pose>1 2 3 0.1 0.2 0.3</pose>",
        f'<pose degrees="true">1 2 3 {math.degrees(0.1)!r} {math.degrees(0.2)!r} {math.degrees(0.3)!r}</pose>',
        '<pose relative_to="__model__" rotation_format="euler_rpy">\n 1 2 3\n 0.1 0.2 0.3 </pose>',
        '<pose relative_to="a">1 2 3 0.1 0.2 0.3</pose>',
    ],
)
def test_poses_in_every_spelling(pose):
    robot = read(links(pose) + FIXED + joint())
    np.testing.assert_allclose(tip(robot), st.Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3)).matrix, atol=1e-15)


def test_a_pose_by_quaternion_and_in_a_frame_attached_to_a_link():
    frame = '<frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>'
    pose = '<pose relative_to="f" rotation_format="quat_xyzw">1 0 0 0 0 0.6 0.8</pose>'
    robot = read(links(pose) + frame + FIXED + joint(parent="f"))
    assert robot.link("b").parent == "a"
    T = st.Pose.from_quaternion((1, 0, 1), quat_xyzw=(0, 0, 0.6, 0.8))
    np.testing.assert_allclose(tip(robot), T.matrix, atol=1e-15)
    turned = read(links(pose.replace('1 0 0 0 0 0.6 0.8"', "")) + frame + FIXED + joint(parent="f"))
    np.testing.assert_allclose(tip(turned), T.matrix, atol=1e-15)


def test_frames_in_frames_that_turn():
    """Every link stands where the product of the poses above it says, whatever the joint between them."""
    text = {name: np.random.default_rng(k).uniform(-1, 1, 6).round(3) for k, name in enumerate("gfabj")}
    pose = {name: f"{' '.join(map(str, six))}</pose>" for name, six in text.items()}
    g, f, a, b, _ = (st.Pose.from_rpy(six[:3], six[3:]) for six in text.values())
    inside = (
        f'<frame name="g"><pose>{pose["g"]}</frame><frame name="f"><pose relative_to="g">{pose["f"]}</frame>'
        f'<link name="a"><pose relative_to="g">{pose["a"]}{body()}</link>'
        f'<link name="b"><pose relative_to="f">{pose["b"]}{body()}</link>'
    )
    robot = read(inside + FIXED + joint(f'<pose relative_to="f">{pose["j"]}{AXIS}'))
    np.testing.assert_allclose(tip(robot, link="a"), (g @ a).matrix, atol=1e-14)
    np.testing.assert_allclose(tip(robot), (g @ f @ b).matrix, atol=1e-14)


def test_a_joint_stands_in_its_child_unless_its_pose_says_otherwise():
    own = "<pose>0 1 0 0 0 0</pose>"
    robot = read(links("<pose>1 0 0 0 0 0</pose>") + FIXED + joint(own + AXIS))
    q = 0.7  # turns about the point (1, 1, 0)
    expected = np.array([1, 1, 0]) + np.array([math.sin(q), -math.cos(q), 0])
    np.testing.assert_allclose(tip(robot, q)[:3, 3], expected, atol=1e-15)
    inside = '<pose relative_to="a">0 1 0 0 0 0</pose>'
    robot = read(links("<pose>1 0 0 0 0 0</pose>") + FIXED + joint(inside + AXIS))
    turned = np.array([[math.cos(q), -math.sin(q)], [math.sin(q), math.cos(q)]]) @ [1, -1]
    np.testing.assert_allclose(tip(robot, q)[:2, 3], turned + [0, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("version", "axis", "along_model"),
    [
        ("1.9", "<xyz>1 0 0</xyz>", False),
        ("1.9", '<xyz expressed_in="__model__">1 0 0</xyz>', True),
        ("1.9", '<xyz expressed_in="a">1 0 0</xyz>', True),
        ("1.9", '<xyz expressed_in="b">1 0 0</xyz>', False),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", True),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>0</use_parent_model_frame>", False),
        ("1.4", "<xyz>1 0 0</xyz>", True),
    ],
)
def test_axes_are_along_the_joint_or_along_what_is_said(version, axis, along_model):
    """As Drake reads the same files: 0.2 kg m² about y of the link, which is x of the model."""
    robot = read(links("<pose>0 0 0 0 0 -1.5707963267948966</pose>") + FIXED + joint(f"<axis>{axis}</axis>"),
                 version=version)  # fmt: skip
    assert robot.mass_matrix([0.3])[0, 0] == pytest.approx(0.2 if along_model else 0.1, rel=1e-12)


def test_the_model_stands_by_its_placement_frame():
    inside = '<pose>0 0 5 0 0 0</pose><frame name="foot"><pose>0 0 1 0 0 0</pose></frame>'
    robot = read(inside + links("<pose>0 0 2 0 0 0</pose>") + FIXED + joint(), attributes='placement_frame="foot"')
    assert tip(robot)[2, 3] == 6


def test_gravity_is_that_of_the_world():
    text = f'<sdf version="1.9"><world name="moon"><gravity>0 0 -1.62</gravity><model name="arm">{links() + FIXED}'
    robot = loads(text + joint() + "</model></world></sdf>", format="sdf")
    assert robot.gravity.tolist() == [0, 0, -1.62]
    assert read(links() + FIXED + joint()).gravity.tolist() == [0, 0, -9.81]


def test_many_frames_take_linear_time():
    """Poses far apart go through the model frame, not along the chain."""
    count = 600
    frames = "".join(f'<frame name="f{i}"><pose relative_to="f{i - 1}">0.125 0 0 0 0 0</pose></frame>'
                     for i in range(1, count))  # fmt: skip
    inside = f'<frame name="f0"/>{frames}'
    robot = read(inside + links(f'<pose relative_to="f{count - 1}">0 0 0 0 0 0</pose>') + FIXED + joint())
    assert tip(robot)[0, 3] == (count - 1) / 8


# ---- bodies, joints, shapes ------------------------------------------------------------------------------


def test_a_body_in_an_inertial_frame():
    inertial = body(2.0).replace("<mass>", "<pose>0.1 0 0 0 0 1.5707963267948966</pose><mass>")
    found = read(links(inertial=inertial) + FIXED + joint()).link("b").body
    np.testing.assert_allclose(found.com, (0.1, 0, 0))
    np.testing.assert_allclose(np.diag(found.inertia), (0.2, 0.1, 0.15))


@pytest.mark.parametrize(
    ("inertial", "named"),
    [("<pose>0 0 0 0 0 0</pose>", "<inertial>"), ("<inertial><mass>2</mass></inertial>", "<inertia>")],
)
def test_what_is_not_stated_is_what_the_standard_says_and_told(inertial, named):
    with pytest.warns(ModelWarning, match=f"link 'b' inertial: {named} is not stated; SDF then says 1 kg"):
        found = read(links(inertial=inertial) + FIXED + joint()).link("b").body
    assert found.mass in (1.0, 2.0) and found.inertia.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("pitch", "metres_per_radian"),
    [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * math.pi)),
        ("<thread_pitch>-20</thread_pitch>", 0.05),
        ("<thread_pitch>7</thread_pitch><screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * math.pi)),
    ],
)
def test_threads_in_metres_per_turn_or_in_the_old_way(pitch, metres_per_radian):
    found = read(links() + FIXED + joint(AXIS + pitch, "screw")).joint("j")
    assert isinstance(found, Helical) and found.pitch == pytest.approx(metres_per_radian, rel=1e-15)


def test_limits_friction_rotor_and_springs():
    axis = (
        "<axis><xyz>0 0 2</xyz><limit><lower>-1</lower><upper>inf</upper><effort>-1</effort><velocity>3</velocity>"
        "</limit><dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>5</spring_stiffness>"
        "<spring_reference>0.3</spring_reference></dynamics></axis><drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>100</drake:gear_ratio>"
    )
    text = model(links() + FIXED + joint(axis)).replace("<sdf", '<sdf xmlns:drake="drake.mit.edu"')
    robot = loads(text, format="sdf")
    found = robot.joint("j")
    assert (found.stiffness, found.rest) == (5.0, 0.3)
    with pytest.raises(FormatError, match=r"<spring_stiffness> -5\.0 is negative"):
        loads(text.replace("ness>5<", "ness>-5<"), format="sdf")
    assert found.limits == JointLimits(-1.0, None, 3.0, None)
    assert found.friction.terms == (st.Viscous(0.1), st.Coulomb(0.2)) and found.armature == pytest.approx(1.0)
    assert "length 2" in robot.provenance["normalised"][0]


def test_followers():
    mimic = '<mimic joint="w" axis="axis"><multiplier>2</multiplier><offset>1</offset><reference>3</reference></mimic>'
    first = FIXED.replace('"fixed"', '"prismatic"').replace("<child>a</child>", f"<child>a</child>{AXIS}")
    text = model(links() + first + joint(f"<axis><xyz>0 0 1</xyz>{mimic}</axis>"))
    robot = loads(text, format="sdf", mimic="coupled")
    follower = robot.joint("j")
    assert robot.joint_names == ("w",)
    assert (follower.follows, follower.multiplier, follower.offset) == ("w", 2.0, -5.0)
    with pytest.warns(ModelWarning, match="mimic"):
        assert loads(text, format="sdf").n == 2


def test_shapes_have_no_say_in_dynamics_and_are_kept():
    looks = (
        '<visual name="v"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry><material>'
        "<diffuse>1 0.5 0 1</diffuse></material></visual><collision name='c'><geometry><ellipsoid><radii>1 2 3</radii>"
        "</ellipsoid></geometry></collision><visual name='m'><geometry><mesh><uri>model://arm/b.dae</uri><scale>2 2 2"
        "</scale></mesh></geometry></visual>"
    )
    box, ball, mesh = read(links(inertial=body(2e4) + looks) + FIXED + joint()).link("b").shapes
    assert isinstance(box.solid, st.Box) and box.solid.z == 3 and box.colour == (1, 0.5, 0, 1) and box.pose.p[2] == 1
    assert isinstance(ball.solid, st.Ellipsoid) and ball.role == "collision"
    assert (mesh.file, mesh.scale) == ("model://arm/b.dae", (2.0, 2.0, 2.0))
    with pytest.warns(ModelWarning, match="<plane> is left out"):
        read(links().replace("</link>", "<visual name='p'><geometry><plane/></geometry></visual></link>", 1) + FIXED
             + joint())  # fmt: skip


# ---- roots, and what is refused --------------------------------------------------------------------------


def test_a_model_that_nothing_holds_stands_on_the_ground_and_that_is_told():
    with pytest.warns(ModelWarning, match="link 'a': no joint holds it; SDF lets such a link fly"):
        assert read(links() + joint()).n == 1
    with pytest.warns(ModelWarning, match="no moving joint"):
        assert read("<static>true</static>" + links() + joint("", "fixed")).n == 0


REFUSED = {
    "no model": ('<sdf version="1.9"/>', "no <model>; expected one"),
    "two models": ('<sdf version="1.9"><model name="a"/><model name="b"/></sdf>', "2 models: 'a', 'b'"),
    "no version": ("<sdf><model name='a'/></sdf>", "'version' is missing"),
    "odd version": ("<sdf version='new'><model name='a'/></sdf>", "expected one such as 1.10"),
    "urdf": ("<robot/>", "expected <sdf>"),
    "include": (model("<include><uri>model://ur5</uri></include>"), "include.* of 'model://ur5' is not followed.*gz sdf -p"),
    "nested": (model('<model name="hand"/>'), "a model inside a model is not read"),
    "empty": (model(""), "no <link> in this model"),
    "free": (model(links()), "2 links have no joint above them: 'a' .*, 'b'"),
    "free beside": (model(links() + FIXED), "1 links have no joint .* beside what is joined to the world"),
    "loop": (model(links() + FIXED + joint() + joint().replace('"j"', '"k"')), "'b' already hangs from joint 'j'"),
    "cycle": (model(links() + FIXED.replace("world", "b") + joint()), "form a cycle"),
    "child world": (model(links() + FIXED.replace("<child>a", "<child>world") + joint()), "the world is no child|unknown|no frame"),
    "frames in a cycle": (
        model(links('<pose relative_to="f">0 0 0 0 0 0</pose>') + '<frame name="f"><pose relative_to="b"/></frame>'),
        "relative to each other in a cycle: ",
    ),
    "attached in a cycle": (
        model(links() + '<frame name="f" attached_to="g"><pose relative_to="a"/></frame><frame name="g" attached_to="f">'
              '<pose relative_to="a"/></frame>' + FIXED + joint(parent="f")),
        "attached to each other in a cycle",
    ),
    "unknown frame": (model(links('<pose relative_to="nope">0 0 0 0 0 0</pose>') + FIXED + joint()), "no frame named 'nope'"),
    "same name": (model(links() + FIXED + joint().replace('"j"', '"b"')), "a second frame named 'b'; the first is <link>"),
    "reserved": (model('<link name="__x__"/>'), "reserved in SDF"),
    "ball": (model(links() + FIXED + joint(AXIS, "ball")), "type 'ball' .a quaternion. is not supported"),
    "unknown type": (model(links() + FIXED + joint(AXIS, "hinge")), "type of joint named 'hinge'"),
    "no axis": (model(links() + FIXED + joint("")), "<axis> is missing"),
    "zero axis": (model(links() + FIXED + joint("<axis><xyz>0 0 0</xyz></axis>")), "no direction"),
    "no pitch": (model(links() + FIXED + joint(AXIS, "screw")), "needs <screw_thread_pitch>"),
    "static that moves": (model("<static>1</static>" + links() + joint()), "the model is static"),
    "auto inertia": (model(links(inertial='<inertial auto="true"/>') + FIXED + joint()), "are not computed"),
    "negative mass": (model(links(inertial=body(-1)) + FIXED + joint()), "mass -1.0 kg is negative"),
    "five numbers": (model(links("<pose>0 0 0 0 0</pose>") + FIXED + joint()), "has 5 numbers; expected 6"),
    "comma": (model(links("<pose>0,5 0 0 0 0 0</pose>") + FIXED + joint()), "a decimal comma; write 0.5"),
    "nan": (model(links("<pose>nan 0 0 0 0 0</pose>") + FIXED + joint()), "not a finite number"),
    "long": (model(links(f"<pose>{'0 ' * 4000}</pose>") + FIXED + joint()), "more than 4000 characters"),
    "old frame": (model(links('<pose frame="a">0 0 0 0 0 0</pose>') + FIXED + joint()), "since SDF 1.7 it is relative_to"),
    "no unit quaternion": (
        model(links('<pose rotation_format="quat_xyzw">0 0 0 0 0 0 2</pose>') + FIXED + joint()), "quaternion of length 2",
    ),
    "bad sphere": (
        model(links(inertial=body() + "<visual name='v'><geometry><sphere><radius>-1</radius></sphere></geometry></visual>")
              + FIXED + joint()), "Sphere",
    ),
    "doctype": ('<!DOCTYPE x [<!ENTITY a "b">]><sdf version="1.9"/>', "document type declaration"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_clear_meaning_is_refused_with_its_line(case):
    text, words = REFUSED[case]
    with pytest.raises(FormatError, match=words) as caught:
        loads(text, format="sdf")
    assert str(caught.value).startswith("<text>:1")


# ---- written and read back -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_random_robots_come_back_as_they_were(seed):
    robot = random_robot(seed, 4, coupled=seed % 2 == 0, springs=True)
    assert "spring_stiffness" in write(robot)
    again = loads(write(robot), format="sdf", mimic="coupled", snap=False)
    assert again.joint_names == robot.joint_names and again.gravity.tolist() == robot.gravity.tolist()
    assert again.link_names[: len(robot.links)] == robot.link_names
    assert apart(robot, again, seed) < 1e-14


def test_saved_with_limits_friction_rotor_shapes_and_odd_names(tmp_path):
    limits = JointLimits(-1.0, 2.0, 3.0, 4.0)
    shapes = [
        Shape(st.Cylinder(0.1, 0.4, axis="x"), colour=(1.0, 0.0, 0.0, 1.0), name="look"),
        Shape(st.Capsule(0.1, 0.2).at(xyz=(0, 0, 0.5)), role="collision"),
        Shape(file="b & c.stl", scale=(1e-3,) * 3),
        Shape(st.Sphere(0.1)),
    ]
    solid = st.MassProperties(30.0, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    turning = Revolute(name="a<b", limits=limits, friction=st.Viscous(0.1) + st.Coulomb(0.2), armature=0.3)
    sliding = Prismatic(name="slide", axis=(1, 1, 0), limits=JointLimits(None, None, None, 7.0))
    arm = Robot("arm", (Link("base", body=solid), Link("k & l", "base", turning, body=solid, shapes=shapes),
                        Link("end", "k & l", sliding, body=solid)))  # fmt: skip
    again = load(save(arm, tmp_path / "arm.sdf"))
    assert again.joint_names == ("a<b", "slide") and again.link_names == arm.link_names
    found = again.joint("a<b")
    assert (found.limits, found.friction.terms, found.armature) == (limits, turning.friction.terms, 0.3)
    assert again.joint("slide").limits == sliding.limits
    rod, capsule, mesh, ball = again.link("k & l").shapes
    assert rod.name == "look" and rod.colour == (1, 0, 0, 1) and rod.pose.R[:, 2].tolist() == [1, 0, 0]
    assert capsule.role == "collision" and capsule.pose.p.tolist() == [0, 0, 0.5] and capsule.solid.height == 0.2
    assert (mesh.file, mesh.scale) == ("b & c.stl", (1e-3,) * 3) and ball.solid.radius == 0.1


@pytest.mark.filterwarnings("ignore:.*moves but has no mass")
def test_what_sdf_cannot_hold_is_said():
    solid = st.MassProperties(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    joint = Revolute(name="world", friction=st.Stribeck(2.0, 1.0, 0.1))
    links = (Link("base"), Link("world", "base", joint, body=solid, shapes=st.Torus(0.2, 0.1)))
    arm = Robot("arm", links).with_payload(solid, name="load")
    said = " · ".join(losses(arm))
    for words in ("'world', which SDF keeps", "friction of joint 'world'", "'load' is a payload", "a Torus"):
        assert words in said
    again = loads(write(arm), format="sdf")
    assert again.n == 1 and again.total_mass == 2
    with pytest.raises(FormatError, match="scales or shifts"):
        write(Robot("odd", (Link("k", joint=Revolute(name="a", multiplier=2.0), body=solid),)))
    assert isinstance(again.link("base").joint, Fixed)


# ---- joints of several degrees, written --------------------------------------------------------------------------------


def wristed(joint: st.Joint, finger: st.Joint | None = None) -> Robot:
    hand = Link("hand", "base", joint, st.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
                st.MassProperties(2.0, (0.1, 0.2, -0.1), (0.03, 0.02, 0.04)), st.Pose.from_rpy((0, 0.1, 0), (0.3, 0, 0)))  # fmt: skip
    more = [Link("finger", "hand", finger, body=st.MassProperties(0.3, (0.1, 0, 0), (0.01, 0.01, 0.01)))] if finger else []
    return Robot("wrist", [Link("base", body=st.MassProperties(1.0)), hand, *more])


def same_dynamics(a: Robot, b: Robot) -> None:
    assert a.joint_names == b.joint_names
    q, qd, _ = random_state(a, 3)
    for ours, theirs in ((a.mass_matrix(q), b.mass_matrix(q)), (a.velocity_forces(q, qd), b.velocity_forces(q, qd)),
                         (a.gravity_forces(q), b.gravity_forces(q)), (a.friction_forces(q, qd), b.friction_forces(q, qd))):  # fmt: skip
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)


def test_a_universal_joint_is_written_as_one():
    robot = wristed(st.Universal(name="w", axis=(1, 2, 3), friction={"ry": st.Viscous(0.2)}, limits={"rx": (-1, 2)}))
    text = write(robot)
    assert text.count('type="universal"') == 1 and "<axis2>" in text and losses(robot) == []
    back = loads(text, format="sdf")
    same_dynamics(robot, back)
    assert back.links[1].joint.screws()[0].limits[:2] == (-1, 2)
    assert write(back).count('type="universal"') == 1


@pytest.mark.parametrize("kind", [st.Universal, st.Cylindrical, st.Planar, st.Spherical])
def test_joints_of_several_degrees_are_written_as_chains(kind):
    joint = kind(name="w", axis=(1, 2, 3), armature=0.01, friction=st.Viscous(0.1))
    leader = joint.screws()[0].name
    robot = wristed(joint, Revolute(name="f", follows=leader, multiplier=2.0, offset=0.1))
    text = write(robot)
    assert 'type="universal"' not in text and losses(robot) == ["that the joints of 'w' are one, without links in between"]
    with pytest.warns(ModelWarning, match="hand_axis.*moves but has no mass"):
        same_dynamics(robot, loads(text, format="sdf", mimic="coupled"))


def test_a_universal_joint_that_leads_is_a_chain():
    robot = wristed(st.Universal(name="w"), Revolute(name="f", follows="w.ry"))
    assert "<mimic joint=\"w.ry\"" in write(robot)
    with pytest.warns(ModelWarning, match="hand_axis.*moves but has no mass"):
        same_dynamics(robot, loads(write(robot), format="sdf", mimic="coupled"))
