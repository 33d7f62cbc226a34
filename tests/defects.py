"""Faults that once were there: each has tests of its name, `test_N8_…`, that failed before it was mended.

N: numbers that were silently wrong.  W: wrong or missing errors.  R: hangs, security, robustness.  K: mistakes that
the tests of the time did not notice.  A test may stand for several, and for requirements beside: `test_D2_K6_…`.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent

DEFECTS = {
    "N1": "`Limits` by functions had no error estimate: peaks, kinks, steps and waves were off in the second digit",
    "N2": "`Limits` by expressions far from the origin lost all digits, down to negative moments",
    "N3": "values kept the caller's arrays, and gave theirs away: bodies, poses, wrenches, gravity could be written to",
    "N4": "`to_dh` of nearly parallel axes put the common normal 1e6 m away and lost the torque with it",
    "N5": "a separate inside-out shell of a `Mesh` counted negative",
    "N6": "narrow sectors of `Torus` and `Revolution`, and thin rings, lost their digits by cancellation",
    "N7": "needles spun about their axis lost digits in every method of a robot",
    "N8": "`Pose.rpy` near gimbal lock, and so files written from it, was off by 1e-7 and more",
    "N9": "`log` within 1e-6 of half a turn was off by as much",
    "N10": "None, texts and masked entries in arrays became NaN, or hidden data were used",
    "N11": "axes of length 1e±160 became zero or infinite",
    "N12": "programs written from formulas gave no friction where the velocity is NaN",
    "N13": "a payload with the name of a link took its parameters",
    "N14": "a tensor given at run time need not be symmetric, and its triangles gave different torques",
    "N15": "a limit on one side only was lost in URDF",
    "N16": "`Pose(R)` kept matrices that are rotations to six digits only",
    "N17": "results that are no numbers were written without a word; files brought numbers whose moments overflow",
    "N18": "files without a unit were read as metres; bodies not of this world passed",
    "N19": "impossible bodies, and degrees in place of radians, passed silently in Python",
    "N20": "a variant of a compiled function changed the defaults of all; regrouped bodies were lost in copies",
    "W1": "payloads, frictions, limits and dimensions of the wrong kind were accepted, and failed later",
    "W2": "an AttributeError inside lazy code was told as a missing method",
    "W3": "`dir(robot)` and completion showed no dynamics before the first call",
    "W4": '`st.load("panda")` asked: did you mean \'panda\'?',
    "W5": "a parameter that leads nowhere was told to be itself",
    "W6": "`locked` of anything but a mapping raised what Python had to say",
    "W7": "a method called inside a compiled function gave no hint to the function to call",
    "W8": "raw exceptions: symbols and NaN in `structure`, singular M, arms without joints, odd gravity, wrong models",
    "W9": "a ball by plain `math.sqrt` failed at its rim",
    "W10": "thin meshes and bodies that share an edge were refused",
    "W11": "a symbolic prism with a hole larger than its outline had a negative volume",
    "W12": "what is printed: noise of 1e-16, addresses of kernels, three kilobytes for an assembly",
    "W13": "`steiner inertia` was 206 columns wide whatever the terminal",
    "R1": "numbers without end were read in quadratic and cubic time",
    "R2": "an object planted in a shared cache was run; nothing was ever removed from it",
    "R3": "children forked while a thread compiled hung",
    "R4": "long chains were read in quadratic time",
    "R5": "`--force` replaced devices, pipes and symbolic links",
    "R6": "names from files reached pages, terminals and spreadsheets raw",
    "R7": "tracebacks: long fields, endless hexadecimals, loops of links, Ctrl-C while starting, ragged rows",
    "R8": "large flat YAML, deep brackets, alias bombs and XML of nothing took long and much memory",
    "R9": "a full disk left half an export and named no file; long names failed; messages had no end",
    "R10": "an object that lies about its memory as `out=` crashed the interpreter",
    "R11": "files were written with names that cannot be read back",
    "R12": "the umask of the process was set for a moment; files were not on the disk when they got their name",
    "R13": "time that repeats or runs backwards, and a single row, passed silently",
    "K1": "nobody noticed exp(−r²/2) in the friction of Stribeck",
    "K2": "nobody noticed linear rows in the angular ellipsoid",
    "K3": "nobody noticed a thicker NM7MAR",
    "K4": "only a law noticed that ω̇₀ of the base was ignored",
    "K5": "hardly anybody noticed that a weighed assembly kept its tensor",
    "K6": "the test of the sum of squares called `skew` only",
    "K7": "the test of the misprints of eqs 20, 21 and 43 could hardly fail",
    "K8": "the page of requirements named code that their tests do not touch",
}

# A test, and what it met in the package as it was before (7fa7c5a).  Where names have moved since, the text of the test
# was run there with the names of the time.  K: the mistake was made in the sources of the time, and the tests of the
# time and of today were run on it.  M: requirements; what is called was often not there.
BEFORE = {
    "N1": ("test_N1_kinks_and_steps_at_any_place", "1.09044 for 1.09"),
    "N2": ("test_N2_the_prism_of_one_millimetre_at_one_kilometre", "off by 200 times itself"),
    "N3": ("test_N3_a_value_keeps_nothing_that_the_caller_can_change", "13 of 17 values changed"),
    "N4": ("test_N4_rows_give_the_torques_back_or_are_refused", "torques off by 1e-4 and more"),
    "N5": ("test_N5_a_separate_inside_out_body_is_turned", "volume 0.875 for 1.125"),
    "N6": ("test_N6_sectors_of_revolution_keep_their_digits", "45 of 60 off, up to 3 times"),
    "N7": ("test_N7_a_needle_keeps_its_digits", "1e-11 at r = 1e-3, 1e-5 at r = 1e-6"),
    "N8": ("test_N8_rpy_gives_the_rotation_back_near_gimbal_lock", "off by up to 3e-5"),
    "N9": ("test_N9_log_of_every_angle_is_the_screw", "off by 7e-8"),
    "N10": ("test_N10_what_is_no_number_is_refused_wherever_vectors_are_taken", "None taken"),
    "N11": ("test_N11_an_axis_of_any_length_is_read", "an axis of zeros"),
    "N12": ("test_N12_nan_stays_nan_in_its_joint", "0.0 for NaN"),
    "N13": ("test_N13_a_payload_of_a_links_name_hides_nothing", "5.0 for 2.5"),
    "N14": ("test_N14_a_tensor_of_inertia_given_at_run_time_is_symmetric",
            "40 of 40 tensors taken; -0.594 by one triangle, -0.567 by the other"),
    "N15": ("test_N15_limits_survive_also_if_only_some_are_stated", "19 of 32 lost"),
    "N16": ("test_N16_a_rotation_in_printed_decimals_becomes_a_rotation", "off by 2e-8"),
    "N17": ("test_N17_torques_that_are_no_numbers_are_refused_with_their_line", "exit code 0"),
    "N18": ("test_N18_bare_lengths_without_a_unit_are_refused", "read as metres"),
    "N19": ("test_N19_impossible_bodies_and_degrees_warn_once", "no warning in 9 of 9"),
    "N20": ("test_N20_a_variant_leaves_the_defaults_as_they_are", "friction off for everybody"),
    "W1": ("test_W1_what_a_model_cannot_be_made_of_is_refused_at_once", "5 of 7 accepted"),
    "W2": ("test_W2_an_error_inside_is_never_masked", "a robot has no attribute 'mass_matrix'"),
    "W3": ("test_W3_methods_are_there_before_anything_was_called", "no method in dir, of 10 asked for"),
    "W4": ("test_W4_a_bare_name_of_the_gallery_will_do", "no gallery robot named 'panda'; did you mean 'panda'?"),
    "W5": ("test_W5_a_path_that_leads_nowhere_is_told_and_nobody_is_asked_whether_he_meant_it",
           "no owner named 'payload'; did you mean 'payload'?"),
    "W6": ("test_W6_what_is_no_joint_with_its_value_cannot_be_held", "TypeError of Python"),
    "W7": ("test_W7_a_method_inside_a_compiled_function_is_told_its_function",
           "16 of 32: q: expected numbers, got array([input#0, …]); the others passed"),
    "W8": ("test_W8_what_cannot_be_done_is_told_in_a_sentence", "14 of 17 raw"),
    "W9": ("test_N1_W9_balls_by_any_square_root", "NaN at the rim"),
    "W10": ("test_N5_W10_thin_small_and_large_bodies", "12 faces enclose no volume"),
    "W11": ("test_W11_holes_larger_than_a_symbolic_outline_are_refused", "not refused"),
    "W12": ("test_W12_what_is_printed_is_short_and_free_of_noise", "13096 characters"),
    "W13": ("test_W13_the_table_fits_the_terminal", "141 columns for 72"),
    "R1": ("test_R1_numbers_without_end_are_refused_at_once", "read, or refused after seconds"),
    "R2": ("test_R2_what_others_may_write_to_is_never_run", "the planted object was given out"),
    "R3": ("test_R3_children_forked_while_threads_compile_compute", "children hung"),
    "R4": ("test_R4_the_time_to_read_grows_with_the_length_of_a_chain_not_with_its_square",
           "67 times as long where 20 are allowed"),
    "R5": ("test_R5_a_link_that_leads_nowhere_is_refused", "replaced"),
    "R6": ("test_R6_the_command_line_prints_nothing_but_text", "ESC on the terminal"),
    "R7": ("test_R7_ctrl_c_while_it_starts_is_no_traceback", "a traceback"),
    "R8": ("test_R8_large_yaml_is_refused_early", "9 of 14: 11.5 s for values, 4.8 s for braces, no line"),
    "R9": ("test_R9_a_full_disk_is_told", "error: : No space left on device"),
    "R10": ("test_R10_only_real_memory_of_the_right_kind_is_written_to", "26 of 80: 12 taken, 14 raw exceptions"),
    "R11": ("test_R11_names_that_could_not_be_read_back_are_refused", "written, and UnicodeEncodeError"),
    "R12": ("test_R12_the_umask_of_the_process_is_never_touched", "os.umask was called"),
    "R13": ("test_R13_a_time_that_does_not_go_on_is_warned_about", "silence"),
    "K1": ("test_K1_stribeck_falls_by_a_factor_e_at_its_speed", "fails with that mistake in it"),
    "K2": ("test_K2_a_twist_of_the_tool_feels_both_masses", "fails with that mistake in it"),
    "K3": ("test_K3_the_nm7mar_has_the_masses_and_tensors_of_its_cuboids", "4.374 kg for 5.2488"),
    "K4": ("test_K4_a_spinning_up_base_drags_its_bead_along",
           "fails with that mistake in it, where 493 tests of the time passed and one law failed"),
    "K5": ("test_K5_a_weighed_box_is_a_box_of_that_mass", "fails with that mistake in it"),
    "K6": ("test_D2_K6_the_tensor_is_minus_the_sum_of_squares", "passed; now fails with mistakes"),
    "K7": ("test_X11_K7_the_misprints_of_eqs_20_21_and_43", "passed; now fails with mistakes"),
    "K8": ("test_K8_the_tests_of_a_requirement_enter_the_code_that_is_named_for_it",
           "no test of C7 entered robots/built.py, none of A11 assembly/sums.py, none of E1 dynamics/lagrange.py"),
    "M1": ("test_M1_the_link_of_the_decks_in_their_steps", "an Assembly had no derivation"),
    "M2": ("test_M2_the_limits_of_eq_56_come_out_in_formulas", "no limits were turned"),
    "M3": ("test_M3_r_is_at_the_frame_of_the_link_and_l_a_length_away", "links had no drawing"),
    "M4": ("test_M4_an_unknown_volume_is_never_zero", "0.0 for not known"),
    "M5": ("test_M5_wrenches_of_one_frame_add_up_and_others_say_what_to_do", "no sum of wrenches"),
    "M6": ("test_M6_both_sides_of_every_printed_line_are_equal", "three joints at most"),
    "M7": ("test_M7_a_diagonal_tensor_has_its_entries", "principal axes need numbers"),
    "M8": ("test_M8_eqs_7_9_and_11_are_among_the_cases", "a Balance had no cases"),
    "M9": ("test_M9_so_does_the_command_line", "x₁, a_x2"),
    "M10": ("test_M10_two_drawn_links_stay_short_and_are_proven", "formulas nine times as long"),
    "M11": ("test_M11_parts_sum_to_their_link_and_links_to_the_torque", "links had no drawing"),
}  # fmt: skip


def ids(test: str) -> list[str]:
    """The faults that a test is named after: test_N5_W10_… is for N5 and W10."""
    match = re.match(r"test_((?:[A-Z]\d+[ab]?_)+)", test)
    return [key for key in match[1].strip("_").split("_") if key[0] in "NWRK"] if match else []


def proofs() -> dict[str, list[str]]:
    """Per id the tests named after it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            for key in ids(test):
                found.setdefault(key, []).append(f"{path.relative_to(TESTS).as_posix()}::{test}")
    return found


if __name__ == "__main__":
    for key, tests in sorted(proofs().items(), key=lambda item: list(DEFECTS).index(item[0])):
        print(key, DEFECTS[key], f"before: {BEFORE[key][1]}", *tests, sep="\n    ")
