"""Sections about equations, torques, motions and their verification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steiner.analysis.base_parameters import base_parameters
from steiner.analysis.capacity import Capacity
from steiner.motion.motion import Motion
from steiner.reports.blocks import Column, Grid, Quantity, folded, formulas, heading, lack, note, number, sentence, text
from steiner.reports.charts import Curve, Level, chart, figure
from steiner.reports.model import view_of
from steiner.reports.subject import DAMPING, OFFSET, PERIOD, STIFFNESS, Subject, frames, unit_of
from steiner.review.compare import TERMS as PROGRAM_TERMS
from steiner.review.routes import ROUTES, agreement, opinions
from steiner.text.names import html

LARGEST_DERIVATION = 7  # joints
SHORT = ("M", "V", "G", "tau")
WORDS = {"M": "mass matrix M", "V": "speed terms V", "G": "gravity G", "tau": "efforts τ"}
SOURCES = ("inertial", "centrifugal", "coriolis", "gravity", "friction", "rotor", "payload", "external")


# ---- 3: equations ------------------------------------------------------------------------------------------


def closed(subject: Subject) -> Iterator[str]:
    """The formulas of a small arm, in numbers and in letters; of a large one what they take."""
    eq = subject.equations
    if eq.is_closed:
        yield formulas(eq.document(proof=False))
    else:
        yield text(
            f"Of {eq.robot.n} joints the formulas are too long to be written out: they are sequences of named "
            "sub-expressions, below and as programs of steiner equations."
        )


def letters(subject: Subject) -> Iterator[str]:
    """The same with letters, and what they stand for."""
    if not subject.equations.is_closed:
        return
    eq = subject.lettered
    rows = [(str(s), [eq.typesetter.expression(s), float(x)]) for s, x in eq.letters.items() if s in eq.parameters]
    columns = [Column("name", "letter"), Column("symbol", "as written"), Column("value", "value", "SI")]
    document = eq.document("M", "V", "G", "F") if any(x != 0 for x in eq.F) else eq.document("M", "V", "G")
    document.blocks = [b for b in document.blocks if not (b.kind == "table" or b.content == "Letters")]
    body = formulas(document) + Grid("letters", columns, rows).html()
    yield folded("The same in letters, with their values", body, id="lettered")


def operations(subject: Subject) -> Iterator[str]:
    """What the formulas take, and how many parameters they hold."""
    eq, robot = subject.equations, subject.robot
    yield heading("Structure")
    rows = [
        (name, [WORDS[name], eq.sequence(name).operations, len(eq.sequence(name).statements[0]), float(eq.sequence(name).forecast)])
        for name in SHORT
    ]
    columns = [Column("term", "term"), Column("what", ""), Column("operations", "operations, with names"),
               Column("names", "named sub-expressions"), Column("forecast", "operations without names")]  # fmt: skip
    yield Grid("operations", columns, rows).html()
    base = base_parameters(robot)
    bodies = 10 * len([b for b in robot.bodies if not b.between])
    yield sentence(
        f"Torques depend on {number(base.count, '', 'base parameters')} combinations of the "
        f"{number(bodies, '', 'parameters')} inertial parameters; {number(len(base.unseen), '', 'unseen parameters')} of "
        "them no torque shows."
    )


def sequence(subject: Subject) -> Iterator[str]:
    """The efforts of a large arm as a sequence."""
    if not subject.equations.is_closed:
        yield folded("Efforts as a sequence of named sub-expressions", formulas(subject.equations.document(proof=False)))


def derivation(subject: Subject) -> Iterator[str]:
    """Step by step, folded."""
    eq = subject.lettered if subject.equations.is_closed else subject.equations
    if eq.robot.n > LARGEST_DERIVATION:
        yield lack(f"Derivations are written here for up to {LARGEST_DERIVATION} joints.")
        return
    document = eq.derivation()
    body = f'<figure class="paper sketch">{document.picture}</figure>' + formulas(document)
    yield folded("Derivation by Lagrange, step by step", body, id="derivation")


# ---- 4: torques ----------------------------------------------------------------------------------------------


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
    data = {"t": rows.t} | {f"{j}.{x}": getattr(rows, x)[:, k] for x in ("q", "qd") for k, j in enumerate(robot.joint_names)}
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


def sized(subject: Subject) -> Iterator[str]:
    """Peak, RMS, speed, power, energy and margins of every joint."""
    found, robot = subject.sizing, subject.robot
    yield heading("What the motion asks of the motors")
    rows = []
    for k, joint in enumerate(robot.joint_names):
        force, speed = found.units[k], unit_of(robot, joint, ("rad/s", "m/s"))
        cells = [Quantity(float(found.peak_torque[k]), force), float(found.peak_time[k]),
                 Quantity(float(found.rms_torque[k]), force), Quantity(float(found.peak_speed[k]), speed),
                 *(float(getattr(found, name)[k]) for name in
                   ("peak_power", "mean_power", "energy_drawn", "energy_braked", "effort_margin", "speed_margin"))]  # fmt: skip
        rows.append((joint, cells))
    columns = [
        Column("joint", "joint"), Column("peak_torque", "peak"), Column("peak_time", "at", "s"), Column("rms_torque", "RMS"),
        Column("peak_speed", "speed"), Column("peak_power", "peak power", "W"), Column("mean_power", "mean power", "W"),
        Column("energy_drawn", "drawn", "J"), Column("energy_braked", "braked", "J"),
        Column("effort_margin", "effort limit / need"), Column("speed_margin", "speed limit / need"),
    ]  # fmt: skip
    yield Grid("sizing", columns, rows).html()
    worst = found.limiting
    if worst is None:
        yield lack("No joint that moves states a limit of effort or speed: there is no margin to tell.")
        return
    over = ": the motion is too much for it" if worst.margin < 1 else ""
    yield sentence(
        f"<b>{html(worst.joint)}</b> limits: its {worst.what} limit is {number(worst.margin, '', 'limiting margin')} times "
        f"what is needed, at {number(worst.time, 's', 'limiting time')}{over}."
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
    data = {f"{j}.{x}": getattr(found, x)[:, k] for k, j in enumerate(robot.joint_names) for x in ("qd", "tau")}
    yield figure("cloud-chart", charts, [], data, "Torque over speed; dashed: limits, where they are near.")


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
        table = Grid(f"shares-{by}", columns, rows, notes=["Each joint at its own peak; the columns sum to its torque then."]).html()
        yield folded(title, table) if by == "part" else f"<h4>{title}</h4>{table}"
    if not any(link.made_of for link in robot.links):
        yield lack("No link is drawn from parts: the shares by part are those of the links.")


def carried(subject: Subject) -> Iterator[str]:
    """The largest payload, along the motion and at rest anywhere, and who limits it."""
    yield heading("Largest payload")
    robot, rows, notes = subject.robot, [], []
    for name, found in (("along the motion", lambda: subject.on_the_way), ("at rest, anywhere", lambda: subject.anywhere)):
        one: Capacity = found()
        pose = [Quantity(float(x), unit_of(robot, j, ("rad", "m"))) for j, x in zip(robot.joint_names, one.q, strict=True)]
        rows.append((name, [float(one.mass), one.joint or "none", one.link, one.time, len(one.masses), *pose]))
        notes += [n for n in one.table().notes if n not in notes]
    columns = [
        Column("where", "where"), Column("mass", "largest payload", "kg"), Column("joint", "limiting joint"),
        Column("link", "carried by"), Column("time", "at", "s"), Column("poses", "poses looked at"),
        *(Column(f"q {j}", j) for j in robot.joint_names),
    ]  # fmt: skip
    yield Grid("payload", columns, rows, notes=notes).html()
    yield note("On the right the pose in which it is limited most.")


# ---- 5: motions ----------------------------------------------------------------------------------------------


def free(subject: Subject) -> Iterator[str]:
    """Let go."""
    yield heading("Let go")
    yield text(
        f"From rest where the motion begins, {subject.free.t[-1]:.4g} s without motors; joint limits are not felt, friction "
        "is that of the joints."
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
    yield from _simulated(subject, moved, "controlled")
    robot, found = subject.robot, subject.followed
    rows = []
    for k, joint in enumerate(robot.joint_names):
        unit = unit_of(robot, joint, ("rad", "m"))
        errors = [Quantity(float(getattr(found, name)[k]), unit) for name in ("rms", "peak", "final")]
        rows.append((joint, [*errors, float(found.peak_time[k])]))
    columns = [Column("joint", "joint"), Column("rms", "RMS error"), Column("peak", "largest error"),
               Column("final", "error at the end"), Column("peak_time", "largest at", "s")]  # fmt: skip
    yield Grid("tracking", columns, rows).html()


def _simulated(subject: Subject, moved: Motion, id: str) -> Iterator[str]:
    robot = subject.robot
    yield view_of(subject, **frames(moved))[0]
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
    works = {f"work of {s}": moved.work[:, k] for k, s in enumerate(moved.SOURCES) if np.abs(moved.work[:, k]).max() > 0}
    lines = [Curve(n, moved.t, np.asarray(y), k) for k, (n, y) in enumerate((accounts | works).items())]
    energy = figure(
        f"{id}-energy-chart", [chart("energy and work", lines, "s", "J")], [(c.name, c.colour) for c in lines],
        {"t": moved.t} | accounts | works, "Energy.",
    )  # fmt: skip
    yield f'<div class="figures">{joints}{energy}</div>'
    begin, end = float(moved.initial), float(moved.energy[-1])
    rows = [("energy at the start", [begin]), *((f"work of {s}", [float(moved.work[-1, k])]) for k, s in enumerate(moved.SOURCES)),
            ("energy at the end", [end]), ("drift of the integration", [float(moved.drift[-1])])]  # fmt: skip
    yield Grid(f"{id}-energy", [Column("account", "account"), Column("value", "energy", "J")], rows).html()
    yield sentence(
        f"Largest drift: {number(moved.relative_drift, '', f'{id} drift', 2)} of the largest kinetic energy"
        f"; {number(len(moved.events), '', f'{id} events')} events of sticking and slipping."
    )


# ---- 6: verification -----------------------------------------------------------------------------------------


def proved(subject: Subject) -> Iterator[str]:
    """Newton-Euler = Lagrange = M q̈ + V + G, by algebra."""
    proof = subject.equations.proof
    yield sentence(
        f"{'By algebra' if subject.equations.is_closed else 'At exact points'}: ", text(str(proof) + ".")[3:-4],
        f" Largest residual {number(proof.residual, '', 'proof residual', 2)}.",
    )  # fmt: skip


def routes(subject: Subject) -> Iterator[str]:
    """Independent routes to the same numbers, along the motion."""
    yield heading("Independent routes, along the motion")
    rows = []
    for name in ROUTES:
        found = agreement(subject.robot, name, subject.states)
        rows.append((name, [found.what, Quantity(found.difference, found.unit), found.relative, found.states]))
    columns = [Column("route", "route"), Column("what", "what is compared"), Column("difference", "largest difference"),
               Column("relative", "relative"), Column("states", "states")]  # fmt: skip
    yield Grid("routes", columns, rows, settled=False).html()


def programs(subject: Subject) -> Iterator[str]:
    """Pinocchio, MuJoCo, Drake."""
    yield heading("Other programs")
    rows, silent = [], []
    for program, found in opinions(subject.robot):
        if isinstance(found, str):
            silent.append(lack(f"{program}: {found}."))
            continue
        for effect in found.effects:
            label = f"{program} {effect.term}"
            rows.append((label, [PROGRAM_TERMS[effect.term], effect.largest, effect.relative, effect.joint]))
    columns = [Column("program", "program and term"), Column("what", ""), Column("difference", "largest difference", "SI"),
               Column("relative", "relative"), Column("joint", "at joint")]  # fmt: skip
    if rows:
        yield Grid("programs", columns, rows, settled=False).html()
        yield note("The arm handed over as a URDF, which holds no rotors, read by steiner and by the other program; 101 poses.")
    yield from silent
