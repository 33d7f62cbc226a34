"""A desk arm from its parts to the torques of its motors, with proof.

Run it with `make demo`.  Three links are drawn as boxes, tubes and cylinders of named materials (desk_arm.yaml); their
mass properties follow; a pick-and-place motion gives the torques; Pinocchio, if it is installed, gets
the same arm through a URDF file and has to find the same numbers.  All of it is put on one page, out/report.html.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import steiner as st

OUT, DRAWING = Path("out"), Path(__file__).with_name("desk_arm.yaml")
START, GOAL = np.radians([-60.0, 70.0, -110.0]), np.radians([75.0, 25.0, -40.0])
DURATION = 1.2  # seconds
BARS = "▁▂▃▄▅▆▇█"

console = Console(width=100, highlight=False)


def main() -> None:
    """The whole tour."""
    OUT.mkdir(exist_ok=True)
    arm = st.load(DRAWING)
    console.print(f"\n[bold]1. From the drawing to the mass budget[/bold]   {arm}\n")
    budget(arm)
    console.print("\n[bold]2. From the motion to the torques of the motors[/bold]\n")
    t, q, qd, qdd = motion()
    tau = arm.inverse_dynamics(q, qd, qdd)
    torques(arm, t, q, qd, qdd, tau)
    console.print("\n[bold]3. Proof[/bold]\n")
    proof(arm, t, q, qd, qdd, tau)
    console.print("\n[bold]4. Speed[/bold]\n")
    speed(arm)
    files = write(arm, t, q, qd, qdd, tau)
    page = st.report(arm, OUT / "report.html", trajectory=OUT / "motion.csv")
    console.print("\n[bold]Files[/bold]")
    for path, what in files:
        console.print(f"  {path}  {what}")
    console.print(f"\n[bold]The report[/bold]  {page}: all of this on one page, open it in a browser")
    console.print("\nNext: .venv/bin/steiner gallery,  .venv/bin/steiner torques desk out/motion.csv -o out/mine.csv")


def budget(arm: st.Robot) -> None:
    """Every part of every link: what it weighs and what it is made of."""
    table = Table("link and parts", "mass g", "share %", "centre x, y, z mm", "made of", "mass is", box=None)
    for column in table.columns[1:4]:
        column.justify = "right"
    for assembly in arm.provenance["assemblies"].values():
        for row in assembly.budget().rows:
            style = "bold" if row.depth == 0 else None
            name = "  " * row.depth + ("− " if row.kind == "cavity" else "") + row.name
            centre = ", ".join(f"{round(1000 * x, 1) + 0.0:.1f}" for x in row.com)
            table.add_row(
                name, f"{1000 * row.mass:.1f}", f"{100 * row.share:.1f}", centre, row.material, row.provenance["mass"],
                style=style,
            )  # fmt: skip
    console.print(table)
    console.print(f"\n  whole arm {arm.total_mass:.3f} kg; the lines with − are cavities")


def motion() -> tuple[np.ndarray, ...]:
    """From START to GOAL and back, each way with a quintic that starts and ends at rest."""
    t = np.linspace(0.0, 2 * DURATION, 241)
    s = np.where(t < DURATION, t, 2 * DURATION - t) / DURATION
    way = np.where(t < DURATION, 1.0, -1.0)
    shape = 10 * s**3 - 15 * s**4 + 6 * s**5
    rate = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / DURATION
    bend = (60 * s - 180 * s**2 + 120 * s**3) / DURATION**2
    span = GOAL - START
    return t, START + np.outer(shape, span), np.outer(rate, span), np.outer(bend, span)


def torques(arm: st.Robot, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, tau: np.ndarray) -> None:
    """Where the torque comes from at each joint's worst moment, and its course over time."""
    rest = np.zeros_like(q)
    gravity = arm.inverse_dynamics(q, rest, rest)
    friction = tau - arm.inverse_dynamics(q, qd, qdd, friction=False)
    inertial = tau - gravity - friction
    table = Table(
        "joint", "peak N m", "at s", "gravity", "inertia and speed", "friction", "limit", "over the motion", box=None
    )
    for column in table.columns[1:7]:
        column.justify = "right"
    for k, name in enumerate(arm.joint_names):
        worst = int(np.abs(tau[:, k]).argmax())
        limit = arm.joint(name).limits.effort
        table.add_row(
            name, f"{tau[worst, k]:.3f}", f"{t[worst]:.2f}", f"{gravity[worst, k]:.3f}", f"{inertial[worst, k]:.3f}",
            f"{friction[worst, k]:.3f}", f"{limit:g}", curve(tau[:, k]),
        )  # fmt: skip
    console.print(table)


