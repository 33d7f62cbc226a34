"""Sections about the robot itself: what it looks like, what hangs on what, what everything weighs, what is odd."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from steiner.analysis.ranges import ranges
from steiner.errors import SteinerError
from steiner.findings import Finding
from steiner.model.friction import Combined, Friction
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.reports.blocks import Column, Grid, Quantity, folded, heading, lack, note, text
from steiner.reports.subject import Subject, frames, unit_of
from steiner.scene.coarse import coarsened
from steiner.scene.drawing import draw
from steiner.scene.page import widget
from steiner.scene.scene import Surface
from steiner.scene.subjects import scene_of

MOST_FACES, LARGEST_VIEW = 20_000, 700_000  # of a view; one that is larger when made coarser is shown as sticks
LARGEST_DRAWING = 400_000  # characters; it is for paper, and there only where no view can be photographed
FRICTION: dict[str, tuple[str, str]] = {"forward": ("N m", "N"), "backward": ("N m", "N"), "static": ("N m", "N")}
FRICTION |= {
    "coulomb": ("N m", "N"),
    "coefficient": ("N m s/rad", "N s/m"),
    "speed": ("rad/s", "m/s"),
    "width": ("rad/s", "m/s"),
}
TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))


def view_of(subject: Subject, largest: int = LARGEST_VIEW, **states: Any) -> tuple[str, bool]:
    """The robot in 3-D, playing if it has states over time; and whether its shapes are shown."""
    states |= {"path": _tip(subject, states["q"])} if "q" in states else {}
    scene = scene_of(subject.robot, meshes=True, **states)
    counts = [len(item.faces) for actor in scene.actors for item in actor.items if isinstance(item, Surface)]
    share = min(1.0, MOST_FACES / max(sum(counts), 1))
    shown = widget(scene if share == 1.0 else scene.with_surfaces(lambda surface: _coarser(surface, share)))
    if len(shown) <= largest:
        return f'<div class="view">{shown}</div>', True
    return f'<div class="view">{widget(scene_of(subject.robot, sketch=True, **states))}</div>', False


def _tip(subject: Subject, q: np.ndarray) -> np.ndarray:
    """Where the last link goes."""
    return subject.robot.forward_kinematics(q, subject.robot.links[-1].name).p


def _coarser(surface: Surface, share: float) -> Surface:
    vertices, faces = coarsened(surface.vertices, surface.faces, most=int(share * len(surface.faces)))
    return replace(surface, vertices=vertices, faces=faces)


# ---- 1: the robot ----------------------------------------------------------------------------------------


def look(subject: Subject) -> Iterator[str]:
    """In 3-D, moved by hand; a drawing on paper."""
    robot = subject.robot
    states: dict[str, Any] = {} if subject.rows is None else frames(subject.rows)
    view, whole = view_of(subject, **states)
    yield view
    pose = {} if subject.rows is None else {"q": subject.rows.q[0]}
    shown = {"width": 640, "height": 420, "frames": False, "centres": False, **pose}
    picture = draw(robot, resolution=10, **shown).svg
    drawing = picture if len(picture) <= LARGEST_DRAWING else draw(robot, sketch=True, **shown).svg
    yield f'<div class="paper">{drawing}</div>'
    if subject.rows is not None:
        yield note(
            "Drag to turn it, move the joints, change load and gravity: efforts come from the robot's own kernel. "
            "▶ plays the motion of section 4.",
            kind="note tools",
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
    springs = any(body.joint.stiffness for body in robot.bodies)
    yield heading("Limits, rotors, springs and friction" if springs else "Limits, rotors and friction")
    if not robot.n:
        yield lack(f"{robot.name} has no moving joint.")
        return
    lower, upper, velocity, effort = ranges(robot)
    rows = []
    for k, name in enumerate(robot.joint_names):
        place, speed, force, rotor = (
            unit_of(robot, name, kinds) for kinds in (("rad", "m"), ("rad/s", "m/s"), ("N m", "N"), ("kg m²", "kg"))
        )
        joint = robot.joint(name)
        cells = [Quantity(lower[k], place), Quantity(upper[k], place), Quantity(velocity[k], speed),
                 Quantity(effort[k], force), Quantity(float(joint.armature), rotor),
                 *([_spring(robot, name)] if springs else []), _friction(robot, name)]  # fmt: skip
        rows.append((name, cells))
    columns = [Column("joint", "joint"), Column("lower", "lower"), Column("upper", "upper"),
               Column("velocity", "speed"),
               Column("effort", "effort"), Column("armature", "rotor G²J"),
               *([Column("spring", "spring")] if springs else []), Column("friction", "friction")]  # fmt: skip
    yield Grid("joints", columns, rows).html()
    for what, values in (("range", upper - lower), ("speed limit", velocity), ("effort limit", effort)):
        bare = [n for n, x in zip(robot.joint_names, values, strict=True) if not np.isfinite(x)]
        if bare:
            yield note(f"No {what} stated: {', '.join(bare)}.")


def _spring(robot: Robot, name: str) -> str:
    """A joint's spring in words, with units."""
    joint, (force, place) = robot.joint(name), (unit_of(robot, name, x) for x in (("N m/rad", "N/m"), ("rad", "m")))
    return f"{float(joint.stiffness):.4g} {force} about {float(joint.rest):.4g} {place}" if joint.stiffness else "none"


