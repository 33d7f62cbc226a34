"""The sketch on top of a derivation: the arm as sticks and joints, its frames and coordinates by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described, several
from steiner.model.robot import Robot
from steiner.scalar import is_number
from steiner.scene.arms import of_robot, turns
from steiner.scene.paper import svg
from steiner.scene.strokes import strokes
from steiner.scene.view import View
from steiner.symbolic import evaluated

BENT = (0.6, 0.7, -0.5, 0.6, 0.5, -0.4)  # [rad] angles at which no link hides another
WIDTH, HEIGHT = 640, 380


def sketch(equations: Any, coordinates: Sequence[str] | None = None) -> str:
    """An SVG of the robot of some equations; symbols that have no value are drawn as one metre, centres halfway."""
    robot = drawable(equations.robot, equations.letters)
    screws = [screw for link in robot.links for screw in link.joint.screws() if screw.follows is None]
    reach = max((float(np.linalg.norm(link.mount.p.astype(float))) for link in robot.links), default=0.0) or 1.0
    q = np.array([BENT[k % len(BENT)] if turns(s) else 0.6 * reach for k, s in enumerate(screws)])
    labels = equations.typesetter.coordinates
    if coordinates is not None:
        labels = several("coordinates", coordinates, "names")
        if len(labels) != robot.n or not all(isinstance(label, str) for label in labels):
            raise ArgumentError(f"coordinates: expected {robot.n} names, got {described(coordinates)}")
    scene = of_robot(robot, q=q, sketch=True, labels=dict(zip(robot.joint_names, labels, strict=True)))
    view = View(width=WIDTH, height=HEIGHT)
    return svg(strokes(scene, view), view)


def drawable(robot: Robot, values: Any) -> Robot:
    """The robot with numbers for all its symbols."""

    def number(x: Any) -> float:
        if is_number(x):
            return float(x)
        given = {s: float(values[s]) if s in values else _usual(str(s)) for s in x.free_symbols}
        return float(evaluated(x, given))

    return robot.mapped(number) if robot.is_symbolic else robot


def _usual(name: str) -> float:
    return 0.5 if "c" in name.lower() else 9.81 if name == "g" else 1.0
