"""Motors with gears, and which of a catalogue turns a joint along a motion.

Seen by the motor, with gear ratio G, rotor inertia J and efficiency η of the gear,

    τ_m = G J q̈ + τ / (G η)  while the joint drives its load,  G J q̈ + τ η / G  while the load drives the joint,

where τ is what the joint needs without any rotor.  A motor gives its peak torque up to its rated speed and, on a
straight line from there, nothing at its greatest speed; for ever it gives its rated torque.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, final

import numpy as np

from steiner.doors import DOORS, opened
from steiner.errors import ArgumentError, described, several, unknown
from steiner.scalar import is_number

MOST_CANDIDATES = 100_000  # motors times gears
MOST_ROUNDS = 50


@final
@dataclass(frozen=True, kw_only=True)
class Motor:
    """A motor with the gears it comes with; N m, rad/s, kg m² and kg, all at the motor's shaft.

    A ratio is how far the motor turns (rad) while the joint moves by one (rad, or m of a slider).
    """

    name: str
    rated_torque: float
    peak_torque: float
    rated_speed: float
    max_speed: float
    rotor_inertia: float = 0.0
    ratios: tuple[float, ...] = (1.0,)
    efficiency: float = 1.0
    mass: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ArgumentError(f"a motor needs a name, got {described(self.name)}")
        what = f"motor {self.name!r}"
        for field in ("rated_torque", "peak_torque", "rated_speed", "max_speed"):
            self._set(field, _number(what, field, getattr(self, field), above=0.0))
        for field in ("rotor_inertia", "mass"):
            self._set(field, _number(what, field, getattr(self, field), least=0.0))
        self._set("efficiency", _number(what, "efficiency", self.efficiency, above=0.0, most=1.0))
        given = (self.ratios,) if is_number(self.ratios) else several(f"{what}: ratios", self.ratios, "gear ratios")
        if not given:
            raise ArgumentError(f"{what}: no gear ratio; a motor without a gear has the ratio 1")
        self._set("ratios", tuple(_number(what, "ratio", ratio, above=0.0) for ratio in given))
        for low, high in (("rated_torque", "peak_torque"), ("rated_speed", "max_speed")):
            a, b = getattr(self, low), getattr(self, high)
            if a > b:
                raise ArgumentError(f"{what}: {low} {a:g} exceeds {high} {b:g}; are they exchanged?")

    def _set(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)

    def available(self, speed: np.ndarray) -> np.ndarray:
        """Torque that it can give for a moment at these speeds of its shaft."""
        fall = max(self.max_speed - self.rated_speed, 1e-12 * self.max_speed)
        return self.peak_torque * np.clip((self.max_speed - np.abs(speed)) / fall, 0.0, 1.0)


FIELDS = tuple(field.name for field in fields(Motor))


def is_finite(value: Any) -> bool:
    """Whether this is a number that a float can hold."""
    try:
        return is_number(value) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _number(
    what: str, name: str, value: Any, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> float:
    if not is_finite(value) or not (value > above and least <= value <= most):
        bound = f"above {above:g}" if above > -math.inf else f"from {least:g}"
        upto = f" to {most:g}" if most < math.inf else ""
        raise ArgumentError(f"{what}: {name} is {described(value)}; expected a number {bound}{upto}")
    return float(value)


def catalogue(given: Any) -> tuple[Motor, ...]:
    """Motors: a list of them, or of mappings with the same fields (SI), or the name of a CSV file."""
    if isinstance(given, str | os.PathLike):
        given = opened(DOORS["catalogue.file"])(given)
    motors = tuple(_motor(item) for item in several("catalogue", given, "motors, or the name of a CSV file"))
    if not motors:
        raise ArgumentError("catalogue: it is empty; expected at least one motor")
    if (count := sum(len(motor.ratios) for motor in motors)) > MOST_CANDIDATES:
        raise ArgumentError(f"catalogue: {count} pairs of motor and gear; expected at most {MOST_CANDIDATES}")
    return motors


def _motor(item: Any) -> Motor:
    if isinstance(item, Motor):
        return item
    if not isinstance(item, Mapping):
        raise ArgumentError(f"catalogue: expected motors or mappings with {', '.join(FIELDS)}; got {described(item)}")
    what = f"motor {item.get('name', '')!r}"
    for key in item:
        if key not in FIELDS:
            raise ArgumentError(f"{what}: {unknown('field', key, FIELDS)}")
    missing = [name for name in FIELDS[:5] if name not in item]
    if missing:
        raise ArgumentError(f"{what}: {', '.join(missing)} missing; expected {', '.join(FIELDS)}")
    return Motor(**item)


class Choice(NamedTuple):
    """A motor and a gear for a joint: what is asked of the motor's shaft, and by how much it can do more."""

    joint: str
    motor: Motor
    ratio: float
    peak_torque: float  # N m
    thermal_torque: float
    peak_speed: float  # rad/s
    peak_margin: float  # least of available over asked torque along the motion
    thermal_margin: float  # rated over thermal torque
    speed_margin: float  # greatest speed of the motor over that of the motion
    inertia_ratio: tuple[float, float]  # least and greatest inertia of the arm over the rotor's, both at the joint
    fits: bool  # all three margins are at least those that were asked for

    @property
    def margin(self) -> float:
        """The smallest of its margins."""
        return min(self.peak_margin, self.thermal_margin, self.speed_margin)


