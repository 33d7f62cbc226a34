"""Bodies that may be, but are hardly meant: by the link's own geometry, by its twin, or by their numbers alone."""

from __future__ import annotations

import itertools
import math
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from steiner.assembly.plausible import odd_density
from steiner.checks.geometry import Geometry, geometry_of
from steiner.checks.guesses import geometry_words, likely_mistake, tensor_text
from steiner.checks.physical import fault_of
from steiner.checks.rule import Remark, about_link
from steiner.checks.units import mass_unit, room
from steiner.inertia.properties import second_of
from steiner.model.link import Link
from steiner.model.robot import Robot

THIN, DENSE = 50.0, 23_000.0  # kg/m³: an empty plastic shell, and platinum
ALIKE = 1e-3  # relative: twins differ by less
WIDEST = 1.2  # times the largest possible spread of mass; geometry is often simplified
NEAR_HULL = 0.02  # of the geometry's size: a centre this little outside is on the surface


# ---- against the geometry --------------------------------------------------------------------


def _measured(robot: Robot) -> Iterator[tuple[Link, Geometry]]:
    """Links with a mass and a geometry to hold it against."""
    for link in robot.links:
        if link.body.is_numeric and link.body.mass > 0 and (geometry := geometry_of(link)) is not None:
            yield link, geometry


def density_unlikely(robot: Robot) -> Iterator[Remark]:
    """Masses that make the link's geometry lighter than an empty shell or denser than platinum."""
    for link, geometry in _measured(robot):
        mass = float(link.body.mass)
        density = mass / geometry.volume
        if not THIN <= density <= DENSE and not odd_density(mass, room(link)):
            text = f"{mass:.4g} kg in {geometry_words(geometry)} is {density:.3g} kg/m³; expected {THIN:g} to {DENSE:g}"
            light, heavy = (density * geometry.volume for density in (2700, 7850))
            fix = f"weigh it; of aluminium it would be {light:.4g} kg, of steel {heavy:.4g} kg"
            yield about_link(link, text, "mass", mass_unit(link, geometry.volume), fix)


def centre_outside(robot: Robot) -> Iterator[Remark]:
    """Centres of mass outside the hull of the link's geometry."""
    for link, geometry in _measured(robot):
        centre = link.body.com.astype(float)
        out = geometry.outside(centre)
        if out > NEAR_HULL * geometry.size:
            text = (f"the centre of mass {_point(centre)} m lies {1e3 * out:.3g} mm outside the hull of "
                    f"{geometry_words(geometry)}, which is {1e3 * geometry.size:.3g} mm long")  # fmt: skip
            fix = f"the middle of the geometry is {_point(geometry.centre)} m"
            yield about_link(link, text, "origin", _displaced(link, geometry), fix)


def _displaced(link: Link, geometry: Geometry) -> str:
    """The mistake that puts the centre back inside, nearest to the middle."""
    centre = link.body.com.astype(float)
    tried: dict[str, np.ndarray] = {"it is in millimetres": centre / 1000, "it is in centimetres": centre / 100}
    for signs in itertools.product((1, -1), repeat=3):
        turned = ", ".join("xyz"[k] for k in range(3) if signs[k] < 0 and centre[k])
        if turned:
            tried.setdefault(f"{turned} has the other sign" if len(turned) == 1 else f"{turned} have the other sign",
                             centre * signs)  # fmt: skip
    for order in itertools.permutations(range(3)):
        tried.setdefault(f"its coordinates are exchanged ({''.join('xyz'[k] for k in order)})", centre[list(order)])
    if link.mount.p.dtype == np.float64:
        tried["it is in the frame of the parent link"] = link.mount.inverse().apply(centre)
    kept = {words: p for words, p in tried.items() if not geometry.outside(p)}
    inside = {words: float(np.linalg.norm(p - geometry.centre)) for words, p in kept.items()}
    if not inside:
        return ""
    words = min(inside, key=lambda w: inside[w])
    return f"{words}: then it is inside, {1e3 * inside[words]:.3g} mm from the middle of the geometry"


def spread_too_wide(robot: Robot) -> Iterator[Remark]:
    """Moments of inertia that no mass inside the hull of the link's geometry has."""
    for link, geometry in _measured(robot):
        body = link.body
        out = geometry.outside(body.com.astype(float))
        if fault_of(body) or likely_mistake(link) or out > NEAR_HULL * geometry.size:
            continue
        ratio, found, most = geometry.spread(body)
        if ratio > WIDEST:
            text = (f"a radius of gyration of {1e3 * found:.3g} mm; mass inside {geometry_words(geometry)} with this "
                    f"centre has at most {1e3 * most:.3g} mm")  # fmt: skip
            fix = f"an even filling with {float(body.mass):.4g} kg has {tensor_text(geometry.tensor(float(body.mass)))}"
            yield about_link(link, text, "inertia", fix=fix)


def _mistaken(kind: str, what: str) -> Callable[[Robot], Iterator[Remark]]:
    def judge(robot: Robot) -> Iterator[Remark]:
        for link, geometry in _measured(robot):
            found = likely_mistake(link)
            if found is None or found.guess.kind != kind:
                continue
            text = f"the tensor is {found.before:.3g} times its size away from that of {geometry_words(geometry)}"
            if found.before < 3:
                text = f"the tensor is {found.before:.0%} away from that of {geometry_words(geometry)}"
            cause = f"{found.guess.words}: then it is {found.after:.0%} away"
            asked = f": steiner fix FILE -o NEW --link {shlex.quote(link.name)} {found.guess.option}"
            fix = tensor_text(found.tensor) + asked * bool(found.guess.option)
            yield about_link(link, text, "inertia", cause, fix)

    judge.__doc__ = what
    return judge


