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
from steiner.scene.pieces import inertia_ellipsoid
from steiner.scene.scene import Actor, Arrow, Scene, Surface
from steiner.scene.strokes import strokes
from steiner.scene.subjects import SUBJECTS, scene_of
from steiner.scene.view import View

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


def apart(seed: int) -> list[st.Solid]:
    """One body in each of some cells of a grid: near each other, none pierces another."""
    rng = np.random.default_rng(seed)
    shapes = [st.Box(0.5, 0.4, 0.5), st.Cylinder(0.26, 0.5), st.Sphere(0.3)]
    cells = np.stack(np.unravel_index(rng.permutation(27)[:9], (3, 3, 3)), axis=1)
    places = [st.Pose.from_rpy(c + rng.uniform(-0.1, 0.1, 3), rng.uniform(-3, 3, 3)) for c in cells.astype(float)]
    return [shapes[k % 3].at(place) for k, place in enumerate(places)]


def piercing(seed: int) -> list[st.Solid]:
    """Bodies through each other, convex or not."""
    rng = np.random.default_rng(seed)
    convex = [st.Box(0.9, 0.2, 0.3), st.Cylinder(0.15, 1.0), st.Sphere(0.3), st.Cone(0.3, 0.6)]
    shapes = [*convex, st.Torus(0.4, 0.1, 2 * math.pi)]
    poses = [st.Pose.from_rpy(rng.uniform(-0.2, 0.2, 3), rng.uniform(-3, 3, 3)) for _ in shapes]
    return [shape.at(pose) for shape, pose in zip(shapes, poses, strict=True)]


SEEN = {
    **{f"apart {seed}": apart(seed) for seed in range(3)},
    **{f"piercing {seed}": piercing(seed) for seed in range(3)},
    "a rod through a plate": [st.Box(1.0, 1.0, 0.02), st.Cylinder(0.05, 1.0)],
    "faces in one plane": [st.Box(0.3, 0.3, 0.02), st.Box(0.2, 0.1, 0.02), st.Box(0.1, 0.2, 0.02).at(xyz=(0.02, 0, 0))],
    "one inside of another, flush on three sides": [st.Box(0.1, 0.2, 0.3).at(xyz=(0.1, 0, 0)), st.Box(0.3, 0.2, 0.3)],
    "over the foot and under the roof of one body": [
        st.Box(1.0, 1.0, 0.1), st.Box(0.1, 0.1, 1.0).at(xyz=(0.3, 0.3, 0.45)),
        st.Box(1.0, 1.0, 0.1).at(xyz=(0, 0, 0.9)),
        st.Box(0.4, 0.4, 0.4).at(xyz=(0, 0, 0.4)),
    ],
    "a hollow, and a ball in it": [st.SphericalShell(0.3, 0.28), st.Sphere(0.25), st.Torus(0.3, 0.05, 4.0)],
}  # fmt: skip
GRID = np.stack(np.meshgrid(*2 * [np.linspace(0, 500, 42)[1:-1]], indexing="xy"), axis=-1).reshape(-1, 2)
CLEAR = np.array([[0, 0], [1.5, 0], [-1.5, 0], [0, 1.5], [0, -1.5]])  # pixels: rims are half of one wide


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize("view", [View(25.0, 40.0, 500, 500), View(62.0, -110.0, 500, 500)], ids=["low", "high"])
def test_what_is_in_front_is_painted_last(name, view):
    """Rays through a grid of pixels decide: the last area painted there is of the body that the ray meets first.

    Of bodies met at one depth it is the last one's.  Pixels beside an outline are left out.
    """
    meshes = [solid.mesh(12) for solid in SEEN[name]]
    surfaces = [Surface(*mesh, f"#c8{20 * k:02x}00") for k, mesh in enumerate(meshes)]  # green / red tells which
    scene = Scene("", tuple(Actor(str(k), (surface,)) for k, surface in enumerate(surfaces)))
    painted = strokes(scene, view)
    areas = [s for s in painted if s.closed]
    triangles = [s.vertices[s.faces] @ view.axes(scene).T * (1, -1, 1) for s in surfaces]
    flat = np.vstack([t.reshape(-1, 3) for t in triangles])
    drawn = np.vstack([area.points.reshape(-1, 2) for area in areas])
    left, low = drawn.min(axis=0), flat.min(axis=0)
    scale = float((np.ptp(drawn, axis=0) / np.ptp(flat, axis=0)[:2]).mean())
    in_pixels = [(t - low) * scale + (*left, 0) for t in triangles]
    pens = [s for s in painted if s.line.endswith("00") and not s.closed]
    pixels = np.vstack([GRID, *(pen.points.mean(axis=0) for pen in pens)])
    first = np.stack([nearest(pixels + shift, in_pixels) for shift in CLEAR])
    asked = (first == first[0]).all(axis=0)
    shown, last = np.full((2, len(pixels)), -1)
    for k, area in enumerate(painted):
        if area.closed:
            there = depths(pixels, np.pad(area.points.reshape(-1, 3, 2), [(0, 0), (0, 0), (0, 1)])) > -np.inf
            shown[there], last[there] = which(area.fill), k
    grid = asked & (np.arange(len(pixels)) < len(GRID))
    assert (shown[grid] == first[0, grid]).all()
    assert set(first[0, grid]) > {-1} and (first[0, grid] >= 0).sum() > 60
    for pen, over, seen, sure in zip(pens, last[len(GRID) :], first[0, len(GRID) :], asked[len(GRID) :], strict=True):
        hidden = sure and seen not in (-1, which(pen.line))
        assert not hidden or over > painted.index(pen)  # lines of what lies behind are painted over


