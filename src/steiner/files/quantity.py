"""Numbers with units, as people write them in files: "120 mm", "2.7 g/cm^3", "90 deg".

Texts come from strangers: their length is bounded before anything looks at the digits, and no pattern goes back.
"""

from __future__ import annotations

import math
import re
from typing import Any

from steiner.errors import FormatError
from steiner.files.reading import LONGEST

DECIMAL = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)  # possessive: linear time
LENGTH = {
    "m": 1.0,
    "mm": 1e-3,
    "cm": 1e-2,
    "dm": 0.1,
    "um": 1e-6,
    "µm": 1e-6,
    "in": 0.0254,
    "inch": 0.0254,
    "ft": 0.3048,
}
MASS = {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125}
ANGLE = {"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}
DENSITY = {
    "kg/m^3": 1.0,
    "g/cm^3": 1e3,
    "g/cc": 1e3,
    "kg/dm^3": 1e3,
    "kg/l": 1e3,
    "g/mm^3": 1e6,
    "t/m^3": 1e3,
    "lb/in^3": MASS["lb"] / 0.0254**3,
}
INERTIA = {
    "kg*m^2": 1.0,
    "g*m^2": 1e-3,
    "g*mm^2": 1e-9,
    "kg*mm^2": 1e-6,
    "g*cm^2": 1e-7,
    "kg*cm^2": 1e-4,
    "lb*in^2": MASS["lb"] * 0.0254**2,
}
INERTIA |= {name.replace("*", ""): scale for name, scale in INERTIA.items()}  # kg m², spaces left out
LINEAR = {"kg/m": 1.0, "g/m": 1e-3, "g/mm": 1.0, "g/cm": 0.1}
AREA = {"kg/m^2": 1.0, "g/m^2": 1e-3, "g/cm^2": 10.0}
FORCE = {"N": 1.0, "kN": 1e3, "mN": 1e-3, "lbf": MASS["lb"] * 9.80665}
TORQUE = {"Nm": 1.0, "N*m": 1.0, "mNm": 1e-3, "mN*m": 1e-3, "Ncm": 1e-2, "N*cm": 1e-2, "kNm": 1e3, "kN*m": 1e3}
SPEED = {"rad/s": 1.0, "deg/s": math.pi / 180, "°/s": math.pi / 180, "rpm": math.pi / 30}
VELOCITY = {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2}
ACCELERATION = {"m/s^2": 1.0, "mm/s^2": 1e-3}
DAMPING = {"Nms/rad": 1.0, "N*m*s/rad": 1.0, "Nms": 1.0, "N*m*s": 1.0}
LINEAR_DAMPING = {"Ns/m": 1.0, "N*s/m": 1.0}
STIFFNESS = {"Nm/rad": 1.0, "N*m/rad": 1.0, "Nm/deg": 180 / math.pi, "N*m/deg": 180 / math.pi}
LINEAR_STIFFNESS = {"N/m": 1.0, "N/mm": 1e3, "N/cm": 1e2, "kN/m": 1e3}

# what a key of a file measures -> (units, SI unit, an example)
KINDS: dict[str, tuple[dict[str, float], str, str]] = {
    "length": (LENGTH, "m", "120 mm"),
    "mass": (MASS, "kg", "1.2 kg"),
    "angle": (ANGLE, "rad", "90 deg"),
    "density": (DENSITY, "kg/m^3", "2.7 g/cm^3"),
    "inertia": (INERTIA, "kg*m^2", "350 kg*mm^2"),
    "linear density": (LINEAR, "kg/m", "0.8 kg/m"),
    "area density": (AREA, "kg/m^2", "7.8 kg/m^2"),
    "force": (FORCE, "N", "50 N"),
    "torque": (TORQUE, "N*m", "8 N m"),
    "speed": (SPEED, "rad/s", "60 rpm"),
    "velocity": (VELOCITY, "m/s", "0.2 m/s"),
    "acceleration": (ACCELERATION, "m/s^2", "-9.81 m/s^2"),
    "damping": (DAMPING, "N*m*s/rad", "0.05 N m s/rad"),
    "linear damping": (LINEAR_DAMPING, "N*s/m", "2 N s/m"),
    "stiffness": (STIFFNESS, "N*m/rad", "20 N m/rad"),
    "linear stiffness": (LINEAR_STIFFNESS, "N/m", "500 N/m"),
    "share": ({"1": 1.0, "%": 0.01}, "1", "20 %"),
    "number": ({"1": 1.0}, "1", "100"),
}
SPELLINGS = {"²": "^2", "³": "^3", "**": "^", "·": "*", "⋅": "*", " ": ""}


def written_unit(text: str) -> str:
    """A unit in the spelling of the tables."""
    for old, new in SPELLINGS.items():
        text = text.replace(old, new)
    return re.sub(r"(?<=[a-z])([23])", r"^\1", text) if "^" not in text else text


def kind_of(text: str) -> str:
    """What a number measures by its unit; a bare one is a length."""
    found = DECIMAL.match(text.strip())
    unit = "" if found is None else written_unit(text.strip()[found.end() :].strip())
    return next((kind for kind, (units, _, _) in KINDS.items() if unit in units), "length")


def quantity(value: Any, kind: str, default: str | None = None) -> float:
    """The value in SI units; a bare number is in the default unit, and a bare length needs one (all others: SI)."""
    units, _, example = KINDS[kind]
    one = f"{'an' if kind[0] in 'ai' else 'a'} {kind} such as {example}"
    scale = units.get(default or "", 1.0)
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        raise FormatError(f"expected {one}, got {value!r}").under("not-a-number")
    unit = ""
    if isinstance(value, int | float):
        number = float(value) if abs(value) < 1e308 else math.inf
        shown = str(value) if math.isfinite(number) or isinstance(value, float) else "a number of hundreds of digits"
    else:
        text = str(value).strip()
        if len(text) > LONGEST:
            raise FormatError(f"a text of {len(text)} characters; expected {one}")
        found = DECIMAL.match(text)
        if found is None:
            raise FormatError(f"expected {one}, got {value!r}").under("not-a-number")
        number, shown = float(found[0]), text if len(text) < 40 else f"{text[:20]}…"
        unit = text[found.end() :].strip()
        if unit:
            if re.match(r",\d", unit):
                hint = f"a decimal comma; write {text.replace(',', '.', 1)}"
                raise FormatError(f"cannot read {value!r} as {one}: {hint}").under("not-a-number")
            if written_unit(unit) not in units:
                raise FormatError(f"{value!r}: {unit!r} is no unit of {kind}; expected one of {', '.join(units)}")
            scale = units[written_unit(unit)]
    if not math.isfinite(number):
        raise FormatError(f"{shown} is not a finite number; expected {one}").under("not-a-number")
    if kind == "length" and not (unit or default or number == 0):
        raise FormatError(
            f"{shown} has no unit, and the file states none; write `unit: mm` at its top or `{shown} mm` here, "
            "or say it when reading: unit=, --unit"
        )
    # 120 mm is 0.12 m, not 0.12000000000000001: divide by whole numbers where that is exact
    return number / round(1 / scale) if scale < 1 and (1 / scale) % 1 == 0 else number * scale
