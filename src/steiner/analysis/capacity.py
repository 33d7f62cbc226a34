"""The largest payload that the efforts of a robot's joints allow, and the joint that limits it.

Torques are linear in the mass of what is carried, τ = τ₀ + m τ₁, so |τ| ≤ effort is solved for m at once: at a pose, at
every time of a motion, or over the workspace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner.analysis.motions import is_motion, refuse_lost, rows_of
from steiner.analysis.ranges import ranges
from steiner.analysis.sizing import positive
from steiner.doors import door
from steiner.dynamics import algorithm
from steiner.errors import ArgumentError, described, need, whole
from steiner.inertia import MassProperties
from steiner.kernels.arguments import array_of
from steiner.kernels.call import Call
from steiner.model.robot import Robot
from steiner.scalar import Frozen, array
from steiner.text import names
from steiner.text.tables import Table, shown

WORKSPACE = "workspace"
IMMENSE = 1e9  # kg: above it only round-off resists, no joint feels the mass
MOST_SAMPLES = 1_000_000
NOBODY = -1  # no joint limits


@dataclass(frozen=True, eq=False, repr=False)
class Capacity(Frozen):
    """How much a link of a robot can carry at poses (k, n), and the least of it.

    A pose at which the arm cannot hold itself has the capacity 0; one at which no limited joint feels the load
    has an infinite one.
    """

    robot: Robot
    link: str
    kind: str  # "pose", "motion" or "workspace"
    t: np.ndarray | None  # (k,) of a motion
    poses: np.ndarray  # (k, n)
    positions: np.ndarray  # (k, 3): of the payload's centre, in the world
    masses: np.ndarray  # (k,), kg
    limiting: np.ndarray  # (k,): index of the joint that limits, −1 if none does
    effort: np.ndarray  # (n,): the limits, infinite where none is stated
    overloaded: np.ndarray  # (k,): the arm exceeds a limit without any payload

    @property
    def worst(self) -> int:
        """Row of the least capacity."""
        return int(self.masses.argmin())

    @property
    def mass(self) -> float:
        """The payload that is carried everywhere here, kg."""
        return float(self.masses[self.worst])

    @property
    def joint(self) -> str | None:
        """The joint that limits it; None if none does."""
        return self.joint_at(self.worst)

    @property
    def q(self) -> np.ndarray:
        """The pose at which the least can be carried."""
        return self.poses[self.worst]

    @property
    def position(self) -> np.ndarray:
        """Where the payload is then, in the world."""
        return self.positions[self.worst]

    @property
    def time(self) -> float | None:
        """When that is, along a motion."""
        return None if self.t is None else float(self.t[self.worst])

    @property
    def unlimited(self) -> tuple[str, ...]:
        """Joints that state no effort limit: they are taken to hold anything."""
        return tuple(n for n, e in zip(self.robot.joint_names, self.effort, strict=True) if not math.isfinite(e))

    @property
    def limited_by(self) -> dict[str, float]:
        """For how large a share of the poses each joint is the one that limits."""
        counts = [int(np.count_nonzero(self.limiting == k)) for k in range(self.robot.n)]
        return {n: c / len(self.masses) for n, c in zip(self.robot.joint_names, counts, strict=True) if c}

    def joint_at(self, row: int) -> str | None:
        """The joint that limits at a pose."""
        k = int(self.limiting[whole("row", row, 0, len(self.limiting) - 1)])
        return None if k == NOBODY else self.robot.joint_names[k]

    def table(self) -> Table:
        """The least and what there is around it, for people."""
        poses = len(self.masses)
        rows = [("largest payload", _kilograms(self.mass)), ("limiting joint", self.joint or "–")]
        if self.time is not None:
            rows.append(("at", f"{self.time:.4g} s"))
        rows.append(("pose", f"({', '.join(f'{x:.4g}' for x in self.q)})"))
        rows.append(("payload at, m", f"({', '.join(f'{x:.4g}' for x in self.position)})"))
        if poses > 1:
            median, most = float(np.median(self.masses)), float(self.masses.max())
            rows.append((f"over {poses} poses", f"median {_kilograms(median)}, at most {_kilograms(most)}"))
            shares = sorted(self.limited_by.items(), key=lambda item: -item[1])
            rows.append(("limited by", ", ".join(f"{name} {100 * x:.3g} %" for name, x in shares) or "–"))
        return Table((), rows, f"{self.robot.name}: payload at {self.link}", "ll", tuple(self._notes()))

    def _notes(self) -> list[str]:
        told = []
        if count := int(np.count_nonzero(self.overloaded)):
            where = "here" if len(self.masses) == 1 else f"at {count} of {len(self.masses)} poses"
            told.append(f"{where} the arm exceeds its effort limits without any payload")
        if self.unlimited:
            told.append(f"no effort limit stated: {', '.join(self.unlimited)}; taken to hold anything")
        return told

    def json(self) -> str:
        """All numbers, SI; null where nothing limits."""

        def plain(x: float) -> float | None:
            return float(x) if math.isfinite(x) else None

        return names.json({
            "robot": self.robot.name, "link": self.link, "kind": self.kind, "mass": plain(self.mass),
            "limiting_joint": self.joint, "time": self.time, "q": self.q.tolist(), "position": self.position.tolist(),
            "poses": len(self.masses), "limited_by": self.limited_by, "overloaded": int(self.overloaded.sum()),
            "joints_without_effort_limit": list(self.unlimited),
            "masses": [plain(x) for x in self.masses], "positions": self.positions.tolist(),
        })  # fmt: skip

    @door
    def plot(self, axes: Any = None, plane: str | None = None) -> Any:
        """The least capacity over where the payload is ("xz", "xy", "rz" …: r is the distance from the z axis).

        Returns matplotlib's axes.
        """
        ...

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        by = f", limited by {self.joint}" if self.joint else ""
        return names.terminal(f"<Capacity of {self.robot.name} at {self.link}: {_kilograms(self.mass)}{by}>")

    def _repr_html_(self) -> str:
        return self.table().html()


def capacity(
    robot: Robot, where: Any = WORKSPACE, *, link: str | None = None, com: Any = (0.0, 0.0, 0.0),
    body: MassProperties | None = None, effort: Any = None, margin: float = 1.0, samples: int = 5000, seed: int = 0,
    dt: float | None = None, friction: bool = True,
) -> Capacity:
    """The largest payload at a link (the last) that the joints' effort limits allow, and the joint that limits it.

    `where`: a pose q or several (…, n), at rest; a motion (a trajectory, or arrays t, q, qd, qdd); or "workspace":
    `samples` poses drawn evenly within the joints' ranges.  The payload is a point mass at `com` in the link, or
    `body`, its mass scaled and its shape kept.  `effort` (n,) takes the place of the limits that the joints state;
    all are divided by `margin`.
    """
    need("capacity", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"capacity: {robot.name} has symbols; put numbers in their place first")
    carrier = robot.links[-1].name if link is None else robot.link(link).name
    unit = _kilogram(com, body)
    limits = _efforts(robot, effort) / positive("margin", margin)
    kind, t = "motion", None
    if isinstance(where, str):
        if where != WORKSPACE:
            raise ArgumentError(f"capacity: {described(where)}: expected poses, a motion or {WORKSPACE!r}")
        count, drawn = whole("samples", samples, 1, MOST_SAMPLES), whole("seed", seed, 0, 2**64 - 1)
        kind, q = WORKSPACE, _drawn(robot, count, drawn)
        states = (q, np.zeros_like(q), np.zeros_like(q))
    elif is_motion(where):
        t, q, *rates = rows_of("capacity", robot, where, dt)
        states = (q, *rates)
    else:
        kind, q = "pose", _poses(robot, where)
        states = (q, np.zeros_like(q), np.zeros_like(q))
    own, per_kilogram = _efforts_of(robot, carrier, unit, states, friction)
    clock = np.arange(len(q)) if t is None else t
    refuse_lost("capacity", robot, clock, own, "torque", ": positions or rates are so large that it overflows")
    masses, limiting, overloaded = _allowed(own, per_kilogram, limits)
    place = robot.forward_kinematics(q, carrier).apply(unit.com)
    keep = (np.array(x) for x in (q, place, masses, limiting, limits, overloaded))
    return Capacity(robot, carrier, kind, t, *keep)


def _allowed(
    own: np.ndarray, per_kilogram: np.ndarray, effort: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per row the greatest m ≥ 0 with |τ₀ + m' τ₁| ≤ effort for all m' up to m, who limits it, whether m = 0 fails."""
    over = np.abs(own) > effort
    with np.errstate(divide="ignore", invalid="ignore"):
        most = (effort - np.sign(per_kilogram) * own) / np.abs(per_kilogram)
        excess = np.where(over, np.abs(own) / effort, 0.0)
    most = np.where((per_kilogram == 0) | (most > IMMENSE), np.inf, most)
    most = np.where(over, 0.0, most)
    overloaded = np.asarray(over.any(axis=1))
    who = np.where(overloaded, excess.argmax(axis=1), most.argmin(axis=1))
    masses = most.min(axis=1)
    return masses, np.where(np.isfinite(masses), who, NOBODY), overloaded


