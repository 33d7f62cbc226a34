"""Derivation pages of the manual, written while it is built: a hook of mkdocs, so that no page can be stale."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sympy as sp  # noqa: TID251  # the decks' letters

import steiner as st
from steiner.formulas import equations
from steiner.formulas.examples import EXAMPLES
from steiner.text.document import MATH_STYLE, font_face
from steiner.text.steps import Derivation

FOLDER = "derivations"
EXAMPLE_FILES = Path(__file__).parent.parent / "examples"


# ---- arms --------------------------------------------------------------------------------------------------


def arm(name: str, title: str) -> str:
    """Both derivations of one example, as Markdown with MathML."""
    eq = equations(EXAMPLES[name]())
    made = (
        f"The equations of motion of {'three' if eq.robot.n == 3 else 'two'} joints, derived twice. This page is made "
        f"by `st.equations(robot).derivation()` from the robot `{eq.robot.name}` of `steiner.formulas.examples`."
    )
    return "\n\n".join([f"# {title}", made, shown(eq.sketch()), *both(eq)]) + "\n"


def long_arm(name: str, title: str) -> str:
    """An arm of the gallery whose intermediate results go by their names."""
    eq = equations(st.load(f"gallery:{name}"))
    made = (
        f"Six joints: what comes out on the way has a name, and each name is defined once. This page is made by "
        f'`st.equations(st.load("gallery:{name}")).derivation()`.'
    )
    return "\n\n".join([f"# {title}", made, shown(eq.sketch()), *both(eq)]) + "\n"


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
        worked(link.derivation()),
    ]


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
    found = st.balance(link, [("r/cuboid", "x")], {"x": -L / 2})
    return [
        "Three elements r, k, l at 0, −L/2 and −L, each with its volume V and the centre r_c in its own frame. Which "
        "volumes and centres put the link's centre at −L/2? `st.balance` lists the cases of eqs 7, 9 and 11, and says "
        "of each whether it is sufficient or equivalent (the paper's ⇔ in eq. 7 is a ⇐).",
        f"```\n{found}\n```",
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
    known = runpy.run_path(str(EXAMPLE_FILES / "hand_and_apple.py"))
    return [
        "A hand of 0.5 kg holds an apple of 0.1 kg; what does the sensor between arm and hand feel? Three frames: {f} "
        "at the sensor, {h} at the hand, {a} at the apple.",
        f"```python\n{text}```",
        f"The sensor feels `{known['F_f']}`: −0.75 N m about z and −6 N along y.",
    ]


def worked(derivation: Derivation) -> str:
    """The steps of a derivation, on one line of HTML each, so that Markdown leaves them alone."""
    return "\n".join(line for line in derivation.fragment().split("\n") if line.strip())


def shown(svg: str) -> str:
    """A picture in the page; Markdown ends a block of HTML at an empty line."""
    inside = "".join(svg.split("\n")).replace("<svg ", "<svg style=max-width:100%;height:auto ", 1)
    return f'<figure style="margin:0;max-width:760px">{inside}</figure>'


BODIES: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "box": ("The box, from its centre and from its corner", box),
    "shapes": ("The table of shapes", shapes),
    "decks_link": ("A link of three bodies", decks_link),
    "limits": ("Limits of integration in a turned frame", limits),
    "nm7mar": ("The NM7MAR: links, elements, parts", nm7mar),
    "criteria": ("Where the centre of gravity lies", criteria),
    "apple": ("A hand and an apple", apple),
}
ARMS = {
    "rp": "RP: a turning bar and a sled",
    "pr": "PR: a sled and a swinging bar",
    "pp": "PP: a lift and a slide",
    "rr": "RR: two bars in a plane",
    "anthropomorphic": "3R: an arm on a turning base",
}
LONG = {"puma560": "Puma 560: six joints"}
PAGES = {**{name: title for name, (title, _) in BODIES.items()}, **ARMS, **LONG}


def page(name: str) -> str:
    """One page, as Markdown with MathML."""
    if name in ARMS:
        return arm(name, ARMS[name])
    if name in LONG:
        return long_arm(name, LONG[name])
    title, make = BODIES[name]
    return "\n\n".join([f"# {title}", *make()]) + "\n"


def index() -> str:
    """The list of the pages."""
    lines = [f"- [{title}]({name}.md)" for name, title in PAGES.items()]
    return (
        "# Derivations\n\nWhat the decks and the paper do by hand, done by the package, step by step; then arms by "
        "Lagrange and by Newton and Euler.\n\n" + "\n".join(lines) + "\n"
    )


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages to those that are found in the folder."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, f"{FOLDER}/index.md", content=index()))
    for name in PAGES:
        files.append(File.generated(config, f"{FOLDER}/{name}.md", content=page(name)))
    files.append(File.generated(config, "formulas.css", content=font_face() + MATH_STYLE))
    config.extra_css.append("formulas.css")
    return files
