"""Arms of today: published descriptions as tables of numbers, each with its source.

A row is a joint and the link it carries: name, position and roll-pitch-yaw of the joint in the parent,
axis, mass, centre, inertia (xx xy xz yy yz zz about the centre), limits (lower, upper, speed, effort).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi, radians
from typing import Any

from steiner.inertia import MassProperties
from steiner.model.friction import Viscous
from steiner.model.joints import Fixed, JointLimits, Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.spatial import Pose

H = pi / 2
ZERO = (0.0, 0.0, 0.0)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

PANDA = (
    (1, (0, 0, 0.333), ZERO, 4.970684, (0.003875, 0.002081, -0.04762),
     (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117), (-2.8973, 2.8973, 2.175, 87)),
    (2, ZERO, (-H, 0, 0), 0.646926, (-0.003141, -0.02872, 0.003495),
     (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995), (-1.7628, 1.7628, 2.175, 87)),
    (3, (0, -0.316, 0), (H, 0, 0), 3.228604, (0.027518, 0.039252, -0.066502),
     (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083), (-2.8973, 2.8973, 2.175, 87)),
    (4, (0.0825, 0, 0), (H, 0, 0), 3.587895, (-0.05317, 0.104419, 0.027454),
     (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323), (-3.0718, -0.0698, 2.175, 87)),
    (5, (-0.0825, 0.384, 0), (-H, 0, 0), 1.225946, (-0.011953, 0.041065, -0.038437),
     (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627), (-2.8973, 2.8973, 2.61, 12)),
    (6, ZERO, (H, 0, 0), 1.666555, (0.060149, -0.014117, -0.010517),
     (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433), (-0.0175, 3.7525, 2.61, 12)),
    (7, (0.088, 0, 0), (H, 0, 0), 0.735522, (0.010517, -0.004252, 0.061597),
     (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815), (-2.8973, 2.8973, 2.61, 12)),
)  # fmt: skip

UR5 = (
    ("shoulder_pan_joint", "shoulder_link", (0, 0, 0.089159), ZERO, Z, 3.7, ZERO, (0.010267495893, 0.00666),
     (2 * pi, 3.15, 150)),
    ("shoulder_lift_joint", "upper_arm_link", (0, 0.13585, 0), (0, H, 0), Y, 8.393, (0, 0, 0.28),
     (0.22689067591, 0.0151074), (2 * pi, 3.15, 150)),
    ("elbow_joint", "forearm_link", (0, -0.1197, 0.425), ZERO, Y, 2.275, (0, 0, 0.25), (0.049443313556, 0.004095),
     (pi, 3.15, 150)),
    ("wrist_1_joint", "wrist_1_link", (0, 0, 0.39225), (0, H, 0), Y, 1.219, ZERO, (0.111172755531, 0.21942),
     (2 * pi, 3.2, 28)),
    ("wrist_2_joint", "wrist_2_link", (0, 0.093, 0), ZERO, Z, 1.219, ZERO, (0.111172755531, 0.21942),
     (2 * pi, 3.2, 28)),
    ("wrist_3_joint", "wrist_3_link", (0, 0, 0.09465), ZERO, Y, 0.1879, ZERO, (0.0171364731454, 0.033822),
     (2 * pi, 3.2, 28)),
)  # fmt: skip

IIWA = (
    ((0, 0, 0.1575), ZERO, 4, (0, -0.03, 0.12), (0.1, 0.09, 0.02), 170),
    ((0, 0, 0.2025), (H, 0, pi), 4, (0.0003, 0.059, 0.042), (0.05, 0.018, 0.044), 120),
    ((0, 0.2045, 0), (H, 0, pi), 3, (0, 0.03, 0.13), (0.08, 0.075, 0.01), 170),
    ((0, 0, 0.2155), (H, 0, 0), 2.7, (0, 0.067, 0.034), (0.03, 0.01, 0.029), 120),
    ((0, 0.1845, 0), (-H, pi, 0), 1.7, (0.0001, 0.021, 0.076), (0.02, 0.018, 0.005), 170),
    ((0, 0, 0.2155), (H, 0, 0), 1.8, (0, 0.0006, 0.0004), (0.005, 0.0036, 0.0047), 120),
    ((0, 0.081, 0), (-H, pi, 0), 0.3, (0, 0, 0.02), (0.001, 0.001, 0.001), 175),
)


def _symmetric(entries: Iterable[float]) -> list[list[float]]:
    xx, xy, xz, yy, yz, zz = entries
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _tool(name: str, parent: str, mount: Pose, body: MassProperties | None = None) -> Link:
    return Link(name, parent, Fixed(name=f"{name}_joint"), mount, body or MassProperties.zero())


def panda() -> Robot:
    """Franka Emika Panda with its hand, the fingers closed and held."""
    base = _symmetric((0.00315, 8.2904e-07, 0.00015, 0.00388, 8.2299e-06, 0.004285))
    links: list[Any] = [Link("panda_link0", body=MassProperties(0.629769, (-0.041018, -0.00014, 0.049974), base))]
    for i, xyz, rpy, mass, centre, entries, limits in PANDA:
        joint = Revolute(name=f"panda_joint{i}", friction=Viscous(0.003), limits=JointLimits(*limits))
        body = MassProperties(mass, centre, _symmetric(entries))
        links.append(Link(f"panda_link{i}", f"panda_link{i - 1}", joint, Pose.from_rpy(xyz, rpy), body))
    finger = MassProperties(0.015, ZERO, (2.375e-06, 2.375e-06, 7.5e-07))
    hand = MassProperties(0.73, (-0.01, 0, 0.03), (0.001, 0.0025, 0.0017))
    links += [
        _tool("panda_link8", "panda_link7", Pose.from_rpy((0, 0, 0.107))),
        _tool("panda_hand", "panda_link8", Pose.from_rpy(rpy=(0, 0, -pi / 4)), hand),
        _tool("panda_hand_tcp", "panda_hand", Pose.from_rpy((0, 0, 0.1034))),
        _tool("panda_leftfinger", "panda_hand", Pose.from_rpy((0, 0, 0.0584)), finger),
        _tool("panda_rightfinger", "panda_hand", Pose.from_rpy((0, 0, 0.0584)), finger),
    ]
    return Robot("panda", tuple(links))


def ur5() -> Robot:
    """Universal Robots UR5; every link is a body of revolution about its z axis."""
    base = MassProperties(4.0, ZERO, (0.00443333156, 0.00443333156, 0.0072))
    links = [Link("base_link", body=base)]
    for name, link, xyz, rpy, axis, mass, centre, (across, along), (angle, speed, effort) in UR5:
        joint = Revolute(name=name, axis=axis, limits=JointLimits(-angle, angle, speed, effort))
        body = MassProperties(mass, centre, (across, across, along))
        links.append(Link(link, links[-1].name, joint, Pose.from_rpy(xyz, rpy), body))
    links.append(_tool("tool0", "wrist_3_link", Pose.from_rpy((0, 0.0823, 0), (-H, 0, 0))))
    return Robot("ur5", tuple(links))


def iiwa() -> Robot:
    """KUKA LBR iiwa 14."""
    links = [Link("lbr_iiwa_link_0", body=MassProperties(5.0, (-0.1, 0, 0.07), (0.05, 0.06, 0.03)))]
    for i, (xyz, rpy, mass, centre, moments, degrees) in enumerate(IIWA, 1):
        limits = JointLimits(-radians(degrees), radians(degrees), 10.0, 300.0)
        joint = Revolute(name=f"lbr_iiwa_joint_{i}", friction=Viscous(0.5), limits=limits)
        body = MassProperties(mass, centre, moments)
        links.append(Link(f"lbr_iiwa_link_{i}", links[-1].name, joint, Pose.from_rpy(xyz, rpy), body))
    return Robot("iiwa", tuple(links))
