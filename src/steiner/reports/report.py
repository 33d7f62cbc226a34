"""`report`: a robot and a motion of it on one page of HTML that stands alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from steiner import __version__
from steiner.errors import ArgumentError, SteinerError, need
from steiner.model.robot import Robot
from steiner.reports import equations, model, motions, torques, verification
from steiner.reports.blocks import Column, Grid, is_lack, joined
from steiner.reports.subject import Subject, subject_of
from steiner.scene.page import library
from steiner.text.document import MATH_STYLE, font_face
from steiner.text.names import html
from steiner.text.progress import Progress
from steiner.text.written import replacing

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; img-src data:"
ASSETS, ENDINGS = Path(__file__).parent, (".html", ".htm")

Block = Callable[[Subject], Iterator[str]]


class Section(NamedTuple):
    """A section of the page; every block gives pieces of HTML, or says why it cannot."""

    id: str
    title: str
    blocks: tuple[Block, ...]


SECTIONS = (
    Section("robot", "The robot", (model.look, model.tree, model.joints)),
    Section("masses", "Masses and findings", (model.budget, model.findings, model.sources)),
    Section("equations", "Equations of motion", (
        equations.closed, equations.letters, equations.operations, equations.sequence, equations.derivation)),
    Section("torques", "Torques", (
        torques.asked, torques.efforts, torques.by_link, torques.sized, torques.clouds, torques.split,
        torques.carried)),
    Section("motion", "Motion", (motions.free, motions.controlled)),
    Section("verification", "Verification", (verification.proved, verification.routes, verification.programs)),
)  # fmt: skip


def report(
    robot: Robot,
    path: str | os.PathLike[str],
    *,
    trajectory: Any = None,
    payload: Any = None,
    units: str = "rad",
    force: bool = True,
) -> Path:
    """Write a page about a robot: 3-D, masses, equations, torques, sizing, motion, verification; returns its path.

    One file of HTML: no network, no server.  `trajectory` is a trajectory, a motion with arrays t, q, qd and qdd, or a
    CSV file (`units` of its angles "rad" or "deg"); without one the arm goes there and back within its limits.
    `payload` is MassProperties, or kilograms, at the last link.  What a robot lacks is said where it is missed.
    """
    target = Path(need("path", path, (str, os.PathLike)))
    target = target if target.suffix else target.with_suffix(".html")
    if target.suffix.lower() not in ENDINGS:
        raise ArgumentError(f"{target.name}: a report is a page; choose a name that ends in .html")
    subject = subject_of(robot, trajectory, payload, units)
    with replacing(target, force=force) as file:
        file.write(page(subject))
    return target


def page(subject: Subject) -> str:
    """The whole page."""
    parts, progress = [], Progress("report", len(SECTIONS))
    for k, section in enumerate(SECTIONS, 1):
        progress.show(k - 1, f"{k} of {len(SECTIONS)}: {section.title}")
        pieces = [piece for block in section.blocks for piece in _pieces(block, subject)]
        lacks = dict.fromkeys(piece for piece in pieces if is_lack(piece))  # what several blocks lack is said once
        body = joined(piece for piece in pieces if not is_lack(piece) or lacks.pop(piece, piece) is None)
        parts.append(f'<section id="{section.id}"><h2>{k}. {section.title}</h2>\n{body}\n</section>')
    progress.done()
    links = "".join(f'<a href="#{s.id}">{s.title}</a>' for s in SECTIONS)
    title = html(f"{subject.robot.name}: dynamics report")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />'
        f"<style>{font_face()}{MATH_STYLE}{_asset('report.css')}</style>\n{library()}</head>\n<body>\n"
        f"<header><h1>{html(subject.robot.name)}</h1><p>{html(_about(subject.robot))}</p>{_short(subject)}</header>\n"
        f"<nav>{links}</nav>\n"
        f"<main>{joined(parts)}</main>\n<script>{_asset('report.js')}</script>\n</body></html>\n"
    )


def _about(robot: Robot) -> str:
    known = [model.file_of(robot), robot.source.publication]
    return " · ".join(["Dynamics report", *(x for x in known if x), f"steiner {__version__}"])


def _pieces(block: Block, subject: Subject) -> Iterator[str]:
    try:
        yield from block(subject)
    except SteinerError as error:
        yield model.failing(error)


def _short(subject: Subject) -> str:
    """The few numbers that one looks for first."""
    robot = subject.robot
    rows: list[tuple[str, list[Any]]] = [("moving joints", [robot.n, ""]), ("mass", [float(robot.total_mass), "kg"])]
    rows += [(load.name, [float(load.body.mass), f"kg at {load.link}"]) for load in robot.payloads]
    for one in (_limiting, _payload):
        try:
            rows += one(subject)
        except SteinerError:
            continue
    rows.append(("findings", [len(subject.findings), ""]))
    return Grid("summary", [Column("what", ""), Column("value", ""), Column("unit", "")], rows).html()


def _limiting(subject: Subject) -> list[tuple[str, list[Any]]]:
    worst = subject.sizing.limiting
    if worst is None:
        return []
    return [("smallest margin", [worst.margin, f"times the {worst.what} needed, {worst.joint}"])]


def _payload(subject: Subject) -> list[tuple[str, list[Any]]]:
    found = subject.on_the_way
    by = f", limited by {found.joint}" if found.joint else ""
    return [("largest payload", [found.mass, f"kg along the motion{by}"])]


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
