"""Write src/steiner/__init__.pyi: the public names for type checkers and editors, from the rooms of `steiner`."""

from __future__ import annotations

from pathlib import Path

import steiner

TARGET = Path(__file__).parent.parent / "src" / "steiner" / "__init__.pyi"


def text() -> str:
    """The stub's text."""
    rooms = []
    for name, room in steiner._OPEN_ROOMS.items():
        above, _, own = f"steiner.{room}".rpartition(".")
        rooms.append(f"from {above} import {own} as {name}")
    names = [f"from steiner.{room} import {name} as {name}" for room, own in steiner._ROOMS.items() for name in own]
    head = "# written by `python -m tools.names`"
    return "\n".join([head, *sorted([*rooms, *names]), "", "__version__: str", ""])


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
