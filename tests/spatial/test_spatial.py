"""Poses, twists and wrenches: group laws on general data, exactness, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from steiner import spatial
from steiner.errors import SteinerError
from steiner.spatial import (
    Ad,
    Pose,
    Twist,
    Wrench,
    ad,
    cross,
    exp,
    log,
    rotation_rpy,
    rotation_to,
    rotation_x,
    rotation_y,
    rotation_z,
    skew,
    unit,
    vee,
)
from steiner.spatial.poses import distortion

number = st.floats(-3, 3)
vector = st.lists(number, min_size=3, max_size=3).map(np.array)
six = st.lists(number, min_size=6, max_size=6).map(np.array)
poses = st.builds(Pose.from_rpy, vector, vector)


def same(A, B):
    return np.allclose(A.matrix, B.matrix, atol=1e-12)


@given(poses, poses, poses)
def test_poses_are_a_group(A, B, C):
    assert same((A @ B) @ C, A @ (B @ C))
    assert same(A @ A.inverse(), Pose.identity())
    assert same(Pose.from_matrix((A @ B).matrix), A @ B)


@given(poses, vector)
def test_a_pose_maps_child_coordinates_to_parent_coordinates(A, p):
    assert np.allclose(A.apply(p), (A.matrix @ [*p, 1])[:3])
    assert np.allclose(A.inverse().apply(A.apply(p)), p, atol=1e-11)
    assert np.allclose(A.apply(np.stack([p, 2 * p])), [A.apply(p), A.apply(2 * p)])


@given(vector)
def test_rpy_is_read_back(rpy):
    again = Pose.from_rpy(rpy=Pose.from_rpy(rpy=rpy).rpy)
    assert np.allclose(again.R, rotation_rpy(rpy), atol=1e-9)


def test_rpy_turns_about_fixed_axes_one_after_the_other():
    angles = (0.3, -0.8, 1.9)
    apart = rotation_z(angles[2]) @ rotation_y(angles[1]) @ rotation_x(angles[0])
    assert np.allclose(rotation_rpy(angles), apart, rtol=0, atol=1e-15)
    symbols = sp.symbols("r p y", real=True)
    apart = rotation_z(symbols[2]) @ rotation_y(symbols[1]) @ rotation_x(symbols[0])
    assert all(sp.expand(a - b) == 0 for a, b in zip(rotation_rpy(symbols).flat, apart.flat, strict=True))


@given(st.lists(st.floats(-1, 1), min_size=9, max_size=9).map(lambda x: np.reshape(x, (3, 3))))
def test_what_distorts_is_told_by_the_largest_entry(R):
    assert math.isclose(distortion(R), np.abs(R @ R.T - np.eye(3)).max(), abs_tol=1e-14)


def test_rpy_at_gimbal_lock_gives_the_same_rotation():
    for pitch in (math.pi / 2, -math.pi / 2):
        A = Pose.from_rpy(rpy=(0.3, pitch, 0.7))
        assert np.allclose(Pose.from_rpy(rpy=A.rpy).R, A.R, atol=1e-12)


@given(vector, vector)
def test_skew_is_the_cross_product(a, b):
    assert np.allclose(skew(a) @ b, cross(a, b))
    assert np.array_equal(vee(skew(a)), a)
    assert np.allclose(cross(a, b), np.cross(a, b))


@given(six, six, poses)
def test_adjoints_carry_twists_and_the_bracket(V, W, T):
    assert np.allclose(ad(V) @ W, -ad(W) @ V)
    assert np.allclose(Ad(T) @ ad(V) @ W, ad(Ad(T) @ V) @ (Ad(T) @ W), atol=1e-9)
    assert np.allclose(spatial.twist_to_parent(T, V), Ad(T) @ V, atol=1e-12)


@given(six)
def test_exp_and_log_are_inverse(V):
    if np.linalg.norm(V[:3]) < math.pi - 1e-3:
        assert np.allclose(log(exp(V)), V, atol=1e-8)
    assert np.allclose(np.linalg.det(exp(V).R), 1)


def test_exact_angles_give_exact_rotations():
    R = rotation_rpy((math.pi / 2, 0, math.pi))
    assert set(R.ravel().tolist()) <= {0.0, 1.0, -1.0}
    a = sp.Symbol("a", real=True)
    assert Pose.from_rpy((a, 0, 0), (0, 0, a)).R[0, 0] == sp.cos(a)
    assert not any(sp.sympify(x).has(sp.Float) for x in rotation_rpy((a, 0, 0)).ravel())


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0), (0.6, 0, 0.8), (0.36, 0.48, 0.8)]
)
def test_rotation_to_an_axis(axis):
    R = np.array(rotation_to(axis), dtype=float)
    assert np.allclose(R[:, 2], axis) and np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) > 0


def test_quaternions_by_name_only():
    s = math.sqrt(0.5)
    a = Pose.from_quaternion((1, 2, 3), quat_xyzw=(0, 0, s, s))
    b = Pose.from_quaternion((1, 2, 3), quat_wxyz=(s, 0, 0, s))
    assert same(a, b) and np.allclose(a.apply((1, 0, 0)), (1, 3, 3))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Pose(np.diag([1, 1, -1.0])), "mirrors"),
        (lambda: Pose(2 * np.eye(3)), "not a rotation"),
        (lambda: Pose(p=(1, 2)), "shape"),
        (lambda: Pose(p=(1, 2, math.nan)), "not finite"),
        (lambda: Pose.from_matrix(np.ones((4, 4))), "last row"),
        (lambda: Pose.from_quaternion(quat_xyzw=(0, 0, 0, 2)), "unit quaternion"),
        (lambda: Pose.from_quaternion(), "exactly one"),
        (lambda: unit((0, 0, 0)), "no direction"),
        (lambda: Wrench(force=(0, 0, 1), axes="tool"), "axes"),
        (lambda: spatial.six([1, 2, 3]), "shape"),
    ],
)
def test_what_is_no_pose_twist_or_wrench_is_refused(make, says):
    with pytest.raises(SteinerError, match=says):
        make()


def test_orders_of_six_vectors_are_named():
    assert np.array_equal(Twist((1, 2, 3), (4, 5, 6)).vector, [1, 2, 3, 4, 5, 6])
    assert np.array_equal(Twist((1, 2, 3), (4, 5, 6)).to_linear_first(), [4, 5, 6, 1, 2, 3])
    assert np.array_equal(Wrench(moment=(1, 2, 3), force=(4, 5, 6)).vector, [1, 2, 3, 4, 5, 6])


def test_batches_of_poses():
    R = np.stack([rotation_rpy((0, 0, k)) for k in range(3)])
    batch = Pose(R, np.zeros((3, 3)))
    assert batch.apply(np.array([[1.0, 0, 0]] * 3)).shape == (3, 3)
    assert np.allclose((batch @ batch.inverse()).matrix, np.eye(4))
    assert np.array_equal(batch[1].R, R[1])
    with pytest.raises(IndexError):
        _ = batch[0][0]
