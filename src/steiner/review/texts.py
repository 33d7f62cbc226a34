"""Texts of robot files edited by positions: numbers of one element change, every other byte stays.

A format is one class, `XmlText` with what its `<inertial>` looks like, and one line in `TEXTS`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steiner.checks.guesses import SLOTS, from_slots, slots
from steiner.errors import FormatError, unknown
from steiner.files.mjcf_include import include
from steiner.files.mjcf_settings import ORIENTATION, Settings
from steiner.files.reading import Notes
from steiner.files.sdf import MOMENTS
from steiner.files.sdf_frames import pose_of
from steiner.files.xml import Element, parse
from steiner.inertia import MassProperties
from steiner.spatial import Pose

FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # the order of MJCF's fullinertia
_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=/>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REST = re.compile(rb"\s*(/?)>")
_WORD = re.compile(rb"<!--.*?-->|</|[^\s<]+", re.DOTALL)


class Inertial(NamedTuple):
    """What an <inertial> element says: the tensor is about the centre of mass, in axes turned by R."""

    mass: float
    xyz: tuple[float, ...]
    R: np.ndarray
    tensor: np.ndarray

    @classmethod
    def of(cls, body: MassProperties) -> Inertial:
        """A body in the axes of its link."""
        return cls(float(body.mass), tuple(map(float, body.com)), np.eye(3), np.asarray(body.inertia, dtype=float))

    @property
    def central(self) -> MassProperties:
        """The body in the element's own frame, its centre at the origin."""
        return MassProperties.trusted(self.mass, np.zeros(3), self.tensor)


class Edit(NamedTuple):
    """Bytes from start to end become these."""

    start: int
    end: int
    text: bytes


@dataclass
class XmlText(ABC):
    """A robot file as bytes, the elements of its links, and edits to come."""

    file: str
    data: bytes
    links: dict[str, Element] = field(init=False)

    def __post_init__(self) -> None:
        root = parse(self.data, self.file)
        if self.data[root.offset : root.offset + 1] != b"<":
            raise FormatError(f"{self.file}: not in UTF-8 or ASCII; save it as UTF-8 first")
        self.links = self.found(root)

    @abstractmethod
    def found(self, root: Element) -> dict[str, Element]:
        """The links of a file by their names."""

    @abstractmethod
    def inertial(self, name: str) -> Inertial | None:
        """What the file says about a link's mass."""

    @abstractmethod
    def edits(self, name: str, new: Inertial) -> Iterator[Edit]:
        """What changes where a link's <inertial> says this."""

    def link(self, name: str) -> Element:
        """The element of a link."""
        if name not in self.links:
            raise FormatError(f"{self.file}: {unknown('link', name, self.links)}")
        return self.links[name]

    def with_inertial(self, name: str, new: Inertial) -> XmlText:
        """The text in which a link's <inertial> says this."""
        data = self.data
        for start, end, text in sorted(self.edits(name, new), reverse=True):
            data = data[:start] + text + data[end:]
        return type(self)(self.file, data)

    # ---- edits of one element ----------------------------------------------------------------

    def attribute(self, element: Element, key: str, value: bytes, instead_of: str = "") -> Edit:
        """An attribute's value, or one in the place of another; a new attribute goes behind the others."""
        for found in self._attributes(element):
            if found[1] == (instead_of or key).encode():
                group = 2 if found[2] is not None else 3
                if not instead_of:
                    return Edit(found.start(group), found.end(group), value)
                return Edit(found.start(1), found.end(), b'%s="%s"' % (key.encode(), value))
        at = self._behind_attributes(element)
        return Edit(at, at, b' %s="%s"' % (key.encode(), value))

    def without(self, element: Element, key: str) -> Edit:
        """An attribute taken out."""
        found = next(one for one in self._attributes(element) if one[1] == key.encode())
        return Edit(found.start(), found.end(), b"")

    def words(self, element: Element, new: Iterable[bytes], first: int = 0) -> Iterator[Edit]:
        """The words between an element's tags, from the first on; comments between them stay."""
        rest = _REST.match(self.data, self._behind_attributes(element))
        assert rest is not None  # it was parsed
        words = takewhile(lambda found: found[0] != b"</", _WORD.finditer(self.data, rest.end()))
        places = (found.span() for found in words if not found[0].startswith(b"<!--"))
        yield from (Edit(*place, word) for place, word in zip(islice(places, first, None), new, strict=False))

    def inserted(self, element: Element, lines: Iterable[bytes], indent: bytes = b"") -> Edit:
        """Lines right behind an element's start tag; an empty element is opened."""
        outer = self.indent(element)
        text = b"".join(b"\n" + (indent or outer + b"  ") + line for line in lines)
        at = self._behind_attributes(element)
        rest = _REST.match(self.data, at)
        assert rest is not None  # it was parsed
        if not rest[1]:
            return Edit(rest.end(), rest.end(), text)
        return Edit(at, rest.end(), b">" + text + b"\n" + outer + b"</%s>" % element.tag.encode())

    def indent(self, element: Element) -> bytes:
        """The blanks before an element on its line."""
        before = self.data[: element.offset].rpartition(b"\n")[2]
        return before[: len(before) - len(before.lstrip())]

    def _attributes(self, element: Element) -> Iterator[re.Match[bytes]]:
        named = _TAG.match(self.data, element.offset)
        assert named is not None  # it was parsed
        at = named.end()
        while (found := _ATTRIBUTE.match(self.data, at)) is not None:
            yield found
            at = found.end()

    def _behind_attributes(self, element: Element) -> int:
        named = _TAG.match(self.data, element.offset)
        assert named is not None  # it was parsed
        return max((found.end() for found in self._attributes(element)), default=named.end())


