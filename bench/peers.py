"""Who computes it.  A new peer is one class with `one` and `many`, and one line in `PEERS`.

Both give a function without arguments that computes the case and returns its result, or a tuple of them:
`one` for single joint vectors, `many` for a batch (rows are samples).  None says "does not take part".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from bench.cases import Case
from bench.robots import as_urdf
from steiner.model import Robot

Work = Callable[[], Any]


def fresh(case: Case, count: int, n: int) -> tuple[np.ndarray, ...]:
    """Memory for the results of a batch."""
    return tuple(np.zeros((count, *shape)) for shape in case.shapes(n))


class Looping(ABC):
    """A peer whose batches are a loop of single calls in Python, unless it has something better."""

    n: int

    @abstractmethod
    def call(self, case: Case) -> Callable[..., Any] | None:
        """A function of single joint vectors."""

    def one(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        call = self.call(case)
        return (lambda: call(*arrays)) if call else None

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        call = self.call(case)
        if call is None:
            return None
        results = fresh(case, len(arrays[0]), self.n)

        def loop_of_one() -> np.ndarray:
            (result,) = results
            for k, state in enumerate(zip(*arrays, strict=True)):
                result[k] = call(*state)
            return result

        def loop_of_several() -> tuple[np.ndarray, ...]:
            for k, state in enumerate(zip(*arrays, strict=True)):
                for result, value in zip(results, call(*state), strict=True):
                    result[k] = value
            return results

        return loop_of_one if len(results) == 1 else loop_of_several


class Steiner:
    """This package: the robot's own methods, results into given memory for batches."""

    name = "steiner"

    def __init__(self, robot: Robot) -> None:
        self.robot, self.version = robot, version("steiner")

    def loops(self, case: Case) -> bool:
        """Whether batches are loops in Python."""
        return False

    def one(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        method = getattr(self.robot, case.key)
        return lambda: method(*arrays)

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        method = getattr(self.robot, case.key)
        out = fresh(case, len(arrays[0]), self.robot.n)
        given = out[0] if len(out) == 1 else out
        return lambda: method(*arrays, out=given)


class Pinocchio(Looping):
    """Pinocchio from its wheel: plain calls, and its own loop over a batch where it has one (one thread)."""

    name = "pinocchio"

    def __init__(self, robot: Robot) -> None:
        import pinocchio as pin

        self.version, self.n = pin.__version__, robot.n
        self.model = pin.buildModelFromUrdf(as_urdf(robot))
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, 1)
        self.single = {
            "inverse_dynamics": pin.rnea,
            "forward_dynamics": pin.aba,
            "mass_matrix": pin.crba,
            "inverse_dynamics_derivatives": pin.computeRNEADerivatives,
        }
        self.batched = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}
        assert tuple(self.model.names[1:]) == robot.joint_names

    def loops(self, case: Case) -> bool:
        return case.key not in self.batched

    def call(self, case: Case) -> Callable[..., Any] | None:
        function = self.single.get(case.key)
        return partial(function, self.model, self.data) if function else None

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        if self.loops(case):
            return super().many(case, arrays)
        call = self.batched[case.key]
        columns = [a.T for a in arrays]  # samples are columns there: a view, in its own storage order
        out = np.zeros(columns[0].shape, order="F")

        def run() -> np.ndarray:
            call(1, self.pool, *columns, out)
            return out.T

        return run


class MuJoCo(Looping):
    """MuJoCo from its wheel; it has no batch of these in Python."""

    name = "mujoco"

    def __init__(self, robot: Robot) -> None:
        import mujoco

        from steiner.io.urdf_write import write

        self.lib, self.version, self.n = mujoco, mujoco.__version__, robot.n
        keep = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco></robot>'
        self.model = mujoco.MjModel.from_xml_string(write(robot).replace("</robot>", keep))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.data = mujoco.MjData(self.model)
        assert [self.model.joint(i).name for i in range(robot.n)] == list(robot.joint_names)

    def loops(self, case: Case) -> bool:
        return True

    def call(self, case: Case) -> Callable[..., Any] | None:
        if case.key != "inverse_dynamics":
            return None
        inverse, model, data = self.lib.mj_inverse, self.model, self.data

        def call(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
            data.qpos, data.qvel, data.qacc = q, qd, qdd
            inverse(model, data)
            return data.qfrc_inverse

        return call


PEERS = (Steiner, Pinocchio, MuJoCo)
