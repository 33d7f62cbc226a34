"""Pages of scenes, as texts; what they do in a browser is in tests/pages."""

from __future__ import annotations

import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import steiner as st
from steiner.errors import SteinerError, printable
from steiner.scene.page import library, page
from steiner.scene.subjects import scene_of
from tests.hostile_names import HOSTILE
from tests.hostile_names import page as parsed


def data(text: str) -> dict:
    """The scene that a page holds."""
    found = re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_page_stands_alone():
    text = page(scene_of(st.Box(0.1, 0.2, 0.3)))
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(", text)
    assert len(library()) < 36_000 and len(text) < 50_000


def test_a_page_of_a_robot_holds_its_kernel_and_its_limits():
    robot = st.load("gallery:desk")
    text = page(scene_of(robot, q=[0.1, 0.2, 0.3]))
    facts = data(text)["robot"]
    assert "function kernel(q, qd, qdd, payload_mass, gravity, poses, tau" in text
    assert [j["name"] for j in facts["joints"]] == list(robot.joint_names) and facts["q"] == [[0.1, 0.2, 0.3]]
    limits = [robot.joint(name).limits for name in robot.joint_names]
    assert [j["effort"] for j in facts["joints"]] == [limit and limit.effort for limit in limits]
    still = data(page(scene_of(st.Robot("rock", [st.Link("stone", None, body=st.MassProperties(1.0))]))))
    assert still["robot"] is None and still["actors"][1]["body"][0] == 1.0


def test_a_slider_reaches_where_the_robot_is():
    robot = st.load("gallery:desk")
    upper = robot.joint(robot.joint_names[0]).limits.upper
    facts = data(page(scene_of(robot, q=[upper + 1, 0, 0])))["robot"]
    assert facts["joints"][0]["upper"] == upper + 1


def test_a_payload_may_have_the_name_that_the_page_would_give_its_own():
    arm = st.load("gallery:rr").with_payload(st.MassProperties(0.5))
    text = page(scene_of(arm))
    assert "payload2_mass" in text and len(data(text)["robot"]["loads"]) == len(arm.tree.loads) + 1


@pytest.mark.parametrize("name", [n for n in HOSTILE if n.strip()])
def test_names_are_data(name):
    body = st.MassProperties(1.0, (0.1, 0, 0), (0.01,) * 3)
    text = page(scene_of(st.Robot(name, [st.Link(name, None, st.Revolute(name=name), body=body)])))
    tags, _ = parsed(text)
    assert [tag for tag, _ in tags] == [
        "html", "head", "meta", "title", "meta", "meta", "style", "script", "style", "body", "div", "script", "script",
    ]  # fmt: skip
    found = data(text)
    assert found["title"] == found["actors"][1]["name"] == found["robot"]["joints"][0]["name"] == printable(name)


def test_show_writes_where_it_is_told_and_opens_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda url: pytest.fail(url))
    for k, subject in enumerate((st.Box(1, 2, 3), st.Assembly("a", [st.Part("p", st.Sphere(0.1), mass=1.0)]),
                                 st.load("gallery:rr"))):  # fmt: skip
        shown = subject.show(path=tmp_path / f"{k}.html")
        assert shown.path.read_text(encoding="utf-8") == shown.html and "kB" in repr(shown)
    st.draw(st.load("gallery:rr"), tmp_path / "drawn.html", q=[0.1, 0.2])
    assert data((tmp_path / "drawn.html").read_text(encoding="utf-8"))["robot"]["q"] == [[0.1, 0.2]]


def test_show_opens_a_page_in_the_browser_and_stands_in_a_notebook(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path))
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    shown = st.load("gallery:rr").show([0.1, 0.2])
    assert opened == [shown.path.as_uri()] and shown.path.name == "rr.html"
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    shown = st.Box(1, 2, 3).show()
    assert shown.path is None and len(opened) == 1
    ((tag, attributes),) = parsed(shown._repr_html_())[0]
    assert tag == "iframe" and attributes["srcdoc"] == shown.html


def test_show_of_rows_plays_and_refuses_what_does_not_fit():
    robot = st.load("gallery:rr")
    q = np.zeros((5, 2))
    assert data(page(scene_of(robot, q=q, times=np.arange(5) / 4)))["times"] == [0, 0.25, 0.5, 0.75, 1]
    with pytest.raises(SteinerError, match=r"qd has the shape \(3,\)"):
        robot.show(q, qd=[0, 0, 0])
    with pytest.raises(SteinerError, match="5 rows of q, 3 times"):
        robot.show(q, times=[0, 1, 2])
    with pytest.raises(SteinerError, match="not finite"):
        robot.show([0, np.nan])


def test_a_motion_shows_some_of_its_states(tmp_path):
    robot = st.load("gallery:rr")
    motion = st.simulate(robot, [0.1, 0.2], [0, 0], 1.0)
    found = data(motion.show(path=tmp_path / "m.html").html)
    assert found["times"][0] == motion.t[0] and found["times"][-1] == motion.t[-1]
    assert found["robot"]["q"][-1] == motion.q[-1].tolist() and found["robot"]["qdd"][0] == motion.qdd[0].tolist()

