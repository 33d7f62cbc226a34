"""Two robots side by side: each difference is found where it is, and its effect is that of the terms themselves."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import steiner as st
from steiner.review.compare import Comparison

UR5 = st.load("gallery:ur5")


def changed(name: str, **changes) -> st.Robot:
    return UR5.replace(links=[replace(k, **changes) if k.name == name else k for k in UR5.links])


def only(found: Comparison) -> tuple[str, str]:
    (difference,) = found.links
    return difference.link, difference.what


def test_a_robot_is_like_itself():
    found = st.compare(UR5, UR5)
    assert found.alike and found.links == () and all(e.largest == 0 for e in found.effects)
    assert "no link differs" in found.text() and "<table>" in found._repr_html_()


LINK = UR5.links[3]
BODY = LINK.body


@pytest.mark.parametrize(
    ("what", "changes", "amount"),
    [
        ("mass", {"body": st.MassProperties(1.01 * BODY.mass, BODY.com, BODY.inertia)}, 0.01 / 1.01),
        ("centre", {"body": st.MassProperties(BODY.mass, BODY.com + [0, 0.003, 0.004], BODY.inertia)}, 0.005),
        ("tensor", {"body": st.MassProperties(BODY.mass, BODY.com, 1.25 * BODY.inertia)}, 0.2),
        ("frame", {"mount": st.Pose(LINK.mount.R, LINK.mount.p + [0.006, 0.008, 0])}, 0.01),
    ],
)
def test_what_differs_is_named_and_measured(what, changes, amount):
    other = changed(LINK.name, **changes)
    found = st.compare(UR5, other)
    assert only(found) == (LINK.name, what) and found.links[0].amount == pytest.approx(amount, rel=1e-9)
    assert not found.alike and {e.term for e in found.effects} == {"M", "C", "g"}
    largest = next(e for e in found.effects if e.term == "M")
    off = np.abs(other.mass_matrix(largest.q) - UR5.mass_matrix(largest.q))
    assert off.max() == pytest.approx(largest.largest, rel=1e-9)
    assert UR5.joint_names[int(np.argmax(off.max(axis=1)))] == largest.joint


def test_springs_are_compared():
    soft, stiff = (changed(LINK.name, joint=replace(LINK.joint, stiffness=k, rest=0.5)) for k in (2.0, 3.0))
    found = st.compare(soft, stiff)
    assert only(found) == (LINK.name, "spring") and (found.links[0].first, found.links[0].second) == (
        "2 about 0.5", "3 about 0.5",
    )  # fmt: skip
    worst = next(e for e in found.effects if e.term == "s")
    assert not found.alike and worst.joint == LINK.joint.name
    assert worst.largest == pytest.approx(np.abs(stiff.spring_forces(worst.q) - soft.spring_forces(worst.q)).max())
    assert all(e.largest == 0 for e in found.effects if e.term != "s")
    assert st.compare(soft, UR5).links[0].second == "none" and st.compare(soft, soft).alike


def test_springs_are_those_of_mujoco(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    st.save(changed(LINK.name, joint=replace(LINK.joint, stiffness=5.0, rest=0.5)), file)
    found = st.compare(file, against="mujoco")
    assert found.alike and [e.term for e in found.effects] == ["M", "C", "g", "s"]
    tendon = f'<tendon><fixed stiffness="30"><joint joint="{LINK.joint.name}" coef="1"/></fixed></tendon></mujoco>'
    file.write_text(file.read_text().replace("</mujoco>", tendon))
    found = st.compare(file, against="mujoco")  # springs of tendons are left out here, and told when it is read
    assert [e.term for e in found.effects if e.relative > 1e-9] == ["s"]


def test_other_axes_joints_and_parents_are_found():
    assert ("axis" in {d.what for d in st.compare(UR5, changed(LINK.name, joint=_with_axis(LINK, (1, 0, 0)))).links})
    gone = UR5.locked({UR5.joint_names[-1]: 0.0})
    found = st.compare(UR5, gone)
    assert "joint" in {d.what for d in found.links} and found.effects == () and UR5.joint_names[-1] in found.remarks[0]


def _with_axis(link: st.Link, axis: tuple[float, float, float]):
    return replace(link.joint, axis=axis)


def test_joints_in_another_order_are_matched_by_name():
    def tree(order: str) -> st.Robot:
        arms = {
            name: st.Link(name, "base", st.Revolute(name=f"j{name}", axis=(0, 1, 0)), st.Pose(p=(k, 0, 0)),
                          st.MassProperties(1.0 + k, (0.1, 0, 0), (0.01, 0.02, 0.02)))
            for k, name in enumerate("abc")
        }  # fmt: skip
        return st.Robot("tree", [st.Link("base"), *(arms[name] for name in order)])

    assert st.compare(tree("abc"), tree("bca")).alike


def test_what_cannot_be_compared_is_refused(tmp_path):
    for arguments, options in (((UR5,), {}), ((UR5, UR5), {"against": "pinocchio"}), ((UR5,), {"against": "gazebo"}),
                               ((UR5,), {"against": "mujoco"}), (("gallery:ur5",), {"against": "mujoco"})):  # fmt: skip
        with pytest.raises(st.SteinerError):
            st.compare(*arguments, **options)


@pytest.mark.parametrize("program", ["pinocchio", "mujoco"])
def test_other_programs_read_the_same_file_the_same_way(program, tmp_path):
    pytest.importorskip(program)
    file = tmp_path / "ur5.urdf"
    st.save(UR5, file)
    found = st.compare(file, against=program)
    assert found.alike and found.second == program and len(found.effects) == 3
    wrong = file.read_text().replace('<mass value="', '<mass value="1', 1)
    (tmp_path / "other.urdf").write_text(wrong)
    assert not st.compare(file, tmp_path / "other.urdf").alike


def test_a_stray_origin_is_read_as_pinocchio_and_mujoco_read_it(tmp_path):
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="a"><link name="base"/><link name="l1"><origin xyz="0 0 1" rpy="1 2 3"/><inertial>'
        '<origin xyz="0.1 0.2 0.3"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="l1"/>'
        '<axis xyz="1 0 0"/></joint></robot>'
    )
    assert st.compare(file, against="pinocchio").alike and st.compare(file, against="mujoco").alike


@pytest.mark.heavy
@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_drake_reads_the_same_file_the_same_way(ending, tmp_path):
    pytest.importorskip("pydrake", reason="Drake is not installed: pip install drake")
    file = tmp_path / f"ur5.{ending}"
    st.save(UR5, file)
    found = st.compare(file, against="drake")
    assert found.alike and found.second == "drake" and len(found.effects) == 3
    assert all(e.relative < 1e-12 for e in found.effects)
    if ending == "sdf":
        st.save(changed(LINK.name, joint=replace(LINK.joint, stiffness=5.0, rest=0.5)), file, force=True)
        found = st.compare(file, against="drake")
        assert found.alike and [e.term for e in found.effects] == ["M", "C", "g", "s"]


@pytest.mark.parametrize("program", ["pinocchio", "mujoco", "drake"])
def test_a_program_that_is_missing_is_said_so(program, tmp_path, monkeypatch):
    for name in ("pinocchio", "mujoco", "pydrake", "pydrake.multibody.parsing"):
        monkeypatch.setitem(sys.modules, name, None)
    st.save(UR5, tmp_path / "ur5.urdf")
    with pytest.raises(st.SteinerError, match=rf"{program} is not installed .*pip install"):
        st.compare(tmp_path / "ur5.urdf", against=program)
