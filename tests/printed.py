"""Reads formulas as they stand on the page: boxes to numbers, so that both sides of a printed line can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, exp, sin, tanh
from typing import Any

import numpy as np

from steiner.text.document import Document
from steiner.text.layout import Box, latex

FUNCTIONS = {"cos": cos, "sin": sin, "exp": exp, "tanh": tanh, "sgn": np.sign, "abs": abs}


class Unknown(Exception):
    """A sign that stands for no number here."""


def tokens(box: Box) -> Iterator[Box]:
    """What stands side by side; only brackets hold together."""
    if box.kind == "row":
        for part in box.inside:
            yield from tokens(part)
    else:
        yield box


def sides(document: Document) -> Iterator[list[list[Box]]]:
    """The sides of every equation of a document, in order."""
    for block in document.blocks:
        if block.kind == "formula":
            box = block.content
            if box.kind == "lines":
                yield [list(tokens(box.inside[0])), [t for part in box.inside[1:] for t in tokens(part)]]
                continue
            parts: list[list[Box]] = [[]]
            for token in tokens(box):
                if token.kind == "op" and token.text == "=":
                    parts.append([])
                else:
                    parts[-1].append(token)
            yield parts


def written(side: list[Box]) -> str:
    """A side as LaTeX."""
    return "".join(latex(x) for x in side).strip()


def bracketed(side: list[Box]) -> tuple[list[Box], list[Box]]:
    """What stands before the bracket that closes, and what follows it."""
    depth = 1
    for k, token in enumerate(side):
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "op" else 0
        if not depth:
            return side[:k], side[k + 1 :]
    raise Unknown("(")


def value(side: list[Box], known: Mapping[str, Any]) -> Any:
    """The number, vector or matrix that a side stands for: products side by side, sums by their signs."""
    total: Any = 0.0
    product: Any = None
    sign, rest = 1.0, list(side)

    def close() -> None:
        nonlocal total, product, sign
        if product is not None:
            total, product, sign = total + sign * product, None, 1.0

    while rest:
        token = rest.pop(0)
        if token.kind == "op" and token.text in ("+", "-", "negative"):
            close()
            sign *= 1.0 if token.text == "+" else -1.0
        elif token.kind == "op" and token.text == "·":
            continue
        elif token.kind == "op" and token.text == "(":  # of a bracket over several lines
            inside, rest = bracketed(rest)
            factor = value(inside, known)
            product = factor if product is None else product * factor
        else:
            factor = FUNCTIONS[token.text](one(rest.pop(0), known)) if token.kind == "func" else one(token, known)
            product = factor if product is None else product * factor
    close()
    return total


def one(box: Box, known: Mapping[str, Any]) -> Any:
    """The number of a box."""
    name = latex(box).strip()
    if name in known:
        return known[name]
    if box.kind == "num":
        return float(box.text)
    if box.kind == "fenced":
        return value(list(tokens(box.inside[0])), known)
    if box.kind == "frac":
        top, bottom = (value(list(tokens(x)), known) for x in box.inside)
        return top / bottom
    if box.kind == "sup":
        return one(box.inside[0], known) ** value(list(tokens(box.inside[1])), known)
    if box.kind == "matrix":
        cells = [value(list(tokens(x)), known) for x in box.inside]
        return np.array(cells).reshape(-1, box.columns).squeeze(axis=1 if box.columns == 1 else ())
    raise Unknown(name)
