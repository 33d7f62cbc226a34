"""What the equations say about a robot's structure (E7a): how heavy and how nimble it is at its tool.

Numbers only.  The mobility W = J M⁻¹ Jᵀ (aligned frame, angular first) turns a wrench at the tool into
the acceleration that it causes from rest; its inverse, where it exists, is the inertia felt at the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steiner.doors import door
from steiner.errors import ArgumentError, described, is_one_of, need, several, unknown, whole
from steiner.model.robot import Robot
from steiner.scalar import Frozen, any_symbolic, array
from steiner.spatial import unit
from steiner.text.tables import Table

PARTS = {"all": slice(0, 6), "angular": slice(0, 3), "linear": slice(3, 6)}
MOST_SAMPLES = 2000  # along each side of a map
SINGULAR = 1e-12  # of the largest eigenvalue: below it the tool cannot move that way


class Ellipsoid(NamedTuple):
    """Principal values and axes (columns): a direction of value v feels the inertia 1/v."""

    values: np.ndarray  # (…, 3), ascending: of the mobility, 1/kg or 1/(kg m²)
    axes: np.ndarray  # (…, 3, 3)

    @property
    def felt(self) -> np.ndarray:
        """Inertia felt along the axes, kg or kg m²; infinite where the tool cannot move."""
        most = self.values.max(axis=-1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.where(self.values > SINGULAR * most, 1 / np.maximum(self.values, 1e-300), np.inf)


@dataclass(frozen=True, eq=False, repr=False)
class RobotStructure(Frozen):
    """Inertia and dexterity of a robot at q, seen from a link; arrays carry the batch dimensions of q."""

    link: str
    position: np.ndarray  # of the link (or point) in the world
    mass_matrix: np.ndarray
    jacobian: np.ndarray  # 6×n, aligned frame
    mobility: np.ndarray  # 6×6

    @property
    def condition(self) -> np.ndarray:
        """cond(M): largest over smallest eigenvalue of the mass matrix."""
        values = np.linalg.eigvalsh(self.mass_matrix)
        return values[..., -1] / values[..., 0]

    def manipulability(self, part: str = "all") -> np.ndarray:
        """Yoshikawa's √det(J Jᵀ) of all rows, the "angular" or the "linear" ones; 0 at a singularity.

        It is the product of the singular values; with fewer joints than rows, √det(Jᵀ J).
        """
        return np.prod(np.linalg.svd(self.jacobian[..., _part(part), :], compute_uv=False), axis=-1)

    def isotropy(self, part: str = "all") -> np.ndarray:
        """Asada's measure: smallest over largest principal inertia felt at the tool, 1 at best."""
        rows = _part(part)
        values = np.linalg.eigvalsh(self.mobility if part == "all" else self.inertia[..., rows, rows])
        return np.maximum(values[..., 0], 0) / values[..., -1]

    def ellipsoid(self, part: str = "linear") -> Ellipsoid:
        """Inertia ellipsoid at the tool for forces ("linear") or moments ("angular")."""
        W = self.mobility[..., _part(part), _part(part)]
        return Ellipsoid(*np.linalg.eigh(W))

    def reflected_inertia(self, direction: Any, part: str = "linear") -> np.ndarray:
        """Mass (or moment of inertia) that a push along the direction feels: 1 / (uᵀ W u)."""
        u = _floats(unit(array(direction, (3,), "direction"), "direction"), "direction")
        felt = np.einsum("i,...ij,j->...", u, self.mobility[..., _part(part), _part(part)], u)
        most = np.linalg.eigvalsh(self.mobility)[..., -1]
        with np.errstate(divide="ignore"):
            return np.where(felt > SINGULAR * most, 1 / np.maximum(felt, 1e-300), np.inf)

    @property
    def inertia(self) -> np.ndarray:
        """6×6 inertia felt at the tool, W⁻¹ = J⁻ᵀ M J⁻¹; raises at a singularity or with fewer than six joints."""
        values = np.linalg.eigvalsh(self.mobility)
        if np.any(values[..., 0] <= SINGULAR * values[..., -1]):
            raise ArgumentError(f"link {self.link!r} cannot move in every direction here; use mobility or ellipsoid()")
        return np.linalg.inv(self.mobility)

    def __repr__(self) -> str:
        batch = f", batch of shape {self.position.shape[:-1]}" if self.position.ndim > 1 else ""
        return f"<RobotStructure at {self.link!r}{batch}; table() lists its numbers>"

    def _table(self, caption: str = "") -> Table:
        rows = [
            ["position of the tool, m", self.position], ["condition of M", self.condition],
            ["manipulability", self.manipulability()], ["linear manipulability", self.manipulability("linear")],
            ["mass felt along the principal axes, kg", self.ellipsoid().felt],
        ]  # fmt: skip
        return Table(["quantity", "value"], [[name, np.asarray(value)] for name, value in rows], caption)

    def table(self) -> str:
        """The main numbers as text (one configuration)."""
        return self._table().text() if self.position.ndim == 1 else f"batch of shape {self.position.shape[:-1]}"

    def _repr_html_(self) -> str:
        if self.position.ndim > 1:
            return f"<p>batch of shape {self.position.shape[:-1]}</p>"
        return self._table(f"Structure at {self.link}").html()


