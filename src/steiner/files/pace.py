"""Rows of a motion on their way: what a block of them holds, and whether time and angles go on as they should."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

MOST_TURNS = 2  # angles beyond that look like degrees


@dataclass
class Block:
    """Some rows of a motion, in SI units; time is None if the file has none.

    q, qd and qdd are (rows, joints), each joint's numbers adjacent in memory: `block.q.T` are columns.
    """

    time: np.ndarray | None
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    lines: np.ndarray  # of the file, per row
    position: int  # how much of the file's `size` is read
    state: dict[str, Any] = field(default_factory=dict)  # from which reading goes on behind this block, as JSON has it


@dataclass
class Pace:
    """Whether time goes on from row to row, whether there are several rows, and whether angles look like radians."""

    path: Path
    turning: Sequence[int] = ()  # joints whose angles should be in radians
    rows: int = 0
    last: float = -math.inf
    first_late: str = ""
    late: int = 0
    first_wide: str = ""

    @property
    def state(self) -> dict[str, Any]:
        """What is known so far, as JSON has it."""
        kept = ("rows", "last", "first_late", "late", "first_wide")
        return {name: getattr(self, name) for name in kept}

    def keep(self, block: Block) -> None:
        """Look at some rows more."""
        self.rows += len(block.lines)
        if block.time is not None:
            before = np.concatenate([[self.last], block.time[:-1]])
            late = np.flatnonzero(block.time <= before)
            if len(late) and not self.late:
                now, then = block.time[late[0]].item(), before[late[0]].item()
                what = "repeats" if now == then else "runs backwards"
                self.first_late = f"{self.path}:{block.lines[late[0]]}: time {what}: {now!r} after {then!r}"
            self.late += len(late)
            self.last = float(block.time[-1])
        self._keep_angles(block)

    def _keep_angles(self, block: Block) -> None:
        if self.first_wide:
            return
        wide = np.argwhere(np.abs(block.q[:, self.turning]) > MOST_TURNS * 2 * math.pi)
        if len(wide):
            row, joint = wide[0].tolist()
            angle = block.q[row, self.turning[joint]].item()
            turns = f"{angle!r} rad are {abs(angle) / (2 * math.pi):.3g} turns"
            self.first_wide = f"{self.path}:{block.lines[row]}: {turns} of a joint; if angles are in degrees, say so"

    def remarks(self) -> Iterator[str]:
        """What there is to say at the end."""
        if self.late:
            yield self.first_late + (f"; so do {self.late - 1} rows more" if self.late > 1 else "")
        if self.rows == 1:
            yield f"{self.path}: a single row: a state, not a motion; nothing can be derived from it"
        if self.first_wide:
            yield f"{self.first_wide} (--units deg)"
