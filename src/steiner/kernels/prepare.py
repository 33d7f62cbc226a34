"""What is done before an algorithm is traced: ONE pipeline, for methods, compiled functions, formulas and export.

Steps are Tree → Tree: frames re-chosen so that they are sparse, inertias regrouped to base parameters.  A `Prepared`
tree is what a traced function sees: each algorithm of the table that it calls gets the lean tree if its result cannot
tell the difference, and the cheapest of its routes.

A body's frame may be turned about its joint's axis: the joint takes the turn into its offset, the spring its rest, the
children's mounts take the rest.  As Denavit and Hartenberg do, x is laid along the common normal of two
successive axes; a mount is then a rotation about x alone, with five entries instead of nine.  It may also
be slid along the axis: to the foot of the perpendicular from the parent's origin, which moves offsets
outboard, where fewer forces pass; or to the common normal itself, and what is left along the child's axis becomes
its body's rise.

Mass on a joint's axis moves just as the parent does; a sliding joint does not turn the body.  What a
joint cannot tell from a part of its parent is moved there (Mayeda, Khalil): torques stay the same,
numbers become zero and the tracer drops what they multiply.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steiner.backends import remembered
from steiner.dynamics import ALGORITHMS, Algorithm, algorithm
from steiner.dynamics.algorithms import Prepared
from steiner.inertia.moments import Moments
from steiner.model.tree import GROUND, Body, Place, Tree
from steiner.records import names_of, replace
from steiner.scalar import is_zero
from steiner.spatial import IDENTITY, ROUND_OFF, Pose, snapped
from steiner.trace import Tape, trace
from steiner.trace.tape import sha256

if TYPE_CHECKING:
    from steiner.text.tables import Table

NEAR = 4  # times as far as a child stands a common normal may be

# ---- frames ----------------------------------------------------------------------------------------


def density(bodies: Iterable[Body]) -> int:
    """How many entries of the mounts are neither 0 nor ±1, and how many joints have an offset or bodies a rise."""
    count = 0
    for body in bodies:
        entries = np.concatenate([body.mount.R.ravel(), body.mount.p])
        count += int(np.sum((entries != 0) & (np.abs(entries) != 1)))
        count += int(body.joint.offset != 0) + int(body.rise != 0)
    return count


def sparse_frames(tree: Tree) -> Tree:
    """The tree with equivalent bodies whose mounts are sparse; the same tree if nothing is gained."""
    if not _is_numeric(tree):
        return tree
    bodies = list(tree.bodies)
    turns = [0.0] * len(bodies)
    for i in range(len(bodies)):
        bodies[i], turns[i] = _turned(bodies, i)
        for k, child in enumerate(bodies):
            if child.parent == i:
                bodies[k] = replace(child, mount=Pose.about_z(-turns[i]) @ child.mount)
    if density(bodies) >= density(tree.bodies):
        return tree
    places = {
        name: place if place.body == GROUND else Place(place.body, Pose.about_z(-turns[place.body]) @ place.pose)
        for name, place in tree.places.items()
    }
    return tree.replace(bodies=tuple(bodies), places=places)


def slid_frames(tree: Tree) -> Tree:
    """The tree with equivalent bodies, every origin slid along its axis to where it is nearest to the parent's."""
    if not _is_numeric(tree):
        return tree
    shift = {GROUND: 0.0}
    for i, body in enumerate(tree.bodies):
        shift[i] = 0.0 if body.parent == GROUND else -_up(body.mount, shift[body.parent])
    return _slid(tree, shift)


def risen_frames(tree: Tree) -> Tree:
    """The tree with equivalent bodies, every origin on the common normal of its axis and the first child's.

    What is then left along a child's axis is its body's rise.  Nearly parallel axes have theirs far away, where
    digits would be lost: their bodies stay.
    """
    if not _is_numeric(tree):
        return tree
    shift = dict.fromkeys((GROUND, *range(len(tree.bodies))), 0.0)
    for body in reversed(tree.bodies):  # of several children the first decides
        (_, y, z), (_, b, c) = body.mount.p, body.mount.R[:, 2]
        to_normal = float(z - y * c / b) if abs(b) > ROUND_OFF else 0.0
        near = abs(to_normal) <= NEAR * float(np.abs(body.mount.p).max())
        shift[body.parent] = to_normal if near and body.parent != GROUND else 0.0
    slid = _slid(tree, shift)
    return slid.replace(bodies=tuple(_with_rise(body) for body in slid.bodies))


