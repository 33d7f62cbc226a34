"""YAML from strangers: plain data only, with the line of every key.

No tags are obeyed (a file cannot name Python objects), aliases cannot blow up, and every error
names file, line and key.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, TypeVar

from ruamel.yaml import YAML, YAMLError
from ruamel.yaml.comments import CommentedMap, CommentedOrderedMap, CommentedSeq, TaggedScalar

from steiner.errors import FormatError, SteinerError, clipped, unknown
from steiner.files.expressions import Parameter, expression, is_formula
from steiner.files.quantity import quantity
from steiner.files.reading import LONGEST, decoded
from steiner.scalar import is_number

T = TypeVar("T")
MOST_VALUES = 10_000  # what can be read within a second or two
MOST_EXPANDED = 2 * MOST_VALUES  # keys and values, every alias replaced by what it stands for
MOST_CHARACTERS = 500_000
DEEPEST = 100
MOST_BITS = 1600  # of a whole number: as many as `LONGEST` hexadecimal digits
PLAIN = (CommentedMap, CommentedSeq, str, int, float, date, type(None))
STANDARD = (None, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


def parse(text: str | bytes, file: str) -> Document:
    """The document of a YAML text; refuses tags, duplicate keys and what is not UTF-8."""
    text = decoded(text, file)
    _check_size(text, file)
    loader = YAML(typ="rt", pure=True)
    loader.allow_duplicate_keys = False
    try:
        root = _constructed(loader, text, file)
    except FormatError:
        raise
    except YAMLError as error:
        problem = str(getattr(error, "problem", "") or error).split("\n")[0]
        raise FormatError(f"{file}:{_line(error, text)}: is not YAML: {clipped(problem, 200)}") from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # thousands of digits, a list for a key, …
        problem = clipped(str(error).partition(";")[0], 200)
        raise FormatError(f"{file}:{loader.reader.line + 1}: is not YAML: {problem}") from None
    except RecursionError:
        raise FormatError(f"{file}:1: is nested too deeply (at most {DEEPEST} levels)") from None
    document = Document(file, root)
    _check_plain(document, root)
    return document


def _line(error: YAMLError, text: str) -> int:
    """Where the parser stopped: at a mark, or at a character that it cannot read."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    return mark.line + 1 if mark else text.count("\n", 0, position or 0) + 1


def _constructed(loader: YAML, text: str, file: str) -> Any:
    """The data of a text; how much aliases and merged keys make of it is counted before it is made."""
    constructor, parser = loader.get_constructor_parser(io.StringIO(text))
    constructor.composer.warn_double_anchors = False  # a later one takes the name, as YAML defines it
    try:
        node = constructor.composer.get_single_node()
        if node is None:
            return None
        if _expanded(node) > MOST_EXPANDED:
            raise FormatError(f"{file}:1: too large: with aliases replaced, more than {MOST_EXPANDED} keys and values")
        return constructor.construct_document(node)
    finally:
        parser.dispose()


def _expanded(root: Any) -> float:
    """How many values a document has once every alias is replaced by what it stands for."""
    sizes: dict[int, float] = {}
    stack = [(root, False)]
    while stack:
        node, seen = stack.pop()
        children = node.value if isinstance(node.value, list) else []
        below = [x for child in children for x in (child if isinstance(child, tuple) else (child,))]
        if seen:
            sizes[id(node)] = 1 + sum(sizes[id(x)] for x in below)
        elif id(node) not in sizes:
            sizes[id(node)] = math.inf  # until its children are counted: what holds itself has no end
            if below:
                stack.append((node, True))
                stack += [(x, False) for x in below]
            else:
                sizes[id(node)] = 1
    return sizes[id(root)]


