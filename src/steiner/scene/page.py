"""The painter of pages: a scene as one file of HTML that turns, plays and answers; no network, no libraries.

A robot's scene carries the robot's own kernel, so that moving a joint moves the arm and tells its efforts.  Names are
data here: they reach the page as JSON, and the script writes them as text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from steiner.inertia import MassProperties
from steiner.scene.live import live, numbers, slopes
from steiner.scene.scene import GREY, INK, Actor, Arrow, Dot, Item, Line, Scene, Surface, points_of
from steiner.scene.view import View
from steiner.text.names import html, terminal

ASSETS = Path(__file__).parent
SCRIPTS = ("shapes.js", "stage.js", "hands.js", "view.js")  # each uses those before it
ELLIPSOID, CENTRE = "inertia ellipsoid", "centre of mass"
DIRECTIONS = np.array([d for d in product((-1, -0.4, 0, 0.4, 1), repeat=3) if max(map(abs, d)) == 1])
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"


def page(scene: Scene, view: View | None = None) -> str:
    """A page that stands alone."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html(scene.title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />'
        f"{library()}<style>html,body{{margin:0;height:100%}}</style></head>\n"
        f"<body>\n{widget(scene, view)}\n</body></html>\n"
    )


@cache
def library() -> str:
    """What a page with scenes holds once: style and script."""
    style, *scripts = ((ASSETS / name).read_text(encoding="utf-8") for name in ("view.css", *SCRIPTS))
    script = "\n".join(line.strip() for line in "".join(scripts).splitlines() if not line.strip().startswith("//"))
    return f"<style>{style}</style>\n<script>{script}</script>"


def widget(scene: Scene, view: View | None = None) -> str:
    """A scene as a part of a page that holds the `library`."""
    moving = scene.moving if scene.moving is not None and scene.moving.robot.n else None
    robot = live(moving) if moving is not None else None
    data = json.dumps(_described(scene, view or View(), robot and robot.facts), allow_nan=False).replace("<", "\\u003c")
    kernel = f"{robot.kernel}\nreturn kernel;" if robot else "return null;"
    return (
        f'<div class="steiner-view"><script type="application/json">{data}</script></div>\n'
        "<script>steinerView(document.currentScript.previousElementSibling, (() => {\n" + kernel + "\n})());</script>"
    )


# ---- the scene as data ------------------------------------------------------------------------------------


def _described(scene: Scene, view: View, robot: dict[str, Any] | None) -> dict[str, Any]:
    moves = slopes(scene) if robot else []
    computed = robot["links"] if robot else ()
    return {
        "title": terminal(scene.title),
        "notes": [] if robot else [terminal(note) for note in scene.notes],
        "times": np.asarray(scene.times, dtype=float).tolist(),
        "up": list(scene.up),
        "towards": view.axes(scene)[2].tolist(),
        "outline": _outline(scene),
        "layers": _layers(scene),
        "actors": [_actor(actor, moves, computed=k in computed) for k, actor in enumerate(scene.actors)],
        "robot": robot,
    }


def _outline(scene: Scene) -> list[list[float]]:
    """Points that are farthest out in some directions, at some of the times: what a first look has to hold."""
    some = np.unique(np.linspace(0, len(scene.times) - 1, min(len(scene.times), 16)).astype(int))
    found = [_farthest(np.reshape(points_of(item), (-1, 3))) for k in some for item in scene.placed(k)]
    cloud = np.concatenate([cloud for cloud in found if len(cloud)] or [np.array([[0.0] * 3, [1.0] * 3])])
    return np.unique(_farthest(cloud), axis=0).tolist()


def _farthest(points: np.ndarray) -> np.ndarray:
    """Of a cloud the points that are farthest out in each direction."""
    return points[np.unique((DIRECTIONS @ points.T).argmax(axis=1))] if len(points) else points


