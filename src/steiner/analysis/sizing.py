"""What a motion asks of every joint: torque, speed, power and energy, against limits and a catalogue of motors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from steiner.analysis.motions import Rows, refuse_lost, rows_of
from steiner.analysis.motors import Choice, Task, catalogue, chosen, effective, is_finite
from steiner.analysis.ranges import Ranges, ranges
from steiner.doors import door
from steiner.dynamics import algorithm
from steiner.dynamics.newton_euler import rotor_efforts
from steiner.errors import ArgumentError, described, need
from steiner.inertia import MassProperties
from steiner.kernels.call import Call
from steiner.model.robot import Robot
from steiner.scalar import Frozen, frozen
from steiner.spatial import Pose
from steiner.text import names
from steiner.text.tables import Table, settled

MARGIN = 1.3  # by how much a motor should be able to do more than it is asked for


class Limiting(NamedTuple):
    """Where a motion comes closest to a limit, or goes beyond it most (a margin below 1)."""

    joint: str
    what: str  # "effort" or "velocity"
    margin: float  # the limit over what the motion needs
    time: float  # s


@dataclass(frozen=True, eq=False, repr=False)
class Sizing(Frozen):
    """What a motion asks of every joint; arrays over `joint_names`, in N m and rad/s (N and m/s of sliding joints).

    `tau` (k, n) over `qd` (k, n) is the cloud that a torque-speed curve has to enclose.
    """

    robot: Robot
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    hold: np.ndarray  # torques that hold the arm still at the end
    pause: float  # s that it stands still before the motion begins again
    margin: float  # asked of the motors
    friction: bool = True
    choices: tuple[Choice, ...] = ()  # per joint, if a catalogue was given

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints, in the order of all arrays."""
        return self.robot.joint_names

    @property
    def duration(self) -> float:
        """Seconds of the motion, without the pause."""
        return float(self.t[-1] - self.t[0])

    @property
    def limits(self) -> Ranges:
        """What the joints may do, infinite where nothing is stated."""
        return ranges(self.robot)

    # ---- torque and speed ------------------------------------------------------------------------

    @property
    def peak_torque(self) -> np.ndarray:
        """Largest |τ|."""
        return np.abs(self.tau).max(axis=0)

    @property
    def peak_time(self) -> np.ndarray:
        """When |τ| is largest, s."""
        return self.t[np.abs(self.tau).argmax(axis=0)]

    @property
    def rms_torque(self) -> np.ndarray:
        """√ of the mean τ² over the motion."""
        return effective(self.t, self.tau)

    @property
    def thermal_torque(self) -> np.ndarray:
        """The constant torque that heats a motor as the motion and the pause do, over and over; τ is held in it."""
        return effective(self.t, self.tau, self.pause, self.hold)

    @property
    def peak_speed(self) -> np.ndarray:
        """Largest |q̇|."""
        return np.abs(self.qd).max(axis=0)

    @property
    def peak_speed_time(self) -> np.ndarray:
        """When |q̇| is largest, s."""
        return self.t[np.abs(self.qd).argmax(axis=0)]

    # ---- power and energy ------------------------------------------------------------------------

    @property
    def power(self) -> np.ndarray:
        """τ q̇ at all times, W (k, n); negative where the load drives the joint."""
        return self.tau * self.qd

    @property
    def peak_power(self) -> np.ndarray:
        """Largest |τ q̇|, W."""
        return np.abs(self.power).max(axis=0)

    @property
    def mean_power(self) -> np.ndarray:
        """Work over the duration of the motion, W."""
        return np.trapezoid(self.power, self.t, axis=0) / self.duration

    @property
    def energy_drawn(self) -> np.ndarray:
        """∫ max(τ q̇, 0) dt, J: what the motors give."""
        return np.trapezoid(np.maximum(self.power, 0), self.t, axis=0)

    @property
    def energy_braked(self) -> np.ndarray:
        """∫ max(−τ q̇, 0) dt, J: what comes back, to be stored or turned into heat; drawn less braked is the work."""
        return np.trapezoid(np.maximum(-self.power, 0), self.t, axis=0)

    # ---- limits ----------------------------------------------------------------------------------

    @property
    def effort_margin(self) -> np.ndarray:
        """Effort limit over peak torque; infinite without a limit, below 1 where the motion is too much."""
        return _ratio(self.limits.effort, self.peak_torque)

    @property
    def speed_margin(self) -> np.ndarray:
        """Velocity limit over peak speed."""
        return _ratio(self.limits.velocity, self.peak_speed)

    @property
    def limiting(self) -> Limiting | None:
        """The joint with the smallest margin, and when; None if no joint that is used states a limit."""
        both = (("effort", self.effort_margin, self.peak_time), ("velocity", self.speed_margin, self.peak_speed_time))
        found = [
            Limiting(joint, what, float(margin), float(time))
            for what, margins, times in both
            for joint, margin, time in zip(self.joint_names, margins, times, strict=True)
            if math.isfinite(margin)
        ]
        return min(found, key=lambda one: one.margin, default=None)

    # ---- inertia and shares ----------------------------------------------------------------------

    @property
    def armature(self) -> np.ndarray:
        """Reflected rotor inertia G²J that the robot states, kg m² (kg)."""
        return rotor_efforts(self.robot.tree, np.ones(self.robot.n)).astype(float)

    @cached_property
    def load_inertia(self) -> np.ndarray:
        """Least and greatest M_ii along the motion without the rotor, (2, n)."""
        M = Call(self.robot, algorithm("mass_matrix"), backend="numpy")(self.q)
        own = np.diagonal(M, axis1=-2, axis2=-1) - self.armature
        return frozen(np.stack([own.min(axis=0), own.max(axis=0)]))

    @property
    def inertia_ratio(self) -> np.ndarray:
        """Least and greatest inertia of the load over that of the rotor, (2, n); infinite without a rotor."""
        return _ratio(self.load_inertia, self.armature)

    def shares(self, by: str = "source") -> dict[str, np.ndarray]:
        """What the torque of every joint at its own peak is made of: by "source", "link", "element", "part", "payload".

        The shares of a joint sum to its torque at `peak_time`.
        """
        at = np.abs(self.tau).argmax(axis=0)
        split = Call(self.robot, algorithm("torque_breakdown"), backend="numpy")
        found = split(self.q[at], self.qd[at], self.qdd[at], by=by, friction=self.friction)
        return {name: np.diagonal(share).copy() for name, share in found.items()}

    # ---- told ------------------------------------------------------------------------------------

    def table(self) -> Table:
        """Per joint, for people."""
        head = ("joint", "peak", "at s", "RMS", "thermal", "speed", "peak W", "mean W", "drawn J", "braked J",
                "effort margin", "speed margin", "load/rotor")  # fmt: skip
        columns = (
            self.peak_torque, self.peak_time, self.rms_torque, self.thermal_torque, self.peak_speed, self.peak_power,
            self.mean_power, self.energy_drawn, self.energy_braked, self.effort_margin, self.speed_margin,
        )  # fmt: skip
        rows = [
            (name, *map(_brief, row), _span(low, high))
            for name, row, low, high in zip(self.joint_names, np.transpose(columns), *self.inertia_ratio, strict=True)
        ]
        return Table(head, rows, f"{self.robot.name} over {self.duration:.4g} s", "l" + "r" * 12, tuple(self._notes()))

    def _notes(self) -> list[str]:
        worst = self.limiting
        sliding = [name for name, unit in zip(self.joint_names, self.units, strict=True) if unit == "N"]
        told = ["torques in N m, speeds in rad/s" + (f" (N and m/s: {', '.join(sliding)})" if sliding else "")]
        if worst is not None:
            over = ", which is beyond it" if worst.margin < 1 else ""
            ratio = f"{worst.what} limit / need = {_brief(worst.margin)}"
            told.append(f"limiting: {worst.joint}, {ratio} at {worst.time:.4g} s{over}")
        for what, limit in (("effort", self.limits.effort), ("velocity", self.limits.velocity)):
            bare = [name for name, x in zip(self.joint_names, limit, strict=True) if not math.isfinite(x)]
            if bare:
                told.append(f"no {what} limit stated: {', '.join(bare)}")
        return told

    def shares_table(self, by: str = "source") -> Table:
        """The shares of every joint's peak torque, for people."""
        found = self.shares(by)
        efforts = settled([*found.values(), sum(found.values(), np.zeros(self.robot.n))]) + 0.0  # −0 is 0
        lines = zip([*found, "total"], efforts, strict=True)
        rows = [(name, *map(_brief, share)) for name, share in lines if share.any()]
        caption = f"what the peak torques are made of, by {by}"
        return Table((by, *self.joint_names), rows, caption, "l" + "r" * self.robot.n)

    def motors_table(self) -> Table:
        """The motors that were chosen, for people."""
        head = ("joint", "motor", "gear", "kg", "peak N m", "thermal N m", "rpm", "peak margin", "thermal margin",
                "speed margin", "load/rotor", "")  # fmt: skip
        rows = [
            (c.joint, c.motor.name, f"{c.ratio:g}", _brief(c.motor.mass), _brief(c.peak_torque),
             _brief(c.thermal_torque), f"{c.peak_speed * 30 / math.pi:.0f}", _brief(c.peak_margin),
             _brief(c.thermal_margin), _brief(c.speed_margin), _span(*c.inertia_ratio),
             "" if c.fits else "does not do; the nearest")
            for c in self.choices
        ]  # fmt: skip
        mass = sum(c.motor.mass for c in self.choices)
        note = f"at the shafts of the motors, margin {self.margin:g} asked; {_brief(mass)} kg in all"
        return Table(head, rows, "the lightest motors that do", "ll" + "r" * 9 + "l", (note,))

    @property
    def units(self) -> tuple[str, ...]:
        """N m for joints that turn, N for those that slide."""
        return tuple("N m" if self.robot.joint(name).turn != 0 else "N" for name in self.joint_names)

    def json(self) -> str:
        """All numbers but the rows of the motion, SI; null where nothing is stated."""
        rows = [
            {
                "joint": name, "unit": self.units[k],
                **{field: _plain(getattr(self, field)[k]) for field in PER_JOINT},
                "effort_limit": _plain(self.limits.effort[k]), "velocity_limit": _plain(self.limits.velocity[k]),
                "load_inertia": [_plain(x) for x in self.load_inertia[:, k]],
                "inertia_ratio": [_plain(x) for x in self.inertia_ratio[:, k]],
            }
            for k, name in enumerate(self.joint_names)
        ]  # fmt: skip
        worst = None if self.limiting is None else self.limiting._asdict()
        motors = [
            {**{k: _plain(v) for k, v in c._asdict().items() if k not in ("motor", "inertia_ratio")},
             "motor": c.motor.name, "mass": c.motor.mass, "inertia_ratio": [_plain(x) for x in c.inertia_ratio]}
            for c in self.choices
        ]  # fmt: skip
        shares = {name: share.tolist() for name, share in self.shares().items()}
        return names.json({
            "robot": self.robot.name, "duration": self.duration, "pause": self.pause, "margin": self.margin,
            "limiting": worst, "joints": rows, "shares_at_peak": shares, "motors": motors,
        })  # fmt: skip

    @door
    def plot(self, figure: Any = None) -> Any:
        """Torque over speed of every joint, with its limits; returns matplotlib's figure."""
        ...

    def __str__(self) -> str:
        tables = [self.table(), *([self.motors_table()] if self.choices else [])]
        return "\n\n".join(table.text() for table in tables)

    def __repr__(self) -> str:
        worst = self.limiting
        told = "no limits stated" if worst is None else f"{worst.joint} limits: {worst.what} margin {worst.margin:.3g}"
        return names.terminal(f"<Sizing of {self.robot.name} over {self.duration:.4g} s; {told}; print it>")

    def _repr_html_(self) -> str:
        return self.table().html() + (self.motors_table().html() if self.choices else "")


