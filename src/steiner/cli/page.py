"""The first page of help, laid out as by typer and rich, without waiting for them: they take longer than the rest."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

NARROWEST = 80  # columns; on less, typer squeezes its tables in ways of its own
BOLD_CYAN, BOLD_GREEN, BOLD_YELLOW, YELLOW, BOLD, DIM = "1;36", "1;32", "1;33", "33", "1", "2"
OPTIONS = (
    ("--version", "", "Show the version and exit."),
    ("--install-completion", "", "Install completion for the current shell."),
    ("--show-completion", "", "Show completion for the current shell, to copy it or customize the installation."),
    ("--help", "-h", "Show this message and exit."),
)


def fits() -> bool:
    """Whether the page can be shown here as typer would show it."""
    return shutil.get_terminal_size().columns >= NARROWEST and (sys.stdout.encoding or "").lower().startswith("utf")


def page(title: str, epilog: str, commands: Mapping[str, str | Callable[..., Any]]) -> str:
    """Usage, options and commands with the first sentences of their help."""
    width = shutil.get_terminal_size().columns
    program = "python -m steiner" if Path(sys.argv[0]).stem == "__main__" else Path(sys.argv[0]).name
    first, styled = max(map(len, commands)), _styled()
    usage = f" {styled('Usage: ', YELLOW)}{styled(f'{program} [OPTIONS] COMMAND [ARGS]...', BOLD)}"
    kind = styled("<bool>".ljust(8), BOLD_YELLOW)
    options = [
        (styled(name.ljust(22), BOLD_CYAN) + styled(short.ljust(8), BOLD_GREEN) + kind, text)
        for name, short, text in OPTIONS
    ]
    named = [(styled(name.ljust(first + 2), BOLD_CYAN), _first(door, name)) for name, door in commands.items()]
    bare = f" Usage: {program} [OPTIONS] COMMAND [ARGS]..."
    lines = [" " * width, usage + " " * (width - len(bare)), " " * width]
    lines += [_filled(f" {line}", width) for line in _wrapped(title, width - 2)]
    lines += [" " * width, *_panel("Options", options, 38, width, styled)]
    lines += _panel("Commands", named, first + 2, width, styled)
    return "\n".join([*lines, " " * width, _filled(f" {epilog}", width), " " * width])


def _panel(
    name: str, rows: Sequence[tuple[str, str]], indent: int, width: int, styled: Callable[[str, str], str]
) -> list[str]:
    """A frame around rows of a start, which takes so many columns, and a text, which wraps beside it."""
    side = styled("│", DIM)
    lines = [styled(f"╭─ {name} {'─' * (width - len(name) - 5)}╮", DIM)]
    for start, text in rows:
        for k, line in enumerate(_wrapped(text, width - 4 - indent)):
            lines.append(f"{side} {' ' * indent if k else start}{_filled(line, width - 4 - indent)} {side}")
    return [*lines, styled(f"╰{'─' * (width - 2)}╯", DIM)]


def _first(door: str | Callable[..., Any], name: str) -> str:
    """The first paragraph of a command's help, read from its file: importing it would bring typer along."""
    if isinstance(door, str):
        room, _, function = door.partition(":")
        source = Path(__file__).parents[1].joinpath(*room.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        found = re.search(rf'^def {function}\(.*?\n    """(.*?)"""', source, re.MULTILINE | re.DOTALL)
        text = inspect.cleandoc(found[1]) if found else ""
    else:
        text = inspect.getdoc(door) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _styled() -> Callable[[str, str], str]:
    """How a terminal shows a text in a style; a file or a pipe gets it plain."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return (lambda text, _: text) if plain else (lambda text, style: f"\x1b[{style}m{text}\x1b[0m")


def _cells(text: str) -> int:
    """Columns that a text takes: a mark above a letter takes none."""
    return sum(not unicodedata.combining(c) for c in text)


def _filled(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        lines[-1:] = [longer] if _cells(longer) <= width else [lines[-1], word]
    return lines
