"""Links that are not of this world: densities and sizes that tell of a wrong unit, looked at on loading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steiner.checks.rule import Remark, about_link
from steiner.doors import opened
from steiner.model.link import ROLES, Link, Sketch
from steiner.model.robot import Robot
from steiner.scalar import is_number

FARTHEST = 100.0  # m
MATTER = (500.0, 12_000.0)  # kg/m³ of what links are made of: wood to lead


def density_of_links(robot: Robot) -> Iterator[Remark]:
    """Links of a matter that there is not: by the parts of their drawing, or all of the link in its shapes."""
    for link in robot.links:
        if link.made_of is not None:
            of_parts = opened("checks.drawings:density_of_parts")  # who has no drawing does not wait for it
            yield from (about_link(link, f"{said.element}: {said.text}") for said in of_parts(link.made_of))
        elif (volume := room(link)) and (text := opened("assembly.plausible:odd_density")(link.body.mass, volume)):
            yield about_link(link, text, cause=mass_unit(link, float(volume)))


def room(link: Link) -> Any:
    """Volume of what a link looks or collides like, the larger of both; 0 if a file or a symbol is among it."""
    if any(s.file for s in link.shapes) or not all(is_number(s.solid.volume) for s in link.shapes if s.solid):
        return 0
    return max(sum(s.solid.volume for s in link.shapes if s.solid and s.role == role) for role in ROLES)


def size_of_links(robot: Robot) -> Iterator[Remark]:
    """Links so large, so small or so far away that lengths must be in another unit."""
    for link in robot.links:
        for what, text in (*_drawn(link), *_shown(link)):
            if text:
                yield about_link(link, f"{what}: {text}")
        yield from _far(link)


def _far(link: Link) -> Iterator[Remark]:
    for what, place in (("its joint", link.mount.p), ("its centre of mass", link.body.com)):
        away = max((abs(float(x)) for x in place.tolist() if is_number(x)), default=0.0)
        if away > FARTHEST:
            text = f"{what} is {away:.4g} m away from the frame it is given in; expected up to {FARTHEST:g} m"
            yield about_link(link, text, fix="write metres")


def _drawn(link: Link) -> Iterator[tuple[str, str]]:
    if link.made_of is not None:
        yield from ((said.element, said.text) for said in opened("checks.drawings:size_of_parts")(link.made_of))


def _shown(link: Link) -> Iterator[tuple[str, str]]:
    for shape in link.shapes:
        if not shape.file and not (isinstance(shape.sketch, Sketch) and shape.sketch.is_usual):
            text = opened("assembly.plausible:odd_size")(shape.solid)
            yield f"shape {shape.name!r}" if shape.name else "a shape", text


def mass_unit(link: Link, volume: float) -> str:
    """The unit in which the mass would be that of some matter."""
    for unit, factor in (("grams", 1e-3), ("tonnes", 1e3)):
        density = factor * float(link.body.mass) / volume
        if MATTER[0] <= density <= MATTER[1]:
            return f"the mass is in {unit}: then the density is {density:.4g} kg/m³"
    return ""
