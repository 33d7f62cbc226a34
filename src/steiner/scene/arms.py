"""What is drawn of robots: links as they are drawn, or as sticks between their joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from steiner.dynamics import forward_kinematics
from steiner.errors import SteinerError
from steiner.files.mesh import located, triangles
from steiner.kernels.arguments import array_of, floats_of, holds_symbols
from steiner.model.link import Link, Shape
from steiner.model.robot import Robot
from steiner.scalar import is_number
from steiner.scene.pieces import mass_marks, part_items, surface
from steiner.scene.scene import (
    FORCE,
    INK,
    MOMENT,
    PALETTE,
    PATH,
    Actor,
    Arrow,
    Dot,
    Item,
    Line,
    Moving,
    Scene,
    Surface,
    triad,
)
from steiner.spatial import IDENTITY, Pose, Wrench
from steiner.spatial.poses import rotation_to
from steiner.text.tables import shown

BONE = "#aab3bd"
NAMELESS: Mapping[str, str] = MappingProxyType({})


def of_robot(
    robot: Robot,
    *,
    q: Any = None,
    resolution: int = 20,
    frames: bool = True,
    centres: bool = True,
    ellipsoids: bool = False,
    sketch: bool = False,
    meshes: bool = False,
    labels: Mapping[str, str] | None = None,
    wrenches: Wrench | Sequence[Wrench] = (),
    path: Any = None,
    times: Any = None,
    qd: Any = None,
    qdd: Any = None,
) -> Scene:
    """A robot at q (zeros; or one row of q for each time): links as they are drawn, or as sticks between their joints.

    `sketch` asks for sticks and joints even where there are shapes, `meshes` for the mesh files that a URDF names (as
    pages show them; a drawing of many triangles takes long); `labels` are words beside joints, by name.
    `wrenches` act as in `external=`, as arrows that share a scale; `path` are points of a line in the world.  Painters
    that compute tell efforts at the rates `qd` and `qdd`.
    """
    if robot.is_symbolic:
        raise SteinerError(f"{robot.name}: a picture needs numbers, the robot has symbols")
    q = np.zeros(robot.n) if q is None else _rows(robot, "q", q)
    rows = len(np.atleast_2d(q))
    qd, qdd = (None if x is None else _rows(robot, name, x, rows) for name, x in (("qd", qd), ("qdd", qdd)))
    poses = _poses(robot, q)
    reach = _span(poses, robot)
    seen = {link.name: [] if sketch else _visuals(link, resolution, meshes) for link in robot.links}
    drawn = any(link.made_of or seen[link.name] for link in robot.links) and not sketch
    actors, count = [], 0
    for link in robot.links:
        items = _drawn(link, seen[link.name], count, resolution) if drawn else _stick(robot, link, reach)
        count += len(items) if drawn else 0
        items += joint_items(link, reach, drawn=drawn, labels=labels or {})
        if centres and link.body.is_numeric and link.body.mass > 0:
            marks = mass_marks(link.body, axes=False) if ellipsoids else []
            com = np.asarray(link.body.com, dtype=float)
            items += marks or [Dot(com, INK, 3.6, name="centre of mass", centre=True)]
        if frames:
            items += triad(IDENTITY, 0.09 * reach)
        actors.append(Actor(link.name, tuple(items), poses[link.name], link.body))
    ground = Actor("world", (*triad(IDENTITY, 0.14 * reach, letters=True), *([] if drawn else _posts(robot, reach))))
    again = {"resolution": resolution, "frames": frames, "centres": centres, "ellipsoids": ellipsoids}
    again |= {"sketch": sketch, "meshes": meshes}
    moving = Moving(robot, q, qd, qdd, partial(of_robot, q=q.reshape(-1, robot.n)[0], **again) if robot.n else of_robot)
    scene = Scene(robot.name, (ground, *actors), _told(robot, q), _times(q, times), *_sides(robot), moving)
    return scene.with_actors([*_wrenches(poses, wrenches, robot.links[-1].name, reach), *_path(path)])


def _rows(robot: Robot, name: str, given: Any, count: int | None = None) -> np.ndarray:
    values = array_of(name, given)
    if holds_symbols(values):
        raise SteinerError(f"{robot.name}: {name} holds symbols; a picture needs numbers")
    rows = floats_of(name, values, np.float64)
    none = rows.ndim == 2 and (len(rows) == 0 or count not in (None, len(rows)))
    if rows.shape[-1:] != (robot.n,) or rows.ndim > 2 or none:
        expected = f"({robot.n},), or a row for each time"
        raise SteinerError(f"{robot.name}: {name} has the shape {rows.shape}; expected {expected}")
    if not np.isfinite(rows).all():
        raise SteinerError(f"{robot.name}: {name} holds a number that is not finite; nothing can be drawn there")
    return rows


def _poses(robot: Robot, q: np.ndarray) -> Mapping[str, Pose]:
    """Where the links are; one instant is not worth a kernel."""
    if q.ndim > 1:
        return robot.forward_kinematics(q)
    found = forward_kinematics(robot, q)
    return {name: _floats(pose) for name, pose in found.items()}


def _floats(pose: Pose) -> Pose:
    return Pose.trusted(pose.R.astype(float), pose.p.astype(float))


def _visuals(link: Link, resolution: int, meshes: bool) -> list[tuple[Shape, Surface]]:
    """The shapes that say how a link looks; a mesh that cannot be read is not seen."""
    looks = [shape for shape in link.shapes if shape.role == "visual" and (meshes or shape.solid is not None)]
    found = [(shape, _visual(link, shape, resolution)) for shape in looks]
    return [(shape, mesh) for shape, mesh in found if mesh is not None]


def _visual(link: Link, shape: Shape, resolution: int) -> Surface | None:
    if shape.solid is not None:
        return surface(shape.solid.at(shape.pose), BONE, resolution)
    if link.source is None or not link.source.file:
        return None
    try:
        path = located(shape.file, link.source.file, link.source.package_dirs)
        vertices, faces, *_ = triangles(path, unit="m")
    except SteinerError:
        return None
    faces = faces[:, ::-1] if np.prod(shape.scale) < 0 else faces
    return Surface(_floats(shape.pose).apply(vertices * np.asarray(shape.scale, dtype=float)), faces)


def _drawn(link: Link, seen: list[tuple[Shape, Surface]], first: int, resolution: int) -> list[Item]:
    if link.made_of is not None:
        return part_items(link.made_of, resolution, 1.0, named=False, first=first)
    items: list[Item] = []
    for k, (shape, mesh) in enumerate(seen, first):
        colour, opacity = PALETTE[k % len(PALETTE)], 1.0
        if shape.colour is not None:
            colour = "#" + "".join(f"{round(255 * min(max(x, 0), 1)):02x}" for x in shape.colour[:3])
            opacity = min(max(shape.colour[3], 0.05), 1.0)
        items.append(replace(mesh, colour=colour, opacity=opacity))
    return items


def _stick(robot: Robot, link: Link, reach: float) -> list[Item]:
    """Lines from the link's joint to those it carries, or to its centre of mass."""
    start = _seat(link)
    ends = [np.asarray(other.mount.p, dtype=float) for other in robot.links if other.parent == link.name]
    if not ends and link.body.is_numeric and link.body.mass > 0:
        ends = [np.asarray(link.body.com, dtype=float)]
    lines = [np.stack([start, end]) for end in ends if np.linalg.norm(end - start) > 1e-9 * reach]
    return [Line(line, BONE, 6.0) for line in lines]


