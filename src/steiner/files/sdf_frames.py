"""The frames of an SDF model: every link, joint and <frame> is one, given by a pose in another.

A pose without `relative_to` is in the model frame for links, in the child for joints, in what it is attached to for
frames.  Poses between two frames go up to where their ways meet, so that a frame given in another is that pose exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from steiner.errors import SteinerError, unknown
from steiner.files.reading import Notes, doubtful, exact
from steiner.files.xml import Element, shown
from steiner.spatial import IDENTITY, Pose, rotation_rpy

MODEL, WORLD = "__model__", "world"
NEAR = 8  # steps up that a direct way between frames may take; longer ones go through the model frame
FORMATS = {"euler_rpy": 6, "quat_xyzw": 7}
POSE_ATTRIBUTES = ("relative_to", "degrees", "rotation_format")


@dataclass
class Frame:
    """A frame: its pose in another one, and the frame that it moves with (its own name: it is a link)."""

    base: str
    pose: Pose
    attached: str
    element: Element


@dataclass
class Frames:
    """All frames of a model, by name."""

    model: Element
    named: dict[str, Frame] = field(default_factory=dict)
    in_model: dict[str, Pose] = field(default_factory=lambda: {MODEL: IDENTITY})
    on_link: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, frame: Frame) -> None:
        """One more frame; names are shared by links, joints and frames."""
        owner = frame.element
        if name in self.named:
            first = self.named[name].element
            where = f"the first is <{first.tag}> in line {first.line}"
            owner.fail(f"a second frame named {name!r}; {where}. Rename one", "duplicate-name")
        if name == WORLD or "::" in name or (name.startswith("__") and name.endswith("__")):
            owner.fail(f"the name {name!r} is reserved in SDF; rename it")
        self.named[name] = frame

    def need(self, name: str, owner: Element) -> str:
        """A name, if there is such a frame."""
        if name != MODEL and name not in self.named:
            hint = "; frames of nested models are not read" if "::" in name else ""
            owner.fail(unknown("frame", name, [MODEL, *self.named]) + hint, "missing-link")
        return name

    def link_of(self, name: str, owner: Element) -> str:
        """The link that a frame moves with."""
        chain: dict[str, None] = {}
        while name not in self.on_link:
            attached = self.named[self.need(name, owner)].attached
            if attached == name:
                self.on_link[name] = name
                break
            if name in chain:
                owner = self.named[name].element
                owner.fail(f"frames are attached to each other in a cycle: {_listed(chain)}", "cycle")
            chain[name] = None
            name = attached
        link = self.on_link[name]
        self.on_link |= dict.fromkeys(chain, link)
        return link

    def pose(self, name: str, within: str) -> Pose:
        """Pose of a frame in another."""
        ours, theirs = {name: IDENTITY}, {within: IDENTITY}
        low, high = name, within
        for _ in range(NEAR):
            meet = low if low in theirs else high if high in ours else None
            if meet is not None:
                pose, there = ours[meet], theirs[meet]
                return pose if there is IDENTITY else there.inverse() @ pose
            low, high = self._up(low, ours), self._up(high, theirs)
        return self.in_model[within].inverse() @ self.in_model[name]

    def _up(self, name: str, known: dict[str, Pose]) -> str:
        """The frame above, with the pose in it of where the way began."""
        if name == MODEL:
            return name
        frame = self.named[name]
        known[frame.base] = frame.pose @ known[name]
        return frame.base

    def settle(self) -> None:
        """Every frame's pose in the model frame; a frame that hangs in the air is refused."""
        for name in self.named:
            chain: dict[str, None] = {}
            while name not in self.in_model:
                frame = self.named[name]
                if name in chain:
                    frame.element.fail(f"poses are relative to each other in a cycle: {_listed(chain)}", "cycle")
                chain[name] = None
                name = self.need(frame.base, frame.element)
            for each in reversed(chain):
                frame = self.named[each]
                self.in_model[each] = self.in_model[frame.base] @ frame.pose


def _listed(names: dict[str, None]) -> str:
    return ", ".join(repr(name) for name in list(names)[:12]) + (" …" if len(names) > 12 else "")


def pose_of(owner: Element, what: str, notes: Notes, snap: bool) -> tuple[Pose, str]:
    """The pose of an element and what it is relative to ("" if that is not said)."""
    element = owner.one("pose")
    if element is None:
        return IDENTITY, ""
    for stray in element.attributes.keys() - set(POSE_ATTRIBUTES):
        if stray != "frame" or element.attributes[stray]:
            hint = "; since SDF 1.7 it is relative_to" if stray == "frame" else ""
            element.fail(f"attribute {shown(stray)!r} is not read{hint}; expected {', '.join(POSE_ATTRIBUTES)}")
    relative = element.attributes.get("relative_to", "")
    if not element.content.strip():
        return IDENTITY, relative
    form = element.attributes.get("rotation_format", "euler_rpy")
    if form not in FORMATS:
        element.fail(unknown("rotation_format", form, FORMATS))
    degrees = _flag(element, "degrees")
    numbers = element.inner_numbers(FORMATS[form])
    p = element.reached(numbers[:3])
    if form == "quat_xyzw":
        if degrees:
            element.fail("degrees have no meaning for a quaternion; delete one of the attributes")
        try:
            pose = Pose.from_quaternion(p, quat_xyzw=numbers[3:])
        except SteinerError as error:
            element.fail(str(error))
    else:
        rpy = [math.radians(x) if degrees else x for x in numbers[3:]]
        doubtful(rpy, what, notes)
        pose = Pose.trusted(rotation_rpy(rpy), p)
    if pose.is_identity:
        return IDENTITY, relative
    return (exact(pose, what, f"pose {element.content.strip()!r}", notes) if snap else pose), relative


def _flag(element: Element, name: str) -> bool:
    value = element.attributes.get(name, "false").strip().lower()
    if value not in ("true", "false", "1", "0"):
        element.fail(f'{name}="{shown(value)}": expected true or false')
    return value in ("true", "1")
