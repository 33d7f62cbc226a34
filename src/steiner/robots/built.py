"""Arms built from parts: shapes and materials give the masses.  All dimensions here are illustrative.

Each link keeps its assembly (`made_of`), so that mass budgets can be printed and every torque traced back to the
part that causes it.
"""

from __future__ import annotations

from math import pi
from typing import Any, NamedTuple

from steiner.assembly.tree import Assembly, Part
from steiner.model.joints import Fixed, Joint, JointLimits, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source
from steiner.solids.primitives import Box, Cylinder, Tube
from steiner.spatial import IDENTITY, Pose

DOWN_Y = (0.0, -9.81, 0.0)  # the sheet of paper is the x-y plane


class Stage(NamedTuple):
    """One link on its way into a robot: an assembly in its own frame, and how it hangs on the parent."""

    assembly: Assembly
    parent: str | None = None
    joint: Joint = Fixed()
    mount: Pose = IDENTITY
    origin: Pose = IDENTITY


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose:
    """A pose that only shifts."""
    return Pose(p=(x, y, z))


def assembled(name: str, stages: list[Stage], *, gravity: Any = EARTH, tool: Pose | None = None) -> Robot:
    """The robot of some assemblies; `tool` adds a frame without mass on the last link."""
    links = [
        Link(s.assembly.name, s.parent, s.joint, s.mount, origin=s.origin, made_of=s.assembly) for s in stages
    ]
    if tool is not None:
        links.append(Link("tool", links[-1].name, Fixed(), tool))
    return Robot(name, tuple(links), gravity, source=Source(notes=("dimensions are illustrative",)))


def bar(name: str, length: float, width: float, height: float, wall: float, *more: Part) -> Assembly:
    """A hollow aluminium bar along x from the frame's origin, its ends solid, and what is mounted on it."""
    inside = Box(length - 2 * width, width - 2 * wall, height - 2 * wall)
    beam = Part("beam", Box(length, width, height), "aluminium", pose=at(length / 2))
    hollow = Part("hollow", inside, "aluminium", pose=at(length / 2), cavity=True)
    return Assembly(name, (beam, hollow, *more))


def sled(name: str, mass: float) -> Assembly:
    """A block of a known mass around the frame's origin."""
    return Assembly(name, (Part("sled", Box(0.1, 0.08, 0.06), mass=mass),))


def turning(name: str) -> Revolute:
    """A joint about z."""
    return Revolute(name=name, limits=JointLimits(-pi, pi))


def sliding(name: str, axis: tuple[float, float, float]) -> Prismatic:
    """A joint along an axis, one metre long."""
    return Prismatic(name=name, axis=axis, limits=JointLimits(0.0, 1.0))


X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def rr() -> Robot:
    """Two hollow bars in a vertical plane, both joints about z."""
    first = Stage(bar("link1", 0.5, 0.06, 0.04, 0.004), None, turning("joint1"))
    second = Stage(bar("link2", 0.4, 0.04, 0.03, 0.003), "link1", turning("joint2"), at(0.5))
    return assembled("rr", [first, second], gravity=DOWN_Y, tool=at(0.4))


def planar3() -> Robot:
    """Three hollow bars in a vertical plane."""
    first = Stage(bar("link1", 0.5, 0.06, 0.04, 0.004), None, turning("joint1"))
    second = Stage(bar("link2", 0.4, 0.04, 0.03, 0.003), "link1", turning("joint2"), at(0.5))
    third = Stage(bar("link3", 0.2, 0.03, 0.02, 0.002), "link2", turning("joint3"), at(0.4))
    return assembled("planar3", [first, second, third], gravity=DOWN_Y, tool=at(0.2))


def rp() -> Robot:
    """A turning bar with a sled that slides along it: the centre of the sled is d₂ from the axis."""
    first = Stage(bar("link1", 0.6, 0.06, 0.04, 0.004), None, turning("joint1"))
    second = Stage(sled("link2", 1.5), "link1", sliding("joint2", X))
    return assembled("rp", [first, second], gravity=DOWN_Y)


