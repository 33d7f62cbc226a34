"""What writers of XML share: decimals that read back to the same numbers, names, the friction that formats know."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from steiner.errors import FormatError
from steiner.model.friction import Combined, Coulomb, Friction, Viscous
from steiner.model.robot import Robot

FOREIGN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # no characters of XML 1.0


def text(value: Any) -> str:
    """The shortest decimal that reads back to the same float."""
    return repr(float(value) + 0.0).removesuffix(".0")


def vector(values: Any) -> str:
    """Decimals with spaces between."""
    return " ".join(text(x) for x in values)


def attributes(pairs: Iterable[tuple[str, Any]]) -> str:
    """Numbers by name."""
    return " ".join(f'{key}="{text(value)}"' for key, value in pairs)


class Names:
    """Names for what a format needs and the robot does not have, different from all of the robot's."""

    def __init__(self, robot: Robot, format: str) -> None:
        """Refuses a robot whose names no XML file can hold, or whose numbers are symbols."""
        if robot.is_symbolic:
            raise FormatError(f"robot {robot.name!r} holds symbols and {format} holds numbers; substitute values first")
        self.taken = set(robot.link_names) | {link.joint.name for link in robot.links} | {*robot.joint_names}
        for name in (robot.name, *self.taken, *(payload.name for payload in robot.payloads)):
            if name and (FOREIGN.search(name) or not name.strip()):
                raise FormatError(f"the name {name!r} cannot stand in a file of {format}; rename it")

    def new(self, wish: str) -> str:
        """The wish, or the wish with a number."""
        name, count = wish, 2
        while name in self.taken:
            name, count = f"{wish}{count}", count + 1
        self.taken.add(name)
        return name


def linear_friction(friction: Friction | None) -> tuple[float, float, bool]:
    """Viscous and symmetric Coulomb coefficients, and whether that is all of it."""
    damping, coulomb, whole = 0.0, 0.0, True
    terms = friction.terms if isinstance(friction, Combined) else (friction,) if friction else ()
    for term in terms:
        if isinstance(term, Viscous):
            damping += term.coefficient
        elif isinstance(term, Coulomb) and term.forward == term.backward and term.width == 0:
            coulomb += term.forward
        else:
            whole = False
    return damping, coulomb, whole
