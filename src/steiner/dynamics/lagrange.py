"""Lagrange's route, independent of the recursions: everything from the Jacobians of the centres of mass.

M = Σ m Jvᵀ Jv + Jωᵀ I_C Jω with Jv = ∂p_C/∂q and Jω = [ε̄₁z₀ ε̄₂z₁ …], V from ∂M/∂q, G = −Σ Jvᵀ m g.
Vectors are along the world's axes, as on paper (so what is small of a tensor is rounded beside what is large of it: a
needle's moment about its own axis keeps its digits in the recursions); links are taken as declared, none is lumped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.kinematics import Screw, chain, poses_in_parent, poses_in_world, screws
from steiner.dynamics.newton_euler import friction_forces, spring_forces
from steiner.model.tree import GROUND, Tree
from steiner.spatial import ZERO, Pose, cross, skew


class Ray(NamedTuple):
    """A joint in the world: its axis, a point on it, how it turns and slides per unit of its coordinate."""

    z: np.ndarray
    o: np.ndarray
    turn: Any
    slide: Any
    column: int


class Solid(NamedTuple):
    """A link or payload in the world: mass, centre, central tensor, and the joints that carry it."""

    m: Any
    c: np.ndarray
    I: np.ndarray
    rays: list[Ray]


def solids(tree: Tree, q: Any) -> list[Solid]:
    """All links and payloads that move, where they are at q."""
    joints = screws(tree, q)
    world = poses_in_world(tree, poses_in_parent(tree, joints))
    return solids_at(tree, world, rays_at(tree, world, joints))


def rays_at(tree: Tree, world: list[Pose], joints: list[Screw]) -> list[Ray]:
    """The joints of all bodies, whose poses in the world are known."""
    return [
        Ray(T.R[:, 2], T.p, body.joint.multiplier * j.turn, body.joint.multiplier * j.slide, body.index)
        for T, body, j in zip(world, tree.bodies, joints, strict=True)
    ]


def solids_at(tree: Tree, world: list[Pose], rays: list[Ray]) -> list[Solid]:
    """All links and payloads that move, on bodies whose poses in the world are known."""
    result = []
    for load in tree.loads:
        (i, place), body = tree.places[load.link], load.body
        if i != GROUND:
            at = world[i] @ place @ load.pose
            I = at.R @ body.inertia @ at.R.T
            result.append(Solid(body.mass, at.apply(body.com), I, [rays[k] for k in chain(tree, i)]))
    return result


Column = tuple[np.ndarray, np.ndarray]


def columns(solid: Solid) -> list[Column]:
    """(Jω, Jv) of the centre of mass, one pair per joint that carries the body (E2)."""
    return [(r.turn * r.z, r.turn * cross(r.z, solid.c - r.o) + r.slide * r.z) for r in solid.rays]


def mass_matrix_by_jacobians(tree: Tree, q: Any) -> np.ndarray:
    """M = Σ m Jvᵀ Jv + Jωᵀ I_C Jω, and the rotors on the diagonal."""
    found = solids(tree, q)
    return mass_matrix_of(tree, found, [columns(solid) for solid in found])


def mass_matrix_of(tree: Tree, found: list[Solid], jacobians: list[list[Column]]) -> np.ndarray:
    """M of solids whose Jacobians are known."""
    M = np.zeros((tree.n, tree.n), dtype=object)
    for solid, J in zip(found, jacobians, strict=True):
        for a, (wa, va) in zip(solid.rays, J, strict=True):
            for b, (wb, vb) in zip(solid.rays, J, strict=True):
                M[a.column, b.column] = M[a.column, b.column] + solid.m * (va @ vb) + wa @ solid.I @ wb
    for body in tree.bodies:
        rotor = body.joint.multiplier * body.joint.multiplier * body.joint.armature
        M[body.index, body.index] = M[body.index, body.index] + rotor
    return M


def mass_matrix_slopes(tree: Tree, q: Any) -> np.ndarray:
    """m_ijk = ∂m_ij/∂q_k, by differentiating the Jacobians (E4)."""
    slopes = np.zeros((tree.n,) * 3, dtype=object)
    for solid in solids(tree, q):
        J = columns(solid)
        for k, ray in enumerate(solid.rays):
            dI = ray.turn * (skew(ray.z) @ solid.I - solid.I @ skew(ray.z))
            dJ = [_column_slope(solid.rays, J, i, k) for i in range(len(J))]
            for a, ((wa, va), (dwa, dva)) in enumerate(zip(J, dJ, strict=True)):
                for b, ((wb, vb), (dwb, dvb)) in enumerate(zip(J, dJ, strict=True)):
                    rate = solid.m * (dva @ vb + va @ dvb)
                    rate = rate + dwa @ solid.I @ wb + wa @ dI @ wb + wa @ solid.I @ dwb
                    at = (solid.rays[a].column, solid.rays[b].column, ray.column)
                    slopes[at] = slopes[at] + rate
    return slopes


def _column_slope(rays: list[Ray], J: list[Any], i: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """∂/∂q_k of column i: an inboard joint turns it; an outboard one moves the centre about axis i."""
    if k < i:
        return rays[k].turn * cross(rays[k].z, J[i][0]), rays[k].turn * cross(rays[k].z, J[i][1])
    return 0 * J[i][0], rays[i].turn * cross(rays[i].z, J[k][1])


def christoffel_by_jacobians(tree: Tree, q: Any) -> np.ndarray:
    """b_ijk = ½(m_ijk + m_ikj − m_jki) from the slopes of M."""
    m = mass_matrix_slopes(tree, q)
    return (m + m.transpose(0, 2, 1) - m.transpose(2, 0, 1)) / 2


def gravity_by_jacobians(tree: Tree, q: Any) -> np.ndarray:
    """G = −Σ Jvᵀ m g (E5)."""
    found = solids(tree, q)
    return gravity_of(tree, found, [columns(solid) for solid in found])


def gravity_of(tree: Tree, found: list[Solid], jacobians: list[list[Column]]) -> np.ndarray:
    """G of solids whose Jacobians are known."""
    G = np.zeros(tree.n, dtype=object)
    for solid, J in zip(found, jacobians, strict=True):
        for ray, (_, v) in zip(solid.rays, J, strict=True):
            G[ray.column] = G[ray.column] - solid.m * (v @ tree.gravity)
    return G


def drift(w: np.ndarray, column: Column, rate: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ω behind a joint that turns its carrier's ω by its rate, and the joint's shares of J̇ω q̇ and J̇v q̇.

    Inboard joints turn a column as a whole, the joint itself and outboard ones move the centre about its axis; summed
    over all of them, J̇ω q̇ = Σ ω_{k−1} × Jω_k q̇_k and J̇v q̇ = Σ (ω_{k−1} + ω_k) × Jv_k q̇_k.
    """
    turning, moving = column
    behind = w + turning * rate
    return behind, cross(w, turning) * rate, cross(w + behind, moving) * rate