def _with_rise(body: Body) -> Body:
    """The same body with a mount that is not along the axis, if that leaves fewer numbers."""
    rise = _up(body.mount)
    foot = _without_round_off(body.mount.p - body.mount.R[:, 2] * rise, body.mount.p)
    if np.count_nonzero(foot) + 1 >= np.count_nonzero(body.mount.p):
        return body
    return replace(body, mount=Pose.trusted(body.mount.R, foot), rise=rise)


def _slid(tree: Tree, shift: Mapping[int, float]) -> Tree:
    """The tree with the origin of every body moved so far up its axis."""
    if not any(shift.values()):
        return tree
    bodies: list[Body] = []
    for i, body in enumerate(tree.bodies):
        offset = body.mount.p - [0, 0, shift[body.parent]]
        p = _without_round_off(offset + body.mount.R[:, 2] * shift[i], offset)
        back, mount = _along_z(-shift[i]), Pose.trusted(body.mount.R, p)
        bodies.append(
            replace(body, mount=mount, moments=body.moments.moved(back), frame=back @ body.frame)
        )
    places = {name: Place(i, _along_z(-shift[i]) @ pose) for name, (i, pose) in tree.places.items()}
    return tree.replace(bodies=tuple(bodies), places=places)


def _up(mount: Pose, shift: float = 0.0) -> float:
    """How far up its own axis a frame stands in its parent, whose origin is moved up its own."""
    return float((mount.p - [0, 0, shift]) @ mount.R[:, 2])


def _without_round_off(p: np.ndarray, beside: np.ndarray) -> np.ndarray:
    return np.where(np.abs(p) <= ROUND_OFF * np.abs(beside).max(), 0.0, p)


def lean_frames(tree: Tree) -> Tree:
    """Of the sparse frames, slid or with rises, those with fewer numbers."""
    turned = sparse_frames(tree)
    return min(slid_frames(turned), risen_frames(turned), key=lambda tree: density(tree.bodies))


def _along_z(distance: float) -> Pose:
    return Pose.trusted(np.eye(3), np.array([0.0, 0.0, distance])) if distance else IDENTITY


def _is_numeric(tree: Tree) -> bool:
    return all(
        np.asarray(x).dtype == np.float64 or isinstance(x, int | float)
        for body in tree.bodies
        for x in (body.mount.R, body.mount.p, *body.moments, body.joint.offset, body.joint.turn, body.joint.slide)
    )


def _turned(bodies: list[Body], i: int) -> tuple[Body, float]:
    """Body i in a frame turned about z so that its first child's axis lies in its yz plane, and by how much."""
    body = bodies[i]
    child = next((k for k in bodies if k.parent == i), None)
    turn = 0.0
    if child is not None:
        x, y, _ = child.mount.R[:, 2]
        if abs(x) > ROUND_OFF:
            turn = math.atan2(-x, y)
    R = body.mount.R
    if body.joint.turn == 0:  # a sliding joint cannot take a turn into its value
        own = turn
    else:
        own = math.atan2(-R[2, 0], R[2, 1]) if abs(R[2, 0]) > ROUND_OFF else 0.0
        if own and R[0, 0] * math.cos(own) + R[0, 1] * math.sin(own) < 0:
            own += math.pi  # x along the parent's x, not against it
    joint = body.joint
    mount = body.mount @ Pose.about_z(own)
    if own != turn:
        shift = (turn - own) / joint.turn
        mount = mount @ Pose.trusted(np.eye(3), np.array([0, 0, -joint.slide * shift]))  # a screw slides as it turns
        joint = joint.with_numbers(offset=joint.offset + shift, rest=joint.rest + shift)
    mount = Pose.trusted(snapped(mount.R, ROUND_OFF), mount.p)
    back = Pose.about_z(-turn)
    return replace(
        body, mount=mount, joint=joint, moments=body.moments.moved(back), frame=back @ body.frame
    ), turn


