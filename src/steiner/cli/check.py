"""`steiner check`: what there is to look at in a file."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Annotated

import typer

from steiner.findings import Finding
from steiner.text import names


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of a robot or a link, or a name of the gallery.")],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    unit: Annotated[str | None, typer.Option(metavar="mm|m|in|…", help="Unit of bare lengths in FILE.")] = None,
    via: Annotated[str | None, typer.Option(metavar="mujoco", help="Let MuJoCo rewrite an MJCF file first.")] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: all findings with code, place and fix.")] = False,
) -> None:
    """What is odd, wrong or impossible in a robot or a link: bodies, limits, units, overlaps; nothing is changed.

    The exit code is 0 if there is no error, 1 if there are errors (with --strict: or warnings), and 2 if the
    file cannot be loaded.

    Example: `steiner check arm.urdf --strict`
    """
    from steiner.checks import check as checked
    from steiner.checks import exit_code

    findings = checked(file, unit=unit, via=via)
    code = exit_code(findings, strict=strict)
    if json:
        listed = [dataclasses.asdict(finding) for finding in findings]
        typer.echo(names.json({"file": file, "exit_code": code, "findings": listed}))
    else:
        typer.echo("\n".join([*map(line, findings), summary(file, findings)]))
    raise typer.Exit(code)


def line(finding: Finding) -> str:
    """One finding for people."""
    fix = f"; {finding.fix}" if finding.fix else ""
    return f"{finding.severity}: {finding.message}{fix} [{finding.code}]"


def summary(file: str, findings: list[Finding]) -> str:
    """How many there are of each kind."""
    counts = Counter(finding.severity for finding in findings)
    told = ", ".join(f"{count} {kind}{'s' * (count > 1 and kind != 'fatal')}" for kind, count in counts.items())
    return f"{file}: {told or 'nothing to look at'}"