def pr() -> Robot:
    """A sled on a horizontal rail with a bar that swings from it."""
    first = Stage(sled("link1", 2.0), None, sliding("joint1", X))
    second = Stage(bar("link2", 0.4, 0.04, 0.03, 0.003), "link1", turning("joint2"))
    return assembled("pr", [first, second], gravity=DOWN_Y, tool=at(0.4))


def pp() -> Robot:
    """A lift that carries a horizontal slide."""
    first = Stage(sled("link1", 2.0), None, sliding("joint1", Y))
    second = Stage(sled("link2", 1.5), "link1", sliding("joint2", X))
    return assembled("pp", [first, second], gravity=DOWN_Y)


def scara() -> Robot:
    """A SCARA: two parallel vertical axes, and a quill that slides and turns."""
    base = Assembly("base", (Part("column", Tube(0.07, 0.06, 0.3), "aluminium", pose=at(z=0.15)),))
    elbow = Part("elbow motor", Cylinder(0.03, 0.08), mass=0.9, pose=at(0.3, 0, 0.07))
    lift = Part("lift motor", Cylinder(0.02, 0.06), mass=0.45, pose=at(0.17, 0, 0.055))
    quill = Assembly("quill", (Part("rod", Cylinder(0.01, 0.3), "steel"),))
    flange = Assembly("flange", (Part("disc", Cylinder(0.025, 0.012), "aluminium", pose=at(z=-0.006)),))
    down = Prismatic(name="joint3", axis=(0.0, 0.0, -1.0), limits=JointLimits(0.0, 0.2))
    return assembled(
        "scara",
        [
            Stage(base),
            Stage(bar("inner", 0.33, 0.08, 0.06, 0.005, elbow), "base", turning("joint1"), at(z=0.33)),
            Stage(bar("outer", 0.25, 0.06, 0.05, 0.004, lift), "inner", turning("joint2"), at(0.3, 0, -0.06)),
            Stage(quill, "outer", down, at(0.25)),
            Stage(flange, "quill", turning("joint4"), at(z=-0.15)),
        ],
        tool=at(z=-0.012),
    )


def nm7mar() -> Robot:
    """The manipulator of Szumiński and Kapitaniak, §5: three links of three elements, each a cuboid.

    A link's frame is at its far end, and so is that of element r; element l has its frame at −L, where the link
    before ends, and the body k in the middle: along x in links 1 and 2, along z in link 3 (figs 1, 5, 7).  The
    elements have the same volume (eq. 47) and centres that sum to zero, each in its own frame (eq. 48), so that the
    link's centre is at −L/2 (eq. 49).  The paper prints neither dimensions nor the kind of the joints: lengths and
    thicknesses are illustrative, and here two joints turn and the third slides.
    """
    return assembled(
        "nm7mar",
        [
            Stage(_three_elements("link1", 0, 0.45), None, turning("joint1"), at(z=0.6), at(0.45)),
            Stage(_three_elements("link2", 0, 0.35), "link1", turning("joint2"), origin=at(0.35)),
            Stage(_three_elements("link3", 2, 0.30), "link2", Prismatic(name="joint3", limits=JointLimits(-0.3, 0.0))),
        ],
    )


THIN, THICK = 0.06, 0.08  # [m] of the body and of the housings at its ends; illustrative


def _three_elements(name: str, along: int, length: float) -> Assembly:
    """Elements r, k, l: the body of length L − α − β (eq. 35) between housings of the same volume."""
    alpha = beta = 0.2 * length
    body = length - alpha - beta
    housing = body * (THIN / THICK) ** 2  # V_r = V_k = V_l
    inward = alpha - housing / 2  # housings end where the body begins

    def element(part: str, place: float, centre: float, extent: float, thick: float) -> Assembly:
        size, frame, c = [thick] * 3, [0.0] * 3, [0.0] * 3
        size[along], frame[along], c[along] = extent, place, centre
        return Assembly(part, (Part("cuboid", Box(*size), "aluminium", pose=at(*c)),), pose=at(*frame))

    return Assembly(
        name,
        (
            element("r", 0.0, -inward, housing, THICK),
            element("k", -length / 2, 0.0, body, THIN),
            element("l", -length, inward, housing, THICK),
        ),
    )
