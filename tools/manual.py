"""Pictures and pages of the manual that are made while it is built: a hook of mkdocs, so that none can be stale.

`python -m tools.manual` writes the pictures that the README shows to docs/pictures, and those of pages as a browser
shows them, if there is one.
"""

from __future__ import annotations

import inspect
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import steiner as st
from bench.goals import speeds, starts
from tools.browser import NoBrowser, chromium

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
README_PICTURES = ("desk_arm.png", "desk_torques.png")
FOLDER = "pictures"
MODULES = ("controllers", "spatial", "trajectory")  # of `steiner`, whose functions are for users too
COLOURS = 255  # of a palette: flat shading needs no more
START, GOAL, SECONDS = [-1.0, 1.2, -1.9], [1.3, 0.4, -0.7], 1.2


# ---- pictures --------------------------------------------------------------------------------------------------


def lean(data: bytes, width: int = 0) -> bytes:
    """A PNG with a palette, as wide as it is shown."""
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    if width and image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.quantize(COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def drawn(subject: Any, *, width: int = 760, height: int = 480, **options: Any) -> bytes:
    """Anything that can be drawn, as a PNG."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = st.draw(subject, width=width, height=height, **options).save(Path(folder) / "picture.png")
        return lean(path.read_bytes(), width)


def plotted(figure: Any, width: int = 760) -> bytes:
    """A figure of matplotlib, as a PNG."""
    out = io.BytesIO()
    figure.savefig(out, dpi=110, bbox_inches="tight")
    return lean(out.getvalue(), width)


def desk() -> st.Robot:
    """The arm of the tutorial."""
    return st.load(EXAMPLES / "desk_arm.yaml")


def desk_arm() -> bytes:
    """The desk arm as it is drawn."""
    return drawn(desk(), q=[0.4, 0.6, -0.8])


def desk_upper() -> bytes:
    """One link of it: its parts, its hollow, its centre."""
    return drawn(desk().link("upper").made_of, height=360)


def desk_torques() -> bytes:
    """Torques along the motion of the tutorial, and of what they are made."""
    from matplotlib.figure import Figure

    arm, move = desk(), st.trajectory.quintic(START, GOAL, SECONDS)
    t = np.linspace(0, SECONDS, 241)
    q, qd, qdd = move(t)
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, (name, tau) in enumerate(zip(arm.joint_names, arm.inverse_dynamics(q, qd, qdd).T, strict=True)):
        left.plot(t, tau, color=f"C{k}", label=name)
    left.set(xlabel="t [s]", ylabel="τ [N m]", title="torques of the joints")
    for source, tau in arm.torque_breakdown(q, qd, qdd, by="source").items():
        if np.abs(tau[:, 1]).max() > 0:
            right.plot(t, tau[:, 1], label=source)
    right.set(xlabel="t [s]", title="the shoulder's, by its sources")
    for axes in (left, right):
        axes.legend(fontsize=8, frameon=False)
        axes.grid(alpha=0.25)
    return plotted(figure)


def desk_sizing() -> bytes:
    """Torque over speed, and the limits."""
    from matplotlib.figure import Figure

    found = st.sizing(desk(), st.trajectory.quintic(START, GOAL, SECONDS))
    return plotted(found.plot(Figure()))


def desk_motion() -> bytes:
    """Let go: friction, energies, limits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    st.simulate(desk(), [0.0, 0.5, -0.5], [0.0, 0.0, 0.0], 1.5).plot(figure.subplots(4, 1, sharex=True))
    return plotted(figure)


def ur5_capacity() -> bytes:
    """The largest payload of the UR5 over its workspace."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.6), layout="constrained")
    st.capacity(st.load("gallery:ur5"), samples=4000).plot(figure.subplots())
    return plotted(figure, 620)


PICTURES: dict[str, Callable[[], bytes]] = {
    f"{make.__name__}.png": make
    for make in (desk_arm, desk_upper, desk_torques, desk_sizing, desk_motion, ur5_capacity)
}


def desk_report() -> dict[str, bytes]:
    """The report of the desk arm as a browser shows it: on a screen, and on a phone in the dark."""
    import tempfile

    looks = {
        "report.png": {"viewport": {"width": 1100, "height": 1320}},
        "report_phone.png": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = Path(folder) / "report.html"
        st.report(desk(), page, trajectory=EXAMPLES / "desk_motion.csv", payload=st.MassProperties(0.2))
        for name, look in looks.items():
            shown = browser.new_page(**look)
            shown.goto(page.as_uri())
            shown.wait_for_timeout(1000)  # the first picture of the robot
            found[name] = lean(shown.screenshot(), look["viewport"]["width"])
            shown.close()
    return found


def exhibit(name: str) -> bytes:
    """A robot of the gallery, a little bent."""
    robot = st.load(f"gallery:{name}")
    return drawn(robot, q=pose(robot), frames=False, width=520, height=340)


def pose(robot: st.Robot) -> np.ndarray:
    """Every joint a little off its zero, within its limits."""
    q = []
    for k, name in enumerate(robot.joint_names):
        joint = robot.joint(name)
        small = (0.5, 0.7, -0.6)[k % 3] if joint.turn else 0.15
        low, high = (joint.limits.lower, joint.limits.upper) if joint.limits else (None, None)
        q.append(float(np.clip(small, -np.inf if low is None else low, np.inf if high is None else high)))
    return np.array(q)


# ---- pages -----------------------------------------------------------------------------------------------------


def gallery() -> str:
    """Every robot with its picture, its size and its source."""
    lines = ["# Gallery", "", 'Each name is a robot: `st.load("gallery:NAME")`, or ROBOT on the command line.', ""]
    for name, about in st.gallery().items():
        robot = st.load(f"gallery:{name}")
        joints = ", ".join(robot.joint_names)
        lines += [
            f"## {name}", "", f"{about[:1].upper()}{about[1:]}.", "", f"![{name}]({FOLDER}/gallery_{name}.png)", "",
            f"{robot.n} joints ({joints}), {float(robot.total_mass):.4g} kg. Source: {robot.provenance['data']}.", "",
        ]  # fmt: skip
    return "\n".join(lines)


def reference() -> str:
    """Every public name: its signature and its help."""
    lines = ["# API reference", "", "Every public name of `import steiner as st`, with its help.", ""]
    for name in sorted([*st.__all__, *MODULES], key=str.lower):
        thing = getattr(st, name)
        if inspect.ismodule(thing):
            lines += [f"## st.{name}", "", help_of(thing), ""]
            for key in getattr(thing, "__all__", None) or vars(thing):
                found = getattr(thing, key)
                own = hasattr(thing, "__all__") or getattr(found, "__module__", "") == thing.__name__
                if own and not key.startswith("_") and inspect.isfunction(found):
                    lines += described(f"st.{name}.{key}", found, "###")
        elif callable(thing):
            lines += described(f"st.{name}", thing)
            if inspect.isclass(thing):
                lines += methods(thing)
    return "\n".join(lines)


def described(name: str, thing: Any, head: str = "##") -> list[str]:
    """Heading, call and help."""
    try:
        call = f"```python\n{called(name, inspect.signature(thing))}\n```"
    except (TypeError, ValueError):
        call = ""
    return [f"{head} {name}", "", call, "", help_of(thing), ""]


def called(name: str, signature: inspect.Signature) -> str:
    """How it is called, in lines of at most 120 letters; a default that takes a line of its own is left out."""
    def plain(text: str) -> str:
        return re.sub(r"'([^']*)'", r"\1", re.sub(r"<([^<>]*) object at 0x[0-9a-f]+>", r"\1", text))

    given, kinds = [], [p.kind for p in signature.parameters.values()]
    for k, p in enumerate(signature.parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not {p.KEYWORD_ONLY, p.VAR_POSITIONAL} & set(kinds[:k]):
            given.append("*")
        value = repr(p.default)
        default = "" if p.default is p.empty else " = …" if len(value) > 40 or value.startswith("<") else f" = {value}"
        given.append(plain(str(p.replace(default=p.empty))) + default)
        if p.kind is p.POSITIONAL_ONLY and p.kind not in kinds[k + 1 :]:
            given.append("/")
    result = signature.return_annotation
    end = "" if result in (signature.empty, None, "None") else f" -> {result}"
    text = f"{name}({', '.join(given)}){end}"
    return text if len(text) <= 120 else f"{name}(\n    " + ",\n    ".join(given) + f",\n){end}"


def methods(kind: type) -> list[str]:
    """Public methods and properties of a class, a line each."""
    rows = []
    for key in dir(kind):
        found = getattr(kind, key)
        if not key.startswith("_") and (callable(found) or isinstance(found, property)):
            text = " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
            rows.append(f"| `{key}` | {escaped(text)} |")
    return ["| | |", "|---|---|", *rows, ""] if rows else []


def help_of(thing: Any) -> str:
    """The docstring; arguments as a list."""
    text = inspect.getdoc(thing) or ""
    return "```text\n" + text + "\n```" if text else ""


def escaped(text: str) -> str:
    """Text in the cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def benchmarks() -> str:
    """The last whole run of `make bench`."""
    found = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))
    machine = found["machine"]
    lines = [
        "# Benchmarks", "",
        f"The last whole run of `make bench`: {machine['processor']} ({machine['vector']}), one thread, float64, "
        f"beside Pinocchio {found['versions']['pin']} in the same run, after checking that both agree. Times are "
        "nanoseconds per sample; a star marks a Python loop of the peer, where it has no batch.", "",
        "| robot | what | batch | steiner | Pinocchio | ratio |", "|---|---|---:|---:|---:|---:|",
    ]  # fmt: skip
    for row in found["rows"]:
        if peer := row["ns"].get("pinocchio"):
            star = "\\*" if "pinocchio" in row["python_loop"] else ""
            cells = f"{row['ns']['steiner']:.0f} ns | {peer:.0f} ns{star} | {row['ratio']['pinocchio']:.0f}×"
            batch = f"{row['batch']:,}".replace(",", " ")
            lines.append(f"| {row['robot']} | {row['title']} | {batch} | {cells} |")
    for part in (found, *([found["avx2"]] if "avx2" in found else [])):
        lines += goals_of(part)
    return "\n".join([*lines, *from_nothing(found)]) + "\n"


