"""Write the README's table of speed from bench/results.json, so that it is the one that was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
START, END = "<!-- speed: written by `python -m tools.speed` from bench/results.json -->", "<!-- end of speed -->"
ROWS = (
    ("panda", "inverse_dynamics", 1, "one call from Python"),
    ("panda with friction", "inverse_dynamics", 1, "one call from Python"),
    ("panda", "inverse_dynamics", 1_000, "batch of 1 000"),
    ("panda", "inverse_dynamics", 100_000, "batch of 100 000"),
    ("panda", "forward_dynamics", 1_000, "batch of 1 000"),
    ("panda", "forward_dynamics", 100_000, "batch of 100 000"),
    ("panda", "mass_matrix", 100_000, "batch of 100 000"),
    ("panda", "inverse_dynamics_derivatives", 100_000, "batch of 100 000"),
    ("ur5", "forward_dynamics", 100_000, "batch of 100 000"),
    ("chain30", "inverse_dynamics", 1_000, "batch of 1 000"),
    ("chain30", "forward_dynamics", 1_000, "batch of 1 000"),
    ("general30", "inverse_dynamics", 1_000, "batch of 1 000"),
    ("general30", "forward_dynamics", 1_000, "batch of 1 000"),
)


def text() -> str:
    """The section between the marks."""
    found = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))
    rows = {(r["robot"], r["case"], r["batch"]): r for r in found["rows"]}
    narrow = {(r["robot"], r["case"], r["batch"]): r for r in found.get("avx2", {}).get("rows", [])}
    lines = [
        f"Nanoseconds per sample beside Pinocchio {found['versions']['pin']} from its wheel, in one run after checking "
        "that both agree, float64, one",
        f"thread, {found['machine']['processor']} ({found['machine']['vector']}); last column: the same",
        "machine with code for AVX2. `make bench` measures it on yours and says what bounds each row.",
        "",
        "| robot | what | how | steiner | Pinocchio | | AVX2 code |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    single: list[str] = []
    for robot, case, batch, how in ROWS:
        r = rows[robot, case, batch]
        star = "\\*" if "pinocchio" in r["python_loop"] else ""
        single += [f"{rows[robot, case, 1]['ns']['pinocchio']:.0f} ns"] if star else []
        lines.append(
            f"| {robot} | {r['title']} | {how} | {r['ns']['steiner']:.0f} ns | {r['ns']['pinocchio']:.0f} ns{star} "
            f"| {r['ratio']['pinocchio']:.0f}× | {_times(narrow.get((robot, case, batch)))} |"
        )
    threads = found["speed_up_by_a_second_thread"]
    billion = found["seconds_for_a_billion_inverse_dynamics_of_the_panda_on_two_threads"]
    slowest = min(r["ratio"] for r in found["formulas"])
    if single:
        lines += ["", f"\\* a Python loop: Pinocchio has no batch of this; one call takes {' and '.join(single)}."]
    lines += [
        "",
        f"A second thread gives {threads['inverse_dynamics']:.1f}× and {threads['forward_dynamics']:.1f}× on a million "
        f"samples; a billion inverse dynamics of the Panda take {billion:.0f} s.",
        f"Code for a new robot takes {found['first_call_seconds']['fresh']:.1f} s to make and "
        f"{1e3 * found['first_call_seconds']['cached']:.0f} ms to load from the cache on disk; "
        "a first state alone does not wait for it.",
        f"Closed-form equations come at least {slowest:.0f} times faster than from sympy.physics.mechanics.",
    ]
    return "\n".join(lines)


def _times(row: dict | None) -> str:
    return f"{row['ratio']['pinocchio']:.0f}×" if row else ""


def written(readme: str) -> str:
    """The README with the section in its place."""
    section = f"{START}\n{text()}\n{END}"
    return re.sub(re.escape(START) + ".*?" + re.escape(END), lambda _: section, readme, flags=re.DOTALL)


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