class Task(NamedTuple):
    """What one joint does along a motion, its rotor left out: torque, rate and acceleration at times (k,)."""

    joint: str
    t: np.ndarray
    torque: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    hold: float  # torque while it stands still at the end
    pause: float  # s of standing still
    inertia: tuple[float, float]  # of the load, least and greatest

    def choice(self, motor: Motor, ratio: float, margin: float) -> Choice:
        """What the task asks of a motor behind a gear."""
        loss = np.where(self.torque * self.qd < 0, motor.efficiency, 1 / motor.efficiency)
        torque = ratio * motor.rotor_inertia * self.qdd + self.torque * loss / ratio
        speed = ratio * self.qd
        size, fast = np.abs(torque), float(np.abs(speed).max())
        thermal = effective(self.t, torque, self.pause, self.hold / (ratio * motor.efficiency))
        with np.errstate(divide="ignore", invalid="ignore"):
            peak_margin = float(np.min(np.where(size > 0, motor.available(speed) / size, np.inf)))
        margins = (peak_margin, _over(motor.rated_torque, thermal), _over(motor.max_speed, fast))
        rotor = ratio**2 * motor.rotor_inertia
        ratios = (_over(self.inertia[0], rotor), _over(self.inertia[1], rotor))
        fits = min(margins) >= margin
        return Choice(self.joint, motor, ratio, float(size.max()), thermal, fast, *margins, ratios, fits)

    def lightest(self, motors: Sequence[Motor], margin: float) -> Choice:
        """The lightest that fits (the smallest gear among equals); if none does, that with the largest margin."""
        pairs = [(motor, ratio) for motor in motors for ratio in motor.ratios]
        nearest = None
        for motor, ratio in sorted(pairs, key=lambda pair: (pair[0].mass, pair[1])):
            found = self.choice(motor, ratio, margin)
            if found.fits:
                return found
            nearest = found if nearest is None or found.margin > nearest.margin else nearest
        assert nearest is not None, "a catalogue is not empty"
        return nearest


def effective(t: np.ndarray, torque: np.ndarray, pause: float = 0.0, hold: Any = 0.0) -> Any:
    """√ of the mean of τ² over the motion and a pause: the constant torque that heats a winding as much."""
    total = np.trapezoid(torque**2, t, axis=0) + pause * np.square(hold)
    return np.sqrt(total / (t[-1] - t[0] + pause))


def _over(a: float, b: float) -> float:
    return float(a / b) if b > 0 else math.inf


def chosen(
    tasks: Sequence[Task], motors: Sequence[Motor], margin: float, unit_loads: np.ndarray | None = None
) -> tuple[Choice, ...]:
    """For every joint the lightest motor and gear that do its task.

    `unit_loads` (joints, k + 1, joints): the torques that 1 kg at the motor of a joint costs all joints at the k
    times and at rest.  A motor loads the joints before its own, so one sweep from the tool to the base settles a
    chain; sweeps go on until no choice changes, which joints that share a coordinate may need.
    """
    found: list[Choice | None] = [None] * len(tasks)
    for _ in range(MOST_ROUNDS):
        before = list(found)
        for k in reversed(range(len(tasks))):
            task = tasks[k]
            if unit_loads is not None:
                masses = np.array([0.0 if c is None else c.motor.mass for c in found])
                extra = np.tensordot(masses, unit_loads[..., k], axes=1)
                task = task._replace(torque=task.torque + extra[:-1], hold=task.hold + extra[-1])
            found[k] = task.lightest(motors, margin)
        if unit_loads is None or [_pair(c) for c in before] == [_pair(c) for c in found]:
            return tuple(c for c in found if c is not None)
    raise ArgumentError(f"catalogue: no choice of motors settles in {MOST_ROUNDS} rounds; leave their masses out")


def _pair(choice: Choice | None) -> tuple[Motor, float] | None:
    return None if choice is None else (choice.motor, choice.ratio)
