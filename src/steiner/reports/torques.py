"""The section about a motion: torques, what they are made of, what they ask of the motors, what can be carried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steiner.analysis.capacity import Capacity
from steiner.errors import SteinerError
from steiner.reports.blocks import Column, Grid, Quantity, folded, heading, lack, note, number, sentence, text
from steiner.reports.charts import Curve, Level, chart, figure, thinned
from steiner.reports.model import failing
from steiner.reports.subject import Subject, unit_of
from steiner.text.names import html

PLAIN = ("peak_power", "mean_power", "energy_drawn", "energy_braked", "effort_margin", "speed_margin")
SOURCES = ("inertial", "centrifugal", "coriolis", "gravity", "friction", "rotor", "payload", "spring")  # by colour


def asked(subject: Subject) -> Iterator[str]:
    """The motion: positions and speeds of all joints."""
    rows, robot = subject.motion, subject.robot
    yield text(subject.story)
    charts = []
    for name, kinds in (("q", ("rad", "m")), ("qd", ("rad/s", "m/s"))):
        for unit in kinds:
            mine = [k for k, j in enumerate(robot.joint_names) if unit_of(robot, j, kinds) == unit]
            curves = [Curve(robot.joint_names[k], rows.t, getattr(rows, name)[:, k], k % 8) for k in mine]
            if curves:
                charts.append(chart({"q": "position", "qd": "speed"}[name], curves, "s", unit))
    data = {"t": rows.t} | {
        f"{j}.{x}": getattr(rows, x)[:, k] for x in ("q", "qd") for k, j in enumerate(robot.joint_names)
    }
    keys = [(name, k % 8) for k, name in enumerate(robot.joint_names)]
    yield figure("motion-chart", charts, keys, data, "The motion.")


def efforts(subject: Subject) -> Iterator[str]:
    """Torque of every joint over time, and what it is made of."""
    found, robot = subject.sizing, subject.robot
    split = robot.torque_breakdown(found.q, found.qd, found.qdd)
    used = [name for name, share in split.items() if np.abs(share).max() > 1e-12 * np.abs(found.tau).max()]
    charts, data = [], {"t": found.t}
    for k, joint in enumerate(robot.joint_names):
        curves = [Curve("total", found.t, found.tau[:, k], -1)]
        curves += [Curve(name, found.t, split[name][:, k], SOURCES.index(name)) for name in used]
        limit = found.limits.effort[k]
        levels = [Level("y", s * limit) for s in (-1, 1)] if np.isfinite(limit) else []
        charts.append(chart(joint, curves, "s", found.units[k], levels))
        data |= {f"{joint}.tau": found.tau[:, k]} | {f"{joint}.{name}": split[name][:, k] for name in used}
    keys = [("total", -1), *((name, SOURCES.index(name)) for name in used)]
    yield heading("Torques and what they are made of")
    yield figure("torque-chart", charts, keys, data, "Over time; dashed: effort limits, where they are near.")


def by_link(subject: Subject) -> Iterator[str]:
    """Torque of every joint over time, by the link that costs it."""
    found, robot = subject.sizing, subject.robot
    some = thinned(len(found.t))
    split = robot.torque_breakdown(found.q[some], found.qd[some], found.qdd[some], by="link")
    used = [name for name, share in split.items() if np.abs(share).max() > 1e-12 * np.abs(found.tau).max()]
    charts = []
    for k, joint in enumerate(robot.joint_names):
        curves = [Curve("total", found.t[some], found.tau[some, k], -1)]
        curves += [
            Curve(name, found.t[some], split[name][:, k], j % 8)
            for j, name in enumerate(used)
            if split[name][:, k].any()
        ]
        charts.append(chart(joint, curves, "s", found.units[k]))
    keys = [("total", -1), *((name, j % 8) for j, name in enumerate(used))]
    yield folded("The same by link", figure("link-chart", charts, keys, {}, "Over time."))


def sized(subject: Subject) -> Iterator[str]:
    """Peak, RMS, speed, power, energy and margins of every joint."""
    found, robot = subject.sizing, subject.robot
    yield heading("What the motion asks of the motors")
    rows = []
    for k, joint in enumerate(robot.joint_names):
        force, speed = found.units[k], unit_of(robot, joint, ("rad/s", "m/s"))
        cells = [Quantity(float(found.peak_torque[k]), force), float(found.peak_time[k]),
                 Quantity(float(found.rms_torque[k]), force), Quantity(float(found.peak_speed[k]), speed),
                 *(float(getattr(found, name)[k]) for name in PLAIN)]  # fmt: skip
        rows.append((joint, cells))
    columns = [
        Column("joint", "joint"), Column("peak_torque", "peak"), Column("peak_time", "at", "s"),
        Column("rms_torque", "RMS"), Column("peak_speed", "speed"), Column("peak_power", "peak power", "W"),
        Column("mean_power", "mean power", "W"),
        Column("energy_drawn", "drawn", "J"), Column("energy_braked", "braked", "J"),
        Column("effort_margin", "effort margin"), Column("speed_margin", "speed margin"),
    ]  # fmt: skip
    yield Grid("sizing", columns, rows, notes=["Margins are limits over needs."]).html()
    worst = found.limiting
    if worst is None:
        yield lack("No joint that moves states a limit of effort or speed: there is no margin to tell.")
        return
    over = ": the motion is too much for it" if worst.margin < 1 else ""
    margin, time = number(worst.margin, "", "limiting margin"), number(worst.time, "s", "limiting time")
    yield sentence(
        f"<b>{html(worst.joint)}</b> limits: its {worst.what} limit is {margin} times what is needed, at {time}{over}."
    )


def clouds(subject: Subject) -> Iterator[str]:
    """Torque over speed of every joint, within its limits."""
    found, robot = subject.sizing, subject.robot
    charts = []
    for k, joint in enumerate(robot.joint_names):
        levels = [Level(axis, s * x) for axis, x in (("x", found.limits.velocity[k]), ("y", found.limits.effort[k]))
                  if np.isfinite(x) for s in (-1, 1)]  # fmt: skip
        curve = Curve("torque over speed", found.qd[:, k], found.tau[:, k], 0)
        charts.append(chart(joint, [curve], unit_of(robot, joint, ("rad/s", "m/s")), found.units[k], levels))
    yield figure("cloud-chart", charts, [], {}, "Torque over speed; dashed: limits, where they are near.")


def split(subject: Subject) -> Iterator[str]:
    """What the peaks are made of: by source, by link, by part."""
    found, robot = subject.sizing, subject.robot
    yield heading("What the peaks are made of")
    for by, title in (("source", "By source"), ("link", "By link"), ("part", "By part")):
        shares = found.shares(by)
        total = sum(shares.values(), np.zeros(robot.n))
        least = 1e-12 * np.abs(total).max()
        rows = [(name, [float(x) for x in share]) for name, share in shares.items() if np.abs(share).max() > least]
        rows.append(("total", [float(x) for x in total]))
        columns = [Column(by, by), *(Column(j, j, u) for j, u in zip(robot.joint_names, found.units, strict=True))]
        table = Grid(
            f"shares-{by}", columns, rows, notes=["Each joint at its own peak; the columns sum to its torque then."]
        ).html()
        yield folded(title, table) if by == "part" else f"<h4>{title}</h4>{table}"
    if not any(link.made_of for link in robot.links):
        yield lack("No link is drawn from parts: the shares by part are those of the links.")


def carried(subject: Subject) -> Iterator[str]:
    """The largest payload, along the motion and at rest anywhere, and who limits it."""
    yield heading("Largest payload")
    robot, rows, notes, lacks = subject.robot, [], [], []
    for name, found in (
        ("along the motion", lambda: subject.on_the_way),
        ("at rest, anywhere", lambda: subject.anywhere),
    ):
        try:
            one: Capacity = found()
        except SteinerError as error:
            lacks.append(failing(error))
            continue
        pose = [
            Quantity(float(x), unit_of(robot, j, ("rad", "m"))) for j, x in zip(robot.joint_names, one.q, strict=True)
        ]
        rows.append((name, [float(one.mass), one.joint or "none", one.link, one.time, len(one.masses), *pose]))
        notes += [n for n in one.table().notes if n not in notes]
    columns = [
        Column("where", "where"), Column("mass", "largest payload", "kg"), Column("joint", "limiting joint"),
        Column("link", "carried by"), Column("time", "at", "s"), Column("poses", "poses looked at"),
        *(Column(f"q {j}", f"{j} at") for j in robot.joint_names),
    ]  # fmt: skip
    if rows:
        yield Grid("payload", columns, rows, notes=notes).html()
        yield note("On the right the pose in which it is limited most.")
    yield from dict.fromkeys(lacks)
