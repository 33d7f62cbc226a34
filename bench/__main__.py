"""`make bench`: measures, prints a table, writes bench/results.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("STEINER_THREADS", "1")  # everybody has one thread

from rich.console import Console
from rich.table import Table

from bench.measure import Row, all_rows
from bench.peers import PEERS
from bench.robots import panda
from bench.symbolic import symbolic_rows, table

RESULTS = Path(__file__).parent / "results.json"
FIRST_CALL = """
import time, numpy as np, steiner as st
from steiner.io import load
robot = load("gallery:panda")
q = np.zeros(robot.n)
start = time.perf_counter()
robot.inverse_dynamics(q, q, q)
print(time.perf_counter() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--case", action="append", default=[], help="only these cases")
    options = parser.parse_args()
    console = Console(width=110, highlight=False)
    robot = panda()
    peers = []
    for kind in PEERS:
        try:
            peers.append(kind(robot))
        except ImportError as error:
            console.print(f"without {kind.name}: {error}")
    repeats, at_least = (5, 0.01) if options.quick else (25, 0.03)
    rows = all_rows(peers, robot.n, repeats=repeats, at_least=at_least, cases=set(options.case))
    first = first_calls()
    show(console, rows, peers, first)
    if options.case:
        return
    formulas = symbolic_rows(options.quick)
    console.print("\n" + table(formulas))
    document = {
        "robot": f"{robot.name}, {robot.n} joints, fingers locked, float64, one thread",
        "when": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {peer.name: peer.version for peer in peers}
        | {"python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "llvmlite", "sympy")},
        "repeats": repeats,
        "first_call_seconds": first,
        "rows": [vars(row) | {"ratio": row.ratio} for row in rows],
        "formulas": [vars(row) | {"ratio": row.ratio} for row in formulas],
    }
    RESULTS.write_text(json.dumps(document, indent=2) + "\n")
    console.print(f"\nwritten to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS}")


def show(console: Console, rows: list[Row], peers: list, first: dict[str, float]) -> None:
    """The table for people: nanoseconds per sample, and how many times longer the others take."""
    table = Table("case", "batch", *(f"{peer.name} {peer.version} ns" for peer in peers), "ratio", "error", box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        stars = {peer.name: "*" if peer.name in row.python_loop else "" for peer in peers}
        cells = [f"{row.ns[p.name]:.1f}{stars[p.name]}" if p.name in row.ns else "–" for p in peers]
        ratios = ", ".join(f"{value:.1f}×" for value in row.ratio.values())
        table.add_row(row.title, str(row.batch), *cells, ratios, f"{max(row.error.values()):.0e}")
    console.print(table)
    if any(row.python_loop for row in rows):
        console.print("\n* a Python loop of single calls: no batch of it there, so this ratio is not one of kernels")
    console.print(
        f"\nfirst call of inverse dynamics: {1e3 * first['fresh']:.0f} ms, "
        f"from the disk cache {1e3 * first['cached']:.0f} ms"
    )


def first_calls() -> dict[str, float]:
    """Seconds until the first result in a new process: without and with kernels on disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"STEINER_CACHE": folder}
        spent = [
            float(subprocess.run([sys.executable, "-c", FIRST_CALL], env=environment, check=True,
                                 capture_output=True, text=True).stdout)
            for _ in range(4)
        ]  # fmt: skip
    return {"fresh": spent[0], "cached": min(spent[1:])}


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    info = {"system": platform.system(), "architecture": platform.machine(), "cores": str(os.cpu_count())}
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return info | {"processor": platform.processor()}
    fields = dict(line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", fields.get("Features", "")).split()
    vector = [flag for flag in ("avx512f", "avx2", "fma", "asimd") if flag in flags]
    return info | {"processor": fields.get("model name", platform.processor()), "vector": " ".join(vector)}


if __name__ == "__main__":
    main()
