"""Robots drawn in YAML: every key, formulas of parameters, patterns and templates, and the way back."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from random_robots import random_robot
from steiner.files.expressions import Parameter, expression
from steiner.files.load import rendered
from steiner.files.schema import schema

ROOT = Path(__file__).parent.parent.parent

DRAWN = """
unit: mm
parameters: {L: 400, wall: 3, tilt: 30 deg, rho: 1.2 g/cm^3}
materials: {resin: {density: 1.18 g/cm^3, source: data sheet}}
robot:
  name: arm
  gravity: [0, 0, -9.81 m/s^2]
  links:
    - name: base
      parts: [{name: plate, shape: box, size: [L, 300, 10], material: steel}]
    - name: upper
      parent: base
      joint: {name: shoulder, type: revolute, axis: [0, -1, 0], xyz: [0, 0, 80], rpy: [tilt, 0, 0],
              limits: {lower: -90 deg, upper: 90 deg, effort: 8 N m, velocity: 60 rpm},
              friction: {viscous: 0.05, coulomb: 0.2}, rotor: {inertia: 20 g*cm^2, ratio: 100}}
      parts:
        - {name: beam, shape: box, size: [L, 40, 30], hollow: wall, material: aluminium, xyz: [L/2, 0, 0],
           tolerance: 0.2}
        - {name: motor, shape: cylinder, diameter: 40, height: 50, mass: 250 g, xyz: [L, 0, 40]}
        - {name: bore, shape: cylinder, diameter: 4, height: 3, material: aluminium, cavity: true, xyz: [50, 0, 13.5],
           pattern: {circle: 6, radius: 10}}
        - {name: cap, like: motor, mass: 20 g, xyz: [0, 0, 0]}
        - {name: cover, shape: box, size: [50, 50, 20], hollow: 2, infill: 20 %, density: rho}
    - name: slide
      parent: upper
      joint: {name: rail, type: prismatic, axis: [1, 0, 0], xyz: [L, 0, 0],
              limits: {lower: 0, upper: 100, effort: 50 N, velocity: 200 mm/s}, friction: {viscous: 2 N s/m}}
      body: {mass: 300 g, com: [0, 0, 5], inertia: [1e-4, 2e-4, 2e-4]}
      shapes: [{shape: sphere, radius: 20, role: visual, colour: [0.2, 0.4, 0.8, 1]}]
  payloads: [{name: gripper, link: slide, mass: 0.5, xyz: [L/10, 0, 0]}]
