"""Two versions of a link side by side: what was added, removed or changed, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from steiner.inertia import MassProperties
from steiner.text.tables import Table, settled_centres, shown


@final
@dataclass(frozen=True, eq=False)
class Change:
    """A node in two versions, each in its link's frame; None where it is not there."""

    path: str
    depth: int
    before: MassProperties | None
    after: MassProperties | None

    @property
    def kind(self) -> str:
        """What became of the node: "added", "removed", "changed" or "same"."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        a, b = self.before, self.after
        size = float(np.abs(a.inertia).max()) or 1.0
        same = a.mass == b.mass and np.allclose(a.com, b.com, rtol=1e-12, atol=1e-15)
        return "same" if same and np.allclose(a.inertia, b.inertia, rtol=1e-12, atol=1e-14 * size) else "changed"


@final
@dataclass(frozen=True, eq=False)
class Comparison:
    """Two versions of a link, node by node; the first row is the whole."""

    before: str
    after: str
    rows: tuple[Change, ...]

    @property
    def changed(self) -> tuple[Change, ...]:
        """The rows that are not the same in both."""
        return tuple(row for row in self.rows if row.kind != "same")

    @property
    def table(self) -> Table:
        """What changed: masses, centres and moments about each node's own centre, before → after."""
        head = ["node", "what", "mass kg", "Δ kg", "Δ %", "centre moved by mm", "Ixx kg m²", "Iyy kg m²", "Izz kg m²"]
        rows = [self._row(change) for change in self.rows if change.kind != "same" or not change.depth]
        caption = f"{self.before} → {self.after}: tensors about each node's own centre of mass, along the link's axes"
        notes = [] if self.changed else ["both are the same"]
        depths = [change.depth for change in self.rows if change.kind != "same" or not change.depth]
        return Table(head, rows, caption, "llrrrrrrr", notes, depths)

    @staticmethod
    def _row(change: Change) -> list[Any]:
        a, b = change.before, change.after
        name = change.path.rpartition("/")[2]
        masses = [body.mass if body is not None else 0.0 for body in (a, b)]
        gained = masses[1] - masses[0]
        share = f"{100 * gained / masses[0]:+.2f}" if masses[0] else ""
        moved_by = ""
        if a is not None and b is not None:
            x, y, z = 1000 * settled_centres(b.com - a.com, a, b)
            moved_by = f"({shown(x)}, {shown(y)}, {shown(z)})"
        tensors = [
            " → ".join("" if body is None else shown(body.inertia[k, k]) for body in (a, b)).strip() for k in range(3)
        ]
        return [name, change.kind, " → ".join(map(shown, masses)), shown(gained), share, moved_by, *tensors]

    def text(self, width: int | None = None) -> str:
        """The table in plain text."""
        return self.table.text(width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.before!r} and {self.after!r}: {len(self.changed)} of {len(self.rows)} nodes differ>"
        )

    def _repr_html_(self) -> str:
        return self.table.html()
