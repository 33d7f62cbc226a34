"""Arms as tables with their bodies: Denavit-Hartenberg rows, or screws with home poses; CSV or YAML, both ways.

A body stands in its row: mass, centre (cx cy cz) and tensor about the centre (ixx … izz), in the DH frame of the link,
or in the frame that the home pose places.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from steiner.errors import SteinerError
from steiner.files.reading import Notes
from steiner.files.table_rows import Row, TableText, as_csv, as_yaml, from_csv, from_yaml
from steiner.files.writing import (
    Minor,
    decimal,
    lost_all_shapes,
    lost_drawing,
    lost_friction,
    plain_friction,
    vector,
)
from steiner.inertia import MassProperties
from steiner.model.conversions import to_dh, to_poe
from steiner.model.dh import DH, from_dh
from steiner.model.friction import Coulomb, Friction, Viscous
from steiner.model.joints import Joint, JointLimits
from steiner.model.link import Link
from steiner.model.poe import from_poe
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source, element
from steiner.spatial import IDENTITY, Pose

# column -> unit in which it is written
TENSOR = dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), "kg m^2")
BODY = {"mass": "kg", "cx": "m", "cy": "m", "cz": "m", **TENSOR}
DRIVE = dict.fromkeys(
    ("armature", "viscous", "coulomb", "stiffness", "rest", "lower", "upper", "velocity", "effort"), ""
)
DH_HEAD = {"joint": "", "link": "", "type": "", "theta": "rad", "d": "m", "a": "m", "alpha": "rad", **BODY, **DRIVE}
SCREW = {**dict.fromkeys(("wx", "wy", "wz"), ""), **dict.fromkeys(("vx", "vy", "vz"), "m")}
HOME = {**dict.fromkeys(("x", "y", "z"), "m"), **dict.fromkeys(("roll", "pitch", "yaw"), "rad")}
POE_HEAD = {"joint": "", "link": "", **SCREW, **HOME, **BODY, **DRIVE}
DH_KEYS = ("name", "convention", "gravity", "base", "tool")
POE_KEYS = ("name", "gravity", "tool")
TURNING = {"lower": "angle", "upper": "angle", "velocity": "speed", "effort": "torque", "viscous": "damping"}
SLIDING = {"lower": "length", "upper": "length", "velocity": "velocity", "effort": "force", "viscous": "linear damping"}
TURNING |= {"stiffness": "stiffness", "rest": "angle"}
SLIDING |= {"stiffness": "linear stiffness", "rest": "length"}


# ---- read ------------------------------------------------------------------------------------------------


def read_dh_csv(text: str | bytes, notes: Notes) -> Robot:
    """The robot of a DH table in CSV."""
    return _dh(from_csv(text, notes.file, tuple(DH_HEAD), DH_KEYS), notes)


def read_dh_yaml(text: str | bytes, notes: Notes, *, unit: str | None = None) -> Robot:
    """The robot of a DH table in YAML."""
    return _dh(from_yaml(text, notes.file, "dh", tuple(DH_HEAD), DH_KEYS, unit), notes)


def read_poe_csv(text: str | bytes, notes: Notes) -> Robot:
    """The robot of a table of screws in CSV."""
    return _poe(from_csv(text, notes.file, tuple(POE_HEAD), POE_KEYS), notes)


def read_poe_yaml(text: str | bytes, notes: Notes, *, unit: str | None = None) -> Robot:
    """The robot of a table of screws in YAML."""
    return _poe(from_yaml(text, notes.file, "poe", tuple(POE_HEAD), POE_KEYS, unit), notes)


def _dh(table: TableText, notes: Notes) -> Robot:
    if not table.rows:
        raise table.fail("no rows; a DH table has one per joint")
    if table.about.get("convention") not in ("standard", "modified"):
        raise table.fail(
            f"convention: {table.about.get('convention', 'not stated')}; say `convention: standard` (distal, joint i "
            "about z of frame i−1) or `convention: modified` (proximal, Craig): the same numbers mean another arm"
        )
    rows = []
    for row in table.rows:
        kind = row.word("type", "revolute")
        if kind not in ("revolute", "prismatic"):
            raise row.fail(f"type: {kind!r}; expected revolute or prismatic")
        numbers = {"theta": row.number("theta", "angle"), "d": row.number("d", "length"),
                   "a": row.number("a", "length"), "alpha": row.number("alpha", "angle")}  # fmt: skip
        rows.append(DH(**numbers, joint=kind, body=_body(row), **_drive(row, kind == "prismatic")))
    base = _placed(table, "base")
    options = {"convention": table.about["convention"], "base": base, "gravity": _gravity(table)}
    source = Source(notes.file, "table")
    robot = _made(table, lambda: from_dh(rows, name=table.about.get("name") or "robot", source=source, **options))
    return _finished(robot, table, notes, None)


def _poe(table: TableText, notes: Notes) -> Robot:
    if not table.rows:
        raise table.fail("no rows; a table of screws has one per joint")
    homes, inertias, screws, before = [], [], [], IDENTITY
    for row in table.rows:
        screws.append([row.number(key, "length" if unit else "number") for key, unit in SCREW.items()])
        xyz = [row.number(key, "length") for key in ("x", "y", "z")]
        rpy = [row.number(key, "angle") for key in ("roll", "pitch", "yaw")]
        home = row.guarded(lambda p=xyz, r=rpy: Pose.from_rpy(p, r))
        homes.append((before.inverse() @ home).matrix)
        inertias.append(_body(row).spatial)
        before = home
    name, gravity = table.about.get("name") or "robot", _gravity(table)
    robot = _made(table, lambda: from_poe(homes, inertias, np.array(screws).T, name=name, gravity=gravity))
    drives = [_drive(row, not any(screw[:3])) for row, screw in zip(table.rows, screws, strict=True)]
    bodies = [_body(row) for row in table.rows]
    return _finished(robot, table, notes, list(zip(drives, bodies, strict=True)))


def _made(table: TableText, make: Callable[[], Robot]) -> Robot:
    try:
        return make()
    except SteinerError as error:
        raise table.fail(str(error)) from None


def _body(row: Row) -> MassProperties:
    mass = row.number("mass", "mass")
    if mass < 0:
        raise row.fail(f"mass {mass!r} kg is negative")
    com = [row.number(key, "length") for key in ("cx", "cy", "cz")]
    xx, xy, xz, yy, yz, zz = (row.number(key, "inertia") for key in TENSOR)
    return row.guarded(lambda: MassProperties(mass, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def _drive(row: Row, slides: bool) -> dict[str, Any]:
    """Rotor, spring, friction and limits of a joint."""
    kinds = SLIDING if slides else TURNING
    damping, coulomb = row.number("viscous", kinds["viscous"]), row.number("coulomb", kinds["effort"])
    terms: list[Friction] = []
    if damping:
        terms.append(row.guarded(lambda: Viscous(damping)))
    if coulomb:
        terms.append(row.guarded(lambda: Coulomb(coulomb)))
    friction = None if not terms else terms[0] if len(terms) == 1 else terms[0] + terms[1]
    stated = {key: row.number(key, kinds[key]) for key in JointLimits._fields if row.has(key)}
    limits = JointLimits(**stated) if stated else None
    rotor = row.number("armature", "number" if slides else "inertia")
    spring = {key: row.number(key, kinds[key]) for key in ("stiffness", "rest")}
    if spring["stiffness"] < 0:
        raise row.fail(f"stiffness {spring['stiffness']!r} is negative; a spring pulls back")
    return {"armature": rotor, **spring, "friction": friction, "limits": limits}


def _gravity(table: TableText) -> Any:
    return table.numbers("gravity", 3) or EARTH


def _placed(table: TableText, key: str) -> Pose:
    numbers = table.numbers(key, 6)
    try:
        return Pose.from_rpy(numbers[:3], numbers[3:]) if numbers else IDENTITY
    except SteinerError as error:
        raise table.fail(f"{key}: {error}") from None


def _finished(robot: Robot, table: TableText, notes: Notes, own: list[tuple[Any, Any]] | None) -> Robot:
    """The names of the rows in place of numbers, what screws do not say, and the tool."""
    names: dict[str, str] = {}
    links = []
    for k, (link, row) in enumerate(zip(robot.links, table.rows, strict=False)):
        joint, name = row.word("joint", link.joint.name), row.word("link", link.name)
        line = int(row.place.rpartition(":")[2])
        notes.lines |= {element("joint", joint): line, element("link", name): line}
        names[link.name] = name
        changes: dict[str, Any] = {"name": joint, **(own[k][0] if own else {})}
        made: Joint = row.guarded(lambda j=link.joint, c=changes: dataclasses.replace(j, **c))
        body = own[k][1] if own else link.body
        parent = None if link.parent is None else names[link.parent]
        source = Source(notes.file, "table")
        links.append(dataclasses.replace(link, name=name, parent=parent, joint=made, body=body, source=source))
    if "tool" in table.about:
        links.append(Link("tool", links[-1].name, mount=_placed(table, "tool"), source=Source(notes.file, "table")))
    return _made(table, lambda: robot.replace(links=tuple(links)))


# ---- written ---------------------------------------------------------------------------------------------


def write_dh_csv(robot: Robot) -> str:
    """A serial arm as a standard DH table in CSV."""
    about, rows = _dh_rows(robot)
    return as_csv(about, DH_HEAD, rows)


def write_dh_yaml(robot: Robot) -> str:
    """A serial arm as a standard DH table in YAML."""
    about, rows = _dh_rows(robot)
    return as_yaml("dh", about, DH_HEAD, rows)


def write_poe_csv(robot: Robot) -> str:
    """A serial arm as a table of screws in CSV."""
    about, rows = _poe_rows(robot)
    return as_csv(about, POE_HEAD, rows)


def write_poe_yaml(robot: Robot) -> str:
    """A serial arm as a table of screws in YAML."""
    about, rows = _poe_rows(robot)
    return as_yaml("poe", about, POE_HEAD, rows)


def losses(robot: Robot) -> list[str]:
    """What an arm has and a table has no columns for."""
    moving = {body.name for body in robot.bodies}
    fixed = [link.name for link in robot.links if link.name not in moving and link.body.mass]
    lost = [Minor(f"{name!r} as a link of its own: it is part of what carries it, or of the ground") for name in fixed]
    lost += [Minor(f"that {load.name!r} is a payload: it is part of what carries it") for load in robot.payloads]
    return [*lost, *lost_friction(robot), *lost_drawing(robot), *lost_all_shapes(robot)]


def _about(robot: Robot, tool: Pose, **more: str) -> dict[str, str]:
    about = {"name": " ".join(robot.name.split()), **more, "gravity": vector(robot.gravity)}
    return about if tool.is_identity else {**about, "tool": _six(tool)}


def _six(pose: Pose) -> str:
    return vector([*pose.p, *pose.rpy])


def _dh_rows(robot: Robot) -> tuple[dict[str, str], list[dict[str, Any]]]:
    table = to_dh(robot, "standard")
    rows = []
    for i, row in enumerate(table.rows):
        numbers = {"theta": row.theta, "d": row.d, "a": row.a, "alpha": row.alpha}
        rows.append({**_named(robot, i), "type": row.joint, **numbers, **_mass(row.body), **_driven(robot, i)})
    base = {} if table.base.is_identity else {"base": _six(table.base)}
    return _about(robot, table.tool, convention=table.convention, **base), rows


def _poe_rows(robot: Robot) -> tuple[dict[str, str], list[dict[str, Any]]]:
    Mlist, Glist, Slist = to_poe(robot)
    rows, home = [], IDENTITY
    for i, G in enumerate(Glist):
        home = home @ Pose.from_matrix(Mlist[i].astype(float))
        pose = dict(zip(HOME, [*home.p, *home.rpy], strict=True))
        body = MassProperties.trusted(G[3, 3], np.zeros(3), G[:3, :3])
        screw = dict(zip(SCREW, Slist[:, i], strict=True))
        rows.append({**_named(robot, i), **screw, **pose, **_mass(body), **_driven(robot, i)})
    return _about(robot, Pose.from_matrix(Mlist[-1].astype(float))), rows


def _named(robot: Robot, i: int) -> dict[str, str]:
    return {"joint": robot.bodies[i].joint.name, "link": robot.bodies[i].name}


def _mass(body: MassProperties) -> dict[str, Any]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    return dict(zip(BODY, [body.mass, *body.com, xx, xy, xz, yy, yz, zz], strict=True))


def _driven(robot: Robot, i: int) -> dict[str, Any]:
    joint = robot.bodies[i].joint
    damping, coulomb, _ = plain_friction(joint.friction)
    found = {"armature": joint.armature, "viscous": damping, "coulomb": coulomb, "stiffness": joint.stiffness}
    written, unit = {key: value for key, value in found.items() if value}, "rad" if joint.turn else "m"
    if joint.stiffness and joint.rest != joint.offset:  # the tables' coordinates are counted from the offset
        written["rest"] = f"{decimal(joint.rest - joint.offset)} {unit}"
    if joint.limits is not None:
        for key in ("lower", "upper"):
            if (value := getattr(joint.limits, key)) is not None:
                written[key] = f"{decimal(value)} {unit}"
        written |= {k: v for k, v in joint.limits._asdict().items() if k in ("velocity", "effort") and v is not None}
    return written