def _efforts_of(
    robot: Robot, link: str, unit: MassProperties, states: tuple[np.ndarray, ...], friction: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Torques of the arm itself, and those of one kilogram of the payload, (k, n)."""
    laden = robot.without_payload().with_payload(unit, link=link, name="load")
    load = Call(laden, algorithm("torque_breakdown"), backend="numpy")(*states, by="payload")["load"]
    return Call(robot, algorithm("inverse_dynamics"), backend="numpy")(*states, friction=friction), load


def _kilogram(com: Any, body: MassProperties | None) -> MassProperties:
    if body is None:
        point = MassProperties(1.0, array(com, (3,), "com"))
        if not point.is_numeric:
            raise ArgumentError(f"com: expected three numbers, got {described(com)}")
        return point
    need("body", body, MassProperties, "such as MassProperties(1.0, com, inertia)")
    if np.any(array(com, (3,), "com") != 0):
        raise ArgumentError("capacity: a body has its own centre of mass; give com= or body=, not both")
    if not body.is_numeric or not body.mass > 0:
        raise ArgumentError(f"capacity: body has the mass {shown(body.mass)}; expected kilograms above 0")
    return body * (1 / body.mass)


def _efforts(robot: Robot, given: Any) -> np.ndarray:
    """The effort limit of every joint; at least one of them has to be stated."""
    if given is None:
        effort = ranges(robot).effort
        if not np.isfinite(effort).any():
            raise ArgumentError(
                f"capacity: no joint of {robot.name} states an effort limit; "
                "state them in its file (limits: {effort: 8 N m}), or give effort= (one per joint)"
            )
        return effort
    effort = array_of("effort", given)
    if effort.dtype.kind not in "iuf" or effort.shape != (robot.n,) or not np.all(effort >= 0):
        raise ArgumentError(f"effort: expected {robot.n} numbers from 0 on, one per joint, got {described(given)}")
    return effort.astype(float)


def _poses(robot: Robot, given: Any) -> np.ndarray:
    q = array_of("q", given)
    if q.dtype.kind not in "iuf" or q.ndim < 1 or q.shape[-1] != robot.n or not q.size:
        raise ArgumentError(
            f"capacity: {robot.name} has {robot.n} joints; expected poses (…, {robot.n}), a motion or {WORKSPACE!r}, "
            f"got {described(given)}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError("capacity: a pose has numbers that are not finite")
    return q.astype(float).reshape(-1, robot.n)


def _drawn(robot: Robot, samples: int, seed: int) -> np.ndarray:
    """Poses within the joints' ranges; a turning joint without a range turns once around."""
    lower, upper = ranges(robot)[:2]
    for k, name in enumerate(robot.joint_names):
        if math.isfinite(lower[k]) and math.isfinite(upper[k]):
            continue
        if robot.joint(name).turn == 0:
            raise ArgumentError(
                f"capacity: {name!r} slides and states no range; state its limits, or give poses, not {WORKSPACE!r}"
            )
        lower[k], upper[k] = max(lower[k], -math.pi), min(upper[k], math.pi)
    return np.random.default_rng(seed).uniform(lower, upper, (samples, robot.n))


def _kilograms(mass: float) -> str:
    return f"{mass:.4g} kg" if math.isfinite(mass) else "no limit"