class UrdfText(XmlText):
    """<inertial><origin xyz rpy/><mass value/><inertia ixx …/></inertial>."""

    def found(self, root: Element) -> dict[str, Element]:
        """All <link>s."""
        return {one.text("name"): one for one in root.all("link")}

    def inertial(self, name: str) -> Inertial | None:
        """What the file says about a link's mass."""
        element = self.link(name).one("inertial")
        if element is None:
            return None
        origin, zero = element.one("origin"), (0.0, 0.0, 0.0)
        xyz, rpy = (tuple(origin.vector(k, zero)) if origin else zero for k in ("xyz", "rpy"))
        tensor = element.need("inertia", "expected the tensor in kg m²")
        mass = element.need("mass", "expected it in kg").number("value")
        return Inertial(mass, xyz, Pose.from_rpy(xyz, rpy).R, from_slots([tensor.number(k) for k in SLOTS]))

    def edits(self, name: str, new: Inertial) -> Iterator[Edit]:
        """Attributes that change."""
        link = self.link(name)
        element, old = link.one("inertial"), self.inertial(name)
        place = b'<origin xyz="%s" rpy="0 0 0"/>' % vector(new.xyz)
        if element is None or old is None:
            tensor = b" ".join(b'%s="%s"' % (k.encode(), b) for k, b in moments(new).items())
            inside = (place, b'<mass value="%s"/>' % number(new.mass), b"<inertia %s/>" % tensor)
            yield self.inserted(link, [b"<inertial>", *(b"  " + line for line in inside), b"</inertial>"])
            return
        for key, value in changed(old, new).items():
            yield self.attribute(element.need("inertia", ""), key, value)
        if new.mass != old.mass:
            yield self.attribute(element.need("mass", ""), "value", number(new.mass))
        moved, turned = new.xyz != old.xyz, not np.array_equal(new.R, old.R)
        origin = element.one("origin")
        if origin is None and (moved or turned):
            yield self.inserted(element, [place], self.indent(element.children[0]))
            return
        if origin is not None and moved:
            yield self.attribute(origin, "xyz", vector(new.xyz))
        if origin is not None and turned:
            yield self.attribute(origin, "rpy", b"0 0 0")