# ---- base parameters -------------------------------------------------------------------------------


def regrouped(tree: Tree) -> Tree:
    """The tree with equivalent bodies of fewest inertial parameters; efforts do not change."""
    moments = [body.moments for body in tree.bodies]
    for i in reversed(range(len(moments))):
        body, (m, h, S) = tree.bodies[i], moments[i]
        turn, slide = body.joint.turn, body.joint.slide
        if is_zero(slide):
            shared = Moments(m, np.array([0, 0, h[2]]), np.diag(np.array([0, 0, S[2, 2]])))
            rest = np.array([[S[0, 0], S[0, 1], S[0, 2]], [S[1, 0], S[1, 1], S[1, 2]], [S[2, 0], S[2, 1], 0 * m]])
            moments[i] = Moments(0 * m, np.array([h[0], h[1], 0 * m]), rest)
            seat = body.mount @ _along_z(body.rise)
        elif is_zero(turn):
            shared = Moments(0, np.zeros(3, dtype=int), S)
            moments[i] = Moments(m, h, np.zeros((3, 3), dtype=int))
            seat = Pose.trusted(body.mount.R, np.zeros(3, dtype=int))
        else:
            continue
        if body.parent != GROUND:
            moments[body.parent] = moments[body.parent] + shared.moved(seat)
    bodies = (replace(body, moments=m) for body, m in zip(tree.bodies, moments, strict=True))
    return tree.replace(bodies=tuple(bodies))


# ---- the pipeline ----------------------------------------------------------------------------------

SHORT_CHAIN = 16  # joints up to which an alternative route may be the cheaper one

Step = Callable[[Tree], Tree]
STEPS: tuple[tuple[str, Step], ...] = (
    ("as given", lambda tree: tree),
    ("sparse frames", lean_frames),
    ("base parameters", regrouped),
)
FRAMES = tuple(step for _, step in STEPS[:2])


class Traced(NamedTuple):
    """A tape and what else the traced function said."""

    tape: Tape
    remark: Any


def cheapest(
    function: Callable[..., tuple[list[np.ndarray], Any]],
    tree: Tree | Callable[..., Tree],
    inputs: Sequence[tuple[str, int]],
    *,
    n: int,
    lean: Step = regrouped,
    known: str = "",
) -> Traced:
    """The tape of `function(tree, *arrays) -> (results, remark)` with the fewest operations.

    `tree` has n coordinates; it may be a function of the arrays, which then hold numbers of the robot.  Tried are
    equivalent frames, and the routes of the algorithms that the function calls.  Of a function that is `known` by a
    name the winner is remembered on disk, so that the next process traces that one alone; every route gives the same
    result, so that a wrong memory would cost time only.
    """
    work = _Search(function, tree, inputs, n, lean)
    numbers = _numbers_of(tree) if known and isinstance(tree, Tree) else None
    if numbers is None:
        return work.best()[1]
    found: list[Traced] = []

    def searched() -> bytes:
        name, traced = work.best()
        found.append(traced)
        return name.encode()

    name = remembered(f"route|{known}|{inputs}|{numbers}", searched).decode()
    return found[0] if found else work.named(name) or work.best()[1]


def _numbers_of(tree: Tree) -> str | None:
    """A hash of what decides which route is the cheapest on a tree; none of symbols."""
    digest = sha256(repr([(body.parent, body.index, body.joint.friction) for body in tree.bodies]).encode())
    for body in tree.bodies:
        joint = body.joint
        scalars = [body.rise, joint.turn, joint.slide, joint.offset, joint.armature, joint.stiffness, joint.rest]
        for x in (body.mount.R, body.mount.p, *body.moments, scalars, tree.gravity):
            try:
                digest.update(np.asarray(x, np.float64).tobytes())
            except TypeError:
                return None
    return digest.hexdigest()


