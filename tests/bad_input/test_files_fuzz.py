"""Damaged files of every format: a model, or a sentence that begins with file and line; within two seconds."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import steiner as st
from steiner.files.link_yaml import loads_assembly
from steiner.files.load import rendered
from steiner.files.motion import MotionFile
from steiner.robots import build
from tests.bad_input.mutations import ARM, ENDLESS, fuzzed, mutated, tried
from tests.readers import NEEDS, SAMPLES

LINK = """unit: mm
materials:
  resin: {density: 1.18 g/cm^3, source: data sheet}
link:
  name: upper
  weighed: 2 kg
  parts:
    - &plate {name: plate, shape: box, size: [120, 100, 60], material: steel, xyz: [0, 0, 5], rpy: [0, 90 deg, 0]}
    - {<<: *plate, name: other, material: resin}
    - {name: hole, shape: cylinder, radius: 5, height: 60, axis: x, material: steel, cavity: true}
    - name: drive
      xyz: [100 mm, 0, 0]
      parts:
        - {name: motor, body: {mass: 1.2 kg, com: [0, 0, 10], inertia: [1e-3, 1e-3, 8e-4]}, provenance: measured}
        - {shape: prism, polygon: [[0, 0], [20, 0], [0, 30]], height: 10, density: 2700}
        - shape: mesh
          vertices: [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]]
          faces: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
          mass: 3 g
"""
PART = "unit: mm\npart: {name: pin, shape: tube, outer: 10, inner: 8, height: 50, axis: y, density: 7.85 g/cm^3}\n"
DRAWN = """
unit: mm
parameters: {L: 400, wall: 3, tilt: 30 deg}
robot:
  name: arm
  links:
    - {name: base, parts: [{name: plate, shape: box, size: [L, 300, 10], material: steel}]}
    - name: upper
      parent: base
      joint: {name: shoulder, axis: [0, -1, 0], xyz: [0, 0, 80], rpy: [tilt, 0, 0],
              limits: {lower: -90 deg, effort: 8 N m}, friction: {viscous: 0.05, coulomb: 0.2},
              rotor: {inertia: 2e-6, ratio: 100}}
      parts:
        - {name: beam, shape: box, size: [L, 40, 30], hollow: wall, material: aluminium, xyz: [L/2, 0, 0]}
        - {name: bore, shape: cylinder, diameter: 4, height: 3, density: 2700, cavity: true,
           pattern: {circle: 3, radius: 10}}
        - {name: cap, like: beam, infill: 20 %, xyz: [2*wall + 5 mm, 0, 0]}
  payloads: [{link: upper, mass: 0.5, xyz: [L, 0, 0]}]
"""
MODEL = """<?xml version="1.0"?>
<sdf version="1.11" xmlns:drake="drake.mit.edu"><world name="w"><gravity>0 0 -9.8</gravity>
<model name="arm" canonical_link="a" placement_frame="f"><pose degrees="true">0 0 1 10 20 30</pose>
  <frame name="f" attached_to="a"><pose>0.1 0.2 0.3 0.4 0.5 1.57079632679</pose></frame>
  <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <visual name="v"><pose relative_to="f">0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
      <material><diffuse>1 0 0 1</diffuse></material></visual>
    <collision name="c"><geometry><mesh><uri>a.stl</uri><scale>1 1 1</scale></mesh></geometry></collision></link>
  <link name="b"><pose relative_to="f" rotation_format="quat_xyzw">0 0 0.2 0 0.6 0 0.8</pose><inertial>
    <pose>0.1 0 0 0 0.3 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia>
    </inertial></link>
  <link name="c"><pose relative_to="j">0 0.3 0 0 0 0</pose>
    <inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>
  <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
  <joint name="j" type="screw"><pose>0 0 0.1 0 0 0.2</pose><parent>f</parent><child>b</child>
    <screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz expressed_in="__model__">0 1 1</xyz><limit>
    <lower>-inf</lower>    <effort>10</effort></limit></axis><drake:rotor_inertia>1e-4</drake:rotor_inertia></joint>
  <joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>1 2 3</xyz><dynamics><damping>1</damping>
    <spring_stiffness>2</spring_stiffness></dynamics><mimic joint="j"><multiplier>2</multiplier></mimic></axis></joint>
