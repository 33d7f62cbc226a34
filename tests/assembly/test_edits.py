"""Working on a drawing: changed and missing parts, and two versions side by side."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st


def drawing() -> st.Assembly:
    flange = st.Part("flange", st.Cylinder(0.04, 0.01), material="aluminium", pose=st.Pose.from_rpy((0.1, 0.02, 0)))
    cup = st.Assembly("cup", [flange, st.Part("bore", st.Cylinder(0.01, 0.01), density=2700, cavity=True)])
    at = st.Pose.from_rpy((0.15, 0, 0), (0.1, 0, 0))
    beam = st.Part("beam", st.Box(0.3, 0.04, 0.03), material="aluminium", pose=at)
    return st.Assembly("arm", [beam, cup.at(xyz=(0.3, 0, 0))])


def test_a_part_is_changed_and_all_else_is_kept():
    asm = drawing()
    new = asm.replaced("flange", material="steel")
    assert new.find("flange").part.material.name == "steel" and asm.find("flange").part.material.name == "aluminium"
    assert new.children[0] is asm.children[0] and new.find("bore").part is asm.find("bore").part
    by_hand = asm.mass_properties - asm.find("flange").part.mass_properties.moved(asm.find("flange").pose)
    by_hand = by_hand + st.Cylinder(0.04, 0.01).of("steel").moved(asm.find("flange").pose)
    assert np.allclose(new.mass_properties.inertia, by_hand.inertia, rtol=1e-12)
    assert np.allclose(new.mass_properties.com, by_hand.com, rtol=1e-12)


@pytest.mark.parametrize(
    "changes",
    [{"density": 1000.0}, {"mass": 0.3}, {"solid": st.Sphere(0.02)}, {"pose": st.Pose.from_rpy((0, 0, 1))},
     {"body": st.MassProperties(0.2, (0, 0, 0), (1e-5,) * 3)}, {"name": "plate"}],
    ids=lambda c: next(iter(c)),
)  # fmt: skip
def test_every_field_can_be_changed(changes):
    node = drawing().replaced("cup/flange", **changes).find(changes.get("name", "flange"))
    ((name, value),) = changes.items()
    assert getattr(node.part, name) is value or getattr(node.part, name) == value
    if name in ("density", "mass", "body"):
        assert node.part.material is None


def test_a_part_is_left_out():
    asm = drawing()
    gone = asm.without("cup")
    assert [n.path for n in gone.nodes()] == ["arm", "arm/beam"]
    assert np.isclose(gone.mass, asm.find("beam").part.mass_properties.mass)


def test_what_cannot_be_changed_is_said():
    with pytest.raises(st.SteinerError, match="no field named 'colour'"):
        drawing().replaced("flange", colour="red")
    with pytest.raises(st.SteinerError, match="no part named 'flunge'"):
        drawing().replaced("flunge", mass=1.0)
    with pytest.raises(st.SteinerError, match="is the whole"):
        drawing().without("arm")


def test_two_versions_side_by_side():
    asm = drawing()
    new = asm.replaced("flange", material="steel").without("bore")
    new = st.Assembly("arm v2", [*new.children, st.Part("cap", st.Sphere(0.01), mass=0.05)])
    found = asm.compare(new)
    kinds = {row.path: row.kind for row in found.rows}
    assert kinds == {
        "arm v2": "changed", "beam": "same", "cup": "changed", "cup/flange": "changed", "cup/bore": "removed",
        "cap": "added",
    }  # fmt: skip
    whole = found.rows[0]
    assert np.isclose(whole.after.mass - whole.before.mass, new.mass - asm.mass)
    text = str(found)
    assert "removed" in text and "beam" not in text and "+" in text
    assert not asm.compare(asm).changed and "the same" in str(asm.compare(asm))
    with pytest.raises(st.SteinerError, match="expected an assembly"):
        asm.compare(3)
