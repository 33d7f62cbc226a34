"""The command line: `steiner torques`, `steiner gallery`.  Bad input is one message and exit code 2."""

from __future__ import annotations

import json as json_text
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from steiner.commands.equations import equations
from steiner.commands.export import export
from steiner.commands.inertia import inertia
from steiner.errors import ModelWarning, SteinerError
from steiner.io import load, replacing
from steiner.io.table import Motion, write_efforts
from steiner.robots import GALLERY, gallery

LARGE = 2_000_000  # bytes of input from which on a progress bar is worth its line

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Robot-manipulator dynamics: from the drawing of the links to the torques of the motors.",
    epilog="Start with: **steiner gallery**",
)
app.command()(inertia)
app.command()(export)
app.command()(equations)

RobotArgument = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file (URDF), or a name of the gallery.")]


def errors() -> Console:
    """Where messages go; made when needed, so that redirection is seen."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def find(robot: str) -> Any:
    """The robot of a file; a bare gallery name works if no such file exists."""
    return load(f"gallery:{robot}" if robot in gallery() and not Path(robot).exists() else robot)


@app.callback()
def program() -> None:
    """Robot-manipulator dynamics: from the drawing of the links to the torques of the motors."""


@app.command()
def torques(
    robot: RobotArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A CSV file of the motion.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The CSV file to write.")],
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in DATA.")] = "rad",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read.")] = False,
) -> None:
    """Joint torques along a motion: τ = M q̈ + C q̇ + g + friction, one row per sample.

    The first line of DATA names the columns: NAME.q, NAME.qd, NAME.qdd for the position, velocity and
    acceleration of joint NAME (or q1, qd1, qdd1, … in the robot's order), and t if there is a time. OUT has
    t and NAME.tau, in N m for turning joints and N for sliding ones.

    Example: `steiner torques rr motion.csv -o torques.csv`
    """
    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    if output.resolve() in (data.resolve(), Path(robot).resolve()):
        raise SteinerError(f"{output} is read and would be overwritten; choose another name for the output")
    arm = find(robot)
    motion = Motion(data, arm, degrees=units == "deg", skip_bad=skip_bad)
    count = 0
    with replacing(output, force=force) as file, progress(motion.size) as bar:
        for block in motion:
            efforts = arm.inverse_dynamics(block.q, block.qd, block.qdd)
            write_efforts(file, motion, block, efforts, header=count == 0)
            count += len(efforts)
            bar.update(bar.task_ids[0], completed=block.position)
        if count == 0:
            raise SteinerError(f"{data}: no row of numbers{f'; {motion.skipped[0]}' if motion.skipped else ''}")
    for message in motion.skipped[:5]:
        warn(f"skipped {message}")
    if len(motion.skipped) > 5:
        warn(f"skipped {len(motion.skipped)} rows in all")
    errors().print(f"{count} rows of torques of {arm.n} joints written to {output}", markup=False)


def progress(size: int) -> Progress:
    """A progress bar on a terminal, for input that takes a while."""
    console = errors()
    bar = Progress(
        TextColumn("torques"), BarColumn(), TimeRemainingColumn(), console=console, transient=True,
        disable=size < LARGE or not console.is_terminal,
    )  # fmt: skip
    bar.add_task("", total=size)
    return bar


@app.command("gallery")
def show_gallery(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them, in detail.")] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: name, title, joints, mass, source.")] = False,
) -> None:
    """The robots that come with steiner; each name is a ROBOT for the other commands.

    Example: `steiner gallery puma560`
    """
    console = Console(highlight=False)
    rows = [described(each) for each in ([name] if name else gallery())]
    if json:
        print(json_text.dumps(rows, indent=2, ensure_ascii=False))
    elif name:
        for key, value in rows[0].items():
            text = ", ".join(value) if isinstance(value, list) else f"{value:.6g}" if key == "mass_kg" else value
            console.print(f"{key:9} {text}", markup=False, soft_wrap=True)
    else:
        table = Table("name", "joints", "mass kg", "what", box=None, padding=(0, 2, 0, 0))
        for row in rows:
            table.add_row(row["name"], str(len(row["joints"])), f"{row['mass_kg']:.2f}", row["title"])
        console.print(table)


def described(name: str) -> dict[str, Any]:
    """What there is to say about a robot of the gallery."""
    arm = load(f"gallery:{name}")
    title, source, _ = GALLERY[name]
    return {"name": name, "title": title, "joints": list(arm.joint_names), "mass_kg": arm.total_mass, "source": source}


def warn(message: str) -> None:
    """One line on stderr."""
    errors().print(f"warning: {message}", markup=False)


def main() -> None:
    """Entry point: errors of the user are a sentence and exit code 2, never a traceback."""

    def said(message: Any, category: Any, *rest: Any) -> None:
        warn(str(message) if issubclass(category, ModelWarning) else f"{category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = said
        try:
            app()
        except SteinerError as error:
            errors().print(f"error: {error}", markup=False)
            sys.exit(2)
        except OSError as error:
            errors().print(f"error: {error.filename or ''}: {error.strerror or error}", markup=False)
            sys.exit(2)
