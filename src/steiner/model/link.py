"""A link as declared: how it hangs on its parent, what it weighs, what it is made of, what it looks like."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steiner.doors import door, opened
from steiner.errors import ModelError, ModelWarning, described, is_one_of
from steiner.inertia import MassProperties, judge, judged
from steiner.model.joints import Fixed, Joint
from steiner.model.source import Source
from steiner.records import field, record, replace
from steiner.scalar import brief
from steiner.spatial import IDENTITY, Pose

if TYPE_CHECKING:  # a robot of typed numbers brings no shapes and no assemblies with it
    from steiner.assembly.tree import Assembly
    from steiner.solids.base import Solid
    from steiner.text.shown import Shown

ROLES = ("visual", "collision")
LIGHTEST, HEAVIEST = 1e-9, 1e6  # kg; beyond these a unit is wrong


@record(eq=False)
class Sketch:
    """A solid by its class, "room:name", and its sizes: a shape makes it when somebody looks at it."""

    kind: str
    sizes: tuple[float, ...]

    @property
    def is_usual(self) -> bool:
        """Whether the solid can be made, and is of a size at which nothing is odd: every length of 1 mm to 1 m."""
        return all(1e-3 <= size <= 1 for size in self.sizes)

    def made(self) -> Solid:
        """The solid."""
        return opened(self.kind)(*self.sizes)


@record(eq=False)
class Shape:
    """Geometry of a link that has no say in dynamics: a solid, or a mesh file, at a pose in the link's frame."""

    solid: Solid | None = None
    file: str = ""
    pose: Pose = IDENTITY
    role: Literal["visual", "collision"] = "visual"
    colour: tuple[float, float, float, float] | None = None  # red, green, blue, opacity: 0 … 1
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of a mesh file
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.file, str):
            raise ModelError(f"shape: file is the name of a mesh file, got {described(self.file)}")
        if (self.sketch is None) == (not self.file):
            raise ModelError("shape: give a solid, or the file of a mesh")
        if not self.file and not isinstance(self.sketch, Sketch) and not _is_solid(self.solid):
            raise ModelError(f"shape: expected a solid such as Box(0.1, 0.2, 0.3), got {described(self.solid)}")
        if not is_one_of(self.role, ROLES):
            raise ModelError(f"shape: role={described(self.role)}; expected {' or '.join(map(repr, ROLES))}")

    @property
    def sketch(self) -> Solid | Sketch | None:
        """The solid as it is kept: a sketch, until somebody looks at it."""
        return vars(self)["solid"]


class _Drawn:
    """The solid of a shape: who loads a robot and computes torques never looks at it."""

    def __get__(self, shape: Shape | None, owner: type | None = None) -> Solid | None:
        if shape is None:
            return None  # the default
        if isinstance(kept := shape.sketch, Sketch):
            kept = vars(shape)["solid"] = kept.made()
        return kept

    def __set__(self, shape: Shape, value: Any) -> None:
        vars(shape)["solid"] = value


Shape.solid = _Drawn()  # type: ignore[assignment]


@record(eq=False)
class Link:
    """A rigid link: `mount` is the pose of its joint's frame in the parent link.

    The body is in the link's own frame, which is `origin` in the joint's moving frame (identity for
    URDF and modified DH; standard DH and products of exponentials put it elsewhere).  A link without
    a parent stands on the ground.  `made_of` is its drawing: the assembly gives the body, and every torque can be
    traced to the part that costs it.  `shapes` are what is drawn and checked, without a say in dynamics.
    """

    name: str
    parent: str | None = None
    joint: Joint = field(default_factory=Fixed)
    mount: Pose = IDENTITY
    body: MassProperties = None  # type: ignore[assignment]  # by default what it is made of, or nothing
    origin: Pose = IDENTITY
    made_of: Assembly | None = field(default=None, kw_only=True)
    shapes: Sequence[Shape] = field(default=(), kw_only=True)
    source: Source | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a link needs a name, got {described(self.name)}")
        what = f"link {self.name!r}"
        if self.body is not None and not isinstance(self.body, MassProperties) and _is_assembly(self.body):
            raise ModelError(f"{what}: body is an assembly; give it as made_of=, which keeps its parts")
        if self.made_of is not None and not _is_assembly(self.made_of):
            raise ModelError(f"{what}: made_of is a {type(self.made_of).__name__}, expected an Assembly")
        if self.body is None:
            drawn = self.made_of.mass_properties if self.made_of is not None else MassProperties.zero()
            object.__setattr__(self, "body", drawn)
        for attribute, kind in (("joint", Joint), ("mount", Pose), ("body", MassProperties), ("origin", Pose)):
            if not isinstance(getattr(self, attribute), kind):
                raise ModelError(
                    f"{what}: {attribute} is a {type(getattr(self, attribute)).__name__}, expected a {kind.__name__}"
                )
        if self.parent is not None and not isinstance(self.parent, str):
            raise ModelError(f"{what}: parent is the name of a link, got {described(self.parent)}")
        if self.source is not None and not isinstance(self.source, Source):
            raise ModelError(f"{what}: source is {described(self.source)}, expected a Source")
        object.__setattr__(self, "shapes", _shapes(what, self.shapes))
        if self.source is None:  # readers and published tables are judged by the rules of `check`
            _judge(what, self.body)

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def mapped(self, of: Callable[[Any], Any]) -> Link:
        """The link with every number x replaced by of(x); its body was judged when it came in."""
        each = np.frompyfunc(of, 1, 1)
        body = self.body.mapped(of)
        judged(body)
        mount, origin = (Pose.trusted(each(T.R), each(T.p)) for T in (self.mount, self.origin))
        return replace(self, joint=self.joint.mapped(of), mount=mount, body=body, origin=origin)


def _is_solid(x: object) -> bool:
    return isinstance(x, opened("solids.base:Solid"))


def _is_assembly(x: object) -> bool:
    return isinstance(x, opened("assembly.tree:Assembly"))


def _shapes(what: str, given: Any) -> tuple[Shape, ...]:
    """One or several solids or shapes, as shapes."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        each: tuple[Any, ...] = tuple(given)
    else:
        each = (given,)
    wrong = next((x for x in each if not isinstance(x, Shape) and not _is_solid(x)), None)
    if wrong is not None:
        raise ModelError(f"{what}: shapes: expected solids or shapes, got {described(wrong)}")
    return tuple(x if isinstance(x, Shape) else Shape(x) for x in each)


def _judge(what: str, body: MassProperties) -> None:
    """Say so if no body can be like this, or if none is in this world."""
    if judge(what, body) and body.mass and not LIGHTEST < body.mass < HEAVIEST:
        warnings.warn(f"{what}: {brief(body.mass)} kg is odd for a link; other units?", ModelWarning, stacklevel=4)


@record(eq=False)
class Payload:
    """A body carried by a link: its pose is in that link's frame."""

    name: str
    body: MassProperties
    link: str
    pose: Pose = IDENTITY

    def __post_init__(self) -> None:
        what = f"payload {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a payload needs a name, got {described(self.name)}")
        if not isinstance(self.body, MassProperties):
            hint = f"; a point mass is MassProperties({self.body})" if isinstance(self.body, int | float) else ""
            raise ModelError(f"{what}: body is a {type(self.body).__name__}, expected MassProperties{hint}")
        if not isinstance(self.pose, Pose):
            raise ModelError(f"{what}: pose is a {type(self.pose).__name__}, expected a Pose")
        _judge(what, self.body)
