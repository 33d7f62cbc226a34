"""What stops a reader is told under the rule that the file breaks, whatever its format."""

from __future__ import annotations

import pytest

import steiner as st

MASS = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
TENSOR = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
LINK = "<inertial><mass>1</mass>" + TENSOR + "</inertial></link>"


def mjcf(name: str = "b", axis: str = "0 0 1", mass: str = "1", more: str = "") -> str:
    body = MASS.replace('mass="1"', f'mass="{mass}"')
    return (
        f'<mujoco><worldbody><body name="a">{MASS}<joint name="j"/><body name="{name}">{body}<joint name="k" '
        f'axis="{axis}"/></body></body></worldbody>{more}</mujoco>'
    )


def sdf(name: str = "b", axis: str = "0 0 1", mass: str = "1", parent: str = "a", ground: str = "world") -> str:
    inertial = LINK.replace("<mass>1", f"<mass>{mass}")
    return (
        f'<sdf version="1.9"><model name="m"><link name="a">{LINK}<link name="{name}">{inertial}'
        f'<joint name="w" type="fixed"><parent>{ground}</parent><child>a</child></joint><joint name="j" '
        f'type="revolute"><parent>{parent}</parent><child>b</child><axis><xyz>{axis}</xyz></axis></joint></model></sdf>'
    )


def yaml(name: str = "b", axis: str = "[0, 0, 1]", mass: str = "1", parent: str = "a", root: str = "") -> str:
    return (
        f"unit: m\nrobot:\n  name: arm\n  links:\n    - {{name: a{root}}}\n    - name: {name}\n      parent: {parent}\n"
        f"      joint: {{axis: {axis}}}\n      body: {{mass: {mass}}}\n"
    )


FOLLOWING = '<equality><joint joint1="j" joint2="{}"/></equality>'

CASES = [
    ("a.xml", mjcf(), "", ""),
    ("a.xml", mjcf(name="a"), "ST303", "duplicate-name"),
    ("a.xml", mjcf(axis="0 0 0"), "ST305", "zero-axis"),
    ("a.xml", mjcf(axis="0 nan 0"), "ST004", "not-a-number"),
    ("a.xml", mjcf(mass="-1"), "ST105", "negative-mass"),
    ("a.xml", mjcf(more=FOLLOWING.format("nobody")), "ST304", "missing-link"),
    ("a.sdf", sdf(), "", ""),
    ("a.sdf", sdf(name="a"), "ST303", "duplicate-name"),
    ("a.sdf", sdf(axis="0 0 0"), "ST305", "zero-axis"),
    ("a.sdf", sdf(axis="0 0 inf"), "ST004", "not-a-number"),
    ("a.sdf", sdf(mass="-1"), "ST105", "negative-mass"),
    ("a.sdf", sdf(parent="nobody"), "ST304", "missing-link"),
    ("a.sdf", sdf(ground="b"), "ST301", "cycle"),
    ("a.yaml", yaml(), "", ""),
    ("a.yaml", yaml(name="a"), "ST303", "duplicate-name"),
    ("a.yaml", yaml(axis="[0, 0, 0]"), "ST305", "zero-axis"),
    ("a.yaml", yaml(mass=".nan"), "ST004", "not-a-number"),
    ("a.yaml", yaml(parent="nobody"), "ST304", "missing-link"),
    ("a.yaml", yaml(root=", parent: b"), "ST301", "cycle"),
]


@pytest.mark.parametrize(("name", "text", "code", "rule"), CASES, ids=[f"{c[0]}-{c[3] or 'good'}" for c in CASES])
def test_a_refusal_is_told_under_its_rule(name, text, code, rule, tmp_path):
    file = tmp_path / name
    file.write_text(text)
    found = [(f.code, f.rule) for f in st.check(file) if f.severity == "fatal"]
    assert found == ([(code, rule)] if code else [])
