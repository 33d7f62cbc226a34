"""Base-parameter form: the fewest inertial parameters that the efforts depend on, each with a name."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from steiner.errors import SteinerError
from steiner.formulas.polynomials import Ring
from steiner.inertia import Moments
from steiner.model import Robot
from steiner.regroup import regrouped
from steiner.scalar import is_zero

# what can be told of a body: its mass, first moments, and second moments about its joint's frame
NAMES = {"m": "mu", "x": "hx", "y": "hy", "z": "hz", "xx": "Jxx", "zz": "Jzz", "xy": "Jxy", "xz": "Jxz", "yz": "Jyz"}


def with_base_parameters(robot: Robot, ring: Ring, taken: set[Any]) -> tuple[Robot, list[tuple[sympy.Symbol, Any]]]:
    """The robot with named base parameters in place of its inertias, and what the names stand for.

    Of a turning body Jzz is the moment about the joint's axis, Jxx the difference of the two moments across it,
    Jxy, Jxz, Jyz the products as entries of the tensor, hx, hy the first moments; a sliding body has its mass only.
    All are about the frame on the joint's axis and hold what the outboard bodies add.
    """
    found: list[tuple[sympy.Symbol, Any]] = []

    def named(what: str, i: int, value: Any) -> Any:
        if is_zero(value) or (isinstance(value, int | float) and value == 0):
            return 0
        symbol = sympy.Symbol(f"{NAMES[what]}{i + 1}")
        if symbol in taken:
            raise SteinerError(
                f"{robot.name}: the symbol {symbol} is taken; base parameters are named {', '.join(NAMES.values())}"
            )
        found.append((symbol, value))
        return ring.lift(symbol)

    half = ring.constant(Fraction(1, 2))
    bodies = []
    for i, body in enumerate(regrouped(robot).bodies):
        m, (hx, hy, hz), S = body.moments
        if not is_zero(body.joint.slide) and not is_zero(body.joint.turn):
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
    return robot.with_bodies(bodies), found
