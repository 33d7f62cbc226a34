"""Twists and wrenches, by themselves and in frames that have names; the Lie bracket, and motion along screws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from steiner.errors import GeometryError, SteinerError, described, is_one_of, need, several, unknown
from steiner.records import record, replace
from steiner.scalar import Frozen, array, brief, is_number, is_zero, sin, sqrt, total
from steiner.spatial.poses import IDENTITY, ZERO, Pose, cross, dot, quaternion, skew


def _pose(T: Any, what: str) -> Pose:
    if not isinstance(T, Pose):
        raise GeometryError(f"{what}: expected a Pose, got {described(T)}; Pose.from_matrix takes a 4×4 matrix")
    return T


def Ad(T: Pose) -> np.ndarray:
    """[Ad_T]: carries a twist from the child frame to the parent frame."""
    T = _pose(T, "Ad")
    out = np.zeros((6, 6), dtype=np.result_type(T.R.dtype, T.p.dtype))
    out[:3, :3] = out[3:, 3:] = T.R
    out[3:, :3] = skew(T.p) @ T.R
    return out


def ad(V: Any) -> np.ndarray:
    """[ad_V], the Lie bracket: ad_V W = [V, W]."""
    V = six(V)
    out = np.zeros((6, 6), dtype=V.dtype)
    out[:3, :3] = out[3:, 3:] = skew(V[:3])
    out[3:, :3] = skew(V[3:])
    return out


def twist_to_parent(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the parent frame: V_a = [Ad_T] V_b."""
    V = six(V)
    angular = T.R @ V[:3]
    return np.concatenate([angular, T.R @ V[3:] + cross(T.p, angular)])


def twist_to_child(T: Pose, V: Any) -> np.ndarray:
    """The same motion, written in the child frame."""
    V = six(V)
    return np.concatenate([T.R.T @ V[:3], T.R.T @ (V[3:] - cross(T.p, V[:3]))])