def _check_size(text: str, file: str) -> None:
    """Characters, values and brackets are counted before they are parsed, which takes long."""
    if len(text) > MOST_CHARACTERS:
        raise FormatError(f"{file}:1: {len(text)} characters; files of links have at most {MOST_CHARACTERS}")
    values = sum(map(text.count, ",:\n"))
    if values > MOST_VALUES:
        hint = "keep meshes in files of their own"
        raise FormatError(f"{file}:1: about {values} values; files of links have at most {MOST_VALUES}: {hint}")
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > 3 * DEEPEST:
            line = text.count("\n", 0, bracket.start()) + 1
            raise FormatError(f"{file}:{line}: is nested too deeply (at most {DEEPEST} levels)")


def _check_plain(document: Document, root: Any) -> None:
    """No foreign tags; no more nodes and levels than a file of parts has."""
    stack = [(root, 0, ":1")]
    while stack:
        node, depth, around = stack.pop()
        if depth > DEEPEST:
            raise FormatError(f"{document.file}{around}: is nested too deeply (at most {DEEPEST} levels)")
        line = getattr(getattr(node, "lc", None), "line", None)
        where = f":{line + 1}" if line is not None else around
        if isinstance(node, int) and node.bit_length() > MOST_BITS:
            raise FormatError(f"{document.file}{where}: a number of more than {LONGEST} digits is no quantity")
        tag = getattr(getattr(node, "tag", None), "value", None)
        if tag not in STANDARD or not isinstance(node, PLAIN) or type(node) in (CommentedOrderedMap, TaggedScalar):
            name = tag or f"of a {type(node).__name__}"
            raise FormatError(f"{document.file}{where}: the tag {name} is not allowed; expected data without tags")
        if isinstance(node, CommentedMap):
            stack += [(key, depth, where) for key in node if isinstance(key, int)]
            stack += [(value, depth + 1, where) for value in node.values()]
        elif isinstance(node, CommentedSeq):
            stack += [(value, depth + 1, where) for value in node]


class Document:
    """A parsed file."""

    def __init__(self, file: str, root: Any) -> None:
        self.file, self.root = file, root
        self.parameters: dict[str, Parameter] | None = None  # names that numbers may be formulas of

    def mapping(self) -> Mapping:
        """The keys at the top."""
        if not isinstance(self.root, CommentedMap):
            what = "nothing" if self.root is None else f"a {_kind(self.root)}"
            raise FormatError(f"{self.file}:1: expected keys such as `link:`, got {what}")
        return Mapping(self, self.root, "")


