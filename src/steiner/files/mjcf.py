"""MJCF files, the models of MuJoCo, to robots.  Every message names the file, the line and the element.

Read are bodies, frames, joints (hinges and slides, several on one body), what bodies weigh, default classes, includes
and couplings of joints; cameras, sensors and contacts do not matter to dynamics.  What would matter and is not
modelled (springs, closed loops) is told as left out; what has no clear meaning here is refused.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steiner.errors import FormatError, SteinerError, is_one_of, unknown
from steiner.files.mjcf_bodies import Geom, Geoms, body_of, inside, placed
from steiner.files.mjcf_settings import MAIN, YES, Classes, Settings, known
from steiner.files.reading import LARGEST, Notes, contents, exact_angles
from steiner.files.xml import Element, parse, shown
from steiner.inertia import MassProperties
from steiner.model.friction import Coulomb, Friction, Viscous
from steiner.model.joints import Composite, Joint, JointLimits, Prismatic, Revolute
from steiner.model.link import Link
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source, element
from steiner.spatial import IDENTITY, Pose

SECTIONS = ("compiler", "option", "default", "asset", "worldbody", "equality")
SILENT = ("size", "visual", "statistic", "custom", "contact", "sensor", "keyframe")  # no say in dynamics
DRIVES = ("actuator", "tendon")  # no say in M, C and g, but for rotors
IN_BODY = ("inertial", "joint", "freejoint", "geom", "body", "frame")
LOOKS = ("site", "camera", "light")
REFUSED = {
    "free": 'a floating base: delete this joint to fix the body where it stands (bases that float are not read)',
    "ball": "a ball joint by quaternion is not read; three hinges on the body (rx, ry, rz) turn it by three angles",
}


def read(
    text: str | bytes, notes: Notes, *, mimic: str = "free", snap: bool = True, via: str | None = None
) -> Robot:
    """The robot of an MJCF document; `via="mujoco"` lets MuJoCo's compiler rewrite it first."""
    if not is_one_of(mimic, ("free", "coupled")):
        raise FormatError(f"mimic={mimic!r}: expected 'free' (own coordinates) or 'coupled' (they follow)")
    folder = None if notes.file.startswith("<") else Path(notes.file).parent
    root = parse(text, notes.file)
    if root.tag != "mujoco":
        what = "a part for <include>" if root.tag == "mujocoinclude" else f"<{shown(root.tag)}>"
        root.fail(f"the document is {what}; expected <mujoco>, the root of an MJCF file")
    _include(root, folder, len(text))
    if via is not None:
        from steiner.files.mjcf_via import rewritten

        root = rewritten(root, text, notes, folder, via)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is judged afterwards
        return _Reader(root, notes, folder, mimic, snap).robot()


# ---- includes --------------------------------------------------------------------------------------


def _include(root: Element, folder: Path | None, size: int) -> None:
    """Put what `<include>` names in its place; each file once, none from outside the folder."""
    seen = {(folder / Path(root.file).name).resolve() if folder else None}
    waiting = [root]
    while waiting:
        owner = waiting.pop()
        if any(child.tag == "include" for child in owner.children):
            children: list[Element] = []
            for child in owner.children:
                if child.tag != "include":
                    children.append(child)
                    continue
                part, size = _included(child, folder, seen, size)
                for inner in part.children:
                    inner.parent = owner
                owner.children, part.parent = [], owner
                children += part.children
            owner.children = children
            waiting.append(owner)  # an included file may include others
        else:
            waiting += owner.children


def _included(e: Element, folder: Path | None, seen: set[Path | None], size: int) -> tuple[Element, int]:
    e.only(("file",), ("prefix",))
    name = e.text("file")
    if folder is None:
        e.fail(f"a text includes no files, such as {shown(name)!r}; load the file itself")
    try:
        path = inside(folder, name)
    except SteinerError as error:
        e.fail(str(error))
    if path in seen:
        e.fail(f"{shown(name)!r} is included a second time, or includes itself; once is enough")
    seen.add(path)
    data = contents(path, "a part of a model")
    size += len(data)
    if size > LARGEST:
        e.fail(f"with its includes this model is larger than {LARGEST / 1e6:.0f} MB")
    root = parse(data, os.path.join(folder, name))
    if root.tag not in ("mujoco", "mujocoinclude"):
        e.fail(f"{shown(name)!r} holds <{shown(root.tag)}>; expected <mujoco> or <mujocoinclude>")
    return root, size


