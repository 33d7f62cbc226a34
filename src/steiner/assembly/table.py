"""The mass budget of an assembly: the table an engineer pins on the wall.

One row per node: mass, share of the total, centre in the link's frame, tensor in the link's axes about
a named point, and where each number came from.  As text, records, JSON, CSV, Markdown, LaTeX and HTML.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np

from steiner.errors import ModelError, is_one_of, unknown
from steiner.inertia import MassProperties
from steiner.records import record
from steiner.scalar import Frozen, frozen, is_number, is_zero
from steiner.text import names
from steiner.text.layout import ident, row, sub
from steiner.text.tables import Table, settled, settled_centres, shown

ABOUT = {
    "own": "the node's own centre of mass",
    "parent": "the centre of mass of the node's parent",
    "frame": "the origin of the node's own frame",
    "link": "the centre of mass of the whole",
    "joint": "the origin of the link's frame, where its joint is",
}
ENTRIES = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))
MOMENTS = ((0.01, 1e6, "kg mm²"), (1, 1e4, "kg cm²"), (0, 1, "kg m²"))  # below so many kg m²: factor and unit
UNACCOUNTED = "(unaccounted)"


@final
@record(eq=False)
class Row(Frozen):
    """One node of the budget; cavities and what is unaccounted for may be negative."""

    name: str
    path: str
    depth: int
    kind: str  # "assembly", "part", "cavity" or "unaccounted"
    mass: Any
    share: Any  # of the total mass
    com: np.ndarray
    inertia: np.ndarray
    volume: Any
    material: str
    provenance: dict[str, str]

    def __post_init__(self) -> None:
        for name in ("com", "inertia"):  # thousands of rows: no other field is looked at
            self.__dict__[name] = frozen(self.__dict__[name])

    @property
    def origin(self) -> str:
        """Provenance in a few words."""
        first, *others = self.provenance.values()
        if others.count(first) == len(others):
            return first
        return ", ".join(f"{key} {value}" for key, value in self.provenance.items())


@final
@record(eq=False)
class Budget:
    """The table; `about` says where the tensors are taken, all along the axes of the link."""

    name: str
    about: str
    rows: tuple[Row, ...]
    total: MassProperties

    def row(self, name: str) -> Row:
        """The row of a node by name or path."""
        found = [r for r in self.rows if is_one_of(name, (r.path, r.path.partition("/")[2]))]
        found = found or [r for r in self.rows if is_one_of(name, (r.name,))]
        if not found:
            raise ModelError(unknown("row", name, [r.path for r in self.rows], f"the budget of {self.name!r}"))
        return found[0]

    def contribution(self, name: str) -> np.ndarray:
        """The part (0…1) of each entry of the link's tensor that a node brings, about the link's centre."""
        if self.about != "link":
            raise ModelError(
                f"contributions add up about the link's centre only; use budget(about='link'), not {self.about!r}"
            )
        mine, whole = self.row(name).inertia, self.total.inertia
        return np.array([[ratio(mine[i, j], whole[i, j]) for j in range(3)] for i in range(3)])

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row, units in the keys; symbols stay symbols."""
        return [
            {
                "name": r.name,
                "path": r.path,
                "depth": r.depth,
                "kind": r.kind,
                "mass_kg": _plain(r.mass),
                "share": _plain(r.share),
                "com_m": _plain(r.com),
                "inertia_kg_m2": _plain(r.inertia),
                "about": self.about,
                "volume_m3": _plain(r.volume),
                "material": r.material,
                "provenance": dict(r.provenance),
            }
            for r in self.rows
        ]

    def json(self) -> str:
        """The whole table for a program, shortest exact floats."""
        document = {
            "name": self.name,
            "about": self.about,
            "axes": f"those of {self.name}",
            "mass_kg": _plain(self.total.mass),
            "com_m": _plain(self.total.com),
            "inertia_com_kg_m2": _plain(self.total.inertia),
            "rows": self.records(),
        }
        return names.json(document)

    # ---- for people ------------------------------------------------------------------------------

    @property
    def caption(self) -> str:
        """What the numbers are, in one sentence."""
        return (
            f"{self.name}: centres in its frame; tensors along its axes, about {ABOUT[self.about]}; "
            "off-diagonal entries are −∫xy dm"
        )

    @property
    def table(self) -> Table:
        """The rows as a table; round-off beside the largest number of its kind reads as 0, records keep it."""
        head = ["node", "mass kg", "share %", "x m", "y m", "z m", *(f"{e} kg m²" for e, _, _ in ENTRIES)]
        columns = ([getattr(r, name) for r in self.rows] for name in ("inertia", "mass"))
        tensors, masses = (settled(column).tolist() for column in columns)
        centres = settled_centres([r.com for r in self.rows], self.total).tolist()
        rows = [
            [
                f"− {r.name}" if r.kind == "cavity" else r.name,
                mass,
                f"{100 * r.share:.2f}" if is_number(r.share) else r.share * 100,
                *com,
                *(inertia[i][j] for _, i, j in ENTRIES),
                r.material,
                r.origin,
            ]
            for r, mass, com, inertia in zip(self.rows, masses, centres, tensors, strict=True)
        ]
        notes = [
            f"{r.path.rpartition('/')[0]}: {shown(mass)} kg on the scale are unaccounted for by its parts"
            for r, mass in zip(self.rows, masses, strict=True)
            if r.kind == "unaccounted"
        ]
        align = f"l{'r' * (len(head) - 1)}ll"
        return Table([*head, "material", "origin"], rows, self.caption, align, notes, [r.depth for r in self.rows])

    @property
    def readable(self) -> Table:
        """The rows for people: units that suit the size of the link, moments of inertia without the products."""
        masses, lengths = settled([r.mass for r in self.rows]), settled_centres([r.com for r in self.rows], self.total)
        tensors = settled([r.inertia.diagonal() for r in self.rows])
        grams = _is_below(self.total.mass, 10)
        whole = self.total.inertia.diagonal()
        scale, unit = next((s, u) for limit, s, u in MOMENTS if all(_is_below(x, limit) for x in whole) or not limit)
        head = ["node", "mass g" if grams else "mass kg", "share %", "centre x, y, z mm"]
        head += [f"Ixx, Iyy, Izz {unit}", "made of", "mass is"]
        rows = [
            [
                f"− {r.name}" if r.kind == "cavity" else r.name,
                _short(mass * (1000 if grams else 1)),
                _short(r.share * 100),
                ", ".join(_short(x * 1000) for x in com),
                ", ".join(_short(x * scale, 4) for x in moments),
                r.material,
                r.provenance["mass"],
            ]
            for r, mass, com, moments in zip(self.rows, masses, lengths, tensors, strict=True)
        ]
        return replace(self.table, head=head, rows=rows, align="lrrrrll")

    def text(self, width: int | None = None) -> str:
        """The table in plain text, in blocks of columns if a width is given."""
        return self.table.text(width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Budget of {self.name!r}: {len(self.rows)} rows, about={self.about!r}; print it, or .records()>"

    def markdown(self) -> str:
        """A Markdown table."""
        return self.table.markdown()

    def latex(self) -> str:
        """A LaTeX tabular (booktabs-free), symbols typeset."""
        letters = [(ident("m"), " / kg"), "share / %", *((ident(x), " / m") for x in "xyz")]
        letters += [(sub(ident("I"), row(*map(ident, e[1:]))), " / kg m²") for e, _, _ in ENTRIES]
        return replace(self.table, head=["node", *letters, "material", "origin"]).latex()

    def html(self) -> str:
        """An HTML table, as notebooks show it."""
        return self.table.html()

    def csv(self) -> str:
        """Comma-separated values, for a spreadsheet."""
        return self.table.csv()

    def _repr_html_(self) -> str:
        return self.html()


def _is_below(x: Any, limit: float) -> bool:
    return is_number(x) and abs(x) < limit


def _short(x: Any, digits: int = 0) -> str:
    """A number with one decimal, or so many digits; symbols as they are."""
    if not is_number(x):
        return str(x)
    text = f"{float(x):.{digits}g}" if digits else f"{float(x):.1f}"
    return text.removeprefix("-") if float(text) == 0 else text


def ratio(a: Any, b: Any) -> Any:
    """a / b; nothing of nothing is nothing."""
    return 0.0 if is_zero(b) else a / b


def _plain(x: Any) -> Any:
    if x is None or isinstance(x, int | float | str):
        return x
    if isinstance(x, np.ndarray):
        return [_plain(v) for v in x.tolist()]
    if isinstance(x, list):
        return [_plain(v) for v in x]
    return float(x) if isinstance(x, np.floating) else str(x)
