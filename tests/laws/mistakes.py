"""Mistakes in files, motion and quadrature, as lines of `mutants.MUTANTS`."""

from __future__ import annotations

POINTS = "tests/motion/test_trajectories.py"
CONTROL = "tests/motion/test_controllers.py::test_"
COMPUTED = f"{CONTROL}E7b_computed_torque_makes_every_error_a_damped_oscillator"
FLOATING = f"{CONTROL}E7b_gravity_compensation_lets_the_arm_float"
RESTING = f"{CONTROL}E7b_pd_with_gravity_comes_to_rest_at_its_target"
AROUND = f"{CONTROL}feed_forward_is_exact_on_the_trajectory_and_pd_around_it"
GAINS = f"{CONTROL}gains_left_out_suit_light_arms_and_heavy_ones"
SPRINGS = f"{CONTROL}impedance_pushes_as_springs_at_the_tool_do"
FORCE = f"{CONTROL}force_control_exerts_its_wrench"
MJCF = "tests/files/test_mjcf.py"
MUJOCO = "tests/oracles/test_mujoco_files.py::test_random_files_agree"
WRITTEN = "tests/oracles/test_mujoco_files.py::test_written_robots_agree_and_come_back"
MIMICS = "tests/files/test_urdf.py"
ROWS = "tests/files/test_robot_yaml.py::test_rows_and_grids"
ARC = "tests/files/test_robot_yaml.py::test_part_of_a_circle"
SPOTS = "tests/solids/test_sampled.py::test_N1_spots_are_zeros_and_extrema_of_what_stands_in_a_formula"
BUMP = "tests/solids/test_sampled.py::test_N1_bumps_of_a_formula_are_found_by_its_text"
STEEP = "tests/solids/test_sampled.py::test_N1_edges_beside_what_is_steep_and_none_beside_what_is_not"
SQUARES = "tests/mission/test_d_rigid_body.py::test_D2_K6_the_tensor_is_minus_the_sum_of_squares"
TURNS = "tests/spatial/test_spatial.py::test_rpy_turns_about_fixed_axes_one_after_the_other"
DISTORTED = "tests/spatial/test_spatial.py::test_what_distorts_is_told_by_the_largest_entry"
ANGLES = "tests/files/test_urdf.py"
RECORDS = "tests/ground/test_records.py"
ARGUMENTS = "tests/ground/test_records.py::test_wrong_arguments_are_told_in_the_words_of_python"
BITS = "tests/backends/test_alike.py::test_bits_are_those_of_single_rows"
WAYS = "tests/backends/test_alike.py::test_bits_of_accelerations_are_those_of_single_rows"
SIGNS = "tests/backends/test_alike.py::test_settled_signs_change_no_value"
PRINTED = "tests/mission/test_c_links.py::test_X11_K7_the_misprints_of_eqs_20_21_and_43"

