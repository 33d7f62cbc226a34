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
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

os.environ["STEINER_THREADS"] = "1"  # everybody has one thread, where nothing else is said
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_cpu_multi_thread_eigen=false")

from rich.console import Console
from rich.table import Table

from bench.cases import BOTH, SETUPS
from bench.data import data_rows
from bench.extremes import a_billion, call_with_friction, distances, two_threads
from bench.goals import GOALS, LONG, SHORT, speeds, starts, told, verdicts, worse
from bench.measure import Row, rows_of
from bench.meshes import mesh_rows
from bench.peers import PEERS
from bench.robots import panda
from bench.start import part_rows, start_rows
from bench.stepping import MotionRow, motion_rows
from bench.stepping import table as motion_table
from bench.symbolic import SymbolicRow, symbolic_rows, table

PACKAGES = ("steiner", "numpy", "llvmlite", "sympy", "pin", "mujoco", "casadi", "jax", "trimesh")
RESULTS = Path(__file__).parent / "results.json"
FIRST_CALL = """
import time, numpy as np, steiner as st
from steiner.files import load
robot = load("gallery:panda")
q = np.zeros(robot.n)
start = time.perf_counter()
for _ in range(2):  # of a robot that is new the second call makes the code
    robot.inverse_dynamics(q, q, q)
print(time.perf_counter() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no billion")
    parser.add_argument("--case", action="append", default=[], help="only these cases, on the Panda, and no file")
    parser.add_argument("--avx2", action="store_true", help="rows of AVX2 code, as JSON: for machines that have more")
    options = parser.parse_args()
    if options.avx2:
        print(json.dumps(narrow_code()))
        return
    console = Console(width=130, highlight=False)
    kinds = available(console)
    effort = {"repeats": 5, "at_least": 0.01} if options.quick else {"repeats": 15, "at_least": 0.1}
    rows: list[Row] = []
    for setup in SETUPS[:1] if options.case else SETUPS:
        runs = [rows_of(setup, kinds, cases=set(options.case), **effort) for _ in range(1 if options.quick else 2)]
        rows += worse(runs[0], runs[-1])
        console.print(f"measured: {rows[-1].robot}", style="dim")
    if "pinocchio" in (kind.name for kind in kinds):
        rows += worse([call_with_friction()], [call_with_friction()])
    show(console, rows, [kind.name for kind in kinds])
    if options.case:
        return
    robot = panda()
    document = {
        "when": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {"python": platform.python_version()}
        | {name: found for name in PACKAGES if (found := installed(name))},
        "conditions": "float64, one thread unless said otherwise, least of interleaved repeats; of two runs the worse",
        "repeats": effort["repeats"],
        "first_call_seconds": first_calls(),
        "start": [vars(row) for row in start_rows(options.quick)],
        "part_microseconds": part_rows(),
        "rows": [vars(row) | {"ratio": row.ratio} for row in rows],
        "limits": distances(rows),
        "speed_up_by_a_second_thread": two_threads(robot),
        "meshes": [vars(row) | {"ratio": row.ratio} for row in mesh_rows(options.quick)],
        "motion": [vars(row) | {"ratio": row.ratio} for row in motion_rows(options.quick)],
        "data": [vars(row) | {"rate": row.rate} for row in data_rows(options.quick)],
        "formulas": [vars(row) | {"ratio": row.ratio} for row in symbolic_rows(options.quick)],
    }
    if not options.quick:
        document["seconds_for_a_billion_inverse_dynamics_of_the_panda_on_two_threads"] = a_billion(robot)
    document["goals"] = verdicts(document)
    if not options.quick and "avx512f" in document["machine"].get("vector", ""):
        done = subprocess.run([sys.executable, "-m", "bench", "--avx2"], check=True, capture_output=True, text=True)
        narrow = {"machine": {"vector": "avx2 fma"}, **json.loads(done.stdout)}
        document["avx2"] = narrow | {"goals": verdicts(narrow)}
    RESULTS.write_text(json.dumps(document, indent=2) + "\n")
    picture = plotted(document, RESULTS.with_suffix(".svg"))
    summary(console, document)
    console.print(f"\nwritten to {RESULTS.name} and {picture.name} in {RESULTS.parent}")


def narrow_code() -> dict:
    """What goals ask for, with code for a processor of AVX2 and 16 registers, in a process of its own."""
    from steiner.backends.llvm import engine

    triple, _, features = engine.host()
    kept = ",".join(x if "avx512" not in x else "-" + x[1:] for x in features.split(","))
    engine.host = lambda: (triple, "x86-64-v3", kept)  # before any kernel is made
    wanted = {(goal.robot, goal.case) for goal in GOALS}
    wanted |= {(name, case.key) for name in (SHORT, LONG) for case in BOTH}
    rows = []
    for setup in SETUPS:
        cases = {case for name, case in wanted if name == setup.robot().name}
        if cases and max(setup.batches) <= 100_000:
            runs = [rows_of(setup, list(PEERS[:2]), cases=cases, repeats=10, at_least=0.1) for _ in range(2)]
            rows += worse(*runs)
    rows += worse([call_with_friction()], [call_with_friction()])
    return {
        "rows": [vars(row) | {"ratio": row.ratio} for row in rows],
        "limits": distances(rows),
        "speed_up_by_a_second_thread": two_threads(panda()),
    }


def available(console: Console) -> list:
    """The peers that are installed, this package first; missing ones are said."""
    kinds = []
    for kind in PEERS:
        try:
            kind(panda())
        except ImportError as error:
            console.print(f"without {kind.name}: {error}")
        else:
            kinds.append(kind)
    return kinds


def installed(name: str) -> str | None:
    """The version of a package, if it is here."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def show(console: Console, rows: list[Row], peers: list[str]) -> None:
    """The table for people: nanoseconds per sample, and how many times longer the others take."""
    table = Table("robot", "case", "batch", *(f"{name} ns" for name in peers), "ratios", "error", box=None)
    for column in table.columns[2:]:
        column.justify = "right"
    for row in rows:
        cells = [
            f"{row.ns[name]:.1f}{'*' if name in row.python_loop else ''}" if name in row.ns else "–" for name in peers
        ]
        ratios = ", ".join(f"{value:.1f}×" for value in row.ratio.values())
        table.add_row(row.robot, row.title, str(row.batch), *cells, ratios, f"{max(row.error.values()):.0e}")
    console.print(table)
    if any(row.python_loop for row in rows):
        console.print("\n* a Python loop of single calls: no batch of it there, so this ratio is not one of kernels")


