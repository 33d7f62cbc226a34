"""XML from strangers: read by expat as strictly as by defusedxml, every element with its line, every fault a sentence.

A document type declaration is refused (entity bombs and external files live there), nesting is
bounded, and numbers are plain decimal numbers or an error: never a guess, never NaN.
"""

from __future__ import annotations

import math
import pyexpat as expat  # what xml.parsers.expat is, without its packages
import re
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

import numpy as np

from steiner.errors import FormatError, SteinerError, unknown
from steiner.files.reading import LONGEST, decimal, shown
from steiner.spatial.poses import position

MAX_DEPTH = 200
MOST_CONTENT = 4_000  # characters of text in an element that are looked at
MOST_ELEMENTS = 100_000  # the largest arm descriptions have some thousand
MOST_ATTRIBUTES = 200_000  # each takes 350 bytes before anybody can look at it
LONGEST_ATTRIBUTE = 1_000_000  # characters


class Element:
    """One XML element: its tag, attributes, children and where it starts.

    `content` is the text between its tags, without that of its children; `offset` that of its "<" in the bytes of the
    file.
    """

    __slots__ = ("attributes", "children", "content", "file", "line", "offset", "parent", "tag")

    def __init__(
        self, tag: str, attributes: dict[str, str], file: str, line: int, parent: Element | None,
        children: list[Element] | None = None, offset: int = 0,
    ) -> None:  # fmt: skip
        self.tag, self.attributes, self.file, self.line, self.parent = tag, attributes, file, line, parent
        self.children = [] if children is None else children
        self.content, self.offset = "", offset

    def all(self, tag: str) -> Iterator[Element]:
        """The children of this tag."""
        return (child for child in self.children if child.tag == tag)

    def below(self) -> Iterator[Element]:
        """Every element inside this one, in the order of the file."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    def one(self, tag: str) -> Element | None:
        """The only child of this tag, or none; a second one is an error."""
        found = None
        for child in self.children:
            if child.tag == tag:
                if found is not None:
                    child.fail(f"a second <{tag}>; the first is in line {found.line}, and only one has a meaning")
                found = child
        return found

    def need(self, tag: str, why: str, rule: str = "") -> Element:
        """The only child of this tag, which must be there."""
        found = self.one(tag)
        if found is None:
            self.fail(f"<{tag}> is missing; {why}", rule)
        return found

    # ---- attributes --------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """A non-empty attribute."""
        value = self.attributes.get(name)
        if value is None:
            self.fail(f"attribute {name!r} is missing")
        if not value.strip():
            self.fail(f"attribute {name!r} is empty")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is one finite number."""
        word = self.attributes.get(name)
        if word is None and default is not None:
            return default
        value = decimal(word) if word else None
        if value is not None and math.isfinite(value):
            return value
        return self._parsed(name, self.text(name).strip())

    def numbers(self, name: str, least: int, most: int | None = None) -> list[float]:
        """An attribute of several finite numbers: so many, or between so many."""
        words = self.text(name).split()
        if not least <= len(words) <= (most or least):
            wanted = str(least) if most in (None, least) else f"{least} to {most}"
            self.fail(f'{name}="{shown(self.attributes[name])}" has {len(words)} numbers; expected {wanted}')
        return self._floats(name, words)

    def word(self, name: str, known: Collection[str], default: str) -> str:
        """An attribute that is one of some words."""
        value = self.attributes.get(name, default)
        if value not in known:
            self.fail(f'{name}="{shown(value)}" has no meaning; expected {", ".join(known)}')
        return value

    def only(self, read: Collection[str], ignored: Collection[str] = ()) -> None:
        """Refuse what is neither read nor known to be without a meaning here."""
        for name in self.attributes:
            if name not in read and name not in ignored:
                self.fail(unknown("attribute", name, [*read, *ignored], f"<{shown(self.tag)}>"))

    def vector(self, name: str, default: tuple[float, ...] | None = None) -> list[float]:
        """An attribute that is three finite numbers."""
        if default is not None and name not in self.attributes:
            return list(default)
        text = self.text(name)
        words = text.split()
        if len(words) != 3 and not is_template(text):
            self.fail(f'{name}="{shown(text)}" has {len(words)} numbers; expected three, such as "0 0 1"')
        return self._floats(name, words)

    def point(self, name: str, default: tuple[float, ...] | None = (0.0, 0.0, 0.0)) -> np.ndarray:
        """An attribute that is a point."""
        return self.reached(self.vector(name, default))

    def reached(self, point: list[float]) -> np.ndarray:
        """The coordinates of a point that was read here."""
        try:
            return position(point, "position")
        except SteinerError as error:
            self.fail(str(error))

    # ---- the text between the tags -----------------------------------------------------------

    def inner_text(self) -> str:
        """The text of this element, which must be there."""
        found = self.content.strip()
        if not found:
            self.fail("it is empty; expected a text between its tags")
        if len(self.content) > MOST_CONTENT:
            self.fail(f"a text of more than {MOST_CONTENT} characters")
        return found

    def inner_numbers(self, *counts: int) -> list[float]:
        """The text of this element as finite numbers, as many as one of the counts says."""
        words = self.inner_text().split()
        if len(words) not in counts:
            wanted = " or ".join(map(str, counts))
            self.fail(f"{shown(self.content.strip())!r} has {len(words)} numbers; expected {wanted}")
        return self._floats("", words)

    def inner_truth(self) -> bool:
        """The text of this element as yes or no."""
        word = self.inner_text().lower()
        if word not in ("true", "false", "1", "0"):
            self.fail(f"{shown(word)!r}: expected true or false")
        return word in ("true", "1")

    def _floats(self, name: str, words: list[str]) -> list[float]:
        values = list(map(decimal, words))
        if None not in values and math.isfinite(sum(values)):  # type: ignore[arg-type]
            return values  # type: ignore[return-value]
        return [self._parsed(name, word) for word in words]

    def _parsed(self, name: str, word: str) -> float:
        value = decimal(word)
        if value is not None and math.isfinite(value):
            return value
        where = f'{name}="{shown(self.attributes[name])}": ' if name else ""
        if len(word) > LONGEST:
            self.fail(f"{where}{shown(word)} has {len(word)} characters; expected a decimal number such as 1.5")
        from steiner.files.quantity import DECIMAL  # who has no fault needs no pattern

        hint = "expected a decimal number such as 1.5"
        template = is_template(word)
        if template:
            hint = "this file is a xacro template; expand it (xacro FILE -o NEW.urdf) and load what it writes"
        elif word.lower().lstrip("+-") in ("nan", "inf", "infinity") or value is not None:
            hint = "it is not a finite number"
        elif re.fullmatch(r"[+-]?\d++,\d++", word):
            hint = f"a decimal comma; write {word.replace(',', '.')}"
        elif DECIMAL.match(word):
            hint = "expected the number alone, in SI units, without a unit"
        rule = "xacro" if template else "not-a-number"
        raise FormatError(f"{self.place}: {where}cannot read {word!r} as a number: {hint}").under(rule)

    # ---- messages ----------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Where the element stands, by names: link 'l1' <inertial> <mass>."""
        steps: list[str] = []
        node: Element | None = self
        while node is not None and node.parent is not None:
            name = node.attributes.get("name")
            tag = shown(node.tag.rpartition("}")[2])
            steps.insert(0, f"{tag} {name!r}" if name else f"<{tag}>")
            if name and node.tag in ("link", "joint", "body", "model"):
                break
            node = node.parent
        return " ".join(steps) or f"<{shown(self.tag)}>"

    @property
    def place(self) -> str:
        """`file:line: element`, the start of every message."""
        return f"{self.file}:{self.line}: {self.path}"

    def fail(self, message: str, rule: str = "") -> NoReturn:
        """Refuse the file because of this element, which breaks that rule."""
        raise FormatError(f"{self.place}: {message}").under(rule)


