"""Formulas beside sympy.physics.mechanics: the same arms, agreement checked first, one process, both without caches.

`python -m bench.symbolic` prints the table; `make bench` adds it to its results.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.cache import clear_cache
from sympy.physics import mechanics as me

from steiner.formulas import equations
from steiner.formulas.examples import planar3, rr
from steiner.formulas.letters import with_symbols
from steiner.model.robot import Robot
from steiner.robots import build

TOLERANCE = 1e-9


@dataclass
class SymbolicRow:
    """One arm: seconds of both, how many times longer SymPy takes, how far the results differ."""

    case: str
    seconds: dict[str, float]
    error: float
    goal: float

    @property
    def ratio(self) -> float:
        return self.seconds["sympy"] / self.seconds["steiner"]


def bare(robot: Robot) -> Robot:
    """The robot without rotors and friction, which the peer's bodies do not have."""
    links = []
    for link in robot.links:
        joint = dataclasses.replace(link.joint, friction=None)
        object.__setattr__(joint, "armature", 0)
        links.append(dataclasses.replace(link, joint=joint))
    return robot.replace(links=tuple(links))


class Peer:
    """The arm in sympy.physics.mechanics: frames, points and bodies as its manual builds them."""

    def __init__(self, robot: Robot, kane: bool) -> None:
        n = robot.n
        self.q = me.dynamicsymbols(f"q1:{n + 1}")
        self.u = me.dynamicsymbols(f"u1:{n + 1}") if kane else [q.diff() for q in self.q]
        N, O = me.ReferenceFrame("N"), me.Point("O")
        O.set_vel(N, 0)
        frame, point = N, O
        down = sum((x * e for x, e in zip(_exact(robot.gravity), N, strict=True)), start=0 * N.x)
        self.bodies, self.loads, self.N = [], [], N
        for k, link in enumerate(robot.links):
            if not link.joint.moves:
                continue
            seat = frame
            ax, ay, az = _exact(link.mount.p)
            root = point.locatenew(f"O{k}", ax * seat.x + ay * seat.y + az * seat.z)
            root.v2pt_theory(point, N, seat)
            turned = seat.orientnew(f"A{k}", "Axis", [self.q[k], seat.z])
            turned.set_ang_vel(seat, self.u[k] * seat.z)
            angle = math.atan2(float(link.origin.R[2, 1]), float(link.origin.R[2, 2]))
            twist = sp.nsimplify(angle / math.pi) * sp.pi
            frame = turned.orientnew(f"B{k}", "Axis", [twist, turned.x]) if angle else turned
            bx, by, bz = _exact(link.origin.p)
            point = root.locatenew(f"P{k}", bx * turned.x + by * turned.y + bz * turned.z)
            point.v2pt_theory(root, N, turned)
            x, y, z = _exact(link.body.com)
            centre = point.locatenew(f"C{k}", x * frame.x + y * frame.y + z * frame.z)
            centre.v2pt_theory(point, N, frame)
            I = np.vectorize(_number, otypes=[object])(link.body.inertia)
            tensor = me.inertia(frame, I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[0, 2])
            mass = _number(link.body.mass)
            body = me.RigidBody(f"L{k}", centre, frame, mass, (tensor, centre))
            self.bodies.append(body)
            self.loads.append((centre, mass * down))
            body.potential_energy = -mass * down.dot(centre.pos_from(O))

    def kane(self) -> sp.Matrix:
        """Fr + Fr*, which is −τ when no motor acts."""
        relations = [u - q.diff() for q, u in zip(self.q, self.u, strict=True)]
        method = me.KanesMethod(self.N, self.q, self.u, relations)
        fr, frstar = method.kanes_equations(self.bodies, self.loads)
        return -(fr + frstar)

    def lagrange(self) -> sp.Matrix:
        """The left side of Lagrange's equations, simplified until the angle sums are found."""
        L = me.Lagrangian(self.N, *self.bodies)
        return me.LagrangesMethod(L, self.q).form_lagranges_equations().applyfunc(sp.trigsimp)

    def values(self, efforts: sp.Matrix, numbers: dict, state: np.ndarray) -> np.ndarray:
        """The efforts at a state."""
        t = me.dynamicsymbols._t
        q, qd, qdd = state
        plain = {a: sp.Dummy() for a in (*[u.diff(t) for u in self.u], *self.u, *self.q)}
        flat = efforts.xreplace(plain)
        where = dict(zip(plain.values(), (*qdd, *qd, *q), strict=True)) | numbers
        return np.array(sp.lambdify(list(where), flat, cse=True)(*where.values()), dtype=float)[:, 0]


