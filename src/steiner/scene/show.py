"""`show`: a page that opens in the browser, or stands in the notebook."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, need
from steiner.model.motion import Motion
from steiner.scene.page import page
from steiner.scene.subjects import scene_of
from steiner.text.names import identifier
from steiner.text.shown import Shown
from steiner.text.written import replacing

FRAMES = 600  # states of a motion that a page holds, which goes from one to the next in a straight line


def show(subject: Any, *, path: str | os.PathLike[str] | None = None, **options: Any) -> Shown:
    """Anything that can be drawn as a page; written to `path`, or else opened: in the notebook, or by the browser."""
    if path is not None:
        need("path", path, (str, os.PathLike))
    scene = scene_of(subject, **options)
    text = page(scene)
    if path is None and _in_notebook():
        return Shown(text)
    name = f"{identifier(scene.title, 'scene')}.html"
    target = Path(tempfile.mkdtemp(prefix="steiner-")) / name if path is None else Path(path)
    with replacing(target, force=True) as file:
        file.write(text)
    if path is None:
        webbrowser.open(target.absolute().as_uri())
    return Shown(text, target)


def show_robot(
    robot: Any, q: Any = None, *, times: Any = None, qd: Any = None, qdd: Any = None,
    path: str | os.PathLike[str] | None = None,
) -> Shown:
    """See `Robot.show`."""
    return show(robot, path=path, q=q, times=times, qd=qd, qdd=qdd, meshes=True)


def show_motion(motion: Motion, *, path: str | os.PathLike[str] | None = None) -> Shown:
    """See `Motion.show`."""
    if motion.q.ndim != 2 or not len(motion.t):
        raise ArgumentError("show: a page plays one motion; choose a row of the batch, such as m[:, 0]")
    rows = np.unique(np.linspace(0, len(motion.t) - 1, min(len(motion.t), FRAMES)).astype(int))
    states = {name: getattr(motion, name)[rows] for name in ("q", "qd", "qdd")}
    return show(motion.robot, path=path, times=motion.t[rows], meshes=True, **states)


def show_still(subject: Any, *, path: str | os.PathLike[str] | None = None) -> Shown:
    """See `Solid.show`, `Assembly.show` and their like."""
    return show(subject, path=path)


def _in_notebook() -> bool:
    """Whether a notebook runs this: IPython with a kernel behind it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
