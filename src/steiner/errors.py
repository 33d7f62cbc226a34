"""Every error that steiner raises on purpose: what was found, what was expected, what to do.

Names in messages come from strangers' files, so a message tells itself in one printable line, not too long.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Container, Iterable, Mapping
from typing import Any, Self

_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 80
LONGEST = 4000  # characters of a message; more is the work of a broken or hostile file



def printable(text: str, keep: str = "") -> str:
    r"""Text of one line: control characters, line breaks and marks that turn the direction come out as \x1b, \u202e."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)


def clipped(text: str, limit: int) -> str:
    """Text of at most `limit` characters; the rest is an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class _Told(Exception):
    """A message that is safe to print, whatever names are in it."""

    def __str__(self) -> str:
        return clipped(printable(super().__str__()), LONGEST)


class SteinerError(_Told, ValueError):
    """Base of all errors about input; the command line prints its text and exits with 2."""

    rule: str = ""  # the name of the rule of `steiner.checks` that the input breaks, where there is one

    def under(self, rule: str) -> Self:
        """The same error, told as a breach of that rule."""
        self.rule = rule
        return self


class GeometryError(SteinerError):
    """A shape, pose or mass property that cannot be."""


class ModelError(SteinerError):
    """A robot or assembly that does not hang together."""


class FormatError(SteinerError):
    """A file that cannot be read or written; the text names file, element and line."""


class ArgumentError(SteinerError):
    """A call whose arguments do not fit the robot or the function."""


class TraceError(SteinerError):
    """An algorithm asked a traced number for its value; use `select` instead of `if`."""


class ModelWarning(_Told, UserWarning):
    """Something in a model that loads, but that its author should look at."""


class CacheWarning(UserWarning):
    """Compiled code is not kept on disk: results are the same, the first call of every process is slower."""


def described(x: object) -> str:
    """x in a message: on one line and shortened, whatever it is."""
    try:
        return " ".join(_SHORT.repr(x).split())
    except Exception:  # an int of too many digits, or an object that cannot describe itself
        return f"<{type(x).__name__}>"


def unknown(kind: str, name: object, known: Iterable[str], owner: str = "") -> str:
    """Sentence for a name that does not exist: suggests the nearest, lists what there is."""
    names = [clipped(printable(str(k)), 80) for k in known]
    word = clipped(repr(name), 80) if isinstance(name, str) else described(name)
    import difflib

    alike = difflib.get_close_matches(name[:80] if isinstance(name, str) else word, names, n=2)
    near = [other for other in alike if other != name]
    guess = f"; did you mean {near[0]!r}?" if near else ";"
    where = f" in {owner}" if owner else ""
    listed = ", ".join(names[:40]) + (", …" if len(names) > 40 else "")
    first, _, rest = kind.partition(" of ")
    several = f"{first}{'es' if first.endswith('sh') else 's'}{' of ' * bool(rest)}{rest}"
    return f"no {kind} named {word}{where}{guess} {several}: {listed or '(none)'}"


# ---- what a door asks of an argument ---------------------------------------------------------------


def is_one_of(word: object, known: Container[str]) -> bool:
    """Whether this is one of the words; what is no text is none, also where it cannot be compared."""
    return isinstance(word, str) and word in known


def need(what: str, value: Any, kind: type | tuple[type, ...], hint: str = "", error: type = ArgumentError) -> Any:
    """The value, if it is of that kind."""
    if isinstance(value, kind):
        return value
    kinds = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
    article = "an" if kinds[0] in "AEIOU" else "a"
    raise error(f"{what}: expected {article} {kinds}{f' {hint}' if hint else ''}, got {described(value)}")


def several(what: str, values: Any, of: str, error: type = ArgumentError) -> tuple[Any, ...]:
    """The values of a list, or of anything else that holds several."""
    try:
        if not isinstance(values, str | bytes | Mapping):
            return tuple(values)
    except Exception:  # no list, or one that raises when it is read
        pass
    raise error(f"{what}: expected a list of {of}, got {described(values)}")


def whole(what: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except Exception:  # no number, or an array
        number = None
    if number is None or not least <= number <= most:
        raise ArgumentError(f"{what}={described(value)}: expected a whole number from {least} to {most}")
    return number