class SdfText(XmlText):
    """<inertial><pose>x y z r p y</pose><mass>…</mass><inertia><ixx>…</ixx>…</inertia></inertial>."""

    def found(self, root: Element) -> dict[str, Element]:
        """All <link>s of all models."""
        return {one.text("name"): one for one in root.below() if one.tag == "link"}

    def inertial(self, name: str) -> Inertial | None:
        """What the file says about a link's mass; what it leaves out is what the standard says."""
        element = self.link(name).one("inertial")
        if element is None:
            return None
        pose, _ = pose_of(element, "", Notes(self.file), False)
        (mass,) = weight.inner_numbers(1) if (weight := element.one("mass")) is not None else (1.0,)
        stated = dict(MOMENTS)
        if (tensor := element.one("inertia")) is not None:
            stated |= {k: entry.inner_numbers(1)[0] for k in stated if (entry := tensor.one(k)) is not None}
        return Inertial(mass, tuple(map(float, pose.p)), pose.R, from_slots([stated[k] for k in SLOTS]))

    def edits(self, name: str, new: Inertial) -> Iterator[Edit]:
        """Words that change."""
        link = self.link(name)
        element, old = link.one("inertial"), self.inertial(name)
        place = b"<pose>%s 0 0 0</pose>" % vector(new.xyz)
        weight = b"<mass>%s</mass>" % number(new.mass)
        if element is None or old is None:
            inside = (place, weight, *_wrapped("inertia", moments(new)))
            yield self.inserted(link, [b"<inertial>", *(b"  " + line for line in inside), b"</inertial>"])
            return
        pose, mass, tensor = (element.one(tag) for tag in ("pose", "mass", "inertia"))
        absent: list[bytes] = []
        if new.xyz != old.xyz or not np.array_equal(new.R, old.R):
            if pose is None:
                absent.append(place)
            elif not pose.content.strip():
                pose.fail("it is empty; write the six numbers 0 0 0 0 0 0 first")
            else:
                turned = [b"0", b"0", b"0", b"1"][: len(pose.content.split()) - 3]  # angles, or a quaternion
                yield from self.words(pose, map(number, new.xyz))
                if not np.array_equal(new.R, old.R):
                    yield from self.words(pose, turned, 3)
        if new.mass != old.mass:
            if mass is None:
                absent.append(weight)
            else:
                yield from self.words(mass, [number(new.mass)])
        entries = changed(old, new)
        if tensor is None:
            absent += _wrapped("inertia", entries)
        else:
            there = {k: entry for k in entries if (entry := tensor.one(k)) is not None}
            for key, entry in there.items():
                yield from self.words(entry, [entries[key]])
            yield from self._added(tensor, [_entry(k, entries[k]) for k in entries if k not in there])
        yield from self._added(element, absent)

    def _added(self, element: Element, lines: list[bytes]) -> Iterator[Edit]:
        if lines:
            yield self.inserted(element, lines, self.indent(element.children[0]) if element.children else b"")


