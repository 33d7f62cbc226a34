"""Torques split by what causes them (B6), by the link or by the part that costs them.

Efforts are linear in the masses, so every part's share is inverse dynamics of that part alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from steiner.dynamics.energy import loads_by_link
from steiner.dynamics.newton_euler import Wrenches, friction_forces, inverse_dynamics, rotor_efforts
from steiner.dynamics.terms import MASSLESS, external_forces, gravity_forces, velocity_forces, weightless, with_moments
from steiner.errors import ArgumentError, unknown
from steiner.inertia import Moments
from steiner.model import GROUND, Robot
from steiner.scalar import is_number, total
from steiner.tables import html_table, shown, text_table

BY = ("source", "link", "element", "part", "payload")
UNACCOUNTED = 1e-9  # of a link's moments: less is round-off of its parts' sum


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
    by="link": every link's mass, its payloads with it; "element" and "part": what its assembly is made
    of, cavities negative, by path; "payload": every payload, the arm as "rest".
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
    efforts = {
        name: inverse_dynamics(with_moments(robot, load), q, qd, qdd, friction=False)
        for name, load in _shares(robot, by).items()
    }
    return Breakdown({**efforts, **common, "external": outside})


def _shares(robot: Robot, by: str) -> dict[str, dict[int, Moments]]:
    """Moments per body of everything that gets a share, by name."""
    if by == "link":
        return {name: load for name, load in loads_by_link(robot).items() if GROUND not in load}
    payloads = {p.name: _payloads(robot, p.name) for p in robot.payloads}
    if by == "payload":
        return {**payloads, "rest": robot.lumped()}
    shares: dict[str, dict[int, Moments]] = {}
    for link in robot.links:
        i, pose = robot.places[link.name]
        if i != GROUND:
            parts = parts_of(robot, link.name, by)
            shares |= {path: {i: moments.moved(pose)} for path, moments in parts.items()}
    return shares | payloads


def parts_of(robot: Robot, name: str, by: str) -> dict[str, Moments]:
    """Moments of a link's elements or parts in the link's frame, by path; the link itself if it has none.

    Assemblies are found in `robot.provenance["assemblies"]`, by link.  What was weighed or measured
    but is in no part is "unaccounted".
    """
    whole = robot.link(name).body.moments
    assembly = robot.provenance.get("assemblies", {}).get(name)
    if assembly is None:
        return {name: whole}
    nodes = [n for n in assembly.nodes() if (n.depth == 1 if by == "element" else not hasattr(n.part, "children"))]
    found = {n.path: n.part.signed.moments.moved(n.pose) for n in nodes}
    rest = [x - total(m[k] for m in found.values()) for k, x in enumerate(whole)]
    if not _is_round_off(rest, whole):
        found[f"{name}/unaccounted"] = Moments(*rest)
    return found


def _is_round_off(rest: Iterable[Any], whole: Moments) -> bool:
    left, all_ = ([x for part in moments for x in np.ravel(part)] for moments in (rest, whole))
    if not all(is_number(x) for x in (*left, *all_)):
        return False
    return max(map(abs, left)) <= UNACCOUNTED * max(map(abs, all_))


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
