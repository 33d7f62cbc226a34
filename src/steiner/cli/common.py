"""What commands share: the ROBOT argument and its robot, messages, progress."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from steiner.cli.asked import changed, wishes
from steiner.errors import SteinerError
from steiner.text.names import terminal

if TYPE_CHECKING:
    from rich.progress import Progress

LARGE = 2_000_000  # bytes of input from which on a progress bar is worth its line

PIPE = "-"
OPENINGS = {b"<robot": "urdf", b"<mujoco": "mjcf", b"<sdf": "sdf"}  # of what comes through a pipe; else it is YAML


def exhibits(incomplete: str) -> list[str]:
    """Names of the gallery that begin so, for the shell; it adds the files itself."""
    from steiner.robots import gallery

    return [name for name in gallery() if name.startswith(incomplete)]


RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", autocompletion=exhibits,
        help="A robot file (URDF, SDF, YAML, …), a name of the gallery, or - for standard input.",
    ),
]  # fmt: skip
FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE", autocompletion=exhibits, help="A file of a robot or a link, or a name of the gallery."
    ),
]
FirstArgument = Annotated[
    str, typer.Argument(metavar="A", autocompletion=exhibits, help="A robot file, or a name of the gallery.")
]
ROBOTS = (RobotArgument, FileArgument, FirstArgument)  # arguments that are, or may be, robots


def find(robot: str, **options: Any) -> Any:
    """The robot of a file, or of the gallery."""
    from steiner.files import load, loads
    from steiner.model.robot import Robot

    how = {"mimic": wishes().mimic or "free", "via": wishes().via}
    if robot == PIPE:
        data = piped()
        found = loads(data, format=next((f for key, f in OPENINGS.items() if key in data), "robot_yaml"), **how)
    else:
        found = load(robot, **how, **options)
    if not isinstance(found, Robot):
        raise SteinerError(f"{robot} holds no robot but a link; expected a robot")
    return changed(found)


def piped() -> bytes:
    """All of standard input."""
    from steiner.files.reading import LARGEST

    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise SteinerError(f"standard input: more than {LARGEST / 1e6:.0f} MB is too large for a robot")
    return data


def motion_of(path: Path, robot: Any, units: str) -> Any:
    """All rows of a CSV or Parquet file of a motion; it needs times."""
    import numpy as np

    from steiner.files.efforts import motion_file
    from steiner.motion.trajectories import Samples

    motion = motion_file(path, robot, degrees=_degrees(units))
    if not motion.has_time:
        raise SteinerError(f"{path}:1: no column t; expected the time of every row, in seconds")
    blocks = [(block.time, block.q, block.qd, block.qdd) for block in motion]
    if not blocks:
        raise SteinerError(f"{path}: no row of numbers")
    return Samples(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def pose_of(text: str, robot: Any, units: str) -> Any:
    """A number for each joint, angles in their unit."""
    import numpy as np

    q = np.array(numbers_of("--q", text))
    if len(q) != robot.n:
        raise SteinerError(f"--q: {len(q)} numbers; {robot.name} has {robot.n} joints: {', '.join(robot.joint_names)}")
    turns = np.array([robot.joint(name).turn != 0 for name in robot.joint_names])
    return np.where(turns, np.radians(q), q) if _degrees(units) else q


def _degrees(units: str) -> bool:
    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    return units == "deg"


def numbers_of(option: str, text: str) -> list[float]:
    """Numbers with commas between them."""
    from steiner.files.quantity import quantity

    try:
        return [quantity(word.strip(), "number") for word in text.split(",")]
    except SteinerError as error:
        raise SteinerError(f"{option} {text}: {error}; expected numbers with commas between them") from None


def errors() -> Console:
    """Where messages go; made when needed, so that redirection is seen."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def say(message: str) -> None:
    """One line on stderr; names in it come from strangers."""
    errors().print(terminal(message), markup=False)


def progress(what: str, size: int) -> Progress:
    """A progress bar on a terminal, for input that takes a while."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    bar = Progress(
        TextColumn(what), BarColumn(), TimeRemainingColumn(), console=console, transient=True,
        disable=size < LARGE or not console.is_terminal,
    )  # fmt: skip
    bar.add_task("", total=size)
    return bar


def terminal_width() -> int | None:
    """Columns of the terminal that reads what is printed; None if a file or a program does."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None
