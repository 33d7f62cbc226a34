"""Functions of others, asked on the way: whatever they raise is told with its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steiner.errors import ArgumentError, SteinerError


def asked(what: str, t: float, function: Callable[..., Any], *given: Any) -> Any:
    """What the function says."""
    try:
        return function(*given)
    except Exception as error:
        kind = "" if isinstance(error, SteinerError) else f"{type(error).__name__}: "
        raise ArgumentError(f"{what} fails at t = {t:.6g} s: {kind}{error}") from error
