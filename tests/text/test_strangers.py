"""Every public writer, fed with the names of a stranger: nothing gets out of its place."""

from __future__ import annotations

import ast
import csv
import inspect
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
import sympy as sp

import steiner as st
from hostile_names import HOSTILE, page, rendered, sound_latex
from steiner.cli import main
from steiner.errors import SteinerError, printable
from steiner.files.efforts import efforts_file
from steiner.files.motion import MotionFile
from steiner.kernels.compile import Compiled, algorithm_of
from steiner.kernels.export import export
from steiner.materials import Material
from steiner.scene.drawing import draw
from steiner.text import names
from steiner.text.steps import Derivation, quoted

TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
MATHML = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "mfrac", "mover", "mtable", "mtr", "mtd", "mtext", "mspace"}
MATHML |= {"msubsup"}
DOCUMENT = TABLE | MATHML | {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "div"}
DOCUMENT |= {"figure", "svg", "path", "circle", "text"}
ATTRIBUTES = {"style", "lang", "charset", "display", "mathvariant", "form", "stretchy", "accent", "width"}
ATTRIBUTES |= {"scriptlevel"}
ATTRIBUTES |= {"name", "content"}  # of <meta>
ATTRIBUTES |= {  # of pictures
    "xmlns", "height", "viewbox", "font-family", "font-size", "stroke-linecap", "stroke-linejoin", "fill", "stroke",
    "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "paint-order", "text-anchor", "d", "cx", "cy", "r",
    "x", "y",
}  # fmt: skip

# each test takes a handful of names at once: a robot, its links, joints, payload and symbols have one each
NAMES = tuple(name if name.strip() else f"x{name}" for name in HOSTILE)
HANDFULS = [(NAMES[k : k + 6] * 6)[:6] for k in range(0, len(NAMES), 6)]


def printed(text: str) -> None:
    """What goes to a terminal has lines of printable characters."""
    assert all(line.isprintable() for line in text.split("\n"))


def sound_page(text: str, tags: set[str]) -> str:
    """HTML of these tags alone; gives its text."""
    printed(text)
    found, texts = page(text)
    assert {tag for tag, _ in found} <= tags
    assert all(set(attributes) <= ATTRIBUTES for _, attributes in found)
    return "".join(texts)


def sound_markdown(text: str, headings: int) -> None:
    """Markdown that renders to the headings it has, paragraphs and tables: no link, code, list, image or HTML."""
    printed(text)
    found, _ = page(rendered(text))
    kinds = [tag for tag, _ in found]
    assert sum(kind in ("h1", "h2", "h3") for kind in kinds) == headings
    assert set(kinds) <= TABLE | {"h1", "h2", "h3", "em"}  # formulas are no Markdown: their * and _ may look like it
    tables = re.findall(r"(?m)(?:^\|.*\n?)+", text)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table.splitlines()}) == 1


def robot_of(handful: tuple[str, ...]) -> st.Robot:
    robot, base, link, joint, payload, _ = handful
    body = st.MassProperties(2.0, (0.1, 0, 0.2), (0.3, 0.4, 0.5))
    links = [st.Link(f"{base}0"), st.Link(link, f"{base}0", st.Revolute(name=joint), body=body)]
    links.append(st.Link(f"{link}2", link, st.Prismatic(name=f"{joint}2", axis=(1, 0, 0)), body=body))
    return st.Robot(robot, links).with_payload(body, link=link, name=payload)


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_a_robot_and_its_tables(handful):
    robot = robot_of(handful)
    printed(repr(robot))
    text = sound_page(robot._repr_html_(), TABLE)
    assert all(printable(name) in text for name in handful[:5])
    q = np.array([0.3, 0.2])
    for answer in (robot.newton_euler(q, q, q), robot.torque_breakdown(q, q, q), st.structure(robot, q)):
        printed(answer.table())
        sound_page(answer._repr_html_(), TABLE)
    printed(repr(Compiled(robot, algorithm_of("gravity_forces", None))))
    for wrong in (lambda: robot.link("nobody"), lambda: robot.with_payload(1.0, link=handful[2], name=handful[4])):
        with pytest.raises((SteinerError, TypeError, AttributeError)) as caught:
            wrong()
        printed(str(caught.value))