tensor_unit = _mistaken("unit", "Tensors that fit the link's geometry in another unit: grams, millimetres.")
tensor_about_origin = _mistaken("origin", "Tensors about the link's origin in place of the centre of mass.")
tensor_slots = _mistaken("slots", "Tensors that fit the link's geometry with their slots exchanged.")
product_signs = _mistaken("signs", "Tensors that fit the link's geometry with products of the other sign.")


# ---- by their numbers alone ------------------------------------------------------------------


def placeholder(robot: Robot) -> Iterator[Remark]:
    """Tensors that nobody measured: all ones, the identity, or one power of ten in several links."""
    groups: dict[str, list[Link]] = defaultdict(list)
    for link in robot.links:
        if link.body.is_numeric and link.body.mass > 0 and (words := _typed(link)):
            groups[words].append(link)
    for words, links in groups.items():
        if len(links) > 1 or links[0].body.inertia[0, 0] == 1:
            radii = [math.sqrt(1.5 * float(k.body.inertia[0, 0]) / float(k.body.mass)) for k in links]
            widest = f"mass spread {1e3 * max(radii):.3g} mm all around"
            names = ", ".join(repr(k.name) for k in links[:6]) + (", …" if len(links) > 6 else "")
            more = f" in {len(links)} links ({names})" if len(links) > 1 else ""
            yield about_link(links[0], f"{words}{more}: {widest}", "inertia")


def _typed(link: Link) -> str:
    tensor = link.body.inertia.astype(float)
    first = tensor[0, 0]
    if first > 0 and (tensor == first).all():
        return f"all six numbers of the tensor are {first:g}"
    if first <= 0 or not np.allclose(tensor, first * np.eye(3), rtol=0, atol=1e-12 * first):
        return ""
    if abs(math.log10(first) - round(math.log10(first))) > 1e-9:
        return ""
    return "the tensor is the identity" if first == 1 else f"the tensor is {first:g} times the identity"


def wider_than_the_robot(robot: Robot) -> Iterator[Remark]:
    """Links whose mass is spread wider than the whole robot is long."""
    reach: dict[str | None, float] = {None: 0.0}
    for link in robot.links:
        if not link.body.is_numeric or link.mount.p.dtype != np.float64:
            return
        reach[link.name] = reach.get(link.parent, 0.0) + float(np.linalg.norm(link.mount.p))
    span = 2 * (max(reach.values()) + max(float(np.linalg.norm(link.body.com.astype(float))) for link in robot.links))
    for link in robot.links:
        mass = float(link.body.mass)
        if mass > 0 and span > 0.02:
            widest = np.linalg.eigvalsh(second_of(link.body.inertia.astype(float)))[-1] / mass
            if widest > span**2:
                text = f"{mass:.4g} kg spread over {math.sqrt(widest):.3g} m; the whole robot reaches {span / 2:.3g} m"
                yield about_link(link, text, "inertia")


_SIDES = re.compile(r"(?<![a-zA-Z])(left|Left|LEFT|l|L)(?![a-z])|(?<=[a-z])(Left)(?![a-z])")
_OTHER = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}


def twins_differ(robot: Robot) -> Iterator[Remark]:
    """Left and right links of one name whose masses or principal moments differ."""
    links = {link.name: link for link in robot.links}
    for left in robot.links:
        right = links.get(_SIDES.sub(lambda m: _OTHER[m[0]], left.name))
        if right is None or right is left or not (left.body.is_numeric and right.body.is_numeric):
            continue
        masses = np.array([float(left.body.mass), float(right.body.mass)])
        moments = np.array([np.linalg.eigvalsh(k.body.inertia.astype(float)) for k in (left, right)])
        if np.ptp(masses) > ALIKE * masses.max():
            text = f"{masses[0]:.6g} kg, its twin {right.name!r} {masses[1]:.6g} kg"
        elif np.ptp(moments, axis=0).max() > ALIKE * np.abs(moments).max():
            listed = [", ".join(f"{m:.4g}" for m in row) for row in moments]
            text = f"principal moments {listed[0]} kg m², of its twin {right.name!r} {listed[1]}"
        else:
            continue
        yield about_link(left, text, "inertia")


def copied_tensor(robot: Robot) -> Iterator[Remark]:
    """Links of different mass with one and the same tensor."""
    groups: dict[tuple[float, ...], list[Link]] = defaultdict(list)
    for link in robot.links:
        if link.body.is_numeric and link.body.inertia.any() and not _typed(link):
            moments = np.linalg.eigvalsh(link.body.inertia.astype(float))
            groups[tuple(float(f"{m:.9g}") for m in moments)].append(link)
    for moments, links in groups.items():
        masses = [float(k.body.mass) for k in links]
        if len(links) > 1 and max(masses) - min(masses) > 0.01 * max(masses):
            listed = ", ".join(f"{k.name!r} ({m:.4g} kg)" for k, m in list(zip(links, masses, strict=True))[:6])
            values = ", ".join(f"{m:.4g}" for m in moments)
            text = f"principal moments {values} kg m² stand in {len(links)} links of different mass: {listed}"
            first = links[0]
            other = max(links, key=lambda k: abs(float(k.body.mass - first.body.mass)))
            yield about_link(other, text, "inertia", fix=_rescaled(first, other))


def _rescaled(first: Link, other: Link) -> str:
    if not first.body.mass:
        return ""
    scaled = float(other.body.mass) / float(first.body.mass) * other.body.inertia.astype(float)
    return f"of the same shape as {first.name!r} it would be {tensor_text(scaled)}"


def _point(point: np.ndarray) -> str:
    return f"({', '.join(f'{x:.4g}' for x in point)})"
