"""Who computes it.  A new peer is one class with `one` and `many`, and one line in `PEERS`.

`one(key)` gives a function of single joint vectors, `many(key, arrays)` a function without arguments
that works through a batch (rows are samples) and returns the result; None says "does not take part".
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from bench.cases import Case
from bench.robots import as_urdf
from steiner.model import Robot

Work = Callable[[], np.ndarray]


class Steiner:
    """This package: the robot's own methods, results into given memory for batches."""

    name = "steiner"
    python_loops = frozenset()  # cases whose batches are a loop of single calls in Python

    def __init__(self, robot: Robot) -> None:
        self.robot, self.version = robot, version("steiner")

    def one(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        method = getattr(self.robot, case.key)
        return lambda: method(*arrays)

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        method = getattr(self.robot, case.key)
        out = np.zeros((len(arrays[0]), *case.shape(self.robot.n)))

        def run() -> np.ndarray:
            method(*arrays, out=out)
            return out

        return run


class Pinocchio:
    """Pinocchio from its wheel: plain calls, and its own loop over a batch where it has one (one thread)."""

    name = "pinocchio"
    python_loops = frozenset({"mass_matrix"})  # its wheel has no batch of these; the call itself is part of the time

    def __init__(self, robot: Robot) -> None:
        import pinocchio as pin

        self.pin, self.version = pin, pin.__version__
        self.model = pin.buildModelFromUrdf(as_urdf(robot))
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, 1)
        self.single = {"inverse_dynamics": pin.rnea, "forward_dynamics": pin.aba, "mass_matrix": pin.crba}
        self.batched = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}
        assert tuple(self.model.names[1:]) == robot.joint_names

    def one(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        call, model, data = self.single.get(case.key), self.model, self.data
        return (lambda: call(model, data, *arrays)) if call else None

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        if case.key in self.batched:
            call = self.batched[case.key]
            columns = [a.T for a in arrays]  # samples are columns there: a view, in its own storage order
            out = np.zeros(columns[0].shape, order="F")

            def run() -> np.ndarray:
                call(1, self.pool, *columns, out)
                return out.T

            return run
        call, model, data = self.single.get(case.key), self.model, self.data
        if call is None:
            return None
        result = np.zeros((len(arrays[0]), *case.shape(self.model.nv)))

        def loop() -> np.ndarray:
            for k, state in enumerate(zip(*arrays, strict=True)):
                result[k] = call(model, data, *state)
            return result

        return loop


PEERS = (Steiner, Pinocchio)
