"""Named densities of engineering materials, each with the source where that number was read.

A new one is one line of the table.  A density is that of the bulk material at room temperature.  `source` names the
table, record or data sheet that has it; where it gives a range, the range is said, and the middle taken unless said
otherwise.  Tables read in a transcription name the transcription.  Alloys, polymers and woods vary by grade, a maker's
sheet is one grade, and printed parts have pores: for anything that matters, weigh the part and say so
(`Assembly.weighed`, `Part(mass=…)`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from steiner.errors import GeometryError, ModelError, described, unknown
from steiner.records import record
from steiner.scalar import brief, is_negative, is_zero, numbers

__all__ = ["ALIASES", "MATERIALS", "Material", "material"]


@record
class Material:
    """A density [kg/m³] with a name and the source where the number was read (for your own: where it is from)."""

    name: str
    density: Any
    source: str = "given"

    def __post_init__(self) -> None:
        (density,) = numbers(f"density of {self.name}", self.density)
        if is_negative(density) or is_zero(density):
            raise GeometryError(f"density of {self.name} is {brief(density)} kg/m³; expected a density > 0")
        object.__setattr__(self, "density", density)


CRC = "CRC Handbook of Chemistry and Physics (2014), constants of inorganic compounds, as packaged in chemicals 1.5.2"
PNNL = "PNNL-15870 rev. 1, Compendium of Material Composition Data (2011), as packaged in PyNE"
AZOM = "AZoM data sheet"
PRINCETON = "Princeton University, MAE 324 glossary"

_TABLE = [
    Material("steel", 7850, "Steel for Life Blue Book, explanatory notes to Eurocode 3, 2.1 masses"),
    Material("alloy steel 4140", 7850, f"{AZOM}, AISI 4140 (UNS G41400)"),
    Material("stainless steel 304", 8000, f"{PNNL}, material 298 (rev. 2: 8030)"),
    Material("stainless steel 316", 8000, f"{PNNL}, material 300"),
    Material("stainless steel 17-4PH", 7750, f"{AZOM}, stainless steel grade 17-4"),
    Material("cast iron", 7150, f"{PNNL}, material 162, cast (gray)"),
    Material("ductile iron", 7100, "Dandong Foundry, properties by EN 1563:1997, EN-GJS-500-7"),
    Material("iron", 7874, f"{PNNL}, material 158"),
    Material("aluminium", 2700, CRC),
    Material("aluminium 2024", 2780, f"{PNNL}, material 8, 2024-O"),
    Material("aluminium 5083", 2660, "BTI Metals, aluminium 5083, nominal density at 20 °C"),
    Material("aluminium 6061", 2700, f"{PNNL}, material 13, 6061-O"),
    Material("aluminium 7075", 2810, f"{PNNL}, material 14, 7075-O"),
    Material("magnesium", 1740, f"{PNNL}, material 187"),
    Material("magnesium AZ31B", 1770, f"{AZOM}, magnesium AZ31B-O (UNS M11311)"),
    Material("titanium", 4506, CRC),
    Material("titanium Ti-6Al-4V", 4430, f"{PNNL}, material 325, grade 5"),
    Material("copper", 8960, f"{PNNL}, material 102"),
    Material("brass", 8490, "E-Z LOK, brass material properties, UNS C36000 at 20 °C"),
    Material("bronze", 8910, "Dura-Bar Metal Services, bearing bronze C93200 at 20 °C"),
    Material("zinc", 7133, f"{PNNL}, material 365"),
    Material("nickel", 8902, f"{PNNL}, material 204"),
    Material("Inconel 718", 8190, f"{PNNL}, material 156"),
    Material("lead", 11350, f"{PNNL}, material 171"),
    Material("tungsten", 19300, f"{PNNL}, material 331"),
    Material("gold", 19320, f"{PNNL}, material 148"),
    Material("NdFeB magnet", 7500, "Courage Magnet, neodymium magnet density, N35 to N45 (all: 7500 to 7700)"),
    Material("ferrite magnet", 4900, "Magna Tokyo, magnet characteristics, anisotropic ferrite (wet)"),
    Material("ABS", 1040, "BASF Terluran GP-35 properties, as listed by Plastic Dealers"),
    Material("PLA", 1240, "NatureWorks Ingeo 4043D technical data sheet"),
    Material("PETG", 1270, "Ultimaker PETG material profile, as packaged in fdm-materials 4.13"),
    Material("PA6", 1140, f"{PNNL}, material 209, nylon 6 and 6/6"),
    Material("PA12", 1020, "Matmatch, polyamide 12: 1010 to 1030"),
    Material("POM", 1410, "Celanese Hostaform C 27021 data sheet, copolymer"),
    Material("polycarbonate", 1200, f"{PNNL}, material 245"),
    Material("PMMA", 1190, f"{PNNL}, material 182, Lucite"),
    Material("PEEK", 1300, "MakeItFrom, polyetheretherketone: 1300 to 1500 with fillers, the lower end"),
    Material("PTFE", 2170, "A2TEC WikiVibra, polytetrafluoroethylene: 2140 to 2200"),
    Material("HDPE", 950, "Ropoly, polyethyleen, PE-HD (Simona, technical information PE: 945 to 970)"),
    Material("polypropylene", 900, f"{PNNL}, material 250"),
    Material("PVC", 1406, f"{PNNL}, material 255"),
    Material("silicone rubber", 1170, "Silastic 55U silicone rubber data sheet, specific gravity"),
    Material("natural rubber", 920, f"{PNNL}, material 272"),
    Material("epoxy", 1300, f"{PRINCETON}, epoxy: circa 1300"),
    Material("carbon fibre epoxy", 1600, f"{PRINCETON}, carbon fiber composite, 60 % fibre by volume"),
    Material("glass fibre epoxy", 1850, "Accurate Plastics (Acculam), sheet comparative data chart, G10/FR4 cloth"),
    Material("soda-lime glass", 2500, "Pilkington North America, technical bulletin ATS-129 (2013)"),
    Material("alumina", 3890, "Ashby, Materials and the Environment, alumina: 3800 to 3980"),
    Material("silicon nitride", 3170, CRC),
    Material("silicon", 2330, f"{PNNL}, material 281"),
    Material("concrete", 2300, f"{PNNL}, material 97, ordinary (NIST)"),
    Material("spruce", 441, "European Wood, selected species, spruce (Picea abies) at 12 % moisture"),
    Material("plywood", 670, "Au-Mex, exterior birch plywood: 640 to 700"),
    Material("water", 998.207, f"{PNNL}, material 354, liquid at 20 °C"),
]

MATERIALS = {m.name: m for m in _TABLE}

ALIASES = {
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
    spaced = " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
    return spaced.replace("aluminum", "aluminium")


@lru_cache(maxsize=256)
def _same(name: str, known: tuple[str, ...]) -> str | None:
    """The name in the table that is meant."""
    key = _key(ALIASES.get(_key(name), name))
    return next((other for other in known if _key(other) == key), None)


def material(name: str | Material) -> Material:
    """The material of that name; case, hyphens and the spelling of aluminium do not matter."""
    if isinstance(name, Material):
        return name
    if not isinstance(name, str):
        raise ModelError(f"material: expected a name such as 'steel' or a Material, got {described(name)}")
    found = _same(name, tuple(MATERIALS))
    if found is None:
        raise ModelError(
            unknown("material", name, MATERIALS)
            + "; for another one give a density in kg/m³, or Material(name, density)"
        )
    return MATERIALS[found]