def wrench_to_parent(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the parent frame (power does not change)."""
    F = six(F)
    force = T.R @ F[3:]
    return np.concatenate([T.R @ F[:3] + cross(T.p, force), force])


def wrench_to_child(T: Pose, F: Any) -> np.ndarray:
    """The same load, written in the child frame: F_b = [Ad_T]ᵀ F_a."""
    F = six(F)
    return np.concatenate([T.R.T @ (F[:3] - cross(T.p, F[3:])), T.R.T @ F[3:]])


def exp(S: Any, angle: Any = 1) -> Pose:
    """exp([S] θ): the pose after moving along the screw S = (ω, v) by θ; ω need not be a unit vector."""
    S = six(S)
    w, v = S[:3], S[3:]
    square = dot(w, w)
    if is_zero(square):
        return Pose.trusted(np.eye(3), v * angle)
    rate = sqrt(square)
    turn = rate * angle
    half = sin(turn / 2)
    a, b = sin(turn) / rate, 2 * half * half / square
    c = _turn_minus_sine(turn) / (square * rate)
    W = skew(w)
    W2 = W @ W
    eye = np.eye(3, dtype=int)
    return Pose.trusted(eye + a * W + b * W2, (eye * angle + b * W + c * W2) @ v)


def _turn_minus_sine(x: Any) -> Any:
    """x − sin x, without cancellation for small numbers."""
    if is_number(x) and abs(x) < 0.1:
        x2 = x * x
        return x * x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72)))
    return x - sin(x)


def log(T: Pose) -> np.ndarray:
    """The 6-vector S θ with exp(S θ) = T, rotation angle in [0, π] (numbers only)."""
    T = _pose(T, "log")
    R, p = T.R.astype(float), T.p.astype(float)
    (x, y, z), cosine = quaternion(R)  # of half the angle: neither 0 nor π is a special case
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2 * math.atan2(sine, cosine)
    w = np.array([x, y, z]) * (angle / sine if sine else 2.0)
    W, t2 = skew(w), float(w @ w)
    if t2 < 1e-4:
        k = 1 / 12 + t2 / 720 + t2 * t2 / 30240
    else:
        t = math.sqrt(t2)
        k = (1 - t / 2 / math.tan(t / 2)) / t2
    return np.concatenate([w, (np.eye(3) - W / 2 + k * W @ W) @ p])


@record(eq=False)
class Twist(Frozen):
    """Velocity of a body: (ω, v), v of the point at the frame's origin."""

    angular: np.ndarray
    linear: np.ndarray

    def __init__(self, angular: Any, linear: Any = (0.0, 0.0, 0.0)) -> None:
        object.__setattr__(self, "angular", array(angular, (3,), "angular velocity", batch=True))
        object.__setattr__(self, "linear", array(linear, (3,), "linear velocity", batch=True))

    @property
    def vector(self) -> np.ndarray:
        """(ω, v) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.angular, self.linear), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(v, ω), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.linear, self.angular), axis=-1)


@record(eq=False)
class Frame:
    """A frame with a name, {h}: it stands at `pose` in the frame `of`, or is where others are told from."""

    name: str
    pose: Pose = IDENTITY
    of: Frame | None = None

    @property
    def chain(self) -> Iterator[Frame]:
        """This frame, the one that it is told in, and so on."""
        yield self
        if self.of is not None:
            yield from self.of.chain

    def pose_of(self, other: Frame) -> Pose:
        """T_self_other: where the other frame stands in this one."""
        need("pose_of", other, Frame)
        (here, T_root_self), (there, T_root_other) = self._rooted, other._rooted
        if here != there:
            raise SteinerError(
                f"nothing says where {other} is in {self}: one is told from {{{there}}}, the other from {{{here}}}; "
                f"give Frame({other.name!r}, pose, of=...) its place"
            )
        return T_root_self.inverse() @ T_root_other

    @property
    def _rooted(self) -> tuple[str, Pose]:
        if self.of is None:
            return self.name, self.pose
        root, T = self.of._rooted
        return root, T @ self.pose

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        (here, T), (there, S) = self._rooted, other._rooted
        return self is other or (
            (self.name, here) == (other.name, there) and np.array_equal(T.matrix, S.matrix)
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"{{{self.name}}}"


@record(eq=False)
class Wrench(Frozen):
    """Moment and force exerted by the environment on a link, or on one body in a frame with a name.

    `at` is the point of application in the link's frame (its origin by default); moment and force
    are along the axes of the world or of the link.  With `frame`, a `Frame` or just its name, they are along that
    frame's axes and `at` is in it.  Values may carry leading batch dimensions.
    """

    moment: np.ndarray
    force: np.ndarray
    acting_on: str | None
    at: np.ndarray
    axes: str
    frame: Frame | None

    def __init__(
        self,
        moment: Any = (0.0, 0.0, 0.0),
        force: Any = (0.0, 0.0, 0.0),
        *,
        acting_on: str | None = None,
        at: Any = (0.0, 0.0, 0.0),
        axes: str = "world",
        frame: Frame | str | None = None,
    ) -> None:
        if not is_one_of(axes, ("world", "link")):
            raise SteinerError(f"axes={described(axes)}: a wrench is along the axes of the 'world' or of the 'link'")
        object.__setattr__(self, "moment", array(moment, (3,), "moment", batch=True))
        object.__setattr__(self, "force", array(force, (3,), "force", batch=True))
        object.__setattr__(self, "acting_on", acting_on)
        object.__setattr__(self, "at", array(at, (3,), "at", batch=True))
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "frame", Frame(frame) if isinstance(frame, str) else frame)

    @property
    def vector(self) -> np.ndarray:
        """(moment, force) as one 6-vector."""
        return np.concatenate(np.broadcast_arrays(self.moment, self.force), axis=-1)

    def to_linear_first(self) -> np.ndarray:
        """(force, moment), the order of Pinocchio, KDL and robotics-toolbox."""
        return np.concatenate(np.broadcast_arrays(self.force, self.moment), axis=-1)

    def at_origin(self) -> Wrench:
        """The same load with its moment about the origin of its frame."""
        if not np.any(self.at):
            return self
        if self.frame is None and self.axes == "world":
            raise SteinerError(
                "this wrench acts at a point of a link but is along the world's axes, so its moment about the link's "
                "origin depends on the pose; give it with axes='link'"
            )
        return replace(self, moment=self.moment + cross(self.at, self.force), at=ZERO)

    def in_frame(self, frame: Frame | str, pose: Pose | None = None) -> Wrench:
        """The same load in another frame {b}: F_b = [Ad_T_ab]ᵀ F_a.

        `pose` is T_ab, where {b} stands in this wrench's own frame {a}; frames that are connected know it themselves.
        """
        target = Frame(frame) if isinstance(frame, str) else need("in_frame", frame, Frame)
        if pose is None:
            if self.frame is None:
                raise SteinerError(f"this wrench is in no named frame: say where {target} stands in its own, pose=")
            pose = self.frame.pose_of(target)
        here = self.at_origin()
        need("in_frame: pose", pose, Pose)
        moment = (here.moment - cross(pose.p, here.force)) @ pose.R  # rows: x @ R is Rᵀ x
        return replace(here, moment=moment, force=here.force @ pose.R, frame=target)

    def __add__(self, other: Wrench) -> Wrench:
        if not isinstance(other, Wrench):
            return NotImplemented
        where = [(w.frame, w.acting_on, w.axes) for w in (self, other)]
        if where[0] != where[1] or not np.array_equal(self.at, other.at):
            raise SteinerError(
                f"a wrench {self._place()} and one {other._place()} do not add up as they are; bring them to one frame "
                "first: w.in_frame(frame), or total_wrench([...], frame=...)"
            )
        return replace(self, moment=self.moment + other.moment, force=self.force + other.force)

    def __neg__(self) -> Wrench:
        return replace(self, moment=-self.moment, force=-self.force)

    def _place(self) -> str:
        frame = f"in {self.frame}" if self.frame is not None else f"along the axes of the {self.axes}"
        link = f" on {self.acting_on}" if self.acting_on else ""
        return f"{frame}{link}" + (f" at {described(self.at.tolist())}" if np.any(self.at) else "")

    def __str__(self) -> str:
        """As one writes it: (0, 0, -0.75 N m, 0, -6 N, 0)."""
        if self.vector.ndim > 1:
            return repr(self)
        parts = [f"{brief(x)} {unit}" for unit, v in (("N m", self.moment), ("N", self.force)) for x in v]
        return f"({', '.join('0' if is_zero(x) else text for x, text in zip(self.vector, parts, strict=True))})"


def total_wrench(wrenches: Iterable[Wrench], *, frame: Frame | str | None = None) -> Wrench:
    """The sum of wrenches on one body, in a frame chosen by name: F_f = [Ad_T_hf]ᵀ F_h + [Ad_T_af]ᵀ F_a + … (D6).

    Without `frame` they are in one frame already; points of application are carried to its origin.
    """
    given = [need("total_wrench", w, Wrench) for w in several("total_wrench", wrenches, "wrenches")]
    if isinstance(frame, str):
        known = {f.name: f for w in given if w.frame is not None for f in w.frame.chain}
        if frame not in known:
            raise SteinerError(unknown("frame", frame, known, "these wrenches"))
        frame = known[frame]
    if not given:
        return Wrench(frame=frame)
    return total(w.at_origin() if frame is None else w.in_frame(frame) for w in given)


def six(x: Any, what: str = "6-vector") -> np.ndarray:
    """A twist, a wrench or six numbers as one 6-vector, angular first."""
    return x.vector if isinstance(x, Twist | Wrench) else array(x, (6,), what, batch=True)