def _posts(robot: Robot, reach: float) -> list[Item]:
    """Lines from the ground to the joints that stand on it."""
    feet = [link.mount.p.astype(float) for link in robot.links if link.parent is None and link.joint.screws()]
    return [Line(np.stack([np.zeros(3), foot]), BONE, 6.0) for foot in feet if np.linalg.norm(foot) > 1e-9 * reach]


def _seat(link: Link) -> np.ndarray:
    """The joint's origin in the link's own frame."""
    return np.asarray(link.origin.inverse().p, dtype=float)


def link_items(link: Link, resolution: int, meshes: bool) -> list[Item]:
    """The parts or shapes of a link alone, in its frame."""
    if link.made_of is not None:
        return part_items(link.made_of, resolution, 0.55)
    return _drawn(link, _visuals(link, resolution, meshes), 0, resolution)


def joint_items(link: Link, reach: float, *, drawn: bool = True, labels: Mapping[str, str] = NAMELESS) -> list[Item]:
    """Axes of a link's joint; without shapes a turning one is a drum about its axis, a sliding one a block along it."""
    size, items = 0.022 * reach, []
    seat = _floats(link.origin.inverse())
    for screw in link.joint.screws():
        axis = np.asarray(screw.axis, dtype=float)
        pose = seat @ Pose(rotation_to(axis), np.zeros(3))
        ends = np.array([[0, 0, -5 * size], [0, 0, 5 * size]])
        items.append(Line(pose.apply(ends), INK, 0.8, dashed=True, opacity=0.7, name="joint axis"))
        if screw.name in labels:
            items.append(Dot(np.asarray(seat.p, dtype=float), INK, 0.5, label=labels[screw.name]))
        if not drawn:
            items.append(_bar(pose, size, 3 * size, 20) if turns(screw) else _bar(pose, 1.1 * size, 4 * size, 4))
    return items


