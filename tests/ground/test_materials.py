"""Densities of materials against physics: crystal lattices, mixtures of elements, and what a family can weigh."""

from __future__ import annotations

import math

import pytest

from steiner.materials import MATERIALS

AVOGADRO = 6.02214076e23
ATOMS = {"fcc": 4, "bcc": 2, "diamond": 8}  # in a cubic cell of edge a

ELEMENTS = {
    "iron": "Fe",
    "aluminium": "Al",
    "magnesium": "Mg",
    "titanium": "Ti",
    "copper": "Cu",
    "zinc": "Zn",
    "nickel": "Ni",
    "lead": "Pb",
    "tungsten": "W",
    "gold": "Au",
    "silicon": "Si",
}

ALLOYS = {  # nominal fractions of mass [%]; the first element is the balance
    "stainless steel 304": ("Fe", {"Cr": 19, "Ni": 9.25, "Mn": 1}),
    "stainless steel 316": ("Fe", {"Cr": 17, "Ni": 12, "Mo": 2.5, "Mn": 1}),
    "stainless steel 17-4PH": ("Fe", {"Cr": 16.25, "Ni": 4, "Cu": 4}),
    "steel": ("Fe", {"Mn": 1}),
    "alloy steel 4140": ("Fe", {"Cr": 1, "Mn": 0.9, "Mo": 0.2}),
    "aluminium 2024": ("Al", {"Cu": 4.4, "Mg": 1.5, "Mn": 0.6}),
    "aluminium 5083": ("Al", {"Mg": 4.45, "Mn": 0.7}),
    "aluminium 6061": ("Al", {"Mg": 1, "Si": 0.6}),
    "aluminium 7075": ("Al", {"Zn": 5.6, "Mg": 2.5, "Cu": 1.6}),
    "magnesium AZ31B": ("Mg", {"Al": 3, "Zn": 1}),
    "titanium Ti-6Al-4V": ("Ti", {"Al": 6, "V": 4}),
    "brass": ("Cu", {"Zn": 35.5, "Pb": 3}),
    "bronze": ("Cu", {"Sn": 7, "Pb": 7, "Zn": 3}),
    "Inconel 718": ("Ni", {"Cr": 19, "Fe": 18.5, "Nb": 5.1, "Mo": 3}),
}

FAMILIES = {  # kg/m³: what materials of the kind can weigh, and which are of it
    (7600, 8100): "steel, alloy steel 4140, stainless steel 304, stainless steel 316, stainless steel 17-4PH, iron",
    (6900, 7400): "cast iron, ductile iron",
    (2600, 2850): "aluminium, aluminium 2024, aluminium 5083, aluminium 6061, aluminium 7075",
    (1700, 1850): "magnesium, magnesium AZ31B",
    (4400, 4600): "titanium, titanium Ti-6Al-4V",
    (8000, 9000): "copper, brass, bronze, nickel, Inconel 718",
    (7000, 7200): "zinc",
    (11200, 11450): "lead",
    (19000, 19500): "tungsten, gold",
    (7300, 7750): "NdFeB magnet",
    (4600, 5200): "ferrite magnet",
    (1000, 1450): "ABS, PLA, PETG, PA6, PA12, POM, polycarbonate, PMMA, PEEK, PVC, epoxy, silicone rubber",
    (2100, 2300): "PTFE",
    (880, 980): "HDPE, polypropylene, natural rubber",
    (1500, 1700): "carbon fibre epoxy",
    (1750, 2100): "glass fibre epoxy",
    (2400, 2600): "soda-lime glass",
    (3700, 4000): "alumina",
    (3100, 3300): "silicon nitride",
    (2200, 2500): "silicon, concrete",
    (350, 550): "spruce",
    (550, 750): "plywood",
    (998, 998.3): "water",
}


def element(symbol):
    reason = "periodictable is not installed: pip install steiner[oracles]"
    return pytest.importorskip("periodictable", reason=reason).elements.symbol(symbol)


def lattice(symbol):
    """Density [kg/m³] of a perfect crystal: atoms in a cell by the volume of the cell."""
    atom = element(symbol)
    cell = atom.crystal_structure
    a, symmetry = cell["a"] * 1e-10, cell["symmetry"].lower()
    if symmetry == "hcp":
        atoms, volume = 2, math.sqrt(3) / 2 * cell["c/a"] * a**3
    else:
        atoms, volume = ATOMS[symmetry], a**3
    return atoms * atom.mass * 1e-3 / AVOGADRO / volume


def mixture(balance, fractions):
    """Density [kg/m³] when the elements keep their volumes."""
    parts = fractions | {balance: 100 - sum(fractions.values())}
    return 1000 * 100 / sum(share / element(symbol).density for symbol, share in parts.items())


@pytest.mark.parametrize(("name", "symbol"), ELEMENTS.items())
def test_elements_weigh_what_their_crystals_do(name, symbol):
    density, expected = MATERIALS[name].density, lattice(symbol)
    assert density == pytest.approx(expected, rel=0.01)
    for wrong in (0.98 * density, 1.02 * density):
        assert wrong != pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("name", ALLOYS)
def test_alloys_weigh_about_what_their_elements_do(name):
    assert MATERIALS[name].density == pytest.approx(mixture(*ALLOYS[name]), rel=0.03)


def test_every_material_is_of_one_family_and_within_it():
    of = [(name, limits) for limits, names in FAMILIES.items() for name in names.split(", ")]
    assert sorted(name for name, _ in of) == sorted(MATERIALS)
    for name, (low, high) in of:
        assert low <= MATERIALS[name].density <= high, name


def test_sources_name_what_was_read():
    for name, entry in MATERIALS.items():
        assert len(entry.source) >= 15 and "://" not in entry.source, name
        assert not entry.source.startswith(("typical", "given", "EN ", "ISO ", "ASM ")), name