def _number(x: Any) -> Any:
    return x if isinstance(x, sp.Expr) else sp.Integer(int(x)) if float(x).is_integer() else sp.Float(float(x))


def _exact(vector: Any) -> list[Any]:
    return [_number(x) for x in vector]


def timed(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Least time of some runs, each with SymPy's caches empty."""
    best, result = math.inf, None
    for _ in range(repeats):
        clear_cache()
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def measured(case: str, robot: Robot, method: str, goal: float, repeats: int) -> SymbolicRow:
    """Both on one arm: closed forms for Lagrange, a program for Kane."""
    closed = method == "lagrange"

    def ours() -> Any:
        eq = equations(robot)
        return (eq, eq.M, eq.V, eq.G, eq.tau) if closed else (eq, eq.tau.python())

    def theirs() -> Any:
        peer = Peer(robot, kane=not closed)
        return peer, peer.lagrange() if closed else peer.kane()

    spent, (eq, *rest) = timed(ours, 3 * repeats)
    peer_spent, (peer, efforts) = timed(theirs, repeats if closed else 1)
    numbers = {s: 0.3 + 0.1 * k for k, s in enumerate(eq.parameters)}
    state = np.random.default_rng(0).uniform(-1, 1, (3, robot.n))
    if closed:
        where = dict(zip((*eq.q, *eq.qd, *eq.qdd), state.ravel(), strict=True)) | numbers
        found = np.array(rest[-1].subs(where).tolist(), dtype=float)[:, 0]
    else:
        space: dict[str, Any] = {}
        exec(rest[0], space)
        found = np.array(space["inverse_dynamics"](*state.tolist(), **{s.name: v for s, v in numbers.items()}))
    wanted = peer.values(efforts, numbers, state)
    error = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    if not error <= TOLERANCE:
        raise SystemExit(f"{case}: SymPy differs by {error:.2e} and is not measured")
    return SymbolicRow(case, {"steiner": spent, "sympy": peer_spent}, error, goal)


def symbolic_rows(quick: bool = False) -> list[SymbolicRow]:
    """Every arm, with how many times faster than SymPy it should be."""
    puma = bare(build("puma560"))
    repeats = 1 if quick else 3
    return [
        measured("RR, closed form", rr(), "lagrange", 5, repeats),
        measured("three joints in a plane, closed form", planar3(), "lagrange", 5, repeats),
        measured("Puma 560, numbers, as a program", puma, "kane", 100, repeats),
        measured("Puma 560, all symbols, as a program", with_symbols(puma), "kane", 50, repeats),
    ]


def table(rows: list[SymbolicRow]) -> str:
    """For people: milliseconds and ratios."""
    lines = [f"{'formulas':40}{'steiner ms':>12}{'sympy ms':>12}{'ratio':>9}{'goal':>7}{'error':>9}"]
    for row in rows:
        ours, theirs = (1e3 * row.seconds[k] for k in ("steiner", "sympy"))
        lines.append(f"{row.case:40}{ours:12.1f}{theirs:12.0f}{row.ratio:8.0f}×{row.goal:6.0f}×{row.error:9.0e}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(symbolic_rows()))
