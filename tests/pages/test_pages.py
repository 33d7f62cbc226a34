"""Scenes as pages in a real browser: they open, move, answer and compute what the package computes, offline."""

from __future__ import annotations

import io
from base64 import b64decode

import numpy as np
import pytest

import steiner as st
from steiner.backends import js, reference
from steiner.errors import printable
from steiner.scene.page import page as written
from steiner.scene.subjects import scene_of
from tests.hostile_names import HOSTILE
from tests.js_programs import in_browser, run
from tests.random_robots import EVERY, random_robot
from tests.random_tapes import random_inputs, random_tape

pytestmark = pytest.mark.heavy

EXAMPLES = {
    "drawn": lambda: st.load("examples/desk_arm.yaml"),
    "seven joints": lambda: st.load("gallery:panda"),
    "sliding": lambda: st.load("gallery:scara"),
    "of all joints": lambda: random_robot(3, 6, kinds=EVERY, friction=True, coupled=True, springs=True),
    "a tree": lambda: random_robot(5, 8, payloads=2),
    "assembly": lambda: st.load("examples/decks_link.yaml"),
    "solid": lambda: st.Box(0.1, 0.2, 0.3) - st.Cylinder(0.02, 0.3),
    "mesh": lambda: st.Mesh(*st.Torus(0.1, 0.03).mesh(24)),
    "rod": lambda: st.Rod(0.4),
    "particles": lambda: st.Particles([1.0, 2.0, 0.5], [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0.3]]),
}
ROOT = "document.querySelector('.steiner-view')"


def html(subject, **options) -> str:
    return written(scene_of(subject, **options))


def pixels(page) -> np.ndarray:
    """What is on the canvas, as (height, width, 3)."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow to read a screenshot")
    data = page.evaluate(f"{ROOT}.steiner.view.paint(), document.querySelector('canvas').toDataURL()")
    return np.asarray(image.open(io.BytesIO(b64decode(data.partition(",")[2]))).convert("RGB")).astype(int)


def until(page, condition: str) -> None:
    """Wait for something on the page (whose policy forbids the evaluating loop that Playwright would put there)."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(condition)


def painted(page) -> float:
    """The share of the canvas that is not paper."""
    seen = pixels(page)
    return float((np.abs(seen - seen[-3, -3]).max(axis=2) > 12).mean())


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_shows_what_it_is_of(opened, name):
    page = opened(html(EXAMPLES[name]()))
    assert painted(page) > (0.002 if name == "rod" else 0.01)
    assert page.locator("h1").text_content() and page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", ["drawn", "seven joints", "sliding", "of all joints", "a tree"])
def test_a_page_computes_what_the_package_computes(opened, name):
    robot = EXAMPLES[name]()
    page = opened(html(robot))
    rng = np.random.default_rng(7)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-2, 2, (3, robot.n))
        gravity, mass = rng.uniform(-12, 12, 3), rng.uniform(0.1, 4)
        chosen = {n: x * rng.uniform(0.7, 1.4) for n, x in robot.parameters.items()}
        found = page.evaluate(
            """given => {
                const {state, result, compute} = document.querySelector(".steiner-view").steiner;
                for (const key of ["q", "qd", "qdd", "gravity"]) state[key].set(given[key]);
                state.payload[0] = given.mass;
                given.parameters.forEach((x, k) => { state.parameters[k][0] = x; });
                compute();
                return Object.fromEntries(Object.entries(result).map(([k, x]) => [k, [...x]]));
            }""",
            {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "gravity": gravity.tolist(), "mass": mass,
             "parameters": list(chosen.values())},
        )  # fmt: skip
        bare = robot.with_parameters({"gravity": gravity, **chosen})
        other = bare.with_payload(st.MassProperties(mass))
        poses = other.forward_kinematics(q)
        expected = {
            "tau": other.inverse_dynamics(q, qd, qdd), "gravity_tau": other.gravity_forces(q),
            "kinetic": other.kinetic_energy(q, qd), "potential": other.potential_energy(q), "M": other.mass_matrix(q),
            "poses": np.array([[*poses[k].R.ravel(), *poses[k].p] for k in robot.link_names]),
        }  # fmt: skip
        for key, want in expected.items():
            assert np.abs(np.array(found[key]) - np.ravel(want)).max() <= 1e-12 * max(1, np.abs(want).max()), key
        bodies = page.evaluate(f"Object.fromEntries({ROOT}.steiner.data.actors.map(a => [a.name, a.body]))")
        for body, row in ((link.body, bodies[link.name]) for link in bare.links if link.body.mass):
            want = np.array([body.mass, *body.com, *np.ravel(body.inertia)], dtype=float)
            assert np.abs(np.array(row) - want).max() <= 1e-12 * np.abs(want).max()
        assert sum(found["bodies"][::13]) == pytest.approx(float(other.total_mass), rel=1e-12)


