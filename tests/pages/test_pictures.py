"""Pictures in a real browser: what is drawn is there, and in the place where it was said to be."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st

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
