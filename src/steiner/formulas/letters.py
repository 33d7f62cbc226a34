"""Letters in place of a robot's numbers, chosen by what each number is, as the decks write them.

An arm that moves in a plane has lengths l₁, l₂, … from joint to joint, l_c1, … from each joint to the centre of mass
of what it moves, and moments Izz₁, … about the normal of the plane; what lies across the plane has no effect and is
left out.
Of any other arm the numbers stay where they were declared: d along a joint's axis, a across it, centres c_x, c_y, c_z.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.inertia import MassProperties
from steiner.inertia.moments import NO_MOMENTS, Moments
from steiner.inertia.properties import tensor_of
from steiner.model.joints import Joint
from steiner.model.link import Link, Payload
from steiner.model.robot import Robot
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_number, is_zero, total
from steiner.spatial import IDENTITY, Pose, cross

ROUND_OFF = 1e-9  # of the largest length, and of 1 for directions: less is zero
AXES = np.eye(3, dtype=int)

# joints of an arm without any length between them -> the letters that the decks give it
DECKS = {"R": {"m1": "m", "lc1": "lc", "Izz1": "Izz"}, "P": {"m1": "m"}, "RP": {"lc1": "l1"}, "PR": {"lc2": "d"}}


@dataclasses.dataclass(frozen=True)
class Lettered:
    """A robot of letters, and the numbers that they stand for."""

    robot: Robot
    values: dict[sp.Symbol, Any]


def lettered(robot: Robot) -> Lettered:
    """The robot with letters for masses, centres, tensors, lengths, rotors, springs and gravity; zeros, angles stay."""
    letters = _Letters(_size(robot))
    normal = plane_of(robot.tree)
    twin = _spatial(robot, letters) if normal is None else _bodies(robot, normal, letters)
    twin = twin.replace(gravity=_gravity(robot.gravity, letters))
    return Lettered(twin, letters.values) if normal is None else _as_in_the_decks(twin, letters.values)


def lumped(robot: Robot) -> Lettered:
    """A robot of letters with one link per joint, in the frame on its axis; what is fixed to a link is part of it."""
    letters = _Letters(_size(robot))
    twin = _bodies(robot.replace(payloads=()), None, letters, robot.tree)
    return Lettered(twin.replace(gravity=_gravity(robot.gravity, letters)), letters.values)


def with_symbols(robot: Robot) -> Robot:
    """The robot of letters alone; see `lettered`."""
    return lettered(robot).robot


class _Letters:
    """Gives letters to numbers that are not zero, and keeps what each stands for."""

    def __init__(self, size: float) -> None:
        self.least, self.values = size * ROUND_OFF, dict[sp.Symbol, Any]()

    def of(self, x: Any, name: str, least: float = 0.0) -> Any:
        """A letter that stands for x."""
        if is_zero(x) or (is_number(x) and abs(x) <= least):
            return 0
        symbol = sp.Symbol(name)
        self.values[symbol] = x
        return symbol

    def joint(self, screw: Joint, number: str) -> dict[str, Any]:
        """Letters for a rotor, and for a spring: its stiffness k, the joint's value x where it is slack."""
        found = {"armature": self.of(screw.armature, f"J{number}"), "stiffness": self.of(screw.stiffness, f"k{number}")}
        return found if is_zero(screw.stiffness) else {**found, "rest": self.of(screw.rest, f"x{number}")}

    def length(self, x: Any, name: str) -> Any:
        """A letter for a length, which is positive; what runs backwards has a minus sign."""
        return -self.of(-x, name, self.least) if is_number(x) and x < 0 else self.of(x, name, self.least)

    def vector(self, v: Any, basis: Sequence[tuple[str, np.ndarray]], letter: Callable[[str], str]) -> np.ndarray:
        """v from its parts along a basis; a single part needs no name of an axis."""
        parts = [(axis, e, v @ e) for axis, e in basis]
        there = [axis for axis, _, x in parts if not self.is_nothing(x)]
        result = np.zeros(3, dtype=object)
        for axis, e, x in parts:
            result = result + self.length(x, letter(axis if len(there) > 1 else "")) * e
        return result

    def free(self, letter: str, index: str) -> str:
        """A name with this index: the letter, or the next one if a link's joint and frame have an offset each."""
        taken = sp.Symbol(f"{letter}{index}") in self.values
        return f"{chr(ord(letter) + 1) if taken else letter}{index}"

    def is_nothing(self, x: Any) -> bool:
        """Whether a length is zero, or round-off of one."""
        return is_zero(x) or (is_number(x) and abs(x) <= self.least)


def _size(robot: Robot) -> float:
    """The largest length of a robot."""
    vectors = [p for link in robot.links for p in (link.mount.p, link.origin.p, link.body.com)]
    return float(max([abs(x) for p in vectors for x in p if is_number(x)], default=1.0))


