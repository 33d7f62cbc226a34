"""Denavit-Hartenberg rows of arms whose axes are nearly parallel: right, or refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.dynamics import inverse_dynamics
from steiner.inertia import tensor_of
from tests.comparing import floats


def tilted(tilt: float, seed: int, apart: bool = True) -> st.Robot:
    """Five joints, two pairs of them parallel but for a tilt, at a distance or through one point."""
    rng = np.random.default_rng(seed)
    links = []
    for k in range(5):
        A = rng.normal(size=(3, 3))
        body = st.MassProperties(1 + rng.random(), 0.1 * rng.normal(size=3), tensor_of(0.01 * A @ A.T))
        rpy = (tilt * rng.normal(), tilt * rng.normal(), rng.normal()) if k in (1, 3) else rng.normal(size=3)
        joint = st.Prismatic(name=f"j{k}") if k == 2 else st.Revolute(name=f"j{k}")
        mount = st.Pose.from_rpy(apart * 0.3 * rng.normal(size=3), rpy)
        links.append(st.Link(f"l{k}", f"l{k - 1}" if k else None, joint, mount, body))
    return st.Robot("tilted", links)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("tilt", [0, 1e-15, 1e-13, 1e-11, 3e-10, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1])
def test_rows_give_the_torques_back_or_are_refused(tilt, convention):
    refused = 0
    for seed in range(5):
        for apart in (True, False):
            arm = tilted(tilt, seed, apart)
            try:
                table = arm.to_dh(convention)
            except st.SteinerError as error:
                assert "common normal" in str(error) and "to_poe" in str(error) and tilt
                refused += 1
                continue
            twin = st.Robot.from_dh(table.rows, convention=convention, base=table.base)
            q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 5))
            expected, found = (floats(inverse_dynamics(robot, q, qd, qdd)) for robot in (arm, twin))  # no kernels
            bound = 1e-12 if tilt > 1e-9 else max(1e-14, 30 * tilt)  # less than 1e-10 counts as parallel
            assert np.abs(found - expected).max() <= bound * np.abs(expected).max()
    assert refused < 10 and (refused == 0 or 1e-10 < tilt < 1e-1)
