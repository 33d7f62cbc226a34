"""The mass budget of an assembly: the table an engineer pins on the wall.

One row per node: mass, share of the total, centre in the link's frame, tensor in the link's axes about
a named point, and where each number came from.  As text, records, JSON, Markdown, LaTeX and HTML.
"""

from __future__ import annotations

import html as escape
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from steiner.errors import ModelError, unknown
from steiner.inertia import MassProperties, steiner_term
from steiner.scalar import is_number, is_zero
from steiner.solids.base import moved

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly, Node

__all__ = ["ABOUT", "Budget", "Row", "budget"]

ABOUT = {
    "own": "the node's own centre of mass",
    "parent": "the centre of mass of the node's parent",
    "frame": "the origin of the node's own frame",
    "link": "the centre of mass of the whole",
}
ENTRIES = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))
UNACCOUNTED = "(unaccounted)"


@final
@dataclass(frozen=True, eq=False)
class Row:
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

    @property
    def origin(self) -> str:
        """Provenance in a few words."""
        kinds = set(self.provenance.values())
        if len(kinds) == 1:
            return kinds.pop()
        return ", ".join(f"{key} {value}" for key, value in self.provenance.items())


@final
@dataclass(frozen=True, eq=False)
class Budget:
    """The table; `about` says where the tensors are taken, all along the axes of the link."""

    name: str
    about: str
    rows: tuple[Row, ...]
    total: MassProperties

    def row(self, name: str) -> Row:
        """The row of a node by name or path."""
        found = [r for r in self.rows if name in (r.path, r.path.partition("/")[2])]
        found = found or [r for r in self.rows if r.name == name]
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
        return np.array([[_ratio(mine[i, j], whole[i, j]) for j in range(3)] for i in range(3)])

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
        return json.dumps(document, indent=2, ensure_ascii=False, default=str)

    # ---- for people ------------------------------------------------------------------------------

    @property
    def caption(self) -> str:
        """What the numbers are, in one sentence."""
        return (
            f"{self.name}: centres in its frame; tensors along its axes, about {ABOUT[self.about]}; "
            "off-diagonal entries are −∫xy dm"
        )

    def _cells(self, show: Callable[[Any], str], indent: str) -> tuple[list[str], list[list[str]]]:
        head = [
            "node",
            "mass kg",
            "share %",
            "x m",
            "y m",
            "z m",
            *(f"{e[0]} kg m²" for e in ENTRIES),
            "material",
            "origin",
        ]
        far, most = (_largest([getattr(r, name) for r in self.rows]) for name in ("com", "inertia"))
        body = [
            [
                indent * r.depth + (f"− {r.name}" if r.kind == "cavity" else r.name),
                show(r.mass),
                f"{100 * r.share:.2f}" if is_number(r.share) else show(r.share * 100),
                *(show(_settled(x, far)) for x in r.com),
                *(show(_settled(r.inertia[i, j], most)) for _, i, j in ENTRIES),
                r.material,
                r.origin,
            ]
            for r in self.rows
        ]
        return head, body

    def text(self) -> str:
        """The table in plain text."""
        head, body = self._cells(shown, "  ")
        widths = [max(len(row[k]) for row in [head, *body]) for k in range(len(head))]
        left = (0, len(head) - 2, len(head) - 1)

        def line(row: list[str]) -> str:
            cells = [c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
            return "  ".join(cells).rstrip()

        rule = "-" * len(line(["-" * w for w in widths]))
        lines = [self.caption, line(head), rule, *(line(row) for row in body)]
        return "\n".join(lines + self._notes())

    def _notes(self) -> list[str]:
        notes = []
        for r in self.rows:
            if r.kind == "unaccounted":
                owner = r.path.rpartition("/")[0]
                notes.append(f"{owner}: {shown(r.mass)} kg on the scale are unaccounted for by its parts")
        return notes

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Budget of {self.name!r}: {len(self.rows)} rows, about={self.about!r}; print it, or .records()>"

    def markdown(self) -> str:
        """A Markdown table."""
        head, body = self._cells(shown, "&nbsp;&nbsp;")
        rows = [[c.replace("|", "\\|") for c in row] for row in body]
        align = ["---" if k in (0, len(head) - 2, len(head) - 1) else "---:" for k in range(len(head))]
        lines = [f"| {' | '.join(row)} |" for row in (head, align, *rows)]
        return "\n".join([self.caption, "", *lines, *(f"\n{n}" for n in self._notes())])

    def latex(self) -> str:
        """A LaTeX tabular (booktabs-free), symbols typeset."""
        head = ["node", "$m$ / kg", r"share / \%", "$x$ / m", "$y$ / m", "$z$ / m"]
        head += [rf"$I_{{{e[0][1:]}}}$ / kg\,m$^2$" for e in ENTRIES] + ["material", "origin"]
        _, body = self._cells(_latex_number, r"~~")
        rows = [[_latex_text(r[0]), *(f"${c}$" for c in r[1:-2]), _latex_text(r[-2]), _latex_text(r[-1])] for r in body]
        lines = [rf"{' & '.join(row)} \\" for row in [head, *rows]]
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (len(head) - 3)}ll}}",
                r"\hline",
                lines[0],
                r"\hline",
                *lines[1:],
                r"\hline",
                r"\end{tabular}",
            ]
        )

    def html(self) -> str:
        """An HTML table, as notebooks show it."""
        head, body = self._cells(shown, " ")
        title = "".join(f"<th>{escape.escape(h)}</th>" for h in head)
        last = len(head) - 2
        rows = [
            "<tr>"
            + "".join(
                f'<td style="text-align:{"left" if k in (0, last, last + 1) else "right"}">{escape.escape(c)}</td>'
                for k, c in enumerate(row)
            )
            + "</tr>"
            for row in body
        ]
        notes = "".join(f"<p>{escape.escape(n)}</p>" for n in self._notes())
        return (
            f"<table><caption>{escape.escape(self.caption)}</caption><thead><tr>{title}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{notes}"
        )

    def _repr_html_(self) -> str:
        return self.html()


