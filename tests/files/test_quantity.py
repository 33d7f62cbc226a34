"""Units against their definitions (NIST SP 811, appendix B), every one of them."""

from __future__ import annotations

import math

import pytest

from steiner.files.quantity import KINDS, quantity

INCH, POUND = 0.0254, 0.45359237
DEFINED = {
    "length": {
        "m": 1, "dm": 0.1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "µm": 1e-6, "in": INCH, "inch": INCH, "ft": 12 * INCH,
    },
    "mass": {"kg": 1, "g": 0.001, "mg": 1e-6, "t": 1000, "lb": POUND, "oz": POUND / 16},
    "angle": {"rad": 1, "deg": math.pi / 180, "°": math.pi / 180},
    "density": {
        "kg/m^3": 1, "g/cm^3": 1000, "g/cc": 1000, "kg/dm^3": 1000, "kg/l": 1000, "g/mm^3": 0.001 / 0.001**3,
        "t/m^3": 1000, "lb/in^3": 27679.904710203,
    },
    "inertia": {
        "kg*m^2": 1, "g*m^2": 1e-3, "gm^2": 1e-3,
        "g*mm^2": 0.001 * 0.001**2, "kg*mm^2": 0.001**2, "g*cm^2": 0.001 * 0.01**2,
        "kg*cm^2": 0.01**2,
        "lb*in^2": 2.9263965343e-4, "kgm^2": 1, "gmm^2": 1e-9, "kgmm^2": 1e-6, "gcm^2": 1e-7, "kgcm^2": 1e-4,
        "lbin^2": 2.9263965343e-4,
    },
    "linear density": {"kg/m": 1, "g/m": 0.001, "g/mm": 1, "g/cm": 0.1},
    "area density": {"kg/m^2": 1, "g/m^2": 0.001, "g/cm^2": 0.001 / 0.01**2},
    "force": {"N": 1, "kN": 1000, "mN": 0.001, "lbf": 4.4482216152605},
    "torque": {
        "Nm": 1, "N*m": 1, "mNm": 0.001, "mN*m": 0.001, "Ncm": 0.01, "N*cm": 0.01, "kNm": 1000, "kN*m": 1000,
    },
    "speed": {"rad/s": 1, "deg/s": math.pi / 180, "°/s": math.pi / 180, "rpm": 2 * math.pi / 60},
    "velocity": {"m/s": 1, "mm/s": 0.001, "cm/s": 0.01},
    "acceleration": {"m/s^2": 1, "mm/s^2": 0.001},
    "damping": {"Nms/rad": 1, "N*m*s/rad": 1, "Nms": 1, "N*m*s": 1},
    "linear damping": {"Ns/m": 1, "N*s/m": 1},
    "stiffness": {"Nm/rad": 1, "N*m/rad": 1, "Nm/deg": 180 / math.pi, "N*m/deg": 180 / math.pi},
    "linear stiffness": {"N/m": 1, "N/mm": 1000, "N/cm": 100, "kN/m": 1000},
    "share": {"1": 1, "%": 0.01},
    "number": {"1": 1},
}  # fmt: skip


def test_every_kind_has_all_of_its_units_here():
    assert {kind: set(units) for kind, (units, _, _) in KINDS.items()} == {k: set(v) for k, v in DEFINED.items()}


@pytest.mark.parametrize(("kind", "unit"), [(kind, unit) for kind, units in DEFINED.items() for unit in units])
def test_a_unit_is_what_it_is_defined_to_be(kind, unit):
    expected = 2.5 * DEFINED[kind][unit]
    assert quantity(f"2.5 {unit}", kind) == pytest.approx(expected, rel=1e-10)
    assert quantity("2.5", kind, unit) == quantity(2.5, kind, unit) == quantity(f"2.5 {unit}", kind)
    assert quantity(f"2.5 {KINDS[kind][1]}", kind, unit) == 2.5  # what is written wins over the default
