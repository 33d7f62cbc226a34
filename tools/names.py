"""Write src/steiner/__init__.pyi: the public names for type checkers and editors, from the rooms of `steiner`."""

from __future__ import annotations

from pathlib import Path

import steiner

TARGET = Path(__file__).parent.parent / "src" / "steiner" / "__init__.pyi"


def text() -> str:
    """The stub's text."""
    rooms = [f"from steiner import {room} as {room}" for room in steiner._OPEN_ROOMS]
    names = [f"from steiner.{room} import {name} as {name}" for room, own in steiner._ROOMS.items() for name in own]
    head = "# written by `python -m tools.names`"
    return "\n".join([head, *sorted(rooms), *sorted(names), "", "__version__: str", ""])


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
