"""Pictures: written, the same twice, showing what they should, and hiding what is behind."""

from __future__ import annotations

import math
import re
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import steiner as st
from hostile_names import HOSTILE
from steiner.files.link_yaml import load_assembly
from steiner.scene.scene import Actor, Arrow, Scene, Surface
from steiner.scene.strokes import View, strokes
from steiner.scene.subjects import SUBJECTS, inertia_ellipsoid, scene_of

ROOT = Path(__file__).parent.parent.parent


def texts(picture) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture.svg).iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_a_picture_is_written_and_is_the_same_twice(kind, tmp_path):
    if kind != "svg":
        pytest.importorskip("matplotlib")
    link = load_assembly(ROOT / "examples" / "decks_link.yaml")
    st.draw(link, tmp_path / f"a.{kind}", resolution=12)
    st.draw(link, tmp_path / f"b.{kind}", resolution=12)
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content == (tmp_path / f"b.{kind}").read_bytes() and len(content) > 5000


def test_a_link_has_its_parts_numbers_and_scale_in_the_picture():
    picture = st.draw(load_assembly(ROOT / "examples" / "decks_link.yaml"), resolution=12)
    found = texts(picture)
    for wanted in ("A/box", "− A/hole", "B", "C/box", "− C/hole", "inertia ellipsoid", "centre of mass", "100 mm"):
        assert wanted in found
    assert any("7.797 kg" in text for text in found) and any("kg m²" in text for text in found)


def test_all_kinds_of_parts_can_be_drawn():
    parts = [
        st.Part("rod", st.Rod(0.3), mass=1.0),
        st.Part("motor", body=st.MassProperties(1.0, (0.1, 0, 0), [1e-3] * 3)),
        st.Part("plate", st.Plate(0.2, 0.1), mass=1.0),
        st.Part("bend", st.Torus(0.1, 0.02, 2.0), density=1000),
    ]
    found = texts(st.draw(st.Assembly("mix", parts), resolution=8))
    assert "motor (no shape)" in found and "rod" in found


