"""Derivation pages of the manual, written while it is built: a hook of mkdocs, so that no page can be stale."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp  # noqa: TID251  # the decks' letters

import steiner as st
from steiner.formulas import equations
from steiner.formulas.examples import EXAMPLES
from steiner.text.document import MATH_STYLE, font_face
from steiner.text.steps import Derivation
from steiner.text.tables import Table, settled
from tools import lessons

FOLDER = "derivations"
EXAMPLE_FILES = Path(__file__).parent.parent / "examples"


# ---- arms --------------------------------------------------------------------------------------------------


def arm(name: str) -> list[str]:
    """Both derivations of one example, as Markdown with MathML."""
    eq = equations(EXAMPLES[name]())
    count = ("one joint", "two joints", "three joints")[eq.robot.n - 1]
    made = (
        f"The equations of motion of {count}, derived twice. This page is made "
        f"by `st.equations(robot).derivation()` from the robot `{eq.robot.name}` of `steiner.formulas.examples`."
    )
    return [made, shown(eq.sketch()), *both(eq)]


def long_arm(name: str) -> list[str]:
    """An arm of the gallery whose intermediate results go by their names."""
    eq = equations(st.load(f"gallery:{name}"))
    made = (
        f"{eq.robot.n} joints: what comes out on the way has a name, and each name is defined once. This page is made "
        f'by `st.equations(st.load("gallery:{name}")).derivation()`.'
    )
    return [made, shown(eq.sketch()), *both(eq)]


def both(eq: Any) -> list[str]:
    """By Lagrange, and by Newton and Euler."""
    parts = []
    for method, title in (("lagrange", "By Lagrange"), ("newton-euler", "By Newton and Euler")):
        document = eq.derivation(method).markdown(math="mathml")
        body = document.split("\n", 1)[1].replace("\n### ", "\n#### ").replace("\n## ", "\n### ")
        parts += [f"## {title}", body.strip()]
    return parts


# ---- bodies and links --------------------------------------------------------------------------------------


def box() -> list[str]:
    """The box of the decks, about its corner and about its centre."""
    w, l, h, m = sp.symbols("w l h m", positive=True)
    corner = st.Limits(("z", 0, h), ("y", 0, l), ("x", 0, w))
    about = corner.with_mass(m).inertia_about((0, 0, 0))
    return [
        "The decks begin with a box: its tensor about the centre of mass from the integrals, then about a corner by "
        "Huygens and Steiner, and, to compare, the same integrals from the corner.",
        worked(st.Box(w, l, h).derivation()),
        "## The same box from its corner",
        worked(corner.derivation()),
        f"About the corner, Ixx = `{sp.factor(about[0, 0])}` and the entry Ixy = `{sp.factor(about[0, 1])}`: the entry "
        "of the tensor is minus the product of inertia.",
    ]


def shapes() -> list[str]:
    """The decks' table of shapes, each worked."""
    parts = ["Each row of the decks' table of shapes from its integral."]
    a, h, length = sp.symbols("a h L", positive=True)
    table = {
        "Slender rod": st.Rod(length), "Circular cylinder": st.Cylinder(a, h), "Circular cone": st.Cone(a, h),
        "Sphere": st.Sphere(a), "Thin disk": st.Disk(a),
    }  # fmt: skip
    for title, solid in table.items():
        parts += [f"## {title}", worked(solid.derivation())]
    return parts


def decks_link() -> list[str]:
    """The composed link A, B, C."""
    link = st.load(EXAMPLE_FILES / "decks_link.yaml")
    symbolic = runpy.run_path(str(EXAMPLE_FILES / "decks_link.py"))["symbolic_link"]()
    return [
        "Body A is a box with a hole, B a cylinder along x, C the box again, turned about x: each by the table of "
        "shapes, then turned, shifted and summed. The drawing is `examples/decks_link.yaml`, the page "
        "`link.derivation()`.",
        shown(st.draw(link, width=760, height=420).svg),
        worked(link.derivation()),
        "## In letters",
        worked(symbolic.derivation()),
    ]


def nm7mar() -> list[str]:
    """The manipulator of the paper, and its first link."""
    robot = st.load("gallery:nm7mar")
    link = robot.link("link1").made_of
    return [
        "Three links of three elements each, as the paper has them (its eqs 35, 38–46 and 47–49); it prints no "
        "dimensions, those here are illustrative.",
        shown(st.draw(robot, q=[0.4, 0.6, -0.1], width=760, height=480).svg),
        "## Three links under eqs 47 and 48",
        "With equal volumes and centres r_c that add up to zero, each link's centre lies at half its length (eq. 49).",
        halves(robot).markdown(),
        "## The first link, step by step",
        worked(link.derivation()),
    ]


def halves(robot: st.Robot) -> Table:
    """Volumes and centres of the elements of each link, and where its own centre comes to lie."""
    head = ["link", "V_r = V_k = V_l, m³", "sum of r_c, m", "length L, m", "centre, m"]
    rows = []
    for link in robot.links:
        made: Any = link.made_of
        volumes = {f"{child.volume:.6g}" for child in made.children}
        total = sum(child.signed.com for child in made.children)
        length = np.abs(made.find("l").pose.p).max()
        rows.append(
            [link.name, " ≠ ".join(volumes), settled(total, [1.0]), f"{length:.6g}", settled(made.com(), [1.0])]
        )
    return Table(head, rows)