def assembly_of(handful: tuple[str, ...]) -> st.Assembly:
    plain = [f"{k}{name.replace('/', '.')}" if k else name.replace("/", ".") for k, name in enumerate(handful)]
    side, steel = sp.Symbol("L"), Material(plain[5], 7850.0)
    parts = [st.Part(plain[1], st.Box(0.3, 0.1, 0.1), material=steel), st.Part(plain[2], st.Sphere(0.01), density=10.0)]
    parts += [st.Part(plain[3], st.Cylinder(0.01, 0.02), density=7850, cavity=True)]
    symbolic = st.Assembly(plain[4], [st.Part(plain[1], st.Box(side, 1, 1), density=sp.Symbol(handful[5]))])
    return st.Assembly(plain[0], [*parts, symbolic])


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_a_budget_in_all_its_forms(handful):
    link = assembly_of(handful)
    table = link.budget()
    n = len(table.rows)
    printed(table.text())
    printed(table.text(60))
    printed(repr(table))
    assert len(table.text().split("\n")) == n + 3
    sound_markdown(table.markdown(), 0)
    assert rendered(table.markdown()).count("<td") == 14 * n
    text = sound_page(table.html(), TABLE)
    assert table.html().count("<td") == 14 * n and all(printable(row.name) in text for row in table.rows)
    sound_latex(table.latex())
    printed(table.json())
    assert [row["path"] for row in json.loads(table.json())["rows"]] == [row.path for row in table.rows]
    rows = list(csv.reader(table.csv().splitlines()))
    assert [len(row) for row in rows] == [14] * (n + 1)
    assert not any(re.match(r"[=+@\t\r]|-\D", cell) for row in rows for cell in row)


def test_a_budget_of_the_scale_tells_its_note():
    name = "a|b\n<i>"
    heavier = st.Assembly(name, [st.Part("p", st.Box(1, 1, 1), density=1000.0)]).weighed(1100.0)
    table = heavier.budget()
    sound_markdown(table.markdown(), 0)
    assert "a|b\\n<i>: 100 kg" in table.text() and "unaccounted" in sound_page(table.html(), TABLE)
    printed(table.text())


def test_what_balances_is_told_in_lines_of_its_own():
    name = "cw\n  solution 9: \x1b[2J"
    weight = st.Part(name, st.Sphere(0.01), density=10.0, pose=st.Pose.from_rpy((1, 0, 0)))
    found = st.balance(
        st.Assembly(f"a{name}", [st.Part("p", st.Box(1, 1, 1), mass=10.0), weight]), [(name, "x")], {"y": 1}
    )
    printed(str(found))
    assert str(found).count("\n") == 2
    with pytest.raises(SteinerError, match="no solution") as caught:
        found.applied()
    printed(str(caught.value))


def symbolic(handful: tuple[str, ...]) -> st.Robot:
    robot = robot_of(handful)
    mass = sp.Symbol(handful[5])
    body = st.MassProperties(mass, (sp.Symbol(f"{handful[5]}2"), 0, 0), (1, 1, 1))
    links = [robot.links[0], st.Link(handful[2], robot.links[0].name, st.Revolute(name=handful[3]), body=body)]
    return st.Robot(handful[0], links)


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_equations_as_documents(handful):
    eq = st.equations(symbolic(handful), q=[sp.Symbol(f"{handful[4]}3")])
    printed(repr(eq))
    for document in (eq.document(), eq.derivation(), eq.derivation("newton-euler")):
        headings = 1 + sum(block.kind == "heading" for block in document.blocks)
        text = sound_page(document.html(), DOCUMENT)
        assert printable(handful[0]) in text
        sound_page(document._repr_html_(), DOCUMENT)
        sound_latex(document.latex())
        sound_markdown(document.markdown(), headings)
        printed(document.markdown(math="mathml"))
        found, _ = page(rendered(document.markdown(math="mathml")))
        assert {tag for tag, _ in found} <= DOCUMENT
        assert sum(tag in ("h1", "h2", "h3") for tag, _ in found) == headings
    printed(eq._repr_latex_())
    sound_page(eq._repr_html_(), DOCUMENT)


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_equations_as_programs(handful, tmp_path):
    eq = st.equations(symbolic(handful))
    tree = ast.parse(eq.python())
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.ImportFrom, ast.FunctionDef}
    assert [n.module for n in tree.body if isinstance(n, ast.ImportFrom)] in ([], ["math"])
    space: dict = {}
    exec(compile(tree, "equations", "exec"), space)
    given = inspect.signature(space["mass_matrix"]).parameters
    assert len(given) == 1 + len(eq.parameters) == 3
    ((moment,),) = space["mass_matrix"]([0.1], **dict.fromkeys(list(given)[1:], 2.0))
    assert moment == 1 + 2 * 2**2
    text = eq.c()
    printed(text)
    assert text.isascii() and text.count("/*") == text.count("*/") and not re.search(r"[?\\\"'`]", text)
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert [line for line in code.splitlines() if line.startswith("#")] == ["#include <math.h>"]
    if shutil.which("gcc"):
        (tmp_path / "equations.c").write_text(text)
        command = ["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "equations.c"]
        assert not subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_exports(handful, tmp_path):
    robot = robot_of(handful)
    for path in export(robot, "inverse_dynamics", "c", folder=tmp_path / "c", external=st.Wrench(acting_on=handful[2])):
        text = path.read_text()
        assert re.fullmatch(r"[A-Za-z]\w*\.[ch]", path.name) and text.isascii()
        assert text.count("/*") == text.count("*/") and not re.search(r"[?\\%'`]", text)
    from steiner.backends import jax as target
    from steiner.trace import trace

    tape = trace(lambda q: [q[0] + 1], [(handful[3], 1)])
    tree = ast.parse(target.module(tape, handful[0], [handful[1]], notes=handful))
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.Import, ast.Assign, ast.FunctionDef}