PER_JOINT = (
    "peak_torque", "peak_time", "rms_torque", "thermal_torque", "peak_speed", "peak_speed_time", "peak_power",
    "mean_power", "energy_drawn", "energy_braked", "effort_margin", "speed_margin", "armature",
)  # fmt: skip


def sizing(
    robot: Robot, motion: Any, catalogue: Any = None, *, margin: float = MARGIN, pause: float = 0.0,
    dt: float | None = None, friction: bool = True, masses: bool = False,
) -> Sizing:
    """Peak and RMS torque, speed, power and energy of every joint along a motion, against limits and motors.

    The motion is a trajectory (sampled every `dt` seconds) or has arrays t (k,), q, qd and qdd (k, n).  After it the
    arm stands still for `pause` seconds, then all begins again.  From a catalogue (a list of motors, or a CSV file)
    every joint gets the lightest motor and gear that do `margin` times what is asked; its rotor takes the place of
    the one that the robot states.  With `masses` each motor is a point mass on the link before its joint.
    """
    need("sizing", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"sizing: {robot.name} has symbols; put numbers in their place first")
    if not robot.n:
        raise ArgumentError(f"sizing: {robot.name} has no moving joint")
    asked, rest = positive("margin", margin), positive("pause", pause, zero=True)
    rows = rows_of("sizing", robot, motion, dt)
    tau = robot.inverse_dynamics(rows.q, rows.qd, rows.qdd, friction=friction)
    refuse_lost("sizing", robot, rows.t, tau, "torque", ": the motion is so fast that it overflows")
    hold = robot.static_torque(rows.q[-1])
    found = Sizing(robot, *rows, tau, hold, rest, asked, friction)
    return found if catalogue is None else replace(found, choices=_motors(found, catalogue, masses))


