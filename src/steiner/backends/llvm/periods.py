"""Where a long tape repeats itself, as that of a chain of like joints does."""

from __future__ import annotations

import numpy as np

from steiner.trace import Op, Tape

LONGEST = 2000  # operations of a period
TIMES = 4  # that it must come
PART = 16  # a run is at least such a part of a tape
WORTH = 0.5  # of a tape's operations that need no code of their own


def repeats(tape: Tape) -> bool:
    """Whether most operations of a tape come again and again, by their names alone."""
    names = np.array([Op.ADD if row[0] == Op.SUB else row[0] for row in tape.rows if row[0] > Op.INPUT])
    return sum(stop - start for start, stop, _period in runs(names)) > WORTH * len(names)


def runs(kinds: np.ndarray) -> list[tuple[int, int, int]]:
    """Start, stop and period of long stretches that repeat, one behind the other; the longest are found first."""
    found: list[tuple[int, int, int]] = []
    for period in range(1, min(LONGEST, len(kinds) // TIMES) + 1):
        edges = np.flatnonzero(np.diff(kinds[:-period] == kinds[period:], prepend=False, append=False))
        starts, stops = edges[::2], edges[1::2]
        long = stops - starts >= max((TIMES - 1) * period, len(kinds) // PART)
        found += [(int(a), int(b) + period, period) for a, b in zip(starts[long], stops[long], strict=True)]
    result: list[tuple[int, int, int]] = []
    for start, stop, period in sorted(found, key=lambda r: (r[0] - r[1], r[2])):
        if all(stop <= a or start >= b for a, b, _ in result):
            result.append((start, stop, period))
    return sorted(result)