</model></world></sdf>
"""
ROWS = """# name: arm
# convention: standard
# gravity: 0 -9.81 0
# base: 0 0 1 0 0 0.5
joint,link,type,theta [deg],d [mm],a [mm],alpha [deg],mass [kg],cx [mm],ixx,iyy,izz [kg cm^2],viscous,lower,upper
shoulder,one,revolute,0,0,300,0,2,-150,0.1,0.1,150,0.5,-90 deg,90 deg
slide,two,prismatic,90,20,0,90,1,-100,0.1,0.1,33,,0,0.5 m
"""
SCREWS = """unit: mm
angle: deg
poe:
  name: arm
  gravity: [0, 0, -9.81]
  tool: 0 0 0.1 0 0 0
  rows:
    - {joint: one, wz: 1, x: 300, yaw: 90, mass: 2, cx: -150, ixx: 0.1, iyy: 0.1, izz: 0.1, effort: 8 N m}
    - {joint: two, vx: 1 m, x: 300, mass: 1 kg, ixx: 0.1, iyy: 0.1, izz: 0.1 kg m^2, lower: 0, upper: 500 mm}
"""
LISTS = rendered(build("rr"), "modern_robotics").text
MOTION = "t,q1,q2,qd1,qd2,qdd1,qdd2\n" + "".join(f"{k / 10},0.{k},-0.{k},1e-3,.5,0,{k}\n" for k in range(8))


def yaml(data: bytes) -> object:
    return loads_assembly(data, "<text>").mass_properties


def robot(data: bytes) -> object:
    return st.loads(data, format="robot_yaml").total_mass


def urdf(data: bytes) -> object:
    return st.loads(data, format="urdf").total_mass


def of(format: str) -> Callable[[bytes], object]:
    """A reader of robots in a format."""
    return lambda data: st.loads(data, format=format).total_mass


class Motion:
    """Reads a motion from one file, over and over."""

    def __init__(self, path: Path) -> None:
        self.path, self.robot = path, build("rr")

    def __call__(self, data: bytes) -> object:
        self.path.write_bytes(data)
        return [block.q.sum() for block in MotionFile(self.path, self.robot)]


@pytest.fixture(params=["yaml", "robot", "urdf", "csv", "sdf", "dh_csv", "poe_yaml", "modern_robotics"])
def reader(request, tmp_path, monkeypatch):
    """(reader, good texts, the name that errors begin with)."""
    monkeypatch.chdir(tmp_path)
    return {
        "yaml": (yaml, [LINK, PART], "<text>"),
        "robot": (robot, [DRAWN], "<text>"),
        "urdf": (urdf, [ARM], "<text>"),
        "csv": (Motion(Path("motion.csv")), [MOTION], "motion.csv"),
        "sdf": (of("sdf"), [MODEL], "<text>"),
        "dh_csv": (of("dh_csv"), [ROWS], "<text>"),
        "poe_yaml": (of("poe_yaml"), [SCREWS], "<text>"),
        "modern_robotics": (of("modern_robotics"), [LISTS], "<text>"),
    }[request.param]


def test_the_good_files_are_good(reader):
    read, good, name = reader
    for text in good:
        assert tried(read, text.encode(), name) == ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # mimic joints, and time that is none
            assert read(text.encode())


def test_damaged_files_are_read_or_refused_with_their_line(reader):
    read, good, name = reader
    wrong = fuzzed(read, good, name, count=200, seconds=6, seed=1)
    assert not wrong, wrong


@pytest.mark.heavy
def test_many_damaged_files_are_read_or_refused_with_their_line(reader):
    read, good, name = reader
    wrong = fuzzed(read, good, name, count=5000, seconds=math.inf, seed=2)
    assert not wrong, wrong


# ---- what takes long, or much room -------------------------------------------------------------------

@pytest.mark.parametrize("k", range(len(ENDLESS)))
def test_R1_texts_without_end_are_read_in_linear_time(reader, k):
    read, good, name = reader
    old = {"<text>": ("120" if "unit" in good[0] else "1.5"), "motion.csv": "1e-3"}[name]
    for data in (good[0].replace(old, ENDLESS[k], 1), good[0].replace(old, f'"{ENDLESS[k]}"', 1), ENDLESS[k]):
        start = time.process_time()
        assert tried(read, data.encode(), name) == ""
        assert time.process_time() - start < 1


HUGE = {
    "values": "unit: mm\nlink: [" + "1," * 200_000 + "1]",
    "lines": "unit: mm\nlink:\n" + "  - 1\n" * 50_000,
    "keys": "link: {" + ", ".join(f"a{k}: {k}" for k in range(9000)) + "}",
    "brackets": "[" * 3000,
    "braces": "{" * 3000,
    "dashes": "- " * 3000,
    "questions": "? " * 2000,
    "aliases": "\n".join(
        ["a0: &a0 [1, 1, 1]", *(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12))]
    ),
    "merged": "a: &a {" + ", ".join(f"k{i}: 1" for i in range(3000)) + "}\n" + "b: {<<: *a}\n" * 300,
    "itself": "link: &a {parts: [*a]}",
    "anchors": "".join(f"a{k}: &x{k} 1\n" for k in range(30_000)),
    "text": "link: " + "x" * 400_000,
    "comments": "# x\n" * 100_000,
    "scalars": "link: |\n" + "  x\n" * 100_000,
}


@pytest.mark.parametrize("kind", HUGE)
def test_R8_large_yaml_is_refused_early(kind):
    start = time.process_time()
    with pytest.raises(st.SteinerError, match=r"^<text>:\d+: "):
        yaml(HUGE[kind].encode())
    assert time.process_time() - start < 2


def test_R8_a_file_within_the_stated_limits_is_read():
    box = "shape: box, size: [1, 2, 3], density: 1000"
    parts = "".join(f"    - {{name: p{k}, {box}, xyz: [{k}, 0, 0]}}\n" for k in range(400))
    assert loads_assembly("unit: mm\nlink:\n  parts:\n" + parts).mass == pytest.approx(400 * 6e-6)


# ---- meshes, tables and motions, as text and packed ----------------------------------------------------

SCENES = [name for name in SAMPLES if name.startswith(".") or name in ("motors", "materials", "materials_yaml")]


def damaged(name: str, pick: random.Random) -> bytes:
    """A file of a reader's sample with some things changed: in its text, or in its bytes."""
    sample = SAMPLES[name]
    if sample.text and pick.random() < 0.7:
        return sample.packed(mutated(sample.text, pick).decode(errors="replace"))
    data = bytearray(sample.packed(sample.text))
    for _ in range(pick.choice((1, 2, 4))):
        at = max(pick.choice((pick.randrange(len(data) + 1), pick.randrange(200), len(data) - pick.randrange(200))), 0)
        data[at : at + pick.choice((0, 1, 4, 40))] = pick.randbytes(pick.choice((0, 1, 4, 8)))
    return bytes(data)


