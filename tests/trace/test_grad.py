"""Derivatives on the tape: against complex steps, differences, each other and the analytic recursions."""

from __future__ import annotations

import numpy as np
import pytest

from steiner import scalar
from steiner.backends.reference import evaluate
from steiner.dynamics import forward_kinematics, inverse_dynamics, kinetic_energy, potential_energy
from steiner.errors import ArgumentError
from steiner.robots import build
from steiner.trace import Op, operands, referred, trace
from steiner.trace.grad import MODES, gradient, jacobian
from tests.random_tapes import random_inputs, random_tape


def run(tape, *inputs):
    """Outputs of a tape at one point, in their shapes."""
    outputs = [np.zeros((1, o.size)) for o in tape.outputs]
    evaluate(tape, [np.reshape(x, (1, -1)) for x in inputs], outputs, 1)
    return [a.reshape(o.shape) for a, o in zip(outputs, tape.outputs, strict=True)]


def complex_run(tape, *inputs):
    """The tape on complex numbers; abs, sign and select go by the real part."""

    def chosen(c, a, b):
        return a if c.real > 0 else b

    functions = {
        Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide, Op.SQRT: np.sqrt,
        Op.SIN: np.sin, Op.COS: np.cos, Op.EXP: np.exp, Op.TANH: np.tanh, Op.SELECT: chosen,
        Op.ABS: lambda x: x if x.real > 0 else -x, Op.SIGN: lambda x: np.sign(x.real) + 0j,
    }  # fmt: skip
    values = []
    for row in tape.rows:
        if row[0] == Op.CONSTANT:
            values.append(complex(row[1]))
        elif row[0] == Op.INPUT:
            values.append(inputs[row[1]][row[2]])
        else:
            values.append(functions[row[0]](*(referred(values, x) for x in operands(row))))
    return [
        np.array([x if isinstance(x, float) else referred(values, x) for x in o.elements], complex).reshape(o.shape)
        for o in tape.outputs
    ]


def complex_step(tape, inputs, array):
    """d outputs/d one input, exact to rounding: Im f(x + ih)/h."""
    columns = []
    for j in range(len(inputs[array])):
        shifted = [np.array(x, complex) for x in inputs]
        shifted[array][j] += 1e-200j
        columns.append([r.imag / 1e-200 for r in complex_run(tape, *shifted)])
    return [np.stack([c[k] for c in columns], axis=-1) for k in range(len(tape.outputs))]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(25))
def test_random_graphs_match_the_complex_step(seed, mode):
    tape = random_tape(seed, operations=30)
    inputs = [x[0] for x in random_inputs(tape, 1, seed)]
    names = [name for name, _ in tape.inputs]
    got = run(jacobian(tape, names, mode=mode), *inputs)
    want = [block for k in range(len(names)) for block in complex_step(tape, inputs, k)]
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        assert np.allclose(a, b, rtol=1e-11, atol=1e-11)


def test_every_operation_has_the_derivative_of_its_difference_quotient():
    def function(x):
        a, b, c = x
        return [np.array([a + b, a - b, a * b, a / b, scalar.sqrt(b), scalar.sin(a), scalar.cos(a), scalar.exp(a),
                          scalar.tanh(a), abs(-a), scalar.sign(a) * a, scalar.select(c, a * a, b),
                          scalar.select(-c, a * a, -b), a * a, scalar.sqrt(-c), scalar.exp(-b)])]  # fmt: skip

    tape = trace(function, [("x", 3)])
    x, h = np.array([0.7, 1.3, -0.4]), 1e-5
    for mode in MODES:
        (J,) = run(jacobian(tape, "x", mode=mode), x)
        for j in range(3):
            (high,), (low,) = (run(tape, x + s * h * np.eye(3)[j]) for s in (1, -1))
            assert np.allclose(J[:, j], (high - low) / (2 * h), rtol=1e-8, atol=1e-9)


def test_kinks_have_the_derivative_of_the_branch_taken():
    tape = trace(lambda x: [abs(x[0]), scalar.sign(x[0]), scalar.select(x[0], 3 * x[0], -x[0])], [("x", 1)])
    for mode in MODES:
        J = jacobian(tape, "x", mode=mode)
        assert [float(v[0]) for v in run(J, [2.0])] == [1, 0, 3]
        assert [float(v[0]) for v in run(J, [-2.0])] == [-1, 0, -1]
        assert [float(v[0]) for v in run(J, [0.0])] == [0, 0, -1]


def test_a_guarded_singularity_has_the_slope_of_the_branch_taken():
    """sqrt(x) for x > 0, else 0: at x < 0 its slope is 0, not 0·NaN, for all that there are few outputs."""
    tape = trace(lambda x: [scalar.select(x[0], scalar.sqrt(x[0]) / x[0], 0.0) + x[1]], [("x", 2)])
    for made in (jacobian(tape, "x"), gradient(tape, "x")):
        for x, slope in ((-2.0, 0.0), (0.0, 0.0), (4.0, -0.5 * 4.0**-1.5)):
            (found,) = run(made, [x, 1.0])
            assert found.tolist() == pytest.approx([slope, 1.0], rel=1e-14)
    (found,) = run(jacobian(tape, "x", mode="reverse"), [4.0, 1.0])
    assert found[0] == pytest.approx(-0.0625, rel=1e-14)


