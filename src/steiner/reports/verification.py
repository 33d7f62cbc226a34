"""The section about trust: proof, independent routes, other programs."""

from __future__ import annotations

from collections.abc import Iterator

from steiner.errors import SteinerError
from steiner.reports.blocks import Column, Grid, Quantity, heading, lack, note, number, sentence, text
from steiner.reports.subject import Subject
from steiner.review.compare import TERMS
from steiner.review.routes import ROUTES, agreement, opinions

UNITS = {"M": "kg m², kg m, kg", "C": "N m, N", "g": "N m, N"}


def proved(subject: Subject) -> Iterator[str]:
    """Newton-Euler = Lagrange = M q̈ + V + G, by algebra."""
    proof = subject.equations.proof
    yield sentence(
        f"{'By algebra' if subject.equations.is_closed else 'At exact points'}: ", text(str(proof) + ".")[3:-4],
        f" Largest residual {number(proof.residual, '', 'proof residual', 2)}.",
    )  # fmt: skip


def routes(subject: Subject) -> Iterator[str]:
    """Independent routes to the same numbers, along the motion."""
    yield heading("Independent routes, along the motion")
    rows, silent, states = [], [], subject.states
    for name in ROUTES:
        try:
            found = agreement(subject.robot, name, states)
        except SteinerError as error:
            silent.append(lack(f"{name}: {error}."))
            continue
        rows.append((name, [found.what, Quantity(found.difference, found.unit), found.relative, found.states]))
    columns = [
        Column("route", "route"), Column("what", "what is compared"), Column("difference", "largest difference"),
        Column("relative", "relative"), Column("states", "states"),
    ]  # fmt: skip
    if rows:
        yield Grid("routes", columns, rows, settled=False).html()
    yield from silent


def programs(subject: Subject) -> Iterator[str]:
    """Pinocchio, MuJoCo, Drake."""
    yield heading("Other programs")
    rows, silent = [], []
    for program, found in opinions(subject.robot):
        if isinstance(found, str):
            silent.append(lack(f"{program}: {found}."))
            continue
        for effect in found.effects:
            label = f"{program} {effect.term}"
            largest = Quantity(effect.largest, UNITS[effect.term])
            rows.append((label, [TERMS[effect.term], largest, effect.relative, effect.joint]))
    columns = [Column("program", "program and term"), Column("what", ""),
               Column("difference", "largest difference"),
               Column("relative", "relative"), Column("joint", "at joint")]  # fmt: skip
    if rows:
        yield Grid("programs", columns, rows, settled=False).html()
        yield note(
            "The arm handed over as a URDF, which holds no rotors, read by steiner and by the other program; 101 poses."
        )
    yield from silent
