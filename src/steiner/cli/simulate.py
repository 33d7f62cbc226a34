"""`steiner simulate`: the motion of a robot from a state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.common import RobotArgument, find, say
from steiner.errors import SteinerError


def simulate(
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The .csv or .parquet file to write.")],
    q0: Annotated[str, typer.Option("--q0", metavar="Q,Q,…", help="Positions at the start; zeros if not given.")] = "",
    qd0: Annotated[str, typer.Option("--qd0", metavar="V,V,…", help="Rates at the start; zeros if not given.")] = "",
    tau: Annotated[str, typer.Option("--tau", metavar="T,T,…", help="Constant efforts of the motors.")] = "",
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="How long.")] = 1.0,
    every: Annotated[float, typer.Option(metavar="SECONDS", help="Time between two rows of OUT.")] = 0.01,
    method: Annotated[str, typer.Option(metavar="NAME", help="dop853, rk4, euler, gauss or stiff.")] = "dop853",
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="Step of rk4, euler and gauss.")] = None,
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in Q and V.")] = "rad",
    limits: Annotated[str, typer.Option(metavar="ignore|stop|error", help="What joint limits do.")] = "ignore",
    friction: Annotated[bool, typer.Option(help="Whether the joints rub.")] = True,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw it over time (.svg, .png).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """The motion of a robot that its weight and its motors bring about: q, q̇, q̈, τ and the energy over time.

    OUT has t, NAME.q, NAME.qd, NAME.qdd and NAME.tau of every joint, in SI units, and the energy; `steiner torques`
    reads it. The energy that the integration itself made or lost is told: it is small if the steps are.

    Example: `steiner simulate rr --q0 0.3,0.5 --duration 2 -o fall.csv`, the arm let go. With motors that push:
    `steiner simulate rr --q0 30,-10 --units deg --tau 5,0 -o push.csv --plot push.svg`
    """
    from steiner.motion.motion import MotionError
    from steiner.motion.simulate import simulate as run

    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    arm = find(robot)
    for target in filter(None, (output, plot)):
        if target.exists() and not force:
            raise SteinerError(f"{target} exists; give another name, or --force to replace it")
    q, qd = (_angles(name, text, arm, units) for name, text in (("--q0", q0), ("--qd0", qd0)))
    efforts = _numbers("--tau", tau, arm) if tau else None
    ended = ""
    try:
        motion: Any = run(
            arm, q, qd, duration, tau=efforts, every=min(every, duration), method=method, step=step, limits=limits,
            friction=friction,
        )  # fmt: skip
    except MotionError as error:
        motion, ended = error.motion, str(error)
        if motion is None or not len(motion.t):
            raise
    motion.save(output, force=force)
    if plot is not None:
        _drawn(motion, plot, force)
    for event in motion.events:
        say(f"{event.t:.6g} s: {event.what}")
    say(f"{len(motion)} rows of {arm.n} joints written to {output}; energy drift {motion.relative_drift:.1e} "
        "of the largest kinetic energy")  # fmt: skip
    if ended:
        raise SteinerError(f"{ended}; {output} holds what was computed until then")


def _numbers(option: str, text: str, arm: Any) -> list[float]:
    try:
        values = [float(x) for x in text.split(",")] if text else [0.0] * arm.n
    except ValueError:
        raise SteinerError(f"{option} {text}: expected numbers with commas between, such as 0.1,-0.2") from None
    if len(values) != arm.n:
        names = ", ".join(arm.joint_names)
        raise SteinerError(f"{option} {text}: {len(values)} numbers, expected {arm.n}, one per joint: {names}")
    return values


def _angles(option: str, text: str, arm: Any, units: str) -> list[float]:
    from math import radians

    values = _numbers(option, text, arm)
    if units == "rad":
        return values
    return [radians(x) if arm.joint(name).turn else x for name, x in zip(arm.joint_names, values, strict=True)]


def _drawn(motion: Any, target: Path, force: bool) -> None:
    from steiner.text.written import replacing

    ending = target.suffix.lower().removeprefix(".")
    if ending not in ("svg", "png", "pdf"):
        raise SteinerError(f"--plot {target}: expected a name that ends in .svg, .png or .pdf")
    figure = motion.plot()[0].figure
    with replacing(target, force=force, binary=True) as file:
        figure.savefig(file, format=ending)