def test_a_slider_moves_a_link_and_tells_its_effort(opened):
    robot = EXAMPLES["drawn"]()
    page = opened(html(robot))
    before = pixels(page)
    slider = page.locator("input[type=range][aria-label='shoulder, rad']")
    slider.evaluate("e => { e.value = 1.1; e.dispatchEvent(new Event('input')); }")
    q = [0, slider.evaluate("e => e.valueAsNumber"), 0]
    assert (np.abs(pixels(page) - before).max(axis=2) > 12).mean() > 0.01
    tau = robot.gravity_forces(q)
    found = page.evaluate(f"[...{ROOT}.steiner.result.tau]")
    assert np.abs(np.array(found) - tau).max() <= 1e-12 * np.abs(tau).max()
    effort = page.locator(".meter b").nth(1).text_content()
    assert effort == f"{float(f'{tau[1]:.4g}'):g} of 8 N m"
    page.locator("input[type=number][aria-label^='mass at']").fill("9")
    page.locator("input[type=number][aria-label^='mass at']").press("Enter")
    assert page.locator(".meter.over").count() >= 1
    assert page.locator("header").text_content().endswith(f"{float(f'{float(robot.total_mass) + 9:.4g}'):g} kg")


def test_shapes_follow_the_parameters_of_the_drawing(opened):
    robot = EXAMPLES["drawn"]()
    page = opened(html(robot))
    page.evaluate(f"{ROOT}.steiner.state.parameters[0][0] = 0.31, {ROOT}.steiner.compute()")
    cloud = page.evaluate(f"""{ROOT}.steiner.data.actors.map(a => a.items.filter(i => i.kind == "surface").map(i =>
        Array.from({{length: i.shell.P.length / 6}}, (_, k) => [...i.shell.P.slice(6 * k, 6 * k + 3)])))""")
    scene = scene_of(robot.with_parameters({"reach": 0.31}))
    for found, actor in zip(cloud, scene.actors, strict=True):
        shapes = [item for item in actor.items if hasattr(item, "faces")]
        for corners, shape in zip(found, shapes, strict=True):
            for end in (np.min, np.max):
                assert np.allclose(end(np.array(corners), axis=0), end(shape.vertices, axis=0), atol=1e-6)


def centre_of(robot, link):
    return robot.forward_kinematics(np.zeros(robot.n))[link].apply(robot.link(link).body.com)


def test_a_body_that_is_clicked_tells_its_numbers(opened):
    robot = EXAMPLES["drawn"]()
    page = opened(html(robot))
    box = page.locator("canvas").bounding_box()
    link = robot.link("upper")
    x, y = page.evaluate(f"at => {ROOT}.steiner.view.pixel(at)", centre_of(robot, "upper").tolist())
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.locator("select").evaluate("e => e.selectedOptions[0].textContent") == "upper"
    told = page.locator("details table").first.inner_text()
    assert f"{float(f'{float(link.body.mass):.4g}'):g}" in told and "tensor" in told
    page.mouse.click(box["x"] + x - 14, box["y"] + y - 8)  # beside its centre, on its surface
    assert page.locator("select").evaluate("e => e.selectedOptions[0].textContent") == "upper"
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    assert page.locator("select").evaluate("e => e.selectedIndex") == 0


