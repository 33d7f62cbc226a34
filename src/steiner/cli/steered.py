"""The options of `steiner simulate` that steer: a controller, and what it is to follow."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.common import numbers_of
from steiner.errors import SteinerError, unknown

# name on the command line -> that of `st.controllers`, whether it follows something, its options
CONTROLLERS = {
    "pd": ("pd", True, ("kp", "kd")),
    "pid": ("pid", True, ("kp", "ki", "kd")),
    "computed-torque": ("computed_torque", True, ("kp", "kd")),
    "gravity": ("gravity_compensation", False, ("kd",)),
    "feed-forward": ("feed_forward", True, ("kp", "kd")),
}
MILLISECOND = 1e-3  # how often a PID acts that is not told

Controller = Annotated[str, typer.Option(metavar="NAME", help="pd, pid, computed-torque, gravity or feed-forward.")]
Kp = Annotated[str, typer.Option(metavar="K[,K,…]", help="Its gain on errors of position; by inertia if not given.")]
Ki = Annotated[str, typer.Option(metavar="K[,K,…]", help="The gain of pid on errors added up over time.")]
Kd = Annotated[str, typer.Option(metavar="K[,K,…]", help="Its gain on errors of velocity; no swing if not given.")]
Period = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="It acts this often, within the joints' effort limits.")
]
Follow = Annotated[Path | None, typer.Option(metavar="CSV", help="The motion to follow: t and q.")]
To = Annotated[str, typer.Option("--to", metavar="Q,Q,…", help="Where to go, from rest to rest.")]
MoveTime = Annotated[float, typer.Option(metavar="SECONDS", help="How long the way to Q takes.")]


@dataclass(frozen=True)
class Steering:
    """What was asked on the command line."""

    controller: str
    kp: str
    ki: str
    kd: str
    period: float | None
    trajectory: Path | None
    to: str
    move_time: float

    def __post_init__(self) -> None:
        if self.controller and self.controller not in CONTROLLERS:
            raise SteinerError("--controller: " + unknown("controller", self.controller, CONTROLLERS))
        if self.trajectory and self.to:
            raise SteinerError("--trajectory and --to: expected one of them")
        if not self.move_time > 0:
            raise SteinerError(f"--move-time {self.move_time:g}: expected seconds > 0")
        gains = {"kp": self.kp, "ki": self.ki, "kd": self.kd}
        asked = gains | {"period": self.period, "trajectory": self.trajectory, "to": self.to}
        for option, value in ((f"--{name}", value) for name, value in asked.items()):
            if value and not self.controller:
                raise SteinerError(f"{option}: needs --controller, one of {', '.join(CONTROLLERS)}")
        follows = self.controller and CONTROLLERS[self.controller][1]
        if follows and not (self.trajectory or self.to):
            raise SteinerError(f"--controller {self.controller}: needs --to Q,Q,… or --trajectory FILE to follow")
        if self.controller and not follows and (self.trajectory or self.to or self.kp):
            raise SteinerError(f"--controller {self.controller} follows nothing: it takes --kd and --period alone")
        for name, text in gains.items():
            if text and self.controller and name not in CONTROLLERS[self.controller][2]:
                raise SteinerError(f"--{name}: --controller {self.controller} has no such gain")

    def path(self, arm: Any, start: Any, end: Any, units: str, output: Path) -> Any:
        """The trajectory to follow: of the file, or from start to end; None if there is none."""
        from steiner.motion import trajectory

        if self.to:
            return trajectory.quintic(start, end, self.move_time)
        if self.trajectory is None:
            return None
        if os.path.realpath(output) == os.path.realpath(self.trajectory):
            raise SteinerError(f"{output} is read and would be overwritten; choose another name for the output")
        return trajectory.from_csv(self.trajectory, arm, units=units)

    def law(self, arm: Any, path: Any) -> Any:
        """The controller; None if there is none."""
        from steiner.motion import controllers

        if not self.controller:
            return None
        name, follows, takes = CONTROLLERS[self.controller]
        gains = {one: _gains(f"--{one}", text) for one in takes if (text := getattr(self, one))}
        if name == "pid":  # it acts step by step
            return controllers.pid(arm, path, period=MILLISECOND if self.period is None else self.period, **gains)
        law = getattr(controllers, name)(arm, *([path] if follows else []), **gains)
        return law if self.period is None else controllers.sampled(law, arm, period=self.period)


def _gains(option: str, text: str) -> Any:
    found = numbers_of(option, text)
    return found[0] if len(found) == 1 else found
