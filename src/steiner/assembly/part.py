"""A part: one piece of a link, a shape with a material, a density or a mass, or a body that was measured.

A cavity removes its density × volume.  Every number keeps where it came from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from steiner.assembly.asked import check_name, check_pose, check_provenance, check_tolerance
from steiner.assembly.plausible import is_sound, warn_once
from steiner.assembly.sums import Difference, difference
from steiner.doors import door
from steiner.errors import GeometryError, ModelError, clipped, described
from steiner.inertia import MassProperties, judge
from steiner.materials import Material
from steiner.materials import material as find_material
from steiner.records import record
from steiner.scalar import brief, is_negative, is_number, is_zero, numbers
from steiner.solids.base import Solid, place
from steiner.spatial import IDENTITY, Pose, Vector

if TYPE_CHECKING:  # pages are laid out only when asked for
    from steiner.text.shown import Shown

DECIDERS = ("material", "density", "mass", "linear_density", "area_density")  # of a part's mass: one of them


@final
@record(eq=False, repr=False)
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
        given = [n for n in DECIDERS if getattr(self, n) is not None]
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
        for name in given:
            if name != "material" and not (name == "density" and self.varies):
                (value,) = numbers(f"{owner}: {name}", getattr(self, name))
                if is_negative(value):
                    raise GeometryError(f"{owner}: {name} is {brief(value)}; a cavity is said with cavity=True")
                if self.solid is None and is_zero(value):
                    raise GeometryError(f"{owner}: {name} is 0, so its volume m/ρ is not known")
                object.__setattr__(self, name, value)
        object.__setattr__(self, "tolerance", check_tolerance(owner, self.tolerance))
        if self.body is None and self.solid is not None and is_sound(self.solid, self._density):
            return
        if self.body is not None:
            judge(owner, self.body)
        if self.solid is not None and is_number(self.solid.volume):
            warn_once(owner, self.solid, self.mass_properties)

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def __repr__(self) -> str:
        kind = "a cavity, " * self.cavity + (type(self.solid).__name__ if self.solid is not None else "a body")
        return f"<Part {clipped(self.name, 40)!r}: {kind}, {clipped(brief(self.mass_properties.mass), 40)} kg>"

    @property
    def _density(self) -> Any:
        return self.material.density if isinstance(self.material, Material) else self.density

    @cached_property
    def varies(self) -> bool:
        """Whether the density changes from place to place."""
        return self.solid is not None and self.density is not None and self.solid.varies(self.density)

    @cached_property
    def computed(self) -> MassProperties | None:
        """What shape and density give, in the part's own frame; None without a solid or density."""
        if self.solid is None:
            return None
        if self._density is not None:
            return self.solid.with_density(self._density)
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
        return None if self._density is None or self.body is None else self.body.mass / self._density

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
