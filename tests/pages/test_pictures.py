"""Pictures in a real browser: what is drawn is there, and in the place where it was said to be."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.text.document import page

pytestmark = pytest.mark.heavy


def test_a_picture_of_a_robot_opens(opened):
    page = opened(st.draw(st.load("gallery:desk"), q=[0.4, 0.5, -0.8]).svg, ending="svg", width=820, height=620)
    boxes = page.evaluate("[...document.querySelectorAll('path')].filter(p => p.getBBox().width > 0).length")
    assert boxes > 40
    assert "desk" in page.evaluate("document.documentElement.textContent")


def test_what_is_seen_is_what_was_painted_last(opened):
    """Two boxes, one behind the other: the browser finds the nearer one in the middle."""
    from steiner.scene.scene import Actor, Scene, Surface

    near, far = st.Box(0.1, 0.1, 0.1).at(xyz=(0, -1, 0)), st.Box(0.4, 0.1, 0.4).at(xyz=(0, 1, 0))
    scene = Scene("", (Actor("", (Surface(*near.mesh(), "#c80000"), Surface(*far.mesh(), "#0000c8"))),))
    picture = st.draw(scene, elevation=0, azimuth=-90, width=400, height=400)
    page = opened(picture.svg, ending="svg", width=400, height=400)
    top = page.evaluate("document.elementFromPoint(200, 216).getAttribute('fill')")
    assert int(top[1:3], 16) > 90 and top.endswith("0000")


def test_every_line_of_a_derivation_is_seen(opened):
    """Formulas have height and stay inside of the page, wide and narrow."""
    html = st.equations(st.load("gallery:rr")).derivation().html()
    for width in (1200, 380):
        page = opened(html, width=width)
        size = "m => {const r = m.getBoundingClientRect(); return [r.width, r.height]}"
        sizes = np.array(page.evaluate(f"[...document.querySelectorAll('math')].map({size})"))
        assert len(sizes) > 20 and (sizes > 5).all()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")


TEXTS = {
    "arm": lambda: st.equations(st.load("gallery:rr")).derivation().html(),
    "solid": lambda: (st.Box(0.1, 0.2, 0.3) - st.Cylinder(0.02, 0.3)).derivation().html(),
}
USED = """async selector => {
    await document.fonts.ready;
    const math = document.querySelector(selector), context = document.createElement("canvas").getContext("2d");
    const wide = family => {context.font = `100px ${family}`; return context.measureText("𝜏𝑖∑").width};
    const formulas = getComputedStyle(math).fontFamily, plain = name => name.replaceAll('"', "");
    return [...document.fonts].map(f => [
        plain(f.family), f.status, wide(f.family) == wide(formulas), wide(f.family) != wide("serif")])}"""


@pytest.mark.parametrize("text", TEXTS)
def test_formulas_are_set_in_the_font_that_the_page_brings(opened, text):
    """Loaded, first in the list of the formulas, with glyphs for slanted letters; nothing is asked for elsewhere."""
    assert opened(TEXTS[text]()).evaluate(USED, "math") == [["Steiner Math", "loaded", True, True]]


def test_brackets_grow_with_what_they_hold(opened):
    """The table of larger glyphs came along with the font: a tall bracket is one glyph, narrower than a scaled one."""
    tall = "<mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mfrac><mn>3</mn><mn>4</mn></mfrac></mfrac>"
    html = page("", f"<math display='block'><mo>(</mo><mn>1</mn><mo>(</mo>{tall}</math>")
    low, high = opened(html).evaluate("[...document.querySelectorAll('mo')].map(m => m.getBoundingClientRect().height)")
    low_, high_ = opened(html.replace("<mo>", "<mo stretchy='false'>")).evaluate(
        "[...document.querySelectorAll('mo')].map(m => m.getBoundingClientRect().height)"
    )
    assert high > 2 * high_ and low > 2 * low_
