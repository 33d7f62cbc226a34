"""Manipulator dynamics, one text per algorithm, for any kind of number.

`ALGORITHMS` is the table; its rows are the functions of this room: `dynamics.inverse_dynamics(robot, q, qd, qdd)`
runs the text on floats, on SymPy symbols and on traced numbers alike.
"""

from __future__ import annotations

from typing import Any

from steiner.dynamics.algorithms import ALGORITHMS, METHODS, Algorithm, algorithm

__all__ = ["ALGORITHMS", "METHODS", "Algorithm", "algorithm", *(row.name for row in ALGORITHMS)]  # pyright: ignore[reportUnsupportedDunderAll]

globals().update({row.name: row for row in ALGORITHMS})  # also over modules of the same name


def __getattr__(name: str) -> Any:
    """For type checkers: the names above are rows of the table."""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
