"""`steiner torques`: joint torques along a motion."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steiner.cli.common import RobotArgument, find, progress, say
from steiner.errors import SteinerError

if TYPE_CHECKING:
    from steiner.files.derived import LocalCubics
    from steiner.files.motion import MotionFile

CHECKPOINT = 1.0  # seconds of work that an interruption may cost
SHORTEST_WINDOW = 7


def torques(
    robot: RobotArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A CSV or Parquet file of the motion.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The file to write: .csv or .parquet.")],
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in DATA.")] = "rad",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read.")] = False,
    breakdown: Annotated[bool, typer.Option("--breakdown", help="Also what causes them: NAME.gravity, ….")] = False,
    window: Annotated[
        int, typer.Option(metavar="ROWS", help="Rows of a fit, where velocities are derived from positions.")
    ] = 15,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where such a run was interrupted.")] = False,
) -> None:
    """Joint torques along a motion: τ = M q̈ + C q̇ + g + friction, one row per sample.

    The first line of DATA names the columns: NAME.q, NAME.qd, NAME.qdd for the position, velocity and
    acceleration of joint NAME (or q1, qd1, qdd1, … in the robot's order), and t if there is a time. OUT has
    t and NAME.tau, in N m for turning joints and N for sliding ones. Parquet files have the same columns (extra
    `data`). Positions alone will do: velocities and accelerations are those of cubics fitted to --window rows, and
    their bandwidth is told. Files may be larger than the memory; with --resume an interrupted run leaves what it has
    beside OUT, and the same command goes on from there.

    Example: `steiner torques rr motion.csv -o torques.csv`
    """
    from steiner.files.efforts import motion_file
    from steiner.kernels.compile import compile

    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    if window < SHORTEST_WINDOW or window % 2 == 0:
        raise SteinerError(f"--window {window}: expected an odd number of rows, {SHORTEST_WINDOW} or more")
    if os.path.realpath(output) in (os.path.realpath(data), os.path.realpath(robot)):
        raise SteinerError(f"{output} is read and would be overwritten; choose another name for the output")
    arm = find(robot)
    advice = ", or leave such rows out with --skip-bad"
    motion = motion_file(data, arm, degrees=units == "deg", skip_bad=skip_bad, positions_do=True, advice=advice)
    algorithms = ("inverse_dynamics", "torque_breakdown")[: 1 + breakdown]
    kernels = [compile(name, arm, layout="columns") for name in algorithms]
    shares = ["tau", *_shares(arm, kernels)]
    names = ["t"] * motion.has_time + [f"{name}.{share}" for share in shares for name in arm.joint_names]
    identity = [*_identity(data), *(kernel.fingerprint for kernel in kernels), names, units, skip_bad, window]
    with _draft(output, force, json.dumps(identity) if resume else None) as draft:
        count, derived = _written(draft, output, motion, kernels, names, window)
    for message in motion.skipped:
        say(f"warning: skipped {message}")
    if motion.skips > len(motion.skipped):
        say(f"warning: skipped {motion.skips} rows in all")
    if derived is not None:
        say(derived.said())
    say(f"{count} rows of torques of {arm.n} joints written to {output}")


def _written(
    draft: Any, output: Path, motion: MotionFile, kernels: Sequence[Any], names: list[str], window: int
) -> tuple[int, LocalCubics | None]:
    """All rows into the draft, from where an earlier run ended; how many they are, and what derived their rates."""
    from steiner.files.efforts import efforts_file, finite

    kept = draft.kept or {}
    if kept:
        say(f"going on behind row {kept['rows']}")
    motion.after, count, saved = kept.get("motion"), kept.get("rows", 0), time.monotonic()
    derived, shares = _derived(motion, window), _shares(motion.robot, kernels)
    writer = efforts_file(output, draft.file, names, kept.get("output"))
    with progress("torques", motion.size) as bar:
        for block in motion if derived is None else derived(motion):
            efforts, *split = (kernel(block.q.T, block.qd.T, block.qdd.T) for kernel in kernels)
            columns = [*finite(motion, block, efforts), *(x for s in split for name in shares for x in s[name])]
            writer.add(columns if block.time is None else [block.time, *columns])
            count += len(block.lines)
            bar.update(bar.task_ids[0], completed=block.position)
            if draft.checkpoint is not None and time.monotonic() > saved + CHECKPOINT:
                draft.checkpoint({"rows": count, "motion": block.state, "output": writer.state()})
                saved = time.monotonic()
    if count == 0:
        raise SteinerError(f"{motion.path}: no row of numbers{f'; {motion.skipped[0]}' if motion.skipped else ''}")
    writer.finish({"steiner.robot": motion.robot.name} | ({"steiner.rates": derived.said()} if derived else {}))
    return count, derived


def _shares(arm: Any, kernels: Sequence[Any]) -> list[str]:
    """Of the torques, if they are asked for; no wrench acts here."""
    rest = [[0.0]] * arm.n
    return [name for split in kernels[1:] for name in split(rest, rest, rest) if name != "external"]


def _identity(data: Path) -> list[Any]:
    """What tells a file from others, and from itself when it has changed."""
    found = data.stat()
    return [os.path.realpath(data), found.st_size, found.st_mtime_ns]


def _derived(motion: MotionFile, window: int) -> LocalCubics | None:
    """What derives the rates that a file of positions does not have."""
    from steiner.files.derived import LocalCubics

    if motion.has_rates:
        return None
    if motion.has_some_rates:
        raise SteinerError(
            f"{motion.path}: velocities without accelerations, or these without those; "
            "expected the columns of both, or of positions alone"
        )
    if not motion.has_time:
        raise SteinerError(f"{motion.path}: positions without a column t; expected times to derive velocities from")
    return LocalCubics(motion, window, motion.after)


@contextlib.contextmanager
def _draft(output: Path, force: bool, identity: str | None) -> Iterator[Any]:
    """What becomes OUT: kept on interruption if it has an identity."""
    from steiner.text.written import replacing, resumable

    if identity is not None:
        with resumable(output, force=force, identity=identity) as draft:
            yield draft
        return
    with replacing(output, force=force, binary=True) as file:
        yield SimpleNamespace(file=file, kept=None, checkpoint=None)
