"""Robot files mended: one named repair, a new file, and what it does; every other byte stays as it is."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from steiner.checks.geometry import looked_at
from steiner.checks.guesses import SLOTS, from_slots, slots
from steiner.checks.rule import MENDED
from steiner.errors import ArgumentError, FormatError, need, unknown
from steiner.files.load import FORMATS, faithful, load
from steiner.files.quantity import INERTIA, LENGTH, MASS, written_unit
from steiner.files.reading import contents
from steiner.inertia import STATED, MassProperties
from steiner.inertia.properties import steiner_term
from steiner.materials import material as material_of
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.review.compare import Comparison, compare, quietly
from steiner.review.texts import Inertial, XmlText, text_of
from steiner.text.written import replacing

ENDINGS = sorted({ending for key in MENDED for ending in FORMATS[key].suffixes})
DIGITS = 1e-13  # relative: less is round-off
Repair = Callable[[Inertial, Link], Inertial]


@final
@dataclass(frozen=True)
class Fixed:
    """A mended file: where it is, what changed, the lines that differ, and what that does to M and g."""

    path: Path
    changes: tuple[str, ...]
    diff: str
    effect: Comparison

    def __str__(self) -> str:
        return "\n".join([*self.changes, "", self.diff, "", self.effect.text()])


def fix(
    path: str | os.PathLike[str],
    new: str | os.PathLike[str] | None = None,
    *,
    link: str | None = None,
    mass: float | None = None,
    density: float | None = None,
    material: str | None = None,
    nearest_physical: bool = False,
    swap: str | None = None,
    unit: str | None = None,
    about_centre: bool = False,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    force: bool = False,
) -> Fixed:
    """A URDF, SDF or MJCF file with one thing mended, as a new file; nothing else in it changes, not even a blank.

    Args:
        path: the file, which stays as it is.
        new: the file to write; by default beside it, such as "arm.fixed.urdf".
        link: whose <inertial> is mended; only `nearest_physical` may go without, and mends all that need it.
        mass: the body is computed of the link's geometry, filled evenly with this mass [kg];
        density: with this density [kg/m³];
        material: or with that of a material, such as "steel".
        nearest_physical: the nearest tensor that a body can have; mass and centre stay.
        swap: "ixx,izz" exchanges two numbers of the tensor, six names say in which order they were filled in, and
            "signs" turns the signs of its products.
        unit: what the numbers are in: that of the tensor ("kg*mm^2"), of the mass ("g") or of the centre ("mm").
        about_centre: the tensor was given about the link's origin: Huygens and Steiner.
        package_dirs: where package:// starts, for the meshes of the link's geometry.
        force: replace `new` if it exists.
    """
    source = Path(need("path", path, (str, os.PathLike)))
    if source.suffix.lower() not in ENDINGS:
        expected = f"expected one that ends in {' '.join(ENDINGS)}"
        raise FormatError(f"{source}: URDF, SDF and MJCF files are mended; {expected}")
    target = source.with_suffix(f".fixed{source.suffix}") if new is None else Path(need("new", new, (str, os.PathLike)))
    if os.path.realpath(target) == os.path.realpath(source):
        raise ArgumentError(f"{target} is the file itself; a mended file is always a new one: choose another name")
    text = text_of(str(source), contents(source, "a description of a robot"))
    before = quietly(load, source, package_dirs=package_dirs)
    options = {
        "mass": mass, "density": density, "material": material, "nearest_physical": nearest_physical or None,
        "swap": swap, "unit": unit, "about_centre": about_centre or None,
    }  # fmt: skip
    repair = _repair({name: value for name, value in options.items() if value is not None})
    names = [link] if link is not None else _impossible(before, bool(nearest_physical))
    mended, changes = text, []
    for name in names:
        mended, change = _mended(mended, before.link(_known(text, name)), repair)
        changes.append(change)
    robots = (quietly(faithful, source, source.suffix[1:].lower(), data=one.data) for one in (text, mended))
    effect = compare(*(robot.replace(name=name) for robot, name in zip(robots, ("before", "after"), strict=True)))
    with replacing(target, force=force, binary=True) as file:
        file.write(mended.data)
    return Fixed(target, tuple(changes), _diff(text, mended, source, target), effect)


def _known(text: XmlText, name: str) -> str:
    text.link(name)
    return name


def _impossible(robot: Robot, asked: bool) -> list[str]:
    """The links that no body can be."""
    if not asked:
        raise ArgumentError("fix: which link? Pass link= (--link)")
    found = [link.name for link in robot.links if link.body.is_numeric and not link.body.is_physical(STATED)]
    if not found:
        raise ArgumentError("fix: every link of this robot is possible; nothing to mend")
    return found


def _mended(text: XmlText, link: Link, repair: Repair) -> tuple[XmlText, str]:
    old = text.inertial(link.name)
    start = old or Inertial.of(link.body)  # what the format says of a link that says nothing
    new = _tidy(start, repair(start, link))
    body = MassProperties.trusted(new.mass, np.zeros(3), new.tensor)
    distance = float(np.linalg.norm(new.tensor - start.tensor) / (np.linalg.norm(start.tensor) or 1.0))
    told = f"link {link.name!r}: {start.mass:.6g} kg to {new.mass:.6g} kg, tensor changed by {distance:.3g} of its size"
    if not body.is_physical(STATED):
        told += f"; still no body can be so: {body.fault()}"
    return text.with_inertial(link.name, new), told


def _tidy(old: Inertial, new: Inertial) -> Inertial:
    """Twelve digits of what changed; what differs by round-off only did not change."""

    def tidied(before: Any, after: Any) -> np.ndarray:
        before, after = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
        same = np.abs(after - before) <= DIGITS * max(float(np.abs(before).max()), float(np.abs(after).max()))
        least = DIGITS * float(np.abs(after).max())
        rounded = [float(f"{x:.12g}") if abs(x) > least else 0.0 for x in after.ravel()]
        return np.where(same, before, np.reshape(rounded, after.shape))

    mass, xyz = tidied(old.mass, new.mass).tolist(), tuple(tidied(old.xyz, new.xyz).tolist())
    return Inertial(mass, xyz, new.R, tidied(old.tensor, new.tensor))


def _diff(old: XmlText, new: XmlText, source: Path, target: Path) -> str:
    before, after = (text.data.decode("utf-8", "replace").splitlines() for text in (old, new))
    return "\n".join(difflib.unified_diff(before, after, str(source), str(target), lineterm="", n=1))


# ---- repairs ---------------------------------------------------------------------------------------


def _repair(asked: dict[str, Any]) -> Repair:
    if len(asked) != 1:
        listed = ", ".join(asked) or "nothing"
        raise ArgumentError(f"fix: expected one repair of {', '.join(_REPAIRS)}; got {listed}")
    ((name, value),) = asked.items()
    return _REPAIRS[name](value)


def _of_mass(mass: Any) -> Repair:
    return lambda old, link: _filled(link, lambda volume: _positive("mass", mass))


def _of_density(density: Any) -> Repair:
    return lambda old, link: _filled(link, lambda volume: _positive("density", density) * volume)


def _of_material(name: Any) -> Repair:
    return _of_density(material_of(name).density)


def _positive(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ArgumentError(f"fix: {what}={value!r}; expected a number > 0 in SI units")
    return float(value)


def _filled(link: Link, mass_of: Callable[[float], float]) -> Inertial:
    geometry, useless = looked_at(link)
    if geometry is None:
        why = "".join(f"; {error}" for error in useless.values())
        raise ArgumentError(
            f"fix: link {link.name!r} has no geometry of known volume{why}; give it closed shapes"
        )
    mass = mass_of(geometry.volume)
    return Inertial(mass, tuple(map(float, geometry.centre)), np.eye(3), geometry.tensor(mass))


def _nearest(_: Any) -> Repair:
    return lambda old, link: old._replace(tensor=old.central.nearest_physical()[0].inertia)


def _about_centre(_: Any) -> Repair:
    def repaired(old: Inertial, link: Link) -> Inertial:
        offset = old.R.T @ np.array(old.xyz)
        return old._replace(tensor=old.tensor - steiner_term(old.mass, offset).astype(float))

    return repaired


def _swap(words: Any) -> Repair:
    if words == "signs":
        return lambda old, link: old._replace(tensor=2 * np.diag(np.diag(old.tensor)) - old.tensor)
    named = [word.strip() for word in str(words).split(",")]
    wrong = next((word for word in named if word not in SLOTS), None)
    if wrong is not None or len(named) not in (2, 6) or len(set(named)) != len(named):
        raise ArgumentError(
            f"fix: swap={words!r}; expected two of {', '.join(SLOTS)}, or all six in the order in which they were "
            "filled in, or signs"
        )
    if len(named) == 2:
        a, b = (SLOTS.index(word) for word in named)
        order = list(range(6))
        order[a], order[b] = b, a
    else:
        order = [named.index(word) for word in SLOTS]
    return lambda old, link: old._replace(tensor=from_slots(np.array(slots(old.tensor))[order]))


def _unit(name: Any) -> Repair:
    unit = written_unit(str(name))
    if unit in INERTIA:
        return lambda old, link: old._replace(tensor=old.tensor * INERTIA[unit])
    if unit in MASS:
        return lambda old, link: old._replace(mass=old.mass * MASS[unit])
    if unit in LENGTH:
        return lambda old, link: old._replace(xyz=tuple(x * LENGTH[unit] for x in old.xyz))
    raise ArgumentError(f"fix: {unknown('unit', name, [*INERTIA, *MASS, *LENGTH])}")


_REPAIRS: dict[str, Callable[[Any], Repair]] = {
    "mass": _of_mass, "density": _of_density, "material": _of_material, "nearest_physical": _nearest,
    "swap": _swap, "unit": _unit, "about_centre": _about_centre,
}  # fmt: skip
