"""THE table of rules: what is odd, wrong or impossible in a model, whatever file or program it came from.

A rule is a function that gives remarks about a robot and one row of `RULES` (about a drawing: of `DRAWING_RULES`).
Readers report what they cannot read, under rules of the same table; meaning is judged here, after the model is built,
with the file and line that `robot.source` knows.  Numbers: 0 reading, 1 physics, 2 plausibility, 3 structure,
4 dynamics, 5 hygiene, 6 drawings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steiner.checks import physical, structural, units
from steiner.checks.rule import Rule, told_elsewhere
from steiner.errors import SteinerError
from steiner.findings import Finding
from steiner.model.robot import Robot
from steiner.model.source import Source

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly

_UNIT = "a unit: grams, pounds or millimetres where kilograms and metres are meant"
_TENSOR = "a tensor about another point or with products of the other sign, lost digits, or a made-up table"
_EXPORT = "export the part again, or take the nearest possible body: steiner fix FILE -o NEW --nearest-physical"
_MEASURE = "compute it of the geometry: steiner fix FILE -o NEW --link L --mass M"

# rules in the order in which they are told; nothing is asked after a fatal one
_RULES = (
    # what stops a reader
    Rule("ST001", "unreadable", "fatal", told_elsewhere),
    Rule("ST002", "dtd", "fatal", told_elsewhere,
         "a document type declaration, which can pull in files", "delete it"),
    Rule("ST003", "xacro", "fatal", told_elsewhere,
         "a template, not a robot yet", "expand it: xacro FILE -o NEW.urdf"),
    Rule("ST004", "not-a-number", "fatal", told_elsewhere,
         "an overflow, a comma, a unit or a word where a number belongs", "write a decimal number"),
    Rule("ST301", "cycle", "fatal", told_elsewhere, "a closed loop, or parent and child exchanged", "cut the loop"),
    Rule("ST302", "several-roots", "fatal", told_elsewhere,
         "a link that no joint carries", "give it a joint, or remove it"),
    Rule("ST303", "duplicate-name", "fatal", told_elsewhere, "a part copied without renaming", "rename one"),
    Rule("ST304", "missing-link", "fatal", told_elsewhere, "a name misspelt, or a link removed", "correct the name"),
    Rule("ST305", "zero-axis", "fatal", told_elsewhere,
         "an axis that was never set", 'write a direction such as "0 0 1"'),
    Rule("ST311", "mimic-cycle", "fatal", told_elsewhere, "joints that mimic each other", "let one of them lead"),
    Rule("ST105", "negative-mass", "fatal", told_elsewhere, "a body subtracted from nothing", "write a mass ≥ 0"),
    Rule("ST101", "overflow", "fatal", physical.overflow, _UNIT, "scale the model to kilograms and metres"),
    # what is told on loading
    Rule("ST312", "mimic-free", "warning", structural.mimic_free,
         "<mimic> and its kind", 'load with mimic="coupled"'),
    Rule("ST313", "left-out", "warning", structural.left_out),
    Rule("ST314", "angle-in-degrees", "warning", structural.angle_in_degrees,
         "degrees in place of radians", "write radians"),
    Rule("ST216", "underflow", "warning", physical.underflow, _UNIT, "write kilograms and metres, or 0"),
    Rule("ST201", "odd-mass", "warning", physical.odd_mass, _UNIT, "write masses in kilograms"),
    Rule("ST202", "odd-density", "warning", units.density_of_links,
         _UNIT, "write kilograms, and the unit of lengths"),
    Rule("ST203", "odd-size", "warning", units.size_of_links, _UNIT, "write the unit of lengths"),
    Rule("ST102", "tensor-without-mass", "error", physical.tensor_without_mass,
         "a rotor's inertia in a link's tensor, or a mass left out",
         "state the mass; a rotor belongs to the joint (armature)"),
    Rule("ST103", "negative-moments", "error", physical.negative_moments, _TENSOR, _EXPORT),
    Rule("ST104", "triangle", "error", physical.triangle, _TENSOR, _EXPORT),
    Rule("ST306", "limits-missing", "warning", structural.limits_missing,
         "", "state the limits, or make the joint a continuous one"),
    Rule("ST307", "limits-swapped", "warning", structural.limits_swapped,
         "lower and upper exchanged", "exchange them"),
    Rule("ST308", "limits-in-degrees", "warning", structural.limits_in_degrees,
         "degrees in place of radians", "write radians"),
    Rule("ST318", "limits-in-millimetres", "warning", structural.limits_in_millimetres,
         "millimetres in place of metres", "write metres"),
    Rule("ST401", "massless", "warning", structural.massless,
         "a link without inertia, or a frame that should be fixed", "give it a mass"),
    Rule("ST315", "immobile", "warning", structural.immobile, "all joints are fixed, or there are none", ""),
    Rule("ST309", "axis-normalised", "note", structural.normalised, "", "write a unit vector"),
    Rule("ST316", "angle-snapped", "note", structural.angle_snapped,
         "an exact angle cut off after some digits", "load with snap=False"),
    Rule("ST317", "angle-coarse", "note", structural.coarse_angle,
         "an exact angle rounded to a few digits", "write all its digits"),
    # what `check` looks at besides
    Rule("ST204", "density-unlikely", "warning", "checks.plausible:density_unlikely", _UNIT, "weigh it", on_load=False),
    Rule("ST205", "centre-outside", "warning", "checks.plausible:centre_outside",
         "a sign, a unit, or the frame of another link", "give the centre in the link's own frame", on_load=False),
    Rule("ST206", "spread-too-wide", "warning", "checks.plausible:spread_too_wide",
         "a tensor of another part, point or unit; or a geometry much simplified", _MEASURE, on_load=False),
    Rule("ST207", "placeholder", "warning", "checks.plausible:placeholder",
         "typed in so that a simulator would load the file", _MEASURE, on_load=False),
    Rule("ST208", "wider-than-the-robot", "warning", "checks.plausible:wider_than_the_robot",
         "a placeholder, or millimetres in the tensor", _MEASURE, on_load=False),
    Rule("ST209", "tensor-about-origin", "warning", "checks.plausible:tensor_about_origin",
         "", "give it about the centre of mass", on_load=False),
    Rule("ST210", "tensor-slots", "warning", "checks.plausible:tensor_slots",
         "", "order: ixx ixy ixz iyy iyz izz", on_load=False),
    Rule("ST211", "product-signs", "warning", "checks.plausible:product_signs",
         "", "products of a tensor are −∫xy dm", on_load=False),
    Rule("ST212", "tensor-unit", "warning", "checks.plausible:tensor_unit", "", "write kg m²", on_load=False),
    Rule("ST213", "copied-tensor", "warning", "checks.plausible:copied_tensor",
         "one link's numbers copied to the others", _MEASURE, on_load=False),
    Rule("ST214", "twins-differ", "warning", "checks.plausible:twins_differ",
         "one of both was edited, or measured apart", "take the numbers of one for both, mirrored", on_load=False),
    Rule("ST215", "point-mass", "note", physical.point_mass, "a tensor left out", _MEASURE, on_load=False),
    Rule("ST310", "effort-missing", "note", structural.effort_missing,
         "never filled in", "take it from the motor's data sheet", on_load=False),
    Rule("ST402", "ill-conditioned", "warning", "checks.dynamic:ill_conditioned",
         "very light bodies behind heavy ones, on nearly one axis",
         "give the rotors their inertia (armature), or lock the joint", on_load=False),
    Rule("ST403", "gravity-above-effort", "warning", "checks.dynamic:gravity_above_effort",
         "masses too large, or an effort that was never filled in", "", on_load=False),
    Rule("ST501", "mesh-missing", "warning", "checks.hygiene:mesh_missing",
         "a package that is not there", "pass package_dirs=, or ship the mesh", on_load=False),
    Rule("ST502", "absolute-path", "warning", "checks.hygiene:absolute_path",
         "a path of the author's machine", "write it relative to the file", on_load=False),
    Rule("ST503", "mesh-outside", "warning", "checks.hygiene:mesh_outside", "",
         "put it beside the file, or allow its folder: package_dirs=, --package-dir", on_load=False),
    Rule("ST504", "mesh-unreadable", "warning", "checks.hygiene:mesh_unreadable",
         "cut short, or not what its ending says", "export it again", on_load=False),
    Rule("ST505", "mesh-open", "note", "checks.hygiene:mesh_open",
         "made to be looked at", "close its surface, or give the link a <collision> of simple shapes", on_load=False),
)  # fmt: skip
RULES = {rule.name: rule for rule in _RULES}
_DRAWING_RULES = (
    Rule("ST601", "overflow-part", "fatal", "checks.drawings:overflow_part",
         _UNIT, "write kilograms and metres, or name the unit"),
    Rule("ST602", "odd-density-part", "warning", "checks.drawings:density_of_parts",
         _UNIT, "write kilograms, and the unit of lengths"),
    Rule("ST603", "odd-size-part", "warning", "checks.drawings:size_of_parts", _UNIT, "write the unit of lengths"),
    Rule("ST604", "unphysical-part", "error", "checks.drawings:unphysical_part",
         _TENSOR, "measure it again, or take body.nearest_physical()"),
    Rule("ST605", "overlap", "warning", told_elsewhere, "parts drawn into each other", "move one, or cut it: a − b"),
    Rule("ST606", "cavity-outside", "warning", told_elsewhere,
         "a cavity larger than what it is cut from", "shorten it"),
    Rule("ST607", "cavity-overlap", "warning", told_elsewhere, "one hole drawn twice", "join the cavities"),
    Rule("ST608", "unchecked", "note", told_elsewhere, "a body without a shape, or one with symbols", ""),
)  # fmt: skip
DRAWING_RULES = {rule.name: rule for rule in _DRAWING_RULES}


def judged(model: Robot | Assembly, source: Source | None = None) -> list[Finding]:
    """What the rules say about a robot or a drawing when it is loaded; `source` knows the places of a drawing."""
    found: list[Finding] = []
    for rule in (RULES if isinstance(model, Robot) else DRAWING_RULES).values():
        if rule.on_load and rule.judge is not told_elsewhere:
            found += rule(model, source)
        if any(f.severity == "fatal" for f in found):
            break
    return found


def judged_closely(model: Robot | Assembly, found: list[Finding]) -> list[Finding]:
    """What was found, and what the rules say that no one needs to load a robot; nothing is asked after a fatal one."""
    if not isinstance(model, Robot) or any(f.severity == "fatal" for f in found):
        return found
    return [*found, *(f for rule in RULES.values() if not rule.on_load for f in rule(model))]


def stopped(error: SteinerError, text: str, file: str, line: int | None) -> Finding:
    """What stopped a reader, as a finding under the rule that the error names."""
    rule = RULES.get(error.rule, RULES["unreadable"])
    return rule.about(Finding(rule.code, text, "fatal", file=file, line=line))
