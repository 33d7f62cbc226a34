"""The section about motion in time: let go, and steered; with the account of the energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steiner.model.motion import Motion
from steiner.reports.blocks import Column, Grid, Quantity, heading, lack, number, sentence, text
from steiner.reports.charts import Curve, chart, figure
from steiner.reports.model import view_of
from steiner.reports.subject import ASTRAY, DAMPING, OFFSET, PERIOD, STIFFNESS, Subject, frames, unit_of

SMALLER_VIEW = 400_000  # characters


def free(subject: Subject) -> Iterator[str]:
    """Let go."""
    yield heading("Let go")
    yield text(
        f"From rest where the motion begins, {subject.free.t[-1]:.4g} s without motors; joint limits are not felt, "
        "friction is that of the joints."
    )
    yield from _simulated(subject, subject.free, "free")


def controlled(subject: Subject) -> Iterator[str]:
    """Steered along the motion."""
    yield heading("Controlled")
    moved = subject.controlled
    yield text(
        f"Computed torque along the motion of section 4, gains {STIFFNESS:g} 1/s² and {DAMPING:g} 1/s, every "
        f"{1000 * PERIOD:g} ms and within the effort limits, from {OFFSET:g} rad or m beside its beginning, "
        f"{moved.t[-1]:.4g} s; the law knows nothing of friction, the arm has it."
    )
    if moved.ended:
        yield lack(
            f"It runs away: a joint is {ASTRAY:g} rad or m beside the motion then. The clock is too slow for this arm, "
            "or its efforts are too small."
        )
    yield from _simulated(subject, moved, "controlled")
    robot, found = subject.robot, subject.followed
    rows = []
    for k, joint in enumerate(robot.joint_names):
        unit = unit_of(robot, joint, ("rad", "m"))
        errors = [Quantity(float(getattr(found, name)[k]), unit) for name in ("rms", "peak", "final")]
        rows.append((joint, [*errors, float(found.peak_time[k])]))
    columns = [Column("joint", "joint"), Column("rms", "RMS error"), Column("peak", "largest error"),
               Column("final", "error at the end"), Column("peak_time", "largest at", "s")]  # fmt: skip
    yield heading("How well it follows", 4)
    yield Grid("tracking", columns, rows).html()


def _simulated(subject: Subject, moved: Motion, id: str) -> Iterator[str]:
    robot = subject.robot
    view, _ = view_of(subject, SMALLER_VIEW, **frames(moved))
    yield view if len(view) <= SMALLER_VIEW else lack("The robot is too large for another view on this page.")
    names, charts = robot.joint_names, []
    for x, title, kinds in (("q", "position", ("rad", "m")), ("tau", "effort", ("N m", "N"))):
        for unit in kinds:
            mine = [k for k, j in enumerate(names) if unit_of(robot, j, kinds) == unit]
            values: Any = getattr(moved, x)
            if mine and (x == "q" or np.abs(values[:, mine]).max() > 0):
                charts.append(chart(title, [Curve(names[k], moved.t, values[:, k], k % 8) for k in mine], "s", unit))
    data = {"t": moved.t} | {f"{j}.{x}": getattr(moved, x)[:, k] for x in ("q", "tau") for k, j in enumerate(names)}
    joints = figure(f"{id}-chart", charts, [(n, k % 8) for k, n in enumerate(names)], data, "Joints.")
    accounts = {"kinetic": moved.kinetic, "potential": moved.potential, "total": moved.energy}
    works = {
        f"work of {s}": moved.work[:, k] for k, s in enumerate(moved.SOURCES) if np.abs(moved.work[:, k]).max() > 0
    }
    lines = [Curve(n, moved.t, np.asarray(y), k) for k, (n, y) in enumerate((accounts | works).items())]
    energy = figure(
        f"{id}-energy-chart", [chart("energy and work", lines, "s", "J")], [(c.name, c.colour) for c in lines],
        {"t": moved.t} | accounts | works, "Energy.",
    )  # fmt: skip
    yield f'<div class="figures" style="--n:{min(len(charts), 2)}">{joints}{energy}</div>'
    begin, end = float(moved.initial), float(moved.energy[-1])
    done = [(f"work of {source}", [float(moved.work[-1, k])]) for k, source in enumerate(moved.SOURCES)]
    rows = [("energy at the start", [begin]), *done,
            ("energy at the end", [end]), ("drift of the integration", [float(moved.drift[-1])])]  # fmt: skip
    yield heading("Energy account", 4)
    yield Grid(f"{id}-energy", [Column("account", "account"), Column("value", "energy", "J")], rows).html()
    yield sentence(
        f"Largest drift: {number(moved.relative_drift, '', f'{id} drift', 2)} of the largest kinetic energy"
        f"; {number(len(moved.events) - bool(moved.ended), '', f'{id} events')} events of sticking and slipping."
    )