def mishaps(name: str, path: Path, count: int, seconds: float, seed: int) -> list[str]:
    """What else than a model or a sentence with the name of the file comes of damaged ones."""
    pick, end, wrong = random.Random(f"{seed}{name}"), time.monotonic() + seconds, []
    for k in range(count):
        if time.monotonic() > end:
            break
        path.write_bytes(damaged(name, pick))
        try:
            SAMPLES[name].read(path)
        except st.SteinerError as error:
            if str(path) not in str(error) or "\n" in str(error):
                wrong.append(f"case {k}: {error!s:.200}")
        except Exception as error:
            wrong.append(f"case {k}: {type(error).__name__}: {error!s:.100}")
    return wrong


@pytest.mark.filterwarnings("ignore::steiner.errors.ModelWarning")
@pytest.mark.parametrize("name", SCENES)
def test_damaged_meshes_and_tables_are_read_or_refused(name, tmp_path):
    pytest.importorskip(NEEDS.get(name, "steiner"))
    assert not mishaps(name, tmp_path / f"a{SAMPLES[name].suffix}", 200, 4, 1)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::steiner.errors.ModelWarning")
@pytest.mark.parametrize("name", SCENES)
def test_many_damaged_meshes_and_tables_are_read_or_refused(name, tmp_path):
    pytest.importorskip(NEEDS.get(name, "steiner"))
    assert not mishaps(name, tmp_path / f"a{SAMPLES[name].suffix}", 3000, 30, 6)
