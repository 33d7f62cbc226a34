"""Rates from positions: exact for cubics, the same in any blocks, and the bandwidth is what is said."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from steiner.files import load
from steiner.files.derived import LocalCubics, bandwidth, rates
from steiner.files.motion import Block, MotionFile


def test_cubics_are_differentiated_exactly_up_to_both_ends_and_at_any_times():
    t = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, size=200)) * 1e-2
    q = np.stack([t**3 - t**2 + 4, 2 * t - 7], axis=-1)
    qd, qdd = rates(t, q, 0, len(t), 7)
    np.testing.assert_allclose(qd, np.stack([3 * t**2 - 2 * t, 2 + 0 * t], axis=-1), atol=1e-11)
    np.testing.assert_allclose(qdd, np.stack([6 * t - 2, 0 * t], axis=-1), atol=1e-9)


@pytest.mark.parametrize("half", [3, 7, 20])
def test_the_bandwidth_is_where_half_the_power_is_lost(half):
    t = np.arange(4000.0)
    for order, frequency in enumerate(bandwidth(half)):
        w = 2 * math.pi * frequency
        found = rates(t, np.sin(w * t)[:, None], half, len(t) - half, half)[order][:, 0]
        ideal = w ** (order + 1)
        assert np.abs(found).max() / ideal == pytest.approx(math.sqrt(0.5), rel=1e-2)


@pytest.mark.parametrize("sizes", [(400,), (5, 100, 1, 294), (1,) * 30 + (370,)])
def test_blocks_make_no_difference(tmp_path, sizes):
    robot = load("gallery:rr")
    (tmp_path / "m.csv").write_text("t,q1,q2\n")
    motion = MotionFile(Path(tmp_path / "m.csv"), robot, positions_do=True)
    t, q = np.arange(400) * 0.01, np.random.default_rng(0).normal(size=(400, 2))
    starts = np.cumsum([0, *sizes])
    none = np.zeros((0, 2))
    blocks = [Block(t[a:b], q[a:b], none, none, np.arange(a, b), int(b)) for a, b in pairwise(starts)]
    found = list(LocalCubics(motion)(blocks))
    qd, qdd = rates(t, q, 0, 400, 7)
    np.testing.assert_array_equal(np.concatenate([b.q for b in found]), q)
    np.testing.assert_array_equal(np.concatenate([b.qd for b in found]), qd)
    np.testing.assert_array_equal(np.concatenate([b.qdd for b in found]), qdd)
    np.testing.assert_array_equal(np.concatenate([b.lines for b in found]), np.arange(400))
