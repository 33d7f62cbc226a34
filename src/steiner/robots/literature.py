"""Arms whose numbers were published: each table as printed, with its source.

Lengths in metres, masses in kg, inertia about the centre of mass along the axes of the DH frame.
"""

from __future__ import annotations

from math import pi, radians

from steiner.inertia import MassProperties
from steiner.model.dh import DH, from_dh
from steiner.model.friction import Coulomb, Viscous
from steiner.model.joints import JointLimits
from steiner.model.robot import Robot
from steiner.model.source import Source

# d, a, alpha, mass, centre, moments, motor inertia, gear ratio, motor friction, Coulomb +, −, limits (degrees)
CORKE = (
    (0.67183, 0, pi / 2, 0, (0, 0, 0), (0, 0.35, 0), 200e-6, -62.6111, 1.48e-3, 0.395, 0.435, (-160, 160)),
    (0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815, 0.817e-3, 0.126, 0.071,
     (-45, 225)),
    (0.15005, 0.0203, -pi / 2, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125), 200e-6, -53.7063, 1.38e-3, 0.132,
     0.105, (-225, 45)),
    (0.4318, 0, pi / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364, 71.2e-6, 11.2e-3, 16.9e-3,
     (-110, 170)),
    (0, 0, -pi / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923, 82.6e-6, 9.26e-3, 14.5e-3, (-100, 100)),
    (0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686, 36.7e-6, 3.96e-3, 10.5e-3, (-266, 266)),
)  # fmt: skip

# alpha, a, d, mass, centre, moments, reflected motor inertia
ARMSTRONG = (
    (0, 0, 0, 0, (0, 0, 0), (0, 0, 0.35), 1.14),
    (-pi / 2, 0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.130, 0.524, 0.539), 4.71),
    (0, 0.4318, -0.0934, 4.8, (0, -0.070, 0.014), (0.066, 0.0125, 0.086), 0.827),
    (pi / 2, -0.0203, 0.4331, 0.82, (0, 0, -0.019), (1.8e-3, 1.8e-3, 1.3e-3), 0.200),
    (-pi / 2, 0, 0, 0.34, (0, 0, 0), (0.3e-3, 0.3e-3, 0.4e-3), 0.179),
    (pi / 2, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 0.193),
)

# joint, theta, d, a, alpha, mass, centre, moments, reflected motor inertia, limits (degrees; inches for the slider)
STANFORD = (
    ("revolute", 0, 0.412, 0, -pi / 2, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071), 0.953, (-170, 170)),
    ("revolute", 0, 0.154, 0, pi / 2, 5.01, (0, -1.054, 0), (0.108, 0.018, 0.100), 2.193, (-170, 170)),
    ("prismatic", -pi / 2, 0, 0.0203, 0, 4.25, (0, 0, -6.447), (2.51, 2.51, 0.006), 0.782, (12, 50)),
    ("revolute", 0, 0, 0, -pi / 2, 1.08, (0, 0.092, -0.054), (0.002, 0.001, 0.001), 0.106, (-170, 170)),
    ("revolute", 0, 0, 0, pi / 2, 0.630, (0, 0, 0.566), (0.003, 0.003, 0.0004), 0.097, (-90, 90)),
    ("revolute", 0, 0, 0, 0, 0.51, (0, 0, 1.554), (0.013, 0.013, 0.0003), 0.020, (-170, 170)),
)

INCH = 0.0254


AS_PRINTED = Source(notes=("numbers are kept as printed, impossible bodies too",))


def puma560() -> Robot:
    """Unimation Puma 560, Corke's numbers: motors and friction are referred to the joints.

    A motor behind a gear of ratio G adds G²J to the joint's inertia, G²B to its viscous and |G|T to
    its Coulomb friction; the direction that counts is the joint's.
    """
    return from_dh(
        [
            DH(
                d=d, a=a, alpha=alpha, body=MassProperties(mass, centre, moments), armature=gear**2 * rotor,
                friction=Viscous(gear**2 * viscous) + Coulomb(abs(gear) * forward, abs(gear) * backward),
                limits=JointLimits(*map(radians, limits)),
            )
            for d, a, alpha, mass, centre, moments, rotor, gear, viscous, forward, backward, limits in CORKE
        ],
        name="puma560",
        source=AS_PRINTED,
    )  # fmt: skip


def puma560akb() -> Robot:
    """Unimation Puma 560 as Armstrong, Khatib and Burdick took it apart and measured it."""
    return from_dh(
        [
            DH(alpha=alpha, a=a, d=d, body=MassProperties(mass, centre, moments), armature=rotor)
            for alpha, a, d, mass, centre, moments, rotor in ARMSTRONG
        ],
        convention="modified",
        name="puma560akb",
        source=AS_PRINTED,
    )


def stanford() -> Robot:
    """Scheinman's Stanford arm, five turning joints and one sliding."""
    return from_dh(
        [
            DH(
                theta=theta, d=d, a=a, alpha=alpha, joint=joint, body=MassProperties(mass, centre, moments),
                armature=rotor, limits=JointLimits(*(radians(x) if joint == "revolute" else x * INCH for x in limits)),
            )
            for joint, theta, d, a, alpha, mass, centre, moments, rotor, limits in STANFORD
        ],
        name="stanford",
        source=AS_PRINTED,
    )  # fmt: skip
