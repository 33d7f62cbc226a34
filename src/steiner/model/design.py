"""A drawing whose numbers share named parameters: what the robot would be with other values of them.

Links and payloads are kept as they were declared, their numbers SymPy expressions of symbols that have the
parameters' names; a robot is made of them by putting numbers in: floats, or the traced inputs of a kernel, in
which then the shapes themselves are computed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steiner.assembly.substitute import substituted
from steiner.errors import ArgumentError, unknown
from steiner.model.link import Link, Payload


@dataclass(frozen=True, eq=False)
class Design:
    """Declared links and payloads with formulas for numbers, and the parameters' present values (SI)."""

    values: Mapping[str, Any]
    links: tuple[Link, ...]
    payloads: tuple[Payload, ...] = ()

    def robot(self, robot: Any, values: Mapping[str, Any]) -> Any:
        """The robot with other values of some parameters; payloads that were added later stay as they are."""
        for name in values:
            if name not in self.values:
                raise ArgumentError(unknown("parameter", name, self.values, robot.name))
        chosen = {**self.values, **values}
        links = tuple(link_of(link, chosen) for link in self.links)
        declared = {p.name: p for p in self.payloads}
        payloads = tuple(payload_of(declared[p.name], chosen) if p.name in declared else p for p in robot.payloads)
        return robot.replace(links=links, payloads=payloads, design=dataclasses.replace(self, values=chosen))


def link_of(link: Link, values: Mapping[str, Any]) -> Link:
    """A declared link with numbers; its body is computed anew if it is drawn."""
    put = _putting(values)
    drawing = None if link.made_of is None else put(link.made_of)
    return dataclasses.replace(
        link,
        joint=link.joint.mapped(put),
        mount=put(link.mount),
        origin=put(link.origin),
        made_of=drawing,
        body=put(link.body) if drawing is None else None,
        shapes=tuple(dataclasses.replace(s, solid=put(s.solid), pose=put(s.pose)) for s in link.shapes),
    )


def payload_of(payload: Payload, values: Mapping[str, Any]) -> Payload:
    """A declared payload with numbers."""
    put = _putting(values)
    return dataclasses.replace(payload, body=put(payload.body), pose=put(payload.pose))


def _putting(values: Mapping[str, Any]) -> Callable[[Any], Any]:
    def put(value: Any) -> Any:
        return substituted(value, values)

    return put
