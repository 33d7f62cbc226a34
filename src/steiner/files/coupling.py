"""Joints that follow others, in the formats that say so: chains of followers end at a free joint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn


class Coupling(NamedTuple):
    """A joint's value as multiplier · (the leader's value) + offset."""

    leader: str
    multiplier: float
    offset: float


def followed(direct: Mapping[str, Coupling], cycle: Callable[[str, str], NoReturn]) -> dict[str, Coupling]:
    """For each follower the free joint at the end of its chain; `cycle(joint, names)` refuses a chain without one."""
    resolved: dict[str, Coupling] = {}
    for name in direct:
        chain: dict[str, Coupling] = {}
        while name in direct and name not in resolved:
            if name in chain:
                cycle(name, ", ".join(sorted(chain)[:12]))
            chain[name] = direct[name]
            name = direct[name].leader
        for follower, (leader, multiplier, offset) in reversed(chain.items()):
            end, factor, shift = resolved.get(leader, Coupling(leader, 1.0, 0.0))
            resolved[follower] = Coupling(end, multiplier * factor, multiplier * shift + offset)
    return {name: resolved[name] for name in direct}
