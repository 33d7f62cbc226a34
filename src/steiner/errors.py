"""Every error that steiner raises on purpose: what was found, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SteinerError(ValueError):
    """Base of all errors about input; the command line prints its text and exits with 2."""


class GeometryError(SteinerError):
    """A shape, pose or mass property that cannot be."""


class ModelError(SteinerError):
    """A robot or assembly that does not hang together."""


class FormatError(SteinerError):
    """A file that cannot be read; the text names file, element and line."""


class ArgumentError(SteinerError):
    """A call whose arguments do not fit the robot or the function."""


class TraceError(SteinerError):
    """An algorithm asked a traced number for its value; use `select` instead of `if`."""


class ModelWarning(UserWarning):
    """Something in a model that loads, but that its author should look at."""


def unknown(kind: str, name: object, known: Iterable[str], owner: str = "") -> str:
    """Sentence for a name that does not exist: suggests the nearest, lists what there is."""
    names = [repr(str(k))[1:-1] for k in known]  # names come from strangers: control characters are escaped
    near = difflib.get_close_matches(str(name), names, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ";"
    where = f" in {owner}" if owner else ""
    listed = ", ".join(names[:40]) + (", …" if len(names) > 40 else "")
    return f"no {kind} named {name!r}{where}{guess} {kind}s: {listed or '(none)'}"
