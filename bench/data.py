"""`steiner torques` on files, rows a second on the cores that there are: read, computed, written; start-up not counted.

`python -m bench.data` prints the table; `make bench` adds it to its results.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.goals import speeds, told

ARM = "gallery:ur5"
NAMES = ["t", *(f"{x}{k}" for x in ("q", "qd", "qdd") for k in range(1, 7))]
CASES = {".parquet": (2_000_000, 1.5e6), ".csv": (300_000, 250e3)}  # ending -> rows, rows a second that are the goal


@dataclass
class DataRow:
    """One kind of file: six joints, q, q̇, q̈ in, τ out."""

    case: str
    rows: int
    seconds: float
    goal: float

    @property
    def rate(self) -> float:
        return self.rows / self.seconds


def data_rows(quick: bool = False) -> list[DataRow]:
    """All kinds of files, if polars is installed."""
    try:
        import polars
    except ImportError:
        return []
    from steiner.cli.torques import torques

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, (count, goal) in CASES.items():
            count //= 4 if quick else 1
            numbers = np.random.default_rng(0).normal(size=(len(NAMES), count))
            numbers[0] = np.arange(count) * 1e-3
            frame = polars.DataFrame(dict(zip(NAMES, numbers, strict=True)))
            data, out = Path(folder) / f"motion{ending}", Path(folder) / f"torques{ending}"
            (frame.write_parquet if ending == ".parquet" else frame.write_csv)(data)
            spent = []
            for _ in range(2 if quick else 4):
                start = time.perf_counter()
                with contextlib.redirect_stderr(io.StringIO()):
                    torques(ARM, data, out, force=True)
                spent.append(time.perf_counter() - start)
            _agreed(numbers, out)
            rows.append(DataRow(f"torques, {ending[1:]}", count, min(spent), goal))
    return rows


def _agreed(numbers: np.ndarray, out: Path) -> None:
    """What is written is what a call gives, bit for bit."""
    import polars

    import steiner as st

    expected = st.load(ARM).inverse_dynamics(*(np.ascontiguousarray(numbers[k : k + 6].T) for k in (1, 7, 13)))
    written = polars.read_parquet(out) if out.suffix == ".parquet" else polars.read_csv(out)
    if not np.array_equal(written.to_numpy()[:, 1:], expected):
        raise SystemExit(f"{out.name} differs from inverse_dynamics")


if __name__ == "__main__":
    print(told(speeds([vars(row) | {"rate": row.rate} for row in data_rows()])))
