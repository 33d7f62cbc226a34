"""Negative controls: break the text on purpose, and a named law must fail.

Every line of MUTATIONS is one mistake of the kind that programs in this field have shipped with: where it is
made, the text that becomes another, and the law of `laws.py` that catches it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.laws import laws
from tests.laws.mutants import MUTANTS, ROOT, misplaced

SEEDS = 8


class Mutation(NamedTuple):
    what: str
    module: str
    right: str
    wrong: str
    law: str


MUTATIONS = [
    Mutation("gravity upside down", "dynamics.newton_euler", "BodyState(ZERO, ZERO, -tree.gravity)",
             "BodyState(ZERO, ZERO, tree.gravity)", "gravity_is_the_gradient_of_potential_energy"),
    Mutation("half of 2ω×ḋ", "dynamics.newton_euler", "[2 * w[1] * slip, -2 * w[0] * slip,",
             "[w[1] * slip, -w[0] * slip,", "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("no 2ω×ḋ at all", "dynamics.newton_euler", "[2 * w[1] * slip, -2 * w[0] * slip,", "[0, 0,",
             "lagrange_is_newton_euler"),
    Mutation("X1: v̇ outside the rotation", "dynamics.newton_euler", "Rt @ (up.dv + pushed[body.parent] @ body.mount.p)",
             "up.dv + Rt @ (pushed[body.parent] @ body.mount.p)", "gravity_is_the_gradient_of_potential_energy"),
    Mutation("ω×ż q̇ with the wrong sign", "dynamics.newton_euler", "[carried[1] * rate, -carried[0] * rate,",
             "[-carried[1] * rate, carried[0] * rate,", "velocity_terms_agree_in_all_their_forms"),
    Mutation("transposed rotation on the way in", "dynamics.newton_euler", "f_up = T.R @ f",
             "f_up = T.R.T @ f", "torque_is_the_sum_of_its_terms"),
    Mutation("moment carried without p × f", "dynamics.newton_euler", " + cross(mount.p, f_up), f_up", ", f_up",
             "torque_is_the_sum_of_its_terms"),
    Mutation("moment carried without d × f", "dynamics.newton_euler", "(n + cross(joint.up, f))", "n",
             "torque_is_the_sum_of_its_terms"),
    Mutation("an axis that its body leaves behind", "dynamics.newton_euler", " + pushed[i][:, 2] * j.slid",
             " - pushed[i][:, 2] * j.slid", "lagrange_is_newton_euler"),
    Mutation("X2: the effort of another component", "dynamics.newton_euler", "(j.turn * n[2] + j.slide * f[2])",
             "(j.turn * n[1] + j.slide * f[2])", "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("external wrench with the robot's sign", "dynamics.newton_euler",
             "(loads[i][0] - moment, loads[i][1] - force)", "(loads[i][0] + moment, loads[i][1] + force)",
             "torque_is_the_sum_of_its_terms"),
    Mutation("wrench always at the link's origin", "dynamics.newton_euler", "cross(pose.apply(wrench.at), force)",
             "cross(pose.p, force)", "reactions_at_the_base_change_the_momentum"),
    Mutation("tensor about the wrong point", "inertia.moments", " + self.mass * np.outer(p, p)", "",
             "splitting_a_link_changes_nothing"),
    Mutation("tensor about the wrong point, when declared", "inertia.properties", "mass * tensor_of([[x",
             "0 * tensor_of([[x", "splitting_a_link_changes_nothing"),
    Mutation("tensor not turned with the body", "inertia.moments", "R @ self.second @ R.T + np.outer(p, h)",
             "self.second + np.outer(p, h)", "splitting_a_link_changes_nothing"),
    Mutation("fixed links lumped without moving them", "model.tree", "load.body.moments.moved(pose @ load.pose)",
             "load.body.moments.moved(load.pose)", "mass_matrix_is_symmetric_and_positive"),
    Mutation("payload always at the link's origin", "model.tree", "load.body.moments.moved(pose @ load.pose)",
             "load.body.moments.moved(pose)", "a_payload_comes_and_goes"),
    Mutation("rotor missing on the diagonal of M", "dynamics.composite", " + body.joint.armature)", ")",
             "mass_matrix_is_symmetric_and_positive"),
    Mutation("rotor missing in τ", "dynamics.newton_euler", " + rotor_efforts(tree, qdd)", "",
             "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("rotor missing in K", "dynamics.energy", "b.joint.armature * (j.rate * j.rate) / 2", "0 * j.rate",
             "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("a screw that does not advance", "dynamics.kinematics", "rise + joint.slide * value",
             "rise + 0 * value", "jacobians_are_rates_of_poses"),
    Mutation("joint offset forgotten", "dynamics.kinematics", "joint.multiplier * q[k] + joint.offset",
             "joint.multiplier * q[k]", "coupled_joints_fold"),
    Mutation("coupled pair counted once", "dynamics.composite", "value = 2 * value", "value = 1 * value",
             "coupled_joints_fold"),
    Mutation("Σż with the wrong sign in the Coriolis matrix", "dynamics.coriolis", "t * (S @ dz +", "t * (-S @ dz +",
             "velocity_terms_agree_in_all_their_forms"),
    Mutation("a Coriolis matrix of another factorisation", "dynamics.coriolis",
             "[L[1] - D[0, 2], -L[0] - D[1, 2], bulge]", "[-L[1] - D[0, 2], L[0] - D[1, 2], bulge]",
             "mdot_minus_2c_is_skew"),
    Mutation("origins that do not drift apart", "dynamics.coriolis", "cross(up, 2 * T[i].p)", "cross(up, T[i].p)",
             "mdot_minus_2c_is_skew"),
    Mutation("Christoffel symbols that commute", "dynamics.coriolis", "(d, a, c): -alpha, (d, c, a): -alpha",
             "(d, a, c): alpha, (d, c, a): alpha", "velocity_terms_agree_in_all_their_forms"),
    Mutation("gravity turned the wrong way in ∂τ/∂q", "dynamics.derivatives", "[t * ay, -t * ax, 0]",
             "[-t * ay, t * ax, 0]", "derivatives_are_those_of_the_functions"),
    Mutation("a wrench that does not turn with its joint", "dynamics.derivatives",
             "[-t * N[1] - e * F[1], t * N[0] + e * F[0], 0]", "[0, 0, 0]", "derivatives_are_those_of_the_functions"),
    Mutation("slope of tanh", "model.friction", "(1 - d * d) / width", "(1 + d * d) / width",
             "derivatives_are_those_of_the_functions"),
    Mutation("a spring that pushes", "dynamics.newton_euler", "j.multiplier * (j.stiffness * stretch(j, q[k]))",
             "j.multiplier * (-j.stiffness * stretch(j, q[k]))", "springs_pull_to_their_rest"),
    Mutation("a spring that follows another joint at full gear", "dynamics.newton_euler",
             "j.multiplier * (j.stiffness * stretch(j, q[k]))", "j.stiffness * stretch(j, q[k])",
             "coupled_joints_fold"),
    Mutation("a spring at rest at the offset", "dynamics.kinematics", "(joint.offset - joint.rest)",
             "(joint.rest - joint.offset)", "springs_pull_to_their_rest"),
    Mutation("twice the energy of a spring", "dynamics.energy", "k * (x * x) / 2", "k * (x * x)",
             "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("springs taken for gravity", "dynamics.terms", "inverse_dynamics(tree.springless(), q, rest, rest,",
             "inverse_dynamics(tree, q, rest, rest,", "gravity_is_the_gradient_of_potential_energy"),
    Mutation("springs in C q̇", "model.tree", "self.springless().replace(gravity=ZERO)", "self.replace(gravity=ZERO)",
             "springs_pull_to_their_rest"),
    Mutation("a share of every part for each spring", "model.tree", "with_numbers(armature=0, stiffness=0)",
             "with_numbers(armature=0)", "shares_sum_to_the_torque"),
    Mutation("springs that do not stiffen", "dynamics.derivatives", "fold(dq, body, body, body.joint.stiffness)",
             "fold(dq, body, body, 0)", "derivatives_are_those_of_the_functions"),
    Mutation("springs that drive", "dynamics.articulated", "effort - body.joint.stiffness *",
             "effort + body.joint.stiffness *", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("Lagrange without springs", "dynamics.lagrange", "tau = tau + spring_forces(tree, q)",
             "tau = tau + 0 * spring_forces(tree, q)", "lagrange_is_newton_euler"),
    Mutation("a spring left behind by its frame", "kernels.prepare", "rest=joint.rest + shift", "rest=joint.rest",
             "base_parameters_give_the_same_motion"),
    Mutation("friction that pushes", "model.friction", "return self.coefficient * rate",
             "return -self.coefficient * rate", "friction_only_takes_energy"),
    Mutation("articulated inertia that still resists", "dynamics.articulated", "inertia.H - np.outer(ni, f)",
             "inertia.H + np.outer(ni, f)", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("LᵀDL without its square", "dynamics.composite", "H[i][j] = H[i][j] - factor * H[k][j]",
             "H[i][j] = H[i][j] - factor * H[k][i]", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("sign of a product of inertia", "dynamics.inertial", "(v - x * z, u + y * z, x * x - y * y)",
             "(-v + x * z, -u - y * z, y * y - x * x)", "torque_is_linear_in_the_inertial_parameters"),
    Mutation("linear rows of the body Jacobian", "dynamics.kinematics", "cross([0, 0, 1], at.p)",
             "cross(at.p, [0, 0, 1])", "jacobians_are_rates_of_poses"),
    Mutation("potential energy that falls upwards", "dynamics.energy", "-(tree.gravity @", "(tree.gravity @",
             "power_of_the_torques_is_the_rate_of_energy"),
    Mutation("centre of mass without the base", "dynamics.energy",
             "i, m in tree.moments(tree.loads).items())", "i, m in tree.moments(tree.loads).items() if i >= 0)",
             "gravity_is_the_gradient_of_potential_energy"),
    Mutation("momentum about another point", "dynamics.energy", "angular + pose.R @ n + cross(pose.p, f)",
             "angular + pose.R @ n", "reactions_at_the_base_change_the_momentum"),
    Mutation("payload counted twice", "dynamics.breakdown", "arm = tree.carrying(tree.moments(own))",
             "arm = tree", "shares_sum_to_the_torque"),
    Mutation("gravity forgotten on a moving base", "dynamics.newton_euler", "values[6:9] - tree.gravity", "values[6:9]",
             "a_moving_base_is_a_carrier_with_joints"),
    Mutation("too much moved to the parent", "kernels.prepare", "np.array([0, 0, h[2]])", "np.array([0, h[1], h[2]])",
             "base_parameters_give_the_same_motion"),
    Mutation("a slider's tensor moved as if it did not slide", "kernels.prepare",
             "Pose.trusted(body.mount.R, np.zeros(3, dtype=int))",
             "Pose.trusted(body.mount.R.T, np.zeros(3, dtype=int))", "base_parameters_give_the_same_motion"),
    Mutation("a frame slid away under its body", "kernels.prepare", "back, mount = _along_z(-shift[i])",
             "back, mount = _along_z(shift[i])", "base_parameters_give_the_same_motion"),
    Mutation("a rise left out where masses are moved", "kernels.prepare", "body.mount @ _along_z(body.rise)",
             "body.mount", "base_parameters_give_the_same_motion"),
    Mutation("a rise counted twice", "kernels.prepare", "mount=Pose.trusted(body.mount.R, foot), rise=rise",
             "rise=rise", "base_parameters_give_the_same_motion"),
    Mutation("a turned block with the wrong sign", "dynamics.composite", "c * across - s * both",
             "c * across + s * both", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("a tensor turned about another axis", "dynamics.composite", "turn(B[_X_LAST], R[1, 1], R[2, 1])[_BACK]",
             "turn(B, R[1, 1], R[2, 1])", "base_parameters_give_the_same_motion"),
    Mutation("a hinge that passes its rotor's share on", "dynamics.articulated", "effort - lean.rotor * drive",
             "effort", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("a slider that passes its rotor's share on", "dynamics.articulated", "fi[2] = (1 - rotor) / j.slide",
             "fi[2] = 1 / j.slide", "forward_dynamics_inverts_inverse_dynamics"),
    Mutation("a frame turned the wrong way", "model.tree", "Pose.trusted(axis.T, ZERO)",
             "Pose.trusted(axis, ZERO)", "holding_joints_still_is_locking_them"),
    Mutation("a link's frame taken for its joint's", "model.tree", "seat @ link.origin", "seat",
             "another_link_frame_changes_nothing"),
    Mutation("forward derivatives with the wrong sign", "dynamics.derivatives",
             "return -(inverse @ dq), -(inverse @ dqd)", "return inverse @ dq, inverse @ dqd",
             "forward_derivatives_are_those_of_the_functions"),
    Mutation("gravity fixed to the base", "dynamics.newton_euler", "BodyState(ZERO, ZERO, -tree.gravity)",
             "BodyState(ZERO, ZERO, np.array([0, 0, 9.81]))", "turning_and_shifting_the_world_changes_nothing"),
    Mutation("a tensor in other units", "dynamics.newton_euler", "+ whirl(S, motion.U)", "+ whirl(S + 0.01, motion.U)",
             "other_units_scale_as_they_must"),
    Mutation("a branching tree taken for a chain", "dynamics.newton_euler", "up = tree.bodies[i].parent\n        if",
             "up = i - 1\n        if", "renumbering_joints_renumbers_torques"),
]  # fmt: skip

RUNNER = """
import sys
module, right, wrong, seeds, *names = sys.argv[1:]
from tests.laws.mutants import plant
plant(module.replace(".", "/") + ".py", right, wrong)
import warnings
warnings.simplefilter("ignore")
from tests.laws import laws
for name in names:
    try:
        for seed in range(int(seeds)):
            getattr(laws, name)(seed)
    except AssertionError:
        print(name)