def test_hands_turn_move_and_bring_nearer(opened):
    page = opened(html(EXAMPLES["assembly"]()))
    box = page.locator("canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    eye = f"({{...{ROOT}.steiner.view.eye}})"
    first = page.evaluate(eye)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30)
    page.mouse.up()
    turned = page.evaluate(eye)
    assert turned["az"] < first["az"] and turned["el"] > first["el"] and turned["target"] == first["target"]
    page.mouse.wheel(0, -300)
    until(page, f"{ROOT}.steiner.view.eye.far < {first['far'] * 0.9}")
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(x + 40, y)
    page.mouse.up(button="right")
    assert page.evaluate(eye)["target"] != first["target"]
    page.mouse.dblclick(x, y)
    assert page.evaluate(eye)["far"] == pytest.approx(first["far"])
    boxes, seen = page.locator(".layer input"), painted(page)
    for k in range(boxes.count()):
        boxes.nth(k).uncheck()
    assert painted(page) == 0 < seen


def stroked(page, *ways: tuple[tuple[float, float], tuple[float, float]], steps: int = 8) -> None:
    """Fingers that touch, move and leave."""
    session = page.context.new_cdp_session(page)
    for k in range(steps + 2):
        places = [(a + (c - a) * k / steps, b + (d - b) * k / steps) for (a, b), (c, d) in ways] if k <= steps else []
        points = [{"x": x, "y": y, "id": j} for j, (x, y) in enumerate(places)]
        kind = "touchStart" if k == 0 else "touchMove" if k <= steps else "touchEnd"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()


@pytest.mark.parametrize("name", ["drawn", "seven joints", "assembly", "solid", "particles"])
def test_fingers_scroll_pick_turn_and_pinch(opened, name):
    """On a phone: the page scrolls under a finger that goes up, until the view is tapped; then the view is theirs."""
    subject = EXAMPLES[name]()
    page = opened(html(subject), width=390, height=640, has_touch=True, is_mobile=True)
    box = page.locator("canvas").bounding_box()
    x, y, eye = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, f"({{...{ROOT}.steiner.view.eye}})"
    first = page.evaluate(eye)
    if page.evaluate("document.documentElement.scrollHeight > innerHeight + 60"):
        stroked(page, ((x, y + 60), (x, y - 60)))
        until(page, "scrollY > 30")
        assert page.evaluate(eye) == first
        page.wait_for_timeout(800)  # it rolls on
        page.evaluate("scrollTo(0, 0)")
    whole = page.evaluate(f"{ROOT}.steiner.data.actors.findIndex(a => a.body && a.body[0] > 0)")
    T, body = page.evaluate(f"(a => [[...{ROOT}.steiner.now(a)], a.body])({ROOT}.steiner.data.actors[{whole}])")
    centre = np.reshape(T[:9], (3, 3)) @ body[1:4] + T[9:]
    px, py = page.evaluate(f"at => {ROOT}.steiner.view.pixel(at)", centre.tolist())
    page.touchscreen.tap(box["x"] + px, box["y"] + py)
    assert page.locator("select").evaluate("e => e.selectedIndex") > 0
    stroked(page, ((x, y), (x + 30, y - 80)))
    turned = page.evaluate(eye)
    assert turned["az"] < first["az"] and turned["el"] < first["el"] and turned["far"] == first["far"]
    assert page.evaluate("scrollY") == 0
    stroked(page, ((x - 20, y), (x - 90, y)), ((x + 20, y), (x + 90, y)))
    near = page.evaluate(eye)
    assert near["far"] < 0.5 * first["far"] and near["az"] == turned["az"]
    assert page.evaluate("visualViewport.scale") == 1
    stroked(page, ((x - 90, y), (x - 20, y)), ((x + 90, y), (x + 20, y)))
    assert page.evaluate(eye)["far"] == pytest.approx(first["far"], rel=0.05)


