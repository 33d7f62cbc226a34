"""Rules about drawings: the parts of a link and the bodies measured for them."""

from __future__ import annotations

from collections.abc import Iterator

from steiner.assembly.plausible import odd_matter, odd_size
from steiner.assembly.tree import Assembly, Part
from steiner.checks.physical import finite, impossible
from steiner.checks.rule import Remark
from steiner.inertia.properties import second_of
from steiner.model.source import element
from steiner.solids.base import Solid


def overflow_part(assembly: Assembly) -> Iterator[Remark]:
    """Moments of a measured body, or of the whole, that are no numbers any more."""
    for node in assembly.nodes():
        body = node.part.body
        if body is not None and not finite(body.inertia, second_of(body.inertia)):
            text = "moments so large that their sums overflow; check the units"
            yield Remark(element("part", node.path, "body"), text)
    if not finite(assembly.mass_properties.inertia):
        yield Remark("", f"masses and distances in {assembly.name!r} are so large that their moments overflow")


def unphysical_part(assembly: Assembly) -> Iterator[Remark]:
    """Measured bodies that no distribution of mass has."""
    for node in assembly.nodes():
        if node.part.body is not None and (fault := impossible(node.part.body)):
            yield Remark(element("part", node.path, "body"), f"{fault}; it is used as given")


def density_of_parts(assembly: Assembly) -> Iterator[Remark]:
    """Parts of a matter that there is not, or of none."""
    for path, part, solid in _solids(assembly):
        if text := odd_matter(part.mass_properties.mass, solid.volume):
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
