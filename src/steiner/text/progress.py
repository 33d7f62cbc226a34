"""How far long work is, on a terminal."""

from __future__ import annotations

import sys
import time

PATIENCE, PAUSE = 1.0, 0.2  # seconds before the line appears, and between two of its states


class Progress:
    """One line on stderr, if somebody reads it there; gone when the work is done."""

    def __init__(self, what: str, end: float, unit: str = "") -> None:
        self.what, self.end, self.unit = what, end, unit
        self.begun, self.last, self.shown = time.monotonic(), 0.0, False

    def show(self, reached: float, words: str = "") -> None:
        """How far it has come; a state with words of its own is shown at once."""
        now = time.monotonic()
        early = not words and (now - self.begun < PATIENCE or now - self.last < PAUSE)
        if early or not sys.stderr.isatty():
            return
        self.last, self.shown = now, True
        bar = "█" * int(30 * reached / self.end)
        told = words or f"{reached:.4g} of {self.end:.4g} {self.unit}"
        sys.stderr.write(f"\r\033[K{self.what} {bar:<30} {told}")
        sys.stderr.flush()

    def done(self) -> None:
        """Wipe the line."""
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
