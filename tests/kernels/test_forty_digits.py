"""Kernels beside the same text on numbers of forty digits: what is lost is round-off, in long chains too."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import steiner as st
from bench.robots import chain, general, panda

ROBOTS = {
    "panda": panda, "chain30": lambda: chain(30), "chain100": lambda: chain(100), "general30": lambda: general(30),
}  # fmt: skip
STATES = 64  # a batch; three of them are compared


def precise(x: object) -> sp.Expr:
    """The same number with forty digits; whole ones are exact."""
    value = float(x)  # type: ignore[arg-type]
    return sp.Integer(int(value)) if value.is_integer() else sp.Float(value, 40)


def many(values: np.ndarray) -> np.ndarray:
    return np.array([precise(x) for x in values], dtype=object)


@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("name", ROBOTS)
def test_a_kernel_is_within_1e_13_of_forty_digits(name, method):
    robot = ROBOTS[name]()
    exact = st.Robot(name, tuple(link.mapped(precise) for link in robot.links), gravity=many(robot.gravity))
    state = np.random.default_rng(7).uniform(-1.5, 1.5, (3, STATES, robot.n))
    found = getattr(robot, method)(*state)
    for k in (0, 31, 63):
        expected = getattr(exact, method)(*(many(x[k]) for x in state)).astype(float)
        assert np.abs(found[k] - expected).max() <= 1e-13 * np.abs(expected).max()
