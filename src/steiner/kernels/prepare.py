"""What is done before an algorithm is traced: ONE pipeline, for methods, compiled functions, formulas and export.

Steps are Tree → Tree: frames re-chosen so that they are sparse, inertias regrouped to base parameters.  A `Prepared`
tree is what a traced function sees: each algorithm of the table that it calls gets the lean tree if its result cannot
tell the difference, and the cheapest of its routes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steiner.dynamics import Algorithm, algorithm
from steiner.dynamics.algorithms import Prepared
from steiner.kernels.frames import slid_frames, sparse_frames
from steiner.kernels.regroup import regrouped
from steiner.model.tree import Tree
from steiner.trace import Tape, trace

if TYPE_CHECKING:
    from steiner.text.tables import Table

SHORT_CHAIN = 16  # joints up to which an alternative route may be the cheaper one

Step = Callable[[Tree], Tree]
STEPS: tuple[tuple[str, Step], ...] = (
    ("as given", lambda tree: tree),
    ("sparse frames", lambda tree: slid_frames(sparse_frames(tree))),
    ("base parameters", regrouped),
)


class Traced(NamedTuple):
    """A tape and what else the traced function said."""

    tape: Tape
    remark: Any


def cheapest(
    function: Callable[..., tuple[list[np.ndarray], Any]],
    tree: Tree | Callable[..., Tree],
    inputs: Sequence[tuple[str, int]],
    *,
    n: int,
    lean: Step = regrouped,
) -> Traced:
    """The tape of `function(tree, *arrays) -> (results, remark)` with the fewest operations.

    `tree` has n coordinates; it may be a function of the arrays, which then hold numbers of the robot.  Tried are
    equivalent frames, and the routes of the algorithms that the function calls.
    """
    found: list[Traced] = []
    for step in _leanings(tree, lean):
        asked: dict[str, Algorithm] = {}
        found.append(_traced(function, tree, inputs, step, {}, asked))
        for name, route in _other_routes(asked, n):
            found.append(_traced(function, tree, inputs, step, {name: route}, {}))
        if not any(row.base_parameters for row in asked.values()):
            break  # what is not lean has one form
    return min(found, key=lambda traced: traced.tape.cost)


def _leanings(tree: Any, lean: Step) -> Iterator[Step]:
    """What makes a tree lean, in its own frames and in sparser ones, once for all routes.

    Frames of run-time numbers stay as they are.
    """
    if not isinstance(tree, Tree):
        yield lean
        return
    for name, frames in STEPS[:2]:
        framed = frames(tree)
        if framed is tree and name != STEPS[0][0]:
            return  # they are sparse as they are
        made = cache(partial(lean, framed))
        yield lambda _, made=made: made()


def _other_routes(asked: Mapping[str, Algorithm], n: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, row in list(asked.items()):
        for route in (*row.alternatives, *(row.short_alternatives if n <= SHORT_CHAIN else ())):
            yield name, route


def _traced(
    function: Callable[..., Any], tree: Any, inputs: Sequence[tuple[str, int]], step: Step,
    routes: Mapping[str, Callable[..., Any]], asked: dict[str, Algorithm],
) -> Traced:
    remarks: list[Any] = []

    def flat(*nodes: np.ndarray) -> list[np.ndarray]:
        seen = tree if isinstance(tree, Tree) else tree(*nodes)
        parts = {f.name: getattr(seen, f.name) for f in dataclasses.fields(Tree)}
        results, remark = function(Prepared(**parts, step=step, routes=routes, asked=asked), *nodes)
        remarks.append(remark)
        return results

    return Traced(trace(flat, list(inputs)), remarks[0])


# ---- what each step saves --------------------------------------------------------------------------


class Count(NamedTuple):
    """Operations of one traced algorithm after a step."""

    step: str
    multiplications: int
    additions: int
    divisions: int
    sines_and_cosines: int


class Preparation(tuple[Count, ...]):
    """The counts after each step, printable as a table."""

    HEAD = ("step", "×", "±", "÷", "sin, cos")

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _table(self) -> Table:
        from steiner.text.tables import Table

        return Table(self.HEAD, [[str(x) for x in row] for row in self])


def operation_counts(
    robot: Any, function: Callable[..., np.ndarray] | str = "inverse_dynamics", arrays: int = 3
) -> Preparation:
    """Operations of an algorithm of joint vectors on this robot, after each step of its preparation."""
    text = algorithm(function) if isinstance(function, str) else function
    tree, result = robot.tree, []
    for name, step in STEPS:
        tree = step(tree)
        tape = trace(lambda *q, tree=tree: [text(tree, *q)], [(f"x{k}", tree.n) for k in range(arrays)])
        c = tape.counts
        result.append(Count(name, c["mul"], c["add"] + c["sub"], c["div"], c["sin"] + c["cos"]))
    return Preparation(result)