"""


@pytest.fixture(scope="module")
def arm() -> st.Robot:
    return st.loads(DRAWN, format="robot_yaml")


def same(a: st.Robot, b: st.Robot, rtol: float = 0.0) -> None:
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-1, 1, (3, a.n))
    assert a.joint_names == b.joint_names and a.link_names == b.link_names
    for x, y in (
        (a.inverse_dynamics(q, qd, qdd), b.inverse_dynamics(q, qd, qdd)),
        (a.mass_matrix(q), b.mass_matrix(q)),
        (a.gravity_forces(q), b.gravity_forces(q)),
        (a.forward_kinematics(q, a.link_names[-1]).p, b.forward_kinematics(q, b.link_names[-1]).p),
    ):
        assert np.allclose(x, y, rtol=rtol, atol=rtol)


def test_every_number_has_its_unit(arm):
    shoulder, rail = arm.joint("shoulder"), arm.joint("rail")
    assert math.isclose(shoulder.armature, 20e-7 * 100**2)
    assert np.allclose(shoulder.limits, (-math.pi / 2, math.pi / 2, 2 * math.pi, 8.0))
    assert np.allclose(rail.limits, (0.0, 0.1, 0.2, 50.0))
    assert shoulder.friction.effort(2.0) == 0.05 * 2 + 0.2 and rail.friction.effort(2.0) == 4.0
    assert np.allclose(arm.link("upper").mount.R, st.Pose.from_rpy((0, 0, 0), (math.radians(30), 0, 0)).R)
    assert arm.parameters == {"L": 0.4, "wall": 0.003, "tilt": math.radians(30), "rho": 1200.0}


def test_parts_are_what_python_would_make_of_them(arm):
    upper = arm.link("upper").made_of
    beam = st.Box(0.4, 0.04, 0.03).hollow(0.003).of("aluminium")
    assert np.allclose(upper.find("beam").part.mass_properties.inertia, beam.inertia, rtol=1e-13)
    assert upper.find("cap").part.solid == upper.find("motor").part.solid and upper.find("cap").part.mass == 0.02
    cover = upper.find("cover").part.mass_properties
    room = 0.046 * 0.046 * 0.016
    assert math.isclose(cover.mass, 1200 * (0.05 * 0.05 * 0.02 - room) + 240 * room, rel_tol=1e-12)
    bores = [upper.find(f"bore{k}").pose.p for k in range(1, 7)]
    assert np.allclose(np.linalg.norm(np.array(bores) - (0.05, 0, 0.0135), axis=1), 0.01)
    assert np.allclose(np.mean(bores, axis=0), (0.05, 0, 0.0135))
    assert arm.payloads[0].name == "gripper" and np.allclose(arm.payloads[0].pose.p, (0.04, 0, 0))
    assert arm.link("slide").shapes[0].solid.radius == 0.02


def test_parameters_move_all_that_hangs_on_them(arm):
    longer = st.loads(DRAWN.replace("L: 400", "L: 550").replace("wall: 3", "wall: 2"), format="robot_yaml")
    same(arm.with_parameters({"L": 0.55, "wall": 0.002}), longer, 1e-12)
    names = ["L", "wall", "upper/beam.density", "upper/motor.radius"]
    kernel = st.compile("inverse_dynamics", arm, parameters=names, derivatives=["L"])
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    tau, slope = kernel(q, qd, qdd, parameters={"L": 0.55, "wall": 0.002})
    assert np.allclose(tau, longer.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    h = 1e-6
    near = [arm.with_parameters({"L": 0.55 + d, "wall": 0.002}).inverse_dynamics(q, qd, qdd) for d in (h, -h)]
    assert np.allclose(slope, (near[0] - near[1]) / (2 * h), rtol=1e-6, atol=1e-9)


def test_the_way_back_is_exact_and_keeps_the_formulas(arm, tmp_path):
    st.save(arm, tmp_path / "arm.yaml")
    again = st.load(tmp_path / "arm.yaml")
    same(arm, again)
    assert 'rpy: ["tilt", 0, 0]' in (tmp_path / "arm.yaml").read_text()
    same(arm.with_parameters({"L": 0.5}), again.with_parameters({"L": 0.5}), 1e-13)
    st.save(again, tmp_path / "again.yaml")
    assert (tmp_path / "again.yaml").read_text() == (tmp_path / "arm.yaml").read_text()


@pytest.mark.parametrize("rpy", ["tilt, 0, 0", "0, -tilt, 0", "turn, 2*tilt, tilt", "0, 1.2, tilt"])
def test_angles_that_are_formulas_come_back(rpy, tmp_path):
    """As formulas of the angles, or as the matrix where one of them is a number."""
    head = "unit: m\nparameters: {tilt: 30 deg, turn: 1 rad}\nrobot:\n  name: r\n  links:\n"
    joint, body = f"{{name: j, axis: [0, 1, 0], rpy: [{rpy}]}}", "{mass: 1, com: [0.1, 0.2, 0.3]}"
    robot = st.loads(f"{head}    - {{name: l, joint: {joint}, body: {body}}}\n", format="robot_yaml")
    st.save(robot, tmp_path / "r.yaml")
    again, exact = st.load(tmp_path / "r.yaml"), "1.2" not in rpy
    assert ("rpy:" in (tmp_path / "r.yaml").read_text()) is exact
    same(robot, again, 0.0 if exact else 1e-15)
    other = {"tilt": -0.4, "turn": 2.0}
    same(robot.with_parameters(other), again.with_parameters(other), 1e-14)


@pytest.mark.parametrize("name", [n for n in st.gallery() if not st.load(f"gallery:{n}").is_symbolic])
def test_every_robot_of_the_gallery_comes_back(name, tmp_path):
    robot = st.load(f"gallery:{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published tables hold unphysical bodies
        st.save(robot, tmp_path / "r.yaml")
        again = st.load(tmp_path / "r.yaml")
    same(robot, again)
    assert [bool(link.made_of) for link in robot.links] == [bool(link.made_of) for link in again.links]


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_come_back(seed, tmp_path):
    robot = random_robot(seed, springs=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        st.save(robot, tmp_path / "r.yaml")
        same(robot, st.load(tmp_path / "r.yaml"))


SPRUNG = """unit: mm
parameters: {k: 0.5 N m/deg}
robot:
  name: sprung
  links:
    - {name: a, joint: {name: lid, type: revolute, stiffness: k, rest: 30 deg}, body: {mass: 1 kg}}
    - {name: b, parent: a, joint: {name: rod, type: prismatic, stiffness: 2 N/mm, rest: 40}, body: {mass: 1 kg}}
    - name: c
      parent: b
      joint: {name: foot, type: planar, stiffness: {x: 300, rz: 4 N m/rad}, rest: {rz: 90 deg}}
      body: {mass: 1 kg}
