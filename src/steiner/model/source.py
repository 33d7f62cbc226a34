"""Where a model came from, and what was done to it on the way in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steiner.errors import need
from steiner.records import field, names_of, record


def element(kind: str, name: str, aspect: str = "") -> str:
    """How findings and the places of a file name a thing: "link 'l1'", "joint 'j1' axis"."""
    return f"{kind} {name!r} {aspect}".rstrip()


@record
class Source:
    """File or publication of a model's numbers, and what its reader changed or left out.

    Things are named by `element`; `lines` are their places in the file, so that findings about the model can be told
    with file and line.
    """

    file: str = ""
    format: str = ""
    publication: str = ""
    notes: tuple[str, ...] = ()
    snapped: Mapping[str, str] = field(default_factory=dict)  # element -> angles made exact
    normalised: Mapping[str, str] = field(default_factory=dict)  # element -> axis made a unit vector
    warnings: Mapping[str, str] = field(default_factory=dict)  # element -> what was left out
    turns: Mapping[str, str] = field(default_factory=dict)  # element -> an angle of many turns
    mimic: Mapping[str, str] = field(default_factory=dict)  # joints read as free ones -> whom they mimic in the file
    package_dirs: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)

    def line(self, what: str) -> int | None:
        """The line of an element, or of the thing that it is an aspect of."""
        what = need("line", what, str, "such as \"link 'upper'\"")
        return self.lines.get(what) or self.lines.get(what.rpartition(" ")[0])

    def place(self, what: str) -> str:
        """`file:line: what`, as far as it is known."""
        line = self.line(what)
        where = f"{self.file}:{line}" if line else self.file
        return f"{where}: {what}" if where else what

    def view(self) -> dict[str, Any]:
        """What is known, by name; the file as "source", the publication as "data", remarks with their places."""
        named = {"file": "source", "publication": "data"}
        known = {name: getattr(self, name) for name in names_of(self) if name != "lines"}
        for name in ("snapped", "normalised", "warnings", "turns"):
            known[name] = tuple(f"{self.place(what)}: {text}" for what, text in known[name].items())
        return {named.get(name, name): value for name, value in known.items() if value}
