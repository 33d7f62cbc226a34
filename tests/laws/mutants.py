"""Texts broken on purpose, room by room, and the tests that must notice.

One line of MUTANTS is one mistake: the file, what stands there (once), what it becomes, who fails.  A mistake
of the equations of motion breaks a law and stands in `test_mutations.py`; these are of the rooms around them.

`python -m tests.laws.mutants 3 17` runs lines 3 and 17 and prints those that nobody noticed.  Everything heavy is
imported once; each line then has a process of its own, which imports steiner with the broken text.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.laws.mistakes import MISTAKES

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "steiner"
PATIENCE = 60  # seconds for the tests of one line


class Mutant(NamedTuple):
    """One mistake and who must notice it."""

    file: str
    right: str
    wrong: str
    tests: str

    def __str__(self) -> str:
        return f"{self.file}: {self.right!r} → {self.wrong!r}, {self.tests}"


FRICTION = "tests/model/test_friction.py"
SPRINGS_OF_YAML = "tests/files/test_robot_yaml.py::test_springs_have_units_and_come_back"
SPRINGS_OF_MJCF = "tests/files/test_mjcf.py"
SPRINGS_OF_FORMULAS = "tests/formulas/test_spring_formulas.py::test_the_formulas_of_a_small_arm_hold_its_springs"
HELD = "tests/motion/test_sprung.py::test_laws_that_know_the_arm_hold_its_springs"
SWING = "tests/motion/test_sprung.py::test_springs_keep_what_they_take"
STRUCTURE = "tests/analysis/test_structure.py"
CORKE = "tests/oracles/test_literature.py::test_corke_inertia_and_manipulability_at_the_tool"
BASE = "tests/dynamics/test_moving_base.py"
NEWTON = "tests/mission/test_b_newton_euler.py::test_B2_every_intermediate_quantity_obeys_newton_and_euler"
GALLERY = "tests/robots/test_robots.py::test_the_"
NM7MAR = "tests/robots/test_robots.py::test_K3_the_nm7mar_has_the_masses_and_tensors_of_its_cuboids"
REACH = f"{GALLERY}nm7mar_reaches_as_far_as_its_links"
BARS = "tests/robots/test_robots.py::test_bars_are_hollow_aluminium_with_solid_ends"
PAPER = "tests/robots/test_robots.py::test_gravity_and_tools_of_the_arms_on_a_sheet_of_paper"
SCARA = f"{GALLERY}scara_hangs_its_quill_from_the_outer_arm"
DESK = f"{GALLERY}desk_arm_lifts_with_a_positive_angle"
PUMA = f"{GALLERY}puma_has_corkes_torques"
MEASURED = f"{GALLERY}measured_puma_has_the_printed_model_of_armstrong_khatib_and_burdick"
PAUL = f"{GALLERY}stanford_arm_has_the_mass_matrix_of_its_matrices"
SLIDER = f"{GALLERY}stanford_arm_stands_as_paul_drew_it"
IIWA = f"{GALLERY}iiwa_balances_like_its_table"
FILES_OF_GALLERY = "tests/oracles/test_pinocchio.py::test_the_gallery_has_the_numbers_of_the_files_it_names"
ASSEMBLY = "tests/assembly/test_assembly.py::test_"
CLOUD = f"{ASSEMBLY}random_assemblies_agree_with_a_point_cloud"
WEIGHED = f"{ASSEMBLY}K5_a_weighed_box_is_a_box_of_that_mass"
REFILLED = f"{ASSEMBLY}a_cavity_removes_exactly_what_the_part_would_add_and_may_be_refilled"
CAVITY = f"{ASSEMBLY}a_cavity_has_a_negative_volume"
TURNED = f"{ASSEMBLY}frames_of_turned_elements_follow_one_another"
BUDGET = f"{ASSEMBLY}the_budget_lists_every_node_and_adds_up"
BALANCE = f"{ASSEMBLY}balance_refuses_what_it_cannot_read"
CUTS = f"{ASSEMBLY}values_in_place_of_symbols_keep_cuts_cuts"
THIN = f"{ASSEMBLY}idealised_parts_take_their_own_densities"
MISSION = "tests/mission/test_a_mass_properties.py"
MEASURES = f"{MISSION}::test_A12_measured_values_replace_computed_ones_and_the_difference_is_shown"
SHARES = "tests/mission/test_c_links.py::test_C5_the_table_of_contributions_adds_up_level_by_level"
COUNTERWEIGHT = "tests/mission/test_c_links.py::test_C8_several_solutions_are_listed_and_none_is_said_clearly"
SYMBOLS = f"{MISSION}::test_A10_composed_link_in_symbols"
FORMULA = "tests/contracts/test_solids_contract.py::test_the_closed_form_is_the_integral_of_the_definition"
SURFACE = "tests/contracts/test_solids_contract.py::test_bounds_depth_and_mesh_agree_about_the_surface"
PRISMS = "tests/solids/test_solids.py::test_prisms_of_non_convex_polygons_with_holes_are_exact"
COMPOUNDS = "tests/solids/test_solids.py::test_joined_and_cut_solids_add_their_moments"
PLACED = "tests/solids/test_solids.py::test_a_turned_solid_has_its_moments_along_its_own_axes"
PIERCED = "tests/solids/test_solids.py::test_a_pin_in_the_bore_of_a_plate_is_inside_whichever_is_named_first"
FORMS = "tests/dynamics/test_dynamics.py::test_dh_screws_and_tree_are_the_same_arm"
DH = "tests/model/test_conversions.py::test_N4_rows_give_the_torques_back_or_are_refused"
SCREWS = "tests/model/test_conversions.py::test_screws_of_scaled_and_shifted_joints"
PITCHED = "tests/model/test_conversions.py::test_a_pitched_screw_and_a_body_beside_its_frame"
OTHERS = "tests/inertia/test_inertia.py::test_conventions_are_those_of_the_other_programs"
SAVED = "tests/files/test_urdf.py::test_what_is_saved_loads_as_the_same_robot"
LIMITS = "tests/files/test_urdf.py::test_N15_limits_survive_also_if_only_some_are_stated"
MIMIC = "tests/files/test_urdf.py::test_coupled_joints_are_saved_as_mimic_joints"
PAYLOAD = "tests/files/test_urdf.py::test_payloads_are_saved_as_fixed_links"
UNITS = "tests/files/test_quantity.py"
SDF = "tests/files/test_sdf.py"
TABLES = "tests/files/test_tables.py"

MUTANTS = [
    Mutant(*line)
    for line in [
        # ---- friction
        ("model/friction.py", "exp(-ratio * ratio)) * d\n", "exp(-ratio * ratio / 2)) * d\n", FRICTION),
        ("model/friction.py", "exp(-ratio * ratio)\n", "exp(-ratio * ratio / 2)\n", FRICTION),
        ("model/friction.py", "return (self.coulomb + (self.static", "return (self.static + (self.static", FRICTION),
        ("model/friction.py", "falling = -2 * ratio", "falling = -1 * ratio", FRICTION),
        ("model/friction.py", "ratio / self.speed * extra", "ratio * extra", FRICTION),
        ("model/friction.py", "falling + (self.coulomb + extra)", "falling + (self.coulomb - extra)", FRICTION),
        ("model/friction.py", "extra * direction(rate, self.width)", "extra", FRICTION),
        ("model/friction.py", "bias * (d * d)", "bias * d", FRICTION),
        ("model/friction.py", "mean * d + bias", "mean * d - bias", FRICTION),
        ("model/friction.py", "(mean + 2 * bias * d)", "(mean + bias * d)", FRICTION),
        ("model/friction.py", "else tanh(rate / width)", "else tanh(2 * rate / width)", FRICTION),
        ("model/friction.py", "(1 - d * d) / width", "1 - d * d", FRICTION),
        ("model/friction.py", '"backward", self.forward)', '"backward", 0)', FRICTION),
        ("model/friction.py", "total(term.slope(rate) for term in self.terms)", "self.terms[-1].slope(rate)", FRICTION),
        ("model/friction.py", "(*_terms(self), *_terms(other))", "_terms(self)", FRICTION),
        # ---- manipulability
        ("analysis/structure.py", "W = self.mobility[..., _part(part), _part(part)]", "W = self.mobility[..., 3:, 3:]",
         STRUCTURE),
        ("analysis/structure.py", '"angular": slice(0, 3), "linear": slice(3, 6)',
         '"angular": slice(3, 6), "linear": slice(0, 3)', STRUCTURE),
        ("analysis/structure.py", "J @ _solved(robot, M, np.swapaxes(J, -1, -2))", "J @ np.swapaxes(J, -1, -2)",
         STRUCTURE),
        ("analysis/structure.py", "values[..., -1] / values[..., 0]", "values[..., 0] / values[..., -1]", STRUCTURE),
        ("analysis/structure.py", "self.jacobian[..., _part(part), :]", "self.jacobian", STRUCTURE),
        ("analysis/structure.py", "np.prod(np.linalg.svd(", "np.max(np.linalg.svd(", STRUCTURE),
        ("analysis/structure.py", "np.maximum(values[..., 0], 0)", "np.maximum(values[..., 1], 0)", STRUCTURE),
        ("analysis/structure.py", "else self.inertia[..., rows, rows]", "else self.mobility[..., rows, rows]", CORKE),
        ("analysis/structure.py", "self.mobility[..., _part(part), _part(part)], u)", "self.mobility[..., 3:, 3:], u)",
         STRUCTURE),
        ("analysis/structure.py", "1 / np.maximum(felt, 1e-300)", "np.maximum(felt, 1e-300)", STRUCTURE),
        ("analysis/structure.py", "1 / np.maximum(self.values, 1e-300)", "1 / np.sqrt(self.values)", STRUCTURE),
        ("analysis/structure.py", '_floats(unit(array(direction, (3,), "direction"), "direction"), "direction")',
         "np.asarray(direction, dtype=float)",
         STRUCTURE),
        ("analysis/structure.py", "return np.linalg.inv(self.mobility)", "return self.mobility", STRUCTURE),
        ("analysis/structure.py", '"aligned", point)', '"aligned")', STRUCTURE),
        ("analysis/structure.py", '"aligned", point)', '"body", point)', STRUCTURE),
        ("analysis/structure.py", "pose.p if point is None else", "pose.p if True else", STRUCTURE),
        ("analysis/structure.py", "joints[0], (samples, 1)), (b, joints[1], (1, samples))",
         "joints[1], (samples, 1)), (b, joints[0], (1, samples))", STRUCTURE),
        ("analysis/structure.py", "return limits.lower, limits.upper", "return -limits.upper, limits.upper", STRUCTURE),
        ("analysis/structure.py", "return -np.pi, np.pi", "return 0.0, np.pi", STRUCTURE),
        ("analysis/structure.py", "felt.max(axis=-1)", "felt.min(axis=-1)", STRUCTURE),
        # ---- a base that moves
        ("dynamics/newton_euler.py", "values[:3], values[3:6], values[6:9]", "values[:3], 0 * values[3:6], values[6:9]",
         BASE),
        ("dynamics/newton_euler.py", "values[:3], values[3:6], values[6:9]", "0 * values[:3], values[3:6], values[6:9]",
         BASE),
        ("dynamics/newton_euler.py", "values[:3], values[3:6], values[6:9]", "values[3:6], values[:3], values[6:9]",
         BASE),
        ("dynamics/reactions.py", "N = n - cross(com, F)", "N = n + cross(com, F)", NEWTON),
        ("dynamics/reactions.py", "at_com = motion.dv + U @ com", "at_com = motion.dv - U @ com", NEWTON),
        ("dynamics/reactions.py", "U @ frame.p, at_com", "U @ frame.p, motion.dv", NEWTON),
        ("model/answers.py", "(self.angular_velocity, self.angular_acceleration, self.acceleration)",
         "(self.angular_velocity, self.acceleration, self.angular_acceleration)", BASE),
        # ---- robots
        ("robots/built.py", "THIN, THICK = 0.06, 0.08", "THIN, THICK = 0.07, 0.08", NM7MAR),
        ("robots/built.py", "THIN, THICK = 0.06, 0.08", "THIN, THICK = 0.06, 0.09", NM7MAR),
        ("robots/built.py", "alpha = beta = 0.2 * length", "alpha = beta = 0.25 * length", NM7MAR),
        ("robots/built.py", "inward = alpha - housing / 2", "inward = alpha + housing / 2", NM7MAR),
        ("robots/built.py", "at(z=0.6), at(0.45)", "at(z=0.5), at(0.45)", REACH),
        ("robots/built.py", "origin=at(0.35)", "origin=at(0.3)", REACH),
        ("robots/built.py", '_three_elements("link3", 2, 0.30)', '_three_elements("link3", 0, 0.30)', NM7MAR),
        ("robots/built.py", "Box(length - 2 * width,", "Box(length - width,", BARS),
        ("robots/built.py", "width - 2 * wall, height - 2 * wall", "width - wall, height - 2 * wall", BARS),
        ("robots/built.py", "height - 2 * wall)", "height - wall)", BARS),
        ("robots/built.py", "DOWN_Y = (0.0, -9.81, 0.0)", "DOWN_Y = (0.0, 9.81, 0.0)", PAPER),
        ("robots/built.py", 'gravity=DOWN_Y, tool=at(0.2))', 'gravity=DOWN_Y, tool=at(0.3))', PAPER),
        ("robots/built.py", "axis=(0.0, 0.0, -1.0)", "axis=(0.0, 0.0, 1.0)", SCARA),
        ("robots/built.py", "at(0.3, 0, -0.06)", "at(0.3, 0, 0.06)", SCARA),
        ("robots/built.py", "Tube(0.07, 0.06, 0.3)", "Tube(0.07, 0.05, 0.3)", SCARA),
        ("robots/desk.py", "LIFTS = (0.0, -1.0, 0.0)", "LIFTS = (0.0, 1.0, 0.0)", DESK),
        ("robots/desk.py", "LIFTS, 0.005, 0.02, 0.08, 3.0)", "LIFTS, 0.005, 0.03, 0.08, 3.0)", DESK),
        ("robots/desk.py", "Tube(0.0125, 0.0105, 0.17", "Tube(0.0125, 0.0115, 0.17", DESK),
        ("robots/literature.py", "(-0.3638, 0.006, 0.2275)", "(-0.3638, -0.006, 0.2275)", PUMA),
        ("robots/literature.py", "(0.13, 0.524, 0.539), 200e-6", "(0.13, 0.539, 0.524), 200e-6", PUMA),
        ("robots/literature.py", "armature=gear**2 * rotor", "armature=gear * rotor", PUMA),
        ("robots/literature.py", "Viscous(gear**2 * viscous)", "Viscous(abs(gear) * viscous)", PUMA),
        ("robots/literature.py", "forward, abs(gear) * backward", "backward, abs(gear) * forward", PUMA),
        ("robots/literature.py", "0.4318, -0.0934", "0.4318, 0.0934", MEASURED),
        ("robots/literature.py", "(0, -0.070, 0.014)", "(0, 0.070, 0.014)", MEASURED),
        ("robots/literature.py", "(0, -1.054, 0)", "(0, 1.054, 0)", PAUL),
        ("robots/literature.py", "(0, 0, -6.447)", "(0, 0, -0.6447)", PAUL),
        ("robots/literature.py", "(2.51, 2.51, 0.006)", "(0.006, 2.51, 2.51)", PAUL),
        ("robots/literature.py", "INCH = 0.0254", "INCH = 0.025", SLIDER),
        ("robots/industrial.py", "-0.04762)", "0.04762)", FILES_OF_GALLERY),
        ("robots/industrial.py", "[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]",
         "[[xx, xz, xy], [xz, yy, yz], [xy, yz, zz]]", FILES_OF_GALLERY),
        ("robots/industrial.py", "rpy=(0, 0, -pi / 4)", "rpy=(0, 0, pi / 4)", FILES_OF_GALLERY),
        ("robots/industrial.py", "(0, 0, 0.39225)", "(0, 0, 0.39525)", FILES_OF_GALLERY),
        ("robots/industrial.py", "(across, across, along)", "(along, across, across)", FILES_OF_GALLERY),
        ("robots/industrial.py", "(0, 0.067, 0.034)", "(0, 0.034, 0.067)", IIWA),
        ("robots/industrial.py", "(0.05, 0.018, 0.044)", "(0.05, 0.044, 0.018)", IIWA),
        ("robots/industrial.py", "(0, 0, 0.2025), (H, 0, pi)", "(0, 0, 0.2052), (H, 0, pi)", IIWA),
        # ---- assembly
        ("assembly/tree.py", "(self.scale / known.mass) * known",
         "MassProperties.trusted(self.scale, known.com, known.inertia)", WEIGHED),
        ("assembly/part.py", "-1 * self.mass_properties if self.cavity", "self.mass_properties if self.cavity",
         REFILLED),
        ("assembly/part.py", "-1 * self.solid.volume if self.cavity", "self.solid.volume if self.cavity", CAVITY),
        ("assembly/tree.py", "moved(child.signed, child.pose)", "child.signed", TURNED),
        ("assembly/tree.py", "self.find(frame).pose.inverse()", "self.find(frame).pose", TURNED),
        ("solids/exactness.py", "if is_exact else outer @ inner", "if is_exact else inner @ outer", TURNED),
        ("assembly/tree.py", "self.signed.mass - self.computed.mass if", "self.computed.mass - self.signed.mass if",
         WEIGHED),
        ("assembly/tree.py", "return difference(self.signed, self.computed)",
         "return difference(self.computed, self.signed)", WEIGHED),
        ("assembly/sums.py", "com = reference + (mass", "com = (mass", CLOUD),
        ("assembly/sums.py", "tensor + tensor_of(", "tensor - tensor_of(", CLOUD),
        ("assembly/sums.py", "(mass[:, None] * d).T @ d", "d.T @ d", CLOUD),
        ("assembly/sums.py", "b.inertia + steiner_term(b.mass, b.com - com)", "b.inertia", SYMBOLS),
        ("assembly/sums.py", "steiner_term(b.mass, b.com - com)", "steiner_term(b.mass, b.com)", SYMBOLS),
        ("assembly/sums.py", "real.com - computed.com", "computed.com - real.com", MEASURES),
        ("assembly/budget.py", "tensors + np.moveaxis(steiner_term(masses, tuple(offsets.T)), -1, 0)", "tensors",
         BUDGET),
        ("assembly/budget.py", "return node.pose.p", "return whole.com", BUDGET),
        ("assembly/budget.py", "node.parent.pose.apply(node.parent.part.signed.com)", "node.parent.part.signed.com",
         TURNED),
        ("assembly/budget.py", "- steiner_term(summed.mass", "+ steiner_term(summed.mass", WEIGHED),
        ("assembly/budget.py", "row.mass * row.com - summed.mass * summed.com",
         "row.mass * row.com + summed.mass * summed.com", WEIGHED),
        ("assembly/budget.py", "ratio(body.mass, whole.mass)", "ratio(whole.mass, body.mass)", SHARES),
        ("assembly/table.py", "0.0 if is_zero(b) else a / b", "0.0 if is_zero(a) else b / a", SHARES),
        ("assembly/balancing.py", '"xyz".index(axis)] - target', '"xyz".index(axis)] + target', BALANCE),
        ("assembly/balancing.py", "number < -TINY", "number > TINY", COUNTERWEIGHT),
        ("assembly/balancing.py", "if not low <= number <= high", "if not low <= number", BALANCE),
        ("assembly/substitute.py", "substituted(value.second, values), value.sign)",
         "substituted(value.second, values), 1)", CUTS),
        # ---- solids
        ("solids/primitives.py", "diagonal(self.x**2 / 12, self.y**2 / 12,", "diagonal(self.y**2 / 12, self.x**2 / 12,",
         FORMULA),
        ("solids/primitives.py", "diagonal(self.radius**2 / 4, self.radius**2 / 4, self",
         "diagonal(self.radius**2 / 2, self.radius**2 / 2, self", FORMULA),
        ("solids/primitives.py", "(self.outer**2 + self.inner**2) / 4", "(self.outer**2 - self.inner**2) / 4", FORMULA),
        ("solids/primitives.py", "(self.outer + self.inner) * self.height", "(self.outer - self.inner) * self.height",
         FORMULA),
        ("solids/primitives.py", "self.a**2 / 4, self.b**2 / 4", "self.b**2 / 4, self.a**2 / 4", FORMULA),
        ("solids/primitives.py", "(0, 4 * self.radius / (3 *", "(0, 2 * self.radius / (3 *", FORMULA),
        ("solids/primitives.py", "r2 / 4 - centre2", "r2 / 4 + centre2", FORMULA),
        ("solids/primitives.py", "[a**2 / 18, -a * b / 36, 0], [-a * b / 36,",
         "[a**2 / 18, a * b / 36, 0], [a * b / 36,", FORMULA),
        ("solids/primitives.py", "(self.a / 3, self.b / 3, 0)", "(self.a / 2, self.b / 2, 0)", FORMULA),
        ("solids/primitives.py", "(0, 0, self.height / 4)", "(0, 0, 3 * self.height / 4)", FORMULA),
        ("solids/primitives.py", "Fraction(3, 20)", "Fraction(3, 10)", FORMULA),
        ("solids/primitives.py", "Fraction(3, 80)", "Fraction(3, 5)", FORMULA),
        ("solids/primitives.py", "a**2 + 2 * a * b + 3 * b**2", "3 * a**2 + 2 * a * b + b**2", FORMULA),
        ("solids/primitives.py", "10 * a**2 * b**2", "6 * a**2 * b**2", FORMULA),
        ("solids/primitives.py", "a**2 * b**2 + a * b**3 + b**4) / (20", "a**2 * b**2 + b**4) / (20", FORMULA),
        ("solids/primitives.py", "float(a) * x / length, float(b) * y / length",
         "float(b) * x / length, float(a) * y / length", SURFACE),
        ("solids/primitives.py", "(r0 + (r1 - r0) * z / h", "(r0 - (r1 - r0) * z / h", SURFACE),
        ("solids/primitives.py", "return float(height) / 2 - np.abs", "return float(height) - np.abs", SURFACE),
        ("solids/primitives.py", "reach.argmax(axis=0)", "reach.argmin(axis=0)", SURFACE),
        ("solids/balls.py", "[self.radius**2 / 5] * 3", "[self.radius**2 / 3] * 3", FORMULA),
        ("solids/balls.py", "(o - i) * (o**2 + o * i + i**2) / 3", "(o - i) * (o**2 - o * i + i**2) / 3", FORMULA),
        ("solids/balls.py", "o**2 * i**2 + o * i**3 + i**4) / (5", "o**2 * i**2 - o * i**3 + i**4) / (5", FORMULA),
        ("solids/balls.py", "self.b**2 / 5, self.c**2 / 5", "self.c**2 / 5, self.b**2 / 5", FORMULA),
        ("solids/balls.py", "(0, 0, 3 * self.radius / 8)", "(0, 0, 5 * self.radius / 8)", FORMULA),
        ("solids/balls.py", "r2 / 5, Fraction(19, 320) * r2", "r2 / 5, Fraction(83, 320) * r2", FORMULA),
        ("solids/balls.py", "self.height + Fraction(4, 3) * self.radius", "self.height + 2 * self.radius", FORMULA),
        ("solids/balls.py", "4 * r / 15", "4 * r / 5", FORMULA),
        ("solids/balls.py", "(h / 2 + 3 * r / 8) ** 2", "(h / 2 - 3 * r / 8) ** 2", FORMULA),
        ("solids/balls.py", "(h**3 / 12 + caps)", "(h**3 / 6 + caps)", FORMULA),
        ("solids/thin.py", "0 * self.length, self.length**2 / 12", "0 * self.length, self.length**2 / 3", FORMULA),
        ("solids/thin.py", "diagonal(self.x**2 / 12, self.y**2 / 12,", "diagonal(self.y**2 / 12, self.x**2 / 12,",
         FORMULA),
        ("solids/thin.py", "diagonal(self.radius**2 / 4, self.radius**2 / 4,",
         "diagonal(self.radius**2 / 2, self.radius**2 / 2,", FORMULA),
        ("solids/thin.py", "self.with_mass(density * self.length)", "self.with_mass(density * self.length / 2)",
         THIN),
        ("solids/thin.py", "self.with_mass(density * self.measure)", "self.with_mass(density)", THIN),
        ("solids/polygon.py", "ax * by - bx * ay", "ax * by + bx * ay", PRISMS),
        ("solids/polygon.py", "(p + q + 2) * (p + q + 1)", "(p + q + 2) * (p + q + 2)", PRISMS),
        ("solids/polygon.py", "comb(i + j, i) * comb", "comb", PRISMS),
        ("solids/polygon.py", "(u - x, v - y)", "(u + x, v + y)", PRISMS),
        ("solids/polygon.py", "(area > 0) == (k == 0)", "(area > 0)", PRISMS),
        ("solids/polygon.py", "(points[:, 1] - a[1]) * edge[0] / edge[1]", "(points[:, 1] - a[1]) * edge[1] / edge[0]",
         PRISMS),
        ("solids/particles.py", "cross(direction, r - start)", "cross(direction, r)", MISSION),
        ("solids/particles.py", "steiner_term(m, r - self.com)", "steiner_term(m, r)", MISSION),
        ("solids/particles.py", "m * cross(r, cross(w, r))", "m * cross(cross(w, r), r)", MISSION),
        ("solids/particles.py", "frozen(start + shift)", "frozen(shift)", MISSION),
        ("solids/compound.py", "va * share * np.outer", "vb * share * np.outer", COMPOUNDS),
        ("solids/compound.py", "return R @ gyration @ R.T", "return R.T @ gyration @ R", PLACED),
        ("solids/compound.py", "np.minimum(deep, -d)", "np.minimum(deep, d)", PIERCED),
        # ---- conversions
        ("model/conversions.py", '"a": gap @ x1', '"a": gap @ x0', FORMS),
        ("model/conversions.py", '"d": gap @ z1', '"d": gap @ z0', FORMS),
        ("model/conversions.py", "cross(a, b) @ about, a @ b", "cross(b, a) @ about, a @ b", FORMS),
        ("model/conversions.py", "foot0 = o0 + z0 * (cross(gap, z1)", "foot0 = o0 + z0 * (cross(gap, z0)", FORMS),
        ("model/conversions.py", "foot1 = o1 + z1 * (cross(gap, z0)", "foot1 = o1 - z1 * (cross(gap, z0)", FORMS),
        ("model/conversions.py", "gap - z0 * (gap @ z0)", "gap", DH),
        ("model/conversions.py", "moved(b.inverse() @ _at_home(robot)[i])", "moved(_at_home(robot)[i].inverse() @ b)",
         FORMS),
        ("model/conversions.py", "cross(home.p, w)", "cross(w, home.p)", FORMS),
        ("model/conversions.py", "Pose.trusted(np.eye(3), -lump.com)", "Pose.trusted(np.eye(3), lump.com)", FORMS),
        ("model/conversions.py", "z * (body.joint.slide * rate)", "z * body.joint.slide", SCREWS),
        ("model/conversions.py", "body.joint.turn * x, body.joint.slide * x", "0, body.joint.slide * x", SCREWS),
        ("model/dh.py", "(across @ along, IDENTITY)", "(along @ across, IDENTITY)", MEASURED),
        ("model/dh.py", "(along, across) if", "(across, along) if", PUMA),
        ("model/poe.py", "cross(axis, v) / rate", "cross(v, axis) / rate", SCREWS),
        ("model/poe.py", "dot(axis, v) / rate", "dot(axis, v) * rate", PITCHED),
        ("model/poe.py", "[lever[2, 1], lever[0, 2], lever[1, 0]]", "[lever[1, 2], lever[2, 0], lever[0, 1]]", PITCHED),
        ("model/poe.py", "axis=axis, multiplier=rate), point", "axis=axis), point", SCREWS),
        ("inertia/conventions.py", "zz, xy, xz, yz]}", "zz, yz, xz, xy]}", OTHERS),
        ("inertia/conventions.py", "zz, yz, xz, xy]}", "zz, xy, xz, yz]}", OTHERS),
        ("inertia/conventions.py", "self.inertia_about((0, 0, 0)).tolist()", "self.inertia.tolist()", OTHERS),
        ("inertia/conventions.py", "array([xx, xy, xz, yy, yz, zz, hx", "array([xx, xy, yy, xz, yz, zz, hx", OTHERS),
        # ---- files
        ("files/sdf_frames.py", "there.inverse() @ pose", "pose @ there.inverse()", SDF),
        ("files/sdf_frames.py", "frame.pose @ known[name]", "known[name] @ frame.pose", SDF),
        ("files/sdf_joints.py", "return -1 / pitch", "return 1 / pitch", SDF),
        ("files/sdf.py", "self.version < OLDEST_JOINT_AXES", "False", SDF),
        ("files/sdf.py", "- multiplier * reference", "- reference", SDF),
        ("files/sdf_write.py", '"ixy": xy, "ixz": xz', '"ixy": xz, "ixz": xy', SDF),
        ("files/sdf_write.py", "_pose(place.origin, place.joint)", "_pose(place.mount, place.joint)", SDF),
        ("files/matlab_write.py", "body.inertia_about((0.0, 0.0, 0.0))[i, k]", "body.inertia[i, k]", TABLES),
        ("files/tables.py", "(before.inverse() @ home).matrix", "home.matrix", TABLES),
        ("files/urdf_write.py", '("ixy", xy), ("ixz", xz)', '("ixy", xz), ("ixz", xy)', SAVED),
        ("files/urdf_write.py", '("iyz", yz)', '("iyz", -yz)', SAVED),
        ("files/urdf_write.py", "Pose.trusted(np.eye(3), body.com)", "Pose.trusted(np.eye(3), -body.com)", SAVED),
        ("files/urdf_write.py", "vector(pose.rpy)", "vector(pose.rpy[::-1])", SAVED),
        ("files/writing.py", "damping += term.coefficient", "damping = 0 * term.coefficient", SAVED),
        ("files/writing.py", "coulomb += term.forward", "coulomb += term.forward / 2", SAVED),
        ("files/urdf_write.py", '"lower": -UNLIMITED', '"lower": 0', LIMITS),
        ("files/urdf_write.py", '("multiplier", joint.multiplier), ("offset", joint.offset)',
         '("multiplier", joint.offset), ("offset", joint.multiplier)', MIMIC),
        ("files/urdf_write.py", "link.name, link.mount @ link.origin", "link.name, link.origin @ link.mount", SAVED),
        ("files/urdf_write.py", "name, payload.pose", "name, payload.pose.inverse()", PAYLOAD),
        ("files/writing.py", "repr(float(value) + 0.0)", "repr(round(float(value), 12) + 0.0)", SAVED),
        ("files/urdf_write.py", "screw, parent, carrier, mount", "screw, parent, carrier, link.origin", SAVED),
        ("files/quantity.py", '"in": 0.0254', '"in": 0.025', UNITS),
        ("files/quantity.py", '"ft": 0.3048', '"ft": 0.308', UNITS),
        ("files/quantity.py", '"lb": 0.45359237', '"lb": 0.45359327', UNITS),
        ("files/quantity.py", '"oz": 0.028349523125', '"oz": 0.0311034768', UNITS),
        ("files/quantity.py", '"deg": math.pi / 180', '"deg": math.pi / 200', UNITS),
        ("files/quantity.py", '"g/mm^3": 1e6', '"g/mm^3": 1e3', UNITS),
        ("files/quantity.py", 'MASS["lb"] / 0.0254**3', 'MASS["lb"] / 0.0254**2', UNITS),
        ("files/quantity.py", '"g*mm^2": 1e-9', '"g*mm^2": 1e-6', UNITS),
        ("files/quantity.py", '"g*cm^2": 1e-7', '"g*cm^2": 1e-4', UNITS),
        ("files/quantity.py", 'MASS["lb"] * 0.0254**2', 'MASS["lb"] * 0.0254', UNITS),
        ("files/quantity.py", '"g/cm^2": 10.0', '"g/cm^2": 0.1', UNITS),
        ("files/quantity.py", '"N/mm": 1e3', '"N/mm": 1e-3', SPRINGS_OF_YAML),
        ("files/quantity.py", '"Nm/deg": 180 / math.pi', '"Nm/deg": math.pi / 180', SPRINGS_OF_YAML),
        ("files/mjcf_springs.py", "2 * inertia / time", "inertia / time", SPRINGS_OF_MJCF),
        ("files/mjcf_springs.py", "inertia / (time * ratio) ** 2", "inertia / time**2", SPRINGS_OF_MJCF),
        ("files/mjcf.py", '"springref", 0.0)) - ref', '"springref", 0.0))', SPRINGS_OF_MJCF),
        ("motion/controllers.py", "model.static_torque(q) - kd * qd", "model.gravity_forces(q) - kd * qd", HELD),
        ("motion/controllers.py", "q, qd) + model.static_torque(q)", "q, qd) + model.gravity_forces(q)", HELD),
        ("motion/equations.py", "dynamics.static_torque(tree, q)", "dynamics.gravity_forces(tree, q)", SWING),
        ("formulas/terms.py", "self.lifted.springless(), self.at", "self.lifted, self.at", SPRINGS_OF_FORMULAS),
        ("files/quantity.py", "number / round(1 / scale) if", "number * round(1 / scale) if", UNITS),
        ("files/quantity.py", "scale = units[written_unit(unit)]", "scale = scale * units[written_unit(unit)]", UNITS),
        *MISTAKES,
    ]
]  # fmt: skip


def misplaced(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Texts that do not stand exactly once in their file, and how often they do."""
    counts = {(file, text): (SOURCE / file).read_text(encoding="utf-8").count(text) for file, text in places}
    return {place: count for place, count in counts.items() if count != 1}