class _Builder:
    """A tree of `Element`s, made while expat reads."""

    def __init__(self, file: str, content: bool) -> None:
        self.file = file
        self.root: Element | None = None
        self.current: Element | None = None
        self.depth = self.count = self.size = 0
        self.expat = expat.ParserCreate(namespace_separator="}")
        self.expat.buffer_text = True
        self.expat.StartElementHandler, self.expat.EndElementHandler = self._start, self._end
        self.expat.CharacterDataHandler = self._data if content else None
        for what in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef"):  # as defusedxml does
            setattr(self.expat, f"{what}Handler", self._refuse)

    @property
    def line(self) -> int:
        """Where the parser is."""
        return self.expat.CurrentLineNumber

    def read(self, text: str | bytes) -> Element:
        """The root of the tree."""
        self.size = len(text)
        self.expat.Parse(text, False)
        self.expat.Parse(b"", True)
        assert self.root is not None  # the parser raises "no element found" on an empty document
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise FormatError(f"{self.file}:{self.line}: more than {MOST_ELEMENTS} elements; this is no robot")
        if self.depth > MAX_DEPTH:
            raise FormatError(f"{self.file}:{self.line}: elements are nested deeper than {MAX_DEPTH}; this is no robot")
        if self.size > LONGEST_ATTRIBUTE and max(map(len, attributes.values()), default=0) > LONGEST_ATTRIBUTE:
            raise FormatError(f"{self.file}:{self.line}: an attribute of more than {LONGEST_ATTRIBUTE} characters")
        if "}" in tag or "}" in "".join(attributes):
            tag, attributes = _in_its_space(tag), {_in_its_space(name): x for name, x in attributes.items()}
        at = self.expat
        element = Element(tag, attributes, self.file, at.CurrentLineNumber, self.current, None, at.CurrentByteIndex)
        if self.current is None:
            self.root = element
        else:
            self.current.children.append(element)
        self.current = element

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if self.current is not None:
            self.current = self.current.parent

    def _data(self, data: str) -> None:
        """Text between tags: a bounded beginning of it, for formats that put numbers there."""
        if self.current is not None and len(self.current.content) <= MOST_CONTENT:
            self.current.content += data[: MOST_CONTENT + 1]

    def _refuse(self, *_declared: Any) -> NoReturn:
        raise FormatError(
            f"{self.file}:{self.line}: a document type declaration (<!DOCTYPE …>) is refused: it can pull in other "
            "files or expand without bound; delete it"
        ).under("dtd")


