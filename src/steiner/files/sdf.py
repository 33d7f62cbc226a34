"""SDF files to robots: one model, its links, joints, frames and shapes.  Every message names file, line and element.

What SDF says by default is taken at its word and told: a link without <inertial> weighs 1 kg.  What has no place in a
robot on the ground (free links, ball joints, nested models, includes) is refused by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steiner.errors import FormatError, SteinerError, is_one_of, unknown
from steiner.files.reading import Coupling, Notes, followed
from steiner.files.sdf_frames import MODEL, WORLD, Frame, Frames, pose_of
from steiner.files.sdf_joints import end_of, limits_of, number_of, pitch_of, rotor_of
from steiner.files.sdf_shapes import shapes
from steiner.files.xml import Element, parse, shown
from steiner.inertia import MassProperties
from steiner.model.friction import Coulomb, Friction, Viscous
from steiner.model.joint_types import JOINTS
from steiner.model.joints import Joint
from steiner.model.link import Link
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source, element
from steiner.spatial import IDENTITY, Pose

# SDF's name of a type -> ours; a type whose class is not in JOINTS is refused by name
TYPES = {
    "revolute": "revolute", "continuous": "continuous", "prismatic": "prismatic", "screw": "helical", "fixed": "fixed",
    "universal": "composite", "revolute2": "composite",
}  # fmt: skip
REFUSED = {"ball": "a quaternion", "gearbox": "a third link"}
AXES = {"composite": {"rx": "axis", "ry": "axis2"}}  # of joints in a row: coordinate -> its element
MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # by default, says the standard
OLDEST_JOINT_AXES = (1, 5)  # before SDF 1.5 axes were along the model frame


def read(text: str | bytes, notes: Notes, *, mimic: str = "free", snap: bool = True) -> Robot:
    """The robot of an SDF document."""
    if not is_one_of(mimic, ("free", "coupled")):
        raise FormatError(f"mimic={mimic!r}: expected 'free' (own coordinates) or 'coupled' (they follow)")
    root = parse(text, notes.file)
    if root.tag != "sdf":
        root.fail(f"the document is <{shown(root.tag)}>; expected <sdf>, the root of an SDF file")
    model, gravity = _model(root)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is judged afterwards
        return _Reader(notes, mimic, snap, _version(root)).robot(model, gravity)


def _version(root: Element) -> tuple[int, int]:
    try:
        major, minor = root.text("version").strip().split(".")
        return int(major), int(minor)
    except ValueError:
        root.fail(f'version="{shown(root.text("version"))}": expected one such as 1.10')


def _model(root: Element) -> tuple[Element, tuple[float, ...]]:
    """The one model of the document, and gravity where it stands."""
    for place in (root, *root.all("world")):
        for include in place.all("include"):
            _refuse_include(include)
    worlds = list(root.all("world"))
    models = [model for place in (root, *worlds) for model in place.all("model")]
    if len(models) != 1:
        names = ", ".join(repr(model.attributes.get("name", "")) for model in models[:8])
        found = f"{len(models)} models: {names}" if models else "no <model>"
        (models[1] if models else root).fail(f"{found}; expected one, the robot: keep it in a file of its own")
    world = models[0].parent
    assert world is not None
    stated = world.one("gravity") if world.tag == "world" else None
    return models[0], tuple(stated.inner_numbers(3)) if stated is not None else EARTH


def _refuse_include(include: Element) -> None:
    uri = include.one("uri")
    named = f" of {shown(uri.content.strip())!r}" if uri is not None else ""
    include.fail(f"an <include>{named} is not followed; put all into one file first: gz sdf -p FILE > whole.sdf")


@dataclass
class _Reader:
    """Elements to links; carries how the file is read and what there is to note."""

    notes: Notes
    mimic: str
    snap: bool
    version: tuple[int, int]
    couplings: dict[str, Coupling] = field(default_factory=dict)

    def robot(self, model: Element, gravity: tuple[float, ...]) -> Robot:
        """The robot of a model."""
        for inner in model.all("model"):
            inner.fail("a model inside a model is not read; move its links and joints into the outer one")
        for include in model.all("include"):
            _refuse_include(include)
        links = {one.text("name"): one for one in model.all("link")}
        if not links:
            model.fail("no <link> in this model; expected at least one")
        joints = {one.text("name"): one for one in model.all("joint")}
        frames = self.frames(model, links)
        above = self.tree(model, frames, links, joints)
        leaders = self.leaders(joints)
        self.couplings = leaders if self.mimic == "coupled" else {}
        if self.mimic == "free":
            self.notes.mimic = {name: coupling.follows for name, coupling in leaders.items()}
        base = self.stand(model, frames)
        fixed = (stated := model.one("static")) is not None and stated.inner_truth()
        built = []
        for name in self.ordered(links, joints, frames, above):
            joint = above.get(name)
            if joint is not None and fixed and joint.text("type") != "fixed":
                joint.fail("the model is static, so nothing moves; make this joint fixed, or the model not static")
            built.append(self.link(links[name], joint, frames, base))
        return Robot(model.text("name"), tuple(built), np.array(gravity))

    # ---- frames and tree -------------------------------------------------------------------------

    def frames(self, model: Element, links: dict[str, Element]) -> Frames:
        """All frames of the model, each with its pose."""
        frames = Frames(model)
        canonical = model.attributes.get("canonical_link") or next(iter(links))
        if canonical not in links:
            model.fail("canonical_link: " + unknown("link", canonical, links))
        frames.on_link[MODEL] = canonical
        for one in model.children:
            if one.tag not in ("link", "joint", "frame"):
                continue
            name = one.text("name")
            self.notes.lines[element(one.tag, name)] = one.line
            if one.tag == "frame" and self.version < (1, 7):
                one.fail("frames have a meaning since SDF 1.7; raise the version of the file, or delete them")
            pose, relative = pose_of(one, element(one.tag, name, "pose"), self.notes, self.snap)
            if one.tag == "link":
                usual, attached = MODEL, name
            elif one.tag == "joint":
                usual = attached = end_of(one, "child")
            else:
                usual = attached = one.attributes.get("attached_to") or MODEL
            frames.add(name, Frame(relative or usual, pose, attached, one))
        frames.settle()
        return frames

    def stand(self, model: Element, frames: Frames) -> Pose:
        """Pose of the model frame in the world."""
        pose, relative = pose_of(model, element("model", model.text("name"), "pose"), self.notes, self.snap)
        if relative not in ("", WORLD):
            model.fail(f"its pose is relative to {shown(relative)!r}; frames outside of the model are not read")
        placed = model.attributes.get("placement_frame") or MODEL
        if frames.need(placed, model) == MODEL:
            return pose
        return pose @ frames.pose(placed, MODEL).inverse()

    def tree(
        self, model: Element, frames: Frames, links: dict[str, Element], joints: dict[str, Element]
    ) -> dict[str, Element]:
        """The joint above each link that has one; all links hang from the ground."""
        above: dict[str, Element] = {}
        parents: dict[str, str] = {}
        for joint in joints.values():
            child = joint.need("child", "a joint needs <child>link</child>")
            if end_of(joint, "child") == WORLD:
                child.fail("the world is no child; exchange parent and child")
            parent = joint.need("parent", "a joint needs <parent>link</parent>")
            link = frames.link_of(child.inner_text(), child)
            if link in above:
                other = above[link]
                joint.fail(
                    f"link {link!r} already hangs from joint {other.text('name')!r} (line {other.line}); "
                    "closed loops are not a tree: cut the loop", "cycle",
                )
            above[link] = joint
            if parent.inner_text() != WORLD:
                parents[link] = frames.link_of(parent.inner_text(), parent)
        self.check_roots(model, links, above)
        grounded: set[str] = set()
        for name in links:
            chain: dict[str, None] = {}
            while name not in grounded:
                if name in chain:
                    above[name].fail(f"the links form a cycle: {' ← '.join(map(repr, list(chain)[:12]))}", "cycle")
                chain[name] = None
                if name not in parents:
                    break
                name = parents[name]
            grounded |= chain.keys()
        return above

    def check_roots(self, model: Element, links: dict[str, Element], above: dict[str, Element]) -> None:
        """One link without a joint stands on the ground, and that is told; more of them would fly about."""
        free = [name for name in links if name not in above]
        if not free or ((stated := model.one("static")) is not None and stated.inner_truth()):
            return
        standing = any(end_of(joint, "parent") == WORLD for joint in above.values())
        if len(free) > 1 or standing:
            named = ", ".join(f"{name!r} (line {links[name].line})" for name in free[:8])
            links[free[-1]].fail(
                f"{len(free)} links have no joint above them{' beside what is joined to the world' * standing}: "
                f"{named}; a free link is not supported: join it to its parent, or to the world by a fixed joint",
                "several-roots",
            )
        self.notes.warnings[element("link", free[0])] = (
            "no joint holds it; SDF lets such a link fly, here it stands on the ground as if fixed to the world"
        )

    def ordered(
        self, links: dict[str, Element], joints: dict[str, Element], frames: Frames, above: dict[str, Element]
    ) -> list[str]:
        """Roots, then links in the order of their joints in the file."""
        roots = [name for name in links if name not in above]
        return [*roots, *(frames.link_of(end_of(joint, "child"), joint) for joint in joints.values())]

    # ---- one link and its joint ------------------------------------------------------------------

    def link(self, link: Element, joint: Element | None, frames: Frames, base: Pose) -> Link:
        """A link, how it hangs on its parent, its body and looks."""
        name = link.text("name")
        body = self.body(link)
        looks = shapes(link, frames, self.notes, self.snap)
        source = Source(self.notes.file, "sdf")
        if joint is None:
            return Link(name, None, mount=base @ frames.pose(name, MODEL), body=body, shapes=looks, source=source)
        at = joint.text("name")
        above = end_of(joint, "parent")
        parent = None if above == WORLD else frames.link_of(above, joint)
        mount = base @ frames.pose(at, MODEL) if parent is None else frames.pose(at, parent)
        origin = frames.pose(name, at)
        return Link(name, parent, self.joint(joint, frames), mount, body, origin, shapes=looks, source=source)

    def body(self, link: Element) -> MassProperties:
        """Mass properties in the link's frame; what is not stated is what the standard says."""
        name = link.text("name")
        inertial = link.one("inertial")
        missing = [] if inertial is not None else ["<inertial>"]
        mass, moments, pose = 1.0, dict(MOMENTS), IDENTITY
        if inertial is not None:
            if inertial.attributes.get("auto", "false").strip().lower() in ("true", "1"):
                inertial.fail('auto="true": inertias from collision shapes are not computed; state mass and inertia')
            for child in inertial.children:
                self.notes.lines[element("link", name, child.tag)] = child.line
            pose, relative = pose_of(inertial, element("link", name, "pose"), self.notes, self.snap)
            if relative not in ("", name):
                inertial.fail(f"its pose is relative to {shown(relative)!r}; an inertial frame is given in its link")
            if inertial.one("fluid_added_mass") is not None:
                inertial.fail("<fluid_added_mass> is not read: robots here move in air; delete it")
            mass, moments, missing = self.stated(inertial)
        if missing:
            self.notes.warnings[element("link", name, "inertial")] = (
                f"{', '.join(missing)} is not stated; SDF then says 1 kg and 1 kg m², as is done here: state it"
            )
        xx, xy, xz, yy, yz, zz = moments.values()
        body = MassProperties.trusted(mass, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        return body if pose is IDENTITY else body.moved(pose)

    @staticmethod
    def stated(inertial: Element) -> tuple[float, dict[str, float], list[str]]:
        """Mass and moments of an element, and what it leaves to the standard."""
        mass, moments = 1.0, dict(MOMENTS)
        missing = [f"<{tag}>" for tag in ("mass", "inertia") if inertial.one(tag) is None]
        if (weight := inertial.one("mass")) is not None:
            (mass,) = weight.inner_numbers(1)
            if mass < 0:
                weight.fail(f"mass {mass!r} kg is negative", "negative-mass")
        if (tensor := inertial.one("inertia")) is not None:
            for key in MOMENTS:
                if (entry := tensor.one(key)) is not None:
                    (moments[key],) = entry.inner_numbers(1)
                elif MOMENTS[key]:
                    missing.append(f"<{key}>")
        return mass, moments, missing

    def joint(self, joint: Element, frames: Frames) -> Joint:
        """A joint with its axis in its own frame."""
        name, kind = joint.text("name"), joint.text("type").strip()
        able = [known for known, ours in TYPES.items() if ours in JOINTS]
        if kind in REFUSED or (kind in TYPES and kind not in able):
            why = REFUSED.get(kind, "two axes")
            joint.fail(f"type {kind!r} ({why}) is not supported; supported: {', '.join(able)}")
        if kind not in TYPES:
            joint.fail(unknown("type of joint", kind, able))
        if kind == "fixed":
            return JOINTS["fixed"](name=name)
        if TYPES[kind] in AXES:
            return self.row(joint, TYPES[kind], frames)
        axis = joint.need("axis", "a joint that moves needs <axis><xyz>0 0 1</xyz></axis>")
        given: dict[str, Any] = {"name": name, "axis": self.axis(joint, axis, frames), **self.passive(axis)}
        if kind == "screw":
            given["pitch"] = pitch_of(joint)
        given["armature"] = rotor_of(joint)
        if name in self.couplings:
            given |= vars(self.couplings[name])
        try:
            made = JOINTS[TYPES[kind]](**given)
        except SteinerError as error:
            joint.fail(str(error), error.rule)
        return made.with_numbers(limits=limits_of(axis, kind))  # as they stand: rules judge them

    def row(self, joint: Element, kind: str, frames: Frames) -> Joint:
        """A joint of several axes, each carried by those before: `name.rx`, `name.ry`."""
        name, made = joint.text("name"), []
        for coordinate, tag in AXES[kind].items():
            axis = joint.need(tag, f"this type of joint needs <{tag}>")
            direction, passive = self.axis(joint, axis, frames), self.passive(axis)
            one = JOINTS["revolute"](name=f"{name}.{coordinate}", axis=direction, **passive)
            made.append(one.with_numbers(limits=limits_of(axis, "revolute")))
        return JOINTS[kind](name=name, joints=tuple(made))  # type: ignore[call-arg]

    def axis(self, joint: Element, axis: Element, frames: Frames) -> np.ndarray:
        """Direction of the axis in the joint's frame."""
        name = joint.text("name")
        stated = axis.one("xyz")
        direction = np.array(stated.inner_numbers(3) if stated is not None else (0.0, 0.0, 1.0))
        self.notes.lines[element("joint", name, "axis")] = axis.line
        length = math.hypot(*direction)
        if length == 0:
            axis.fail("axis 0 0 0 has no direction; expected a vector such as 0 0 1", "zero-axis")
        if abs(length - 1) > 1e-6:
            self.notes.normalised[element("joint", name, "axis")] = f"axis of length {length:.6g} made a unit vector"
        within = stated.attributes.get("expressed_in", "") if stated is not None else ""
        old = axis.one("use_parent_model_frame")
        if not within and (old.inner_truth() if old is not None else self.version < OLDEST_JOINT_AXES):
            within = MODEL
        if not within or stated is None:
            return direction
        return frames.pose(frames.need(within, stated), name).R @ direction

    def passive(self, axis: Element) -> dict[str, Any]:
        """Spring, damping and friction."""
        dynamics = axis.one("dynamics")
        if dynamics is None:
            return {}
        damping, dry, stiffness = (number_of(dynamics, tag, 0.0) for tag in ("damping", "friction", "spring_stiffness"))
        for tag, value in (("damping", damping), ("friction", dry), ("spring_stiffness", stiffness)):
            if value < 0:
                dynamics.fail(f"<{tag}> {value!r} is negative: it would drive the joint")
        terms: list[Friction] = [*([Viscous(damping)] if damping else []), *([Coulomb(dry)] if dry else [])]
        friction = terms[0] + terms[1] if len(terms) == 2 else (terms[0] if terms else None)
        rest = number_of(dynamics, "spring_reference", 0.0) if stiffness else 0.0
        return {"friction": friction, "stiffness": stiffness, "rest": rest}

    def leaders(self, joints: dict[str, Element]) -> dict[str, Coupling]:
        """Who follows whom: value = multiplier · (leader − reference) + offset."""
        direct: dict[str, Coupling] = {}
        for name, joint in joints.items():
            axis = joint.one("axis")
            mimic = axis.one("mimic") if axis is not None else None
            if mimic is None or joint.text("type") == "fixed":
                continue
            leader = mimic.text("joint")
            if leader not in joints or joints[leader].text("type") == "fixed":
                moving = [n for n, j in joints.items() if j.text("type") != "fixed"]
                mimic.fail(unknown("moving joint", leader, moving), "missing-link")
            multiplier, reference = number_of(mimic, "multiplier", 1.0), number_of(mimic, "reference", 0.0)
            if multiplier == 0:
                mimic.fail(f"multiplier 0: {name!r} would never move; make it a fixed joint")
            direct[name] = Coupling(leader, multiplier, number_of(mimic, "offset", 0.0) - multiplier * reference)
        return followed(
            direct, lambda name, cycle: joints[name].fail(f"joints mimic each other in a cycle: {cycle}", "mimic-cycle")
        )
