"""Derivation pages of the manual, written while it is built: a hook of mkdocs, so that no page can be stale."""

from __future__ import annotations

from typing import Any

from steiner.formulas import Equations, equations
from steiner.formulas.examples import EXAMPLES

FOLDER = "derivations"
PAGES = {
    "rp": "RP: a turning bar and a sled",
    "pr": "PR: a sled and a swinging bar",
    "pp": "PP: a lift and a slide",
    "rr": "RR: two bars in a plane",
    "anthropomorphic": "3R: an arm on a turning base",
}


def page(name: str) -> str:
    """Both derivations of one example, as Markdown with MathML."""
    eq = equations(EXAMPLES[name]())
    parts = [f"# {PAGES[name]}", _opening(eq)]
    for method, title in (("lagrange", "By Lagrange"), ("newton-euler", "By Newton and Euler")):
        document = eq.derivation(method).markdown(math="mathml")
        body = document.split("\n", 1)[1].replace("\n### ", "\n#### ").replace("\n## ", "\n### ")
        parts += [f"## {title}", body.strip()]
    return "\n\n".join(parts) + "\n"


def _opening(eq: Equations) -> str:
    n = eq.robot.n
    return (
        f"The equations of motion of {'three' if n == 3 else 'two'} joints, derived twice. This page is made by "
        f"`st.equations(robot).derivation()` from the robot `{eq.robot.name}` of `steiner.formulas.examples`; any arm "
        "of up to three joints gives such a page."
    )


def index() -> str:
    """The list of the pages."""
    lines = [f"- [{title}]({name}.md)" for name, title in PAGES.items()]
    return (
        "# Derivations\n\nWorked examples, step by step, by Lagrange and by Newton and Euler.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages to those that are found in the folder."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, f"{FOLDER}/index.md", content=index()))
    for name in PAGES:
        files.append(File.generated(config, f"{FOLDER}/{name}.md", content=page(name)))
    return files
