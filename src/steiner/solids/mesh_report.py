"""What a diagnosis of a mesh says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from steiner.findings import Finding, worst
from steiner.text.tables import Table


@final
@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Numbers and findings about a mesh; `str()` is the table with a sentence for each finding.

    Grades: A: exact and nothing to say; B: exact, with warnings; C: repaired; D: hull; E: box.
    """

    method: str
    grade: str
    numbers: dict[str, str]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is nothing to warn of."""
        return worst(self.findings) == "note"

    @property
    def table(self) -> Table:
        """The numbers, with the findings below."""
        notes = [f"{f.severity} {f.code}: {f.text}" + (f". To do: {f.fix}" if f.fix else "") for f in self.findings]
        rows = [*self.numbers.items(), ("method", self.method), ("grade", self.grade)]
        return Table(("mesh", ""), rows, notes=notes or ["nothing to say against it"])

    def __str__(self) -> str:
        return self.table.text()