def test_keys_turn_bring_nearer_play_and_move_joints(opened):
    robot = EXAMPLES["drawn"]()
    t = np.linspace(0, 5, 51)
    page = opened(html(robot, q=np.outer(t, [0.2, 0.1, -0.1]), times=t))
    eye, state = f"({{...{ROOT}.steiner.view.eye}})", f"{ROOT}.steiner.state"
    first = page.evaluate(eye)
    page.locator("canvas").focus()
    for key in ("ArrowLeft", "ArrowUp", "+"):
        page.keyboard.press(key)
    found = page.evaluate(eye)
    assert found["az"] == pytest.approx(first["az"] + 0.1) and found["el"] == pytest.approx(first["el"] + 0.1)
    assert found["far"] == pytest.approx(0.9 * first["far"])
    page.keyboard.press("Home")
    assert page.evaluate(eye)["az"] == pytest.approx(first["az"]) and page.evaluate(eye)["far"] == first["far"]
    page.keyboard.press(" ")
    until(page, f"{state}.t > 0.05")
    page.keyboard.press(" ")
    assert not page.evaluate(f"{state}.playing")
    slider = page.locator("input[type=range][aria-label='elbow, rad']")
    box, before = slider.bounding_box(), page.evaluate(f"[...{state}.q]")
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
    q = page.evaluate(f"[...{state}.q]")
    assert q[2] == pytest.approx(low + 0.75 * (high - low), abs=0.05 * (high - low)) and q[:2] == before[:2]
    page.keyboard.press("ArrowRight")
    after = page.evaluate(f"[...{state}.q]")
    assert after[2] > q[2]
    tau = robot.inverse_dynamics(after, page.evaluate(f"[...{state}.qd]"), page.evaluate(f"[...{state}.qdd]"))
    assert np.allclose(page.evaluate(f"[...{ROOT}.steiner.result.tau]"), tau, rtol=1e-9)


