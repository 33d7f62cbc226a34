"""The report in a real browser: it opens from disk, plays, folds, copies, fits a phone, turns dark, and prints."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.formulas.coefficients import coefficients
from steiner.reports.report import page as written
from steiner.reports.subject import subject_of

pytestmark = pytest.mark.heavy
ROOT = Path(__file__).parent.parent.parent
VIEW = "document.querySelectorAll('.steiner-view')[{}].steiner"


@cache
def report(name: str = "desk") -> str:
    robot = st.load(ROOT / "examples" / "desk_arm.yaml") if name == "desk" else st.load(name)
    return written(subject_of(robot))


@pytest.mark.parametrize("name", ["desk", "gallery:panda"])
def test_it_opens_without_errors_and_shows_its_formulas(name, opened):
    page = opened(report(name))
    assert page.evaluate("document.querySelectorAll('section').length") == 6
    if name != "desk":
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    tall = "m => m.getBoundingClientRect().height > 5"
    boxes = page.evaluate(f"[...document.querySelectorAll('math')].filter({tall}).length")
    assert boxes > 10
    fonts = page.evaluate("document.fonts.ready.then(all => [...all].map(f => `${f.family} ${f.status}`))")
    assert any("Steiner Math" in font and "loaded" in font for font in fonts)


def test_motions_play_and_the_live_arm_tells_what_the_package_says(opened):
    page = opened(report())
    for k in range(3):
        root = VIEW.format(k)
        before = page.evaluate(f"[...{root}.state.q]")
        page.evaluate(f"document.querySelectorAll('.steiner-view')[{k}].querySelector('.time button').click()")
        page.wait_for_timeout(600)
        page.evaluate(f"document.querySelectorAll('.steiner-view')[{k}].querySelector('.time button').click()")
        assert not np.allclose(page.evaluate(f"[...{root}.state.q]"), before, atol=1e-4), k
    robot, q = st.load(ROOT / "examples" / "desk_arm.yaml"), [0.3, 0.5, -0.7]
    tau = page.evaluate(
        f"(s => {{ s.state.q.set({q}); s.state.qd.fill(0); s.state.qdd.fill(0); "
        f"s.state.payload[0] = 0.4; s.compute(); return [...s.result.tau]; }})({VIEW.format(0)})"
    )
    assert np.allclose(tau, robot.with_payload(st.MassProperties(0.4)).gravity_forces(q), rtol=1e-12)


def test_the_equations_follow_a_length_and_a_load(opened):
    page = opened(report())
    shown = (
        "(x => { for (const e of document.querySelectorAll('[data-live]')) x[e.dataset.live] = Number(e.textContent); "
        "return x; })([])"
    )
    before = page.evaluate(shown)
    desk = st.load(ROOT / "examples" / "desk_arm.yaml")
    np.testing.assert_allclose(before, coefficients(desk).values, rtol=5e-6)
    slider = (
        "(s => {{ s.value = {1}; s.dispatchEvent(new Event('input')); }})"
        "(document.querySelectorAll('#live input')[{0}])"
    )
    page.evaluate(slider.format(0, 0.31))
    page.evaluate(slider.format(2, 0.4))
    wanted = coefficients(desk.with_parameters({"reach": 0.31}).with_payload(st.MassProperties(0.4))).values
    computed = page.evaluate("[...document.querySelector('.steiner-view').steiner.equations]")
    np.testing.assert_allclose(computed, wanted, rtol=1e-12)
    np.testing.assert_allclose(page.evaluate(shown), wanted, rtol=5e-6)
    said = "document.querySelector('#live p').textContent"
    assert not page.evaluate(said)
    page.evaluate("(s => { s.state.gravity[0] = 3; s.compute(); })(document.querySelector('.steiner-view').steiner)")
    assert "not written" in page.evaluate(said)
    page.evaluate("document.querySelector('#live button').click()")
    assert page.evaluate(shown) == before and not page.evaluate(said)


def test_the_wheel_scrolls_the_page_until_a_view_was_touched(opened):
    page = opened(report(), width=1200, height=700)
    box = page.locator("canvas").first.bounding_box()
    far = "document.querySelector('.steiner-view').steiner.view.eye.far"
    before = page.evaluate(far)
    page.mouse.move(box["x"] + 40, min(box["y"] + 40, 650))
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > 0 and page.evaluate(far) == before
    box = page.locator("canvas").first.bounding_box()
    page.mouse.click(box["x"] + 40, box["y"] + 60)
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(300)
    assert page.evaluate(far) > before


@pytest.mark.parametrize("name", ["desk", "gallery:panda"])
def test_a_phone_scrolls_down_only(name, opened):
    page = opened(report(name), width=390, height=844)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_light_and_dark_are_readable(opened):
    for scheme, dark in (("light", False), ("dark", True)):
        page = opened(report(), color_scheme=scheme)
        paper, ink = page.evaluate(
            "(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))"
            ".map(c => c.match(/[0-9.]+/g).slice(0, 3).reduce((a, x) => a + Number(x), 0) / 765)"
        )
        assert (paper < 0.2) == dark and abs(paper - ink) > 0.6
        curve = page.evaluate("getComputedStyle(document.querySelector('.charts .curve')).stroke")
        assert curve.startswith("rgb")


def test_tables_and_latex_are_copied_with_all_their_digits(opened):
    page = opened(report())
    page.evaluate("document.execCommand = () => { window.taken = document.activeElement.value; return true; }")
    page.evaluate("document.querySelector('#sizing').parentElement.previousElementSibling.querySelector('.copy').click()")
    lines = page.evaluate("window.taken").splitlines()
    assert lines[0].startswith("joint\tpeak") and len(lines) == 4
    found = st.sizing(*(lambda s: (s.robot, s.motion))(subject_of(st.load(ROOT / "examples" / "desk_arm.yaml"))))
    assert float(lines[2].split("\t")[1]) == found.peak_torque[1]
    page.evaluate("document.querySelector('.latex .copy').click()")
    assert r"\dot" in page.evaluate("window.taken")
    page.evaluate("document.querySelector('#torque-chart .copy').click()")
    assert page.evaluate("window.taken").startswith("t,waist.tau,")


def test_it_prints_with_a_drawing_in_place_of_the_view(opened, tmp_path):
    page = opened(report())
    page.emulate_media(media="print")
    shown = "getComputedStyle(document.querySelector('{}')).display"
    assert page.evaluate(shown.format(".view")) == "none" and page.evaluate(shown.format(".paper")) == "block"
    read = "g => [g.tBodies[0].rows.length, getComputedStyle(g).breakInside]"
    grids = page.evaluate(f"[...document.querySelectorAll('.grid')].map({read})")
    kept = {(rows < 16, inside) for rows, inside in grids}
    assert kept == {(True, "avoid"), (False, "auto")}  # a short table stands on one sheet, a long one need not
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    data = (tmp_path / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF") and 4 < data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") < 60
