"""The text of a URDF file edited by positions: numbers of one element change, every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from steiner.checks.guesses import SLOTS, from_slots, slots
from steiner.errors import FormatError, unknown
from steiner.files.xml import Element, parse
from steiner.inertia import MassProperties
from steiner.spatial import Pose

_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=/>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REST = re.compile(rb"\s*(/?)>")


class Inertial(NamedTuple):
    """What an <inertial> element says: the tensor is about its origin, in its axes."""

    mass: float
    xyz: tuple[float, ...]
    rpy: tuple[float, ...]
    tensor: np.ndarray

    @property
    def pose(self) -> Pose:
        """Of the centre of mass in the link."""
        return Pose.from_rpy(self.xyz, self.rpy)

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
class UrdfText:
    """A URDF file as bytes, its links, and edits to come."""

    file: str
    data: bytes
    links: dict[str, Element] = field(init=False)

    def __post_init__(self) -> None:
        root = parse(self.data, self.file)
        if root.tag != "robot":
            root.fail("expected <robot>: only URDF files are mended")
        self.links = {one.text("name"): one for one in root.all("link")}
        if self.data[root.offset : root.offset + 1] != b"<":
            raise FormatError(f"{self.file}: not in UTF-8 or ASCII; save it as UTF-8 first")

    def link(self, name: str) -> Element:
        """The element of a link."""
        if name not in self.links:
            raise FormatError(f"{self.file}: {unknown('link', name, self.links)}")
        return self.links[name]

    def inertial(self, name: str) -> Inertial | None:
        """What the file says about a link's mass."""
        element = self.link(name).one("inertial")
        if element is None:
            return None
        origin, zero = element.one("origin"), (0.0, 0.0, 0.0)
        xyz, rpy = (tuple(origin.vector(k, zero)) if origin else zero for k in ("xyz", "rpy"))
        tensor = element.need("inertia", "expected the tensor in kg m²")
        mass = element.need("mass", "expected it in kg").number("value")
        return Inertial(mass, xyz, rpy, from_slots([tensor.number(k) for k in SLOTS]))

    def with_inertial(self, name: str, new: Inertial) -> UrdfText:
        """The text in which a link's <inertial> says this."""
        edits = list(self._edits(name, new))
        data = self.data
        for start, end, text in sorted(edits, reverse=True):
            data = data[:start] + text + data[end:]
        return UrdfText(self.file, data)

    def _edits(self, name: str, new: Inertial) -> Iterable[Edit]:
        link = self.link(name)
        element, old = link.one("inertial"), self.inertial(name)
        if element is None or old is None:
            yield self._inserted(link, _block(new, self._indent(link) + b"  "))
            return
        numbers = zip(SLOTS, slots(old.tensor), slots(new.tensor), strict=True)
        changed = [("inertia", k, b) for k, a, b in numbers if a != b]
        changed += [("mass", "value", new.mass)] if new.mass != old.mass else []
        for tag, key, value in changed:
            yield self._attribute(element.need(tag, ""), key, _number(value))
        origin = element.one("origin")
        for key in ("xyz", "rpy"):
            if getattr(new, key) != getattr(old, key) and origin is not None:
                yield self._attribute(origin, key, _vector(getattr(new, key)))
        if origin is None and (new.xyz, new.rpy) != (old.xyz, old.rpy):
            indent = self._indent(element.children[0])
            yield self._inserted(element, b"\n" + indent + _origin(new))

    def _attribute(self, element: Element, key: str, value: bytes) -> Edit:
        """An attribute's value; a new attribute goes behind the others."""
        at = self._behind_name(element)
        while (found := _ATTRIBUTE.match(self.data, at)) is not None:
            if found[1] == key.encode():
                group = 2 if found[2] is not None else 3
                return Edit(found.start(group), found.end(group), value)
            at = found.end()
        return Edit(at, at, b" %s=\"%s\"" % (key.encode(), value))

    def _inserted(self, element: Element, text: bytes) -> Edit:
        """Text right behind an element's start tag; an empty element is opened."""
        at = self._behind_name(element)
        while (found := _ATTRIBUTE.match(self.data, at)) is not None:
            at = found.end()
        rest = _REST.match(self.data, at)
        assert rest is not None  # it was parsed
        if not rest[1]:
            return Edit(rest.end(), rest.end(), text)
        return Edit(at, rest.end(), b">" + text + b"\n" + self._indent(element) + b"</%s>" % element.tag.encode())

    def _behind_name(self, element: Element) -> int:
        found = _TAG.match(self.data, element.offset)
        assert found is not None  # it was parsed
        return found.end()

    def _indent(self, element: Element) -> bytes:
        """The blanks before an element on its line."""
        before = self.data[: element.offset].rpartition(b"\n")[2]
        return before[: len(before) - len(before.lstrip())]


def _block(new: Inertial, indent: bytes) -> bytes:
    tensor = b" ".join(b'%s="%s"' % (k.encode(), _number(x)) for k, x in zip(SLOTS, slots(new.tensor), strict=True))
    inside = (_origin(new), b'<mass value="%s"/>' % _number(new.mass), b"<inertia %s/>" % tensor)
    lines = [indent + b"<inertial>", *(indent + b"  " + line for line in inside), indent + b"</inertial>"]
    return b"".join(b"\n" + line for line in lines)


def _origin(new: Inertial) -> bytes:
    return b'<origin xyz="%s" rpy="%s"/>' % (_vector(new.xyz), _vector(new.rpy))


def _vector(values: Iterable[float]) -> bytes:
    return b" ".join(map(_number, values))


def _number(value: float) -> bytes:
    """The shortest decimals that read back to the same number."""
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0").encode()