def _bar(pose: Pose, radius: float, height: float, count: int) -> Surface:
    """A prism of many sides along z."""
    turn = 2 * math.pi * (np.arange(count) + 0.5) / count
    ring = radius * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    vertices = np.vstack([ring - (0, 0, height / 2), ring + (0, 0, height / 2)])
    k, after = np.arange(count), (np.arange(count) + 1) % count
    sides = [np.stack([k, after, after + count], 1), np.stack([k, after + count, k + count], 1)]
    ends = [np.stack([0 * k, after, k], 1)[1:-1], np.stack([0 * k, k, after], 1)[1:-1] + count]
    return Surface(pose.apply(vertices), np.vstack([*sides, *ends]), "#d9dee5")


def turns(screw: Any) -> bool:
    """Whether a screw turns, and does not only slide."""
    return not (is_number(screw.turn) and screw.turn == 0)


def _span(poses: Mapping[str, Pose], robot: Robot) -> float:
    """The longest side of the box around the world's origin, joints and centres of mass."""
    points = [np.reshape(pose.p, (-1, 3)) for pose in poses.values()]
    centres = [poses[link.name].apply(np.asarray(link.body.com, float)) for link in robot.links if link.body.mass]
    cloud = np.vstack([np.zeros((1, 3)), *points, *(np.reshape(c, (-1, 3)) for c in centres)])
    return float((cloud.max(axis=0) - cloud.min(axis=0)).max()) or 1.0


def _sides(robot: Robot) -> tuple[tuple[float, float, float], tuple[float, float, float] | None]:
    """Up is against gravity; an arm that moves in a plane is looked at from straight ahead."""
    gravity = np.asarray(robot.gravity, dtype=float)
    size = np.linalg.norm(gravity)
    up = -gravity / size if size else np.array([0, 0, 1.0])
    poses = _poses(robot, np.zeros(robot.n))
    normals = [
        poses[link.name].R @ _floats(link.origin.inverse()).R @ np.asarray(screw.axis, dtype=float)
        for link in robot.links for screw in link.joint.screws() if turns(screw)
    ]  # fmt: skip
    if normals and all(abs(abs(n @ normals[0]) - 1) < 1e-9 for n in normals) and abs(normals[0] @ up) < 1e-9:
        towards = normals[0]
        if towards[np.argmax(abs(towards))] < 0 and abs(towards[1]) < 0.9:
            towards = -towards
        if towards[1] > 0.9:
            towards = -towards  # with z up, x runs to the right
        return tuple(up.tolist()), tuple(towards.tolist())
    return tuple(up.tolist()), None


def _told(robot: Robot, q: np.ndarray) -> tuple[str, ...]:
    weight = f"{robot.n} joints, {float(robot.total_mass):.4g} kg"
    if q.ndim > 1 or robot.n > 8 or not robot.n:
        return (weight,)
    return (weight, f"q = ({', '.join(shown(round(float(x), 3)) for x in q)})")


def _times(q: np.ndarray, times: Any) -> np.ndarray:
    count = len(np.atleast_2d(q))
    found = floats_of("times", array_of("times", np.arange(count) if times is None else times), np.float64)
    if found.shape != (count,):
        raise SteinerError(f"{count} rows of q, {found.size} times: expected one time for each row")
    return found


def _wrenches(poses: Mapping[str, Pose], wrenches: Wrench | Sequence[Wrench], tip: str, reach: float) -> list[Actor]:
    """Forces and moments, each kind on a scale of its own: the largest is a fifth of the robot."""
    listed = [wrenches] if isinstance(wrenches, Wrench) else list(wrenches)
    actors = []
    for kind, unit, colour in (("force", "N", FORCE), ("moment", "N m", MOMENT)):
        vectors = [np.asarray(getattr(w, kind), dtype=float) for w in listed]
        if any(v.ndim > 1 for v in vectors):
            raise SteinerError("a picture shows wrenches of one instant; give one force and one moment each")
        largest = max((float(np.linalg.norm(v)) for v in vectors), default=0.0)
        for wrench, vector in zip(listed, vectors, strict=True):
            size = float(np.linalg.norm(vector))
            if not size:
                continue
            pose = poses[wrench.acting_on or tip]
            point = pose.apply(np.asarray(wrench.at, dtype=float))
            turned = pose.R if wrench.axes == "link" else np.broadcast_to(np.eye(3), pose.R.shape)
            label = f"{shown(float(f'{size:.4g}'))} {unit}"
            arrow = Arrow(np.zeros(3), 0.2 * reach * vector / largest, colour, 2.4, label, kind, kind == "moment")
            actors.append(Actor(f"{kind} on {wrench.acting_on or tip}", (arrow,), Pose.trusted(turned, point)))
    return actors


def _path(points: Any) -> list[Actor]:
    if points is None:
        return []
    return [Actor("path", (Line(np.asarray(points, dtype=float), PATH, 1.6, name="path", front=True),))]
