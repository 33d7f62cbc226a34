"""`<include>` in MJCF: parts of a model that stand in files of their own, each read once, none outside its folder."""

from __future__ import annotations

from pathlib import Path

from steiner.errors import SteinerError
from steiner.files.mjcf_bodies import inside
from steiner.files.reading import LARGEST, contents
from steiner.files.xml import Element, parse, shown


def include(root: Element, folder: Path | None, size: int) -> None:
    """Put what `<include>` names in its place; each file once, none from outside the folder."""
    seen = {(folder / Path(root.file).name).resolve() if folder else None}
    waiting = [root]
    while waiting:
        owner = waiting.pop()
        if any(child.tag == "include" for child in owner.children):
            children: list[Element] = []
            for child in owner.children:
                if child.tag != "include":
                    children.append(child)
                    continue
                part, size = _included(child, folder, seen, size)
                for inner in part.children:
                    inner.parent = owner
                children += part.children
            owner.children = children
            waiting.append(owner)  # an included file may include others
        else:
            waiting += owner.children


def _included(e: Element, folder: Path | None, seen: set[Path | None], size: int) -> tuple[Element, int]:
    e.only(("file",), ("prefix",))
    name = e.text("file")
    if folder is None:
        e.fail(f"a text includes no files, such as {shown(name)!r}; load the file itself")
    try:
        path = inside(folder, name)
    except SteinerError as error:
        e.fail(str(error))
    if path in seen:
        e.fail(f"{shown(name)!r} is included a second time, or includes itself; once is enough")
    seen.add(path)
    data = contents(path, "a part of a model")
    size += len(data)
    if size > LARGEST:
        e.fail(f"with its includes this model is larger than {LARGEST / 1e6:.0f} MB")
    root = parse(data, str(folder / name))
    if root.tag not in ("mujoco", "mujocoinclude"):
        e.fail(f"{shown(name)!r} holds <{shown(root.tag)}>; expected <mujoco> or <mujocoinclude>")
    return root, size
