"""Long and free motions: what the integrators promise about energy."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from motion.arms import double_pendulum, pendulum

SMALL = ("rp", "rr", "planar3")


def free_motion(name):
    """Ten seconds without friction from a pose that is no rest."""
    arm = st.load(f"gallery:{name}")
    q = 0.3 + 0.2 * np.arange(arm.n)
    return st.simulate(arm, q, np.full(arm.n, 0.1), 10.0, friction=False, every=0.1)


@pytest.mark.parametrize("name", SMALL)
def test_E7b_a_small_arm_keeps_its_energy_for_ten_seconds(name):
    assert free_motion(name).relative_drift < 1e-9


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name in st.gallery() if name not in SMALL])
def test_E7b_every_arm_of_the_gallery_keeps_its_energy_for_ten_seconds(name):
    assert free_motion(name).relative_drift < 1e-9


@pytest.mark.heavy
@pytest.mark.parametrize("arm", [pendulum(), double_pendulum()], ids=lambda arm: arm.name)
def test_E7b_a_million_symplectic_steps_have_a_bounded_drift(arm):
    start = [2.0] if arm.n == 1 else [0.5, -0.3]
    m = st.simulate(arm, start, None, 1e4, method="gauss", step=0.01, every=2.0)
    quarters = [np.abs(part).max() for part in np.array_split(m.drift, 4)]
    assert max(quarters) < 2 * quarters[0]
    assert m.relative_drift < 1e-4
