"""Who computes it.  A new peer is one class with `one` and `many`, and one line in `PEERS`.

`one` gives a function and its arguments for a single state, called as a user would write it; `many` gives a
function without arguments for a batch (rows are samples).  Both return the result, or a tuple of them; None
says "does not take part".
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import steiner as st
from bench.cases import Case
from bench.robots import as_urdf
from steiner import Robot

Work = Callable[[], Any]
Single = tuple[Any, ...]  # function, arguments


def fresh(case: Case, count: int, n: int) -> tuple[np.ndarray, ...]:
    """Memory for the results of a batch."""
    return tuple(np.zeros((count, *shape)) for shape in case.shapes(n))


class Looping(ABC):
    """A peer whose batches are a loop of single calls in Python, unless it has something better."""

    n: int

    @abstractmethod
    def call(self, case: Case) -> Callable[..., Any] | None:
        """A function of single joint vectors."""

    def one(self, case: Case, arrays: list[np.ndarray]) -> Single | None:
        call = self.call(case)
        return (call, *arrays) if call else None

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
    """This package: the robot's own methods; results of large batches go into given memory."""

    name = "steiner"

    def __init__(self, robot: Robot) -> None:
        self.robot, self.version = robot, version("steiner")

    def loops(self, case: Case) -> bool:
        """Whether batches are loops in Python."""
        return False

    def one(self, case: Case, arrays: list[np.ndarray]) -> Single | None:
        return (getattr(self.robot, case.key), *arrays)

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        method = getattr(self.robot, case.key)
        if len(arrays[0]) < 256:
            return lambda: method(*arrays)
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
        self.model.armature[:] = [robot.joint(name).armature for name in self.model.names[1:]]  # not in URDF
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

    def one(self, case: Case, arrays: list[np.ndarray]) -> Single | None:
        function = self.single.get(case.key)
        return (function, self.model, self.data, *arrays) if function else None

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

        from steiner.files.urdf_write import write

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


class OurTape:
    """Our own tape through another compiler: only batches, of a single result."""

    def loops(self, case: Case) -> bool:
        """Whether batches are loops in Python."""
        return False

    def one(self, case: Case, arrays: list[np.ndarray]) -> Single | None:
        return None


class CasadiC(OurTape):
    """Our own tape through CasADi's C code, built by gcc -O3 -march=native, in a loop in C."""

    name = "casadi-c"

    def __init__(self, robot: Robot) -> None:
        import casadi

        if shutil.which("gcc") is None:
            raise ImportError("no gcc")
        self.version, self.robot = casadi.__version__, robot

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        if len(case.results) > 1:
            return None
        function = st.export(self.robot, case.key, "casadi", name="f")
        folder, n, count = Path(tempfile.mkdtemp()), self.robot.n, len(arrays[0])
        source = folder / "f.c"
        here = Path.cwd()
        os.chdir(folder)
        try:
            function.generate("f.c")
        finally:
            os.chdir(here)
        (out,) = fresh(case, count, n)
        size, k = out[0].size, len(arrays)
        take = ", ".join(f"const double* x{j}" for j in range(k))
        point = " ".join(f"arg[{j}] = x{j} + i * {n};" for j in range(k))
        loop = f"""
void run({take}, double* y, long count) {{
  const double* arg[{function.sz_arg()}]; double* res[{function.sz_res()}];
  casadi_int iw[{function.sz_iw() + 1}]; double w[{function.sz_w() + 1}];
  for (long i = 0; i < count; ++i) {{ {point} res[0] = y + i * {size}; f(arg, res, iw, w, 0); }}
}}
"""
        source.write_text(source.read_text() + loop)
        library = folder / "f.so"
        build = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-w", str(source), "-o", str(library), "-lm"]
        subprocess.run(build, check=True)
        run = ctypes.CDLL(str(library)).run
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out)]

        def call() -> np.ndarray:
            run(*pointers, ctypes.c_long(count))
            return out.transpose(0, *range(out.ndim - 1, 0, -1))  # CasADi stores columns

        return call


class Jax(OurTape):
    """Our own tape as a JAX function, vmapped and jitted, on one CPU thread."""

    name = "jax"

    def __init__(self, robot: Robot) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.version, self.robot = jax, jax.__version__, robot

    def many(self, case: Case, arrays: list[np.ndarray]) -> Work | None:
        if len(case.results) > 1:
            return None
        f = self.jax.jit(self.jax.vmap(st.export(self.robot, case.key, "jax")))
        given = [self.jax.numpy.asarray(a) for a in arrays]
        return lambda: self.jax.block_until_ready(f(*given))


PEERS = (Steiner, Pinocchio, MuJoCo, CasadiC, Jax)