def test_a_motion_plays(opened):
    robot = st.load("gallery:rr")
    t = np.linspace(0, 2, 21)
    q = np.stack([np.sin(t), t], axis=1)
    qd, qdd = np.stack([np.cos(t), 0 * t + 1], axis=1), np.stack([-np.sin(t), 0 * t], axis=1)
    page = opened(html(robot, q=q, qd=qd, qdd=qdd, times=t))
    slider = page.locator("input[aria-label=time]")
    slider.evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')); }", float(t[7]))
    found = page.evaluate(f"[...{ROOT}.steiner.result.tau]")
    assert np.allclose(found, robot.inverse_dynamics(q[7], qd[7], qdd[7]), rtol=1e-9)
    page.locator(".time button").click()
    until(page, f"Math.abs({ROOT}.steiner.state.t - {t[7]}) > 0.05")
    page.locator(".time button").click()
    stopped = page.evaluate(f"{ROOT}.steiner.state.t")
    page.wait_for_timeout(80)
    assert page.evaluate(f"{ROOT}.steiner.state.t") == stopped


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_by_day_and_by_night(opened, scheme):
    page = opened(html(EXAMPLES["drawn"]()), width=380, height=760, color_scheme=scheme, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    seen = pixels(page)
    assert (seen[-3, -3].mean() > 200) == (scheme == "light") and painted(page) > 0.02
    ink = page.evaluate("getComputedStyle(document.querySelector('.panel')).color")
    light = np.mean([int(x) for x in ink.removeprefix("rgb(").removesuffix(")").split(", ")])
    assert (light < 100) == (scheme == "light")


def test_names_stay_text(opened):
    """Of links, joints, parts and robots; what a name would do as markup or script does not happen."""
    body = st.MassProperties(1.0, (0.1, 0, 0), (0.01,) * 3)
    names = [n for n in HOSTILE if n.strip()]
    links = [
        st.Link(f"{name} {k}", None, st.Revolute(name=f"{name} j{k}"), body=body) for k, name in enumerate(names[:40])
    ]
    for robot in (st.Robot(names[10], links[:20]), st.Robot(names[11], links[20:])):
        page = opened(html(robot))
        listed = page.evaluate("[...document.querySelectorAll('option')].map(o => o.textContent)")[1:]
        assert listed == [printable(name) for name in robot.link_names]
        assert page.locator("h1").text_content() == printable(robot.name)
        assert page.evaluate("document.querySelectorAll('img, iframe, a').length") == 0
    parts = [st.Part(name, st.Box(0.1, 0.1, 0.1), mass=1.0) for name in dict.fromkeys(names) if "/" not in name]
    page = opened(html(st.Assembly(names[12], parts)))
    shown = page.evaluate("[...document.querySelectorAll('.layer span')].map(o => o.textContent)")
    assert {printable(part.name) for part in parts} <= set(shown)


def test_a_browser_without_webgl_still_computes(opened):
    page = opened(html(EXAMPLES["drawn"]()).replace('getContext("webgl2"', 'getContext("nothing"'))
    assert "needs WebGL 2" in page.locator("header").inner_text()
    page.evaluate(f"{ROOT}.steiner.state.q[1] = 0.5, {ROOT}.steiner.compute()")
    assert "of 8 N m" in page.locator(".meter b").nth(1).text_content()


def test_a_urdf_with_meshes_and_colours(opened, tmp_path):
    """Triangles without shared corners, as STL has them, are drawn as the smooth thing they are: lines at edges."""
    vertices, faces = st.Cylinder(0.05, 0.3).mesh(32)
    soup = np.asarray(vertices)[np.asarray(faces)]
    (tmp_path / "bar.stl").write_bytes(
        b" " * 80 + np.uint32(len(soup)).tobytes()
        + b"".join(np.zeros(3, "<f4").tobytes() + t.astype("<f4").tobytes() + b"\0\0" for t in soup)
    )  # fmt: skip
    (tmp_path / "arm.urdf").write_text(
        """<robot name="one"><link name="base"/><link name="bar">
        <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual><geometry><mesh filename="bar.stl"/></geometry>
        <material name="red"><color rgba="0.8 0.1 0.1 1"/></material></visual></link>
        <joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>""",
        encoding="utf-8",
    )
    page = opened(html(st.load(tmp_path / "arm.urdf"), meshes=True))
    red = pixels(page)
    assert ((red[..., 0] > 90) & (red[..., 1] < 60) & (red[..., 2] < 60)).mean() > 0.02
    shape = f"{ROOT}.steiner.data.actors.flatMap(a => a.items).find(i => i.kind == 'surface')"
    assert page.evaluate(f"{shape}.V.length / 3") == len(vertices)
    assert page.evaluate(f"{shape}.shell.segments.length") == 64  # two rims


def test_a_scene_in_a_notebook_is_framed(opened):
    from steiner.text.shown import framed

    page = opened(f"<!DOCTYPE html><body>{framed(html(EXAMPLES['solid']()))}</body>")
    inner = page.frames[1]
    assert inner.locator("canvas").count() == 1 and inner.locator("h1").text_content() == "solid"


@pytest.mark.parametrize("seed", range(3))
def test_generated_javascript_in_a_browser(opened, seed):
    tape = random_tape(seed, operations=60, everything=True)
    inputs = random_inputs(tape, 6, seed)
    inputs[0][1, :], inputs[0][2, :], inputs[0][3, :] = np.nan, np.inf, 0.0
    want = [np.zeros((6, o.size)) for o in tape.outputs]
    reference.evaluate(tape, inputs, want, 6)
    text = js.module(tape, "graph", [f"out{k}" for k in range(len(tape.outputs))])
    rows, shapes = list(zip(*inputs, strict=True)), [(o.size,) for o in tape.outputs]
    for k, row in enumerate(run(text, "graph", rows, shapes, in_browser(opened))):
        for a, b in zip(row, want, strict=True):
            assert np.allclose(a, b[k], rtol=1e-12, atol=1e-12, equal_nan=True)