class Mapping:
    """Keys and values of one level, with their lines; reads numbers with units."""

    def __init__(self, document: Document, data: CommentedMap, path: str) -> None:
        self.document, self.data, self.path = document, data, path

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.document.file

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The plain value of a key."""
        value = self.data.get(key, default)
        return str(value) if isinstance(value, str) else value

    def line(self, key: str | None = None) -> int:
        """Line of a key, or of the mapping itself."""
        if key is not None and key in (self.data.lc.data or ()):  # not those of a merged mapping, <<: *other
            return self.data.lc.key(key)[0] + 1
        return self.data.lc.line + 1

    def error(self, text: str, key: str | None = None) -> FormatError:
        """An error that says where."""
        place = _joined(self.path, key)
        return FormatError(f"{self.file}:{self.line(key)}: {place + ': ' if place else ''}{text}")

    def guarded(self, make: Callable[[], T], key: str | None = None) -> T:
        """The result of `make`; its errors are given file, line and the key they speak of."""
        try:
            return make()
        except FormatError:
            raise
        except SteinerError as error:
            spoken = [k for k in self.data if isinstance(k, str) and f" {k} is " in f" {error} "]
            raise self.error(str(error), spoken[0] if spoken else key).under(error.rule) from None

    def only(self, known: Sequence[str]) -> None:
        """Refuses keys that mean nothing here: a misspelt one must not be ignored."""
        for key in self.data:
            if key not in known:
                raise self.error(unknown("key", key, known), str(key))

    def child(self, key: str) -> Mapping:
        """A nested mapping."""
        value = self.data[key]
        if not isinstance(value, CommentedMap):
            raise self.error(f"expected keys and values, got a {_kind(value)}", key)
        return Mapping(self.document, value, _joined(self.path, key))

    def children(self, key: str) -> list[Mapping]:
        """A list of mappings."""
        value = self.data[key]
        if not isinstance(value, CommentedSeq):
            raise self.error(f"expected a list (lines that begin with -), got a {_kind(value)}", key)
        place = _joined(self.path, key)
        for k, item in enumerate(value):
            if not isinstance(item, CommentedMap):
                raise self.error(f"item {k + 1} is a {_kind(item)}; expected keys and values", key)
        return [Mapping(self.document, item, f"{place}[{k}]") for k, item in enumerate(value)]

    def value(self, key: str, kind: str, unit: str | None = None) -> Any:
        """A number with a unit."""
        if key not in self.data:
            raise self.error(f"`{key}` is missing")
        return self._quantity(self.data[key], key, kind, unit)

    def values(self, key: str, kind: str, count: int | None = None, unit: str | None = None) -> list[float]:
        """A list of numbers with units."""
        listed = self.data[key]
        if not isinstance(listed, CommentedSeq) or (count is not None and len(listed) != count):
            wanted = f"{count} values" if count else "a list of values"
            raise self.error(f"expected {wanted} in brackets, got {_shown(listed)}", key)
        return [self._quantity(v, key, kind, unit) for v in listed]

    def points(self, key: str, width: int, unit: str | None = None) -> list[list[float]]:
        """A list of points."""
        listed = self.data[key]
        if not isinstance(listed, CommentedSeq) or not all(
            isinstance(p, CommentedSeq) and len(p) == width for p in listed
        ):
            raise self.error(f"expected a list of points with {width} coordinates each, got {_shown(listed)}", key)
        return [[self._quantity(v, key, "length", unit) for v in point] for point in listed]

    def rows(self, key: str, kind: str, width: int) -> list[list[Any]]:
        """A square table of numbers."""
        listed = self.data[key]
        if (
            not isinstance(listed, CommentedSeq)
            or [len(r) if isinstance(r, CommentedSeq) else 0 for r in listed] != [width] * width
        ):
            raise self.error(f"expected {width} rows of {width} numbers, got {_shown(listed)}", key)
        return [[self._quantity(v, key, kind, None) for v in row] for row in listed]

    def tensor(self, key: str) -> list[Any]:
        """Three principal moments, or a 3×3 tensor."""
        listed = self.data[key]
        if isinstance(listed, CommentedSeq) and len(listed) == 3:
            if all(isinstance(row, CommentedSeq) and len(row) == 3 for row in listed):
                return [[self._quantity(v, key, "inertia", None) for v in row] for row in listed]
            if not any(isinstance(row, CommentedSeq) for row in listed):
                return [self._quantity(v, key, "inertia", None) for v in listed]
        raise self.error(f"expected three principal moments or a 3×3 tensor, got {_shown(listed)}", key)

    def _quantity(self, value: Any, key: str, kind: str, unit: str | None) -> Any:
        text, parameters = str(value) if isinstance(value, str) else value, self.document.parameters
        try:
            if parameters is not None and isinstance(text, str) and is_formula(text):
                number = expression(text, kind, unit, parameters)
            else:
                number = quantity(text, kind, unit)
        except SteinerError as error:
            raise self.error(str(error), key).under(error.rule) from None
        if not is_number(number):
            return number
        if not math.isfinite(number):
            raise self.error(f"{value} is not a finite number", key).under("not-a-number")
        return number


def _joined(path: str, key: object) -> str:
    return ".".join(str(p) for p in (path, key) if p not in ("", None))


def _kind(value: Any) -> str:
    if isinstance(value, CommentedMap):
        return "mapping"
    if isinstance(value, CommentedSeq):
        return "list"
    return "text" if isinstance(value, str) else f"single value ({value})"


def _shown(value: Any) -> str:
    text = repr(value if not isinstance(value, CommentedSeq) else list(value))
    return text if len(text) < 80 else text[:77] + "…"
