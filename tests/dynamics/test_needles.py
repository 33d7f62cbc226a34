"""Needles spun about their own axis: the small moment keeps its digits in every method."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def spun(r: float, axis: str, where: float) -> tuple[st.Robot, float]:
    """A needle on a shaking base, and its moment about its own axis."""
    needle = st.Cylinder(r, 1, axis=axis).at(xyz=np.array(AXES[axis]) * where).with_density(1000)
    base = st.MassProperties(1, (0.1, 0.2, -0.1), (0.1, 0.2, 0.15))
    mount = st.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    arm = st.Robot(
        "needle",
        [
            st.Link("base", None, st.Revolute(name="j0", axis=(0, 1, 0)), mount, base),
            st.Link("needle", "base", st.Revolute(name="j1", axis=AXES[axis]), mount, needle),
        ],
        gravity=(0, 0, 0),
    )
    return arm, 1000 * np.pi * r**4 / 2


@pytest.mark.parametrize("where", [0.0, 0.5, -3.0])
@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("r", [1e-2, 1e-3, 1e-4, 1e-6])
def test_N7_a_needle_keeps_its_digits(r, axis, where):
    arm, moment = spun(r, axis, where)
    q, still, spin = np.array([0.3, -0.4]), np.zeros(2), np.array([0, 1.0])
    adjustable = st.compile("mass_matrix", arm, parameters=["needle.inertia"])
    found = {
        "mass matrix": arm.mass_matrix(q)[1, 1],
        "inverse dynamics": arm.inverse_dynamics(q, still, spin)[1],
        "kinetic energy": 2 * float(arm.kinetic_energy(q, spin)),
        "derivatives": arm.inverse_dynamics_derivatives(q, still, spin)[2][1, 1],
        "run-time inertia": adjustable(q)[1, 1],
        "breakdown": arm.torque_breakdown(q, still, spin)["inertial"][1],
        "Newton-Euler": arm.newton_euler(q, still, spin).tau[1],
    }
    for name, value in found.items():
        assert value == pytest.approx(moment, rel=1e-12, abs=0), name
    M = st.dynamics.mass_matrix_by_jacobians(arm, q).astype(float)  # the proof by hand: tensors along the world's axes
    assert abs(M[1, 1] - moment) <= 1e-15 * M.max()
    parameters = st.dynamics.inertial_parameters(arm).astype(float).reshape(2, 10)[1]
    assert parameters[{"x": 4, "y": 6, "z": 9}[axis]] == pytest.approx(moment, rel=1e-12, abs=0)


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("r", [1e-3, 1e-6])
@pytest.mark.filterwarnings("ignore::steiner.ModelWarning")
def test_N7_needles_in_a_row_keep_their_digits_as_one(r, axis):
    """Beside the axis by as little as they are thick: r² must not come out of the difference of two lengths squared."""
    along, aside = np.array(AXES[axis]), np.roll(AXES[axis], 1) * r
    needle, places = st.Cylinder(r, 1, axis=axis), [along * s + aside for s in (-3.0, 0.25, 5.1)]
    bodies = [needle.with_mass(0.7).moved(st.Pose(p=p)) for p in places]
    parts = [st.Part(f"p{k}", needle, mass=0.7, pose=st.Pose(p=p)) for k, p in enumerate(places)]
    drawn = st.Assembly("row", parts)
    joint = st.Revolute(name="j", axis=AXES[axis])
    arm = st.Robot("row", [st.Link("l", None, joint, made_of=drawn)], gravity=(0, 0, 0))
    bare = st.Robot("row", [st.Link("l", None, joint, body=bodies[0])], gravity=(0, 0, 0))
    for k, body in enumerate(bodies[1:]):
        bare = bare.with_payload(body, link="l", name=f"p{k}")
    own, about = 3 * 0.7 * r**2 / 2, 3 * 0.7 * r**2 * 1.5
    found = {
        "drawn": (drawn.mass_properties.moment_about(along, through=aside), own),
        "drawn, about the frame": (drawn.mass_properties.moment_about(along), about),
        "added": ((bodies[0] + bodies[1] + bodies[2]).moment_about(along), about),
        "arm": (arm.mass_matrix([0.3])[0, 0], about),
        "payloads": (bare.mass_matrix([0.3])[0, 0], about),
        "particles": (st.Particles([0.7] * 3, places).mass_properties.moment_about(along), 3 * 0.7 * r**2),
    }
    for name, (value, expected) in found.items():
        assert value == pytest.approx(expected, rel=1e-12, abs=0), name


@pytest.mark.parametrize("sizes", [(1, 1e-6, 2e-6), (1e-5, 1, 3e-6), (1e-3, 1e-6, 1)])
def test_N7_flat_needles_keep_the_moment_about_every_axis(sizes):
    body = st.Box(*sizes).with_mass(2)
    m, _, S = body.moments
    for k in range(3):
        i, j = (n for n in range(3) if n != k)
        assert S[i, i] + S[j, j] == pytest.approx(m * (sizes[i] ** 2 + sizes[j] ** 2) / 12, rel=1e-14, abs=0)
