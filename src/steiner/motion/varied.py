"""Numbers of a robot that differ from row to row of a batch: payloads, masses, gravity, dimensions of the drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of, floats_of, symmetric
from steiner.model.parameters import NOT_NEGATIVE
from steiner.model.robot import Robot
from steiner.scalar import is_number


@final
@dataclass(frozen=True)
class Varied:
    """Values by path, each (…, *shape of the robot's own number); none: every row is the robot as it is."""

    values: Mapping[str, np.ndarray] = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, robot: Robot, given: Any) -> Varied:
        """Those of parameters=, as they are given to kernels."""
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            wanted = "{'payload.mass': masses}"
            raise ArgumentError(f"parameters= takes values by name, {wanted}, got {described(given)}")
        own = robot.independent(list(given))
        values = {path: floats_of(f"parameter {path!r}", array_of(path, x), np.float64) for path, x in given.items()}
        for path, x in values.items():
            shape = own[path].shape
            if x.ndim < len(shape) or x.shape[x.ndim - len(shape) :] != shape:
                raise ArgumentError(f"parameter {path!r}: expected shape (…, {shape}), got {x.shape}")
            if not np.isfinite(x).all():
                raise ArgumentError(f"parameter {path!r} holds numbers that are not finite")
            if path.rpartition(".")[2] in NOT_NEGATIVE and np.any(x < 0):
                raise ArgumentError(f"parameter {path!r}: {x.min():g} is negative; expected 0 or more")
            if path.endswith(".inertia"):
                values[path] = symmetric(path, x)
        return cls(values, {path: x.shape for path, x in own.items()})

    @property
    def batches(self) -> list[tuple[int, ...]]:
        """The batch of each value."""
        return [x.shape[: x.ndim - len(self.shapes[path])] for path, x in self.values.items()]

    @property
    def inputs(self) -> list[tuple[str, int]]:
        """What kernels read: paths and lengths."""
        return [(path, int(np.prod(shape, dtype=int))) for path, shape in self.shapes.items()]

    def rows(self, batch: tuple[int, ...]) -> list[np.ndarray]:
        """Values for the rows of a batch, (rows, length) each."""
        spread = (np.broadcast_to(x, (*batch, *self.shapes[path])) for path, x in self.values.items())
        return [np.ascontiguousarray(x.reshape(-1, size)) for x, (_, size) in zip(spread, self.inputs, strict=True)]

    def robot(self, robot: Robot, numbers: Mapping[str, Any]) -> Robot:
        """The robot with its numbers from what a kernel reads."""
        varied = robot.with_parameters({path: numbers[path].reshape(shape) for path, shape in self.shapes.items()})
        for body in varied.tree.bodies:
            rub = body.joint.friction
            if rub is not None and not all(map(is_number, rub.coefficients)):
                raise ArgumentError(f"parameters: {body.joint.name!r}: friction is the same in all rows of a batch")
        return varied
