"""Parts that overlap and cavities that stick out of an assembly."""

from __future__ import annotations

from steiner.assembly.tree import Assembly
from steiner.findings import Finding
from steiner.scalar import any_symbolic
from steiner.solids.overlap import findings, unknown_surface, within


def check(assembly: Assembly) -> list[Finding]:
    """See `Assembly.check`."""
    bodies, unchecked, inner = [], [], []
    for node in assembly.nodes():
        part = node.part
        if isinstance(part, Assembly):
            continue
        if part.solid is None:
            unchecked.append((node.path, "it has no shape"))
        elif any_symbolic(node.pose.R, node.pose.p) or unknown_surface(part.solid):
            unchecked.append((node.path, "it has symbols; substitute values first"))
        else:
            bodies.append((node.path, part.solid.at(node.pose), part.cavity))
            inner += within(node.path, part.solid)
    return findings(bodies, unchecked) + inner
