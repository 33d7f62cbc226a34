"""Motions over time; needs the extra `report` (matplotlib)."""

from __future__ import annotations

from typing import Any

from steiner.errors import ArgumentError, described
from steiner.model.motion import Motion

ROWS = (("q", "q / rad, m"), ("qd", "q̇ / rad/s, m/s"), ("tau", "τ / N m, N"))


def plot(motion: Motion, axes: Any = None) -> Any:
    """See `Motion.plot`."""
    from matplotlib import pyplot

    if motion.q.ndim != 2:
        raise ArgumentError("plot: choose a row of the batch, such as m[:, 0].plot()")
    if axes is None:
        axes = pyplot.figure(figsize=(8, 9)).subplots(4, 1, sharex=True)
    if len(axes) != 4:
        raise ArgumentError(f"axes: expected four, for q, q̇, τ and the energies, got {described(axes)}")
    for panel, (name, label) in zip(axes, ROWS, strict=False):
        for k, joint in enumerate(motion.robot.joint_names):
            panel.plot(motion.t, getattr(motion, name)[:, k], label=joint)
        panel.set_ylabel(label)
    axes[0].legend(fontsize="small", ncols=2)
    for name in ("kinetic", "potential", "energy"):
        axes[3].plot(motion.t, getattr(motion, name), label=name)
    axes[3].set_ylabel("energy / J")
    axes[3].set_xlabel("t / s")
    axes[3].legend(fontsize="small")
    return axes
