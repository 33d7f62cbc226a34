"""The lists of Modern Robotics as JSON: Mlist, Glist, Slist, in the book's shapes and meanings; both ways.

data = json.load(open("arm.json"))
tau = mr.InverseDynamics(q, qd, qdd, np.array(data["gravity"]), np.zeros(6), np.array(data["Mlist"]),
np.array(data["Glist"]), np.array(data["Slist"]))
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

from steiner.errors import FormatError, SteinerError, described, unknown
from steiner.files.reading import Notes, counted
from steiner.files.tables import losses as of_tables
from steiner.files.writing import check_writable, lost_rotors, lost_springs
from steiner.model.conversions import to_poe
from steiner.model.poe import from_poe
from steiner.model.robot import EARTH, Robot
from steiner.model.source import Source, element

LISTS = ("Mlist", "Glist", "Slist")
KEYS = ("name", "gravity", "joint_names", *LISTS)


def write(robot: Robot) -> str:
    """A serial arm as lists of home poses of the centres of mass, spatial inertias and space screws."""
    check_writable(robot, "Modern Robotics")
    Mlist, Glist, Slist = to_poe(robot)
    lists = {"Mlist": Mlist, "Glist": Glist, "Slist": Slist}
    whole = {"name": robot.name, "gravity": robot.gravity.tolist(), "joint_names": list(robot.joint_names)}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in whole.items()]
    for key, arrays in lists.items():
        rows = [json.dumps(np.asarray(array, dtype=float).tolist()) for array in arrays]
        lines.append(f"  {json.dumps(key)}: [\n    " + ",\n    ".join(rows) + "\n  ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def losses(robot: Robot) -> list[str]:
    """What an arm has and the lists have not: names of links, drives, limits."""
    had = {
        body.joint.name: [word for word in ("friction", "limits") if getattr(body.joint, word)] for body in robot.bodies
    }
    lost = [f"{' and '.join(words)} of joint {name!r}" for name, words in had.items() if words]
    tables = (loss for loss in of_tables(robot) if not loss.startswith("the friction"))
    return [*lost_rotors(robot), *lost_springs(robot), *lost, *tables]


def read(text: str | bytes, notes: Notes) -> Robot:
    """The robot of the lists."""
    data = _parsed(text, notes.file)
    if not isinstance(data, dict) or not all(key in data for key in LISTS):
        raise FormatError(f"{notes.file}:1: expected an object with {', '.join(LISTS)}")
    for key in data:
        if key not in KEYS:
            raise FormatError(f"{notes.file}:1: {unknown('key', key, KEYS)}")
    name = data.get("name") or "robot"
    try:
        Mlist, Glist, Slist = (_numbers(data[key], key) for key in LISTS)
        gravity = _numbers(data.get("gravity", list(EARTH)), "gravity")
        robot = from_poe(Mlist, Glist, Slist, name=name, gravity=gravity)
        names = data.get("joint_names") or list(robot.joint_names)
        if not isinstance(names, list) or len(names) != robot.n:
            raise FormatError(f"joint_names: expected {robot.n} names, got {described(names)}")
        source, given = Source(notes.file, "modern_robotics"), iter(names)
        links = [
            dataclasses.replace(
                link, source=source, joint=dataclasses.replace(link.joint, name=next(given)) if link.joint.moves
                else link.joint,
            )
            for link in robot.links
        ]  # fmt: skip
        notes.lines |= {element("link", link.name): _line(text, "Glist") for link in links}
        return robot.replace(links=tuple(links))
    except SteinerError as error:
        raise FormatError(f"{notes.file}:1: {error}") from None


def _parsed(text: str | bytes, file: str) -> Any:
    def constant(word: str) -> Any:
        raise FormatError(f"{file}:1: {word} is not a finite number")

    try:
        return json.loads(counted(text, f"{file}:1"), parse_constant=constant, parse_int=float)
    except json.JSONDecodeError as error:
        raise FormatError(f"{file}:{error.lineno}: is not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise FormatError(f"{file}:1: is nested too deeply") from None
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{file}:1: is not JSON: {error}") from None


def _line(text: str | bytes, key: str) -> int:
    """Where a key stands."""
    lines = (text.decode() if isinstance(text, bytes) else text).splitlines()
    return next((k for k, line in enumerate(lines, start=1) if f'"{key}"' in line), 1)


def _numbers(value: Any, key: str) -> list[Any]:
    """Nested lists of finite numbers."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, bool) or not isinstance(item, float) or not math.isfinite(item):
            raise FormatError(f"{key}: expected lists of numbers, found {described(item)}")
    return value