class MjcfText(XmlText):
    """<inertial pos mass diaginertia|fullinertia quat|…/>: of the body, or there is none and its geoms weigh."""

    def found(self, root: Element) -> dict[str, Element]:
        """The bodies of this file that have a name."""
        include(root, None if self.file.startswith("<") else Path(self.file).parent, len(self.data))
        self.settings = Settings.of(root.all("compiler"))
        bodies = (one for world in root.all("worldbody") for one in world.below() if one.tag == "body")
        return {name: one for one in bodies if (name := one.attributes.get("name"))}

    def link(self, name: str) -> Element:
        """The element of a body, which has a name and stands in this file."""
        if name not in self.links:
            hint = "a body without a name in the file must get one first"
            raise FormatError(f"{self.file}: {unknown('body', name, self.links)}; {hint}")
        element = self.links[name]
        if element.file != self.file:
            element.fail(f"it stands in a file that {self.file} includes; mend it there, or write all into one file")
        return element

    def inertial(self, name: str) -> Inertial | None:
        """What the file says about a body's mass."""
        element = self._stated(self.link(name))
        if element is None:
            return None
        if "fullinertia" in element.attributes:
            tensor = from_slots(_sorted(element.numbers("fullinertia", 6)))
        else:
            tensor = np.diag(element.vector("diaginertia", (0.0, 0.0, 0.0)))
        xyz = tuple(map(float, element.point("pos", None)))
        return Inertial(element.number("mass"), xyz, self.settings.rotation(element), tensor)

    def edits(self, name: str, new: Inertial) -> Iterator[Edit]:
        """Attributes that change."""
        body = self.link(name)
        if self.settings.from_geom == "true":
            body.fail('<compiler inertiafromgeom="true"> ignores every <inertial>; say "auto" there first')
        element, old = self._stated(body), self.inertial(name)
        if element is None or old is None:
            key, value = _tensor(new.tensor)
            place = b'pos="%s" mass="%s"' % (vector(new.xyz), number(new.mass))
            yield self.inserted(body, [b'<inertial %s %s="%s"/>' % (place, key.encode(), value)])
            return
        if new.mass != old.mass:
            yield self.attribute(element, "mass", number(new.mass))
        if new.xyz != old.xyz:
            yield self.attribute(element, "pos", vector(new.xyz))
        if np.array_equal(new.tensor, old.tensor) and np.array_equal(new.R, old.R):
            return
        key, value = _tensor(new.tensor)
        R = new.R
        if key == "fullinertia" and not np.array_equal(R, np.eye(3)):  # it is along the axes of the body
            key, value = _tensor(R @ new.tensor @ R.T)
            R = np.eye(3)
        way = next((one for one in ORIENTATION if one in element.attributes), None)
        if way is not None and not np.array_equal(R, old.R):
            yield self.without(element, way)
        there = next((one for one in ("diaginertia", "fullinertia") if one in element.attributes), key)
        yield self.attribute(element, key, value, there if there != key else "")

    def _stated(self, body: Element) -> Element | None:
        """The <inertial> of a body, which may stand in a frame of it."""
        waiting = [body]
        for owner in waiting:
            if (found := owner.one("inertial")) is not None:
                return found
            waiting += owner.all("frame")
        return None


TEXTS: dict[str, Callable[[str, bytes], XmlText]] = {"robot": UrdfText, "sdf": SdfText, "mujoco": MjcfText}


def text_of(file: str, data: bytes) -> XmlText:
    """The text of a file, by its root element."""
    root = parse(data, file)
    if root.tag not in TEXTS:
        root.fail(f"expected {', '.join(f'<{tag}>' for tag in TEXTS)}: URDF, SDF and MJCF files are mended")
    return TEXTS[root.tag](file, data)


# ---- numbers -----------------------------------------------------------------------------------------


def moments(body: Inertial) -> dict[str, bytes]:
    """The six numbers of a tensor by their names."""
    return {k: number(x) for k, x in zip(SLOTS, slots(body.tensor), strict=True)}


def changed(old: Inertial, new: Inertial) -> dict[str, bytes]:
    """Those of them that are others now."""
    same = {k for k, a, b in zip(SLOTS, slots(old.tensor), slots(new.tensor), strict=True) if a == b}
    return {k: b for k, b in moments(new).items() if k not in same}


def _wrapped(tag: str, entries: dict[str, bytes]) -> list[bytes]:
    """An element of elements, one to a line; nothing if there are none."""
    inside = [b"  " + _entry(k, b) for k, b in entries.items()]
    return [b"<%s>" % tag.encode(), *inside, b"</%s>" % tag.encode()] if inside else []


def _entry(tag: str, text: bytes) -> bytes:
    return b"<%s>%s</%s>" % (tag.encode(), text, tag.encode())


def _sorted(full: list[float]) -> list[float]:
    return [full[FULL.index(k)] for k in SLOTS]


def _tensor(tensor: np.ndarray) -> tuple[str, bytes]:
    """A tensor as MJCF states it."""
    if np.array_equal(tensor, np.diag(np.diag(tensor))):
        return "diaginertia", vector(np.diag(tensor))
    six = dict(zip(SLOTS, slots(tensor), strict=True))
    return "fullinertia", vector(six[k] for k in FULL)


def vector(values: Iterable[float]) -> bytes:
    """Numbers with blanks between them."""
    return b" ".join(map(number, values))


def number(value: float) -> bytes:
    """The shortest decimals that read back to the same number."""
    return repr(float(value) + 0.0).removesuffix(".0").encode()