"""


def test_springs_have_units_and_come_back(tmp_path):
    robot = st.loads(SPRUNG, format="robot_yaml")
    found = {body.joint.name: (body.joint.stiffness, body.joint.rest) for body in robot.bodies}
    assert found == {
        "lid": (pytest.approx(0.5 * 180 / np.pi), pytest.approx(np.pi / 6)), "rod": (2000.0, 0.04),
        "foot.x": (300.0, 0.0), "foot.y": (0.0, 0.0), "foot.rz": (4.0, pytest.approx(np.pi / 2)),
    }  # fmt: skip
    assert robot.with_parameters({"k": 3.0}).joint("lid").stiffness == 3.0
    st.save(robot, tmp_path / "r.yaml")
    again = st.load(tmp_path / "r.yaml")
    assert {b.joint.name: (b.joint.stiffness, b.joint.rest) for b in again.bodies} == found
    assert again.with_parameters({"k": 3.0}).joint("lid").stiffness == 3.0
    mistakes = ("2 N/mm", "2 N m/rad"), ("rest: 40", "rest: 40 deg"), ("300", "-300"), ("stiffness: k", "stiff: k")
    for wrong, said in mistakes:
        with pytest.raises(st.SteinerError, match=r"sprung|<text>:\d+"):
            st.loads(SPRUNG.replace(wrong, said), format="robot_yaml")


@pytest.mark.parametrize("format", ["urdf", "matlab", "modern_robotics"])
def test_what_has_no_words_for_springs_says_so(format, tmp_path):
    robot = st.loads(SPRUNG.partition("    - name: c")[0], format="robot_yaml")
    assert [x for x in rendered(robot, format).losses if "spring" in x] == [
        "the spring of joint 'lid'", "the spring of joint 'rod'",
    ]  # fmt: skip


def test_a_link_comes_back(tmp_path):
    link = st.load(ROOT / "examples" / "decks_link.yaml").weighed(8.0)
    st.save(link, tmp_path / "link.yaml")
    again = st.load(tmp_path / "link.yaml")
    assert [n.path for n in again.nodes()] == [n.path for n in link.nodes()]
    assert np.array_equal(again.mass_properties.inertia, link.mass_properties.inertia) and again.scale == 8.0


def test_the_desk_arm_of_the_examples_is_that_of_the_gallery():
    same(st.load(ROOT / "examples" / "desk_arm.yaml"), st.load("gallery:desk"), 1e-15)


def test_the_schema_knows_every_key(tmp_path, arm):
    jsonschema = pytest.importorskip("jsonschema")
    from ruamel.yaml import YAML

    st.save(arm, tmp_path / "arm.yaml")
    texts = [DRAWN, (tmp_path / "arm.yaml").read_text(), (ROOT / "examples" / "desk_arm.yaml").read_text()]
    for text in texts:
        jsonschema.validate(json.loads(json.dumps(YAML(typ="safe").load(text))), schema())
    wrong = json.loads(json.dumps(YAML(typ="safe").load(DRAWN.replace("payloads:", "payload:"))))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema())


# ---- patterns, templates, files ----------------------------------------------------------------------------


def link_of(parts: str, head: str = "unit: mm") -> st.Assembly:
    return st.loads(f"{head}\nlink:\n  name: l\n  parts:\n{parts}", format="link_yaml")


def test_rows_and_grids():
    ball = "name: a, shape: sphere, radius: 2, mass: 0.1 g"
    made = link_of(f"    - {{{ball}, xyz: [1, 2, 3], pattern: {{row: 3, step: [10, 0, 1]}}}}")
    assert np.allclose([made.find(f"a{k}").pose.p * 1000 for k in (1, 2, 3)], [[1, 2, 3], [11, 2, 4], [21, 2, 5]])
    made = link_of(f"    - {{{ball}, pattern: {{grid: [3, 2], step: [10, 20]}}}}")
    places = sorted(tuple(np.round(n.pose.p * 1000, 9)) for n in made.nodes() if n.depth)
    assert places == sorted((10.0 * i, 20.0 * j, 0.0) for i in range(3) for j in range(2))


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_circle_turns_its_copies(axis):
    """Spokes of a wheel: each points outwards, and the wheel is balanced and symmetric about its axis."""
    along = {"x": "y", "y": "z", "z": "x"}[axis]
    spoke = f"shape: cylinder, radius: 2, height: 30, axis: {along}, mass: 1 g"
    made = link_of(f"    - {{name: s, {spoke}, xyz: [1, 2, 3], pattern: {{circle: 5, radius: 40, axis: {axis}}}}}")
    body = made.mass_properties
    assert np.allclose(body.com * 1000, (1, 2, 3))
    k = "xyz".index(axis)
    others = [i for i in range(3) if i != k]
    assert np.isclose(*body.inertia.diagonal()[others], rtol=1e-12, atol=0)
    arm = 1.0 * (3 * 0.002**2 + 0.03**2) / 12 + 0.04**2
    assert np.isclose(body.inertia[k, k], 5 * 0.001 * arm, rtol=1e-12, atol=0)


def test_part_of_a_circle():
    ball = "name: s, shape: sphere, radius: 2, mass: 0.1 g"
    made = link_of(f"    - {{{ball}, pattern: {{circle: 3, diameter: 20, angle: 90 deg}}}}")
    found = [made.find(f"s{k}").pose.p * 1000 for k in (1, 2, 3)]
    assert np.allclose(found, [(10, 0, 0), (10 / math.sqrt(2), 10 / math.sqrt(2), 0), (0, 10, 0)])


def test_links_of_other_files_and_nothing_outside(tmp_path):
    (tmp_path / "sub").mkdir()
    hand = "unit: mm\nlink: {name: h, parts: [{shape: sphere, radius: 5, mass: 1 g}]}\n"
    (tmp_path / "sub" / "hand.yaml").write_text(hand)
    (tmp_path / "arm.yaml").write_text(
        "unit: m\nlink: {name: l, parts: [{name: hand, file: sub/hand.yaml, xyz: [1, 0, 0]}]}\n"
    )
    made = st.load(tmp_path / "arm.yaml")
    assert np.allclose(made.com(), (1, 0, 0)) and made.find("hand/sphere1").part.solid.radius == 0.005
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.yaml").write_text(hand)
    (tmp_path / "sub" / "link.yaml").symlink_to(outside / "x.yaml")
    for name, other in (("loop", "back"), ("back", "loop")):
        (tmp_path / "sub" / f"{name}.yaml").write_text(asking(f"{other}.yaml"))
    cases = {"../outside/x.yaml": "outside", str(outside / "x.yaml"): "outside", "link.yaml": "outside"}
    for name, told in {**cases, "loop.yaml": "itself", "": "name of a file", "bad.yaml": "itself"}.items():
        (tmp_path / "sub" / "bad.yaml").write_text(asking(name))
        with pytest.raises(st.SteinerError, match=rf"\.yaml:2: .*{told}"):
            st.load(tmp_path / "sub" / "bad.yaml")


def asking(name: str) -> str:
    return f"unit: m\nlink: {{name: l, parts: [{{name: a, file: '{name}'}}]}}\n"


# ---- what is refused ---------------------------------------------------------------------------------------

FAULTS = {
    "L: 400": ("L: 400 furlongs", "no unit"),
    "size: [L, 40, 30]": ("size: [M/2, 40, 30]", "no parameter named 'M'"),
    "xyz: [L/2, 0, 0]": ("xyz: [L/(1-1), 0, 0]", "divides by zero"),
    "hollow: wall": ("hollow: 10*wall", "leaves nothing inside"),
    "diameter: 40": ("diameter: 40, radius: 20", "both given"),
    "like: motor": ("like: moter", "did you mean 'motor'"),
    "infill: 20 %": ("infill: 120 %", "no share"),
    "circle: 6, radius: 10": ("circle: 0, radius: 10", "how many"),
    "circle: 6,": ("circle: 6, row: 2,", "expected one of|unknown|no key"),
    "type: revolute": ("type: revolut", "did you mean 'revolute'"),
    "effort: 8 N m": ("effort: 8 kg", "no unit of torque"),
    "parent: base": ("parent: bass", "bass"),
    "viscous: 0.05": ("viscose: 0.05", "did you mean 'viscous'"),
    "ratio: 100": ("ration: 100", "did you mean 'ratio'"),
    "role: visual": ("role: visible", "did you mean 'visual'"),
    "mass: 300 g": ("mass: .nan", "finite"),
    "link: slide": ("link: slider", "slider"),
    "name: arm": ("name: [1]", "name"),
}


@pytest.mark.parametrize("good", FAULTS)
def test_faults_are_told_with_their_line(good):
    bad, told = FAULTS[good]
    assert DRAWN.count(good) >= 1
    with pytest.raises(st.SteinerError, match=told) as caught:
        st.loads(DRAWN.replace(good, bad, 1), format="robot_yaml")
    assert str(caught.value).startswith("<text>:")


def test_provenance_and_tolerance_are_kept(tmp_path):
    """Said of the body or of the link; the measured link has its drawing's way to tell it."""
    text = DRAWN.replace("inertia: [1e-4, 2e-4, 2e-4]}", "inertia: [1e-4, 2e-4, 2e-4], provenance: measured}")
    arm = st.loads(text.replace("tolerance: 0.2", "tolerance: wall/15"), format="robot_yaml")
    st.save(arm, tmp_path / "arm.yaml")
    for robot in (arm, st.load(tmp_path / "arm.yaml")):
        assert robot.link("slide").made_of.origins["mass"] == "measured" and robot.link("slide").body.mass == 0.3
        assert "slide" in robot.torque_breakdown(*np.ones((3, 2)), by="part")
        assert robot.link("upper").made_of.find("beam").part.tolerance == pytest.approx(2e-4, rel=1e-15)
    with pytest.raises(st.SteinerError, match=r"<text>:\d+: .*tolerance.*'kg' is no unit of length"):
        st.loads(DRAWN.replace("tolerance: 0.2", "tolerance: 1 kg"), format="robot_yaml")
    with pytest.raises(st.SteinerError, match=r"tolerance is -0\.001 m; expected 0 or more"):
        st.loads(DRAWN.replace("tolerance: 0.2", "tolerance: -1"), format="robot_yaml")


