"""What a file refers to: meshes that are not there or no solid, and paths that are true on one machine only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from steiner.checks.geometry import looked_at
from steiner.checks.rule import Remark, about_link
from steiner.doors import DOORS, opened
from steiner.errors import FormatError, SteinerError
from steiner.model.link import Link
from steiner.model.robot import Robot

_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[\\/]|file://")


def absolute_path(robot: Robot) -> Iterator[Remark]:
    """Meshes by an absolute path, or by one of Windows, which others do not have."""
    for link in robot.links:
        for name in _files(link):
            if _ABSOLUTE.match(name) or "\\" in name:
                yield about_link(link, f"the mesh path {name!r} holds on one machine only")


def _files(link: Link) -> Iterator[str]:
    yield from dict.fromkeys(s.file for s in link.shapes if s.file)


# ---- meshes that cannot be found: told by who looks for them -----------------------------------


def _unlocated(rule: str, what: str) -> Callable[[Robot], Iterator[Remark]]:
    def judge(robot: Robot) -> Iterator[Remark]:
        source = robot.source
        for link in robot.links if source.file else ():
            for name in _files(link):
                try:
                    opened(DOORS["check.mesh_file"])(name, source.file, source.package_dirs)
                except SteinerError as error:
                    if error.rule == rule and not (rule == "mesh-missing" and _ABSOLUTE.match(name)):
                        yield about_link(link, f"the mesh {error}")

    judge.__doc__ = what
    return judge


mesh_missing = _unlocated("mesh-missing", "Meshes that are not where the file says.")
mesh_outside = _unlocated("mesh-outside", "Meshes outside of the folders that a file may name; they are not read.")


# ---- meshes that are no solid, so that nothing can be held against them ------------------------


def _useless(unreadable: bool, what: str) -> Callable[[Robot], Iterator[Remark]]:
    def judge(robot: Robot) -> Iterator[Remark]:
        for link in robot.links:
            for name, error in looked_at(link).useless.items():
                if not error.rule and isinstance(error, FormatError) == unreadable:
                    yield about_link(link, f"the mesh {name!r} is no solid: {error}")

    judge.__doc__ = what
    return judge


mesh_unreadable = _useless(True, "Meshes that are there and cannot be read.")
mesh_open = _useless(False, "Meshes that enclose no volume: the link's mass is not held against them.")
