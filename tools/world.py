"""Write docs/world.md: what `steiner check` finds in the robot files that wheels on PyPI carry.

    pip download --no-deps -d wheels example-robot-data pybullet robosuite robosuite-models rtb-data
    for w in wheels/*.whl; do unzip -qo $w -d unpacked/$(basename $w .whl); done
    python -m tools.world unpacked

The page is kept in the repository; building the manual needs no wheel.  What has no moving joint is an object and is
counted, not listed.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import steiner as st
from steiner.checks.rules import RULES
from steiner.errors import SteinerError, clipped, printable
from steiner.files.load import FORMATS
from steiner.findings import Finding
from steiner.text.names import markdown
from steiner.text.tables import Table

TARGET = Path(__file__).parent.parent / "docs" / "world.md"
ENDINGS = tuple(s for form in ("urdf", "mjcf", "sdf") for s in FORMATS[form].suffixes)  # others hold much else
LONGEST_REASON = 100  # characters
HEAD = """# What is wrong with the robot files of the world

`steiner check` over the robots that wheels on PyPI carry: {wheels}. {robots} files hold a robot, {objects} more an
object without a moving joint. {unread} cannot be read, {errors} hold a body that nature does not allow, {warned} more
have something odd; {fine} have nothing worse than a note.

The page is written by `python -m tools.world`; every kind of finding is computed again by hand on a small file in
`tests/checks`. That a file is listed says nothing about the robot: most were made to be looked at, not to compute with.

"""


class Robot(NamedTuple):
    """A file, how many joints move, how heavy it is, and what was found."""

    wheel: str
    path: str
    joints: int | None
    mass: float | None
    findings: list[Finding]

    @property
    def severities(self) -> set[str]:
        """How bad the findings are."""
        return {finding.severity for finding in self.findings}


def robots(unpacked: Path) -> list[Robot]:
    """Every robot file below the folders of unpacked wheels."""
    found = []
    for wheel in sorted(p for p in unpacked.iterdir() if p.is_dir()):
        files = (p for p in sorted(wheel.rglob("*")) if p.suffix.lower() in ENDINGS and p.is_file())
        for file in files:
            if file.suffix == ".xml" and b"<mujoco" not in file.read_bytes()[:4000]:
                continue
            found.append(_examined(wheel, file))
    return found


def _examined(wheel: Path, file: Path) -> Robot:
    joints = mass = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        roots = [folder for folder in file.parents if folder.is_relative_to(wheel)]
        options = {"package_dirs": roots} if file.suffix == ".urdf" else {}  # others have no packages
        findings = st.check(file, **options)
        try:
            robot = st.load(file, **options)
            joints, mass = robot.n, float(robot.total_mass)
        except SteinerError:
            pass
    path = file.relative_to(wheel).as_posix().removeprefix("cmeel.prefix/share/")
    return Robot("-".join(wheel.name.split("-")[:2]).replace("_", "-"), path, joints, mass, findings)


def page(found: list[Robot]) -> str:
    """The page's text."""
    listed = [robot for robot in found if robot.joints != 0]
    worst = [next((s for s in ("fatal", "error", "warning") if s in robot.severities), "") for robot in listed]
    head = HEAD.format(
        wheels=", ".join(dict.fromkeys(robot.wheel for robot in found)), robots=len(listed),
        objects=len(found) - len(listed), unread=worst.count("fatal"), errors=worst.count("error"),
        warned=worst.count("warning"), fine=worst.count(""),
    )  # fmt: skip
    parts = (head + "## By kind", _kinds(listed).markdown(), _examples(listed), "## By robot", _list(listed).markdown())
    return "\n\n".join(parts) + "\n"


def _by_rule(listed: list[Robot]) -> dict[str, list[tuple[Robot, Finding]]]:
    by_rule: dict[str, list[tuple[Robot, Finding]]] = defaultdict(list)
    for robot in listed:
        for finding in robot.findings:
            by_rule[finding.rule].append((robot, finding))
    return by_rule


def _kinds(listed: list[Robot]) -> Table:
    by_rule = _by_rule(listed)
    order = sorted(RULES.values(), key=lambda r: (("fatal", "error", "warning", "note").index(r.severity), r.code))
    rows = [
        [rule.code, rule.name, rule.severity, str(len({id(r) for r, _ in by_rule[rule.name]})),
         str(len(by_rule[rule.name])), rule.what]
        for rule in order if rule.name in by_rule
    ]  # fmt: skip
    return Table(("code", "rule", "severity", "files", "findings", "what"), rows, align="lllrrl")


def _examples(listed: list[Robot]) -> str:
    """One finding of each rule that is worse than a note, with cause and fix."""
    by_rule = _by_rule(listed)
    lines = ["One of each:", ""]
    for rule in sorted(RULES.values(), key=lambda r: r.code):
        if rule.severity != "note" and rule.name in by_rule:
            robot, finding = by_rule[rule.name][0]
            where = f"{Path(robot.path).name}:{finding.line}" if finding.line else Path(robot.path).name
            told = markdown(f"{where}: {finding.text[:300].rstrip('?.')}")
            cause = f" Likely: {markdown(finding.cause)}." if finding.cause else ""
            mended = finding.fix.replace(finding.file, Path(finding.file).name)
            fix = f" Fix: {markdown(mended)}." if mended else ""
            lines.append(f"- **{rule.code} {rule.name}** — {told}.{cause}{fix}")
    return "\n".join(lines)


def _list(listed: list[Robot]) -> Table:
    rows = []
    for robot in listed:
        counts: dict[str, int] = defaultdict(int)
        for finding in robot.findings:
            if finding.severity != "note":
                counts[finding.rule] += 1
        told = ", ".join(f"{rule} ({count})" if count > 1 else rule for rule, count in counts.items())
        told += "".join(f": {_reason(f)}" for f in robot.findings if f.severity == "fatal")
        mass = "" if robot.mass is None else f"{robot.mass:.4g}"
        rows.append([robot.wheel, robot.path, "" if robot.joints is None else str(robot.joints), mass, told or "–"])
    return Table(("wheel", "file", "joints", "kg", "errors and warnings"), rows, align="llrrl")


def _reason(fatal: Finding) -> str:
    """Why a file cannot be read, without the place."""
    return clipped(printable(fatal.text.partition(": ")[2] or fatal.text), LONGEST_REASON)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m tools.world FOLDER_OF_UNPACKED_WHEELS")
    TARGET.write_text(page(robots(Path(sys.argv[1]))), encoding="utf-8")
