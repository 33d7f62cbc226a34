"""M3: the NM7MAR as printed (paper §5), read off the gallery's own robot."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from tests.evaluating import wrong

LENGTHS = {"link1": 0.45, "link2": 0.35, "link3": 0.30}
ALONG = {"link1": 0, "link2": 0, "link3": 2}
ALUMINIUM = st.Box(1, 1, 1).of("aluminium").mass


def links():
    robot = st.load("gallery:nm7mar")
    return {name: robot.link(name).made_of for name in LENGTHS}


@pytest.mark.parametrize("name", LENGTHS)
def test_M3_eqs_47_to_49_hold_for_the_links_of_the_gallery(name):
    link, k, length = links()[name], ALONG[name], LENGTHS[name]
    elements = {e.name: e for e in link.children}
    assert list(elements) == ["r", "k", "l"]
    volumes = [e.volume for e in elements.values()]
    np.testing.assert_allclose(volumes, volumes[0], rtol=1e-14)  # eq. 47
    centres = np.array([e.com() for e in elements.values()])
    np.testing.assert_allclose(centres.sum(axis=0), 0, atol=1e-16)  # eq. 48
    assert np.abs(centres[0]).max() > 1e-3  # each has a frame of its own that is not its centre
    half = -length / 2 * np.eye(3)[k]
    np.testing.assert_allclose(link.com(), half, atol=1e-15)  # eq. 49
    np.testing.assert_allclose(st.load("gallery:nm7mar").link(name).body.com, half, atol=1e-15)


@pytest.mark.parametrize("name", LENGTHS)
def test_M3_r_is_at_the_frame_of_the_link_and_l_a_length_away(name):
    link, k, length = links()[name], ALONG[name], LENGTHS[name]
    places = {e.name: e.pose.p[k] for e in link.children}
    assert places == {"r": 0.0, "k": -length / 2, "l": -length}
    body = link.find("k/cuboid").part.solid
    assert (body.x, body.y, body.z)[k] == pytest.approx(length * (1 - 0.2 - 0.2))  # eq. 35: L − α − β
    assert link.check() == []  # housings touch the body, nothing overlaps


def test_M3_the_dimensions_are_these_and_said_to_be_illustrative():
    robot = st.load("gallery:nm7mar")
    assert "illustrative" in robot.source.publication
    for name, link in links().items():
        assert link.mass == pytest.approx(3 * ALUMINIUM * 0.06**2 * 0.6 * LENGTHS[name], rel=1e-12)
        assert link.find("r/cuboid").part.solid.volume == pytest.approx(0.08**2 * 0.3375 * LENGTHS[name], rel=1e-12)


def agree(one, other):
    np.testing.assert_allclose(np.array(one, dtype=float), np.array(other, dtype=float), rtol=1e-12, atol=1e-16)


def test_M3_eqs_38_to_46_are_the_derivation_of_a_link():
    link = links()["link1"]
    derivation = link.derivation()
    assert wrong(derivation) == []
    known = derivation.known
    for p in "rkl":
        a, b, h = (float(known[f"{letter}_{p},cuboid"]) for letter in "wlh")
        m, c, o = known[f"m_{p}"], known[f"c_{p}"], link.find(p).pose.p - link.com()
        central = m / 12 * np.diag([b * b + h * h, a * a + h * h, a * a + b * b])
        agree(known[f"I_{p}"], central)  # eq. 39
        if p != "k":
            agree(known[f"0:I_{p}"], central + m * (np.eye(3) * (c @ c) - np.outer(c, c)))  # eq. 38
            d = c + o
            agree(known[f"J_{p}"], central + m * (np.eye(3) * (d @ d) - np.outer(d, d)))  # eq. 43
    agree(known["I"], link.mass_properties.inertia)  # eqs 44-46


def test_M3_the_arm_moves_and_its_links_keep_their_drawing():
    robot = st.load("gallery:nm7mar")
    assert list(robot.joint_names) == ["joint1", "joint2", "joint3"]
    assert robot.total_mass == pytest.approx(sum(link.mass for link in links().values()), rel=1e-14)
    q = np.zeros(3)
    ends = [robot.forward_kinematics(q, name).p for name in LENGTHS]
    np.testing.assert_allclose(ends[0], [0.45, 0, 0.6], atol=1e-15)
    np.testing.assert_allclose(ends[1], [0.80, 0, 0.6], atol=1e-15)
