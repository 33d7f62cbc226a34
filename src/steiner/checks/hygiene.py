"""What a file refers to: meshes that are not there, and paths that are true on one machine only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from steiner.checks.rule import Remark, about_link
from steiner.model.robot import Robot

_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[\\/]|file://")
_SCHEME = re.compile(r"(package|model|file)://(?:[^/]+/)?(.*)")


def mesh_missing(robot: Robot) -> Iterator[Remark]:
    """Meshes that are not where the file says."""
    source = robot.source
    if not source.file:
        return
    here = Path(source.file).parent
    for link in robot.links:
        for name in dict.fromkeys(s.file for s in link.shapes if s.file and not _ABSOLUTE.match(s.file)):
            if not any(_found(root, name) for root in (*map(Path, source.package_dirs), here, *list(here.parents)[:4])):
                yield about_link(link, f"the mesh {name!r} is not in the folder of the file, nor in package_dirs")


def _found(root: Path, name: str) -> bool:
    """Whether the file is below a root, by its whole path, or by that within its package."""
    path = _SCHEME.sub(r"\2", name) if "://" in name else name
    packaged = name.partition("://")[2]
    tried = [root / p for p in (path, packaged) if p and ".." not in Path(p).parts]
    try:
        return any(p.is_file() for p in tried)
    except (OSError, ValueError):
        return False


def absolute_path(robot: Robot) -> Iterator[Remark]:
    """Meshes by an absolute path, or by one of Windows, which others do not have."""
    for link in robot.links:
        for name in dict.fromkeys(s.file for s in link.shapes if s.file):
            if _ABSOLUTE.match(name) or "\\" in name:
                yield about_link(link, f"the mesh path {name!r} holds on one machine only")