PARAMETERS = {"L": Parameter("length", 0.4), "a": Parameter("angle", 0.5), "rho": Parameter("density", 2700.0)}


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("L/2", "length", 0.2), ("L + 10", "length", 0.41), ("2*L - 5 cm", "length", 0.75),
        ("-(L-100)/3", "length", -0.1), ("2**3 * L", "length", 3.2),
        ("a", "angle", 0.5), ("a + 90 deg", "angle", 0.5 + math.pi / 2), ("rho*L^2/2", "mass", 216.0),
        ("sqrt(L^2 + (300)^2)", "length", 0.5), ("L*sin(a)", "length", 0.4 * math.sin(0.5)),
        ("1e2+L", "length", 0.5), ("L-100", "length", 0.3), ("- L", "length", -0.4), ("2 in", "length", 0.0508),
    ],
)  # fmt: skip
def test_formulas(text, kind, value):
    assert math.isclose(expression(text, kind, "mm", PARAMETERS), value, rel_tol=1e-14)


@pytest.mark.parametrize(
    "text",
    ["", "L L", "L/", "*L", "(L", "L)", "L^a", "L^99", "L/0", "3 foo", "__import__('os')", "L.real", "[L]",
     "L if a else L", "sin a", "lambda: 3", "'L'", "L;L", "9" * 500, "(" * 99 + "L" + ")" * 99, "-" * 200 + "L",
     "L\x00", "π"],
)  # fmt: skip
def test_formulas_that_are_none_are_refused_at_once(text):
    with pytest.raises(st.SteinerError):
        expression(text, "length", "mm", PARAMETERS)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("unit: m\nlink:\n  parts:\n    - {shape: box, size: [1, 2, 1], density: 1000, rpy: [90, 0, 0]}\n", 4),
        ("unit: m\nrobot:\n  links:\n    - name: a\n      joint: {name: j, type: revolute,\n              "
         "rpy: [90, 0, 0]}\n      body: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1.5]}\n", 6),
    ],
)  # fmt: skip
def test_degrees_in_a_drawing_are_a_finding_with_its_place(text, line, tmp_path):
    (tmp_path / "a.yaml").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (found,) = (f for f in st.check(tmp_path / "a.yaml") if f.rule == "angle-in-degrees")
    assert found.line == line and "90.0 rad are many turns" in found.text
    with pytest.warns(st.ModelWarning, match=f"a.yaml:{line}: .*rpy: 90.0 rad"):
        st.load(tmp_path / "a.yaml")


