"""Three journeys through the house, traced: which modules and rooms a call visits, and where it turns back.

`python -m tools.journeys` prints them.  A module is entered when one of its functions is called.  What runs while a
module is imported or a class is put together does not count, nor does the arithmetic of numbers that leave a tape or a
formula: a sum is no visit.  A room is a folder of the package, or a module that stands alone.  A step leads from the
room that calls to the room that is called, but for functions that a room hands down and generators that it reads from;
two rooms that call each other are a return.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import steiner as st

HOME = Path(st.__file__).parent
OPERATORS = {"neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge", "bool", "hash"}
OPERATORS |= {side + name for name in ("add", "sub", "mul", "truediv", "pow", "matmul") for side in ("", "r")}


class Journey(NamedTuple):
    """What a call visits."""

    modules: frozenset[str]
    steps: frozenset[tuple[str, str]]  # room that calls, room that is called

    @property
    def rooms(self) -> frozenset[str]:
        """The rooms of its modules."""
        return frozenset(module.partition(".")[0] for module in self.modules)

    @property
    def returns(self) -> list[tuple[str, str]]:
        """Rooms that call each other."""
        return sorted((a, b) for a, b in self.steps if a < b and (b, a) in self.steps)

    def __str__(self) -> str:
        turned = ", ".join(f"{a} ⇄ {b}" for a, b in self.returns)
        return (
            f"{len(self.modules)} modules of {len(self.rooms)} rooms, {len(self.steps)} steps between rooms, "
            f"{len(self.returns)} returns{f' ({turned})' if turned else ''}"
        )


def traced(journey: Callable[[], Any]) -> Journey:
    """What a call visits; the profiler sees every function that is entered."""
    names: dict[CodeType, str | None] = {}
    modules: set[str] = set()
    steps: set[tuple[str, str]] = set()
    stack: list[str | None] = []  # the module of each frame; "" where what follows does not count

    def module_of(code: CodeType) -> str | None:
        """None: of a library, so that whoever called it goes on."""
        if code not in names:
            path = Path(code.co_filename)
            inside = ".".join(path.relative_to(HOME).with_suffix("").parts) if path.is_relative_to(HOME) else None
            passes = code.co_name == "<module>" or code.co_name.strip("_") in OPERATORS
            inside = None if inside == "records" else inside  # as `dataclasses` would be
            names[code] = "" if passes else inside and inside.removesuffix(".__init__")
        return names[code]

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and stack:
            stack.pop()
        if event != "call":
            return
        above, here = stack[-1] if stack else None, module_of(frame.f_code)
        stack.append(above if above == "" or here is None else here)
        if above != "" and here:
            modules.add(here)
            rooms = (above or here).partition(".")[0], here.partition(".")[0]
            handed = above != "doors" and _is_handed_down(frame)
            if rooms[0] != rooms[1] and not handed:
                steps.add(rooms)

    sys.setprofile(watch)
    try:
        journey()
    finally:
        sys.setprofile(None)
    return Journey(frozenset(modules), frozenset(steps))


def _is_handed_down(frame: FrameType) -> bool:
    """Whether what is called is a generator that is read from, or a function that its caller does not know by name."""
    code, caller = frame.f_code, frame.f_back
    while caller is not None and not Path(caller.f_code.co_filename).is_relative_to(HOME):
        caller = caller.f_back
    named = caller is None or code.co_name.startswith("__") or code.co_name in caller.f_code.co_names
    return bool(code.co_flags & CO_GENERATOR) or not named


def arm() -> st.Robot:
    """Two links in a plane."""
    body = st.MassProperties(1.2, (0.2, 0.0, 0.0), (0.01, 0.02, 0.02))
    first = st.Link("upper", None, st.Revolute(name="shoulder", axis=(0, 0, 1)), body=body)
    place = st.Pose(p=(0.4, 0.0, 0.0))
    second = st.Link("lower", "upper", st.Revolute(name="elbow", axis=(0, 0, 1)), place, body)
    return st.Robot("arm", (first, second))


def journeys() -> dict[str, Journey]:
    """All three, each for the first time; nothing of an earlier run is in the cache of object code."""
    with tempfile.TemporaryDirectory() as fresh, mock.patch.dict("os.environ", STEINER_CACHE=fresh):
        declared = traced(arm)
        robot = arm()
        state = np.zeros((3, 100, 2))
        batch = traced(lambda: robot.inverse_dynamics(*state))
        symbols = st.load("gallery:rr")
        formulas = traced(lambda: st.equations(symbols).latex())
    return {"a robot is declared": declared, "a first batch of torques": batch, "equations as LaTeX": formulas}


def main() -> None:
    """Print them; with --list by name."""
    for name, journey in journeys().items():
        sys.stdout.write(f"{name}: {journey}\n")
        if "--list" in sys.argv:
            sys.stdout.write(f"    {', '.join(sorted(journey.modules))}\n")
            sys.stdout.write(f"    {', '.join(f'{a}→{b}' for a, b in sorted(journey.steps))}\n")


if __name__ == "__main__":
    main()
