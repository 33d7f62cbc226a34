"""Parts and assemblies: link → elements → parts at any depth, each node with its own frame.

The division is that of Szumiński & Kapitaniak (2006), §2: every node has a local frame, and the sums are formed about
the merged centre (eqs 3, 43-46).  A part has a shape with a material, a density or a mass, or a body that was measured;
a cavity removes its density × volume.  Every number keeps where it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from steiner.assembly.asked import PROVENANCES, check_name, check_pose, check_provenance, check_tolerance
from steiner.assembly.plausible import warn_once
from steiner.assembly.sums import Difference, combined, difference
from steiner.doors import door
from steiner.errors import GeometryError, ModelError, clipped, described, printable, several, unknown
from steiner.findings import Finding
from steiner.inertia import MassProperties
from steiner.materials import Material
from steiner.materials import material as find_material
from steiner.scalar import brief, is_negative, is_number, is_zero, numbers, total
from steiner.solids.base import Solid, exact, exact_pose, joined_poses, moved, place
from steiner.spatial import IDENTITY, Pose, Vector

if TYPE_CHECKING:  # a type that is printed only when asked for
    from steiner.assembly.table import Budget
    from steiner.assembly.versions import Comparison
    from steiner.text.steps import Derivation

__all__ = ["PROVENANCES", "Assembly", "Part", "combined"]

CUT_TOLERANCE = 1e-6  # relative; a remainder thinner than this is round-off


@final
@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """One piece of a link: a solid with a material, density or mass, or a body that was measured.

    With `solid` and `body` both given, the body counts and `difference` compares.  A cavity needs its own density or
    material: it removes exactly what the part would add.  A density is a number, or f(x, y, z) in the frame of the
    solid (see `Solid.with_density`); that of a body without a shape gives its volume, m/ρ.
    """

    name: str
    solid: Solid | None = None
    material: Material | str | None = None
    density: Any = None
    mass: Any = None
    pose: Pose = IDENTITY
    cavity: bool = False
    body: MassProperties | None = None
    provenance: str | None = None
    linear_density: Any = None
    area_density: Any = None
    tolerance: Any = None  # how far its dimensions may be off [m]: for those who make it, no number depends on it

    def __post_init__(self) -> None:
        check_name("part", self.name)
        owner = f"part {self.name!r}"
        check_provenance(owner, self.provenance)
        object.__setattr__(self, "pose", check_pose(owner, self.pose))
        if self.solid is not None and not isinstance(self.solid, Solid):
            raise ModelError(f"{owner}: expected a solid such as Box(0.1, 0.2, 0.3), got {described(self.solid)}")
        if self.body is not None and not isinstance(self.body, MassProperties):
            raise ModelError(f"{owner}: expected body=MassProperties(mass, com, inertia), got {described(self.body)}")
        named = ("material", "density", "mass", "linear_density", "area_density")
        given = [n for n in named if getattr(self, n) is not None]
        if len(given) > 1:
            raise ModelError(f"{owner}: {' and '.join(given)} are both given; one of them decides the mass")
        if self.solid is None and self.body is None:
            raise ModelError(f"{owner}: has neither a solid nor a body; give a shape, or body=MassProperties(…)")
        if self.solid is None and given and given[0] not in ("density", "material"):
            raise ModelError(f"{owner}: {given[0]} is given but no solid; a body already has its mass")
        if self.body is None and not given:
            raise ModelError(f"{owner}: how heavy is it? give material=, density= (kg/m³) or mass= (kg)")
        if self.cavity and (self.body is not None or given[0] in ("mass",)):
            raise ModelError(f"{owner}: a cavity needs the density or material of what it removes, not a mass")
        if self.material is not None:
            object.__setattr__(self, "material", find_material(self.material))
        for name in named[1:]:
            if (value := getattr(self, name)) is not None and not (name == "density" and self.varies):
                (value,) = numbers(f"{owner}: {name}", value)
                if is_negative(value):
                    raise GeometryError(f"{owner}: {name} is {brief(value)}; a cavity is said with cavity=True")
                if self.solid is None and is_zero(value):
                    raise GeometryError(f"{owner}: {name} is 0, so its volume m/ρ is not known")
                object.__setattr__(self, name, value)
        object.__setattr__(self, "tolerance", check_tolerance(owner, self.tolerance))
        if self.solid is not None and is_number(self.solid.volume):
            warn_once(owner, self.solid, self.mass_properties)

    def __repr__(self) -> str:
        kind = "a cavity, " * self.cavity + (type(self.solid).__name__ if self.solid is not None else "a body")
        return f"<Part {clipped(self.name, 40)!r}: {kind}, {clipped(brief(self.mass_properties.mass), 40)} kg>"

    @cached_property
    def varies(self) -> bool:
        """Whether the density changes from place to place."""
        return self.solid is not None and self.density is not None and self.solid.varies(self.density)

    @cached_property
    def computed(self) -> MassProperties | None:
        """What shape and density give, in the part's own frame; None without a solid or density."""
        if self.solid is None:
            return None
        density = self.material.density if isinstance(self.material, Material) else self.density
        if density is not None:
            return self.solid.with_density(density)
        if self.mass is not None:
            return self.solid.with_mass(self.mass)
        for kind in ("linear_density", "area_density"):
            if (value := getattr(self, kind)) is not None:
                if (method := getattr(self.solid, f"with_{kind}", None)) is None:
                    raise ModelError(f"part {self.name!r}: a {type(self.solid).__name__} has no {kind}")
                return method(value)
        return None

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass properties in the part's own frame (of a cavity: what it removes)."""
        return self.body if self.body is not None else self.computed  # type: ignore[return-value]

    @property
    def signed(self) -> MassProperties:
        """What the part adds; a cavity adds a negative body."""
        return -1 * self.mass_properties if self.cavity else self.mass_properties

    @property
    def volume(self) -> Any:
        """Signed volume [m³]: that of the shape, or m/ρ of a body with a density (eqs 4, 5); None if not known."""
        if self.solid is not None:
            return -1 * self.solid.volume if self.cavity else self.solid.volume
        density = self.material.density if isinstance(self.material, Material) else self.density
        return None if density is None or self.body is None else self.body.mass / density

    @property
    def difference(self) -> Difference | None:
        """Measured minus computed, where both are known."""
        return difference(self.body, self.computed) if self.body and self.computed else None

    @property
    def origins(self) -> dict[str, str]:
        """Where mass, centre and tensor came from."""
        if self.body is not None:
            return dict.fromkeys(("mass", "com", "inertia"), self.provenance or "given")
        shape = self.solid.provenance  # type: ignore[union-attr]
        stated = self.mass is not None or self.provenance
        return {"mass": (self.provenance or "given") if stated else shape, "com": shape, "inertia": shape}

    def at(self, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None) -> Part:
        """The same part at another pose in its parent."""
        return replace(self, pose=place(pose, xyz, rpy))


@final
@dataclass(frozen=True, eq=False, repr=False)
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
        cut = [n.path for n in self.nodes() if isinstance(n.part, Part) and n.part.cavity]
        names = ", ".join(cut[:5]) + (", …" if len(cut) > 5 else "")
        if cut and (is_negative(result.mass) or is_zero(result.mass)):
            raise GeometryError(
                f"assembly {self.name!r}: total mass is {brief(result.mass)} kg; the cavities ({names}) "
                "remove more than there is. Are they inside, and is their density that of the part around them?"
            )
        if cut and result.is_numeric and not result.is_physical(CUT_TOLERANCE):
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
        known = {k: stated or _common(c.origins[k] for c in self.children) for k in ("mass", "com", "inertia")}
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
    def show(self, *, path: Any = None) -> Any:
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


def _common(kinds: Iterator[str]) -> str:
    return " + ".join(sorted({k for kind in kinds for k in kind.split(" + ")}))