@pytest.mark.parametrize("name", [*st.gallery()])
def test_every_robot_of_the_gallery_can_be_drawn(name):
    robot = st.load(f"gallery:{name}")
    if robot.is_symbolic:
        pytest.skip("symbols")
    picture = st.draw(robot, q=np.full(robot.n, 0.2), resolution=8)
    points = np.array([[float(x) for x in pair] for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", picture.svg)])
    assert (points > -1).all() and (points[:, 0] < 801).all() and (points[:, 1] < 601).all()
    assert robot.name in texts(picture)


def test_bodies_are_where_the_kinematics_puts_them():
    """Over a row of times, the shapes of each link follow its pose."""
    robot = st.load("gallery:desk")
    q = np.random.default_rng(1).uniform(-1, 1, (3, robot.n))
    scene = scene_of(robot, q=q, resolution=6)
    assert len(scene.times) == 3
    for k in range(3):
        for actor in scene.actors[1:]:
            pose = robot.forward_kinematics(q[k], actor.name)
            assert np.allclose(actor.at(k).R, pose.R) and np.allclose(actor.at(k).p, pose.p)


def test_wrenches_and_paths_are_drawn_where_they_act():
    robot = st.load("gallery:rr")
    q = np.array([0.3, 0.5])
    tip = robot.link_names[-1]
    push = st.Wrench(force=(0, 10, 0), acting_on=tip, at=(0.1, 0, 0), axes="link")
    turn = st.Wrench(moment=(0, 0, 2), force=(0, -5, 0), acting_on=tip)
    scene = scene_of(robot, q=q, wrenches=[push, turn], path=[[0, 0, 0], [0.3, 0.3, 0]])
    arrows = {a.name: [i for i in a.items if isinstance(i, Arrow)] for a in scene.actors if " on " in a.name}
    assert set(arrows) == {f"force on {tip}", f"moment on {tip}"}
    pose = robot.forward_kinematics(q, tip)
    actor = next(a for a in scene.actors if a.name.startswith("force"))
    assert np.allclose(actor.pose.p, pose.apply(np.array([0.1, 0, 0]))) and np.allclose(actor.pose.R, pose.R)
    sizes = [np.linalg.norm(a.items[0].vector) for a in scene.actors if a.name.startswith("force")]
    assert math.isclose(sizes[0], 2 * sizes[1])  # forces share a scale: 10 N and 5 N
    labels = texts(st.draw(scene))
    assert {"10 N", "5 N", "2 N m", "path"} <= set(labels)


def test_the_ellipsoid_has_the_mass_and_tensor_of_the_body():
    body = st.Box(0.3, 0.2, 0.1).with_mass(2.0).moved(st.Pose.from_rpy((1, 2, 3), (0.3, 0.4, 0.5)))
    semi, axes = inertia_ellipsoid(body)
    same = st.Ellipsoid(*semi).with_mass(2.0).moved(st.Pose(axes, body.com))
    assert np.allclose(same.inertia, body.inertia, rtol=1e-12)
    assert math.isclose(inertia_ellipsoid(st.Sphere(0.1).with_mass(1.0))[0][0], 0.1)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_in_front_is_painted_last(seed):
    """Rays against the same triangles decide: at random pixels the last area painted belongs to the nearest body."""
    rng = np.random.default_rng(seed)
    actors, cells = [], rng.permutation(27)[:9]
    for k, cell in enumerate(cells):  # one body in each of some cells of a grid: near each other, none pierces another
        middle = np.array(np.unravel_index(cell, (3, 3, 3))) * 1.0
        solid = [st.Box(0.5, 0.4, 0.5), st.Cylinder(0.26, 0.5), st.Sphere(0.3)][k % 3]
        pose = st.Pose.from_rpy(middle + rng.uniform(-0.1, 0.1, 3), rng.uniform(-3, 3, 3))
        vertices, faces = solid.at(pose).mesh(12)
        actors.append(Actor(str(k), (Surface(vertices, faces, f"#c8{20 * k:02x}00"),)))  # green / red tells which
    scene, view = Scene("", tuple(actors)), View(25.0, 40.0, 600, 600)
    areas = [s for s in strokes(scene, view) if s.closed]
    triangles = [a.items[0].vertices[a.items[0].faces] @ view.axes(scene).T for a in actors]
    every, drawn = np.vstack([*map(corners, triangles)]), np.vstack([corners(s.points) for s in areas])
    low, high, left, right = every.min(0), every.max(0), drawn.min(0), drawn.max(0)
    scale = (right - left) / (high - low)[:2]
    assert math.isclose(scale[0], scale[1], rel_tol=1e-6)
    hits = 0
    for pixel in rng.uniform(left, right, (200, 2)):
        world = np.array([low[0] + (pixel[0] - left[0]) / scale[0], high[1] - (pixel[1] - left[1]) / scale[1]])
        depths = [depth_at(world, t, 2 / scale[0]) for t in triangles]
        if None in depths or max(depths) == -math.inf:
            continue  # at an edge, or nothing there
        painted = [s.fill for s in areas if depth_at(pixel, flat(s.points), 0) != -math.inf]
        red, green = int(painted[-1][1:3], 16), int(painted[-1][3:5], 16)
        assert round(10 * green / red) == int(np.argmax(depths))
        hits += 1
    assert hits > 30


def corners(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])


def flat(points: np.ndarray) -> np.ndarray:
    triangles = points.reshape(-1, 3, 2)
    return np.concatenate([triangles, np.zeros((len(triangles), 3, 1))], axis=2)


def depth_at(point: np.ndarray, triangles: np.ndarray, edge: float) -> float | None:
    """How near to the viewer the ray through a point first meets triangles; −∞ if never, None if it grazes one."""
    a, b, c = (triangles[:, k] for k in range(3))
    areas = [(v[:, 0] - u[:, 0]) * (point[1] - u[:, 1]) - (v[:, 1] - u[:, 1]) * (point[0] - u[:, 0])
             for u, v in ((b, c), (c, a), (a, b))]  # fmt: skip
    weights = np.stack(areas, axis=1)
    total = weights.sum(axis=1)
    keep = np.abs(total) > 1e-12
    weights, depths = weights[keep] / total[keep, None], triangles[keep, :, 2]
    reach = np.sqrt(np.abs(total[keep]))[:, None]
    inside, outside = (weights * reach > edge).all(axis=1), (weights * reach < -edge).any(axis=1)
    outline = np.abs(weights * reach) <= edge
    if edge and (outline.any(axis=1) & ~outside).any() and not inside.any():
        return None
    met = ~outside if edge else (weights >= 0).all(axis=1)
    return float((weights * depths).sum(axis=1)[met].max(initial=-math.inf))


def test_things_that_pierce_each_other_are_cut():
    """A rod through a plate: its upper half is over the plate, its lower half under it."""
    plate, rod = st.Box(1.0, 1.0, 0.02).mesh(8), st.Cylinder(0.05, 1.0).mesh(8)
    scene = Scene("", (Actor("", (Surface(*plate, "#0000c8"), Surface(*rod, "#c80000"))),))
    view = View(40.0, -90.0, 400, 400)
    areas = [s for s in strokes(scene, view) if s.closed and s.points.shape[-2] == 3]
    of_rod = [s.fill.endswith("0000") for s in areas]
    rod, plate = ([k for k, mine in enumerate(of_rod) if mine == which] for which in (True, False))
    assert min(rod) < max(plate) and max(rod) > min(plate)


def test_an_arm_in_a_plane_is_seen_from_the_front():
    scene = scene_of(st.load("gallery:rr"), q=[0.3, 0.4])
    right, up, towards = View().axes(scene)
    assert np.allclose(right, (1, 0, 0)) and np.allclose(up, (0, 1, 0)) and np.allclose(towards, (0, 0, 1))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_strangers_are_text_in_a_picture(name):
    if not name.strip():
        pytest.skip("no name")
    name = name.replace("/", ".")
    part = st.Part(name, st.Box(0.1, 0.1, 0.1), density=1000.0)
    picture = st.draw(st.Assembly(name, [part]), resolution=8)
    root = ET.fromstring(picture.svg)
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {"svg", "path", "circle", "text"}
    assert all(not key.startswith("on") and "href" not in key for e in root.iter() for key in e.attrib)


def test_symbols_cannot_be_drawn():
    w = sp.Symbol("w", positive=True)
    for subject in (st.Assembly("a", [st.Part("p", st.Box(w, w, w), mass=1.0)]), st.Box(w, w, w).with_mass(1.0)):
        with pytest.raises(st.SteinerError, match="numbers"):
            st.draw(subject)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: st.draw("panda"), "cannot draw"),
        (lambda: st.draw(st.load("gallery:rr"), q=[1, 2, 3]), r"expected \(2,\)"),
        (lambda: st.draw(st.Box(1, 1, 1), "box.bmp"), r"\.svg"),
        (lambda: st.draw(st.Box(1, 1, 1), width=3), "pixels"),
        (lambda: st.draw(st.Box(1, 1, 1), elevation=math.nan), "degrees"),
        (lambda: st.draw(st.Box(1, 1, 1), colour="red"), "colour"),
        (lambda: st.draw(st.MassProperties(0.0)), "nothing to draw"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, told):
    with pytest.raises((st.SteinerError, TypeError), match=told):
        call()


