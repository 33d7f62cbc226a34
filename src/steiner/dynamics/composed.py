"""Long chains: results whose size grows with the cube of the joints, composed of smaller kernels.

A tape of Christoffel symbols for a hundred joints would have millions of rows.  These compositions call methods of
the robot; they use that C(q, q̇) = Σ_k b_k q̇_k is linear in the rates, and that derivatives of forward dynamics are
M⁻¹ times those of inverse dynamics.
"""

from __future__ import annotations

import numpy as np

from steiner.dynamics.coriolis import split
from steiner.model.answers import VelocityTerms
from steiner.model.robot import Robot


def christoffel(robot: Robot, q: np.ndarray) -> np.ndarray:
    """b[…, i, j, k] = C_ij(q, e_k)."""
    C = robot.coriolis_matrix(q[..., None, :], np.eye(q.shape[-1], dtype=q.dtype))
    return np.moveaxis(C, -3, -1)


def centrifugal_coriolis(robot: Robot, q: np.ndarray) -> VelocityTerms:
    """The split of the Christoffel symbols."""
    return split(christoffel(robot, q), robot.joint_names)


def forward_dynamics_derivatives(
    robot: Robot, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, *, friction: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """−M⁻¹ ∂τ/∂q, −M⁻¹ ∂τ/∂q̇, M⁻¹ at the accelerations that τ gives."""
    qdd = robot.forward_dynamics(q, qd, tau, friction=friction)
    dq, dqd, M = robot.inverse_dynamics_derivatives(q, qd, qdd, friction=friction)
    inverse = np.linalg.inv(M)
    return -inverse @ dq, -inverse @ dqd, inverse
