"""The tensor of a link, step by step: parts, elements, the link (decks' steps 1-3, paper's eqs 38-46)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.materials import Material
from steiner.solids.bodies import UNITS, Ledger, Piece, symbols_of
from steiner.solids.compose import work
from steiner.solids.compound import Placed
from steiner.solids.derivations import derive as derive_solid
from steiner.solids.exactness import joined_poses
from steiner.solids.hollow import Hollow
from steiner.text.layout import Box, matrix, number
from steiner.text.steps import Derivation, quoted
from steiner.text.tables import Table, settled, settled_centres, shown

WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{0,7}", re.ASCII)
LONGEST_INDEX = 16


def derive(assembly: Assembly) -> Derivation:
    """See `Assembly.derivation`."""
    labels = _labels(assembly)
    root = _piece(assembly, assembly.name, labels)
    ledger = Ledger(derive_solid, symbols_of(*_matter(root)))
    ledger.steps.append((f"{UNITS} Index of a letter: {_listed(assembly, labels)}.", ()))
    work(ledger, root)
    summary = _summary(assembly) if assembly.mass_properties.is_numeric else None
    if summary:
        ledger.steps.append(("**In short**: each node in the frame of the whole, along its axes.", ()))
    return ledger.finished(f"{assembly.name}: inertia tensor", assembly.mass_properties, summary)


def _summary(assembly: Assembly) -> Table:
    """Masses, centres, tensors about each node's own centre and about that of the whole, which add up."""
    own, shifted = (assembly.budget(about).rows for about in ("own", "link"))
    centres = settled_centres([a.com for a in own], assembly.mass_properties)
    rows = [
        [a.name, number(shown(a.mass)), _column(centre), *_columns(a.inertia), *_columns(b.inertia)]
        for a, b, centre in zip(own, shifted, centres, strict=True)
    ]
    moments, products = "Ixx, Iyy, Izz", "Ixy, Ixz, Iyz"
    head = ["", "mass", "centre", f"own {moments}", products, f"at the centre of the whole {moments}", products]
    return Table(head, rows, depths=[a.depth for a in own])


def _columns(tensor: Any) -> tuple[Box, Box]:
    tensor = settled(tensor)
    return _column(np.diag(tensor)), _column(tensor[np.triu_indices(3, 1)])


def _column(values: Any) -> Box:
    return matrix([[number(shown(x))] for x in settled(values)])


def _labels(assembly: Assembly) -> dict[str, str]:
    """An index for every node: its path where that is short, else its number."""
    labels = {}
    for k, node in enumerate(assembly.nodes()):
        steps = node.path.split("/")[1:]
        index = ",".join(steps)
        is_short = len(index) <= LONGEST_INDEX and all(WORD.fullmatch(step) for step in steps)
        labels[node.path] = index if is_short else str(k)
    return labels


def _listed(assembly: Assembly, labels: dict[str, str]) -> str:
    told = [f"{labels[n.path]} is {quoted(n.path)}" for n in assembly.nodes() if n.parent and labels[n.path].isdigit()]
    return ", ".join(told) if told else f"the path of a part in {quoted(assembly.name)}, none for the whole"


def _piece(node: Part | Assembly, path: str, labels: dict[str, str]) -> Piece:
    label, pose = labels[path], node.pose
    name = quoted(path.partition("/")[2] or node.name)
    if isinstance(node, Assembly):
        children = [_piece(child, f"{path}/{child.name}", labels) for child in node.children]
        what = node.body if node.body is not None else children
        return Piece(what, label, name, pose, mass=node.scale, is_element="/" in path)
    if node.cavity:
        name = f"{name}, a cavity"
    sign = -1 if node.cavity else 1
    if node.body is not None or node.varies:
        return Piece(node.mass_properties, label, name, pose, sign)
    solid: Any = node.solid
    if isinstance(solid, Placed):
        solid, pose = solid.solid, joined_poses(pose, solid.pose)
    if isinstance(solid, Hollow):
        solid = solid.shell
    density = next((d for d in (node.density, node.linear_density, node.area_density) if d is not None), None)
    if isinstance(node.material, Material):
        density = node.material.density
    return Piece(solid, label, name, pose, sign, density, node.mass)


def _matter(piece: Piece) -> list[Any]:
    """Everything in which a symbol may be."""
    found: list[Any] = [piece.pose, piece.density, piece.mass]
    if isinstance(piece.what, list):
        return found + [x for child in piece.what for x in _matter(child)]
    return [*found, piece.what]
