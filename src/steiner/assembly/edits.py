"""Working on a drawing: the same assembly with a part changed or left out, and two versions side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from steiner.assembly.tree import Assembly, Node, Part
from steiner.assembly.versions import Change, Comparison
from steiner.errors import ModelError, unknown
from steiner.solids.exactness import moved

ONE_OF = ("material", "density", "mass", "linear_density", "area_density", "body")  # what decides the mass


def replaced(assembly: Assembly, path: str, **changes: Any) -> Assembly:
    """The assembly with one node changed; see `Assembly.replaced`."""
    node = assembly.find(path)
    known = [f.name for f in fields(node.part)]
    for name in changes:
        if name not in known:
            raise ModelError(f"replaced: {unknown('field', name, known, node.path)}")
    stated = [name for name in ONE_OF if changes.get(name) is not None]
    if stated and isinstance(node.part, Part) and "solid" not in changes:
        others = {name: None for name in ONE_OF if name not in stated and name in known}
        changes = {**others, **changes}
    return _rebuilt(assembly, node, lambda part: replace(part, **changes))


def without(assembly: Assembly, path: str) -> Assembly:
    """The assembly without one node; see `Assembly.without`."""
    node = assembly.find(path)
    if node.parent is None:
        raise ModelError(f"{assembly.name!r} is the whole; name a part of it: {', '.join(_inner(assembly))}")
    return _rebuilt(assembly, node, lambda part: None)


def _inner(assembly: Assembly) -> list[str]:
    return [child.name for child in assembly.children]


def _rebuilt(assembly: Assembly, node: Node, of: Callable[[Any], Any]) -> Assembly:
    """The assembly with a node replaced by `of` it, or left out; only what is above it is made anew."""
    new = of(node.part)
    while node.parent is not None:
        parent = node.parent.part
        assert isinstance(parent, Assembly)
        kept = [new if child is node.part else child for child in parent.children]
        new, node = replace(parent, children=tuple(c for c in kept if c is not None)), node.parent
    return new


# ---- two versions ------------------------------------------------------------------------------------------


def compared(before: Assembly, other: Assembly) -> Comparison:
    """Two versions of a link, node by node; see `Assembly.compare`."""
    if not isinstance(other, Assembly):
        raise ModelError(f"compare: expected an assembly, got a {type(other).__name__}")
    found = [{_inside(node): node for node in each.nodes()} for each in (before, other)]
    for each in (before, other):
        if not each.mass_properties.is_numeric:
            raise ModelError(f"compare: {each.name!r} has symbols; substitute values with .subs({{symbol: value}})")
    paths = [*found[0], *(path for path in found[1] if path not in found[0])]
    paths.sort(key=lambda path: _position(path, found))
    rows = []
    for path in paths:
        a, b = (nodes.get(path) for nodes in found)
        bodies = [None if node is None else moved(node.part.signed, node.pose) for node in (a, b)]
        depth = next(node.depth for node in (a, b) if node is not None)
        rows.append(Change(path or other.name, depth, *bodies))
    return Comparison(before.name, other.name, tuple(rows))


def _inside(node: Node) -> str:
    """The path below the whole, whose name may have changed."""
    return node.path.partition("/")[2]


def _position(path: str, found: list[dict[str, Node]]) -> tuple[int, int]:
    """In the order of the first; what is new comes where the second has it, below its siblings."""
    order = [list(nodes) for nodes in found]
    if path in found[0]:
        return order[0].index(path), 0
    parent = path.rpartition("/")[0]
    siblings = [
        k for k, other in enumerate(order[0]) if other == parent or other.startswith(f"{parent}/" if parent else "")
    ]
    return max(siblings, default=len(order[0])), 1 + order[1].index(path)