def test_a_missing_mesh_and_a_decimal_comma_are_told_with_their_line(tmp_path):
    part = "unit: m\nlink:\n  parts:\n    - {file: gone.stl, mass: 1}\n"
    (tmp_path / "a.yaml").write_text(part)
    with pytest.raises(st.SteinerError, match=r"a.yaml:4: link.parts\[0\].file: .*gone.stl: no such file"):
        st.load(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text(part.replace("file: gone.stl, mass: 1", 'shape: sphere, radius: 1, mass: "1,5"'))
    with pytest.raises(st.SteinerError, match=r"a.yaml:4: link.parts\[0\].mass: .*'1,5'.*a decimal comma; write 1.5"):
        st.load(tmp_path / "a.yaml")


@pytest.mark.parametrize(("unit", "metres"), [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)])
def test_N18_a_mesh_that_is_shown_has_the_unit_of_the_drawing(tmp_path, unit, metres):
    text = f"unit: {unit}\nrobot:\n  name: arm\n  links:\n    - name: bar\n      body: {{mass: 1}}\n"
    text += "      joint: {name: lift, type: prismatic}\n"
    path = tmp_path / "arm.yaml"
    path.write_text(text + "      shapes: [{file: base.stl}, {file: base.glb}, {file: b.stl, scale: [2, 2, 2]}]\n")
    shown = [shape.scale[0] for shape in st.load(path).links[0].shapes]
    assert shown == [metres, 1.0, 2.0]
    st.save(st.load(path), tmp_path / "again.yaml")
    assert [shape.scale[0] for shape in st.load(tmp_path / "again.yaml").links[0].shapes] == shown
    path.write_text(path.read_text().replace(f"unit: {unit}\n", ""))
    with pytest.raises(st.SteinerError, match="carries no unit"):
        st.load(path)
