"""What a report is about: a robot and a motion of it, and what other rooms find about both, each found once."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np

from steiner.analysis.capacity import WORKSPACE, Capacity, capacity
from steiner.analysis.motions import Rows, rows_of
from steiner.analysis.sizing import Sizing, sizing
from steiner.checks import check
from steiner.errors import ArgumentError, described, need
from steiner.findings import Finding
from steiner.formulas import Equations, equations
from steiner.inertia import MassProperties
from steiner.model.motion import Motion
from steiner.model.robot import Robot
from steiner.motion.controllers import computed_torque, sampled
from steiner.motion.figures import Tracking, tracking
from steiner.motion.recorded import from_csv
from steiner.motion.simulate import simulate
from steiner.motion.trajectories import Piecewise, Trajectory, through
from steiner.motion.usual import there_and_back
from steiner.scalar import is_number

STIFFNESS, DAMPING = 100.0, 20.0  # 1/s², 1/s: errors decay without swinging, in half a second
OFFSET = 0.05  # rad or m from where the motion begins
FREE, LONGEST = 2.0, 6.0  # s of free motion, and of controlled motion at most
ASTRAY = 1.0  # rad or m beside the motion: an arm that got there runs away, and its simulation ends
PERIOD = 0.004  # s at which the controller acts: between, torques are held, so that no law can chatter
STATES = 101  # along the motion, at which routes are compared
FRAMES = 121  # states of a motion that a page plays


@dataclass(frozen=True, eq=False)
class Subject:
    """A robot with numbers, as it is loaded, and the motion that its report looks at."""

    robot: Robot
    path: Trajectory | None
    rows: Rows | None
    story: str  # what the motion is

    @cached_property
    def findings(self) -> list[Finding]:
        """What there is to look at."""
        return check(self.robot)

    @cached_property
    def equations(self) -> Equations:
        """In the robot's numbers."""
        return equations(self.robot)

    @cached_property
    def lettered(self) -> Equations:
        """In letters."""
        return equations(self.robot, symbols=True)

    @cached_property
    def motion(self) -> Rows:
        """The rows of the motion."""
        if self.rows is None:
            raise ArgumentError(f"{self.robot.name} has no moving joint: there is no motion to look at")
        return self.rows

    @property
    def asked(self) -> Trajectory:
        """The motion as a function of time."""
        if self.path is None:
            raise ArgumentError(f"{self.robot.name} has no moving joint: there is no motion to look at")
        return self.path

    @cached_property
    def sizing(self) -> Sizing:
        """What the motion asks of the joints."""
        return sizing(self.robot, self.motion)

    @cached_property
    def on_the_way(self) -> Capacity:
        """The largest payload along the motion."""
        return capacity(self.robot, self.motion)

    @cached_property
    def anywhere(self) -> Capacity:
        """The largest payload over the workspace, at rest."""
        return capacity(self.robot, WORKSPACE)

    @cached_property
    def states(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Some of the states of the motion."""
        some = np.unique(np.linspace(0, len(self.motion.t) - 1, STATES).astype(int))
        return self.motion.q[some], self.motion.qd[some], self.motion.qdd[some]

    @cached_property
    def free(self) -> Motion:
        """Let go at the beginning of the motion, from rest."""
        return _whole(simulate(self.robot, self.motion.q[0], duration=FREE))

    @cached_property
    def controlled(self) -> Motion:
        """The motion followed by computed torque that knows nothing of friction, from beside its beginning."""
        robot, rows, path = self.robot, self.motion, self.asked
        law = computed_torque(robot, path, kp=STIFFNESS, kd=DAMPING, model=frictionless(robot))
        machine = sampled(law, robot, period=PERIOD)
        duration = min(path.duration, LONGEST)
        lost = ((lambda t, q, qd: ASTRAY - np.abs(q - path(t)[0]).max()), "stop")
        return _whole(simulate(robot, rows.q[0] + OFFSET, rows.qd[0], duration=duration, tau=machine, events=[lost]))

    @cached_property
    def followed(self) -> Tracking:
        """How well the controlled motion follows."""
        return tracking(self.controlled, self.asked)


def subject_of(robot: Any, trajectory: Any = None, payload: Any = None, units: str = "rad") -> Subject:
    """What is asked for, judged before anything is computed."""
    need("report", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"report: {robot.name} has symbols; put numbers in their place first")
    arm = robot if payload is None else robot.with_payload(_body(payload))
    if not arm.n:
        if trajectory is not None:
            raise ArgumentError(f"report: {arm.name} has no moving joint, so it has no trajectory")
        return Subject(arm, None, None, "")
    if trajectory is None:
        path = there_and_back(arm)
        return Subject(arm, path, rows_of("report", arm, path), _usual(arm, path))
    if isinstance(trajectory, str | os.PathLike):
        path = from_csv(trajectory, arm, units=units)
        rows = Rows(path.knots, *path(path.knots))
        told = f"The motion of {PurePath(trajectory).name}: {_length(rows)}"
        return Subject(arm, path, rows_of("report", arm, rows), told)
    rows = rows_of("report", arm, trajectory)
    path = trajectory if isinstance(trajectory, Trajectory) else through(rows.t - rows.t[0], rows.q, rows.qd, rows.qdd)
    return Subject(arm, path, rows, f"The motion that was given: {_length(rows)}")


def _whole(motion: Motion) -> Motion:
    """The motion; Ctrl-C, after which `simulate` gives what there is, ends a report."""
    if motion.ended == "interrupted":
        raise KeyboardInterrupt
    return motion


def frictionless(robot: Robot) -> Robot:
    """The robot as a controller without a model of friction knows it."""
    bare = tuple(dataclasses.replace(k, joint=dataclasses.replace(k.joint, friction=None)) for k in robot.links)
    return robot.replace(links=bare)


def frames(motion: Any) -> dict[str, np.ndarray]:
    """The states of a motion that a page plays."""
    some = np.unique(np.linspace(0, len(motion.t) - 1, min(len(motion.t), FRAMES)).astype(int))
    return {"times": motion.t[some], **{name: getattr(motion, name)[some] for name in ("q", "qd", "qdd")}}


def _body(payload: Any) -> MassProperties:
    if isinstance(payload, MassProperties):
        return payload
    if is_number(payload) and payload >= 0:
        return MassProperties(float(payload))
    raise ArgumentError(f"payload: expected kilograms or MassProperties, got {described(payload)}")


def _length(rows: Any) -> str:
    return f"{len(rows.t)} samples over {rows.t[-1] - rows.t[0]:.4g} s."


def _usual(robot: Robot, path: Piecewise) -> str:
    ends = [", ".join(_joint_value(robot, k, x) for k, x in enumerate(path(t)[0])) for t in (0, path.duration / 2)]
    return (
        f"No trajectory was given. This one goes from rest at ({ends[0]}) to rest at ({ends[1]}) and back in "
        f"{path.duration:.4g} s: quintics in the middle half of every joint's range, within the limits of speed and, "
        "where slower is enough for that, of effort."
    )


def _joint_value(robot: Robot, k: int, x: float) -> str:
    slides = robot.joint(robot.joint_names[k]).turn == 0
    return (f"{x:.4g} m" if slides else f"{np.degrees(x):.4g}°").replace("-", "−")


def unit_of(robot: Robot, name: str, kinds: tuple[str, str]) -> str:
    """The unit of a joint's quantity: the first for joints that turn, the second for those that slide."""
    return kinds[1] if robot.joint(name).turn == 0 else kinds[0]
