"""What the methods of a robot answer with, besides plain arrays: named results that print as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steiner.records import record
from steiner.scalar import Frozen, array, total
from steiner.spatial import Pose

if TYPE_CHECKING:  # a table that is printed only when asked for
    from steiner.text.tables import Table

Numbers = np.ndarray | Sequence[Any]  # floats, batches of them, or symbols

QUANTITIES = (
    ("angular_velocity", "ω"), ("angular_acceleration", "ω̇"), ("acceleration", "v̇"),
    ("com_acceleration", "v̇_C"), ("force", "F"), ("moment", "N"), ("joint_force", "f"), ("joint_moment", "n"),
)  # fmt: skip


@record(eq=False)
class BaseMotion(Frozen):
    """How the robot's base moves, along the world's axes: ω₀, ω̇₀ and v̇₀ of the origin, without gravity."""

    angular_velocity: Any = (0.0, 0.0, 0.0)
    angular_acceleration: Any = (0.0, 0.0, 0.0)
    acceleration: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("angular_velocity", "angular_acceleration", "acceleration"):
            object.__setattr__(self, name, array(getattr(self, name), (3,), f"base motion: {name}", batch=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The nine numbers (ω₀, ω̇₀, v̇₀)."""
        parts = (self.angular_velocity, self.angular_acceleration, self.acceleration)
        joined = np.concatenate(np.broadcast_arrays(*parts), axis=-1)
        return joined.astype(dtype) if dtype is not None else joined


class NewtonEuler(NamedTuple):
    """One row per moving link; vectors along the axes of that link's frame.

    acceleration is v̇ of the link's origin (gravity counts as upward acceleration of the base), F = m v̇_C
    and N = I_C ω̇ + ω × I_C ω act on the body at its centre of mass; f and n are what the inboard
    body exerts on it at the joint, so the joint's effort is nᵀẑ or fᵀẑ.
    """

    links: tuple[str, ...]
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    acceleration: np.ndarray
    com_acceleration: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    joint_force: np.ndarray
    joint_moment: np.ndarray
    tau: np.ndarray

    def _table(self, caption: str = "") -> Table:
        from steiner.text.tables import Table, settled

        if self.angular_velocity.ndim != 2:
            return Table(["batch"], [[f"of shape {self.angular_velocity.shape[:-2]}; index the arrays"]], caption)
        head = ["link", *(symbol for _, symbol in QUANTITIES)]
        columns = [settled(getattr(self, name)) for name, _ in QUANTITIES]
        return Table(head, [[link, *(c[i] for c in columns)] for i, link in enumerate(self.links)], caption)

    def table(self) -> str:
        """The quantities of every link as text, SI units."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table("Newton-Euler, per link (SI units, axes of the link)").html()


class JointReactions(NamedTuple):
    """The wrench (moment, force) that every joint carries: exerted by the inboard on the outboard body.

    `frame` says where: at the joint's own origin on its axis, along the axes of the moving link or of
    the world.
    """

    joints: tuple[str, ...]
    wrench: np.ndarray  # (…, joints, 6), moment first
    frame: str

    def named(self) -> dict[str, np.ndarray]:
        """Wrenches by joint name."""
        return {name: self.wrench[..., k, :] for k, name in enumerate(self.joints)}


class Breakdown(dict[str, np.ndarray]):
    """Shares of the joint efforts by name; they sum to τ."""

    @property
    def total(self) -> np.ndarray:
        """τ, the sum of all shares."""
        return total(self.values())

    def _table(self, caption: str = "") -> Table:
        from steiner.text.tables import Table, settled

        n = np.shape(next(iter(self.values())))
        if len(n) != 1:
            return Table(["batch"], [[f"of shape {n[:-1]}; index the arrays"]], caption)
        efforts = settled([*self.values(), self.total])
        rows = [[name, *share] for name, share in zip([*self, "total"], efforts, strict=True)]
        return Table(["share", *(f"τ{k + 1}" for k in range(n[0]))], rows, caption)

    def table(self) -> str:
        """The shares as text, N m or N."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table("Joint efforts by share (N m, N)").html()


class Poses(dict[str, Pose]):
    """Poses of several links by name, parents before children."""

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrices (…, links, 4, 4) in the order of the names."""
        return np.stack([pose.matrix for pose in self.values()], axis=-3)


class VelocityTerms(NamedTuple):
    """V = C [q̇²] + B [q̇ⱼq̇ₖ]: centrifugal C (n, n), Coriolis B (n, n(n−1)/2) with its columns' joint pairs."""

    C: np.ndarray
    B: np.ndarray
    pairs: tuple[str, ...]


@record
class Reach(Frozen):
    """Joint values found, what is missing there, and whether that is nothing; of a batch, arrays of them."""

    q: np.ndarray
    rotation: np.ndarray  # rad that are missing
    distance: np.ndarray  # m that are missing
    reached: np.ndarray
    steps: int

    @property
    def error(self) -> np.ndarray:
        """What is missing: the larger of rad and m."""
        return np.maximum(self.rotation, self.distance)