def test_every_kind_of_subject_is_drawn():
    made = {
        "Solid": st.Cone(0.1, 0.3),
        "Assembly": st.Assembly("a", [st.Part("p", st.Box(0.1, 0.1, 0.1), mass=1.0)]),
        "Robot": st.load("gallery:rr"),
        "MassProperties": st.MassProperties(1.0, (0, 0, 0), (1e-3, 2e-3, 2.5e-3)),
    }
    assert {kind.__name__ for kind in SUBJECTS} == set(made)
    for subject in made.values():
        assert st.draw(subject).svg.startswith("<svg")


@pytest.mark.parametrize("name", ["decks_link", "nm7mar_links"])
def test_the_examples_run(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "kg m²" in printed and "balance of link" in printed


@pytest.mark.parametrize("name", ["rr", "rp", "puma560", "panda"])
def test_every_derivation_has_a_sketch_of_its_arm(name):
    """Joints by their coordinates, frames; with symbols too."""
    for symbols in (False, True):
        sketch = st.equations(st.load(f"gallery:{name}"), symbols=symbols).sketch()
        found = [element.text for element in ET.fromstring(sketch).iter() if element.tag.endswith("text")]
        names = {"θ₁", "d₂"} if name == "rp" else {"q₁", "q₂"} if symbols else {"θ₁", "θ₂"}  # as the formulas have them
        assert {*names, "centre of mass"} <= set(found)
    assert ">q₁<" in st.equations(st.load("gallery:rr"), symbols=True).derivation().picture
    document = st.equations(st.load("gallery:rr")).derivation()
    assert ">θ₁<" in document.picture and document.picture in document.html() and "svg" not in document.latex()
