"""Options of every command that reads a ROBOT: another gravity, payloads, held joints, followers, the reader.

A command says `robot: RobotArgument` and asks `find(robot)`; the options are added to it from outside, in one place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from steiner.errors import SteinerError

PANEL = "The robot"


@dataclass(frozen=True)
class Wishes:
    """What was asked for, as typed; every field is an option of that name."""

    gravity: Annotated[
        str | None,
        typer.Option(metavar="X,Y,Z", rich_help_panel=PANEL, help="Gravity in m/s²: 0,0,9.81 hangs from the ceiling."),
    ] = None
    payload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KG[@LINK][:X,Y,Z]",
            rich_help_panel=PANEL,
            help="Carry a point mass, or the FILE of a link in place of KG; on the last link unless said, X,Y,Z in "
            "metres in its frame: 2.5@tool0:0,0,0.1. May be repeated.",
        ),
    ] = None
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=VALUE", rich_help_panel=PANEL,
            help="Hold a joint, in rad or m unless a unit is given: elbow=30deg, finger=0.02. May be repeated.",
        ),
    ] = None  # fmt: skip
    mimic: Annotated[
        str | None,
        typer.Option(
            metavar="free|coupled", rich_help_panel=PANEL,
            help="Mimic joints: each with a coordinate of its own, or following.",
        ),
    ] = None  # fmt: skip
    via: Annotated[
        str | None,
        typer.Option(metavar="mujoco", rich_help_panel=PANEL, help="Let MuJoCo rewrite an MJCF file first."),
    ] = None


_ASKED: ContextVar[Wishes | None] = ContextVar("asked", default=None)


def wishes() -> Wishes:
    """What this run of the program was asked for."""
    return _ASKED.get() or Wishes()


def with_robot_options(command: Callable[..., Any], arguments: Sequence[Any]) -> Callable[..., Any]:
    """The command with these options, if it takes one of the arguments that are robots."""
    hints = get_type_hints(command, include_extras=True)
    if not any(argument in hints.values() for argument in arguments):
        return command
    kinds = get_type_hints(Wishes, include_extras=True)
    added = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kinds[f.name])
        for f in fields(Wishes)
    ]
    own = [p.replace(annotation=hints[p.name]) for p in inspect.signature(command).parameters.values()]

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        _ASKED.set(Wishes(**{p.name: given.pop(p.name, None) for p in added}))
        return command(**given)

    run.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*own, *added)}
    return run


def any_change() -> bool:
    """Whether the robot is to be another one than that of its file."""
    asked = wishes()
    return asked.gravity is not None or bool(asked.payload or asked.lock)


def changed(robot: Any) -> Any:
    """The robot as it was asked for."""
    asked = wishes()
    if asked.gravity is not None:
        robot = robot.replace(gravity=_three("--gravity", asked.gravity))
    for text in asked.payload or ():
        robot = _loaded(robot, text)
    held = dict(_held(robot, text) for text in asked.lock or ())
    return robot.locked(held) if held else robot


def _three(option: str, text: str) -> list[float]:
    words = text.split(",")
    if len(words) != 3:
        raise SteinerError(f"{option} {text}: expected three numbers with commas between them, such as 0,0,9.81")
    return [_number(option, word) for word in words]


def _number(option: str, word: str, kind: str = "number", unit: str | None = None) -> float:
    from steiner.files.quantity import quantity

    try:
        return quantity(word.strip(), kind, unit)
    except SteinerError as error:
        raise SteinerError(f"{option}: {error}") from None


def _loaded(robot: Any, text: str) -> Any:
    """The robot with a payload KG[@LINK][:X,Y,Z]."""
    from steiner.files.link_yaml import load_assembly
    from steiner.inertia import MassProperties
    from steiner.spatial import Pose

    what, _, place = text.partition(":")
    what, _, link = what.partition("@")
    pose = Pose(p=_three("--payload", place)) if place else Pose.identity()
    if Path(what).suffix.lower() in (".yaml", ".yml"):
        body = load_assembly(what).mass_properties
    else:
        body = MassProperties(_number("--payload", what, "mass"))
    return robot.with_payload(body, link=link or None, pose=pose)


def _held(robot: Any, text: str) -> tuple[str, float]:
    """A joint and where it is held."""
    name, _, value = text.rpartition("=")
    if not name:
        raise SteinerError(f"--lock {text}: expected JOINT=VALUE, such as elbow=30deg")
    slides = name in robot.joint_names and not robot.joint(name).turn
    return name, _number("--lock", value, *(("length", "m") if slides else ("angle", "rad")))
