"""Two robots side by side: which link differs in what, and what that does to M, C q̇, g and springs."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from steiner.checks.dynamic import sample_poses
from steiner.errors import ArgumentError, ModelWarning, is_one_of, whole
from steiner.files import load
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.review.others import PROGRAMS, Terms, opened_in
from steiner.scalar import is_number
from steiner.spatial import Pose
from steiner.text.tables import Table

ALIKE = 1e-9  # relative to the larger of both
TERMS = {"M": "mass matrix", "C": "Coriolis and centrifugal forces", "g": "gravity", "s": "springs"}


@final
@dataclass(frozen=True)
class Difference:
    """What differs at a link: its mass, centre, tensor, frame, joint, spring or parent; or that only one has it."""

    link: str
    what: str
    first: str
    second: str
    amount: float  # relative for mass, tensor and spring, metres for the centre, metres and radians for the frame

    def __str__(self) -> str:
        return f"link {self.link!r}: {self.what} {self.first} against {self.second}"


@final
@dataclass(frozen=True)
class Effect:
    """The largest difference of a term over all poses: how large, relative to what, where, and at which joint."""

    term: str  # one of `TERMS`
    largest: float
    relative: float  # to the largest entry of the term at all poses
    joint: str
    q: tuple[float, ...]


@final
@dataclass(frozen=True)
class Comparison:
    """Differences of two robots, and their effect on the terms of the equations of motion."""

    first: str
    second: str
    links: tuple[Difference, ...]
    effects: tuple[Effect, ...]
    remarks: tuple[str, ...] = ()

    @property
    def alike(self) -> bool:
        """Whether nothing differs by more than round-off."""
        return not self.links and not self.remarks and all(effect.relative <= ALIKE for effect in self.effects)

    @property
    def tables(self) -> tuple[Table, Table]:
        """What differs by link, and what that does."""
        rows = [[d.link, d.what, d.first, d.second, f"{d.amount:.3g}"] for d in self.links]
        links = Table(("link", "what", self.first, self.second, "by"), rows, "what differs", "llllr")
        told = [[TERMS[e.term], f"{e.largest:.3g}", f"{e.relative:.2g}", e.joint, _pose(e.q)] for e in self.effects]
        head = ("term", "largest difference", "relative", "joint", "at q")
        return links, Table(head, told, "what that does", "lrrll")

    def text(self, width: int | None = None) -> str:
        """For people."""
        links, effects = self.tables
        parts = [links.text(width)] if self.links else [f"{self.first} and {self.second}: no link differs"]
        return "\n\n".join([*parts, *([effects.text(width)] if self.effects else []), *self.remarks])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables)


def compare(
    a: str | os.PathLike[str] | Robot,
    b: str | os.PathLike[str] | Robot | None = None,
    *,
    against: str | None = None,
    poses: int = 100,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
) -> Comparison:
    """Which link's mass, centre, tensor or frame differs between two robots, and what that does to M, C q̇ and g.

    `against="pinocchio"`, `"mujoco"` or `"drake"` lets that program read the same file `a`, and compares its terms
    with ours.
    Poses are taken from the joint ranges of the first robot.
    """
    if against is not None and not is_one_of(against, PROGRAMS):
        raise ArgumentError(f"against={against!r}: expected one of {', '.join(PROGRAMS)}")
    if (b is None) == (against is None):
        raise ArgumentError("compare: expected two robots, or one file and against=")
    poses = whole("poses", poses, 1, 1_000_000)
    first, name = _robot(a, package_dirs)
    if against is not None:
        if isinstance(a, Robot) or not Path(a).is_file():
            raise ArgumentError(f"against={against!r} reads a file; expected the path of one")
        other = opened_in(against, Path(a), first.joint_names, first.gravity.astype(float))
        return Comparison(name, against, (), tuple(_effects(first, _RowByRow(other), first.joint_names, poses)))
    assert b is not None
    second, other_name = _robot(b, package_dirs)
    name, other_name = ("first", "second") if name == other_name else (name, other_name)
    differences = tuple(_differences(first, second))
    if set(first.joint_names) != set(second.joint_names):
        only = sorted(set(first.joint_names) ^ set(second.joint_names))
        remark = f"joints of only one of them: {', '.join(only[:12])}; M, C and g are not compared"
        return Comparison(name, other_name, differences, (), (remark,))
    effects = tuple(_effects(first, second, second.joint_names, poses))
    return Comparison(name, other_name, differences, effects)


def quietly(read: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What a reader gives, without its warnings: `check` tells them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read(*args, **options)


def _robot(source: Any, package_dirs: Sequence[str | os.PathLike[str]]) -> tuple[Robot, str]:
    if isinstance(source, Robot):
        return source, source.name
    found = quietly(load, source, package_dirs=package_dirs)
    if not isinstance(found, Robot):
        raise ArgumentError(f"{os.fspath(source)} holds no robot but a link; expected a robot")
    return found, os.fspath(source)


# ---- links ---------------------------------------------------------------------------------------


def _differences(a: Robot, b: Robot) -> Iterator[Difference]:
    ours, theirs = ({link.name: link for link in robot.links} for robot in (a, b))
    for name in dict.fromkeys([*ours, *theirs]):
        if name not in ours or name not in theirs:
            yield _differ(name, "link", ["there" if name in robot else "missing" for robot in (ours, theirs)], math.inf)
        else:
            yield from _of_link(ours[name], theirs[name])


def _differ(link: str, what: str, values: Sequence[str], amount: float) -> Difference:
    first, second = values
    return Difference(link, what, first, second, amount)


def _of_link(a: Link, b: Link) -> Iterator[Difference]:
    if a.parent != b.parent:
        yield _differ(a.name, "parent", [str(a.parent), str(b.parent)], math.inf)
    kinds = [type(link.joint).__name__.lower() for link in (a, b)]
    if kinds[0] != kinds[1]:
        yield _differ(a.name, "joint", kinds, math.inf)
    for one, other in zip(a.joint.screws(), b.joint.screws(), strict=False):
        pair = [(s.stiffness, s.rest if s.stiffness else 0.0) for s in (one, other)]
        if all(is_number(x) for spring in pair for x in spring) and (off := _relative(*pair)) > ALIKE:
            told = [f"{float(k):.6g} about {float(rest):.6g}" if k else "none" for k, rest in pair]
            yield _differ(a.name, "spring", told, off)
    if not (a.body.is_numeric and b.body.is_numeric):
        return
    masses = [float(link.body.mass) for link in (a, b)]
    if (off := _relative(*masses)) > ALIKE:
        yield _differ(a.name, "mass", [f"{m:.6g} kg" for m in masses], off)
    centres = [link.body.com.astype(float) for link in (a, b)]
    if max(masses) > 0 and (off := float(np.linalg.norm(centres[0] - centres[1]))) > ALIKE * _size(*centres):
        yield _differ(a.name, "centre", [f"({_list(c)}) m" for c in centres], off)
    tensors = [link.body.inertia.astype(float) for link in (a, b)]
    if (off := _relative(*tensors)) > ALIKE:
        moments = [f"{_list(np.linalg.eigvalsh(t))} kg m²" for t in tensors]
        if moments[0] == moments[1]:  # turned only
            moments = [f"{_list(t[np.triu_indices(3)])} kg m²" for t in tensors]
        yield _differ(a.name, "tensor", moments, off)
    yield from _of_frame(a, b)


def _of_frame(a: Link, b: Link) -> Iterator[Difference]:
    for what, one, other in (("frame", a.mount, b.mount), ("origin", a.origin, b.origin)):
        apart = _apart(one, other)
        if apart > ALIKE * _size(one.p, other.p):
            yield _differ(a.name, what, [f"({_list(T.p)}) m" for T in (one, other)], apart)
    axes = [link.joint.axis.astype(float) for link in (a, b)]
    if a.joint.moves and b.joint.moves and (off := float(np.linalg.norm(axes[0] - axes[1]))) > ALIKE:
        yield _differ(a.name, "axis", [f"({_list(x)})" for x in axes], off)


def _apart(a: Pose, b: Pose) -> float:
    """Metres between two frames plus the radians that they are turned."""
    turn = a.R.T.astype(float) @ b.R.astype(float)
    angle = float(np.linalg.norm(turn - np.eye(3)) / math.sqrt(2))  # 2 sin(θ/2): exact where it is small
    return float(np.linalg.norm((a.p - b.p).astype(float))) + angle


def _size(*vectors: Any) -> float:
    return 1e-3 + max(float(np.abs(np.asarray(v, dtype=float)).max()) for v in vectors)


def _relative(a: Any, b: Any) -> float:
    size = max(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    return float(np.linalg.norm(np.subtract(a, b))) / size if size else 0.0


def _list(values: Any) -> str:
    return ", ".join(f"{float(x):.5g}" for x in values)


# ---- terms ---------------------------------------------------------------------------------------


@final
class _RowByRow:
    """Another program's terms for all poses at once."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        return np.array([self.terms.mass_matrix(row) for row in q])

    def velocity_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([self.terms.velocity_forces(*rows) for rows in zip(q, qd, strict=True)])

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        return np.array([self.terms.gravity_forces(row) for row in q])

    def spring_forces(self, q: np.ndarray) -> np.ndarray:
        return np.array([self.terms.spring_forces(row) for row in q])