def which(colour: str) -> int:
    red, green = int(colour[1:3], 16), int(colour[3:5], 16)
    return round(10 * green / red)


def nearest(pixels: np.ndarray, bodies: list[np.ndarray]) -> np.ndarray:
    """The body that is met first at each pixel, the last of those at one depth; −1 where there is none."""
    deep = np.stack([depths(pixels, body) for body in bodies])
    close = deep > deep.max(axis=0) - 1e-6
    return np.where(deep.max(axis=0) > -np.inf, len(bodies) - 1 - close[::-1].argmax(axis=0), -1)


def depths(pixels: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """How near to the viewer the nearest of some triangles is at each pixel; −∞ where there is none."""
    a, b, c = (triangles[None, :, k] for k in range(3))
    at = pixels[:, None]
    areas = [(v[..., 0] - u[..., 0]) * (at[..., 1] - u[..., 1]) - (v[..., 1] - u[..., 1]) * (at[..., 0] - u[..., 0])
             for u, v in ((b, c), (c, a), (a, b))]  # fmt: skip
    weights = np.stack(areas, axis=-1)
    total = weights.sum(axis=-1, keepdims=True)
    weights /= np.where(np.abs(total) < 1e-9, np.nan, total)
    found = (weights * triangles[None, :, :, 2]).sum(axis=-1)
    return np.where((weights >= 0).all(axis=-1), found, -np.inf).max(axis=1)


def test_too_many_pieces_are_sorted_by_depth(monkeypatch):
    monkeypatch.setattr("steiner.scene.hiding.MOST", 50)
    parts = [st.Part(str(k), solid, density=1000.0) for k, solid in enumerate(piercing(1))]
    rough = st.draw(st.Assembly("a", parts)).svg
    monkeypatch.undo()
    assert rough.count("<path") > 100 and rough != st.draw(st.Assembly("a", parts)).svg


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


def test_every_kind_of_subject_is_drawn(tmp_path):
    made = {
        "Solid": st.Cone(0.1, 0.3),
        "Assembly": st.Assembly("a", [st.Part("p", st.Box(0.1, 0.1, 0.1), mass=1.0)]),
        "Particles": st.Particles([1.0, 2.0], [[0, 0, 0], [0.1, 0.2, 0]]),
        "Part": st.Part("p", st.Box(0.1, 0.1, 0.1), mass=1.0),
        "Link": st.load("gallery:rr").links[1],
        "Robot": st.load("gallery:rr"),
        "MassProperties": st.MassProperties(1.0, (0, 0, 0), (1e-3, 2e-3, 2.5e-3)),
    }
    assert {kind.__name__ for kind in SUBJECTS} == set(made)
    for subject in made.values():
        assert st.draw(subject).svg.startswith("<svg")
        assert "steinerView" in subject.show(path=tmp_path / "page.html").html


def test_particles_are_balls_as_large_as_their_masses():
    places = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1]])
    scene = scene_of(st.Particles([1.0, 8.0, 1.0, 0.0], places))
    balls = [item for item in scene.actors[0].items if isinstance(item, Surface)]
    sizes = [np.ptp(ball.vertices, axis=0) for ball in balls]
    assert np.allclose(sizes[1], 2 * sizes[0]) and np.allclose(sizes[0], sizes[2]) and not sizes[3].any()
    middles = [(ball.vertices.max(axis=0) + ball.vertices.min(axis=0)) / 2 for ball in balls]
    assert np.allclose(middles, places) and 0.02 < sizes[1][0] / 2 < 0.4
    assert [ball.name for ball in balls] == ["1: 1 kg", "2: 8 kg", "3: 1 kg", "4: 0 kg"]
    assert scene.actors[0].body.mass == 10.0
    assert st.draw(st.Particles([3.0], [[1, 2, 3]])).svg.count("circle") >= 1
    with pytest.raises(st.SteinerError, match="symbols"):
        st.draw(st.Particles([sp.Symbol("m", positive=True)], [[1, 2, 3]]))


def test_what_was_cut_from_a_solid_is_dashed():
    solid = st.Box(0.3, 0.3, 0.1) - st.Cylinder(0.05, 0.1).at(xyz=(0.05, 0.05, 0))
    for subject in (solid, st.Part("p", solid, density=2700.0), solid.at(xyz=(1, 0, 0))):
        found = [item for item in scene_of(subject).actors[0].items if isinstance(item, Surface)]
        assert [item.ghost for item in found] == [False, True]
    assert np.allclose(found[1].vertices.mean(axis=0), (1.05, 0.05, 0))
    assert "of 1000 kg/m³" in scene_of(solid).notes[0]  # whatever mass the page tells


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