def _motors(found: Sizing, motors: Any, masses: bool) -> tuple[Choice, ...]:
    load = found.tau - found.armature * found.qdd
    tasks = [
        Task(name, found.t, load[:, k], found.qd[:, k], found.qdd[:, k], found.hold[k], found.pause,
             (float(found.load_inertia[0, k]), float(found.load_inertia[1, k])))
        for k, name in enumerate(found.joint_names)
    ]  # fmt: skip
    loads = _unit_loads(found.robot, Rows(found.t, found.q, found.qd, found.qdd)) if masses else None
    return chosen(tasks, catalogue(motors), found.margin, loads)


def _unit_loads(robot: Robot, rows: Rows) -> np.ndarray:
    """(joints, k + 1, joints): torques of 1 kg where a joint's motor is, along the motion and at rest at its end."""
    seat = {screw.name: link for link in robot.links for screw in link.joint.screws()}
    kilogram, laden = MassProperties(1.0), robot.without_payload()
    for k, name in enumerate(robot.joint_names):
        link = seat[name]
        if link.parent is not None:
            place = Pose(np.eye(3), link.mount.p)
            laden = laden.with_payload(kilogram, link=link.parent, pose=place, name=f"motor {k}")
    still = np.zeros((1, robot.n))
    states = (np.concatenate(x) for x in ((rows.q, rows.q[-1:]), (rows.qd, still), (rows.qdd, still)))
    split = Call(laden, algorithm("torque_breakdown"), backend="numpy")(*states, by="payload")
    nothing = np.zeros((len(rows.t) + 1, robot.n))
    return np.stack([split.get(f"motor {k}", nothing) for k in range(robot.n)])


def positive(what: str, value: Any, *, zero: bool = False) -> float:
    """A finite number above zero (or zero, where that is allowed)."""
    if not is_finite(value) or value < 0 or (value == 0 and not zero):
        expected = "number from 0 on" if zero else "positive number"
        raise ArgumentError(f"{what}={described(value)}: expected a {expected}")
    return float(value)


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, infinite where b is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b > 0, a / np.where(b > 0, b, 1.0), np.inf)


def _plain(x: Any) -> Any:
    """A number for JSON, which knows no infinity."""
    if isinstance(x, bool | str):
        return x
    return float(x) if math.isfinite(x) else None


def _brief(x: float) -> str:
    return f"{x:.3g}" if math.isfinite(x) else "–"


def _span(low: float, high: float) -> str:
    return "–" if not math.isfinite(high) else f"{_brief(low)}…{_brief(high)}"
