"""Laws of what the tool does: it hangs on springs and dampers, or exerts a wrench.

Their texts are those of functions for `compile`: one kernel for states and batches of them, and simulations run them
inside the native loop.  Gains, poses and wrenches are `numbers` that the code reads, so equal laws share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from steiner import dynamics
from steiner.errors import ArgumentError
from steiner.kernels.arguments import filled, form, with_wrenches
from steiner.kernels.compile import compile as compiled
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.motion.reach import turned
from steiner.spatial import Pose, Wrench


def _on_springs(tree: Tree, link: str, q: Any, qd: Any, numbers: Any) -> Any:
    R, p, K, D, kd = np.split(numbers, [9, 12, 18, 24])
    at, J = dynamics.forward_kinematics(tree, q, link), dynamics.jacobian(tree, q, link, "aligned")
    away = np.concatenate([turned(R.reshape(3, 3) @ at.R.T), p - at.p])
    return J.T @ (K * away - D * (J @ qd)) + dynamics.static_torque(tree, q) - kd * qd


def _exerting(tree: Tree, wrench: Wrench, q: Any, qd: Any, numbers: Any) -> Any:
    values, kd = np.split(numbers, [-tree.n])
    return dynamics.static_torque(tree, q, exerted_by_robot=filled(wrench, values)) - kd * qd


@final
@dataclass(frozen=True)
class Traced:
    """The law as it is traced; alike are those of one text, tree and form."""

    text: Callable[..., Any]
    tree: Tree
    form: tuple[Any, ...]
    tool: Any = field(compare=False)
    numbers: np.ndarray = field(compare=False)

    def __call__(self, robot: Any, t: Any, q: Any, qd: Any, numbers: Any = None) -> Any:
        """τ of one state."""
        if len(q) != self.tree.n:
            raise ArgumentError(f"tau: the law is one of {self.tree.n} joints, the robot has {len(q)}")
        return self.text(self.tree, self.tool, q, qd, np.asarray(self.numbers if numbers is None else numbers))


@final
@dataclass(frozen=True, eq=False)
class AtTool:
    """A law of a text, a tool (the link's name, or a wrench on it) and numbers."""

    text: Callable[..., Any]
    model: Robot
    tool: str | Wrench
    numbers: np.ndarray

    def __call__(self, t: Any, q: Any, qd: Any) -> Any:
        """τ of one state or a batch of them."""
        return self._kernel(q, qd, self.numbers)

    @cached_property
    def _kernel(self) -> Any:
        def law(robot: Any, q: Any, qd: Any, numbers: Any) -> Any:
            return self.text(robot, self.tool, q, qd, numbers)

        return compiled(law, self.model, shapes={"numbers": self.numbers.shape[-1]})

    @cached_property
    def traced(self) -> Traced | None:
        """The same for `compile`, unless it is a batch of wrenches."""
        if self.numbers.ndim > 1:
            return None
        alike = form(self.tool) if isinstance(self.tool, Wrench) else (self.tool,)
        return Traced(self.text, self.model.tree, alike, self.tool, self.numbers)


def on_springs(robot: Robot, link: str, pose: Pose, *gains: np.ndarray) -> AtTool:
    """Stiffness, damping (6,) and joint damping (n,) about a pose."""
    R, p = (np.asarray(x, float).ravel() for x in (pose.R, pose.p))
    return AtTool(_on_springs, robot, link, np.concatenate([R, p, *gains]))


def exerting(robot: Robot, wrench: Wrench, kd: np.ndarray) -> AtTool:
    """A wrench, with joint damping."""
    values = with_wrenches({}, [wrench])["wrench0"].astype(float)
    damping = np.broadcast_to(kd, (*values.shape[:-1], robot.n))
    return AtTool(_exerting, robot, wrench, np.concatenate([values, damping], axis=-1))
