"""The program, `steiner` or `python -m steiner`.  Signals are looked after before anything large is imported."""

from __future__ import annotations

import signal
import sys
from typing import Any

STOPPED: list[int] = []  # by these signals


def main() -> None:
    """Run the command line; Ctrl-C or a request to end leaves neither a traceback nor half a file behind."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ended)
    from steiner.cli import main as command_line

    try:
        command_line()
    finally:
        if STOPPED:  # also where an extension that was just being imported made another error of it
            sys.exit(128 + STOPPED[0])


def _ended(number: int, _: Any) -> None:
    """Ends the program as an error does, so that files in the making are removed; the exit code is the shell's."""
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, signal.SIG_IGN)
    STOPPED.append(number)
    sys.stderr.write(f"stopped by {signal.Signals(number).name}\n")
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