def curve(values: np.ndarray, width: int = 24) -> str:
    """A small picture of a course."""
    low, high = values.min(), values.max()
    picked = values[np.linspace(0, len(values) - 1, width).astype(int)]
    return "".join(BARS[int((len(BARS) - 1) * (v - low) / (high - low))] for v in picked)


def proof(arm: st.Robot, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, tau: np.ndarray) -> None:
    """The same arm in Pinocchio, and the way back from torques to accelerations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # URDF holds no rotor inertia: it is handed over below
        path = st.save(arm, OUT / "desk.urdf", force=True)
    back = arm.forward_dynamics(q, qd, tau)
    console.print(f"  forward dynamics of these torques gives the accelerations back to {worst(back, qdd):.1e}")
    try:
        import pinocchio as pin
    except ImportError:
        console.print("  Pinocchio is not installed (pip install pin): no second opinion")
        return
    model = pin.buildModelFromUrdf(str(path))
    model.armature = np.array([arm.joint(name).armature for name in model.names[1:]])
    data = model.createData()
    assert tuple(model.names[1:]) == arm.joint_names
    theirs = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
    ours = arm.inverse_dynamics(q, qd, qdd, friction=False)
    table = Table("t s", "joint", "steiner", f"Pinocchio {pin.__version__}", "difference", box=None)
    for row in (30, 90, 200):
        for k, name in enumerate(arm.joint_names):
            a, b = ours[row, k], theirs[row, k]
            table.add_row(f"{t[row]:.2f}" if k == 0 else "", name, f"{a:+.15f}", f"{b:+.15f}", f"{abs(a - b):.1e}")
    console.print(table)
    error = worst(ours, theirs)
    console.print(f"\n  largest difference over {len(t)} samples: {error:.1e} of the largest torque (without friction)")
    if error > 1e-12:
        raise SystemExit("steiner and Pinocchio disagree: this is a bug, please report it")


def worst(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference, relative to the largest value."""
    return float(np.abs(a - b).max() / np.abs(b).max())


def speed(arm: st.Robot, count: int = 100_000) -> None:
    """The same method on a hundred thousand samples."""
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, count, arm.n))
    tau = np.zeros_like(q)
    arm.inverse_dynamics(q, qd, qdd, out=tau)
    best = min(timed(lambda: arm.inverse_dynamics(q, qd, qdd, out=tau)) for _ in range(5))
    console.print(f"  {count} samples in {1e3 * best:.2f} ms: {1e9 * best / count:.0f} ns each")


def timed(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def write(
    arm: st.Robot, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, tau: np.ndarray
) -> list[tuple[Path, str]]:
    """The motion and the torques as CSV files, and a picture if matplotlib is installed."""
    names = arm.joint_names
    header = ",".join(["t", *(f"{name}.{x}" for x in ("q", "qd", "qdd") for name in names)])
    np.savetxt(OUT / "motion.csv", np.column_stack([t, q, qd, qdd]), "%.17g", ",", header=header, comments="")
    header = ",".join(["t", *(f"{name}.tau" for name in names)])
    np.savetxt(OUT / "torques.csv", np.column_stack([t, tau]), "%.17g", ",", header=header, comments="")
    files = [
        (OUT / "desk.urdf", "the arm, for other programs"),
        (OUT / "motion.csv", "the motion, in the form that `steiner torques` reads"),
        (OUT / "torques.csv", "the torques, N m"),
    ]
    try:
        import matplotlib
    except ImportError:
        return files
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")
    above.plot(t, np.degrees(q), label=names)
    above.set(ylabel="angle, °", title="desk arm: there and back")
    below.plot(t, tau, label=names)
    below.set(ylabel="torque, N m", xlabel="time, s")
    below.legend()
    for axes in (above, below):
        axes.grid(alpha=0.3)
    figure.savefig(OUT / "torques.png", dpi=120)
    return [*files, (OUT / "torques.png", "picture of the motion and the torques")]


if __name__ == "__main__":
    main()