MISTAKES = [
    # ---- from point to point
    ("motion/trajectories.py", "(3 * D / T - 2 * v0 - v1) / T", "(3 * D / T - v0 - v1) / T", POINTS),
    ("motion/trajectories.py", "(v0 + v1 - 2 * D / T) / T**2", "(v0 + v1 - D / T) / T**2", POINTS),
    ("motion/trajectories.py", "T * (qd[:-1] + T * qdd[:-1] / 2)", "T * (qd[:-1] + T * qdd[:-1])", POINTS),
    ("motion/trajectories.py", "(10 * D / T - 4 * V + A * T / 2) / T**2",
     "(10 * D / T - 4 * V + A * T) / T**2", POINTS),
    ("motion/trajectories.py", "(-15 * D / T + 7 * V - A * T) / T**3", "(-15 * D / T + 7 * V + A * T) / T**3", POINTS),
    ("motion/trajectories.py", "(6 * D / T - 3 * V + A * T / 2) / T**4",
     "(6 * D / T + 3 * V + A * T / 2) / T**4", POINTS),
    ("motion/trajectories.py", "D / v + v / acc, 2 * np.sqrt(D / acc)", "D / v + v / acc, np.sqrt(D / acc)", POINTS),
    ("motion/trajectories.py", "D / v + v / acc,", "D / v,", POINTS),
    ("motion/trajectories.py", "T**2 - 4 * D / acc", "T**2 - 2 * D / acc", POINTS),
    ("motion/trajectories.py", "rise * late - late**2 / 2", "rise * late", POINTS),
    ("motion/trajectories.py", "np.where(middle > T - rise, -1.0, 0.0)",
     "np.where(middle > T - rise, 1.0, 0.0)", POINTS),
    ("motion/trajectories.py", "jerks / 6]", "jerks / 2]", POINTS),
    ("motion/trajectories.py", "(factorial(k) // factorial(k - order))", "1", POINTS),
    ("motion/trajectories.py", "(c * rate) @ a - (s * rate) @ b", "(c * rate) @ a + (s * rate) @ b", POINTS),
    ("motion/trajectories.py", "-(s * rate**2) @ a", "(s * rate**2) @ a", POINTS),
    ("motion/trajectories.py", "self.second(t - self.first.duration)", "self.second(t)", POINTS),
    # ---- laws
    ("motion/controllers.py", "return kp * (at - q) + kd * (rate - qd)",
     "return kp * (at - q) + kd * (rate + qd)", AROUND),
    ("motion/controllers.py", "return kp * (at - q) + kd", "return kp * (q - at) + kd", AROUND),
    ("motion/controllers.py", "qd) + model.static_torque(q)", "qd) - model.static_torque(q)", RESTING),
    ("motion/controllers.py", "asked = wanted[2] + _springs", "asked = _springs", COMPUTED),
    ("motion/controllers.py", "return model.static_torque(q) - kd * qd",
     "return model.static_torque(q) + kd * qd", FLOATING),
    ("motion/controllers.py", "2 * np.sqrt(springs * inertia)", "np.sqrt(springs * inertia)", GAINS),
    ("motion/tool_laws.py", "J.T @ (K * away - D * (J @ qd))", "J.T @ (K * away + D * (J @ qd))", SPRINGS),
    ("motion/tool_laws.py", "exerted_by_robot=filled(wrench, values)) - kd",
     "external=filled(wrench, values)) - kd", FORCE),
    # ---- MJCF
    ("files/mjcf_bodies.py", "return Capsule(x, 2 * y)", "return Capsule(x, y)", MUJOCO),
    ("files/mjcf_bodies.py", "return Cylinder(x, 2 * y)", "return Cylinder(x, y)", MUJOCO),
    ("files/mjcf_bodies.py", "return Box(2 * x, 2 * y, 2 * z)", "return Box(2 * x, 2 * y, z)", MJCF),
    ("files/mjcf_bodies.py", "(ends[:3] + ends[3:]) / 2)", "ends[:3])", MUJOCO),
    ("files/mjcf_bodies.py", "[radius, length / 2] if", "[radius, length] if", MUJOCO),
    ("files/mjcf_settings.py", "half = self.angle(values[3]) / 2", "half = self.angle(values[3])", MUJOCO),
    ("files/mjcf_settings.py", "values[3:] - x * (x @ values[3:])", "values[3:]", MUJOCO),
    ("files/mjcf_settings.py", "half = math.atan2(s, z[2]) / 2", "half = math.atan2(s, z[2])", MUJOCO),
    ("files/mjcf_settings.py", "2 * (x * y - z * w), 2 * (x * z + y * w)]",
     "2 * (x * y + z * w), 2 * (x * z + y * w)]", MUJOCO),
    ("files/mjcf_couplings.py", "a0 - a1 * ref(leader)", "a0 + a1 * ref(leader)", MJCF),
    ("files/mjcf_write.py", "\"cylinder\", (solid.radius, solid.height / 2)",
     "\"cylinder\", (solid.radius, solid.height)", WRITTEN),
    ("files/mjcf_write.py", "(solid.x / 2, solid.y / 2, solid.z / 2)", "(solid.x, solid.y / 2, solid.z / 2)", WRITTEN),
    ("files/mjcf_write.py", "joint.offset + joint.multiplier * rest", "joint.offset", MJCF),
    ("files/reading.py", "step.multiplier * rest.offset + step.offset", "rest.offset + step.offset", MIMICS),
    ("files/reading.py", "step.multiplier * rest.multiplier", "rest.multiplier", MIMICS),
    ("files/reading.py", "or distortion(exact) > 1e-14", "or False", ANGLES),
    # ---- drawings
    ("files/patterns.py", "whole / max(count - 1, 1)", "whole / count", ARC),
    ("files/patterns.py", 'node.value("diameter", "length", unit) / 2',
     'node.value("diameter", "length", unit)', ARC),
    ("files/patterns.py", "[p + k * s for p, s in", "[p + s for p, s in", ROWS),
    ("files/patterns.py", "[x + i * dx, y + j * dy, z]", "[x + i * dx, y + i * dy, z]", ROWS),
    # ---- quadrature
    ("solids/features.py", "(argument, argument.diff(symbol))", "(argument,)", SPOTS),
    ("solids/features.py", "found.update(dict.fromkeys(_extrema(argument, symbols, ranges)))", "pass", BUMP),
    ("solids/features.py", "before = np.sign(function(middle)) == sign",
     "before = np.sign(function(middle)) != sign", SPOTS),
    ("solids/quadrature.py", "change[1:] > 0.75 * change[:-1]", "change[1:] > 1e9 * change[:-1]", STEEP),
    ("solids/quadrature.py", "np.append(found, at) if len(found)", "np.zeros(0) if len(found)", STEEP),
    # ---- turns
    ("spatial/poses.py", "cy * sp * sr - sy * cr", "cy * sp * sr + sy * cr", TURNS),
    ("spatial/poses.py", "[-sp, cp * sr, cp * cr]", "[sp, cp * sr, cp * cr]", TURNS),
    ("spatial/poses.py", "dot(x, y), dot(y, z), dot(z, x)]", "dot(x, y), dot(y, z)]", DISTORTED),
    ("records.py", "            if name not in given:\n", "            if True:\n", RECORDS),
    ("records.py", "not needed <= given <= defaults.keys()", "not given <= defaults.keys()", ARGUMENTS),
    # ---- what the tests of the time did not notice
    ("inertia/properties.py", "return np.array([[yy + zz, ", "return np.array([[yy - zz, ", SQUARES),
    ("inertia/properties.py", "-xy, -xz], [-xy, xx + zz, -yz]", "xy, -xz], [xy, xx + zz, -yz]", SQUARES),
    ("assembly/budget.py", "return frozen(tensors + np.moveaxis(", "return frozen(tensors - np.moveaxis(", PRINTED),
    ("assembly/budget.py", "for body in bodies]) - np.array(points)",
     "for body in bodies]) + np.array(points)", PRINTED),
    # ---- joints alike
    ("backends/llvm/alike.py", "Turns(index, k % 2, moving)", "Turns(index, 0, moving)", BITS),
    ("backends/llvm/alike.py", "at + block * self.align", "at", BITS),
    ("backends/llvm/alike.py", "last.get(other, -1) <= model + 1", "True", BITS),
    ("backends/llvm/fuse.py", "signs[2], signs[number] = False, not signs[number]", "signs[2] = False", SIGNS),
    ("backends/llvm/fuse.py", "[False, False, not signs[2]]", "[False, False, signs[2]]", SIGNS),
    ("backends/llvm/fuse.py", "value = -rows[number][1]", "value = rows[number][1]", SIGNS),
    ("backends/llvm/fuse.py", "signs[i], operands[i] = False, negative(operands[i])", "signs[i] = False", SIGNS),
    ("backends/llvm/alike.py", "(self.of[row] - first[leg]) * size", "(self.of[row] - first[0]) * size", WAYS),
    ("backends/llvm/alike.py", "self.blocks * self.align for slot in", "self.align for slot in", WAYS),
    ("backends/llvm/alike.py", "(OWN, place * self.v.bytes)", "(OWN, place * 4)", BITS),
    ("backends/llvm/alike.py", "self.align if self.here else self.dtype.itemsize", "self.align", BITS),
    ("backends/llvm/stretches.py", "for k in new:", "for k in sorted(new):", BITS),
    ("backends/llvm/stretches.py", "shape, places, window", "shape, window", BITS),
]  # fmt: skip
