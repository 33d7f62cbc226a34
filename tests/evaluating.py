"""Every line of a derivation evaluated: all its sides are the same number, vector or matrix."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import sympy as sp

SMALL = 1e-14


def sides(derivation: Any) -> list[tuple[str, list[np.ndarray]]]:
    """LaTeX and the values of all sides of every line, free symbols at random numbers (the same of one name)."""
    lines = [(line.latex(), line.values(derivation.known)) for line in derivation.lines()]
    free = {s for _, values in lines for v in values for x in np.ravel(np.asarray(v, dtype=object)) for s in _free(x)}
    draw = random.Random(3)
    number = {name: draw.uniform(0.5, 1.5) for name in sorted({s.name for s in free})}
    at = {s: number[s.name] for s in free}
    return [(text, [_floats(v, at) for v in values]) for text, values in lines]


def wrong(derivation: Any, tolerance: float = 1e-9) -> list[str]:
    """The lines whose sides differ."""
    found = []
    for text, (first, *rest) in sides(derivation):
        scale = max(np.abs(first).max(initial=0.0), *(np.abs(v).max(initial=0.0) for v in rest), 0.0)
        if not all(v.shape == first.shape and np.abs(v - first).max() <= tolerance * scale + SMALL for v in rest):
            found.append(text)
    return found


def _free(x: Any) -> set[Any]:
    return getattr(x, "free_symbols", set())


def _floats(value: Any, at: dict[Any, float]) -> np.ndarray:
    return np.array([float(sp.sympify(x).subs(at)) for x in np.ravel(np.asarray(value, dtype=object))])


def letters(mathml: str) -> str:
    """What is left of MathML without its tags."""
    return re.sub(r"<[^>]*>|&InvisibleTimes;|\u2062", "", mathml)
