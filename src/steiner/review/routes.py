"""One result by independent routes: how far they are apart.  A new route is one function and one line in `ROUTES`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steiner import dynamics
from steiner.dynamics import algorithm
from steiner.errors import ArgumentError, SteinerError, need
from steiner.files import save
from steiner.kernels.call import Call
from steiner.kernels.compile import Compiled, algorithm_of
from steiner.model.robot import Robot
from steiner.review.compare import Comparison, compare, quietly
from steiner.review.others import PROGRAMS

FEW = 12  # states at which a text runs on plain numbers

States = tuple[np.ndarray, np.ndarray, np.ndarray]  # q, q̇, q̈ (k, n)


class Agreement(NamedTuple):
    """How far two routes to one result are apart, at worst, over all states."""

    route: str
    what: str
    difference: float  # in `unit`
    relative: float  # to the largest value
    unit: str
    states: int


def terms(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """Newton and Euler's recursion against M q̈ + C q̇ + g + springs + friction, each from an algorithm of its own."""
    turned = np.einsum("kij,kj->ki", robot.mass_matrix(q), qdd) + np.einsum(
        "kij,kj->ki", robot.coriolis_matrix(q, qd), qd
    )
    pulled = robot.gravity_forces(q) + robot.spring_forces(q)
    return robot.inverse_dynamics(q, qd, qdd), turned + pulled + robot.friction_forces(q, qd)


def back(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """The accelerations that went in against those which forward dynamics finds for the torques."""
    return robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd)), qdd


def energy(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """The power of the torques less that of friction against dE/dt, the derivative of the energies' text."""

    def total(tree: Any, q: Any, qd: Any) -> Any:
        return np.array([dynamics.kinetic_energy(tree, q, qd) + dynamics.potential_energy(tree, q)])

    _, by_q, by_qd = Compiled(robot, algorithm_of(total), derivatives=("q", "qd"), backend="numpy")(q, qd)
    rate = np.einsum("kij,kj->ki", by_q, qd) + np.einsum("kij,kj->ki", by_qd, qdd)
    return ((robot.inverse_dynamics(q, qd, qdd, friction=False)) * qd).sum(axis=-1, keepdims=True), rate


def shares(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """The torques against the sum of what every part, payload, rotor, spring and friction costs."""
    split = Call(robot, algorithm("torque_breakdown"), backend="numpy")(q, qd, qdd, by="part")
    return robot.inverse_dynamics(q, qd, qdd), split.total


def reference(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """The compiled kernel against the reference evaluator of its tape."""
    return robot.inverse_dynamics(q, qd, qdd), Call(robot, algorithm("inverse_dynamics"), backend="numpy")(q, qd, qdd)


def text(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """The compiled kernel against the text of the algorithm on plain numbers."""
    few = np.unique(np.linspace(0, len(q) - 1, FEW).astype(int))
    states = q[few], qd[few], qdd[few]
    plain = [dynamics.inverse_dynamics(robot, *state).astype(float) for state in zip(*states, strict=True)]
    return robot.inverse_dynamics(*states), np.array(plain)


ROUTES: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    "terms": ("N m, N", terms),
    "back": ("rad/s², m/s²", back),
    "energy": ("W", energy),
    "parts": ("N m, N", shares),
    "reference": ("N m, N", reference),
    "text": ("N m, N", text),
}


def agreement(robot: Robot, route: str, states: States) -> Agreement:
    """How far two routes are apart at these states."""
    if need("agreement", robot, Robot).is_symbolic or not robot.n:
        raise ArgumentError(f"{robot.name} has symbols, or no moving joint: there is nothing to compare")
    unit, both = ROUTES[route]
    one, other = both(robot, *states)
    apart, size = float(np.abs(one - other).max()), float(np.abs(one).max())
    what = " ".join((both.__doc__ or "").split())
    return Agreement(route, what, apart, apart / size if size else apart, unit, len(one))


def opinions(robot: Robot, poses: int = 100) -> Iterator[tuple[str, Comparison | str]]:
    """What every other program that is installed finds for the same arm, handed over as a URDF; or why it does not."""
    with tempfile.TemporaryDirectory(prefix="steiner-") as folder:
        path = Path(folder) / "arm.urdf"
        try:
            quietly(save, robot, path)
        except SteinerError as error:
            yield from ((program, f"the arm cannot be handed over as a URDF: {error}") for program in PROGRAMS)
            return
        for program in PROGRAMS:
            try:
                yield program, quietly(compare, path, against=program, poses=poses)
            except SteinerError as error:
                yield program, str(error).replace(str(path), "the URDF")
