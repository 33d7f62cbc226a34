"""What is asked of the ratios to Pinocchio, by the vectors that a machine has, and whether they are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PANDA, RUBBING, CHAIN, GENERAL = "panda", "panda with friction", "chain30", "general30"


@dataclass(frozen=True)
class Goal:
    """A row's ratio to Pinocchio: what it must be with AVX2, what to reach for there, and with AVX-512."""

    robot: str
    case: str
    batch: int
    must: float
    reach: float
    avx512: float
    single: bool = False  # beside one call of the peer, which has no batch of it


GOALS = (
    Goal(PANDA, "inverse_dynamics", 1_000, 36, 43, 60),
    Goal(PANDA, "inverse_dynamics", 100_000, 36, 43, 60),
    Goal(PANDA, "forward_dynamics", 1_000, 40, 46, 65),
    Goal(PANDA, "forward_dynamics", 100_000, 40, 46, 65),
    Goal(PANDA, "mass_matrix", 100_000, 29, 32, 30, single=True),
    Goal(PANDA, "inverse_dynamics_derivatives", 100_000, 29, 32, 32, single=True),
    Goal(CHAIN, "inverse_dynamics", 1_000, 26, 32, 50),
    Goal(CHAIN, "forward_dynamics", 1_000, 22, 30, 42),
    Goal(GENERAL, "inverse_dynamics", 1_000, 18, 24, 40),
    Goal(GENERAL, "forward_dynamics", 1_000, 16, 22, 34),
    Goal(PANDA, "inverse_dynamics", 1, 9, 10, 9),
    Goal(RUBBING, "inverse_dynamics", 1, 8, 9, 9),
)
SHORT, LONG = "chain7", "chain100"
IN_CACHE = 10_000  # samples of a batch that stays in the caches
PARTS = {"made": 47 / 3, "summed": 66 / 3, "printed": 57 / 3}  # µs each: a third of what they took once
PER_JOINT, THREADS = {"must": 1.25, "reach": 1.15, "avx512": 1.15}, {"must": 1.8, "reach": 1.85, "avx512": 1.9}


def verdicts(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every goal with what was measured; with AVX-512 its own column is the goal, else "must" and "reach for"."""
    rows = {(r["robot"], r["case"], r["batch"]): r for r in document["rows"]}
    wide = "avx512f" in document["machine"].get("vector", "")
    found = []
    for goal in GOALS:
        key = goal.robot, goal.case, goal.batch
        if key in rows and "pinocchio" in rows[key]["ratio"]:
            ratio = rows[key]["ratio"]["pinocchio"]
            if goal.single:
                ratio = rows[goal.robot, goal.case, 1]["ns"]["pinocchio"] / rows[key]["ns"]["steiner"]
            wanted = (goal.avx512, goal.avx512) if wide else (goal.must, goal.reach)
            found.append(verdict(f"{goal.robot}, {rows[key]['title']}, {goal.batch}", ratio, *wanted))
            found[-1]["bound"] = bound(document, key, ratio * rows[key]["ns"]["steiner"])
    for case in ("inverse_dynamics", "forward_dynamics"):
        short, long = (rows.get((name, case, 1_000)) for name in (SHORT, LONG))
        if short and long:
            dearer = (long["ns"]["steiner"] / long["joints"]) / (short["ns"]["steiner"] / short["joints"])
            wanted = (PER_JOINT["avx512"],) * 2 if wide else (PER_JOINT["must"], PER_JOINT["reach"])
            found.append(verdict(f"cost per joint, {LONG} over {SHORT}, {long['title']}", dearer, *wanted, below=True))
            found[-1]["bound"] = bound_per_joint(document, case)
    for case, ratio in document.get("speed_up_by_a_second_thread", {}).items():
        wanted = (THREADS["avx512"],) * 2 if wide else (THREADS["must"], THREADS["reach"])
        found.append(verdict(f"a second thread, {case.replace('_', ' ')}, a million", ratio, *wanted))
    return found


def bound(document: dict[str, Any], key: tuple[str, str, int], peer: float) -> str:
    """The ratio at which arithmetic alone, or for large batches memory alone, would take all the time."""
    robot, case, batch = key
    limits = limits_of(document)
    if batch == 1 or (robot, case) not in limits:
        return ""
    limit = limits[robot, case]
    reasons = {"arithmetic": limit["processor_limit_ns"]}
    if batch > IN_CACHE:
        reasons["memory"] = limit["memory_limit_ns"]
    reason = max(reasons, key=reasons.__getitem__)
    return f"{peer / reasons[reason]:.0f} by {reason}"


def limits_of(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """What the machine could do at best, by robot and case."""
    return {(c["robot"], c["case"]): c for c in document.get("limits", {}).get("cases", ())}


def bound_per_joint(document: dict[str, Any], case: str) -> str:
    """The ratio that arithmetic alone would have: a long chain has more operations for each of its joints."""
    found = [limits_of(document).get((name, case)) for name in (SHORT, LONG)]
    if not all(found):
        return ""
    short, long = (c["instructions"] / int(c["robot"].removeprefix("chain")) for c in found if c)
    return f"{long / short:.2f} by arithmetic"


def verdict(row: str, measured: float, must: float, reach: float, *, below: bool = False) -> dict[str, Any]:
    """Met, met but for what there is to reach for, or short of it, with how much is missing."""

    def enough(goal: float) -> bool:
        return measured <= goal if below else measured >= goal

    missing = abs(measured / must - 1)
    said = "met" if enough(reach) else "must is met" if enough(must) else f"short by {100 * missing:.0f} %"
    return {"row": row, "measured": measured, "must": must, "reach": reach, "verdict": said}


Judged = tuple[str, str, str, str]  # what was timed, what was measured, the goal, and whether it is met


def starts(rows: list[dict[str, Any]], parts: dict[str, float]) -> list[Judged]:
    """CPU time of new processes beside the first of them, `import numpy`, and of the parts of an assembly."""
    found = []
    for row in rows[1:]:
        measured = f"{row['ratio']:.2f} × import numpy ({1e3 * row['seconds']:.0f} ms)"
        found.append((row["case"], measured, f"{row['goal']:g}", _at_most(row["ratio"], row["goal"])))
    for name, taken in parts.items():
        found.append((f"a part {name}", f"{taken:.1f} µs", f"{PARTS[name]:.1f}", _at_most(taken, PARTS[name])))
    return found


def _at_most(measured: float, goal: float) -> str:
    return verdict("", measured, goal, goal, below=True)["verdict"]


def speeds(rows: list[dict[str, Any]]) -> list[Judged]:
    """Rows a second of `steiner torques` on files."""
    return [
        (row["case"], f"{row['rate'] / 1e6:.2f} M rows/s of six joints", f"{row['goal'] / 1e6:g}",
         verdict("", row["rate"], row["goal"], row["goal"])["verdict"])
        for row in rows
    ]  # fmt: skip


def told(rows: list[Judged]) -> str:
    """For people."""
    return "\n".join(f"{row}: {measured} (goal {goal}: {said})" for row, measured, goal, said in rows)


def worse(first: list[Any], second: list[Any]) -> list[Any]:
    """Of two runs, row by row the one that shows us slower beside Pinocchio."""

    def speed(row: Any) -> float:
        return row.ratio.get("pinocchio", -row.ns["steiner"])

    return [min(pair, key=speed) for pair in zip(first, second, strict=True)]
