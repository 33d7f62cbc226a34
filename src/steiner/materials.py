"""Named densities of engineering materials, each with the publication where such a number is found.

A density is that of the bulk material at room temperature, a usual handbook figure.  The numbers have NOT yet been
compared with the pages that `source` names: it says where to look, not what was read.  Alloys and polymers
vary by grade: for anything that matters, weigh the part and say so (`Assembly.weighed`, `Part(mass=…)`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steiner.errors import GeometryError, ModelError, unknown
from steiner.scalar import is_number, numbers

__all__ = ["MATERIALS", "Material", "material"]


@dataclass(frozen=True)
class Material:
    """A density [kg/m³] with a name and the place to look it up (for your own: where the number comes from)."""

    name: str
    density: Any
    source: str = "given"

    def __post_init__(self) -> None:
        (density,) = numbers(f"density of {self.name}", self.density)
        if is_number(density) and density <= 0:
            raise GeometryError(f"density of {self.name} is {density:g} kg/m³; expected a density > 0")
        object.__setattr__(self, "density", density)


CRC = "CRC Handbook of Chemistry and Physics, sec. 4, properties of the elements"
ASM2 = "ASM Handbook vol. 2, properties of nonferrous alloys"
ASM1 = "ASM Handbook vol. 1, properties of irons and steels"
CDA = "Copper Development Association, alloy data sheet"
ISO = "typical value by ISO 1183 in makers' data sheets"

_TABLE = [
    Material("steel", 7850, "EN 1993-1-1, 3.2.6"),
    Material("alloy steel 4140", 7850, ASM1),
    Material("stainless steel 304", 8000, ASM1),
    Material("stainless steel 316", 8000, ASM1),
    Material("stainless steel 17-4PH", 7800, ASM1),
    Material("cast iron", 7200, "EN 1561, grey cast iron EN-GJL-200"),
    Material("ductile iron", 7100, "EN 1563, spheroidal graphite cast iron"),
    Material("iron", 7874, CRC),
    Material("aluminium", 2700, "EN 1999-1-1, 3.2.5"),
    Material("aluminium 2024", 2780, ASM2),
    Material("aluminium 5083", 2660, ASM2),
    Material("aluminium 6061", 2700, ASM2),
    Material("aluminium 7075", 2810, ASM2),
    Material("magnesium", 1738, CRC),
    Material("magnesium AZ31B", 1770, ASM2),
    Material("titanium", 4506, CRC),
    Material("titanium Ti-6Al-4V", 4430, ASM2),
    Material("copper", 8960, CRC),
    Material("brass", 8490, f"{CDA}, C36000"),
    Material("bronze", 8930, f"{CDA}, C93200"),
    Material("zinc", 7134, CRC),
    Material("nickel", 8908, CRC),
    Material("Inconel 718", 8190, ASM2),
    Material("lead", 11340, CRC),
    Material("tungsten", 19250, CRC),
    Material("gold", 19300, CRC),
    Material("NdFeB magnet", 7500, "typical value, MMPA standard 0100"),
    Material("ferrite magnet", 4900, "typical value, MMPA standard 0100"),
    Material("ABS", 1050, ISO),
    Material("PLA", 1240, ISO),
    Material("PETG", 1270, ISO),
    Material("PA6", 1140, ISO),
    Material("PA12", 1010, ISO),
    Material("POM", 1410, ISO),
    Material("polycarbonate", 1200, ISO),
    Material("PMMA", 1190, ISO),
    Material("PEEK", 1300, ISO),
    Material("PTFE", 2170, ISO),
    Material("HDPE", 950, ISO),
    Material("polypropylene", 905, ISO),
    Material("PVC", 1400, ISO),
    Material("silicone rubber", 1150, ISO),
    Material("natural rubber", 930, ISO),
    Material("epoxy", 1200, ISO),
    Material("carbon fibre epoxy", 1600, "ASM Handbook vol. 21, unidirectional, 60 % fibre by volume"),
    Material("glass fibre epoxy", 1900, "ASM Handbook vol. 21, 50 % fibre by volume"),
    Material("soda-lime glass", 2500, "EN 572-1"),
    Material("alumina", 3900, "ASM Engineered Materials Handbook vol. 4, 99.5 % Al2O3"),
    Material("silicon nitride", 3200, "ASM Engineered Materials Handbook vol. 4, hot pressed"),
    Material("silicon", 2330, CRC),
    Material("concrete", 2400, "EN 1991-1-1, table A.1, plain concrete"),
    Material("spruce", 450, "EN 338, C24, mean density rounded"),
    Material("plywood", 680, "EN 636, birch plywood, typical value"),
    Material("water", 998.2, "CRC Handbook, sec. 6, 20 °C"),
]

MATERIALS = {m.name: m for m in _TABLE}

_ALIASES = {
    "aluminum": "aluminium",
    "al": "aluminium",
    "carbon steel": "steel",
    "stainless steel": "stainless steel 304",
    "titanium alloy": "titanium Ti-6Al-4V",
    "nylon": "PA6",
    "delrin": "POM",
    "acetal": "POM",
    "acrylic": "PMMA",
    "teflon": "PTFE",
    "pc": "polycarbonate",
    "pp": "polypropylene",
    "cfrp": "carbon fibre epoxy",
    "gfrp": "glass fibre epoxy",
    "glass": "soda-lime glass",
}


def _key(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())


_BY_KEY = {_key(name): m for name, m in MATERIALS.items()} | {
    _key(alias): MATERIALS[name] for alias, name in _ALIASES.items()
}
_BY_KEY |= {key.replace("aluminium", "aluminum"): m for key, m in _BY_KEY.items() if "aluminium" in key}


def material(name: str | Material) -> Material:
    """The material of that name; case, hyphens and the spelling of aluminium do not matter."""
    if isinstance(name, Material):
        return name
    if not isinstance(name, str):
        raise ModelError(f"material: expected a name such as 'steel' or a Material, got {name!r}")
    found = _BY_KEY.get(_key(name))
    if found is None:
        raise ModelError(
            unknown("material", name, MATERIALS)
            + "; for another one give a density in kg/m³, or Material(name, density)"
        )
    return found
