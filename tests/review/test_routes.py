"""Independent routes agree on sound robots, and do not where something is broken."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.review.routes import ROUTES, agreement, opinions
from tests.random_robots import random_robot, random_state


def states(robot: st.Robot, count: int = 6) -> tuple[np.ndarray, ...]:
    return tuple(np.stack(x) for x in zip(*(random_state(robot, k) for k in range(count)), strict=True))


@pytest.mark.parametrize("route", ROUTES)
def test_routes_agree_on_a_random_robot(route):
    robot = random_robot(4, 4, friction=True, payloads=1, springs=True)
    found = agreement(robot, route, states(robot))
    assert found.relative < 1e-11 and found.states >= 6 and found.what.endswith(".") and found.unit


BROKEN = [("terms", "coriolis_matrix"), ("terms", "friction_forces"), ("back", "forward_dynamics")]
BROKEN += [(route, "inverse_dynamics") for route in ("energy", "parts", "reference", "text")]


@pytest.mark.parametrize(("route", "broken"), BROKEN)
def test_a_broken_method_shows(route, broken):
    robot = st.load("gallery:desk")
    sound = getattr(robot, broken)
    robot.__dict__[broken] = lambda *args, **options: 1.001 * sound(*args, **options)
    assert agreement(robot, route, states(robot)).relative > 1e-5


def test_other_programs_are_asked_or_say_why_not():
    found = dict(opinions(st.load("gallery:desk"), poses=5))
    assert set(found) == {"pinocchio", "mujoco", "drake"}
    for said in found.values():
        assert isinstance(said, str) or all(effect.relative < 1e-9 for effect in said.effects)
    pytest.importorskip("pinocchio", reason="no Pinocchio")
    assert not isinstance(found["pinocchio"], str) and len(found["pinocchio"].effects) == 3