def _effects(a: Robot, b: Any, joints: Sequence[str], poses: int) -> Iterator[Effect]:
    """The terms of both at sample poses and unit speeds; joints in the order of the first robot."""
    if a.is_symbolic or getattr(b, "is_symbolic", False) or not a.n:
        return
    q = sample_poses(a, poses)
    qd = np.random.default_rng(1).uniform(-1, 1, q.shape)
    to = np.array([a.joint_names.index(name) for name in joints])  # b's k-th joint is ours at to[k]
    back = np.argsort(to)
    both = {
        "M": (a.mass_matrix(q), b.mass_matrix(q[:, to])[:, back][:, :, back]),
        "C": (a.velocity_forces(q, qd), b.velocity_forces(q[:, to], qd[:, to])[:, back]),
        "g": (a.gravity_forces(q), b.gravity_forces(q[:, to])[:, back]),
    }
    springs = a.spring_forces(q), b.spring_forces(q[:, to])[:, back]
    if any(x.any() for x in springs):
        both["s"] = springs
    scale = max(float(np.abs(values).max()) for pair in both.values() for values in pair)  # speeds are about 1
    for term, (ours, theirs) in both.items():
        off = np.abs(theirs - ours)
        off = off.max(axis=-1) if term == "M" else off  # per joint: the largest entry of its row
        pose, joint = np.unravel_index(int(np.argmax(off)), off.shape)
        size = max(float(np.abs(ours).max()), float(np.abs(theirs).max()), 1e-4 * scale)  # a term may vanish
        largest = float(off[pose, joint])
        where = tuple(float(x) for x in q[pose])
        yield Effect(term, largest, largest / size if size else 0.0, a.joint_names[int(joint)], where)


def _pose(q: Sequence[float]) -> str:
    return ", ".join(f"{x:.3g}" for x in q[:8]) + (", …" if len(q) > 8 else "")
