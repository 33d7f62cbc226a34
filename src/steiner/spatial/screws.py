"""Twists and wrenches carried between frames, the Lie bracket, and motion along screws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steiner.errors import GeometryError, described
from steiner.scalar import is_number, is_zero, sin, sqrt
from steiner.spatial.poses import Pose
from steiner.spatial.vectors import cross, dot, quaternion, skew
from steiner.spatial.wrenches import six


def _pose(T: Any, what: str) -> Pose:
    if not isinstance(T, Pose):
        raise GeometryError(f"{what}: expected a Pose, got {described(T)}; Pose.from_matrix takes a 4×4 matrix")
    return T


def Ad(T: Pose) -> np.ndarray:
    """[Ad_T]: carries a twist from the child frame to the parent frame."""
    T = _pose(T, "Ad")
    out = np.zeros((6, 6), dtype=np.result_type(T.R.dtype, T.p.dtype))
    out[:3, :3] = out[3:, 3:] = T.R
    out[3:, :3] = skew(T.p) @ T.R
    return out


def ad(V: Any) -> np.ndarray:
    """[ad_V], the Lie bracket: ad_V W = [V, W]."""
    V = six(V)
    out = np.zeros((6, 6), dtype=V.dtype)
    out[:3, :3] = out[3:, 3:] = skew(V[:3])
    out[3:, :3] = skew(V[3:])
    return out


def twist_to_parent(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the parent frame: V_a = [Ad_T] V_b."""
    V = six(V)
    angular = T.R @ V[:3]
    return np.concatenate([angular, T.R @ V[3:] + cross(T.p, angular)])


def twist_to_child(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the child frame."""
    V = six(V)
    return np.concatenate([T.R.T @ V[:3], T.R.T @ (V[3:] - cross(T.p, V[:3]))])


def wrench_to_parent(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the parent frame (power does not change)."""
    F = six(F)
    force = T.R @ F[3:]
    return np.concatenate([T.R @ F[:3] + cross(T.p, force), force])


def wrench_to_child(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the child frame: F_b = [Ad_T]ᵀ F_a."""
    F = six(F)
    return np.concatenate([T.R.T @ (F[:3] - cross(T.p, F[3:])), T.R.T @ F[3:]])


def exp(S: Any, angle: Any = 1) -> Pose:
    """exp([S] θ): the pose after moving along the screw S = (ω, v) by θ; ω need not be a unit vector."""
    S = six(S)
    w, v = S[:3], S[3:]
    square = dot(w, w)
    if is_zero(square):
        return Pose.trusted(np.eye(3), v * angle)
    rate = sqrt(square)
    turn = rate * angle
    half = sin(turn / 2)
    a, b = sin(turn) / rate, 2 * half * half / square
    c = _turn_minus_sine(turn) / (square * rate)
    W = skew(w)
    W2 = W @ W
    eye = np.eye(3, dtype=int)
    return Pose.trusted(eye + a * W + b * W2, (eye * angle + b * W + c * W2) @ v)


def _turn_minus_sine(x: Any) -> Any:
    """x − sin x, without cancellation for small numbers."""
    if is_number(x) and abs(x) < 0.1:
        x2 = x * x
        return x * x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72)))
    return x - sin(x)


def log(T: Pose) -> np.ndarray:
    """The 6-vector S θ with exp(S θ) = T, rotation angle in [0, π] (numbers only)."""
    T = _pose(T, "log")
    R, p = T.R.astype(float), T.p.astype(float)
    (x, y, z), cosine = quaternion(R)  # of half the angle: neither 0 nor π is a special case
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2 * math.atan2(sine, cosine)
    w = np.array([x, y, z]) * (angle / sine if sine else 2.0)
    W, t2 = skew(w), float(w @ w)
    if t2 < 1e-4:
        k = 1 / 12 + t2 / 720 + t2 * t2 / 30240
    else:
        t = math.sqrt(t2)
        k = (1 - t / 2 / math.tan(t / 2)) / t2
    return np.concatenate([w, (np.eye(3) - W / 2 + k * W @ W) @ p])
