"""Dimensions as run-time inputs: solids, Huygens-Steiner and dynamics in one kernel, equal to a robot drawn anew."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.model.design import Design

Q = np.array([0.3, -0.5])
STATE = (Q, 2 * Q, 3 * Q)


def arm(L=0.4, wall=0.003, rho=2700.0, outer=0.02, motor=0.25) -> st.Robot:
    """Two links whose lengths, mounts and motors hang on a few numbers."""
    motor_at = st.Pose.from_rpy((L, 0, 0.04), (0.1, 0.2, 0.3))
    upper = st.Assembly("upper", [
        st.Part("beam", st.Box(L, 0.04, 0.03).hollow(wall), density=rho, pose=st.Pose.from_rpy((L / 2, 0, 0))),
        st.Assembly("drive", [st.Part("motor", st.Cylinder(0.02, 0.05), mass=motor, pose=motor_at)]),
        st.Part("bore", st.Cylinder(0.002, 0.03), density=2700.0, cavity=True, pose=st.Pose.from_rpy((0.1, 0.01, 0))),
    ])  # fmt: skip
    at = st.Pose.from_rpy((L / 4, 0, 0))
    rod = st.Part("rod", st.Tube(outer, 0.01, L / 2, axis="x"), material="aluminium", pose=at)
    links = [
        st.Link("upper", None, st.Revolute(name="shoulder", axis=(0, -1, 0)), made_of=upper),
        st.Link(
            "fore", "upper", st.Revolute(name="elbow", axis=(0, -1, 0)), mount=st.Pose.from_rpy((L, 0, 0)),
            made_of=st.Assembly("fore", [rod]),
        ),
    ]  # fmt: skip
    return st.Robot("arm", links)


@pytest.fixture(scope="module")
def drawn() -> st.Robot:
    """The arm with its length and wall as shared parameters."""
    L, wall = sp.symbols("L wall", positive=True)
    return arm().replace(design=Design({"L": 0.4, "wall": 0.003}, arm(L, wall).links))


def test_a_shared_parameter_moves_all_that_hangs_on_it(drawn):
    new, anew = drawn.with_parameters({"L": 0.55}), arm(L=0.55)
    assert new.parameters == {"L": 0.55, "wall": 0.003} and drawn.parameters["L"] == 0.4
    for a, b in zip(new.links, anew.links, strict=True):
        assert np.allclose(a.body.inertia, b.body.inertia, rtol=1e-13) and np.allclose(a.mount.p, b.mount.p)
    assert np.allclose(new.inverse_dynamics(*STATE), anew.inverse_dynamics(*STATE), rtol=1e-13)
    again = pickle.loads(pickle.dumps(new)).with_parameters({"L": 0.4})
    assert np.allclose(again.gravity_forces(Q), drawn.gravity_forces(Q), rtol=1e-14)


HANGING = ["upper/beam.x", "fore.mount.x", "upper/drive/motor.xyz", "upper.mass", "fore/rod.height"]


@pytest.mark.parametrize("path", HANGING)
def test_a_number_made_of_a_shared_parameter_cannot_be_an_input_beside_it(drawn, path):
    """Left out of a call it would have to be its default and what the drawing makes of L, which are two numbers."""
    with pytest.raises(st.SteinerError, match=rf"'{path}' is made of 'L' in the drawing of arm.*leave out one"):
        st.compile("gravity_forces", drawn, parameters=["gravity", path, "L"])
    alone = st.compile("gravity_forces", drawn, parameters=[path])(Q)
    assert np.allclose(alone, drawn.gravity_forces(Q), rtol=1e-12)


def test_numbers_that_hang_on_nothing_shared_stand_beside_it(drawn):
    names = ["L", "upper/beam.density", "upper/drive/motor.mass", "upper/bore.xyz", "gravity"]
    tau = st.compile("gravity_forces", drawn, parameters=names)(Q, parameters={"L": 0.55})
    assert np.allclose(tau, arm(L=0.55).gravity_forces(Q), rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "arrays"),
    [("inverse_dynamics", STATE), ("forward_dynamics", STATE), ("mass_matrix", (Q,)), ("center_of_mass", (Q,))],
)
def test_one_kernel_serves_all_designs(drawn, method, arrays):
    rng = np.random.default_rng(1)
    kernel = st.compile(method, drawn, parameters=["L", "wall"])
    lengths, walls = rng.uniform(0.2, 0.8, 7), rng.uniform(0.001, 0.01, 7)
    found = kernel(*arrays, parameters={"L": lengths, "wall": walls})
    for k in range(7):
        wanted = getattr(arm(L=lengths[k], wall=walls[k]), method)(*arrays)
        assert np.allclose(found[k], wanted, rtol=1e-11, atol=1e-13)


PATHS = {
    "upper/beam.density": ("rho", 3000.0), "upper/beam.wall": ("wall", 0.005), "fore/rod.outer": ("outer", 0.03),
    "upper/drive/motor.mass": ("motor", 0.4),
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_numbers_of_parts_and_their_derivatives(path):
    name, value = PATHS[path]
    kernel = st.compile("inverse_dynamics", arm(), parameters=[path], derivatives=[path])
    found, slope = kernel(*STATE, parameters={path: value})
    assert np.allclose(found, arm(**{name: value}).inverse_dynamics(*STATE), rtol=1e-12)
    step = 1e-5 * value
    above, below = (arm(**{name: value + h}).inverse_dynamics(*STATE) for h in (step, -step))
    assert np.allclose(slope, (above - below) / (2 * step), rtol=1e-6)
    assert np.allclose(kernel(*STATE)[0], arm().inverse_dynamics(*STATE), rtol=1e-13)  # without: as drawn


def test_derivatives_by_shared_parameters_are_those_of_robots_drawn_anew(drawn):
    kernel = st.compile("mass_matrix", drawn, parameters=["L", "wall"], derivatives=["L", "wall"])
    _, by_length, by_wall = kernel(Q, parameters={"L": 0.5, "wall": 0.004})
    h = 1e-6
    for slope, name in ((by_length, "L"), (by_wall, "wall")):
        at = {"L": 0.5, "wall": 0.004}
        above, below = (arm(**{**at, name: at[name] + d}).mass_matrix(Q) for d in (h, -h))
        assert np.allclose(slope, (above - below) / (2 * h), rtol=1e-6, atol=1e-9)


def test_where_parts_and_joints_sit():
    kernel = st.compile("gravity_forces", arm(), parameters=["fore.mount.x", "upper/drive/motor.xyz", "upper/beam.x"])
    values = {"fore.mount.x": 0.6, "upper/drive/motor.xyz": [0.6, 0, 0.04], "upper/beam.x": 0.6}
    others = {"upper/beam.xyz": [0.3, 0, 0], "fore/rod.height": 0.3, "fore/rod.xyz": [0.15, 0, 0]}
    moved = arm().with_parameters({**values, **others})
    assert np.allclose(moved.gravity_forces(Q), arm(L=0.6).gravity_forces(Q), rtol=1e-13)
    by_hand = arm().with_parameters(values)
    assert np.allclose(kernel(Q, parameters=values), by_hand.gravity_forces(Q), rtol=1e-13)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("upper/beam.radius", "numbers: xyz, x, y, z, wall, density"),
        ("upper/bean.x", "no part named 'bean'"),
        ("upper/beam", "which number|numbers"),
        ("L", "no owner named 'L'"),
        ("fore.mount.w", "mount.x"),
    ],
)
def test_paths_that_lead_nowhere_are_told(path, told):
    with pytest.raises(st.SteinerError, match=told):
        st.compile("inverse_dynamics", arm(), parameters=[path])


def test_a_link_without_a_drawing_says_so():
    with pytest.raises(st.SteinerError, match="has no drawing"):
        st.compile("inverse_dynamics", st.load("gallery:puma560"), parameters=["link2/beam.x"])


def test_other_links_end_the_drawing_and_payloads_stay(drawn):
    loaded = drawn.with_payload(st.MassProperties(0.5, (0.1, 0, 0)), link="fore")
    assert loaded.with_parameters({"L": 0.5}).payloads == loaded.payloads
    assert not drawn.replace(links=drawn.links).parameters
    with pytest.raises(st.SteinerError, match="no owner named 'M'"):
        drawn.with_parameters({"M": 1.0})
