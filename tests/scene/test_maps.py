"""Maps of the payload and clouds of torque over speed: what is drawn is what was found."""

from __future__ import annotations

import numpy as np
import pytest

import steiner as st
from steiner.scene.maps import best_plane, save

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install steiner[report]")
figures = pytest.importorskip("matplotlib.figure")


def axes():
    return figures.Figure().add_subplot()


@pytest.fixture(scope="module")
def found():
    return st.capacity(st.load("gallery:ur5"), samples=400)


def test_a_cell_shows_the_least_of_its_poses(found):
    drawn = found.plot(axes())
    (image,) = drawn.images
    cells, (left, right, low, high) = image.get_array(), image.get_extent()
    r, z = np.hypot(*found.positions[:, :2].T), found.positions[:, 2]
    i = np.floor((r - left) / (right - left) * cells.shape[1]).astype(int).clip(0, cells.shape[1] - 1)
    j = np.floor((z - low) / (high - low) * cells.shape[0]).astype(int).clip(0, cells.shape[0] - 1)
    for row, column in {*zip(j.tolist(), i.tolist(), strict=True)}:
        least = found.masses[(j == row) & (i == column)].min()
        assert cells[row, column] == pytest.approx(least)
    assert np.ma.count(cells) == len({*zip(j.tolist(), i.tolist(), strict=True)})
    assert drawn.get_xlabel() == "distance from the z axis / m"
    assert f"{found.mass:.3g} kg, {found.joint}" in drawn.get_title()


def test_planes(found):
    assert found.plot(axes(), "xz").get_xlabel() == "x / m"
    path = np.array([[0, 1, 2], [0.1, 3, 4.0]])
    assert best_plane(path * [0, 1, 1]) == "yz" and best_plane(path) == best_plane(found.positions) == "rz"
    assert best_plane(path, around=False) == "yz" and best_plane(path * [9, 0, 1], around=False) == "xz"
    with pytest.raises(st.SteinerError, match="expected two axes"):
        found.plot(axes(), "xx")
    with pytest.raises(st.SteinerError, match="expected those of a matplotlib figure"):
        found.plot(3)


def test_poses_and_motions_are_points():
    arm = st.load("gallery:ur5")
    drawn = st.capacity(arm, np.random.default_rng(1).uniform(-1, 1, (7, 6))).plot(axes())
    assert not drawn.images and len(drawn.collections[0].get_offsets()) == 7
    weightless = arm.replace(gravity=(0, 0, 0))
    assert st.capacity(weightless, np.zeros(6)).plot(axes()) is not None  # nothing limits


def test_every_joint_has_its_cloud_and_its_limits():
    arm = st.load("gallery:panda")
    found = st.sizing(arm, st.trajectory.quintic(np.zeros(7), np.full(7, 0.5), 0.4))
    figure = found.plot(figures.Figure())
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert len(panels) == 7
    for k, panel in enumerate(panels):
        cloud = next(line for line in panel.lines if len(line.get_xdata()) == len(found.t))
        assert np.array_equal(cloud.get_xdata(), found.qd[:, k]) and np.array_equal(cloud.get_ydata(), found.tau[:, k])
        assert any(line.get_xdata()[0] == found.limits.velocity[k] for line in panel.lines)
        assert panel.get_title().startswith(f"{arm.joint_names[k]}\n")


def test_names_are_no_formulas(tmp_path):
    joint = st.Revolute(name="$x_{$\x1b", axis=(0, 1, 0))
    robot = st.Robot("$\\a", [st.Link(r"$\frac$", None, joint, body=st.MassProperties(1.0, (0.1, 0, 0)))])
    save(st.capacity(robot, samples=20, effort=[3.0], com=(0.2, 0, 0)), tmp_path / "a.svg")
    save(st.sizing(robot, st.trajectory.quintic([0.0], [1.0], 1.0)), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").exists() and (tmp_path / "b.svg").exists()
