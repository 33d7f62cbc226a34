"""Judgement: what there is to look at in a model, whatever it came from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from steiner.checks.rules import DRAWING_RULES, judged, judged_closely
from steiner.doors import DOORS, opened
from steiner.errors import ArgumentError, several
from steiner.findings import Finding, worst
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.records import replace

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly


def check(
    source: str | os.PathLike[str] | Robot | Link | Assembly,
    *,
    unit: str | None = None,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: str = "free",
    snap: bool = True,
    via: str | None = None,
) -> list[Finding]:
    """What there is to look at in a file, a robot, a link or a drawing: code, severity, place, cause, fix.

    A "fatal" finding is why a file cannot be loaded; an "error" is impossible in nature and loads with a warning;
    a "warning" is odd; a "note" says what was done on the way in.  Nothing is repaired.  The options are those of
    `load`.
    """
    if isinstance(source, str | os.PathLike):
        folders = several("package_dirs", package_dirs, "folders")
        options = {"unit": unit, "package_dirs": folders, "mimic": mimic, "snap": snap, "via": via}
        model, found = opened(DOORS["check.file"])(source, options)
    elif isinstance(source, Robot) or _is_drawing(source):
        model, found = source, judged(source)
    elif isinstance(source, Link):
        alone = check(Robot(source.name, (replace(source, parent=None),)))
        return [finding for finding in alone if finding.rule != "immobile"]
    else:
        raise ArgumentError(f"check: expected a file, a Robot, a Link or an Assembly, got a {type(source).__name__}")
    found = judged_closely(model, found) if model is not None else found
    overlaps = _overlaps(model)
    if isinstance(source, str | os.PathLike):
        overlaps = [replace(f, file=os.fsdecode(source)) for f in overlaps]
    return [*found, *overlaps]


def exit_code(findings: Iterable[Finding], *, strict: bool = False) -> int:
    """For programs: 2 if a file cannot be loaded, 1 if there are errors (or, if strict, warnings), else 0."""
    return {"fatal": 2, "error": 1, "warning": int(strict), "note": 0}[worst(findings)]


def _is_drawing(model: object) -> TypeGuard[Assembly]:
    return isinstance(model, opened("assembly.tree:Assembly"))


def _overlaps(model: Any) -> list[Finding]:
    if _is_drawing(model):
        return [DRAWING_RULES[f.code].about(f) for f in model.check()]
    drawn = [link for link in model.links if link.made_of is not None] if model is not None else []
    return [replace(f, link=link.name) for link in drawn for f in _overlaps(link.made_of)]
