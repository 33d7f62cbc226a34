"""Bodies that nature does not allow: mass, positive moments, the triangle inequality (pseudo-inertia ⪰ 0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from steiner.checks.rule import Remark, about_link
from steiner.doors import opened
from steiner.inertia import STATED, MassProperties
from steiner.inertia.properties import second_of
from steiner.model.link import HEAVIEST, LIGHTEST, Link
from steiner.model.robot import Robot
from steiner.model.source import element
from steiner.scalar import is_number

TINY = 1e-290  # kg, kg m²
POINT = 1e-8  # m
MODERATE = 1e12  # kg, m, kg m², links
ROOM = 1e6  # eigenvalues of numbers nearer to the largest float do not converge


def overflow(robot: Robot) -> Iterator[Remark]:
    """Moments that are no numbers any more; every other rule may count on finite ones."""
    if _are_moderate(robot):
        return
    for link in robot.links:
        if not finite(*(ROOM * x for x in (link.body.inertia, second_of(link.body.inertia)))):
            yield about_link(link, "moments so large that their sums overflow; check the units", "inertia")
            return
    from steiner.model.tree import GROUND  # who has moderate numbers needs no tree

    tree = robot.tree
    names = {GROUND: robot.links[0].name} | {i: body.name for i, body in enumerate(tree.bodies)}
    standing = [load for load in tree.loads if tree.places[load.link].body == GROUND]
    for index in dict.fromkeys([*(place.body for place in tree.places.values()), GROUND]):
        moments = tree.moments(standing)[GROUND] if index == GROUND else tree.bodies[index].moments
        if not finite(*moments):
            name = names[index]
            text = "masses and distances here are so large that their moments overflow; check the units"
            yield Remark(element("link", name), text, name)
            return
    if not finite(robot.total_mass):
        yield Remark("", f"the masses of {robot.name!r} are so large that their sum overflows; check the units")


def _are_moderate(robot: Robot) -> bool:
    """Whether all numbers are so far from the largest float that no sum of moments is near it."""
    loads = [(link.body, link.mount.p, link.origin.p) for link in robot.links]
    loads += [(payload.body, payload.pose.p, payload.pose.p) for payload in robot.payloads]
    values = [x for body, *places in loads for x in (body.inertia.ravel(), body.com, *places)]
    masses = [body.mass for body, *_ in loads]
    if len(loads) > MODERATE or not all(isinstance(m, float) and abs(m) < MODERATE for m in masses):
        return False
    return all(x.dtype == np.float64 for x in values) and bool(np.abs(np.concatenate(values)).max() < MODERATE)


def underflow(robot: Robot) -> Iterator[Remark]:
    """Masses and moments that are hardly floats any more: whatever is divided by them overflows."""
    for link in robot.links:
        moments = {"mass": [link.body.mass], "inertia": link.body.inertia.diagonal().tolist()}
        for what, values in moments.items():
            small = [float(x) for x in values if is_number(x) and 0 < abs(x) < TINY]
            if small:
                text = f"{small[0]!r} is so small that what is divided by it overflows; write 0, or check the units"
                yield about_link(link, text, what)


def finite(*values: Any) -> bool:
    """Whether all numbers are finite; symbols count as such."""
    arrays = [np.asarray(x) for x in values]
    return all(a.dtype == object or bool(np.isfinite(a).all()) for a in arrays)


def odd_mass(robot: Robot) -> Iterator[Remark]:
    """Masses that no link has."""
    for link in robot.links:
        mass = link.body.mass
        if is_number(mass) and mass and not LIGHTEST < mass < HEAVIEST:
            yield about_link(link, f"{float(mass)!r} kg is odd for a link; is the file in other units?", "mass")


# ---- impossible bodies -----------------------------------------------------------------------


@lru_cache(maxsize=1024)  # three rules ask for each body
def fault_of(body: MassProperties) -> str:
    """Which law a body breaks: "mass", "moments" (one is negative) or "triangle"; nothing if a body can be so."""
    if not body.is_numeric or body.is_physical(STATED) or is_point(body):
        return ""
    if body.mass <= 0:
        return "mass"
    moments = np.linalg.eigvalsh(body.inertia.astype(float))
    return "moments" if moments[0] < -STATED * moments[2] else "triangle"


def is_point(body: MassProperties) -> bool:
    """Whether all the mass is in one point, but for round-off of its file: within nanometres."""
    return bool(body.mass > 0 and np.abs(body.inertia.astype(float)).max() <= float(body.mass) * POINT**2)


def impossible(body: MassProperties) -> str:
    """Why no body has these mass properties; nothing if one may."""
    return f"no body has {float(body.mass)!r} kg with {body.fault()}" if fault_of(body) else ""


def _broken(law: str) -> Callable[[Robot], Iterator[Remark]]:
    def judge(robot: Robot) -> Iterator[Remark]:
        for link in robot.links:
            if fault_of(link.body) == law:
                cause = opened("checks.guesses:guess_for_impossible")(link)
                yield about_link(link, impossible(link.body), "inertia", cause, _nearest(link))

    return judge


def _nearest(link: Link) -> str:
    import shlex

    if link.body.mass <= 0:
        return ""
    near, distance = link.body.nearest_physical()
    command = f"steiner fix FILE -o NEW --link {shlex.quote(link.name)} --nearest-physical"
    tensor = opened("checks.guesses:tensor_text")(near.inertia)
    return f"the nearest possible tensor is {tensor}, {distance:.2g} away: {command}"


tensor_without_mass = _broken("mass")
tensor_without_mass.__doc__ = "Moments of inertia without a mass to have them; published tables hold such."
negative_moments = _broken("moments")
negative_moments.__doc__ = "Tensors that are not positive: turning about some axis would give energy back."
triangle = _broken("triangle")
triangle.__doc__ = "Principal moments of which one exceeds the sum of the others: a negative second moment of mass."


def point_mass(robot: Robot) -> Iterator[Remark]:
    """Masses without any moment of inertia of their own."""
    for link in robot.links:
        body = link.body
        if body.is_numeric and is_point(body):
            yield about_link(link, f"{float(body.mass):.4g} kg without moments of inertia: a point", "inertia")
