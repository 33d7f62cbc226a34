"""`steiner check`: what there is to look at in a file."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from steiner.cli.asked import any_change, wishes
from steiner.cli.common import PIPE, FileArgument, find
from steiner.errors import ModelWarning, SteinerError
from steiner.findings import Finding
from steiner.text import names

LONGEST = 4_000  # characters of a finding that people read; names of strangers have any length
COLOURS = {"fatal": "bold red", "error": "red", "warning": "yellow", "note": "cyan"}


def check(
    file: FileArgument,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    unit: Annotated[str | None, typer.Option(metavar="mm|m|in|…", help="Unit of bare lengths in FILE.")] = None,
    package_dir: Annotated[list[Path] | None, typer.Option(help="Where package:// starts; may be repeated.")] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: all findings with code, place and fix.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="For code hosts and editors: SARIF 2.1.0.")] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw every link's equivalent inertia ellipsoid over it.")
    ] = None,
) -> None:
    """What is odd, wrong or impossible in a robot or a link: bodies, limits, units, overlaps; nothing is changed.

    The exit code is 0 if there is no error, 1 if there are errors (with --strict: or warnings), and 2 if the
    file cannot be loaded.

    Example: `steiner check arm.urdf --strict`, or of a pipe: `xacro arm.xacro | steiner check -`
    """
    from steiner.checks import check as checked
    from steiner.checks import exit_code

    if json and sarif:
        raise SteinerError("--json and --sarif: expected one of them")
    if file == PIPE and picture is not None:
        raise SteinerError("--picture: needs a file, for the shapes that it names lie beside it")
    options: dict[str, Any] = {"unit": unit, "package_dirs": tuple(package_dir or ())}
    if file == PIPE:
        findings = checked(quietly(find, file))
    else:
        findings = checked(file, **options, mimic=wishes().mimic or "free", via=wishes().via)
    if file != PIPE and any_change() and exit_code(findings) != 2:
        findings = checked(quietly(find, file, **options))
    code = exit_code(findings, strict=strict)
    if json:
        listed = [dataclasses.asdict(finding) for finding in findings]
        typer.echo(names.json({"file": file, "exit_code": code, "findings": listed}))
    elif sarif:
        import steiner
        from steiner.checks.sarif import sarif as as_sarif

        typer.echo(names.json(as_sarif(findings, steiner.__version__)))
    else:
        told(file, findings)
    if picture is not None and code != 2:
        drawn(file, options, picture)
    raise typer.Exit(code)


def told(file: str, findings: list[Finding]) -> None:
    """Findings for people, coloured on a terminal, each on one line where a program reads them."""
    if not sys.stdout.isatty():
        typer.echo("\n".join([*map(line, findings), names.terminal(summary(file, findings))]))
        return
    console = Console(highlight=False)
    for finding in findings:
        text = Text(finding.severity, COLOURS[finding.severity])
        text.append(f" {names.terminal(finding.message, LONGEST)} ", "default").append(f"[{finding.label}]", "dim")
        console.print(text)
        for word, said in (("likely", finding.cause), ("fix", finding.fix)):
            if said:
                style = "dim" if word == "likely" else "green"
                console.print(Text(f"  {word}: {names.terminal(said, LONGEST)}", style))
    console.print(Text(names.terminal(summary(file, findings)), "bold"))


def line(finding: Finding) -> str:
    """One finding in one line."""
    cause = f"; likely: {finding.cause}" if finding.cause else ""
    fix = f"; fix: {finding.fix}" if finding.fix else ""
    return names.terminal(f"{finding.severity}: {finding.message}{cause}{fix}", LONGEST) + f" [{finding.label}]"


def summary(file: str, findings: list[Finding]) -> str:
    """How many there are of each kind."""
    counts = Counter(finding.severity for finding in findings)
    told = ", ".join(f"{count} {kind}{'s' * (count > 1 and kind != 'fatal')}" for kind, count in counts.items())
    return f"{file}: {told or 'nothing to look at'}"


def drawn(file: str, options: dict[str, Any], picture: Path) -> None:
    """Every link with the homogeneous ellipsoid of the same mass and tensor."""
    from steiner.files import load
    from steiner.model.robot import Robot
    from steiner.scene.drawing import draw

    subject = quietly(load, file, **options, via=wishes().via)
    draw(subject, picture, **({"ellipsoids": True, "frames": False} if isinstance(subject, Robot) else {}))


def quietly(read: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What a reader gives; the findings tell what it would warn about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read(*args, **options)