def _part(name: str) -> slice:
    if not is_one_of(name, PARTS):
        raise ArgumentError(unknown("part", name, PARTS))
    return PARTS[name]


def structure(robot: Robot, q: Any, link: str | None = None, *, point: Any = None) -> RobotStructure:
    """Inertia ellipsoid, reflected inertia, conditioning and manipulability at q, seen from a link (the last).

    A batch of q gives a batch of results.
    """
    need("structure", robot, Robot)
    if robot.is_symbolic:
        raise ArgumentError(f"structure: {robot.name} has symbols; put numbers in their place first")
    name = robot.links[-1].name if link is None else robot.link(link).name
    q = _floats(array(q, (robot.n,), "q", batch=True), "q")
    point = None if point is None else _floats(array(point, (3,), "point"), "point")
    M = robot.mass_matrix(q)
    J = robot.jacobian(q, name, "aligned", point)
    pose = robot.forward_kinematics(q, name)
    where = pose.p if point is None else pose.apply(point)
    W = J @ _solved(robot, M, np.swapaxes(J, -1, -2))
    return RobotStructure(name, where, M, J, (W + np.swapaxes(W, -1, -2)) / 2)


def _floats(values: np.ndarray, what: str) -> np.ndarray:
    if any_symbolic(values):
        raise ArgumentError(f"{what}: the structure is told in numbers, got {described(values.tolist())}")
    return values.astype(float)


def _solved(robot: Robot, M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """M⁻¹ of the right side; without one the joint that moves nothing is named."""
    try:
        return np.linalg.solve(M, right)
    except np.linalg.LinAlgError:
        idle = np.flatnonzero(np.abs(M.reshape(-1, robot.n, robot.n)).max(axis=(0, 1)) == 0)
        which = f": joint {robot.joint_names[idle[0]]!r} moves no mass" if len(idle) else ""
        raise ArgumentError(f"structure: the mass matrix of {robot.name} is singular here{which}") from None


class StructureMap(NamedTuple):
    """A quantity over two joints' ranges: coordinates of the grid, tool positions and values."""

    quantity: str
    joints: tuple[str, str]
    grid: tuple[np.ndarray, np.ndarray]  # the joints' values
    position: np.ndarray  # (a, b, 3)
    values: np.ndarray  # (a, b)

    @door
    def plot(self, axes: Any = None, plane: str = "xz") -> Any:
        """The values over the tool's position in a plane of the world; returns matplotlib's axes."""
        ...


QUANTITIES = {
    "condition": lambda s: s.condition,
    "manipulability": lambda s: s.manipulability(),
    "linear manipulability": lambda s: s.manipulability("linear"),
    "isotropy": lambda s: s.isotropy(),
    "largest mass": lambda s: s.ellipsoid().felt.max(axis=-1),
    "smallest mass": lambda s: s.ellipsoid().felt.min(axis=-1),
}


def structure_map(
    robot: Robot,
    q: Any,
    joints: Sequence[str],
    *,
    link: str | None = None,
    quantity: str = "condition",
    samples: int = 41,
    ranges: Sequence[tuple[float, float]] | None = None,
) -> StructureMap:
    """A quantity over the workspace that two joints span, the others held at q.

    Ranges are the joints' limits unless given (±π for a joint without).
    """
    need("structure_map", robot, Robot)
    if not is_one_of(quantity, QUANTITIES):
        raise ArgumentError(unknown("quantity", quantity, QUANTITIES))
    joints = several("joints", joints, "two names of joints")
    if len(joints) != 2:
        raise ArgumentError(f"a map spans two joints, got {described(joints)}")
    for name in joints:
        if not is_one_of(name, robot.joint_names):
            raise ArgumentError(unknown("joint", name, robot.joint_names, robot.name))
    samples = whole("samples", samples, 1, MOST_SAMPLES)
    spans = [_range(robot, name) for name in joints] if ranges is None else array(ranges, (2, 2), "ranges")
    a, b = (np.linspace(float(low), float(high), samples) for low, high in _floats(np.array(spans), "ranges"))
    states = np.broadcast_to(_floats(array(q, (robot.n,), "q"), "q"), (samples, samples, robot.n)).copy()
    for values, name, shape in ((a, joints[0], (samples, 1)), (b, joints[1], (1, samples))):
        states[..., robot.joint_names.index(name)] = values.reshape(shape)
    found = structure(robot, states, link)
    return StructureMap(quantity, (joints[0], joints[1]), (a, b), found.position, QUANTITIES[quantity](found))


def _range(robot: Robot, name: str) -> tuple[float, float]:
    limits = robot.joint(name).limits
    if limits is None or limits.lower is None or limits.upper is None:
        return -np.pi, np.pi
    return limits.lower, limits.upper
