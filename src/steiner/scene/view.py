"""Strokes, and where one looks from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from steiner.errors import ArgumentError
from steiner.scene.scene import Scene

ELEVATION, AZIMUTH = 22.0, -58.0  # degrees: where one looks from if nothing is said


@final
@dataclass(frozen=True, eq=False)
class Stroke:
    """A flat thing to paint: polygons, a line, a disk or a text, in pixels, y down."""

    points: np.ndarray  # (…, corners, 2): leading dimensions are polygons that are filled as one
    fill: str = "none"
    line: str = "none"
    width: float = 0.0
    opacity: float = 1.0
    dashed: bool = False
    closed: bool = False
    radius: float = 0.0  # a disk
    text: str = ""
    size: float = 11.0
    anchor: str = "start"


@final
@dataclass(frozen=True)
class View:
    """Where one looks from, degrees above the horizon and around `up`, and how many pixels there are."""

    elevation: float | None = None
    azimuth: float | None = None
    width: int = 800
    height: int = 600

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 50 <= value <= 20000:
                raise ArgumentError(f"view: {name} is {value!r} pixels; expected 50 … 20000")
        for name in ("elevation", "azimuth"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise ArgumentError(f"view: {name} is {value!r}; expected degrees")

    def axes(self, scene: Scene) -> np.ndarray:
        """Rows: the picture's right, up and towards, in the world."""
        up = np.asarray(scene.up, dtype=float)
        if scene.towards is not None and self.elevation is None and self.azimuth is None:
            towards = np.asarray(scene.towards, dtype=float)
        else:
            elevation, azimuth = (
                math.radians(default if given is None else given)
                for given, default in ((self.elevation, ELEVATION), (self.azimuth, AZIMUTH))
            )
            elevation = min(max(elevation, -math.pi / 2 + 1e-6), math.pi / 2 - 1e-6)
            level = np.array([1.0, 0, 0]) if abs(up[0]) < 0.9 else np.array([0, 1.0, 0])
            east = level - (level @ up) * up
            east /= np.linalg.norm(east)
            round_ = math.cos(azimuth) * east + math.sin(azimuth) * np.cross(up, east)
            towards = math.cos(elevation) * round_ + math.sin(elevation) * up
        right = np.cross(up, towards)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(towards, right), towards])