def whirled(solid: Solid, w: np.ndarray, dw: np.ndarray) -> np.ndarray:
    """I J̇ω q̇ + ω × I ω: the moment that turning costs without q̈."""
    return solid.I @ dw + cross(w, solid.I @ w)


def velocity_forces_of(
    tree: Tree, found: list[Solid], jacobians: list[list[Column]], costs: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """V = Σ Jvᵀ m J̇v q̇ + Jωᵀ (I J̇ω q̇ + ω × I ω), given what each solid costs: that moment, and J̇v q̇."""
    V = np.zeros(tree.n, dtype=object)
    for solid, J, (moment, slip) in zip(found, jacobians, costs, strict=True):
        for ray, (turning, moving) in zip(solid.rays, J, strict=True):
            V[ray.column] = V[ray.column] + solid.m * (moving @ slip) + turning @ moment
    return V


def velocity_forces_by_jacobians(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """V = Ṁ q̇ − ½ [q̇ᵀ (∂M/∂qᵢ) q̇] without the slopes of M: Lagrange's central equation, body by body."""
    found = solids(tree, q)
    jacobians = [columns(solid) for solid in found]
    costs = []
    for solid, J in zip(found, jacobians, strict=True):
        w = dw = slip = ZERO
        for ray, column in zip(solid.rays, J, strict=True):
            w, turned, moved = drift(w, column, qd[ray.column])
            dw, slip = dw + turned, slip + moved
        costs.append((whirled(solid, w, dw), slip))
    return velocity_forces_of(tree, found, jacobians, costs)


def lagrange_dynamics(tree: Tree, q: Any, qd: Any, qdd: Any, *, friction: bool = True) -> np.ndarray:
    """d/dt ∂L/∂q̇ − ∂L/∂q = M q̈ + Ṁ q̇ − ½ [q̇ᵀ (∂M/∂q_i) q̇] + G + springs, and friction."""
    qd, qdd = np.asarray(qd), np.asarray(qdd)
    m = mass_matrix_slopes(tree, q)
    rate = sum((m[:, :, k] * qd[k] for k in range(tree.n)), start=0 * m[:, :, 0])
    centrifugal = np.array([qd @ m[:, :, i] @ qd for i in range(tree.n)])
    tau = mass_matrix_by_jacobians(tree, q) @ qdd + rate @ qd - centrifugal / 2 + gravity_by_jacobians(tree, q)
    tau = tau + spring_forces(tree, q)
    return tau + friction_forces(tree, q, qd) if friction else tau