def budget(assembly: Assembly, about: str = "link") -> Budget:
    """The budget of an assembly; see `Assembly.budget`."""
    from steiner.assembly.tree import Assembly, Part

    if about not in ABOUT:
        raise ModelError(f"about={about!r}: expected {', '.join(map(repr, ABOUT))}")
    whole = assembly.mass_properties
    rows: list[Row] = []
    for node in assembly.nodes():
        part = node.part
        body = moved(part.signed, node.pose)
        cavity = isinstance(part, Part) and part.cavity
        point = _point(about, node, body, whole)
        rows.append(
            Row(
                name=part.name,
                path=node.path,
                depth=node.depth,
                kind="assembly" if isinstance(part, Assembly) else "cavity" if cavity else "part",
                mass=body.mass,
                share=_ratio(body.mass, whole.mass),
                com=body.com,
                inertia=body.inertia + steiner_term(body.mass, body.com - point),
                volume=part.volume if isinstance(part, Part) else None,
                material=_material(part),
                provenance=part.origins,
            )
        )
        if isinstance(part, Assembly) and part.difference is not None:
            rows.append(_unaccounted(node, part, rows[-1], point, whole))
    return Budget(assembly.name, about, tuple(rows), whole)


def _point(about: str, node: Node, body: MassProperties, whole: MassProperties) -> np.ndarray:
    if about == "own":
        return body.com
    if about == "frame":
        return node.pose.p
    if about == "link" or node.parent is None:
        return whole.com
    return node.parent.pose.apply(node.parent.part.signed.com)


def _unaccounted(node: Node, part: Assembly, row: Row, point: np.ndarray, whole: MassProperties) -> Row:
    """What was measured or weighed minus the sum of the parts, about the same point."""
    summed = moved(part.computed, node.pose)
    inertia = row.inertia - summed.inertia - steiner_term(summed.mass, summed.com - point)
    mass = row.mass - summed.mass
    first = row.mass * row.com - summed.mass * summed.com
    com = row.com if is_zero(mass) else first / mass
    return Row(
        name=UNACCOUNTED,
        path=f"{node.path}/{UNACCOUNTED}",
        depth=node.depth + 1,
        kind="unaccounted",
        mass=mass,
        share=_ratio(mass, whole.mass),
        com=com,
        inertia=inertia,
        volume=None,
        material="",
        provenance=part.origins,
    )


def _material(part: Any) -> str:
    found = getattr(part, "material", None)
    if found is not None:
        return f"{found.name}"
    density = getattr(part, "density", None)
    return f"{shown(density)} kg/m³" if density is not None else ""


def _largest(arrays: list[np.ndarray]) -> float:
    return max((abs(float(x)) for a in arrays for x in a.ravel() if is_number(x)), default=0.0)


def _settled(x: Any, largest: float) -> Any:
    """Round-off beside the largest number of its kind reads as 0; records keep it."""
    return 0 if is_number(x) and abs(x) < 1e-14 * largest else x


def _ratio(a: Any, b: Any) -> Any:
    return 0.0 if is_zero(b) else a / b


def _plain(x: Any) -> Any:
    if x is None or isinstance(x, int | float | str):
        return x
    if isinstance(x, np.ndarray):
        return [_plain(v) for v in x.tolist()]
    if isinstance(x, list):
        return [_plain(v) for v in x]
    return float(x) if isinstance(x, np.floating) else str(x)


def shown(x: Any) -> str:
    """A number to six digits, a symbol as it is."""
    if is_number(x):
        return f"{float(x):.6g}" if x != 0 else "0"
    return str(x)


def _latex_number(x: Any) -> str:
    if not is_number(x):
        printer = getattr(x, "_repr_latex_", None)
        return printer().strip("$").replace(r"\displaystyle ", "") if printer else str(x)
    mantissa, _, power = shown(x).partition("e")
    return rf"{mantissa}\cdot 10^{{{int(power)}}}" if power else mantissa


def _latex_text(text: str) -> str:
    for mark in "&%$#_{}":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("−", "$-$").replace("³", "$^3$")