def from_nothing(found: dict[str, Any]) -> list[str]:
    """From a new process to a number, and from a file of motion to one of torques."""
    judged = (*starts(found["start"], found["part_microseconds"]), *speeds(found["data"]))
    return [
        "", "## Start and data", "",
        "CPU time of new processes, medians in turns with `import numpy`; of each part in an assembly of thousands; "
        "and `steiner torques` on files, q, q̇ and q̈ in, τ out.", "",
        "| what | measured | goal | |", "|---|---|---:|---|",
        *(f"| {' | '.join(row)} |" for row in judged),
    ]  # fmt: skip


def goals_of(found: dict[str, Any]) -> list[str]:
    """What was asked of the ratios, what bounds them, and the instructions that show it."""
    vector = found["machine"].get("vector", "").split(" ")[0]
    lines = [
        "", f"## Goals, code for {vector}", "",
        "Ratios to Pinocchio, and what they could be at most if arithmetic, or for large batches memory, took all the "
        "time. A cost per joint is met from above.", "",
        "| goal | measured | must | reach&nbsp;for | | at most here |", "|---|---:|---:|---:|---|---|",
    ]  # fmt: skip
    for goal in found["goals"]:
        numbers = " | ".join(f"{goal[key]:.2f}" for key in ("measured", "must", "reach"))
        verdict = goal["verdict"].replace(" ", "&nbsp;")
        lines.append(f"| {goal['row']} | {numbers} | {verdict} | {goal.get('bound', '')} |")
    counted = [c for c in found["limits"]["cases"] if c.get("counts")]
    if counted:
        lines += [
            "", f"What the code does for a vector of {counted[0]['counts']['lanes']} samples, counted in its assembly "
            "(loads include operands in memory), and the kilobytes of code and of values that wait from segment to "
            "segment. What exceeds a cache of 32 kB is read from the next one.", "",
            "| robot | what | arithmetic | loads | stores | all instructions | code | waiting |",
            "|---|---|---:|---:|---:|---:|---:|---:|",
        ]  # fmt: skip
    for case in counted:
        numbers = " | ".join(str(case["counts"][key]) for key in ("arithmetic", "loads", "stores", "instructions"))
        title = case["case"].replace("_", " ")
        sizes = " | ".join(f"{case['counts'][key] / 1024:.0f}" for key in ("code_bytes", "waiting_bytes"))
        lines.append(f"| {case['robot']} | {title} | {numbers} | {sizes} |")
    return lines


PAGES: dict[str, Callable[[], str]] = {"gallery.md": gallery, "api.md": reference, "benchmarks.md": benchmarks}


def on_files(files: Any, config: Any) -> Any:
    """Adds pages and pictures to those that are found in the folder."""
    from mkdocs.structure.files import File

    there = {file.src_uri for file in files}
    for name, make in PAGES.items():
        files.append(File.generated(config, name, content=make()))
    for name, make in PICTURES.items():
        if f"{FOLDER}/{name}" not in there:
            files.append(File.generated(config, f"{FOLDER}/{name}", content=make()))
    for name in st.gallery():
        files.append(File.generated(config, f"{FOLDER}/gallery_{name}.png", content=exhibit(name)))
    return files


def main() -> None:
    """Writes what the README shows."""
    folder = ROOT / "docs" / FOLDER
    folder.mkdir(exist_ok=True)
    made = {name: PICTURES[name]() for name in README_PICTURES}
    try:
        made |= desk_report()
    except NoBrowser as reason:
        sys.stderr.write(f"pictures of the report are kept as they are: {reason}\n")
    for name, data in made.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
