"""Torques split by what causes them (B6), by the link or by the part that costs them.

Efforts are linear in the masses, so every part's share is inverse dynamics of that part alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from steiner.dynamics.energy import loads_by_link
from steiner.dynamics.newton_euler import Wrenches, friction_forces, inverse_dynamics, rotor_efforts
from steiner.dynamics.terms import MASSLESS, external_forces, gravity_forces, velocity_forces, weightless, with_moments
from steiner.errors import ArgumentError, unknown
from steiner.inertia import MassProperties, Moments
from steiner.model import GROUND, Robot
from steiner.scalar import total
from steiner.spatial import Pose
from steiner.tables import html_table, shown, text_table

BY = ("source", "link", "payload")


class Breakdown(dict[str, np.ndarray]):
    """Shares of the joint efforts by name; they sum to τ."""

    @property
    def total(self) -> np.ndarray:
        """τ, the sum of all shares."""
        return total(self.values())

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        n = np.shape(next(iter(self.values())))
        if len(n) != 1:
            return ["batch"], [[f"of shape {n[:-1]}; index the arrays"]]
        rows = [[name, *(shown(x) for x in share)] for name, share in {**self, "total": self.total}.items()]
        return ["share", *(f"τ{k + 1}" for k in range(n[0]))], rows

    def table(self) -> str:
        """The shares as text, N m or N."""
        return text_table(*self._rows())

    def _repr_html_(self) -> str:
        return html_table(*self._rows(), caption="Joint efforts by share (N m, N)")


def torque_breakdown(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), friction: bool = True, by: str = "source"
) -> Breakdown:
    """τ in named shares that sum to it.

    by="source": inertial, centrifugal (q̇ⱼ²), coriolis (q̇ⱼq̇ₖ), gravity, friction, rotor, payload and
    external; the first four are those of the arm itself, payload is all that the payloads cost.
    by="link": every link's mass (its payloads with it); by="payload": every payload.  What is not
    asked for stays together as "rest".
    """
    if by not in BY:
        raise ArgumentError(unknown("share", by, BY))
    common = {
        "friction": friction_forces(robot, q, qd) if friction else np.zeros(robot.n, dtype=object),
        "rotor": rotor_efforts(robot, qdd),
    }
    outside = external_forces(robot, q, external=external)
    if by == "source":
        arm = with_moments(robot, robot.lumped())
        loads = with_moments(robot, _payloads(robot, None))
        carried = inverse_dynamics(loads, q, qd, qdd, friction=False)
        return Breakdown({**_sources(arm, q, qd, qdd), **common, "payload": carried, "external": outside})
    if by == "link":
        shares = {name: load for name, load in loads_by_link(robot).items() if GROUND not in load}
        rest: dict[str, Any] = {}
    else:
        shares = {p.name: _payloads(robot, p.name) for p in robot.payloads}
        rest = {"rest": inverse_dynamics(with_moments(robot, robot.lumped()), q, qd, qdd, friction=False)}
    efforts = {
        name: inverse_dynamics(with_moments(robot, load), q, qd, qdd, friction=False) for name, load in shares.items()
    }
    return Breakdown({**efforts, **rest, **common, "external": outside})


def _payloads(robot: Robot, name: str | None) -> dict[int, Moments]:
    """Moments of the payload of that name, or of all, by body."""
    result: dict[int, Moments] = {}
    for p in robot.payloads:
        if name in (None, p.name):
            i, pose = robot.places[p.link]
            result[i] = result.get(i, MASSLESS) + p.body.moments.moved(pose @ p.pose)
    return result


def _sources(arm: Robot, q: Any, qd: Any, qdd: Any) -> dict[str, np.ndarray]:
    n, rest, still = arm.n, [0] * arm.n, weightless(arm)
    alone = [[qd[j] if i == j else 0 for i in range(n)] for j in range(n)]
    centrifugal = total(velocity_forces(arm, q, rates) for rates in alone)  # b_ijj q̇ⱼ²
    return {
        "inertial": inverse_dynamics(still, q, rest, qdd, friction=False),
        "centrifugal": centrifugal,
        "coriolis": velocity_forces(arm, q, qd) - centrifugal,
        "gravity": gravity_forces(arm, q),
    }


def torque_of_parts(
    robot: Robot, parts: Mapping[str, tuple[MassProperties, str, Pose]], q: Any, qd: Any, qdd: Any
) -> Breakdown:
    """What each part costs: efforts of every (body, link, pose in the link) as if it were the only mass.

    The parts of a link, weighed together, give the link's share; so do elements and their parts.
    """
    shares = {}
    for name, (body, link, pose) in parts.items():
        i, at = robot.place(link)
        load = {} if i == GROUND else {i: body.moments.moved(at @ pose)}
        shares[name] = inverse_dynamics(with_moments(robot, load), q, qd, qdd, friction=False)
    return Breakdown(shares)