# ---- the tree --------------------------------------------------------------------------------------


class Coupling(NamedTuple):
    """A joint's value, from where the file has it at rest, as multiplier · (the leader's) + offset."""

    leader: str
    multiplier: float
    offset: float


class Placed(NamedTuple):
    """An element of a body, in which frame it stands and which default class is around it."""

    element: Element
    frame: Pose
    around: str


@dataclass
class _Reader:
    root: Element
    notes: Notes
    folder: Path | None
    mimic: str
    snap: bool
    links: list[Link] = field(default_factory=list)
    joint_lines: dict[str, int] = field(default_factory=dict)
    rest: dict[str, float] = field(default_factory=dict)  # of each joint, the coordinate at which its value is zero
    body_count: int = 0

    def robot(self) -> Robot:
        """All of it."""
        root = self.root
        for section in root.children:
            if section.tag not in (*SECTIONS, *SILENT, *DRIVES):
                section.fail(f"<{shown(section.tag)}> is not read; {', '.join(SECTIONS)} are, {VIA}")
        self.settings = Settings.of(root.all("compiler"))
        self.classes = Classes.of(root.all("default"))
        self.geoms = Geoms(self.settings, self.classes, self.folder)
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                self.geoms.add(mesh)
        self._drives()
        worlds = list(root.all("worldbody"))
        self._take_names(worlds)
        self.couplings = self._couplings()
        for world in worlds:
            for child in self._inside(world, IDENTITY, world.attributes.get("childclass", MAIN)):
                if child.element.tag == "body":
                    self._body(child, None, moves=False)
                elif child.element.tag in ("joint", "freejoint", "inertial"):
                    child.element.fail("the world has neither joints nor mass; expected this in a <body>")
        if not self.links:
            root.fail("no <body> in this model; expected at least one in <worldbody>")
        gravity = self._gravity()
        name = root.attributes.get("model", "").strip() or "robot"
        try:
            robot = Robot(name, tuple(self.links), gravity)
        except SteinerError as error:
            root.fail(str(error))
        return self._weighed(robot)

    def _inside(self, owner: Element, frame: Pose, around: str) -> Iterator[Placed]:
        """What stands in a body, that in its frames included, in the order of the file."""
        for child in owner.children:
            if child.tag in LOOKS:
                continue
            if child.tag not in IN_BODY:
                child.fail(f"<{shown(child.tag)}> is not read; {', '.join(IN_BODY)} are, {VIA}")
            if child.tag == "frame":
                known(child)
                yield from self._inside(child, frame @ self._pose(child), self._childclass(child, around))
            else:
                yield Placed(child, frame, around)

    def _childclass(self, e: Element, around: str) -> str:
        name = e.attributes.get("childclass", around)
        self.classes.of_class(e, name)
        return name

    def _pose(self, e: Element, what: str = "") -> Pose:
        pose = placed(e, self.settings)
        if not self.snap:
            return pose
        R, shift = exact_angles(pose.R)
        if shift > 1e-14 and what:
            self.notes.snapped[what] = f"its orientation read as exact angles (by {shift:.1g})"
        return Pose.trusted(R, pose.p)

    def _take_names(self, worlds: list[Element]) -> None:
        """Every body and joint has a name of its own; what has none in the file gets one."""
        taken: dict[str, dict[str, Element]] = {"body": {}, "joint": {}}
        nameless: list[Element] = []
        for world in worlds:
            for e in world.below():
                if e.tag in taken and not e.attributes.get("name"):
                    nameless.append(e)
                elif e.tag in taken:
                    name = e.attributes["name"]
                    if name in taken[e.tag]:
                        e.fail(f"a second {e.tag} named {shown(name)!r}; the first is in line {taken[e.tag][name].line}")
                    taken[e.tag][name] = e
        count = {"body": 0, "joint": 0}
        for e in nameless:
            while (name := f"{e.tag}{count[e.tag] + 1}") in taken[e.tag]:
                count[e.tag] += 1
            e.attributes["name"] = name
            taken[e.tag][name] = e
        self.bodies, self.joints = taken["body"], taken["joint"]
        for tag, kind in (("body", "link"), ("joint", "joint")):
            for name, e in taken[tag].items():
                if e.file == self.notes.file:
                    self.notes.lines[element(kind, name)] = e.line

    def _unused(self, wish: str, taken: dict[str, Element]) -> str:
        name, count = wish, 2
        while name in taken:
            name, count = f"{wish}{count}", count + 1
        taken[name] = self.root
        return name

    # ---- one body ----------------------------------------------------------------------------

    def _body(self, place: Placed, parent: str | None, moves: bool) -> None:
        e = known(place.element)
        name = e.attributes["name"]
        what = element("link", name)
        if e.word("mocap", YES, "false") == "true":
            e.fail("a mocap body is moved from outside; delete mocap= to fix it")
        if e.number("gravcomp", 0.0) != 0:
            self.notes.warnings[f"{what} gravcomp"] = "gravity compensation is left out; gravity acts on it in full"
        around = self._childclass(e, place.around)
        inner = list(self._inside(e, IDENTITY, around))
        inertials = [one.element for one in inner if one.element.tag == "inertial"]
        if len(inertials) > 1:
            inertials[1].fail(f"a second <inertial>; the first is in line {inertials[0].line}")
        geoms = [self.geoms.geom(*one) for one in inner if one.element.tag == "geom"]
        joints = [self._joint(one) for one in inner if one.element.tag in ("joint", "freejoint")]
        moves = moves or bool(joints)

        def missing(why: str) -> None:
            self.notes.warnings[f"{what} mass"] = f"stands still and is counted without some of its geoms ({why})"

        body = body_of(inertials[0] if inertials else None, geoms, self.settings, None if moves else missing)
        self._hang(name, parent, place.frame @ self._pose(e, f"{what} orientation"), joints, body, geoms)
        for one in inner:
            if one.element.tag == "body":
                self._body(one, name, moves)

    def _hang(
        self, name: str, parent: str | None, mount: Pose, joints: list[tuple[Joint, np.ndarray]],
        body: MassProperties, geoms: list[Geom],
    ) -> None:  # fmt: skip
        """The links of a body: one, and before it one without mass for each other point that its axes go through."""
        rows: list[tuple[list[Joint], np.ndarray]] = []
        for joint, at in joints:
            slides = isinstance(joint, Prismatic)  # along any line that is parallel
            if rows and (slides or all(isinstance(j, Prismatic) for j in rows[-1][0])):
                rows[-1] = ([*rows[-1][0], joint], rows[-1][1] if slides else at)
            elif rows and np.array_equal(rows[-1][1], at):
                rows[-1][0].append(joint)
            else:
                rows.append(([joint], at))
        source = Source(self.notes.file, "mjcf")
        shapes = tuple(shape for geom in geoms if (shape := geom.shape()) is not None)
        if not rows:
            self.links.append(Link(name, parent, mount=mount, body=body, shapes=shapes, source=source))
            return
        for k, (row, at) in enumerate(rows):
            last = k == len(rows) - 1
            made = row[0]
            if len(row) > 1:
                made = Composite(name=self._unused(f"{name}_joints", self.joints), joints=row)
            there = bool(np.any(at))
            seat = mount @ Pose.trusted(np.eye(3), at) if there else mount
            back = Pose.trusted(np.eye(3), -at) if there else IDENTITY
            own = name if last else self._unused(f"{name}_{row[-1].name}", self.bodies)
            filled = {"shapes": shapes} if last else {}
            weight = body if last else MassProperties.zero()
            self.links.append(Link(own, parent, made, seat, weight, back, source=source, **filled))
            parent, mount = own, IDENTITY

    def _joint(self, place: Placed) -> tuple[Joint, np.ndarray]:
        """A joint, and where its axis goes through in the frame of the body."""
        if place.element.tag == "freejoint":
            place.element.fail(REFUSED["free"])
        e = self.classes.full(place.element, place.around)
        kind = e.word("type", ("hinge", "slide", "ball", "free"), "hinge")
        if kind in REFUSED:
            e.fail(REFUSED[kind])
        name = e.attributes["name"]
        axis = np.array(e.vector("axis", (0.0, 0.0, 1.0)))
        if not np.any(axis):
            e.fail(f'axis="{shown(e.attributes["axis"])}" has no direction; expected a vector such as "0 0 1"')
        length = math.hypot(*axis)
        if abs(length - 1) > 1e-6:
            self.notes.normalised[element("joint", name, "axis")] = f"axis of length {length:.6g} made a unit vector"
        unit = self.settings.angle if kind == "hinge" else float
        self._springs(e, name)
        ref = unit(e.number("ref", 0.0))
        follows, multiplier, offset = self.couplings.get(name, (None, 1.0, -ref))
        armature = e.number("armature", 0.0)
        if armature < 0:
            e.fail(f"armature {armature!r} is negative; it is the reflected rotor inertia G²J")
        try:
            made = (Revolute if kind == "hinge" else Prismatic)(
                name=name, axis=place.frame.R @ axis, armature=armature, friction=_friction(e),
                follows=follows, multiplier=multiplier, offset=offset,
            )  # fmt: skip
        except SteinerError as error:
            e.fail(str(error))
        at = place.frame.apply(np.array(e.vector("pos", (0.0, 0.0, 0.0))))
        return made.with_numbers(limits=self._limits(e, unit)), at

    def _springs(self, e: Element, name: str) -> None:
        for key in ("stiffness", "springdamper"):
            if key in e.attributes and any(e.numbers(key, 1, 3)):
                self.notes.warnings[element("joint", name, key)] = "its spring is left out: joints have no springs here"

    def _limits(self, e: Element, unit: object) -> JointLimits | None:
        lower, upper = self._range(e, "range", "limited") or (None, None)
        force = self._range(e, "actuatorfrcrange", "actuatorfrclimited")
        effort = min(abs(force[0]), abs(force[1])) if force else None
        if lower is None and effort is None:
            return None
        ends = (None, None) if lower is None or upper is None else (unit(lower), unit(upper))  # type: ignore[operator]
        return JointLimits(*ends, None, effort)

    def _range(self, e: Element, key: str, flag: str) -> tuple[float, float] | None:
        limited = e.word(flag, ("true", "false", "auto"), "auto")
        if limited == "auto" and key in e.attributes and not self.settings.autolimits:
            e.fail(f'{key} is given and {flag} is not, with autolimits="false"; say {flag}="true" or "false"')
        if limited == "false" or key not in e.attributes:
            return None
        lower, upper = e.numbers(key, 2)
        return lower, upper

    # ---- beside the tree ---------------------------------------------------------------------

    def _gravity(self) -> np.ndarray:
        gravity = np.array(EARTH)
        for option in self.root.all("option"):
            gravity = np.array(option.vector("gravity", tuple(gravity)))
            for key in ("density", "viscosity"):
                if option.number(key, 0.0) != 0:
                    self.notes.warnings[f"option {key}"] = "forces of the medium are left out"
            for flag in option.all("flag"):
                if flag.word("gravity", ("enable", "disable"), "enable") == "disable":
                    gravity = np.zeros(3)
        return gravity

    def _drives(self) -> None:
        for tag in DRIVES:
            for section in self.root.all(tag):
                for e in section.children:
                    if "armature" in e.attributes and e.number("armature") != 0:
                        e.fail(f"the armature of <{shown(e.tag)}> is not read; give it to the joint, {VIA}")

    def _weighed(self, robot: Robot) -> Robot:
        """All masses scaled to the total that the compiler is told."""
        total, wanted = float(robot.total_mass), self.settings.total_mass
        if wanted is None or not total > 0:
            return robot
        share = wanted / total
        bodies = (
            MassProperties.trusted(k.body.mass * share, k.body.com, k.body.inertia * share) for k in robot.links
        )
        links = (
            Link(k.name, k.parent, k.joint, k.mount, body, k.origin, shapes=k.shapes, source=k.source)
            for k, body in zip(robot.links, bodies, strict=True)
        )
        return robot.replace(links=tuple(links))

    # ---- couplings ---------------------------------------------------------------------------

    def _couplings(self) -> dict[str, Coupling]:
        """Equalities between two joints, if they are to be coupled; what else ties bodies is told as left out."""
        direct: dict[str, tuple[Coupling, Element]] = {}
        for section in self.root.all("equality"):
            for k, e in enumerate(section.children):
                if e.word("active", YES, "true") == "false":
                    continue
                if e.tag != "joint":
                    ends = " and ".join(shown(v) for n, v in e.attributes.items() if n[:-1] in ("body", "site", "tendon"))
                    self.notes.warnings[f"equality {k + 1} <{shown(e.tag)}> {ends}".rstrip()] = (
                        "closes a loop, which is left open: the model is a tree"
                    )
                    self.notes.lines[f"equality {k + 1} <{shown(e.tag)}> {ends}".rstrip()] = e.line
                    continue
                follower, coupling = self._coupling(e)
                if coupling is None:
                    continue
                if follower in direct:
                    e.fail(f"joint {shown(follower)!r} follows twice; the first is in line {direct[follower][1].line}")
                direct[follower] = coupling, e
        if self.mimic == "free":
            self.notes.mimic = {name: coupling.leader for name, (coupling, _) in direct.items()}
            return {}
        return {name: self._resolved(name, direct) for name in direct}

    def _coupling(self, e: Element) -> tuple[str, Coupling | None]:
        """y − y₀ = a₀ + a₁ (x − x₀) + …, with the coordinates x₀, y₀ that the joints have at rest."""
        follower = e.text("joint1")
        for key in ("joint1", "joint2"):
            if key in e.attributes and e.attributes[key] not in self.joints:
                e.fail(f"{key}: " + unknown("joint", e.attributes[key], self.joints))
        coefficients = [*e.numbers("polycoef", 1, 5), 0.0, 0.0, 0.0, 0.0] if "polycoef" in e.attributes else [0.0, 1.0]
        a0, a1, *bent = coefficients
        leader = e.attributes.get("joint2", "")
        if not leader or (a1 == 0 and not any(bent)) or any(bent):
            what = "bends" if any(bent) else "holds"
            if self.mimic == "coupled":
                e.fail(f"this equality {what} joint {shown(follower)!r}; only a linear relation of two joints is coupled")
            self.notes.warnings[element("joint", follower, "equality")] = f"an equality that {what} it is left out"
            return follower, None
        return follower, Coupling(leader, a1, a0 - a1 * self._ref(leader))

    def _ref(self, name: str) -> float:
        e = self.joints[name]
        around = next((up for up in _above(e) if "childclass" in up.attributes), None)
        full = self.classes.full(e, around.attributes["childclass"] if around else MAIN)
        ref = full.number("ref", 0.0)
        return self.settings.angle(ref) if full.attributes.get("type", "hinge") == "hinge" else ref

    def _resolved(self, name: str, direct: dict[str, tuple[Coupling, Element]]) -> Coupling:
        """The free joint at the end of a chain of followers."""
        (leader, factor, shift), e = direct[name]
        seen = {name}
        while leader in direct:
            if leader in seen:
                e.fail(f"joints follow each other in a cycle: {', '.join(sorted(seen)[:12])}")
            seen.add(leader)
            (inner, multiplier, offset), _ = direct[leader]
            # the leader's own value is counted from its rest, the coupling from its coordinate
            shift += factor * (self._ref(leader) + offset)
            leader, factor = inner, factor * multiplier
        return Coupling(leader, factor, shift)


VIA = 'or load with via="mujoco", which lets MuJoCo rewrite the file'


def _above(e: Element) -> Iterator[Element]:
    while e.parent is not None:
        e = e.parent
        yield e


def _friction(e: Element) -> Friction | None:
    for key in ("damping", "frictionloss"):
        values = e.numbers(key, 1, 3) if key in e.attributes else [0.0]
        if min(values) < 0:
            e.fail(f'{key}="{shown(e.attributes[key])}" is negative: it would drive the joint')
        if any(values[1:]):
            e.fail(f'{key}="{shown(e.attributes[key])}": only the first number, linear damping, is read, {VIA}')
    damping, coulomb = (e.numbers(key, 1, 3)[0] if key in e.attributes else 0.0 for key in ("damping", "frictionloss"))
    terms: list[Friction] = [Viscous(damping)] * (damping > 0) + [Coulomb(coulomb)] * (coulomb > 0)
    return terms[0] + terms[1] if len(terms) == 2 else (terms[0] if terms else None)
