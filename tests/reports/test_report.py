"""The report: every number on the page is the package's own, and what a robot lacks is said."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy

import steiner as st
from steiner.formulas.coefficients import coefficients
from steiner.reports import model
from steiner.reports import report as room
from steiner.reports.blocks import Column, Grid, Quantity, digits
from steiner.reports.charts import Curve, Level, chart
from steiner.reports.subject import subject_of
from tests.hostile_names import HOSTILE
from tests.reports.read_back import Page, expected, written

ROOT = Path(__file__).parent.parent.parent
MOTION = ROOT / "examples" / "desk_motion.csv"
MOST = 3_000_000


def meshed(folder: Path) -> st.Robot:
    """Two links that look like meshes, from a URDF."""
    box = st.Box(0.06, 0.06, 0.3).at(xyz=(0, 0, 0.15))
    vertices, faces = box.mesh(8)
    lines = [f"v {x} {y} {z}" for x, y, z in np.asarray(vertices)]
    lines += ["f " + " ".join(str(int(k) + 1) for k in face) for face in np.asarray(faces)]
    (folder / "beam.obj").write_text("\n".join(lines))
    look = '<visual><geometry><mesh filename="beam.obj"/></geometry></visual>'
    body = (
        '<inertial><origin xyz="0 0 0.15"/><mass value="1.5"/>'
        '<inertia ixx="0.012" iyy="0.012" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    joint = (
        '<joint name="j{0}" type="revolute"><parent link="l{1}"/><child link="l{0}"/><origin xyz="0 0 {2}"/>'
        '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="30" velocity="3"/><dynamics damping="0.1"/></joint>'
    )
    links = "".join(f'<link name="l{k}">{look}{body}</link>' for k in (1, 2))
    joints = joint.format(1, 0, 0.05) + joint.format(2, 1, 0.3)
    (folder / "arm.urdf").write_text(f'<robot name="meshed"><link name="l0"/>{links}{joints}</robot>')
    return st.load(folder / "arm.urdf")


def drawn(seed: int) -> st.Robot:
    """Three links of random parts on axes along x, y or z."""
    rng = np.random.default_rng(seed)
    links = []
    for k in range(3):
        parts = [
            st.Part("beam", st.Box(*rng.uniform(0.03, 0.3, 3)), "aluminium", pose=st.Pose(p=rng.normal(size=3) / 9)),
            st.Part("motor", st.Cylinder(*rng.uniform(0.02, 0.05, 2)), mass=float(rng.uniform(0.1, 1))),
        ]
        if rng.uniform() < 0.7:
            parts.append(st.Part("bore", st.Cylinder(0.005, 0.02), material="aluminium", cavity=True))
        joint = st.Revolute(
            name=f"j{k}", axis=np.eye(3)[rng.integers(3)], armature=float(rng.uniform(0, 0.02)),
            friction=st.Viscous(float(rng.uniform(0.01, 0.1))),
            limits=st.JointLimits(-2, 2, 4.0, float(rng.uniform(20, 90))),
        )  # fmt: skip
        mount = st.Pose(p=rng.uniform(-0.3, 0.3, 3))
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, joint, mount, made_of=st.Assembly(f"l{k}", parts)))
    return st.Robot(f"drawn{seed}", links)


@cache
def desk() -> tuple[st.Robot, str]:
    """The desk arm with a payload along the motion of the examples, and its page."""
    robot = st.load(ROOT / "examples" / "desk_arm.yaml")
    return robot.with_payload(st.MassProperties(0.2)), room.page(subject_of(robot, MOTION, 0.2))


def read_back(text: str, robot: st.Robot, trajectory=None) -> Page:
    """The page, all of whose numbers are what the package says."""
    page, wanted = Page(text), written(expected(subject_of(robot, trajectory)))
    wrong = {key: (x, wanted.get(key)) for key, x in page.numbers.items() if wanted.get(key) != x}
    assert not wrong, list(wrong.items())[:8]
    missing = [key for key in wanted if key not in page.numbers]
    assert not missing, missing[:8]
    assert len(text.encode()) < MOST
    return page


def test_every_number_of_the_desk_arms_report_is_what_the_package_says():
    robot, text = desk()
    page = read_back(text, robot, MOTION)
    assert len(page.numbers) > 500
    found = st.sizing(robot, subject_of(robot, MOTION).motion)
    assert page.figures["torque-chart"]["elbow.tau"] == found.tau[:, 2].tolist()
    assert page.figures["motion-chart"]["waist.qd"] == found.qd[:, 0].tolist()
    shares = robot.torque_breakdown(found.q, found.qd, found.qdd)
    assert page.figures["torque-chart"]["shoulder.payload"] == shares["payload"][:, 1].tolist()


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(2))
def test_every_number_of_a_random_drawn_arms_report_is_what_the_package_says(seed, tmp_path):
    robot = drawn(seed)
    read_back(st.report(robot, tmp_path / "a.html").read_text(), robot)


@pytest.mark.heavy
def test_every_number_of_the_report_of_a_urdf_with_meshes_is_what_the_package_says(tmp_path):
    robot = meshed(tmp_path)
    text = st.report(robot, tmp_path / "a.html").read_text()
    page = read_back(text, robot)
    assert '"kind": "surface"' in text and "sticks" not in text
    assert page.numbers["budget", "l2", "mass"] == "1.5"


@pytest.mark.heavy
def test_every_number_of_a_seven_joint_arms_report_is_what_the_package_says(tmp_path):
    robot = st.load("gallery:panda")
    read_back(st.report(robot, tmp_path / "a.html").read_text(), robot)


def test_every_number_in_the_formulas_is_that_of_the_equations():
    robot, text = desk()
    found = coefficients(robot)
    shown = dict(re.findall(r'<mrow data-live="(\d+)"><mn>([^<]*)</mn></mrow>', text))
    assert len(shown) == len(found.values) > 40  # all are larger than 1e-4: none needs a power of ten
    assert all(float(shown[str(k)]) == float(f"{x:.6g}") for k, x in enumerate(found.values))
    q, qd, qdd = [sympy.Symbol(f"{s}{k}") for s in ("q", "qd", "qdd") for k in (1, 2, 3)], [0.3, -0.7, 1.1], [2, -1, 3]
    at = dict(zip(q, [0.4, 0.9, -1.3, *qd, *qdd], strict=True))
    tau = [float(x.subs(at)) for x in st.equations(robot).tau]
    np.testing.assert_allclose(tau, robot.inverse_dynamics([0.4, 0.9, -1.3], qd, qdd), rtol=1e-11)


def test_the_folders_of_this_machine_are_not_told(tmp_path):
    robot = meshed(tmp_path)
    heavy = '<mass value="1.5"/>', '<mass value="1500"/>'
    (tmp_path / "arm.urdf").write_text((tmp_path / "arm.urdf").read_text().replace(*heavy))
    robot = st.load(tmp_path / "arm.urdf")
    told = "".join(model.findings(subject_of(robot)))
    assert "arm.urdf:" in told and tmp_path.name not in told
    story = subject_of(desk()[0], MOTION).story
    assert MOTION.name in story and str(MOTION.parent) not in story


def test_every_number_has_a_unit_or_needs_none():
    _, text = desk()
    page = Page(text)
    bare = {(table, column) for (table, row, column), unit in page.units.items() if not unit and table != "summary"}
    ratios = {"effort_margin", "speed_margin", "relative", "states", "poses", "operations", "names", "forecast"}
    counts = {"base parameters", "parameters", "unseen parameters", "limiting margin", "proof residual"}
    counts |= {f"{x} {what}" for x in ("free", "controlled") for what in ("drift", "events")}
    assert {column for _, column in bare} <= ratios | counts


def test_the_page_stands_alone_and_holds_all_six_sections():
    _, text = desk()
    page = Page(text)
    assert [given["id"] for tag, given in page.tags if tag == "section"] == [s.id for s in room.SECTIONS]
    loads = [given for tag, given in page.tags if any(k in given for k in ("src", "srcset")) or tag == "link"]
    assert not loads and "https:" not in re.sub(r"franka\S*", "", text) and "@import" not in text
    assert 'font-family:"Steiner Math"' in text and text.count("<math") > 20
    assert text.count('<details class="latex">') >= 3 and r"\ddot" in text
    assert text.count('class="steiner-view"') == 3
    assert text.count("<h4>Energy account</h4>") == 2  # of both motions


def test_what_a_robot_lacks_is_said_once_per_section(tmp_path):
    robot = st.Robot("post", [st.Link("a", None, body=st.MassProperties(1.0, (0, 0, 0.1), (0.01, 0.01, 0.01)))])
    text = st.report(robot, tmp_path / "a.html").read_text()
    lacks = re.findall(r'class="lack">(.*?)</p>', text)
    assert "post has no moving joint." in lacks
    assert "No link is drawn from parts: there is nothing below the links to tell." in lacks
    for section in re.findall(r"<section.*?</section>", text, re.DOTALL)[2:]:
        said = re.findall(r'class="lack">(.*?)</p>', section)
        assert said and len(said) == len(set(said))


@pytest.mark.heavy
def test_a_robot_without_limits_or_without_mass_gets_a_report_that_says_so(tmp_path):
    text = st.report(st.load("gallery:rr"), tmp_path / "a.html").read_text()
    assert "No joint that moves states a limit of effort or speed" in text
    assert "no joint of rr states an effort limit" in text
    light = st.Robot("light", [st.Link("a", None, st.Revolute(name="j"))])
    text = st.report(light, tmp_path / "a.html").read_text()
    assert "moves no mass" in text and 'id="sizing"' in text


@pytest.mark.heavy
def test_what_can_be_said_of_the_payload_is_said(tmp_path):
    """A slider without a range has no workspace; along the motion the payload is known."""
    body = st.MassProperties(1.0, (0.1, 0, 0), (0.01,) * 3)
    links = [st.Link("cart", None, st.Prismatic(name="rail", axis=(1, 0, 0)), body=body)]
    hinge = st.Revolute(name="hinge", axis=(0, -1, 0), limits=st.JointLimits(-1, 1, 2, 9))
    links += [st.Link("arm", "cart", hinge, body=body), st.Link("tip", "arm", mount=st.Pose(p=(0.3, 0, 0)))]
    robot = st.Robot("cart", links)
    page = Page(st.report(robot, tmp_path / "a.html").read_text())
    assert "'rail' slides and states no range" in "".join(page.texts)
    rows = {row for table, row, _ in page.numbers if table == "payload"}
    assert rows == {"along the motion"} and ("summary", "largest payload", "value") in page.numbers


@pytest.mark.heavy
def test_a_chain_of_thirty_joints_gets_a_page_of_its_size(tmp_path):
    """Its clock is too slow for it: the simulation ends where it runs away, and says so."""
    shape = st.Tube(0.03, 0.025, 0.2, axis="x").at(xyz=(0.1, 0, 0))
    tube = st.Assembly("tube", [st.Part("tube", shape, "aluminium")])
    axes, step = ((0, 0, 1), (0, 1, 0)), st.Pose(p=(0.2, 0, 0))
    links = [
        st.Link(f"l{k}", f"l{k - 1}" if k else None, st.Revolute(name=f"j{k}", axis=axes[k % 2]), step, made_of=tube)
        for k in range(30)
    ]
    path = st.report(st.Robot("chain", links), tmp_path / "a.html")
    text = path.read_text()
    assert path.stat().st_size < 3e6 and "It runs away: a joint is 1 rad or m beside the motion then." in text
    assert "agree: in floating point at 3 random points" in text


@pytest.mark.heavy
def test_hostile_names_stay_text(tmp_path):
    names = [n for n in HOSTILE if n][:40]
    body = st.MassProperties(0.1, (0, 0, 0.1), (1e-3, 1e-3, 1e-3))
    part = st.Assembly("x", [st.Part(names[11], st.Box(0.1, 0.1, 0.1), mass=1.0)])
    links = [st.Link(names[10], None, st.Revolute(name=names[10], limits=st.JointLimits(-1, 1, 2, 9)), made_of=part)]
    links += [st.Link(n, names[10], body=body) for n in names[11:]]
    robot = st.Robot(names[11], links)
    page = Page(st.report(robot, tmp_path / "a.html").read_text())
    known = (
        "html head meta title style script body header h1 p b div table thead tbody tr th td caption span i nav a main "
        "section h2 h3 h4 details summary figure figcaption svg path rect text circle pre"
    )
    strange = {tag for tag, _ in page.tags} - set(known.split())
    assert all(tag[0] == "m" or tag == "code" for tag in strange), strange
    assert not [given for _, given in page.tags if any(key.startswith("on") for key in given)]
    assert not [given for tag, given in page.tags if tag == "a" and not given["href"].startswith("#")]


def test_findings_are_told_with_rule_place_and_fix(tmp_path):
    text = meshed(tmp_path).source.file and (tmp_path / "arm.urdf").read_text()
    (tmp_path / "arm.urdf").write_text(text.replace('ixx="0.012" iyy="0.012"', 'ixx="0.012" iyy="0.12"', 1))
    with pytest.warns(st.ModelWarning):
        robot = st.load(tmp_path / "arm.urdf")
    told = "".join(model.findings(subject_of(robot)))
    found = [f for f in st.check(robot) if f.severity == "error"]
    assert found and all(f.label in told and f.severity in told for f in found) and "arm.urdf:1" in told


def test_a_page_that_is_broken_off_leaves_the_old_one(tmp_path, monkeypatch):
    def interrupted(subject):
        yield "<p>begun</p>"
        raise KeyboardInterrupt

    target = tmp_path / "report.html"
    target.write_text("old")
    monkeypatch.setattr(room, "SECTIONS", (room.Section("robot", "The robot", (interrupted,)),))
    with pytest.raises(KeyboardInterrupt):
        st.report(st.load("gallery:rr"), target)
    assert target.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_report_takes_the_place_of_no_other_file(tmp_path):
    target = tmp_path / "arm.urdf"
    target.write_text("a robot")
    with pytest.raises(st.SteinerError, match=r"ends in \.html"):
        st.report(st.load("gallery:rr"), target)
    assert target.read_text() == "a robot"


def test_bad_input_is_refused_before_anything_is_written(tmp_path):
    arm, target = st.load("gallery:rr"), tmp_path / "a.html"
    t = np.linspace(0, 1, 5)
    q = np.zeros((5, 2))
    for trajectory, said in (
        (st.trajectory.Samples(t, q, q, np.full_like(q, np.nan)), "at t = 0 s the acceleration of 'joint1' is nan"),
        (st.trajectory.quintic(np.zeros(3), np.ones(3), 1.0), "rr has 2 joints"),
        (tmp_path / "nowhere.csv", "nowhere.csv"),
        (7, "expected a trajectory or a motion"),
    ):
        with pytest.raises(st.SteinerError, match=re.escape(said)):
            st.report(arm, target, trajectory=trajectory)
    with pytest.raises(st.SteinerError, match="kilograms or MassProperties"):
        st.report(arm, target, payload="heavy")
    with pytest.raises(st.SteinerError, match="report: expected a Robot"):
        st.report("gallery:rr", target)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_ctrl_c_in_a_simulation_ends_the_report(tmp_path, monkeypatch):
    subject = subject_of(st.load("gallery:rr"))
    free = subject.free
    monkeypatch.setattr("steiner.reports.subject.simulate", lambda *args, **options: replace(free, ended="interrupted"))
    with pytest.raises(KeyboardInterrupt):
        subject_of(st.load("gallery:rr")).free  # noqa: B018


def test_progress_is_told_on_a_terminal_only(capsys, monkeypatch, tmp_path):
    arm = st.load("gallery:rr")
    st.report(arm, tmp_path / "quiet.html")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    st.report(arm, tmp_path / "told.html")
    told = capsys.readouterr().err
    assert "1 of 6: " in told and "6 of 6: " in told and told.endswith("\r\033[K")


@pytest.mark.heavy
def test_fine_meshes_are_made_coarser_and_the_page_stays_small(tmp_path):
    robot = meshed(tmp_path)
    vertices, faces = st.Torus(0.1, 0.05).mesh(160)
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in np.asarray(vertices)]
    lines += ["f " + " ".join(str(int(k) + 1) for k in face) for face in np.asarray(faces)]
    (tmp_path / "beam.obj").write_text("\n".join(lines))
    text = st.report(robot, tmp_path / "a.html").read_text()
    assert len(faces) > 50_000 and len(text) < MOST and "sticks" not in text and '"kind": "surface"' in text


def test_small_tables_and_charts():
    grid = Grid("g", [Column("n", "name"), Column("x", "x", "m")], [("a<b", [1.5]), ("c", [1e-18]), ("d", [None])])
    page = Page(grid.html())
    assert page.numbers == {("g", "a<b", "x"): "1.5", ("g", "c", "x"): "1e-18"} and ">0</td>" in grid.html()
    assert ">–</td>" in Grid("g", [Column("n", ""), Column("x", "")], [("a", [Quantity(np.inf, "N")])]).html()
    assert digits(-1234567.0) == "−1.2346e6" and digits(0.0) == "0" and digits(12) == "12"
    x = np.linspace(0, 1, 2000)
    text = chart("a & b", [Curve("c", x, 0 * x)], "s", "N m", [Level("y", 5.0)])
    assert "a &amp; b" in text and "nan" not in text and 'class="limit"' not in text and len(text) < 8000
    wave = chart("t", [Curve("c", x, np.sin(20 * x))], "s", "N m")
    assert 30 < wave.count("L") < 200 and chart("t", [Curve("c", x, x)], "s", "").count("L") == 1
    assert 'class="limit"' in chart("t", [Curve("c", x, 4 * x)], "s", "N m", [Level("y", 5.0)])