def test_zeros_of_the_jacobian_are_constants_and_cost_nothing():
    def function(x, y):
        return [np.array([scalar.sin(x[k]) * y[0] for k in range(3)] + [y[1], 7.0])]

    tape = trace(function, [("x", 3), ("y", 2)])
    dx, dy = jacobian(tape, ("x", "y")).outputs
    pattern = np.array([isinstance(e, float) and e == 0 for e in dx.elements]).reshape(5, 3)
    assert pattern.tolist() == [[i != k for k in range(3)] for i in range(3)] + [[True] * 3] * 2
    assert dy.elements[3 * 2 + 1] == 1.0 and dy.elements[4 * 2 :] == (0.0, 0.0)


def test_derivatives_share_what_the_values_already_computed():
    tape = trace(lambda x: [scalar.exp(scalar.sin(x[0]))], [("x", 1)])
    both = jacobian(tape, "x", values=True)
    assert both.counts == {"input": 1, "sin": 1, "cos": 1, "exp": 1, "mul": 1}
    value, slope = run(both, [0.3])
    assert value == np.exp(np.sin(0.3)) and slope[0] == pytest.approx(np.cos(0.3) * value, rel=1e-15)


def test_the_cheaper_of_both_modes_is_taken():
    def folded(x):  # many numbers into two: each of them passes through everything after it
        total = scalar.sin(x[0])
        for v in x[1:]:
            total = scalar.sin(total * v)
        return [np.array([total, total * x[0]])]

    def spread(x):  # two numbers into many
        values = [x[0] * x[1]]
        for _ in range(7):
            values.append(scalar.sin(values[-1] * x[1]))
        return [np.array(values)]

    for function, size, better, worse in ((folded, 8, "reverse", "forward"), (spread, 2, "forward", "reverse")):
        tape = trace(function, [("x", size)])
        cost = {mode: jacobian(tape, "x", mode=mode).cost for mode in MODES}
        assert jacobian(tape, "x").cost == cost[better] < cost[worse]


def test_a_gradient_costs_a_few_times_its_function():
    robot = build("panda")
    tape = trace(lambda q, qd: [kinetic_energy(robot, q, qd)], [("q", 7), ("qd", 7)])
    assert gradient(tape, ("q", "qd")).cost < 3 * tape.cost
    with pytest.raises(ArgumentError, match="scalar"):
        gradient(trace(lambda q: [q * 2], [("q", 7)]), "q")


@pytest.mark.parametrize("name", ["rr", "scara", "stanford", "puma560", "panda"])
def test_inverse_dynamics_derivatives_by_two_roads(name):
    """Newton-Euler differentiated on the tape, and the analytic recursion."""
    robot = build(name)
    n = robot.n
    tape = trace(lambda q, qd, qdd: [inverse_dynamics(robot, q, qd, qdd)], [("q", n), ("qd", n), ("qdd", n)])
    state = np.random.default_rng(3).uniform(-2, 2, (3, n))
    want = robot.inverse_dynamics_derivatives(*state)
    for mode in MODES:
        got = run(jacobian(tape, ("q", "qd", "qdd"), mode=mode), *state)
        for a, b in zip(got, want, strict=True):
            assert np.abs(a - b).max() <= 1e-12 * max(np.abs(b).max(), 1)


def test_second_derivatives_come_from_differentiating_twice():
    """∂²T/∂q̇² is the mass matrix; ∂U/∂q is the gravity torque and its slope is symmetric."""
    robot = build("puma560").replace(gravity=(0.3, -0.4, -9.7))
    tape = trace(lambda q, qd: [kinetic_energy(robot, q, qd)], [("q", 6), ("qd", 6)])
    q, qd = np.random.default_rng(1).uniform(-2, 2, (2, 6))
    (M,) = run(jacobian(gradient(tape, "qd"), "qd"), q, qd)
    assert np.abs(M - robot.mass_matrix(q)).max() < 1e-13
    tape = trace(lambda q: [potential_energy(robot, q)], [("q", 6)])
    (g,) = run(gradient(tape, "q"), q)
    assert np.abs(g - robot.gravity_forces(q)).max() < 1e-12
    (K,) = run(jacobian(gradient(tape, "q"), "q"), q)
    assert np.abs(K - K.T).max() < 1e-12 and np.abs(K).max() > 1


def test_the_velocity_jacobian_is_the_slope_of_the_position():
    robot = build("ur5")
    tape = trace(lambda q: [forward_kinematics(robot, q, robot.link_names[-1]).p], [("q", 6)])
    q = np.random.default_rng(2).uniform(-2, 2, 6)
    (J,) = run(jacobian(tape, "q"), q)
    assert np.abs(J - robot.jacobian(q, frame="aligned")[3:]).max() < 1e-14


def test_wrong_names_are_refused_with_those_there_are():
    tape = trace(lambda q: [q[0] * 2], [("q", 2)])
    with pytest.raises(ArgumentError, match=r"no input named 'qq'.*did you mean 'q'"):
        jacobian(tape, "qq")
    with pytest.raises(ArgumentError, match="forward"):
        jacobian(tape, "q", mode="sideways")
