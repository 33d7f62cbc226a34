"""`steiner simulate`: the motion of a robot from a state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.common import RobotArgument, find, say
from steiner.cli.steered import Controller, Follow, Kd, Ki, Kp, MoveTime, Period, Steering, To
from steiner.errors import SteinerError

ENDINGS = (".csv", ".parquet", ".html")
TOO_MUCH = 0.05  # drift of the energy by the largest kinetic energy
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUT", help="The .csv, .parquet or .html file to write.")
]
Duration = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="How long; as long as what is followed, or 1 s.")
]


def simulate(
    robot: RobotArgument,
    output: Output,
    q0: Annotated[str, typer.Option("--q0", metavar="Q,Q,…", help="Positions at the start; zeros if not given.")] = "",
    qd0: Annotated[str, typer.Option("--qd0", metavar="V,V,…", help="Rates at the start; zeros if not given.")] = "",
    tau: Annotated[str, typer.Option("--tau", metavar="T,T,…", help="Constant efforts of the motors.")] = "",
    controller: Controller = "", kp: Kp = "", ki: Ki = "", kd: Kd = "", period: Period = None,
    trajectory: Follow = None, to: To = "", move_time: MoveTime = 2.0,
    duration: Duration = None,
    every: Annotated[float, typer.Option(metavar="SECONDS", help="Time between two rows of OUT.")] = 0.01,
    method: Annotated[str, typer.Option(metavar="NAME", help="dop853, rk4, euler, gauss or stiff.")] = "dop853",
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="Step of rk4, euler and gauss.")] = None,
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in Q, V and CSV.")] = "rad",
    limits: Annotated[str, typer.Option(metavar="ignore|stop|error", help="What joint limits do.")] = "ignore",
    friction: Annotated[bool, typer.Option(help="Whether the joints rub.")] = True,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw it over time (.svg, .png).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:  # fmt: skip
    """The motion of a robot that its weight and its motors bring about: q, q̇, q̈, τ and the energy over time.

    OUT has t, NAME.q, NAME.qd, NAME.qdd and NAME.tau of every joint, in SI units, and the energy; `steiner torques`
    reads it. The energy that the integration itself made or lost is told: it is small if the steps are.

    Example: `steiner simulate rr --q0 0.3,0.5 --duration 2 -o fall.csv`, the arm let go. With motors that push:
    `steiner simulate rr --q0 30,-10 --units deg --tau 5,0 -o push.csv --plot push.svg`

    A controller steers the arm to a pose, or along a motion whose CSV file has t and the positions of all joints (its
    start is the arm's, unless --q0 says otherwise), and how well it follows is printed. An .html file plays the motion.

    Example: `steiner simulate rr --controller computed-torque --to 1,-0.5 --move-time 1 -o move.csv`, and along it with
    springs and dampers: `steiner simulate rr --controller pd --trajectory move.csv --duration 2 -o follow.html`
    """
    from steiner.motion.figures import tracking

    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    steering = Steering(controller, kp, ki, kd, period, trajectory, to, move_time)
    if tau and controller:
        raise SteinerError("--tau and --controller: expected one of them")
    arm = find(robot)
    _writable(output, plot, force)
    q, qd, end = (_angles(name, text, arm, units) for name, text in (("--q0", q0), ("--qd0", qd0), ("--to", to)))
    path = steering.path(arm, q, end, units, output)
    if path is not None:
        q, qd = (given if text else x for given, text, x in zip((q, qd), (q0, qd0), path(0.0), strict=False))
    efforts = _numbers("--tau", tau, arm) if tau else steering.law(arm, path)
    length = duration if duration is not None else 1.0 if path is None else path.duration
    options = {"method": method, "step": step, "limits": limits, "friction": friction}
    motion, ended = _run(arm, q, qd, length, tau=efforts, every=min(every, length), **options)
    _written(motion, output, plot, force)
    if path is not None:
        typer.echo(str(tracking(motion, path)))
    if ended:
        raise SteinerError(f"{ended}; {output} holds what was computed until then")


def _run(*state: Any, **options: Any) -> tuple[Any, str]:
    """The motion, and why it ended too early, if it did."""
    from steiner.model.motion import MotionError
    from steiner.motion.simulate import simulate as run

    try:
        return run(*state, **options), ""
    except MotionError as error:
        if error.motion is None or len(error.motion.t) < 2:  # nothing but the start
            raise
        return error.motion, str(error)


def _writable(output: Path, plot: Path | None, force: bool) -> None:
    if output.suffix.lower() not in ENDINGS:
        raise SteinerError(f"-o {output}: expected a name that ends in {', '.join(ENDINGS)}")
    for target in filter(None, (output, plot)):
        if target.exists() and not force:
            raise SteinerError(f"{target} exists; give another name, or --force to replace it")


def _written(motion: Any, output: Path, plot: Path | None, force: bool) -> None:
    """The files, and what there is to say about them."""
    if output.suffix.lower() == ".html":
        motion.show(path=output)
    else:
        motion.save(output, force=force)
    if plot is not None:
        _drawn(motion, plot, force)
    if motion.relative_drift > TOO_MUCH:
        late = motion.t[abs(motion.drift) > TOO_MUCH * motion.kinetic.max()][0]
        say(f"warning: from {late:.4g} s on the energy is off by more than {TOO_MUCH:.0%}: the steps are too long")
    for event in motion.events:
        say(f"{event.t:.6g} s: {event.what}")
    say(f"{len(motion)} rows of {motion.robot.n} joints written to {output}; energy drift {motion.relative_drift:.1e} "
        "of the largest kinetic energy")  # fmt: skip


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