@pytest.mark.parametrize("name", HOSTILE)
def test_R6_the_header_of_the_torques_is_no_formula_and_reads_back(name, tmp_path):
    robot = st.Robot("r", [st.Link("l", None, st.Revolute(name=name or "x"), body=st.MassProperties(1.0, (1, 0, 0)))])
    joint = robot.joint_names[0]
    header = [names.csv(f"{joint}.{quantity}") for quantity in ("q", "qd", "qdd")]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, [0.1, 0.2, 0.3], [0.2, 0.2, 0.3]])
    motion = MotionFile(tmp_path / "in.csv", robot)
    (block,) = motion
    assert (block.q[0, 0], block.qd[0, 0], block.qdd[0, 0]) == (0.1, 0.2, 0.3)
    with (tmp_path / "out.csv").open("wb") as file:
        writer = efforts_file(tmp_path / "out.csv", file, [f"{joint}.tau"])
        writer.add(robot.inverse_dynamics(block.q, block.qd, block.qdd).T)
    text = (tmp_path / "out.csv").read_text()
    printed(text)
    (cell,), (value,), _ = csv.reader(text.splitlines())
    assert not re.match(r"\s*[=+@＝＋－＠-]", cell) and float(value)


def run(monkeypatch, capsys, *words: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["steiner", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0), "".join(capsys.readouterr())


def urdf_of(names_: tuple[str, ...]) -> str:
    robot, link, joint = (
        quoteattr(name, {c: f"&#{ord(c)};" for c in name if not c.isprintable()})
        for name in (re.sub("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufeff]", "?", name) or "x" for name in names_)
    )
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    return (
        f'<robot name={robot}><link name="base"/><link name={link}>{inertial}</link>'
        f'<joint name={joint} type="continuous"><parent link="base"/><child link={link}/></joint></robot>'
    )


@pytest.mark.parametrize("handful", HANDFULS, ids=repr)
def test_R6_the_command_line_prints_nothing_but_text(handful, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(urdf_of(handful[:3]), encoding="utf-8")
    quoted_ = [json.dumps(name.replace("/", ".") if "\ud800" not in name else "x") for name in handful]
    parts = f"[{{name: {quoted_[1]}, shape: box, size: [1, 1, 1], density: 1000}}]"
    Path("link.yaml").write_text(f"unit: m\nlink:\n  name: {quoted_[0]}\n  parts: {parts}\n", encoding="utf-8")
    Path("motion.csv").write_text("q1,qd1,qdd1\n1,2,3\n")
    for words in (
        ["inertia", "link.yaml"], ["inertia", "link.yaml", "--json"],
        ["torques", "arm.urdf", "motion.csv", "-o", "o.csv"],
        *(["equations", "arm.urdf", "--format", form] for form in ("latex", "markdown", "html", "python", "c")),
        ["export", "arm.urdf", "--c", "-o", "c"],
    ):  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code, text = run(monkeypatch, capsys, *words)
        assert code == 0, text
        printed(text)
    Path("bad.csv").write_text("q1,qd1,nobody\n1,2,3\n")
    code, text = run(monkeypatch, capsys, "torques", "arm.urdf", "bad.csv", "-o", "p.csv")
    assert code == 2
    printed(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_steps_of_a_derivation(name):
    step = (f"**Part {quoted(name)}.** Its mass is $m$, {quoted(name)} kg.", ("m = 1",))
    derivation = Derivation(name or "x", (step, (quoted(name), ())))
    kinds, texts = page(rendered(derivation.markdown()))
    assert [tag for tag, _ in kinds] in (["h2", "p", "strong", "p", "p"], ["h2", "p", "strong", "p"])
    assert " ".join("".join(texts).split()).count(" ".join(printable(name).split())) >= 3
    sound_latex(derivation.latex())
    assert r"\textbf{Part " in derivation.latex() and "$m$" in derivation.latex()


@pytest.mark.parametrize("name", ["</math>", r"\input{x}", "a&b%", "x}{", "$"])
def test_symbols_in_the_derivation_of_a_solid(name):
    side = sp.Symbol(name, positive=True)
    text = st.Limits(("z", 0, side), ("y", 0, 1), ("x", 0, 1)).derivation().latex()
    assert r"\input" not in text and "</math>" not in text and r"\text{" in text
    assert sum((c == "{") - (c == "}") for c in re.sub(r"\\.", "", text)) == 0


def test_a_picture_takes_no_formula_from_a_name(tmp_path):
    pytest.importorskip("matplotlib")
    link = st.Assembly(r"a $\frac$ b", [st.Part("$x_{$\x1b", st.Box(1, 1, 1), density=10.0)])
    figure = draw(link, tmp_path / "a.png", resolution=4)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG") and figure is not None


def test_findings_and_sequences_print_in_one_line():
    name = "a\nb\x1b"
    parts = [st.Part(f"{name}{k}", st.Box(1, 1, 1), density=10.0) for k in range(2)]
    findings = st.Assembly(name, parts).check()
    assert findings and all(str(finding).isprintable() for finding in findings)
    sequence = st.equations(robot_of((name,) * 6)).sequence("tau")
    assert repr(sequence).isprintable()
    sound_latex(sequence.latex())


def test_W12_round_off_prints_as_zero_in_the_total_too(tmp_path):
    """The tensor below the table is as clean as the table."""
    from steiner.cli.inertia import budget_text
    from steiner.files.link_yaml import load_assembly

    turned = "rpy: [10 deg, 20 deg, 30 deg]"
    parts = f"[{{name: a, shape: sphere, radius: 0.1, density: 1000, xyz: [0.3, 0.2, 0.1], {turned}}}]"
    (tmp_path / "link.yaml").write_text(f"unit: m\nlink:\n  name: ball\n  parts: {parts}\n")
    table, _, tensor = budget_text(load_assembly(tmp_path / "link.yaml"), "link").partition("inertia of ball")
    entries = [float(x) for line in tensor.splitlines()[1:] for x in line.split()]
    assert len(entries) == 9 and sum(x == 0 for x in entries) == 6 and "e-" not in table


@pytest.mark.parametrize(
    "name", ["=cmd|'/C calc'!A0", "+1+1", "@SUM(A1)", "-a", " a", "a\nb", "\x1b[31m", "\u202ea", "a\u2028"]
)
@pytest.mark.parametrize("ending", ["csv", "sdf"])
def test_R6_R11_names_that_a_table_or_SDF_would_change_are_refused(name, ending, tmp_path):
    body = st.MassProperties(1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    for arm, joint in (("arm", name), (name, "j")):
        robot = st.Robot(arm, [st.Link("base"), st.Link(f"l{joint}", "base", st.Revolute(name=joint), body=body)])
        path = tmp_path / f"{joint == name}.{ending}"
        try:
            st.save(robot, path)
        except st.SteinerError as error:
            assert "cannot stand in a" in str(error) and not path.exists()
            continue
        assert (ending == "sdf" or joint != name) and st.load(path).joint_names == (joint,)


@pytest.mark.parametrize("name", ["\x1b[31m", "\u202ea", "a\nb"])
def test_R6_base_parameters_print_names_as_text(name):
    body = st.MassProperties(1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    shown = str(st.base_parameters(st.Robot("arm", [st.Link(name, None, st.Revolute(name="j"), body=body)])))
    assert shown.isprintable() and "base parameters" in shown
