"""Random robots that hide no term.

Trees branch; joints turn, slide and screw about oblique axes, some in several ways, with multipliers and offsets;
tensors are full; fixed links carry mass; frames lie off their joints; rotors, springs, friction and payloads are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import steiner as st
from steiner.model.joint_types import Composite, Cylindrical, Planar, Several, Spherical, Universal
from steiner.model.joints import Fixed, Helical, Joint, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.spatial import Pose

SINGLE = (Revolute, Prismatic, Helical)  # one degree of freedom
EVERY = (*SINGLE, *SINGLE, Universal, Cylindrical, Planar, Spherical, Composite)


def random_pose(rng: np.random.Generator, size: float = 0.3) -> Pose:
    return Pose.from_rpy(rng.normal(size=3) * size, rng.uniform(-3, 3, 3))


def random_body(rng: np.random.Generator) -> st.MassProperties:
    root = rng.normal(size=(3, 3)) * 0.15
    second = root @ root.T + np.eye(3) * 1e-3
    return st.MassProperties(rng.uniform(0.5, 3), rng.normal(size=3) * 0.1, np.eye(3) * np.trace(second) - second)


def random_friction(rng: np.random.Generator) -> Any:
    return st.Viscous(rng.uniform(0, 1)) + st.Coulomb(rng.uniform(0, 1), rng.uniform(0, 1), 0.2)


def random_robot(
    seed: int,
    n: int = 5,
    *,
    kinds: tuple[type[Joint], ...] = SINGLE,
    chain: bool = False,
    friction: bool = False,
    rotors: bool = True,
    springs: bool = False,
    fixed: int = 2,
    coupled: bool = False,
    payloads: int = 1,
    plain_axes: bool = False,
) -> Robot:
    """n moving joints and some fixed links, in random order."""
    rng, wound = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    order = [*([True] * n), *([False] * fixed)]
    rng.shuffle(order)
    links = [Link("base", body=random_body(rng))]
    leader = None
    for i, moves in enumerate(order):
        kind = kinds[rng.integers(len(kinds))] if moves else Fixed
        options: dict[str, Any] = {"name": f"j{i}"}
        if moves:
            options["axis"] = np.eye(3)[rng.integers(3)] if plain_axes else rng.normal(size=3)
            degrees = kind.DEGREES if issubclass(kind, Several) else ()
            rotor = [rng.uniform(0, 0.5) if rotors else 0.0 for _ in degrees or [0]]
            options["armature"] = dict(zip(degrees, rotor, strict=True)) if degrees else rotor[0]
            if springs:  # some joints have none
                k, rest = wound.uniform(-5, 20, len(rotor)).clip(0), wound.normal(size=len(rotor))
                options |= {"stiffness": dict(zip(degrees, k, strict=True)) if degrees else k[0]}
                options |= {"rest": dict(zip(degrees, rest, strict=True)) if degrees else rest[0]}
            options["friction"] = random_friction(rng) if friction else None
            options |= {"pitch": rng.uniform(-0.2, 0.2)} if kind is Helical else {}
            if kind is Composite:
                other = options | {"name": f"j{i}b", "axis": rng.normal(size=3)}
                options = {"name": f"j{i}", "joints": (Prismatic(**options | {"name": f"j{i}a"}), Revolute(**other))}
            elif degrees:
                pass
            elif coupled and leader is not None:
                options |= {"follows": leader, "multiplier": rng.uniform(0.5, 2), "offset": rng.normal()}
                coupled = False
            elif coupled and leader is None:
                leader = f"j{i}"
        parent = links[-1 if chain else rng.integers(max(0, len(links) - 3), len(links))].name
        links.append(Link(f"k{i}", parent, kind(**options), random_pose(rng), random_body(rng), random_pose(rng, 0.1)))
    robot = Robot(f"tree{seed}", tuple(links), gravity=rng.normal(size=3) * 5)
    for k in range(payloads):
        carrier = links[rng.integers(1, len(links))].name
        robot = robot.with_payload(random_body(rng), link=carrier, pose=random_pose(rng), name=f"load{k}")
    return robot


def random_state(robot: Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd (or tau)."""
    q, qd, qdd = np.random.default_rng(seed + 1).uniform(-2, 2, (3, robot.n))
    return q, qd, qdd
