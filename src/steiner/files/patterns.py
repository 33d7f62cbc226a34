"""Parts that repeat: templates (`like: other-part`), patterns (circle, row, grid); files of the same folder."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from steiner.assembly.tree import Assembly, Part
from steiner.errors import ModelError, unknown
from steiner.files.yaml import Mapping
from steiner.spatial import Pose

MOST_COPIES = 1000
LONGEST_CHAIN = 10
OWN = ("name", "like", "pattern")  # keys that a template does not give away
PATTERNS = {
    "circle": ("circle", "radius", "diameter", "axis", "start", "angle"),
    "row": ("row", "step"),
    "grid": ("grid", "step"),
}


# ---- templates -------------------------------------------------------------------------------------------


def templates(root: Any) -> dict[str, Any]:
    """Every part of a document that has a name, by its name."""
    found: dict[str, Any] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, CommentedMap):
            for part in node.get("parts") if isinstance(node.get("parts"), CommentedSeq) else ():
                if isinstance(part, CommentedMap) and isinstance(part.get("name"), str):
                    found.setdefault(str(part["name"]), part)
            stack += node.values()
        elif isinstance(node, CommentedSeq):
            stack += node
    return found


def filled(node: Mapping, known: dict[str, Any]) -> Mapping:
    """A part with the keys of the one that it is like, where it does not say its own."""
    data, chain = node.data, 0
    while "like" in data:
        name = data["like"]
        if name not in known:
            raise node.error(unknown("part", name, known), "like")
        if (chain := chain + 1) > LONGEST_CHAIN:
            raise node.error(
                f"{name!r} is like a part that is like another one, more than {LONGEST_CHAIN} times", "like"
            )
        template = known[name]
        merged = CommentedMap((k, v) for k, v in template.items() if k not in OWN or k == "like")
        merged.update((k, v) for k, v in data.items() if k != "like")
        if "like" not in template:
            merged.pop("like", None)
        merged._yaml_line_col = data.lc  # what is said here has its lines, what is copied that of the part
        data = merged
    return Mapping(node.document, data, node.path)


# ---- patterns --------------------------------------------------------------------------------------------


def copies(part: Part | Assembly, node: Mapping, unit: str | None) -> list[Part | Assembly]:
    """The part in a circle about its place, in a row that begins there, or on a grid."""
    kinds = [kind for kind in PATTERNS if kind in node]
    if len(kinds) != 1:
        raise node.error(f"expected one of {', '.join(PATTERNS)}")
    node.only(PATTERNS[kinds[0]])
    places = {"circle": _circle, "row": _row, "grid": _grid}[kinds[0]]
    poses = node.guarded(lambda: places(part.pose, node, unit), kinds[0])
    return [replace(part, name=f"{part.name}{k}", pose=pose) for k, pose in enumerate(poses, 1)]


def _count(node: Mapping, key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_COPIES:
        raise node.error(f"expected how many there are, 1 … {MOST_COPIES}, got {value!r}", key)
    return value


def _circle(pose: Pose, node: Mapping, unit: str | None) -> list[Pose]:
    """Copies around the part's place, turned with the circle."""
    count = _count(node, "circle", node["circle"])
    if ("radius" in node) == ("diameter" in node):
        raise node.error("a circle needs its `radius` or its `diameter`", "circle")
    radius = node.value("radius", "length", unit) if "radius" in node else node.value("diameter", "length", unit) / 2
    axis = node.get("axis", "z")
    if axis not in ("x", "y", "z"):
        raise node.error(f"expected x, y or z, got {axis!r}", "axis")
    start = node.value("start", "angle") if "start" in node else 0.0
    whole = node.value("angle", "angle") if "angle" in node else 2 * math.pi
    step = whole / count if abs(abs(whole) - 2 * math.pi) < 1e-9 else whole / max(count - 1, 1)
    along = "xyz".index(axis)
    first, second = (along + 1) % 3, (along + 2) % 3
    result = []
    for k in range(count):
        c, s = (0.0 if abs(x) < 1e-15 else x for x in (math.cos(start + k * step), math.sin(start + k * step)))
        turn = np.eye(3)
        turn[first, first], turn[first, second], turn[second, first], turn[second, second] = c, -s, s, c
        place = [*pose.p]
        place[first], place[second] = place[first] + radius * c, place[second] + radius * s
        result.append(Pose(turn @ pose.R, place))
    return result


def _row(pose: Pose, node: Mapping, unit: str | None) -> list[Pose]:
    count, step = _count(node, "row", node["row"]), node.values("step", "length", 3, unit)
    return [Pose(pose.R, [p + k * s for p, s in zip(pose.p, step, strict=True)]) for k in range(count)]


def _grid(pose: Pose, node: Mapping, unit: str | None) -> list[Pose]:
    """Along the x and y of the link; the part's place is the first corner."""
    counts = node["grid"]
    if not isinstance(counts, CommentedSeq) or len(counts) != 2:
        raise node.error("expected how many there are along x and along y: grid: [3, 2]", "grid")
    across, up = (_count(node, "grid", value) for value in counts)
    _count(node, "grid", across * up)
    dx, dy = node.values("step", "length", 2, unit)
    x, y, z = pose.p
    return [Pose(pose.R, [x + i * dx, y + j * dy, z]) for j in range(up) for i in range(across)]


# ---- other files -----------------------------------------------------------------------------------------


def beside(file: str, name: Any) -> Path:
    """The path of a file that another one names: in its folder or below, nowhere else."""
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise ModelError(f"expected the name of a file, got {name!r}")
    if file.startswith("<"):
        raise ModelError(f"{name!r}: a text that is no file has no folder to find it in")
    folder = Path(file).resolve().parent
    path = (folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(folder):
        raise ModelError(f"{name!r} lies outside of the folder of this file, where nothing is read")
    if path == Path(file).resolve():
        raise ModelError(f"{name!r} is this file itself")
    return path
