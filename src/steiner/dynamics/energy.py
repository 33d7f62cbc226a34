"""Energies, momentum and the centre of mass.

All links count, the fixed base and payloads too; kinetic energy includes the reflected rotor
inertias, potential energy the springs of the joints.  That of gravity is zero at the world's origin.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from steiner.dynamics.kinematics import Screw, poses_in_parent, poses_in_world, screws, stretch
from steiner.errors import ArgumentError, ModelError, unknown
from steiner.inertia.moments import Moments
from steiner.inertia.properties import tensor_of
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_zero, total
from steiner.spatial import ZERO, Pose, cross

Velocity = tuple[np.ndarray, np.ndarray]


def velocities(tree: Tree, T: list[Pose], joints: list[Screw]) -> list[Velocity]:
    """Angular velocity and velocity of the origin of every body, along its own axes."""
    result: list[Velocity] = []
    for i, body in enumerate(tree.bodies):
        w, v = (ZERO, ZERO) if body.parent == GROUND else result[body.parent]
        Rt, j = T[i].R.T, joints[i]
        v, w = Rt @ (v + cross(w, body.mount.p)), Rt @ w
        v = v + cross(w, j.up) + [0, 0, j.slide * j.rate]
        result.append((w + [0, 0, j.turn * j.rate], v))
    return result


def momenta(moments: Moments, velocity: Velocity) -> tuple[np.ndarray, np.ndarray]:
    """Angular momentum about the origin and linear momentum of a rigid body."""
    (m, h, S), (w, v) = moments, velocity
    return tensor_of(S) @ w + cross(h, v), m * v + cross(w, h)


def _kinetic(moments: Moments, velocity: Velocity) -> Any:
    angular, linear = momenta(moments, velocity)
    return (velocity[0] @ angular + velocity[1] @ linear) / 2


def loads_by_link(tree: Tree) -> dict[str, dict[int, Moments]]:
    """Per link, with the payloads it carries: its moments and the body they belong to."""
    result: dict[str, dict[int, Moments]] = {}
    for load in tree.loads:
        i, pose = tree.places[load.link]
        moments = load.body.moments.moved(pose @ load.pose)
        found = result.setdefault(load.link, {})
        found[i] = found[i] + moments if i in found else moments
    return result


@overload
def kinetic_energy(tree: Tree, q: Any, qd: Any, per_link: Literal[False] = False) -> np.ndarray: ...
@overload
def kinetic_energy(tree: Tree, q: Any, qd: Any, per_link: Literal[True]) -> dict[str, np.ndarray]: ...
def kinetic_energy(tree: Tree, q: Any, qd: Any, per_link: bool = False) -> Any:
    """K = ½ q̇ᵀ M q̇ as the sum of ½ m v_C² + ½ ωᵀ I_C ω over the bodies, and of the rotors; J.

    With per_link, by link name: a payload counts with the link that carries it, a rotor with the
    link that it moves.
    """
    joints = screws(tree, q, qd)
    motion = velocities(tree, poses_in_parent(tree, joints), joints)
    rotors = [b.joint.armature * (j.rate * j.rate) / 2 for b, j in zip(tree.bodies, joints, strict=True)]
    if not per_link:
        return total(_kinetic(b.moments, v) + r for b, v, r in zip(tree.bodies, motion, rotors, strict=True))
    turning = _by_moved_link(tree, rotors)
    return {
        name: total(_kinetic(m, motion[i]) for i, m in load.items() if i != GROUND) + turning.get(name, 0)
        for name, load in loads_by_link(tree).items()
    }


def _by_moved_link(tree: Tree, energies: list[Any]) -> dict[str, Any]:
    """Energies of joints, each with the link that its joint moves."""
    result: dict[str, Any] = {}
    waiting: Any = 0  # of screws that no link is fixed to: theirs is the link that the joint moves
    for body, energy in zip(tree.bodies, energies, strict=True):
        waiting = waiting + energy
        if not body.between:
            result[body.name], waiting = waiting, 0
    return result


def spring_energies(tree: Tree, q: Any) -> list[Any]:
    """½ k (x − rest)² of every body's joint."""
    stretched = ((body.joint.stiffness, stretch(body.joint, q[body.index])) for body in tree.bodies)
    return [0 if is_zero(k) else k * (x * x) / 2 for k, x in stretched]


def _placed(tree: Tree, q: Any) -> dict[int, Pose]:
    T = poses_in_world(tree, poses_in_parent(tree, screws(tree, q)))
    return {GROUND: Pose.identity(), **dict(enumerate(T))}


def _first_moment(moments: Moments, pose: Pose) -> np.ndarray:
    """∫ r dm in the world; zeros are not multiplied with where the body is."""
    m, h, _ = moments
    return pose.R @ h + m * pose.p


@overload
def potential_energy(tree: Tree, q: Any, per_link: Literal[False] = False) -> np.ndarray: ...
@overload
def potential_energy(tree: Tree, q: Any, per_link: Literal[True]) -> dict[str, np.ndarray]: ...
def potential_energy(tree: Tree, q: Any, per_link: bool = False) -> Any:
    """P = −Σ m g·p_C over all links and payloads, zero at the world's origin, and ½ k (x − rest)² of springs; J.

    With per_link, by link name: a spring counts with the link that its joint moves.
    """
    at = _placed(tree, q)
    height = {
        name: -(tree.gravity @ total(_first_moment(m, at[i]) for i, m in load.items()))
        for name, load in loads_by_link(tree).items()
    }
    springs = spring_energies(tree, q)
    if not per_link:
        return total((*height.values(), *springs))
    pulled = _by_moved_link(tree, springs)
    return {name: energy + pulled.get(name, 0) for name, energy in height.items()}


def center_of_mass(tree: Tree, q: Any) -> np.ndarray:
    """Centre of mass of everything, base and payloads included, in the world; m."""
    mass = total(load.body.mass for load in tree.loads)
    if is_zero(mass):
        raise ModelError(f"{tree.name} has no mass, so it has no centre of mass")
    at = _placed(tree, q)
    return total(_first_moment(m, at[i]) for i, m in tree.moments(tree.loads).items()) / mass


ABOUT = ("origin", "com")


def momentum(tree: Tree, q: Any, qd: Any, about: str = "origin") -> np.ndarray:
    """Angular momentum about the world's origin (or the centre of mass) and linear momentum, world axes: 6 numbers.

    Reflected rotor inertias are left out: they have no axis in space.
    """
    if about not in ABOUT:
        raise ArgumentError(unknown("point", about, ABOUT))
    joints = screws(tree, q, qd)
    T = poses_in_parent(tree, joints)
    angular, linear = ZERO, ZERO
    motion = velocities(tree, T, joints)
    for body, velocity, pose in zip(tree.bodies, motion, poses_in_world(tree, T), strict=True):
        n, f = momenta(body.moments, velocity)
        f = pose.R @ f
        angular, linear = angular + pose.R @ n + cross(pose.p, f), linear + f
    if about == "com":
        angular = angular - cross(center_of_mass(tree, q), linear)
    return np.concatenate([angular, linear])