def _actor(actor: Actor, moves: list[dict[int, np.ndarray]], *, computed: bool) -> dict[str, Any]:
    """An actor; of one that the page computes where it is at first."""
    R, p = np.atleast_3d(actor.pose.R.astype(float)), np.atleast_2d(actor.pose.p.astype(float))
    poses = np.concatenate([R.reshape(len(p), 9), p], axis=1)[: 1 if computed else None]
    body = _body(actor.body)
    items = [_item(item, moves) for item in actor.items if not (body and _is_mark(item))]
    return {"name": terminal(actor.name), "poses": _packed(poses, "<f8"), "body": body, "items": items}


def _body(body: MassProperties | None) -> list[float] | None:
    if body is None or not body.is_numeric or body.mass <= 0:
        return None
    return [float(x) for x in numbers(body)]


def _is_mark(item: Item) -> bool:
    """Whether a page draws it from the numbers of the body."""
    return (isinstance(item, Dot) and item.centre) or item.name == ELLIPSOID


def _layer(item: Item) -> str:
    """What switches an item on and off."""
    if item.name:
        return terminal(item.name)
    if isinstance(item, Arrow):
        return "principal axes" if item.label in ("I₁", "I₂", "I₃") else "frames"
    return "frames" if isinstance(item, Dot) and item.label else "shapes"


def _layers(scene: Scene) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for actor in scene.actors:
        for item in actor.items:
            name = _layer(item)
            own = name not in ("shapes", "frames", "principal axes") and item.colour not in (INK, GREY)
            found.setdefault(name, {"name": name, "on": True, "colour": item.colour if own else ""})
    if any(_body(actor.body) for actor in scene.actors):
        for name in (CENTRE, ELLIPSOID):
            found.setdefault(name, {"name": name, "on": False, "colour": ""})
    return list(found.values())


def _item(item: Item, moves: list[dict[int, np.ndarray]]) -> dict[str, Any]:
    said: dict[str, Any] = {"colour": item.colour, "layer": _layer(item), "opacity": 1.0}
    match item:
        case Surface():
            vertices, faces, kept = _merged(item)
            wide = len(vertices) > 65535
            said |= {
                "kind": "surface", "opacity": item.opacity, "ghost": item.ghost, "title": terminal(item.name),
                "points": _packed(vertices, "<f4"), "faces": _packed(faces, "<u4" if wide else "<u2"), "wide": wide,
                "width": 3.0, "body": _body(item.body), "slopes": _slopes(item, moves, kept),
            }  # fmt: skip
        case Line():
            said |= {
                "kind": "line", "points": _packed(item.points, "<f4"), "width": item.width, "dashed": item.dashed,
                "opacity": item.opacity, "front": item.front, "slopes": _slopes(item, moves, slice(None)),
            }  # fmt: skip
        case Dot():
            said |= {"kind": "dot", "at": item.at.tolist(), "radius": item.radius, "label": terminal(item.label)}
        case Arrow():
            said |= {
                "kind": "arrow", "at": item.start.tolist(), "vector": item.vector.tolist(), "width": item.width,
                "label": terminal(item.label), "turning": item.turning, "front": True,
            }  # fmt: skip
    return said


def _slopes(item: Item, moves: list[dict[int, np.ndarray]], kept: Any) -> list[str | None]:
    found = [move.get(id(item)) for move in moves]
    return [None if slope is None else _packed(slope[kept], "<f4") for slope in found]


def _merged(item: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners that coincide as one, so that the page finds the creases; faces that vanish by that are left out."""
    vertices, kept, new = np.unique(item.vertices.astype("<f4"), axis=0, return_index=True, return_inverse=True)
    if not len(item.faces):  # a rod
        return item.vertices, item.faces, np.arange(len(item.vertices))
    faces = new.reshape(-1)[item.faces]
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return vertices, faces[whole], kept


def _packed(array: Any, kind: str) -> str:
    return b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()
