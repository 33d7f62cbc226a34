"""The page docs/requirements.md: every requirement of the source documents, its code and its tests.

Run `python tests/requirements.py` to write it afresh; a test fails while it is stale.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "requirements.md"

# id -> (what the documents ask for, where it is done: functions that its tests enter)
REQUIREMENTS = {
    "A1": (
        "moment of inertia of particles and solids about an axis",
        "inertia/properties.py:MassProperties.moment_about, solids/particles.py:Particles.moment_about",
    ),
    "A2": ("moment about an arbitrary axis, λᵀ I λ", "inertia/properties.py:MassProperties.moment_about"),
    "A3": (
        "inertia tensor by volume integrals, about any frame",
        "solids/base.py:Solid.with_density, inertia/properties.py:MassProperties.inertia_about",
    ),
    "A4": ("angular momentum H = I ω", "inertia/properties.py:MassProperties.angular_momentum"),
    "A5": ("principal axes and moments", "inertia/conventions.py:Conventions.principal"),
    "A6": (
        "the box about its corner and its centre, derived",
        "solids/primitives.py:Box._gyration, solids/derive.py:derive_box",
    ),
    "A7": (
        "parallel-axis theorem, both ways",
        "inertia/properties.py:steiner_term, inertia/properties.py:MassProperties.inertia_about",
    ),
    "A8": ("rotation of the tensor, both ways", "inertia/properties.py:MassProperties.moved"),
    "A9": (
        "the table of shapes",
        "solids/primitives.py:Cone._gyration, solids/balls.py:Sphere._gyration, solids/thin.py:Rod._gyration",
    ),
    "A10": ("the composed link of the decks", "assembly/tree.py:Assembly.mass_properties, assembly/sums.py:combined"),
    "A11": (
        "centre of mass of particles, solids, compositions",
        "solids/particles.py:Particles.com, solids/compound.py:merged, inertia/properties.py:MassProperties.__add__",
    ),
    "A12": (
        "measured values replace computed ones",
        "assembly/tree.py:Assembly.measured, assembly/sums.py:difference, assembly/budget.py:budget",
    ),
    "B1": (
        "inverse and forward dynamics",
        "dynamics/newton_euler.py:inverse_dynamics, dynamics/articulated.py:forward_dynamics",
    ),
    "B2": (
        "Newton-Euler, every intermediate; a moving base",
        "dynamics/newton_euler.py:outward, dynamics/newton_euler.py:inward, dynamics/reactions.py:newton_euler",
    ),
    "B3": (
        "revolute joints project n, prismatic joints f",
        "dynamics/newton_euler.py:projected, dynamics/reactions.py:joint_reactions",
    ),
    "B4": ("wrenches of the environment on any link", "dynamics/newton_euler.py:wrenches_on_bodies"),
    "B5": (
        "friction: viscous, Coulomb, Stribeck, smoothed",
        "model/friction.py:Viscous.effort, model/friction.py:Coulomb.effort, model/friction.py:Stribeck.effort",
    ),
    "B6": ("torque split by its source", "dynamics/breakdown.py:torque_breakdown"),
    "C1": ("link, elements, parts", "assembly/tree.py:Assembly.nodes, assembly/tree.py:Assembly.volume"),
    "C2": ("centre of gravity of the link", "assembly/tree.py:Assembly.com, assembly/sums.py:combined"),
    "C3": ("rotation sequence about fixed axes", "spatial/poses.py:rotation_rpy, spatial/poses.py:Pose.__matmul__"),
    "C4": ("tensor of a part carried to the link's axes", "solids/exactness.py:moved, assembly/sums.py:combined"),
    "C5": (
        "tensors about three reference points, and their table",
        "assembly/budget.py:budget, assembly/table.py:Budget.contribution",
    ),
    "C6": ("the manipulated object", "model/robot.py:Robot.with_payload, dynamics/breakdown.py:torque_breakdown"),
    "C7": ("the NM7MAR manipulator", "robots/built.py:nm7mar"),
    "C8": (
        "criteria for the centre of gravity; counterweights",
        "assembly/balancing.py:balance, assembly/balancing.py:Balance.holds",
    ),
    "C9": (
        "limits of integration between local frames",
        "solids/limits.py:Limits.__init__, spatial/poses.py:Pose.apply",
    ),
    "D1": (
        "velocity and acceleration of a body's point",
        "dynamics/rigid_body.py:point_velocity, dynamics/rigid_body.py:point_acceleration",
    ),
    "D2": (
        "Newton and Euler at the centre of mass",
        "dynamics/rigid_body.py:RigidBody.inverse, dynamics/rigid_body.py:RigidBody.kinetic_energy",
    ),
    "D3": ("spatial inertia, momentum, ad, bracket", "spatial/screws.py:ad, dynamics/rigid_body.py:RigidBody.momentum"),
    "D4": ("all of it in other frames", "spatial/screws.py:Ad, dynamics/rigid_body.py:RigidBody.moved"),
    "D5": (
        "one body: inverse, forward, motion in time",
        "dynamics/rigid_body.py:RigidBody.forward, dynamics/rigid_body.py:RigidBody.simulate",
    ),
    "D6": (
        "several wrenches; the hand with the apple",
        "spatial/screws.py:Wrench.in_frame, spatial/screws.py:Wrench.__add__",
    ),
    "D7": ("statics of open chains", "dynamics/newton_euler.py:static_torque"),
    "E1": (
        "Lagrange's equations from K and P",
        "formulas/lagrange.py:lagrange_equations, dynamics/energy.py:kinetic_energy",
    ),
    "E2": ("M as a sum of Jacobians", "dynamics/lagrange.py:mass_matrix_by_jacobians, dynamics/kinematics.py:jacobian"),
    "E3": ("structure of M", "dynamics/composite.py:mass_matrix, dynamics/lagrange.py:mass_matrix_slopes"),
    "E4": (
        "Christoffel symbols; centrifugal and Coriolis terms",
        "dynamics/coriolis.py:christoffel, dynamics/coriolis.py:centrifugal_coriolis",
    ),
    "E5": (
        "gravity and potential energy",
        "dynamics/terms.py:gravity_forces, dynamics/energy.py:potential_energy",
    ),
    "E6": ("worked examples RP, PR, PP, RR in closed form", "formulas/system.py:equations, formulas/examples.py:rr"),
    "E7a": (
        "evaluate the structure: ellipsoids, reflected inertia, conditioning",
        "analysis/structure.py:structure, analysis/structure.py:structure_map",
    ),
    "E7b": (
        "simulate the manipulator, design a controller",
        "motion/simulate.py:simulate, motion/controllers.py:gravity_compensation, motion/controllers.py:pd, "
        "motion/controllers.py:computed_torque",
    ),
    "M1": (
        "derivations of placed, joined and cut solids, of links",
        "solids/compose.py:derive_compound, assembly/derive.py:derive",
    ),
    "M2": ("limits of integration carried to a turned frame", "solids/turned.py:turned"),
    "M3": ("the NM7MAR as printed", "robots/built.py:nm7mar"),
    "M4": (
        "parts by mass and density; densities that vary",
        "assembly/part.py:Part.volume, solids/varying.py:with_varying_density",
    ),
    "M5": (
        "wrenches in frames by name; a base that moves",
        "spatial/screws.py:total_wrench, dynamics/newton_euler.py:inverse_dynamics",
    ),
    "M6": (
        "derivations of arms of up to seven joints",
        "formulas/chains.py:by_names",
    ),
    "M7": (
        "principal moments of symbolic tensors where plain to see",
        "inertia/conventions.py:Conventions.principal",
    ),
    "M8": ("criteria for the centre of gravity listed as cases", "assembly/criteria.py:cases"),
    "M9": ("formulas in the decks' letters", "formulas/letters.py:lettered"),
    "M10": ("formulas of a drawn arm as short as those of a typed one", "assembly/sums.py:combined"),
    "M11": ("from the drawing of parts to the torque each part costs", "dynamics/breakdown.py:torque_breakdown"),
    "X1": ("v̇ inside the rotation", "dynamics/newton_euler.py:outward"),
    "X2": ("τᵢ = nᵢᵀ ẑᵢ", "dynamics/newton_euler.py:projected"),
    "X3": ("third entry of the box", "solids/primitives.py:Box._gyration"),
    "X4": ("cone about its apex and its centre", "solids/primitives.py:Cone._gyration"),
    "X5": ("entry −Ixy and product Ixy", "inertia/properties.py:steiner_term"),
    "X6": ("entry (3,1) of the parallel-axis matrix", "inertia/properties.py:steiner_term"),
    "X7": ("signs in eq. 26", "inertia/properties.py:tensor_of, inertia/properties.py:MassProperties.moved"),
    "X8": ("part masses, not one density", "assembly/sums.py:combined"),
    "X9": ("eq. 7 is sufficient only", "assembly/balancing.py:Balance.holds"),
    "X10": ("a cube, not a hexagon", "solids/primitives.py:Box._gyration"),
    "X11": ("misprints of eqs 20, 21, 43", "assembly/tree.py:Assembly.com, assembly/budget.py:budget"),
    "X12": ("eq. 55 is another region", "solids/limits.py:Limits.__init__"),
    "X13": ("cotangent in eq. 56", "solids/limits.py:Limits.__init__"),
    "X14": ("a minus sign in the twist-wrench step", "dynamics/rigid_body.py:RigidBody.inverse, spatial/screws.py:ad"),
    "X15": ("Izz₂ in m₁₁ of RR", "dynamics/composite.py:mass_matrix"),
    "X16": ("the bracket in RR's gravity", "dynamics/terms.py:gravity_forces"),
    "X17": ("diagonal only along principal axes", "inertia/conventions.py:Conventions.principal"),
    "X18": (
        "H, p and positive moments",
        "solids/particles.py:Particles.angular_momentum, inertia/properties.py:MassProperties.angular_momentum",
    ),
    "X19": ("masses and frames of the composed link", "assembly/tree.py:Assembly.mass_properties"),
    "X20": ("Ixx = Iyy belongs to the cylinder", "solids/primitives.py:Cylinder._gyration"),
}

HEADINGS = {
    "A": "Mass properties (decks 000, 001, 004)",
    "B": "Newton-Euler dynamics (000, 001, 004)",
    "C": "Links from elements from parts (paper 002)",
    "D": "One rigid body, twists and wrenches, statics (003)",
    "E": "Lagrange (004)",
    "M": "What the authors do, step by step (all documents)",
    "X": "Errors in the documents (see [errata](errata.md))",
}


def ids(test: str) -> list[str]:
    """The requirements that a test is named after: test_X5_X6_… is for X5 and X6."""
    match = re.match(r"test_((?:[A-EMX]\d+[ab]?_)+)", test)
    return match[1].strip("_").split("_") if match else []


def proofs() -> dict[str, dict[str, int]]:
    """Per id, how many tests in which file are named after it."""
    found: dict[str, dict[str, int]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for test in re.findall(r"^def (test_\w+)", text, re.MULTILINE):
            for key in ids(test):
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
        "What the source documents ask for, where it is done (functions in `src/steiner`) and which tests prove it:",
        "tests are named after the id, `test_B4_…`, and call the functions named here; a test watches that they do.",
        "This page is written by `python tests/requirements.py`; a test fails while it is stale.",
    ]
    for letter, heading in HEADINGS.items():
        lines += ["", f"## {letter}. {heading}", "", "| id | what | code | tests |", "|---|---|---|---|"]
        for key, (what, code) in REQUIREMENTS.items():
            if key[0] == letter:
                files = ", ".join(f"`{path}`" for path in known.get(key, {})) or "later"
                done = ", ".join(f"`{place}`" for place in code.split(", "))
                lines.append(f"| {key} | {what} | {done} | {files} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
