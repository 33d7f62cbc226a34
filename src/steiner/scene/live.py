"""The robot behind a page: its own kernel as JavaScript, and what the page needs to know to call it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from steiner import dynamics
from steiner.backends import js
from steiner.errors import SteinerError
from steiner.inertia import MassProperties
from steiner.kernels.call import Plan
from steiner.kernels.compile import Compiled, algorithm_of
from steiner.model.robot import Robot
from steiner.scene.scene import Line, Moving, Scene, Surface, points_of
from steiner.text.names import terminal

LARGEST_MATRIX = 16  # joints up to which a page shows the mass matrix
NUDGE = 0.05  # of a parameter: shapes are linear in most dimensions, and a page moves their corners along that line


class Live(NamedTuple):
    """The text of a function `kernel`, and what a page reads beside the scene."""

    kernel: str
    facts: dict[str, Any]


def present(robot: Any, q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
    """All that a page shows of a robot at a state."""
    poses = dynamics.forward_kinematics(robot, q)
    found = {
        "poses": np.array([[*pose.R.ravel(), *pose.p] for pose in poses.values()], dtype=object),
        "tau": dynamics.inverse_dynamics(robot, q, qd, qdd),
        "gravity": dynamics.gravity_forces(robot, q),
        "kinetic": dynamics.kinetic_energy(robot, q, qd),
        "potential": dynamics.potential_energy(robot, q),
        "bodies": np.array([numbers(load.body) for load in robot.loads], dtype=object),
    }
    return found | ({"M": dynamics.mass_matrix(robot, q)} if robot.n <= LARGEST_MATRIX else {})


def numbers(body: MassProperties) -> list[Any]:
    """Mass, centre and central tensor by rows."""
    return [body.mass, *body.com, *np.asarray(body.inertia).ravel()]


def with_load(robot: Robot) -> Robot:
    """The robot with one more payload, of no mass, at its tip."""
    taken = {*robot.link_names, *(p.name for p in robot.payloads), *(link.joint.name for link in robot.links)}
    name = next(k for k in ("payload", *(f"payload{i}" for i in range(2, len(taken) + 3))) if k not in taken)
    return robot.with_payload(MassProperties(0.0), name=name)


def traced(loaded: Robot, function: Callable[..., Any]) -> Plan:
    """A function of a robot `with_load` on tape; that mass, gravity and the parameters of the drawing are inputs."""
    inputs = [f"{loaded.payloads[-1].name}.mass", "gravity", *loaded.parameters]
    return Compiled(loaded, algorithm_of(function), parameters=inputs).variant()[1]


def live(moving: Moving) -> Live:
    """The kernel of the robot with a mass at its tip, gravity and the parameters of its drawing as inputs."""
    robot, loaded = moving.robot, with_load(moving.robot)
    plan = traced(loaded, present)
    outputs = ["poses", "tau", "gravity_tau", "kinetic", "potential", "bodies", "M"][: len(plan.tape.outputs)]
    actor = {link: k for k, link in enumerate(robot.link_names, 1)}  # the world comes first
    facts = {
        "joints": [_joint(moving, k) for k in range(robot.n)],
        "links": list(actor.values()),
        "loads": [None if load.payload else actor[load.link] for load in loaded.tree.loads],
        "outputs": [{"name": n, "size": o.size} for n, o in zip(outputs, plan.tape.outputs, strict=True)],
        "gravity": [float(g) for g in robot.gravity],
        "tip": terminal(robot.links[-1].name),
        "heaviest": max(1.0, float(f"{float(robot.total_mass) / 2:.1g}")),
        "parameters": [_parameter(n, float(x)) for n, x in robot.parameters.items()],
        **{key: np.atleast_2d(x).tolist() if x is not None else [] for key, x in _states(moving)},
    }
    return Live("\n".join(js.function(plan.tape, "kernel", outputs)), facts)


def _states(moving: Moving) -> Iterator[tuple[str, np.ndarray | None]]:
    yield from (("q", moving.q), ("qd", moving.qd), ("qdd", moving.qdd))


def _joint(moving: Moving, k: int) -> dict[str, Any]:
    """What the slider and the bar of a joint need."""
    name = moving.robot.joint_names[k]
    joint, column = moving.robot.joint(name), moving.q.reshape(-1, moving.robot.n)[:, k]
    turns, limits = not _is_zero(joint.turn), joint.limits
    lower, upper, velocity, effort = limits if limits is not None else (None,) * 4
    reach = math.pi if turns else 0.5
    return {
        "name": terminal(name),
        "turns": turns,
        "lower": min(float(-reach if lower is None else lower), float(column.min())),
        "upper": max(float(reach if upper is None else upper), float(column.max())),
        "velocity": velocity and float(velocity),
        "effort": effort and float(effort),
    }


def _is_zero(x: Any) -> bool:
    return float(x) == 0


def _parameter(name: str, value: float) -> dict[str, Any]:
    ends = sorted((0.5 * value, 1.5 * value)) if value else [-1.0, 1.0]
    return {"name": terminal(name), "value": value, "lower": ends[0], "upper": ends[1]}


def slopes(scene: Scene) -> list[dict[int, np.ndarray]]:
    """For each parameter of the drawing: how fast corners of surfaces and lines move with it, by id of the item."""
    moving = scene.moving
    return [] if moving is None else [_slope(scene, moving, n, float(x)) for n, x in moving.robot.parameters.items()]


def _slope(scene: Scene, moving: Moving, name: str, value: float) -> dict[int, np.ndarray]:
    for step in (NUDGE, -NUDGE):
        change = step * (value or 1.0)
        try:
            other = moving.drawn(moving.robot.with_parameters({name: value + change}))
        except SteinerError:  # a drawing that cannot be made larger may be made smaller
            continue
        found = {}
        for a, b in zip(scene.actors, other.actors, strict=False):
            for one, two in zip(a.items, b.items, strict=False):
                if isinstance(one, Surface | Line) and points_of(one).shape == points_of(two).shape:
                    slope = (points_of(two) - points_of(one)) / change
                    if np.abs(slope).max(initial=0) > 1e-9:
                        found[id(one)] = slope
        return found
    return {}