def _gravity(pull: np.ndarray, letters: _Letters) -> np.ndarray:
    down = [x for x in pull if not is_zero(x)]
    names = ["g"] * 3 if len(down) == 1 else ["gx", "gy", "gz"]
    return np.array([letters.length(x, name) for x, name in zip(pull, names, strict=True)], dtype=object)


# ---- arms in a plane -----------------------------------------------------------------------------


def plane_of(tree: Tree) -> np.ndarray | None:
    """The normal of the plane in which all bodies move, in the world's axes; None if there is none."""
    try:
        turned = [R.astype(float) for R in _rotations(tree)]
        screw = [(float(body.joint.turn), float(body.joint.slide)) for body in tree.bodies]
    except TypeError:  # directions that are symbols
        return None
    axes = [R[:, 2] for R in turned]
    about = [z for z, (turn, _) in zip(axes, screw, strict=True) if turn]
    along = [z for z, (_, slide) in zip(axes, screw, strict=True) if slide]
    normal = _exact(about[0] if about else _across(along, tree.gravity))
    fits = all(abs(abs(z @ normal) - 1) < ROUND_OFF for z in about) and all(abs(z @ normal) < ROUND_OFF for z in along)
    return normal if fits else None


def _rotations(tree: Tree) -> list[np.ndarray]:
    """Of every body to the world, at rest."""
    rest = [0] * tree.n
    T = poses_in_parent(tree, screws(tree, rest, rest, rest))
    R: list[np.ndarray] = []
    for body, pose in zip(tree.bodies, T, strict=True):
        R.append(pose.R if body.parent == GROUND else R[body.parent] @ pose.R)
    return R


def _across(along: list[np.ndarray], gravity: np.ndarray) -> np.ndarray:
    """A direction across all that slides, and across gravity if that leaves a choice."""
    others = [*along[1:], *([gravity.astype(float)] if all(map(is_number, gravity)) else []), *AXES]
    found = next(n for n in (cross(along[0], other) for other in others) if n @ n > ROUND_OFF)
    return found / np.sqrt(found @ found)


def _exact(v: np.ndarray) -> np.ndarray:
    """A direction freed of its round-off where it is along an axis."""
    near = np.round(v)
    return near.astype(int) if np.abs(v - near).max() < ROUND_OFF else v


