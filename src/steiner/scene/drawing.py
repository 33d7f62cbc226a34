"""Pictures: what `st.draw` makes of a solid, a body, an assembly, a robot or a scene."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from steiner.errors import ArgumentError
from steiner.scene.page import page
from steiner.scene.paper import printed, svg
from steiner.scene.scene import Scene
from steiner.scene.strokes import strokes
from steiner.scene.subjects import scene_of
from steiner.scene.view import View
from steiner.text.written import replacing

KINDS = ("svg", "png", "pdf", "html")


@final
@dataclass(frozen=True, eq=False)
class Picture:
    """A scene seen from one side; notebooks show it."""

    scene: Scene
    view: View
    time: int = 0  # index of the instant

    def __repr__(self) -> str:
        return f"<picture of {self.scene.title}, {self.view.width} × {self.view.height}>"

    @property
    def svg(self) -> str:
        """The picture as a text of SVG."""
        return svg(strokes(self.scene, self.view, self.time), self.view)

    def save(self, path: str | os.PathLike[str], *, force: bool = True) -> Path:
        """Write the picture; its ending says how: .svg, .html (a page that turns), .png or .pdf (with matplotlib)."""
        target = Path(path)
        target = target if target.suffix else target.with_suffix(".svg")
        kind = target.suffix[1:].lower()
        if kind not in KINDS:
            raise ArgumentError(f"{target.name}: a picture is written as {', '.join('.' + k for k in KINDS)}")
        if kind == "html":
            content = page(self.scene, self.view).encode()
        else:
            found = strokes(self.scene, self.view, self.time)
            content = svg(found, self.view).encode() if kind == "svg" else printed(found, self.view, kind)
        with replacing(target, force=force, binary=True) as file:
            file.write(content)
        return target

    def _repr_svg_(self) -> str:
        return self.svg


def draw(
    subject: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    elevation: float | None = None,
    azimuth: float | None = None,
    width: int = 800,
    height: int = 600,
    **options: Any,
) -> Picture:
    """A picture of a solid, particles, a body, part, assembly, link or robot, written to `path` if one is given.

    The ending of `path` says how: .svg, .png, .pdf or .html.

    One looks from `elevation` degrees above the horizon, `azimuth` degrees around.  Parts are translucent, cavities red
    and dashed; the quartered circle is the centre of mass, the arrows I₁, I₂, I₃ are the principal axes from the
    smallest moment to the largest, the grey ellipses sections of the homogeneous ellipsoid of the same mass and tensor.

    Of a robot: `q=` where its joints are, `frames=`, `centres=`, `ellipsoids=` what is shown, `sketch=True` sticks and
    joints only, `wrenches=` as in `external=`, `path=` points of a line in the world.
    """
    picture = Picture(scene_of(subject, **options), View(elevation, azimuth, width, height))
    if path is not None:
        picture.save(path)
    return picture
