"""Pinocchio as an oracle: its own model of the same arm, and answers in our order of joints.

Models come from the URDF by Pinocchio's own parser, or are built link by link with Pinocchio's own
algebra, so that lumping, frames and signs are not shared with steiner.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install steiner[oracles]")

ARMS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "talos arm": "talos_data/robots/talos_left_arm.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}


def states(n: int, count: int, seed: int = 0) -> np.ndarray:
    """q, qd, qdd (or tau) for some samples."""
    return np.random.default_rng(seed).uniform(-2, 2, (3, count, n))


def robots() -> Path:
    """The folder of robot descriptions of the wheel example-robot-data."""
    try:
        home = distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed: pip install steiner[oracles]")
    return Path(str(home.locate_file("cmeel.prefix/share/example-robot-data/robots")))


class Oracle:
    """A Pinocchio model that speaks in the order of a steiner robot's joints."""

    def __init__(self, model, joint_names) -> None:
        self.model, self.data = model, model.createData()
        self.ids = [model.getJointId(name) for name in joint_names]
        assert max(self.ids, default=0) < model.njoints, "the same joints in both"
        assert model.nv == len(self.ids)
        self.v = np.array([model.idx_vs[i] for i in self.ids])

    def q(self, q):
        full = pin.neutral(self.model)
        for value, i in zip(q, self.ids, strict=True):
            at, size = self.model.idx_qs[i], self.model.nqs[i]
            full[at : at + size] = [value] if size == 1 else [np.cos(value), np.sin(value)]
        return full

    def dot(self, values):
        full = np.zeros(self.model.nv)
        full[self.v] = values
        return full

    def forces(self, q, loads):
        """Forces on the joints from (joint, pose of the link in it, moment, force, point in the link, axes)."""
        pin.forwardKinematics(self.model, self.data, self.q(q))
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for joint, placement, moment, force, at, axes in loads:
            link = self.data.oMi[joint] * placement
            turn = link.rotation if axes == "link" else np.eye(3)
            point = link.act(np.asarray(at, dtype=float))
            world = pin.Force(turn @ force, turn @ moment + np.cross(point, turn @ force))
            total[joint] += self.data.oMi[joint].actInv(world)
        return total

    def inverse(self, q, qd, qdd, loads=()):
        args = (self.model, self.data, self.q(q), self.dot(qd), self.dot(qdd))
        return pin.rnea(*args, self.forces(q, loads))[self.v] if loads else pin.rnea(*args)[self.v]

    def forward(self, q, qd, tau, loads=()):
        args = (self.model, self.data, self.q(q), self.dot(qd), self.dot(tau))
        return pin.aba(*args, self.forces(q, loads))[self.v] if loads else pin.aba(*args)[self.v]

    def mass(self, q):
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        full = upper + np.triu(upper, 1).T
        return full[np.ix_(self.v, self.v)]


def from_urdf(path: Path, joint_names) -> Oracle:
    return Oracle(pin.buildModelFromUrdf(str(path)), joint_names)


def se3(pose):
    return pin.SE3(np.asarray(pose.R, dtype=float), np.asarray(pose.p, dtype=float))


def inertia(body):
    return pin.Inertia(float(body.mass), np.asarray(body.com), np.asarray(body.inertia))


def joint_model(joint):
    axis = np.asarray(joint.axis, dtype=float)
    if joint.turn and joint.slide:
        return pin.JointModelHelicalUnaligned(axis, float(joint.slide))
    return pin.JointModelRevoluteUnaligned(axis) if joint.turn else pin.JointModelPrismaticUnaligned(axis)


def depth_first(links):
    """Pinocchio's mass matrix needs every subtree in one piece."""
    order, waiting = [], [link for link in reversed(links) if link.parent is None]
    while waiting:
        link = waiting.pop()
        order.append(link)
        waiting += [k for k in reversed(links) if k.parent == link.name]
    return order


def from_links(robot) -> tuple[Oracle, dict[str, tuple[int, object]]]:
    """The oracle of a robot's declared links and payloads, and where each link sits: (joint, placement)."""
    model = pin.Model()
    model.gravity = pin.Motion(np.asarray(robot.gravity, dtype=float), np.zeros(3))
    seat: dict[str, tuple[int, object]] = {}
    for link in depth_first(robot.links):
        parent, placement = seat[link.parent] if link.parent else (0, pin.SE3.Identity())
        mount = placement * se3(link.mount)
        for screw in link.joint.screws():  # of several, the first ones carry no body
            parent = model.addJoint(parent, joint_model(screw), mount, screw.name)
            model.armature[model.idx_vs[parent]] = float(screw.armature)
            mount = pin.SE3.Identity()
        seat[link.name] = (parent, mount * se3(link.origin))
        model.appendBodyToJoint(seat[link.name][0], inertia(link.body), seat[link.name][1])
    for payload in robot.payloads:
        index, placement = seat[payload.link]
        model.appendBodyToJoint(index, inertia(payload.body), placement * se3(payload.pose))
    return Oracle(model, robot.joint_names), seat


def assert_close(ours, theirs, tolerance=1e-12):
    """Equal relative to the largest entry."""
    scale = max(np.abs(theirs).max(initial=0.0), 1e-300)
    error = np.abs(np.asarray(ours) - theirs).max(initial=0.0) / scale
    assert error <= tolerance, f"relative error {error:.2e}"