"""


def broken(module: str, right: str, wrong: str, *names: str) -> list[str]:
    """Which of the laws fail on some seed when the text of a module is another."""
    paths = [str(ROOT), str(ROOT / "src")]
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, module, right, wrong, str(SEEDS), *names],
        capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.what)
def test_a_broken_text_is_caught(mutation):
    caught = broken(mutation.module, mutation.right, mutation.wrong, mutation.law)
    assert caught == [mutation.law], f"{mutation.law} holds although: {mutation.what}"


def test_an_unbroken_text_is_not_caught():
    """The control of the controls: the runner itself breaks nothing."""
    same = "BodyState(ZERO, ZERO, -tree.gravity)"
    assert broken("dynamics.newton_euler", same, same, *(law.__name__ for law in laws.LAWS)) == []


def test_every_law_catches_something():
    """A law that no mutation breaks may be blind."""
    assert {law.__name__ for law in laws.LAWS} == {m.law for m in MUTATIONS}


def test_what_is_broken_stands_in_its_module_exactly_once():
    assert not misplaced((m.module.replace(".", "/") + ".py", m.right) for m in MUTATIONS)


@pytest.mark.parametrize("page", ["README.md", "docs/verification.md"])
def test_pages_say_how_many_mistakes_are_made(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"{len(MUTATIONS)} deliberate mistakes" in text and f"{len(MUTANTS)} more" in text
