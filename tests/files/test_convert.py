"""From any format to any other, saying what is lost; nothing is replaced unless it is asked for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import steiner as st
from steiner import dynamics
from steiner.errors import FormatError
from steiner.files.load import FORMATS
from steiner.model.joints import Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot

ROBOTS = [key for key, form in FORMATS.items() if form.holds == "robot" and form.write]
READ = [key for key in ROBOTS if FORMATS[key].read]


def arm() -> Robot:
    """A serial arm that every format can hold."""
    body = st.MassProperties(1.0, (0.1, 0.2, 0.3), (0.1, 0.12, 0.13))
    first = Revolute(name="a", axis=(0, 1, 0))
    second = Prismatic(name="b", axis=(1, 0, 0))
    links = (Link("k", joint=first, body=body), Link("l", "k", second, st.Pose.from_rpy((1, 2, 3), (1, 0, 0)), body))
    return Robot("arm", links)


@pytest.mark.parametrize(("one", "other"), [*itertools.product(READ, ROBOTS)])
def test_any_to_any(one, other, tmp_path):
    first, second = tmp_path / f"first{FORMATS[one].suffixes[0]}", tmp_path / f"second{FORMATS[other].suffixes[0]}"
    robot = arm()
    st.save(robot, first, format=one)
    losses = st.convert(first, second, source_format=one, target_format=other)
    assert losses == [] or "of its own" in losses[0]
    if FORMATS[other].read:
        again = st.load(second, format=other)
        q = [0.3, 0.4]
        M, expected = (np.array(dynamics.mass_matrix(x, q), dtype=float) for x in (again, robot))
        np.testing.assert_allclose(M, expected, rtol=1e-12, atol=1e-13)
        assert again.joint_names == robot.joint_names


def test_losses_are_given_and_save_warns_of_them(tmp_path):
    rich = arm().replace(gravity=(0, 0, 9.81)).with_payload(st.MassProperties(0.5), name="cup")
    st.save(rich, tmp_path / "arm.yaml")
    losses = st.convert(tmp_path / "arm.yaml", tmp_path / "arm.urdf")
    assert losses == ["gravity [0.0, 0.0, 9.81]", "that 'cup' is a payload: it becomes a fixed link"]
    with pytest.warns(st.ModelWarning, match="lacks: gravity"):
        st.save(rich, tmp_path / "arm.urdf", force=True)


def test_followers_and_angles_stay_as_they_are(tmp_path):
    text = '<robot name="r"><link name="base"/>' + "".join(
        f'<link name="{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        f'</inertial></link><joint name="j{k}" type="continuous"><origin rpy="1.57079632679 0 0"/><parent link="base"/>'
        f'<child link="{k}"/>{mimic}</joint>'
        for k, mimic in (("a", ""), ("b", '<mimic joint="ja" multiplier="2"/>'))
    )
    (tmp_path / "r.urdf").write_text(f"{text}</robot>")
    assert st.convert(tmp_path / "r.urdf", tmp_path / "r.sdf") == []
    again = st.load(tmp_path / "r.sdf", mimic="coupled", snap=False)
    assert again.joint_names == ("ja",) and again.joint("jb").multiplier == 2
    assert again.link("a").mount.rpy[0] == 1.57079632679


def test_nothing_is_replaced_and_the_wrong_thing_is_refused(tmp_path):
    target = tmp_path / "arm.sdf"
    target.write_text("mine")
    with pytest.raises(FormatError, match="exists"):
        st.convert("gallery:rr", target)
    assert target.read_text() == "mine"
    st.convert("gallery:rr", target, force=True)
    assert target.read_text().startswith("<?xml")
    (tmp_path / "link.yaml").write_text("unit: mm\nlink: {parts: [{shape: sphere, radius: 50, density: 1000}]}")
    with pytest.raises(FormatError, match="Assembly cannot be written as URDF"):
        st.convert(tmp_path / "link.yaml", tmp_path / "link.urdf")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.sdf", "link.yaml"]
