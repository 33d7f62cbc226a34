"""What there is to look at in a model, a drawing or a file: found, told, never repaired unasked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from steiner.errors import printable
from steiner.records import record

# from worst to mildest: stops a load; loads with a warning and fails a check; warns; is told when asked
SEVERITIES = ("fatal", "error", "warning", "note")


@final
@record
class Finding:
    """Something to look at: what, how bad, where, and between which parts."""

    code: str
    text: str
    severity: str = "warning"  # one of `SEVERITIES`
    parts: tuple[str, ...] = ()
    depth: float = 0.0  # of an overlap [m]
    file: str = ""
    line: int | None = None
    link: str = ""
    cause: str = ""
    fix: str = ""
    rule: str = ""  # the name of the rule; the code is its number
    joint: str = ""

    @property
    def label(self) -> str:
        """Number and name of the rule: "ST103 triangle"."""
        return f"{self.code} {self.rule}".rstrip()

    @property
    def message(self) -> str:
        """`file:line: text`, as far as the place is known."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.text}" if where else self.text

    def __str__(self) -> str:
        return printable(f"{self.code}: {self.message}")


def worst(findings: Iterable[Finding]) -> str:
    """The worst severity among findings; a note if there are none."""
    return SEVERITIES[min((SEVERITIES.index(f.severity) for f in findings), default=-1)]
