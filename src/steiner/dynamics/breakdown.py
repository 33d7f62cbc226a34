"""Torques split by what causes them (B6), by the link or by the part that costs them.

Efforts are linear in the masses, so every part's share is inverse dynamics of that part alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from steiner.dynamics.energy import loads_by_link
from steiner.dynamics.newton_euler import Wrenches, friction_forces, inverse_dynamics, rotor_efforts, spring_forces
from steiner.dynamics.terms import external_forces, gravity_forces, velocity_forces
from steiner.errors import ArgumentError, unknown
from steiner.inertia.moments import Moments
from steiner.model.answers import Breakdown
from steiner.model.tree import GROUND, Load, Tree
from steiner.scalar import is_number, is_zero, total

BY = ("source", "link", "element", "part", "payload")
UNACCOUNTED = 1e-9  # of a link's moments: less is round-off of its parts' sum


def torque_breakdown(
    tree: Tree, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), friction: bool = True, by: str = "source",
    base: Any = None,
) -> Breakdown:
    """τ in named shares that sum to it.

    by="source": inertial, centrifugal (q̇ⱼ²), coriolis (q̇ⱼq̇ₖ), gravity, friction, rotor, payload and
    external, and spring if there is one; the first four are the arm's own, payload is all that the payloads cost.
    by="link": every link's mass, its payloads with it; "element" and "part": what its assembly is made
    of, cavities negative, by path; "payload": every payload, the arm as "rest".  A link or payload whose name is
    that of another share, such as "friction", is "link friction".
    `base` as in `newton_euler`; among the sources it is a share of its own.
    """
    if by not in BY:
        raise ArgumentError(unknown("share", by, BY))
    springs = any(not is_zero(body.joint.stiffness) for body in tree.bodies)
    common = {
        **({"spring": spring_forces(tree, q)} if springs else {}),
        "friction": friction_forces(tree, q, qd) if friction else np.zeros(tree.n, dtype=object),
        "rotor": rotor_efforts(tree, qdd),
    }
    outside = external_forces(tree, q, external=external)
    own, payloads = _own(tree), _payloads(tree)
    if by == "source":
        arm = tree.carrying(tree.moments(own))
        carried = inverse_dynamics(tree.carrying(tree.moments(payloads)), q, qd, qdd, friction=False, base=base)
        sources = _sources(arm, q, qd, qdd) | ({} if base is None else {"base": _base(arm, q, qd, qdd, base)})
        return Breakdown({**sources, **common, "payload": carried, "external": outside})

    def effort(load: dict[int, Moments]) -> np.ndarray:
        return inverse_dynamics(tree.carrying(load), q, qd, qdd, friction=False, base=base)

    rest = {"rest": effort(tree.moments(own))} if by == "payload" else {}
    others = {**rest, **common, "external": outside}
    efforts: dict[str, np.ndarray] = {}
    for kind, name, load in _shares(tree, by):
        key = name
        while key in efforts or key in others:
            key = f"{kind} {key}"
        efforts[key] = effort(load)
    return Breakdown(efforts | others)


def _own(tree: Tree) -> list[Load]:
    return [load for load in tree.loads if load.payload is None]


def _payloads(tree: Tree) -> list[Load]:
    return [load for load in tree.loads if load.payload is not None]


def _shares(tree: Tree, by: str) -> list[tuple[str, str, dict[int, Moments]]]:
    """Kind, name and moments per body of everything that gets a share."""
    if by == "link":
        return [("link", name, load) for name, load in loads_by_link(tree).items() if GROUND not in load]
    payloads = [("payload", str(load.payload), tree.moments([load])) for load in _payloads(tree)]
    if by == "payload":
        return payloads
    shares: list[tuple[str, str, dict[int, Moments]]] = []
    for load in _own(tree):
        i, pose = tree.places[load.link]
        if i != GROUND:
            shares += [("link", path, {i: moments.moved(pose)}) for path, moments in parts_of(load, by).items()]
    return shares + payloads


def parts_of(load: Load, by: str) -> dict[str, Moments]:
    """Moments of a link's elements or parts in the link's frame, by link and path; the link itself without a drawing.

    What was weighed or measured but is in no part is "unaccounted".
    """
    whole = load.body.moments
    if load.made_of is None or not load.made_of.children:
        return {load.link: whole}
    nodes = load.made_of.nodes()
    chosen = [n for n in nodes if (n.depth == 1 if by == "element" else not hasattr(n.part, "children"))]
    found = {"/".join([load.link, *n.path.split("/")[1:]]): n.part.signed.moments.moved(n.pose) for n in chosen}
    rest = [x - total(m[k] for m in found.values()) for k, x in enumerate(whole)]
    if not _is_round_off(rest, whole):
        found[f"{load.link}/unaccounted"] = Moments(*rest)
    return found


def _is_round_off(rest: Iterable[Any], whole: Moments) -> bool:
    left, all_ = ([x for part in moments for x in np.ravel(part)] for moments in (rest, whole))
    if not all(is_number(x) for x in (*left, *all_)):
        return False
    return max(map(abs, left)) <= UNACCOUNTED * max(map(abs, all_))


def _base(arm: Tree, q: Any, qd: Any, qdd: Any, base: Any) -> np.ndarray:
    """What the motion of the base adds, its products with the joints' rates included."""
    still = arm.weightless()
    moved = inverse_dynamics(still, q, qd, qdd, friction=False, base=base)
    return moved - inverse_dynamics(still, q, qd, qdd, friction=False)


def _sources(arm: Tree, q: Any, qd: Any, qdd: Any) -> dict[str, np.ndarray]:
    n, rest, still = arm.n, [0] * arm.n, arm.weightless()
    alone = [[qd[j] if i == j else 0 for i in range(n)] for j in range(n)]
    centrifugal = total(velocity_forces(arm, q, rates) for rates in alone)  # b_ijj q̇ⱼ²
    return {
        "inertial": inverse_dynamics(still, q, rest, qdd, friction=False),
        "centrifugal": centrifugal,
        "coriolis": velocity_forces(arm, q, qd) - centrifugal,
        "gravity": gravity_forces(arm, q),
    }