def summary(console: Console, document: dict) -> None:
    """What is not in the table."""
    first, bound = document["first_call_seconds"], document["limits"]
    console.print(
        f"\ncode of inverse dynamics: {1e3 * first['fresh']:.0f} ms, from disk {1e3 * first['cached']:.0f} ms\n"
        f"this machine: {bound['ns_per_multiply_add']:.4f} ns per multiply-add and sample, "
        f"{bound['ns_per_operation']:.4f} ns per operation if others are additions, "
        f"{bound['bytes_per_ns']:.1f} GB/s of copying"
    )
    for c in bound["cases"]:
        measured = ", ".join(f"{ns:.1f} ({batch})" for batch, ns in c["ns"].items() if batch > 1)
        console.print(
            f"{c['robot']}, {c['case']}: at best {c['processor_limit_ns']:.1f} ns by arithmetic "
            f"({c['instructions']} instructions, {c['products']} multiply), "
            f"{c['memory_limit_ns']:.1f} ns by memory ({c['bytes']} bytes); "
            f"measured {measured}"
        )
    for key, value in document["speed_up_by_a_second_thread"].items():
        console.print(f"{key}, a million samples: {value:.2f}× by a second thread")
    billion = document.get("seconds_for_a_billion_inverse_dynamics_of_the_panda_on_two_threads")
    if billion:
        console.print(f"a billion inverse dynamics of the Panda, two threads: {billion:.1f} s")
    for row in document["meshes"]:
        console.print(
            f"{row['case']}, {row['triangles']} triangles: {row['seconds']:.3f} s, {row['peer']} "
            f"{row['peer_seconds']:.2f} s ({row['ratio']:.0f}×)"
        )
    for found in (document, *([document["avx2"]] if "avx2" in document else [])):
        columns = ("goal", "measured", "must", "reach for", "", "at most here")
        goals = Table(*columns, box=None, title=found["machine"].get("vector", ""))
        for goal in found["goals"]:
            numbers = (f"{goal[key]:.2f}" for key in ("measured", "must", "reach"))
            goals.add_row(goal["row"], *numbers, goal["verdict"], goal.get("bound", ""))
        console.print(goals)
    console.print("\n" + told(starts(document["start"], document["part_microseconds"])))
    console.print("\n" + told(speeds(document["data"])))
    motions = [MotionRow(**{k: v for k, v in r.items() if k != "ratio"}) for r in document["motion"]]
    console.print("\n" + motion_table(motions))
    formulas = [SymbolicRow(**{k: v for k, v in r.items() if k != "ratio"}) for r in document["formulas"]]
    console.print("\n" + table(formulas))


def plotted(document: dict, path: Path) -> Path:
    """Ratios to Pinocchio: by batch size on the Panda, by length of the chain."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    for axis, chosen, key, meaning in (
        (left, lambda r: r["robot"] == "panda", "batch", "samples in a batch, Panda"),
        (right, lambda r: r["robot"].startswith("chain"), "joints", "joints of a chain, batches of 1000"),
    ):
        for title in dict.fromkeys(r["title"] for r in document["rows"] if chosen(r)):
            points = [
                (r[key], r["ratio"]["pinocchio"])
                for r in document["rows"]
                if chosen(r) and r["title"] == title and "pinocchio" in r["ratio"]
            ]
            looped = any(r["title"] == title and "pinocchio" in r["python_loop"] for r in document["rows"])
            label = f"{title} (a Python loop there)" if looped else title
            axis.plot(*zip(*sorted(points), strict=True), "o-", label=label)
        axis.set(xscale="log", yscale="log", xlabel=meaning)
        axis.grid(True, alpha=0.3, which="both")
        axis.legend()
    left.set_ylabel("times faster than Pinocchio, one thread")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path


def first_calls() -> dict[str, float]:
    """Seconds until code gives a result in a new process: without and with kernels on disk."""
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