def _basis(normal: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Two directions in the plane, axes of the frame if they lie in it."""
    flat = [(name, e) for name, e in zip("xyz", AXES, strict=True) if abs(e @ normal) < ROUND_OFF]
    first = flat[0] if flat else ("x", _across([normal], normal))
    return flat if len(flat) == 2 else [first, ("y", _exact(cross(normal, first[1])))]


def _bodies(robot: Robot, normal: np.ndarray | None, letters: _Letters, tree: Tree | None = None) -> Robot:
    """One link per moving body, in the frame on its joint's axis; flat ones if they move in a plane."""
    loads = [load for load in robot.tree.loads if load.payload is None]
    tree, loads = (robot.tree, loads) if tree is None else (tree, [*tree.loads])
    normals = {} if normal is None else _normals(tree, normal)
    moments, branches = tree.moments(loads), [body.parent for body in tree.bodies]
    links: list[Link] = []
    for k, body in enumerate(tree.bodies):
        up, number = body.parent, str(k + 1)
        if normal is None:
            mount = _offset(body.mount, (AXES[2], body.mount.R[:, 2]), letters, number)
            mass = _body(_together(tree, k), letters, number)
        else:
            place = f"{up + 1}" if branches.count(up) == 1 else f"{up + 1}_{number}"
            p = letters.vector(body.mount.p, _basis(normals[up]), lambda axis, at=place: f"l{axis}{at}")
            own = moments.get(k, NO_MOMENTS)
            mount, mass = Pose.trusted(body.mount.R, p), _flat(own, normals[k], letters, number)
        joint = body.joint.with_numbers(axis=AXES[2], **letters.joint(body.joint, number))
        links.append(Link(body.name, None if up == GROUND else tree.bodies[up].name, joint, mount, mass))
    payloads = []
    carried = [load for load in robot.tree.loads if load.payload is not None and tree.places[load.link].body != GROUND]
    for number, load in enumerate(carried, 1):
        k = tree.places[load.link].body
        body = _flat(tree.moments([load])[k], normals[k], letters, "p" if len(carried) == 1 else f"p{number}")
        payloads.append(Payload(str(load.payload), body, tree.bodies[k].name, IDENTITY))
    return robot.replace(links=tuple(links), payloads=tuple(payloads))


def _normals(tree: Tree, normal: np.ndarray) -> dict[int, np.ndarray]:
    """The normal of the plane in the axes of every body."""
    return {GROUND: normal} | {k: _exact(R.astype(float).T @ normal) for k, R in enumerate(_rotations(tree))}


def _together(tree: Tree, k: int) -> MassProperties:
    """All that body k carries, in its frame."""
    there = [(tree.places[load.link], load) for load in tree.loads if tree.places[load.link].body == k]
    return total(load.body.moved(place.pose @ load.pose) for place, load in there) or MassProperties.zero()


def _flat(moments: Moments, normal: np.ndarray, letters: _Letters, number: str) -> MassProperties:
    """A body that only its mass, its centre in the plane and its moment about the normal are told of."""
    m, h, second = moments
    mass = letters.of(m, f"m{number}")
    basis = _basis(normal)
    centre = np.zeros(3, dtype=object) if is_zero(m) else np.array(h / m, dtype=object)
    com = letters.vector(centre, basis, lambda axis: f"lc{axis}{number}")
    about = normal @ tensor_of(second) @ normal - m * sum((centre @ e) ** 2 for _, e in basis)
    moment = letters.of(about, f"Izz{number}")
    return MassProperties.trusted(mass, com, np.outer(normal, normal).astype(object) * moment)


def _as_in_the_decks(twin: Robot, values: dict[sp.Symbol, Any]) -> Lettered:
    """The letters of the worked examples, where one length needs no index c beside another."""
    kinds = "".join("P" if is_zero(body.joint.turn) else "R" for body in twin.bodies)
    single = not any(s.name.startswith("l") and not s.name.startswith("lc") for s in values)
    if kinds not in DECKS or not single:
        return Lettered(twin, values)
    new = {sp.Symbol(old): sp.Symbol(name) for old, name in DECKS[kinds].items()}
    renamed = twin.mapped(lambda x: x.xreplace(new) if isinstance(x, sp.Expr) else x)
    return Lettered(renamed, {new.get(s, s): x for s, x in values.items()})


# ---- other arms ----------------------------------------------------------------------------------


def _spatial(robot: Robot, letters: _Letters) -> Robot:
    links: list[Link] = []
    axes: dict[str, np.ndarray] = {}
    for link, number in zip(robot.links, _numbers(robot), strict=True):
        joint, screws = link.joint, link.joint.screws()
        for k, screw in enumerate(screws, robot.places[link.name].body + 2 - len(screws)):
            joint = joint.with_screw(screw.name, **letters.joint(screw, str(k)))
        up = AXES[2] if link.parent is None else axes[link.parent]
        mount = _offset(link.mount, (up, link.mount.R @ link.joint.axis), letters, number)
        origin = _offset(link.origin, (link.joint.axis,), letters, number)
        axes[link.name] = link.origin.R.T @ link.joint.axis
        body = _body(link.body, letters, number)
        links.append(dataclasses.replace(link, body=body, made_of=None, mount=mount, origin=origin, joint=joint))
    payloads = []
    for k, load in enumerate(robot.payloads, 1):
        number = "p" if len(robot.payloads) == 1 else f"p{k}"
        pose = _offset(load.pose, (), letters, number)
        payloads.append(dataclasses.replace(load, body=_body(load.body, letters, number), pose=pose))
    return robot.replace(links=tuple(links), payloads=tuple(payloads))


def _numbers(robot: Robot) -> list[str]:
    """Of every link: its joint's number; what is fixed to it has letters b, c, … behind."""
    found: list[str] = []
    for link in robot.links:
        body = str(robot.places[link.name].body + 1)
        behind = sum(number.rstrip("bcdefghijklmnopqrstuvwxyz") == body for number in found)
        found.append(body if link.joint.moves or (body == "0" and not behind) else f"{body}{_letter(behind)}")
    return found


def _letter(k: int) -> str:
    alphabet = "bcdefghijklmnopqrstuvwxyz"
    return alphabet[k - 1] if 1 <= k <= len(alphabet) else f"b{k}"


def _offset(pose: Pose, axes: Sequence[np.ndarray], letters: _Letters, number: str) -> Pose:
    """d for the part along one of the axes, a for what lies across; two of a kind have the name of their axis."""
    kinds = ["d" if any(is_number(z[i]) and abs(abs(z[i]) - 1) < ROUND_OFF for z in axes) else "a" for i in range(3)]
    there = [kind for kind, x in zip(kinds, pose.p, strict=True) if not letters.is_nothing(x)]
    p = [
        letters.length(x, letters.free(kind, f"{axis if there.count(kind) > 1 else ''}{number}"))
        for kind, axis, x in zip(kinds, "xyz", pose.p, strict=True)
    ]
    return Pose.trusted(pose.R, np.array(p, dtype=object))


def _body(body: MassProperties, letters: _Letters, number: str) -> MassProperties:
    mass = letters.of(body.mass, f"m{number}")
    com = np.array([letters.length(x, f"c{axis}{number}") for axis, x in zip("xyz", body.com, strict=True)])
    least = max([abs(x) for x in body.inertia.ravel() if is_number(x)], default=0) * ROUND_OFF
    tensor = np.zeros((3, 3), dtype=object)
    for i in range(3):
        for j in range(i, 3):
            tensor[i, j] = tensor[j, i] = letters.of(body.inertia[i, j], f"I{'xyz'[i]}{'xyz'[j]}{number}", least)
    return MassProperties.trusted(mass, com, tensor)
