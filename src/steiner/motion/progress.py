"""How far a long run is, on a terminal."""

from __future__ import annotations

import sys
import time

PATIENCE, PAUSE = 1.0, 0.2  # seconds before the line appears, and between two of its states


class Progress:
    """One line on stderr, if somebody reads it there; gone when the run is done."""

    def __init__(self, end: float) -> None:
        self.end, self.begun, self.last = end, time.monotonic(), 0.0
        self.shown = False

    def show(self, t: float) -> None:
        """The time reached."""
        now = time.monotonic()
        if now - self.begun < PATIENCE or now - self.last < PAUSE or not sys.stderr.isatty():
            return
        self.last, self.shown = now, True
        bar = "█" * int(30 * t / self.end)
        sys.stderr.write(f"\rsimulating {bar:<30} {t:.4g} of {self.end:.4g} s")
        sys.stderr.flush()

    def done(self) -> None:
        """Wipe the line."""
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
