"""Motion in time beside others: the same arm, method and step, results compared first, one process, one thread.

`python -m bench.stepping` prints the table; `make bench` adds it to its results.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import steiner as st
from bench.measure import timed
from bench.robots import as_urdf, panda

H = 1e-3
START = np.array([0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5])
MANY, STEPS, LONG = 10_000, 100, 5_000


@dataclass
class MotionRow:
    """One comparison: nanoseconds per step (or run), how many times longer the peer takes, how far results differ."""

    case: str
    peer: str
    ns: dict[str, float]
    error: float
    goal: float

    @property
    def ratio(self) -> float:
        return self.ns[self.peer] / self.ns["steiner"]


def motion_rows(quick: bool = False) -> list[MotionRow]:
    """All comparisons whose peers are installed."""
    rows: list[MotionRow] = []
    for make in (rollouts, loop, adaptive, threads):
        try:
            rows += make(3 if quick else 7)
        except ImportError:
            continue
    return rows


def _row(
    case: str, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any], count: int, goal: float, repeats: int,
    error: Callable[[Any, Any], float],
) -> MotionRow:  # fmt: skip
    works = {"steiner": ours, peer: theirs}
    first = [work() for work in works.values()]
    spent = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            spent[name] = min(spent[name], timed(work, 1))
    return MotionRow(case, peer, {name: 1e9 * s / count for name, s in spent.items()}, error(*first), goal)


def rollouts(repeats: int) -> list[MotionRow]:
    """A batch of arms under constant torques: `mujoco.rollout`, without contacts."""
    import mujoco
    from mujoco import rollout

    from steiner.files.urdf_write import write

    robot = panda()
    rng, n = np.random.default_rng(0), robot.n
    q, qd, tau = (rng.uniform(-x, x, (MANY, n)) for x in (1.0, 0.5, 1.0))
    keep = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco></robot>'
    rows, few, spec = [], STEPS // 10, mujoco.mjtState.mjSTATE_QFRC_APPLIED
    for method, integrator in (("euler", mujoco.mjtIntegrator.mjINT_EULER), ("rk4", mujoco.mjtIntegrator.mjINT_RK4)):
        model = mujoco.MjModel.from_xml_string(write(robot).replace("</robot>", keep))
        model.dof_armature[:] = [robot.joint(name).armature for name in robot.joint_names]
        model.opt.timestep, model.opt.integrator = H, integrator
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        data = mujoco.MjData(model)
        start = np.zeros((MANY, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        start[:, 1 : 1 + n], start[:, 1 + n : 1 + 2 * n] = q, qd
        control = np.ascontiguousarray(np.repeat(tau[:, None, :], few, axis=1))

        def theirs(model: Any = model, data: Any = data, start: Any = start, control: Any = control) -> Any:
            return rollout.rollout(model, data, start, control, control_spec=spec, nstep=few)[0]

        def ours(steps: int, method: str = method) -> Any:
            return st.simulate(robot, q, qd, steps * H, tau=tau, method=method, step=H, t=[steps * H], friction=False)

        reached = theirs()[:, -1, 1 : 1 + n]
        error = float(np.abs(ours(few).q[-1] - reached).max())
        row = _row(f"{MANY} arms, {method}, per step", "mujoco", lambda: ours(STEPS), theirs, MANY, 40, repeats,
                   lambda *_, error=error: error)  # fmt: skip
        row.ns = {"steiner": row.ns["steiner"] / STEPS, "mujoco": row.ns["mujoco"] / few}
        rows.append(row)
    return rows


def loop(repeats: int) -> list[MotionRow]:
    """One arm falling: Pinocchio's forward dynamics in a Python loop."""
    import pinocchio as pin

    robot = panda()
    model = pin.buildModelFromUrdf(as_urdf(robot))
    model.armature[:] = [robot.joint(name).armature for name in model.names[1:]]
    data, rest = model.createData(), np.zeros(robot.n)

    def theirs(steps: int = LONG) -> np.ndarray:
        q, qd = START.copy(), rest.copy()
        for _ in range(steps):
            qd += H * pin.aba(model, data, q, qd, rest)
            q += H * qd
        return q

    def ours(steps: int = LONG) -> np.ndarray:
        return st.simulate(robot, START, rest, steps * H, method="euler", step=H, t=[steps * H], friction=False).q[-1]

    error = float(np.abs(ours(100) - theirs(100)).max())  # free motion is chaotic: longer runs part
    return [_row("one arm, euler, per step", "pinocchio", ours, theirs, LONG, 10, repeats, lambda *_: error)]


def adaptive(repeats: int) -> list[MotionRow]:
    """Two seconds of free fall to 1e-10: SciPy's DOP853 around our forward dynamics."""
    from scipy.integrate import solve_ivp

    robot = panda()
    n, forward, rest = robot.n, robot.forward_dynamics, np.zeros(robot.n)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], forward(y[:n], y[n:], rest)])

    def theirs(end: float = 2.0) -> np.ndarray:
        start = np.concatenate([START, rest])
        return solve_ivp(rate, (0, end), start, method="DOP853", rtol=1e-10, atol=1e-12, t_eval=[end]).y[:n, -1]

    def ours(end: float = 2.0) -> np.ndarray:
        return st.simulate(robot, START, rest, end, t=[end]).q[-1]

    error = float(np.abs(ours(0.5) - theirs(0.5)).max())
    return [_row("one arm, dop853, 2 s", "scipy", ours, theirs, 1, 4, repeats, lambda *_: error)]


def threads(repeats: int) -> list[MotionRow]:
    """The batch again with one thread and with two."""
    robot = panda()
    rng = np.random.default_rng(0)
    q, qd, tau = (rng.uniform(-x, x, (MANY, robot.n)) for x in (1.0, 0.5, 1.0))

    def work(count: int) -> np.ndarray:
        before, os.environ["STEINER_THREADS"] = os.environ.get("STEINER_THREADS", "1"), str(count)
        try:
            return st.simulate(robot, q, qd, STEPS * H, tau=tau, method="rk4", step=H, t=[STEPS * H], friction=False).q
        finally:
            os.environ["STEINER_THREADS"] = before

    case, count = f"{MANY} arms, rk4, a second thread", MANY * STEPS
    return [
        _row(case, "one thread", lambda: work(2), lambda: work(1), count, 1.8, repeats,
             lambda a, b: float(np.abs(a - b).max()))
    ]  # fmt: skip


def table(rows: list[MotionRow]) -> str:
    """The rows for people."""
    lines = [f"{'motion':36} {'steiner ns':>14} {'peer ns':>14} {'ratio':>8} {'goal':>6} {'error':>8}  peer"]
    for row in rows:
        verdict = "" if row.ratio >= row.goal else "  short of its goal"
        lines.append(
            f"{row.case:36} {row.ns['steiner']:14.1f} {row.ns[row.peer]:14.1f} {row.ratio:7.1f}× {row.goal:5g}× "
            f"{row.error:8.0e}  {row.peer}{verdict}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("STEINER_THREADS", "1")
    print(table(motion_rows()))
