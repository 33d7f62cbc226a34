"""Assemblies: link → elements → parts at any depth, each node with its own frame.

The division is that of Szumiński & Kapitaniak (2006), §2: every node has a local frame, and the sums are formed about
the merged centre (eqs 3, 43-46).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from steiner.assembly.asked import PROVENANCES, check_name, check_pose, check_provenance
from steiner.assembly.part import Part
from steiner.assembly.sums import Difference, combined, difference
from steiner.doors import door
from steiner.errors import GeometryError, ModelError, clipped, described, printable, several, unknown
from steiner.findings import Finding
from steiner.inertia import MassProperties
from steiner.records import record
from steiner.scalar import brief, is_negative, is_zero, numbers, total
from steiner.solids.base import place
from steiner.solids.exactness import exact, exact_pose, joined_poses, moved
from steiner.spatial import IDENTITY, Pose, Vector

if TYPE_CHECKING:  # a type that is printed only when asked for
    from steiner.assembly.table import Budget
    from steiner.assembly.versions import Comparison
    from steiner.text.shown import Shown
    from steiner.text.steps import Derivation

__all__ = ["PROVENANCES", "Assembly", "Part", "combined"]

CUT_TOLERANCE = 1e-6  # relative; a remainder thinner than this is round-off


@final
@record(eq=False, repr=False)
class Assembly:
    """A link or an element: parts and assemblies, each at its pose, seen from one frame."""

    name: str
    children: Sequence[Part | Assembly] = ()
    pose: Pose = IDENTITY
    body: MassProperties | None = None
    scale: Any = None  # what the scale said [kg]
    provenance: str | None = None

    def __post_init__(self) -> None:
        check_name("assembly", self.name)
        owner = f"assembly {self.name!r}"
        check_provenance(owner, self.provenance)
        object.__setattr__(self, "pose", check_pose(owner, self.pose))
        children = several(owner, self.children, "parts and assemblies", ModelError)
        seen: set[str] = set()
        for child in children:
            if not isinstance(child, Part | Assembly):
                raise ModelError(f"{owner}: expected parts and assemblies, got {described(child)}")
            if child.name in seen:
                raise ModelError(f"{owner}: two children are named {child.name!r}; give each its own name")
            seen.add(child.name)
        if not children and self.body is None:
            raise ModelError(f"{owner}: is empty; give it parts, or body=MassProperties(…)")
        object.__setattr__(self, "children", children)

    # ---- sums ------------------------------------------------------------------------------------

    def _postorder(self) -> Iterator[Assembly]:
        """Every assembly below, children before parents, without recursion."""
        order, stack = [], [self]
        while stack:
            node = stack.pop()
            order.append(node)
            stack += [c for c in node.children if isinstance(c, Assembly)]
        yield from reversed(order)

    @cached_property
    def _summed(self) -> MassProperties:
        return combined([moved(child.signed, child.pose) for child in self.children])

    @cached_property
    def _signed(self) -> MassProperties:
        known = self.body or self._summed
        return known if self.scale is None else (self.scale / known.mass) * known

    @property
    def signed(self) -> MassProperties:
        """What this node adds to its parent, unchecked: an assembly of cavities is negative."""
        if "_signed" not in self.__dict__:
            for node in self._postorder():
                node._signed  # noqa: B018  children first, so that depth costs no recursion
        return self._signed

    @property
    def computed(self) -> MassProperties:
        """The sum of the children, whatever was measured or weighed at this level."""
        _ = self.signed
        return self._summed

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, centre and central tensor in this assembly's own frame."""
        result = self.signed
        if not any(isinstance(c, Part) and c.cavity for node in self._postorder() for c in node.children):
            return result
        cut = [n.path for n in self.nodes() if isinstance(n.part, Part) and n.part.cavity]
        names = ", ".join(cut[:5]) + (", …" if len(cut) > 5 else "")
        if is_negative(result.mass) or is_zero(result.mass):
            raise GeometryError(
                f"assembly {self.name!r}: total mass is {brief(result.mass)} kg; the cavities ({names}) "
                "remove more than there is. Are they inside, and is their density that of the part around them?"
            )
        if result.is_numeric and not result.is_physical(CUT_TOLERANCE):
            raise GeometryError(
                f"assembly {self.name!r}: no body can have what is left, {result.fault()}. "
                f"Do the cavities ({names}) lie inside the parts they are cut from?"
            )
        return result

    @property
    def mass(self) -> Any:
        """Mass [kg]."""
        return self.signed.mass

    @property
    def volume(self) -> Any:
        """Sum of the signed volumes of all parts [m³], eqs 4 and 5: V = Σ m/ρ; raises if one is not known."""
        ends = [n for n in self.nodes() if isinstance(n.part, Part) or not n.part.children]
        volumes = [n.part.volume if isinstance(n.part, Part) else None for n in ends]
        if None in volumes:
            names = ", ".join(n.path for n, v in zip(ends, volumes, strict=True) if v is None)
            raise ModelError(
                f"assembly {self.name!r}: the volume of {names} is not known: a body without a shape; "
                "give Part(…, body=…, density=…), then it is m/ρ"
            )
        return total(volumes)

    def com(self, frame: str | Part | Assembly | None = None) -> np.ndarray:
        """Centre of mass in this assembly's frame, or in the frame of a node (its name, path or itself)."""
        centre = self.signed.com
        if frame is None:
            return centre
        pose = self.find(frame).pose.inverse()
        if centre.dtype == object or pose.R.dtype == object:
            return exact_pose(pose).apply(exact(centre))
        return pose.apply(centre)

    # ---- nodes -----------------------------------------------------------------------------------

    def nodes(self) -> Iterator[Node]:
        """This assembly and everything below, parents first, with poses in this assembly's frame."""
        stack = [Node(self.name, self, IDENTITY, 0, None)]
        while stack:
            node = stack.pop()
            yield node
            if isinstance(node.part, Assembly):
                stack += [
                    Node(f"{node.path}/{c.name}", c, joined_poses(node.pose, c.pose), node.depth + 1, node)
                    for c in reversed(node.part.children)
                ]

    def find(self, name: str | Part | Assembly) -> Node:
        """The node of that name, or at that path, such as "elbow/housing"; or where a part or assembly itself is."""
        every = list(self.nodes())
        found = [n for n in every if n.part is name]
        if isinstance(name, str):
            found = found or [n for n in every if n.path in (name, f"{self.name}/{name}")]
            found = found or [n for n in every if n.part.name == name]
        if not found:
            known = dict.fromkeys([*(n.part.name for n in every), *(n.path.partition("/")[2] for n in every[1:])])
            raise ModelError(unknown("part", name, known, f"assembly {self.name!r}"))
        if len(found) > 1:
            raise ModelError(
                f"{name!r} is not one node of {self.name!r}: {', '.join(n.path for n in found)}; give the path"
            )
        return found[0]

    def pose_of(self, name: str) -> Pose:
        """Pose of a named node's frame in this assembly's frame."""
        return self.find(name).pose

    # ---- what was measured -----------------------------------------------------------------------

    def weighed(self, mass: Any) -> Assembly:
        """The scale wins: centre kept, tensor rescaled, the difference kept as `unaccounted`."""
        (mass,) = numbers("weighed mass", mass)
        if is_negative(mass) or is_zero(mass):
            raise GeometryError(f"assembly {self.name!r}: weighed mass is {brief(mass)} kg; expected a mass > 0")
        if is_zero((self.body or self.computed).mass):
            raise GeometryError(f"assembly {self.name!r}: has no mass to rescale; give body=MassProperties(…)")
        return replace(self, scale=mass)

    def measured(self, body: MassProperties, provenance: str = "measured") -> Assembly:
        """A measured body replaces the computed one; `difference` shows by how much they differ."""
        return replace(self, body=body, scale=None, provenance=provenance)

    @property
    def unaccounted(self) -> Any:
        """Mass on the scale (or of the measured body) minus the computed mass [kg]; 0 without one."""
        return self.signed.mass - self.computed.mass if self.children else 0.0

    @property
    def difference(self) -> Difference | None:
        """Measured or weighed minus computed; None if nothing was measured at this level."""
        if (self.body is None and self.scale is None) or not self.children:
            return None
        return difference(self.signed, self.computed)

    @cached_property
    def _origins(self) -> dict[str, str]:
        stated = (self.provenance or "given") if self.body else None
        each = [] if stated else [child.origins for child in self.children]
        known = {k: stated or _common({origins[k] for origins in each}) for k in ("mass", "com", "inertia")}
        return known | {"mass": "measured"} if self.scale is not None else known

    @property
    def origins(self) -> dict[str, str]:
        """Where mass, centre and tensor came from at this level."""
        if "_origins" not in self.__dict__:
            for node in self._postorder():
                node._origins  # noqa: B018  children first, as in `signed`
        return dict(self._origins)

    # ---- reports ---------------------------------------------------------------------------------

    @door
    def budget(self, about: str = "link") -> Budget:
        """Every node's mass, share, centre and tensor, in this assembly's frame and axes.

        Args:
            about: where the tensors are taken: at the node's own centre ("own", eq. 39), at its parent's centre
                ("parent"), at the origin of its frame ("frame", eq. 38), at the centre of the whole link ("link",
                eq. 43: these sum to the tensor of the link) or at the origin of the link's frame ("joint").
        """
        ...

    @door
    def derivation(self) -> Derivation:
        """The tensor step by step: each body's formula, its rotation, its shift by Huygens and Steiner, the sum."""
        ...

    @door
    def check(self) -> list[Finding]:
        """Parts (and pieces of joined solids) that overlap, cavities and cuts that are not inside; changes nothing."""
        ...

    @door
    def subs(self, values: Mapping[Any, Any]) -> Assembly:
        """The same assembly with values in place of symbols: asm.subs({L: 0.4})."""
        ...

    @door
    def replaced(self, path: str, **changes: Any) -> Assembly:
        """With one node changed: asm.replaced("flange", material="steel", pose=…); what decided its mass gives way."""
        ...

    @door
    def without(self, path: str) -> Assembly:
        """The same assembly without one part or element."""
        ...

    @door
    def compare(self, other: Assembly) -> Comparison:
        """This version beside another, node by node: what was added, removed or changed, and by how much."""
        ...

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def __repr__(self) -> str:
        names = ", ".join(printable(clipped(child.name, 20)) for child in self.children[:6])
        more = ", …" if len(self.children) > 6 else ""
        return f"<Assembly {clipped(self.name, 40)!r}: {clipped(brief(self.mass), 40)} kg; {names or 'a body'}{more}>"

    def _repr_html_(self) -> str:
        return self.budget().html()

    def at(self, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None) -> Assembly:
        """The same assembly at another pose in its parent."""
        return replace(self, pose=place(pose, xyz, rpy))


class Node(NamedTuple):
    """A part or assembly where it sits: path of names, pose in the link's frame, parent."""

    path: str
    part: Part | Assembly
    pose: Pose
    depth: int
    parent: Node | None


def _common(kinds: set[str]) -> str:
    return " + ".join(sorted({k for kind in kinds for k in kind.split(" + ")}))
