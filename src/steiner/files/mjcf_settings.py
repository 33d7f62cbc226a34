"""How an MJCF file is to be read: what the compiler is told, default classes, orientations.

MuJoCo's own rules: angles are degrees unless `angle="radian"`; attributes come from the element, else from its class,
else from the `childclass` around it, else from the main defaults.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from steiner.errors import unknown
from steiner.files.xml import Element, shown
from steiner.spatial import rotation_x, rotation_y, rotation_z

ORIENTATION = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
YES = {"true": True, "false": False}

# attributes that are read, and those without a meaning for dynamics, by element
READ = {
    "compiler": """angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq inertiafromgeom
                   inertiagrouprange meshdir assetdir settotalmass strippath""",
    "body": "name childclass pos gravcomp mocap quat axisangle euler xyaxes zaxis",
    "frame": "name childclass pos quat axisangle euler xyaxes zaxis",
    "inertial": "pos mass diaginertia fullinertia quat axisangle euler xyaxes zaxis",
    "joint": """name class type pos axis range limited ref armature damping frictionloss stiffness springref
                springdamper actuatorfrcrange actuatorfrclimited""",
    "geom": """name class type pos size fromto mass density group mesh rgba shellinertia contype conaffinity
               quat axisangle euler xyaxes zaxis""",
    "mesh": "name class file scale vertex face inertia refpos refquat",
}
IGNORED = {
    "compiler": """alignfree conflict convexhull discardvisual exactmeshinertia fitaabb fusestatic passthrough
                   savecanonical savecompiled saveinertial texturedir usethread""",
    "body": "user simple sleep fuse",
    "joint": """actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit springyield user
                solref solimp""",
    "geom": """adhesion castshadow condim fitscale fluidcoef fluidshape friction gap hfield margin material priority
               solimp solmix solref surfacevel user""",
    "mesh": "content_type material maxhullvert normal smoothnormal texcoord builtin params",
}
WORDS = {tag: (frozenset(READ[tag].split()), frozenset(IGNORED.get(tag, "").split())) for tag in READ}


def known(element: Element) -> Element:
    """The element, if all its attributes are known."""
    element.only(*WORDS[element.tag])
    return element


@dataclass
class Settings:
    """What `<compiler>` says."""

    degrees: bool = True
    autolimits: bool = True
    from_geom: str = "auto"
    groups: tuple[float, float] = (0, 5)
    sequence: str = "xyz"
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float | None = None
    mesh_folder: str = ""
    strip: bool = False

    @classmethod
    def of(cls, elements: Iterable[Element]) -> Settings:
        """Of all `<compiler>` elements; what comes later counts."""
        self = cls()
        for e in map(known, elements):
            if "coordinate" in e.attributes and e.attributes["coordinate"] != "local":
                e.fail("global coordinates are MuJoCo's past; expected local ones")
            self.degrees = e.word("angle", ("degree", "radian"), "degree" if self.degrees else "radian") == "degree"
            self.autolimits = YES[e.word("autolimits", YES, str(self.autolimits).lower())]
            self.balance = YES[e.word("balanceinertia", YES, str(self.balance).lower())]
            self.strip = YES[e.word("strippath", YES, str(self.strip).lower())]
            self.from_geom = e.word("inertiafromgeom", ("auto", "true", "false"), self.from_geom)
            self.least_mass = e.number("boundmass", self.least_mass)
            self.least_inertia = e.number("boundinertia", self.least_inertia)
            if "settotalmass" in e.attributes:
                total = e.number("settotalmass")
                self.total_mass = total if total > 0 else None
            if "inertiagrouprange" in e.attributes:
                first, last = e.numbers("inertiagrouprange", 2)
                self.groups = (first, last)
            self.sequence = e.attributes.get("eulerseq", self.sequence)
            if len(self.sequence) != 3 or self.sequence.lower().strip("xyz"):
                e.fail(f'eulerseq="{shown(self.sequence)}"; expected three of x, y, z (moving) or X, Y, Z (fixed axes)')
            self.mesh_folder = e.attributes.get("meshdir", e.attributes.get("assetdir", self.mesh_folder))
        return self

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.degrees else value

    def rotation(self, e: Element) -> np.ndarray:
        """The orientation that an element states, in one of five ways; none is the identity."""
        given = [name for name in ORIENTATION if name in e.attributes]
        if len(given) > 1:
            e.fail(f"two orientations, {given[0]} and {given[1]} (one may be its class's); expected one")
        if not given:
            return np.eye(3)
        way = given[0]
        if way == "euler":
            R = np.eye(3)
            for letter, angle in zip(self.sequence, e.numbers("euler", 3), strict=True):
                turn = TURNS[letter.lower()](self.angle(angle))
                R = R @ turn if letter.islower() else turn @ R
            return R
        values = np.array(e.numbers(way, {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3}[way]))
        if way == "quat":
            return quaternion_rotation(_unit(e, way, values))
        if way == "axisangle":
            half = self.angle(values[3]) / 2
            return quaternion_rotation(np.array([math.cos(half), *(math.sin(half) * _unit(e, way, values[:3]))]))
        if way == "zaxis":
            return _onto(_unit(e, way, values))
        x = _unit(e, way, values[:3])
        y = _unit(e, way, values[3:] - x * (x @ values[3:]))
        return np.column_stack([x, y, np.cross(x, y)])


def _unit(e: Element, name: str, v: np.ndarray) -> np.ndarray:
    largest = np.abs(v).max()
    if not largest > 0:
        e.fail(f'{name}="{shown(e.attributes[name])}" has no direction')
    v = v / largest
    return v / math.sqrt(v @ v)


def quaternion_rotation(quat: np.ndarray) -> np.ndarray:
    """The rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _onto(z: np.ndarray) -> np.ndarray:
    """The smallest turn that brings the z axis to a direction; about x where all are as small."""
    s = math.hypot(z[0], z[1])
    axis = np.array([-z[1], z[0], 0.0]) / s if s > 0 else np.array([1.0, 0.0, 0.0])
    half = math.atan2(s, z[2]) / 2
    return quaternion_rotation(np.array([math.cos(half), *(math.sin(half) * axis)]))