def _in_its_space(name: str) -> str:
    """A name that expat gives as space}name, as all others write it: {space}name."""
    return f"{{{name}" if "}" in name else name


def is_template(text: str) -> bool:
    """Whether xacro would replace something here: ${mass}, $(arg mass)."""
    return "${" in text or "$(" in text


def late_declaration(text: str | bytes) -> int:
    """The line of an XML declaration that has blanks before it, which XML forbids; 0 if there is none."""
    if not text[:1].isspace():
        return 0
    pattern = r"(\s+)<\?xml\s[^>]{0,200}\?>"
    found = re.match(pattern.encode(), text) if isinstance(text, bytes) else re.match(pattern, text)
    return len(found[1].splitlines()) + 1 if found else 0


def parse(text: str | bytes, file: str, *, content: bool = True) -> Element:
    """The root element of an XML document; `file` names it in messages.

    Formats that say everything in attributes do without the `content` between tags.
    """
    if (text.count("=") if isinstance(text, str) else text.count(b"=")) > MOST_ATTRIBUTES:
        raise FormatError(f"{file}:1: more than {MOST_ATTRIBUTES} attributes; this is no robot")
    blank, opening = (b"\n \t\r", b"<?xml") if isinstance(text, bytes) else ("\n \t\r", "<?xml")
    if text[:1] in blank and text[:1] and (rest := text.lstrip(blank)).startswith(opening):  # type: ignore[arg-type]
        # others read space before the declaration; inside it, it is legal and keeps the numbers of lines
        text = opening + text[: len(text) - len(rest)] + rest[len(opening) :]  # type: ignore[operator]
    builder = _Builder(file, content)
    try:
        return builder.read(text)
    except expat.ExpatError as error:
        what = f"{expat.ErrorString(error.code)} (column {error.offset + 1})"
        raise FormatError(
            f"{file}:{error.lineno}: not well-formed XML: {what}; expected one document of XML"
        ) from None
    except (UnicodeError, LookupError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{file}:{builder.line}: cannot decode the text ({error}); save the file as UTF-8") from None