class _Search(NamedTuple):
    """The routes of a function on a tree, each with a name."""

    function: Callable[..., tuple[list[np.ndarray], Any]]
    tree: Tree | Callable[..., Tree]
    inputs: Sequence[tuple[str, int]]
    n: int
    lean: Step

    def best(self) -> tuple[str, Traced]:
        """The cheapest of all, and its name."""
        found: list[tuple[str, Traced]] = []
        for k, frames in enumerate(FRAMES if isinstance(self.tree, Tree) else FRAMES[:1]):
            step = self._step(frames)
            if step is None:
                break  # they are sparse as they are
            asked: dict[str, Algorithm] = {}
            found.append((str(k), self._traced(step, {}, asked)))
            for name, route in _other_routes(asked, self.n):
                found.append((f"{k} {name} {route.__name__}", self._traced(step, {name: route}, {})))
            if not any(row.base_parameters for row in asked.values()):
                break  # what is not lean has one form
        return min(found, key=lambda one: one[1].tape.cost)

    def named(self, name: str) -> Traced | None:
        """The route of that name, if there is one: the memory may be of another version."""
        frames, *chosen = name.split(" ")
        step = next((self._step(f) for k, f in enumerate(FRAMES) if str(k) == frames), None)
        row = next((row for row in ALGORITHMS if [row.name] == chosen[:1]), None)
        routes = {r.__name__: r for r in row.alternatives} if row else {}
        if step is None or (chosen and chosen[-1] not in routes):
            return None
        return self._traced(step, {row.name: routes[chosen[-1]]} if row else {}, {})

    def _step(self, frames: Step) -> Step | None:
        """What makes the tree lean in these frames, once for all routes; nothing where they change nothing.

        Frames of run-time numbers stay as they are.
        """
        if not isinstance(self.tree, Tree):
            return self.lean
        framed = frames(self.tree)
        if framed is self.tree and frames is not FRAMES[0]:
            return None
        made = cache(partial(self.lean, framed))
        return lambda _: made()

    def _traced(
        self, step: Step, routes: Mapping[str, Callable[..., Any]], asked: dict[str, Algorithm]
    ) -> Traced:
        remarks: list[Any] = []

        def flat(*nodes: np.ndarray) -> list[np.ndarray]:
            seen = self.tree if isinstance(self.tree, Tree) else self.tree(*nodes)
            parts = {name: getattr(seen, name) for name in names_of(seen)}
            results, remark = self.function(Prepared(**parts, step=step, routes=routes, asked=asked), *nodes)
            remarks.append(remark)
            return results

        return Traced(trace(flat, list(self.inputs)), remarks[0])


def _other_routes(asked: Mapping[str, Algorithm], n: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, row in list(asked.items()):
        for route in row.alternatives if n <= SHORT_CHAIN else ():
            yield name, route


# ---- what each step saves --------------------------------------------------------------------------


class Count(NamedTuple):
    """Operations of one traced algorithm after a step."""

    step: str
    multiplications: int
    additions: int
    divisions: int
    sines_and_cosines: int


class Preparation(tuple[Count, ...]):
    """The counts after each step, printable as a table."""

    HEAD = ("step", "×", "±", "÷", "sin, cos")

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _table(self) -> Table:
        from steiner.text.tables import Table

        return Table(self.HEAD, [[str(x) for x in row] for row in self])


def operation_counts(
    robot: Any, function: Callable[..., np.ndarray] | str = "inverse_dynamics", arrays: int = 3
) -> Preparation:
    """Operations of an algorithm of joint vectors on this robot, after each step of its preparation."""
    text = algorithm(function) if isinstance(function, str) else function
    tree, result = robot.tree, []
    for name, step in STEPS:
        tree = step(tree)
        tape = trace(lambda *q, tree=tree: [text(tree, *q)], [(f"x{k}", tree.n) for k in range(arrays)])
        c = tape.counts
        result.append(Count(name, c["mul"], c["add"] + c["sub"], c["div"], c["sin"] + c["cos"]))
    return Preparation(result)