def _friction(robot: Robot, name: str) -> str:
    """The models of a joint's friction in words, with units."""
    friction = robot.joint(name).friction
    if friction is None:
        return "none"
    terms = friction.terms if isinstance(friction, Combined) else (friction,)
    return "; ".join(_model(robot, name, term) for term in terms)


def _model(robot: Robot, name: str, friction: Friction) -> str:
    said = [
        f"{'' if key == 'coefficient' else key + ' '}{float(value):.4g} {unit_of(robot, name, FRICTION[key])}"
        for key, value in vars(friction).items()
        if key != "width" or value
    ]
    return f"{type(friction).__name__} {', '.join(said)}"


# ---- 2: masses and findings ------------------------------------------------------------------------------


def budget(subject: Subject) -> Iterator[str]:
    """Every link, element, part and payload: what it weighs, where, and where the number comes from."""
    robot, whole = subject.robot, float(subject.robot.total_mass)
    nodes = [node for link in robot.links for node in _nodes(subject, link)]
    shape = {"depths": [node.depth for node in nodes], "labels": [node.label for node in nodes]}
    node = Column("node", "link, element, part")
    columns = [
        node, Column("mass", "mass", "kg"), Column("share", "of the robot", "%"),
        *(Column(f"com_{a}", f"centre {a}", "m") for a in "xyz"), Column("material", "made of"),
        Column("origin", "where from"),
    ]  # fmt: skip
    rows = [
        (n.path, [n.mass, 100 * n.mass / whole if whole else None, *n.com.tolist(), n.material, n.origin])
        for n in nodes
    ]
    yield Grid("budget", columns, rows, **shape).html()
    yield note("Centres in the frame of the link. − marks cavities.")
    if not any(link.made_of for link in robot.links):
        yield lack("No link is drawn from parts: there is nothing below the links to tell.")
    rows = [(n.path, [float(n.inertia[i, j]) for _, i, j in TENSOR]) for n in nodes]
    table = Grid("tensors", [node, *(Column(name, name, "kg m²") for name, _, _ in TENSOR)], rows, **shape).html()
    yield folded("Inertia tensors", table + note(
        "Along the axes of the link; of a link about its own centre of mass, of elements and parts about that of their "
        "link, so that they sum to it; of a payload about its own. Off the diagonal −∫xy dm."
    ))  # fmt: skip


class Node(NamedTuple):
    """A link, an element, a part or a payload."""

    path: str
    depth: int
    label: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    material: str
    origin: str


def _nodes(subject: Subject, link: Link) -> Iterator[Node]:
    """A link, what it is made of and what it carries."""
    given = file_of(subject.robot) or subject.robot.source.publication or "given"
    if link.made_of is None:
        yield _node(link.name, 0, link.name, link.body, "", given)
    else:
        for row in link.made_of.budget().rows:
            path = "/".join([link.name, *row.path.split("/")[1:]])
            label = f"− {row.name}" if row.kind == "cavity" else row.name if row.depth else link.name
            yield _node(path, row.depth, label, row, row.material, row.origin)
    for load in subject.robot.payloads:
        if load.link == link.name:
            yield _node(f"{link.name}/{load.name}", 1, load.name, load.body.moved(load.pose), "", "payload")


def _node(path: str, depth: int, label: str, body: Any, material: str, origin: str) -> Node:
    com, inertia = (np.asarray(x, dtype=float) for x in (body.com, body.inertia))
    return Node(path, depth, label, float(body.mass), com, inertia, material, origin)


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
        (f"{k + 1}", [f.severity, f.link or f.joint or "", *(_unfoldered(subject.robot, x) for x in _said(f))])
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
    rows = [
        (key, [value if isinstance(value, str) else "; ".join(map(str, _listed(value)))])
        for key, value in (said | {"source": file_of(subject.robot) or said.get("source", "")}).items()
        if value
    ]
    yield Grid("source", [Column("what", ""), Column("value", "")], rows).html()


def file_of(robot: Robot) -> str:
    """The name of the robot's file; in which folder of whose machine it lay is nobody's business."""
    return PurePath(robot.source.file).name


def _said(finding: Finding) -> tuple[str, str]:
    return finding.message, "; ".join(x for x in (finding.cause, finding.fix) if x)


def _unfoldered(robot: Robot, words: str) -> str:
    return words.replace(robot.source.file, file_of(robot)) if robot.source.file else words


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [f"{key}: {x}" for key, x in value.items()]
    return list(value) if isinstance(value, list | tuple) else [value]


def failing(error: SteinerError) -> str:
    """Why a block is not here."""
    return lack(f"Not here: {error}.")
