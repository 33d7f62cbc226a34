"""Sections about the robot itself: what it looks like, what hangs on what, what everything weighs, what is odd."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steiner.analysis.ranges import ranges
from steiner.errors import SteinerError
from steiner.model.link import Link
from steiner.reports.blocks import Column, Grid, Quantity, heading, lack, note, text
from steiner.reports.subject import Subject, frames, unit_of
from steiner.scene.drawing import draw
from steiner.scene.page import widget
from steiner.scene.subjects import scene_of

LARGEST_VIEW = 900_000  # characters of a view: one with finer shapes is shown as sticks
TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))


def view_of(subject: Subject, **states: Any) -> tuple[str, bool]:
    """The robot in 3-D, playing if it has states over time; and whether its shapes are shown."""
    shown = widget(scene_of(subject.robot, meshes=True, **states))
    if len(shown) <= LARGEST_VIEW:
        return f'<div class="view">{shown}</div>', True
    return f'<div class="view">{widget(scene_of(subject.robot, sketch=True, **states))}</div>', False


# ---- 1: the robot ----------------------------------------------------------------------------------------


def look(subject: Subject) -> Iterator[str]:
    """In 3-D, moved by hand; a drawing on paper."""
    robot = subject.robot
    states = {} if subject.rows is None else frames(subject.rows)
    view, whole = view_of(subject, **states)
    yield view
    pose = {} if subject.rows is None else {"q": subject.rows.q[0]}
    yield f'<div class="paper">{draw(robot, width=640, height=420, resolution=10, frames=False, centres=False, **pose).svg}</div>'
    if subject.rows is not None:
        yield note(
            "Drag to turn it, move the joints, change load and gravity: efforts are computed by the robot's own kernel. "
            "▶ plays the motion of section 4."
        )
    if not whole:
        yield note("Its shapes are too fine for one page: links are drawn as sticks between their joints.")
    elif not any(link.made_of or link.shapes for link in robot.links):
        yield note("The file says nothing about shapes: links are drawn as sticks between their joints.")


def tree(subject: Subject) -> Iterator[str]:
    """Which link hangs on which, by which joint."""
    yield heading("Links and joints")
    robot, depth = subject.robot, {}
    for link in robot.links:
        depth[link.name] = 0 if link.parent is None else depth[link.parent] + 1
    columns = [
        Column("link", "link"), Column("joint", "joint"), Column("type", "type"), Column("axis", "axis x, y, z"),
        *(Column(f"mount_{a}", f"at {a}", "m") for a in "xyz"), Column("mass", "mass", "kg"),
        *(Column(f"com_{a}", f"centre {a}", "m") for a in "xyz"),
    ]  # fmt: skip
    rows = [(link.name, _link(link)) for link in robot.links]
    total = ("whole robot", [*[""] * 3, *[None] * 3, float(robot.total_mass), *[None] * 3])
    yield Grid("links", columns, [*rows, total], depths=[*(depth[k.name] for k in robot.links), 0]).html()
    yield note("Joints are placed in the parent's frame, centres of mass in the link's own.")


def _link(link: Link) -> list[Any]:
    moves = link.joint.moves
    axis = ", ".join(f"{float(x):.4g}" for x in link.joint.axis) if moves else ""
    kind = type(link.joint).__name__.lower()
    at, com = (np.asarray(v, dtype=float).tolist() for v in (link.mount.p, link.body.com))
    mass = float(link.body.mass)
    return [link.joint.name if moves else "", kind, axis, *at, mass, *(com if mass else [None] * 3)]


def joints(subject: Subject) -> Iterator[str]:
    """What every coordinate may do, and what its motor and its bearings add."""
    robot = subject.robot
    yield heading("Limits, rotors and friction")
    if not robot.n:
        yield lack(f"{robot.name} has no moving joint.")
        return
    lower, upper, velocity, effort = ranges(robot)
    rows = []
    for k, name in enumerate(robot.joint_names):
        place, speed, force, rotor = (
            unit_of(robot, name, kinds)
            for kinds in (("rad", "m"), ("rad/s", "m/s"), ("N m", "N"), ("kg m²", "kg"))
        )
        joint = robot.joint(name)
        cells = [Quantity(lower[k], place), Quantity(upper[k], place), Quantity(velocity[k], speed),
                 Quantity(effort[k], force), Quantity(float(joint.armature), rotor),
                 "none" if joint.friction is None else str(joint.friction)]  # fmt: skip
        rows.append((name, cells))
    columns = [Column("joint", "joint"), Column("lower", "lower"), Column("upper", "upper"), Column("velocity", "speed"),
               Column("effort", "effort"), Column("armature", "rotor G²J"), Column("friction", "friction")]  # fmt: skip
    yield Grid("joints", columns, rows).html()
    for what, values in (("range", upper - lower), ("speed limit", velocity), ("effort limit", effort)):
        bare = [n for n, x in zip(robot.joint_names, values, strict=True) if not np.isfinite(x)]
        if bare:
            yield note(f"No {what} stated: {', '.join(bare)}.")


# ---- 2: masses and findings ------------------------------------------------------------------------------


def budget(subject: Subject) -> Iterator[str]:
    """Every link, element, part and payload: what it weighs, where, and where the number comes from."""
    robot, whole = subject.robot, float(subject.robot.total_mass)
    columns = [
        Column("node", "link, element, part"), Column("mass", "mass", "kg"), Column("share", "of the robot", "%"),
        *(Column(f"com_{a}", f"centre {a}", "m") for a in "xyz"),
        *(Column(name, name, "kg m²") for name, _, _ in TENSOR), Column("material", "made of"),
        Column("origin", "where from"),
    ]  # fmt: skip
    rows, depths, labels = [], [], []
    for link in robot.links:
        for path, depth, label, body, material, origin in _nodes(subject, link):
            mass, com, inertia = body
            cells = [float(mass), 100 * float(mass) / whole if whole else None, *map(float, com)]
            rows.append((path, [*cells, *(float(inertia[i, j]) for _, i, j in TENSOR), material, origin]))
            depths.append(depth)
            labels.append(label)
    yield Grid("budget", columns, rows, depths=depths, labels=labels).html()
    yield note(
        "Centres in the frame of the link. Tensors along the axes of the link, of a link about its own centre of mass, of "
        "elements and parts about that of their link, so that they sum to it; off the diagonal −∫xy dm. − marks cavities."
    )
    if not any(link.made_of for link in robot.links):
        yield lack("No link is drawn from parts: there is nothing below the links to tell.")


def _nodes(subject: Subject, link: Link) -> Iterator[tuple[str, int, str, tuple[Any, Any, Any], str, str]]:
    """Path, depth, label, (mass, centre, tensor), material and origin of a link, of what it is made of and carries."""
    given = subject.robot.source.file or subject.robot.source.publication or "given"
    if link.made_of is None:
        yield link.name, 0, link.name, (link.body.mass, link.body.com, link.body.inertia), "", given
    else:
        for row in link.made_of.budget().rows:
            path = "/".join([link.name, *row.path.split("/")[1:]])
            label = f"− {row.name}" if row.kind == "cavity" else row.name if row.depth else link.name
            yield path, row.depth, label, (row.mass, row.com, row.inertia), row.material, row.origin
    for load in subject.robot.payloads:
        if load.link == link.name:
            body = load.body.moved(load.pose)
            yield f"{link.name}/{load.name}", 1, f"payload {load.name}", (body.mass, body.com, body.inertia), "", "payload"


def findings(subject: Subject) -> Iterator[str]:
    """What `check` has to say."""
    yield heading("Findings")
    found = subject.findings
    if not found:
        yield text("steiner check finds nothing to look at.")
        return
    columns = [Column("rule", "rule"), Column("severity", "severity"), Column("place", "place"), Column("text", "what"),
               Column("fix", "cause and fix")]  # fmt: skip
    rows = [
        (f"{k + 1}", [f.severity, f.link or f.joint or "", f.message, " ".join(x for x in (f.cause, f.fix) if x)])
        for k, f in enumerate(found)
    ]
    yield Grid("findings", columns, rows, labels=[f.label for f in found]).html()


def sources(subject: Subject) -> Iterator[str]:
    """Where the numbers come from, and what was changed on the way in."""
    yield heading("Where the numbers come from")
    said = {k: v for k, v in subject.robot.provenance.items() if k != "assemblies"}
    if not said:
        yield text("The robot was made in memory; nothing is said about its source.")
        return
    rows = [(key, [value if isinstance(value, str) else "; ".join(map(str, _listed(value)))]) for key, value in said.items()]
    yield Grid("source", [Column("what", "what"), Column("value", "")], rows).html()


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [f"{key}: {x}" for key, x in value.items()]
    return list(value) if isinstance(value, list | tuple) else [value]


def failing(error: SteinerError) -> str:
    """Why a block is not here."""
    return lack(f"Not here: {error}.")
