"""The page docs/requirements.md: every requirement of the source documents, its code and its tests.

Run `python tests/requirements.py` to write it afresh; a test fails while it is stale.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "requirements.md"

# id -> (what the documents ask for, where it is done)
REQUIREMENTS = {
    "A1": ("moment of inertia of particles and solids about an axis", "inertia.py, solids/particles.py"),
    "A2": ("moment about an arbitrary axis, λᵀ I λ", "inertia.py"),
    "A3": ("inertia tensor by volume integrals, about any frame", "solids/base.py, solids/primitives.py"),
    "A4": ("angular momentum H = I ω", "inertia.py"),
    "A5": ("principal axes and moments", "inertia.py"),
    "A6": ("the box about its corner and its centre, derived", "solids/derive.py"),
    "A7": ("parallel-axis theorem, both ways", "inertia.py"),
    "A8": ("rotation of the tensor, both ways", "inertia.py"),
    "A9": ("the table of shapes", "solids/primitives.py"),
    "A10": ("the composed link of the decks", "assembly/tree.py"),
    "A11": ("centre of mass of particles, solids, compositions", "inertia.py, assembly/sums.py"),
    "A12": ("measured values replace computed ones", "assembly/tree.py, assembly/budget.py"),
    "B1": ("inverse and forward dynamics", "dynamics/newton_euler.py, dynamics/articulated.py"),
    "B2": ("Newton-Euler, every intermediate; a moving base", "dynamics/newton_euler.py, dynamics/reactions.py"),
    "B3": ("revolute joints project n, prismatic joints f", "dynamics/newton_euler.py"),
    "B4": ("wrenches of the environment on any link", "dynamics/newton_euler.py"),
    "B5": ("friction: viscous, Coulomb, Stribeck, smoothed", "model/friction.py"),
    "B6": ("torque split by its source", "dynamics/breakdown.py"),
    "C1": ("link, elements, parts", "assembly/tree.py"),
    "C2": ("centre of gravity of the link", "assembly/sums.py"),
    "C3": ("rotation sequence about fixed axes", "vectors.py, spatial/poses.py"),
    "C4": ("tensor of a part carried to the link's axes", "inertia.py, assembly/sums.py"),
    "C5": ("tensors about three reference points, and their table", "assembly/budget.py"),
    "C6": ("the manipulated object", "model/robot.py (payloads), dynamics/breakdown.py"),
    "C7": ("the NM7MAR manipulator", "robots/built.py"),
    "C8": ("criteria for the centre of gravity; counterweights", "assembly"),
    "C9": ("limits of integration between local frames", "solids/limits.py"),
    "D1": ("velocity and acceleration of a body's point", "dynamics/rigid_body.py"),
    "D2": ("Newton and Euler at the centre of mass", "dynamics/rigid_body.py"),
    "D3": ("spatial inertia, momentum, ad, bracket", "spatial, dynamics/rigid_body.py"),
    "D4": ("all of it in other frames", "spatial, dynamics/rigid_body.py"),
    "D5": ("one body: inverse, forward, motion in time", "dynamics/rigid_body.py, dynamics/collocation.py"),
    "D6": ("several wrenches; the hand with the apple", "spatial/wrenches.py"),
    "D7": ("statics of open chains", "dynamics/statics.py"),
    "E1": ("Lagrange's equations from K and P", "formulas/lagrange.py, dynamics/lagrange.py"),
    "E2": ("M as a sum of Jacobians", "dynamics/lagrange.py, dynamics/kinematics.py"),
    "E3": ("structure of M", "dynamics/composite.py"),
    "E4": ("Christoffel symbols; centrifugal and Coriolis terms", "dynamics/coriolis.py"),
    "E5": ("gravity and potential energy", "dynamics/terms.py, dynamics/energy.py"),
    "E6": ("worked examples RP, PR, PP, RR in closed form", "formulas"),
    "E7a": ("evaluate the structure: ellipsoids, reflected inertia, conditioning", "analysis/structure.py"),
    "E7b": ("simulate the manipulator, design a controller", "motion"),
    "M5": ("wrenches in frames by name; a moving base", "spatial/wrenches.py, dynamics/newton_euler.py"),
    "M6": ("derivations of arms of up to seven joints", "formulas/recursion.py, formulas/chains.py"),
    "M9": ("formulas in the letters of the decks", "formulas/letters.py"),
    "X1": ("v̇ inside the rotation", "dynamics/newton_euler.py"),
    "X2": ("τᵢ = nᵢᵀ ẑᵢ", "dynamics/newton_euler.py"),
    "X3": ("third entry of the box", "solids/primitives.py"),
    "X4": ("cone about its apex and its centre", "solids/primitives.py"),
    "X5": ("entry −Ixy and product Ixy", "inertia.py"),
    "X6": ("entry (3,1) of the parallel-axis matrix", "inertia.py"),
    "X7": ("signs in eq. 26", "inertia.py"),
    "X8": ("part masses, not one density", "assembly/sums.py"),
    "X9": ("eq. 7 is sufficient only", "assembly"),
    "X10": ("a cube, not a hexagon", "solids/primitives.py"),
    "X11": ("misprints of eqs 20, 21, 43", "assembly/budget.py"),
    "X12": ("eq. 55 is another region", "solids/limits.py"),
    "X13": ("cotangent in eq. 56", "solids/limits.py"),
    "X14": ("a minus sign in the twist-wrench step", "dynamics/rigid_body.py"),
    "X15": ("Izz₂ in m₁₁ of RR", "dynamics/composite.py"),
    "X16": ("the bracket in RR's gravity", "dynamics/terms.py"),
    "X17": ("diagonal only along principal axes", "inertia.py"),
    "X18": ("H, p and positive moments", "inertia.py"),
    "X19": ("masses and frames of the composed link", "assembly/tree.py"),
    "X20": ("Ixx = Iyy belongs to the cylinder", "solids/primitives.py"),
}

HEADINGS = {
    "A": "Mass properties (decks 000, 001, 004)",
    "B": "Newton-Euler dynamics (000, 001, 004)",
    "C": "Links from elements from parts (paper 002)",
    "D": "One rigid body, twists and wrenches, statics (003)",
    "E": "Lagrange (004)",
    "M": "What the authors do, step by step",
    "X": "Errors in the documents (see [errata](errata.md))",
}


def proofs() -> dict[str, dict[str, int]]:
    """Per id, how many tests in which file are named after it."""
    found: dict[str, dict[str, int]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for keys in re.findall(r"^def test_((?:[A-EMX]\d+[ab]?_)+)", text, re.MULTILINE):
            for key in keys.strip("_").split("_"):
                files = found.setdefault(key, {})
                name = path.relative_to(ROOT).as_posix()
                files[name] = files.get(name, 0) + 1
    return found


def page() -> str:
    """The text of the page."""
    known = proofs()
    lines = [
        "# Requirements, code and tests",
        "",
        "What the source documents ask for, where it is done (in `src/steiner`) and which tests prove it: tests are",
        "named after the id, `test_B4_…`.  This page is written by `python tests/requirements.py`; a test fails while",
        "it is stale.",
    ]
    for letter, heading in HEADINGS.items():
        lines += ["", f"## {letter}. {heading}", "", "| id | what | code | tests |", "|---|---|---|---|"]
        for key, (what, code) in REQUIREMENTS.items():
            if key[0] == letter:
                files = ", ".join(f"`{path}`" for path in known.get(key, {})) or "later"
                lines.append(f"| {key} | {what} | {code} | {files} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
