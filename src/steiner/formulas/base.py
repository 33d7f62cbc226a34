"""Base-parameter form: the fewest inertial parameters that the efforts depend on, each with a name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import sympy

from steiner.errors import SteinerError
from steiner.inertia import MassProperties
from steiner.inertia.moments import Moments
from steiner.kernels.prepare import regrouped
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.scalar import is_zero

# what can be told of a body: its mass, first moments, and second moments about its joint's frame
NAMES = {"m": "mu", "x": "hx", "y": "hy", "z": "hz", "xx": "Jxx", "zz": "Jzz", "xy": "Jxy", "xz": "Jxz", "yz": "Jyz"}


def with_base_parameters(
    tree: Tree, lift: Callable[[sympy.Symbol], Any], half: Any, wanted: Collection[Any] | None = None
) -> tuple[Tree, list[tuple[sympy.Symbol, Any]]]:
    """The tree with named base parameters in place of its inertias, and what the names stand for.

    Of a turning body Jzz is the moment about the joint's axis, Jxx the difference of the two moments across it,
    Jxy, Jxz, Jyz the products as entries of the tensor, hx, hy the first moments; a sliding body has its mass only.
    All are about the frame on the joint's axis and hold what the outboard bodies add.  `lift` makes a number of a name;
    names are given to what is not zero, or to those that are wanted.
    """
    found: list[tuple[sympy.Symbol, Any]] = []

    def named(what: str, i: int, value: Any) -> Any:
        symbol = sympy.Symbol(f"{NAMES[what]}{i + 1}")
        if is_zero(value) if wanted is None else symbol not in wanted:
            return 0
        found.append((symbol, value))
        return lift(symbol)

    bodies = []
    for i, body in enumerate(regrouped(tree).bodies):
        m, (hx, hy, hz), S = body.moments
        if not is_zero(body.joint.slide) and not is_zero(body.joint.turn):
            if wanted is not None:
                what = f"joint {body.joint.name!r} turns and slides at once"
                raise SteinerError(f"{what}; base parameters have no names there")
            bodies.append(body)  # a screw joint hides nothing
            continue
        if is_zero(body.joint.turn):
            moments = Moments(named("m", i, m), np.array([named("x", i, hx), named("y", i, hy), named("z", i, hz)]), S)
        else:
            zz, xx = named("zz", i, S[0, 0] + S[1, 1]), named("xx", i, S[1, 1] - S[0, 0])
            xy, xz, yz = (named(k, i, -v) for k, v in (("xy", S[0, 1]), ("xz", S[0, 2]), ("yz", S[1, 2])))
            second = np.array([[half * (zz - xx), -xy, -xz], [-xy, half * (zz + xx), -yz], [-xz, -yz, 0]], dtype=object)
            moments = Moments(0, np.array([named("x", i, hx), named("y", i, hy), 0]), second)
        bodies.append(dataclasses.replace(body, moments=moments))
    return tree.replace(bodies=tuple(bodies)), found


def hollow(robot: Robot) -> Robot:
    """The same joints and lengths without any mass."""
    links = tuple(dataclasses.replace(link, body=MassProperties.zero(), made_of=None) for link in robot.links)
    return robot.replace(links=links, payloads=())


def check_names(robot: Robot, taken: Collection[Any]) -> None:
    """Refuse a robot that has a parameter of the name of a base parameter."""
    clash = {f"{name}{i + 1}" for name in NAMES.values() for i in range(len(robot.bodies))} & {str(s) for s in taken}
    if clash:
        raise SteinerError(
            f"{robot.name} has a parameter named {', '.join(sorted(clash))}, which is the name of a base parameter "
            f"({', '.join(NAMES.values())}); give it another name"
        )