def plant(file: str, right: str, wrong: str) -> None:
    """From now on the file of steiner is imported with another text."""
    name = "steiner." + file.removesuffix(".py").replace("/", ".")

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, fullname):
            text = self.get_data(self.path).decode()
            assert right in text, f"{right!r} is not in {file}"
            return compile(text.replace(right, wrong), self.path, "exec")

    class Finder:
        @staticmethod
        def find_spec(fullname, path=None, target=None):
            if fullname != name:
                return None
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            assert spec is not None and spec.origin is not None
            return importlib.util.spec_from_loader(name, Loader(name, spec.origin), origin=spec.origin)

    assert name not in sys.modules, f"{name} was imported before its text was changed"
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]


def verdict(tests: Iterable[str], mutant: Mutant | None = None) -> int:
    """The exit code of pytest on some tests, in a process of their own; that of a signal is negative."""
    import pytest

    child = os.fork()
    if not child:
        code = 3
        try:
            signal.alarm(PATIENCE if mutant else 10 * PATIENCE)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            if mutant:
                plant(mutant.file, mutant.right, mutant.wrong)
            code = int(pytest.main([*tests, "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


CAUGHT, PASSED = 1, 0  # pytest's own codes: some test failed, all passed


def main(lines: list[int]) -> None:
    """Prints the lines that were not noticed; without lines, the tests that fail on the unbroken text."""
    import numpy as np  # noqa: F401  what children share
    import sympy as sp  # noqa: F401

    if not lines and verdict(sorted({m.tests for m in MUTANTS})) != PASSED:
        print("the tests fail on the text as it is")
    for line in lines:
        code = verdict([MUTANTS[line].tests], MUTANTS[line])
        if code != CAUGHT:
            print(f"{'survived' if code == PASSED else f'pytest says {code}'}: {MUTANTS[line]}", flush=True)


if __name__ == "__main__":
    os.chdir(ROOT)
    main([int(x) for x in sys.argv[1:]])
