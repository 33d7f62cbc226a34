"""`<equality>` in MJCF: joints that follow others; what else it ties together is told as left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from steiner.errors import unknown
from steiner.files.mjcf_settings import YES
from steiner.files.reading import Notes
from steiner.files.xml import Element, shown
from steiner.model.source import element

TIES = ("body1", "body2", "site1", "site2", "tendon1", "tendon2")


class Coupling(NamedTuple):
    """A joint's value, counted from where the file has it, as multiplier · (the leader's coordinate) + offset."""

    leader: str
    multiplier: float
    offset: float


def couplings(
    sections: Iterable[Element], joints: Mapping[str, Element], ref: Callable[[str], float], notes: Notes, mimic: str
) -> dict[str, Coupling]:
    """The followers among joints, if they are to be coupled; `ref` is a joint's coordinate where the file has it."""
    direct: dict[str, tuple[Coupling, Element]] = {}
    for k, e in enumerate([e for section in sections for e in section.children]):
        if e.word("active", YES, "true") == "false":
            continue
        if e.tag != "joint":
            tied = " and ".join(shown(e.attributes[name]) for name in TIES if name in e.attributes)
            what = element("equality", e.attributes.get("name", str(k + 1)))
            notes.warnings[what] = f"<{shown(e.tag)}> ties {tied}; the loop is left open: a robot is a tree"
            notes.lines[what] = e.line
            continue
        follower = e.text("joint1")
        coupling = _coupling(e, follower, joints, ref)
        if isinstance(coupling, str):
            if mimic == "coupled":
                e.fail(f"this equality {coupling} joint {shown(follower)!r}; only a linear relation of two is coupled")
            notes.warnings[element("joint", follower, "equality")] = f"an equality that {coupling} it is left out"
        elif follower in direct:
            e.fail(f"joint {shown(follower)!r} follows twice; the first time in line {direct[follower][1].line}")
        else:
            direct[follower] = coupling, e
    resolved = _resolved(direct, ref)  # refuses cycles
    if mimic == "free":
        notes.mimic = {name: coupling.leader for name, (coupling, _) in direct.items()}
        return {}
    return resolved


def _coupling(
    e: Element, follower: str, joints: Mapping[str, Element], ref: Callable[[str], float]
) -> Coupling | str:
    """y − y₀ = a₀ + a₁ (x − x₀) + …, with the coordinates x₀, y₀ of the file's pose; or what else it does."""
    leader = e.attributes.get("joint2", "")
    for name in (follower, leader):
        if name and name not in joints:
            e.fail(unknown("joint", name, joints), "missing-link")
    given = e.numbers("polycoef", 1, 5) if "polycoef" in e.attributes else []
    a0, a1, *bent = [*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :]]
    if any(bent):
        return "bends"
    if not leader or a1 == 0:
        return "holds"
    return Coupling(leader, a1, a0 - a1 * ref(leader))


def _resolved(direct: Mapping[str, tuple[Coupling, Element]], ref: Callable[[str], float]) -> dict[str, Coupling]:
    """Of each follower the free joint at the end of its chain."""
    found: dict[str, Coupling] = {}
    for name in direct:
        chain: dict[str, Coupling] = {}
        while name in direct and name not in found:
            coupling, e = direct[name]
            if name in chain:
                named = ", ".join(sorted(map(shown, chain))[:12])
                e.fail(f"joints follow each other in a cycle: {named}", "mimic-cycle")
            chain[name] = coupling
            name = coupling.leader
        for follower, (leader, factor, shift) in reversed(chain.items()):
            if leader in found:  # its value is counted from the file's pose, its coordinate from zero
                end, multiplier, offset = found[leader]
                leader, factor, shift = end, factor * multiplier, shift + factor * (offset + ref(leader))
            found[follower] = Coupling(leader, factor, shift)
    return found