# ---- default classes -------------------------------------------------------------------------------


MAIN = "main"
PARTIAL = ("size", "damping", "stiffness")  # MuJoCo fills up what an element states of them from its class
CLASSED = ("joint", "geom", "mesh")  # elements whose defaults matter


@dataclass
class Classes:
    """Default attributes by class and element, each class with those of the classes around it."""

    attributes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    @classmethod
    def of(cls, sections: Iterable[Element]) -> Classes:
        """Of all `<default>` sections of a file."""
        self = cls()
        for section in sections:
            self._read(section, MAIN)
        return self

    def _read(self, section: Element, around: str) -> None:
        section.only(("class",), ("group",))
        top = section.parent is not None and section.parent.tag == "mujoco"
        name = section.attributes.get("class", MAIN if top else "")
        if not name:
            section.fail("a default class inside another needs a name: class=")
        if not top and name in self.attributes:
            section.fail(f"a second default class named {name!r}; rename one", "duplicate-name")
        if top and name != MAIN:
            self.attributes[name] = self.attributes[MAIN]  # the main class by its own name
        own = self.attributes.setdefault(name, {}) if top else dict(self.attributes[around])
        self.attributes[name] = own
        for child in section.children:
            if child.tag in CLASSED:
                stray = {"name", "class"} & child.attributes.keys()
                if stray:
                    child.fail(f"{stray.pop()} has no meaning in a default class")
                own[child.tag] = _over(own.get(child.tag, {}), known(child).attributes)
            elif "armature" in child.attributes:
                child.fail(f"the armature of <{shown(child.tag)}> is not read; give it to the joint")
        for child in section.all("default"):
            self._read(child, name)

    def of_class(self, e: Element, name: str) -> dict[str, dict[str, str]]:
        """The attributes of a class, which an element asks for."""
        if name not in self.attributes:
            e.fail(unknown("default", name, self.attributes))
        return self.attributes[name]

    def full(self, e: Element, around: str) -> Element:
        """An element with the attributes that its class, or the one around it, gives it."""
        given = self.of_class(e, e.attributes.get("class", around)).get(e.tag, {})
        return Element(e.tag, _over(given, known(e).attributes), e.file, e.line, e.parent, e.children)


def _over(given: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Attributes over those of a class; of sizes that are fewer than the class's, the rest stay."""
    merged = {**given, **own}
    for name in PARTIAL:
        if name in given and name in own:
            words = own[name].split()
            merged[name] = " ".join([*words, *given[name].split()[len(words) :]])
    return merged
