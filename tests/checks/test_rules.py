"""Every rule with a model that breaks it and one that does not; whatever the source, with its file and line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.assembly.plausible import left_to_rules
from steiner.checks import exit_code
from steiner.checks.rules import DRAWING_RULES, RULES, judged
from steiner.findings import SEVERITIES, Finding, worst
from steiner.inertia import judged as judged_before
from steiner.model.source import element
from steiner.solids.base import Solid

BALL = st.MassProperties(1.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))
LIMITS = st.JointLimits(-1.0, 1.0, 2.0, 3.0)


def arm(
    body: st.MassProperties = BALL,
    joint: st.Revolute | st.Prismatic | st.Fixed | None = None,
    mount: st.Pose | None = None,
    base: st.MassProperties | None = None,
    **source,
) -> st.Robot:
    """A base and one link `upper` on joint `shoulder`."""
    joint = joint or st.Revolute(name="shoulder", limits=LIMITS)
    links = (st.Link("base", body=base, source=FILE), st.Link("upper", "base", joint, mount or UP, body, source=FILE))
    return st.Robot("arm", links, source=st.Source("arm.urdf", lines=LINES, **source))


FILE, UP = st.Source("arm.urdf"), st.Pose(p=(0, 0, 1))
LINES = {
    "link 'base'": 1, "link 'upper'": 2, "link 'upper' mass": 3, "link 'upper' inertia": 4, "joint 'shoulder'": 5,
    "joint 'shoulder' limit": 6, "joint 'shoulder' axis": 7, "joint 'shoulder' origin": 8, "joint 'shoulder' mimic": 9,
}  # fmt: skip


def turning(*limits: float | None) -> st.Robot:
    return arm(joint=st.Revolute(name="shoulder").with_numbers(limits=st.JointLimits(*limits)))


def angled(angle: float) -> st.Robot:
    return arm(mount=st.Pose.from_rpy((0, 0, 1), (angle, 0, 0)))


def drawing(solid: Solid, mass: float = 1.0) -> st.Assembly:
    return st.Assembly("upper", [st.Assembly("drive", [st.Part("beam", left_to_rules(solid), mass=mass)])])


def made(solid: Solid, mass: float = 1.0) -> st.Robot:
    robot = arm()
    return robot.replace(links=(robot.links[0], replace(robot.links[1], made_of=drawing(solid, mass))))


# rule -> (a model that breaks it, the like that does not, line, what the text must name)
PAIRS = {
    "overflow": (
        arm(st.MassProperties.trusted(1e200, np.array([1e200, 0, 0]), np.eye(3))),
        arm(st.MassProperties(1e150, (1e50, 0, 0), (1e250, 1e250, 1e250))),
        2,
        ["'upper'", "overflow", "units"],
    ),
    "mimic-free": (arm(mimic={"shoulder": "hip"}), arm(), None, ["shoulder", "free", 'mimic="coupled"']),
    "left-out": (
        arm(warnings={"joint 'shoulder' mimic": "a fixed joint follows nothing; this is ignored"}),
        arm(),
        9,
        ["'shoulder'", "ignored"],
    ),
    "underflow": (
        arm(st.MassProperties(1.0, (0, 0, 0), (1e-310, 1e-310, 1e-310))),
        arm(st.MassProperties(1.0, (0, 0, 0), (1e-280, 1e-280, 0.0))),
        4,
        ["'upper'", "1e-310", "overflows"],
    ),
    "odd-mass": (
        arm(st.MassProperties(2e6, (0, 0, 0), (1, 1, 1))),
        arm(st.MassProperties(2e5, (0, 0, 0), (1, 1, 1))),
        3,
        ["'upper'", "2000000.0 kg", "units"],
    ),
    "odd-density": (made(st.Box(0.1, 0.1, 0.1), 31), made(st.Box(0.1, 0.1, 0.1), 29), 2, ["/beam'", "3.1e+04"]),
    "odd-size": (made(st.Rod(101.0)), made(st.Rod(99.0)), 2, ["/beam'", "a size of 101 m"]),
    "triangle": (
        arm(st.MassProperties(1.0, (0, 0, 0), (1, 1, 2.1))),
        arm(st.MassProperties(1.0, (0, 0, 0), (1, 1, 2.0))),  # a plate
        4,
        ["'upper'", "inertia", "1, 1, 2.1", "exceeds the sum"],
    ),
    "limits-missing": (turning(), turning(-1.0, 1.0), 5, ["'shoulder'", "revolute", "without limits"]),
    "limits-swapped": (turning(1.0, -1.0), turning(1.0, 1.0), 6, ["'shoulder'", "1.0 exceeds upper -1.0"]),
    "limits-in-degrees": (turning(-180.0, 180.0), turning(-12.56, 12.56), 6, ["'shoulder'", "-180.0", "degrees"]),
    "massless": (
        arm(st.MassProperties(0.0)),
        arm(st.MassProperties(0.0)).with_payload(BALL, link="upper"),
        2,
        ["'upper'", "moves but has no mass"],
    ),
    "immobile": (arm(joint=st.Fixed(name="shoulder")), arm(), None, ["'arm'", "no moving joint"]),
    "axis-normalised": (
        arm(normalised={"joint 'shoulder' axis": "axis of length 2 made a unit vector"}),
        arm(),
        7,
        ["'shoulder'", "length 2"],
    ),
    "angle-snapped": (
        arm(snapped={"joint 'shoulder' origin": 'rpy="1.57079632679 0 0" read as exact angles (by 4.9e-12)'}),
        arm(),
        8,
        ["'shoulder'", "1.57079632679"],
    ),
    "angle-coarse": (angled(1.5708), angled(1.5707963267948966), 8, ["'shoulder'", "4e-06", "exact angle"]),
}


def drawn(tensor: tuple[float, float, float]) -> st.Assembly:
    body = st.MassProperties.trusted(1.0, np.zeros(3), np.diag(np.array(tensor, dtype=float)))
    motor = st.Part("motor", body=judged_before(body))
    return st.Assembly("upper", [st.Assembly("drive", [motor])])


DRAWING_PAIRS = {
    "overflow-part": (drawn((1.7e308, 1.7e308, 1)), drawn((1e300,) * 3), 4, ["'upper/drive/motor' body", "overflow"]),
    "odd-density-part": (
        drawing(st.Sphere(0.1), 0.02), drawing(st.Sphere(0.1), 0.022), 3, ["'upper/drive/beam'", "4.77 kg/m³", "units"],
    ),
    "odd-size-part": (drawing(st.Sphere(4.9e-6)), drawing(st.Sphere(5.1e-6)), 3, ["'upper/drive/beam'", "9.8e-06 m"]),
    "unphysical-part": (drawn((1, 1, 2.1)), drawn((1, 1, 2)), 4, ["'upper/drive/motor' body", "exceeds the sum"]),
}


@pytest.mark.parametrize("code", PAIRS)
def test_a_rule_finds_what_is_bad_and_only_that(code):
    bad, good, line, words = PAIRS[code]
    rule = RULES[code]
    (finding,) = rule(bad)
    assert (finding.rule, finding.code, finding.severity) == (code, rule.code, rule.severity)
    assert (finding.file, finding.line) == ("arm.urdf", line)
    assert finding.message.startswith(f"arm.urdf:{line}: " if line else "arm.urdf: ")
    for word in words:
        assert word in finding.text
    assert finding in st.check(bad)
    assert not list(rule(good))


@pytest.mark.parametrize("code", DRAWING_PAIRS)
def test_a_rule_about_drawings_finds_what_is_bad_and_only_that(code):
    bad, good, line, words = DRAWING_PAIRS[code]
    places = (element("part", "upper/drive/motor", "body"), element("part", "upper/drive/beam"))
    source = st.Source("arm.yaml", lines=dict.fromkeys(places, line))
    finding, *_ = DRAWING_RULES[code](bad, source)
    assert finding.message.startswith(f"arm.yaml:{line}: ")
    for word in words:
        assert word in finding.text
    assert replace(finding, file="", line=None) in st.check(bad)
    assert not list(DRAWING_RULES[code](good))


def test_a_good_arm_has_nothing_to_look_at():
    assert st.check(arm()) == [] and exit_code([]) == 0


def test_faults_that_other_rules_trip_over_stop_them():
    """Eigenvalues of infinite tensors raise; the fatal finding is the last one."""
    broken = arm(st.MassProperties.trusted(1.0, np.zeros(3), np.diag([1.7e308, 1.7e308, 1])))
    (finding,) = st.check(broken)
    assert (finding.rule, finding.severity, finding.line) == ("overflow", "fatal", 4)
    near = arm(st.MassProperties.trusted(1.0, np.zeros(3), np.diag([0.01, 0.012, 1e308])))  # LAPACK gives up there
    assert [f.rule for f in st.check(near)] == ["overflow"]
    far = st.MassProperties.trusted(1.0, np.array([1e200, 0, 0]), np.eye(3))
    base = arm(base=far)  # does not move, and has moments all the same
    (finding,) = st.check(base)
    assert finding.rule == "overflow" and finding.link == "base"


def test_symbols_are_not_judged_and_do_not_disturb():
    m, L = sp.symbols("m L", positive=True)
    joint = st.Revolute(name="j", limits=st.JointLimits(-L, L, 1.0, 1.0))
    assert st.check(st.Robot("s", [st.Link("k", None, joint, body=st.MassProperties(m, (L, 0, 0)))])) == []


@pytest.mark.parametrize("name", st.gallery())
def test_the_gallery_is_free_of_fatal_findings(name):
    found = {finding.rule for finding in judged(st.load(name)) if finding.severity in ("fatal", "error")}
    assert found <= {"tensor-without-mass", "negative-moments", "triangle"}, "published tables hold such bodies"


# ---- drawings, files and severities ----------------------------------------------------------


def test_overlaps_in_the_drawings_of_links_are_found_when_asked():
    parts = [st.Part(name, st.Box(0.1, 0.1, 0.1), mass=1) for name in "ab"]
    link = st.Link("upper", None, st.Revolute(name="j"), made_of=st.Assembly("upper", parts))
    (finding,) = st.check(st.Robot("arm", [link]))
    assert (finding.rule, finding.link) == ("overlap", "upper")
    (same,) = st.check(st.Assembly("upper", parts))
    assert same.text == finding.text


def test_what_stops_a_reader_is_a_fatal_finding_with_its_line(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text('<robot name="arm">\n<link name="l1"><inertial><mass value="nan"/></inertial></link></robot>')
    (finding,) = st.check(file)
    assert (finding.rule, finding.severity, finding.file, finding.line) == ("not-a-number", "fatal", str(file), 2)
    assert finding.text.startswith("link 'l1' <inertial> <mass>: ")
    with pytest.raises(st.SteinerError) as caught:
        st.load(file)
    assert str(caught.value) == finding.message


def test_a_file_is_checked_without_warnings_and_notes_are_told(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="arm">\n<link name="base"/>\n<link name="l1"/>\n'
        '<joint name="j" type="continuous"><parent link="base"/><child link="l1"/>\n<axis xyz="0 0 2"/></joint></robot>'
    )
    assert [(f.rule, f.line) for f in st.check(file)] == [("massless", 3), ("axis-normalised", 5)]
    with pytest.warns(st.ModelWarning) as caught:
        robot = st.load(file)
    assert len(caught) == 1 and caught[0].filename == __file__  # a note is silent
    assert st.check(robot) == st.check(file)


def test_a_link_in_yaml_is_checked_too(tmp_path):
    file = tmp_path / "link.yaml"
    file.write_text("link:\n  parts:\n  - {body: {mass: 1, inertia: [1, 1, 5]}}\n")
    found = st.check(file)
    assert [(f.rule, f.severity) for f in found] == [("unphysical-part", "error"), ("unchecked", "note")]
    assert found[0].line == 3
    (broken,) = st.check(_written(tmp_path / "ball.yaml", "part: {shape: sphere, radius: -1, mass: 1}"), unit="mm")
    assert broken.severity == "fatal" and broken.line == 1


def _written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("severities", "code", "strict"),
    [([], 0, 0), (["note"], 0, 0), (["note", "warning"], 0, 1), (["warning", "error"], 1, 1), (["fatal"], 2, 2)],
)
def test_exit_codes_follow_the_worst_finding(severities, code, strict):
    findings = [Finding("x", "y", severity) for severity in severities]
    assert (exit_code(findings), exit_code(findings, strict=True)) == (code, strict)
    assert worst(findings) == next((s for s in SEVERITIES if s in severities), "note")


def test_what_is_neither_file_nor_model_is_refused():
    with pytest.raises(st.SteinerError, match="expected a file, a Robot, a Link or an Assembly, got a MassProperties"):
        st.check(BALL)


def test_findings_are_data(tmp_path):
    from dataclasses import asdict

    (finding,) = st.check(PAIRS["triangle"][0])
    record = json.loads(json.dumps(asdict(finding)))
    assert {"code", "severity", "file", "line", "link", "text", "cause", "fix"} <= set(record)
    assert record["link"] == "upper" and record["cause"] and record["fix"]


def test_N18_a_link_is_judged_by_its_shapes_too():
    def shaped(*shapes) -> list[str]:
        robot = arm()
        found = judged(robot.replace(links=(robot.links[0], replace(robot.links[1], shapes=shapes))))
        return [f.rule for f in found]

    assert shaped(st.Box(0.1, 0.1, 0.1)) == []
    assert shaped(st.Box(0.01, 0.01, 0.01)) == ["odd-density"]
    assert shaped(st.Box(120, 100, 60)) == ["odd-density", "odd-size"]
    assert shaped(st.Box(0.01, 0.01, 0.01), st.Shape(file="upper.stl")) == []  # who knows how large that is
    assert shaped(st.Box(0.01, 0.01, 0.01), st.Shape(st.Box(0.1, 0.1, 0.1), role="collision")) == []
    assert shaped(st.Box(sp.Symbol("x"), 0.1, 0.1)) == []