def criteria() -> list[str]:
    """Where the centre of gravity lies: eqs 6-12 as cases."""
    L, rho = sp.symbols("L rho", positive=True)
    parts = []
    for name, place in (("r", 0), ("k", -L / 2), ("l", -L)):
        size, centre = sp.symbols(f"V_{name}", positive=True), sp.Symbol(f"r_c{name}", real=True)
        cube = st.Box(1, 1, size)
        part = st.Part("cuboid", cube, density=rho, pose=st.Pose.from_rpy((centre, 0, 0)))
        parts.append(st.Assembly(name, [part], pose=st.Pose.from_rpy((place, 0, 0))))
    link = st.Assembly("link", parts)
    found = st.balance(link, [sp.Symbol("r_cr", real=True)], {"x": -L / 2})
    return [
        "Three elements r, k, l at 0, −L/2 and −L, each with its volume V and the centre r_c in its own frame. Which "
        "volumes and centres put the link's centre at −L/2? `st.balance` lists the cases of eqs 7, 9 and 11, and says "
        "of each whether it is sufficient or equivalent (the paper's ⇔ in eq. 7 is a ⇐); this page is its "
        "`derivation()`.",
        worked(found.derivation()),
    ]


def limits() -> list[str]:
    """Limits of integration carried to a turned frame, §6."""
    a = sp.Symbol("a", positive=True)
    alpha = sp.Symbol("alpha", real=True)
    quarter = st.Limits(("z", -a / 2, a / 2), ("y", 0, a / 2), ("x", 0, a / 2))
    return [
        "A quarter of a cube, seen from a frame that is turned about z by α: the limits of integration become formulas "
        "(eqs 50–57), and the moment about z stays ρa⁵/24 for every α, as signed integrals.",
        worked(quarter.turned(rpy=(0, 0, -alpha)).derivation()),
    ]


def apple() -> list[str]:
    """Several wrenches on one body, in frames by name."""
    text = (EXAMPLE_FILES / "hand_and_apple.py").read_text(encoding="utf-8")
    return [worked(lessons.apple()), "## As a program", f"```python\n{text}```"]


def lesson(name: str) -> Callable[[], list[str]]:
    """The page of a lesson."""
    return lambda: [worked(lessons.LESSONS[name]())]


def worked(derivation: Derivation) -> str:
    """The steps of a derivation, on one line of HTML each, so that Markdown leaves them alone."""
    return "\n".join(line for line in derivation.fragment().split("\n") if line.strip())


def shown(svg: str) -> str:
    """A picture in the page; Markdown ends a block of HTML at an empty line."""
    inside = "".join(svg.split("\n")).replace("<svg ", "<svg style=max-width:100%;height:auto ", 1)
    return f'<figure style="margin:0;max-width:760px">{inside}</figure>'


Page = tuple[str, Callable[[], list[str]]]
BODIES: dict[str, Page] = {
    "box": ("The box, from its centre and from its corner", box),
    "axis": ("Moments about any axis, and angular momentum", lesson("axis")),
    "shapes": ("The table of shapes", shapes),
    "decks_link": ("A link of three bodies", decks_link),
}
PAPER: dict[str, Page] = {
    "criteria": ("§2: where the centre of gravity lies", criteria),
    "rotations": ("§2, §3: rotations, and the tensor in the link's axes", lesson("rotations")),
    "payload": ("§4: the manipulated object", lesson("payload")),
    "nm7mar": ("§5: the NM7MAR, links, elements, parts", nm7mar),
    "limits": ("§6: limits of integration in a turned frame", limits),
}
SINGLE: dict[str, Page] = {
    "one_body": ("One rigid body: twists and wrenches", lesson("one_body")),
    "apple": ("A hand and an apple", apple),
    "statics": ("Statics: torques of an arm that pushes", lesson("statics")),
}
ARMS = {
    "pendulum": "R: one bar",
    "rp": "RP: a turning bar and a sled",
    "pr": "PR: a sled and a swinging bar",
    "pp": "PP: a lift and a slide",
    "rr": "RR: two bars in a plane",
    "anthropomorphic": "3R: an arm on a turning base",
}
LONG = {"puma560": "Puma 560: six joints"}
CHAPTERS: dict[str, dict[str, Page]] = {
    "Inertia tensors (the decks)": BODIES,
    "Inertia tensors of links (the paper)": PAPER,
    "One body, and statics": SINGLE,
    "Arms, by Lagrange and by Newton and Euler": {
        **{name: (title, partial(arm, name)) for name, title in ARMS.items()},
        **{name: (title, partial(long_arm, name)) for name, title in LONG.items()},
    },
}
PAGES: dict[str, Page] = {name: page for pages in CHAPTERS.values() for name, page in pages.items()}


def page(name: str) -> str:
    """One page, as Markdown with MathML."""
    title, make = PAGES[name]
    return "\n\n".join([f"# {title}", *make()]) + "\n"


def index() -> str:
    """The list of the pages."""
    lines = ["# Derivations", "", "What the decks and the paper do by hand, done by the package, step by step."]
    for chapter, pages in CHAPTERS.items():
        lines += ["", f"## {chapter}", "", *(f"- [{title}]({name}.md)" for name, (title, _) in pages.items())]
    return "\n".join(lines) + "\n"


def on_config(config: Any) -> Any:
    """A branch of the navigation for every chapter."""
    branches = [{chapter: [{title: f"{FOLDER}/{name}.md"} for name, (title, _) in pages.items()]}
                for chapter, pages in CHAPTERS.items()]  # fmt: skip
    grown = {"Derivations": [{"All pages": f"{FOLDER}/index.md"}, *branches]}
    config.nav = [grown if "Derivations" in entry else entry for entry in config.nav]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages to those that are found in the folder."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, f"{FOLDER}/index.md", content=index()))
    for name in PAGES:
        files.append(File.generated(config, f"{FOLDER}/{name}.md", content=page(name)))
    files.append(File.generated(config, "formulas.css", content=font_face() + MATH_STYLE))
    config.extra_css.append("formulas.css")
    return files
