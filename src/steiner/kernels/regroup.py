"""Inertial parameters regrouped to base parameters, so that kernels do less.

Mass on a joint's axis moves just as the parent does; a sliding joint does not turn the body.  What a
joint cannot tell from a part of its parent is moved there (Mayeda, Khalil): torques stay the same,
numbers become zero and the tracer drops what they multiply.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from steiner.inertia.moments import Moments
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_zero
from steiner.spatial import Pose


def regrouped(tree: Tree) -> Tree:
    """The tree with equivalent bodies of fewest inertial parameters; efforts do not change."""
    moments = [body.moments for body in tree.bodies]
    for i in reversed(range(len(moments))):
        body, (m, h, S) = tree.bodies[i], moments[i]
        turn, slide = body.joint.turn, body.joint.slide
        if is_zero(slide):
            shared = Moments(m, np.array([0, 0, h[2]]), np.diag(np.array([0, 0, S[2, 2]])))
            rest = np.array([[S[0, 0], S[0, 1], S[0, 2]], [S[1, 0], S[1, 1], S[1, 2]], [S[2, 0], S[2, 1], 0 * m]])
            moments[i] = Moments(0 * m, np.array([h[0], h[1], 0 * m]), rest)
            seat = body.mount
        elif is_zero(turn):
            shared = Moments(0, np.zeros(3, dtype=int), S)
            moments[i] = Moments(m, h, np.zeros((3, 3), dtype=int))
            seat = Pose.trusted(body.mount.R, np.zeros(3, dtype=int))
        else:
            continue
        if body.parent != GROUND:
            moments[body.parent] = moments[body.parent] + shared.moved(seat)
    bodies = (dataclasses.replace(body, moments=m) for body, m in zip(tree.bodies, moments, strict=True))
    return tree.replace(bodies=tuple(bodies))
