"""MJCF files, the models of MuJoCo, to robots.  Every message names the file, the line and the element.

Read are bodies, frames, joints (hinges and slides, several on one body), what bodies weigh, default classes, includes
and couplings of joints; cameras, sensors and contacts do not matter to dynamics.  What would matter and is not
modelled (tendons, closed loops) is told as left out; what has no clear meaning here is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steiner.errors import FormatError, SteinerError, is_one_of
from steiner.files.mjcf_bodies import Geom, Geoms, body_of, placed
from steiner.files.mjcf_couplings import couplings
from steiner.files.mjcf_include import include
from steiner.files.mjcf_settings import MAIN, YES, Classes, Settings, known
from steiner.files.mjcf_springs import Passive, damped, passive, switched_off, tell_tendons
from steiner.files.reading import UNLIMITED, Notes, exact_angles
from steiner.files.xml import Element, parse, shown
from steiner.inertia import MassProperties
from steiner.model.joint_types import Composite
from steiner.model.joints import Joint, JointLimits, Prismatic, Revolute
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
    include(root, folder, len(text))
    if via is not None:
        from steiner.files.mjcf_via import rewritten

        root = rewritten(root, text, notes, folder, via)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is judged afterwards
        return _Reader(root, notes, folder, mimic, snap).robot()


# ---- the tree --------------------------------------------------------------------------------------


class Placed(NamedTuple):
    """An element of a body, in which frame it stands and which default class is around it."""

    element: Element
    frame: Pose
    around: str


class _Reader:
    """Elements to links; carries how the file is read and what there is to note."""

    def __init__(self, root: Element, notes: Notes, folder: Path | None, mimic: str, snap: bool) -> None:
        self.root, self.notes, self.snap = root, notes, snap
        for section in root.children:
            if section.tag not in (*SECTIONS, *SILENT, *DRIVES):
                section.fail(f"<{shown(section.tag)}> is not read; {', '.join(SECTIONS)} are, {VIA}")
        self.settings = Settings.of(root.all("compiler"))
        self.classes = Classes.of(root.all("default"))
        self.geoms = Geoms(self.settings, self.classes, folder)
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                self.geoms.add(mesh)
        self.bodies: dict[str, Element] = {}
        self.joints: dict[str, Element] = {}
        self._take_names()
        self._drives()
        tell_tendons(root, notes)
        self.off = switched_off(root)
        self.dampers: dict[str, tuple[Element, Passive]] = {}
        self.couplings = couplings(root.all("equality"), self.joints, self._ref, notes, mimic)
        self.links: list[Link] = []

    def robot(self) -> Robot:
        """All of it."""
        root = self.root
        for world in root.all("worldbody"):
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
            root.fail(str(error), error.rule)
        return damped(self._weighed(robot), self.dampers, self.off)

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

    def _take_names(self) -> None:
        """Every body and joint has a name of its own; what has none in the file gets one."""
        taken = {"body": self.bodies, "joint": self.joints}
        nameless: list[Element] = []
        for world in self.root.all("worldbody"):
            for e in world.below():
                if e.tag in taken and not e.attributes.get("name"):
                    nameless.append(e)
                elif e.tag in taken:
                    name = e.attributes["name"]
                    if name in taken[e.tag]:
                        first = f"the first is in line {taken[e.tag][name].line}"
                        e.fail(f"a second {e.tag} named {shown(name)!r}; {first}", "duplicate-name")
                    taken[e.tag][name] = e
        count = {"body": 0, "joint": 0}
        for e in nameless:
            while (name := f"{e.tag}{count[e.tag] + 1}") in taken[e.tag]:
                count[e.tag] += 1
            e.attributes["name"] = name
            taken[e.tag][name] = e
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
            weight, looks = (body, shapes) if last else (MassProperties.zero(), ())
            self.links.append(Link(own, parent, made, seat, weight, back, shapes=looks, source=source))
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
            wrong = f'axis="{shown(e.attributes["axis"])}" has no direction; expected a vector such as "0 0 1"'
            e.fail(wrong, "zero-axis")
        length = math.hypot(*axis)
        if abs(length - 1) > 1e-6:
            self.notes.normalised[element("joint", name, "axis")] = f"axis of length {length:.6g} made a unit vector"
        unit = self.settings.angle if kind == "hinge" else float
        ref = unit(e.number("ref", 0.0))
        follows, multiplier, offset = self.couplings.get(name, (None, 1.0, -ref))
        armature = e.number("armature", 0.0)
        if armature < 0:
            e.fail(f"armature {armature!r} is negative; it is the reflected rotor inertia G²J")
        own = passive(e, self.off)
        if own.damper is not None:
            self.dampers[name] = e, own
        rest = unit(e.number("springref", 0.0)) - ref if own.stiffness or own.damper else 0.0
        try:
            made = (Revolute if kind == "hinge" else Prismatic)(
                name=name, axis=place.frame.R @ axis, armature=armature, stiffness=own.stiffness, rest=rest,
                friction=own.friction, follows=follows, multiplier=multiplier, offset=offset,
            )  # fmt: skip
        except SteinerError as error:
            e.fail(str(error), error.rule)
        at = place.frame.apply(e.point("pos"))
        return made.with_numbers(limits=self._limits(e, unit)), at

    def _ref(self, name: str) -> float:
        """The coordinate of a joint where the file has it."""
        e = up = self.joints[name]
        while up.parent is not None and "childclass" not in up.attributes:
            up = up.parent
        full = self.classes.full(e, up.attributes.get("childclass", MAIN))
        ref = full.number("ref", 0.0)
        return self.settings.angle(ref) if full.attributes.get("type", "hinge") == "hinge" else ref

    def _limits(self, e: Element, unit: Callable[[float], float]) -> JointLimits | None:
        stated = self._range(e, "range", "limited") or (-UNLIMITED, UNLIMITED)
        lower, upper = (None if abs(x) >= UNLIMITED else unit(x) for x in stated)
        force = self._range(e, "actuatorfrcrange", "actuatorfrclimited")
        effort = min(abs(force[0]), abs(force[1])) if force else None
        return None if lower is upper is effort is None else JointLimits(lower, upper, None, effort)

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


VIA = 'or load with via="mujoco", which lets MuJoCo rewrite the file'
