"""Every friction model of the table keeps the same promises; a new line in FRICTIONS gets these tests."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import dynamics as dy
from steiner.backends import BACKENDS
from steiner.errors import SteinerError
from steiner.model.friction import FRICTIONS, Friction
from tests.comparing import close, five_point, floats
from tests.random_robots import random_body

RATES = (-40.0, -2.0, -0.7, -0.05, 0.05, 0.7, 2.0, 40.0)
KINDS = pytest.mark.parametrize("kind", FRICTIONS)


def coefficients(kind: str) -> dict[str, float]:
    """A number for every coefficient, all unequal, falling as a breakaway effort does."""
    names = [f.name for f in dataclasses.fields(FRICTIONS[kind])]
    return {name: 0.9 - 0.2 * k for k, name in enumerate(names)}


def variants() -> dict[str, Friction]:
    """Every model with all its coefficients; those with a width also with the exact sign."""
    found = {}
    for kind, cls in FRICTIONS.items():
        given = coefficients(kind)
        found[kind] = cls(**given)
        if "width" in given:
            found[f"{kind} exact"] = cls(**(given | {"width": 0}))
    return found


ALL = pytest.mark.parametrize("model", variants().values(), ids=variants())


def arm(friction: Friction, multiplier: float = 1.0) -> st.Robot:
    joint = st.Revolute(name="hinge", axis=(0, 1, 0), friction=friction, multiplier=multiplier)
    return st.Robot("door", [st.Link("leaf", None, joint, body=random_body(np.random.default_rng(3)))])


@KINDS
def test_a_model_that_tells_no_directions_apart_is_odd(kind):
    """What is not stated is the same in both directions."""
    cls = FRICTIONS[kind]
    needed = {f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING}
    model = cls(**{name: x for name, x in coefficients(kind).items() if name in needed})
    for rate in RATES:
        assert model.effort(-rate) == -model.effort(rate) != 0
        assert model.slope(-rate) == model.slope(rate)


@ALL
def test_nothing_resists_a_joint_at_rest(model):
    assert model.effort(0.0) == 0 and model.effort(-0.0) == 0


@ALL
def test_friction_only_takes_energy(model):
    for rate in RATES:
        assert model.effort(rate) * rate > 0


@ALL
def test_the_slope_is_that_of_differences(model):
    for rate in RATES:
        quotient = five_point(lambda x: model.effort(x[0]), np.array([rate]), 1e-3)[0]
        assert float(model.slope(rate)) == pytest.approx(quotient, rel=1e-7, abs=1e-9)


@ALL
def test_expressions_give_what_numbers_give(model):
    rate = sp.Symbol("rate", real=True)
    letters = {x: sp.Symbol(f"c{k}", positive=True) for k, x in enumerate(model.coefficients)}
    for of in (sp.Rational, lambda x: letters[x] if x else x):  # a width of 0 is the exact sign
        twin, known = model.mapped(of), {letter: x for x, letter in letters.items()}
        assert type(twin) is type(model)
        for formula, number in ((twin.effort(rate), model.effort), (twin.slope(rate), model.slope)):
            for x in RATES:
                value = float(sp.sympify(formula).subs(known | {rate: x}))
                assert value == pytest.approx(float(number(x)), rel=1e-12, abs=1e-15)  # a small difference of terms


@ALL
def test_sums_add(model):
    other = st.Viscous(0.25) + st.Coulomb(0.5, width=0.1)
    for both in (model + other, other + model):
        assert sorted(both.coefficients) == sorted((*model.coefficients, *other.coefficients))
        assert both.mapped(lambda x: x) == both
        for rate in RATES:
            assert both.effort(rate) == pytest.approx(model.effort(rate) + other.effort(rate), rel=1e-15)
            assert both.slope(rate) == pytest.approx(model.slope(rate) + other.slope(rate), rel=1e-15)
    with pytest.raises(TypeError):
        model + 3


@ALL
def test_a_model_is_a_value(model):
    assert pickle.loads(pickle.dumps(model)) == model and model.mapped(float) == model
    assert model.mapped(lambda x: 2 * x + 0.1) != model
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, dataclasses.fields(model)[0].name, 1.0)


@ALL
@pytest.mark.parametrize("backend", BACKENDS)
def test_kernels_give_what_the_text_gives(model, backend):
    """Alone, in the torque, in the acceleration and in both derivatives; the joint's rate is multiplier · q̇."""
    robot, rates = arm(model, 1.5), np.array(RATES)[:, None]
    state = 0 * rates + 0.3, rates, 0 * rates + 0.7
    text = [floats(dy.friction_forces(robot, *row))[0] for row in zip(*state[:2], strict=True)]
    want = [1.5 * float(model.effort(1.5 * x)) for x in RATES]
    assert close(text, want, 1e-14)

    def run(name, *arguments, **options):
        return st.compile(name, robot, backend=backend)(*arguments, **options)

    assert close(run("friction_forces", *state[:2])[:, 0], want, 1e-12)
    tau = [run("inverse_dynamics", *state, friction=there) for there in (True, False)]
    assert close((tau[0] - tau[1])[:, 0], want, 1e-12)
    assert close(run("forward_dynamics", *state[:2], tau[0]), state[2], 1e-9)
    slopes = [run("inverse_dynamics_derivatives", *state, friction=there)[1] for there in (True, False)]
    assert close((slopes[0] - slopes[1])[:, 0, 0], [1.5**2 * float(model.slope(1.5 * x)) for x in RATES], 1e-12)


@KINDS
def test_what_is_no_coefficient_is_refused_by_name(kind):
    cls, given = FRICTIONS[kind], coefficients(kind)
    for name in given:
        for bad in (math.nan, math.inf, "5", [1.0], 1j):
            with pytest.raises(SteinerError, match=cls.__name__):
                cls(**(given | {name: bad}))
        with pytest.raises(SteinerError, match=rf"{cls.__name__}\({name}=-0.1\).*not negative"):
            cls(**(given | {name: -0.1}))
