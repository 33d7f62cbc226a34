"""Rules: what is odd, wrong or impossible in a model, whatever file or program it came from.

A rule is a function that gives remarks about a robot and one row of `RULES` (about a drawing: of `DRAWING_RULES`).
Readers report what they cannot read; meaning is judged here, after the model is built, with the file and line that
`robot.source` knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from steiner.assembly.plausible import odd_density, odd_size
from steiner.assembly.tree import Assembly, Part
from steiner.findings import Finding
from steiner.inertia import MassProperties, second_of
from steiner.model.joints import Joint, JointLimits
from steiner.model.link import HEAVIEST, LIGHTEST, PHYSICAL, ROLES, Link
from steiner.model.robot import NO_SOURCE, Robot
from steiner.model.source import Source, element
from steiner.model.tree import GROUND
from steiner.scalar import is_number, is_zero
from steiner.solids.base import Solid
from steiner.spatial import Pose, snapped

TINY = 1e-290  # kg, kg m²
MOST_TURNS = 2  # of a turning joint; limits beyond that look like degrees
COARSE = 1e-5  # entries of a rotation this near to those of an exact angle are not meant otherwise


class Remark(NamedTuple):
    """What a rule has to say: about which element ("" is the whole), what, and at which link."""

    element: str
    text: str
    link: str = ""


@final
@dataclass(frozen=True)
class Rule:
    """A judgement with its name, its severity, what usually causes it and what to do."""

    code: str
    severity: str
    judge: Callable[[Any], Iterable[Remark]]
    cause: str = ""
    fix: str = ""

    def __call__(self, model: Robot | Assembly, source: Source | None = None) -> Iterator[Finding]:
        """Findings about a model, with the places that its source knows."""
        if source is None:
            source = model.source if isinstance(model, Robot) else NO_SOURCE
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told
            remarks = list(self.judge(model))
        for what, text, link in remarks:
            yield Finding(
                self.code, f"{what}: {text}" if what else text, self.severity,
                file=source.file, line=source.line(what), link=link, cause=self.cause, fix=self.fix,
            )  # fmt: skip


# ---- bodies ----------------------------------------------------------------------------------


def overflow(robot: Robot) -> Iterator[Remark]:
    """Moments that are no numbers any more; every other rule may count on finite ones."""
    for link in robot.links:
        if not _finite(link.body.inertia, second_of(link.body.inertia)):
            what = element("link", link.name, "inertia")
            yield Remark(what, "moments so large that their sums overflow; check the units", link.name)
            return
    tree = robot.tree
    names = {GROUND: robot.links[0].name} | {i: body.name for i, body in enumerate(tree.bodies)}
    for index, moments in tree.moments(tree.loads).items():
        if not _finite(*moments):
            name = names[index]
            text = "masses and distances here are so large that their moments overflow; check the units"
            yield Remark(element("link", name), text, name)
            return
    if not _finite(robot.total_mass):
        yield Remark("", f"the masses of {robot.name!r} are so large that their sum overflows; check the units", "")


def underflow(robot: Robot) -> Iterator[Remark]:
    """Masses and moments that are hardly floats any more: whatever is divided by them overflows."""
    for link in robot.links:
        moments = {"mass": [link.body.mass], "inertia": np.diagonal(link.body.inertia)}
        for what, values in moments.items():
            small = [float(x) for x in values if is_number(x) and 0 < abs(x) < TINY]
            if small:
                text = f"{small[0]!r} is so small that what is divided by it overflows; write 0, or check the units"
                yield Remark(element("link", link.name, what), text, link.name)


def odd_mass(robot: Robot) -> Iterator[Remark]:
    """Masses that no link has."""
    for link in robot.links:
        mass = link.body.mass
        if is_number(mass) and mass and not LIGHTEST < mass < HEAVIEST:
            text = f"{float(mass)!r} kg is odd for a link; is the file in other units?"
            yield Remark(element("link", link.name, "mass"), text, link.name)


def density_of_links(robot: Robot) -> Iterator[Remark]:
    """Links of a matter that there is not: by the parts of their drawing, or all of the link in its shapes."""
    for link in robot.links:
        if link.made_of is not None:
            yield from (Remark(element("link", link.name), f"{what}: {text}", link.name)
                        for what, text, _ in density_of_parts(link.made_of))  # fmt: skip
        elif text := odd_density(link.body.mass, _room(link)):
            yield Remark(element("link", link.name), text, link.name)


def _room(link: Link) -> Any:
    """Volume of what a link looks or collides like, the larger of both; 0 if a file or a symbol is among it."""
    if any(s.solid is None or not is_number(s.solid.volume) for s in link.shapes):
        return 0
    return max(sum(s.solid.volume for s in link.shapes if s.solid and s.role == role) for role in ROLES)


def size_of_links(robot: Robot) -> Iterator[Remark]:
    """Links so large or so small that lengths must be in another unit."""
    for link in robot.links:
        drawn = size_of_parts(link.made_of) if link.made_of is not None else ()
        shown = ((f"shape {s.name!r}" if s.name else "a shape", odd_size(s.solid)) for s in link.shapes if s.solid)
        for what, text, *_ in (*drawn, *shown):
            if text:
                yield Remark(element("link", link.name), f"{what}: {text}", link.name)


def unphysical(robot: Robot) -> Iterator[Remark]:
    """Bodies that no distribution of mass has; published tables hold such."""
    for link in robot.links:
        if fault := impossible(link.body):
            yield Remark(element("link", link.name, "inertia"), fault, link.name)


def impossible(body: MassProperties) -> str:
    """Why no body has these mass properties; nothing if one may."""
    if not body.is_numeric or body.is_physical(PHYSICAL):
        return ""
    return f"no body has {float(body.mass)!r} kg with {body.fault()}"


def massless(robot: Robot) -> Iterator[Remark]:
    """Moving bodies without any mass: inverse dynamics works, forward dynamics may not."""
    for body in robot.bodies:
        mass, _, second = body.moments
        if not body.between and is_zero(mass) and all(is_zero(x) for x in np.ravel(second)):
            text = "moves but has no mass, nor has what is fixed to it; its inertia counts as zero"
            yield Remark(element("link", body.name), text, body.name)


# ---- joints ----------------------------------------------------------------------------------


def immobile(robot: Robot) -> Iterator[Remark]:
    """A robot that cannot move."""
    if not robot.bodies:
        yield Remark("", f"robot {robot.name!r} has no moving joint")


def limits_missing(robot: Robot) -> Iterator[Remark]:
    """Joints that ought to have limits by their kind: the reader found none and left them open."""
    for link, joint, limits in _limited(robot):
        if limits == JointLimits():
            text = f"a {type(joint).__name__.lower()} joint without limits; read as unlimited"
            yield Remark(element("joint", joint.name), text, link.name)


def limits_swapped(robot: Robot) -> Iterator[Remark]:
    """Ranges without any position in them."""
    for link, joint, (lower, upper, *_) in _limited(robot):
        if is_number(lower) and is_number(upper) and lower > upper:
            text = f"lower {float(lower)!r} exceeds upper {float(upper)!r}; no position is within them"
            yield Remark(element("joint", joint.name, "limit"), text, link.name)


def limits_in_degrees(robot: Robot) -> Iterator[Remark]:
    """Ranges of a turning joint over many turns."""
    most = MOST_TURNS * 2 * math.pi * (1 + 1e-6)
    for link, joint, limits in _limited(robot):
        far = [float(x) for x in limits[:2] if is_number(x) and abs(x) > most]
        if far and not is_zero(joint.turn):
            text = f"a limit of {far[0]!r} rad is {abs(far[0]) / (2 * math.pi):.3g} turns; is it in degrees?"
            yield Remark(element("joint", joint.name, "limit"), text, link.name)


def _limited(robot: Robot) -> Iterator[tuple[Link, Joint, Any]]:
    """Moving joints that have limits, each of them None, a number or a symbol."""
    for link in robot.links:
        for screw in link.joint.screws():
            if screw.limits is not None:
                yield link, screw, screw.limits


def coarse_angle(robot: Robot) -> Iterator[Remark]:
    """Angles such as 1.5708: near an exact one, but further off than what is snapped."""
    for link in robot.links:
        for aspect, pose in (("origin", link.mount), ("frame", link.origin)):
            if off := _rounded(pose):
                text = f"{off:.1g} away from an exact angle, as if rounded; a right angle is 1.5707963267948966"
                kind, name = ("joint", link.joint.name) if link.joint.name else ("link", link.name)
                yield Remark(element(kind, name, aspect), text, link.name)


def _rounded(pose: Pose) -> float:
    if pose.R.dtype != np.float64:
        return 0.0
    exact = snapped(pose.R, COARSE)
    if np.abs(exact @ exact.T - np.eye(3)).max() > 1e-14:  # some entries near, some not: an angle of its own
        return 0.0
    off = float(np.abs(exact - pose.R).max())
    return off if off > 1e-10 else 0.0


# ---- what the reader did ---------------------------------------------------------------------


def mimic_free(robot: Robot) -> Iterator[Remark]:
    """Joints that follow others in the file and not in the model."""
    if robot.source.mimic:
        names = ", ".join(robot.source.mimic)
        yield Remark(
            "",
            f"joints {names} mimic others and are read as free joints with their own coordinates; "
            'pass mimic="coupled" to couple them',
        )


def left_out(robot: Robot) -> Iterator[Remark]:
    """Things of the file that the model lacks."""
    return (Remark(what, text) for what, text in robot.source.warnings.items())


def normalised(robot: Robot) -> Iterator[Remark]:
    """Axes that were made unit vectors."""
    return (Remark(what, text) for what, text in robot.source.normalised.items())


def angle_snapped(robot: Robot) -> Iterator[Remark]:
    """Angles that were made exact."""
    return (Remark(what, text) for what, text in robot.source.snapped.items())


# ---- drawings --------------------------------------------------------------------------------


def overflow_part(assembly: Assembly) -> Iterator[Remark]:
    """Moments of a measured body, or of the whole, that are no numbers any more."""
    for node in assembly.nodes():
        body = node.part.body
        if body is not None and not _finite(body.inertia, second_of(body.inertia)):
            text = "moments so large that their sums overflow; check the units"
            yield Remark(element("part", node.path, "body"), text)
    if not _finite(assembly.mass_properties.inertia):
        yield Remark("", f"masses and distances in {assembly.name!r} are so large that their moments overflow")


def unphysical_part(assembly: Assembly) -> Iterator[Remark]:
    """Measured bodies that no distribution of mass has."""
    for node in assembly.nodes():
        if node.part.body is not None and (fault := impossible(node.part.body)):
            yield Remark(element("part", node.path, "body"), f"{fault}; it is used as given")


def density_of_parts(assembly: Assembly) -> Iterator[Remark]:
    """Parts of a matter that there is not."""
    for path, part, solid in _solids(assembly):
        if text := odd_density(part.mass_properties.mass, solid.volume):
            yield Remark(element("part", path), text)


def size_of_parts(assembly: Assembly) -> Iterator[Remark]:
    """Parts so large or so small that lengths must be in another unit."""
    for path, _, solid in _solids(assembly):
        if text := odd_size(solid):
            yield Remark(element("part", path), text)


def _solids(assembly: Assembly) -> Iterator[tuple[str, Part, Solid]]:
    """Parts with a shape, and their paths."""
    for path, part, *_ in assembly.nodes():
        if isinstance(part, Part) and part.solid is not None:
            yield path, part, part.solid


def _finite(*values: Any) -> bool:
    arrays = [np.asarray(x) for x in values]
    return all(a.dtype == object or bool(np.isfinite(a).all()) for a in arrays)


_UNIT = "a unit: grams, pounds or millimetres where kilograms and metres are meant"
_TENSOR = "a tensor about another point or with products of the other sign, lost digits, or a made-up table"
_EXPORT = "export the part again, or take the nearest possible body: body.nearest_physical()"

# rules in the order in which they are told; nothing is asked after a fatal one
_RULES = (
    Rule("overflow", "fatal", overflow, _UNIT, "scale the model to kilograms and metres"),
    Rule("mimic-free", "warning", mimic_free, "<mimic> and its kind", 'load with mimic="coupled"'),
    Rule("left-out", "warning", left_out, "it has no meaning where it stands", "take it out of the file"),
    Rule("underflow", "warning", underflow, _UNIT, "write kilograms and metres, or 0"),
    Rule("odd-mass", "warning", odd_mass, _UNIT, "write masses in kilograms"),
    Rule("odd-density", "warning", density_of_links, _UNIT, "write kilograms, and the unit of lengths"),
    Rule("odd-size", "warning", size_of_links, _UNIT, "write the unit of lengths"),
    Rule("unphysical", "error", unphysical, _TENSOR, _EXPORT),
    Rule("limits-missing", "warning", limits_missing, "", "state the limits, or make the joint a continuous one"),
    Rule("limits-swapped", "warning", limits_swapped, "lower and upper exchanged", "exchange them"),
    Rule("limits-in-degrees", "warning", limits_in_degrees, "degrees in place of radians", "write radians"),
    Rule("massless", "warning", massless, "a link without inertia, or a frame that should be fixed", "give it a mass"),
    Rule("immobile", "warning", immobile, "all joints are fixed, or there are none", ""),
    Rule("axis-normalised", "note", normalised, "", "write a unit vector"),
    Rule("angle-snapped", "note", angle_snapped, "an exact angle cut off after some digits", "load with snap=False"),
    Rule("angle-coarse", "note", coarse_angle, "an exact angle rounded to a few digits", "write all its digits"),
)
RULES = {rule.code: rule for rule in _RULES}
_DRAWING_RULES = (
    Rule("overflow-part", "fatal", overflow_part, _UNIT, "write kilograms and metres, or name the unit"),
    Rule("odd-density-part", "warning", density_of_parts, _UNIT, "write kilograms, and the unit of lengths"),
    Rule("odd-size-part", "warning", size_of_parts, _UNIT, "write the unit of lengths"),
    Rule("unphysical-part", "error", unphysical_part, _TENSOR, _EXPORT),
)
DRAWING_RULES = {rule.code: rule for rule in _DRAWING_RULES}


def judged(model: Robot | Assembly, source: Source | None = None) -> list[Finding]:
    """What the rules have to say about a robot or a drawing; `source` knows the places of a drawing."""
    found: list[Finding] = []
    for rule in (RULES if isinstance(model, Robot) else DRAWING_RULES).values():
        found += rule(model, source)
        if any(f.severity == "fatal" for f in found):
            break
    return found
